/* fuse.h - tiles an op and fuses the producers of its operands into the loops, greedily. */
#ifndef TEC_PASSES_FUSE_H
#define TEC_PASSES_FUSE_H
#include "ir/ir.h"

/* Which producers go into the loops. */
typedef enum fuse_policy {
  FUSE_GREEDY, /* all that can, even if several iterations compute the same elements */
  FUSE_ONCE,   /* those of which each element is computed once, or that only move data */
  FUSE_FREE,   /* those that cost nothing: constants, fills */
} fuse_policy;

typedef struct fuse_options {
  fuse_policy policy;
  bool forall;                      /* one scf.forall, over parallel loops only, instead of scf.for */
  int64_t tile_sizes[IR_MAX_LOOPS]; /* by loop of the root; 0: not tiled */
  const unsigned *interchange;      /* the root's loop at each position: a permutation of all; NULL: in order */
  bool explain;                     /* a remark for each op that stays outside */
  ir_op *const *stops;              /* ops that stay outside */
  unsigned num_stops;
} fuse_options;

typedef struct fuse_result {
  ir_op *root; /* the tile of the root */
  ir_op *loops[IR_MAX_LOOPS];
  unsigned num_loops;
} fuse_result;

/* The number of loops that tile_sizes and interchange are about; 0 for an op that cannot be tiled. */
unsigned fuse_num_loops(const ir_op *root);
/* Tiles and fuses. False, with a remark that says why and nothing changed, where the root cannot be tiled like that.
 * Producers that cannot be fused stay where they are, with a remark where that may surprise. */
bool fuse_tile(ir_op *root, const fuse_options *options, fuse_result *result);
#endif
