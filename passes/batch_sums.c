/* batch_sums.c - reductions over the batches of a product, batch by batch (hosts).
 *
 *     p[b, m, n] = sum x[b, m, k] * w[b, n, k];  y[m, n] = sum over b of f(p[b, m, n], ..)
 *
 * as products of integers in blocks, each with scales of its own, are, or scores of several heads that are added up.
 * With a loop over b around both no more than one batch of p exists at a time:
 *
 *     wt[b, n] = w[n, b];  for b { p[m, n] = ..;  y'[m, n] += f(p[m, n], wt[b, n], ..) };  y = y'
 *
 * What f reads along the columns, scales as a rule, is turned before the loop where the batches lie innermost, since
 * each step would gather it. The sums have a place of their own: the rows of y may be pages apart, and meet in few sets
 * of the first cache.
 * Terminates: the walk to the product follows producers upwards, the rest are loops over operands and dims. */
#include "passes/batch_sums.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum { MAX_MAKERS = 16 }; /* elementwise ops on the way to the product */

static bool are_bytes(const ir_op *product) {
  return ir_input(product, 0)->type->element == IR_I8 && ir_input(product, 1)->type->element == IR_I8;
}

/* The product has many rows and columns; of bytes, which add up to i32, a few rows are enough, and even one where the
 * machine adds up four at a time: to add up lanes of so few terms takes longer than to put words of several columns
 * together (1 x 4096 x 4096 in blocks of 32, each with scales, 1.83 ms and .81, 8 rows 27 ms and 2; but 4 queries of
 * f32 in 16 heads by 4096 keys .39 ms and .78; Zen 4, one thread). */
static bool has_columns(const ir_op *product, const target_facts *target) {
  int64_t least = !are_bytes(product) ? TILE_MIN_ROWS : target->integer_terms == TARGET_BYTES ? 1 : 2;
  int64_t sides[2] = {ir_own_iterations(product, 0, 1), ir_own_iterations(product, 1, 0)};
  for (unsigned side = 0; side < 2; side++)
    if (sides[side] == IR_DYNAMIC || sides[side] > TILE_MIN_ROWS)
      sides[side] = TILE_MIN_ROWS;
  return sides[0] >= least && sides[1] >= least && sides[0] + sides[1] >= TILE_MIN_ROWS + least;
}

/* The product has the loop as a batch. `whole`: and adds up integers. */
static bool has_batch(const ir_op *product, unsigned loop, bool whole) {
  const ir_structure *structure = ir_structure_of(product);
  return !ir_loop_is_reduction(structure, loop) && ir_map_uses_dim(structure->maps[0], loop) &&
         ir_map_uses_dim(structure->maps[1], loop) &&
         !(whole && ir_scalar_is_float(ir_init(product, 0)->type->element));
}

/* The op reads, each element once, what elementwise ops make for nobody else of a product that has `loop` as a batch,
 * one of integers if it is to be `whole`. `steps`: how many ops are looked at. */
static bool runs_over_batches(const ir_op *op, unsigned loop, bool whole, const target_facts *target, unsigned *steps) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_map *map = ir_structure_of(op)->maps[i];
    const ir_op *maker = ir_input(op, i)->op;
    if (!ir_map_is_permutation(map) || !maker || maker->block != op->block || !ir_op_has(maker, IR_STRUCTURED) ||
        maker->num_results != 1 || !maker->num_regions || !ir_value_has_one_use(ir_result(maker, 0)) || !*steps ||
        !--*steps)
      continue;
    int inner = ir_map_result_dim(ir_init_map(maker, 0), (unsigned)ir_map_find_dim(map, loop));
    if (inner < 0)
      continue;
    if (ir_is_contraction(maker)
            ? has_batch(maker, (unsigned)inner, whole) && has_columns(maker, target)
            : !ir_structure_of(maker)->reductions && runs_over_batches(maker, (unsigned)inner, whole, target, steps))
      return true;
  }
  return false;
}

int batch_sums_loop(const ir_op *op, const target_facts *target) {
  unsigned steps = MAX_MAKERS;
  if (target_is_gpu(target) || !ir_op_has(op, IR_STRUCTURED) || !op->num_regions || op->num_results != 1 ||
      !ir_map_is_projected_permutation(ir_init_map(op, 0)))
    return -1;
  int loop = ir_last_reduction(ir_structure_of(op));
  bool weighs = ir_sums_products(op); /* experts' results, too, of which each takes long */
  bool found = loop >= 0 && ir_structure_of(op)->reductions == ir_bit((unsigned)loop) &&
               ir_loop_size(op, (unsigned)loop) != 1 && runs_over_batches(op, (unsigned)loop, weighs, target, &steps);
  return found ? loop : -1;
}

bool batch_sums_read(const ir_op *product, const target_facts *target) {
  const ir_value *value = ir_result(product, 0);
  for (unsigned steps = 0; steps < MAX_MAKERS && ir_value_has_one_use(value); steps++) {
    const ir_op *user = value->uses->user;
    if (batch_sums_loop(user, target) >= 0)
      return true;
    if (!body_is_elementwise(user) || user->num_results != 1)
      return false;
    value = ir_result(user, 0);
  }
  return false;
}

/* The slice that the op reads of a tensor from before the loop, of one batch, which lies innermost there, and of lanes:
 * rows of the op's result. NULL: the input is no such. */
static ir_op *turned_slice(const ir_op *op, unsigned input, unsigned loop, const ir_op *around) {
  ir_op *slice = ir_made_by(ir_input(op, input), OP_TENSOR_EXTRACT_SLICE);
  const ir_map *map = ir_structure_of(op)->maps[input];
  int lanes = ir_map_last_dim(ir_init_map(op, 0)), last = ir_map_last_dim(map);
  if (!slice || last != (int)loop || lanes < 0 || ir_map_find_dim(map, (unsigned)lanes) < 0 ||
      !ir_map_is_projected_permutation(map) || !ir_value_has_one_use(ir_result(slice, 0)))
    return NULL;
  ir_slice part = ir_slice_of(slice);
  ir_value *source = ir_operand(slice, 0);
  if (!ir_slice_has_unit_strides(&part) || part.rank != map->num_results ||
      !ir_value_is_outside(source, ir_region(around, 0)))
    return NULL;
  for (unsigned dim = 0; dim + 1 < part.rank; dim++)
    if ((part.offsets[dim].value && !ir_value_is_outside(part.offsets[dim].value, ir_region(around, 0))) ||
        (part.sizes[dim].value && !ir_value_is_outside(part.sizes[dim].value, ir_region(around, 0))))
      return NULL;
  return slice;
}

/* The same elements, of a tensor that is turned before the loop: its first dim is that of batches. */
static ir_value *turn_before(ir_op *slice, ir_op *around) {
  ir_module *module = slice->module;
  ir_slice part = ir_slice_of(slice), turned = {.rank = part.rank};
  ir_builder before = ir_builder_before(around), builder = ir_builder_before(slice);
  ir_index shape[IR_MAX_RANK];
  const ir_expr *written[IR_MAX_RANK];
  const ir_type *type = ir_result(slice, 0)->type;
  unsigned last = part.rank - 1;
  int64_t kept[IR_MAX_RANK];
  ir_value *source = ir_operand(slice, 0);
  ir_slice whole = part;
  whole.offsets[last] = ir_index_const(0);
  whole.sizes[last] = pass_dim(&before, source, last);
  ir_value *rows = ir_extract_slice(&before, source, whole.offsets, whole.sizes, NULL);
  for (unsigned dim = 0; dim < part.rank; dim++) {
    unsigned from = dim ? dim - 1 : last;
    written[dim] = ir_expr_dim(module, from);
    shape[dim] = whole.sizes[from];
    turned.offsets[dim] = dim ? ir_index_const(0) : part.offsets[last];
    turned.sizes[dim] = dim ? whole.sizes[from] : ir_index_const(1);
    if (dim)
      kept[dim - 1] = type->shape[from];
  }
  ir_value *out = ir_empty(&before, type->element, part.rank, shape);
  out = body_copy(&before, rows, ir_map_identity(module, part.rank), out,
                  ir_map_get(module, part.rank, 0, part.rank, written));
  return ir_extract_slice(&builder, out, turned.offsets, turned.sizes, ir_type_with_shape(module, type, last, kept));
}

static const ir_map *drop_result(ir_module *module, const ir_map *map, unsigned dim) {
  const ir_expr *results[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < map->num_results; i++)
    if (i != dim)
      results[count++] = map->results[i];
  return ir_map_get(module, map->num_dims, 0, count, results);
}

static ir_op *drop_loop(ir_op *op, unsigned loop, ir_op *around);

/* The value without the dim, which has extent 1; a product is made so. */
static ir_value *drop_dim(ir_builder *builder, ir_value *value, unsigned dim, ir_op *around) {
  unsigned kept = 0;
  int64_t shape[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK];
  tile_box whole;
  if (value->op && value->op->block == ir_region(around, 0) && ir_is_contraction(value->op) &&
      ir_value_has_one_use(value)) {
    int loop = ir_map_result_dim(ir_init_map(value->op, 0), dim);
    return ir_result(drop_loop(value->op, (unsigned)loop, around), 0);
  }
  tile_whole(builder, value, &whole);
  for (unsigned i = 0; i < whole.rank; i++)
    if (i != dim) {
      sizes[kept] = whole.sizes[i];
      shape[kept++] = value->type->shape[i];
    }
  ir_value *start = recast_start(builder, value, kept, sizes);
  const ir_type *type = ir_type_with_shape(builder->module, value->type, kept, shape);
  return start ? start : ir_extract_slice(builder, value, whole.offsets, whole.sizes, type);
}

/* Takes the loop, which has one iteration, from the op and those operands that have it. The op stays. */
static ir_op *drop_loop(ir_op *op, unsigned loop, ir_op *around) {
  recast parts;
  const ir_expr *loops[IR_MAX_LOOPS];
  ir_builder builder = ir_builder_before(op);
  recast_begin(&parts, op);
  recast_drop_loops(&parts, ir_bit(loop), loops);
  for (unsigned i = 0; i < parts.num_ins + parts.num_outs; i++) {
    const ir_map *map = parts.maps[i];
    ir_op *slice = i < parts.num_ins ? turned_slice(op, i, loop, around) : NULL;
    int dim = ir_map_find_dim(map, loop);
    if (dim >= 0)
      parts.operands[i] =
          slice ? turn_before(slice, around) : drop_dim(&builder, parts.operands[i], (unsigned)dim, around);
    parts.maps[i] =
        ir_map_replace(op->module, dim < 0 ? map : drop_result(op->module, map, (unsigned)dim), parts.num_loops, loops);
  }
  return recast_create(&parts, &builder, loops);
}

void batch_sums_finish(const fuse_result *tiled, unsigned loop) {
  ir_op *around = tiled->loops[0];
  ir_value *sums = ir_result(around, 0);
  ir_replace_op_by(tiled->root, drop_loop(tiled->root, loop, around));
  ir_builder builder = ir_builder_after(around);
  const ir_map *identity = ir_map_identity(around->module, sums->type->rank);
  ir_value *out = pass_empty_like(&builder, sums, sums->type->element);
  ir_value *copy = body_copy(&builder, sums, identity, out, identity);
  ir_replace_uses(sums, copy);
  ir_set_operand(copy->op, 0, sums);
}
