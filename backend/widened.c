/* widened.c - functions of f32, computed in f64, so that they run in all lanes at once.
 *
 * With 53 bits, results are good to a little more than half a unit in the last place of f32 without any care for what
 * gets lost on the way, and nothing overflows that does not in f32. In sin, cos, tan and pow, operands that would need
 * care - angles beyond 2^20, zeros, infinities, NaN - are left to the C library: where a lane has one, all lanes take
 * that way. The other functions call nothing, so they serve the scalars of chips without a library, too.
 *
 * Terminates: code of fixed length, without loops. */
#include "backend/math.h"

enum { MANTISSA_BITS = 52, BIAS = 1023 };

static LLVMValueRef magnitude_of(emitter *e, LLVMValueRef x) { return emit_intrinsic(e, "llvm.fabs", &x, 1); }

/* fast where no lane of `rare` is true; else what the C library's function gives. */
static LLVMValueRef unless_rare(emitter *e, LLVMValueRef rare, LLVMValueRef fast, const char *name,
                                const LLVMValueRef *x, unsigned num_operands) {
  LLVMValueRef any = emit_lanes(rare) ? emit_intrinsic(e, "llvm.vector.reduce.or", &rare, 1) : rare;
  LLVMBasicBlockRef slow = emit_block(e, "rare"), join = emit_block(e, "");
  LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(e->builder), NULL};
  LLVMBuildCondBr(e->builder, any, slow, join);
  LLVMPositionBuilderAtEnd(e->builder, slow);
  LLVMValueRef values[] = {fast, math_library(e, name, x, num_operands)};
  from[1] = LLVMGetInsertBlock(e->builder);
  LLVMBuildBr(e->builder, join);
  LLVMPositionBuilderAtEnd(e->builder, join);
  LLVMValueRef result = LLVMBuildPhi(e->builder, LLVMTypeOf(fast), "");
  LLVMAddIncoming(result, values, from, 2);
  return result;
}

/* The integer bits of f64, or of a count in as many lanes. */
static LLVMTypeRef word_like(emitter *e, LLVMValueRef x) {
  return emit_type_like(x, LLVMInt64TypeInContext(e->context));
}

/* ----------------------------------------------------------------------------------------------------------- angles */

/* pi / 2 in three parts; a whole number below 2^20 times the first or the second is exact. */
static const double half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double two_over_pi = 0x1.45f306dc9c883p-1;
/* (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2 on [-pi / 4, pi / 4]; errors 5e-12 of sin, 2e-13 of
 * cos. */
static const double sin_coefficients[] = {-0x1.5555554c71ca1p-3, 0x1.1111086a5d9fdp-7, -0x1.a00f7f2697d30p-13,
                                          0x1.6cd1f24e20ff3p-19};
static const double cos_coefficients[] = {0x1.5555554ed97d5p-5, -0x1.6c16b82a20bb4p-10, 0x1.a010dee07dcdep-16,
                                          -0x1.241ea0848c52ap-22};

/* sin(|x| + quarter * pi / 2) */
static LLVMValueRef sine(emitter *e, LLVMValueRef x, int64_t quarter, LLVMValueRef *turned) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef angle = magnitude_of(e, x);
  LLVMValueRef turns = LLVMBuildFMul(b, angle, emit_float_like(e, x, two_over_pi), "");
  LLVMValueRef number = emit_intrinsic(e, "llvm.rint", &turns, 1);
  for (unsigned i = 0; i < 3; i++)
    angle = LLVMBuildFSub(b, angle, LLVMBuildFMul(b, number, emit_float_like(e, x, half_pi[i]), ""), "");
  LLVMValueRef square = LLVMBuildFMul(b, angle, angle, ""), cube = LLVMBuildFMul(b, square, angle, "");
  LLVMValueRef sin = emit_multiply_add(e, cube, MATH_SERIES(e, square, sin_coefficients), angle);
  LLVMValueRef cos =
      emit_multiply_add(e, square, MATH_SERIES(e, square, cos_coefficients), emit_float_like(e, x, -0.5));
  cos = emit_multiply_add(e, square, cos, emit_float_like(e, x, 1));
  LLVMTypeRef count = emit_type_like(x, emit_word_type(e));
  LLVMValueRef quadrant = LLVMBuildFPToSI(b, number, count, "");
  quadrant = LLVMBuildAdd(b, quadrant, emit_int_like(e, quadrant, quarter), "");
  LLVMValueRef odd = LLVMBuildTrunc(b, quadrant, emit_type_like(x, LLVMInt1TypeInContext(e->context)), "");
  LLVMValueRef half = LLVMBuildLShr(b, quadrant, emit_int_like(e, quadrant, 1), "");
  *turned = LLVMBuildTrunc(b, half, emit_type_like(x, LLVMInt1TypeInContext(e->context)), "");
  return LLVMBuildSelect(b, odd, cos, sin, "");
}

typedef enum { SINE, COSINE, TANGENT } ratio;

/* LLVM sees that the tangent's sine and cosine begin alike. */
static LLVMValueRef ratio_of(emitter *e, LLVMValueRef x, const char *name, ratio kind) {
  enum { MOST = 1 << 20 };
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = magnitude_of(e, x), turned;
  LLVMValueRef rare = math_compare(e, LLVMRealUGT, magnitude, MOST);
  LLVMValueRef tame = LLVMBuildSelect(b, rare, emit_float_like(e, x, 0), x, "");
  LLVMValueRef y = sine(e, math_widen(e, tame), kind == COSINE, &turned);
  if (kind == TANGENT) {
    LLVMValueRef cosine_turned, cosine = sine(e, math_widen(e, tame), 1, &cosine_turned);
    y = LLVMBuildFDiv(b, y, cosine, "");
    turned = LLVMBuildXor(b, turned, cosine_turned, "");
  }
  y = math_narrow(e, y);
  y = LLVMBuildSelect(b, turned, LLVMBuildFNeg(b, y, ""), y, "");
  if (kind != COSINE)
    y = LLVMBuildFMul(b, y, math_with_sign_of(e, emit_float_like(e, x, 1), x), "");
  return unless_rare(e, rare, y, name, &x, 1);
}

LLVMValueRef math_sin(emitter *e, LLVMValueRef x) { return ratio_of(e, x, "sin", SINE); }
LLVMValueRef math_cos(emitter *e, LLVMValueRef x) { return ratio_of(e, x, "cos", COSINE); }
LLVMValueRef math_tan(emitter *e, LLVMValueRef x) { return ratio_of(e, x, "tan", TANGENT); }

/* atan(q) / q in q^2 for q from 0 to 1; relative error 3.8e-10. */
static const double atan_coefficients[] = {0x1.fffffffcd6687p-1,  -0x1.55554f0ffb707p-2, 0x1.999788b9dc1ffp-3,
                                           -0x1.246ffc63bb3ecp-3, 0x1.c4cb7516d0c7fp-4,  -0x1.68675d162b611p-4,
                                           0x1.1319a50c65e5cp-4,  -0x1.6b633502a5be6p-5, 0x1.6cf16dbae4b7ep-6,
                                           -0x1.d7c9ea4bf4925p-8, 0x1.1dfba34ef1d27p-10};

/* The angle of the point (x, y) in f64 that is made of f32: of the smaller coordinate over the larger, then mirrored.
 * The limits, far beyond what f32 holds and its roots, make 0 / 0 and infinity / infinity 0 and 1. */
static LLVMValueRef angle_of(emitter *e, LLVMValueRef y, LLVMValueRef x) {
  static const double pi = 0x1.921fb54442d18p+1;
  const double FAR = 1e300, NEAR = 1e-300;
  LLVMBuilderRef b = e->builder;
  LLVMValueRef along = math_clamp(e, LLVMRealOGT, magnitude_of(e, x), FAR);
  LLVMValueRef across = math_clamp(e, LLVMRealOGT, magnitude_of(e, y), FAR);
  LLVMValueRef steep = LLVMBuildFCmp(b, LLVMRealOGT, across, along, "");
  LLVMValueRef larger = LLVMBuildSelect(b, steep, across, along, "");
  LLVMValueRef smaller = LLVMBuildSelect(b, steep, along, across, "");
  LLVMValueRef quotient = LLVMBuildFDiv(b, smaller, math_clamp(e, LLVMRealOLT, larger, NEAR), "");
  LLVMValueRef square = LLVMBuildFMul(b, quotient, quotient, "");
  LLVMValueRef angle = LLVMBuildFMul(b, quotient, MATH_SERIES(e, square, atan_coefficients), "");
  angle = LLVMBuildSelect(b, steep, LLVMBuildFSub(b, emit_float_like(e, x, pi / 2), angle, ""), angle, "");
  LLVMValueRef behind = math_compare(e, LLVMRealOLT, math_with_sign_of(e, emit_float_like(e, x, 1), x), 0);
  angle = LLVMBuildSelect(b, behind, LLVMBuildFSub(b, emit_float_like(e, x, pi), angle, ""), angle, "");
  return math_narrow(e, math_with_sign_of(e, angle, y));
}

/* sqrt(1 - x^2), of numbers beyond 1 NaN */
static LLVMValueRef other_side(emitter *e, LLVMValueRef x) {
  LLVMValueRef one = emit_float_like(e, x, 1);
  LLVMValueRef square =
      LLVMBuildFMul(e->builder, LLVMBuildFSub(e->builder, one, x, ""), LLVMBuildFAdd(e->builder, one, x, ""), "");
  return emit_intrinsic(e, "llvm.sqrt", &square, 1);
}

LLVMValueRef math_atan2(emitter *e, LLVMValueRef const *operands) {
  return angle_of(e, math_widen(e, operands[0]), math_widen(e, operands[1]));
}
LLVMValueRef math_atan(emitter *e, LLVMValueRef x) {
  LLVMValueRef wide = math_widen(e, x);
  return angle_of(e, wide, emit_float_like(e, wide, 1));
}
LLVMValueRef math_asin(emitter *e, LLVMValueRef x) {
  LLVMValueRef wide = math_widen(e, x);
  return angle_of(e, wide, other_side(e, wide));
}
LLVMValueRef math_acos(emitter *e, LLVMValueRef x) {
  LLVMValueRef wide = math_widen(e, x);
  return angle_of(e, other_side(e, wide), wide);
}

/* ----------------------------------------------------------------------------------------------------------- powers */

/* (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, for (1 + s) / (1 - s) from sqrt(1/2) to sqrt(2); error 5e-12. */
static const double log_coefficients[] = {0x1.555554fddb6cbp-1, 0x1.999a7a28929e7p-2, 0x1.2438ed835685ap-2,
                                          0x1.e2f3704492144p-3};
static const double exp2_coefficients[] = MATH_EXP2_COEFFICIENTS;

/* Of x >= 0 that was an f32, normal or not: 0 counts as 2^-1023, infinity as 2^1024, whose powers and roots are those
 * of 0 and infinity in f32. */
static LLVMValueRef log2_of(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef exponent, fraction = math_split(e, x, &exponent), one = emit_float_like(e, x, 1);
  LLVMValueRef s = LLVMBuildFDiv(b, LLVMBuildFSub(b, fraction, one, ""), LLVMBuildFAdd(b, fraction, one, ""), "");
  LLVMValueRef square = LLVMBuildFMul(b, s, s, "");
  LLVMValueRef log = emit_multiply_add(e, square, MATH_SERIES(e, square, log_coefficients), emit_float_like(e, x, 2));
  log = LLVMBuildFMul(b, LLVMBuildFMul(b, s, log, ""), emit_float_like(e, x, MATH_WIDE_LOG2_E), "");
  LLVMTypeRef count = emit_type_like(x, emit_word_type(e));
  exponent = LLVMBuildTrunc(b, exponent, count, "");
  return LLVMBuildFAdd(b, LLVMBuildSIToFP(b, exponent, LLVMTypeOf(x), ""), log, "");
}

/* Of |x| < 1000. */
static LLVMValueRef exp2_of(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef number = emit_intrinsic(e, "llvm.rint", &x, 1);
  LLVMValueRef p = MATH_SERIES(e, LLVMBuildFSub(b, x, number, ""), exp2_coefficients);
  LLVMValueRef count = LLVMBuildFPToSI(b, number, emit_type_like(x, emit_word_type(e)), "");
  LLVMValueRef bits = LLVMBuildSExt(b, count, word_like(e, x), "");
  bits = LLVMBuildAdd(b, bits, emit_int_like(e, bits, BIAS), "");
  bits = LLVMBuildShl(b, bits, emit_int_like(e, bits, MANTISSA_BITS), "");
  return LLVMBuildFMul(b, p, LLVMBuildBitCast(b, bits, LLVMTypeOf(x), ""), "");
}

static LLVMValueRef is_whole(emitter *e, LLVMValueRef x) {
  return LLVMBuildFCmp(e->builder, LLVMRealOEQ, emit_intrinsic(e, "llvm.rint", &x, 1), x, "");
}

/* 2^(y log2 |x|), which rounds to 0 or infinity from 2^-151 and 2^129 on; negative where x is and y is odd. */
LLVMValueRef math_pow(emitter *e, LLVMValueRef const *operands) {
  enum { MOST = 160 };
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = operands[0], y = operands[1], magnitude = magnitude_of(e, x);
  LLVMValueRef exponent = magnitude_of(e, y), one = emit_float_like(e, x, 1);
  LLVMValueRef outside = LLVMBuildOr(b, math_compare(e, LLVMRealUEQ, magnitude, 0),
                                     math_compare(e, LLVMRealUEQ, magnitude, __builtin_inf()), "");
  LLVMValueRef rare = LLVMBuildOr(b, outside, math_compare(e, LLVMRealUEQ, exponent, __builtin_inf()), "");
  LLVMValueRef base = math_widen(e, LLVMBuildSelect(b, outside, one, magnitude, ""));
  LLVMValueRef power = LLVMBuildFMul(b, math_widen(e, y), log2_of(e, base), "");
  power = math_clamp(e, LLVMRealUGT, math_clamp(e, LLVMRealULT, power, -MOST), MOST);
  LLVMValueRef result = math_narrow(e, exp2_of(e, power));
  LLVMValueRef odd = LLVMBuildNot(b, is_whole(e, LLVMBuildFMul(b, y, emit_float_like(e, y, 0.5), "")), "");
  LLVMValueRef of_negative = LLVMBuildSelect(b, odd, LLVMBuildFNeg(b, result, ""), result, "");
  of_negative = LLVMBuildSelect(b, is_whole(e, y), of_negative, emit_float_like(e, x, __builtin_nan("")), "");
  result = LLVMBuildSelect(b, math_compare(e, LLVMRealOLT, x, 0), of_negative, result, "");
  return unless_rare(e, rare, result, "pow", operands, 2);
}

/* --------------------------------------------------------------------------------- made of powers and of logarithms */

/* sinh(x) / x in x^2: its Taylor series, for x up to 1; error 1.6e-10. */
static const double sinh_coefficients[] = {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800};
/* e^(x^2) erfc(x) / t in t = 3 / (3 + x), for x from 0 to 10.1; relative error 2.0e-9. */
static const double erfc_coefficients[] = {
    0x1.811904657bdf1p-3, 0x1.826b0007ef7f6p-3,  0x1.5f2e196996de3p-3, 0x1.8904990c31befp-3,  -0x1.3ef3e458665c9p-10,
    0x1.9bd9ff24b9facp-2, -0x1.c2289f9170851p-2, 0x1.11b1d20fab2e1p-1, -0x1.2aa7d859dc955p-2, 0x1.c7b367bc2ef42p-5};

/* The result in f32, and x where that is NaN: limits have made it a number. */
static LLVMValueRef unless_nan(emitter *e, LLVMValueRef x, LLVMValueRef wide) {
  LLVMValueRef is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, x, x, "");
  return LLVMBuildSelect(e->builder, is_nan, x, math_narrow(e, wide), "");
}

LLVMValueRef math_log10(emitter *e, LLVMValueRef x) {
  static const double log10_2 = 0x1.34413509f79ffp-2;
  LLVMValueRef log = log2_of(e, math_widen(e, x));
  log = LLVMBuildFMul(e->builder, log, emit_float_like(e, log, log10_2), "");
  return math_logarithm_at_ends(e, x, math_narrow(e, log));
}

LLVMValueRef math_cbrt(emitter *e, LLVMValueRef x) {
  LLVMValueRef third = log2_of(e, math_widen(e, magnitude_of(e, x)));
  third = LLVMBuildFMul(e->builder, third, emit_float_like(e, third, 1.0 / 3), "");
  return unless_nan(e, x, math_with_sign_of(e, exp2_of(e, third), math_widen(e, x)));
}

/* *magnitude: |x|, or what is infinite in f32 as a power of e where that is less, or x is NaN. Returns e^magnitude;
 * *inverse: its reciprocal. */
static LLVMValueRef powers_of_e(emitter *e, LLVMValueRef x, LLVMValueRef *magnitude, LLVMValueRef *inverse) {
  const double MOST = 100;
  *magnitude = math_clamp(e, LLVMRealUGT, magnitude_of(e, math_widen(e, x)), MOST);
  LLVMValueRef power =
      exp2_of(e, LLVMBuildFMul(e->builder, *magnitude, emit_float_like(e, *magnitude, MATH_WIDE_LOG2_E), ""));
  *inverse = LLVMBuildFDiv(e->builder, emit_float_like(e, power, 1), power, "");
  return power;
}

LLVMValueRef math_cosh(emitter *e, LLVMValueRef x) {
  LLVMValueRef magnitude, inverse, power = powers_of_e(e, x, &magnitude, &inverse);
  LLVMValueRef sum = LLVMBuildFAdd(e->builder, power, inverse, "");
  return unless_nan(e, x, LLVMBuildFMul(e->builder, sum, emit_float_like(e, sum, 0.5), ""));
}

LLVMValueRef math_sinh(emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude, inverse, power = powers_of_e(e, x, &magnitude, &inverse);
  LLVMValueRef far = LLVMBuildFMul(b, LLVMBuildFSub(b, power, inverse, ""), emit_float_like(e, power, 0.5), "");
  LLVMValueRef square = LLVMBuildFMul(b, magnitude, magnitude, "");
  LLVMValueRef near = LLVMBuildFMul(b, magnitude, MATH_SERIES(e, square, sinh_coefficients), "");
  LLVMValueRef result = LLVMBuildSelect(b, math_compare(e, LLVMRealOLT, magnitude, 1), near, far, "");
  return unless_nan(e, x, math_with_sign_of(e, result, math_widen(e, x)));
}

LLVMValueRef math_erfc(emitter *e, LLVMValueRef x) {
  const double MOST = 10.5, SCALE = 3; /* the result is 0 in f32 from 10.1 on */
  LLVMBuilderRef b = e->builder;
  LLVMValueRef magnitude = math_clamp(e, LLVMRealUGT, magnitude_of(e, math_widen(e, x)), MOST);
  LLVMValueRef scale = emit_float_like(e, magnitude, SCALE);
  LLVMValueRef t = LLVMBuildFDiv(b, scale, LLVMBuildFAdd(b, scale, magnitude, ""), "");
  LLVMValueRef exponent = LLVMBuildFMul(b, LLVMBuildFMul(b, magnitude, magnitude, ""),
                                        emit_float_like(e, magnitude, -MATH_WIDE_LOG2_E), "");
  LLVMValueRef tail = LLVMBuildFMul(b, t, MATH_SERIES(e, t, erfc_coefficients), "");
  tail = LLVMBuildFMul(b, tail, exp2_of(e, exponent), "");
  LLVMValueRef mirrored = LLVMBuildFSub(b, emit_float_like(e, tail, 2), tail, "");
  return unless_nan(e, x, LLVMBuildSelect(b, math_compare(e, LLVMRealOLT, x, 0), mirrored, tail, ""));
}
