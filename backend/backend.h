/* backend.h - what the rest of the tree needs from the code generators. Owns all contact with LLVM. */
#ifndef TEC_BACKEND_BACKEND_H
#define TEC_BACKEND_BACKEND_H
#include "ir/ir.h"
#include "passes/target.h"
#include "runtime/host_abi.h"
#include "runtime/program.h"

typedef enum backend_output { BACKEND_LLVM, BACKEND_ASSEMBLY, BACKEND_OBJECT } backend_output;

/* The facts of "host", "host:CPU" (an LLVM CPU name such as znver3, x86-64-v3) from LLVM and the running machine. Fills
 * *facts, strings owned by `module`'s arena; reports an unknown name and returns false. */
bool backend_target_host(ir_module *module, const char *name, target_facts *facts);

/* Code for each function of a module at the VECTOR stage. *bytes comes from malloc and is the caller's to free. */
bool backend_emit_host(ir_module *module, const target_facts *facts, backend_output output, char **bytes, size_t *size);

/* How the kernels of a public function are run. */
typedef struct backend_routine {
  const char *name;
  program_routine routine;
} backend_routine;

/* PTX (BACKEND_ASSEMBLY and BACKEND_OBJECT alike), SPIR-V (as text or binary) or LLVM IR for each top-level scf.forall
 * of the functions, and the launches of each public function. *bytes comes from malloc; the routines are in the
 * module's arena. */
bool backend_emit_kernels(ir_module *module, const target_facts *facts, backend_output output, char **bytes,
                          size_t *size, unsigned *num_routines, const backend_routine **routines);

/* An object compiled by backend_emit_host, loaded into this process. */
typedef struct backend_jit backend_jit;
bool backend_jit_create(ir_module *module, const char *object, size_t size, backend_jit **jit);
void *backend_jit_lookup(backend_jit *jit, const char *name); /* NULL if there is none */
void backend_jit_destroy(backend_jit *jit);
#endif
