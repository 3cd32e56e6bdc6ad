/* memory.c - scratch memory, and constants in memory; see memory.h. Terminates: walks up the blocks around an op; names
 * are tried until one is free. */
#include "passes/memory.h"

#include <stdio.h>
#include <string.h>

/* The block whose scratch memory the op may use: that of the innermost forall, or of the function. */
static ir_block *scratch_block(const ir_op *op) {
  ir_block *block = op->block;
  while (block->parent->code != OP_SCF_FORALL && block->parent->code != OP_FUNC_FUNC && block->parent->block)
    block = block->parent->block;
  return block;
}

ir_value *memory_scratch(const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape) {
  ir_module *module = op->module;
  ir_block *block = scratch_block(op);
  ir_builder builder = {.module = module, .block = block, .before = block->first, .loc = op->loc};
  const ir_type *type = ir_type_memref(module, element, rank, shape, NULL, 0, IR_SPACE_GLOBAL);
  ir_named_attr alignment = {"alignment", ir_attr_i64(module, 64)};
  return ir_create(&builder, OP_MEMREF_ALLOCA, type, 0, NULL, 1, &alignment);
}

ir_op *memory_global(const ir_op *op) {
  return op->code == OP_MEMREF_GET_GLOBAL ? ir_module_lookup(op->module, ir_attr_string_or(op, "name", "")) : NULL;
}

/* One op reads elements, others at most ask for extents. */
static bool has_one_reader(const ir_value *value) {
  unsigned readers = 0;
  for (const ir_use *use = value->uses; use; use = use->next)
    readers += use->user->code != OP_TENSOR_DIM && use->user->code != OP_MEMREF_DIM;
  return readers == 1;
}

const ir_attr *memory_own_constant(const ir_value *value) {
  for (; has_one_reader(value); value = ir_operand(value->op, 0)) {
    const ir_op *op = value->op;
    if (!op)
      return NULL;
    if ((op->code == OP_TENSOR_EXTRACT_SLICE || op->code == OP_MEMREF_SUBVIEW) &&
        ir_operand(op, 0)->type->rank == value->type->rank)
      continue;
    const ir_op *global = memory_global(op);
    const ir_attr *constant = op->code == OP_ARITH_CONSTANT               ? ir_attr_get(op, "value")
                              : global && ir_attr_get(global, "constant") ? ir_attr_get(global, "initial_value")
                                                                          : NULL;
    return constant && constant->kind == IR_ATTR_DENSE && constant->count > 1 ? constant : NULL;
  }
  return NULL;
}

ir_value *memory_of_constant(ir_builder *builder, const ir_attr *value) {
  ir_module *module = builder->module;
  const ir_type *shape = value->type,
                *memory = ir_type_memref(module, shape->element, shape->rank, shape->shape, NULL, 0, IR_SPACE_GLOBAL);
  const ir_type *tensor = ir_type_tensor(module, shape->element, shape->rank, shape->shape);
  char name[64];
  unsigned number = 0;
  do
    snprintf(name, sizeof name, "tec_constant_%u", number++);
  while (ir_module_lookup(module, name));
  ir_builder top = ir_builder_before(ir_op_ancestor_in(builder->block->parent, ir_region(module->root, 0)));
  ir_named_attr attrs[] = {{"sym_name", ir_attr_cstr(module, name)},
                           {"sym_visibility", ir_attr_string(module, "private", 7)},
                           {"type", ir_attr_type(module, memory)},
                           {"initial_value", ir_attr_dense_bytes(module, tensor, value->count, value->bytes)},
                           {"constant", ir_attr_unit(module)}};
  ir_op_create(&top, OP_MEMREF_GLOBAL, &(ir_op_spec){.attrs = attrs, .num_attrs = 5});
  ir_named_attr symbol = {"name", ir_attr_symbol(module, ir_intern_cstr(module, name))};
  return ir_create(builder, OP_MEMREF_GET_GLOBAL, memory, 0, NULL, 1, &symbol);
}
