/* arena.c - see arena.h. */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static const size_t LARGEST = (size_t)16 << 30, LEAST = (size_t)64 << 20;

/* Under a limit on address space, what leaves room for the other arenas that live at the same time, and for the
 * rest. */
static size_t most_of_limit(void) {
  enum { SHARES = 16 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / SHARES >= LARGEST)
    return LARGEST;
  size_t share = (size_t)limit.rlim_cur / SHARES;
  return share < LEAST ? LEAST : share;
}

bool ir_arena_init(ir_arena *arena) {
  for (size_t size = most_of_limit(); size >= LEAST; size /= 2) {
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
      *arena = (ir_arena){.base = base, .size = size};
      return true;
    }
  }
  return false;
}

void *ir_arena_alloc(ir_arena *arena, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (size > arena->size - arena->used) {
    fprintf(stderr, "tcc-attn: out of memory: the module needs more than %zu MiB\n", arena->size >> 20);
    abort();
  }
  void *memory = arena->base + arena->used;
  arena->used += size;
  return memory;
}

void *ir_arena_copy(ir_arena *arena, const void *from, size_t size) {
  return size ? memcpy(ir_arena_alloc(arena, size), from, size) : NULL;
}

void *ir_arena_grow(ir_arena *arena, void *array, size_t size, size_t count, size_t *capacity) {
  if (count < *capacity)
    return array;
  *capacity = *capacity ? 2 * *capacity : 8;
  void *grown = ir_arena_alloc(arena, *capacity * size);
  if (count)
    memcpy(grown, array, count * size);
  return grown;
}

void ir_arena_rewind(ir_arena *arena, size_t mark) {
  memset(arena->base + mark, 0, arena->used - mark);
  arena->used = mark;
}

void ir_arena_release(ir_arena *arena) {
  if (arena->base)
    munmap(arena->base, arena->size);
  *arena = (ir_arena){0};
}
