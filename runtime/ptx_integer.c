/* ptx_integer.c - integer and bit instructions, and moves. Lanes are computed all at once and the inactive ones are
 * then left as they were, so that the loops are plain loops over 32 lanes. */
#include "runtime/ptx_machine.h"

#include <string.h>

typedef unsigned __int128 uint128;
typedef __int128 int128;

/* The operands of an instruction, widened to 64 bits by the type's sign. */
typedef struct values {
  uint64_t a[PTX_LANES], b[PTX_LANES], c[PTX_LANES], result[PTX_LANES];
} values;

static void read_lanes(const ptx_warp *warp, const ptx_operand *operand, bool is_signed, uint64_t lanes[PTX_LANES]) {
  const void *source = ptx_lanes(warp, operand);
  const uint64_t *wide = source;
  const uint32_t *narrow = source;
  if (operand->bits > 32)
    memcpy(lanes, wide, PTX_LANES * sizeof *wide);
  else if (is_signed)
    for (unsigned i = 0; i < PTX_LANES; i++)
      lanes[i] = ptx_sign_extend(narrow[i], operand->bits);
  else
    for (unsigned i = 0; i < PTX_LANES; i++)
      lanes[i] = narrow[i];
}

static void write_lanes(ptx_warp *warp, const ptx_operand *operand, uint32_t lanes, const uint64_t values[PTX_LANES]) {
  if (lanes != PTX_ALL_LANES || operand->bits < 32) {
    PTX_FOR_LANES(lane, lanes) ptx_set_lane(warp, operand, lane, values[lane]);
    return;
  }
  void *destination = ptx_lanes(warp, operand);
  if (operand->bits > 32)
    memcpy(destination, values, PTX_LANES * sizeof *values);
  else
    for (unsigned i = 0; i < PTX_LANES; i++)
      ((uint32_t *)destination)[i] = (uint32_t)values[i];
}

/* Division by zero gives all ones, and the remainder the dividend. */
static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder) {
  if (!b)
    return remainder ? a : ~(uint64_t)0;
  if (!is_signed)
    return remainder ? a % b : a / b;
  if (b == ~(uint64_t)0)
    return remainder ? 0 : 0 - a;
  return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t multiply(uint64_t a, uint64_t b, unsigned bits, bool is_signed, unsigned half) {
  if (half != HALF_HI)
    return a * b;
  if (bits < 64)
    return (a * b) >> bits;
  return is_signed ? (uint64_t)((uint128)((int128)(int64_t)a * (int64_t)b) >> 64) : (uint64_t)(((uint128)a * b) >> 64);
}

static uint64_t saturate(uint64_t value) {
  int64_t wide = (int64_t)value;
  return (uint64_t)(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
}

static uint64_t shift_right(uint64_t a, uint64_t amount, unsigned bits, bool is_signed) {
  if (amount >= bits)
    return is_signed && (int64_t)a < 0 ? ~(uint64_t)0 : 0;
  return is_signed ? (uint64_t)((int64_t)a >> amount) : a >> amount;
}

/* `length` bits from `position` on; above the value there are copies of its sign or zeros. */
static uint64_t extract(uint64_t a, uint64_t position, uint64_t length, unsigned bits, bool is_signed) {
  position &= 255;
  length &= 255;
  if (!length)
    return 0;
  uint64_t value = shift_right(a, position, bits, is_signed);
  bool negative = is_signed && ptx_sign_extend(a, bits) >> 63;
  if (length >= bits)
    return value;
  uint64_t top = position + length - 1;
  bool sign = top >= bits ? negative : a >> top & 1;
  value &= ((uint64_t)1 << length) - 1;
  return is_signed && sign ? value | ~(uint64_t)0 << length : value;
}

static uint64_t insert(uint64_t field, uint64_t into, uint64_t position, uint64_t length, unsigned bits) {
  position &= 255;
  length &= 255;
  if (position >= bits || !length)
    return into;
  uint64_t mask = (length >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << length) - 1) << position;
  return (into & ~mask) | (field << position & mask);
}

static uint64_t permute_bytes(uint64_t a, uint64_t b, uint64_t selector) {
  uint64_t bytes = (a & 0xffffffff) | b << 32, result = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t select = selector >> (4 * i), byte = bytes >> (8 * (select & 7)) & 255;
    if (select & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

static uint64_t look_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 8; i++)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

static uint64_t funnel(uint64_t low, uint64_t high, uint64_t amount, unsigned direction, unsigned beyond) {
  amount = beyond == 1 ? amount & 31 : amount < 32 ? amount : 32;
  uint64_t both = (low & 0xffffffff) | high << 32;
  return direction == 1 ? both << amount >> 32 : both >> amount;
}

static uint64_t reverse_bits(uint64_t value, unsigned bits) {
  uint64_t result = 0;
  for (unsigned i = 0; i < bits; i++)
    result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

static uint64_t leading_zeros(uint64_t value, unsigned bits) {
  return value ? (uint64_t)__builtin_clzll(value) - (64 - bits) : bits;
}

static bool execute_predicate(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  uint32_t a = ptx_predicate(warp, ptx_operand_of(warp, instruction, 1)), b = 0;
  if (instruction->num_operands > 2)
    b = ptx_predicate(warp, ptx_operand_of(warp, instruction, 2));
  uint32_t result = instruction->op == OP_AND   ? a & b
                    : instruction->op == OP_OR  ? a | b
                    : instruction->op == OP_XOR ? a ^ b
                                                : ~a;
  ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 0), lanes, result);
  return true;
}

#define EACH(expression)                                                                                               \
  for (unsigned i = 0; i < PTX_LANES; i++)                                                                             \
    v.result[i] = (expression);                                                                                        \
  break

bool ptx_execute_integer(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_type_row *type = &ptx_types[instruction->type[0]];
  unsigned bits = type->bits, half = instruction->field[PTX_HALF];
  bool is_signed = type->kind == KIND_SIGNED, saturates = instruction->field[PTX_SAT];
  if (type->kind == KIND_PREDICATE)
    return execute_predicate(warp, instruction, lanes);
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  values v;
  uint64_t d[PTX_LANES];
  read_lanes(warp, &operands[1], is_signed, v.a);
  if (instruction->num_operands > 2)
    read_lanes(warp, &operands[2], is_signed, v.b);
  if (instruction->num_operands > 3)
    read_lanes(warp, &operands[3], is_signed, v.c);
  if (instruction->num_operands > 4)
    read_lanes(warp, &operands[4], false, d);
  switch (instruction->op) {
  case OP_ADD:
    EACH(saturates ? saturate(v.a[i] + v.b[i]) : v.a[i] + v.b[i]);
  case OP_SUB:
    EACH(saturates ? saturate(v.a[i] - v.b[i]) : v.a[i] - v.b[i]);
  case OP_MUL:
    EACH(multiply(v.a[i], v.b[i], bits, is_signed, half));
  case OP_MAD:
    EACH(multiply(v.a[i], v.b[i], bits, is_signed, half) + v.c[i]);
  case OP_DIV:
    EACH(divide(v.a[i], v.b[i], is_signed, false));
  case OP_REM:
    EACH(divide(v.a[i], v.b[i], is_signed, true));
  case OP_MIN:
    EACH((is_signed ? (int64_t)v.a[i] < (int64_t)v.b[i] : v.a[i] < v.b[i]) ? v.a[i] : v.b[i]);
  case OP_MAX:
    EACH((is_signed ? (int64_t)v.a[i] > (int64_t)v.b[i] : v.a[i] > v.b[i]) ? v.a[i] : v.b[i]);
  case OP_NEG:
    EACH(0 - v.a[i]);
  case OP_ABS:
    EACH((int64_t)v.a[i] < 0 ? 0 - v.a[i] : v.a[i]);
  case OP_AND:
    EACH(v.a[i] & v.b[i]);
  case OP_OR:
    EACH(v.a[i] | v.b[i]);
  case OP_XOR:
    EACH(v.a[i] ^ v.b[i]);
  case OP_NOT:
    EACH(~v.a[i]);
  case OP_CNOT:
    EACH(v.a[i] == 0);
  case OP_SHL:
    EACH((uint32_t)v.b[i] >= bits ? 0 : v.a[i] << (v.b[i] & 63));
  case OP_SHR:
    EACH(shift_right(v.a[i], (uint32_t)v.b[i], bits, is_signed));
  case OP_SHF:
    EACH(funnel(v.a[i], v.b[i], v.c[i], instruction->field[PTX_DIRECTION], instruction->field[PTX_BEYOND]));
  case OP_BFE:
    EACH(extract(v.a[i], v.b[i], v.c[i], bits, is_signed));
  case OP_BFI:
    EACH(insert(v.a[i], v.b[i], v.c[i], d[i], bits));
  case OP_PRMT:
    EACH(permute_bytes(v.a[i], v.b[i], v.c[i]));
  case OP_LOP3:
    EACH(look_up(v.a[i], v.b[i], v.c[i], d[i]));
  case OP_POPC:
    EACH((uint64_t)__builtin_popcountll(v.a[i]));
  case OP_CLZ:
    EACH(leading_zeros(v.a[i], bits));
  default:
    EACH(reverse_bits(v.a[i], bits)); /* OP_BREV */
  }
  write_lanes(warp, &operands[0], lanes, v.result);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ moves */

static void refresh_clock(ptx_warp *warp, const ptx_operand *source) {
  if (source->file == FILE_SPECIAL && source->offset >= PTX_CLOCK * PTX_LANES * 8)
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
      ptx_set_lane(warp, source, lane, warp->executed);
}

bool ptx_execute_move(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  unsigned num_first = instruction->num_first, num_rest = instruction->num_operands - num_first;
  const ptx_operand *to = ptx_operand_of(warp, instruction, 0), *from = to + num_first;
  if (to->bits == 1) {
    ptx_set_predicate(warp, to, lanes, ptx_predicate(warp, from));
    return true;
  }
  refresh_clock(warp, from);
  if (num_first == 1 && num_rest == 1) {
    uint64_t whole[PTX_LANES];
    read_lanes(warp, from, false, whole);
    write_lanes(warp, to, lanes, whole);
    return true;
  }
  PTX_FOR_LANES(lane, lanes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < num_rest; i++)
      value |= ptx_lane_value(warp, &from[i], lane) << (i * from[i].bits & 63);
    for (unsigned i = 0; i < num_first; i++)
      ptx_set_lane(warp, &to[i], lane, value >> (i * to[i].bits & 63));
  }
  return true;
}
