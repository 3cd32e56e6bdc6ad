/* torch.h - what the files that take torch-mlir's ops apart share. */
#ifndef TEC_PASSES_TORCH_H
#define TEC_PASSES_TORCH_H
#include "ir/build.h"

/* What the op's body makes of each element of `read` and of `into`, in the latter's place; `first`, which is one of
 * them, is the body's argument 0 (torch.c). */
ir_value *torch_combine(ir_builder *builder, const ir_op *op, ir_value *read, ir_value *into, ir_value *first);
/* Of a tensor, with loop `rank` in place of that along dim `row`: all elements of a row, for each of them (torch.c). */
const ir_map *torch_map_along(ir_module *module, unsigned rank, unsigned row);
/* Replaces a tm_tensor.sort (sort.c). */
void torch_decompose_sort(ir_op *op, bool on_gpu);
/* Replaces a tm_tensor.scatter (scatter.c). */
void torch_decompose_scatter(ir_op *op, bool on_gpu);
#endif
