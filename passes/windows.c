/* windows.c - pass "windows": a convolution is a product with the windows of its input, laid out one by one.
 *
 *     y[n, f, i, j] = sum x[n, c, i + v, j + w] * k[f, c, v, w]
 *
 *     becomes    p[n, cvw, ij] = x[n, c, i + v, j + w]    and    y[n, f, ij] = sum k[f, cvw] * p[n, cvw, ij]
 *
 * As a sum over windows it has no factor that several lanes or rows of registers could share; as a product it is tiled,
 * packed and fused like all others. p has each element of x as often as windows have it, at most, and is made tile by
 * tile where fusion puts it into the product's loops. Loops that are neighbours in all that they are read and written
 * with become one.
 *
 * Invariants: sums have the same terms, in the order of the weights. All extents are known. Convolutions of each
 * channel by itself are no products and stay.
 * Terminates: the op that is made reads all its operands by plain subscripts. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/tile_policy.h"

#include <string.h>

enum {
  MIN_ROWS = 4,          /* of the product, for which windows are worth laying out .. */
  MANY_ROWS = 64,        /* .. on hosts also where that takes memory beyond the nearest caches .. */
  SMALL_BYTES = 1 << 20, /* .. which is more than that .. */
  MOST_BYTES = 512 << 20 /* .. but never more than that */
};

/* The loops of a convolution as the product has them: new loop i stands for loops[i], which are neighbours. */
typedef struct product_loops {
  unsigned num, counts[IR_MAX_LOOPS], loops[IR_MAX_LOOPS][IR_MAX_RANK];
} product_loops;

/* The operand that is read by windows while the other one and the result have plain subscripts; -1 where none is. */
static int find_windows(const ir_op *op) {
  int windows = -1;
  if (!ir_sums_products(op))
    return -1;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    if (type->kind != IR_TYPE_TENSOR || !ir_type_is_static(type))
      return -1;
    if (ir_map_is_projected_permutation(ir_structure_of(op)->maps[i]))
      continue;
    if (i == 2 || windows >= 0)
      return -1;
    windows = (int)i;
  }
  return windows;
}

/* Windows are further apart than one element, so that sums over them read single elements. */
static bool is_strided(const ir_op *op, const ir_map *windows) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t at[IR_MAX_LOOPS] = {0};
  for (unsigned dim = 0; dim < windows->num_results; dim++)
    for (unsigned loop = 0; loop < structure->num_loops; loop++) {
      const ir_expr *subscript = windows->results[dim];
      if (ir_loop_is_reduction(structure, loop) || ir_loop_size(op, loop) < 2 || !ir_expr_uses_dim(subscript, loop))
        continue;
      int64_t first = ir_expr_eval(subscript, structure->num_loops, at);
      at[loop] = 1;
      if (ir_expr_eval(subscript, structure->num_loops, at) - first > 1)
        return true;
      at[loop] = 0;
    }
  return false;
}

/* Windows overlap or have several places, and the product has rows of its own: loops that they do not depend on. Hosts
 * do few rows faster where they lie: 8 rows, 3 channels and 1022^2 places 5 times as fast; but 32 rows, 16 channels and
 * a stride of 2 take 5 times as long (f32, Zen 4). */
static bool is_worth_it(const ir_op *op, unsigned operand, const target_facts *target) {
  const ir_map *windows = ir_structure_of(op)->maps[operand];
  unsigned num_loops = ir_structure_of(op)->num_loops, longest = 0;
  int64_t rows = 1, bytes = ir_scalar_bytes(ir_operand(op, operand)->type->element);
  for (unsigned dim = 0; dim < windows->num_results; dim++) {
    unsigned longer = 0;
    for (unsigned loop = 0; loop < num_loops; loop++)
      longer += ir_expr_uses_dim(windows->results[dim], loop) && ir_loop_size(op, loop) > 1;
    longest = longer > longest ? longer : longest;
  }
  for (unsigned loop = 0; loop < num_loops; loop++) {
    int64_t *product = ir_map_uses_dim(windows, loop) ? &bytes : &rows;
    if (__builtin_mul_overflow(*product, ir_loop_size(op, loop), product))
      return false;
  }
  bool pays = target_is_gpu(target) || bytes <= SMALL_BYTES || rows >= MANY_ROWS || is_strided(op, windows);
  return num_loops <= IR_MAX_RANK && longest > 1 && rows >= MIN_ROWS && bytes <= MOST_BYTES && pays;
}

/* Adds the loops of the map's dims for which `in` says so, as one where they are neighbours in it and in the other. */
static void add_runs(const ir_map *map, const ir_map *other, uint32_t in, product_loops *all) {
  int before = -1;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int loop = ir_map_result_dim(map, dim);
    if (!(in >> loop & 1)) {
      before = -1;
      continue;
    }
    bool continues =
        before >= 0 && ir_map_find_dim(other, (unsigned)loop) == 1 + ir_map_find_dim(other, (unsigned)before);
    unsigned at = continues ? all->num - 1 : all->num++;
    if (!continues)
      all->counts[at] = 0;
    all->loops[at][all->counts[at]++] = (unsigned)loop;
    before = loop;
  }
}

/* The operand's dims merged as its loops are, with the map that reads it then. */
static ir_value *merge_operand(ir_builder *builder, ir_value *value, const ir_map *map, const product_loops *all,
                               const ir_map **merged) {
  const ir_expr *results[IR_MAX_RANK];
  unsigned counts[IR_MAX_RANK], rank = 0;
  int64_t shape[IR_MAX_RANK];
  for (unsigned dim = 0; dim < map->num_results; dim += counts[rank++])
    for (unsigned i = 0; i < all->num; i++)
      if (all->loops[i][0] == (unsigned)ir_map_result_dim(map, dim)) {
        counts[rank] = all->counts[i];
        results[rank] = ir_expr_dim(builder->module, i);
      }
  recast_merged_shape(rank, counts, value->type->shape, shape);
  *merged = ir_map_get(builder->module, all->num, 0, rank, results);
  if (rank == value->type->rank)
    return value;
  return ir_collapse(builder, value, ir_type_with_shape(builder->module, value->type, rank, shape), counts);
}

/* The windows in full: the dims are the loops of `all` that they depend on, in that order. */
static ir_value *lay_out(ir_builder *builder, const ir_op *op, unsigned operand, const product_loops *all,
                         const ir_map **map) {
  const ir_map *read = ir_structure_of(op)->maps[operand];
  const ir_expr *dims[IR_MAX_LOOPS] = {0}, *loops[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned i = 0; i < all->num; i++)
    for (unsigned k = 0; k < all->counts[i]; k++) {
      unsigned loop = all->loops[i][k];
      if (!ir_map_uses_dim(read, loop))
        continue;
      loops[rank] = ir_expr_dim(builder->module, loop);
      dims[loop] = ir_expr_dim(builder->module, rank);
      sizes[rank++] = ir_index_const(ir_loop_size(op, loop));
    }
  ir_value *input = ir_operand(op, operand);
  *map = ir_map_get(builder->module, ir_structure_of(op)->num_loops, 0, rank, loops);
  return body_copy(builder, input, ir_map_replace(builder->module, read, rank, dims),
                   ir_empty(builder, input->type->element, rank, sizes), ir_map_identity(builder->module, rank));
}

/* Terms are in the weights' order, before the last columns if the input's last dim is one of windows, so that lanes are
 * neighbours there, else behind them. False where the weights or the windows lack terms, or the result repeats. */
static bool order_loops(const ir_op *op, unsigned windows, product_loops *all) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *input = structure->maps[windows], *weights = structure->maps[1 - windows], *result = structure->maps[2];
  uint32_t rows = 0, columns = 0, shared = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    bool in_weights = ir_map_uses_dim(weights, loop), in_input = ir_map_uses_dim(input, loop);
    bool is_term = ir_loop_is_reduction(structure, loop);
    if (!in_input && (is_term || !in_weights))
      return false;
    if (!is_term)
      *(in_weights && in_input ? &shared : in_weights ? &rows : &columns) |= ir_bit(loop);
  }
  add_runs(weights, result, shared, all);
  add_runs(result, result, columns, all);
  unsigned last = all->num - 1;
  bool is_last = !columns || ir_map_result_dim(input, input->num_results - 1) >= 0;
  if (!is_last)
    all->num--;
  product_loops after = *all;
  add_runs(weights, weights, structure->reductions, all);
  if (!is_last) {
    memcpy(all->loops[all->num], after.loops[last], sizeof *after.loops);
    all->counts[all->num++] = after.counts[last];
  }
  add_runs(result, weights, rows, all);
  unsigned total = 0;
  for (unsigned i = 0; i < all->num; i++)
    total += all->counts[i];
  return total == structure->num_loops;
}

void pass_windows(ir_op *op, const pass_options *options) {
  recast parts;
  product_loops all = {0};
  int windows = find_windows(op);
  if (windows < 0 || !is_worth_it(op, (unsigned)windows, options->target) || !recast_begin(&parts, op) ||
      !order_loops(op, (unsigned)windows, &all))
    return;
  ir_builder builder = ir_builder_before(op);
  parts.operands[windows] = lay_out(&builder, op, (unsigned)windows, &all, &parts.maps[windows]);
  parts.num_loops = all.num;
  parts.reductions = 0;
  for (unsigned i = 0; i < all.num; i++)
    parts.reductions |= ir_loop_is_reduction(ir_structure_of(op), all.loops[i][0]) ? ir_bit(i) : 0;
  for (unsigned i = 0; i < 3; i++)
    parts.operands[i] = merge_operand(&builder, parts.operands[i], parts.maps[i], &all, &parts.maps[i]);
  ir_value *result = ir_result(recast_create(&parts, &builder, NULL), 0), *old = ir_result(op, 0);
  if (result->type != old->type) {
    ir_index sizes[IR_MAX_RANK];
    unsigned counts[IR_MAX_RANK];
    for (unsigned dim = 0; dim < old->type->rank; dim++)
      sizes[dim] = ir_index_const(old->type->shape[dim]);
    for (unsigned dim = 0; dim < result->type->rank; dim++)
      counts[dim] = all.counts[ir_map_result_dim(parts.maps[2], dim)];
    result = ir_expand(&builder, result, old->type->rank, sizes, counts);
  }
  ir_replace_op(op, result);
}
