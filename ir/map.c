/* map.c - affine expressions and maps.
 *
 * Expressions are simplified while they are built: sums and multiples by constants become one flat sum of distinct
 * terms, constants fold, divisions by constants cancel. Equal sums meet as one pointer; building looks at each node
 * once. */
#include "intern.h"

#include <string.h>

static uint64_t expr_hash(const ir_expr *expr) {
  uint64_t hash = ir_hash_combine(expr->kind, (uint64_t)expr->value);
  hash = ir_hash_combine(hash, (uint64_t)(uintptr_t)expr->lhs);
  return ir_hash_combine(hash, (uint64_t)(uintptr_t)expr->rhs);
}

static bool expr_equal(const void *left, const void *right) {
  const ir_expr *a = left, *b = right;
  return a->kind == b->kind && a->value == b->value && a->lhs == b->lhs && a->rhs == b->rhs;
}

static const ir_expr *intern_expr(ir_module *module, const ir_expr *key) {
  uint64_t hash = expr_hash(key);
  const ir_expr *found = ir_table_find(module->exprs, hash, key, expr_equal);
  if (!found) {
    found = ir_arena_copy(&module->arena, key, sizeof *key);
    ir_table_add(&module->arena, module->exprs, hash, found);
  }
  return found;
}

const ir_expr *ir_expr_const(ir_module *module, int64_t value) {
  return intern_expr(module, &(ir_expr){.kind = IR_EXPR_CONST, .value = value});
}

const ir_expr *ir_expr_dim(ir_module *module, unsigned number) {
  return intern_expr(module, &(ir_expr){.kind = IR_EXPR_DIM, .value = number});
}

const ir_expr *ir_expr_sym(ir_module *module, unsigned number) {
  return intern_expr(module, &(ir_expr){.kind = IR_EXPR_SYM, .value = number});
}

/* Wrapping arithmetic: hostile constants must not be undefined behaviour. */
static int64_t fold(ir_expr_kind kind, int64_t a, int64_t b) {
  int64_t quotient, remainder;
  switch (kind) {
  case IR_EXPR_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case IR_EXPR_MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  default:
    break;
  }
  if (b <= 0) /* no meaning; the verifier refuses such constants */
    return 0;
  quotient = a / b;
  remainder = a % b;
  if (kind == IR_EXPR_FLOORDIV)
    return quotient - (remainder < 0);
  if (kind == IR_EXPR_CEILDIV)
    return quotient + (remainder > 0);
  return remainder < 0 ? remainder + b : remainder;
}

/* Is `expr` a multiple of `factor` whatever its dims are? */
static bool is_multiple(const ir_expr *expr, int64_t factor) {
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return expr->value % factor == 0;
  case IR_EXPR_ADD:
    return is_multiple(expr->lhs, factor) && is_multiple(expr->rhs, factor);
  case IR_EXPR_MUL:
    return is_multiple(expr->lhs, factor) || is_multiple(expr->rhs, factor);
  case IR_EXPR_MOD:
    return is_multiple(expr->lhs, factor) && is_multiple(expr->rhs, factor);
  default:
    return factor == 1;
  }
}

/* A sum as terms times coefficients plus a constant; sums with more terms stay as they are built. */
enum { MAX_TERMS = 24 };

typedef struct linear_sum {
  const ir_expr *terms[MAX_TERMS];
  int64_t coefficients[MAX_TERMS], constant;
  unsigned count;
} linear_sum;

/* Adds expr * coefficient, term by term, equal terms together. False when there are too many terms. */
static bool collect(linear_sum *sum, const ir_expr *expr, int64_t coefficient) {
  if (expr->kind == IR_EXPR_ADD)
    return collect(sum, expr->lhs, coefficient) && collect(sum, expr->rhs, coefficient);
  if (expr->kind == IR_EXPR_CONST) {
    sum->constant = fold(IR_EXPR_ADD, sum->constant, fold(IR_EXPR_MUL, expr->value, coefficient));
    return true;
  }
  if (expr->kind == IR_EXPR_MUL && expr->rhs->kind == IR_EXPR_CONST)
    return collect(sum, expr->lhs, fold(IR_EXPR_MUL, coefficient, expr->rhs->value));
  unsigned i = 0;
  while (i < sum->count && sum->terms[i] != expr)
    i++;
  if (i == MAX_TERMS)
    return false;
  if (i == sum->count)
    sum->terms[sum->count++] = expr;
  sum->coefficients[i] = fold(IR_EXPR_ADD, sum->coefficients[i], coefficient);
  return true;
}

/* The sum as an expression: terms in order of appearance, the constant last; the canonical form of sums and
 * multiples. */
static const ir_expr *rebuild(ir_module *module, const linear_sum *sum) {
  const ir_expr *result = NULL;
  for (unsigned i = 0; i < sum->count; i++) {
    const ir_expr *term = sum->terms[i];
    if (!sum->coefficients[i])
      continue;
    if (sum->coefficients[i] != 1)
      term = intern_expr(
          module, &(ir_expr){.kind = IR_EXPR_MUL, .lhs = term, .rhs = ir_expr_const(module, sum->coefficients[i])});
    result = result ? intern_expr(module, &(ir_expr){.kind = IR_EXPR_ADD, .lhs = result, .rhs = term}) : term;
  }
  const ir_expr *constant = ir_expr_const(module, sum->constant);
  if (result && sum->constant)
    return intern_expr(module, &(ir_expr){.kind = IR_EXPR_ADD, .lhs = result, .rhs = constant});
  return result ? result : constant;
}

static const ir_expr *simplify_add(ir_module *module, const ir_expr *lhs, const ir_expr *rhs) {
  linear_sum sum = {0};
  return collect(&sum, lhs, 1) && collect(&sum, rhs, 1) ? rebuild(module, &sum) : NULL;
}

static const ir_expr *simplify_mul(ir_module *module, const ir_expr *lhs, const ir_expr *rhs) {
  linear_sum sum = {0};
  return rhs->kind == IR_EXPR_CONST && collect(&sum, lhs, rhs->value) ? rebuild(module, &sum) : NULL;
}

/* The quotient of a multiple of the divisor plus a constant is one of the multiple plus one of the constant; what is
 * left is the constant's alone. */
static const ir_expr *simplify_division(ir_module *module, ir_expr_kind kind, const ir_expr *lhs, const ir_expr *rhs) {
  linear_sum sum = {0};
  if (rhs->kind != IR_EXPR_CONST || rhs->value <= 0)
    return NULL;
  if (rhs->value == 1)
    return kind == IR_EXPR_MOD ? ir_expr_const(module, 0) : lhs;
  if (!collect(&sum, lhs, 1))
    return NULL;
  const ir_expr *of_constant = ir_expr_const(module, fold(kind, sum.constant, rhs->value));
  bool has_constant = sum.constant, is_exact = true;
  sum.constant = 0;
  const ir_expr *multiple = rebuild(module, &sum);
  if (!is_multiple(multiple, rhs->value))
    return NULL;
  if (kind == IR_EXPR_MOD)
    return of_constant;
  for (unsigned i = 0; i < sum.count; i++)
    is_exact &= sum.coefficients[i] % rhs->value == 0;
  if (!is_exact && !has_constant)
    return NULL;
  for (unsigned i = 0; is_exact && i < sum.count; i++)
    sum.coefficients[i] /= rhs->value;
  return ir_expr_binary(module, IR_EXPR_ADD,
                        is_exact ? rebuild(module, &sum) : ir_expr_binary(module, kind, multiple, rhs), of_constant);
}

const ir_expr *ir_expr_binary(ir_module *module, ir_expr_kind kind, const ir_expr *lhs, const ir_expr *rhs) {
  bool commutes = kind == IR_EXPR_ADD || kind == IR_EXPR_MUL;
  if (lhs->kind == IR_EXPR_CONST && rhs->kind == IR_EXPR_CONST && (commutes || rhs->value > 0))
    return ir_expr_const(module, fold(kind, lhs->value, rhs->value));
  if (commutes && (lhs->kind == IR_EXPR_CONST || (lhs->kind == IR_EXPR_SYM && rhs->kind == IR_EXPR_DIM))) {
    const ir_expr *swap = lhs;
    lhs = rhs;
    rhs = swap;
  }
  const ir_expr *simple = kind == IR_EXPR_ADD   ? simplify_add(module, lhs, rhs)
                          : kind == IR_EXPR_MUL ? simplify_mul(module, lhs, rhs)
                                                : simplify_division(module, kind, lhs, rhs);
  return simple ? simple : intern_expr(module, &(ir_expr){.kind = kind, .lhs = lhs, .rhs = rhs});
}

uint32_t ir_expr_dims(const ir_expr *expr) {
  if (expr->kind == IR_EXPR_DIM)
    return UINT32_C(1) << expr->value;
  return expr->lhs ? ir_expr_dims(expr->lhs) | ir_expr_dims(expr->rhs) : 0;
}

uint32_t ir_map_dims(const ir_map *map) {
  uint32_t dims = 0;
  for (unsigned i = 0; i < map->num_results; i++)
    dims |= ir_expr_dims(map->results[i]);
  return dims;
}

int64_t ir_expr_eval(const ir_expr *expr, unsigned num_dims, const int64_t *dims) {
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return expr->value;
  case IR_EXPR_DIM:
    return dims[expr->value];
  case IR_EXPR_SYM:
    return dims[num_dims + expr->value];
  default:
    return fold(expr->kind, ir_expr_eval(expr->lhs, num_dims, dims), ir_expr_eval(expr->rhs, num_dims, dims));
  }
}

const ir_expr *ir_expr_replace(ir_module *module, const ir_expr *expr, const ir_expr *const *dims,
                               const ir_expr *const *syms) {
  const ir_expr *const *from = expr->kind == IR_EXPR_DIM ? dims : expr->kind == IR_EXPR_SYM ? syms : NULL;
  if (from && from[expr->value])
    return from[expr->value];
  if (!expr->lhs)
    return expr;
  return ir_expr_binary(module, expr->kind, ir_expr_replace(module, expr->lhs, dims, syms),
                        ir_expr_replace(module, expr->rhs, dims, syms));
}

/* ----------------------------------------------------------------------------------------------------------- maps */

static bool map_equal(const void *left, const void *right) {
  const ir_map *a = left, *b = right;
  return a->num_dims == b->num_dims && a->num_syms == b->num_syms && a->num_results == b->num_results &&
         (!a->num_results || !memcmp(a->results, b->results, a->num_results * sizeof(void *)));
}

const ir_map *ir_map_get(ir_module *module, unsigned num_dims, unsigned num_syms, unsigned num_results,
                         const ir_expr *const *results) {
  ir_map key = {num_dims, num_syms, num_results, results};
  uint64_t hash = ir_hash_bytes(num_dims * 64u + num_syms, results, num_results * sizeof(void *));
  const ir_map *found = ir_table_find(module->maps, hash, &key, map_equal);
  if (found)
    return found;
  ir_map *map = ir_arena_copy(&module->arena, &key, sizeof key);
  map->results = ir_arena_copy(&module->arena, results, num_results * sizeof(void *));
  ir_table_add(&module->arena, module->maps, hash, map);
  return map;
}

const ir_map *ir_map_replace(ir_module *module, const ir_map *map, unsigned num_dims, const ir_expr *const *dims) {
  const ir_expr *results[IR_MAX_LOOPS];
  for (unsigned i = 0; i < map->num_results; i++)
    results[i] = ir_expr_replace(module, map->results[i], dims, NULL);
  return ir_map_get(module, num_dims, 0, map->num_results, results);
}

const ir_map *ir_map_select(ir_module *module, unsigned num_dims, unsigned num_results, const unsigned *dims) {
  const ir_expr *results[IR_MAX_LOOPS];
  for (unsigned i = 0; i < num_results; i++)
    results[i] = ir_expr_dim(module, dims ? dims[i] : i);
  return ir_map_get(module, num_dims, 0, num_results, results);
}

const ir_map *ir_map_identity(ir_module *module, unsigned num_dims) {
  return ir_map_select(module, num_dims, num_dims, NULL);
}

const ir_map *ir_map_without(ir_module *module, unsigned num_dims, unsigned count, const int64_t *dims) {
  unsigned kept[IR_MAX_LOOPS], n = 0;
  for (unsigned dim = 0; dim < num_dims; dim++) {
    bool dropped = false;
    for (unsigned i = 0; i < count; i++)
      dropped |= dims[i] == dim;
    if (!dropped)
      kept[n++] = dim;
  }
  return ir_map_select(module, num_dims, n, kept);
}

int ir_map_result_dim(const ir_map *map, unsigned i) {
  return map->results[i]->kind == IR_EXPR_DIM ? (int)map->results[i]->value : -1;
}

int ir_map_last_dim(const ir_map *map) {
  return map->num_results ? ir_map_result_dim(map, map->num_results - 1) : -1;
}

int ir_map_find_dim(const ir_map *map, unsigned dim) {
  for (unsigned i = 0; i < map->num_results; i++)
    if (ir_map_result_dim(map, i) == (int)dim)
      return (int)i;
  return -1;
}

bool ir_map_is_identity(const ir_map *map) {
  for (unsigned i = 0; i < map->num_results; i++)
    if (ir_map_result_dim(map, i) != (int)i)
      return false;
  return map->num_results == map->num_dims && !map->num_syms;
}

bool ir_map_is_projected_permutation(const ir_map *map) {
  for (unsigned i = 0; i < map->num_results; i++) {
    int dim = ir_map_result_dim(map, i);
    if (dim < 0 || ir_map_find_dim(map, (unsigned)dim) != (int)i)
      return false;
  }
  return !map->num_syms;
}

bool ir_map_is_permutation(const ir_map *map) {
  return map->num_results == map->num_dims && ir_map_is_projected_permutation(map);
}
