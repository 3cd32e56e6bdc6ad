/* hide_lowest.c - pass "hide-lowest": scores that a mask gives the lowest number are hidden, as those that it gives
 * -infinity are.
 *
 * Programs write masks with finfo.min: select(k <= q, score, -3.4e38), or that added to the score. Where a row sees any
 * key, the weights of such scores are 0, as its maximum is far above them. So -infinity means the same there, and tiles
 * where nothing is visible can be left out, on any target. Where a row may see none, all its scores count alike, and
 * its weights are those of a mean: nothing is done then. That each row sees a key is shown with one key: the first, the
 * last, or that at the row's own place, for which the comparison fails to hide anything in any row.
 *
 * Invariant: weights stay, but in rows all of whose visible scores are infinite or as low as the mask's number.
 * Terminates: one walk over a body for each softmax, and over conditions; both have MAX_STEPS. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/mask.h"
#include "passes/passes.h"
#include "passes/softmax.h"

#include <math.h>

enum { MAX_STEPS = 64 };

/* Scores are far above that, and weights next to them are 0. */
static double lowest_of(ir_scalar element) { return ir_scalar_bits(element) > 32 ? -1e300 : -1e30; }

/* A key for each row: that at `offset`, or so far behind the iteration of the loop over rows. */
typedef struct candidate {
  int row; /* -1: the same key for all rows */
  int64_t offset;
} candidate;

typedef struct hider {
  ir_op *op;     /* computes the scores */
  unsigned keys; /* the loop over them */
  unsigned steps;
} hider;

static bool is_lowest(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && ir_scalar_is_float(value->type->element) &&
         cell.f <= lowest_of(value->type->element) && cell.f > -INFINITY;
}

/* The bound holds for no row at its key. */
static bool fails(const hider *h, mask_bound bound, candidate key) {
  int64_t step = bound.steps[h->keys], constant;
  if (bound.count || bound.num_quotients || __builtin_mul_overflow(step, key.offset, &constant) ||
      __builtin_add_overflow(bound.constant, constant, &bound.constant) ||
      (key.row >= 0 && __builtin_add_overflow(bound.steps[key.row], step, &bound.steps[key.row])))
    return false;
  bound.steps[h->keys] = 0;
  return mask_settle(&bound, 1) && bound.constant > 0;
}

/* The condition is `wanted` for each row at its key. */
static bool holds(hider *h, const ir_value *condition, bool wanted, candidate key) {
  const ir_op *from = condition->op;
  mask mask = {.count = 0};
  if (!from || !h->steps || !--h->steps)
    return false;
  mask_join join = mask_join_of(from, &wanted);
  if (join == MASK_FIRST)
    return holds(h, ir_operand(from, 0), wanted, key);
  if (join == MASK_BOTH)
    return holds(h, ir_operand(from, 0), wanted, key) && holds(h, ir_operand(from, 1), wanted, key);
  if (join == MASK_EITHER)
    return holds(h, ir_operand(from, 0), wanted, key) || holds(h, ir_operand(from, 1), wanted, key);
  mask_add(&mask, h->op, condition, !wanted);
  for (unsigned i = 0; i < mask.count; i++)
    if (fails(h, mask.bounds[i], key))
      return true;
  return false;
}

/* Each row has a key for which the condition is `wanted`. */
static bool holds_in_all_rows(hider *h, const ir_value *condition, bool wanted) {
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(h->op, extents);
  int64_t keys = extents[h->keys];
  if (keys == 0)
    return false;
  if (holds(h, condition, wanted, (candidate){-1, 0}) ||
      (keys != IR_DYNAMIC && holds(h, condition, wanted, (candidate){-1, keys - 1})))
    return true;
  for (unsigned row = 0; row < ir_structure_of(h->op)->num_loops; row++) {
    bool same = extent_equal(extent_of_loop(h->op, row), extent_of_loop(h->op, h->keys));
    bool known = keys != IR_DYNAMIC && extents[row] != IR_DYNAMIC && extents[row] < keys;
    int64_t offset = known ? keys - extents[row] : 0;
    if (row != h->keys && (same || known) && holds(h, condition, wanted, (candidate){(int)row, offset}))
      return true;
  }
  return false;
}

/* Hides what the value, a score that the body computes, is made of. */
static void hide(hider *h, const ir_value *value) {
  ir_op *from = value->op;
  if (!from || from->block != ir_region(h->op, 0) || !h->steps || !--h->steps)
    return;
  switch (from->code) {
  case OP_ARITH_SELECT:
    for (unsigned i = 1; i <= 2; i++)
      if (is_lowest(ir_operand(from, 3 - i)) && holds_in_all_rows(h, ir_operand(from, 0), i == 1)) {
        ir_builder builder = ir_builder_before(from);
        ir_value *hidden = ir_splat(&builder, ir_operand(from, 3 - i)->type, (ir_cell){.f = -INFINITY});
        ir_set_operand(from, 3 - i, hidden);
      }
    return;
  case OP_ARITH_ADDF:
    hide(h, ir_operand(from, 1)); /* fall through */
  case OP_ARITH_SUBF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    hide(h, ir_operand(from, 0));
    return;
  case OP_ARITH_MULF:
    for (unsigned i = 0; i < 2; i++)
      if (mask_keeps_hidden(ir_operand(from, 1 - i)))
        hide(h, ir_operand(from, i));
    return;
  default:
    return;
  }
}

void pass_hide_lowest(ir_op *op, const pass_options *options) {
  if (!softmax_is(op))
    return;
  const ir_value *scores = ir_operand(op, 0);
  ir_op *maker = scores->op;
  if (!maker || !body_is_elementwise(maker) || !maker->num_regions || maker->num_results != 1 ||
      !ir_value_has_one_use(scores))
    return;
  const ir_map *out = ir_init_map(maker, scores->index);
  int keys = ir_map_result_dim(out, (unsigned)ir_attr_int_or(op, "dimension", 0));
  hider h = {.op = maker, .keys = (unsigned)keys, .steps = MAX_STEPS};
  if (keys >= 0)
    hide(&h, ir_yielded(maker, scores->index));
}
