/* parallel.c - proves that the iterations of a loop are independent.
 *
 * Of each carried tensor an iteration may use only elements between f * iv and f * (iv + step) of one dim, for one
 * factor f; its new value must be the old one with slices inserted. Loops nested inside are looked through.
 * Termination: uses are followed forwards, from a value to results of its users and block arguments of inner loops. */
#include "passes/parallel.h"

#include "passes/passes.h"
#include "passes/tile.h"

/* One carried tensor of the loop under question. */
typedef struct access {
  ir_index iv;
  int64_t step;
  parallel_part *part; /* its factor is 0 until the first slice has been seen */
} access;

static bool is_own_part(const access *a, const ir_op *slice) {
  parallel_part *part = a->part;
  ir_slice s = ir_slice_of(slice);
  for (unsigned dim = 0; dim < s.rank; dim++) {
    int64_t factor = tile_index_factor(s.offsets[dim], a->iv);
    if (factor <= 0 || !ir_index_is_const(s.strides[dim], 1) || a->step > INT64_MAX / factor ||
        extent_bound(extent_of_index(s.sizes[dim])) > factor * a->step)
      continue;
    if (part->factor && (part->factor != factor || part->dim != dim))
      continue;
    part->same_size = part->factor ? part->same_size && ir_index_equal(part->size, s.sizes[dim]) : true;
    part->factor = factor;
    part->dim = dim;
    part->size = s.sizes[dim];
    return true;
  }
  return false;
}

enum { MAX_STEPS = 1000 }; /* slices inserted one after the other; more count as unknown */

/* All that happens to the carried value in the loop body; `position` is its place among the carried values of the loop
 * around. */
static bool uses_own_parts(const access *a, const ir_value *value, unsigned position, unsigned *steps) {
  if (!*steps || !--*steps)
    return false;
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *user = use->user;
    unsigned index = ir_use_index(use);
    switch (user->code) {
    case OP_TENSOR_EXTRACT_SLICE:
      if (index != 0 || !is_own_part(a, user))
        return false;
      break;
    case OP_TENSOR_INSERT_SLICE:
      if (index != 1 || !is_own_part(a, user) || !uses_own_parts(a, ir_result(user, 0), position, steps))
        return false;
      break;
    case OP_SCF_FOR:
      if (index < 3 || !uses_own_parts(a, ir_region(user, 0)->args[index - 2], index - 3, steps) ||
          !uses_own_parts(a, ir_result(user, index - 3), position, steps))
        return false;
      break;
    case OP_SCF_YIELD:
      if (index != position || user->block->parent->code != OP_SCF_FOR)
        return false;
      break;
    default:
      return false;
    }
  }
  return true;
}

/* The yielded value is the carried one, sliced into: a chain of insert_slices, and of inner loops that do the same,
 * that starts there. */
static bool stems_from(const ir_value *value, const ir_value *carried) {
  while (value != carried) {
    const ir_op *op = value->op;
    if (!op)
      return false;
    if (op->code == OP_TENSOR_INSERT_SLICE) {
      value = ir_operand(op, 1);
    } else if (op->code == OP_SCF_FOR) {
      const ir_block *body = ir_region(op, 0);
      if (!stems_from(ir_operand(body->last, value->index), body->args[1 + value->index]))
        return false;
      value = ir_loop_init(op, value->index);
    } else {
      return false;
    }
  }
  return true;
}

bool parallel_parts(const ir_op *loop, parallel_part *parts) {
  ir_block *body = ir_region(loop, 0);
  ir_index step = ir_bounds_of(loop, 0).step;
  if (step.value || step.constant <= 0 || pass_has_effect(loop))
    return false;
  for (unsigned i = 0; i + 1 < body->num_args; i++) {
    parts[i] = (parallel_part){0};
    unsigned steps = MAX_STEPS;
    access a = {.iv = {.value = body->args[0]}, .step = step.constant, .part = &parts[i]};
    if (!stems_from(ir_operand(body->last, i), body->args[1 + i]) || !uses_own_parts(&a, body->args[1 + i], i, &steps))
      return false;
  }
  return true;
}

bool loop_is_parallel(const ir_op *loop) {
  return loop->code == OP_SCF_FORALL ||
         (loop->code == OP_SCF_FOR &&
          parallel_parts(loop, IR_NEW_ARRAY(&loop->module->arena, parallel_part, loop->num_results)));
}
