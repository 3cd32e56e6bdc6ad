/* register_constant.c - panels of factors that are constants of the module: they are made here, once, instead of by the
 * kernel in each call (see register_nest.h).
 *
 * The constant's elements move to another one, [batches ..][SIMD tiles][reductions ..][lanes], or, where terms are
 * multiplied in pairs or fours, [batches ..][SIMD tiles][pairs of terms][lanes, of these terms in turn]; there the tile
 * that has part of the columns and of the terms finds its panels as a view. So weights that are known are never copied,
 * and one after the other is read in the order of memory.
 *
 * Invariants
 *  - Nobody else reads the constant, so the program does not become larger. Lanes of the last tile that are beyond the
 *    end are 0.
 *  - The kernel's part of the columns begins with a panel.
 * Terminates: loops over the constant's elements. */
#include "passes/memory.h"
#include "passes/register_nest.h"

#include <string.h>

/* So few rows, or an open number, ask for panels ahead, from so near, as memory takes longer than to multiply: more
 * find the time. Where multiply-adds wait for nothing but memory, its order is all that the machine needs: requests
 * would take the place of what it would read (4 rows .7, 6 .85 times as fast as unasked; 8 are 1.1 times as fast asked,
 * Zen 4, and 4 1.5 times in AVX2 code there). */
enum { ASKING_ROWS = 64, AHEAD_BYTES = 4096 };
/* .. which more rows do where each line has elements for two registers, widened or in pairs (7 rows of pairs 1.13 to
 * 1.2, 5 to 7 that widen 1.05 to 1.3 times as fast asked, fewer .6 to .97; Zen 4), and one or two of AVX2 code as fast.
 * An open number of f32 rows, whose tiles are wide, had better never ask (.75 to .95 times as fast; Zen 4). */
enum { UNASKED_ROWS_OF_PAIRS = 6, UNASKED_ROWS_OF_WIDENED = 4, UNASKED_ROWS_OF_SMALL_TILES = 2 };

/* The constant that an input is a view of, and where the view begins in it. */
typedef struct constant_view {
  const ir_attr *value;
  ir_index begins[IR_MAX_RANK];
} constant_view;

static bool find_constant(ir_builder *builder, const ir_value *input, constant_view *found) {
  const ir_value *view = input;
  found->value = memory_own_constant(input);
  if (!found->value)
    return false;
  for (; view->op->code == OP_MEMREF_SUBVIEW; view = ir_operand(view->op, 0)) {
    ir_slice slice = ir_slice_of(view->op);
    if (!ir_slice_has_unit_strides(&slice))
      return false;
    for (unsigned dim = 0; dim < slice.rank; dim++)
      found->begins[dim] = ir_index_add(builder, found->begins[dim], slice.offsets[dim]);
  }
  return memory_global(view->op)->mark == 1;
}

/* How the dims of a constant become those of its panels. */
typedef struct panel_layout {
  unsigned rank;              /* of the panels, one more than the constant's, whose dim dims[i] is .. */
  unsigned dims[IR_MAX_RANK]; /* .. dim i of the panels but for the last, which counts lanes within a tile */
  unsigned num_batches;       /* dims that no panel has come first; then the one that lanes are along */
  int64_t lanes, pair;        /* terms that are side by side */
} panel_layout;

static bool layout_of(const register_nest *nest, unsigned i, panel_layout *layout) {
  const ir_structure *structure = ir_structure_of(nest->op);
  const ir_map *map = structure->maps[i];
  unsigned loops[IR_MAX_LOOPS], count = register_pack_loops(nest, i, loops), simd = loops[count - 1];
  if (map->num_results == IR_MAX_RANK)
    return false;
  *layout = (panel_layout){.lanes = nest->plan.steps[simd], .pair = register_plan_terms(&nest->plan)};
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(map, dim);
    if (loop != simd && !ir_loop_is_reduction(structure, loop))
      layout->dims[layout->rank++] = dim;
  }
  layout->num_batches = layout->rank;
  layout->dims[layout->rank++] = (unsigned)ir_map_find_dim(map, simd);
  for (unsigned k = 0; k + 1 < count; k++)
    layout->dims[layout->rank++] = (unsigned)ir_map_find_dim(map, loops[k]);
  layout->rank++;
  return true;
}

static void shape_of_panels(const panel_layout *layout, const ir_type *type, int64_t *shape) {
  for (unsigned dim = 0; dim + 1 < layout->rank; dim++)
    shape[dim] = type->shape[layout->dims[dim]];
  shape[layout->num_batches] = (shape[layout->num_batches] + layout->lanes - 1) / layout->lanes;
  shape[layout->rank - 2] /= layout->pair;
  shape[layout->rank - 1] = layout->lanes * layout->pair;
}

/* Copies `count` elements that lie so many apart. */
static void copy_apart(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step, int64_t count,
                       size_t width) {
  size_t to_bytes = (size_t)to_step * width, from_bytes = (size_t)from_step * width;
  if (to_step == 1 && from_step == 1)
    memcpy(to, from, (size_t)count * width);
  else if (width == sizeof(float)) /* of known size, a copy is an instruction */
    for (int64_t i = 0; i < count; i++)
      memcpy(to + (size_t)i * to_bytes, from + (size_t)i * from_bytes, sizeof(float));
  else
    for (int64_t i = 0; i < count; i++)
      memcpy(to + (size_t)i * to_bytes, from + (size_t)i * from_bytes, width);
}

/* The elements in their new order: what the innermost reduction goes over, in one panel after the other. */
static const ir_attr *reorder(ir_module *module, const ir_attr *value, const panel_layout *layout) {
  int64_t shape[IR_MAX_RANK], strides[IR_MAX_RANK], at[IR_MAX_RANK] = {0};
  unsigned last = layout->rank - 1, tiles = layout->num_batches, inner = last - 1;
  const ir_type *from = value->type;
  shape_of_panels(layout, from, shape);
  ir_type_strides(from, strides);
  const ir_type *type = ir_type_tensor(module, from->element, layout->rank, shape);
  size_t width = ir_scalar_bytes(from->element);
  int64_t pair = layout->pair, row = shape[inner] * shape[last], count = ir_type_num_elements(type) / row;
  uint8_t *bytes = ir_arena_alloc(&module->arena, (size_t)(row * count) * width), *to = bytes;
  for (int64_t r = 0; r < count; r++, to += (size_t)row * width) {
    int64_t first = at[tiles] * layout->lanes, left = from->shape[layout->dims[tiles]] - first, begins = 0;
    for (unsigned dim = 0; dim < inner; dim++)
      begins += (dim == tiles ? first : at[dim]) * strides[layout->dims[dim]];
    const uint8_t *source = value->bytes + (size_t)begins * width;
    int64_t lanes = left < layout->lanes ? left : layout->lanes, terms = shape[inner] * pair;
    int64_t by_lane = strides[layout->dims[tiles]], by_term = strides[layout->dims[inner]];
    if (by_lane == 1)
      for (int64_t term = 0; term < terms; term++)
        copy_apart(to + (size_t)(term / pair * shape[last] + term % pair) * width, pair,
                   source + (size_t)(term * by_term) * width, 1, lanes, width);
    else
      for (int64_t lane = 0; lane < lanes * pair; lane++)
        copy_apart(to + (size_t)lane * width, shape[last],
                   source + (size_t)(lane / pair * by_lane + lane % pair * by_term) * width, pair * by_term,
                   shape[inner], width);
    for (unsigned dim = inner; dim-- > 0 && ++at[dim] == shape[dim];)
      at[dim] = 0;
  }
  return ir_attr_dense_bytes(module, type, (unsigned)(row * count), bytes);
}

/* The excess of each lane's sum, by panel: rows of the panels have several terms of one lane after the other. */
static const ir_attr *excesses_of(ir_module *module, const ir_attr *panels, int64_t lanes) {
  const ir_type *from = panels->type;
  unsigned rank = from->rank - 1;
  int64_t shape[IR_MAX_RANK], terms = from->shape[rank] / lanes, rows = from->shape[rank - 1];
  memcpy(shape, from->shape, sizeof shape);
  shape[rank - 1] = lanes;
  const ir_type *type = ir_type_tensor(module, IR_I32, rank, shape);
  int64_t count = ir_type_num_elements(type);
  uint32_t *sums = IR_NEW_ARRAY(&module->arena, uint32_t, count); /* which wrap around as the program's do */
  const int8_t *at = (const int8_t *)panels->bytes;
  for (uint32_t *panel = sums; panel != sums + count; panel += lanes)
    for (int64_t i = 0; i < rows * lanes; i++)
      for (int64_t term = 0; term < terms; term++)
        panel[i % lanes] += (uint32_t)(REGISTER_EXCESS * *at++);
  return ir_attr_dense_bytes(module, type, (unsigned)count, sums);
}

/* Those of the input's batch, where it has all of the constant's terms. */
static void find_excesses(register_nest *nest, ir_builder *builder, unsigned i, const constant_view *view,
                          const panel_layout *layout, const ir_attr *panels) {
  unsigned terms = layout->dims[layout->rank - 2], tiles = layout->num_batches;
  if (!nest->tile.bytes || ir_operand(nest->op, i)->type->shape[terms] != view->value->type->shape[terms])
    return;
  ir_value *memory = memory_of_constant(builder, excesses_of(builder->module, panels, layout->lanes));
  ir_index offsets[IR_MAX_RANK] = {0}, sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < memory->type->rank; dim++) {
    offsets[dim] = dim < tiles ? view->begins[layout->dims[dim]] : ir_index_const(0);
    sizes[dim] = ir_index_const(dim < tiles ? 1 : memory->type->shape[dim]);
  }
  nest->excesses = ir_subview_of_dims(builder, memory, offsets, sizes, NULL, 2, (unsigned[]){tiles, tiles + 1});
}

bool register_constant_panels(register_nest *nest, ir_builder *builder, unsigned i) {
  const ir_value *input = ir_operand(nest->op, i);
  constant_view view = {0};
  panel_layout layout;
  bool is_wide = register_plan_element(nest->op, i, nest->facts) == input->type->element;
  if (!(is_wide || nest->plan.paired >= 0 || register_plan_is_ready(nest->op, i, nest->facts)) ||
      !find_constant(builder, input, &view) || !layout_of(nest, i, &layout) || layout.rank < 3)
    return false;
  unsigned columns = layout.dims[layout.num_batches];
  for (unsigned dim = 0; dim + 1 < layout.rank; dim++) {
    int64_t extent = input->type->shape[layout.dims[dim]];
    if (dim < layout.num_batches ? extent != 1 : extent == IR_DYNAMIC && layout.dims[dim] != columns)
      return false;
  }
  unsigned terms = layout.rank - 2;
  if (ir_index_divisor(view.begins[columns]) % (uint64_t)layout.lanes ||
      ir_index_divisor(view.begins[layout.dims[terms]]) % (uint64_t)layout.pair)
    return false;
  const ir_attr *panels = reorder(builder->module, view.value, &layout);
  ir_value *memory = memory_of_constant(builder, panels);
  ir_index offsets[IR_MAX_RANK] = {0}, sizes[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK], num_kept = 0;
  for (unsigned dim = 0; dim < layout.rank; dim++) {
    bool is_part = dim + 1 < layout.rank && dim != layout.num_batches; /* of a batch or of the terms */
    int64_t pair = dim == terms ? layout.pair : 1;
    offsets[dim] = is_part ? ir_index_floordiv(builder, view.begins[layout.dims[dim]], pair) : ir_index_const(0);
    sizes[dim] = ir_index_const(is_part ? input->type->shape[layout.dims[dim]] / pair : memory->type->shape[dim]);
    if (dim >= layout.num_batches)
      kept[num_kept++] = dim;
  }
  nest->panels[i] = ir_subview_of_dims(builder, memory, offsets, sizes, NULL, num_kept, kept);
  find_excesses(nest, builder, i, &view, &layout, panels);
  nest->firsts[i] = ir_index_floordiv(builder, view.begins[columns], layout.lanes);
  nest->ready |= ir_bit(i);
  return true;
}

/* Up to so many rows use panels of input `i` no faster than the machine follows them by itself. */
static int64_t followed_rows(const register_nest *nest, unsigned i) {
  bool is_narrow = ir_scalar_bits(ir_operand(nest->op, i)->type->element) <= 16;
  if (!target_has_loads_to_spare(nest->facts))
    return UNASKED_ROWS_OF_SMALL_TILES;
  return !is_narrow ? INT64_MAX : nest->plan.paired < 0 ? UNASKED_ROWS_OF_WIDENED : UNASKED_ROWS_OF_PAIRS;
}

/* An open number of rows, along the loop, uses the panels of input `i`. */
static bool has_open_rows(const register_nest *nest, unsigned i, unsigned loop) {
  return nest->ready & ir_bit(i) && nest->extents[loop].value &&
         !ir_map_uses_dim(ir_structure_of(nest->op)->maps[i], loop);
}

void register_constant_ask(register_nest *nest, unsigned loop) {
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (has_open_rows(nest, i, loop) && nest->tile.operands[i].value != ir_operand(nest->op, i))
      nest->tile.operands[i].ahead = register_constant_ahead(nest, i);
}

const ir_attr *register_constant_ahead(const register_nest *nest, unsigned i) {
  const ir_type *panels = nest->panels[i]->type;
  int64_t ahead[IR_MAX_RANK] = {0}, bytes = ir_scalar_bytes(panels->element);
  int64_t uses = register_prefetch_uses(nest->op, i, 1), followed = followed_rows(nest, i);
  unsigned inner = panels->rank - 2;
  ahead[inner] = (nest->facts->has_far_memory ? 2 : 1) * AHEAD_BYTES / (panels->shape[inner + 1] * bytes);
  bool asks = uses <= ASKING_ROWS && !(uses <= followed && register_plan_streams_panels(nest->op, i, nest->facts));
  for (unsigned loop = 0; loop < nest->plan.num_loops; loop++)
    if (has_open_rows(nest, i, loop))
      asks = vector_tile_size(&nest->tile, loop) > followed;
  return asks ? ir_attr_i64s(nest->op->module, panels->rank, ahead) : NULL;
}

bool register_constant_is_near(const register_nest *nest, unsigned i) {
  return nest->facts->has_few_streams ? register_plan_lies_in_memory(nest->panels[i], nest->facts)
                                      : !nest->facts->has_far_memory;
}
