/* register_ask.c - how the register tiles of a contraction ask for memory that is needed later, line by line, while they
 * multiply (see register_nest.h).
 *
 * Some machines forget what they are asked for faster than memory answers; and none follows by itself where the next
 * tile begins in other rows. So the lines of the next panels, or of the next tile's rows, are spread over the terms of
 * the tile at hand.
 * Terminates: loops over loops, dims and lines. */
#include "passes/register_nest.h"
#include "passes/register_prefetch.h"

enum { LINE_BYTES = 64 };
/* So many rows take so long that it does not matter when the memory of panels is read, but what the tiles do besides
 * multiplying. Then it is the rows that are asked for. */
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

void register_ask_plan_panel(register_nest *nest, unsigned i) {
  unsigned loops[IR_MAX_LOOPS], simd = (unsigned)nest->plan.simd;
  int64_t bytes = ir_scalar_bits(ir_operand(nest->op, i)->type->element) / 8, step = nest->plan.steps[simd];
  int row = row_of(nest, ir_structure_of(nest->op)->maps[i], false);
  register_ask ask = {.elements = LINE_BYTES / (bytes ? bytes : 1), .lines = 1};
  if (row < 0 || register_plan_bound(nest->op, (unsigned)row) >= MANY_ROWS ||
      register_pack_loops(nest, i, loops) != 2 || nest->plan.order[nest->plan.num_loops - 1] != loops[0] ||
      !register_prefetch_panel(nest->op, &nest->plan, nest->facts, i, nest->uses, ask.ahead))
    return;
  int64_t columns = register_plan_bound(nest->op, simd), tiles = columns / step, width = columns / ask.elements;
  if (columns % step || columns % ask.elements)
    return;
  if (row_tiles(nest, (unsigned)row) * tiles < 2 * width && width % 2 == 0)
    ask.lines = 2;
  ask.row = (unsigned)row, ask.term = loops[0], ask.turns = width / ask.lines;
  if (!(ask.turns & (ask.turns - 1)))
    nest->asks[i] = ask;
}

/* The number of the current tile among all that use the same panels, up to the last one that asks. */
static ir_index number_of_tile(const register_nest *nest, ir_builder *builder, const register_ask *ask) {
  const register_plan *plan = &nest->plan;
  ir_index block = ir_index_floordiv(builder, nest->tile.starts[ask->row], plan->steps[ask->row]);
  ir_index tile = ir_index_floordiv(builder, nest->tile.starts[plan->simd], plan->steps[plan->simd]);
  ir_index number = ir_index_add(builder, ir_index_scale(builder, tile, row_tiles(nest, ask->row)), block);
  return ir_index_min(builder, number, ir_index_const(ask->turns - 1));
}

/* Asks for the lines of input `i` whose turn it is. */
static void ask_for_lines(const register_nest *nest, ir_builder *builder, unsigned i) {
  const register_ask *ask = &nest->asks[i];
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  ir_value *source = ir_operand(nest->op, i), *operands[1 + IR_MAX_RANK] = {source};
  unsigned rank = source->type->rank, simd = (unsigned)nest->plan.simd;
  ir_index turn = ir_index_mul(builder, number_of_tile(nest, builder, ask), nest->extents[ask->term]);
  turn = ir_index_add(builder, turn, nest->tile.starts[ask->term]);
  for (int64_t line = 0; line < ask->lines; line++) {
    for (unsigned dim = 0; dim < rank; dim++) {
      unsigned loop = (unsigned)ir_map_result_dim(map, dim);
      ir_index at = nest->tile.starts[loop];
      if (loop == ask->term)
        at = ir_index_floordiv(builder, turn, ask->turns);
      else if (loop == simd) {
        at = ir_index_scale(builder, ir_index_mod(builder, turn, ask->turns), ask->lines * ask->elements);
        at = ir_index_add(builder, at, ir_index_const(line * ask->elements));
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

/* The subscripts are loops, the last one the innermost loop, along which memory goes on. */
static bool goes_on_along(const vector_operand *operand, unsigned term) {
  int64_t strides[IR_MAX_RANK];
  unsigned rank = operand->value->type->rank;
  if (!ir_type_is_shaped(operand->value->type) || !rank || operand->local)
    return false;
  for (unsigned dim = 0; dim < rank; dim++)
    if (ir_map_result_dim(operand->map, dim) < 0)
      return false;
  ir_type_strides(operand->value->type, strides);
  return (unsigned)ir_map_result_dim(operand->map, rank - 1) == term && strides[rank - 1] == 1;
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

void register_ask_plan_rows(register_nest *nest) {
  const register_plan *plan = &nest->plan;
  if (!plan->num_loops || !ir_is_contraction(nest->op) || plan->partial || !has_lone_panel(nest))
    return;
  unsigned term = plan->order[plan->num_loops - 1];
  if (!ir_loop_is_reduction(ir_structure_of(nest->op), term))
    return;
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    const vector_operand *operand = &nest->tile.operands[i];
    int row = nest->panels[i] ? -1 : row_of(nest, operand->map, true);
    if (row < 0 || !goes_on_along(operand, term) || register_plan_bound(nest->op, (unsigned)row) < MANY_ROWS)
      continue;
    int64_t bytes = ir_scalar_bits(operand->value->type->element) / 8;
    if (bytes)
      nest->rows = (register_rows){.input = i, .row = (unsigned)row, .term = term, .terms = LINE_BYTES / bytes};
  }
}

bool register_asks_here(const register_nest *nest) {
  const vector_tile *tile = &nest->tile;
  for (unsigned k = 0; k < tile->num_dims; k++)
    if (tile->loops[k] == nest->rows.row)
      return tile->sizes[k] == nest->plan.steps[nest->rows.row] && !(tile->masked & register_loop_bit(nest->rows.row));
  return false;
}

void register_ask_rows(const register_nest *nest, ir_builder *builder) {
  const register_rows *rows = &nest->rows;
  const vector_operand *operand = &nest->tile.operands[rows->input];
  ir_value *operands[1 + IR_MAX_RANK] = {operand->value};
  unsigned rank = operand->value->type->rank;
  for (int64_t row = 0; row < nest->plan.steps[rows->row]; row++) {
    for (unsigned dim = 0; dim < rank; dim++) {
      unsigned loop = (unsigned)ir_map_result_dim(operand->map, dim);
      ir_index further = ir_index_const(loop == rows->row ? nest->plan.steps[loop] + row : 0);
      operands[1 + dim] = ir_index_value(builder, ir_index_add(builder, nest->tile.starts[loop], further));
    }
    ir_op_spec spec = {.operands = operands, .num_operands = 1 + rank, .groups = {1, rank}};
    ir_op_create(builder, OP_VECTOR_EXT_PREFETCH, &spec);
  }
}
