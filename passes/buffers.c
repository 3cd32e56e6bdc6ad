/* buffers.c - which memory a tensor lives in and who may overwrite it; see buffers.h.
 *
 * Overwriting is safe when no tensor that lives in the memory is read afterwards, other than through the writer's
 * own result. "Afterwards" is program order, and, for a tensor from outside of a loop around both reader and writer,
 * any order. What is reached through views counts as a use of the tensor itself.
 *
 * Terminates: uses are followed from views to views of views, and a view is defined after what it shows. */
#include "passes/buffers.h"

const ir_type *buffer_type(ir_module *module, const ir_type *tensor) {
  return ir_type_memref(module, tensor->element, tensor->rank, tensor->shape, NULL, 0, IR_SPACE_GLOBAL);
}

unsigned buffer_add_root(buffers *b, bool writable) {
  IR_PUSH(&b->module->arena, b->roots, b->num_roots, b->root_capacity) = (buffer_root){.writable = writable};
  return b->num_roots - 1;
}

static buffer_root *root_of(const buffers *b, const ir_value *memref) {
  memref = view_root(memref);
  return &b->roots[memref->op ? memref->op->mark : memref->index - b->first_argument];
}

void buffer_place(buffers *b, ir_value *tensor, ir_value *memref, bool is_view) {
  ir_value_map_set(b->memrefs, tensor, memref);
  if (is_view)
    return;
  buffer_root *root = root_of(b, memref);
  root->tenants = IR_NEW_OF(&b->module->arena, buffer_tenant, tensor, root->tenants);
}

ir_value *buffer_of(buffers *b, ir_value *tensor, ir_op *op) {
  ir_value *memref = ir_value_map_get(b->memrefs, tensor);
  if (memref == tensor) {
    memref = buffer_create(b, op, tensor, false);
    buffer_place(b, tensor, memref, true);
  }
  return memref;
}

void buffer_copy(ir_builder *builder, ir_value *from, ir_value *to) {
  if (from == to)
    return;
  ir_value *operands[] = {from, to};
  ir_op_create(builder, OP_MEMREF_COPY, &(ir_op_spec){.operands = operands, .num_operands = 2});
}

ir_value *buffer_subview(ir_builder *builder, ir_value *memref, const ir_op *slice, const ir_type *part) {
  ir_slice s = ir_slice_of(slice);
  unsigned kept[IR_MAX_RANK], num_kept = ir_slice_kept_dims(slice, part, kept);
  return ir_subview_of_dims(builder, memref, s.offsets, s.sizes, s.strides, num_kept, kept);
}

ir_index buffer_extent(buffers *b, ir_builder *builder, extent x) {
  if (x.value && ir_type_is_shaped(x.value->type))
    return ir_dim(builder, ir_value_map_get(b->memrefs, x.value), x.dim);
  return x.value ? (ir_index){.value = x.value} : ir_index_const(x.constant);
}

/* ------------------------------------------------------------------------------------------------------- allocation */

enum { STACK_BYTES = 64 * 1024 };

static buffer_frame *frame_of(const buffers *b, const ir_block *block) {
  buffer_frame *frame = b->frame;
  while (frame->block != block)
    frame = frame->parent;
  return frame;
}

static ir_value *create_allocation(buffers *b, ir_builder *builder, ir_opcode code, const ir_type *type,
                                   unsigned num_sizes, ir_value *const *sizes) {
  ir_named_attr alignment = {"alignment", ir_attr_i64(b->module, 64)};
  ir_value *memory = ir_create(builder, code, type, num_sizes, sizes, 1, &alignment);
  memory->op->mark = buffer_add_root(b, true);
  return memory;
}

static void release_at_end(buffers *b, buffer_frame *frame, ir_value *memref) {
  frame->releases = IR_NEW_OF(&b->module->arena, buffer_release, memref, frame->releases);
}

/* Memory of static shape, at the start of the scope around `op`. */
static ir_value *create_static(buffers *b, const ir_type *type) {
  buffer_frame *scope = b->frame;
  while (!scope->is_scope)
    scope = scope->parent;
  uint64_t bytes = (uint64_t)ir_type_bytes(type);
  bool has_stack = scope->parent || !b->kernels;
  bool on_stack = has_stack && scope->stack_bytes + bytes <= STACK_BYTES;
  ir_builder builder = ir_builder_before(scope->start);
  ir_value *memref = create_allocation(b, &builder, on_stack ? OP_MEMREF_ALLOCA : OP_MEMREF_ALLOC, type, 0, NULL);
  if (on_stack)
    scope->stack_bytes += bytes;
  else
    release_at_end(b, scope, memref);
  return memref;
}

/* The outermost place within the scope where all extents are known. */
static ir_op *hoist(const buffers *b, ir_op *op, unsigned rank, const extent *extents) {
  for (;;) {
    if (frame_of(b, op->block)->is_scope)
      return op;
    for (unsigned i = 0; i < rank; i++)
      if (extents[i].value && !ir_value_is_outside(extents[i].value, op->block))
        return op;
    op = op->block->parent;
  }
}

static ir_value *create_dynamic(buffers *b, ir_op *op, const ir_type *type, const extent *extents) {
  op = hoist(b, op, type->rank, extents);
  ir_builder builder = ir_builder_before(op);
  ir_value *sizes[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < type->rank; i++)
    if (type->shape[i] == IR_DYNAMIC)
      sizes[count++] = ir_index_value(&builder, buffer_extent(b, &builder, extents[i]));
  ir_value *memref = create_allocation(b, &builder, OP_MEMREF_ALLOC, type, count, sizes);
  release_at_end(b, frame_of(b, op->block), memref);
  return memref;
}

ir_value *buffer_create_sized(buffers *b, ir_op *op, const ir_type *tensor, const extent *extents, bool exact) {
  unsigned rank = tensor->rank;
  int64_t bounds[IR_MAX_RANK], shape[IR_MAX_RANK];
  bool bounded = true, tight = true;
  for (unsigned i = 0; i < rank; i++) {
    shape[i] = extents[i].value ? IR_DYNAMIC : extents[i].constant;
    bounds[i] = extent_bound(extents[i]);
    bounded &= bounds[i] != INT64_MAX;
    tight &= !extents[i].value;
  }
  const ir_type *type = ir_type_with_shape(b->module, buffer_type(b->module, tensor), rank, shape);
  if (tight)
    return create_static(b, type);
  if (!bounded || exact)
    return create_dynamic(b, op, type, extents);
  ir_value *memref = create_static(b, ir_type_with_shape(b->module, type, rank, bounds));
  ir_builder builder = ir_builder_before(op);
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  for (unsigned i = 0; i < rank; i++) {
    offsets[i] = ir_index_const(0);
    sizes[i] = buffer_extent(b, &builder, extents[i]);
  }
  return ir_subview(&builder, memref, offsets, sizes);
}

ir_value *buffer_create(buffers *b, ir_op *op, ir_value *like, bool exact) {
  extent extents[IR_MAX_RANK];
  for (unsigned i = 0; i < like->type->rank; i++)
    extents[i] = extent_of(like, i);
  return buffer_create_sized(b, op, like->type, extents, exact);
}

/* -------------------------------------------------------------------------------------------------------- conflicts */

/* `memref` is made by taking the slice of `insert` from the memory `whole`, or lies within that. */
static bool lies_in_slice(const ir_value *memref, const ir_value *whole, const ir_op *insert) {
  for (; memref->op && ir_op_has(memref->op, IR_VIEW); memref = ir_operand(memref->op, 0))
    if (memref->op->code == OP_MEMREF_SUBVIEW && ir_operand(memref->op, 0) == whole &&
        ir_slice_equal(memref->op, insert))
      return true;
  return false;
}

bool buffer_same_elements(const ir_op *op, unsigned in, unsigned out) {
  if (!ir_op_has(op, IR_STRUCTURED) || !op->num_regions)
    return false;
  const ir_structure *structure = ir_structure_of(op);
  return !structure->reductions && structure->maps[in] == structure->maps[out] &&
         ir_map_is_permutation(structure->maps[out]);
}

/* One write under examination. */
typedef struct write {
  const buffers *b;
  ir_op *writer;
  unsigned tied;
  bool reads;
  ir_value *target;    /* the memory written */
  const ir_value *old; /* the tensor that lives there */
} write;

static const ir_block *block_of(const ir_value *value) { return value->op ? value->op->block : value->block; }

/* A loop runs reader and writer again and again on the same old tensor. */
static bool loop_around_both(const write *w, const ir_op *reader) {
  for (const ir_block *block = w->writer->block; block != block_of(w->old); block = block->parent->block)
    if (ir_op_has(block->parent, IR_LOOP) && ir_op_is_inside(reader, block))
      return true;
  return false;
}

/* The two stand in different branches. */
static bool exclude_each_other(const ir_op *a, const ir_op *b) {
  for (const ir_block *block = a->block; block->parent; block = block->parent->block) {
    const ir_op *parent = block->parent;
    if (parent->code == OP_SCF_IF)
      for (unsigned i = 0; i < parent->num_regions; i++)
        if (ir_region(parent, i) != block && ir_op_is_inside(b, ir_region(parent, i)))
          return true;
    if (!parent->block)
      break;
  }
  return false;
}

/* The use needs content that the write destroys, were it to run after the write. */
static bool use_reads(const write *w, const ir_use *use) {
  const ir_op *user = use->user;
  unsigned i = ir_use_index(use);
  switch (user->code) {
  case OP_TENSOR_DIM:
    return false;
  case OP_TENSOR_INSERT_SLICE:
  case OP_TENSOR_PARALLEL_INSERT_SLICE: {
    ir_value *whole = ir_value_map_get(w->b->memrefs, use->value);
    return i != 1 || !lies_in_slice(w->target, whole, user);
  }
  default:
    return !ir_op_has(user, IR_DPS) || i < ir_num_inputs(user) || ir_body_reads_init(user, i - ir_num_inputs(user));
  }
}

/* Does the write destroy what some use of `value`, the old tensor or a view of it, reads? */
static bool destroys(const write *w, const ir_value *value) {
  for (const ir_use *use = view_next_use(value, NULL); use; use = view_next_use(value, use)) {
    ir_op *user = use->user;
    unsigned i = ir_use_index(use);
    if (view_is_of(use))
      continue;
    if (user == w->writer && i == w->tied) {
      if (w->reads && loop_around_both(w, user))
        return true;
    } else if (user == w->writer) {
      bool same = buffer_same_elements(user, i, w->tied) && i < ir_num_inputs(user) &&
                  ir_value_map_get(w->b->memrefs, use->value) == w->target;
      if (user->code != OP_TENSOR_DIM && (!same || loop_around_both(w, user)))
        return true;
    } else if (use_reads(w, use)) {
      if (loop_around_both(w, user) || (user->mark > w->writer->mark && !exclude_each_other(user, w->writer)))
        return true;
    }
  }
  return false;
}

/* Nothing from op number `mark` on uses the value or a view of it. */
static bool is_over(const ir_value *value, uint32_t mark) {
  for (const ir_use *use = view_next_use(value, NULL); use; use = view_next_use(value, use))
    if (!view_is_of(use) && use->user->mark >= mark)
      return false;
  return true;
}

/* Iterations of forall run at once: what comes from outside is theirs only as a shared output, in the slice that they
 * contribute. */
static bool is_private(const buffers *b, const ir_op *writer, const ir_value *tensor) {
  const ir_value *base = view_root(tensor);
  for (const buffer_tenant *frozen = b->frozen; frozen; frozen = frozen->next)
    if (frozen->value == base)
      return false;
  if (!base->op && base->block->parent->code == OP_SCF_FORALL) {
    bool contributes = false;
    for (const ir_use *use = base->uses; use; use = use->next)
      contributes |= use->user->code == OP_TENSOR_PARALLEL_INSERT_SLICE;
    if (!contributes)
      return false;
  }
  for (const ir_block *block = writer->block; block != block_of(base); block = block->parent->block)
    if (block->parent->code == OP_SCF_FORALL)
      return false;
  return true;
}

bool buffer_may_overwrite(buffers *b, ir_op *writer, unsigned tied, bool reads) {
  ir_value *tensor = ir_operand(writer, tied);
  write w = {.b = b, .writer = writer, .tied = tied, .reads = reads, .target = buffer_of(b, tensor, writer)};
  buffer_root *root = root_of(b, w.target);
  if (!root->writable || !is_private(b, writer, tensor))
    return false;
  for (buffer_tenant **link = &root->tenants; *link;) {
    const ir_value *old = (*link)->value;
    const ir_op *now = ir_op_ancestor_in(writer, block_of(old));
    if (!now || is_over(old, now->mark)) { /* out of scope, or read for the last time: so it stays */
      *link = (*link)->next;
      continue;
    }
    w.old = old;
    if (destroys(&w, old))
      return false;
    link = &(*link)->next;
  }
  return true;
}

ir_value *buffer_for_writing(buffers *b, ir_op *writer, unsigned tied, bool reads) {
  ir_value *tensor = ir_operand(writer, tied);
  bool undefined = ir_made_by(tensor, OP_TENSOR_EMPTY);
  if (undefined || buffer_may_overwrite(b, writer, tied, reads))
    return buffer_of(b, tensor, writer);
  ir_value *memref = buffer_create(b, writer, tensor, false);
  ir_builder builder = ir_builder_before(writer);
  if (reads)
    buffer_copy(&builder, buffer_of(b, tensor, writer), memref);
  return memref;
}
