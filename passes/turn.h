/* turn.h - tensors of which one dim, of rows, comes last, so that rows are lanes; where these are many, block by block:
 *
 *     value[.., rows, ..]      becomes      turned[block, .., lanes of the block]
 *
 * One block alone has no dim of blocks. */
#ifndef TEC_PASSES_TURN_H
#define TEC_PASSES_TURN_H
#include "ir/build.h"

typedef struct turning {
  int64_t lanes, blocks;
} turning;

/* The map of a block after dim `dim` of its tensor has become the last. */
const ir_map *turn_map(ir_module *module, const ir_map *map, unsigned dim);
/* As one block of the value, with the dim last. */
ir_value *turn_empty_block(ir_builder *builder, ir_value *value, unsigned dim, int64_t lanes);
/* The value turned. Where it has fewer rows than all blocks, zeros are behind them. */
ir_value *turn_value(ir_builder *builder, ir_value *value, unsigned dim, const turning *turning);
/* What is turned in the order that `like` has, with as many rows. */
ir_value *turn_back(ir_builder *builder, ir_value *turned, ir_value *like, unsigned dim, const turning *turning);
/* The block at that index, and what is turned with another one there. */
ir_value *turn_extract(ir_builder *builder, ir_value *turned, ir_value *block);
ir_value *turn_insert(ir_builder *builder, ir_value *value, ir_value *turned, ir_value *block);
/* Elementwise ops that read results of the loop `old`, which `loop` has turned, do so block by block, and so each block
 * is turned back where it is read. Of what is carried, dims[i] is that of rows, -1: it has none. */
void turn_readers(ir_op *old, ir_op *loop, const int *dims, const turning *turning);
#endif
