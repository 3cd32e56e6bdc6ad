/* math.h - pieces of polynomial math on f32, scalars or rows, for the files that approximate functions. */
#ifndef TEC_BACKEND_MATH_H
#define TEC_BACKEND_MATH_H
#include "backend/llvm.h"

/* ln 2 in two parts: a whole number below 2^9 times the first is exact. */
#define MATH_LN2_HIGH 0x1.62e400p-1
#define MATH_LN2_LOW 0x1.7f7d1cp-20
/* Adding this rounds to an integer n; n + 126, the exponent's field of 2^(n-1), then stands in the low bits of the
 * sum. */
#define MATH_ROUND (0x1.8p+23 + 126)

#define MATH_LOG2_E 0x1.715476p+0
#define MATH_WIDE_LOG2_E 0x1.71547652b82fep+0 /* in f64 */
/* 2^f on [-1/2, 1/2]; relative error 3.0e-9. */
#define MATH_EXP2_COEFFICIENTS                                                                                         \
  { 1.0, 0x1.62e430p-1, 0x1.ebfbdcp-3, 0x1.c6af7cp-5, 0x1.3b2de0p-7, 0x1.5f0830p-10, 0x1.416b60p-13 }

LLVMValueRef math_compare(emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double limit);
/* In f64, and back in f32. */
LLVMValueRef math_widen(emitter *e, LLVMValueRef x);
LLVMValueRef math_narrow(emitter *e, LLVMValueRef x);
/* min(x, limit) for LLVMRealOGT, max(x, limit) for LLVMRealOLT; a NaN stays one. */
LLVMValueRef math_clamp(emitter *e, LLVMRealPredicate beyond, LLVMValueRef x, double limit);
/* coefficients[0] + coefficients[1] x + .. */
LLVMValueRef math_polynomial(emitter *e, LLVMValueRef x, const double *coefficients, unsigned count);
/* Of all elements of an array. */
#define MATH_SERIES(E, X, ARRAY) math_polynomial(E, X, ARRAY, sizeof ARRAY / sizeof *ARRAY)
/* x = n ln 2 + *fraction with n the nearest integer; returns n + MATH_ROUND. |x| < 2^21. */
LLVMValueRef math_reduce(emitter *e, LLVMValueRef x, LLVMValueRef *fraction);
/* 2^(n-1) for the sum n + MATH_ROUND, -126 < n <= 128; 0 for n = -126. */
LLVMValueRef math_half_power(emitter *e, LLVMValueRef sum);
/* x = m 2^*exponent with sqrt(1/2) <= m < sqrt(2), in f32 or f64, for normal x > 0: returns m; the exponent is an
 * integer of as many bits. 0 and infinity count as the powers of two next to those. */
LLVMValueRef math_split(emitter *e, LLVMValueRef x, LLVMValueRef *exponent);
LLVMValueRef math_with_sign_of(emitter *e, LLVMValueRef magnitude, LLVMValueRef sign);
LLVMValueRef math_exp(emitter *e, LLVMValueRef x);
LLVMValueRef math_expm1(emitter *e, LLVMValueRef x);
LLVMValueRef math_log(emitter *e, LLVMValueRef x);
LLVMValueRef math_log2(emitter *e, LLVMValueRef x);
LLVMValueRef math_log1p(emitter *e, LLVMValueRef x);
LLVMValueRef math_tanh(emitter *e, LLVMValueRef x);
LLVMValueRef math_erf(emitter *e, LLVMValueRef x);
LLVMValueRef math_sin(emitter *e, LLVMValueRef x);
LLVMValueRef math_cos(emitter *e, LLVMValueRef x);
LLVMValueRef math_tan(emitter *e, LLVMValueRef x);
/* Not for hosts alone: these call nothing. */
LLVMValueRef math_log10(emitter *e, LLVMValueRef x);
LLVMValueRef math_sinh(emitter *e, LLVMValueRef x);
LLVMValueRef math_cosh(emitter *e, LLVMValueRef x);
LLVMValueRef math_asin(emitter *e, LLVMValueRef x);
LLVMValueRef math_acos(emitter *e, LLVMValueRef x);
LLVMValueRef math_atan(emitter *e, LLVMValueRef x);
LLVMValueRef math_atan2(emitter *e, LLVMValueRef const *operands);
LLVMValueRef math_erfc(emitter *e, LLVMValueRef x);
LLVMValueRef math_cbrt(emitter *e, LLVMValueRef x);
/* A logarithm of x, put right where x is infinite, 0, below 0 or NaN. */
LLVMValueRef math_logarithm_at_ends(emitter *e, LLVMValueRef x, LLVMValueRef logarithm);
LLVMValueRef math_pow(emitter *e, LLVMValueRef const *operands);
/* The C library's function of one or two operands, or the target's, lane by lane; NULL where the target has none. */
LLVMValueRef math_library(emitter *e, const char *name, const LLVMValueRef *x, unsigned num_operands);
#endif
