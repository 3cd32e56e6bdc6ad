/* registers.c - the pass "registers": takes the vectors that one lane holds apart into single values.
 *
 * A lane's vector is a number of registers. Only accesses to memory and matrix units want several of them side by side,
 * so all other ops on N elements become N ops on one, loops carry N values, and ops that only choose or reorder
 * elements are gone. What is left of vectors is what an instruction moves at once, at most 16 bytes; code generators,
 * which deal badly with values of hundreds of elements, see no other.
 *
 * Invariants
 *  - The elements of a vector are in row-major order.
 *  - An op that nothing here knows keeps its vectors: it gets them put together and gives them to be taken apart.
 *  - Old ops stay, with their uses, until all ops are done; then they are erased, users first.
 * Terminates: each op is visited once, and what is made here is not visited. */
#include "ir/build.h"
#include "passes/passes.h"

#include <string.h>

typedef struct splitter {
  ir_module *module;
  ir_block *kernel;
  ir_value ***elements; /* by number, of each value that there was at the start; NULL: not known yet */
  ir_op **dead;         /* in the order of the text */
  size_t num_dead;
} splitter;

static bool is_vector(const ir_value *value) { return value->type->kind == IR_TYPE_VECTOR; }

static int64_t count_of(const ir_value *value) { return is_vector(value) ? ir_type_num_elements(value->type) : 1; }

/* -------------------------------------------------------------------------------------------------------- elements */

static ir_value *extract(ir_builder *at, ir_value *vector, int64_t element) {
  int64_t position[IR_MAX_RANK];
  for (unsigned dim = vector->type->rank; dim-- > 0; element /= vector->type->shape[dim])
    position[dim] = element % vector->type->shape[dim];
  ir_named_attr attr = {"static_position", ir_attr_i64s(at->module, vector->type->rank, position)};
  return ir_create(at, OP_VECTOR_EXTRACT, NULL, 1, &vector, 1, &attr);
}

static ir_value **new_elements(splitter *s, const ir_value *value) {
  return s->elements[ir_value_number(value)] = IR_NEW_ARRAY(&s->module->arena, ir_value *, count_of(value));
}

/* The elements of a vector; those of one that stays whole are taken out right behind it. */
static ir_value **elements_of(splitter *s, ir_value *value) {
  ir_value **elements = s->elements[ir_value_number(value)];
  if (elements)
    return elements;
  elements = new_elements(s, value);
  ir_builder at = ir_value_is_outside(value, s->kernel) ? ir_builder_before(s->kernel->first)
                  : value->op                           ? ir_builder_after(value->op)
                                                        : ir_builder_before(value->block->first);
  for (int64_t i = 0; i < count_of(value); i++)
    elements[i] = extract(&at, value, i);
  return elements;
}

/* The vector of which these are all elements in order, if there is one of the type; else NULL. */
static ir_value *whole_of(ir_value *const *elements, const ir_type *type) {
  ir_value *whole = ir_made_by(elements[0], OP_VECTOR_EXTRACT) ? ir_operand(elements[0]->op, 0) : NULL;
  if (!whole || whole->type != type)
    return NULL;
  for (int64_t i = 0, count = ir_type_num_elements(type); i < count; i++) {
    const ir_op *op = ir_made_by(elements[i], OP_VECTOR_EXTRACT);
    unsigned rank;
    if (!op || ir_operand(op, 0) != whole || op->num_operands > 1)
      return NULL;
    const int64_t *position = ir_attr_i64s_of(op, "static_position", &rank);
    int64_t linear = 0;
    for (unsigned dim = 0; dim < rank; dim++)
      linear = linear * type->shape[dim] + position[dim];
    if (rank != type->rank || linear != i)
      return NULL;
  }
  return whole;
}

static ir_value *put_together(splitter *s, ir_op *user, ir_value *value) {
  ir_value **elements = elements_of(s, value), *whole = whole_of(elements, value->type);
  if (whole)
    return whole;
  ir_builder at = ir_builder_before(user);
  return ir_create(&at, OP_VECTOR_FROM_ELEMENTS, value->type, (unsigned)count_of(value), elements, 0, NULL);
}

/* ------------------------------------------------------------------------------------------------------------- ops */

/* The same op on each element. */
static void split_elementwise(splitter *s, ir_op *op) {
  ir_arena *arena = &s->module->arena;
  ir_builder at = ir_builder_before(op);
  const ir_value *result = ir_result(op, 0);
  const ir_type *type = ir_type_scalar(s->module, result->type->element);
  ir_value ***operands = IR_NEW_ARRAY(arena, ir_value **, op->num_operands), **elements = new_elements(s, result);
  ir_value **row = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  for (unsigned k = 0; k < op->num_operands; k++)
    operands[k] = is_vector(ir_operand(op, k)) ? elements_of(s, ir_operand(op, k)) : NULL;
  for (int64_t i = 0; i < count_of(result); i++) {
    for (unsigned k = 0; k < op->num_operands; k++)
      row[k] = operands[k] ? operands[k][i] : ir_operand(op, k);
    elements[i] = ir_create(&at, op->code, type, op->num_operands, row, op->num_attrs, op->attrs);
  }
}

static void split_constant(splitter *s, ir_op *op) {
  ir_builder at = ir_builder_before(op);
  const ir_attr *dense = ir_attr_get(op, "value");
  const ir_type *type = ir_type_scalar(s->module, dense->type->element);
  ir_value **elements = new_elements(s, ir_result(op, 0));
  for (int64_t i = 0; i < count_of(ir_result(op, 0)); i++) {
    if (i && dense->count == 1) {
      elements[i] = elements[0];
      continue;
    }
    elements[i] = ir_splat(&at, type, ir_attr_element(dense, i));
  }
}

static void split_broadcast(splitter *s, const ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  const ir_type *from = source->type, *to = ir_result(op, 0)->type;
  ir_value **given = is_vector(source) ? elements_of(s, source) : NULL, **elements = new_elements(s, ir_result(op, 0));
  for (int64_t i = 0; i < count_of(ir_result(op, 0)); i++) {
    int64_t rest = i, at = 0, unit = 1;
    for (unsigned dim = to->rank, left = given ? from->rank : 0; left > 0; rest /= to->shape[dim]) {
      int64_t extent = from->shape[--left], coord = rest % to->shape[--dim];
      at += (extent == 1 ? 0 : coord) * unit;
      unit *= extent;
    }
    elements[i] = given ? given[at] : source;
  }
}

/* The part at constant offsets of leading dims: vector.extract. False where an offset is not constant. */
static bool split_extract(splitter *s, ir_op *op) {
  unsigned rank;
  ir_value *source = ir_operand(op, 0), *result = ir_result(op, 0);
  const int64_t *position = ir_attr_i64s_of(op, "static_position", &rank);
  if (op->num_operands > 1)
    return false;
  int64_t first = 0;
  for (unsigned dim = 0; dim < rank; dim++)
    first = first * source->type->shape[dim] + position[dim];
  first *= count_of(result);
  ir_value **given = elements_of(s, source);
  if (is_vector(result))
    memcpy(new_elements(s, result), given + first, (size_t)count_of(result) * sizeof *given);
  else
    ir_replace_uses(result, given[first]);
  return true;
}

/* The number, in the whole, of each element of a rectangular part of it; the part's dims are the whole's last. */
static int64_t element_in_whole(const ir_type *part, const ir_type *whole, const int64_t *offsets, unsigned num_offsets,
                                int64_t element) {
  int64_t at = 0, unit = 1;
  unsigned leading = whole->rank - part->rank;
  for (unsigned dim = whole->rank; dim-- > 0; unit *= whole->shape[dim]) {
    int64_t coord = dim < num_offsets ? offsets[dim] : 0;
    if (dim >= leading) {
      coord += element % part->shape[dim - leading];
      element /= part->shape[dim - leading];
    }
    at += coord * unit;
  }
  return at;
}

static void split_extract_slice(splitter *s, const ir_op *op) {
  unsigned rank;
  const ir_value *result = ir_result(op, 0);
  const int64_t *offsets = ir_attr_i64s_of(op, "offsets", &rank);
  ir_value **given = elements_of(s, ir_operand(op, 0)), **elements = new_elements(s, result);
  for (int64_t i = 0; i < count_of(result); i++)
    elements[i] = given[element_in_whole(result->type, ir_operand(op, 0)->type, offsets, rank, i)];
}

static void split_insert_slice(splitter *s, const ir_op *op) {
  unsigned rank;
  ir_value *part = ir_operand(op, 0), *whole = ir_operand(op, 1);
  const int64_t *offsets = ir_attr_i64s_of(op, "offsets", &rank);
  ir_value **given = elements_of(s, part), **old = elements_of(s, whole),
           **elements = new_elements(s, ir_result(op, 0));
  memcpy(elements, old, (size_t)count_of(whole) * sizeof *old);
  for (int64_t i = 0; i < count_of(part); i++)
    elements[element_in_whole(part->type, whole->type, offsets, rank, i)] = given[i];
}

/* ---------------------------------------------------------------------------------------------------- control flow */

/* Moves the ops of a block to that of the op which replaces its parent. */
static void move_block(splitter *s, ir_block *from, ir_block *to) {
  for (unsigned i = 0; i < from->num_args; i++) {
    ir_value *old = from->args[i];
    if (!is_vector(old)) {
      ir_replace_uses(old, ir_block_add_arg(to, old->type));
      continue;
    }
    ir_value **elements = new_elements(s, old);
    for (int64_t k = 0; k < count_of(old); k++)
      elements[k] = ir_block_add_arg(to, ir_type_scalar(s->module, old->type->element));
  }
  ir_block_move_ops(from, to);
}

/* An op that passes values on, into its regions or out of one: it passes on all elements. */
static ir_op *split_control(splitter *s, ir_op *op) {
  ir_arena *arena = &s->module->arena;
  ir_builder at = ir_builder_before(op);
  ir_op_spec spec = {.attrs = op->attrs, .num_attrs = op->num_attrs};
  int64_t num_operands = 0, num_results = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    num_operands += count_of(ir_operand(op, i));
  for (unsigned i = 0; i < op->num_results; i++)
    num_results += count_of(ir_result(op, i));
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, num_operands);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, num_results);
  for (unsigned group = 0, i = 0; group < IR_MAX_GROUPS; group++)
    for (unsigned end = i + op->groups[group]; i < end; i++) {
      ir_value *value = ir_operand(op, i), **elements = is_vector(value) ? elements_of(s, value) : &value;
      memcpy(operands + spec.num_operands, elements, (size_t)count_of(value) * sizeof *elements);
      spec.num_operands += (unsigned)count_of(value);
      spec.groups[group] += (unsigned)count_of(value);
    }
  for (unsigned i = 0; i < op->num_results; i++)
    for (int64_t k = 0; k < count_of(ir_result(op, i)); k++) {
      const ir_type *type = op->results[i].type;
      types[spec.num_results++] = is_vector(ir_result(op, i)) ? ir_type_scalar(s->module, type->element) : type;
    }
  spec.operands = operands;
  spec.types = types;
  ir_op *made = ir_op_create(&at, op->code, &spec);
  unsigned next = 0;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *old = ir_result(op, i);
    ir_value **elements = is_vector(old) ? new_elements(s, old) : NULL;
    for (int64_t k = 0; elements && k < count_of(old); k++)
      elements[k] = ir_result(made, next++);
    if (!elements)
      ir_replace_uses(old, ir_result(made, next++));
  }
  for (unsigned i = 0; i < op->num_regions; i++)
    move_block(s, ir_region(op, i), ir_region(made, i));
  return made;
}

/* ------------------------------------------------------------------------------------------------------------- walk */

/* What memory gives in one access stays whole when it comes through a branch, and so do the yields there. */
static bool keeps_vectors(const ir_op *op) {
  enum { ACCESS_BITS = 128 };
  bool yields = ir_op_has(op, IR_TERMINATOR), keeps = true;
  const ir_op *branch = yields ? ir_op_parent(op) : op;
  for (unsigned i = 0; i < branch->num_results; i++) {
    const ir_type *type = branch->results[i].type;
    keeps &= type->kind != IR_TYPE_VECTOR || ir_type_num_elements(type) * ir_scalar_bits(type->element) <= ACCESS_BITS;
    keeps &= !yields || (i < op->num_operands && ir_operand(op, i)->type == type);
  }
  return keeps && branch->code == OP_SCF_IF;
}

/* False where the op keeps its vectors. */
static bool split_op(splitter *s, ir_op *op) {
  ir_value **elements;
  switch (op->code) {
  case OP_ARITH_CONSTANT:
    split_constant(s, op);
    return true;
  case OP_VECTOR_BROADCAST:
    split_broadcast(s, op);
    return true;
  case OP_VECTOR_EXTRACT:
    return split_extract(s, op);
  case OP_VECTOR_EXTRACT_STRIDED_SLICE:
    split_extract_slice(s, op);
    return true;
  case OP_VECTOR_INSERT_STRIDED_SLICE:
    split_insert_slice(s, op);
    return true;
  case OP_VECTOR_FROM_ELEMENTS:
    elements = new_elements(s, ir_result(op, 0));
    for (unsigned i = 0; i < op->num_operands; i++)
      elements[i] = ir_operand(op, i);
    return true;
  case OP_VECTOR_SHAPE_CAST:
    s->elements[ir_value_number(ir_result(op, 0))] = elements_of(s, ir_operand(op, 0));
    return true;
  default:
    if (!ir_op_has(op, IR_ELEMENTWISE) || op->num_results != 1)
      return false;
    split_elementwise(s, op);
    return true;
  }
}

static void split_block(splitter *s, ir_block *block) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    bool gone = ir_op_touches(op, IR_TYPE_VECTOR);
    ir_op *regions = op;
    bool control = ir_op_has(op, IR_CONTROL) || ir_op_has(op, IR_TERMINATOR);
    if (gone && control && !keeps_vectors(op)) {
      regions = split_control(s, op);
    } else if (gone && (control || !split_op(s, op))) {
      gone = false;
      for (unsigned i = 0; i < op->num_operands; i++)
        if (is_vector(ir_operand(op, i)))
          ir_set_operand(op, i, put_together(s, op, ir_operand(op, i)));
    }
    if (gone)
      s->dead[s->num_dead++] = op;
    for (unsigned i = 0; i < regions->num_regions; i++)
      split_block(s, ir_region(regions, i));
  }
}

bool pass_registers(ir_module *module, const pass_options *options) {
  if (!options->target->warp)
    return ir_error(module, (ir_loc){0}, "pass 'registers' is for targets with lanes, not for '%s'",
                    options->target->name);
  splitter s = {.module = module};
  ir_block *top = ir_region(module->root, 0);
  s.dead = IR_NEW_ARRAY(&module->arena, ir_op *, ir_number_ops(module->root));
  unsigned num_values = ir_number_values(module->root);
  s.elements = IR_NEW_ARRAY(&module->arena, ir_value **, num_values);
  memset(s.elements, 0, num_values * sizeof *s.elements);
  for (ir_op *function = top->first; function; function = function->next) {
    if (function->code != OP_FUNC_FUNC)
      continue;
    for (ir_op *op = ir_region(function, 0)->first; op; op = op->next) {
      if (op->code != OP_SCF_FORALL || !ir_attr_get(op, "tec.threads"))
        continue;
      s.kernel = ir_region(op, 0);
      split_block(&s, s.kernel);
    }
  }
  while (s.num_dead)
    ir_op_erase(s.dead[--s.num_dead]);
  return true;
}
