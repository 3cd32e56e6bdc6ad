/* names.h - scoped names: SSA names, aliases and the names that the printer has given out.
 *
 * A stack of definitions, chained into hash buckets with the newest first. Leaving a scope pops its definitions, so
 * each costs constant time however deep the nesting. Keys are not copied: they live in the source text or an arena. */
#ifndef TEC_IR_NAMES_H
#define TEC_IR_NAMES_H
#include "ir.h"

typedef struct ir_definition {
  const char *name;
  uint32_t size, hash;
  uint32_t next;      /* 1 + the position of the next in the bucket; 0 ends it */
  uint32_t isolation; /* how many isolated regions surround it */
  const void *what;
  unsigned count; /* for SSA names: how many values it stands for */
  ir_loc loc;
} ir_definition;

typedef struct ir_names {
  ir_arena arena;
  ir_definition *entries;
  uint32_t *buckets;
  uint32_t count, capacity; /* capacity is also the number of buckets: a power of two */
} ir_names;

/* False when no address space is left. */
bool ir_names_init(ir_names *names);
void ir_names_release(ir_names *names);
/* The newest definition of the name, or NULL. Dies with the next addition. */
const ir_definition *ir_names_find(const ir_names *names, const char *name, size_t size);
/* Adds a definition with `name`, `size` and the caller's fields set; it hides older ones of the name. */
void ir_names_add(ir_names *names, ir_definition definition);
/* Forgets all definitions but the first `count` ones. */
void ir_names_pop(ir_names *names, uint32_t count);
#endif
