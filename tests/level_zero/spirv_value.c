/* spirv_value.c - instructions that take values apart and put them together, lane by lane. */
#include "spirv_compute.h"

/* Copies rows under a mask. */
static void copy_rows(const spirv_subgroup *subgroup, uint64_t *to, const uint64_t *from, unsigned rows,
                      uint32_t lanes) {
  for (unsigned c = 0; c < rows; c++, to += subgroup->lanes, from += subgroup->lanes)
    SPIRV_FOR_LANES(lane, lanes) to[lane] = from[lane];
}

static const spirv_module *module_of(const spirv_subgroup *subgroup) { return subgroup->group->module; }

/* The part of a composite that literals name: its type, and *row, the number of its first scalar; NULL after an
 * error. */
static const spirv_type *find_part(const spirv_subgroup *subgroup, const spirv_instruction *instruction,
                                   const spirv_type *type, const uint32_t *indices, uint32_t count, unsigned *row) {
  const spirv_module *module = module_of(subgroup);
  *row = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (indices[i] >= type->count) {
      spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "there is no part %u", indices[i]);
      return NULL;
    }
    if (type->kind == SPIRV_STRUCT) {
      for (uint32_t k = 0; k < indices[i]; k++)
        *row += spirv_type_of(module, type->members[k])->components;
      type = spirv_type_of(module, type->members[indices[i]]);
    } else {
      type = spirv_type_of(module, type->element);
      *row += indices[i] * type->components;
    }
  }
  return type;
}

static bool mismatch(const spirv_subgroup *subgroup, const spirv_instruction *instruction) {
  return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the types do not fit together");
}

bool spirv_extract(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  unsigned row;
  const spirv_type *part = find_part(subgroup, instruction, spirv_value_type(module, instruction->operands[0]),
                                     instruction->operands + 1, instruction->num_operands - 1, &row);
  if (!part)
    return false;
  if (part->components != spirv_type_of(module, instruction->type)->components)
    return mismatch(subgroup, instruction);
  copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, 0),
            spirv_row_of(subgroup, instruction->operands[0], row), part->components, lanes);
  return true;
}

bool spirv_insert(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  const spirv_type *type = spirv_type_of(module, instruction->type);
  unsigned row;
  const spirv_type *part =
      find_part(subgroup, instruction, type, instruction->operands + 2, instruction->num_operands - 2, &row);
  if (!part)
    return false;
  if (part->components != spirv_value_type(module, instruction->operands[0])->components ||
      type->components != spirv_value_type(module, instruction->operands[1])->components)
    return mismatch(subgroup, instruction);
  copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, 0),
            spirv_row_of(subgroup, instruction->operands[1], 0), type->components, lanes);
  copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, row),
            spirv_row_of(subgroup, instruction->operands[0], 0), part->components, lanes);
  return true;
}

bool spirv_construct(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  unsigned row = 0, rows = spirv_type_of(module, instruction->type)->components;
  for (uint32_t i = 0; i < instruction->num_operands; i++) {
    unsigned count = spirv_value_type(module, instruction->operands[i])->components;
    if (count > rows - row)
      return mismatch(subgroup, instruction);
    copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, row),
              spirv_row_of(subgroup, instruction->operands[i], 0), count, lanes);
    row += count;
  }
  return row == rows || mismatch(subgroup, instruction);
}

bool spirv_shuffle_vectors(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  unsigned first = spirv_value_type(module, instruction->operands[0])->components;
  unsigned second = spirv_value_type(module, instruction->operands[1])->components;
  if (instruction->num_operands - 2 != spirv_type_of(module, instruction->type)->components)
    return mismatch(subgroup, instruction);
  for (uint32_t i = 2; i < instruction->num_operands; i++) {
    uint32_t from = instruction->operands[i];
    if (from == UINT32_MAX)
      continue; /* undefined */
    if (from >= first + second)
      return mismatch(subgroup, instruction);
    const uint64_t *row = from < first ? spirv_row_of(subgroup, instruction->operands[0], from)
                                       : spirv_row_of(subgroup, instruction->operands[1], from - first);
    copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, i - 2), row, 1, lanes);
  }
  return true;
}

bool spirv_extract_dynamic(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  unsigned count = spirv_value_type(module_of(subgroup), instruction->operands[0])->components;
  const uint64_t *index = spirv_row_of(subgroup, instruction->operands[1], 0);
  uint64_t *out = spirv_row_of(subgroup, instruction->result, 0);
  SPIRV_FOR_LANES(lane, lanes) {
    if (index[lane] >= count)
      return spirv_stop(subgroup, instruction, lane, "element %lld of %u", (long long)index[lane], count);
    out[lane] = spirv_row_of(subgroup, instruction->operands[0], (unsigned)index[lane])[lane];
  }
  return true;
}

bool spirv_insert_dynamic(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  unsigned count = spirv_type_of(module_of(subgroup), instruction->type)->components;
  if (spirv_value_type(module_of(subgroup), instruction->operands[0])->components != count)
    return mismatch(subgroup, instruction);
  const uint64_t *value = spirv_row_of(subgroup, instruction->operands[1], 0);
  const uint64_t *index = spirv_row_of(subgroup, instruction->operands[2], 0);
  copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, 0),
            spirv_row_of(subgroup, instruction->operands[0], 0), count, lanes);
  SPIRV_FOR_LANES(lane, lanes) {
    if (index[lane] >= count)
      return spirv_stop(subgroup, instruction, lane, "element %lld of %u", (long long)index[lane], count);
    spirv_row_of(subgroup, instruction->result, (unsigned)index[lane])[lane] = value[lane];
  }
  return true;
}

bool spirv_select(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  unsigned count = spirv_type_of(module, instruction->type)->components;
  unsigned conditions = spirv_value_type(module, instruction->operands[0])->components;
  if ((conditions != 1 && conditions != count) ||
      spirv_value_type(module, instruction->operands[1])->components != count ||
      spirv_value_type(module, instruction->operands[2])->components != count)
    return mismatch(subgroup, instruction);
  for (unsigned c = 0; c < count; c++) {
    const uint64_t *condition = spirv_row_of(subgroup, instruction->operands[0], conditions == 1 ? 0 : c);
    const uint64_t *yes = spirv_row_of(subgroup, instruction->operands[1], c);
    const uint64_t *no = spirv_row_of(subgroup, instruction->operands[2], c);
    uint64_t *out = spirv_row_of(subgroup, instruction->result, c);
    SPIRV_FOR_LANES(lane, lanes) out[lane] = condition[lane] ? yes[lane] : no[lane];
  }
  return true;
}

bool spirv_scale(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  const spirv_type *type = spirv_type_of(module, instruction->type);
  if (spirv_value_type(module, instruction->operands[0])->components != type->components)
    return mismatch(subgroup, instruction);
  for (unsigned c = 0; c < type->components; c++) {
    spirv_operands operands = {.count = subgroup->lanes, .width = type->width, .from_width = type->width};
    operands.a = operands.c = spirv_row_of(subgroup, instruction->operands[0], c);
    operands.b = spirv_row_of(subgroup, instruction->operands[1], 0);
    operands.out = subgroup->scratch;
    spirv_multiply_float(&operands);
    copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, c), subgroup->scratch, 1, lanes);
  }
  return true;
}

/* The bits of all scalars, one after the other, cut anew. */
bool spirv_bitcast(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = module_of(subgroup);
  const spirv_type *to = spirv_type_of(module, instruction->type);
  const spirv_type *from = spirv_value_type(module, instruction->operands[0]);
  uint8_t bytes[SPIRV_MAX_PLACES * 8];
  if (to->components * to->width != from->components * from->width || to->width < 8 ||
      to->components > SPIRV_MAX_PLACES || from->components > SPIRV_MAX_PLACES)
    return mismatch(subgroup, instruction);
  if (to->width == from->width) {
    copy_rows(subgroup, spirv_row_of(subgroup, instruction->result, 0),
              spirv_row_of(subgroup, instruction->operands[0], 0), to->components, lanes);
    return true;
  }
  SPIRV_FOR_LANES(lane, lanes) {
    for (unsigned c = 0; c < from->components; c++)
      spirv_store_bits(&bytes[c * (from->width / 8)], spirv_row_of(subgroup, instruction->operands[0], c)[lane],
                       from->width);
    for (unsigned c = 0; c < to->components; c++)
      spirv_row_of(subgroup, instruction->result, c)[lane] = spirv_load_bits(&bytes[c * (to->width / 8)], to->width);
  }
  return true;
}

/* Integer division has no result for a divisor of 0. */
bool spirv_divide(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_type *type = spirv_type_of(module_of(subgroup), instruction->type);
  unsigned width = type->width;
  bool is_signed =
      instruction->row->opcode == 135 || instruction->row->opcode == 138 || instruction->row->opcode == 139;
  for (unsigned c = 0; c < type->components; c++) {
    const uint64_t *lhs = spirv_row_of(subgroup, instruction->operands[0], c);
    const uint64_t *rhs = spirv_row_of(subgroup, instruction->operands[1], c);
    uint64_t *out = spirv_row_of(subgroup, instruction->result, c);
    SPIRV_FOR_LANES(lane, lanes) {
      int64_t a = spirv_signed(lhs[lane], width), b = spirv_signed(rhs[lane], width);
      if (!rhs[lane])
        return spirv_stop(subgroup, instruction, lane, "division by zero");
      if (is_signed && b == -1 && a == spirv_signed((uint64_t)1 << (width - 1), width))
        return spirv_stop(subgroup, instruction, lane, "the quotient does not fit");
      switch (instruction->row->opcode) {
      case 134:
        out[lane] = lhs[lane] / rhs[lane];
        break;
      case 137:
        out[lane] = lhs[lane] % rhs[lane];
        break;
      case 135:
        out[lane] = spirv_narrow((uint64_t)(a / b), width);
        break;
      case 138:
        out[lane] = spirv_narrow((uint64_t)(a % b), width);
        break;
      default:
        out[lane] = spirv_narrow((uint64_t)((a % b + b) % b), width);
        break;
      }
    }
  }
  return true;
}
