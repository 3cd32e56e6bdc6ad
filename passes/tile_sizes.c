/* tile_sizes.c - sizes of tiles around contractions, and where there is none.
 *
 * Tile sizes follow the contraction that sets the pace: the root itself, or the first one on the way up from it. On the
 * host they follow caches and cores; on a GPU, where tiles live in registers, the lanes of a block and what each can
 * hold. Plain contractions on the host (product_tile.c) and running softmax (softmax_tile.c) have tiles of their own.
 * Terminates: producers are followed upwards, for a number of steps. */
#include "passes/batch_sums.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"
#include "passes/vectorize_tiles.h"

#include <string.h>

enum {
  LANE_ELEMENTS = 32,     /* of a tile without contraction, in each lane */
  TURNED_ELEMENTS = 128,  /* of each row of an input that a tile turns, in several lines of the cache */
  LARGEST_ROUNDS = 3,     /* of blocks for which the largest tiles of warpgroups pay */
  GPU_LANE_STEP = 32,     /* step of a reduction that lanes do in blocks of their own, with three in shared memory */
  GPU_LEAST_TILE = 64,    /* rows or columns of such a block .. */
  GPU_FEW_TILES = 256,    /* .. where there would be fewer tiles than large chips have room for */
  BATCH_SUM_ROWS = 256,   /* of products that are added up batch by batch .. */
  BATCH_SUM_FEW_ROWS = 8, /* .. and so few that reading takes the time */
  PACE_STEPS = 128,       /* on the way to a contraction: of thousands of ops each would be asked by all behind it */
  GPU_NARROW_STEP = 32,   /* step of a reduction without matrix units, which is what lies in shared memory at a time */
};

static const tile_policy *policy_of(const target_facts *target) {
  return target_is_gpu(target) ? &gpu_policy : &host_policy;
}

/* -------------------------------------------------------------------------------------------------------- structure */

/* The structured op of the same block that computes the value, other than a fill. */
static ir_op *computed_by(const ir_op *user, const ir_value *value) {
  ir_op *op = value->op;
  return op && op->block == user->block && ir_op_has(op, IR_STRUCTURED) && op->num_results && !tile_is_cheap(op) ? op
                                                                                                                 : NULL;
}

const ir_op *tile_maker(const ir_op *user, const ir_value *value) {
  for (const ir_op *op = value->op; op && op->block == user->block && op->num_operands && op->num_results;
       op = ir_operand(op, 0)->op)
    if (!tile_only_moves(op) || !tile_can(op))
      return ir_op_has(op, IR_STRUCTURED) ? op : NULL;
  return NULL;
}

/* The contraction that sets the pace for a root, and for each of its loops the loop of the root, or -1. */
typedef struct pace {
  const ir_op *op; /* NULL if there is no contraction */
  int root_loop[IR_MAX_LOOPS];
} pace;

/* A contraction makes the value that the op reads, or what elementwise ops make it of. */
static bool is_product(const ir_op *op, const ir_value *value) {
  const ir_op *producer = computed_by(op, value);
  for (unsigned steps = 0;
       producer && !ir_structure_of(producer)->reductions && ir_num_inputs(producer) && steps < PACE_STEPS; steps++)
    producer = computed_by(producer, ir_input(producer, 0));
  return producer && ir_is_contraction(producer);
}

/* What the contraction only adds up with a weight for each term, or each element, as the results of experts: an input
 * that comes from another contraction, where the other one has no loop that it has not. -1: there is no such. */
static int weighted_input(const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  bool has_free[2] = {false};
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (!ir_loop_is_reduction(structure, loop) && ir_loop_side(structure, loop) >= 0)
      has_free[ir_loop_side(structure, loop)] = true;
  if ((has_free[0] && has_free[1]) || tile_running_operand(op) >= 0)
    return -1;
  for (unsigned input = 0; input < 2; input++)
    if ((has_free[input] || !has_free[1 - input]) && is_product(op, ir_input(op, input)))
      return (int)input;
  return -1;
}

/* The input of the op that leads to the contraction that sets the pace: the one that a contraction makes, else the
 * first that is computed; -1: there is none, or it is the op. */
static int leading_input(const ir_op *op) {
  int first = -1;
  if (ir_is_contraction(op))
    return weighted_input(op);
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_op *producer = computed_by(op, ir_input(op, i));
    if (producer && ir_is_contraction(producer))
      return (int)i;
    first = producer && first < 0 ? (int)i : first;
  }
  return first;
}

static void find_pace(const ir_op *root, pace *p) {
  p->op = root;
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    p->root_loop[loop] = ir_loop_is_reduction(ir_structure_of(root), loop) ? -1 : (int)loop;
  for (unsigned steps = 0;; steps++) {
    const ir_op *user = p->op;
    int input = steps == PACE_STEPS ? -1 : leading_input(user), root_loop[IR_MAX_LOOPS];
    if (input < 0 && ir_is_contraction(user))
      return;
    p->op = input < 0 ? NULL : computed_by(user, ir_input(user, (unsigned)input));
    if (!p->op)
      return;
    unsigned result = ir_num_inputs(p->op) + ir_input(user, (unsigned)input)->index;
    const ir_map *read = ir_structure_of(user)->maps[input], *written = ir_structure_of(p->op)->maps[result];
    memset(root_loop, -1, sizeof root_loop);
    for (unsigned dim = 0; dim < read->num_results; dim++) {
      int inner = ir_map_result_dim(written, dim), outer = ir_map_result_dim(read, dim);
      if (inner >= 0 && outer >= 0)
        root_loop[inner] = p->root_loop[outer];
    }
    memcpy(p->root_loop, root_loop, sizeof root_loop);
  }
}

/* ------------------------------------------------------------------------------------------------------------- host */

/* Gives the loops of the contraction's operand `side` that the other operand does not have the tile `size`, that of
 * rows, or 1, the others; returns that of rows (a loop of the root), or -1. */
static int tile_free_loops(const pace *p, unsigned side, int64_t size, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(p->op);
  uint32_t free_loops = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (p->root_loop[loop] >= 0 && ir_loop_side(structure, loop) == (int)side)
      free_loops |= ir_bit(loop);
  int rows = tile_rows_loop(p->op, side, free_loops);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (free_loops >> loop & 1)
      sizes[p->root_loop[loop]] = size && (int)loop != rows ? 1 : size;
  return rows < 0 ? -1 : p->root_loop[rows];
}

/* Loops that both operands have, or neither: one iteration each. */
static void tile_batch_loops(const pace *p, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(p->op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (!ir_loop_is_reduction(structure, loop) && p->root_loop[loop] >= 0 && ir_loop_side(structure, loop) < 0)
      sizes[p->root_loop[loop]] = 1;
}

/* The tiles of the root along all loops but one; IR_DYNAMIC where that is not known. */
static int64_t tiles_beside(const int64_t *extents, unsigned num_loops, const int64_t *sizes, int excepted) {
  int64_t iterations = 1;
  for (unsigned loop = 0; loop < num_loops; loop++) {
    if ((int)loop == excepted || !sizes[loop])
      continue;
    if (extents[loop] == IR_DYNAMIC)
      return IR_DYNAMIC;
    if (__builtin_mul_overflow(iterations, tile_trip_count(extents[loop], sizes[loop]), &iterations))
      return INT64_MAX;
  }
  return iterations;
}

/* Rows of equal tiles, as many for each thread, of a product whose tiles need all that another one makes: each tile
 * copies all of the other factors into panels, so one for each thread is better than smaller ones that balance. */
static int64_t rows_of_thread(int64_t extent, int64_t rows, unsigned threads) {
  int64_t turns = tile_trip_count(extent, rows * threads), even = tile_trip_count(extent, turns * threads);
  even += TILE_REGISTER_ROWS - 1;
  even -= even % TILE_REGISTER_ROWS;
  even = even < TILE_MIN_ROWS ? TILE_MIN_ROWS : even;
  return even < rows ? even : rows;
}

/* Halves the two tiles in turn until there are so many iterations. */
static void share_out(const int64_t *extents, unsigned num_loops, int64_t *sizes, int first, int second,
                      int64_t wanted) {
  const int both[] = {first, second};
  for (unsigned turn = 0;; turn++) {
    int64_t iterations = tiles_beside(extents, num_loops, sizes, -1);
    if (iterations == IR_DYNAMIC || iterations >= wanted)
      return;
    int loop = both[turn % 2];
    bool done = true;
    for (unsigned i = 0; i < 2; i++)
      done &= both[i] < 0 || sizes[both[i]] <= TILE_MIN_ROWS;
    if (done)
      return;
    if (loop >= 0 && sizes[loop] > TILE_MIN_ROWS)
      sizes[loop] /= 2;
  }
}

/* The loop along which memory goes on in an input that the root turns: another one than that in its result. -1: there
 * is none. */
static int turned_loop(const ir_op *root) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = ir_init_map(root, 0);
  int inner = ir_map_last_dim(result);
  for (unsigned i = 0; inner >= 0 && i < ir_num_inputs(root); i++) {
    const ir_map *map = structure->maps[i];
    int last = ir_map_last_dim(map);
    if (last >= 0 && last != inner && ir_map_uses_dim(map, (unsigned)inner) &&
        !ir_loop_is_reduction(structure, (unsigned)last))
      return last;
  }
  return -1;
}

/* Memory goes on along a reduction in an input as large as all loops together: what is read for one element of the
 * result is a row by itself. */
static bool reduces_rows(const ir_op *root) {
  const ir_structure *structure = ir_structure_of(root);
  for (unsigned i = 0; i < ir_num_inputs(root); i++) {
    int last = ir_map_last_dim(structure->maps[i]);
    if (last >= 0 && ir_loop_is_reduction(structure, (unsigned)last) &&
        structure->maps[i]->num_results == structure->num_loops)
      return true;
  }
  return false;
}

/* No contraction: tiles of about half the second-level cache, whole in the innermost loops of the first result. Where
 * an input is turned, they have long parts of its rows as well, so that few lines are in two tiles, and whole register
 * tiles of both (4096 x 1024 of f32 2.9, with the turned sum of another 11, 4096 x 4096 3, 4112 x 1024 17 times as fast
 * as with whole rows of the result, 1000 x 3000 1.6, heads of 1000 x 128 .89 times; Zen 4). What rows are reduced to
 * needs none of its own. */
static void tile_by_footprint(const ir_op *root, const int64_t *extents, const target_facts *target, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = ir_init_map(root, 0);
  int64_t budget = (int64_t)(target->l2_bytes / 2 / sizeof(double) / root->num_operands), total = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (extents[loop] != IR_DYNAMIC && total <= budget * target->threads * TILE_BATCH_ITERATIONS)
      total *= extents[loop];
  int64_t share = total / ((int64_t)target->threads * TILE_BATCH_ITERATIONS);
  budget = share < budget ? share : budget;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop] != IR_DYNAMIC && extents[loop] > 0)
      budget /= extents[loop];
  int turned = turned_loop(root);
  int64_t beside = turned < 0 ? 1 : TURNED_ELEMENTS; /* what the turned loop is to have of the budget */
  if (turned >= 0 && extents[turned] > 0 && extents[turned] < beside)
    beside = extents[turned];
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    int64_t extent = extents[loop] == IR_DYNAMIC ? host_policy.rows : extents[loop];
    if (ir_loop_is_reduction(structure, loop)) /* it is whole */
      continue;
    bool innermost = dim + 1 == result->num_results;
    int64_t least = innermost && reduces_rows(root) ? TILE_REGISTER_ROWS
                    : innermost && turned < 0       ? 4 * host_policy.rows
                    : innermost                     ? TURNED_ELEMENTS
                    : (int)loop == turned           ? beside
                                                    : 1;
    beside = (int)loop == turned ? 1 : beside;
    sizes[loop] = budget / beside < least ? least : budget / beside;
    if (sizes[loop] > TILE_REGISTER_ROWS)
      sizes[loop] -= sizes[loop] % TILE_REGISTER_ROWS;
    bool is_whole = sizes[loop] >= extent && extents[loop] != IR_DYNAMIC;
    budget /= turned >= 0 && !is_whole ? sizes[loop] : extent > 0 ? extent : 1;
    if (is_whole)
      sizes[loop] = innermost ? 0 : extent;
  }
}

/* ------------------------------------------------------------------------------------------------------------- GPU */

/* An input of the root is the result of a reduction, so that tiles of whole rows have use for it. `steps`: how many ops
 * are looked at. */
static bool reads_reduction(const ir_op *root, unsigned *steps) {
  for (unsigned i = 0; i < ir_num_inputs(root); i++) {
    const ir_op *producer = computed_by(root, ir_input(root, i));
    if (!producer || !*steps || !--*steps)
      continue;
    if (ir_structure_of(producer)->reductions || reads_reduction(producer, steps))
      return true;
  }
  return false;
}

/* Elements of a tile on a GPU that the reductions of an op read for each one that it makes: all, or those of a step,
 * which is one of the last of open or long ones. */
static int64_t reduced_elements(const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t count = 1, step = gpu_policy.reduction;
  for (unsigned loop = structure->num_loops; loop-- > 0;) {
    int64_t extent = ir_loop_size(op, loop);
    if (!ir_loop_is_reduction(structure, loop) || !extent)
      continue;
    bool is_long = extent == IR_DYNAMIC || extent > TILE_GPU_LONG_ROW;
    count *= is_long ? step : extent;
    step = is_long ? 1 : step;
  }
  return count;
}

/* The same of the root, or of a producer whose result is as large as the root's, so that it joins the root's tiles. */
static int64_t reduced_in_tile(const ir_op *root) {
  const ir_structure *structure = ir_structure_of(root);
  int64_t most = reduced_elements(root);
  for (unsigned i = 0; i < ir_num_inputs(root); i++) {
    const ir_op *producer = computed_by(root, ir_input(root, i));
    if (producer && structure->maps[i]->num_results == ir_init_map(root, 0)->num_results &&
        reduced_elements(producer) > most)
      most = reduced_elements(producer);
  }
  return most;
}

/* No contraction, on a GPU: tiles that give each lane a few elements, whole rows where reductions are along them. */
static void tile_by_lanes(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = ir_init_map(root, 0);
  int64_t budget = (int64_t)target->block.warps * target->warp * LANE_ELEMENTS / reduced_in_tile(root);
  unsigned steps = 64;
  bool whole_rows = reads_reduction(root, &steps);
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    int64_t extent = extents[loop];
    if (ir_loop_is_reduction(structure, loop))
      continue;
    bool is_row = whole_rows && dim + 1 == result->num_results && extent != IR_DYNAMIC && extent <= TILE_GPU_LONG_ROW;
    int64_t size = budget < 1 ? 1 : budget;
    if (is_row || (extent != IR_DYNAMIC && size > extent))
      size = extent;
    if (!is_row && size > 1 && vectorize_tiles_size(size) > budget) /* fewer, so that padding is no waste */
      size = budget < TILE_MIN_ROWS ? 1 : budget - budget % TILE_MIN_ROWS;
    sizes[loop] = is_row ? 0 : size;
    budget /= size > 1 ? vectorize_tiles_size(size) : 1;
  }
}

/* Tiles in registers have bounds, even if what is inside has to be asked for again, or made before: open loops that are
 * whole share what columns there may be with those that are inside of them. */
static void bound_open_loops(const ir_op *root, const int64_t *extents, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = ir_init_map(root, 0);
  int64_t columns = gpu_policy.columns;
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    if (sizes[loop] || ir_loop_is_reduction(structure, loop))
      continue;
    if (extents[loop] == IR_DYNAMIC)
      sizes[loop] = columns < TILE_MIN_ROWS ? 1 : columns; /* fewer would be padded */
    columns /= vectorize_tiles_size(sizes[loop] ? sizes[loop] : extents[loop]);
  }
}

/* ---------------------------------------------------------------------------------------------------------- choice */

/* How many tiles there are of a product; INT64_MAX where that is not known. */
static int64_t tiles_of_product(const ir_op *op, unsigned rows_side, const product_tile *tile) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t along[2] = {1, 1}, batches = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    if (ir_loop_is_reduction(structure, loop))
      continue;
    int side = ir_loop_side(structure, loop);
    int64_t *count = side < 0 ? &batches : &along[side], extent = ir_loop_size(op, loop);
    if (extent == IR_DYNAMIC || __builtin_mul_overflow(*count, extent, count))
      return INT64_MAX;
  }
  int64_t tiles = tile_trip_count(along[rows_side], tile->rows);
  return __builtin_mul_overflow(tiles, tile_trip_count(along[1 - rows_side], tile->columns), &tiles) ||
                 __builtin_mul_overflow(tiles, batches, &tiles)
             ? INT64_MAX
             : tiles;
}

/* Products that lanes do have large tiles, for the sake of shared memory, where these are enough to fill a chip. */
static void fill_chip(const ir_op *op, unsigned rows_side, product_tile *tile) {
  while (tiles_of_product(op, rows_side, tile) < GPU_FEW_TILES &&
         (tile->rows > GPU_LEAST_TILE || tile->columns > GPU_LEAST_TILE))
    *(tile->columns >= tile->rows ? &tile->columns : &tile->rows) /= 2;
}

/* Rows and columns of the tile of the contraction that sets the pace. */
static product_tile tile_of_pace(const pace *p, unsigned rows_side, const target_facts *target) {
  int side = softmax_tile_side(p->op, target);
  bool is_gpu = target_is_gpu(target);
  product_tile tile = {.columns = host_policy.columns};
  if (side >= 0)
    tile.rows = softmax_tile_of(p->op, (unsigned)side, target).rows;
  else if (is_gpu)
    tile.rows = tile_rows_in_block(p->op, rows_side, target);
  else
    tile = product_tile_of(p->op, rows_side, target);
  if (is_gpu)
    tile.columns = target_block_of(target, ir_operand(p->op, 0)->type->element, tile.rows)->columns;
  if (side < 0 && target_has_lane_block(target, ir_operand(p->op, 0)->type->element))
    fill_chip(p->op, rows_side, &tile);
  if (target->tiles.rows)
    tile.rows = target->tiles.rows;
  if (target->tiles.columns)
    tile.columns = target->tiles.columns;
  return tile;
}

/* Fewer rows where the root itself needs whole rows (softmax does): a tile stays in half of the second-level cache. */
static int64_t rows_in_cache(const ir_op *root, const int64_t *extents, int64_t rows, uint64_t l2_bytes) {
  const ir_structure *structure = ir_structure_of(root);
  int64_t columns = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop] > 0 && columns < INT64_MAX / extents[loop] / rows)
      columns *= extents[loop];
  while (rows > TILE_MIN_ROWS && (uint64_t)(rows * columns) > l2_bytes / 2 / sizeof(float))
    rows /= 2;
  return rows;
}

/* 32-bit words of each row that the factor of a product takes while another product makes it step by step, beside the
 * step itself: what the matrix unit reads of its rows stays with the lanes. */
static int64_t words_of_maker(const ir_op *maker) {
  pace inner;
  find_pace(maker, &inner);
  int64_t bits = inner.op ? ir_scalar_bits(ir_operand(inner.op, 0)->type->element) : 32;
  int last = bits > 16 ? -1 : ir_last_reduction(ir_structure_of(inner.op));
  if (last < 0)
    return 0;
  int64_t terms = ir_loop_size(inner.op, (unsigned)last);
  return terms == IR_DYNAMIC ? gpu_policy.reduction : terms * bits / 32;
}

/* The block of a contraction whose rows stay with the lanes, as those of a running softmax do. */
static const target_block *block_of_rows(const ir_op *contraction, const target_facts *target) {
  ir_scalar element = ir_operand(contraction, 0)->type->element;
  return target_has_lane_block(target, element) ? &target->lane_softmax_block
                                                : target_block_of(target, element, IR_DYNAMIC);
}

/* Its rows at most. */
static int64_t whole_rows_in_block(const ir_op *contraction, unsigned side, const target_facts *target) {
  int64_t rows = tile_rows_in_block(contraction, side, target), most = block_of_rows(contraction, target)->rows;
  return rows < most ? rows : most;
}

/* Do lanes of a GPU have registers for so many words of each row of the contraction? */
static bool fits_lanes(const ir_op *contraction, const target_facts *target, int64_t rows, int64_t words) {
  return words <= (int64_t)block_of_rows(contraction, target)->warps * target->warp * target->lane_registers / rows;
}

/* Rows of a tile on a GPU whose columns stay whole, as sums in f32, where another product makes the factor that has the
 * rows step by step: as many as other tiles have, or half of them. 0: lanes have no registers for that, or columns are
 * open, so that what is made is better stored (with the layers of GPT-2 a lane would have kept up to 22 KB elsewhere).
 */
static int64_t rows_of_made_factor(const ir_op *contraction, unsigned rows_side, const target_facts *target) {
  int64_t words = ir_own_iterations(contraction, 1 - rows_side, rows_side);
  if (words == IR_DYNAMIC)
    return 0;
  words += words_of_maker(tile_maker(contraction, ir_input(contraction, rows_side)));
  for (unsigned loop = 0; loop < ir_structure_of(contraction)->num_loops; loop++)
    if (ir_loop_is_reduction(ir_structure_of(contraction), loop))
      words += tile_sizes_reduction(contraction, loop, target);
  int64_t rows = whole_rows_in_block(contraction, rows_side, target);
  if (rows > 1 && !fits_lanes(contraction, target, rows, words))
    rows /= 2;
  return fits_lanes(contraction, target, rows, words) ? rows : 0;
}

bool tile_has_whole_rows(const ir_op *contraction, const target_facts *target) {
  int64_t columns = ir_own_iterations(contraction, 1, 0);
  return columns == IR_DYNAMIC ||
         fits_lanes(contraction, target, whole_rows_in_block(contraction, 0, target), 2 * columns);
}

/* The root reads statistics of rows that other reductions than products make, or what is made of them for it alone.
 * `steps`: how many ops are looked at. */
static bool reads_statistics(const ir_op *root, unsigned *steps) {
  for (unsigned i = 0; i < ir_num_inputs(root); i++) {
    const ir_op *producer = computed_by(root, ir_input(root, i));
    if (!producer || ir_is_contraction(producer) || !*steps || !--*steps)
      continue;
    if (ir_structure_of(producer)->reductions ||
        (ir_value_has_one_use(ir_input(root, i)) && reads_statistics(producer, steps)))
      return true;
  }
  return false;
}

/* The inputs of the root that are as large as its result. */
static unsigned num_large_inputs(const ir_op *root) {
  unsigned count = 0;
  for (unsigned i = 0; i < ir_num_inputs(root); i++)
    count += ir_structure_of(root)->maps[i]->num_results == ir_init_map(root, 0)->num_results;
  return count;
}

/* Fewer columns of a tile of warpgroups on a GPU, until there are blocks enough: the largest are worth several rounds
 * of one a multiprocessor, and leave lanes no registers for another tile beside the product's. */
static void share_columns(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes,
                          int loop) {
  int64_t most = target->group_block.columns;
  while (sizes[loop] > target->block.columns) {
    int64_t tiles = tiles_beside(extents, ir_structure_of(root)->num_loops, sizes, -1);
    bool is_largest = sizes[loop] == most, large = ir_is_contraction(root) || num_large_inputs(root) <= 1;
    int64_t wanted = (int64_t)target->multiprocessors * (is_largest ? LARGEST_ROUNDS : 1);
    if (tiles == IR_DYNAMIC ? !is_largest : tiles >= wanted && (large || !is_largest))
      return;
    sizes[loop] /= 2;
  }
}

/* The op in the same place that makes the factor, but for those whose work register tiles do. */
static const ir_op *maker_of_factor(const ir_op *contraction, unsigned i, const target_facts *target) {
  return product_is_made_in_registers(contraction, i, target) ? NULL
                                                              : tile_maker(contraction, ir_input(contraction, i));
}

static bool has_few_rows(const ir_op *product, unsigned side) {
  int64_t rows = ir_own_iterations(product, side, 1 - side);
  return rows != IR_DYNAMIC && rows <= BATCH_SUM_FEW_ROWS;
}

/* Products that are added up batch by batch, on a host: sums and products of a tile are near. Where few rows leave the
 * time to the other factor, its columns are as many streams of memory, so that these are lanes of one register (4 rows
 * of 4096 x 4096 1.43, 8 rows 1.23, 16 rows .98 times as fast as 128; Zen 4). */
static void tile_batch_sums(const pace *p, unsigned num_loops, const int64_t *extents, const target_facts *target,
                            int64_t *sizes) {
  unsigned rows = has_few_rows(p->op, 1) && !has_few_rows(p->op, 0);
  int64_t most = target->tiles.rows ? target->tiles.rows : BATCH_SUM_ROWS, columns = target->tiles.columns;
  if (!columns)
    columns = has_few_rows(p->op, rows) ? target->vector_bits / 32 : host_policy.columns;
  tile_batch_loops(p, sizes);
  int first = tile_free_loops(p, rows, most, sizes);
  int second = tile_free_loops(p, 1 - rows, columns, sizes);
  if (!target->tiles.rows)
    share_out(extents, num_loops, sizes, first, second, (int64_t)target->threads * TILE_BATCH_ITERATIONS);
}

static void choose_by_pace(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes) {
  pace p;
  unsigned steps = 64;
  find_pace(root, &p);
  bool whole_rows = !ir_is_contraction(root) && ir_structure_of(root)->reductions, is_gpu = target_is_gpu(target);
  bool has_statistics = is_gpu && p.op && !ir_is_contraction(root) && reads_statistics(root, &steps);
  if (!p.op || (whole_rows && is_gpu) || (has_statistics && !tile_has_whole_rows(p.op, target))) {
    if (is_gpu)
      tile_by_lanes(root, target, extents, sizes);
    if (is_gpu && p.op)
      tile_batch_loops(&p, sizes);
    if (!is_gpu)
      tile_by_footprint(root, extents, target, sizes);
    return;
  }
  if (p.op && batch_sums_read(p.op, target)) {
    tile_batch_sums(&p, ir_structure_of(root)->num_loops, extents, target, sizes);
    return;
  }
  /* What one operand's producers compute must not be asked for again by each tile of the other operand's loops. */
  unsigned rows = maker_of_factor(p.op, 1, target) && !maker_of_factor(p.op, 0, target);
  bool whole = maker_of_factor(p.op, rows, target);
  tile_batch_loops(&p, sizes);
  product_tile tile = tile_of_pace(&p, rows, target);
  if (whole && is_gpu && tile_running_operand(p.op) < 0) {
    int64_t most = rows_of_made_factor(p.op, rows, target);
    whole = most > 0;
    tile.rows = whole && !target->tiles.rows ? most : tile.rows;
  }
  whole |= has_statistics && ir_own_iterations(p.op, 1 - rows, rows) != IR_DYNAMIC;
  if (whole && is_gpu && !target->tiles.rows && tile.rows > whole_rows_in_block(p.op, rows, target))
    tile.rows = whole_rows_in_block(p.op, rows, target);
  if (whole_rows && !target->tiles.rows)
    tile.rows = rows_in_cache(root, extents, tile.rows, target->l2_bytes);
  int first = tile_free_loops(&p, rows, tile.rows, sizes);
  int second = tile_free_loops(&p, 1 - rows, whole ? 0 : tile.columns, sizes);
  if (is_gpu && second >= 0)
    share_columns(root, target, extents, sizes, second);
  if (is_gpu || target->tiles.rows)
    return;
  if (first >= 0 && whole && !whole_rows && softmax_tile_side(p.op, target) < 0 && extents[first] != IR_DYNAMIC &&
      tiles_beside(extents, ir_structure_of(root)->num_loops, sizes, first) == 1)
    sizes[first] = rows_of_thread(extents[first], sizes[first], target->threads);
  else if (!tile.is_shared) {
    /* A product alone has nobody to share with on one thread; memory is shared, and read fastest in long rows. */
    bool alone = target->threads == 1 && p.op == root && !whole && !maker_of_factor(p.op, 1 - rows, target);
    share_out(extents, ir_structure_of(root)->num_loops, sizes, first, whole || tile.keeps_columns ? -1 : second,
              (int64_t)target->threads * (tile.is_streamed || alone ? 1 : TILE_BATCH_ITERATIONS));
  }
}

void tile_sizes_parallel(const ir_op *root, const target_facts *target, int64_t *sizes) {
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(root, extents);
  choose_by_pace(root, target, extents, sizes);
  if (target_is_gpu(target))
    bound_open_loops(root, extents, sizes);
}

int64_t tile_sizes_reduction(const ir_op *op, unsigned loop, const target_facts *target) {
  const tile_policy *policy = policy_of(target);
  int64_t extent = ir_loop_size(op, loop);
  if (!ir_is_contraction(op))
    return extent > TILE_GPU_LONG_ROW || extent == IR_DYNAMIC ? policy->reduction : 0;
  int side = softmax_tile_side(op, target);
  int64_t asked = side >= 0 ? target->tiles.softmax : target->tiles.reduction;
  if (asked)
    return extent > asked || extent == IR_DYNAMIC ? asked : 0;
  if (side >= 0)
    return softmax_tile_of(op, (unsigned)side, target).step;
  if (!target_is_gpu(target))
    return product_tile_step(op, loop, target);
  ir_scalar element = ir_operand(op, 0)->type->element;
  int64_t step = target_has_lane_block(target, element) ? GPU_LANE_STEP
                 : ir_scalar_bits(element) > 16         ? GPU_NARROW_STEP
                                                        : policy->reduction;
  return extent >= policy->long_reduction || extent == IR_DYNAMIC ? step : 0;
}
