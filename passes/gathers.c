/* gathers.c - pass "absorb-gathers": an element that a body reads of what an elementwise op computes is computed
 * there.
 *
 * A program that takes one logit of each row of log probabilities, or a few rows of a table that it scales, needs none
 * of the others: then the op that computes all of them is gone. A position that is read of a row of positions, as the
 * masks of Hugging Face have it, is the subscript itself, so that masks are comparisons of loops again. What is
 * computed again is either for fewer elements than there are, or next to nothing. Reshapes that add or drop dims of
 * extent 1 are seen through.
 *
 * Invariant: each read gives what it gave; the place that a subscript beyond the tensor is moved to is that of an
 * operand with the same extent.
 * Terminates: a read moves to what was computed before its source; of one op at most MAX_MOVES do. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"

enum { MAX_MOVES = 64, FEWER = 4, CHEAP_OPS = 4 };

/* --------------------------------------------------------------------------------------------------------- reshapes */

/* Reads the source of a reshape in its place. */
static bool move_to_reshaped(ir_op *read, const ir_op *reshape) {
  ir_builder builder = ir_builder_before(read);
  bool splits = reshape->code == OP_TENSOR_EXPAND_SHAPE;
  ir_value *source = ir_operand(reshape, 0), *operands[IR_MAX_RANK + 1] = {source};
  unsigned kept[IR_MAX_RANK], groups = splits ? source->type->rank : ir_result(reshape, 0)->type->rank;
  if (!recast_unit_dims(reshape, kept))
    return false;
  for (unsigned dim = 0; dim < source->type->rank; dim++)
    operands[1 + dim] = ir_const_index(&builder, 0);
  for (unsigned g = 0; g < groups; g++)
    operands[1 + (splits ? g : kept[g])] = ir_operand(read, 1 + (splits ? kept[g] : g));
  ir_value *element = ir_create(&builder, OP_TENSOR_EXTRACT, NULL, 1 + source->type->rank, operands, 0, NULL);
  ir_replace_uses(ir_result(read, 0), element);
  ir_op_erase(read);
  return true;
}

/* ----------------------------------------------------------------------------------------------------- computations */

/* How many elements all loops of the op together have; 0 where that is not known. */
static int64_t iterations(const ir_op *op) {
  int64_t extents[IR_MAX_LOOPS], count = 1;
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
    if (extents[loop] == IR_DYNAMIC || __builtin_mul_overflow(count, extents[loop], &count))
      return 0;
  return count;
}

static bool only_reads(const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next)
    if (use->user->code != OP_TENSOR_EXTRACT)
      return false;
  return true;
}

/* Integers of a few ops of loop indices and numbers. */
static bool is_position(const ir_op *maker) {
  unsigned count = 0;
  bool no_tensors = !ir_num_inputs(maker) && !ir_scalar_is_float(ir_result(maker, 0)->type->element);
  for (const ir_op *inner = ir_region(maker, 0)->first; no_tensors && inner; inner = inner->next)
    no_tensors = ++count <= CHEAP_OPS && inner->code != OP_TENSOR_EXTRACT;
  return no_tensors;
}

/* Each element is computed by itself of those at places that its own tells. */
static bool computes_elements(const ir_op *maker) {
  if (!ir_op_has(maker, IR_OWN_BODY) || !body_is_pointwise(maker))
    return false;
  for (unsigned i = 0; i < ir_num_inputs(maker); i++) {
    const ir_map *map = ir_structure_of(maker)->maps[i];
    for (unsigned dim = 0; dim < map->num_results; dim++)
      if (map->results[dim]->kind != IR_EXPR_DIM &&
          (map->results[dim]->kind != IR_EXPR_CONST || map->results[dim]->value))
        return false;
  }
  return true;
}

static bool is_worth_it(const ir_op *op, const ir_op *maker) {
  if (is_position(maker))
    return true;
  int64_t reads = iterations(op), all = iterations(maker);
  if (ir_contains(maker, OP_LINALG_INDEX) || !ir_num_inputs(maker) || !reads || !all)
    return false;
  return reads <= all / FEWER || (reads <= all && only_reads(ir_result(maker, 0)));
}

/* The subscript as one of the dim: where it may lie beyond, the nearest that is. */
static ir_index clamp(ir_builder *before, ir_builder *builder, ir_value *tensor, unsigned dim, ir_value *subscript) {
  ir_index last = ir_index_sub(before, pass_dim(before, tensor, dim), ir_index_const(1));
  return ir_index_max(builder, ir_index_min(builder, ir_index_of(subscript), last), ir_index_const(0));
}

/* Computes in place of the read, in the body of `op`, what `maker` computes there. */
static void move_to_inputs(const ir_op *op, ir_op *read, const ir_op *maker) {
  ir_builder builder = ir_builder_before(read), before = ir_builder_before((ir_op *)op);
  const ir_structure *structure = ir_structure_of(maker);
  const ir_map *out = structure->maps[maker->num_operands - 1];
  ir_value_map *map = ir_value_map_create(op->module);
  for (unsigned i = 0; i + 1 < maker->num_operands; i++) {
    ir_value *input = ir_operand(maker, i), *operands[IR_MAX_RANK + 1] = {input};
    for (unsigned dim = 0; dim < structure->maps[i]->num_results; dim++) {
      int loop = ir_map_result_dim(structure->maps[i], dim);
      operands[1 + dim] =
          loop < 0 ? ir_const_index(&builder, 0) : ir_operand(read, 1 + (unsigned)ir_map_find_dim(out, (unsigned)loop));
    }
    if (ir_type_is_shaped(input->type))
      input = ir_create(&builder, OP_TENSOR_EXTRACT, NULL, 1 + input->type->rank, operands, 0, NULL);
    ir_value_map_set(map, body_argument(maker, i), input);
  }
  const ir_block *body = ir_region(maker, 0);
  for (const ir_op *inner = body->first; inner != body->last; inner = inner->next) {
    if (inner->code != OP_LINALG_INDEX) {
      ir_op_clone(&builder, inner, map);
      continue;
    }
    unsigned dim = (unsigned)ir_map_find_dim(out, (unsigned)ir_attr_int_or(inner, "dim", 0));
    ir_index place = clamp(&before, &builder, ir_result(maker, 0), dim, ir_operand(read, 1 + dim));
    ir_value_map_set(map, ir_result(inner, 0), ir_index_value(&builder, place));
  }
  ir_replace_uses(ir_result(read, 0), ir_value_map_get(map, ir_operand(body->last, 0)));
  ir_op_erase(read);
}

static bool move_read(const ir_op *op, ir_op *read) {
  const ir_op *source = ir_operand(read, 0)->op;
  if (!source || !ir_value_is_outside(ir_operand(read, 0), ir_region(op, 0)))
    return false;
  if (ir_is_reshape(source))
    return move_to_reshaped(read, source);
  if (!computes_elements(source) || !is_worth_it(op, source))
    return false;
  move_to_inputs(op, read, source);
  return true;
}

void pass_absorb_gathers(ir_op *op, const pass_options *options) {
  if (!ir_op_has(op, IR_STRUCTURED | IR_OWN_BODY))
    return;
  unsigned moves = 0;
  for (ir_op *inner = ir_region(op, 0)->first, *next; inner; inner = next) {
    next = inner->next;
    ir_op *before = inner->prev;
    if (inner->code == OP_TENSOR_EXTRACT && moves < MAX_MOVES && move_read(op, inner)) {
      moves++;
      next = before ? before->next : ir_region(op, 0)->first;
    }
  }
}
