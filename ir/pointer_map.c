/* pointer_map.c - see pointer_map.h. Terminates: half of the entries are free. */
#include "pointer_map.h"

#include "intern.h"

/* The entry of `from`, or the free one where it would go. */
static struct ir_pointer_entry *find_entry(const ir_pointer_map *map, const void *from) {
  size_t mask = map->capacity - 1, i = ir_hash_combine(0, (uint64_t)(uintptr_t)from) & mask;
  while (map->entries[i].from && map->entries[i].from != from)
    i = (i + 1) & mask;
  return &map->entries[i];
}

void *ir_pointer_map_get(const ir_pointer_map *map, const void *from, void *otherwise) {
  const struct ir_pointer_entry *entry = map->capacity ? find_entry(map, from) : NULL;
  return entry && entry->from ? entry->to : otherwise;
}

void ir_pointer_map_set(ir_arena *arena, ir_pointer_map *map, const void *from, void *to) {
  if (2 * (map->count + 1) > map->capacity) {
    ir_pointer_map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : 16;
    map->entries = IR_NEW_ARRAY(arena, struct ir_pointer_entry, map->capacity);
    for (size_t i = 0; i < old.capacity; i++)
      if (old.entries[i].from)
        *find_entry(map, old.entries[i].from) = old.entries[i];
  }
  struct ir_pointer_entry *entry = find_entry(map, from);
  map->count += !entry->from;
  *entry = (struct ir_pointer_entry){from, to};
}
