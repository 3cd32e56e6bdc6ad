/* decompose.c - pass "decompose-softmax": softmax steps and diagonal products become generics.
 *
 * A step of online softmax turns into max' = max(max, rowmax x, lowest finite), e = e^(x - max'), alpha = e^(max -
 * max'), sum' = alpha sum + rowsum e and, where they are read, the quotients e / sum' and alpha sum / sum' (0 where
 * sum' is 0). Thanks to the finite max', a tile that is masked everywhere gives e = 0 rather than NaN.
 *
 * A contraction of diag(s) with C into zeros becomes a scaling of C's rows by s, in place of C where the shapes
 * allow it.
 *
 * Deferred normalisation: when the quotients reach nothing but contractions that accumulate O' = scale O + result
 * V in a carried value O that starts from zero, the loop carries the numerators O' = alpha O + e V instead, and one
 * division by the final sum follows the outermost loop that carries O. That is the same value, since all numerators
 * of a row are scaled by the same alphas as its sum, whatever that starts from; `carry` holds what must be true of the
 * slices for that. On the way to the contraction the quotients may be multiplied by what does not depend on them. What
 * multiplies the result by the sum again, for partial results, reads the numerators.
 *
 * Lazy maxima: where the normalisation is deferred, any maximum that a row has had does as well as the last. So, for
 * targets that gain by alphas of 1, a maximum stays behind while no weight becomes larger than e^LAG by that.
 *
 * Terminates: each softmax and each diag is visited once and replaced by ops of other kinds. */
#include "passes/body.h"
#include "passes/mask.h"
#include "passes/memory.h"
#include "passes/moderate.h"
#include "passes/softmax.h"
#include "passes/tile.h"

#include <math.h>

/* The value is zero everywhere, also when seen through slices and reshapes. */
static bool is_zero(const ir_value *value) { return ir_value_is_zero(view_root(value)); }

/* -------------------------------------------------------------------------------------------------------- diagonals */

/* init[..] = init[..] * scale[map(..)], or other * scale where `other` does not have the shape of the result. */
static ir_value *create_scaling(ir_builder *builder, ir_value *scale, const ir_map *map, ir_value *other,
                                const ir_map *other_map, ir_value *init) {
  const ir_map *identity = ir_map_identity(builder->module, init->type->rank);
  ir_value *inputs[] = {scale, other};
  const ir_map *maps[] = {map, other_map, identity};
  bool in_place = other->type == init->type && ir_map_is_identity(other_map);
  if (in_place)
    init = other;
  ir_op *generic = ir_generic(builder, in_place ? 1 : 2, inputs, 1, &init, maps, identity->num_dims, 0);
  return body_scale(generic);
}

static void rewrite_diagonal_product(ir_op *product, const diagonal_product *match, ir_op *diag) {
  ir_builder builder = ir_builder_before(product);
  ir_value *other = ir_operand(product, ir_operand(product, 0) == ir_result(diag, 0) ? 1 : 0);
  ir_replace_op(product,
                create_scaling(&builder, ir_operand(diag, 0), match->scale, other, match->other, ir_init(product, 0)));
}

/* out[.., i, j] = i == j ? s[.., i] : 0 */
static void diagonal_to_generic(ir_op *diag) {
  ir_builder builder = ir_builder_before(diag);
  ir_module *module = diag->module;
  ir_value *scale = ir_operand(diag, 0), *init = ir_init(diag, 0);
  unsigned rank = init->type->rank;
  const ir_map *maps[] = {ir_map_select(module, rank, rank - 1, NULL), ir_map_identity(module, rank)};
  ir_op *generic = ir_generic(&builder, 1, &scale, 1, &init, maps, rank, 0);
  ir_builder body = body_of(generic);
  ir_value *row = ir_loop_index(&body, rank - 2), *column = ir_loop_index(&body, rank - 1);
  ir_value *same = ir_compare(&body, OP_ARITH_CMPI, IR_EQUAL, row, column);
  ir_value *zero = ir_const(&body, body_argument(generic, 0)->type, 0);
  ir_value *result = body_finish(&body, generic, ir_select(&body, same, body_argument(generic, 0), zero));
  ir_replace_uses(ir_result(diag, 0), result);
}

static void rewrite_diagonal(ir_op *diag) {
  if (!diag->num_results)
    return;
  for (ir_use *use = ir_result(diag, 0)->uses, *next; use; use = next) {
    next = use->next;
    diagonal_product match;
    if (softmax_match_diagonal(use->user, ir_use_index(use), &match)) {
      rewrite_diagonal_product(use->user, &match, diag);
      next = ir_result(diag, 0)->uses; /* start over: the product may have used the diagonal twice */
    }
  }
  if (!ir_value_unused(ir_result(diag, 0)))
    diagonal_to_generic(diag);
  ir_op_erase(diag);
}

/* --------------------------------------------------------------------------------------------------------- carrying */

/* A value as it enters and leaves one iteration of the loops that carry it, seen from the level reached so far. */
typedef struct carried {
  ir_value *in, *out;
} carried;

/* The accumulator O with the running sum; dim row[i] of O is dim i of the sum, all other dims of O are untouched by the
 * slices. */
typedef struct carry {
  carried accumulator, sum;
  unsigned row[IR_MAX_RANK];
} carry;

/* `out` is inserted where `in` was extracted. `exclusive`: nothing else may read either, nor the value around them. */
static bool match_slice(const carried *value, bool exclusive, ir_op **extract, ir_op **insert) {
  *extract = value->in->op;
  if (!*extract || (*extract)->code != OP_TENSOR_EXTRACT_SLICE)
    return false;
  ir_value *whole = ir_operand(*extract, 0);
  if (exclusive &&
      (tile_num_readers(value->in) != 1 || tile_num_readers(value->out) != 1 || tile_num_readers(whole) != 2))
    return false;
  for (ir_use *use = value->out->uses; use; use = use->next) {
    ir_op *user = *insert = use->user;
    if (user->code == OP_TENSOR_INSERT_SLICE && ir_use_index(use) == 0 && ir_operand(user, 1) == whole &&
        ir_slice_equal(user, *extract))
      return true;
  }
  return false;
}

/* One side of a step through slices. */
typedef struct slice {
  ir_op *extract, *insert;
  ir_slice part;
  unsigned num_kept, kept[IR_MAX_RANK];
  bool is_kept[IR_MAX_RANK];
} slice;

static void read_slice(slice *s, const ir_type *type) {
  s->part = ir_slice_of(s->extract);
  s->num_kept = ir_slice_kept_dims(s->extract, type, s->kept);
  for (unsigned i = 0; i < s->num_kept; i++)
    s->is_kept[s->kept[i]] = true;
}

/* From the rows of the slices to those of what they are slices of; dropped dims pair up in order. */
static bool pair_rows(const slice *accumulator, const slice *sum, const unsigned *inner, unsigned *row) {
  unsigned dropped = 0;
  for (unsigned i = 0; i < sum->num_kept; i++)
    row[sum->kept[i]] = accumulator->kept[inner[i]];
  for (unsigned i = 0; i < sum->part.rank; i++) {
    if (sum->is_kept[i])
      continue;
    while (dropped < accumulator->part.rank && accumulator->is_kept[dropped])
      dropped++;
    if (dropped == accumulator->part.rank)
      return false;
    row[i] = dropped++;
  }
  return true;
}

/* The slices of accumulator and sum go along, dim by dim, and cut no other dim of the accumulator. */
static bool step_through_slice(carry *state) {
  slice accumulator = {0}, sum = {0};
  if (!match_slice(&state->accumulator, true, &accumulator.extract, &accumulator.insert) ||
      !match_slice(&state->sum, false, &sum.extract, &sum.insert))
    return false;
  read_slice(&accumulator, state->accumulator.in->type);
  read_slice(&sum, state->sum.in->type);
  unsigned row[IR_MAX_RANK] = {0};
  if (!pair_rows(&accumulator, &sum, state->row, row))
    return false;
  bool is_row[IR_MAX_RANK] = {0};
  for (unsigned i = 0; i < sum.part.rank; i++) {
    if (!ir_slice_dim_equal(&accumulator.part, row[i], &sum.part, i))
      return false;
    is_row[row[i]] = true;
  }
  ir_value *whole = ir_operand(accumulator.extract, 0);
  for (unsigned i = 0; i < accumulator.part.rank; i++)
    if (!is_row[i] && !slice_has_dim(&accumulator.part, whole, i))
      return false;
  for (unsigned i = 0; i < sum.part.rank; i++)
    state->row[i] = row[i];
  state->accumulator = (carried){whole, ir_result(accumulator.insert, 0)};
  state->sum = (carried){ir_operand(sum.extract, 0), ir_result(sum.insert, 0)};
  return true;
}

static bool step_through_loop(carry *state) {
  carried *values[] = {&state->accumulator, &state->sum}, outer[2];
  ir_op *loop = state->accumulator.in->op ? NULL : state->accumulator.in->block->parent;
  if (!loop || loop->code != OP_SCF_FOR || tile_num_readers(state->accumulator.out) != 1)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    ir_value *in = values[i]->in;
    if (in->op || in->block != ir_region(loop, 0) || in->index == 0)
      return false;
    const ir_op *yield = ir_block_terminator(in->block);
    if (ir_operand(yield, in->index - 1) != values[i]->out)
      return false;
    outer[i] = (carried){ir_loop_init(loop, in->index - 1), ir_result(loop, in->index - 1)};
  }
  state->accumulator = outer[0];
  state->sum = outer[1];
  return true;
}

/* Follows the accumulator outwards until it starts from zero. Other readers on the way would see the numerators. */
static bool find_carry(carry *state) {
  unsigned readers = 1; /* of accumulator.in: the scaling or inner loop; or extract_slice and insert_slice */
  while (!is_zero(state->accumulator.in)) {
    if (step_through_slice(state))
      readers = 2;
    else if (tile_num_readers(state->accumulator.in) == readers && step_through_loop(state))
      readers = 1;
    else
      return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------- deferral */

enum { MAX_PRODUCTS = 8 };

typedef struct deferral {
  ir_op *product;   /* a contraction that reads the quotient */
  unsigned operand; /* .. there */
  ir_op *scaling;   /* what scales the accumulator before, or NULL where the product starts from zeros */
  carry state;      /* at the level where the division goes */
} deferral;

static bool match_scaling(ir_value *accumulator, const ir_value *scale, const carry *state, unsigned num_rows,
                          ir_op **scaling) {
  ir_op *op = accumulator->op;
  if (!op || !ir_op_has(op, IR_STRUCTURED) || ir_operand(op, 0) != scale || !body_is_product(op) ||
      tile_num_readers(accumulator) != 1)
    return false;
  const ir_structure *structure = ir_structure_of(op);
  if (structure->reductions || !ir_map_is_identity(structure->maps[1]))
    return false;
  for (unsigned i = 0; i < num_rows; i++)
    if (ir_map_result_dim(structure->maps[0], i) != (int)state->row[i])
      return false;
  *scaling = op;
  return true;
}

/* The contractions that read the quotient, unchanged but for what is linear in it; 0 if anything else reads it. */
static unsigned find_products(const ir_value *result, deferral *found) {
  const ir_value *values[MAX_PRODUCTS] = {result};
  unsigned num_values = 1, count = 0;
  for (unsigned at = 0; at < num_values; at++)
    for (const ir_use *use = values[at]->uses; use; use = use->next) {
      ir_op *user = use->user;
      unsigned operand = ir_use_index(use);
      if (user->code == OP_TENSOR_DIM)
        continue;
      if (count + num_values > MAX_PRODUCTS || !user->num_results)
        return 0;
      if (tile_is_linear_in(user, operand) || (operand == 0 && body_is_cast(user)))
        values[num_values++] = ir_result(user, 0);
      else if (ir_op_has(user, IR_STRUCTURED) && operand < 2 && ir_is_contraction(user))
        found[count++] = (deferral){.product = user, .operand = operand};
      else
        return 0;
    }
  return count;
}

/* The rows of the quotient go along with rows of the product, and the softmax's dimension with its reduction. */
static bool match_rows(deferral *match, unsigned dimension, unsigned *num_rows) {
  const ir_structure *structure = ir_structure_of(match->product);
  const ir_map *map = structure->maps[match->operand], *out = structure->maps[2];
  *num_rows = 0;
  for (unsigned i = 0; i < map->num_results; i++) {
    int loop = ir_map_result_dim(map, i);
    if (loop < 0 || (i == dimension && structure->reductions != ir_bit(loop)))
      return false;
    int position = ir_map_find_dim(out, (unsigned)loop);
    if (i == dimension)
      continue;
    if (position < 0)
      return false;
    match->state.row[(*num_rows)++] = (unsigned)position;
  }
  return true;
}

static bool match_deferral(ir_op *softmax, unsigned dimension, deferral *match) {
  unsigned num_rows;
  if (ir_result(match->product, 0)->type->element == IR_F16 || !match_rows(match, dimension, &num_rows))
    return false; /* numerators need the range of f32 */
  bool has_statistics = softmax->num_results == 4;
  ir_value *init = ir_init(match->product, 0);
  match->state.accumulator = (carried){init, ir_result(match->product, 0)};
  if (!has_statistics || (ir_value_unused(ir_result(softmax, 3)) && is_zero(init)))
    return is_zero(init);
  if (!match_scaling(init, ir_result(softmax, 3), &match->state, num_rows, &match->scaling))
    return false;
  match->state.accumulator.in = ir_init(match->scaling, 0);
  match->state.sum = (carried){ir_init(softmax, 2), ir_result(softmax, 2)};
  return find_carry(&match->state);
}

/* The products to which the normalisation is deferred; 0 where it cannot be deferred for all. */
static unsigned match_deferrals(ir_op *softmax, unsigned dimension, deferral matches[MAX_PRODUCTS]) {
  unsigned count = find_products(ir_result(softmax, 0), matches), scalings = 0;
  for (unsigned i = 0; i < count; i++) {
    if (!match_deferral(softmax, dimension, &matches[i]))
      return 0;
    scalings += matches[i].scaling != NULL;
  }
  bool others = softmax->num_results == 4 && tile_num_readers(ir_result(softmax, 3)) != scalings;
  return others ? 0 : count;
}

/* ---------------------------------------------------------------------------------------------------------- softmax */

typedef struct step {
  ir_builder builder;
  ir_op *op;
  unsigned rank, dimension;
  const ir_map *all, *rows;    /* subscripts of x, and of what has one element a row */
  ir_scalar statistics;        /* f32, or f64 for f64 */
  ir_index shape[IR_MAX_RANK]; /* of a row tensor */
  ir_value *x, *max, *sum;     /* the inputs */
  bool binary;                 /* x is in units of ln 2, and so is max */
} step;

static ir_value *row_tensor(step *s, ir_scalar element) {
  return ir_empty(&s->builder, element, s->rank - 1, s->shape);
}

static ir_value *row_constant(step *s, ir_scalar element, double value) {
  return ir_fill_const(&s->builder, value, row_tensor(s, element));
}

static ir_op *reduce_rows(step *s, ir_value *in, ir_value *out) {
  const ir_map *maps[] = {s->all, s->rows};
  return ir_generic(&s->builder, 1, &in, 1, &out, maps, s->rank, ir_bit(s->dimension));
}

static ir_op *full_generic(step *s, ir_value *in, ir_value *row, ir_value *out) {
  ir_value *ins[] = {in, row};
  const ir_map *maps[] = {s->all, s->rows, s->all};
  return ir_generic(&s->builder, 2, ins, 1, &out, maps, s->rank, 0);
}

static ir_value *convert_argument(ir_builder *body, const ir_op *generic, unsigned i, ir_scalar element) {
  return ir_convert(body, body_argument(generic, i), ir_type_scalar(body->module, element));
}

/* The new maximum; or the old one, `start`, where the new is not above it by LAG. A difference that is NaN, of equal
 * infinities, counts as above. */
static ir_value *create_lazy_max(step *s, ir_value *start, ir_value *max) {
  const double LAG = 5.5; /* weights of f16 stay below 2^8, and their sums far from the end of f32 */
  ir_value *ins[] = {start, max};
  ir_op *generic = body_by_element(&s->builder, 2, ins, row_tensor(s, max->type->element));
  ir_builder body = body_of(generic);
  ir_value *old = body_argument(generic, 0), *new = body_argument(generic, 1);
  ir_value *rise = ir_binary(&body, OP_ARITH_SUBF, new, old), *lag = ir_const(&body, rise->type, LAG);
  ir_value *above = ir_compare(&body, OP_ARITH_CMPF, IR_UNORDERED_GREATER, rise, lag);
  return body_finish(&body, generic, ir_select(&body, above, new, old));
}

/* max(max, lowest finite), then with the rows of x. A NaN may get lost here (nnan), which is cheaper: its exponential
 * is NaN again, and so the sum, whatever the maximum. The copy is no loss: the old max is needed next to the new
 * one. */
static ir_value *create_max(step *s, bool lazy) {
  ir_scalar element = s->max->type->element;
  const ir_type *scalar = ir_type_scalar(s->builder.module, element);
  double lowest = ir_scalar_lowest(element);
  ir_value *start;
  ir_cell splat;
  if (ir_value_splat(s->max, &splat)) {
    start = splat.f < lowest ? row_constant(s, element, lowest) : s->max;
  } else {
    ir_op *clamp = body_by_element(&s->builder, 1, &s->max, row_tensor(s, element));
    ir_builder body = body_of(clamp);
    ir_value *bound = ir_const(&body, scalar, lowest);
    start = body_finish(&body, clamp, ir_binary(&body, OP_ARITH_MAXIMUMF, body_argument(clamp, 0), bound));
  }
  ir_op *reduce = reduce_rows(s, s->x, start);
  ir_builder body = body_of(reduce);
  ir_value *x = ir_convert(&body, body_argument(reduce, 0), scalar);
  ir_value *larger = ir_binary(&body, OP_ARITH_MAXIMUMF, body_argument(reduce, 1), x);
  ir_attr_set(larger->op, "fastmath", ir_attr_keyword(s->builder.module, "arith.fastmath", "nnan"));
  ir_value *max = body_finish(&body, reduce, larger);
  return lazy ? create_lazy_max(s, start, max) : max;
}

/* e^(a - b) of the two inputs of a generic, or 2^(a - b), where a <= b, or not far above. It may be approximate (afn):
 * an error in proportion to the exponent is small against the largest weight of a row, which is 1. And it is bounded:
 * nothing overflows. */
static ir_value *fill_exponential(step *s, ir_op *generic) {
  ir_builder body = body_of(generic);
  ir_value *a = convert_argument(&body, generic, 0, s->statistics);
  ir_value *b = convert_argument(&body, generic, 1, s->statistics);
  ir_value *difference = ir_binary(&body, OP_ARITH_SUBF, a, b);
  ir_value *power = ir_unary(&body, s->binary ? OP_MATH_EXP2 : OP_MATH_EXP, difference, difference->type);
  ir_attr_set(power->op, "fastmath", ir_attr_keyword(s->builder.module, "arith.fastmath", "afn"));
  ir_attr_set(power->op, "tec.bounded", ir_attr_unit(s->builder.module));
  return body_finish(&body, generic, power);
}

static ir_value *create_exponentials(step *s, ir_value *max) {
  ir_index shape[IR_MAX_RANK];
  for (unsigned i = 0, row = 0; i < s->rank; i++)
    shape[i] = i == s->dimension ? ir_dim(&s->builder, s->x, i) : s->shape[row++];
  ir_value *out = ir_empty(&s->builder, s->statistics, s->rank, shape);
  return fill_exponential(s, full_generic(s, s->x, max, out));
}

/* The sum so far at the new max. */
static ir_value *create_scaled_sum(step *s, ir_value *alpha) {
  const ir_map *identity = ir_map_identity(s->builder.module, s->rank - 1);
  return create_scaling(&s->builder, alpha, identity, s->sum, identity, s->sum);
}

static ir_value *create_sum(step *s, ir_value *exponentials, ir_value *start) {
  ir_op *reduce = reduce_rows(s, exponentials, start);
  ir_builder body = body_of(reduce);
  ir_value *e = ir_convert(&body, body_argument(reduce, 0), body_argument(reduce, 1)->type);
  return body_finish(&body, reduce, ir_binary(&body, OP_ARITH_ADDF, body_argument(reduce, 1), e));
}

static ir_value *fill_quotient(step *s, ir_op *generic) {
  ir_builder body = body_of(generic);
  ir_value *a = convert_argument(&body, generic, 0, s->statistics);
  ir_value *b = convert_argument(&body, generic, 1, s->statistics);
  return body_finish(&body, generic, body_quotient(&body, a, b, false));
}

/* The op multiplies the quotients by the sums of their rows again, and rounds nothing. */
static bool takes_back(const ir_op *op, const ir_value *quotients, const ir_value *sum, const ir_map *rows) {
  if (!body_is_elementwise(op) || op->num_operands != 3 || op->num_results != 1 ||
      ir_result(op, 0)->type != quotients->type)
    return false;
  unsigned of_sum = ir_operand(op, 1) == sum;
  const ir_map *const *maps = ir_structure_of(op)->maps;
  const ir_op *product = body_combiner(op);
  return ir_operand(op, of_sum) == sum && ir_operand(op, 1 - of_sum) == quotients && maps[of_sum] == rows &&
         ir_map_is_identity(maps[1 - of_sum]) && ir_map_is_identity(maps[2]) && product &&
         product->code == OP_ARITH_MULF;
}

/* Who multiplies the quotients, which `op` makes of the accumulator, by the sums reads the accumulator. */
static void cancel_quotients(ir_op *op, ir_value *accumulator, const ir_value *sum) {
  const ir_map *rows = ir_structure_of(op)->maps[0];
  for (ir_use *use = ir_result(op, 0)->uses, *next; use; use = next) {
    next = use->next;
    if (takes_back(use->user, ir_result(op, 0), sum, rows))
      ir_replace_op(use->user, accumulator);
  }
  if (ir_value_unused(ir_result(op, 0)))
    ir_op_erase(op);
}

/* accumulator / sum where the loops end; all of a row share the sum. */
static void normalise(const deferral *match, ir_value *sum, const target_facts *target) {
  ir_value *accumulator = match->state.accumulator.out;
  ir_op *last = accumulator->op;
  if (sum->op->block == last->block && ir_op_is_before(last, sum->op))
    last = sum->op;
  ir_builder builder = ir_builder_after(last);
  unsigned rank = accumulator->type->rank;
  const ir_map *maps[] = {ir_map_select(builder.module, rank, sum->type->rank, match->state.row),
                          ir_map_identity(builder.module, rank)};
  ir_op *generic = ir_generic(&builder, 1, &sum, 1, &accumulator, maps, rank, 0);
  ir_builder body = body_of(generic);
  const ir_type *type = body_wider(body_argument(generic, 0), body_argument(generic, 1));
  ir_value *a = ir_convert(&body, body_argument(generic, 1), type),
           *b = ir_convert(&body, body_argument(generic, 0), type);
  ir_value *result = body_finish(&body, generic, body_quotient(&body, a, b, target != NULL));
  ir_replace_uses(accumulator, result);
  ir_set_operand(generic, 1, accumulator);
  cancel_quotients(generic, accumulator, sum);
}

static void start_step(ir_op *op, step *s) {
  ir_value *x = ir_operand(op, 0);
  *s = (step){.builder = ir_builder_before(op), .op = op, .x = x, .rank = x->type->rank};
  s->dimension = (unsigned)ir_attr_int_or(op, "dimension", 0);
  for (unsigned i = 0, count = 0; i < s->rank; i++)
    if (i != s->dimension)
      s->shape[count++] = ir_dim(&s->builder, x, i);
  s->all = ir_map_identity(op->module, s->rank);
  s->rows = ir_map_without(op->module, s->rank, 1, &(int64_t){s->dimension});
  bool carries = op->num_results == 4;
  s->statistics = x->type->element == IR_F64 || (carries && ir_init(op, 1)->type->element == IR_F64) ? IR_F64 : IR_F32;
  s->max = carries ? ir_init(op, 1) : row_constant(s, s->statistics, ir_scalar_lowest(s->statistics));
  s->sum = carries ? ir_init(op, 2) : row_constant(s, s->statistics, 0);
}

/* The product accumulates numerators, and is divided by the sum where its loops end. */
static void defer(const step *s, deferral *match, ir_value *alpha, ir_value *sum, const target_facts *target) {
  if (match->scaling) {
    ir_builder builder = ir_builder_before(match->scaling);
    const ir_structure *structure = ir_structure_of(match->scaling);
    ir_value *accumulator = ir_init(match->scaling, 0);
    ir_replace_uses(ir_result(match->scaling, 0),
                    create_scaling(&builder, alpha, structure->maps[0], accumulator, structure->maps[1], accumulator));
    ir_op_erase(match->scaling);
  }
  ir_value *final = match->state.sum.out;
  normalise(match, final && final != ir_result(s->op, s->op->num_results == 4 ? 2 : 0) ? final : sum, target);
}

/* ---------------------------------------------------------------------------------------------------- powers of two */

/* e^(x - m) is 2^(x log2(e) - m log2(e)), and where scores are multiplied by a constant anyway, the factor log2(e)
 * costs nothing, and no rounding. Only scores that end so, without a mask of finite numbers before the constant: these
 * may be so large that the factor makes them infinite. */
static const double log2_e = 0x1.71547652b82fep+0;

/* The product with a constant that the value is; or that it is where it is not -infinity. NULL: others read it. */
static ir_op *final_product(ir_value *value) {
  ir_op *op = value->op;
  while (op && op->code == OP_ARITH_SELECT && ir_value_has_one_use(ir_result(op, 0))) {
    bool first = mask_is_hidden(ir_operand(op, 1));
    if (first == mask_is_hidden(ir_operand(op, 2)))
      return NULL;
    op = ir_operand(op, first ? 2 : 1)->op;
  }
  return op && op->code == OP_ARITH_MULF && ir_value_has_one_use(ir_result(op, 0)) ? op : NULL;
}

/* Multiplies the constant by log2(e); false where there is none, or the body of `producer` may have made what it is
 * multiplied by huge. That from memory is moderate is taken on trust, as nothing shows it; where it is not, a positive
 * constant still lets it be what is hidden. */
static bool scale_product(const ir_op *producer, ir_op *product) {
  const double MOST = 1e30; /* far from where the factor would become infinite */
  ir_cell cell;
  for (unsigned i = 0; i < 2; i++)
    if (ir_value_splat(ir_operand(product, i), &cell) && fabs(cell.f) <= MOST) {
      const ir_value *other = body_unconverted(ir_operand(product, 1 - i));
      bool reads = !other->op && other->block == ir_region(producer, 0) && cell.f > 0;
      if (!reads && !moderate_score(producer, ir_result(product, 0)))
        return false;
      ir_builder builder = ir_builder_before(product);
      ir_set_operand(product, i, ir_const(&builder, ir_operand(product, i)->type, cell.f * log2_e));
      return true;
    }
  return false;
}

/* Gives the scores in units of ln 2, if that costs nothing. */
static void take_powers_of_two(step *s) {
  ir_op *producer = s->x->op;
  if (!producer || s->x->type->element != IR_F32 || s->statistics != IR_F32 || tile_num_readers(s->x) != 1 ||
      !body_is_elementwise(producer) || producer->num_results != 1)
    return;
  ir_op *product = final_product(ir_yielded(producer, 0));
  s->binary = product && scale_product(producer, product);
}

/* The loop around the softmax carries the result, or what it is a slice of, which is read nowhere else, nor behind the
 * loop. Gives what the loop starts from; NULL where it is not so. */
static ir_value *only_carried(ir_op *softmax, unsigned result) {
  carried value = {ir_init(softmax, result), ir_result(softmax, result)};
  unsigned readers = 1; /* of value.in, as in find_carry */
  for (ir_op *extract, *insert; match_slice(&value, true, &extract, &insert); readers = 2)
    value = (carried){ir_operand(extract, 0), ir_result(insert, 0)};
  const ir_op *loop = value.in->op ? NULL : value.in->block->parent;
  if (!loop || loop->code != OP_SCF_FOR || softmax->block != value.in->block || !value.in->index ||
      ir_operand(ir_block_terminator(value.in->block), value.in->index - 1) != value.out ||
      tile_num_readers(value.in) != readers || tile_num_readers(value.out) != 1 ||
      tile_num_readers(ir_result(loop, value.in->index - 1)))
    return NULL;
  return ir_loop_init(loop, value.in->index - 1);
}

/* Nobody but the softmax sees its running maximum, which starts with the lowest number. */
static bool is_own_maximum(const step *s) {
  ir_value *start = s->op->num_results == 4 ? only_carried(s->op, 1) : s->max;
  ir_cell splat;
  return start && ir_value_splat(start, &splat) && splat.f <= ir_scalar_lowest(s->statistics);
}

void softmax_decompose(ir_op *op, bool repeats, const target_facts *target) {
  step s;
  start_step(op, &s);
  deferral matches[MAX_PRODUCTS];
  unsigned num_deferred = match_deferrals(op, s.dimension, matches);
  bool deferred = num_deferred > 0;
  bool carries = op->num_results == 4, reads_scale = carries && !ir_value_unused(ir_result(op, 3));
  bool whole = carries && !ir_init(op, 1)->op && !ir_init(op, 2)->op; /* carried as they are, not in slices */
  bool lazy = target && target->has_vote && deferred && whole && only_carried(op, 1) && only_carried(op, 2);
  if (target && target->has_binary_softmax && is_own_maximum(&s))
    take_powers_of_two(&s);
  ir_value *max = create_max(&s, lazy), *exponentials = create_exponentials(&s, max), *alpha = NULL, *start = s.sum;
  ir_cell first;
  bool fresh = is_zero(s.sum) && ir_value_splat(s.max, &first) && first.f < INFINITY; /* alpha would meet only zeros */
  if (!fresh || reads_scale) {
    ir_scalar element = carries ? ir_result(op, 3)->type->element : s.statistics;
    ir_value *maxima[] = {s.max, max};
    alpha =
        fill_exponential(&s, body_by_element(&s.builder, 2, maxima, row_tensor(&s, deferred ? s.statistics : element)));
  }
  if (!fresh)
    start = create_scaled_sum(&s, alpha);
  ir_value *sum = create_sum(&s, exponentials, start);
  if (carries) {
    ir_replace_uses(ir_result(op, 1), max);
    ir_replace_uses(ir_result(op, 2), sum);
  }
  if (deferred) {
    ir_replace_uses(ir_result(op, 0), body_convert(&s.builder, exponentials, ir_init(op, 0)));
    for (unsigned i = 0; i < num_deferred; i++)
      defer(&s, &matches[i], alpha, sum, target);
  } else {
    if (repeats)
      exponentials = create_exponentials(&s, max);
    if (!ir_value_unused(ir_result(op, 0)))
      ir_replace_uses(ir_result(op, 0), fill_quotient(&s, full_generic(&s, exponentials, sum, ir_init(op, 0))));
    if (reads_scale) {
      ir_value *sums[] = {start, sum};
      ir_replace_uses(ir_result(op, 3), fill_quotient(&s, body_by_element(&s.builder, 2, sums, ir_init(op, 3))));
    }
  }
  ir_op_erase(op);
}

/* ------------------------------------------------------------------------------------------------------------- pass */

/* The ops to rewrite are collected before any is, since a rewrite erases ops that the walk might hold. */
typedef struct worklist {
  ir_op **ops;
  size_t count, capacity;
} worklist;

bool pass_decompose_softmax(ir_module *module, const pass_options *options) {
  worklist lists[2] = {0}; /* diagonals, then softmaxes */
  for (ir_op *op = ir_next_inside(module->root, module->root); op; op = ir_next_inside(module->root, op)) {
    worklist *list = &lists[softmax_is(op)];
    if (op->code == OP_LINALG_EXT_DIAG || (softmax_is(op) && op->num_results))
      IR_PUSH(&module->arena, list->ops, list->count, list->capacity) = op;
  }
  for (size_t i = 0; i < lists[0].count; i++)
    rewrite_diagonal(lists[0].ops[i]);
  for (size_t i = 0; i < lists[1].count; i++)
    softmax_decompose(lists[1].ops[i], false, options->target);
  return true;
}
