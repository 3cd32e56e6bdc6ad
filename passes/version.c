/* version.c - pass "version": code of its own for extents that are known where it runs: one row, few, and whole steps;
 * and for views that turn out not to repeat anything.
 *
 * A view whose step along a dim is known at run time only, 0 or 1, hides how far apart rows lie, which packing and
 * prefetching go by. A kernel that reads such views gets a version for steps of 1, which has the versions below.
 *
 * A kernel over an open number of rows gets a second version, for one row, and a third one for few. With one query, as
 * in decoding, a product reads each key once: nothing is gained by copying keys into panels, and lanes run along the
 * features instead. Extents in types say so where they are fixed; where rows are open, a branch outside of the kernel
 * asks. In the version for one row the loop over rows has one iteration, and the rows of every tile are 1 in its type,
 * so register tiles are chosen as for fixed extents; heads that share keys become rows of one tile, and loops over keys
 * take steps for so many rows (version_query.c). Scratch memory becomes as small: what lies on the stack is known
 * not to be what arguments point to, so loops do not read these again.
 *
 * Few rows are as many as do not pay for packing either (register_plan.h). Their number stays open in that version, but
 * it is bounded, which register tiles are chosen by, and scratch memory is for so many. A version for each number would
 * be little faster, and costs time to compile; any other number is left to the general version. Where rows of any
 * number read panels of a constant that are made before the program runs (register_constant.c), there is that one
 * alone.
 *
 * A loop whose last step may be a part of one runs its whole steps in a loop of their own where it is a number how much
 * is left then, so that both loops know their sizes (attention over 2000 keys 1.01x, and less code than for a size that
 * is open), or where products in it can take their terms in pairs only if it is known how many there are; what is left
 * stays in the loop that there was.
 * Invariant: a branch is taken where the extent is 1, or at most the bound, and the loop of whole steps ends before the
 * first step that is cut, so putting numbers and bounds in the place of extents changes nothing.
 * Terminates: one walk over the functions' own ops, one over each copy. */
#include "ir/build.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/register_plan.h"
#include "passes/version_query.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ types */

/* The types of all views inside can follow their sizes. */
static bool can_retype(const ir_op *top) {
  for (const ir_op *op = ir_next_inside(top, top); op; op = ir_next_inside(top, op))
    for (unsigned i = 0; i < op->num_results; i++)
      if (ir_result(op, i)->type->kind == IR_TYPE_MEMREF && op->code != OP_MEMREF_ALLOC &&
          op->code != OP_MEMREF_ALLOCA &&
          (op->code != OP_MEMREF_SUBVIEW || ir_result(op, 0)->type->rank != ir_operand(op, 0)->type->rank))
        return false;
  return true;
}

/* Gives views the types that their sizes have become; what folds is folded first. */
static bool retype(ir_op *op, void *data) {
  ir_builder builder = ir_builder_before(op);
  ir_value *value = NULL;
  if (op->code == OP_MEMREF_SUBVIEW) {
    ir_slice slice = ir_slice_of(op);
    if (!ir_slice_has_unit_strides(&slice))
      return true;
    value = ir_subview(&builder, ir_operand(op, 0), slice.offsets, slice.sizes);
  } else if (op->code == OP_AFFINE_MIN || op->code == OP_AFFINE_APPLY) {
    value = ir_op_row(op)->fold(&builder, op);
  }
  if (value)
    ir_replace_op(op, value);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* The shape that all views of the memory stay within; false where it has other users, or no dim is smaller. */
static bool seen_shape(const ir_value *memory, int64_t *shape) {
  const ir_type *type = memory->type;
  bool smaller = false, viewed = false;
  if (!ir_type_is_static(type))
    return false;
  memset(shape, 0, sizeof *shape * IR_MAX_RANK);
  for (const ir_use *use = memory->uses; use; use = use->next) {
    if (use->user->code == OP_MEMREF_DEALLOC)
      continue;
    if (use->user->code != OP_MEMREF_SUBVIEW || ir_result(use->user, 0)->type->rank != type->rank)
      return false;
    ir_slice slice = ir_slice_of(use->user);
    viewed = true;
    for (unsigned dim = 0; dim < type->rank; dim++) {
      bool first = ir_index_is_const(slice.offsets[dim], 0) && ir_index_is_const(slice.strides[dim], 1);
      int64_t seen = first ? extent_bound(extent_of_index(slice.sizes[dim])) : type->shape[dim];
      seen = seen < type->shape[dim] ? seen : type->shape[dim];
      shape[dim] = seen > shape[dim] ? seen : shape[dim];
    }
  }
  for (unsigned dim = 0; dim < type->rank; dim++)
    smaller |= shape[dim] < type->shape[dim];
  return viewed && smaller;
}

/* Scratch memory of which less is used with the numbers in place: the stack has room for what is left where it is
 * small. */
static bool shrink(ir_op *op, void *data) {
  enum { STACK_BYTES = 4096 };
  int64_t shape[IR_MAX_RANK];
  if ((op->code != OP_MEMREF_ALLOC && op->code != OP_MEMREF_ALLOCA) || !seen_shape(ir_result(op, 0), shape))
    return true;
  const ir_type *old = ir_result(op, 0)->type;
  const ir_type *type = ir_type_with_shape(op->module, old, old->rank, shape);
  bool on_stack = op->code == OP_MEMREF_ALLOCA || ir_type_bytes(type) <= STACK_BYTES;
  ir_builder builder = ir_builder_before(op);
  ir_op_spec spec = {.types = &type, .num_results = 1, .attrs = op->attrs, .num_attrs = op->num_attrs};
  ir_op *smaller = ir_op_create(&builder, on_stack ? OP_MEMREF_ALLOCA : OP_MEMREF_ALLOC, &spec);
  for (ir_use *use = ir_result(op, 0)->uses, *next; on_stack && use; use = next) {
    next = use->next;
    if (use->user->code == OP_MEMREF_DEALLOC)
      ir_op_erase(use->user);
  }
  ir_replace_op(op, ir_result(smaller, 0));
  return true;
}

/* Lets types and memory follow numbers that have taken the place of extents. */
static void retype_all(ir_block *block) {
  ir_walk(block, retype, NULL);
  ir_walk(block, shrink, NULL);
  ir_walk(block, retype, NULL);
}

/* -------------------------------------------------------------------------------------------------------- few rows */

typedef struct row_search {
  const target_facts *target;
  const ir_block *body; /* of the forall */
  int dim;              /* of the forall: the first one over rows; -1: none so far */
  int64_t few;          /* rows that no product packs for, at most */
  bool has_ready;       /* any number of rows reads panels of a constant, which no other code may read */
} row_search;

/* The dim of the forall that the extent is the tile of: min(step, end - induction variable); or -1. */
static int tiled_dim(const ir_block *body, extent x) {
  const ir_op *min = x.value && x.value->type->kind != IR_TYPE_MEMREF ? x.value->op : NULL;
  for (unsigned i = 0; min && min->code == OP_AFFINE_MIN && i < min->num_operands; i++) {
    const ir_value *operand = ir_operand(min, i);
    if (!operand->op && operand->block == body)
      return (int)operand->index;
  }
  return -1;
}

/* Rows are a loop of a contraction that only one of its factors has. */
static void find_rows(row_search *search, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int side = ir_loop_side(structure, loop);
    int tiled = tiled_dim(search->body, extent_of_loop(op, loop));
    if (side < 0 || ir_loop_is_reduction(structure, loop) || tiled < 0)
      continue;
    search->has_ready |=
        target_streams_panels_for_any(search->target) && register_plan_is_ready(op, 1 - (unsigned)side, search->target);
    int64_t few = register_plan_unpacked_rows(op, 1 - (unsigned)side, search->target);
    search->few = few < search->few ? few : search->few;
    if (search->dim < 0 || tiled < search->dim)
      search->dim = tiled;
  }
}

/* if (extent <= most) the copy of the kernel, whose loop over rows has one iteration; else the kernel */
static void add_version(ir_op *kernel, unsigned dim, ir_value *extent, int64_t most, const target_facts *target) {
  ir_builder builder = ir_builder_before(kernel);
  ir_value *bound = ir_const_index(&builder, most), *zero = ir_const_index(&builder, 0);
  ir_builder inside = pass_branch_around(
      kernel, ir_compare(&builder, OP_ARITH_CMPI, most == 1 ? IR_EQUAL : IR_SIGNED_LESS_EQUAL, extent, bound));
  ir_value_map *map = ir_value_map_create(kernel->module);
  ir_index rows =
      most == 1 ? ir_index_const(1) : ir_index_min(&inside, (ir_index){.value = extent}, ir_index_const(most));
  ir_value_map_set(map, extent, ir_index_value(&inside, rows));
  ir_op *copy = ir_op_clone(&inside, kernel, map);
  ir_replace_uses(ir_region(copy, 0)->args[dim], zero);
  if (most == 1)
    version_join_heads(copy, target);
  retype_all(ir_region(copy, 0));
  if (most == 1) {
    version_shorten_steps(copy, target);
    retype_all(ir_region(copy, 0));
  }
}

static void version_kernel(ir_op *kernel, const target_facts *target) {
  row_search search = {.target = target, .body = ir_region(kernel, 0), .dim = -1, .few = INT64_MAX};
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op))
    if (ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op))
      find_rows(&search, op);
  if (search.dim < 0 || search.has_ready)
    return;
  ir_bounds rows = ir_bounds_of(kernel, (unsigned)search.dim);
  if (!can_retype(kernel) || !rows.upper.value || !ir_index_is_const(rows.lower, 0))
    return;
  add_version(kernel, (unsigned)search.dim, rows.upper.value, 1, target);
  if (!rows.step.value && rows.step.constant >= search.few)
    add_version(kernel, (unsigned)search.dim, rows.upper.value, search.few, target);
}

/* ----------------------------------------------------------------------------------------------------- steps of one */

enum { MAX_VIEWS = 8 }; /* of one kernel; with more, it gets no version */

/* A step is open along a dim whose stride is known. */
static bool hides_stride(const ir_op *view) {
  if (view->code != OP_MEMREF_SUBVIEW || ir_result(view, 0)->type->rank != ir_operand(view, 0)->type->rank)
    return false;
  ir_slice slice = ir_slice_of(view);
  for (unsigned dim = 0; dim < slice.rank; dim++)
    if (slice.strides[dim].value && ir_type_stride(ir_operand(view, 0)->type, dim) != IR_DYNAMIC)
      return true;
  return false;
}

/* Of what the kernel reads; the number of them, MAX_VIEWS + 1 where they are more. */
static unsigned find_views(const ir_op *kernel, ir_op **views) {
  unsigned count = 0;
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op))
    for (unsigned i = 0; i < op->num_operands; i++) {
      ir_op *view = ir_operand(op, i)->op;
      unsigned k = 0;
      if (!view || !ir_value_is_outside(ir_operand(op, i), ir_region(kernel, 0)) || !hides_stride(view))
        continue;
      while (k < count && views[k] != view)
        k++;
      if (k == MAX_VIEWS)
        return MAX_VIEWS + 1;
      views[k] = view;
      count = k == count ? k + 1 : count;
    }
  return count;
}

/* All steps of the view are 1. */
static ir_value *has_unit_steps(ir_builder *builder, const ir_op *view, ir_value *condition) {
  ir_slice slice = ir_slice_of(view);
  for (unsigned dim = 0; dim < slice.rank; dim++) {
    if (ir_index_is_const(slice.strides[dim], 1))
      continue;
    ir_value *step = ir_index_value(builder, slice.strides[dim]), *one = ir_const_index(builder, 1);
    ir_value *is_one = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, step, one);
    condition = condition ? ir_binary(builder, OP_ARITH_ANDI, condition, is_one) : is_one;
  }
  return condition;
}

/* if (the steps of all views are 1) the copy of the kernel that reads views with that step; else the kernel. Returns
 * the copy; the kernel where there is none. */
static ir_op *version_steps(ir_op *kernel) {
  ir_op *views[MAX_VIEWS];
  unsigned count = find_views(kernel, views);
  if (!count || count > MAX_VIEWS || !can_retype(kernel))
    return kernel;
  ir_builder builder = ir_builder_before(kernel);
  ir_value *condition = NULL;
  for (unsigned i = 0; i < count; i++)
    condition = has_unit_steps(&builder, views[i], condition);
  ir_builder inside = pass_branch_around(kernel, condition);
  ir_value_map *map = ir_value_map_create(kernel->module);
  for (unsigned i = 0; i < count; i++) {
    ir_slice slice = ir_slice_of(views[i]);
    ir_value *source = ir_operand(views[i], 0);
    ir_value_map_set(map, ir_result(views[i], 0), ir_subview(&inside, source, slice.offsets, slice.sizes));
  }
  ir_op *copy = ir_op_clone(&inside, kernel, map);
  retype_all(ir_region(copy, 0));
  return copy;
}

/* ------------------------------------------------------------------------------------------------------ whole steps */

typedef struct step_search {
  const target_facts *target;
  const ir_op *loop;
  int64_t step;
  ir_op *size; /* of a step, where a product wants to know it */
} step_search;

/* The product may have rows enough to take terms in pairs: of both of its factors, as either may be the rows'. */
static bool has_rows(const ir_op *product, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(product);
  bool enough[2] = {false, false};
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int side = ir_loop_side(structure, loop);
    if (side >= 0)
      enough[side] |=
          register_plan_bound(product, loop) > register_plan_unpacked_rows(product, 1 - (unsigned)side, target);
  }
  return enough[0] && enough[1];
}

/* What is left behind whole steps of a loop with so much room is a number, wherever the loop begins. */
static bool has_known_rest(const ir_op *loop, const ir_expr *room, int64_t step) {
  return room->kind == IR_EXPR_CONST && room->value > 0 && room->value % step &&
         ir_index_divisor(ir_bounds_of(loop, 0).lower) % (uint64_t)step == 0;
}

/* A product with as many rows, columns or terms as the step has, where that will be a number behind whole steps, too;
 * or with as many terms, if those may go in pairs. */
static void find_step(step_search *search, const ir_op *op) {
  bool pairs =
      !target_widens(search->target, ir_operand(op, 0)->type->element, ir_operand(op, 1)->type->element, IR_DYNAMIC) &&
      has_rows(op, search->target);
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    extent x = extent_of_loop(op, loop);
    const ir_op *size = x.value ? x.value->op : NULL;
    const ir_expr *room = size ? extent_room(size, ir_region(search->loop, 0)->args[0], search->step) : NULL;
    if (room && (has_known_rest(search->loop, room, search->step) || (pairs && ir_loop_is_reduction(structure, loop))))
      search->size = x.value->op;
  }
}

/* All steps of the loop are of that size. */
static void set_sizes(ir_op *loop, int64_t step, int64_t size) {
  for (ir_op *op = ir_next_inside(loop, loop); op; op = ir_next_inside(loop, op))
    if (extent_room(op, ir_region(loop, 0)->args[0], step)) {
      ir_builder builder = ir_builder_before(op);
      ir_replace_uses(ir_result(op, 0), ir_const_index(&builder, size));
    }
  retype_all(ir_region(loop, 0));
}

static void split_loop(ir_op *loop, const step_search *search) {
  ir_builder builder = ir_builder_before(loop);
  ir_bounds bounds = ir_bounds_of(loop, 0);
  ir_index operands[IR_MAX_LOOPS];
  const ir_value *counter = ir_region(loop, 0)->args[0];
  for (unsigned i = 0; i < search->size->num_operands; i++) {
    ir_value *operand = ir_operand(search->size, i);
    operands[i] = operand == counter ? ir_index_const(0) : ir_index_of(operand);
  }
  const ir_expr *room = extent_room(search->size, counter, search->step);
  ir_index end = ir_index_apply(&builder, room, search->size->num_operands, operands);
  ir_index length = ir_index_max(&builder, ir_index_sub(&builder, end, bounds.lower), ir_index_const(0));
  ir_index steps = ir_index_floordiv(&builder, length, search->step);
  ir_index whole = ir_index_scale(&builder, steps, search->step);
  ir_value *rest = ir_index_value(&builder, ir_index_add(&builder, bounds.lower, whole));
  ir_value *last = ir_index_value(&builder, ir_index_min(&builder, bounds.upper, ir_index_of(rest)));
  ir_op *copy = ir_op_clone(&builder, loop, ir_value_map_create(loop->module));
  ir_set_operand(copy, 1, last);
  set_sizes(copy, search->step, search->step);
  if (has_known_rest(loop, room, search->step))
    set_sizes(loop, search->step, room->value % search->step);
  ir_set_operand(loop, 0, rest);
}

static bool visit_loop(ir_op *loop, void *data) {
  if (loop->code != OP_SCF_FOR || loop->num_results)
    return true;
  ir_index step = ir_bounds_of(loop, 0).step;
  step_search search = {.target = data, .loop = loop, .step = step.constant};
  if (step.value || !can_retype(loop))
    return true;
  for (const ir_op *op = ir_next_inside(loop, loop); op; op = ir_next_inside(loop, op))
    if (ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op))
      find_step(&search, op);
  if (search.size && search.size->block == ir_region(loop, 0))
    split_loop(loop, &search);
  return true;
}

static bool visit_kernel(ir_op *kernel, const pass_options *options) {
  if (!kernel->num_results)
    version_kernel(version_steps(kernel), options->target);
  return true;
}

bool pass_version(ir_module *module, const pass_options *options) {
  return pass_visit_kernels(module, options, visit_kernel) &&
         ir_walk(ir_region(module->root, 0), visit_loop, (void *)options->target);
}
