/* simplify.h - the parts of the pass "simplify"; internal to simplify*.c. */
#ifndef TEC_PASSES_SIMPLIFY_H
#define TEC_PASSES_SIMPLIFY_H
#include "passes/passes.h"

/* Simplifies an scf op whose regions are simple already; true if anything changed. The op may be erased, and what its
 * regions hold may stand in its place. */
bool simplify_control(ir_op *op);
/* Moves ops that compute the same in every iteration out of a loop; true if there were any. */
bool simplify_hoist(ir_op *loop);
#endif
