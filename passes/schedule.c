/* schedule.c - the default schedule: which ops become parallel loops, with which tiles, and what is fused into them.
 *
 * From the end of a function backwards, and of the loops and branches in it, each structured op that is left is a root:
 * its parallel loops become one scf.forall, with its producers inside as far as each element is still computed once.
 * Inside, contractions that are long or that read a running softmax get a sequential loop over their reduction, which
 * then holds tiles only.
 *
 * Tile sizes follow the contraction that sets the pace: the root itself, or the first one on the way up from it. On the
 * host they follow caches and cores; on a GPU, where tiles live in registers, the lanes of a block and what each can
 * hold. There, what has no form on tiles in registers stays where it is, outside of all kernels.
 * Functions that a transform script has scheduled are left alone.
 * Termination: the walk moves backwards; each fusion removes its root and creates only ops of which none is a root;
 * a softmax that is taken apart leaves none behind. */
#include "passes/extent.h"
#include "passes/fuse.h"
#include "passes/hidden.h"
#include "passes/passes.h"
#include "passes/register_plan.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/vectorize_tiles.h"

#include <string.h>

enum {
  REGISTER_ROWS = 8,       /* a tile with a multiple of these has no rows left over by register tiles */
  MIN_ROWS = 16,           /* below this a tile does not fill the register tiles any more */
  BATCH_ITERATIONS = 2,    /* parallel iterations that each thread should have at least .. */
  EVEN_ITERATIONS = 8,     /* .. so many where rows share what is far away .. */
  MANY_ITERATIONS = 16,    /* .. and so many where they may differ in length by a mask */
  LANE_ELEMENTS = 32,      /* of a tile without contraction, in each lane */
  FEW_USES = 8,            /* an element that is used no more often takes longer to read than to use */
  MANY_USES = 256,         /* elements that are used as often by a tile pay for long panels of them */
  SHARED_ROWS = 1024,      /* so many rows pay for making panels of the other factor */
  STREAMED_COLUMNS = 2048, /* of a factor whose elements have few uses: long rows are what memory is read fast by .. */
  STREAMED_BYTES = 64 << 10, /* .. and a step of so many bytes leaves room for the next one in the cache */
  GPU_LONG_ROW = 8192,       /* longer rows than this are reduced in a loop, and no softmax holds them whole */
  GPU_NARROW_STEP = 32, /* step of a reduction without matrix units, which is what lies in shared memory at a time */
};

/* The sizes of tiles around contractions. */
typedef struct tile_policy {
  int64_t rows, columns;   /* of a contraction's tile, along its first free loop and its second, at least */
  int64_t reduction;       /* step of a long reduction .. */
  int64_t long_reduction;  /* .. one that is at least this long */
  int64_t running_softmax; /* step of a running softmax, and of the contraction that follows */
} tile_policy;

static const tile_policy host_policy = {128, 128, 256, 512, 128}, gpu_policy = {64, 64, 64, 65, 64};

static bool is_gpu(const target_facts *target) { return target->kind != TARGET_HOST; }

/* Those that share the rows of a tile on a GPU. */
static int64_t block_lanes(const target_facts *target) { return (int64_t)target->block_warps * target->warp; }

static const tile_policy *policy_of(const target_facts *target) { return is_gpu(target) ? &gpu_policy : &host_policy; }

/* ------------------------------------------------------------------------------------------------------- structure */

/* The structured op of the same block that computes the value, other than a fill. */
static ir_op *computed_by(const ir_op *user, const ir_value *value) {
  ir_op *op = value->op;
  return op && op->block == user->block && ir_op_has(op, IR_STRUCTURED) && op->num_results && !tile_is_cheap(op) ? op
                                                                                                                 : NULL;
}

/* Something on the way up from the value computes, rather than moves, and can be fused. */
static bool is_computed(const ir_op *user, const ir_value *value) {
  for (const ir_op *op = value->op; op && op->block == user->block && op->num_operands && op->num_results;
       op = ir_operand(op, 0)->op)
    if (!tile_only_moves(op) || !tile_can(op))
      return ir_op_has(op, IR_STRUCTURED);
  return false;
}

/* The operand of the contraction that is the running result of an op with a state; or -1. */
static int state_operand(const ir_op *contraction) {
  for (int i = 0; i < 2; i++)
    if (tile_find_running(ir_operand(contraction, (unsigned)i)))
      return i;
  return -1;
}

/* Reads the running maximum or sum, but not the result, nor a product with it: the softmax belongs to whoever reads
 * that, with its statistics as further results. */
static bool reads_statistics(const ir_op *op) {
  bool statistics = false;
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_value *value = ir_input(op, i);
    if (value->op && ir_is_contraction(value->op) && state_operand(value->op) >= 0)
      return false;
    if (value->op && pass_op_info_of(value->op->code)->states) {
      statistics |= value->index > 0;
      if (!value->index)
        return false;
    }
  }
  return statistics;
}

/* The contraction that sets the pace for a root, and for each of its loops the loop of the root, or -1. */
typedef struct pace {
  const ir_op *op; /* NULL if there is no contraction */
  int root_loop[IR_MAX_LOOPS];
} pace;

static void find_pace(const ir_op *root, pace *p) {
  p->op = root;
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    p->root_loop[loop] = ir_loop_is_reduction(ir_structure_of(root), loop) ? -1 : (int)loop;
  while (p->op && !ir_is_contraction(p->op)) {
    const ir_op *user = p->op;
    p->op = NULL;
    for (unsigned i = 0; i < ir_num_inputs(user) && !p->op; i++) {
      const ir_op *producer = computed_by(user, ir_input(user, i));
      if (!producer)
        continue;
      const ir_map *read = ir_structure_of(user)->maps[i];
      const ir_map *written = ir_structure_of(producer)->maps[ir_num_inputs(producer) + ir_input(user, i)->index];
      int root_loop[IR_MAX_LOOPS];
      memset(root_loop, -1, sizeof root_loop);
      for (unsigned dim = 0; dim < read->num_results; dim++) {
        int inner = ir_map_result_dim(written, dim), outer = ir_map_result_dim(read, dim);
        if (inner >= 0 && outer >= 0)
          root_loop[inner] = p->root_loop[outer];
      }
      memcpy(p->root_loop, root_loop, sizeof root_loop);
      p->op = producer;
    }
  }
}

/* ------------------------------------------------------------------------------------------------------ tile sizes */

static int64_t trip_count(int64_t extent, int64_t size) {
  return extent == IR_DYNAMIC || !size ? 1 : (extent + size - 1) / size;
}

/* How often a contraction uses each element of a factor, or `enough` where that is more, or not known. */
static int64_t uses_of_factor(const ir_op *op, unsigned factor, const int64_t *extents, int64_t enough) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t uses = 1;
  for (unsigned loop = 0; loop < structure->num_loops && uses < enough; loop++)
    if (ir_map_find_dim(structure->maps[factor], loop) < 0)
      uses = extents[loop] == IR_DYNAMIC || extents[loop] > enough ? enough : uses * extents[loop];
  return uses < enough ? uses : enough;
}

/* The factor of a plain contraction on the host whose elements are used so few times that reading it from memory takes
 * the time, where its rows run along a loop of the result; or -1. */
static int streamed_factor(const ir_op *op, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extents[IR_MAX_LOOPS];
  if (is_gpu(target) || state_operand(op) >= 0)
    return -1;
  ir_loop_extents(op, extents);
  for (unsigned i = 0; i < 2; i++) {
    const ir_map *map = structure->maps[i];
    int64_t uses = uses_of_factor(op, i, extents, FEW_USES + 1);
    int last = map->num_results ? ir_map_result_dim(map, map->num_results - 1) : -1;
    if (uses <= FEW_USES && last >= 0 && !ir_loop_is_reduction(structure, (unsigned)last) &&
        !is_computed(op, ir_operand(op, i)))
      return (int)i;
  }
  return -1;
}

/* The step of the reduction of such a contraction. */
static int64_t streamed_step(const ir_op *op, unsigned factor, const int64_t *extents) {
  const ir_map *map = ir_structure_of(op)->maps[factor];
  int64_t columns = extents[ir_map_result_dim(map, map->num_results - 1)];
  int64_t bytes = (columns == IR_DYNAMIC || columns > STREAMED_COLUMNS ? STREAMED_COLUMNS : columns) *
                  ir_scalar_bits(ir_operand(op, factor)->type->element) / 8;
  int64_t step = REGISTER_ROWS;
  while (2 * step * bytes <= STREAMED_BYTES && step < host_policy.reduction)
    step *= 2;
  return step;
}

/* The step of a plain contraction's reduction on the host; 0: it is not long. Where a factor is used often enough
 * to pay for being copied into panels, the longest that a panel can be is best, as sums that stay in registers
 * until they are complete cost neither reads nor writes of the result. Steps are alike, so that the last one is no
 * special case. */
static int64_t host_step(const ir_op *op, unsigned loop, const target_facts *target, const int64_t *extents) {
  bool often = false;
  for (unsigned i = 0; i < 2; i++)
    often |= uses_of_factor(op, i, extents, MANY_USES) == MANY_USES;
  if (!often)
    return extents[loop] == IR_DYNAMIC || extents[loop] >= host_policy.long_reduction ? host_policy.reduction : 0;
  int64_t longest = register_plan_longest_panel(target);
  if (extents[loop] == IR_DYNAMIC || extents[loop] <= longest)
    return extents[loop] == IR_DYNAMIC ? longest : 0;
  int64_t steps = trip_count(extents[loop], longest), step = trip_count(extents[loop], steps);
  return extents[loop] % steps || step % 2 ? step + MIN_ROWS - step % MIN_ROWS : step;
}

/* Gives the loops of the contraction's operand `side` that the other operand does not have the tile `size`, the last
 * one, or 1, the others; returns the last one (a loop of the root), or -1. */
static int tile_free_loops(const pace *p, unsigned side, int64_t size, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(p->op);
  int last = -1;
  for (unsigned dim = 0; dim < structure->maps[2]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(structure->maps[2], dim);
    bool on_side = ir_map_find_dim(structure->maps[side], loop) >= 0;
    bool on_other = ir_map_find_dim(structure->maps[1 - side], loop) >= 0;
    if (!on_side || on_other || p->root_loop[loop] < 0)
      continue;
    if (last >= 0)
      sizes[last] = size ? 1 : 0;
    last = p->root_loop[loop];
    sizes[last] = size;
  }
  return last;
}

/* Loops that both operands have, or neither: one iteration each. */
static void tile_batch_loops(const pace *p, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(p->op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (!ir_loop_is_reduction(structure, loop) && p->root_loop[loop] >= 0 &&
        (ir_map_find_dim(structure->maps[0], loop) >= 0) == (ir_map_find_dim(structure->maps[1], loop) >= 0))
      sizes[p->root_loop[loop]] = 1;
}

/* The iterations of all tiles of the root, but for those along one loop; IR_DYNAMIC where that is not known. */
static int64_t iterations_beside(const int64_t *extents, unsigned num_loops, const int64_t *sizes, int excepted) {
  int64_t iterations = 1;
  for (unsigned loop = 0; loop < num_loops; loop++) {
    if ((int)loop == excepted || !sizes[loop])
      continue;
    if (extents[loop] == IR_DYNAMIC)
      return IR_DYNAMIC;
    if (__builtin_mul_overflow(iterations, trip_count(extents[loop], sizes[loop]), &iterations))
      return INT64_MAX;
  }
  return iterations;
}

/* Rows of equal tiles, as many for each thread, of a product whose tiles need all that another one makes: each tile
 * copies all of the other factors into panels, so one for each thread is better than smaller ones that balance. */
static int64_t rows_of_thread(int64_t extent, int64_t rows, unsigned threads) {
  int64_t turns = trip_count(extent, rows * threads), even = trip_count(extent, turns * threads);
  even += REGISTER_ROWS - 1;
  even -= even % REGISTER_ROWS;
  even = even < MIN_ROWS ? MIN_ROWS : even;
  return even < rows ? even : rows;
}

/* Halves the two tiles in turn until there is work for all threads. */
static void share_out(const int64_t *extents, unsigned num_loops, int64_t *sizes, int first, int second,
                      unsigned threads) {
  const int both[] = {first, second};
  for (unsigned turn = 0;; turn++) {
    int64_t iterations = iterations_beside(extents, num_loops, sizes, -1);
    if (iterations == IR_DYNAMIC || iterations >= (int64_t)BATCH_ITERATIONS * threads)
      return;
    int loop = both[turn % 2];
    bool done = true;
    for (unsigned i = 0; i < 2; i++)
      done &= both[i] < 0 || sizes[both[i]] <= MIN_ROWS;
    if (done)
      return;
    if (loop >= 0 && sizes[loop] > MIN_ROWS)
      sizes[loop] /= 2;
  }
}

/* No contraction: tiles of about half the second-level cache, whole in the innermost loops of the first result. */
static void tile_by_footprint(const ir_op *root, const int64_t *extents, const target_facts *target, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = structure->maps[ir_num_inputs(root)];
  int64_t budget = (int64_t)(target->l2_bytes / 2 / sizeof(double) / root->num_operands), total = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (extents[loop] != IR_DYNAMIC && total <= budget * target->threads * BATCH_ITERATIONS)
      total *= extents[loop];
  int64_t share = total / ((int64_t)target->threads * BATCH_ITERATIONS);
  budget = share < budget ? share : budget;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop] != IR_DYNAMIC && extents[loop] > 0)
      budget /= extents[loop];
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    int64_t extent = extents[loop] == IR_DYNAMIC ? host_policy.rows : extents[loop];
    if (ir_loop_is_reduction(structure, loop)) /* it is whole */
      continue;
    bool innermost = dim + 1 == result->num_results;
    int64_t least = innermost ? 4 * host_policy.rows : 1;
    sizes[loop] = budget < least ? least : budget;
    if (sizes[loop] > REGISTER_ROWS)
      sizes[loop] -= sizes[loop] % REGISTER_ROWS;
    if (sizes[loop] >= extent && extents[loop] != IR_DYNAMIC)
      sizes[loop] = innermost ? 0 : extent;
    budget /= extent > 0 ? extent : 1;
  }
}

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

/* Elements of a tile on a GPU that the reductions of an op read for each one that it makes: all, or those of a step. */
static int64_t reduced_elements(const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extents[IR_MAX_LOOPS], count = 1;
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop])
      count *= extents[loop] == IR_DYNAMIC || extents[loop] > GPU_LONG_ROW ? gpu_policy.reduction : extents[loop];
  return count;
}

/* The same of the root, or of a producer whose result is as large as the root's, so that it joins the root's tiles. */
static int64_t reduced_in_tile(const ir_op *root) {
  const ir_structure *structure = ir_structure_of(root);
  int64_t most = reduced_elements(root);
  for (unsigned i = 0; i < ir_num_inputs(root); i++) {
    const ir_op *producer = computed_by(root, ir_input(root, i));
    if (producer && structure->maps[i]->num_results == structure->maps[ir_num_inputs(root)]->num_results &&
        reduced_elements(producer) > most)
      most = reduced_elements(producer);
  }
  return most;
}

/* No contraction, on a GPU: tiles that give each lane a few elements, whole rows where reductions are along them. */
static void tile_by_lanes(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = structure->maps[ir_num_inputs(root)];
  int64_t budget = block_lanes(target) * LANE_ELEMENTS / reduced_in_tile(root);
  unsigned steps = 64;
  bool whole_rows = reads_reduction(root, &steps);
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    int64_t extent = extents[loop];
    if (ir_loop_is_reduction(structure, loop))
      continue;
    bool is_row = whole_rows && dim + 1 == result->num_results && extent != IR_DYNAMIC && extent <= GPU_LONG_ROW;
    int64_t size = budget < 1 ? 1 : budget;
    if (is_row || (extent != IR_DYNAMIC && size > extent))
      size = extent;
    if (!is_row && size > 1 && vectorize_tiles_size(size) > budget) /* fewer, so that padding is no waste */
      size = budget < MIN_ROWS ? 1 : budget - budget % MIN_ROWS;
    sizes[loop] = is_row ? 0 : size;
    budget /= size > 1 ? vectorize_tiles_size(size) : 1;
  }
}

/* Columns of the state of a running softmax and of its other factor. */
static int64_t columns_beside(const ir_op *op, unsigned side, const int64_t *extents) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t columns = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_map_find_dim(structure->maps[side], loop) < 0 && extents[loop] != IR_DYNAMIC)
      columns += extents[loop];
  return columns;
}

/* The elements of the other factor of a running softmax. */
static ir_scalar element_beside(const ir_op *op, unsigned side) { return ir_operand(op, 1 - side)->type->element; }

/* Do lanes have the registers for `rows` of a running softmax in steps of `step`? A lane keeps its share of the scores
 * and of the state, in f32. Where it multiplies itself, it holds its share of a factor as well, on the way to shared
 * memory, and a quarter more to multiply with. */
static bool softmax_fits_lanes(const ir_op *op, unsigned side, const target_facts *target, int64_t columns,
                               int64_t rows, int64_t step) {
  int64_t sums = rows * (step + columns) / block_lanes(target), factor = step * columns / block_lanes(target);
  bool pieces = target_has_pieces(target, element_beside(op, side));
  return (pieces ? sums : (sums + factor) * 5 / 4) <= target->lane_registers;
}

/* Are the queries, and the keys and values of two steps, within the half of the shared memory that a block may take?
 * They are taken to be as wide as values. */
static bool softmax_fits_memory(const target_facts *target, int64_t column_bytes, int64_t rows, int64_t step) {
  return !target->copy_stages || (rows + 2 * 2 * step) * column_bytes <= (int64_t)target->shared_bytes / 2;
}

/* Rows of a tile on a GPU: no half of it is empty, and fewer where lanes, not matrix units, multiply and so hold
 * factors. `side`: the operand that has them. */
static int64_t rows_in_block(const ir_op *op, unsigned side, const target_facts *target, const int64_t *extents) {
  const ir_structure *structure = ir_structure_of(op);
  bool wide = target->copy_stages && ir_scalar_bits(ir_operand(op, side)->type->element) > 16;
  int64_t rows = wide ? target->block_rows / 2 : target->block_rows, extent = IR_DYNAMIC;
  for (unsigned dim = 0; dim < structure->maps[2]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(structure->maps[2], dim);
    if (ir_map_find_dim(structure->maps[side], loop) >= 0 && ir_map_find_dim(structure->maps[1 - side], loop) < 0)
      extent = extents[loop];
  }
  while (rows > (wide ? 2 : 1) * MIN_ROWS && extent != IR_DYNAMIC && rows > extent)
    rows /= 2;
  return rows;
}

/* Rows and step of a running softmax on a GPU. Each key that comes from shared memory serves the rows of a warp, so
 * many rows go before long steps; but no warp is left without. */
static void choose_softmax_tile(const ir_op *op, unsigned side, const target_facts *target, const int64_t *extents,
                                int64_t *rows, int64_t *step) {
  int64_t columns = columns_beside(op, side, extents), longest = gpu_policy.running_softmax;
  int64_t bytes = columns * ir_scalar_bits(element_beside(op, side)) / 8;
  int64_t shortest = target->copy_stages ? longest / 2 : longest; /* for the sake of more rows, or of stages */
  int64_t least_rows = target->block_warps * target_warp_rows(target, element_beside(op, side), columns);
  *rows = rows_in_block(op, side, target, extents);
  while (*rows / 2 >= least_rows && (!softmax_fits_lanes(op, side, target, columns, *rows, shortest) ||
                                     !softmax_fits_memory(target, bytes, *rows, shortest)))
    *rows /= 2;
  *step = longest;
  while (*step > shortest && !softmax_fits_memory(target, bytes, *rows, *step))
    *step /= 2;
  while (*step > MIN_ROWS && !softmax_fits_lanes(op, side, target, columns, *rows, *step))
    *step /= 2;
}

/* What the steps of a running softmax read of keys and values, both as large, as all of them are f32. */
static uint64_t bytes_of_steps(const ir_op *op, unsigned side, int64_t keys, const int64_t *extents) {
  return 2 * (uint64_t)keys * (uint64_t)columns_beside(op, side, extents) * sizeof(float);
}

/* The product that elementwise ops make the scores of the softmax of, where they read nothing else as large; NULL where
 * there is none. `masked`: comparisons of indices hide some of them. */
static const ir_op *product_of_scores(const ir_op *softmax, bool *masked) {
  ir_op *op = ir_operand(softmax, 0)->op;
  mask where;
  *masked = false;
  while (op && !ir_is_contraction(op)) {
    const ir_value *large = NULL;
    for (unsigned i = 0; ir_op_has(op, IR_STRUCTURED) && i < ir_num_inputs(op); i++) {
      if (ir_structure_of(op)->maps[i]->num_results < ir_structure_of(op)->num_loops)
        continue;
      if (large)
        return NULL;
      large = ir_input(op, i);
    }
    *masked |= large && op->num_regions && hidden_result(op, &where);
    op = large ? large->op : NULL;
  }
  return op;
}

/* Rows and step of a running softmax. */
typedef struct softmax_tile {
  int64_t rows, step;
} softmax_tile;

/* Those of the running softmax that is factor `side` if its rows can be in lanes (see orient.c): whole tiles, as the
 * extents of others are not known, and small ones where a mask cuts them. No rows if they cannot, or would not pay: keys
 * and values, which then are read element by element, must be as near as twice the second-level cache. */
static softmax_tile tile_of_lanes(const ir_op *op, unsigned side, const target_facts *target, const int64_t *extents) {
  static const softmax_tile tiles[] = {{64, 256}, {64, 128}, {32, 128}};
  const ir_structure *structure = ir_structure_of(op);
  int64_t rows = IR_DYNAMIC, keys = IR_DYNAMIC;
  for (unsigned dim = 0; dim < structure->maps[side]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(structure->maps[side], dim);
    *(ir_loop_is_reduction(structure, loop) ? &keys : &rows) = extents[loop];
  }
  if (!target_has_rows_in_lanes(target) || rows == IR_DYNAMIC || keys == IR_DYNAMIC ||
      bytes_of_steps(op, side, keys, extents) > 2 * target->l2_bytes)
    return (softmax_tile){0};
  bool masked;
  const ir_op *product = product_of_scores(tile_find_running(ir_operand(op, side)), &masked);
  for (unsigned i = 0; product && i < 2; i++)
    if (ir_scalar_bits(ir_operand(product, i)->type->element) < 32)
      product = NULL;
  for (unsigned i = masked ? 2 : 0; product && i < sizeof tiles / sizeof *tiles; i++)
    if (rows % tiles[i].rows == 0 && keys > tiles[i].step && keys % tiles[i].step == 0)
      return tiles[i];
  return (softmax_tile){0};
}

/* Rows of a running softmax on the host. Few leave more to skip where they are masked; but where the keys and values of
 * all steps are more than half of the second-level cache, more rows share what is brought there: as many times more as
 * that is, while scores, state and factors stay in three quarters of it and tiles are left for each thread. */
static int64_t rows_of_softmax(const ir_op *op, unsigned side, const target_facts *target, const int64_t *extents) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t rows = host_policy.rows, columns = columns_beside(op, side, extents), tiles = 1, keys = 0;
  int64_t in_lanes = tile_of_lanes(op, side, target, extents).rows;
  bool masked;
  if (in_lanes)
    return in_lanes;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    if (ir_map_find_dim(structure->maps[side], loop) < 0)
      continue;
    int64_t extent = extents[loop] == IR_DYNAMIC ? 1 : extents[loop];
    if (ir_loop_is_reduction(structure, loop))
      keys = extent;
    else
      tiles = extent < INT64_MAX / tiles ? tiles * extent : tiles;
  }
  tiles /= rows;
  uint64_t half = target->l2_bytes / 2, shared = bytes_of_steps(op, side, keys, extents);
  bool even = product_of_scores(tile_find_running(ir_operand(op, side)), &masked) && !masked;
  while (shared > half * (uint64_t)(rows / host_policy.rows) &&
         tiles / 2 >= (int64_t)target->threads * (even ? EVEN_ITERATIONS : MANY_ITERATIONS) &&
         (uint64_t)(2 * rows * (host_policy.running_softmax + 2 * columns)) * sizeof(float) <= half + half / 2) {
    rows *= 2;
    tiles /= 2;
  }
  return rows;
}

/* Rows of the tile that sets the pace. On the host each step of a plain contraction copies a panel of one factor, which
 * more rows pay for as long as their part of the other factor, which is read again for each panel, takes a quarter of
 * the last cache. */
static int64_t choose_rows(const pace *p, unsigned rows_side, const target_facts *target) {
  const tile_policy *policy = policy_of(target);
  int64_t rows = policy->rows, extents[IR_MAX_LOOPS];
  int side = state_operand(p->op);
  if (target->tiles.rows)
    return target->tiles.rows;
  ir_loop_extents(p->op, extents);
  if (is_gpu(target)) {
    int64_t step;
    rows = rows_in_block(p->op, rows_side, target, extents);
    if (side >= 0)
      choose_softmax_tile(p->op, (unsigned)side, target, extents, &rows, &step);
    return rows;
  }
  if (side >= 0)
    return rows_of_softmax(p->op, (unsigned)side, target, extents);
  int64_t depth = register_plan_longest_panel(target);
  for (unsigned loop = 0; loop < ir_structure_of(p->op)->num_loops; loop++)
    if (ir_loop_is_reduction(ir_structure_of(p->op), loop) && extents[loop] != IR_DYNAMIC && extents[loop] < depth)
      depth = extents[loop];
  while (rows < SHARED_ROWS && (uint64_t)(2 * rows * depth) * sizeof(float) <= target->l3_bytes / 4)
    rows *= 2;
  return rows;
}

/* Fewer rows where the root itself needs whole rows (softmax does): a tile stays in half of the second-level cache. */
static int64_t rows_in_cache(const ir_op *root, const int64_t *extents, int64_t rows, uint64_t l2_bytes) {
  const ir_structure *structure = ir_structure_of(root);
  int64_t columns = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop] != IR_DYNAMIC &&
        columns < INT64_MAX / extents[loop] / rows)
      columns *= extents[loop];
  while (rows > MIN_ROWS && (uint64_t)(rows * columns) > l2_bytes / 2 / sizeof(float))
    rows /= 2;
  return rows;
}

static void choose_by_pace(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes) {
  pace p;
  find_pace(root, &p);
  bool whole_rows = !ir_is_contraction(root) && ir_structure_of(root)->reductions;
  if (!p.op || (whole_rows && is_gpu(target))) {
    if (is_gpu(target))
      tile_by_lanes(root, target, extents, sizes);
    if (is_gpu(target) && p.op)
      tile_batch_loops(&p, sizes);
    if (!is_gpu(target))
      tile_by_footprint(root, extents, target, sizes);
    return;
  }
  const tile_policy *policy = policy_of(target);
  /* What one operand's producers compute must not be asked for again by each tile of the other operand's loops. */
  unsigned rows = is_computed(p.op, ir_input(p.op, 1)) && !is_computed(p.op, ir_input(p.op, 0));
  bool whole = is_computed(p.op, ir_input(p.op, rows));
  tile_batch_loops(&p, sizes);
  int64_t num_rows = choose_rows(&p, rows, target), num_columns = policy->columns;
  int streamed = streamed_factor(p.op, target);
  if (streamed >= 0 && streamed != (int)rows)
    num_columns = STREAMED_COLUMNS;
  else if (streamed >= 0 && !target->tiles.rows)
    num_rows = STREAMED_COLUMNS;
  if (whole_rows && !target->tiles.rows)
    num_rows = rows_in_cache(root, extents, num_rows, target->l2_bytes);
  int first = tile_free_loops(&p, rows, num_rows, sizes);
  if (target->tiles.columns)
    num_columns = target->tiles.columns;
  int second = tile_free_loops(&p, 1 - rows, whole ? 0 : num_columns, sizes);
  if (is_gpu(target) || target->tiles.rows)
    return;
  if (first >= 0 && whole && !whole_rows && state_operand(p.op) < 0 && extents[first] != IR_DYNAMIC &&
      iterations_beside(extents, ir_structure_of(root)->num_loops, sizes, first) == 1)
    sizes[first] = rows_of_thread(extents[first], sizes[first], target->threads);
  else
    share_out(extents, ir_structure_of(root)->num_loops, sizes, first, whole ? -1 : second, target->threads);
}

/* Tiles in registers have bounds, even if what is inside has to be asked for again, or made before: open loops that are
 * whole share what columns there may be with those that are inside of them. */
static void bound_open_loops(const ir_op *root, const int64_t *extents, int64_t *sizes) {
  const ir_structure *structure = ir_structure_of(root);
  const ir_map *result = structure->maps[ir_num_inputs(root)];
  int64_t columns = gpu_policy.columns;
  for (unsigned dim = result->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(result, dim);
    if (sizes[loop] || ir_loop_is_reduction(structure, loop))
      continue;
    if (extents[loop] == IR_DYNAMIC)
      sizes[loop] = columns < MIN_ROWS ? 1 : columns; /* fewer would be padded */
    columns /= vectorize_tiles_size(sizes[loop] ? sizes[loop] : extents[loop]);
  }
}

static void choose_parallel_tiles(const ir_op *root, const target_facts *target, int64_t *sizes) {
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(root, extents);
  choose_by_pace(root, target, extents, sizes);
  if (is_gpu(target))
    bound_open_loops(root, extents, sizes);
}

/* ----------------------------------------------------------------------------------------------------------- walks */

static void identity_interchange(fuse_options *options) {
  for (unsigned i = 0; i < IR_MAX_LOOPS; i++)
    options->interchange[i] = i;
}

/* The step of a running softmax on the host: what an iteration touches stays in half of the second-level cache. */
static int64_t softmax_step_in_cache(const ir_op *op, unsigned side, unsigned loop, const target_facts *target,
                                     const int64_t *extents) {
  int64_t step = tile_of_lanes(op, side, target, extents).step, others = 0;
  if (!step)
    step = host_policy.running_softmax;
  for (unsigned i = 0; i < ir_structure_of(op)->num_loops; i++)
    if (i != loop && extents[i] != IR_DYNAMIC)
      others += extents[i];
  while (step > MIN_ROWS && (uint64_t)(step * others) * sizeof(float) > target->l2_bytes / 2)
    step /= 2;
  return step;
}

/* The step of the loop over the op's reduction; 0 if it needs none. */
static int64_t choose_reduction_tile(const ir_op *op, unsigned loop, const target_facts *target) {
  const tile_policy *policy = policy_of(target);
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(op, extents);
  if (!ir_is_contraction(op))
    return extents[loop] > GPU_LONG_ROW || extents[loop] == IR_DYNAMIC ? policy->reduction : 0;
  int side = state_operand(op);
  int64_t asked = side >= 0 ? target->tiles.softmax : target->tiles.reduction;
  if (asked)
    return extents[loop] > asked || extents[loop] == IR_DYNAMIC ? asked : 0;
  if (side >= 0 && is_gpu(target)) {
    int64_t rows, step;
    choose_softmax_tile(op, (unsigned)side, target, extents, &rows, &step);
    return step;
  }
  if (side >= 0)
    return softmax_step_in_cache(op, (unsigned)side, loop, target, extents);
  int streamed = streamed_factor(op, target);
  if (streamed >= 0) {
    int64_t step = streamed_step(op, (unsigned)streamed, extents);
    return extents[loop] > step || extents[loop] == IR_DYNAMIC ? step : 0;
  }
  if (!is_gpu(target))
    return host_step(op, loop, target, extents);
  int64_t step = ir_scalar_bits(ir_operand(op, 0)->type->element) > 16 ? GPU_NARROW_STEP : policy->reduction;
  return extents[loop] >= policy->long_reduction || extents[loop] == IR_DYNAMIC ? step : 0;
}

/* The loop may run any number of times, as far as its operands tell. */
static bool is_open(const ir_op *op, unsigned loop) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    int dim = ir_map_find_dim(structure->maps[i], loop);
    if (dim >= 0 && extent_bound(extent_of(ir_input(op, i), (unsigned)dim)) < INT64_MAX)
      return false;
  }
  return true;
}

/* Gives long reductions of the block a loop; in the body of such a loop, where tiles are small already, only open ones.
 */
static void tile_reductions(ir_block *block, const target_facts *target, bool nested) {
  for (ir_op *op = block->last, *next; op; op = next->prev) {
    next = op;
    bool reduces = ir_is_contraction(op) || (is_gpu(target) && ir_op_has(op, IR_STRUCTURED) && op->num_regions);
    if (!reduces || !tile_can(op))
      continue;
    fuse_options options = {.policy = FUSE_ONCE};
    fuse_result result;
    const ir_structure *structure = ir_structure_of(op);
    for (unsigned loop = 0; loop < structure->num_loops; loop++)
      if (structure->reductions == 1u << loop && (!nested || is_open(op, loop)))
        options.tile_sizes[loop] = choose_reduction_tile(op, loop, target);
    identity_interchange(&options);
    next = op->next;
    fuse_tile(op, &options, &result);
    if (!result.num_loops)
      next = op;
    else if (is_gpu(target))
      tile_reductions(ir_region(result.loops[0], 0), target, true);
  }
}

static bool is_root(const ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED) || !tile_can(op) || tile_is_cheap(op))
    return false;
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < op->num_results; i++)
    if (!ir_map_is_projected_permutation(structure->maps[ir_num_inputs(op) + i]))
      return false;
  return true;
}

/* All that is made of the value, by copying or scaling it, goes to contractions, which can be corrected as the running
 * state moves on. `steps`: how many ops may be on the way. */
static bool serves_contractions(const ir_value *value, unsigned *steps) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *op = use->user;
    if (!ir_op_has(op, IR_STRUCTURED))
      return false;
    bool contracts = ir_is_contraction(op) && ir_operand(op, 0) != ir_operand(op, 1);
    if (!contracts && (!*steps || !--*steps || !(tile_only_moves(op) || tile_is_linear_in(op, ir_use_index(use))) ||
                       !serves_contractions(ir_result(op, 0), steps)))
      return false;
  }
  return value->uses != NULL;
}

/* Has a running state, and rows of at least `length`. */
static bool has_long_rows(const ir_op *op, int64_t length) {
  if (!pass_op_info_of(op->code)->states)
    return false;
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
    if (ir_loop_is_reduction(ir_structure_of(op), loop) && (extents[loop] == IR_DYNAMIC || extents[loop] >= length))
      return true;
  return false;
}

/* Somebody else than a contraction reads the end of its running state, so that it cannot be in a loop with its readers.
 */
static bool needs_whole_rows(const ir_op *op, int64_t length) {
  unsigned steps = 32;
  return has_long_rows(op, length) && !serves_contractions(ir_result(op, 0), &steps);
}

/* Marks what computes the operands of an op whose values run through a loop: what makes them must run there, too. */
static void mark_producers(const ir_op *op, unsigned num_operands) {
  for (unsigned i = 0; i < num_operands; i++)
    if (ir_operand(op, i)->op && ir_operand(op, i)->op->block == op->block)
      ir_operand(op, i)->op->mark = true;
}

/* The reduction of the op becomes a loop. */
static bool has_long_reduction(const ir_op *op, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (structure->reductions == 1u << loop && choose_reduction_tile(op, loop, target))
      return true;
  return false;
}

/* What a long reduction reads is computed step by step, in its loop, and so is what an op with a running state there
 * reads. So that is no place for what others read as well; of the op's own operands, those that it reads step by step
 * are marked. */
static bool is_shared_input(const ir_op *op, const target_facts *target) {
  bool structured = ir_op_has(op, IR_STRUCTURED);
  bool runs = op->mark && pass_op_info_of(op->code)->states;
  if (runs || (structured && op->num_regions && has_long_reduction(op, target)))
    mark_producers(op, ir_num_inputs(op));
  if (!op->mark || op->num_results != 1 || !op->num_operands || (structured && tile_is_cheap(op)))
    return false;
  bool shared = !ir_value_has_one_use(ir_result(op, 0));
  if (structured && ir_structure_of(op)->reductions)
    return shared && ir_is_contraction(op); /* other reductions give statistics of whole rows */
  if (!shared)
    mark_producers(op, structured ? ir_num_inputs(op) : 1);
  return shared;
}

/* On a GPU, what cannot be part of its readers' kernels, on registers: the number of those, in *stops. */
static unsigned find_stops(ir_block *block, const target_facts *target, ir_op ***stops) {
  unsigned count = 0, capacity = 0;
  if (!is_gpu(target))
    return 0;
  for (ir_op *op = block->first; op; op = op->next) {
    op->mark = false;
    capacity++;
  }
  *stops = IR_NEW_ARRAY(&block->parent->module->arena, ir_op *, capacity);
  for (ir_op *op = block->last; op; op = op->prev)
    if (op->num_results && ir_result(op, 0)->type->kind == IR_TYPE_TENSOR &&
        (is_shared_input(op, target) || !vectorize_tiles_can(op) || needs_whole_rows(op, gpu_policy.long_reduction)))
      (*stops)[count++] = op;
  return count;
}

/* Makes loops of the root; false where that cannot be. */
static bool schedule_root(ir_op *root, const pass_options *pass, fuse_policy policy, ir_op *const *stops,
                          unsigned num_stops) {
  fuse_options options = {.policy = policy,
                          .forall = true,
                          .explain = pass->explain && policy == FUSE_ONCE,
                          .stops = stops,
                          .num_stops = num_stops};
  fuse_result result;
  choose_parallel_tiles(root, pass->target, options.tile_sizes);
  identity_interchange(&options);
  fuse_tile(root, &options, &result);
  if (result.num_loops)
    tile_reductions(ir_region(result.loops[0], 0), pass->target, false);
  return result.num_loops > 0;
}

static void schedule_block(ir_block *block, const void *options_of_pass) {
  const pass_options *pass = options_of_pass;
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (op->code == OP_LINALG_SOFTMAX)
      softmax_make_online(op);
  }
  for (ir_op *op = block->first, *next; is_gpu(pass->target) && op; op = next) {
    next = op->next;
    if (needs_whole_rows(op, GPU_LONG_ROW))
      softmax_decompose(op, true, NULL);
  }
  ir_op **stops = NULL;
  unsigned num_stops = find_stops(block, pass->target, &stops);
  bool waiting = false;
  for (ir_op *op = block->last, *next; op; op = next->prev) {
    next = op;
    if (!is_root(op) || (is_gpu(pass->target) && !vectorize_tiles_can(op)))
      continue;
    if (is_gpu(pass->target) && has_long_rows(op, GPU_LONG_ROW)) { /* no reader has taken it into its loops */
      next = op->next;
      softmax_decompose(op, true, NULL);
      num_stops = find_stops(block, pass->target, &stops);
      continue;
    }
    if (pass->fuse && reads_statistics(op)) {
      waiting = true; /* the loops that compute those may take it in */
      continue;
    }
    next = op->next;
    if (!schedule_root(op, pass, pass->fuse ? FUSE_ONCE : FUSE_FREE, stops, num_stops))
      next = op;
  }
  for (ir_op *op = block->last, *next; waiting && op; op = next->prev) {
    next = op;
    if (!is_root(op) || !reads_statistics(op) || (is_gpu(pass->target) && !vectorize_tiles_can(op)))
      continue;
    next = op->next;
    if (!schedule_root(op, pass, FUSE_FREE, stops, num_stops))
      next = op;
  }
}

bool pass_schedule(ir_module *module, const pass_options *options) {
  pass_visit_unscheduled(module, schedule_block, options);
  return true;
}
