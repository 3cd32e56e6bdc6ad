/* command.h - what the commands of tcc-attn share: options, messages, exit statuses. */
#ifndef TEC_TOOLS_COMMAND_H
#define TEC_TOOLS_COMMAND_H
#include "runtime/tec.h"

enum { EXIT_GOOD = 0, EXIT_BAD = 1, EXIT_USAGE = 2 };

/* Bits: which commands an option belongs to. */
enum {
  COMMAND_OPT = 1,
  COMMAND_COMPILE = 2,
  COMMAND_RUN = 4,
  COMMAND_LIST = 8,
  COMMAND_LAYOUT = 16,
  COMMAND_EXPLAIN = 32,
  COMMAND_TUNE = 64
};

/* Options as given; NULL or false where absent. Where a value is optional, "" stands for its absence. */
typedef struct command_options {
  const char *input; /* the one positional argument: a file, "-", or what to list */
  const char *output, *passes, *dump, *target, *emit, *header, *function, *device, *in, *out, *random, *dims, *bench,
      *threads, *spin;
  const char *fuse, *f32, *svg, *tiles, *cores, *seconds;
  bool verify, generic, check, report, time, fast_exp, help;
} command_options;

/* Reads the arguments after the command's name. False after a message on wrong usage. */
bool options_parse(unsigned command, int count, char **arguments, command_options *options);
/* The cores to compile for; 0: those of this machine. */
unsigned options_cores(const command_options *options);
/* The first option given that belongs to all the commands; NULL if none is. */
const char *options_common(const command_options *options, unsigned commands);
/* Describes the options of a command on standard output. */
void options_help(unsigned command);
/* A whole number from `least` to `most`, or `fallback` where `text` is NULL or "". False after a message. */
bool options_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t fallback,
                    uint64_t *number);
/* The same for a comma-separated list of at most `capacity`; none where `text` is NULL. */
bool options_numbers(const char *name, const char *text, uint64_t least, uint64_t most, uint32_t capacity,
                     uint64_t *numbers, uint32_t *count);

/* Each runs a command; returns the exit status. */
int command_opt(const command_options *options);
int command_compile(const command_options *options);
int command_run(const command_options *options);
int command_list(const command_options *options);
int command_explain(const command_options *options);
int command_layout(const command_options *options);
int command_tune(const command_options *options);

/* A context whose messages go to standard error, with what kernels did where `report`; NULL after a message. */
tec_context *command_context(uint32_t threads, uint32_t spin, bool report);
/* An error that belongs to no place in a file: prints it. Returns TEC_INVALID. */
tec_status command_failure(const char *text);
/* Stands for the schedule's own choice where tile sizes are named. */
#define COMMAND_OWN_TILES "own"
/* The compile options that the command line asks for: dumps and times go to standard error. */
tec_compile_options command_compile_options(const command_options *options, const char *target);
/* Parses the text; reports the time under --time. */
tec_status command_parse(tec_context *context, const command_options *options, const char *text, size_t size,
                         tec_module **module);
/* The input file as a module. */
tec_status command_read(tec_context *context, const command_options *options, tec_module **module);
/* Runs `work` in a context of its own; returns the exit status. */
int command_in_context(const command_options *options,
                       tec_status (*work)(tec_context *context, const command_options *options));
void command_report_time(const char *phase, double seconds); /* for --time, on standard error */
double command_seconds(void);                                /* a clock that only moves forward */

/* The f32 FMA throughput of `threads` threads at once in GFLOP/s, measured for some milliseconds; 0 where unknown. */
double fma_peak(unsigned threads);
#endif
