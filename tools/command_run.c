/* command_run.c - tcc-attn run: calls a function on .npy files or random data; checks and times it.
 *
 * FILE is a module's text, which is compiled for the device, or a program file. --check first runs the text twice in the
 * interpreter, on copies of the arguments (check.h says what is compared). */
#include "tools/check.h"
#include "tools/command.h"
#include "tools/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_UNKNOWN_EXTENTS = 64 };

/* Everything a run holds; released in one place. */
typedef struct run_state {
  const command_options *options;
  tec_context *context;
  unsigned threads;
  FILE *report; /* of --check and --bench */
  char *file;
  size_t file_size;
  tec_entry entry;
  check_run tested, exact, plain; /* the latter two under --check */
  uint64_t seed, unknown[MAX_UNKNOWN_EXTENTS], rounds;
  uint32_t num_unknown;
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
  if (!status) status = compile_text(run, suited ? suited : run->options->target, &run->tested.program);
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
    status = tec_program_read(run->context, run->options->input, run->file, run->file_size, &run->tested.program);
  }
  if (!status && device) status = tec_program_set_device(run->tested.program, device);
  return status ? status : tec_program_find(run->tested.program, run->options->function, &run->entry);
}

/* ------------------------------------------------------------------------------------------------------- arguments */

static tec_status make_arguments(run_state *run) {
  const command_options *options = run->options;
  const tec_entry *entry = &run->entry;
  run->tested.arguments = calloc(entry->num_arguments + 1, sizeof *run->tested.arguments);
  run->tested.results = calloc(entry->num_results + 1, sizeof *run->tested.results);
  if (!run->tested.arguments || !run->tested.results) return failure("out of memory");
  if (options->in) return tensors_read(run->context, options->in, entry->num_arguments, run->tested.arguments);
  if (entry->num_arguments && !options->random) return failure("the function has arguments: give --in or --random");
  tensor_source source = {run->seed, run->unknown, run->num_unknown};
  return tensors_random(run->context, &source, entry->num_arguments, entry->arguments, run->tested.arguments);
}

static tec_status call(const run_state *run, const check_run *one) {
  const DLTensor **views = calloc(run->entry.num_arguments + 1, sizeof *views);
  if (!views) return failure("out of memory");
  for (uint32_t i = 0; i < run->entry.num_arguments; i++) views[i] = &one->arguments[i]->dl_tensor;
  tec_status status = tec_program_call(one->program, run->entry.name, run->entry.num_arguments, views,
                                       run->entry.num_results, one->results);
  free(views);
  return status;
}

static tec_status write_results(const run_state *run) {
  const tec_entry *entry = &run->entry;
  if (!run->options->out) return TEC_OK;
  DLManagedTensor **outputs = calloc(entry->num_results + entry->num_arguments + 1, sizeof *outputs);
  if (!outputs) return failure("out of memory");
  uint32_t count = 0;
  for (uint32_t i = 0; i < entry->num_results; i++) outputs[count++] = run->tested.results[i];
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER) outputs[count++] = run->tested.arguments[i];
  tec_status status = tensors_write(run->context, run->options->out, count, outputs);
  free(outputs);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- check */

/* Runs the interpreter before anything else: it tells what compiled code need not survive, such as a subscript out of
 * bounds. */
static tec_status run_interpreter(run_state *run) {
  run->tested.tf32 = run->options->f32 && !strcmp(run->options->f32, "tf32");
  tec_status status = compile_text(run, "interp:double", &run->exact.program);
  if (!status) status = compile_text(run, "interp", &run->plain.program);
  if (!status) status = check_prepare(run->context, &run->entry, run->tested.arguments, &run->exact);
  if (!status) status = check_prepare(run->context, &run->entry, run->tested.arguments, &run->plain);
  if (!status) check_blur(&run->entry, &run->plain);
  double start = command_seconds();
  if (!status) status = call(run, &run->exact);
  if (!status) status = call(run, &run->plain);
  if (!status && run->options->time) command_report_time("interpreter", command_seconds() - start);
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
  bool on_device = tec_program_device_seconds(run->tested.program) > 0;
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
  uint64_t rounds = run->rounds;
  double *seconds = calloc(rounds, sizeof *seconds);
  if (!seconds) return failure("out of memory");
  tec_status status = TEC_OK;
  for (uint64_t i = 0; i < rounds && !status; i++) {
    double start = command_seconds();
    status = call(run, &run->tested);
    double on_device = tec_program_device_seconds(run->tested.program);
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
    tensor_describe(run->report, i ? ", " : "", &run->tested.arguments[i]->dl_tensor);
  fprintf(run->report, ") -> (");
  for (uint32_t i = 0; i < entry->num_results; i++)
    tensor_describe(run->report, i ? ", " : "", &run->tested.results[i]->dl_tensor);
  fprintf(run->report, ") on %s\n", tec_program_target(run->tested.program));
  if (*entry->tiles) fprintf(run->report, "run: tiles: %s\n", entry->tiles);
  fprintf(run->report, "run: scratch memory: %.1f KiB\n", (double)tec_program_scratch_bytes(run->tested.program) / 1024);
}

static tec_status run_all(run_state *run) {
  const command_options *options = run->options;
  double start = command_seconds();
  tec_status status = load(run);
  double compiled = command_seconds();
  if (status) return status;
  status = make_arguments(run);
  if (!status && options->check) status = run_interpreter(run);
  if (status) return status;
  double called = command_seconds();
  status = call(run, &run->tested);
  double done = command_seconds();
  if (status) return status;
  report_shapes(run);
  fprintf(run->report, "run: compiled in %.1f ms, first call %.1f ms\n", (compiled - start) * 1e3, (done - called) * 1e3);
  /* Before --bench calls again, which would change buffers written in place once more. */
  status = write_results(run);
  if (!status && options->check)
    status = check_compare(run->context, &run->entry, &run->tested, &run->exact, &run->plain, run->report);
  if (!status && options->bench) status = bench(run);
  return status;
}

/* What is wrong with the options whatever the input is; false after a message. */
static bool read_numbers(const command_options *options, run_state *run) {
  const char *wrong = options->in && options->random    ? "--in and --random exclude each other"
                      : options->dims && !options->random ? "--dims goes with --random"
                                                          : NULL;
  if (wrong) {
    fprintf(stderr, "tcc-attn: %s\n", wrong);
    return false;
  }
  uint64_t threads;
  if (!options_number("--threads", options->threads, 1, 4096, tensors_cores(), &threads) ||
      !options_number("--random", options->random, 0, UINT64_MAX, 1, &run->seed) ||
      !options_number("--bench", options->bench, 1, 1000000, 20, &run->rounds) ||
      !options_numbers("--dims", options->dims, 0, INT64_MAX, MAX_UNKNOWN_EXTENTS, run->unknown, &run->num_unknown))
    return false;
  run->threads = (unsigned)threads;
  return true;
}

int command_run(const command_options *options) {
  run_state run = {.options = options};
  if (!read_numbers(options, &run)) return EXIT_USAGE;
  /* Reports must not get between the bytes of a tensor that goes to standard output. */
  run.report = options->out && tensors_to_stdout(options->out) ? stderr : stdout;
  run.context = command_context(run.threads);
  if (!run.context) return EXIT_BAD;
  tec_status status = run_all(&run);
  check_release(&run.entry, &run.tested);
  check_release(&run.entry, &run.exact);
  check_release(&run.entry, &run.plain);
  tec_free(run.file);
  tec_context_destroy(run.context);
  return status ? EXIT_BAD : EXIT_GOOD;
}
