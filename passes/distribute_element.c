/* distribute_element.c - kernels whose iterations are elements: each lane takes one. The iterations are numbered row by
 * row and dealt out to blocks of lanes, so that neighbours in a warp are neighbours in memory. */
#include "passes/distribute.h"

enum { BLOCK_THREADS = 256 };

/* The number of iterations, and of each dim. */
static bool count_iterations(const ir_op *kernel, ir_builder *builder, ir_index *counts, ir_index *total) {
  *total = ir_index_const(1);
  for (unsigned dim = 0; dim < ir_region(kernel, 0)->num_args; dim++) {
    ir_bounds bounds = ir_bounds_of(kernel, dim);
    if (!ir_index_is_const(bounds.lower, 0) || !ir_index_is_const(bounds.step, 1))
      return ir_op_error(kernel, "has an iteration for each element, so it must count from 0 by 1");
    counts[dim] = bounds.upper;
    *total = ir_index_mul(builder, *total, counts[dim]);
  }
  return true;
}

bool distribute_elements(distributor *d, ir_op *kernel) {
  ir_module *module = kernel->module;
  ir_block *body = ir_region(kernel, 0);
  ir_index counts[IR_MAX_LOOPS], total, zero = ir_index_const(0), one = ir_index_const(1);
  ir_builder before = ir_builder_before(kernel);
  if (kernel->num_results)
    return ir_op_error(kernel, "is a kernel that gives tensors; 'bufferize' must come before 'distribute'");
  if (!count_iterations(kernel, &before, counts, &total))
    return false;
  int64_t threads = d->facts->max_block_threads < BLOCK_THREADS ? d->facts->max_block_threads : BLOCK_THREADS;
  ir_index blocks = ir_index_ceildiv(&before, total, threads);
  ir_op *made = ir_forall(&before, 1, &zero, &blocks, &one, 0, NULL);
  const ir_attr *mapping = ir_attr_keyword(module, "gpu.block", "x");
  ir_attr_set(made, "mapping", ir_attr_array(module, 1, &mapping));
  ir_attr_set(made, "tec.threads", ir_attr_i64(module, threads));
  d->at = ir_builder_at_end(ir_region(made, 0));
  d->thread = distribute_thread_id(d);
  ir_index block = ir_index_scale(&d->at, ir_index_of(ir_region(made, 0)->args[0]), threads);
  ir_value *rest = ir_index_value(&d->at, ir_index_add(&d->at, block, ir_index_of(d->thread)));
  ir_value *inside = ir_compare(&d->at, OP_ARITH_CMPI, IR_UNSIGNED_LESS, rest, ir_index_value(&d->at, total));
  ir_op *branch = distribute_if(d, inside, NULL);
  ir_in_parallel(&d->at);
  d->at = ir_builder_at_end(ir_region(branch, 0));
  for (unsigned dim = body->num_args; dim-- > 0;) {
    ir_value *count = ir_index_value(&d->at, counts[dim]);
    ir_replace_uses(body->args[dim], dim ? ir_binary(&d->at, OP_ARITH_REMUI, rest, count) : rest);
    rest = dim ? ir_binary(&d->at, OP_ARITH_DIVUI, rest, count) : rest;
  }
  while (body->first != body->last)
    ir_op_move_to_end(body->first, ir_region(branch, 0));
  d->at = ir_builder_at_end(ir_region(branch, 0));
  ir_terminator(&d->at, OP_SCF_YIELD, 0, NULL);
  ir_op_erase(kernel);
  return true;
}
