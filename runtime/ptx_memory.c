/* ptx_memory.c - loads, stores, atomics, asynchronous copies and the matrices of shared memory. Every access is checked
 * for bounds and alignment, those to shared memory for races, and those to shared and global memory are counted. */
#include "runtime/ptx_machine.h"

#include <stdlib.h>
#include <string.h>

/* Where the bytes of a lane are. */
typedef struct location {
  unsigned char *bytes;
  uint8_t space;
  uint32_t shared; /* offset, in SPACE_SHARED */
} location;

/* The places in each space that an instruction touched, for the counters. */
typedef struct touched {
  uint64_t address[PTX_LANES];
  uint32_t global, shared; /* lanes */
} touched;

static uint64_t address_of(const ptx_warp *warp, const ptx_operand *operand, unsigned lane) {
  uint64_t address = ptx_lane_value(warp, operand, lane) + (uint64_t)operand->displacement;
  return operand->bits == 32 ? (uint32_t)address : address;
}

static bool out_of_bounds(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, const char *space,
                          uint64_t address, uint32_t size) {
  return ptx_stop(warp, instruction, lane, "%u bytes at 0x%llx are not in %s memory", size, (unsigned long long)address,
                  space);
}

static bool locate_global(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint64_t address,
                          uint32_t size, bool write, location *result) {
  const ptx_launch_state *launch = warp->worker->launch;
  const ptx_buffer *buffer = warp->recent;
  if (!buffer || address - (uintptr_t)buffer->base >= buffer->size) {
    size_t low = 0, high = launch->num_buffers;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if ((uintptr_t)launch->buffers[middle].base <= address)
        low = middle + 1;
      else
        high = middle;
    }
    buffer = low ? &launch->buffers[low - 1] : NULL;
  }
  uint64_t offset = buffer ? address - (uintptr_t)buffer->base : 0;
  if (!buffer || offset >= buffer->size || size > buffer->size - offset)
    return out_of_bounds(warp, instruction, lane, "the global", address, size);
  if (write && buffer->read_only)
    return ptx_stop(warp, instruction, lane, "writes to read-only memory");
  warp->recent = buffer;
  *result = (location){.bytes = (unsigned char *)buffer->base + offset, .space = SPACE_GLOBAL};
  return true;
}

static bool locate_shared(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint64_t address,
                          uint32_t size, location *result) {
  const ptx_launch_state *launch = warp->worker->launch;
  bool dynamic = address >= PTX_DYNAMIC_SHARED;
  uint64_t offset = dynamic ? address - PTX_DYNAMIC_SHARED : address;
  uint64_t bytes = dynamic ? launch->shared_bytes - launch->static_shared_bytes : launch->static_shared_bytes;
  if (offset >= bytes || size > bytes - offset)
    return out_of_bounds(warp, instruction, lane, dynamic ? "dynamic shared" : "static shared", address, size);
  uint32_t place = (uint32_t)offset + (dynamic ? launch->static_shared_bytes : 0);
  *result = (location){.bytes = warp->worker->shared + place, .space = SPACE_SHARED, .shared = place};
  return true;
}

/* Finds the bytes; generic addresses say their space themselves. */
static bool locate(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, unsigned space, uint64_t address,
                   uint32_t size, bool write, location *result) {
  const ptx_worker *worker = warp->worker;
  if (address % size)
    return ptx_stop(warp, instruction, lane, "the address 0x%llx is not a multiple of %u", (unsigned long long)address,
                    size);
  if (space == SPACE_GENERIC) {
    uint64_t window = address & PTX_WINDOW_MASK;
    space = window == PTX_SHARED_WINDOW  ? SPACE_SHARED
            : window == PTX_LOCAL_WINDOW ? SPACE_LOCAL
            : window == PTX_PARAM_WINDOW ? SPACE_PARAM
                                         : SPACE_GLOBAL;
    if (space != SPACE_GLOBAL)
      address &= ~PTX_WINDOW_MASK;
  }
  if (space == SPACE_SHARED)
    return locate_shared(warp, instruction, lane, address, size, result);
  if (space == SPACE_GLOBAL || space == SPACE_CONST)
    return locate_global(warp, instruction, lane, address, size, write, result);
  bool local = space == SPACE_LOCAL;
  uint64_t bytes = local ? worker->module->local_bytes : worker->launch->entry->parameter_bytes;
  if (address >= bytes || size > bytes - address || (!local && write))
    return out_of_bounds(warp, instruction, lane, local ? "the thread's" : "the parameters'", address, size);
  unsigned char *memory = local ? warp->local + (size_t)lane * bytes : worker->launch->arguments;
  *result = (location){.bytes = memory + address, .space = (uint8_t)space};
  return true;
}

static void touch(touched *all, const location *place, unsigned lane) {
  all->address[lane] = place->space == SPACE_SHARED ? place->shared : (uint64_t)(uintptr_t)place->bytes;
  all->shared |= (uint32_t)(place->space == SPACE_SHARED) << lane;
  all->global |= (uint32_t)(place->space == SPACE_GLOBAL) << lane;
}

static void count(ptx_warp *warp, const ptx_instruction *instruction, const touched *all, uint32_t size) {
  ptx_count *sum = ptx_count_of(warp, instruction);
  if (all->global)
    ptx_count_sectors(sum, all->address, all->global, size);
  if (all->shared)
    ptx_count_banks(sum, all->address, all->shared, size);
}

static uint64_t read_value(const unsigned char *bytes, uint32_t size) {
  uint64_t value = 0;
  memcpy(&value, bytes, size); /* little endian, as PTX */
  return value;
}

/* ------------------------------------------------------------------------------------------------- loads and stores */

static bool load(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_type_row *type = &ptx_types[instruction->type[0]];
  uint32_t element = type->bits / 8u, count_elements = instruction->num_first, size = element * count_elements;
  const ptx_operand *address = ptx_operand_of(warp, instruction, count_elements);
  touched all = {.global = 0};
  location place;
  unsigned char bytes[32];
  PTX_FOR_LANES(lane, lanes) {
    if (!locate(warp, instruction, lane, instruction->field[PTX_SPACE], address_of(warp, address, lane), size, false,
                &place) ||
        (place.space == SPACE_SHARED && !ptx_race_read(warp, instruction, lane, place.shared, size, false)))
      return false;
    touch(&all, &place, lane);
    memcpy(bytes, place.bytes, size);
    for (uint32_t i = 0; i < count_elements; i++) {
      uint64_t value = read_value(bytes + i * element, element);
      if (type->kind == KIND_SIGNED && type->bits < 64 && value >> (type->bits - 1))
        value |= ~(uint64_t)0 << type->bits;
      ptx_set_lane(warp, ptx_operand_of(warp, instruction, i), lane, value);
    }
  }
  count(warp, instruction, &all, size);
  return true;
}

static bool store(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  uint32_t element = ptx_types[instruction->type[0]].bits / 8u, count_elements = instruction->num_first;
  uint32_t size = element * count_elements;
  const ptx_operand *address = ptx_operand_of(warp, instruction, 0);
  touched all = {.global = 0};
  location place;
  unsigned char bytes[32];
  PTX_FOR_LANES(lane, lanes) {
    for (uint32_t i = 0; i < count_elements; i++) {
      uint64_t value = ptx_lane_value(warp, ptx_operand_of(warp, instruction, 1 + i), lane);
      memcpy(bytes + i * element, &value, element);
    }
    if (!locate(warp, instruction, lane, instruction->field[PTX_SPACE], address_of(warp, address, lane), size, true,
                &place) ||
        (place.space == SPACE_SHARED && !ptx_race_write(warp, instruction, lane, place.shared, size, bytes, false)))
      return false;
    touch(&all, &place, lane);
    memcpy(place.bytes, bytes, size);
  }
  count(warp, instruction, &all, size);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- atomics */

static uint64_t add_values(ptx_type type, uint64_t a, uint64_t b) {
  if (type == PTX_F16X2 || type == PTX_BF16X2) {
    ptx_type half = (ptx_type)ptx_types[type].element;
    return add_values(half, a & 0xffff, b & 0xffff) | add_values(half, a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
  }
  if (ptx_types[type].kind != KIND_FLOAT)
    return a + b;
  double sum = type == PTX_F64 ? ptx_to_double(type, a) + ptx_to_double(type, b)
                               : ptx_multiply_add(ptx_to_double(type, a), 1, ptx_to_double(type, b));
  return ptx_from_double(type, sum, ROUND_NEAREST, false);
}

static bool is_less(ptx_type type, uint64_t a, uint64_t b) {
  switch (type) {
  case PTX_S32:
    return (int32_t)a < (int32_t)b;
  case PTX_S64:
    return (int64_t)a < (int64_t)b;
  default:
    return a < b;
  }
}

uint64_t ptx_combine(const ptx_instruction *instruction, uint64_t old, uint64_t b, uint64_t c) {
  ptx_type type = (ptx_type)instruction->type[0];
  unsigned boolean = instruction->field[PTX_BOOLEAN];
  switch (boolean ? boolean : instruction->field[PTX_COMBINE]) {
  case COMBINE_AND:
    return old & b;
  case COMBINE_OR:
    return old | b;
  case COMBINE_XOR:
    return old ^ b;
  case COMBINE_ADD:
    return add_values(type, old, b);
  case COMBINE_MIN:
    return is_less(type, b, old) ? b : old;
  case COMBINE_MAX:
    return is_less(type, old, b) ? b : old;
  case COMBINE_INC:
    return old >= b ? 0 : old + 1;
  case COMBINE_DEC:
    return old == 0 || old > b ? b : old - 1;
  case COMBINE_EXCHANGE:
    return b;
  default:
    return old == b ? c : old; /* COMBINE_COMPARE */
  }
}

/* The lanes one after the other. Blocks run at once, so that global memory needs the launch's lock. */
static bool atomic(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  bool returns = instruction->op == OP_ATOM;
  uint32_t size = ptx_types[instruction->type[0]].bits / 8u;
  const ptx_operand *operands = ptx_operand_of(warp, instruction, returns ? 1 : 0);
  pthread_mutex_t *lock = &warp->worker->launch->lock;
  bool compares = instruction->field[PTX_COMBINE] == COMBINE_COMPARE;
  touched all = {.global = 0};
  location place;
  PTX_FOR_LANES(lane, lanes) {
    if (!locate(warp, instruction, lane, instruction->field[PTX_SPACE], address_of(warp, &operands[0], lane), size,
                true, &place))
      return false;
    uint64_t b = ptx_lane_value(warp, &operands[1], lane), c = compares ? ptx_lane_value(warp, &operands[2], lane) : 0;
    unsigned char bytes[8] = {0};
    if (place.space == SPACE_SHARED && (!ptx_race_read(warp, instruction, lane, place.shared, size, true) ||
                                        !ptx_race_write(warp, instruction, lane, place.shared, size, bytes, true)))
      return false;
    touch(&all, &place, lane);
    if (place.space == SPACE_GLOBAL)
      pthread_mutex_lock(lock);
    uint64_t old = read_value(place.bytes, size), value = ptx_combine(instruction, old, b, c);
    memcpy(place.bytes, &value, size);
    if (place.space == SPACE_GLOBAL)
      pthread_mutex_unlock(lock);
    if (returns)
      ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, old);
  }
  count(warp, instruction, &all, size);
  return true;
}

/* ---------------------------------------------------------------------------------------------- asynchronous copies */

static ptx_copy *add_copy(ptx_warp *warp) {
  if (!ptx_grow(&warp->copies, &warp->capacity_copies, warp->num_copies, sizeof *warp->copies))
    return NULL;
  return &warp->copies[warp->num_copies++];
}

/* The source is read now and the destination written at the wait: the two ends of what a machine may do. */
static bool copy_async(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  touched to = {.global = 0}, from = {.global = 0};
  uint32_t size = (uint32_t)ptx_lane_value(warp, &operands[2], 0);
  location source, destination;
  PTX_FOR_LANES(lane, lanes) {
    uint64_t wanted = instruction->num_operands > 3 ? ptx_lane_value(warp, &operands[3], lane) : size;
    if (wanted > size)
      return ptx_stop(warp, instruction, lane, "copies %llu of %u bytes", (unsigned long long)wanted, size);
    if (!locate(warp, instruction, lane, SPACE_SHARED, address_of(warp, &operands[0], lane), size, true,
                &destination) ||
        !ptx_race_write(warp, instruction, lane, destination.shared, size, NULL, false))
      return false;
    ptx_copy *copy = add_copy(warp);
    if (!copy)
      return ptx_stop_memory(warp, instruction);
    *copy = (ptx_copy){destination.shared,    size,
                       warp->committed[lane], (uint32_t)(instruction - warp->worker->module->code),
                       (uint8_t)lane,         {0}};
    touch(&to, &destination, lane);
    uint64_t address = address_of(warp, &operands[1], lane);
    if (!wanted)
      continue;
    if (address % size)
      return ptx_stop(warp, instruction, lane, "the address 0x%llx is not a multiple of %u",
                      (unsigned long long)address, size);
    if (!locate_global(warp, instruction, lane, address, (uint32_t)wanted, false, &source))
      return false;
    memcpy(copy->bytes, source.bytes, wanted);
    touch(&from, &source, lane);
  }
  count(warp, instruction, &to, size);
  count(warp, instruction, &from, size);
  return true;
}

/* The copies of all groups but the `pending` latest arrive; with `all` also those of no group yet. */
static bool wait_copies(ptx_warp *warp, uint32_t lanes, uint64_t pending, bool all) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < warp->num_copies; i++) {
    const ptx_copy *copy = &warp->copies[i];
    if (lanes >> copy->lane & 1 && (all || copy->group + pending < warp->committed[copy->lane])) {
      memcpy(warp->worker->shared + copy->destination, copy->bytes, copy->size);
      ptx_race_land(warp, copy);
    } else {
      warp->copies[kept++] = *copy;
    }
  }
  warp->num_copies = kept;
  return true;
}

/* --------------------------------------------------------------------------------------------------------- matrices */

/* 8 x 8 matrices of 16-bit elements, a row of 16 bytes at the address of lane 8 * matrix + row. Lane l holds, of each,
 * elements 2 * (l % 4) and the next of row l / 4, or under .trans of column l / 4. */
static bool matrices(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes, bool write) {
  unsigned num_matrices = instruction->field[PTX_COUNT];
  const ptx_operand *registers = ptx_operand_of(warp, instruction, write ? 1 : 0);
  const ptx_operand *address = ptx_operand_of(warp, instruction, write ? 0 : num_matrices);
  uint16_t elements[4][8][8];
  location place[PTX_LANES];
  touched all = {.global = 0};
  bool transposed = instruction->field[PTX_TRANSPOSE];
  if (lanes != PTX_ALL_LANES)
    return ptx_stop(warp, instruction, ptx_first_lane(lanes), "all 32 lanes of the warp must take part");
  for (unsigned lane = 0; lane < 8 * num_matrices; lane++) {
    if (!locate(warp, instruction, lane, instruction->field[PTX_SPACE], address_of(warp, address, lane), 16, write,
                &place[lane]))
      return false;
    if (place[lane].space != SPACE_SHARED)
      return ptx_stop(warp, instruction, lane, "the address is not in shared memory");
    touch(&all, &place[lane], lane);
    if (!write && !ptx_race_read(warp, instruction, lane, place[lane].shared, 16, false))
      return false;
    if (!write)
      memcpy(elements[lane / 8][lane % 8], place[lane].bytes, 16);
  }
  for (unsigned i = 0; i < num_matrices; i++) {
    uint32_t *values = ptx_lanes(warp, &registers[i]);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
      unsigned major = lane / 4, minor = lane % 4 * 2;
      uint16_t *low = transposed ? &elements[i][minor][major] : &elements[i][major][minor];
      uint16_t *high = transposed ? &elements[i][minor + 1][major] : &elements[i][major][minor + 1];
      if (write) {
        *low = (uint16_t)values[lane];
        *high = (uint16_t)(values[lane] >> 16);
      } else {
        values[lane] = *low | (uint32_t)*high << 16;
      }
    }
  }
  for (unsigned lane = 0; write && lane < 8 * num_matrices; lane++) {
    const void *row = elements[lane / 8][lane % 8];
    if (!ptx_race_write(warp, instruction, lane, place[lane].shared, 16, row, false))
      return false;
    memcpy(place[lane].bytes, row, 16);
  }
  count(warp, instruction, &all, 16);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- fences */

/* Nothing tells writes from reads through another proxy but products of warpgroups, which look for these fences. */
static bool fence_proxies(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  if (!warp->worker->fences || instruction->field[PTX_SPACE] == SPACE_GLOBAL)
    return true;
  if (!ptx_grow(&warp->proxy_fences, &warp->capacity_proxy_fences, warp->num_proxy_fences, sizeof *warp->proxy_fences))
    return ptx_stop_memory(warp, instruction);
  warp->proxy_fences[warp->num_proxy_fences++] = lanes;
  return true;
}

bool ptx_execute_memory(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  switch (instruction->op) {
  case OP_LD:
    return load(warp, instruction, lanes);
  case OP_ST:
    return store(warp, instruction, lanes);
  case OP_ATOM:
  case OP_RED:
    return atomic(warp, instruction, lanes);
  case OP_CP_ASYNC:
    return copy_async(warp, instruction, lanes);
  case OP_CP_COMMIT:
    PTX_FOR_LANES(lane, lanes) warp->committed[lane]++;
    return true;
  case OP_CP_WAIT:
    return wait_copies(warp, lanes, ptx_lane_value(warp, ptx_operand_of(warp, instruction, 0), 0), false);
  case OP_CP_WAIT_ALL:
    return wait_copies(warp, lanes, 0, true);
  case OP_PROXY_FENCE:
    return fence_proxies(warp, instruction, lanes);
  case OP_LDMATRIX:
    return matrices(warp, instruction, lanes, false);
  case OP_STMATRIX:
    return matrices(warp, instruction, lanes, true);
  default:
    return true; /* prefetch: a hint, which may name any address */
  }
}
