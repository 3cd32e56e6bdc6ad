/* version.c - pass "version": a kernel over an open number of rows gets a second version, for one row.
 *
 * With one query, as in decoding, a product reads each key once: nothing is gained by copying keys into panels, and lanes
 * run along the features instead. Extents in types say so where they are fixed; where rows are open, a branch outside of
 * the kernel asks. In the version for one row the loop over rows has one iteration, and the rows of every tile are 1 in
 * its type, so register tiles are chosen as for fixed extents.
 *
 * Any other number of rows that few tiles share is left to the general version: versions cost time to compile.
 * Invariant: the branch is taken where the extent is 1, so putting 1 in its place changes nothing.
 * Terminates: one walk over the functions' own ops, one over each copy. */
#include "ir/build.h"
#include "passes/passes.h"

#include <string.h>

enum { LOWER, UPPER, STEP };

/* The views whose types can follow their sizes. */
static bool can_retype(ir_op *op, void *data) {
  bool *can = data;
  for (unsigned i = 0; i < op->num_results; i++)
    *can &= ir_result(op, i)->type->kind != IR_TYPE_MEMREF || op->code == OP_MEMREF_ALLOC ||
            op->code == OP_MEMREF_ALLOCA ||
            (op->code == OP_MEMREF_SUBVIEW && ir_result(op, 0)->type->rank == ir_operand(op, 0)->type->rank);
  return *can;
}

typedef struct row_search {
  const ir_block *body; /* of the forall */
  int dim;              /* of the forall: the first one over rows; -1: none so far */
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
static bool find_rows(ir_op *op, void *data) {
  row_search *search = data;
  if (!ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op))
    return true;
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    unsigned operand, dim;
    bool lhs = ir_map_find_dim(structure->maps[0], loop) >= 0, rhs = ir_map_find_dim(structure->maps[1], loop) >= 0;
    if (lhs == rhs || ir_loop_is_reduction(structure, loop) || !ir_loop_extent(op, loop, &operand, &dim))
      continue;
    int tiled = tiled_dim(search->body, extent_of(ir_operand(op, operand), dim));
    if (tiled >= 0 && (search->dim < 0 || tiled < search->dim))
      search->dim = tiled;
  }
  return true;
}

/* Gives views the types that their sizes have become; what folds is folded first. */
static bool retype(ir_op *op, void *data) {
  (void)data;
  ir_builder builder = ir_builder_before(op);
  ir_value *value = NULL;
  if (op->code == OP_MEMREF_SUBVIEW) {
    ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
    unsigned rank = ir_slice_of(op, offsets, sizes, strides);
    for (unsigned dim = 0; dim < rank; dim++)
      if (!ir_index_is_const(strides[dim], 1))
        return true;
    value = ir_subview(&builder, ir_operand(op, 0), offsets, sizes);
  } else if (op->code == OP_AFFINE_MIN || op->code == OP_AFFINE_APPLY) {
    value = ir_op_row(op)->fold(&builder, op);
  }
  if (value) {
    ir_replace_uses(ir_result(op, 0), value);
    ir_op_erase(op);
  }
  return true;
}

/* `extent` == 1, at the builder's place. */
static ir_value *is_one(ir_builder *builder, ir_value *extent) {
  enum { EQUAL = 0 };
  ir_value *operands[] = {extent, ir_const_index(builder, 1)};
  ir_named_attr equal = {"predicate", ir_attr_int(builder->module, ir_type_scalar(builder->module, IR_I64), EQUAL)};
  ir_op_spec spec = {.operands = operands, .num_operands = 2, .num_results = 1, .attrs = &equal, .num_attrs = 1};
  return ir_result(ir_op_create(builder, OP_ARITH_CMPI, &spec), 0);
}

/* if (extent == 1) the copy of the kernel; else the kernel */
static void add_version(ir_op *kernel, unsigned dim, ir_value *extent) {
  ir_builder builder = ir_builder_before(kernel);
  ir_value *one = ir_const_index(&builder, 1), *zero = ir_const_index(&builder, 0);
  ir_value *condition = is_one(&builder, extent);
  ir_op *branch = ir_op_create(&builder, OP_SCF_IF, &(ir_op_spec){.operands = &condition, .num_operands = 1});
  ir_builder inside = ir_builder_at_end(ir_region(branch, 0)), otherwise = ir_builder_at_end(ir_region(branch, 1));
  ir_value_map *map = ir_value_map_create(kernel->module);
  ir_value_map_set(map, extent, one);
  ir_op *copy = ir_op_clone(&inside, kernel, map);
  ir_terminator(&inside, OP_SCF_YIELD, 0, NULL);
  ir_op_move_before(kernel, ir_terminator(&otherwise, OP_SCF_YIELD, 0, NULL));
  ir_replace_uses(ir_region(copy, 0)->args[dim], zero);
  ir_walk(ir_region(copy, 0), retype, NULL);
}

static void version_kernel(ir_op *kernel) {
  row_search search = {.body = ir_region(kernel, 0), .dim = -1};
  bool can = true;
  ir_walk(ir_region(kernel, 0), find_rows, &search);
  if (search.dim < 0)
    return;
  ir_index from = ir_mixed(kernel, LOWER, "staticLowerBound", (unsigned)search.dim);
  ir_index to = ir_mixed(kernel, UPPER, "staticUpperBound", (unsigned)search.dim);
  ir_walk(ir_region(kernel, 0), can_retype, &can);
  if (can && to.value && ir_index_is_const(from, 0))
    add_version(kernel, (unsigned)search.dim, to.value);
}

bool pass_version(ir_module *module, const pass_options *options) {
  (void)options;
  for (ir_op *function = ir_region(module->root, 0)->first; function; function = function->next) {
    ir_block *body = function->code == OP_FUNC_FUNC ? ir_region(function, 0) : NULL;
    for (ir_op *op = body ? body->first : NULL, *next; op; op = next) {
      next = op->next;
      if (op->code == OP_SCF_FORALL && !op->num_results)
        version_kernel(op);
    }
  }
  return true;
}
