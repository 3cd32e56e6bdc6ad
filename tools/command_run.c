/* command_run.c - tcc-attn run: calls a function on .npy files or random data; checks and times it.
 *
 * FILE is a module's text, which is compiled for the device, or a program file. --check runs the text once more, in the
 * interpreter in double precision, on copies of the arguments made before the call. */
#include "tools/command.h"
#include "tools/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything a run holds; released in one place. */
typedef struct run_state {
  const command_options *options;
  tec_context *context;
  unsigned threads;
  FILE *report; /* of --check and --bench */
  char *file;
  size_t file_size;
  tec_program *program;
  tec_entry entry;
  DLManagedTensor **arguments, **originals, **results;
} run_state;

static tec_status failure(const char *text) {
  fprintf(stderr, "error: %s\n", text);
  return TEC_INVALID;
}

static tec_status compile_text(const run_state *run, const char *target, tec_program **program) {
  tec_module *module;
  tec_compile_options compile = command_compile_options(run->options, target);
  tec_status status = command_parse(run->context, run->options, run->file, run->file_size, &module);
  if (status) return status;
  status = tec_module_compile(module, &compile, program);
  tec_module_destroy(module);
  return status;
}

/* Compiles for the target asked for, or else the one that suits the device. */
static tec_status compile_for_device(run_state *run, const char *device) {
  char *suited = NULL;
  tec_status status = run->options->target ? TEC_OK : tec_device_target(run->context, device, &suited);
  if (!status) status = compile_text(run, suited ? suited : run->options->target, &run->program);
  tec_free(suited);
  return status;
}

static tec_status load(run_state *run) {
  const char *device = run->options->device;
  tec_status status = tec_file_read(run->context, run->options->input, &run->file, &run->file_size);
  if (status) return status;
  if (!tec_program_probe(run->file, run->file_size)) {
    status = compile_for_device(run, device ? device : "host");
  } else {
    if (run->options->check) return failure("--check needs the module's text, not a compiled program");
    if (run->options->target) return failure("--target is for a module's text, not for a compiled program");
    status = tec_program_read(run->context, run->options->input, run->file, run->file_size, &run->program);
  }
  if (!status && device) status = tec_program_set_device(run->program, device);
  return status ? status : tec_program_find(run->program, run->options->function, &run->entry);
}

/* ------------------------------------------------------------------------------------------------------- arguments */

static bool allocate_lists(run_state *run) {
  run->arguments = calloc(run->entry.num_arguments + 1, sizeof *run->arguments);
  run->originals = calloc(run->entry.num_arguments + 1, sizeof *run->originals);
  run->results = calloc(run->entry.num_results + 1, sizeof *run->results);
  return run->arguments && run->originals && run->results;
}

static tec_status make_arguments(run_state *run) {
  const command_options *options = run->options;
  uint32_t count = run->entry.num_arguments;
  uint64_t seed;
  if (!options_number("--random", options->random, 0, UINT64_MAX, 1, &seed)) return TEC_INVALID;
  if (options->in && options->random) return failure("--in and --random exclude each other");
  if (count && !options->in && !options->random) return failure("the function has arguments: give --in or --random");
  if (options->in) return tensors_read(run->context, options->in, count, run->arguments);
  for (uint32_t i = 0; i < count; i++) {
    tec_status status = tensor_random(run->context, &run->entry.arguments[i], seed + i, &run->arguments[i]);
    if (status) return status;
  }
  return TEC_OK;
}

static tec_status copy_arguments(run_state *run) {
  for (uint32_t i = 0; i < run->entry.num_arguments; i++) {
    const DLTensor *source = &run->arguments[i]->dl_tensor;
    tec_status status = tec_tensor_convert(run->context, source, source->dtype, &run->originals[i]);
    if (status) return status;
  }
  return TEC_OK;
}

static tec_status call(const run_state *run, tec_program *program, DLManagedTensor **arguments,
                       DLManagedTensor **results) {
  const DLTensor **views = calloc(run->entry.num_arguments + 1, sizeof *views);
  if (!views) return failure("out of memory");
  for (uint32_t i = 0; i < run->entry.num_arguments; i++) views[i] = &arguments[i]->dl_tensor;
  tec_status status = tec_program_call(program, run->entry.name, run->entry.num_arguments, views,
                                       run->entry.num_results, results);
  free(views);
  return status;
}

static tec_status write_results(const run_state *run) {
  const tec_entry *entry = &run->entry;
  if (!run->options->out) return TEC_OK;
  DLManagedTensor **outputs = calloc(entry->num_results + entry->num_arguments + 1, sizeof *outputs);
  if (!outputs) return failure("out of memory");
  uint32_t count = 0;
  for (uint32_t i = 0; i < entry->num_results; i++) outputs[count++] = run->results[i];
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER) outputs[count++] = run->arguments[i];
  tec_status status = tensors_write(run->context, run->options->out, count, outputs);
  free(outputs);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- check */

/* Floating-point work is only as exact as the narrowest type among the arguments and results. Relative to the largest
 * magnitude of a result, so that sums in another order pass and wrong terms do not. */
static double tolerance_of(const tec_entry *entry) {
  static const struct {
    DLDataType dtype;
    double tolerance;
  } rows[] = {{{kDLFloat, 64, 1}, 1e-11}, {{kDLFloat, 32, 1}, 2e-5}, {{kDLFloat, 16, 1}, 4e-3}, {{kDLBfloat, 16, 1}, 3e-2}};
  double tolerance = rows[0].tolerance;
  for (uint32_t i = 0; i < entry->num_arguments + entry->num_results; i++) {
    const tec_type *type = i < entry->num_arguments ? &entry->arguments[i] : &entry->results[i - entry->num_arguments];
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
      if (!memcmp(&type->dtype, &rows[k].dtype, sizeof type->dtype) && rows[k].tolerance > tolerance)
        tolerance = rows[k].tolerance;
  }
  return tolerance;
}

static tec_status compare(const run_state *run, const char *what, uint32_t number, const DLTensor *got,
                          const DLTensor *expected) {
  tensor_error error;
  tec_status status = tensor_compare(run->context, got, expected, &error);
  if (status) return status;
  bool exact = got->dtype.code != kDLFloat && got->dtype.code != kDLBfloat;
  double tolerance = exact ? 0 : tolerance_of(&run->entry);
  bool good = error.largest_absolute <= tolerance * error.largest_value;
  fprintf(run->report, "check: %s %u: largest error %.3g absolute, %.3g relative to the largest value %.3g; allowed %.3g: %s\n",
          what, number, error.largest_absolute,
          error.largest_value > 0 ? error.largest_absolute / error.largest_value : error.largest_absolute,
          error.largest_value, tolerance, good ? "good" : "WRONG");
  return good ? TEC_OK : TEC_INVALID;
}

static tec_status check(const run_state *run) {
  tec_program *oracle;
  DLManagedTensor **expected = calloc(run->entry.num_results + 1, sizeof *expected);
  if (!expected) return failure("out of memory");
  tec_status status = compile_text(run, "interp:double", &oracle);
  if (status) {
    free(expected);
    return status;
  }
  double start = command_seconds();
  status = call(run, oracle, run->originals, expected);
  if (run->options->time) fprintf(stderr, "time: %-24s %9.3f ms\n", "interpreter", (command_seconds() - start) * 1e3);
  if (!status) {
    for (uint32_t i = 0; i < run->entry.num_results; i++)
      status |= compare(run, "result", i, &run->results[i]->dl_tensor, &expected[i]->dl_tensor);
    for (uint32_t i = 0; i < run->entry.num_arguments; i++)
      if (run->entry.arguments[i].kind == TEC_KIND_BUFFER)
        status |= compare(run, "argument", i, &run->arguments[i]->dl_tensor, &run->originals[i]->dl_tensor);
    if (status) failure("the result differs from the interpreter's");
  }
  for (uint32_t i = 0; i < run->entry.num_results; i++) tec_tensor_release(expected[i]);
  free(expected);
  tec_program_destroy(oracle);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- bench */

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* With a GPU's clock, what counts is how long the kernels ran; copies from and to the host are left out. */
static void report_bench(const run_state *run, double *seconds, size_t rounds) {
  qsort(seconds, rounds, sizeof *seconds, compare_doubles);
  bool on_device = tec_program_device_seconds(run->program) > 0;
  double median = seconds[rounds / 2], flops = run->entry.flops, peak = on_device ? 0 : fma_peak(run->threads);
  fprintf(run->report, "bench: median %.3f ms, min %.3f ms of %zu calls, ", median * 1e3, seconds[0] * 1e3, rounds);
  if (on_device) fprintf(run->report, "by the device's clock\n");
  else fprintf(run->report, "%u threads\n", run->threads);
  if (flops > 0) fprintf(run->report, "bench: %.1f GFLOP/s in the median (%.4g flops)", flops / median * 1e-9, flops);
  if (flops > 0 && peak > 0) fprintf(run->report, ", %.0f%% of", flops / median * 1e-7 / peak);
  if (peak > 0) fprintf(run->report, "%s the measured f32 FMA peak %.1f GFLOP/s\n", flops > 0 ? "" : "bench:", peak);
  else if (flops > 0) fprintf(run->report, "\n");
}

static tec_status bench(const run_state *run) {
  uint64_t rounds;
  if (!options_number("--bench", run->options->bench, 1, 1000000, 20, &rounds)) return TEC_INVALID;
  double *seconds = calloc(rounds, sizeof *seconds);
  if (!seconds) return failure("out of memory");
  tec_status status = TEC_OK;
  for (uint64_t i = 0; i < rounds && !status; i++) {
    double start = command_seconds();
    status = call(run, run->program, run->arguments, run->results);
    double on_device = tec_program_device_seconds(run->program);
    seconds[i] = on_device > 0 ? on_device : command_seconds() - start;
  }
  if (!status) report_bench(run, seconds, rounds);
  free(seconds);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- run */

static void report_shapes(const run_state *run) {
  const tec_entry *entry = &run->entry;
  fprintf(run->report, "run: %s(", entry->name);
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    tensor_describe(run->report, i ? ", " : "", &run->arguments[i]->dl_tensor);
  fprintf(run->report, ") -> (");
  for (uint32_t i = 0; i < entry->num_results; i++)
    tensor_describe(run->report, i ? ", " : "", &run->results[i]->dl_tensor);
  fprintf(run->report, ") on %s\n", tec_program_target(run->program));
  if (*entry->tiles) fprintf(run->report, "run: tiles: %s\n", entry->tiles);
  fprintf(run->report, "run: scratch memory: %.1f KiB\n", (double)tec_program_scratch_bytes(run->program) / 1024);
}

static tec_status run_all(run_state *run) {
  const command_options *options = run->options;
  double start = command_seconds();
  tec_status status = load(run);
  double compiled = command_seconds();
  if (status) return status;
  if (!allocate_lists(run)) return failure("out of memory");
  status = make_arguments(run);
  if (!status && options->check) status = copy_arguments(run);
  if (status) return status;
  double called = command_seconds();
  status = call(run, run->program, run->arguments, run->results);
  double done = command_seconds();
  if (status) return status;
  report_shapes(run);
  fprintf(run->report, "run: compiled in %.1f ms, first call %.1f ms\n", (compiled - start) * 1e3, (done - called) * 1e3);
  /* Before --bench calls again, which would change buffers written in place once more. */
  status = write_results(run);
  if (!status && options->check) status = check(run);
  if (!status && options->bench) status = bench(run);
  return status;
}

static void release(run_state *run) {
  for (uint32_t i = 0; run->arguments && i < run->entry.num_arguments; i++) tec_tensor_release(run->arguments[i]);
  for (uint32_t i = 0; run->originals && i < run->entry.num_arguments; i++) tec_tensor_release(run->originals[i]);
  for (uint32_t i = 0; run->results && i < run->entry.num_results; i++) tec_tensor_release(run->results[i]);
  free(run->arguments);
  free(run->originals);
  free(run->results);
  tec_program_destroy(run->program);
  tec_free(run->file);
  tec_context_destroy(run->context);
}

int command_run(const command_options *options) {
  uint64_t threads;
  if (!options_number("--threads", options->threads, 1, 4096, tensors_cores(), &threads)) return EXIT_USAGE;
  run_state run = {.options = options, .threads = (unsigned)threads};
  /* Reports must not get between the bytes of a tensor that goes to standard output. */
  run.report = options->out && tensors_to_stdout(options->out) ? stderr : stdout;
  run.context = command_context(run.threads);
  if (!run.context) return EXIT_BAD;
  tec_status status = run_all(&run);
  release(&run);
  return status ? EXIT_BAD : EXIT_GOOD;
}
