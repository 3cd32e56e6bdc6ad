/* tec_compiler.h - what the compiler's files of the runtime (tec_*.c) share; the only ones that know ir, passes,
 * backend. They are in libtec and not in libtec-rt. */
#ifndef TEC_RUNTIME_TEC_COMPILER_H
#define TEC_RUNTIME_TEC_COMPILER_H
#include "ir/ir.h"
#include "passes/pass.h"
#include "runtime/runtime.h"

struct tec_module {
  tec_context *context;
  ir_module *ir;
};

/* How a target gets its code; CODE_TEXT: not at all, the module is interpreted. */
typedef enum compiler_code { CODE_TEXT, CODE_HOST, CODE_KERNELS } compiler_code;

/* A module's messages are the context's. */
void compiler_message(void *user, ir_severity severity, const char *rendered);
/* One way of a module through passes and code generation. `passes` points at the rest: a run stays where it is. */
typedef struct compiler_run {
  tec_module *module;
  tec_compile_options options; /* `target` is never NULL */
  compiler_code code;
  target_facts facts; /* without code, of this machine */
  pass_options passes;
} compiler_run;

/* Fills *run; finds the target's facts. TEC_INVALID after a message where the options make no sense. */
tec_status compiler_begin(compiler_run *run, tec_module *module, const tec_compile_options *given);
/* The status after passes or code generation. */
tec_status compiler_status(const compiler_run *run, bool good);
/* Puts what shows an internal error again into a file of the folder for temporary files and says how: by the command
 * ("opt --passes=..") with the options of the run, on `text`. */
void compiler_keep_fault(const compiler_run *run, const char *command, const char *text);
/* The same for passes: a pass_options.fault_sink on a compiler_run. */
void compiler_keep_pass_fault(void *run, const char *passes, const char *text);

extern const runtime_device interp_device;
#endif
