/* bufferize_ops.c - the memref ops of single tensor ops: structured ops in place of their inits or of dead inputs,
 * slices and reshapes as views, elements as loads and stores, constants as read-only data.
 *
 * Where an op may write is decided in buffers.c; nothing here looks at other ops but through it.
 * Terminates: loops run over operands, dims and the ops of one body. */
#include "passes/buffers.h"

#include <stdio.h>
#include <string.h>

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
    ir_op_spec spec = {.operands = operands,
                       .num_operands = op->num_operands,
                       .types = &ir_result(op, 0)->type,
                       .num_results = 1,
                       .groups = {1, op->num_operands - 1}};
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
      is_free &= view_root(taken[k]) != view_root(memref);
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
  ir_op_spec spec = {
      .operands = operands, .num_operands = op->num_operands, .attrs = op->attrs, .num_attrs = op->num_attrs};
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

void bufferize_parallel_insert(buffers *b, ir_op *op, const buffer_frame *frame) {
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
  ir_op_spec spec = {.operands = operands,
                     .num_operands = op->num_operands,
                     .types = &type,
                     .num_results = 1,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs,
                     .groups = {1, op->num_operands - 1}};
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

/* The strides after merging dims, where all groups lie one after the other in memory. Dims of extent 1 have upstream's:
 * that of the first where a group has no others. */
static bool collapsed_strides(const ir_op *op, const ir_type *from, int64_t *strides) {
  unsigned ends[IR_MAX_RANK], start = 0, num_groups = ir_result(op, 0)->type->rank;
  int64_t outer[IR_MAX_RANK];
  group_ends(op, ends);
  ir_type_strides(from, outer);
  if (!num_groups)
    return true;
  for (unsigned g = 0; g < num_groups; start = ends[g++]) {
    int64_t next = 0; /* the stride that makes the next dim outwards follow; 0: any will do */
    strides[g] = outer[start];
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
  const ir_type *type =
      ir_type_memref(b->module, from->element, from->rank, wanted->shape, from->strides, from->offset, from->space);
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
  ir_op_spec spec = {.operands = operands,
                     .num_operands = op->num_operands,
                     .types = &ir_result(op, 0)->type,
                     .num_results = 1,
                     .groups = {1, op->num_operands - 1}};
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
  const ir_block *from = ir_region(op, 0);
  for (unsigned i = 0; i < from->num_args; i++)
    ir_value_map_set(map, from->args[i], ir_loop_index(&body, i));
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

/* ----------------------------------------------------------------------------------------------------------- any op */

bool bufferize_op(buffers *b, ir_op *op) {
  if (ir_op_has(op, IR_STRUCTURED | IR_DPS)) {
    if (!op->num_regions)
      return ir_op_error(op, "must be decomposed before it gets memory (pass 'decompose-softmax')");
    lower_structured(b, op);
    return true;
  }
  switch (op->code) {
  case OP_TENSOR_EMPTY:
    return true; /* gets memory on demand */
  case OP_TENSOR_EXTRACT_SLICE: {
    ir_value *source = buffer_of(b, ir_operand(op, 0), op);
    ir_builder builder = ir_builder_before(op);
    buffer_place(b, ir_result(op, 0), buffer_subview(&builder, source, op, ir_result(op, 0)->type), true);
    return true;
  }
  case OP_TENSOR_INSERT_SLICE:
    lower_insert_slice(b, op);
    return true;
  case OP_TENSOR_EXPAND_SHAPE:
    lower_expand_shape(b, op);
    return true;
  case OP_TENSOR_COLLAPSE_SHAPE:
    lower_collapse_shape(b, op);
    return true;
  case OP_TENSOR_CAST:
    lower_cast(b, op);
    return true;
  case OP_TENSOR_DIM:
    lower_dim(b, op);
    return true;
  case OP_TENSOR_EXTRACT:
    lower_extract(b, op);
    return true;
  case OP_TENSOR_INSERT:
    lower_insert(b, op);
    return true;
  case OP_VECTOR_TRANSFER_READ:
  case OP_VECTOR_TRANSFER_WRITE:
    lower_transfer(b, op);
    return true;
  case OP_TENSOR_FROM_ELEMENTS:
    lower_from_elements(b, op);
    return true;
  case OP_TENSOR_PAD:
    lower_pad(b, op);
    return true;
  case OP_ARITH_CONSTANT:
    lower_constant(b, op);
    return true;
  default:
    return ir_op_error(op, "has no form on memory");
  }
}
