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
 * Where a product that warpgroups have under way is added to before it is scaled (delay_products.c), the branch stands
 * where it is waited for, and either way waits. So what lanes compute beside that product is done before.
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
  bool behind_waits; /* what is scaled comes from warpgroups; else it is carried */
  ir_op **products;  /* such a value times e^x, in the order of the text */
  ir_op **powers;    /* their e^x, each once */
  ir_op **waits;     /* which give the values */
  ir_value **values; /* what the products give; where skipped, what they scale */
  unsigned num_products, num_powers, num_waits, num_ops;
} skipper;

/* The op is e^x of a value that is computed right in the body, from one or two others. */
static bool is_power(const skipper *s, const ir_op *op) {
  if (!op || op->code != OP_MATH_EXP || op->block != s->body)
    return false;
  const ir_op *exponent = ir_operand(op, 0)->op;
  return exponent && exponent->block == s->body && ir_op_has(exponent, IR_ELEMENTWISE);
}

/* The wait right in the body that gives the value, which nobody else uses; NULL: none does. */
static ir_op *wait_of(const skipper *s, const ir_value *value) {
  const ir_op *extract = ir_made_by(value, OP_VECTOR_EXTRACT);
  ir_op *wait = extract && ir_value_has_one_use(value) ? ir_operand(extract, 0)->op : NULL;
  return wait && wait->block == s->body && wait->code == OP_VECTOR_EXT_WARPGROUP_WAIT ? wait : NULL;
}

/* The operand, 0 or 1, by which an op multiplies a value that is scaled, if that is a power; else -1. */
static int factor_of(const skipper *s, const ir_op *op) {
  for (int i = 0; i < 2 && op->code == OP_ARITH_MULF; i++) {
    const ir_value *value = ir_operand(op, (unsigned)(1 - i));
    bool is_scaled = s->behind_waits ? wait_of(s, value) != NULL : !value->op && value->block == s->body;
    if (is_scaled && is_power(s, ir_operand(op, (unsigned)i)->op))
      return i;
  }
  return -1;
}

/* Adds the op to a list unless it is the one of its kind already. */
static void add_once(ir_op **list, unsigned *count, ir_op *op) {
  for (unsigned i = 0; i < *count; i++)
    if (list[i] == op)
      return;
  list[(*count)++] = op;
}

static void add_product(skipper *s, ir_op *product, unsigned factor) {
  ir_value *value = ir_operand(product, 1 - factor);
  add_once(s->powers, &s->num_powers, ir_operand(product, factor)->op);
  if (s->behind_waits)
    add_once(s->waits, &s->num_waits, wait_of(s, value));
  s->values[s->num_products] = value;
  s->products[s->num_products++] = product;
}

/* Is all that the waits give scaled? */
static bool scales_all(const skipper *s) {
  int64_t elements = 0;
  for (unsigned i = 0; i < s->num_waits; i++)
    elements += ir_type_num_elements(ir_result(s->waits[i], 0)->type);
  return elements == s->num_products;
}

static void find_products(skipper *s) {
  ir_arena *arena = &s->body->parent->module->arena;
  for (const ir_op *op = s->body->first; op; op = op->next)
    s->num_ops++;
  s->products = IR_NEW_ARRAY(arena, ir_op *, s->num_ops);
  s->powers = IR_NEW_ARRAY(arena, ir_op *, s->num_ops);
  s->waits = IR_NEW_ARRAY(arena, ir_op *, s->num_ops);
  s->values = IR_NEW_ARRAY(arena, ir_value *, s->num_ops);
  for (unsigned turn = 0; turn < 2 && !s->num_products; turn++) {
    s->behind_waits = !turn;
    for (ir_op *op = s->body->first; op; op = op->next) {
      int factor = factor_of(s, op);
      if (factor >= 0)
        add_product(s, op, (unsigned)factor);
    }
    if (s->behind_waits && !scales_all(s))
      s->num_products = s->num_powers = s->num_waits = 0;
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

/* Waits on either way of the branch. */
static void move_waits(skipper *s, ir_block *moved, ir_block *otherwise) {
  ir_builder builder = ir_builder_at_end(otherwise);
  ir_value_map *map = ir_value_map_create(builder.module);
  for (unsigned i = 0; i < s->num_waits; i++) {
    ir_op_clone(&builder, s->waits[i], map);
    ir_op_move_to_end(s->waits[i], moved);
  }
  for (unsigned i = 0; s->behind_waits && i < s->num_products; i++) {
    ir_op *extract = s->values[i]->op;
    s->values[i] = ir_result(ir_op_clone(&builder, extract, map), 0);
    ir_op_move_to_end(extract, moved);
  }
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
  move_waits(s, moved, ir_region(choice, 1));
  builder = ir_builder_at_end(ir_region(choice, 1));
  ir_terminator(&builder, OP_SCF_YIELD, s->num_products, s->values);
  for (unsigned i = 0; i < s->num_products; i++) {
    ir_op_move_to_end(s->products[i], moved);
    s->values[i] = ir_result(s->products[i], 0);
    ir_replace_uses(s->values[i], ir_result(choice, i));
  }
  for (unsigned i = 0; i < s->num_powers; i++)
    if (is_for(ir_result(s->powers[i], 0), moved))
      ir_op_move_before(s->powers[i], moved->first);
    else if (!ir_op_is_before(s->powers[i], choice))
      ir_op_move_before(s->powers[i], choice);
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
  ir_op *last = last_source(&s), *first = s.behind_waits ? s.waits[0] : s.products[0];
  if (last && !ir_op_is_before(last, first))
    return true;
  ir_op *next = raise_exponents(&s, last);
  branch(&s, s.behind_waits ? first : next);
  return true;
}

bool pass_skip_scaling(ir_module *module, const pass_options *options) {
  return !options->target->has_vote || ir_walk(ir_region(module->root, 0), visit, NULL);
}
