/* split.h - how many parts "split" makes of a reduction; internal to split*.c. */
#ifndef TEC_PASSES_SPLIT_H
#define TEC_PASSES_SPLIT_H
#include "ir/ir.h"
#include "passes/target.h"

enum { SPLIT_MIN_STEPS = 4 }; /* of a part: less is not worth a wait for other threads */

/* The most steps that the loop may take; `open` where there is no bound; 0 where a step is not known. */
int64_t split_most_steps(const ir_op *loop, int64_t open);

/* The parts of the loop with which a GPU is done soonest, in a kernel of so many iterations; 1: it is not worth
 * splitting (split_blocks.c). */
int64_t split_into_blocks(const ir_op *loop, int64_t iterations, const target_facts *target);
/* A block has registers to merge so many of them at once (split_blocks.c). */
bool split_merges_at_once(const ir_op *loop, int64_t parts);
#endif
