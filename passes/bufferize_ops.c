/* bufferize_ops.c - the memref ops of single tensor ops: structured ops in place of their inits or of dead inputs,
 * slices and reshapes as views, elements as loads and stores, constants as read-only data.
 *
 * Where an op may write is decided in buffers.c; nothing here looks at other ops but through it.
 * Terminates: loops run over operands, dims and the ops of one body. */
#include "passes/body.h"
#include "passes/buffers.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------- structured ops */

/* The op `code` with what `op` has, but on `memref` in place of operand `base`; `type` is that of its result, NULL: it
 * has none. */
static ir_op *create_on_memory(ir_builder *builder, const ir_op *op, ir_opcode code, unsigned base, ir_value *memref,
                               const ir_type *type) {
  ir_value **operands = IR_NEW_ARRAY(&builder->module->arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = i == base ? memref : ir_operand(op, i);
  ir_op_spec spec = ir_op_spec_of(op, operands, &type);
  spec.num_results = type != NULL;
  return ir_op_create(builder, code, &spec);
}

/* The same op on memory gives the value. */
static void read_memory(ir_op *op, ir_opcode code, ir_value *memref) {
  ir_builder builder = ir_builder_before(op);
  ir_value *result = ir_result(op, 0);
  ir_replace_uses(result, ir_result(create_on_memory(&builder, op, code, 0, memref, result->type), 0));
}

void bufferize_body_reads(buffers *b, ir_op *owner) {
  for (ir_op *op = ir_next_inside(owner, owner), *next; op; op = next) {
    next = ir_next_inside(owner, op);
    if (op->code != OP_TENSOR_EXTRACT && op->code != OP_TENSOR_DIM)
      continue;
    read_memory(op, op->code == OP_TENSOR_EXTRACT ? OP_MEMREF_LOAD : OP_MEMREF_DIM,
                buffer_of(b, ir_operand(op, 0), owner));
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
  bool fresh = ir_made_by(init, OP_TENSOR_EMPTY);
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
  ir_op_spec spec = ir_op_spec_of(op, operands, NULL);
  spec.num_results = 0;
  ir_op *lowered = ir_op_create(&builder, op->code, &spec);
  ir_clone_regions(op, lowered, ir_value_map_create(b->module));
  bufferize_body_reads(b, lowered);
  for (unsigned i = 0; i < op->num_results; i++)
    buffer_place(b, ir_result(op, i), operands[num_inputs + i], false);
}

static void lower_copy(buffers *b, ir_op *op) {
  ir_value *from = buffer_of(b, ir_operand(op, 0), op), *to = buffer_for_writing(b, op, 1, false);
  ir_builder builder = ir_builder_before(op);
  buffer_copy(&builder, from, to);
  buffer_place(b, ir_result(op, 0), to, false);
}

/* ------------------------------------------------------------------------------------------------ slices and shapes */

static void lower_extract_slice(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  ir_builder builder = ir_builder_before(op);
  buffer_place(b, ir_result(op, 0), buffer_subview(&builder, source, op, ir_result(op, 0)->type), true);
}

/* The source lies where the op inserts it. */
static bool is_in_place(const ir_value *source, const ir_value *whole, const ir_op *insert) {
  return ir_made_by(source, OP_MEMREF_SUBVIEW) && ir_operand(source->op, 0) == whole &&
         ir_slice_equal(source->op, insert);
}

static void lower_insert_slice(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op), *whole = buffer_of(b, ir_operand(op, 1), op);
  if (!is_in_place(source, whole, op)) {
    whole = buffer_for_writing(b, op, 1, true);
    ir_builder builder = ir_builder_before(op);
    buffer_copy(&builder, source, buffer_subview(&builder, whole, op, ir_operand(op, 0)->type));
  }
  buffer_place(b, ir_result(op, 0), whole, false);
}

void bufferize_parallel_insert(buffers *b, ir_op *op, const buffer_frame *frame) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), frame->block->last);
  ir_value *whole = frame->shared[ir_operand(op, 1)->index - frame->first_shared];
  if (is_in_place(source, whole, op))
    return;
  ir_builder builder = ir_builder_before(frame->block->last);
  buffer_copy(&builder, source, buffer_subview(&builder, whole, op, ir_operand(op, 0)->type));
}

static void create_view(buffers *b, ir_op *op, ir_opcode code, ir_value *memref, const ir_type *type) {
  ir_builder builder = ir_builder_before(op);
  buffer_place(b, ir_result(op, 0), ir_result(create_on_memory(&builder, op, code, 0, memref, type), 0), true);
}

/* The memory with the extents that the tensor shows: reshapes want as many on both sides, and memory may show more. */
static ir_value *memory_as_shown(buffers *b, ir_op *op, ir_value *memref, const ir_value *tensor) {
  const ir_type *from = memref->type;
  const ir_type *type = ir_type_memref(b->module, from->element, from->rank, tensor->type->shape, from->strides,
                                       from->offset, from->space);
  ir_builder builder = ir_builder_before(op);
  return type == from ? memref : ir_unary(&builder, OP_MEMREF_CAST, memref, type);
}

/* The memory is another reshaped, which had the type of the result: the result is that, as what was computed in a
 * result of the function is. */
static bool lower_back(buffers *b, ir_op *op, ir_opcode inner) {
  const ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  ir_value *memory = source->op && source->op->code == inner ? ir_operand(source->op, 0) : NULL;
  const ir_type *wanted = ir_result(op, 0)->type;
  if (!memory || memory->type->rank != wanted->rank || !ir_type_is_static(wanted) ||
      memcmp(memory->type->shape, wanted->shape, wanted->rank * sizeof *wanted->shape))
    return false;
  buffer_place(b, ir_result(op, 0), memory, true);
  return true;
}

static void lower_expand_shape(buffers *b, ir_op *op) {
  if (lower_back(b, op, OP_MEMREF_COLLAPSE_SHAPE))
    return;
  ir_value *source = memory_as_shown(b, op, buffer_of(b, ir_operand(op, 0), op), ir_operand(op, 0));
  const ir_type *wanted = ir_result(op, 0)->type, *from = source->type;
  int64_t outer[IR_MAX_RANK], strides[IR_MAX_RANK];
  ir_type_strides(from, outer);
  for (unsigned g = 0; g < from->rank; g++) {
    ir_dims parts = ir_dims_of(op, g);
    int64_t stride = outer[g];
    for (unsigned i = parts.end; i-- > parts.first;) {
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
  int64_t outer[IR_MAX_RANK];
  ir_type_strides(from, outer);
  for (unsigned g = 0; g < ir_result(op, 0)->type->rank; g++) {
    ir_dims parts = ir_dims_of(op, g);
    int64_t next = 0; /* the stride that makes the next dim outwards follow; 0: any will do */
    strides[g] = outer[parts.first];
    for (unsigned i = parts.end; i-- > parts.first;) {
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
  if (lower_back(b, op, OP_MEMREF_EXPAND_SHAPE))
    return;
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
  create_view(b, op, OP_MEMREF_COLLAPSE_SHAPE, memory_as_shown(b, op, source, ir_operand(op, 0)),
              ir_type_memref(b->module, wanted->element, wanted->rank, wanted->shape, row_major ? NULL : strides,
                             row_major ? 0 : source->type->offset, source->type->space));
  if (source != ir_value_map_get(b->memrefs, ir_operand(op, 0))) /* a copy of its own */
    buffer_place(b, ir_result(op, 0), ir_value_map_get(b->memrefs, ir_result(op, 0)), false);
}

static void lower_cast(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  buffer_place(b, ir_result(op, 0), memory_as_shown(b, op, source, ir_result(op, 0)), true);
}

/* -------------------------------------------------------------------------------------------------- single elements */

/* Ops that write to operand 1, which their result is. */
static void write_memory(buffers *b, ir_op *op, ir_opcode code) {
  ir_value *memref = buffer_for_writing(b, op, 1, true);
  ir_builder builder = ir_builder_before(op);
  create_on_memory(&builder, op, code, 1, memref, NULL);
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
    ir_access(&builder, NULL, memref, indices, ir_operand(op, n));
  }
  buffer_place(b, ir_result(op, 0), memref, false);
}

static void lower_dim(buffers *b, ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  extent x = extent_of_index((ir_index){.value = ir_result(op, 0)});
  if (x.value == ir_result(op, 0)) /* which dim is only known at run time */
    read_memory(op, OP_MEMREF_DIM, buffer_of(b, ir_operand(op, 0), op));
  else
    ir_replace_uses(ir_result(op, 0), ir_index_value(&builder, buffer_extent(b, &builder, x)));
}

/* ------------------------------------------------------------------------------------------------ pad and constants */

static void lower_pad(buffers *b, ir_op *op) {
  ir_value *source = buffer_of(b, ir_operand(op, 0), op);
  const ir_type *type = ir_result(op, 0)->type;
  ir_builder builder = ir_builder_before(op);
  ir_index low[IR_MAX_RANK], sizes[IR_MAX_RANK];
  extent extents[IR_MAX_RANK];
  for (unsigned i = 0; i < type->rank; i++) {
    low[i] = ir_padding(op, 0, i);
    sizes[i] = ir_dim(&builder, source, i);
    ir_index sum = ir_index_add(&builder, ir_index_add(&builder, low[i], sizes[i]), ir_padding(op, 1, i));
    extents[i] = type->shape[i] != IR_DYNAMIC ? (extent){.constant = type->shape[i]}
                                              : (extent){.value = sum.value, .constant = sum.constant};
  }
  ir_value *memref = buffer_create_sized(b, op, type, extents, false);
  bufferize_body_reads(b, body_generate(&builder, ir_region(op, 0), memref));
  buffer_copy(&builder, source, ir_subview(&builder, memref, low, sizes));
  buffer_place(b, ir_result(op, 0), memref, false);
}

/* A dense constant becomes read-only data of the module. */
static void lower_constant(buffers *b, ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_value *memref = memory_of_constant(&builder, ir_attr_get(op, "value"));
  memref->op->mark = buffer_add_root(b, false);
  buffer_place(b, ir_result(op, 0), memref, false);
}

/* ----------------------------------------------------------------------------------------------------------- any op */

bool bufferize_op(buffers *b, ir_op *op) {
  static const struct {
    ir_opcode code;
    void (*lower)(buffers *b, ir_op *op);
  } rows[] = {{OP_TENSOR_EXTRACT_SLICE, lower_extract_slice},
              {OP_TENSOR_INSERT_SLICE, lower_insert_slice},
              {OP_TENSOR_EXPAND_SHAPE, lower_expand_shape},
              {OP_TENSOR_COLLAPSE_SHAPE, lower_collapse_shape},
              {OP_TENSOR_CAST, lower_cast},
              {OP_TENSOR_DIM, lower_dim},
              {OP_TENSOR_FROM_ELEMENTS, lower_from_elements},
              {OP_TENSOR_PAD, lower_pad},
              {OP_ARITH_CONSTANT, lower_constant}};
  if (ir_op_has(op, IR_STRUCTURED | IR_DPS)) {
    if (!op->num_regions)
      return ir_op_error(op, "must be decomposed before it gets memory (pass 'decompose-softmax')");
    bool is_copy = op->code == OP_LINALG_COPY && ir_operand(op, 0)->type == ir_operand(op, 1)->type;
    (is_copy ? lower_copy : lower_structured)(b, op);
    return true;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == op->code) {
      rows[i].lower(b, op);
      return true;
    }
  if (op->code == OP_TENSOR_EXTRACT || op->code == OP_VECTOR_TRANSFER_READ)
    read_memory(op, op->code == OP_TENSOR_EXTRACT ? OP_MEMREF_LOAD : op->code, buffer_of(b, ir_operand(op, 0), op));
  else if (op->code == OP_TENSOR_INSERT || op->code == OP_VECTOR_TRANSFER_WRITE)
    write_memory(b, op, op->code == OP_TENSOR_INSERT ? OP_MEMREF_STORE : op->code);
  else if (op->code != OP_TENSOR_EMPTY) /* gets memory on demand */
    return ir_op_error(op, "has no form on memory");
  return true;
}
