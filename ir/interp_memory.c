/* interp_memory.c - tensors and memrefs in the interpreter: slices, reshapes, single elements, allocation.
 *
 * Slices and reshapes are views wherever strides can say it; a collapse that they cannot say copies a tensor and is an
 * error on a memref. Everything loops over dims or elements only. */
#include "interp_internal.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- slices */

/* The part of `source` that a slice op names, less the unit dims that `type` lacks. It has no reference of its own. */
static bool slice_view(ir_interp *interp, const ir_op *op, const interp_value *source, const ir_type *type,
                       interp_value *view) {
  ir_slice slice = ir_slice_of(op);
  unsigned dims[IR_MAX_RANK], num_kept = ir_slice_kept_dims(op, type, dims), kept = 0;
  *view = *source;
  for (unsigned i = 0; i < slice.rank; i++) {
    int64_t offset = interp_index(interp, slice.offsets[i]), size = interp_index(interp, slice.sizes[i]);
    int64_t stride = interp_index(interp, slice.strides[i]), last;
    bool overflow = __builtin_mul_overflow(size - 1, stride, &last) | __builtin_add_overflow(last, offset, &last);
    int64_t extent = source->shape[i];
    if (size < 0 || (size && (overflow || offset < 0 || offset >= extent || last < 0 || last >= extent)))
      return ir_op_error(op, "slice [%lld] [%lld] [%lld] leaves dim %u, which has extent %lld", (long long)offset,
                         (long long)size, (long long)stride, i, (long long)extent);
    view->offset += size ? offset * source->strides[i] : 0;
    if (kept < num_kept && dims[kept] == i) {
      view->shape[kept] = size;
      view->strides[kept++] = stride * source->strides[i];
    }
  }
  view->rank = kept;
  return interp_check_type(op, type, view);
}

bool eval_extract_slice(ir_interp *interp, const ir_op *op) {
  interp_value view;
  if (!interp_check_read(op, interp_operand(interp, op, 0)) ||
      !slice_view(interp, op, interp_operand(interp, op, 0), op->results[0].type, &view))
    return false;
  return interp_give_view(interp, op, &view);
}

/* Writes operand 0 into the slice of `dest`, which is writable. */
static bool write_slice(ir_interp *interp, const ir_op *op, const interp_value *dest) {
  interp_value view;
  return slice_view(interp, op, dest, ir_operand(op, 0)->type, &view) &&
         interp_copy(interp, op, &view, interp_operand(interp, op, 0));
}

bool eval_insert_slice(ir_interp *interp, const ir_op *op) {
  interp_value dest = interp_take(interp, op, 1);
  if (!interp_make_writable(interp, op, &dest) || !write_slice(interp, op, &dest))
    return false;
  return interp_give(interp, op, &dest);
}

bool eval_parallel_insert_slice(ir_interp *interp, const ir_op *op) {
  const ir_op *forall = ir_op_parent(ir_op_parent(op));
  unsigned rank = ir_num_counters(forall);
  return write_slice(interp, op, interp_get(interp, ir_result(forall, ir_operand(op, 1)->index - rank)));
}

/* --------------------------------------------------------------------------------------------------------- reshapes */

/* A view of the dims of each group as one dim; false where strides cannot say that. Without elements, any can. */
static bool merge_dims(const ir_op *op, const interp_value *source, interp_value *view) {
  *view = *source;
  view->rank = op->results[0].type->rank;
  bool is_empty = false;
  for (unsigned i = 0; i < source->rank; i++)
    is_empty |= source->shape[i] == 0;
  for (unsigned i = 0; i < view->rank; i++) {
    int64_t extent = 1, stride = 1;
    ir_dims parts = ir_dims_of(op, i);
    for (unsigned dim = parts.first; dim < parts.end; dim++) {
      if (!is_empty && source->shape[dim] != 1 && extent != 1 && stride != source->strides[dim] * source->shape[dim])
        return false;
      if (source->shape[dim] != 1)
        stride = source->strides[dim];
      extent *= source->shape[dim];
    }
    view->shape[i] = extent;
    view->strides[i] = stride;
  }
  return true;
}

bool eval_collapse_shape(ir_interp *interp, const ir_op *op) {
  interp_value source = *interp_operand(interp, op, 0), view;
  if (!interp_check_read(op, &source))
    return false;
  if (merge_dims(op, &source, &view)) {
    interp_retain(&view);
  } else {
    interp_value dense;
    if (op->results[0].type->kind == IR_TYPE_MEMREF)
      return ir_op_error(op, "merges dims that are not contiguous");
    if (!interp_allocate_raw(interp, op, source.element, source.rank, source.shape, &dense) ||
        !interp_copy(interp, op, &dense, &source))
      return false;
    merge_dims(op, &dense, &view);
  }
  return interp_check_type(op, op->results[0].type, &view) && interp_give(interp, op, &view);
}

bool eval_computed_shape(ir_interp *interp, const ir_op *op) {
  const interp_value *shape = interp_operand(interp, op, 1);
  interp_value source = *interp_operand(interp, op, 0), view;
  if (!interp_check_read(op, &source) || !interp_check_read(op, shape) ||
      !interp_allocate_raw(interp, op, source.element, source.rank, source.shape, &view) ||
      !interp_copy(interp, op, &view, &source))
    return false;
  int64_t left = 1;
  for (unsigned i = 0; i < source.rank; i++)
    left *= source.shape[i];
  int64_t product = 1;
  view.rank = op->results[0].type->rank;
  for (unsigned dim = view.rank; dim-- > 0;) {
    view.shape[dim] = shape->buffer->cells[shape->offset + dim * shape->strides[0]].i;
    view.strides[dim] = product;
    if (view.shape[dim] < 0 || __builtin_mul_overflow(product, view.shape[dim], &product))
      return ir_op_error(op, "extent %lld of dim %u makes no sense", (long long)view.shape[dim], dim);
  }
  if (product != left)
    return ir_op_error(op, "%lld elements cannot take a shape of %lld", (long long)left, (long long)product);
  return interp_check_type(op, op->results[0].type, &view) && interp_give(interp, op, &view);
}

/* Extents of the result; without `static_output_shape` a group's one unknown extent follows from the others. */
static int64_t expanded_extent(ir_interp *interp, const ir_op *op, const ir_type *type, unsigned dim, ir_dims parts,
                               int64_t whole) {
  if (type->shape[dim] != IR_DYNAMIC)
    return type->shape[dim];
  if (ir_attr_get(op, "static_output_shape"))
    return interp_index(interp, ir_mixed(op, 1, "static_output_shape", dim));
  for (unsigned i = parts.first; i < parts.end; i++)
    if (i != dim && type->shape[i] > 0)
      whole /= type->shape[i];
  return whole;
}

bool eval_expand_shape(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  const interp_value *source = interp_operand(interp, op, 0);
  interp_value view = *source;
  view.rank = type->rank;
  for (unsigned i = 0; i < type->rank; i++) { /* a rank 0 source has no groups, and the result only unit dims */
    view.shape[i] = 1;
    view.strides[i] = 1;
  }
  for (unsigned i = 0; i < source->rank; i++) {
    ir_dims parts = ir_dims_of(op, i);
    int64_t stride = source->strides[i], product = 1;
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      int64_t extent = expanded_extent(interp, op, type, dim, parts, source->shape[i]);
      view.shape[dim] = extent;
      view.strides[dim] = stride;
      if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
        return ir_op_error(op, "extent %lld of dim %u makes no sense", (long long)extent, dim);
      stride *= extent;
    }
    if (product != source->shape[i])
      return ir_op_error(op, "splits extent %lld into extents whose product is %lld", (long long)source->shape[i],
                         (long long)product);
  }
  if (!interp_check_read(op, source) || !interp_check_type(op, type, &view))
    return false;
  return interp_give_view(interp, op, &view);
}

bool eval_cast(ir_interp *interp, const ir_op *op) {
  interp_value value = *interp_operand(interp, op, 0);
  return interp_check_type(op, op->results[0].type, &value) && interp_give_view(interp, op, &value);
}

bool eval_dim(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  int64_t dim = interp_operand(interp, op, 1)->cell.i;
  if (dim < 0 || dim >= source->rank)
    return ir_op_error(op, "asks for dim %lld of rank %u", (long long)dim, source->rank);
  interp_set_cell(interp, ir_result(op, 0), (ir_cell){.i = source->shape[dim]});
  return true;
}

bool eval_extract_pointer(ir_interp *interp, const ir_op *op) {
  interp_value *source = interp_operand(interp, op, 0);
  interp_set_cell(interp, ir_result(op, 0), (ir_cell){.i = (int64_t)(intptr_t)interp_cells(source)});
  return true;
}

/* ---------------------------------------------------------------------------------------------- new and one element */

/* Takes no memory until something is written. */
bool eval_empty(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  int64_t shape[IR_MAX_RANK];
  interp_value value;
  return interp_shape(interp, op, 0, type, shape) &&
         interp_splat(interp, op, type->element, type->rank, shape, interp_undefined(type->element), &value) &&
         interp_give(interp, op, &value);
}

bool eval_extract(ir_interp *interp, const ir_op *op) {
  interp_value *source = interp_operand(interp, op, 0);
  const ir_cell *cell = interp_check_read(op, source) ? interp_elements(interp, op, source, 1, 1) : NULL;
  if (cell)
    interp_set_cell(interp, ir_result(op, 0), *cell);
  return cell;
}

bool eval_insert(ir_interp *interp, const ir_op *op) {
  interp_value dest = interp_take(interp, op, 1);
  ir_cell *cell = interp_make_writable(interp, op, &dest) ? interp_elements(interp, op, &dest, 2, 1) : NULL;
  if (!cell)
    return false;
  *cell = interp_operand(interp, op, 0)->cell;
  return interp_give(interp, op, &dest);
}

bool eval_from_elements(ir_interp *interp, const ir_op *op) {
  interp_value value;
  if (!interp_allocate_result(interp, op, &value))
    return false;
  for (unsigned i = 0; i < op->num_operands; i++)
    value.buffer->cells[i] = interp_operand(interp, op, i)->cell;
  return interp_give(interp, op, &value);
}

bool eval_tensor_splat(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  int64_t shape[IR_MAX_RANK];
  interp_value value;
  return interp_shape(interp, op, 1, type, shape) &&
         interp_splat(interp, op, type->element, type->rank, shape, interp_operand(interp, op, 0)->cell, &value) &&
         interp_give(interp, op, &value);
}

/* Fills `result` with what the region yields at each position. */
static bool fill_by_region(ir_interp *interp, const ir_op *op, const interp_value *result) {
  size_t mark = ir_arena_mark(&interp->scratch);
  const ir_block *body = ir_region(op, 0);
  bool done = true;
  interp_nest nest = interp_nest_create(interp, result->rank, result->shape, 1);
  interp_nest_bind(&nest, 0, result);
  unsigned inner = nest.num_loops - 1;
  for (bool more = interp_nest_begin(&nest); more && done; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner] && done; point++) {
      nest.counters[inner].i = point;
      for (unsigned i = 0; i < body->num_args; i++)
        interp_set_cell(interp, body->args[i], nest.counters[i]);
      done = interp_run_block(interp, body);
      if (done)
        result->buffer->cells[nest.positions[0] + point] = interp_operand(interp, body->last, 0)->cell;
    }
  ir_arena_rewind(&interp->scratch, mark);
  return done;
}

bool eval_generate(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  int64_t shape[IR_MAX_RANK];
  interp_value result;
  return interp_shape(interp, op, 0, type, shape) &&
         interp_allocate_raw(interp, op, type->element, type->rank, shape, &result) &&
         fill_by_region(interp, op, &result) && interp_give(interp, op, &result);
}

bool eval_pad(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  int64_t shape[IR_MAX_RANK], low[IR_MAX_RANK];
  for (unsigned i = 0; i < source->rank; i++) {
    int64_t high = interp_index(interp, ir_padding(op, 1, i));
    low[i] = interp_index(interp, ir_padding(op, 0, i));
    if (low[i] < 0 || high < 0 || __builtin_add_overflow(source->shape[i], low[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], high, &shape[i]))
      return ir_op_error(op, "pads dim %u by %lld and %lld", i, (long long)low[i], (long long)high);
  }
  interp_value result;
  if (!interp_allocate_raw(interp, op, source->element, source->rank, shape, &result) ||
      !interp_check_type(op, op->results[0].type, &result))
    return false;
  if (!fill_by_region(interp, op, &result))
    return false;
  interp_value middle = result;
  for (unsigned i = 0; i < result.rank; i++) {
    middle.shape[i] = source->shape[i];
    middle.offset += low[i] * result.strides[i];
  }
  return interp_copy(interp, op, &middle, source) && interp_give(interp, op, &result);
}

bool eval_concat(ir_interp *interp, const ir_op *op) {
  int64_t dim = ir_attr_int_or(op, "dim", 0);
  const interp_value *first = interp_operand(interp, op, 0);
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, first->shape, sizeof first->shape);
  for (unsigned i = 1; i < op->num_operands; i++)
    if (__builtin_add_overflow(shape[dim], interp_operand(interp, op, i)->shape[dim], &shape[dim]))
      return ir_op_error(op, "the result is too large");
  interp_value result;
  if (!interp_allocate_raw(interp, op, first->element, first->rank, shape, &result) ||
      !interp_check_type(op, op->results[0].type, &result))
    return false;
  interp_value part = result;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const interp_value *source = interp_operand(interp, op, i);
    part.shape[dim] = source->shape[dim];
    if (!interp_copy(interp, op, &part, source))
      return false;
    part.offset += part.shape[dim] * result.strides[dim];
  }
  return interp_give(interp, op, &result);
}

bool eval_assert(ir_interp *interp, const ir_op *op) {
  return interp_operand(interp, op, 0)->cell.i || ir_op_error(op, "fails: %s", ir_attr_string_or(op, "msg", ""));
}

/* ---------------------------------------------------------------------------------------------------------- memrefs */

bool eval_alloc(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  int64_t shape[IR_MAX_RANK];
  interp_value value;
  if (!interp_shape(interp, op, 0, type, shape) ||
      !interp_allocate(interp, op, type->element, type->rank, shape, &value))
    return false;
  value.buffer->deallocatable = true;
  return interp_give(interp, op, &value);
}

bool eval_alloca(ir_interp *interp, const ir_op *op) {
  if (!eval_alloc(interp, op))
    return false;
  interp_get(interp, ir_result(op, 0))->buffer->deallocatable = false;
  return true;
}

bool eval_dealloc(ir_interp *interp, const ir_op *op) {
  interp_value *memref = interp_operand(interp, op, 0);
  if (!interp_check_read(op, memref))
    return false;
  if (!memref->buffer->deallocatable)
    return ir_op_error(op, "gives back memory that is not from memref.alloc");
  memref->buffer->freed = true;
  return true;
}

/* The memory of a global exists once; it is kept in the interpreter. */
bool eval_get_global(ir_interp *interp, const ir_op *op) {
  const ir_op *global = ir_module_lookup(op->module, ir_attr_string_or(op, "name", ""));
  interp_global *found = interp->globals;
  while (found && found->op != global)
    found = found->next;
  if (!found) {
    const ir_type *type = op->results[0].type;
    const ir_attr *content = ir_attr_get(global, "initial_value");
    interp_value value;
    if (content && content->kind == IR_ATTR_DENSE
            ? !interp_constant(interp, op, type, content, &value)
            : !interp_allocate(interp, op, type->element, type->rank, type->shape, &value))
      return false;
    bool constant = ir_attr_get(global, "constant");
    if (!constant && !interp_make_writable(interp, op, &value)) /* a splat has one cell */
      return false;
    value.buffer->constant = constant;
    found = ir_arena_alloc(&interp->module->arena, sizeof *found);
    *found = (interp_global){.op = global, .value = value, .next = interp->globals};
    interp->globals = found;
  }
  interp_value value = found->value;
  return interp_give_view(interp, op, &value);
}

bool eval_store(ir_interp *interp, const ir_op *op) {
  interp_value *memref = interp_operand(interp, op, 1);
  ir_cell *cell = interp_check_write(op, memref) ? interp_elements(interp, op, memref, 2, 1) : NULL;
  if (cell)
    *cell = interp_operand(interp, op, 0)->cell;
  return cell;
}

bool eval_nothing(ir_interp *interp, const ir_op *op) { return true; }

bool eval_copy(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0), *target = interp_operand(interp, op, 1);
  return interp_check_read(op, source) && interp_check_write(op, target) && interp_copy(interp, op, target, source);
}

bool eval_to_tensor(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  interp_value result;
  return interp_check_read(op, source) &&
         interp_allocate_raw(interp, op, source->element, source->rank, source->shape, &result) &&
         interp_copy(interp, op, &result, source) && interp_give(interp, op, &result);
}

/* Here copies are done when they are started, so there are no groups to wait for. */
bool eval_async(ir_interp *interp, const ir_op *op) { return true; }
