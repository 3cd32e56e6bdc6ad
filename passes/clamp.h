/* clamp.h - memory safety of subscripts that are known at run time only. */
#ifndef TEC_PASSES_CLAMP_H
#define TEC_PASSES_CLAMP_H
#include "ir/build.h"

/* Provably, `count` elements of the tensor's dim from that index on lie within it. */
bool clamp_is_within(ir_value *from, ir_index count, ir_value *tensor, unsigned dim);
/* Moves single elements and slices that the function reads or writes into their tensors or memory, but for dims whose
 * bits an op's mark has: these are checked in each call. */
void clamp_subscripts(ir_op *function);
#endif
