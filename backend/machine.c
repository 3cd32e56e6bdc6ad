/* machine.c - LLVM's half of code generation: the target machine, its passes, the text or object at the end. */
#include "backend/spirv.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

/* Takes the message. There is one error for the first thing that is wrong. */
static bool fail_with(emitter *e, const char *what, char *message) {
  if (!e->module->broken_by)
    ir_internal_error(e->module->root, EMIT_PART, "%s: %s", what, message);
  LLVMDisposeMessage(message);
  return false;
}

char *emit_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, pipeline, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return NULL;
  char *text = LLVMGetErrorMessage(error), *message = LLVMCreateMessage(text);
  LLVMDisposeErrorMessage(text);
  return message;
}

bool emit_optimize_further(emitter *e, LLVMTargetMachineRef machine, const char *pipeline) {
  char *message = emit_run_passes(e->llvm, machine, pipeline);
  return !message || fail_with(e, "LLVM", message);
}

bool emit_optimize(emitter *e, LLVMTargetMachineRef machine, const char *pipeline) {
  char *message = NULL;
  if (LLVMVerifyModule(e->llvm, LLVMReturnStatusAction, &message))
    return fail_with(e, "the emitted LLVM IR is not valid", message);
  LLVMDisposeMessage(message);
  return emit_optimize_further(e, machine, pipeline);
}

static bool copy_out(emitter *e, const char *from, size_t count, char **bytes, size_t *size) {
  *bytes = malloc(count ? count : 1);
  if (!*bytes)
    return ir_error(e->module, e->module->root->loc, "out of memory");
  memcpy(*bytes, from, count);
  *size = count;
  return true;
}

bool emit_write(emitter *e, LLVMTargetMachineRef machine, backend_output output, char **bytes, size_t *size) {
  if (output == BACKEND_LLVM) {
    char *text = LLVMPrintModuleToString(e->llvm);
    bool ok = copy_out(e, text, strlen(text), bytes, size);
    LLVMDisposeMessage(text);
    return ok;
  }
  char *message = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  LLVMCodeGenFileType kind = output == BACKEND_OBJECT ? LLVMObjectFile : LLVMAssemblyFile;
  bool failed = e->facts->kind == TARGET_SPIRV
                    ? spirv_write(e->llvm, machine, kind, &message, &buffer)
                    : LLVMTargetMachineEmitToMemoryBuffer(machine, e->llvm, kind, &message, &buffer);
  if (failed)
    return fail_with(e, "LLVM", message);
  bool ok = copy_out(e, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), bytes, size);
  LLVMDisposeMemoryBuffer(buffer);
  return ok && !e->module->num_errors;
}

LLVMTargetMachineRef emit_new_machine(const target_facts *facts, char **message) {
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(facts->triple, &target, message))
    return NULL;
  /* Before it writes SPIR-V, LLVM would only prepare loops for a machine that it does not know, with integers of widths
   * that SPIR-V lacks, which its writer gets wrong. */
  LLVMCodeGenOptLevel level = facts->kind == TARGET_SPIRV ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, facts->triple, facts->cpu, facts->features, level,
                                                         LLVMRelocPIC, LLVMCodeModelDefault);
  if (!machine)
    *message = LLVMCreateMessage("no code generator");
  return machine;
}

LLVMTargetMachineRef emit_create_machine(emitter *e) {
  char *message = NULL;
  LLVMTargetMachineRef machine = emit_new_machine(e->facts, &message);
  if (!machine) {
    ir_error(e->module, e->module->root->loc, "LLVM has no machine '%s': %s", e->facts->name, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMSetTarget(e->llvm, e->facts->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(e->llvm, layout);
  LLVMDisposeTargetData(layout);
  return machine;
}
