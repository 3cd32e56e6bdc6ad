/* nvptx_math.c - functions of the C library on f32 scalars, from the chip's exponential and plain arithmetic.
 *
 * Largest errors, in units of the last place: exp2 2, exp 4, log 3, log2 4, tanh 4, erf 6. Exponentials below the
 * normal range are 0; NaN in gives NaN out. Other functions are those of nvptx_wide.c, and of widened.c those that
 * call nothing; f64 has no form. */
#include "backend/math.h"
#include "backend/nvptx.h"

#include <string.h>

static const double log2_e_rest = 0x1.4ae0c0p-26, ln_2 = 0x1.62e430p-1;

static LLVMValueRef number(emitter *e, double value) {
  return LLVMConstReal(LLVMFloatTypeInContext(e->context), value);
}

static LLVMValueRef exp2_of(emitter *e, LLVMValueRef x) { return emit_intrinsic(e, "llvm.nvvm.ex2.approx.ftz", &x, 1); }

/* 2^t with t = x log2(e); what t lost in rounding is put back as a factor close to 1. The limits lie where the result
 * is 0 or infinity already; they keep the rest of t finite. */
static LLVMValueRef exp_of(emitter *e, LLVMValueRef x) {
  x = emit_intrinsic(e, "llvm.maximum", (LLVMValueRef[]){x, number(e, -104)}, 2);
  x = emit_intrinsic(e, "llvm.minimum", (LLVMValueRef[]){x, number(e, 89)}, 2);
  LLVMValueRef t = LLVMBuildFMul(e->builder, x, number(e, MATH_LOG2_E), "");
  LLVMValueRef rest = emit_multiply_add(e, x, number(e, MATH_LOG2_E), LLVMBuildFNeg(e->builder, t, ""));
  rest = emit_multiply_add(e, x, number(e, log2_e_rest), rest);
  LLVMValueRef factor = emit_multiply_add(e, rest, number(e, ln_2), number(e, 1));
  return LLVMBuildFMul(e->builder, exp2_of(e, t), factor, "");
}

/* With x = m 2^n and sqrt(1/2) <= m < sqrt(2): n `scale` + log(m) `factor`, where log(m) = 2 atanh((m - 1) / (m +
 * 1)). */
static LLVMValueRef logarithm(emitter *e, LLVMValueRef x, double scale, double factor) {
  static const double atanh_series[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef one = number(e, 1);
  LLVMValueRef is_small = math_compare(e, LLVMRealOLT, x, 0x1p-126);
  LLVMValueRef y = LLVMBuildSelect(b, is_small, LLVMBuildFMul(b, x, number(e, 0x1p+23), ""), x, "");
  LLVMValueRef lift = LLVMBuildSelect(b, is_small, emit_word(e, 23), emit_word(e, 0), "");
  LLVMValueRef n, m = math_split(e, y, &n);
  n = LLVMBuildSIToFP(b, LLVMBuildSub(b, n, lift, ""), LLVMTypeOf(x), "");
  LLVMValueRef s = LLVMBuildFDiv(b, LLVMBuildFSub(b, m, one, ""), LLVMBuildFAdd(b, m, one, ""), "");
  LLVMValueRef series = MATH_SERIES(e, LLVMBuildFMul(b, s, s, ""), atanh_series);
  LLVMValueRef part = LLVMBuildFMul(b, LLVMBuildFMul(b, s, series, ""), number(e, factor), "");
  LLVMValueRef result = emit_multiply_add(e, n, number(e, scale), part);
  return math_logarithm_at_ends(e, x, result);
}

static LLVMValueRef log_of(emitter *e, LLVMValueRef x) { return logarithm(e, x, ln_2, 1); }
static LLVMValueRef log2_of(emitter *e, LLVMValueRef x) { return logarithm(e, x, 1, MATH_LOG2_E); }

/* Near 0 the Taylor series, beyond 1 - 2 / (e^2x + 1). */
static LLVMValueRef tanh_of(emitter *e, LLVMValueRef x) {
  static const double series[] = {1.0,         -1.0 / 3,         2.0 / 15,         -17.0 / 315,
                                  62.0 / 2835, -1382.0 / 155925, 21844.0 / 6081075};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = emit_intrinsic(e, "llvm.fabs", &x, 1), one = number(e, 1);
  LLVMValueRef power = exp_of(e, LLVMBuildFAdd(b, magnitude, magnitude, ""));
  LLVMValueRef quotient = LLVMBuildFDiv(b, number(e, 2), LLVMBuildFAdd(b, power, one, ""), "");
  LLVMValueRef large = math_with_sign_of(e, LLVMBuildFSub(b, one, quotient, ""), x);
  LLVMValueRef small = LLVMBuildFMul(b, x, MATH_SERIES(e, LLVMBuildFMul(b, x, x, ""), series), "");
  LLVMValueRef is_small = math_compare(e, LLVMRealOLT, magnitude, 0.4);
  return LLVMBuildSelect(b, is_small, small, large, "");
}

/* Near 0 the Taylor series, beyond 1 - t P(t) e^(-x^2) with t = 1 / (1 + p x) (Abramowitz and Stegun, 7.1.26). */
static LLVMValueRef erf_of(emitter *e, LLVMValueRef x) {
  static const double two_over_root_pi = 0x1.20dd75p+0;
  static const double series[] = {1.0, -1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216, -1.0 / 1320, 1.0 / 9360};
  static const double rational[] = {0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = emit_intrinsic(e, "llvm.fabs", &x, 1), one = number(e, 1);
  LLVMValueRef square = LLVMBuildFMul(b, x, x, "");
  LLVMValueRef t = LLVMBuildFDiv(b, one, emit_multiply_add(e, magnitude, number(e, 0.3275911), one), "");
  LLVMValueRef tail = LLVMBuildFMul(b, LLVMBuildFMul(b, t, MATH_SERIES(e, t, rational), ""),
                                    exp_of(e, LLVMBuildFNeg(b, square, "")), "");
  LLVMValueRef large = math_with_sign_of(e, LLVMBuildFSub(b, one, tail, ""), x);
  LLVMValueRef small =
      LLVMBuildFMul(b, LLVMBuildFMul(b, x, MATH_SERIES(e, square, series), ""), number(e, two_over_root_pi), "");
  LLVMValueRef is_small = math_compare(e, LLVMRealOLT, magnitude, 0.5);
  return LLVMBuildSelect(b, is_small, small, large, "");
}

LLVMValueRef nvptx_library(emitter *e, const char *name, LLVMValueRef const *operands) {
  static const struct {
    const char *name;
    LLVMValueRef (*emit)(emitter *e, LLVMValueRef x);
  } functions[] = {{"exp2", exp2_of},   {"exp", exp_of},     {"log", log_of},       {"log2", log2_of},
                   {"tanh", tanh_of},   {"erf", erf_of},     {"log10", math_log10}, {"sinh", math_sinh},
                   {"cosh", math_cosh}, {"asin", math_asin}, {"acos", math_acos},   {"atan", math_atan},
                   {"erfc", math_erfc}, {"cbrt", math_cbrt}};
  if (LLVMGetTypeKind(LLVMTypeOf(operands[0])) != LLVMFloatTypeKind)
    return NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].name, name))
      return functions[i].emit(e, operands[0]);
  return nvptx_wide_library(e, name, operands);
}
