/* register_in_place.c - when a register tile reads an operand where it lies, rather than through a panel, and what such
 * a tile is like.
 *
 * Rows that are too few to pay for a copy read the other factor once, from memory, so what the machine does with that
 * stream decides: how far apart its pieces lie, whether it follows them by itself, whether tiles ask for them. All here
 * is about speed only. Terminates: loops over the op's loops and subscripts. */
#include "passes/memory.h"
#include "passes/register_planner.h"
#include "passes/register_prefetch.h"

/* Rows that pay for packing a strided operand that all of them use where each would widen it, or pair its terms; and
 * where a few widen it together, or pair its terms, which twelve do in one tile. */
enum { MIN_WIDENED_ROWS = 4, MIN_ROWS_APART = 12, MIN_PAIRS_APART = 13 };
/* MIN_REUSE where the rows of the operand are short, as keys and values are. */
enum { MIN_REUSE_OF_SHORT = 12 };
/* Rows that pay for reading panels that cost nothing, in the order of memory (by 4096 x 4096 of f32 1 row as fast, 2
 * 1.1 to 1.2, 3 1.5, 4 1.7, 5 to 7 1.3 to 1.75 times as fast as in place, 1 of a layer that the last cache holds 1.3
 * times, 1 of bf16 1.5 to 1.8 and of f16 1 to 1.7 times, Zen 4; AVX2 code there: 1 row 1.0 to 1.2, 2 1.35 and 3 1.8
 * times, but 1 that is widened .8 to 1.1 times), and where the last cache is slow (4 1.55, 3 .6 times, Zen 1). */
enum { READY_ROWS = 1, READY_ROWS_OF_WIDENED = 2, READY_ROWS_OF_SLOW_CACHE = 4 };
/* So few rows widen what they read of such panels rather than that each call makes others of it (4096 x 4096 constants
 * of f16 for 2 to 4 rows 1.05 to 1.25, 5 to 48 1.03 to 1.15, 64 .95 times as fast; of AVX2 code there 2 to 12 rows 1.05
 * to 2.7, 16 to 64 1.1 to 1.6, 96 .99 to 1.05 times; Zen 4). */
enum { WIDENING_ROWS = 48, WIDENING_ROWS_OF_SMALL_TILES = 96 };
/* Registers that a few rows read of a panel at once at most: more of them LLVM loads in an order that the machine does
 * not follow (2 rows 1.1 times as fast as with eight, Zen 4). */
enum { MIN_STREAM_VECTORS = 2, MAX_STREAM_VECTORS = 4 };
/* Rows of a register tile at most where such tiles ask for what they read in place. */
enum { MAX_ASKING_ROWS = 12 };
/* Terms that one row takes at a time from memory that the machine follows, and rows that do where it is asked. */
enum { MAX_FOLLOWED = 32, MAX_NARROW_ROWS = 3 };
/* Rows this far apart lie on pages of their own and meet in few sets of the first-level cache. */
enum { FAR_BYTES = 2048 };

/* How many bytes apart the operand's rows begin along the reduction that its subscript is, and that loop; IR_DYNAMIC
 * when not known, 0 where it is none. */
static int64_t row_distance(const planner *p, unsigned operand, unsigned subscript, unsigned *loop) {
  const ir_type *type = ir_operand(p->op, operand)->type;
  int dim = ir_map_result_dim(p->structure->maps[operand], subscript);
  if (dim < 0 || !is_reduction(p, (unsigned)dim))
    return 0;
  *loop = (unsigned)dim;
  int64_t stride = ir_type_stride(type, subscript);
  return stride == IR_DYNAMIC ? IR_DYNAMIC : stride * ir_scalar_bytes(type->element);
}

/* The operand's rows along the reductions begin so many bytes or more apart. */
static bool are_rows_apart(const planner *p, unsigned operand, int64_t bytes) {
  for (unsigned i = 0, loop = 0; i < p->structure->maps[operand]->num_results; i++) {
    int64_t apart = row_distance(p, operand, i, &loop);
    if ((apart == IR_DYNAMIC || (apart && apart >= bytes)) && guess(p, loop) >= MIN_REUSE)
      return true;
  }
  return false;
}

bool planner_is_scattered(const planner *p, unsigned operand) { return are_rows_apart(p, operand, FAR_BYTES); }

bool planner_are_rows_crowded(const planner *p, unsigned operand, int64_t least) {
  int64_t lines = target_lines_of_set(p->facts);
  for (unsigned i = 0, loop = 0; i < p->structure->maps[operand]->num_results; i++) {
    int64_t bytes = row_distance(p, operand, i, &loop);
    int64_t apart = bytes > 0 ? bytes & -bytes : 0;
    if (apart >= least && guess(p, loop) >= TARGET_PAGE_BYTES / smaller(apart, TARGET_PAGE_BYTES) * lines)
      return true;
  }
  return false;
}

bool planner_is_widened(const planner *p, unsigned operand) {
  return operand < p->num_inputs && ir_type_is_shaped(ir_operand(p->op, operand)->type) &&
         register_plan_element(p->op, operand, p->facts) != ir_operand(p->op, operand)->type->element;
}

/* Rows that pay for packing an operand that is not widened. Its own rows are short where a quarter of the registers
 * holds one: several of them lie in the nearest cache. */
static int64_t rows_for_reuse(const ir_value *operand, int64_t lanes, unsigned registers) {
  const ir_type *type = operand->type;
  int64_t row = type->rank ? type->shape[type->rank - 1] : 1;
  return row != IR_DYNAMIC && row <= lanes * (int64_t)registers / 4 ? MIN_REUSE_OF_SHORT : MIN_REUSE;
}

/* An open number of iterations use each element of the operand. */
static bool has_open_uses(const planner *p, unsigned operand) {
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (p->extents[loop] == IR_DYNAMIC && !operand_uses(p, operand, loop))
      return true;
  return false;
}

bool planner_is_asked_by_tile(const planner *p, unsigned operand) {
  return p->facts->loses_requests && !has_open_uses(p, operand) && planner_is_scattered(p, operand) &&
         !planner_is_widened(p, operand);
}

bool planner_has_pairs(const planner *p) {
  bool pairs = p->facts->has_fast_pair_dot && ir_init(p->op, 0)->type->element == IR_F32;
  for (unsigned i = 0; i < p->num_inputs; i++)
    pairs &= ir_operand(p->op, i)->type->element == IR_BF16 && register_plan_element(p->op, i, p->facts) == IR_F32;
  return pairs;
}

bool register_plan_has_bytes(const ir_op *op, const target_facts *facts) {
  bool bytes = facts->integer_terms && ir_is_contraction(op) && ir_init(op, 0)->type->element == IR_I32;
  for (unsigned i = 0; bytes && i < 2; i++) {
    const ir_value *argument = ir_region(op, 0)->args[i];
    bytes = argument->type->element == IR_I8 && ir_value_has_one_use(argument) &&
            argument->uses->user->code == OP_ARITH_EXTSI && ir_result(argument->uses->user, 0)->type->element == IR_I32;
  }
  return bytes;
}

int64_t planner_terms_at_once(const planner *p) {
  return planner_has_pairs(p) ? 2 : register_plan_has_bytes(p->op, p->facts) ? p->facts->integer_terms : 1;
}

bool planner_pairs_terms(const planner *p, unsigned term, unsigned lanes) {
  int64_t at_once = planner_terms_at_once(p);
  bool as_they_are = planner_has_pairs(p) || at_once == TARGET_BYTES;
  return as_they_are && p->structure->reductions == ir_bit(term) && p->extents[term] != IR_DYNAMIC &&
         p->extents[term] % at_once == 0 && access_along(p, 1 - lanes, term) == ACCESS_UNIT;
}

/* The operand is of f32, or so few rows, or an open number, read its panels that each may widen their elements. */
static bool is_read_as_f32(const planner *p, unsigned operand) {
  int64_t most = target_has_small_tiles(p->facts)      ? WIDENING_ROWS_OF_SMALL_TILES
                 : target_has_loads_to_spare(p->facts) ? WIDENING_ROWS
                                                       : 0;
  return register_plan_element(p->op, operand, p->facts) == IR_F32 &&
         (!planner_is_widened(p, operand) || (most && has_open_uses(p, operand)) ||
          register_prefetch_uses(p->op, operand, 1) <= most);
}

bool planner_is_ready(const planner *p, unsigned operand) {
  const ir_op *op = p->op;
  if (!ir_is_contraction(op) || operand > 1 || !memory_own_constant(ir_operand(op, operand)))
    return false;
  bool becomes_versions = op->num_results && !target_streams_panels_for_any(p->facts); /* which are more readers */
  bool goes = is_read_as_f32(p, operand);
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    bool is_term = is_reduction(p, loop), is_column = ir_loop_side(p->structure, loop) == (int)operand;
    if (p->extents[loop] == IR_DYNAMIC && !is_column && (becomes_versions || is_term))
      return false;
    goes |= is_term && planner_pairs_terms(p, loop, operand);
  }
  return goes;
}

/* Fewer rows than pay for a copy read panels that are ready, whose columns fill lanes (of 8 columns 4 rows would take
 * twice as long as in place). */
static bool reads_panels_for_few(const planner *p, unsigned operand) {
  bool has_columns = false;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    has_columns |= operand_uses(p, operand, loop) && !is_reduction(p, loop) && guess(p, loop) >= p->lanes;
  return has_columns && target_streams_panels(p->facts) && planner_is_ready(p, operand);
}

/* As wide as leaves room for all rows beside an element of the other factor; the pipes need no more. */
int64_t planner_vectors_of_stream(const planner *p, int64_t rows) {
  int64_t vectors = MAX_STREAM_VECTORS;
  while (vectors > 1 && (rows + 1) * vectors >= p->registers)
    vectors /= 2;
  return vectors;
}

bool planner_streams_panels(const planner *p, unsigned operand) {
  int64_t rows = register_prefetch_uses(p->op, operand, 1);
  return rows < MIN_REUSE && rows >= planner_rows_for_packing(p, operand) && reads_panels_for_few(p, operand) &&
         planner_vectors_of_stream(p, rows) >= MIN_STREAM_VECTORS;
}

/* So few terms that to add up lanes takes longer than to put words of several columns together. */
enum { FEW_TERMS = 64 };

static bool has_few_terms(const planner *p) {
  int64_t terms = ir_loop_size(p->op, (unsigned)ir_last_reduction(p->structure));
  return terms != IR_DYNAMIC && terms <= FEW_TERMS;
}

int64_t planner_rows_for_packing(const planner *p, unsigned operand) {
  if (planner_is_asked_by_tile(p, operand))
    return REGISTER_STREAM_ROWS + 1;
  if (reads_panels_for_few(p, operand))
    return p->facts->has_slow_last_cache                                        ? READY_ROWS_OF_SLOW_CACHE
           : target_has_small_tiles(p->facts) && planner_is_widened(p, operand) ? READY_ROWS_OF_WIDENED
                                                                                : READY_ROWS;
  if (planner_terms_at_once(p) == TARGET_BYTES)
    return has_few_terms(p) ? 1 : REGISTER_BYTE_ROWS;
  if (!planner_is_widened(p, operand))
    return rows_for_reuse(ir_operand(p->op, operand), p->lanes, p->registers);
  bool goes_in_pairs = p->facts->has_fast_pair_dot && ir_operand(p->op, operand)->type->element == IR_BF16;
  return !target_has_near_memory(p->facts) ? MIN_WIDENED_ROWS : goes_in_pairs ? MIN_PAIRS_APART : MIN_ROWS_APART;
}

bool planner_reads_in_place(const planner *p, unsigned simd, int64_t rows) {
  return ir_is_contraction(p->op) && !is_reduction(p, simd) && rows > 1 &&
         rows < planner_rows_for_packing(p, operand_uses(p, 1, simd));
}

/* Fewer where their number is open and each tile widens the other factor, as what is left over is tiles of half as many
 * each. */
int64_t planner_rows_in_place(const planner *p, unsigned simd, unsigned row) {
  bool is_cut = p->extents[row] == IR_DYNAMIC && planner_is_widened(p, operand_uses(p, 1, simd));
  int64_t rows = guess(p, row), tiles = (rows - 1) / MAX_ASKING_ROWS + 1;
  if (planner_is_asked_by_tile(p, operand_uses(p, 1, simd)))
    return (rows - 1) / tiles + 1;
  return is_cut ? smaller(rows, MAX_ROWS_TOGETHER / 2) : rows;
}

/* In small tiles too many rows to read wide lanes again for meet narrow ones (5 and 6 rows of 4096 x 4096 1.4, 5 to 7
 * queries of 64 features 1.15 times as fast, Zen 1). */
enum { MIN_VECTORS = 2 };

/* So many rows do where one pipe multiplies: fewer wait for memory, which comes faster where whole rows are read (four
 * heads that share values of 128 features .9x, Zen 4). Not so those that read a page of them at a time, which the
 * machine follows by whole rows (five queries of 128 features, all with softmax_tile.c's pieces, 1.3x, Zen 4). */
enum { MIN_ROWS_ONCE = 5 };

/* The operand's rows along the reduction are so few, and so near to each other, that a page has them all. */
static bool is_within_page(const planner *p, unsigned operand) {
  for (unsigned i = 0, loop = 0; i < p->structure->maps[operand]->num_results; i++) {
    int64_t bytes = row_distance(p, operand, i, &loop);
    if (bytes == IR_DYNAMIC || (bytes && guess(p, loop) > (int64_t)TARGET_PAGE_BYTES / bytes))
      return false;
  }
  return true;
}

/* Lanes take less, so that all rows of the other factor are one tile, where each tile would widen it, and where its
 * rows fill as much: what was read before would not be in the nearest cache any more. */
int64_t planner_vectors_in_place(const planner *p, unsigned simd, int64_t rows) {
  unsigned operand = operand_uses(p, 1, simd);
  bool asks = planner_is_asked_by_tile(p, operand);
  int64_t most = p->registers / 4, once = (asks ? p->registers - most : p->registers / 2) / rows;
  int64_t bytes = ir_scalar_bytes(ir_operand(p->op, operand)->type->element);
  if (planner_is_widened(p, operand) && target_has_near_memory(p->facts))
    return smaller(most, (p->registers - most) / rows);
  if (target_has_small_tiles(p->facts) && rows > most)
    return MIN_VECTORS;
  bool are_long = are_rows_apart(p, operand, most * p->lanes * bytes) && !planner_is_widened(p, operand);
  bool are_many = p->facts->loses_requests ||
                  (target_has_near_memory(p->facts) && rows >= MIN_ROWS_ONCE && !is_within_page(p, operand));
  return are_many && are_long && (rows <= most || asks) ? smaller(most, once) : most;
}

/* One row, or up to so many, takes a few terms, as many streams of memory, each of which is read once. */
static bool is_stream(const planner *p, unsigned simd, int64_t most_rows) {
  int64_t terms = 1, rows = 1;
  if (!ir_is_contraction(p->op) || is_reduction(p, simd) || planner_is_widened(p, 0) || planner_is_widened(p, 1))
    return false;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    int64_t bound = register_plan_bound(p->op, loop);
    int64_t *of = is_reduction(p, loop) ? &terms : &rows;
    if (loop == simd)
      continue;
    if (bound < 1 || bound > (of == &terms ? MAX_FOLLOWED : most_rows) / *of)
      return false;
    *of *= bound;
  }
  return true;
}

/* Where requests get lost, the machine follows these best by itself, in narrow tiles. */
static bool is_followed(const planner *p, unsigned simd) { return p->facts->loses_requests && is_stream(p, simd, 1); }

/* Rows of the operand follow each other so closely that one tile can read them whole, as one stream. */
static bool reads_whole_rows(const planner *p, unsigned operand) {
  int64_t tile = (int64_t)p->registers / 4 * p->lanes * ir_scalar_bytes(ir_operand(p->op, operand)->type->element);
  for (unsigned i = 0, loop = 0; i < p->structure->maps[operand]->num_results; i++) {
    int64_t bytes = row_distance(p, operand, i, &loop);
    if (bytes == IR_DYNAMIC || bytes > tile)
      return false;
  }
  return true;
}

/* Nor does a wide tile read several such streams fast where they come from memory and each asks for its next piece: one
 * stands still while the tile moves the others on by many lines (1 row of 4096 x 4096 1.12 to 1.25 times as fast as in
 * sixteen registers, 2 and 3 rows 1.1 to 1.4 times as in eight, 4 as fast either way, Zen 4; 1.1 times as in eight of
 * 256 bits). From the last cache it does, as terms then take the time. Rows that follow each other are best read whole
 * (values of 128 features for two queries 1.4 times as fast, Zen 4). */
bool planner_is_narrow_stream(const planner *p, unsigned simd) {
  unsigned lanes = operand_uses(p, 1, simd);
  bool are_asked_for = target_asks_by_line(p->facts) && !p->facts->loses_requests && !reads_whole_rows(p, lanes);
  return is_followed(p, simd) || (are_asked_for && is_stream(p, simd, MAX_NARROW_ROWS) &&
                                  register_plan_lies_in_memory(ir_operand(p->op, lanes), p->facts));
}

/* Those that are whole pages apart are in one set of the nearest cache, which has no room for more of them until they
 * have been used (16 rows of 4096 f32 1.9 times as fast in eights, Zen 4; in eights instead of twelves 1.12 times as
 * fast, Zen 5). */
int64_t planner_rows_of_set(const planner *p, unsigned simd, unsigned row) {
  unsigned operand = operand_uses(p, 0, simd);
  const ir_type *type = ir_operand(p->op, operand)->type;
  int dim = ir_map_find_dim(p->structure->maps[operand], row);
  if (!ir_is_contraction(p->op) || is_reduction(p, simd) || dim < 0 || planner_is_widened(p, operand))
    return p->registers;
  int64_t stride = ir_type_stride(type, (unsigned)dim);
  bool is_known = stride != IR_DYNAMIC && p->extents[row] != 1;
  bool is_one_set = is_known && stride * ir_scalar_bytes(type->element) % TARGET_PAGE_BYTES == 0;
  return is_one_set ? target_rows_of_set(p->facts) : p->registers;
}

/* -------------------------------------------------------------------------------------------- for other passes */

bool register_plan_has_pairs(const ir_op *op, const target_facts *facts) {
  planner p = planner_of(op, facts);
  return planner_has_pairs(&p);
}

bool register_plan_is_ready(const ir_op *op, unsigned operand, const target_facts *facts) {
  planner p = planner_of(op, facts);
  return planner_is_ready(&p, operand);
}

bool register_plan_is_asked_by_tile(const ir_op *op, unsigned operand, const target_facts *facts) {
  planner p = planner_of(op, facts);
  return planner_is_asked_by_tile(&p, operand);
}

bool register_plan_is_followed(const ir_op *op, unsigned simd, const target_facts *facts) {
  planner p = planner_of(op, facts);
  return is_followed(&p, simd);
}

bool register_plan_streams_panels(const ir_op *op, unsigned operand, const target_facts *facts) {
  planner p = planner_of(op, facts);
  return planner_streams_panels(&p, operand);
}

int64_t register_plan_unpacked_rows(const ir_op *contraction, unsigned factor, const target_facts *facts) {
  planner p = planner_of(contraction, facts);
  int64_t rows = planner_rows_for_packing(&p, factor);
  return (planner_is_widened(&p, 1 - factor) ? smaller(rows, planner_rows_for_packing(&p, 1 - factor)) : rows) - 1;
}
