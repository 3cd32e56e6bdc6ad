/* tile_policy.h - the sizes of tiles: what schedule.c asks for, and what its parts, tile_sizes.c, product_tile.c
 * and softmax_tile.c, share. */
#ifndef TEC_PASSES_TILE_POLICY_H
#define TEC_PASSES_TILE_POLICY_H
#include "ir/ir.h"
#include "passes/target.h"

enum {
  TILE_MIN_ROWS = 16,      /* below this a tile does not fill the register tiles any more */
  TILE_REGISTER_ROWS = 8,  /* a tile with a multiple of these has no rows left over by register tiles */
  TILE_PADDING = 16,       /* of so many rows in lanes one may be padding of the last tile */
  TILE_LANE_REGISTERS = 2, /* of rows in lanes, at least: fewer leave some of a product's tile empty */
  TILE_MOST_LANES = 64,    /* rows in lanes: more pay for transposing the other factor and asking for it ahead */
  TILE_WIDENED_ROWS =
      256, /* that pay for storing what they read widened, and loading as much more: four tiles (hosts) */
  TILE_BATCH_ITERATIONS = 2, /* parallel iterations that each thread should have at least */
  TILE_GPU_LONG_ROW = 8192,  /* longer rows than this are reduced in a loop, and no softmax holds them whole */
};

/* The sizes of tiles around contractions. */
typedef struct tile_policy {
  int64_t rows, columns;   /* of a contraction's tile, along its first free loop and its second, at least */
  int64_t reduction;       /* step of a long reduction .. */
  int64_t long_reduction;  /* .. one that is at least this long */
  int64_t running_softmax; /* step of a running softmax, and of the contraction that follows */
} tile_policy;

static const tile_policy host_policy = {128, 128, 256, 512, 128}, gpu_policy = {64, 64, 64, 65, 64};

static inline bool target_is_gpu(const target_facts *target) { return target->kind != TARGET_HOST; }

static inline int64_t tile_trip_count(int64_t extent, int64_t size) {
  return extent == IR_DYNAMIC || !size ? 1 : (extent + size - 1) / size;
}

/* The tiles of the root's loops, parallel ones only; 0: the loop stays whole. */
void tile_sizes_parallel(const ir_op *root, const target_facts *target, int64_t *sizes);
/* The step of the loop over the op's reduction; 0 if it needs none. */
int64_t tile_sizes_reduction(const ir_op *op, unsigned loop, const target_facts *target);

/* What on the way up from the operand computes, rather than moves, and can be fused; NULL where nothing does. */
const ir_op *tile_maker(const ir_op *user, const ir_value *operand);

/* The loop of a tile's rows, of those (bits) that operand `side` has and the other one has not: the last, but where it
 * has one iteration, or few, another with more. So the queries of heads that share keys are rows, and each key is read
 * once for all of them. -1: none. */
int tile_rows_loop(const ir_op *op, unsigned side, uint32_t among);

/* Rows of a tile on a GPU: no half of it is empty, and fewer where lanes, not matrix units, multiply and so hold
 * factors. `side`: the operand that has them. */
int64_t tile_rows_in_block(const ir_op *op, unsigned side, const target_facts *target);

/* A tile on a GPU can have whole rows of the contraction's result, twice, so that statistics of them can be made there;
 * or nobody knows how long they are. */
bool tile_has_whole_rows(const ir_op *contraction, const target_facts *target);

/* Rows in lanes of a block, where registers are few (see orient.c). */
static inline int64_t tile_block_rows(const target_facts *target, ir_scalar element) {
  return TILE_LANE_REGISTERS * (int64_t)(target->vector_bits / ir_scalar_bits(element));
}

/* Rows in lanes fill tiles of so many, or all but a small part of the last one, which is computed for nothing: where
 * that is a fifteenth of all, they lose as much as they win (f32, Zen 5). */
static inline bool tile_is_nearly_filled(int64_t rows, int64_t tile) {
  return (tile - rows % tile) % tile * TILE_PADDING <= rows;
}

/* The product, or the first of several, that elementwise ops make the scores of, where they read nothing else as large;
 * NULL where there is none. `masked`: comparisons of indices hide some of them. */
ir_op *tile_product_of_scores(const ir_value *scores, bool *masked);

/* So few rows are multiplied as fast in f32 as by what a host has for two factors of bf16, if one of these is made of
 * integers, which take as long to become the one as the other; twice as many where they are all that it is made of (8
 * rows of 4096 x 4096 as fast, 16 1.3 times as fast, with a scale for each 32 .8 times; Zen 4). */
enum { TILE_F32_ROWS = 8 };

/* The tile of a plain contraction: its rows are along the free loops of one factor, its columns along the other's. */
typedef struct product_tile {
  int64_t rows, columns;
  bool keeps_columns; /* they are not shared out further */
  bool is_shared;     /* there are tiles for all threads */
  bool is_streamed;   /* to read a factor from memory takes the time */
} product_tile;

/* That of one on the host, without running softmax. `rows_side`: the factor that has the rows. */
product_tile product_tile_of(const ir_op *op, unsigned rows_side, const target_facts *target);
/* On the host, so few rows use each element of the factor that the register tiles that have them make it of what lies
 * in memory (register_group.c), or find it in the second-level cache. */
bool product_is_made_in_registers(const ir_op *op, unsigned factor, const target_facts *target);
/* What is read from memory for the factor: what registers make it of, or itself. */
ir_value *product_source(const ir_op *op, unsigned factor, const target_facts *target);
/* The step of its reduction; 0: it needs none. */
int64_t product_tile_step(const ir_op *op, unsigned loop, const target_facts *target);

/* Rows and step of a running softmax. */
typedef struct softmax_tile {
  int64_t rows, step;
  int64_t block; /* where rows are lanes: so many are computed together, whether all are there or not */
} softmax_tile;

/* The factor of the contraction that is a running softmax, or on a host the like without one: made element by element
 * of products with few terms, so that steps of a loop make it, too. -1: there is none. */
int softmax_tile_side(const ir_op *op, const target_facts *target);
/* Those of the running softmax, or of such scores, that is factor `side` of the contraction. */
softmax_tile softmax_tile_of(const ir_op *op, unsigned side, const target_facts *target);
/* The same where the number of rows is open, of those that are in lanes; no rows where none should be. *most_keys: for
 * more than that they should not. */
softmax_tile softmax_tile_of_open_rows(const ir_op *op, unsigned side, const target_facts *target, int64_t *most_keys);
/* The step of a loop over keys, instead of this one, in which the product takes weights, its operand `side`, and
 * values. */
int64_t softmax_step_of_pieces(const ir_op *product, unsigned side, int64_t step, const target_facts *target);
#endif
