/* softmax.c - online softmax: creating it, and how it corrects its consumer when it is tiled over its own dimension.
 *
 * Result 0 of such a tile is relative to the sum so far, so what the contraction has accumulated from earlier tiles has
 * to be multiplied, row by row, with result 3 (old sum over new sum, both relative to the new maximum). A contraction
 * in the plain form [.., m, k] x [.., k, n] shows that as a product with a diagonal matrix, which is later executed as
 * the row scaling that it is; any other form is a row scaling from the start. */
#include "passes/softmax.h"
#include "ir/format.h"
#include "passes/body.h"
#include "passes/memory.h"
#include "passes/tile.h"

#include <string.h>

/* The consumer is a named op that computes [.., m, k] x [.., k, n]. */
static bool is_plain_product(const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *lhs = structure->maps[0], *rhs = structure->maps[1], *out = structure->maps[2];
  unsigned rank = out->num_results;
  if (!ir_op_row(op)->map || rank < 2 || lhs->num_results != rank || rhs->num_results != rank ||
      structure->num_loops != rank + 1)
    return false;
  for (unsigned i = 0; i + 2 < rank; i++)
    if (lhs->results[i] != out->results[i] || rhs->results[i] != out->results[i])
      return false;
  return lhs->results[rank - 2] == out->results[rank - 2] && rhs->results[rank - 1] == out->results[rank - 1] &&
         lhs->results[rank - 1] == rhs->results[rank - 2];
}

/* diag(scale) * init, in the consumer's own form. */
static ir_value *product_with_diagonal(const tile_rescale *rescale, ir_value *scale, ir_value *init) {
  ir_builder *builder = rescale->builder;
  const ir_op *consumer = rescale->consumer;
  tile_box scale_box;
  tile_whole(builder, scale, &scale_box);
  scale_box.sizes[scale_box.rank] = scale_box.sizes[scale_box.rank - 1];
  ir_value *square = ir_empty(builder, scale->type->element, scale_box.rank + 1, scale_box.sizes);
  ir_op *diagonal = ir_structured(builder, OP_LINALG_EXT_DIAG, 1, &scale, 1, &square, 0, NULL);
  ir_value *out = ir_fill_const(builder, 0, pass_empty_like(builder, init, init->type->element));
  ir_named_attr *attrs = IR_NEW_ARRAY(&builder->module->arena, ir_named_attr, consumer->num_attrs);
  unsigned count = 0;
  for (unsigned i = 0; i < consumer->num_attrs; i++)
    if (format_find_word(ir_op_row(consumer)->attrs, consumer->attrs[i].name, strlen(consumer->attrs[i].name), NULL,
                         NULL))
      attrs[count++] = consumer->attrs[i];
  ir_value *inputs[] = {ir_result(diagonal, 0), init};
  return ir_result(ir_structured(builder, consumer->code, 2, inputs, 1, &out, count, attrs), 0);
}

/* init * scale, element by element; a dim of the scale runs with the loop of the consumer that it belongs to. */
static ir_value *row_scaling(const tile_rescale *rescale, ir_value *scale, ir_value *init) {
  ir_builder *builder = rescale->builder;
  const ir_structure *consumer = ir_structure_of(rescale->consumer);
  const ir_map *operand = consumer->maps[rescale->operand], *out = consumer->maps[2];
  uint32_t reductions = ir_structure_of(rescale->producer)->reductions;
  unsigned rank = init->type->rank, dims[IR_MAX_RANK], count = 0;
  for (unsigned dim = 0; dim < operand->num_results; dim++)
    if (!(reductions >> dim & 1))
      dims[count++] = (unsigned)ir_map_find_dim(out, (unsigned)ir_map_result_dim(operand, dim));
  const ir_map *maps[] = {ir_map_select(builder->module, rank, count, dims), ir_map_identity(builder->module, rank)};
  return body_scale(ir_generic(builder, 1, &scale, 1, &init, maps, rank, 0));
}

void softmax_rescale(const tile_rescale *rescale) {
  ir_value *scale = ir_result(rescale->producer, SOFTMAX_SCALE), *init = ir_init(rescale->consumer, 0);
  bool plain = rescale->operand == 0 && is_plain_product(rescale->consumer);
  ir_value *scaled = plain ? product_with_diagonal(rescale, scale, init) : row_scaling(rescale, scale, init);
  ir_set_operand(rescale->consumer, ir_num_inputs(rescale->consumer), scaled);
}

bool softmax_match_diagonal(const ir_op *op, unsigned side, diagonal_product *match) {
  if (!ir_op_has(op, IR_STRUCTURED) || op->num_results != 1 || side > 1 || !ir_is_contraction(op) ||
      !ir_value_is_zero(view_root(ir_init(op, 0))))
    return false;
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *diagonal = structure->maps[side], *other = structure->maps[1 - side], *out = structure->maps[2];
  unsigned rank = diagonal->num_results;
  int first = ir_map_result_dim(diagonal, rank - 2), last = ir_map_result_dim(diagonal, rank - 1);
  int column = first >= 0 && ir_loop_is_reduction(structure, (unsigned)first) ? first : last;
  int row = column == first ? last : first;
  if (first < 0 || last < 0 || first == last || structure->reductions != ir_bit((unsigned)column))
    return false;
  /* The output's dim of each loop; the reduction only meets its own diagonal element. */
  const ir_expr *dim_of_loop[IR_MAX_LOOPS] = {0};
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int position = ir_map_find_dim(out, loop == (unsigned)column ? (unsigned)row : loop);
    if (position < 0)
      return false;
    dim_of_loop[loop] = ir_expr_dim(op->module, (unsigned)position);
  }
  diagonal = ir_map_replace(op->module, diagonal, out->num_results, dim_of_loop); /* its last two are the same now */
  *match = (diagonal_product){.scale = ir_map_get(op->module, out->num_results, 0, rank - 1, diagonal->results),
                              .other = ir_map_replace(op->module, other, out->num_results, dim_of_loop)};
  return true;
}

/* Uses that a search follows. */
enum { MAX_STEPS = 64 };

static bool reaches_softmax(const ir_value *value, unsigned *steps) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *user = use->user;
    if (!*steps || !--*steps || softmax_is(user))
      return true;
    for (unsigned i = 0; !ir_is_contraction(user) && i < user->num_results; i++)
      if (reaches_softmax(ir_result(user, i), steps))
        return true;
  }
  return false;
}

bool softmax_may_follow(const ir_value *value) {
  unsigned steps = MAX_STEPS;
  return reaches_softmax(value, &steps);
}

ir_scalar softmax_statistic(const ir_type *x) { return x->element == IR_F64 ? IR_F64 : IR_F32; }

ir_value *softmax_start(ir_builder *builder, unsigned i, ir_value *out) {
  return ir_fill_const(builder, i == SOFTMAX_MAX ? ir_scalar_lowest(out->type->element) : 0, out);
}

bool softmax_starts_empty(const ir_op *softmax) {
  ir_cell max;
  if (softmax->num_results == 1)
    return true;
  return ir_value_splat(ir_init(softmax, SOFTMAX_MAX), &max) &&
         max.f <= ir_scalar_lowest(ir_init(softmax, SOFTMAX_MAX)->type->element) &&
         ir_value_is_zero(ir_init(softmax, SOFTMAX_SUM));
}

/* sum * e^(from - to), element by element: the sum of exponentials that were relative to `from`, at the maximum
 * `to`. */
static ir_value *move_sum(ir_builder *builder, ir_value *sum, ir_value *from, ir_value *to, const ir_map *to_map) {
  unsigned rank = sum->type->rank;
  const ir_map *identity = ir_map_identity(builder->module, rank), *maps[] = {identity, identity, to_map, identity};
  ir_value *ins[] = {sum, from, to}, *out = pass_empty_like(builder, sum, sum->type->element);
  ir_op *generic = ir_generic(builder, 3, ins, 1, &out, maps, rank, 0);
  ir_value **args = ir_region(generic, 0)->args;
  ir_builder body = body_of(generic);
  ir_value *difference = ir_binary(&body, OP_ARITH_SUBF, args[1], args[2]);
  ir_value *factor = ir_unary(&body, OP_MATH_EXP, difference, difference->type);
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_MULF, args[0], factor));
}

/* All along the first dim, combined with `start`. */
static ir_value *combine_parts(ir_builder *builder, ir_opcode code, ir_value *parts, ir_value *start,
                               const ir_map *rows) {
  const ir_map *maps[] = {ir_map_identity(builder->module, rows->num_dims), rows};
  ir_op *reduce = ir_generic(builder, 1, &parts, 1, &start, maps, rows->num_dims, 1);
  ir_value **args = ir_region(reduce, 0)->args;
  ir_builder body = body_of(reduce);
  return body_finish(&body, reduce, ir_binary(&body, code, args[1], args[0]));
}

ir_value *softmax_merge(ir_builder *builder, ir_value *const *parts, ir_value **states) {
  ir_value *old_max = states[SOFTMAX_MAX], *max_parts = parts[SOFTMAX_MAX];
  unsigned rank = max_parts->type->rank;
  const ir_map *all = ir_map_identity(builder->module, rank), *same = ir_map_identity(builder->module, rank - 1);
  const ir_map *rows = ir_map_without(builder->module, rank, 1, &(int64_t){0}), *maps[] = {all, rows, all};
  ir_value *max = combine_parts(builder, OP_ARITH_MAXIMUMF, max_parts, old_max, rows);
  ir_value *sums = move_sum(builder, parts[SOFTMAX_SUM], max_parts, max, rows);
  ir_value *before = move_sum(builder, states[SOFTMAX_SUM], old_max, max, same);
  ir_value *sum = combine_parts(builder, OP_ARITH_ADDF, sums, before, rows);
  states[SOFTMAX_MAX] = max;
  states[SOFTMAX_SUM] = sum;
  ir_value *ins[] = {sums, sum}, *out = pass_empty_like(builder, sums, sums->type->element);
  ir_op *generic = ir_generic(builder, 2, ins, 1, &out, maps, rank, 0);
  ir_value **args = ir_region(generic, 0)->args;
  ir_builder body = body_of(generic);
  return body_finish(&body, generic, body_quotient(&body, args[0], args[1], false));
}

ir_op *softmax_create(ir_builder *builder, ir_value *x, ir_value *out, unsigned dim, ir_value *sink) {
  ir_module *module = builder->module;
  ir_scalar statistic = softmax_statistic(x->type);
  ir_index sizes[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned i = 0; i < x->type->rank; i++)
    if (i != dim)
      sizes[rank++] = pass_dim(builder, x, i);
  ir_value *outs[4] = {out};
  for (unsigned i = 1; i < 4; i++)
    outs[i] = ir_empty(builder, statistic, rank, sizes);
  outs[1] = sink ? sink : softmax_start(builder, SOFTMAX_MAX, outs[1]);
  outs[2] = sink ? ir_fill_const(builder, 1, outs[2]) : softmax_start(builder, SOFTMAX_SUM, outs[2]);
  ir_named_attr dimension = {"dimension", ir_attr_i64(module, dim)};
  return ir_structured(builder, OP_LINALG_EXT_SOFTMAX, 1, &x, 4, outs, 1, &dimension);
}

ir_op *softmax_make_online(ir_op *softmax) {
  ir_builder builder = ir_builder_before(softmax);
  unsigned dim = (unsigned)ir_attr_int_or(softmax, "dimension", 0);
  ir_op *online = softmax_create(&builder, ir_input(softmax, 0), ir_init(softmax, 0), dim, NULL);
  ir_replace_op(softmax, ir_result(online, 0));
  return online;
}
