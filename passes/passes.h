/* passes.h - what the passes share: the entry point of each, and the rewrites that more than one needs. */
#ifndef TEC_PASSES_PASSES_H
#define TEC_PASSES_PASSES_H
#include "ir/build.h"
#include "passes/pass.h"

/* The function of each row of pass.def. */
#define PASS(NAME, FUNCTION, STAGES, DOC) bool FUNCTION(ir_module *module, const pass_options *options);
#include "passes/pass.def"
#undef PASS

/* No effect on memory, no control over anything outside: the op may be dropped when its results are unused. Says it of
 * the op itself: destination-style ops count as pure only on tensors, and regions of loops are not looked into. */
bool pass_is_pure(const ir_op *op);

/* Drops ops, carried values and local memory that nobody needs (dead.c); true if there were any. */
bool pass_drop_dead(ir_module *module);

/* The extent of a dim of a tensor or memref, traced to where it comes from (dims.c): a constant, an SSA index that is
 * visible wherever `value` is, or the dim of a value that nothing explains, created at the builder's place. The same
 * extent is found for every result and init of a structured op that share a loop. */
ir_index pass_dim(ir_builder *builder, ir_value *value, unsigned dim);
/* The same without creating the op for an unexplained dim: false, with that value and dim in *value and *dim. */
bool pass_trace_dim(ir_builder *builder, ir_value **value, unsigned *dim, ir_index *extent);

/* On a kernel, an scf.forall without results: its iterations are independent elements, one for each lane. */
#define PASS_BY_ELEMENT "tec.by_element"
#endif
