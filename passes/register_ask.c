/* register_ask.c - how the register tiles of a contraction ask for memory that is needed later, line by line, while
 * they multiply (see register_nest.h).
 *
 * Requests for a whole panel at once fill a core's queues, and some machines forget what they are asked for faster than
 * memory answers; and none follows by itself where the next tile begins in other rows. So, where memory is near, the
 * lines of the next panels, or of the next tile's rows and the result that these add to, are spread over the terms of
 * the tile at hand. So are those of what an op before the product reads of memory that their loop moves over, as a
 * mask's tile that is transposed, and, in the loop's last iteration, of what the kernel reads before the loop, as
 * queries: all at once, they would be lost (attention with a mask added to 2048 scores a row 1.08 times as fast, causal
 * attention 1.004 to 1.016 times, Zen 5).
 * Small tiles have no time for a line with each term: they ask for a few as they begin (docs/host.md has figures).
 * What tiles of a few rows read in place, once, from memory, they ask for as well, two tiles ahead; and those whose
 * lanes are all rows of the one factor for the next tile's rows of the other.
 * Terminates: loops over loops, dims and lines. */
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/register_nest.h"

enum { LINE_BYTES = 64 };
/* Terms of a piece where it is not a line of rows that these are of. */
enum { TERMS = 16 };
/* Lines that a tile asks for as it begins, at most: more come in a burst. */
enum { MOST_AT_ONCE = 4 };
/* More rows take so long that it does not matter when the memory of several panels is read, but what the tiles do
 * besides multiplying; and from so many on, it is the rows that are asked for. */
enum { MANY_ROWS = 256 };
/* Terms of a tile that asks for the next one's rows where there are no panels. */
enum { MANY_TERMS = 512 };
/* So few rows that a small tile has time to ask with each term. */
enum { SOME_ROWS = 32 };
/* So many tiles further a stream is asked for: nearer there is no time, and from further away more lines than sets of
 * the caches hold would wait, as rows that lie pages apart meet in few of them. */
enum { TILES_AHEAD = 2 };

/* Asks for the line at the operands' subscripts. */
static void ask_for(ir_builder *builder, ir_value **operands, unsigned rank, bool is_near) {
  ir_op_spec spec = {.operands = operands, .num_operands = 1 + rank, .groups = {1, rank}};
  ir_op *op = ir_op_create(builder, OP_VECTOR_EXT_PREFETCH, &spec);
  if (is_near)
    ir_attr_set(op, "tec.near", ir_attr_unit(builder->module));
}

/* The loop over rows of the tile that the input with that map has, or has not, so that they use it again; -1 if there
 * is none. */
static int row_of(const register_nest *nest, const ir_map *map, bool has) {
  for (unsigned k = 0; k < nest->plan.num_dims; k++) {
    unsigned loop = nest->plan.dims[k];
    if ((int)loop != nest->plan.simd && !ir_loop_is_reduction(ir_structure_of(nest->op), loop) &&
        (ir_map_find_dim(map, loop) >= 0) == has)
      return (int)loop;
  }
  return -1;
}

/* How many times so many iterations the loop has, at most. */
static int64_t parts_of(const ir_op *op, unsigned loop, int64_t iterations) {
  return (register_plan_bound(op, loop) - 1) / iterations + 1;
}

/* The innermost loop of a contraction's tiles, where it is over terms; -1 where it is not. */
static int innermost_terms(const ir_op *op, const register_plan *plan) {
  if (!plan->num_loops || !ir_is_contraction(op) || plan->partial)
    return -1;
  unsigned term = plan->order[plan->num_loops - 1];
  return ir_loop_is_reduction(ir_structure_of(op), term) ? (int)term : -1;
}

/* ---------------------------------------------------------------------------------------------------------- panels */

/* The tiles of the loop over rows, or lanes. */
static int64_t tiles_of(const register_nest *nest, unsigned loop) {
  return parts_of(nest->op, loop, nest->plan.steps[loop]);
}

static bool has_open_rows(const register_nest *nest, unsigned row) { return ir_loop_size(nest->op, row) == IR_DYNAMIC; }

/* Panels are made for one of several tiles of the SIMD loop at a time, and so is the memory of the next one's known. */
static bool asks_for_next_tile(const register_nest *nest, unsigned i) {
  unsigned simd = (unsigned)nest->plan.simd;
  return target_asks_by_line(nest->facts) && nest->plan.paired < 0 && nest->panels[i]->type->shape[0] == 1 &&
         register_plan_element(nest->op, i, nest->facts) == ir_operand(nest->op, i)->type->element &&
         register_plan_bound(nest->op, simd) > nest->plan.steps[simd];
}

/* How many subscripts further lies what is to be asked for; false where it is nothing. */
static bool find_next_panel(const register_nest *nest, unsigned i, unsigned row, register_ask *ask) {
  unsigned simd = (unsigned)nest->plan.simd;
  ask->is_tile = asks_for_next_tile(nest, i);
  if (ask->is_tile)
    ask->ahead[ir_map_find_dim(ir_structure_of(nest->op)->maps[i], simd)] = nest->plan.steps[simd];
  bool are_few = register_plan_bound(nest->op, row) <= MANY_ROWS;
  const register_input input = register_input_of(nest, i);
  return ask->is_tile || ((are_few || register_pack_is_inside(nest, i)) && register_prefetch_panel(&input, ask->ahead));
}

/* The loop of the panel along which memory goes on, over lanes or terms; -1: neither. */
static int along_memory(const register_nest *nest, unsigned i, unsigned term) {
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  const ir_type *type = ir_operand(nest->op, i)->type;
  unsigned simd = (unsigned)nest->plan.simd;
  return ir_type_stride(type, (unsigned)ir_map_find_dim(map, simd)) == 1   ? (int)simd
         : ir_type_stride(type, (unsigned)ir_map_find_dim(map, term)) == 1 ? (int)term
                                                                           : -1;
}

/* Small tiles, whose terms have no time for a line each, ask for a power of two of lines as they begin, if that few are
 * enough for all of the next panels; else 0. */
static int64_t lines_at_once(const register_nest *nest, const register_ask *ask, int64_t tiles) {
  int64_t lines;
  if (!target_has_small_tiles(nest->facts) || nest->extents[ask->term].value ||
      __builtin_mul_overflow(ask->turns, nest->extents[ask->term].constant, &lines))
    return 0;
  int64_t at_once = 1;
  while (at_once <= MOST_AT_ONCE && at_once * tiles < lines)
    at_once *= 2;
  return at_once <= MOST_AT_ONCE ? at_once : 0;
}

/* Memory takes longer than a small tile, however long it takes to ask for a line with each term. Elements that are
 * widened are half as many bytes. */
static bool has_time(const register_nest *nest, unsigned i, unsigned row) {
  return register_plan_bound(nest->op, row) <= SOME_ROWS &&
         register_plan_element(nest->op, i, nest->facts) == ir_operand(nest->op, i)->type->element;
}

void register_ask_plan_panel(register_nest *nest, unsigned i) {
  unsigned loops[IR_MAX_LOOPS], simd = (unsigned)nest->plan.simd;
  int64_t bytes = ir_scalar_bytes(ir_operand(nest->op, i)->type->element), step = nest->plan.steps[simd];
  int row = row_of(nest, ir_structure_of(nest->op)->maps[i], false), along = -1;
  register_ask ask = {.elements = LINE_BYTES / bytes, .lines = 1};
  if (row >= 0 && register_pack_loops(nest, i, loops) == 2 && nest->plan.order[nest->plan.num_loops - 1] == loops[0])
    along = along_memory(nest, i, loops[0]);
  if (along < 0 || (nest->facts->fills_last_cache && nest->panels[i]->type->shape[0] > 1) ||
      !find_next_panel(nest, i, (unsigned)row, &ask))
    return;
  int64_t columns = ask.is_tile ? step : register_plan_bound(nest->op, simd), tiles = columns / step,
          length = along == (int)simd ? columns : register_plan_bound(nest->op, loops[0]);
  if (columns % step || columns % ask.elements || length % ask.elements)
    return;
  ask.turns = columns / ask.elements, ask.pieces = length / ask.elements;
  ask.row = (unsigned)row, ask.term = loops[0], ask.along = (unsigned)along;
  ask.at_once = lines_at_once(nest, &ask, tiles_of(nest, (unsigned)row) * tiles);
  if (!ask.at_once && target_has_small_tiles(nest->facts) && !has_time(nest, i, (unsigned)row))
    return;
  bool may_be_few = has_open_rows(nest, (unsigned)row) || tiles_of(nest, (unsigned)row) * tiles < 2 * ask.turns;
  if (!ask.at_once && may_be_few && ask.turns % 2 == 0 && ask.pieces % 2 == 0)
    ask.lines = 2, ask.turns /= 2, ask.pieces /= 2;
  if (!(ask.turns & (ask.turns - 1)) && !(ask.pieces & (ask.pieces - 1)))
    nest->asks[i] = ask;
}

/* The tiles that read the same of the input, all of its rows; 0: there are others, too. */
static int64_t tiles_of_stream(const register_nest *nest, const ir_map *map) {
  int row = row_of(nest, map, false);
  for (unsigned loop = 0; loop < nest->plan.num_loops; loop++)
    if ((int)loop != row && ir_map_find_dim(map, loop) < 0 && register_plan_bound(nest->op, loop) > 1)
      return 0;
  return row < 0 || has_open_rows(nest, (unsigned)row) ? 0 : tiles_of(nest, (unsigned)row);
}

/* The step moves the input along terms alone. */
static bool moves_along(const ir_attr *ahead, unsigned rank, int term) {
  for (unsigned dim = 0; dim < rank; dim++)
    if ((ahead->ints[dim] != 0) != ((int)dim == term))
      return false;
  return true;
}

bool register_ask_plan_stream(register_nest *nest, unsigned i, const ir_attr *ahead) {
  const register_plan *plan = &nest->plan;
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  const ir_type *type = ir_operand(nest->op, i)->type;
  int term = innermost_terms(nest->op, plan);
  int64_t bytes = ir_scalar_bytes(type->element);
  if (!ahead || nest->panels[i] || term < 0 || term == plan->simd || plan->paired >= 0 || !bytes ||
      !register_plan_is_asked_by_tile(nest->op, i, nest->facts))
    return false;
  int along = ir_map_find_dim(map, (unsigned)plan->simd), over = ir_map_find_dim(map, (unsigned)term);
  ir_index columns = nest->extents[plan->simd];
  register_ask ask = {.term = (unsigned)term, .along = (unsigned)plan->simd, .elements = LINE_BYTES / bytes};
  int64_t tiles = tiles_of_stream(nest, map), lines = plan->steps[plan->simd] / ask.elements;
  ask.row = (unsigned)row_of(nest, map, false), ask.is_stream = true;
  ask.lines = tiles && lines % tiles == 0 ? lines / tiles : lines;
  if (along < 0 || over < 0 || ir_type_stride(type, (unsigned)along) != 1 || !moves_along(ahead, type->rank, over) ||
      columns.value || columns.constant % plan->steps[plan->simd] || plan->steps[plan->simd] % ask.elements || !tiles)
    return false;
  ask.ahead[over] = ahead->ints[over];
  nest->asks[i] = ask;
  return true;
}

/* The lines that a later tile, of this step or the next one, reads of input `i` at the current term. */
static void ask_in_stream(const register_nest *nest, ir_builder *builder, unsigned i) {
  const register_ask *ask = &nest->asks[i];
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  ir_value *source = ir_operand(nest->op, i), *operands[1 + IR_MAX_RANK] = {source};
  unsigned rank = source->type->rank, simd = ask->along;
  int64_t columns = nest->extents[simd].constant;
  ir_index later = ir_index_const(TILES_AHEAD * nest->plan.steps[simd]);
  ir_index at = ir_index_add(builder, nest->tile.starts[simd], later);
  ir_index step = ir_index_floordiv(builder, at, columns), column = ir_index_mod(builder, at, columns);
  bool is_shared = ask->lines * ask->elements < nest->plan.steps[simd];
  ir_index tile = ir_index_floordiv(builder, nest->tile.starts[ask->row], nest->plan.steps[ask->row]);
  if (is_shared)
    column = ir_index_add(builder, column, ir_index_scale(builder, tile, ask->lines * ask->elements));
  for (int64_t line = 0; line < ask->lines; line++) {
    for (unsigned dim = 0; dim < rank; dim++) {
      unsigned loop = (unsigned)ir_map_result_dim(map, dim);
      ir_index moved = ir_index_scale(builder, step, ask->ahead[dim]);
      moved = ir_index_add(builder, loop == simd ? column : nest->tile.starts[loop], moved);
      operands[1 + dim] = ir_index_value(builder, moved);
    }
    ask_for(builder, operands, rank, false);
    column = ir_index_add(builder, column, ir_index_const(ask->elements));
  }
}

/* The number of the current tile among those that use the panels at hand. */
static ir_index number_of_tile(const register_nest *nest, ir_builder *builder, const register_ask *ask) {
  const register_plan *plan = &nest->plan;
  ir_index number = ir_index_floordiv(builder, nest->tile.starts[ask->row], plan->steps[ask->row]);
  if (!ask->is_tile) {
    ir_index tile = ir_index_floordiv(builder, nest->tile.starts[plan->simd], plan->steps[plan->simd]);
    ir_index inner = nest->inside ? tile : number, outer = nest->inside ? number : tile;
    int64_t inner_tiles = tiles_of(nest, nest->inside ? (unsigned)plan->simd : ask->row);
    number = ir_index_add(builder, ir_index_scale(builder, outer, inner_tiles), inner);
  }
  return number;
}

/* Asks for the lines of input `i` that are that piece of all rows, in memory's order. */
static void ask_for_piece(const register_nest *nest, ir_builder *builder, unsigned i, ir_index number) {
  const register_ask *ask = &nest->asks[i];
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  ir_value *source = ir_operand(nest->op, i), *operands[1 + IR_MAX_RANK] = {source};
  unsigned rank = source->type->rank, simd = (unsigned)nest->plan.simd;
  ir_index row = ir_index_floordiv(builder, number, ask->pieces), piece = ir_index_mod(builder, number, ask->pieces);
  piece = ir_index_scale(builder, piece, ask->lines * ask->elements);
  for (int64_t line = 0; line < ask->lines; line++) {
    for (unsigned dim = 0; dim < rank; dim++) {
      unsigned loop = (unsigned)ir_map_result_dim(map, dim);
      ir_index at = loop == ask->along ? piece : loop == ask->term || loop == simd ? row : nest->tile.starts[loop];
      if (ask->is_tile && loop == simd)
        at = ir_index_add(builder, nest->tile.starts[simd], at);
      operands[1 + dim] = ir_index_value(builder, ir_index_add(builder, at, ir_index_const(ask->ahead[dim])));
    }
    ask_for(builder, operands, rank, false);
    piece = ir_index_add(builder, piece, ir_index_const(ask->elements));
  }
}

/* The current iteration's piece: tiles take turns, and who comes behind the last of them begins again, as requests get
 * lost, and the cache has forgotten some. */
static void ask_in_turn(const register_nest *nest, ir_builder *builder, unsigned i) {
  const register_ask *ask = &nest->asks[i];
  ir_index turn = ir_index_mod(builder, number_of_tile(nest, builder, ask), ask->turns);
  turn = ir_index_mul(builder, turn, nest->extents[ask->term]);
  ask_for_piece(nest, builder, i, ir_index_add(builder, turn, nest->tile.starts[ask->term]));
}

/* The tile's lines, again from the first where tiles are more than it takes. */
static void ask_at_once(const register_nest *nest, ir_builder *builder, unsigned i) {
  const register_ask *ask = &nest->asks[i];
  int64_t lines = ask->turns * nest->extents[ask->term].constant;
  ir_index first = ir_index_scale(builder, number_of_tile(nest, builder, ask), ask->at_once);
  first = ir_index_mod(builder, first, lines);
  for (int64_t line = 0; line < ask->at_once; line++)
    ask_for_piece(nest, builder, i, ir_index_add(builder, first, ir_index_const(line)));
}

void register_ask_panels(const register_nest *nest, ir_builder *builder, bool begins) {
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (nest->asks[i].lines && (nest->asks[i].at_once > 0) == begins)
      (nest->asks[i].is_stream ? ask_in_stream : begins ? ask_at_once : ask_in_turn)(nest, builder, i);
}

/* ------------------------------------------------------------------------------------------------------------ rows */

/* The subscripts are loops, the last one `last`, along which memory goes on. */
static bool goes_on_along(const vector_operand *operand, unsigned last) {
  unsigned rank = operand->value->type->rank;
  if (!ir_type_is_shaped(operand->value->type) || !rank || operand->local)
    return false;
  for (unsigned dim = 0; dim < rank; dim++)
    if (ir_map_result_dim(operand->map, dim) < 0)
      return false;
  return (unsigned)ir_map_result_dim(operand->map, rank - 1) == last &&
         ir_type_stride(operand->value->type, rank - 1) == 1;
}

static int64_t bytes_of(const vector_operand *operand) { return ir_scalar_bytes(operand->value->type->element); }

/* All rows of the input are more than half of the second-level cache, so each panel has them come from the last one. */
static bool come_from_last_cache(const register_nest *nest, const vector_operand *operand, unsigned row,
                                 unsigned term) {
  int64_t bytes;
  bool is_huge =
      __builtin_mul_overflow(register_plan_bound(nest->op, row), register_plan_bound(nest->op, term), &bytes) ||
      __builtin_mul_overflow(bytes, bytes_of(operand), &bytes);
  return is_huge || (uint64_t)bytes > nest->facts->l2_bytes / 2;
}

/* One panel is so long that all else that the tiles read has to come from the last cache. */
static bool has_lone_panel(const register_nest *nest) {
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    const ir_type *type = nest->panels[i] ? nest->panels[i]->type : NULL;
    int64_t bytes = type ? ir_scalar_bytes(type->element) : 0;
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

static bool has_rows_outside(const register_nest *nest) {
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (register_pack_is_inside(nest, i))
      return true;
  return false;
}

/* The tiles add to what the result holds, and what they write is the result. */
static bool adds_to_result(const register_nest *nest) {
  bool is_read = !nest->group.prologue.op || nest->group.loop;
  return is_read && !nest->group.count && nest->num_outs == 1;
}

/* Spreads the lines of the result that the next tile adds to over the pieces of a line that the tile's terms are. */
static void plan_result(register_nest *nest) {
  register_rows *rows = &nest->rows;
  unsigned simd = (unsigned)nest->plan.simd;
  const vector_operand *result = &nest->tile.operands[nest->num_inputs];
  int64_t bytes = bytes_of(result), line = bytes ? LINE_BYTES / bytes : 0, width = nest->plan.steps[simd];
  if (!adds_to_result(nest) || !goes_on_along(result, simd) || !line || width % line ||
      !ir_scalar_is_float(result->value->type->element))
    return;
  rows->elements = line, rows->width = width / line;
  int64_t lines = rows->width * nest->plan.steps[rows->row];
  int64_t pieces = parts_of(nest->op, nest->term, nest->terms);
  rows->lines = (lines - 1) / pieces + 1;
  rows->pieces = pieces > lines ? pieces / lines : 1;
}

/* The tiles' rows of the input come from further away than the second-level cache: for each panel, or, where there is
 * none, with so many terms that one tile has the time to ask for the next one's, and all of what they are a part of is
 * known to be more than half of that cache. */
static bool come_from_afar(const register_nest *nest, const vector_operand *operand, unsigned row) {
  int64_t rows = register_plan_bound(nest->op, row);
  if (has_panel(nest))
    return rows >= MANY_ROWS && come_from_last_cache(nest, operand, row, nest->term);
  return rows > nest->plan.steps[row] && register_plan_bound(nest->op, nest->term) >= MANY_TERMS &&
         view_root_bytes(operand->value) > (int64_t)(nest->facts->l2_bytes / 2);
}

/* Finds the input of which the next tile's rows are to be asked for. */
static void plan_rows(register_nest *nest) {
  bool outside = has_rows_outside(nest);
  if (!target_has_near_last_cache(nest->facts) && !outside)
    return;
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    const vector_operand *operand = &nest->tile.operands[i];
    int row = nest->panels[i] ? -1 : row_of(nest, operand->map, true);
    if (row < 0 || !goes_on_along(operand, nest->term) || !come_from_afar(nest, operand, (unsigned)row))
      continue;
    int64_t bytes = bytes_of(operand);
    if (!bytes)
      continue;
    nest->rows = (register_rows){.asked = true, .input = i, .row = (unsigned)row};
    nest->terms = LINE_BYTES / bytes;
  }
  if (!has_panel(nest))
    return;
  if (nest->rows.asked)
    plan_result(nest);
  if (!nest->rows.lines && !outside && !has_lone_panel(nest))
    nest->rows.asked = false;
}

/* The tile at hand has all the rows that a tile may have: few others have a next one. */
static bool asks_for_rows(const register_nest *nest) {
  unsigned row = nest->rows.row;
  int64_t most = nest->plan.steps[row]; /* 1: the rows are no dim of the tile */
  return nest->rows.asked && most > 1 && vector_tile_size(&nest->tile, row) == most &&
         !(nest->tile.masked & ir_bit(row));
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
  ask_for(builder, operands, rank, is_near);
}

static void ask_for_rows(const register_nest *nest, ir_builder *builder) {
  const register_rows *rows = &nest->rows;
  int64_t step = nest->plan.steps[rows->row];
  for (int64_t row = 0; row < step; row++)
    ask_for_line(nest, builder, &nest->tile.operands[rows->input], ir_index_const(step + row), ir_index_const(0),
                 false);
  if (!rows->lines)
    return;
  ir_index first = ir_index_floordiv(builder, nest->tile.starts[nest->term], nest->terms * rows->pieces);
  first = ir_index_scale(builder, first, rows->lines);
  for (int64_t i = 0; i < rows->lines; i++) {
    ir_index line = ir_index_add(builder, first, ir_index_const(i));
    ir_index row = ir_index_add(builder, ir_index_floordiv(builder, line, rows->width), ir_index_const(step));
    ir_index column = ir_index_scale(builder, ir_index_mod(builder, line, rows->width), rows->elements);
    ask_for_line(nest, builder, &nest->tile.operands[nest->num_inputs], row, column, true);
  }
}

void register_ask_next_tile(register_nest *nest, ir_builder *builder) {
  const register_plan *plan = &nest->plan;
  if (!nest->block || nest->block->single || nest->block->masked)
    return;
  unsigned row = register_plan_row(plan), term = plan->order[plan->num_loops - 1];
  nest->rows.row = row;
  nest->tile.starts[term] = ir_index_const(0);
  for (unsigned i = 0; i < nest->num_inputs + adds_to_result(nest); i++) {
    const vector_operand *operand = &nest->tile.operands[i];
    bool is_used = (i >= nest->num_inputs || !nest->panels[i]) && ir_map_find_dim(operand->map, row) >= 0;
    for (int64_t k = 0; is_used && k < plan->steps[row]; k++)
      ask_for_line(nest, builder, operand, ir_index_const(plan->steps[row] + k), ir_index_const(0), true);
  }
}

/* ----------------------------------------------------------------------------------------------- what others leave */

/* The pieces of so many terms of all tiles together, at most; 0 where a loop has no iteration, or they are too many to
 * count. */
static int64_t number_of_pieces(const ir_op *op, const register_plan *plan, int64_t terms) {
  int64_t pieces = 1;
  for (unsigned at = 0; at < plan->num_loops; at++) {
    unsigned loop = plan->order[at];
    int64_t step = at + 1 < plan->num_loops ? plan->steps[loop] : terms;
    if (register_plan_bound(op, loop) < 1 || __builtin_mul_overflow(pieces, parts_of(op, loop, step), &pieces))
      return 0;
  }
  return pieces;
}

/* The op is a product whose tiles have the time to ask for so many lines: one with each term. */
static bool can_ask(ir_op *op, const target_facts *facts, int64_t lines) {
  if (!ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op))
    return false;
  register_plan plan = register_plan_make(op, facts);
  int term = innermost_terms(op, &plan);
  return term >= 0 && register_plan_bound(op, (unsigned)term) >= TERMS && TERMS % plan.steps[term] == 0 &&
         (lines - 1) / TERMS < number_of_pieces(op, &plan, TERMS);
}

/* Of an open extent, as many as it may be: to ask for what lies beyond is no error. */
static int64_t lines_along(const register_left *left, unsigned dim) {
  int64_t extent = extent_bound(extent_of(left->value, dim));
  return dim + 1 < left->value->type->rank ? extent : (extent - 1) / left->elements + 1;
}

/* Counts the lines of the value's memory, whose last dim is dense; false where they are not known. */
static bool count_lines(register_left *left) {
  const ir_type *type = left->value->type;
  if (!type->rank || ir_type_stride(type, type->rank - 1u) != 1)
    return false;
  left->elements = LINE_BYTES / (ir_scalar_bytes(type->element));
  left->lines = 1;
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (__builtin_mul_overflow(left->lines, lines_along(left, dim), &left->lines) || left->lines < 1)
      return false;
  return true;
}

static void keep_left(ir_arena *arena, register_left **all, register_left *left) {
  left->next = *all;
  *all = ir_arena_copy(arena, left, sizeof *left);
}

/* The last product from `op` on that can ask for so many lines; NULL: none. */
static const ir_op *last_that_asks(ir_op *op, const target_facts *facts, int64_t lines) {
  const ir_op *last = NULL;
  for (; op; op = op->next)
    if (can_ask(op, facts, lines))
      last = op;
  return last;
}

bool register_ask_leave(ir_op *op, const target_facts *facts, unsigned i, const ir_attr *ahead, bool in_loop,
                        register_left **left) {
  ir_op *behind = op->next;
  register_left leave = {.value = ir_operand(op, i), .ahead = ahead};
  if (!left || !ahead || !target_has_near_memory(facts) || ir_structure_of(op)->reductions)
    return false;
  if (!count_lines(&leave))
    return false;
  while (in_loop && behind && behind->code != OP_SCF_FOR)
    behind = behind->next;
  leave.loop = in_loop ? behind : NULL;
  leave.product = last_that_asks(leave.loop ? ir_region(leave.loop, 0)->first : behind, facts, leave.lines);
  if (!leave.product)
    return false;
  keep_left(&op->module->arena, left, &leave);
  return true;
}

/* What is left to the product, from `left` on. */
static const register_left *next_left(const register_nest *nest, const register_left *left) {
  while (left && left->product != nest->op)
    left = left->next;
  return left;
}

static const register_left *first_left(const register_nest *nest) {
  return nest->left ? next_left(nest, *nest->left) : NULL;
}

/* The tiles have the time for all lines: one with each term, or, where tiles are small, some as each begins. */
static bool can_ask_own(const register_nest *nest, const register_left *own) {
  if (!target_has_small_tiles(nest->facts))
    return can_ask(nest->op, nest->facts, own->lines);
  int term = innermost_terms(nest->op, &nest->plan);
  int64_t tiles = term < 0 ? 0 : number_of_pieces(nest->op, &nest->plan, register_plan_bound(nest->op, (unsigned)term));
  return (own->lines - 1) / MOST_AT_ONCE / register_blocks(own->blocks) < tiles;
}

bool register_ask_plan_own(register_nest *nest, unsigned i) {
  ir_op *op = nest->op;
  register_left own = {.value = ir_operand(op, i), .product = op, .is_own = true};
  own.blocks = register_loop_of_blocks(op, i);
  const register_input input = register_input_of(nest, i);
  int64_t ahead[IR_MAX_RANK];
  if (!nest->left || nest->panels[i] || !register_prefetch_own(&input, ahead) || !count_lines(&own) ||
      !can_ask_own(nest, &own))
    return false;
  own.ahead = ir_attr_i64s(op->module, own.value->type->rank, ahead);
  keep_left(&op->module->arena, nest->left, &own);
  return true;
}

void register_ask_plan_pieces(register_nest *nest) {
  int term = innermost_terms(nest->op, &nest->plan);
  if (term < 0)
    return;
  nest->term = (unsigned)term;
  plan_rows(nest);
  const register_left *left = first_left(nest);
  if (!nest->rows.asked)
    nest->terms = !left                                 ? 0
                  : !left->is_own                       ? TERMS
                  : target_has_small_tiles(nest->facts) ? register_plan_bound(nest->op, nest->term)
                                                        : REGISTER_UNROLL;
}

bool register_asks_here(const register_nest *nest) { return asks_for_rows(nest) || first_left(nest); }

/* The number of the current piece among all. */
static ir_index number_of_piece(const register_nest *nest, ir_builder *builder, const ir_op *blocks) {
  const register_plan *plan = &nest->plan;
  ir_index piece = blocks ? (ir_index){.value = ir_region(blocks, 0)->args[0]} : ir_index_const(0);
  for (unsigned at = 0; at < plan->num_loops; at++) {
    unsigned loop = plan->order[at];
    int64_t step = loop == nest->term ? nest->terms : plan->steps[loop];
    piece = ir_index_scale(builder, piece, parts_of(nest->op, loop, step));
    piece = ir_index_add(builder, piece, ir_index_floordiv(builder, nest->tile.starts[loop], step));
  }
  return piece;
}

/* What is left of the loop behind its current iteration. */
static ir_index rest_of_loop(ir_builder *builder, ir_op *loop) {
  ir_bounds bounds = ir_bounds_of(loop, 0);
  ir_index next = ir_index_add(builder, (ir_index){.value = ir_region(loop, 0)->args[0]}, bounds.step);
  return ir_index_max(builder, ir_index_sub(builder, bounds.upper, next), ir_index_const(0));
}

/* Asks for a line of what is left, by its number. */
static void ask_for_number(ir_builder *builder, const register_left *left, ir_index line) {
  unsigned rank = left->value->type->rank;
  ir_value *operands[1 + IR_MAX_RANK] = {left->value};
  for (unsigned dim = rank; dim-- > 0;) {
    int64_t extent = lines_along(left, dim);
    ir_index at = dim ? ir_index_mod(builder, line, extent) : line;
    line = dim ? ir_index_floordiv(builder, line, extent) : line;
    at = ir_index_scale(builder, at, dim + 1 < rank ? 1 : left->elements);
    operands[1 + dim] = ir_index_value(builder, ir_index_add(builder, at, ir_index_const(left->ahead->ints[dim])));
  }
  ask_for(builder, operands, rank, !left->is_own);
}

/* Asks for the lines that are the share of the current piece, in order; again for the last ones where all have been
 * asked for, or it is not yet time for any. Of pieces that are too many to count, smaller ones than the product was
 * chosen by, each has one line. */
static void ask_for_left(const register_nest *nest, ir_builder *builder, const register_left *left) {
  int64_t pieces = number_of_pieces(nest->op, &nest->plan, nest->terms);
  int64_t share = pieces ? (left->lines - 1) / pieces / register_blocks(left->blocks) + 1 : 1;
  ir_index first = ir_index_scale(builder, number_of_piece(nest, builder, left->blocks), share);
  if (left->loop)
    first = ir_index_add(builder, first, ir_index_scale(builder, rest_of_loop(builder, left->loop), left->lines));
  first = ir_index_min(builder, first, ir_index_const(left->lines - share));
  if (share <= MOST_AT_ONCE) {
    for (int64_t line = 0; line < share; line++)
      ask_for_number(builder, left, ir_index_add(builder, first, ir_index_const(line)));
    return;
  }
  ir_builder inside = *builder;
  ir_index end = ir_index_add(builder, first, ir_index_const(share));
  ask_for_number(&inside, left, ir_enter_for(&inside, first, end, 1));
}

void register_ask_pieces(const register_nest *nest, ir_builder *builder) {
  if (asks_for_rows(nest))
    ask_for_rows(nest, builder);
  for (const register_left *left = first_left(nest); left; left = next_left(nest, left->next))
    ask_for_left(nest, builder, left);
}
