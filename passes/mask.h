/* mask.h - conditions that a body puts on iterations by comparing indices, as affine inequalities. */
#ifndef TEC_PASSES_MASK_H
#define TEC_PASSES_MASK_H
#include "ir/build.h"

enum { MASK_MAX_TERMS = 8, MASK_MAX_BOUNDS = 4 };

/* sum of steps[l] * (iteration of loop l) + sum of coefficients[i] * values[i] + constant <= 0 */
typedef struct mask_bound {
  ir_op *op; /* the structured op whose loops these are */
  int64_t steps[IR_MAX_LOOPS];
  unsigned count;
  ir_value *values[MASK_MAX_TERMS]; /* of type index, from outside of the op */
  int64_t coefficients[MASK_MAX_TERMS];
  int64_t constant;
} mask_bound;

/* All hold. */
typedef struct mask {
  unsigned count;
  mask_bound bounds[MASK_MAX_BOUNDS];
} mask;

/* Adds what holds wherever `condition`, an i1 that the body of `op` computes, is `wanted`; as much of it as can be said
 * so and as there is room for, which may be nothing. */
void mask_add(mask *mask, ir_op *op, const ir_value *condition, bool wanted);
/* The value is the constant -infinity, by which scores are hidden. */
bool mask_is_hidden(const ir_value *value);
/* As the value of a bound's left side without what its loops add. */
ir_index mask_outer(ir_builder *builder, const mask_bound *bound);
/* factor * x, and floor(x / divisor) for divisors above 0. */
ir_index mask_scaled(ir_builder *builder, ir_index x, int64_t factor);
ir_index mask_quotient(ir_builder *builder, ir_index x, int64_t divisor);
#endif
