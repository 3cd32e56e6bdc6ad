/* verify_util.h - what the checks of single ops share; internal to ir/. */
#ifndef TEC_IR_VERIFY_UTIL_H
#define TEC_IR_VERIFY_UTIL_H
#include "ir.h"
#include "op_hooks.h"
#include "text.h"

/* The generic checks of a structured op: maps against operands, extents, the body (verify_structured.c). */
bool ir_verify_structured(const ir_op *op);

/* Both scalars, or both shaped with equal ranks and extents. */
static inline bool ir_same_shape(const ir_type *a, const ir_type *b) {
  if (ir_type_is_shaped(a) != ir_type_is_shaped(b) || a->rank != b->rank)
    return false;
  for (unsigned i = 0; i < a->rank; i++)
    if (a->shape[i] != b->shape[i])
      return false;
  return true;
}

static inline bool ir_extents_agree(int64_t a, int64_t b) { return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC; }

static inline const char *type_text(const ir_op *op, const ir_type *type) { return ir_print_type(op->module, type); }

static inline bool verify_index_operands(const ir_op *op, unsigned group, const char *what) {
  for (unsigned i = 0; i < ir_group_size(op, group); i++)
    if (ir_group_operand(op, group, i)->type != ir_type_index(op->module))
      return ir_op_error(op, "%s %u must be an index, not %s", what, i,
                         ir_print_type(op->module, ir_group_operand(op, group, i)->type));
  return true;
}

/* One index for each dim of what is read or written. */
static inline bool verify_subscripts(const ir_op *op, unsigned group, const ir_type *base, const char *what) {
  if (ir_group_size(op, group) != base->rank)
    return ir_op_error(op, "needs %u indices, got %u", base->rank, ir_group_size(op, group));
  return verify_index_operands(op, group, what);
}

/* The operands are the elements of the result, which is what it should be if it `fits`. */
static inline bool verify_elements(const ir_op *op, bool fits) {
  const ir_type *type = ir_result(op, 0)->type;
  if (!fits || ir_type_num_elements(type) != op->num_operands)
    return ir_op_error(op, "%s cannot hold exactly %u elements", type_text(op, type), op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->type != ir_type_scalar(op->module, type->element))
      return ir_op_error(op, "element %u must be of type %s", i, ir_scalar_name(type->element));
  return true;
}

static inline bool verify_kind(const ir_op *op, const ir_value *value, ir_type_kind kind, const char *what) {
  static const char *const names[] = {"scalar", "tensor", "vector", "memref", "function", "transform handle", "token", "tile"};
  return value->type->kind == kind ||
         ir_op_error(op, "%s must be a %s, not %s", what, names[kind], ir_print_type(op->module, value->type));
}

/* The operands of a region's terminator have the types wanted, one each. */
static inline bool verify_terminator(const ir_op *op, unsigned region, unsigned count,
                                     const ir_type *(*wanted)(const ir_op *op, unsigned i)) {
  const ir_op *last = ir_region(op, region)->last;
  if (last->num_operands != count)
    return ir_op_error(last, "must pass on %u value%s, not %u", count, count == 1 ? "" : "s", last->num_operands);
  for (unsigned i = 0; i < count; i++)
    if (ir_operand(last, i)->type != wanted(op, i))
      return ir_op_error(last, "value %u must be of type %s, not %s", i, ir_print_type(op->module, wanted(op, i)),
                         ir_print_type(op->module, ir_operand(last, i)->type));
  return true;
}

/* The static entries of a mixed static and dynamic list: `rank` of them, as many dynamic as the group has operands. */
static inline bool verify_mixed(const ir_op *op, unsigned group, const char *name, unsigned rank,
                                const int64_t **ints) {
  unsigned count, dynamic = 0;
  *ints = ir_attr_i64s_of(op, name, &count);
  if (!*ints || count != rank)
    return ir_op_error(op, "'%s' must have %u entries", name, rank);
  for (unsigned i = 0; i < count; i++)
    dynamic += (*ints)[i] == IR_DYNAMIC;
  if (dynamic != ir_group_size(op, group))
    return ir_op_error(op, "'%s' has %u dynamic entries, but %u operands are given", name, dynamic,
                       ir_group_size(op, group));
  return verify_index_operands(op, group, name);
}
#endif
