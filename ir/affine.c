/* affine.c - see affine.h. Terminates: loops over values; what an affine.apply is computed from is not looked into. */
#include "affine.h"

const ir_expr *affine_dim(affine_values *values, ir_value *value) {
  unsigned i = 0;
  while (i < values->count && values->values[i] != value)
    i++;
  if (i == AFFINE_MAX_VALUES)
    return NULL;
  if (i == values->count)
    values->values[values->count++] = value;
  return ir_expr_dim(values->module, i);
}

const ir_expr *affine_of_index(affine_values *values, ir_index x, unsigned to_come) {
  if (!x.value)
    return ir_expr_const(values->module, x.constant);
  const ir_op *producer = ir_made_by(x.value, OP_AFFINE_APPLY);
  if (!producer || values->count + producer->num_operands + to_come > AFFINE_MAX_VALUES)
    return affine_dim(values, x.value);
  const ir_map *map = ir_affine_map(producer);
  const ir_expr *inputs[AFFINE_MAX_VALUES];
  for (unsigned i = 0; i < producer->num_operands; i++)
    inputs[i] = affine_dim(values, ir_operand(producer, i));
  return ir_expr_replace(values->module, map->results[0], inputs, inputs + map->num_dims);
}

void affine_drop_unused(affine_values *values, unsigned num_results, const ir_expr **results) {
  const ir_expr *renumbered[AFFINE_MAX_VALUES] = {0};
  uint32_t used = 0;
  unsigned kept = 0;
  for (unsigned r = 0; r < num_results; r++)
    used |= ir_expr_dims(results[r]);
  for (unsigned i = 0; i < values->count; i++) {
    if (!(used >> i & 1))
      continue;
    renumbered[i] = ir_expr_dim(values->module, kept);
    values->values[kept++] = values->values[i];
  }
  values->count = kept;
  for (unsigned r = 0; r < num_results; r++)
    results[r] = ir_expr_replace(values->module, results[r], renumbered, NULL);
}

ir_index affine_create(ir_builder *builder, ir_opcode code, affine_values *values, unsigned num_results,
                       const ir_expr *const *results) {
  ir_module *module = builder->module;
  if (num_results == 1 && results[0]->kind == IR_EXPR_CONST)
    return ir_index_const(results[0]->value);
  if (num_results == 1 && results[0]->kind == IR_EXPR_DIM)
    return (ir_index){.value = values->values[results[0]->value]};
  ir_named_attr map = {"map", ir_attr_map(module, ir_map_get(module, values->count, 0, num_results, results))};
  return (ir_index){.value = ir_create(builder, code, ir_type_index(module), values->count, values->values, 1, &map)};
}
