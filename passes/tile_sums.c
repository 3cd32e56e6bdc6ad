/* tile_sums.c - sums that run in the loop of a product: of what it has as a factor, or what becomes that, along the dims
 * that it contracts, as the norm of weights without softmax. Then these are made step by step, for both.
 *
 * Invariant: a sum is said to run there only if it can be moved to the product: neither needs what the other gives, and
 * nothing that the sum reads is made behind the product.
 * Terminates: uses are followed downwards while there is one of each value; searches upwards have MAX_STEPS. */
#include "passes/body.h"
#include "passes/tile.h"
#include "passes/vectorize.h"

enum { MAX_STEPS = 64 };

/* The op makes each element of its result, which has one use, in the place of the input's. */
static bool makes_in_place(const ir_op *op, unsigned input) {
  return ir_op_has(op, IR_STRUCTURED) && op->num_regions && input < ir_num_inputs(op) && body_is_pointwise(op) &&
         ir_map_is_identity(ir_structure_of(op)->maps[input]) && ir_map_is_identity(ir_init_map(op, 0)) &&
         ir_value_has_one_use(ir_result(op, 0));
}

/* The use of what elementwise ops make of the used value for it alone, element for element. */
static const ir_use *use_of_made(const ir_use *use) {
  while (makes_in_place(use->user, ir_use_index(use)))
    use = ir_result(use->user, 0)->uses;
  return use;
}

const ir_value *tile_made_of(const ir_value *value) {
  for (unsigned i = 0; value->op && ir_op_has(value->op, IR_STRUCTURED) && i < ir_num_inputs(value->op); i++)
    if (makes_in_place(value->op, i))
      return ir_input(value->op, i);
  return NULL;
}

/* The use by which a product has the value, or what elementwise ops make of it for that alone, as a factor; of
 * `product`, if that is not NULL. NULL: there is none. */
static const ir_use *use_as_factor(const ir_value *value, const ir_op *product) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_use *made = use_of_made(use);
    bool fits = product ? made->user == product : ir_op_has(made->user, IR_STRUCTURED) && ir_is_contraction(made->user);
    if (fits && ir_use_index(made) < 2)
      return made;
  }
  return NULL;
}

/* The value is made of what the op computes, as far as ops of its block show; true where more than `steps` would have to
 * be looked at. */
static bool is_made_of(const ir_value *value, ir_op *op, unsigned *steps) {
  ir_op *from = value->op;
  if (from == op)
    return true;
  if (!from || from->block != op->block || ir_op_is_before(from, op))
    return false;
  for (const ir_op *inner = from; inner; inner = ir_next_inside(from, inner))
    for (unsigned i = 0; i < inner->num_operands; i++)
      if (!*steps || !--*steps || is_made_of(ir_operand(inner, i), op, steps))
        return true;
  return false;
}

/* The product needs what the sum gives, or the sum, or what it adds up, something that is made behind the product. */
static bool needs_order(ir_op *product, unsigned factor, const ir_use *use, const ir_use *made) {
  unsigned steps = MAX_STEPS;
  if (ir_num_inputs(made->user) != 1 || is_made_of(ir_operand(product, 1 - factor), made->user, &steps))
    return true;
  for (; use != made; use = ir_result(use->user, 0)->uses)
    for (unsigned i = 0; i < ir_num_inputs(use->user); i++) {
      ir_op *maker = ir_input(use->user, i)->op;
      if (i != ir_use_index(use) && maker && maker->block == product->block && !ir_op_is_before(maker, product))
        return true;
    }
  return false;
}

const ir_use *tile_sum_beside(const ir_use *use, ir_op *product) {
  const ir_use *factor = use_as_factor(ir_operand(use->user, ir_use_index(use)), product), *made = use_of_made(use);
  const ir_op *op = made->user;
  unsigned input = ir_use_index(made);
  if (!factor || op->block != product->block || !ir_op_has(op, IR_STRUCTURED) || input >= ir_num_inputs(op) ||
      ir_is_contraction(op) || !vectorize_is_sum(op) || !body_starts_from_zero(op))
    return NULL;
  const ir_map *its = ir_structure_of(op)->maps[input];
  const ir_map *products = ir_structure_of(product)->maps[ir_use_index(factor)];
  for (unsigned dim = 0; dim < its->num_results; dim++) {
    int loop = ir_map_result_dim(its, dim), contracted = ir_map_result_dim(products, dim);
    if (loop < 0 || contracted < 0 ||
        ir_loop_is_reduction(ir_structure_of(op), (unsigned)loop) !=
            ir_loop_is_reduction(ir_structure_of(product), (unsigned)contracted))
      return NULL;
  }
  return needs_order(product, ir_use_index(factor), use, made) ? NULL : made;
}

ir_op *tile_product_with_sums(const ir_value *value) {
  const ir_use *factor = use_as_factor(value, NULL);
  for (const ir_use *use = value->uses; use && factor; use = use->next)
    if (use_of_made(use) != factor && !tile_sum_beside(use, factor->user))
      factor = NULL;
  return factor ? factor->user : NULL;
}
