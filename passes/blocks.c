/* blocks.c - the places that passes work on: blocks over whole tensors, and kernels.
 *
 * Terminates: one walk over the ops that are there when it begins. */
#include "ir/build.h"
#include "passes/passes.h"

#include <string.h>

static void visit_inside_out(ir_block *block, void (*visit)(ir_block *block, const void *data), const void *data) {
  for (ir_op *op = block->first; op; op = op->next)
    for (unsigned i = 0; (op->code == OP_SCF_FOR || op->code == OP_SCF_IF) && i < op->num_regions; i++)
      if (ir_region(op, i)->first)
        visit_inside_out(ir_region(op, i), visit, data);
  visit(block, data);
}

void pass_visit_unscheduled(ir_module *module, void (*visit)(ir_block *block, const void *data), const void *data) {
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    if (ir_is_defined_function(op) && !ir_attr_get(op, "tec.scheduled"))
      visit_inside_out(ir_region(op, 0), visit, data);
}

typedef struct op_visitor {
  void (*visit)(ir_op *op, const void *data);
  const void *data;
} op_visitor;

static void visit_ops(ir_block *block, const void *data) {
  const op_visitor *visitor = data;
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    visitor->visit(op, visitor->data);
  }
}

void pass_visit_unscheduled_ops(ir_module *module, void (*visit)(ir_op *op, const void *data), const void *data) {
  pass_visit_unscheduled(module, visit_ops, &(op_visitor){visit, data});
}

bool pass_visit_kernels(ir_module *module, const pass_options *options, pass_of_kernel *visit) {
  for (ir_op *function = ir_region(module->root, 0)->first; function; function = function->next)
    for (ir_op *op = function->code == OP_FUNC_FUNC ? ir_region(function, 0)->first : NULL, *next; op; op = next) {
      next = op->next;
      if (op->code == OP_SCF_FORALL && !visit(op, options))
        return false;
    }
  return true;
}

void pass_update_function_type(ir_op *function) {
  const ir_block *body = ir_region(function, 0);
  const ir_op *end = ir_block_terminator(body);
  ir_module *module = function->module;
  const ir_type **inputs = IR_NEW_ARRAY(&module->arena, const ir_type *, body->num_args + 1);
  const ir_type **results = IR_NEW_ARRAY(&module->arena, const ir_type *, end->num_operands + 1);
  for (unsigned i = 0; i < body->num_args; i++)
    inputs[i] = body->args[i]->type;
  for (unsigned i = 0; i < end->num_operands; i++)
    results[i] = ir_operand(end, i)->type;
  const ir_type *type = ir_type_function(module, body->num_args, inputs, end->num_operands, results);
  ir_attr_set(function, "function_type", ir_attr_type(module, type));
}

ir_builder pass_branch_around(ir_op *kernel, ir_value *condition) {
  ir_builder builder = ir_builder_before(kernel);
  ir_op *branch = ir_if(&builder, condition, NULL);
  ir_op_move_before(kernel, ir_inside(branch, 1).before);
  return ir_inside(branch, 0);
}

ir_op *pass_move_loop(ir_builder *builder, ir_op *old, unsigned num_inits, ir_value *const *inits) {
  ir_bounds bounds = ir_bounds_of(old, 0);
  ir_op *loop = ir_for(builder, bounds.lower, bounds.upper, bounds.step, num_inits, inits);
  for (unsigned i = 0; i < old->num_attrs; i++)
    ir_attr_set(loop, old->attrs[i].name, old->attrs[i].attr);
  ir_block_move_ops(ir_region(old, 0), ir_region(loop, 0));
  return loop;
}

ir_value *pass_carry(ir_op **loop, ir_value *init, const ir_attr *layout) {
  ir_op *old = *loop;
  ir_module *module = old->module;
  const ir_block *from = ir_region(old, 0);
  ir_builder builder = ir_builder_before(old);
  ir_value **inits = IR_NEW_ARRAY(&module->arena, ir_value *, old->num_results + 1);
  for (unsigned i = 0; i < old->num_results; i++)
    inits[i] = ir_loop_init(old, i);
  inits[old->num_results] = init;
  *loop = pass_move_loop(&builder, old, old->num_results + 1, inits);
  const ir_block *body = ir_region(*loop, 0);
  for (unsigned i = 0; i < from->num_args; i++)
    ir_replace_uses(from->args[i], body->args[i]);
  for (unsigned i = 0; i < old->num_results; i++)
    ir_replace_uses(ir_result(old, i), ir_result(*loop, i));
  const ir_attr *layouts = ir_attr_get(old, PASS_LAYOUTS);
  if (layouts) {
    const ir_attr **texts = IR_NEW_ARRAY(&module->arena, const ir_attr *, layouts->count + 1);
    memcpy(texts, layouts->elements, layouts->count * sizeof *texts);
    texts[layouts->count] = layout ? layout : ir_attr_string(module, "", 0);
    ir_attr_set(*loop, PASS_LAYOUTS, ir_attr_array(module, layouts->count + 1, texts));
  }
  ir_op_erase(old);
  return body->args[(*loop)->num_results];
}
