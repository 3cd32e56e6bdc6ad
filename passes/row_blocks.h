/* row_blocks.h - parallel loops over blocks of rows, for ops that take their rows one element after the other. */
#ifndef TEC_PASSES_ROW_BLOCKS_H
#define TEC_PASSES_ROW_BLOCKS_H
#include "ir/build.h"

typedef struct row_blocks {
  ir_op *forall;
  ir_value **outs; /* what its iterations fill, inside */
  ir_index offsets[IR_MAX_RANK],
      sizes[IR_MAX_RANK]; /* of the block: whole rows; fewer rows than the step, at the end */
} row_blocks;

/* Creates the loop, over the rows of the tensor along dim `row`, steps[dim] of them along each other dim, with an empty
 * body, which `body` then builds. */
row_blocks row_blocks_create(ir_builder *builder, ir_value *tensor, unsigned row, const int64_t *steps,
                             unsigned num_outs, ir_value *const *outs, ir_builder *body);
#endif
