/* parallel.h - which loops run iterations that do not depend on each other. */
#ifndef TEC_PASSES_PARALLEL_H
#define TEC_PASSES_PARALLEL_H
#include "ir/build.h"

/* The iterations of an scf.for are provably independent: each touches its own part of every carried tensor, and nothing
 * else is written. True for scf.forall. */
bool loop_is_parallel(const ir_op *loop);

/* What an iteration of an scf.for touches of one carried tensor: in `dim`, `size` elements from factor * iv on. */
typedef struct parallel_part {
  int64_t factor; /* 0: nothing, the value is passed on as it is */
  unsigned dim;
  ir_index size; /* one of several where slices differ: then not `same_size` */
  bool same_size;
} parallel_part;

/* loop_is_parallel of an scf.for; parts[i] receives the part of its i-th carried value. */
bool parallel_parts(const ir_op *loop, parallel_part *parts);
#endif
