/* sort.h - what the files that take a tm_tensor.sort apart share. */
#ifndef TEC_PASSES_SORT_H
#define TEC_PASSES_SORT_H
#include "ir/build.h"
#include "ir/torch.h"

/* Two elements of a row of each out that compares, in the body of a generic: the one that is placed, and one that it is
 * compared with; and what it is told by. */
typedef struct sort_comparison {
  const ir_op *op;
  ir_builder *body;
  ir_value *const *own, *const *others;
} sort_comparison;

/* The other element goes before the own one: the body says so, and not the same of the reverse; or it says that of
 * neither or both, and the other one is there first. NaN is where the sort puts it (sort.c). */
ir_value *sort_goes_before(const sort_comparison *c, ir_value *is_there_first);

/* The integers that elements are sorted by (sort_key.c): the type for elements of that type; the key that no key goes
 * behind; and in the body of a generic that of an element. The one with the larger key goes first, and elements with
 * one key are equal. */
ir_scalar sort_key_type(ir_scalar element);
ir_cell sort_key_last(ir_scalar key);
ir_value *sort_key(ir_builder *body, ir_value *element, const ir_sort_order *order);

/* The elements of the tensor that were where `places`, of any extent along dim `sorted`, says (sort_network.c). */
ir_value *sort_take_from(ir_builder *builder, ir_value *tensor, ir_value *places, unsigned sorted);
/* The op has rows enough to fill vectors with an element of each (sort_network.c). */
bool sort_fills_lanes(const ir_op *op);
/* Gives who uses the sort what sorts it, on hosts; the op stays (sort_network.c). */
void sort_by_network(ir_op *op);
/* .. where all that is used is the first elements of rows, and the sort goes by one number; the op that sorts these;
 * NULL: more is used, or it goes by something else (top_k.c). */
ir_op *sort_first(ir_op *op);
#endif
