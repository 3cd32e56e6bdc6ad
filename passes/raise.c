/* raise.c - finds softmax in whatever ops it is spelled with, and makes it one op that can be tiled over its reduction.
 *
 * An element e(x) / sum of e(x) along a loop is softmax, where e is exp or exp2 of an argument; terms of the argument
 * that do not vary along the loop cancel, so it does not matter which maximum (or none) is subtracted. What is added
 * and may be as low as a mask's number does not: it leaves nothing of scores, and the row is a mean. The quotient may
 * be a product with a reciprocal, or e^(x - log of the sum). Matching works on expressions (expression.h), so names,
 * the number of ops and how the computation is split over them play no role; what differs in meaning has another
 * expression and is left alone. A sum that starts from one more exponential is that of a softmax that has seen one more
 * score (an attention sink); so is one more column of scores whose weights nobody reads (sink.c).
 *
 * The running maximum and sum are results of the op, so what the program computes like them elsewhere (for a
 * log-sum-exp, say) is made of those (statistics.c). A product with e(x) that is divided by the sum afterwards is one
 * with the quotients, which are rounded as e(x) was; so is one that is not divided, times the sum (numerators.c). Rows
 * that are masked everywhere give 0 instead of NaN.
 * Sums of products of elements become contractions first (raise_product.c).
 * Termination: four walks, for sums, softmaxes, such products and what goes with them; each looks at each op once. */
#include "passes/body.h"
#include "passes/expression.h"
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/raise_product.h"
#include "passes/recast.h"
#include "passes/softmax.h"
#include "passes/tile.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_STEPS = 64 }; /* nodes looked at for one answer */

/* A softmax found. */
typedef struct softmax_match {
  const expression *argument; /* x */
  const expression *sink;     /* a score besides, the same all along the loop, of which only the sum knows; or NULL */
  int loop;
  ir_value *scalar; /* the quotient in the root's body */
} softmax_match;

/* node * factor, in one product where the node is one with a constant. NULL when there is no room. */
static const expression *scaled(expression_space *space, const expression *node, double factor) {
  const expression *constant = expression_constant(space, node->type, factor);
  for (unsigned side = 0; expression_is_op(node, OP_ARITH_MULF) && side < 2; side++) {
    const expression *number = node->arguments[side];
    double product = expression_is_number(number) ? factor * number->attr->number : INFINITY;
    if (fabs(product) <= FLT_MAX) {
      constant = expression_constant(space, node->type, product);
      node = node->arguments[1 - side];
    }
  }
  if (!constant || expression_is_constant(constant, 1))
    return constant ? node : NULL;
  return expression_apply(space, OP_ARITH_MULF, node, constant);
}

/* Of a sum with the node, which a mask of whole rows may be, nothing else is left where that is the lowest number, or
 * infinite. */
static bool may_absorb(const expression *node, unsigned *steps) {
  const double LEAST = 1e17; /* in f64, next to scores */
  if (!*steps || !--*steps)
    return true;
  if (expression_is_number(node))
    return fabs(node->attr->number) >= LEAST;
  bool chooses = expression_is_op(node, OP_ARITH_SELECT), sum = expression_is_op(node, OP_ARITH_ADDF);
  bool found = false;
  for (unsigned i = chooses; (chooses || sum || expression_is_op(node, OP_ARITH_MULF)) && i < node->num_arguments; i++)
    found |= may_absorb(node->arguments[i], steps);
  return found;
}

/* Takes off terms that do not vary along the loop, also inside a product with a factor that does not: (x - m) * c
 * becomes x * c, unless c * `unit` is known to be larger than 1, so that finite numbers might become infinite. *shift
 * is the one thing subtracted, or NULL. NULL when there is no room. */
static const expression *without_shifts(expression_space *space, const expression *node, int loop, double unit,
                                        const expression **shift) {
  unsigned count = 0;
  *shift = NULL;
  for (;;) {
    bool left = node->num_arguments == 2 && expression_depends(node->arguments[0], loop);
    bool right = node->num_arguments == 2 && expression_depends(node->arguments[1], loop);
    bool sum = expression_is_op(node, OP_ARITH_ADDF), difference = expression_is_op(node, OP_ARITH_SUBF);
    if (left == right || !(sum || difference || expression_is_op(node, OP_ARITH_MULF)) || (difference && right))
      return node;
    const expression *varying = node->arguments[right], *other = node->arguments[left];
    unsigned steps = MAX_STEPS;
    if (sum && may_absorb(other, &steps))
      return node;
    if (!sum && !difference) {
      double factor = expression_is_number(other) ? unit * fabs(other->attr->number) : unit;
      const expression *scaled_shift, *inner = without_shifts(space, varying, loop, factor, &scaled_shift);
      if (inner == varying || factor > 1)
        return node;
      *shift = NULL; /* it was subtracted before the product */
      return expression_is_number(other) && inner ? scaled(space, inner, other->attr->number)
                                                  : expression_apply(space, OP_ARITH_MULF, inner, other);
    }
    *shift = count++ || sum ? NULL : other;
    node = varying;
  }
}

/* quotient = element / sum, or element * (1 / sum). */
static bool split_quotient(const expression *node, const expression **element, const expression **sum) {
  if (expression_is_op(node, OP_ARITH_DIVF)) {
    *element = node->arguments[0];
    *sum = node->arguments[1];
    return true;
  }
  for (unsigned side = 0; expression_is_op(node, OP_ARITH_MULF) && side < 2; side++) {
    const expression *reciprocal = node->arguments[side];
    if (expression_is_op(reciprocal, OP_ARITH_DIVF) && expression_is_constant(reciprocal->arguments[0], 1)) {
      *element = node->arguments[1 - side];
      *sum = reciprocal->arguments[1];
      return true;
    }
  }
  return false;
}

/* e^(y - log(sum of e^y)), or e^(x - (log(sum of e^(x - c)) + c)), is a quotient of e^y or of e^(x - c). */
static bool split_logarithm(expression_space *space, const expression *node, const expression **element,
                            const expression **sum) {
  if (!expression_is_op(node, OP_MATH_EXP) || !expression_is_op(node->arguments[0], OP_ARITH_SUBF))
    return false;
  const expression *exponent = node->arguments[0]->arguments[0], *log = node->arguments[0]->arguments[1];
  for (unsigned side = 0; expression_is_op(log, OP_ARITH_ADDF) && side < 2; side++)
    if (expression_is_op(log->arguments[side], OP_MATH_LOG)) {
      exponent = expression_apply(space, OP_ARITH_SUBF, exponent, log->arguments[1 - side]);
      log = log->arguments[side];
    }
  if (!exponent || !expression_is_op(log, OP_MATH_LOG))
    return false;
  *sum = log->arguments[0];
  *element = expression_apply(space, OP_MATH_EXP, exponent, NULL);
  return *element != NULL;
}

/* sum = sum of elements, or that and one more term, which does not vary along the loop; *extra is its exponent. */
static bool split_sum(const expression *sum, const expression *element, const expression **total,
                      const expression **extra) {
  *total = sum;
  *extra = NULL;
  for (unsigned side = 0; expression_is_op(sum, OP_ARITH_ADDF) && side < 2; side++)
    if (sum->arguments[side]->kind == EXPRESSION_REDUCE && expression_is_op(sum->arguments[1 - side], element->code)) {
      *total = sum->arguments[side];
      *extra = sum->arguments[1 - side]->arguments[0];
      if (expression_depends(*extra, (*total)->loop))
        return false;
    }
  return (*total)->kind == EXPRESSION_REDUCE && (*total)->code == OP_ARITH_ADDF && (*total)->arguments[0] == element;
}

static bool match_softmax(expression_space *space, const expression *node, softmax_match *match) {
  const expression *element, *sum, *total, *shift, *extra;
  if (!(split_quotient(node, &element, &sum) || split_logarithm(space, node, &element, &sum)) ||
      (!expression_is_op(element, OP_MATH_EXP) && !expression_is_op(element, OP_MATH_EXP2)) ||
      !split_sum(sum, element, &total, &extra))
    return false;
  match->loop = total->loop;
  double unit = element->code == OP_MATH_EXP2 ? M_LN2 : 1; /* 2^x = e^(x ln 2) */
  match->argument = without_shifts(space, element->arguments[0], match->loop, unit, &shift);
  if (!match->argument || !expression_depends(match->argument, match->loop))
    return false;
  if (extra) {
    bool plain = shift || match->argument == element->arguments[0];
    match->sink = plain ? softmax_unshifted(space, extra, shift) : NULL;
    if (!match->sink)
      return false;
  }
  if (unit != 1) {
    match->argument = scaled(space, match->argument, unit);
    match->sink = extra ? scaled(space, match->sink, unit) : NULL;
  }
  return match->argument && (!extra || match->sink);
}

/* `node` is true where x is minus infinity all along the loop. */
static bool is_masked_row(const expression *node, const expression *x, int loop) {
  if (node->kind != EXPRESSION_REDUCE || node->code != OP_ARITH_ANDI || node->loop != loop)
    return false;
  const expression *test = node->arguments[0];
  if (!expression_is_op(test, OP_ARITH_CMPF) || !expression_is_constant(test->arguments[1], -INFINITY))
    return false;
  for (unsigned i = 0; i < test->num_attrs; i++)
    if (!strcmp(test->attrs[i].name, "predicate") && test->attrs[i].attr->value != IR_ORDERED_EQUAL)
      return false;
  const expression *tested = test->arguments[0];
  while (expression_is_op(tested, OP_ARITH_EXTF))
    tested = tested->arguments[0];
  return tested == x;
}

/* select(row is masked everywhere, 0, softmax): the softmax gives 0 there by itself. NULL, or its result. */
static ir_value *match_guard(expression_space *space, const expression *node) {
  if (!expression_is_op(node, OP_ARITH_SELECT) || !expression_is_constant(node->arguments[1], 0))
    return NULL;
  const expression *quotient = node->arguments[2];
  ir_op *softmax = quotient->kind == EXPRESSION_LEAF ? quotient->value->op : NULL;
  if (!softmax || softmax->code != OP_LINALG_EXT_SOFTMAX || quotient->value->index ||
      quotient != expression_of_element(space, quotient->value, -1))
    return NULL;
  const expression *x = expression_of_element(space, ir_input(softmax, 0), -1);
  int loop = (int)ir_attr_int_or(softmax, "dimension", 0);
  return x && is_masked_row(node->arguments[0], x, loop) ? quotient->value : NULL;
}

static bool raise_match(expression_space *space, const softmax_match *match) {
  ir_op *root = space->root;
  ir_builder builder = ir_builder_before(root);
  if (match->sink && match->sink->type->element != softmax_statistic(match->argument->type))
    return false;
  ir_value *sink = match->sink ? expression_materialize(space, &builder, match->sink, match->loop) : NULL;
  ir_value *x = expression_materialize(space, &builder, match->argument, -1);
  if (!x || (match->sink && !sink))
    return false;
  ir_value *out = expression_empty(space, &builder, x->type->element);
  ir_op *softmax = softmax_create(&builder, x, out, (unsigned)match->loop, sink);
  recast_read_scalar(root, match->scalar, ir_result(softmax, 0));
  return true;
}

/* Each element of the result is computed from elements alone, one iteration an element; one more input is no
 * problem. */
static bool is_candidate(const ir_op *op) {
  return body_is_elementwise(op) && op->num_results == 1 && op->num_operands < RECAST_MAX_OPERANDS &&
         ir_map_is_identity(ir_init_map(op, 0));
}

/* Is the op, or what it computes first, a softmax now? It is gone then. */
static bool raise_softmax(ir_op *op, expression_space *space, const pass_options *options) {
  expression_begin(space, op);
  for (ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next) {
    if (inner->code != OP_ARITH_DIVF && inner->code != OP_ARITH_MULF && inner->code != OP_ARITH_SELECT &&
        inner->code != OP_MATH_EXP)
      continue;
    const expression *node = expression_of_scalar(space, ir_result(inner, 0));
    softmax_match match = {.scalar = ir_result(inner, 0)};
    ir_value *guarded = node ? match_guard(space, node) : NULL;
    if (guarded) {
      if (options->explain)
        ir_remark(op->module, op->loc, "recognised: rows that are masked everywhere give 0, as softmax does by itself");
      recast_read_scalar(op, match.scalar, guarded);
      return true;
    }
    ir_loc loc = inner->loc;
    if (node && match_softmax(space, node, &match) && raise_match(space, &match)) {
      if (options->explain)
        ir_remark(space->module, loc, "recognised: a softmax along dim %d%s, whatever is subtracted first", match.loop,
                  match.sink ? " with a sink, a score that takes weight but has no value" : "");
      return true;
    }
  }
  return false;
}

/* What the op, linear in a product, gives where it is not rounded at once. */
static ir_value *unrounded_result(const ir_op *op) {
  ir_value *value = ir_yielded(op, 0);
  return ir_made_by(value, OP_ARITH_TRUNCF) ? ir_operand(value->op, 0) : value;
}

/* The value itself, or what it is rounded from, of that element type; NULL where there is none. */
static ir_value *before_rounding(ir_value *value, ir_scalar element) {
  if (value->type->element == element)
    return value;
  ir_op *cast = value->op;
  return cast && body_is_cast(cast) && ir_operand(cast, 0)->type->element == element ? ir_operand(cast, 0) : NULL;
}

/* The op, which is linear in the result of a product, computed of a factor of that instead, or of what this is rounded
 * from: its other inputs must be the same all along what the factor lacks. At the builder's place; NULL where it cannot
 * be. */
static ir_op *apply_to_factor(ir_builder *builder, const ir_op *op, unsigned input, const ir_op *product,
                              unsigned factor) {
  recast parts;
  const ir_value *scalar = unrounded_result(op);
  ir_value *value = before_rounding(ir_operand(product, factor), scalar->type->element);
  const ir_map *read = ir_structure_of(product)->maps[factor], *out = ir_structure_of(product)->maps[2];
  const ir_expr *loops[IR_MAX_LOOPS] = {0};
  if (!value || !recast_begin(&parts, (ir_op *)op) || !ir_map_is_projected_permutation(read))
    return NULL;
  for (unsigned loop = 0; loop < parts.num_loops; loop++) {
    int dim = ir_map_find_dim(read, (unsigned)ir_map_result_dim(out, loop));
    loops[loop] = dim < 0 ? NULL : ir_expr_dim(op->module, (unsigned)dim);
  }
  for (unsigned i = 0; i < parts.num_ins; i++) {
    for (unsigned loop = 0; i != input && loop < parts.num_loops; loop++)
      if (!loops[loop] && ir_map_uses_dim(parts.maps[i], loop))
        return NULL;
    parts.maps[i] = i == input ? ir_map_identity(op->module, read->num_results)
                               : ir_map_replace(op->module, parts.maps[i], read->num_results, loops);
  }
  if (body_indices(op))
    return NULL;
  parts.operands[input] = value;
  parts.operands[parts.num_ins] = pass_empty_like(builder, value, value->type->element);
  parts.maps[parts.num_ins] = ir_map_identity(op->module, read->num_results);
  parts.num_loops = read->num_results;
  ir_op *fresh = recast_create(&parts, builder, NULL);
  if (scalar != ir_yielded(op, 0))
    ir_set_operand(ir_region(fresh, 0)->last, 0, ir_operand(ir_yielded(fresh, 0)->op, 0));
  return fresh;
}

/* The op is linear in that input, a product which nobody else reads, and has its elements, but for rounding. */
static bool follows_product(const ir_op *op, unsigned input) {
  const ir_op *product = ir_input(op, input)->op;
  if (!product || product->block != op->block || !ir_is_contraction(product) ||
      !ir_value_has_one_use(ir_result(product, 0)) || !tile_is_linear_in(op, input) || !body_starts_from_zero(product))
    return false;
  const ir_type *type = ir_result(product, 0)->type;
  return unrounded_result(op)->type->element == type->element &&
         ir_result(op, 0)->type == ir_type_with_element(op->module, type, ir_result(op, 0)->type->element);
}

/* The product with `quotients` as that factor, rounded as the factor was. */
static ir_op *multiply_quotients(ir_builder *builder, const ir_op *product, unsigned factor, ir_value *quotients) {
  const ir_value *was = ir_operand(product, factor);
  if (was->type != quotients->type) {
    ir_op *cast = ir_op_clone(builder, was->op, NULL);
    ir_set_operand(cast, 0, quotients);
    quotients = ir_result(cast, 0);
  }
  ir_op *fresh = ir_op_clone(builder, product, NULL);
  ir_set_operand(fresh, factor, quotients);
  return fresh;
}

/* (e V) / sum of e is (e / sum of e) V: quotients behind a product are those of its weights, if that is a softmax.
 * Where the program rounds e, it is the quotients that are rounded, by as much of their value. */
static bool raise_behind_product(ir_op *op, expression_space *space, const pass_options *options) {
  for (unsigned i = 0; i < 2 * ir_num_inputs(op); i++) {
    if (!follows_product(op, i / 2))
      continue;
    ir_op *product = ir_input(op, i / 2)->op;
    ir_builder builder = ir_builder_before(op);
    ir_op *quotient = apply_to_factor(&builder, op, i / 2, product, i % 2);
    if (!quotient)
      continue;
    ir_op *fresh = multiply_quotients(&builder, product, i % 2, ir_result(quotient, 0));
    if (raise_softmax(quotient, space, options)) {
      ir_replace_op(op, body_convert(&builder, ir_result(fresh, 0), ir_init(op, 0)));
      ir_op_erase(product);
      return true;
    }
    ir_op *cast = ir_operand(fresh, i % 2)->op;
    ir_op_erase(fresh);
    if (cast != quotient)
      ir_op_erase(cast);
    ir_op_erase(quotient);
  }
  return false;
}

typedef struct raising {
  expression_space *space;
  const pass_options *options;
} raising;

static void raise_op(ir_op *op, const void *data) {
  const raising *with = data;
  if (is_candidate(op) && !raise_softmax(op, with->space, with->options))
    raise_behind_product(op, with->space, with->options);
}

/* Products with exponentials that are left. */
static void raise_numerators(ir_op *op, const void *data) {
  const raising *with = data;
  if (softmax_raise_numerators(op, with->space) && with->options->explain)
    ir_remark(op->module, op->loc, "recognised: a softmax whose numerators nobody divides by their sum");
}

/* Statistics that are computed elsewhere, and sinks that are a column of scores: to the statistics, one as all. */
static void complete_op(ir_op *op, const void *data) {
  const raising *with = data;
  ir_module *module = op->module;
  ir_loc loc = op->loc;
  if (!softmax_is(op))
    return;
  ir_op *online = op->code == OP_LINALG_SOFTMAX ? softmax_make_online(op) : op;
  if (softmax_share_statistics(online, with->space) && with->options->explain)
    ir_remark(module, loc, "recognised: the maximum or sum of the same scores, computed elsewhere");
  if (softmax_take_sink(online) && with->options->explain)
    ir_remark(module, loc, "recognised: a column of scores that has no values is a sink");
}

static void raise_products(ir_op *op, const void *data) {
  const pass_options *options = data;
  ir_module *module = op->module;
  ir_loc loc = op->loc;
  if (raise_product(op, options->target) && options->explain)
    ir_remark(module, loc, "recognised: a sum of products of elements is a product of tensors");
}

bool pass_raise(ir_module *module, const pass_options *options) {
  const raising with = {IR_NEW(&module->arena, expression_space), options};
  pass_visit_unscheduled_ops(module, raise_products, options);
  pass_drop_dead(module);
  pass_visit_unscheduled_ops(module, raise_op, &with);
  pass_drop_dead(module); /* what has become a softmax is no reader of statistics any more */
  pass_visit_unscheduled_ops(module, raise_numerators, &with);
  pass_drop_dead(module);
  pass_visit_unscheduled_ops(module, complete_op, &with);
  return true;
}
