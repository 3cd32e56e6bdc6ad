/* stream.c - pass "stream": results larger than the last cache are written past it (host).
 *
 * A store fetches the line of memory that it writes into, so a result passes between memory and core twice; what is
 * larger than the last cache would leave it before anyone reads it. Kernels without products, which memory and not
 * multiply-adds keep waiting, write whole lines that are not read again to memory at once (layer norm of 4096 x 4096
 * 1.4x, softmax 1.2x, Zen 5). Such a store needs an aligned address. Within an argument that is proven; that the
 * argument begins with a line, as those of most allocators do, and that it is so large where its extents are open, is
 * asked where the kernel runs: a branch chooses between the kernel and its copy.
 * Invariant: the copy stores the same elements at the same places in the same order; nothing in it reads them.
 * Terminates: one walk over a kernel for each argument, one over the copy. */
#include "passes/alignment.h"
#include "passes/memory.h"
#include "passes/passes.h"

enum { VALUE, BASE, INDICES, MASK }; /* operand groups of vector.transfer_write */

/* The vector is whole lines, if the memory begins with one. */
static bool writes_lines(const ir_op *write) {
  const ir_type *vector = ir_operand(write, 0)->type;
  const ir_value *base = ir_group_operand(write, BASE, 0);
  const ir_map *map = ir_attr_get(write, "permutation_map")->map;
  const ir_attr *in_bounds = ir_attr_get(write, "in_bounds");
  int64_t bytes = ir_scalar_bytes(base->type->element);
  unsigned last = base->type->rank - 1u;
  if (!bytes || vector->rank != 1 || !in_bounds->elements[0]->value || ir_group_size(write, MASK))
    return false;
  for (unsigned dim = 0; dim < last; dim++)
    if (alignment_of_stride(base, dim) * bytes % ALIGNMENT_MOST)
      return false;
  int64_t start = alignment_of_index(ir_index_of(ir_group_operand(write, INDICES, last)));
  return ir_type_stride(base->type, last) == 1 && ir_map_result_dim(map, 0) == (int)last &&
         vector->shape[0] * bytes % ALIGNMENT_MOST == 0 && start * bytes % ALIGNMENT_MOST == 0 &&
         alignment_of_memref(base, ALIGNMENT_MOST) % ALIGNMENT_MOST == 0;
}

/* The kernel multiplies nothing, and uses the memory, of which it writes whole lines, for nothing else. */
static bool only_writes_lines(const ir_op *kernel, const ir_value *memory) {
  bool writes = false;
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op)) {
    if (op->code == OP_VECTOR_CONTRACT)
      return false;
    for (unsigned i = 0; i < op->num_operands && !ir_op_has(op, IR_VIEW); i++) {
      if (view_root(ir_operand(op, i)) != memory)
        continue;
      if (op->code != OP_VECTOR_TRANSFER_WRITE || !writes_lines(op))
        return false;
      writes = true;
    }
  }
  return writes;
}

/* False where the memory is known to have no more bytes than that. Where its extents are open, *condition says whether
 * it has; else that is NULL. */
static bool may_be_larger(ir_builder *builder, ir_value *memory, uint64_t bytes, ir_value **condition) {
  int64_t size = ir_scalar_bytes(memory->type->element);
  ir_index open = ir_index_const(1);
  for (unsigned dim = 0; dim < memory->type->rank; dim++) {
    ir_index extent = ir_dim(builder, memory, dim);
    if (extent.value)
      open = ir_index_mul(builder, open, extent);
    else if (!extent.constant || __builtin_mul_overflow(size, extent.constant, &size))
      return false;
  }
  *condition = NULL;
  if (!open.value)
    return (uint64_t)size > bytes;
  ir_value *most = ir_const_index(builder, (int64_t)(bytes / (uint64_t)size));
  *condition = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, most, open.value);
  return true;
}

static ir_value *begins_with_line(ir_builder *builder, ir_value *memory) {
  const ir_type *index = ir_type_scalar(builder->module, IR_INDEX);
  ir_value *address = ir_create(builder, OP_MEMREF_EXTRACT_POINTER, index, 1, &memory, 0, NULL);
  ir_value *rest = ir_binary(builder, OP_ARITH_ANDI, address, ir_const_index(builder, ALIGNMENT_MOST - 1));
  return ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, rest, ir_const_index(builder, 0));
}

static bool stream(ir_op *op, void *data) {
  if (op->code != OP_VECTOR_TRANSFER_WRITE || view_root(ir_group_operand(op, BASE, 0)) != data)
    return true;
  ir_builder builder = ir_builder_before(op);
  ir_module *module = builder.module;
  ir_named_attr attrs[] = {{"nontemporal", ir_attr_bool(module, true)},
                           {"alignment", ir_attr_i64(module, ALIGNMENT_MOST)}};
  ir_value *operands[2 + IR_MAX_RANK];
  ir_op_spec spec = {.operands = operands, .attrs = attrs, .num_attrs = 2};
  for (unsigned group = VALUE; group <= INDICES; group++) {
    spec.groups[group] = ir_group_size(op, group);
    for (unsigned i = 0; i < spec.groups[group]; i++)
      operands[spec.num_operands++] = ir_group_operand(op, group, i);
  }
  ir_op_create(&builder, OP_VECTOR_STORE, &spec);
  ir_op_erase(op);
  return true;
}

/* if (the memory is large and begins with a line) the copy of the kernel that writes past the caches; else the
 * kernel */
static bool stream_result(ir_op *kernel, ir_value *memory, const target_facts *target) {
  if (memory->type->strides || !only_writes_lines(kernel, memory))
    return false;
  ir_builder builder = ir_builder_before(kernel);
  ir_value *larger;
  if (!may_be_larger(&builder, memory, target->l3_bytes, &larger))
    return false;
  ir_value *condition = begins_with_line(&builder, memory);
  if (larger)
    condition = ir_binary(&builder, OP_ARITH_ANDI, larger, condition);
  ir_builder inside = pass_branch_around(kernel, condition);
  ir_op *copy = ir_op_clone(&inside, kernel, ir_value_map_create(kernel->module));
  ir_walk(ir_region(copy, 0), stream, memory);
  return true;
}

bool pass_stream(ir_op *kernel, const pass_options *options) {
  const ir_block *function = kernel->block;
  for (unsigned i = 0; i < function->num_args; i++)
    if (function->args[i]->type->kind == IR_TYPE_MEMREF && stream_result(kernel, function->args[i], options->target))
      return true;
  return true;
}
