/* elementary.c - logarithms, expm1, tanh and erf in f32 as polynomials, so that they run in all lanes at once.
 *
 * Polynomials are minimax fits with f32 coefficients of what is left after the leading terms, which are exact: results
 * near 0 keep their relative precision. Errors are below 3 ulp over all inputs; NaN in gives NaN out. */
#include "backend/math.h"

/* (log(1 + f) - f + f^2 / 2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]; error 5.8e-9 of log(1 + f). */
static const double log_coefficients[] = {0x1.555554p-2, -0x1.000226p-2, 0x1.99a01cp-3, -0x1.54728ap-3,
                                          0x1.22d930p-3, -0x1.0d8246p-3, 0x1.055eacp-3, -0x1.38c968p-4};
/* (e^f - 1 - f) / f^2 on [-ln 2 / 2, ln 2 / 2]; error 4.3e-10 of e^f - 1. */
static const double expm1_coefficients[] = {0x1.0p-1,      0x1.555554p-3,  0x1.5554f8p-5,
                                            0x1.1112dap-7, 0x1.6d3a3ap-10, 0x1.9e6ef4p-13};
/* erf(x) / x - 1 in x^2, for |x| up to `erf_knee`; error 8.9e-10. */
static const double erf_knee = 0.921875;
static const double erf_coefficients[] = {0x1.06eba8p-3, -0x1.812740p-2,  0x1.ce2d64p-4, -0x1.b80116p-6,
                                          0x1.5449a2p-8, -0x1.a60230p-11, 0x1.4f3dfep-14};
/* -log(1 - erf(x)) / x - 1 from there to 3.95; error 2.1e-10 of erf(x). */
static const double erf_tail_coefficients[] = {0x1.0746a8p-3, 0x1.457014p-1,   0x1.af3134p-4,   -0x1.73a53ep-6,
                                               0x1.80d09ep-9, -0x1.b17076p-15, -0x1.7aec14p-15, 0x1.4920a2p-18};

static LLVMValueRef select_where(emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double limit,
                                 LLVMValueRef yes, LLVMValueRef no) {
  return LLVMBuildSelect(e->builder, math_compare(e, predicate, x, limit), yes, no, "");
}

/* ------------------------------------------------------------------------------------------------------- logarithms */

/* x = 2^exponent (1 + fraction), and log(1 + fraction) = fraction + rest. */
typedef struct logarithm {
  LLVMValueRef exponent, fraction, rest;
} logarithm;

/* For finite x > 0; others are put right by `math_logarithm_at_ends`. */
static logarithm split(emitter *e, LLVMValueRef x) {
  enum { LIFT = 25 };
  LLVMBuilderRef b = e->builder;
  LLVMValueRef lifted = LLVMBuildFMul(b, x, emit_float_like(e, x, 1 << LIFT), "");
  LLVMValueRef lift = select_where(e, LLVMRealOLT, x, 0x1p-126, emit_float_like(e, x, -LIFT), emit_float_like(e, x, 0));
  LLVMValueRef exponent, mantissa = math_split(e, select_where(e, LLVMRealOLT, x, 0x1p-126, lifted, x), &exponent);
  logarithm log;
  log.exponent = LLVMBuildFAdd(b, LLVMBuildSIToFP(b, exponent, LLVMTypeOf(x), ""), lift, "");
  log.fraction = LLVMBuildFSub(b, mantissa, emit_float_like(e, x, 1), "");
  LLVMValueRef square = LLVMBuildFMul(b, log.fraction, log.fraction, "");
  LLVMValueRef cubic =
      LLVMBuildFMul(b, LLVMBuildFMul(b, square, log.fraction, ""), MATH_SERIES(e, log.fraction, log_coefficients), "");
  log.rest = emit_multiply_add(e, square, emit_float_like(e, x, -0.5), cubic);
  return log;
}

/* exponent ln 2 + fraction + rest */
static LLVMValueRef join(emitter *e, const logarithm *log) {
  LLVMValueRef exponent = log->exponent, low = emit_float_like(e, exponent, MATH_LN2_LOW);
  LLVMValueRef sum = LLVMBuildFAdd(e->builder, log->fraction, emit_multiply_add(e, exponent, low, log->rest), "");
  return emit_multiply_add(e, exponent, emit_float_like(e, exponent, MATH_LN2_HIGH), sum);
}

LLVMValueRef math_logarithm_at_ends(emitter *e, LLVMValueRef x, LLVMValueRef log) {
  LLVMValueRef infinity = emit_float_like(e, x, __builtin_inf());
  log = select_where(e, LLVMRealOLT, x, __builtin_inf(), log, x);
  log = select_where(e, LLVMRealOEQ, x, 0, LLVMBuildFNeg(e->builder, infinity, ""), log);
  return select_where(e, LLVMRealOLT, x, 0, emit_float_like(e, x, __builtin_nan("")), log);
}

LLVMValueRef math_log(emitter *e, LLVMValueRef x) {
  logarithm log = split(e, x);
  return math_logarithm_at_ends(e, x, join(e, &log));
}

LLVMValueRef math_log2(emitter *e, LLVMValueRef x) {
  logarithm log = split(e, x);
  LLVMValueRef natural = LLVMBuildFAdd(e->builder, log.fraction, log.rest, "");
  return math_logarithm_at_ends(e, x, emit_multiply_add(e, natural, emit_float_like(e, x, MATH_LOG2_E), log.exponent));
}

/* log(1 + x) = log(u) + (x - (u - 1)) / u, where u is 1 + x rounded. */
LLVMValueRef math_log1p(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef one = emit_float_like(e, x, 1), u = LLVMBuildFAdd(b, one, x, "");
  LLVMValueRef lost = LLVMBuildFSub(b, x, LLVMBuildFSub(b, u, one, ""), "");
  logarithm log = split(e, u);
  log.rest = LLVMBuildFAdd(b, log.rest, LLVMBuildFDiv(b, lost, u, ""), "");
  return math_logarithm_at_ends(e, u, join(e, &log));
}

/* --------------------------------------------------------------------------------------------- made of exponentials */

/* 2^n (e^f - 1) + 2^n - 1, from half of 2^n, which may be 2^128. */
LLVMValueRef math_expm1(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef fraction, half = emit_float_like(e, x, 0.5);
  x = math_clamp(e, LLVMRealOGT, math_clamp(e, LLVMRealOLT, x, -26), 89);
  LLVMValueRef shifted = math_reduce(e, x, &fraction);
  LLVMValueRef power = math_half_power(e, shifted);
  LLVMValueRef tail = LLVMBuildFMul(b, fraction, MATH_SERIES(e, fraction, expm1_coefficients), "");
  LLVMValueRef grown = emit_multiply_add(e, tail, fraction, fraction);
  LLVMValueRef sum = emit_multiply_add(e, power, grown, LLVMBuildFSub(b, power, half, ""));
  return LLVMBuildFAdd(b, sum, sum, "");
}

/* With t = e^2|x| - 1: t / (t + 2), which is 1 from 9.1 on. */
LLVMValueRef math_tanh(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = math_clamp(e, LLVMRealOGT, emit_intrinsic(e, "llvm.fabs", &x, 1), 10);
  LLVMValueRef t = math_expm1(e, LLVMBuildFAdd(b, magnitude, magnitude, ""));
  return math_with_sign_of(e, LLVMBuildFDiv(b, t, LLVMBuildFAdd(b, t, emit_float_like(e, x, 2), ""), ""), x);
}

LLVMValueRef math_erf(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = emit_intrinsic(e, "llvm.fabs", &x, 1), square = LLVMBuildFMul(b, x, x, "");
  LLVMValueRef near = emit_multiply_add(e, magnitude, MATH_SERIES(e, square, erf_coefficients), magnitude);
  LLVMValueRef far = math_clamp(e, LLVMRealOGT, magnitude, 4);
  far = emit_multiply_add(e, far, MATH_SERIES(e, far, erf_tail_coefficients), far);
  far = LLVMBuildFSub(b, emit_float_like(e, x, 1), math_exp(e, LLVMBuildFNeg(b, far, "")), "");
  return math_with_sign_of(e, select_where(e, LLVMRealOLT, magnitude, erf_knee, near, far), x);
}
