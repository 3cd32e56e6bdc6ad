/* absorb.c - pass "absorb-moves": transposes, broadcasts and reshapes go into the maps and loops of the ops around
 * them.
 *
 * What exporters write between the ops that compute mostly moves data: heads split off and merged, transposes for the
 * next product, keys repeated for groups of heads, dims of extent 1. An indexing map can say all of that, and then
 * fusion sees the ops that compute next to each other. One walk over a function, forwards; at each op
 *   - an input that a transpose or broadcast copies is read from the original, with the two maps composed, and so is
 *     one to which a reshape only adds dims of extent 1,
 *   - a loop over dims that a tensor.collapse_shape merged is split into loops over those dims, the other operands
 *     being expanded, the results collapsed after the op,
 *   - so is a loop of which a map has the quotient by a number that divides its extent, or the remainder: heads that
 *     share keys,
 *   - so is a softmax along a dim that was not merged taken of the tensor before a collapse,
 *   - a dim of extent 1 that a result has and no input has is added after the op instead,
 *   - a transpose of the result of an op that has no other user goes into the map of the result, but for an elementwise
 *     op whose result only products read,
 *   - a reshape of what is only widened is taken of the narrow tensor,
 *   - dims of what is unpacked from integers are split before it is unpacked.
 * Splitting is left out for small inputs of elementwise ops, and for the free loops and reductions of contractions: one
 * long loop makes better tiles than several short ones, and merging their dims costs nothing. Batch loops are split:
 * softmax, masks and repeated keys need them.
 *
 * Invariants: elements and their order of summation stay, but for contractions over repeated loops, of which there are
 * none. Terminates: each rewrite takes an op that moves data from between an op and a value above it; splitting adds
 * expansions of other operands only, which are not absorbed again but where they add dims of extent 1. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/tile.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- moves */

/* The op only copies elements of its one input: no cast, no constant. */
static bool is_move(const ir_op *op) {
  return body_is_pointwise(op) && ir_num_inputs(op) == 1 && ir_operand(op, 0)->type->kind == IR_TYPE_TENSOR &&
         ir_yielded(op, 0) == body_argument(op, 0);
}

/* ------------------------------------------------------------------------------------------------ transposed inputs */

/* The value that input `i` shows in another order or repeated, and the map with which the op can read that; NULL if the
 * input is no such. */
static ir_value *find_original(const recast *parts, unsigned i, const ir_map **map) {
  const ir_op *producer = parts->operands[i]->op;
  const ir_map *read = parts->maps[i];
  const ir_expr *subscripts[IR_MAX_LOOPS] = {0};
  ir_module *module = parts->op->module;
  if (!producer)
    return NULL;
  if (is_move(producer)) {
    *map = recast_read_through(producer, 0, read);
    return recast_keeps_loops(parts->op, producer, 0, *map) ? ir_operand(producer, 0) : NULL;
  }
  unsigned kept[IR_MAX_RANK];
  if (producer->code != OP_TENSOR_EXPAND_SHAPE || !recast_unit_dims(producer, kept))
    return NULL;
  unsigned rank = ir_operand(producer, 0)->type->rank;
  for (unsigned g = 0; g < rank; g++)
    subscripts[g] = read->results[kept[g]];
  *map = ir_map_get(module, read->num_dims, 0, rank, subscripts);
  return ir_operand(producer, 0);
}

/* Reads inputs from before they are moved. Contractions stay in the form that makes them one. */
static ir_op *read_originals(ir_op *op) {
  recast parts;
  bool changed = false, contraction = ir_is_contraction(op);
  if (!recast_begin(&parts, op))
    return op;
  for (unsigned i = 0; i < parts.num_ins; i++) {
    const ir_map *map, *old_map = parts.maps[i];
    ir_value *old = parts.operands[i], *original;
    while ((original = find_original(&parts, i, &map))) {
      recast before = parts;
      parts.operands[i] = original;
      parts.maps[i] = map;
      if (!recast_is_valid(&parts) || (contraction && !ir_map_is_projected_permutation(map))) {
        parts = before;
        break;
      }
    }
    changed |= parts.operands[i] != old || parts.maps[i] != old_map;
  }
  if (!changed)
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_op *fresh = recast_create(&parts, &builder, NULL);
  ir_replace_op_by(op, fresh);
  return fresh;
}

/* --------------------------------------------------------------------------------------------------- collapsed dims */

/* How the loops of an op are split: loop l becomes loops first[l] .. first[l] + count[l] - 1 of these extents. */
typedef struct split {
  unsigned first[IR_MAX_LOOPS], count[IR_MAX_LOOPS], num_loops;
  ir_index extents[IR_MAX_LOOPS][IR_MAX_RANK];
} split;

/* An op other than contractions sums or compares along the dim of the value, and so does not split it. */
static bool is_reduced(const ir_value *value, unsigned dim) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *user = use->user;
    if (!ir_op_has(user, IR_STRUCTURED) || ir_is_contraction(user))
      continue;
    int loop = ir_map_result_dim(ir_structure_of(user)->maps[ir_use_index(use)], dim);
    if (loop >= 0 && ir_loop_is_reduction(ir_structure_of(user), (unsigned)loop))
      return true;
  }
  return false;
}

/* The dim of a collapsed tensor that these dims became is reduced, or the same one of another collapse of what was
 * collapsed, as an op that was split in other dims only reads it. What goes with a reduction, as the exponentials of a
 * softmax, has its loops. */
static bool is_reduced_merged(const ir_op *collapse, ir_dims dims) {
  for (const ir_use *use = ir_operand(collapse, 0)->uses; use; use = use->next)
    for (unsigned i = 0; use->user->code == OP_TENSOR_COLLAPSE_SHAPE && i < ir_result(use->user, 0)->type->rank; i++) {
      ir_dims others = ir_dims_of(use->user, i);
      if (others.first == dims.first && others.end == dims.end && is_reduced(ir_result(use->user, 0), i))
        return true;
    }
  return false;
}

/* An input that has all loops has `loop` as one dim, and this input has not all loops: what it shows, as scales of
 * rows, is small beside what would be split for it. */
static bool is_small_beside(const recast *parts, unsigned input, unsigned loop) {
  if (parts->reductions || ir_map_dims(parts->maps[input]) == ir_bit(parts->num_loops) - 1)
    return false;
  for (unsigned i = 0; i < parts->num_ins; i++) {
    const ir_op *collapse = ir_made_by(parts->operands[i], OP_TENSOR_COLLAPSE_SHAPE);
    int dim = ir_map_find_dim(parts->maps[i], loop);
    if (!ir_map_is_permutation(parts->maps[i]))
      continue;
    ir_dims dims = collapse ? ir_dims_of(collapse, (unsigned)dim) : (ir_dims){0, 1};
    if (dims.end - dims.first == 1)
      return true;
  }
  return false;
}

/* Loops that are to stay whole: see the head of the file. */
static uint32_t unsplit_loops(const recast *parts) {
  uint32_t loops = parts->reductions;
  if (ir_is_contraction(parts->op))
    for (unsigned loop = 0; loop < parts->num_loops; loop++)
      if (ir_map_find_dim(parts->maps[0], loop) < 0 || ir_map_find_dim(parts->maps[1], loop) < 0)
        loops |= ir_bit(loop);
  return loops;
}

/* The finest split that a collapsed input asks for. Of two that ask for the same loop the one with more dims counts;
 * whether the other fits is seen when it is reshaped. */
static void split_as_collapsed(const recast *parts, uint32_t whole, ir_builder *builder, split *split) {
  for (unsigned i = 0; i < parts->num_ins; i++) {
    ir_op *collapse = ir_made_by(parts->operands[i], OP_TENSOR_COLLAPSE_SHAPE);
    if (!collapse)
      continue;
    for (unsigned merged = 0; merged < parts->maps[i]->num_results; merged++) {
      int loop = ir_map_result_dim(parts->maps[i], merged);
      ir_dims dims = ir_dims_of(collapse, merged);
      unsigned count = dims.end - dims.first;
      if (loop < 0 || whole >> loop & 1 || count <= split->count[loop] || is_reduced_merged(collapse, dims) ||
          is_small_beside(parts, i, (unsigned)loop))
        continue;
      split->count[loop] = count;
      for (unsigned part = 0; part < count; part++)
        split->extents[loop][part] = pass_dim(builder, ir_operand(collapse, 0), dims.first + part);
    }
  }
}

/* How many of the loop's parts are above the digits that count to `weight`; a part that has such digits and others is
 * split in two. -1 where that cannot be. */
static int parts_above(split *split, unsigned loop, int64_t weight) {
  ir_index *extents = split->extents[loop];
  for (unsigned part = split->count[loop]; part-- > 0;) {
    int64_t extent = extents[part].value ? 0 : extents[part].constant;
    if (weight == 1)
      return (int)part + 1;
    if (extent && extent % weight == 0 && (extent > weight || !part) && split->count[loop] < IR_MAX_RANK) {
      memmove(&extents[part + 1], &extents[part], (split->count[loop]++ - part) * sizeof *extents);
      extents[part] = ir_index_const(extent / weight);
      extents[part + 1] = ir_index_const(weight);
      return (int)part + 1;
    }
    if (!extent || weight % extent)
      return -1;
    weight /= extent;
  }
  return weight == 1 ? 0 : -1;
}

/* Splits loops so that what maps divide them into are loops, beside what a collapse merged into the same. */
static void split_as_divided(const recast *parts, ir_builder *builder, split *split) {
  for (unsigned i = 0; i < parts->num_ins + parts->num_outs; i++)
    for (unsigned dim = 0; dim < parts->maps[i]->num_results; dim++) {
      const ir_expr *subscript = parts->maps[i]->results[dim];
      digits digits;
      if (subscript->kind == IR_EXPR_DIM || !recast_digits(subscript, &digits) || parts->reductions >> digits.loop & 1)
        continue;
      split_as_collapsed(parts, ~ir_bit(digits.loop), builder, split);
      if (split->count[digits.loop] == 1)
        split->extents[digits.loop][0] = extent_compute(builder, extent_of_loop(parts->op, digits.loop));
      parts_above(split, digits.loop, digits.low);
      if (digits.high)
        parts_above(split, digits.loop, digits.high);
    }
}

static void number_loops(const recast *parts, split *split) {
  split->num_loops = 0;
  for (unsigned loop = 0; loop < parts->num_loops; loop++) {
    split->first[loop] = split->num_loops;
    split->num_loops += split->count[loop];
  }
}

/* Divided loops are split first, and alone: what is left shows whether the op is a contraction. */
static bool find_split(const recast *parts, ir_builder *builder, split *split) {
  for (unsigned loop = 0; loop < parts->num_loops; loop++)
    split->count[loop] = 1;
  split_as_divided(parts, builder, split);
  number_loops(parts, split);
  if (split->num_loops == parts->num_loops) {
    split_as_collapsed(parts, unsplit_loops(parts), builder, split);
    number_loops(parts, split);
  }
  return split->num_loops > parts->num_loops && split->num_loops <= IR_MAX_LOOPS;
}

/* Only more factors could make `a` equal to `b`. */
static bool lacks_factor(const extent_product *a, const extent_product *b) {
  return extent_has_factors(b, a) && (a->num_open < b->num_open || a->known < b->known);
}

static bool is_unit(extent x) { return !x.value && x.constant == 1; }

/* Neighbouring dims of `from` and `to` in groups of equal products, so that one side of each group is one dim; the
 * number of groups, 0 where there are no such groups. */
static unsigned align_shapes(unsigned from_rank, const extent *from, unsigned to_rank, const extent *to,
                             unsigned *from_counts, unsigned *to_counts) {
  unsigned groups = 0, i = 0, j = 0;
  while (i < from_rank && j < to_rank) {
    extent_product left = {.known = 1}, right = {.known = 1};
    unsigned first_i = i, first_j = j;
    bool fits = extent_multiply(&left, from[i++]) && extent_multiply(&right, to[j++]);
    while (fits && !extent_products_equal(&left, &right)) {
      bool extend_left = lacks_factor(&left, &right);
      fits = extend_left ? i < from_rank && extent_multiply(&left, from[i++])
                         : lacks_factor(&right, &left) && j < to_rank && extent_multiply(&right, to[j++]);
    }
    if (!fits)
      return 0;
    /* Dims of extent 1 at the end have no other group. */
    while (j == to_rank && i < from_rank && is_unit(from[i]))
      i++;
    while (i == from_rank && j < to_rank && is_unit(to[j]))
      j++;
    from_counts[groups] = i - first_i;
    to_counts[groups] = j - first_j;
    if (from_counts[groups] > 1 && to_counts[groups] > 1)
      return 0;
    groups++;
  }
  return i == from_rank && j == to_rank ? groups : 0;
}

/* The value with a type that shows all that is known of its extents. */
static ir_value *show_extents(ir_builder *builder, ir_value *value, const extent *extents) {
  int64_t shape[IR_MAX_RANK];
  for (unsigned dim = 0; dim < value->type->rank; dim++)
    shape[dim] = extents[dim].value ? IR_DYNAMIC : extents[dim].constant;
  return recast_shape(builder, value, shape);
}

/* The value in another shape, by merging dims and then splitting some; NULL if it cannot be had so. Its type shows all
 * that is known of its extents. */
static ir_value *regroup(ir_builder *builder, ir_value *value, unsigned rank, const ir_index *sizes) {
  const ir_type *type = value->type;
  unsigned before[IR_MAX_RANK], after[IR_MAX_RANK];
  extent from[IR_MAX_RANK], to[IR_MAX_RANK];
  ir_index known_sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < type->rank; dim++)
    from[dim] = extent_of(value, dim);
  for (unsigned dim = 0; dim < rank; dim++) {
    to[dim] = extent_of_index(sizes[dim]);
    known_sizes[dim] = to[dim].value ? sizes[dim] : ir_index_const(to[dim].constant);
  }
  unsigned num_groups = align_shapes(type->rank, from, rank, to, before, after);
  if (!num_groups)
    return NULL;
  value = show_extents(builder, value, from);
  int64_t middle[IR_MAX_RANK];
  for (unsigned g = 0, dim = 0; g < num_groups; g++) {
    extent_product all = {.known = 1};
    for (unsigned i = 0; i < before[g]; i++)
      extent_multiply(&all, from[dim++]);
    middle[g] = all.num_open ? IR_DYNAMIC : all.known;
  }
  if (num_groups < type->rank)
    value = ir_collapse(builder, value, ir_type_with_shape(builder->module, type, num_groups, middle), before);
  return num_groups < rank ? ir_expand(builder, value, rank, known_sizes, after) : value;
}

/* The value with counts[d] dims in place of dim d, whose type shows what is known of them before. */
static ir_value *expand_known(ir_builder *builder, ir_value *value, unsigned rank, const ir_index *sizes,
                              const unsigned *counts) {
  int64_t shape[IR_MAX_RANK], merged[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++)
    shape[dim] = ir_index_static(sizes[dim]);
  recast_merged_shape(value->type->rank, counts, shape, merged);
  for (unsigned dim = 0; dim < value->type->rank; dim++)
    merged[dim] = merged[dim] == IR_DYNAMIC ? value->type->shape[dim] : merged[dim];
  return ir_expand(builder, recast_shape(builder, value, merged), rank, sizes, counts);
}

/* The value with counts[d] dims merged to dim d of the type, which may show less of them. */
static ir_value *collapse_known(ir_builder *builder, ir_value *value, const ir_type *type, const unsigned *counts) {
  int64_t merged[IR_MAX_RANK];
  recast_merged_shape(type->rank, counts, value->type->shape, merged);
  value = ir_collapse(builder, value, ir_type_with_shape(builder->module, type, type->rank, merged), counts);
  return recast_shape(builder, value, type->shape);
}

/* The value with its dims split: counts[d] dims in place of dim d. What was merged before is taken from there. */
static ir_value *split_value(ir_builder *builder, ir_value *value, unsigned rank, const ir_index *sizes,
                             const unsigned *counts) {
  const ir_op *op = ir_made_by(value, OP_TENSOR_COLLAPSE_SHAPE);
  ir_value *start = recast_start(builder, value, rank, sizes);
  if (start)
    return start;
  if (!op)
    return expand_known(builder, value, rank, sizes, counts);
  ir_value *source = ir_operand(op, 0);
  bool same = source->type->rank == rank;
  for (unsigned dim = 0; dim < value->type->rank; dim++)
    same &= ir_dims_of(op, dim).end == ir_dims_of(op, dim).first + counts[dim];
  for (unsigned dim = 0; same && dim < rank; dim++)
    same = ir_index_equal(pass_dim(builder, source, dim), sizes[dim]);
  if (same)
    return source;
  ir_value *regrouped = regroup(builder, source, rank, sizes);
  return regrouped ? regrouped : expand_known(builder, value, rank, sizes, counts);
}

/* The parts of a split loop that the subscript is, all digits of the dim: its first one, its number, their extents.
 * False for other subscripts, and for dims that may be longer. */
static bool find_parts(split *split, const ir_expr *subscript, extent whole, unsigned *first, unsigned *count,
                       const ir_index **extents) {
  digits digits;
  if (!recast_digits(subscript, &digits) || split->count[digits.loop] == 1)
    return false;
  int from = digits.high ? parts_above(split, digits.loop, digits.high) : 0;
  int to = parts_above(split, digits.loop, digits.low);
  if (from < 0 || from >= to)
    return false;
  *first = split->first[digits.loop] + (unsigned)from;
  *count = (unsigned)(to - from);
  *extents = &split->extents[digits.loop][from];
  extent_product all = {.known = 1}, product = {.known = 1};
  bool known = extent_multiply(&all, whole);
  for (unsigned part = 0; part < *count; part++)
    known = known && extent_multiply(&product, extent_of_index((*extents)[part]));
  return subscript->kind == IR_EXPR_DIM || (known && extent_products_equal(&all, &product));
}

/* The operand as the split loops read it, with its map; false if it cannot be had. */
static bool split_operand(const recast *parts, split *split, unsigned i, ir_builder *builder, recast *fresh,
                          unsigned *counts) {
  const ir_map *map = parts->maps[i];
  ir_value *value = parts->operands[i];
  const ir_expr *results[IR_MAX_RANK], *whole[IR_MAX_LOOPS];
  ir_module *module = builder->module;
  ir_index sizes[IR_MAX_RANK];
  const ir_index *extents;
  unsigned rank = 0, first;
  bool changed = false;
  for (unsigned loop = 0; loop < parts->num_loops; loop++)
    whole[loop] = ir_expr_dim(module, split->first[loop]);
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    bool found = find_parts(split, map->results[dim], extent_of(value, dim), &first, &counts[dim], &extents);
    for (unsigned loop = 0; loop < parts->num_loops; loop++)
      if (!found && split->count[loop] > 1 && ir_expr_uses_dim(map->results[dim], loop))
        return false;
    if (!found)
      counts[dim] = 1;
    changed |= counts[dim] > 1;
    if (rank + counts[dim] > IR_MAX_RANK)
      return false;
    if (!found) {
      sizes[rank] = pass_dim(builder, value, dim);
      results[rank++] = ir_expr_replace(module, map->results[dim], whole, NULL);
    }
    for (unsigned part = 0; found && part < counts[dim]; part++) {
      sizes[rank] = extents[part];
      results[rank++] = ir_expr_dim(module, first + part);
    }
  }
  fresh->operands[i] = changed ? split_value(builder, value, rank, sizes, counts) : value;
  fresh->maps[i] = ir_map_get(module, split->num_loops, 0, rank, results);
  return true;
}

/* Each old loop in terms of the new ones, for linalg.index; false where that is not linear. */
static bool express_loops(const recast *parts, const split *split, const ir_expr **loops) {
  ir_module *module = parts->op->module;
  for (unsigned loop = 0; loop < parts->num_loops; loop++) {
    loops[loop] = ir_expr_dim(module, split->first[loop]);
    for (unsigned part = 1; part < split->count[loop]; part++) {
      ir_index extent = split->extents[loop][part];
      if (extent.value)
        return false;
      loops[loop] = ir_expr_by(module, IR_EXPR_MUL, loops[loop], extent.constant);
      loops[loop] = ir_expr_binary(module, IR_EXPR_ADD, loops[loop], ir_expr_dim(module, split->first[loop] + part));
    }
  }
  return true;
}

/* The op with its loops split, its results merged behind it; itself where that cannot be. */
static ir_op *split_by(const recast *parts, split *how, ir_builder *builder) {
  recast fresh = *parts;
  ir_op *op = parts->op;
  const ir_expr *loops[IR_MAX_LOOPS];
  unsigned counts[RECAST_MAX_OPERANDS][IR_MAX_RANK];
  if (!express_loops(parts, how, loops))
    return op;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!split_operand(parts, how, i, builder, &fresh, counts[i]))
      return op;
  fresh.num_loops = how->num_loops;
  fresh.reductions = 0;
  for (unsigned loop = 0; loop < parts->num_loops; loop++)
    if (parts->reductions >> loop & 1)
      fresh.reductions |= ir_bit(how->first[loop]);
  ir_op *generic = recast_create(&fresh, builder, loops);
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(generic, i);
    if (result->type->rank != ir_result(op, i)->type->rank)
      result = collapse_known(builder, result, ir_result(op, i)->type, counts[parts->num_ins + i]);
    ir_replace_uses(ir_result(op, i), result);
  }
  ir_op_erase(op);
  return generic;
}

/* Splits loops over merged dims. */
static ir_op *split_loops(ir_op *op) {
  recast parts;
  split how;
  ir_builder builder = ir_builder_before(op);
  return recast_begin(&parts, op) && find_split(&parts, &builder, &how) ? split_by(&parts, &how, &builder) : op;
}

/* A softmax of a collapsed tensor, along a dim that stands for itself, is that of the tensor before. */
static ir_op *split_softmax(ir_op *op) {
  const ir_op *collapse = op->code == OP_LINALG_SOFTMAX && op->num_results == 1 ? ir_operand(op, 0)->op : NULL;
  if (!collapse || collapse->code != OP_TENSOR_COLLAPSE_SHAPE)
    return op;
  unsigned dimension = (unsigned)ir_attr_int_or(op, "dimension", 0), counts[IR_MAX_RANK];
  ir_merged_counts(collapse, counts);
  if (counts[dimension] != 1)
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_value *wide = ir_operand(collapse, 0);
  ir_value *out = pass_empty_like(&builder, wide, wide->type->element);
  ir_named_attr along = {"dimension", ir_attr_i64(op->module, ir_dims_of(collapse, dimension).first)};
  ir_op *fresh = ir_structured(&builder, OP_LINALG_SOFTMAX, 1, &wide, 1, &out, 1, &along);
  ir_replace_op(op, collapse_known(&builder, ir_result(fresh, 0), ir_result(op, 0)->type, counts));
  return fresh;
}

/* -------------------------------------------------------------------------------------------------------- kept dims */

static bool is_constant_subscript(const ir_map *map, unsigned dim) { return map->results[dim]->kind == IR_EXPR_CONST; }

/* The init without the dims that the map writes at a constant, which have extent 1; `counts` tells which dims each one
 * left stands for. */
static ir_value *drop_constant_dims(ir_builder *builder, ir_value *init, const ir_map *map, const ir_map **kept_map,
                                    unsigned *counts) {
  const ir_type *type = init->type;
  const ir_expr *results[IR_MAX_RANK];
  int64_t shape[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK];
  unsigned kept = 0, leading = 0;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    if (is_constant_subscript(map, dim)) {
      (*(kept ? &counts[kept - 1] : &leading))++;
      continue;
    }
    counts[kept] = 1 + leading;
    leading = 0;
    shape[kept] = type->shape[dim];
    sizes[kept] = pass_dim(builder, init, dim);
    results[kept++] = map->results[dim];
  }
  *kept_map = ir_map_get(builder->module, map->num_dims, 0, kept, results);
  ir_value *start = recast_start(builder, init, kept, sizes);
  return start ? start : ir_collapse(builder, init, ir_type_with_shape(builder->module, type, kept, shape), counts);
}

/* Loops of one iteration that only the result has are constants: `loops` tells each old loop in terms of those left. */
static void fold_unit_loops(recast *parts, const ir_type *result, const ir_expr **loops) {
  uint32_t units = 0;
  for (unsigned loop = 0; loop < parts->num_loops; loop++) {
    int dim = ir_map_find_dim(parts->maps[parts->num_ins], loop);
    bool unit = dim >= 0 && result->shape[dim] == 1;
    for (unsigned i = 0; i < parts->num_ins; i++)
      unit &= ir_map_find_dim(parts->maps[i], loop) < 0;
    units |= unit ? ir_bit(loop) : 0;
  }
  recast_drop_loops(parts, units, loops);
  for (unsigned i = 0; i <= parts->num_ins; i++)
    parts->maps[i] = ir_map_replace(parts->op->module, parts->maps[i], parts->num_loops, loops);
}

/* All loops that are left are as long as before: `loops` tells each old loop in terms of them. */
static bool keeps_lengths(const recast *before, const recast *folded, const ir_expr *const *loops) {
  bool keeps = true;
  for (unsigned i = 0; i < folded->num_ins; i++) {
    const ir_map *was = before->maps[i], *map = folded->maps[i];
    for (unsigned dim = 0; dim < map->num_results; dim++)
      for (unsigned loop = 0; loop < before->num_loops; loop++)
        keeps &= map->results[dim]->kind != IR_EXPR_DIM || loops[loop] != map->results[dim] ||
                 recast_reads_whole(before->op, was->results[dim], loop, before->operands[i], dim);
  }
  return keeps;
}

/* A result with dims of extent 1 that no input has loses them, and gets them back after the op: reductions keep such
 * dims, and reshapes before a transpose add them. */
static ir_op *drop_kept_dims(ir_op *op) {
  recast parts;
  if (!recast_begin(&parts, op) || op->num_results != 1 || ir_init(op, 0)->type->kind != IR_TYPE_TENSOR)
    return op;
  const ir_expr *loops[IR_MAX_LOOPS];
  unsigned read = 0, constants = 0, counts[IR_MAX_RANK];
  for (unsigned i = 0; i < parts.num_ins; i++)
    read += parts.maps[i]->num_results;
  if (!read) /* fills take the shape that their users ask for */
    return op;
  recast before = parts;
  fold_unit_loops(&parts, ir_init(op, 0)->type, loops);
  const ir_map *map = parts.maps[parts.num_ins];
  for (unsigned dim = 0; dim < map->num_results; dim++)
    constants += is_constant_subscript(map, dim);
  if (!constants || constants == map->num_results || !keeps_lengths(&before, &parts, loops))
    return op;
  ir_builder builder = ir_builder_before(op);
  parts.operands[parts.num_ins] = drop_constant_dims(&builder, ir_init(op, 0), map, &parts.maps[parts.num_ins], counts);
  ir_op *fresh = recast_create(&parts, &builder, loops);
  tile_box whole;
  tile_whole(&builder, ir_init(op, 0), &whole);
  ir_value *result = expand_known(&builder, ir_result(fresh, 0), whole.rank, whole.sizes, counts);
  ir_replace_op(op, recast_shape(&builder, result, ir_init(op, 0)->type->shape));
  return fresh;
}

/* ----------------------------------------------------------------------------------------------- transposed results */

/* A transpose of the result of an op that has no other user: the op writes the transposed tensor. */
static ir_op *write_transposed(ir_op *move) {
  recast parts;
  if (!is_move(move))
    return move;
  ir_op *op = ir_operand(move, 0)->op;
  const ir_structure *structure = ir_structure_of(move);
  ir_cell init;
  bool fits = op && op->block == move->block && op->num_results == 1 && ir_value_has_one_use(ir_result(op, 0)) &&
              recast_begin(&parts, op) && ir_map_is_permutation(structure->maps[0]) &&
              ir_map_is_identity(structure->maps[1]) && ir_map_is_projected_permutation(parts.maps[parts.num_ins]);
  bool reads = fits && ir_body_reads_init(op, 0);
  if (!fits || (reads && !ir_value_splat(ir_init(op, 0), &init)))
    return move;
  const ir_map *old = parts.maps[parts.num_ins];
  const ir_expr *results[IR_MAX_RANK];
  for (unsigned dim = 0; dim < old->num_results; dim++)
    results[ir_map_result_dim(structure->maps[0], dim)] = old->results[dim];
  parts.maps[parts.num_ins] = ir_map_get(op->module, old->num_dims, 0, old->num_results, results);
  ir_builder builder = ir_builder_before(move);
  builder.loc = op->loc;
  ir_value *out = ir_init(move, 0);
  if (reads)
    out = ir_fill(&builder, ir_splat(&builder, ir_type_scalar(op->module, out->type->element), init), out);
  parts.operands[parts.num_ins] = out;
  ir_op *fresh = recast_create(&parts, &builder, NULL);
  ir_replace_op_by(move, fresh);
  ir_op_erase(op);
  return fresh;
}

/* ------------------------------------------------------------------------------------------------------------- walk */

/* A reshape of a reshape is taken from before the first, and again while one is all that is needed. */
static void reshape_original(ir_op *op) {
  while (op) {
    const ir_type *type = ir_result(op, 0)->type;
    const ir_op *first = ir_operand(op, 0)->op, *last = op->prev;
    bool splits = op->code == OP_TENSOR_EXPAND_SHAPE;
    if (!ir_is_reshape(first))
      return;
    ir_builder builder = ir_builder_before(op);
    ir_value *folded = ir_op_row(op)->fold(&builder, op);
    if (folded) {
      bool is_new = op->prev != last && ir_is_reshape(folded->op);
      ir_replace_op(op, folded);
      op = is_new ? folded->op : NULL;
      continue;
    }
    if (first->code == op->code)
      return;
    ir_index sizes[IR_MAX_RANK];
    for (unsigned dim = 0; dim < type->rank; dim++)
      sizes[dim] = splits ? ir_mixed(op, 1, "static_output_shape", dim) : pass_dim(&builder, ir_result(op, 0), dim);
    ir_value *original = ir_operand(first, 0), *value = regroup(&builder, original, type->rank, sizes);
    if (!value)
      return;
    ir_op *only = ir_is_reshape(value->op) && ir_operand(value->op, 0) == original ? value->op : NULL;
    ir_replace_op(op, value->type == type ? value : ir_unary(&builder, OP_TENSOR_CAST, value, type));
    op = only;
  }
}

/* All that reads elements of the value, or of it with more or less dims of extent 1, are contractions. */
static bool only_products_read(const ir_value *value) {
  unsigned kept[IR_MAX_RANK];
  for (const ir_use *use = value->uses; use; use = use->next) {
    bool is_same = ir_is_reshape(use->user) && recast_unit_dims(use->user, kept);
    if (is_same ? !only_products_read(ir_result(use->user, 0))
                : use->user->code != OP_TENSOR_DIM && !ir_is_contraction(use->user))
      return false;
  }
  return true;
}

/* A copy in another order, for products alone, of what an elementwise op makes: they read that by a map, and the op
 * runs in the order of its inputs. */
static bool is_read_in_place(const ir_op *op) {
  bool turns = is_move(op) && ir_map_is_projected_permutation(ir_structure_of(op)->maps[0]);
  const ir_op *maker = turns ? ir_operand(op, 0)->op : NULL;
  while (ir_is_reshape(maker))
    maker = ir_operand(maker, 0)->op;
  return maker && body_is_elementwise(maker) && only_products_read(ir_result(op, 0));
}

static void absorb(ir_op *op) {
  ir_op *before;
  if (is_read_in_place(op)) {
    drop_kept_dims(read_originals(op));
    return;
  }
  do {
    before = op;
    op = drop_kept_dims(split_loops(read_originals(split_softmax(op))));
  } while (op != before);
  write_transposed(op);
}

/* A reshape of what is only widened is taken of the narrow tensor, and widened behind it, where products find that. */
static ir_op *reshape_narrow(ir_op *op) {
  const ir_op *cast = ir_operand(op, 0)->op;
  if (!cast || !body_is_widening(cast))
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_value *narrow = ir_input(cast, 0), *wide = ir_result(op, 0);
  ir_op *reshape = recast_reshape(&builder, op, narrow);
  ir_value *out = pass_empty_like(&builder, ir_result(reshape, 0), wide->type->element);
  ir_replace_uses(wide, body_convert(&builder, ir_result(reshape, 0), out));
  ir_op_erase(op);
  return reshape;
}

/* The value is made, element by element, of tensors alone of integers, no truths, that have less than so many bits. */
static bool is_unpacked(const ir_value *value, unsigned bits) {
  const ir_op *op = value->op;
  if (ir_is_reshape(op))
    return is_unpacked(ir_operand(op, 0), bits);
  ir_scalar element = value->type->element;
  if (!op || !body_is_pointwise(op))
    return value->type->kind == IR_TYPE_TENSOR && !ir_scalar_is_float(element) && element != IR_I1 &&
           ir_scalar_bits(element) < bits;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (!is_unpacked(ir_operand(op, i), bits))
      return false;
  return ir_num_inputs(op) > 0;
}

/* The dims that the extents `from` and `to` of as many elements, both outermost first, can be split into: each extent
 * is the product of its neighbours there, num_from[i] and num_to[i] of them. Returns how many those are; 0: there are
 * none such, or more than `most`. */
static unsigned common_dims(const int64_t *from, ir_dims sources, const int64_t *to, ir_dims targets, unsigned most,
                            int64_t *extents, unsigned *num_from, unsigned *num_to) {
  unsigned count = 0, i = sources.first, k = targets.first;
  int64_t own = 1, other = 1; /* what is left of from[i], and of to[k] */
  while (true) {
    if (own == 1 && i < sources.end && !num_from[i])
      own = from[i];
    if (other == 1 && k < targets.end && !num_to[k])
      other = to[k];
    if (i == sources.end && k == targets.end)
      return count;
    if (i == sources.end || k == targets.end || count == most)
      return 0;
    int64_t extent = own < other ? own : other;
    if (!extent || own % extent || other % extent)
      return 0;
    extents[count++] = extent;
    num_from[i]++;
    num_to[k]++;
    own /= extent;
    other /= extent;
    i += own == 1;
    k += other == 1;
  }
}

static bool split_unpacked(ir_op *expand, unsigned bits);

/* What is merged and then split into other dims is split first, where dims are that make up both. */
static bool split_first(ir_op *expand, const ir_op *collapse, unsigned bits) {
  ir_value *source = ir_operand(collapse, 0);
  const ir_type *from = source->type, *to = ir_result(expand, 0)->type;
  unsigned num_from[IR_MAX_RANK] = {0}, num_to[IR_MAX_RANK] = {0}, rank = 0;
  int64_t extents[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK];
  if (!ir_type_is_static(from) || !ir_type_is_static(to))
    return false;
  for (unsigned dim = 0; dim < ir_operand(expand, 0)->type->rank; dim++) {
    unsigned count = common_dims(from->shape, ir_dims_of(collapse, dim), to->shape, ir_dims_of(expand, dim),
                                 IR_MAX_RANK - rank, extents + rank, num_from, num_to);
    if (!count)
      return false;
    rank += count;
  }
  for (unsigned dim = 0; dim < rank; dim++)
    sizes[dim] = ir_index_const(extents[dim]);
  ir_builder builder = ir_builder_before(expand);
  ir_value *split = rank == from->rank ? source : ir_expand(&builder, source, rank, sizes, num_from);
  ir_replace_op(expand, rank == to->rank ? split : ir_collapse(&builder, split, to, num_to));
  if (split != source)
    split_unpacked(split->op, bits);
  return true;
}

/* Dims that are split of what is unpacked, to that many bits, are split of what it is unpacked from, so that nothing
 * lies between the ops that unpack it and those that read it. False: the op stays as it is. */
static bool split_unpacked(ir_op *expand, unsigned bits) {
  ir_op *op = ir_operand(expand, 0)->op;
  recast parts;
  split how;
  if (!op || !is_unpacked(ir_result(op, 0), bits))
    return false;
  if (op->code == OP_TENSOR_COLLAPSE_SHAPE)
    return split_first(expand, op, bits);
  if (!body_is_pointwise(op) || !recast_begin(&parts, op))
    return false;
  for (unsigned dim = 0; dim < parts.num_loops; dim++) {
    ir_dims dims = ir_dims_of(expand, dim);
    unsigned loop = (unsigned)ir_init_map(op, 0)->results[dim]->value;
    how.count[loop] = dims.end - dims.first;
    for (unsigned part = dims.first; part < dims.end; part++)
      how.extents[loop][part - dims.first] = ir_mixed(expand, 1, "static_output_shape", part);
  }
  number_loops(&parts, &how);
  ir_builder builder = ir_builder_before(expand);
  parts.op = ir_op_clone(&builder, op, ir_value_map_create(op->module)); /* others may read the op as it is */
  ir_op *fresh = how.num_loops > IR_MAX_LOOPS ? parts.op : split_by(&parts, &how, &builder);
  ir_value *split = ir_result(fresh, 0);
  if (split->type != ir_result(expand, 0)->type) {
    ir_op_erase(fresh);
    return false;
  }
  ir_replace_op(expand, split);
  for (unsigned i = 0; i < ir_num_inputs(fresh); i++)
    if (ir_made_by(ir_operand(fresh, i), OP_TENSOR_EXPAND_SHAPE))
      split_unpacked(ir_operand(fresh, i)->op, bits);
  return true;
}

void pass_absorb_moves(ir_op *op, const pass_options *options) {
  unsigned kept[IR_MAX_RANK];
  bool adds_units = op->code == OP_TENSOR_EXPAND_SHAPE && recast_unit_dims(op, kept);
  if (op->code == OP_TENSOR_EXPAND_SHAPE && !adds_units &&
      split_unpacked(op, ir_scalar_bits(ir_result(op, 0)->type->element)))
    return;
  if (ir_is_reshape(op))
    reshape_original(reshape_narrow(op));
  else
    absorb(op);
}
