/* spirv_write.c - writes SPIR-V by LLVM's code generator, in spite of what that remembers.
 *
 * The ids of labels are in a table that lives as long as the process, with the addresses of functions as keys (LLVM
 * issue 160613, in LLVM up to 22). Where a function comes to lie at the address of an earlier one, its labels get that
 * one's ids, which this module may use for other things; spirv_labels.c gives them others. Only two labels of one
 * function under one id, an old and a new one, are too few to tell them apart. Then the module is written again from a
 * copy, while all earlier copies stay where they are, which moves the new one. A machine keeps the instructions of the
 * functions that it has written, which are gone by then, under their addresses as well: each attempt has a machine of
 * its own. It ends: the number of attempts is limited. */
#include "backend/spirv.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { MAX_ATTEMPTS = 32 };

/* A copy of a module's words with sound labels; NULL: there is none. */
static LLVMMemoryBufferRef mend(LLVMMemoryBufferRef written) {
  size_t size = LLVMGetBufferSize(written);
  uint32_t *words = malloc(size + 1);
  LLVMMemoryBufferRef mended = NULL;
  if (words) {
    memcpy(words, LLVMGetBufferStart(written), size);
    if (spirv_mend_labels(words, size / sizeof *words))
      mended = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)words, size, "spirv");
  }
  free(words);
  return mended;
}

/* LLVM's table has no lock, and so it needs ours: the one mutable object of the compiler. */
static mtx_t table_lock;
static void create_lock(void) { mtx_init(&table_lock, mtx_plain); }

/* A machine like the given one that has written nothing yet. */
static LLVMTargetMachineRef fresh_machine(LLVMTargetMachineRef machine) {
  char *triple = LLVMGetTargetMachineTriple(machine), *cpu = LLVMGetTargetMachineCPU(machine);
  char *features = LLVMGetTargetMachineFeatureString(machine);
  LLVMTargetMachineRef fresh = LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(machine), triple, cpu, features,
                                                       LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return fresh;
}

/* Without names of blocks, which would be ids of labels in places that are not known to be some. */
static LLVMModuleRef copy_unnamed(LLVMModuleRef module) {
  LLVMModuleRef copy = LLVMCloneModule(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      LLVMSetValueName2(LLVMBasicBlockAsValue(block), "", 0);
  return copy;
}

LLVMBool spirv_write(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType kind, char **message,
                     LLVMMemoryBufferRef *buffer) {
  static once_flag once = ONCE_FLAG_INIT;
  LLVMModuleRef copies[MAX_ATTEMPTS];
  unsigned count = 0;
  bool failed = false, done = false;
  call_once(&once, create_lock);
  mtx_lock(&table_lock);
  while (!done && count < MAX_ATTEMPTS) {
    LLVMTargetMachineRef fresh = fresh_machine(machine);
    LLVMMemoryBufferRef written;
    copies[count] = copy_unnamed(module);
    failed = LLVMTargetMachineEmitToMemoryBuffer(fresh, copies[count++], kind, message, &written);
    LLVMDisposeTargetMachine(fresh);
    if (failed)
      break;
    *buffer = kind == LLVMObjectFile ? mend(written) : written;
    done = *buffer;
    if (*buffer != written)
      LLVMDisposeMemoryBuffer(written);
  }
  mtx_unlock(&table_lock);
  while (count)
    LLVMDisposeModule(copies[--count]);
  if (!done && !failed)
    *message = LLVMCreateMessage("SPIR-V with colliding ids");
  return !done;
}
