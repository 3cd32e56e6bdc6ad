/* bufferize.c - pass "bufferize": tensors become memrefs.
 *
 * One walk over each function gives every tensor the memory that it lives in (buffers.h) and makes the memref op
 * next to each tensor op. Ops of destination style compute in place of their init, slices are views, loops carry
 * their tensors in one place; buffer_may_overwrite says where a copy is needed. Then the tensor ops are removed,
 * last one first, and region ops are rebuilt without their tensors. Results of functions are memory that the caller
 * hands in after the arguments.
 *
 * A tensor made in a block never outlives it: what a block yields is written to memory from outside. So scratch
 * belongs to the block (or further out) and is given back at its end.
 *
 * Terminates: a single walk; what it creates it does not visit. */
#include "passes/buffers.h"
#include "passes/passes.h"

#include <stdio.h>
#include <string.h>

static bool lower_block(buffers *b, ir_block *block, ir_value *const *destinations, ir_value **shared,
                        unsigned first_shared, bool is_scope);

/* -------------------------------------------------------------------------------------------------- parallel copies */

static const ir_value *memory_root(const ir_value *memref) {
  while (memref->op && ir_op_has(memref->op, IR_VIEW))
    memref = ir_operand(memref->op, 0);
  return memref;
}

/* Copies tensors that a block ends with to where they are expected, as if at once: what lies in memory that another
 * copy overwrites is saved first. */
static void copy_all(buffers *b, ir_op *end, unsigned count, ir_value *const *tensors, ir_value *const *to) {
  ir_value **from = IR_NEW_ARRAY(&b->module->arena, ir_value *, count);
  for (unsigned i = 0; i < count; i++)
    from[i] = buffer_of(b, tensors[i], end);
  ir_builder builder = ir_builder_before(end);
  for (unsigned i = 0; i < count; i++) {
    bool overwritten = false;
    for (unsigned k = 0; k < count; k++)
      overwritten |= from[k] != to[k] && memory_root(to[k]) == memory_root(from[i]);
    if (from[i] == to[i] || !overwritten)
      continue;
    ir_value *saved = buffer_create(b, end, tensors[i], false);
    buffer_copy(&builder, from[i], saved);
    from[i] = saved;
  }
  for (unsigned i = 0; i < count; i++)
    buffer_copy(&builder, from[i], to[i]);
}

static unsigned tensor_operands(const ir_op *op, ir_value **tensors) {
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (is_tensor(ir_operand(op, i)))
      tensors[count++] = ir_operand(op, i);
  return count;
}

/* --------------------------------------------------------------------------------------------------- structured ops */

/* Reads of tensors from within a scalar body. */
static void lower_body_reads(buffers *b, ir_block *body) {
  for (ir_op *op = body->first, *next; op; op = next) {
    next = op->next;
    for (unsigned i = 0; i < op->num_regions; i++)
      lower_body_reads(b, ir_region(op, i));
    if (op->code != OP_TENSOR_EXTRACT && op->code != OP_TENSOR_DIM)
      continue;
    ir_builder builder = ir_builder_before(op);
    ir_value *operands[1 + IR_MAX_RANK];
    for (unsigned i = 0; i < op->num_operands; i++)
      operands[i] = ir_operand(op, i);
    operands[0] = ir_value_map_get(b->memrefs, operands[0]);
    ir_op_spec spec = {.operands = operands, .num_operands = op->num_operands, .types = &ir_result(op, 0)->type,
                       .num_results = 1, .groups = {1, op->num_operands - 1}};
    ir_opcode code = op->code == OP_TENSOR_EXTRACT ? OP_MEMREF_LOAD : OP_MEMREF_DIM;
    ir_replace_uses(ir_result(op, 0), ir_result(ir_op_create(&builder, code, &spec), 0));
    ir_op_erase(op);
  }
}

/* The memory of an input that dies here and is as large: for an output that needs memory of its own. */
static ir_value *reuse_input(buffers *b, ir_op *op, unsigned out, ir_value *const *taken, unsigned num_taken) {
  const ir_type *wanted = ir_operand(op, out)->type;
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    if (ir_operand(op, i)->type != wanted || !buffer_same_elements(op, i, out))
      continue;
    ir_value *memref = buffer_of(b, ir_operand(op, i), op);
    bool is_free = true;
    for (unsigned k = 0; k < num_taken; k++)
      is_free &= memory_root(taken[k]) != memory_root(memref);
    if (is_free && buffer_may_overwrite(b, op, i, true))
      return memref;
  }
  return NULL;
}

static ir_value *output_memory(buffers *b, ir_op *op, unsigned i, ir_value *const *taken, unsigned num_taken) {
  unsigned operand = ir_num_inputs(op) + i;
  const ir_value *init = ir_operand(op, operand);
  bool fresh = init->op && init->op->code == OP_TENSOR_EMPTY;
  ir_value *memref = fresh ? reuse_input(b, op, operand, taken, num_taken) : NULL;
  return memref ? memref : buffer_for_writing(b, op, operand, ir_body_reads_init(op, i));
}

static void lower_structured(buffers *b, ir_op *op) {
  ir_arena *arena = &b->module->arena;
  unsigned num_inputs = ir_num_inputs(op);
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < num_inputs; i++)
    operands[i] = is_tensor(ir_operand(op, i)) ? buffer_of(b, ir_operand(op, i), op) : ir_operand(op, i);
  for (unsigned i = num_inputs; i < op->num_operands; i++)
    operands[i] = output_memory(b, op, i - num_inputs, operands + num_inputs, i - num_inputs);
  ir_builder builder = ir_builder_before(op);
  ir_op_spec spec = {.operands = operands, .num_operands = op->num_operands, .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  for (unsigned g = 0; g < IR_MAX_GROUPS; g++)
    spec.groups[g] = op->groups[g];
  ir_op *lowered = ir_op_create(&builder, op->code, &spec);
  ir_value_map *map = ir_value_map_create(b->module);
  for (unsigned r = 0; r < op->num_regions; r++) {
    const ir_block *from = ir_region(op, r);
    ir_block *to = ir_region(lowered, r);
    for (unsigned i = 0; i < from->num_args; i++)
      ir_value_map_set(map, from->args[i], ir_block_add_arg(to, from->args[i]->type));
    ir_builder inner = ir_builder_at_end(to);
    for (const ir_op *child = from->first; child; child = child->next)
      ir_op_clone(&inner, child, map);
    lower_body_reads(b, to);
  }
  for (unsigned i = 0; i < op->num_results; i++)
    buffer_place(b, ir_result(op, i), operands[num_inputs + i], false);
}

/* ------------------------------------------------------------------------------------------------ slices and shapes */

static void lower_insert_slice(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op), *whole = buffer_of(b, ir_operand(op, 1), op);
  bool in_place = source->op && source->op->code == OP_MEMREF_SUBVIEW && ir_operand(source->op, 0) == whole &&
                  slice_equal(source->op, op);
  if (!in_place) {
    whole = buffer_for_writing(b, op, 1, true);
    ir_builder builder = ir_builder_before(op);
    buffer_copy(&builder, source, buffer_subview(&builder, whole, op, ir_operand(op, 0)->type));
  }
  buffer_place(b, ir_result(op, 0), whole, false);
}

static void lower_parallel_insert(buffers *b, ir_op *op, const buffer_frame *frame) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), frame->block->last);
  ir_value *whole = frame->shared[ir_operand(op, 1)->index - frame->first_shared];
  if (source->op && source->op->code == OP_MEMREF_SUBVIEW && ir_operand(source->op, 0) == whole &&
      slice_equal(source->op, op))
    return;
  ir_builder builder = ir_builder_before(frame->block->last);
  buffer_copy(&builder, source, buffer_subview(&builder, whole, op, ir_operand(op, 0)->type));
}

static ir_op *create_view(buffers *b, ir_op *op, ir_opcode code, ir_value *memref, const ir_type *type) {
  ir_value *operands[1 + IR_MAX_RANK] = {memref};
  for (unsigned i = 1; i < op->num_operands; i++)
    operands[i] = ir_operand(op, i);
  ir_op_spec spec = {.operands = operands, .num_operands = op->num_operands, .types = &type, .num_results = 1,
                     .attrs = op->attrs, .num_attrs = op->num_attrs, .groups = {1, op->num_operands - 1}};
  ir_builder builder = ir_builder_before(op);
  ir_op *view = ir_op_create(&builder, code, &spec);
  buffer_place(b, ir_result(op, 0), ir_result(view, 0), true);
  return view;
}

/* The last dim of each reassociation group, exclusive. */
static void group_ends(const ir_op *op, unsigned *ends) {
  const ir_attr *groups = ir_attr_get(op, "reassociation");
  for (unsigned g = 0, at = 0; g < groups->count; g++)
    ends[g] = at += groups->elements[g]->count;
}

static void lower_expand_shape(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  const ir_type *wanted = ir_result(op, 0)->type, *from = source->type;
  unsigned ends[IR_MAX_RANK], start = 0;
  int64_t outer[IR_MAX_RANK], strides[IR_MAX_RANK];
  group_ends(op, ends);
  ir_type_strides(from, outer);
  for (unsigned g = 0; g < from->rank; start = ends[g++]) {
    int64_t stride = outer[g];
    for (unsigned i = ends[g]; i-- > start;) {
      strides[i] = stride;
      stride = stride == IR_DYNAMIC || wanted->shape[i] == IR_DYNAMIC ? IR_DYNAMIC : stride * wanted->shape[i];
    }
  }
  create_view(b, op, OP_MEMREF_EXPAND_SHAPE, source,
              ir_type_memref(b->module, wanted->element, wanted->rank, wanted->shape, from->strides ? strides : NULL,
                             from->offset, from->space));
}

/* The strides after merging dims, where all groups lie one after the other in memory. */
static bool collapsed_strides(const ir_op *op, const ir_type *from, int64_t *strides) {
  unsigned ends[IR_MAX_RANK], start = 0, num_groups = ir_result(op, 0)->type->rank;
  int64_t outer[IR_MAX_RANK];
  group_ends(op, ends);
  ir_type_strides(from, outer);
  if (!num_groups)
    return true;
  for (unsigned g = 0; g < num_groups; start = ends[g++]) {
    int64_t next = 0; /* the stride that makes the next dim outwards follow; 0: any will do */
    strides[g] = 1;
    for (unsigned i = ends[g]; i-- > start;) {
      if (from->shape[i] == 1)
        continue;
      if (!next)
        strides[g] = outer[i];
      else if (outer[i] != next)
        return false;
      bool known = outer[i] != IR_DYNAMIC && from->shape[i] != IR_DYNAMIC;
      next = known ? outer[i] * from->shape[i] : -1;
    }
  }
  return true;
}

static void lower_collapse_shape(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  const ir_type *wanted = ir_result(op, 0)->type;
  int64_t strides[IR_MAX_RANK];
  bool row_major = !source->type->strides;
  if (!row_major && !collapsed_strides(op, source->type, strides)) {
    ir_value *copy = buffer_create(b, op, ir_operand(op, 0), true);
    ir_builder builder = ir_builder_before(op);
    buffer_copy(&builder, source, copy);
    source = copy;
    row_major = true;
  }
  create_view(b, op, OP_MEMREF_COLLAPSE_SHAPE, source,
              ir_type_memref(b->module, wanted->element, wanted->rank, wanted->shape, row_major ? NULL : strides,
                             row_major ? 0 : source->type->offset, source->type->space));
  if (source != ir_value_map_get(b->memrefs, ir_operand(op, 0))) /* a copy of its own */
    buffer_place(b, ir_result(op, 0), ir_value_map_get(b->memrefs, ir_result(op, 0)), false);
}

static void lower_cast(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  const ir_type *from = source->type, *wanted = ir_result(op, 0)->type;
  const ir_type *type = ir_type_memref(b->module, from->element, from->rank, wanted->shape, from->strides, from->offset,
                                       from->space);
  if (type == from)
    buffer_place(b, ir_result(op, 0), source, true);
  else
    create_view(b, op, OP_MEMREF_CAST, source, type);
}

/* -------------------------------------------------------------------------------------------------- single elements */

static void create_store(ir_builder *builder, ir_value *value, ir_value *memref, unsigned rank,
                         ir_value *const *indices) {
  ir_value *operands[2 + IR_MAX_RANK] = {value, memref};
  for (unsigned i = 0; i < rank; i++)
    operands[2 + i] = indices[i];
  ir_op_spec spec = {.operands = operands, .num_operands = 2 + rank, .groups = {1, 1, rank}};
  ir_op_create(builder, OP_MEMREF_STORE, &spec);
}

static void lower_extract(buffers *b, ir_op *op) {
  ir_value *operands[1 + IR_MAX_RANK] = {buffer_of(b, ir_operand(op, 0), op)};
  for (unsigned i = 1; i < op->num_operands; i++)
    operands[i] = ir_operand(op, i);
  ir_op_spec spec = {.operands = operands, .num_operands = op->num_operands, .types = &ir_result(op, 0)->type,
                     .num_results = 1, .groups = {1, op->num_operands - 1}};
  ir_builder builder = ir_builder_before(op);
  ir_replace_uses(ir_result(op, 0), ir_result(ir_op_create(&builder, OP_MEMREF_LOAD, &spec), 0));
}

static void lower_insert(buffers *b, ir_op *op) {
  ir_value *memref = buffer_for_writing(b, op, 1, true), *indices[IR_MAX_RANK];
  unsigned rank = op->num_operands - 2;
  for (unsigned i = 0; i < rank; i++)
    indices[i] = ir_operand(op, 2 + i);
  ir_builder builder = ir_builder_before(op);
  create_store(&builder, ir_operand(op, 0), memref, rank, indices);
  buffer_place(b, ir_result(op, 0), memref, false);
}

static void lower_from_elements(buffers *b, ir_op *op) {
  ir_value *memref = buffer_create(b, op, ir_result(op, 0), false);
  const ir_type *type = ir_result(op, 0)->type;
  ir_builder builder = ir_builder_before(op);
  for (unsigned n = 0; n < op->num_operands; n++) {
    ir_value *indices[IR_MAX_RANK];
    int64_t rest = n;
    for (unsigned i = type->rank; i-- > 0; rest /= type->shape[i])
      indices[i] = ir_const_index(&builder, rest % type->shape[i]);
    create_store(&builder, ir_operand(op, n), memref, type->rank, indices);
  }
  buffer_place(b, ir_result(op, 0), memref, false);
}

/* The same transfer between vectors and memory. */
static void lower_transfer(buffers *b, ir_op *op) {
  unsigned base = op->code == OP_VECTOR_TRANSFER_WRITE;
  ir_value *memref = base ? buffer_for_writing(b, op, base, true) : buffer_of(b, ir_operand(op, base), op);
  ir_value **operands = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = i == base ? memref : ir_operand(op, i);
  const ir_type *type = ir_result(op, 0)->type;
  ir_op_spec spec = {.operands = operands,
                     .num_operands = op->num_operands,
                     .types = &type,
                     .num_results = base ? 0 : 1,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  memcpy(spec.groups, op->groups, sizeof spec.groups);
  ir_builder builder = ir_builder_before(op);
  ir_op *transfer = ir_op_create(&builder, op->code, &spec);
  if (base)
    buffer_place(b, ir_result(op, 0), memref, false);
  else
    ir_replace_uses(ir_result(op, 0), ir_result(transfer, 0));
}

static void lower_dim(buffers *b, ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  extent x = extent_of_index((ir_index){.value = ir_result(op, 0)});
  ir_value *value;
  if (x.value == ir_result(op, 0)) { /* which dim is only known at run time */
    ir_value *operands[] = {buffer_of(b, ir_operand(op, 0), op), ir_operand(op, 1)};
    const ir_type *index = ir_type_index(b->module);
    ir_op_spec spec = {.operands = operands, .num_operands = 2, .types = &index, .num_results = 1};
    value = ir_result(ir_op_create(&builder, OP_MEMREF_DIM, &spec), 0);
  } else {
    value = ir_index_value(&builder, buffer_extent(b, &builder, x));
  }
  ir_replace_uses(ir_result(op, 0), value);
}

/* ------------------------------------------------------------------------------------------------ pad and constants */

/* out[..] = the pad's body at the indices */
static void fill_with_body(buffers *b, ir_op *op, ir_value *memref) {
  ir_builder builder = ir_builder_before(op);
  unsigned rank = memref->type->rank;
  const ir_map *identity = ir_map_identity(b->module, rank);
  ir_op *generic = ir_generic(&builder, 0, NULL, 1, &memref, &identity, rank, 0);
  ir_builder body = ir_builder_at_end(ir_region(generic, 0));
  ir_value_map *map = ir_value_map_create(b->module);
  const ir_type *index = ir_type_index(b->module);
  const ir_block *from = ir_region(op, 0);
  for (unsigned i = 0; i < from->num_args; i++) {
    ir_named_attr dim = {"dim", ir_attr_int(b->module, ir_type_scalar(b->module, IR_I64), i)};
    ir_op_spec spec = {.types = &index, .num_results = 1, .attrs = &dim, .num_attrs = 1};
    ir_value_map_set(map, from->args[i], ir_result(ir_op_create(&body, OP_LINALG_INDEX, &spec), 0));
  }
  for (const ir_op *child = from->first; child != from->last; child = child->next)
    ir_op_clone(&body, child, map);
  ir_value *value = ir_value_map_get(map, ir_operand(from->last, 0));
  ir_terminator(&body, OP_LINALG_YIELD, 1, &value);
  lower_body_reads(b, ir_region(generic, 0));
}

static void lower_pad(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  const ir_type *type = ir_result(op, 0)->type;
  ir_builder builder = ir_builder_before(op);
  ir_index low[IR_MAX_RANK], sizes[IR_MAX_RANK];
  extent extents[IR_MAX_RANK];
  for (unsigned i = 0; i < type->rank; i++) {
    low[i] = ir_mixed(op, 1, "static_low", i);
    sizes[i] = ir_dim(&builder, source, i);
    ir_index sum = ir_index_add(&builder, ir_index_add(&builder, low[i], sizes[i]), ir_mixed(op, 2, "static_high", i));
    extents[i] = type->shape[i] != IR_DYNAMIC ? (extent){.constant = type->shape[i]}
                                              : (extent){.value = sum.value, .constant = sum.constant};
  }
  ir_value *memref = buffer_create_sized(b, op, type, extents, false);
  fill_with_body(b, op, memref);
  builder = ir_builder_before(op);
  buffer_copy(&builder, source, ir_subview(&builder, memref, low, sizes));
  buffer_place(b, ir_result(op, 0), memref, false);
}

/* A dense constant becomes read-only data of the module. */
static void lower_constant(buffers *b, ir_op *op) {
  ir_module *module = b->module;
  const ir_type *type = buffer_type(module, ir_result(op, 0)->type);
  char name[64];
  unsigned number = 0;
  do
    snprintf(name, sizeof name, "tec_constant_%u", number++);
  while (ir_module_lookup(module, name));
  ir_builder top = ir_builder_before(b->function);
  ir_named_attr attrs[] = {{"sym_name", ir_attr_string(module, name, strlen(name))},
                           {"sym_visibility", ir_attr_string(module, "private", 7)},
                           {"type", ir_attr_type(module, type)},
                           {"initial_value", ir_attr_get(op, "value")},
                           {"constant", ir_attr_unit(module)}};
  ir_op_create(&top, OP_MEMREF_GLOBAL, &(ir_op_spec){.attrs = attrs, .num_attrs = 5});
  ir_builder builder = ir_builder_before(op);
  ir_named_attr symbol = {"name", ir_attr_symbol(module, ir_intern_cstr(module, name))};
  ir_op_spec spec = {.types = &type, .num_results = 1, .attrs = &symbol, .num_attrs = 1};
  ir_op *get = ir_op_create(&builder, OP_MEMREF_GET_GLOBAL, &spec);
  get->mark = buffer_add_root(b, false);
  buffer_place(b, ir_result(op, 0), ir_result(get, 0), false);
}

/* ----------------------------------------------------------------------------------------------------- control flow */

static bool lower_for(buffers *b, ir_op *op) {
  ir_block *body = ir_region(op, 0);
  ir_value **memory = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_results);
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      memory[count++] = buffer_for_writing(b, op, 3 + i, true);
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      buffer_place(b, body->args[1 + i], memory[n++], false);
  if (!lower_block(b, body, memory, NULL, 0, false))
    return false;
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      buffer_place(b, ir_result(op, i), memory[n++], false);
  return true;
}

/* Reads other than of the very slices that iterations contribute see what the output held before. */
static bool reads_initial(const ir_value *shared) {
  const ir_op *insert = NULL;
  for (const ir_use *use = shared->uses; use; use = use->next) {
    if (use->user->code != OP_TENSOR_PARALLEL_INSERT_SLICE)
      continue;
    if (insert)
      return true;
    insert = use->user;
  }
  for (const ir_use *use = shared->uses; use; use = use->next) {
    const ir_op *user = use->user;
    bool harmless = user == insert || user->code == OP_TENSOR_DIM ||
                    (user->code == OP_TENSOR_EXTRACT_SLICE && insert && slice_equal(user, insert));
    if (!harmless)
      return true;
  }
  return false;
}

static bool lower_forall(buffers *b, ir_op *op) {
  ir_arena *arena = &b->module->arena;
  ir_block *body = ir_region(op, 0);
  unsigned first = body->num_args - op->num_results, start = ir_group_start(op, 3);
  ir_value **memory = IR_NEW_ARRAY(arena, ir_value *, op->num_results);
  buffer_tenant *outer_frozen = b->frozen;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *argument = body->args[first + i], *init = ir_operand(op, start + i);
    ir_value *before = buffer_of(b, init, op);
    memory[i] = buffer_for_writing(b, op, start + i, true);
    if (reads_initial(argument)) {
      if (memory[i] == before) {
        before = buffer_create(b, op, init, false);
        ir_builder builder = ir_builder_before(op);
        buffer_copy(&builder, memory[i], before);
      }
      buffer_tenant *frozen = IR_NEW(arena, buffer_tenant);
      *frozen = (buffer_tenant){argument, b->frozen};
      b->frozen = frozen;
    } else {
      before = memory[i];
    }
    buffer_place(b, argument, before, false);
  }
  if (!lower_block(b, body, NULL, memory, first, true))
    return false;
  b->frozen = outer_frozen;
  for (unsigned i = 0; i < op->num_results; i++)
    buffer_place(b, ir_result(op, i), memory[i], false);
  return true;
}

static bool lower_if(buffers *b, ir_op *op) {
  ir_value **memory = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_results);
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(op, i);
    if (!is_tensor(result))
      continue;
    extent extents[IR_MAX_RANK];
    for (unsigned dim = 0; dim < result->type->rank; dim++) {
      extents[dim] = extent_of(ir_operand(ir_block_terminator(ir_region(op, 0)), i), dim);
      if (extents[dim].value && !ir_value_is_outside(extents[dim].value, ir_region(op, 0)))
        return ir_op_error(op, "result %u has an extent that is only known inside of the branches", i);
    }
    memory[count++] = buffer_create_sized(b, op, result->type, extents, false);
  }
  for (unsigned r = 0; r < op->num_regions; r++)
    if (ir_region(op, r)->first && !lower_block(b, ir_region(op, r), memory, NULL, 0, false))
      return false;
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      buffer_place(b, ir_result(op, i), memory[n++], false);
  return true;
}

/* Extents of a call's results, from the function that computes them ("shapes"). */
static ir_op *call_shapes(buffers *b, ir_op *op, const ir_op *callee) {
  const char *name = ir_attr_string_or(callee, "tec.shapes", NULL);
  if (!name)
    return NULL;
  ir_builder builder = ir_builder_before(op);
  ir_value *extents[256];
  unsigned count = 0, num_results = 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; is_tensor(ir_operand(op, i)) && dim < ir_operand(op, i)->type->rank; dim++) {
      if (count == 256)
        return NULL;
      extents[count++] = ir_index_value(&builder, ir_dim(&builder, buffer_of(b, ir_operand(op, i), op), dim));
    }
  for (unsigned i = 0; i < op->num_results; i++)
    num_results += is_tensor(ir_result(op, i)) ? ir_result(op, i)->type->rank : 0;
  const ir_type **types = IR_NEW_ARRAY(&b->module->arena, const ir_type *, num_results);
  for (unsigned i = 0; i < num_results; i++)
    types[i] = i ? ir_type_index(b->module) : ir_type_scalar(b->module, IR_I1);
  ir_named_attr attr = {"callee", ir_attr_symbol(b->module, name)};
  ir_op_spec spec = {.operands = extents, .num_operands = count, .types = types, .num_results = num_results,
                     .attrs = &attr, .num_attrs = 1};
  return ir_op_create(&builder, OP_FUNC_CALL, &spec);
}

/* An argument as the callee expects it: row-major, and as static as declared. */
static ir_value *argument_memory(buffers *b, ir_op *op, ir_value *tensor) {
  ir_value *memref = buffer_of(b, tensor, op);
  const ir_type *wanted = buffer_type(b->module, tensor->type);
  ir_builder builder = ir_builder_before(op);
  if (memref->type->strides) {
    ir_value *copy = buffer_create(b, op, tensor, true);
    builder = ir_builder_before(op);
    buffer_copy(&builder, memref, copy);
    memref = copy;
  }
  return memref->type == wanted ? memref : ir_unary(&builder, OP_MEMREF_CAST, memref, wanted);
}

static bool lower_call(buffers *b, ir_op *op) {
  ir_arena *arena = &b->module->arena;
  const ir_op *callee = ir_module_lookup(b->module, ir_attr_string_or(op, "callee", ""));
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands + op->num_results);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
  unsigned count = 0, num_results = 0, position = 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[count++] = is_tensor(ir_operand(op, i)) ? argument_memory(b, op, ir_operand(op, i)) : ir_operand(op, i);
  bool dynamic = false;
  for (unsigned i = 0; i < op->num_results; i++)
    dynamic |= is_tensor(ir_result(op, i)) && !ir_type_is_static(ir_result(op, i)->type);
  ir_op *shapes = dynamic ? call_shapes(b, op, callee) : NULL;
  if (dynamic && !shapes)
    return ir_op_error(op, "results of unknown extents need the pass 'shapes' before 'bufferize'");
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = ir_result(op, i)->type;
    if (!is_tensor(ir_result(op, i))) {
      types[num_results++] = type;
      continue;
    }
    extent extents[IR_MAX_RANK];
    for (unsigned dim = 0; dim < type->rank; dim++, position++)
      extents[dim] = type->shape[dim] == IR_DYNAMIC ? (extent){.value = ir_result(shapes, position)}
                                                    : (extent){.constant = type->shape[dim]};
    operands[count] = buffer_create_sized(b, op, type, extents, true);
    buffer_place(b, ir_result(op, i), operands[count++], false);
  }
  ir_op_spec spec = {.operands = operands, .num_operands = count, .types = types, .num_results = num_results,
                     .attrs = op->attrs, .num_attrs = op->num_attrs};
  ir_builder builder = ir_builder_before(op);
  ir_op *call = ir_op_create(&builder, OP_FUNC_CALL, &spec);
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_result(call, n++));
  return true;
}

/* --------------------------------------------------------------------------------------------------------- the walk */

static void retire(buffers *b, ir_op *op) {
  if (b->num_retired == b->retired_capacity) {
    size_t capacity = b->retired_capacity ? 2 * b->retired_capacity : 64;
    ir_op **retired = IR_NEW_ARRAY(&b->module->arena, ir_op *, capacity);
    for (size_t i = 0; i < b->num_retired; i++)
      retired[i] = b->retired[i];
    b->retired = retired;
    b->retired_capacity = capacity;
  }
  b->retired[b->num_retired++] = op;
}

static bool touches_tensors(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (is_tensor(ir_operand(op, i)))
      return true;
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      return true;
  return false;
}

static bool lower_op(buffers *b, ir_op *op) {
  if (ir_op_has(op, IR_STRUCTURED | IR_DPS)) {
    if (!op->num_regions)
      return ir_op_error(op, "must be decomposed before it gets memory (pass 'decompose-softmax')");
    lower_structured(b, op);
    return true;
  }
  switch (op->code) {
  case OP_TENSOR_EMPTY: return true; /* gets memory on demand */
  case OP_TENSOR_EXTRACT_SLICE: {
    ir_value *source = buffer_of(b, ir_operand(op, 0), op);
    ir_builder builder = ir_builder_before(op);
    buffer_place(b, ir_result(op, 0), buffer_subview(&builder, source, op, ir_result(op, 0)->type), true);
    return true;
  }
  case OP_TENSOR_INSERT_SLICE: lower_insert_slice(b, op); return true;
  case OP_TENSOR_EXPAND_SHAPE: lower_expand_shape(b, op); return true;
  case OP_TENSOR_COLLAPSE_SHAPE: lower_collapse_shape(b, op); return true;
  case OP_TENSOR_CAST: lower_cast(b, op); return true;
  case OP_TENSOR_DIM: lower_dim(b, op); return true;
  case OP_TENSOR_EXTRACT: lower_extract(b, op); return true;
  case OP_TENSOR_INSERT: lower_insert(b, op); return true;
  case OP_VECTOR_TRANSFER_READ:
  case OP_VECTOR_TRANSFER_WRITE: lower_transfer(b, op); return true;
  case OP_TENSOR_FROM_ELEMENTS: lower_from_elements(b, op); return true;
  case OP_TENSOR_PAD: lower_pad(b, op); return true;
  case OP_ARITH_CONSTANT: lower_constant(b, op); return true;
  case OP_SCF_FOR: return lower_for(b, op);
  case OP_SCF_FORALL: return lower_forall(b, op);
  case OP_SCF_IF: return lower_if(b, op);
  case OP_FUNC_CALL: return lower_call(b, op);
  default: return ir_op_error(op, "has no form on memory");
  }
}

/* What a block ends with goes where it is expected. */
static void lower_end(buffers *b, ir_op *end, ir_value *const *destinations) {
  if (end->code == OP_SCF_IN_PARALLEL) {
    for (ir_op *insert = ir_region(end, 0)->first; insert; insert = insert->next)
      lower_parallel_insert(b, insert, b->frame);
    return;
  }
  ir_value **tensors = IR_NEW_ARRAY(&b->module->arena, ir_value *, end->num_operands);
  unsigned count = tensor_operands(end, tensors);
  copy_all(b, end, count, tensors, destinations);
}

static bool lower_block(buffers *b, ir_block *block, ir_value *const *destinations, ir_value **shared,
                        unsigned first_shared, bool is_scope) {
  buffer_frame frame = {.parent = b->frame, .block = block, .start = block->first, .is_scope = is_scope,
                        .shared = shared, .first_shared = first_shared};
  b->frame = &frame;
  for (ir_op *op = block->first, *next; op != block->last; op = next) {
    next = op->next;
    bool tensors = touches_tensors(op);
    if (!tensors && !op->num_regions)
      continue;
    if (tensors)
      retire(b, op);
    if ((tensors || !ir_op_has(op, IR_STRUCTURED)) && !lower_op(b, op))
      return false;
  }
  retire(b, block->last);
  lower_end(b, block->last, destinations);
  ir_builder builder = ir_builder_before(block->last);
  for (const buffer_release *release = frame.releases; release; release = release->next)
    ir_op_create(&builder, OP_MEMREF_DEALLOC,
                 &(ir_op_spec){.operands = &(ir_value *){release->memref}, .num_operands = 1});
  b->frame = frame.parent;
  return true;
}

/* --------------------------------------------------------------------------------------------- removing the tensors */

/* The op with its region, without tensor operands, results and block arguments. */
static void rebuild_without_tensors(ir_op *op) {
  ir_arena *arena = &op->module->arena;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
  ir_op_spec spec = {.operands = operands, .types = types, .attrs = op->attrs, .num_attrs = op->num_attrs};
  for (unsigned g = 0, i = 0; g < ir_info_num_groups(ir_op_row(op)); g++)
    for (unsigned end = i + op->groups[g]; i < end; i++)
      if (!is_tensor(ir_operand(op, i))) {
        operands[spec.num_operands++] = ir_operand(op, i);
        spec.groups[g]++;
      }
  for (unsigned i = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      types[spec.num_results++] = ir_result(op, i)->type;
  ir_builder builder = ir_builder_before(op);
  ir_op *rebuilt = ir_op_create(&builder, op->code, &spec);
  for (unsigned r = 0; r < op->num_regions; r++) {
    ir_block *from = ir_region(op, r), *to = ir_region(rebuilt, r);
    for (unsigned i = 0; i < from->num_args; i++)
      if (!is_tensor(from->args[i]))
        ir_replace_uses(from->args[i], ir_block_add_arg(to, from->args[i]->type));
    while (from->first)
      ir_op_move_to_end(from->first, to);
  }
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_result(rebuilt, n++));
  ir_op_erase(op);
}

static void remove_retired(buffers *b) {
  for (size_t n = b->num_retired; n-- > 0;) {
    ir_op *op = b->retired[n];
    if (op->code == OP_SCF_IN_PARALLEL) {
      while (ir_region(op, 0)->first)
        ir_op_erase(ir_region(op, 0)->first);
    } else if (ir_op_has(op, IR_TERMINATOR)) {
      for (unsigned i = op->num_operands; i-- > 0;)
        if (is_tensor(ir_operand(op, i)))
          ir_remove_operand(op, i);
    } else if (op->code == OP_SCF_FOR || op->code == OP_SCF_FORALL || op->code == OP_SCF_IF) {
      rebuild_without_tensors(op);
    } else {
      ir_op_erase(op);
    }
  }
}

/* -------------------------------------------------------------------------------------------------------- functions */

static bool number_op(ir_op *op, void *data) {
  op->mark = ++*(uint32_t *)data;
  return true;
}

/* The type with tensors as memrefs, tensor results after the arguments. */
static const ir_type *lowered_type(ir_module *module, const ir_type *type) {
  const ir_type **inputs = IR_NEW_ARRAY(&module->arena, const ir_type *, type->num_inputs + type->num_results);
  const ir_type **results = IR_NEW_ARRAY(&module->arena, const ir_type *, type->num_results);
  unsigned num_inputs = 0, num_results = 0;
  for (unsigned i = 0; i < type->num_inputs; i++)
    inputs[num_inputs++] =
        type->inputs[i]->kind == IR_TYPE_TENSOR ? buffer_type(module, type->inputs[i]) : type->inputs[i];
  for (unsigned i = 0; i < type->num_results; i++)
    if (type->results[i]->kind == IR_TYPE_TENSOR)
      inputs[num_inputs++] = buffer_type(module, type->results[i]);
    else
      results[num_results++] = type->results[i];
  return ir_type_function(module, num_inputs, inputs, num_results, results);
}

/* Results that come back as scalars stand after those in memory; where that changes their order, the function says with
 * `tec.result_order` which number each had, for what is generated around it. */
static void note_result_order(ir_op *function, const ir_type *type) {
  int64_t *order = IR_NEW_ARRAY(&function->module->arena, int64_t, type->num_results);
  unsigned count = 0;
  bool moved = false;
  for (int scalars = 0; scalars < 2; scalars++)
    for (unsigned i = 0; i < type->num_results; i++) {
      if ((type->results[i]->kind != IR_TYPE_TENSOR) != scalars)
        continue;
      moved |= i != count;
      order[count++] = i;
    }
  if (moved)
    ir_attr_set(function, "tec.result_order", ir_attr_i64s(function->module, count, order));
}

static bool bufferize_function(ir_op *function, bool kernels) {
  ir_module *module = function->module;
  ir_block *body = ir_region(function, 0);
  const ir_type *type = ir_attr_get(function, "function_type")->type, *lowered = lowered_type(module, type);
  if (type == lowered && !body->first)
    return true;
  ir_attr_set(function, "function_type", ir_attr_type(module, lowered));
  if (!body->first)
    return true;
  note_result_order(function, type);
  buffers b = {.module = module, .function = function, .kernels = kernels, .memrefs = ir_value_map_create(module)};
  /* Arguments: the old ones, stand-ins for the results, then the new ones of both. */
  unsigned num_old = body->num_args, num_outputs = 0;
  for (unsigned i = 0; i < type->num_results; i++)
    if (type->results[i]->kind == IR_TYPE_TENSOR) {
      ir_block_add_arg(body, type->results[i]);
      num_outputs++;
    }
  b.first_argument = num_old + num_outputs;
  bufferize_prepare(function, body->args + num_old);
  uint32_t number = 0;
  ir_walk(body, number_op, &number);
  for (unsigned i = 0; i < lowered->num_inputs; i++) {
    ir_value *argument = ir_block_add_arg(body, lowered->inputs[i]), *old = body->args[i];
    buffer_add_root(&b, i >= num_old);
    if (is_tensor(old))
      buffer_place(&b, old, argument, i >= num_old);
    else
      ir_replace_uses(old, argument);
  }
  if (!lower_block(&b, body, body->args + b.first_argument + num_old, NULL, 0, true))
    return false;
  remove_retired(&b);
  for (unsigned i = 0; i < b.first_argument; i++)
    ir_block_remove_arg(body, 0);
  return true;
}

bool pass_bufferize(ir_module *module, const pass_options *options) {
  bool kernels = options->target && options->target->kind != TARGET_HOST;
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    if (op->code == OP_FUNC_FUNC && !bufferize_function(op, kernels))
      return false;
  return true;
}
