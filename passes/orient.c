/* orient.c - pass "orient": what a loop computes from a product with a factor that stays is laid out by that factor's
 * rows.
 *
 *     for j { s[q, k] = sum x[q, d] * y[j + k, d]; .. reductions over k, another product over k .. }     becomes
 *     xt[d, q] = x[q, d];  for j { s[k, q] = sum xt[d, q] * y[j + k, d]; .. }
 *
 * Registers hold neighbours of the last dim. With rows of the factor that stays there, that factor is transposed once,
 * before the loop, where y would be in each step; and what is reduced over k later (the maxima and sums of a softmax) is
 * reduced from register to register, not across lanes. In attention queries are in lanes then, where a tile has enough
 * of them and not too many (1.02 to 1.04x on AVX-512). What the loop carries is transposed back behind it.
 *
 * Invariants
 *  - Only the order of dims in tensors changes, and maps with it: no loop, and no body of an op.
 *  - All is checked before anything changes. The dim in lanes is found in each tensor from the ops that use it; it is
 *    nowhere reduced, has a known extent of whole registers, and no tile of memory that has it is read in the loop.
 * Terminates: a tensor's dim is set once, and each set one is followed once. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"

#include <string.h>

/* Registers of rows that a product's tile has side by side: fewer would leave some empty. More rows than that pay for
 * transposing the other factor, and for asking memory for it ahead. */
enum { MIN_REGISTERS = 2, MAX_ROWS = 64, MAX_OPS = 64 };

typedef struct orientation {
  ir_op *loop;
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

/* The op of the loop's body has the dim in lanes as its loop `lane`. */
static bool follow_op(orientation *o, ir_op *op, unsigned lane) {
  int known = lane_of(o, op);
  if (known >= 0)
    return known == (int)lane;
  recast recast;
  if (o->num_ops == MAX_OPS || !recast_begin(&recast, op) || ir_loop_is_reduction(ir_structure_of(op), lane))
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

/* A tensor of the loop has the dim in lanes as `dim`. What comes from outside is transposed once; what the loop reads of
 * memory would be in each step. */
static bool follow_value(orientation *o, ir_value *value, unsigned dim) {
  ir_block *body = ir_region(o->loop, 0);
  bool is_last = dim + 1 == value->type->rank;
  if (ir_value_is_outside(value, body))
    return ir_type_is_static(value->type) || is_last;
  if (!value->op)
    return value->block == body && value->index > 0 && follow_carried(o, value->index - 1, dim) &&
           follow_uses(o, value, dim);
  if (value->op->code == OP_TENSOR_EMPTY)
    return ir_type_is_static(value->type);
  if (!ir_op_has(value->op, IR_STRUCTURED))
    return is_last;
  int lane = ir_map_result_dim(ir_structure_of(value->op)->maps[ir_num_inputs(value->op) + value->index], dim);
  return lane >= 0 && follow_op(o, value->op, (unsigned)lane) && follow_uses(o, value, dim);
}

/* The loop of the contraction that only a factor from outside of the loop has, if the other factor's tiles would have
 * to be transposed for what is the last dim of the result now; -1: none that is worth to be in lanes. */
static int find_lane(const ir_op *op, const ir_block *body, const target_facts *facts) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *out = structure->maps[2];
  int64_t extents[IR_MAX_LOOPS];
  int last = out->num_results ? ir_map_result_dim(out, out->num_results - 1) : -1;
  ir_loop_extents(op, extents);
  for (unsigned side = 0; side < 2 && last >= 0; side++) {
    const ir_map *stays = structure->maps[side], *moves = structure->maps[1 - side];
    int inner = ir_map_find_dim(moves, (unsigned)last);
    ir_scalar element = ir_operand(op, side)->type->element;
    if (!ir_value_is_outside(ir_operand(op, side), body) || ir_value_is_outside(ir_operand(op, 1 - side), body) ||
        inner < 0 || inner + 1 == (int)moves->num_results || ir_scalar_bits(element) < 32)
      continue;
    int64_t lanes = facts->vector_bits / ir_scalar_bits(element);
    for (unsigned dim = out->num_results; dim-- > 0;) {
      int lane = ir_map_result_dim(out, dim);
      if (lane >= 0 && ir_map_find_dim(stays, (unsigned)lane) >= 0 && ir_map_find_dim(moves, (unsigned)lane) < 0)
        return lanes && extents[lane] % lanes == 0 && extents[lane] >= MIN_REGISTERS * lanes &&
                       extents[lane] <= MAX_ROWS
                   ? lane
                   : -1;
    }
  }
  return -1;
}

/* --------------------------------------------------------------------------------------------------------- rewriting */

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

static ir_value *empty_turned(ir_builder *builder, const ir_type *type, unsigned dim) {
  ir_index shape[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < type->rank; i++)
    if (i != dim)
      shape[count++] = ir_index_const(type->shape[i]);
  shape[count++] = ir_index_const(type->shape[dim]);
  return ir_empty(builder, type->element, count, shape);
}

static ir_value *copy_as(ir_builder *builder, ir_value *value, const ir_map *read, ir_value *out, const ir_map *write) {
  const ir_map *maps[] = {read, write};
  ir_op *generic = ir_generic(builder, 1, &value, 1, &out, maps, out->type->rank, 0);
  ir_builder body = body_of(generic);
  return body_finish(&body, generic, body_argument(generic, 0));
}

/* A value from outside of the loop, with the dim last. */
static ir_value *turn(ir_builder *builder, ir_value *value, unsigned dim) {
  const ir_type *type = value->type;
  if (dim + 1 == type->rank)
    return value;
  ir_value *out = empty_turned(builder, type, dim);
  if (value->op && value->op->code == OP_TENSOR_EMPTY)
    return out;
  if (value->op && value->op->code == OP_LINALG_FILL)
    return ir_fill(builder, ir_operand(value->op, 0), out);
  const ir_map *identity = ir_map_identity(builder->module, type->rank);
  return copy_as(builder, value, identity, out, turned_map(builder->module, identity, dim));
}

/* Such a value with its dims in their places again, as `like` has them. */
static ir_value *turn_back(ir_builder *builder, ir_value *value, ir_value *like, unsigned dim) {
  if (dim + 1 == like->type->rank)
    return value;
  const ir_map *identity = ir_map_identity(builder->module, like->type->rank);
  return copy_as(builder, value, turned_map(builder->module, identity, dim),
                 pass_empty_like(builder, like, like->type->element), identity);
}

/* The op with the dim last in all that have it. Its operands from inside of the loop, which come before, have it so. */
static void orient_op(ir_op *op, unsigned lane, ir_op *loop) {
  ir_builder builder = ir_builder_before(op), outside = ir_builder_before(loop);
  recast recast;
  recast_begin(&recast, op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    int dim = ir_map_find_dim(recast.maps[i], lane);
    if (dim < 0)
      continue;
    recast.maps[i] = turned_map(op->module, recast.maps[i], (unsigned)dim);
    if (ir_value_is_outside(recast.operands[i], op->block))
      recast.operands[i] = turn(&outside, recast.operands[i], (unsigned)dim);
    else if (recast.operands[i]->op && recast.operands[i]->op->code == OP_TENSOR_EMPTY)
      recast.operands[i] = turn(&builder, recast.operands[i], (unsigned)dim);
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
      inits[i] = turn(&before, inits[i], (unsigned)o->carried[i]);
  }
  ir_op *loop = ir_for(&before, ir_index_of(ir_operand(old, 0)), ir_index_of(ir_operand(old, 1)),
                       ir_index_of(ir_operand(old, 2)), old->num_results, inits);
  ir_block *from = ir_region(old, 0), *to = ir_region(loop, 0);
  for (unsigned i = 0; i < old->num_attrs; i++)
    ir_attr_set(loop, old->attrs[i].name, old->attrs[i].attr);
  while (from->first)
    ir_op_move_to_end(from->first, to);
  for (unsigned i = 0; i < from->num_args; i++)
    ir_replace_uses(from->args[i], to->args[i]);
  for (ir_op *op = to->first, *next; op; op = next) {
    next = op->next;
    int lane = lane_of(o, op);
    if (lane >= 0)
      orient_op(op, (unsigned)lane, loop);
  }
  for (unsigned i = 0; i < old->num_results; i++) {
    ir_value *result = ir_result(loop, i);
    if (o->carried[i] >= 0)
      result = turn_back(&after, result, ir_result(old, i), (unsigned)o->carried[i]);
    ir_replace_uses(ir_result(old, i), result);
  }
  ir_op_erase(old);
}

/* ---------------------------------------------------------------------------------------------------------- the pass */

static bool find_orientation(ir_op *loop, const target_facts *facts, orientation *o) {
  ir_block *body = ir_region(loop, 0);
  for (ir_op *op = body->first; op && loop->num_results <= MAX_OPS; op = op->next) {
    int lane = ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op) ? find_lane(op, body, facts) : -1;
    *o = (orientation){.loop = loop};
    memset(o->carried, -1, sizeof o->carried);
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
