/* version_query.h - what the version of a kernel for one query has of its own. */
#ifndef TEC_PASSES_VERSION_QUERY_H
#define TEC_PASSES_VERSION_QUERY_H
#include "passes/target.h"

/* A kernel whose tiles have one row each, in buffers: a parallel loop over a few heads, none of which reads keys or
 * values of its own, has one iteration afterwards, with a row for each. */
void version_join_heads(ir_op *kernel, const target_facts *target);
/* Its loops over keys that come from memory take the steps that are best for as many rows as there are now. */
void version_shorten_steps(ir_op *kernel, const target_facts *target);
#endif
