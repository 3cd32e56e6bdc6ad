/* type.c - scalar facts, rounding, and interned types. */
#include "intern.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name;
  unsigned bits;
  ir_scalar_kind kind;
} scalars[] = {
#define SCALAR(ID, NAME, BITS, KIND) {NAME, BITS, KIND},
#include "scalar.def"
#undef SCALAR
};

const char *ir_scalar_name(ir_scalar scalar) { return scalars[scalar].name; }
unsigned ir_scalar_bits(ir_scalar scalar) { return scalars[scalar].bits; }
unsigned ir_scalar_bytes(ir_scalar scalar) { return (scalars[scalar].bits + 7) / 8; }
ir_scalar_kind ir_scalar_kind_of(ir_scalar scalar) { return scalars[scalar].kind; }

int64_t ir_scalar_wrap(ir_scalar scalar, int64_t value) {
  unsigned unused = 64 - scalars[scalar].bits;
  return (int64_t)((uint64_t)value << unused) >> unused;
}

/* ------------------------------------------------------------------------------------------------ float formats */

/* An IEEE format by its significand bits (the hidden one counted) and largest exponent. */
typedef struct float_format {
  int precision, max_exponent;
} float_format;

static float_format format_of(ir_scalar scalar) {
  switch (scalar) {
  case IR_F16:
    return (float_format){11, 15};
  case IR_BF16:
    return (float_format){8, 127};
  case IR_F32:
    return (float_format){24, 127};
  default:
    return (float_format){53, 1023};
  }
}

double ir_scalar_lowest(ir_scalar scalar) {
  float_format format = format_of(scalar);
  return -ldexp(2 - ldexp(1, 1 - format.precision), format.max_exponent);
}

double ir_scalar_round(ir_scalar scalar, double value) {
  if (scalar == IR_F64 || value == 0 || !isfinite(value))
    return value;
  if (scalar == IR_F32)
    return (float)value;
  float_format format = format_of(scalar);
  int exponent;
  frexp(value, &exponent);              /* |value| = [0.5, 1) * 2^exponent */
  int lowest = 2 - format.max_exponent; /* below, numbers are denormal and lose digits */
  int digits = exponent < lowest ? format.precision - (lowest - exponent) : format.precision;
  double unit = ldexp(1, exponent - digits), rounded = nearbyint(value / unit) * unit;
  return fabs(rounded) > -ir_scalar_lowest(scalar) ? copysign(INFINITY, value) : rounded;
}

uint64_t ir_float_to_bits(ir_scalar scalar, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  if (scalar == IR_F64)
    return bits;
  float_format format = format_of(scalar);
  int fraction_bits = format.precision - 1, width = (int)ir_scalar_bits(scalar);
  uint64_t sign = bits >> 63 << (width - 1);
  uint64_t infinity = (2 * (uint64_t)format.max_exponent + 1) << fraction_bits;
  if (isnan(value)) /* the payload's top bits, quiet */
    return sign | infinity | (uint64_t)1 << (fraction_bits - 1) |
           (bits >> (52 - fraction_bits) & (((uint64_t)1 << fraction_bits) - 1));
  value = ir_scalar_round(scalar, value);
  if (isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int exponent;
  double significand = frexp(fabs(value), &exponent) * 2; /* [1, 2) */
  exponent--;
  if (exponent < 1 - format.max_exponent) /* denormal */
    return sign | (uint64_t)ldexp(fabs(value), format.max_exponent - 1 + fraction_bits);
  return sign | (uint64_t)(exponent + format.max_exponent) << fraction_bits |
         (uint64_t)ldexp(significand - 1, fraction_bits);
}

double ir_float_from_bits(ir_scalar scalar, uint64_t bits) {
  double value;
  float_format format = format_of(scalar);
  int fraction_bits = format.precision - 1, width = (int)ir_scalar_bits(scalar);
  uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
  int biased = (int)(bits >> fraction_bits & (2 * (uint64_t)format.max_exponent + 1));
  double sign = bits >> (width - 1) & 1 ? -1 : 1;
  if (biased == 2 * format.max_exponent + 1) { /* infinity, or NaN with its payload */
    uint64_t wide = (uint64_t)(sign < 0) << 63 | (uint64_t)2047 << 52 | fraction << (52 - fraction_bits);
    memcpy(&value, &wide, 8);
    return value;
  }
  if (!biased)
    return sign * ldexp((double)fraction, 1 - format.max_exponent - fraction_bits);
  return sign * ldexp((double)(fraction | (uint64_t)1 << fraction_bits), biased - format.max_exponent - fraction_bits);
}

/* ------------------------------------------------------------------------------------------------ interned types */

static uint64_t type_hash(const ir_type *type) {
  uint64_t hash = ir_hash_combine(type->kind * 64 + type->element, type->rank * 8u + type->space);
  hash = ir_hash_bytes(hash, type->shape, type->rank * sizeof(int64_t) * (type->shape != NULL));
  hash = ir_hash_bytes(hash, type->strides, type->rank * sizeof(int64_t) * (type->strides != NULL));
  hash = ir_hash_combine(hash, (uint64_t)type->offset);
  hash = ir_hash_bytes(hash, type->inputs, type->num_inputs * sizeof(void *));
  return ir_hash_bytes(hash, type->results, type->num_results * sizeof(void *));
}

static bool same_bytes(const void *a, const void *b, size_t size) { return !size || !memcmp(a, b, size); }

static bool type_equal(const void *left, const void *right) {
  const ir_type *a = left, *b = right;
  return a->kind == b->kind && a->element == b->element && a->rank == b->rank && a->space == b->space &&
         a->offset == b->offset && a->num_inputs == b->num_inputs && a->num_results == b->num_results &&
         !a->shape == !b->shape && !a->strides == !b->strides &&
         (!a->shape || same_bytes(a->shape, b->shape, a->rank * sizeof(int64_t))) &&
         (!a->strides || same_bytes(a->strides, b->strides, a->rank * sizeof(int64_t))) &&
         same_bytes(a->inputs, b->inputs, a->num_inputs * sizeof(void *)) &&
         same_bytes(a->results, b->results, a->num_results * sizeof(void *));
}

static const ir_type *intern_type(ir_module *module, const ir_type *key) {
  uint64_t hash = type_hash(key);
  const ir_type *found = ir_table_find(module->types, hash, key, type_equal);
  if (found)
    return found;
  ir_arena *arena = &module->arena;
  ir_type *type = ir_arena_copy(arena, key, sizeof *key);
  if (key->shape)
    type->shape = ir_arena_copy(arena, key->shape, key->rank * sizeof(int64_t));
  static const int64_t no_strides[1]; /* one element, at an offset */
  if (key->strides)
    type->strides = key->rank ? ir_arena_copy(arena, key->strides, key->rank * sizeof(int64_t)) : no_strides;
  type->inputs = ir_arena_copy(arena, key->inputs, key->num_inputs * sizeof(void *));
  type->results = ir_arena_copy(arena, key->results, key->num_results * sizeof(void *));
  ir_table_add(arena, module->types, hash, type);
  return type;
}

const ir_type *ir_type_scalar(ir_module *module, ir_scalar scalar) {
  return intern_type(module, &(ir_type){.kind = IR_TYPE_SCALAR, .element = scalar});
}

const ir_type *ir_type_index(ir_module *module) { return ir_type_scalar(module, IR_INDEX); }

static const ir_type *shaped_type(ir_module *module, ir_type_kind kind, ir_scalar element, unsigned rank,
                                  const int64_t *shape) {
  return intern_type(module,
                     &(ir_type){.kind = kind, .element = element, .rank = (uint8_t)rank, .shape = rank ? shape : NULL});
}

const ir_type *ir_type_tensor(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape) {
  return shaped_type(module, IR_TYPE_TENSOR, element, rank, shape);
}

const ir_type *ir_type_vector(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape) {
  return shaped_type(module, IR_TYPE_VECTOR, element, rank, shape);
}

const ir_type *ir_type_tile(ir_module *module, ir_scalar element, int64_t rows, int64_t columns) {
  return shaped_type(module, IR_TYPE_TILE, element, 2, (const int64_t[]){rows, columns});
}

bool ir_tile_fits(ir_scalar element, int64_t rows, int64_t columns) {
  enum { MAX_ROWS = 16, MAX_ROW_BYTES = 64, WORD_BYTES = 4 };
  int64_t bytes = ir_scalar_bytes(element);
  return (element == IR_F32 || element == IR_BF16) && rows >= 1 && rows <= MAX_ROWS && columns >= 1 &&
         columns <= MAX_ROW_BYTES / bytes && columns * bytes % WORD_BYTES == 0;
}

/* Row-major strides; IR_DYNAMIC left of a dynamic extent. */
static void row_major(unsigned rank, const int64_t *shape, int64_t *strides) {
  int64_t stride = 1;
  for (unsigned i = rank; i-- > 0;) {
    strides[i] = stride;
    if (stride != IR_DYNAMIC &&
        (shape[i] == IR_DYNAMIC || __builtin_mul_overflow(stride, shape[i] ? shape[i] : 1, &stride)))
      stride = IR_DYNAMIC;
  }
}

const ir_type *ir_type_memref(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape,
                              const int64_t *strides, int64_t offset, ir_space space) {
  int64_t plain[IR_MAX_RANK];
  if (strides && !offset) {
    row_major(rank, shape, plain);
    bool dynamic = false; /* a dynamic stride says less than row-major order does */
    for (unsigned i = 0; i < rank; i++)
      dynamic |= strides[i] == IR_DYNAMIC;
    if (!dynamic && same_bytes(plain, strides, rank * sizeof *strides))
      strides = NULL;
  }
  ir_type key = {.kind = IR_TYPE_MEMREF, .element = element, .rank = (uint8_t)rank, .space = space};
  key.shape = rank ? shape : NULL;
  key.strides = strides;
  key.offset = strides ? offset : 0;
  return intern_type(module, &key);
}

const ir_type *ir_type_function(ir_module *module, unsigned num_inputs, const ir_type *const *inputs,
                                unsigned num_results, const ir_type *const *results) {
  return intern_type(module, &(ir_type){.kind = IR_TYPE_FUNCTION,
                                        .inputs = num_inputs ? inputs : NULL,
                                        .num_inputs = num_inputs,
                                        .results = num_results ? results : NULL,
                                        .num_results = num_results});
}

const ir_type *ir_type_handle(ir_module *module) { return intern_type(module, &(ir_type){.kind = IR_TYPE_HANDLE}); }
const ir_type *ir_type_token(ir_module *module) { return intern_type(module, &(ir_type){.kind = IR_TYPE_TOKEN}); }

const ir_type *ir_type_with_shape(ir_module *module, const ir_type *type, unsigned rank, const int64_t *shape) {
  if (type->kind == IR_TYPE_MEMREF)
    return ir_type_memref(module, type->element, rank, shape, NULL, 0, type->space);
  return shaped_type(module, type->kind, type->element, rank, shape);
}

const ir_type *ir_type_with_element(ir_module *module, const ir_type *type, ir_scalar element) {
  ir_type key = *type;
  key.element = element;
  return intern_type(module, &key);
}

bool ir_type_is_static(const ir_type *type) {
  for (unsigned i = 0; i < type->rank; i++)
    if (type->shape[i] == IR_DYNAMIC)
      return false;
  return true;
}

unsigned ir_type_next_long_dim(const ir_type *type, unsigned dim) {
  while (dim < type->rank && type->shape[dim] == 1)
    dim++;
  return dim;
}

bool ir_type_has_extents_of(const ir_type *type, const ir_type *other) {
  unsigned i = ir_type_next_long_dim(type, 0), k = ir_type_next_long_dim(other, 0);
  while (i < type->rank && k < other->rank && type->shape[i] == other->shape[k]) {
    i = ir_type_next_long_dim(type, i + 1);
    k = ir_type_next_long_dim(other, k + 1);
  }
  return i == type->rank && k == other->rank;
}

int64_t ir_type_num_elements(const ir_type *type) {
  int64_t count = 1;
  bool saturated = false;
  for (unsigned i = 0; i < type->rank; i++) {
    if (type->shape[i] == IR_DYNAMIC)
      return IR_DYNAMIC;
    if (type->shape[i] == 0)
      return 0;
    saturated |= __builtin_mul_overflow(count, type->shape[i], &count);
  }
  return saturated ? INT64_MAX : count;
}

int64_t ir_type_bytes(const ir_type *type) {
  int64_t count = ir_type_num_elements(type), bytes;
  if (count == IR_DYNAMIC)
    return IR_DYNAMIC;
  return __builtin_mul_overflow(count, ir_scalar_bytes(type->element), &bytes) ? INT64_MAX : bytes;
}

int64_t ir_static_offset(int64_t offset, int64_t index, int64_t stride) {
  if (index == 0)
    return offset;
  bool known = offset != IR_DYNAMIC && index != IR_DYNAMIC && stride != IR_DYNAMIC;
  bool fits =
      known && !__builtin_mul_overflow(index, stride, &index) && !__builtin_add_overflow(offset, index, &offset);
  return fits ? offset : IR_DYNAMIC;
}

void ir_type_strides(const ir_type *type, int64_t *strides) {
  if (type->strides)
    memcpy(strides, type->strides, type->rank * sizeof *strides);
  else
    row_major(type->rank, type->shape, strides);
}

int64_t ir_type_stride(const ir_type *type, unsigned dim) {
  int64_t strides[IR_MAX_RANK];
  ir_type_strides(type, strides);
  return strides[dim];
}
