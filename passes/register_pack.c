/* register_pack.c - copies of inputs that register tiles read instead: panels, which lie as tiles read them, and whole
 * copies that are widened once (see register_nest.h).
 *
 * Invariants
 *  - Copies hold what the body widens elements to; widening a value that is wide already does nothing.
 *  - A panel holds what one tile of the SIMD loop reads of an input in all reductions, or the panels of all its tiles.
 *  - Panels of terms that are multiplied in pairs, or in fours, hold those side by side, as they are.
 * Terminates: a copy is an op of its own, which has no reductions and so copies nothing. */
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/register_nest.h"

/* -------------------------------------------------------------------------------------------------------- panels */

/* The loop of whose tiles each has a panel of input `i`: that in lanes, or that over rows. */
static unsigned panel_loop(const register_nest *nest, unsigned i) {
  const register_plan *plan = &nest->plan;
  return (int)i == plan->row_panels ? register_plan_row(plan) : (unsigned)plan->simd;
}

unsigned register_pack_loops(const register_nest *nest, unsigned i, unsigned *loops) {
  const ir_structure *structure = ir_structure_of(nest->op);
  unsigned count = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && ir_map_find_dim(structure->maps[i], loop) >= 0)
      loops[count++] = loop;
  loops[count++] = panel_loop(nest, i);
  return count;
}

/* Scratch memory for a copy of input `i`. */
static ir_value *allocate_copy(const register_nest *nest, unsigned i, unsigned rank, const int64_t *shape) {
  return memory_scratch(nest->op, register_plan_element(nest->op, i, nest->facts), rank, shape);
}

/* The SIMD tiles whose panels of input `i` are made at once: all that there may be, where lanes are contiguous in
 * memory and half of the second-level cache has room for them, or where blocks of rows meet them all. So each row of
 * the input is read as far as the tiles go, where those of one tile after the other would each begin on a page of its
 * own. */
static int64_t tiles_at_once(const register_nest *nest, unsigned i) {
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  unsigned loops[IR_MAX_LOOPS], rank = register_pack_loops(nest, i, loops), simd = (unsigned)nest->plan.simd;
  int64_t step = nest->plan.steps[simd], columns = register_plan_bound(nest->op, simd);
  int64_t bytes = ir_scalar_bytes(register_plan_element(nest->op, i, nest->facts)),
          most = register_plan_panels_bytes(nest->facts);
  if (nest->plan.row_block)
    return (columns + step - 1) / step;
  if (nest->plan.paired >= 0 || rank < 2 || rank == IR_MAX_RANK ||
      ir_type_stride(ir_operand(nest->op, i)->type, (unsigned)ir_map_find_dim(map, simd)) != 1)
    return 1;
  for (unsigned dim = 0; dim + 1 < rank; dim++)
    bytes *= register_plan_bound(nest->op, loops[dim]); /* is no more than a panel's */
  return columns < most && columns * bytes <= most ? (columns + step - 1) / step : 1;
}

/* The type of terms that are multiplied several at a time. */
static ir_scalar element_of_terms(const register_nest *nest, unsigned i) {
  return nest->tile.words ? IR_I16 : ir_operand(nest->op, i)->type->element;
}

/* Scratch memory [SIMD tiles][iterations of the reductions ..][lanes], the same for tiles of rows, or for one tile [1]
 * [pairs, or fours, of terms][lanes, of these terms in turn]. */
static ir_value *allocate_panel(const register_nest *nest, unsigned i) {
  int64_t at_once = register_plan_terms(&nest->plan), lanes = nest->plan.steps[nest->plan.simd];
  if (at_once > 1)
    return memory_scratch(nest->op, element_of_terms(nest, i), 3,
                          (int64_t[]){1, nest->extents[nest->plan.paired].constant / at_once, at_once * lanes});
  unsigned loops[IR_MAX_LOOPS], rank = register_pack_loops(nest, i, loops);
  bool is_rows = (int)i == nest->plan.row_panels;
  int64_t shape[IR_MAX_RANK] = {is_rows ? nest->plan.row_block / nest->plan.steps[loops[rank - 1]]
                                        : tiles_at_once(nest, i)};
  for (unsigned dim = 0; dim < rank; dim++)
    shape[1 + dim] = dim + 1 < rank ? register_plan_bound(nest->op, loops[dim]) : nest->plan.steps[loops[dim]];
  return allocate_copy(nest, i, rank + 1, shape);
}

/* Copies elements of input `i`, widened where the types differ, by an op that is lowered like any other. */
static void copy_elements(const register_nest *nest, ir_builder *builder, unsigned i, ir_value *from, ir_value *to,
                          unsigned num_loops, const ir_map *const *maps) {
  ir_op *copy = ir_generic(builder, 1, &from, 1, &to, maps, num_loops, 0);
  ir_builder body = ir_builder_at_end(ir_region(copy, 0));
  ir_value *element =
      ir_convert(&body, ir_region(copy, 0)->args[0], ir_type_scalar(builder->module, to->type->element));
  ir_terminator(&body, OP_LINALG_YIELD, 1, &element);
  register_tile_op(copy, nest->facts, NULL,
                   nest->asks[i].lines ? REGISTER_PREFETCH_DONE : register_prefetch_uses(nest->op, i, nest->uses),
                   NULL);
}

/* Copies input `i` as a whole, and lets all tiles read the copy. */
static void widen(register_nest *nest, ir_builder *builder, unsigned i) {
  ir_value *source = ir_operand(nest->op, i);
  unsigned rank = source->type->rank;
  int64_t shape[IR_MAX_RANK];
  ir_index offsets[IR_MAX_RANK] = {0}, sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++) {
    shape[dim] = extent_bound(extent_of(source, dim));
    sizes[dim] = ir_dim(builder, source, dim);
  }
  ir_value *copy = allocate_copy(nest, i, rank, shape);
  if (!ir_type_is_static(source->type))
    copy = ir_subview(builder, copy, offsets, sizes);
  const ir_map *identity = ir_map_identity(builder->module, rank);
  copy_elements(nest, builder, i, source, copy, rank, (const ir_map *[]){identity, identity});
  nest->tile.operands[i].value = copy;
}

/* The iterations of the SIMD loop in the current tile. */
static int64_t simd_size(const register_nest *nest) { return vector_tile_size(&nest->tile, (unsigned)nest->plan.simd); }

/* Lets the tile read panel `number` of input `i`; where the tile is narrower, from lane `lane` on. They are then taken
 * from there (register_pack_read_terms). */
static void read_panel(register_nest *nest, ir_builder *builder, unsigned i, ir_index number, ir_index lane) {
  ir_module *module = nest->op->module;
  unsigned loops[IR_MAX_LOOPS], rank = register_pack_loops(nest, i, loops);
  ir_index offsets[IR_MAX_RANK] = {number}, sizes[IR_MAX_RANK] = {ir_index_const(1)};
  const ir_expr *subscripts[IR_MAX_RANK] = {ir_expr_const(module, 0)};
  for (unsigned k = 0; k < rank; k++) {
    sizes[1 + k] = ir_index_const(nest->panels[i]->type->shape[1 + k]);
    subscripts[1 + k] = ir_expr_dim(module, loops[k]);
  }
  bool is_only = nest->panels[i]->type->shape[0] == 1 && ir_index_is_const(lane, 0);
  if (!ir_index_is_const(lane, 0)) {
    int64_t at_once = register_plan_terms(&nest->plan);
    offsets[rank] = ir_index_scale(builder, lane, at_once);
    sizes[rank] = ir_index_const(at_once * simd_size(nest));
  }
  nest->tile.operands[i] =
      (vector_operand){.value = is_only ? nest->panels[i] : ir_subview(builder, nest->panels[i], offsets, sizes),
                       .map = ir_map_get(module, nest->plan.num_loops, 0, rank + 1, subscripts),
                       .local = ir_bit(loops[rank - 1])};
  if (nest->ready & ir_bit(i)) {
    nest->tile.operands[i].ahead = register_constant_ahead(nest, i);
    nest->tile.operands[i].is_near = register_constant_is_near(nest, i);
  }
}

/* The lanes of the current SIMD tile that are within the loop. */
static ir_index lanes_of_tile(const register_nest *nest, ir_builder *builder) {
  const vector_tile *tile = &nest->tile;
  unsigned simd = (unsigned)nest->plan.simd;
  ir_index size = ir_index_const(simd_size(nest));
  return tile->masked & ir_bit(simd)
             ? ir_index_min(builder, ir_index_sub(builder, nest->extents[simd], tile->starts[simd]), size)
             : size;
}

/* Copies what `count` SIMD tiles of so many lanes, or tiles of so many rows, from the current one on, touch of input
 * `i` into their panels, by an op that is lowered like any other: its loops are the reductions, the tiles and the
 * lanes. */
static void pack(register_nest *nest, ir_builder *builder, unsigned i, ir_index count, ir_index lanes) {
  ir_module *module = nest->op->module;
  ir_value *source = ir_operand(nest->op, i);
  const ir_map *map = ir_structure_of(nest->op)->maps[i];
  unsigned loops[IR_MAX_LOOPS], rank = register_pack_loops(nest, i, loops);
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], zeros[IR_MAX_RANK] = {0}, panel_sizes[IR_MAX_RANK] = {count};
  const ir_expr *subscripts[IR_MAX_RANK], *panel_subscripts[IR_MAX_RANK] = {ir_expr_dim(module, rank - 1)};
  for (unsigned dim = 0; dim < source->type->rank; dim++) {
    offsets[dim] = nest->tile.starts[ir_map_result_dim(map, dim)];
    sizes[dim] = ir_index_const(1);
    subscripts[dim] = ir_expr_const(module, 0);
  }
  for (unsigned k = 0; k < rank; k++) {
    unsigned dim = (unsigned)ir_map_find_dim(map, loops[k]);
    bool is_lane = k + 1 == rank;
    panel_sizes[1 + k] = is_lane ? lanes : nest->extents[loops[k]];
    panel_subscripts[1 + k] = subscripts[dim] = ir_expr_dim(module, is_lane ? rank : k);
    sizes[dim] = panel_sizes[1 + k];
    if (!is_lane)
      offsets[dim] = ir_index_const(0);
    else if (!ir_index_is_const(count, 1)) {
      sizes[dim] = ir_index_mul(builder, count, lanes);
      const ir_expr *first = ir_expr_by(module, IR_EXPR_MUL, panel_subscripts[0], lanes.constant);
      subscripts[dim] = ir_expr_binary(module, IR_EXPR_ADD, first, subscripts[dim]);
    }
  }
  ir_value *from = ir_subview(builder, source, offsets, sizes);
  ir_value *to = ir_subview(builder, nest->panels[i], zeros, panel_sizes);
  const ir_map *maps[] = {ir_map_get(module, rank + 1, 0, source->type->rank, subscripts),
                          ir_map_get(module, rank + 1, 0, rank + 1, panel_subscripts)};
  copy_elements(nest, builder, i, from, to, rank + 1, maps);
}

/* ----------------------------------------------------------------------------------------------- terms side by side */

/* Lets one dim of a block begin at the carried index of a new loop, which covers `extent` iterations from `first`; the
 * builder goes on inside. Returns that index, counted from 0. */
static ir_index block_loop(ir_builder *builder, vector_tile *block, unsigned dim, ir_index first, int64_t extent) {
  ir_index at = ir_enter_for(builder, ir_index_const(0), ir_index_const(extent), block->sizes[dim]);
  block->starts[block->loops[dim]] = ir_index_add(builder, first, at);
  return at;
}

/* So many rows of terms, a power of two, each so many behind the one before, as one that has their elements in turn. */
static ir_value *interleave(ir_builder *builder, ir_value *rows, int64_t first, int64_t step, int64_t count) {
  if (count == 1)
    return ir_vector_row(builder, rows, first);
  ir_value *halves[] = {interleave(builder, rows, first, 2 * step, count / 2),
                        interleave(builder, rows, first + step, 2 * step, count / 2)};
  int64_t lanes = 2 * halves[0]->type->shape[0];
  return ir_create(builder, OP_VECTOR_INTERLEAVE, ir_type_vector(builder->module, rows->type->element, 1, &lanes), 2,
                   halves, 0, NULL);
}

ir_value *register_turn_words(ir_builder *builder, ir_value *columns, int64_t at_once) {
  ir_module *module = builder->module;
  int64_t lanes = columns->type->shape[0], words = columns->type->shape[1] / at_once;
  ir_named_attr permutation = {"permutation", ir_attr_i64s(module, 2, (int64_t[]){1, 0})};
  ir_value *whole =
      ir_unary(builder, OP_VECTOR_BITCAST, columns, ir_type_vector(module, IR_I32, 2, (int64_t[]){lanes, words}));
  ir_value *turned =
      ir_create(builder, OP_VECTOR_TRANSPOSE, ir_type_vector(module, IR_I32, 2, (int64_t[]){words, lanes}), 1, &whole,
                1, &permutation);
  return ir_unary(builder, OP_VECTOR_BITCAST, turned,
                  ir_type_vector(module, columns->type->element, 2, (int64_t[]){words, lanes * at_once}));
}

/* Copies so many terms of the current SIMD tile, from `first` on, into the panel of input `i`, block by block; `at`:
 * the dim of a block that has terms. */
static void pack_blocks(const register_nest *nest, ir_builder builder, unsigned i, vector_tile *block, unsigned at,
                        int64_t first, int64_t terms) {
  int64_t at_once = register_plan_terms(&nest->plan);
  ir_index from = ir_index_const(first), begin = nest->tile.starts[nest->plan.simd];
  ir_index term = ir_index_add(&builder, from, block_loop(&builder, block, at, from, terms));
  ir_index lane = block_loop(&builder, block, 1 - at, begin, simd_size(nest));
  const ir_type *element = ir_type_scalar(builder.module, element_of_terms(nest, i));
  ir_value *read = ir_convert(&builder, vectorize_read(&builder, block, i), element),
           *rows = at ? register_turn_words(&builder, read, at_once) : read;
  ir_index begins = ir_index_floordiv(&builder, term, at_once), column = ir_index_scale(&builder, lane, at_once);
  for (int64_t k = 0; k < block->sizes[at] / at_once; k++) {
    ir_index row = ir_index_add(&builder, begins, ir_index_const(k));
    ir_value *terms_of_row =
        at ? ir_vector_row(&builder, rows, k) : interleave(&builder, rows, at_once * k, 1, at_once);
    ir_value *indices[] = {ir_const_index(&builder, 0), ir_index_value(&builder, row),
                           ir_index_value(&builder, column)};
    ir_access(&builder, terms_of_row->type, nest->panels[i], indices, terms_of_row);
  }
}

/* Copies what the current SIMD tile touches of input `i` into its panel, where terms of a pair, or of four, stand side
 * by side. Where terms are contiguous in memory, in blocks of a register of each of as many columns as it has lanes,
 * whose words are transposed in registers, and smaller ones for the terms that are left; else in blocks of as many
 * terms. */
static void pack_terms(register_nest *nest, ir_builder *builder, unsigned i) {
  const register_plan *plan = &nest->plan;
  unsigned paired = (unsigned)plan->paired, simd = (unsigned)plan->simd;
  int64_t at_once = register_plan_terms(plan), terms = nest->extents[paired].constant / at_once * at_once;
  vector_tile block = nest->tile;
  block.operands = IR_NEW_ARRAY(&nest->op->module->arena, vector_operand, nest->op->num_operands);
  vectorize_operands(nest->op, block.operands);
  const register_input input = register_input_of(nest, i);
  block.operands[i].ahead = register_prefetch_distance(&input);
  block.operands[i].is_near = register_prefetch_is_near(&input);
  unsigned dim = (unsigned)ir_map_find_dim(block.operands[i].map, paired);
  unsigned at = ir_type_stride(ir_operand(nest->op, i)->type, dim) == 1;
  block.num_dims = 2;
  block.loops[at] = paired, block.loops[1 - at] = simd;
  block.sizes[at] = at ? at_once * plan->lanes : at_once, block.sizes[1 - at] = simd_size(nest);
  if (at && block.sizes[0] > plan->lanes)
    block.sizes[0] = plan->lanes;
  for (int64_t first = 0, whole; first < terms; first += whole) {
    while (block.sizes[at] > terms - first)
      block.sizes[at] /= 2;
    whole = (terms - first) / block.sizes[at] * block.sizes[at];
    pack_blocks(nest, *builder, i, &block, at, first, whole);
  }
}

/* So many rows of lanes as a vector over lanes and terms. */
static ir_value *by_lane(const register_nest *nest, ir_builder *builder, ir_value *row) {
  int64_t shape[] = {simd_size(nest), register_plan_terms(&nest->plan)};
  return ir_unary(builder, OP_VECTOR_SHAPE_CAST, row, ir_type_vector(builder->module, row->type->element, 2, shape));
}

/* The terms in a row of the panel of input `i`: a vector over lanes and terms. */
static ir_value *terms_of_panel(const register_nest *nest, ir_builder *builder, unsigned i, ir_index row) {
  const vector_operand *operand = &nest->tile.operands[i];
  int64_t elements = register_plan_terms(&nest->plan) * simd_size(nest);
  ir_value *first = ir_const_index(builder, 0), *indices[] = {first, ir_index_value(builder, row), first};
  const ir_type *type = ir_type_vector(builder->module, operand->value->type->element, 1, &elements);
  ir_op *read = ir_transfer(builder, OP_VECTOR_TRANSFER_READ, type, NULL, operand->value, indices, NULL, NULL);
  vectorize_ask_ahead(read, operand);
  return by_lane(nest, builder, ir_result(read, 0));
}

/* The same of the current terms from where they lie, in rows of which each has one term for all lanes. */
static ir_value *terms_in_place(const register_nest *nest, ir_builder *builder, unsigned i) {
  vector_tile rows = nest->tile;
  const vector_operand *operand = &nest->tile.operands[i];
  rows.operands = IR_NEW_ARRAY(&builder->module->arena, vector_operand, nest->op->num_operands);
  vectorize_operands(nest->op, rows.operands);
  rows.operands[i].ahead = operand->ahead;
  rows.operands[i].is_near = operand->is_near;
  rows.num_dims = 2;
  rows.loops[0] = (unsigned)nest->plan.paired, rows.loops[1] = (unsigned)nest->plan.simd;
  rows.sizes[0] = register_plan_terms(&nest->plan), rows.sizes[1] = simd_size(nest);
  return by_lane(nest, builder, interleave(builder, vectorize_read(builder, &rows, i), 0, 1, rows.sizes[0]));
}

/* Takes the current terms of input `i`. */
static void read_terms_of(register_nest *nest, ir_builder *builder, unsigned i) {
  unsigned loops[] = {(unsigned)nest->plan.simd, (unsigned)nest->plan.paired};
  ir_index row = ir_index_floordiv(builder, nest->tile.starts[nest->plan.paired], register_plan_terms(&nest->plan));
  ir_value *terms = nest->panels[i] ? terms_of_panel(nest, builder, i, row) : terms_in_place(nest, builder, i);
  nest->tile.operands[i].map = ir_map_select(builder->module, nest->plan.num_loops, 2, loops);
  nest->tile.operands[i].vector = terms;
}

/* 128 times the sums of the current SIMD tile's terms, from their panel of input `i`. */
static ir_value *excess_of_panel(const register_nest *nest, ir_builder *builder, unsigned i) {
  ir_module *module = builder->module;
  int64_t lanes = simd_size(nest), at_once = register_plan_terms(&nest->plan);
  const ir_type *sums = ir_type_vector(module, IR_I32, 1, &lanes), *term = ir_type_vector(module, IR_I32, 1, &at_once);
  ir_value *sum = ir_splat(builder, sums, (ir_cell){0});
  ir_op *loop =
      ir_for(builder, ir_index_const(0), ir_index_const(nest->panels[i]->type->shape[1]), ir_index_const(1), 1, &sum);
  ir_builder inside = ir_builder_at_end(ir_region(loop, 0));
  ir_value *terms = terms_of_panel(nest, &inside, i, (ir_index){.value = ir_region(loop, 0)->args[0]});
  unsigned each = 1, both[] = {0, 1}, lane = 0;
  const ir_map *maps[] = {ir_map_select(module, 2, 1, &each), ir_map_select(module, 2, 2, both),
                          ir_map_select(module, 2, 1, &lane)};
  ir_value *operands[] = {
      ir_splat(&inside, term, (ir_cell){.i = REGISTER_EXCESS}),
      ir_unary(&inside, OP_ARITH_EXTSI, terms, ir_type_vector(module, IR_I32, 2, terms->type->shape)),
      ir_region(loop, 0)->args[1]};
  ir_value *next = vectorize_contract(&inside, operands, maps, ir_bit(1));
  ir_terminator(&inside, OP_SCF_YIELD, 1, &next);
  return ir_result(loop, 0);
}

/* That of panel `number`, from lane `lane` on, where the module has it. */
static ir_value *known_excess(const register_nest *nest, ir_builder *builder, ir_index number, ir_index lane) {
  int64_t lanes = simd_size(nest);
  ir_value *indices[] = {ir_index_value(builder, number), ir_index_value(builder, lane)};
  const ir_type *type = ir_type_vector(builder->module, IR_I32, 1, &lanes);
  return ir_result(ir_transfer(builder, OP_VECTOR_TRANSFER_READ, type, NULL, nest->excesses, indices, NULL, NULL), 0);
}

void register_pack_inputs(register_nest *nest, ir_builder *builder) {
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    if (!nest->panels[i] || (int)i == nest->plan.row_panels)
      continue;
    int64_t step = nest->plan.steps[nest->plan.simd];
    ir_index start = nest->tile.starts[nest->plan.simd], number = ir_index_const(0), lane = ir_index_const(0);
    if (nest->ready & ir_bit(i)) {
      ir_index tile = ir_index_floordiv(builder, start, step);
      if (simd_size(nest) != step)
        lane = ir_index_sub(builder, start, ir_index_scale(builder, tile, step));
      number = ir_index_add(builder, nest->firsts[i], tile);
    } else if (nest->packed_before & ir_bit(i)) {
      number = ir_index_floordiv(builder, start, step);
    } else if (nest->plan.paired >= 0) {
      pack_terms(nest, builder, i);
    } else {
      pack(nest, builder, i, ir_index_const(1), lanes_of_tile(nest, builder));
    }
    read_panel(nest, builder, i, number, lane);
    if (nest->tile.bytes)
      nest->excess = nest->excesses ? known_excess(nest, builder, number, lane) : excess_of_panel(nest, builder, i);
  }
}

void register_pack_before(register_nest *nest, ir_builder *builder, const register_segment *segment) {
  unsigned simd = (unsigned)nest->plan.simd;
  int64_t step = nest->plan.steps[simd];
  nest->packed_before = 0;
  if (segment->single || segment->masked || segment->size != step || !ir_index_is_const(segment->from, 0))
    return;
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (nest->panels[i] && (int)i != nest->plan.row_panels && nest->plan.paired < 0 &&
        nest->panels[i]->type->shape[0] > 1) {
      nest->tile.starts[simd] = segment->from;
      if (!(nest->ready & ir_bit(i)))
        pack(nest, builder, i, ir_index_floordiv(builder, segment->to, step), ir_index_const(step));
      nest->packed_before |= ir_bit(i);
    }
}

bool register_pack_has_rows(const register_nest *nest) {
  const register_plan *plan = &nest->plan;
  return nest->block && plan->row_panels >= 0 && nest->block->size == plan->steps[register_plan_row(plan)];
}

void register_pack_rows(register_nest *nest, ir_builder *builder) {
  const register_segment *block = nest->block;
  if (!register_pack_has_rows(nest))
    return;
  nest->tile.starts[register_plan_row(&nest->plan)] = block->from;
  ir_index tiles = ir_index_floordiv(builder, ir_index_sub(builder, block->to, block->from), block->size);
  pack(nest, builder, (unsigned)nest->plan.row_panels, tiles, ir_index_const(block->size));
}

void register_pack_read_rows(register_nest *nest, ir_builder *builder) {
  unsigned row = register_plan_row(&nest->plan);
  ir_index first = ir_index_sub(builder, nest->tile.starts[row], nest->block->from);
  ir_index number = ir_index_floordiv(builder, first, nest->plan.steps[row]);
  read_panel(nest, builder, (unsigned)nest->plan.row_panels, number, ir_index_const(0));
}

bool register_pack_is_inside(const register_nest *nest, unsigned i) {
  return nest->plan.rows_outside && nest->plan.paired < 0 && nest->panels[i] && nest->panels[i]->type->shape[0] > 1;
}

void register_pack_read_terms(register_nest *nest, ir_builder *builder) {
  for (unsigned i = 0; nest->plan.paired >= 0 && i < nest->num_inputs; i++)
    if (vectorize_operand_loops(&nest->tile.operands[i]) & ir_bit((unsigned)nest->plan.simd))
      read_terms_of(nest, builder, i);
}

void register_pack_begin(register_nest *nest, ir_builder *builder) {
  for (unsigned i = 0; i < nest->num_inputs && i < 32; i++)
    if (nest->plan.packed & ir_bit(i) && !register_constant_panels(nest, builder, i)) {
      nest->panels[i] = allocate_panel(nest, i);
      register_ask_plan_panel(nest, i);
    }
  if (nest->plan.row_panels >= 0)
    nest->panels[nest->plan.row_panels] = allocate_panel(nest, (unsigned)nest->plan.row_panels);
  for (unsigned i = 0; i < nest->num_inputs && i < 32; i++)
    if (nest->plan.widened & ir_bit(i))
      widen(nest, builder, i);
}
