/* parallelize.c - pass "parallelize": loops that a transform script labelled parallel become scf.forall.
 *
 * The outermost labelled scf.for is taken with the labelled ones right inside of it, as one scf.forall over all of
 * them. A label is only a wish: what is not provably independent (parallel.h) stays the sequential loop that it is.
 *
 * Of each carried tensor an iteration takes its own part at its start, works on that as it did on the whole, and
 * contributes it at its end. All slices of the carried tensor in the loop begin where that part begins, so in the part
 * they begin at 0; what else they say stays as it is.
 *
 * Invariant: all is checked before anything changes.
 * Terminates: one walk over the loops; slices are followed forwards, from a value to results of its users and arguments
 * of inner loops, in chains whose length parallel.c bounds. */
#include "passes/extent.h"
#include "passes/parallel.h"
#include "passes/passes.h"
#include "passes/tile.h"

/* Loops right inside each other, outermost first, that carry the same tensors in the same order. */
typedef struct loop_nest {
  ir_op *loops[IR_MAX_LOOPS];
  unsigned num_loops, num_carried;
  parallel_part *parts; /* of loop i and carried value k: at i * num_carried + k */
  const ir_op **fills;  /* which carried value k starts as, part by part; NULL: as what it is outside */
} loop_nest;

static const parallel_part *part_of(const loop_nest *nest, unsigned loop, unsigned carried) {
  return &nest->parts[loop * nest->num_carried + carried];
}

static ir_block *body_of(const loop_nest *nest, unsigned loop) { return ir_region(nest->loops[loop], 0); }

/* --------------------------------------------------------------------------------------------------------- checking */

static bool is_labelled(const ir_op *op) { return op->code == OP_SCF_FOR && ir_attr_get(op, "__tec_parallel__"); }

/* Costs nothing to do again in each iteration of a loop further inside. */
static bool is_free(const ir_op *op) {
  bool is_scalar = !op->num_regions && pass_is_pure(op);
  for (unsigned i = 0; i < op->num_results; i++)
    is_scalar &= !ir_type_is_shaped(ir_result(op, i)->type);
  return is_scalar || ir_op_has(op, IR_VIEW) || op->code == OP_TENSOR_EMPTY;
}

/* The labelled loop that is all that the body of `outer` does, carrying what that carries; NULL if there is none. */
static ir_op *loop_right_inside(const ir_op *outer) {
  const ir_block *body = ir_region(outer, 0);
  ir_op *inner = NULL;
  for (ir_op *op = body->first; op != body->last; op = op->next) {
    if (is_labelled(op) && !inner)
      inner = op;
    else if (!is_free(op))
      return NULL;
  }
  if (!inner || inner->num_results != outer->num_results)
    return NULL;
  for (unsigned i = 0; i < inner->num_results; i++)
    if (ir_loop_init(inner, i) != body->args[1 + i] || ir_operand(body->last, i) != ir_result(inner, i))
      return NULL;
  return inner;
}

static bool is_known_outside(const ir_op *loop, const ir_op *outermost) {
  for (unsigned i = 0; i < 3; i++)
    if (!ir_value_is_outside(ir_operand(loop, i), ir_region(outermost, 0)))
      return false;
  return true;
}

static loop_nest find_nest(ir_op *outermost) {
  loop_nest nest = {.num_carried = outermost->num_results};
  nest.parts = IR_NEW_ARRAY(&outermost->module->arena, parallel_part, (size_t)IR_MAX_LOOPS * nest.num_carried);
  for (ir_op *loop = outermost; loop && nest.num_loops < IR_MAX_LOOPS; loop = loop_right_inside(loop)) {
    if (!is_known_outside(loop, outermost) || !parallel_parts(loop, nest.parts + nest.num_loops * nest.num_carried))
      break;
    nest.loops[nest.num_loops++] = loop;
  }
  return nest;
}

/* The size is known before the slices are: it does not come from within a loop further inside. */
static bool is_size_known(const loop_nest *nest, ir_index size) {
  const ir_block *block = size.value ? (size.value->op ? size.value->op->block : size.value->block) : NULL;
  bool known = !block || ir_value_is_outside(size.value, body_of(nest, 0));
  for (unsigned loop = 0; loop < nest->num_loops; loop++)
    known |= block == body_of(nest, loop);
  return known;
}

/* The part of each carried tensor can be told: one dim a loop, of one size. */
static bool has_parts(const loop_nest *nest) {
  for (unsigned k = 0; k < nest->num_carried; k++) {
    uint32_t dims = 0;
    for (unsigned loop = 0; loop < nest->num_loops; loop++) {
      const parallel_part *part = part_of(nest, loop, k);
      if (!part->factor)
        continue;
      if (!part->same_size || !is_size_known(nest, part->size) || dims >> part->dim & 1)
        return false;
      dims |= ir_bit(part->dim);
    }
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ parts */

/* The part of carried tensor `k` that an iteration of `forall` has. `outside`: a place for whole extents. */
static tile_box box_of(const loop_nest *nest, unsigned k, ir_builder *outside, ir_builder *inside,
                       const ir_op *forall) {
  tile_box part;
  tile_whole(outside, ir_loop_init(nest->loops[0], k), &part);
  for (unsigned loop = 0; loop < nest->num_loops; loop++) {
    const parallel_part *own = part_of(nest, loop, k);
    ir_index iv = {.value = ir_region(forall, 0)->args[loop]};
    part.offsets[own->dim] = ir_index_scale(inside, iv, own->factor);
    part.sizes[own->dim] = own->size;
  }
  return part;
}

/* Makes the offset of a slice in `dim`, a value so far, 0. */
static void start_at_zero(ir_op *slice, unsigned dim) {
  unsigned rank, dynamic = 0, group = ir_info_num_groups(ir_op_row(slice)) - 3;
  int64_t offsets[IR_MAX_RANK];
  const int64_t *statics = ir_attr_i64s_of(slice, "static_offsets", &rank);
  for (unsigned i = 0; i < rank; i++) {
    offsets[i] = i == dim ? 0 : statics[i];
    dynamic += i < dim && statics[i] == IR_DYNAMIC;
  }
  ir_remove_operand(slice, ir_group_start(slice, group) + dynamic);
  ir_attr_set(slice, "static_offsets", ir_attr_i64s(slice->module, rank, offsets));
}

/* `value`, carried tensor `k`, has become its part: so do all that come from it by insertions and loops. */
static void narrow(const loop_nest *nest, unsigned k, ir_value *value) {
  unsigned count = 0;
  for (const ir_use *use = value->uses; use; use = use->next)
    count++;
  /* Operands that go move the uses of their op. */
  ir_op **users = IR_NEW_ARRAY(&nest->loops[0]->module->arena, ir_op *, count);
  unsigned *operands = IR_NEW_ARRAY(&nest->loops[0]->module->arena, unsigned, count);
  count = 0;
  for (const ir_use *use = value->uses; use; use = use->next, count++) {
    users[count] = use->user;
    operands[count] = ir_use_index(use);
  }
  for (unsigned i = 0; i < count; i++) {
    ir_op *user = users[i];
    ir_value *next = NULL;
    if (user->code == OP_SCF_FOR) {
      ir_value *argument = ir_region(user, 0)->args[operands[i] - 2];
      argument->type = value->type;
      narrow(nest, k, argument);
      next = ir_result(user, operands[i] - 3);
    } else if (!ir_op_has(user, IR_TERMINATOR)) {
      for (unsigned loop = 0; loop < nest->num_loops; loop++)
        start_at_zero(user, part_of(nest, loop, k)->dim);
      next = user->code == OP_TENSOR_INSERT_SLICE ? ir_result(user, 0) : NULL;
    }
    if (!next)
      continue;
    next->type = value->type;
    narrow(nest, k, next);
  }
}

/* --------------------------------------------------------------------------------------------------------- the loop */

static ir_op *create_forall(const loop_nest *nest, ir_builder *builder, unsigned num_outs, ir_value *const *outs) {
  ir_index bounds[3][IR_MAX_LOOPS];
  for (unsigned part = 0; part < 3; part++)
    for (unsigned loop = 0; loop < nest->num_loops; loop++)
      bounds[part][loop] = ir_index_of(ir_operand(nest->loops[loop], part));
  return ir_forall(builder, nest->num_loops, bounds[0], bounds[1], bounds[2], num_outs, outs);
}

/* What the loops do in their innermost body goes into the block, with its induction variables. */
static void move_bodies(const loop_nest *nest, ir_block *block) {
  for (unsigned loop = 0; loop < nest->num_loops; loop++) {
    ir_block *body = body_of(nest, loop);
    ir_replace_uses(body->args[0], block->args[loop]);
    while (body->first != body->last) {
      ir_op *op = body->first;
      if (loop + 1 < nest->num_loops && op == nest->loops[loop + 1])
        op = op->next;
      if (op == body->last)
        break;
      ir_op_move_to_end(op, block);
    }
  }
}

/* The fill that carried tensor `k` starts as, where iterations together have all of it: each then fills its own
 * part. */
static const ir_op *fill_in_parts(const loop_nest *nest, unsigned k) {
  ir_value *whole = ir_loop_init(nest->loops[0], k);
  ir_builder outside = ir_builder_before(nest->loops[0]);
  if (!ir_made_by(whole, OP_LINALG_FILL))
    return NULL;
  for (unsigned loop = 0; loop < nest->num_loops; loop++) {
    const parallel_part *part = part_of(nest, loop, k);
    const ir_op *op = nest->loops[loop];
    if (part->factor != 1 || !ir_index_is_const(ir_index_of(ir_operand(op, 0)), 0) ||
        !tile_index_equal(ir_index_of(ir_operand(op, 1)), pass_dim(&outside, whole, part->dim)))
      return NULL;
  }
  return whole->op;
}

/* One output of the forall: carried tensor `k`, shared as `shared`. `last` is its value at the end of an iteration. */
static void share_part(const loop_nest *nest, unsigned k, const ir_op *forall, ir_value *shared, ir_value *last,
                       ir_builder *inserts) {
  ir_value *argument = body_of(nest, nest->num_loops - 1)->args[1 + k];
  ir_builder outside = ir_builder_before((ir_op *)forall);
  ir_builder inside = ir_builder_before(ir_value_first_user(argument, ir_region(forall, 0)));
  tile_box part = box_of(nest, k, &outside, &inside, forall);
  ir_value *own = ir_extract_slice(&inside, shared, part.offsets, part.sizes, NULL);
  if (nest->fills[k])
    own = ir_fill(&inside, ir_input(nest->fills[k], 0), own);
  ir_replace_uses(argument, own);
  narrow(nest, k, own);
  ir_parallel_insert_slice(inserts, last, shared, part.offsets, part.sizes);
}

static void parallelize(loop_nest *nest) {
  ir_op *outermost = nest->loops[0], *innermost = nest->loops[nest->num_loops - 1];
  ir_value **outs = IR_NEW_ARRAY(&outermost->module->arena, ir_value *, nest->num_carried);
  unsigned num_outs = 0;
  nest->fills = IR_NEW_ARRAY(&outermost->module->arena, const ir_op *, nest->num_carried);
  for (unsigned k = 0; k < nest->num_carried; k++) {
    nest->fills[k] = fill_in_parts(nest, k);
    if (part_of(nest, 0, k)->factor)
      outs[num_outs++] = nest->fills[k] ? ir_init(nest->fills[k], 0) : ir_loop_init(outermost, k);
  }
  ir_builder before = ir_builder_before(outermost);
  ir_op *forall = create_forall(nest, &before, num_outs, outs);
  ir_block *block = ir_region(forall, 0);
  ir_op *yield = ir_region(innermost, 0)->last;
  move_bodies(nest, block);
  ir_builder end = ir_builder_at_end(block);
  ir_builder inserts = ir_in_parallel(&end);
  for (unsigned k = 0, out = 0; k < nest->num_carried; k++) {
    if (part_of(nest, 0, k)->factor) {
      share_part(nest, k, forall, block->args[nest->num_loops + out], ir_operand(yield, k), &inserts);
      ir_replace_uses(ir_result(outermost, k), ir_result(forall, out++));
      continue;
    }
    ir_value *unchanged = ir_loop_init(outermost, k);
    ir_replace_uses(ir_region(innermost, 0)->args[1 + k], unchanged);
    ir_replace_uses(ir_result(outermost, k), unchanged);
  }
  ir_op_erase(outermost);
}

static void parallelize_block(ir_block *block) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    loop_nest nest = {0};
    if (is_labelled(op))
      nest = find_nest(op);
    if (nest.num_loops && has_parts(&nest)) {
      parallelize(&nest);
      continue;
    }
    for (unsigned i = 0; ir_op_has(op, IR_CONTROL) && i < op->num_regions; i++)
      parallelize_block(ir_region(op, i));
  }
}

bool pass_parallelize(ir_op *function, const pass_options *options) {
  parallelize_block(ir_region(function, 0));
  return true;
}
