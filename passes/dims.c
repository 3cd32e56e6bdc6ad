/* dims.c - where the extent of a dim comes from.
 *
 * An extent is traced from a result to the operand that decides it, through structured ops (the first operand that shares
 * the loop), slices, reshapes, casts and loops, up to a constant, an SSA index or the dim of a value that nothing
 * explains: mostly a function argument. So equal extents become equal values.
 * Terminates: each step leads from a value to an operand of its definition or from a region argument to an operand of the
 * op around it; only collapsed dims branch, and each branch has a lower rank. */
#include "ir/build.h"
#include "passes/passes.h"

/* Dim `dim` of a slice's result among the dims of its source: dims of extent 1 may have been dropped. */
static unsigned slice_source_dim(const ir_op *op, unsigned rank, const ir_index *sizes, unsigned dim) {
  const ir_type *type = ir_result(op, 0)->type;
  unsigned at = 0;
  for (unsigned i = 0; i < rank; i++) {
    int64_t size = sizes[i].value ? IR_DYNAMIC : sizes[i].constant;
    if (at >= type->rank || (type->shape[at] != size && type->shape[at] != IR_DYNAMIC))
      continue;
    if (at == dim)
      return i;
    at++;
  }
  return dim;
}

/* The value whose shape the result `value` of an op has by construction, or NULL. */
static ir_value *shape_operand(const ir_value *value) {
  const ir_op *op = value->op;
  switch (op->code) {
  case OP_TENSOR_INSERT_SLICE:
  case OP_TENSOR_INSERT:
  case OP_VECTOR_TRANSFER_WRITE: return ir_operand(op, 1);
  case OP_TENSOR_CAST:
  case OP_MEMREF_CAST: return ir_operand(op, 0);
  case OP_SCF_FORALL: return ir_group_operand(op, 3, value->index);
  default: break;
  }
  if (ir_op_has(op, IR_DPS))
    return ir_init(op, value->index);
  return ir_op_has(op, IR_ELEMENTWISE | IR_SAME_TYPE) ? ir_operand(op, 0) : NULL;
}

/* Each iteration of the loop passes on carried value `i` with the shape that it got. */
static bool keeps_shape(const ir_op *loop, unsigned i) {
  const ir_value *arg = ir_region(loop, 0)->args[i + 1], *value = ir_operand(ir_region(loop, 0)->last, i);
  while (value && value != arg) {
    if (!value->op) {
      const ir_op *parent = value->block->parent;
      unsigned first = ir_region(parent, 0)->num_args - parent->num_results;
      bool out = parent->code == OP_SCF_FORALL && value->index >= first;
      value = out ? ir_group_operand(parent, 3, value->index - first) : NULL;
    } else if (value->op->code == OP_SCF_FOR) {
      value = keeps_shape(value->op, value->index) ? ir_group_operand(value->op, 3, value->index) : NULL;
    } else {
      value = shape_operand(value);
    }
  }
  return value != NULL;
}

/* A region argument's or loop result's counterpart before the loop, or NULL. */
static ir_value *before_loop(const ir_value *value) {
  const ir_op *loop = value->op ? value->op : value->block->parent;
  if (loop->code != OP_SCF_FOR && loop->code != OP_SCF_FORALL)
    return NULL;
  unsigned inductions = ir_region(loop, 0)->num_args - loop->num_results;
  if (!value->op && value->index < inductions)
    return NULL;
  unsigned position = value->op ? value->index : value->index - inductions;
  return loop->code == OP_SCF_FORALL || keeps_shape(loop, position) ? ir_group_operand(loop, 3, position) : NULL;
}

/* The dims that were collapsed into dim `dim`, multiplied. */
static ir_index collapsed_extent(ir_builder *builder, const ir_op *op, unsigned dim) {
  const ir_attr *group = ir_attr_get(op, "reassociation")->elements[dim];
  ir_index product = ir_index_const(1);
  for (unsigned i = 0; i < group->count; i++)
    product = ir_index_mul(builder, product, pass_dim(builder, ir_operand(op, 0), (unsigned)group->elements[i]->value));
  return product;
}

static ir_index padded_extent(ir_builder *builder, const ir_op *op, unsigned dim) {
  ir_index extent = pass_dim(builder, ir_operand(op, 0), dim);
  extent = ir_index_add(builder, extent, ir_mixed(op, 1, "static_low", dim));
  return ir_index_add(builder, extent, ir_mixed(op, 2, "static_high", dim));
}

/* One step back from dim *dim of *value: true if there is a value to go on with, false if the search ends, with the
 * extent in *extent where the op tells it (extent->value NULL and constant IR_DYNAMIC: it does not). */
static bool step(ir_builder *builder, ir_value **value, unsigned *dim, ir_index *extent) {
  const ir_op *op = (*value)->op;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
  *extent = ir_index_const(IR_DYNAMIC);
  ir_value *before = !op || ir_op_has(op, IR_CONTROL) ? before_loop(*value) : NULL;
  if (before)
    *value = before;
  if (!op || before)
    return before != NULL;
  unsigned dynamic = 0;
  switch (op->code) {
  case OP_TENSOR_EMPTY:
  case OP_MEMREF_ALLOC:
  case OP_MEMREF_ALLOCA:
    for (unsigned i = 0; i < *dim; i++)
      dynamic += (*value)->type->shape[i] == IR_DYNAMIC;
    *extent = ir_index_of(ir_operand(op, dynamic));
    return false;
  case OP_TENSOR_EXTRACT_SLICE:
  case OP_MEMREF_SUBVIEW: {
    unsigned rank = ir_slice_of(op, offsets, sizes, strides);
    *extent = sizes[slice_source_dim(op, rank, sizes, *dim)];
    return false;
  }
  case OP_TENSOR_EXPAND_SHAPE:
  case OP_MEMREF_EXPAND_SHAPE: *extent = ir_mixed(op, 1, "static_output_shape", *dim); return false;
  case OP_TENSOR_COLLAPSE_SHAPE:
  case OP_MEMREF_COLLAPSE_SHAPE: *extent = collapsed_extent(builder, op, *dim); return false;
  case OP_TENSOR_PAD: *extent = padded_extent(builder, op, *dim); return false;
  default: break;
  }
  int loop = ir_op_has(op, IR_DPS | IR_STRUCTURED)
                 ? ir_map_result_dim(ir_structure_of(op)->maps[ir_num_inputs(op) + (*value)->index], *dim)
                 : -1;
  unsigned operand;
  *value = loop >= 0 && ir_loop_extent(op, (unsigned)loop, &operand, dim) ? ir_operand(op, operand)
                                                                         : shape_operand(*value);
  return *value != NULL;
}

bool pass_trace_dim(ir_builder *builder, ir_value **value, unsigned *dim, ir_index *extent) {
  for (;;) {
    *extent = ir_index_const((*value)->type->shape[*dim]);
    if (extent->constant != IR_DYNAMIC)
      return true;
    ir_value *next = *value;
    unsigned next_dim = *dim;
    if (!step(builder, &next, &next_dim, extent))
      return extent->value || extent->constant != IR_DYNAMIC;
    *value = next;
    *dim = next_dim;
  }
}

ir_index pass_dim(ir_builder *builder, ir_value *value, unsigned dim) {
  ir_index extent;
  return pass_trace_dim(builder, &value, &dim, &extent) ? extent : ir_dim(builder, value, dim);
}
