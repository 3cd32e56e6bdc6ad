/* alignment.c - see alignment.h.
 *
 * Proven from types, from what divides the offsets of views, and from the memory that they are views of.
 * Terminates: values and views are followed to what defines them, to a limited depth. */
#include "passes/alignment.h"

enum { MAX_DEPTH = 16 };

static int64_t power_in(int64_t number) { return alignment_power(number, ALIGNMENT_MOST); }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t alignment_of_index(ir_index x) { return power_in((int64_t)ir_index_divisor(x)); }

static int64_t of_stride(const ir_value *memref, unsigned dim, unsigned depth) {
  const ir_type *type = memref->type;
  const ir_op *op = memref->op;
  int64_t stride = ir_type_stride(type, dim), result = 1;
  if (stride != IR_DYNAMIC)
    return power_in(stride);
  if (!type->strides) { /* row-major: the product of the extents behind */
    for (unsigned i = dim + 1; i < type->rank; i++)
      result = least(ALIGNMENT_MOST, result * (type->shape[i] == IR_DYNAMIC ? 1 : power_in(type->shape[i])));
    return result;
  }
  bool keeps_dims = op && (op->code == OP_MEMREF_SUBVIEW || op->code == OP_MEMREF_CAST) &&
                    ir_operand(op, 0)->type->rank == type->rank;
  return keeps_dims && depth < MAX_DEPTH ? of_stride(ir_operand(op, 0), dim, depth + 1) : 1;
}

int64_t alignment_of_stride(const ir_value *memref, unsigned dim) { return of_stride(memref, dim, 0); }

int64_t alignment_of_extent(const ir_value *memref, unsigned dim) {
  const ir_op *op = ir_made_by(memref, OP_MEMREF_SUBVIEW);
  if (memref->type->shape[dim] != IR_DYNAMIC)
    return power_in(memref->type->shape[dim]);
  bool known = op && ir_operand(op, 0)->type->rank == memref->type->rank;
  return known ? alignment_of_index(ir_slice_of(op).sizes[dim]) : 1;
}

static int64_t of_memref(const ir_value *memref, int64_t root, unsigned depth) {
  const ir_op *op = memref->op;
  if (!op || ir_op_has(op, IR_ALLOCATES) || op->code == OP_MEMREF_GET_GLOBAL)
    return root;
  if (!ir_op_has(op, IR_VIEW) || depth > MAX_DEPTH)
    return 1;
  int64_t result = of_memref(ir_operand(op, 0), root, depth + 1);
  if (op->code != OP_MEMREF_SUBVIEW)
    return result;
  ir_slice slice = ir_slice_of(op);
  int64_t bytes = ir_scalar_bytes(memref->type->element);
  for (unsigned i = 0; i < slice.rank; i++)
    result = least(result, alignment_of_index(slice.offsets[i]) * of_stride(ir_operand(op, 0), i, depth) * bytes);
  return result;
}

int64_t alignment_of_memref(const ir_value *memref, int64_t root) { return of_memref(memref, root, 0); }
