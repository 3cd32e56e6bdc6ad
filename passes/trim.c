/* trim.c - pass "trim": loops with a running softmax leave out the iterations in which every score is hidden.
 *
 * A score is hidden where its expression is -infinity because a comparison of indices says so: select(k <= q, x, -inf),
 * however it is spelled and whatever else is computed. Where such a comparison, affine in the indices, fails for all
 * elements of a tile, the tile changes nothing: the weights are 0, maximum and sum stay, and so does what is
 * accumulated with them. The iterations for which that can be shown lie at the ends of the loop; its bounds
 * become minima and maxima of affine expressions. Weights that are 0 by the mask are taken to hide NaN and infinity in
 * scores, values and factors, too.
 *
 * Invariants
 *  - A loop is touched only if an iteration without visible score gives back each carried value (running_argument).
 *  - Bounds are about boxes: extents of tiles are replaced by their upper bounds, which can only trim less.
 * Terminates: one walk over the loops; traces follow use-def chains up to MAX_DEPTH. */
#include "ir/build.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/mask.h"
#include "passes/passes.h"
#include "passes/running.h"

enum { MAX_DEPTH = 32 };

static bool is_neutral_without_scores(ir_op *loop) {
  ir_block *body = ir_region(loop, 0);
  for (unsigned i = 0; i < loop->num_results; i++)
    if (running_argument(loop, ir_operand(ir_block_terminator(body), i)) != body->args[i + 1])
      return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- bounds */

/* A loop whose bounds are being trimmed. */
typedef struct trimmer {
  ir_builder builder; /* before the loop */
  mask_window window;
} trimmer;

/* Adds the least that the iterations of the op's loop, 0 to its extent - 1, add to the sum. */
static bool add_least(int64_t *sum, ir_op *op, unsigned loop, int64_t step) {
  unsigned operand, dim;
  int64_t least;
  if (step >= 0)
    return true;
  if (!ir_loop_extent(op, loop, &operand, &dim))
    return false;
  int64_t bound = extent_bound(extent_of(ir_operand(op, operand), dim));
  return bound > 0 && bound != INT64_MAX && !__builtin_mul_overflow(step, bound - 1, &least) &&
         !__builtin_add_overflow(*sum, least, sum);
}

/* Keeps the iterations in which the least value that the bound's left side has in a tile allows it to hold. */
static void keep_below(trimmer *t, mask_bound bound) {
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    if (!add_least(&bound.constant, bound.op, loop, bound.steps[loop]))
      return;
  mask_narrow(&t->builder, &t->window, &bound);
}

/* Scores are visible only where the condition is `wanted`. */
static void keep_where(trimmer *t, ir_op *op, const ir_value *condition, bool wanted) {
  mask mask = {.count = 0};
  mask_add(&mask, op, condition, wanted);
  for (unsigned i = 0; i < mask.count; i++)
    keep_below(t, mask.bounds[i]);
}

static bool is_positive(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && cell.f > 0;
}

static bool is_elementwise_tile(const ir_op *op, const ir_block *block) {
  return op->block == block && ir_op_has(op, IR_STRUCTURED) && op->num_regions && !ir_structure_of(op)->reductions;
}

static ir_value *yielded(const ir_op *op, unsigned result) {
  return ir_operand(ir_block_terminator(ir_region(op, 0)), result);
}

/* Keeps the iterations in which the value, computed by the body of `op`, is not -infinity in the whole tile. */
static void keep_visible(trimmer *t, ir_op *op, ir_value *value, unsigned depth) {
  const ir_block *body = ir_region(op, 0);
  if (depth == MAX_DEPTH)
    return;
  if (!value->op && value->block == body) {
    const ir_value *input = ir_operand(op, value->index);
    ir_op *producer = input->op;
    if (producer && value->index < ir_num_inputs(op) && is_elementwise_tile(producer, op->block))
      keep_visible(t, producer, yielded(producer, input->index), depth + 1);
    return;
  }
  const ir_op *from = value->op;
  switch (from ? from->code : IR_NUM_OPCODES) {
  case OP_ARITH_SELECT:
    for (unsigned i = 1; i <= 2; i++)
      if (mask_is_hidden(ir_operand(from, 3 - i))) {
        keep_where(t, op, ir_operand(from, 0), i == 1);
        keep_visible(t, op, ir_operand(from, i), depth + 1);
      }
    return;
  case OP_ARITH_ADDF:
    keep_visible(t, op, ir_operand(from, 1), depth + 1); /* fall through */
  case OP_ARITH_SUBF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    keep_visible(t, op, ir_operand(from, 0), depth + 1);
    return;
  case OP_ARITH_MULF:
    for (unsigned i = 0; i < 2; i++)
      if (is_positive(ir_operand(from, 1 - i)))
        keep_visible(t, op, ir_operand(from, i), depth + 1);
    return;
  default:
    return;
  }
}

/* ------------------------------------------------------------------------------------------------------------- pass */

static void trim_loop(ir_op *loop) {
  ir_op *softmax = running_softmax(loop);
  ir_index step = ir_index_of(ir_operand(loop, 2));
  if (!softmax || step.value || !is_neutral_without_scores(loop))
    return;
  ir_value *scores = running_moved_from(ir_operand(softmax, 0));
  ir_op *op = scores->op;
  if (!op || !is_elementwise_tile(op, softmax->block))
    return;
  trimmer t = {.builder = ir_builder_before(loop),
               .window = {.counter = ir_region(loop, 0)->args[0],
                          .lower = ir_index_of(ir_operand(loop, 0)),
                          .upper = ir_index_of(ir_operand(loop, 1)),
                          .step = step.constant}};
  keep_visible(&t, op, yielded(op, scores->index), 0);
  ir_set_operand(loop, 0, ir_index_value(&t.builder, t.window.lower));
  ir_set_operand(loop, 1, ir_index_value(&t.builder, t.window.upper));
}

static bool visit(ir_op *op, void *data) {
  (void)data;
  if (op->code == OP_SCF_FOR)
    trim_loop(op);
  return true;
}

bool pass_trim(ir_module *module, const pass_options *options) {
  (void)options;
  return ir_walk(ir_region(module->root, 0), visit, NULL);
}
