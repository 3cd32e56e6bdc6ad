/* hidden.h - which iterations of a reduction on memrefs change nothing, as a mask hides what they would work on. */
#ifndef TEC_PASSES_HIDDEN_H
#define TEC_PASSES_HIDDEN_H
#include "passes/known.h"
#include "passes/mask.h"

enum { HIDDEN_MAX_FACTS = 16 };

/* What is known of an element. */
typedef struct hidden_element {
  known known; /* something hides it wherever one of the bounds does not hold */
  mask where;
} hidden_element;

/* What is known of all elements of a memref; `steps` of the bounds are by dim. */
typedef struct hidden_fact {
  const ir_value *memory;
  hidden_element element;
} hidden_fact;

/* What is known of memory at a place in a block. Starts as zeros. */
typedef struct hidden_facts {
  const ir_block *block;
  unsigned count;
  hidden_fact facts[HIDDEN_MAX_FACTS];
} hidden_facts;

/* Moves past the op. To be called for the ops of a function in pre-order. */
void hidden_pass(hidden_facts *facts, ir_op *op);
/* What a mask says of what a reduction adds up, or takes the maximum of. */
typedef struct hidden_terms {
  unsigned input; /* of the reduction: it is .. */
  double value;   /* .. this wherever one of the bounds, over the reduction's loops, does not hold */
  mask where;
} hidden_terms;

/* Finds an input, a factor of a contraction or the terms themselves, that makes terms change nothing where a mask hides
 * the score or because exponentials of hidden scores, or weights, are 0; false if there is none. */
bool hidden_reduction(const hidden_facts *facts, ir_op *reduction, hidden_terms *terms);
/* What is known of the result of an elementwise op whatever its inputs are, with bounds over its loops. */
hidden_element hidden_result(ir_op *op);
#endif
