/* barriers.c - places the barriers of a kernel that has been distributed to lanes.
 *
 * Walking the kernel in order, two sets of memories are kept: those read and those written since the last barrier. An
 * op that reads what was written, or writes what was read or written, gets a barrier before it. What an asynchronous
 * copy writes, in a branch, too, counts from the wait for it on; that reads and copies under way do not meet is the
 * business of who issues them, and so is, where these say so (`tec.ahead`), that what is overwritten has been read.
 * Memories are roots of views: two parts of one memory are not told apart.
 * Warpgroups read shared memory past what orders lanes' accesses, so up to their last product each lane has what it
 * wrote fenced before it comes to a barrier (`tec.fence`).
 * Barriers of a warp stand within an access, where whoever made that put them.
 * What was made for one access of a vector (ir_op.mark, see distribute.h) touches each element once and needs no
 * barrier within. A branch that lanes take differently can hold no barrier and counts as one op.
 * Terminates: a loop is walked until the sets at its start grow no more; they are bit sets. */
#include "passes/distribute.h"
#include "passes/memory.h"

typedef struct barrier_state {
  uint64_t reads, writes, pending, ahead; /* ahead: of an op, what will be pending and meets no read */
  uint32_t access;                        /* the access under way */
  uint64_t own_reads, own_writes;         /* what it has touched so far, not yet in reads and writes */
} barrier_state;

enum { MAX_ROOTS = 64 };

typedef struct barrier_walk {
  const ir_value *roots[MAX_ROOTS]; /* all from the last on share its bit */
  unsigned num_roots;
} barrier_walk;

static uint64_t root_bit(barrier_walk *walk, const ir_value *memref) {
  memref = view_root(memref);
  unsigned i = 0;
  while (i < walk->num_roots && walk->roots[i] != memref)
    i++;
  if (i == MAX_ROOTS)
    return UINT64_C(1) << (MAX_ROOTS - 1);
  if (i == walk->num_roots)
    walk->roots[walk->num_roots++] = memref;
  return UINT64_C(1) << i;
}

/* Adds what one op, without its regions, does to memory. */
static void add_effects(barrier_walk *walk, const ir_op *op, barrier_state *effects) {
  unsigned traits = ir_op_row(op)->traits;
  bool is_async = op->code == OP_NVGPU_DEVICE_ASYNC_COPY, moves = is_async || op->code == OP_MEMREF_COPY;
  unsigned target = is_async ? 0 : 1;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *memref = ir_operand(op, i);
    if (memref->type->kind != IR_TYPE_MEMREF)
      continue;
    uint64_t bit = root_bit(walk, memref);
    if (traits & IR_WRITES && (!moves || i == target))
      *(!is_async ? &effects->writes : ir_attr_get(op, DISTRIBUTE_AHEAD) ? &effects->ahead : &effects->pending) |= bit;
    if (traits & IR_READS && (!moves || i != target))
      effects->reads |= bit;
  }
}

static void add_nested_effects(barrier_walk *walk, const ir_op *op, barrier_state *effects) {
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner))
    add_effects(walk, inner, effects);
}

static void end_access(barrier_state *state, uint32_t next) {
  state->reads |= state->own_reads;
  state->writes |= state->own_writes;
  state->own_reads = state->own_writes = 0;
  state->access = next;
}

/* Places a barrier before the op if what it does meets what was done since the last. */
static void separate(ir_op *op, const barrier_state *effects, barrier_state *state) {
  uint64_t writes = effects->writes | effects->pending;
  if (!(writes & (state->reads | state->writes)) && !(effects->reads & state->writes))
    return;
  ir_builder before = ir_builder_before(op);
  ir_op_create(&before, OP_GPU_BARRIER, &(ir_op_spec){0});
  state->reads = state->writes = 0;
}

/* One op, or a branch as a whole. */
static void visit_access(barrier_walk *walk, ir_op *op, barrier_state *state) {
  barrier_state effects = {0};
  add_nested_effects(walk, op, &effects);
  if (!effects.reads && !effects.writes && !effects.pending && !effects.ahead)
    return;
  uint32_t access = op->mark & ~(uint32_t)DISTRIBUTE_DIVERGENT;
  if (!access || access != state->access)
    end_access(state, access);
  separate(op, &effects, state);
  state->own_reads |= effects.reads;
  state->own_writes |= effects.writes;
  state->pending |= effects.pending | effects.ahead;
}

/* What may have happened on either way; no access goes on behind. */
static barrier_state either(barrier_state a, barrier_state b) {
  end_access(&a, 0);
  end_access(&b, 0);
  return (barrier_state){a.reads | b.reads, a.writes | b.writes, a.pending | b.pending};
}

static void visit_block(barrier_walk *walk, ir_block *block, barrier_state *state);

/* What a loop only reads is separated from what was written before it. */
static void visit_loop(barrier_walk *walk, ir_op *loop, barrier_state *state) {
  barrier_state effects = {0};
  add_nested_effects(walk, loop, &effects);
  end_access(state, 0);
  if (!effects.writes && !effects.pending && !effects.ahead)
    separate(loop, &effects, state);
  for (;;) {
    barrier_state after = *state;
    visit_block(walk, ir_region(loop, 0), &after);
    after = either(after, *state);
    if (after.reads == state->reads && after.writes == state->writes && after.pending == state->pending)
      return;
    *state = after;
  }
}

/* A branch that all lanes take together. A barrier that its first access needs stands before it, for both ways: what
 * comes behind will mostly need one, too. */
static void visit_branch(barrier_walk *walk, ir_op *op, barrier_state *state) {
  barrier_state effects = {0}, other;
  add_nested_effects(walk, op, &effects);
  end_access(state, 0);
  separate(op, &effects, state);
  other = *state;
  visit_block(walk, ir_region(op, 0), state);
  visit_block(walk, ir_region(op, 1), &other);
  *state = either(*state, other);
}

static void visit_op(barrier_walk *walk, ir_op *op, barrier_state *state) {
  if (op->code == OP_GPU_BARRIER && ir_attr_get(op, DISTRIBUTE_WARP))
    return; /* within an access */
  if (op->code == OP_GPU_BARRIER) {
    end_access(state, 0);
    state->reads = state->writes = 0;
  } else if (op->code == OP_NVGPU_DEVICE_ASYNC_WAIT) {
    state->writes |= state->pending;
    if (!ir_attr_int_or(op, "numGroups", 0))
      state->pending = 0;
  } else if (op->code == OP_SCF_FOR) {
    visit_loop(walk, op, state);
  } else if (op->code == OP_SCF_IF && !(op->mark & DISTRIBUTE_DIVERGENT)) {
    visit_branch(walk, op, state);
  } else {
    visit_access(walk, op, state);
  }
}

static void visit_block(barrier_walk *walk, ir_block *block, barrier_state *state) {
  for (ir_op *op = block->first; op; op = op->next)
    visit_op(walk, op, state);
}

/* Fences barriers up to the last product of warpgroups: behind it, only lanes read what was written. */
static void fence_barriers(const ir_block *body) {
  bool any = false;
  for (ir_op *op = body->last; op; op = op->prev) {
    any |= op->code == OP_VECTOR_EXT_WARPGROUP_MMA || ir_contains(op, OP_VECTOR_EXT_WARPGROUP_MMA);
    for (ir_op *inner = any ? op : NULL; inner; inner = ir_next_inside(op, inner))
      if (inner->code == OP_GPU_BARRIER && !ir_attr_get(inner, DISTRIBUTE_WARP))
        ir_attr_set(inner, "tec.fence", ir_attr_unit(inner->module));
  }
}

void distribute_barriers(ir_op *kernel) {
  barrier_walk walk = {.num_roots = 0};
  barrier_state state = {0};
  visit_block(&walk, ir_region(kernel, 0), &state);
  fence_barriers(ir_region(kernel, 0));
}
