/* vector.h - what vector.c and contract.c share: rows of lanes, as in llvm.h. */
#ifndef TEC_BACKEND_VECTOR_H
#define TEC_BACKEND_VECTOR_H
#include "backend/llvm.h"

static inline bool is_power_of_two(unsigned x) { return x && !(x & (x - 1)); }

/* The row, a whole number of registers, as a value that nothing before can be merged with. */
LLVMValueRef emit_fence_row(emitter *e, LLVMValueRef row);
/* A piece in the form that `type` wants: scalars and vectors of one lane differ only in that. */
LLVMValueRef emit_in_form(emitter *e, const ir_type *type, LLVMValueRef value);
/* All lanes of a row combined into a scalar: halves onto each other, odd lanes kept for the end. */
LLVMValueRef emit_combine_lanes(emitter *e, emit_piece_hook *combine, LLVMValueRef row);
/* The lanes of each row combined, one row's result a lane: `count` rows, a power of two no larger than that of their
 * lanes. Two vectors that hold parts of rows become one, so that all rows together cost little more than one: first
 * within segments of 128 bits, which x86's cheapest shuffles do not leave, until a segment has one lane for each of its
 * rows, then by whole segments (scores of four queries 1.5 times as fast as by halves of vectors, Zen 4). What is left
 * of each row is halved. */
LLVMValueRef emit_combine_rows(emitter *e, emit_piece_hook *combine, LLVMValueRef *rows, unsigned count);
#endif
