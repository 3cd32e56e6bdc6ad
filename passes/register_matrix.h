/* register_matrix.h - products of the host's matrix unit. */
#ifndef TEC_PASSES_REGISTER_MATRIX_H
#define TEC_PASSES_REGISTER_MATRIX_H
#include "passes/target.h"

/* A contraction on memrefs that the matrix unit does: of bf16 with sums of f32, a known number of terms, and enough
 * rows and columns, whose factors leave room for their copies in the second-level cache. */
bool register_matrix_takes(ir_op *op, const target_facts *facts);
/* Sums of all terms are made at once, so that they may start from 0 in registers. */
bool register_matrix_sums_at_once(const ir_op *op);
/* Replaces such a contraction. `starts_from_zero`: whatever its output holds. */
void register_matrix_lower(ir_op *op, const target_facts *facts, bool starts_from_zero);
#endif
