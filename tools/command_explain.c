/* command_explain.c - tcc-attn explain: what was recognised in a module, what was fused, and what was not and why. */
#include "tools/command.h"

static tec_status explain(tec_context *context, const command_options *options) {
  char *words = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = command_read(context, options, &module);
  if (!status)
    status = tec_module_explain(module, &compile, &words, &size);
  if (!status)
    status = tec_file_write(context, "-", words, size);
  tec_free(words);
  tec_module_destroy(module);
  return status;
}

int command_explain(const command_options *options) { return command_in_context(options, explain); }
