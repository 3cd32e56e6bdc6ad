/* torch.c - what the verifier demands of torch-mlir's scatters, scans and sorts, and what these do with NaN. */
#include "torch.h"

#include "build.h"
#include "op_hooks.h"
#include "verify_util.h"

static const ir_type *type_of_result(const ir_op *op, unsigned i) { return ir_region(op, 0)->args[0]->type; }

static bool verify_tensors(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->type->kind != IR_TYPE_TENSOR)
      return ir_op_error(op, "operand %u must be a tensor, not %s", i, type_text(op, ir_operand(op, i)->type));
  return true;
}

/* `inputs` of the operands are read; the body makes an element of two. */
static bool verify_parts(const ir_op *op, unsigned inputs, unsigned inits) {
  if (ir_num_inputs(op) != inputs || ir_num_inits(op) != inits)
    return ir_op_error(op, "takes %u input%s and %u out%s", inputs, inputs > 1 ? "s" : "", inits, inits > 1 ? "s" : "");
  if (!verify_tensors(op))
    return false;
  const ir_type *element = ir_type_scalar(op->module, ir_init(op, 0)->type->element);
  const ir_block *body = ir_region(op, 0);
  if (body->num_args != 2 || body->args[0]->type != element || body->args[1]->type != element)
    return ir_op_error(op, "needs a body with two arguments of type %s", type_text(op, element));
  return verify_body_ops(body) && verify_terminator(op, 0, 1, type_of_result);
}

/* Each dim is listed once at most. */
static bool verify_dimension_map(const ir_op *op, const ir_type *indices, const ir_type *into) {
  unsigned count;
  const int64_t *dims = ir_attr_i64s_of(op, "dimension_map", &count);
  uint32_t set;
  if (indices->rank != 2 || indices->shape[1] != count || ir_scalar_is_float(indices->element))
    return ir_op_error(op, "needs integers of type tensor<..x%ux..> as indices, not %s", count, type_text(op, indices));
  return ir_are_distinct(count, dims, into->rank, &set) ||
         ir_op_error(op, "'dimension_map' must list dims of %s, each at most once", type_text(op, into));
}

bool verify_scatter(const ir_op *op) {
  if (!verify_parts(op, 2, 1))
    return false;
  const ir_type *updates = ir_operand(op, SCATTER_UPDATES)->type, *indices = ir_operand(op, SCATTER_INDICES)->type;
  const ir_type *into = ir_operand(op, SCATTER_INTO)->type;
  if (!updates->rank || updates->rank > into->rank + 1u || updates->element != into->element)
    return ir_op_error(op, "cannot put slices of %s into %s", type_text(op, updates), type_text(op, into));
  if (!verify_dimension_map(op, indices, into))
    return false;
  if (!ir_extents_agree(updates->shape[0], indices->shape[0]))
    return ir_op_error(op, "has %lld updates, but indices for %lld", (long long)updates->shape[0],
                       (long long)indices->shape[0]);
  unsigned first = ir_scatter_first_dim(op);
  for (unsigned dim = 0; dim < into->rank; dim++) {
    int64_t size = dim < first ? 1 : updates->shape[1 + dim - first], extent = into->shape[dim];
    if (dim < first && ir_scatter_column(op, dim) < 0)
      return ir_op_error(op, "has no indices for dim %u, which the updates lack", dim);
    if (updates->shape[0] && size != IR_DYNAMIC && extent != IR_DYNAMIC && size > extent)
      return ir_op_error(op, "has updates of extent %lld along dim %u, which has extent %lld", (long long)size, dim,
                         (long long)extent);
  }
  return true;
}

/* The type has the dims of `wide` but `without` (-1: all). */
static bool has_dims(const ir_type *type, const ir_type *wide, int64_t without) {
  if (type->rank + (without >= 0) != wide->rank)
    return false;
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (!ir_extents_agree(type->shape[dim], wide->shape[dim + (without >= 0 && dim >= without)]))
      return false;
  return true;
}

bool verify_scan(const ir_op *op) {
  if (!verify_parts(op, 1, 2))
    return false;
  const ir_type *in = ir_operand(op, 0)->type, *out = ir_init(op, 0)->type, *last = ir_init(op, 1)->type;
  int64_t scanned = ir_attr_int_or(op, "dimension", -1);
  if (scanned < 0 || scanned >= in->rank)
    return ir_op_error(op, "needs a 'dimension' of %s", type_text(op, in));
  bool fits = has_dims(out, in, -1) && has_dims(last, in, scanned) && in->element == out->element &&
              last->element == out->element;
  return fits || ir_op_error(op, "scans %s, so its outs cannot be %s and %s", type_text(op, in), type_text(op, out),
                             type_text(op, last));
}

static const ir_type *type_of_answer(const ir_op *op, unsigned i) { return ir_type_scalar(op->module, IR_I1); }

bool verify_sort(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  if (ir_num_inputs(op) || !ir_num_inits(op))
    return ir_op_error(op, "takes outs, and no inputs");
  if (!verify_tensors(op))
    return false;
  const ir_type *first = ir_init(op, 0)->type;
  int64_t sorted = ir_attr_int_or(op, "dimension", -1);
  if (sorted < 0 || sorted >= first->rank)
    return ir_op_error(op, "needs a 'dimension' of %s", type_text(op, first));
  if (body->num_args != 2 * op->num_operands)
    return ir_op_error(op, "needs a body with two arguments for each out");
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *type = ir_init(op, i)->type, *element = ir_type_scalar(op->module, type->element);
    if (!has_dims(type, first, -1))
      return ir_op_error(op, "cannot sort %s and %s alike", type_text(op, first), type_text(op, type));
    if (body->args[2 * i]->type != element || body->args[2 * i + 1]->type != element)
      return ir_op_error(op, "arguments %u and %u of the body must be of type %s", 2 * i, 2 * i + 1,
                         type_text(op, element));
  }
  return verify_body_ops(body) && verify_terminator(op, 0, 1, type_of_answer);
}

/* The argument of the sort's body that a comparison reads, widened or not; -1: it reads something else, as what is
 * passed to the function. */
static int compared(const ir_op *sort, const ir_op *compare, unsigned i) {
  const ir_value *value = ir_operand(compare, i);
  while (ir_made_by(value, OP_ARITH_EXTF))
    value = ir_operand(value->op, 0);
  return value->block == ir_region(sort, 0) ? (int)value->index : -1;
}

/* What the predicate, of two different numbers, tells: the first is larger (1) or smaller (-1); 0: neither. */
static int direction_of(const ir_op *compare) {
  ir_predicate predicate = ir_predicate_of(compare);
  if (compare->code == OP_ARITH_CMPI)
    switch (ir_predicate_signed(predicate)) {
    case IR_SIGNED_GREATER:
    case IR_SIGNED_GREATER_EQUAL:
      return 1;
    case IR_SIGNED_LESS:
    case IR_SIGNED_LESS_EQUAL:
      return -1;
    default:
      return 0;
    }
  switch (predicate) {
  case IR_ORDERED_GREATER:
  case IR_ORDERED_GREATER_EQUAL:
  case IR_UNORDERED_GREATER:
  case IR_UNORDERED_GREATER_EQUAL:
    return 1;
  case IR_ORDERED_LESS:
  case IR_ORDERED_LESS_EQUAL:
  case IR_UNORDERED_LESS:
  case IR_UNORDERED_LESS_EQUAL:
    return -1;
  default:
    return 0;
  }
}

bool ir_sort_order_of(const ir_op *op, ir_sort_order *order) {
  const ir_op *compare = ir_operand(ir_region(op, 0)->last, 0)->op;
  if (!compare || (compare->code != OP_ARITH_CMPF && compare->code != OP_ARITH_CMPI))
    return false;
  int first = compared(op, compare, 0), second = compared(op, compare, 1), direction = direction_of(compare);
  if (first < 0 || second < 0 || (first ^ 1) != second || !direction)
    return false;
  order->out = (unsigned)first / 2;
  order->larger_first = (first < second) == (direction > 0);
  order->is_unsigned = compare->code == OP_ARITH_CMPI && ir_predicate_of(compare) >= IR_UNSIGNED_LESS;
  return true;
}

bool ir_sort_puts_nan_first(const ir_op *op) {
  ir_sort_order order;
  return ir_sort_order_of(op, &order) && order.larger_first;
}
