/* passes.h - what the passes share: the entry point of each, and the rewrites that more than one needs. */
#ifndef TEC_PASSES_PASSES_H
#define TEC_PASSES_PASSES_H
#include "passes/extent.h"
#include "passes/pass.h"

/* The function of each row of pass.def. */
#define PASS(NAME, PLACE, FUNCTION, STAGES, DOC) pass_of_##PLACE FUNCTION;
#include "passes/pass.def"
#undef PASS

/* No effect on memory, no control over anything outside: the op may be dropped when its results are unused. Says it of
 * the op itself: destination-style ops count as pure only on tensors, and regions of loops are not looked into. */
bool pass_is_pure(const ir_op *op);
/* The op has another effect than its results, or something inside has; slices that a loop collects are its results. */
bool pass_has_effect(const ir_op *op);

/* The op calls the function. */
static inline bool pass_calls(const ir_op *op, const ir_op *function) {
  return op->code == OP_FUNC_CALL && ir_module_lookup(op->module, ir_attr_string_or(op, "callee", "")) == function;
}

/* The function's type becomes that of its arguments and of what it returns (blocks.c). */
void pass_update_function_type(ir_op *function);

/* Replaces an op on whole tensors that stands for a structured one, which is returned; NULL: it does not
 * (to_linalg.c). */
ir_op *pass_op_to_linalg(ir_op *op);
/* A fill that gives what the constant, which is `splat` everywhere, does (to_linalg.c). */
ir_value *pass_fill_for(ir_builder *builder, const ir_op *constant, ir_cell splat);

/* Drops ops, carried values and local memory that nobody needs (dead.c); true if there were any. */
bool pass_drop_dead(ir_module *module);

/* Calls `visit` for each block that computes on whole tensors: the bodies of functions that no script has scheduled,
 * and of the loops and branches in them, from the inside out (blocks.c). */
void pass_visit_unscheduled(ir_module *module, void (*visit)(ir_block *block, const void *data), const void *data);

/* Calls `visit` for each op of these blocks, first to last; it may be replaced, and what takes its place is not visited
 * (blocks.c). */
void pass_visit_unscheduled_ops(ir_module *module, void (*visit)(ir_op *op, const void *data), const void *data);

/* Calls `visit` for each kernel, an scf.forall that stands in the body of a function, first to last; it may be replaced
 * or moved, and what comes before it is not visited again. Stops on false (blocks.c). */
bool pass_visit_kernels(ir_module *module, const pass_options *options, pass_of_kernel *visit);

/* if (condition) { } else { kernel }; returns where a copy of the kernel goes (blocks.c). */
ir_builder pass_branch_around(ir_op *kernel, ir_value *condition);

/* An scf.for with the bounds, attributes and ops of `old`, which carries the inits; what uses `old`'s arguments and
 * results stays as it is (blocks.c). */
ir_op *pass_move_loop(ir_builder *builder, ir_op *old, unsigned num_inits, ir_value *const *inits);

/* Puts a loop that carries a further value, the last one, in the place of *loop; returns that value in its body, of
 * which the caller completes the terminator. `layout`: what PASS_LAYOUTS says of it; NULL: nothing (blocks.c). */
ir_value *pass_carry(ir_op **loop, ir_value *init, const ir_attr *layout);

/* On an op of a kernel on vectors: an array of the layouts of its results, as text; "" for scalars. */
#define PASS_LAYOUTS "tec.layouts"

/* On a structured op that is what is left of another one where scripts want that: its name, and for each of its loops
 * the loop here, or -1. */
#define PASS_STANDS_FOR "tec.stands_for"
#define PASS_STANDS_FOR_LOOPS "tec.stands_for_loops"

/* On a structured op on whole tensors: so many tiles, or iterations of bodies, read each element of its result that
 * none makes it again. */
#define PASS_ONCE "tec.once"

/* On an scf.for: an iteration changes nothing that it carries where all scores of a running softmax are hidden
 * (trim.c); nor does a part of one change its part. */
#define PASS_NEUTRAL "tec.neutral"

/* On an arith.mulf: it is rounded before anything else is computed with it; code generators make no multiply-add. */
#define PASS_ROUNDED "tec.rounded"

/* On a kernel of a GPU: it merges what the blocks of another one have made (split.c). */
#define PASS_MERGES "tec.merges"

/* On a kernel, an scf.forall without results: its iterations are independent elements, one for each lane. */
#define PASS_BY_ELEMENT "tec.by_element"
#endif
