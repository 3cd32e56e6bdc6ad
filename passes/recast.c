/* recast.c - see recast.h. Terminates: each loop is over operands, loops or the ops of a body. */
#include "passes/recast.h"

#include "passes/extent.h"

#include <string.h>

bool recast_begin(recast *recast, ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED) || !op->num_regions || op->num_operands > RECAST_MAX_OPERANDS ||
      op->num_results != ir_num_inits(op))
    return false;
  const ir_structure *structure = ir_structure_of(op);
  recast->op = op;
  recast->num_ins = ir_num_inputs(op);
  recast->num_outs = ir_num_inits(op);
  recast->num_loops = structure->num_loops;
  recast->reductions = structure->reductions;
  for (unsigned i = 0; i < op->num_operands; i++) {
    recast->operands[i] = ir_operand(op, i);
    recast->maps[i] = structure->maps[i];
  }
  return true;
}

bool recast_is_valid(const recast *recast) {
  for (unsigned loop = 0; loop < recast->num_loops; loop++) {
    bool found = false;
    for (unsigned i = 0; i < recast->num_ins + recast->num_outs; i++)
      found |= ir_map_find_dim(recast->maps[i], loop) >= 0;
    if (!found)
      return false;
  }
  return true;
}

void recast_drop_loops(recast *recast, uint32_t gone, const ir_expr **loops) {
  ir_module *module = recast->op->module;
  uint32_t reductions = recast->reductions;
  unsigned num_loops = recast->num_loops;
  recast->reductions = 0;
  recast->num_loops = 0;
  for (unsigned loop = 0; loop < num_loops; loop++) {
    bool stays = !(gone >> loop & 1);
    loops[loop] = stays ? ir_expr_dim(module, recast->num_loops) : ir_expr_const(module, 0);
    if (stays)
      recast->reductions |= (reductions >> loop & 1) << recast->num_loops++;
  }
}

/* The index of the old loop `dim` where there are new loops. */
static ir_value *create_index(ir_builder *builder, const ir_expr *expr, unsigned num_loops) {
  ir_index loops[IR_MAX_LOOPS];
  for (unsigned loop = 0; loop < num_loops; loop++) {
    if (!ir_expr_uses_dim(expr, loop))
      continue;
    loops[loop] = (ir_index){.value = ir_loop_index(builder, loop)};
    if (expr->kind == IR_EXPR_DIM)
      return loops[loop].value;
  }
  return ir_index_value(builder, ir_index_apply(builder, expr, num_loops, loops));
}

void recast_clone_body(const ir_block *body, ir_builder *inside, ir_value_map *map, unsigned num_loops,
                       const ir_expr *const *indices) {
  for (const ir_op *op = body->first; op != body->last; op = op->next) {
    if (op->code != OP_LINALG_INDEX || !indices) {
      ir_op_clone(inside, op, map);
      continue;
    }
    inside->loc = op->loc;
    ir_value_map_set(map, ir_result(op, 0), create_index(inside, indices[ir_attr_int_or(op, "dim", 0)], num_loops));
  }
}

ir_op *recast_create(const recast *recast, ir_builder *builder, const ir_expr *const *indices) {
  ir_op *generic = ir_generic(builder, recast->num_ins, recast->operands, recast->num_outs,
                              recast->operands + recast->num_ins, recast->maps, recast->num_loops, recast->reductions);
  const ir_block *old = ir_region(recast->op, 0);
  ir_block *body = ir_region(generic, 0);
  ir_value_map *map = ir_value_map_create(builder->module);
  for (unsigned i = 0; i < old->num_args; i++)
    ir_value_map_set(map, old->args[i], body->args[i]);
  ir_builder inside = ir_builder_at_end(body);
  recast_clone_body(old, &inside, map, recast->num_loops, indices);
  ir_op_clone(&inside, old->last, map);
  return generic;
}

ir_op *recast_add_input(ir_op *op, ir_value *value, ir_value *input, const ir_map *map) {
  recast parts;
  recast_begin(&parts, op);
  unsigned at = parts.num_ins++;
  memmove(&parts.operands[at + 1], &parts.operands[at], parts.num_outs * sizeof *parts.operands);
  memmove(&parts.maps[at + 1], &parts.maps[at], parts.num_outs * sizeof *parts.maps);
  parts.operands[at] = input;
  parts.maps[at] = map;
  ir_builder builder = ir_builder_before(op);
  ir_op *fresh = ir_generic(&builder, parts.num_ins, parts.operands, parts.num_outs, parts.operands + parts.num_ins,
                            parts.maps, parts.num_loops, parts.reductions);
  ir_block *from = ir_region(op, 0), *to = ir_region(fresh, 0);
  ir_value_map *values = ir_value_map_create(op->module);
  for (unsigned i = 0; i < from->num_args; i++)
    ir_value_map_set(values, from->args[i], to->args[i + (i >= at)]);
  ir_replace_uses(value, to->args[at]);
  ir_builder inside = ir_builder_at_end(to);
  for (const ir_op *inner = from->first; inner; inner = inner->next)
    if (inner != value->op)
      ir_op_clone(&inside, inner, values);
  ir_replace_op_by(op, fresh);
  return fresh;
}

void recast_read_scalar(ir_op *op, ir_value *value, ir_value *tensor) {
  if (ir_yielded(op, 0) == value && tensor->type == ir_result(op, 0)->type)
    ir_replace_op(op, tensor);
  else
    recast_add_input(op, value, tensor, ir_map_identity(op->module, ir_structure_of(op)->num_loops));
}

ir_op *recast_reshape(ir_builder *builder, const ir_op *reshape, ir_value *tensor) {
  ir_op *moved = ir_op_clone(builder, reshape, NULL);
  ir_set_operand(moved, 0, tensor);
  ir_result(moved, 0)->type = ir_type_with_element(builder->module, ir_result(reshape, 0)->type, tensor->type->element);
  return moved;
}

ir_value *recast_start(ir_builder *builder, const ir_value *value, unsigned rank, const ir_index *sizes) {
  const ir_op *fill = ir_made_by(value, OP_LINALG_FILL);
  if (!fill && !ir_made_by(value, OP_TENSOR_EMPTY))
    return NULL;
  ir_value *empty = ir_empty(builder, value->type->element, rank, sizes);
  return fill ? ir_fill(builder, ir_operand(fill, 0), empty) : empty;
}

const ir_map *recast_read_through(const ir_op *producer, unsigned input, const ir_map *read) {
  const ir_structure *structure = ir_structure_of(producer);
  const ir_map *out = ir_init_map(producer, 0), *in = structure->maps[input];
  const ir_expr *loops[IR_MAX_LOOPS] = {0};
  for (unsigned dim = 0; dim < read->num_results; dim++)
    loops[ir_map_result_dim(out, dim)] = read->results[dim];
  return ir_map_replace(producer->module, in, read->num_dims, loops);
}

bool recast_reads_whole(const ir_op *op, const ir_expr *was, unsigned loop, ir_value *value, unsigned dim) {
  return was->kind == IR_EXPR_DIM || extent_equal(extent_of(value, dim), extent_of_loop(op, loop));
}

bool recast_keeps_loops(const ir_op *op, const ir_op *producer, unsigned input, const ir_map *map) {
  const ir_map *was = ir_structure_of(producer)->maps[input];
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    const ir_expr *subscript = map->results[dim];
    if (subscript->kind == IR_EXPR_DIM &&
        !recast_reads_whole(op, was->results[dim], (unsigned)subscript->value, ir_operand(producer, input), dim))
      return false;
  }
  return true;
}

bool recast_unit_dims(const ir_op *reshape, unsigned *kept) {
  bool expands = reshape->code == OP_TENSOR_EXPAND_SHAPE;
  const ir_type *wide = expands ? ir_result(reshape, 0)->type : ir_operand(reshape, 0)->type;
  const ir_type *narrow = expands ? ir_operand(reshape, 0)->type : ir_result(reshape, 0)->type;
  for (unsigned i = 0; i < narrow->rank; i++) {
    ir_dims parts = ir_dims_of(reshape, i);
    unsigned longer = 0;
    kept[i] = parts.first;
    for (unsigned dim = parts.first; dim < parts.end; dim++)
      if (wide->shape[dim] != 1) {
        kept[i] = dim;
        longer++;
      }
    if (longer > 1)
      return false;
  }
  return true;
}

bool recast_digits(const ir_expr *subscript, digits *digits) {
  int64_t weight;
  if (subscript->kind == IR_EXPR_DIM) {
    digits->loop = (unsigned)subscript->value;
    digits->low = 1;
    digits->high = 0;
    return true;
  }
  bool divides = subscript->kind == IR_EXPR_FLOORDIV, cuts = subscript->kind == IR_EXPR_MOD;
  if ((!divides && !cuts) || subscript->rhs->kind != IR_EXPR_CONST || subscript->rhs->value <= 0 ||
      !recast_digits(subscript->lhs, digits) || __builtin_mul_overflow(digits->low, subscript->rhs->value, &weight) ||
      (digits->high && digits->high % weight))
    return false;
  *(divides ? &digits->low : &digits->high) = weight;
  return !digits->high || digits->low < digits->high;
}

ir_index recast_digits_end(ir_builder *builder, const digits *digits, ir_index extent) {
  ir_index end = digits->high ? ir_index_min(builder, extent, ir_index_const(digits->high)) : extent;
  return ir_index_ceildiv(builder, end, digits->low);
}

ir_value *recast_shape(ir_builder *builder, ir_value *value, const int64_t *shape) {
  const ir_type *type = ir_type_with_shape(builder->module, value->type, value->type->rank, shape);
  return type == value->type ? value : ir_unary(builder, OP_TENSOR_CAST, value, type);
}

void recast_merged_shape(unsigned rank, const unsigned *counts, const int64_t *shape, int64_t *merged) {
  for (unsigned d = 0, dim = 0; d < rank; d++) {
    merged[d] = 1;
    for (unsigned i = 0; i < counts[d]; i++, dim++)
      merged[d] = merged[d] == IR_DYNAMIC || shape[dim] == IR_DYNAMIC ? IR_DYNAMIC : merged[d] * shape[dim];
  }
}
