/* runner.h - a function with its arguments, as commands run it. */
#ifndef TEC_TOOLS_RUNNER_H
#define TEC_TOOLS_RUNNER_H
#include "tools/check.h"
#include "tools/command.h"

enum { RUNNER_MAX_UNKNOWN_EXTENTS = 64 };

typedef struct runner {
  const command_options *options;
  tec_context *context;
  unsigned threads, spin;
  char *file; /* the input's bytes */
  size_t file_size;
  tec_entry entry; /* the function, once somebody has found it */
  uint64_t seed, unknown[RUNNER_MAX_UNKNOWN_EXTENTS];
  uint32_t num_unknown;
} runner;

/* Takes the options that arguments and threads come from, and makes the context. EXIT_GOOD, or the exit status after a
 * message. */
int runner_start(const command_options *options, runner *runner);
void runner_end(runner *runner);
/* Reads the input. */
tec_status runner_read(runner *runner);
/* Compiles the text for a target. `tiles` as in tec_compile_options; NULL: those of the command line, or else those
 * that `tune` has stored. */
tec_status runner_compile(const runner *runner, const char *target, const char *tiles, tec_program **program);
/* The arguments asked for, with room for results. What was made is in *run also after a failure. */
tec_status runner_make_arguments(const runner *runner, check_run *run);
/* Calls the function. Ends the process, after a message, where its code has an instruction that the processor lacks. */
tec_status runner_call(const runner *runner, const check_run *run);
#endif
