/* affine.h - affine expressions of SSA values, which are numbered as dims, each once. Internal to ir/. */
#ifndef TEC_IR_AFFINE_H
#define TEC_IR_AFFINE_H
#include "build.h"

enum { AFFINE_MAX_VALUES = 32 }; /* as many as a map may have dims */

typedef struct affine_values {
  ir_module *module;
  ir_value *values[AFFINE_MAX_VALUES];
  unsigned count;
} affine_values;

/* The dim that stands for a value, added if it is new; NULL when there are too many. */
const ir_expr *affine_dim(affine_values *values, ir_value *value);
/* An index as an expression: a constant, what one affine.apply computes, where that leaves room for as many values as
 * are to come, or a dim. */
const ir_expr *affine_of_index(affine_values *values, ir_index x, unsigned to_come);
/* Drops the values that no result uses, and numbers the others anew. */
void affine_drop_unused(affine_values *values, unsigned num_results, const ir_expr **results);
/* The op of these results, which use all values; one that is a constant or a value needs none. */
ir_index affine_create(ir_builder *builder, ir_opcode code, affine_values *values, unsigned num_results,
                       const ir_expr *const *results);
#endif
