/* memory.c - memrefs, loads, stores and vector transfers to LLVM IR.
 *
 * A transfer goes row by row. Its lanes run along the vector dim whose memory dim has stride 1 where there is one; when
 * that is not the innermost, rows are read there and transposed in registers (or transposed, then written). Each row is
 * a plain vector access, a masked one where some lane may be out of bounds, or goes lane by lane where the stride is
 * not 1. Nothing out of bounds is touched. */
#include "backend/hooks.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- memrefs */

void emit_bind_memref(emitter *e, const ir_value *value, LLVMValueRef address, LLVMValueRef const *sizes,
                      LLVMValueRef const *strides) {
  const ir_type *type = value->type;
  emit_value memref = emit_new_value(e, 1 + 2 * type->rank);
  int64_t known[IR_MAX_RANK];
  ir_type_strides(type, known);
  memref.pieces[0] = address;
  for (unsigned i = 0; i < type->rank; i++) {
    memref.pieces[1 + i] = type->shape[i] == IR_DYNAMIC ? sizes[i] : emit_index(e, type->shape[i]);
    memref.pieces[1 + type->rank + i] = known[i] == IR_DYNAMIC ? strides[i] : emit_index(e, known[i]);
  }
  emit_bind(e, value, memref);
}

void emit_row_major(emitter *e, unsigned rank, LLVMValueRef const *sizes, LLVMValueRef *strides) {
  LLVMValueRef stride = emit_index(e, 1);
  for (unsigned i = rank; i-- > 0;) {
    strides[i] = stride;
    stride = LLVMBuildMul(e->builder, stride, sizes[i], "");
  }
}

static bool is_number(LLVMValueRef value, uint64_t number) {
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

/* offset + position * stride. Most strides are 1 and most offsets 0: LLVM need not clean up after them. */
static LLVMValueRef add_scaled(emitter *e, LLVMValueRef offset, LLVMValueRef position, LLVMValueRef stride) {
  if (is_number(position, 0))
    return offset;
  LLVMValueRef scaled = is_number(stride, 1) ? position : LLVMBuildNSWMul(e->builder, position, stride, "");
  return is_number(offset, 0) ? scaled : LLVMBuildNSWAdd(e->builder, offset, scaled, "");
}

LLVMValueRef emit_address(emitter *e, ir_scalar element, LLVMValueRef base, LLVMValueRef offset) {
  return LLVMBuildGEP2(e->builder, emit_memory_type(e, element), base, &offset, 1, "");
}

/* Between the form in memory and that in values, which differ for i1 and i4. */
static LLVMValueRef from_memory(emitter *e, ir_scalar element, LLVMValueRef stored) {
  if (ir_scalar_bits(element) >= 8)
    return stored;
  return LLVMBuildTrunc(e->builder, stored, emit_type_like(stored, emit_element_type(e, element)), "");
}

static LLVMValueRef to_memory(emitter *e, ir_scalar element, LLVMValueRef value) {
  if (ir_scalar_bits(element) >= 8)
    return value;
  return LLVMBuildIntCast2(e->builder, value, emit_type_like(value, emit_memory_type(e, element)), element != IR_I1,
                           "");
}

LLVMValueRef emit_load(emitter *e, ir_scalar element, LLVMValueRef address, unsigned lanes) {
  LLVMTypeRef type = emit_memory_type(e, element);
  if (lanes == 1) {
    LLVMValueRef row = LLVMGetPoison(emit_row_type(emit_element_type(e, element), 1));
    return emit_set_lane(e, row, emit_load(e, element, address, 0), 0);
  }
  LLVMValueRef load = LLVMBuildLoad2(e->builder, lanes ? emit_row_type(type, lanes) : type, address, "");
  LLVMSetAlignment(load, ir_scalar_bytes(element));
  return from_memory(e, element, load);
}

void emit_store(emitter *e, ir_scalar element, LLVMValueRef value, LLVMValueRef address) {
  LLVMValueRef store = LLVMBuildStore(e->builder, to_memory(e, element, value), address);
  LLVMSetAlignment(store, ir_scalar_bytes(element));
}

/* The product of numbers without sign, or the largest number where it is none: there is no memory of so many bytes. */
static LLVMValueRef multiply_bytes(emitter *e, LLVMValueRef bytes, LLVMValueRef size) {
  if (LLVMIsAConstantInt(bytes) && LLVMIsAConstantInt(size))
    return LLVMBuildMul(e->builder, bytes, size, "");
  LLVMValueRef whole = emit_word(e, 0);
  return emit_intrinsic(e, "llvm.umul.fix.sat", (LLVMValueRef[]){bytes, size, whole}, 3);
}

/* Number of bytes of a memref whose dynamic sizes are the op's operands; binds nothing. */
static LLVMValueRef allocation_sizes(emitter *e, const ir_op *op, LLVMValueRef *sizes) {
  const ir_type *type = ir_result(op, 0)->type;
  LLVMValueRef bytes = emit_index(e, ir_scalar_bytes(type->element));
  ir_index extents[IR_MAX_RANK];
  ir_spelled_extents(op, 0, extents);
  for (unsigned i = 0; i < type->rank; i++) {
    sizes[i] = emit_index_value(e, extents[i]);
    bytes = multiply_bytes(e, bytes, sizes[i]);
  }
  return bytes;
}

static bool bind_allocation(emitter *e, const ir_op *op, LLVMValueRef address, LLVMValueRef const *sizes) {
  LLVMValueRef strides[IR_MAX_RANK];
  emit_row_major(e, ir_result(op, 0)->type->rank, sizes, strides);
  emit_bind_memref(e, ir_result(op, 0), address, sizes, strides);
  return true;
}

bool emit_alloc(emitter *e, const ir_op *op) {
  LLVMValueRef sizes[IR_MAX_RANK];
  LLVMValueRef bytes = allocation_sizes(e, op, sizes);
  return bind_allocation(e, op, e->target->allocate(e, bytes, false), sizes);
}

/* In the frame while that stays small enough for any thread's stack; beyond, memory freed when the function ends. */
bool emit_alloca_op(emitter *e, const ir_op *op) {
  LLVMValueRef sizes[IR_MAX_RANK];
  LLVMValueRef bytes = allocation_sizes(e, op, sizes);
  if (e->target->share && ir_result(op, 0)->type->space == IR_SPACE_WORKGROUP) {
    if (!LLVMIsAConstantInt(bytes))
      return ir_op_error(op, "shares memory between lanes, so its size must be known");
    LLVMValueRef address = e->target->share(e, op, LLVMConstIntGetZExtValue(bytes));
    return address && bind_allocation(e, op, address, sizes);
  }
  uint64_t room = EMIT_MAX_FRAME - e->frame_bytes;
  if (!LLVMIsAConstantInt(bytes) || LLVMConstIntGetZExtValue(bytes) > room)
    return bind_allocation(e, op, e->target->allocate(e, bytes, true), sizes);
  uint64_t size = LLVMConstIntGetZExtValue(bytes);
  e->frame_bytes += size;
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->context), size);
  return bind_allocation(e, op, emit_alloca(e, type, EMIT_ALIGNMENT), sizes);
}

bool emit_dealloc(emitter *e, const ir_op *op) {
  e->target->release(e, emit_operand(e, op, 0)->pieces[0]);
  return true;
}

/* All elements, as an array. What the target reads bytes of as anything gets bytes, as these are written at once, and
 * other types one by one (.4 us each). */
static LLVMValueRef array_of_constant(emitter *e, const ir_attr *constant, int64_t count) {
  size_t width = ir_scalar_bytes(constant->type->element), size = width * (size_t)count;
  const uint8_t *bytes = constant->bytes;
  if (constant->count != count) {
    uint8_t *all = ir_arena_alloc(&e->arena, size);
    for (size_t i = 0; i < size; i += width)
      memcpy(all + i, constant->bytes, width);
    bytes = all;
  }
  LLVMTypeRef type =
      e->target->has_typed_constants ? emit_memory_type(e, constant->type->element) : LLVMInt8TypeInContext(e->context);
  return LLVMConstDataArray(type, (const char *)bytes, size);
}

static LLVMValueRef global_of(emitter *e, const ir_op *op, const char *name) {
  const ir_op *global = ir_module_lookup(e->module, name);
  if (!global || global->code != OP_MEMREF_GLOBAL) {
    ir_op_error(op, "names no memref.global: '%s'", name);
    return NULL;
  }
  size_t size = strlen(name);
  char *symbol = ir_arena_alloc(&e->arena, size + 6);
  memcpy(memcpy(symbol, "data:", 5) + 5, name, size + 1);
  LLVMValueRef known = LLVMGetNamedGlobal(e->llvm, symbol);
  if (known)
    return known;
  const ir_type *type = ir_attr_get(global, "type")->type;
  const ir_attr *initial = ir_attr_get(global, "initial_value");
  if (!initial || initial->kind != IR_ATTR_DENSE || !ir_type_is_static(type)) {
    ir_op_error(global, "needs a static type and an initial value");
    return NULL;
  }
  int64_t count = ir_type_num_elements(type), most = e->target->most_constant_elements;
  if (most && count > most) {
    ir_error(e->module, global->loc, "a constant of %lld elements; %s has at most %lld in one: pass it as an argument",
             (long long)count, e->target->name, (long long)most);
    return NULL;
  }
  LLVMValueRef array = array_of_constant(e, initial, count);
  LLVMValueRef data = LLVMAddGlobalInAddressSpace(e->llvm, LLVMTypeOf(array), symbol, e->target->constant_space);
  LLVMSetInitializer(data, array);
  LLVMSetGlobalConstant(data, ir_attr_get(global, "constant") != NULL);
  LLVMSetLinkage(data, LLVMPrivateLinkage);
  LLVMSetAlignment(data, EMIT_ALIGNMENT);
  return data;
}

bool emit_get_global(emitter *e, const ir_op *op) {
  LLVMValueRef data = global_of(e, op, ir_attr_string_or(op, "name", ""));
  if (data)
    emit_bind_memref(e, ir_result(op, 0), data, NULL, NULL);
  return data != NULL;
}

/* ------------------------------------------------------------------------------------------------------------ views */

bool emit_kept_dims(const ir_op *op, bool *kept) {
  const ir_type *source = ir_operand(op, 0)->type, *type = ir_result(op, 0)->type;
  unsigned drops = source->rank - type->rank, next = 0, rank;
  /* As the type has them, which may know less than a constant operand tells. */
  const int64_t *sizes = ir_attr_i64s_of(op, "static_sizes", &rank);
  for (unsigned i = 0; i < source->rank; i++) {
    kept[i] = next < type->rank && type->shape[next] == sizes[i];
    if (kept[i])
      next++;
    else if (!drops-- || sizes[i] != 1)
      return ir_op_error(op, "has a result that is not a part of its operand");
  }
  return next == type->rank || ir_op_error(op, "has a result that is not a part of its operand");
}

bool emit_subview(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  const ir_type *type = ir_operand(op, 0)->type;
  ir_slice slice = ir_slice_of(op);
  LLVMValueRef sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
  bool kept[IR_MAX_RANK];
  if (!emit_kept_dims(op, kept))
    return false;
  LLVMValueRef offset = emit_index(e, 0);
  unsigned next = 0;
  for (unsigned i = 0; i < type->rank; i++) {
    LLVMValueRef start = emit_index_value(e, slice.offsets[i]), stride = emit_stride(source, i);
    offset = add_scaled(e, offset, start, stride);
    if (!kept[i])
      continue;
    LLVMValueRef step = emit_index_value(e, slice.strides[i]);
    sizes[next] = emit_index_value(e, slice.sizes[i]);
    strides[next++] = add_scaled(e, emit_index(e, 0), stride, step);
  }
  LLVMValueRef address = emit_address(e, type->element, source->pieces[0], offset);
  emit_bind_memref(e, ir_result(op, 0), address, sizes, strides);
  return true;
}

bool emit_memref_cast(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  emit_bind_memref(e, ir_result(op, 0), source->pieces[0], source->pieces + 1,
                   source->pieces + 1 + ir_operand(op, 0)->type->rank);
  return true;
}

bool emit_expand_shape(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  const ir_type *type = ir_result(op, 0)->type;
  LLVMValueRef sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
  for (unsigned i = 0; i < type->rank; i++) {
    sizes[i] = emit_mixed(e, op, 1, "static_output_shape", i);
    strides[i] = emit_index(e, 1);
  }
  for (unsigned i = 0; i < ir_operand(op, 0)->type->rank; i++) {
    LLVMValueRef stride = emit_stride(source, i);
    ir_dims parts = ir_dims_of(op, i);
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      strides[dim] = stride;
      stride = LLVMBuildNSWMul(e->builder, stride, sizes[dim], "");
    }
  }
  emit_bind_memref(e, ir_result(op, 0), source->pieces[0], sizes, strides);
  return true;
}

/* A merged dim has the stride of its last dim that is longer than 1. */
bool emit_collapse_shape(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  const ir_type *type = ir_operand(op, 0)->type;
  LLVMValueRef sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
  for (unsigned i = 0; i < ir_result(op, 0)->type->rank; i++) {
    sizes[i] = strides[i] = emit_index(e, 1);
    bool found = false;
    ir_dims parts = ir_dims_of(op, i);
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      sizes[i] = LLVMBuildNSWMul(e->builder, sizes[i], emit_size(source, dim), "");
      if (!found)
        strides[i] = emit_stride(source, dim);
      found |= type->shape[dim] != 1;
    }
  }
  emit_bind_memref(e, ir_result(op, 0), source->pieces[0], sizes, strides);
  return true;
}

bool emit_memref_dim(emitter *e, const ir_op *op) {
  const emit_value *memref = emit_operand(e, op, 0);
  LLVMValueRef dim = emit_scalar(e, ir_operand(op, 1)), *result = emit_result(e, op);
  result[0] = emit_index(e, 0);
  for (unsigned i = 0; i < ir_operand(op, 0)->type->rank; i++) {
    LLVMValueRef is_it = LLVMBuildICmp(e->builder, LLVMIntEQ, dim, emit_index(e, i), "");
    result[0] = LLVMBuildSelect(e->builder, is_it, emit_size(memref, i), result[0], "");
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------ one element */

static LLVMValueRef element_address(emitter *e, ir_scalar element, const emit_value *memref,
                                    LLVMValueRef const *indices) {
  LLVMValueRef offset = emit_index(e, 0);
  for (unsigned i = 0; i < (memref->num_pieces - 1) / 2; i++)
    offset = add_scaled(e, offset, indices[i], emit_stride(memref, i));
  return emit_address(e, element, memref->pieces[0], offset);
}

/* x where the index is x + constant, which is added to *constant; else the index itself. */
static LLVMValueRef without_constant(LLVMValueRef index, int64_t *constant) {
  for (; LLVMIsABinaryOperator(index) && LLVMGetInstructionOpcode(index) == LLVMAdd &&
         LLVMIsAConstantInt(LLVMGetOperand(index, 1));
       index = LLVMGetOperand(index, 0))
    *constant += LLVMConstIntGetSExtValue(LLVMGetOperand(index, 1));
  return index;
}

/* The address but for the constant parts of subscripts, which *behind counts in elements: neighbours share the rest. */
static LLVMValueRef shared_address(emitter *e, const ir_op *op, unsigned memref, unsigned first, uint64_t *behind) {
  LLVMValueRef indices[IR_MAX_RANK] = {NULL};
  const ir_type *type = ir_operand(op, memref)->type;
  int64_t strides[IR_MAX_RANK];
  ir_type_strides(type, strides);
  *behind = 0; /* wraps, as addresses do */
  for (unsigned i = 0; i < type->rank; i++) {
    int64_t constant = 0;
    indices[i] = emit_scalar(e, ir_operand(op, first + i));
    if (strides[i] != IR_DYNAMIC)
      indices[i] = without_constant(indices[i], &constant);
    *behind += (uint64_t)constant * (uint64_t)strides[i];
  }
  return element_address(e, type->element, emit_operand(e, op, memref), indices);
}

static LLVMValueRef further(emitter *e, ir_scalar element, LLVMValueRef address, uint64_t elements) {
  return elements ? emit_address(e, element, address, emit_index(e, (int64_t)elements)) : address;
}

LLVMValueRef emit_operand_address(emitter *e, const ir_op *op, unsigned memref, unsigned first) {
  uint64_t behind;
  LLVMValueRef address = shared_address(e, op, memref, first, &behind);
  return further(e, ir_operand(op, memref)->type->element, address, behind);
}

bool emit_extract_pointer(emitter *e, const ir_op *op) {
  LLVMValueRef address = emit_operand(e, op, 0)->pieces[0];
  emit_result(e, op)[0] = LLVMBuildPtrToInt(e->builder, address, LLVMInt64TypeInContext(e->context), "");
  return true;
}

bool emit_memref_load(emitter *e, const ir_op *op) {
  LLVMValueRef address = emit_operand_address(e, op, 0, 1);
  emit_result(e, op)[0] = emit_load(e, ir_operand(op, 0)->type->element, address, 0);
  return true;
}

bool emit_memref_store(emitter *e, const ir_op *op) {
  LLVMValueRef address = emit_operand_address(e, op, 1, 2);
  emit_store(e, ir_operand(op, 1)->type->element, emit_scalar(e, ir_operand(op, 0)), address);
  return true;
}

/* What `alignment` promises of the address, or what any element has. */
static unsigned alignment_of(const ir_op *op, ir_scalar element) {
  return (unsigned)ir_attr_int_or(op, "alignment", ir_scalar_bytes(element));
}

bool emit_vector_load(emitter *e, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  LLVMTypeRef row = emit_row_type(emit_memory_type(e, type->element), (unsigned)type->shape[0]);
  LLVMValueRef load = LLVMBuildLoad2(e->builder, row, emit_operand_address(e, op, 0, 1), "");
  LLVMSetAlignment(load, alignment_of(op, type->element));
  emit_result(e, op)[0] = from_memory(e, type->element, load);
  return true;
}

/* Past the caches. */
static void set_nontemporal(emitter *e, LLVMValueRef store) {
  e->streams = true;
  static const char name[] = "nontemporal";
  LLVMMetadataRef one = LLVMValueAsMetadata(emit_word(e, 1));
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->context, name, sizeof name - 1),
                  LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &one, 1)));
}

bool emit_vector_store(emitter *e, const ir_op *op) {
  ir_scalar element = ir_operand(op, 0)->type->element;
  LLVMValueRef row = to_memory(e, element, emit_operand(e, op, 0)->pieces[0]);
  LLVMValueRef store = LLVMBuildStore(e->builder, row, emit_operand_address(e, op, 1, 2));
  LLVMSetAlignment(store, alignment_of(op, element));
  if (ir_attr_int_or(op, "nontemporal", 0) && e->facts->kind == TARGET_HOST)
    set_nontemporal(e, store);
  return true;
}

/* A loop nest over the elements; in the innermost dim of two contiguous memrefs, memcpy of a whole row. */
bool emit_copy(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0), *target = emit_operand(e, op, 1);
  const ir_type *type = ir_operand(op, 0)->type;
  unsigned rank = type->rank;
  LLVMValueRef one = emit_index(e, 1), indices[IR_MAX_RANK];
  emit_loop loops[IR_MAX_RANK];
  bool by_rows = rank && emit_stride(source, rank - 1) == one && emit_stride(target, rank - 1) == one;
  unsigned num_loops = by_rows ? rank - 1 : rank;
  for (unsigned i = 0; i < num_loops; i++) {
    loops[i] = emit_loop_begin(e, emit_index(e, 0), emit_size(source, i), one, 0, NULL);
    indices[i] = loops[i].iv;
  }
  if (by_rows)
    indices[rank - 1] = emit_index(e, 0);
  LLVMValueRef from = element_address(e, type->element, source, indices);
  LLVMValueRef to = element_address(e, type->element, target, indices);
  unsigned bytes = ir_scalar_bytes(type->element);
  if (by_rows) {
    LLVMValueRef size = LLVMBuildMul(e->builder, emit_size(source, rank - 1), emit_index(e, bytes), "");
    LLVMBuildMemMove(e->builder, to, bytes, from, bytes, size);
  } else {
    emit_store(e, type->element, emit_load(e, type->element, from, 0), to);
  }
  for (unsigned i = num_loops; i-- > 0;)
    emit_loop_end(e, &loops[i], NULL, false);
  return true;
}

/* -------------------------------------------------------------------------------------------------------- transfers */

/* A transfer in the order in which rows are accessed. Vector dim i has `shape[i]` lanes and runs along memory dim
 * dims[i], or -1 where it is a broadcast. */
typedef struct transfer {
  const emit_value *memref;
  ir_scalar element;
  LLVMValueRef indices[IR_MAX_RANK];
  int64_t strides[IR_MAX_RANK]; /* of the memref, as far as they are known */
  LLVMValueRef address;         /* of the first element, .. */
  uint64_t behind;              /* .. which is so many elements behind it */
  unsigned memory_rank, rank;
  int64_t shape[IR_MAX_RANK];
  int dims[IR_MAX_RANK];
  bool in_bounds[IR_MAX_RANK];
  LLVMValueRef padding;   /* NULL: a write */
  const emit_value *mask; /* NULL: none */
  const ir_type *mask_type;
  unsigned mask_dims[IR_MAX_RANK]; /* the vector dim of each mask dim */
  bool transposed;
  unsigned order[IR_MAX_RANK]; /* vector dim i is the op's vector dim order[i]; order is its own inverse */
  bool is_near;                /* what is asked for is to be in the first cache */
  unsigned num_ahead;          /* 0, or the memref's rank: */
  const int64_t *ahead;        /* accesses ask for the lines so many subscripts further, too */
} transfer;

static bool is_contiguous(const transfer *t, unsigned i) {
  return t->dims[i] >= 0 && is_number(emit_stride(t->memref, (unsigned)t->dims[i]), 1);
}

/* Mask dims follow memory dims: those that the map uses, in the order of memory. */
static void mask_order(transfer *t) {
  unsigned next = 0;
  for (unsigned dim = 0; dim < t->memory_rank; dim++)
    for (unsigned i = 0; i < t->rank; i++)
      if (t->dims[i] == (int)dim)
        t->mask_dims[next++] = i;
}

/* Puts the vector dim that runs along contiguous memory innermost. */
static void choose_lanes(transfer *t) {
  unsigned last = t->rank - 1;
  for (unsigned i = 0; i < t->rank; i++)
    t->order[i] = i;
  for (unsigned i = 0; i < last && !t->transposed && !is_contiguous(t, last); i++) {
    if (!is_contiguous(t, i) || t->shape[i] == 1 || t->shape[last] == 1)
      continue;
    t->transposed = true;
    t->order[i] = last, t->order[last] = i;
    int64_t extent = t->shape[i];
    int dim = t->dims[i];
    bool in_bounds = t->in_bounds[i];
    t->shape[i] = t->shape[last], t->dims[i] = t->dims[last], t->in_bounds[i] = t->in_bounds[last];
    t->shape[last] = extent, t->dims[last] = dim, t->in_bounds[last] = in_bounds;
  }
}

/* Reads an op's attributes and operands; `base` is the operand that is the memref. A vector of rank 0 is one lane. */
static transfer transfer_of(emitter *e, const ir_op *op, unsigned base, const ir_type *vector) {
  const ir_type *type = ir_operand(op, base)->type;
  const ir_attr *map = ir_attr_get(op, "permutation_map"), *in_bounds = ir_attr_get(op, "in_bounds");
  transfer t = {.memref = emit_operand(e, op, base), .element = type->element, .memory_rank = type->rank};
  for (unsigned i = 0; i < type->rank; i++)
    t.indices[i] = emit_scalar(e, ir_operand(op, base + 1 + i));
  t.address = shared_address(e, op, base, base + 1, &t.behind);
  ir_type_strides(type, t.strides);
  t.rank = vector->rank;
  for (unsigned i = 0; i < vector->rank; i++) {
    t.shape[i] = vector->shape[i];
    t.dims[i] = map ? ir_map_result_dim(map->map, i) : (int)(type->rank - vector->rank + i);
    t.in_bounds[i] = t.dims[i] < 0 || (in_bounds && i < in_bounds->count && in_bounds->elements[i]->value);
  }
  if (!vector->rank)
    t.rank = 1, t.shape[0] = 1, t.dims[0] = -1, t.in_bounds[0] = true;
  unsigned mask_group = ir_info_num_groups(ir_op_row(op)) - 1;
  if (ir_group_size(op, mask_group)) {
    const ir_value *mask = ir_group_operand(op, mask_group, 0);
    t.mask = emit_get(e, mask);
    t.mask_type = mask->type;
  }
  choose_lanes(&t);
  mask_order(&t);
  return t;
}

/* The lanes of the explicit mask in the row at `position`. */
static LLVMValueRef explicit_mask(emitter *e, const transfer *t, const int64_t *position, unsigned lanes) {
  LLVMTypeRef type = emit_row_type(LLVMInt1TypeInContext(e->context), lanes);
  const ir_type *shape = t->mask_type;
  unsigned outer = emit_outer_rank(shape);
  LLVMValueRef row = LLVMGetPoison(type);
  for (unsigned lane = 0; lane < lanes; lane++) {
    int64_t at[IR_MAX_RANK] = {0};
    for (unsigned i = 0; i < shape->rank; i++)
      at[i] = t->mask_dims[i] == t->rank - 1 ? (int64_t)lane : position[t->mask_dims[i]];
    LLVMValueRef piece = t->mask->pieces[emit_linear(outer, shape->shape, at)];
    if (shape->rank && t->mask_dims[outer] == t->rank - 1 && emit_lanes(piece) == lanes)
      return piece;
    row = emit_set_lane(e, row, emit_lane(e, piece, shape->rank ? (unsigned)at[outer] : 0), lane);
  }
  return row;
}

/* Which lanes of the row at `position` exist; NULL where all do. */
static LLVMValueRef row_mask(emitter *e, const transfer *t, const int64_t *position) {
  unsigned last = t->rank - 1, lanes = (unsigned)t->shape[last];
  LLVMValueRef mask = t->mask ? explicit_mask(e, t, position, lanes) : NULL, inside = NULL;
  for (unsigned i = 0; i < last; i++) {
    if (t->in_bounds[i])
      continue;
    unsigned dim = (unsigned)t->dims[i];
    LLVMValueRef index = LLVMBuildNSWAdd(e->builder, t->indices[dim], emit_index(e, position[i]), "");
    LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntSLT, index, emit_size(t->memref, dim), "");
    inside = inside ? LLVMBuildAnd(e->builder, inside, fits, "") : fits;
  }
  if (!t->in_bounds[last]) {
    unsigned dim = (unsigned)t->dims[last];
    LLVMValueRef rest = LLVMBuildSub(e->builder, emit_size(t->memref, dim), t->indices[dim], "");
    if (inside)
      rest = LLVMBuildSelect(e->builder, inside, rest, emit_index(e, 0), "");
    LLVMValueRef below = emit_lanes_below(e, rest, lanes);
    return mask ? LLVMBuildAnd(e->builder, mask, below, "") : below;
  }
  if (!inside)
    return mask;
  inside = emit_splat(e, inside, lanes);
  return mask ? LLVMBuildAnd(e->builder, mask, inside, "") : inside;
}

LLVMValueRef emit_lanes_below(emitter *e, LLVMValueRef bound, unsigned lanes) {
  LLVMTypeRef word = emit_word_type(e);
  bound = emit_intrinsic(e, "llvm.smin", (LLVMValueRef[]){bound, emit_index(e, lanes)}, 2);
  bound = emit_intrinsic(e, "llvm.smax", (LLVMValueRef[]){bound, emit_index(e, 0)}, 2);
  LLVMValueRef limit = emit_splat(e, LLVMBuildTrunc(e->builder, bound, word, ""), lanes);
  return LLVMBuildICmp(e->builder, LLVMIntULT, emit_step(e, word, lanes), limit, "");
}

/* A mask known to be all true is none. */
static LLVMValueRef drop_full_mask(LLVMValueRef mask) {
  if (!mask || !LLVMIsConstant(mask))
    return mask;
  return mask == LLVMConstAllOnes(LLVMTypeOf(mask)) ? NULL : mask;
}

/* Addresses of all lanes of a row. */
static LLVMValueRef lane_addresses(emitter *e, const transfer *t, LLVMValueRef address, unsigned lanes) {
  int dim = t->dims[t->rank - 1];
  LLVMValueRef stride = dim < 0 ? emit_index(e, 0) : emit_stride(t->memref, (unsigned)dim);
  LLVMValueRef step = emit_step(e, LLVMInt64TypeInContext(e->context), lanes);
  LLVMValueRef offsets = LLVMBuildMul(e->builder, step, emit_splat(e, stride, lanes), "");
  return LLVMBuildGEP2(e->builder, emit_memory_type(e, t->element), address, &offsets, 1, "");
}

static void align_pointer_operand(emitter *e, LLVMValueRef call, unsigned operand, ir_scalar element) {
  unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
  LLVMAddCallSiteAttribute(call, operand + 1, LLVMCreateEnumAttribute(e->context, kind, ir_scalar_bytes(element)));
}

static LLVMValueRef read_masked(emitter *e, const transfer *t, LLVMValueRef address, LLVMValueRef mask) {
  unsigned last = t->rank - 1, lanes = (unsigned)t->shape[last];
  LLVMValueRef padding = emit_splat(e, to_memory(e, t->element, t->padding), lanes);
  bool dense = is_contiguous(t, last);
  if (!dense)
    address = lane_addresses(e, t, address, lanes);
  LLVMTypeRef overloads[] = {LLVMTypeOf(padding), LLVMTypeOf(address)};
  LLVMValueRef operands[] = {address, mask, padding};
  LLVMValueRef row = emit_intrinsic_of(e, dense ? "llvm.masked.load" : "llvm.masked.gather", overloads, 2, operands, 3);
  align_pointer_operand(e, row, 0, t->element);
  return from_memory(e, t->element, row);
}

/* A few neighbours that are no power of two, rows of a product's tile, are read one by one: LLVM would read them in
 * pieces, and shuffle each out of these. */
enum { MOST_ONE_BY_ONE = 16 };

/* Where that lane of a row lies whose first one is at the address. */
static LLVMValueRef lane_address(emitter *e, const transfer *t, LLVMValueRef address, unsigned lane) {
  LLVMValueRef stride = emit_stride(t->memref, (unsigned)t->dims[t->rank - 1]);
  LLVMValueRef offset = LLVMBuildNSWMul(e->builder, stride, emit_index(e, lane), "");
  return emit_address(e, t->element, address, offset);
}

static LLVMValueRef read_row(emitter *e, const transfer *t, LLVMValueRef address, LLVMValueRef mask) {
  unsigned last = t->rank - 1, lanes = (unsigned)t->shape[last];
  if (mask)
    return read_masked(e, t, address, mask);
  if (t->dims[last] < 0)
    return emit_splat(e, emit_load(e, t->element, address, 0), lanes);
  bool in_pieces = lanes <= MOST_ONE_BY_ONE && lanes & (lanes - 1);
  if (lanes == 1 || (is_contiguous(t, last) && !in_pieces))
    return emit_load(e, t->element, address, lanes);
  LLVMValueRef row = LLVMGetPoison(emit_row_type(emit_element_type(e, t->element), lanes));
  for (unsigned lane = 0; lane < lanes; lane++)
    row = emit_set_lane(e, row, emit_load(e, t->element, lane_address(e, t, address, lane), 0), lane);
  return row;
}

static void write_row(emitter *e, const transfer *t, LLVMValueRef row, LLVMValueRef address, LLVMValueRef mask) {
  unsigned last = t->rank - 1, lanes = (unsigned)t->shape[last];
  bool dense = is_contiguous(t, last);
  if (mask) {
    if (!dense)
      address = lane_addresses(e, t, address, lanes);
    row = to_memory(e, t->element, row);
    LLVMTypeRef overloads[] = {LLVMTypeOf(row), LLVMTypeOf(address)};
    LLVMValueRef operands[] = {row, address, mask};
    LLVMValueRef call =
        emit_intrinsic_of(e, dense ? "llvm.masked.store" : "llvm.masked.scatter", overloads, 2, operands, 3);
    align_pointer_operand(e, call, 1, t->element);
    return;
  }
  if (lanes == 1 || dense) {
    emit_store(e, t->element, row, address);
    return;
  }
  for (unsigned lane = 0; lane < lanes; lane++) {
    LLVMValueRef element = emit_lane(e, row, lane);
    emit_store(e, t->element, element, lane_address(e, t, address, lane));
  }
}

/* Where a line is asked to be: in the first cache, there alone, or in the second one. */
typedef enum line_place { PAST_SECOND = 0, SECOND = 2, FIRST = 3 } line_place;

static void prefetch_line(emitter *e, LLVMValueRef address, bool is_write, line_place place) {
  enum { DATA = 1 };
  LLVMTypeRef type = LLVMTypeOf(address);
  LLVMValueRef operands[] = {address, emit_word(e, is_write), emit_word(e, place), emit_word(e, DATA)};
  emit_intrinsic_of(e, "llvm.prefetch", &type, 1, operands, 4);
}

void emit_prefetch_line(emitter *e, LLVMValueRef address, bool is_near) {
  prefetch_line(e, address, false, is_near ? FIRST : SECOND);
}

/* Asks for the cache lines of what lies beyond the row by `t->ahead` subscripts. What the first cache is asked for,
 * where memory has few streams, is read once: it does not come by way of the second one, which would write it to the
 * last one in the end. */
static void prefetch_row(emitter *e, const transfer *t, LLVMValueRef address) {
  enum { LINE_BYTES = 64 };
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->context);
  LLVMValueRef offset = emit_index(e, 0);
  for (unsigned i = 0; i < t->num_ahead; i++)
    if (t->ahead[i])
      offset = add_scaled(e, offset, emit_index(e, t->ahead[i]), emit_stride(t->memref, i));
  address = emit_address(e, t->element, address, offset);
  int64_t bytes = t->shape[t->rank - 1] * ir_scalar_bytes(t->element);
  line_place place = !t->is_near ? SECOND : e->facts->has_few_streams ? PAST_SECOND : FIRST;
  for (int64_t line = 0; line < bytes; line += LINE_BYTES) {
    LLVMValueRef at = emit_index(e, line);
    prefetch_line(e, LLVMBuildGEP2(e->builder, byte, address, &at, 1, ""), !t->padding, place);
  }
}

static LLVMValueRef row_address(emitter *e, const transfer *t, const int64_t *position) {
  LLVMValueRef offset = emit_index(e, 0);
  uint64_t behind = t->behind;
  for (unsigned i = 0; i + 1 < t->rank; i++) {
    if (t->dims[i] < 0)
      continue;
    unsigned dim = (unsigned)t->dims[i];
    if (t->strides[dim] == IR_DYNAMIC)
      offset = add_scaled(e, offset, emit_index(e, position[i]), emit_stride(t->memref, dim));
    else
      behind += (uint64_t)position[i] * (uint64_t)t->strides[dim];
  }
  LLVMValueRef address = is_number(offset, 0) ? t->address : emit_address(e, t->element, t->address, offset);
  return further(e, t->element, address, behind);
}

/* Reads into `rows`, or writes them. */
static void transfer_rows(emitter *e, const transfer *t, LLVMValueRef *rows) {
  int64_t position[IR_MAX_RANK] = {0};
  unsigned outer = t->rank - 1, row = 0;
  do {
    LLVMValueRef address = row_address(e, t, position);
    LLVMValueRef mask = drop_full_mask(row_mask(e, t, position));
    if (t->num_ahead)
      prefetch_row(e, t, address);
    if (t->padding)
      rows[row] = read_row(e, t, address, mask);
    else
      write_row(e, t, rows[row], address, mask);
    row++;
  } while (emit_next(outer, t->shape, position));
}

bool emit_transfer_read(emitter *e, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  LLVMValueRef *result = emit_result(e, op);
  if (ir_operand(op, 0)->type->kind != IR_TYPE_MEMREF)
    return ir_op_error(op, "still reads a tensor");
  transfer t = transfer_of(e, op, 0, type);
  t.padding = emit_scalar(e, ir_group_operand(op, 2, 0));
  t.ahead = ir_attr_i64s_of(op, "tec.prefetch", &t.num_ahead);
  t.is_near = ir_attr_get(op, "tec.near");
  int64_t count = ir_type_num_elements(type) / t.shape[t.rank - 1];
  LLVMValueRef *rows = t.transposed ? IR_NEW_ARRAY(&e->arena, LLVMValueRef, count) : result;
  transfer_rows(e, &t, rows);
  if (t.transposed)
    emit_transpose(e, t.rank, t.shape, t.order, rows, result);
  return true;
}

bool emit_transfer_write(emitter *e, const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  if (ir_operand(op, 1)->type->kind != IR_TYPE_MEMREF)
    return ir_op_error(op, "still writes a tensor");
  transfer t = transfer_of(e, op, 1, type);
  t.ahead = ir_attr_i64s_of(op, "tec.prefetch", &t.num_ahead);
  LLVMValueRef *rows = emit_operand(e, op, 0)->pieces;
  if (t.transposed) {
    unsigned count = (unsigned)(ir_type_num_elements(type) / t.shape[t.rank - 1]);
    LLVMValueRef *transposed = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
    emit_transpose(e, type->rank, type->shape, t.order, rows, transposed);
    rows = transposed;
  }
  transfer_rows(e, &t, rows);
  return true;
}

/* Each of a small table by itself, at places that 32 bits hold: their lanes leave registers as they are, where those of
 * addresses would be made first (products of a few rows with 4-bit places 1.2 times as fast; SSE2). */
static LLVMValueRef gather_apart(emitter *e, ir_scalar element, LLVMValueRef address, LLVMValueRef places) {
  unsigned lanes = emit_lanes(places);
  LLVMTypeRef word = emit_type_like(places, emit_word_type(e));
  LLVMValueRef row = LLVMGetPoison(emit_row_type(emit_element_type(e, element), lanes));
  places = LLVMBuildIntCast2(e->builder, places, word, true, "");
  for (unsigned lane = 0; lane < lanes; lane++) {
    LLVMValueRef place = LLVMBuildSExt(e->builder, emit_lane(e, places, lane), LLVMInt64TypeInContext(e->context), "");
    row = emit_set_lane(e, row, emit_load(e, element, emit_address(e, element, address, place), 0), lane);
  }
  return row;
}

/* Elements at base[indices] + index_vec, in the innermost dim of the base. */
bool emit_gather(emitter *e, const ir_op *op) {
  const ir_type *base = ir_operand(op, 0)->type, *type = ir_result(op, 0)->type;
  const emit_value *memref = emit_operand(e, op, 0);
  const emit_value *offsets = emit_get(e, ir_group_operand(op, 2, 0)), *masks = emit_get(e, ir_group_operand(op, 3, 0));
  const emit_value *others = emit_get(e, ir_group_operand(op, 4, 0));
  LLVMValueRef *result = emit_result(e, op);
  if (base->kind != IR_TYPE_MEMREF || !base->rank)
    return ir_op_error(op, "gathers from a memref of rank 1 or more only");
  LLVMValueRef address = emit_operand_address(e, op, 0, 1);
  unsigned lanes = emit_row_length(type);
  LLVMValueRef table = is_number(emit_scalar(e, ir_operand(op, 1)), 0) ? emit_lookup_table(e, base, address) : NULL;
  for (unsigned i = 0; i < offsets->num_pieces; i++) {
    if (table) {
      LLVMValueRef found = emit_lookup(e, base->element, table, offsets->pieces[i]);
      result[i] = LLVMBuildSelect(e->builder, masks->pieces[i], found, others->pieces[i], "");
      continue;
    }
    if (e->facts->kind == TARGET_HOST && target_has_small_table(base) && !drop_full_mask(masks->pieces[i])) {
      result[i] = gather_apart(e, base->element, address, offsets->pieces[i]);
      continue;
    }
    LLVMTypeRef wide = emit_type_like(offsets->pieces[i], LLVMInt64TypeInContext(e->context));
    LLVMValueRef index = LLVMBuildIntCast2(e->builder, offsets->pieces[i], wide, true, "");
    index = LLVMBuildMul(e->builder, index, emit_splat(e, emit_stride(memref, base->rank - 1), lanes), "");
    LLVMValueRef addresses = LLVMBuildGEP2(e->builder, emit_memory_type(e, base->element), address, &index, 1, "");
    LLVMValueRef operands[] = {addresses, masks->pieces[i], to_memory(e, base->element, others->pieces[i])};
    LLVMTypeRef overloads[] = {LLVMTypeOf(operands[2]), LLVMTypeOf(addresses)};
    LLVMValueRef row = emit_intrinsic_of(e, "llvm.masked.gather", overloads, 2, operands, 3);
    align_pointer_operand(e, row, 0, base->element);
    result[i] = from_memory(e, base->element, row);
  }
  return true;
}
