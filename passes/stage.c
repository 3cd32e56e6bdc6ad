/* stage.c - the pass "stage": tiles of global memory that lanes use several times go through shared memory.
 *
 * A tile is staged where a warp or a lane has replicas in its layout, or where a warp would read less of a row at once
 * than memory is fetched in (stage_place.c). It is copied in pieces of 16 bytes, side by side in all lanes, whatever
 * the layout of its users; these read it from shared memory, each right where it needs it.
 *
 * In a loop that reads a tile further on in each iteration, copies run ahead: as many tiles as there are stages have
 * places in shared memory, and iteration i
 *     waits for tile i; starts copying tile i + stages - 1 to where tile i - 1 was; works on tile i.
 * (or, where products are still under way then, of tile i + stages - 2 to where tile i - 2 was).
 * Each tile ahead is one group of asynchronous copies, so the wait leaves stages - 2 groups under way. An iteration has
 * one barrier, which barriers.c finds to be needed between what was read and what is copied there. Elsewhere, and where
 * pieces are too small to be copied asynchronously, there is one place, filled where the tile was read.
 *
 * Factors of products that lanes do in f32 are read in shared memory where they are, step by step, so all of them are
 * staged. Their places have the orders of chunks that half a warp reads at once, and leave room for what lanes compute.
 *
 * What a kernel writes goes through such places as well, where lanes have too little of a row (stage_results.c).
 *
 * Targets without asynchronous copies are left to their caches.
 *
 * A copy is a vector.transfer_read and a vector.transfer_write with `tec.async`; a place in shared memory is a
 * memref.alloca with `tec.swizzle`. So the result means the same to the interpreter, and "distribute" decides how lanes
 * do it.
 *
 * Invariants
 *  - Places of one kernel take what the target has for tiles of a block (target_tile_bytes): the rest is for
 *    conversions, and for a second block beside this one. What does not fit stays where it was.
 *  - Only loops that write no global memory are read ahead of.
 *  - A loop that is run ahead of carries the stage of its tile as its last value.
 * Terminates: each read of the module is looked at once; loops are walked from the inside. */
#include "passes/distribute.h"
#include "passes/passes.h"
#include "passes/stage.h"

#include <string.h>

/* Words of a lane's sums that are carried under way at most: as many as one wait takes. */
enum { MOST_LATE_WORDS = 128 };

/* ---------------------------------------------------------------------------------------------------- shared memory */

static void make_place(stager *s, staged_tile *tile, int64_t stages) {
  const ir_type *type = ir_result(tile->read, 0)->type;
  int64_t shape[IR_MAX_RANK];
  const int64_t swizzle[] = {tile->shared.shift, tile->shared.mask,
                             tile->shared.box * 8 / ir_scalar_bits(type->element)};
  shape[0] = stages;
  memcpy(shape + 1, type->shape, type->rank * sizeof *shape);
  shape[type->rank] = tile->pitch;
  const ir_type *memory = ir_type_memref(s->module, type->element, type->rank + 1u, shape, NULL, 0, IR_SPACE_WORKGROUP);
  ir_named_attr attr = {DISTRIBUTE_SWIZZLE, ir_attr_i64s(s->module, tile->shared.box ? 3 : 2, swizzle)};
  ir_builder builder = ir_builder_before(ir_region(s->kernel, 0)->first);
  builder.loc = tile->read->loc;
  tile->place = ir_create(&builder, OP_MEMREF_ALLOCA, memory, 0, NULL, tile->shared.mask ? 1 : 0, &attr);
  s->bytes_left -= stages * tile->bytes;
}

/* A transfer between a place and a vector whose dim i lies along dim dims[i] of the tile; see ir_transfer. */
static ir_op *transfer(ir_builder *builder, ir_opcode code, const ir_type *vector, ir_value *value,
                       const staged_tile *tile, ir_index stage, const unsigned *dims) {
  ir_value *indices[IR_MAX_RANK] = {ir_index_value(builder, stage)};
  unsigned places[IR_MAX_RANK];
  for (unsigned dim = 0; dim < vector->rank; dim++) {
    indices[1 + dim] = ir_const_index(builder, 0);
    places[dim] = 1 + (dims ? dims[dim] : dim);
  }
  return ir_transfer(builder, code, vector, value, tile->place, indices, places, NULL);
}

/* The read of global memory, again for copying, and the write to a place. */
static ir_op *copy_tile(ir_builder *builder, const staged_tile *tile, ir_index stage, ir_value_map *map) {
  ir_op *read = ir_op_clone(builder, tile->read, map);
  distribute_set_layout(read, 0, &tile->copied);
  ir_value *copied = ir_result(read, 0);
  ir_op *write = transfer(builder, OP_VECTOR_TRANSFER_WRITE, copied->type, copied, tile, stage, NULL);
  if (tile->asynchronous)
    ir_attr_set(write, DISTRIBUTE_ASYNC, ir_attr_unit(builder->module));
  return write;
}

/* The tile as `value` has it, whose dim i lies along the tile's dim dims[i]. */
static ir_value *read_place(ir_builder *builder, const staged_tile *tile, ir_index stage, const ir_value *value,
                            const unsigned *dims) {
  ir_value *padding = ir_group_operand(tile->read, 2, 0);
  ir_op *read = transfer(builder, OP_VECTOR_TRANSFER_READ, value->type, padding, tile, stage, dims);
  ir_attr_set(read, PASS_LAYOUTS, ir_attr_get(value->op, PASS_LAYOUTS));
  return ir_result(read, 0);
}

static ir_value *close_group(ir_builder *builder) {
  return ir_create(builder, OP_NVGPU_DEVICE_ASYNC_CREATE_GROUP, NULL, 0, NULL, 0, NULL);
}

/* All groups but the latest `under_way` have arrived. */
static void wait_for(ir_builder *builder, ir_value *group, int64_t under_way) {
  ir_named_attr attr = {"numGroups", ir_attr_int(builder->module, ir_type_scalar(builder->module, IR_I32), under_way)};
  ir_op_spec spec = {.operands = &group, .num_operands = 1, .attrs = &attr, .num_attrs = 1};
  ir_op_create(builder, OP_NVGPU_DEVICE_ASYNC_WAIT, &spec);
}

/* ------------------------------------------------------------------------------------------------------------ users */

/* Before which op a user reads its factor: right before itself, where warpgroups do that by themselves; in a loop that
 * began after the tile was there, before the loop, if lanes have the registers to keep it. */
static ir_op *reading_place(const stager *s, const staged_tile *tile, ir_op *user) {
  ir_op *outermost = ir_op_ancestor_in(user, tile->read->block);
  if (target_has_groups(s->facts, ir_result(tile->read, 0)->type->element) || tile->for_steps)
    return user;
  if (outermost == user || outermost->code != OP_SCF_FOR)
    return outermost;
  int64_t kept = distribute_words_across(outermost) + distribute_words(ir_result(tile->read, 0));
  return kept > s->facts->lane_registers ? user : outermost;
}

/* Each contraction reads its factor by itself. */
static void replace_factors(const stager *s, const staged_tile *tile, ir_index stage, ir_value *value,
                            const unsigned *dims) {
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (!stage_is_factor(use))
      continue;
    ir_builder builder = ir_builder_before(reading_place(s, tile, use->user));
    ir_set_operand(use->user, ir_use_index(use), read_place(&builder, tile, stage, value, dims));
  }
}

/* All users of the tile read it from its place; those that are no contractions once, before `first`. */
static void replace_users(const stager *s, const staged_tile *tile, ir_index stage, ir_op *first) {
  ir_value *value = ir_result(tile->read, 0);
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    ir_op *user = use->user;
    unsigned count, dims[IR_MAX_RANK];
    if (!stage_is_transposed_factor(user))
      continue;
    const int64_t *permutation = ir_attr_i64s_of(user, "permutation", &count);
    for (unsigned i = 0; i < count; i++)
      dims[i] = (unsigned)permutation[i];
    replace_factors(s, tile, stage, ir_result(user, 0), dims);
    if (user == first)
      first = user->next;
    ir_op_erase(user);
  }
  replace_factors(s, tile, stage, value, NULL);
  if (!ir_value_unused(value)) {
    ir_builder builder = ir_builder_before(first);
    ir_replace_uses(value, read_place(&builder, tile, stage, value, NULL));
  }
}

/* -------------------------------------------------------------------------------------------------------- pipelines */

/* A loop and the tiles that are copied ahead of it. */
typedef struct pipeline {
  ir_op *loop;
  ir_block *body;
  staged_tile *tiles;
  int64_t stages, step;
  ir_op *product; /* of warpgroups, behind which tiles are copied; NULL: before everything */
  bool late;      /* it is waited for in the next iteration */
} pipeline;

static bool writes_global_memory(const ir_op *op) {
  if (!(ir_op_row(op)->traits & IR_WRITES))
    return false;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->type->kind == IR_TYPE_MEMREF && ir_operand(op, i)->type->space == IR_SPACE_GLOBAL)
      return true;
  return false;
}

static bool is_marked(const ir_op *op) { return op->mark != 0; }

bool distribute_keeps_global_memory(const ir_op *loop) {
  const ir_op *op = ir_next_inside(loop, loop);
  while (op && !writes_global_memory(op))
    op = ir_next_inside(loop, op);
  return !op;
}

bool distribute_mark_makers(const ir_block *body, const ir_op *made, bool reads) {
  for (ir_op *op = body->first; op != made; op = op->next)
    op->mark = 0;
  for (const ir_op *op = made; op; op = op->prev) {
    if (op != made && !is_marked(op))
      continue;
    if (op != made && (op->num_regions || !(pass_is_pure(op) || (reads && ir_op_only_reads(op)))))
      return false;
    for (unsigned i = 0; i < op->num_operands; i++) {
      ir_value *value = ir_operand(op, i);
      if (value->op && value->op->block == body)
        value->op->mark = 1;
      else if (!value->op && value->block == body && value->index > 0)
        return false; /* carried */
    }
  }
  return true;
}

/* Copies tiles of an iteration whose counter is `counter` to stage `stage`: those that are read behind the loop as
 * well, or all others. */
static void copy_tiles(ir_builder *builder, const pipeline *p, ir_index counter, ir_index stage, bool ahead,
                       bool behind) {
  ir_value_map *map = ir_value_map_create(builder->module);
  ir_value_map_set(map, p->body->args[0], ir_index_value(builder, counter));
  for (const staged_tile *tile = p->tiles; tile; tile = tile->next) {
    if (behind != (tile->last != NULL))
      continue;
    distribute_mark_makers(p->body, tile->read, false);
    for (ir_op *op = p->body->first; op != tile->read; op = op->next)
      if (is_marked(op) && ir_value_map_get(map, ir_result(op, 0)) == ir_result(op, 0))
        ir_op_clone(builder, op, map);
    ir_op *write = copy_tile(builder, tile, stage, map);
    if (ahead)
      ir_attr_set(write, DISTRIBUTE_AHEAD, ir_attr_unit(builder->module));
  }
}

/* The same where that iteration takes place, or for what is read behind the loop, is the one behind the last. */
static void copy_where(ir_builder *builder, const pipeline *p, ir_index counter, ir_index stage, bool ahead,
                       bool behind) {
  ir_bounds bounds = ir_bounds_of(p->loop, 0);
  ir_index last = behind ? ir_index_sub(builder, counter, ir_index_const(p->step)) : counter;
  bool is_first = ir_index_equal(counter, bounds.lower);
  bool is_certain = behind && (is_first || last.value == p->body->args[0]);
  if (!is_certain && (last.value || bounds.upper.value)) {
    ir_value *now = ir_index_value(builder, last), *upper = ir_index_value(builder, bounds.upper);
    ir_op *branch = ir_if(builder, ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, now, upper), NULL);
    ir_builder inside = ir_inside(branch, 0);
    copy_tiles(&inside, p, counter, stage, ahead, behind);
  } else if (is_certain || last.constant < bounds.upper.constant) {
    copy_tiles(builder, p, counter, stage, ahead, behind);
  }
}

static bool has_last(const pipeline *p) {
  const staged_tile *tile = p->tiles;
  while (tile && !tile->last)
    tile = tile->next;
  return tile;
}

/* All tiles of an iteration; in any case one group is closed. */
static ir_value *copy_ahead(ir_builder *builder, const pipeline *p, ir_index counter, ir_index stage, bool ahead) {
  if (has_last(p))
    copy_where(builder, p, counter, stage, ahead, true);
  copy_where(builder, p, counter, stage, ahead, false);
  return close_group(builder);
}

/* x == from ? to : otherwise */
static ir_value *where_equal(ir_builder *builder, ir_value *x, int64_t from, int64_t to, ir_value *otherwise) {
  ir_value *is_equal = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, x, ir_const_index(builder, from));
  return ir_select(builder, is_equal, ir_const_index(builder, to), otherwise);
}

/* The loop, with the stage of its tile as a further carried value: 0, 1, .. and again. It is no function of the
 * counter, lest LLVM keeps an address for each access across iterations, instead of one sum with the stage for many. */
static ir_value *carry_stage(pipeline *p) {
  ir_builder builder = ir_builder_before(p->loop);
  ir_value *stage = pass_carry(&p->loop, ir_const_index(&builder, 0), NULL);
  p->body = ir_region(p->loop, 0);
  builder = ir_builder_before(p->body->last);
  ir_value *next = ir_binary(&builder, OP_ARITH_ADDI, stage, ir_const_index(&builder, 1));
  next = where_equal(&builder, stage, p->stages - 1, 0, next);
  ir_insert_operand(p->body->last, p->loop->num_results - 1, next);
  return stage;
}

/* The tile that the contraction reads factor `i` from, of those of the pipeline; NULL: none. */
static const staged_tile *tile_of_factor(const pipeline *p, const ir_op *product, unsigned i) {
  const ir_op *factor = ir_operand(product, i)->op;
  if (factor && stage_is_transposed_factor(factor))
    factor = ir_operand(factor, 0)->op;
  const staged_tile *tile = p->tiles;
  while (tile && tile->read != factor)
    tile = tile->next;
  return tile;
}

/* The first contraction of the body that reads one of the tiles, as warpgroups do while lanes go on: then is the time
 * to copy. Before it is a barrier, for the tiles have arrived, behind which nobody reads those of the last
 * iteration. */
static ir_op *first_product(const pipeline *p) {
  ir_op *op = p->body->first;
  while (op && (op->code != OP_VECTOR_CONTRACT || (!tile_of_factor(p, op, 0) && !tile_of_factor(p, op, 1))))
    op = op->next;
  return op;
}

/* Is all that an iteration does with its tiles to add their product to a carried sum? Then warpgroups need not be
 * waited for until they have the next one: nobody looks at the sum, and at the tiles only who copies. */
static bool is_late(const stager *s, const pipeline *p) {
  const ir_op *product = p->product;
  unsigned tiles = 0;
  if (!product)
    return false;
  const ir_value *sum = ir_operand(product, 2), *result = ir_result(product, 0);
  for (const staged_tile *tile = p->tiles; tile; tile = tile->next)
    tiles++;
  return tiles == 2 && tile_of_factor(p, product, 0) && tile_of_factor(p, product, 1) &&
         target_has_groups(s->facts, ir_operand(product, 0)->type->element) && !sum->op && sum->block == p->body &&
         sum->index > 0 && ir_value_has_one_use(sum) && ir_value_has_one_use(result) &&
         result->uses->user == p->body->last && ir_use_index(result->uses) == sum->index - 1 &&
         distribute_words(result) <= MOST_LATE_WORDS;
}

/* The read beside the loop of the sequence that the tile is of, from `op` on upwards or downwards; NULL: there is
 * none. */
static ir_op *find_beside(const staged_tile *tile, ir_op *op, bool upwards) {
  int64_t number = ir_attr_int_or(tile->read, DISTRIBUTE_SEQUENCE, -1);
  while (op && number >= 0 &&
         (op->code != OP_VECTOR_TRANSFER_READ || ir_attr_int_or(op, DISTRIBUTE_SEQUENCE, -1) != number))
    op = upwards ? op->prev : op->next;
  return number < 0 ? NULL : op;
}

/* Finds reads beside the loop. Returns where those before it are copied, and with them the first tiles of the loop;
 * none: right before the loop. */
static ir_builder find_all_beside(const pipeline *p) {
  ir_op *start = NULL;
  for (staged_tile *tile = p->tiles; tile; tile = tile->next) {
    tile->first = find_beside(tile, p->loop->prev, true);
    tile->last = find_beside(tile, p->loop->next, false);
    start = tile->first && (!start || ir_op_is_before(start, tile->first)) ? tile->first : start;
  }
  return start ? ir_builder_after(start) : ir_builder_before(p->loop);
}

/* Tiles that are read before the loop, as if by an iteration before the first. */
static ir_value *copy_firsts(ir_builder *builder, const pipeline *p) {
  for (const staged_tile *tile = p->tiles; tile; tile = tile->next)
    if (tile->first) {
      staged_tile first = *tile;
      first.read = tile->first;
      copy_tile(builder, &first, ir_index_const(p->stages - 1), NULL);
    }
  return close_group(builder);
}

/* Those who read tiles before the loop find them there, and those behind it at the stage where the loop ends. */
static void replace_beside(stager *s, ir_builder *builder, const pipeline *p, ir_value *firsts, ir_value *group) {
  if (firsts)
    wait_for(builder, firsts, p->stages - 1 - p->late);
  if (has_last(p)) {
    ir_builder after = ir_builder_after(p->loop);
    wait_for(&after, group, 0);
  }
  for (const staged_tile *tile = p->tiles; tile; tile = tile->next) {
    staged_tile beside = *tile;
    if ((beside.read = tile->first))
      replace_users(s, &beside, ir_index_const(p->stages - 1), tile->first->next);
    if ((beside.read = tile->last))
      replace_users(s, &beside, (ir_index){.value = ir_result(p->loop, p->loop->num_results - 1)}, tile->last->next);
  }
}

/* Behind the leading product of an iteration, and behind one that is made for the iteration before. */
static ir_op *last_leading(const pipeline *p) {
  ir_op *op = p->product;
  while (op && op != p->body->last && (op == p->product || !ir_attr_get(op, DISTRIBUTE_DELAYED)))
    op = op->next;
  return op == p->body->last ? p->product : op;
}

static void build_pipeline(stager *s, pipeline *p) {
  int64_t late = p->late;
  if (late)
    ir_attr_set(p->product, DISTRIBUTE_LATE, ir_attr_unit(s->module));
  ir_value *stage = carry_stage(p), *group = NULL;
  /* tiles ahead are what unrolling would bring; an assembler that does it all the same runs out of registers */
  ir_attr_set(p->loop, "tec.unroll", ir_attr_i64(s->module, 1));
  ir_builder before = find_all_beside(p), inside = ir_builder_before(p->body->first);
  bool has_firsts = before.before != p->loop;
  ir_index start = ir_bounds_of(p->loop, 0).lower;
  for (staged_tile *tile = p->tiles; tile; tile = tile->next)
    make_place(s, tile, p->stages);
  ir_value *firsts = has_firsts ? copy_firsts(&before, p) : NULL;
  for (int64_t i = 0; i + 1 + late < p->stages; i++) {
    ir_index counter = ir_index_add(&before, start, ir_index_const(i * p->step));
    group = copy_ahead(&before, p, counter, ir_index_const(i), false);
  }
  replace_beside(s, &before, p, firsts, group);
  wait_for(&inside, group, p->stages - 2 - late);
  if (p->product)
    inside = ir_builder_after(last_leading(p));
  ir_index ahead =
      ir_index_add(&inside, (ir_index){.value = p->body->args[0]}, ir_index_const((p->stages - 1 - late) * p->step));
  ir_value *last = ir_binary(&inside, OP_ARITH_SUBI, stage, ir_const_index(&inside, 1 + late));
  for (int64_t i = 0; i <= late; i++)
    last = where_equal(&inside, stage, i, p->stages - 1 - late + i, last);
  copy_ahead(&inside, p, ahead, (ir_index){.value = last}, p->product != NULL);
  for (staged_tile *tile = p->tiles; tile; tile = tile->next) {
    replace_users(s, tile, (ir_index){.value = stage}, tile->read);
    ir_op_erase(tile->read);
  }
}

/* How many stages a loop's tiles get, `most` at most: no more than it has iterations, of which simplification has made
 * use in the sizes of tiles; 1: there is nothing to run ahead of, or no room. */
static int64_t choose_stages(const stager *s, const pipeline *p, int64_t most) {
  ir_bounds bounds = ir_bounds_of(p->loop, 0);
  int64_t start = ir_index_least(bounds.lower), end = ir_index_most(bounds.upper), length;
  int64_t stages = most, bytes = 0;
  for (const staged_tile *tile = p->tiles; tile; tile = tile->next)
    bytes += tile->bytes;
  if (!__builtin_sub_overflow(end, start, &length))
    while (stages > 1 && (stages - 1) * p->step >= length)
      stages--;
  while (stages > 1 && stages * bytes > s->bytes_left)
    stages--;
  return stages;
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* How many groups are certainly closed between two ops of a block. */
static int64_t groups_between(const ir_op *from, const ir_op *to) {
  int64_t count = 0;
  for (const ir_op *op = from->next; op != to; op = op->next) {
    count += op->code == OP_NVGPU_DEVICE_ASYNC_CREATE_GROUP;
    if (ir_contains(op, OP_NVGPU_DEVICE_ASYNC_CREATE_GROUP))
      return 0;
  }
  return count;
}

/* Has somebody waited for the group, or a later one, before that op of the same block? */
static bool has_arrived(const ir_op *group, const ir_op *before) {
  for (const ir_op *op = group->next; op != before; op = op->next)
    if (op->code == OP_NVGPU_DEVICE_ASYNC_WAIT && groups_between(group, op) >= ir_attr_int_or(op, "numGroups", 0))
      return true;
  return false;
}

/* One place, filled where the tile was read; the first user waits for it. */
static void stage_in_place(stager *s, staged_tile *tile) {
  ir_op *read = tile->read, *first = ir_value_first_user(ir_result(read, 0), read->block);
  ir_builder builder = ir_builder_before(read);
  make_place(s, tile, 1);
  copy_tile(&builder, tile, ir_index_const(0), NULL);
  if (tile->asynchronous) {
    ir_value *group = close_group(&builder);
    builder = ir_builder_before(first);
    if (!has_arrived(group->op, first))
      wait_for(&builder, group, groups_between(group->op, first));
  }
  replace_users(s, tile, ir_index_const(0), first);
  ir_op_erase(read);
}

/* The tiles read in a block itself, in order. */
static staged_tile *find_tiles(const stager *s, ir_block *block) {
  staged_tile *tiles = NULL, **end = &tiles, tile;
  for (ir_op *op = block->first; op; op = op->next)
    if (op->code == OP_VECTOR_TRANSFER_READ && stage_find_tile(s, op, &tile)) {
      *end = ir_arena_copy(&s->module->arena, &tile, sizeof tile);
      end = &(*end)->next;
    }
  return tiles;
}

/* Takes those tiles off the list that a loop can run ahead of. */
static staged_tile *split_ahead(const ir_block *body, staged_tile **tiles) {
  staged_tile *ahead = NULL, **end = &ahead;
  while (*tiles) {
    staged_tile *tile = *tiles;
    if (!tile->asynchronous || !distribute_mark_makers(body, tile->read, false)) {
      tiles = &tile->next;
      continue;
    }
    *tiles = tile->next;
    *end = tile;
    end = &tile->next;
    tile->next = NULL;
  }
  return ahead;
}

/* One block fewer on a multiprocessor, and more memory for each. */
static void give_up_block(stager *s) {
  s->bytes_left += target_tile_bytes(s->facts, s->blocks - 1) - target_tile_bytes(s->facts, s->blocks);
  s->blocks--;
}

/* Do lanes multiply more than once in an iteration? Then several blocks that take turns are better than one with room
 * for copies ahead (attention in f32, 128 features, 38 and 33 TFLOP/s; H200). */
static bool is_long_for_lanes(const stager *s, const ir_block *body) {
  unsigned products = 0;
  for (const ir_op *op = body->first; op; op = op->next)
    products += op->code == OP_VECTOR_CONTRACT && target_has_lane_block(s->facts, ir_operand(op, 0)->type->element);
  return products > 1;
}

/* Runs ahead of a loop's tiles if that can be done; returns those that are left. */
static staged_tile *stage_loop(stager *s, ir_op *loop, staged_tile *tiles) {
  ir_index step = ir_bounds_of(loop, 0).step;
  pipeline p = {.loop = loop, .body = ir_region(loop, 0), .step = step.constant};
  if (step.value || step.constant < 1 || !distribute_keeps_global_memory(loop))
    return tiles;
  p.tiles = split_ahead(p.body, &tiles);
  p.product = s->facts->warpgroup ? first_product(&p) : NULL;
  int64_t usual = is_long_for_lanes(s, p.body) ? 1 : s->facts->copy_stages;
  bool late = is_late(s, &p);
  while (s->blocks > 1 && usual > 1 && choose_stages(s, &p, usual) < 2) /* to run ahead is worth more than a block */
    give_up_block(s);
  p.stages = choose_stages(s, &p, late ? usual + 1 : usual);
  p.late = p.stages > usual; /* with fewer, copies would have less time than products (637 to 537 TFLOP/s, H200) */
  if (p.tiles && p.stages > 1) {
    build_pipeline(s, &p);
    return tiles;
  }
  staged_tile **end = &p.tiles;
  while (*end)
    end = &(*end)->next;
  *end = tiles;
  return p.tiles;
}

/* Do lanes lack the registers to keep the tile, so that a loop must read it in each iteration? */
static bool is_read_in_loops(const stager *s, const staged_tile *tile, const ir_value *value) {
  bool found = false;
  for (const ir_use *use = value->uses; use && !found; use = use->next)
    found = stage_is_transposed_factor(use->user) ? is_read_in_loops(s, tile, ir_result(use->user, 0))
                                                  : stage_is_factor(use) && use->user->block != tile->read->block &&
                                                        reading_place(s, tile, use->user) == use->user;
  return found;
}

/* Places for tiles that loops read again and again come first, then those that loops run ahead through. */
static void stage_block(stager *s, ir_block *block) {
  staged_tile *tiles = find_tiles(s, block);
  int64_t reserved = 0;
  for (const staged_tile *tile = tiles; tile; tile = tile->next)
    if (is_read_in_loops(s, tile, ir_result(tile->read, 0)) && reserved + tile->bytes <= s->bytes_left)
      reserved += tile->bytes;
  s->bytes_left -= reserved;
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next; /* a loop may be replaced */
    if (op->code == OP_SCF_FOR)
      stage_block(s, ir_region(op, 0));
  }
  s->bytes_left += reserved;
  if (tiles && block->parent->code == OP_SCF_FOR)
    tiles = stage_loop(s, block->parent, tiles);
  for (; tiles; tiles = tiles->next)
    if (ir_value_unused(ir_result(tiles->read, 0))) /* it comes from the place of a loop's tiles */
      ir_op_erase(tiles->read);
    else if (tiles->bytes <= s->bytes_left)
      stage_in_place(s, tiles);
}

/* What lanes put into shared memory for the op, a product in steps of factors that they compute. */
static int64_t computed_bytes(ir_op *op, const target_facts *facts) {
  int64_t bytes = 0;
  layout step;
  for (unsigned i = 0; op->code == OP_VECTOR_CONTRACT && i < 2; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    const ir_value *factor = ir_operand(op, i);
    if (ir_made_by(factor, OP_VECTOR_TRANSPOSE))
      factor = ir_operand(factor->op, 0);
    if (!ir_made_by(factor, OP_VECTOR_TRANSFER_READ) && target_has_lane_block(facts, type->element) &&
        distribute_product_step(op, i, &step))
      bytes += ir_type_bytes(type);
  }
  return bytes;
}

bool pass_stage(ir_op *kernel, const pass_options *options) {
  const target_facts *facts = options->target;
  int64_t threads = ir_attr_int_or(kernel, "tec.threads", 0);
  if (!facts->copy_stages || !threads || threads % facts->warp)
    return true;
  int64_t blocks = distribute_blocks_of_groups(kernel, facts), computed = 0;
  for (ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op))
    computed += computed_bytes(op, facts);
  stager s = {.module = kernel->module,
              .kernel = kernel,
              .lanes = {facts->warp, threads / facts->warp},
              .bytes_left = target_tile_bytes(facts, blocks) - computed,
              .blocks = blocks,
              .facts = facts};
  stage_block(&s, ir_region(kernel, 0));
  stage_results(kernel, &s.lanes, s.bytes_left);
  if (blocks)
    ir_attr_set(kernel, "tec.blocks", ir_attr_i64(kernel->module, s.blocks));
  return true;
}
