/* diagonal.h - constants whose elements follow from how far they lie from the diagonal, as triangles and bands do. */
#ifndef TEC_PASSES_DIAGONAL_H
#define TEC_PASSES_DIAGONAL_H
#include "ir/build.h"

/* A linalg.generic without inputs, at the builder's place, that computes the value by comparing indices: the value is a
 * dense constant, or a slice of one, with the same element everywhere, or along each diagonal of the two dims that are
 * longer than 1 where it changes no more than twice from one corner to the other. NULL for any other value. */
ir_op *diagonal_compute(ir_builder *builder, ir_value *value);
#endif
