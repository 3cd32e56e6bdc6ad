/* turn.c - see turn.h.
 *
 * Invariants
 *  - Blocks are whole: where rows are fewer, what is turned has zeros in their place, and they are cut off behind.
 *  - A block's rows are transposed in one op, of which all extents are known, so that it is done in registers.
 * Terminates: loops over dims, operands and readers. */
#include "passes/turn.h"

#include "passes/body.h"
#include "passes/extent.h"
#include "passes/recast.h"
#include "passes/tile.h"

const ir_map *turn_map(ir_module *module, const ir_map *map, unsigned dim) {
  const ir_expr *results[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < map->num_results; i++)
    if (i != dim)
      results[count++] = map->results[i];
  results[count++] = map->results[dim];
  return ir_map_get(module, map->num_dims, map->num_syms, count, results);
}

static ir_value *empty_turned(ir_builder *builder, ir_value *value, unsigned dim, const turning *turning) {
  ir_index shape[IR_MAX_RANK];
  unsigned count = 0;
  if (turning->blocks > 1)
    shape[count++] = ir_index_const(turning->blocks);
  for (unsigned i = 0; i < value->type->rank; i++)
    if (i != dim)
      shape[count++] = pass_dim(builder, value, i);
  shape[count++] = ir_index_const(turning->lanes);
  return ir_empty(builder, value->type->element, count, shape);
}

ir_value *turn_empty_block(ir_builder *builder, ir_value *value, unsigned dim, int64_t lanes) {
  return empty_turned(builder, value, dim, &(turning){lanes, 1});
}

/* ---------------------------------------------------------------------------------------------------------- slices */

/* The place of a block in what is turned. */
static void place_of_block(ir_builder *builder, ir_value *turned, ir_value *block, ir_index *offsets, ir_index *sizes) {
  for (unsigned i = 0; i < turned->type->rank; i++) {
    offsets[i] = i ? ir_index_const(0) : (ir_index){.value = block};
    sizes[i] = i ? ir_dim(builder, turned, i) : ir_index_const(1);
  }
}

ir_value *turn_extract(ir_builder *builder, ir_value *turned, ir_value *block) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  const ir_type *type = turned->type;
  place_of_block(builder, turned, block, offsets, sizes);
  return ir_extract_slice(builder, turned, offsets, sizes,
                          ir_type_with_shape(builder->module, type, type->rank - 1, type->shape + 1));
}

ir_value *turn_insert(ir_builder *builder, ir_value *value, ir_value *turned, ir_value *block) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  place_of_block(builder, turned, block, offsets, sizes);
  return ir_insert_slice(builder, value, turned, offsets, sizes);
}

/* The place of its rows in the value as it was. */
static void place_of_rows(ir_builder *builder, ir_value *value, unsigned dim, ir_value *block, int64_t lanes,
                          ir_index *offsets, ir_index *sizes) {
  for (unsigned i = 0; i < value->type->rank; i++) {
    offsets[i] = i == dim ? ir_index_scale(builder, (ir_index){.value = block}, lanes) : ir_index_const(0);
    sizes[i] = i == dim ? ir_index_const(lanes) : pass_dim(builder, value, i);
  }
}

static ir_value *extract_rows(ir_builder *builder, ir_value *value, unsigned dim, ir_value *block, int64_t lanes) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  place_of_rows(builder, value, dim, block, lanes, offsets, sizes);
  return ir_extract_slice(builder, value, offsets, sizes, NULL);
}

static ir_value *insert_rows(ir_builder *builder, ir_value *rows, ir_value *into, unsigned dim, ir_value *block,
                             int64_t lanes) {
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  place_of_rows(builder, into, dim, block, lanes, offsets, sizes);
  return ir_insert_slice(builder, rows, into, offsets, sizes);
}

/* Where the rows of a value begin and how far they go, as a slice of one that has more. */
static ir_value *leading_rows(ir_builder *builder, ir_value *padded, ir_value *like, ir_value *insert) {
  tile_box rows;
  tile_whole(builder, like, &rows);
  return insert ? ir_insert_slice(builder, insert, padded, rows.offsets, rows.sizes)
                : ir_extract_slice(builder, padded, rows.offsets, rows.sizes, like->type);
}

/* As the value, but with so many rows. */
static ir_value *empty_with_rows(ir_builder *builder, ir_value *value, unsigned dim, int64_t rows) {
  ir_index shape[IR_MAX_RANK];
  for (unsigned i = 0; i < value->type->rank; i++)
    shape[i] = i == dim ? ir_index_const(rows) : pass_dim(builder, value, i);
  return ir_empty(builder, value->type->element, value->type->rank, shape);
}

/* The value with zeros behind its rows, which are `rows` then. They are copied as they lie, as transposing is fast
 * where it knows how many there are. */
static ir_value *pad(ir_builder *builder, ir_value *value, unsigned dim, int64_t rows) {
  if (value->type->shape[dim] == rows)
    return value;
  ir_value *empty = empty_with_rows(builder, value, dim, rows);
  return leading_rows(builder, ir_fill_const(builder, 0, empty), value, value);
}

/* --------------------------------------------------------------------------------------------------------- turning */

/* A block's rows with their dim last, into `out`, or back. */
static ir_value *transpose(ir_builder *builder, ir_value *rows, unsigned dim, ir_value *out, bool back) {
  const ir_map *identity = ir_map_identity(builder->module, rows->type->rank);
  const ir_map *turned = turn_map(builder->module, identity, dim);
  if (dim + 1 == rows->type->rank)
    return rows;
  return back ? body_copy(builder, rows, turned, out, identity) : body_copy(builder, rows, identity, out, turned);
}

/* A loop over all blocks that carries `out`; the builder goes on inside. */
static ir_op *loop_over_blocks(ir_builder *builder, ir_value *out, const turning *turning) {
  ir_op *loop = ir_for(builder, ir_index_const(0), ir_index_const(turning->blocks), ir_index_const(1), 1, &out);
  *builder = ir_builder_at_end(ir_region(loop, 0));
  return loop;
}

static ir_value *end_loop(ir_builder *builder, ir_op *loop, ir_value *carried) {
  ir_terminator(builder, OP_SCF_YIELD, 1, &carried);
  return ir_result(loop, 0);
}

static ir_value *turn_blocks(ir_builder *builder, ir_value *value, unsigned dim, ir_value *out,
                             const turning *turning) {
  ir_builder inside = *builder;
  ir_op *loop = loop_over_blocks(&inside, out, turning);
  ir_value *block = ir_region(loop, 0)->args[0], *into = ir_region(loop, 0)->args[1];
  ir_value *rows = extract_rows(&inside, value, dim, block, turning->lanes);
  rows = transpose(&inside, rows, dim, turn_empty_block(&inside, rows, dim, turning->lanes), false);
  return end_loop(&inside, loop, turn_insert(&inside, rows, into, block));
}

ir_value *turn_value(ir_builder *builder, ir_value *value, unsigned dim, const turning *turning) {
  int64_t rows = turning->blocks * turning->lanes;
  bool is_last = dim + 1 == value->type->rank && turning->blocks == 1;
  if (is_last && value->type->shape[dim] == rows)
    return value;
  if (ir_made_by(value, OP_TENSOR_EMPTY))
    return empty_turned(builder, value, dim, turning);
  if (ir_made_by(value, OP_LINALG_FILL))
    return ir_fill(builder, ir_operand(value->op, 0), empty_turned(builder, value, dim, turning));
  ir_value *padded = pad(builder, value, dim, rows);
  if (is_last)
    return padded;
  ir_value *empty = empty_turned(builder, value, dim, turning);
  return turning->blocks > 1 ? turn_blocks(builder, padded, dim, empty, turning)
                             : transpose(builder, padded, dim, empty, false);
}

/* A block of what is turned, as rows of `like`. */
static ir_value *block_back(ir_builder *builder, ir_value *turned, ir_value *block, ir_value *like, unsigned dim,
                            int64_t lanes) {
  ir_value *rows = turn_extract(builder, turned, block);
  return transpose(builder, rows, dim, empty_with_rows(builder, like, dim, lanes), true);
}

ir_value *turn_back(ir_builder *builder, ir_value *turned, ir_value *like, unsigned dim, const turning *turning) {
  int64_t rows = turning->blocks * turning->lanes;
  ir_value *value = turned;
  if (turning->blocks > 1) {
    ir_value *out = empty_with_rows(builder, like, dim, rows);
    ir_builder inside = *builder;
    ir_op *loop = loop_over_blocks(&inside, out, turning);
    ir_value *block = ir_region(loop, 0)->args[0], *into = ir_region(loop, 0)->args[1];
    ir_value *part = block_back(&inside, turned, block, like, dim, turning->lanes);
    value = end_loop(&inside, loop, insert_rows(&inside, part, into, dim, block, turning->lanes));
  } else if (dim + 1 < like->type->rank) {
    value = transpose(builder, turned, dim, empty_with_rows(builder, like, dim, rows), true);
  }
  return like->type->shape[dim] == rows ? value : leading_rows(builder, value, like, NULL);
}

/* --------------------------------------------------------------------------------------------------------- readers */

/* The result of the loop, of which rows are a dim; -1: the value is none. */
static int turned_result(const ir_op *old, const ir_value *value, const int *dims) {
  return value->op == old && dims[value->index] >= 0 ? (int)value->index : -1;
}

/* The op's loop over the rows of what it reads of the loop's results, if all of it goes row by row; else -1. */
static int rows_of_reader(const ir_op *old, const ir_op *reader, const int *dims) {
  recast recast;
  int rows = -1;
  if (reader->block != old->block || reader->num_results != 1 || !body_is_elementwise(reader) ||
      !recast_begin(&recast, (ir_op *)reader))
    return -1;
  for (unsigned i = 0; i < recast.num_ins + 1; i++) {
    int result = turned_result(old, recast.operands[i], dims);
    int loop = result < 0 ? rows : ir_map_result_dim(recast.maps[i], (unsigned)dims[result]);
    if (result >= 0 && (loop < 0 || (rows >= 0 && loop != rows)))
      return -1;
    rows = loop;
  }
  for (unsigned i = 0; rows >= 0 && i < recast.num_ins + 1; i++) {
    int dim = ir_map_find_dim(recast.maps[i], (unsigned)rows), result = turned_result(old, recast.operands[i], dims);
    if ((dim < 0 && ir_map_uses_dim(recast.maps[i], (unsigned)rows)) || (result >= 0 && dim != dims[result]) ||
        (dim < 0 && i == recast.num_ins))
      return -1;
  }
  return rows;
}

/* The rows of a block that the reader takes of an operand, of which they are dim `dim`. */
static ir_value *rows_of_operand(ir_builder *builder, ir_value *operand, unsigned dim, const ir_op *old, ir_op *loop,
                                 const int *dims, ir_value *block, const turning *turning) {
  if (turned_result(old, operand, dims) >= 0)
    return block_back(builder, ir_result(loop, operand->index), block, ir_loop_init(old, operand->index), dim,
                      turning->lanes);
  if (ir_made_by(operand, OP_TENSOR_EMPTY))
    return empty_with_rows(builder, operand, dim, turning->lanes);
  return extract_rows(builder, operand, dim, block, turning->lanes);
}

static void turn_reader(ir_op *reader, unsigned rows, const ir_op *old, ir_op *loop, const int *dims,
                        const turning *turning) {
  ir_builder builder = ir_builder_before(reader);
  ir_value *result = ir_result(reader, 0), *empty = pass_empty_like(&builder, result, result->type->element);
  recast recast;
  recast_begin(&recast, reader);
  unsigned dim = (unsigned)ir_map_find_dim(recast.maps[recast.num_ins], rows);
  ir_op *blocks = loop_over_blocks(&builder, empty, turning);
  ir_value *block = ir_region(blocks, 0)->args[0], *into = ir_region(blocks, 0)->args[1];
  for (unsigned i = 0; i <= recast.num_ins; i++) {
    int at = ir_map_find_dim(recast.maps[i], rows);
    if (at >= 0)
      recast.operands[i] = rows_of_operand(&builder, recast.operands[i], (unsigned)at, old, loop, dims, block, turning);
  }
  ir_op *part = recast_create(&recast, &builder, NULL);
  body_move_index(part, rows, ir_index_scale(&builder, (ir_index){.value = block}, turning->lanes));
  ir_value *all = insert_rows(&builder, ir_result(part, 0), into, dim, block, turning->lanes);
  ir_replace_uses(result, end_loop(&builder, blocks, all));
  ir_op_erase(reader);
}

void turn_readers(ir_op *old, ir_op *loop, const int *dims, const turning *turning) {
  for (unsigned i = 0; i < old->num_results; i++)
    for (const ir_use *use = ir_result(old, i)->uses, *next; use; use = next) {
      ir_op *reader = use->user;
      int rows = rows_of_reader(old, reader, dims);
      next = use->next;
      if (rows < 0)
        continue;
      turn_reader(reader, (unsigned)rows, old, loop, dims, turning);
      next = ir_result(old, i)->uses; /* the reader may have been so more than once */
    }
}
