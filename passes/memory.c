/* memory.c - scratch memory, and constants in memory; see memory.h. Terminates: walks up the blocks around an op; names
 * are tried until one is free. */
#include "passes/memory.h"
#include "passes/tile.h"

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

const ir_attr *memory_own_constant(const ir_value *value) {
  for (; tile_num_readers(value) == 1; value = ir_operand(value->op, 0)) {
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

bool memory_is_lookup(const ir_op *read) {
  return (read->code == OP_TENSOR_EXTRACT || read->code == OP_MEMREF_LOAD) &&
         target_has_small_table(ir_operand(read, 0)->type) && ir_value_is_outside(ir_operand(read, 0), read->block);
}

/* The op at the top of its function that has the op in it. */
static const ir_op *top_of(const ir_op *op) {
  while (op->block->parent->code != OP_FUNC_FUNC && op->block->parent->block)
    op = op->block->parent;
  return op;
}

const ir_use *view_next_use(const ir_value *value, const ir_use *use) {
  if (!use)
    return value->uses;
  if (view_is_of(use) && ir_result(use->user, 0)->uses)
    return ir_result(use->user, 0)->uses;
  while (!use->next && use->value != value)
    use = &use->value->op->operands[0];
  return use->next;
}

/* The op reads what the use is of, if it does anything with the elements. */
static bool only_reads(const ir_use *use) {
  const ir_op *op = use->user;
  bool is_init = false;
  for (unsigned i = 0; ir_op_has(op, IR_STRUCTURED) && i < ir_num_inits(op); i++)
    is_init |= ir_init(op, i) == use->value;
  if (ir_op_has(op, IR_STRUCTURED))
    return !is_init;
  return op->code == OP_MEMREF_DIM || ir_op_only_reads(op);
}

static bool is_written_in(const ir_value *memory, const ir_op *kernel) {
  for (const ir_use *use = view_next_use(memory, NULL); use; use = view_next_use(memory, use))
    if (!view_is_of(use) && !only_reads(use) && (!kernel || top_of(use->user) == kernel))
      return true;
  return false;
}

/* Nobody writes the memory while the forall around the op runs, or ever where there is none. */
static bool is_still(const ir_value *memory, const ir_op *op) {
  const ir_value *root = view_root(memory);
  const ir_op *maker = root->op, *kernel = top_of(op), *global = maker ? memory_global(maker) : NULL;
  if (global)
    return ir_attr_get(global, "constant");
  bool is_argument = !maker && ir_attr_get(root->block->parent, "tec.kernel");
  return (is_argument || (maker && ir_op_has(maker, IR_ALLOCATES))) &&
         !is_written_in(root, kernel->code == OP_SCF_FORALL ? kernel : NULL);
}

bool memory_reads_still(const ir_op *op) {
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    if (inner->code == OP_MEMREF_LOAD && !is_still(ir_operand(inner, 0), op))
      return false;
  return true;
}

bool memory_reads_only_tables(const ir_op *op) {
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    if ((inner->code == OP_TENSOR_EXTRACT || inner->code == OP_MEMREF_LOAD) &&
        (inner->block != ir_region(op, 0) || !memory_is_lookup(inner)))
      return false;
  return memory_reads_still(op);
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
  top.loc = builder->loc;
  ir_named_attr attrs[] = {{"sym_name", ir_attr_cstr(module, name)},
                           {"sym_visibility", ir_attr_string(module, "private", 7)},
                           {"type", ir_attr_type(module, memory)},
                           {"initial_value", ir_attr_dense_bytes(module, tensor, value->count, value->bytes)},
                           {"constant", ir_attr_unit(module)}};
  ir_op_create(&top, OP_MEMREF_GLOBAL, &(ir_op_spec){.attrs = attrs, .num_attrs = 5});
  ir_named_attr symbol = {"name", ir_attr_symbol(module, ir_intern_cstr(module, name))};
  return ir_create(builder, OP_MEMREF_GET_GLOBAL, memory, 0, NULL, 1, &symbol);
}
