/* torch.h - torch-mlir's ops: where the updates of a tm_tensor.scatter go, and how a tm_tensor.sort compares.
 *
 * The first dim of the updates and of the indices counts updates. The others of the updates are the last ones of what
 * the updates go into: each update is a slice of it, of extent 1 along the dims before those. Column k of the indices
 * says where the slice begins along dim dimension_map[k]; along other dims it begins at 0. */
#ifndef TEC_IR_TORCH_H
#define TEC_IR_TORCH_H
#include "ir.h"

enum { SCATTER_UPDATES, SCATTER_INDICES, SCATTER_INTO };

/* The first dim of what the updates go into along which they may be longer than 1. */
static inline unsigned ir_scatter_first_dim(const ir_op *op) {
  return ir_operand(op, SCATTER_INTO)->type->rank - (ir_operand(op, SCATTER_UPDATES)->type->rank - 1u);
}

/* The column of the indices for dim `dim` of what the updates go into; -1: there is none. */
static inline int ir_scatter_column(const ir_op *op, unsigned dim) {
  unsigned count;
  const int64_t *dims = ir_attr_i64s_of(op, "dimension_map", &count);
  for (unsigned k = 0; k < count; k++)
    if (dims[k] == (int64_t)dim)
      return (int)k;
  return -1;
}

/* The body of a tm_tensor.sort compares elements of this out, and so says nothing of NaN in it. */
static inline bool ir_sort_compares(const ir_op *op, unsigned out) {
  const ir_block *body = ir_region(op, 0);
  return !ir_value_unused(body->args[2 * out]) || !ir_value_unused(body->args[2 * out + 1]);
}
/* What a sort goes by whose body is one comparison of the elements of one out. */
typedef struct ir_sort_order {
  unsigned out;
  bool larger_first, is_unsigned;
} ir_sort_order;
/* False: the body is something else. */
bool ir_sort_order_of(const ir_op *op, ir_sort_order *order);
/* NaN counts as larger than any number: it comes first where the larger of two does, else last. */
bool ir_sort_puts_nan_first(const ir_op *op);
#endif
