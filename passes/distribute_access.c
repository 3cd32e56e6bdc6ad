/* distribute_access.c - memory as one lane sees it: each register's element has an address that is a common lane part
 * plus a constant.
 *
 * Registers that follow each other in memory move as one vector, as wide as alignment can be proven (lane_access.h).
 * An access that may be out of bounds stands in a branch of its own, so nothing out of bounds is touched; a run is in
 * bounds as a whole or not at all. Where branches are dear, a load rather reads another element, which is there for
 * sure, and then forgets it, but for where nobody sees it (padding.h); stores share a branch where one condition
 * decides. Of lanes and registers that hold the same element, one writes.
 *
 * Shared memory, or a view of it, with the attribute `tec.swizzle` = [shift, mask] has its rows' 16-byte chunks in
 * another order, so that chunks at one place of neighbouring rows are in different banks: chunk c of row r is found at
 * c ^ (r >> shift & mask). With a third number, rows longer than so many columns go on in further boxes of all rows,
 * one behind the other; here these are rows of the memory as well, and `tec.box_rows` says how many a box has. All
 * accesses go through here, and warpgroups read what this describes (distribute_matrix.c), so nobody else has to know.
 * Terminates: all loops are over registers, dims and digits. */
#include "passes/distribute.h"
#include "passes/extent.h"
#include "passes/padding.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ plans */

enum { PLAIN = -1 };

/* On memory that consists of boxes of so many rows. */
#define BOX_ROWS "tec.box_rows"

/* An index or a condition that several registers share: dim `dim` of the memref, `constant` behind the lane part. `row`
 * is PLAIN, or how far the row is behind the lane part of which this is the swizzled place. */
struct known_index {
  unsigned dim;
  int64_t constant, row;
  ir_value *index, *inside;
  ir_value *safe; /* the index, or one that is in bounds where it is not; made where it is asked for */
  struct known_index *next;
};

/* Has the memref an element at 0 in all dims in which the access has bounds? */
static bool has_first_element(const lane_access *access) {
  const ir_value *memref = access->memref;
  ir_slice slice;
  unsigned kept[IR_MAX_RANK], rank = memref->type->rank;
  bool is_slice = ir_made_by(memref, OP_MEMREF_SUBVIEW);
  if (is_slice) {
    slice = ir_slice_of(memref->op);
    is_slice = ir_slice_kept_dims(memref->op, memref->type, kept) == rank;
  }
  for (unsigned dim = 0; dim < rank; dim++) {
    int64_t extent = memref->type->shape[dim];
    if (access->bounded >> dim & 1 &&
        (extent == IR_DYNAMIC ? !is_slice || ir_index_least(slice.sizes[kept[dim]]) < 1 : !extent))
      return false;
  }
  return true;
}

static void find_swizzle(access_plan *plan) {
  const ir_value *memref = plan->access->memref;
  if (!memref->op || memref->type->rank < 2)
    return;
  unsigned count;
  const int64_t *numbers = ir_attr_i64s_of(memref->op, DISTRIBUTE_SWIZZLE, &count);
  if (numbers && count == 2)
    plan->swizzle = (layout_shared){.shift = (unsigned)numbers[0], .mask = (unsigned)numbers[1]};
  plan->box_rows = ir_attr_int_or(memref->op, BOX_ROWS, 0);
}

access_plan distribute_plan(distributor *d, const layout *l, const lane_access *access) {
  access_plan plan = {.d = d, .layout = l, .access = access, .run = lane_access_run(access, l)};
  const ir_type *type = access->memref->type;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t scale[LAYOUT_MAX_RANK];
    for (unsigned i = 0; i < l->rank; i++)
      scale[i] = access->memory_dim[i] == (int)dim ? access->scale[i] : 0;
    ir_index base = ir_index_add(&d->at, access->start[dim], distribute_lane_offset(d, l, scale));
    plan.base[dim] = ir_index_value(&d->at, base);
    if (access->bounded >> dim & 1)
      plan.end[dim] = ir_index_value(&d->at, ir_dim(&d->at, access->memref, dim));
  }
  find_swizzle(&plan);
  plan.speculates = !d->facts->has_predicates && !access->mask && has_first_element(access);
  return plan;
}

/* Where the element `index` of row `row` is in swizzled memory. */
static ir_value *swizzle(const access_plan *plan, ir_value *index, ir_value *row) {
  distributor *d = plan->d;
  ir_module *module = d->module;
  int64_t chunk = LANE_ACCESS_WIDEST * 8 / ir_scalar_bits(plan->access->memref->type->element);
  const ir_expr *moved =
      ir_expr_by(module, IR_EXPR_FLOORDIV, ir_expr_dim(module, 0), INT64_C(1) << plan->swizzle.shift);
  moved = ir_expr_by(module, IR_EXPR_MOD, moved, plan->swizzle.mask + 1);
  moved = ir_expr_by(module, IR_EXPR_MUL, moved, chunk);
  ir_index offset = ir_index_apply(&d->at, moved, 1, &(ir_index){.value = row});
  return ir_binary(&d->at, OP_ARITH_XORI, index, ir_index_value(&d->at, offset));
}

/* Distances from one chunk to its next that a swizzle leaves alone: it moves chunks within so many elements. */
static int64_t swizzle_period(const access_plan *plan) {
  int64_t chunk = LANE_ACCESS_WIDEST * 8 / ir_scalar_bits(plan->access->memref->type->element);
  return (plan->swizzle.mask + 1) * chunk;
}

/* The column within its box, or the number of that box. */
static ir_value *in_box(const access_plan *plan, ir_value *column, ir_expr_kind kind) {
  ir_builder *at = &plan->d->at;
  const ir_type *type = plan->access->memref->type;
  if (!plan->box_rows)
    return column;
  const ir_expr *part = ir_expr_by(at->module, kind, ir_expr_dim(at->module, 0), type->shape[type->rank - 1]);
  return ir_index_value(at, ir_index_apply(at, part, 1, &(ir_index){.value = column}));
}

/* May a load give any element beyond the end of the dim? */
static bool is_careless(const access_plan *plan, unsigned dim) {
  return plan->speculates && plan->access->unseen >> dim & 1;
}

static known_index *index_at(access_plan *plan, unsigned dim, int64_t constant, int64_t row) {
  distributor *d = plan->d;
  for (known_index *known = plan->known; known; known = known->next)
    if (known->dim == dim && known->constant == constant && known->row == row)
      return known;
  known_index *made = IR_NEW_OF(&d->module->arena, known_index, dim, constant, row, plan->base[dim]);
  int64_t near = row == PLAIN ? 0 : constant % swizzle_period(plan);
  if (row != PLAIN && near == constant)
    made->index = swizzle(plan, in_box(plan, index_at(plan, dim, constant, PLAIN)->index, IR_EXPR_MOD),
                          index_at(plan, dim - 1, row, PLAIN)->index);
  else if (row != PLAIN && plan->box_rows)
    made->index = index_at(plan, dim, near, row)->index;
  else if (constant)
    made->index =
        ir_binary(&d->at, OP_ARITH_ADDI, row == PLAIN ? plan->base[dim] : index_at(plan, dim, near, row)->index,
                  ir_const_index(&d->at, constant - near));
  if (plan->end[dim] && row == PLAIN &&
      !is_careless(plan, dim)) /* unsigned: positions before the start are out of bounds, too */
    made->inside = ir_compare(&d->at, OP_ARITH_CMPI, IR_UNSIGNED_LESS, made->index, plan->end[dim]);
  made->next = plan->known;
  return plan->known = made;
}

/* The row where boxes are rows as well: what is the same for many accesses, then what differs. */
static ir_value *row_of_box(access_plan *plan, int64_t row, int64_t column) {
  ir_builder *at = &plan->d->at;
  const ir_type *type = plan->access->memref->type;
  int64_t near = column % swizzle_period(plan);
  ir_value *box = in_box(plan, index_at(plan, type->rank - 1, near, PLAIN)->index, IR_EXPR_FLOORDIV);
  ir_index before = ir_index_scale(at, ir_index_of(box), plan->box_rows);
  before = ir_index_add(at, ir_index_of(plan->base[type->rank - 2]), before);
  int64_t constant = row + (column - near) / type->shape[type->rank - 1] * plan->box_rows;
  return ir_index_value(at, ir_index_add(at, before, ir_index_const(constant)));
}

ir_value *distribute_subscripts(access_plan *plan, const int64_t *constants, ir_value **subscripts) {
  ir_value *condition = NULL;
  unsigned rank = plan->access->memref->type->rank;
  for (unsigned dim = 0; dim < rank; dim++) {
    known_index *known = index_at(plan, dim, constants[dim], PLAIN);
    subscripts[dim] = known->index;
    if (known->inside)
      condition = condition ? ir_binary(&plan->d->at, OP_ARITH_ANDI, condition, known->inside) : known->inside;
  }
  if (plan->swizzle.mask) {
    int64_t period = (int64_t)(plan->swizzle.mask + 1) << plan->swizzle.shift; /* rows this far apart are alike */
    subscripts[rank - 1] = index_at(plan, rank - 1, constants[rank - 1], constants[rank - 2] % period)->index;
  }
  if (plan->box_rows)
    subscripts[rank - 2] = row_of_box(plan, constants[rank - 2], constants[rank - 1]);
  return condition;
}

/* The subscripts of a register's element, and the condition for it to be accessed; NULL: always. */
static ir_value *subscripts_of(access_plan *plan, int64_t reg, ir_value **subscripts) {
  distributor *d = plan->d;
  int64_t constants[IR_MAX_RANK];
  lane_access_constants(plan->access, plan->layout, reg, constants);
  ir_value *inside = distribute_subscripts(plan, constants, subscripts);
  if (!plan->access->mask)
    return inside;
  ir_value *wanted = distribute_get(d, plan->access->mask, reg);
  return inside ? ir_binary(&d->at, OP_ARITH_ANDI, wanted, inside) : wanted;
}

/* Moves one element, or a vector of more; `stored` is NULL for loads. */
static ir_op *move(const access_plan *plan, ir_builder *at, ir_value *const *subscripts, ir_value *stored) {
  ir_value *memref = plan->access->memref;
  ir_scalar element = memref->type->element;
  const ir_type *vector = plan->run == 1 ? NULL : distribute_type(plan->d, element, plan->run);
  ir_op *op = ir_access(at, vector, memref, subscripts, stored);
  if (vector)
    ir_attr_set(op, "alignment", ir_attr_i64(at->module, plan->run * ir_scalar_bytes(element)));
  op->mark = plan->d->access;
  return op;
}

/* ------------------------------------------------------------------------------------------------------------ loads */

/* Where the last run of elements begins. */
static ir_value *last_index(const access_plan *plan, unsigned dim) {
  ir_builder *at = &plan->d->at;
  int64_t run = dim + 1u == plan->access->memref->type->rank ? plan->run : 1;
  return ir_index_value(at, ir_index_add(at, ir_index_of(plan->end[dim]), ir_index_const(-run)));
}

/* Subscripts that are in bounds in any case. Where conditions are asked for as well, they choose 0 for what is not;
 * else it is the last run, by an op of its own: a condition would be kept for stores behind a loop that have the
 * same. */
static void safe_subscripts(access_plan *plan, int64_t reg, ir_value **subscripts) {
  distributor *d = plan->d;
  int64_t constants[IR_MAX_RANK];
  lane_access_constants(plan->access, plan->layout, reg, constants);
  for (unsigned dim = 0; dim < plan->access->memref->type->rank; dim++) {
    known_index *known = index_at(plan, dim, constants[dim], PLAIN);
    if (known->inside && !known->safe)
      known->safe = ir_select(&d->at, known->inside, known->index, ir_const_index(&d->at, 0));
    if (plan->end[dim] && !known->safe)
      known->safe = ir_binary(&d->at, OP_ARITH_MINUI, known->index, last_index(plan, dim));
    if (known->safe)
      subscripts[dim] = known->safe;
  }
}

static ir_value *load_run(access_plan *plan, int64_t reg, ir_value *padding) {
  distributor *d = plan->d;
  ir_value *subscripts[IR_MAX_RANK];
  ir_value *condition = subscripts_of(plan, reg, subscripts);
  if (plan->speculates)
    safe_subscripts(plan, reg, subscripts);
  if (plan->speculates || !condition) {
    ir_value *loaded = ir_result(move(plan, &d->at, subscripts, NULL), 0);
    return condition ? ir_select(&d->at, condition, loaded, padding) : loaded;
  }
  ir_op *branch = distribute_if(d, condition, padding->type);
  ir_builder inside = ir_builder_at_end(ir_region(branch, 0)), outside = ir_builder_at_end(ir_region(branch, 1));
  ir_value *loaded = ir_result(move(plan, &inside, subscripts, NULL), 0);
  ir_terminator(&inside, OP_SCF_YIELD, 1, &loaded);
  ir_terminator(&outside, OP_SCF_YIELD, 1, &padding);
  return ir_result(branch, 0);
}

/* Puts runs together: registers of one vector. */
static ir_value *join_runs(distributor *d, const access_plan *plan, ir_scalar element, int64_t registers,
                           ir_value *const *runs) {
  if (plan->run == 1)
    return distribute_pack(d, element, registers, runs);
  if (plan->run == registers)
    return runs[0];
  ir_value *result = ir_const(&d->at, distribute_type(d, element, registers), 0);
  for (int64_t r = 0; r < registers; r += plan->run) {
    ir_value *operands[] = {runs[r], result};
    ir_named_attr attrs[] = {{"offsets", ir_attr_numbers(d->module, 1, &r)},
                             {"strides", ir_attr_numbers(d->module, 1, (const int64_t[]){1})}};
    result = ir_create(&d->at, OP_VECTOR_INSERT_STRIDED_SLICE, NULL, 2, operands, 2, attrs);
  }
  return result;
}

ir_value *distribute_load(distributor *d, const layout *l, const lane_access *access, ir_value *padding) {
  int64_t registers = distribute_registers(l), first[IR_MAX_RANK], other[IR_MAX_RANK];
  ir_scalar element = access->memref->type->element;
  d->access += DISTRIBUTE_ACCESS;
  access_plan plan = distribute_plan(d, l, access);
  ir_value **runs = IR_NEW_ARRAY(&d->module->arena, ir_value *, registers);
  if (padding && plan.run > 1)
    padding = ir_unary(&d->at, OP_VECTOR_BROADCAST, padding, distribute_type(d, element, plan.run));
  for (int64_t r = 0; r < registers; r += plan.run) {
    runs[r] = NULL;
    lane_access_constants(access, l, r, first);
    for (int64_t before = 0; before < r && !runs[r] && !access->mask; before += plan.run) {
      lane_access_constants(access, l, before, other);
      if (!memcmp(first, other, sizeof first))
        runs[r] = runs[before]; /* the same elements again */
    }
    if (!runs[r])
      runs[r] = load_run(&plan, r, padding);
  }
  return join_runs(d, &plan, element, registers, runs);
}

/* ----------------------------------------------------------------------------------------------------------- stores */

/* Whether this lane is the one that writes; NULL: all are. */
static ir_value *writer_condition(distributor *d, const layout *l) {
  bool all = true;
  for (int64_t thread = 0; thread < d->threads && all; thread++)
    all = distribute_significant(l, LAYOUT_LANE, thread % d->warp) == thread % d->warp &&
          distribute_significant(l, LAYOUT_WARP, thread / d->warp) == thread / d->warp;
  if (all)
    return NULL;
  layout writer = distribute_lane_part(l); /* as a layout from hardware to the number of the writer */
  const int64_t one = 1;
  writer.rank = 1;
  for (unsigned i = 0; i < writer.num_digits; i++) {
    layout_digit *digit = &writer.digits[i];
    digit->dim = 0;
    digit->dim_stride = digit->hardware_stride * (digit->level == LAYOUT_WARP ? d->warp : 1);
  }
  ir_value *number = ir_index_value(&d->at, distribute_lane_offset(d, &writer, &one));
  return ir_compare(&d->at, OP_ARITH_CMPI, IR_EQUAL, d->thread, number);
}

/* Goes on where just one of the lanes that hold an element writes it; returns the place behind that. */
static ir_builder enter_writers(distributor *d, const layout *l) {
  ir_value *condition = writer_condition(d, l);
  ir_builder outside = d->at;
  if (condition)
    d->at = ir_inside(distribute_if(d, condition, NULL), 0);
  return outside;
}

/* What is stored where; `condition` NULL: always. */
typedef struct pending_store {
  ir_value *subscripts[IR_MAX_RANK], *condition, *part;
} pending_store;

static pending_store store_of(access_plan *plan, int64_t reg, ir_value *vector) {
  distributor *d = plan->d;
  pending_store store;
  int64_t *registers = IR_NEW_ARRAY(&d->module->arena, int64_t, plan->run);
  for (int64_t i = 0; i < plan->run; i++)
    registers[i] = reg + i;
  store.condition = subscripts_of(plan, reg, store.subscripts);
  store.part = plan->run == 1 ? distribute_get(d, vector, reg) : distribute_pick(d, vector, plan->run, registers);
  return store;
}

/* Stores under one condition share a branch. */
static void emit_stores(const access_plan *plan, pending_store *stores, int64_t count) {
  distributor *d = plan->d;
  for (int64_t i = 0; i < count; i++) {
    ir_value *condition = stores[i].condition;
    if (!stores[i].part)
      continue;
    ir_builder inside = condition ? ir_inside(distribute_if(d, condition, NULL), 0) : d->at;
    for (int64_t k = i; k < (condition ? count : i + 1); k++)
      if (stores[k].part && stores[k].condition == condition) {
        move(plan, &inside, stores[k].subscripts, stores[k].part);
        stores[k].part = NULL;
      }
    if (!condition)
      d->at = inside;
  }
}

void distribute_store(distributor *d, const layout *l, const lane_access *access, ir_value *vector) {
  d->access += DISTRIBUTE_ACCESS;
  ir_builder outside = enter_writers(d, l);
  access_plan plan = distribute_plan(d, l, access);
  int64_t registers = distribute_registers(l), count = 0;
  pending_store *stores = IR_NEW_ARRAY(&d->module->arena, pending_store, registers);
  for (int64_t r = 0; r < registers; r += plan.run)
    if (distribute_significant(l, LAYOUT_REGISTER, r) == r)
      stores[count++] = store_of(&plan, r, vector);
  emit_stores(&plan, stores, count);
  d->at = outside;
}

static const ir_type *workgroup_type(const distributor *d, ir_scalar element, int64_t size) {
  return ir_type_memref(d->module, element, 1, &size, NULL, 0, IR_SPACE_WORKGROUP);
}

static ir_value *workgroup_memory(distributor *d, ir_scalar element, int64_t size) {
  return ir_create(&d->entry, OP_MEMREF_ALLOCA, workgroup_type(d, element, size), 0, NULL, 0, NULL);
}

ir_value *distribute_place(distributor *d, const ir_op *alloca) {
  const ir_type *type = ir_result(alloca, 0)->type;
  unsigned count;
  const int64_t *swizzle = ir_attr_i64s_of(alloca, DISTRIBUTE_SWIZZLE, &count);
  ir_value *made = ir_result(ir_op_clone(&d->at, alloca, d->lanes), 0);
  if (!swizzle || count < 3)
    return made;
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, type->shape, type->rank * sizeof *shape);
  shape[type->rank - 2] *= shape[type->rank - 1] / swizzle[2];
  shape[type->rank - 1] = swizzle[2];
  made->type = ir_type_memref(d->module, type->element, type->rank, shape, NULL, 0, type->space);
  ir_attr_set(made->op, DISTRIBUTE_SWIZZLE, ir_attr_i64s(d->module, 2, swizzle));
  ir_attr_set(made->op, BOX_ROWS, ir_attr_i64(d->module, type->shape[type->rank - 2]));
  return made;
}

lane_access distribute_memory(distributor *d, ir_scalar element, const layout *whole, const shared_form *form) {
  lane_access access = {0};
  int64_t size = shared_form_scale(form, whole, access.scale);
  access.memref = workgroup_memory(d, element, size);
  return access;
}

lane_access distribute_scratch(distributor *d, ir_scalar element, const layout *whole, const shared_form *form,
                               int64_t *offset) {
  lane_access access = {0};
  int64_t start = offset ? *offset : 0, end = start + shared_form_scale(form, whole, access.scale);
  int64_t unit = LANE_ACCESS_WIDEST * 8 / ir_scalar_bits(element); /* what follows is aligned */
  end = (end + unit - 1) / unit * unit;
  shared_scratch *known = d->scratch;
  while (known && known->memref->type->element != element)
    known = known->next;
  if (!known)
    known = d->scratch = IR_NEW_OF(&d->module->arena, shared_scratch, workgroup_memory(d, element, end), d->scratch);
  if (known->memref->type->shape[0] < end)
    known->memref->type = workgroup_type(d, element, end);
  access.memref = known->memref;
  access.start[0] = ir_index_const(start);
  if (offset)
    *offset = end;
  return access;
}

/* -------------------------------------------------------------------------------------------------------------- ops */

/* The mask of a transfer has the dims of the memory, in order; brought to the vector's layout. */
static ir_value *mask_of(distributor *d, const ir_op *op, unsigned group, const lane_access *access, const layout *l) {
  if (!ir_group_size(op, group))
    return NULL;
  ir_value *mask = ir_group_operand(op, group, 0);
  if (mask->type->kind != IR_TYPE_VECTOR) {
    const ir_type *type = distribute_type(d, IR_I1, distribute_registers(l));
    return ir_unary(&d->at, OP_VECTOR_BROADCAST, distribute_lane(d, mask, NULL), type);
  }
  layout wanted = *l, from = distribute_layout(mask);
  wanted.rank = mask->type->rank;
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit *digit = &wanted.digits[i];
    int memory_dim = access->memory_dim[digit->dim];
    unsigned before = 0;
    for (unsigned dim = 0; dim < l->rank; dim++)
      before += access->memory_dim[dim] >= 0 && access->memory_dim[dim] < memory_dim;
    digit->dim = memory_dim < 0 ? 0 : before;
    if (memory_dim < 0)
      digit->dim_stride = 0;
  }
  return distribute_convert(d, distribute_lane(d, mask, NULL), &from, &wanted, NULL);
}

void distribute_enter(distributor *d, lane_access *access) {
  unsigned rank = access->memref->type->rank;
  access->memref = distribute_lane(d, access->memref, NULL);
  for (unsigned i = 0; i < rank; i++)
    if (access->start[i].value)
      access->start[i] = ir_index_of(distribute_lane(d, access->start[i].value, NULL));
}

/* The access of a transfer whose base is operand `base`, in the new kernel. */
static lane_access access_of(distributor *d, const ir_op *op, unsigned base, const layout *l) {
  lane_access access = lane_access_of(op, base, l->rank);
  access.mask = mask_of(d, op, ir_info_num_groups(ir_op_row(op)) - 1, &access, l);
  distribute_enter(d, &access);
  return access;
}

/* The write to shared memory that takes all there is to this read of global memory; NULL: there is none. */
static const ir_op *copied_by(const ir_op *read) {
  const ir_value *value = ir_result(read, 0);
  const ir_op *write = ir_value_has_one_use(value) ? value->uses->user : NULL;
  return write && write->code == OP_VECTOR_TRANSFER_WRITE && ir_operand(write, 0) == value &&
                 write->block == read->block && ir_attr_get(write, DISTRIBUTE_ASYNC)
             ? write
             : NULL;
}

uint32_t distribute_unseen(const ir_op *read, const lane_access *access) {
  uint32_t unseen = 0;
  for (unsigned dim = 0; dim < ir_result(read, 0)->type->rank; dim++)
    if (access->memory_dim[dim] >= 0 && access->bounded >> access->memory_dim[dim] & 1 && padding_is_unseen(read, dim))
      unseen |= UINT32_C(1) << access->memory_dim[dim];
  return unseen;
}

ir_value *distribute_read_now(distributor *d, const ir_op *op) {
  ir_value *matrices = distribute_read_matrices(d, op);
  if (matrices)
    return matrices;
  layout l = distribute_layout(ir_result(op, 0));
  lane_access access = access_of(d, op, 0, &l);
  access.unseen = distribute_unseen(op, &access);
  return distribute_load(d, &l, &access, distribute_lane(d, ir_group_operand(op, 2, 0), NULL));
}

/* The lanes of each warp wait for each other: what comes next is one access with the write before. */
static void meet_warp(distributor *d) {
  ir_attr_set(ir_op_create(&d->at, OP_GPU_BARRIER, &(ir_op_spec){0}), DISTRIBUTE_WARP, ir_attr_unit(d->module));
  d->access -= DISTRIBUTE_ACCESS;
}

bool distribute_read(distributor *d, const ir_op *op) {
  const ir_value *value = ir_result(op, 0);
  if (ir_attr_get(op, DISTRIBUTE_WARP))
    meet_warp(d);
  if (!copied_by(op) && !distribute_is_deferred(value) && !distribute_is_in_place(d->facts, value) &&
      !distribute_is_late(d, value))
    distribute_set(d, op, distribute_read_now(d, op));
  return true;
}

/* One nvgpu.device_async_copy of `run` elements; zeros where the source is out of bounds. `ahead`: see
 * DISTRIBUTE_AHEAD. */
static void copy_run(access_plan *from, access_plan *to, int64_t reg, int64_t run, bool ahead) {
  distributor *d = from->d;
  int64_t constants[IR_MAX_RANK], bytes = run * ir_scalar_bytes(from->access->memref->type->element);
  ir_value *operands[2 * IR_MAX_RANK + 3], *subscripts[IR_MAX_RANK];
  unsigned count = 0, ranks[2] = {to->access->memref->type->rank, from->access->memref->type->rank};
  ir_value *condition = NULL;
  for (unsigned side = 0; side < 2; side++) {
    access_plan *plan = side ? from : to;
    lane_access_constants(plan->access, plan->layout, reg, constants);
    condition = distribute_subscripts(plan, constants, subscripts);
    operands[count++] = plan->access->memref;
    memcpy(operands + count, subscripts, ranks[side] * sizeof *subscripts);
    count += ranks[side];
  }
  if (condition) {
    ir_value *all = ir_const_index(&d->at, run), *none = ir_const_index(&d->at, 0);
    operands[count++] = ir_select(&d->at, condition, all, none);
  }
  ir_named_attr attrs[] = {{"dstElements", ir_attr_int(d->module, ir_type_index(d->module), run)},
                           {"bypassL1", ir_attr_unit(d->module)}};
  ir_op_spec spec = {.operands = operands,
                     .num_operands = count,
                     .groups = {1, ranks[0], 1, ranks[1], condition != NULL},
                     .num_results = 1,
                     .attrs = attrs,
                     .num_attrs = bytes == LANE_ACCESS_WIDEST ? 2 : 1};
  ir_op *copy = ir_op_create(&d->at, OP_NVGPU_DEVICE_ASYNC_COPY, &spec);
  copy->mark = d->access;
  if (ahead)
    ir_attr_set(copy, DISTRIBUTE_AHEAD, ir_attr_unit(d->module));
}

/* A tile on its way from global to shared memory: asynchronous where pieces of at least a word can be copied, which
 * leave zeros out of bounds; else through registers. */
static void copy_tile(distributor *d, const ir_op *read, const ir_op *write) {
  layout l = distribute_layout(ir_result(read, 0));
  lane_access from = access_of(d, read, 0, &l), to = access_of(d, write, 1, &l);
  ir_value *padding = ir_group_operand(read, 2, 0);
  int64_t run = lane_access_copy_run(&from, &to, &l, padding);
  if (!run) {
    distribute_store(d, &l, &to, distribute_load(d, &l, &from, distribute_lane(d, padding, NULL)));
    return;
  }
  d->access += DISTRIBUTE_ACCESS;
  ir_builder outside = enter_writers(d, &l);
  access_plan source = distribute_plan(d, &l, &from), target = distribute_plan(d, &l, &to);
  for (int64_t r = 0; r < distribute_registers(&l); r += run)
    if (distribute_significant(&l, LAYOUT_REGISTER, r) == r)
      copy_run(&source, &target, r, run, ir_attr_get(write, DISTRIBUTE_AHEAD) != NULL);
  d->at = outside;
}

bool distribute_write(distributor *d, const ir_op *op) {
  const ir_op *read = ir_made_by(ir_operand(op, 0), OP_VECTOR_TRANSFER_READ);
  if (read && copied_by(read) == op) {
    copy_tile(d, read, op);
    return true;
  }
  layout l = distribute_layout(ir_operand(op, 0));
  lane_access access = access_of(d, op, 1, &l);
  distribute_store(d, &l, &access, distribute_lane(d, ir_operand(op, 0), NULL));
  return true;
}
