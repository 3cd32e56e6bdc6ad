/* recast.h - structured ops written anew with other operands, maps or loops. */
#ifndef TEC_PASSES_RECAST_H
#define TEC_PASSES_RECAST_H
#include "ir/build.h"

enum { RECAST_MAX_OPERANDS = 24 };

/* A structured op as data: what a linalg.generic in its place will be made from. */
typedef struct recast {
  ir_op *op;
  unsigned num_ins, num_outs, num_loops;
  uint32_t reductions;
  ir_value *operands[RECAST_MAX_OPERANDS];
  const ir_map *maps[RECAST_MAX_OPERANDS];
} recast;

/* False where the op has no body or too many operands. */
bool recast_begin(recast *recast, ir_op *op);
/* Each loop is the plain subscript of an operand, so that its extent is known. */
bool recast_is_valid(const recast *recast);
/* The op with the body of recast->op, at the builder's place. `indices` (NULL: unchanged) gives the old loops in terms
 * of the new ones, for linalg.index. The old op stays. */
ir_op *recast_create(const recast *recast, ir_builder *builder, const ir_expr *const *indices);
/* Leaves out the loops `gone` (bits); what each loop is then: 0, or one of those left, which are numbered anew. Maps
 * stay as they are. */
void recast_drop_loops(recast *recast, uint32_t gone, const ir_expr **loops);
/* Another tensor of that shape which is as empty as the value, or filled with the same; NULL where it is neither. */
ir_value *recast_start(ir_builder *builder, const ir_value *value, unsigned rank, const ir_index *sizes);
/* Replaces the op, of fewer than RECAST_MAX_OPERANDS, by one that has `input` under the map behind its other inputs, in
 * the place of what its body computes as `value`. */
ir_op *recast_add_input(ir_op *op, ir_value *value, ir_value *input, const ir_map *map);
/* The op, which has one result and fewer than RECAST_MAX_OPERANDS operands, reads what its body computes as `value`
 * from the tensor, which has all loops as its dims, or is that tensor; what it no longer needs stays for simplify. */
void recast_read_scalar(ir_op *op, ir_value *value, ir_value *tensor);
/* The ops of a body but its terminator, at the end of another one; `map` has what stands for the arguments. */
void recast_clone_body(const ir_block *body, ir_builder *inside, ir_value_map *map, unsigned num_loops,
                       const ir_expr *const *indices);
/* The reshape again, of a tensor of the same shape. */
ir_op *recast_reshape(ir_builder *builder, const ir_op *reshape, ir_value *tensor);
/* The map with which a reader of the producer's result, under the map `read`, finds the element of its input that the
 * result is computed from. The producer has no reductions and its result's map is a permutation. */
const ir_map *recast_read_through(const ir_op *producer, unsigned input, const ir_map *read);
/* A subscript of the value's dim that is this loop of the op, and was the expression `was` of other loops, does not
 * change how long the loop is: it was a loop before, or the dim is as long. A sum of which the other terms have become
 * constant may leave some of the dim out. */
bool recast_reads_whole(const ir_op *op, const ir_expr *was, unsigned loop, ir_value *value, unsigned dim);
/* So it is for all subscripts of a map from recast_read_through, with which the op is to read the input. */
bool recast_keeps_loops(const ir_op *op, const ir_op *producer, unsigned input, const ir_map *map);
/* The tensor.expand_shape or collapse_shape only adds or drops dims of extent 1: kept[g] is then the dim of the side
 * with more dims that is dim g of the other, the only one of its group that may be longer than 1 (the first where none
 * is). */
bool recast_unit_dims(const ir_op *reshape, unsigned *kept);

/* The value with the shape as its type shows it: more or less of the same extents. */
ir_value *recast_shape(ir_builder *builder, ir_value *value, const int64_t *shape);
/* The shape of which dim d, of `rank`, is made of counts[d] neighbours of another: the extents that these show. */
void recast_merged_shape(unsigned rank, const unsigned *counts, const int64_t *shape, int64_t *merged);

/* Some digits of a loop's index, where the number system is that of a split loop: (index mod high) floordiv low, where
 * low divides high and is less; high 0: index floordiv low. */
typedef struct digits {
  unsigned loop;
  int64_t low, high;
} digits;

/* False where the subscript is something else. */
bool recast_digits(const ir_expr *subscript, digits *digits);
/* One more than they come to where the loop has this extent. */
ir_index recast_digits_end(ir_builder *builder, const digits *digits, ir_index extent);
#endif
