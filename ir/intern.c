/* intern.c - interning tables and strings; see intern.h. */
#include "intern.h"

#include <string.h>

ir_table *ir_table_create(ir_arena *arena) {
  ir_table *table = IR_NEW(arena, ir_table);
  table->capacity = 64;
  table->hashes = IR_NEW_ARRAY(arena, uint64_t, table->capacity);
  table->entries = IR_NEW_ARRAY(arena, const void *, table->capacity);
  return table;
}

const void *ir_table_find(const ir_table *table, uint64_t hash, const void *key, ir_equal equal) {
  size_t mask = table->capacity - 1;
  for (size_t i = hash & mask; table->entries[i]; i = (i + 1) & mask)
    if (table->hashes[i] == hash && equal(table->entries[i], key))
      return table->entries[i];
  return NULL;
}

static void place(ir_table *table, uint64_t hash, const void *entry) {
  size_t mask = table->capacity - 1, i = hash & mask;
  while (table->entries[i])
    i = (i + 1) & mask;
  table->hashes[i] = hash;
  table->entries[i] = entry;
}

void ir_table_add(ir_arena *arena, ir_table *table, uint64_t hash, const void *entry) {
  if (2 * (table->count + 1) > table->capacity) {
    ir_table old = *table;
    table->capacity *= 2;
    table->hashes = IR_NEW_ARRAY(arena, uint64_t, table->capacity);
    table->entries = IR_NEW_ARRAY(arena, const void *, table->capacity);
    for (size_t i = 0; i < old.capacity; i++)
      if (old.entries[i])
        place(table, old.hashes[i], old.entries[i]);
  }
  place(table, hash, entry);
  table->count++;
}

uint64_t ir_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = ir_hash_combine(hash, word);
  }
  uint64_t rest = size;
  for (size_t i = 0; i < size; i++)
    rest = rest << 8 | at[i];
  return ir_hash_combine(hash, rest);
}

/* Strings are stored with their size in front, so that they may hold NULs. */
typedef struct string_entry {
  size_t size;
  const char *text;
} string_entry;

static bool string_equal(const void *a, const void *b) {
  const string_entry *x = a, *y = b;
  return x->size == y->size && !memcmp(x->text, y->text, x->size);
}

const char *ir_intern(ir_module *module, const char *text, size_t size) {
  string_entry key = {size, text};
  uint64_t hash = ir_hash_bytes(1, text, size);
  const string_entry *found = ir_table_find(module->strings, hash, &key, string_equal);
  if (found)
    return found->text;
  string_entry *entry = ir_arena_alloc(&module->arena, sizeof *entry + size + 1);
  char *copy = (char *)(entry + 1);
  if (size)
    memcpy(copy, text, size);
  *entry = (string_entry){size, copy};
  ir_table_add(&module->arena, module->strings, hash, entry);
  return copy;
}

const char *ir_intern_cstr(ir_module *module, const char *text) { return ir_intern(module, text, strlen(text)); }
