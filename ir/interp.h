/* interp.h - the reference interpreter: the meaning of every op.
 *
 * Tensors and memrefs are arrays of ir_cell with sizes and strides. In DECLARED precision each op's result is rounded
 * to its type; in DOUBLE precision float values stay doubles throughout (inputs are as given). Every access is
 * checked. */
#ifndef TEC_IR_INTERP_H
#define TEC_IR_INTERP_H
#include "ir.h"

/* TF32: as DECLARED, but products of f32 first round their factors to 10 bits. */
typedef enum ir_precision { IR_PRECISION_DECLARED, IR_PRECISION_DOUBLE, IR_PRECISION_TF32 } ir_precision;

/* A dense row-major tensor (rank 0: a scalar) given to or taken from the interpreter. */
typedef struct ir_tensor {
  ir_scalar element;
  unsigned rank;
  int64_t shape[IR_MAX_RANK];
  ir_cell *cells; /* malloc'ed; the holder frees it with ir_tensor_release */
} ir_tensor;

bool ir_tensor_allocate(ir_tensor *tensor); /* zeroed cells for element, rank and shape; false when out of memory */
void ir_tensor_release(ir_tensor *tensor);

/* Calls a function of the module. Memref arguments are written in place. `results` receives as many tensors as the
 * function has results; the caller releases them. False after a reported error (bad argument, out of bounds, ..). */
bool ir_interpret(ir_module *module, const char *function, ir_precision precision, unsigned num_arguments,
                  ir_tensor *arguments, unsigned num_results, ir_tensor *results);
#endif
