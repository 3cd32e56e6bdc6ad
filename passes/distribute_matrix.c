/* distribute_matrix.c - fragments of matrix units straight from shared memory, by ldmatrix.
 *
 * One ldmatrix loads up to four 8x8 matrices of 16-bit elements. Of each, lane l gets a pair of neighbours in row l / 4
 * (or, transposed, in column l / 4); the rows are named by addresses, row r of matrix i by lane 8 i + r. So a layout
 * fits whose lanes lie like that and whose registers 2 i and 2 i + 1 are such pairs: then each pair is a matrix, and
 * which matrices go together is free as long as their places are an affine function of i.
 *
 * Contractions ask for fragments one step at a time, right before they multiply, so that few registers hold factors:
 * the read is deferred. This needs nothing between the read and its user that writes memory.
 * Terminates: loops over registers and digits, and over the ops between a read and its user. */
#include "passes/distribute.h"

#include <string.h>

enum { MATRIX = 8, PAIR = 2, MATRIX_BITS = 16, MAX_MATRICES = 4 };

/* Addresses of rows, for matrices that lie in one way to each other. */
typedef struct row_addresses {
  int64_t steps[2][2]; /* from matrix 0 to 1, and to 2, by dim of the vector */
  layout lanes;        /* the row that each lane names */
  access_plan plan;
  struct row_addresses *next;
} row_addresses;

struct matrix_source {
  distributor *d;
  layout layout;
  lane_access access;
  unsigned row_dim; /* of the vector: the dim that is not contiguous in memory */
  bool transposed;  /* pairs lie along it */
  row_addresses *known;
};

/* The lane digits of the layout are those of an 8x8 matrix whose pairs lie along `pair_dim`, and so do the
 * registers. */
static bool lanes_fit(const layout *l, unsigned pair_dim) {
  layout lanes = distribute_level_part(l, LAYOUT_LANE), matrix = {.rank = 2, .num_digits = 2};
  bool pairs = false;
  matrix.digits[0] = (layout_digit){LAYOUT_LANE, pair_dim, MATRIX / PAIR, 1, PAIR};
  matrix.digits[1] = (layout_digit){LAYOUT_LANE, 1 - pair_dim, MATRIX, MATRIX / PAIR, 1};
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    pairs |= digit->level == LAYOUT_REGISTER && digit->hardware_stride == 1 && digit->dim == pair_dim &&
             digit->dim_stride == 1 && digit->size % PAIR == 0;
  }
  return pairs && layout_equal(&lanes, &matrix);
}

/* Each pair of registers is in a matrix that starts at a multiple of its width. */
static bool matrices_aligned(const layout *l, unsigned column_dim) {
  int64_t coord[LAYOUT_MAX_RANK];
  for (int64_t r = 0; r < distribute_registers(l); r += PAIR) {
    distribute_coord(l, r, coord);
    if (coord[column_dim] % MATRIX)
      return false;
  }
  return true;
}

/* What lane 8 i + r names: row r of matrix i, which is i % 2 first steps and i / 2 second steps away. */
static layout named_rows(const matrix_source *source, unsigned count, int64_t steps[2][2]) {
  layout rows = distribute_level_part(&source->layout, LAYOUT_WARP);
  rows.digits[rows.num_digits++] = (layout_digit){LAYOUT_LANE, source->row_dim, MATRIX, 1, 1};
  for (unsigned step = 0; 1u << step < count; step++)
    for (unsigned dim = 0; dim < 2; dim++)
      if (steps[step][dim])
        rows.digits[rows.num_digits++] = (layout_digit){LAYOUT_LANE, dim, 2, MATRIX << step, steps[step][dim]};
  return rows;
}

/* Rows are whole and aligned in memory: eight neighbours could move together. */
static bool rows_aligned(const matrix_source *source) {
  layout row = named_rows(source, 1, NULL);
  row.digits[row.num_digits++] = (layout_digit){LAYOUT_REGISTER, 1 - source->row_dim, MATRIX, 1, 1};
  return lane_access_run(&source->access, &row) == MATRIX;
}

static bool find_source(const ir_op *read, matrix_source *source) {
  const ir_type *type = ir_result(read, 0)->type, *memory = ir_operand(read, 0)->type;
  if (type->rank != 2 || memory->kind != IR_TYPE_MEMREF || memory->rank < 2 || memory->space != IR_SPACE_WORKGROUP ||
      ir_scalar_bits(type->element) != MATRIX_BITS || ir_group_size(read, 3))
    return false;
  *source = (matrix_source){.layout = distribute_layout(ir_result(read, 0)), .access = lane_access_of(read, 0, 2)};
  int last = memory->rank - 1;
  source->row_dim = source->access.memory_dim[0] == last;
  if (source->access.bounded || source->access.memory_dim[source->row_dim] != last - 1 ||
      source->access.memory_dim[1 - source->row_dim] != last)
    return false;
  source->transposed = lanes_fit(&source->layout, source->row_dim);
  return (source->transposed || lanes_fit(&source->layout, 1 - source->row_dim)) &&
         matrices_aligned(&source->layout, 1 - source->row_dim) && rows_aligned(source);
}

bool distribute_may_wait(const ir_value *factor) {
  const ir_op *user = factor->uses->user, *op = factor->op->next;
  if (user->code != OP_VECTOR_CONTRACT || user->block != factor->op->block || ir_use_index(factor->uses) > 1)
    return false;
  while (op != user && !op->num_regions && !(ir_op_row(op)->traits & IR_WRITES))
    op = op->next;
  return op == user;
}

bool distribute_is_deferred(const ir_value *value) {
  const ir_op *read = ir_made_by(value, OP_VECTOR_TRANSFER_READ);
  matrix_source source;
  if (!read || !ir_value_has_one_use(value))
    return false;
  return distribute_may_wait(value) && find_source(read, &source);
}

matrix_source *distribute_matrix_source(distributor *d, const ir_value *value) {
  matrix_source *source = IR_NEW(&d->module->arena, matrix_source);
  find_source(value->op, source);
  source->d = d;
  distribute_enter(d, &source->access);
  return source;
}

/* ----------------------------------------------------------------------------------------- read by warpgroups */

bool distribute_group_place(const matrix_source *source, group_place *place) {
  ir_value *memref = source->access.memref;
  const ir_type *type = memref->type;
  access_plan plan = distribute_plan(source->d, &source->layout, &source->access);
  int64_t row = type->shape[type->rank - 1];
  layout_shared wanted = layout_shared_choose(row * MATRIX_BITS / 8);
  *place = (group_place){memref, plan.box_rows ? plan.box_rows : type->shape[type->rank - 2], row, 1 - source->row_dim};
  return (row * MATRIX_BITS == 256 || row * MATRIX_BITS == 512 || row * MATRIX_BITS == 1024) &&
         plan.swizzle.shift == wanted.shift && plan.swizzle.mask == wanted.mask && place->box_rows % MATRIX == 0 &&
         ir_index_is_const(source->access.start[type->rank - 2], 0) &&
         ir_index_is_const(source->access.start[type->rank - 1], 0);
}

void distribute_group_subscripts(const matrix_source *source, const group_place *place, const layout *groups,
                                 const int64_t constants[2], ir_value **subscripts) {
  distributor own = *source->d, *d = &own;
  ir_builder *at = &source->d->at;
  own.thread = own.first;
  unsigned along = place->contiguous, rank = place->memref->type->rank;
  int64_t only[2][2] = {{1, 0}, {0, 1}};
  const ir_expr *boxes = ir_expr_by(at->module, IR_EXPR_FLOORDIV, ir_expr_dim(at->module, 0), place->box_columns);
  ir_index column = distribute_lane_offset(d, groups, only[along]), box = {0};
  if (!ir_index_is_const(column, 0))
    box = ir_index_scale(at, ir_index_apply(at, boxes, 1, &column), place->box_rows);
  int64_t row = constants[1 - along] + constants[along] / place->box_columns * place->box_rows;
  ir_index rows = ir_index_add(at, distribute_lane_offset(d, groups, only[1 - along]), box);
  for (unsigned dim = 0; dim + 2 < rank; dim++)
    subscripts[dim] = ir_index_value(at, source->access.start[dim]);
  subscripts[rank - 2] = ir_index_value(at, ir_index_add(at, rows, ir_index_const(row)));
  subscripts[rank - 1] = ir_const_index(at, constants[along] % place->box_columns);
}

/* ------------------------------------------------------------------------------------------------------- ldmatrix */

static row_addresses *addresses_of(matrix_source *source, unsigned count, int64_t steps[2][2]) {
  for (row_addresses *known = source->known; known; known = known->next)
    if (!memcmp(known->steps, steps, sizeof known->steps))
      return known;
  row_addresses *made = IR_NEW(&source->d->module->arena, row_addresses);
  memcpy(made->steps, steps, sizeof made->steps);
  made->lanes = named_rows(source, count, steps);
  made->plan = distribute_plan(source->d, &made->lanes, &source->access);
  made->next = source->known;
  return source->known = made;
}

/* The steps from matrix 0 to 1 and to 2; false where matrix 3 is not both away, or a step goes backwards. */
static bool find_steps(unsigned count, int64_t places[MAX_MATRICES][LAYOUT_MAX_RANK], int64_t steps[2][2]) {
  memset(steps, 0, 2 * sizeof *steps);
  for (unsigned dim = 0; dim < 2; dim++) {
    for (unsigned i = 1; i < count && i < 3; i++)
      steps[i - 1][dim] = places[i][dim] - places[0][dim];
    if (steps[0][dim] < 0 || steps[1][dim] < 0 ||
        (count == MAX_MATRICES && places[3][dim] != places[0][dim] + steps[0][dim] + steps[1][dim]))
      return false;
  }
  return true;
}

ir_value *distribute_matrices(matrix_source *source, unsigned count, const int64_t *registers) {
  distributor *d = source->d;
  ir_module *module = d->module;
  int64_t places[MAX_MATRICES][LAYOUT_MAX_RANK], steps[2][2], constants[IR_MAX_RANK] = {0};
  for (unsigned i = 0; i < count; i++)
    distribute_coord(&source->layout, registers[i], places[i]);
  if (!find_steps(count, places, steps))
    return NULL;
  row_addresses *addresses = addresses_of(source, count, steps);
  for (unsigned dim = 0; dim < 2; dim++)
    constants[source->access.memory_dim[dim]] += places[0][dim];
  unsigned rank = source->access.memref->type->rank;
  ir_value *operands[IR_MAX_RANK + 1] = {source->access.memref};
  distribute_subscripts(&addresses->plan, constants, operands + 1);
  const ir_type *type = ir_type_vector(module, source->access.memref->type->element, 2, (int64_t[]){count, PAIR});
  ir_named_attr attrs[] = {{"numTiles", ir_attr_int(module, ir_type_scalar(module, IR_I32), count)},
                           {"transpose", ir_attr_bool(module, source->transposed)}};
  ir_value *loaded = ir_create(&d->at, OP_NVGPU_LDMATRIX, type, 1 + rank, operands, 2, attrs);
  return ir_unary(&d->at, OP_VECTOR_SHAPE_CAST, loaded, distribute_type(d, type->element, count * PAIR));
}

ir_value *distribute_read_matrices(distributor *d, const ir_op *read) {
  matrix_source source;
  if (!find_source(read, &source))
    return NULL;
  source.d = d;
  distribute_enter(d, &source.access);
  int64_t registers = distribute_registers(&source.layout);
  ir_value **values = IR_NEW_ARRAY(&d->module->arena, ir_value *, registers);
  unsigned count;
  for (int64_t r = 0; r < registers; r += count * PAIR) {
    const int64_t firsts[MAX_MATRICES] = {r, r + PAIR, r + 2 * PAIR, r + 3 * PAIR};
    ir_value *loaded = NULL;
    for (count = MAX_MATRICES; !loaded; count /= loaded ? 1 : 2) /* one alone always can */
      loaded = r + count * PAIR <= registers ? distribute_matrices(&source, count, firsts) : NULL;
    for (unsigned i = 0; i < count * PAIR; i++)
      values[r + i] = distribute_get(d, loaded, i);
  }
  return distribute_pack(d, ir_result(read, 0)->type->element, registers, values);
}
