/* batch_sums.h - reductions over the batches of a product, batch by batch (hosts). */
#ifndef TEC_PASSES_BATCH_SUMS_H
#define TEC_PASSES_BATCH_SUMS_H
#include "passes/fuse.h"
#include "passes/target.h"

/* The loop of the op, its one reduction, that runs over the batches of a product of which elementwise ops, for
 * nobody else, make an input, where a loop over them pays; -1 where it is no such, and on GPUs. */
int batch_sums_loop(const ir_op *op, const target_facts *target);
/* All that reads the product is such a reduction of it, or leads to one by elementwise ops. */
bool batch_sums_read(const ir_op *product, const target_facts *target);
/* Behind tiling of that loop, in steps of one batch: the op that adds up is elementwise in the loop, on what lies along
 * lanes there and in a place of its own. */
void batch_sums_finish(const fuse_result *tiled, unsigned loop);
#endif
