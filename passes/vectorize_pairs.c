/* vectorize_pairs.c - rows of lanes with the elements of even places before those of odd ones.
 *
 * Two neighbours of bf16 fill the bits of one f32: the one in the upper half is that number but for bits that must go,
 * the one in the lower half a shift away from it. So a register of them is widened by one op for each half, where in
 * memory's order each needs two. What meets them in lanes is put into the same order, which is worth its while outside
 * of loops, and sums over lanes do not see it. Terminates: loops over two halves, and over dims. */
#include "passes/vectorize_internal.h"

#include <string.h>

/* The number along the last dim, and another one along all others. */
static const ir_attr *last_dim(ir_module *module, unsigned rank, int64_t last, int64_t elsewhere) {
  int64_t ints[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++)
    ints[dim] = dim + 1 == rank ? last : elsewhere;
  return ir_attr_numbers(module, rank, ints);
}

/* Rows that have those of the first half, then those of the second. */
static ir_value *join(ir_builder *builder, ir_value *const *halves) {
  ir_module *module = builder->module;
  const ir_type *type = halves[0]->type;
  unsigned rank = type->rank;
  int64_t shape[IR_MAX_RANK], lanes = type->shape[rank - 1];
  memcpy(shape, type->shape, rank * sizeof *shape);
  shape[rank - 1] = 2 * lanes;
  ir_value *both = ir_splat(builder, ir_type_vector(module, type->element, rank, shape), (ir_cell){.f = 0});
  for (unsigned i = 0; i < 2; i++) {
    ir_named_attr attrs[] = {{"offsets", last_dim(module, rank, i * lanes, 0)},
                             {"strides", last_dim(module, rank, 1, 1)}};
    both = ir_create(builder, OP_VECTOR_INSERT_STRIDED_SLICE, NULL, 2, (ir_value *[]){halves[i], both}, 2, attrs);
  }
  return both;
}

ir_value *vectorize_put_apart(ir_builder *builder, ir_value *value, ir_scalar element) {
  ir_cell cell;
  if (value->type->element == element && ir_value_splat(value, &cell))
    return value;
  ir_op *op = ir_op_create(builder, OP_VECTOR_DEINTERLEAVE,
                           &(ir_op_spec){.operands = &value, .num_operands = 1, .num_results = 2});
  ir_value *halves[2];
  for (unsigned i = 0; i < 2; i++) {
    const ir_type *half = ir_result(op, i)->type;
    halves[i] =
        ir_convert(builder, ir_result(op, i), ir_type_vector(builder->module, element, half->rank, half->shape));
  }
  return join(builder, halves);
}

ir_value *vectorize_put_together(ir_builder *builder, ir_value *value) {
  ir_module *module = builder->module;
  const ir_type *type = value->type;
  unsigned rank = type->rank;
  int64_t lanes = type->shape[rank - 1] / 2, sizes[IR_MAX_RANK];
  memcpy(sizes, type->shape, rank * sizeof *sizes);
  sizes[rank - 1] = lanes;
  ir_value *halves[2];
  for (unsigned i = 0; i < 2; i++) {
    ir_named_attr attrs[] = {{"offsets", last_dim(module, rank, i * lanes, 0)},
                             {"sizes", ir_attr_numbers(module, rank, sizes)},
                             {"strides", last_dim(module, rank, 1, 1)}};
    halves[i] = ir_create(builder, OP_VECTOR_EXTRACT_STRIDED_SLICE, NULL, 1, &value, 3, attrs);
  }
  return ir_create(builder, OP_VECTOR_INTERLEAVE, NULL, 2, halves, 0, NULL);
}
