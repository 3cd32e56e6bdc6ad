/* split.c - pass "split": a long reduction in a kernel with fewer iterations than threads is shared by several threads,
 * or in one with fewer blocks than a GPU has room for, by several blocks.
 *
 *     forall i { .. for k in [a, b) carrying c from c0; .. }        becomes
 *     forall i, p { .. for k in part p of [a, b) carrying c from nothing } -> parts (i, p, c)
 *     forall i { c = c0 and parts (i, 0), (i, 1), .. merged; .. }
 *
 * What a loop carries says how its parts merge: sums by addition, a running state by the `merge` hook of its op
 * (tile.h), and what is accumulated relative to a running state as a sum with the weights that this hook returns. So
 * one query over many keys uses all threads, and so does a product of few rows with a long reduction.
 *
 * Invariants
 *  - Each carried value is read once in the loop, by the op that updates it, and nothing else in it reads a running
 *    state: parts of the loop can be told apart only by what they give (find_update).
 *  - Parts are whole steps, so that tiles are the same as before; parts beyond the end are empty and weigh nothing.
 *  - What stands before the loop is computed again for each part; so it must be cheap: no reductions.
 * Terminates: each kernel is visited once; the new ones come before those visited. */
#include "ir/build.h"
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/running.h"
#include "passes/split.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum { MAX_CARRIED = 16 };

/* How a carried value is updated. */
typedef struct update {
  ir_op *op;          /* a contraction that adds to it, or the running op of which it is a state */
  unsigned state;     /* which one; 0: it is no state */
  const ir_map *rows; /* accumulated relative to the running op: its dims that have the op's rows; else NULL */
} update;

typedef struct split {
  ir_op *forall, *loop;
  ir_op *running; /* the op with a running state, or NULL */
  unsigned num_loops;
  ir_index lower[IR_MAX_LOOPS], upper[IR_MAX_LOOPS], step[IR_MAX_LOOPS]; /* of the forall */
  int64_t trips[IR_MAX_LOOPS];
  update updates[MAX_CARRIED];
  int64_t parts;
  bool in_blocks; /* of a GPU, not threads .. */
  bool in_turn;   /* .. and one by one they are merged */
} split;

/* ------------------------------------------------------------------------------------------------- what is carried */

/* The dims of the contraction's result that its running factor's rows are; NULL where a row is reduced. */
static const ir_map *rows_of(const ir_op *contraction, unsigned side, const ir_op *running) {
  const ir_structure *structure = ir_structure_of(contraction);
  const ir_map *factor = structure->maps[side], *out = structure->maps[2];
  uint32_t reductions = ir_structure_of(running)->reductions;
  unsigned dims[IR_MAX_RANK], count = 0;
  for (unsigned dim = 0; dim < factor->num_results; dim++) {
    int position = ir_map_find_dim(out, (unsigned)ir_map_result_dim(factor, dim));
    bool reduced = reductions >> dim & 1;
    if (reduced != (position < 0))
      return NULL;
    if (!reduced)
      dims[count++] = (unsigned)position;
  }
  return ir_map_select(contraction->module, out->num_results, count, dims);
}

static bool find_update(const split *s, unsigned i, update *found) {
  const ir_block *body = ir_region(s->loop, 0);
  ir_value *argument = body->args[i + 1], *last = ir_operand(ir_block_terminator(body), i);
  ir_op *op = last->op;
  *found = (update){.op = op};
  if (!op || op->block != body || tile_num_readers(argument) != 1 || tile_num_readers(last) != 1)
    return false;
  if (op == s->running) {
    found->state = last->index;
    return pass_op_info_of(op->code)->states >> last->index & 1 && ir_init(op, last->index) == argument;
  }
  if (!ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op))
    return false;
  const ir_op *factors[] = {tile_find_running(ir_operand(op, 0)), tile_find_running(ir_operand(op, 1))};
  if (!factors[0] && !factors[1])
    return ir_init(op, 0) == argument;
  if (!s->running || (factors[0] && factors[1]) || (factors[0] ? factors[0] : factors[1]) != s->running)
    return false;
  found->rows = rows_of(op, factors[1] != NULL, s->running);
  return found->rows && running_argument(s->loop, last, NULL) == argument && ir_value_is_zero(ir_loop_init(s->loop, i));
}

static bool find_updates(split *s) {
  s->running = running_softmax(s->loop);
  uint32_t states = 0;
  if (!s->loop->num_results || s->loop->num_results > MAX_CARRIED)
    return false;
  for (unsigned i = 0; i < s->loop->num_results; i++) {
    const ir_type *type = ir_result(s->loop, i)->type;
    if (type->kind != IR_TYPE_TENSOR || !ir_type_is_static(type) || type->rank + s->num_loops + 1 > IR_MAX_RANK ||
        !find_update(s, i, &s->updates[i]))
      return false;
    states |= s->updates[i].state ? ir_bit(s->updates[i].state) : 0;
  }
  for (ir_op *op = ir_region(s->loop, 0)->first; op; op = op->next)
    if (op != s->running && pass_op_info_of(op->code)->states)
      return false;
  return !s->running || states == pass_op_info_of(s->running->code)->states;
}

/* ------------------------------------------------------------------------------------------------------- decision */

/* The forall's loops have a known number of iterations, and a loop over a reduction stands behind cheap ops only. */
static bool find_loops(ir_op *forall, split *s) {
  *s = (split){.forall = forall, .num_loops = ir_num_counters(forall)};
  for (unsigned i = 0; i < s->num_loops; i++) {
    ir_bounds bounds = ir_bounds_of(forall, i);
    if (bounds.lower.value || bounds.upper.value || bounds.step.value)
      return false;
    int64_t span = bounds.upper.constant - bounds.lower.constant;
    s->trips[i] = span > 0 ? (span - 1) / bounds.step.constant + 1 : 0;
    s->lower[i] = bounds.lower;
    s->upper[i] = bounds.upper;
    s->step[i] = bounds.step;
  }
  for (ir_op *op = ir_region(forall, 0)->first; op; op = op->next) {
    if (op->code == OP_SCF_FOR)
      s->loop = op;
    if (ir_op_has(op, IR_CONTROL) || (ir_op_has(op, IR_STRUCTURED) && ir_structure_of(op)->reductions))
      break;
  }
  return s->loop != NULL;
}

int64_t split_most_steps(const ir_op *loop, int64_t open) {
  ir_bounds bounds = ir_bounds_of(loop, 0);
  int64_t from = ir_index_least(bounds.lower), to = ir_index_most(bounds.upper), step = bounds.step.constant;
  if (bounds.step.value || step <= 0)
    return 0;
  bool known = from >= 0 && to < INT64_MAX;
  return !known ? open : to > from ? (to - from + step - 1) / step : 0;
}

/* The iterations of the kernel, as many as `most` at least. */
static int64_t count_iterations(const split *s, int64_t most) {
  int64_t iterations = 1;
  for (unsigned i = 0; i < s->num_loops && iterations < most; i++)
    if (!(iterations *= s->trips[i]))
      return most;
  return iterations;
}

/* The fewest parts with which all threads together are done soonest; 1: it is not worth splitting. */
static int64_t choose_parts(const split *s, unsigned threads) {
  int64_t trips = count_iterations(s, threads), best = 1, best_rounds = 1, most = threads;
  if (trips >= threads)
    return 1;
  ir_bounds bounds = ir_bounds_of(s->loop, 0);
  ir_index step = bounds.step;
  int64_t from = ir_index_least(bounds.lower), to = ir_index_most(bounds.upper);
  if (step.value || step.constant <= 0)
    return 1;
  if (from >= 0 && to < INT64_MAX && (to - from) / step.constant / SPLIT_MIN_STEPS < most)
    most = (to - from) / step.constant / SPLIT_MIN_STEPS;
  for (int64_t parts = 2; parts <= most; parts++) {
    int64_t rounds = (trips * parts + threads - 1) / threads;
    if (rounds * best < best_rounds * parts) {
      best = parts;
      best_rounds = rounds;
    }
  }
  return best;
}

/* --------------------------------------------------------------------------------------------------------- parts */

static ir_value *empty_of(ir_builder *builder, const ir_type *type) {
  ir_index sizes[IR_MAX_RANK];
  for (unsigned i = 0; i < type->rank; i++)
    sizes[i] = ir_index_const(type->shape[i]);
  return ir_empty(builder, type->element, type->rank, sizes);
}

static ir_value *zeros(ir_builder *builder, const ir_type *type) {
  return ir_fill_const(builder, 0, empty_of(builder, type));
}

/* The type of what all parts of all iterations leave of a carried value: iterations, part, then its own dims. */
static const ir_type *type_of_parts(const split *s, const ir_type *carried) {
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned i = 0; i < s->num_loops; i++)
    shape[rank++] = s->trips[i];
  shape[rank++] = s->parts;
  for (unsigned i = 0; i < carried->rank; i++)
    shape[rank++] = carried->shape[i];
  return ir_type_with_shape(s->forall->module, carried, rank, shape);
}

/* The place of this iteration's parts, of one of them or all. */
static void place_of(const split *s, ir_builder *builder, ir_value *const *iteration, ir_index part, int64_t num_parts,
                     const ir_type *carried, ir_index *offsets, ir_index *sizes) {
  unsigned rank = 0;
  for (unsigned i = 0; i < s->num_loops; i++, rank++) {
    ir_index at = ir_index_sub(builder, (ir_index){.value = iteration[i]}, s->lower[i]);
    offsets[rank] = s->trips[i] == 1 ? ir_index_const(0) : ir_index_ceildiv(builder, at, s->step[i].constant);
    sizes[rank] = ir_index_const(1);
  }
  offsets[rank] = part;
  sizes[rank++] = ir_index_const(num_parts);
  for (unsigned i = 0; i < carried->rank; i++, rank++) {
    offsets[rank] = ir_index_const(0);
    sizes[rank] = ir_index_const(carried->shape[i]);
  }
}

/* Draws the copy of the loop in to one part, from nothing seen. */
static void take_part(const split *s, ir_op *loop, ir_index part) {
  ir_builder builder = ir_builder_before(loop);
  ir_bounds all = ir_bounds_of(loop, 0);
  int64_t step = all.step.constant;
  ir_index steps = ir_index_ceildiv(&builder, ir_index_sub(&builder, all.upper, all.lower), step * s->parts);
  ir_index length = ir_index_scale(&builder, steps, step);
  ir_index lower = ir_index_add(&builder, all.lower, ir_index_mul(&builder, length, part));
  ir_index upper = ir_index_min(&builder, all.upper, ir_index_add(&builder, lower, length));
  ir_set_operand(loop, 0, ir_index_value(&builder, lower));
  ir_set_operand(loop, 1, ir_index_value(&builder, upper));
  for (unsigned i = 0; i < loop->num_results; i++) {
    const update *u = &s->updates[i];
    const ir_type *type = ir_result(loop, i)->type;
    ir_set_operand(loop, 3 + i,
                   u->state ? pass_op_info_of(u->op->code)->start(&builder, u->state, empty_of(&builder, type))
                            : zeros(&builder, type));
  }
}

/* The kernel that computes the parts: a copy of what comes up to the end of the loop. */
static ir_op *create_parts(split *s) {
  ir_builder before = ir_builder_before(s->forall);
  const ir_block *old = ir_region(s->forall, 0);
  ir_value *outs[MAX_CARRIED];
  unsigned count = s->loop->num_results;
  for (unsigned i = 0; i < count; i++)
    outs[i] = empty_of(&before, type_of_parts(s, ir_result(s->loop, i)->type));
  s->lower[s->num_loops] = ir_index_const(0);
  s->upper[s->num_loops] = ir_index_const(s->parts);
  s->step[s->num_loops] = ir_index_const(1);
  ir_op *forall = ir_forall(&before, s->num_loops + 1, s->lower, s->upper, s->step, count, outs);
  ir_block *block = ir_region(forall, 0);
  ir_value_map *map = ir_value_map_create(s->forall->module);
  for (unsigned i = 0; i < s->num_loops; i++)
    ir_value_map_set(map, old->args[i], block->args[i]);
  unsigned first_out = s->forall->num_operands - s->forall->num_results;
  for (unsigned i = 0; i < s->forall->num_results; i++) /* as it is before the iterations write it */
    ir_value_map_set(map, old->args[s->num_loops + i], ir_operand(s->forall, first_out + i));
  ir_builder body = ir_builder_at_end(block);
  ir_op *loop = NULL;
  for (const ir_op *op = old->first; op != s->loop->next; op = op->next)
    loop = ir_op_clone(&body, op, map);
  ir_index part = {.value = block->args[s->num_loops]}, offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  take_part(s, loop, part);
  ir_builder end = ir_builder_at_end(block);
  ir_builder inserts = ir_in_parallel(&end), index = ir_builder_before(block->last);
  for (unsigned i = 0; i < count; i++) {
    place_of(s, &index, block->args, part, 1, ir_result(loop, i)->type, offsets, sizes);
    ir_parallel_insert_slice(&inserts, ir_result(loop, i), block->args[s->num_loops + 1 + i], offsets, sizes);
  }
  return forall;
}

/* --------------------------------------------------------------------------------------------------------- merging */

/* How parts and their weights are read where the loops are those of the parts. */
typedef struct part_maps {
  unsigned rank;
  const ir_map *parts, *weights, *sums;
} part_maps;

static part_maps maps_of_parts(ir_module *module, const ir_type *parts, const ir_value *weights, const ir_map *rows) {
  unsigned rank = parts->rank, weight_dims[IR_MAX_RANK] = {0};
  for (unsigned i = 0; weights && i < rows->num_results; i++)
    weight_dims[i + 1] = (unsigned)ir_map_result_dim(rows, i) + 1;
  return (part_maps){rank, ir_map_identity(module, rank),
                     weights ? ir_map_select(module, rank, weights->type->rank, weight_dims) : NULL,
                     ir_map_without(module, rank, 1, &(int64_t){0})};
}

static ir_value *weighted(ir_builder *body, ir_value *part, ir_value *weight, const ir_type *type) {
  ir_value *term = ir_convert(body, part, weight->type);
  return ir_convert(body, ir_binary(body, OP_ARITH_MULF, term, weight), type);
}

/* start + the sum over parts, each part times its weights where there are some. */
static ir_value *add_parts(ir_builder *builder, ir_value *parts, ir_value *weights, const ir_map *rows,
                           ir_value *start) {
  part_maps all = maps_of_parts(builder->module, parts->type, weights, rows);
  ir_value *ins[] = {parts, weights};
  const ir_map *maps[] = {all.parts, weights ? all.weights : all.sums, all.sums};
  ir_op *generic = ir_generic(builder, weights ? 2 : 1, ins, 1, &start, maps, all.rank, 1);
  ir_builder body = body_of(generic);
  ir_value **args = ir_region(generic, 0)->args, *sum = args[weights ? 2 : 1];
  ir_value *term = weights ? weighted(&body, args[0], args[1], sum->type) : args[0];
  ir_opcode add = ir_scalar_is_float(sum->type->element) ? OP_ARITH_ADDF : OP_ARITH_ADDI;
  return body_finish(&body, generic, ir_binary(&body, add, sum, term));
}

/* Each part times its weights. */
static ir_value *weigh_parts(ir_builder *builder, ir_value *parts, ir_value *weights, const ir_map *rows) {
  part_maps all = maps_of_parts(builder->module, parts->type, weights, rows);
  ir_value *ins[] = {parts, weights}, *out = empty_of(builder, parts->type);
  const ir_map *maps[] = {all.parts, all.weights, all.parts};
  ir_op *generic = ir_generic(builder, 2, ins, 1, &out, maps, all.rank, 0);
  ir_builder body = body_of(generic);
  ir_value **args = ir_region(generic, 0)->args;
  return body_finish(&body, generic, weighted(&body, args[0], args[1], args[2]->type));
}

/* What was accumulated in parts. On a GPU weights are no factors of a product, for which a block would have few warps;
 * it has as many as share out all parts. */
static ir_value *accumulate(const split *s, ir_builder *builder, ir_value *parts, ir_value *weights, const update *u,
                            ir_value *start) {
  if (!u->rows || !weights)
    return add_parts(builder, parts, NULL, NULL, start);
  if (!s->in_blocks)
    return add_parts(builder, parts, weights, u->rows, start);
  return add_parts(builder, weigh_parts(builder, parts, weights, u->rows), NULL, NULL, start);
}

/* What is accumulated, relative to a state that has seen the part, too: that of before it and the part, whose weights
 * are 1 together. */
static ir_value *blend_part(ir_builder *builder, ir_value *part, ir_value *weights, const ir_map *rows,
                            ir_value *before) {
  unsigned rank = before->type->rank;
  const ir_map *all = ir_map_identity(builder->module, rank), *maps[] = {all, rows, all};
  ir_value *ins[] = {part, weights};
  ir_op *generic = ir_generic(builder, 2, ins, 1, &before, maps, rank, 0);
  ir_builder body = body_of(generic);
  ir_value **args = ir_region(generic, 0)->args, *weight = args[1];
  ir_value *rest = ir_binary(&body, OP_ARITH_SUBF, ir_const(&body, weight->type, 1), weight);
  ir_value *sum = ir_binary(&body, OP_ARITH_ADDF, weighted(&body, args[2], rest, args[2]->type),
                            weighted(&body, args[0], weight, args[2]->type));
  return body_finish(&body, generic, sum);
}

/* The value, of one part, without the dim for parts. */
static ir_value *without_parts(ir_builder *builder, ir_value *value) {
  const ir_type *type = value->type;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < type->rank; dim++) {
    offsets[dim] = ir_index_const(0);
    sizes[dim] = ir_index_const(type->shape[dim]);
  }
  const ir_type *one = ir_type_with_shape(builder->module, type, type->rank - 1, type->shape + 1);
  return ir_extract_slice(builder, value, offsets, sizes, one);
}

/* What the loop carries, of what it carried before, `carried`, and `count` parts from the first on. */
static void merge_some(const split *s, ir_builder *builder, const ir_op *parts, ir_index first, int64_t count,
                       ir_value *const *carried, ir_value **merged) {
  ir_value *part_of[MAX_CARRIED], *state_parts[MAX_CARRIED] = {0}, *states[MAX_CARRIED] = {0}, *weights = NULL;
  for (unsigned i = 0; i < s->loop->num_results; i++) {
    const ir_type *type = ir_result(s->loop, i)->type;
    ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
    int64_t shape[IR_MAX_RANK] = {count};
    for (unsigned dim = 0; dim < type->rank; dim++)
      shape[dim + 1] = type->shape[dim];
    place_of(s, builder, ir_region(s->forall, 0)->args, first, count, type, offsets, sizes);
    part_of[i] = ir_extract_slice(builder, ir_result(parts, i), offsets, sizes,
                                  ir_type_with_shape(builder->module, type, type->rank + 1, shape));
    if (s->updates[i].state) {
      state_parts[s->updates[i].state] = part_of[i];
      states[s->updates[i].state] = carried[i];
    }
  }
  if (s->running)
    weights = pass_op_info_of(s->running->code)->merge(builder, state_parts, states);
  for (unsigned i = 0; i < s->loop->num_results; i++) {
    const update *u = &s->updates[i];
    if (u->state)
      merged[i] = states[u->state];
    else if (s->in_turn && u->rows && weights)
      merged[i] =
          blend_part(builder, without_parts(builder, part_of[i]), without_parts(builder, weights), u->rows, carried[i]);
    else
      merged[i] = accumulate(s, builder, part_of[i], weights, u, carried[i]);
  }
}

/* Puts what is merged in place of the loop: all parts at once or, where a block of a GPU has no registers for that, in
 * turn. */
static void merge_parts(const split *s, const ir_op *parts) {
  ir_builder builder = ir_builder_before(s->loop);
  unsigned count = s->loop->num_results;
  ir_value *carried[MAX_CARRIED], *merged[MAX_CARRIED];
  for (unsigned i = 0; i < count; i++)
    carried[i] = ir_loop_init(s->loop, i);
  if (s->in_turn) {
    ir_op *turns = ir_for(&builder, ir_index_const(0), ir_index_const(s->parts), ir_index_const(1), count, carried);
    ir_block *body = ir_region(turns, 0);
    ir_builder inside = ir_builder_at_end(body);
    merge_some(s, &inside, parts, (ir_index){.value = body->args[0]}, 1, body->args + 1, merged);
    ir_terminator(&inside, OP_SCF_YIELD, count, merged);
    for (unsigned i = 0; i < count; i++)
      merged[i] = ir_result(turns, i);
  } else {
    merge_some(s, &builder, parts, ir_index_const(0), s->parts, carried, merged);
  }
  for (unsigned i = 0; i < count; i++)
    ir_replace_uses(ir_result(s->loop, i), merged[i]);
  ir_op_erase(s->loop);
}

bool pass_split(ir_op *forall, const pass_options *options) {
  split s;
  if (!find_loops(forall, &s) || !find_updates(&s))
    return true;
  const target_facts *target = options->target;
  s.in_blocks = target_is_gpu(target);
  s.parts = s.in_blocks ? split_into_blocks(s.loop, count_iterations(&s, INT32_MAX), target)
                        : choose_parts(&s, target->threads);
  s.in_turn = s.in_blocks && !split_merges_at_once(s.loop, s.parts);
  if (s.parts > 1)
    merge_parts(&s, create_parts(&s));
  if (s.parts > 1 && s.in_blocks)
    ir_attr_set(forall, PASS_MERGES, ir_attr_unit(forall->module));
  return true;
}
