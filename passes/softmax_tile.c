/* softmax_tile.c - rows and step of a running softmax, by registers, shared memory and caches; see tile_policy.h.
 * Terminates: one walk over producers, upwards; sizes are halved or doubled up to limits. */
#include "passes/extent.h"
#include "passes/hidden.h"
#include "passes/memory.h"
#include "passes/register_plan.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum {
  EVEN_ITERATIONS = 8,  /* parallel ones of each thread, at least, where rows share what is far away .. */
  MANY_ITERATIONS = 16, /* .. and where iterations may differ in length by a mask */
  PAIRED_TILES = 2,     /* times as many rows, and as long steps, where each of them makes pairs of terms */
  LONG_STEPS = 4,       /* times as long ones where one row reads keys and values in turn */
  EVEN_KEYS = 8,        /* that register tiles of a power of two of rows take */
  MANY_KEYS = 32,       /* for each row of a tile, beside which what a mask hides of a tile is little */
  PIECE_ROWS = 4,       /* of f32 and bf16 for which memory takes the time, .. */
  WHOLE_PIECE_ROWS = 6, /* .. one fewer of bf16, where a tile has whole rows of values of up to LONG_ROW bytes, .. */
  SLOW_ROWS = 2,        /* .. of elements that take longer to widen, .. */
  PIECE_BYTES = 4096,   /* .. and bytes of values in a step then, a page, .. */
  PIECE_KEYS = 8,       /* .. but so many keys in any case, twice as many of 16 bits; .. */
  SHORT_ROW = 256,      /* .. and bytes of a row that one row reads so, and three and more of bf16 */
  LONG_ROW = 512,       /* bytes: its registers leave room for those of a few rows */
  MAX_MAKERS = 32,      /* ops on the way up from scores */
  FEW_TERMS = 256,      /* of scores without softmax that are made in each step of a loop */
  FEW_ROWS = 8,         /* for which making keys and values takes longer than computing with them */
};

/* A running softmax, or scores without one, and the contraction of which it is a factor. */
typedef struct running {
  const ir_op *op; /* the contraction */
  const ir_structure *structure;
  const target_facts *target;
  unsigned side; /* of the softmax */
  int64_t extents[IR_MAX_LOOPS];
  int64_t rows;      /* of the loop that tiles have their rows along; IR_DYNAMIC: not known */
  int64_t columns;   /* of the state and of the other factor */
  ir_value *values;  /* what is read from memory for the other factor .. */
  ir_scalar element; /* .. of such elements */
} running;

/* One iteration is no rows, and few of a running softmax are worse ones than more. */
static bool has_better_rows(int64_t extent, int64_t than, bool is_running) {
  if (extent == 1)
    return false;
  return !is_running || extent == IR_DYNAMIC || extent >= TILE_MIN_ROWS || than == IR_DYNAMIC || extent >= than;
}

int tile_rows_loop(const ir_op *op, unsigned side, uint32_t among) {
  const ir_structure *structure = ir_structure_of(op);
  bool is_running = tile_running_operand(op) == (int)side;
  int rows = -1;
  for (unsigned dim = 0; dim < structure->maps[2]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(structure->maps[2], dim);
    if (!(among >> loop & 1) || ir_loop_side(structure, loop) != (int)side)
      continue;
    if (rows < 0 || has_better_rows(ir_loop_size(op, loop), ir_loop_size(op, (unsigned)rows), is_running))
      rows = (int)loop;
  }
  return rows;
}

static int64_t extent_of_rows(const ir_op *op, unsigned side) {
  int rows = tile_rows_loop(op, side, UINT32_MAX);
  return rows < 0 ? IR_DYNAMIC : ir_loop_size(op, (unsigned)rows);
}

static running running_of(const ir_op *op, unsigned side, const target_facts *target) {
  running r = {.op = op,
               .structure = ir_structure_of(op),
               .target = target,
               .side = side,
               .rows = extent_of_rows(op, side),
               .values = product_source(op, 1 - side, target)};
  r.element = r.values->type->element;
  ir_loop_extents(op, r.extents);
  for (unsigned loop = 0; loop < r.structure->num_loops; loop++)
    if (ir_map_find_dim(r.structure->maps[side], loop) < 0 && r.extents[loop] != IR_DYNAMIC)
      r.columns += r.extents[loop];
  return r;
}

/* The rows in all batches, as far as they are known. */
static int64_t all_rows(const running *r) {
  int64_t rows = 1;
  for (unsigned loop = 0; loop < r->structure->num_loops; loop++)
    if (ir_map_find_dim(r->structure->maps[r->side], loop) >= 0 && !ir_loop_is_reduction(r->structure, loop) &&
        r->extents[loop] > 0 && rows < INT64_MAX / r->extents[loop])
      rows *= r->extents[loop];
  return rows;
}

/* The scores: what the softmax reads, or the factor itself. */
static const ir_value *scores_of(const running *r) {
  const ir_value *factor = ir_operand(r->op, r->side);
  const ir_op *softmax = tile_find_running(factor);
  return softmax ? ir_operand(softmax, 0) : factor;
}

/* ------------------------------------------------------------------------------------------------------------- GPU */

static const target_block *block_of(const running *r) {
  return target_softmax_block(r->target, r->element, r->rows, r->columns);
}

/* Do lanes have the registers for `rows` of a running softmax in steps of `step`? A lane keeps its share of the scores
 * and of the state, in f32. Where it multiplies itself, it holds its share of a factor as well, on the way to shared
 * memory, and a quarter more to multiply with. */
static bool fits_lanes(const running *r, int64_t rows, int64_t step) {
  int64_t lanes = (int64_t)block_of(r)->warps * r->target->warp;
  int64_t sums = rows * (step + r->columns) / lanes, factor = step * r->columns / lanes;
  return (target_has_pieces(r->target, r->element) ? sums : (sums + factor) * 5 / 4) <= r->target->lane_registers;
}

/* Are the queries, and the keys and values of two steps, or of one where lanes multiply, within the shared memory that
 * tiles of a block may take? They are taken to be as wide as values. */
static bool fits_memory(const running *r, int64_t rows, int64_t step) {
  int64_t steps = target_has_lane_block(r->target, r->element) ? 1 : 2;
  int64_t bytes = (rows + 2 * steps * step) * r->columns * ir_scalar_bytes(r->element);
  return !r->target->copy_stages ||
         bytes <= target_tile_bytes(r->target, target_has_groups(r->target, r->element) ? 1 : 0);
}

int64_t tile_rows_in_block(const ir_op *op, unsigned side, const target_facts *target) {
  ir_scalar element = ir_operand(op, side)->type->element;
  bool wide = target->copy_stages && ir_scalar_bits(element) > 16;
  int64_t rows = target_block_of(target, element, IR_DYNAMIC)->rows, extent = extent_of_rows(op, side);
  rows /= wide && !target_has_lane_block(target, element) ? 2 : 1;
  while (rows > (wide ? 2 : 1) * TILE_MIN_ROWS && extent != IR_DYNAMIC && rows > extent)
    rows /= 2;
  return rows;
}

/* Rows and step of a running softmax on a GPU. Each key that comes from shared memory serves the rows of a warp, so
 * many rows go before long steps; but no warp is left without. */
static softmax_tile tile_in_block(const running *r) {
  const target_facts *target = r->target;
  const target_block *block = block_of(r);
  int64_t longest = block->softmax_step;
  int64_t shortest = target->copy_stages ? longest / 2 : longest; /* for the sake of more rows, or of stages */
  int64_t least_rows = block->warps * target_warp_rows(target, r->element, r->columns);
  softmax_tile tile = {tile_rows_in_block(r->op, r->side, target), longest};
  tile.rows = tile.rows < block->rows ? tile.rows : block->rows;
  while (tile.rows / 2 >= least_rows && (!fits_lanes(r, tile.rows, shortest) || !fits_memory(r, tile.rows, shortest)))
    tile.rows /= 2;
  while (tile.step > shortest && !fits_memory(r, tile.rows, tile.step))
    tile.step /= 2;
  while (tile.step > TILE_MIN_ROWS && !fits_lanes(r, tile.rows, tile.step))
    tile.step /= 2;
  return tile;
}

/* ------------------------------------------------------------------------------------------------------------- host */

/* What the steps of a running softmax read of keys and values, both as large, as all of them are f32. */
static uint64_t bytes_of_steps(int64_t keys, int64_t columns) {
  return 2 * (uint64_t)keys * (uint64_t)columns * sizeof(float);
}

/* An input that has all loops of the op, so is as large as what it makes. */
static bool is_large_input(const ir_op *op, unsigned i) {
  const ir_structure *structure = ir_structure_of(op);
  return ir_map_dims(structure->maps[i]) == ir_bit(structure->num_loops) - 1;
}

/* tile_product_of_scores. `steps`: how many ops are looked at. */
static ir_op *find_product(const ir_value *scores, bool *masked, unsigned *steps) {
  ir_op *op = scores->op, *found = NULL;
  if (!op || !ir_op_has(op, IR_STRUCTURED) || !*steps || !--*steps)
    return NULL;
  if (ir_is_contraction(op))
    return op;
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    ir_op *product = is_large_input(op, i) ? find_product(ir_input(op, i), masked, steps) : found;
    if (!product && is_large_input(op, i))
      return NULL;
    found = found ? found : product;
  }
  *masked |= found && op->num_regions && hidden_result(op).known.kind == KNOWN_HIDDEN;
  return found;
}

ir_op *tile_product_of_scores(const ir_value *scores, bool *masked) {
  unsigned steps = MAX_MAKERS;
  *masked = false;
  return find_product(scores, masked, &steps);
}

/* Element by element, the value is made of products with few terms, as scores are, in the op's place and for its loop
 * alone. `steps`: how many ops are looked at. */
static bool is_made_of_scores(const ir_op *user, const ir_value *value, unsigned *steps) {
  const ir_op *maker = tile_maker(user, value);
  bool is_own = maker && (ir_value_has_one_use(ir_result(maker, 0)) ||
                          (ir_result(maker, 0) == value && tile_product_with_sums(value)));
  if (!is_own || !*steps || !--*steps)
    return false;
  int last = ir_last_reduction(ir_structure_of(maker));
  if (last >= 0)
    return ir_is_contraction(maker) && ir_loop_size(maker, (unsigned)last) <= FEW_TERMS;
  bool found = false;
  for (unsigned i = 0; i < ir_num_inputs(maker) && !found; i++)
    found = is_large_input(maker, i) && is_made_of_scores(maker, ir_input(maker, i), steps);
  return found;
}

/* Few rows of so many keys are more than half of the second-level cache holds; up to that, tiles of whole rows are as
 * fast. */
static bool has_far_rows(const ir_op *op, const target_facts *target) {
  int64_t keys = ir_loop_size(op, (unsigned)ir_last_reduction(ir_structure_of(op)));
  return keys == IR_DYNAMIC || keys > (int64_t)(target->l2_bytes / 2 / sizeof(float)) / host_policy.rows;
}

/* A mask hides some of the factor, so that steps of a loop may be left out. */
static bool is_masked(const ir_op *op, unsigned side) {
  int64_t keys = ir_loop_size(op, (unsigned)ir_last_reduction(ir_structure_of(op)));
  bool masked;
  return keys > host_policy.running_softmax && tile_product_of_scores(ir_operand(op, side), &masked) && masked;
}

int softmax_tile_side(const ir_op *op, const target_facts *target) {
  int side = tile_running_operand(op);
  for (unsigned i = 0; i < 2 && side < 0 && !target_is_gpu(target); i++) {
    unsigned steps = MAX_MAKERS;
    if ((has_far_rows(op, target) || is_masked(op, i)) && is_made_of_scores(op, ir_input(op, i), &steps) &&
        !product_is_made_in_registers(op, i, target))
      side = (int)i;
  }
  return side;
}

/* A tile's scores, written and read by each product's tiles in turn, leave a third of the first cache to the
 * factors. */
static bool fits_first_cache(softmax_tile tile, const target_facts *target) {
  return (uint64_t)(tile.rows * tile.step) * sizeof(float) <= target->l1_bytes / 3 * 2;
}

/* The tile, with half the step where such scores and the rows of their own factor, which each key's row meets, are more
 * than that cache (128 features: 1.01 to 1.03x for 2048 keys, as fast for 512; Emerald Rapids). */
static softmax_tile beside_own_factor(const running *r, softmax_tile tile) {
  bool fits = (uint64_t)(tile.rows * (tile.step + r->columns)) * sizeof(float) <= r->target->l1_bytes;
  return (softmax_tile){tile.rows, fits || !fits_first_cache(tile, r->target) ? tile.step : tile.step / 2, tile.rows};
}

/* So large may keys and values be that are read element by element: twice the second-level cache, or four times where
 * transposing keys instead would take the place of multiply-adds (8192 keys of 80 and 128 features 1.06 to 1.15x,
 * Emerald Rapids with a busy neighbour). From a last cache that is near they are read as well from there (1.07 to
 * 1.15x, and 1.04x where they fill it; Zen 5); a quarter of it where one pipe multiplies (8192 keys of 64 and 128
 * features 1.03x, 16384 of 64 1.04x; of what is half of it .98 to 1.02x; Zen 4). */
static uint64_t most_bytes_of_steps(const target_facts *target) {
  uint64_t bytes = (target_shuffles_in_pipes(target) ? 4 : 2) * target->l2_bytes;
  uint64_t near = target_has_near_last_cache(target)  ? target->l3_bytes
                  : target_has_loads_to_spare(target) ? target->l3_bytes / 4
                                                      : 0;
  return near > bytes ? near : bytes;
}

/* Where a mask cuts tiles: small ones, of which little is hidden; but as many rows as elsewhere share what comes from a
 * near last cache, or from one that is as far as memory, where those are few beside all keys, the first cache holds
 * their own factor, and there are tiles enough for threads to share them out (causal attention on 2048 keys of 96 and
 * 128 features 1.01 to 1.03x, on 4096 and 8192 1.01 to 1.03x, and on 1024 less; Zen 5; on 8192 of 64 to 128 1.06x, on
 * 4096 .99 and 1.05x; Granite Rapids). */
static bool takes_small_tiles(const running *r, softmax_tile tile, int64_t keys) {
  const target_facts *target = r->target;
  bool is_near = bytes_of_steps(keys, r->columns) <= target->l2_bytes;
  bool fits = (uint64_t)(tile.rows * r->columns) * sizeof(float) <= target->l1_bytes;
  bool many = all_rows(r) / tile.rows >= (int64_t)target->threads * MANY_ITERATIONS && keys / tile.rows >= MANY_KEYS;
  bool shares = target_has_near_last_cache(target) || target->has_far_memory;
  return !shares || is_near || !fits || !many;
}

/* Rows in lanes: with long steps, with such as the first cache has room for, and few rows. */
enum { LONG_LANES, LANES, SMALL_LANES };
static const softmax_tile lane_tiles[] = {
    [LONG_LANES] = {64, 256, 64}, [LANES] = {64, 128, 64}, [SMALL_LANES] = {32, 128, 32}};

/* The product of scores, where it is one of f32, or of i8 that the machine adds up in 32 bits, whose rows lanes could
 * hold; else NULL. */
static const ir_op *product_for_lanes(const ir_value *scores, const target_facts *target, bool *masked) {
  const ir_op *product = tile_product_of_scores(scores, masked);
  bool fits = product && ir_scalar_bits(ir_operand(product, 0)->type->element) >= 32 &&
              ir_scalar_bits(ir_operand(product, 1)->type->element) >= 32;
  return fits || (product && register_plan_has_bytes(product, target)) ? product : NULL;
}

/* On the way from products to the scores something is read that has the dims `own`, rows and keys, a mask in memory
 * say. */
static bool reads_own_dims(const ir_value *scores, uint32_t own) {
  const ir_op *op = scores->op;
  if (ir_is_contraction(op))
    return false;
  bool found = false, has_large = false;
  for (unsigned i = 0; i < ir_num_inputs(op) && !found; i++) {
    const ir_map *map = ir_structure_of(op)->maps[i];
    unsigned seen = 0;
    for (unsigned loop = 0; loop < map->num_dims; loop++)
      seen += (own >> loop & 1) && ir_map_find_dim(map, loop) >= 0;
    has_large |= is_large_input(op, i);
    found = is_large_input(op, i) ? reads_own_dims(ir_input(op, i), own) : seen > 1;
  }
  return found || !has_large;
}

/* .. of which tiles would have to be transposed in each step, and orient.c does not do that. `product`: that of the
 * scores. */
static bool reads_rows_and_keys(const ir_value *scores, const ir_op *product, const target_facts *target) {
  if (target_turns_tiles(target))
    return false;
  const ir_structure *structure = ir_structure_of(product);
  uint32_t own = 0; /* dims of the product's result that only one factor has */
  for (unsigned dim = 0; dim < structure->maps[2]->num_results; dim++) {
    if (ir_loop_side(structure, (unsigned)ir_map_result_dim(structure->maps[2], dim)) >= 0)
      own |= ir_bit(dim);
  }
  return reads_own_dims(scores, own);
}

static int64_t rows_of_softmax(const running *r, int64_t least);

/* Small tiles have blocks of rows in lanes, whose scores the first cache holds however many rows there are. Steps are
 * as long as half of it holds the values of: these lie a row apart, and each block goes over them column by column. */
static softmax_tile tile_of_blocks(const running *r, int64_t keys) {
  softmax_tile tile = {rows_of_softmax(r, 0), host_policy.running_softmax, tile_block_rows(r->target, IR_F32)};
  uint64_t bytes = (uint64_t)r->columns * sizeof(float);
  while (tile.step > TILE_MIN_ROWS && (uint64_t)tile.step * bytes > r->target->l1_bytes / 2)
    tile.step /= 2;
  int64_t even = tile.step; /* such that all are as long, if there is one */
  while (keys != IR_DYNAMIC && even > tile.step / 2 && keys % even)
    even -= EVEN_KEYS;
  return keys != IR_DYNAMIC && keys % even == 0 ? (softmax_tile){tile.rows, even, tile.block} : tile;
}

/* Those of the running softmax if its rows can be in lanes (see orient.c): whole tiles, as nearly all are. Steps are
 * as long as the first cache holds scores; where it holds those of none, long ones, for which what is accumulated is
 * read and written least often. No rows if they cannot, or would not pay: keys and values are read element by
 * element then. */
static softmax_tile tile_of_lanes(const running *r) {
  const ir_map *map = r->structure->maps[r->side];
  const target_facts *target = r->target;
  int64_t rows = IR_DYNAMIC, keys = IR_DYNAMIC;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(map, dim);
    bool is_key = ir_loop_is_reduction(r->structure, loop);
    *(is_key ? &keys : &rows) = r->extents[loop];
    if (target_has_small_tiles(target) && !is_key && rows == IR_DYNAMIC)
      rows = extent_of_tiles(ir_operand(r->op, r->side), dim);
  }
  if (!target_has_rows_in_lanes(target) || rows == IR_DYNAMIC || keys == IR_DYNAMIC)
    return (softmax_tile){0};
  const ir_value *scores = scores_of(r);
  bool masked;
  const ir_op *product = product_for_lanes(scores, target, &masked);
  if (target_has_small_tiles(target)) {
    softmax_tile tile = tile_of_blocks(r, keys);
    bool fits = product && !reads_rows_and_keys(scores, product, target) && tile_is_nearly_filled(rows, tile.block);
    return fits && keys > host_policy.running_softmax ? tile : (softmax_tile){0};
  }
  if (bytes_of_steps(keys, r->columns) > most_bytes_of_steps(target))
    return (softmax_tile){0};
  bool only_whole = product && reads_rows_and_keys(scores, product, target);
  unsigned first =
      masked ? LANES + takes_small_tiles(r, lane_tiles[LANES], keys) : fits_first_cache(lane_tiles[LANES], target);
  for (unsigned i = first; product && i < sizeof lane_tiles / sizeof *lane_tiles; i++)
    if (tile_is_nearly_filled(rows, lane_tiles[i].rows) && keys > lane_tiles[i].step &&
        (!only_whole || (rows % lane_tiles[i].rows == 0 && keys % lane_tiles[i].step == 0)))
      return masked ? lane_tiles[i] : beside_own_factor(r, lane_tiles[i]);
  return (softmax_tile){0};
}

softmax_tile softmax_tile_of_open_rows(const ir_op *op, unsigned side, const target_facts *target, int64_t *most_keys) {
  running r = running_of(op, side, target);
  const ir_value *scores = scores_of(&r);
  bool masked;
  const ir_op *product = product_for_lanes(scores, target, &masked);
  if (!target_has_rows_in_lanes(target) || !r.columns || !product || reads_rows_and_keys(scores, product, target))
    return (softmax_tile){0};
  *most_keys = INT64_MAX;
  if (target_has_small_tiles(target)) {
    softmax_tile tile = tile_of_blocks(&r, IR_DYNAMIC);
    return (softmax_tile){TILE_MOST_LANES, tile.step, tile.block};
  }
  *most_keys = (int64_t)(most_bytes_of_steps(target) / bytes_of_steps(1, r.columns));
  return masked ? lane_tiles[SMALL_LANES]
                : beside_own_factor(&r, lane_tiles[fits_first_cache(lane_tiles[LANES], target)]);
}

/* Each step of each tile puts terms of keys and values side by side in pairs, and takes maxima and sums across lanes:
 * more rows share the one, longer steps the other (bf16, 64 and 128 features, 1.01 to 1.05x; Zen 5, where shuffles take
 * the place of multiply-adds; 1.005 to 1.02x, Zen 4). */
static bool shares_pairs(const running *r) {
  return r->rows != IR_DYNAMIC && r->rows >= PAIRED_TILES * host_policy.rows &&
         !target_widens(r->target, ir_operand(r->op, r->side)->type->element, r->element, r->rows);
}

/* One row reads keys and values in turn, each element once: in longer steps memory goes on for longer until it is the
 * other's turn, which the machine follows by itself where requests get lost (8192 keys in f32 1.0 to 1.1x, Zen 5; two
 * rows and 16 bits no better, four rows worse). */
static bool reads_in_turn(const running *r) {
  return r->target->loses_requests && r->rows == 1 && ir_scalar_bits(r->element) > 16;
}

/* The bytes of values in a step of few rows that come from memory, which has time to follow keys while values are
 * computed with, and the other way around, if both are read in small pieces by turns; 0: usual steps are better.
 * (256 MiB of keys and values on Zen 4, of 64 to 256 features; what a last cache holds .75 to 1.0. One query of f32
 * with 64 features 1.1 to 1.15 times as fast, with 128 .75; in bf16 1.1 to 1.25. With requests as in
 * register_prefetch.c two to four queries of f32 1.1 to 1.5 times as fast, two of bf16 1.1 to 1.6, three and four of
 * up to 128 features 1.0 to 1.5, of f16 .86 to 1.0; five of f32 and bf16 1.1 to 1.4, on small pages 1.4 to 1.6, six of
 * f32 1.0 to 1.1 and 1.05 to 1.5, of bf16 .6 to 1.0; eight .95, in bf16 .6 to 1.0. Five and six of 80 and 96 features
 * .9 to 1.1.) */
static int64_t bytes_of_pieces(int64_t rows, int64_t row_bytes, ir_scalar element) {
  bool is_narrow = ir_scalar_bits(element) <= 16, is_single = rows == 1 && !is_narrow;
  bool is_long = (is_single || (is_narrow && rows > SLOW_ROWS)) && row_bytes > SHORT_ROW;
  bool is_whole = row_bytes <= LONG_ROW && !(row_bytes & (row_bytes - 1));
  int64_t most = is_narrow && element != IR_BF16 ? SLOW_ROWS : is_whole ? WHOLE_PIECE_ROWS - is_narrow : PIECE_ROWS;
  if (rows > most || is_long)
    return 0;
  return is_single ? PIECE_BYTES / 2 : PIECE_BYTES;
}

/* Steps of so many rows by values of `columns` elements a row, in pieces where these come from memory. */
static int64_t pieces_of(int64_t rows, ir_value *values, int64_t columns, int64_t step, const target_facts *target) {
  ir_scalar element = values->type->element;
  int64_t row_bytes = columns * ir_scalar_bytes(element);
  if (!target_has_loads_to_spare(target) || rows == IR_DYNAMIC || !register_plan_fills_last_cache(values, target))
    return step;
  int64_t bytes = bytes_of_pieces(rows, row_bytes, element);
  int64_t keys = ir_scalar_bits(element) <= 16 ? 2 * PIECE_KEYS : PIECE_KEYS;
  while (bytes && step > keys && step * row_bytes > bytes)
    step /= 2;
  return step;
}

/* Keys and values that each step makes for few rows, as what gathers pages of them does, stay in half of the first
 * cache from where they are made to where they are read (one query over 1024 keys of 128 features in pages of 16 2
 * times as fast as in steps of 128, Zen 4). */
static int64_t step_of_made(const running *r, int64_t step) {
  const ir_op *maker = view_root(ir_operand(r->op, 1 - r->side))->op;
  if (r->rows == IR_DYNAMIC || r->rows > FEW_ROWS || !maker || !ir_op_has(maker, IR_STRUCTURED) ||
      product_is_made_in_registers(r->op, 1 - r->side, r->target))
    return step;
  int64_t row_bytes = r->columns * ir_scalar_bytes(r->element);
  while (step > PIECE_KEYS && 2 * step * row_bytes > (int64_t)r->target->l1_bytes / 2)
    step /= 2;
  return step;
}

static int64_t step_of_pieces(const running *r, int64_t step) {
  return pieces_of(r->rows, r->values, r->columns, step, r->target);
}

int64_t softmax_step_of_pieces(const ir_op *product, unsigned side, int64_t step, const target_facts *target) {
  int64_t rows = ir_own_iterations(product, side, 1 - side), columns = ir_own_iterations(product, 1 - side, side);
  bool is_open = rows == IR_DYNAMIC || columns == IR_DYNAMIC;
  return is_open ? step : pieces_of(rows, ir_operand(product, 1 - side), columns, step, target);
}

/* Rows of a running softmax on the host. Few leave more to skip where they are masked; but where the keys and values of
 * all steps are more than half of the second-level cache, more rows share what is brought there: as many times more as
 * that is, while scores, state and factors stay in three quarters of it and tiles are left for each thread. `least`: so
 * many of them, if so, in any case. */
static int64_t rows_of_softmax(const running *r, int64_t least) {
  int64_t rows = host_policy.rows, tiles = all_rows(r) / rows, keys = 0;
  bool masked;
  for (unsigned loop = 0; loop < r->structure->num_loops; loop++)
    if (ir_map_find_dim(r->structure->maps[r->side], loop) >= 0 && ir_loop_is_reduction(r->structure, loop))
      keys = r->extents[loop] == IR_DYNAMIC ? 1 : r->extents[loop];
  uint64_t half = r->target->l2_bytes / 2, shared = bytes_of_steps(keys, r->columns);
  bool even = tile_product_of_scores(scores_of(r), &masked) && !masked;
  shared += even; /* what fills that half just so is shared, too, where no mask hides anything (1.01x, Zen 1) */
  while ((rows < least || shared > half * (uint64_t)(rows / host_policy.rows)) &&
         tiles / 2 >= (int64_t)r->target->threads * (even ? EVEN_ITERATIONS : MANY_ITERATIONS) &&
         (uint64_t)(2 * rows * (host_policy.running_softmax + 2 * r->columns)) * sizeof(float) <= half + half / 2) {
    rows *= 2;
    tiles /= 2;
  }
  return rows;
}

/* Its step there: what an iteration touches stays in half of the second-level cache. */
static int64_t step_in_cache(const running *r, int64_t step) {
  int64_t others = 0;
  for (unsigned loop = 0; loop < r->structure->num_loops; loop++)
    if (!ir_loop_is_reduction(r->structure, loop) && r->extents[loop] != IR_DYNAMIC)
      others += r->extents[loop];
  while (step > TILE_MIN_ROWS && (uint64_t)(step * others) * sizeof(float) > r->target->l2_bytes / 2)
    step /= 2;
  return step;
}

softmax_tile softmax_tile_of(const ir_op *op, unsigned side, const target_facts *target) {
  running r = running_of(op, side, target);
  if (target_is_gpu(target))
    return tile_in_block(&r);
  softmax_tile tile = tile_of_lanes(&r);
  if (!tile.rows) {
    int64_t times = shares_pairs(&r) ? PAIRED_TILES : 1;
    tile.rows = rows_of_softmax(&r, times * host_policy.rows);
    tile.step = step_of_pieces(&r, (reads_in_turn(&r) ? LONG_STEPS : times) * host_policy.running_softmax);
    tile.step = step_of_made(&r, tile.step);
  }
  tile.step = step_in_cache(&r, tile.step);
  return tile;
}
