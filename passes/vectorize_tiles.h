/* vectorize_tiles.h - what the pass "vectorize-tiles" can do, for those who decide what goes into kernels. */
#ifndef TEC_PASSES_VECTORIZE_TILES_H
#define TEC_PASSES_VECTORIZE_TILES_H
#include "ir/ir.h"

/* An op on tensors may be part of a kernel on registers, whatever the tiles: its loops can be dims of vectors, or it
 * only adds and drops dims of extent 1. */
bool vectorize_tiles_can(ir_op *op);
/* The size of a vector for up to `bound` elements along a dim, other than one that is known to have just one. */
int64_t vectorize_tiles_size(int64_t bound);
#endif
