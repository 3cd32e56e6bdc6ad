/* merge.c - pass "merge-elementwise": elementwise ops become part of the elementwise ops that read them.
 *
 * What stands between two contractions (scale, mask, bias, soft cap, index arithmetic, gathers) thus becomes one op
 * that reads the first product's element once. A producer is merged where that computes nothing twice, or hardly
 * anything:
 *   - its one use is the consumer, which reads each element once,
 *   - or it reads no tensor (positions, masks made from them), or only tables, where it is one read for another,
 *   - or it only widens integers, which are less to read,
 *   - or it does light work on statistics that an op with a running state has of its rows: readers can then join its
 *     loops,
 *   - or the consumer repeats its elements along further loops, and it does light work only: then the smaller tensor
 *     need not exist, and each tile reads what that is made from.
 * What is made of products of a batch becomes part of the op that adds it up over that (batch_sums.c; hosts).
 * So is a constant that compared indices give (diagonal.h), and so is the part of a producer's result that a slice
 * takes. Expensive work, of which an exponential or a division is the smallest, is never repeated.
 * Terminates: each merge takes an op away from above a consumer; bodies have a limit. */
#include "passes/batch_sums.h"
#include "passes/body.h"
#include "passes/diagonal.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/tile.h"

enum { MAX_BODY = 96 }; /* ops in a merged body */

/* A table of few numbers for many elements (tabulate.c), from which another read costs what one of the result would. */
static bool is_table(const ir_value *value) { return value->op && ir_attr_get(value->op, PASS_ONCE); }

static bool reads_tensors(const ir_op *op) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (ir_type_is_shaped(ir_input(op, i)->type) && !ir_value_unused(body_argument(op, i)))
      return true;
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    if (inner->code == OP_TENSOR_EXTRACT && !is_table(ir_operand(inner, 0)))
      return true;
  return false;
}

/* Every loop of the reader is a subscript of the map, so that it reads each element once. */
static bool reads_each_once(const ir_map *map, unsigned num_loops) {
  for (unsigned loop = 0; loop < num_loops; loop++)
    if (ir_map_find_dim(map, loop) < 0)
      return false;
  return true;
}

static bool reads_statistics(const ir_op *op) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (!ir_input(op, i)->op || !pass_op_info_of(ir_input(op, i)->op->code)->states || !ir_input(op, i)->index)
      return false;
  return true;
}

/* The op is one cast of integers, no truths, to wider numbers. */
static bool only_widens(const ir_op *op) {
  const ir_op *cast = ir_yielded(op, 0)->op;
  ir_scalar from = cast && op->num_operands == 2 ? ir_operand(op, 0)->type->element : IR_I1;
  return from != IR_I1 && !ir_scalar_is_float(from) && body_size(op) == 2 &&
         ir_operand(cast, 0) == body_argument(op, 0) &&
         ir_scalar_bits(from) < ir_scalar_bits(ir_result(op, 0)->type->element);
}

static bool pays(const ir_op *producer, const ir_op *consumer, unsigned input) {
  const ir_structure *structure = ir_structure_of(consumer);
  const ir_map *read = structure->maps[input];
  if (body_size(producer) + body_size(consumer) > MAX_BODY)
    return false;
  if (ir_value_has_one_use(ir_result(producer, 0)) && reads_each_once(read, structure->num_loops))
    return true;
  if (!reads_tensors(producer) || only_widens(producer))
    return true;
  return ((!reads_each_once(read, structure->num_loops) && ir_map_is_projected_permutation(read)) ||
          reads_statistics(producer)) &&
         body_is_light(producer);
}

/* The position of the operand with that map in the list, added where it is new. */
static unsigned add_input(recast *parts, ir_value *value, const ir_map *map) {
  for (unsigned i = 0; i < parts->num_ins; i++)
    if (parts->operands[i] == value && parts->maps[i] == map)
      return i;
  parts->operands[parts->num_ins] = value;
  parts->maps[parts->num_ins] = map;
  return parts->num_ins++;
}

/* The consumer with the producer's body in front of its own; NULL where that has too many operands, or other
 * extents. */
static ir_op *merge(ir_op *producer, ir_op *consumer, unsigned input) {
  recast from, to, merged;
  ir_module *module = consumer->module;
  if (!recast_begin(&from, producer) || !recast_begin(&to, consumer) ||
      from.num_ins + to.num_ins + 1 > RECAST_MAX_OPERANDS)
    return NULL;
  merged = to;
  merged.num_ins = 0;
  /* The producer's loops in terms of the consumer's. */
  const ir_expr *loops[IR_MAX_LOOPS];
  for (unsigned dim = 0; dim < to.maps[input]->num_results; dim++)
    loops[ir_map_result_dim(from.maps[from.num_ins], dim)] = to.maps[input]->results[dim];
  unsigned from_places[RECAST_MAX_OPERANDS], to_places[RECAST_MAX_OPERANDS];
  for (unsigned i = 0; i < to.num_ins; i++)
    if (i != input)
      to_places[i] = add_input(&merged, to.operands[i], to.maps[i]);
  for (unsigned i = 0; i < from.num_ins; i++) {
    const ir_map *read = recast_read_through(producer, i, to.maps[input]);
    if (!recast_keeps_loops(consumer, producer, i, read))
      return NULL;
    from_places[i] = add_input(&merged, from.operands[i], read);
  }
  merged.operands[merged.num_ins] = to.operands[to.num_ins];
  merged.maps[merged.num_ins] = to.maps[to.num_ins];
  ir_builder builder = ir_builder_before(consumer);
  ir_op *generic = ir_generic(&builder, merged.num_ins, merged.operands, 1, merged.operands + merged.num_ins,
                              merged.maps, merged.num_loops, merged.reductions);
  ir_block *body = ir_region(generic, 0), *first = ir_region(producer, 0), *second = ir_region(consumer, 0);
  ir_value_map *map = ir_value_map_create(module);
  ir_builder inside = ir_builder_at_end(body);
  for (unsigned i = 0; i < from.num_ins; i++)
    ir_value_map_set(map, first->args[i], body->args[from_places[i]]);
  recast_clone_body(first, &inside, map, to.num_loops, loops);
  for (unsigned i = 0; i < to.num_ins; i++)
    ir_value_map_set(map, second->args[i],
                     i == input ? ir_value_map_get(map, ir_operand(first->last, 0)) : body->args[to_places[i]]);
  ir_value_map_set(map, second->args[to.num_ins], body->args[merged.num_ins]);
  recast_clone_body(second, &inside, map, to.num_loops, NULL);
  ir_op_clone(&inside, second->last, map);
  return generic;
}

static ir_value *slice_operand(tile_builder *builder, ir_op *op, unsigned operand, const tile_box *box) {
  ir_value *whole = ir_operand(op, operand);
  return ir_type_is_shaped(whole->type) ? ir_extract_slice(&builder->body, whole, box->offsets, box->sizes, NULL)
                                        : whole;
}

/* The part of the elementwise op's result that the slice takes, computed at the slice; NULL where it has other dims. */
static ir_op *compute_part(ir_op *slice, ir_op *op) {
  ir_slice part = ir_slice_of(slice);
  tile_box box = {.rank = part.rank}, domain, tile;
  tile_builder builder = {ir_builder_before(slice), ir_builder_before(slice), slice_operand};
  ir_value *result;
  for (unsigned dim = 0; dim < part.rank; dim++)
    box.offsets[dim] = part.offsets[dim], box.sizes[dim] = part.sizes[dim];
  if (!ir_slice_has_unit_strides(&part) || ir_result(slice, 0)->type->rank != box.rank || !tile_can(op))
    return NULL;
  tile_domain(&builder.index, op, &domain);
  return tile_from_result(op, 0, &box, &domain, &tile) && tile_create(&builder, op, &tile, &result) ? result->op : NULL;
}

/* An op that computes the input and is worth merging: the one that does, or a new one for a part of what that computes
 * or for a constant. NULL if there is none. */
static ir_op *find_producer(ir_op *consumer, unsigned input) {
  ir_op *op = ir_input(consumer, input)->op, *slice = NULL;
  ir_builder builder = ir_builder_before(consumer);
  ir_op *diagonal = diagonal_compute(&builder, ir_input(consumer, input));
  if (diagonal || !op)
    return diagonal;
  if (op->code == OP_TENSOR_EXTRACT_SLICE && op->block == consumer->block && ir_value_has_one_use(ir_result(op, 0))) {
    slice = op;
    op = ir_operand(slice, 0)->op;
  }
  if (!op || op->block != consumer->block || !body_is_pointwise(op) || !pays(op, consumer, input))
    return NULL;
  return slice ? compute_part(slice, op) : op;
}

static void merge_producers(ir_op *consumer) {
  for (unsigned i = 0; i < ir_num_inputs(consumer);) {
    ir_op *producer = find_producer(consumer, i), *merged = producer ? merge(producer, consumer, i) : NULL;
    if (!merged) {
      i++;
      continue;
    }
    ir_replace_op_by(consumer, merged);
    if (ir_value_unused(ir_result(producer, 0)))
      ir_op_erase(producer);
    consumer = merged;
    i = 0;
  }
}

void pass_merge_elementwise(ir_op *op, const pass_options *options) {
  if (body_is_pointwise(op) || batch_sums_loop(op, options->target) >= 0)
    merge_producers(op);
}
