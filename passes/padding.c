/* padding.c - see padding.h. Rows that are no rows of memory stay apart from others in all that is computed row by row,
 * until a write leaves them out, because it ends where the read did, or a mask that ends there replaces them.
 *
 * A value is followed along one dim: by what each op does with that dim, through loops, to all users.
 * Terminates: each dim of a value is visited once, and no more than MAX_VALUES are. */
#include "passes/padding.h"

#include "passes/extent.h"

enum { MAX_VALUES = 128, MAX_STEPS = 32, NONE = -1 };

typedef struct search {
  extent end;     /* of the read, along the dim */
  ir_index start; /* where memory of that end is read from */
  unsigned count; /* of values seen so far */
  struct {
    const ir_value *value;
    int dim;
  } seen[MAX_VALUES];
} search;

/* -------------------------------------------------------------------------------------------- what becomes of dims */

/* The dim of `to` that is dim `dim` of `from`, where the one has the other's dims but for some of extent 1. */
static int cast_dim(const ir_type *from, const ir_type *to, int dim) {
  for (unsigned i = 0, k = 0;; i++, k++) {
    i = ir_type_next_long_dim(from, i);
    k = ir_type_next_long_dim(to, k);
    if (i == from->rank || k == to->rank || from->shape[i] != to->shape[k])
      return NONE;
    if ((int)i == dim)
      return (int)k;
  }
}

/* The loops of a contraction that runs along `dim` of an operand, as the dim of its result. */
static int contracted_dim(const ir_op *op, unsigned operand, int dim) {
  int loop = ir_map_result_dim(ir_contract_map(op, operand), (unsigned)dim);
  return ir_map_find_dim(ir_contract_map(op, 2), (unsigned)loop);
}

static int reduced_dim(const ir_op *op, unsigned operand, int dim) {
  unsigned count;
  int result = dim;
  const int64_t *dims = ir_attr_i64s_of(op, "reduction_dims", &count);
  for (unsigned i = 0; i < count && !operand; i++) {
    if (dims[i] == dim)
      return NONE;
    result -= dims[i] < dim;
  }
  return result;
}

/* The dim of the op's result whose elements are computed from those of the operand at the same place of dim `dim`
 * alone. */
static int dim_of_result(const ir_op *op, unsigned operand, int dim) {
  const ir_type *from = ir_operand(op, operand)->type;
  if (op->num_results != 1 || ir_result(op, 0)->type->kind != IR_TYPE_VECTOR)
    return NONE;
  const ir_type *to = ir_result(op, 0)->type;
  switch (op->code) {
  case OP_VECTOR_BROADCAST: {
    int result = dim + to->rank - from->rank;
    return from->shape[dim] == to->shape[result] ? result : NONE;
  }
  case OP_VECTOR_SHAPE_CAST:
    return cast_dim(from, to, dim);
  case OP_VECTOR_TRANSPOSE: {
    unsigned i = 0;
    const int64_t *permutation = ir_attr_i64s_of(op, "permutation", NULL);
    while (permutation[i] != dim)
      i++;
    return (int)i;
  }
  case OP_VECTOR_CONTRACT:
    return contracted_dim(op, operand, dim);
  case OP_VECTOR_MULTI_REDUCTION:
    return reduced_dim(op, operand, dim);
  case OP_VECTOR_EXT_TO_LAYOUT:
    return dim;
  default:
    return ir_op_has(op, IR_ELEMENTWISE) && from->kind == IR_TYPE_VECTOR ? dim : NONE;
  }
}

/* The dim of the op's operand that is dim `dim` of its result; the inverse of that for what masks are made with. */
static int dim_of_operand(const ir_op *op, int dim) {
  const ir_type *from = ir_operand(op, 0)->type;
  for (unsigned i = 0; from->kind == IR_TYPE_VECTOR && i < from->rank; i++)
    if (dim_of_result(op, 0, (int)i) == dim)
      return (int)i;
  return NONE;
}

/* ------------------------------------------------------------------------------------------------------------ ends */

static bool ends_there(const search *s, extent end, ir_index start) {
  return extent_equal(end, s->end) && ir_index_equal(start, s->start);
}

/* The condition is false beyond the end. `steps`: how many more may be looked at. */
static bool is_false_beyond(const search *s, const ir_value *condition, int dim, unsigned *steps) {
  const ir_op *op = condition->op;
  if (!op || dim == NONE || !*steps || !--*steps)
    return false;
  if (op->code == OP_VECTOR_CREATE_MASK)
    return ends_there(s, extent_of_index(ir_index_of(ir_operand(op, (unsigned)dim))), ir_index_const(0));
  if (op->code == OP_ARITH_ANDI)
    return is_false_beyond(s, ir_operand(op, 0), dim, steps) || is_false_beyond(s, ir_operand(op, 1), dim, steps);
  bool moves = op->code == OP_VECTOR_BROADCAST || op->code == OP_VECTOR_SHAPE_CAST || op->code == OP_VECTOR_TRANSPOSE ||
               op->code == OP_VECTOR_EXT_TO_LAYOUT;
  return moves && is_false_beyond(s, ir_operand(op, 0), dim_of_operand(op, dim), steps);
}

/* The write leaves out what is beyond the end. */
static bool is_left_out(const search *s, const ir_op *write, int dim) {
  int place = ir_map_result_dim(ir_attr_get(write, "permutation_map")->map, (unsigned)dim);
  ir_value *memory = ir_operand(write, 1);
  return memory->type->kind == IR_TYPE_MEMREF && place >= 0 && !ir_attr_get(write, "in_bounds")->elements[dim]->value &&
         ends_there(s, extent_of(memory, (unsigned)place), ir_index_of(ir_operand(write, 2 + (unsigned)place)));
}

/* ----------------------------------------------------------------------------------------------------------- users */

static bool is_unseen(search *s, const ir_value *value, int dim);

/* What a loop carries: within it and behind it. */
static bool is_unseen_in_loop(search *s, const ir_op *loop, unsigned carried, int dim) {
  return is_unseen(s, ir_region(loop, 0)->args[1 + carried], dim) && is_unseen(s, ir_result(loop, carried), dim);
}

static bool is_unseen_by(search *s, const ir_use *use, int dim) {
  const ir_op *op = use->user;
  unsigned operand = ir_use_index(use), steps = MAX_STEPS;
  switch (op->code) {
  case OP_SCF_FOR:
    return is_unseen_in_loop(s, op, operand - ir_group_start(op, 3), dim);
  case OP_SCF_YIELD:
    return ir_op_parent(op)->code == OP_SCF_FOR && is_unseen_in_loop(s, ir_op_parent(op), operand, dim);
  case OP_VECTOR_TRANSFER_WRITE:
    return operand == 0 && is_left_out(s, op, dim);
  case OP_ARITH_SELECT:
    if (operand == 1 && ir_operand(op, 0)->type->kind == IR_TYPE_VECTOR &&
        is_false_beyond(s, ir_operand(op, 0), dim, &steps))
      return true;
    break;
  default:
    break;
  }
  int result = dim_of_result(op, operand, dim);
  return result != NONE && is_unseen(s, ir_result(op, 0), result);
}

static bool is_unseen(search *s, const ir_value *value, int dim) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->seen[i].value == value && s->seen[i].dim == dim)
      return true; /* or found out where it was met before */
  if (s->count == MAX_VALUES)
    return false;
  s->seen[s->count].value = value;
  s->seen[s->count++].dim = dim;
  for (const ir_use *use = value->uses; use; use = use->next)
    if (!is_unseen_by(s, use, dim))
      return false;
  return true;
}

bool padding_is_unseen(const ir_op *read, unsigned dim) {
  int place = ir_map_result_dim(ir_attr_get(read, "permutation_map")->map, dim);
  ir_value *memory = ir_operand(read, 0);
  if (memory->type->kind != IR_TYPE_MEMREF || place < 0)
    return false;
  search s = {.end = extent_of(memory, (unsigned)place), .start = ir_index_of(ir_operand(read, 1 + (unsigned)place))};
  return is_unseen(&s, ir_result(read, 0), (int)dim);
}
