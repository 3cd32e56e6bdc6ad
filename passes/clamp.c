/* clamp.c - subscripts and slices that nothing shows to lie within their tensor, or memory, are moved to its nearest
 * place.
 *
 *     x[i]                        becomes   x[max(0, min(i, extent - 1))]
 *     x[i, .., i + size - 1]      becomes   the same slice from max(0, min(i, extent - size))
 *
 * Subscripts that come from memory, as the number of a token or of a page, can be anything; MLIR leaves undefined what
 * happens then. Here nothing else is touched than the tensor that is named. Nothing is added where ranges show that the
 * subscript is within, where it counts a loop that is as long as the dim, and where a call is refused otherwise: the
 * pass "shapes", which runs this on each function, says so in the op's mark.
 *
 * Invariant: subscripts within their tensors stay the same.
 * Terminates: one walk over the ops; what is added is not looked at. */
#include "passes/clamp.h"

#include "passes/extent.h"

/* The op before which extents of what the op reads are known to be: that around the bodies that it is in. */
static ir_op *outside_of_bodies(ir_op *op) {
  ir_op *parent = ir_op_parent(op);
  while (ir_op_has(parent, IR_STRUCTURED) || parent->code == OP_TENSOR_GENERATE || parent->code == OP_SCF_IN_PARALLEL) {
    op = parent;
    parent = ir_op_parent(op);
  }
  return op;
}

/* The value counts a loop, of a structured op, scf.for or scf.forall, which starts at 0 or above: its end. */
static bool find_end(const ir_value *value, extent *end) {
  const ir_op *index = ir_made_by(value, OP_LINALG_INDEX);
  ir_bounds bounds;
  if (ir_induction(value, &bounds)) {
    *end = extent_of_index(bounds.upper);
    return ir_index_least(bounds.lower) >= 0;
  }
  if (!index || !ir_op_has(ir_op_parent(index), IR_STRUCTURED))
    return false;
  *end = extent_of_loop(ir_op_parent(index), (unsigned)ir_attr_int_or(index, "dim", 0));
  return true;
}

/* So many elements from the index on end within an extent: they are one for each iteration of a loop that ends there,
 * or what a step of that loop has left. */
static bool ends_within(ir_index from, ir_index count, extent whole) {
  int64_t last, most = ir_index_most(from), most_count = ir_index_most(count);
  if (!whole.value)
    return most != INT64_MAX && most_count != INT64_MAX && !__builtin_add_overflow(most, most_count, &last) &&
           last <= whole.constant;
  extent end;
  if (!from.value || !find_end(from.value, &end))
    return false;
  if (ir_index_is_const(count, 1))
    return extent_equal(end, whole);
  const ir_op *size = count.value ? count.value->op : NULL;
  ir_bounds loop;
  bool is_step = size && ir_induction(from.value, &loop) && !loop.step.value;
  const ir_expr *room = is_step ? extent_room(size, from.value, loop.step.constant) : NULL;
  if (!room || room->kind != IR_EXPR_DIM)
    return false;
  return extent_equal(extent_of_index(ir_index_of(ir_operand(size, (unsigned)room->value))), whole);
}

bool clamp_is_within(ir_value *from, ir_index count, ir_value *tensor, unsigned dim) {
  ir_index start = ir_index_of(from);
  return ir_index_least(start) >= 0 && ends_within(start, count, extent_of(tensor, dim));
}

static ir_value *clamp(ir_builder *builder, ir_value *from, ir_index last) {
  ir_index start = ir_index_of(from);
  ir_value *result = from;
  if (last.value || ir_index_most(start) > last.constant)
    result = ir_binary(builder, OP_ARITH_MINSI, result, ir_index_value(builder, last));
  if (ir_index_least(start) < 0 || ir_index_least(last) < 0)
    result = ir_binary(builder, OP_ARITH_MAXSI, result, ir_const_index(builder, 0));
  return result;
}

/* Operand `at` of the op is where `count` elements, `stride` apart, begin in the tensor's dim. */
static void clamp_operand(ir_op *op, unsigned at, ir_value *tensor, unsigned dim, ir_index count, int64_t stride) {
  ir_builder outside = ir_builder_before(outside_of_bodies(op));
  ir_builder inside = op->code == OP_TENSOR_PARALLEL_INSERT_SLICE ? outside : ir_builder_before(op);
  ir_index reach = ir_index_add(&outside, ir_index_scale(&outside, count, stride), ir_index_const(1 - stride));
  ir_index last = ir_index_sub(&outside, pass_dim(&outside, tensor, dim), reach);
  ir_set_operand(op, at, clamp(&inside, ir_operand(op, at), last));
}

static void clamp_slice(ir_op *op, unsigned inserts) {
  ir_slice slice = ir_slice_of(op);
  ir_value *whole = ir_operand(op, inserts);
  const int64_t *offsets = ir_attr_i64s_of(op, "static_offsets", &slice.rank);
  unsigned at = ir_group_start(op, 1 + inserts);
  for (unsigned dim = 0; dim < slice.rank; dim++) {
    ir_index count = slice.sizes[dim], stride = slice.strides[dim];
    if (offsets[dim] != IR_DYNAMIC)
      continue;
    if (!(op->mark & ir_bit(dim)) && !stride.value && stride.constant > 0 &&
        !(stride.constant == 1 && clamp_is_within(ir_operand(op, at), count, whole, dim)))
      clamp_operand(op, at, whole, dim, count, stride.constant);
    at++;
  }
}

static bool clamp_op(ir_op *op, void *data) {
  bool inserts = op->code == OP_TENSOR_INSERT || op->code == OP_MEMREF_STORE;
  switch (op->code) {
  case OP_TENSOR_EXTRACT_SLICE:
  case OP_MEMREF_SUBVIEW:
    clamp_slice(op, 0);
    break;
  case OP_TENSOR_INSERT_SLICE:
  case OP_TENSOR_PARALLEL_INSERT_SLICE:
    clamp_slice(op, 1);
    break;
  case OP_TENSOR_EXTRACT:
  case OP_TENSOR_INSERT:
  case OP_MEMREF_LOAD:
  case OP_MEMREF_STORE:
    for (unsigned dim = 0, at = inserts + 1; at < op->num_operands; dim++, at++)
      if (!(op->mark & ir_bit(dim)) &&
          !clamp_is_within(ir_operand(op, at), ir_index_const(1), ir_operand(op, inserts), dim))
        clamp_operand(op, at, ir_operand(op, inserts), dim, ir_index_const(1), 1);
    break;
  default:
    break;
  }
  return true;
}

void clamp_subscripts(ir_op *function) { ir_walk(ir_region(function, 0), clamp_op, NULL); }
