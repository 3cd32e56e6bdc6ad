/* register_rows.c - register tiles of contractions that are reduced along lanes, in which rows of both factors meet:
 * each row is then read from memory, and widened, once, in memory's order, and no panel is made of it.
 *
 * Registers that hold whole rows, as keys have, take a few of them with all rows of the other factor at once, and add
 * up lanes behind that. Small tiles take a register of each row at a time, of as many rows as fill the pipes, and add
 * up lanes behind all terms. All here is about speed only.
 * Terminates: loops over the op's loops and operands. */
#include "passes/memory.h"
#include "passes/register_planner.h"

/* Rows of a product that meet each row of the other factor at once are half as many where it is so short that an
 * eighth of the registers hold it: such rows are as fast to read again as more sums are to combine (Zen 5). And two are
 * enough for short rows, which they take as fast as memory brings them (is_taken_twice). */
enum { SHARE_OF_SHORT = 8, TWO_TOGETHER = 2 };
/* The rows that they meet are so many bytes at most: with more, what one step asks memory for comes in bursts (two
 * queries 1.2 to 1.3 times as fast as with 2 KiB, Zen 5). More than four rows, for which computing takes the time, meet
 * more of them; not so where loads are to spare, which read the four's factor again for each (6 to 8 queries of 80 to
 * 128 features 1.02 to 1.06 times as fast by one key at a time as by two, Zen 4). */
enum { BYTES_TOGETHER = 512, BYTES_FOR_ROW = 128 };
/* Where loads are to spare, pieces of long rows, as of W in x W^T, meet the rows of x in groups of so many, or more
 * of them where they are widened or in pairs that the last cache holds, and up to so many rows, before they pay for
 * panels; if memory has them up to so many, or pairs (by 4096 x 4096 in bf16 8 rows 2 times as fast, 9 to 12 1.7 to
 * 2, 14 1.5, 16 1.35, 24 1.2, 32 1.1 times; in f32 8 1.15, 9 1.3, 12 and 15 1.2, 20 and 24 1.05 times; in f16 8 1.6,
 * 9 to 15 1.2, 20 and 24 1.1 times; from the last cache 8 rows 1.1 to 1.2, 12 1.1 to 1.4, 24 .9 times; Zen 4). */
enum { GROUP = 7, LARGE_GROUP = 8, MOST_IN_GROUPS = 16, MOST_FROM_MEMORY = 24, MOST_PAIRS_FROM_MEMORY = 32 };
/* Rows that meet those of the other factor together at most in small tiles, and their sums. */
enum { MOST_BESIDE = 4, SUMS_BESIDE = 8 };
/* So many rows do, each of which has so many terms as take longer to multiply than to add up lanes. */
enum { MOST_ROWS_BESIDE = 15, TERMS_BESIDE = 16 };

/* Rows that take those of the input together, if these are not widened (three and four queries 1.1 to 1.2 times as fast
 * as in turn; of x W^T, whose rows are read in pieces that lie apart, four rows 1.05 to 1.1, three .93 to 1.0, two .8
 * times; Zen 4). */
static int64_t least_together(const planner *p, unsigned input) {
  return target_has_near_last_cache(p->facts) ? 2 : planner_is_scattered(p, input) ? 4 : 3;
}

/* So many rows take rows of a factor of so many bytes, as they are, as fast as memory brings these: two, of short ones,
 * where loads are to spare. The machine follows them by itself, and requests take the place of what it would read (two
 * queries of 64 and 128 features, unasked, 1.2 to 1.4 times as fast, 1.1 times as asked for from 1 KiB ahead, 1.24
 * times as from 2 KiB; of 96 1.03, of 80 .96, of 256 .7; Zen 4). */
static bool is_taken_twice(int64_t rows, int64_t bytes, const target_facts *facts) {
  return target_has_loads_to_spare(facts) && rows == TWO_TOGETHER && bytes <= BYTES_TOGETHER;
}

/* The input was made just before, or is by the tiles themselves (register_group.c). */
static bool is_made(const planner *p, unsigned input) {
  const ir_op *maker = view_root(ir_operand(p->op, input))->op;
  return maker && ir_op_has(maker, IR_ALLOCATES);
}

/* So many rows are too few to take those of the input together, along the lanes of this loop. */
static bool are_too_few(const planner *p, unsigned input, unsigned simd, int64_t rows) {
  int64_t bytes = p->extents[simd] * ir_scalar_bytes(ir_operand(p->op, input)->type->element);
  return rows < least_together(p, input) && !planner_is_widened(p, input) && !is_made(p, input) &&
         !is_taken_twice(rows, bytes, p->facts);
}

bool planner_takes_groups(const planner *p, unsigned input, unsigned simd, unsigned row) {
  int dim = ir_map_find_dim(p->structure->maps[input], row);
  return target_has_loads_to_spare(p->facts) && dim >= 0 &&
         ir_type_stride(ir_operand(p->op, input)->type, (unsigned)dim) > p->extents[simd];
}

/* So many rows are too many to take those of the input, of the loop `row`, together. */
static bool are_too_many(const planner *p, unsigned input, unsigned simd, unsigned row, int64_t rows) {
  int64_t from_memory = planner_has_pairs(p) ? MOST_PAIRS_FROM_MEMORY : MOST_FROM_MEMORY;
  if (planner_takes_groups(p, input, simd, row))
    return rows > (register_plan_fills_last_cache(ir_operand(p->op, input), p->facts) ? from_memory : MOST_IN_GROUPS);
  return rows > MAX_ROWS_TOGETHER && rows >= planner_rows_for_packing(p, input);
}

/* The input that lanes, of the loop `simd`, and rows move over is used once, or by the few iterations of the one
 * parallel loop that it does not have, `beside`, which is -1 otherwise. False where it is used more. */
static bool is_streamed(const planner *p, unsigned input, unsigned simd, unsigned row, int *beside) {
  *beside = -1;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    if (operand_uses(p, input, loop) || guess(p, loop) == 1)
      continue;
    if (!target_has_near_memory(p->facts) || ir_init(p->op, 0)->type->element != IR_F32 || *beside >= 0 ||
        !(p->allowed & ir_bit(loop)) || is_reduction(p, loop) || are_too_few(p, input, simd, guess(p, loop)) ||
        are_too_many(p, input, simd, row, guess(p, loop)))
      return false;
    *beside = (int)loop;
  }
  return true;
}

bool planner_takes_rows(const planner *p, unsigned simd, int row, int *beside) {
  int64_t extent = p->extents[simd];
  *beside = -1;
  if (row < 0 || !ir_is_contraction(p->op) || p->structure->reductions != ir_bit(simd) || extent == IR_DYNAMIC ||
      extent % p->lanes || extent / p->lanes > p->registers / 2)
    return false;
  for (unsigned i = 0; i < p->num_inputs; i++) {
    bool moves = operand_uses(p, i, simd) && operand_uses(p, i, (unsigned)row);
    if (moves && is_streamed(p, i, simd, (unsigned)row, beside) &&
        (*beside < 0 || (access_along(p, i, simd) == ACCESS_UNIT && access_along(p, 1 - i, simd) == ACCESS_UNIT &&
                         guess(p, (unsigned)row) >= guess(p, (unsigned)*beside))))
      return true;
  }
  *beside = -1;
  return false;
}

bool register_plan_takes_beside(int64_t rows, int64_t terms, const target_facts *facts) {
  return target_has_small_tiles(facts) && rows <= MOST_ROWS_BESIDE && rows <= terms / TERMS_BESIDE;
}

int planner_rows_beside(const planner *p, unsigned simd, int row) {
  if (row < 0 || !ir_is_contraction(p->op) || p->structure->reductions != ir_bit(simd) ||
      access_along(p, 0, simd) != ACCESS_UNIT || access_along(p, 1, simd) != ACCESS_UNIT)
    return -1;
  unsigned streamed = operand_uses(p, 1, (unsigned)row);
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    int64_t rows = guess(p, loop);
    bool is_beside = may_be_row(p, loop, simd) && operand_uses(p, 1 - streamed, loop) &&
                     !operand_uses(p, streamed, loop) && !operand_uses(p, 1 - streamed, (unsigned)row);
    if (is_beside && register_plan_takes_beside(rows, guess(p, simd), p->facts) &&
        !(planner_is_ready(p, streamed) && rows >= planner_rows_for_packing(p, streamed)))
      return (int)loop;
  }
  return -1;
}

bool planner_is_taken_by_rows(const planner *p, unsigned operand, unsigned simd) {
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    int beside = -1;
    if (!is_reduction(p, loop) || !operand_uses(p, operand, simd))
      continue;
    if (planner_takes_rows(p, loop, (int)simd, &beside))
      return beside >= 0;
    if (planner_rows_beside(p, loop, (int)simd) >= 0)
      return true;
  }
  return false;
}

/* Terms of bf16 stay pairs in registers where the machine multiplies those fast. */
static int64_t rows_together(const planner *p, unsigned simd) {
  int64_t registers = p->extents[simd] / (p->lanes * (planner_has_pairs(p) ? 2 : 1));
  return registers <= p->registers / SHARE_OF_SHORT ? MAX_ROWS_TOGETHER / 2 : MAX_ROWS_TOGETHER;
}

/* Groups as nearly alike as can be, so that none is too small to fill the pipes. */
static int64_t rows_of_group(const planner *p, unsigned input, int64_t rows) {
  bool is_large = !planner_has_pairs(p) || !register_plan_fills_last_cache(ir_operand(p->op, input), p->facts);
  int64_t most = planner_is_widened(p, input) && is_large ? LARGE_GROUP : GROUP;
  int64_t groups = (rows - 1) / most + 1;
  return (rows - 1) / groups + 1;
}

void planner_size_rows(const planner *p, register_plan *plan, int row, int beside) {
  plan->steps[plan->simd] = p->extents[plan->simd];
  if (beside < 0)
    return;
  unsigned streamed = operand_uses(p, 1, (unsigned)row), simd = (unsigned)plan->simd;
  bool in_groups = planner_takes_groups(p, streamed, simd, (unsigned)row);
  int64_t bytes = p->extents[simd] * ir_scalar_bytes(ir_operand(p->op, streamed)->type->element);
  int64_t rows = guess(p, (unsigned)beside);
  rows = in_groups ? rows_of_group(p, streamed, rows) : smaller(rows, rows_together(p, simd));
  int64_t sums = in_groups && !planner_has_pairs(p) ? 1 : p->lanes / rows;
  int64_t most = target_has_loads_to_spare(p->facts) && !in_groups ? 0 : BYTES_FOR_ROW * rows;
  int64_t near = (most > BYTES_TOGETHER ? most : BYTES_TOGETHER) / (bytes ? bytes : 1);
  plan->singles = ir_bit((unsigned)row);
  plan->steps[beside] = rows;
  plan->steps[row] = fitting_vectors(smaller(smaller(sums, near), guess(p, (unsigned)row)), 1, p->lanes);
}

void planner_size_beside(const planner *p, register_plan *plan, unsigned row, unsigned beside) {
  int64_t rows = guess(p, beside), tiles = (rows - 1) / MOST_BESIDE + 1;
  plan->steps[plan->simd] = p->lanes;
  plan->partial = ir_bit((unsigned)plan->simd);
  plan->steps[beside] = (rows - 1) / tiles + 1;
  plan->steps[row] = fitting_vectors(guess(p, row), 1, SUMS_BESIDE / plan->steps[beside]);
}
