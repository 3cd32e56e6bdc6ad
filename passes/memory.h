/* memory.h - which memrefs may overlap and how large they are, which ops touch memory, and constants there. */
#ifndef TEC_PASSES_MEMORY_H
#define TEC_PASSES_MEMORY_H
#include "passes/passes.h"

/* What the value, a memref or a tensor, is a view of; or itself. */
static inline const ir_value *view_root(const ir_value *value) {
  while (value->op && ir_op_has(value->op, IR_VIEW))
    value = ir_operand(value->op, 0);
  return value;
}

/* What the use is by shows the value, or a part of it, as another one: its result. */
static inline bool view_is_of(const ir_use *use) { return ir_op_has(use->user, IR_VIEW) && ir_use_index(use) == 0; }

/* The use behind `use` among those of the value, each of which those of the view that it makes follow; of NULL the
 * first one. NULL: there is none. */
const ir_use *view_next_use(const ir_value *value, const ir_use *use);

/* The bytes of that, INT64_MAX where they are too many to count; IR_DYNAMIC, less than any number, where not known. */
static inline int64_t view_root_bytes(const ir_value *value) { return ir_type_bytes(view_root(value)->type); }

/* The two surely do not overlap: fresh memory and something else. */
static inline bool memory_is_disjoint(const ir_value *a, const ir_value *b) {
  a = view_root(a);
  b = view_root(b);
  return a != b && ((a->op && ir_op_has(a->op, IR_ALLOCATES)) || (b->op && ir_op_has(b->op, IR_ALLOCATES)));
}

/* May the op read or write memory that existed before? */
static inline bool memory_touches(const ir_op *op) {
  return op->num_regions || ir_op_has(op, IR_READS) || !(pass_is_pure(op) || ir_op_has(op, IR_ALLOCATES));
}

/* The elements of the constant that the value, a memref or a tensor, is all or a part of, where nobody else reads it:
 * so they may be put into another order for good. NULL where there is none. */
const ir_attr *memory_own_constant(const ir_value *value);

/* Scratch memory, row-major and aligned to lines of the cache, until the innermost forall's iteration, or the function,
 * around the op ends. */
ir_value *memory_scratch(const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape);

/* The read, a tensor.extract or memref.load in a body, is of a small table, of which registers hold all elements: those
 * at any places are found by a few shuffles (backend/lookup.c). */
bool memory_is_lookup(const ir_op *read);

/* The body of the op reads no elements by itself, but of such tables, to which nobody writes while the forall around
 * the op runs, or ever where there is none. */
bool memory_reads_only_tables(const ir_op *op);

/* All that the body of the op reads by itself is such memory, of any size. */
bool memory_reads_still(const ir_op *op);

/* What a memref.get_global names; NULL for any other op. */
ir_op *memory_global(const ir_op *op);

/* Read-only memory of the module with the elements of a dense attribute: a memref, at the builder's place. */
ir_value *memory_of_constant(ir_builder *builder, const ir_attr *value);
#endif
