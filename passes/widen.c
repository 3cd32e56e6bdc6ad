/* widen.c - contractions of 16-bit floats accumulate in f32 and round once, at the end.
 *
 * That is what matrix units do, what is fast on vector units, and what keeps long sums right; a sum that rounds to 16
 * bits after each step is wanted by nobody. Only the accumulator changes: inputs keep their type.
 * Termination: one walk; what it creates accumulates in f32. */
#include "passes/body.h"
#include "passes/passes.h"

static bool is_half(ir_scalar scalar) { return ir_scalar_is_float(scalar) && ir_scalar_bits(scalar) == 16; }

/* The tensor with each element converted, in a new tensor of the same extents. */
static ir_value *convert_tensor(ir_builder *builder, ir_value *value, ir_scalar element) {
  ir_value *out = pass_empty_like(builder, value, element);
  ir_cell cell;
  if (ir_value_splat(value, &cell)) /* most accumulators start from a fill */
    return ir_fill(builder, ir_const(builder, ir_type_scalar(builder->module, element), cell.f), out);
  return body_convert(builder, value, out);
}

/* The same contraction onto another init: a named op stays what it is, a written body becomes that of a contraction. */
static ir_value *contract_onto(ir_builder *builder, const ir_op *op, ir_value *init) {
  ir_value *inputs[] = {ir_input(op, 0), ir_input(op, 1)};
  if (ir_op_row(op)->map)
    return ir_result(ir_structured(builder, op->code, 2, inputs, 1, &init, op->num_attrs, op->attrs), 0);
  const ir_structure *structure = ir_structure_of(op);
  return body_contract(
      ir_generic(builder, 2, inputs, 1, &init, structure->maps, structure->num_loops, structure->reductions));
}

static void widen(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  ir_scalar narrow = ir_init(op, 0)->type->element;
  ir_value *wide = contract_onto(&builder, op, convert_tensor(&builder, ir_init(op, 0), IR_F32));
  ir_replace_uses(ir_result(op, 0), convert_tensor(&builder, wide, narrow));
  ir_op_erase(op);
}

static void widen_in(ir_block *block, const void *data) {
  (void)data;
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (ir_is_contraction(op) && op->num_results == 1 && is_half(ir_init(op, 0)->type->element))
      widen(op);
  }
}

bool pass_widen_accumulators(ir_module *module, const pass_options *options) {
  (void)options;
  pass_visit_unscheduled(module, widen_in, NULL);
  return true;
}
