/* raise_product.c - sums of element-wise products become contractions.
 *
 *     e[m, n, k] = x[m, k] * w[n, k];  y[m, n] = sum over k of e        (x.unsqueeze(1) * w).sum(-1), say
 *
 * is the matrix product x w^T, and nothing as large as e need be made, nor each factor be read once for each element.
 * Where both factors have all loops nothing is read twice, and the sum stays one; so does one that weighs its results,
 * by a factor without the loops that are summed over.
 * Integers that are added up in a wider type are products in that type then, which is the same where intervals tell
 * that none overflows. Floats of 16 bits are no longer rounded between product and sum.
 * Terminates: a rewrite takes one reduction that is no contraction. */
#include "passes/raise_product.h"

#include "passes/body.h"
#include "passes/narrow.h"
#include "passes/recast.h"
#include "passes/tile_policy.h"

enum { SAFE = 1 << 30 }; /* products of integers are no larger, which their type has room for */

/* The value without casts to more bits of the same numbers. */
static const ir_value *unwidened(const ir_value *value) {
  while (value->op && (ir_op_widens(value->op) || value->op->code == OP_ARITH_EXTSI))
    value = ir_operand(value->op, 0);
  return value;
}

/* The body adds its one input, maybe widened, to what is there. */
static bool adds_up(const ir_op *op) {
  const ir_value *sum = ir_yielded(op, 0), *out = body_argument(op, 1), *in = body_argument(op, 0);
  bool adds = ir_made_by(sum, OP_ARITH_ADDF) || ir_made_by(sum, OP_ARITH_ADDI);
  for (unsigned side = 0; adds && side < 2; side++)
    if (ir_operand(sum->op, side) == out && unwidened(ir_operand(sum->op, 1 - side)) == in)
      return true;
  return false;
}

/* The product of the op's two inputs, that its body makes; NULL: it does otherwise. */
static const ir_value *product_of_inputs(const ir_op *op) {
  const ir_value *product = ir_yielded(op, 0);
  if (!ir_made_by(product, OP_ARITH_MULF) && !ir_made_by(product, OP_ARITH_MULI))
    return NULL;
  const ir_value *a = unwidened(ir_operand(product->op, 0)), *b = unwidened(ir_operand(product->op, 1));
  bool both = (a == body_argument(op, 0) && b == body_argument(op, 1)) ||
              (a == body_argument(op, 1) && b == body_argument(op, 0));
  return both ? product : NULL;
}

/* Both factors have the loops that are summed over, and one lacks another one; on GPUs, whose blocks share rows out to
 * add them up, both do. */
static bool is_worth(const ir_map *lhs, const ir_map *rhs, uint32_t reductions, unsigned num_loops, bool is_gpu) {
  uint32_t all = ir_bit(num_loops) - 1, both = ir_map_dims(lhs) & ir_map_dims(rhs);
  bool is_matrix = ir_map_dims(lhs) != all && ir_map_dims(rhs) != all;
  return ir_map_is_projected_permutation(lhs) && ir_map_is_projected_permutation(rhs) && !(reductions & ~both) &&
         (is_gpu ? is_matrix : both != all);
}

static bool is_sum(const ir_op *op) {
  return ir_op_has(op, IR_STRUCTURED) && op->num_regions && op->num_results == 1 && op->num_operands == 2 &&
         ir_structure_of(op)->reductions && ir_map_is_projected_permutation(ir_init_map(op, 0)) &&
         ir_map_is_permutation(ir_structure_of(op)->maps[0]) && ir_value_has_one_use(ir_input(op, 0));
}

bool raise_product(ir_op *op, const target_facts *target) {
  recast parts;
  ir_op *maker = is_sum(op) && adds_up(op) ? ir_input(op, 0)->op : NULL;
  if (!maker || maker->block != op->block || maker->num_operands != 3 || !body_is_pointwise(maker) ||
      !recast_begin(&parts, op))
    return false;
  const ir_value *product = product_of_inputs(maker);
  ir_value *out = parts.operands[1];
  if (!product || !ir_type_is_shaped(ir_input(maker, 0)->type) || !ir_type_is_shaped(ir_input(maker, 1)->type))
    return false;
  if (!ir_scalar_is_float(product->type->element) && product->type->element != out->type->element &&
      !narrow_is_within(product, SAFE))
    return false;
  parts.maps[2] = parts.maps[1];
  parts.operands[2] = out;
  for (unsigned side = 0; side < 2; side++) {
    parts.operands[side] = ir_input(maker, side);
    parts.maps[side] = recast_read_through(maker, side, ir_structure_of(op)->maps[0]);
  }
  parts.num_ins = 2;
  if (!is_worth(parts.maps[0], parts.maps[1], parts.reductions, parts.num_loops, target_is_gpu(target)) ||
      !recast_is_valid(&parts))
    return false;
  ir_builder builder = ir_builder_before(op);
  ir_op *fresh = ir_generic(&builder, 2, parts.operands, 1, &out, parts.maps, parts.num_loops, parts.reductions);
  body_contract(fresh);
  ir_replace_op_by(op, fresh);
  return true;
}
