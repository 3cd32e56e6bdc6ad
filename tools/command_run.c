/* command_run.c - tcc-attn run: calls a function on .npy files or random data; checks and times it.
 *
 * FILE is a module's text, which is compiled for the device, or a program file. --check first runs the text in
 * the interpreter, on copies of the arguments (check.c says what is compared). */
#include "tools/check.h"
#include "tools/path.h"
#include "tools/runner.h"
#include "tools/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything a run holds; released in one place. */
typedef struct run_state {
  runner runner;
  FILE *report;    /* of --check and --bench */
  check_runs runs; /* all but the tested one under --check */
  uint64_t rounds;
} run_state;

/* Compiles for the target asked for, or else the one that suits the device. */
static tec_status compile_for_device(run_state *run, const char *device) {
  const char *target = run->runner.options->target;
  char *suited = NULL;
  tec_status status = target ? TEC_OK : tec_device_target(run->runner.context, device, &suited);
  if (!status)
    status = runner_compile(&run->runner, suited ? suited : target, NULL, &run->runs.tested.program);
  tec_free(suited);
  return status;
}

static tec_status load(run_state *run) {
  runner *runner = &run->runner;
  const command_options *options = runner->options;
  tec_status status = runner_read(runner);
  if (status)
    return status;
  if (!tec_program_probe(runner->file, runner->file_size)) {
    status = compile_for_device(run, options->device ? options->device : "host");
  } else {
    const char *wrong = options->check ? "--check" : options_common(options, COMMAND_RUN | COMMAND_COMPILE);
    if (wrong) {
      fprintf(stderr, "error: %s needs a module's text, not a compiled program\n", wrong);
      return TEC_INVALID;
    }
    const char *name = strcmp(options->input, "-") ? options->input : "standard input";
    status = tec_program_read(runner->context, name, runner->file, runner->file_size, &run->runs.tested.program);
  }
  if (!status && options->device)
    status = tec_program_set_device(run->runs.tested.program, options->device);
  return status ? status : tec_program_find(run->runs.tested.program, options->function, &runner->entry);
}

/* Before anything runs: are there as many outputs as --out names files? */
static tec_status check_outputs(const run_state *run) {
  const tec_entry *entry = &run->runner.entry;
  uint32_t outputs = entry->num_results, wanted = tensors_count(run->runner.options->out);
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    outputs += entry->arguments[i].kind == TEC_KIND_BUFFER;
  if (wanted <= outputs)
    return TEC_OK;
  fprintf(stderr, "error: --out names %u files, but the function's outputs are %u\n", wanted, outputs);
  return TEC_INVALID;
}

static tec_status write_results(const run_state *run) {
  const tec_entry *entry = &run->runner.entry;
  if (!run->runner.options->out)
    return TEC_OK;
  DLManagedTensor **outputs = calloc(entry->num_results + entry->num_arguments + 1, sizeof *outputs);
  if (!outputs)
    return command_failure("out of memory");
  uint32_t count = 0;
  for (uint32_t i = 0; i < entry->num_results; i++)
    outputs[count++] = run->runs.tested.results[i];
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER)
      outputs[count++] = run->runs.tested.arguments[i];
  tec_status status = tensors_write(run->runner.context, run->runner.options->out, outputs);
  free(outputs);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- check */

static tec_status run_interpreter(run_state *run, const char *target, check_run *one, bool moved) {
  runner *runner = &run->runner;
  tec_status status = runner_compile(runner, target, NULL, &one->program);
  if (!status)
    status = check_prepare(runner->context, &runner->entry, run->runs.tested.arguments, one);
  if (!status && moved)
    check_blur(&runner->entry, one, run->runs.num_moved - 1);
  return status ? status : runner_call(runner, one);
}

/* Once more, on moved arguments. */
static tec_status run_moved(run_state *run) {
  check_run *moved = &run->runs.moved[run->runs.num_moved++];
  moved->tf32 = run->runner.options->f32 && !strcmp(run->runner.options->f32, "tf32");
  return run_interpreter(run, moved->tf32 ? "interp:tf32" : "interp", moved, true);
}

/* Runs the interpreter before anything else: it tells what compiled code need not survive, such as a subscript out of
 * bounds. */
static tec_status run_interpreters(run_state *run) {
  double start = command_seconds();
  tec_status status = run_interpreter(run, "interp:double", &run->runs.exact, false);
  if (!status)
    status = run_interpreter(run, "interp", &run->runs.plain, false);
  if (!status)
    status = run_moved(run);
  if (!status && run->runner.options->time)
    command_report_time("interpreter", command_seconds() - start);
  return status;
}

static tec_status check(run_state *run) {
  tec_status status = TEC_OK;
  while (!status && check_wants_more(run->runner.context, &run->runner.entry, &run->runs))
    status = run_moved(run);
  return status ? status : check_compare(run->runner.context, &run->runner.entry, &run->runs, run->report);
}

/* ----------------------------------------------------------------------------------------------------------- bench */

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* With a GPU's clock, what counts is how long the kernels ran; copies from and to the host are left out. */
static void report_bench(const run_state *run, double *seconds, size_t rounds) {
  qsort(seconds, rounds, sizeof *seconds, compare_doubles);
  bool on_device = tec_program_device_seconds(run->runs.tested.program) > 0;
  double median = seconds[rounds / 2], flops = run->runner.entry.flops,
         peak = on_device ? 0 : fma_peak(run->runner.threads);
  fprintf(run->report, "bench: median %.3f ms, min %.3f ms of %zu calls, ", median * 1e3, seconds[0] * 1e3, rounds);
  if (on_device)
    fprintf(run->report, "by the device's clock\n");
  else
    fprintf(run->report, "%u threads\n", run->runner.threads);
  if (flops > 0)
    fprintf(run->report, "bench: %.1f GFLOP/s in the median (%.4g flops)", flops / median * 1e-9, flops);
  if (flops > 0 && peak > 0)
    fprintf(run->report, ", %.0f%% of", flops / median * 1e-7 / peak);
  if (peak > 0)
    fprintf(run->report, "%s the measured f32 FMA peak %.1f GFLOP/s\n", flops > 0 ? "" : "bench:", peak);
  else if (flops > 0)
    fprintf(run->report, "\n");
}

static tec_status bench(const run_state *run) {
  uint64_t rounds = run->rounds;
  double *seconds = calloc(rounds, sizeof *seconds);
  if (!seconds)
    return command_failure("out of memory");
  tec_status status = TEC_OK;
  for (uint64_t i = 0; i < rounds && !status; i++) {
    double start = command_seconds();
    status = runner_call(&run->runner, &run->runs.tested);
    double on_device = tec_program_device_seconds(run->runs.tested.program);
    seconds[i] = on_device > 0 ? on_device : command_seconds() - start;
  }
  if (!status)
    report_bench(run, seconds, rounds);
  free(seconds);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- run */

static void report_shapes(const run_state *run) {
  const tec_entry *entry = &run->runner.entry;
  fprintf(run->report, "run: %s(", entry->name);
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    tensor_describe(run->report, i ? ", " : "", &run->runs.tested.arguments[i]->dl_tensor);
  fprintf(run->report, ") -> (");
  for (uint32_t i = 0; i < entry->num_results; i++)
    tensor_describe(run->report, i ? ", " : "", &run->runs.tested.results[i]->dl_tensor);
  fprintf(run->report, ") on %s\n", tec_program_target(run->runs.tested.program));
  if (*entry->tiles)
    fprintf(run->report, "run: tiles: %s\n", entry->tiles);
  fprintf(run->report, "run: scratch memory: %.1f KiB\n",
          (double)tec_program_scratch_bytes(run->runs.tested.program) / 1024);
}

static tec_status run_all(run_state *run) {
  const command_options *options = run->runner.options;
  double start = command_seconds();
  tec_status status = load(run);
  double compiled = command_seconds();
  if (!status)
    status = check_outputs(run);
  if (!status)
    status = runner_make_arguments(&run->runner, &run->runs.tested);
  if (!status && options->check)
    status = run_interpreters(run);
  if (status)
    return status;
  double called = command_seconds();
  status = runner_call(&run->runner, &run->runs.tested);
  double done = command_seconds();
  if (status)
    return status;
  report_shapes(run);
  fprintf(run->report, "run: compiled in %.1f ms, first call %.1f ms\n", (compiled - start) * 1e3,
          (done - called) * 1e3);
  /* Before --bench calls again, which would change buffers written in place once more. */
  status = write_results(run);
  if (!status && options->check)
    status = check(run);
  if (!status && options->bench)
    status = bench(run);
  return status;
}

/* What is wrong with the files that --out names; NULL: nothing. */
static const char *wrong_outputs(const command_options *options) {
  const char *wrong = NULL;
  uint32_t num_outputs, num_inputs;
  path_file *outputs = path_find_all(options->out, &num_outputs), *inputs = path_find_all(options->in, &num_inputs);
  path_file input = path_find(options->input);
  for (uint32_t i = 0; i < num_outputs && !wrong; i++) {
    if (path_overwrites(outputs[i], input))
      wrong = "--out would overwrite the input";
    for (uint32_t k = 0; k < num_inputs; k++)
      if (path_overwrites(outputs[i], inputs[k]))
        wrong = "--out would overwrite what --in names";
    for (uint32_t k = 0; k < i; k++)
      if (path_is_same(outputs[i], outputs[k]))
        wrong = "--out names a file twice";
  }
  free(outputs);
  free(inputs);
  return wrong;
}

int command_run(const command_options *options) {
  run_state run = {0};
  const char *wrong = wrong_outputs(options);
  if (wrong) {
    fprintf(stderr, "tcc-attn: %s\n", wrong);
    return EXIT_USAGE;
  }
  if (!options_number("--bench", options->bench, 1, 1000000, 20, &run.rounds))
    return EXIT_USAGE;
  int exit_status = runner_start(options, &run.runner);
  if (exit_status)
    return exit_status;
  /* Reports must not get between the bytes of a tensor that goes to standard output. */
  run.report = options->out && tensors_to_stdout(options->out) ? stderr : stdout;
  tec_status status = run_all(&run);
  check_release_all(&run.runner.entry, &run.runs);
  runner_end(&run.runner);
  return status ? EXIT_BAD : EXIT_GOOD;
}
