/* spirv_compute.c - elementwise instructions: plain loops over slots.
 *
 * They compute lanes that are not active too, whose operands may be anything; the caller throws those results away.
 * Floats of 16 bits are computed in f32, which is wide enough that rounding twice does no harm, but for fma. */
#include "spirv_compute.h"

#include <tgmath.h>

__extension__ typedef _Float16 half;
__extension__ typedef unsigned __int128 wide;

float spirv_bfloat(uint64_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

uint64_t spirv_bfloat_bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  if (value != value)
    return (word >> 16) | 0x40;
  return (word + 0x7fff + (word >> 16 & 1)) >> 16;
}

static float load_16(uint64_t bits) {
  uint16_t word = (uint16_t)bits;
  half value;
  memcpy(&value, &word, sizeof value);
  return (float)value;
}

static float load_32(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static double load_64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t store_16(float value) {
  half narrow = (half)value;
  uint16_t word;
  memcpy(&word, &narrow, sizeof word);
  return word;
}

static uint64_t store_32(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static uint64_t store_64(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

float spirv_float(uint64_t bits, unsigned width) { return width == 16 ? load_16(bits) : load_32(bits); }

uint64_t spirv_bits(float value, unsigned width) { return width == 16 ? store_16(value) : store_32(value); }

/* A float of any width; f32 and narrower ones exactly. */
static double load_any(uint64_t bits, unsigned width) {
  return width == 64 ? load_64(bits) : (double)spirv_float(bits, width);
}

#define EACH for (size_t i = 0; i < operands->count; i++)

/* --------------------------------------------------------------------------------------------------------- integers */

#define INTEGER(NAME, EXPRESSION)                                                                                      \
  void NAME(const spirv_operands *operands) {                                                                          \
    unsigned width = operands->width;                                                                                  \
    EACH {                                                                                                             \
      uint64_t a = operands->a[i], b = operands->b[i];                                                                 \
      (void)a, (void)b;                                                                                                \
      operands->out[i] = spirv_narrow((uint64_t)(EXPRESSION), width);                                                  \
    }                                                                                                                  \
  }
#define SIGNED(NAME, EXPRESSION)                                                                                       \
  void NAME(const spirv_operands *operands) {                                                                          \
    unsigned width = operands->width, from = operands->from_width;                                                     \
    EACH {                                                                                                             \
      int64_t a = spirv_signed(operands->a[i], from), b = spirv_signed(operands->b[i], from);                          \
      (void)a, (void)b;                                                                                                \
      operands->out[i] = spirv_narrow((uint64_t)(EXPRESSION), width);                                                  \
    }                                                                                                                  \
  }

INTEGER(spirv_copy, a)
INTEGER(spirv_add, a + b)
INTEGER(spirv_subtract, a - b)
INTEGER(spirv_multiply, a *b)
INTEGER(spirv_negate, 0 - a)
INTEGER(spirv_or, a | b)
INTEGER(spirv_and, a &b)
INTEGER(spirv_xor, a ^ b)
INTEGER(spirv_not, ~a)
/* Shifts by more than there are bits are undefined in SPIR-V. */
INTEGER(spirv_shift_left, b < width ? a << b : 0)
INTEGER(spirv_shift_right, b < width ? a >> b : 0)
INTEGER(spirv_shift_right_signed, spirv_signed(a, width) >> (b < width ? b : width - 1))
INTEGER(spirv_equal, a == b)
INTEGER(spirv_not_equal, a != b)
INTEGER(spirv_greater, a > b)
INTEGER(spirv_greater_equal, a >= b)
INTEGER(spirv_less, a < b)
INTEGER(spirv_less_equal, a <= b)
INTEGER(spirv_max, a > b ? a : b)
INTEGER(spirv_min, a < b ? a : b)
INTEGER(spirv_count_bits, __builtin_popcountll(a))
INTEGER(spirv_leading_zeros, a ? (unsigned)__builtin_clzll(a) - (64 - width) : width)
INTEGER(spirv_trailing_zeros, a ? (unsigned)__builtin_ctzll(a) : width)
INTEGER(spirv_multiply_high, (wide)a *b >> width)
SIGNED(spirv_sign_extend, a)
SIGNED(spirv_signed_greater, a > b)
SIGNED(spirv_signed_greater_equal, a >= b)
SIGNED(spirv_signed_less, a < b)
SIGNED(spirv_signed_less_equal, a <= b)
SIGNED(spirv_signed_max, a > b ? a : b)
SIGNED(spirv_signed_min, a < b ? a : b)
SIGNED(spirv_absolute, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)

/* ----------------------------------------------------------------------------------------------------------- floats */

#define LOOP(WIDTH, REAL, EXPRESSION)                                                                                  \
  EACH {                                                                                                               \
    REAL a = load_##WIDTH(operands->a[i]), b = load_##WIDTH(operands->b[i]), c = load_##WIDTH(operands->c[i]);         \
    (void)a, (void)b, (void)c;                                                                                         \
    operands->out[i] = store_##WIDTH(EXPRESSION);                                                                      \
  }                                                                                                                    \
  break
/* EXPRESSION is of the type of a, b and c: float or, for f64, double. */
#define FLOAT(NAME, EXPRESSION)                                                                                        \
  void NAME(const spirv_operands *operands) {                                                                          \
    switch (operands->width) {                                                                                         \
    case 16:                                                                                                           \
      LOOP(16, float, EXPRESSION);                                                                                     \
    case 32:                                                                                                           \
      LOOP(32, float, EXPRESSION);                                                                                     \
    default:                                                                                                           \
      LOOP(64, double, EXPRESSION);                                                                                    \
    }                                                                                                                  \
  }
#define COMPARE(NAME, EXPRESSION)                                                                                      \
  void NAME(const spirv_operands *operands) {                                                                          \
    unsigned from = operands->from_width;                                                                              \
    EACH {                                                                                                             \
      double a = load_any(operands->a[i], from), b = load_any(operands->b[i], from);                                   \
      (void)b;                                                                                                         \
      bool holds = (EXPRESSION);                                                                                       \
      operands->out[i] = holds;                                                                                        \
    }                                                                                                                  \
  }

FLOAT(spirv_add_float, a + b)
FLOAT(spirv_subtract_float, a - b)
FLOAT(spirv_multiply_float, a *b)
FLOAT(spirv_divide_float, a / b)
FLOAT(spirv_remainder_float, fmod(a, b))
FLOAT(spirv_negate_float, -a)
FLOAT(spirv_absolute_float, fabs(a))
FLOAT(spirv_copysign, copysign(a, b))
FLOAT(spirv_ceil, ceil(a))
FLOAT(spirv_floor, floor(a))
FLOAT(spirv_rint, rint(a))
FLOAT(spirv_round, round(a))
FLOAT(spirv_trunc, trunc(a))
FLOAT(spirv_cos, cos(a))
FLOAT(spirv_sin, sin(a))
FLOAT(spirv_erf, erf(a))
FLOAT(spirv_exp, exp(a))
FLOAT(spirv_exp2, exp2(a))
FLOAT(spirv_log, log(a))
FLOAT(spirv_log2, log2(a))
FLOAT(spirv_log1p, log1p(a))
FLOAT(spirv_pow, pow(a, b))
FLOAT(spirv_tanh, tanh(a))
FLOAT(spirv_log10, log10(a))
FLOAT(spirv_sinh, sinh(a))
FLOAT(spirv_cosh, cosh(a))
FLOAT(spirv_tan, tan(a))
FLOAT(spirv_asin, asin(a))
FLOAT(spirv_acos, acos(a))
FLOAT(spirv_atan, atan(a))
FLOAT(spirv_atan2, atan2(a, b))
FLOAT(spirv_erfc, erfc(a))
FLOAT(spirv_cbrt, cbrt(a))
FLOAT(spirv_root, sqrt(a))
FLOAT(spirv_reciprocal_root, 1 / sqrt(a))
FLOAT(spirv_reciprocal, 1 / a)
FLOAT(spirv_max_float, fmax(a, b))
FLOAT(spirv_min_float, fmin(a, b))
FLOAT(spirv_fma, fma(a, b, c))
COMPARE(spirv_is_nan, isnan(a))
COMPARE(spirv_is_infinite, isinf(a) != 0)
COMPARE(spirv_is_finite, isfinite(a))
COMPARE(spirv_ordered, !isunordered(a, b))
COMPARE(spirv_unordered, isunordered(a, b))
COMPARE(spirv_ordered_equal, a == b)
COMPARE(spirv_unordered_equal, !(a < b || a > b))
COMPARE(spirv_ordered_not_equal, a<b || a> b)
COMPARE(spirv_unordered_not_equal, a != b)
COMPARE(spirv_ordered_less, a < b)
COMPARE(spirv_unordered_less, !(a >= b))
COMPARE(spirv_ordered_greater, a > b)
COMPARE(spirv_unordered_greater, !(a <= b))
COMPARE(spirv_ordered_less_equal, a <= b)
COMPARE(spirv_unordered_less_equal, !(a > b))
COMPARE(spirv_ordered_greater_equal, a >= b)
COMPARE(spirv_unordered_greater_equal, !(a < b))

/* ------------------------------------------------------------------------------------------------------ conversions */

static uint64_t store_any(double value, unsigned width) {
  return width == 64 ? store_64(value) : width == 32 ? store_32((float)value) : store_16((float)value);
}

void spirv_convert_float(const spirv_operands *operands) {
  /* From f64 to f16 by way of f32 would round twice. */
  EACH {
    double value = load_any(operands->a[i], operands->from_width);
    if (operands->width == 16 && operands->from_width == 64) {
      half narrow = (half)value;
      uint16_t word;
      memcpy(&word, &narrow, sizeof word);
      operands->out[i] = word;
    } else {
      operands->out[i] = store_any(value, operands->width);
    }
  }
}

/* Numbers that do not fit are undefined in SPIR-V: here the nearest that does, and 0 for what is none. */
void spirv_float_to_signed(const spirv_operands *operands) {
  double bound = ldexp(1.0, (int)operands->width - 1);
  EACH {
    double value = load_any(operands->a[i], operands->from_width);
    int64_t most = (int64_t)(((uint64_t)1 << (operands->width - 1)) - 1);
    int64_t number = isnan(value) ? 0 : value >= bound ? most : value < -bound ? -most - 1 : (int64_t)value;
    operands->out[i] = spirv_narrow((uint64_t)number, operands->width);
  }
}

void spirv_float_to_unsigned(const spirv_operands *operands) {
  double bound = ldexp(1.0, (int)operands->width);
  EACH {
    double value = load_any(operands->a[i], operands->from_width);
    operands->out[i] = !(value > 0) ? 0 : value >= bound ? spirv_narrow(UINT64_MAX, operands->width) : (uint64_t)value;
  }
}

/* The casts round once, from the integer. */
void spirv_signed_to_float(const spirv_operands *operands) {
  EACH {
    int64_t value = spirv_signed(operands->a[i], operands->from_width);
    operands->out[i] = operands->width == 64 ? store_64((double)value) : spirv_bits((float)value, operands->width);
  }
}

void spirv_unsigned_to_float(const spirv_operands *operands) {
  EACH {
    uint64_t value = operands->a[i];
    operands->out[i] = operands->width == 64 ? store_64((double)value) : spirv_bits((float)value, operands->width);
  }
}

void spirv_float_to_bfloat(const spirv_operands *operands) {
  EACH operands->out[i] = spirv_bfloat_bits(load_32(operands->a[i]));
}

void spirv_bfloat_to_float(const spirv_operands *operands) {
  EACH operands->out[i] = store_32(spirv_bfloat(operands->a[i]));
}

/* -------------------------------------------------------------------------------------------- OpenCL's instructions */

spirv_compute *spirv_find_extended(uint32_t number, const char **name, unsigned *num_operands) {
  static const struct {
    uint32_t number;
    const char *name;
    unsigned num_operands;
    spirv_compute *compute;
  } rows[] = {
#define EXTENDED(NUMBER, NAME, OPERANDS, FUNCTION) {NUMBER, #NAME, OPERANDS, FUNCTION},
#include "spirv_extended.def"
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].number != number)
      continue;
    *name = rows[i].name;
    *num_operands = rows[i].num_operands;
    return rows[i].compute;
  }
  return NULL;
}
