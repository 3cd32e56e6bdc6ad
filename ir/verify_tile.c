/* verify_tile.c - checks of the ops on tiles of x86's matrix unit. Tiles are static, so shapes must agree exactly. */
#include "verify_util.h"

/* The value's type is a tile that a register can hold. */
static bool verify_tile(const ir_op *op, const ir_value *value, const char *what) {
  const ir_type *type = value->type;
  if (!verify_kind(op, value, IR_TYPE_TILE, what))
    return false;
  return ir_tile_fits(type->element, type->shape[0], type->shape[1]) ||
         ir_op_error(op, "%s must have 1 to 16 rows of f32 or bf16, of 4 to 64 bytes in whole words, not be %s", what,
                     type_text(op, type));
}

/* Rows of a tile lie along the last dim of the memref, which is contiguous, one behind the other in the dim before. */
static bool verify_access(const ir_op *op, const ir_value *tile, const char *what) {
  const ir_type *base = ir_operand(op, 0)->type;
  if (!verify_tile(op, tile, what))
    return false;
  if (base->kind != IR_TYPE_MEMREF || base->rank < 2 || base->element != tile->type->element)
    return ir_op_error(op, "cannot move %s as rows of %s", type_text(op, tile->type), type_text(op, base));
  if (ir_type_stride(base, base->rank - 1u) != 1)
    return ir_op_error(op, "the innermost dim of %s must be contiguous", type_text(op, base));
  return verify_subscripts(op, 1, base, "index");
}

bool verify_tile_zero(const ir_op *op) { return verify_tile(op, ir_result(op, 0), "the result"); }
bool verify_tile_load(const ir_op *op) { return verify_access(op, ir_result(op, 0), "the result"); }
bool verify_tile_store(const ir_op *op) { return verify_access(op, ir_group_operand(op, 2, 0), "the value"); }

bool verify_tile_mulf(const ir_op *op) {
  static const char *const names[] = {"the left factor", "the right factor", "the sum"};
  for (unsigned i = 0; i < 3; i++)
    if (!verify_tile(op, ir_operand(op, i), names[i]))
      return false;
  const ir_type *lhs = ir_operand(op, 0)->type, *rhs = ir_operand(op, 1)->type, *acc = ir_operand(op, 2)->type;
  if (lhs->element != IR_BF16 || rhs->element != IR_BF16 || acc->element != IR_F32)
    return ir_op_error(op, "adds products of bf16 to f32, not of %s and %s to %s", ir_scalar_name(lhs->element),
                       ir_scalar_name(rhs->element), ir_scalar_name(acc->element));
  bool fits =
      acc->shape[0] == lhs->shape[0] && lhs->shape[1] == 2 * rhs->shape[0] && rhs->shape[1] == 2 * acc->shape[1];
  return fits || ir_op_error(op,
                             "multiplies m x k by k/2 x 2n, in pairs of terms, to m x n, not %lld x %lld by %lld x "
                             "%lld to %lld x %lld",
                             (long long)lhs->shape[0], (long long)lhs->shape[1], (long long)rhs->shape[0],
                             (long long)rhs->shape[1], (long long)acc->shape[0], (long long)acc->shape[1]);
}
