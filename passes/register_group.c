/* register_group.c - finds what a structured op takes into its register tiles: the fill that its output starts from,
 * and the elementwise ops that follow. So a product starts from zeros in registers, and a scale, a mask, a bias or an
 * activation costs no pass over memory.
 *
 * Invariants
 *  - Members follow each other with nothing between that reads or writes memory; moving them to the last one's place
 *    changes nothing.
 *  - An op joins only if each of its iterations needs just the element that the tile has at hand: subscripts of the
 *    result before are a permutation of its loops, as are those of what it writes, which is either that same element
 *    or memory that no other member touches.
 *  - Results are complete when they leave a tile: reductions run inside of the loops that the output uses.
 * Terminates: walks to neighbours in the block, at most REGISTER_GROUP_MAX members. */
#include "passes/register_group.h"

#include "passes/passes.h"
#include "passes/vectorize.h"

static uint32_t loop_bit(unsigned loop) {
  return UINT32_C(1) << loop;
}

static bool has_effect(const ir_op *op) {
  return op->num_regions || ir_op_has(op, IR_READS) || !(pass_is_pure(op) || ir_op_has(op, IR_ALLOCATES));
}

/* The nearest op that has effects, before or after; NULL at the block's end. */
static ir_op *neighbour(ir_op *op, bool after) {
  do
    op = after ? op->next : op->prev;
  while (op && !has_effect(op));
  return op;
}

static bool is_structured(const ir_op *op) {
  return op && ir_op_has(op, IR_STRUCTURED) && op->num_regions;
}

static const ir_value *memory_of(const ir_value *value) {
  while (value->op && ir_op_has(value->op, IR_VIEW))
    value = ir_operand(value->op, 0);
  return value;
}

/* The two surely do not overlap: fresh memory and something else. */
static bool is_disjoint(const ir_value *a, const ir_value *b) {
  a = memory_of(a);
  b = memory_of(b);
  return a != b && ((a->op && ir_op_has(a->op, IR_ALLOCATES)) || (b->op && ir_op_has(b->op, IR_ALLOCATES)));
}

/* Each element of the output is begun and ended once: loops that it does not use stand inside of those that it does. */
static bool is_complete_in_tile(const register_plan *plan, const ir_map *map) {
  bool unused = false;
  for (unsigned depth = 0; depth < plan->num_loops; depth++) {
    bool used = ir_map_find_dim(map, plan->order[depth]) >= 0;
    if (used && unused)
      return false;
    unused |= !used;
  }
  return ir_map_is_projected_permutation(map);
}

/* The fill right before that writes what the leader starts from. */
static ir_op *find_fill(ir_op *leader) {
  ir_op *fill = neighbour(leader, false);
  if (!is_structured(fill) || ir_num_inits(fill) != 1 || fill->num_operands != 2 || !ir_body_reads_init(leader, 0) ||
      ir_init(fill, 0) != ir_init(leader, 0))
    return NULL;
  const ir_value *scalar = ir_input(fill, 0);
  const ir_block *body = ir_region(fill, 0);
  bool repeats = ir_operand(ir_block_terminator(body), 0) == body->args[0] &&
                 scalar->type == ir_type_scalar(leader->module, ir_init(fill, 0)->type->element);
  for (unsigned i = 0; repeats && i < ir_num_inputs(leader); i++)
    repeats = !ir_type_is_shaped(ir_input(leader, i)->type) || is_disjoint(ir_input(leader, i), ir_init(fill, 0));
  return repeats ? fill : NULL;
}

/* The operand is cheap to have in registers along the loop. */
static bool is_contiguous(const ir_op *op, unsigned operand, unsigned loop) {
  const ir_map *map = ir_structure_of(op)->maps[operand];
  int64_t strides[IR_MAX_RANK];
  if (!ir_type_is_shaped(ir_operand(op, operand)->type))
    return true;
  ir_type_strides(ir_operand(op, operand)->type, strides);
  for (unsigned i = 0; i < map->num_results; i++)
    if (ir_expr_uses_dim(map->results[i], loop) && strides[i] != 1)
      return false;
  return true;
}

/* Finds the operands that are the result before and lets their loops meet those of the leader; false where they do not
 * all meet in the same way, or something else overlaps that memory. */
static bool link_loops(const ir_map *result_map, const ir_value *result, register_epilogue *epilogue) {
  const ir_op *op = epilogue->op;
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *map = NULL;
  for (unsigned i = 0; i < op->num_operands; i++) {
    if (ir_operand(op, i) != result) {
      if (ir_type_is_shaped(ir_operand(op, i)->type) && !is_disjoint(ir_operand(op, i), result))
        return false;
      continue;
    }
    if (map && structure->maps[i] != map)
      return false;
    map = structure->maps[i];
    epilogue->previous |= loop_bit(i);
  }
  if (!map || !ir_map_is_projected_permutation(map) || structure->num_loops != map->num_results ||
      structure->maps[ir_num_inputs(op)] != map)
    return false;
  for (unsigned dim = 0; dim < map->num_results; dim++)
    epilogue->loops[ir_map_result_dim(result_map, dim)] = (unsigned)ir_map_result_dim(map, dim);
  return true;
}

/* What the op writes is either the result before or memory of its own, unknown to all members. */
static bool writes_apart(const ir_op *op, const ir_value *result, const ir_op *leader, const register_group *group) {
  const ir_value *target = ir_init(op, 0);
  if (target == result)
    return true;
  for (unsigned i = 0; i < leader->num_operands; i++)
    if (ir_type_is_shaped(ir_operand(leader, i)->type) && !is_disjoint(ir_operand(leader, i), target))
      return false;
  for (unsigned k = 0; k < group->count; k++)
    for (unsigned i = 0; i < group->epilogues[k].op->num_operands; i++) {
      const ir_value *other = ir_operand(group->epilogues[k].op, i);
      if (ir_type_is_shaped(other->type) && !is_disjoint(other, target))
        return false;
    }
  return true;
}

static bool can_join(ir_op *leader, const register_plan *plan, const register_group *group, const ir_value *result,
                     register_epilogue *epilogue) {
  ir_op *op = epilogue->op;
  const ir_map *result_map = ir_structure_of(leader)->maps[ir_num_inputs(leader)];
  if (!is_structured(op) || ir_num_inits(op) != 1 || op->num_operands > 32 || ir_structure_of(op)->reductions ||
      !link_loops(result_map, result, epilogue) || !writes_apart(op, result, leader, group))
    return false;
  uint32_t allowed = vectorize_loops(op);
  for (unsigned i = 0; i < plan->num_dims; i++) {
    unsigned loop = plan->dims[i];
    if (ir_map_find_dim(result_map, loop) < 0)
      continue;
    if (!(allowed & loop_bit(epilogue->loops[loop])))
      return false;
    for (unsigned k = 0; (int)loop == plan->simd && k < op->num_operands; k++)
      if (!is_contiguous(op, k, epilogue->loops[loop]))
        return false;
  }
  return true;
}

void register_group_find(ir_op *leader, const register_plan *plan, register_group *group) {
  *group = (register_group){.count = 0};
  if (ir_num_inits(leader) != 1 ||
      !is_complete_in_tile(plan, ir_structure_of(leader)->maps[ir_num_inputs(leader)]))
    return;
  group->fill = find_fill(leader);
  const ir_value *result = ir_init(leader, 0);
  for (ir_op *last = leader; group->count < REGISTER_GROUP_MAX; last = neighbour(last, true)) {
    register_epilogue *next = &group->epilogues[group->count];
    *next = (register_epilogue){.op = neighbour(last, true)};
    if (!next->op || !can_join(leader, plan, group, result, next))
      return;
    result = ir_init(next->op, 0);
    group->count++;
  }
}
