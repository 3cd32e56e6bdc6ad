/* ptx_float.c - floating-point instructions.
 *
 * f32 to nearest is computed as C computes it, on all 32 lanes at once. Everything else goes through doubles: sums and
 * products are exact there but for a last bit that says so (ptx_multiply_add), so one rounding to the type is right.
 * Functions marked .approx are computed in double and rounded to nearest. */
#include "runtime/ptx_machine.h"

#include <math.h>
#include <string.h>

/* Subnormals become zeros of their sign. */
static float flush(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

/* The other operand where one is NaN (or NaN under .NaN); -0 is less than +0. */
static double least(double a, double b, bool keep_nan) {
  if (isnan(a) || isnan(b))
    return keep_nan ? NAN : isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static double greatest(double a, double b, bool keep_nan) {
  if (isnan(a) || isnan(b))
    return keep_nan ? NAN : isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

/* One element in double, for the types of up to 32 bits. */
static double compute(const ptx_instruction *instruction, double a, double b, double c) {
  switch (instruction->op) {
  case OP_FADD:
    return ptx_multiply_add(a, 1, b);
  case OP_FSUB:
    return ptx_multiply_add(a, 1, -b);
  case OP_FMUL:
    return a * b;
  case OP_FMA:
    return ptx_multiply_add(a, b, c);
  case OP_FDIV:
    return a / b;
  case OP_FMIN:
    return least(a, b, instruction->field[PTX_NAN_RESULT]);
  case OP_FMAX:
    return greatest(a, b, instruction->field[PTX_NAN_RESULT]);
  case OP_FNEG:
    return -a;
  case OP_FABS:
    return fabs(a);
  case OP_COPYSIGN:
    return copysign(b, a);
  case OP_RCP:
    return 1 / a;
  case OP_SQRT:
    return sqrt(a);
  case OP_RSQRT:
    return 1 / sqrt(a);
  case OP_SIN:
    return sin(a);
  case OP_COS:
    return cos(a);
  case OP_LG2:
    return log2(a);
  case OP_EX2:
    return exp2(a);
  default:
    return tanh(a); /* OP_TANH */
  }
}

/* f64 needs its operations done once, and not exactly first. */
static double compute_double(const ptx_instruction *instruction, double a, double b, double c) {
  switch (instruction->op) {
  case OP_FADD:
    return a + b;
  case OP_FSUB:
    return a - b;
  case OP_FMA:
    return fma(a, b, c);
  default:
    return compute(instruction, a, b, c);
  }
}

/* How the elements of an instruction are read and written. */
typedef struct element_form {
  ptx_type type, factor; /* of all; of the operands before the last one */
  unsigned count, bits;  /* in a register; of one */
  bool flushes, saturates, clamps;
  unsigned rounding;
} element_form;

static element_form form_of(const ptx_instruction *instruction) {
  ptx_type type = (ptx_type)instruction->type[0];
  bool packed = ptx_types[type].kind == KIND_PACKED;
  type = (ptx_type)ptx_types[type].element;
  return (element_form){.type = type,
                        .factor = packed ? type : (ptx_type)instruction->type[1],
                        .count = packed ? 2 : 1,
                        .bits = ptx_types[type].bits,
                        .flushes = instruction->field[PTX_FTZ],
                        .saturates = instruction->field[PTX_SAT],
                        .clamps = instruction->field[PTX_RELU],
                        .rounding = instruction->field[PTX_ROUND]};
}

static double flush_double(const element_form *form, double value) {
  double smallest = form->type == PTX_F16 ? 0x1p-14 : 0x1p-126;
  return form->flushes && fabs(value) < smallest ? copysign(0, value) : value;
}

static uint64_t round_result(const element_form *form, double value) {
  if (form->saturates)
    value = value > 0 ? (value < 1 ? value : 1) : 0;
  if (form->clamps && value < 0)
    value = 0;
  uint64_t bits = ptx_from_double(form->type, value, form->rounding, false);
  return form->flushes ? ptx_from_double(form->type, flush_double(form, ptx_to_double(form->type, bits)), 0, false)
                       : bits;
}

/* Element `i` of operand `number`, 0 for one that is not there. */
static double read_element(const ptx_warp *warp, const ptx_instruction *instruction, const element_form *form,
                           unsigned number, unsigned lane, unsigned i) {
  if (number >= instruction->num_operands)
    return 0;
  ptx_type type = number + 1u < instruction->num_operands ? form->factor : form->type;
  unsigned bits = ptx_types[type].bits;
  uint64_t value = ptx_lane_value(warp, ptx_operand_of(warp, instruction, number), lane) >> (i * bits) & ptx_mask(bits);
  return flush_double(form, ptx_to_double(type, value));
}

static bool execute_elements(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  element_form form = form_of(instruction);
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  PTX_FOR_LANES(lane, lanes) {
    uint64_t result = 0;
    for (unsigned i = 0; i < form.count; i++) {
      double source[3];
      for (unsigned k = 0; k < 3; k++)
        source[k] = read_element(warp, instruction, &form, 1 + k, lane, i);
      double value = form.type == PTX_F64 ? compute_double(instruction, source[0], source[1], source[2])
                                          : compute(instruction, source[0], source[1], source[2]);
      result |= round_result(&form, value) << (i * form.bits);
    }
    ptx_set_lane(warp, &operands[0], lane, result);
  }
  return true;
}

static void read_floats(const ptx_warp *warp, const ptx_operand *operand, bool flushes, float lanes[PTX_LANES]) {
  memcpy(lanes, ptx_lanes(warp, operand), PTX_LANES * sizeof *lanes);
  if (flushes)
    for (unsigned i = 0; i < PTX_LANES; i++)
      lanes[i] = flush(lanes[i]);
}

/* The product is exact in double, so that only the sum is rounded, to odd; see ptx_multiply_add. Without branches. */
static float fused(float a, float b, float c) {
  double product = (double)a * b, sum = product + c;
  double virtual_c = sum - product, error = (product - (sum - virtual_c)) + (c - virtual_c);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  int64_t step = (error > 0) == (sum > 0) ? 1 : -1;
  bool adjust = (error > 0 || error < 0) && !(bits & 1) && (bits & 0x7ff0000000000000) != 0x7ff0000000000000;
  bits += adjust ? (uint64_t)step : 0;
  memcpy(&sum, &bits, sizeof bits);
  return (float)sum;
}

static float least_float(float a, float b) { return b != b || a < b || (a == b && signbit(a)) ? a : b; }
static float greatest_float(float a, float b) { return b != b || a > b || (a == b && !signbit(a)) ? a : b; }

#define EACH(expression)                                                                                               \
  for (unsigned i = 0; i < PTX_LANES; i++)                                                                             \
    result[i] = (expression);                                                                                          \
  break

/* f32, to nearest: false if the instruction needs the long way. */
static bool execute_nearest(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const uint8_t *field = instruction->field;
  if (instruction->type[0] != PTX_F32 || instruction->type[1] != PTX_F32 || field[PTX_ROUND] > ROUND_NEAREST ||
      field[PTX_SAT] || field[PTX_NAN_RESULT])
    return false;
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  float a[PTX_LANES], b[PTX_LANES], c[PTX_LANES], result[PTX_LANES];
  bool flushes = field[PTX_FTZ];
  read_floats(warp, &operands[1], flushes, a);
  if (instruction->num_operands > 2)
    read_floats(warp, &operands[2], flushes, b);
  if (instruction->num_operands > 3)
    read_floats(warp, &operands[3], flushes, c);
  switch (instruction->op) {
  case OP_FADD:
    EACH(a[i] + b[i]);
  case OP_FSUB:
    EACH(a[i] - b[i]);
  case OP_FMUL:
    EACH(a[i] * b[i]);
  case OP_FMA:
    EACH(fused(a[i], b[i], c[i]));
  case OP_FDIV:
    EACH(a[i] / b[i]);
  case OP_FMIN:
    EACH(least_float(a[i], b[i]));
  case OP_FMAX:
    EACH(greatest_float(a[i], b[i]));
  case OP_FNEG:
    EACH(-a[i]);
  case OP_FABS:
    EACH(fabsf(a[i]));
  case OP_EX2:
    EACH((float)exp2(a[i]));
  default:
    return false;
  }
  float *destination = ptx_lanes(warp, &operands[0]);
  if (flushes)
    for (unsigned i = 0; i < PTX_LANES; i++)
      result[i] = flush(result[i]);
  if (lanes == PTX_ALL_LANES)
    memcpy(destination, result, sizeof result);
  else
    PTX_FOR_LANES(lane, lanes) destination[lane] = result[lane];
  return true;
}

bool ptx_execute_floating(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  return execute_nearest(warp, instruction, lanes) || execute_elements(warp, instruction, lanes);
}
