/* torch.c - pass "decompose-torch": torch-mlir's scatters (scatter.c), sorts (sort.c) and scans become loops over
 * slices, or structured ops.
 *
 * A scan becomes a loop over slices of each block of rows, which keeps sums of floats in wider ones. On GPUs, which
 * have no loops around kernels, each element is a reduction over all before it, where the body combines in any order.
 * Terminates: one walk; the ops that are created are of other kinds. */
#include "passes/torch.h"

#include "ir/torch.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/row_blocks.h"
#include "passes/tile_policy.h"
#include "passes/vectorize.h"

ir_value *torch_combine(ir_builder *builder, const ir_op *op, ir_value *read, ir_value *into, ir_value *first) {
  const ir_block *block = ir_region(op, 0);
  ir_op *generic = body_by_element(builder, 1, &read, into);
  ir_builder body = body_of(generic);
  ir_value_map *map = ir_value_map_create(body.module);
  ir_value_map_set(map, block->args[first == into], body_argument(generic, 0));
  ir_value_map_set(map, block->args[first == read], body_argument(generic, 1));
  recast_clone_body(block, &body, map, 0, NULL);
  return body_finish(&body, generic, ir_value_map_get(map, ir_operand(block->last, 0)));
}

/* ------------------------------------------------------------------------------------------------------------ scans */

enum { SCAN_IN, SCAN_OUT, SCAN_LAST };

/* The op by which the body combines its arguments, whose order does not matter; NULL where it does otherwise. */
static const ir_op *combiner_of(const ir_op *op) {
  const ir_op *combiner = body_combiner(op);
  return combiner && ir_op_has(combiner, IR_ELEMENTWISE | IR_COMMUTATIVE | IR_SAME_TYPE) ? combiner : NULL;
}

/* What sums and products so far are kept in: a wider float than their elements, as PyTorch keeps them. */
static ir_scalar element_so_far(const ir_op *op, const ir_op *combiner) {
  ir_scalar element = ir_operand(op, SCAN_LAST)->type->element;
  if (!combiner || (combiner->code != OP_ARITH_ADDF && combiner->code != OP_ARITH_MULF))
    return element;
  return ir_scalar_bits(element) < 32 ? IR_F32 : IR_F64;
}

/* What the body makes of what was combined `before`, and the next elements. */
static ir_value *combine_next(ir_builder *builder, const ir_op *op, const ir_op *combiner, ir_value *before,
                              ir_value *next) {
  if (before->type->element == next->type->element)
    return torch_combine(builder, op, next, before, before);
  ir_op *generic = body_by_element(builder, 1, &next, before);
  ir_builder body = body_of(generic);
  ir_value *wide = body_argument(generic, 1), *element = ir_convert(&body, body_argument(generic, 0), wide->type);
  return body_finish(&body, generic, ir_binary(&body, combiner->code, wide, element));
}

enum {
  SCAN_ELEMENTS = 1024, /* of one step, in a block of rows: they stay in registers, or the first-level cache .. */
  SCAN_ROWS = 4,         /* .. and rows whose elements are apart */
};

/* Blocks of rows: the elements of a step lie together, or are few. */
static void scan_steps(const ir_type *type, unsigned scanned, int64_t *steps) {
  int64_t left = scanned + 1u == type->rank ? SCAN_ROWS : SCAN_ELEMENTS;
  for (unsigned dim = type->rank; dim-- > 0;) {
    int64_t extent = type->shape[dim] == IR_DYNAMIC ? left : type->shape[dim];
    steps[dim] = dim == scanned ? 1 : extent < left ? extent : left;
    left = left / steps[dim] ? left / steps[dim] : 1;
  }
}

/* The offsets, or sizes, without that dim. */
static void drop_dim(unsigned rank, unsigned dropped, const ir_index *all, ir_index *left) {
  for (unsigned dim = 0; dim < rank; dim++)
    if (dim != dropped)
      left[dim - (dim > dropped)] = all[dim];
}

/* One element of each row of a block after the other. */
static void scan_in_loop(ir_op *op, unsigned scanned, const ir_op *combiner) {
  ir_builder builder = ir_builder_before(op), rows, body;
  ir_value *in = ir_operand(op, SCAN_IN), *out = ir_operand(op, SCAN_OUT), *last = ir_operand(op, SCAN_LAST);
  unsigned rank = in->type->rank;
  int64_t steps[IR_MAX_RANK] = {0}, shape[IR_MAX_RANK];
  scan_steps(in->type, scanned, steps);
  ir_value *outs[] = {out, last};
  row_blocks blocks = row_blocks_create(&builder, in, scanned, steps, 2, outs, &rows);
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], step[IR_MAX_RANK], none[IR_MAX_RANK];
  drop_dim(rank, scanned, blocks.offsets, offsets);
  drop_dim(rank, scanned, blocks.sizes, sizes);
  for (unsigned dim = 0; dim < rank; dim++) {
    step[dim] = dim == scanned ? ir_index_const(1) : blocks.sizes[dim];
    none[dim] = ir_index_const(0);
    shape[dim] = dim + 1 < rank ? ir_index_static(sizes[dim]) : 0;
  }
  const ir_type *type = ir_type_with_shape(op->module, in->type, rank - 1, shape);
  ir_value *first = ir_extract_slice(&rows, blocks.outs[1], offsets, sizes, NULL);
  ir_value *start = body_convert(&rows, first, pass_empty_like(&rows, first, element_so_far(op, combiner)));
  ir_value *block = ir_extract_slice(&rows, in, blocks.offsets, blocks.sizes, NULL);
  ir_value *inits[] = {ir_extract_slice(&rows, blocks.outs[0], blocks.offsets, blocks.sizes, NULL), start};
  ir_op *loop = ir_for(&rows, none[0], blocks.sizes[scanned], ir_index_const(1), 2, inits);
  ir_value **args = ir_region(loop, 0)->args, *before = args[2];
  body = ir_builder_at_end(ir_region(loop, 0));
  none[scanned] = (ir_index){.value = args[0]};
  ir_value *part = ir_extract_slice(&body, block, none, step, type);
  ir_value *after = combine_next(&body, op, combiner, before, part);
  ir_value *shown = ir_attr_int_or(op, "inclusive", 1) ? after : before;
  ir_value *written = body_convert(&body, shown, pass_empty_like(&body, part, type->element));
  ir_value *next[] = {ir_insert_slice(&body, written, args[1], none, step), after};
  ir_terminator(&body, OP_SCF_YIELD, 2, next);
  ir_value *ended = body_convert(&rows, ir_result(loop, 1), first);
  ir_builder inserts = ir_in_parallel(&rows);
  ir_parallel_insert_slice(&inserts, ir_result(loop, 0), blocks.outs[0], blocks.offsets, blocks.sizes);
  ir_parallel_insert_slice(&inserts, ended, blocks.outs[1], offsets, sizes);
  ir_replace_op_by(op, blocks.forall);
}

const ir_map *torch_map_along(ir_module *module, unsigned rank, unsigned row) {
  unsigned dims[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++)
    dims[dim] = dim == row ? rank : dim;
  return ir_map_select(module, rank + 1, rank, dims);
}

/* Each element is a reduction over those up to it, from the second out on, and the last one over all. */
static void scan_by_reductions(ir_op *op, unsigned scanned, ir_opcode code) {
  ir_builder builder = ir_builder_before(op);
  ir_module *module = op->module;
  ir_value *in = ir_operand(op, SCAN_IN), *last = ir_operand(op, SCAN_LAST);
  unsigned rank = in->type->rank;
  const int64_t dropped[] = {scanned};
  const ir_map *kept = ir_map_without(module, rank, 1, dropped), *identity = ir_map_identity(module, rank);
  ir_value *out = body_copy(&builder, last, kept, ir_operand(op, SCAN_OUT), identity);
  const ir_map *maps[] = {torch_map_along(module, rank, scanned), ir_map_select(module, rank + 1, rank, NULL)};
  ir_op *sums = ir_generic(&builder, 1, &in, 1, &out, maps, rank + 1, ir_bit(rank));
  ir_builder body = body_of(sums);
  ir_predicate before = ir_attr_int_or(op, "inclusive", 1) ? IR_SIGNED_LESS_EQUAL : IR_SIGNED_LESS;
  ir_value *position = ir_loop_index(&body, rank), *own = ir_loop_index(&body, scanned);
  ir_value *counts = ir_compare(&body, OP_ARITH_CMPI, before, position, own), *element = body_argument(sums, 0);
  ir_value *neutral = ir_splat(&body, element->type, vectorize_neutral(code, element->type->element));
  element = ir_select(&body, counts, element, neutral);
  ir_replace_uses(ir_result(op, 0), body_finish(&body, sums, ir_binary(&body, code, body_argument(sums, 1), element)));
  ir_op *all = ir_generic(&builder, 1, &in, 1, &last, (const ir_map *[]){identity, kept}, rank, ir_bit(scanned));
  body = body_of(all);
  element = ir_binary(&body, code, body_argument(all, 1), body_argument(all, 0));
  ir_replace_uses(ir_result(op, 1), body_finish(&body, all, element));
  ir_op_erase(op);
}

static void decompose_scan(ir_op *op, bool on_gpu) {
  unsigned scanned = (unsigned)ir_attr_int_or(op, "dimension", 0);
  const ir_op *combiner = combiner_of(op);
  if (on_gpu && combiner)
    scan_by_reductions(op, scanned, combiner->code);
  else
    scan_in_loop(op, scanned, combiner);
}

/* ------------------------------------------------------------------------------------------------------------- pass */

static bool is_empty(const ir_value *tensor) {
  bool empty = false;
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    empty |= tensor->type->shape[dim] == 0;
  return empty;
}

static bool visit(ir_op *op, void *on_gpu) {
  if (op->code != OP_TM_TENSOR_SCATTER && op->code != OP_TM_TENSOR_SCAN && op->code != OP_TM_TENSOR_SORT)
    return true;
  if (is_empty(ir_operand(op, 0))) { /* a loop that never runs would have no slices to take */
    for (unsigned i = 0; i < op->num_results; i++)
      ir_replace_uses(ir_result(op, i), ir_init(op, i));
    ir_op_erase(op);
  } else if (op->code == OP_TM_TENSOR_SCATTER) {
    torch_decompose_scatter(op, *(bool *)on_gpu);
  } else if (op->code == OP_TM_TENSOR_SCAN) {
    decompose_scan(op, *(bool *)on_gpu);
  } else {
    torch_decompose_sort(op, *(bool *)on_gpu);
  }
  return true;
}

bool pass_decompose_torch(ir_module *module, const pass_options *options) {
  bool on_gpu = target_is_gpu(options->target);
  return ir_walk(ir_region(module->root, 0), visit, &on_gpu);
}
