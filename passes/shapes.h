/* shapes.h - what the two files of the pass "shapes" share: a shape function in the making; see shapes.c. */
#ifndef TEC_PASSES_SHAPES_H
#define TEC_PASSES_SHAPES_H
#include "passes/extent.h"

/* A call and the call of its shapes; NULL where there are none. */
typedef struct known_call {
  const ir_op *call;
  ir_op *shapes;
  struct known_call *next;
} known_call;

/* A value of the new function that equals the extent at that position. */
typedef struct fact {
  const ir_value *value;
  unsigned position;
  struct fact *next;
} fact;

/* What a dim that is computed from several extents was found to be. */
typedef struct known_extent {
  extent x;
  ir_index index;
  struct known_extent *next;
} known_extent;

/* An integer argument that the new function takes as well. */
typedef struct asked_argument {
  unsigned argument;
  struct asked_argument *next;
} asked_argument;

typedef struct shapes {
  ir_op *function;
  ir_builder builder;   /* in the body of the new function */
  ir_value_map *values; /* index values of the function to those of the new one */
  ir_value *misfit;     /* the line of the first op that was asked for in vain; 0: there is none */
  unsigned *equal; /* for the extents of arguments, by position: one before that is known to be the same, or itself */
  fact *facts;
  known_call *calls;
  known_extent *extents;
  asked_argument *asked, **last_asked;
  bool refused;         /* there was an error */
  bool reads_positions; /* integer arguments may be asked for */
  unsigned depth;
} shapes;

/* Values of the new function for what the function computes or has: an index, the extent of a tensor, what is known of
 * an extent. False where it does not follow from what the new function is given. */
bool shapes_find_index(shapes *s, ir_value *value, ir_index *found);
bool shapes_find_extent(shapes *s, ir_value *tensor, unsigned dim, ir_index *found);
bool shapes_find_origin(shapes *s, extent x, ir_index *found);
/* Asks each call for that, for the op that the builder's location names. */
void shapes_require(shapes *s, ir_predicate predicate, ir_index a, ir_index b);
/* What was asked for the op's sake since s->misfit was `before` counts only where the branches that the op is in are
 * taken and the loops go round, as far as that is known before the call. */
void shapes_guard(shapes *s, const ir_op *op, ir_value *before);

/* Asks that what the op reads or writes lies within its operands (shapes_places.c). Marks its dims, or those of reads
 * in its body, for which that is surely so then (clamp.h). */
void shapes_check_maps(shapes *s, const ir_op *op);
void shapes_check_places(shapes *s, ir_op *op);
/* The same of the ops at the function's top, where integer arguments tell the places. */
void shapes_check_positions(shapes *s);
#endif
