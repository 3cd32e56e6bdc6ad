/* extent.h - what is known of the extents of tensors without computing anything.
 *
 * An extent is traced through destination-style ops, slices, reshapes and loops to where it comes from: a constant, an
 * index value, or a dim of a tensor that nothing explains further (a function's argument, say). */
#ifndef TEC_PASSES_EXTENT_H
#define TEC_PASSES_EXTENT_H
#include "ir/build.h"

/* `value` NULL: the number `constant`; a value of type index: that; a tensor: its extent in `dim`. */
typedef struct extent {
  ir_value *value;
  int64_t constant;
  unsigned dim;
} extent;

extent extent_of(ir_value *tensor, unsigned dim);
/* The same of an index: a tensor.dim is traced through. */
extent extent_of_index(ir_index index);
/* Provably equal; two different values may of course turn out equal at run time. */
bool extent_equal(extent a, extent b);
/* As an index; may create a tensor.dim or memref.dim. */
ir_index extent_index(ir_builder *builder, extent x);

/* No more than this in any run, seen from constants in affine.min; INT64_MAX if unknown. */
int64_t extent_bound(ir_index index);

/* The dims of the larger side of a slice that its smaller side has kept, in order: fills kept[], returns how many there
 * are. `type` is the smaller side's type. */
unsigned slice_kept_dims(const ir_op *slice, const ir_type *type, unsigned *kept);
/* Same offsets, sizes and strides. */
bool slice_equal(const ir_op *a, const ir_op *b);
/* The init that a result of a destination-style op ties to. */
ir_value *tied_init(const ir_value *result);
#endif
