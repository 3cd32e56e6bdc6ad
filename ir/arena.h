/* arena.h - the memory of one module: a bump pointer over reserved address space.
 *
 * Invariants: what the arena hands out is zeroed, 16-byte aligned, never moves and lives until ir_arena_release.
 * The address space is reserved up front without committing memory, so an allocation inside the reservation cannot
 * fail; ir_arena_init is the one place where running out of memory is reported. */
#ifndef TEC_IR_ARENA_H
#define TEC_IR_ARENA_H
#include <stdbool.h>
#include <stddef.h>

typedef struct ir_arena {
  char *base;
  size_t used, size;
} ir_arena;

/* Reserves address space (16 GiB, less under a limit). False when not even 64 MiB can be had. */
bool ir_arena_init(ir_arena *arena);
/* Zeroed, 16-byte aligned memory. Never returns NULL; an exhausted reservation aborts the process with a message. */
void *ir_arena_alloc(ir_arena *arena, size_t size);
/* A copy of that many bytes; NULL for none. */
void *ir_arena_copy(ir_arena *arena, const void *from, size_t size);
/* The array, of `count` elements of `size` bytes, if it has room for more; else a copy that is twice as large. */
void *ir_arena_grow(ir_arena *arena, void *array, size_t size, size_t count, size_t *capacity);
/* The place of another element behind the last of such an array, which counts it. */
#define IR_PUSH(ARENA, ARRAY, COUNT, CAPACITY)                                                                         \
  (*((ARRAY) = ir_arena_grow((ARENA), (ARRAY), sizeof *(ARRAY), (COUNT), &(CAPACITY)), &(ARRAY)[(COUNT)++]))
/* Returns the memory to the system; every pointer into the arena dies. */
void ir_arena_release(ir_arena *arena);

/* A position to come back to: memory handed out after `mark` may be reused after ir_arena_rewind(mark). */
static inline size_t ir_arena_mark(const ir_arena *arena) { return arena->used; }
void ir_arena_rewind(ir_arena *arena, size_t mark);

#define IR_NEW(arena, type) ((type *)ir_arena_alloc((arena), sizeof(type)))
/* With these members, as between the braces of an initialiser. */
#define IR_NEW_OF(arena, type, ...) ((type *)ir_arena_copy((arena), &(type){__VA_ARGS__}, sizeof(type)))
#define IR_NEW_ARRAY(arena, type, n) ((type *)ir_arena_alloc((arena), sizeof(type) * (size_t)(n)))
#endif
