/* anchor.h - the layouts that start propagation: of contractions, after the matrix units or SIMT lanes that compute
 * them, and of vectors that nothing else places. */
#ifndef TEC_PASSES_ANCHOR_H
#define TEC_PASSES_ANCHOR_H
#include "passes/layout.h"
#include "passes/target.h"

/* The lanes that share a kernel's vectors. */
typedef struct anchor_lanes {
  int64_t warp;  /* lanes of a warp */
  int64_t warps; /* of a block; both are powers of two */
  const target_facts *facts;
} anchor_lanes;

/* A product of two matrices, with the loops of rows, columns and reduction, and how long they are. */
enum { ANCHOR_ROWS, ANCHOR_COLUMNS, ANCHOR_DEPTH };
typedef struct anchor_product {
  unsigned loops[3];
  int64_t extents[3];
  unsigned dims[3][2]; /* of lhs: those of rows and depth; of rhs: depth and columns; of acc: rows and columns */
} anchor_product;
/* False where the vector.contract has other loops than one of each. */
bool anchor_find_product(const ir_op *contract, anchor_product *p);
/* The matrix unit can compute it in whole pieces. */
bool anchor_fits(const ir_op *contract, const anchor_product *p, const target_matrix *matrix);

/* Warps are useful to a contraction up to this number: those that its rows can be dealt to. */
int64_t anchor_contraction_warps(const ir_op *contract, const target_facts *facts);

/* The layouts of lhs, rhs and acc of a vector.contract that matrix units do; of what they can do, that is taken to
 * which the left factor is brought most cheaply from its layout `lhs` (NULL: it has none yet). False for others, which
 * lanes multiply and add on their own: then only that of acc, and factors may have any. A scalar acc gets rank 0. */
bool anchor_contraction(const ir_op *contract, const anchor_lanes *lanes, const layout *lhs, layout layouts[3]);

/* A vector that is read and written in wide neighbouring pieces: lanes along the last dim, warps along the first. */
layout anchor_vector(const ir_type *type, const anchor_lanes *lanes);

/* A vector of which sums along its first dim are made, where each lane has all that it adds up, and as many lanes as
 * there are have sums of their own. */
layout anchor_summed(const ir_type *type, const anchor_lanes *lanes);

/* The same for a copy into shared memory, of `run` elements at a time: warps have neighbouring rows, and registers of a
 * lane rows so far apart that swizzles move their chunks alike. Neighbouring lanes have rows that are
 * `apart` rows from each other, if lanes have so many; both are powers of two. */
layout anchor_copy(const ir_type *type, const anchor_lanes *lanes, int64_t run, int64_t apart);
#endif
