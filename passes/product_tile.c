/* product_tile.c - tiles of a plain contraction on the host, one without running softmax.
 *
 * What a tile is like depends on how often an element of a factor is used:
 *  - Few times: to read that factor takes the time. Tiles have long rows of it, as memory is read fast by, and steps of
 *    the reduction are what fits in the cache beside the sums.
 *  - Often: it is copied into panels (register_pack.c) that are as long as the cache has room for. Rows of a tile are
 *    as many as the last cache holds, as each tile makes the panels anew.
 *  - Where the last cache is slow, it holds the panels of many columns, which rows meet block by block.
 *  - Where memory is near but the last cache is not, panels are short, for rows to meet those of all columns in turn.
 *  - Where the last cache is near, long products of f32 alone take lone panels of all terms, or ask for what the next
 *    tile reads and adds to (register_ask.c); where requests get lost, shorter ones ask for the next panel.
 *  - Where a matrix unit multiplies, wide tiles in steps: it is so fast that to bring it rows again takes the time.
 * Terminates: loops over loops, and sizes that are doubled up to a bound. */
#include "passes/body.h"
#include "passes/memory.h"
#include "passes/register_plan.h"
#include "passes/tile_policy.h"

enum {
  FEW_USES = 8,            /* an element that is used no more often takes longer to read than to use */
  SOME_USES = 32,          /* one that is used no more often takes as long where it is read in short pieces of rows */
  PANEL_USES = 16,         /* elements that are used as often may be read through panels, asked for ahead, .. */
  TURNED_USES = 9,         /* .. those that lie along terms if used as often, .. */
  ASKED_REDUCTION = 128,   /* .. of so many terms: a piece of memory stays in the cache beside the one before */
  TURNED_PANEL_USES = 12,  /* .. and panels turn a factor rather than that it is read in place */
  MANY_USES = 256,         /* elements that are used as often by a tile pay for long panels of them */
  SHARED_ROWS = 1024,      /* so many rows pay for making panels of the other factor .. */
  WIDE_TERMS = 2048,       /* .. so many terms as well for wide tiles, .. */
  STEPPED_ROWS = 4096,     /* .. so many where rows and results are asked for in steps, .. */
  LONE_ROWS = 2048,        /* .. and so many for making narrow ones, one at a time, .. */
  LONE_COLUMNS = 512,      /* .. of so many columns, or of those of one panel */
  TURN_ROWS = 64,          /* so many rows use a panel for long enough to ask for the next one's memory, .. */
  TURN_TERMS = 256,        /* .. which has so many terms, .. */
  TURN_LONGEST = 3,        /* .. but no more than this part of the longest one's, .. */
  TURN_COLUMNS = 1024,     /* .. in a tile of so many columns, or half of them; .. */
  TURN_SHARE = 2,          /* .. the other factor is so many times as large as the second-level cache */
  STREAMED_COLUMNS = 2048, /* of a factor whose elements have few uses: long rows are what memory is read fast by .. */
  STREAMED_STEP = 64,      /* .. of which tiles that divide a factor evenly are multiples, .. */
  STREAMED_BYTES = 64 << 10,       /* .. and a step of so many bytes leaves room for the next one in the cache */
  FOLLOWED_BYTES = 32 << 10,       /* the same where one row alone uses it and the machine follows by itself */
  FOLLOWED_TERMS = 2048,           /* of rows that are many and long, which it follows as well (register_prefetch.c) */
  LONG_STREAMED_BYTES = 256 << 10, /* the same where many rows are added to in each step */
  FEW_STREAMED_USES = 4,           /* so few uses leave the time to memory, where that has few streams; .. */
  LONG_ROW = 1024,                 /* .. one does of rows of so many columns that are widened */
  BLOCKED_COLUMNS = 256,           /* panels of so many columns .. */
  BLOCKED_TERMS = 256,             /* .. and terms are worth being met by blocks of rows */
  PART_COLUMNS = 512,       /* of a tile where small tiles copy long parts of rows into panels for few rows, .. */
  PART_TERMS = 64,          /* .. and the step then; */
  LONG_PART_COLUMNS = 4096, /* the same where the last cache holds the panels, .. */
  LONG_PART_TERMS = 256,    /* .. of as many elements where more rows use them, in longer steps */
  WHOLE_ROWS = 5,           /* so few rows meet panels of all terms at a time, .. */
  WHOLE_SHARE = 4,          /* .. of which they have this part of the second cache */
  MADE_COLUMNS = 32,        /* of a tile where few rows use what its steps make of a factor, .. */
  MADE_SHARE = 3,           /* .. and their share of the first cache */
  UNIT_ROWS = 512,          /* so many rows that the matrix unit multiplies pay for wide tiles, .. */
  UNIT_COLUMNS = 512,       /* .. of so many columns, .. */
  UNIT_TERMS = 512,         /* .. whose rows of so many terms the first cache holds (2048^3 in bf16 1.3x) */
};

typedef struct product {
  const ir_op *op;
  const ir_structure *structure;
  const target_facts *target;
  int64_t extents[IR_MAX_LOOPS];
  bool is_wide;    /* neither factor has elements of 16 bits or fewer */
  bool in_unit;    /* the matrix unit multiplies */
  bool is_alone;   /* neither factor is computed in the same place */
  int streamed;    /* the factor that it takes the time to read, or -1; .. */
  int64_t piece;   /* .. and the bytes of a step of it */
  int made;        /* the factor that an elementwise op makes for few rows, or -1 */
  int ready;       /* the factor that has its panels before the program runs, or -1 */
  int parted;      /* the factor that is copied into panels in long parts of rows, or -1 */
  int64_t in_turn; /* the columns of a tile whose panels of all terms follow each other, or 0 */
  int64_t blocked; /* the terms of a step whose panels blocks of rows meet in turn, or 0 */
} product;

/* How often each element of a factor is used, or `enough` where that is more, or not known. */
static int64_t uses_of_factor(const product *p, unsigned factor, int64_t enough) {
  int64_t uses = ir_own_iterations(p->op, 1 - factor, factor);
  return uses == IR_DYNAMIC || uses > enough ? enough : uses;
}

/* The op makes each element of its result from a few others, which lie in memory, or are made so in so many steps. */
static bool is_made_in_steps(const ir_op *op, unsigned steps) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_op *maker = tile_maker(op, ir_input(op, i));
    if (maker && (!steps || !is_made_in_steps(maker, steps - 1)))
      return false;
  }
  return body_is_elementwise(op);
}

static bool is_made_from_memory(const ir_op *op) {
  enum { MOST_STEPS = 3 };
  return is_made_in_steps(op, MOST_STEPS);
}

/* The loop along which memory goes on in the factor; -1: there is none. */
static int last_loop(const product *p, unsigned factor) { return ir_map_last_dim(p->structure->maps[factor]); }

/* Memory goes on along a reduction in the factor, of which panels have the other loop in lanes. */
static bool is_turned(const product *p, unsigned factor) {
  int last = last_loop(p, factor);
  return last >= 0 && ir_loop_is_reduction(p->structure, (unsigned)last);
}

/* So few rows use each element of the factor that the register tiles that have them make it of what lies in memory, or
 * find it in the second-level cache; a few more are not worth bringing it there for pairs (bf16 by products of two, 9
 * to 14 rows of 2048 x 2048 .66 to .93 times as fast; Zen 4). */
static bool is_made_in_registers(const product *p, unsigned factor) {
  const ir_op *maker = tile_maker(p->op, ir_operand(p->op, factor));
  int64_t most = target_has_near_memory(p->target) ? SOME_USES : 1, uses = uses_of_factor(p, factor, most + 1);
  bool has_lanes = is_turned(p, factor) ? last_loop(p, factor) == last_loop(p, 1 - factor) : last_loop(p, factor) >= 0;
  bool pairs =
      !target_widens(p->target, ir_operand(p->op, 0)->type->element, ir_operand(p->op, 1)->type->element, uses);
  return !target_is_gpu(p->target) && maker && has_lanes && uses <= most &&
         !(pairs && uses > FEW_USES && uses < 2 * FEW_USES) && maker->num_regions && is_made_from_memory(maker) &&
         !register_plan_has_functions(maker, p->target) && memory_reads_only_tables(maker);
}

/* What is read from memory for the factor: itself, or the elements that it is made of in registers, one for each. */
static ir_value *source_of(const product *p, unsigned factor) {
  ir_value *value = ir_operand(p->op, factor);
  const ir_op *maker = is_made_in_registers(p, factor) ? tile_maker(p->op, value) : NULL;
  for (unsigned i = 0; maker && i < ir_num_inputs(maker); i++)
    if (ir_structure_of(maker)->maps[i]->num_results == ir_structure_of(maker)->num_loops)
      return ir_input(maker, i);
  return value;
}

static bool is_narrow(const product *p, unsigned factor) {
  return ir_scalar_bits(source_of(p, factor)->type->element) <= 16;
}

/* How often each element of that factor is used whose elements have fewer uses, or `enough`. */
static int64_t least_uses(const product *p, int64_t enough) {
  int64_t uses[] = {uses_of_factor(p, 0, enough), uses_of_factor(p, 1, enough)};
  return uses[uses[1] < uses[0]];
}

/* The factor whose panels are there before the program runs, where its elements are used often enough to be read from
 * them; or -1. */
static int ready_factor(const product *p) {
  for (unsigned i = 0; i < 2; i++) {
    if (!register_plan_is_ready(p->op, i, p->target))
      continue;
    int64_t few = register_plan_unpacked_rows(p->op, i, p->target);
    if (uses_of_factor(p, i, few + 1) > few)
      return (int)i;
  }
  return -1;
}

/* What the factor is a part of. */
static const ir_value *whole_factor(const product *p, unsigned factor) {
  const ir_value *whole = ir_operand(p->op, factor);
  while (ir_made_by(whole, OP_TENSOR_EXTRACT_SLICE))
    whole = ir_operand(whole->op, 0);
  return whole;
}

/* The last cache is known to hold what the factor is a part of. */
static bool is_near(const product *p, unsigned factor) {
  return register_plan_is_near(ir_operand(p->op, factor), p->target);
}

/* ---------------------------------------------------------------------------------------------------------- streams */

/* The bytes of a step that reads a factor from memory whose elements are used so often; 0 where that does not take the
 * time. Half of the second-level cache holds the rows that are added to in each step, this step's piece and the
 * next. Where requests get lost, fewer sums to read and write leave them the time that they need; and what one row
 * reads in rows that are few and long is best not asked for at all (see register_plan_is_followed). */
static int64_t bytes_of_piece(int64_t uses, bool narrow, const target_facts *target) {
  if (uses == 1 && target->loses_requests && !narrow)
    return FOLLOWED_BYTES;
  if (uses <= (target->loses_requests && !narrow ? REGISTER_STREAM_ROWS : FEW_USES))
    return target->loses_requests && uses > 1 && !narrow ? LONG_STREAMED_BYTES : STREAMED_BYTES;
  uint64_t sums = (uint64_t)uses * STREAMED_COLUMNS * sizeof(float);
  return uses <= SOME_USES && sums + 2 * LONG_STREAMED_BYTES <= target->l2_bytes / 2 ? LONG_STREAMED_BYTES : 0;
}

/* The bytes of a row of the factor in memory, or IR_DYNAMIC. */
static int64_t bytes_of_row(const product *p, unsigned factor) {
  const ir_type *type = whole_factor(p, factor)->type;
  int64_t columns = type->rank ? type->shape[type->rank - 1] : IR_DYNAMIC, bytes;
  return columns == IR_DYNAMIC || __builtin_mul_overflow(columns, ir_scalar_bytes(type->element), &bytes) ? IR_DYNAMIC
                                                                                                          : bytes;
}

/* The rows of the factor fall into one set of the first cache. */
static bool is_crowded(const product *p, unsigned factor) {
  int64_t bytes = bytes_of_row(p, factor);
  return bytes != IR_DYNAMIC && bytes % TARGET_PAGE_BYTES == 0;
}

/* How often each element is used, as far as it counts for reading it in place from memory past a large last cache:
 * tiles of registers that read it again find it in the first cache (10 and 16 rows of 4000 x 4000 1.5 and 1.2, of 4096
 * x 11008 1.2 and 1.1 times as fast as from panels), unless its rows are crowded there: panels are better even for 8 on
 * one thread (of 4096 x 4096 1.37 times as fast, 7 rows .7; 8 on two threads, which wait for memory together, .8; Zen
 * 3). */
static int64_t uses_in_place(const product *p, unsigned factor) {
  int64_t uses = uses_of_factor(p, factor, SOME_USES + 1);
  if (!p->target->fills_last_cache || !p->is_wide || is_near(p, factor) || tile_maker(p->op, ir_operand(p->op, factor)))
    return uses;
  if (is_crowded(p, factor))
    return uses + (uses == FEW_USES && register_plan_copies_from_memory(ir_operand(p->op, factor), p->target));
  return uses > FEW_USES && uses <= 2 * FEW_USES ? FEW_USES : uses;
}

/* The factor whose elements are used so few times that reading it from memory takes the time, where its rows run along
 * a loop of the result; or -1. *bytes: of a step. */
static int streamed_factor(const product *p, int64_t *bytes) {
  for (unsigned i = 0; i < 2; i++) {
    const ir_map *map = p->structure->maps[i];
    int last = ir_map_last_dim(map);
    const ir_op *maker = tile_maker(p->op, ir_operand(p->op, i));
    *bytes = bytes_of_piece(uses_in_place(p, i), is_narrow(p, i), p->target);
    if (*bytes && maker && !is_made_in_registers(p, i))
      *bytes = STREAMED_BYTES;
    if (*bytes && last >= 0 && (int)i != p->ready && !ir_loop_is_reduction(p->structure, (unsigned)last) &&
        (!maker || is_made_from_memory(maker)))
      return (int)i;
  }
  return -1;
}

static int64_t columns_of_stream(const product *p) {
  const ir_map *map = p->structure->maps[p->streamed];
  return p->extents[ir_map_result_dim(map, map->num_results - 1)];
}

/* So many rows that pieces as wide as for fewer leave their sums no room in the first cache. */
static bool has_many_sums(const product *p) {
  return p->target->loses_requests && uses_of_factor(p, (unsigned)p->streamed, SOME_USES) > FEW_USES;
}

/* Steps are a few rows, which are read side by side, and as long as the sums of all leave room in the second-level
 * cache (1, 2 and 4 rows by 4096 x 4096 1.3 to 1.4, by 1024 x 1024 1.2 to 1.3 times as fast; 8 would take up to 1.2
 * times as long; one row of bf16 by long rows 1.12 to 1.4 times as fast, 2 rows no faster; Zen 1). */
static bool reads_few_streams(const product *p) {
  unsigned streamed = (unsigned)p->streamed;
  int64_t columns = columns_of_stream(p);
  bool is_long = columns == IR_DYNAMIC || columns >= LONG_ROW, narrow = is_narrow(p, streamed);
  return p->target->has_few_streams && (!narrow || is_long) &&
         uses_of_factor(p, streamed, SOME_USES) <= (narrow ? 1 : FEW_STREAMED_USES);
}

/* The columns of a tile then: those of long pieces are fewer, and alike where that can be, as tiles of a known number
 * of columns know what comes next (register_ask.c). */
static int64_t streamed_columns(const product *p) {
  if (reads_few_streams(p)) {
    int64_t columns = 2 * STREAMED_COLUMNS, uses = uses_of_factor(p, (unsigned)p->streamed, SOME_USES);
    while ((uint64_t)(uses * columns) * sizeof(float) > p->target->l2_bytes / 8)
      columns /= 2;
    return columns;
  }
  if (!p->target->loses_requests || p->piece != LONG_STREAMED_BYTES)
    return STREAMED_COLUMNS;
  int64_t all = columns_of_stream(p), most = has_many_sums(p) ? STREAMED_COLUMNS / 4 : STREAMED_COLUMNS / 2;
  for (int64_t columns = most; all != IR_DYNAMIC && columns >= most / 2; columns -= STREAMED_STEP)
    if (all % columns == 0)
      return columns;
  return most;
}

/* The step of the reduction then. */
static int64_t streamed_step(const product *p) {
  if (reads_few_streams(p))
    return is_narrow(p, (unsigned)p->streamed) ? TILE_REGISTER_ROWS : TILE_REGISTER_ROWS / 2;
  int64_t columns = columns_of_stream(p), most = columns == IR_DYNAMIC ? streamed_columns(p) : columns;
  int64_t bytes = (most > STREAMED_COLUMNS ? STREAMED_COLUMNS : most) *
                  ir_scalar_bytes(source_of(p, (unsigned)p->streamed)->type->element);
  int64_t step = p->piece < STREAMED_BYTES ? TILE_REGISTER_ROWS / 2 : TILE_REGISTER_ROWS;
  int64_t piece = has_many_sums(p) ? p->piece / 2 : p->piece;
  while (2 * step * bytes <= piece && step < host_policy.reduction)
    step *= 2;
  return step;
}

/* The same of a factor that an elementwise op makes, whose rows run along the reduction: what a step makes of it is to
 * stay in the first cache. */
static int made_factor(const product *p) {
  for (unsigned i = 0; i < 2; i++) {
    const ir_op *maker = tile_maker(p->op, ir_operand(p->op, i));
    if (maker && is_made_from_memory(maker) && !is_made_in_registers(p, i) &&
        uses_of_factor(p, i, SOME_USES + 1) <= SOME_USES)
      return (int)i;
  }
  return -1;
}

static int64_t made_step(const product *p) {
  int64_t step = TILE_MIN_ROWS, bytes = MADE_COLUMNS * (int64_t)sizeof(float);
  while (2 * step * bytes <= (int64_t)p->target->l1_bytes / MADE_SHARE)
    step *= 2;
  return step;
}

/* ----------------------------------------------------------------------------------------------------------- panels */

/* Panels of so many terms, made at once for all columns of a tile, are all that the second-level cache holds beside
 * what streams through it: results that each step adds to would come from further away. Where memory is far, fewer
 * steps are better still. */
static bool leaves_results_no_room(int64_t terms, const target_facts *target) {
  uint64_t panels = (uint64_t)terms * (uint64_t)host_policy.columns * sizeof(float);
  return !target->has_far_memory && panels <= target->l2_bytes / 2 && panels > target->l2_bytes / 4;
}

/* A product of f32 alone with many rows, of which one panel has all terms while it takes half of the second-level
 * cache. Where the last cache is near, to read the rows from there for each panel costs less than to add to results in
 * steps. Rows are whole tiles of a known number, as open ones may be few; columns are many, or at most a tile's. */
static bool takes_lone_panels(const product *p) {
  int64_t least = register_plan_panel_columns(p->target);
  if (p->structure->num_loops != 3 || !p->is_wide || !p->is_alone)
    return false;
  for (unsigned loop = 0; loop < 3; loop++) {
    int64_t extent = p->extents[loop];
    if (ir_loop_is_reduction(p->structure, loop)) {
      if (extent <= register_plan_longest_panel(p->target) || extent > register_plan_lone_panel(p->target))
        return false;
    } else if (ir_map_find_dim(p->structure->maps[1], loop) < 0) {
      if (extent < SHARED_ROWS || (extent > LONE_ROWS && extent % LONE_ROWS))
        return false;
    } else if (extent == IR_DYNAMIC ? register_plan_bound(p->op, loop) > least
                                    : extent < least || (extent > least && extent < LONE_COLUMNS))
      return false;
  }
  return true;
}

/* The columns of a tile that makes one panel of all terms after the other, and asks for the next one's memory while it
 * uses the one at hand (register_ask.c); 0: it does not. The other factor is so large, and the rows are so few, that to
 * bring it from the last cache takes long; fewer terms have panels for many columns at once. Tiles are wide, as far as
 * threads allow, since nobody asks for the first panel of one. Where the last cache is not near, panels are shorter
 * (128 x 4096 over 512 terms 1.04 times as fast, 300 x 4000 over 600 1.01, 256 x 4096 over 512 on two threads 1.035; of
 * 768 to 1024 terms they would take 1.01 to 1.03 times as long, of 2048 1.25; Zen 4). */
static int64_t columns_in_turn(const product *p) {
  int64_t rows = 1, columns = 1, terms = 1, longest = register_plan_longest_panel(p->target);
  if (target_has_loads_to_spare(p->target))
    longest /= TURN_LONGEST;
  if (!target_has_near_memory(p->target) || p->structure->num_loops != 3 || !p->is_wide || !p->is_alone)
    return 0;
  for (unsigned loop = 0; loop < 3; loop++) {
    int side = ir_loop_side(p->structure, loop);
    int64_t *count = side < 0 ? &terms : side ? &columns : &rows;
    if (p->extents[loop] == IR_DYNAMIC || __builtin_mul_overflow(*count, p->extents[loop], count))
      return 0;
  }
  if (rows < TURN_ROWS || rows > SHARED_ROWS || terms < TURN_TERMS || terms > longest ||
      columns < tile_trip_count(TURN_SHARE * (int64_t)p->target->l2_bytes, terms * (int64_t)sizeof(float)))
    return 0;
  int64_t width = TURN_COLUMNS, wanted = (int64_t)p->target->threads * TILE_BATCH_ITERATIONS;
  while (width > TURN_COLUMNS / 2 && tile_trip_count(columns, width) < wanted)
    width /= 2;
  return tile_trip_count(columns, width) < wanted ? 0 : width;
}

/* As many terms as make steps alike, and no more than `most`. */
static int64_t even_step(int64_t extent, int64_t most) {
  int64_t steps = tile_trip_count(extent, most), step = tile_trip_count(extent, steps);
  return extent % steps || step % 2 ? step + TILE_MIN_ROWS - step % TILE_MIN_ROWS : step;
}

/* Another op goes on with the result, while it is in registers where there is one step alone. */
static bool has_reader(const product *p) {
  for (const ir_use *use = ir_result(p->op, 0)->uses; use; use = use->next)
    if (ir_op_has(use->user, IR_STRUCTURED))
      return true;
  return false;
}

/* Rows that pay for making panels all at once: of those that turn a factor it takes twice as many (256 x W^T of 4096 x
 * 512 would take 1.04 times as long, Zen 1; 1024 x W^T of 1024 x 1024 1.05 times, Zen 3). */
static int64_t least_blocked_rows(const product *p) {
  return (is_turned(p, 1) ? 2 : 1) * (p->target->fills_last_cache ? SHARED_ROWS : REGISTER_BLOCKED_ROWS);
}

/* The terms of a step of a product of f32 alone whose rows meet panels block by block (register_plan.c), as the last
 * cache is slow, or rows are copied, too; 0: it is not large, or may be larger than is known. */
static int64_t blocked_terms(const product *p) {
  int64_t terms = 0, most = register_plan_blocked_terms(p->target);
  int64_t least_rows = least_blocked_rows(p);
  int64_t least_columns = p->target->fills_last_cache ? REGISTER_PANELED_COLUMNS : BLOCKED_COLUMNS;
  if (p->structure->num_loops != 3 || !p->is_wide || !p->is_alone || p->ready >= 0)
    return 0;
  for (unsigned loop = 0; loop < 3; loop++) {
    bool is_term = ir_loop_is_reduction(p->structure, loop), is_row = ir_loop_side(p->structure, loop) == 0;
    int64_t bound = register_plan_bound(p->op, loop);
    if (bound == INT64_MAX || bound < (is_term ? BLOCKED_TERMS : is_row ? least_rows : least_columns))
      return 0;
    terms = is_term ? p->extents[loop] : terms;
  }
  return !most || terms == IR_DYNAMIC || (terms > most && has_reader(p)) ? 0 : even_step(terms, most);
}

/* The columns of a tile then, whole panels. Of an open number there are many; half of the largest one can be
 * rounded. */
static int64_t blocked_columns(const product *p) {
  int64_t width = register_plan_panel_columns(p->target);
  int64_t panels = register_plan_blocked_bytes(p->target) / (p->blocked * width * (int64_t)sizeof(float));
  int64_t all = tile_trip_count(uses_of_factor(p, 0, INT64_MAX / 2), width);
  return width * tile_trip_count(all, tile_trip_count(all, panels));
}

/* The same tile where rows are copied into panels as well: rows pay for the panels of columns and columns for those of
 * rows, so threads share both. No rows: too few are left. */
static product_tile shared_block(const product *p) {
  int64_t rows = uses_of_factor(p, 1, INT64_MAX / 2), columns = uses_of_factor(p, 0, INT64_MAX / 2);
  int64_t width = register_plan_panel_columns(p->target), threads = p->target->threads;
  int64_t wanted = threads > 1 ? threads * TILE_BATCH_ITERATIONS : 1;
  product_tile tile = {
      .rows = rows < STEPPED_ROWS ? rows : STEPPED_ROWS, .columns = blocked_columns(p), .is_shared = true};
  for (;;) {
    int64_t tiles = tile_trip_count(rows, tile.rows) * tile_trip_count(columns, tile.columns);
    int64_t *more = tile.rows >= tile.columns ? &tile.rows : &tile.columns;
    int64_t half = tile_trip_count(*more / 2, width) * width;
    int64_t least = more == &tile.rows ? least_blocked_rows(p) : SHARED_ROWS;
    if (tiles >= wanted || (tiles >= threads && half < least))
      return tile;
    if (half < least)
      return (product_tile){.rows = 0};
    *more = half;
  }
}

/* The tile of blocks of rows; no rows: it has none. */
static product_tile block_tile(const product *p) {
  if (!p->blocked)
    return (product_tile){.rows = 0};
  if (p->target->fills_last_cache)
    return shared_block(p);
  return (product_tile){
      .rows = uses_of_factor(p, 1, STEPPED_ROWS), .columns = blocked_columns(p), .keeps_columns = true};
}

/* Rows meet the panels of all columns of a tile in turn, as register_plan.c has it: these are made of a factor that has
 * many columns, with lanes along them. */
static bool puts_rows_outside(const product *p) {
  for (unsigned i = 0; target_has_loads_to_spare(p->target) && p->is_wide && i < 2; i++) {
    const ir_type *type = whole_factor(p, i)->type;
    if (type->rank && !is_turned(p, i) && type->shape[type->rank - 1] >= LONE_COLUMNS &&
        uses_of_factor(p, i, MANY_USES) == MANY_USES)
      return true;
  }
  return false;
}

/* The terms of a panel at most; where it is one of several for rows to meet in turn, these leave as much of the
 * second-level cache to the next ones. Of pairs that are ready, which are half as wide, twice as many (4096 x 4096
 * constants of bf16 1.04 to 1.1 times as fast for 8 to 32 rows; Zen 4). */
static int64_t longest_panel(const product *p) {
  bool has_pairs = p->ready >= 0 && register_plan_has_pairs(p->op, p->target);
  return puts_rows_outside(p) ? register_plan_panel_bytes(p->target) / (host_policy.columns * (int64_t)sizeof(float))
                              : (has_pairs ? 2 : 1) * register_plan_longest_panel(p->target);
}

/* A few rows are the lanes of a factor, and the other one lies along terms, to be read where it is. */
static bool has_rows_in_lanes(const product *p) {
  for (unsigned i = 0; p->is_wide && i < 2; i++)
    if (is_turned(p, i) && !is_turned(p, 1 - i) && uses_of_factor(p, i, SOME_USES + 1) <= SOME_USES)
      return true;
  return false;
}

/* Register tiles take the few rows of a factor beside those of the other one, along all terms: there is nothing to keep
 * in a cache for others, and the longer the piece of a row the faster memory brings it (one row of x W^T in f32 1.12 to
 * 1.37 times as fast as with 2048 terms at a time, in bf16 2.5 to 3 times as with 256; 2 to 8 rows 1.1 to 1.5 times;
 * Zen 1). */
static bool takes_beside(const product *p, unsigned loop) {
  int64_t terms = p->extents[loop] == IR_DYNAMIC ? FOLLOWED_TERMS : p->extents[loop];
  return p->structure->num_loops == 3 && p->made < 0 && p->ready < 0 && is_turned(p, 0) && is_turned(p, 1) &&
         register_plan_takes_beside(least_uses(p, SOME_USES), terms, p->target);
}

/* One row of 16 bits takes all terms of x W^T at a time as well, where W comes from memory, which brings long rows
 * faster than pieces of many (4096 x 4096 to 8192 x 8192 of bf16 1.15 to 1.45, of f16 1.4 to 1.6 times as fast; of bf16
 * that a cache holds .65 to .85; Zen 4). */
static bool takes_whole_row(const product *p) {
  if (!target_has_loads_to_spare(p->target) || p->structure->num_loops != 3 || !is_turned(p, 0) || !is_turned(p, 1))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *factor = ir_operand(p->op, i);
    if (is_narrow(p, i) && uses_of_factor(p, i, 2) == 1 && !tile_maker(p->op, factor))
      return view_root_bytes(factor) >= (int64_t)p->target->l3_bytes;
  }
  return false;
}

/* Elements of a factor that are used no more often are copied into panels in parts of rows: any whose rows are crowded,
 * if it comes from memory and the last cache holds the panels (48 to 128 rows of 4096 x 4096 1.06 to 1.1 times as fast,
 * of 1024 x 1024 no faster, of 3072 x 768 .93, of 4000 x 4000 .96 to 1.1; on two threads .9; Zen 3). */
static int64_t most_parted_uses(const product *p, unsigned factor) {
  return is_crowded(p, factor) && register_plan_copies_from_memory(ir_operand(p->op, factor), p->target) ? MANY_USES - 1
                                                                                                         : SOME_USES;
}

/* Those panels are many, for long parts of rows that are crowded, or for short ones, which follow each other closely (9
 * to 32 rows of 4096 x 4096 and 5120 x 5120 1.2 to 1.4 times as fast, of 4000 x 4000 .7 to .85; 16 of 512 x 2048 and
 * 768 x 3072 1.2, of longer ones that the last cache holds, 1024 x 1024 to 3072 x 768, .75 to 1.15; Zen 3). */
static bool has_long_parts(const product *p) {
  unsigned factor = (unsigned)p->parted;
  int64_t bytes = bytes_of_row(p, factor);
  return p->target->fills_last_cache && bytes != IR_DYNAMIC &&
         (is_near(p, factor) ? bytes < TARGET_PAGE_BYTES : is_crowded(p, factor));
}

/* The step and the columns of a tile where such a factor is copied. */
static int64_t part_terms(const product *p) {
  bool is_often = uses_of_factor(p, (unsigned)p->parted, SOME_USES + 1) > SOME_USES;
  return has_long_parts(p) ? (is_often ? 2 : 1) * LONG_PART_TERMS : PART_TERMS;
}

static int64_t part_columns(const product *p) {
  return has_long_parts(p) ? LONG_PART_COLUMNS * LONG_PART_TERMS / part_terms(p) : PART_COLUMNS;
}

/* Small tiles copy a factor into panels for few rows. To bring the next piece of it takes as long as to use one, or
 * longer, and each part of a row that is in another page takes time of its own: pieces have few of them (16 x 4096 x
 * 4096 1.4 times as fast as with parts of 128 columns, 10 and 32 rows 1.4 to 1.5, 16 x 11008 x 4096 1.8, 32 x 3072 x
 * 768 3.3 times; 64 rows as fast; Zen 1). Returns that factor, or -1. */
static int parted_factor(const product *p) {
  for (unsigned i = 0; target_has_small_tiles(p->target) && p->is_wide && p->streamed < 0 && p->made < 0 && i < 2; i++)
    if ((int)i != p->ready && !is_turned(p, i) && uses_of_factor(p, i, MANY_USES) <= most_parted_uses(p, i))
      return (int)i;
  return -1;
}

/* The few rows that meet a stream of panels take all terms of one at a time, where the second-level cache keeps them
 * from panel to panel (4096 x 4096 constants 1.04 to 1.08 times as fast for 2 to 4 rows as in two steps, as fast for
 * 5, .97 and .8 times for 6 and 7; Zen 4). */
static bool takes_whole_panels(const product *p, int64_t terms) {
  if (p->ready < 0 || terms == IR_DYNAMIC || !register_plan_streams_panels(p->op, (unsigned)p->ready, p->target))
    return false;
  int64_t rows = uses_of_factor(p, (unsigned)p->ready, WHOLE_ROWS + 1);
  return rows <= WHOLE_ROWS && terms <= (int64_t)p->target->l2_bytes / WHOLE_SHARE / (rows * (int64_t)sizeof(float));
}

/* The step of panels that are ready, which none is of terms that are left over (register_constant.c): the longest
 * that divides the terms and is no less than half of `most`, or steps that are nearly alike (constants of 11008
 * terms 2.3 times as fast for 8 rows, 1.75 for 16, 1.2 for 64, 1.09 for 256; Zen 4). */
static int64_t ready_step(int64_t terms, int64_t most) {
  int64_t least = tile_trip_count(terms, most);
  for (int64_t steps = least; steps <= 2 * least; steps++)
    if (terms % steps == 0 && (terms / steps % 2 == 0 || terms % 2)) /* whole pairs */
      return terms / steps;
  return even_step(terms, most);
}

/* The step of the reduction where nothing is streamed; 0: it is not long. Where a factor is used often enough to pay
 * for being copied into panels, the longest that a panel can be is best, as sums that stay in registers until they are
 * complete cost neither reads nor writes of the result. Steps are alike, so that the last one is no special case. */
static int64_t panel_step(const product *p, unsigned loop) {
  int64_t extent = p->extents[loop], least = MANY_USES;
  bool often = p->ready >= 0, turned = false, near = false;
  if (p->in_turn || takes_whole_panels(p, extent))
    return 0;
  if (p->blocked)
    return extent > p->blocked ? p->blocked : 0;
  if (p->in_unit)
    return extent == IR_DYNAMIC || extent > UNIT_TERMS ? UNIT_TERMS : 0;
  if (p->parted >= 0)
    return extent == IR_DYNAMIC || extent >= host_policy.long_reduction ? part_terms(p) : 0;
  for (unsigned i = 0; i < 2; i++) {
    int64_t uses = uses_of_factor(p, i, MANY_USES);
    often |= uses == MANY_USES;
    turned = uses < least ? is_turned(p, i) : turned;
    near = uses < least ? is_near(p, i) : near;
    least = uses < least ? uses : least;
  }
  if (!often && extent != IR_DYNAMIC && extent < host_policy.long_reduction)
    return 0;
  if (!often && turned && least == 1 && p->is_wide &&
      (p->target->loses_requests || p->target->has_far_memory || (target_asks_by_line(p->target) && !near)))
    return FOLLOWED_TERMS;
  if (!often && has_rows_in_lanes(p) && p->target->loses_requests) /* none has panels */
    return extent != IR_DYNAMIC && extent <= longest_panel(p) ? 0 : longest_panel(p);
  if (!often)
    return p->target->loses_requests && p->is_wide && least >= (turned ? TURNED_USES : PANEL_USES)
               ? ASKED_REDUCTION
               : host_policy.reduction;
  int64_t longest = longest_panel(p);
  if (extent == IR_DYNAMIC || extent <= longest || takes_lone_panels(p))
    return extent == IR_DYNAMIC ? longest : 0;
  bool is_halved = p->is_alone && least >= host_policy.columns && leaves_results_no_room(longest, p->target);
  int64_t most = is_halved ? longest / 2 : longest;
  return p->ready >= 0 ? ready_step(extent, most) : even_step(extent, most);
}

/* The step of a product of f32 alone whose tiles ask for the next one's rows and results, where the last cache is near;
 * 0: it is no such product, or has no steps, or an open extent, which may be small. */
static int64_t asking_step(const product *p) {
  int last = ir_last_reduction(p->structure);
  if (!target_has_near_last_cache(p->target) || !p->is_wide || !p->is_alone || last < 0)
    return 0;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (p->extents[loop] == IR_DYNAMIC)
      return 0;
  return panel_step(p, (unsigned)last);
}

/* Such a product of many rows with so few columns that one tile has them all: in two, each would leave its results in
 * half of the sets of the second-level cache, as rows of the result are short (2048 x 256 over 4096 terms 1.5x, Zen
 * 5). */
static bool takes_all_columns(const product *p, unsigned rows_side) {
  int64_t most = 2 * host_policy.columns;
  return uses_of_factor(p, rows_side, most + 1) <= most && uses_of_factor(p, 1 - rows_side, MANY_USES) == MANY_USES;
}

/* The iterations of the last loop over terms. */
static int64_t extent_of_terms(const product *p) {
  int last = ir_last_reduction(p->structure);
  return last < 0 ? 1 : p->extents[last];
}

/* A product of f32 alone of so many rows, columns and steps that its tiles, with twice the columns, save more by
 * reading rows half as often than they lose by panels that take half of the second-level cache (4096^3 1.03 to 1.04
 * times as fast, 1024 x 4096 x 4096 1.025, 2048^3 1.005 to 1.015; 4096 x 4096 over 1024 terms would take 1.01 times as
 * long, 256 x 4096 over 512 1.03; Zen 4). */
static bool takes_wide_tiles(const product *p, unsigned rows_side) {
  return target_has_loads_to_spare(p->target) && p->is_wide && p->is_alone && p->ready < 0 &&
         extent_of_terms(p) >= WIDE_TERMS && uses_of_factor(p, rows_side, SHARED_ROWS) == SHARED_ROWS &&
         uses_of_factor(p, 1 - rows_side, SHARED_ROWS) == SHARED_ROWS;
}

/* The columns of a tile of a long product of f32 whose panels are asked for (register_ask.c): so few that its panels
 * stay in the first cache. Where panels turn a factor they are fewer still, as less is then read from many places at
 * once, unless so many rows meet them that these would not stay there. Other products have `most`, and those of which
 * fewer would leave a part over, which is read in place: a factor that the last cache holds had better be, where just a
 * few rows meet it and `most` leaves a part over. */
static int64_t columns_nearby(const product *p, unsigned rows_side, int64_t most) {
  bool turned = is_turned(p, 1 - rows_side);
  int64_t terms = extent_of_terms(p), columns = IR_DYNAMIC, fewest = most / 4;
  int64_t rows = uses_of_factor(p, 1 - rows_side, MANY_USES);
  for (unsigned dim = 0; dim < p->structure->maps[2]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(p->structure->maps[2], dim);
    if (ir_map_find_dim(p->structure->maps[rows_side], loop) < 0)
      columns = p->extents[loop];
  }
  if (!p->target->loses_requests || !p->is_wide || columns == IR_DYNAMIC || rows == MANY_USES ||
      rows < (turned ? TURNED_PANEL_USES : PANEL_USES) || (terms != IR_DYNAMIC && terms < host_policy.long_reduction))
    return most;
  bool stays = (uint64_t)((rows + fewest) * ASKED_REDUCTION) * sizeof(float) <= p->target->l1_bytes;
  int64_t fewer = turned && stays ? fewest : most / 2;
  return columns % (!turned && is_near(p, 1 - rows_side) && rows <= SOME_USES ? most : fewer) ? most : fewer;
}

/* Each step copies a panel of one factor, which more rows pay for as long as their part of the other factor, which is
 * read again for each panel, takes half of the last cache (of a quarter, 2048^3 would take 1.03 to 1.05 times as long,
 * Zen 1); a quarter where it is made in the same place, as each thread has one of its own then. What is asked for is of
 * one step alone, `step`; 0: nothing is. */
static int64_t rows_of_panels(const product *p, unsigned rows_side, int64_t step, bool is_lone, bool has_all_columns) {
  int64_t rows = host_policy.rows;
  int64_t depth = is_lone ? register_plan_lone_panel(p->target) : step ? step : register_plan_longest_panel(p->target);
  int64_t asking = step && !has_all_columns ? uses_of_factor(p, 1 - rows_side, STEPPED_ROWS) : 0;
  int64_t most = is_lone ? LONE_ROWS : asking > SHARED_ROWS ? asking : SHARED_ROWS;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (ir_loop_is_reduction(p->structure, loop) && p->extents[loop] != IR_DYNAMIC && p->extents[loop] < depth)
      depth = p->extents[loop];
  while (rows < most && (uint64_t)(2 * rows * depth) * sizeof(float) <= p->target->l3_bytes / (p->is_alone ? 2 : 4))
    rows *= 2;
  return rows;
}

/* ----------------------------------------------------------------------------------------------------------- choice */

/* What is known before anything is chosen. */
static product outline_of(const ir_op *op, const target_facts *target) {
  product p = {.op = op, .structure = ir_structure_of(op), .target = target};
  ir_loop_extents(op, p.extents);
  return p;
}

static product product_of(const ir_op *op, const target_facts *target) {
  product p = outline_of(op, target);
  p.is_alone = !tile_maker(op, ir_operand(op, 0)) && !tile_maker(op, ir_operand(op, 1));
  p.is_wide = !is_narrow(&p, 0) && !is_narrow(&p, 1);
  p.ready = ready_factor(&p);
  p.streamed = streamed_factor(&p, &p.piece);
  p.made = p.streamed < 0 ? made_factor(&p) : -1;
  p.parted = parted_factor(&p);
  p.in_turn = columns_in_turn(&p);
  p.blocked = p.streamed < 0 && p.made < 0 && p.parted < 0 ? blocked_terms(&p) : 0;
  p.in_unit = p.streamed < 0 && p.made < 0 &&
              target_has_unit_for(target, ir_operand(op, 0)->type->element, ir_operand(op, 1)->type->element,
                                  least_uses(&p, TARGET_TILE_ROWS));
  return p;
}

product_tile product_tile_of(const ir_op *op, unsigned rows_side, const target_facts *target) {
  product p = product_of(op, target);
  int64_t step = asking_step(&p);
  bool is_lone = takes_lone_panels(&p), has_all_columns = step && takes_all_columns(&p, rows_side);
  bool has_unit = p.in_unit && least_uses(&p, UNIT_ROWS) == UNIT_ROWS;
  bool is_wide = takes_wide_tiles(&p, rows_side);
  product_tile tile = block_tile(&p);
  if (tile.rows)
    return tile;
  tile = (product_tile){.rows = rows_of_panels(&p, rows_side, step, is_lone, has_all_columns),
                        .columns = is_lone                      ? register_plan_panel_columns(target)
                                   : has_all_columns || is_wide ? 2 * host_policy.columns
                                   : p.in_turn                  ? p.in_turn
                                   : has_unit                   ? UNIT_COLUMNS
                                                                : host_policy.columns,
                        .keeps_columns = is_lone || has_all_columns || p.in_turn,
                        .is_streamed = p.streamed >= 0 || p.parted >= 0};
  int factor = p.streamed >= 0 ? p.streamed : p.made >= 0 ? p.made : p.parted; /* which is read along its rows */
  if (factor >= 0)
    *(factor == (int)rows_side ? &tile.rows : &tile.columns) = p.streamed >= 0 ? streamed_columns(&p)
                                                               : p.made >= 0   ? MADE_COLUMNS
                                                                               : part_columns(&p);
  if (tile.columns == host_policy.columns)
    tile.columns = columns_nearby(&p, rows_side, tile.columns);
  return tile;
}

int64_t product_tile_step(const ir_op *op, unsigned loop, const target_facts *target) {
  product p = product_of(op, target);
  if (takes_beside(&p, loop) || takes_whole_row(&p))
    return 0;
  if (p.streamed < 0 && p.made < 0)
    return panel_step(&p, loop);
  int64_t step = p.made >= 0 ? made_step(&p) : streamed_step(&p);
  return p.extents[loop] > step || p.extents[loop] == IR_DYNAMIC ? step : 0;
}

bool product_is_made_in_registers(const ir_op *op, unsigned factor, const target_facts *target) {
  product p = outline_of(op, target);
  return is_made_in_registers(&p, factor);
}

ir_value *product_source(const ir_op *op, unsigned factor, const target_facts *target) {
  product p = outline_of(op, target);
  return source_of(&p, factor);
}
