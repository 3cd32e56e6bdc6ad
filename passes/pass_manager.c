/* pass_manager.c - runs a list of passes over a module, checks what each leaves behind, and tells observers about it.
 *
 * Invariants
 *  - The list is resolved before the first pass runs: an unknown name leaves the module untouched.
 *  - The legal stages are those of the last pass that named some; a module that a pass leaves illegal is the compiler's
 *    fault, so the verifier's findings are followed by an internal error.
 *  - A pass that reports an error ends the run; no later pass sees its half-changed module.
 * Terminates: each pass of the list runs once. */
#include "passes/pass.h"

#include "ir/text.h"
#include "passes/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const pass_row rows[] = {
#define PASS(NAME, FUNCTION, STAGES, DOC) {.name = NAME, .run = FUNCTION, .result_stages = STAGES, .doc = DOC},
#include "passes/pass.def"
#undef PASS
};

unsigned pass_count(void) { return sizeof rows / sizeof rows[0]; }

const pass_row *pass_get(unsigned i) { return &rows[i]; }

static const pass_row *find_pass(const char *name, size_t size) {
  for (unsigned i = 0; i < pass_count(); i++)
    if (strlen(rows[i].name) == size && !memcmp(rows[i].name, name, size))
      return &rows[i];
  return NULL;
}

/* Cuts the next name off a comma-separated list; false at its end. Blanks around names are ignored. */
static bool next_name(const char **list, const char **name, size_t *size) {
  *list += strspn(*list, ", \t\n");
  *name = *list;
  *size = strcspn(*list, ", \t\n");
  *list += *size;
  return *size > 0;
}

static bool list_contains(const char *list, const char *wanted) {
  const char *name;
  size_t size;
  while (next_name(&list, &name, &size))
    if ((size == strlen(wanted) && !memcmp(name, wanted, size)) || (size == 3 && !memcmp(name, "all", 3)))
      return true;
  return false;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool pass_internal_error(const ir_op *op, const char *pass, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ir_error(op->module, op->loc, "internal error in pass '%s' at '%s': %s", pass, ir_op_row(op)->name, text);
  ir_note(op->module, op->loc, "please report this, with the input and the output of --dump=all");
  return false;
}

static bool dump(ir_module *module, const pass_row *pass, const pass_options *options) {
  if (!options->dump || !options->dump_sink || !list_contains(options->dump, pass->name))
    return true;
  char *text = ir_print_module(module, &(ir_print_options){0}, NULL);
  if (!text)
    return ir_error(module, module->root->loc, "out of memory while printing the module after pass '%s'", pass->name);
  options->dump_sink(options->dump_user, pass->name, text);
  free(text);
  return true;
}

static bool run_one(ir_module *module, const pass_row *pass, unsigned *stages, const pass_options *options) {
  double start = seconds_now();
  bool done = pass->run(module, options);
  if (options->time_sink)
    options->time_sink(options->time_user, pass->name, seconds_now() - start);
  if (!done)
    return false;
  if (pass->result_stages)
    *stages = pass->result_stages;
#ifdef NDEBUG
  bool verify = options->verify;
#else
  bool verify = true;
#endif
  /* The dump comes first, so that it shows what the verifier rejects. */
  if (!dump(module, pass, options))
    return false;
  return !verify || ir_verify(module, *stages) ||
         pass_internal_error(module->root, pass->name, "it left the module in an illegal state");
}

bool pass_run(ir_module *module, const char *list, const pass_options *options) {
  const char *name, *rest = list;
  size_t size;
  while (next_name(&rest, &name, &size))
    if (!find_pass(name, size))
      return ir_error(module, (ir_loc){0}, "unknown pass '%.*s'; 'tcc-attn list passes' shows all", (int)size, name);
  unsigned stages = 0;
  for (rest = list; next_name(&rest, &name, &size);)
    if (!run_one(module, find_pass(name, size), &stages, options))
      return false;
  return true;
}

const char *pass_default_list(const target_facts *target) {
  if (target->kind == TARGET_NVPTX)
    return "simplify,shapes,transform,raise,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,"
           "bufferize,layout,distribute,simplify";
  return "simplify,shapes,transform,raise,schedule,simplify,decompose-softmax,simplify,bufferize,register-tile,simplify";
}
