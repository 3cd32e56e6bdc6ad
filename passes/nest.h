/* nest.h - the loops around a tile while their carried values are not known yet.
 *
 * A nest begins as scf.for ops that carry nothing. The tile is built in its body: first index arithmetic, then, after
 * the divider, all other ops. Values to be carried are read there from where they start. nest_finish then creates the
 * loops that stay, scf.for with carried values or one scf.forall, and moves the body into them. */
#ifndef TEC_PASSES_NEST_H
#define TEC_PASSES_NEST_H
#include "passes/tile.h"

enum { NEST_MAX_LEVELS = 24 };

typedef struct nest_level {
  ir_op *loop;
  unsigned dim;    /* which loop of the tiled op's domain */
  ir_index extent; /* iterations run from 0 to here .. */
  int64_t step;    /* .. by this */
  ir_index size;   /* elements in this iteration; less than `step` in the last one where the step does not divide */
  bool once;       /* it provably runs just once; its offset is the constant 0 */
} nest_level;

typedef struct nest {
  ir_module *module;
  ir_op *outermost; /* where the loops stand */
  ir_block *body;
  ir_op *divider;
  unsigned num_levels;
  nest_level levels[NEST_MAX_LEVELS];
} nest;

/* A tensor that the loops update slice by slice. */
typedef struct nest_carried {
  ir_value *original; /* what it is before tiling; for the caller */
  ir_value *init;     /* what it starts as, visible before the loops */
  ir_value *tile;     /* what each iteration puts .. */
  tile_box box;       /* .. here */
  ir_value *slice; /* the extract_slice of `init` in the body that shall read the value so far; NULL if there is none */
  ir_value *result; /* from nest_finish: the value after the loops */
} nest_carried;

/* Creates loops before the builder's place for the loops of `domain` with a non-zero size, in the order `order` (a
 * permutation; NULL: as they are); `tile` receives what one iteration handles. From 1 to NEST_MAX_LEVELS loops. */
void nest_create(nest *nest, ir_builder *builder, const tile_box *domain, const unsigned *order, const int64_t *sizes,
                 tile_box *tile);
/* The levels (bits) of which no two iterations have the same box. Levels that run once are in no such set. */
uint32_t nest_levels_of_box(const nest *nest, const tile_box *box);
/* All levels that may run more than once. */
uint32_t nest_all_levels(const nest *nest);
/* The boxes of all iterations together are the whole, each element in just one of those that differ in the levels that
 * the box depends on; `dim` says it of one dim. */
bool nest_covers_dim(const nest *nest, const tile_box *box, const tile_box *whole, unsigned dim);
bool nest_covers(const nest *nest, const tile_box *box, const tile_box *whole);
/* Puts the final loops in place; `loops` receives them, outermost first, and their number is returned. */
unsigned nest_finish(nest *nest, bool forall, unsigned num_carried, nest_carried *carried, ir_op **loops);
/* Drops the nest and all that is in it. */
void nest_discard(nest *nest);
#endif
