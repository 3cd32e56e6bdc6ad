/* factor.c - pass "move-factors": scalar factors leave the keys of attention.
 *
 * Exporters split the scale 1 / sqrt(d) into a root for the queries and a root for the keys. Each tile of queries needs
 * all keys, so scaled keys are computed beforehand, by a kernel of their own, and stored; as products are linear, the
 * factor can go to the queries, of which each tile scales its own. Keys are the factor of a product that has the dim
 * along which a softmax of that product runs.
 * Terminates: each rewrite takes the op that scales from between the product and a value above it. */
#include "passes/recast.h"
#include "passes/body.h"
#include "passes/passes.h"

/* The one op that uses the value, or NULL. */
static ir_op *only_user(const ir_value *value) { return value->uses && !value->uses->next ? value->uses->user : NULL; }

/* The dim of the op's result along which a softmax runs, with only elementwise ops between; -1 if there is none. */
static int softmax_dim(const ir_op *op) {
  for (const ir_op *user = only_user(ir_result(op, 0)); user; user = only_user(ir_result(user, 0))) {
    if (user->code == OP_LINALG_EXT_SOFTMAX || user->code == OP_LINALG_SOFTMAX)
      return (int)ir_attr_int_or(user, "dimension", 0);
    if (!ir_op_has(user, IR_STRUCTURED) || user->num_results != 1 || ir_structure_of(user)->reductions)
      return -1;
    const ir_structure *structure = ir_structure_of(user);
    for (unsigned i = 0; i < user->num_operands; i++)
      if ((ir_operand(user, i) == ir_result(op, 0) || i == ir_num_inputs(user)) &&
          !ir_map_is_identity(structure->maps[i]))
        return -1;
    op = user;
  }
  return -1;
}

/* The product in the body of an op that multiplies each element of its one tensor with a scalar from outside; or
 * NULL. */
static ir_op *scaling_of(const ir_op *op) {
  if (!op || !ir_op_has(op, IR_STRUCTURED) || op->num_results != 1 || !op->num_regions || ir_num_inputs(op) != 1 ||
      ir_structure_of(op)->reductions || !ir_map_is_projected_permutation(ir_structure_of(op)->maps[1]))
    return NULL;
  const ir_block *body = ir_region(op, 0);
  ir_op *product = ir_operand(body->last, 0)->op;
  if (!product || product->block != body || (product->code != OP_ARITH_MULF && product->code != OP_ARITH_DIVF))
    return NULL;
  for (unsigned side = 0; side < 2; side++)
    if (ir_operand(product, side) == body->args[0] && ir_value_is_outside(ir_operand(product, 1 - side), body) &&
        (side == 0 || product->code == OP_ARITH_MULF))
      return product;
  return NULL;
}

/* The tensor with each element scaled as the op `scaling` does it by `product`. */
static ir_value *scale(ir_builder *builder, ir_value *value, const ir_op *scaling, const ir_op *product) {
  unsigned rank = value->type->rank;
  ir_value *out = pass_empty_like(builder, value, value->type->element);
  const ir_map *identity = ir_map_identity(builder->module, rank), *maps[] = {identity, identity};
  ir_op *generic = ir_generic(builder, 1, &value, 1, &out, maps, rank, 0);
  ir_builder body = body_of(generic);
  ir_value_map *map = ir_value_map_create(builder->module);
  ir_value_map_set(map, ir_region(scaling, 0)->args[0], body_argument(generic, 0));
  return body_finish(&body, generic, ir_result(ir_op_clone(&body, product, map), 0));
}

static void unscale_keys(ir_op *contraction, const pass_options *options) {
  recast parts;
  int dim = softmax_dim(contraction);
  if (dim < 0 || !recast_begin(&parts, contraction))
    return;
  int loop = ir_map_result_dim(parts.maps[2], (unsigned)dim);
  unsigned keys = ir_map_find_dim(parts.maps[1], (unsigned)loop) >= 0;
  if (ir_map_find_dim(parts.maps[1 - keys], (unsigned)loop) >= 0)
    return;
  ir_op *scaling = parts.operands[keys]->op;
  const ir_op *product = scaling_of(scaling);
  if (!product || parts.operands[1 - keys]->type->element != parts.operands[keys]->type->element)
    return;
  const ir_map *map = recast_read_through(scaling, 0, parts.maps[keys]);
  if (!ir_map_is_projected_permutation(map))
    return;
  ir_builder builder = ir_builder_before(contraction);
  parts.operands[keys] = ir_operand(scaling, 0);
  parts.maps[keys] = map;
  if (!recast_is_valid(&parts))
    return;
  if (options->explain)
    ir_remark(contraction->module, product->loc, "recognised: the scale of the keys can go to the queries");
  parts.operands[1 - keys] = scale(&builder, parts.operands[1 - keys], scaling, product);
  recast_replace(contraction, recast_create(&parts, &builder, NULL));
}

static void move_factors_in(ir_block *block, const void *options) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (ir_is_contraction(op) && op->num_results == 1)
      unscale_keys(op, options);
  }
}

bool pass_move_factors(ir_module *module, const pass_options *options) {
  pass_visit_unscheduled(module, move_factors_in, options);
  return true;
}
