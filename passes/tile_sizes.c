/* tile_sizes.c - sizes of tiles around contractions, and where there is none.
 *
 * Tile sizes follow the contraction that sets the pace: the root itself, or the first one on the way up from it. On the
 * host they follow caches and cores; on a GPU, where tiles live in registers, the lanes of a block and what each can
 * hold. A running softmax has tiles of its own (softmax_tile.c).
 * Terminates: producers are followed upwards, for a number of steps where they branch. */
#include "passes/extent.h"
#include "passes/pass.h"
#include "passes/register_plan.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"
#include "passes/vectorize_tiles.h"

#include <string.h>

enum {
  REGISTER_ROWS = 8,       /* a tile with a multiple of these has no rows left over by register tiles */
  BATCH_ITERATIONS = 2,    /* parallel iterations that each thread should have at least */
  LANE_ELEMENTS = 32,      /* of a tile without contraction, in each lane */
  FEW_USES = 8,            /* an element that is used no more often takes longer to read than to use */
  SOME_USES = 32,          /* one that is used no more often takes as long where it is read in short pieces of rows */
  PANEL_USES = 16,         /* elements that are used as often may be read through panels, asked for ahead .. */
  ASKED_REDUCTION = 128,   /* .. of so many terms: a piece of memory stays in the cache beside the one before */
  MANY_USES = 256,         /* elements that are used as often by a tile pay for long panels of them */
  SHARED_ROWS = 1024,      /* so many rows pay for making panels of the other factor .. */
  STEPPED_ROWS = 4096,     /* .. so many where rows and results are asked for in steps, .. */
  LONE_ROWS = 2048,        /* .. and so many for making narrow ones, one at a time, .. */
  LONE_COLUMNS = 512,      /* .. of so many columns, or of those of one panel */
  STREAMED_COLUMNS = 2048, /* of a factor whose elements have few uses: long rows are what memory is read fast by .. */
  STREAMED_BYTES = 64 << 10,       /* .. and a step of so many bytes leaves room for the next one in the cache */
  FOLLOWED_BYTES = 32 << 10,       /* the same where one row alone uses it and the machine follows by itself */
  LONG_STREAMED_BYTES = 256 << 10, /* the same where many rows are added to in each step */
  GPU_NARROW_STEP = 32, /* step of a reduction without matrix units, which is what lies in shared memory at a time */
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

/* Something on the way up from the value computes, rather than moves, and can be fused. */
static bool is_computed(const ir_op *user, const ir_value *value) {
  for (const ir_op *op = value->op; op && op->block == user->block && op->num_operands && op->num_results;
       op = ir_operand(op, 0)->op)
    if (!tile_only_moves(op) || !tile_can(op))
      return ir_op_has(op, IR_STRUCTURED);
  return false;
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

/* ------------------------------------------------------------------------------------------------------------- host */

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

static bool is_narrow(const ir_op *op, unsigned operand) {
  return ir_scalar_bits(ir_operand(op, operand)->type->element) <= 16;
}

/* The bytes of a step that reads a factor from memory whose elements are used so often; 0 where that does not take the
 * time. Half of the second-level cache holds the rows that are added to in each step, this step's piece and the
 * next. Where requests get lost, fewer sums to read and write leave them the time that they need; and what one row reads
 * in rows that are few and long is best not asked for at all (see register_plan_is_followed). */
static int64_t bytes_of_piece(int64_t uses, bool narrow, const target_facts *target) {
  if (uses == 1 && target->loses_requests && !narrow)
    return FOLLOWED_BYTES;
  if (uses <= FEW_USES)
    return target->loses_requests && uses > 1 && !narrow ? LONG_STREAMED_BYTES : STREAMED_BYTES;
  uint64_t sums = (uint64_t)uses * STREAMED_COLUMNS * sizeof(float);
  return uses <= SOME_USES && sums + 2 * LONG_STREAMED_BYTES <= target->l2_bytes / 2 ? LONG_STREAMED_BYTES : 0;
}

/* The factor of a plain contraction on the host whose elements are used so few times that reading it from memory takes
 * the time, where its rows run along a loop of the result; or -1. *bytes: of a step. */
static int streamed_factor(const ir_op *op, const target_facts *target, int64_t *bytes) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extents[IR_MAX_LOOPS];
  if (target_is_gpu(target) || tile_running_operand(op) >= 0)
    return -1;
  ir_loop_extents(op, extents);
  for (unsigned i = 0; i < 2; i++) {
    const ir_map *map = structure->maps[i];
    int last = map->num_results ? ir_map_result_dim(map, map->num_results - 1) : -1;
    *bytes = bytes_of_piece(uses_of_factor(op, i, extents, SOME_USES + 1), is_narrow(op, i), target);
    if (*bytes && last >= 0 && !ir_loop_is_reduction(structure, (unsigned)last) && !is_computed(op, ir_operand(op, i)))
      return (int)i;
  }
  return -1;
}

/* The step of the reduction of such a contraction. */
static int64_t streamed_step(const ir_op *op, unsigned factor, int64_t most, const int64_t *extents) {
  const ir_map *map = ir_structure_of(op)->maps[factor];
  int64_t columns = extents[ir_map_result_dim(map, map->num_results - 1)];
  int64_t bytes = (columns == IR_DYNAMIC || columns > STREAMED_COLUMNS ? STREAMED_COLUMNS : columns) *
                  ir_scalar_bits(ir_operand(op, factor)->type->element) / 8;
  int64_t step = most < STREAMED_BYTES ? REGISTER_ROWS / 2 : REGISTER_ROWS;
  while (2 * step * bytes <= most && step < host_policy.reduction)
    step *= 2;
  return step;
}

/* Panels of so many terms, made at once for all columns of a tile, are all that the second-level cache holds beside
 * what streams through it: results that each step adds to would come from further away. Where memory is far, fewer
 * steps are better still. */
static bool leaves_results_no_room(int64_t terms, const target_facts *target) {
  uint64_t panels = (uint64_t)terms * (uint64_t)host_policy.columns * sizeof(float);
  return !target->has_far_memory && panels <= target->l2_bytes / 2 && panels > target->l2_bytes / 4;
}

/* A product of f32 alone with many rows, of which one panel has all terms while it takes half of the second-level cache.
 * Where the last cache is near, to read the rows from there for each panel costs less than to add to results in steps.
 * Rows are whole tiles of a known number, as open ones may be few; columns are many, or no more than the tile's. */
static bool takes_lone_panels(const ir_op *op, const target_facts *target, const int64_t *extents) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t least = register_plan_panel_columns(target);
  if (target_is_gpu(target) || tile_running_operand(op) >= 0 || structure->num_loops != 3 || is_narrow(op, 0) ||
      is_narrow(op, 1) || is_computed(op, ir_operand(op, 0)) || is_computed(op, ir_operand(op, 1)))
    return false;
  for (unsigned loop = 0; loop < 3; loop++) {
    int64_t extent = extents[loop];
    if (ir_loop_is_reduction(structure, loop)) {
      if (extent <= register_plan_longest_panel(target) || extent > register_plan_lone_panel(target))
        return false;
    } else if (ir_map_find_dim(structure->maps[1], loop) < 0) {
      if (extent < SHARED_ROWS || (extent > LONE_ROWS && extent % LONE_ROWS))
        return false;
    } else if (extent == IR_DYNAMIC ? register_plan_bound(op, loop) > least
                                    : extent < least || (extent > least && extent < LONE_COLUMNS))
      return false;
  }
  return true;
}

/* The step of a plain contraction's reduction on the host; 0: it is not long. Where a factor is used often enough
 * to pay for being copied into panels, the longest that a panel can be is best, as sums that stay in registers
 * until they are complete cost neither reads nor writes of the result. Steps are alike, so that the last one is no
 * special case. */
static int64_t host_step(const ir_op *op, unsigned loop, const target_facts *target, const int64_t *extents) {
  bool often = false, asked_for = target->loses_requests && !is_narrow(op, 0) && !is_narrow(op, 1);
  int64_t least = MANY_USES;
  for (unsigned i = 0; i < 2; i++) {
    int64_t uses = uses_of_factor(op, i, extents, MANY_USES);
    often |= uses == MANY_USES;
    least = uses < least ? uses : least;
  }
  if (!often && extents[loop] != IR_DYNAMIC && extents[loop] < host_policy.long_reduction)
    return 0;
  if (!often)
    return asked_for && least >= PANEL_USES ? ASKED_REDUCTION : host_policy.reduction;
  int64_t longest = register_plan_longest_panel(target);
  if (extents[loop] == IR_DYNAMIC || extents[loop] <= longest || takes_lone_panels(op, target, extents))
    return extents[loop] == IR_DYNAMIC ? longest : 0;
  bool is_alone = !is_computed(op, ir_operand(op, 0)) && !is_computed(op, ir_operand(op, 1));
  bool is_halved = is_alone && least >= host_policy.columns && leaves_results_no_room(longest, target);
  int64_t most_terms = is_halved ? longest / 2 : longest;
  int64_t steps = trip_count(extents[loop], most_terms), step = trip_count(extents[loop], steps);
  return extents[loop] % steps || step % 2 ? step + TILE_MIN_ROWS - step % TILE_MIN_ROWS : step;
}

/* A long product of f32 whose panels are asked for (register_ask.c) should have half as many columns in a tile: so its
 * panels stay in the first cache, with what the few rows multiply them with. Not so where a part of a tile is left over,
 * which is read in place. */
static bool should_stay_near(const ir_op *op, unsigned factor, int64_t columns, int64_t tile,
                             const target_facts *target) {
  int64_t extents[IR_MAX_LOOPS], terms = 1;
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
    if (ir_loop_is_reduction(ir_structure_of(op), loop))
      terms = extents[loop];
  int64_t rows = uses_of_factor(op, factor, extents, MANY_USES);
  return target->loses_requests && !is_narrow(op, 0) && !is_narrow(op, 1) && rows >= PANEL_USES &&
         columns != IR_DYNAMIC && tile && columns % tile == 0 &&
         (terms == IR_DYNAMIC || terms >= host_policy.long_reduction) &&
         (uint64_t)((rows + tile / 2) * ASKED_REDUCTION) * sizeof(float) <= target->l1_bytes;
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
  even = even < TILE_MIN_ROWS ? TILE_MIN_ROWS : even;
  return even < rows ? even : rows;
}

/* Halves the two tiles in turn until there are so many iterations. */
static void share_out(const int64_t *extents, unsigned num_loops, int64_t *sizes, int first, int second,
                      int64_t wanted) {
  const int both[] = {first, second};
  for (unsigned turn = 0;; turn++) {
    int64_t iterations = iterations_beside(extents, num_loops, sizes, -1);
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

/* Elements of a tile on a GPU that the reductions of an op read for each one that it makes: all, or those of a step. */
static int64_t reduced_elements(const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extents[IR_MAX_LOOPS], count = 1;
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && extents[loop])
      count *= extents[loop] == IR_DYNAMIC || extents[loop] > TILE_GPU_LONG_ROW ? gpu_policy.reduction : extents[loop];
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
  int64_t budget = target_block_lanes(target) * LANE_ELEMENTS / reduced_in_tile(root);
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
  const ir_map *result = structure->maps[ir_num_inputs(root)];
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

/* The step of a product of f32 alone whose tiles ask for the next one's rows and results, where the last cache is near;
 * 0: it is no such product, or has no steps, or an open extent, which may be small. */
static int64_t asking_step(const ir_op *op, const target_facts *target, const int64_t *extents) {
  int64_t step = 0;
  if (!target_has_near_last_cache(target) || is_narrow(op, 0) || is_narrow(op, 1) ||
      is_computed(op, ir_operand(op, 0)) || is_computed(op, ir_operand(op, 1)))
    return 0;
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++) {
    if (extents[loop] == IR_DYNAMIC)
      return 0;
    if (ir_loop_is_reduction(ir_structure_of(op), loop))
      step = host_step(op, loop, target, extents);
  }
  return step;
}

/* Such a product of many rows with so few columns that one tile has them all: in two, each would leave its results in
 * half of the sets of the second-level cache, as rows of the result are short (2048 x 256 over 4096 terms 1.5x, Zen
 * 5). */
static bool takes_all_columns(const ir_op *op, unsigned rows_side, const target_facts *target, const int64_t *extents) {
  int64_t most = 2 * host_policy.columns;
  return uses_of_factor(op, rows_side, extents, most + 1) <= most &&
         uses_of_factor(op, 1 - rows_side, extents, MANY_USES) == MANY_USES && asking_step(op, target, extents);
}

/* Rows of the tile that sets the pace. On the host each step of a plain contraction copies a panel of one factor, which
 * more rows pay for as long as their part of the other factor, which is read again for each panel, takes a quarter of
 * the last cache; half of it, where panels are lone and narrow. What is asked for is of one step alone. */
static int64_t choose_rows(const pace *p, unsigned rows_side, const target_facts *target) {
  int64_t rows = host_policy.rows, extents[IR_MAX_LOOPS];
  int side = tile_running_operand(p->op);
  if (target->tiles.rows)
    return target->tiles.rows;
  ir_loop_extents(p->op, extents);
  if (side >= 0)
    return softmax_tile_of(p->op, (unsigned)side, target, extents).rows;
  if (target_is_gpu(target))
    return tile_rows_in_block(p->op, rows_side, target, extents);
  bool is_lone = takes_lone_panels(p->op, target, extents);
  int64_t step = asking_step(p->op, target, extents);
  int64_t depth = is_lone ? register_plan_lone_panel(target) : step ? step : register_plan_longest_panel(target);
  bool asks = step && !takes_all_columns(p->op, rows_side, target, extents);
  int64_t asking = asks ? uses_of_factor(p->op, 1 - rows_side, extents, STEPPED_ROWS) : 0;
  int64_t most_rows = is_lone ? LONE_ROWS : asking > SHARED_ROWS ? asking : SHARED_ROWS;
  for (unsigned loop = 0; loop < ir_structure_of(p->op)->num_loops; loop++)
    if (ir_loop_is_reduction(ir_structure_of(p->op), loop) && extents[loop] != IR_DYNAMIC && extents[loop] < depth)
      depth = extents[loop];
  while (rows < most_rows && (uint64_t)(2 * rows * depth) * sizeof(float) <= target->l3_bytes / (is_lone ? 2 : 4))
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
  while (rows > TILE_MIN_ROWS && (uint64_t)(rows * columns) > l2_bytes / 2 / sizeof(float))
    rows /= 2;
  return rows;
}

static void choose_by_pace(const ir_op *root, const target_facts *target, const int64_t *extents, int64_t *sizes) {
  pace p;
  find_pace(root, &p);
  bool whole_rows = !ir_is_contraction(root) && ir_structure_of(root)->reductions;
  if (!p.op || (whole_rows && target_is_gpu(target))) {
    if (target_is_gpu(target))
      tile_by_lanes(root, target, extents, sizes);
    if (target_is_gpu(target) && p.op)
      tile_batch_loops(&p, sizes);
    if (!target_is_gpu(target))
      tile_by_footprint(root, extents, target, sizes);
    return;
  }
  const tile_policy *policy = policy_of(target);
  /* What one operand's producers compute must not be asked for again by each tile of the other operand's loops. */
  unsigned rows = is_computed(p.op, ir_input(p.op, 1)) && !is_computed(p.op, ir_input(p.op, 0));
  bool whole = is_computed(p.op, ir_input(p.op, rows));
  tile_batch_loops(&p, sizes);
  int64_t num_rows = choose_rows(&p, rows, target), num_columns = policy->columns;
  int64_t of_contraction[IR_MAX_LOOPS];
  ir_loop_extents(p.op, of_contraction);
  bool is_lone = takes_lone_panels(p.op, target, of_contraction);
  bool is_narrow_result =
      !target_is_gpu(target) && tile_running_operand(p.op) < 0 && takes_all_columns(p.op, rows, target, of_contraction);
  if (is_lone)
    num_columns = register_plan_panel_columns(target);
  else if (is_narrow_result)
    num_columns = 2 * host_policy.columns;
  int64_t piece = 0;
  int streamed = streamed_factor(p.op, target, &piece);
  int64_t long_rows = target->loses_requests && piece == LONG_STREAMED_BYTES ? STREAMED_COLUMNS / 2 : STREAMED_COLUMNS;
  if (streamed >= 0 && streamed != (int)rows)
    num_columns = long_rows;
  else if (streamed >= 0 && !target->tiles.rows)
    num_rows = long_rows;
  if (whole_rows && !target->tiles.rows)
    num_rows = rows_in_cache(root, extents, num_rows, target->l2_bytes);
  int first = tile_free_loops(&p, rows, num_rows, sizes);
  if (target->tiles.columns)
    num_columns = target->tiles.columns;
  int second = tile_free_loops(&p, 1 - rows, whole ? 0 : num_columns, sizes);
  if (target_is_gpu(target) || target->tiles.rows)
    return;
  if (second >= 0 && !target->tiles.columns && num_columns == policy->columns &&
      should_stay_near(p.op, 1 - rows, extents[second], sizes[second], target))
    sizes[second] /= 2;
  if (first >= 0 && whole && !whole_rows && tile_running_operand(p.op) < 0 && extents[first] != IR_DYNAMIC &&
      iterations_beside(extents, ir_structure_of(root)->num_loops, sizes, first) == 1)
    sizes[first] = rows_of_thread(extents[first], sizes[first], target->threads);
  else { /* a product alone has nobody to share with on one thread; memory is shared, and read fastest in long rows */
    bool alone = target->threads == 1 && p.op == root && !whole && !is_computed(p.op, ir_input(p.op, 1 - rows));
    share_out(extents, ir_structure_of(root)->num_loops, sizes, first,
              whole || is_lone || is_narrow_result ? -1 : second,
              (int64_t)target->threads * (streamed >= 0 || alone ? 1 : BATCH_ITERATIONS));
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
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(op, extents);
  if (!ir_is_contraction(op))
    return extents[loop] > TILE_GPU_LONG_ROW || extents[loop] == IR_DYNAMIC ? policy->reduction : 0;
  int side = tile_running_operand(op);
  int64_t asked = side >= 0 ? target->tiles.softmax : target->tiles.reduction;
  if (asked)
    return extents[loop] > asked || extents[loop] == IR_DYNAMIC ? asked : 0;
  if (side >= 0)
    return softmax_tile_of(op, (unsigned)side, target, extents).step;
  int64_t piece;
  int streamed = streamed_factor(op, target, &piece);
  if (streamed >= 0) {
    int64_t step = streamed_step(op, (unsigned)streamed, piece, extents);
    return extents[loop] > step || extents[loop] == IR_DYNAMIC ? step : 0;
  }
  if (!target_is_gpu(target))
    return host_step(op, loop, target, extents);
  int64_t step = ir_scalar_bits(ir_operand(op, 0)->type->element) > 16 ? GPU_NARROW_STEP : policy->reduction;
  return extents[loop] >= policy->long_reduction || extents[loop] == IR_DYNAMIC ? step : 0;
}
