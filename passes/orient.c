/* orient.c - pass "orient": what a loop computes from a product with a factor that stays is laid out by that factor's
 * rows.
 *
 *     for j { s[q, k] = sum x[q, d] * y[j + k, d]; .. reductions over k, another product over k .. }     becomes
 *     xt[d, q] = x[q, d];  for j { s[k, q] = sum xt[d, q] * y[j + k, d]; .. }
 *
 * Registers hold neighbours of the last dim. With rows of the factor that stays there, that factor is transposed once,
 * before the loop, where y would be in each step; and what is reduced over k later (the maxima and sums of a softmax)
 * is reduced from register to register, not across lanes. In attention queries are in lanes then, where a tile has
 * enough of them and not too many (1.02 to 1.04x on AVX-512). What the loop carries is transposed back behind it.
 *
 * Where registers are so few that a tile has two of them side by side, rows are taken in blocks of as many:
 *
 *     for j { for b { s[k, q] = sum xt[b, d, q] * y[j + k, d]; .. } }
 *
 * What a block computes stays in the first cache from op to op, and y in the second one for all blocks. A block is left
 * out where a mask hides all its scores of the step.
 *
 * Invariants
 *  - Only the order of dims in tensors changes, and maps with it: no body of an op, and no loop but that over blocks.
 *  - All is checked before anything changes. The dim in lanes is found in each tensor from the ops that use it; it is
 *    nowhere reduced, has whole registers at most, and no tile of memory that has it is read in the loop, but where
 *    that may be transposed in each step (target_turns_tiles).
 *  - Where there may be fewer rows, as in the last tile of a ragged length, the loop computes all that there can be:
 *    rows that are none start as zeros, stay in lanes of their own, and are left out behind the loop.
 * Terminates: a tensor's dim is set once, and each set one is followed once. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/hidden.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/register_plan.h"
#include "passes/tile_policy.h"
#include "passes/turn.h"
#include "passes/vectorize.h"

#include <math.h>
#include <string.h>

/* Registers of rows that a product's tile has side by side where it widens each element of the other factor: fewer are
 * too few for that (f16, 32 and 48 rows 1.4 to 1.5x; Zen 5). */
enum { MIN_REGISTERS_WIDENING = 4, MAX_BLOCKS = 64, MAX_OPS = 64 };

typedef struct orientation {
  ir_op *loop;
  turning turning;  /* rows of a block are in lanes; but .. */
  extent rows;      /* .. of the last blocks .. */
  bool is_padded;   /* .. there may be fewer */
  bool turns_tiles; /* tiles of memory that the loop reads may be transposed in each step */
  unsigned num_ops;
  ir_op *ops[MAX_OPS];     /* structured ops of the loop's body that have the dim .. */
  unsigned loops[MAX_OPS]; /* .. as this loop of theirs */
  int carried[MAX_OPS];    /* carried value i has it as this dim, -1: has it not */
} orientation;

/* ------------------------------------------------------------------------------------------------------- checking */

static bool follow_value(orientation *o, ir_value *value, unsigned dim);

/* The loop of the op that is in lanes; -1: none, as far as is known. */
static int lane_of(const orientation *o, const ir_op *op) {
  for (unsigned i = 0; i < o->num_ops; i++)
    if (o->ops[i] == op)
      return (int)o->loops[i];
  return -1;
}

/* May be computed for rows that are none: nothing is read by index, and nothing divided by what may be 0 there. */
static bool computes_anywhere(const ir_op *op) {
  const ir_block *body = op->num_regions ? ir_region(op, 0) : NULL;
  for (const ir_op *inner = body ? body->first : NULL; inner && inner != body->last; inner = inner->next)
    if (!ir_op_has(inner, IR_SPECULATABLE))
      return false;
  return true;
}

/* The op of the loop's body has the dim in lanes as its loop `lane`. */
static bool follow_op(orientation *o, ir_op *op, unsigned lane) {
  int known = lane_of(o, op);
  if (known >= 0)
    return known == (int)lane;
  recast recast;
  if (o->num_ops == MAX_OPS || !recast_begin(&recast, op) || ir_loop_is_reduction(ir_structure_of(op), lane) ||
      (o->is_padded && !computes_anywhere(op)))
    return false;
  o->loops[o->num_ops] = lane;
  o->ops[o->num_ops++] = op;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_map *map = recast.maps[i];
    int dim = ir_map_find_dim(map, lane);
    for (unsigned k = 0; k < map->num_results; k++)
      if ((int)k != dim && ir_expr_uses_dim(map->results[k], lane))
        return false;
    if (dim >= 0 && !follow_value(o, recast.operands[i], (unsigned)dim))
      return false;
    if (dim >= 0 && i >= recast.num_ins && !follow_value(o, ir_result(op, i - recast.num_ins), (unsigned)dim))
      return false;
  }
  return true;
}

/* The carried value has the dim in lanes as `dim`. */
static bool follow_carried(orientation *o, unsigned i, unsigned dim) {
  if (o->carried[i] >= 0)
    return o->carried[i] == (int)dim;
  o->carried[i] = (int)dim;
  ir_block *body = ir_region(o->loop, 0);
  return follow_value(o, body->args[1 + i], dim) && follow_value(o, ir_operand(body->last, i), dim);
}

static bool follow_uses(orientation *o, ir_value *value, unsigned dim) {
  const ir_block *body = ir_region(o->loop, 0);
  for (const ir_use *use = value->uses; use; use = use->next) {
    ir_op *user = use->user;
    if (user == body->last) {
      if (!follow_carried(o, ir_use_index(use), dim))
        return false;
    } else if (user->block != body || !ir_op_has(user, IR_STRUCTURED)) {
      return false;
    } else {
      int lane = ir_map_result_dim(ir_structure_of(user)->maps[ir_use_index(use)], dim);
      if (lane < 0 || !follow_op(o, user, (unsigned)lane))
        return false;
    }
  }
  return true;
}

/* A tensor of the loop has the dim in lanes as `dim`. What comes from outside is transposed once; what the loop reads
 * of memory, as an added mask, in each step, where that pays. */
static bool follow_value(orientation *o, ir_value *value, unsigned dim) {
  ir_block *body = ir_region(o->loop, 0);
  bool is_last = dim + 1 == value->type->rank;
  if (ir_value_is_outside(value, body))
    return true;
  if (!value->op)
    return value->block == body && value->index > 0 && follow_carried(o, value->index - 1, dim) &&
           follow_uses(o, value, dim);
  if (value->op->code == OP_TENSOR_EMPTY)
    return true;
  if (!ir_op_has(value->op, IR_STRUCTURED))
    return is_last || (o->turns_tiles && value->op->code == OP_TENSOR_EXTRACT_SLICE);
  int lane = ir_map_result_dim(ir_init_map(value->op, value->index), dim);
  return lane >= 0 && follow_op(o, value->op, (unsigned)lane) && follow_uses(o, value, dim);
}

/* So many rows fill registers side by side, and not too many of them, or blocks of such: `all` are those of all tiles,
 * which nearly fill blocks, or IR_DYNAMIC. */
static bool fill_registers(orientation *o, int64_t rows, int64_t all, ir_scalar element, ir_scalar other,
                           const target_facts *facts) {
  int64_t lanes = facts->vector_bits / ir_scalar_bits(element);
  int64_t least = ir_scalar_bits(other) < ir_scalar_bits(element) ? MIN_REGISTERS_WIDENING : TILE_LANE_REGISTERS;
  bool by_blocks = target_has_small_tiles(facts);
  int64_t block = by_blocks ? tile_block_rows(facts, element) : rows;
  if (!lanes || rows < least * lanes || block % lanes || block > TILE_MOST_LANES || rows > MAX_BLOCKS * block)
    return false;
  if (by_blocks && ir_scalar_bits(other) < ir_scalar_bits(element)) /* widened for each block anew */
    return false;
  if (by_blocks && (all == IR_DYNAMIC ? rows > TILE_MOST_LANES : !tile_is_nearly_filled(all, block)))
    return false;
  o->is_padded |= rows % block != 0;
  o->turning = (turning){block, (rows - 1) / block + 1};
  return true;
}

/* The loop of the contraction that only a factor from outside of the loop has, if the other factor's tiles would have
 * to be transposed for what is the last dim of the result now; -1: none that is worth to be in lanes. */
static int find_lane(const ir_op *op, const ir_block *body, const target_facts *facts, orientation *o) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *out = structure->maps[2];
  int last = ir_map_last_dim(out);
  for (unsigned side = 0; side < 2 && last >= 0; side++) {
    const ir_map *stays = structure->maps[side], *moves = structure->maps[1 - side];
    int inner = ir_map_find_dim(moves, (unsigned)last);
    ir_scalar element = ir_operand(op, side)->type->element, other = ir_operand(op, 1 - side)->type->element;
    if (register_plan_has_bytes(op, facts)) /* four of them are as wide as what lanes add up */
      element = other = IR_I32;
    if (!ir_value_is_outside(ir_operand(op, side), body) || ir_value_is_outside(ir_operand(op, 1 - side), body) ||
        inner < 0 || inner + 1 == (int)moves->num_results || ir_scalar_bits(element) < 32)
      continue;
    for (unsigned dim = out->num_results; dim-- > 0;) {
      int lane = ir_map_result_dim(out, dim), place = lane < 0 ? -1 : ir_map_find_dim(stays, (unsigned)lane);
      if (place < 0 || ir_map_find_dim(moves, (unsigned)lane) >= 0)
        continue;
      extent extent = extent_of(ir_operand(op, side), (unsigned)place);
      o->is_padded = extent.value != NULL;
      o->rows = extent;
      int64_t all = extent_of_tiles(ir_operand(op, side), (unsigned)place);
      return fill_registers(o, extent_bound(extent), all, element, other, facts) ? lane : -1;
    }
  }
  return -1;
}

/* -------------------------------------------------------------------------------------------------------- rewriting */

/* A tile of memory that the loop reads, with the dim last: turned before the first op of the loop that computes, so
 * that nothing stands between the product of the scores and what takes the tile in. */
static ir_value *turn_tile(ir_value *value, unsigned dim, const turning *turning) {
  ir_op *slice = value->op, *first = slice->block->first;
  while (first != slice && !ir_op_has(first, IR_STRUCTURED))
    first = first->next;
  if (first != slice && ir_operands_are_before(slice, first))
    ir_op_move_before(slice, first);
  ir_builder builder = ir_builder_after(slice);
  return turn_value(&builder, value, dim, turning);
}

/* The op with the dim last in all that have it. Its operands from inside of the loop, which come before, have it so. */
static void orient_op(ir_op *op, unsigned lane, const orientation *o, ir_op *loop, ir_value *block) {
  ir_builder builder = ir_builder_before(op), outside = ir_builder_before(loop);
  recast recast;
  recast_begin(&recast, op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    int dim = ir_map_find_dim(recast.maps[i], lane);
    ir_value *operand = recast.operands[i];
    if (dim < 0)
      continue;
    recast.maps[i] = turn_map(op->module, recast.maps[i], (unsigned)dim);
    if (ir_value_is_outside(operand, ir_region(loop, 0))) {
      operand = turn_value(&outside, operand, (unsigned)dim, &o->turning);
    } else if (ir_made_by(operand, OP_TENSOR_EMPTY)) {
      recast.operands[i] = turn_empty_block(&builder, operand, (unsigned)dim, o->turning.lanes);
      continue;
    } else if (ir_made_by(operand, OP_TENSOR_EXTRACT_SLICE) && operand->op->block == ir_region(loop, 0)) {
      operand = turn_tile(operand, (unsigned)dim, &o->turning);
    } else {
      continue;
    }
    recast.operands[i] = block ? turn_extract(&builder, operand, block) : operand;
  }
  if (op->code == OP_LINALG_FILL) {
    ir_replace_op(op, ir_fill(&builder, recast.operands[0], recast.operands[1]));
    return;
  }
  ir_op *turned = recast_create(&recast, &builder, NULL);
  if (block)
    body_move_index(turned, lane, ir_index_scale(&builder, (ir_index){.value = block}, o->turning.lanes));
  ir_replace_op_by(op, turned);
}

/* Moves the ops that have rows into a loop over blocks of these, at the end of the loop, which carries whole values:
 * each block's part of what is carried stands for that. Returns the counter. */
static ir_value *create_blocks(const orientation *o, ir_op *loop, const ir_op *old) {
  ir_block *body = ir_region(loop, 0);
  ir_builder builder = ir_builder_before(body->last);
  ir_value *inits[MAX_OPS], *yielded[MAX_OPS];
  unsigned count = 0;
  for (unsigned i = 0; i < old->num_results; i++)
    if (o->carried[i] >= 0)
      inits[count++] = body->args[1 + i];
  ir_index blocks = ir_index_const(o->turning.blocks);
  if (o->is_padded) {
    ir_builder before = ir_builder_before(loop);
    blocks = ir_index_ceildiv(&before, extent_compute(&before, o->rows), o->turning.lanes);
  }
  ir_op *inner = ir_for(&builder, ir_index_const(0), blocks, ir_index_const(1), count, inits);
  ir_block *block = ir_region(inner, 0);
  builder = ir_builder_at_end(block);
  for (unsigned i = 0, k = 0; i < old->num_results; i++) {
    ir_value *value = body->args[1 + i];
    if (o->carried[i] >= 0)
      value = turn_extract(&builder, block->args[1 + k++], block->args[0]);
    ir_replace_uses(ir_region(old, 0)->args[1 + i], value);
  }
  for (ir_op *op = body->first, *next; op != inner; op = next) {
    next = op->next;
    if (lane_of(o, op) >= 0)
      ir_op_move_to_end(op, block);
  }
  builder = ir_builder_at_end(block);
  for (unsigned i = 0, k = 0; i < old->num_results; i++)
    if (o->carried[i] >= 0) {
      yielded[k] = turn_insert(&builder, ir_operand(body->last, i), block->args[1 + k], block->args[0]);
      ir_set_operand(body->last, i, ir_result(inner, k++));
    }
  ir_terminator(&builder, OP_SCF_YIELD, count, yielded);
  return block->args[0];
}

/* The op's result is what a running softmax takes the maximum of: scores. */
static bool makes_scores(const ir_op *op) {
  for (const ir_use *use = op->num_results == 1 ? ir_result(op, 0)->uses : NULL; use; use = use->next) {
    ir_opcode combine;
    if (ir_op_has(use->user, IR_STRUCTURED) && use->user->num_results == 1 && ir_structure_of(use->user)->reductions &&
        vectorize_combiner(use->user, 0, &combine) && combine == OP_ARITH_MAXIMUMF)
      return true;
  }
  return false;
}

/* The loop over blocks leaves out those of which every score is hidden by the op's mask. */
static void skip_hidden(ir_op *blocks, ir_op *op) {
  ir_bounds bounds = ir_bounds_of(blocks, 0);
  ir_builder builder = ir_builder_before(blocks);
  mask_window window = {ir_region(blocks, 0)->args[0], bounds.lower, bounds.upper, bounds.step.constant};
  if (!body_is_elementwise(op) || !makes_scores(op))
    return;
  hidden_element scores = hidden_result(op);
  for (unsigned i = 0; known_is(scores.known, -INFINITY) && i < scores.where.count; i++)
    mask_keep_below(&builder, &window, scores.where.bounds[i]);
  ir_set_operand(blocks, 0, ir_index_value(&builder, window.lower));
  ir_set_operand(blocks, 1, ir_index_value(&builder, window.upper));
}

/* Returns the loop that stands for the old one. */
static ir_op *orient_loop(const orientation *o) {
  ir_op *old = o->loop;
  const turning *turning = &o->turning;
  ir_builder before = ir_builder_before(old);
  ir_value *inits[MAX_OPS], *block = NULL;
  for (unsigned i = 0; i < old->num_results; i++) {
    inits[i] = ir_loop_init(old, i);
    if (o->carried[i] >= 0)
      inits[i] = turn_value(&before, inits[i], (unsigned)o->carried[i], turning);
  }
  ir_op *loop = pass_move_loop(&before, old, old->num_results, inits);
  ir_block *from = ir_region(old, 0), *to = ir_region(loop, 0);
  ir_replace_uses(from->args[0], to->args[0]);
  if (turning->blocks > 1)
    block = create_blocks(o, loop, old);
  for (unsigned i = 1; i < from->num_args; i++)
    ir_replace_uses(from->args[i], to->args[i]);
  for (ir_op *op = block ? block->block->first : to->first, *next; op; op = next) {
    next = op->next;
    int lane = lane_of(o, op);
    if (lane >= 0)
      orient_op(op, (unsigned)lane, o, loop, block);
  }
  for (ir_op *op = block ? block->block->first : NULL; op && ir_attr_get(loop, PASS_NEUTRAL); op = op->next)
    if (ir_op_has(op, IR_STRUCTURED))
      skip_hidden(block->block->parent, op);
  if (turning->blocks > 1 && !o->is_padded)
    turn_readers(old, loop, o->carried, turning);
  ir_builder after = ir_builder_after(old); /* readers, which may have been next, are gone */
  for (unsigned i = 0; i < old->num_results; i++) {
    ir_value *result = ir_result(loop, i);
    if (o->carried[i] >= 0 && !ir_value_unused(ir_result(old, i)))
      result = turn_back(&after, result, ir_loop_init(old, i), (unsigned)o->carried[i], turning);
    ir_replace_uses(ir_result(old, i), result);
  }
  ir_op_erase(old);
  return loop;
}

/* --------------------------------------------------------------------------------------------------------- the pass */

/* Tiles of open extents of what the loop carries are cut out and put back as a whole: takes that away. */
static void drop_whole_slices(ir_op *loop) {
  ir_block *body = ir_region(loop, 0);
  for (ir_op *op = body->first; op; op = op->next)
    op->mark = slice_is_whole(op);
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!op->mark)
      continue;
    ir_replace_op(op, ir_operand(op, 0));
  }
}

static bool find_orientation(ir_op *loop, const target_facts *facts, orientation *o) {
  ir_block *body = ir_region(loop, 0);
  for (ir_op *op = body->first; op && loop->num_results <= MAX_OPS; op = op->next) {
    *o = (orientation){.loop = loop, .turns_tiles = target_turns_tiles(facts)};
    memset(o->carried, -1, sizeof o->carried);
    int lane = ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op) ? find_lane(op, body, facts, o) : -1;
    if (lane >= 0 && o->is_padded)
      drop_whole_slices(loop);
    if (lane >= 0 && follow_op(o, op, (unsigned)lane))
      return true;
  }
  return false;
}

bool pass_orient(ir_op *kernel, const pass_options *options) {
  for (ir_op *op = ir_region(kernel, 0)->first; op; op = op->next) {
    orientation o;
    if (target_has_rows_in_lanes(options->target) && op->code == OP_SCF_FOR &&
        find_orientation(op, options->target, &o))
      op = orient_loop(&o);
  }
  return true;
}
