/* fold_affine.c - affine.apply, affine.min and affine.max: composed with the affine.apply ops that feed them, and
 * simplified by what is known of loops: the range of an induction variable and what divides it. Comparisons and
 * quotients of extents, too, which exporters spell with 64 bits.
 *
 * Index arithmetic is taken not to overflow, as everywhere in affine maps; nor are products of extents.
 * Terminates: an op is rebuilt only if a producer is skipped, or if operands, symbols, results or terms get fewer.
 * Expressions are composed only while they are small, so no chain of ops makes them grow without bound. */
#include "affine.h"
#include "op_hooks.h"

enum { MAX_RESULTS = 8, MAX_INNER_SIZE = 24, MAX_OUTER_SIZE = 96, MAX_STEPS = 64 };
enum { MAX_LOOP_STEP = 4096 };
#define MOST_EXTENT (INT64_C(1) << 48) /* no memory has more, and no loop whose steps are small gets further */

/* An affine op in the making. */
typedef struct affine {
  affine_values values;
  unsigned num_results;
  const ir_expr *results[MAX_RESULTS];
} affine;

/* ----------------------------------------------------------------------------------- ranges and divisors of indices */

typedef ir_range range;

static const range anything = {INT64_MIN, INT64_MAX};

/* What dims of expressions are: values, or else counters of loops, which go round so often. */
typedef struct domain {
  ir_value *const *values;
  const int64_t *extents;
} domain;

/* `steps` is how many values may still be looked at: ranges of ranges must not branch without end. */
static range range_of_expr(const ir_expr *expr, domain dims, unsigned *steps);

static range range_of_value(ir_value *value, unsigned *steps);

static range range_of_index(ir_index x, unsigned *steps) {
  return x.value ? range_of_value(x.value, steps) : (range){x.constant, x.constant};
}

static range range_of_induction(const ir_bounds *loop, unsigned *steps) {
  ir_index lower = loop->lower, upper = loop->upper, step = loop->step;
  range from = range_of_index(lower, steps), to = range_of_index(upper, steps);
  bool is_slow = from.high < MOST_EXTENT && !step.value && step.constant <= MAX_LOOP_STEP;
  int64_t last = is_slow ? MOST_EXTENT : INT64_MAX;
  range result = {from.low, to.high == INT64_MAX || to.high == INT64_MIN ? last : to.high - 1};
  int64_t span;
  /* With all known, the last iteration is known. */
  if (!lower.value && !upper.value && !step.value && step.constant > 0 && upper.constant > lower.constant &&
      !__builtin_sub_overflow(upper.constant - 1, lower.constant, &span))
    result.high = lower.constant + span / step.constant * step.constant;
  return result;
}

/* That of the lesser one of two numbers, or of the greater one. */
static range range_of_lesser(range a, range b) {
  return (range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static range range_of_greater(range a, range b) {
  return (range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* The bounds of affine.min and affine.max from those of their results. */
static range range_of_extremum(const ir_op *op, unsigned *steps) {
  const ir_map *map = ir_affine_map(op);
  ir_value *values[AFFINE_MAX_VALUES];
  if (op->num_operands > AFFINE_MAX_VALUES || map->num_syms)
    return anything;
  for (unsigned i = 0; i < op->num_operands; i++)
    values[i] = ir_operand(op, i);
  domain dims = {.values = values};
  range result = range_of_expr(map->results[0], dims, steps);
  for (unsigned i = 1; i < map->num_results && i < MAX_RESULTS; i++) {
    range next = range_of_expr(map->results[i], dims, steps);
    result = op->code == OP_AFFINE_MIN ? range_of_lesser(result, next) : range_of_greater(result, next);
  }
  return map->num_results > MAX_RESULTS ? anything : result;
}

/* a * b or a + b, an infinity where a bound is one or where it overflows. */
static int64_t bound(ir_expr_kind kind, int64_t a, int64_t b, int64_t infinity) {
  int64_t result;
  if (a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX)
    return infinity;
  bool overflow = kind == IR_EXPR_ADD ? __builtin_add_overflow(a, b, &result) : __builtin_mul_overflow(a, b, &result);
  return overflow ? infinity : result;
}

/* a - b in the same way. */
static int64_t less(int64_t a, int64_t b, int64_t infinity) {
  int64_t result;
  bool known = a != INT64_MIN && a != INT64_MAX && b != INT64_MIN && b != INT64_MAX;
  return known && !__builtin_sub_overflow(a, b, &result) ? result : infinity;
}

/* A sum or a product that ends in an infinity may have wrapped around. */
static range unless_infinite(int64_t low, int64_t high) {
  return low == INT64_MIN || high == INT64_MAX ? anything : (range){low, high};
}

static range range_of_sum(range a, range b) {
  return unless_infinite(bound(IR_EXPR_ADD, a.low, b.low, INT64_MIN), bound(IR_EXPR_ADD, a.high, b.high, INT64_MAX));
}

/* What as many bits can say, as a signed number. */
static range range_of_bits(unsigned bits) {
  return bits < 64 ? (range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1} : anything;
}

/* The same bits as a natural number; of 64 that may be one that no signed number is. */
static range range_of_natural(range values, unsigned bits) {
  return values.low >= 0 || bits >= 64 ? values : (range){0, (int64_t)((UINT64_C(1) << bits) - 1)};
}

static range range_of_multiple(range a, int64_t by) {
  int64_t low = by >= 0 ? a.low : a.high, high = by >= 0 ? a.high : a.low;
  return unless_infinite(bound(IR_EXPR_MUL, low, by, INT64_MIN), bound(IR_EXPR_MUL, high, by, INT64_MAX));
}

/* Rounded down, or up; an infinity where the bound is one. */
static int64_t quotient(int64_t bound, int64_t by, bool up, int64_t infinity) {
  return bound == infinity ? infinity : ir_floor_quotient(bound, by) + (up && bound % by);
}

/* Divided by a positive number and rounded down; what is negative up, where `to_zero`, and all, where `up`. */
static range range_of_quotient(range a, int64_t by, bool to_zero, bool up) {
  return (range){quotient(a.low, by, up || (to_zero && a.low < 0), INT64_MIN),
                 quotient(a.high, by, up || (to_zero && a.high < 0), INT64_MAX)};
}

/* The same bits as a natural number, divided by a positive one. */
static range range_of_natural_quotient(range a, unsigned bits, int64_t by) {
  if (a.low >= 0 || bits < 64)
    return range_of_quotient(range_of_natural(a, bits), by, false, false);
  return by == 1 ? a : (range){0, (int64_t)(UINT64_MAX / (uint64_t)by)};
}

/* Of an op with a number as its second operand. */
static range range_by_number(const ir_op *op, range a, int64_t number) {
  unsigned bits = ir_scalar_bits(ir_operand(op, 0)->type->element);
  switch (op->code) {
  case OP_ARITH_ANDI:
    return number < 0 ? anything : (range){0, a.low >= 0 && a.high < number ? a.high : number};
  case OP_ARITH_REMUI:
    return number <= 0 ? anything : (range){0, a.low >= 0 && a.high < number ? a.high : number - 1};
  case OP_ARITH_REMSI:
    return number <= 0 ? anything
                       : (range){a.low >= 0 ? 0 : 1 - number, a.low < 0 || a.high >= number ? number - 1 : a.high};
  case OP_ARITH_MULI:
    return range_of_multiple(a, number);
  case OP_ARITH_SHRUI:
  case OP_ARITH_SHRSI:
    if (number < 0 || number >= bits || number > 62)
      return anything;
    number = INT64_C(1) << number;
    return op->code == OP_ARITH_SHRUI ? range_of_natural_quotient(a, bits, number)
                                      : range_of_quotient(a, number, false, false);
  case OP_ARITH_DIVUI:
    return number <= 0 ? anything : range_of_natural_quotient(a, bits, number);
  case OP_ARITH_DIVSI:
  case OP_ARITH_FLOORDIVSI:
    return number <= 0 ? anything : range_of_quotient(a, number, op->code == OP_ARITH_DIVSI, false);
  default:
    return anything;
  }
}

static range range_of_either(range a, range b) {
  return (range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* What the op computes as a number of any size, from what its operands are. */
static range range_of_result(const ir_op *op, unsigned *steps) {
  int64_t extent;
  range a, b;
  switch (op->code) {
  case OP_AFFINE_APPLY:
  case OP_AFFINE_MIN:
  case OP_AFFINE_MAX:
    return range_of_extremum(op, steps);
  case OP_TENSOR_DIM:
  case OP_MEMREF_DIM:
    return (range){0, MOST_EXTENT};
  case OP_LINALG_INDEX:
    extent = ir_loop_size(ir_op_parent(op), (unsigned)ir_attr_int_or(op, "dim", 0));
    return (range){0, extent > 0 ? extent - 1 : MOST_EXTENT};
  case OP_ARITH_INDEX_CAST:
  case OP_ARITH_EXTSI:
  case OP_ARITH_TRUNCI:
    return range_of_value(ir_operand(op, 0), steps);
  case OP_ARITH_INDEX_CASTUI:
  case OP_ARITH_EXTUI:
    return range_of_natural(range_of_value(ir_operand(op, 0), steps), ir_scalar_bits(ir_operand(op, 0)->type->element));
  case OP_ARITH_SELECT:
    a = range_of_value(ir_operand(op, 1), steps);
    return range_of_either(a, range_of_value(ir_operand(op, 2), steps));
  default:
    break;
  }
  if (op->num_operands != 2 || !ir_op_has(op, IR_ELEMENTWISE))
    return anything;
  a = range_of_value(ir_operand(op, 0), steps);
  b = range_of_value(ir_operand(op, 1), steps);
  switch (op->code) {
  case OP_ARITH_ADDI:
    return range_of_sum(a, b);
  case OP_ARITH_SUBI:
    return unless_infinite(less(a.low, b.high, INT64_MIN), less(a.high, b.low, INT64_MAX));
  case OP_ARITH_MINSI:
    return range_of_lesser(a, b);
  case OP_ARITH_MAXSI:
    return range_of_greater(a, b);
  case OP_ARITH_MINUI: /* no more than either as a natural number */
    if (a.low < 0 && b.low < 0)
      return anything;
    return (range){0, a.low < 0 ? b.high : b.low < 0 || a.high < b.high ? a.high : b.high};
  default:
    return b.low == b.high ? range_by_number(op, a, b.low) : anything;
  }
}

static range range_of_value(ir_value *value, unsigned *steps) {
  ir_index known = ir_index_of(value);
  ir_bounds loop;
  if (value->type->kind != IR_TYPE_SCALAR || ir_scalar_is_float(value->type->element) || value->type->element == IR_I1)
    return anything;
  if (!known.value)
    return (range){known.constant, known.constant};
  if (!*steps || !--*steps)
    return anything;
  if (ir_induction(value, &loop))
    return range_of_induction(&loop, steps);
  range all = range_of_bits(ir_scalar_bits(value->type->element));
  range found = value->op ? range_of_result(value->op, steps) : all;
  return found.low >= all.low && found.high <= all.high ? found : all; /* else it may have wrapped around */
}

/* Does `upper` bound the values up to which the loop of the induction variable -`negated` runs? Then what is left of
 * the loop, upper - variable, is positive. */
static bool is_left_of_loop(const ir_expr *negated, const ir_expr *upper, ir_value *const *values) {
  ir_bounds loop;
  if (negated->kind != IR_EXPR_MUL || negated->lhs->kind != IR_EXPR_DIM || negated->rhs->kind != IR_EXPR_CONST ||
      negated->rhs->value != -1 || upper->kind != IR_EXPR_DIM || !ir_induction(values[negated->lhs->value], &loop) ||
      !loop.upper.value)
    return false;
  const ir_value *wanted = values[upper->value];
  if (loop.upper.value == wanted || !ir_made_by(loop.upper.value, OP_AFFINE_MIN))
    return loop.upper.value == wanted;
  const ir_map *map = ir_attr_get(loop.upper.value->op, "map")->map;
  for (unsigned i = 0; i < map->num_results; i++)
    if (map->results[i]->kind == IR_EXPR_DIM &&
        ir_operand(loop.upper.value->op, (unsigned)map->results[i]->value) == wanted)
      return true;
  return false;
}

static range range_of_expr(const ir_expr *expr, domain dims, unsigned *steps) {
  if (expr->kind == IR_EXPR_CONST)
    return (range){expr->value, expr->value};
  if (expr->kind == IR_EXPR_DIM)
    return dims.values ? range_of_value(dims.values[expr->value], steps) : (range){0, dims.extents[expr->value] - 1};
  if (expr->kind == IR_EXPR_SYM)
    return anything;
  range a = range_of_expr(expr->lhs, dims, steps);
  if (expr->kind == IR_EXPR_ADD) {
    range b = range_of_expr(expr->rhs, dims, steps);
    bool left = dims.values && (is_left_of_loop(expr->lhs, expr->rhs, dims.values) ||
                                is_left_of_loop(expr->rhs, expr->lhs, dims.values));
    range sum = range_of_sum(a, b);
    return (range){left && sum.low < 1 ? 1 : sum.low, sum.high};
  }
  if (expr->rhs->kind != IR_EXPR_CONST)
    return anything;
  int64_t c = expr->rhs->value;
  if (expr->kind == IR_EXPR_MUL)
    return range_of_multiple(a, c);
  if (c <= 0)
    return anything;
  range quotient = range_of_quotient(a, c, false, expr->kind == IR_EXPR_CEILDIV);
  if (expr->kind != IR_EXPR_MOD)
    return quotient;
  return quotient.low == quotient.high ? (range){a.low - quotient.low * c, a.high - quotient.low * c}
                                       : (range){0, c - 1};
}

ir_range ir_expr_range(const ir_expr *expr, const int64_t *extents) {
  unsigned steps = 0;
  return range_of_expr(expr, (domain){.extents = extents}, &steps);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static uint64_t magnitude(int64_t x) { return x < 0 ? -(uint64_t)x : (uint64_t)x; }

static uint64_t divisor_of_value(ir_value *value, unsigned *steps);

static uint64_t divisor_of_index(ir_index x, unsigned *steps) {
  return x.value ? divisor_of_value(x.value, steps) : magnitude(x.constant);
}

static uint64_t divisor_of_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? 1 : product;
}

/* A number that divides the expression in every execution; 0 for the expression 0, which everything divides. */
static uint64_t divisor_of_expr(const ir_expr *expr, ir_value *const *values, unsigned *steps) {
  if (expr->kind == IR_EXPR_CONST)
    return magnitude(expr->value);
  if (expr->kind == IR_EXPR_DIM)
    return divisor_of_value(values[expr->value], steps);
  if (expr->kind == IR_EXPR_SYM)
    return 1;
  uint64_t lhs = divisor_of_expr(expr->lhs, values, steps), rhs = divisor_of_expr(expr->rhs, values, steps);
  switch (expr->kind) {
  case IR_EXPR_ADD:
  case IR_EXPR_MOD:
    return greatest_common_divisor(lhs, rhs);
  case IR_EXPR_MUL:
    return divisor_of_product(lhs, rhs);
  case IR_EXPR_FLOORDIV:
    return expr->rhs->kind == IR_EXPR_CONST && rhs && lhs % rhs == 0 ? lhs / rhs : 1;
  default:
    return 1;
  }
}

/* What divides all results of an affine op. */
static uint64_t divisor_of_affine(const ir_op *op, unsigned *steps) {
  const ir_map *map = ir_affine_map(op);
  ir_value *values[AFFINE_MAX_VALUES];
  uint64_t divisor = 0;
  if (op->num_operands > AFFINE_MAX_VALUES || map->num_syms)
    return 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    values[i] = ir_operand(op, i);
  for (unsigned i = 0; i < map->num_results; i++)
    divisor = greatest_common_divisor(divisor, divisor_of_expr(map->results[i], values, steps));
  return divisor;
}

static uint64_t divisor_of_value(ir_value *value, unsigned *steps) {
  ir_index known = ir_index_of(value);
  ir_bounds loop;
  const ir_op *op = value->op;
  if (!known.value)
    return magnitude(known.constant);
  if (!*steps || !--*steps)
    return 1;
  if (ir_induction(value, &loop))
    return greatest_common_divisor(divisor_of_index(loop.lower, steps), divisor_of_index(loop.step, steps));
  switch (op ? op->code : IR_NUM_OPCODES) {
  case OP_AFFINE_APPLY:
  case OP_AFFINE_MIN:
  case OP_AFFINE_MAX:
    return divisor_of_affine(op, steps);
  case OP_ARITH_ADDI:
  case OP_ARITH_SUBI:
    return greatest_common_divisor(divisor_of_value(ir_operand(op, 0), steps),
                                   divisor_of_value(ir_operand(op, 1), steps));
  case OP_ARITH_MULI:
    return divisor_of_product(divisor_of_value(ir_operand(op, 0), steps), divisor_of_value(ir_operand(op, 1), steps));
  default:
    return 1;
  }
}

/* ------------------------------------------------------------------------------------------------------ composition */

/* Nodes of the expression as a tree, counted up to `limit`. */
static unsigned size_of(const ir_expr *expr, unsigned limit) {
  unsigned size = 1;
  if (expr->lhs && size < limit)
    size += size_of(expr->lhs, limit - size);
  if (expr->lhs && size < limit)
    size += size_of(expr->rhs, limit - size);
  return size;
}

/* An operand as an expression: a constant, what a small affine.apply computes, or a dim; NULL when there are too
 * many. */
static const ir_expr *expr_of(affine_values *values, ir_value *value, bool *composed) {
  const ir_op *op = ir_made_by(value, OP_AFFINE_APPLY);
  bool is_large = op && size_of(ir_affine_map(op)->results[0], MAX_INNER_SIZE) == MAX_INNER_SIZE;
  const ir_expr *expr = is_large ? affine_dim(values, value) : affine_of_index(values, ir_index_of(value), 0);
  *composed |= expr && (expr->kind != IR_EXPR_DIM || values->values[expr->value] != value);
  return expr;
}

/* Reads the op; false if it is too large to be worked on. */
static bool read_op(affine *affine, const ir_op *op, bool *composed) {
  const ir_map *map = ir_affine_map(op);
  const ir_expr *inputs[AFFINE_MAX_VALUES];
  if (op->num_operands > AFFINE_MAX_VALUES || map->num_results > MAX_RESULTS)
    return false;
  for (unsigned i = 0; i < map->num_results; i++)
    if (size_of(map->results[i], MAX_OUTER_SIZE) == MAX_OUTER_SIZE)
      return false;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!(inputs[i] = expr_of(&affine->values, ir_operand(op, i), composed)))
      return false;
  affine->num_results = map->num_results;
  for (unsigned i = 0; i < map->num_results; i++)
    affine->results[i] = ir_expr_replace(affine->values.module, map->results[i], inputs, inputs + map->num_dims);
  return true;
}

/* --------------------------------------------------------------------------------------------------- simplification */

static range range_of(const affine_values *values, const ir_expr *expr) {
  unsigned steps = MAX_STEPS;
  return range_of_expr(expr, (domain){.values = values->values}, &steps);
}

/* Remainders and quotients that are known from ranges and divisors. */
static const ir_expr *simplify_expr(const affine_values *values, const ir_expr *expr) {
  if (!expr->lhs)
    return expr;
  const ir_expr *lhs = simplify_expr(values, expr->lhs), *rhs = simplify_expr(values, expr->rhs);
  if (expr->kind != IR_EXPR_ADD && expr->kind != IR_EXPR_MUL && rhs->kind == IR_EXPR_CONST && rhs->value > 0) {
    range found = range_of(values, lhs);
    bool mod = expr->kind == IR_EXPR_MOD;
    unsigned steps = MAX_STEPS;
    if (mod && divisor_of_expr(lhs, values->values, &steps) % (uint64_t)rhs->value == 0)
      return ir_expr_const(values->module, 0);
    if (expr->kind != IR_EXPR_CEILDIV && found.low >= 0 && found.high < rhs->value)
      return mod ? lhs : ir_expr_const(values->module, 0);
    if (expr->kind == IR_EXPR_CEILDIV && found.low > 0 && found.high <= rhs->value)
      return ir_expr_const(values->module, 1);
  }
  return ir_expr_binary(values->module, expr->kind, lhs, rhs);
}

static bool never_above(const affine_values *values, const ir_expr *a, const ir_expr *b) {
  const ir_expr *minus = ir_expr_by(values->module, IR_EXPR_MUL, a, -1);
  return range_of(values, ir_expr_binary(values->module, IR_EXPR_ADD, b, minus)).low >= 0;
}

/* Drops the results of a min (or max) that another one is never above (below). */
static void drop_dominated(affine *affine, bool min) {
  unsigned kept = 0;
  for (unsigned i = 0; i < affine->num_results; i++) {
    bool dominated = false;
    for (unsigned j = 0; j < affine->num_results && !dominated; j++) {
      const ir_expr *mine = affine->results[i], *other = affine->results[j];
      if (j == i || !other)
        continue;
      dominated = min ? never_above(&affine->values, other, mine) : never_above(&affine->values, mine, other);
    }
    if (dominated)
      affine->results[i] = NULL; /* no longer dominates others: one of several equal ones stays */
  }
  for (unsigned i = 0; i < affine->num_results; i++)
    if (affine->results[i])
      affine->results[kept++] = affine->results[i];
  affine->num_results = kept;
}

static unsigned total_size(unsigned count, const ir_expr *const *results) {
  unsigned size = 0;
  for (unsigned i = 0; i < count; i++)
    size += size_of(results[i], UINT16_MAX);
  return size;
}

ir_value *fold_affine(ir_builder *builder, ir_op *op) {
  affine affine = {.values.module = op->module};
  const ir_map *map = ir_affine_map(op);
  bool smaller = map->num_syms > 0;
  if (!read_op(&affine, op, &smaller))
    return NULL;
  for (unsigned i = 0; i < affine.num_results; i++)
    affine.results[i] = simplify_expr(&affine.values, affine.results[i]);
  if (op->code != OP_AFFINE_APPLY)
    drop_dominated(&affine, op->code == OP_AFFINE_MIN);
  affine_drop_unused(&affine.values, affine.num_results, affine.results);
  const ir_expr *only = affine.num_results == 1 ? affine.results[0] : NULL;
  smaller |= affine.values.count < op->num_operands || affine.num_results < map->num_results ||
             (only && (!only->lhs || op->code != OP_AFFINE_APPLY)) ||
             total_size(affine.num_results, affine.results) < total_size(map->num_results, map->results);
  if (!smaller)
    return NULL;
  return ir_index_value(builder, affine_create(builder, only ? OP_AFFINE_APPLY : op->code, &affine.values,
                                               affine.num_results, affine.results));
}

/* An extent, a place in one, a number that could be one, or what is made of such and not negative; casts may stand in
 * between. */
static bool can_be_extent(ir_value *value, unsigned *steps) {
  ir_index known = ir_index_of(value);
  const ir_op *op = value->op;
  bool known_natural = true;
  if (!known.value)
    return known.constant >= 0 && known.constant <= UINT32_MAX;
  if (!op || !*steps || !--*steps)
    return false;
  switch (op->code) {
  case OP_TENSOR_DIM:
  case OP_MEMREF_DIM:
  case OP_LINALG_INDEX:
    return true;
  case OP_AFFINE_APPLY:
    known_natural = range_of_value(value, steps).low >= 0; /* fall through */
  case OP_ARITH_ADDI:
  case OP_ARITH_MULI:
  case OP_ARITH_MINSI:
  case OP_ARITH_MAXSI:
    for (unsigned i = 0; known_natural && i < op->num_operands; i++)
      known_natural = can_be_extent(ir_operand(op, i), steps);
    return known_natural;
  case OP_ARITH_INDEX_CAST:
    return ir_is_index_wide(value) && can_be_extent(ir_operand(op, 0), steps);
  default:
    return false;
  }
}

/* Of a number, or of what can be an extent: loops are left to affine.min, which shows where their ends are. */
static range range_of_extents(ir_value *value) {
  ir_index known = ir_index_of(value);
  unsigned steps = MAX_STEPS;
  if (!known.value)
    return (range){known.constant, known.constant};
  return can_be_extent(value, &steps) ? (range){0, INT64_MAX} : anything;
}

/* 1 or 0 where it is known whether a < b or, with `or_equal`, a <= b; -1 where it is not. */
static int is_less(range a, range b, bool same, bool or_equal) {
  if (same)
    return or_equal;
  if (a.high < b.low || (or_equal && a.high == b.low))
    return 1;
  return a.low > b.high || (!or_equal && a.low == b.high) ? 0 : -1;
}

ir_value *fold_compare(ir_builder *builder, ir_op *op) {
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1);
  ir_value *chosen = fold_compare_choice(builder, op);
  if (chosen || !ir_is_index_wide(lhs))
    return chosen;
  bool same = lhs == rhs;
  range a = range_of_extents(lhs), b = range_of_extents(rhs);
  ir_predicate predicate = ir_predicate_signed(ir_predicate_of(op));
  if (predicate != ir_predicate_of(op) && !same && (a.low < 0 || b.low < 0))
    return NULL;
  int result;
  if (predicate <= IR_NOT_EQUAL) {
    int below = is_less(a, b, same, false), above = is_less(b, a, same, false);
    int equal = below == 1 || above == 1 ? 0 : below == 0 && above == 0 ? 1 : -1;
    result = equal < 0 ? -1 : equal == (predicate == IR_EQUAL);
  } else if (predicate <= IR_SIGNED_LESS_EQUAL) {
    result = is_less(a, b, same, predicate == IR_SIGNED_LESS_EQUAL);
  } else {
    result = is_less(b, a, same, predicate == IR_SIGNED_GREATER_EQUAL);
  }
  return result < 0 ? NULL : ir_const(builder, ir_result(op, 0)->type, result);
}

/* a <= b in every execution. */
static bool is_never_above(ir_module *module, ir_value *a, ir_value *b) {
  affine_values values = {.module = module};
  bool composed = false;
  const ir_expr *lhs = expr_of(&values, a, &composed), *rhs = expr_of(&values, b, &composed);
  return is_less(range_of_extents(a), range_of_extents(b), a == b, true) == 1 ||
         (a->type->element == IR_INDEX && lhs && rhs && never_above(&values, lhs, rhs));
}

/* One of the two, where it is known which. */
ir_value *fold_extremum(ir_builder *builder, ir_op *op) {
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1), *folded = fold_binary(builder, op);
  bool is_signed = op->code == OP_ARITH_MINSI || op->code == OP_ARITH_MAXSI;
  if (folded || !is_signed || !ir_is_index_wide(lhs))
    return folded;
  bool below = is_never_above(op->module, lhs, rhs), above = !below && is_never_above(op->module, rhs, lhs);
  if (!below && !above)
    return NULL;
  return below == (op->code == OP_ARITH_MINSI) ? lhs : rhs;
}

/* A quotient of what an affine.apply computes and a number joins it. */
ir_value *fold_quotient(ir_builder *builder, ir_op *op) {
  ir_value *lhs = ir_operand(op, 0), *folded = fold_binary(builder, op);
  ir_index divisor = ir_index_of(ir_operand(op, 1));
  unsigned steps = MAX_STEPS;
  bool floors = op->code == OP_ARITH_DIVSI || op->code == OP_ARITH_DIVUI || op->code == OP_ARITH_FLOORDIVSI;
  if (folded || !floors || divisor.value || divisor.constant <= 0 || !ir_made_by(lhs, OP_AFFINE_APPLY) ||
      range_of_value(lhs, &steps).low < 0)
    return folded;
  return ir_index_value(builder, ir_index_floordiv(builder, (ir_index){.value = lhs}, divisor.constant));
}

/* Bounds that are far off say that sums do not wrap around, but nothing of how long a loop is. */
int64_t ir_index_least(ir_index x) {
  unsigned steps = MAX_STEPS;
  int64_t low = range_of_index(x, &steps).low;
  return x.value && low < -(int64_t)UINT32_MAX ? INT64_MIN : low;
}

int64_t ir_index_most(ir_index x) {
  unsigned steps = MAX_STEPS;
  int64_t high = range_of_index(x, &steps).high;
  return x.value && high > UINT32_MAX ? INT64_MAX : high;
}

bool ir_is_exact(const ir_value *value) {
  unsigned steps = MAX_STEPS;
  bool is_integer = value->type->kind == IR_TYPE_SCALAR && !ir_scalar_is_float(value->type->element);
  if (!value->op || !is_integer || value->type->element == IR_I1)
    return false;
  range all = range_of_bits(ir_scalar_bits(value->type->element)), found = range_of_result(value->op, &steps);
  return found.low != INT64_MIN && found.high != INT64_MAX && found.low >= all.low && found.high <= all.high;
}

uint64_t ir_index_divisor(ir_index x) {
  unsigned steps = MAX_STEPS;
  return divisor_of_index(x, &steps);
}
