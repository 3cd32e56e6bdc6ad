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
 * Invariants
 *  - Only the order of dims in tensors changes, and maps with it: no loop, and no body of an op.
 *  - All is checked before anything changes. The dim in lanes is found in each tensor from the ops that use it; it is
 *    nowhere reduced, has whole registers at most, and no tile of memory that has it is read in the loop, but where
 *    that may be transposed in each step (target_turns_tiles).
 *  - Where there may be fewer rows, as in the last tile of a ragged length, the loop computes all that there can be:
 *    rows that are none start as zeros, stay in lanes of their own, and are left out behind the loop.
 * Terminates: a tensor's dim is set once, and each set one is followed once. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"

#include <string.h>

/* Registers of rows that a product's tile has side by side: fewer would leave some empty, or widen each element of the
 * other factor for too few (f16, 32 and 48 rows 1.4 to 1.5x; Zen 5). More rows than that pay for transposing the other
 * factor, and for asking memory for it ahead. */
enum { MIN_REGISTERS = 2, MIN_REGISTERS_WIDENING = 4, MAX_ROWS = 64, MAX_OPS = 64 };

typedef struct orientation {
  ir_op *loop;
  int64_t rows;     /* in lanes, at most .. */
  bool is_padded;   /* .. and there may be fewer */
  bool turns_tiles; /* tiles of memory that the loop reads may be transposed in each step */
  unsigned num_ops;
  ir_op *ops[MAX_OPS];     /* structured ops of the loop's body that have the dim .. */
  unsigned lanes[MAX_OPS]; /* .. as this loop of theirs */
  int carried[MAX_OPS];    /* carried value i has it as this dim, -1: has it not */
} orientation;

/* ------------------------------------------------------------------------------------------------------- checking */

static bool follow_value(orientation *o, ir_value *value, unsigned dim);

/* The loop of the op that is in lanes; -1: none, as far as is known. */
static int lane_of(const orientation *o, const ir_op *op) {
  for (unsigned i = 0; i < o->num_ops; i++)
    if (o->ops[i] == op)
      return (int)o->lanes[i];
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
  o->lanes[o->num_ops] = lane;
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
  int lane = ir_map_result_dim(ir_structure_of(value->op)->maps[ir_num_inputs(value->op) + value->index], dim);
  return lane >= 0 && follow_op(o, value->op, (unsigned)lane) && follow_uses(o, value, dim);
}

/* So many rows fill registers side by side, and not too many of them. */
static bool fill_registers(int64_t rows, ir_scalar element, ir_scalar other, const target_facts *facts) {
  int64_t lanes = facts->vector_bits / ir_scalar_bits(element);
  int64_t least = ir_scalar_bits(other) < ir_scalar_bits(element) ? MIN_REGISTERS_WIDENING : MIN_REGISTERS;
  return lanes && rows % lanes == 0 && rows >= least * lanes && rows <= MAX_ROWS;
}

/* The loop of the contraction that only a factor from outside of the loop has, if the other factor's tiles would have
 * to be transposed for what is the last dim of the result now; -1: none that is worth to be in lanes. */
static int find_lane(const ir_op *op, const ir_block *body, const target_facts *facts, orientation *o) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *out = structure->maps[2];
  int last = out->num_results ? ir_map_result_dim(out, out->num_results - 1) : -1;
  for (unsigned side = 0; side < 2 && last >= 0; side++) {
    const ir_map *stays = structure->maps[side], *moves = structure->maps[1 - side];
    int inner = ir_map_find_dim(moves, (unsigned)last);
    ir_scalar element = ir_operand(op, side)->type->element;
    if (!ir_value_is_outside(ir_operand(op, side), body) || ir_value_is_outside(ir_operand(op, 1 - side), body) ||
        inner < 0 || inner + 1 == (int)moves->num_results || ir_scalar_bits(element) < 32)
      continue;
    for (unsigned dim = out->num_results; dim-- > 0;) {
      int lane = ir_map_result_dim(out, dim), place = lane < 0 ? -1 : ir_map_find_dim(stays, (unsigned)lane);
      if (place < 0 || ir_map_find_dim(moves, (unsigned)lane) >= 0)
        continue;
      extent extent = extent_of(ir_operand(op, side), (unsigned)place);
      o->is_padded = extent.value != NULL;
      o->rows = extent_bound(extent);
      return fill_registers(o->rows, element, ir_operand(op, 1 - side)->type->element, facts) ? lane : -1;
    }
  }
  return -1;
}

/* -------------------------------------------------------------------------------------------------------- rewriting */

/* The map of a tensor after its dim has become the last. */
static const ir_map *turned_map(ir_module *module, const ir_map *map, unsigned dim) {
  const ir_expr *results[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < map->num_results; i++)
    if (i != dim)
      results[count++] = map->results[i];
  results[count++] = map->results[dim];
  return ir_map_get(module, map->num_dims, map->num_syms, count, results);
}

/* As the value, with the dim last, of `rows`. */
static ir_value *empty_turned(ir_builder *builder, ir_value *value, unsigned dim, int64_t rows) {
  ir_index shape[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < value->type->rank; i++)
    if (i != dim)
      shape[count++] = pass_dim(builder, value, i);
  shape[count++] = ir_index_const(rows);
  return ir_empty(builder, value->type->element, count, shape);
}

/* Where the rows of a value begin and how far they go, as a slice of one that has more. */
static ir_value *leading_rows(ir_builder *builder, ir_value *padded, ir_value *like, ir_value *insert) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  for (unsigned i = 0; i < like->type->rank; i++) {
    offsets[i] = ir_index_const(0);
    sizes[i] = pass_dim(builder, like, i);
  }
  return insert ? ir_insert_slice(builder, insert, padded, offsets, sizes)
                : ir_extract_slice(builder, padded, offsets, sizes, like->type);
}

/* The value with zeros behind its rows, which are `rows` then. They are copied as they lie, as transposing is fast
 * where it knows how many there are. */
static ir_value *pad(ir_builder *builder, ir_value *value, unsigned dim, int64_t rows) {
  if (value->type->shape[dim] == rows)
    return value;
  ir_index shape[IR_MAX_RANK];
  for (unsigned i = 0; i < value->type->rank; i++)
    shape[i] = i == dim ? ir_index_const(rows) : pass_dim(builder, value, i);
  ir_value *empty = ir_empty(builder, value->type->element, value->type->rank, shape);
  return leading_rows(builder, ir_fill_const(builder, 0, empty), value, value);
}

/* A value from outside of the loop, with the dim last, of `rows`. */
static ir_value *turn(ir_builder *builder, ir_value *value, unsigned dim, int64_t rows) {
  bool is_last = dim + 1 == value->type->rank;
  if (is_last && value->type->shape[dim] == rows)
    return value;
  if (value->op && value->op->code == OP_TENSOR_EMPTY)
    return empty_turned(builder, value, dim, rows);
  if (value->op && value->op->code == OP_LINALG_FILL)
    return ir_fill(builder, ir_operand(value->op, 0), empty_turned(builder, value, dim, rows));
  ir_value *padded = pad(builder, value, dim, rows);
  if (is_last)
    return padded;
  const ir_map *identity = ir_map_identity(builder->module, value->type->rank);
  return body_copy(builder, padded, identity, empty_turned(builder, value, dim, rows),
                   turned_map(builder->module, identity, dim));
}

/* Such a value with its dims in their places again and as many rows as `like` has. */
static ir_value *turn_back(ir_builder *builder, ir_value *value, ir_value *like, unsigned dim, int64_t rows) {
  if (dim + 1 < like->type->rank) {
    const ir_map *identity = ir_map_identity(builder->module, like->type->rank);
    ir_index shape[IR_MAX_RANK];
    for (unsigned i = 0; i < like->type->rank; i++)
      shape[i] = i == dim ? ir_index_const(rows) : pass_dim(builder, like, i);
    value = body_copy(builder, value, turned_map(builder->module, identity, dim),
                      ir_empty(builder, like->type->element, like->type->rank, shape), identity);
  }
  return like->type->shape[dim] == rows ? value : leading_rows(builder, value, like, NULL);
}

/* A tile of memory that the loop reads, with the dim last: turned before the first op of the loop that computes, so
 * that nothing stands between the product of the scores and what takes the tile in. */
static ir_value *turn_tile(ir_value *value, unsigned dim, int64_t rows) {
  ir_op *slice = value->op, *first = slice->block->first;
  while (first != slice && !ir_op_has(first, IR_STRUCTURED))
    first = first->next;
  for (unsigned i = 0; i < slice->num_operands; i++) {
    ir_op *from = ir_operand(slice, i)->op;
    if (from && from->block == slice->block && !ir_op_is_before(from, first))
      first = slice;
  }
  if (first != slice)
    ir_op_move_before(slice, first);
  ir_builder builder = ir_builder_after(slice);
  return turn(&builder, value, dim, rows);
}

/* The op with the dim last in all that have it. Its operands from inside of the loop, which come before, have it so. */
static void orient_op(ir_op *op, unsigned lane, ir_op *loop, int64_t rows) {
  ir_builder builder = ir_builder_before(op), outside = ir_builder_before(loop);
  recast recast;
  recast_begin(&recast, op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    int dim = ir_map_find_dim(recast.maps[i], lane);
    if (dim < 0)
      continue;
    recast.maps[i] = turned_map(op->module, recast.maps[i], (unsigned)dim);
    if (ir_value_is_outside(recast.operands[i], op->block))
      recast.operands[i] = turn(&outside, recast.operands[i], (unsigned)dim, rows);
    else if (recast.operands[i]->op && recast.operands[i]->op->code == OP_TENSOR_EMPTY)
      recast.operands[i] = turn(&builder, recast.operands[i], (unsigned)dim, rows);
    else if (recast.operands[i]->op && recast.operands[i]->op->code == OP_TENSOR_EXTRACT_SLICE)
      recast.operands[i] = turn_tile(recast.operands[i], (unsigned)dim, rows);
  }
  if (op->code == OP_LINALG_FILL) {
    ir_replace_uses(ir_result(op, 0), ir_fill(&builder, recast.operands[0], recast.operands[1]));
    ir_op_erase(op);
    return;
  }
  recast_replace(op, recast_create(&recast, &builder, NULL));
}

static void orient_loop(const orientation *o) {
  ir_op *old = o->loop;
  ir_builder before = ir_builder_before(old), after = ir_builder_after(old);
  ir_value *inits[MAX_OPS];
  for (unsigned i = 0; i < old->num_results; i++) {
    inits[i] = ir_operand(old, 3 + i);
    if (o->carried[i] >= 0)
      inits[i] = turn(&before, inits[i], (unsigned)o->carried[i], o->rows);
  }
  ir_op *loop = pass_move_loop(&before, old, old->num_results, inits);
  ir_block *from = ir_region(old, 0), *to = ir_region(loop, 0);
  for (unsigned i = 0; i < from->num_args; i++)
    ir_replace_uses(from->args[i], to->args[i]);
  for (ir_op *op = to->first, *next; op; op = next) {
    next = op->next;
    int lane = lane_of(o, op);
    if (lane >= 0)
      orient_op(op, (unsigned)lane, loop, o->rows);
  }
  for (unsigned i = 0; i < old->num_results; i++) {
    ir_value *result = ir_result(loop, i);
    if (o->carried[i] >= 0)
      result = turn_back(&after, result, ir_operand(old, 3 + i), (unsigned)o->carried[i], o->rows);
    ir_replace_uses(ir_result(old, i), result);
  }
  ir_op_erase(old);
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
    ir_replace_uses(ir_result(op, 0), ir_operand(op, 0));
    ir_op_erase(op);
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

static bool orient_kernel(ir_op *kernel, const pass_options *options) {
  for (ir_op *op = ir_region(kernel, 0)->first, *next; op; op = next) {
    orientation o;
    next = op->next;
    if (op->code == OP_SCF_FOR && find_orientation(op, options->target, &o))
      orient_loop(&o);
  }
  return true;
}

bool pass_orient(ir_module *module, const pass_options *options) {
  return !target_has_rows_in_lanes(options->target) || pass_visit_kernels(module, options, orient_kernel);
}
