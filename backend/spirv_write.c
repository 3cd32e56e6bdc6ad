/* spirv_write.c - writes SPIR-V by LLVM's code generator, in spite of what that remembers.
 *
 * The ids of labels are in a table that lives as long as the process, with the addresses of functions as keys (LLVM
 * issue 160613, in LLVM up to 22). Where a function comes to lie at the address of an earlier one, its labels get that
 * one's ids, which this module may use for other things. So one module is written at a time; where ids collide, which
 * is seen in a few of thousand words, it is written again from a copy, while all earlier copies stay where they are,
 * which moves the new one. A machine keeps the instructions of the functions that it has written, which are gone by
 * then, under their addresses as well: each attempt has a machine of its own. It ends: the number of attempts is
 * limited. */
#include "backend/spirv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { MAX_ATTEMPTS = 32, HEADER_WORDS = 5, BOUND_WORD = 3 };

/* The word of an instruction that holds the id it defines; 0: it defines none. Those not listed have a type before
 * it. */
static unsigned result_word(uint32_t opcode) {
  static const struct {
    uint16_t first, last, word;
  } rows[] = {
      {0, 0, 0},     {2, 6, 0},       {7, 7, 1},       {8, 10, 0},      {11, 11, 1},     {13, 17, 0},
      {19, 39, 1},   {56, 56, 0},     {62, 64, 0},     {71, 72, 0},     {73, 73, 1},     {74, 76, 0},
      {224, 225, 0}, {228, 228, 0},   {246, 247, 0},   {248, 248, 1},   {249, 257, 0},   {317, 317, 0},
      {331, 332, 0}, {5576, 5576, 0}, {5578, 5578, 0}, {5630, 5630, 0}, {6142, 6143, 0}, {6231, 6235, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (opcode >= rows[i].first && opcode <= rows[i].last)
      return rows[i].word;
  return 2;
}

/* Whether each id is below the bound and defined once. `seen`: a flag an id, false. */
static bool are_ids_unique(const uint32_t *words, size_t num_words, bool *seen) {
  for (size_t at = HEADER_WORDS; at < num_words;) {
    uint32_t length = words[at] >> 16;
    unsigned word = result_word(words[at] & 0xffff);
    if (!length || length > num_words - at)
      return false;
    if (word && word < length) {
      uint32_t id = words[at + word];
      if (id >= words[BOUND_WORD] || seen[id])
        return false;
      seen[id] = true;
    }
    at += length;
  }
  return true;
}

static bool is_sound(LLVMMemoryBufferRef buffer) {
  size_t num_words = LLVMGetBufferSize(buffer) / sizeof(uint32_t);
  uint32_t *words = malloc(num_words * sizeof *words + 1);
  bool *seen = NULL;
  if (words && num_words > HEADER_WORDS) {
    memcpy(words, LLVMGetBufferStart(buffer), num_words * sizeof *words);
    seen = calloc(words[BOUND_WORD], sizeof *seen);
  }
  bool sound = seen && are_ids_unique(words, num_words, seen);
  free(words);
  free(seen);
  return sound;
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

LLVMBool spirv_write(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType kind, char **message,
                     LLVMMemoryBufferRef *buffer) {
  static once_flag once = ONCE_FLAG_INIT;
  LLVMModuleRef copies[MAX_ATTEMPTS];
  unsigned count = 0;
  bool failed = false, done = false;
  call_once(&once, create_lock);
  mtx_lock(&table_lock);
  while (!done && !failed && count < MAX_ATTEMPTS) {
    LLVMTargetMachineRef fresh = fresh_machine(machine);
    copies[count] = LLVMCloneModule(module);
    failed = LLVMTargetMachineEmitToMemoryBuffer(fresh, copies[count++], kind, message, buffer);
    LLVMDisposeTargetMachine(fresh);
    done = !failed && (kind != LLVMObjectFile || is_sound(*buffer));
    if (!done && !failed)
      LLVMDisposeMemoryBuffer(*buffer);
  }
  mtx_unlock(&table_lock);
  while (count)
    LLVMDisposeModule(copies[--count]);
  if (!done && !failed)
    *message = LLVMCreateMessage("SPIR-V with colliding ids");
  return !done;
}
