/* pointer_map.h - a hash table from addresses to addresses, in an arena. Open addressing; it grows by doubling. */
#ifndef TEC_IR_POINTER_MAP_H
#define TEC_IR_POINTER_MAP_H
#include "arena.h"

/* Starts as zeros. */
typedef struct ir_pointer_map {
  struct ir_pointer_entry {
    const void *from; /* NULL: the entry is free */
    void *to;
  } * entries;
  size_t count, capacity; /* a power of two */
} ir_pointer_map;

/* What `from` is mapped to; `otherwise` where it is not mapped. */
void *ir_pointer_map_get(const ir_pointer_map *map, const void *from, void *otherwise);
void ir_pointer_map_set(ir_arena *arena, ir_pointer_map *map, const void *from, void *to);
#endif
