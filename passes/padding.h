/* padding.h - who sees what a vector.transfer_read gives where it is out of bounds. */
#ifndef TEC_PASSES_PADDING_H
#define TEC_PASSES_PADDING_H
#include "ir/build.h"

/* Nothing that leaves the kernel depends on what the read, of a kernel on vectors, gives beyond the end along dim `dim`
 * of its result: any elements of that type will do there. */
bool padding_is_unseen(const ir_op *read, unsigned dim);
#endif
