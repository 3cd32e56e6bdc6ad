/* running.c - see running.h. Terminates: traces follow use-def chains up to MAX_DEPTH. */
#include "passes/running.h"

#include "passes/body.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/vectorize.h"

enum { MAX_DEPTH = 32 };

ir_op *running_softmax(const ir_op *loop) {
  ir_op *found = NULL;
  for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next)
    if (pass_op_info_of(op->code)->states) {
      if (found)
        return NULL;
      found = op;
    }
  return found;
}

/* The value through ops that only move or convert elements. */
static ir_value *moved_from(ir_value *value) {
  for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
    ir_op *op = value->op;
    if (!op || !ir_op_has(op, IR_STRUCTURED) || !tile_only_moves(op))
      return value;
    const ir_value *yielded = body_unconverted(ir_yielded(op, 0));
    if (yielded->op || yielded->block != ir_region(op, 0) || yielded->index >= ir_num_inputs(op))
      return value;
    value = ir_operand(op, yielded->index);
  }
  return value;
}

/* The value is a softmax's weights, which are all 0 in an iteration without visible score, or those times something. */
static bool is_weights(ir_value *value) { return tile_find_running(moved_from(value)) != NULL; }

/* By what the softmax scales earlier contributions: 1, but for rows that had no sum yet, whose contributions are 0. */
static bool is_scale(const ir_value *value) {
  enum { SCALE_RESULT = 3 };
  return ir_made_by(value, OP_LINALG_EXT_SOFTMAX) && value->index == SCALE_RESULT;
}

/* The contraction of diag(s) with C into zeros has C's elements in the places of its result, times s. Returns C. */
static ir_value *scaled_by_diagonal(ir_op *op) {
  diagonal_product match;
  for (unsigned side = 0; side < 2; side++) {
    const ir_op *diagonal = ir_made_by(ir_operand(op, side), OP_LINALG_EXT_DIAG);
    if (diagonal && is_scale(ir_operand(diagonal, 0)) && softmax_match_diagonal(op, side, &match) &&
        ir_map_is_identity(match.other))
      return ir_operand(op, 1 - side);
  }
  return NULL;
}

/* An elementwise op that multiplies its output's old elements by the scale. Returns the old value. */
static ir_value *scaled_in_place(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  if (op->num_operands != 2 || structure->reductions || !ir_map_is_identity(structure->maps[1]) ||
      !is_scale(ir_operand(op, 0)))
    return NULL;
  return body_is_product(op) ? ir_operand(op, 1) : NULL;
}

ir_value *running_made_beside(const ir_op *op, ir_value *value) {
  value = moved_from(value);
  return value->op && value->op->block == op->block && body_is_elementwise(value->op) ? value : NULL;
}

ir_value *running_argument(const ir_op *loop, ir_value *value, ir_op **sum) {
  const ir_op *insert = NULL;
  for (unsigned depth = 0; value && depth < MAX_DEPTH; depth++) {
    ir_op *op = value->op;
    if (!op)
      return value->block == ir_region(loop, 0) && !insert ? value : NULL;
    if (op->code == OP_TENSOR_INSERT_SLICE && !insert) {
      insert = op;
      value = ir_operand(op, 0);
    } else if (op->code == OP_TENSOR_EXTRACT_SLICE) {
      ir_value *whole = ir_operand(op, 0);
      value = insert && ir_operand(insert, 1) == whole && ir_slice_equal(insert, op) ? whole : NULL;
      insert = NULL;
    } else if (!ir_op_has(op, IR_STRUCTURED))
      return NULL;
    else if (pass_op_info_of(op->code)->states >> value->index & 1)
      value = ir_init(op, value->index);
    else if (!op->num_regions || op->num_results != 1)
      return NULL;
    else if (ir_is_contraction(op) && (is_weights(ir_operand(op, 0)) || is_weights(ir_operand(op, 1))))
      value = ir_init(op, 0);
    else if (!sum)
      value = ir_is_contraction(op) ? scaled_by_diagonal(op) : scaled_in_place(op);
    else if (*sum || !vectorize_is_sum(op))
      value = NULL;
    else {
      *sum = op;
      value = ir_init(op, 0);
    }
  }
  return NULL;
}
