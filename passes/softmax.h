/* softmax.h - creating online softmax (softmax.c), and taking it apart. */
#ifndef TEC_PASSES_SOFTMAX_H
#define TEC_PASSES_SOFTMAX_H
#include "ir/build.h"

/* linalg_ext.softmax of `x` into `out` along `dim`, from the empty state: fills for the running maximum (lowest finite)
 * and sum (0), in f32, or f64 for f64. Results: softmax, maximum, sum, scale. It can be tiled over `dim`. */
ir_op *softmax_create(ir_builder *builder, ir_value *x, ir_value *out, unsigned dim);
/* Replaces a softmax, online or not, on tensors by reductions and elementwise ops (decompose.c). `repeats`: exponentials
 * are computed again for the quotients, so that those of a long row need not be kept. */
void softmax_decompose(ir_op *op, bool repeats);
#endif
