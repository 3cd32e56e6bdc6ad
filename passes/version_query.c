/* version_query.c - see version_query.h.
 *
 * With a known number of queries, heads that share keys are rows of one tile (tile_rows_loop, join_rows.c), and the
 * schedule's steps over keys are those for so many rows. Where that number is open, the schedule gives each head tiles
 * of its own, whose rows are its queries, and steps for many: these may pay for what they read. The version for one
 * query (version.c) would read keys and values once for each head, though: so there the loop over heads takes all of
 * them in one step, and every dim in which tiles have one head has as many. Then steps become those for that many rows.
 * (One query of 32 x 4 heads over 8192 keys of 128 features 2.1 times as fast, in f32 2.7 times; 8 x 4 over 512, from
 * the last cache, 1.9 times; Zen 4.)
 *
 * Dims are found from views at the loop's counter, over views and the loops of structured ops, in both directions.
 * Invariants: elements and the order of sums over a step stay. No heads are joined where such a dim, or the counter,
 * goes anywhere else.
 * Terminates: dims are only added to those found, until a walk finds no more. */
#include "passes/version_query.h"

#include "ir/build.h"
#include "ir/pointer_map.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/tile_policy.h"

/* ------------------------------------------------------------------------------------------------------------ heads */

typedef struct group {
  const ir_op *kernel;
  const ir_value *counter;
  int64_t heads;
  ir_pointer_map dims; /* from buffers to bits of their dims of heads */
  bool grows, can, is_shared;
} group;

static uintptr_t dims_of(const group *g, const ir_value *value) {
  return (uintptr_t)ir_pointer_map_get(&g->dims, value, NULL);
}

static void add_dim(group *g, ir_value *value, unsigned dim) {
  uintptr_t bit = (uintptr_t)1 << dim, dims = dims_of(g, value);
  g->can &= value->type->shape[dim] == 1 && !ir_value_is_outside(value, ir_region(g->kernel, 0));
  if (dims & bit)
    return;
  ir_pointer_map_set(&g->kernel->module->arena, &g->dims, value, (void *)(dims | bit));
  g->grows = true;
}

static void visit_view(group *g, ir_op *op) {
  ir_value *source = ir_operand(op, 0), *view = ir_result(op, 0);
  ir_slice slice = ir_slice_of(op);
  bool keeps_rank = view->type->rank == source->type->rank;
  g->can &= keeps_rank || !(dims_of(g, source) | dims_of(g, view));
  for (unsigned dim = 0; dim < slice.rank; dim++) {
    bool is_head = slice.offsets[dim].value == g->counter,
         is_found = (dims_of(g, source) | dims_of(g, view)) >> dim & 1;
    if (is_head || is_found)
      g->can &= keeps_rank && ir_index_is_const(slice.sizes[dim], 1) && slice.offsets[dim].constant == 0 &&
                (is_head || !slice.offsets[dim].value);
    if (!g->can)
      return;
    if (is_head || is_found)
      add_dim(g, view, dim);
    if (is_found && !is_head)
      add_dim(g, source, dim);
  }
}

/* The loops of a structured op that are subscripts of dims found. */
static uint32_t loops_of(group *g, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  uint32_t loops = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; dim < structure->maps[i]->num_results; dim++) {
      int loop = ir_map_result_dim(structure->maps[i], dim);
      if (dims_of(g, ir_operand(op, i)) >> dim & 1) {
        g->can &= loop >= 0;
        loops |= loop >= 0 ? ir_bit((unsigned)loop) : 0;
      }
    }
  return loops;
}

/* A factor of each product has the loop, and the other one, keys or values, does not. */
static void visit_structured(group *g, ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  uint32_t loops = loops_of(g, op);
  for (unsigned loop = 0; loop < structure->num_loops && g->can; loop++) {
    if (!(loops & ir_bit(loop)))
      continue;
    g->is_shared |= ir_is_contraction(op);
    g->can &= !ir_loop_is_reduction(structure, loop);
    g->can &= !ir_is_contraction(op) || ir_loop_side(structure, loop) >= 0;
    for (unsigned i = 0; i < op->num_operands; i++)
      for (unsigned dim = 0; dim < structure->maps[i]->num_results; dim++)
        if (ir_map_result_dim(structure->maps[i], dim) == (int)loop)
          add_dim(g, ir_operand(op, i), dim);
        else
          g->can &= !ir_expr_uses_dim(structure->maps[i]->results[dim], loop);
  }
  g->can &= !(loops & body_indices(op));
}

/* The op uses the counter as anything else than an offset of a view. */
static bool uses_counter(const group *g, const ir_op *op) {
  unsigned uses = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    uses += ir_operand(op, i) == g->counter;
  if (op->code == OP_MEMREF_SUBVIEW) {
    ir_slice slice = ir_slice_of(op);
    for (unsigned dim = 0; dim < slice.rank; dim++)
      uses -= slice.offsets[dim].value == g->counter;
  }
  return uses;
}

/* Finds dims of what the op reads and writes; anything else than a view, a copy or a structured op has none. */
static void find_dims(group *g, ir_op *op) {
  g->can &= !uses_counter(g, op);
  if (op->code == OP_MEMREF_SUBVIEW) {
    visit_view(g, op);
  } else if (ir_op_has(op, IR_STRUCTURED)) {
    visit_structured(g, op);
  } else if (op->code == OP_MEMREF_COPY) {
    for (unsigned dim = 0; dim < ir_operand(op, 0)->type->rank; dim++)
      for (unsigned i = 0; i < 2; i++)
        if (dims_of(g, ir_operand(op, i)) >> dim & 1)
          add_dim(g, ir_operand(op, 1 - i), dim);
  } else if (op->code != OP_MEMREF_DEALLOC) {
    for (unsigned i = 0; i < op->num_operands; i++)
      g->can &= !dims_of(g, ir_operand(op, i));
  }
}

/* Buffers and views have all heads. */
static bool take_heads(ir_op *op, void *data) {
  const group *g = data;
  uintptr_t dims = op->num_results ? dims_of(g, ir_result(op, 0)) : 0;
  ir_builder builder = ir_builder_before(op);
  if (!dims)
    return true;
  if (op->code == OP_MEMREF_SUBVIEW) {
    ir_slice slice = ir_slice_of(op);
    for (unsigned dim = 0; dim < slice.rank; dim++)
      if (dims >> dim & 1)
        slice.offsets[dim] = ir_index_const(0), slice.sizes[dim] = ir_index_const(g->heads);
    ir_replace_op(op, ir_subview(&builder, ir_operand(op, 0), slice.offsets, slice.sizes));
    return true;
  }
  const ir_type *type = ir_result(op, 0)->type;
  int64_t shape[IR_MAX_RANK];
  ir_value *sizes[IR_MAX_RANK];
  unsigned num_sizes = 0, at = 0;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    ir_value *size = type->shape[dim] == IR_DYNAMIC ? ir_operand(op, at++) : NULL;
    shape[dim] = dims >> dim & 1 ? g->heads : type->shape[dim];
    if (shape[dim] == IR_DYNAMIC)
      sizes[num_sizes++] = size;
  }
  type = ir_type_with_shape(op->module, type, type->rank, shape);
  ir_replace_op(op, ir_create(&builder, op->code, type, num_sizes, sizes, op->num_attrs, op->attrs));
  return true;
}

/* The loop over heads of the kernel becomes one step; false where it cannot, or does not share anything. */
static bool join(ir_op *kernel, unsigned dim, int64_t heads) {
  ir_block *body = ir_region(kernel, 0);
  group g = {.kernel = kernel, .counter = body->args[dim], .heads = heads, .grows = true, .can = true};
  while (g.grows && g.can) {
    g.grows = false;
    for (ir_op *op = ir_next_inside(kernel, kernel); op && g.can; op = ir_next_inside(kernel, op))
      find_dims(&g, op);
  }
  if (!g.can || !g.is_shared)
    return false;
  ir_walk(body, take_heads, &g);
  extent_set_step(kernel, dim, heads);
  return true;
}

/* The iterations of all other loops of the kernel; of an open number, as of sequences, there are many. */
static int64_t other_iterations(const ir_op *kernel, unsigned dim, int64_t many) {
  int64_t iterations = 1;
  for (unsigned i = 0; i < ir_region(kernel, 0)->num_args && iterations < many; i++) {
    ir_bounds bounds = ir_bounds_of(kernel, i);
    if (bounds.lower.value || bounds.upper.value || bounds.step.value)
      return many;
    if (i != dim)
      iterations *= (bounds.upper.constant - bounds.lower.constant - 1) / bounds.step.constant + 1;
  }
  return iterations;
}

void version_join_heads(ir_op *kernel, const target_facts *target) {
  int64_t threads = target->threads;
  for (unsigned dim = 0; dim < ir_region(kernel, 0)->num_args; dim++) {
    ir_bounds bounds = ir_bounds_of(kernel, dim);
    int64_t heads = bounds.upper.constant;
    bool is_few = !bounds.upper.value && ir_index_is_const(bounds.lower, 0) && ir_index_is_const(bounds.step, 1) &&
                  heads > 1 && heads <= TILE_MIN_ROWS;
    if (is_few && other_iterations(kernel, dim, threads) >= threads && join(kernel, dim, heads))
      return;
  }
}

/* ------------------------------------------------------------------------------------------------------------ steps */

/* The last product in a loop over keys with as many terms as a step has keys or, without `terms`, as many columns. */
static const ir_op *find_product(const ir_op *keys, int64_t step, bool terms) {
  const ir_op *found = NULL;
  for (const ir_op *op = ir_next_inside(keys, keys); op; op = ir_next_inside(keys, op)) {
    bool is_product = ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op);
    for (unsigned loop = 0; is_product && loop < ir_structure_of(op)->num_loops; loop++) {
      extent x = extent_of_loop(op, loop);
      if (ir_loop_is_reduction(ir_structure_of(op), loop) == terms && x.value && x.value->op &&
          extent_room(x.value->op, ir_region(keys, 0)->args[0], step))
        found = op;
    }
  }
  return found;
}

void version_shorten_steps(ir_op *kernel, const target_facts *target) {
  for (ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op)) {
    if (op->code != OP_SCF_FOR || op->num_results)
      continue;
    ir_index step = ir_bounds_of(op, 0).step;
    const ir_op *result = step.value ? NULL : find_product(op, step.constant, true);
    if (!result || !find_product(op, step.constant, false))
      continue;
    const ir_op *first = view_root(ir_operand(result, 0))->op;
    unsigned weights = first && ir_op_has(first, IR_ALLOCATES) ? 0 : 1; /* which are made in scratch memory */
    extent_set_step(op, 0, softmax_step_of_pieces(result, weights, step.constant, target));
  }
}
