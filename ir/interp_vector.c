/* interp_vector.c - vector ops in the interpreter.
 *
 * Vectors are values like tensors: broadcasts, transposes and parts of a vector are views. Everything loops over the
 * elements of static shapes. */
#include "interp_internal.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- transfers */

/* One transfer: `vector` over `base` at the operands [first, first + rank of base). */
typedef struct transfer {
  interp_value *base, *vector, *mask;
  const ir_map *map;
  const ir_attr *in_bounds;
  int64_t start[IR_MAX_RANK];
  int64_t mask_strides[IR_MAX_RANK]; /* by vector dim: the mask's dims are those of the base, in order */
} transfer;

static transfer transfer_of(ir_interp *interp, const ir_op *op, interp_value *base, interp_value *vector,
                            unsigned first) {
  enum { MASK = 3 };
  transfer access = {.base = base,
                     .vector = vector,
                     .map = ir_attr_get(op, "permutation_map")->map,
                     .in_bounds = ir_attr_get(op, "in_bounds")};
  for (unsigned i = 0; i < base->rank; i++)
    access.start[i] = interp_operand(interp, op, first + i)->cell.i;
  if (ir_group_size(op, MASK)) {
    access.mask = interp_get(interp, ir_group_operand(op, MASK, 0));
    unsigned mask_dim = 0;
    for (unsigned dim = 0; dim < base->rank; dim++) {
      int result = ir_map_find_dim(access.map, dim);
      if (result >= 0)
        access.mask_strides[result] = access.mask->strides[mask_dim++];
    }
  }
  return access;
}

/* The base's cell for the current element; NULL where it is masked or outside; *failed after a reported error. */
static ir_cell *transfer_cell(const ir_op *op, const transfer *access, const ir_cell *counters, bool *failed) {
  int64_t at[IR_MAX_RANK], position = 0, mask_position = 0;
  bool may_leave[IR_MAX_RANK] = {false};
  memcpy(at, access->start, sizeof at);
  for (unsigned i = 0; i < access->map->num_results; i++) {
    mask_position += counters[i].i * access->mask_strides[i];
    int dim = ir_map_result_dim(access->map, i);
    if (dim < 0)
      continue; /* a broadcast */
    at[dim] += counters[i].i;
    may_leave[dim] = !access->in_bounds || !access->in_bounds->elements[i]->value;
  }
  if (access->mask && !interp_cells(access->mask)[mask_position].i)
    return NULL;
  for (unsigned dim = 0; dim < access->base->rank; dim++) {
    if (at[dim] < 0 || at[dim] >= access->base->shape[dim]) {
      *failed = !may_leave[dim] && !ir_op_error(op, "subscript %lld is out of bounds: dim %u has extent %lld",
                                                (long long)at[dim], dim, (long long)access->base->shape[dim]);
      return NULL;
    }
    position += at[dim] * access->base->strides[dim];
  }
  return interp_cells(access->base) + position;
}

/* Moves all elements: to the vector, with `padding` where there is no cell, or from it when `padding` is NULL. */
static bool run_transfer(ir_interp *interp, const ir_op *op, const transfer *access, const ir_cell *padding) {
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, access->vector->rank, access->vector->shape, 1);
  interp_nest_bind(&nest, 0, access->vector);
  unsigned inner = nest.num_loops - 1;
  bool failed = false;
  for (bool more = interp_nest_begin(&nest); more && !failed; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner] && !failed; point++) {
      nest.counters[inner].i = point;
      ir_cell *element = interp_cells(access->vector) + nest.positions[0] + point * nest.strides[0][inner];
      ir_cell *cell = transfer_cell(op, access, nest.counters, &failed);
      if (padding)
        *element = cell ? *cell : *padding;
      else if (cell)
        *cell = *element;
    }
  ir_arena_rewind(&interp->scratch, mark);
  return !failed;
}

bool eval_transfer_read(ir_interp *interp, const ir_op *op) {
  interp_value *base = interp_operand(interp, op, 0), vector;
  if (!interp_check_read(op, base) || !interp_allocate_result(interp, op, &vector))
    return false;
  transfer access = transfer_of(interp, op, base, &vector, 1);
  return run_transfer(interp, op, &access, &interp_get(interp, ir_group_operand(op, 2, 0))->cell) &&
         interp_give(interp, op, &vector);
}

bool eval_transfer_write(ir_interp *interp, const ir_op *op) {
  interp_value *vector = interp_operand(interp, op, 0), base = {0};
  if (op->num_results) {
    base = interp_take(interp, op, 1);
    if (!interp_make_writable(interp, op, &base))
      return false;
  } else {
    base = *interp_operand(interp, op, 1);
    if (!interp_check_write(op, &base))
      return false;
  }
  transfer access = transfer_of(interp, op, &base, vector, 2);
  if (!run_transfer(interp, op, &access, NULL))
    return false;
  return !op->num_results || interp_give(interp, op, &base);
}

bool eval_vector_load(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  interp_value *base = interp_operand(interp, op, 0), vector;
  const ir_cell *cells = interp_check_read(op, base) ? interp_elements(interp, op, base, 1, type->shape[0]) : NULL;
  if (!cells || !interp_allocate_result(interp, op, &vector))
    return false;
  memcpy(interp_cells(&vector), cells, (size_t)type->shape[0] * sizeof *cells);
  return interp_give(interp, op, &vector);
}

bool eval_vector_store(ir_interp *interp, const ir_op *op) {
  interp_value *vector = interp_operand(interp, op, 0), *base = interp_operand(interp, op, 1);
  ir_cell *cells = interp_check_write(op, base) ? interp_elements(interp, op, base, 2, vector->shape[0]) : NULL;
  for (int64_t i = 0; cells && i < vector->shape[0]; i++)
    cells[i] = interp_cells(vector)[i * vector->strides[0]];
  return cells;
}

bool eval_gather(ir_interp *interp, const ir_op *op) {
  interp_value *base = interp_operand(interp, op, 0), result;
  interp_value *subscripts = interp_get(interp, ir_group_operand(op, 2, 0));
  interp_value *mask = interp_get(interp, ir_group_operand(op, 3, 0));
  interp_value *pass = interp_get(interp, ir_group_operand(op, 4, 0));
  if (!interp_check_read(op, base) || !interp_allocate_raw(interp, op, base->element, pass->rank, pass->shape, &result))
    return false;
  int64_t start = base->offset;
  for (unsigned i = 0; i < base->rank; i++)
    start += interp_operand(interp, op, 1 + i)->cell.i * base->strides[i];
  int64_t last_start = base->rank ? interp_operand(interp, op, base->rank)->cell.i : 0;
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_value *const values[] = {&result, subscripts, mask, pass};
  interp_nest nest = interp_nest_create(interp, result.rank, result.shape, 4);
  for (unsigned i = 0; i < 4; i++)
    interp_nest_bind(&nest, i, values[i]);
  unsigned inner = nest.num_loops - 1;
  bool done = true;
  for (bool more = interp_nest_begin(&nest); more && done; more = interp_nest_next(&nest))
    for (int64_t point = 0; point < nest.extents[inner] && done; point++) {
      ir_cell *at[4];
      for (unsigned i = 0; i < 4; i++)
        at[i] = interp_cells(values[i]) + nest.positions[i] + point * nest.strides[i][inner];
      *at[0] = *at[3];
      if (!at[2]->i)
        continue;
      int64_t subscript = last_start + at[1]->i, extent = base->rank ? base->shape[base->rank - 1] : 1;
      if (subscript < 0 || subscript >= extent)
        done = ir_op_error(op, "subscript %lld is out of bounds: the last dim has extent %lld", (long long)subscript,
                           (long long)extent);
      else
        *at[0] = base->buffer->cells[start + at[1]->i * (base->rank ? base->strides[base->rank - 1] : 1)];
    }
  ir_arena_rewind(&interp->scratch, mark);
  interp_set(interp, ir_result(op, 0), &result);
  return done;
}

/* -------------------------------------------------------------------------------------------------------- combining */

/* What the op does to two elements. */
typedef ir_cell combine_hook(const ir_op *op, const ir_cell *operands);

static combine_hook *combine_of(const ir_op *op) { return ir_op_info_of(ir_combine_of(op))->scalar; }

/* acc = combine(acc, lhs rhs), or combine(acc, lhs) where rhs is NULL, at each point of the nest (acc, lhs, rhs). */
static void run_combine(ir_interp *interp, const ir_op *op, interp_nest *nest, combine_hook *hook, ir_scalar element,
                        ir_cell *acc, const ir_cell *lhs, const ir_cell *rhs) {
  combine_hook *multiply = ir_scalar_is_float(element) ? scalar_mulf : scalar_muli;
  unsigned inner = nest->num_loops - 1;
  for (bool more = interp_nest_begin(nest); more; more = interp_nest_next(nest))
    for (int64_t point = 0; point < nest->extents[inner]; point++) {
      ir_cell *target = &acc[nest->positions[0] + point * nest->strides[0][inner]];
      ir_cell operands[2] = {*target, lhs[nest->positions[1] + point * nest->strides[1][inner]]};
      if (rhs) {
        ir_cell factors[2] = {operands[1], rhs[nest->positions[2] + point * nest->strides[2][inner]]};
        operands[1] = interp_finish(interp, element, multiply(op, factors));
      }
      *target = interp_finish(interp, element, hook(op, operands));
    }
}

/* The accumulator, writable: a vector taken from its slot, or a scalar. */
static bool take_accumulator(ir_interp *interp, const ir_op *op, unsigned operand, interp_value *acc) {
  *acc = interp_take(interp, op, operand);
  return !acc->buffer || interp_make_writable(interp, op, acc);
}

bool eval_contract(ir_interp *interp, const ir_op *op) {
  const ir_attr *attr = ir_attr_get(op, "indexing_maps");
  const ir_map *maps[3] = {attr->elements[0]->map, attr->elements[1]->map, attr->elements[2]->map};
  interp_value acc;
  interp_value *values[3] = {interp_operand(interp, op, 0), interp_operand(interp, op, 1), &acc};
  int64_t extents[IR_MAX_LOOPS];
  if (!take_accumulator(interp, op, 2, &acc) || !interp_loop_extents(op, maps[0]->num_dims, 3, maps, values, extents))
    return false;
  acc.element = op->results[0].type->element;
  combine_hook *hook = combine_of(op);
  bool is_sum = hook == scalar_addf;
  static const unsigned contract_order[] = {0, 1, 2}, combine_order[] = {1, 2, 0};
  const unsigned *order = is_sum ? contract_order : combine_order;
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, maps[0]->num_dims, extents, 3);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned dim = 0; dim < maps[i]->num_results; dim++)
      nest.strides[order[i]][ir_map_result_dim(maps[i], dim)] = values[i]->strides[dim];
  if (is_sum)
    interp_contract(interp, &nest, interp_cells(values[0]), interp_cells(values[1]), interp_cells(&acc), acc.element);
  else
    run_combine(interp, op, &nest, hook, acc.element, interp_cells(&acc), interp_cells(values[0]),
                interp_cells(values[1]));
  ir_arena_rewind(&interp->scratch, mark);
  return interp_give(interp, op, &acc);
}

bool eval_multi_reduction(ir_interp *interp, const ir_op *op) {
  interp_value *source = interp_operand(interp, op, 0), acc;
  uint32_t reduced = ir_attr_set_of(op, "reduction_dims");
  if (!take_accumulator(interp, op, 1, &acc))
    return false;
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, source->rank, source->shape, 2);
  interp_nest_bind(&nest, 1, source);
  unsigned kept = 0;
  for (unsigned dim = 0; dim < source->rank; dim++)
    if (!(reduced >> dim & 1))
      nest.strides[0][dim] = acc.strides[kept++];
  run_combine(interp, op, &nest, combine_of(op), source->element, interp_cells(&acc), interp_cells(source), NULL);
  ir_arena_rewind(&interp->scratch, mark);
  return interp_give(interp, op, &acc);
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

bool eval_broadcast(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  const interp_value *source = interp_operand(interp, op, 0);
  interp_value view;
  if (!source->buffer) {
    if (!interp_splat(interp, op, type->element, type->rank, type->shape, source->cell, &view))
      return false;
    return interp_give(interp, op, &view);
  }
  view = *source;
  view.rank = type->rank;
  unsigned leading = type->rank - source->rank;
  for (unsigned i = 0; i < type->rank; i++) {
    bool repeats = i < leading || source->shape[i - leading] == 1;
    view.shape[i] = type->shape[i];
    view.strides[i] = repeats ? 0 : source->strides[i - leading];
  }
  return interp_give_view(interp, op, &view);
}

bool eval_transpose(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  interp_value view = *source;
  unsigned count = 0;
  const int64_t *permutation = ir_attr_i64s_of(op, "permutation", &count);
  for (unsigned i = 0; i < count; i++) {
    view.shape[i] = source->shape[permutation[i]];
    view.strides[i] = source->strides[permutation[i]];
  }
  return interp_give_view(interp, op, &view);
}

/* Layouts say where elements are, not what they are. */
bool eval_to_layout(ir_interp *interp, const ir_op *op) {
  interp_value view = *interp_operand(interp, op, 0);
  return interp_give_view(interp, op, &view);
}

bool eval_shape_cast(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  interp_value result, in_source_shape;
  if (!interp_allocate_result(interp, op, &result))
    return false;
  in_source_shape = result;
  in_source_shape.rank = source->rank;
  int64_t stride = 1;
  for (unsigned i = source->rank; i-- > 0; stride *= source->shape[i]) {
    in_source_shape.shape[i] = source->shape[i];
    in_source_shape.strides[i] = stride;
  }
  return interp_copy(interp, op, &in_source_shape, source) && interp_give(interp, op, &result);
}

/* The element's bits, in the lowest ones. */
static uint64_t bits_of(ir_scalar element, ir_cell cell) {
  unsigned unused = 64 - ir_scalar_bits(element);
  return ir_scalar_is_float(element) ? ir_float_to_bits(element, cell.f) : (uint64_t)cell.i << unused >> unused;
}

static ir_cell cell_of_bits(ir_scalar element, uint64_t bits) {
  if (ir_scalar_is_float(element))
    return (ir_cell){.f = ir_float_from_bits(element, bits)};
  return (ir_cell){.i = ir_scalar_wrap(element, (int64_t)bits)};
}

bool eval_vector_bitcast(ir_interp *interp, const ir_op *op) {
  const interp_value *source = interp_operand(interp, op, 0);
  const ir_type *type = op->results[0].type;
  interp_value result, dense;
  if (!interp_allocate_raw(interp, op, source->element, source->rank, source->shape, &dense))
    return false;
  if (!interp_copy(interp, op, &dense, source) || !interp_allocate_result(interp, op, &result))
    return false;
  unsigned from = ir_scalar_bits(dense.element), to = ir_scalar_bits(type->element);
  ir_cell *read = interp_cells(&dense), *write = interp_cells(&result);
  int64_t count = ir_type_num_elements(type);
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    for (unsigned bit = 0; bit < to; bit += from < to ? from : to) {
      uint64_t at = (uint64_t)i * to + bit;
      bits |= bits_of(dense.element, read[at / from]) >> at % from << bit;
    }
    write[i] = cell_of_bits(type->element, to < 64 ? bits & ((UINT64_C(1) << to) - 1) : bits);
  }
  interp_release(interp, &dense);
  return interp_give(interp, op, &result);
}

bool eval_interleave(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  unsigned last = type->rank - 1;
  interp_value result;
  if (!interp_allocate_result(interp, op, &result))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    interp_value every_second = result;
    every_second.offset += i * result.strides[last];
    every_second.shape[last] /= 2;
    every_second.strides[last] *= 2;
    if (!interp_copy(interp, op, &every_second, interp_operand(interp, op, i)))
      return false;
  }
  return interp_give(interp, op, &result);
}

bool eval_deinterleave(ir_interp *interp, const ir_op *op) {
  for (unsigned i = 0; i < 2; i++) {
    interp_value every_second = *interp_operand(interp, op, 0);
    unsigned last = every_second.rank - 1;
    every_second.offset += i * every_second.strides[last];
    every_second.shape[last] /= 2;
    every_second.strides[last] *= 2;
    interp_retain(&every_second);
    interp_set(interp, ir_result(op, i), &every_second);
  }
  return true;
}

bool eval_shuffle(ir_interp *interp, const ir_op *op) {
  const interp_value *sides[] = {interp_operand(interp, op, 0), interp_operand(interp, op, 1)};
  unsigned count;
  const int64_t *places = ir_attr_i64s_of(op, "mask", &count);
  interp_value result;
  if (!interp_allocate_result(interp, op, &result))
    return false;
  for (unsigned i = 0; i < count; i++) {
    bool second = places[i] >= sides[0]->shape[0];
    interp_value from = *sides[second], to = result;
    from.offset += (places[i] - (second ? sides[0]->shape[0] : 0)) * from.strides[0];
    to.offset += i * to.strides[0];
    from.shape[0] = to.shape[0] = 1;
    if (!interp_copy(interp, op, &to, &from))
      return false;
  }
  return interp_give(interp, op, &result);
}

/* The subvector of `vector` at the op's position, whose operands are group `group`. */
static bool position_view(ir_interp *interp, const ir_op *op, unsigned group, const interp_value *vector,
                          interp_value *view) {
  unsigned count = 0;
  ir_attr_i64s_of(op, "static_position", &count);
  *view = *vector;
  view->rank = vector->rank - count;
  for (unsigned i = 0; i < count; i++) {
    int64_t at = interp_index(interp, ir_mixed(op, group, "static_position", i));
    if (at < 0 || at >= vector->shape[i])
      return ir_op_error(op, "position %lld is out of bounds: dim %u has extent %lld", (long long)at, i,
                         (long long)vector->shape[i]);
    view->offset += at * vector->strides[i];
  }
  for (unsigned i = 0; i < view->rank; i++) {
    view->shape[i] = vector->shape[count + i];
    view->strides[i] = vector->strides[count + i];
  }
  return true;
}

bool eval_vector_extract(ir_interp *interp, const ir_op *op) {
  interp_value view;
  if (!position_view(interp, op, 1, interp_operand(interp, op, 0), &view))
    return false;
  if (ir_type_is_shaped(op->results[0].type))
    return interp_give_view(interp, op, &view);
  interp_set_cell(interp, ir_result(op, 0), *interp_cells(&view));
  return true;
}

bool eval_vector_insert(ir_interp *interp, const ir_op *op) {
  interp_value dest = interp_take(interp, op, 1), view, *value = interp_operand(interp, op, 0);
  if (!interp_make_writable(interp, op, &dest) || !position_view(interp, op, 2, &dest, &view))
    return false;
  if (!value->buffer)
    *interp_cells(&view) = value->cell;
  else if (!interp_copy(interp, op, &view, value))
    return false;
  return interp_give(interp, op, &dest);
}

/* The part of `whole` at `offsets` with `strides`, which name leading dims; the trailing dims of the part's shape match
 * the last dims of `whole`. */
static interp_value part_of(const ir_op *op, const interp_value *whole, const ir_type *part) {
  unsigned num_offsets, num_strides;
  const int64_t *offsets = ir_attr_i64s_of(op, "offsets", &num_offsets);
  const int64_t *strides = ir_attr_i64s_of(op, "strides", &num_strides);
  unsigned leading = whole->rank - part->rank;
  interp_value view = *whole;
  view.rank = part->rank;
  for (unsigned i = 0; i < part->rank; i++) {
    view.shape[i] = part->shape[i];
    view.strides[i] = whole->strides[leading + i];
  }
  for (unsigned i = 0; offsets && i < num_offsets; i++)
    view.offset += offsets[i] * whole->strides[i];
  for (unsigned i = 0; strides && i < num_strides && i < part->rank; i++)
    view.strides[i] *= strides[i];
  return view;
}

bool eval_extract_strided_slice(ir_interp *interp, const ir_op *op) {
  interp_value view = part_of(op, interp_operand(interp, op, 0), op->results[0].type);
  return interp_give_view(interp, op, &view);
}

bool eval_insert_strided_slice(ir_interp *interp, const ir_op *op) {
  interp_value dest = interp_take(interp, op, 1), view;
  if (!interp_make_writable(interp, op, &dest))
    return false;
  view = part_of(op, &dest, ir_operand(op, 0)->type);
  return interp_copy(interp, op, &view, interp_operand(interp, op, 0)) && interp_give(interp, op, &dest);
}

bool eval_step(ir_interp *interp, const ir_op *op) {
  interp_value result;
  if (!interp_allocate_result(interp, op, &result))
    return false;
  for (int64_t i = 0; i < result.buffer->count; i++)
    result.buffer->cells[i].i = i;
  return interp_give(interp, op, &result);
}

bool eval_create_mask(ir_interp *interp, const ir_op *op) {
  const ir_type *type = op->results[0].type;
  interp_value result;
  if (!interp_allocate_result(interp, op, &result))
    return false;
  for (int64_t i = 0; i < result.buffer->count; i++) {
    bool inside = true;
    int64_t rest = i;
    for (unsigned dim = type->rank; dim-- > 0; rest /= type->shape[dim])
      inside &= rest % type->shape[dim] < interp_operand(interp, op, dim)->cell.i;
    result.buffer->cells[i].i = inside ? -1 : 0;
  }
  return interp_give(interp, op, &result);
}
