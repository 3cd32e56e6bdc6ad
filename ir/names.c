/* names.c - see names.h. */
#include "names.h"

#include <string.h>

static uint32_t hash_bytes(const char *bytes, size_t size) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
  return hash;
}

static void grow(ir_names *names) {
  uint32_t capacity = names->capacity ? names->capacity * 2 : 64;
  ir_definition *entries = IR_NEW_ARRAY(&names->arena, ir_definition, capacity);
  if (names->count)
    memcpy(entries, names->entries, sizeof *entries * names->count);
  names->entries = entries;
  names->buckets = IR_NEW_ARRAY(&names->arena, uint32_t, capacity);
  names->capacity = capacity;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t *bucket = &names->buckets[entries[i].hash & (capacity - 1)];
    entries[i].next = *bucket;
    *bucket = i + 1;
  }
}

bool ir_names_init(ir_names *names) {
  *names = (ir_names){0};
  if (!ir_arena_init(&names->arena))
    return false;
  grow(names);
  return true;
}

void ir_names_release(ir_names *names) { ir_arena_release(&names->arena); }

const ir_definition *ir_names_find(const ir_names *names, const char *name, size_t size) {
  uint32_t hash = hash_bytes(name, size);
  for (uint32_t i = names->buckets[hash & (names->capacity - 1)]; i; i = names->entries[i - 1].next) {
    const ir_definition *entry = &names->entries[i - 1];
    if (entry->hash == hash && entry->size == size && !memcmp(entry->name, name, size))
      return entry;
  }
  return NULL;
}

void ir_names_add(ir_names *names, ir_definition definition) {
  if (names->count == names->capacity)
    grow(names);
  definition.hash = hash_bytes(definition.name, definition.size);
  uint32_t *bucket = &names->buckets[definition.hash & (names->capacity - 1)];
  definition.next = *bucket;
  names->entries[names->count++] = definition;
  *bucket = names->count;
}

void ir_names_pop(ir_names *names, uint32_t count) {
  while (names->count > count) {
    const ir_definition *entry = &names->entries[--names->count];
    names->buckets[entry->hash & (names->capacity - 1)] = entry->next;
  }
}
