/* skip.c - the pass "skip-scaling": state that keeps its scale is not multiplied by 1.
 *
 * A step of online softmax multiplies what a loop carries by f = e^(old maximum - new maximum). Where no row of a warp
 * has a new maximum, all these factors are 1 and the products do nothing. So they stand in a branch that a warp takes
 * as one, when an exponent of any of its lanes is not 0. (x * 1 is x, whatever x is, and exponents that are NaN take
 * the branch: values stay what they are, bit for bit.)
 *
 * The branch stands as early as the exponents allow, right behind the maxima. Before it is what those are made of, and
 * most of what is behind waits for them anyway; so it costs little that assemblers move nothing past a branch.
 *
 * Invariants: runs on what one lane has, as single values, behind "registers"; makes one branch a loop at most.
 * Terminates: each loop is looked at once, and none is made. */
#include "ir/build.h"
#include "passes/passes.h"

enum {
  PRODUCTS_A_POWER = 8, /* as many as make up for the comparison of an exponent */
  SHARE = 64,           /* less than this part of a loop's ops is not worth a branch */
};

typedef struct skipper {
  ir_block *body;    /* of the loop */
  ir_op **products;  /* a carried value times e^x, in the order of the text */
  ir_op **powers;    /* their e^x, each once */
  ir_value **values; /* what the products give; where skipped, the carried values */
  unsigned num_products, num_powers, num_ops;
} skipper;

/* The op is e^x of a value that is computed right in the body, from one or two others. */
static bool is_power(const skipper *s, const ir_op *op) {
  if (!op || op->code != OP_MATH_EXP || op->block != s->body)
    return false;
  const ir_op *exponent = ir_operand(op, 0)->op;
  return exponent && exponent->block == s->body && ir_op_has(exponent, IR_ELEMENTWISE);
}

/* The operand, 0 or 1, by which an op multiplies a carried value, if that is a power; else -1. */
static int factor_of(const skipper *s, const ir_op *op) {
  for (int i = 0; i < 2 && op->code == OP_ARITH_MULF; i++) {
    const ir_value *carried = ir_operand(op, (unsigned)(1 - i));
    if (!carried->op && carried->block == s->body && is_power(s, ir_operand(op, (unsigned)i)->op))
      return i;
  }
  return -1;
}

static void add_product(skipper *s, ir_op *product, unsigned factor) {
  ir_op *power = ir_operand(product, factor)->op;
  bool known = false;
  for (unsigned i = 0; i < s->num_powers; i++)
    known |= s->powers[i] == power;
  if (!known)
    s->powers[s->num_powers++] = power;
  s->values[s->num_products] = ir_operand(product, 1 - factor);
  s->products[s->num_products++] = product;
}

static void find_products(skipper *s) {
  ir_arena *arena = &s->body->parent->module->arena;
  for (const ir_op *op = s->body->first; op; op = op->next)
    s->num_ops++;
  s->products = IR_NEW_ARRAY(arena, ir_op *, s->num_ops);
  s->powers = IR_NEW_ARRAY(arena, ir_op *, s->num_ops);
  s->values = IR_NEW_ARRAY(arena, ir_value *, s->num_ops);
  for (ir_op *op = s->body->first; op; op = op->next) {
    int factor = factor_of(s, op);
    if (factor >= 0)
      add_product(s, op, (unsigned)factor);
  }
}

static ir_op *exponent_of(const ir_op *power) { return ir_operand(power, 0)->op; }

/* The last op of the body that the exponents are computed from; NULL: none. */
static ir_op *last_source(const skipper *s) {
  ir_op *last = NULL;
  for (unsigned i = 0; i < s->num_powers; i++)
    for (unsigned k = 0; k < exponent_of(s->powers[i])->num_operands; k++) {
      ir_op *source = ir_operand(exponent_of(s->powers[i]), k)->op;
      if (source && source->block == s->body && (!last || ir_op_is_before(last, source)))
        last = source;
    }
  return last;
}

/* Moves the exponents up, right behind the last of their sources. Returns the op before which the branch goes. */
static ir_op *raise_exponents(const skipper *s, ir_op *last) {
  ir_op *next = last ? last->next : s->body->first;
  for (unsigned i = 0; i < s->num_powers; i++) {
    ir_op *exponent = exponent_of(s->powers[i]);
    if (exponent == next)
      next = next->next;
    else if (!ir_op_is_before(exponent, next))
      ir_op_move_before(exponent, next);
  }
  return next;
}

/* Is an exponent of any lane of the warp not 0? */
static ir_value *any_moved(const skipper *s, ir_builder *builder) {
  ir_value *any = NULL;
  for (unsigned i = 0; i < s->num_powers; i++) {
    ir_value *exponent = ir_operand(s->powers[i], 0), *zero = ir_const(builder, exponent->type, 0);
    ir_value *moved = ir_compare(builder, OP_ARITH_CMPF, IR_UNORDERED_NOT_EQUAL, exponent, zero);
    any = any ? ir_binary(builder, OP_ARITH_ORI, any, moved) : moved;
  }
  ir_named_attr attr = {"op", ir_attr_keyword(builder->module, "gpu", "all_reduce_op or")};
  return ir_create(builder, OP_GPU_SUBGROUP_REDUCE, any->type, 1, &any, 1, &attr);
}

/* All users are in the block. */
static bool is_for(const ir_value *value, const ir_block *block) {
  bool all = true;
  for (const ir_use *use = value->uses; use; use = use->next)
    all &= use->user->block == block;
  return all;
}

/* The branch before `next`, with the products in it, and those powers that nobody else needs. */
static void branch(skipper *s, ir_op *next) {
  ir_module *module = next->module;
  ir_builder builder = ir_builder_before(next);
  ir_value *condition = any_moved(s, &builder);
  const ir_type **types = IR_NEW_ARRAY(&module->arena, const ir_type *, s->num_products);
  for (unsigned i = 0; i < s->num_products; i++)
    types[i] = s->values[i]->type;
  ir_op_spec spec = {.operands = &condition, .num_operands = 1, .types = types, .num_results = s->num_products};
  ir_op *choice = ir_op_create(&builder, OP_SCF_IF, &spec);
  ir_block *moved = ir_region(choice, 0);
  builder = ir_builder_at_end(ir_region(choice, 1));
  ir_terminator(&builder, OP_SCF_YIELD, s->num_products, s->values);
  for (unsigned i = 0; i < s->num_products; i++) {
    ir_op_move_to_end(s->products[i], moved);
    s->values[i] = ir_result(s->products[i], 0);
    ir_replace_uses(s->values[i], ir_result(choice, i));
  }
  for (unsigned i = 0; i < s->num_powers; i++)
    ir_op_move_before(s->powers[i], is_for(ir_result(s->powers[i], 0), moved) ? moved->first : choice);
  builder = ir_builder_at_end(moved);
  ir_terminator(&builder, OP_SCF_YIELD, s->num_products, s->values);
}

static bool visit(ir_op *loop, void *data) {
  if (loop->code != OP_SCF_FOR)
    return true;
  skipper s = {.body = ir_region(loop, 0)};
  find_products(&s);
  if (!s.num_products || s.num_products < PRODUCTS_A_POWER * s.num_powers || s.num_products < s.num_ops / SHARE)
    return true;
  ir_op *last = last_source(&s);
  if (!last || ir_op_is_before(last, s.products[0]))
    branch(&s, raise_exponents(&s, last));
  return true;
}

bool pass_skip_scaling(ir_module *module, const pass_options *options) {
  return !options->target->has_vote || ir_walk(ir_region(module->root, 0), visit, NULL);
}
