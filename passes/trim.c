/* trim.c - pass "trim": loops with a running softmax leave out the iterations in which every score is hidden, and loops
 * that add up products with weights those in which all of these are 0 by a mask, as in gradients of attention.
 *
 * A score is hidden where its expression is -infinity because a comparison of indices says so: select(k <= q, x, -inf),
 * however it is spelled and whatever else is computed (known.h). Where such a comparison, affine in indices and in
 * quotients of them, fails for all elements of a tile, the tile changes nothing: the weights are 0, maximum and sum
 * stay, and so does what is accumulated with them. The iterations for which that can be shown lie at the ends of the
 * loop; its bounds become minima and maxima of affine expressions. Where one of two comparisons is enough, as for keys
 * of a prefix or before the query, what lies between the iterations of one and of the other stays. A side of a
 * comparison that comes from memory, a length of each batch for one, is read before the loop if it is the same for all
 * elements of the tile and all steps; where it differs between rows, as positions of queries may, hosts take the
 * largest or the least of the tile's before the loop.
 *
 * Invariants
 *  - A loop is touched only if an iteration without visible score gives back each carried value (running_argument).
 *  - Bounds are about boxes: extents of tiles are replaced by their upper bounds, which can only trim less.
 * Terminates: one walk over the loops; traces follow use-def chains for MAX_STEPS. */
#include "passes/body.h"
#include "passes/known.h"
#include "passes/mask.h"
#include "passes/passes.h"
#include "passes/running.h"
#include "passes/vectorize.h"

#include <math.h>

enum { MAX_STEPS = 1024 };

/* `sums`, one for each result: what running_argument gives; NULL in a loop with a softmax. */
static bool is_neutral_without_scores(ir_op *loop, ir_op **sums) {
  for (unsigned i = 0; i < loop->num_results; i++) {
    ir_op **sum = sums ? &sums[i] : NULL;
    if (sum)
      *sum = NULL;
    if (running_argument(loop, ir_yielded(loop, i), sum) != ir_region(loop, 0)->args[i + 1] || (sum && !*sum))
      return false;
  }
  return loop->num_results > 0;
}

/* A loop whose bounds are being trimmed. */
typedef struct trimmer {
  ir_op *loop;
  bool reduces;       /* what differs between rows may be compared before it */
  ir_builder builder; /* before the loop */
  mask_window window;
  unsigned steps; /* that are left for tracing */
} trimmer;

/* ---------------------------------------------------------------------------------------------------------- lengths */

/* The input of the op that the value is an element of, the same one for all of its iterations; -1 if there is none. */
static int single_element(const ir_op *op, const ir_value *value) {
  if (value->op || value->block != ir_region(op, 0) || value->index >= ir_num_inputs(op) ||
      ir_operand(op, value->index)->type->kind != IR_TYPE_TENSOR)
    return -1;
  const ir_map *map = ir_structure_of(op)->maps[value->index];
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int loop = ir_map_result_dim(map, dim);
    if ((map->results[dim]->kind != IR_EXPR_CONST || map->results[dim]->value) &&
        (loop < 0 || ir_loop_size(op, (unsigned)loop) != 1))
      return -1;
  }
  return (int)value->index;
}

/* The first element of the tensor, before the loop; NULL where it is computed, or differs between steps. */
static ir_value *read_first(trimmer *t, ir_value *tensor) {
  ir_slice part = {.rank = 0};
  const ir_block *body = ir_region(t->loop, 0);
  if (ir_made_by(tensor, OP_TENSOR_EXTRACT_SLICE)) {
    part = ir_slice_of(tensor->op);
    tensor = ir_operand(tensor->op, 0);
  }
  ir_value *operands[1 + IR_MAX_RANK] = {tensor};
  bool same = ir_value_is_outside(tensor, body);
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    same &= !part.offsets[dim].value || ir_value_is_outside(part.offsets[dim].value, body);
  for (unsigned dim = 0; same && dim < tensor->type->rank; dim++)
    operands[1 + dim] = ir_index_value(&t->builder, part.offsets[dim]);
  const ir_type *type = ir_type_scalar(t->loop->module, tensor->type->element);
  return same ? ir_create(&t->builder, OP_TENSOR_EXTRACT, type, 1 + tensor->type->rank, operands, 0, NULL) : NULL;
}

/* The value, computed by the body of `op`, before the loop; NULL where it differs between elements or steps, and where
 * computing it too often could fail. `reads`: whether it needs an element of a tensor. */
static ir_value *before_loop(trimmer *t, const ir_op *op, ir_value *value, bool *reads) {
  ir_op *from = value->op;
  int input = single_element(op, value);
  if (ir_value_is_outside(value, ir_region(t->loop, 0)))
    return value;
  if (input >= 0) {
    *reads = true;
    return read_first(t, ir_operand(op, (unsigned)input));
  }
  if (!from || from->block != ir_region(op, 0) || !t->steps || !--t->steps)
    return NULL;
  if (from->code == OP_LINALG_INDEX)
    return ir_loop_size(op, (unsigned)ir_attr_int_or(from, "dim", 0)) == 1 ? ir_const_index(&t->builder, 0) : NULL;
  if (!ir_op_has(from, IR_SPECULATABLE) || from->num_regions)
    return NULL;
  ir_value_map *map = ir_value_map_create(op->module);
  for (unsigned i = 0; i < from->num_operands; i++) {
    ir_value *operand = before_loop(t, op, ir_operand(from, i), reads);
    if (!operand)
      return NULL;
    ir_value_map_set(map, ir_operand(from, i), operand);
  }
  return ir_result(ir_op_clone(&t->builder, from, map), 0);
}

/* Comparisons that the condition is made of compare with what is computed before the loop, where that is read. */
static void read_lengths(trimmer *t, ir_op *op, const ir_value *condition) {
  ir_op *from = condition->op;
  if (!from || from->block != ir_region(op, 0) || !t->steps || !--t->steps)
    return;
  for (unsigned i = 0; i < from->num_operands && from->code != OP_ARITH_CMPI; i++)
    read_lengths(t, op, ir_operand(from, i));
  for (unsigned i = 0; i < from->num_operands && from->code == OP_ARITH_CMPI; i++) {
    bool reads = false;
    ir_value *side = before_loop(t, op, ir_operand(from, i), &reads);
    if (side && reads)
      ir_set_operand(from, i, side);
  }
}

/* -------------------------------------------------------------------------------------------------------- positions */

/* The largest, or least, integer of the tensor, before the loop. */
static ir_value *extreme_of(trimmer *t, ir_value *tensor, bool largest) {
  ir_module *module = t->loop->module;
  const ir_type *type = ir_type_scalar(module, tensor->type->element);
  unsigned rank = tensor->type->rank, bits = ir_scalar_bits(tensor->type->element);
  int64_t most = INT64_MAX >> (64 - bits);
  ir_value *start = ir_splat(&t->builder, type, (ir_cell){.i = largest ? -most - 1 : most});
  ir_value *out = ir_fill(&t->builder, start, ir_empty(&t->builder, type->element, 0, NULL));
  const ir_map *maps[] = {ir_map_identity(module, rank), ir_map_get(module, rank, 0, 0, NULL)};
  ir_op *reduction = ir_generic(&t->builder, 1, &tensor, 1, &out, maps, rank, (1u << rank) - 1);
  ir_builder body = body_of(reduction);
  ir_opcode code = largest ? OP_ARITH_MAXSI : OP_ARITH_MINSI;
  body_finish(&body, reduction, ir_binary(&body, code, body_argument(reduction, 1), body_argument(reduction, 0)));
  ir_value *result = ir_result(reduction, 0);
  return ir_create(&t->builder, OP_TENSOR_EXTRACT, type, 1, &result, 0, NULL);
}

/* The value is an integer of each row, from memory that is there before the loop, through conversions that keep it: its
 * largest, or least, in the tile, before the loop. NULL where it is something else. */
static ir_value *extreme_of_rows(trimmer *t, const ir_op *op, ir_value *value, bool largest) {
  ir_op *from = value->op;
  if (!from) {
    const ir_value *input =
        value->block == ir_region(op, 0) && value->index < ir_num_inputs(op) ? ir_operand(op, value->index) : NULL;
    bool fits = input && input->type->kind == IR_TYPE_TENSOR && !ir_scalar_is_float(input->type->element) &&
                ir_value_is_outside(input, ir_region(t->loop, 0)) &&
                ir_map_is_projected_permutation(ir_structure_of(op)->maps[value->index]);
    return fits ? extreme_of(t, ir_operand(op, value->index), largest) : NULL;
  }
  bool keeps = from->block == ir_region(op, 0) && (from->code == OP_ARITH_INDEX_CAST || from->code == OP_ARITH_EXTSI) &&
               ir_scalar_bits(ir_operand(from, 0)->type->element) <= ir_scalar_bits(value->type->element);
  ir_value *extreme = keeps ? extreme_of_rows(t, op, ir_operand(from, 0), largest) : NULL;
  return extreme ? ir_unary(&t->builder, from->code, extreme, value->type) : NULL;
}

/* A comparison that holds wherever this one is `wanted` in some row, with what the tile's rows have at most or at least
 * in its place; NULL where that is not needed, or not known. To be erased. */
static ir_op *compare_extreme(trimmer *t, const ir_op *op, ir_op *compare, bool wanted) {
  ir_predicate predicate = ir_predicate_of(compare);
  if (!t->reduces || compare->code != OP_ARITH_CMPI || predicate <= IR_NOT_EQUAL || predicate >= IR_UNSIGNED_LESS)
    return NULL;
  for (unsigned i = 0; i < 2; i++) {
    bool largest = ((predicate < IR_SIGNED_GREATER) == wanted) == (i == 1);
    ir_value *extreme = extreme_of_rows(t, op, ir_operand(compare, i), largest);
    if (!extreme)
      continue;
    ir_builder builder = ir_builder_before(compare);
    ir_op *clone = ir_op_clone(&builder, compare, ir_value_map_create(op->module));
    ir_set_operand(clone, i, extreme);
    return clone;
  }
  return NULL;
}

/* ----------------------------------------------------------------------------------------------------------- bounds */

static void keep_where(trimmer *t, ir_op *op, const ir_value *condition, bool wanted);

/* Of two bounds that `bound` was drawn in to, what covers both. */
static ir_index cover(trimmer *t, ir_index bound, ir_index a, ir_index b, bool is_upper) {
  if (ir_index_equal(a, bound) || ir_index_equal(b, bound))
    return bound;
  return is_upper ? ir_index_max(&t->builder, a, b) : ir_index_min(&t->builder, a, b);
}

/* The window, and `first`, to which `all` was drawn in as well: between what is kept for one and for the other, all is
 * kept. */
static void keep_both(trimmer *t, const mask_window *all, const mask_window *first) {
  t->window.lower = cover(t, all->lower, first->lower, t->window.lower, false);
  t->window.upper = cover(t, all->upper, first->upper, t->window.upper, true);
}

/* Scores are visible where either operand is `wanted`. */
static void keep_either(trimmer *t, ir_op *op, const ir_op *either, bool wanted) {
  mask_window all = t->window;
  keep_where(t, op, ir_operand(either, 0), wanted);
  mask_window first = t->window;
  t->window = all;
  keep_where(t, op, ir_operand(either, 1), wanted);
  keep_both(t, &all, &first);
}

/* The same of a condition that is made of no others. */
static void keep_compared(trimmer *t, ir_op *op, const ir_value *condition, bool wanted) {
  mask mask = {.takes_near = true};
  ir_op *extreme = compare_extreme(t, op, condition->op, wanted);
  mask_add(&mask, op, extreme ? ir_result(extreme, 0) : condition, wanted);
  if (extreme)
    ir_op_erase(extreme);
  for (unsigned i = 0; i < mask.count; i++)
    mask_keep_below(&t->builder, &t->window, mask.bounds[i]);
}

/* Scores are visible only where the condition is `wanted`. */
static void keep_where(trimmer *t, ir_op *op, const ir_value *condition, bool wanted) {
  const ir_op *from = condition->op;
  if (!from || !t->steps || !--t->steps)
    return;
  switch (mask_join_of(from, &wanted)) {
  case MASK_EITHER:
    keep_either(t, op, from, wanted);
    break;
  case MASK_BOTH:
    keep_where(t, op, ir_operand(from, 0), wanted);
    keep_where(t, op, ir_operand(from, 1), wanted);
    break;
  case MASK_FIRST:
    keep_where(t, op, ir_operand(from, 0), wanted);
    break;
  case MASK_ALONE:
    keep_compared(t, op, condition, wanted);
  }
}

/* The value is, in the body of the elementwise op that *op becomes, the one that an argument of the body of *op reads;
 * the value itself where it is none; NULL where there is no such op. */
static ir_value *read_through(ir_op **op, ir_value *value) {
  if (value->op || value->block != ir_region(*op, 0))
    return value;
  const ir_value *input =
      value->index < ir_num_inputs(*op) ? running_made_beside(*op, ir_operand(*op, value->index)) : NULL;
  if (!input)
    return NULL;
  *op = input->op;
  return ir_yielded(input->op, input->index);
}

/* Of two bounds that `bound` was drawn in to, the narrower. */
static ir_index meet(trimmer *t, ir_index bound, ir_index a, ir_index b, bool is_upper) {
  if (ir_index_equal(a, bound))
    return b;
  if (ir_index_equal(b, bound))
    return a;
  return is_upper ? ir_index_min(&t->builder, a, b) : ir_index_max(&t->builder, a, b);
}

/* Of the window and `first`, to which `all` was drawn in as well, what both keep. */
static void keep_common(trimmer *t, const mask_window *all, const mask_window *first) {
  t->window.lower = meet(t, all->lower, first->lower, t->window.lower, false);
  t->window.upper = meet(t, all->upper, first->upper, t->window.upper, true);
}

static known keep_shown(trimmer *t, ir_op *op, ir_value *value);

/* The same of what an op computes that chooses nothing by comparing indices. */
static known keep_made(trimmer *t, ir_op *op, const ir_op *from) {
  mask_window all = t->window, drawn = all, windows[KNOWN_MAX_OPERANDS];
  known operands[KNOWN_MAX_OPERANDS];
  uint32_t needed;
  bool for_all, is_first = true;
  for (unsigned i = 0; i < from->num_operands; i++) {
    t->window = all;
    operands[i] = keep_shown(t, op, ir_operand(from, i));
    windows[i] = t->window;
  }
  known result = known_result(from, operands, &needed, &for_all);
  for (unsigned i = 0; i < from->num_operands && result.kind == KNOWN_HIDDEN; i++) {
    if (!(needed >> i & 1))
      continue;
    t->window = windows[i];
    if (!is_first && for_all)
      keep_both(t, &all, &drawn);
    else if (!is_first)
      keep_common(t, &all, &drawn);
    drawn = t->window;
    is_first = false;
  }
  t->window = drawn;
  return result;
}

/* Draws the window in to iterations in which the value, computed by the body of `op`, may be something else in the tile
 * than what is returned, if that is hidden somewhere. Of what nothing is known, it is taken not to be -infinity. */
static known keep_shown(trimmer *t, ir_op *op, ir_value *value) {
  static const known above = {.kind = KNOWN_ABOVE};
  mask_window all = t->window;
  known_choice choice;
  known known = known_constant(value);
  if (known.kind == KNOWN_ALWAYS)
    return known;
  if (!t->steps || !--t->steps || !(value = read_through(&op, value)))
    return above;
  const ir_op *from = value->op;
  if (!from || !from->num_operands || from->num_operands > KNOWN_MAX_OPERANDS)
    return above;
  if (known_choice_of(from, &choice)) {
    read_lengths(t, op, choice.condition);
    if (choice.shown)
      known = keep_shown(t, op, ir_operand(from, choice.shown));
    if (!known_is(known, choice.hidden))
      t->window = all;
    keep_where(t, op, choice.condition, choice.shown_if);
    known.kind = KNOWN_HIDDEN;
    known.value.f = choice.hidden;
    if (!ir_index_equal(t->window.lower, all.lower) || !ir_index_equal(t->window.upper, all.upper))
      return known;
  }
  known = keep_made(t, op, from);
  return known.kind == KNOWN_NOTHING ? above : known;
}

/* Keeps the iterations in which what the body of the op computes may be something else than `number` in the tile. */
static void keep_other(trimmer *t, ir_op *op, ir_value *value, double number) {
  mask_window all = t->window;
  if (!known_is(keep_shown(t, op, value), number))
    t->window = all;
}

/* ------------------------------------------------------------------------------------------------------------- pass */

/* Of a loop with a softmax: the iterations with visible scores. */
static void keep_softmax(trimmer *t, ir_op *softmax) {
  ir_value *scores = running_made_beside(softmax, ir_operand(softmax, 0));
  if (scores)
    keep_other(t, scores->op, ir_yielded(scores->op, scores->index), -INFINITY);
}

/* Of a loop without one: those in which a term adds something to a result. */
static void keep_terms(trimmer *t, ir_op *const *sums) {
  mask_window all = t->window;
  for (unsigned i = 0; i < t->loop->num_results; i++) {
    mask_window others = t->window;
    t->window = all;
    keep_other(t, sums[i], vectorize_term(sums[i], 0), 0);
    if (i)
      keep_both(t, &all, &others);
  }
}

static void trim_loop(ir_op *loop, const target_facts *target) {
  ir_op *softmax = running_softmax(loop);
  ir_bounds bounds = ir_bounds_of(loop, 0);
  ir_op **sums = softmax ? NULL : IR_NEW_ARRAY(&loop->module->arena, ir_op *, loop->num_results);
  if (bounds.step.value || !is_neutral_without_scores(loop, sums))
    return;
  ir_attr_set(loop, PASS_NEUTRAL, ir_attr_unit(loop->module));
  trimmer t = {.loop = loop,
               .reduces = target->kind == TARGET_HOST,
               .builder = ir_builder_before(loop),
               .window = {ir_region(loop, 0)->args[0], bounds.lower, bounds.upper, bounds.step.constant},
               .steps = MAX_STEPS};
  if (softmax)
    keep_softmax(&t, softmax);
  else
    keep_terms(&t, sums);
  ir_set_operand(loop, 0, ir_index_value(&t.builder, t.window.lower));
  ir_set_operand(loop, 1, ir_index_value(&t.builder, t.window.upper));
}

static bool visit(ir_op *op, void *data) {
  if (op->code == OP_SCF_FOR)
    trim_loop(op, ((const pass_options *)data)->target);
  return true;
}

bool pass_trim(ir_module *module, const pass_options *options) {
  return ir_walk(ir_region(module->root, 0), visit, (void *)options);
}
