/* body.c - see body.h. Terminates: conversions lead to values defined before. */
#include "passes/body.h"

enum {
  MANY_SHARERS = 16, /* elements that share a function's value, which then takes no time */
  MOST_LIGHT = 12,   /* ops of a body */
};

ir_value *body_unconverted(ir_value *value) {
  while (value->op && (value->op->code == OP_ARITH_EXTF || value->op->code == OP_ARITH_TRUNCF))
    value = ir_operand(value->op, 0);
  return value;
}

bool body_is_elementwise(const ir_op *op) {
  return ir_op_has(op, IR_STRUCTURED) && op->num_regions && !ir_structure_of(op)->reductions;
}

bool body_is_pointwise(const ir_op *op) {
  return body_is_elementwise(op) && op->num_results == 1 && !ir_body_reads_init(op, 0) &&
         ir_map_is_permutation(ir_init_map(op, 0));
}

/* Each element of the one result is made where the one input has its own. */
static bool has_one_input_in_place(const ir_op *op) {
  return ir_op_has(op, IR_STRUCTURED) && op->num_operands == 2 && op->num_results == 1 && op->num_regions &&
         ir_map_is_identity(ir_structure_of(op)->maps[0]) && ir_map_is_identity(ir_structure_of(op)->maps[1]);
}

bool body_is_cast(const ir_op *op) {
  return has_one_input_in_place(op) && body_unconverted(ir_yielded(op, 0)) == body_argument(op, 0);
}

bool body_is_widening(const ir_op *op) {
  const ir_op *last = has_one_input_in_place(op) ? ir_yielded(op, 0)->op : NULL;
  return last && ir_op_widens(last) && ir_operand(last, 0) == body_argument(op, 0);
}

bool body_is_product(const ir_op *op) {
  if (op->num_operands != 2 || !op->num_regions)
    return false;
  const ir_value *value = body_unconverted(ir_yielded(op, 0));
  if (!ir_made_by(value, OP_ARITH_MULF))
    return false;
  unsigned seen = 0;
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *factor = body_unconverted(ir_operand(value->op, i));
    if (factor->block == ir_region(op, 0))
      seen |= ir_bit(factor->index);
  }
  return seen == 3;
}

bool body_reads_scalars_only(const ir_op *op) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (ir_type_is_shaped(ir_input(op, i)->type))
      return false;
  return true;
}

const ir_op *body_combiner(const ir_op *op) {
  const ir_op *combiner = ir_yielded(op, 0)->op;
  if (!combiner || combiner->num_operands != 2)
    return NULL;
  const ir_value *a = body_argument(op, 0), *b = body_argument(op, 1);
  const ir_value *lhs = ir_operand(combiner, 0), *rhs = ir_operand(combiner, 1);
  return (lhs == a && rhs == b) || (lhs == b && rhs == a) ? combiner : NULL;
}

bool body_is_polynomial(const ir_op *op) {
  switch (op->code) {
  case OP_MATH_EXP:
  case OP_MATH_EXP2:
  case OP_MATH_EXPM1:
  case OP_MATH_LOG:
  case OP_MATH_LOG2:
  case OP_MATH_LOG10:
  case OP_MATH_LOG1P:
  case OP_MATH_TANH:
  case OP_MATH_SINH:
  case OP_MATH_COSH:
  case OP_MATH_SIN:
  case OP_MATH_COS:
  case OP_MATH_TAN:
  case OP_MATH_ASIN:
  case OP_MATH_ACOS:
  case OP_MATH_ATAN:
  case OP_MATH_ATAN2:
  case OP_MATH_CBRT:
  case OP_MATH_ERF:
  case OP_MATH_ERFC:
  case OP_MATH_POWF:
    return true;
  default:
    return false;
  }
}

bool body_has_polynomial(const ir_op *op) {
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    if (body_is_polynomial(inner))
      return true;
  return false;
}

/* How many iterations have the same element of the operand: those of the loops that it lacks, and of quotients. Extents
 * that are not known count as 1. */
static int64_t sharers(const ir_op *op, unsigned operand) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *map = structure->maps[operand];
  int64_t count = 1;
  for (unsigned loop = 0; loop < structure->num_loops && count < MANY_SHARERS; loop++) {
    int64_t extent = ir_loop_size(op, loop);
    count *= ir_map_uses_dim(map, loop) || extent == IR_DYNAMIC || extent < 1 ? 1
             : extent < MANY_SHARERS                                          ? extent
                                                                              : MANY_SHARERS;
  }
  for (unsigned i = 0; i < map->num_results && count < MANY_SHARERS; i++) {
    const ir_expr *expr = map->results[i];
    if (expr->kind == IR_EXPR_FLOORDIV && expr->lhs->kind == IR_EXPR_DIM && expr->rhs->kind == IR_EXPR_CONST)
      count *= expr->rhs->value < MANY_SHARERS ? expr->rhs->value : MANY_SHARERS;
  }
  return count;
}

/* The value is made of operands that many elements share, and of what comes from outside. */
static bool is_shared(const ir_op *op, const ir_value *value) {
  if (value->block == ir_region(op, 0))
    return !ir_type_is_shaped(ir_operand(op, value->index)->type) || sharers(op, value->index) >= MANY_SHARERS;
  const ir_op *inner = value->op;
  if (!inner || inner->block != ir_region(op, 0))
    return true;
  bool shared = ir_op_has(inner, IR_ELEMENTWISE);
  for (unsigned i = 0; shared && i < inner->num_operands; i++)
    shared = is_shared(op, ir_operand(inner, i));
  return shared;
}

bool body_has_polynomial_of_few(const ir_op *op) {
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    if (body_is_polynomial(inner) && !is_shared(op, ir_result(inner, 0)))
      return true;
  return false;
}

uint32_t body_indices(const ir_op *op) {
  uint32_t loops = 0;
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    if (inner->code == OP_LINALG_INDEX)
      loops |= ir_bit((unsigned)ir_attr_int_or(inner, "dim", 0));
  return loops;
}

void body_move_index(ir_op *op, unsigned loop, ir_index by) {
  for (ir_op *inner = ir_next_inside(op, op), *next; inner; inner = next) {
    next = ir_next_inside(op, inner);
    if (inner->code != OP_LINALG_INDEX || ir_attr_int_or(inner, "dim", 0) != (int64_t)loop)
      continue;
    ir_builder body = ir_builder_before(inner);
    ir_replace_op(inner, ir_index_add(&body, (ir_index){.value = ir_loop_index(&body, loop)}, by).value);
  }
}

bool body_starts_from_zero(const ir_op *op) { return ir_value_is_zero(ir_init(op, 0)); }

ir_value *body_quotient(ir_builder *body, ir_value *a, ir_value *b, bool is_shared) {
  ir_value *zero = ir_const(body, b->type, 0), *is_zero = ir_compare(body, OP_ARITH_CMPF, IR_ORDERED_EQUAL, b, zero);
  ir_value *quotient = ir_binary(body, OP_ARITH_DIVF, is_shared ? ir_const(body, b->type, 1) : a, b);
  return ir_select(body, is_zero, zero, is_shared ? ir_binary(body, OP_ARITH_MULF, a, quotient) : quotient);
}

ir_op *body_by_element(ir_builder *builder, unsigned num_ins, ir_value *const *ins, ir_value *out) {
  const ir_map **maps = IR_NEW_ARRAY(&builder->module->arena, const ir_map *, num_ins + 1);
  for (unsigned i = 0; i <= num_ins; i++)
    maps[i] = ir_map_identity(builder->module, out->type->rank);
  return ir_generic(builder, num_ins, ins, 1, &out, maps, out->type->rank, 0);
}

ir_value *body_finish(ir_builder *body, ir_op *generic, ir_value *value) {
  const ir_block *block = ir_region(generic, 0);
  ir_value *result = ir_convert(body, value, block->args[block->num_args - 1]->type);
  ir_terminator(body, OP_LINALG_YIELD, 1, &result);
  return ir_result(generic, 0);
}

ir_value *body_contract(ir_op *generic) {
  ir_builder body = body_of(generic);
  ir_value *out = body_argument(generic, 2), *lhs = ir_convert(&body, body_argument(generic, 0), out->type);
  bool is_float = ir_scalar_is_float(out->type->element);
  ir_value *product = ir_binary(&body, is_float ? OP_ARITH_MULF : OP_ARITH_MULI, lhs,
                                ir_convert(&body, body_argument(generic, 1), out->type));
  return body_finish(&body, generic, ir_binary(&body, is_float ? OP_ARITH_ADDF : OP_ARITH_ADDI, out, product));
}

const ir_type *body_wider(const ir_value *a, const ir_value *b) {
  return ir_scalar_bits(b->type->element) > ir_scalar_bits(a->type->element) ? b->type : a->type;
}

ir_value *body_scale(ir_op *generic) {
  ir_builder body = body_of(generic);
  const ir_type *type = body_wider(body_argument(generic, 0), body_argument(generic, generic->num_operands - 1));
  ir_value *lhs = ir_convert(&body, body_argument(generic, 1), type);
  ir_value *rhs = ir_convert(&body, body_argument(generic, 0), type);
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_MULF, lhs, rhs));
}

ir_value *body_copy(ir_builder *builder, ir_value *tensor, const ir_map *read, ir_value *out, const ir_map *write) {
  const ir_map *maps[] = {read, write};
  ir_op *generic = ir_generic(builder, 1, &tensor, 1, &out, maps, read->num_dims, 0);
  ir_builder body = body_of(generic);
  return body_finish(&body, generic, body_argument(generic, 0));
}

ir_op *body_generate(ir_builder *builder, const ir_block *elements, ir_value *out) {
  ir_op *generic = body_by_element(builder, 0, NULL, out);
  ir_builder body = body_of(generic);
  ir_value_map *values = ir_value_map_create(builder->module);
  for (unsigned i = 0; i < elements->num_args; i++)
    ir_value_map_set(values, elements->args[i], ir_loop_index(&body, i));
  for (const ir_op *each = elements->first; each != elements->last; each = each->next)
    ir_op_clone(&body, each, values);
  ir_value *element = ir_value_map_get(values, ir_operand(elements->last, 0));
  ir_terminator(&body, OP_LINALG_YIELD, 1, &element);
  return generic;
}

ir_value *body_convert(ir_builder *builder, ir_value *tensor, ir_value *out) {
  const ir_map *identity = ir_map_identity(builder->module, out->type->rank);
  return tensor->type == out->type ? tensor : body_copy(builder, tensor, identity, out, identity);
}

unsigned body_size(const ir_op *op) {
  unsigned size = 0;
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    size++;
  return size;
}

bool body_is_light(const ir_op *op) {
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    switch (inner->code) {
    case OP_ARITH_ADDF:
    case OP_ARITH_SUBF:
    case OP_ARITH_MULF:
    case OP_ARITH_NEGF:
    case OP_ARITH_MAXIMUMF:
    case OP_ARITH_MINIMUMF:
    case OP_ARITH_ADDI:
    case OP_ARITH_SUBI:
    case OP_ARITH_MULI:
    case OP_ARITH_ANDI:
    case OP_ARITH_ORI:
    case OP_ARITH_XORI:
    case OP_ARITH_SHLI:
    case OP_ARITH_SHRSI:
    case OP_ARITH_SHRUI:
    case OP_ARITH_CMPF:
    case OP_ARITH_CMPI:
    case OP_ARITH_SELECT:
    case OP_ARITH_EXTF:
    case OP_ARITH_TRUNCF:
    case OP_ARITH_EXTSI:
    case OP_ARITH_EXTUI:
    case OP_ARITH_TRUNCI:
    case OP_ARITH_SITOFP:
    case OP_ARITH_UITOFP:
    case OP_ARITH_INDEX_CAST:
    case OP_ARITH_INDEX_CASTUI:
    case OP_ARITH_CONSTANT:
    case OP_LINALG_INDEX:
    case OP_LINALG_YIELD:
    case OP_AFFINE_APPLY:
      break;
    default:
      return false;
    }
  return body_size(op) <= MOST_LIGHT;
}
