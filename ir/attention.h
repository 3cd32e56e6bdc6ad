/* attention.h - iree_linalg_ext.attention and online_attention: what their operands and loops are for (attention.c).
 *
 * Inputs: query, key, value, scale, maybe a mask. Inits: the result; for the online form, which goes on from earlier
 * keys and leaves the division by the sum to its user, also the running maximum and sum. Each operand's map says which
 * loops index it, and that alone says what a loop is for. */
#ifndef TEC_IR_ATTENTION_H
#define TEC_IR_ATTENTION_H
#include "ir.h"

enum { ATTENTION_QUERY, ATTENTION_KEY, ATTENTION_VALUE, ATTENTION_SCALE, ATTENTION_MASK };

/* Sets of loops, disjoint, all loops together. */
typedef struct ir_attention {
  uint32_t rows;    /* of scores and of the result: batches, heads, queries */
  uint32_t keys;    /* one loop: where softmax runs */
  uint32_t depth;   /* summed over by the product of query and key */
  uint32_t columns; /* of value and result only */
  bool has_mask;
} ir_attention;

/* The loops by their use; NULL, or why the maps make no sense. */
const char *ir_attention_of(const ir_op *op, ir_attention *attention);
#endif
