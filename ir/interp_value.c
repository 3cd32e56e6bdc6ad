/* interp_value.c - values of the interpreter: buffers and their views, slots, and strided loop nests.
 *
 * A buffer dies when its last view does, or with the interpreter; memref.dealloc only marks it, so that a later use can
 * be reported. Sizes are checked before memory is asked for; the sum of all buffers is bounded by the machine's memory,
 * since asking for more would be answered with a kill rather than an error. Loops run over extents known beforehand. */
#include "interp_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ slots */

static interp_slot *slot_of(ir_interp *interp, const ir_value *value) { return &interp->slots[ir_value_number(value)]; }

interp_value *interp_get(ir_interp *interp, const ir_value *value) { return &slot_of(interp, value)->value; }

void interp_set_last_user(ir_interp *interp, const ir_value *value, const ir_op *op) {
  slot_of(interp, value)->last_user = op;
}

int64_t interp_index(ir_interp *interp, ir_index index) {
  return index.value ? interp_int(interp, index.value) : index.constant;
}

void interp_set(ir_interp *interp, const ir_value *value, const interp_value *to) {
  interp_value *slot = interp_get(interp, value);
  interp_value old = *slot;
  *slot = *to;
  interp_release(interp, &old);
}

/* No use but this one is by `op` or by an op inside it. */
static bool is_only_use_within(const ir_op *op, const ir_use *use) {
  for (const ir_use *other = use->value->uses; other; other = other->next)
    if (other != use && (other->user == op || (op->num_regions && ir_op_ancestor_in(other->user, op->block) == op)))
      return false;
  return true;
}

interp_value interp_take(ir_interp *interp, const ir_op *op, unsigned operand) {
  interp_slot *slot = slot_of(interp, ir_operand(op, operand));
  interp_value value = slot->value;
  if (slot->last_user == op && is_only_use_within(op, &op->operands[operand]))
    slot->value.buffer = NULL;
  else
    interp_retain(&value);
  return value;
}

void interp_release_dead(ir_interp *interp, const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    interp_slot *slot = slot_of(interp, ir_operand(op, i));
    if (slot->value.buffer && slot->last_user == op)
      interp_release(interp, &slot->value);
  }
}

/* ---------------------------------------------------------------------------------------------------------- buffers */

void interp_retain(interp_value *value) {
  if (value->buffer)
    value->buffer->references++;
}

static void destroy_buffer(ir_interp *interp, interp_buffer *buffer) {
  if (buffer->prev)
    buffer->prev->next = buffer->next;
  else
    interp->buffers = buffer->next;
  if (buffer->next)
    buffer->next->prev = buffer->prev;
  interp->bytes -= buffer->bytes;
  free(buffer);
}

void interp_release(ir_interp *interp, interp_value *value) {
  interp_buffer *buffer = value->buffer;
  value->buffer = NULL;
  if (buffer && !--buffer->references)
    destroy_buffer(interp, buffer);
}

void interp_release_all(ir_interp *interp) {
  while (interp->buffers)
    destroy_buffer(interp, interp->buffers);
}

static interp_buffer *create_buffer(ir_interp *interp, const ir_op *op, int64_t cells) {
  int64_t bytes;
  interp_buffer *buffer = NULL;
  if (!__builtin_mul_overflow(cells, (int64_t)sizeof(ir_cell), &bytes) &&
      (uint64_t)bytes < interp->max_bytes - interp->bytes)
    buffer = malloc(sizeof *buffer + (size_t)bytes);
  if (!buffer) {
    ir_op_error(op, "needs more memory than there is");
    return NULL;
  }
  *buffer = (interp_buffer){.next = interp->buffers,
                            .cells = (ir_cell *)(buffer + 1),
                            .count = cells,
                            .bytes = sizeof *buffer + (size_t)bytes,
                            .references = 1};
  if (buffer->next)
    buffer->next->prev = buffer;
  interp->buffers = buffer;
  interp->bytes += buffer->bytes;
  return buffer;
}

/* Element, extents and row-major strides; reports extents that no memory holds. */
static bool set_shape(const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape, interp_value *value) {
  *value = (interp_value){.element = element, .rank = rank};
  int64_t stride = 1;
  for (unsigned i = rank; i-- > 0;) {
    if (shape[i] < 0)
      return ir_op_error(op, "negative extent %lld", (long long)shape[i]);
    value->shape[i] = shape[i];
    value->strides[i] = stride;
    if (__builtin_mul_overflow(stride, shape[i] ? shape[i] : 1, &stride))
      return ir_op_error(op, "needs more memory than there is");
  }
  return true;
}

static int64_t interp_num_elements(const interp_value *value) {
  int64_t count = 1;
  for (unsigned i = 0; i < value->rank; i++)
    count *= value->shape[i];
  return count;
}

bool interp_allocate_raw(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                         interp_value *value) {
  return set_shape(op, element, rank, shape, value) &&
         (value->buffer = create_buffer(interp, op, interp_num_elements(value)));
}

ir_cell interp_undefined(ir_scalar element) {
  return ir_scalar_is_float(element) ? (ir_cell){.f = NAN}
                                     : (ir_cell){.i = ir_scalar_wrap(element, 0x5a5a5a5a5a5a5a5a)};
}

bool interp_allocate(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                     interp_value *value) {
  if (!interp_allocate_raw(interp, op, element, rank, shape, value))
    return false;
  ir_cell undefined = interp_undefined(element);
  for (int64_t i = 0; i < value->buffer->count; i++)
    value->buffer->cells[i] = undefined;
  return true;
}

bool interp_splat(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                  ir_cell cell, interp_value *value) {
  if (!set_shape(op, element, rank, shape, value) || !(value->buffer = create_buffer(interp, op, 1)))
    return false;
  value->buffer->cells[0] = cell;
  memset(value->strides, 0, sizeof value->strides);
  return true;
}

bool interp_borrow(ir_interp *interp, const ir_op *op, ir_tensor *tensor, interp_value *value) {
  if (!set_shape(op, tensor->element, tensor->rank, tensor->shape, value) ||
      !(value->buffer = create_buffer(interp, op, 0)))
    return false;
  value->buffer->cells = tensor->cells;
  value->buffer->count = interp_num_elements(value);
  return true;
}

ir_cell *interp_cells(interp_value *value) {
  return value->buffer ? value->buffer->cells + value->offset : &value->cell;
}

bool interp_make_writable(ir_interp *interp, const ir_op *op, interp_value *value) {
  bool shared = value->buffer->references > 1 || value->buffer->constant;
  for (unsigned i = 0; i < value->rank; i++)
    shared |= !value->strides[i] && value->shape[i] > 1;
  if (!shared)
    return true;
  interp_value copy;
  if (!interp_allocate_raw(interp, op, value->element, value->rank, value->shape, &copy) ||
      !interp_copy(interp, op, &copy, value))
    return false;
  interp_release(interp, value);
  *value = copy;
  return true;
}

bool interp_check_read(const ir_op *op, const interp_value *value) {
  return !value->buffer || !value->buffer->freed || ir_op_error(op, "uses memory that was given back");
}

bool interp_check_write(const ir_op *op, const interp_value *value) {
  if (value->buffer && value->buffer->constant)
    return ir_op_error(op, "writes to constant memory");
  return interp_check_read(op, value);
}

bool interp_copy(ir_interp *interp, const ir_op *op, const interp_value *to, const interp_value *from) {
  if (to->rank != from->rank)
    return ir_op_error(op, "copies rank %u to rank %u", from->rank, to->rank);
  for (unsigned i = 0; i < to->rank; i++)
    if (to->shape[i] != from->shape[i])
      return ir_op_error(op, "copies extent %lld to extent %lld in dim %u", (long long)from->shape[i],
                         (long long)to->shape[i], i);
  size_t mark = ir_arena_mark(&interp->scratch);
  interp_nest nest = interp_nest_create(interp, to->rank, to->shape, 2);
  interp_nest_bind(&nest, 0, to);
  interp_nest_bind(&nest, 1, from);
  ir_cell *target = to->buffer->cells + to->offset;
  const ir_cell *source = from->buffer->cells + from->offset;
  unsigned inner = nest.num_loops - 1;
  int64_t count = nest.extents[inner], step = nest.strides[0][inner], source_step = nest.strides[1][inner];
  for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest))
    for (int64_t i = 0; i < count; i++)
      target[nest.positions[0] + i * step] = source[nest.positions[1] + i * source_step];
  ir_arena_rewind(&interp->scratch, mark);
  return true;
}

ir_cell *interp_elements(ir_interp *interp, const ir_op *op, interp_value *value, unsigned first, int64_t count) {
  int64_t position = 0;
  for (unsigned i = 0; i < value->rank; i++) {
    int64_t subscript = interp_operand(interp, op, first + i)->cell.i, length = i + 1 == value->rank ? count : 1;
    if (subscript < 0 || subscript > value->shape[i] - length) {
      ir_op_error(op, "subscript %lld is out of bounds: dim %u has extent %lld", (long long)subscript, i,
                  (long long)value->shape[i]);
      return NULL;
    }
    position += subscript * value->strides[i];
  }
  return interp_cells(value) + position;
}

bool interp_shape(ir_interp *interp, const ir_op *op, unsigned first, const ir_type *type, int64_t *shape) {
  for (unsigned i = 0, next = first; i < type->rank; i++) {
    shape[i] = type->shape[i];
    if (shape[i] == IR_DYNAMIC && (shape[i] = interp_operand(interp, op, next++)->cell.i) < 0)
      return ir_op_error(op, "negative extent %lld", (long long)shape[i]);
  }
  return true;
}

bool interp_check_type(const ir_op *op, const ir_type *type, const interp_value *value) {
  for (unsigned i = 0; i < type->rank; i++)
    if (type->shape[i] != IR_DYNAMIC && type->shape[i] != value->shape[i])
      return ir_op_error(op, "dim %u has extent %lld, its type says %lld", i, (long long)value->shape[i],
                         (long long)type->shape[i]);
  return true;
}

ir_cell interp_finish(const ir_interp *interp, ir_scalar element, ir_cell cell) {
  if (!ir_scalar_is_float(element))
    return (ir_cell){.i = ir_scalar_wrap(element, cell.i)};
  return interp->precision == IR_PRECISION_DOUBLE ? cell : (ir_cell){.f = ir_scalar_round(element, cell.f)};
}

double interp_factor(const ir_interp *interp, ir_scalar element, double value) {
  int power;
  if (interp->precision != IR_PRECISION_TF32 || element != IR_F32 || !isfinite(value))
    return value;
  double fraction = frexp(value, &power);
  return ldexp(rint(ldexp(fraction, 11)), power - 11);
}

/* ------------------------------------------------------------------------------------------------------------ loops */

interp_nest interp_nest_create(ir_interp *interp, unsigned num_loops, const int64_t *extents, unsigned num_operands) {
  ir_arena *arena = &interp->scratch;
  unsigned loops = num_loops ? num_loops : 1;
  interp_nest nest = {.num_loops = loops,
                      .num_operands = num_operands,
                      .extents = IR_NEW_ARRAY(arena, int64_t, loops),
                      .counters = IR_NEW_ARRAY(arena, ir_cell, loops),
                      .strides = IR_NEW_ARRAY(arena, int64_t *, num_operands),
                      .positions = IR_NEW_ARRAY(arena, int64_t, num_operands)};
  nest.extents[0] = 1;
  for (unsigned loop = 0; loop < num_loops; loop++)
    nest.extents[loop] = extents[loop];
  for (unsigned i = 0; i < num_operands; i++)
    nest.strides[i] = IR_NEW_ARRAY(arena, int64_t, loops);
  return nest;
}

void interp_nest_bind(interp_nest *nest, unsigned operand, const interp_value *value) {
  for (unsigned i = 0; i < value->rank; i++)
    nest->strides[operand][i] = value->strides[i];
}

bool interp_nest_begin(interp_nest *nest) {
  for (unsigned loop = 0; loop < nest->num_loops; loop++)
    if (!nest->extents[loop])
      return false;
  return true;
}

bool interp_nest_next(interp_nest *nest) {
  for (unsigned loop = nest->num_loops - 1; loop-- > 0;) {
    bool wraps = nest->counters[loop].i + 1 == nest->extents[loop];
    int64_t steps = wraps ? -nest->counters[loop].i : 1;
    nest->counters[loop].i += steps;
    for (unsigned i = 0; i < nest->num_operands; i++)
      nest->positions[i] += steps * nest->strides[i][loop];
    if (!wraps)
      return true;
  }
  return false;
}
