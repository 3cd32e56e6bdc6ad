/* share_memory.c - pass "share-memory": scratch buffers that are never needed at the same time become one.
 *
 * A buffer is needed from the first op of its block that uses it, itself or in a region, to the last; views count as
 * uses, and so do uses of views. Buffers of one block with the same type and the same extents share memory where these
 * spans do not meet: in the order of their first uses, each takes the first buffer that is free by then. Then a buffer
 * is allocated right before its span and released behind it, before the next one is allocated or a loop begins, so that
 * others can have its memory too.
 *
 * A buffer that leaves our sight (into a result of an op that is no view) or that is released anywhere but after its
 * uses in its own block is left alone, as are those on the stack.
 * Terminates: one walk over the blocks; a view is defined after what it shows. */
#include "passes/memory.h"
#include "passes/passes.h"
#include "passes/tile.h"

typedef struct buffer buffer;
struct buffer {
  buffer *next; /* of those with the same first use; later, of those in the list of shared ones */
  ir_op *alloc, *dealloc;
  ir_op *first, *last; /* ops of the block */
};

/* The mark of an op of the block is its position. */
static void add_use(buffer *b, ir_op *op) {
  if (!b->first || op->mark < b->first->mark)
    b->first = op;
  if (!b->last || op->mark > b->last->mark)
    b->last = op;
}

/* False where it is not known what becomes of the buffer. */
static bool add_user(buffer *b, const ir_use *use) {
  ir_block *block = b->alloc->block;
  ir_op *user = use->user, *op = ir_op_ancestor_in(user, block);
  if (user->code == OP_MEMREF_DEALLOC) {
    bool is_first = !b->dealloc && user == op;
    b->dealloc = user;
    return is_first;
  }
  add_use(b, op);
  for (unsigned i = 0; i < user->num_results; i++)
    if (ir_result(user, i)->type->kind == IR_TYPE_MEMREF && !view_is_of(use))
      return false;
  return !ir_op_has(user, IR_TERMINATOR) && op != block->last;
}

/* Finds when the buffer is needed; false where it must be left alone. */
static bool find_uses(buffer *b) {
  const ir_value *memref = ir_result(b->alloc, 0);
  for (const ir_use *use = view_next_use(memref, NULL); use; use = view_next_use(memref, use))
    if (!add_user(b, use))
      return false;
  return b->first && b->dealloc && b->dealloc->mark > b->last->mark;
}

static bool same_size(const ir_op *a, const ir_op *b) {
  if (ir_result(a, 0)->type != ir_result(b, 0)->type)
    return false;
  for (unsigned i = 0; i < a->num_operands; i++)
    if (!tile_index_equal(ir_index_of(ir_operand(a, i)), ir_index_of(ir_operand(b, i))))
      return false;
  return true;
}

/* `b` lives on in `shared`, which nobody needs any more. */
static void take_over(buffer *shared, buffer *b) {
  ir_op_erase(shared->dealloc);
  ir_replace_uses(ir_result(b->alloc, 0), ir_result(shared->alloc, 0));
  ir_op_erase(b->alloc);
  shared->dealloc = b->dealloc;
  shared->last = b->last;
}

static void share(buffer **all, buffer *b) {
  for (buffer *shared = *all; shared; shared = shared->next)
    if (shared->last->mark < b->first->mark && same_size(shared->alloc, b->alloc)) {
      take_over(shared, b);
      return;
    }
  b->next = *all;
  *all = b;
}

/* Behind the last use, and behind structured ops that follow it, as these may become one loop nest with that. */
static ir_op *release_place(const buffer *b) {
  ir_op *place = b->last->next;
  while (place->next && (ir_op_has(place, IR_STRUCTURED) || pass_is_pure(place)))
    place = place->next;
  return place;
}

static void share_in_block(ir_block *block) {
  ir_arena *arena = &block->parent->module->arena;
  uint32_t count = 0;
  for (ir_op *op = block->first; op; op = op->next)
    op->mark = count++;
  buffer **by_first_use = IR_NEW_ARRAY(arena, buffer *, count), *all = NULL;
  for (ir_op *op = block->first; op; op = op->next) {
    for (unsigned i = 0; ir_op_has(op, IR_CONTROL) && i < op->num_regions; i++)
      share_in_block(ir_region(op, i));
    if (op->code != OP_MEMREF_ALLOC)
      continue;
    buffer *b = IR_NEW_OF(arena, buffer, .alloc = op);
    if (!find_uses(b))
      continue;
    b->next = by_first_use[b->first->mark];
    by_first_use[b->first->mark] = b;
  }
  for (uint32_t i = 0; i < count; i++)
    for (buffer *b = by_first_use[i], *next; b; b = next) {
      next = b->next;
      share(&all, b);
    }
  for (buffer *b = all; b; b = b->next)
    ir_op_move_before(b->alloc, b->first);
  for (buffer *b = all; b; b = b->next)
    ir_op_move_before(b->dealloc, release_place(b));
}

bool pass_share_memory(ir_op *function, const pass_options *options) {
  share_in_block(ir_region(function, 0));
  return true;
}
