/* extent.h - what is known of the extents of tensors without computing anything.
 *
 * An extent is traced through structured ops (to the first operand that shares the loop), slices, reshapes, casts and
 * loops to where it comes from: a constant, an index value, or a dim of a value that nothing explains further, mostly a
 * function's argument. So equal extents have equal origins. Where the shapes of a function's arguments fit together
 * only if some of their extents are equal, those have one origin, too: the function's attribute EXTENT_EQUAL says
 * so. */
#ifndef TEC_PASSES_EXTENT_H
#define TEC_PASSES_EXTENT_H
#include "ir/build.h"

/* Of a function that is only called with arguments of shapes that fit (pass "shapes"): groups of four numbers, an
 * argument and its dim, and an argument before it with a dim of the same extent, which no other group begins with. */
#define EXTENT_EQUAL "tec.equal_extents"

/* `value` NULL: the number `constant`; a value of type index: that; a tensor or memref: its extent in `dim`. */
typedef struct extent {
  ir_value *value;
  int64_t constant;
  unsigned dim;
} extent;

/* Of a tensor or memref. What is found is visible wherever `value` is. */
extent extent_of(ir_value *value, unsigned dim);
/* That of a loop of a structured op, as some operand shows it; INT64_MAX where none does. */
extent extent_of_loop(const ir_op *op, unsigned loop);
/* The same of an index: tensor.dim and memref.dim are traced through. */
extent extent_of_index(ir_index index);
/* Provably equal; two different values may of course turn out equal at run time. */
bool extent_equal(extent a, extent b);
/* A dim of a collapsed or padded tensor, which follows from others by a few ops. */
bool extent_is_computed(extent x);
/* As an index, at the builder's place: dims of collapsed and padded tensors are computed from those before, others,
 * which nothing explains in a few ops, are asked for with tensor.dim or memref.dim. */
ir_index extent_compute(ir_builder *builder, extent x);
/* extent_compute of extent_of. */
ir_index pass_dim(ir_builder *builder, ir_value *value, unsigned dim);

/* Extents multiplied: open ones, in any order, and what the others come to. Starts as {.known = 1}. */
enum { EXTENT_MAX_FACTORS = 8 };

typedef struct extent_product {
  extent open[EXTENT_MAX_FACTORS];
  unsigned num_open;
  int64_t known;
} extent_product;

/* Extents that are products themselves, merged dims for one, become their factors. False where those are too many. */
bool extent_multiply(extent_product *product, extent x);
/* All open factors of `b` are among those of `a`. */
bool extent_has_factors(const extent_product *a, const extent_product *b);
/* The open factors of `a` that `b` lacks. */
extent_product extent_without(const extent_product *a, const extent_product *b);
bool extent_products_equal(const extent_product *a, const extent_product *b);

/* tensor.empty of the value's shape: an extent that its type leaves open stays so, even one that is known, as what is
 * made of it may take the value's place. */
ir_value *pass_empty_like(ir_builder *builder, ir_value *value, ir_scalar element);

/* No more than this in any run, seen from constants in affine.min; INT64_MAX if unknown. */
int64_t extent_bound(extent x);

/* The op is min(step, room - counter), either way round, as the extent of a tile is: the expression of the room, over
 * the op's operands, where the counter is 0; or NULL. */
const ir_expr *extent_room(const ir_op *op, const ir_value *counter, int64_t step);

/* The loop, an scf.for or dim `dim` of an scf.forall, whose step is a constant, takes this one; so do such sizes in
 * it. */
void extent_set_step(ir_op *loop, unsigned dim, int64_t step);

/* The extent that a dim of the value has in all tiles of the kernel around it together, as far as that is known: its
 * own where it is the same in all; else IR_DYNAMIC. */
int64_t extent_of_tiles(ir_value *value, unsigned dim);

/* The slice has all of that dim of the value that it is of. */
bool slice_has_dim(const ir_slice *slice, ir_value *whole, unsigned dim);
/* The op cuts out, puts back or views all of its tensor or memref. */
bool slice_is_whole(const ir_op *op);
/* A call of a function that the pass "shapes" made, by its symbol, with the extents of all arguments. Its `num_results`
 * are whether those fit, then extents. */
ir_op *extent_call_shapes(ir_builder *builder, const ir_attr *callee, ir_value **extents, unsigned count,
                          unsigned num_results);
#endif
