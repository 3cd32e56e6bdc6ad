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

/* Copies of the arguments, with room for results. What was made is in *run also after a failure. */
tec_status check_prepare(tec_context *context, const tec_entry *entry, DLManagedTensor *const *arguments,
                         check_run *run);
/* Moves each f32 and f64 element of the arguments, which check_prepare made, by one rounding; f32 by one to tf32 where
 * the tested program may do that. */
void check_blur(const tec_entry *entry, check_run *run);
/* Releases all that a run holds, its program included. */
void check_release(const tec_entry *entry, check_run *run);

/* Compares `tested` with `exact`, the same in double precision, allowing what the unfused program with each op rounded
 * to its type errs: `plain`, and `moved` on arguments moved by check_blur (NULL: without). Prints a line for each
 * result and each buffer written in place. TEC_INVALID after a message if one is worse. */
tec_status check_compare(tec_context *context, const tec_entry *entry, const check_run *tested, const check_run *exact,
                         const check_run *plain, const check_run *moved, FILE *report);
#endif
