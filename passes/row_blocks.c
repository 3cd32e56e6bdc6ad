/* row_blocks.c - parallel loops over blocks of rows.
 *
 * Terminates: loops over dims. */
#include "passes/row_blocks.h"

/* How many of `step` rows are left. */
static ir_index rows_from(ir_builder *body, ir_index extent, ir_index offset, int64_t step) {
  if (step == 1 || (!extent.value && extent.constant % step == 0))
    return ir_index_const(step);
  return ir_index_min(body, ir_index_const(step), ir_index_sub(body, extent, offset));
}

row_blocks row_blocks_create(ir_builder *builder, ir_value *tensor, unsigned row, const int64_t *steps,
                             unsigned num_outs, ir_value *const *outs, ir_builder *body) {
  unsigned rank = tensor->type->rank, num_loops = rank > 1 ? rank - 1 : 1;
  ir_index from[IR_MAX_RANK], to[IR_MAX_RANK], step[IR_MAX_RANK];
  for (unsigned i = 0; i < num_loops; i++) { /* one row: a loop that runs once, as it is one kernel */
    unsigned dim = i + (i >= row);
    from[i] = ir_index_const(0);
    to[i] = rank > 1 ? ir_dim(builder, tensor, dim) : ir_index_const(1);
    step[i] = ir_index_const(rank > 1 ? steps[dim] : 1);
  }
  ir_index length = ir_dim(builder, tensor, row);
  row_blocks blocks = {.forall = ir_forall(builder, num_loops, from, to, step, num_outs, outs)};
  ir_block *block = ir_region(blocks.forall, 0);
  blocks.outs = block->args + num_loops;
  *body = ir_builder_at_end(block);
  for (unsigned dim = 0; dim < rank; dim++) {
    unsigned loop = dim - (dim > row);
    blocks.offsets[dim] = dim == row ? ir_index_const(0) : (ir_index){.value = block->args[loop]};
    blocks.sizes[dim] = dim == row ? length : rows_from(body, to[loop], blocks.offsets[dim], steps[dim]);
  }
  return blocks;
}
