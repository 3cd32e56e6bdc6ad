/* jit.c - loads an object of backend_emit_host into this process through ORC LLJIT. Symbols that the object leaves open
 * (the C library's) come from the process. */
#include "backend/backend.h"

#include "backend/cpu.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <stdlib.h>

struct backend_jit {
  LLVMOrcLLJITRef jit;
};

/* Turns an LLVM error into one of ours, consuming it; true if there was none. */
static bool check(ir_module *module, LLVMErrorRef error) {
  if (!error)
    return true;
  char *text = LLVMGetErrorMessage(error);
  ir_error(module, module->root->loc, "cannot load the compiled code: %s", text);
  LLVMDisposeErrorMessage(text);
  return false;
}

static bool load(ir_module *module, LLVMOrcLLJITRef jit, const char *object, size_t size) {
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit);
  LLVMOrcDefinitionGeneratorRef process;
  char prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
  if (!check(module, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix, NULL, NULL)))
    return false;
  LLVMOrcJITDylibAddGenerator(library, process);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "kernel");
  return check(module, LLVMOrcLLJITAddObjectFile(jit, library, buffer));
}

bool backend_jit_create(ir_module *module, const char *object, size_t size, backend_jit **result) {
  backend_initialize_llvm();
  backend_jit *jit = malloc(sizeof *jit);
  if (!jit)
    return ir_error(module, module->root->loc, "out of memory");
  if (!check(module, LLVMOrcCreateLLJIT(&jit->jit, NULL))) {
    free(jit);
    return false;
  }
  if (!load(module, jit->jit, object, size)) {
    backend_jit_destroy(jit);
    return false;
  }
  *result = jit;
  return true;
}

void *backend_jit_lookup(backend_jit *jit, const char *name) {
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->jit, &address, name);
  if (error) {
    LLVMConsumeError(error);
    return NULL;
  }
  return (void *)(uintptr_t)address;
}

void backend_jit_destroy(backend_jit *jit) {
  if (!jit)
    return;
  LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->jit);
  if (error)
    LLVMConsumeError(error);
  free(jit);
}
