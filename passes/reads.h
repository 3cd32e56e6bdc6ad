/* reads.h - what bodies of structured ops read by subscript, where the subscripts are simple enough for a view. */
#ifndef TEC_PASSES_READS_H
#define TEC_PASSES_READS_H
#include "passes/recast.h"

/* A subscript of a tensor.extract in the body of a structured op: a constant, or the index of a loop, or digits of it
 * where the loop is of whole ones, which a condition from outside may replace by 0 throughout. */
typedef struct read_subscript {
  const ir_expr *index; /* NULL: the constant */
  digits digits;        /* that the index is */
  int64_t constant;
  ir_value *condition; /* NULL: none */
  bool zero_where;     /* the condition's value that means 0 */
} read_subscript;

/* The subscripts of the read, one for each dim of its tensor; false where one of them is something else. A condition
 * that holds only where the loop has one iteration, whose index is 0 by itself, is left out. */
bool read_subscripts(const ir_op *op, const ir_op *read, read_subscript *subscripts);
#endif
