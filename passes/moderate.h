/* moderate.h - scores that no mask can have made huge. */
#ifndef TEC_PASSES_MODERATE_H
#define TEC_PASSES_MODERATE_H
#include "ir/ir.h"

/* The score, which the body of `op` computes, or vectors outside of such where that is NULL, is made of sums of
 * products, constants of less than 2^20 and what all of a row or a tile share; what chooses between it and infinity
 * counts for nothing. False where that does not show: it may be a mask's number, or that times something. */
bool moderate_score(const ir_op *op, const ir_value *score);
#endif
