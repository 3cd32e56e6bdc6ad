/* body.h - what the bodies of structured ops compute, seen through conversions between float types. */
#ifndef TEC_PASSES_BODY_H
#define TEC_PASSES_BODY_H
#include "ir/ir.h"

/* What was converted to the value by extensions and truncations; the value itself where none were. */
ir_value *body_unconverted(ir_value *value);
/* The op has two operands, and its body gives the product of their elements, up to conversions. */
bool body_is_product(const ir_op *op);
#endif
