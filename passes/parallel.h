/* parallel.h - which loops run iterations that do not depend on each other. */
#ifndef TEC_PASSES_PARALLEL_H
#define TEC_PASSES_PARALLEL_H
#include "ir/ir.h"

/* The iterations of an scf.for are provably independent: each touches its own part of every carried tensor, and nothing
 * else is written. True for scf.forall. */
bool loop_is_parallel(const ir_op *loop);
#endif
