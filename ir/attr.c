/* attr.c - interned attributes. */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

static size_t num_bytes(const ir_attr *attr) {
  return attr->bytes ? attr->count * (size_t)ir_scalar_bytes(attr->type->element) : 0;
}

static uint64_t attr_hash(const ir_attr *attr) {
  uint64_t hash = ir_hash_combine(attr->kind, (uint64_t)(uintptr_t)attr->type);
  hash = ir_hash_combine(hash, (uint64_t)attr->value);
  hash = ir_hash_bytes(hash, &attr->number, sizeof attr->number);
  hash = ir_hash_combine(hash, (uint64_t)(uintptr_t)attr->string ^ (uint64_t)(uintptr_t)attr->name * 3);
  hash = ir_hash_combine(hash, (uint64_t)(uintptr_t)attr->map ^ attr->count);
  hash = ir_hash_bytes(hash, attr->elements, attr->elements ? attr->count * sizeof(void *) : 0);
  hash = ir_hash_bytes(hash, attr->entries, attr->entries ? attr->count * sizeof(ir_named_attr) : 0);
  hash = ir_hash_bytes(hash, attr->ints, attr->ints ? attr->count * sizeof(int64_t) : 0);
  return ir_hash_bytes(hash, attr->bytes, num_bytes(attr));
}

static bool same_array(const void *a, const void *b, size_t size) {
  return !a == !b && (!a || !size || !memcmp(a, b, size));
}

static bool attr_equal(const void *left, const void *right) {
  const ir_attr *a = left, *b = right;
  /* Numbers compare by bits: NaN equals itself, and -0 is not 0. */
  return a->kind == b->kind && a->type == b->type && a->value == b->value &&
         !memcmp(&a->number, &b->number, sizeof a->number) && a->string == b->string && a->name == b->name &&
         a->map == b->map && a->count == b->count && same_array(a->elements, b->elements, a->count * sizeof(void *)) &&
         same_array(a->entries, b->entries, a->count * sizeof(ir_named_attr)) &&
         same_array(a->ints, b->ints, a->count * sizeof(int64_t)) && same_array(a->bytes, b->bytes, num_bytes(a));
}

static const ir_attr *intern_attr(ir_module *module, const ir_attr *key) {
  uint64_t hash = attr_hash(key);
  const ir_attr *found = ir_table_find(module->attrs, hash, key, attr_equal);
  if (found)
    return found;
  ir_arena *arena = &module->arena;
  ir_attr *attr = ir_arena_copy(arena, key, sizeof *key);
  if (key->elements)
    attr->elements = ir_arena_copy(arena, key->elements, key->count * sizeof(void *));
  if (key->entries)
    attr->entries = ir_arena_copy(arena, key->entries, key->count * sizeof(ir_named_attr));
  if (key->ints)
    attr->ints = ir_arena_copy(arena, key->ints, key->count * sizeof(int64_t));
  if (key->bytes)
    attr->bytes = ir_arena_copy(arena, key->bytes, num_bytes(key));
  ir_table_add(arena, module->attrs, hash, attr);
  return attr;
}

const ir_attr *ir_attr_unit(ir_module *module) { return intern_attr(module, &(ir_attr){.kind = IR_ATTR_UNIT}); }

const ir_attr *ir_attr_bool(ir_module *module, bool value) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_BOOL, .value = value});
}

const ir_attr *ir_attr_int(ir_module *module, const ir_type *type, int64_t value) {
  value = ir_scalar_wrap(type->element, value);
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_INT, .type = type, .value = value});
}

const ir_attr *ir_attr_i64(ir_module *module, int64_t value) {
  return ir_attr_int(module, ir_type_scalar(module, IR_I64), value);
}

const ir_attr *ir_attr_float(ir_module *module, const ir_type *type, double value) {
  value = ir_scalar_round(type->element, value);
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_FLOAT, .type = type, .number = value});
}

const ir_attr *ir_attr_scalar(ir_module *module, const ir_type *type, ir_cell cell) {
  return ir_scalar_is_float(type->element) ? ir_attr_float(module, type, cell.f) : ir_attr_int(module, type, cell.i);
}

const ir_attr *ir_attr_string(ir_module *module, const char *text, size_t size) {
  const char *string = ir_intern(module, text, size);
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_STRING, .string = string, .count = (unsigned)size});
}

const ir_attr *ir_attr_cstr(ir_module *module, const char *text) { return ir_attr_string(module, text, strlen(text)); }

const ir_attr *ir_attr_symbol(ir_module *module, const char *name) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_SYMBOL, .string = ir_intern_cstr(module, name)});
}

const ir_attr *ir_attr_keyword(ir_module *module, const char *name, const char *keyword) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_KEYWORD,
                                        .name = ir_intern_cstr(module, name),
                                        .string = ir_intern_cstr(module, keyword)});
}

const ir_attr *ir_attr_array(ir_module *module, unsigned count, const ir_attr *const *elements) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_ARRAY, .count = count, .elements = count ? elements : NULL});
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const ir_named_attr *)a)->name, ((const ir_named_attr *)b)->name);
}

const ir_attr *ir_attr_dict(ir_module *module, unsigned count, const ir_named_attr *entries) {
  ir_named_attr *sorted = IR_NEW_ARRAY(&module->arena, ir_named_attr, count);
  for (unsigned i = 0; i < count; i++)
    sorted[i] = (ir_named_attr){ir_intern_cstr(module, entries[i].name), entries[i].attr};
  if (count)
    qsort(sorted, count, sizeof *sorted, compare_names);
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_DICT, .count = count, .entries = count ? sorted : NULL});
}

const ir_attr *ir_attr_type(ir_module *module, const ir_type *type) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_TYPE, .type = type});
}

const ir_attr *ir_attr_map(ir_module *module, const ir_map *map) {
  return intern_attr(module, &(ir_attr){.kind = IR_ATTR_MAP, .map = map});
}

const ir_attr *ir_attr_ints(ir_module *module, const ir_type *element, unsigned count, const int64_t *ints) {
  return intern_attr(module,
                     &(ir_attr){.kind = IR_ATTR_I64S, .type = element, .count = count, .ints = count ? ints : NULL});
}

const ir_attr *ir_attr_i64s(ir_module *module, unsigned count, const int64_t *ints) {
  return ir_attr_ints(module, ir_type_scalar(module, IR_I64), count, ints);
}

const ir_attr *ir_attr_numbers(ir_module *module, unsigned count, const int64_t *numbers) {
  const ir_attr *attrs[IR_MAX_RANK];
  for (unsigned i = 0; i < count; i++)
    attrs[i] = ir_attr_i64(module, numbers[i]);
  return ir_attr_array(module, count, attrs);
}

const ir_attr *ir_attr_dense_bytes(ir_module *module, const ir_type *type, unsigned count, const void *bytes) {
  size_t width = ir_scalar_bytes(type->element);
  const uint8_t *first = bytes;
  bool splat = count > 1 && !memcmp(first, first + width, (count - 1) * width); /* each is like the one before it */
  return intern_attr(
      module,
      &(ir_attr){.kind = IR_ATTR_DENSE, .type = type, .count = splat ? 1 : count, .bytes = count ? bytes : NULL});
}

const ir_attr *ir_attr_dense(ir_module *module, const ir_type *type, unsigned count, const ir_cell *cells) {
  ir_scalar element = type->element;
  size_t width = ir_scalar_bytes(element);
  uint8_t *bytes = ir_arena_alloc(&module->arena, count * width);
  for (unsigned i = 0; i < count; i++) {
    uint64_t bits = ir_scalar_is_float(element) ? ir_float_to_bits(element, cells[i].f) : (uint64_t)cells[i].i;
    if (ir_scalar_bits(element) < 8)
      bits &= (1u << ir_scalar_bits(element)) - 1;
    for (size_t byte = 0; byte < width; byte++)
      bytes[i * width + byte] = (uint8_t)(bits >> 8 * byte);
  }
  return ir_attr_dense_bytes(module, type, count, bytes);
}

ir_cell ir_attr_element(const ir_attr *attr, int64_t i) {
  ir_scalar element = attr->type->element;
  size_t width = ir_scalar_bytes(element);
  const uint8_t *at = attr->bytes + (attr->count == 1 ? 0 : (size_t)i * width);
  uint64_t bits = 0;
  for (size_t byte = width; byte-- > 0;)
    bits = bits << 8 | at[byte];
  return ir_scalar_is_float(element) ? (ir_cell){.f = ir_float_from_bits(element, bits)}
                                     : (ir_cell){.i = ir_scalar_wrap(element, (int64_t)bits)};
}

/* ---------------------------------------------------------------------------------------------- attributes on ops */

static bool name_equal(const char *a, const char *b) { return a == b || !strcmp(a, b); }

const ir_attr *ir_attr_get(const ir_op *op, const char *name) {
  for (unsigned i = 0; i < op->num_attrs; i++)
    if (name_equal(op->attrs[i].name, name))
      return op->attrs[i].attr;
  return NULL;
}

void ir_attr_set(ir_op *op, const char *name, const ir_attr *attr) {
  op->structure = NULL;
  unsigned at = 0;
  while (at < op->num_attrs && strcmp(op->attrs[at].name, name) < 0)
    at++;
  bool is_there = at < op->num_attrs && name_equal(op->attrs[at].name, name);
  if (!attr && !is_there)
    return;
  ir_symbol_leave(op);
  if (is_there) {
    if (attr)
      op->attrs[at].attr = attr;
    else
      memmove(op->attrs + at, op->attrs + at + 1, (--op->num_attrs - at) * sizeof *op->attrs);
    ir_symbol_enter(op);
    return;
  }
  ir_named_attr *grown = IR_NEW_ARRAY(&op->module->arena, ir_named_attr, op->num_attrs + 1);
  if (op->num_attrs) {
    memcpy(grown, op->attrs, at * sizeof *grown);
    memcpy(grown + at + 1, op->attrs + at, (op->num_attrs - at) * sizeof *grown);
  }
  grown[at] = (ir_named_attr){ir_intern_cstr(op->module, name), attr};
  op->attrs = grown;
  op->num_attrs++;
  ir_symbol_enter(op);
}

bool ir_attrs_equal(unsigned count, const ir_named_attr *a, const ir_named_attr *b) {
  for (unsigned i = 0; i < count; i++)
    if (a[i].name != b[i].name || a[i].attr != b[i].attr)
      return false;
  return true;
}

int64_t ir_attr_int_or(const ir_op *op, const char *name, int64_t fallback) {
  const ir_attr *attr = ir_attr_get(op, name);
  return attr && (attr->kind == IR_ATTR_INT || attr->kind == IR_ATTR_BOOL) ? attr->value : fallback;
}

const char *ir_attr_string_or(const ir_op *op, const char *name, const char *fallback) {
  const ir_attr *attr = ir_attr_get(op, name);
  return attr && attr->string ? attr->string : fallback;
}

const int64_t *ir_attr_i64s_of(const ir_op *op, const char *name, unsigned *count) {
  static const int64_t none = 0;
  const ir_attr *attr = ir_attr_get(op, name);
  if (count)
    *count = attr ? attr->count : 0;
  if (attr && attr->kind == IR_ATTR_I64S)
    return attr->count ? attr->ints : &none;
  if (!attr || attr->kind != IR_ATTR_ARRAY)
    return NULL;
  int64_t *copy = IR_NEW_ARRAY(&op->module->arena, int64_t, attr->count);
  for (unsigned i = 0; i < attr->count; i++) {
    if (attr->elements[i]->kind != IR_ATTR_INT)
      return NULL;
    copy[i] = attr->elements[i]->value;
  }
  return copy;
}

bool ir_are_distinct(unsigned count, const int64_t *numbers, unsigned limit, uint32_t *set) {
  *set = 0;
  for (unsigned i = 0; i < count; i++) {
    if (numbers[i] < 0 || numbers[i] >= limit || *set >> numbers[i] & 1)
      return false;
    *set |= ir_bit((unsigned)numbers[i]);
  }
  return true;
}

uint32_t ir_attr_set_of(const ir_op *op, const char *name) {
  unsigned count;
  uint32_t set = 0;
  const int64_t *numbers = ir_attr_i64s_of(op, name, &count);
  return numbers && ir_are_distinct(count, numbers, 32, &set) ? set : 0;
}
