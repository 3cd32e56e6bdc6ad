/* numerators.c - products with exponentials that nobody divides by their sum, as parts of attention hand them on.
 *
 * Where e is e^(x - c), and c the maximum of a row of x or made of it, all scores of the row would have to be kept
 * until it is known. But
 *
 *     e V = (softmax(x) V) * sum of e
 *
 * and a softmax runs along with the loop over keys. The sum is made of its statistics (statistics.c); where c is the
 * maximum, neither the quotients nor the product with the sum are left in the end (decompose.c).
 *
 * Invariant: who reads e is a product with it, which is rewritten, or its sum, for which the statistics stand; so
 * nobody needs e after that.
 * Terminates: loops over dims, uses, and uses of those that only round. */
#include "passes/body.h"
#include "passes/expression.h"
#include "passes/extent.h"
#include "passes/softmax.h"

typedef struct numerators {
  expression_space *space;
  ir_op *op;                             /* gives e, or e rounded */
  const expression *element, *x, *shift; /* e = e^(x - shift) */
  unsigned dim;                          /* of the op's result: along rows */
} numerators;

/* The op gives e^(x - shift), maybe rounded, where the shift needs all elements of x along the dim. One row alone is
 * left as it is: no tiles of rows could take it in. */
static bool match_exponential(ir_op *op, expression_space *space, numerators *n) {
  if (!body_is_elementwise(op) || op->num_results != 1 || !ir_map_is_identity(ir_init_map(op, 0)))
    return false;
  ir_value *yielded = ir_yielded(op, 0);
  if (yielded->op && yielded->op->block == ir_region(op, 0) && yielded->op->code != OP_ARITH_TRUNCF &&
      yielded->op->code != OP_MATH_EXP)
    return false;
  expression_begin(space, op);
  const expression *node = expression_of_scalar(space, yielded);
  if (node && expression_is_op(node, OP_ARITH_TRUNCF))
    node = node->arguments[0];
  if (!node || !expression_is_op(node, OP_MATH_EXP) || !expression_is_op(node->arguments[0], OP_ARITH_SUBF))
    return false;
  *n = (numerators){space, op, node, node->arguments[0]->arguments[0], node->arguments[0]->arguments[1], 0};
  for (; space->num_loops > 1 && n->dim < space->num_loops; n->dim++)
    if (expression_depends(n->x, (int)n->dim) && !expression_depends(n->shift, (int)n->dim) &&
        expression_reduces(space, n->shift, (int)n->dim))
      return n->x->type->element == softmax_statistic(n->x->type);
  return false;
}

/* A product with rows of e as that operand, summed up along the dim. The sums are not rounded. */
static bool is_product(const numerators *n, const ir_op *user, unsigned operand) {
  if (!ir_is_contraction(user) || operand > 1 || ir_operand(user, 0) == ir_operand(user, 1) ||
      !body_starts_from_zero(user) || ir_result(user, 0)->type->element != n->x->type->element)
    return false;
  const ir_structure *structure = ir_structure_of(user);
  const ir_map *map = structure->maps[operand];
  for (unsigned i = 0; i < map->num_results; i++) {
    unsigned loop = (unsigned)ir_map_result_dim(map, i);
    if (i == n->dim ? structure->reductions != ir_bit(loop) : ir_map_find_dim(structure->maps[2], loop) < 0)
      return false;
  }
  return true;
}

static bool is_sum(const numerators *n, ir_op *user) {
  if (!ir_op_has(user, IR_STRUCTURED) || user->num_results != 1 || !user->num_regions ||
      ir_result(user, 0)->type->rank + 1 != (int)n->space->num_loops)
    return false;
  const expression *node = expression_of_element(n->space, ir_result(user, 0), (int)n->dim);
  return node && node->kind == EXPRESSION_REDUCE && node->code == OP_ARITH_ADDF && node->arguments[0] == n->element;
}

/* The program has the sum of e as well: it is a part of a softmax that it computes. */
static bool has_sum(const numerators *n) {
  for (ir_op *op = n->op->block->first; op; op = op->next)
    if (ir_op_has(op, IR_STRUCTURED) && ir_structure_of(op)->reductions && is_sum(n, op))
      return true;
  return false;
}

/* The products among those who read the value, which is e, or e rounded. False where anybody else reads it but its
 * sum. */
static bool count_products(const numerators *n, const ir_value *value, unsigned *count) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    bool product = is_product(n, use->user, ir_use_index(use)), direct = value->op == n->op;
    *count += product;
    if (product || use->user->code == OP_TENSOR_DIM || (direct && is_sum(n, use->user)))
      continue;
    if (!direct || !body_is_cast(use->user) || !count_products(n, ir_result(use->user, 0), count))
      return false;
  }
  return true;
}

/* The result of the product is multiplied by the sums of its rows. */
static void scale_result(const numerators *n, ir_op *product, unsigned operand, ir_value *sum) {
  const ir_structure *structure = ir_structure_of(product);
  const ir_map *map = structure->maps[operand];
  ir_value *result = ir_result(product, 0);
  ir_builder builder = ir_builder_after(product);
  unsigned rows[IR_MAX_RANK], count = 0, rank = result->type->rank;
  for (unsigned i = 0; i < map->num_results; i++)
    if (i != n->dim)
      rows[count++] = (unsigned)ir_map_find_dim(structure->maps[2], (unsigned)ir_map_result_dim(map, i));
  const ir_map *identity = ir_map_identity(builder.module, rank);
  const ir_map *maps[] = {ir_map_select(builder.module, rank, count, rows), identity, identity};
  ir_value *out = pass_empty_like(&builder, result, result->type->element), *ins[] = {sum, result};
  ir_op *generic = ir_generic(&builder, 2, ins, 1, &out, maps, rank, 0);
  ir_value *scaled = body_scale(generic);
  for (ir_use *use = result->uses, *next; use; use = next) {
    next = use->next;
    if (use->user != generic && use->user->code != OP_TENSOR_DIM)
      ir_set_operand(use->user, ir_use_index(use), scaled);
  }
}

/* Products with `value` become products with `weights`, times the sums. */
static void rewrite_products(const numerators *n, ir_value *value, ir_value *weights, ir_value *sum) {
  for (ir_use *use = value->uses, *next; use; use = next) {
    ir_op *user = use->user;
    unsigned operand = ir_use_index(use);
    next = use->next;
    if (is_product(n, user, operand)) {
      ir_set_operand(user, operand, weights);
      scale_result(n, user, operand, sum);
    } else if (value->op == n->op && body_is_cast(user)) {
      ir_set_operand(user, operand, weights);
      rewrite_products(n, ir_result(user, 0), ir_result(user, 0), sum);
    }
  }
}

bool softmax_raise_numerators(ir_op *op, expression_space *space) {
  numerators n;
  unsigned count = 0;
  if (!match_exponential(op, space, &n) || !count_products(&n, ir_result(op, 0), &count) || !count || !has_sum(&n))
    return false;
  ir_builder builder = ir_builder_before(op);
  ir_value *x = expression_materialize(space, &builder, n.x, -1);
  if (!x)
    return false;
  ir_value *out = expression_empty(space, &builder, ir_result(op, 0)->type->element);
  ir_op *softmax = softmax_create(&builder, x, out, n.dim, NULL);
  ir_value *sum = softmax_shifted_sum(softmax, space, n.x, n.shift, &builder);
  if (sum)
    rewrite_products(&n, ir_result(op, 0), ir_result(softmax, 0), sum);
  return sum != NULL;
}
