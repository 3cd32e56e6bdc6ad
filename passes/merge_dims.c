/* merge_dims.c - pass "merge-dims": dims that a product has as one loop are one in the ops around it, too.
 *
 *     p[r, c] = sum x[r, k] * w[c, k];  q = expand p into [b, s, c];  y[b, s, c] = f(q[b, s, c], z[b, s, c])   becomes
 *     p[r, c] = sum x[r, k] * w[c, k];  y'[r, c] = f(p[r, c], collapse z [r, c]);  y = expand y' into [b, s, c]
 *
 * Exporters write a layer over a batch of sequences as a product of rows, and what is between products, element by
 * element or row by row, over sequences. As one loop these fuse with the products and have tiles of rows like theirs
 * (a ViT layer of 2 sequences 1.25 times as fast, on a host). Reshapes are views, and where one merges what another
 * split, both go.
 *
 * One walk forwards, from what expands the rows of a product, and one backwards, from what a product's rows collapse.
 *
 * Invariants
 *  - Elements and the order of sums stay. Merged loops are parallel, of products those of one factor, and next to each
 *    other, in this order, in all operands that have one of them; the body does not ask for their indices.
 *  - At least two of the dims are longer than 1.
 * Terminates: each rewrite takes two loops or more from an op and adds none; the walks are one each. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"

enum { MAX_MAKERS = 32 };

/* Loops of an op that are to be one. */
typedef struct merged_loops {
  unsigned count, loops[IR_MAX_RANK];
} merged_loops;

/* ------------------------------------------------------------------------------------------------------ what merges */

/* The dim of the value is made by a loop over rows of a product, or over its columns: not one over batches; or by an op
 * whose loops were merged. `steps`: how many ops are looked at. */
static bool is_of_product(const ir_value *value, unsigned dim, unsigned *steps) {
  const ir_op *op = value->op;
  if (!op || !*steps || !--*steps || !ir_op_has(op, IR_STRUCTURED) || !op->num_regions)
    return false;
  const ir_structure *structure = ir_structure_of(op);
  int loop = ir_map_result_dim(ir_init_map(op, value->index), dim);
  if (loop < 0 || op->mark || ir_is_contraction(op))
    return loop >= 0 && (op->mark || ir_loop_side(structure, (unsigned)loop) >= 0);
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    int at = ir_map_find_dim(structure->maps[i], (unsigned)loop);
    if (at >= 0 && is_of_product(ir_input(op, i), (unsigned)at, steps))
      return true;
  }
  return false;
}

/* All who read the dim of the value are products that have it as rows or columns, or ops whose loops were merged. */
static bool goes_to_products(const ir_value *value, unsigned dim) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *op = use->user;
    if (!ir_op_has(op, IR_STRUCTURED) || ir_use_index(use) >= ir_num_inputs(op))
      return false;
    const ir_structure *structure = ir_structure_of(op);
    int loop = ir_map_result_dim(structure->maps[ir_use_index(use)], dim);
    if (loop < 0 || !(op->mark || (ir_is_contraction(op) && ir_loop_side(structure, (unsigned)loop) >= 0)))
      return false;
  }
  return value->uses != NULL;
}

static bool are_several(const ir_type *wide, ir_dims dims) {
  unsigned longer = 0;
  for (unsigned dim = dims.first; dim < dims.end; dim++)
    longer += wide->shape[dim] != 1;
  return longer > 1;
}

/* Where the loops begin in the map, as dims next to each other, or -1 where it has none of them; false where it has
 * some of them otherwise. */
static bool find_in_map(const ir_map *map, const merged_loops *merged, int *at) {
  unsigned used = 0;
  *at = ir_map_find_dim(map, merged->loops[0]);
  for (unsigned i = 0; i < merged->count; i++) {
    if (*at >= 0 &&
        ((unsigned)*at + i >= map->num_results || ir_map_result_dim(map, (unsigned)*at + i) != (int)merged->loops[i]))
      return false;
    for (unsigned dim = 0; dim < map->num_results; dim++)
      used += ir_expr_uses_dim(map->results[dim], merged->loops[i]);
  }
  return used == (*at < 0 ? 0 : merged->count);
}

/* The loops along these dims of the operand can be one. */
static bool find_loops(const recast *parts, unsigned operand, ir_dims dims, merged_loops *merged) {
  int at;
  unsigned count = dims.end - dims.first;
  uint32_t indices = body_indices(parts->op);
  bool is_product = ir_is_contraction(parts->op);
  *merged = (merged_loops){.count = count};
  for (unsigned i = 0; i < count; i++) {
    int loop = ir_map_result_dim(parts->maps[operand], dims.first + i);
    if (loop < 0 || (parts->reductions | indices) >> loop & 1 ||
        (is_product && ir_loop_side(ir_structure_of(parts->op), (unsigned)loop) < 0))
      return false;
    merged->loops[i] = (unsigned)loop;
  }
  for (unsigned i = 0; i < parts->num_ins + parts->num_outs; i++)
    if (!find_in_map(parts->maps[i], merged, &at))
      return false;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- merging */

/* The type with `count` dims from `first` on as one; counts: of dims that become each. */
static const ir_type *merged_type(ir_module *module, const ir_type *type, unsigned first, unsigned count,
                                  unsigned *counts) {
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned dim = 0; dim < type->rank; dim += counts[rank++])
    counts[rank] = dim == first ? count : 1;
  recast_merged_shape(rank, counts, type->shape, shape);
  return ir_type_with_shape(module, type, rank, shape);
}

static ir_value *merge_value(ir_builder *builder, ir_value *value, unsigned first, unsigned count) {
  unsigned counts[IR_MAX_RANK];
  const ir_type *type = merged_type(builder->module, value->type, first, count, counts);
  if (!ir_made_by(value, OP_LINALG_FILL) && !ir_made_by(value, OP_TENSOR_EMPTY))
    return ir_collapse(builder, value, type, counts);
  ir_index sizes[IR_MAX_RANK];
  for (unsigned rank = 0, dim = 0; rank < type->rank; dim += counts[rank++]) {
    sizes[rank] = pass_dim(builder, value, dim);
    for (unsigned i = 1; i < counts[rank]; i++)
      sizes[rank] = ir_index_mul(builder, sizes[rank], pass_dim(builder, value, dim + i));
  }
  return recast_start(builder, value, type->rank, sizes);
}

/* The map with the loops, which begin at its dim `at` (-1: it has none), as one in the place of the first of them. */
static const ir_map *merge_map(ir_module *module, const ir_map *map, const merged_loops *merged, int at,
                               const ir_expr *const *loops) {
  const ir_expr *results[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned dim = 0; dim < map->num_results; dim++)
    if (at < 0 || dim <= (unsigned)at || dim >= (unsigned)at + merged->count)
      results[rank++] = ir_expr_replace(module, map->results[dim], loops, NULL);
  return ir_map_get(module, map->num_dims - merged->count + 1, 0, rank, results);
}

/* A collapse of the value that merges the same dims, and no others. */
static bool merges_same(const ir_op *op, const ir_type *type) {
  return op->code == OP_TENSOR_COLLAPSE_SHAPE && ir_result(op, 0)->type == type;
}

/* Lets all who read the old result read the new one, in the old one's shape where they do not merge it themselves. */
static void replace_result(ir_builder *builder, ir_value *old, ir_value *fresh, unsigned first, unsigned count) {
  ir_index sizes[IR_MAX_RANK];
  unsigned counts[IR_MAX_RANK];
  merged_type(builder->module, old->type, first, count, counts);
  for (ir_use *use = old->uses, *next; use; use = next) {
    next = use->next;
    if (!merges_same(use->user, fresh->type))
      continue;
    ir_op *collapse = use->user;
    ir_replace_op(collapse, fresh);
  }
  if (ir_value_unused(old))
    return;
  for (unsigned dim = 0; dim < old->type->rank; dim++)
    sizes[dim] = pass_dim(builder, old, dim);
  ir_replace_uses(old, ir_expand(builder, fresh, old->type->rank, sizes, counts));
}

static ir_op *merge_loops(recast *parts, const merged_loops *merged) {
  ir_op *old = parts->op;
  ir_builder builder = ir_builder_before(old);
  const ir_expr *loops[IR_MAX_LOOPS];
  int at[RECAST_MAX_OPERANDS];
  uint32_t gone = 0;
  for (unsigned i = 1; i < merged->count; i++)
    gone |= ir_bit(merged->loops[i]);
  recast_drop_loops(parts, gone, loops);
  for (unsigned i = 0; i < parts->num_ins + parts->num_outs; i++) {
    find_in_map(parts->maps[i], merged, &at[i]);
    if (at[i] >= 0)
      parts->operands[i] = merge_value(&builder, parts->operands[i], (unsigned)at[i], merged->count);
    parts->maps[i] = merge_map(old->module, parts->maps[i], merged, at[i], loops);
  }
  ir_op *fresh = recast_create(parts, &builder, loops);
  fresh->mark = true;
  for (unsigned i = 0; i < old->num_results; i++)
    if (at[parts->num_ins + i] >= 0)
      replace_result(&builder, ir_result(old, i), ir_result(fresh, i), (unsigned)at[parts->num_ins + i], merged->count);
    else
      ir_replace_uses(ir_result(old, i), ir_result(fresh, i));
  ir_op_erase(old);
  return fresh;
}

/* ------------------------------------------------------------------------------------------------------------ walks */

/* The loops along what a reshape of the operand, or of all who read the result, makes of one dim that is a
 * product's. */
static bool find_split_rows(const recast *parts, merged_loops *merged) {
  for (unsigned i = 0; i < parts->num_ins; i++) {
    const ir_op *expand = ir_made_by(parts->operands[i], OP_TENSOR_EXPAND_SHAPE);
    if (!expand)
      continue;
    for (unsigned dim = 0; dim < ir_operand(expand, 0)->type->rank; dim++) {
      unsigned steps = MAX_MAKERS;
      ir_dims dims = ir_dims_of(expand, dim);
      if (are_several(parts->operands[i]->type, dims) && is_of_product(ir_operand(expand, 0), dim, &steps) &&
          find_loops(parts, i, dims, merged))
        return true;
    }
  }
  return false;
}

static bool find_merged_rows(const recast *parts, merged_loops *merged) {
  const ir_value *result = ir_result(parts->op, 0);
  const ir_op *first = result->uses ? result->uses->user : NULL;
  if (parts->op->num_results != 1 || !first || first->code != OP_TENSOR_COLLAPSE_SHAPE)
    return false;
  const ir_attr *groups = ir_attr_get(first, "reassociation");
  for (unsigned dim = 0; dim < groups->count; dim++) {
    ir_dims dims = ir_dims_of(first, dim);
    bool all = are_several(result->type, dims);
    for (const ir_use *use = result->uses; all && use; use = use->next)
      all = use->user->code == OP_TENSOR_COLLAPSE_SHAPE && ir_attr_get(use->user, "reassociation") == groups &&
            goes_to_products(ir_result(use->user, 0), dim);
    if (all && find_loops(parts, parts->num_ins, dims, merged))
      return true;
  }
  return false;
}

void pass_merge_dims(ir_block *block, const pass_options *options) {
  recast parts;
  merged_loops merged;
  if (!options->fuse)
    return;
  for (ir_op *op = block->first; op; op = op->next)
    op->mark = false;
  for (ir_op *op = block->first; op; op = op->next)
    while (recast_begin(&parts, op) && find_split_rows(&parts, &merged))
      op = merge_loops(&parts, &merged);
  for (ir_op *op = block->last; op; op = op->prev)
    while (recast_begin(&parts, op) && find_merged_rows(&parts, &merged))
      op = merge_loops(&parts, &merged);
}
