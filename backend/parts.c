/* parts.c - LLVM works on one module in one thread. Most of its time goes to instructions of kernels, which know
 * nothing of each other, so each thread gets a copy of the module in a context of its own, of which it makes code for
 * some kernels. The object files of all are joined to one.
 *
 * Part 0 is the module itself, in the calling thread, and has what is no kernel, too: exported functions, and data,
 * which copies only name, as it may be large. What parts use of each other is hidden, not private, until they are
 * joined.
 *
 * Invariants: each function is the same whatever part it is in, as nothing is inlined into kernels but what is private.
 * Where there is no thread to be had, this one does the work.
 * Terminates: loops run over functions, instructions, parts and uses, which are there before. */
#include "backend/parts.h"

#include "backend/elf_join.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <pthread.h>
#include <string.h>

enum {
  MAX_PARTS = 16,
  LEAST_PART = 1200, /* instructions: making so many takes ten times as long as reading the module once more */
  READING = 45,      /* reading so many instructions takes as long as making one */
};

typedef struct parts {
  emitter *e;
  const char *pipeline;
  LLVMMemoryBufferRef copy; /* of the module without data, as bitcode */
  unsigned char *owners;    /* by function, in the module's order: its part */
} parts;

typedef struct part {
  const parts *all;
  unsigned number;
  LLVMMemoryBufferRef object;
  char *error; /* LLVM's; NULL: all is well */
} part;

static bool is_worker(LLVMValueRef function) {
  return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, PARTS_WORKER, strlen(PARTS_WORKER)) !=
         NULL;
}

static unsigned size_of(LLVMValueRef function) {
  unsigned size = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef inside = LLVMGetFirstInstruction(block); inside; inside = LLVMGetNextInstruction(inside))
      size++;
  return size;
}

unsigned parts_count(const emitter *e) {
  unsigned size = 0, workers = 0, most = e->facts->threads < MAX_PARTS ? e->facts->threads : MAX_PARTS;
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f)) {
    size += size_of(f);
    workers += is_worker(f);
  }
  unsigned count = size / LEAST_PART < most ? size / LEAST_PART : most;
  count = count < workers ? count : workers;
  return count ? count : 1;
}

/* --------------------------------------------------------------------------------------------------- before threads */

/* A private function that only its own part uses stays private, so that it can be inlined. */
static bool is_used_by_workers(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || is_worker(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
      return true;
  }
  return false;
}

static void share(LLVMValueRef global) {
  size_t length;
  if (LLVMGetLinkage(global) != LLVMPrivateLinkage)
    return;
  LLVMGetValueName2(global, &length);
  if (!length)
    LLVMSetValueName2(global, "shared", 6);
  LLVMSetLinkage(global, LLVMExternalLinkage);
  LLVMSetVisibility(global, LLVMHiddenVisibility);
}

static void share_globals(const emitter *e) {
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f))
    if (is_worker(f) || is_used_by_workers(f))
      share(f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g; g = LLVMGetNextGlobal(g))
    share(g);
}

static LLVMMemoryBufferRef copy_without_data(emitter *e) {
  unsigned count = 0, at = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g; g = LLVMGetNextGlobal(g))
    count++;
  LLVMValueRef *data = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count + 1);
  for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g; g = LLVMGetNextGlobal(g)) {
    data[at++] = LLVMGetInitializer(g);
    LLVMSetInitializer(g, NULL);
  }
  LLVMMemoryBufferRef copy = LLVMWriteBitcodeToMemoryBuffer(e->llvm);
  at = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g; g = LLVMGetNextGlobal(g), at++)
    if (data[at])
      LLVMSetInitializer(g, data[at]);
  return copy;
}

/* The largest kernel goes to the part that has least to do, and so on. */
static void fill_parts(parts *p, unsigned count, unsigned num_functions, const unsigned *sizes, unsigned *loads) {
  bool *given = IR_NEW_ARRAY(&p->e->arena, bool, num_functions);
  for (;;) {
    unsigned largest = num_functions, least = 0;
    for (unsigned i = 0; i < num_functions; i++)
      if (!given[i] && sizes[i] && (largest == num_functions || sizes[i] > sizes[largest]))
        largest = i;
    if (largest == num_functions)
      return;
    for (unsigned i = 1; i < count; i++)
      least = loads[i] < loads[least] ? i : least;
    p->owners[largest] = (unsigned char)least;
    loads[least] += sizes[largest];
    given[largest] = true;
  }
}

/* Kernel `i` of the part that has most to do changes places with `k` of another, if that leaves both with less. */
static bool exchange(parts *p, unsigned i, unsigned k, const unsigned *sizes, unsigned *loads) {
  unsigned most = p->owners[i], other = p->owners[k];
  if (!sizes[i] || !sizes[k] || sizes[i] <= sizes[k] || loads[other] + sizes[i] - sizes[k] >= loads[most])
    return false;
  loads[most] -= sizes[i] - sizes[k];
  loads[other] += sizes[i] - sizes[k];
  p->owners[i] = (unsigned char)other;
  p->owners[k] = (unsigned char)most;
  return true;
}

/* Each exchange leaves the fullest part with less, or one part fewer that is as full. */
static bool improve(parts *p, unsigned count, unsigned num_functions, const unsigned *sizes, unsigned *loads) {
  unsigned most = 0;
  for (unsigned i = 1; i < count; i++)
    most = loads[i] > loads[most] ? i : most;
  for (unsigned i = 0; i < num_functions; i++)
    for (unsigned k = 0; p->owners[i] == most && k < num_functions; k++)
      if (p->owners[k] != most && exchange(p, i, k, sizes, loads))
        return true;
  return false;
}

/* What each part has to do is counted in instructions; to read the copy takes as long as some of them. */
static void divide(parts *p, unsigned count) {
  unsigned num_functions = 0, loads[MAX_PARTS] = {0}, at = 0, all = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(p->e->llvm); f; f = LLVMGetNextFunction(f))
    num_functions++;
  unsigned *sizes = IR_NEW_ARRAY(&p->e->arena, unsigned, num_functions); /* of what can go to any part */
  p->owners = IR_NEW_ARRAY(&p->e->arena, unsigned char, num_functions);
  for (LLVMValueRef f = LLVMGetFirstFunction(p->e->llvm); f; f = LLVMGetNextFunction(f), at++) {
    unsigned size = size_of(f);
    sizes[at] = is_worker(f) ? size : 0;
    loads[0] += size - sizes[at];
    all += size;
  }
  for (unsigned i = 1; i < count; i++)
    loads[i] = all / READING;
  fill_parts(p, count, num_functions, sizes, loads);
  while (improve(p, count, num_functions, sizes, loads))
    ;
}

/* ------------------------------------------------------------------------------------------------------ in a thread */

/* What belongs to other parts is only declared. */
static void drop_others(const part *p, LLVMModuleRef module) {
  unsigned at = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f), at++)
    if (p->all->owners[at] != p->number && !LLVMIsDeclaration(f))
      LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
}

static bool optimize(part *p, LLVMModuleRef module, LLVMTargetMachineRef machine) {
  p->error = emit_run_passes(module, machine, "elim-avail-extern");
  if (!p->error)
    p->error = emit_run_passes(module, machine, p->all->pipeline);
  return !p->error;
}

static void make_object(part *p, LLVMModuleRef module, LLVMTargetMachineRef machine) {
  char *message = NULL;
  drop_others(p, module);
  if (!optimize(p, module, machine) ||
      !LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &p->object))
    return;
  if (p->error)
    LLVMDisposeMessage(message);
  else
    p->error = message;
}

/* In a context of its own, where LLVM would print what it has to say and end the process. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  part *p = data;
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !p->error)
    p->error = LLVMGetDiagInfoDescription(info);
}

static void *make_other_object(void *data) {
  part *p = data;
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, on_diagnostic, p);
  LLVMModuleRef module = NULL;
  LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRange(LLVMGetBufferStart(p->all->copy),
                                                                   LLVMGetBufferSize(p->all->copy), "module", false);
  LLVMTargetMachineRef machine = emit_new_machine(p->all->e->facts, &p->error);
  if (machine && !LLVMParseBitcodeInContext2(context, copy, &module))
    make_object(p, module, machine);
  LLVMDisposeMemoryBuffer(copy);
  if (module)
    LLVMDisposeModule(module);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  LLVMContextDispose(context);
  return NULL;
}

static void make_objects(unsigned count, part *parts, LLVMTargetMachineRef machine) {
  pthread_t threads[MAX_PARTS];
  bool started[MAX_PARTS] = {false};
  for (unsigned i = 1; i < count; i++)
    started[i] = !pthread_create(&threads[i], NULL, make_other_object, &parts[i]);
  make_object(&parts[0], parts[0].all->e->llvm, machine);
  for (unsigned i = 1; i < count; i++)
    if (!started[i])
      make_other_object(&parts[i]);
  for (unsigned i = 1; i < count; i++)
    if (started[i])
      pthread_join(threads[i], NULL);
}

/* --------------------------------------------------------------------------------------------------- behind threads */

static bool join(emitter *e, unsigned count, part *parts, char **bytes, size_t *size) {
  elf_file files[MAX_PARTS];
  for (unsigned i = 0; i < count; i++) {
    if (!parts[i].object || parts[i].error)
      return ir_internal_error(e->module->root, EMIT_PART, "LLVM: %s",
                               parts[i].error ? parts[i].error : "no object file");
    files[i] = (elf_file){LLVMGetBufferStart(parts[i].object), LLVMGetBufferSize(parts[i].object)};
  }
  return elf_join(&e->arena, count, files, bytes, size) ||
         ir_internal_error(e->module->root, EMIT_PART, "the object files of %u parts cannot be joined", count);
}

bool parts_write(emitter *e, LLVMTargetMachineRef machine, unsigned count, const char *pipeline, char **bytes,
                 size_t *size) {
  parts all = {.e = e, .pipeline = pipeline};
  part list[MAX_PARTS];
  share_globals(e);
  divide(&all, count);
  all.copy = copy_without_data(e);
  for (unsigned i = 0; i < count; i++)
    list[i] = (part){.all = &all, .number = i};
  make_objects(count, list, machine);
  bool ok = join(e, count, list, bytes, size);
  for (unsigned i = 0; i < count; i++) {
    if (list[i].object)
      LLVMDisposeMemoryBuffer(list[i].object);
    LLVMDisposeMessage(list[i].error);
  }
  LLVMDisposeMemoryBuffer(all.copy);
  return ok && !e->module->num_errors;
}
