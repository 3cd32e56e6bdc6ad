/* routine.h - routines of GPU programs (program.h): as bytes of a file, copied, and their sizes evaluated. Not
 * installed. */
#ifndef TEC_RUNTIME_ROUTINE_H
#define TEC_RUNTIME_ROUTINE_H
#include "runtime/program.h"
#include "runtime/runtime.h"

/* Appends a routine. What `take` reads is what was put. */
void routine_put(byte_buffer *file, const program_routine *routine);
/* Reads the routine of `entry` and checks all that it says against the entry and itself, so that whoever runs it need
 * not. On failure the reader says what is wrong. Afterwards, in either case, the caller releases it with
 * routine_release. */
void routine_take(byte_reader *reader, const tec_entry *entry, program_routine *routine);
void routine_release(program_routine *routine);
/* Fills values[num_values] from the extents of all arguments. */
void routine_evaluate(const program_routine *routine, const int64_t *extents, const int64_t *integers, int64_t *values);
#endif
