/* tec_module.c - modules in the public interface: parse, print, run passes; and what the compiler knows. */
#include "ir/text.h"
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>

void compiler_message(void *user, ir_severity severity, const char *rendered) {
  tec_context *context = user;
  static const tec_severity severities[] = {
      [IR_NOTE] = TEC_NOTE, [IR_REMARK] = TEC_REMARK, [IR_WARNING] = TEC_WARNING, [IR_ERROR] = TEC_ERROR};
  if (context->message)
    context->message(context->user, severities[severity], rendered);
}

tec_status tec_module_parse(tec_context *context, const char *name, const char *text, size_t size,
                            tec_module **module) {
  tec_module *created = calloc(1, sizeof *created);
  ir_module *ir = created ? ir_module_create(compiler_message, context) : NULL;
  if (!ir) {
    free(created);
    return runtime_error(context, TEC_OUT_OF_MEMORY, "no address space for a module");
  }
  *created = (tec_module){context, ir};
  if (!ir_parse(ir, name ? name : "<memory>", text, size)) {
    tec_module_destroy(created);
    return TEC_INVALID;
  }
  *module = created;
  return TEC_OK;
}

void tec_module_destroy(tec_module *module) {
  if (!module)
    return;
  ir_module_destroy(module->ir);
  free(module);
}

tec_status tec_module_print(const tec_module *module, bool generic, char **text, size_t *size) {
  ir_print_options options = {.generic = generic};
  char *printed = ir_print_module(module->ir, &options, size);
  if (!printed)
    return runtime_error(module->context, TEC_OUT_OF_MEMORY, "out of memory");
  *text = printed;
  return TEC_OK;
}

tec_status tec_module_run_passes(tec_module *module, const char *passes, const tec_compile_options *given) {
  compiler_run run;
  tec_status status = compiler_begin(&run, module, given);
  if (status)
    return status;
  return compiler_status(&run, pass_run(module->ir, passes ? passes : "transform", &run.passes));
}

bool tec_op_get(unsigned i, const char **name, const char **doc) {
  if (i >= IR_NUM_OPCODES)
    return false;
  const ir_op_info *info = ir_op_info_of((ir_opcode)i);
  *name = info->name;
  *doc = info->doc;
  return true;
}

bool tec_pass_get(unsigned i, const char **name, const char **doc) {
  if (i >= pass_count())
    return false;
  *name = pass_get(i)->name;
  *doc = pass_get(i)->doc;
  return true;
}
