/* register_plan.c - chooses the register tile of a structured op on the host: which loop runs in lanes, which in
 * unrolled rows, how many of each, and the order of all loops.
 *
 * The SIMD loop is the one with the cheapest memory access, over all operands. Rows are a second parallel loop, for
 * operands to be used again from registers and for enough independent chains to fill the pipes. All numbers here are
 * about speed only: every plan that keeps to vectorize_loops gives the same result. What is read where it lies is in
 * register_in_place.c, what is read through copies in register_panels.c; tiles in which rows of both factors meet are
 * in register_rows.c.
 * Terminates: loops over the op's loops and operands. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/register_planner.h"
#include "passes/vectorize.h"

/* What it costs to bring one register of an operand, in loads; a strided one costs a load a lane. */
enum { COST_UNIT = 2, COST_PACKED = 3, COST_TRANSPOSED = 4, COST_LANE = 2, COST_HORIZONTAL = 2, CARRIED_SHARE = 8 };
/* A tile of this many rows and lanes is transposed in registers. */
enum { MAX_TRANSPOSED = 16 };
/* Rows for which terms read in place are put together in pairs, if one tile has them all or there may be so many: fewer
 * wait for memory anyway, and two terms at a time from rows a page apart come slower (Zen 5). */
enum { MIN_PAIRED_ROWS = 7 };
/* .. where one pipe multiplies: to widen terms and to multiply them one by one takes longer there (four heads that
 * share keys 1.1 to 1.2 times, 4 and 6 rows by 4096 x 512 1.55 times as fast; two and three queries of 128 features
 * would take up to 1.6 times as long from memory; Zen 4). */
enum { MIN_PAIRED_IN_ONE_PIPE = 4 };
/* Lanes are so many tiles at most where these are narrow so that one has all rows of the other factor: memory is read
 * once, and in pieces that are not too short. */
enum { TILES_OF_ROW = 4 };
/* Rows that pay for short panels, all of which each tile of them meets in turn. */
enum { MIN_ROWS_OUTSIDE = 256 };
/* Terms for each row of sums whose lanes are worth putting apart and together again, and the bits of a part of a
 * register: elements move within one more easily than from one to another. */
enum { APART_TERMS = 8, PART_BITS = 128 };
/* Rows of an open number that are left over behind full tiles: tiles of more are halved; where these read panels that
 * come from memory, each half would read them again. */
enum { LEFT_OVER = 4, LEFT_OVER_OF_READY = 8 };
/* Registers of a tile that computes much with each element. */
enum { LIGHT_REGISTERS = 4 };

static unsigned registers_of(const target_facts *facts) {
  return facts->vector_registers ? facts->vector_registers : 16;
}

/* Elements of the widest operand in one register. Sub-byte elements take a byte in memory. */
static int64_t register_lanes(const ir_op *op, unsigned vector_bits) {
  unsigned widest = 8;
  for (unsigned i = 0; i < op->num_operands; i++) {
    unsigned bits = ir_scalar_bits(ir_operand(op, i)->type->element);
    widest = bits > widest ? bits : widest;
  }
  return vector_bits / widest;
}

bool register_plan_is_dense(const ir_op *op, unsigned operand, unsigned loop) {
  const ir_map *map = ir_structure_of(op)->maps[operand];
  const ir_type *type = ir_operand(op, operand)->type;
  if (!ir_type_is_shaped(type))
    return true;
  for (unsigned i = 0; i < map->num_results; i++)
    if (ir_expr_uses_dim(map->results[i], loop) && ir_type_stride(type, i) != 1)
      return false;
  return true;
}

int64_t register_plan_bound(const ir_op *op, unsigned loop) { return extent_bound(extent_of_loop(op, loop)); }

/* What the elements of an input are widened to wherever the body uses them; else their own type. */
ir_scalar register_plan_element(const ir_op *op, unsigned input, const target_facts *facts) {
  const ir_value *argument = ir_region(op, 0)->args[input];
  ir_scalar wide = argument->type->element;
  if (register_plan_has_words(op, facts))
    return IR_I16;
  for (const ir_use *use = argument->uses; use; use = use->next) {
    if (!ir_op_widens(use->user))
      return argument->type->element;
    ir_scalar element = ir_result(use->user, 0)->type->element;
    if (wide != argument->type->element && wide != element)
      return argument->type->element;
    wide = element;
  }
  return wide;
}

/* The row loop along which an operand that is strided along the SIMD loop is contiguous: they are transposed in
 * registers. -1 if there is none. */
static int transposed_row(const planner *p, unsigned operand, unsigned simd) {
  if (p->structure->reductions || access_along(p, operand, simd) != ACCESS_STRIDED)
    return -1;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (may_be_row(p, loop, simd) && access_along(p, operand, loop) == ACCESS_UNIT)
      return (int)loop;
  return -1;
}

/* The output is read and written once for all iterations of a reduction. */
static bool is_carried(const planner *p, unsigned operand) {
  if (operand < p->num_inputs)
    return false;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++)
    if (is_reduction(p, loop) && !operand_uses(p, operand, loop))
      return true;
  return false;
}

static int64_t access_cost(const planner *p, unsigned operand, unsigned simd) {
  access_kind kind = access_along(p, operand, simd);
  bool carried = is_carried(p, operand);
  if (kind == ACCESS_ABSENT)
    return carried && is_reduction(p, simd) ? COST_HORIZONTAL : 0;
  int64_t cost = kind == ACCESS_UNIT                                    ? COST_UNIT
                 : planner_is_worth_packing(p, operand, simd, p->lanes) ? COST_PACKED
                 : transposed_row(p, operand, simd) >= 0                ? COST_TRANSPOSED
                                                                        : COST_LANE * p->lanes;
  return carried ? cost / CARRIED_SHARE : cost;
}

/* The parallel loop to unroll as rows: the one that fewest operands in lanes depend on, so that these are used again.
 * -1 if there is none. */
static int choose_row(const planner *p, unsigned simd) {
  int best = -1;
  unsigned best_uses = 0;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    unsigned uses = 0;
    if (!may_be_row(p, loop, simd))
      continue;
    for (unsigned i = 0; i < p->num_inputs; i++)
      uses += operand_uses(p, i, simd) && operand_uses(p, i, loop);
    if (best < 0 || uses <= best_uses) {
      best = (int)loop;
      best_uses = uses;
    }
  }
  return best;
}

/* The loop to run in lanes, or -1. Among equals a parallel one, then one of known extent, then the innermost. */
static int choose_simd(const planner *p) {
  int best = -1;
  int64_t best_cost = 0;
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    if (!(p->allowed & ir_bit(loop)))
      continue;
    if (is_reduction(p, loop) && planner_rows_beside(p, loop, choose_row(p, loop)) >= 0)
      return (int)loop;
    int64_t cost = 1;
    for (unsigned i = 0; i < p->op->num_operands; i++)
      cost += access_cost(p, i, loop);
    cost = cost * 4 * p->lanes / smaller(guess(p, loop), p->lanes);
    bool is_known = p->extents[loop] != IR_DYNAMIC || best < 0 || p->extents[best] == IR_DYNAMIC;
    if (best < 0 || cost < best_cost ||
        (cost == best_cost && is_known && is_reduction(p, loop) <= is_reduction(p, (unsigned)best))) {
      best = (int)loop;
      best_cost = cost;
    }
  }
  return best;
}

/* All inputs that have the loop are read where they lie, register by register. */
static bool is_read_in_place(const planner *p, unsigned simd) {
  for (unsigned i = 0; i < p->num_inputs; i++)
    if (access_along(p, i, simd) == ACCESS_STRIDED ||
        (access_along(p, i, simd) == ACCESS_UNIT && (planner_is_scattered(p, i) || planner_is_widened(p, i))))
      return false;
  return true;
}

/* Registers side by side in the tile at hand (see vectors_of_chains): lanes that fill a square of chains are taken
 * whole, so that each element of the rows' factor is read once. */
static int64_t vectors_beside_rows(const planner *p, unsigned simd, int64_t rows, int64_t chains) {
  int64_t side = TILE_VECTORS;
  if (is_reduction(p, simd))
    return TILE_VECTORS;
  while (4 * side * side <= chains)
    side *= 2;
  bool is_whole = ir_is_contraction(p->op) && p->extents[simd] == side * p->lanes;
  /* Of i8 each element is a word that is made unsigned as well: the fewer rows, the better (256 to 2048 rows 1.0 to 1.3
   * times as fast as with two registers, Zen 4). */
  if (planner_terms_at_once(p) == TARGET_BYTES && rows >= side)
    return side;
  return is_whole && rows >= 2 * side && is_read_in_place(p, simd) ? side : vectors_of_chains(chains);
}

/* The rows of as many chains, as far as registers have room for them beside a row of one factor and an element of the
 * other. */
static int64_t rows_of_chains(const planner *p, int64_t chains, int64_t vectors) {
  int64_t rows = smaller(chains / vectors, (p->registers - 1) / vectors - 1);
  return rows > 1 ? rows : 1;
}

/* The rows' elements of a factor lie side by side: a power of two of them is read in one piece, where registers are
 * enough for so many, and machines read pieces faster than one by one. */
static bool reads_neighbours(const planner *p, unsigned simd, unsigned row) {
  for (unsigned i = 0; i < p->num_inputs; i++)
    if (!operand_uses(p, i, simd) && access_along(p, i, row) == ACCESS_UNIT)
      return p->registers >= 32 && !target_has_large_tiles(p->facts);
  return false;
}

/* The copies of a term in a loop over terms, for a tile of so many registers. LLVM orders multiply-adds anew across
 * copies of a term: of 16 to a term, those of four copies wait for each other (attention over 2048 keys of 128 features
 * 1.01 times as fast with two, over 512 keys 1.005 to 1.018, in bf16 1.005 to 1.01, of 64 features 1.0 to 1.005;
 * products have 24, and 2048^3 would take 1.01 times as long; Zen 4). */
static int64_t unroll_of(const planner *p, unsigned simd, int64_t registers) {
  bool is_few = target_has_loads_to_spare(p->facts) && ir_is_contraction(p->op) && !is_reduction(p, simd) &&
                registers == p->accumulators;
  return is_few ? REGISTER_UNROLL / 2 : REGISTER_UNROLL;
}

/* Rows of a product meet the panels of several SIMD tiles in turn, made of a factor whose rows lie apart. */
static bool puts_rows_outside(const planner *p, unsigned simd, int64_t rows) {
  unsigned lanes = operand_uses(p, 1, simd);
  return target_has_loads_to_spare(p->facts) && ir_is_contraction(p->op) && !is_reduction(p, simd) &&
         rows >= MIN_ROWS_OUTSIDE && access_along(p, lanes, simd) == ACCESS_UNIT && planner_is_scattered(p, lanes) &&
         !planner_is_widened(p, lanes);
}

/* Sizes where accumulators stay in registers: rows x vectors = the chains that fill the pipes. Rows that end in a
 * horizontal step are a power of two, which takes the fewest shuffles, and so are those that are read in one piece. */
static void size_accumulators(const planner *p, register_plan *plan, int row) {
  unsigned simd = (unsigned)plan->simd, carried = 0;
  for (unsigned i = p->num_inputs; i < p->op->num_operands; i++)
    carried += is_carried(p, i);
  int64_t chains = p->accumulators / (carried ? carried : 1);
  int64_t rows = rows_of(p, row), extent = guess(p, simd);
  plan->rows_outside = puts_rows_outside(p, simd, rows);
  if (plan->rows_outside) /* each tile reads all panels, so few and large ones are best */
    chains = p->registers - p->registers / 4;
  unsigned lanes = operand_uses(p, 1, simd);
  bool in_place = planner_reads_in_place(p, simd, rows);
  bool streams = !in_place && !is_reduction(p, simd) && planner_streams_panels(p, lanes);
  int64_t at_once = in_place ? planner_rows_in_place(p, simd, (unsigned)row) : rows;
  int64_t wide = in_place ? planner_vectors_in_place(p, simd, at_once) : chains / fitting_vectors(rows, 1, chains);
  int64_t most_in_place = p->registers - p->registers / 4, beside = vectors_beside_rows(p, simd, rows, chains);
  /* Lanes as wide as elsewhere would leave no room for all rows. */
  bool is_narrow = in_place && at_once * beside > most_in_place &&
                   (planner_is_asked_by_tile(p, lanes) ||
                    (TILES_OF_ROW * wide * p->lanes >= extent && !planner_is_scattered(p, lanes)));
  wide = streams ? planner_vectors_of_stream(p, rows) : wide < beside && !is_narrow ? beside : wide;
  /* Lanes of a reduction end in a horizontal step: the loop must be long enough to pay for several. */
  int64_t most_vectors = !streams && planner_is_narrow_stream(p, simd) ? TILE_VECTORS : wide;
  int64_t vectors = fitting_vectors(is_reduction(p, simd) ? extent / 2 : extent, p->lanes, most_vectors);
  plan->steps[simd] = smaller(vectors * p->lanes, next_power_of_two(extent));
  plan->partial = is_reduction(p, simd) ? ir_bit(simd) : 0;
  int64_t most = in_place ? most_in_place / vectors : streams ? rows : rows_of_chains(p, chains, vectors);
  if (row >= 0) {
    most = in_place ? most : smaller(most, planner_rows_of_set(p, simd, (unsigned)row));
    bool even = is_reduction(p, simd) || (!in_place && !streams && reads_neighbours(p, simd, (unsigned)row));
    if (in_place && target_has_small_tiles(p->facts)) /* tiles of as many rows each (7 of 4096 x 4096 1.35x, Zen 1) */
      most = (at_once - 1) / ((at_once - 1) / most + 1) + 1;
    plan->steps[row] = smaller(even ? fitting_vectors(most, 1, most) : most, at_once);
    plan->unroll = unroll_of(p, simd, plan->steps[row] * vectors);
    if (planner_is_ready(p, lanes))
      plan->left_over = LEFT_OVER_OF_READY;
  }
}

/* Where lanes alone are too few chains to fill the pipes, a reduction in registers takes several of its terms at a
 * time, to partial results that are combined behind it: as many as whole tiles of a known extent allow. */
static void take_terms(const planner *p, register_plan *plan) {
  for (unsigned loop = 0; loop < p->structure->num_loops; loop++) {
    if (!is_reduction(p, loop) || !(p->allowed & ir_bit(loop)) || p->extents[loop] == IR_DYNAMIC)
      continue;
    int64_t vectors = (plan->steps[plan->simd] - 1) / p->lanes + 1; /* or a part of one */
    while (2 * vectors * plan->steps[loop] <= p->accumulators && p->extents[loop] % (2 * plan->steps[loop]) == 0)
      plan->steps[loop] *= 2;
    if (plan->steps[loop] == 1)
      continue;
    plan->partial |= ir_bit(loop);
    plan->dims[plan->num_dims++] = loop;
    return;
  }
}

/* Sizes of elementwise tiles: a few registers, so that long chains such as exp overlap; rows only where one row of
 * lanes covers the loop. */
static void size_elementwise(const planner *p, register_plan *plan, int row) {
  unsigned simd = (unsigned)plan->simd;
  int64_t vectors = p->op->num_operands > 4 || p->registers < 16 ? 2 : 4;
  int64_t used = fitting_vectors(guess(p, simd), p->lanes, vectors);
  plan->steps[simd] = smaller(used * p->lanes, next_power_of_two(guess(p, simd)));
  if (row >= 0 && plan->steps[simd] == guess(p, simd))
    plan->steps[row] = smaller(vectors / used, guess(p, (unsigned)row));
}

/* The reduction loop that becomes a unit dim, so that a contraction can be said by vector.contract: the last one, when
 * both factors have it. -1 if there is none. */
static int contracted_loop(const planner *p, int simd) {
  if (!ir_is_contraction(p->op) || simd < 0 || is_reduction(p, (unsigned)simd))
    return -1;
  for (unsigned loop = p->structure->num_loops; loop-- > 0;)
    if (is_reduction(p, loop) && p->vectorizable & ir_bit(loop))
      return operand_uses(p, 0, loop) && operand_uses(p, 1, loop) ? (int)loop : -1;
  return -1;
}

/* Rows for which terms in place are put in pairs. */
static int64_t least_paired(const target_facts *facts) {
  return target_has_near_last_cache(facts) ? MIN_PAIRED_ROWS : MIN_PAIRED_IN_ONE_PIPE;
}

/* The input whose elements lanes hold, where the machine's sums of two or four products can do the contraction: factors
 * of bf16 or i8 with terms side by side in the rows' factor. Rows are enough to pay for putting those of the lanes side
 * by side in a panel, of a known number of terms, or, of bf16, so few that these are read in place, and put so in
 * registers: an open number of terms, or of rows, in several tiles, too. One term may be left over, and is read in
 * place; not so of a constant, which would be there twice, nor of i8. -1 where it cannot. */
static int paired_input(const planner *p, const register_plan *plan, int row, int contracted) {
  int64_t at_once = planner_terms_at_once(p);
  if (contracted < 0 || p->structure->reductions != ir_bit((unsigned)contracted) || at_once == 1)
    return -1;
  unsigned simd = (unsigned)plan->simd, lanes = operand_uses(p, 1, simd);
  bool is_unit = access_along(p, lanes, simd) == ACCESS_UNIT;
  int64_t rows = rows_of(p, row);
  bool is_packed = rows >= planner_rows_for_packing(p, lanes);
  bool is_once = row >= 0 && rows >= least_paired(p->facts) &&
                 (plan->steps[row] == p->extents[row] || p->extents[row] == IR_DYNAMIC);
  bool are_bytes = register_plan_has_bytes(p->op, p->facts);
  if (are_bytes && (!is_packed || p->extents[contracted] % at_once || plan->steps[simd] % p->lanes))
    return -1;
  if (!is_packed && !(target_has_near_memory(p->facts) && is_unit && is_once && !planner_is_scattered(p, lanes)))
    return -1;
  bool has_other_panels = planner_is_ready(p, lanes) && !planner_pairs_terms(p, (unsigned)contracted, lanes);
  if (is_packed && (p->extents[contracted] == IR_DYNAMIC || has_other_panels))
    return -1;
  bool together = is_unit || access_along(p, lanes, (unsigned)contracted) == ACCESS_UNIT;
  bool fits = !is_packed || planner_is_ready(p, lanes) ||
              p->extents[contracted] * plan->steps[simd] * ir_scalar_bytes(ir_operand(p->op, lanes)->type->element) <=
                  p->panel_bytes;
  return together && fits && !operand_uses(p, 1 - lanes, simd) &&
                 !(row >= 0 && operand_uses(p, lanes, (unsigned)row)) &&
                 access_along(p, 1 - lanes, (unsigned)contracted) == ACCESS_UNIT
             ? (int)lanes
             : -1;
}

/* Where a loop stands, outermost first: parallel loops outside, reductions inside. The SIMD loop lies outside of the
 * rows where panels and operands are to be used again by them, else innermost of its kind; what uses rows again, or
 * goes on in memory where lanes end, stands inside of them. */
enum {
  PLACE_PARALLEL,
  PLACE_SIMD_OUTSIDE,
  PLACE_ROW,
  PLACE_IN_ROW,
  PLACE_SIMD_INSIDE,
  PLACE_REDUCTION,
  PLACE_SIMD_REDUCTION,
  PLACES
};

/* Each iteration of the loop reads all rows of an input that is reduced along lanes: inside of the loop over rows it
 * finds them in the nearest cache. Groups do not, which stay in registers and on the stack instead. */
static bool uses_rows_again(const planner *p, const register_plan *plan, int row, unsigned loop) {
  if (row < 0 || !is_reduction(p, (unsigned)plan->simd))
    return false;
  for (unsigned i = 0; i < p->num_inputs; i++)
    if (operand_uses(p, i, (unsigned)row) && operand_uses(p, i, (unsigned)plan->simd) && !operand_uses(p, i, loop))
      return !plan->singles || !planner_takes_groups(p, i, (unsigned)plan->simd, (unsigned)row);
  return false;
}

/* The loop and the lanes are terms of one subscript. */
static bool goes_along(const planner *p, unsigned loop, int simd) {
  for (unsigned i = 0; i < p->num_inputs; i++)
    for (unsigned k = 0; k < p->structure->maps[i]->num_results; k++)
      if (simd >= 0 && ir_expr_uses_dim(p->structure->maps[i]->results[k], loop) &&
          ir_expr_uses_dim(p->structure->maps[i]->results[k], (unsigned)simd))
        return true;
  return false;
}

static unsigned place_of(const planner *p, const register_plan *plan, int row, unsigned loop) {
  bool is_simd = (int)loop == plan->simd;
  if (is_reduction(p, loop))
    return is_simd ? PLACE_SIMD_REDUCTION : PLACE_REDUCTION;
  if (is_simd)
    return p->structure->reductions ? PLACE_SIMD_OUTSIDE : PLACE_SIMD_INSIDE;
  if ((int)loop == row)
    return PLACE_ROW;
  return uses_rows_again(p, plan, row, loop) || goes_along(p, loop, plan->simd) ? PLACE_IN_ROW : PLACE_PARALLEL;
}

static void order_loops(const planner *p, register_plan *plan, int row) {
  unsigned count = 0;
  for (unsigned place = 0; place < PLACES; place++)
    for (unsigned loop = 0; loop < plan->num_loops; loop++)
      if (place_of(p, plan, row, loop) == place)
        plan->order[count++] = loop;
}

/* The input is read, widened, from where it lies. */
static bool is_widened_in_place(const planner *p, const register_plan *plan, unsigned input) {
  return ir_operand(p->op, input)->type->element == IR_BF16 &&
         register_plan_element(p->op, input, p->facts) == IR_F32 && !((plan->packed | plan->widened) & ir_bit(input));
}

/* A factor that has lanes may have them apart: widened in place, or f32 that stays the same in the loop inside. */
static bool may_be_apart(const planner *p, const register_plan *plan, unsigned input, unsigned inside) {
  unsigned simd = (unsigned)plan->simd;
  if (!operand_uses(p, input, simd) || is_widened_in_place(p, plan, input))
    return access_along(p, input, simd) != ACCESS_STRIDED;
  return ir_operand(p->op, input)->type->element == IR_F32 && !operand_uses(p, input, inside);
}

/* Lanes are apart (see vectorize.h) where that saves work: a factor of bf16 is widened for each multiply-add or few of
 * them, in registers of several parts, between which elements would move (one part alone takes as few ops in memory's
 * order). Sums in lanes are put so before and behind many terms for each of their rows. */
static uint32_t choose_apart(const planner *p, const register_plan *plan) {
  unsigned simd = (unsigned)plan->simd, at = plan->num_loops - 1;
  bool is_widened = false, all_pairs = p->facts->has_pair_dot;
  if (!ir_is_contraction(p->op) || plan->paired >= 0 || plan->steps[simd] % (2 * p->lanes) ||
      vector_bits_of(p->facts) <= PART_BITS)
    return 0;
  while (at && (plan->order[at] == simd || p->extents[plan->order[at]] == 1))
    at--;
  for (unsigned i = 0; i < 2; i++) {
    if (!may_be_apart(p, plan, i, plan->order[at]))
      return 0;
    is_widened |= operand_uses(p, i, simd) && is_widened_in_place(p, plan, i);
    all_pairs &= ir_operand(p->op, i)->type->element == IR_BF16;
  }
  int64_t terms = 1, rows = 1;
  for (unsigned loop = 0; loop < plan->num_loops; loop++)
    if (is_reduction(p, loop))
      terms *= smaller(guess(p, loop), APART_TERMS * p->registers);
    else if (loop != simd)
      rows *= plan->steps[loop];
  bool pays = is_reduction(p, simd) || terms >= APART_TERMS * rows;
  return is_widened && !all_pairs && pays ? ir_bit(simd) : 0;
}

static void choose_tile(const planner *p, register_plan *plan) {
  unsigned simd = (unsigned)plan->simd;
  int row = -1, beside = -1;
  for (unsigned i = 0; row < 0 && i < p->op->num_operands; i++)
    row = transposed_row(p, i, simd);
  if (row >= 0) {
    int64_t side = smaller(p->lanes, MAX_TRANSPOSED);
    plan->steps[simd] = smaller(side, next_power_of_two(guess(p, simd)));
    plan->steps[row] = smaller(side, guess(p, (unsigned)row));
  } else {
    row = choose_row(p, simd);
    if (planner_takes_rows(p, simd, row, &beside))
      planner_size_rows(p, plan, row, beside);
    else if ((beside = planner_rows_beside(p, simd, row)) >= 0)
      planner_size_beside(p, plan, (unsigned)row, (unsigned)beside);
    else if (p->structure->reductions)
      size_accumulators(p, plan, row);
    else
      size_elementwise(p, plan, row);
  }
  int contracted = contracted_loop(p, plan->simd);
  plan->packed = planner_packed(p, plan, row);
  plan->widened = planner_widened(p, plan, row, beside);
  plan->row_block = planner_rows_of_block(p, plan, row, contracted);
  plan->row_panels = planner_panels_of_rows(p, plan, row);
  if (beside >= 0)
    plan->dims[plan->num_dims++] = (unsigned)beside;
  if (row >= 0 && plan->steps[row] > 1)
    plan->dims[plan->num_dims++] = (unsigned)row;
  if (row < 0 && p->structure->reductions && !is_reduction(p, simd) && !ir_is_contraction(p->op) &&
      p->op->num_operands == p->num_inputs + 1)
    take_terms(p, plan);
  int paired = paired_input(p, plan, row, contracted);
  if (paired >= 0) {
    plan->paired = contracted;
    plan->steps[contracted] = planner_terms_at_once(p);
    plan->packed = rows_of(p, row) >= planner_rows_for_packing(p, (unsigned)paired) ? ir_bit((unsigned)paired) : 0;
    plan->widened = 0;
    if (register_plan_has_words(p->op, p->facts)) {
      plan->widened = planner_copy_fits(p, 1 - (unsigned)paired) ? ir_bit(1 - (unsigned)paired) : 0;
      plan->unroll = 1; /* LLVM adds the sums of several copies first, for which there are no registers */
    }
  }
  if (contracted >= 0 && paired < 0)
    plan->dims[plan->num_dims++] = (unsigned)contracted;
  plan->dims[plan->num_dims++] = simd;
  if (paired >= 0)
    plan->dims[plan->num_dims++] = (unsigned)contracted;
  order_loops(p, plan, row);
  plan->apart = choose_apart(p, plan);
}

planner planner_of(const ir_op *op, const target_facts *facts) {
  planner p = {.op = op,
               .structure = ir_structure_of(op),
               .facts = facts,
               .num_inputs = ir_num_inputs(op),
               .lanes = register_lanes(op, vector_bits_of(facts)),
               .registers = registers_of(facts),
               .accumulators = accumulators_of(facts),
               .panel_bytes = planner_panel_bytes(facts),
               .copy_bytes = planner_copy_bytes(facts)};
  ir_loop_extents(op, p.extents);
  return p;
}

register_plan register_plan_make(ir_op *op, const target_facts *facts) {
  planner p = planner_of(op, facts);
  p.vectorizable = vectorize_loops(op);
  p.allowed = p.vectorizable;
  register_plan plan = {.num_loops = p.structure->num_loops,
                        .paired = -1,
                        .row_panels = -1,
                        .lanes = p.lanes,
                        .left_over = LEFT_OVER,
                        .unroll = REGISTER_UNROLL};
  for (unsigned loop = 0; loop < plan.num_loops; loop++) {
    plan.steps[loop] = 1;
    if (p.extents[loop] == 0 || p.extents[loop] == 1)
      p.allowed &= ~ir_bit(loop);
  }
  plan.simd = choose_simd(&p);
  if (plan.simd >= 0)
    choose_tile(&p, &plan);
  else
    order_loops(&p, &plan, -1);
  plan.is_matrix = register_matrix_takes(op, facts);
  return plan;
}

/* Reductions in registers take at most so many terms at a time. */
static void limit_terms(register_plan *plan, int64_t most) {
  unsigned count = 0;
  for (unsigned i = 0; i < plan->num_dims; i++) {
    unsigned loop = plan->dims[i];
    bool is_term = (int)loop != plan->simd && plan->partial & ir_bit(loop);
    while (is_term && plan->steps[loop] > most)
      plan->steps[loop] /= 2;
    if (is_term && plan->steps[loop] == 1)
      plan->partial &= ~ir_bit(loop);
    else
      plan->dims[count++] = loop;
  }
  plan->num_dims = count;
}

/* Registers for the values of a few chains, but not for constants as well: one row, whose chains share these, and as
 * many terms of it as are left to fill them. */
static void lighten_to_row(const ir_op *op, register_plan *plan, int64_t width) {
  int64_t most = LIGHT_REGISTERS * plan->lanes;
  for (unsigned i = 0; i < plan->num_dims; i++)
    if ((int)plan->dims[i] != plan->simd && !(plan->partial & ir_bit(plan->dims[i])))
      plan->steps[plan->dims[i]] = 1;
  if (plan->simd < 0) {
    limit_terms(plan, 1);
    return;
  }
  int64_t *step = &plan->steps[plan->simd], bound = register_plan_bound(op, (unsigned)plan->simd);
  *step = smaller(*step, width);
  while (*step >= plan->lanes && 2 * *step <= most && (4 * *step <= bound || 2 * *step == bound))
    *step *= 2;
  limit_terms(plan, most / *step);
}

void register_plan_lighten(const ir_op *op, register_plan *plan, const target_facts *facts, bool rounds) {
  int64_t width = rounds ? 2 * plan->lanes : plan->lanes;
  if (facts->vector_registers < 32) {
    lighten_to_row(op, plan, width);
    return;
  }
  limit_terms(plan, 1);
  int64_t most = width * LIGHT_REGISTERS, elements = 1;
  for (unsigned i = 0; i < plan->num_dims; i++)
    elements *= plan->steps[plan->dims[i]];
  for (unsigned i = plan->num_dims; i-- > 0;) {
    int64_t *step = &plan->steps[plan->dims[i]], least = (int)plan->dims[i] == plan->simd ? width : 1;
    for (; elements > most && *step % 2 == 0 && *step > least; elements /= 2)
      *step /= 2;
  }
}

/* With 16 registers, 2 and 4 rows of weights with a power of two for each 32 take 1.3 times as long with those as
 * without (AVX2, Zen 4). */
bool register_plan_has_functions(const ir_op *maker, const target_facts *facts) {
  return facts->vector_registers < 32 ? body_has_polynomial(maker) : body_has_polynomial_of_few(maker);
}
