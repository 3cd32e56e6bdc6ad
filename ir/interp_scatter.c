/* interp_scatter.c - torch-mlir's scatters and scans in the interpreter, element by element as they are defined.
 *
 * Terminates: nested loops over extents. */
#include "interp_internal.h"
#include "scatter.h"

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

static bool run(ir_interp *interp, const ir_op *op, bool (*hook)(ir_interp *interp, const ir_op *op)) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = hook(interp, op);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

bool eval_scatter(ir_interp *interp, const ir_op *op) { return run(interp, op, run_scatter); }

bool eval_scan(ir_interp *interp, const ir_op *op) { return run(interp, op, run_scan); }
