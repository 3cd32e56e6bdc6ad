/* arith.c - arith ops to LLVM IR. All work on a piece, a scalar or a row of lanes alike.
 *
 * Integer ops never trap and shifts never give poison: what MLIR leaves undefined gets a value instead. */
#include "backend/hooks.h"

typedef LLVMValueRef (*build_binary)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

#define SIMPLE(NAME, BUILD)                                                                                            \
  LLVMValueRef NAME(emitter *e, const ir_op *op, const LLVMValueRef *x) {                                              \
    return BUILD(e->builder, x[0], x[1], "");                                                                          \
  }
SIMPLE(emit_addf, LLVMBuildFAdd)
SIMPLE(emit_subf, LLVMBuildFSub)
SIMPLE(emit_mulf, LLVMBuildFMul)
SIMPLE(emit_divf, LLVMBuildFDiv)
SIMPLE(emit_addi, LLVMBuildAdd)
SIMPLE(emit_subi, LLVMBuildSub)
SIMPLE(emit_muli, LLVMBuildMul)
SIMPLE(emit_andi, LLVMBuildAnd)
SIMPLE(emit_ori, LLVMBuildOr)
SIMPLE(emit_xori, LLVMBuildXor)
#undef SIMPLE

#define INTRINSIC(NAME, INTRINSIC_NAME, COUNT)                                                                         \
  LLVMValueRef NAME(emitter *e, const ir_op *op, const LLVMValueRef *x) {                                              \
    return emit_intrinsic(e, INTRINSIC_NAME, x, COUNT);                                                                \
  }
INTRINSIC(emit_maxnumf, "llvm.maxnum", 2)
INTRINSIC(emit_minnumf, "llvm.minnum", 2)
INTRINSIC(emit_maxsi, "llvm.smax", 2)
INTRINSIC(emit_maxui, "llvm.umax", 2)
INTRINSIC(emit_minsi, "llvm.smin", 2)
INTRINSIC(emit_minui, "llvm.umin", 2)
#undef INTRINSIC

/* The greater, or less, of two floats: NaN if one is, and -0 below +0. Where a NaN may get lost, a comparison and a
 * choice do: one instruction on x86. */
static LLVMValueRef extremum(emitter *e, const ir_op *op, bool greater, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMRealPredicate better = greater ? LLVMRealOGT : LLVMRealOLT;
  if (op && emit_fast_math(op) & LLVMFastMathNoNaNs)
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, better, x[0], x[1], ""), x[0], x[1], "");
  if (!e->target->has_plain_maximum)
    return emit_intrinsic(e, greater ? "llvm.maximum" : "llvm.minimum", x, 2);
  LLVMTypeRef type = LLVMTypeOf(x[0]), element = emit_element_of(x[0]);
  unsigned bits = LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? 64 : 32;
  LLVMTypeRef word = emit_type_like(x[0], LLVMIntTypeInContext(e->context, bits));
  LLVMValueRef lhs = LLVMBuildBitCast(b, x[0], word, ""), rhs = LLVMBuildBitCast(b, x[1], word, "");
  LLVMValueRef zero = greater ? LLVMBuildAnd(b, lhs, rhs, "") : LLVMBuildOr(b, lhs, rhs, "");
  LLVMValueRef first = LLVMBuildFCmp(b, better, x[0], x[1], "");
  LLVMValueRef equal = LLVMBuildFCmp(b, LLVMRealOEQ, x[0], x[1], "");
  LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x[0], x[0], "");
  LLVMValueRef result = LLVMBuildSelect(b, first, x[0], x[1], "");
  result = LLVMBuildSelect(b, equal, LLVMBuildBitCast(b, zero, type, ""), result, "");
  return LLVMBuildSelect(b, nan, x[0], result, "");
}

LLVMValueRef emit_maximumf(emitter *e, const ir_op *op, const LLVMValueRef *x) { return extremum(e, op, true, x); }

LLVMValueRef emit_minimumf(emitter *e, const ir_op *op, const LLVMValueRef *x) { return extremum(e, op, false, x); }

LLVMValueRef emit_negf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildFNeg(e->builder, x[0], "");
}

LLVMValueRef emit_multiply_add(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  if (LLVMGetTypeKind(emit_element_of(a)) == LLVMIntegerTypeKind)
    return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), c, "");
  return emit_intrinsic(e, "llvm.fmuladd", (LLVMValueRef[]){a, b, c}, 3);
}

/* -------------------------------------------------------------------------------------------------------- division */

/* A divisor that cannot trap: 1 in place of 0 and, for signed division, of -1. */
static LLVMValueRef safe_divisor(emitter *e, LLVMValueRef divisor, bool is_signed) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef one = emit_int_like(e, divisor, 1);
  LLVMValueRef unsafe = LLVMBuildICmp(b, LLVMIntEQ, divisor, emit_int_like(e, divisor, 0), "");
  if (is_signed) {
    LLVMValueRef minus_one = LLVMBuildICmp(b, LLVMIntEQ, divisor, emit_int_like(e, divisor, -1), "");
    unsafe = LLVMBuildOr(b, unsafe, minus_one, "");
  }
  return LLVMBuildSelect(b, unsafe, one, divisor, "");
}

/* The remainder of a quotient; by 0: 0. */
static LLVMValueRef remainder_of(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef quotient) {
  LLVMValueRef zero = emit_int_like(e, a, 0), by_zero = LLVMBuildICmp(e->builder, LLVMIntEQ, b, zero, "");
  LLVMValueRef rest = LLVMBuildSub(e->builder, a, LLVMBuildMul(e->builder, quotient, b, ""), "");
  return LLVMBuildSelect(e->builder, by_zero, zero, rest, "");
}

/* a / b towards zero. By 0: 0. By -1: -a, wrapping. */
static LLVMValueRef divide_signed(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef zero = emit_int_like(e, a, 0);
  LLVMValueRef quotient = LLVMBuildSDiv(e->builder, a, safe_divisor(e, b, true), "");
  LLVMValueRef by_zero = LLVMBuildICmp(e->builder, LLVMIntEQ, b, zero, "");
  LLVMValueRef by_minus_one = LLVMBuildICmp(e->builder, LLVMIntEQ, b, emit_int_like(e, b, -1), "");
  quotient = LLVMBuildSelect(e->builder, by_minus_one, LLVMBuildSub(e->builder, zero, a, ""), quotient, "");
  return LLVMBuildSelect(e->builder, by_zero, zero, quotient, "");
}

static LLVMValueRef divide_unsigned(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef zero = emit_int_like(e, a, 0), by_zero = LLVMBuildICmp(e->builder, LLVMIntEQ, b, zero, "");
  LLVMValueRef quotient = LLVMBuildUDiv(e->builder, a, safe_divisor(e, b, false), "");
  return LLVMBuildSelect(e->builder, by_zero, zero, quotient, "");
}

/* Rounded down or up, by a positive constant: the remainder of a quotient towards zero has the sign of a. */
static LLVMValueRef divide_by_constant(emitter *e, LLVMValueRef a, LLVMValueRef b, bool upwards) {
  LLVMValueRef zero = emit_int_like(e, a, 0), quotient = LLVMBuildSDiv(e->builder, a, b, "");
  LLVMValueRef rest = LLVMBuildSub(e->builder, a, LLVMBuildMul(e->builder, quotient, b, ""), "");
  LLVMValueRef moves = LLVMBuildICmp(e->builder, upwards ? LLVMIntSGT : LLVMIntSLT, rest, zero, "");
  moves = LLVMBuildIntCast2(e->builder, moves, LLVMTypeOf(a), !upwards, "");
  return LLVMBuildAdd(e->builder, quotient, moves, "");
}

/* The quotient moved by one where the remainder is not 0 and lies on the wrong side. */
static LLVMValueRef divide_rounded(emitter *e, LLVMValueRef a, LLVMValueRef b, bool upwards) {
  if (LLVMIsAConstantInt(b) && LLVMConstIntGetSExtValue(b) > 0)
    return divide_by_constant(e, a, b, upwards);
  LLVMValueRef zero = emit_int_like(e, a, 0);
  LLVMValueRef quotient = divide_signed(e, a, b), remainder = remainder_of(e, a, b, quotient);
  LLVMValueRef signs_differ = LLVMBuildICmp(e->builder, LLVMIntSLT, LLVMBuildXor(e->builder, a, b, ""), zero, "");
  LLVMValueRef wrong_side = upwards ? LLVMBuildNot(e->builder, signs_differ, "") : signs_differ;
  LLVMValueRef inexact = LLVMBuildICmp(e->builder, LLVMIntNE, remainder, zero, "");
  LLVMValueRef moves = LLVMBuildAnd(e->builder, wrong_side, inexact, "");
  LLVMValueRef moved = LLVMBuildAdd(e->builder, quotient, emit_int_like(e, a, upwards ? 1 : -1), "");
  return LLVMBuildSelect(e->builder, moves, moved, quotient, "");
}

/* How far a division by the scalar shifts; -1 where it is no constant power of two. */
static int shift_of(LLVMValueRef divisor) {
  int64_t value = LLVMIsAConstantInt(divisor) ? LLVMConstIntGetSExtValue(divisor) : 0;
  return value > 0 && (value & (value - 1)) == 0 ? __builtin_ctzll((uint64_t)value) : -1;
}

LLVMValueRef emit_divide_floor(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  int places = shift_of(b);
  return places < 0 ? divide_rounded(e, a, b, false) : LLVMBuildAShr(e->builder, a, emit_int_like(e, a, places), "");
}

LLVMValueRef emit_divide_ceil(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  int places = shift_of(b);
  if (places < 0)
    return divide_rounded(e, a, b, true);
  LLVMValueRef zero = emit_int_like(e, a, 0), below = emit_int_like(e, a, (INT64_C(1) << places) - 1);
  LLVMValueRef inexact = LLVMBuildICmp(e->builder, LLVMIntNE, LLVMBuildAnd(e->builder, a, below, ""), zero, "");
  LLVMValueRef floor = LLVMBuildAShr(e->builder, a, emit_int_like(e, a, places), "");
  return LLVMBuildAdd(e->builder, floor, LLVMBuildZExt(e->builder, inexact, LLVMTypeOf(a), ""), "");
}

LLVMValueRef emit_modulo(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  int places = shift_of(b);
  if (places >= 0)
    return LLVMBuildAnd(e->builder, a, emit_int_like(e, a, (INT64_C(1) << places) - 1), "");
  return LLVMBuildSub(e->builder, a, LLVMBuildMul(e->builder, emit_divide_floor(e, a, b), b, ""), "");
}

LLVMValueRef emit_floordivsi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return divide_rounded(e, x[0], x[1], false);
}

LLVMValueRef emit_ceildivsi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return divide_rounded(e, x[0], x[1], true);
}

LLVMValueRef emit_divsi(emitter *e, const ir_op *op, const LLVMValueRef *x) { return divide_signed(e, x[0], x[1]); }

LLVMValueRef emit_remsi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return remainder_of(e, x[0], x[1], divide_signed(e, x[0], x[1]));
}

LLVMValueRef emit_divui(emitter *e, const ir_op *op, const LLVMValueRef *x) { return divide_unsigned(e, x[0], x[1]); }

LLVMValueRef emit_ceildivui(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  LLVMValueRef quotient = divide_unsigned(e, x[0], x[1]), zero = emit_int_like(e, x[0], 0);
  LLVMValueRef rest = remainder_of(e, x[0], x[1], quotient);
  LLVMValueRef moves = LLVMBuildICmp(e->builder, LLVMIntNE, rest, zero, "");
  return LLVMBuildAdd(e->builder, quotient, LLVMBuildZExt(e->builder, moves, LLVMTypeOf(x[0]), ""), "");
}

LLVMValueRef emit_remui(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return remainder_of(e, x[0], x[1], divide_unsigned(e, x[0], x[1]));
}

/* ---------------------------------------------------------------------------------------------------------- shifts */

/* Shifts by the width or more give 0. */
static LLVMValueRef shift(emitter *e, build_binary build, const LLVMValueRef *x) {
  LLVMValueRef bits = emit_int_like(e, x[1], LLVMGetIntTypeWidth(emit_element_of(x[1])));
  LLVMValueRef too_far = LLVMBuildICmp(e->builder, LLVMIntUGE, x[1], bits, "");
  return LLVMBuildSelect(e->builder, too_far, emit_int_like(e, x[0], 0), build(e->builder, x[0], x[1], ""), "");
}

LLVMValueRef emit_shli(emitter *e, const ir_op *op, const LLVMValueRef *x) { return shift(e, LLVMBuildShl, x); }

LLVMValueRef emit_shrui(emitter *e, const ir_op *op, const LLVMValueRef *x) { return shift(e, LLVMBuildLShr, x); }

LLVMValueRef emit_shrsi(emitter *e, const ir_op *op, const LLVMValueRef *x) { return shift(e, LLVMBuildAShr, x); }

/* ----------------------------------------------------------------------------------------- comparisons and choices */

/* Predicates stand as their numbers in MLIR's order. */
static const LLVMIntPredicate integer_predicates[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
                                                      LLVMIntSGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};

static const LLVMRealPredicate float_predicates[] = {
    LLVMRealPredicateFalse, LLVMRealOEQ, LLVMRealOGT, LLVMRealOGE, LLVMRealOLT, LLVMRealOLE, LLVMRealONE, LLVMRealORD,
    LLVMRealUEQ, LLVMRealUGT, LLVMRealUGE, LLVMRealULT, LLVMRealULE, LLVMRealUNE, LLVMRealUNO, LLVMRealPredicateTrue};

LLVMValueRef emit_cmpi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildICmp(e->builder, integer_predicates[ir_attr_int_or(op, "predicate", 0)], x[0], x[1], "");
}

LLVMValueRef emit_cmpf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildFCmp(e->builder, float_predicates[ir_attr_int_or(op, "predicate", 0)], x[0], x[1], "");
}

LLVMValueRef emit_select(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildSelect(e->builder, x[0], x[1], x[2], "");
}

/* ----------------------------------------------------------------------------------------------------------- casts */

/* The type that a cast's piece has before rounding: f32 stands for f16 and bf16. */
static LLVMTypeRef computed_type(emitter *e, const ir_op *op, LLVMValueRef like) {
  ir_scalar to = ir_result(op, 0)->type->element;
  bool rounds_later = ir_scalar_is_float(to) && ir_scalar_bits(to) == 16;
  return emit_type_like(like, emit_element_type(e, rounds_later ? IR_F32 : to));
}

LLVMValueRef emit_extf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildFPCast(e->builder, x[0], computed_type(e, op, x[0]), "");
}

/* Two registers of f32 to one of bf16. */
static LLVMValueRef round_two(emitter *e, LLVMValueRef x) {
  LLVMValueRef halves[] = {emit_slice(e, x, 16, 16), emit_slice(e, x, 0, 16)};
  return emit_intrinsic_of(e, "llvm.x86.avx512bf16.cvtne2ps2bf16.512", NULL, 0, halves, 2);
}

/* Products that add to f32 alone read the value, with factors of its type: what is below 2^-126 may be 0 there. */
static bool is_factor_of_pairs(const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *op = use->user;
    if (op->code == OP_VECTOR_SHAPE_CAST && is_factor_of_pairs(ir_result(op, 0)))
      continue;
    if (op->code != OP_VECTOR_CONTRACT || ir_operand(op, 0)->type->element != value->type->element ||
        ir_operand(op, 1)->type->element != value->type->element || ir_result(op, 0)->type->element != IR_F32)
      return false;
  }
  return true;
}

/* emit_narrow does all of the work for 16-bit results; but CPUs that have an instruction for bf16 round with it what
 * may become 0 below 2^-126: results of approximate functions, and what their products of pairs take as 0 then. */
LLVMValueRef emit_truncf(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  const ir_op *from = ir_operand(op, 0)->op;
  bool approximate = from && ir_op_has(from, IR_ELEMENTWISE) && emit_fast_math(from) & LLVMFastMathApproxFunc;
  bool rounds = ir_operand(op, 0)->type->element == IR_F32 && ir_result(op, 0)->type->element == IR_BF16;
  if (rounds && e->facts->has_pair_dot && (approximate || is_factor_of_pairs(ir_result(op, 0)))) {
    LLVMTypeRef narrow = emit_type_like(x[0], LLVMBFloatTypeInContext(e->context));
    LLVMTypeRef bits = emit_type_like(x[0], LLVMInt16TypeInContext(e->context));
    LLVMValueRef rounded = emit_lanes(x[0]) == 32 ? round_two(e, x[0]) : LLVMBuildFPTrunc(e->builder, x[0], narrow, "");
    return LLVMBuildBitCast(e->builder, rounded, bits, "");
  }
  if (ir_scalar_bits(ir_result(op, 0)->type->element) == 16)
    return x[0];
  return LLVMBuildFPCast(e->builder, x[0], computed_type(e, op, x[0]), "");
}

LLVMValueRef emit_extsi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildIntCast2(e->builder, x[0], computed_type(e, op, x[0]), true, "");
}

LLVMValueRef emit_extui(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return LLVMBuildIntCast2(e->builder, x[0], computed_type(e, op, x[0]), false, "");
}

/* Out of range gives the nearest integer, NaN gives 0. An i1 is a comparison, as not all machines convert to it: it is
 * true for -1 and what is less where it is signed, else for 1 and what is greater. */
static LLVMValueRef to_integer(emitter *e, LLVMTypeRef type, bool is_signed, LLVMValueRef value) {
  if (type == emit_type_like(value, LLVMInt1TypeInContext(e->context)))
    return is_signed ? LLVMBuildFCmp(e->builder, LLVMRealOLE, value, emit_float_like(e, value, -1), "")
                     : LLVMBuildFCmp(e->builder, LLVMRealOGE, value, emit_float_like(e, value, 1), "");
  LLVMTypeRef overloads[] = {type, LLVMTypeOf(value)};
  return emit_intrinsic_of(e, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", overloads, 2, &value, 1);
}

LLVMValueRef emit_fptosi(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return to_integer(e, computed_type(e, op, x[0]), true, x[0]);
}

LLVMValueRef emit_fptoui(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return to_integer(e, computed_type(e, op, x[0]), false, x[0]);
}

/* The f32 next to an integer whose last bit is set, where `nearest` is not the integer itself: it lies on the same side
 * of all that bf16 can hold, so that rounding once more gives what rounding once would. */
static LLVMValueRef round_to_odd(emitter *e, LLVMValueRef integer, bool is_signed, LLVMValueRef nearest) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef back = to_integer(e, LLVMTypeOf(integer), is_signed, nearest);
  LLVMValueRef bits = LLVMBuildBitCast(b, nearest, emit_type_like(nearest, LLVMInt32TypeInContext(e->context)), "");
  LLVMValueRef last = LLVMBuildAnd(b, bits, emit_int_like(e, bits, 1), "");
  LLVMValueRef is_even = LLVMBuildICmp(b, LLVMIntEQ, last, emit_int_like(e, bits, 0), "");
  LLVMValueRef moves = LLVMBuildAnd(b, is_even, LLVMBuildICmp(b, LLVMIntNE, back, integer, ""), "");
  LLVMValueRef is_low = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, back, integer, "");
  LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, bits, emit_int_like(e, bits, 0), "");
  LLVMValueRef outwards = LLVMBuildXor(b, is_low, is_negative, "");
  LLVMValueRef by = LLVMBuildSelect(b, outwards, emit_int_like(e, bits, 1), emit_int_like(e, bits, -1), "");
  bits = LLVMBuildSelect(b, moves, LLVMBuildAdd(b, bits, by, ""), bits, "");
  return LLVMBuildBitCast(b, bits, LLVMTypeOf(nearest), "");
}

/* emit_narrow rounds to 16 bits: f16 has infinity for all that f32 cannot hold exactly. */
static LLVMValueRef from_integer(emitter *e, const ir_op *op, LLVMValueRef x, bool is_signed) {
  enum { MANTISSA_BITS = 24 };
  LLVMTypeRef type = computed_type(e, op, x);
  LLVMValueRef nearest =
      is_signed ? LLVMBuildSIToFP(e->builder, x, type, "") : LLVMBuildUIToFP(e->builder, x, type, "");
  bool is_exact = LLVMGetIntTypeWidth(emit_element_of(x)) <= MANTISSA_BITS;
  return ir_result(op, 0)->type->element == IR_BF16 && !is_exact ? round_to_odd(e, x, is_signed, nearest) : nearest;
}

LLVMValueRef emit_sitofp(emitter *e, const ir_op *op, const LLVMValueRef *x) { return from_integer(e, op, x[0], true); }

LLVMValueRef emit_uitofp(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  return from_integer(e, op, x[0], false);
}

/* f16 and bf16 are bits already, so that only f32 and f64 change their LLVM type. */
LLVMValueRef emit_bitcast(emitter *e, const ir_op *op, const LLVMValueRef *x) {
  LLVMTypeRef type = emit_type_like(x[0], emit_element_type(e, ir_result(op, 0)->type->element));
  return LLVMBuildBitCast(e->builder, x[0], type, "");
}

/* ------------------------------------------------------------------------------------------------------- constants */

/* Element i of a scalar or dense attribute. */
static ir_cell attr_cell(const ir_attr *attr, unsigned i) {
  if (attr->kind == IR_ATTR_DENSE)
    return ir_attr_element(attr, i);
  return attr->kind == IR_ATTR_FLOAT ? (ir_cell){.f = attr->number} : (ir_cell){.i = attr->value};
}

bool emit_constant_op(emitter *e, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  const ir_attr *attr = ir_attr_get(op, "value");
  LLVMValueRef *pieces = emit_result(e, op);
  unsigned count = emit_get(e, ir_result(op, 0))->num_pieces;
  if (type->kind == IR_TYPE_SCALAR) {
    pieces[0] = emit_constant(e, type->element, attr_cell(attr, 0));
    return true;
  }
  unsigned lanes = emit_row_length(type);
  size_t mark = ir_arena_mark(&e->arena);
  LLVMValueRef *row = IR_NEW_ARRAY(&e->arena, LLVMValueRef, lanes);
  for (unsigned i = 0; i < count; i++) {
    for (unsigned lane = 0; lane < lanes; lane++)
      row[lane] = emit_constant(e, type->element, attr_cell(attr, i * lanes + lane));
    pieces[i] = LLVMConstVector(row, lanes);
  }
  ir_arena_rewind(&e->arena, mark);
  return true;
}
