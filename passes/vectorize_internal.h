/* vectorize_internal.h - values of a body as vectors. Internal to vectorize*.c but vectorize_tiles.c. */
#ifndef TEC_PASSES_VECTORIZE_INTERNAL_H
#define TEC_PASSES_VECTORIZE_INTERNAL_H
#include "passes/vectorize.h"

/* A vector over the loops (bits) in the tile's order; a scalar if there are none. */
typedef struct tile_value {
  ir_value *value;
  uint32_t loops;
} tile_value;

/* What loops the values of the body depend on, by number; before the tile is chosen there are no values themselves. */
typedef struct body_loops {
  const ir_block *block;
  const tile_value *values;
} body_loops;

typedef struct body_state {
  ir_builder *builder;
  const vector_tile *tile;
  ir_block *body;
  tile_value *values;    /* by value number */
  ir_value_map *scalars; /* body values that depend on no vector dim -> their values in the tile */
} body_state;

static inline uint32_t vector_loops(const vector_tile *tile) {
  uint32_t loops = 0;
  for (unsigned i = 0; i < tile->num_dims; i++)
    loops |= ir_bit(tile->loops[i]);
  return loops;
}

/* The type of an element as a vector over the loops, in the tile's order. */
const ir_type *vectorize_type(const vector_tile *tile, ir_scalar element, uint32_t loops);
/* A value of the body, or one from outside. */
tile_value vectorize_value_of(const body_state *state, ir_value *value);
/* The value, repeated along the loops (bits) that it lacks. */
ir_value *vectorize_broadcast(const body_state *state, tile_value value, uint32_t loops);
/* Which lanes over the loops (bits) lie before the ends of those that are masked, maybe all. */
ir_value *vectorize_mask(ir_builder *builder, const vector_tile *tile, uint32_t loops);
/* An elementwise op on the values, which meet by broadcast. */
tile_value vectorize_elementwise(const body_state *state, ir_opcode code, ir_scalar result, unsigned count,
                                 const tile_value *values, unsigned num_attrs, const ir_named_attr *attrs);

/* The current iteration of a loop: start + (0, 1, ..). */
tile_value vectorize_iteration(const body_state *state, unsigned loop);
/* An affine.apply, .min or .max. */
tile_value vectorize_affine(const body_state *state, const ir_op *op);
/* A comparison of indices that is affine in the iterations, as one of constants with a scalar; false for other ops, and
 * where lanes do not have constants of their own. */
bool vectorize_comparison(const body_state *state, const ir_op *op, tile_value *result);

/* 1: the expression is dim `loop` plus something that does not depend on it; -1: .. minus the dim; else 0. */
int vectorize_sign_of_term(const ir_expr *expr, unsigned loop);
/* Those that a value depends on: none, if it comes from outside. */
uint32_t vectorize_depends(const body_loops *body, const ir_value *value);
/* vectorize_load.c: the loops (bits) along which a memref.load of the body may have lanes: those along which these are
 * neighbours in memory, or else all if it is of a small table or the body computes much .. */
uint32_t vectorize_load_lanes(const body_loops *body, const ir_op *load);
/* .. and what it loads in the tile along some of them, the vector dims that it depends on. */
tile_value vectorize_load(const body_state *state, const ir_op *load, uint32_t loops);

/* vectorize_pairs.c: the rows of a vector of floats, with an even number of lanes, as those of even places and then
 * those of odd ones, widened to `element`; and that undone. */
ir_value *vectorize_put_apart(ir_builder *builder, ir_value *value, ir_scalar element);
ir_value *vectorize_put_together(ir_builder *builder, ir_value *value);
#endif
