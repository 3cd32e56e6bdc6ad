/* mask.h - conditions that a body puts on iterations by comparing indices, as inequalities of affine functions and of
 * steps of such, quotients that are rounded down. */
#ifndef TEC_PASSES_MASK_H
#define TEC_PASSES_MASK_H
#include "ir/build.h"

enum { MASK_MAX_TERMS = 8, MASK_MAX_BOUNDS = 4, MASK_MAX_QUOTIENTS = 2 };

/* factor * ((left side of *dividend) floordiv divisor) */
typedef struct mask_quotient {
  struct mask_bound *dividend;
  int64_t divisor, factor;
} mask_quotient;

/* sum of steps[l] * (iteration of loop l) + sum of coefficients[i] * values[i] + constant + elements + quotients
 * <= 0 */
typedef struct mask_bound {
  ir_op *op; /* the structured op whose loops these are, or an scf.for whose body computes with vectors */
  int64_t steps[IR_MAX_LOOPS];
  unsigned count;
  ir_value *values[MASK_MAX_TERMS]; /* integers from outside of the op, or its counter */
  int64_t coefficients[MASK_MAX_TERMS];
  bool near[MASK_MAX_TERMS]; /* what is said holds only where the value is at most MASK_NEAR, and not less than that
                              * times -1: beyond, sums may wrap around */
  bool takes_near;           /* there may be such values */
  int64_t constant;
  int64_t least, most; /* what elements of vectors, and remainders, add */
  unsigned num_quotients;
  mask_quotient quotients[MASK_MAX_QUOTIENTS];
} mask_bound;

#define MASK_NEAR (INT64_C(1) << 30)

/* All hold. */
typedef struct mask {
  unsigned count;
  bool takes_near; /* for mask_add, of mask_narrow's bounds: that leaves out nothing where a value is not near */
  mask_bound bounds[MASK_MAX_BOUNDS];
} mask;

/* Both say the same, bound by bound. */
bool mask_equal(const mask *a, const mask *b);

/* What has to hold for a condition to be `wanted`. */
typedef enum mask_join {
  MASK_ALONE, /* it is made of no others */
  MASK_FIRST, /* its first operand is *wanted, which may have changed */
  MASK_BOTH,  /* both operands are */
  MASK_EITHER,
} mask_join;

/* The index, which the body of `op` computes or sees, as the left side of a bound, with values that have to be near
 * where these may be taken; false where it is not linear. */
bool mask_linear(mask_bound *form, ir_op *op, ir_value *index, bool takes_near);
mask_join mask_join_of(const ir_op *condition, bool *wanted);
/* Adds what holds wherever `condition`, an i1 that the body of `op` computes, is `wanted`; as much of it as can be said
 * so and as there is room for, which may be nothing. */
void mask_add(mask *mask, ir_op *op, const ir_value *condition, bool wanted);
/* Adds that an index, of which affine.min may have been taken, is at least so much; false where not all of that can be
 * said. */
bool mask_add_least(mask *mask, ir_op *op, ir_value *index, int64_t least);
/* The value is the constant -infinity, by which scores are hidden. */
bool mask_is_hidden(const ir_value *value);
/* The factor is a constant above 0: what is hidden still is when it is multiplied by it. */
bool mask_keeps_hidden(const ir_value *factor);
/* Makes a bound over the loops of `op` of it: loop i becomes to[i]. False where one that it uses becomes none, -1. */
bool mask_rename(mask_bound *bound, ir_op *op, unsigned count, const int *to);
/* Says the same without dividing what depends on the loop, so that the bound is affine in it. False where it cannot. */
bool mask_undivide(mask_bound *bound, unsigned loop);
/* Adds the least that loops and elements add, with `sign` -1 the most, to the constants; false where that is not known,
 * with the bound as anything. */
bool mask_settle(mask_bound *bound, int sign);
/* As the value of a bound's left side without what its loops and quotients add. */
ir_index mask_outer(ir_builder *builder, const mask_bound *bound);
/* Values of a loop's counter: lower, lower + step, .. below upper. */
typedef struct mask_window {
  ir_value *counter;
  ir_index lower, upper;
  int64_t step;
} mask_window;

/* Leaves out those for which the bound does not hold, without what loops and elements add to it. False, with nothing
 * done, where it does not depend on the counter or needs what is known in the loop only. */
bool mask_narrow(ir_builder *builder, mask_window *window, const mask_bound *bound);
/* The same with the least that loops and elements add: what is left out holds for no iteration of the bound's loops. */
void mask_keep_below(ir_builder *builder, mask_window *window, mask_bound bound);
#endif
