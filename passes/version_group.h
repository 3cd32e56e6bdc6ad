/* version_group.h - one query of each head that shares keys becomes a row of one tile. */
#ifndef TEC_PASSES_VERSION_GROUP_H
#define TEC_PASSES_VERSION_GROUP_H
#include "passes/target.h"

/* A kernel whose tiles have one row each, in buffers: a parallel loop over a few heads, none of which reads keys or
 * values of its own, has one iteration afterwards, with a row for each. */
void version_group(ir_op *kernel, const target_facts *target);
#endif
