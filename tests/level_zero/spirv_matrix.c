/* spirv_matrix.c - matrix multiplication and two-dimensional blocks of a sub-group, as instructions and as the
 * functions that Intel's compiler knows by name.
 *
 * Of a product of M x K by K x N, N the lanes: lane n holds column n of the accumulator, M floats, and of B the
 * elements of its column, two 16-bit floats a component. Of A, lane k holds column k as M components of 16 bits; with 8
 * lanes, columns 2k and 2k+1 in components of 32 bits. */
#include "spirv_compute.h"

#include <stdio.h>

static const spirv_module *module_of(const spirv_subgroup *subgroup) { return subgroup->group->module; }

/* --------------------------------------------------------------------------------------------------------- products */

enum { DEPTH = 16, MAX_ROWS = 8 };

typedef float load_element(uint64_t bits);

static float load_half(uint64_t bits) { return spirv_float(bits & 0xffff, 16); }
static float load_bfloat(uint64_t bits) { return spirv_bfloat(bits & 0xffff); }

/* Whether the operands of a product have the types that the lanes need. */
static bool product_fits(const spirv_module *module, const spirv_instruction *instruction, const uint32_t *matrices) {
  const spirv_type *result = spirv_type_of(module, instruction->type), *a = spirv_value_type(module, matrices[0]);
  const spirv_type *b = spirv_value_type(module, matrices[1]), *c = spirv_value_type(module, matrices[2]);
  unsigned width_of_a = module->chip.matrix_lanes == 16 ? 16 : 32;
  return module->chip.matrix_lanes && result->components <= MAX_ROWS && result->width == 32 && c->width == 32 &&
         a->width == width_of_a && b->width == 32 && a->components == result->components &&
         c->components == result->components && b->components == DEPTH / 2;
}

static bool multiply(spirv_subgroup *subgroup, const spirv_instruction *instruction, const uint32_t *matrices,
                     load_element *load) {
  const spirv_module *module = module_of(subgroup);
  unsigned lanes = subgroup->lanes, rows = spirv_type_of(module, instruction->type)->components;
  if (lanes != module->chip.matrix_lanes || subgroup->existing != (uint32_t)(((uint64_t)1 << lanes) - 1))
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the matrix unit needs sub-groups of %u lanes",
                      module->chip.matrix_lanes);
  float a[MAX_ROWS][DEPTH], b[DEPTH][SPIRV_MAX_LANES];
  unsigned per_lane = DEPTH / lanes;
  for (unsigned k = 0; k < DEPTH; k++) {
    for (unsigned m = 0; m < rows; m++)
      a[m][k] = load(spirv_row_of(subgroup, matrices[0], m)[k / per_lane] >> 16 * (k % per_lane));
    for (unsigned n = 0; n < lanes; n++)
      b[k][n] = load(spirv_row_of(subgroup, matrices[1], k / 2)[n] >> 16 * (k % 2));
  }
  for (unsigned m = 0; m < rows; m++) {
    const uint64_t *before = spirv_row_of(subgroup, matrices[2], m);
    float sums[SPIRV_MAX_LANES];
    for (unsigned n = 0; n < lanes; n++)
      sums[n] = spirv_float(before[n], 32);
    for (unsigned k = 0; k < DEPTH; k++)
      for (unsigned n = 0; n < lanes; n++)
        sums[n] += a[m][k] * b[k][n];
    uint64_t *out = spirv_row_of(subgroup, instruction->result, m);
    for (unsigned n = 0; n < lanes; n++)
      out[n] = spirv_bits(sums[n], 32);
  }
  return true;
}

bool spirv_multiply_matrices(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  enum { HALVES = 0x400 | 0x800, BFLOATS = 0x1000 | 0x2000 };
  uint32_t kind = instruction->num_operands > 4 ? instruction->operands[4] : 0;
  uint64_t depth = spirv_row_of(subgroup, instruction->operands[0], 0)[0];
  if (depth != DEPTH || (kind != HALVES && kind != BFLOATS) ||
      !product_fits(module_of(subgroup), instruction, instruction->operands + 1))
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the matrix unit has no such product");
  return multiply(subgroup, instruction, instruction->operands + 1, kind == HALVES ? load_half : load_bfloat);
}

/* The imported functions take A, B and the accumulator. */
static bool call_multiply_halves(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return multiply(subgroup, instruction, instruction->operands, load_half);
}

static bool call_multiply_bfloats(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  return multiply(subgroup, instruction, instruction->operands, load_bfloat);
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

typedef enum block_form { PLAIN, TRANSFORM, TRANSPOSE, PREFETCH, STORE } block_form;

/* `count` blocks side by side, of rows x columns elements, in a matrix in global memory; all in bytes but for these. */
typedef struct block {
  block_form form;
  uint32_t element, columns, rows, count;
  uint64_t base, width, height, pitch;
  int64_t x, y; /* of the first element, in elements */
} block;

/* What the hardware asks for. */
static bool check_block(const spirv_subgroup *subgroup, const spirv_instruction *instruction, const block *one) {
  const uint64_t most = (uint64_t)1 << 24;
  bool is_element = one->element == 1 || one->element == 2 || one->element == 4 || one->element == 8;
  const char *wrong = !module_of(subgroup)->chip.has_block_io                           ? "the chip has no block access"
                      : !is_element || !one->columns || !one->rows || !one->count       ? "the block is empty"
                      : one->columns * one->element * one->count > 64 || one->rows > 32 ? "the block is too large"
                      : one->base % 64                                         ? "the base is not aligned to 64 bytes"
                      : one->width < 64 || one->width > most || one->width % 4 ? "the width does not suit"
                      : one->pitch < one->width || one->pitch > most || one->pitch % 16 ? "the pitch does not suit"
                      : !one->height || one->height > most                              ? "the height does not suit"
                      : one->x * (int64_t)one->element % 4 ? "x is not a multiple of 4 bytes"
                                                           : NULL;
  return !wrong || spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "%s", wrong);
}

/* Element (row, column) counted from the first block's; NULL in *at when it lies outside of the matrix. */
static bool find_element(spirv_subgroup *subgroup, const spirv_instruction *instruction, const block *one, uint32_t row,
                         uint32_t column, spirv_access access, uint8_t **at) {
  int64_t x = (one->x + column) * (int64_t)one->element, y = one->y + row;
  *at = NULL;
  if (x < 0 || y < 0 || x + one->element > (int64_t)one->width || y >= (int64_t)one->height)
    return true;
  *at = spirv_reach(subgroup, instruction, SPIRV_MAX_LANES, one->base + (uint64_t)y * one->pitch + (uint64_t)x,
                    one->element, access);
  return *at != NULL;
}

/* Which element of the blocks is number `index` of a lane, and which of the elements that share its component. */
typedef struct element_place {
  uint32_t row, column;
} element_place;

/* Elements are dealt out block by block: lane l gets column l of each row; transformed, with the rows of a component
 * together; transposed, row l of each column. */
static element_place place_of(const block *one, unsigned lanes, uint32_t lane, uint32_t index) {
  uint32_t across = one->form == TRANSPOSE ? one->rows : one->columns;
  uint32_t along = one->form == TRANSPOSE ? one->columns : one->rows;
  uint32_t rounds = (across + lanes - 1) / lanes, each = along * rounds, number = index / each;
  uint32_t line = index % each / rounds, step = index % rounds * lanes + lane;
  if (one->form == TRANSPOSE)
    return (element_place){step, number * one->columns + line};
  return (element_place){line, number * one->columns + step};
}

/* Scalars a lane, and elements a scalar. */
static uint32_t scalars_of(const block *one, unsigned lanes, uint32_t *packed) {
  *packed = one->form == TRANSFORM ? 4 / one->element : 1;
  uint32_t across = one->form == TRANSPOSE ? one->rows : one->columns;
  uint32_t along = one->form == TRANSPOSE ? one->columns : one->rows;
  return along * ((across + lanes - 1) / lanes) * one->count / *packed;
}

/* Whether lane `lane` has element `index`: with fewer columns than lanes the last ones have none. */
static bool has_element(const block *one, unsigned lanes, uint32_t lane) {
  uint32_t across = one->form == TRANSPOSE ? one->rows : one->columns;
  return across >= lanes || lane < across;
}

/* Loads the scalars of a lane, as many as scalars_of says, into `out`, `stride` slots apart. */
static bool load_lane(spirv_subgroup *subgroup, const spirv_instruction *instruction, const block *one, uint32_t lane,
                      uint64_t *out, size_t stride) {
  uint32_t packed, count = scalars_of(one, subgroup->lanes, &packed);
  for (uint32_t i = 0; i < count; i++) {
    out[i * stride] = 0;
    for (uint32_t k = 0; k < packed && has_element(one, subgroup->lanes, lane); k++) {
      uint8_t *at;
      element_place place = place_of(one, subgroup->lanes, lane, i * packed + k);
      if (!find_element(subgroup, instruction, one, place.row, place.column, SPIRV_READ, &at))
        return false;
      if (at)
        out[i * stride] |= spirv_load_bits(at, 8 * one->element) << k * 8 * one->element;
    }
  }
  return true;
}

static bool store_lane(spirv_subgroup *subgroup, const spirv_instruction *instruction, const block *one, uint32_t lane,
                       const uint64_t *values, size_t stride) {
  uint32_t packed, count = scalars_of(one, subgroup->lanes, &packed);
  for (uint32_t i = 0; i < count && has_element(one, subgroup->lanes, lane); i++) {
    uint8_t *at;
    element_place place = place_of(one, subgroup->lanes, lane, i);
    if (!find_element(subgroup, instruction, one, place.row, place.column, SPIRV_WRITE, &at))
      return false;
    if (at)
      spirv_store_bits(at, values[i * stride], 8 * one->element);
  }
  return true;
}

/* Lanes all give one value; the lowest `width` bits as a signed number. */
static int64_t uniform(const spirv_subgroup *subgroup, uint32_t value, unsigned component) {
  unsigned width = spirv_value_type(module_of(subgroup), value)->width;
  return spirv_signed(spirv_row_of(subgroup, value, component)[0], width);
}

static void set_surface(const spirv_subgroup *subgroup, block *one, const uint32_t *operands, int64_t more) {
  one->base = spirv_row_of(subgroup, operands[0], 0)[0];
  one->width = (uint64_t)(uniform(subgroup, operands[1], 0) + more);
  one->height = (uint64_t)(uniform(subgroup, operands[2], 0) + more);
  one->pitch = (uint64_t)(uniform(subgroup, operands[3], 0) + more);
  one->x = uniform(subgroup, operands[4], 0);
  one->y = uniform(subgroup, operands[4], 1);
}

static block block_of(const spirv_subgroup *subgroup, const spirv_instruction *instruction, block_form form) {
  const uint32_t *operands = instruction->operands;
  return (block){.form = form,
                 .element = (uint32_t)uniform(subgroup, operands[0], 0),
                 .columns = (uint32_t)uniform(subgroup, operands[1], 0),
                 .rows = (uint32_t)uniform(subgroup, operands[2], 0),
                 .count = (uint32_t)uniform(subgroup, operands[3], 0)};
}

/* The scalars of a lane in its private memory, where the instructions have them. */
static uint8_t *private_scalars(spirv_subgroup *subgroup, const spirv_instruction *instruction, const block *one,
                                uint32_t pointer, uint32_t lane, spirv_access access) {
  uint32_t packed, count = scalars_of(one, subgroup->lanes, &packed);
  return spirv_reach(subgroup, instruction, lane, spirv_row_of(subgroup, pointer, 0)[lane],
                     (size_t)count * packed * one->element, access);
}

bool spirv_block_load(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  static const block_form forms[] = {PLAIN, TRANSFORM, TRANSPOSE, PREFETCH};
  block one = block_of(subgroup, instruction, forms[instruction->row->opcode - 6231]);
  set_surface(subgroup, &one, instruction->operands + 4, 0);
  if (!check_block(subgroup, instruction, &one))
    return false;
  if (one.form == PREFETCH)
    return true;
  uint32_t packed, count = scalars_of(&one, subgroup->lanes, &packed);
  if (count > SPIRV_MAX_PLACES)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the block is too large");
  SPIRV_FOR_LANES(lane, lanes) {
    uint8_t *to = private_scalars(subgroup, instruction, &one, instruction->operands[9], lane, SPIRV_WRITE);
    if (!to || !load_lane(subgroup, instruction, &one, lane, subgroup->scratch, 1))
      return false;
    for (uint32_t i = 0; i < count; i++)
      spirv_store_bits(to + (size_t)i * packed * one.element, subgroup->scratch[i], 8 * packed * one.element);
  }
  return true;
}

/* The source of a store comes before the surface. */
bool spirv_block_store(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  block one = block_of(subgroup, instruction, STORE);
  set_surface(subgroup, &one, instruction->operands + 5, 0);
  if (!check_block(subgroup, instruction, &one))
    return false;
  uint32_t packed, count = scalars_of(&one, subgroup->lanes, &packed);
  if (count > SPIRV_MAX_PLACES)
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the block is too large");
  SPIRV_FOR_LANES(lane, lanes) {
    const uint8_t *from = private_scalars(subgroup, instruction, &one, instruction->operands[4], lane, SPIRV_READ);
    if (!from)
      return false;
    for (uint32_t i = 0; i < count; i++)
      subgroup->scratch[i] = spirv_load_bits(from + (size_t)i * one.element, 8 * one.element);
    if (!store_lane(subgroup, instruction, &one, lane, subgroup->scratch, 1))
      return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------- imported blocks */

/* The shape in a name like __builtin_IB_subgroup_block_read_flat_u16_m8k16v2; extents are given less one. */
static bool parse_block(const char *name, block *one) {
  static const struct {
    const char *prefix;
    block_form form;
  } rows[] = {{"__builtin_IB_subgroup_block_read_flat_transform_u", TRANSFORM},
              {"__builtin_IB_subgroup_block_read_flat_transpose_u", TRANSPOSE},
              {"__builtin_IB_subgroup_block_read_flat_u", PLAIN},
              {"__builtin_IB_subgroup_block_read_prefetch_u", PREFETCH},
              {"__builtin_IB_subgroup_block_write_flat_u", STORE}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) != 0)
      continue;
    const char *shape = name + strlen(rows[i].prefix);
    unsigned width = 0, first = 0, second = 0, count = 1;
    int used = 0;
    /* Transformed blocks are k rows by n columns, all others m rows by k columns. Each letter may be left out at the
     * end. */
    bool plain = sscanf(shape, "%u_m%uk%u%n", &width, &first, &second, &used) == 3 && used;
    if (!plain && sscanf(shape, "%u_k%u%n", &width, &first, &used) == 2 && used) {
      second = 16;
      int more = 0;
      if (sscanf(shape + used, "n%u%n", &second, &more) == 1)
        used += more;
      if (rows[i].form == TRANSPOSE) { /* as many rows as there are lanes */
        second = first;
        first = 16;
      }
    }
    if (!used)
      return false;
    int more = 0;
    if (sscanf(shape + used, "v%u%n", &count, &more) == 1)
      used += more;
    *one = (block){.form = rows[i].form, .element = width / 8, .columns = second, .rows = first, .count = count};
    return !shape[used] && width && width % 8 == 0 && first && second && count;
  }
  return false;
}

static bool call_block(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  block one;
  parse_block(instruction->name, &one); /* it did when the module was loaded */
  set_surface(subgroup, &one, instruction->operands, 1);
  if (!check_block(subgroup, instruction, &one))
    return false;
  if (one.form == PREFETCH)
    return true;
  uint32_t value = one.form == STORE ? instruction->operands[5] : instruction->result;
  SPIRV_FOR_LANES(lane, lanes) {
    uint64_t *slots = spirv_row_of(subgroup, value, 0) + lane;
    bool good = one.form == STORE ? store_lane(subgroup, instruction, &one, lane, slots, subgroup->lanes)
                                  : load_lane(subgroup, instruction, &one, lane, slots, subgroup->lanes);
    if (!good)
      return false;
  }
  return true;
}

static bool block_call_fits(const spirv_module *module, const spirv_instruction *instruction, const block *one) {
  uint32_t operands = one->form == STORE ? 6 : 5;
  if (!module->chip.has_block_io || instruction->num_operands < operands)
    return false;
  uint32_t packed, count = scalars_of(one, module->chip.matrix_lanes, &packed);
  if (spirv_value_type(module, instruction->operands[4])->components != 2)
    return false;
  if (one->form == PREFETCH)
    return !instruction->type;
  const spirv_type *type = one->form == STORE ? spirv_value_type(module, instruction->operands[5])
                                              : spirv_type_of(module, instruction->type);
  return type->components == count && type->width == 8 * one->element * packed &&
         (one->form == STORE) == !instruction->type;
}

/* Each lane names an element that is there; it need not be read. */
static bool call_prefetch(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const uint64_t *addresses = spirv_row_of(subgroup, instruction->operands[0], 0);
  SPIRV_FOR_LANES(lane, lanes) {
    if (!spirv_reach(subgroup, instruction, lane, addresses[lane], 1, SPIRV_READ))
      return false;
  }
  return true;
}

spirv_execute *spirv_find_import(const spirv_module *module, const char *name, const spirv_instruction *instruction) {
  static const struct {
    const char *name;
    unsigned lanes;
    spirv_execute *execute;
  } rows[] = {{"_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f", 16, call_multiply_halves},
              {"_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_iS_Dv8_f", 8, call_multiply_halves},
              {"_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv4_iDv8_iDv4_f", 8, call_multiply_halves},
              {"_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv4_iDv8_iDv4_f", 8, call_multiply_bfloats},
              {"_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f", 16, call_multiply_bfloats},
              {"_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_iS_Dv8_f", 8, call_multiply_bfloats}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (!strcmp(name, rows[i].name) && module->chip.matrix_lanes == rows[i].lanes && instruction->num_operands == 3 &&
        instruction->type && product_fits(module, instruction, instruction->operands))
      return rows[i].execute;
  if (!strcmp(name, "__builtin_IB_lsc_prefetch_global_uint") && module->chip.has_block_io &&
      instruction->num_operands == 3 && !instruction->type)
    return call_prefetch;
  block one;
  return parse_block(name, &one) && block_call_fits(module, instruction, &one) ? call_block : NULL;
}
