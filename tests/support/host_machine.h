/* host_machine.h - compiles text at the VECTOR stage for the host and runs it in this process. */
#ifndef TEC_TESTS_HOST_MACHINE_H
#define TEC_TESTS_HOST_MACHINE_H
#include "backend/backend.h"

typedef struct machine {
  ir_module *module;
  backend_jit *jit;
  char messages[2000];
  tec_host_env env;
  int allocations, live, fail_at; /* calls of allocate so far; not yet released; the call that gives NULL (0: none) */
} machine;

/* Compiles for `target`; false where that is refused. `bytes`: from malloc, the caller frees. */
bool machine_compile(machine *m, const char *target, const char *text, backend_output output, char **bytes,
                     size_t *size);
/* Compiles and loads the function @f; fails the test where that cannot be. The machine is to be finished. */
tec_host_kernel machine_load(machine *m, const char *target, const char *text);
tec_host_kernel machine_load_with(machine *m, const char *target, bool fast_exp, const char *text);
void machine_finish(machine *m);
/* Compiles, runs and forgets a function @f. Returns its status. */
int machine_run_for(const char *target, const char *text, void *const *data, const int64_t *dims);
int machine_run(const char *text, void *const *data, const int64_t *dims);
/* What is refused must be refused with this text in exactly one error. */
void machine_refuse(const char *text, const char *expected);
#endif
