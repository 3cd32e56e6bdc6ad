/* spirv.h - what the files of the SPIR-V backend share. */
#ifndef TEC_BACKEND_SPIRV_H
#define TEC_BACKEND_SPIRV_H
#include "backend/llvm.h"

#include <stdint.h>

/* LLVM's numbers for OpenCL's address spaces. */
enum { SPIRV_GLOBAL = 1, SPIRV_CONSTANT = 2, SPIRV_LOCAL = 3 };

extern const emit_lane_op spirv_lane_ops[];
/* A function of the C library on f32 or f64 scalars, by OpenCL's of the same name. */
LLVMValueRef spirv_library(emitter *e, const char *name, LLVMValueRef const *operands);
/* As emit_target.to_bfloat. */
LLVMValueRef spirv_to_bfloat(emitter *e, LLVMValueRef value);
/* A call of a function of OpenCL C, or of an extension, by its mangled name. `together`: lanes of a sub-group, or all
 * of a block, take part in it as one. */
LLVMValueRef spirv_call(emitter *e, const char *name, LLVMTypeRef result, LLVMValueRef const *operands,
                        unsigned num_operands, bool together);

/* Makes what LLVM's writer gets wrong into what it gets right, behind LLVM's passes (spirv_rewrite.c). */
void spirv_rewrite(emitter *e);
/* Whether there are rows of so many numbers. */
static inline bool spirv_has_lanes(unsigned lanes) {
  return lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
}

/* As LLVMTargetMachineEmitToMemoryBuffer, with sound ids (spirv_write.c). */
LLVMBool spirv_write(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType kind, char **message,
                     LLVMMemoryBufferRef *buffer);
/* Gives the labels of a module's words ids of their own, and the module the bound for them (spirv_labels.c). False,
 * with words of no use: two labels of a function have one id, or the words are no module. */
bool spirv_mend_labels(uint32_t *words, size_t num_words);
#endif
