/* fuse.c - tile and fuse, from a consumer to its producers.
 *
 * The root is tiled first; each operand of a tile is a *request* for a box of a value. Walking backwards from the root
 * through its block, every op with requests is either tiled in place of them or left outside. As the walk meets an op
 * after all its users, all requests for it are known when it is its turn, and they are merged into one.
 *
 * An op that the loops need but that is not fused has to run *before* them, and so has everything that it needs itself.
 * An op that is fused although others use it becomes a result of the loops if the tiles cover it; then its users have
 * to run *after* them.
 *
 * Reductions: what is accumulated over a tiled reduction loop of the root is carried by the loops, and its starting
 * value is never fused. A producer cannot be tiled over its own reduction, unless it carries a running state and its
 * consumer can be rescaled (PASS column `states`): check_state says when that is right.
 *
 * Invariants: up to finish() the program is unchanged but for the nest before the root; nodes are found through
 * ir_op.mark, checked against the node, so that stale marks do no harm.
 * Termination: the walk moves backwards; each op is asked once; every other loop is over operands, uses or requests. */
#include "passes/body.h"
#include "passes/fuse_walk.h"
#include "passes/passes.h"

/* ---------------------------------------------------------------------------------------------------------- nodes */

fusion_node *fusion_find_node(const fusion *f, const ir_op *op) {
  return op->mark && op->mark <= f->num_nodes && f->nodes[op->mark - 1]->op == op ? f->nodes[op->mark - 1] : NULL;
}

fusion_node *fusion_get_node(fusion *f, ir_op *op) {
  fusion_node *found = fusion_find_node(f, op);
  if (found)
    return found;
  fusion_node *fresh = IR_NEW_OF(&f->module->arena, fusion_node, .op = op);
  IR_PUSH(&f->module->arena, f->nodes, f->num_nodes, f->capacity) = fresh;
  op->mark = f->num_nodes;
  return fresh;
}

fusion_node *fusion_expect(fusion *f, ir_op *op) {
  if (!fusion_find_node(f, op))
    f->pending++;
  return fusion_get_node(f, op);
}

static void need_before(fusion *f, const ir_value *value) {
  if (value->op && value->op->block == f->block)
    fusion_expect(f, value->op)->before = true;
}

static void need_operands_before(fusion *f, const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    need_before(f, ir_operand(op, i));
}

static void need_regions_before(fusion *f, const ir_op *op) {
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    need_operands_before(f, inner);
}

static nest_carried *add_carried(fusion *f, ir_value *original) {
  nest_carried *fresh = &IR_PUSH(&f->module->arena, f->carried, f->num_carried, f->carried_capacity);
  *fresh = (nest_carried){.original = original};
  return fresh;
}

static nest_carried *find_carried(const fusion *f, const ir_value *original) {
  for (unsigned i = 0; i < f->num_carried; i++)
    if (f->carried[i].original == original)
      return &f->carried[i];
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------- requests */

static bool has_body(const ir_op *op) { return op->num_regions != 0; }

/* The tile accumulates onto this operand in each iteration, so it is carried by the loops. */
static bool is_accumulated(const fusion *f, const ir_op *op, unsigned operand) {
  unsigned inputs = ir_op_has(op, IR_DPS) ? ir_num_inputs(op) : op->num_operands;
  if (operand < inputs || !f->current->reductions)
    return false;
  return has_body(op) || (pass_op_info_of(op->code)->states >> (operand - inputs) & 1);
}

/* tile_builder.slice: takes the box from the original value, and notes the request. */
static ir_value *request_slice(tile_builder *builder, ir_op *op, unsigned operand, const tile_box *box) {
  fusion *f = (fusion *)builder;
  ir_value *value = ir_operand(op, operand);
  if (value->type->kind != IR_TYPE_TENSOR) {
    need_before(f, value);
    return value;
  }
  ir_value *slice = ir_extract_slice(&builder->body, value, box->offsets, box->sizes, NULL);
  bool is_init = ir_op_has(op, IR_DPS) && operand >= ir_num_inputs(op);
  nest_carried *carried = is_init ? find_carried(f, ir_result(op, operand - ir_num_inputs(op))) : NULL;
  bool accumulated = is_accumulated(f, op, operand);
  if (carried && (accumulated || f->current->is_root))
    carried->slice = slice;
  if (accumulated) {
    need_before(f, value);
  } else if (value->op && value->op->block == f->block) {
    fusion_node *producer = fusion_expect(f, value->op);
    producer->requests = IR_NEW_OF(&f->module->arena, fusion_request, .next = producer->requests, .value = value,
                                   .slice = slice, .box = *box);
  }
  return slice;
}

/* Folds the tile that one more request needs into the node's tile: of two tiles one has to contain the other, that is,
 * be whole wherever they differ. */
static bool merge_tiles(fusion_node *n, const tile_box *tile) {
  bool wider = false, narrower = false;
  for (unsigned i = 0; i < tile->rank; i++) {
    if (tile_index_equal(tile->offsets[i], n->tile.offsets[i]) && tile_index_equal(tile->sizes[i], n->tile.sizes[i]))
      continue;
    bool whole = tile_is_whole(tile, &n->domain, i);
    if (!whole && !tile_is_whole(&n->tile, &n->domain, i))
      return false;
    wider |= whole;
    narrower |= !whole;
  }
  if (wider && !narrower)
    n->tile = *tile;
  return !wider || !narrower;
}

uint32_t fusion_tiled_reductions(const fusion_node *n) {
  uint32_t loops = 0;
  for (unsigned loop = 0; ir_op_has(n->op, IR_STRUCTURED) && loop < n->tile.rank; loop++)
    if (ir_loop_is_reduction(ir_structure_of(n->op), loop) && !tile_is_whole(&n->tile, &n->domain, loop))
      loops |= ir_bit(loop);
  return loops;
}

const char *fusion_merge_requests(fusion *f, fusion_node *n) {
  tile_domain(&f->builder.index, n->op, &n->domain);
  for (fusion_request *r = n->requests; r; r = r->next) {
    tile_box tile;
    if (!tile_from_result(n->op, r->value->index, &r->box, &n->domain, &tile))
      return "its results are not indexed by plain loops";
    if (r == n->requests)
      n->tile = tile;
    else if (!merge_tiles(n, &tile))
      return "its consumers need different tiles of it";
  }
  n->levels = nest_levels_of_box(&f->nest, &n->tile);
  n->reductions = fusion_tiled_reductions(n);
  return NULL;
}

/* ------------------------------------------------------------------------------------- tiling over one's reduction */

/* A contraction whose tile reads the running result, and the operand that does. */
typedef struct reader {
  fusion_node *root;
  unsigned operand;
} reader;

/* The roots that result 0 reaches, unchanged but for what is linear in it; 0 if it reaches anything else. */
static unsigned find_readers(const fusion *f, const ir_op *op, reader readers[MAX_ROOTS]) {
  const ir_value *values[MAX_ROOTS] = {ir_result(op, 0)};
  unsigned num_values = 1, count = 0;
  for (unsigned at = 0; at < num_values; at++)
    for (const ir_use *use = values[at]->uses; use; use = use->next) {
      if (ir_op_is_inside(use->user, f->nest.body))
        continue; /* the extract_slice of the request */
      fusion_node *user = fusion_find_node(f, use->user);
      if (!user || !user->fused || count + num_values > MAX_ROOTS)
        return 0;
      for (unsigned i = 0; i < count; i++)
        if (readers[i].root == user)
          return 0;
      if (user->is_root)
        readers[count++] = (reader){user, ir_use_index(use)};
      else if (num_values < MAX_ROOTS && tile_is_linear_in(use->user, ir_use_index(use)))
        values[num_values++] = ir_result(use->user, 0);
      else
        return 0;
    }
  return count;
}

/* NULL, or why what the reader has accumulated cannot be rescaled: it must be a contraction over just those loops. */
static const char *check_reader(const fusion_node *n, const reader *reader) {
  const ir_op *root = reader->root->op;
  if (!ir_is_contraction(root) || reader->operand >= 2 || !ir_scalar_is_float(ir_result(root, 0)->type->element))
    return "its running result is read by an op that is no contraction";
  const ir_structure *structure = ir_structure_of(root);
  for (unsigned loop = 0; loop < n->tile.rank; loop++) {
    if (!(n->reductions >> loop & 1))
      continue;
    int dim = ir_map_find_dim(ir_init_map(n->op, 0), loop);
    int root_loop = dim < 0 ? -1 : ir_map_result_dim(structure->maps[reader->operand], (unsigned)dim);
    if (root_loop < 0 || structure->reductions != ir_bit(root_loop))
      return "it is no softmax over the dimension that its consumer contracts";
  }
  return NULL;
}

/* NULL, or why the op cannot run tile by tile over its reduction, rescaling what the roots have accumulated:
 * - the roots are contractions over just that loop, read result 0 as a factor, and nobody else reads it;
 * - every tile is computed once (a second time would change the state again), the tiles cover the reduction;
 * - the states are final after the loops only, so nothing in the loops may read them. */
static const char *check_state(const fusion *f, const fusion_node *n) {
  const ir_op *op = n->op;
  if (!pass_op_info_of(op->code)->states)
    return "it would be tiled over its own reduction";
  reader readers[MAX_ROOTS];
  unsigned num_readers = find_readers(f, op, readers);
  if (!num_readers)
    return "its running result has another reader than contractions that are tiled over the same loop";
  for (unsigned i = 0; i < num_readers; i++) {
    const char *why = check_reader(n, &readers[i]);
    if (why)
      return why;
  }
  for (unsigned i = 1; i < op->num_results; i++)
    for (const ir_use *use = ir_result(op, i)->uses; use; use = use->next) {
      const fusion_node *user = fusion_find_node(f, ir_op_ancestor_in(use->user, f->block));
      if (user && (user->fused || user->before))
        return "a consumer in the loops reads its state before that is final";
    }
  if (n->levels != nest_all_levels(&f->nest))
    return "a loop that it does not depend on would update its state again";
  for (unsigned loop = 0; loop < n->tile.rank; loop++)
    if (n->reductions >> loop & 1 && !nest_covers_dim(&f->nest, &n->tile, &n->domain, loop))
      return "the tiles do not cover its reduction";
  return NULL;
}

/* ---------------------------------------------------------------------------------------------- users of the op */

bool fusion_postpone_users(fusion *f, ir_op *op) {
  size_t count = 0, capacity = 0;
  ir_op **list = NULL;
  IR_PUSH(&f->module->arena, list, count, capacity) = op;
  for (size_t at = 0; at < count; at++)
    for (unsigned i = 0; i < list[at]->num_results; i++)
      for (const ir_use *use = ir_result(list[at], i)->uses; use; use = use->next) {
        ir_op *user = ir_op_ancestor_in(use->user, f->block);
        fusion_node *known = fusion_find_node(f, user);
        if (user == f->root || user == f->nest.outermost || (known && (known->fused || known->after)) ||
            !ir_op_is_before(user, f->nest.outermost))
          continue;
        if (pass_has_effect(user)) { /* none of them moves: this one would be left before what it needs */
          while (--count)
            fusion_get_node(f, list[count])->after = false;
          return false;
        }
        fusion_get_node(f, user)->after = true;
        IR_PUSH(&f->module->arena, list, count, capacity) = user;
      }
  return true;
}

static bool is_outside(const fusion *f, const ir_use *use) {
  const ir_op *user = ir_op_ancestor_in(use->user, f->block);
  const fusion_node *known = fusion_find_node(f, user);
  return user != f->nest.outermost && !(known && known->fused);
}

static bool used_outside(const fusion *f, const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next)
    if (is_outside(f, use))
      return true;
  return false;
}

/* NULL, or why the op cannot give what users outside of the loops need. Sets `outputs`. */
static const char *check_outputs(fusion *f, fusion_node *n) {
  uint32_t states = pass_op_info_of(n->op->code)->states;
  n->outputs = 0;
  for (unsigned i = 0; i < n->op->num_results; i++) {
    if (!used_outside(f, ir_result(n->op, i)))
      continue;
    tile_box box, whole;
    tile_of_result(&f->builder.index, n->op, i, &n->tile, &box);
    tile_of_result(&f->builder.index, n->op, i, &n->domain, &whole);
    if (n->reductions && !(states >> i & 1))
      return "a consumer outside of the loops reads its running result";
    if (!nest_covers(&f->nest, &box, &whole))
      return "a consumer outside of the loops needs more than the tiles";
    for (unsigned level = 0; level < f->nest.num_levels; level++)
      if (!(n->levels >> level & 1) && (f->nest.levels[level].extent.value || !f->nest.levels[level].extent.constant))
        return "the loops may not run, and a consumer outside needs it";
    n->outputs |= ir_bit(i);
  }
  if (n->outputs && f->options->forall && n->levels != nest_all_levels(&f->nest))
    return "parallel iterations would write the same elements";
  return n->outputs && !fusion_postpone_users(f, n->op) ? "a consumer outside of the loops cannot be moved after them"
                                                        : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- fusing */

/* NULL, or why the schedule wants the op outside of the loops. Data that is moved rather than computed may be moved
 * again, but not in each iteration all of it. */
static const char *check_policy(const fusion *f, const fusion_node *n) {
  const ir_op *op = n->op;
  if (f->options->policy == FUSE_FREE)
    return "only free ops are fused";
  if (f->options->policy == FUSE_ONCE && n->levels != nest_all_levels(&f->nest) &&
      (!n->levels || !tile_only_moves(op) || ir_attr_get(op, PASS_ONCE)))
    return "several iterations would compute the same elements";
  return NULL;
}

/* NULL, or why the op would do the same reduction again for each tile of the root's reduction. */
static const char *check_repetition(const fusion *f, const fusion_node *n) {
  if (!ir_op_has(n->op, IR_STRUCTURED) || !ir_structure_of(n->op)->reductions)
    return NULL;
  for (unsigned i = 0; i < f->nest.num_levels; i++)
    if (!f->nest.levels[i].once && ir_loop_is_reduction(ir_structure_of(f->root), f->nest.levels[i].dim) &&
        !(n->levels >> i & 1))
      return "each tile of the root's reduction would repeat its own";
  return NULL;
}

/* The loops use a result otherwise than through requests (from within a body, or as a size). */
static bool is_captured(const fusion *f, const fusion_node *n) {
  unsigned uses = 0, requests = 0;
  for (unsigned i = 0; i < n->op->num_results; i++)
    for (const ir_use *use = ir_result(n->op, i)->uses; use; use = use->next)
      uses += ir_op_is_inside(use->user, f->nest.body);
  for (const fusion_request *r = n->requests; r; r = r->next)
    requests++;
  return uses != requests;
}

/* NULL, or why the op is not fused. */
static const char *check(fusion *f, fusion_node *n) {
  const char *why = fusion_merge_requests(f, n);
  n->before |= is_captured(f, n); /* asked last, as its own extents may be among the uses */
  if (!why && n->before)
    why = "what stays outside of the loops needs it";
  if (!why)
    why = check_policy(f, n);
  if (!why)
    why = n->reductions ? check_state(f, n) : check_repetition(f, n);
  return why ? why : check_outputs(f, n);
}

bool fusion_is_stop(const fusion *f, const ir_op *op) {
  for (unsigned i = 0; i < f->options->num_stops; i++)
    if (f->options->stops[i] == op)
      return true;
  return false;
}

static ir_op *earliest_slice(const fusion_node *n) {
  ir_op *earliest = n->requests->slice->op;
  for (const fusion_request *r = n->requests->next; r; r = r->next)
    if (ir_op_is_before(r->slice->op, earliest))
      earliest = r->slice->op;
  return earliest;
}

/* The carried value starts as anything: all of it is going to be overwritten, and nobody reads it before. */
static void carry_empty(fusion *f, unsigned i) {
  ir_builder outside = ir_builder_before(f->nest.outermost);
  tile_box whole;
  tile_whole(&outside, f->carried[i].original, &whole);
  for (unsigned dim = 0; dim < whole.rank; dim++)
    if (whole.sizes[dim].value && whole.sizes[dim].value->op)
      need_operands_before(f, whole.sizes[dim].value->op);
  f->carried[i].init = ir_empty(&outside, f->carried[i].original->type->element, whole.rank, whole.sizes);
  f->carried[i].slice = NULL;
}

/* Puts the tile in place of a request: itself, or the part of it where the tile is wider. */
static void answer(fusion *f, fusion_node *n, const fusion_request *r) {
  tile_box box;
  ir_value *tile = n->tiles[r->value->index];
  tile_of_result(&f->builder.index, n->op, r->value->index, &n->tile, &box);
  bool part = false;
  for (unsigned dim = 0; dim < box.rank; dim++) {
    bool same =
        tile_index_equal(box.offsets[dim], r->box.offsets[dim]) && tile_index_equal(box.sizes[dim], r->box.sizes[dim]);
    part |= !same;
    box.offsets[dim] = same ? ir_index_const(0) : r->box.offsets[dim];
  }
  ir_builder at = ir_builder_before(r->slice->op);
  if (part)
    tile = ir_extract_slice(&at, tile, box.offsets, r->box.sizes, NULL);
  for (unsigned i = 0; i < f->num_carried; i++) {
    if (f->carried[i].slice == r->slice)
      carry_empty(f, i);
    if (f->carried[i].tile == r->slice) /* the tile of a view is the slice that it asks for */
      f->carried[i].tile = tile;
  }
  ir_replace_uses(r->slice, tile);
  ir_op_erase(r->slice->op);
}

/* Results that have to leave the loops, or live across iterations. */
static void carry_results(fusion *f, fusion_node *n) {
  uint32_t states = n->reductions ? pass_op_info_of(n->op->code)->states : 0;
  for (unsigned i = 0; i < n->op->num_results; i++) {
    if (!((states | n->outputs) >> i & 1))
      continue;
    ir_value *original = ir_result(n->op, i);
    nest_carried *carried = add_carried(f, original);
    tile_of_result(&f->builder.index, n->op, i, &n->tile, &carried->box);
    if (states >> i & 1)
      carried->init = ir_init(n->op, i);
    else
      carry_empty(f, f->num_carried - 1);
  }
}

/* Lets the roots' tiles rescale what they have accumulated, and makes sure that this starts from zero: the first step
 * multiplies it by 0. */
static void rescale_roots(fusion *f, fusion_node *n) {
  reader readers[MAX_ROOTS];
  unsigned num_readers = find_readers(f, n->op, readers);
  for (unsigned i = 0; i < num_readers; i++) {
    ir_op *root = readers[i].root->op, *tile = readers[i].root->tiles[0]->op;
    if (!body_starts_from_zero(root))
      f->separate_init = true;
    ir_builder before = ir_builder_before(tile);
    tile_rescale rescale = {
        .builder = &before, .producer = n->tiles[0]->op, .consumer = tile, .operand = readers[i].operand};
    pass_op_info_of(n->op->code)->rescale(&rescale);
  }
}

static bool create_tile(fusion *f, fusion_node *n) {
  n->tiles = IR_NEW_ARRAY(&f->module->arena, ir_value *, n->op->num_results);
  f->current = n;
  if (!tile_create(&f->builder, n->op, &n->tile, n->tiles))
    return false;
  need_regions_before(f, n->op);
  n->fused = true;
  return true;
}

static void leave_outside(fusion *f, fusion_node *n) {
  n->before = true;
  need_operands_before(f, n->op);
  need_regions_before(f, n->op);
}

/* A tile for each request: they are free, and a merged one might be larger than any of them. The op itself stays for
 * those who need it outside, and for requests that cannot be met. */
static void copy_node(fusion *f, fusion_node *n) {
  n->before |= is_captured(f, n);
  for (unsigned i = 0; i < n->op->num_results; i++) /* as it stays for these, what it is made of must not go */
    n->before |= used_outside(f, ir_result(n->op, i));
  for (fusion_request *r = n->requests, *next; r; r = next) {
    next = r->next;
    r->next = NULL;
    n->requests = r;
    const char *why = fusion_merge_requests(f, n);
    f->builder.body = ir_builder_before(r->slice->op);
    if (!why && create_tile(f, n))
      answer(f, n, r);
    else
      n->before = true;
  }
  if (n->before)
    leave_outside(f, n);
}

/* NULL, or why the op stays outside of the loops. */
static const char *fuse_once(fusion *f, fusion_node *n) {
  unsigned carried = f->num_carried;
  const char *why = check(f, n);
  if (why)
    return why;
  f->builder.body = ir_builder_before(earliest_slice(n));
  carry_results(f, n);
  if (!create_tile(f, n)) {
    f->num_carried = carried;
    return "its tile is no box of its operands";
  }
  for (unsigned i = carried; i < f->num_carried; i++)
    f->carried[i].tile = n->tiles[f->carried[i].original->index];
  if (n->reductions)
    rescale_roots(f, n);
  for (const fusion_request *r = n->requests; r; r = r->next)
    answer(f, n, r);
  return NULL;
}

/* ----------------------------------------------------------------------------------------------------------- root */

unsigned fuse_num_loops(const ir_op *root) {
  return ir_op_has(root, IR_STRUCTURED) && tile_can(root) ? ir_structure_of(root)->num_loops : 0;
}

/* Sizes of empty tensors and the like ask for dims of results; asked of the operands instead, they do not keep the op
 * from being fused. */
static void simplify_dims(ir_block *block, const ir_op *root) {
  for (ir_op *op = block->first, *next; op != root; op = next) {
    next = op->next;
    unsigned dim;
    if (op->code != OP_TENSOR_DIM || !ir_is_dim(op, &dim))
      continue;
    ir_builder before = ir_builder_before(op);
    ir_index extent = pass_dim(&before, ir_operand(op, 0), dim);
    ir_replace_op(op, ir_index_value(&before, extent));
  }
}

/* NULL, or why the root cannot be tiled. */
static const char *check_root(const ir_op *root, const fuse_options *options, unsigned *num_levels) {
  unsigned num_loops = fuse_num_loops(root);
  *num_levels = 0;
  if (!num_loops)
    return "it has no loops to tile";
  for (unsigned loop = 0; loop < num_loops; loop++) {
    if (!options->tile_sizes[loop])
      continue;
    ++*num_levels;
    bool reduction = ir_loop_is_reduction(ir_structure_of(root), loop);
    if (reduction && options->forall)
      return "a reduction has no parallel iterations";
    if (reduction && !has_body(root))
      return "its results are only final after all of the dimension";
  }
  return *num_levels > NEST_MAX_LEVELS ? "that are too many loops" : NULL;
}

bool fusion_tile_root(fusion *f, fusion_node *n) {
  unsigned carried = f->num_carried;
  ir_op *root = n->op;
  n->is_root = true;
  for (unsigned i = 0; i < root->num_results; i++) {
    nest_carried *result = add_carried(f, ir_result(root, i));
    tile_of_result(&f->builder.index, root, i, &n->tile, &result->box);
    result->init = ir_init(root, i);
  }
  f->builder.body = ir_builder_at_end(f->nest.body);
  if (!create_tile(f, n)) {
    f->num_carried = carried;
    return false;
  }
  for (unsigned i = 0; i < root->num_results; i++)
    f->carried[carried + i].tile = n->tiles[i];
  return true;
}

static bool is_view(const ir_op *op) { return op && (op->code == OP_TENSOR_EXTRACT_SLICE || ir_is_reshape(op)); }

/* A slice, or another shape, of what most likely stays outside of the loops, as it cannot be tiled or others read it. */
static bool views_what_stays(const ir_op *op) {
  if (!is_view(op))
    return false;
  const ir_value *source = ir_operand(op, 0);
  while (is_view(source->op) && ir_value_has_one_use(source))
    source = ir_operand(source->op, 0);
  return !source->op || !tile_can(source->op) || !ir_value_has_one_use(source);
}

/* Users outside of the loops get a view of their own, which is free; else the loops would copy theirs out. */
static void copy_for_outside(fusion *f, ir_op *view) {
  ir_value *value = ir_result(view, 0), *copy = NULL;
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (!is_outside(f, use))
      continue;
    ir_builder after = ir_builder_after(view);
    copy = copy ? copy : ir_result(ir_op_clone(&after, view, NULL), 0);
    ir_set_operand(use->user, ir_use_index(use), copy);
  }
}

static void fuse_node(fusion *f, fusion_node *n) {
  if (!n->requests || fusion_is_stop(f, n->op)) {
    leave_outside(f, n);
    return;
  }
  if (views_what_stays(n->op))
    copy_for_outside(f, n->op);
  if (tile_can(n->op) && tile_is_cheap(n->op)) {
    copy_node(f, n);
    return;
  }
  fusion_join_followers(f, n);
  const char *why = tile_can(n->op) ? fuse_once(f, n) : "it cannot be tiled";
  if (!why)
    return;
  if ((f->options->policy == FUSE_GREEDY || f->options->explain) && ir_op_has(n->op, IR_STRUCTURED))
    ir_remark(f->module, n->op->loc, "not fused: %s", why);
  leave_outside(f, n);
}

/* --------------------------------------------------------------------------------------------------------- finish */

/* What the root's result becomes: the loops' result, plus the root's init where the loops started from zero. */
static ir_value *add_init(fusion *f, ir_value *result) {
  ir_builder before = ir_builder_before(f->root);
  ir_value *operands[] = {result, ir_init(f->root, 0)};
  ir_value *out = pass_empty_like(&before, operands[1], result->type->element);
  return ir_result(ir_structured(&before, OP_LINALG_ADD, 2, operands, 1, &out, 0, NULL), 0);
}

/* Sends the users of a carried value to what the loops make of it. They keep the type that they have: where an extent
 * that it leaves open is known from operands, the type of what starts the loops may show it. */
static void replace_carried(fusion *f, unsigned i) {
  ir_value *original = f->carried[i].original, *value = f->carried[i].result;
  if (i == 0 && f->separate_init)
    value = add_init(f, value);
  if (value->type != original->type && original->uses) {
    ir_builder after = ir_builder_after(value->op);
    value = ir_unary(&after, OP_TENSOR_CAST, value, original->type);
  }
  ir_replace_uses(original, value);
}

static void start_from_zero(fusion *f) {
  carry_empty(f, 0);
  nest_carried *carried = &f->carried[0];
  ir_builder before = ir_builder_before(f->nest.outermost);
  carried->init = ir_fill_const(&before, 0, carried->init);
}

/* Creates the loops that stay, sends users after them and drops what they replace. */
static void finish(fusion *f, fuse_result *result) {
  result->root = fusion_find_node(f, f->root)->tiles[0]->op;
  if (f->separate_init) {
    ir_value *slice = f->carried[0].slice;
    start_from_zero(f);
    f->carried[0].slice = slice;
  }
  ir_op *first = f->nest.outermost->prev;
  result->num_loops = nest_finish(&f->nest, f->options->forall, f->num_carried, f->carried, result->loops);
  unsigned after = 0, fused = 0;
  for (unsigned i = 0; i < f->num_nodes; i++) {
    after += f->nodes[i]->after;
    fused += f->nodes[i]->fused;
  }
  ir_op *anchor = f->root;
  for (ir_op *op = first, *previous; op && after; op = previous) {
    previous = op->prev;
    const fusion_node *n = fusion_find_node(f, op);
    if (!n || !n->after)
      continue;
    ir_op_move_before(op, anchor);
    anchor = op;
    after--;
  }
  for (unsigned i = 0; i < f->num_carried; i++)
    replace_carried(f, i);
  for (ir_op *op = f->root, *previous; op && fused; op = previous) {
    previous = op->prev;
    const fusion_node *n = fusion_find_node(f, op);
    if (!n || !n->fused)
      continue;
    fused--;
    if (ir_op_unused(op))
      ir_op_erase(op);
  }
}

bool fuse_tile(ir_op *root, const fuse_options *options, fuse_result *result) {
  unsigned num_levels;
  const char *why = check_root(root, options, &num_levels);
  *result = (fuse_result){.root = root};
  if (why) {
    ir_remark(root->module, root->loc, "not tiled: %s", why);
    return false;
  }
  if (!num_levels)
    return true;
  simplify_dims(root->block, root);
  fusion f = {
      .builder.slice = request_slice, .options = options, .module = root->module, .root = root, .block = root->block};
  fusion_node *n = fusion_get_node(&f, root);
  ir_builder before = ir_builder_before(root);
  tile_domain(&before, root, &n->domain);
  nest_create(&f.nest, &before, &n->domain, options->interchange, options->tile_sizes, &n->tile);
  f.builder.index = ir_builder_before(f.nest.divider);
  for (ir_op *op = f.nest.outermost->prev; op && op->code == OP_TENSOR_DIM; op = op->prev)
    need_operands_before(&f, op);
  n->levels = nest_levels_of_box(&f.nest, &n->tile);
  n->reductions = fusion_tiled_reductions(n);
  fusion_expect_partners(&f, n); /* while only the program uses what the root reads */
  if (!fusion_tile_root(&f, n)) {
    nest_discard(&f.nest);
    ir_remark(root->module, root->loc, "not tiled: its tile is no box of its operands");
    return false;
  }
  for (ir_op *op = f.nest.outermost->prev, *previous; op && f.pending; op = previous) {
    previous = op->prev;
    fusion_node *met = fusion_find_node(&f, op);
    if (!met)
      continue;
    f.pending--;
    if (!met->is_root || !fusion_join_root(&f, met))
      fuse_node(&f, met);
  }
  finish(&f, result);
  return true;
}
