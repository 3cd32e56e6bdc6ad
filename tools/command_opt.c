/* command_opt.c - tcc-attn opt: passes over a module. */
#include "tools/command.h"

static tec_status optimize(tec_context *context, const command_options *options) {
  char *printed = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = command_read(context, options, &module);
  if (!status)
    status = tec_module_run_passes(module, options->passes, &compile);
  double start = command_seconds();
  if (!status)
    status = tec_module_print(module, options->generic, &printed, &size);
  if (!status && compile.on_time)
    compile.on_time(NULL, "print", command_seconds() - start);
  if (!status)
    status = tec_file_write(context, options->output ? options->output : "-", printed, size);
  tec_free(printed);
  tec_module_destroy(module);
  return status;
}

int command_opt(const command_options *options) { return command_in_context(options, optimize); }
