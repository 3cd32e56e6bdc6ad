/* interp_structured.c - structured ops in the interpreter: strided loops around a compiled body; contractions; softmax.
 *
 * The loops' extents come from the operands' actual shapes and must agree. A subscript that is linear in the loops is
 * checked once over the whole iteration space and becomes strides; any other is evaluated and checked at each element.
 * The body becomes a list of instructions that read and write the slots of its values directly; ops without a `scalar`
 * hook run as anywhere else. Extents are finite and the loops count up, so all of this ends. */
#include "interp_internal.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- subscripts to strides */

/* Adds the coefficients of a linear expression, times `factor`, to coefficients[] and *constant. False if not
 * linear. */
static bool add_linear(const ir_expr *expr, int64_t factor, int64_t *coefficients, int64_t *constant) {
  int64_t term;
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return !__builtin_mul_overflow(factor, expr->value, &term) && !__builtin_add_overflow(*constant, term, constant);
  case IR_EXPR_DIM:
    return !__builtin_add_overflow(coefficients[expr->value], factor, &coefficients[expr->value]);
  case IR_EXPR_ADD:
    return add_linear(expr->lhs, factor, coefficients, constant) &&
           add_linear(expr->rhs, factor, coefficients, constant);
  case IR_EXPR_MUL:
    return expr->rhs->kind == IR_EXPR_CONST && !__builtin_mul_overflow(factor, expr->rhs->value, &term) &&
           add_linear(expr->lhs, term, coefficients, constant);
  default:
    return false;
  }
}

bool interp_loop_extents(const ir_op *op, unsigned num_loops, unsigned num_maps, const ir_map *const *maps,
                         interp_value *const *operands, int64_t *extents) {
  for (unsigned loop = 0; loop < num_loops; loop++) {
    extents[loop] = -1;
    for (unsigned i = 0; i < num_maps; i++)
      for (unsigned dim = 0; dim < maps[i]->num_results; dim++) {
        if (ir_map_result_dim(maps[i], dim) != (int)loop)
          continue;
        int64_t extent = operands[i]->shape[dim];
        if (extents[loop] >= 0 && extents[loop] != extent)
          return ir_op_error(op, "loop %u has extent %lld, but dim %u of operand %u has extent %lld", loop,
                             (long long)extents[loop], dim, i, (long long)extent);
        extents[loop] = extent;
      }
    if (extents[loop] < 0)
      return ir_op_error(op, "no operand gives the extent of loop %u", loop);
  }
  return true;
}

/* An operand while the loops run. */
typedef struct loop_operand {
  ir_cell *cells;
  ir_cell *argument;         /* the slot of the body's argument, NULL if the body does not read it */
  const ir_cell *yielded;    /* outputs: the slot of what the body yields */
  const interp_value *value; /* with `map`: the subscripts are not linear and are evaluated at each element */
  const ir_map *map;
} loop_operand;

/* Sets stride and start of operand `i` from its map; reports accesses out of bounds. *linear is false where the
 * subscripts must be evaluated at each element. */
static bool bind_map(const ir_op *op, interp_nest *nest, unsigned i, const ir_map *map, const interp_value *value,
                     bool *linear) {
  *linear = true;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int64_t coefficients[IR_MAX_LOOPS] = {0}, first = 0;
    if (!add_linear(map->results[dim], 1, coefficients, &first)) {
      *linear = false;
      return true;
    }
    int64_t low = first, high = first, span;
    bool overflow = false, empty = false;
    for (unsigned loop = 0; loop < map->num_dims; loop++) {
      empty |= !nest->extents[loop];
      overflow |= __builtin_mul_overflow(coefficients[loop], nest->extents[loop] - 1, &span);
      overflow |= __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high);
      nest->strides[i][loop] += coefficients[loop] * value->strides[dim];
    }
    if (!empty && (overflow || low < 0 || high >= value->shape[dim]))
      return ir_op_error(op, "operand %u is accessed from %lld to %lld in dim %u, which has extent %lld", i,
                         (long long)low, (long long)high, dim, (long long)value->shape[dim]);
    nest->positions[i] += first * value->strides[dim];
  }
  return true;
}

/* The cell that a non-linear map selects now; NULL after a reported error. */
static ir_cell *mapped_cell(const ir_op *op, const interp_nest *nest, const loop_operand *operand) {
  int64_t loops[IR_MAX_LOOPS], position = 0;
  for (unsigned loop = 0; loop < nest->num_loops; loop++)
    loops[loop] = nest->counters[loop].i;
  for (unsigned dim = 0; dim < operand->map->num_results; dim++) {
    int64_t subscript = ir_expr_eval(operand->map->results[dim], operand->map->num_dims, loops);
    if (subscript < 0 || subscript >= operand->value->shape[dim]) {
      ir_op_error(op, "subscript %lld is out of bounds: dim %u has extent %lld", (long long)subscript, dim,
                  (long long)operand->value->shape[dim]);
      return NULL;
    }
    position += subscript * operand->value->strides[dim];
  }
  return operand->cells + position;
}

/* -------------------------------------------------------------------------------------------------------- the body */

enum { MAX_SCALAR_OPERANDS = 3 };

/* `hook` NULL: the op runs through the interpreter, on the same slots. */
typedef struct instruction {
  const ir_op *op;
  ir_cell (*hook)(const ir_op *op, const ir_cell *operands);
  const char *(*undefined)(const ir_op *op, const ir_cell *operands);
  const ir_cell *operands[MAX_SCALAR_OPERANDS];
  ir_cell *result;
  ir_scalar element;
  bool finish; /* the result must be rounded or wrapped */
} instruction;

typedef struct program {
  unsigned count;
  instruction *instructions;
} program;

static bool is_scalar_op(const ir_op *op) {
  if (!ir_op_row(op)->scalar || op->num_operands > MAX_SCALAR_OPERANDS || ir_type_is_shaped(op->results[0].type))
    return false;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_type_is_shaped(ir_operand(op, i)->type))
      return false;
  return true;
}

static bool needs_finish(const ir_interp *interp, ir_scalar element) {
  if (ir_scalar_is_float(element))
    return interp->precision != IR_PRECISION_DOUBLE && element != IR_F64;
  return ir_scalar_bits(element) < 64;
}

static instruction compile_op(ir_interp *interp, const ir_op *op, const interp_nest *nest) {
  instruction result = {.op = op};
  if (ir_op_row(op)->eval == eval_index) {
    result.hook = scalar_copy;
    result.result = &interp_get(interp, ir_result(op, 0))->cell;
    result.operands[0] = &nest->counters[ir_attr_int_or(op, "dim", 0)];
    result.operands[1] = result.operands[2] = result.operands[0];
  } else if (is_scalar_op(op)) {
    result.hook = ir_op_row(op)->scalar;
    result.undefined = ir_op_row(op)->undefined;
    result.result = &interp_get(interp, ir_result(op, 0))->cell;
    result.element = op->results[0].type->element;
    result.finish = needs_finish(interp, result.element);
    for (unsigned i = 0; i < MAX_SCALAR_OPERANDS; i++)
      result.operands[i] = i < op->num_operands ? &interp_operand(interp, op, i)->cell : result.result;
  }
  return result;
}

/* Scalar constants are set once; everything else becomes an instruction. */
static bool compile_body(ir_interp *interp, const ir_block *body, const interp_nest *nest, program *code) {
  unsigned count = 0;
  for (const ir_op *op = body->first; op != body->last; op = op->next)
    count++;
  *code = (program){.instructions = IR_NEW_ARRAY(&interp->scratch, instruction, count)};
  for (const ir_op *op = body->first; op != body->last; op = op->next) {
    if (!ir_op_has(op, IR_CONSTANT) || ir_type_is_shaped(op->results[0].type))
      code->instructions[code->count++] = compile_op(interp, op, nest);
    else if (!interp_run_op(interp, op))
      return false;
  }
  return true;
}

static bool run_program(ir_interp *interp, const program *code) {
  for (unsigned i = 0; i < code->count; i++) {
    const instruction *step = &code->instructions[i];
    if (!step->hook) {
      if (!interp_run_op(interp, step->op))
        return false;
      continue;
    }
    ir_cell operands[MAX_SCALAR_OPERANDS] = {*step->operands[0], *step->operands[1], *step->operands[2]};
    const char *reason = step->undefined ? step->undefined(step->op, operands) : NULL;
    if (reason)
      return ir_op_error(step->op, "%s", reason);
    ir_cell result = step->hook(step->op, operands);
    *step->result = step->finish ? interp_finish(interp, step->element, result) : result;
  }
  return true;
}

/* Runs the body at each point of the nest. */
static bool run_loops(ir_interp *interp, const ir_op *op, interp_nest *nest, loop_operand *operands,
                      const program *code) {
  unsigned inner = nest->num_loops - 1, num_inputs = ir_num_inputs(op);
  ir_cell **at = IR_NEW_ARRAY(&interp->scratch, ir_cell *, op->num_operands);
  for (bool more = interp_nest_begin(nest); more; more = interp_nest_next(nest))
    for (int64_t point = 0; point < nest->extents[inner]; point++) {
      nest->counters[inner].i = point;
      for (unsigned i = 0; i < op->num_operands; i++) {
        loop_operand *operand = &operands[i];
        at[i] = operand->map ? mapped_cell(op, nest, operand)
                             : operand->cells + nest->positions[i] + point * nest->strides[i][inner];
        if (!at[i])
          return false;
        if (operand->argument)
          *operand->argument = *at[i];
      }
      if (!run_program(interp, code))
        return false;
      for (unsigned i = num_inputs; i < op->num_operands; i++)
        *at[i] = *operands[i].yielded;
    }
  return true;
}

/* ---------------------------------------------------------------------------------------------------- contractions */

/* The innermost loop of a contraction: the one in which most operands stand still or step by one cell. The order of the
 * sums does not change, as long as no reduction overtakes another one. */
static unsigned best_inner_loop(const interp_nest *nest) {
  unsigned best = nest->num_loops - 1, best_cost = 4;
  bool after_reduction = false;
  for (unsigned loop = nest->num_loops; loop-- > 0;) {
    bool reduction = !nest->strides[2][loop];
    unsigned cost = 0;
    for (unsigned i = 0; i < 3; i++)
      cost += nest->strides[i][loop] != 0 && nest->strides[i][loop] != 1;
    if (cost < best_cost && nest->extents[loop] > 1 && !(reduction && after_reduction)) {
      best = loop;
      best_cost = cost;
    }
    after_reduction |= reduction;
  }
  return best;
}

static void move_loop_inside(interp_nest *nest, unsigned loop) {
  unsigned last = nest->num_loops - 1;
  int64_t extent = nest->extents[loop];
  memmove(nest->extents + loop, nest->extents + loop + 1, (last - loop) * sizeof extent);
  nest->extents[last] = extent;
  for (unsigned i = 0; i < nest->num_operands; i++) {
    int64_t stride = nest->strides[i][loop];
    memmove(nest->strides[i] + loop, nest->strides[i] + loop + 1, (last - loop) * sizeof stride);
    nest->strides[i][last] = stride;
  }
}

/* One innermost loop; steps in cells. */
typedef struct contraction_row {
  const ir_cell *a, *b;
  ir_cell *c;
  int64_t count, a_step, b_step, c_step;
} contraction_row;

static void run_row_double(const contraction_row *row) {
  const ir_cell *a = row->a, *b = row->b;
  ir_cell *c = row->c;
  if (!row->c_step) { /* a dot product: four sums, as one would wait for each addition */
    double sums[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= row->count; i += 4)
      for (int64_t k = 0; k < 4; k++)
        sums[k] += a[(i + k) * row->a_step].f * b[(i + k) * row->b_step].f;
    for (; i < row->count; i++)
      sums[0] += a[i * row->a_step].f * b[i * row->b_step].f;
    c->f += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  } else if (!row->a_step && row->b_step == 1 && row->c_step == 1) {
    double factor = a->f;
    for (int64_t i = 0; i < row->count; i++)
      c[i].f += factor * b[i].f;
  } else {
    for (int64_t i = 0; i < row->count; i++)
      c[i * row->c_step].f += a[i * row->a_step].f * b[i * row->b_step].f;
  }
}

/* A double holds the product and the sum of two f32 well enough that rounding it gives what f32 arithmetic gives. */
static void run_row_f32(const contraction_row *row) {
  if (!row->c_step) {
    float sum = (float)row->c->f;
    for (int64_t i = 0; i < row->count; i++) {
      float product = (float)(row->a[i * row->a_step].f * row->b[i * row->b_step].f);
      sum += product;
    }
    row->c->f = sum;
    return;
  }
  for (int64_t i = 0; i < row->count; i++) {
    ir_cell *c = &row->c[i * row->c_step];
    float product = (float)(row->a[i * row->a_step].f * row->b[i * row->b_step].f);
    c->f = (float)c->f + product;
  }
}

static void run_row_tf32(const ir_interp *interp, const contraction_row *row) {
  for (int64_t i = 0; i < row->count; i++) {
    ir_cell *c = &row->c[i * row->c_step];
    double a = interp_factor(interp, IR_F32, row->a[i * row->a_step].f),
           b = interp_factor(interp, IR_F32, row->b[i * row->b_step].f);
    c->f = ir_scalar_round(IR_F32, c->f + a * b); /* the product of 11 bits each is exact */
  }
}

static void run_row_rounded(const contraction_row *row, ir_scalar element) {
  for (int64_t i = 0; i < row->count; i++) {
    ir_cell *c = &row->c[i * row->c_step];
    double product = ir_scalar_round(element, row->a[i * row->a_step].f * row->b[i * row->b_step].f);
    c->f = ir_scalar_round(element, c->f + product);
  }
}

void interp_contract(ir_interp *interp, interp_nest *nest, const ir_cell *a, const ir_cell *b, ir_cell *c,
                     ir_scalar element) {
  move_loop_inside(nest, best_inner_loop(nest));
  unsigned inner = nest->num_loops - 1;
  contraction_row row = {.count = nest->extents[inner],
                         .a_step = nest->strides[0][inner],
                         .b_step = nest->strides[1][inner],
                         .c_step = nest->strides[2][inner]};
  bool exact = interp->precision == IR_PRECISION_DOUBLE || element == IR_F64;
  for (bool more = interp_nest_begin(nest); more; more = interp_nest_next(nest)) {
    row.a = a + nest->positions[0];
    row.b = b + nest->positions[1];
    row.c = c + nest->positions[2];
    if (exact)
      run_row_double(&row);
    else if (element == IR_F32 && interp->precision == IR_PRECISION_TF32)
      run_row_tf32(interp, &row);
    else if (element == IR_F32)
      run_row_f32(&row);
    else
      run_row_rounded(&row, element);
  }
}

/* Floating point throughout, and casts of the inputs that lose nothing. */
static bool is_float_contraction(const ir_op *op) {
  if (!ir_is_contraction(op))
    return false;
  ir_scalar sum = ir_operand(op, 2)->type->element;
  if (!ir_scalar_is_float(sum))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    ir_scalar input = ir_operand(op, i)->type->element;
    if (!ir_scalar_is_float(input) || (input != sum && ir_scalar_bits(input) >= ir_scalar_bits(sum)))
      return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------- structured ops */

bool interp_take_operands(ir_interp *interp, const ir_op *op, interp_value *taken, interp_value **operands) {
  unsigned num_inputs = ir_num_inputs(op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    operands[i] = interp_operand(interp, op, i);
    if (i < num_inputs ? !interp_check_read(op, operands[i]) : false)
      return false;
  }
  for (unsigned i = num_inputs; i < op->num_operands; i++) {
    if (!op->num_results) {
      if (!interp_check_write(op, operands[i]))
        return false;
      continue;
    }
    taken[i - num_inputs] = interp_take(interp, op, i);
    operands[i] = &taken[i - num_inputs];
    if (!interp_make_writable(interp, op, operands[i]))
      return false;
  }
  return true;
}

void interp_set_results(ir_interp *interp, const ir_op *op, const interp_value *taken) {
  for (unsigned i = 0; i < op->num_results; i++)
    interp_set(interp, ir_result(op, i), &taken[i]);
}

static bool run_structured(ir_interp *interp, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_block *body = ir_region(op, 0);
  unsigned num_inputs = ir_num_inputs(op);
  interp_value *taken = IR_NEW_ARRAY(&interp->scratch, interp_value, op->num_operands);
  interp_value **values = IR_NEW_ARRAY(&interp->scratch, interp_value *, op->num_operands);
  loop_operand *operands = IR_NEW_ARRAY(&interp->scratch, loop_operand, op->num_operands);
  int64_t extents[IR_MAX_LOOPS];
  if (!interp_take_operands(interp, op, taken, values) ||
      !interp_loop_extents(op, structure->num_loops, structure->num_maps, structure->maps, values, extents))
    return false;
  interp_nest nest = interp_nest_create(interp, structure->num_loops, extents, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++) {
    bool linear;
    if (!bind_map(op, &nest, i, structure->maps[i], values[i], &linear))
      return false;
    operands[i] =
        (loop_operand){.cells = interp_cells(values[i]),
                       .value = values[i],
                       .map = linear ? NULL : structure->maps[i],
                       .argument = ir_value_unused(body->args[i]) ? NULL : &interp_get(interp, body->args[i])->cell,
                       .yielded = i < num_inputs ? NULL : &interp_operand(interp, body->last, i - num_inputs)->cell};
  }
  if (is_float_contraction(op)) {
    interp_contract(interp, &nest, operands[0].cells, operands[1].cells, operands[2].cells, values[2]->element);
  } else {
    const ir_cell *outer = interp->counters;
    program code;
    interp->counters = nest.counters;
    if (!compile_body(interp, body, &nest, &code) || !run_loops(interp, op, &nest, operands, &code))
      return false;
    interp->counters = outer;
  }
  interp_set_results(interp, op, taken);
  return true;
}

bool interp_run_structured(ir_interp *interp, const ir_op *op) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = run_structured(interp, op);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

bool eval_index(ir_interp *interp, const ir_op *op) {
  interp_set_cell(interp, ir_result(op, 0), interp->counters[ir_attr_int_or(op, "dim", 0)]);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- softmax */

/* One row; statistics in f32, or f64 for f64. `max` and `sum` go in and out; `step` in cells. */
typedef struct softmax_row {
  const ir_cell *x;
  ir_cell *result;
  int64_t count, x_step, result_step;
  double max, sum, scale;
  ir_scalar element, statistics;
  ir_scalar max_element;
} softmax_row;

static double rounded(const ir_interp *interp, ir_scalar element, double value) {
  return interp_finish(interp, element, (ir_cell){.f = value}).f;
}

static double larger(double a, double b) {
  ir_cell operands[] = {{.f = a}, {.f = b}};
  return scalar_maximumf(NULL, operands).f;
}

/* No scores yet, or masked ones only: the quotient is 0, not 0 / 0. */
static double quotient(double dividend, double divisor) { return divisor == 0 ? 0 : dividend / divisor; }

static void run_softmax_row(const ir_interp *interp, softmax_row *row) {
  ir_scalar type = row->statistics;
  double old_max = row->max;
  /* Not below the lowest finite value: -inf - -inf has no value. */
  row->max = larger(row->max, ir_float_from_bits(row->max_element, ir_float_to_bits(row->max_element, -INFINITY) - 1));
  for (int64_t i = 0; i < row->count; i++)
    row->max = larger(row->max, row->x[i * row->x_step].f);
  row->max = rounded(interp, row->max_element, row->max);
  double sum = 0;
  for (int64_t i = 0; i < row->count; i++) {
    double power = rounded(interp, type, exp(rounded(interp, type, row->x[i * row->x_step].f - row->max)));
    sum = rounded(interp, type, sum + power);
    row->result[i * row->result_step].f = power;
  }
  double correction = rounded(interp, type, exp(rounded(interp, type, old_max - row->max)));
  double carried = rounded(interp, type, row->sum * correction);
  row->sum = rounded(interp, type, carried + sum);
  row->scale = quotient(carried, row->sum);
  for (int64_t i = 0; i < row->count; i++) {
    ir_cell *result = &row->result[i * row->result_step];
    result->f = rounded(interp, row->element, quotient(result->f, row->sum));
  }
}

/* Runs all rows; `values` are the input, the result and, for the online form, max, sum and scale. */
static bool run_softmax(ir_interp *interp, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  unsigned count = op->num_operands, dim = (unsigned)ir_attr_int_or(op, "dimension", 0);
  interp_value taken[4] = {0}, *values[5];
  int64_t extents[IR_MAX_LOOPS];
  if (!interp_take_operands(interp, op, taken, values) ||
      !interp_loop_extents(op, structure->num_loops, count, structure->maps, values, extents))
    return false;
  interp_nest nest = interp_nest_create(interp, structure->num_loops, extents, count);
  for (unsigned i = 0; i < count; i++) {
    bool linear;
    if (!bind_map(op, &nest, i, structure->maps[i], values[i], &linear))
      return false;
  }
  move_loop_inside(&nest, dim);
  unsigned inner = nest.num_loops - 1;
  bool online = count == 5, wide = values[0]->element == IR_F64;
  softmax_row row = {.count = nest.extents[inner],
                     .x_step = nest.strides[0][inner],
                     .result_step = nest.strides[1][inner],
                     .element = values[1]->element,
                     .statistics = wide ? IR_F64 : IR_F32,
                     .max_element = online ? values[2]->element
                                    : wide ? IR_F64
                                           : IR_F32};
  nest.extents[inner] = 1; /* an empty row still has statistics */
  for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest)) {
    ir_cell *at[5] = {0};
    for (unsigned i = 0; i < count; i++)
      at[i] = interp_cells(values[i]) + nest.positions[i];
    row.x = at[0];
    row.result = at[1];
    row.max = online ? at[2]->f : -INFINITY;
    row.sum = online ? at[3]->f : 0;
    run_softmax_row(interp, &row);
    if (online) {
      at[2]->f = row.max;
      at[3]->f = rounded(interp, values[3]->element, row.sum);
      at[4]->f = rounded(interp, values[4]->element, row.scale);
    }
  }
  interp_set_results(interp, op, taken);
  return true;
}

bool eval_softmax(ir_interp *interp, const ir_op *op) {
  size_t mark = ir_arena_mark(&interp->scratch);
  bool done = run_softmax(interp, op);
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}
