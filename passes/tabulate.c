/* tabulate.c - pass "tabulate": what a body computes of the distance of two indices is computed once for each distance.
 *
 * Models add to scores what depends on how far a key is from its query: a number for each bucket of distances (T5), of
 * which the bucket takes a logarithm, or a function of it (KERPLE, FIRE). Over n queries and m keys there are n * m
 * scores and n + m - 1 distances. So
 *
 *     s[h, i, j] = .. f(h, i - j) ..     becomes     t[h, d] = f(h, d - (m - 1))
 *                                                    s[h, i, j] = .. t[h, i - j + m - 1] ..
 *
 * with the table as an op of its own, which no loop makes again (bodies read it with tensor.extract, which none takes
 * in), and the same for sums of two indices. Loops that the number does not depend on, as those over a batch, are none
 * of the table's; ops that need equal tables share one. Readers of an op that only reads a table read that themselves.
 *
 * What is cheap stays, and so do conditions and what chooses by them between a number and a constant: masks are such,
 * and other passes look at them to see what they hide. On GPUs all stays: kernels there do not read at computed places.
 *
 * Invariants
 *  - Each number of a table is computed by the ops that the program has for it, in an iteration that the program has,
 *    one of those with that distance: it is the same, bit for bit, and defined where that was.
 *  - A difference is one of indices as integers, which wrap around together, or as floats that hold them exactly.
 * Terminates: walks over the values of a body meet each once; bodies have a limit. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/tile_policy.h"

#include <math.h>
#include <stdlib.h>

enum {
  MAX_OPS = 256,     /* in a body */
  MAX_OPERANDS = 24, /* of an op */
  MAX_TABLES = 8,    /* for one op */
  FEWER = 4,         /* times as many elements as distances */
  OPEN = 1 << 20,    /* stands for an open extent */
  WORTH_IT = 16,     /* a table is for what costs so much, in simple ops on registers: */
  POLYNOMIAL = 16,   /* .. a function */
  GATHER = 16,       /* .. an element from anywhere */
  QUOTIENT = 8,
};

/* How a value depends on the iterations of the loops: in whatever way on those of `loops`, and on those of `pair`, two
 * loops or none, only by their difference, or sum. */
typedef struct dependence {
  bool is_opaque; /* nothing is known */
  uint32_t loops, pair;
  bool is_sum;
  bool is_linear; /* the sum of steps[l] * (iteration of loop l) and of what is the same for all; an integer wraps .. */
  bool is_exact;  /* .. or not */
  int64_t steps[IR_MAX_LOOPS];
  double most;  /* that a linear float is, either way: it is exact, and its 0 is +0 */
  bool is_mask; /* a choice between a number and something else, or what has one added or multiplied in */
  unsigned seen;
} dependence;

typedef struct tabulation {
  ir_op *op;
  dependence *arguments, *results; /* of the body; results by op, whose number is in ir_op.mark */
  unsigned num_seen;               /* walks */
  ir_op *roots[MAX_TABLES];        /* make what becomes an element of a table */
  unsigned num_roots;
} tabulation;

/* -------------------------------------------------------------------------------------------------- dependence */

static const dependence none = {.is_linear = true, .is_exact = true};

/* Of a value of the body; NULL: it comes from outside. */
static dependence *dependence_of(const tabulation *t, const ir_value *value) {
  const ir_block *body = ir_region(t->op, 0);
  if (value->block == body)
    return &t->arguments[value->index];
  return value->op && value->op->block == body ? &t->results[value->op->mark] : NULL;
}

/* Integers up to this are floats of the type. */
static double most_exact(ir_scalar element) {
  switch (element) {
  case IR_F64:
    return 0x1p53;
  case IR_F32:
    return 0x1p24;
  case IR_F16:
    return 0x1p11;
  case IR_BF16:
    return 0x1p8;
  default:
    return 0;
  }
}

/* The value as a linear function of iterations; false where it is not known as one. */
static bool is_linear(const tabulation *t, const ir_value *value, dependence *found) {
  const dependence *known = dependence_of(t, value);
  bool is_float = ir_scalar_is_float(value->type->element);
  ir_cell cell;
  *found = known ? *known : (dependence){.is_linear = !is_float, .is_exact = true};
  if (!known && is_float && ir_value_splat(value, &cell) && !signbit(cell.f) && floor(cell.f) == cell.f)
    *found = (dependence){.is_linear = cell.f <= most_exact(value->type->element), .most = cell.f};
  return found->is_linear;
}

/* by * a + b */
static bool add_scaled(const dependence *a, int64_t by, const dependence *b, dependence *sum) {
  *sum = (dependence){.is_linear = true, .is_exact = a->is_exact && b->is_exact, .most = a->most + b->most};
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    if (__builtin_mul_overflow(by, a->steps[loop], &sum->steps[loop]) ||
        __builtin_add_overflow(sum->steps[loop], b->steps[loop], &sum->steps[loop]))
      return false;
  return true;
}

static bool linear_expr(const tabulation *t, const ir_op *op, const ir_expr *expr, dependence *found) {
  dependence a, b;
  *found = none;
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return true;
  case IR_EXPR_DIM:
  case IR_EXPR_SYM:
    return is_linear(t, ir_operand(op, ir_affine_operand(op, expr)), found);
  case IR_EXPR_ADD:
    return linear_expr(t, op, expr->lhs, &a) && linear_expr(t, op, expr->rhs, &b) && add_scaled(&a, 1, &b, found);
  case IR_EXPR_MUL:
    return expr->rhs->kind == IR_EXPR_CONST && linear_expr(t, op, expr->lhs, &a) &&
           add_scaled(&a, expr->rhs->value, &none, found);
  default:
    return false;
  }
}

/* How large the integer is, either way. */
static double most_of(ir_value *value) {
  ir_index index = {.value = value};
  int64_t low = ir_index_least(index), high = ir_index_most(index);
  return low == INT64_MIN || high == INT64_MAX ? INFINITY : fmax(fabs((double)low), fabs((double)high));
}

/* What ops that are linear make of linear operands. Narrower integers wrap around as wider ones do; in wider ones they
 * are what they were where they had not. */
static bool linear_result(const tabulation *t, const ir_op *op, dependence *found) {
  const ir_value *result = ir_result(op, 0);
  dependence a, b;
  ir_cell factor;
  switch (op->code) {
  case OP_LINALG_INDEX:
    *found = none;
    found->steps[ir_attr_int_or(op, "dim", 0)] = 1;
    return true;
  case OP_AFFINE_APPLY:
    return linear_expr(t, op, ir_affine_map(op)->results[0], found);
  case OP_ARITH_ADDI:
  case OP_ARITH_ADDF:
    return is_linear(t, ir_operand(op, 0), &a) && is_linear(t, ir_operand(op, 1), &b) && add_scaled(&a, 1, &b, found);
  case OP_ARITH_SUBI:
  case OP_ARITH_SUBF:
    return is_linear(t, ir_operand(op, 0), &a) && is_linear(t, ir_operand(op, 1), &b) && add_scaled(&b, -1, &a, found);
  case OP_ARITH_MULI:
    return ir_value_splat(ir_operand(op, 1), &factor) && is_linear(t, ir_operand(op, 0), &a) &&
           add_scaled(&a, factor.i, &none, found);
  case OP_ARITH_TRUNCI:
    return result->type->element != IR_I1 && is_linear(t, ir_operand(op, 0), found);
  case OP_ARITH_EXTSI:
  case OP_ARITH_INDEX_CAST:
    return is_linear(t, ir_operand(op, 0), found) &&
           (ir_scalar_bits(result->type->element) <= ir_scalar_bits(ir_operand(op, 0)->type->element) ||
            found->is_exact);
  case OP_ARITH_SITOFP:
    if (!is_linear(t, ir_operand(op, 0), found))
      return false;
    found->most = most_of(ir_operand(op, 0));
    return found->is_exact;
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    return is_linear(t, ir_operand(op, 0), found);
  default:
    return false;
  }
}

/* Two loops that a linear function has the difference or sum of are a pair; what depends otherwise on one of a pair
 * depends on each. */
static void settle(dependence *d) {
  unsigned count = 0;
  int64_t steps[2] = {0};
  uint32_t loops = 0;
  for (unsigned loop = 0; d->is_linear && loop < IR_MAX_LOOPS; loop++)
    if (d->steps[loop]) {
      steps[count++ ? 1 : 0] = d->steps[loop];
      loops |= ir_bit(loop);
    }
  bool is_pair = count == 2 && (steps[0] == steps[1] || steps[0] == -steps[1]);
  if (d->is_linear) {
    d->pair = is_pair ? loops : 0;
    d->is_sum = is_pair && steps[0] == steps[1];
    d->loops = is_pair ? 0 : loops;
  }
  if (d->loops & d->pair) {
    d->loops |= d->pair;
    d->pair = 0;
  }
}

static void join(dependence *d, const dependence *other) {
  d->is_opaque |= other->is_opaque;
  d->loops |= other->loops;
  if (d->pair && other->pair && (d->pair != other->pair || d->is_sum != other->is_sum)) {
    d->loops |= d->pair | other->pair;
    d->pair = 0;
  } else if (other->pair) {
    d->pair = other->pair;
    d->is_sum = other->is_sum;
  }
  settle(d);
}

static bool is_mask(const tabulation *t, const ir_op *op) {
  ir_cell cell;
  bool some = false;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const dependence *operand = dependence_of(t, ir_operand(op, i));
    some |= operand && operand->is_mask;
  }
  switch (op->code) {
  case OP_ARITH_SELECT:
    return ir_scalar_is_float(ir_result(op, 0)->type->element) &&
           (some || ir_value_splat(ir_operand(op, 1), &cell) || ir_value_splat(ir_operand(op, 2), &cell));
  case OP_ARITH_UITOFP:
    return ir_operand(op, 0)->type->element == IR_I1;
  case OP_ARITH_ADDF:
  case OP_ARITH_SUBF:
  case OP_ARITH_MULF:
  case OP_ARITH_DIVF:
  case OP_ARITH_NEGF:
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
    return some;
  default:
    return false;
  }
}

static bool is_affine(const ir_op *op) {
  return op->code == OP_AFFINE_APPLY || op->code == OP_AFFINE_MIN || op->code == OP_AFFINE_MAX;
}

static dependence dependence_of_result(const tabulation *t, const ir_op *op) {
  dependence found;
  bool is_float = op->num_results == 1 && ir_scalar_is_float(ir_result(op, 0)->type->element);
  if (op->num_results == 1 && linear_result(t, op, &found) &&
      (!is_float || found.most <= most_exact(ir_result(op, 0)->type->element))) {
    found.is_exact &= is_float || op->code == OP_LINALG_INDEX || ir_is_exact(ir_result(op, 0));
    settle(&found);
    return found;
  }
  bool is_known =
      op->num_results == 1 && !op->num_regions &&
      (ir_op_has(op, IR_ELEMENTWISE) || is_affine(op) || op->code == OP_TENSOR_EXTRACT || ir_op_has(op, IR_CONSTANT));
  found = (dependence){.is_opaque = !is_known, .is_mask = is_known && is_mask(t, op)};
  for (unsigned i = 0; i < op->num_operands; i++) {
    const dependence *operand = dependence_of(t, ir_operand(op, i));
    if (operand)
      join(&found, operand);
  }
  return found;
}

/* False where the body is too large. */
static bool find_dependences(tabulation *t) {
  const ir_block *body = ir_region(t->op, 0);
  ir_arena *arena = &t->op->module->arena;
  unsigned count = 0;
  for (ir_op *inner = body->first; inner != body->last; inner = inner->next) {
    if (count == MAX_OPS)
      return false;
    inner->mark = count++;
  }
  t->arguments = IR_NEW_ARRAY(arena, dependence, body->num_args);
  t->results = IR_NEW_ARRAY(arena, dependence, count + 1);
  for (unsigned i = 0; i < body->num_args; i++)
    t->arguments[i].loops = ir_map_dims(ir_structure_of(t->op)->maps[i]);
  for (const ir_op *inner = body->first; inner != body->last; inner = inner->next)
    t->results[inner->mark] = dependence_of_result(t, inner);
  return true;
}

/* ------------------------------------------------------------------------------------------------- what is worth it */

/* The op reads a table in rows as it is: of a place and the next ones. */
static bool reads_neighbours(const tabulation *t, const ir_op *op) {
  for (unsigned i = 1; i < op->num_operands; i++) {
    const dependence *place = dependence_of(t, ir_operand(op, i));
    bool is_last = i + 1 == op->num_operands;
    if (!place || !place->pair)
      continue;
    if (!is_last || !place->is_linear || llabs(place->steps[__builtin_ctz(place->pair)]) != 1)
      return false;
  }
  return true;
}

/* What the op costs where it is computed for each element. */
static unsigned cost_of_op(const tabulation *t, const ir_op *op) {
  ir_cell divisor;
  if (body_is_polynomial(op))
    return POLYNOMIAL;
  switch (op->code) {
  case OP_TENSOR_EXTRACT:
    return reads_neighbours(t, op) ? 1 : GATHER;
  case OP_ARITH_DIVF:
  case OP_ARITH_REMF:
  case OP_MATH_SQRT:
  case OP_MATH_RSQRT:
  case OP_MATH_FPOWI:
    return QUOTIENT;
  case OP_ARITH_DIVSI:
  case OP_ARITH_DIVUI:
  case OP_ARITH_REMSI:
  case OP_ARITH_REMUI:
  case OP_ARITH_FLOORDIVSI:
  case OP_ARITH_CEILDIVSI:
  case OP_ARITH_CEILDIVUI:
    return ir_value_splat(ir_operand(op, 1), &divisor) ? 2 : QUOTIENT;
  default:
    return 1;
  }
}

/* What computing the value costs for each pair of iterations; each op counts once. */
static unsigned cost_of_value(const tabulation *t, const ir_value *value, unsigned seen) {
  dependence *known = dependence_of(t, value);
  if (!known || !known->pair || known->seen == seen)
    return 0;
  known->seen = seen;
  unsigned cost = cost_of_op(t, value->op);
  for (unsigned i = 0; i < value->op->num_operands; i++)
    cost += cost_of_value(t, ir_operand(value->op, i), seen);
  return cost;
}

static int64_t size_of_loop(const tabulation *t, unsigned loop) {
  int64_t extent = ir_loop_size(t->op, loop);
  return extent == IR_DYNAMIC || extent > OPEN ? OPEN : extent;
}

static bool has_fewer(const tabulation *t, uint32_t pair) {
  int64_t first = size_of_loop(t, (unsigned)__builtin_ctz(pair));
  int64_t second = size_of_loop(t, 31 - (unsigned)__builtin_clz(pair));
  return first * second >= FEWER * (first + second - 1);
}

static bool is_worth_it(tabulation *t, const ir_value *value) {
  const dependence *known = dependence_of(t, value);
  ir_scalar element = value->type->element;
  return !known->is_opaque && known->pair && element != IR_INDEX && ir_scalar_bits(element) >= 8 &&
         has_fewer(t, known->pair) && !known->is_mask && cost_of_value(t, value, ++t->num_seen) >= WORTH_IT;
}

/* Finds, from what the body gives upwards, what is to be read from tables. Conditions stay as they are. */
static void find_roots(tabulation *t, const ir_value *value, bool *visited) {
  ir_op *op = value->op;
  if (!op || !dependence_of(t, value) || visited[op->mark] || t->num_roots == MAX_TABLES)
    return;
  visited[op->mark] = true;
  if (op->num_results != 1 || op->num_regions || value->type->element == IR_I1)
    return;
  if (is_worth_it(t, value)) {
    t->roots[t->num_roots++] = op;
    return;
  }
  for (unsigned i = 0; i < op->num_operands; i++)
    find_roots(t, ir_operand(op, i), visited);
}

/* What little is made of what others read from a table as well is made of that. */
static void drop_cheap_roots(tabulation *t) {
  for (unsigned i = 0; i < t->num_roots;) {
    unsigned seen = ++t->num_seen;
    for (unsigned k = 0; k < t->num_roots; k++)
      if (k != i)
        dependence_of(t, ir_result(t->roots[k], 0))->seen = seen;
    if (cost_of_value(t, ir_result(t->roots[i], 0), seen) < WORTH_IT)
      t->roots[i] = t->roots[--t->num_roots];
    else
      i++;
  }
}

/* ---------------------------------------------------------------------------------------------------------- tables */

/* Marks the ops of the body that the value is made of, and the arguments. */
static void mark_makers(const tabulation *t, const ir_value *value, unsigned seen) {
  dependence *known = dependence_of(t, value);
  if (!known || known->seen == seen)
    return;
  known->seen = seen;
  for (unsigned i = 0; value->op && i < value->op->num_operands; i++)
    mark_makers(t, ir_operand(value->op, i), seen);
}

/* The loops of a table: those that its numbers depend on by themselves, in order, and then the distances. */
typedef struct table_shape {
  unsigned num_loops, first, second; /* the pair */
  bool is_sum;
  unsigned loops[IR_MAX_LOOPS];
  ir_index first_extent, second_extent;
} table_shape;

static table_shape shape_of(const tabulation *t, ir_builder *builder, const dependence *d) {
  table_shape shape = {
      .first = (unsigned)__builtin_ctz(d->pair), .second = 31 - (unsigned)__builtin_clz(d->pair), .is_sum = d->is_sum};
  for (unsigned loop = 0; loop < ir_structure_of(t->op)->num_loops; loop++)
    if (d->loops >> loop & 1)
      shape.loops[shape.num_loops++] = loop;
  shape.first_extent = extent_compute(builder, extent_of_loop(t->op, shape.first));
  shape.second_extent = extent_compute(builder, extent_of_loop(t->op, shape.second));
  return shape;
}

static ir_value *empty_table(const tabulation *t, ir_builder *builder, const table_shape *shape, ir_scalar element) {
  ir_index sizes[IR_MAX_RANK];
  for (unsigned i = 0; i < shape->num_loops; i++)
    sizes[i] = extent_compute(builder, extent_of_loop(t->op, shape->loops[i]));
  ir_index distances = ir_index_add(builder, shape->first_extent, shape->second_extent);
  distances = ir_index_sub(builder, distances, ir_index_const(1));
  sizes[shape->num_loops] = ir_index_max(builder, distances, ir_index_const(0));
  return ir_empty(builder, element, shape->num_loops + 1, sizes);
}

/* The iterations of the pair, in the body of a table, that have its distance: the first of both loops that do. */
static void find_iterations(ir_builder *body, const table_shape *shape, ir_value **first, ir_value **second) {
  ir_index place = {.value = ir_loop_index(body, shape->num_loops)};
  ir_index one = ir_index_const(1), zero = ir_index_const(0), i, j;
  if (shape->is_sum) {
    i = ir_index_min(body, place, ir_index_sub(body, shape->first_extent, one));
    j = ir_index_sub(body, place, i);
  } else {
    ir_index distance = ir_index_sub(body, place, ir_index_sub(body, shape->second_extent, one));
    i = ir_index_max(body, distance, zero);
    j = ir_index_sub(body, i, distance);
  }
  *first = ir_index_value(body, i);
  *second = ir_index_value(body, j);
}

static void fill_body(tabulation *t, ir_op *table, const table_shape *shape, ir_op *root, ir_value_map *values) {
  ir_builder body = body_of(table);
  ir_value *indices[IR_MAX_LOOPS];
  for (unsigned i = 0; i < shape->num_loops; i++)
    indices[shape->loops[i]] = ir_loop_index(&body, i);
  find_iterations(&body, shape, &indices[shape->first], &indices[shape->second]);
  for (const ir_op *inner = ir_region(t->op, 0)->first; inner != root->next; inner = inner->next) {
    if (t->results[inner->mark].seen != t->num_seen)
      continue;
    if (inner->code == OP_LINALG_INDEX)
      ir_value_map_set(values, ir_result(inner, 0), indices[ir_attr_int_or(inner, "dim", 0)]);
    else
      ir_op_clone(&body, inner, values);
  }
  body_finish(&body, table, ir_value_map_get(values, ir_result(root, 0)));
}

/* The op that computes the table, which is new: itself, or one before that does the same. */
static ir_op *find_equal(ir_op *table) {
  const ir_op *out = ir_init(table, 0)->op;
  for (ir_op *other = table->prev; other; other = other->prev) {
    bool same = other->code == table->code && ir_attr_get(other, PASS_ONCE) &&
                other->num_operands == table->num_operands && other->num_attrs == table->num_attrs &&
                ir_attrs_equal(table->num_attrs, table->attrs, other->attrs) &&
                ir_result(other, 0)->type == ir_result(table, 0)->type;
    for (unsigned i = 0; same && i < ir_num_inputs(table); i++)
      same = ir_input(table, i) == ir_input(other, i);
    const ir_op *empty = same ? ir_init(other, 0)->op : NULL;
    same &= empty && empty->code == out->code;
    for (unsigned i = 0; same && i < out->num_operands; i++)
      same = ir_operand(out, i) == ir_operand(empty, i);
    if (same && ir_same_body(ir_region(table, 0), ir_region(other, 0))) {
      ir_op_erase(table);
      return other;
    }
  }
  return table;
}

/* Makes a table, before the op, of what `root` computes in its body. */
static ir_op *create_table(tabulation *t, ir_op *root, const table_shape *shape, ir_builder *builder) {
  const ir_structure *structure = ir_structure_of(t->op);
  const ir_expr *loops[IR_MAX_LOOPS] = {0};
  ir_value *result = ir_result(root, 0), *inputs[MAX_OPERANDS];
  const ir_map *maps[MAX_OPERANDS];
  unsigned places[MAX_OPERANDS], num_inputs = 0;
  for (unsigned i = 0; i < shape->num_loops; i++)
    loops[shape->loops[i]] = ir_expr_dim(builder->module, i);
  mark_makers(t, result, ++t->num_seen);
  for (unsigned i = 0; i < ir_num_inputs(t->op); i++)
    if (t->arguments[i].seen == t->num_seen) {
      inputs[num_inputs] = ir_input(t->op, i);
      maps[num_inputs] = ir_map_replace(builder->module, structure->maps[i], shape->num_loops + 1, loops);
      places[num_inputs++] = i;
    }
  ir_value *out = empty_table(t, builder, shape, result->type->element);
  maps[num_inputs] = ir_map_identity(builder->module, shape->num_loops + 1);
  ir_op *table = ir_generic(builder, num_inputs, inputs, 1, &out, maps, shape->num_loops + 1, 0);
  ir_attr_set(table, PASS_ONCE, ir_attr_unit(builder->module));
  ir_value_map *values = ir_value_map_create(builder->module);
  for (unsigned i = 0; i < num_inputs; i++)
    ir_value_map_set(values, body_argument(t->op, places[i]), body_argument(table, i));
  fill_body(t, table, shape, root, values);
  return find_equal(table);
}

/* Puts a read of the table in the place of what the op of the body computes. */
static void read_table(ir_op *root, ir_value *table, const table_shape *shape) {
  ir_builder body = ir_builder_before(root);
  ir_value *operands[IR_MAX_RANK + 1] = {table};
  for (unsigned i = 0; i < shape->num_loops; i++)
    operands[1 + i] = ir_loop_index(&body, shape->loops[i]);
  ir_index i = {.value = ir_loop_index(&body, shape->first)}, j = {.value = ir_loop_index(&body, shape->second)};
  ir_index last = ir_index_sub(&body, shape->second_extent, ir_index_const(1));
  ir_index place = shape->is_sum ? ir_index_add(&body, i, j) : ir_index_add(&body, ir_index_sub(&body, i, j), last);
  operands[1 + shape->num_loops] = ir_index_value(&body, place);
  ir_replace_op(root, ir_create(&body, OP_TENSOR_EXTRACT, NULL, shape->num_loops + 2, operands, 0, NULL));
}

static bool reads_table(const ir_op *op) {
  bool found = false;
  for (const ir_op *inner = op && body_is_pointwise(op) ? ir_region(op, 0)->first : NULL; inner; inner = inner->next) {
    const ir_op *source = inner->code == OP_TENSOR_EXTRACT ? ir_operand(inner, 0)->op : NULL;
    found |= source && ir_attr_get(source, PASS_ONCE);
  }
  return found;
}

/* What the body no longer needs does not keep its readers from taking it in. */
static void drop_unused(const ir_op *op) {
  for (ir_op *inner = ir_region(op, 0)->last->prev, *previous; inner; inner = previous) {
    previous = inner->prev;
    if (ir_op_unused(inner) && pass_is_pure(inner))
      ir_op_erase(inner);
  }
}

/* Replaces what the body of the op computes so; its tables stand before it. */
static void tabulate(ir_op *op, const pass_options *options) {
  tabulation t = {.op = op};
  uint32_t indices = body_indices(op);
  ir_arena *arena = &op->module->arena;
  if (!(indices & (indices - 1)) || op->num_operands > MAX_OPERANDS || !find_dependences(&t))
    return;
  find_roots(&t, ir_yielded(op, 0), IR_NEW_ARRAY(arena, bool, MAX_OPS));
  drop_cheap_roots(&t);
  ir_builder builder = ir_builder_before(op);
  table_shape shapes[MAX_TABLES];
  ir_value *tables[MAX_TABLES];
  for (unsigned i = 0; i < t.num_roots; i++) {
    shapes[i] = shape_of(&t, &builder, dependence_of(&t, ir_result(t.roots[i], 0)));
    tables[i] = ir_result(create_table(&t, t.roots[i], &shapes[i], &builder), 0);
    if (options->explain)
      ir_remark(op->module, t.roots[i]->loc, "computed once for each %s of two indices, and read from a table",
                shapes[i].is_sum ? "sum" : "difference");
  }
  for (unsigned i = 0; i < t.num_roots; i++)
    read_table(t.roots[i], tables[i], &shapes[i]);
  if (t.num_roots)
    drop_unused(op);
}

void pass_tabulate(ir_op *op, const pass_options *options) {
  if (target_is_gpu(options->target) || !body_is_pointwise(op))
    return;
  tabulate(op, options);
  bool reads = false;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    reads |= reads_table(ir_input(op, i)->op);
  if (reads)
    pass_merge_elementwise(op, options);
}
