/* running.h - what a loop with a running softmax carries from iteration to iteration. */
#ifndef TEC_PASSES_RUNNING_H
#define TEC_PASSES_RUNNING_H
#include "ir/ir.h"

/* The one softmax of the loop's body; NULL if there is none, or more. */
ir_op *running_softmax(const ir_op *loop);
/* The value through ops that only move or convert it, as an elementwise op beside `op` makes it; NULL: none does. */
ir_value *running_made_beside(const ir_op *op, ir_value *value);
/* The argument of the loop's body that the value equals in an iteration whose weights are all 0; NULL if that is not
 * known. A slice that is put back where it was taken changes nothing. Weights are those of a softmax; with `sum`, in a
 * loop without one, they are the terms of the one contraction or other sum that adds to the value: *sum, which is NULL
 * before and where there is none. */
ir_value *running_argument(const ir_op *loop, ir_value *value, ir_op **sum);
#endif
