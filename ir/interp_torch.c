/* interp_torch.c - torch-mlir's scatters, scans and sorts in the interpreter, element by element as they are defined.
 *
 * Terminates: nested loops over extents; a sort merges runs that double in length. */
#include "interp_internal.h"
#include "torch.h"

#include <math.h>

enum { MAX_OPERANDS = 3 };

/* What the body makes of two elements. */
static bool combine(ir_interp *interp, const ir_op *op, ir_cell first, ir_cell second, ir_cell *result) {
  const ir_block *body = ir_region(op, 0);
  interp_set_cell(interp, body->args[0], first);
  interp_set_cell(interp, body->args[1], second);
  if (!interp_run_block(interp, body))
    return false;
  *result = interp_operand(interp, body->last, 0)->cell;
  return true;
}

/* The first cell of update `number` in what it goes into; NULL after a reported error. */
static ir_cell *place_of(const ir_op *op, interp_value *const *values, int64_t number) {
  interp_value *updates = values[SCATTER_UPDATES], *indices = values[SCATTER_INDICES], *into = values[SCATTER_INTO];
  unsigned first = ir_scatter_first_dim(op);
  ir_cell *place = interp_cells(into);
  for (unsigned dim = 0; dim < into->rank; dim++) {
    int64_t size = dim < first ? 1 : updates->shape[1 + dim - first], start = 0;
    int column = ir_scatter_column(op, dim);
    if (column >= 0)
      start = interp_cells(indices)[number * indices->strides[0] + column * indices->strides[1]].i;
    if (start < 0 || size > into->shape[dim] || start > into->shape[dim] - size) {
      ir_op_error(op, "update %lld begins at %lld along dim %u and leaves it, which has extent %lld", (long long)number,
                  (long long)start, dim, (long long)into->shape[dim]);
      return NULL;
    }
    place += start * into->strides[dim];
  }
  return place;
}

static bool run_scatter(ir_interp *interp, const ir_op *op) {
  interp_value taken[MAX_OPERANDS], *values[MAX_OPERANDS];
  if (!interp_take_operands(interp, op, taken, values))
    return false;
  interp_value *updates = values[SCATTER_UPDATES], *into = values[SCATTER_INTO];
  if (updates->shape[0] != values[SCATTER_INDICES]->shape[0])
    return ir_op_error(op, "has %lld updates, but indices for %lld", (long long)updates->shape[0],
                       (long long)values[SCATTER_INDICES]->shape[0]);
  interp_nest nest = interp_nest_create(interp, updates->rank, updates->shape, 2);
  unsigned inner = nest.num_loops - 1, first = ir_scatter_first_dim(op);
  interp_nest_bind(&nest, 0, updates);
  for (unsigned dim = 1; dim < updates->rank; dim++)
    nest.strides[1][dim] = into->strides[first + dim - 1];
  for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner]; point++) {
      nest.counters[inner].i = point;
      ir_cell *place = place_of(op, values, nest.counters[0].i);
      ir_cell update = interp_cells(updates)[nest.positions[0] + point * nest.strides[0][inner]];
      if (!place)
        return false;
      place += nest.positions[1] + point * nest.strides[1][inner];
      if (!combine(interp, op, update, *place, place))
        return false;
    }
  interp_set_results(interp, op, taken);
  return true;
}

static bool run_scan(ir_interp *interp, const ir_op *op) {
  enum { IN, OUT, LAST };
  interp_value taken[MAX_OPERANDS], *values[MAX_OPERANDS];
  if (!interp_take_operands(interp, op, taken, values))
    return false;
  unsigned scanned = (unsigned)ir_attr_int_or(op, "dimension", 0), rank = values[LAST]->rank;
  bool inclusive = ir_attr_int_or(op, "inclusive", 1);
  interp_nest nest = interp_nest_create(interp, rank, values[LAST]->shape, MAX_OPERANDS);
  for (unsigned dim = 0; dim <= rank; dim++) {
    unsigned loop = dim - (dim > scanned);
    if (values[IN]->shape[dim] != values[OUT]->shape[dim] ||
        (dim != scanned && values[IN]->shape[dim] != values[LAST]->shape[loop]))
      return ir_op_error(op, "the extents of its operands do not agree along dim %u", dim);
    for (unsigned i = 0; dim != scanned && i < LAST; i++)
      nest.strides[i][loop] = values[i]->strides[dim];
  }
  interp_nest_bind(&nest, LAST, values[LAST]);
  unsigned inner = nest.num_loops - 1;
  int64_t count = values[IN]->shape[scanned], in_step = values[IN]->strides[scanned];
  int64_t out_step = values[OUT]->strides[scanned];
  for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner]; point++) {
      ir_cell *at[MAX_OPERANDS];
      for (unsigned i = 0; i < MAX_OPERANDS; i++)
        at[i] = interp_cells(values[i]) + nest.positions[i] + point * nest.strides[i][inner];
      for (int64_t i = 0; i < count; i++) {
        ir_cell before = *at[LAST];
        if (!combine(interp, op, before, at[IN][i * in_step], at[LAST]))
          return false;
        at[OUT][i * out_step] = inclusive ? *at[LAST] : before;
      }
    }
  interp_set_results(interp, op, taken);
  return true;
}

/* A row to be sorted, of each out. */
typedef struct sort_run {
  ir_interp *interp;
  const ir_op *op;
  ir_cell **rows;
  const int64_t *steps;
  bool nan_first;
} sort_run;

/* The body's answer for the elements at two places of the row. */
static bool ask(const sort_run *run, int64_t first, int64_t second, bool *answer) {
  const ir_block *body = ir_region(run->op, 0);
  for (unsigned i = 0; i < run->op->num_operands; i++) {
    interp_set_cell(run->interp, body->args[2 * i], run->rows[i][first * run->steps[i]]);
    interp_set_cell(run->interp, body->args[2 * i + 1], run->rows[i][second * run->steps[i]]);
  }
  if (!interp_run_block(run->interp, body))
    return false;
  *answer = interp_operand(run->interp, body->last, 0)->cell.i & 1;
  return true;
}

static bool has_nan(const sort_run *run, int64_t place) {
  bool found = false;
  for (unsigned i = 0; i < run->op->num_operands; i++)
    found |= ir_scalar_is_float(ir_operand(run->op, i)->type->element) && ir_sort_compares(run->op, i) &&
             isnan(run->rows[i][place * run->steps[i]].f);
  return found;
}

/* The first of the two goes before the second, and not only because the body does not mind. */
static bool goes_before(const sort_run *run, int64_t first, int64_t second, bool *before) {
  bool first_nan = has_nan(run, first), second_nan = has_nan(run, second), other = false;
  if (first_nan || second_nan) {
    *before = first_nan != second_nan && first_nan == run->nan_first;
    return true;
  }
  if (!ask(run, first, second, before) || !ask(run, second, first, &other))
    return false;
  *before &= !other;
  return true;
}

/* Two neighbouring runs of `order` become one in `merged`; from equal elements the left run's come first. */
static bool merge_runs(const sort_run *run, const int64_t *order, int64_t left, int64_t right, int64_t end,
                       int64_t *merged) {
  for (int64_t i = left, j = right, k = left; k < end; k++) {
    bool take_right = i == right;
    if (i < right && j < end && !goes_before(run, order[j], order[i], &take_right))
      return false;
    merged[k] = take_right ? order[j++] : order[i++];
  }
  return true;
}

static bool sort_row(const sort_run *run, int64_t count, int64_t *order, int64_t *merged, ir_cell *cells) {
  for (int64_t i = 0; i < count; i++)
    order[i] = i;
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t left = 0; left < count; left += 2 * width) {
      int64_t right = left + width < count ? left + width : count;
      int64_t end = right + width < count ? right + width : count;
      if (!merge_runs(run, order, left, right, end, merged))
        return false;
    }
    int64_t *last = order;
    order = merged;
    merged = last;
  }
  for (unsigned i = 0; i < run->op->num_operands; i++) {
    for (int64_t k = 0; k < count; k++)
      cells[k] = run->rows[i][order[k] * run->steps[i]];
    for (int64_t k = 0; k < count; k++)
      run->rows[i][k * run->steps[i]] = cells[k];
  }
  return true;
}

static bool run_sort(ir_interp *interp, const ir_op *op) {
  ir_arena *arena = &interp->scratch;
  unsigned sorted = (unsigned)ir_attr_int_or(op, "dimension", 0), rank = ir_operand(op, 0)->type->rank;
  interp_value *taken = IR_NEW_ARRAY(arena, interp_value, op->num_operands);
  interp_value **values = IR_NEW_ARRAY(arena, interp_value *, op->num_operands);
  int64_t extents[IR_MAX_RANK], *steps = IR_NEW_ARRAY(arena, int64_t, op->num_operands);
  if (!interp_take_operands(interp, op, taken, values))
    return false;
  for (unsigned dim = 0; dim < rank; dim++) {
    for (unsigned i = 1; i < op->num_operands; i++)
      if (values[i]->shape[dim] != values[0]->shape[dim])
        return ir_op_error(op, "the extents of its operands do not agree along dim %u", dim);
    extents[dim] = dim == sorted ? 1 : values[0]->shape[dim];
  }
  int64_t count = values[0]->shape[sorted];
  interp_nest nest = interp_nest_create(interp, rank, extents, op->num_operands);
  sort_run run = {interp, op, IR_NEW_ARRAY(arena, ir_cell *, op->num_operands), steps, ir_sort_puts_nan_first(op)};
  for (unsigned i = 0; i < op->num_operands; i++) {
    interp_nest_bind(&nest, i, values[i]);
    steps[i] = values[i]->strides[sorted];
  }
  int64_t *order = IR_NEW_ARRAY(arena, int64_t, (size_t)count), *merged = IR_NEW_ARRAY(arena, int64_t, (size_t)count);
  ir_cell *cells = IR_NEW_ARRAY(arena, ir_cell, (size_t)count);
  unsigned inner = rank - 1;
  for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner]; point++) {
      for (unsigned i = 0; i < op->num_operands; i++)
        run.rows[i] = interp_cells(values[i]) + nest.positions[i] + point * nest.strides[i][inner];
      if (!sort_row(&run, count, order, merged, cells))
        return false;
    }
  interp_set_results(interp, op, taken);
  return true;
}

static bool run(ir_interp *interp, const ir_op *op, bool (*hook)(ir_interp *interp, const ir_op *op)) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = hook(interp, op);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

bool eval_scatter(ir_interp *interp, const ir_op *op) { return run(interp, op, run_scatter); }

bool eval_scan(ir_interp *interp, const ir_op *op) { return run(interp, op, run_scan); }

bool eval_sort(ir_interp *interp, const ir_op *op) { return run(interp, op, run_sort); }
