/* command_opt.c - tcc-attn opt: passes over a module. */
#include "tools/command.h"

static tec_status optimize(tec_context *context, const command_options *options) {
  char *text = NULL, *printed = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = tec_file_read(context, options->input, &text, &size);
  if (!status)
    status = command_parse(context, options, text, size, &module);
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
  tec_free(text);
  return status;
}

int command_opt(const command_options *options) {
  tec_context *context = command_context(1, false);
  if (!context)
    return EXIT_BAD;
  tec_status status = optimize(context, options);
  tec_context_destroy(context);
  return status ? EXIT_BAD : EXIT_GOOD;
}
