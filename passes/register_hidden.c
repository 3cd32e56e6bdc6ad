/* register_hidden.c - what masks do to register tiles: reductions leave out what is hidden, and tiles that no mask cuts
 * are written without it (see register_nest.h).
 *
 * A mask is a select between a score and -infinity, or a weight and 0, by comparing indices. Where a bound on them
 * fails for all elements of a tile, what follows from the opposite of the comparison cannot be, so the comparison has
 * one outcome there, and the mask nothing to do: a causal kernel compares on the diagonal only (attention 1.02x).
 *
 * Invariants
 *  - What is left out changes nothing: sums take in zeros there, and maxima -infinity.
 *  - Which iterations these are is said by bounds alone; what bounds cannot say is not left out.
 * Terminates: loops over bounds, loops and the ops of a body; conditions are followed for MAX_STEPS in all. */
#include "passes/register_nest.h"

/* ------------------------------------------------------------------------------------------------------- reductions */

/* The least, with `sign` -1 the most, that the left side of a bound comes to in the iterations of the loops but that at
 * `depth`, the number of those that have been entered. */
static ir_index end_of_others(const register_nest *nest, ir_builder *builder, const mask_bound *bound, unsigned depth,
                              int sign) {
  const vector_tile *tile = &nest->tile;
  ir_index sum = mask_outer(builder, bound);
  sum = ir_index_add(builder, sum, ir_index_const(sign > 0 ? bound->least : bound->most));
  for (unsigned at = 0; at < nest->plan.num_loops; at++) {
    unsigned loop = nest->plan.order[at];
    int64_t step = bound->steps[loop];
    if (at == depth || !step)
      continue;
    ir_index last = nest->extents[loop];
    if (at < depth) {
      last = ir_index_const(vector_tile_size(tile, loop));
      sum = ir_index_add(builder, sum, ir_index_scale(builder, tile->starts[loop], step));
    }
    if ((step < 0) == (sign > 0))
      sum = ir_index_add(builder, sum, ir_index_scale(builder, ir_index_sub(builder, last, ir_index_const(1)), step));
  }
  for (unsigned i = 0; i < bound->num_quotients; i++) {
    const mask_quotient *quotient = &bound->quotients[i];
    int side = quotient->factor > 0 ? sign : -sign;
    ir_index end = end_of_others(nest, builder, quotient->dividend, depth, side);
    end = ir_index_floordiv(builder, end, quotient->divisor);
    sum = ir_index_add(builder, sum, ir_index_scale(builder, end, quotient->factor));
  }
  return sum;
}

/* The bound's left side may be so large that no extent can be multiplied by it. */
static bool is_far(const mask_bound *bound) {
  enum { MOST_FACTOR = 16 };
  for (unsigned i = 0; i < bound->count; i++)
    if (bound->coefficients[i] > MOST_FACTOR || bound->coefficients[i] < -MOST_FACTOR)
      return true;
  return false;
}

void register_leave_out_hidden(const register_nest *nest, ir_builder *builder, unsigned depth,
                               register_segment *segment) {
  unsigned loop = nest->plan.order[depth];
  int64_t unrolled = (ir_is_contraction(nest->op) ? nest->plan.unroll : 1) * nest->plan.steps[loop];
  ir_index extent = segment->to, copies = ir_index_const(unrolled), zero = ir_index_const(0);
  for (unsigned i = 0; i < nest->reduced.where.count; i++) {
    mask_bound bound = nest->reduced.where.bounds[i];
    if (!mask_undivide(&bound, loop))
      continue;
    int64_t step = bound.steps[loop];
    ir_index room =
        ir_index_scale(builder, end_of_others(nest, builder, &bound, depth, 1), -1); /* step * iteration <= room */
    if (step < 0) {
      ir_index first = ir_index_scale(builder, ir_index_floordiv(builder, room, -step), -1);
      ir_index whole = ir_index_scale(builder, ir_index_floordiv(builder, first, unrolled), unrolled);
      segment->from = ir_index_max(builder, segment->from, whole);
      continue;
    }
    ir_index visible = ir_index_add(builder, step ? ir_index_floordiv(builder, room, step) : room, ir_index_const(1));
    if (!step && is_far(&bound))
      visible = ir_index_min(builder, visible, ir_index_const(1));
    ir_index whole = step ? ir_index_mul(builder, ir_index_ceildiv(builder, visible, unrolled), copies)
                          : ir_index_mul(builder, ir_index_max(builder, visible, zero), extent);
    segment->to = ir_index_min(builder, segment->to, whole);
  }
}

/* The bound, over the loops of a member of the group, over those of its leader. */
static mask_bound bound_of_leader(const register_nest *nest, const register_member *member, const mask_bound *bound) {
  const ir_map *result = ir_init_map(nest->op, 0);
  mask_bound leaders = *bound;
  int to[IR_MAX_LOOPS] = {0};
  for (unsigned dim = 0; dim < result->num_results; dim++) {
    int loop = ir_map_result_dim(result, dim);
    to[member->loops[loop]] = loop;
  }
  mask_rename(&leaders, nest->op, IR_MAX_LOOPS, to); /* the result has all loops of the member */
  return leaders;
}

void register_add_hidden_result(register_nest *nest) {
  const register_group *group = &nest->group;
  hidden_element element = {.known.kind = KNOWN_NOTHING};
  unsigned k = 0;
  for (; k < group->count && ir_init(group->epilogues[k].op, 0) == ir_init(nest->op, 0); k++) {
    element = hidden_result(group->epilogues[k].op);
    if (element.known.kind == KNOWN_HIDDEN)
      break;
  }
  for (unsigned i = 0; i < element.where.count && nest->reduced.where.count < MASK_MAX_BOUNDS; i++)
    nest->reduced.where.bounds[nest->reduced.where.count++] =
        bound_of_leader(nest, &group->epilogues[k], &element.where.bounds[i]);
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* Adds what holds wherever the condition, by which the body of an epilogue hides something, is `hiding`. False where
 * not all ways to become so can be said. */
static bool add_hiding(register_shown *shown, ir_op *op, const ir_value *condition, bool hiding) {
  const ir_op *from = condition->op;
  if (from && from->code == (hiding ? OP_ARITH_ORI : OP_ARITH_ANDI))
    return add_hiding(shown, op, ir_operand(from, 0), hiding) && add_hiding(shown, op, ir_operand(from, 1), hiding);
  mask where = {0};
  mask_add(&where, op, condition, hiding);
  if (!where.count || shown->count == REGISTER_MAX_MASKS)
    return false;
  shown->hiding[shown->count++] = where;
  return true;
}

/* The op chooses between its operand *operand and what a mask has in its place, by a condition that may be known: its
 * masks are added. */
static bool add_mask(register_shown *shown, ir_op *op, const ir_op *select, unsigned *operand) {
  known_choice choice;
  unsigned count = shown->count;
  if (!known_choice_of(select, &choice) || !choice.shown)
    return false;
  *operand = choice.shown;
  if (add_hiding(shown, op, choice.condition, !choice.shown_if))
    return true;
  shown->count = count;
  return false;
}

/* The epilogue without its masks; the copy's op is NULL where it has none. */
static register_shown without_masks(ir_op *op) {
  register_shown shown = {0};
  ir_builder builder = ir_builder_before(op);
  ir_op *copy = ir_op_clone(&builder, op, ir_value_map_create(op->module));
  ir_op *in_copy = ir_region(copy, 0)->first;
  for (ir_op *inner = ir_region(op, 0)->first, *next; inner; inner = inner->next, in_copy = next) {
    unsigned visible;
    next = in_copy->next;
    if (!add_mask(&shown, op, inner, &visible))
      continue;
    ir_replace_op(in_copy, ir_operand(in_copy, visible));
    shown.op = copy;
  }
  if (!shown.op)
    ir_op_erase(copy);
  return shown;
}

void register_find_shown(register_nest *nest) {
  const register_group *group = &nest->group;
  if (!ir_is_contraction(nest->op) || group->num_feeders)
    return;
  for (unsigned k = 0; k < group->count && !nest->shown.op; k++) {
    if (ir_structure_of(group->epilogues[k].op)->reductions)
      return;
    nest->shown = without_masks(group->epilogues[k].op);
    nest->shown.member = k;
    for (unsigned i = 0; i < nest->shown.count; i++)
      for (unsigned b = 0; b < nest->shown.hiding[i].count; b++) {
        mask_bound *bound = &nest->shown.hiding[i].bounds[b];
        *bound = bound_of_leader(nest, &group->epilogues[k], bound);
      }
  }
}

ir_value *register_is_shown(const register_nest *nest, ir_builder *builder) {
  const register_shown *shown = &nest->shown;
  ir_index least = {0};
  if (!shown->op)
    return NULL;
  for (unsigned i = 0; i < shown->count; i++) {
    ir_index most = {0};
    for (unsigned b = 0; b < shown->hiding[i].count; b++) {
      ir_index sum = end_of_others(nest, builder, &shown->hiding[i].bounds[b], nest->plan.num_loops, 1);
      most = b ? ir_index_max(builder, most, sum) : sum;
    }
    least = i ? ir_index_min(builder, least, most) : most;
  }
  return ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, ir_const_index(builder, 0), ir_index_value(builder, least));
}
