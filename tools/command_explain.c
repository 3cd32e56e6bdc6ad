/* command_explain.c - tcc-attn explain: what was recognised in a module, what was fused, and what was not and why. */
#include "tools/command.h"

static tec_status explain(tec_context *context, const command_options *options) {
  char *text = NULL, *words = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = tec_file_read(context, options->input, &text, &size);
  if (!status)
    status = command_parse(context, options, text, size, &module);
  if (!status)
    status = tec_module_explain(module, &compile, &words, &size);
  if (!status)
    status = tec_file_write(context, "-", words, size);
  tec_free(words);
  tec_module_destroy(module);
  tec_free(text);
  return status;
}

int command_explain(const command_options *options) {
  tec_context *context = command_context(1, false);
  if (!context)
    return EXIT_BAD;
  tec_status status = explain(context, options);
  tec_context_destroy(context);
  return status ? EXIT_BAD : EXIT_GOOD;
}
