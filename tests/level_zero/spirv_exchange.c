/* spirv_exchange.c - what the lanes of a sub-group tell each other. All of them are here. */
#include "spirv_compute.h"

static const spirv_module *module_of(const spirv_subgroup *subgroup) { return subgroup->group->module; }

/* Operand `number`, a scope, is the sub-group. */
static bool check_scope(spirv_subgroup *subgroup, const spirv_instruction *instruction) {
  enum { SUBGROUP = 3 };
  return spirv_row_of(subgroup, instruction->operands[0], 0)[0] == SUBGROUP ||
         spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "its scope is not the sub-group");
}

/* Intel's shuffles have no scope; all others have one, their first operand. */
static uint32_t first_operand(const spirv_instruction *instruction) { return instruction->num_operands == 3 ? 1 : 0; }

/* Lane l gets the value of lane (l & keep) ^ operand. */
static bool exchange(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t keep) {
  uint32_t first = first_operand(instruction);
  unsigned count = spirv_type_of(module_of(subgroup), instruction->type)->components, lanes = subgroup->lanes;
  if (first && !check_scope(subgroup, instruction))
    return false;
  if (spirv_value_type(module_of(subgroup), instruction->operands[first])->components != count)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the types do not fit together");
  const uint64_t *from = spirv_row_of(subgroup, instruction->operands[first + 1], 0);
  for (unsigned c = 0; c < count; c++) {
    const uint64_t *value = spirv_row_of(subgroup, instruction->operands[first], c);
    uint64_t *out = spirv_row_of(subgroup, instruction->result, c);
    SPIRV_FOR_LANES(lane, subgroup->existing) {
      uint64_t other = (lane & keep) ^ from[lane];
      if (other >= lanes || !(subgroup->existing >> other & 1))
        return spirv_stop(subgroup, instruction, lane, "reads from lane %llu of %u", (unsigned long long)other, lanes);
      out[lane] = value[other];
    }
  }
  return true;
}

bool spirv_shuffle(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return exchange(subgroup, instruction, 0);
}

bool spirv_shuffle_xor(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return exchange(subgroup, instruction, UINT32_MAX);
}

bool spirv_vote(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  if (!check_scope(subgroup, instruction))
    return false;
  bool all = strstr(instruction->name, "All") != NULL, any = false;
  bool is_all = all;
  const uint64_t *value = spirv_row_of(subgroup, instruction->operands[1], 0);
  SPIRV_FOR_LANES(lane, lanes) {
    all = all && value[lane];
    any = any || value[lane];
  }
  uint64_t *out = spirv_row_of(subgroup, instruction->result, 0);
  SPIRV_FOR_LANES(lane, lanes) out[lane] = is_all ? all : any;
  return true;
}

/* How two values combine, by the last word of an instruction's name. */
static spirv_compute *combination_of(const char *name) {
  static const struct {
    const char *suffix;
    spirv_compute *compute;
  } rows[] = {{"IAdd", spirv_add}, {"FAdd", spirv_add_float},  {"FMin", spirv_min_float},
              {"UMin", spirv_min}, {"SMin", spirv_signed_min}, {"FMax", spirv_max_float},
              {"UMax", spirv_max}, {"SMax", spirv_signed_max}};
  size_t i = 0;
  while (strcmp(name + strlen(name) - 4, rows[i].suffix) != 0)
    i++;
  return rows[i].compute;
}

/* Reductions, and scans with and without the own value, in the order of lanes. */
bool spirv_reduce(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  enum { REDUCE, INCLUSIVE };
  const spirv_type *type = spirv_type_of(module_of(subgroup), instruction->type);
  uint32_t operation = instruction->operands[1];
  if (!check_scope(subgroup, instruction))
    return false;
  if (operation > INCLUSIVE ||
      spirv_value_type(module_of(subgroup), instruction->operands[2])->components != type->components)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "operation %u is unknown", operation);
  spirv_compute *combine = combination_of(instruction->row->name);
  for (unsigned c = 0; c < type->components; c++) {
    const uint64_t *value = spirv_row_of(subgroup, instruction->operands[2], c);
    uint64_t *out = spirv_row_of(subgroup, instruction->result, c), sum = value[0];
    SPIRV_FOR_LANES(lane, lanes) {
      spirv_operands operands = {1, type->width, type->width, &sum, &value[lane], &sum, &sum};
      if (lane)
        combine(&operands);
      out[lane] = sum;
    }
    if (operation == REDUCE)
      SPIRV_FOR_LANES(lane, lanes) out[lane] = sum;
  }
  return true;
}

/* Consecutive elements, dealt out to the lanes: element c * lanes + lane is a lane's component c. All lanes give one
 * address. */
static bool move_block(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t value,
                       spirv_access access) {
  const spirv_type *type = spirv_value_type(module_of(subgroup), value);
  const uint64_t *address = spirv_row_of(subgroup, instruction->operands[0], 0);
  size_t bytes = type->width / 8, alignment = access == SPIRV_WRITE ? 16 : 4;
  if (address[0] % alignment)
    return spirv_stop(subgroup, instruction, 0, "accesses 0x%llx, which is not aligned to %zu bytes",
                      (unsigned long long)address[0], alignment);
  for (unsigned c = 0; c < type->components; c++) {
    uint64_t *row = spirv_row_of(subgroup, value, c);
    SPIRV_FOR_LANES(lane, subgroup->existing) {
      if (address[lane] != address[0])
        return spirv_stop(subgroup, instruction, lane, "has another address than lane 0");
      uint64_t place = address[0] + ((size_t)c * subgroup->lanes + lane) * bytes;
      uint8_t stored[8], *at = spirv_reach(subgroup, instruction, lane, place, bytes, access);
      if (!at)
        return false;
      spirv_store_bits(stored, row[lane], type->width);
      if (!spirv_note(subgroup, instruction, lane, place, stored, bytes, access))
        return false;
      if (access == SPIRV_READ)
        row[lane] = spirv_load_bits(at, type->width);
      else
        spirv_store_bits(at, row[lane], type->width);
    }
  }
  return true;
}

bool spirv_block_read(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return move_block(subgroup, instruction, instruction->result, SPIRV_READ);
}

bool spirv_block_write(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return move_block(subgroup, instruction, instruction->operands[1], SPIRV_WRITE);
}
