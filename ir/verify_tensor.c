/* verify_tensor.c - checks of tensor and memref ops: slices, reshapes, allocations, element access.
 * Extents that are static everywhere must agree exactly and slices must lie inside; what is dynamic is the
 * interpreter's and the generated code's business. */
#include "verify_util.h"

#include <string.h>

/* A tensor or memref, as the op's dialect wants. */
static bool verify_base(const ir_op *op, const ir_type *type) {
  bool tensor_op = !strncmp(ir_op_row(op)->name, "tensor.", 7);
  return type->kind == (tensor_op ? IR_TYPE_TENSOR : IR_TYPE_MEMREF) ||
         ir_op_error(op, "works on %ss, not on %s", tensor_op ? "tensor" : "memref", type_text(op, type));
}

/* The operands of `group` are the extents of the result that its type does not tell. */
static bool verify_sizes(const ir_op *op, unsigned group) {
  const ir_type *type = ir_result(op, 0)->type;
  if (!verify_base(op, type))
    return false;
  unsigned dynamic = 0;
  for (unsigned i = 0; i < type->rank; i++)
    dynamic += type->shape[i] == IR_DYNAMIC;
  if (dynamic != ir_group_size(op, group))
    return ir_op_error(op, "needs one size for each of the %u dynamic dims, got %u", dynamic, ir_group_size(op, group));
  return verify_index_operands(op, group, "size");
}

bool verify_allocation(const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  return verify_sizes(op, 0) &&
         (!type->strides || ir_op_error(op, "allocates row-major memory, not %s", type_text(op, type)));
}

bool verify_dealloc(const ir_op *op) { return verify_base(op, ir_operand(op, 0)->type); }

/* ----------------------------------------------------------------------------------------------------------- slices */

/* Offset, size and stride of each dim of a slice; IR_DYNAMIC where only known at run time. */
typedef struct slice {
  const int64_t *offsets, *sizes, *strides;
} slice;

/* Number `i` of a list that holds integers and operands; IR_DYNAMIC for operands that are no constants. */
static int64_t known_index(const ir_op *op, unsigned group, const char *name, unsigned i) {
  return ir_index_static(ir_mixed(op, group, name, i));
}

/* The slice fits into `whole`; `group` is the operand group of the offsets. */
static bool verify_slice(const ir_op *op, const ir_type *whole, unsigned group, slice *slice) {
  unsigned rank = whole->rank;
  if (!verify_mixed(op, group, "static_offsets", rank, &slice->offsets) ||
      !verify_mixed(op, group + 1, "static_sizes", rank, &slice->sizes) ||
      !verify_mixed(op, group + 2, "static_strides", rank, &slice->strides))
    return false;
  for (unsigned i = 0; i < rank; i++) {
    int64_t offset = known_index(op, group, "static_offsets", i), size = known_index(op, group + 1, "static_sizes", i);
    int64_t stride = known_index(op, group + 2, "static_strides", i), extent = whole->shape[i];
    if ((offset < 0 && offset != IR_DYNAMIC) || (size < 0 && size != IR_DYNAMIC))
      return ir_op_error(op, "offset and size of dim %u must not be negative", i);
    if (stride <= 0 && stride != IR_DYNAMIC)
      return ir_op_error(op, "the stride of dim %u must be positive", i);
    if (size == 0 || size == IR_DYNAMIC || extent == IR_DYNAMIC)
      continue;
    /* An unknown offset is at least 0, an unknown stride at least 1. */
    int64_t start = offset == IR_DYNAMIC ? 0 : offset, step = stride == IR_DYNAMIC ? 1 : stride, last;
    if (__builtin_mul_overflow(size - 1, step, &last) || __builtin_add_overflow(last, start, &last))
      return ir_op_error(op, "the slice of dim %u ends beyond 64 bits", i);
    if (last >= extent)
      return ir_op_error(op, "the slice of dim %u runs from %lld to %lld, but its extent is %lld", i, (long long)start,
                         (long long)last, (long long)extent);
  }
  return true;
}

/* `part` is what the slice shows: all dims, or all but some of extent 1. Strides of memrefs must follow. */
static bool verify_slice_type(const ir_op *op, const slice *slice, const ir_type *whole, const ir_type *part) {
  bool memref = whole->kind == IR_TYPE_MEMREF;
  unsigned at = 0;
  for (unsigned i = 0; i < whole->rank; i++) {
    int64_t stride = memref ? ir_static_offset(0, slice->strides[i], ir_type_stride(whole, i)) : 0;
    /* A unit dim that fits stays: whichever of several is dropped, the type is the same. */
    if (at < part->rank && part->shape[at] == slice->sizes[i] && (!memref || ir_type_stride(part, at) == stride))
      at++;
    else if (slice->sizes[i] != 1)
      return ir_op_error(op, "dim %u of the slice does not occur in %s%s", i, type_text(op, part),
                         memref ? " with its size and stride" : "");
  }
  return at == part->rank || ir_op_error(op, "%s has dims that the slice does not have", type_text(op, part));
}

static bool verify_slice_of(const ir_op *op, const ir_type *whole, const ir_type *part, unsigned group) {
  slice slice;
  if (!verify_base(op, whole) || !verify_base(op, part))
    return false;
  if (whole->element != part->element || whole->space != part->space)
    return ir_op_error(op, "cannot be between %s and %s", type_text(op, whole), type_text(op, part));
  return verify_slice(op, whole, group, &slice) && verify_slice_type(op, &slice, whole, part);
}

/* The offset in a subview's type is that of the source plus what the slice's offsets add. */
static bool verify_subview_offset(const ir_op *op) {
  const ir_type *whole = ir_operand(op, 0)->type;
  int64_t strides[IR_MAX_RANK], offset = whole->offset;
  unsigned rank;
  ir_type_strides(whole, strides);
  const int64_t *offsets = ir_attr_i64s_of(op, "static_offsets", &rank);
  for (unsigned i = 0; i < rank; i++)
    offset = ir_static_offset(offset, offsets[i], strides[i]);
  if (ir_result(op, 0)->type->offset == offset)
    return true;
  const char *given = type_text(op, ir_result(op, 0)->type);
  return offset == IR_DYNAMIC
             ? ir_op_error(op, "the offset of the result must be dynamic, not that of %s", given)
             : ir_op_error(op, "the offset of the result must be %lld, not that of %s", (long long)offset, given);
}

bool verify_extract_slice(const ir_op *op) {
  const ir_type *whole = ir_operand(op, 0)->type;
  return verify_slice_of(op, whole, ir_result(op, 0)->type, 1) &&
         (whole->kind != IR_TYPE_MEMREF || verify_subview_offset(op));
}

bool verify_insert_slice(const ir_op *op) {
  return verify_slice_of(op, ir_operand(op, 1)->type, ir_operand(op, 0)->type, 2);
}

bool verify_parallel_insert_slice(const ir_op *op) {
  const ir_op *around = ir_op_parent(op);
  if (!around || around->code != OP_SCF_IN_PARALLEL)
    return ir_op_error(op, "must stand in 'scf.forall.in_parallel'");
  const ir_value *dest = ir_operand(op, 1);
  if (dest->op || !around->block || dest->block != around->block)
    return ir_op_error(op, "must write to an output argument of the enclosing 'scf.forall'");
  return verify_insert_slice(op);
}

/* --------------------------------------------------------------------------------------------------------- reshapes */

/* The dims `first` to `last` of `large` lie in memory as dim `dim` of `small` does. In row-major order all do, also
 * where an extent of 0 makes numbers of the strides that do not multiply up; and so do dims without elements. */
static bool strides_agree(const ir_type *small, unsigned dim, const ir_type *large, unsigned first, unsigned last) {
  if (small->kind != IR_TYPE_MEMREF || (!small->strides && !large->strides))
    return true;
  int64_t expected = ir_type_stride(small, dim);
  for (unsigned i = last + 1; i-- > first && small->shape[dim];) {
    if (large->shape[i] != 1 && !ir_extents_agree(ir_type_stride(large, i), expected))
      return false;
    bool unknown = expected == IR_DYNAMIC || large->shape[i] == IR_DYNAMIC;
    if (unknown || __builtin_mul_overflow(expected, large->shape[i], &expected))
      expected = IR_DYNAMIC;
  }
  return ir_extents_agree(small->offset, large->offset);
}

/* The groups cover the dims of `large` in order, one group a dim of `small`, and extents multiply up. */
static bool verify_reassociation(const ir_op *op, const ir_type *small, const ir_type *large) {
  const ir_attr *groups = ir_attr_get(op, "reassociation");
  if (!verify_base(op, small) || !verify_base(op, large))
    return false;
  if (small->element != large->element || small->space != large->space)
    return ir_op_error(op, "cannot reshape %s to %s", type_text(op, ir_operand(op, 0)->type),
                       type_text(op, ir_result(op, 0)->type));
  if (groups->count != small->rank)
    return ir_op_error(op, "'reassociation' must have %u groups, one a dim of %s", small->rank, type_text(op, small));
  unsigned next = 0;
  for (unsigned i = 0; i < groups->count; i++) {
    unsigned first = next;
    const ir_attr *group = groups->elements[i];
    int64_t product = 1;
    if (group->kind != IR_ATTR_ARRAY || !group->count)
      return ir_op_error(op, "group %u of 'reassociation' must list dims", i);
    for (unsigned j = 0; j < group->count; j++, next++) {
      if (next >= large->rank || group->elements[j]->kind != IR_ATTR_INT || group->elements[j]->value != next)
        return ir_op_error(op, "'reassociation' must list the %u dims of %s in order", large->rank,
                           type_text(op, large));
      int64_t extent = large->shape[next];
      if (product != IR_DYNAMIC && (extent == IR_DYNAMIC || __builtin_mul_overflow(product, extent, &product)))
        product = IR_DYNAMIC;
    }
    if (!ir_extents_agree(product, small->shape[i]) || (product == IR_DYNAMIC) != (small->shape[i] == IR_DYNAMIC))
      return ir_op_error(op, "dim %u of %s does not match the product of its group", i, type_text(op, small));
    if (!strides_agree(small, i, large, first, next - 1))
      return ir_op_error(op, "the strides of dim %u of %s do not match those of its group", i, type_text(op, small));
  }
  /* All dims of extent 1 may vanish: rank 0 has no group to hold them. */
  for (; next < large->rank && !small->rank; next++)
    if (large->shape[next] != 1)
      return ir_op_error(op, "dim %u of %s must be 1", next, type_text(op, large));
  return next == large->rank || ir_op_error(op, "'reassociation' leaves out dims of %s", type_text(op, large));
}

bool verify_expand_shape(const ir_op *op) {
  const ir_type *small = ir_operand(op, 0)->type, *large = ir_result(op, 0)->type;
  const int64_t *shape;
  if (!verify_reassociation(op, small, large) || !verify_mixed(op, 1, "static_output_shape", large->rank, &shape))
    return false;
  for (unsigned i = 0; i < large->rank; i++)
    if (shape[i] != large->shape[i])
      return ir_op_error(op, "dim %u of the output shape does not match %s", i, type_text(op, large));
  return true;
}

bool verify_collapse_shape(const ir_op *op) {
  return verify_reassociation(op, ir_result(op, 0)->type, ir_operand(op, 0)->type);
}

bool verify_computed_shape(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *shape = ir_operand(op, 1)->type, *to = ir_result(op, 0)->type;
  if (!verify_base(op, from) || !verify_base(op, to) || !verify_base(op, shape))
    return false;
  if (shape->rank != 1 || ir_scalar_is_float(shape->element) || shape->shape[0] != to->rank)
    return ir_op_error(op, "the shape of %s must be %u integers", type_text(op, to), to->rank);
  bool is_static = ir_type_is_static(from) && ir_type_is_static(to);
  if (from->element != to->element || (is_static && ir_type_num_elements(from) != ir_type_num_elements(to)))
    return ir_op_error(op, "cannot reshape %s to %s", type_text(op, from), type_text(op, to));
  return true;
}

/* A cast that changes only what is known statically. */
bool verify_shape_knowledge(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  if (!verify_base(op, from) || !verify_base(op, to))
    return false;
  bool fits = from->element == to->element && from->rank == to->rank && from->space == to->space;
  bool is_memref = from->kind == IR_TYPE_MEMREF;
  fits = fits && (!is_memref || ir_extents_agree(from->offset, to->offset));
  for (unsigned i = 0; fits && i < from->rank; i++)
    fits = ir_extents_agree(from->shape[i], to->shape[i]) &&
           (!is_memref || ir_extents_agree(ir_type_stride(from, i), ir_type_stride(to, i)));
  return fits || ir_op_error(op, "cannot cast %s to %s", type_text(op, from), type_text(op, to));
}

/* --------------------------------------------------------------------------------------------- dims, elements, pads */

bool verify_dim(const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  const ir_op *index = ir_operand(op, 1)->op;
  if (!verify_base(op, type) || !verify_index_operands(op, 1, "dim"))
    return false;
  if (!index || !ir_op_has(index, IR_CONSTANT) || !ir_attr_get(index, "value"))
    return true;
  int64_t dim = ir_attr_get(index, "value")->value;
  return (dim >= 0 && dim < type->rank) || ir_op_error(op, "%s has no dim %lld", type_text(op, type), (long long)dim);
}

bool verify_extract_pointer(const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type, *result = ir_result(op, 0)->type;
  if (!verify_base(op, type))
    return false;
  if (type->strides)
    return ir_op_error(op, "takes the address of row-major memory, not of %s", type_text(op, type));
  return (result->kind == IR_TYPE_SCALAR && result->element == IR_INDEX) || ir_op_error(op, "gives an index");
}

/* The iterations of the loop around the op, of a structured op or of tensor.generate, that the subscript counts; 0
 * where it is something else, or they are not known. */
static int64_t counted_iterations(const ir_op *op, const ir_value *subscript) {
  const ir_op *around = ir_op_parent(op), *index = ir_made_by(subscript, OP_LINALG_INDEX);
  int64_t count = 0;
  if (around->code == OP_TENSOR_GENERATE && !subscript->op && subscript->block == op->block)
    count = ir_result(around, 0)->type->shape[subscript->index];
  else if (index && index->block == op->block && ir_op_has(around, IR_STRUCTURED))
    count = ir_loop_size(around, (unsigned)ir_attr_int_or(index, "dim", 0));
  return count == IR_DYNAMIC ? 0 : count;
}

/* Constants that somebody wrote, and indices of loops, lie inside. What passes find to be constant may stand where it
 * never runs. */
static bool verify_position(const ir_op *op, const ir_type *type, unsigned group) {
  if (!verify_base(op, type) || !verify_subscripts(op, group, type, "position"))
    return false;
  bool written = type->kind == IR_TYPE_TENSOR && !op->module->rewritten;
  for (unsigned i = 0; i < type->rank && written; i++) {
    const ir_attr *constant;
    const ir_value *value = ir_group_operand(op, group, i);
    int64_t extent = type->shape[i], count = counted_iterations(op, value);
    if (extent != IR_DYNAMIC && count > extent)
      return ir_op_error(op, "the subscript of dim %u runs from 0 to %lld, but its extent is %lld", i,
                         (long long)(count - 1), (long long)extent);
    if (!ir_value_constant(value, &constant))
      continue;
    int64_t subscript = constant->value;
    if (subscript < 0)
      return ir_op_error(op, "the subscript %lld of dim %u must not be negative", (long long)subscript, i);
    if (extent != IR_DYNAMIC && subscript >= extent)
      return ir_op_error(op, "the subscript %lld is out of bounds: dim %u has extent %lld", (long long)subscript, i,
                         (long long)extent);
  }
  return true;
}

bool verify_element_read(const ir_op *op) { return verify_position(op, ir_operand(op, 0)->type, 1); }

bool verify_element_write(const ir_op *op) {
  const ir_type *type = ir_operand(op, 1)->type;
  if (!verify_position(op, type, 2))
    return false;
  return ir_operand(op, 0)->type == ir_type_scalar(op->module, type->element) ||
         ir_op_error(op, "cannot write %s into %s", type_text(op, ir_operand(op, 0)->type), type_text(op, type));
}

bool verify_from_elements(const ir_op *op) {
  return verify_base(op, ir_result(op, 0)->type) && verify_elements(op, true);
}

static const ir_type *element_of_result(const ir_op *op, unsigned i) {
  return ir_type_scalar(op->module, ir_result(op, i)->type->element);
}

bool verify_concat(const ir_op *op) {
  const ir_type *to = ir_result(op, 0)->type;
  int64_t dim = ir_attr_int_or(op, "dim", 0), sum = 0;
  if (!verify_base(op, to))
    return false;
  if (!op->num_operands || dim < 0 || dim >= to->rank)
    return ir_op_error(op, "needs inputs, and a dim below %u", to->rank);
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *from = ir_operand(op, i)->type;
    bool fits = from->kind == to->kind && from->element == to->element && from->rank == to->rank;
    for (unsigned j = 0; fits && j < to->rank; j++)
      fits = j == dim || ir_extents_agree(from->shape[j], to->shape[j]);
    if (!fits)
      return ir_op_error(op, "cannot put %s into %s", type_text(op, from), type_text(op, to));
    sum = from->shape[dim] == IR_DYNAMIC || sum == IR_DYNAMIC ? IR_DYNAMIC : sum + from->shape[dim];
  }
  return ir_extents_agree(sum, to->shape[dim]) ||
         ir_op_error(op, "the extents along dim %lld do not add up to that of the result", (long long)dim);
}

/* The region computes an element of the result from its indices. */
static bool verify_element_region(const ir_op *op) {
  unsigned rank = ir_result(op, 0)->type->rank;
  ir_block *body = ir_region(op, 0);
  for (unsigned i = 0; i < body->num_args; i++)
    if (body->args[i]->type != ir_type_index(op->module))
      return ir_op_error(op, "argument %u of the region must be an index", i);
  if (body->num_args != rank)
    return ir_op_error(op, "the region must have %u arguments, not %u", rank, body->num_args);
  return verify_terminator(op, 0, 1, element_of_result);
}

bool verify_tensor_splat(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  return verify_sizes(op, 1) && (from == element_of_result(op, 0) ||
                                 ir_op_error(op, "cannot fill %s with %s", type_text(op, to), type_text(op, from)));
}

bool verify_generate(const ir_op *op) {
  return verify_sizes(op, 0) && verify_body_ops(ir_region(op, 0)) && verify_element_region(op);
}

bool verify_pad(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const int64_t *low, *high;
  if (!verify_base(op, from) || !verify_base(op, to))
    return false;
  if (from->element != to->element || from->rank != to->rank)
    return ir_op_error(op, "cannot pad %s to %s", type_text(op, from), type_text(op, to));
  if (!verify_mixed(op, 1, "static_low", from->rank, &low) || !verify_mixed(op, 2, "static_high", from->rank, &high))
    return false;
  for (unsigned i = 0; i < from->rank; i++) {
    int64_t before = known_index(op, 1, "static_low", i), after = known_index(op, 2, "static_high", i);
    if ((before < 0 && before != IR_DYNAMIC) || (after < 0 && after != IR_DYNAMIC))
      return ir_op_error(op, "the padding of dim %u must not be negative", i);
    bool known = low[i] != IR_DYNAMIC && high[i] != IR_DYNAMIC && from->shape[i] != IR_DYNAMIC;
    int64_t extent = IR_DYNAMIC;
    if (known &&
        (__builtin_add_overflow(low[i], high[i], &extent) || __builtin_add_overflow(extent, from->shape[i], &extent)))
      return ir_op_error(op, "the padding of dim %u is too large", i);
    if (!ir_extents_agree(extent, to->shape[i]))
      return ir_op_error(op, "dim %u is padded to %lld, but has extent %lld in the result", i, (long long)extent,
                         (long long)to->shape[i]);
  }
  return verify_element_region(op);
}

bool verify_memref_copy(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_operand(op, 1)->type;
  if (!verify_base(op, from) || !verify_base(op, to))
    return false;
  bool fits = from->element == to->element && from->rank == to->rank;
  for (unsigned i = 0; fits && i < from->rank; i++)
    fits = ir_extents_agree(from->shape[i], to->shape[i]);
  return fits || ir_op_error(op, "cannot copy %s to %s", type_text(op, from), type_text(op, to));
}

/* The memref is an argument of a public function that such ops use, at its top: one that reads, and behind it one that
 * writes. But for its extents nobody else can then tell when that happens. */
static bool verify_exchange(const ir_op *op, const ir_value *memref, const ir_type *tensor) {
  const ir_type *type = memref->type;
  const ir_op *function = ir_op_parent(op);
  if (tensor->kind != IR_TYPE_TENSOR || type->kind != IR_TYPE_MEMREF || type->element != tensor->element ||
      !ir_same_shape(type, tensor) || type->strides || type->space != IR_SPACE_GLOBAL)
    return ir_op_error(op, "needs a tensor and a row-major memref of one shape, not %s and %s", type_text(op, tensor),
                       type_text(op, type));
  if (!ir_attr_get(op, "restrict"))
    return ir_op_error(op, "needs 'restrict': the memref must not overlap other arguments");
  if (memref->op || memref->block != op->block || !ir_is_exported(function))
    return ir_op_error(op, "must stand in a function that is not private, and work on its argument");
  for (const ir_use *use = memref->uses; use; use = use->next) {
    const ir_op *user = use->user;
    if (user->code == OP_MEMREF_DIM)
      continue;
    if (user->code != OP_BUFFERIZATION_TO_TENSOR && user->code != OP_BUFFERIZATION_MATERIALIZE)
      return ir_op_error(user, "uses a memref that '%s' makes a tensor of", ir_op_row(op)->name);
    if (user != op && user->code == op->code && ir_op_is_before((ir_op *)user, (ir_op *)op))
      return ir_op_error(op, "is the second for this memref");
  }
  return true;
}

bool verify_to_tensor(const ir_op *op) { return verify_exchange(op, ir_operand(op, 0), ir_result(op, 0)->type); }

bool verify_materialize(const ir_op *op) {
  const ir_value *memref = ir_operand(op, 1);
  if (!ir_attr_get(op, "writable"))
    return ir_op_error(op, "needs 'writable'");
  for (const ir_use *use = memref->uses; use; use = use->next)
    if (use->user->code == OP_BUFFERIZATION_TO_TENSOR && use->user->block == op->block &&
        ir_op_is_before((ir_op *)op, use->user))
      return ir_op_error(use->user, "reads the memref behind where it was written");
  return verify_exchange(op, memref, ir_operand(op, 0)->type);
}

bool verify_global(const ir_op *op) {
  const ir_type *type = ir_attr_get(op, "type")->type;
  const ir_attr *value = ir_attr_get(op, "initial_value");
  if (type->kind != IR_TYPE_MEMREF || !ir_type_is_static(type) || type->strides)
    return ir_op_error(op, "must be a static, row-major memref, not %s", type_text(op, type));
  return (value->type->element == type->element && ir_same_shape(value->type, type)) ||
         ir_op_error(op, "the initial value %s does not fit %s", type_text(op, value->type), type_text(op, type));
}

bool verify_get_global(const ir_op *op) {
  const char *name = ir_attr_get(op, "name")->string;
  const ir_op *global = ir_module_lookup(op->module, name);
  if (!global || global->code != OP_MEMREF_GLOBAL)
    return ir_op_error(op, "names '%s', but there is no such global", name);
  const ir_attr *type = ir_attr_get(global, "type");
  return !type || type->type == ir_result(op, 0)->type ||
         ir_op_error(op, "must give %s, the type of '%s', not %s", type_text(op, type->type), name,
                     type_text(op, ir_result(op, 0)->type));
}
