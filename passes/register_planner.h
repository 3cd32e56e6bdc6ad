/* register_planner.h - what register_plan.c, register_panels.c, register_in_place.c and register_rows.c share: an op
 * and its target as they look at them. */
#ifndef TEC_PASSES_REGISTER_PLANNER_H
#define TEC_PASSES_REGISTER_PLANNER_H
#include "passes/register_plan.h"

/* Rows that pay for packing an operand that is not widened; register tiles, and rows along the reductions, that pay for
 * packing one that could be loaded in place. */
enum { MIN_REUSE = 8 };
/* Registers side by side in a product's tile, where it has rows, at least. */
enum { TILE_VECTORS = 2 };
/* Rows of a product that meet each row of the other factor at once, at most: all their sums end in one register. More
 * rows that do not pay for packing are several tiles. */
enum { MAX_ROWS_TOGETHER = 8 };

typedef enum access_kind { ACCESS_ABSENT, ACCESS_UNIT, ACCESS_STRIDED } access_kind;

typedef struct planner {
  const ir_op *op;
  const ir_structure *structure;
  const target_facts *facts;
  unsigned num_inputs;
  int64_t extents[IR_MAX_LOOPS];
  uint32_t vectorizable; /* loops that may be vector dims .. */
  uint32_t allowed;      /* .. and have more than one iteration */
  int64_t lanes;
  unsigned registers, accumulators;
  int64_t panel_bytes, copy_bytes; /* at most */
} planner;

/* What is known before any loop is chosen; no loop is allowed yet. */
planner planner_of(const ir_op *op, const target_facts *facts);

static inline unsigned vector_bits_of(const target_facts *facts) {
  return facts->vector_bits ? facts->vector_bits : 128;
}

static inline unsigned accumulators_of(const target_facts *facts) {
  return facts->accumulators ? facts->accumulators : 8;
}

/* Registers side by side in the tile of a product that has rows. The nearer to a square the fewer loads serve a
 * multiply-add; but a register of the lanes' factor comes from a panel in the second-level cache, an element of the
 * rows' factor from the first, so there are more rows than registers. */
static inline int64_t vectors_of_chains(int64_t chains) {
  int64_t vectors = TILE_VECTORS;
  while (4 * vectors * vectors < chains)
    vectors *= 2;
  return vectors;
}

static inline bool is_reduction(const planner *p, unsigned loop) { return ir_loop_is_reduction(p->structure, loop); }

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* An extent for comparisons, at least 1: what is not known is taken as its bound, or as large. */
static inline int64_t guess(const planner *p, unsigned loop) {
  enum { LARGE = 1 << 20 };
  int64_t most = p->extents[loop] == IR_DYNAMIC ? smaller(register_plan_bound(p->op, loop), LARGE) : p->extents[loop];
  return most < 1 ? 1 : most;
}

/* Iterations of the loop over rows, or of none (-1). */
static inline int64_t rows_of(const planner *p, int row) { return row < 0 ? 1 : guess(p, (unsigned)row); }

static inline bool operand_uses(const planner *p, unsigned operand, unsigned loop) {
  return ir_map_uses_dim(p->structure->maps[operand], loop);
}

static inline access_kind access_along(const planner *p, unsigned operand, unsigned loop) {
  return !operand_uses(p, operand, loop)                ? ACCESS_ABSENT
         : register_plan_is_dense(p->op, operand, loop) ? ACCESS_UNIT
                                                        : ACCESS_STRIDED;
}

/* The loop may be unrolled as rows beside the SIMD loop. */
static inline bool may_be_row(const planner *p, unsigned loop, unsigned simd) {
  return loop != simd && p->allowed & ir_bit(loop) && !is_reduction(p, loop);
}

/* The largest power of two up to `limit` registers that the extent fills, at least 1. */
static inline int64_t fitting_vectors(int64_t extent, int64_t lanes, int64_t limit) {
  int64_t vectors = 1;
  while (vectors * 2 <= limit && vectors * 2 * lanes <= extent)
    vectors *= 2;
  return vectors;
}

/* --------------------------------------------------------------------------------------------- register_panels.c */

/* What one panel may take: where the last cache is near enough to stream all else from, half of the second one. And
 * what copies of whole operands may. */
int64_t planner_panel_bytes(const target_facts *facts);
int64_t planner_copy_bytes(const target_facts *facts);
/* An input that a row loop uses again may be worth a copy in the order of use, of `width` elements for each iteration
 * of the reductions. */
bool planner_is_worth_packing(const planner *p, unsigned operand, unsigned simd, int64_t width);
/* The operands (bits) to read through panels: those whose elements the rows use again. One that can be loaded in place
 * must be used again by several register tiles, and lie far apart or need widening. */
uint32_t planner_packed(const planner *p, const register_plan *plan, int row);
/* A copy of all of the operand's elements may be made. */
bool planner_copy_fits(const planner *p, unsigned operand);
/* The operands (bits) to widen before all loops: those that are read element by element in each of several SIMD tiles,
 * or by the rows of a wide one, where multiply-adds are what takes the time; and few rows that meet several of the
 * other factor's (register_rows.c) in each tile. */
uint32_t planner_widened(const planner *p, const register_plan *plan, int row, int beside);
/* Rows that meet the panels of all SIMD tiles in turn, block by block, where these are more than the second-level cache
 * holds beside the block: panels come from the last cache, once for so many rows, and rows from the second one. 0: all
 * rows meet one panel after the other. `term`: the loop over terms, or -1. */
int64_t planner_rows_of_block(const planner *p, const register_plan *plan, int row, int term);
/* The factor of such a block, where its rows are copied into panels; -1: they are read where they lie. */
int planner_panels_of_rows(const planner *p, const register_plan *plan, int row);

/* ----------------------------------------------------------------------------------------------- register_rows.c */

/* Lanes take a whole row of a product that is reduced along them, where registers hold a row and its rows are used
 * once, or by a few rows of the other factor, those of the loop *beside, all of which take them together; *beside is -1
 * where there are none. A row must not end within a register. */
bool planner_takes_rows(const planner *p, unsigned simd, int row, int *beside);
/* Rows of the input are pieces of longer ones, where loads are to spare: a tile takes one, with a group of rows of the
 * other factor, and each group meets all pieces in turn. */
bool planner_takes_groups(const planner *p, unsigned input, unsigned simd, unsigned row);
/* Sizes then: one row, or as many as fill a register with their sums with all rows beside them, but no more bytes at
 * once than the machine follows. */
void planner_size_rows(const planner *p, register_plan *plan, int row, int beside);
/* The loop over few rows that meet those of the other factor together in small tiles, several of both
 * (register_plan_takes_beside). -1 where there is none, and where the other factor has its panels already. */
int planner_rows_beside(const planner *p, unsigned simd, int row);
/* Sizes then: as many rows as fill the pipes. */
void planner_size_beside(const planner *p, register_plan *plan, unsigned row, unsigned beside);
/* Rows that several of the other factor's take together need no panel where they would be lanes. */
bool planner_is_taken_by_rows(const planner *p, unsigned operand, unsigned simd);

/* ------------------------------------------------------------------------------------------- register_in_place.c */

/* Both factors are of bf16, and the machine adds up products of pairs of their elements in f32. */
bool planner_has_pairs(const planner *p);
/* As many products of terms as the machine adds to a sum at once: 2 of bf16, 4 of i8 or 2 of i16, else 1. */
int64_t planner_terms_at_once(const planner *p);
/* .. as they are, of a multiple of as many terms, where these are side by side in the factor that lanes do not hold. */
bool planner_pairs_terms(const planner *p, unsigned term, unsigned lanes);
bool planner_is_widened(const planner *p, unsigned operand);
/* The operand's rows along the reductions lie on pages of their own. */
bool planner_is_scattered(const planner *p, unsigned operand);
/* The operand's rows along the reduction begin multiples of `least` bytes apart, and are so many that what a tile reads
 * of them overflows the sets of the first-level cache that it falls into before the next tile reads it again. */
bool planner_are_rows_crowded(const planner *p, unsigned operand, int64_t least);
/* Register tiles ask for what later ones read of the operand, far apart along the reductions (register_ask.c): so it is
 * best read in place, and once, by a known number of rows. */
bool planner_is_asked_by_tile(const planner *p, unsigned operand);
/* The operand is a constant that is in panels before the program runs (register_constant.c). */
bool planner_is_ready(const planner *p, unsigned operand);
/* So few rows meet panels that are ready that memory, which the machine follows by itself, is what takes the time: they
 * are one tile, which reads each panel once, from its first term to its last. */
bool planner_streams_panels(const planner *p, unsigned operand);
/* The registers of that tile along lanes. */
int64_t planner_vectors_of_stream(const planner *p, int64_t rows);
/* Rows that pay for packing the operand, if it could not be loaded in place. */
int64_t planner_rows_for_packing(const planner *p, unsigned operand);
/* Rows too few to pay for packing read the factor that lanes hold in place, where memory is what takes the time: lanes
 * take as much of its rows as a quarter of the registers, and accumulators the others. */
bool planner_reads_in_place(const planner *p, unsigned simd, int64_t rows);
/* So many of these rows may be one tile .. */
int64_t planner_rows_in_place(const planner *p, unsigned simd, unsigned row);
/* .. with lanes of so many registers, where its rows are neighbours. */
int64_t planner_vectors_in_place(const planner *p, unsigned simd, int64_t rows);
/* Few terms of few rows come from memory best in tiles that are narrow. */
bool planner_is_narrow_stream(const planner *p, unsigned simd);
/* The most rows of a tile of the factor that lanes do not hold, if they are read where they lie. */
int64_t planner_rows_of_set(const planner *p, unsigned simd, unsigned row);
#endif
