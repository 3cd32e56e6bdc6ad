/* register_ask.c - how the register tiles of a contraction ask for memory that is needed later, line by line, while they
 * multiply (see register_nest.h).
 *
 * Some machines forget what they are asked for faster than memory answers; and none follows by itself where the next
 * tile begins in other rows. So the lines of the next panels, or of the next tile's rows and the result that these add
 * to, are spread over the terms of the tile at hand.
 * Terminates: loops over loops, dims and lines. */
#include "passes/register_nest.h"
#include "passes/register_prefetch.h"

enum { LINE_BYTES = 64 };
/* More rows take so long that it does not matter when the memory of several panels is read, but what the tiles do
 * besides multiplying; and from so many on, it is the rows that are asked for. */
enum { MANY_ROWS = 256 };

/* The loop over rows of the tile that the input with that map has, or has not, so that they use it again; -1 if there is
 * none. */
static int row_of(const register_nest *nest, const ir_map *map, bool has) {
  for (unsigned k = 0; k < nest->plan.num_dims; k++) {
    unsigned loop = nest->plan.dims[k];
    if ((int)loop != nest->plan.simd && !ir_loop_is_reduction(ir_structure_of(nest->op), loop) &&
        (ir_map_find_dim(map, loop) >= 0) == has)
      return (int)loop;
  }
  return -1;
}

/* ---------------------------------------------------------------------------------------------------------- panels */

/* The tiles of the loop over rows. */
static int64_t row_tiles(const register_nest *nest, unsigned row) {
  return (register_plan_bound(nest->op, row) - 1) / nest->plan.steps[row] + 1;
}

/* Panels are made for one of several tiles of the SIMD loop at a time, and so is the memory of the next one's known,
 * where lanes follow each other in it. */
static bool asks_for_next_tile(const register_nest *nest, unsigned i) {
  const ir_value *source = ir_operand(nest->op, i);
  unsigned simd = (unsigned)nest->plan.simd;
  int64_t strides[IR_MAX_RANK];
  ir_type_strides(source->type, strides);
  return nest->facts->loses_requests && nest->plan.paired < 0 && nest->panels[i]->type->shape[0] == 1 &&
         strides[ir_map_find_dim(ir_structure_of(nest->op)->maps[i], simd)] == 1 &&
         register_plan_element(nest->op, i) == source->type->element &&
         register_plan_bound(nest->op, simd) > nest->plan.steps[simd];
}

/* How many subscripts further lies what is to be asked for; false where it is nothing. */
static bool find_next_panel(const register_nest *nest, unsigned i, unsigned row, register_ask *ask) {
  unsigned simd = (unsigned)nest->plan.simd;
  ask->is_tile = asks_for_next_tile(nest, i);
  if (ask->is_tile)
    ask->ahead[ir_map_find_dim(ir_structure_of(nest->op)->maps[i], simd)] = nest->plan.steps[simd];
  return ask->is_tile || (register_plan_bound(nest->op, row) <= MANY_ROWS &&
                          register_prefetch_panel(nest->op, &nest->plan, nest->facts, i, nest->uses, ask->ahead));
}

void register_ask_plan_panel(register_nest *nest, unsigned i) {
  unsigned loops[IR_MAX_LOOPS], simd = (unsigned)nest->plan.simd;
  int64_t bytes = ir_scalar_bits(ir_operand(nest->op, i)->type->element) / 8, step = nest->plan.steps[simd];
  int row = row_of(nest, ir_structure_of(nest->op)->maps[i], false);
  register_ask ask = {.elements = LINE_BYTES / (bytes ? bytes : 1), .lines = 1};
  if (row < 0 || register_pack_loops(nest, i, loops) != 2 || nest->plan.order[nest->plan.num_loops - 1] != loops[0] ||
      !find_next_panel(nest, i, (unsigned)row, &ask))
    return;
  int64_t columns = ask.is_tile ? step : register_plan_bound(nest->op, simd), tiles = columns / step,
          width = columns / ask.elements;
  if (columns % step || columns % ask.elements)
    return;
  if (row_tiles(nest, (unsigned)row) * tiles < 2 * width && width % 2 == 0)
    ask.lines = 2;
  ask.row = (unsigned)row, ask.term = loops[0], ask.turns = width / ask.lines;
  if (!(ask.turns & (ask.turns - 1)))
    nest->asks[i] = ask;
}

/* Which lines of all rows the current tile asks for, of so many in turn: who comes behind the last of them begins again,
 * as requests get lost, and the cache has forgotten some. */
static ir_index turn_of_tile(const register_nest *nest, ir_builder *builder, const register_ask *ask) {
  const register_plan *plan = &nest->plan;
  ir_index number = ir_index_floordiv(builder, nest->tile.starts[ask->row], plan->steps[ask->row]);
  if (!ask->is_tile) {
    ir_index tile = ir_index_floordiv(builder, nest->tile.starts[plan->simd], plan->steps[plan->simd]);
    number = ir_index_add(builder, ir_index_scale(builder, tile, row_tiles(nest, ask->row)), number);
  }
  return ir_index_mod(builder, number, ask->turns);
}

/* Asks for the lines of input `i` whose turn it is. */
static void ask_for_lines(const register_nest *nest, ir_builder *builder, unsigned i) {
  const register_ask *ask = &nest->asks[i];
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  ir_value *source = ir_operand(nest->op, i), *operands[1 + IR_MAX_RANK] = {source};
  unsigned rank = source->type->rank, simd = (unsigned)nest->plan.simd;
  ir_index turn = ir_index_mul(builder, turn_of_tile(nest, builder, ask), nest->extents[ask->term]);
  turn = ir_index_add(builder, turn, nest->tile.starts[ask->term]);
  for (int64_t line = 0; line < ask->lines; line++) {
    for (unsigned dim = 0; dim < rank; dim++) {
      unsigned loop = (unsigned)ir_map_result_dim(map, dim);
      ir_index at = nest->tile.starts[loop];
      if (loop == ask->term)
        at = ir_index_floordiv(builder, turn, ask->turns);
      else if (loop == simd) {
        ir_index column = ir_index_scale(builder, ir_index_mod(builder, turn, ask->turns), ask->lines * ask->elements);
        column = ir_index_add(builder, column, ir_index_const(line * ask->elements));
        at = ask->is_tile ? ir_index_add(builder, at, column) : column;
      }
      operands[1 + dim] = ir_index_value(builder, ir_index_add(builder, at, ir_index_const(ask->ahead[dim])));
    }
    ir_op_spec spec = {.operands = operands, .num_operands = 1 + rank, .groups = {1, rank}};
    ir_op_create(builder, OP_VECTOR_EXT_PREFETCH, &spec);
  }
}

void register_ask_panels(const register_nest *nest, ir_builder *builder) {
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (nest->asks[i].lines)
      ask_for_lines(nest, builder, i);
}

/* ------------------------------------------------------------------------------------------------------------ rows */

/* The subscripts are loops, the last one `last`, along which memory goes on. */
static bool goes_on_along(const vector_operand *operand, unsigned last) {
  int64_t strides[IR_MAX_RANK];
  unsigned rank = operand->value->type->rank;
  if (!ir_type_is_shaped(operand->value->type) || !rank || operand->local)
    return false;
  for (unsigned dim = 0; dim < rank; dim++)
    if (ir_map_result_dim(operand->map, dim) < 0)
      return false;
  ir_type_strides(operand->value->type, strides);
  return (unsigned)ir_map_result_dim(operand->map, rank - 1) == last && strides[rank - 1] == 1;
}

static int64_t bytes_of(const vector_operand *operand) { return ir_scalar_bits(operand->value->type->element) / 8; }

/* All rows of the input are more than half of the second-level cache, so each panel has them come from the last one. */
static bool come_from_last_cache(const register_nest *nest, const vector_operand *operand, unsigned row,
                                 unsigned term) {
  int64_t bytes;
  if (!target_has_near_last_cache(nest->facts))
    return false;
  bool is_huge =
      __builtin_mul_overflow(register_plan_bound(nest->op, row), register_plan_bound(nest->op, term), &bytes) ||
      __builtin_mul_overflow(bytes, bytes_of(operand), &bytes);
  return is_huge || (uint64_t)bytes > nest->facts->l2_bytes / 2;
}

/* One panel is so long that all else that the tiles read has to come from the last cache. */
static bool has_lone_panel(const register_nest *nest) {
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    const ir_type *type = nest->panels[i] ? nest->panels[i]->type : NULL;
    int64_t bytes = type ? ir_scalar_bits(type->element) / 8 : 0;
    for (unsigned dim = 1; type && dim < type->rank; dim++)
      bytes *= type->shape[dim];
    if (bytes > register_plan_panel_bytes(nest->facts))
      return true;
  }
  return false;
}

static bool has_panel(const register_nest *nest) {
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (nest->panels[i])
      return true;
  return false;
}

/* Spreads the lines of the result that the next tile adds to over the pieces of a line that the tile's terms are. */
static void plan_result(register_nest *nest) {
  register_rows *rows = &nest->rows;
  unsigned simd = (unsigned)nest->plan.simd;
  const vector_operand *result = &nest->tile.operands[nest->num_inputs];
  int64_t bytes = bytes_of(result), line = bytes ? LINE_BYTES / bytes : 0, width = nest->plan.steps[simd];
  if (nest->group.prologue.op || nest->group.count || nest->num_outs != 1 || !goes_on_along(result, simd) || !line ||
      width % line || !ir_scalar_is_float(result->value->type->element))
    return;
  rows->elements = line, rows->width = width / line;
  int64_t lines = rows->width * nest->plan.steps[rows->row];
  int64_t pieces = (register_plan_bound(nest->op, rows->term) - 1) / rows->terms + 1;
  rows->lines = (lines - 1) / pieces + 1;
  rows->pieces = pieces > lines ? pieces / lines : 1;
}

void register_ask_plan_rows(register_nest *nest) {
  const register_plan *plan = &nest->plan;
  if (!plan->num_loops || !ir_is_contraction(nest->op) || plan->partial || !has_panel(nest))
    return;
  unsigned term = plan->order[plan->num_loops - 1];
  if (!ir_loop_is_reduction(ir_structure_of(nest->op), term))
    return;
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    const vector_operand *operand = &nest->tile.operands[i];
    int row = nest->panels[i] ? -1 : row_of(nest, operand->map, true);
    if (row < 0 || !goes_on_along(operand, term) || register_plan_bound(nest->op, (unsigned)row) < MANY_ROWS ||
        !come_from_last_cache(nest, operand, (unsigned)row, term))
      continue;
    int64_t bytes = bytes_of(operand);
    if (bytes)
      nest->rows = (register_rows){.input = i, .row = (unsigned)row, .term = term, .terms = LINE_BYTES / bytes};
  }
  if (nest->rows.terms)
    plan_result(nest);
  if (!nest->rows.lines && !has_lone_panel(nest))
    nest->rows.terms = 0;
}

bool register_asks_here(const register_nest *nest) {
  const vector_tile *tile = &nest->tile;
  for (unsigned k = 0; k < tile->num_dims; k++)
    if (tile->loops[k] == nest->rows.row)
      return tile->sizes[k] == nest->plan.steps[nest->rows.row] && !(tile->masked & register_loop_bit(nest->rows.row));
  return false;
}

/* Asks for the line of an operand that lies at the tile's start, `rows` and `columns` further. */
static void ask_for_line(const register_nest *nest, ir_builder *builder, const vector_operand *operand, ir_index rows,
                         ir_index columns, bool is_near) {
  ir_value *operands[1 + IR_MAX_RANK] = {operand->value};
  unsigned rank = operand->value->type->rank;
  for (unsigned dim = 0; dim < rank; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(operand->map, dim);
    ir_index at = nest->tile.starts[loop];
    if (loop == nest->rows.row)
      at = ir_index_add(builder, at, rows);
    if (dim + 1 == rank)
      at = ir_index_add(builder, at, columns);
    operands[1 + dim] = ir_index_value(builder, at);
  }
  ir_op_spec spec = {.operands = operands, .num_operands = 1 + rank, .groups = {1, rank}};
  ir_op *op = ir_op_create(builder, OP_VECTOR_EXT_PREFETCH, &spec);
  if (is_near)
    ir_attr_set(op, "tec.near", ir_attr_unit(builder->module));
}

void register_ask_rows(const register_nest *nest, ir_builder *builder) {
  const register_rows *rows = &nest->rows;
  int64_t step = nest->plan.steps[rows->row];
  for (int64_t row = 0; row < step; row++)
    ask_for_line(nest, builder, &nest->tile.operands[rows->input], ir_index_const(step + row), ir_index_const(0),
                 false);
  if (!rows->lines)
    return;
  ir_index first = ir_index_floordiv(builder, nest->tile.starts[rows->term], rows->terms * rows->pieces);
  first = ir_index_scale(builder, first, rows->lines);
  for (int64_t i = 0; i < rows->lines; i++) {
    ir_index line = ir_index_add(builder, first, ir_index_const(i));
    ir_index row = ir_index_add(builder, ir_index_floordiv(builder, line, rows->width), ir_index_const(step));
    ir_index column = ir_index_scale(builder, ir_index_mod(builder, line, rows->width), rows->elements);
    ask_for_line(nest, builder, &nest->tile.operands[nest->num_inputs], row, column, true);
  }
}
