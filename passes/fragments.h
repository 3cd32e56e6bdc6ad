/* fragments.h - operands of contractions as fragments of the matrix unit's instructions; internal to
 * distribute_contract.c and distribute_warpgroup.c. */
#ifndef TEC_PASSES_FRAGMENTS_H
#define TEC_PASSES_FRAGMENTS_H
#include "passes/anchor.h"
#include "passes/distribute.h"

enum { FRAGMENT_REGISTERS = 64 }; /* of one lane, at most */

/* A value as fragments: dims turned so that they are those of the instruction's operand. */
typedef struct fragments {
  layout layout, fragment;
  int64_t rows, columns; /* of a fragment */
  int64_t registers;     /* of a fragment */
  ir_value *vector;
  unsigned dims[2];      /* of the value, which rows and columns are */
  late_factor *late;     /* in place of the vector: global memory .. */
  matrix_source *source; /* .. or shared memory */
  int64_t ahead[2];      /* from there: the fragment that was loaded together with the last .. */
  ir_value *ahead_value; /* .. and its registers; NULL: none */
} fragments;

/* Registers registers[0 .. f->registers) of the fragment at a place; false where this lane has no such fragment. */
bool fragment_at(const fragments *f, int64_t row, int64_t column, int64_t *registers);
/* The register parts of all places of fragments of this lane, in register order; returns how many, 0 if some register
 * is in none. */
int64_t fragment_places(ir_arena *arena, const fragments *f, int64_t (**places)[2]);
/* A lane's elements as rows, of what 32 bits hold of factors, of two elements of C: as nvgpu.mma.sync has its
 * operands. */
ir_value *fragment_rows(distributor *d, ir_value *flat, int64_t row);

/* The contraction with factors {A, B}, added to C, by warpgroups that read B, and A if it lies there, from shared
 * memory; the result is pending from then on. `depth`: extent of the reduction. False, with nothing done, where they
 * cannot. */
bool distribute_warpgroups(distributor *d, const ir_op *op, const target_matrix *matrix, const fragments factors[2],
                           const fragments *c, int64_t depth);
#endif
