/* simplify_loops.c - scf ops that need not be: loops of no or one iteration, branches with a known condition, carried
 * values that never change; and what a loop computes again and again.
 * Terminates: each rewrite removes an op or a carried value's last use, or moves an op out of a loop. */
#include "ir/build.h"
#include "passes/simplify.h"

/* Puts what `block`, a region of `op`, holds in place of the op: arguments become `args`, results what it passes on. */
static void inline_region(ir_op *op, ir_block *block, unsigned num_args, ir_value *const *args) {
  ir_op *terminator = block->last;
  for (unsigned i = 0; i < num_args; i++)
    if (!ir_value_unused(block->args[i]))
      ir_replace_uses(block->args[i], args[i]);
  while (block->first != terminator)
    ir_op_move_before(block->first, op);
  for (unsigned i = 0; i < op->num_results; i++)
    if (!ir_value_unused(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_operand(terminator, i));
  ir_op_erase(op);
}

/* The trip count, 2 for more than one, -1 where it is unknown. */
static int trip_count(const ir_op *loop) {
  ir_bounds bounds = ir_bounds_of(loop, 0);
  ir_index lower = bounds.lower, upper = bounds.upper, step = bounds.step;
  if (lower.value && lower.value == upper.value)
    return 0;
  if (lower.value || upper.value)
    return -1;
  if (lower.constant >= upper.constant)
    return 0;
  if (step.value || step.constant <= 0)
    return -1;
  return (uint64_t)upper.constant - (uint64_t)lower.constant <= (uint64_t)step.constant ? 1 : 2;
}

static void replace_result_and_argument(ir_op *loop, unsigned i, ir_value *with) {
  ir_value *argument = ir_region(loop, 0)->args[i + 1];
  if (!ir_value_unused(argument))
    ir_replace_uses(argument, with);
  if (!ir_value_unused(ir_result(loop, i)))
    ir_replace_uses(ir_result(loop, i), with);
}

/* Carried values that are passed on as they came, or always set to what they start from, are no carried values; they
 * lose their uses here and are cut off as dead. */
static bool drop_constant_carried(ir_op *loop) {
  bool changed = false;
  for (unsigned i = 0; i < loop->num_results; i++) {
    ir_value *init = ir_loop_init(loop, i), *argument = ir_region(loop, 0)->args[i + 1];
    ir_value *next = ir_yielded(loop, i);
    if ((next != argument && next != init) || (ir_value_unused(ir_result(loop, i)) && ir_value_unused(argument)))
      continue;
    ir_set_operand(ir_region(loop, 0)->last, i, init);
    replace_result_and_argument(loop, i, init);
    changed = true;
  }
  return changed;
}

static bool simplify_for(ir_op *loop) {
  ir_block *body = ir_region(loop, 0);
  int trips = trip_count(loop);
  if (trips == 1) {
    ir_value **args = IR_NEW_ARRAY(&loop->module->arena, ir_value *, body->num_args);
    args[0] = ir_operand(loop, 0);
    for (unsigned i = 1; i < body->num_args; i++)
      args[i] = ir_loop_init(loop, i - 1);
    inline_region(loop, body, body->num_args, args);
    return true;
  }
  if (trips == 0) {
    for (unsigned i = 0; i < loop->num_results; i++)
      if (!ir_value_unused(ir_result(loop, i)))
        ir_replace_uses(ir_result(loop, i), ir_loop_init(loop, i));
    ir_op_erase(loop);
    return true;
  }
  return drop_constant_carried(loop);
}

static bool simplify_if(ir_op *branch) {
  ir_cell condition;
  if (!ir_value_splat(ir_operand(branch, 0), &condition))
    return false;
  ir_block *taken = ir_region(branch, condition.i ? 0 : 1);
  if (taken->first)
    inline_region(branch, taken, 0, NULL);
  else
    ir_op_erase(branch);
  return true;
}

bool simplify_control(ir_op *op) {
  return op->code == OP_SCF_FOR ? simplify_for(op) : op->code == OP_SCF_IF ? simplify_if(op) : false;
}

/* --------------------------------------------------------------------------------------------------------- hoisting */

/* Tensors stay in the loop: hoisted, their buffers would live longer than needed, and what an op could overwrite would
 * have to be copied in each iteration. */
static bool may_hoist(const ir_op *op) {
  if (!ir_op_has(op, IR_SPECULATABLE) || !pass_is_pure(op) || op->num_regions)
    return false;
  for (unsigned i = 0; i < op->num_results; i++)
    if (ir_result(op, i)->type->kind == IR_TYPE_TENSOR)
      return false;
  return true;
}

/* The op stands directly in `body`, so an operand that is not of the same block comes from outside. */
static bool is_invariant(const ir_op *op, const ir_block *body) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *value = ir_operand(op, i);
    if ((value->op ? value->op->block : value->block) == body)
      return false;
  }
  return true;
}

bool simplify_hoist(ir_op *loop) {
  ir_block *body = ir_region(loop, 0);
  bool changed = false;
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!may_hoist(op) || !is_invariant(op, body))
      continue;
    ir_op_move_before(op, loop);
    changed = true;
  }
  return changed;
}
