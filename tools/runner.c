/* runner.c - what `run` and `tune` share: the module's text, arguments for its function, calls. */
#include "tools/runner.h"

#include "tools/tensors.h"
#include "tools/tuned.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_options(const command_options *options, runner *runner) {
  const char *wrong = options->in && options->random      ? "--in and --random exclude each other"
                      : options->dims && !options->random ? "--dims goes with --random"
                                                          : NULL;
  if (wrong) {
    fprintf(stderr, "tcc-attn: %s\n", wrong);
    return false;
  }
  uint64_t threads, spin;
  if (!options_number("--threads", options->threads, 1, 4096, tensors_cores(), &threads) ||
      !options_number("--spin", options->spin, 0, UINT32_MAX, 0, &spin) ||
      !options_number("--random", options->random, 0, UINT64_MAX, 1, &runner->seed) ||
      !options_numbers("--dims", options->dims, 0, INT64_MAX, RUNNER_MAX_UNKNOWN_EXTENTS, runner->unknown,
                       &runner->num_unknown))
    return false;
  runner->threads = (unsigned)threads;
  runner->spin = (unsigned)spin;
  return true;
}

/* The target of the program that runs; NULL: none does. */
static const char *volatile running;

static void say(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

/* Nobody can tell before that the program's code has an instruction that this processor lacks, as LLVM chooses from all
 * that the target has. Elsewhere the signal ends the process, as ever. */
static void report_lacking(int number) {
  if (!running) {
    signal(number, SIG_DFL);
    return;
  }
  say("error: the program's code has an instruction that this processor lacks: it is for '");
  say(running);
  say("'\n");
  _exit(EXIT_BAD);
}

int runner_start(const command_options *options, runner *runner) {
  *runner = (struct runner){.options = options};
  if (!read_options(options, runner))
    return EXIT_USAGE;
  sigaction(SIGILL, &(struct sigaction){.sa_handler = report_lacking}, NULL);
  runner->context = command_context(options->threads ? runner->threads : 0, runner->spin, options->report);
  return runner->context ? EXIT_GOOD : EXIT_BAD;
}

void runner_end(runner *runner) {
  tec_free(runner->file);
  tec_context_destroy(runner->context);
}

tec_status runner_read(runner *runner) {
  return tec_file_read(runner->context, runner->options->input, &runner->file, &runner->file_size);
}

tec_status runner_compile(const runner *runner, const char *target, const char *tiles, tec_program **program) {
  tec_module *module;
  tec_compile_options compile = command_compile_options(runner->options, target);
  tec_status status = command_parse(runner->context, runner->options, runner->file, runner->file_size, &module);
  if (status)
    return status;
  char *stored = NULL;
  if (tiles)
    compile.tiles = strcmp(tiles, COMMAND_OWN_TILES) ? tiles : NULL;
  else
    status = tuned_choose(runner->context, runner->options, module, runner->threads, &compile, &stored);
  if (!status)
    status = tec_module_compile(module, &compile, program);
  free(stored);
  tec_module_destroy(module);
  return status;
}

tec_status runner_make_arguments(const runner *runner, check_run *run) {
  const command_options *options = runner->options;
  const tec_entry *entry = &runner->entry;
  run->arguments = calloc(entry->num_arguments + 1, sizeof *run->arguments);
  run->results = calloc(entry->num_results + 1, sizeof *run->results);
  if (!run->arguments || !run->results)
    return command_failure("out of memory");
  if (options->in)
    return tensors_read(runner->context, options->in, entry->num_arguments, run->arguments);
  if (entry->num_arguments && !options->random)
    return command_failure("the function has arguments: give --in or --random");
  tensor_source source = {runner->seed, runner->unknown, runner->num_unknown};
  return tensors_random(runner->context, &source, entry->num_arguments, entry->arguments, run->arguments);
}

tec_status runner_call(const runner *runner, const check_run *run) {
  const DLTensor **views = calloc(runner->entry.num_arguments + 1, sizeof *views);
  if (!views)
    return command_failure("out of memory");
  for (uint32_t i = 0; i < runner->entry.num_arguments; i++)
    views[i] = &run->arguments[i]->dl_tensor;
  running = tec_program_target(run->program);
  tec_status status = tec_program_call(run->program, runner->entry.name, runner->entry.num_arguments, views,
                                       runner->entry.num_results, run->results);
  running = NULL;
  free(views);
  return status;
}
