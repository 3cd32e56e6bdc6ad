/* intern.h - hash tables of interned objects; internal to ir/. */
#ifndef TEC_IR_INTERN_H
#define TEC_IR_INTERN_H
#include "ir.h"

/* Open addressing over pointers; grows by doubling inside the arena, so the total waste is below the final size. */
struct ir_table {
  uint64_t *hashes;
  const void **entries;
  size_t count, capacity; /* capacity is a power of two */
};

typedef bool (*ir_equal)(const void *a, const void *b);

ir_table *ir_table_create(ir_arena *arena);
/* The entry equal to `key`, or NULL. */
const void *ir_table_find(const ir_table *table, uint64_t hash, const void *key, ir_equal equal);
/* Adds an entry known to be absent. */
void ir_table_add(ir_arena *arena, ir_table *table, uint64_t hash, const void *entry);

static inline uint64_t ir_hash_combine(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}
uint64_t ir_hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* Keep the module's symbols in step (symbol.c): called before an op leaves its block or loses its name, and after it
 * entered a block or got one. Other ops than symbols may come too. */
void ir_symbol_leave(ir_op *op);
void ir_symbol_enter(ir_op *op);
#endif
