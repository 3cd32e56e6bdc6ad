/* math.c - math ops to LLVM IR: exp and exp2 in f32 as polynomials (others in elementary.c and widened.c), roots and
 * roundings as intrinsics, the rest as calls of the C library, lane by lane.
 *
 * 2^x = 2^n 2^f with n the integer nearest x, and e^x = 2^n e^f with f = x - n ln 2. Both polynomials are minimax fits
 * of the relative error with f32 coefficients, constant term 1, so 0 gives exactly 1. Errors: below 1.1 ulp over all
 * inputs (1.2 for exp on machines without FMA), results below the normal range included; NaN in gives NaN out. */
#include "backend/hooks.h"
#include "backend/math.h"

#include <stdio.h>

/* -------------------------------------------------------------------------------------------- exponentials in f32 */

static const double exp2_coefficients[] = MATH_EXP2_COEFFICIENTS;
/* e^f on [-ln 2 / 2, ln 2 / 2]; relative error 3.2e-9. */
static const double exp_coefficients[] = {1.0,           1.0,           0x1.fffffcp-2, 0x1.555492p-3,
                                          0x1.5558b6p-5, 0x1.1239a2p-7, 0x1.6a4746p-10};
/* The same with a coefficient less, for `fast_exp` and what is rounded to bf16; relative errors 9.3e-8 and 9.2e-8. */
static const double fast_exp2_coefficients[] = {1.0,           0x1.62e42ap-1, 0x1.ebf9c2p-3,
                                                0x1.c6b6d8p-5, 0x1.3ce8aep-7, 0x1.5bda58p-10};
static const double fast_exp_coefficients[] = {1.0,           0x1.fffff6p-1, 0x1.fffdc6p-2,
                                               0x1.555a7cp-3, 0x1.573a1cp-5, 0x1.0fa1ecp-7};
enum { NUM_COEFFICIENTS = 7, NUM_FAST_COEFFICIENTS = 6 };
enum { MAX_SQUARED_POWER = 16 };

/* The number in all lanes. Where registers are few and the row takes several, it is read anew each time: LLVM would
 * keep it in a register around loops, and write others to memory for that. */
static LLVMValueRef math_constant(emitter *e, LLVMValueRef like, double value) {
  const target_facts *facts = e->facts;
  LLVMTypeRef type = emit_element_of(like);
  bool is_long = emit_lanes(like) * 32 > facts->vector_bits;
  if (facts->kind != TARGET_HOST || facts->vector_registers >= 32 || !is_long)
    return emit_float_like(e, like, value);
  char name[48];
  snprintf(name, sizeof name, "number.%d.%a", LLVMGetTypeKind(type), value);
  LLVMValueRef constant = LLVMConstReal(type, value), place = LLVMGetNamedGlobal(e->llvm, name);
  /* A program may use any name for globals of its own. */
  if (!place || !LLVMIsGlobalConstant(place) || LLVMGetInitializer(place) != constant) {
    place = LLVMAddGlobal(e->llvm, type, name);
    LLVMSetInitializer(place, constant);
    LLVMSetLinkage(place, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(place, true);
  }
  LLVMValueRef number = LLVMBuildLoad2(e->builder, type, place, "");
  LLVMSetVolatile(number, true);
  return emit_splat(e, number, emit_lanes(like));
}

LLVMValueRef math_compare(emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double limit) {
  return LLVMBuildFCmp(e->builder, predicate, x, emit_float_like(e, x, limit), "");
}

LLVMValueRef math_widen(emitter *e, LLVMValueRef x) {
  return LLVMBuildFPExt(e->builder, x, emit_type_like(x, LLVMDoubleTypeInContext(e->context)), "");
}

LLVMValueRef math_narrow(emitter *e, LLVMValueRef x) {
  return LLVMBuildFPTrunc(e->builder, x, emit_type_like(x, LLVMFloatTypeInContext(e->context)), "");
}

LLVMValueRef math_clamp(emitter *e, LLVMRealPredicate beyond, LLVMValueRef x, double limit) {
  LLVMValueRef bound = math_constant(e, x, limit);
  return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, beyond, x, bound, ""), bound, x, "");
}

/* An AVX-512 instruction, for as many lanes as its registers have, or several times as many; `y` is its second row, or
 * an immediate. */
static LLVMValueRef by_registers(emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y) {
  enum { REGISTER_LANES = 16 };
  unsigned lanes = emit_lanes(x), half = lanes / 2;
  if (lanes > REGISTER_LANES) {
    LLVMValueRef parts[2];
    for (unsigned i = 0; i < 2; i++)
      parts[i] =
          by_registers(e, name, emit_slice(e, x, i * half, half), emit_lanes(y) ? emit_slice(e, y, i * half, half) : y);
    return emit_join(e, parts[0], parts[1]);
  }
  char full[64];
  snprintf(full, sizeof full, "llvm.x86.avx512.mask.%s.ps.%u", name, 32 * lanes);
  bool whole = lanes == REGISTER_LANES;
  LLVMTypeRef mask = LLVMIntTypeInContext(e->context, whole ? 16 : 8);
  LLVMValueRef current_rounding = emit_word(e, 4);
  LLVMValueRef operands[] = {x, y, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstAllOnes(mask), current_rounding};
  return emit_intrinsic_of(e, full, NULL, 0, operands, whole ? 5 : 4);
}

/* Rows that there are such instructions for. */
static bool has_registers(const emitter *e, LLVMValueRef x) {
  unsigned lanes = emit_lanes(x);
  return e->has_scale && lanes >= 4 && !(lanes & (lanes - 1));
}

/* Raises the exponent x to `limit`, below which the power is 0. Where scaling is an instruction, it goes far below that
 * instead: powers that end right below the range of numbers take hundreds of cycles on Intel's CPUs, 0 from far does
 * not. */
static LLVMValueRef limit_below(emitter *e, LLVMValueRef x, double limit) {
  const double FAR = -1e4;
  if (!has_registers(e, x))
    return math_clamp(e, LLVMRealOLT, x, limit);
  LLVMValueRef below = math_compare(e, LLVMRealOLT, x, limit);
  return LLVMBuildSelect(e->builder, below, emit_float_like(e, x, FAR), x, "");
}

LLVMValueRef math_with_sign_of(emitter *e, LLVMValueRef magnitude, LLVMValueRef sign) {
  return emit_intrinsic(e, "llvm.copysign", (LLVMValueRef[]){magnitude, sign}, 2);
}

LLVMValueRef math_half_power(emitter *e, LLVMValueRef sum) {
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, sum, emit_type_like(sum, emit_word_type(e)), "");
  bits = LLVMBuildShl(e->builder, bits, emit_int_like(e, bits, 23), "");
  return LLVMBuildBitCast(e->builder, bits, LLVMTypeOf(sum), "");
}

LLVMValueRef math_split(emitter *e, LLVMValueRef x, LLVMValueRef *exponent) {
  LLVMBuilderRef b = e->builder;
  bool is_wide = LLVMGetTypeKind(emit_element_of(x)) == LLVMDoubleTypeKind;
  LLVMTypeRef word = is_wide ? LLVMInt64TypeInContext(e->context) : emit_word_type(e);
  LLVMValueRef bits = LLVMBuildBitCast(b, x, emit_type_like(x, word), "");
  LLVMValueRef root_half = emit_int_like(e, bits, is_wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  LLVMValueRef places = emit_int_like(e, bits, is_wide ? 52 : 23);
  *exponent = LLVMBuildAShr(b, LLVMBuildSub(b, bits, root_half, ""), places, "");
  return LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, *exponent, places, ""), ""), LLVMTypeOf(x), "");
}

/* What coefficients are multiplied by for the polynomial that `scale` takes: where powers of two are made as bits,
 * those of 2^(n-1) are all that there are. */
static double unit_of_scale(const emitter *e) { return e->has_scale ? 1 : 2; }

/* p 2^n, where `shifted` is n + MATH_ROUND and -152 < n <= 128, from p times the unit. Without scaling in hardware, for
 * small n, 2^(n+24) is made instead, and a second factor puts that right with one rounding. `flush`: then n is -126 at
 * least, which gives 0. */
static LLVMValueRef scale(emitter *e, LLVMValueRef p, LLVMValueRef shifted, bool flush) {
  LLVMBuilderRef b = e->builder;
  if (has_registers(e, p))
    return by_registers(e, "scalef", p, LLVMBuildFSub(b, shifted, emit_float_like(e, p, MATH_ROUND), ""));
  if (e->has_scale) {
    LLVMTypeRef word = emit_type_like(p, emit_word_type(e));
    LLVMValueRef magic = LLVMBuildBitCast(b, emit_float_like(e, p, MATH_ROUND), word, "");
    LLVMValueRef n = LLVMBuildSub(b, LLVMBuildBitCast(b, shifted, word, ""), magic, "");
    LLVMTypeRef overloads[] = {LLVMTypeOf(p), word};
    return emit_intrinsic_of(e, "llvm.ldexp", overloads, 2, (LLVMValueRef[]){p, n}, 2);
  }
  if (flush)
    return LLVMBuildFMul(b, p, math_half_power(e, shifted), "");
  LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, shifted, emit_float_like(e, p, MATH_ROUND - 124), "");
  LLVMValueRef lift = LLVMBuildSelect(b, small, emit_float_like(e, p, 25), emit_float_like(e, p, 0), "");
  LLVMValueRef rest = LLVMBuildSelect(b, small, emit_float_like(e, p, 0x1p-25), emit_float_like(e, p, 1), "");
  LLVMValueRef power = math_half_power(e, LLVMBuildFAdd(b, shifted, lift, ""));
  return LLVMBuildFMul(b, LLVMBuildFMul(b, p, power, ""), rest, "");
}

static LLVMValueRef polynomial(emitter *e, LLVMValueRef x, const double *coefficients, unsigned count, double factor) {
  LLVMValueRef p = math_constant(e, x, factor * coefficients[count - 1]);
  for (unsigned i = count - 1; i-- > 0;)
    p = emit_multiply_add(e, p, x, math_constant(e, x, factor * coefficients[i]));
  return p;
}

LLVMValueRef math_polynomial(emitter *e, LLVMValueRef x, const double *coefficients, unsigned count) {
  return polynomial(e, x, coefficients, count, 1);
}

/* For `scale`. */
static LLVMValueRef exp2_of_fraction(emitter *e, LLVMValueRef fraction, bool fast) {
  double unit = unit_of_scale(e);
  return fast ? polynomial(e, fraction, fast_exp2_coefficients, NUM_FAST_COEFFICIENTS, unit)
              : polynomial(e, fraction, exp2_coefficients, NUM_COEFFICIENTS, unit);
}

/* The whole number nearest x; *fraction: what is left. Either comes from an instruction, the other from a difference
 * that is exact. Of an infinite x, the fraction may be NaN: scaling gives infinity or 0 all the same. */
static LLVMValueRef split_whole(emitter *e, LLVMValueRef x, LLVMValueRef *fraction) {
  if (e->facts->has_fast_rounding) {
    LLVMValueRef whole = emit_intrinsic(e, "llvm.roundeven", &x, 1);
    *fraction = LLVMBuildFSub(e->builder, x, whole, "");
    return whole;
  }
  *fraction = by_registers(e, "reduce", x, LLVMConstNull(emit_word_type(e)));
  return LLVMBuildFSub(e->builder, x, *fraction, "");
}

/* 2^x, or 0 below 2^-126, where one instruction takes whole numbers off and another multiplies by powers of two. A mask
 * of what stays costs nothing there, however many results it serves. */
static LLVMValueRef flushed_exp2(emitter *e, LLVMValueRef x, bool fast) {
  LLVMValueRef stays = math_compare(e, LLVMRealUGE, x, -126);
  LLVMValueRef fraction, whole = split_whole(e, x, &fraction);
  LLVMValueRef power = by_registers(e, "scalef", exp2_of_fraction(e, fraction, fast), whole);
  return LLVMBuildSelect(e->builder, stays, power, emit_float_like(e, x, 0), "");
}

/* The limits give 0 and infinity: they lie where the result has already rounded to those. `approximate` flushes what is
 * below the normal range; `bounded`: x is not beyond the upper limit. */
static LLVMValueRef exp2_of(emitter *e, LLVMValueRef x, bool fast, bool approximate, bool bounded) {
  LLVMBuilderRef b = e->builder;
  if (approximate && has_registers(e, x))
    return flushed_exp2(e, x, fast);
  bool flush = approximate || (fast && !e->has_scale);
  x = flush ? math_clamp(e, LLVMRealOLT, x, -126) : limit_below(e, x, -151);
  x = bounded ? x : math_clamp(e, LLVMRealOGT, x, 128);
  LLVMValueRef magic = math_constant(e, x, MATH_ROUND);
  LLVMValueRef shifted = LLVMBuildFAdd(b, x, magic, "");
  LLVMValueRef fraction = LLVMBuildFSub(b, x, LLVMBuildFSub(b, shifted, magic, ""), "");
  return scale(e, exp2_of_fraction(e, fraction, fast), shifted, flush);
}

LLVMValueRef math_reduce(emitter *e, LLVMValueRef x, LLVMValueRef *fraction) {
  LLVMValueRef magic = math_constant(e, x, MATH_ROUND);
  LLVMValueRef shifted = emit_multiply_add(e, x, math_constant(e, x, MATH_LOG2_E), magic);
  LLVMValueRef n = LLVMBuildFSub(e->builder, shifted, magic, "");
  *fraction = emit_multiply_add(e, n, math_constant(e, x, -MATH_LN2_HIGH), x);
  *fraction = emit_multiply_add(e, n, math_constant(e, x, -MATH_LN2_LOW), *fraction);
  return shifted;
}

/* e^x as p 2^n, for `scale`: returns p times the unit, *shifted is n + MATH_ROUND. `approximate`: as 2^(x log2 e),
 * which the error of log2 e puts wrong by 1.4e-8 x. */
static LLVMValueRef power_of_e(emitter *e, LLVMValueRef x, bool fast, bool approximate, LLVMValueRef *shifted) {
  LLVMValueRef fraction;
  if (approximate) {
    LLVMValueRef magic = math_constant(e, x, MATH_ROUND), factor = math_constant(e, x, MATH_LOG2_E);
    *shifted = emit_multiply_add(e, x, factor, magic);
    LLVMValueRef n = LLVMBuildFSub(e->builder, *shifted, magic, "");
    fraction = emit_multiply_add(e, x, factor, LLVMBuildFNeg(e->builder, n, ""));
    return exp2_of_fraction(e, fraction, fast);
  }
  *shifted = math_reduce(e, x, &fraction);
  double unit = unit_of_scale(e);
  return fast ? polynomial(e, fraction, fast_exp_coefficients, NUM_FAST_COEFFICIENTS, unit)
              : polynomial(e, fraction, exp_coefficients, NUM_COEFFICIENTS, unit);
}

/* `fast` and `approximate` flush: what is below 2^-125 may be 0, and below 2^-126 is: no number below the normal range
 * comes out, with which machines compute slowly. */
static LLVMValueRef exp_of(emitter *e, LLVMValueRef x, bool fast, bool approximate, bool bounded) {
  bool flush = fast || approximate, masks = flush && e->has_scale;
  LLVMValueRef shifted, stays = NULL;
  if (masks)
    stays = math_compare(e, LLVMRealUGE, x, -87.3365);
  else
    x = flush ? math_clamp(e, LLVMRealOLT, x, -87.4) : limit_below(e, x, -104.5);
  x = bounded ? x : math_clamp(e, LLVMRealOGT, x, 89);
  LLVMValueRef power = power_of_e(e, x, fast, approximate, &shifted);
  power = scale(e, power, shifted, flush);
  return masks ? LLVMBuildSelect(e->builder, stays, power, emit_float_like(e, x, 0), "") : power;
}

LLVMValueRef math_exp(emitter *e, LLVMValueRef x) { return exp_of(e, x, false, false, false); }

/* ------------------------------------------------------------------------------------------------------------- libm */

/* A pure function of the C library for the element type of `like`. */
static LLVMValueRef library_function(emitter *e, const char *name, bool is_f32, unsigned num_operands,
                                     LLVMTypeRef *type) {
  char full[16];
  snprintf(full, sizeof full, "%s%s", name, is_f32 ? "f" : "");
  LLVMTypeRef element = is_f32 ? LLVMFloatTypeInContext(e->context) : LLVMDoubleTypeInContext(e->context);
  *type = LLVMFunctionType(element, (LLVMTypeRef[]){element, element}, num_operands, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, full);
  if (function)
    return function;
  function = LLVMAddFunction(e->llvm, full, *type);
  static const char *const attributes[] = {"nounwind", "willreturn", "memory"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    emit_add_attribute(e, function, attributes[i], 0);
  return function;
}

static LLVMValueRef call_scalar(emitter *e, const char *name, LLVMValueRef const *x, unsigned num_operands) {
  if (e->target->library)
    return e->target->library(e, name, x);
  LLVMTypeRef type;
  bool is_f32 = LLVMGetTypeKind(LLVMTypeOf(x[0])) == LLVMFloatTypeKind;
  LLVMValueRef function = library_function(e, name, is_f32, num_operands, &type);
  return LLVMBuildCall2(e->builder, type, function, (LLVMValueRef *)x, num_operands, "");
}

LLVMValueRef math_library(emitter *e, const char *name, const LLVMValueRef *x, unsigned num_operands) {
  unsigned lanes = emit_lanes(x[0]);
  if (!lanes)
    return call_scalar(e, name, x, num_operands);
  LLVMValueRef row = LLVMGetPoison(LLVMTypeOf(x[0]));
  for (unsigned lane = 0; lane < lanes; lane++) {
    LLVMValueRef operands[2];
    for (unsigned i = 0; i < num_operands; i++)
      operands[i] = emit_lane(e, x[i], lane);
    LLVMValueRef result = call_scalar(e, name, operands, num_operands);
    if (!result)
      return NULL;
    row = emit_set_lane(e, row, result, lane);
  }
  return row;
}

static bool is_f32(const LLVMValueRef x) { return LLVMGetTypeKind(emit_element_of(x)) == LLVMFloatTypeKind; }

/* In f32 a polynomial, but for targets with functions of their own. */
#define POLYNOMIAL(NAME, FUNCTION, APPROXIMATE)                                                                        \
  LLVMValueRef NAME(emitter *e, const ir_op *op, const LLVMValueRef *x) {                                              \
    return is_f32(x[0]) && !e->target->library ? APPROXIMATE(e, x[0]) : math_library(e, FUNCTION, x, 1);               \
  }
POLYNOMIAL(emit_expm1, "expm1", math_expm1)
POLYNOMIAL(emit_log, "log", math_log)
POLYNOMIAL(emit_log2, "log2", math_log2)
POLYNOMIAL(emit_log1p, "log1p", math_log1p)
POLYNOMIAL(emit_tanh, "tanh", math_tanh)
POLYNOMIAL(emit_erf, "erf", math_erf)
POLYNOMIAL(emit_sin, "sin", math_sin)
POLYNOMIAL(emit_cos, "cos", math_cos)
POLYNOMIAL(emit_tan, "tan", math_tan)
POLYNOMIAL(emit_log10, "log10", math_log10)
POLYNOMIAL(emit_sinh, "sinh", math_sinh)
POLYNOMIAL(emit_cosh, "cosh", math_cosh)
POLYNOMIAL(emit_asin, "asin", math_asin)
POLYNOMIAL(emit_acos, "acos", math_acos)
POLYNOMIAL(emit_atan, "atan", math_atan)
POLYNOMIAL(emit_erfc, "erfc", math_erfc)
POLYNOMIAL(emit_cbrt, "cbrt", math_cbrt)
#undef POLYNOMIAL

/* Nobody needs more of an approximate result that is only rounded to bf16 and summed up than `fast_exp` gives. */
static bool needs_less(const ir_op *op) {
  bool rounded = false;
  for (const ir_use *use = ir_result(op, 0)->uses; use; use = use->next) {
    bool rounds = use->user->code == OP_ARITH_TRUNCF && ir_result(use->user, 0)->type->element == IR_BF16;
    if (!rounds && use->user->code != OP_ARITH_ADDF)
      return false;
    rounded |= rounds;
  }
  return rounded && emit_fast_math(op) & LLVMFastMathApproxFunc;
}

LLVMValueRef emit_exp2(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  if (!is_f32(x[0]) || e->target->library)
    return math_library(e, "exp2", x, 1);
  return exp2_of(e, x[0], e->facts->fast_exp || needs_less(op), emit_fast_math(op) & LLVMFastMathApproxFunc,
                 ir_attr_get(op, "tec.bounded"));
}

/* With `afn` a target's own exponential of base 2 does, whose argument carries one rounding more; and polynomials flush
 * what is below the normal range. */
LLVMValueRef emit_exp(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  bool approximate = emit_fast_math(op) & LLVMFastMathApproxFunc, fast = e->facts->fast_exp || needs_less(op);
  if (is_f32(x[0]) && !e->target->library)
    return exp_of(e, x[0], fast, approximate, ir_attr_get(op, "tec.bounded"));
  if (!is_f32(x[0]) || !approximate)
    return math_library(e, "exp", x, 1);
  LLVMValueRef power = LLVMBuildFMul(e->builder, x[0], emit_float_like(e, x[0], MATH_LOG2_E), "");
  return math_library(e, "exp2", &power, 1);
}

LLVMValueRef emit_powf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return is_f32(x[0]) && !e->target->library ? math_pow(e, x) : math_library(e, "pow", x, 2);
}

LLVMValueRef emit_atan2(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return is_f32(x[0]) && !e->target->library ? math_atan2(e, x) : math_library(e, "atan2", x, 2);
}

LLVMValueRef emit_remf(emitter *e, const ir_op *op, const LLVMValueRef *x) { return math_library(e, "fmod", x, 2); }

/* By squaring where the exponent is a small constant, as it is in norms and polynomials; else the library's pow. */
LLVMValueRef emit_fpowi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  ir_cell exponent;
  LLVMValueRef base = x[0];
  if (!ir_value_splat(ir_operand(op, 1), &exponent) || exponent.i < 0 || exponent.i > MAX_SQUARED_POWER)
    return emit_powf(e, op, (LLVMValueRef[]){base, LLVMBuildSIToFP(e->builder, x[1], LLVMTypeOf(base), "")});
  LLVMValueRef power = NULL;
  for (int64_t rest = exponent.i; rest; rest >>= 1) {
    if (rest & 1)
      power = power ? LLVMBuildFMul(e->builder, power, base, "") : base;
    base = LLVMBuildFMul(e->builder, base, base, "");
  }
  return power ? power : emit_float_like(e, base, 1);
}

/* ------------------------------------------------------------------------------------------------------- intrinsics */

#define INTRINSIC(NAME, INTRINSIC_NAME, COUNT)                                                                         \
  LLVMValueRef NAME(emitter *e, const ir_op *op, const LLVMValueRef *x) {                                              \
    return emit_intrinsic(e, INTRINSIC_NAME, x, COUNT);                                                                \
  }
INTRINSIC(emit_sqrt, "llvm.sqrt", 1)
INTRINSIC(emit_absf, "llvm.fabs", 1)
INTRINSIC(emit_floor, "llvm.floor", 1)
INTRINSIC(emit_ceil, "llvm.ceil", 1)
INTRINSIC(emit_trunc, "llvm.trunc", 1)
INTRINSIC(emit_round, "llvm.round", 1)
INTRINSIC(emit_roundeven, "llvm.roundeven", 1)
INTRINSIC(emit_copysign, "llvm.copysign", 2)
#undef INTRINSIC

LLVMValueRef emit_isnan(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildFCmp(e->builder, LLVMRealUNO, x[0], x[0], "");
}

static LLVMValueRef beside_infinity(emitter *e, LLVMRealPredicate predicate, LLVMValueRef const *x) {
  LLVMValueRef magnitude = emit_intrinsic(e, "llvm.fabs", x, 1);
  return LLVMBuildFCmp(e->builder, predicate, magnitude, emit_float_like(e, x[0], __builtin_inf()), "");
}

LLVMValueRef emit_isinf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return beside_infinity(e, LLVMRealOEQ, x);
}
LLVMValueRef emit_isfinite(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return beside_infinity(e, LLVMRealOLT, x);
}

LLVMValueRef emit_absi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  LLVMValueRef wrapping = LLVMConstNull(LLVMInt1TypeInContext(e->context));
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  return emit_intrinsic_of(e, "llvm.abs", &type, 1, (LLVMValueRef[]){x[0], wrapping}, 2);
}

LLVMValueRef emit_rsqrt(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildFDiv(e->builder, emit_float_like(e, x[0], 1), emit_intrinsic(e, "llvm.sqrt", x, 1), "");
}

/* In double where the type has 16 bits: product and sum of such numbers are then rounded once, by emit_narrow. */
LLVMValueRef emit_fma_op(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  if (ir_scalar_bits(ir_result(op, 0)->type->element) != 16)
    return emit_intrinsic(e, "llvm.fma", x, 3);
  LLVMValueRef wide[3];
  LLVMTypeRef type = emit_type_like(x[0], LLVMDoubleTypeInContext(e->context));
  for (unsigned i = 0; i < 3; i++)
    wide[i] = LLVMBuildFPExt(e->builder, x[i], type, "");
  return emit_intrinsic(e, "llvm.fma", wide, 3);
}
