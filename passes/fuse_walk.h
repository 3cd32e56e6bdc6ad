/* fuse_walk.h - the walk of tile and fuse: what its files share. See fuse.c for what it does. */
#ifndef TEC_PASSES_FUSE_WALK_H
#define TEC_PASSES_FUSE_WALK_H
#include "passes/fuse.h"

#include "passes/nest.h"

enum { MAX_ROOTS = 8 };

/* A box of `value` that a tile reads, at first from the extract_slice `slice`. */
typedef struct fusion_request fusion_request;
struct fusion_request {
  fusion_request *next;
  ir_value *value, *slice;
  tile_box box;
};

/* What is known of an op of the root's block. */
typedef struct fusion_node {
  ir_op *op;
  fusion_request *requests;
  bool is_root; /* tiled with the loops rather than for a request: the root, or what joins it */
  bool before;  /* the loops need the op itself */
  bool fused;
  bool after;       /* has to run after the loops */
  uint32_t outputs; /* results (bits) that become results of the loops */
  tile_box domain, tile;
  uint32_t levels;     /* the loops that the tile depends on */
  uint32_t reductions; /* its reduction loops that are tiled */
  ir_value **tiles;    /* a result each */
} fusion_node;

typedef struct fusion {
  tile_builder builder; /* first: the slice callback casts back */
  const fuse_options *options;
  ir_module *module;
  ir_op *root;
  ir_block *block;
  nest nest;
  fusion_node **nodes;
  unsigned num_nodes;
  size_t capacity;
  unsigned pending;     /* nodes that the walk has not met yet */
  fusion_node *current; /* being tiled */
  nest_carried *carried;
  unsigned num_carried;
  size_t carried_capacity;
  bool separate_init; /* the root's own init is added after the loops */
} fusion;

/* What is known of the op; NULL: nothing yet. */
fusion_node *fusion_find_node(const fusion *f, const ir_op *op);
/* The same; new where nothing was known. */
fusion_node *fusion_get_node(fusion *f, ir_op *op);
/* The node of an op that the walk is still to meet. */
fusion_node *fusion_expect(fusion *f, ir_op *op);
/* The op is one that the walk must leave outside of the loops. */
bool fusion_is_stop(const fusion *f, const ir_op *op);
/* NULL, or why the requests cannot be met with one tile. */
const char *fusion_merge_requests(fusion *f, fusion_node *n);
/* The reduction loops (bits) of which the node's tile is a part. */
uint32_t fusion_tiled_reductions(const fusion_node *n);
/* Marks the ops before the root that use the op and are not needed by the loops, and what uses those. False if one of
 * them may not be moved. */
bool fusion_postpone_users(fusion *f, ir_op *op);
/* Creates the tile of a root, with its results carried by the loops. */
bool fusion_tile_root(fusion *f, fusion_node *n);

/* fuse_join.c: ops that join the loops though no tile reads them. */

/* Contractions of the same running result as the root join it: the loops then compute them all, and nobody has to store
 * the weights. Whether the loops can be without them is seen when the walk meets them (fusion_join_root). */
void fusion_expect_partners(fusion *f, const fusion_node *root);
/* False where the loops need the result of the contraction that might join the root, or it cannot move behind them. */
bool fusion_join_root(fusion *f, fusion_node *n);
/* What is made of the statistics of an op with a running state, a log-sum-exp say, joins the loops that compute them:
 * only there they need not be stored. */
void fusion_join_followers(fusion *f, fusion_node *n);
#endif
