/* ptx_convert.c - conversions between types, comparisons and selections. */
#include "runtime/ptx_machine.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------ conversions */

static bool is_float(ptx_type type) { return ptx_types[type].kind == KIND_FLOAT; }

static double flush_single(double value) { return fabs(value) < 0x1p-126 ? copysign(0, value) : value; }

/* Out of range gives the nearest value, NaN zero. */
static uint64_t float_to_integer(double value, ptx_type to) {
  unsigned bits = ptx_types[to].bits;
  if (isnan(value))
    return 0;
  if (ptx_types[to].kind == KIND_SIGNED) {
    double limit = ldexp(1, (int)bits - 1);
    if (value < -limit)
      return (uint64_t)1 << (bits - 1);
    return value >= limit ? ptx_mask(bits - 1) : (uint64_t)(int64_t)value;
  }
  return value < 0 ? 0 : value >= ldexp(1, (int)bits) ? ptx_mask(bits) : (uint64_t)value;
}

/* 64-bit integers do not fit a double: the last bit is set when bits were lost, as if rounded to odd. */
static double integer_to_double(uint64_t value, ptx_type from, ptx_type to) {
  bool negative = ptx_types[from].kind == KIND_SIGNED && (int64_t)value < 0;
  if (to == PTX_F64)
    return negative ? (double)(int64_t)value : (double)value;
  uint64_t magnitude = negative ? 0 - value : value;
  if (magnitude >> 53)
    magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
  double result = (double)magnitude;
  return negative ? -result : result;
}

static uint64_t saturate_integer(uint64_t value, ptx_type from, ptx_type to) {
  bool from_signed = ptx_types[from].kind == KIND_SIGNED, to_signed = ptx_types[to].kind == KIND_SIGNED;
  uint64_t most = ptx_mask(ptx_types[to].bits - (to_signed ? 1 : 0));
  if (from_signed && (int64_t)value < 0) {
    int64_t smallest = to_signed ? -(int64_t)most - 1 : 0;
    return (int64_t)value < smallest ? (uint64_t)smallest : value;
  }
  return value > most ? most : value;
}

/* One value of a float type to another. */
static uint64_t float_to_float(const ptx_instruction *instruction, double value, ptx_type from, ptx_type to) {
  const uint8_t *field = instruction->field;
  if (field[PTX_FTZ] && from == PTX_F32)
    value = flush_single(value);
  if (field[PTX_INTEGRAL])
    value = ptx_round_integral(value, field[PTX_INTEGRAL]);
  if (field[PTX_SAT])
    value = value > 0 ? (value < 1 ? value : 1) : 0;
  if (field[PTX_RELU] && value < 0)
    value = 0;
  uint64_t bits = ptx_from_double(to, value, field[PTX_ROUND], field[PTX_SATFINITE]);
  if (field[PTX_FTZ] && to == PTX_F32)
    bits = ptx_from_double(to, flush_single(ptx_to_double(to, bits)), 0, false);
  return bits;
}

static uint64_t convert(const ptx_instruction *instruction, uint64_t value, ptx_type from, ptx_type to) {
  unsigned bits = ptx_types[from].bits;
  value &= ptx_mask(bits);
  if (is_float(from)) {
    double number = ptx_to_double(from, value);
    if (is_float(to))
      return float_to_float(instruction, number, from, to);
    if (instruction->field[PTX_FTZ] && from == PTX_F32)
      number = flush_single(number);
    return float_to_integer(ptx_round_integral(number, instruction->field[PTX_INTEGRAL]), to);
  }
  if (ptx_types[from].kind == KIND_SIGNED)
    value = ptx_sign_extend(value, bits);
  if (is_float(to)) {
    double number = integer_to_double(value, from, to);
    if (instruction->field[PTX_SAT])
      number = number > 0 ? (number < 1 ? number : 1) : 0;
    return ptx_from_double(to, number, instruction->field[PTX_ROUND], false);
  }
  return instruction->field[PTX_SAT] ? saturate_integer(value, from, to) : value;
}

/* Narrow results fill wider registers by the sign of the type. */
static uint64_t widen(uint64_t value, ptx_type type) {
  return ptx_types[type].kind == KIND_SIGNED ? ptx_sign_extend(value, ptx_types[type].bits)
                                             : value & ptx_mask(ptx_types[type].bits);
}

static uint64_t window_of(const ptx_instruction *instruction) {
  switch (instruction->field[PTX_SPACE]) {
  case SPACE_SHARED:
    return PTX_SHARED_WINDOW;
  case SPACE_LOCAL:
    return PTX_LOCAL_WINDOW;
  case SPACE_PARAM:
    return PTX_PARAM_WINDOW;
  default:
    return 0;
  }
}

bool ptx_execute_convert(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  ptx_type to = (ptx_type)instruction->type[0], from = (ptx_type)instruction->type[1];
  ptx_type half_to = (ptx_type)ptx_types[to].element, half_from = (ptx_type)ptx_types[from].element;
  uint64_t window = window_of(instruction);
  PTX_FOR_LANES(lane, lanes) {
    uint64_t value = ptx_lane_value(warp, &operands[1], lane), result;
    if (instruction->op == OP_CVTA) {
      result = instruction->field[PTX_TO] ? value & ~window : value | window;
    } else if (half_to != to) { /* two results: from two operands, the first on top, or from two halves */
      bool two = instruction->num_operands == 3;
      uint64_t low = two ? ptx_lane_value(warp, &operands[2], lane) : value;
      uint64_t high = two ? value : value >> ptx_types[half_from].bits;
      result = convert(instruction, low, half_from, half_to) | convert(instruction, high, half_from, half_to)
                                                                   << ptx_types[half_to].bits;
    } else {
      result = widen(convert(instruction, value, from, to), to);
    }
    ptx_set_lane(warp, &operands[0], lane, result);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------ comparisons */

static double compared_double(const ptx_instruction *instruction, uint64_t bits, ptx_type type) {
  double value = ptx_to_double(type, bits);
  double smallest = type == PTX_F16 ? 0x1p-14 : 0x1p-126;
  return instruction->field[PTX_FTZ] && fabs(value) < smallest ? copysign(0, value) : value;
}

static unsigned outcome_of(const ptx_instruction *instruction, uint64_t a, uint64_t b, ptx_type type) {
  if (is_float(type)) {
    double left = compared_double(instruction, a, type), right = compared_double(instruction, b, type);
    return isunordered(left, right) ? COMPARE_UNORDERED
           : left == right          ? COMPARE_EQUAL
           : left < right           ? COMPARE_LESS
                                    : COMPARE_GREATER;
  }
  a = widen(a, type);
  b = widen(b, type);
  bool less = ptx_types[type].kind == KIND_SIGNED ? (int64_t)a < (int64_t)b : a < b;
  return a == b ? COMPARE_EQUAL : less ? COMPARE_LESS : COMPARE_GREATER;
}

/* .lo and .hi are names of modifiers that other instructions have, too. */
static bool compare(const ptx_instruction *instruction, uint64_t a, uint64_t b, ptx_type type) {
  unsigned half = instruction->field[PTX_HALF], comparison = instruction->field[PTX_COMPARISON];
  comparison = half == HALF_LO ? COMPARE_LESS : half == HALF_HI ? COMPARE_GREATER : comparison;
  return comparison & outcome_of(instruction, a, b, type);
}

static uint32_t combine(const ptx_instruction *instruction, uint32_t truth, uint32_t other) {
  return instruction->field[PTX_BOOLEAN] ? (uint32_t)ptx_combine(instruction, truth, other, 0) : truth;
}

/* The lanes in which operands `first` and the next compare true; of a packed type the lower or upper halves. */
static uint32_t compare_lanes(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes, unsigned first,
                              unsigned half) {
  const ptx_operand *operands = ptx_operand_of(warp, instruction, first);
  ptx_type given = (ptx_type)instruction->type[PTX_MAX_TYPES - 1], type = (ptx_type)ptx_types[given].element;
  unsigned bits = ptx_types[type].bits;
  uint32_t truth = 0;
  PTX_FOR_LANES(lane, lanes) {
    uint64_t a = ptx_lane_value(warp, &operands[0], lane) >> (half * bits);
    uint64_t b = ptx_lane_value(warp, &operands[1], lane) >> (half * bits);
    truth |= (uint32_t)compare(instruction, a & ptx_mask(bits), b & ptx_mask(bits), type) << lane;
  }
  return truth;
}

/* `p|q`: q gets the opposite, or under a packed type the truth of the upper halves. */
static bool set_predicates(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  bool packed = ptx_types[instruction->type[0]].kind == KIND_PACKED;
  uint32_t truth = compare_lanes(warp, instruction, lanes, 2, 0);
  uint32_t second = packed ? compare_lanes(warp, instruction, lanes, 2, 1) : ~truth, other = 0;
  if (instruction->field[PTX_BOOLEAN])
    other = ptx_predicate(warp, ptx_operand_of(warp, instruction, 4));
  ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 0), lanes, combine(instruction, truth, other));
  ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 1), lanes, combine(instruction, second, other));
  return true;
}

static bool set_values(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  uint32_t truth = compare_lanes(warp, instruction, lanes, 1, 0);
  if (instruction->field[PTX_BOOLEAN])
    truth = combine(instruction, truth, ptx_predicate(warp, ptx_operand_of(warp, instruction, 3)));
  uint64_t one = instruction->type[0] == PTX_F32 ? 0x3f800000 : 0xffffffff;
  PTX_FOR_LANES(lane, lanes)
  ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, truth >> lane & 1 ? one : 0);
  return true;
}

static bool select_values(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  ptx_type chosen = (ptx_type)instruction->type[1];
  PTX_FOR_LANES(lane, lanes) {
    bool first;
    if (instruction->op == OP_SELP) {
      first = ptx_predicate(warp, &operands[3]) >> lane & 1;
    } else {
      uint64_t bits = ptx_lane_value(warp, &operands[3], lane);
      first = chosen == PTX_F32 ? compared_double(instruction, bits, chosen) >= 0 : (int32_t)bits >= 0;
    }
    ptx_set_lane(warp, &operands[0], lane, ptx_lane_value(warp, &operands[first ? 1 : 2], lane));
  }
  return true;
}

static bool test_class(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  uint32_t truth = 0;
  PTX_FOR_LANES(lane, lanes) {
    double value =
        ptx_to_double((ptx_type)instruction->type[0], ptx_lane_value(warp, ptx_operand_of(warp, instruction, 2), lane));
    bool in_class = instruction->op == OP_TESTP       ? isfinite(value)
                    : instruction->op == OP_TESTP_NAN ? isnan(value)
                                                      : isinf(value);
    truth |= (uint32_t)in_class << lane;
  }
  ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 0), lanes, truth);
  return true;
}

bool ptx_execute_compare(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  switch (instruction->op) {
  case OP_SETP:
    return set_predicates(warp, instruction, lanes);
  case OP_SET:
    return set_values(warp, instruction, lanes);
  case OP_SELP:
  case OP_SLCT:
    return select_values(warp, instruction, lanes);
  default:
    return test_class(warp, instruction, lanes);
  }
}
