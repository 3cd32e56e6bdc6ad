/* narrow.c - integers that fit into 8 bits, as such.
 *
 * Programs unpack weights of few bits in i32, or wider, as masks and shifts are simplest there:
 *
 *     w = ((packed >> 4) & 15) - 8
 *
 * Interval arithmetic over the body tells which numbers can come out; where they are numbers of i8, the op makes these,
 * and a product of them is one of bytes. A sum that may overflow its type counts as any number of it.
 * Terminates: the walk through a body has a budget of steps, as values may be used again and again. */
#include "passes/narrow.h"

#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"

enum { MAX_STEPS = 64 };

static ir_range range_of_type(ir_scalar element) {
  unsigned bits = ir_scalar_bits(element);
  return bits >= 64 ? (ir_range){INT64_MIN, INT64_MAX}
                    : (ir_range){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
}

static bool is_within(ir_range a, ir_range b) { return a.low >= b.low && a.high <= b.high; }

static ir_range join(ir_range a, ir_range b) {
  return (ir_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static ir_range range_of(const ir_value *value, unsigned *steps);

/* Of an element that a body reads of what another elementwise op makes. */
static ir_range range_of_argument(const ir_value *argument, ir_range any, unsigned *steps) {
  const ir_op *op = argument->block->parent;
  if (!op || !ir_op_has(op, IR_STRUCTURED) || argument->index >= ir_num_inputs(op))
    return any;
  const ir_op *maker = ir_input(op, argument->index)->op;
  while (ir_is_reshape(maker))
    maker = ir_operand(maker, 0)->op;
  return maker && maker->num_results == 1 && body_is_pointwise(maker) ? range_of(ir_yielded(maker, 0), steps) : any;
}

/* Of numbers of so many bits that none may leave 64. */
static bool is_small(ir_range range) { return range.low >= -INT32_MAX - 1 && range.high <= INT32_MAX; }

/* Of sums, differences and products, before they are seen to fit into their type. */
static ir_range range_of_arithmetic(ir_opcode code, ir_range a, ir_range b, ir_range any) {
  if (!is_small(a) || !is_small(b))
    return any;
  if (code == OP_ARITH_ADDI)
    return (ir_range){a.low + b.low, a.high + b.high};
  if (code == OP_ARITH_SUBI)
    return (ir_range){a.low - b.high, a.high - b.low};
  ir_range ends = {a.low * b.low, a.low * b.low};
  ends = join(ends, (ir_range){a.low * b.high, a.low * b.high});
  ends = join(ends, (ir_range){a.high * b.low, a.high * b.low});
  return join(ends, (ir_range){a.high * b.high, a.high * b.high});
}

/* Of shifts to the right by one number of bits. */
static ir_range range_of_shift(ir_opcode code, ir_range a, ir_range by, ir_range any, unsigned bits) {
  if (by.low != by.high || by.low < 0 || by.low >= bits)
    return any;
  if (code == OP_ARITH_SHRSI || a.low >= 0)
    return (ir_range){a.low >> by.low, a.high >> by.low};
  return by.low ? (ir_range){0, (int64_t)(UINT64_MAX >> (64 - bits) >> by.low)} : any;
}

static ir_range range_of_two(const ir_op *op, ir_range any, unsigned *steps) {
  unsigned first = op->code == OP_ARITH_SELECT;
  ir_range a = range_of(ir_operand(op, first), steps), b = range_of(ir_operand(op, first + 1), steps), range = any;
  switch (op->code) {
  case OP_ARITH_SELECT:
  case OP_ARITH_MINSI:
  case OP_ARITH_MAXSI:
    range = join(a, b);
    break;
  case OP_ARITH_ANDI: /* no more than what has no sign, where one has none */
    if (a.low >= 0 || b.low >= 0)
      range = (ir_range){0, a.low < 0 || (b.low >= 0 && b.high < a.high) ? b.high : a.high};
    break;
  case OP_ARITH_SHRSI:
  case OP_ARITH_SHRUI:
    range = range_of_shift(op->code, a, b, any, ir_scalar_bits(ir_result(op, 0)->type->element));
    break;
  default:
    range = range_of_arithmetic(op->code, a, b, any);
  }
  return is_within(range, any) ? range : any;
}

/* The signed numbers that an integer in a body may be. */
static ir_range range_of(const ir_value *value, unsigned *steps) {
  ir_range any = range_of_type(value->type->element);
  const ir_op *op = value->op;
  ir_cell cell;
  if (ir_value_splat(value, &cell) && is_within((ir_range){cell.i, cell.i}, any))
    return (ir_range){cell.i, cell.i};
  if (!*steps || !--*steps)
    return any;
  if (!op)
    return range_of_argument(value, any, steps);
  switch (op->code) {
  case OP_ARITH_EXTSI:
    return range_of(ir_operand(op, 0), steps);
  case OP_ARITH_EXTUI: {
    ir_range range = range_of(ir_operand(op, 0), steps);
    unsigned bits = ir_scalar_bits(ir_operand(op, 0)->type->element);
    return range.low >= 0 ? range : (ir_range){0, ((int64_t)1 << bits) - 1};
  }
  case OP_ARITH_TRUNCI: {
    ir_range range = range_of(ir_operand(op, 0), steps);
    return is_within(range, any) ? range : any;
  }
  case OP_ARITH_ADDI:
  case OP_ARITH_SUBI:
  case OP_ARITH_MULI:
  case OP_ARITH_ANDI:
  case OP_ARITH_SHRSI:
  case OP_ARITH_SHRUI:
  case OP_ARITH_SELECT:
  case OP_ARITH_MINSI:
  case OP_ARITH_MAXSI:
    return range_of_two(op, any, steps);
  default:
    return any;
  }
}

bool narrow_is_within(const ir_value *value, int64_t most) {
  unsigned steps = MAX_STEPS;
  return is_within(range_of(value, &steps), (ir_range){-most, most});
}

/* The op with a result of i8. */
static ir_value *make_bytes(ir_op *op) {
  recast parts;
  if (!recast_begin(&parts, op))
    return NULL;
  ir_builder builder = ir_builder_before(op);
  parts.operands[parts.num_ins] = pass_empty_like(&builder, ir_result(op, 0), IR_I8);
  ir_op *fresh = recast_create(&parts, &builder, NULL), *yield = ir_region(fresh, 0)->last;
  ir_builder body = ir_builder_before(yield);
  ir_value *element = ir_operand(yield, 0);
  ir_set_operand(yield, 0, ir_unary(&body, OP_ARITH_TRUNCI, element, ir_type_scalar(op->module, IR_I8)));
  return ir_result(fresh, 0);
}

ir_value *narrow_to_bytes(ir_value *value) {
  ir_op *op = value->op;
  unsigned steps = MAX_STEPS;
  ir_scalar element = value->type->element;
  if (!op || value->type->kind != IR_TYPE_TENSOR || ir_scalar_is_float(element) || ir_scalar_bits(element) <= 8)
    return NULL;
  if (ir_is_reshape(op)) {
    ir_builder builder = ir_builder_before(op);
    ir_value *narrow = narrow_to_bytes(ir_operand(op, 0));
    return narrow ? ir_result(recast_reshape(&builder, op, narrow), 0) : NULL;
  }
  bool fits = body_is_pointwise(op) && op->num_results == 1 &&
              is_within(range_of(ir_yielded(op, 0), &steps), range_of_type(IR_I8));
  return fits ? make_bytes(op) : NULL;
}
