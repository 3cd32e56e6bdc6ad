/* nest.c - see nest.h.
 *
 * Invariants: the provisional loops carry nothing and have no terminators; they never outlive the fusion that made
 * them. Termination: loops over levels, carried values and the ops of the body; nest_levels_of follows operands inside
 * the body only, which have no cycles. */
#include "passes/nest.h"

/* ------------------------------------------------------------------------------------------------------- creation */

static ir_value *induction_variable(const nest_level *level) { return ir_region(level->loop, 0)->args[0]; }

void nest_create(nest *nest, ir_builder *builder, const tile_box *domain, const unsigned *order, const int64_t *sizes,
                 tile_box *tile) {
  nest->module = builder->module;
  nest->num_levels = 0;
  *tile = *domain;
  ir_builder at = *builder;
  for (unsigned i = 0; i < domain->rank; i++) {
    unsigned dim = order ? order[i] : i;
    if (!sizes[dim])
      continue;
    nest_level *level = &nest->levels[nest->num_levels++];
    *level = (nest_level){.dim = dim, .extent = domain->sizes[dim], .step = sizes[dim]};
    level->once = !level->extent.value && level->extent.constant > 0 && level->extent.constant <= level->step;
    level->loop = ir_for(&at, ir_index_const(0), level->extent, ir_index_const(level->step), 0, NULL);
    at = ir_builder_at_end(ir_region(level->loop, 0));
  }
  nest->outermost = nest->levels[0].loop;
  nest->body = at.block;
  for (unsigned i = 0; i < nest->num_levels; i++) {
    nest_level *level = &nest->levels[i];
    ir_index step = ir_index_const(level->step), offset = {.value = induction_variable(level)};
    level->size = step;
    if (level->once) {
      offset = ir_index_const(0);
      level->size = level->extent;
    } else if (level->step > 1 &&
               (level->extent.value || !level->extent.constant || level->extent.constant % level->step)) {
      level->size = ir_index_min(&at, step, ir_index_sub(&at, level->extent, offset));
    }
    tile->offsets[level->dim] = offset;
    tile->sizes[level->dim] = level->size;
  }
  nest->divider = ir_const_index(&at, 0)->op;
}

/* ------------------------------------------------------------------------------------------------------- questions */

/* The levels that the index depends on. The answer for an op in the body is kept in its mark, shifted by one with the
 * lowest bit set. */
static uint32_t nest_levels_of(const nest *nest, ir_index x) {
  if (!x.value)
    return 0;
  ir_op *op = x.value->op;
  uint32_t levels = 0;
  if (!op) {
    for (unsigned i = 0; i < nest->num_levels; i++)
      if (x.value == induction_variable(&nest->levels[i]))
        levels = ir_bit(i);
    return levels;
  }
  if (!ir_op_is_inside(op, nest->body))
    return 0;
  if (op->mark & 1)
    return op->mark >> 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    levels |= nest_levels_of(nest, (ir_index){.value = ir_operand(op, i)});
  op->mark = levels << 1 | 1;
  return levels;
}

/* What an index has of a level's induction variable: all of it, or its quotient or remainder by some number, which
 * several iterations share. */
enum { ALL = 1, QUOTIENT = 2, REMAINDER = 4, MAX_STEPS = 64 };

static unsigned parts_in(const nest *nest, ir_value *x, unsigned level, unsigned *steps);

static unsigned parts_in_expr(const nest *nest, const ir_op *op, const ir_expr *expr, unsigned level, unsigned *steps) {
  if (expr->kind == IR_EXPR_CONST)
    return 0;
  if (!expr->lhs)
    return parts_in(nest, ir_operand(op, ir_affine_operand(op, expr)), level, steps);
  unsigned left = parts_in_expr(nest, op, expr->lhs, level, steps);
  if (expr->kind == IR_EXPR_ADD || expr->kind == IR_EXPR_MUL)
    return left | parts_in_expr(nest, op, expr->rhs, level, steps);
  if (!left || expr->rhs->kind != IR_EXPR_CONST)
    return left;
  if (expr->kind == IR_EXPR_MOD)
    return REMAINDER;
  return nest->levels[level].step % expr->rhs->value == 0 ? left : QUOTIENT;
}

static unsigned parts_in(const nest *nest, ir_value *x, unsigned level, unsigned *steps) {
  if (!(nest_levels_of(nest, (ir_index){.value = x}) >> level & 1))
    return 0;
  if (!ir_made_by(x, OP_AFFINE_APPLY) || !*steps || !--*steps)
    return ALL;
  return parts_in_expr(nest, x->op, ir_attr_get(x->op, "map")->map->results[0], level, steps);
}

uint32_t nest_levels_of_box(const nest *nest, const tile_box *box) {
  uint32_t levels = 0;
  for (unsigned level = 0; level < nest->num_levels; level++) {
    unsigned parts = 0, steps = MAX_STEPS;
    for (unsigned i = 0; i < box->rank; i++)
      parts |= box->offsets[i].value ? parts_in(nest, box->offsets[i].value, level, &steps) : 0;
    if (parts & ALL || parts == (QUOTIENT | REMAINDER))
      levels |= ir_bit(level);
  }
  return levels;
}

uint32_t nest_all_levels(const nest *nest) {
  uint32_t levels = 0;
  for (unsigned i = 0; i < nest->num_levels; i++)
    levels |= nest->levels[i].once ? 0 : ir_bit(i);
  return levels;
}

bool nest_covers_dim(const nest *nest, const tile_box *box, const tile_box *whole, unsigned dim) {
  if (tile_is_whole(box, whole, dim))
    return true;
  for (unsigned i = 0; i < nest->num_levels; i++) {
    const nest_level *level = &nest->levels[i];
    int64_t factor = tile_index_factor(box->offsets[dim], (ir_index){.value = induction_variable(level)});
    if (level->once || factor <= 0)
      continue;
    return tile_index_factor(box->sizes[dim], level->size) == factor &&
           tile_index_factor(whole->sizes[dim], level->extent) == factor;
  }
  return false;
}

bool nest_covers(const nest *nest, const tile_box *box, const tile_box *whole) {
  uint32_t seen = 0;
  for (unsigned dim = 0; dim < whole->rank; dim++) {
    uint32_t levels = nest_levels_of(nest, box->offsets[dim]);
    if (!nest_covers_dim(nest, box, whole, dim) || (seen & levels))
      return false; /* with a level in two dims the boxes would lie on a diagonal */
    seen |= levels;
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- finish */

/* Moves the body of the nest to the end of `block`, with `offsets` for the induction variables and `carried_args` for
 * the starting values. */
static void move_body(nest *nest, ir_block *block, ir_value *const *offsets, unsigned num_carried,
                      nest_carried *carried, ir_value *const *carried_args) {
  for (unsigned i = 0; i < nest->num_levels; i++) {
    ir_value *provisional = induction_variable(&nest->levels[i]);
    ir_replace_uses(provisional, offsets[i]);
    for (unsigned k = 0; k < num_carried; k++)
      for (unsigned dim = 0; dim < carried[k].box.rank; dim++)
        if (carried[k].box.offsets[dim].value == provisional)
          carried[k].box.offsets[dim].value = offsets[i];
  }
  for (unsigned i = 0; i < num_carried; i++)
    if (carried[i].slice)
      ir_set_operand(carried[i].slice->op, 0, carried_args[i]);
  ir_op_erase(nest->divider);
  ir_block_move_ops(nest->body, block);
  ir_op_erase(nest->outermost);
}

static unsigned finish_for(nest *nest, unsigned num_carried, nest_carried *carried, ir_op **loops) {
  ir_arena *arena = &nest->module->arena;
  ir_value **values = IR_NEW_ARRAY(arena, ir_value *, num_carried), *offsets[NEST_MAX_LEVELS] = {0};
  ir_builder at = ir_builder_before(nest->outermost);
  for (unsigned i = 0; i < num_carried; i++)
    values[i] = carried[i].init;
  for (unsigned i = 0; i < nest->num_levels; i++) {
    const nest_level *level = &nest->levels[i];
    ir_loc loc = at.loc;
    loops[i] = ir_for(&at, ir_index_const(0), level->extent, ir_index_const(level->step), num_carried, values);
    ir_block *block = ir_region(loops[i], 0);
    offsets[i] = block->args[0];
    values = block->args + 1;
    at = ir_builder_at_end(block);
    at.loc = loc;
  }
  move_body(nest, at.block, offsets, num_carried, carried, values);
  ir_value **yields = IR_NEW_ARRAY(arena, ir_value *, num_carried);
  for (unsigned i = 0; i < num_carried; i++)
    yields[i] = ir_insert_slice(&at, carried[i].tile, values[i], carried[i].box.offsets, carried[i].box.sizes);
  for (unsigned level = nest->num_levels; level-- > 0;) {
    at.block = ir_region(loops[level], 0);
    ir_terminator(&at, OP_SCF_YIELD, num_carried, yields);
    for (unsigned i = 0; i < num_carried; i++)
      yields[i] = ir_result(loops[level], i);
  }
  for (unsigned i = 0; i < num_carried; i++)
    carried[i].result = yields[i];
  return nest->num_levels;
}

static ir_op *create_forall(nest *nest, unsigned num_carried, const nest_carried *carried) {
  ir_value **outs = IR_NEW_ARRAY(&nest->module->arena, ir_value *, num_carried);
  ir_index lower[NEST_MAX_LEVELS] = {{0}}, upper[NEST_MAX_LEVELS], step[NEST_MAX_LEVELS];
  for (unsigned i = 0; i < nest->num_levels; i++) {
    upper[i] = nest->levels[i].extent;
    step[i] = ir_index_const(nest->levels[i].step);
  }
  for (unsigned i = 0; i < num_carried; i++)
    outs[i] = carried[i].init;
  ir_builder builder = ir_builder_before(nest->outermost);
  return ir_forall(&builder, nest->num_levels, lower, upper, step, num_carried, outs);
}

static unsigned finish_forall(nest *nest, unsigned num_carried, nest_carried *carried, ir_op **loops) {
  ir_op *forall = create_forall(nest, num_carried, carried);
  ir_block *block = ir_region(forall, 0);
  ir_value **shared = block->args + nest->num_levels;
  move_body(nest, block, block->args, num_carried, carried, shared);
  ir_builder at = ir_builder_at_end(block), inserts = ir_in_parallel(&at);
  for (unsigned i = 0; i < num_carried; i++) {
    ir_parallel_insert_slice(&inserts, carried[i].tile, shared[i], carried[i].box.offsets, carried[i].box.sizes);
    carried[i].result = ir_result(forall, i);
  }
  loops[0] = forall;
  return 1;
}

unsigned nest_finish(nest *nest, bool forall, unsigned num_carried, nest_carried *carried, ir_op **loops) {
  return forall ? finish_forall(nest, num_carried, carried, loops) : finish_for(nest, num_carried, carried, loops);
}

void nest_discard(nest *nest) { ir_op_erase(nest->outermost); }
