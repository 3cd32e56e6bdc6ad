/* ptx_matrix.c - mma.sync: D = A * B + C on fragments, where A is 16 x K, B K x 8, C and D 16 x 8.
 *
 * Fragments. With group g = lane / 4 and t = lane % 4, and e elements in a register (32 / bits), register r of
 *   A holds row g + 8 * (r % 2), columns e * (t + 4 * (r / 2)) .. + e - 1
 *   B holds column g, rows e * (t + 4 * r) .. + e - 1
 *   C and D in f32 and s32 hold row g + 8 * (r / 2), column 2 * t + r % 2; in f16 row g + 8 * r, columns 2 * t and the
 * next. One formula covers every shape: K only says how many registers there are.
 *
 * Products are exact. Sums in f32 are rounded after each product, in the order of k; C in f16 is widened first and D
 * rounded at the end. Machines add several products at once and round elsewhere, so results may differ in the last
 * places. */
#include "runtime/ptx_machine.h"

#include <string.h>

enum { ROWS = 16, COLUMNS = 8, MAX_DEPTH = 32 };

float ptx_element_value(ptx_type type, uint32_t bits) {
  float value;
  switch (type) {
  case PTX_F16: {
    uint32_t magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f; /* the exponents' difference; exact, for subnormals too */
    memcpy(&magnitude, &value, sizeof value);
    magnitude |= sign | special;
    memcpy(&value, &magnitude, sizeof value);
    return value;
  }
  case PTX_BF16:
    bits <<= 16;
    break;
  case PTX_TF32:
    bits &= 0xffffe000; /* what the machine looks at */
    break;
  case PTX_E4M3:
  case PTX_E5M2:
    return (float)ptx_to_double(type, bits);
  case PTX_S8:
    return (float)(int8_t)bits;
  case PTX_U8:
    return (float)(uint8_t)bits;
  default:
    break;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

void ptx_read_factor(ptx_warp *warp, const ptx_operand *registers, ptx_type type, unsigned rows, unsigned depth,
                     float *factor, unsigned row_step, unsigned depth_step) {
  unsigned bits = ptx_types[type].bits, elements = 32 / bits, count = depth * rows / (PTX_LANES * elements);
  for (unsigned r = 0; r < count; r++) {
    const uint32_t *lanes = ptx_lanes(warp, &registers[r]);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
      for (unsigned e = 0; e < elements; e++) {
        uint32_t value = bits == 32 ? lanes[lane] : lanes[lane] >> (e * bits) & ((1u << bits) - 1);
        unsigned row = lane / 4 + 8 * (r % (rows / 8)), k = elements * (lane % 4 + 4 * (r / (rows / 8))) + e;
        factor[row * row_step + k * depth_step] = ptx_element_value(type, value);
      }
  }
}

/* Where element r of a lane's part of C or D is, two elements a register in f16. */
static uint32_t *accumulator(ptx_warp *warp, const ptx_operand *registers, ptx_type type, unsigned r) {
  return ptx_lanes(warp, &registers[type == PTX_F16 ? r / 2 : r]);
}

static uint32_t read_accumulator(ptx_warp *warp, const ptx_operand *registers, ptx_type type, unsigned r,
                                 unsigned lane) {
  uint32_t word = accumulator(warp, registers, type, r)[lane];
  return type == PTX_F16 ? word >> (16 * (r % 2)) & 0xffff : word;
}

static void multiply_floats(float sum[ROWS][COLUMNS], float left[ROWS][MAX_DEPTH], float right[MAX_DEPTH][COLUMNS],
                            unsigned depth) {
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned k = 0; k < depth; k++)
      for (unsigned column = 0; column < COLUMNS; column++)
        sum[row][column] += left[row][k] * right[k][column];
}

/* The products and their sum fit a double exactly; the accumulator wraps, or stops at the ends of its range. */
static uint32_t multiply_integers(const float *left, float right[MAX_DEPTH][COLUMNS], unsigned column, unsigned depth,
                                  uint32_t start, bool saturates) {
  int64_t sum = (int32_t)start;
  for (unsigned k = 0; k < depth; k++)
    sum += (int64_t)left[k] * (int64_t)right[k][column];
  if (saturates)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint32_t)sum;
}

static void store_floats(ptx_warp *warp, const ptx_operand *registers, ptx_type type, float sum[ROWS][COLUMNS]) {
  for (unsigned r = 0; r < 4; r++) {
    uint32_t *words = accumulator(warp, registers, type, r);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
      float value = sum[lane / 4 + 8 * (r / 2)][lane % 4 * 2 + r % 2];
      if (type == PTX_F32) {
        memcpy(&words[lane], &value, sizeof value);
      } else {
        uint32_t half = (uint32_t)ptx_from_double(PTX_F16, value, ROUND_NEAREST, false);
        words[lane] = r % 2 ? (words[lane] & 0xffff) | half << 16 : half;
      }
    }
  }
}

bool ptx_execute_matrix(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  static const uint8_t depths[] = {[SHAPE_M16N8K8] = 8, [SHAPE_M16N8K16] = 16, [SHAPE_M16N8K32] = 32};
  ptx_type result = (ptx_type)instruction->type[0], a = (ptx_type)instruction->type[1];
  ptx_type b = (ptx_type)instruction->type[2], c = (ptx_type)instruction->type[3];
  unsigned depth = depths[instruction->field[PTX_SHAPE]], words = result == PTX_F16 ? 2 : 4;
  const ptx_operand *destination = ptx_operand_of(warp, instruction, 0), *left_registers = destination + words;
  const ptx_operand *right_registers = left_registers + depth * ROWS * ptx_types[a].bits / (32 * PTX_LANES);
  const ptx_operand *added = ptx_operand_of(warp, instruction, instruction->num_operands - words);
  float left[ROWS][MAX_DEPTH], right[MAX_DEPTH][COLUMNS], sum[ROWS][COLUMNS];
  uint32_t totals[4][PTX_LANES];
  if (lanes != PTX_ALL_LANES)
    return ptx_stop(warp, instruction, ptx_first_lane(lanes), "all 32 lanes of the warp must take part");
  ptx_read_factor(warp, left_registers, a, ROWS, depth, &left[0][0], MAX_DEPTH, 1);
  ptx_read_factor(warp, right_registers, b, COLUMNS, depth, &right[0][0], 1, COLUMNS);
  for (unsigned r = 0; r < 4; r++)
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
      unsigned row = lane / 4 + 8 * (r / 2), column = lane % 4 * 2 + r % 2;
      uint32_t start = read_accumulator(warp, added, c, r, lane);
      if (result == PTX_S32)
        totals[r][lane] = multiply_integers(left[row], right, column, depth, start, instruction->field[PTX_SATFINITE]);
      else
        sum[row][column] = ptx_element_value(c, start);
    }
  if (result == PTX_S32) {
    for (unsigned r = 0; r < 4; r++)
      memcpy(ptx_lanes(warp, &destination[r]), totals[r], sizeof totals[r]);
    return true;
  }
  multiply_floats(sum, left, right, depth);
  store_floats(warp, destination, result, sum);
  return true;
}
