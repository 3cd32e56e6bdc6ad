/* distribute_contract.c - contractions for one lane.
 *
 * A contraction uses the matrix unit where its types and layouts fit one of its instructions: the registers of the
 * layouts are then fragments of instructions, and each product of fragments is one, or warpgroups multiply whole tiles
 * (distribute_warpgroup.c). Else it is left to distribute_product.c.
 * Terminates: loops over registers, dims and loops of static extents. */
#include "passes/fragments.h"

#include <stdlib.h>
#include <string.h>

/* The warp digits along one dim, as a layout of rank 1. */
static layout warps_along(const layout *l, unsigned dim) {
  layout result = {.rank = 1}, warps = distribute_level_part(l, LAYOUT_WARP);
  for (unsigned i = 0; i < warps.num_digits; i++)
    if (warps.digits[i].dim == dim) {
      result.digits[result.num_digits] = warps.digits[i];
      result.digits[result.num_digits++].dim = 0;
    }
  return result;
}

bool fragment_at(const fragments *f, int64_t row, int64_t column, int64_t *registers) {
  int64_t coord[LAYOUT_MAX_RANK];
  for (int64_t r = 0; r < f->registers; r++) {
    distribute_coord(&f->fragment, r, coord);
    coord[0] += row;
    coord[1] += column;
    registers[r] = distribute_find(&f->layout, coord);
    if (registers[r] < 0)
      return false;
  }
  return true;
}

int64_t fragment_places(ir_arena *arena, const fragments *f, int64_t (**places)[2]) {
  int64_t total = distribute_registers(&f->layout), count = 0, registers[FRAGMENT_REGISTERS], coord[LAYOUT_MAX_RANK];
  bool *used = IR_NEW_ARRAY(arena, bool, total);
  memset(used, 0, (size_t)total * sizeof *used);
  *places = ir_arena_alloc(arena, (size_t)total * sizeof **places);
  for (int64_t r = 0; r < total; r++) {
    if (used[r])
      continue;
    distribute_coord(&f->layout, r, coord);
    if (!fragment_at(f, coord[0], coord[1], registers))
      return 0;
    for (int64_t i = 0; i < f->registers; i++)
      used[registers[i]] = true;
    (*places)[count][0] = coord[0];
    (*places)[count++][1] = coord[1];
  }
  return count;
}

/* Lanes as in the fragment, warps as given, and all registers in fragments. */
static bool is_fragmented(ir_arena *arena, const fragments *f, const layout *row_warps, const layout *column_warps) {
  layout lanes = distribute_level_part(&f->layout, LAYOUT_LANE), wanted = distribute_lane_part(&f->fragment);
  layout rows = warps_along(&f->layout, 0), columns = warps_along(&f->layout, 1);
  int64_t(*places)[2];
  return layout_equal(&lanes, &wanted) && layout_equal(&rows, row_warps) && layout_equal(&columns, column_warps) &&
         fragment_places(arena, f, &places);
}

static fragments fragments_of(const ir_value *value, const unsigned dims[2], const char *name, int64_t rows,
                              int64_t columns) {
  fragments f = {.rows = rows, .columns = columns, .dims = {dims[0], dims[1]}};
  const char *why;
  layout_parse(name, &f.fragment, &why);
  f.registers = distribute_registers(&f.fragment);
  layout l = distribute_layout(value);
  f.layout = layout_permute(&l, dims);
  return f;
}

/* Finds out where the operand's fragments are. */
static void take_operand(distributor *d, ir_value *value, fragments *f) {
  if (distribute_is_deferred(value))
    f->source = distribute_matrix_source(d, value);
  else if (distribute_is_late(d, value))
    f->late = distribute_late_factor(d, value);
  else
    f->vector = distribute_lane(d, value, NULL);
}

/* A fragment from shared memory; where it is half of what one load gives, with the next along the columns. */
static ir_value *load_fragment(distributor *d, fragments *f, int64_t row, int64_t column) {
  enum { MOST = 4, PAIR = 2 }; /* matrices of one load; registers of one matrix */
  int64_t registers[MOST * PAIR], firsts[MOST], own = f->registers / PAIR, picked[MOST * PAIR];
  if (f->ahead_value && f->ahead[0] == row && f->ahead[1] == column)
    return f->ahead_value;
  fragment_at(f, row, column, registers);
  bool two = 2 * own <= MOST && fragment_at(f, row, column + f->columns, registers + f->registers);
  for (int64_t i = 0; i < (two ? 2 : 1) * own; i++)
    firsts[i] = registers[PAIR * i];
  ir_value *loaded = two ? distribute_matrices(f->source, (unsigned)(2 * own), firsts) : NULL;
  if (!loaded)
    return distribute_matrices(f->source, (unsigned)own, firsts);
  for (int64_t i = 0; i < 2 * f->registers; i++)
    picked[i] = i;
  f->ahead[0] = row;
  f->ahead[1] = column + f->columns;
  f->ahead_value = distribute_pick(d, loaded, f->registers, picked + f->registers);
  return distribute_pick(d, loaded, f->registers, picked);
}

static ir_value *load_late_fragment(const fragments *f, int64_t row, int64_t column) {
  layout fragment = f->fragment;
  int64_t offset[2];
  for (unsigned i = 0; i < f->layout.num_digits; i++)
    if (f->layout.digits[i].level == LAYOUT_WARP && f->layout.digits[i].dim_stride)
      fragment.digits[fragment.num_digits++] = f->layout.digits[i];
  fragment = layout_permute(&fragment, f->dims);
  offset[f->dims[0]] = row;
  offset[f->dims[1]] = column;
  return distribute_late_fragment(f->late, &fragment, offset);
}

/* One fragment, as 1-D vector. */
static ir_value *fragment_value(distributor *d, fragments *f, int64_t row, int64_t column) {
  int64_t registers[FRAGMENT_REGISTERS];
  if (f->source)
    return load_fragment(d, f, row, column);
  if (f->late)
    return load_late_fragment(f, row, column);
  fragment_at(f, row, column, registers);
  return distribute_pick(d, f->vector, f->registers, registers);
}

ir_value *fragment_rows(distributor *d, ir_value *flat, int64_t row) {
  const int64_t shape[] = {flat->type->shape[0] / row, row};
  return ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, flat, ir_type_vector(d->module, flat->type->element, 2, shape));
}

/* The product of one instruction. */
static ir_value *multiply_once(distributor *d, const target_matrix *matrix, ir_value *a, ir_value *b, ir_value *c) {
  const int64_t shape[] = {matrix->m, matrix->n, matrix->k};
  bool in_rows = matrix->op == OP_NVGPU_MMA_SYNC, rounds = matrix->element == IR_F32;
  ir_value *operands[] = {a, b, c};
  for (unsigned i = 0; in_rows && i < 3; i++)
    operands[i] = fragment_rows(d, operands[i], i < 2 && rounds ? 1 : 2);
  ir_named_attr attrs[] = {{"mmaShape", ir_attr_numbers(d->module, 3, shape)},
                           {"tf32Enabled", ir_attr_unit(d->module)}};
  ir_value *sum = ir_create(&d->at, matrix->op, operands[2]->type, 3, operands, in_rows ? 1 + rounds : 0, attrs);
  return in_rows ? ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, sum, c->type) : sum;
}

/* The registers of a fragment that are those of the unit's `part`: along `dim`, parts take turns of `run` elements.
 * Returns how many. */
static unsigned part_registers(const char *whole_name, const char *unit_name, unsigned dim, int64_t run, int64_t parts,
                               int64_t part, int64_t *registers) {
  layout whole, unit;
  const char *why;
  int64_t coord[LAYOUT_MAX_RANK];
  layout_parse(whole_name, &whole, &why);
  layout_parse(unit_name, &unit, &why);
  for (int64_t r = 0; r < distribute_registers(&unit); r++) {
    distribute_coord(&unit, r, coord);
    coord[dim] = coord[dim] % run + run * (part + parts * (coord[dim] / run));
    registers[r] = distribute_find(&whole, coord);
  }
  return (unsigned)distribute_registers(&unit);
}

/* Products that take turns along k add to the same sums, along n each to its own. */
static ir_value *multiply(distributor *d, const target_matrix *matrix, ir_value *a, ir_value *b, ir_value *c) {
  enum { PAIR = 2 };
  const target_matrix *unit = matrix->unit;
  if (!unit)
    return multiply_once(d, matrix, a, b, c);
  bool deep = matrix->k > unit->k;
  int64_t parts = deep ? matrix->k / unit->k : matrix->n / unit->n, run = deep ? PAIR : 1, sums = c->type->shape[0];
  int64_t registers[FRAGMENT_REGISTERS];
  ir_value *flat[FRAGMENT_REGISTERS];
  for (int64_t part = 0; part < parts; part++) {
    unsigned count = part_registers(matrix->rhs, unit->rhs, deep ? 0 : 1, run, parts, part, registers);
    ir_value *right = distribute_pick(d, b, count, registers);
    if (deep) {
      count = part_registers(matrix->lhs, unit->lhs, 1, run, parts, part, registers);
      c = multiply_once(d, unit, distribute_pick(d, a, count, registers), right, c);
      continue;
    }
    count = part_registers(matrix->acc, unit->acc, 1, run, parts, part, registers);
    ir_value *sum = multiply_once(d, unit, a, right, distribute_pick(d, c, count, registers));
    for (unsigned r = 0; r < count; r++)
      flat[registers[r]] = distribute_get(d, sum, r);
  }
  return deep ? c : distribute_pack(d, c->type->element, sums, flat);
}

static int compare_places(const int64_t *x, const int64_t *y, unsigned first) {
  unsigned dim = x[first] != y[first] ? first : 1 - first;
  return (x[dim] > y[dim]) - (x[dim] < y[dim]);
}

static int by_row(const void *a, const void *b) { return compare_places(a, b, 0); }

static int by_column(const void *a, const void *b) { return compare_places(a, b, 1); }

/* Orders places so that of the factor with more fragments few are in registers at a time. */
static void order_places(int64_t count, int64_t (*places)[2]) {
  int64_t rows = 0, columns = 0;
  for (int64_t i = 0; i < count; i++) {
    columns += places[i][0] == places[0][0];
    rows += places[i][1] == places[0][1];
  }
  qsort(places, (size_t)count, sizeof *places, rows > columns ? by_row : by_column);
}

/* Is what products are added to better added at the end? The matrix unit of SPIR-V's targets has a sum as one row of
 * registers; of one that changes between products, like a state that is scaled, drivers' compilers would copy each. */
static bool adds_at_end(const target_matrix *matrix, const fragments *a, const ir_value *acc) {
  const ir_attr *constant;
  return matrix->op == OP_XEGPU_DPAS && !a->late && acc->op && !ir_value_constant(acc, &constant);
}

/* Multiplies places[from .. to) along k outermost, so that products of one fragment of C are far apart. */
static void multiply_places(distributor *d, const target_matrix *matrix, fragments *factors, int64_t extent,
                            int64_t count, int64_t (*places)[2], ir_value **sums) {
  ir_arena *arena = &d->module->arena;
  ir_value **left = IR_NEW_ARRAY(arena, ir_value *, count), **right = IR_NEW_ARRAY(arena, ir_value *, count);
  for (int64_t k = 0; k < extent; k += matrix->k)
    for (int64_t i = 0; i < count; i++) {
      left[i] = right[i] = NULL;
      for (int64_t before = 0; before < i; before++) {
        left[i] = places[before][0] == places[i][0] ? left[before] : left[i];
        right[i] = places[before][1] == places[i][1] ? right[before] : right[i];
      }
      if (!left[i])
        left[i] = fragment_value(d, &factors[0], places[i][0], k);
      if (!right[i])
        right[i] = fragment_value(d, &factors[1], k, places[i][1]);
      sums[i] = multiply(d, matrix, left[i], right[i], sums[i]);
    }
}

/* All products of fragments: of all places together or, where they are added to C at the end, of a few at a time. */
static ir_value *multiply_fragments(distributor *d, const target_matrix *matrix, fragments *factors, fragments *c,
                                    int64_t extent, bool at_end) {
  enum { FEW = 32 }; /* registers of sums */
  ir_arena *arena = &d->module->arena;
  int64_t(*places)[2], registers[FRAGMENT_REGISTERS], total = distribute_registers(&c->layout);
  int64_t count = fragment_places(arena, c, &places), group = at_end ? FEW / c->registers : count;
  order_places(count, places);
  ir_value **sums = IR_NEW_ARRAY(arena, ir_value *, count), **flat = IR_NEW_ARRAY(arena, ir_value *, total);
  const ir_type *type = distribute_type(d, IR_F32, c->registers);
  for (int64_t first = 0; first < count; first += group) {
    int64_t size = count - first < group ? count - first : group;
    for (int64_t i = first; i < first + size; i++)
      sums[i] = at_end ? ir_const(&d->at, type, 0) : fragment_value(d, c, places[i][0], places[i][1]);
    multiply_places(d, matrix, factors, extent, size, places + first, sums + first);
    for (int64_t i = first; i < first + size && at_end; i++)
      sums[i] = ir_binary(&d->at, OP_ARITH_ADDF, fragment_value(d, c, places[i][0], places[i][1]), sums[i]);
  }
  for (int64_t i = 0; i < count; i++) {
    fragment_at(c, places[i][0], places[i][1], registers);
    for (int64_t r = 0; r < c->registers; r++)
      flat[registers[r]] = distribute_get(d, sums[i], r);
  }
  return distribute_pack(d, c->vector->type->element, total, flat);
}

/* That of the matrix unit's products of such operands for which the left factor lies right; NULL: none. */
static const target_matrix *choose_matrix(distributor *d, const ir_op *op, const anchor_product *p) {
  const layout none = {.rank = 1};
  for (unsigned i = 0; i < d->facts->num_matrices; i++) {
    const target_matrix *matrix = &d->facts->matrices[i];
    if (!anchor_fits(op, p, matrix))
      continue;
    fragments a = fragments_of(ir_operand(op, 0), p->dims[0], matrix->lhs, matrix->m, matrix->k);
    layout row_warps = warps_along(&a.layout, 0);
    if (is_fragmented(&d->module->arena, &a, &row_warps, &none))
      return matrix;
  }
  return NULL;
}

/* False, with nothing done, where no instruction fits the layouts. */
static bool contract_by_matrix_unit(distributor *d, const ir_op *op) {
  anchor_product p;
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1), *acc = ir_operand(op, 2), *result = ir_result(op, 0);
  const target_matrix *matrix = anchor_find_product(op, &p) ? choose_matrix(d, op, &p) : NULL;
  if (!matrix)
    return false;
  ir_arena *arena = &d->module->arena;
  fragments factors[] = {fragments_of(lhs, p.dims[0], matrix->lhs, matrix->m, matrix->k),
                         fragments_of(rhs, p.dims[1], matrix->rhs, matrix->k, matrix->n)};
  fragments sums = fragments_of(result, p.dims[2], matrix->acc, matrix->m, matrix->n);
  fragments c = fragments_of(acc, p.dims[2], matrix->acc, matrix->m, matrix->n);
  layout none = {.rank = 1}, row_warps = warps_along(&sums.layout, 0), column_warps = warps_along(&sums.layout, 1);
  if (!is_fragmented(arena, &sums, &row_warps, &column_warps) ||
      !is_fragmented(arena, &factors[0], &row_warps, &none) ||
      !is_fragmented(arena, &factors[1], &none, &column_warps) || !is_fragmented(arena, &c, &row_warps, &column_warps))
    return false;
  take_operand(d, lhs, &factors[0]);
  take_operand(d, rhs, &factors[1]);
  take_operand(d, acc, &c);
  if (distribute_warpgroups(d, op, matrix, factors, &c, p.extents[ANCHOR_DEPTH]))
    return true;
  ir_value *product =
      multiply_fragments(d, matrix, factors, &c, p.extents[ANCHOR_DEPTH], adds_at_end(matrix, &factors[0], acc));
  distribute_set(d, op, distribute_convert(d, product, &c.layout, &sums.layout, NULL));
  return true;
}

bool distribute_contract(distributor *d, const ir_op *op) {
  return contract_by_matrix_unit(d, op) || distribute_product(d, op);
}
