/* parts.h - machine code for the functions of one module, made by several threads. */
#ifndef TEC_BACKEND_PARTS_H
#define TEC_BACKEND_PARTS_H
#include "backend/llvm.h"

/* What makes functions run at once with others, which parts are made of: an attribute of theirs. */
#define PARTS_WORKER "tec-worker"

/* The parts in which the module's code had best be made: 1 where it is little. */
unsigned parts_count(const emitter *e);
/* emit_optimize_further and emit_write to an object file, in so many parts. What the functions are does not depend on
 * that, but where they lie in the file. The module is used up. */
bool parts_write(emitter *e, LLVMTargetMachineRef machine, unsigned count, const char *pipeline, char **bytes,
                 size_t *size);
#endif
