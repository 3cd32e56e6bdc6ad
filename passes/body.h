/* body.h - what the bodies of structured ops compute, seen through conversions between float types, and what passes
 * write into them. */
#ifndef TEC_PASSES_BODY_H
#define TEC_PASSES_BODY_H
#include "ir/build.h"

/* What was converted to the value by extensions and truncations; the value itself where none were. */
ir_value *body_unconverted(ir_value *value);
/* The op has two operands, and its body gives the product of their elements, up to conversions. */
bool body_is_product(const ir_op *op);

/* a / b, and 0 where b is 0. */
ir_value *body_quotient(ir_builder *body, ir_value *a, ir_value *b);
/* Ends the body of a generic with `value`, converted to the type of the one output. Returns its result. */
ir_value *body_finish(ir_builder *body, ir_op *generic, ir_value *value);
#endif
