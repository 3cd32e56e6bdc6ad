/* fuse_join.c - ops that join the loops of tile and fuse though no tile reads them: contractions of what the root
 * contracts and sums of it (partners), and what is made of statistics that the loops compute (followers). Invariant:
 * one joins only where the iterations compute each of its elements once and all of them. Terminates: loops are over
 * uses, operands and dims; can_stand_before has a limit of steps, and bring_before follows what that has accepted. */
#include "passes/body.h"
#include "passes/fuse_walk.h"
#include "passes/tile_policy.h"

enum { MAX_STEPS = 32 };

/* The tile of an op from the box of one of its inputs: the iteration's part of the loops that the input's dims stand
 * for, all of the others. False unless the iterations then compute each element once and all of them. */
static bool tile_from_input(const fusion *f, const tile_box *box, fusion_node *n, unsigned input) {
  const ir_map *map = ir_structure_of(n->op)->maps[input];
  tile_box written, whole;
  uint32_t given = 0;
  ir_builder index = f->builder.index;
  tile_domain(&index, n->op, &n->domain);
  n->tile = n->domain;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int loop = ir_map_result_dim(map, dim);
    if (loop < 0 || given >> loop & 1)
      return false;
    given |= ir_bit(loop);
    n->tile.offsets[loop] = box->offsets[dim];
    n->tile.sizes[loop] = box->sizes[dim];
  }
  n->levels = nest_levels_of_box(&f->nest, &n->tile);
  tile_of_result(&index, n->op, 0, &n->tile, &written);
  tile_of_result(&index, n->op, 0, &n->domain, &whole);
  return n->levels == nest_all_levels(&f->nest) && nest_covers(&f->nest, &written, &whole);
}

/* The op of the block that makes the value behind `place`; NULL: none does. */
static ir_op *made_behind(const fusion *f, const ir_value *value, ir_op *place) {
  ir_op *op = value->op;
  return op && op->block == f->block && op != place && !ir_op_is_before(op, place) ? op : NULL;
}

/* What the op and its body need comes before `place`, or can: it is computed from scalars and extents, or element by
 * element, by no more than so many ops. */
static bool can_stand_before(const fusion *f, const ir_op *op, ir_op *place, unsigned *steps) {
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner))
    for (unsigned i = 0; i < inner->num_operands; i++) {
      const ir_op *from = made_behind(f, ir_operand(inner, i), place);
      if (!from)
        continue;
      bool is_small = !ir_op_has(from, IR_STRUCTURED) && !from->num_regions && ir_op_has(from, IR_PURE);
      if ((!is_small && !tile_is_cheap(from) && !body_is_elementwise(from)) || !*steps || !--*steps ||
          !can_stand_before(f, from, place, steps))
        return false;
    }
  return true;
}

static void bring_before(const fusion *f, const ir_op *op, ir_op *place) {
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner))
    for (unsigned i = 0; i < inner->num_operands; i++) {
      ir_op *from = made_behind(f, ir_operand(inner, i), place);
      if (!from)
        continue;
      bring_before(f, from, place);
      ir_op_move_before(from, place);
    }
}

/* --------------------------------------------------------------------------------------------------------- partners */

/* The tile of a contraction that shares input `with` of the root, as input `operand`. */
static bool tile_of_partner(const fusion *f, const fusion_node *root, unsigned with, fusion_node *n, unsigned operand) {
  const ir_map *root_map = ir_structure_of(root->op)->maps[with];
  tile_box box = {.rank = root_map->num_results};
  for (unsigned dim = 0; dim < box.rank; dim++) {
    int loop = ir_map_result_dim(root_map, dim);
    if (loop < 0)
      return false;
    box.offsets[dim] = root->tile.offsets[loop];
    box.sizes[dim] = root->tile.sizes[loop];
  }
  if (!tile_from_input(f, &box, n, operand))
    return false;
  n->reductions = fusion_tiled_reductions(n);
  return !n->reductions ||
         (root->reductions && n->reductions == ir_structure_of(n->op)->reductions && body_starts_from_zero(n->op));
}

/* By which another contraction uses a running result; or NULL. */
static const ir_use *use_by_product(const fusion *f, const ir_use *use) {
  const ir_op *op = use->user;
  bool contracts = ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op) && ir_use_index(use) < 2;
  return contracts && ir_op_is_before(use->user, f->nest.outermost) ? use : NULL;
}

/* By which a sum uses what is made step by step for the root; or NULL. */
static const ir_use *use_by_sum(const fusion *f, const fusion_node *root, const ir_use *use) {
  unsigned steps = MAX_STEPS;
  const ir_use *sum = tile_sum_beside(use, root->op);
  return sum && can_stand_before(f, sum->user, f->nest.outermost, &steps) ? sum : NULL;
}

/* Partners that read the value, which becomes input `with` of the root. */
static void expect_readers(fusion *f, const fusion_node *root, unsigned with, const ir_value *value) {
  bool runs = tile_find_running(value);
  if (!runs && !(root->reductions && tile_maker(root->op, value)))
    return;
  for (const ir_use *shared = value->uses; shared; shared = shared->next) {
    if (shared->user == root->op || shared->user->block != f->block)
      continue;
    const ir_use *use = runs ? use_by_product(f, shared) : use_by_sum(f, root, shared);
    ir_op *op = use ? use->user : NULL;
    fusion_node partner = {.op = op};
    if (!use || fusion_find_node(f, op) || !tile_of_partner(f, root, with, &partner, ir_use_index(use)))
      continue;
    if (!ir_op_is_before(op, f->nest.outermost)) {
      bring_before(f, op, f->nest.outermost);
      ir_op_move_before(op, f->nest.outermost);
    }
    fusion_node *n = fusion_expect(f, op);
    *n = partner;
    n->is_root = true;
  }
}

void fusion_expect_partners(fusion *f, const fusion_node *root) {
  if (f->options->policy != FUSE_ONCE || !ir_is_contraction(root->op))
    return;
  for (unsigned with = 0; with < 2; with++) {
    expect_readers(f, root, with, ir_operand(root->op, with));
    for (const ir_value *source = tile_made_of(ir_operand(root->op, with)); source; source = tile_made_of(source))
      expect_readers(f, root, with, source);
  }
}

bool fusion_join_root(fusion *f, fusion_node *n) {
  n->is_root = false;
  return !n->before && !n->requests && fusion_postpone_users(f, n->op) && fusion_tile_root(f, n);
}

/* -------------------------------------------------------------------------------------------------------- followers */

/* Elementwise, and reads nothing computed after `op`, so that it can stand right behind that. */
static bool may_follow(const fusion *f, ir_op *op, ir_op *user) {
  unsigned steps = MAX_STEPS;
  return user->block == f->block && user != f->root && body_is_elementwise(user) && user->num_results == 1 &&
         tile_can(user) && !fusion_find_node(f, user) && !fusion_is_stop(f, user) &&
         can_stand_before(f, user, op, &steps);
}

void fusion_join_followers(fusion *f, fusion_node *n) {
  ir_op *op = n->op, *found[MAX_ROOTS];
  unsigned inputs[MAX_ROOTS], count = 0;
  if (!f->options->forall || f->options->policy != FUSE_ONCE || !pass_op_info_of(op->code)->states || n->before ||
      fusion_merge_requests(f, n) || n->reductions)
    return;
  for (unsigned i = 1; i < op->num_results; i++)
    for (const ir_use *use = ir_result(op, i)->uses; use && count < MAX_ROOTS; use = use->next) {
      bool known = !may_follow(f, op, use->user) || ir_use_index(use) >= ir_num_inputs(use->user);
      for (unsigned k = 0; k < count; k++)
        known |= found[k] == use->user;
      if (known)
        continue;
      inputs[count] = ir_use_index(use);
      found[count++] = use->user;
    }
  for (unsigned k = 0; k < count; k++) {
    fusion_node follower = {.op = found[k]};
    tile_box box;
    tile_of_result(&f->builder.index, op, ir_operand(found[k], inputs[k])->index, &n->tile, &box);
    /* It has a loop for each dim of the statistics, and no other. */
    if (ir_structure_of(found[k])->num_loops != ir_operand(found[k], inputs[k])->type->rank ||
        !tile_from_input(f, &box, &follower, inputs[k]))
      continue;
    bring_before(f, found[k], op);
    if (op->next != found[k])
      ir_op_move_before(found[k], op->next);
    fusion_node *joined = fusion_get_node(f, found[k]);
    *joined = follower;
    if (!fusion_postpone_users(f, found[k]) || !fusion_tile_root(f, joined))
      joined->op = NULL;
  }
}
