/* distribute_reduction.c - reductions for one lane.
 *
 * A reduction combines the registers of each lane, then lanes by butterflies, then folds the accumulator in, last: it
 * is held by all lanes. Where warps, or a number of lanes that is no power of two, hold parts, the parts of each lane
 * become registers of all through a conversion, and the reduction goes on there.
 * Terminates: loops over registers and dims; a reduction is started again once a dim at most. */
#include "passes/distribute.h"

#include <string.h>

/* Products are rounded before anything is subtracted from them: all that is computed with a result takes the same
 * number, as e^(x - m) does, where m is the largest x. */
static ir_value *combine_two(distributor *d, ir_opcode combine, ir_value *first, ir_value *second) {
  ir_value *value = ir_binary(&d->at, combine, first, second);
  if (combine == OP_ARITH_MULF)
    ir_attr_set(value->op, PASS_ROUNDED, ir_attr_unit(d->module));
  return value;
}

/* Combines list[0 .. count) pairwise, always neighbours: so values that come one after the other can go like that,
 * too. */
static ir_value *combine_all(distributor *d, ir_opcode combine, int64_t count, ir_value **list) {
  for (; count > 1; count = (count + 1) / 2)
    for (int64_t i = 0; i < (count + 1) / 2; i++)
      list[i] = 2 * i + 1 < count ? combine_two(d, combine, list[2 * i], list[2 * i + 1]) : list[2 * i];
  return list[0];
}

/* The registers of `l` that lie along `dims`, a set, combined: one for each register of *projected, which is `l`
 * without the dims. */
static ir_value **combine_registers(distributor *d, ir_value *vector, const layout *l, uint32_t dims, ir_opcode combine,
                                    layout *projected) {
  int64_t registers = distribute_registers(l), coord[LAYOUT_MAX_RANK], wanted[LAYOUT_MAX_RANK];
  ir_value **list = IR_NEW_ARRAY(&d->module->arena, ir_value *, registers);
  *projected = *l;
  for (unsigned dim = l->rank; dim-- > 0;)
    if (dims & ir_bit(dim))
      *projected = layout_project(projected, dim);
  ir_value **result = IR_NEW_ARRAY(&d->module->arena, ir_value *, distribute_registers(projected));
  for (int64_t p = 0; p < distribute_registers(projected); p++) {
    int64_t count = 0;
    distribute_coord(projected, p, wanted);
    for (int64_t r = 0; r < registers; r++) {
      distribute_coord(l, r, coord);
      if (distribute_find(l, coord) != r)
        continue; /* a replica */
      unsigned kept = 0;
      for (unsigned dim = 0; dim < l->rank; dim++)
        if (!(dims & ir_bit(dim)))
          coord[kept++] = coord[dim];
      if (!memcmp(coord, wanted, kept * sizeof *coord))
        list[count++] = distribute_get(d, vector, r);
    }
    result[p] = combine_all(d, combine, count, list);
  }
  return result;
}

/* The value of the lane whose number differs by `offset` in exclusive or. */
static ir_value *other_lane(distributor *d, ir_value *value, int64_t offset) {
  ir_value *lane = ir_const(&d->at, ir_type_scalar(d->module, IR_I32), (double)offset);
  return distribute_exchange(d, value, "shuffle_mode xor", lane);
}

/* The op that combines f32 values of all lanes of a warp; NULL: none. What it gives is known to be the same in all
 * lanes, where compilers can keep it once. */
static const char *subgroup_reduction(const distributor *d, ir_opcode combine, ir_scalar element) {
  static const struct {
    ir_opcode combine;
    const char *word;
  } rows[] = {{OP_ARITH_ADDF, "all_reduce_op add"},
              {OP_ARITH_MAXNUMF, "all_reduce_op maxnumf"},
              {OP_ARITH_MINNUMF, "all_reduce_op minnumf"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows && d->facts->has_subgroup_reduce && element == IR_F32; i++)
    if (rows[i].combine == combine)
      return rows[i].word;
  return NULL;
}

/* Does `dim` lie across warps, or across lanes that no butterfly reaches? */
static bool beyond_butterflies(const layout *l, unsigned dim) {
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    bool lanes = digit->level == LAYOUT_LANE && !(digit->size & (digit->size - 1)) &&
                 !(digit->hardware_stride & (digit->hardware_stride - 1));
    if (digit->dim == dim && digit->dim_stride && digit->level != LAYOUT_REGISTER && !lanes)
      return true;
  }
  return false;
}

/* `l` without registers along `dim` (the rest of the dim closes up), and the same with all of it in registers. */
static void gathered_layouts(const layout *l, unsigned dim, layout *parts, layout *gathered) {
  layout projected = layout_project(l, dim);
  *parts = layout_insert_dim(&projected, dim);
  *gathered = *parts;
  int64_t extent = 1;
  layout ordered = layout_coalesce(l); /* by dim stride */
  for (unsigned i = 0; i < ordered.num_digits; i++) {
    layout_digit digit = ordered.digits[i];
    if (digit.dim != dim || !digit.dim_stride || digit.level == LAYOUT_REGISTER)
      continue;
    digit.dim_stride = extent;
    extent *= digit.size;
    parts->digits[parts->num_digits++] = digit;
  }
  gathered->digits[gathered->num_digits++] =
      (layout_digit){LAYOUT_REGISTER, dim, extent, distribute_registers(parts), 1};
}

static ir_value *reduce_subgroup(distributor *d, ir_value *value, ir_opcode combine) {
  const char *word = subgroup_reduction(d, combine, value->type->element);
  ir_named_attr attr = {"op", ir_attr_keyword(d->module, "gpu", word)};
  return ir_create(&d->at, OP_GPU_SUBGROUP_REDUCE, value->type, 1, &value, 1, &attr);
}

/* Reduces `dim` away; *l becomes the layout of the result. */
static ir_value *reduce_dim(distributor *d, ir_value *vector, layout *l, unsigned dim, ir_opcode combine) {
  ir_scalar element = vector->type->element;
  layout projected;
  ir_value **result = combine_registers(d, vector, l, ir_bit(dim), combine, &projected);
  int64_t registers = distribute_registers(&projected), offsets[LAYOUT_MAX_DIGITS * 8];
  if (beyond_butterflies(l, dim)) {
    layout parts, gathered;
    gathered_layouts(l, dim, &parts, &gathered);
    vector = distribute_convert(d, distribute_pack(d, element, registers, result), &parts, &gathered, NULL);
    *l = gathered;
    return reduce_dim(d, vector, l, dim, combine);
  }
  unsigned count = layout_butterflies(l, dim, offsets);
  bool whole = INT64_C(1) << count == d->warp && subgroup_reduction(d, combine, element);
  for (int64_t r = 0; r < registers && whole; r++)
    result[r] = reduce_subgroup(d, result[r], combine);
  for (unsigned i = 0; i < count && !whole; i++)
    for (int64_t r = 0; r < registers; r++)
      result[r] = combine_two(d, combine, result[r], other_lane(d, result[r], offsets[i]));
  *l = projected;
  return distribute_pack(d, element, registers, result);
}

/* Reduces dims away of which each lane has all it needs, together, so that one result follows the other; *l becomes the
 * layout of the result. */
static ir_value *reduce_within(distributor *d, ir_value *vector, layout *l, uint32_t dims, ir_opcode combine) {
  layout projected;
  ir_value **result = combine_registers(d, vector, l, dims, combine, &projected);
  *l = projected;
  return distribute_pack(d, vector->type->element, distribute_registers(l), result);
}

static bool is_within_lanes(const layout *l, unsigned dim) {
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].dim == dim && l->digits[i].dim_stride && l->digits[i].level != LAYOUT_REGISTER)
      return false;
  return true;
}

bool distribute_reduction(distributor *d, const ir_op *op) {
  ir_value *source = ir_operand(op, 0), *result = ir_result(op, 0);
  layout l = distribute_layout(source), wanted = {0};
  ir_opcode combine = ir_combine_of(op);
  uint32_t reduced = ir_attr_set_of(op, "reduction_dims"), within = 0;
  for (unsigned dim = 0; dim < l.rank; dim++)
    within |= reduced >> dim & 1 && is_within_lanes(&l, dim) ? ir_bit(dim) : 0;
  uint32_t across = reduced & ~within;
  ir_value *value = distribute_lane(d, source, NULL), *acc = distribute_lane(d, ir_operand(op, 1), NULL);
  unsigned rank = l.rank;
  if (within)
    value = reduce_within(d, value, &l, within, combine);
  for (unsigned dim = rank; dim-- > 0;)
    if (across & ir_bit(dim))
      value = reduce_dim(d, value, &l, dim - (unsigned)__builtin_popcount(within & (ir_bit(dim) - 1)), combine);
  if (result->type->kind != IR_TYPE_VECTOR) {
    distribute_set(d, op, combine_two(d, combine, distribute_get(d, value, 0), acc));
    return true;
  }
  wanted = distribute_layout(result);
  value = distribute_convert(d, value, &l, &wanted, NULL);
  acc = distribute_lane(d, ir_operand(op, 1), &wanted);
  distribute_set(d, op, combine_two(d, combine, value, acc));
  return true;
}
