/* element_kernels.c - pass "element-kernels": structured ops and copies that stand outside of all kernels become
 * kernels of which each iteration computes one element of the results.
 *
 * These are the ops that the schedule has left alone since they have no form on tiles in registers, and what
 * bufferization adds: fills and copies. A loop becomes a dim of the kernel where it is a subscript of every output; all
 * others run one after the other inside. So each element of an output belongs to one iteration alone, whatever the
 * order of loops.
 *
 * Result: scf.forall with the attribute PASS_BY_ELEMENT, which "distribute" deals out to lanes.
 * Terminates: one walk over the functions' own ops; the kernels that it makes hold no structured ops. */
#include "passes/passes.h"
#include "passes/vectorize.h"

typedef struct element_kernel {
  ir_op *op;
  vector_tile tile; /* without vector dims: one iteration */
  ir_index extents[IR_MAX_LOOPS];
  unsigned dims[IR_MAX_LOOPS];   /* the loops that are dims of the kernel */
  unsigned inside[IR_MAX_LOOPS]; /* the others */
  unsigned num_dims, num_inside;
  unsigned num_inputs, num_outs;
  bool *carried; /* by output: its element is the same in all loops inside */
} element_kernel;

/* ----------------------------------------------------------------------------------------------------------- loops */

static bool is_subscript_of_all(const ir_op *op, unsigned loop) {
  for (unsigned out = 0; out < ir_num_inits(op); out++)
    if (ir_map_find_dim(ir_init_map(op, out), loop) < 0)
      return false;
  return true;
}

/* The dims are in the order of the first output's subscripts, so that neighbours are neighbours in memory. */
static void choose_dims(element_kernel *k) {
  const ir_structure *structure = ir_structure_of(k->op);
  const ir_map *first = structure->maps[k->num_inputs];
  uint32_t chosen = 0;
  for (unsigned dim = 0; dim < first->num_results; dim++) {
    int loop = ir_map_result_dim(first, dim);
    if (loop < 0 || chosen >> loop & 1 || !is_subscript_of_all(k->op, (unsigned)loop))
      continue;
    chosen |= ir_bit(loop);
    k->dims[k->num_dims++] = (unsigned)loop;
  }
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (!(chosen >> loop & 1))
      k->inside[k->num_inside++] = loop;
  for (unsigned out = 0; out < k->num_outs; out++)
    k->carried[out] = !(vectorize_operand_loops(&k->tile.operands[k->num_inputs + out]) & ~chosen);
}

/* ------------------------------------------------------------------------------------------------------------ body */

/* The loops inside from number `depth` on. What they carry is in accumulators[]. */
static void emit_inside(element_kernel *k, ir_builder *builder, unsigned depth, ir_value **accumulators) {
  ir_arena *arena = &k->op->module->arena;
  vector_tile *tile = &k->tile;
  if (depth == k->num_inside) {
    for (unsigned out = 0; out < k->num_outs; out++)
      if (!k->carried[out] && ir_body_reads_init(k->op, out))
        accumulators[out] = vectorize_begin(builder, tile, out);
    vectorize_body(builder, tile, accumulators);
    for (unsigned out = 0; out < k->num_outs; out++)
      if (!k->carried[out])
        vectorize_write(builder, tile, k->num_inputs + out, vectorize_end(builder, tile, out, accumulators[out]));
    return;
  }
  ir_value **values = IR_NEW_ARRAY(arena, ir_value *, k->num_outs);
  unsigned count = 0;
  for (unsigned out = 0; out < k->num_outs; out++)
    if (k->carried[out])
      values[count++] = accumulators[out];
  unsigned loop = k->inside[depth];
  ir_op *nest = ir_for(builder, ir_index_const(0), k->extents[loop], ir_index_const(1), count, values);
  ir_block *body = ir_region(nest, 0);
  ir_builder inner = ir_builder_at_end(body);
  tile->starts[loop] = ir_index_of(body->args[0]);
  ir_value **inner_accumulators = IR_NEW_ARRAY(arena, ir_value *, k->num_outs);
  for (unsigned out = 0, i = 0; out < k->num_outs; out++)
    if (k->carried[out])
      inner_accumulators[out] = body->args[1 + i++];
  emit_inside(k, &inner, depth + 1, inner_accumulators);
  for (unsigned out = 0, i = 0; out < k->num_outs; out++)
    if (k->carried[out]) {
      values[i] = inner_accumulators[out];
      accumulators[out] = ir_result(nest, i++);
    }
  ir_terminator(&inner, OP_SCF_YIELD, count, values);
}

static void emit_body(element_kernel *k, ir_builder *builder) {
  ir_value **accumulators = IR_NEW_ARRAY(&k->op->module->arena, ir_value *, k->num_outs);
  for (unsigned out = 0; out < k->num_outs; out++)
    if (k->carried[out] && (k->num_inside || ir_body_reads_init(k->op, out)))
      accumulators[out] = vectorize_begin(builder, &k->tile, out);
  emit_inside(k, builder, 0, accumulators);
  for (unsigned out = 0; out < k->num_outs; out++)
    if (k->carried[out])
      vectorize_write(builder, &k->tile, k->num_inputs + out, vectorize_end(builder, &k->tile, out, accumulators[out]));
}

/* --------------------------------------------------------------------------------------------------------- kernels */

static bool lower(ir_op *op) {
  ir_arena *arena = &op->module->arena;
  element_kernel k = {.op = op, .num_inputs = ir_num_inputs(op), .num_outs = ir_num_inits(op)};
  if (!op->num_regions)
    return ir_op_error(op, "must be decomposed before it becomes a kernel (pass 'decompose-softmax')");
  if (op->num_results)
    return ir_op_error(op, "works on tensors; kernels are made of ops on memrefs: run bufferize first");
  k.tile = (vector_tile){.op = op, .operands = IR_NEW_ARRAY(arena, vector_operand, op->num_operands)};
  vectorize_operands(op, k.tile.operands);
  k.carried = IR_NEW_ARRAY(arena, bool, k.num_outs);
  choose_dims(&k);
  ir_builder builder = ir_builder_before(op);
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
    k.extents[loop] = ir_loop_dim(&builder, op, loop);
  ir_index lower[IR_MAX_LOOPS] = {0}, upper[IR_MAX_LOOPS], step[IR_MAX_LOOPS];
  unsigned rank = k.num_dims ? k.num_dims : 1; /* an element without subscripts is one iteration */
  for (unsigned i = 0; i < rank; i++) {
    upper[i] = k.num_dims ? k.extents[k.dims[i]] : ir_index_const(1);
    step[i] = ir_index_const(1);
  }
  ir_op *forall = ir_forall(&builder, rank, lower, upper, step, 0, NULL);
  ir_attr_set(forall, PASS_BY_ELEMENT, ir_attr_unit(op->module));
  ir_block *block = ir_region(forall, 0);
  ir_builder inside = ir_builder_at_end(block);
  for (unsigned i = 0; i < k.num_dims; i++)
    k.tile.starts[k.dims[i]] = ir_index_of(block->args[i]);
  emit_body(&k, &inside);
  ir_in_parallel(&inside);
  ir_op_erase(op);
  return true;
}

static ir_op *as_structured(ir_op *copy) {
  ir_builder builder = ir_builder_before(copy);
  ir_value *source = ir_operand(copy, 0), *target = ir_operand(copy, 1);
  ir_op *made = ir_structured(&builder, OP_LINALG_COPY, 1, &source, 1, &target, 0, NULL);
  ir_op_erase(copy);
  return made;
}

bool pass_element_kernels(ir_op *function, const pass_options *options) {
  for (ir_op *op = ir_region(function, 0)->first, *next; op; op = next) {
    next = op->next;
    if (op->code == OP_MEMREF_COPY)
      op = as_structured(op);
    if (ir_op_has(op, IR_STRUCTURED) && !lower(op))
      return false;
  }
  return true;
}
