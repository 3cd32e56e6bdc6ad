/* scalar.c - what each elementwise op does to one element: see scalar.h for the contract.
 *
 * Signed arithmetic is done on unsigned operands, where C defines wrapping; unsigned ops first drop the sign extension
 * above the operands' width. Every function is straight-line code. */
#include "scalar.h"

#include <math.h>

static ir_cell float_cell(double value) { return (ir_cell){.f = value}; }
static ir_cell int_cell(int64_t value) { return (ir_cell){.i = value}; }

static ir_scalar operand_element(const ir_op *op, unsigned i) { return ir_operand(op, i)->type->element; }

/* The operand's bits as an unsigned number: without the sign extension that a cell carries. */
static uint64_t unsigned_operand(const ir_op *op, const ir_cell *operands, unsigned i) {
  unsigned bits = ir_scalar_bits(operand_element(op, i));
  uint64_t value = (uint64_t)operands[i].i;
  return bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
}

/* One-line hooks. `a`, `b`, `c` are the operands. */
#define FLOAT_HOOK(NAME, VALUE)                                                                                        \
  ir_cell scalar_##NAME(const ir_op *op, const ir_cell *x) {                                                           \
    return float_cell(VALUE);                                                                                          \
  }
#define INT_HOOK(NAME, VALUE)                                                                                          \
  ir_cell scalar_##NAME(const ir_op *op, const ir_cell *x) {                                                           \
    return int_cell(VALUE);                                                                                            \
  }
#define UNSIGNED_HOOK(NAME, VALUE)                                                                                     \
  ir_cell scalar_##NAME(const ir_op *op, const ir_cell *x) {                                                           \
    uint64_t a = unsigned_operand(op, x, 0), b = unsigned_operand(op, x, 1);                                           \
    return int_cell((int64_t)(VALUE));                                                                                 \
  }

/* ------------------------------------------------------------------------------------------------- float arithmetic */

/* IEEE 754-2019 maximum: NaN wins, and +0 is above -0. The minimum is its mirror image. */
static double maximum(double a, double b) {
  if (isnan(a) || isnan(b))
    return a + b;
  if (a == b)
    return signbit(a) ? b : a;
  return a > b ? a : b;
}

FLOAT_HOOK(addf, x[0].f + x[1].f)
FLOAT_HOOK(subf, x[0].f - x[1].f)
FLOAT_HOOK(mulf, x[0].f *x[1].f)
FLOAT_HOOK(divf, x[0].f / x[1].f)
FLOAT_HOOK(remf, fmod(x[0].f, x[1].f))
FLOAT_HOOK(negf, -x[0].f)
FLOAT_HOOK(maximumf, maximum(x[0].f, x[1].f))
FLOAT_HOOK(minimumf, -maximum(-x[0].f, -x[1].f))
FLOAT_HOOK(maxnumf, isnan(x[0].f) ? x[1].f : isnan(x[1].f) ? x[0].f : maximum(x[0].f, x[1].f))
FLOAT_HOOK(minnumf, isnan(x[0].f) ? x[1].f : isnan(x[1].f) ? x[0].f : -maximum(-x[0].f, -x[1].f))

/* ----------------------------------------------------------------------------------------------- integer arithmetic */

INT_HOOK(addi, (int64_t)((uint64_t)x[0].i + (uint64_t)x[1].i))
INT_HOOK(subi, (int64_t)((uint64_t)x[0].i - (uint64_t)x[1].i))
INT_HOOK(muli, (int64_t)((uint64_t)x[0].i *(uint64_t)x[1].i))
INT_HOOK(andi, x[0].i &x[1].i)
INT_HOOK(ori, x[0].i | x[1].i)
INT_HOOK(xori, x[0].i ^ x[1].i)
INT_HOOK(maxsi, x[0].i > x[1].i ? x[0].i : x[1].i)
INT_HOOK(minsi, x[0].i < x[1].i ? x[0].i : x[1].i)
UNSIGNED_HOOK(maxui, a > b ? a : b)
UNSIGNED_HOOK(minui, a < b ? a : b)
UNSIGNED_HOOK(divui, b ? a / b : 0)
UNSIGNED_HOOK(remui, b ? a % b : 0)
UNSIGNED_HOOK(ceildivui, b ? a / b + (a % b > 0) : 0)
UNSIGNED_HOOK(shli, b < ir_scalar_bits(operand_element(op, 0)) ? a << b : 0)
UNSIGNED_HOOK(shrui, b < ir_scalar_bits(operand_element(op, 0)) ? a >> b : 0)

ir_cell scalar_shrsi(const ir_op *op, const ir_cell *x) {
  uint64_t amount = unsigned_operand(op, x, 1);
  return int_cell(amount < ir_scalar_bits(operand_element(op, 0)) ? x[0].i >> amount : 0);
}

/* C's quotient, 0 for what `undefined_quotient` rejects: both would trap. */
static int64_t quotient(const ir_cell *x) {
  if (!x[1].i || (x[0].i == INT64_MIN && x[1].i == -1))
    return 0;
  return x[0].i / x[1].i;
}
static int64_t remainder_of(const ir_cell *x) { return x[1].i == 0 || x[1].i == -1 ? 0 : x[0].i % x[1].i; }

/* A quotient that is not exact was rounded upwards if it is negative, and downwards if not. */
INT_HOOK(divsi, quotient(x))
INT_HOOK(remsi, remainder_of(x))
INT_HOOK(floordivsi, quotient(x) - (remainder_of(x) && (x[0].i < 0) != (x[1].i < 0)))
INT_HOOK(ceildivsi, quotient(x) + (remainder_of(x) && (x[0].i < 0) == (x[1].i < 0)))

const char *undefined_unsigned_quotient(const ir_op *op, const ir_cell *operands) {
  return operands[1].i ? NULL : "division by zero";
}

const char *undefined_quotient(const ir_op *op, const ir_cell *operands) {
  if (!operands[1].i)
    return "division by zero";
  int64_t smallest = INT64_MIN >> (64 - ir_scalar_bits(operand_element(op, 0)));
  return operands[0].i == smallest && operands[1].i == -1 ? "the quotient does not fit its type" : NULL;
}

/* ----------------------------------------------------------------------------------------------- comparison, select */

/* Predicates are numbered as MLIR numbers them. A float predicate is a set of outcomes; the bits of 1..14 are not
 * regular, hence the table. */
enum { EQUAL = 1, GREATER = 2, LESS = 4, UNORDERED = 8 };
static const uint8_t float_predicates[] = {
    0,                                  /* false */
    EQUAL,                              /* oeq */
    GREATER,                            /* ogt */
    GREATER | EQUAL,                    /* oge */
    LESS,                               /* olt */
    LESS | EQUAL,                       /* ole */
    LESS | GREATER,                     /* one */
    LESS | GREATER | EQUAL,             /* ord */
    UNORDERED | EQUAL,                  /* ueq */
    UNORDERED | GREATER,                /* ugt */
    UNORDERED | GREATER | EQUAL,        /* uge */
    UNORDERED | LESS,                   /* ult */
    UNORDERED | LESS | EQUAL,           /* ule */
    UNORDERED | LESS | GREATER,         /* une */
    UNORDERED,                          /* uno */
    UNORDERED | LESS | GREATER | EQUAL, /* true */
};
/* eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge */
static const uint8_t int_predicates[] = {
    EQUAL, LESS | GREATER, LESS, LESS | EQUAL, GREATER, GREATER | EQUAL, LESS, LESS | EQUAL, GREATER, GREATER | EQUAL,
};
enum { FIRST_UNSIGNED_PREDICATE = 6 };

static ir_cell outcome_in(const ir_op *op, const uint8_t *predicates, size_t count, unsigned outcome) {
  int64_t predicate = ir_attr_int_or(op, "predicate", 0);
  return int_cell(predicate >= 0 && (size_t)predicate < count && predicates[predicate] & outcome ? -1 : 0);
}

ir_cell scalar_cmpf(const ir_op *op, const ir_cell *x) {
  unsigned outcome = isunordered(x[0].f, x[1].f) ? UNORDERED
                     : x[0].f < x[1].f           ? LESS
                     : x[0].f > x[1].f           ? GREATER
                                                 : EQUAL;
  return outcome_in(op, float_predicates, sizeof float_predicates, outcome);
}

ir_cell scalar_cmpi(const ir_op *op, const ir_cell *x) {
  bool is_unsigned = ir_attr_int_or(op, "predicate", 0) >= FIRST_UNSIGNED_PREDICATE;
  uint64_t bias = is_unsigned ? 0 : (uint64_t)1 << 63; /* turns signed into unsigned order */
  uint64_t a = (uint64_t)x[0].i ^ bias, b = (uint64_t)x[1].i ^ bias;
  return outcome_in(op, int_predicates, sizeof int_predicates, a < b ? LESS : a > b ? GREATER : EQUAL);
}

ir_cell scalar_select(const ir_op *op, const ir_cell *x) { return x[0].i ? x[1] : x[2]; }

/* ------------------------------------------------------------------------------------------------------------ casts */

/* The largest double below 2^63 and 2^64 is far below either, so comparing with the powers is exact. */
static int64_t saturate_signed(double x, unsigned bits) {
  double limit = ldexp(1, (int)bits - 1);
  if (isnan(x))
    return 0;
  return x >= limit ? INT64_MAX >> (64 - bits) : x < -limit ? INT64_MIN >> (64 - bits) : (int64_t)x;
}

static uint64_t saturate_unsigned(double x, unsigned bits) {
  if (!(x > 0))
    return 0;
  return x >= ldexp(1, (int)bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)x;
}

/* Widening floats and signed integers keeps the value; narrowing is the caller's rounding or wrapping. */
ir_cell scalar_copy(const ir_op *op, const ir_cell *x) { return x[0]; }
ir_cell scalar_zero_extend(const ir_op *op, const ir_cell *x) { return int_cell((int64_t)unsigned_operand(op, x, 0)); }
FLOAT_HOOK(sitofp, (double)x[0].i)
ir_cell scalar_uitofp(const ir_op *op, const ir_cell *x) { return float_cell((double)unsigned_operand(op, x, 0)); }
ir_cell scalar_fptosi(const ir_op *op, const ir_cell *x) {
  return int_cell(saturate_signed(x[0].f, ir_scalar_bits(op->results[0].type->element)));
}
ir_cell scalar_fptoui(const ir_op *op, const ir_cell *x) {
  return int_cell((int64_t)saturate_unsigned(x[0].f, ir_scalar_bits(op->results[0].type->element)));
}

ir_cell scalar_bitcast(const ir_op *op, const ir_cell *x) {
  ir_scalar from = operand_element(op, 0), to = op->results[0].type->element;
  uint64_t bits = ir_scalar_is_float(from) ? ir_float_to_bits(from, x[0].f) : unsigned_operand(op, x, 0);
  return ir_scalar_is_float(to) ? float_cell(ir_float_from_bits(to, bits)) : int_cell((int64_t)bits);
}

/* ------------------------------------------------------------------------------------------------------------- math */

FLOAT_HOOK(exp, exp(x[0].f))
FLOAT_HOOK(exp2, exp2(x[0].f))
FLOAT_HOOK(expm1, expm1(x[0].f))
FLOAT_HOOK(log, log(x[0].f))
FLOAT_HOOK(log2, log2(x[0].f))
FLOAT_HOOK(log10, log10(x[0].f))
FLOAT_HOOK(log1p, log1p(x[0].f))
FLOAT_HOOK(tanh, tanh(x[0].f))
FLOAT_HOOK(sinh, sinh(x[0].f))
FLOAT_HOOK(cosh, cosh(x[0].f))
FLOAT_HOOK(sin, sin(x[0].f))
FLOAT_HOOK(cos, cos(x[0].f))
FLOAT_HOOK(tan, tan(x[0].f))
FLOAT_HOOK(asin, asin(x[0].f))
FLOAT_HOOK(acos, acos(x[0].f))
FLOAT_HOOK(atan, atan(x[0].f))
FLOAT_HOOK(atan2, atan2(x[0].f, x[1].f))
FLOAT_HOOK(cbrt, cbrt(x[0].f))
FLOAT_HOOK(sqrt, sqrt(x[0].f))
FLOAT_HOOK(rsqrt, 1 / sqrt(x[0].f))
FLOAT_HOOK(absf, fabs(x[0].f))
FLOAT_HOOK(erf, erf(x[0].f))
FLOAT_HOOK(erfc, erfc(x[0].f))
FLOAT_HOOK(floor, floor(x[0].f))
FLOAT_HOOK(ceil, ceil(x[0].f))
FLOAT_HOOK(trunc, trunc(x[0].f))
FLOAT_HOOK(round, round(x[0].f))
FLOAT_HOOK(roundeven, rint(x[0].f)) /* halves to even is how numbers are rounded unless somebody asks for more */
FLOAT_HOOK(copysign, copysign(x[0].f, x[1].f))
FLOAT_HOOK(powf, pow(x[0].f, x[1].f))
FLOAT_HOOK(fpowi, pow(x[0].f, (double)x[1].i))
INT_HOOK(isnan, isnan(x[0].f) ? -1 : 0)
INT_HOOK(isinf, isinf(x[0].f) ? -1 : 0)
INT_HOOK(isfinite, isfinite(x[0].f) ? -1 : 0)
INT_HOOK(absi, x[0].i < 0 ? (int64_t)(0 - (uint64_t)x[0].i) : x[0].i)
FLOAT_HOOK(fma, fma(x[0].f, x[1].f, x[2].f))
