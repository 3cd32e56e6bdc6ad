/* hoist_factors.c - pass "hoist-factors": constants that products in a loop are multiplied by go to factors that are
 * copied before the loop, or to who reads them.
 *
 *     xt[d, q] = x[q, d];      for { s = xt y; e = f(s * c) }     becomes
 *     xt[d, q] = x[q, d] * c;  for { s = xt y; e = f(s) }
 *
 * Products are linear, so the copy, which orient.c makes, takes the multiplication once for all steps of the loop (one
 * of 14 vector operations that attention has for each score besides its products).
 *
 * Where the matrix unit makes the product, which leaves registers before anything is done with it, those who read what
 * was multiplied, a softmax's maximum and exponentials, multiply it themselves: in registers, and mostly in the
 * multiply-add that takes the maximum from it (attention in bf16 1.1 to 1.17x, causal 1.00x; Granite Rapids).
 *
 *     s = x y; p = s * c; m = max(p); e = f(p - m)            becomes     s = x y; m = max(s * c); e = f(s * c - m)
 *
 * Invariants
 *  - All is f32 and the constant is of common size, so neither products nor sums leave the range that they had.
 *  - Nobody else reads the copy, the product, or the product's element in the body that multiplies it.
 * Terminates: one walk; each rewrite takes one multiplication from a loop. */
#include "passes/body.h"
#include "passes/passes.h"

#include <math.h>

/* Between its inverse and this, factors are taken. */
static const double MOST = 0x1p16;

/* The op gives its one input's elements in another order, to one reader. */
static bool is_copy(const ir_op *op) {
  return op && op->code == OP_LINALG_GENERIC && ir_num_inputs(op) == 1 && op->num_results == 1 &&
         !ir_structure_of(op)->reductions && op->operands[0].value->type->element == IR_F32 &&
         ir_yielded(op, 0) == body_argument(op, 0) && ir_value_has_one_use(ir_result(op, 0));
}

/* What the value is a block of, where a loop has made that block by block and nobody else reads it: those blocks. Else
 * the value itself. */
static ir_value *made_by_blocks(ir_value *value) {
  const ir_op *slice = ir_made_by(value, OP_TENSOR_EXTRACT_SLICE);
  ir_value *whole = slice && ir_value_has_one_use(value) ? ir_operand(slice, 0) : NULL;
  if (!whole || !ir_made_by(whole, OP_SCF_FOR) || !ir_value_has_one_use(whole))
    return value;
  const ir_op *insert = ir_yielded(whole->op, whole->index)->op;
  bool is_block = insert && insert->code == OP_TENSOR_INSERT_SLICE &&
                  ir_operand(insert, 1) == ir_region(whole->op, 0)->args[1 + whole->index];
  return is_block ? ir_operand(insert, 0) : value;
}

/* The copy from outside of the contraction's loops that is a factor of it; NULL: neither is. */
static ir_op *copied_factor(const ir_op *contraction) {
  for (unsigned side = 0; side < 2; side++) {
    ir_value *factor = made_by_blocks(ir_operand(contraction, side));
    if (ir_value_is_outside(factor, contraction->block) && is_copy(factor->op))
      return factor->op;
  }
  return NULL;
}

/* The multiplication by a constant that is all that becomes of the contraction's result, in the body of an elementwise
 * op; NULL where there is none. *constant is the operand that holds it. */
static ir_op *only_multiplication(const ir_op *contraction, unsigned *constant) {
  const ir_use *use = ir_result(contraction, 0)->uses;
  if (!use || use->next || use->user->block != contraction->block || use->user->code != OP_LINALG_GENERIC ||
      ir_structure_of(use->user)->reductions || ir_use_index(use) >= ir_num_inputs(use->user))
    return NULL;
  const ir_value *element = body_argument(use->user, ir_use_index(use));
  ir_op *op = ir_value_has_one_use(element) ? element->uses->user : NULL;
  if (!op || op->code != OP_ARITH_MULF || op->block != ir_region(use->user, 0))
    return NULL;
  *constant = ir_operand(op, 0) == element;
  ir_cell cell;
  return ir_value_splat(ir_operand(op, *constant), &cell) && fabs(cell.f) <= MOST && fabs(cell.f) >= 1 / MOST ? op
                                                                                                              : NULL;
}

static void hoist_factor(ir_op *contraction) {
  unsigned constant;
  if (contraction->num_results != 1 || ir_result(contraction, 0)->type->element != IR_F32 ||
      !body_starts_from_zero(contraction))
    return;
  ir_op *copy = copied_factor(contraction), *product = copy ? only_multiplication(contraction, &constant) : NULL;
  if (!product)
    return;
  ir_cell cell;
  ir_value_splat(ir_operand(product, constant), &cell);
  ir_op *end = ir_block_terminator(ir_region(copy, 0));
  ir_builder body = ir_builder_before(end);
  ir_value *element = body_argument(copy, 0), *factor = ir_const(&body, element->type, cell.f);
  ir_set_operand(end, 0, ir_binary(&body, OP_ARITH_MULF, element, factor));
  ir_replace_op(product, ir_operand(product, 1 - constant));
}

/* The matrix unit makes the product, if of enough rows. */
static bool multiplies_in_tiles(const ir_op *op, const target_facts *facts) {
  return op->num_results == 1 &&
         target_has_unit_for(facts, ir_operand(op, 0)->type->element, ir_operand(op, 1)->type->element, IR_DYNAMIC);
}

/* What makes, element by element, the contraction's result times a constant, and no more; NULL where there is none. */
static ir_op *only_scaling(const ir_op *contraction, ir_cell *factor) {
  unsigned constant;
  const ir_op *product = only_multiplication(contraction, &constant);
  ir_op *scaling = product ? ir_result(contraction, 0)->uses->user : NULL;
  if (!scaling || scaling->num_operands != 2 || ir_yielded(scaling, 0) != ir_result(product, 0) ||
      ir_structure_of(scaling)->maps[0] != ir_structure_of(scaling)->maps[1])
    return NULL;
  ir_value_splat(ir_operand(product, constant), factor);
  return scaling;
}

/* Multiplies the elements that the op's body has of input `i`. */
static void multiply_input(ir_op *op, unsigned i, double factor) {
  ir_value *element = body_argument(op, i);
  ir_builder body = ir_builder_before(ir_region(op, 0)->first);
  ir_value *scaled = ir_binary(&body, OP_ARITH_MULF, element, ir_const(&body, element->type, factor));
  ir_replace_uses(element, scaled);
  ir_set_operand(scaled->op, 0, element);
}

/* Lets all who read what the op makes, the product times a constant, read the product and multiply. */
static void leave_to_readers(ir_op *contraction) {
  ir_cell factor;
  ir_op *scaling = only_scaling(contraction, &factor);
  if (!scaling)
    return;
  ir_value *scaled = ir_result(scaling, 0);
  for (const ir_use *use = scaled->uses; use; use = use->next)
    if (use->user->code != OP_LINALG_GENERIC || ir_use_index(use) >= ir_num_inputs(use->user))
      return;
  for (const ir_use *use = scaled->uses; use; use = use->next)
    multiply_input(use->user, ir_use_index(use), factor.f);
  ir_replace_uses(scaled, ir_result(contraction, 0));
}

static void hoist_in_loop(ir_op *loop, const pass_options *options) {
  for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next) {
    if (op->code == OP_SCF_FOR)
      hoist_in_loop(op, options);
    if (!ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op))
      continue;
    hoist_factor(op);
    if (multiplies_in_tiles(op, options->target))
      leave_to_readers(op);
  }
}

bool pass_hoist_factors(ir_op *kernel, const pass_options *options) {
  for (ir_op *loop = ir_region(kernel, 0)->first; loop; loop = loop->next)
    if (loop->code == OP_SCF_FOR)
      hoist_in_loop(loop, options);
  return true;
}
