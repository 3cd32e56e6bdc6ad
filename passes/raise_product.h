/* raise_product.h - sums of products of elements as contractions. */
#ifndef TEC_PASSES_RAISE_PRODUCT_H
#define TEC_PASSES_RAISE_PRODUCT_H
#include "passes/target.h"

/* Replaces the op by the contraction that it is, with the op that multiplies element by element; false where it is
 * none, or would be no faster. */
bool raise_product(ir_op *op, const target_facts *target);
#endif
