/* part_sums.c - pass "part-sums": where a factor of a product adds or subtracts the weights of two softmaxes, or
 * multiples of them, as in differential attention, each has a product of its own, and the results are added or
 * subtracted. As one product they would need whole rows of both; as two, each softmax runs along with the loop over
 * keys. Rows that a tile can hold whole stay: one product less is more than that saves.
 *
 * Terminates: each rewrite takes an addition from between the product and a softmax. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum {
  RESULT = 2,
  MOST_WHOLE_KEYS = 1024, /* differential attention in 1 head of 128 features: as fast, of 2048 1.09 (Zen 4) */
};

static const ir_op *sum_of_weights(const ir_op *maker);

/* For nobody but its reader, linear in the weights of a softmax, *source, or such a sum, NULL. */
static bool is_of_weights(const ir_value *value, const ir_op **source) {
  *source = tile_find_source(value, softmax_is);
  return ir_value_has_one_use(value) && (*source || sum_of_weights(value->op));
}

/* The op that adds or subtracts, element for element, what is linear in the weights of one softmax and of others; NULL
 * where `maker` does anything else. */
static const ir_op *sum_of_weights(const ir_op *maker) {
  if (!maker || !body_is_pointwise(maker) || ir_num_inputs(maker) != 2)
    return NULL;
  const ir_op *sum = body_combiner(maker), *sources[2];
  if (!sum || (sum->code != OP_ARITH_ADDF && sum->code != OP_ARITH_SUBF))
    return NULL;
  for (unsigned i = 0; i < 2; i++)
    if (!is_of_weights(ir_input(maker, i), &sources[i]) || !ir_map_is_permutation(ir_structure_of(maker)->maps[i]))
      return NULL;
  return sources[0] != sources[1] || !sources[0] ? sum : NULL;
}

/* The product with what factor `side` of parts->op adds up as input `i`, in 32 bits at least: what is left of two may be
 * much smaller than they are. */
static ir_op *product_of_term(const recast *parts, unsigned side, unsigned i, ir_builder *builder) {
  recast fresh = *parts;
  const ir_op *maker = parts->operands[side]->op;
  ir_value *init = parts->operands[RESULT];
  fresh.operands[side] = ir_input(maker, i);
  fresh.maps[side] = recast_read_through(maker, i, parts->maps[side]);
  if (ir_scalar_bits(init->type->element) < ir_scalar_bits(IR_F32))
    init = ir_fill_const(builder, 0, pass_empty_like(builder, init, IR_F32));
  ir_op *product = ir_generic(builder, 2, fresh.operands, 1, &init, fresh.maps, fresh.num_loops, fresh.reductions);
  body_contract(product);
  return product;
}

/* A tile has all of what the product adds up. */
static bool has_whole_rows(const ir_op *op, const target_facts *target) {
  int64_t terms = ir_loop_size(op, (unsigned)ir_last_reduction(ir_structure_of(op)));
  return terms != IR_DYNAMIC && (target_is_gpu(target) ? terms < gpu_policy.long_reduction : terms <= MOST_WHOLE_KEYS);
}

/* Returns what stands for the product then, the op itself where its factor `side` is no such sum. */
static ir_op *part(ir_op *op, unsigned side) {
  recast parts;
  const ir_op *sum = recast_begin(&parts, op) ? sum_of_weights(parts.operands[side]->op) : NULL;
  if (!sum)
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_value *products[2];
  for (unsigned operand = 0; operand < 2; operand++) {
    const ir_value *term = ir_operand(sum, operand);
    products[operand] = ir_result(part(product_of_term(&parts, side, term->index, &builder), side), 0);
  }
  ir_value *out = pass_empty_like(&builder, ir_result(op, 0), ir_result(op, 0)->type->element);
  ir_op *total = body_by_element(&builder, 2, products, out);
  ir_builder body = body_of(total);
  body_finish(&body, total, ir_binary(&body, sum->code, body_argument(total, 0), body_argument(total, 1)));
  ir_replace_op(op, ir_result(total, 0));
  return total;
}

void pass_part_sums(ir_op *op, const pass_options *options) {
  if (!ir_op_has(op, IR_STRUCTURED) || op->num_results != 1 || !ir_is_contraction(op) || !body_starts_from_zero(op) ||
      has_whole_rows(op, options->target))
    return;
  for (unsigned side = 0; side < 2; side++)
    if (ir_is_contraction(op) && ir_value_has_one_use(ir_operand(op, side)))
      op = part(op, side);
}
