/* distribute_register.c - ops that only bring elements elsewhere: to other registers, other lanes, other coordinates.
 *
 * All of them are one: each register of the result wants an element of the operand, named by its coordinates there. So
 * an op is described by the layout that its result has in terms of its operand's coordinates, where an operand that is
 * repeated has digits of stride 0, and distribute_convert does the rest: in registers, by shuffles or in shared memory,
 * the first that suffices.
 * Terminates: all loops are over digits, dims and registers. */
#include "passes/distribute.h"

#include <string.h>

enum { SHARED_PART = 4 /* a vector that takes more than this part of shared memory is not padded there */ };

/* ------------------------------------------------------------------------------------------------------ coordinates */

int64_t distribute_registers(const layout *l) { return layout_size(l, LAYOUT_REGISTER); }

void distribute_coord(const layout *l, int64_t reg, int64_t *coord) {
  int64_t hardware[LAYOUT_NUM_LEVELS] = {[LAYOUT_REGISTER] = reg};
  layout_eval(l, hardware, coord);
}

int64_t distribute_find(const layout *l, const int64_t *coord) {
  int64_t hardware[LAYOUT_NUM_LEVELS], found[LAYOUT_MAX_RANK];
  layout_invert(l, coord, hardware);
  if (hardware[LAYOUT_REGISTER] >= distribute_registers(l))
    return -1;
  distribute_coord(l, hardware[LAYOUT_REGISTER], found);
  return memcmp(found, coord, l->rank * sizeof *coord) ? -1 : hardware[LAYOUT_REGISTER];
}

int64_t distribute_significant(const layout *l, layout_level level, int64_t index) {
  int64_t result = 0;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level == level && digit->dim_stride)
      result += layout_position(digit, index) * digit->hardware_stride;
  }
  return result;
}

/* The part of those levels, a set of bits. */
static layout part_of(const layout *l, unsigned levels) {
  layout part = {.rank = l->rank};
  for (unsigned i = 0; i < l->num_digits; i++)
    if (levels >> l->digits[i].level & 1 && l->digits[i].dim_stride)
      part.digits[part.num_digits++] = l->digits[i];
  return part;
}

layout distribute_lane_part(const layout *l) { return part_of(l, ~ir_bit(LAYOUT_REGISTER)); }

layout distribute_level_part(const layout *l, layout_level level) { return part_of(l, ir_bit(level)); }

ir_index distribute_lane_offset(distributor *d, const layout *l, const int64_t *scale) {
  ir_module *module = d->module;
  const ir_expr *sum = ir_expr_const(module, 0), *thread = ir_expr_dim(module, 0);
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level == LAYOUT_REGISTER || !digit->dim_stride || !scale[digit->dim])
      continue;
    int64_t unit = digit->hardware_stride * (digit->level == LAYOUT_WARP ? d->warp : 1);
    const ir_expr *value = ir_expr_by(module, IR_EXPR_FLOORDIV, thread, unit);
    if (unit * digit->size < d->threads) /* the top digit needs no mod */
      value = ir_expr_by(module, IR_EXPR_MOD, value, digit->size);
    value = ir_expr_by(module, IR_EXPR_MUL, value, digit->dim_stride * scale[digit->dim]);
    sum = ir_expr_binary(module, IR_EXPR_ADD, sum, value);
  }
  ir_index dims[] = {{.value = d->thread}};
  return ir_index_apply(&d->at, sum, 1, dims);
}

/* The coordinate along `dim` in each register, as a vector of index. */
static ir_value *coordinates_of(distributor *d, const layout *l, unsigned dim) {
  int64_t registers = distribute_registers(l), scale[LAYOUT_MAX_RANK] = {0}, coord[LAYOUT_MAX_RANK];
  ir_cell *constants = IR_NEW_ARRAY(&d->module->arena, ir_cell, registers);
  for (int64_t r = 0; r < registers; r++) {
    distribute_coord(l, r, coord);
    constants[r].i = coord[dim];
  }
  const ir_type *type = distribute_type(d, IR_INDEX, registers);
  ir_value *steps = ir_constant(&d->at, type, ir_attr_dense(d->module, type, (unsigned)registers, constants));
  scale[dim] = 1;
  ir_value *offset = ir_index_value(&d->at, distribute_lane_offset(d, l, scale));
  return ir_binary(&d->at, OP_ARITH_ADDI, ir_unary(&d->at, OP_VECTOR_BROADCAST, offset, type), steps);
}

/* -------------------------------------------------------------------------------------------------------- registers */

ir_value *distribute_get(distributor *d, ir_value *vector, int64_t reg) { return ir_vector_row(&d->at, vector, reg); }

ir_value *distribute_pack(distributor *d, ir_scalar element, int64_t count, ir_value *const *registers) {
  const ir_type *type = distribute_type(d, element, count);
  return ir_create(&d->at, OP_VECTOR_FROM_ELEMENTS, type, (unsigned)count, registers, 0, NULL);
}

ir_value *distribute_pick(distributor *d, ir_value *vector, int64_t count, const int64_t *registers) {
  bool consecutive = true;
  for (int64_t r = 1; r < count; r++)
    consecutive &= registers[r] == registers[0] + r;
  if (consecutive && count == vector->type->shape[0])
    return vector;
  if (consecutive)
    return ir_vector_slice(&d->at, vector, registers[0], count);
  ir_value **sources = IR_NEW_ARRAY(&d->module->arena, ir_value *, vector->type->shape[0]);
  ir_value **picked = IR_NEW_ARRAY(&d->module->arena, ir_value *, count);
  memset(sources, 0, (size_t)vector->type->shape[0] * sizeof *sources);
  for (int64_t r = 0; r < count; r++) {
    ir_value **source = &sources[registers[r]];
    if (!*source)
      *source = distribute_get(d, vector, registers[r]);
    picked[r] = *source;
  }
  return distribute_pack(d, vector->type->element, count, picked);
}

/* ------------------------------------------------------------------------------------------------------- conversion */

/* Which register of `from` holds what each register of `to` wants, `start` further; false where it is in another
 * lane. */
static bool registers_within_lane(const layout *from, const layout *to, const int64_t *start, int64_t *registers) {
  layout a = distribute_lane_part(from), b = distribute_lane_part(to);
  int64_t coord[LAYOUT_MAX_RANK];
  if (!layout_equal(&a, &b))
    return false;
  for (int64_t r = 0; r < distribute_registers(to); r++) {
    distribute_coord(to, r, coord);
    for (unsigned dim = 0; dim < to->rank; dim++)
      coord[dim] += start[dim];
    registers[r] = distribute_find(from, coord);
    if (registers[r] < 0)
      return false;
  }
  return true;
}

/* The 1-D memory begins at that coordinate of `count` dims. */
static void move_start(distributor *d, lane_access *memory, unsigned count, const ir_index *start) {
  for (unsigned dim = 0; dim < count; dim++)
    memory->start[0] = ir_index_add(&d->at, memory->start[0], ir_index_scale(&d->at, start[dim], memory->scale[dim]));
}

ir_value *distribute_convert(distributor *d, ir_value *vector, const layout *from, const layout *to,
                             const ir_index *start) {
  int64_t constants[LAYOUT_MAX_RANK] = {0}, count = distribute_registers(to);
  int64_t *registers = IR_NEW_ARRAY(&d->module->arena, int64_t, count);
  bool known = true;
  for (unsigned dim = 0; start && dim < to->rank; dim++) {
    known &= !start[dim].value;
    constants[dim] = start[dim].constant;
  }
  if (known && registers_within_lane(from, to, constants, registers))
    return distribute_pick(d, vector, count, registers);
  ir_value *shuffled = known ? distribute_shuffle(d, vector, from, to, constants) : NULL;
  if (shuffled)
    return shuffled;
  const shared_use uses[] = {{.l = from, .times = 1, .writes = true}, {.l = to, .times = 1}};
  ir_scalar element = vector->type->element;
  int64_t room = (int64_t)d->facts->shared_bytes / SHARED_PART * 8 / ir_scalar_bits(element);
  shared_form form = shared_form_choose(&(shared_vector){.whole = from,
                                                         .bits = ir_scalar_bits(element),
                                                         .warp = (unsigned)d->warp,
                                                         .room = room,
                                                         .whole_dim = start ? SHARED_FORM_ALL : -1},
                                        uses);
  lane_access memory = distribute_scratch(d, element, from, &form, NULL);
  layout stored, loaded;
  shared_form_layout(&form, from, &stored);
  shared_form_layout(&form, to, &loaded);
  distribute_store(d, &stored, &memory, vector);
  if (start)
    move_start(d, &memory, to->rank, start);
  return distribute_load(d, &loaded, &memory, NULL);
}

bool distribute_to_layout(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  distribute_set(d, op, distribute_lane(d, ir_operand(op, 0), &l));
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Converts operand 0 to the result's layout, given in the operand's coordinates. */
static bool convert_operand(distributor *d, const ir_op *op, const layout *wanted, const ir_index *start) {
  ir_value *source = ir_operand(op, 0);
  layout from = distribute_layout(source);
  distribute_set(d, op, distribute_convert(d, distribute_lane(d, source, NULL), &from, wanted, start));
  return true;
}

bool distribute_broadcast(distributor *d, const ir_op *op) {
  ir_value *source = ir_operand(op, 0), *result = ir_result(op, 0);
  layout l = distribute_layout(result);
  if (source->type->kind != IR_TYPE_VECTOR) {
    const ir_type *type = distribute_type(d, result->type->element, distribute_registers(&l));
    distribute_set(d, op, ir_unary(&d->at, OP_VECTOR_BROADCAST, distribute_lane(d, source, NULL), type));
    return true;
  }
  unsigned added = l.rank - source->type->rank;
  for (unsigned i = 0; i < l.num_digits; i++) {
    layout_digit *digit = &l.digits[i];
    bool repeated = digit->dim < added || source->type->shape[digit->dim - added] == 1;
    digit->dim = digit->dim < added ? 0 : digit->dim - added;
    if (repeated)
      digit->dim_stride = 0;
  }
  l.rank -= added;
  return convert_operand(d, op, &l, NULL);
}

bool distribute_transpose(distributor *d, const ir_op *op) {
  return distribute_is_late(d, ir_result(op, 0)) || distribute_transpose_now(d, op);
}

bool distribute_transpose_now(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  const int64_t *permutation = ir_attr_i64s_of(op, "permutation", NULL);
  for (unsigned i = 0; i < l.num_digits; i++)
    l.digits[i].dim = (unsigned)permutation[l.digits[i].dim];
  return convert_operand(d, op, &l, NULL);
}

/* All dims as one, row-major. */
static layout flatten(layout l) {
  while (l.rank > 1)
    l = layout_collapse(&l, l.rank - 2);
  return l;
}

bool distribute_shape_cast(distributor *d, const ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  layout from = flatten(distribute_layout(source)), to = flatten(distribute_layout(ir_result(op, 0)));
  distribute_set(d, op, distribute_convert(d, distribute_lane(d, source, NULL), &from, &to, NULL));
  return true;
}

/* All rows of the value, along its first dim, are the same one. */
static bool repeats_row(const ir_value *value) {
  const ir_op *op = value->op;
  ir_cell splat;
  while (op && op->code == OP_VECTOR_EXT_TO_LAYOUT) {
    value = ir_operand(op, 0);
    op = value->op;
  }
  if (ir_value_splat(value, &splat))
    return true;
  return op && op->code == OP_VECTOR_BROADCAST &&
         (ir_operand(op, 0)->type->kind != IR_TYPE_VECTOR || ir_operand(op, 0)->type->rank < value->type->rank);
}

/* The value is a product of such rows, all with the same factor. */
static bool is_product_of_row(const ir_value *value) {
  const ir_op *op = ir_made_by(value, OP_VECTOR_CONTRACT);
  if (!op || ir_operand(op, 0)->type->kind != IR_TYPE_VECTOR)
    return false;
  unsigned row = (unsigned)ir_map_result_dim(ir_contract_map(op, 2), 0);
  return ir_map_find_dim(ir_contract_map(op, 0), row) == 0 && ir_map_find_dim(ir_contract_map(op, 1), row) < 0 &&
         repeats_row(ir_operand(op, 0)) && repeats_row(ir_operand(op, 2));
}

/* The row that each lane holds some of; *l becomes its layout. */
static ir_value *own_row(distributor *d, ir_value *vector, layout *l) {
  layout row = layout_project(l, 0);
  int64_t count = distribute_registers(&row), *registers = IR_NEW_ARRAY(&d->module->arena, int64_t, count);
  for (int64_t r = 0; r < count; r++) {
    int64_t coord[LAYOUT_MAX_RANK + 1] = {0};
    distribute_coord(&row, r, coord + 1);
    registers[r] = distribute_find(l, coord);
  }
  *l = row;
  return distribute_pick(d, vector, count, registers);
}

bool distribute_extract(distributor *d, const ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  if (ir_result(op, 0)->type->kind == IR_TYPE_VECTOR && ir_result(op, 0)->type->rank + 1 == source->type->rank &&
      is_product_of_row(source)) {
    layout have = distribute_layout(source), wanted = distribute_layout(ir_result(op, 0));
    ir_value *row = own_row(d, distribute_lane(d, source, NULL), &have);
    distribute_set(d, op, distribute_convert(d, row, &have, &wanted, NULL));
    return true;
  }
  ir_index start[LAYOUT_MAX_RANK] = {{0}};
  bool scalar = ir_result(op, 0)->type->kind != IR_TYPE_VECTOR;
  layout l = {0};
  if (!scalar)
    l = distribute_layout(ir_result(op, 0));
  unsigned leading;
  ir_attr_i64s_of(op, "static_position", &leading);
  for (unsigned i = 0; i < leading; i++) {
    start[i] = ir_mixed(op, 1, "static_position", i);
    if (start[i].value)
      start[i].value = distribute_lane(d, start[i].value, NULL);
  }
  for (unsigned i = 0; i < l.num_digits; i++)
    l.digits[i].dim += leading;
  l.rank += leading;
  convert_operand(d, op, &l, start);
  if (scalar)
    distribute_set(d, op, distribute_get(d, ir_value_map_get(d->lanes, ir_result(op, 0)), 0));
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ masks */

bool distribute_step(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  distribute_set(d, op, coordinates_of(d, &l, 0));
  return true;
}

bool distribute_create_mask(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  ir_value *mask = NULL;
  for (unsigned dim = 0; dim < l.rank; dim++) {
    ir_value *coordinates = coordinates_of(d, &l, dim);
    ir_value *bound =
        ir_unary(&d->at, OP_VECTOR_BROADCAST, distribute_lane(d, ir_operand(op, dim), NULL), coordinates->type);
    ir_value *below = ir_compare(&d->at, OP_ARITH_CMPI, IR_SIGNED_LESS, coordinates, bound);
    mask = mask ? ir_binary(&d->at, OP_ARITH_ANDI, mask, below) : below;
  }
  distribute_set(d, op, mask);
  return true;
}
