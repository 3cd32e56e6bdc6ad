/* command_layout.c - tcc-attn layout: which thread holds which element, of one layout, or the layouts of a module. */
#include "tools/command.h"

#include <string.h>

static bool is_layout(const char *input) {
  const char *name, *doc;
  if (*input == '[')
    return true;
  for (unsigned i = 0; tec_layout_get(i, &name, &doc); i++)
    if (!strcmp(name, input))
      return true;
  return false;
}

static tec_status show_module(tec_context *context, const command_options *options) {
  char *text = NULL, *layouts = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_status status = tec_file_read(context, options->input, &text, &size);
  if (!status)
    status = command_parse(context, options, text, size, &module);
  if (!status)
    status = tec_module_layouts(module, &layouts, &size);
  if (!status)
    status = tec_file_write(context, "-", layouts, size);
  tec_free(layouts);
  tec_module_destroy(module);
  tec_free(text);
  return status;
}

static tec_status show_layout(tec_context *context, const command_options *options, const char *output) {
  char *text = NULL;
  size_t size;
  tec_status status = tec_layout_draw(context, options->input, output != NULL, &text, &size);
  if (!status)
    status = tec_file_write(context, output ? output : "-", text, size);
  tec_free(text);
  return status;
}

int command_layout(const command_options *options) {
  tec_context *context = command_context(1, false);
  if (!context)
    return EXIT_BAD;
  tec_status status = !is_layout(options->input) ? show_module(context, options) : show_layout(context, options, NULL);
  if (!status && options->svg)
    status = show_layout(context, options, options->svg);
  tec_context_destroy(context);
  return status ? EXIT_BAD : EXIT_GOOD;
}
