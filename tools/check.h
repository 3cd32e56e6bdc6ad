/* check.h - are the numbers of a run as good as plain arithmetic in the declared types makes them? */
#ifndef TEC_TOOLS_CHECK_H
#define TEC_TOOLS_CHECK_H
#include "runtime/tec.h"

#include <stdio.h>

/* One way to compute an entry point, and what it was given and gave. */
typedef struct check_run {
  tec_program *program;
  DLManagedTensor **arguments, **results; /* as many as the entry has; NULL until there is one */
  bool tf32;                              /* check_blur: products of f32 round their factors */
} check_run;

enum { CHECK_MOST_MOVED = 6 };

/* The run that is judged, and what it is judged by: the same in double precision, the unfused program with each op
 * rounded to its type, and that on arguments moved by check_blur. */
typedef struct check_runs {
  check_run tested, exact, plain, moved[CHECK_MOST_MOVED];
  unsigned num_moved;
} check_runs;

/* Copies of the arguments, with room for results. What was made is in *run also after a failure. */
tec_status check_prepare(tec_context *context, const tec_entry *entry, DLManagedTensor *const *arguments,
                         check_run *run);
/* Moves each f32 and f64 element of the arguments, which check_prepare made, by one rounding; f32 by one to tf32 where
 * the tested program may do that. Each `number` below CHECK_MOST_MOVED moves them in its own way. */
void check_blur(const tec_entry *entry, check_run *run, unsigned number);
/* Releases all that a run holds, or that all do, their programs included. */
void check_release(const tec_entry *entry, check_run *run);
void check_release_all(const tec_entry *entry, check_runs *runs);

/* A result errs more than is allowed, but by so little that another moved run may show that to be right, if the tested
 * run's arguments are what they were before it. */
bool check_wants_more(tec_context *context, const tec_entry *entry, const check_runs *runs);
/* Compares the tested run with the exact one, allowing what the others err. Prints a line for each result and each
 * buffer written in place. TEC_INVALID after a message if one is worse. */
tec_status check_compare(tec_context *context, const tec_entry *entry, const check_runs *runs, FILE *report);
#endif
