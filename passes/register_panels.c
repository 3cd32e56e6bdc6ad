/* register_panels.c - what a register tile reads through copies: panels of an input for each SIMD tile, an input
 * widened as a whole, and the rows of a block; and how much of the caches all of these may take.
 *
 * A copy pays where enough rows use it again, or where it could not be read in place at all. Numbers are about speed
 * only (see register_plan.c).
 * Terminates: loops over the op's loops and operands. */
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/register_planner.h"

/* Rows that pay for packing where memory of panels, of so many terms, is asked for while those before are used. */
enum { MIN_REUSE_ASKED_FOR = 16, MAX_ASKED_FOR = 256 };
/* SIMD tiles that pay for widening what they all read. */
enum { MIN_TILES = 2 };
/* Panels take a quarter of the second-level cache, or so many bytes where that is not known; copies of whole operands,
 * which are read in order, may as well take a quarter of the last cache. */
enum { PANEL_SHARE = 4, PANEL_BYTES = 64 * 1024, COPY_SHARE = 4 };
/* A block of rows takes so many such shares of the second-level cache, and the panels it meets one of the last; rows
 * that are copied, too, one of that. */
enum { BLOCK_PARTS = 3, BLOCK_SHARE = 8, BLOCKED_SHARE = 4, ROW_PANELS_SHARE = 16, PANELS_SHARE = 8 };
enum { LINE_BYTES = 64 };

/* ------------------------------------------------------------------------------------------------------------ bytes */

int64_t register_plan_panel_bytes(const target_facts *facts) {
  return facts->l2_bytes ? (int64_t)(facts->l2_bytes / PANEL_SHARE) : PANEL_BYTES;
}

int64_t register_plan_panels_bytes(const target_facts *facts) {
  return facts->fills_last_cache ? (int64_t)(facts->l3_bytes / PANELS_SHARE) : 2 * register_plan_panel_bytes(facts);
}

bool register_plan_is_near(const ir_value *value, const target_facts *facts) {
  int64_t bytes = view_root_bytes(value);
  return bytes != IR_DYNAMIC && bytes <= (int64_t)facts->l3_bytes;
}

bool register_plan_lies_in_memory(const ir_value *value, const target_facts *facts) {
  return facts->l3_bytes && view_root_bytes(value) > (int64_t)facts->l3_bytes;
}

bool register_plan_fills_last_cache(const ir_value *value, const target_facts *facts) {
  int64_t bytes = view_root_bytes(value);
  return bytes == IR_DYNAMIC || (uint64_t)bytes >= facts->l3_bytes / 2;
}

bool register_plan_copies_from_memory(const ir_value *value, const target_facts *facts) {
  return facts->fills_last_cache && facts->threads == 1 && !register_plan_is_near(value, facts);
}

int64_t planner_panel_bytes(const target_facts *facts) {
  return (target_has_near_last_cache(facts) ? 2 : 1) * register_plan_panel_bytes(facts);
}

int64_t planner_copy_bytes(const target_facts *facts) {
  int64_t share = (int64_t)(facts->l3_bytes / COPY_SHARE);
  return share > register_plan_panel_bytes(facts) ? share : register_plan_panel_bytes(facts);
}

/* The bytes of a term in a panel. */
static int64_t panel_width(const target_facts *facts) {
  return vectors_of_chains(accumulators_of(facts)) * (int64_t)vector_bits_of(facts) / 8;
}

int64_t register_plan_panel_columns(const target_facts *facts) { return panel_width(facts) / (int64_t)sizeof(float); }

int64_t register_plan_longest_panel(const target_facts *facts) {
  return register_plan_panel_bytes(facts) / panel_width(facts);
}

int64_t register_plan_lone_panel(const target_facts *facts) { return planner_panel_bytes(facts) / panel_width(facts); }

int64_t register_plan_blocked_terms(const target_facts *facts) {
  return facts->has_slow_last_cache || facts->fills_last_cache ? register_plan_longest_panel(facts) / 2 : 0;
}

int64_t register_plan_blocked_bytes(const target_facts *facts) { return (int64_t)(facts->l3_bytes / BLOCKED_SHARE); }

/* ----------------------------------------------------------------------------------------------------------- copies */

/* As many elements of the operand as all iterations of the reduction loops may touch; IR_DYNAMIC when not known, or too
 * many. */
static int64_t panel_depth(const planner *p, unsigned operand) {
  int64_t depth = 1;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (is_reduction(p, loop) && operand_uses(p, operand, loop)) {
      int64_t bound = register_plan_bound(p->op, loop);
      if (bound > p->panel_bytes)
        return IR_DYNAMIC;
      depth = smaller(depth * bound, p->panel_bytes);
    }
  return depth;
}

bool planner_is_worth_packing(const planner *p, unsigned operand, unsigned simd, int64_t width) {
  if (operand >= p->num_inputs || is_reduction(p, simd) || access_along(p, operand, simd) == ACCESS_ABSENT ||
      !p->structure->reductions || !ir_map_is_projected_permutation(p->structure->maps[operand]) ||
      planner_is_taken_by_rows(p, operand, simd))
    return false;
  int64_t depth = panel_depth(p, operand), bytes = ir_scalar_bytes(register_plan_element(p->op, operand, p->facts));
  if (!planner_is_ready(p, operand) && (depth == IR_DYNAMIC || depth * width * bytes > p->panel_bytes))
    return false;
  int64_t most = 1;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (may_be_row(p, loop, simd) && !operand_uses(p, operand, loop) && guess(p, loop) > most)
      most = guess(p, loop);
  return most >= planner_rows_for_packing(p, operand);
}

/* Rows that pay for packing an operand that could be loaded in place, in register tiles of so many: few where small
 * tiles would each read it anew from memory, as it falls into a single set of the first cache and few of the second
 * (16 and 32 rows of 4096 x 4096 1.3 and 1.5 times as fast with 256-bit vectors, Zen 4). */
static int64_t rows_for_panels(const planner *p, unsigned operand, int64_t tile) {
  if (target_has_small_tiles(p->facts) && planner_are_rows_crowded(p, operand, TARGET_PAGE_BYTES))
    return MIN_REUSE + !register_plan_copies_from_memory(ir_operand(p->op, operand), p->facts);
  int64_t depth = panel_depth(p, operand);
  bool is_asked_for =
      p->facts->loses_requests && !planner_is_widened(p, operand) && depth != IR_DYNAMIC && depth <= MAX_ASKED_FOR;
  return is_asked_for ? smaller(MIN_REUSE_ASKED_FOR, MIN_REUSE * tile) : MIN_REUSE * tile;
}

uint32_t planner_packed(const planner *p, const register_plan *plan, int row) {
  unsigned simd = (unsigned)plan->simd;
  int64_t rows = rows_of(p, row);
  uint32_t packed = 0;
  for (unsigned i = 0; i < p->num_inputs && i < 32; i++) {
    bool in_place = access_along(p, i, simd) == ACCESS_UNIT;
    bool pays = planner_is_scattered(p, i) || planner_is_widened(p, i) ||
                (target_has_small_tiles(p->facts) && planner_are_rows_crowded(p, i, LINE_BYTES));
    if (rows < planner_rows_for_packing(p, i) ||
        (in_place && !planner_is_ready(p, i) &&
         (!pays || rows < rows_for_panels(p, i, row < 0 ? 1 : plan->steps[row]))))
      continue;
    if ((row < 0 || !operand_uses(p, i, (unsigned)row)) && planner_is_worth_packing(p, i, simd, plan->steps[simd]))
      packed |= ir_bit(i);
  }
  return packed;
}

/* As many elements as the operand may have, up to a copy's bytes and some. */
static int64_t most_elements(const planner *p, ir_value *operand) {
  int64_t count = 1, enough = p->copy_bytes + 1;
  for (unsigned dim = 0; dim < operand->type->rank; dim++)
    count = smaller(count * smaller(extent_bound(extent_of(operand, dim)), enough), enough);
  return count;
}

bool planner_copy_fits(const planner *p, unsigned operand) {
  int64_t bytes = ir_scalar_bytes(register_plan_element(p->op, operand, p->facts));
  return most_elements(p, ir_operand(p->op, operand)) <= p->copy_bytes / bytes;
}

uint32_t planner_widened(const planner *p, const register_plan *plan, int row, int beside) {
  unsigned simd = (unsigned)plan->simd;
  bool has_rows = row >= 0 && plan->steps[row] > 1;
  int64_t tile = has_rows ? smaller(plan->steps[simd], TILE_VECTORS * p->lanes) : plan->steps[simd];
  uint32_t widened = 0;
  for (unsigned i = 0; ir_is_contraction(p->op) && i < p->num_inputs; i++) {
    bool is_beside = plan->partial && beside >= 0 && operand_uses(p, i, (unsigned)beside);
    if (planner_is_widened(p, i) && (is_beside || !operand_uses(p, i, simd)) && planner_copy_fits(p, i) &&
        guess(p, simd) >= MIN_TILES * tile)
      widened |= ir_bit(i);
  }
  return widened;
}

int64_t planner_rows_of_block(const planner *p, const register_plan *plan, int row, int term) {
  unsigned simd = (unsigned)plan->simd;
  if (!ir_is_contraction(p->op) || p->structure->num_loops != 3 || row < 0 || !register_plan_blocked_terms(p->facts))
    return 0;
  unsigned lanes = operand_uses(p, 1, simd);
  if (term < 0 || !(plan->packed & ir_bit(lanes)) || planner_is_widened(p, lanes) || planner_is_ready(p, lanes))
    return 0;
  int64_t rows = register_plan_bound(p->op, (unsigned)row), columns = register_plan_bound(p->op, simd);
  int64_t elements = register_plan_blocked_bytes(p->facts) / (int64_t)sizeof(float), terms = p->extents[term];
  bool copies = p->facts->fills_last_cache;
  int64_t least_rows = copies ? REGISTER_PANELED_ROWS : REGISTER_BLOCKED_ROWS;
  int64_t least_columns = copies ? REGISTER_PANELED_COLUMNS : 1;
  if (rows < least_rows || terms < 1 || terms > register_plan_blocked_terms(p->facts) || columns < least_columns ||
      columns > elements / terms || columns * terms * (int64_t)sizeof(float) <= 2 * register_plan_panel_bytes(p->facts))
    return 0;
  int64_t bytes = copies ? (int64_t)(p->facts->l3_bytes / ROW_PANELS_SHARE)
                         : (int64_t)p->facts->l2_bytes * BLOCK_PARTS / BLOCK_SHARE;
  int64_t block = bytes / (terms * (int64_t)sizeof(float)), step = plan->steps[row];
  return rows < block ? (rows + step - 1) / step * step : block - block % step;
}

int planner_panels_of_rows(const planner *p, const register_plan *plan, int row) {
  unsigned rows = plan->simd >= 0 && operand_uses(p, 0, (unsigned)plan->simd);
  bool is_copied =
      plan->row_block && p->facts->fills_last_cache && ir_map_is_projected_permutation(p->structure->maps[rows]);
  return is_copied && operand_uses(p, rows, (unsigned)row) ? (int)rows : -1;
}
