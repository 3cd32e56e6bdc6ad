/* hidden.c - follows hidden scores through memory: select(k <= q, x, -inf) is -infinity beyond a line, scaled and
 * shifted by a finite maximum it still is, and its exponential is 0 there, as weights may be that a mask chooses
 * (known.h). So a product with those exponentials can end at the line, so can their sum, and the product that made the
 * scores need not be computed beyond it.
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

static const hidden_element unknown = {.known.kind = KNOWN_NOTHING};

/* --------------------------------------------------------------------------------------------------------- elements */

/* Gives bounds the loops of `op`, or dims, `to[i]` for what was `i`; false where one that they use has none. */
static bool rename_steps(mask *where, ir_op *op, unsigned count, const int *to) {
  for (unsigned i = 0; i < where->count; i++)
    if (!mask_rename(&where->bounds[i], op, count, to))
      return false;
  return true;
}

/* An operand's element, seen from the op's loops. */
static hidden_element operand_element(const hidden_facts *facts, ir_op *op, unsigned i) {
  const ir_value *memory = ir_operand(op, i);
  const ir_map *map = ir_structure_of(op)->maps[i];
  int loops[IR_MAX_RANK];
  if (!ir_type_is_shaped(memory->type))
    return (hidden_element){.known = known_constant(memory)};
  for (unsigned dim = 0; dim < map->num_results; dim++)
    loops[dim] = ir_map_result_dim(map, dim);
  for (unsigned k = 0; k < facts->count; k++)
    if (facts->facts[k].memory == memory) {
      hidden_element element = facts->facts[k].element;
      return rename_steps(&element.where, op, map->num_results, loops) ? element : unknown;
    }
  return unknown;
}

static hidden_element element_of(const hidden_facts *facts, ir_op *op, const ir_value *value, unsigned *steps);

/* What a condition hides, or what it shows is hidden as well. */
static hidden_element chosen(const hidden_facts *facts, ir_op *op, const ir_op *from, const known_choice *choice,
                             unsigned *steps) {
  hidden_element element = unknown;
  if (choice->shown)
    element = element_of(facts, op, ir_operand(from, choice->shown), steps);
  if (!known_is(element.known, choice->hidden))
    element = (hidden_element){.known = {.kind = KNOWN_HIDDEN, .value.f = choice->hidden}};
  mask_add(&element.where, op, choice->condition, choice->shown_if);
  return element.where.count ? element : unknown;
}

/* What an op in the body of `op` makes of its operands. */
static hidden_element made(const hidden_facts *facts, ir_op *op, const ir_op *from, unsigned *steps) {
  hidden_element elements[KNOWN_MAX_OPERANDS];
  known operands[KNOWN_MAX_OPERANDS];
  uint32_t needed;
  bool all;
  for (unsigned i = 0; i < from->num_operands; i++) {
    elements[i] = element_of(facts, op, ir_operand(from, i), steps);
    operands[i] = elements[i].known;
  }
  hidden_element result = {.known = known_result(from, operands, &needed, &all)};
  const hidden_element *first = NULL;
  for (unsigned i = 0; i < from->num_operands && result.known.kind == KNOWN_HIDDEN; i++) {
    if (!(needed >> i & 1))
      continue;
    if (first && all && !mask_equal(&first->where, &elements[i].where))
      return unknown;
    first = first ? first : &elements[i];
    result.where = first->where;
  }
  return result;
}

/* What the body of `op` computes as `value`. */
static hidden_element element_of(const hidden_facts *facts, ir_op *op, const ir_value *value, unsigned *steps) {
  const ir_op *from = value->op;
  known_choice choice;
  hidden_element element = {.known = known_constant(value)};
  if (!*steps || !--*steps || element.known.kind == KNOWN_ALWAYS)
    return element;
  if (!from)
    return value->block == ir_region(op, 0) ? operand_element(facts, op, value->index) : unknown;
  if (!from->num_operands || from->num_operands > KNOWN_MAX_OPERANDS)
    return unknown;
  if (known_choice_of(from, &choice))
    element = chosen(facts, op, from, &choice, steps);
  return element.known.kind == KNOWN_NOTHING ? made(facts, op, from, steps) : element;
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

/* The op takes the maximum of its output's elements and others. */
static bool is_maximum(const ir_op *op) {
  ir_opcode combine;
  return vectorize_combiner(op, 0, &combine) && combine == OP_ARITH_MAXIMUMF;
}

/* What the op makes of all elements of its one output. */
static hidden_element written_element(const hidden_facts *facts, ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *map = ir_init_map(op, 0);
  int dims[IR_MAX_LOOPS];
  if (!ir_map_is_projected_permutation(map))
    return unknown;
  if (structure->reductions) {
    known old = operand_element(facts, op, ir_num_inputs(op)).known;
    return (hidden_element){.known.kind = known_is_above(old) && is_maximum(op) ? KNOWN_ABOVE : KNOWN_NOTHING};
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
  if (fact.element.known.kind != KNOWN_NOTHING && facts->count < HIDDEN_MAX_FACTS)
    facts->facts[facts->count++] = fact;
}

/* ------------------------------------------------------------------------------------------------------------ users */

/* The input of a reduction that its terms are; -1 where they are something else. */
static int input_of_terms(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_value *term = body_unconverted(vectorize_term(op, 0));
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
    *terms = (hidden_terms){.input = i, .value = neutral, .where = element.where};
    if (known_is(element.known, neutral) && (is_contraction || (int)i == only))
      return true;
  }
  return false;
}

hidden_element hidden_result(ir_op *op) { return yielded_element(&(hidden_facts){0}, op); }
