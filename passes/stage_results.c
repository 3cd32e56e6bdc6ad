/* stage_results.c - part of the pass "stage": results go out in whole lines.
 *
 * A lane of a matrix unit has two neighbours of a row, four lanes eight of them: of 16-bit results that is half a
 * sector, in eight rows at once. So where a write would touch less than a sector of a row at once, the lanes of each
 * warp first exchange what they have, until each has 16 bytes and neighbouring lanes have the next ones. That goes
 * through shared memory: each piece of a lane is stored there, and a quarter as many come back. By shuffles, each piece
 * would take one and three selects.
 *
 * By then nobody needs the tiles of factors any more, so the result lies where one of them was. A result is as large as
 * the queries of attention, and mostly smaller than the stages of a product. Where there is no such place the memory is
 * new, if there is room.
 *
 * All of this is ordinary IR: a view of the place, a write, a read in the other layout with `tec.warp`, as lanes read
 * nothing but what their own warp wrote, and the write that was there before.
 *
 * Invariants
 *  - A warp has the same elements in both layouts.
 *  - Only writes in the kernel's own block are changed, behind all that uses the place. No copies are on their way
 *    there by then: loops copy ahead only for iterations that take place, and wait for them.
 * Terminates: loops over the ops of a block, uses, dims and digits. */
#include "passes/stage.h"

#include "passes/alignment.h"
#include "passes/distribute.h"

#include <string.h>

/* Of a lane to global memory: fewer are not worth the barriers. */
enum { LEAST_ACCESSES = 4 };

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Takes the inner part of a digit, of that size, for the next lanes or registers. */
static void take(layout *l, layout_level level, layout_digit *digit, int64_t size, int64_t *count) {
  if (size > 1)
    l->digits[l->num_digits++] = (layout_digit){level, digit->dim, size, *count, digit->dim_stride};
  digit->dim_stride *= size;
  digit->size /= size;
  *count *= size;
}

/* What each warp has of a vector in other lanes: each has `run` neighbours of the last dim, lanes have the next ones
 * side by side, then those of the dims before. False where there are not as many, or replicas. */
static bool spread_in_warps(const layout *from, int64_t run, int64_t warp, layout *to) {
  layout have = layout_coalesce(from);
  int64_t registers = 1, lanes = 1;
  *to = (layout){.rank = from->rank, .fragment = run};
  for (unsigned i = 0; i < have.num_digits; i++) {
    if (!have.digits[i].dim_stride || 3 * have.num_digits + to->num_digits > LAYOUT_MAX_DIGITS)
      return false;
    if (have.digits[i].level > LAYOUT_LANE)
      to->digits[to->num_digits++] = have.digits[i];
  }
  for (unsigned dim = have.rank; dim-- > 0;)
    for (unsigned i = 0; i < have.num_digits; i++) { /* by dim stride */
      layout_digit digit = have.digits[i];
      if (digit.dim != dim || digit.level > LAYOUT_LANE)
        continue;
      if (registers < run)
        take(to, LAYOUT_REGISTER, &digit, alignment_power(digit.size, run / registers), &registers);
      if (registers < run && (digit.size > 1 || dim + 1 < have.rank))
        return false;
      take(to, LAYOUT_LANE, &digit, alignment_power(digit.size, warp / lanes), &lanes);
      take(to, LAYOUT_REGISTER, &digit, digit.size, &registers);
    }
  *to = layout_coalesce(to);
  return registers >= run && lanes == warp;
}

/* A result on its way. */
typedef struct result {
  ir_op *write;
  const ir_type *vector;
  layout lines;         /* who writes it */
  layout_shared shared; /* how it lies in shared memory .. */
  int64_t count;        /* .. as so many elements */
} result;

/* In the usual order of chunks, or with as much padding as it takes for nobody to wait. */
static void choose_form(result *r, const anchor_lanes *lanes, const layout *own) {
  int64_t bits = ir_scalar_bits(r->vector->element), row = r->vector->shape[r->vector->rank - 1] * bits / 8;
  int64_t least = INT64_MAX;
  for (int64_t padding = -1; padding < STAGE_MAX_PADDING && least; padding++) {
    layout_shared shared =
        padding < 0 ? layout_shared_choose(row) : (layout_shared){.pitch = row + padding * LAYOUT_CHUNK};
    int64_t extra =
        stage_extra_wavefronts(lanes, &shared, own, bits) + stage_extra_wavefronts(lanes, &shared, &r->lines, bits);
    if (extra >= least)
      continue;
    least = extra;
    r->shared = shared;
  }
  r->count = ir_type_num_elements(r->vector) / (row * 8 / bits) * (r->shared.pitch * 8 / bits);
}

/* Fills in a result; false where the write is better off as it is. */
static bool find_result(ir_op *write, const anchor_lanes *lanes, result *r) {
  const ir_type *type = ir_operand(write, 0)->type, *memory = ir_operand(write, 1)->type;
  if (type->kind != IR_TYPE_VECTOR || type->rank < 2 || memory->kind != IR_TYPE_MEMREF ||
      memory->space != IR_SPACE_GLOBAL || ir_scalar_bits(type->element) < 8 || ir_group_size(write, 3))
    return false;
  int64_t bytes = ir_scalar_bytes(type->element), run = LAYOUT_CHUNK / bytes;
  layout own = distribute_layout(ir_operand(write, 0)), *lines = &r->lines;
  lane_access access = lane_access_of(write, 1, type->rank);
  if (!lane_access_in_order(&access, type->rank) || type->shape[type->rank - 1] * bytes % LAYOUT_CHUNK ||
      lane_access_at_once(&access, &own) >= STAGE_SECTOR)
    return false;
  while (run > 1 && !(spread_in_warps(&own, run, lanes->warp, lines) && lane_access_run(&access, lines) == run))
    run /= 2;
  if (!spread_in_warps(&own, run, lanes->warp, lines) || lane_access_at_once(&access, lines) < STAGE_SECTOR ||
      distribute_registers(lines) / run < LEAST_ACCESSES)
    return false;
  r->write = write;
  r->vector = type;
  choose_form(r, lanes, &own);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- places */

/* Does nothing from `write` on use the memory? */
static bool is_free(ir_op *alloca, ir_op *write) {
  bool all = true;
  for (const ir_use *use = ir_result(alloca, 0)->uses; use && all; use = use->next)
    all = ir_op_is_before(ir_op_ancestor_in(use->user, write->block), write);
  return all;
}

/* Shared memory for so many elements that is free at the write; NULL: none. */
static ir_value *find_place(ir_op *write, ir_scalar element, int64_t count) {
  for (ir_op *op = write->block->first; op != write; op = op->next) {
    const ir_type *type = op->code == OP_MEMREF_ALLOCA ? ir_result(op, 0)->type : NULL;
    if (type && type->space == IR_SPACE_WORKGROUP && type->element == element && ir_type_num_elements(type) >= count &&
        is_free(op, write))
      return ir_result(op, 0);
  }
  return NULL;
}

/* The first elements of a place as memory of that shape, row-major. */
static ir_value *view_place(ir_builder *builder, ir_value *place, unsigned rank, const int64_t *shape) {
  int64_t all = ir_type_num_elements(place->type), count = 1;
  for (unsigned dim = 0; dim < rank; dim++)
    count *= shape[dim];
  const ir_type *type = ir_type_memref(builder->module, place->type->element, 1, &all, NULL, 0, IR_SPACE_WORKGROUP);
  ir_value *view = ir_collapse(builder, place, type, &(unsigned){place->type->rank});
  ir_index start = ir_index_const(0), size = ir_index_const(count);
  if (count < all)
    view = ir_subview(builder, view, &start, &size);
  return ir_rows_of(builder, view, rank, shape);
}

/* ----------------------------------------------------------------------------------------------------------- writes */

/* Memory for the result, free from the builder's place on; NULL: there is none. */
static ir_value *make_memory(ir_builder *builder, const result *r, int64_t *room) {
  ir_module *module = builder->module;
  const ir_type *vector = r->vector;
  int64_t bytes = ir_scalar_bytes(vector->element), shape[IR_MAX_RANK];
  const int64_t swizzle[] = {r->shared.shift, r->shared.mask};
  ir_value *place = find_place(r->write, vector->element, r->count), *memory;
  memcpy(shape, vector->shape, vector->rank * sizeof *shape);
  shape[vector->rank - 1] = r->shared.pitch / bytes;
  if (!place && r->count * bytes > *room)
    return NULL;
  if (place) {
    memory = view_place(builder, place, vector->rank, shape);
  } else {
    ir_builder entry = ir_builder_before(r->write->block->first);
    const ir_type *type = ir_type_memref(module, vector->element, vector->rank, shape, NULL, 0, IR_SPACE_WORKGROUP);
    memory = ir_create(&entry, OP_MEMREF_ALLOCA, type, 0, NULL, 0, NULL);
    *room -= r->count * bytes;
  }
  if (r->shared.mask)
    ir_attr_set(memory->op, DISTRIBUTE_SWIZZLE, ir_attr_i64s(module, 2, swizzle));
  return memory;
}

/* Brings what is written into its lines, if there is memory for that. */
static void write_lines(const result *r, int64_t *room) {
  ir_value *value = ir_operand(r->write, 0), *indices[IR_MAX_RANK];
  ir_builder builder = ir_builder_before(r->write);
  ir_value *memory = make_memory(&builder, r, room);
  if (!memory)
    return;
  for (unsigned dim = 0; dim < r->vector->rank; dim++)
    indices[dim] = ir_const_index(&builder, 0);
  ir_transfer(&builder, OP_VECTOR_TRANSFER_WRITE, r->vector, value, memory, indices, NULL, NULL);
  ir_op *read = ir_transfer(&builder, OP_VECTOR_TRANSFER_READ, r->vector, NULL, memory, indices, NULL, NULL);
  distribute_set_layout(read, 0, &r->lines);
  ir_attr_set(read, DISTRIBUTE_WARP, ir_attr_unit(builder.module));
  ir_set_operand(r->write, 0, ir_result(read, 0));
}

void stage_results(ir_op *kernel, const anchor_lanes *lanes, int64_t room) {
  result r;
  for (ir_op *op = ir_region(kernel, 0)->first; op; op = op->next)
    if (op->code == OP_VECTOR_TRANSFER_WRITE && find_result(op, lanes, &r))
      write_lines(&r, &room);
}
