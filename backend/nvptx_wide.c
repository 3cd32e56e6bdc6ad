/* nvptx_wide.c - functions of the C library on f32 that lose too many digits in f32: they are computed in f64 and
 * rounded once. They cost some dozens of f64 operations, so what softmax and activations need does not stand here.
 *
 * Largest errors: 1 unit of the last place, and -0 is kept but by expm1. sin, cos and tan give NaN beyond 2^50. */
#include "backend/math.h"
#include "backend/nvptx.h"

#include <string.h>

static const double ln_2 = 0x1.62e42fefa39efp-1;
static const double round_magic = 0x1.8p52; /* the sum with it ends in the nearest integer's bits */

static LLVMValueRef number(emitter *e, double value) {
  return LLVMConstReal(LLVMDoubleTypeInContext(e->context), value);
}
static LLVMValueRef word(emitter *e, int64_t value) {
  return LLVMConstInt(LLVMInt64TypeInContext(e->context), (uint64_t)value, true);
}
static LLVMValueRef bits_of(emitter *e, LLVMValueRef x) {
  return LLVMBuildBitCast(e->builder, x, LLVMInt64TypeInContext(e->context), "");
}
static LLVMValueRef float_of(emitter *e, LLVMValueRef bits) {
  return LLVMBuildBitCast(e->builder, bits, LLVMDoubleTypeInContext(e->context), "");
}
static LLVMValueRef choose(emitter *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildSelect(e->builder, condition, x, y, "");
}

/* log2 x, for a double that is a float or a sum of two; of what lies below 0, anything. */
static LLVMValueRef log2_of(emitter *e, LLVMValueRef x) {
  static const double atanh_series[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef n, m = math_split(e, x, &n), one = number(e, 1);
  LLVMValueRef s = LLVMBuildFDiv(b, LLVMBuildFSub(b, m, one, ""), LLVMBuildFAdd(b, m, one, ""), "");
  LLVMValueRef part = LLVMBuildFMul(b, s, MATH_SERIES(e, LLVMBuildFMul(b, s, s, ""), atanh_series), "");
  n = LLVMBuildSIToFP(b, n, LLVMTypeOf(x), "");
  LLVMValueRef result = emit_multiply_add(e, part, number(e, MATH_WIDE_LOG2_E), n);
  result = choose(e, math_compare(e, LLVMRealOLT, x, __builtin_inf()), result, x);
  return choose(e, math_compare(e, LLVMRealOEQ, x, 0), number(e, -__builtin_inf()), result);
}

/* 2^t = (1 + *rest) 2^n: the power 2^n, for exponents far beyond those of f32 too. */
static LLVMValueRef exp2_parts(emitter *e, LLVMValueRef t, LLVMValueRef *rest) {
  /* ln(2)^k / k! */
  static const double series[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a0bfp-5,
                                  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6730p-10, 0x1.430912f86c786p-13,
                                  0x1.ffcbfc588b0c5p-17, 0x1.62c0223a5c822p-20};
  LLVMBuilderRef b = e->builder;
  t = choose(e, math_compare(e, LLVMRealOGT, t, 200), number(e, 200), t);
  t = choose(e, math_compare(e, LLVMRealOLT, t, -200), number(e, -200), t);
  LLVMValueRef shifted = LLVMBuildFAdd(b, t, number(e, round_magic), "");
  LLVMValueRef fraction = LLVMBuildFSub(b, t, LLVMBuildFSub(b, shifted, number(e, round_magic), ""), "");
  *rest = LLVMBuildFMul(b, fraction, MATH_SERIES(e, fraction, series), "");
  return float_of(e, LLVMBuildShl(b, LLVMBuildAdd(b, bits_of(e, shifted), word(e, 1023), ""), word(e, 52), ""));
}

static LLVMValueRef pow_of(emitter *e, LLVMValueRef const *operands) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = operands[0], y = operands[1];
  LLVMValueRef exponent = log2_of(e, math_widen(e, emit_intrinsic(e, "llvm.fabs", &x, 1))), rest;
  LLVMValueRef t = LLVMBuildFMul(b, exponent, math_widen(e, y), "");
  LLVMValueRef of_one =
      LLVMBuildAnd(b, math_compare(e, LLVMRealOEQ, exponent, 0), math_compare(e, LLVMRealORD, y, 0), "");
  LLVMValueRef power = exp2_parts(e, choose(e, of_one, number(e, 0), t), &rest);
  LLVMValueRef result = math_narrow(e, emit_multiply_add(e, power, rest, power));
  LLVMValueRef half = LLVMBuildFMul(b, y, LLVMConstReal(LLVMTypeOf(y), 0.5), "");
  LLVMValueRef whole = LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic(e, "llvm.floor", &y, 1), y, "");
  LLVMValueRef even = LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic(e, "llvm.floor", &half, 1), half, "");
  LLVMValueRef odd = LLVMBuildAnd(b, whole, LLVMBuildNot(b, even, ""), "");
  LLVMValueRef with_sign = emit_intrinsic(e, "llvm.copysign", (LLVMValueRef[]){result, x}, 2);
  result = choose(e, odd, with_sign, result);
  LLVMValueRef negative =
      LLVMBuildAnd(b, math_compare(e, LLVMRealOLT, x, 0), math_compare(e, LLVMRealOGT, x, -__builtin_inf()), "");
  LLVMValueRef no_number = LLVMBuildAnd(b, negative, LLVMBuildNot(b, whole, ""), "");
  result = choose(e, no_number, LLVMConstReal(LLVMTypeOf(x), __builtin_nan("")), result);
  LLVMValueRef is_one = LLVMBuildOr(b, math_compare(e, LLVMRealOEQ, x, 1), math_compare(e, LLVMRealOEQ, y, 0), "");
  return choose(e, is_one, LLVMConstReal(LLVMTypeOf(x), 1), result);
}

/* log(w) x / (w - 1) with w = 1 + x as it rounds, so that the rounding does not matter. */
static LLVMValueRef log1p_of(emitter *e, LLVMValueRef const *operands) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = math_widen(e, operands[0]), one = number(e, 1), w = LLVMBuildFAdd(b, one, x, "");
  LLVMValueRef step = LLVMBuildFSub(b, w, one, "");
  LLVMValueRef log = LLVMBuildFMul(b, log2_of(e, w), number(e, ln_2), "");
  LLVMValueRef result = LLVMBuildFMul(b, log, LLVMBuildFDiv(b, x, step, ""), "");
  LLVMValueRef is_plain =
      LLVMBuildAnd(b, math_compare(e, LLVMRealONE, step, 0), math_compare(e, LLVMRealOLT, x, __builtin_inf()), "");
  result = choose(e, is_plain, result, x);
  return math_narrow(e, choose(e, math_compare(e, LLVMRealOLT, x, -1), number(e, __builtin_nan("")), result));
}

static LLVMValueRef expm1_of(emitter *e, LLVMValueRef const *operands) {
  LLVMValueRef rest, t = LLVMBuildFMul(e->builder, math_widen(e, operands[0]), number(e, MATH_WIDE_LOG2_E), "");
  LLVMValueRef power = exp2_parts(e, t, &rest);
  return math_narrow(e, emit_multiply_add(e, power, rest, LLVMBuildFSub(e->builder, power, number(e, 1), "")));
}

/* sin(x + quarter pi / 2), from the rest of x to the nearest multiple of pi / 2 and which quarter that is. */
static LLVMValueRef sine(emitter *e, LLVMValueRef argument, int64_t quarter) {
  static const double sin_series[] = {1.0,          -1.0 / 6,          1.0 / 120,         -1.0 / 5040,
                                      1.0 / 362880, -1.0 / 39916800.0, 1.0 / 6227020800.0};
  static const double cos_series[] = {1.0,           -1.0 / 2,         1.0 / 24,         -1.0 / 720,
                                      1.0 / 40320.0, -1.0 / 3628800.0, 1.0 / 479001600.0};
  static const double half_pi = 0x1.921fb54442d18p+0, half_pi_rest = 0x1.1a62633145c07p-54,
                      two_over_pi = 0x1.45f306dc9c883p-1;
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = math_widen(e, argument), magic = number(e, round_magic);
  LLVMValueRef shifted = LLVMBuildFAdd(b, LLVMBuildFMul(b, x, number(e, two_over_pi), ""), magic, "");
  LLVMValueRef turns = LLVMBuildFSub(b, shifted, magic, "");
  LLVMValueRef rest = emit_multiply_add(e, turns, number(e, -half_pi), x); /* -0 of -0, as 0 turns times that is -0 */
  rest = emit_multiply_add(e, turns, number(e, -half_pi_rest), rest);
  LLVMValueRef square = LLVMBuildFMul(b, rest, rest, "");
  LLVMValueRef sin = LLVMBuildFMul(b, rest, MATH_SERIES(e, square, sin_series), "");
  LLVMValueRef cos = MATH_SERIES(e, square, cos_series);
  LLVMValueRef n = LLVMBuildAdd(b, bits_of(e, shifted), word(e, quarter), ""), none = word(e, 0);
  LLVMValueRef odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, n, word(e, 1), ""), none, "");
  LLVMValueRef negative = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, n, word(e, 2), ""), none, "");
  LLVMValueRef result = choose(e, odd, cos, sin);
  result = choose(e, negative, LLVMBuildFNeg(b, result, ""), result);
  LLVMValueRef in_range = math_compare(e, LLVMRealOLT, emit_intrinsic(e, "llvm.fabs", &x, 1), 0x1p50);
  return choose(e, in_range, result, number(e, __builtin_nan("")));
}

static LLVMValueRef sin_of(emitter *e, LLVMValueRef const *operands) { return math_narrow(e, sine(e, operands[0], 0)); }
static LLVMValueRef cos_of(emitter *e, LLVMValueRef const *operands) { return math_narrow(e, sine(e, operands[0], 1)); }
static LLVMValueRef tan_of(emitter *e, LLVMValueRef const *operands) {
  return math_narrow(e, LLVMBuildFDiv(e->builder, sine(e, operands[0], 0), sine(e, operands[0], 1), ""));
}

LLVMValueRef nvptx_wide_library(emitter *e, const char *name, LLVMValueRef const *operands) {
  static const struct {
    const char *name;
    LLVMValueRef (*emit)(emitter *e, LLVMValueRef const *operands);
  } functions[] = {{"pow", pow_of}, {"log1p", log1p_of}, {"expm1", expm1_of},  {"sin", sin_of},
                   {"cos", cos_of}, {"tan", tan_of},     {"atan2", math_atan2}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].name, name))
      return functions[i].emit(e, operands);
  return NULL;
}
