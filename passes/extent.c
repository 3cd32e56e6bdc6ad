/* extent.c - extents traced to their origin; see extent.h.
 *
 * Each step goes from a value to one that is defined before it (an operand, or the initial value of a carried one), so
 * tracing ends. */
#include "passes/extent.h"

ir_value *tied_init(const ir_value *result) { return ir_init(result->op, result->index); }

unsigned slice_kept_dims(const ir_op *slice, const ir_type *type, unsigned *kept) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
  unsigned rank = ir_slice_of(slice, offsets, sizes, strides), to_drop = rank - type->rank, count = 0;
  for (unsigned i = 0; i < rank; i++) {
    /* A unit size that the smaller side does not show at this place has been dropped. */
    bool unit = ir_index_is_const(sizes[i], 1);
    if (unit && to_drop && (count >= type->rank || type->shape[count] != 1 || rank - i == to_drop))
      to_drop--;
    else
      kept[count++] = i;
  }
  return count;
}

bool slice_equal(const ir_op *a, const ir_op *b) {
  ir_index x[3][IR_MAX_RANK], y[3][IR_MAX_RANK];
  unsigned rank = ir_slice_of(a, x[0], x[1], x[2]);
  if (ir_slice_of(b, y[0], y[1], y[2]) != rank)
    return false;
  for (unsigned part = 0; part < 3; part++)
    for (unsigned i = 0; i < rank; i++)
      if (!ir_index_equal(x[part][i], y[part][i]))
        return false;
  return true;
}

/* The value that a region's argument starts from, where it is a carried one. */
static ir_value *carried_init(const ir_value *argument) {
  const ir_op *loop = argument->block->parent;
  if (loop->code == OP_SCF_FOR && argument->index > 0)
    return ir_group_operand(loop, 3, argument->index - 1);
  unsigned shared = loop->code == OP_SCF_FORALL ? ir_group_size(loop, 3) : 0;
  unsigned first = argument->block->num_args - shared;
  return argument->index >= first && shared ? ir_group_operand(loop, 3, argument->index - first) : NULL;
}

/* One step back to a value with the same extents, or NULL. */
static ir_value *same_extents(const ir_value *value) {
  if (!value->op)
    return carried_init(value);
  const ir_op *op = value->op;
  if (ir_op_has(op, IR_DPS))
    return tied_init(value);
  switch (op->code) {
  case OP_SCF_FOR:
  case OP_SCF_FORALL:
    return ir_group_operand(op, 3, value->index);
  case OP_TENSOR_INSERT_SLICE:
  case OP_TENSOR_INSERT:
    return ir_operand(op, 1);
  case OP_TENSOR_CAST:
    return ir_operand(op, 0);
  default:
    return ir_op_has(op, IR_ELEMENTWISE) ? ir_operand(op, op->num_operands - 1) : NULL;
  }
}

/* The number of the operand that gives a dynamic dim: the count of dynamic ones before it. */
static unsigned dynamic_position(const ir_type *type, unsigned dim) {
  unsigned position = 0;
  for (unsigned i = 0; i < dim; i++)
    position += type->shape[i] == IR_DYNAMIC;
  return position;
}

extent extent_of(ir_value *tensor, unsigned dim) {
  for (ir_value *value = tensor;;) {
    if (value->type->shape[dim] != IR_DYNAMIC)
      return (extent){.constant = value->type->shape[dim]};
    ir_value *next = same_extents(value);
    if (next) {
      value = next;
      continue;
    }
    const ir_op *op = value->op;
    unsigned kept[IR_MAX_RANK];
    switch (op ? op->code : IR_NUM_OPCODES) {
    case OP_TENSOR_EMPTY:
      return extent_of_index(ir_index_of(ir_operand(op, dynamic_position(value->type, dim))));
    case OP_TENSOR_EXTRACT_SLICE:
      slice_kept_dims(op, value->type, kept);
      return extent_of_index(ir_mixed(op, 2, "static_sizes", kept[dim]));
    case OP_TENSOR_EXPAND_SHAPE:
      return extent_of_index(ir_mixed(op, 1, "static_output_shape", dim));
    default:
      return (extent){.value = value, .dim = dim};
    }
  }
}

extent extent_of_index(ir_index index) {
  if (!index.value)
    return (extent){.constant = index.constant};
  const ir_op *op = index.value->op;
  if (op && op->code == OP_TENSOR_DIM) {
    ir_index dim = ir_index_of(ir_operand(op, 1));
    if (!dim.value && dim.constant >= 0 && dim.constant < ir_operand(op, 0)->type->rank)
      return extent_of(ir_operand(op, 0), (unsigned)dim.constant);
  }
  return (extent){.value = index.value};
}

bool extent_equal(extent a, extent b) {
  return a.value == b.value && a.dim == b.dim && (a.value || a.constant == b.constant);
}

ir_index extent_index(ir_builder *builder, extent x) {
  if (!x.value)
    return ir_index_const(x.constant);
  return ir_type_is_shaped(x.value->type) ? ir_dim(builder, x.value, x.dim) : (ir_index){.value = x.value};
}

int64_t extent_bound(ir_index x) {
  if (!x.value)
    return x.constant;
  const ir_op *op = x.value->op;
  if (!op || (op->code != OP_AFFINE_MIN && op->code != OP_AFFINE_APPLY))
    return INT64_MAX;
  const ir_map *map = ir_attr_get(op, "map")->map;
  if (op->code == OP_AFFINE_APPLY) {
    const ir_expr *expr = map->results[0];
    if (expr->kind != IR_EXPR_MUL || expr->lhs->kind != IR_EXPR_DIM || expr->rhs->kind != IR_EXPR_CONST ||
        expr->rhs->value <= 0)
      return INT64_MAX;
    const ir_value *inner = ir_operand(op, (unsigned)expr->lhs->value);
    int64_t bound = INT64_MAX;
    if (inner->op && inner->op->code == OP_AFFINE_MIN)
      bound = extent_bound((ir_index){.value = (ir_value *)inner});
    return bound > INT64_MAX / expr->rhs->value ? INT64_MAX : bound * expr->rhs->value;
  }
  int64_t least = INT64_MAX;
  for (unsigned i = 0; i < map->num_results; i++)
    if (map->results[i]->kind == IR_EXPR_CONST && map->results[i]->value < least)
      least = map->results[i]->value;
  return least;
}
