/* verify.c - checks a module against the op table; what one op alone must satisfy beyond its row stands in the hooks of
 * verify_*.c.
 *
 * Invariants
 *  - Hooks run only on ops whose row holds: operand groups, results, regions and attributes are there in the right
 *  number
 *    and attributes are of the right kind. A hook looks at its op, at the op's types, and into the op's own regions.
 *  - While the walk is inside an op, the low bits of ir_op.mark say in which region ("open"); above them stands the
 *  op's
 *    number in preorder. So whether a value is visible is decided in constant time, and the whole check is linear.
 * Terminates: one preorder walk over a tree, without recursion. */
#include "op_hooks.h"
#include "row.h"
#include "text.h"
#include "verify_util.h"

#include <stdlib.h>

enum { OPEN_BITS = 4, OPEN_MASK = (1 << OPEN_BITS) - 1 };

typedef struct verifier {
  unsigned stages;   /* where all ops must be legal; 0: anywhere */
  uint32_t serial;   /* ops seen */
  uint32_t isolated; /* the innermost open op that sees nothing from outside */
  unsigned depth;    /* open ops */
  bool valid;
} verifier;

/* -------------------------------------------------------------------------------------------------------------- row */

static bool verify_row(const ir_op *op) {
  row_subject subject = {.module = op->module,
                         .loc = op->loc,
                         .info = ir_op_row(op),
                         .groups = op->groups,
                         .num_results = op->num_results,
                         .num_regions = op->num_regions,
                         .num_attrs = op->num_attrs,
                         .attrs = op->attrs};
  unsigned total = ir_group_start(op, ir_info_num_groups(subject.info));
  if (total != op->num_operands)
    return ir_op_error(op, "has %u operands, but its operand groups hold %u", op->num_operands, total);
  return row_check_counts(&subject) && row_check_attrs(&subject);
}

/* ----------------------------------------------------------------------------------------------------------- traits */

static bool verify_types(const ir_op *op, unsigned stages) {
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = ir_result(op, i)->type;
    if (type->kind == IR_TYPE_VECTOR && ir_type_num_elements(type) > IR_MAX_VECTOR_ELEMENTS)
      return ir_op_error(op, "makes a vector of more than %d elements", IR_MAX_VECTOR_ELEMENTS);
    if (type->kind == IR_TYPE_TENSOR && stages && !(stages & (IR_STAGE_TENSOR | IR_STAGE_TILED)))
      return ir_op_error(op, "makes a tensor, which is no longer legal at this stage");
  }
  return true;
}

static const ir_type *any_type(const ir_op *op, unsigned i) {
  return i < op->num_operands ? ir_operand(op, i)->type : ir_result(op, i - op->num_operands)->type;
}

static bool verify_same_type(const ir_op *op) {
  for (unsigned i = 1; i < op->num_operands + op->num_results; i++)
    if (any_type(op, i) != any_type(op, 0))
      return ir_op_error(op, "requires one type for all operands and results, got %s and %s",
                         ir_print_type(op->module, any_type(op, 0)), ir_print_type(op->module, any_type(op, i)));
  return true;
}

/* One shape for all; a scalar i1 beside shaped values is a condition for all elements (arith.select). */
static bool verify_elementwise(const ir_op *op) {
  const ir_type *first = ir_result(op, 0)->type;
  for (unsigned i = 0; i < op->num_operands + op->num_results; i++) {
    const ir_type *type = any_type(op, i);
    if (type->kind != IR_TYPE_SCALAR && type->kind != IR_TYPE_VECTOR && type->kind != IR_TYPE_TENSOR)
      return ir_op_error(op, "works on scalars, vectors and tensors, not on %s", ir_print_type(op->module, type));
    bool condition = type->kind == IR_TYPE_SCALAR && type->element == IR_I1;
    if (!condition && !ir_same_shape(type, first))
      return ir_op_error(op, "requires one shape for all operands and results, got %s and %s",
                         ir_print_type(op->module, first), ir_print_type(op->module, type));
  }
  return true;
}

/* Results tie to the tensors among the outs, in order; tensors and memrefs do not mix. */
static bool verify_destination_style(const ir_op *op) {
  unsigned results = 0, memrefs = 0, num_inits = ir_num_inits(op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    memrefs += type->kind == IR_TYPE_MEMREF;
    if (i < op->num_operands - num_inits)
      continue;
    if (type->kind == IR_TYPE_TENSOR && results < op->num_results && ir_result(op, results)->type != type)
      return ir_op_error(op, "result %u must have the type of its init, %s", results, ir_print_type(op->module, type));
    if (type->kind != IR_TYPE_TENSOR && type->kind != IR_TYPE_MEMREF)
      return ir_op_error(op, "outs must be tensors or memrefs, not %s", ir_print_type(op->module, type));
    results += type->kind == IR_TYPE_TENSOR;
  }
  if (results != op->num_results)
    return ir_op_error(op, "has %u tensors as outs, but %u results", results, op->num_results);
  return !(results && memrefs) || ir_op_error(op, "mixes tensors and memrefs");
}

static bool verify_inferred(const ir_op *op) {
  const ir_type *types[IR_MAX_INFERRED];
  if (!ir_op_row(op)->infer(op, types))
    return false;
  for (unsigned i = 0; i < op->num_results; i++)
    if (types[i] != ir_result(op, i)->type)
      return ir_op_error(op, "must have a result of type %s, not %s", ir_print_type(op->module, types[i]),
                         ir_print_type(op->module, ir_result(op, i)->type));
  return true;
}

static bool verify_regions(const ir_op *op) {
  const ir_op_info *row = ir_op_row(op);
  if (row->traits & IR_NO_TERMINATOR)
    return true;
  for (unsigned i = 0; i < op->num_regions; i++) {
    const ir_op *last = ir_region(op, i)->last;
    if (!last && !(row->traits & IR_MAY_BE_EMPTY))
      return ir_op_error(op, "region %u is empty", i);
    if (last && last->code != row->terminator)
      return ir_op_error(op, "region %u must end in '%s'", i, ir_op_info_of(row->terminator)->name);
  }
  return true;
}

static bool verify_traits(const ir_op *op) {
  unsigned traits = ir_op_row(op)->traits;
  if ((traits & IR_TERMINATOR) && op->next)
    return ir_op_error(op, "must be the last op of its block");
  /* Elsewhere the op around has been told what its regions must end in. */
  if ((traits & IR_TERMINATOR) && ir_op_has(ir_op_parent(op), IR_NO_TERMINATOR))
    return ir_op_error(op, "cannot stand in '%s'", ir_op_row(ir_op_parent(op))->name);
  return (!(traits & IR_SAME_TYPE) || verify_same_type(op)) && (!(traits & IR_ELEMENTWISE) || verify_elementwise(op)) &&
         (!(traits & IR_DPS) || verify_destination_style(op)) && (!(traits & IR_INFER) || verify_inferred(op)) &&
         (!(traits & IR_STRUCTURED) || ir_verify_structured(op));
}

/* ------------------------------------------------------------------------------------------------------- visibility */

static bool is_visible(const verifier *verifier, const ir_value *value) {
  const ir_block *block = value->op ? value->op->block : value->block;
  if (!block || !block->parent)
    return false;
  if (value->op && (!value->op->mark || value->op->mark & OPEN_MASK))
    return false;
  uint32_t mark = block->parent->mark, region = (uint32_t)(block - block->parent->regions);
  return (mark & OPEN_MASK) == region + 1 && mark >> OPEN_BITS >= verifier->isolated;
}

static bool verify_operands(const verifier *verifier, const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_use *use = &op->operands[i];
    if (!use->value)
      return ir_op_error(op, "operand %u is missing", i);
    if (use->user != op || (use->prev ? use->prev->next : use->value->uses) != use ||
        (use->next && use->next->prev != use))
      return ir_op_error(op, "operand %u is not on its value's use list", i);
    if (!is_visible(verifier, use->value))
      return ir_op_error(op,
                         "operand %u is not visible here: its definition must come before, in this region or one "
                         "around it",
                         i);
  }
  return true;
}

static bool verify_links(const ir_op *op) {
  if (op->next && (op->next->prev != op || op->next->block != op->block))
    return ir_op_error(op, "is not linked with the op after it");
  for (unsigned i = 0; i < op->num_results; i++)
    if (op->results[i].op != op || op->results[i].index != i)
      return ir_op_error(op, "result %u does not know its op", i);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- symbols */

static int compare_symbols(const void *a, const void *b) {
  const ir_op *lhs = *(ir_op *const *)a, *rhs = *(ir_op *const *)b;
  uintptr_t left = (uintptr_t)ir_attr_string_or(lhs, "sym_name", NULL);
  uintptr_t right = (uintptr_t)ir_attr_string_or(rhs, "sym_name", NULL);
  /* Interned names compare by pointer; equal ones stay in the order of the text. */
  return left != right ? (left < right ? -1 : 1) : (lhs->mark < rhs->mark ? -1 : lhs->mark > rhs->mark);
}

static bool verify_symbols(ir_module *module) {
  size_t count = 0;
  for (const ir_op *op = module->root->regions[0].first; op; op = op->next)
    count += ir_op_has(op, IR_SYMBOL) && ir_attr_get(op, "sym_name");
  ir_op **symbols = IR_NEW_ARRAY(&module->arena, ir_op *, count);
  count = 0;
  for (ir_op *op = module->root->regions[0].first; op; op = op->next)
    if (ir_op_has(op, IR_SYMBOL) && ir_attr_get(op, "sym_name"))
      symbols[count++] = op;
  qsort(symbols, count, sizeof *symbols, compare_symbols);
  bool valid = true;
  for (size_t i = 1; i < count; i++) {
    const char *name = ir_attr_string_or(symbols[i], "sym_name", NULL);
    if (!name || name != ir_attr_string_or(symbols[i - 1], "sym_name", NULL))
      continue;
    valid = ir_op_error(symbols[i], "defines '%s' again", name);
    ir_note(module, symbols[i - 1]->loc, "the other definition is here");
  }
  return valid;
}

/* ------------------------------------------------------------------------------------------------------------- walk */

static bool verify_op(const verifier *verifier, const ir_op *op) {
  const ir_op_info *row = ir_op_row(op);
  if (verifier->stages && !(row->stages & verifier->stages))
    return ir_op_error(op, "is not legal at this stage");
  if (verifier->depth > IR_MAX_NESTING)
    return ir_op_error(op, "is nested more than %d deep", IR_MAX_NESTING);
  return verify_links(op) && verify_operands(verifier, op) && verify_row(op) && verify_types(op, verifier->stages) &&
         verify_regions(op) && verify_traits(op) && (!row->verify || row->verify(op));
}

static void open_region(verifier *verifier, ir_op *op, unsigned region) {
  if (!(op->mark & OPEN_MASK)) {
    verifier->depth++;
    if (ir_op_has(op, IR_ISOLATED))
      verifier->isolated = op->mark >> OPEN_BITS;
  }
  op->mark = (op->mark & ~(uint32_t)OPEN_MASK) | (region + 1);
}

static void close_regions(verifier *verifier, ir_op *op) {
  if (!(op->mark & OPEN_MASK))
    return;
  verifier->depth--;
  op->mark &= ~(uint32_t)OPEN_MASK;
  if (!ir_op_has(op, IR_ISOLATED))
    return;
  const ir_op *around = ir_op_parent(op);
  while (around && !ir_op_has(around, IR_ISOLATED))
    around = ir_op_parent(around);
  verifier->isolated = around ? around->mark >> OPEN_BITS : 0;
}

/* The op after `op` in preorder, or NULL; opens and closes regions on the way. */
static ir_op *advance(verifier *verifier, ir_op *op) {
  for (unsigned region = 0;;) {
    for (; region < op->num_regions; region++)
      if (op->regions[region].first) {
        open_region(verifier, op, region);
        return op->regions[region].first;
      }
    close_regions(verifier, op);
    if (!op->block || op->next)
      return op->next;
    region = (unsigned)(op->block - op->block->parent->regions) + 1;
    op = op->block->parent;
  }
}

bool ir_verify(ir_module *module, unsigned stages) {
  verifier verifier = {.stages = stages, .valid = true};
  module->root->mark = 0;
  ir_clear_marks(module->root);
  for (ir_op *op = module->root; op; op = advance(&verifier, op)) {
    op->mark = ++verifier.serial << OPEN_BITS;
    if (!verify_op(&verifier, op))
      verifier.valid = false;
  }
  return verify_symbols(module) && verifier.valid && verify_call_graph(module);
}
