/* test_property.c - what holds for every program: no pass changes what it computes, and host code computes it too.
 *
 * Programs come from tests/support/generate.c; the interpreter in double precision is the oracle. Reordered sums are
 * the only difference that a pass may make there, so the tolerance between passes is that of doubles. Host code may be
 * as far from the oracle as the unfused program is when each op rounds to its type, with a margin. */
#include "backend/backend.h"
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/check.h"
#include "tests/support/generate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 8 };

/* This machine, and processors of its kind with shorter vectors, whose tiles are others: one of these a program. */
#ifdef __x86_64__
static const char *const hosts[] = {"host", "host:x86-64", "host:x86-64-v3"};
#else
static const char *const hosts[] = {"host"};
#endif
enum { NUM_HOSTS = sizeof hosts / sizeof *hosts };

static target_facts host_facts(ir_module *module, const char *name) {
  target_facts facts;
  cr_assert(backend_target_host(module, name, &facts));
  return facts;
}

/* Runs a host's passes one by one on the program; after each, the interpreter must see no difference, but for that of
 * constants in the program's type: a logarithm of 2 where powers of two become powers of e, log2(e) with `binary`; and
 * of factors of bf16, which matrix units are given by their bits. */
static void check_passes(const generated_program *program, uint64_t seed, const char *host, bool fuse, bool binary) {
  ir_module *before = check_parse(program->text), *after = check_parse(program->text);
  cr_assert(before && after, "seed %llu does not parse:\n%s", (unsigned long long)seed, program->text);
  target_facts facts = host_facts(after, host);
  facts.has_binary_softmax = binary;
  pass_options options = {.target = &facts, .verify = true, .fuse = fuse};
  int64_t dims[MAX_TENSORS * GENERATE_MAX_RANK];
  unsigned num_dims = 0;
  for (unsigned i = 0; i < program->num_arguments; i++) /* only the dynamic extents count, in order */
    for (unsigned k = 0; k < program->ranks[i]; k++)
      if (program->dynamic[i] >> k & 1)
        dims[num_dims++] = program->shapes[i][k];
  check_options how = {
      .function = "main", .seed = seed, .std = 2, .precision = IR_PRECISION_DOUBLE, .dims = dims, .num_dims = num_dims};
  bool by_bits = facts.has_matrix_unit && !strcmp(program->element, "bf16");
  double tolerance = by_bits ? 0.05 : strstr(program->text, "exp2") ? 1e-5 : binary ? 1e-6 : 1e-9;
  char *list = strdup(pass_default_list(&facts));
  for (char *rest = list, *name; (name = strsep(&rest, ","));) {
    cr_assert(pass_run(after, name, &options), "seed %llu, %s fails:\n%s", (unsigned long long)seed, name,
              program->text);
    check_report report = check_equivalent(before, after, &how);
    cr_assert(report.ok && report.largest_error < tolerance, "seed %llu, after %s: %s\n%s", (unsigned long long)seed,
              name, report.text, program->text);
  }
  free(list);
  ir_module_destroy(before);
  ir_module_destroy(after);
}

/* -------------------------------------------------------------------------------------------------------- host code */

static void serial_for(void *context, int64_t count, void (*body)(void *data, int64_t index), void *data) {
  for (int64_t i = count; i-- > 0;) /* backwards: no order is promised */
    body(data, i);
}

static void *allocate(void *context, size_t size) { return aligned_alloc(64, (size + 63) & ~(size_t)63); }

static void release(void *context, void *memory) { free(memory); }

static size_t element_bytes(const ir_tensor *tensor) { return ir_scalar_bits(tensor->element) / 8; }

/* The tensor as a machine stores it; from malloc, with a guard of one vector behind it. */
static char *to_bytes(const ir_tensor *tensor) {
  size_t size = element_bytes(tensor);
  char *bytes = malloc((size_t)check_num_elements(tensor) * size + 64);
  for (int64_t i = 0; i < check_num_elements(tensor); i++) {
    uint64_t bits = ir_float_to_bits(tensor->element, tensor->cells[i].f);
    memcpy(bytes + (size_t)i * size, &bits, size);
  }
  return bytes;
}

static void from_bytes(ir_tensor *tensor, const char *bytes) {
  size_t size = element_bytes(tensor);
  for (int64_t i = 0; i < check_num_elements(tensor); i++) {
    uint64_t bits = 0;
    memcpy(&bits, bytes + (size_t)i * size, size);
    tensor->cells[i].f = ir_float_from_bits(tensor->element, bits);
  }
}

/* Compiles the program for a processor and runs it on the arguments; `results` give the shapes and receive the
 * numbers. */
static void run_on_host(const generated_program *program, const char *name, const ir_tensor *arguments,
                        ir_tensor *results) {
  ir_module *module = check_parse(program->text);
  target_facts facts = host_facts(module, name);
  pass_options options = {.target = &facts, .fuse = true};
  char *object;
  size_t size;
  backend_jit *jit;
  cr_assert(pass_run(module, pass_default_list(&facts), &options));
  cr_assert(backend_emit_host(module, &facts, BACKEND_OBJECT, &object, &size));
  cr_assert(backend_jit_create(module, object, size, &jit));
  free(object);
  tec_host_kernel kernel = (tec_host_kernel)backend_jit_lookup(jit, "main");
  cr_assert(kernel);
  void *data[2 * MAX_TENSORS];
  int64_t dims[2 * MAX_TENSORS * GENERATE_MAX_RANK];
  unsigned n = 0, num_dims = 0;
  for (unsigned i = 0; i < program->num_arguments + program->num_results; i++) {
    const ir_tensor *tensor = i < program->num_arguments ? &arguments[i] : &results[i - program->num_arguments];
    data[n++] = to_bytes(tensor);
    for (unsigned k = 0; k < tensor->rank; k++)
      dims[num_dims++] = tensor->shape[k];
  }
  tec_host_env environment = {.parallel_for = serial_for, .allocate = allocate, .release = release};
  cr_assert_eq(kernel(data, dims, &environment), 0);
  for (unsigned i = 0; i < program->num_results; i++)
    from_bytes(&results[i], data[program->num_arguments + i]);
  for (unsigned i = 0; i < n; i++)
    free(data[i]);
  backend_jit_destroy(jit);
  ir_module_destroy(module);
}

/* The largest error, relative to a number, of rounding it to the type. */
static double rounding_of(ir_scalar element) {
  return ldexp(1, element == IR_BF16 ? -8 : element == IR_F16 ? -11 : element == IR_F32 ? -24 : -53);
}

/* A copy of which each number lies up or down, by chance, as far as rounding it could move it. */
static ir_tensor one_rounding_away(const ir_tensor *tensor, uint64_t *state) {
  ir_tensor moved = *tensor;
  double rounding = rounding_of(tensor->element);
  cr_assert(ir_tensor_allocate(&moved));
  for (int64_t i = 0; i < check_num_elements(tensor); i++)
    moved.cells[i].f = tensor->cells[i].f * (1 + (check_normal(state) < 0 ? -rounding : rounding));
  return moved;
}

/* How far the program as compiled for a processor is from what is exact. */
static void measure_host(const generated_program *program, const char *name, const ir_tensor *arguments,
                         const ir_tensor *exact, double *errors) {
  ir_tensor results[2] = {exact[0], exact[1]};
  for (unsigned i = 0; i < program->num_results; i++)
    cr_assert(ir_tensor_allocate(&results[i]));
  run_on_host(program, name, arguments, results);
  for (unsigned i = 0; i < program->num_results; i++) {
    errors[i] = check_difference(&exact[i], &results[i]);
    ir_tensor_release(&results[i]);
  }
}

/* How far the program with each op rounded is from what is exact, or as far as that was before. */
static void measure_rounded(const generated_program *program, ir_module *module, ir_tensor *arguments,
                            const ir_tensor *exact, double *errors) {
  unsigned num = program->num_results;
  ir_tensor rounded[2] = {0};
  cr_assert(ir_interpret(module, "main", IR_PRECISION_DECLARED, program->num_arguments, arguments, num, rounded));
  for (unsigned i = 0; i < num; i++) {
    errors[i] = fmax(errors[i], check_difference(&exact[i], &rounded[i]));
    ir_tensor_release(&rounded[i]);
  }
}

/* How far each op's rounding takes the program from what is exact. In bf16 one draw may happen to err little: further
 * ones have arguments one rounding away, and the worst counts. In f64, where the interpreter is as exact as it can be,
 * these are all that tells. */
static void measure_reference(const generated_program *program, ir_module *module, uint64_t *state,
                              ir_tensor *arguments, const ir_tensor *exact, double *errors) {
  ir_scalar element = arguments[0].element;
  unsigned draws = element == IR_F64 ? 8 : element == IR_BF16 ? 4 : 0;
  measure_rounded(program, module, arguments, exact, errors);
  for (unsigned draw = 0; draw < draws; draw++) {
    ir_tensor moved[MAX_TENSORS];
    for (unsigned i = 0; i < program->num_arguments; i++)
      moved[i] = one_rounding_away(&arguments[i], state);
    measure_rounded(program, module, moved, exact, errors);
    for (unsigned i = 0; i < program->num_arguments; i++)
      ir_tensor_release(&moved[i]);
  }
}

static void check_hosts(const generated_program *program, uint64_t seed) {
  ir_module *module = check_parse(program->text);
  ir_tensor arguments[MAX_TENSORS] = {0}, exact[2] = {0};
  ir_scalar element = IR_F32;
  for (unsigned s = IR_F16; s <= IR_F64; s++)
    element = strcmp(ir_scalar_name(s), program->element) ? element : (ir_scalar)s;
  uint64_t state = seed;
  for (unsigned i = 0; i < program->num_arguments; i++) {
    arguments[i] = (ir_tensor){.element = element, .rank = program->ranks[i]};
    memcpy(arguments[i].shape, program->shapes[i], sizeof program->shapes[i]);
    cr_assert(ir_tensor_allocate(&arguments[i]));
    check_random(&arguments[i], &state, 2);
  }
  unsigned num = program->num_results, widest = host_facts(module, "host").vector_bits;
  cr_assert(ir_interpret(module, "main", IR_PRECISION_DOUBLE, program->num_arguments, arguments, num, exact));
  double ours[NUM_HOSTS][2] = {{0}}, reference[2] = {0};
  for (unsigned host = 0; host < NUM_HOSTS; host++)
    if (host_facts(module, hosts[host]).vector_bits <= widest && (!host || host % 2 == seed % 2))
      measure_host(program, hosts[host], arguments, exact, ours[host]);
  measure_reference(program, module, &state, arguments, exact, reference);
  for (unsigned i = 0; i < num; i++) {
    for (unsigned host = 0; host < NUM_HOSTS; host++)
      cr_assert(ours[host][i] <= 4 * reference[i] + 64 * rounding_of(element),
                "%s, seed %llu (%s), result %u: error %g, unfused reference %g\n%s", hosts[host],
                (unsigned long long)seed, program->element, i, ours[host][i], reference[i], program->text);
    ir_tensor_release(&exact[i]);
  }
  for (unsigned i = 0; i < program->num_arguments; i++)
    ir_tensor_release(&arguments[i]);
  ir_module_destroy(module);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static void over_programs(uint64_t first, unsigned count, const generate_options *options,
                          void (*check)(const generated_program *program, uint64_t seed)) {
  for (uint64_t seed = first; seed < first + count; seed++) {
    generated_program program;
    cr_assert(generate_program(seed, options, &program));
    check(&program, seed);
    free(program.text);
  }
}

static void check_fused(const generated_program *program, uint64_t seed) {
  check_passes(program, seed, "host", true, false);
  if (seed % 4 == 0)
    check_passes(program, seed, "host", true, true);
}

static void check_unfused(const generated_program *program, uint64_t seed) {
  check_passes(program, seed, "host", false, false);
}

static void check_matrix_unit(const generated_program *program, uint64_t seed) {
  check_passes(program, seed, "host:sapphirerapids", true, false);
}

/* By turns for small tiles and large ones, and for two kinds of large ones. */
static void check_weights(const generated_program *program, uint64_t seed) {
  static const char *const names[] = {"host:x86-64-v3", "host:znver4", "host:znver5"};
  check_passes(program, seed, names[seed % 3], true, false);
}

Test(property, the_default_schedule_keeps_the_meaning) {
  over_programs(1, 60, &(generate_options){0}, check_fused);
  over_programs(100, 60, &(generate_options){.dynamic = true}, check_fused);
}

Test(property, attention_however_it_is_spelled) {
  over_programs(1000, 40, &(generate_options){.spelled = true}, check_fused);
  over_programs(1100, 20, &(generate_options){.spelled = true, .dynamic = true}, check_fused);
}

Test(property, the_unfused_schedule_keeps_the_meaning) {
  over_programs(200, 40, &(generate_options){.dynamic = true}, check_unfused);
}

Test(property, any_tiles_and_interchange_of_a_script_keep_the_meaning) {
  over_programs(300, 80, &(generate_options){.script = true}, check_fused);
  over_programs(400, 80, &(generate_options){.script = true, .dynamic = true}, check_fused);
}

Test(property, products_of_a_matrix_unit_keep_the_meaning) {
  over_programs(900, 40, &(generate_options){.large = true, .dynamic = true, .element = "bf16"}, check_matrix_unit);
}

Test(property, panels_of_constants_keep_the_meaning) {
  over_programs(1300, 90, &(generate_options){.weights = true, .large = true}, check_weights);
  over_programs(1400, 90, &(generate_options){.weights = true, .large = true, .dynamic = true}, check_weights);
}

Test(property, small_tables_keep_the_meaning) {
  over_programs(1500, 60, &(generate_options){.tables = true, .large = true}, check_weights);
  over_programs(1600, 60, &(generate_options){.tables = true, .dynamic = true}, check_fused);
}

Test(property, host_code_is_as_right_as_an_unfused_reference) {
  static const char *const elements[] = {"f32", "f64", "f16", "bf16"};
  over_programs(1200, 30, &(generate_options){.spelled = true, .dynamic = true}, check_hosts);
  for (unsigned i = 0; i < 4; i++)
    for (unsigned script = 0; script < 2; script++)
      over_programs(500 + 100 * i + 50 * script, 15,
                    &(generate_options){.script = script, .dynamic = true, .element = elements[i]}, check_hosts);
  over_programs(900, 60, &(generate_options){.large = true, .dynamic = true, .element = "bf16"}, check_hosts);
  over_programs(1300, 60, &(generate_options){.weights = true, .large = true}, check_hosts);
  for (unsigned i = 0; i < 4; i++)
    over_programs(1500 + 100 * i, 30,
                  &(generate_options){.tables = true, .large = i % 2, .dynamic = true, .element = elements[i]},
                  check_hosts);
}

Test(property, text_is_a_fixpoint_of_printing_and_parsing) {
  for (uint64_t seed = 1; seed < 200; seed++) {
    generated_program program;
    cr_assert(generate_program(seed, &(generate_options){.script = true, .dynamic = seed % 2}, &program));
    ir_module *module = check_parse(program.text);
    for (unsigned generic = 0; generic < 2; generic++) {
      ir_print_options form = {.generic = generic};
      char *once = ir_print_module(module, &form, NULL);
      ir_module *again = check_parse(once);
      cr_assert(again, "seed %llu", (unsigned long long)seed);
      char *twice = ir_print_module(again, &form, NULL);
      cr_assert_str_eq(once, twice, "seed %llu", (unsigned long long)seed);
      free(once);
      free(twice);
      ir_module_destroy(again);
    }
    ir_module_destroy(module);
    free(program.text);
  }
}
