/* stack_parts.c - pass "stack-parts": parts that are made of the same elements and are inserted one behind the other,
 * as both halves of bytes are in blocks of packed weights, become one op over all of them, which chooses what each
 * element is by the number of its part. Ops that read it then see what it is made of, where they would have read all
 * parts from memory, which are some times as large.
 *
 * Parts have the same extent, and there are few; each element is then computed of all, so they are light work.
 * Terminates: each rewrite takes insertions away; the walk over what parts are made of goes up. */
#include "ir/build.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"

enum { MOST_LEAVES = 8 };

/* ------------------------------------------------------------------------------------------- what parts are made of */

typedef struct leaves {
  const ir_value *all[MOST_LEAVES];
  unsigned count;
} leaves;

static bool add_leaves(const ir_value *value, leaves *leaves);

/* Those of what the op's widest inputs are made of. */
static bool add_of_inputs(const ir_op *op, leaves *leaves) {
  unsigned widest = 0;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    widest = ir_operand(op, i)->type->rank > widest ? ir_operand(op, i)->type->rank : widest;
  bool added = ir_num_inputs(op) > 0;
  for (unsigned i = 0; i < ir_num_inputs(op) && added; i++)
    added = ir_operand(op, i)->type->rank < widest || add_leaves(ir_operand(op, i), leaves);
  return added;
}

static bool add_leaves(const ir_value *value, leaves *leaves) {
  const ir_op *op = value->op;
  if (op && body_is_pointwise(op))
    return body_is_light(op) && add_of_inputs(op, leaves);
  if (ir_is_reshape(op))
    return add_leaves(ir_operand(op, 0), leaves);
  for (unsigned i = 0; i < leaves->count; i++)
    if (leaves->all[i] == value)
      return true;
  if (leaves->count == MOST_LEAVES)
    return false;
  leaves->all[leaves->count++] = value;
  return true;
}

/* They are made, element by element, of fewer tensors than they are, not counting those of lower rank than others that
 * an op reads beside them. */
static bool share_elements(unsigned count, ir_value *const *parts) {
  leaves leaves = {.count = 0};
  for (unsigned i = 0; i < count; i++)
    if (!add_leaves(parts[i], &leaves))
      return false;
  return leaves.count < count;
}

/* ---------------------------------------------------------------------------------------------------- finding parts */

/* The slice that is inserted is one of parts of that extent along the dim, and all of the tensor along the others;
 * *number: which. */
static bool is_part(const ir_op *insert, unsigned dim, int64_t extent, int64_t *number) {
  ir_slice slice = ir_slice_of(insert);
  for (unsigned i = 0; i < slice.rank; i++)
    if (i != dim && !slice_has_dim(&slice, ir_result(insert, 0), i))
      return false;
  int64_t offset = slice.offsets[dim].constant;
  *number = offset / extent;
  return !slice.offsets[dim].value && ir_index_is_const(slice.sizes[dim], extent) && offset % extent == 0 &&
         ir_index_is_const(slice.strides[dim], 1) && ir_operand(insert, 0)->type->rank == slice.rank;
}

/* The parts along the dim that `last` is the last one inserted of; their number, or 0. */
static unsigned find_parts(const ir_op *last, unsigned dim, ir_value **parts) {
  int64_t extent = ir_operand(last, 0)->type->shape[dim], whole = ir_result(last, 0)->type->shape[dim], number;
  if (extent <= 0 || whole % extent || whole / extent < 2 || whole / extent > IR_MOST_STACKED)
    return 0;
  unsigned count = (unsigned)(whole / extent), found = 0;
  for (unsigned i = 0; i < count; i++)
    parts[i] = NULL;
  for (const ir_op *insert = last; found < count; insert = ir_made_by(ir_operand(insert, 1), OP_TENSOR_INSERT_SLICE)) {
    if (!insert || !is_part(insert, dim, extent, &number) || parts[number] ||
        (insert != last && !ir_value_has_one_use(ir_result(insert, 0))))
      return 0;
    parts[number] = ir_operand(insert, 0);
    found++;
  }
  return count;
}

/* Each is computed: what lies in memory is as well read where it is inserted. */
static bool are_made(unsigned count, ir_value *const *parts) {
  bool made = true;
  for (unsigned i = 0; i < count; i++)
    made &= parts[i]->op && body_is_pointwise(parts[i]->op);
  return made;
}

void pass_stack_parts(ir_op *op, const pass_options *options) {
  ir_value *parts[IR_MOST_STACKED];
  if (op->code != OP_TENSOR_INSERT_SLICE)
    return;
  const ir_type *type = ir_result(op, 0)->type;
  if (ir_operand(op, 0)->type->rank != type->rank || type->rank == IR_MAX_RANK)
    return;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    unsigned count = find_parts(op, dim, parts), counts[IR_MAX_RANK];
    if (!count || !are_made(count, parts) || !share_elements(count, parts))
      continue;
    for (unsigned i = 0; i < type->rank; i++)
      counts[i] = i == dim ? 2 : 1;
    ir_builder builder = ir_builder_before(op);
    ir_replace_op(op, ir_collapse(&builder, ir_stack(&builder, dim, count, parts), type, counts));
    return;
  }
}
