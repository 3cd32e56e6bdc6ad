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
  char *layouts = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_status status = command_read(context, options, &module);
  if (!status)
    status = tec_module_layouts(module, &layouts, &size);
  if (!status && !size)
    status = command_failure("no op of the module has layouts; the pass 'layout' chooses them");
  if (!status)
    status = tec_file_write(context, "-", layouts, size);
  tec_free(layouts);
  tec_module_destroy(module);
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

static tec_status show(tec_context *context, const command_options *options) {
  tec_status status = !is_layout(options->input) ? show_module(context, options) : show_layout(context, options, NULL);
  return !status && options->svg ? show_layout(context, options, options->svg) : status;
}

int command_layout(const command_options *options) { return command_in_context(options, show); }
