/* check.c - see check.h. */
#include "tests/support/check.h"
#include "ir/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 64 };

static void print_message(void *user, ir_severity severity, const char *text) {
  if (severity >= IR_WARNING) /* remarks tell why something is not fused: no failure */
    fputs(text, stderr);
}

ir_module *check_parse(const char *text) {
  ir_module *module = ir_module_create(print_message, NULL);
  if (module && ir_parse(module, "test", text, strlen(text)))
    return module;
  if (module)
    ir_module_destroy(module);
  return NULL;
}

/* splitmix64: every seed gives a different sequence. */
static uint64_t next_bits(uint64_t *seed) {
  uint64_t bits = *seed += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

static double next_uniform(uint64_t *seed) { return ((double)(next_bits(seed) >> 11) + 0.5) / (double)(1ull << 53); }

double check_normal(uint64_t *seed) {
  double radius = sqrt(-2 * log(next_uniform(seed)));
  return radius * cos(6.283185307179586 * next_uniform(seed));
}

int64_t check_num_elements(const ir_tensor *tensor) {
  int64_t count = 1;
  for (unsigned i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  return count;
}

void check_random(ir_tensor *tensor, uint64_t *seed, double std) {
  int64_t count = check_num_elements(tensor);
  for (int64_t i = 0; i < count; i++) {
    if (ir_scalar_is_float(tensor->element))
      tensor->cells[i].f = ir_scalar_round(tensor->element, std * check_normal(seed));
    else
      tensor->cells[i].i = ir_scalar_wrap(tensor->element, (int64_t)(next_bits(seed) % 9) - 4);
  }
}

static const ir_type *function_type(ir_module *module, const char *name) {
  const ir_op *function = ir_module_lookup(module, name);
  return function ? ir_attr_get(function, "function_type")->type : NULL;
}

bool check_arguments(ir_module *module, const check_options *options, unsigned count, ir_tensor *arguments) {
  const ir_type *type = function_type(module, options->function);
  uint64_t seed = options->seed;
  unsigned dynamic = 0;
  for (unsigned i = 0; i < count; i++) {
    ir_tensor *tensor = &arguments[i];
    *tensor = (ir_tensor){.element = type->inputs[i]->element, .rank = type->inputs[i]->rank};
    for (unsigned dim = 0; dim < tensor->rank; dim++) {
      tensor->shape[dim] = type->inputs[i]->shape[dim];
      if (tensor->shape[dim] == IR_DYNAMIC) {
        tensor->shape[dim] = dynamic < options->num_dims ? options->dims[dynamic] : 5 + dynamic;
        dynamic++;
      }
    }
    if (!ir_tensor_allocate(tensor))
      return false;
    if (tensor->element == IR_INDEX && !tensor->rank)
      tensor->cells[0].i = options->index;
    else
      check_random(tensor, &seed, options->std == 0 ? 4 : options->std);
  }
  return true;
}

double check_difference(const ir_tensor *a, const ir_tensor *b) {
  if (a->rank != b->rank || a->element != b->element || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape))
    return INFINITY;
  double largest = 0;
  int64_t count = check_num_elements(a);
  for (int64_t i = 0; i < count; i++) {
    bool is_float = ir_scalar_is_float(a->element);
    double x = is_float ? a->cells[i].f : (double)a->cells[i].i;
    double y = is_float ? b->cells[i].f : (double)b->cells[i].i;
    if (x == y || (isnan(x) && isnan(y)))
      continue;
    double error = fabs(x - y) / fmax(1, fabs(x));
    largest = isfinite(error) ? fmax(largest, error) : INFINITY;
  }
  return largest;
}

/* Copies of tensors, so that both runs start from the same inputs. */
static bool copy_tensors(unsigned count, const ir_tensor *from, ir_tensor *to) {
  for (unsigned i = 0; i < count; i++) {
    to[i] = from[i];
    if (!ir_tensor_allocate(&to[i]))
      return false;
    memcpy(to[i].cells, from[i].cells, (size_t)check_num_elements(&from[i]) * sizeof *from[i].cells);
  }
  return true;
}

static void release_tensors(unsigned count, ir_tensor *tensors) {
  for (unsigned i = 0; i < count; i++)
    ir_tensor_release(&tensors[i]);
}

static void say(check_report *report, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->text, sizeof report->text, format, arguments);
  va_end(arguments);
}

/* Runs `after` as `before` ran: its outputs are results, or memrefs appended to the arguments. Everything that `before`
 * gives and changes is compared. */
static void compare_runs(ir_module *after, const check_options *options, const ir_type *type, unsigned num_inputs,
                         const ir_tensor *inputs, const ir_tensor *changed, unsigned num_results,
                         const ir_tensor *expected, check_report *report) {
  ir_tensor arguments[MAX_TENSORS] = {0}, results[MAX_TENSORS] = {0};
  unsigned appended = type->num_inputs - num_inputs;
  bool ran = copy_tensors(num_inputs, inputs, arguments);
  for (unsigned i = 0; ran && i < appended; i++) {
    arguments[num_inputs + i] = expected[i];
    ran = ir_tensor_allocate(&arguments[num_inputs + i]);
  }
  ran = ran && ir_interpret(after, options->function, options->precision, type->num_inputs, arguments,
                            type->num_results, results);
  report->ok = ran;
  say(report, ran ? "both ran" : "the function after the pass did not run");
  for (unsigned i = 0; ran && i < num_results + num_inputs; i++) {
    bool is_result = i < num_results;
    const ir_tensor *after_pass = !is_result ? &arguments[i - num_results]
                                  : appended ? &arguments[num_inputs + i]
                                             : &results[i];
    double error = check_difference(is_result ? &expected[i] : &changed[i - num_results], after_pass);
    if (error > report->largest_error) {
      report->largest_error = error;
      say(report, "%s %u differs by %g", is_result ? "result" : "argument", is_result ? i : i - num_results, error);
    }
  }
  release_tensors(type->num_results, results);
  release_tensors(type->num_inputs, arguments);
}

check_report check_equivalent(ir_module *before, ir_module *after, const check_options *options) {
  check_report report = {0};
  const ir_type *type = function_type(before, options->function), *after_type = function_type(after, options->function);
  if (!type || !after_type || after_type->num_inputs > MAX_TENSORS || type->num_results > MAX_TENSORS) {
    say(&report, "no function '%s'", options->function);
    return report;
  }
  unsigned num_inputs = type->num_inputs, num_results = type->num_results;
  unsigned appended = after_type->num_inputs - num_inputs;
  if (after_type->num_inputs < num_inputs || appended + after_type->num_results != num_results ||
      (appended && after_type->num_results)) {
    say(&report, "%u arguments and %u results became %u and %u", num_inputs, num_results, after_type->num_inputs,
        after_type->num_results);
    return report;
  }
  ir_tensor inputs[MAX_TENSORS] = {0}, changed[MAX_TENSORS] = {0}, expected[MAX_TENSORS] = {0};
  if (check_arguments(before, options, num_inputs, inputs) && copy_tensors(num_inputs, inputs, changed) &&
      ir_interpret(before, options->function, options->precision, num_inputs, changed, num_results, expected))
    compare_runs(after, options, after_type, num_inputs, inputs, changed, num_results, expected, &report);
  else
    say(&report, "the function before the pass did not run");
  release_tensors(num_inputs, inputs);
  release_tensors(num_inputs, changed);
  release_tensors(num_results, expected);
  return report;
}
