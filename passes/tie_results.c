/* tie_results.c - pass "tie-results": a memref argument that a function reads and writes as a tensor becomes a tensor,
 * and what is written there one more result, tied to the argument, whose memory it takes:
 *
 *     func @f(%m: memref) {                                       func @f(%m: tensor) -> tensor
 *       %t = bufferization.to_tensor %m                               attributes {tec.tied = array<i64: 0>} {
 *       %u = .. %t                                      becomes     %u = .. %m
 *       bufferization.materialize_in_destination %u in %m           return %u
 *     }                                                           }
 *
 * So the passes between here and bufferize, which puts the memrefs back, see whole tensors and nothing else. Stands
 * behind shapes, which callers ask for the extents of results that they allocate: tied ones are none of these.
 *
 * Invariants: the last results are tied, to the arguments that the attribute lists. The op's verifiers see to it that
 * reading comes first and writing last, as far as anybody can tell.
 * Terminates: one walk over the uses of each argument. */
#include "passes/passes.h"

static ir_op *user_of(const ir_value *argument, ir_opcode code) {
  for (const ir_use *use = argument->uses; use; use = use->next)
    if (use->user->code == code)
      return use->user;
  return NULL;
}

/* The memref, of which only extents are still asked, becomes a tensor. */
static void make_tensor(ir_value *argument) {
  ir_module *module = argument->block->parent->module;
  argument->type = ir_type_tensor(module, argument->type->element, argument->type->rank, argument->type->shape);
  for (ir_op *dim; (dim = user_of(argument, OP_MEMREF_DIM));) {
    ir_builder builder = ir_builder_before(dim);
    ir_value *operands[] = {argument, ir_operand(dim, 1)};
    ir_replace_op(dim, ir_create(&builder, OP_TENSOR_DIM, ir_result(dim, 0)->type, 2, operands, 0, NULL));
  }
}

bool pass_tie_results(ir_op *function, const pass_options *options) {
  const ir_block *body = ir_region(function, 0);
  ir_op *end = ir_block_terminator(body);
  ir_module *module = function->module;
  int64_t *tied = IR_NEW_ARRAY(&module->arena, int64_t, body->num_args + 1);
  unsigned num_tied = 0;
  bool changed = false;
  for (unsigned i = 0; i < body->num_args; i++) {
    ir_value *memref = body->args[i];
    if (memref->type->kind != IR_TYPE_MEMREF)
      continue;
    ir_op *read = user_of(memref, OP_BUFFERIZATION_TO_TENSOR), *write = user_of(memref, OP_BUFFERIZATION_MATERIALIZE);
    if (!read && !write)
      continue;
    if (write) {
      ir_insert_operand(end, end->num_operands, ir_operand(write, 0));
      ir_op_erase(write);
      tied[num_tied++] = i;
    }
    make_tensor(memref);
    if (read)
      ir_replace_op(read, memref);
    changed = true;
  }
  if (!changed)
    return true;
  if (!ir_attr_get(function, "tec.shapes"))
    return ir_op_error(function, "needs the pass 'shapes' before 'tie-results'");
  pass_update_function_type(function);
  if (num_tied)
    ir_attr_set(function, "tec.tied", ir_attr_i64s(module, num_tied, tied));
  for (const ir_op *op = module->root; op; op = ir_next_inside(module->root, op))
    if (pass_calls(op, function)) /* it hands in memory that the callee gives back changed */
      return ir_op_error(op, "cannot call a function that makes a tensor of a memref argument");
  return true;
}
