/* interp_tile.c - tiles of x86's matrix unit in the interpreter: values like vectors of two dims. Loops run over the
 * rows and columns of static shapes. */
#include "interp_internal.h"

#include <string.h>

bool eval_tile_zero(ir_interp *interp, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  interp_value zero;
  return interp_splat(interp, op, type->element, type->rank, type->shape, (ir_cell){.f = 0}, &zero) &&
         interp_give(interp, op, &zero);
}

/* What a tile of `type` covers of the op's memref, as a view that holds no reference; false after a reported error. */
static bool covered(ir_interp *interp, const ir_op *op, const ir_type *type, interp_value *view) {
  const interp_value *base = interp_operand(interp, op, 0);
  unsigned outer = base->rank - type->rank;
  *view = *base;
  view->rank = type->rank;
  for (unsigned dim = 0; dim < base->rank; dim++) {
    int64_t at = interp_operand(interp, op, 1 + dim)->cell.i, count = dim < outer ? 1 : type->shape[dim - outer];
    if (at < 0 || at > base->shape[dim] - count)
      return ir_op_error(op, "subscript %lld is out of bounds: dim %u has extent %lld, the tile %lld", (long long)at,
                         dim, (long long)base->shape[dim], (long long)count);
    view->offset += at * base->strides[dim];
  }
  memcpy(view->shape, type->shape, type->rank * sizeof *view->shape);
  memcpy(view->strides, base->strides + outer, type->rank * sizeof *view->strides);
  return true;
}

bool eval_tile_load(ir_interp *interp, const ir_op *op) {
  interp_value source, tile;
  return interp_check_read(op, interp_operand(interp, op, 0)) && covered(interp, op, ir_result(op, 0)->type, &source) &&
         interp_allocate_result(interp, op, &tile) && interp_copy(interp, op, &tile, &source) &&
         interp_give(interp, op, &tile);
}

bool eval_tile_store(ir_interp *interp, const ir_op *op) {
  const ir_value *tile = ir_group_operand(op, 2, 0);
  interp_value target;
  return interp_check_write(op, interp_operand(interp, op, 0)) && covered(interp, op, tile->type, &target) &&
         interp_copy(interp, op, &target, interp_get(interp, tile));
}

/* acc[m][n] + lhs[m][2 p + i] rhs[p][2 n + i]: loops m, n, p and i. */
bool eval_tile_mulf(ir_interp *interp, const ir_op *op) {
  interp_value *lhs = interp_operand(interp, op, 0), *rhs = interp_operand(interp, op, 1);
  interp_value acc = interp_take(interp, op, 2);
  if (!interp_make_writable(interp, op, &acc))
    return false;
  const interp_value *values[] = {lhs, rhs, &acc};
  const int64_t extents[] = {acc.shape[0], acc.shape[1], rhs->shape[0], 2};
  /* What a step of each loop is in steps of the operand's dims: rows, columns. */
  static const unsigned char steps[3][4][2] = {
      {{1, 0}, {0, 0}, {0, 2}, {0, 1}}, {{0, 0}, {0, 2}, {1, 0}, {0, 1}}, {{1, 0}, {0, 1}, {0, 0}, {0, 0}}};
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, 4, extents, 3);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned loop = 0; loop < 4; loop++)
      nest.strides[i][loop] = steps[i][loop][0] * values[i]->strides[0] + steps[i][loop][1] * values[i]->strides[1];
  interp_contract(interp, &nest, interp_cells(lhs), interp_cells(rhs), interp_cells(&acc), acc.element);
  ir_arena_rewind(&interp->scratch, mark);
  return interp_give(interp, op, &acc);
}
