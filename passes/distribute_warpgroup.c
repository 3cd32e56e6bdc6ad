/* distribute_warpgroup.c - contractions by groups of four warps, which read factors from shared memory by themselves.
 *
 * A warpgroup multiplies 64 rows by up to 256 columns: each of its warps has 16 neighbouring rows, in the layout of
 * mma.sync's fragments side by side. So what layouts say of fragments stays true, and where the right factor lies in
 * shared memory as the hardware wants it (stage.c), one op multiplies all that a lane has of 64 rows, along all of the
 * reduction (vector_ext.warpgroup_mma). The left factor is in the lanes' registers, or there as well.
 *
 * ptxas (13.0) takes the registers of a left factor to be free behind a product: where a loop had them from before it,
 * later iterations multiplied what else they held by then. So they must be made anew for each product, and be used by
 * no other; else fragments are multiplied one by one.
 * Terminates: loops over fragments, and a bounded number of steps upwards. */
#include "passes/fragments.h"

#include <string.h>

enum { GROUP = 4, WARP_ROWS = 16, GROUP_ROWS = GROUP * WARP_ROWS, MOST_COLUMNS = 256, DEPTH = 16, TILE_COLUMNS = 8 };

/* A product on its way to the groups. */
typedef struct group_product {
  distributor *d;
  const ir_op *op;
  const fragments *factors, *c;
  int64_t depth;
  layout groups;         /* rows and columns of C by the number of the group */
  group_place places[2]; /* of factors that lie in shared memory; no memref: registers */
  pending_product *pending;
} group_product;

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Each group has neighbouring warps with 16 rows each, one after the other, and groups differ in multiples of 64
 * rows. */
static bool find_groups(const fragments *c, layout *groups) {
  int64_t first[LAYOUT_MAX_RANK], here[LAYOUT_MAX_RANK];
  layout warps = distribute_level_part(&c->layout, LAYOUT_WARP);
  *groups = (layout){.rank = 2};
  for (int64_t warp = 0; warp < layout_size(&warps, LAYOUT_WARP); warp++) {
    layout_eval(&warps, (int64_t[LAYOUT_NUM_LEVELS]){[LAYOUT_WARP] = warp - warp % GROUP}, first);
    layout_eval(&warps, (int64_t[LAYOUT_NUM_LEVELS]){[LAYOUT_WARP] = warp}, here);
    if (first[0] % GROUP_ROWS || here[0] != first[0] + warp % GROUP * WARP_ROWS || here[1] != first[1])
      return false;
  }
  for (unsigned i = 0; i < warps.num_digits; i++)
    if (warps.digits[i].hardware_stride >= GROUP)
      groups->digits[groups->num_digits++] = warps.digits[i];
    else if (warps.digits[i].hardware_stride * warps.digits[i].size > GROUP) /* part of it within a group */
      groups->digits[groups->num_digits++] = (layout_digit){
          LAYOUT_WARP, warps.digits[i].dim, warps.digits[i].hardware_stride * warps.digits[i].size / GROUP, GROUP,
          warps.digits[i].dim_stride * GROUP / warps.digits[i].hardware_stride};
  return layout_size(&warps, LAYOUT_WARP) >= GROUP;
}

/* The lane's places are all columns up to some number, in rows of 64 of which it has the first 16. */
static int64_t columns_of_places(int64_t count, int64_t (*places)[2]) {
  int64_t columns = 0;
  for (int64_t i = 0; i < count; i++) {
    if (places[i][0] % GROUP_ROWS)
      return 0;
    columns = places[i][1] + TILE_COLUMNS > columns ? places[i][1] + TILE_COLUMNS : columns;
  }
  int64_t of_row = 0;
  for (int64_t i = 0; i < count; i++)
    of_row += places[i][0] == places[0][0];
  return of_row * TILE_COLUMNS == columns && count % of_row == 0 ? columns : 0;
}

/* The factor's dims as those of C along `side` (0: rows, 1: columns), for the groups' parts. */
static layout groups_along(const group_product *p, unsigned side) {
  layout along = {.rank = 2};
  for (unsigned i = 0; i < p->groups.num_digits; i++)
    if (p->groups.digits[i].dim == side) {
      along.digits[along.num_digits] = p->groups.digits[i];
      along.digits[along.num_digits++].dim = p->factors[side].dims[side];
    }
  return along;
}

/* ------------------------------------------------------------------------------------------------------------- ops */

/* Adds the memory of a factor and where the group begins in it: `offset` rows of A, or columns of B, further on. */
static unsigned add_place(const group_product *p, unsigned side, int64_t offset, ir_value **operands) {
  const fragments *f = &p->factors[side];
  int64_t constants[2] = {0};
  layout along = groups_along(p, side);
  constants[f->dims[side]] = offset;
  operands[0] = p->places[side].memref;
  distribute_group_subscripts(f->source, &p->places[side], &along, constants, operands + 1);
  return 1 + p->places[side].memref->type->rank;
}

/* All of A's registers for 16 rows from `row` on, fragment by fragment along the reduction. */
static ir_value *left_registers(const group_product *p, int64_t row) {
  const fragments *f = &p->factors[0];
  int64_t *registers = IR_NEW_ARRAY(&p->d->module->arena, int64_t, p->depth / DEPTH * f->registers), count = 0;
  for (int64_t k = 0; k < p->depth; k += DEPTH, count += f->registers)
    fragment_at(f, row, k, registers + count);
  return fragment_rows(p->d, distribute_pick(p->d, f->vector, count, registers), 2);
}

/* The sums of 64 rows and columns [column, column + columns). With A in registers the op waits by itself: nobody may
 * touch them before. */
static void multiply_rows(const group_product *p, int64_t row, int64_t column, int64_t columns) {
  distributor *d = p->d;
  pending_product *pending = p->pending;
  ir_module *module = d->module;
  int64_t *registers = IR_NEW_ARRAY(&module->arena, int64_t, columns / TILE_COLUMNS * p->c->registers), count = 0;
  for (int64_t i = 0; i < columns; i += TILE_COLUMNS, count += p->c->registers)
    fragment_at(p->c, row, column + i, registers + count);
  ir_value **picked = IR_NEW_ARRAY(&module->arena, ir_value *, count), *operands[2 * (IR_MAX_RANK + 1) + 1];
  for (int64_t i = 0; i < count; i++)
    picked[i] = pending->values[registers[i]];
  unsigned left = 1, right;
  if (p->places[0].memref)
    left = add_place(p, 0, row, operands);
  else
    operands[0] = left_registers(p, row);
  right = add_place(p, 1, column, operands + left);
  operands[left + right] = fragment_rows(d, distribute_pack(d, IR_F32, count, picked), 2);
  const int64_t shape[] = {GROUP_ROWS, columns, p->depth}, rows[] = {p->places[0].box_rows, p->places[1].box_rows};
  ir_named_attr attrs[] = {{"mmaShape", ir_attr_numbers(module, 3, shape)},
                           {"boxRows", ir_attr_numbers(module, 2, rows)},
                           {"transposed", ir_attr_unit(module)}};
  bool transposed = p->places[1].contiguous == p->factors[1].dims[1]; /* rows of memory along the columns of C */
  ir_op_spec spec = {.operands = operands,
                     .num_operands = left + right + 1,
                     .groups = {1, left - 1, 1, right - 1, 1},
                     .types = &operands[left + right]->type,
                     .num_results = 1,
                     .attrs = attrs,
                     .num_attrs = transposed ? 3 : 2};
  ir_op *product = ir_op_create(&d->at, OP_VECTOR_EXT_WARPGROUP_MMA, &spec);
  if (p->places[0].memref || ir_attr_get(p->op, DISTRIBUTE_DELAYED))
    ir_attr_set(product, "async", ir_attr_unit(module));
  pending->products[pending->count] = ir_result(product, 0);
  pending->registers[pending->count++] = registers;
}

ir_value *distribute_wait(distributor *d, ir_value *sums, int64_t under_way) {
  const ir_type *flat = sums->type;
  ir_named_attr attr = {"numGroups", ir_attr_int(d->module, ir_type_scalar(d->module, IR_I32), under_way)};
  sums = fragment_rows(d, sums, 2);
  sums = ir_create(&d->at, OP_VECTOR_EXT_WARPGROUP_WAIT, sums->type, 1, &sums, under_way > 0, &attr);
  return ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, sums, flat);
}

/* Rows of a vector as those of another one with the same bits. */
static ir_value *bitcast_rows(distributor *d, ir_value *flat, int64_t row, ir_scalar element, int64_t result_row) {
  const int64_t rows = flat->type->shape[0] / row, shape[] = {rows, result_row}, count = rows * result_row;
  ir_value *cast =
      ir_unary(&d->at, OP_VECTOR_BITCAST, fragment_rows(d, flat, row), ir_type_vector(d->module, element, 2, shape));
  return ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, cast, ir_type_vector(d->module, element, 1, &count));
}

ir_value *distribute_to_words(distributor *d, ir_value *lane) {
  const ir_type *type = lane->type;
  bool pairs =
      type->kind == IR_TYPE_VECTOR && (type->element == IR_F16 || type->element == IR_BF16) && type->shape[0] % 2 == 0;
  return pairs ? bitcast_rows(d, lane, 2, IR_F32, 1) : lane;
}

ir_value *distribute_from_words(distributor *d, ir_value *words, const ir_type *type) {
  return words->type == type ? words : bitcast_rows(d, words, 1, type->element, 2);
}

/* The sums of a contraction, from its products; `waits`: when these have arrived, which are not the `under_way`
 * latest. */
static ir_value *sums_of(distributor *d, const pending_product *pending, bool waits, int64_t under_way) {
  for (unsigned i = 0; i < pending->count; i++) {
    ir_value *sum = pending->products[i];
    int64_t count = ir_type_num_elements(sum->type);
    bool is_async = ir_attr_get(sum->op, "async");
    sum = ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, sum, distribute_type(d, IR_F32, count));
    sum = waits && is_async ? distribute_wait(d, sum, under_way) : sum;
    for (int64_t r = 0; r < count; r++)
      pending->values[pending->registers[i][r]] = distribute_get(d, sum, r);
  }
  return distribute_pack(d, IR_F32, distribute_registers(&pending->sums), pending->values);
}

/* Gives a contraction its result while it is under way, which nobody looks at: when the one of the next iteration is,
 * it has arrived. */
static void go_on(distributor *d, const pending_product *pending) {
  distribute_set(d, pending->op, distribute_wait(d, sums_of(d, pending, false, 0), pending->count));
  d->late = pending->op;
}

/* Gives a pending contraction its result. What was given out for the iteration before goes on behind it. */
static void settle(distributor *d, const pending_product *pending) {
  int64_t under_way = 0;
  for (const pending_product *later = d->pending; later && later != pending->next; later = later->next)
    under_way += ir_attr_get(later->op, DISTRIBUTE_DELAYED) ? later->count : 0;
  ir_value *sums = sums_of(d, pending, true, under_way);
  distribute_set(d, pending->op, distribute_convert(d, sums, &pending->sums, &pending->wanted, NULL));
}

/* Does an op, or one in its regions, read the value? */
static bool reads(const ir_op *op, const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next)
    if (ir_op_ancestor_in(use->user, op->block) == op)
      return true;
  return false;
}

void distribute_settle(distributor *d, const ir_op *user) {
  bool all = !user || ir_attr_get(user, DISTRIBUTE_BEHIND);
  for (pending_product **at = &d->pending, *pending; (pending = *at);) {
    if (!all && !reads(user, ir_result(pending->op, 0))) {
      at = &pending->next;
      continue;
    }
    *at = pending->next;
    settle(d, pending);
  }
}

/* Does the value change from one iteration to the next of the loop around `block`? Up to so many steps are taken. */
static bool varies(const ir_value *value, const ir_block *block, unsigned *steps) {
  if (!value->op)
    return value->block == block;
  if (value->op->block != block || !*steps || !--*steps)
    return false;
  bool found = !pass_is_pure(value->op);
  for (unsigned i = 0; i < value->op->num_operands && !found; i++)
    found = varies(ir_operand(value->op, i), block, steps);
  return found;
}

/* Are the registers of the factor made right for the contraction, each time? */
static bool is_made_anew(const ir_value *factor) {
  unsigned steps = 256;
  const ir_block *block = factor->uses->user->block;
  const ir_op *op = factor->op;
  bool in_loop = block->parent->code == OP_SCF_FOR;
  while (op && op->block == block && ir_value_has_one_use(ir_result(op, 0)) &&
         (op->code == OP_VECTOR_EXT_TO_LAYOUT || op->code == OP_VECTOR_SHAPE_CAST))
    op = ir_operand(op, 0)->op;
  bool known = op && op->block == block && ir_value_has_one_use(ir_result(op, 0));
  return known && (op->code == OP_VECTOR_TRANSFER_READ ||
                   (ir_op_has(op, IR_ELEMENTWISE) && (!in_loop || varies(ir_result(op, 0), block, &steps))));
}

/* Can groups read a factor from where it lies? One that lanes hold is as good for A. */
static bool find_place(group_product *p, unsigned side) {
  const fragments *f = &p->factors[side];
  layout along = groups_along(p, side);
  if (!f->source)
    return !side && f->vector && (ir_attr_get(p->op, DISTRIBUTE_DELAYED) || is_made_anew(ir_operand(p->op, 0)));
  if (!distribute_group_place(f->source, &p->places[side]))
    return false;
  /* A lies in rows of its own, as do the columns of B, or rows of it are whole boxes of a group's columns. */
  bool own_rows = p->places[side].contiguous != f->dims[side];
  for (unsigned i = 0; i < along.num_digits && !own_rows; i++)
    if (along.digits[i].dim_stride % p->places[side].box_columns)
      return false;
  return side || own_rows;
}

bool distribute_warpgroups(distributor *d, const ir_op *op, const target_matrix *matrix, const fragments factors[2],
                           const fragments *c, int64_t depth) {
  ir_arena *arena = &d->module->arena;
  group_product p = {.d = d, .op = op, .factors = factors, .c = c, .depth = depth};
  int64_t(*places)[2], total = distribute_registers(&c->layout);
  if (!target_has_groups(d->facts, matrix->element) || !c->vector || depth % DEPTH || !find_groups(c, &p.groups) ||
      !find_place(&p, 0) || !find_place(&p, 1))
    return false;
  int64_t count = fragment_places(arena, c, &places), columns = columns_of_places(count, places);
  if (!columns)
    return false;
  p.pending = IR_NEW_OF(arena, pending_product, op);
  p.pending->products = IR_NEW_ARRAY(arena, ir_value *, count);
  p.pending->registers = IR_NEW_ARRAY(arena, int64_t *, count);
  p.pending->values = IR_NEW_ARRAY(arena, ir_value *, total);
  p.pending->sums = c->layout;
  p.pending->wanted = distribute_layout(ir_result(op, 0));
  for (int64_t r = 0; r < total; r++)
    p.pending->values[r] = distribute_get(d, c->vector, r);
  for (int64_t i = 0; i < count; i++)
    for (int64_t column = 0; !places[i][1] && column < columns; column += MOST_COLUMNS)
      multiply_rows(&p, places[i][0], column, columns - column < MOST_COLUMNS ? columns - column : MOST_COLUMNS);
  bool late = ir_attr_get(op, DISTRIBUTE_LATE) && p.places[0].memref && layout_equal(&c->layout, &p.pending->wanted);
  if (late) {
    go_on(d, p.pending);
    return true;
  }
  p.pending->next = d->pending;
  d->pending = p.pending;
  return true;
}
