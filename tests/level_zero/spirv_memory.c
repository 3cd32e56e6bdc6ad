/* spirv_memory.c - addresses, loads, stores, and what is suspicious about them. */
#include "spirv_compute.h"

/* --------------------------------------------------------------------------------------------------------- checking */

uint64_t spirv_load_bits(const uint8_t *at, unsigned width) {
  uint64_t bits = 0;
  memcpy(&bits, at, width / 8);
  return bits;
}

void spirv_store_bits(uint8_t *at, uint64_t bits, unsigned width) { memcpy(at, &bits, width / 8); }

/* Says how far an address is from the last allocation before it. */
static void stop_outside(const spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane,
                         uint64_t address, size_t size) {
  const spirv_launch *launch = subgroup->group->launch;
  const spirv_buffer *nearest = NULL;
  for (size_t i = 0; i < launch->num_buffers; i++)
    if ((uintptr_t)launch->buffers[i].base <= address && (!nearest || launch->buffers[i].base > nearest->base))
      nearest = &launch->buffers[i];
  if (!nearest)
    spirv_stop(subgroup, instruction, lane, "accesses %zu bytes at 0x%llx, outside all allocations", size,
               (unsigned long long)address);
  else
    spirv_stop(subgroup, instruction, lane, "accesses %zu bytes at byte %llu of an allocation of %zu", size,
               (unsigned long long)(address - (uintptr_t)nearest->base), nearest->size);
}

static uint8_t *reach_global(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane,
                             uint64_t address, size_t size) {
  spirv_group *group = subgroup->group;
  const spirv_launch *launch = group->launch;
  for (size_t i = 0; i < launch->num_buffers; i++) {
    size_t number = (group->last_buffer + i) % launch->num_buffers;
    const spirv_buffer *buffer = &launch->buffers[number];
    uint64_t offset = address - (uint64_t)(uintptr_t)buffer->base;
    if (offset >= buffer->size || size > buffer->size - offset)
      continue;
    group->last_buffer = number;
    return (uint8_t *)buffer->base + offset;
  }
  stop_outside(subgroup, instruction, lane, address, size);
  return NULL;
}

uint8_t *spirv_reach(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, uint64_t address,
                     size_t size, spirv_access access) {
  const spirv_group *group = subgroup->group;
  uint64_t offset = address & (((uint64_t)1 << 56) - 1);
  uint8_t *base;
  size_t extent;
  const char *name;
  switch (address >> 56) {
  case 0:
    return reach_global(subgroup, instruction, lane, address, size);
  case SPIRV_LOCAL:
    base = group->local;
    extent = group->module->local_bytes;
    name = "local memory";
    break;
  case SPIRV_PRIVATE:
    extent = group->function->private_bytes;
    base = group->private_memory + extent * (subgroup->first_item + lane);
    name = "private memory";
    break;
  case SPIRV_CONSTANT:
    base = access == SPIRV_READ ? group->module->constant_memory : NULL;
    extent = base ? group->module->constant_bytes : 0;
    name = "constant memory";
    break;
  default:
    base = NULL;
    extent = 0;
    name = "memory";
  }
  if (offset < extent && size <= extent - offset)
    return base + offset;
  spirv_stop(subgroup, instruction, lane, "accesses %zu bytes at %llu, outside %s", size, (unsigned long long)offset,
             name);
  return NULL;
}

/* Whether an access of one item to a byte at one moment, and the item's own, at another, are not ordered. */
static bool conflicts(const spirv_subgroup *subgroup, uint32_t moment, uint32_t inside, uint16_t item, uint16_t number,
                      uint32_t own_item) {
  if (moment != subgroup->group->moment || item == own_item)
    return false;
  return number != subgroup->number || inside == subgroup->moment;
}

static bool note_read(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane,
                      spirv_shadow *shadow, uint64_t offset) {
  uint32_t item = subgroup->first_item + lane;
  if (shadow->written < subgroup->group->first_moment)
    return spirv_stop(subgroup, instruction, lane, "reads local memory at %llu that nobody wrote",
                      (unsigned long long)offset);
  if (conflicts(subgroup, shadow->written, shadow->written_inside, shadow->writer, shadow->writing_group, item))
    return spirv_stop(subgroup, instruction, lane,
                      "reads local memory at %llu, which work-item %u writes with no barrier between",
                      (unsigned long long)offset, shadow->writer);
  bool first = shadow->read != subgroup->group->moment;
  if (first || shadow->reader != item)
    shadow->reader = first ? (uint16_t)item : SPIRV_MANY;
  if (first || shadow->reading_group != subgroup->number)
    shadow->reading_group = first ? (uint16_t)subgroup->number : SPIRV_MANY;
  shadow->read = subgroup->group->moment;
  shadow->read_inside = subgroup->moment;
  return true;
}

/* Items that write what is there already do no harm: a sub-group may store a value that all its lanes have. */
static bool note_write(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane,
                       spirv_shadow *shadow, uint64_t offset, bool changes) {
  uint32_t item = subgroup->first_item + lane;
  if (changes &&
      conflicts(subgroup, shadow->written, shadow->written_inside, shadow->writer, shadow->writing_group, item))
    return spirv_stop(subgroup, instruction, lane,
                      "writes local memory at %llu, which work-item %u writes with no barrier between",
                      (unsigned long long)offset, shadow->writer);
  if (conflicts(subgroup, shadow->read, shadow->read_inside, shadow->reader, shadow->reading_group, item))
    return spirv_stop(subgroup, instruction, lane,
                      "writes local memory at %llu, which others read with no barrier between",
                      (unsigned long long)offset);
  *shadow = (spirv_shadow){.written = subgroup->group->moment,
                           .written_inside = subgroup->moment,
                           .writer = (uint16_t)item,
                           .writing_group = (uint16_t)subgroup->number,
                           .read = shadow->read,
                           .read_inside = shadow->read_inside,
                           .reader = shadow->reader,
                           .reading_group = shadow->reading_group};
  return true;
}

bool spirv_note(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, uint64_t address,
                const uint8_t *bytes, size_t size, spirv_access access) {
  if (address >> 56 != SPIRV_LOCAL)
    return true;
  uint64_t offset = address & (((uint64_t)1 << 56) - 1);
  spirv_shadow *shadow = &subgroup->group->shadow[offset];
  const uint8_t *before = &subgroup->group->local[offset];
  for (size_t i = 0; i < size; i++) {
    bool good = access == SPIRV_READ
                    ? note_read(subgroup, instruction, lane, &shadow[i], offset + i)
                    : note_write(subgroup, instruction, lane, &shadow[i], offset + i, before[i] != bytes[i]);
    if (!good)
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------- loads and stores */

/* The alignment that memory operands promise, or else that of a scalar. */
static size_t alignment_of(const spirv_instruction *instruction, uint32_t first, const spirv_type *type) {
  enum { ALIGNED = 2 };
  if (instruction->num_operands > first + 1 && (instruction->operands[first] & ALIGNED))
    return instruction->operands[first + 1];
  return type->places[0].width / 8u;
}

static bool check_access(const spirv_subgroup *subgroup, const spirv_instruction *instruction, const spirv_type *type) {
  return type->places || spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "its type cannot be accessed in memory");
}

static bool is_aligned(const spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane,
                       uint64_t address, size_t alignment) {
  if (alignment && address % alignment == 0)
    return true;
  return spirv_stop(subgroup, instruction, lane, "accesses 0x%llx, which is not aligned to %zu bytes",
                    (unsigned long long)address, alignment);
}

/* Component `dimension` of a built-in variable, numbered as in SPIR-V. */
static uint64_t builtin_value(const spirv_subgroup *subgroup, uint32_t lane, unsigned builtin, unsigned dimension) {
  const spirv_group *group = subgroup->group;
  const uint32_t *size = group->launch->local_size, *groups = group->launch->groups;
  uint32_t item = subgroup->first_item + lane;
  const uint32_t local[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
  switch (builtin) {
  case 24:
    return groups[dimension];
  case 25:
  case 32:
    return size[dimension];
  case 26:
    return group->id[dimension];
  case 27:
    return local[dimension];
  case 28:
    return (uint64_t)group->id[dimension] * size[dimension] + local[dimension];
  case 29:
    return item;
  case 31:
    return (uint64_t)groups[dimension] * size[dimension];
  case 36:
    return (unsigned)__builtin_popcount(subgroup->existing);
  case 37:
    return subgroup->lanes;
  case 38:
  case 39:
    return group->num_subgroups;
  case 40:
    return subgroup->number;
  case 41:
    return lane;
  default:
    return 0; /* the global offset */
  }
}

static bool load_builtin(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes,
                         unsigned builtin) {
  unsigned count = spirv_type_of(subgroup->group->module, instruction->type)->components;
  bool known = (builtin >= 24 && builtin <= 41 && builtin != 30 && builtin != 34 && builtin != 35) && count <= 3;
  if (!known)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the built-in variable %u is unknown", builtin);
  for (unsigned c = 0; c < count; c++) {
    uint64_t *row = spirv_row_of(subgroup, instruction->result, c);
    SPIRV_FOR_LANES(lane, lanes) row[lane] = builtin_value(subgroup, lane, builtin, c);
  }
  return true;
}

bool spirv_load_value(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_type *type = spirv_type_of(subgroup->group->module, instruction->type);
  const uint64_t *addresses = spirv_row_of(subgroup, instruction->operands[0], 0);
  uint64_t first = addresses[(unsigned)__builtin_ctz(lanes)];
  if (first >> 56 == SPIRV_INPUT)
    return load_builtin(subgroup, instruction, lanes, (unsigned)(first & 0xffffff));
  if (!check_access(subgroup, instruction, type))
    return false;
  size_t alignment = alignment_of(instruction, 1, type);
  uint64_t *out = spirv_row_of(subgroup, instruction->result, 0);
  SPIRV_FOR_LANES(lane, lanes) {
    const uint8_t *at = spirv_reach(subgroup, instruction, lane, addresses[lane], type->size, SPIRV_READ);
    if (!at || !is_aligned(subgroup, instruction, lane, addresses[lane], alignment) ||
        !spirv_note(subgroup, instruction, lane, addresses[lane], NULL, type->size, SPIRV_READ))
      return false;
    for (unsigned c = 0; c < type->components; c++)
      out[c * subgroup->lanes + lane] = spirv_load_bits(at + type->places[c].offset, type->places[c].width);
  }
  return true;
}

bool spirv_store_value(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_type *type = spirv_value_type(subgroup->group->module, instruction->operands[1]);
  const uint64_t *addresses = spirv_row_of(subgroup, instruction->operands[0], 0);
  const uint64_t *values = spirv_row_of(subgroup, instruction->operands[1], 0);
  if (!check_access(subgroup, instruction, type))
    return false;
  size_t alignment = alignment_of(instruction, 2, type);
  uint8_t bytes[SPIRV_MAX_PLACES * 8];
  SPIRV_FOR_LANES(lane, lanes) {
    uint8_t *at = spirv_reach(subgroup, instruction, lane, addresses[lane], type->size, SPIRV_WRITE);
    if (!at || !is_aligned(subgroup, instruction, lane, addresses[lane], alignment))
      return false;
    for (unsigned c = 0; c < type->components; c++) {
      const spirv_place *place = &type->places[c];
      spirv_store_bits(bytes, values[c * subgroup->lanes + lane], place->width);
      if (!spirv_note(subgroup, instruction, lane, addresses[lane] + place->offset, bytes, place->width / 8u,
                      SPIRV_WRITE))
        return false;
      memcpy(at + place->offset, bytes, place->width / 8u);
    }
  }
  return true;
}

/* OpCopyMemory copies what its target points to, OpCopyMemorySized as many bytes as its third operand says. */
bool spirv_copy_memory(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = subgroup->group->module;
  const uint64_t *to = spirv_row_of(subgroup, instruction->operands[0], 0);
  const uint64_t *from = spirv_row_of(subgroup, instruction->operands[1], 0);
  bool is_sized = strcmp(instruction->name, "OpCopyMemorySized") == 0;
  SPIRV_FOR_LANES(lane, lanes) {
    size_t size = is_sized ? (size_t)spirv_row_of(subgroup, instruction->operands[2], 0)[lane]
                           : spirv_type_of(module, spirv_value_type(module, instruction->operands[0])->element)->size;
    uint8_t *target = spirv_reach(subgroup, instruction, lane, to[lane], size, SPIRV_WRITE);
    const uint8_t *source = target ? spirv_reach(subgroup, instruction, lane, from[lane], size, SPIRV_READ) : NULL;
    if (!source || !spirv_note(subgroup, instruction, lane, from[lane], NULL, size, SPIRV_READ) ||
        !spirv_note(subgroup, instruction, lane, to[lane], source, size, SPIRV_WRITE))
      return false;
    memmove(target, source, size);
  }
  return true;
}

bool spirv_variable(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  uint64_t *out = spirv_row_of(subgroup, instruction->result, 0);
  SPIRV_FOR_LANES(lane, lanes) out[lane] = spirv_address(SPIRV_PRIVATE, instruction->variable);
  return true;
}

/* -------------------------------------------------------------------------------------------------------- addresses */

/* Steps from operand 0 into what it points to. The first index of an element chain steps over whole elements. */
static bool step(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes, uint32_t first) {
  const spirv_module *module = subgroup->group->module;
  const spirv_type *type = spirv_value_type(module, instruction->operands[0]);
  if (type->kind != SPIRV_POINTER)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "its base is no pointer");
  type = spirv_type_of(module, type->element);
  uint64_t *out = subgroup->scratch;
  memcpy(out, spirv_row_of(subgroup, instruction->operands[0], 0), subgroup->lanes * sizeof *out);
  for (uint32_t i = 1; i < instruction->num_operands; i++) {
    const uint64_t *index = spirv_row_of(subgroup, instruction->operands[i], 0);
    unsigned width = spirv_value_type(module, instruction->operands[i])->width;
    if (i >= first && type->kind == SPIRV_STRUCT) {
      uint64_t member = index[(unsigned)__builtin_ctz(lanes)];
      size_t offset = 0;
      if (member >= type->count)
        return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "there is no such member");
      for (uint64_t k = 0; k <= member; k++) {
        const spirv_type *part = spirv_type_of(module, type->members[k]);
        offset = (offset + part->alignment - 1) / part->alignment * part->alignment + (k < member ? part->size : 0);
      }
      type = spirv_type_of(module, type->members[member]);
      SPIRV_FOR_LANES(lane, lanes) out[lane] += offset;
      continue;
    }
    if (i >= first && type->kind != SPIRV_VECTOR && type->kind != SPIRV_ARRAY)
      return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "it steps into a scalar");
    if (i >= first)
      type = spirv_type_of(module, type->element);
    SPIRV_FOR_LANES(lane, lanes) out[lane] += (uint64_t)spirv_signed(index[lane], width) * type->size;
  }
  uint64_t *result = spirv_row_of(subgroup, instruction->result, 0);
  SPIRV_FOR_LANES(lane, lanes) result[lane] = out[lane];
  return true;
}

bool spirv_access_chain(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return step(subgroup, instruction, lanes, 1);
}

bool spirv_element_chain(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return step(subgroup, instruction, lanes, 2);
}
