/* command_print.c - tcc-attn opt, explain and layout, which print what they make of a module, and tcc-attn list. */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef tec_status make_words(tec_module *module, const command_options *options, char **words, size_t *size);

static tec_status print_made(tec_context *context, const command_options *options, make_words *make) {
  char *words = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_status status = command_read(context, options, &module);
  if (!status)
    status = make(module, options, &words, &size);
  if (!status)
    status = tec_file_write(context, options->output ? options->output : "-", words, size);
  tec_free(words);
  tec_module_destroy(module);
  return status;
}

/* -------------------------------------------------------------------------------------------------------------- opt */

static tec_status make_optimized(tec_module *module, const command_options *options, char **words, size_t *size) {
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = tec_module_run_passes(module, options->passes, &compile);
  double start = command_seconds();
  if (!status)
    status = tec_module_print(module, options->generic, words, size);
  if (!status && compile.on_time)
    compile.on_time(NULL, "print", command_seconds() - start);
  return status;
}

static tec_status optimize(tec_context *context, const command_options *options) {
  return print_made(context, options, make_optimized);
}

int command_opt(const command_options *options) { return command_in_context(options, optimize); }

/* ---------------------------------------------------------------------------------------------------------- explain */

static tec_status make_explanation(tec_module *module, const command_options *options, char **words, size_t *size) {
  tec_compile_options compile = command_compile_options(options, options->target);
  return tec_module_explain(module, &compile, words, size);
}

static tec_status explain(tec_context *context, const command_options *options) {
  return print_made(context, options, make_explanation);
}

int command_explain(const command_options *options) { return command_in_context(options, explain); }

/* ----------------------------------------------------------------------------------------------------------- layout */

static bool is_layout(const char *input) {
  const char *name, *doc;
  if (*input == '[')
    return true;
  for (unsigned i = 0; tec_layout_get(i, &name, &doc); i++)
    if (!strcmp(name, input))
      return true;
  return false;
}

static tec_status make_layouts(tec_module *module, const command_options *options, char **words, size_t *size) {
  tec_status status = tec_module_layouts(module, words, size);
  return status || *size ? status : command_failure("no op of the module has layouts; the pass 'layout' chooses them");
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
  if (!is_layout(options->input) && strcmp(options->input, "-") && access(options->input, F_OK))
    return command_failure("this names neither a layout nor a file; 'tcc-attn list layouts' shows the layouts");
  tec_status status =
      is_layout(options->input) ? show_layout(context, options, NULL) : print_made(context, options, make_layouts);
  return !status && options->svg ? show_layout(context, options, options->svg) : status;
}

int command_layout(const command_options *options) { return command_in_context(options, show); }

/* ------------------------------------------------------------------------------------------------------------- list */

int command_list(const command_options *options) {
  static const struct {
    const char *name;
    bool (*get)(unsigned i, const char **name, const char **doc);
  } lists[] = {{"ops", tec_op_get},
               {"passes", tec_pass_get},
               {"targets", tec_target_get},
               {"devices", tec_device_get},
               {"layouts", tec_layout_get}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (strcmp(lists[i].name, options->input))
      continue;
    const char *name, *doc;
    for (unsigned k = 0; lists[i].get(k, &name, &doc); k++)
      printf("%-32s %s\n", name, doc);
    return EXIT_GOOD;
  }
  fprintf(stderr, "tcc-attn: cannot list '%s'; there are ops, passes, targets, devices, layouts\n", options->input);
  return EXIT_USAGE;
}
