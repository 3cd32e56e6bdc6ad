/* ptx_number.c - the floating-point types of PTX as doubles and back, in every rounding.
 *
 * A double holds every value of every type exactly. Rounding scales a value so that the last place of the result is 1
 * and rounds to an integer there, which covers normal and subnormal results alike. */
#include "runtime/ptx_machine.h"

#include <math.h>
#include <string.h>

/* Sign, exponent, mantissa. The exponents of normal values are from `least` on; `largest` are the bits of the largest
 * finite value, `infinity` those of infinity or, where there is none, of the largest finite value. */
typedef struct float_format {
  int mantissa, least, bias, sign_bit;
  int shift; /* of the stored bits: tf32 lies in the upper bits of a word */
  uint32_t largest, infinity, nan;
} float_format;

static const float_format formats[PTX_NUM_TYPES] = {
    [PTX_F16] = {10, -14, 15, 15, 0, 0x7bff, 0x7c00, 0x7fff},
    [PTX_BF16] = {7, -126, 127, 15, 0, 0x7f7f, 0x7f80, 0x7fff},
    [PTX_F32] = {23, -126, 127, 31, 0, 0x7f7fffff, 0x7f800000, 0x7fffffff},
    [PTX_TF32] = {10, -126, 127, 18, 13, 0x3fbff, 0x3fc00, 0x3ffff},
    [PTX_E4M3] = {3, -6, 7, 7, 0, 0x7e, 0x7e, 0x7f},
    [PTX_E5M2] = {2, -14, 15, 7, 0, 0x7b, 0x7c, 0x7f},
};

double ptx_to_double(ptx_type type, uint64_t bits) {
  if (type == PTX_F64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type == PTX_F32) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const float_format *format = &formats[type];
  uint32_t all = (uint32_t)bits >> format->shift, magnitude = all & ((1u << format->sign_bit) - 1);
  bool negative = all >> format->sign_bit & 1, has_infinity = format->infinity != format->largest;
  double value;
  if (has_infinity && magnitude == format->infinity) {
    value = INFINITY;
  } else if (magnitude > format->largest) {
    value = NAN;
  } else {
    int exponent = (int)(magnitude >> format->mantissa);
    uint32_t fraction = magnitude & ((1u << format->mantissa) - 1);
    value = exponent ? ldexp(fraction + (double)(1u << format->mantissa), exponent - format->bias - format->mantissa)
                     : ldexp(fraction, format->least - format->mantissa);
  }
  return negative ? -value : value;
}

double ptx_round_integral(double value, unsigned rounding) {
  switch (rounding) {
  case ROUND_ZERO:
    return trunc(value);
  case ROUND_DOWN:
    return floor(value);
  case ROUND_UP:
    return ceil(value);
  case ROUND_AWAY:
    return round(value);
  default:
    return nearbyint(value);
  }
}

/* The bits of an overflow: infinity, or the largest finite value where the direction points back to it. */
static uint32_t overflow(const float_format *format, bool negative, unsigned rounding, bool finite) {
  bool back = rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !negative) || (rounding == ROUND_UP && negative);
  return finite || back ? format->largest : format->infinity;
}

static uint32_t round_magnitude(const float_format *format, double value, unsigned rounding, bool finite) {
  bool negative = signbit(value) != 0;
  int exponent;
  if (isinf(value))
    return finite ? format->largest : format->infinity;
  if (value == 0)
    return 0;
  frexp(value, &exponent);
  exponent = exponent - 1 < format->least ? format->least : exponent - 1;
  double last_place = fabs(ptx_round_integral(ldexp(value, format->mantissa - exponent), rounding));
  /* The leading one of a normal value adds itself to the exponent, and so does a carry. */
  double bits = last_place + ldexp(exponent - format->least, format->mantissa);
  return bits > format->largest ? overflow(format, negative, rounding, finite) : (uint32_t)bits;
}

uint64_t ptx_from_double(ptx_type type, double value, unsigned rounding, bool finite) {
  uint64_t result = 0;
  if (type == PTX_F64) {
    memcpy(&result, &value, sizeof value);
    return result;
  }
  const float_format *format = &formats[type];
  if (isnan(value))
    return (uint64_t)format->nan << format->shift;
  if (type == PTX_F32 && rounding <= ROUND_NEAREST && !finite) {
    float narrow = (float)value;
    memcpy(&result, &narrow, sizeof narrow);
    return result;
  }
  uint32_t sign = (uint32_t)(signbit(value) != 0) << format->sign_bit;
  return (uint64_t)(sign | round_magnitude(format, value, rounding, finite)) << format->shift;
}

double ptx_multiply_add(double a, double b, double c) {
  double product = a * b, sum = product + c;
  double virtual_c = sum - product, error = (product - (sum - virtual_c)) + (c - virtual_c);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (!(error > 0 || error < 0) || !isfinite(sum) || bits & 1)
    return sum;
  bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
  memcpy(&sum, &bits, sizeof bits);
  return sum;
}
