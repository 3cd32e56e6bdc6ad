/* dead.c - drops what nobody needs: ops, carried values of loops, outputs of scf.forall, results of scf.if, and local
 * memory that is only written.
 *
 * Mark and sweep. Needed are effects on memory that somebody outside can see, and whatever they depend on. Positions of
 * scf ops (a result together with the value carried or yielded for it) are marked one by one, so a value that a loop
 * only carries for itself goes, however the carried values refer to each other.
 * Invariant of the sweep: it runs backwards and cuts dead positions from terminators before it enters a region, so an
 * op that is erased has no uses left.
 * Terminates: each op and position is marked once and swept once; linear. */
#include "passes/memory.h"

/* ir_op.mark: the low bit says that the op is live; above it stands where the op's positions begin. */
enum { LIVE = 1 };

/* What was found to be needed, and whose own needs are still to be marked. */
typedef struct pending {
  ir_op *op;
  enum { NEEDS_OPERANDS, NEEDS_POSITION, NEEDS_WRITERS } what; /* the op; one position of it; the memory it views */
  unsigned position;
} pending;

typedef struct marker {
  pending *stack;
  size_t height;
  bool *positions; /* of all control ops, one after another: is it live? */
  size_t num_ops, num_positions;
} marker;

/* -------------------------------------------------------------------------------------------------------- positions */

static ir_block *first_region(const ir_op *op) { return ir_region(op, 0); }

static bool *live_positions(const marker *marker, const ir_op *op) { return marker->positions + (op->mark >> 1); }

/* The operand that position `i` of a loop starts from. */
static unsigned init_operand(const ir_op *op, unsigned i) { return ir_group_start(op, 3) + i; }

/* ---------------------------------------------------------------------------------------------------------- effects */

static bool is_local_memory(const ir_value *value) {
  value = view_root(value);
  return value->op && ir_op_has(value->op, IR_ALLOCATES);
}

/* The operands [*first, *end) that the op writes through; false where that is not known. */
static bool written_operands(const ir_op *op, unsigned *first, unsigned *end) {
  if (ir_op_has(op, IR_DPS)) {
    *first = ir_num_inputs(op);
    *end = op->num_operands;
    return true;
  }
  *first = op->code == OP_MEMREF_DEALLOC ? 0 : 1;
  *end = *first + 1;
  return op->code == OP_MEMREF_DEALLOC || op->code == OP_MEMREF_STORE || op->code == OP_MEMREF_COPY ||
         op->code == OP_VECTOR_TRANSFER_WRITE;
}

/* Must stay whoever uses its results. Writes to local memory stay only when the memory does (mark_writers). */
static bool has_visible_effect(const ir_op *op) {
  if (pass_is_pure(op) || ir_op_has(op, IR_CONTROL) || ir_op_has(op, IR_TERMINATOR) || ir_op_has(op, IR_ALLOCATES))
    return false;
  if (op->code == OP_TENSOR_PARALLEL_INSERT_SLICE || ir_op_only_reads(op))
    return false;
  unsigned first, end;
  if (!written_operands(op, &first, &end))
    return true;
  for (unsigned i = first; i < end; i++)
    if (ir_operand(op, i)->type->kind == IR_TYPE_MEMREF && !is_local_memory(ir_operand(op, i)))
      return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------------------- mark */

static void mark_op(marker *marker, ir_op *op) {
  if (op->mark & LIVE)
    return;
  op->mark |= LIVE;
  marker->stack[marker->height++] = (pending){op, NEEDS_OPERANDS, 0};
}

static void mark_position(marker *marker, ir_op *op, unsigned i) {
  bool *live = live_positions(marker, op);
  if (live[i])
    return;
  live[i] = true;
  marker->stack[marker->height++] = (pending){op, NEEDS_POSITION, i};
  mark_op(marker, op);
}

static void mark_value(marker *marker, const ir_value *value) {
  ir_op *op = value->op ? value->op : value->block->parent;
  if (!ir_op_has(op, IR_CONTROL))
    mark_op(marker, op);
  else if (value->op)
    mark_position(marker, op, value->index);
  else if (value->index >= ir_num_counters(op))
    mark_position(marker, op, value->index - ir_num_counters(op));
  else
    mark_op(marker, op);
}

/* Somebody needs the memory: then the ops that write to it, through whatever view, are needed too. */
static void mark_writers(marker *marker, const ir_value *memory) {
  for (const ir_use *use = memory->uses; use; use = use->next) {
    unsigned first, end, i = ir_use_index(use);
    if (ir_op_has(use->user, IR_VIEW))
      marker->stack[marker->height++] = (pending){use->user, NEEDS_WRITERS, 0};
    else if (written_operands(use->user, &first, &end) && i >= first && i < end)
      mark_op(marker, use->user);
  }
}

/* What a live op needs, its positions apart. */
static void mark_needs(marker *marker, ir_op *op) {
  ir_op *parent = ir_op_parent(op);
  bool control = ir_op_has(op, IR_CONTROL);
  if (parent)
    mark_op(marker, parent);
  if (ir_op_has(op, IR_ALLOCATES))
    mark_writers(marker, ir_result(op, 0));
  /* What a control op's terminator passes on is needed position by position. */
  if (!ir_op_has(op, IR_TERMINATOR) || !ir_op_has(parent, IR_CONTROL))
    for (unsigned i = 0; i < op->num_operands - (control && op->code != OP_SCF_IF ? op->num_results : 0); i++)
      mark_value(marker, ir_operand(op, i));
  for (unsigned i = 0; i < op->num_regions; i++)
    if (ir_region(op, i)->last && ir_op_has(ir_region(op, i)->last, IR_TERMINATOR))
      mark_op(marker, ir_region(op, i)->last);
}

static void mark_position_needs(marker *marker, const ir_op *op, unsigned position) {
  if (op->code != OP_SCF_IF)
    mark_value(marker, ir_operand(op, init_operand(op, position)));
  if (op->code != OP_SCF_FORALL) {
    for (unsigned i = 0; i < op->num_regions; i++)
      if (ir_region(op, i)->last)
        mark_value(marker, ir_operand(ir_region(op, i)->last, position));
    return;
  }
  const ir_value *out = first_region(op)->args[ir_num_counters(op) + position];
  for (const ir_use *use = out->uses; use; use = use->next)
    if (use->user->code == OP_TENSOR_PARALLEL_INSERT_SLICE && ir_use_index(use) == 1)
      mark_op(marker, use->user);
}

/* ------------------------------------------------------------------------------------------------------------ sweep */

/* Removes result `i`; it is unused, and later results move up. */
static void remove_result(ir_op *op, unsigned i) {
  for (; i + 1 < op->num_results; i++) {
    op->results[i].type = op->results[i + 1].type;
    ir_replace_uses(&op->results[i + 1], &op->results[i]);
  }
  op->num_results--;
}

static bool sweep_block(marker *marker, ir_block *block);

/* Cuts the dead positions off a live control op, whose results nobody dead uses any more, and sweeps its regions. */
static bool sweep_control(marker *marker, ir_op *op) {
  const bool *live = live_positions(marker, op);
  unsigned counters = ir_num_counters(op);
  bool changed = false;
  for (unsigned r = 0; r < op->num_regions && op->code != OP_SCF_FORALL; r++)
    for (unsigned i = op->num_results; i-- > 0;)
      if (!live[i] && ir_region(op, r)->last)
        ir_remove_operand(ir_region(op, r)->last, i);
  for (unsigned r = 0; r < op->num_regions; r++)
    changed |= sweep_block(marker, ir_region(op, r));
  for (unsigned i = op->num_results; i-- > 0;) {
    if (live[i])
      continue;
    changed = true;
    if (op->code != OP_SCF_IF) {
      ir_block_remove_arg(first_region(op), counters + i);
      ir_remove_operand(op, init_operand(op, i));
    }
    remove_result(op, i);
  }
  return changed;
}

static bool sweep_block(marker *marker, ir_block *block) {
  bool changed = false;
  for (ir_op *op = block->last, *before; op; op = before) {
    before = op->prev;
    if (!(op->mark & LIVE)) {
      ir_op_erase(op);
      changed = true;
    } else if (ir_op_has(op, IR_CONTROL)) {
      changed |= sweep_control(marker, op);
    } else {
      for (unsigned i = 0; i < op->num_regions; i++)
        changed |= sweep_block(marker, ir_region(op, i));
    }
  }
  return changed;
}

bool pass_drop_dead(ir_module *module) {
  marker marker = {0};
  size_t rewind = ir_arena_mark(&module->arena);
  for (ir_op *op = ir_next_inside(module->root, module->root); op; op = ir_next_inside(module->root, op)) {
    op->mark = (uint32_t)marker.num_positions << 1;
    marker.num_ops++;
    if (ir_op_has(op, IR_CONTROL))
      marker.num_positions += op->num_results;
  }
  module->root->mark = LIVE;
  /* Each op comes once for its operands and, if it is a view, once for its writers; each position once. */
  marker.stack = IR_NEW_ARRAY(&module->arena, pending, 2 * marker.num_ops + marker.num_positions);
  marker.positions = IR_NEW_ARRAY(&module->arena, bool, marker.num_positions);
  for (ir_op *op = ir_next_inside(module->root, module->root); op; op = ir_next_inside(module->root, op))
    if (has_visible_effect(op))
      mark_op(&marker, op);
  while (marker.height) {
    pending next = marker.stack[--marker.height];
    if (next.what == NEEDS_OPERANDS)
      mark_needs(&marker, next.op);
    else if (next.what == NEEDS_POSITION)
      mark_position_needs(&marker, next.op, next.position);
    else
      mark_writers(&marker, ir_result(next.op, 0));
  }
  bool changed = sweep_block(&marker, ir_region(module->root, 0));
  ir_arena_rewind(&module->arena, rewind);
  return changed;
}
