/* kernels.h - what the backends of GPUs share: each top-level scf.forall of a function becomes a kernel, and the
 * function its launches. A backend is a row of hooks: how a kernel is declared, how it learns where it is, where shared
 * memory lies, the ops of one lane, and the passes of LLVM that suit it. */
#ifndef TEC_BACKEND_KERNELS_H
#define TEC_BACKEND_KERNELS_H
#include "backend/llvm.h"

typedef struct kernel_target {
  emit_target emit;         /* with kernels_share as `share` */
  unsigned parameter_space; /* LLVM's number for what kernels are given addresses of */
  /* A function without a body; its name is new in the module. `threads` lanes run each block of it, and a
   * multiprocessor should have registers for so many `blocks`. */
  LLVMValueRef (*declare)(emitter *e, const char *name, LLVMTypeRef type, int64_t threads, int64_t blocks);
  /* The number of the block along the grid's first axis, the only one, as an i32. */
  LLVMValueRef (*block_number)(emitter *e);
  /* `bytes` of shared memory of the kernel being emitted, aligned to kernels_shared_alignment; `offset` of them are in
   * use. */
  LLVMValueRef (*place_shared)(emitter *e, uint64_t offset, uint64_t bytes);
  bool text_only;       /* the code that devices take is assembly */
  bool launches_share;  /* shared memory is asked for at the launch, not in the code */
  const char *pipeline; /* LLVM's passes */
  /* Whether LLVM can make code of what its passes have left, which it does not report itself, once that is put into a
   * form that it gets right; may be NULL. */
  bool (*accept)(emitter *e);
} kernel_target;

/* Of each part of shared memory: rows of all banks, and what swizzles take for granted; eight such rows for those of
 * warpgroups. */
static inline unsigned kernels_shared_alignment(const target_facts *facts) { return facts->warpgroup ? 1024 : 128; }

/* emit_target.share: accounts for the memory and lets the backend place it. */
LLVMValueRef kernels_share(emitter *e, const ir_op *op, uint64_t bytes);

extern const kernel_target nvptx_target, spirv_target;
#endif
