/* nvptx.h - what the files of the NVPTX backend share. */
#ifndef TEC_BACKEND_NVPTX_H
#define TEC_BACKEND_NVPTX_H
#include "backend/llvm.h"

extern const emit_lane_op nvptx_lane_ops[];
/* vector_ext.warpgroup_mma and .warpgroup_wait (nvptx_warpgroup.c). */
bool nvptx_warpgroup_mma(emitter *e, const ir_op *op);
bool nvptx_warpgroup_wait(emitter *e, const ir_op *op);
/* A function of the C library on f32 scalars by the chip's own approximations; NULL where there is none. */
LLVMValueRef nvptx_library(emitter *e, const char *name, LLVMValueRef const *operands);
/* The same for functions that take f64 on the way (nvptx_wide.c). */
LLVMValueRef nvptx_wide_library(emitter *e, const char *name, LLVMValueRef const *operands);
#endif
