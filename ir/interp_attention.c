/* interp_attention.c - attention ops in the interpreter, row by row as they are defined: scores of all keys, then their
 * weights, then the weighted values.
 *
 * Each step is rounded to f32, or f64 where an operand is that. The sum 0 (no keys, or masked ones only) gives 0.
 * Terminates: nested loops over extents. */
#include "attention.h"
#include "interp_internal.h"

#include <math.h>

enum { MAX_OPERANDS = 8, ONLINE_MAX = 1, ONLINE_SUM = 2 };

typedef struct attention_run {
  ir_interp *interp;
  const ir_op *op;
  ir_attention loops;
  unsigned num_loops, key_loop, first_init;
  interp_value *values[MAX_OPERANDS];
  int64_t strides[MAX_OPERANDS][IR_MAX_LOOPS], extents[IR_MAX_LOOPS];
  ir_cell counters[IR_MAX_LOOPS];
  ir_scalar element; /* of what is computed on the way */
  double *scores;    /* of a row */
} attention_run;

static ir_cell *cell_at(attention_run *run, unsigned operand) {
  ir_cell *cell = interp_cells(run->values[operand]);
  for (unsigned loop = 0; loop < run->num_loops; loop++)
    cell += run->counters[loop].i * run->strides[operand][loop];
  return cell;
}

static double number_at(attention_run *run, unsigned operand) { return cell_at(run, operand)->f; }

static double rounded(const attention_run *run, double value) {
  return interp_finish(run->interp, run->element, (ir_cell){.f = value}).f;
}

/* A factor of one of the two products. */
static double factor(const attention_run *run, double value) { return interp_factor(run->interp, run->element, value); }

/* Begins a walk over a set of loops; false where there is nothing to walk over. */
static bool walk_begin(attention_run *run, uint32_t loops) {
  bool some = true;
  for (unsigned loop = 0; loop < run->num_loops; loop++)
    if (loops >> loop & 1) {
      run->counters[loop].i = 0;
      some &= run->extents[loop] > 0;
    }
  return some;
}

static bool walk_next(attention_run *run, uint32_t loops) {
  for (unsigned loop = run->num_loops; loop-- > 0;)
    if (loops >> loop & 1) {
      if (++run->counters[loop].i < run->extents[loop])
        return true;
      run->counters[loop].i = 0;
    }
  return false;
}

static bool compute_score(attention_run *run, double *score) {
  ir_interp *interp = run->interp;
  const ir_block *body = ir_region(run->op, 0);
  double product = 0;
  for (bool more = walk_begin(run, run->loops.depth); more; more = walk_next(run, run->loops.depth))
    product = rounded(run, product + rounded(run, factor(run, number_at(run, ATTENTION_QUERY)) *
                                                      factor(run, number_at(run, ATTENTION_KEY))));
  product = rounded(run, product * run->values[ATTENTION_SCALE]->cell.f);
  interp_set_cell(interp, body->args[0], interp_finish(interp, body->args[0]->type->element, (ir_cell){.f = product}));
  const ir_cell *outer = interp->counters;
  interp->counters = run->counters;
  bool done = interp_run_block(interp, body);
  interp->counters = outer;
  if (!done)
    return false;
  *score = interp_operand(interp, body->last, 0)->cell.f;
  if (run->loops.has_mask && run->values[ATTENTION_MASK]->element == IR_I1)
    *score = cell_at(run, ATTENTION_MASK)->i ? *score : -INFINITY;
  else if (run->loops.has_mask)
    *score = rounded(run, *score + number_at(run, ATTENTION_MASK));
  return true;
}

static void store(attention_run *run, unsigned init, double value) {
  ir_scalar element = run->values[run->first_init + init]->element;
  *cell_at(run, run->first_init + init) = interp_finish(run->interp, element, (ir_cell){.f = value});
}

static bool run_row(attention_run *run) {
  bool online = run->op->num_results > 1;
  int64_t count = run->extents[run->key_loop];
  double old_max = online ? number_at(run, run->first_init + ONLINE_MAX) : -INFINITY, max = old_max;
  double old_sum = online ? number_at(run, run->first_init + ONLINE_SUM) : 0, sum = 0;
  for (int64_t key = 0; key < count; key++) {
    run->counters[run->key_loop].i = key;
    if (!compute_score(run, &run->scores[key]))
      return false;
    max = isnan(run->scores[key]) || run->scores[key] > max ? run->scores[key] : max;
  }
  /* Not below the lowest finite value: -inf - -inf has no value. */
  ir_scalar element = online ? run->values[run->first_init + ONLINE_MAX]->element : run->element;
  double lowest = ir_float_from_bits(element, ir_float_to_bits(element, -INFINITY) - 1);
  max = max < lowest ? lowest : max;
  for (int64_t key = 0; key < count; key++)
    sum = rounded(run, sum + (run->scores[key] = rounded(run, exp(rounded(run, run->scores[key] - max)))));
  double correction = rounded(run, exp(rounded(run, old_max - max)));
  sum = rounded(run, sum + rounded(run, old_sum * correction));
  for (bool more = walk_begin(run, run->loops.columns); more; more = walk_next(run, run->loops.columns)) {
    double result = online ? rounded(run, number_at(run, run->first_init) * correction) : 0;
    for (int64_t key = 0; key < count; key++) {
      run->counters[run->key_loop].i = key;
      double product = factor(run, run->scores[key]) * factor(run, number_at(run, ATTENTION_VALUE));
      result = rounded(run, result + rounded(run, product));
    }
    run->counters[run->key_loop].i = 0;
    store(run, 0, online ? result : sum == 0 ? 0 : result / sum);
  }
  run->counters[run->key_loop].i = 0;
  if (online) {
    store(run, ONLINE_MAX, max);
    store(run, ONLINE_SUM, sum);
  }
  return true;
}

static bool run_attention(ir_interp *interp, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  interp_value taken[MAX_OPERANDS] = {0};
  attention_run *run = IR_NEW(&interp->scratch, attention_run);
  *run =
      (attention_run){.interp = interp, .op = op, .num_loops = structure->num_loops, .first_init = ir_num_inputs(op)};
  ir_attention_of(op, &run->loops);
  run->element = IR_F32;
  for (unsigned i = 0; i < op->num_operands; i++)
    run->element = ir_operand(op, i)->type->element == IR_F64 ? IR_F64 : run->element;
  run->key_loop = (unsigned)__builtin_ctz(run->loops.keys);
  if (!interp_take_operands(interp, op, taken, run->values) ||
      !interp_loop_extents(op, structure->num_loops, structure->num_maps, structure->maps, run->values, run->extents))
    return false;
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; dim < structure->maps[i]->num_results; dim++)
      run->strides[i][ir_map_result_dim(structure->maps[i], dim)] = run->values[i]->strides[dim];
  run->scores = IR_NEW_ARRAY(&interp->scratch, double, (size_t)run->extents[run->key_loop]);
  for (bool more = walk_begin(run, run->loops.rows); more; more = walk_next(run, run->loops.rows))
    if (!run_row(run))
      return false;
  interp_set_results(interp, op, taken);
  return true;
}

bool eval_attention(ir_interp *interp, const ir_op *op) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = run_attention(interp, op);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}
