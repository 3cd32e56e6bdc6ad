/* hidden.c - follows hidden scores through memory: select(k <= q, x, -inf) is -infinity beyond a line, scaled and
 * shifted by a finite maximum it still is, and its exponential is 0 there. So a product with those exponentials can end
 * at the line, so can their sum, and the product that made the scores need not be computed beyond it.
 *
 * Weights that are 0 by a mask are taken to hide NaN and infinity in what they are multiplied with, as they do for the
 * pass trim; only -infinity by a comparison of indices counts as a mask, and only its exponential as such a weight.
 *
 * Invariants
 *  - A fact holds where the walk stands: what may write to its memory, or releases it, removes it, and so does entering
 *    or leaving a block.
 *  - Bounds name only loops, or dims, of one op, or one memref, and index values that dominate it.
 * Terminates: one step an op; operands in a body are followed for MAX_STEPS. */
#include "passes/hidden.h"

#include "passes/body.h"
#include "passes/memory.h"
#include "passes/vectorize.h"

#include <math.h>

enum { MAX_STEPS = 128 };

static const hidden_element unknown = {.kind = HIDDEN_UNKNOWN}, above = {.kind = HIDDEN_ABOVE};

/* --------------------------------------------------------------------------------------------------------- elements */

/* Gives bounds the loops of `op`, or dims, `to[i]` for what was `i`; false where one that they use has none. */
static bool rename_steps(mask *where, ir_op *op, unsigned count, const int *to) {
  for (unsigned i = 0; i < where->count; i++)
    if (!mask_rename(&where->bounds[i], op, count, to))
      return false;
  return true;
}

/* The scalar is a constant above -infinity. */
static bool is_above(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && ir_scalar_is_float(value->type->element) && cell.f > -INFINITY;
}

/* An operand's element, seen from the op's loops. */
static hidden_element operand_element(const hidden_facts *facts, ir_op *op, unsigned i) {
  const ir_value *memory = ir_operand(op, i);
  const ir_map *map = ir_structure_of(op)->maps[i];
  int loops[IR_MAX_RANK];
  if (!ir_type_is_shaped(memory->type))
    return is_above(memory) ? above : unknown;
  for (unsigned dim = 0; dim < map->num_results; dim++)
    loops[dim] = ir_map_result_dim(map, dim);
  for (unsigned k = 0; k < facts->count; k++)
    if (facts->facts[k].memory == memory) {
      hidden_element element = facts->facts[k].element;
      return rename_steps(&element.where, op, map->num_results, loops) ? element : unknown;
    }
  return unknown;
}

static bool is_hidden(const hidden_element *element) {
  return element->kind == HIDDEN_KNOWN && element->value == -INFINITY;
}

static bool is_zero(const hidden_element *element) { return element->kind == HIDDEN_KNOWN && element->value == 0; }

/* Both, in the same places. */
static bool are_zero(const hidden_element *a, const hidden_element *b) {
  return is_zero(a) && is_zero(b) && mask_equal(&a->where, &b->where);
}

static hidden_element element_of(const hidden_facts *facts, ir_op *op, const ir_value *value, unsigned *steps);

/* select(condition, x, -infinity), or the other way round; or of an x that is 0 somewhere and 0. */
static hidden_element selected(const hidden_facts *facts, ir_op *op, const ir_op *select, unsigned *steps) {
  for (unsigned i = 1; i <= 2; i++) {
    if (ir_value_is_zero(ir_operand(select, 3 - i))) {
      hidden_element element = element_of(facts, op, ir_operand(select, i), steps);
      return is_zero(&element) ? element : unknown;
    }
    if (!mask_is_hidden(ir_operand(select, 3 - i)))
      continue;
    hidden_element element = element_of(facts, op, ir_operand(select, i), steps);
    if (!is_hidden(&element))
      element = (hidden_element){.kind = HIDDEN_KNOWN, .value = -INFINITY};
    mask_add(&element.where, op, ir_operand(select, 0), i == 1);
    return element.where.count ? element : unknown;
  }
  return unknown;
}

/* What the body of `op` computes as `value`. */
static hidden_element element_of(const hidden_facts *facts, ir_op *op, const ir_value *value, unsigned *steps) {
  const ir_op *from = value->op;
  if (!*steps || !--*steps)
    return unknown;
  if (!from && value->block == ir_region(op, 0))
    return operand_element(facts, op, value->index);
  if (is_above(value))
    return above;
  if (!from || !from->num_operands)
    return unknown;
  if (from->code == OP_ARITH_SELECT)
    return selected(facts, op, from, steps);
  hidden_element lhs = element_of(facts, op, ir_operand(from, 0), steps), rhs = unknown;
  if (from->num_operands == 2)
    rhs = element_of(facts, op, ir_operand(from, 1), steps);
  switch (from->code) {
  case OP_ARITH_ADDF:
    if (are_zero(&lhs, &rhs))
      return lhs;
    return is_hidden(&lhs) ? lhs : is_hidden(&rhs) ? rhs : unknown;
  case OP_ARITH_SUBF:
    if (are_zero(&lhs, &rhs))
      return lhs;
    return is_hidden(&lhs) && rhs.kind == HIDDEN_ABOVE ? lhs : unknown;
  case OP_ARITH_MULF:
    if (is_zero(&lhs) || is_zero(&rhs))
      return is_zero(&lhs) ? lhs : rhs;
    return lhs.kind == HIDDEN_KNOWN && mask_keeps_hidden(ir_operand(from, 1))   ? lhs
           : rhs.kind == HIDDEN_KNOWN && mask_keeps_hidden(ir_operand(from, 0)) ? rhs
                                                                                : unknown;
  case OP_ARITH_MAXIMUMF:
    return lhs.kind == HIDDEN_ABOVE || rhs.kind == HIDDEN_ABOVE ? above : unknown;
  case OP_ARITH_EXTF:
    return lhs;
  case OP_ARITH_TRUNCF:
    return lhs.kind == HIDDEN_KNOWN ? lhs : unknown;
  case OP_MATH_EXP:
  case OP_MATH_EXP2:
    lhs.value = 0;
    return lhs.kind == HIDDEN_KNOWN ? lhs : unknown;
  default:
    return unknown;
  }
}

/* What the body of `op` gives its one output. */
static hidden_element yielded_element(const hidden_facts *facts, ir_op *op) {
  unsigned steps = MAX_STEPS;
  return element_of(facts, op, ir_yielded(op, 0), &steps);
}

/* ------------------------------------------------------------------------------------------------------------ facts */

static void forget(hidden_facts *facts, const ir_value *memory) {
  unsigned kept = 0;
  for (unsigned i = 0; i < facts->count; i++)
    if (memory_is_disjoint(facts->facts[i].memory, memory))
      facts->facts[kept++] = facts->facts[i];
  facts->count = kept;
}

/* What the op makes of all elements of its one output. */
static hidden_element written_element(const hidden_facts *facts, ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *map = ir_init_map(op, 0);
  int dims[IR_MAX_LOOPS];
  ir_opcode combine;
  if (!ir_map_is_projected_permutation(map))
    return unknown;
  if (structure->reductions) {
    hidden_element old = operand_element(facts, op, ir_num_inputs(op));
    return old.kind == HIDDEN_ABOVE && vectorize_combiner(op, 0, &combine) && combine == OP_ARITH_MAXIMUMF ? above
                                                                                                           : unknown;
  }
  hidden_element element = yielded_element(facts, op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    dims[loop] = ir_map_find_dim(map, loop);
  return rename_steps(&element.where, op, structure->num_loops, dims) ? element : unknown;
}

void hidden_pass(hidden_facts *facts, ir_op *op) {
  if (op->block->parent && ir_op_has(op->block->parent, IR_STRUCTURED))
    return;
  if (op->block != facts->block) {
    facts->block = op->block;
    facts->count = 0;
  }
  if (!memory_touches(op))
    return;
  if (op->code == OP_MEMREF_DEALLOC) {
    forget(facts, ir_operand(op, 0));
    return;
  }
  if (!ir_op_has(op, IR_STRUCTURED) || !op->num_regions) {
    facts->count = 0;
    return;
  }
  hidden_fact fact = {.memory = ir_init(op, 0)};
  if (ir_num_inits(op) == 1 && ir_type_is_shaped(fact.memory->type))
    fact.element = written_element(facts, op);
  for (unsigned out = 0; out < ir_num_inits(op); out++)
    forget(facts, ir_init(op, out));
  if (fact.element.kind != HIDDEN_UNKNOWN && facts->count < HIDDEN_MAX_FACTS)
    facts->facts[facts->count++] = fact;
}

/* ------------------------------------------------------------------------------------------------------------ users */

/* The input of a reduction that its terms are; -1 where they are something else. */
static int input_of_terms(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_op *combine = ir_operand(ir_block_terminator(body), 0)->op;
  const ir_value *old = body->args[ir_num_inputs(op)];
  const ir_value *term = body_unconverted(ir_operand(combine, ir_operand(combine, 0) == old));
  return !term->op && term->block == body && term->index < ir_num_inputs(op) ? (int)term->index : -1;
}

bool hidden_reduction(const hidden_facts *facts, ir_op *op, hidden_terms *terms) {
  bool is_contraction = ir_is_contraction(op);
  ir_opcode combine = OP_ARITH_ADDF;
  if (!is_contraction && (!ir_structure_of(op)->reductions || ir_num_inits(op) != 1 || !op->num_regions ||
                          !vectorize_combiner(op, 0, &combine)))
    return false;
  int only = is_contraction ? -1 : input_of_terms(op);
  double neutral = combine == OP_ARITH_ADDF ? 0 : -INFINITY;
  if ((combine != OP_ARITH_ADDF && combine != OP_ARITH_MAXIMUMF) || (!is_contraction && only < 0))
    return false;
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    hidden_element element = operand_element(facts, op, i);
    *terms = (hidden_terms){.input = i, .value = element.value, .where = element.where};
    if (element.kind == HIDDEN_KNOWN && element.value == neutral && (is_contraction || (int)i == only))
      return true;
  }
  return false;
}

bool hidden_result(ir_op *op, mask *where) {
  hidden_element element = yielded_element(&(hidden_facts){0}, op);
  *where = element.where;
  return element.kind == HIDDEN_KNOWN;
}
