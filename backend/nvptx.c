/* nvptx.c - what is special about kernels for NVIDIA GPUs: PTX entries, with all shared memory in one dynamic array.
 *
 * All other memory is in LLVM's generic address space, and LLVM infers that what comes from a parameter is global. */
#include "backend/nvptx.h"
#include "backend/kernels.h"

#include <stdio.h>

enum { GLOBAL_SPACE = 1, SHARED_SPACE = 3 };

static LLVMValueRef nvptx_place_shared(emitter *e, uint64_t offset, uint64_t bytes) {
  static const char name[] = "shared";
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->context);
  LLVMValueRef array = LLVMGetNamedGlobal(e->llvm, name), at = emit_index(e, (int64_t)offset);
  if (!array) {
    array = LLVMAddGlobalInAddressSpace(e->llvm, LLVMArrayType2(byte, 0), name, SHARED_SPACE);
    LLVMSetLinkage(array, LLVMExternalLinkage);
    LLVMSetAlignment(array, kernels_shared_alignment(e->facts));
  }
  return LLVMBuildGEP2(e->builder, byte, array, &at, 1, "");
}

static LLVMValueRef nvptx_declare(emitter *e, const char *name, LLVMTypeRef type, int64_t threads, int64_t blocks) {
  char text[32];
  LLVMValueRef kernel = LLVMAddFunction(e->llvm, name, type);
  LLVMSetFunctionCallConv(kernel, LLVMPTXKernelCallConv);
  emit_add_attribute(e, kernel, "nounwind", 0);
  snprintf(text, sizeof text, "%lld,1,1", (long long)threads);
  emit_add_text_attribute(e, kernel, "nvvm.reqntid", text);
  /* Spelled out, 1 keeps ptxas from spilling registers for the sake of more blocks. */
  snprintf(text, sizeof text, "%lld", (long long)blocks);
  emit_add_text_attribute(e, kernel, "nvvm.minctasm", text);
  return kernel;
}

static LLVMValueRef nvptx_block_number(emitter *e) {
  return emit_intrinsic_of(e, "llvm.nvvm.read.ptx.sreg.ctaid.x", NULL, 0, NULL, 0);
}

/* The passes before have merged, hoisted and unrolled; what comes from emission itself is left to tidy up. */
static const char pipeline[] = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
                               "loop-mssa(loop-rotate,licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";

const kernel_target nvptx_target = {
    .emit = {.name = "nvptx",
             .lane_ops = nvptx_lane_ops,
             .max_elements = 1 << 11,
             .shared_space = SHARED_SPACE,
             .has_typed_constants = true,
             .rounds_to_bfloat = true,
             .share = kernels_share,
             .library = nvptx_library},
    .parameter_space = GLOBAL_SPACE,
    .declare = nvptx_declare,
    .block_number = nvptx_block_number,
    .place_shared = nvptx_place_shared,
    .text_only = true,
    .launches_share = true,
    .pipeline = pipeline,
};
