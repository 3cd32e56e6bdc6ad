/* hide_lowest.c - pass "hide-lowest": scores that a mask gives the lowest number are hidden, as those that it gives
 * -infinity are.
 *
 * Programs write masks with finfo.min: select(k <= q, score, -3.4e38), in f16 -65504, or that added to the score. Where
 * a row sees any key, the weights of such scores are 0, as its maximum is far above them. So -infinity means the same
 * there, and tiles where nothing is visible can be left out, on any target. Where a row may see none, all its scores
 * count alike, and its weights are those of a mean: nothing is done then. That each row sees a key is shown with one
 * key, the first, the last, or that at the row's own place, which none of all masks on the way hides in any row: these
 * are comparisons of indices, and nothing else on the way can give what is as low, as a second mask from memory could.
 *
 * Invariant: weights stay, but in rows all of whose visible scores are infinite or as low as the mask's number.
 * Terminates: walks over bodies, and over conditions, of at most MAX_STEPS for each softmax. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/mask.h"
#include "passes/passes.h"
#include "passes/softmax.h"

#include <math.h>

enum { MAX_STEPS = 1024, MAX_ELEMENTS = 1 << 16 /* of a constant that is read from */ };

/* Constants beside the lowest number are far above it, as scores are; beside that of f16, they are less. */
enum { MODERATE = 1 << 30, MODERATE_HALF = 1 << 14 };

/* A key for each row: that at `offset`, or so far behind the iteration of the loop over rows. */
typedef struct candidate {
  int row; /* -1: the same key for all rows */
  int64_t offset;
} candidate;

typedef struct hider {
  ir_op *op;     /* computes the scores */
  unsigned keys; /* the loop over them */
  bool half;     /* the lowest number of f16 hides, too */
  unsigned steps;
} hider;

/* Scores are far above that, and weights next to them are 0. */
static double lowest_of(const hider *h, ir_scalar element) {
  return element == IR_F16 && h->half ? -65504 : ir_scalar_bits(element) > 32 ? -1e300 : -1e30;
}

static double moderate(const hider *h) { return h->half ? MODERATE_HALF : MODERATE; }

/* The value is a constant by which a mask hides scores, if they are scaled by so much behind it. */
static bool is_low(const hider *h, const ir_value *value, double scale) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && ir_scalar_is_float(value->type->element) &&
         cell.f * scale <= lowest_of(h, value->type->element);
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

static bool is_moderate(hider *h, const ir_value *value);

/* No number of the tensor is as low: a constant, or what an op makes of such by itself, as tables are (tabulate.c). */
static bool has_moderate_elements(hider *h, const ir_value *tensor) {
  const ir_attr *constant;
  if (ir_value_constant(tensor, &constant)) {
    bool moderates = ir_scalar_is_float(tensor->type->element) && constant->count <= MAX_ELEMENTS;
    for (unsigned i = 0; moderates && i < constant->count; i++)
      moderates = fabs(ir_attr_element(constant, i).f) < moderate(h);
    return moderates;
  }
  const ir_op *maker = tensor->op;
  if (!maker || !body_is_pointwise(maker))
    return false;
  hider of_maker = {.op = (ir_op *)maker, .half = h->half, .steps = h->steps};
  bool moderates = is_moderate(&of_maker, ir_yielded(maker, 0));
  h->steps = of_maker.steps;
  return moderates;
}

/* The value is made of products, numbers and indices alone: nothing in it is as low as what masks give. */
static bool is_moderate(hider *h, const ir_value *value) {
  const ir_op *from = value->op;
  ir_cell cell;
  if (ir_value_splat(value, &cell))
    return !ir_scalar_is_float(value->type->element) || fabs(cell.f) < moderate(h);
  if (!from) {
    bool is_input = value->block == ir_region(h->op, 0) && value->index < ir_num_inputs(h->op);
    const ir_op *maker = is_input ? ir_operand(h->op, value->index)->op : NULL;
    return maker && ir_is_contraction(maker);
  }
  if (from->block != ir_region(h->op, 0) || !h->steps || !--h->steps)
    return false;
  switch (from->code) {
  case OP_ARITH_SITOFP:
  case OP_ARITH_UITOFP:
    return true;
  case OP_ARITH_ADDF:
  case OP_ARITH_SUBF:
  case OP_ARITH_MULF:
    return is_moderate(h, ir_operand(from, 0)) && is_moderate(h, ir_operand(from, 1));
  case OP_ARITH_DIVF:
    return is_moderate(h, ir_operand(from, 0)) && ir_value_splat(ir_operand(from, 1), &cell) && fabs(cell.f) > 1e-6;
  case OP_ARITH_SELECT:
    return is_moderate(h, ir_operand(from, 1)) && is_moderate(h, ir_operand(from, 2));
  case OP_ARITH_NEGF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
  case OP_MATH_TANH:
    return is_moderate(h, ir_operand(from, 0));
  case OP_TENSOR_EXTRACT:
    return has_moderate_elements(h, ir_operand(from, 0));
  default:
    return false;
  }
}

/* The factor of a product that is a constant above 0 is operand *by. */
static bool has_scale(const ir_op *product, unsigned *by) {
  *by = mask_keeps_hidden(ir_operand(product, 1));
  return mask_keeps_hidden(ir_operand(product, *by));
}

/* No mask hides the value, which is scaled by so much behind it, in any row at its key. With `hides`, which is for when
 * that was found, masks give -infinity instead of the lowest number. */
static bool is_seen(hider *h, const ir_value *value, candidate key, double scale, bool hides) {
  ir_op *from = value->op;
  unsigned by;
  if (is_moderate(h, value))
    return true;
  if (!from || from->block != ir_region(h->op, 0) || !ir_value_has_one_use(value))
    return false;
  switch (from->code) {
  case OP_ARITH_SELECT: {
    unsigned low = is_low(h, ir_operand(from, 1), scale) ? 1 : 2;
    const ir_value *score = ir_operand(from, 3 - low);
    if (!is_low(h, ir_operand(from, low), scale) || is_low(h, score, scale) || !is_seen(h, score, key, scale, hides))
      return false;
    if (!hides)
      return holds(h, ir_operand(from, 0), low == 2, key);
    ir_builder builder = ir_builder_before(from);
    ir_set_operand(from, low, ir_splat(&builder, ir_operand(from, low)->type, (ir_cell){.f = -INFINITY}));
    return true;
  }
  case OP_ARITH_ADDF:
    return is_seen(h, ir_operand(from, 0), key, scale, hides) && is_seen(h, ir_operand(from, 1), key, scale, hides);
  case OP_ARITH_SUBF:
    return is_moderate(h, ir_operand(from, 1)) && is_seen(h, ir_operand(from, 0), key, scale, hides);
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    return is_seen(h, ir_operand(from, 0), key, scale, hides);
  case OP_ARITH_MULF: {
    ir_cell factor;
    return has_scale(from, &by) && ir_value_splat(ir_operand(from, by), &factor) && factor.f < moderate(h) &&
           is_seen(h, ir_operand(from, 1 - by), key, scale * factor.f, hides);
  }
  default:
    return false;
  }
}

/* Finds a key for each row at which it sees its score; false where there is none. */
static bool find_seen(hider *h, const ir_value *score, candidate *key) {
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(h->op, extents);
  int64_t keys = extents[h->keys];
  *key = (candidate){-1, 0};
  if (keys == 0)
    return false;
  if (is_seen(h, score, *key, 1, false))
    return true;
  if (keys != IR_DYNAMIC) {
    *key = (candidate){-1, keys - 1};
    if (is_seen(h, score, *key, 1, false))
      return true;
  }
  for (unsigned row = 0; row < ir_structure_of(h->op)->num_loops; row++) {
    bool same = extent_equal(extent_of_loop(h->op, row), extent_of_loop(h->op, h->keys));
    bool known = keys != IR_DYNAMIC && extents[row] != IR_DYNAMIC && extents[row] < keys;
    *key = (candidate){(int)row, known ? keys - extents[row] : 0};
    if (row != h->keys && (same || known) && is_seen(h, score, *key, 1, false))
      return true;
  }
  return false;
}

void pass_hide_lowest(ir_op *op, const pass_options *options) {
  if (!softmax_is(op))
    return;
  const ir_value *scores = ir_operand(op, 0);
  ir_op *maker = scores->op;
  if (!maker || !body_is_elementwise(maker) || maker->num_results != 1 || !ir_value_has_one_use(scores))
    return;
  const ir_map *out = ir_init_map(maker, scores->index);
  int keys = ir_map_result_dim(out, (unsigned)ir_attr_int_or(op, "dimension", 0));
  hider h = {.op = maker, .keys = (unsigned)keys};
  candidate key;
  bool found = false;
  for (unsigned turn = 0; turn < 2 && keys >= 0 && !found; turn++) {
    h.half = !turn;
    h.steps = MAX_STEPS;
    found = find_seen(&h, ir_yielded(maker, scores->index), &key);
  }
  if (!found)
    return;
  h.steps = MAX_STEPS;
  is_seen(&h, ir_yielded(maker, scores->index), key, 1, true);
}
