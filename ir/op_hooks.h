/* op_hooks.h - the hook functions that the IR columns of op.def name; internal to ir/. */
#ifndef TEC_IR_OP_HOOKS_H
#define TEC_IR_OP_HOOKS_H
#include "ir.h"

/* structured.c: loops and maps that depend on attributes */
const ir_structure *structure_maps(const ir_op *op);      /* indexing_maps, iterator_types where given */
const ir_structure *structure_reduce(const ir_op *op);    /* dimensions are reductions */
const ir_structure *structure_broadcast(const ir_op *op); /* dimensions are absent from the input */
const ir_structure *structure_transpose(const ir_op *op); /* permutation */
const ir_structure *structure_map(const ir_op *op);       /* identity everywhere */
const ir_structure *structure_softmax(const ir_op *op);   /* dimension is a reduction */
const ir_structure *structure_diag(const ir_op *op);
const ir_structure *structure_layout(const ir_op *op); /* linalg_ext.batch_matmul */
#endif
