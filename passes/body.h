/* body.h - what the bodies of structured ops compute, seen through conversions between float types, and what passes
 * write into them. */
#ifndef TEC_PASSES_BODY_H
#define TEC_PASSES_BODY_H
#include "ir/build.h"

/* What was converted to the value by extensions and truncations; the value itself where none were. */
ir_value *body_unconverted(ir_value *value);
/* A structured op of one input whose body only converts it between floats, element by element. */
bool body_is_cast(const ir_op *op);
/* A structured op that widens each element of its one input, and does nothing else. */
bool body_is_widening(const ir_op *op);
/* A structured op with a body, which computes all elements of its results by themselves: no loop is a reduction. */
bool body_is_elementwise(const ir_op *op);
/* .. of one result, each element of which is made by one iteration, from inputs alone. */
bool body_is_pointwise(const ir_op *op);
/* The op has two operands, and its body gives the product of their elements, up to conversions. */
bool body_is_product(const ir_op *op);
/* The op reads no tensor, vector or memref as a whole, but for what it starts from. */
bool body_reads_scalars_only(const ir_op *op);
/* The op by which the body, that of any op, makes its result of its first two arguments, in whatever order; NULL where
 * it does otherwise. */
const ir_op *body_combiner(const ir_op *op);
/* The op, of scalars, becomes a polynomial, of which each step has constants of its own. */
bool body_is_polynomial(const ir_op *op);
/* The op's body has a function that becomes a polynomial: it computes much with each element. */
bool body_has_polynomial(const ir_op *op);
/* .. not only of what many elements share, as a scale is that is a power of two. */
bool body_has_polynomial_of_few(const ir_op *op);
/* The number of ops in the body. */
unsigned body_size(const ir_op *op);
/* The body, a short one, costs about as much as reading its result from memory would: no division, no function. */
bool body_is_light(const ir_op *op);
/* The loops whose iterations the body asks for by their numbers, as bits; and adds to the numbers of one. */
uint32_t body_indices(const ir_op *op);
void body_move_index(ir_op *op, unsigned loop, ir_index by);
/* What the op's first output starts from is known to be 0 everywhere. */
bool body_starts_from_zero(const ir_op *op);

/* Where the body of a generic goes; its argument for operand i. */
static inline ir_builder body_of(const ir_op *generic) { return ir_builder_at_end(ir_region(generic, 0)); }
static inline ir_value *body_argument(const ir_op *generic, unsigned i) { return ir_region(generic, 0)->args[i]; }
/* a / b, and 0 where b is 0. Where many a share one b (`is_shared`), by way of 1 / b, which is one more rounding: a
 * division takes the time of many products. */
ir_value *body_quotient(ir_builder *body, ir_value *a, ir_value *b, bool is_shared);
/* A generic without body that makes each element of `out` of those in the same place of the inputs. */
ir_op *body_by_element(ir_builder *builder, unsigned num_ins, ir_value *const *ins, ir_value *out);
/* Ends the body of a generic with `value`, converted to the type of the one output. Returns its result. */
ir_value *body_finish(ir_builder *body, ir_op *generic, ir_value *value);
/* The body of a contraction: out + lhs * rhs, in the type of the output. Returns the generic's result. */
ir_value *body_contract(ir_op *generic);
/* The body of a scaling: argument 1 times argument 0, in the wider type of argument 0 and the output. */
ir_value *body_scale(ir_op *generic);
const ir_type *body_wider(const ir_value *a, const ir_value *b);
/* The elements of the tensor under `read`, in `out` under `write`, each converted. */
ir_value *body_copy(ir_builder *builder, ir_value *tensor, const ir_map *read, ir_value *out, const ir_map *write);
/* A generic without inputs, into `out`: each element is what the block, which ends with it, gives for its indices. */
ir_op *body_generate(ir_builder *builder, const ir_block *elements, ir_value *out);
/* The tensor, each element converted, in `out`; itself where the types are the same. */
ir_value *body_convert(ir_builder *builder, ir_value *tensor, ir_value *out);
#endif
