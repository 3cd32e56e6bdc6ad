/* pass_manager.c - runs a list of passes over a module, checks what each leaves behind, and tells observers about it.
 *
 * Invariants
 *  - The list is resolved before the first pass runs: an unknown name leaves the module untouched.
 *  - The legal stages are those of the last pass that named some; a module that a pass leaves illegal is the compiler's
 *    fault, so the verifier's findings are followed by an internal error.
 *  - A pass that reports an error ends the run; no later pass sees its half-changed module.
 * Terminates: each pass of the list runs once, and once more those before one that fails by a fault of the compiler. */
#include "passes/pass.h"

#include "ir/text.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const pass_row rows[] = {
#define PASS(NAME, PLACE, FUNCTION, STAGES, DOC) {.name = NAME, .PLACE = FUNCTION, .result_stages = STAGES, .doc = DOC},
#include "passes/pass.def"
#undef PASS
};

unsigned pass_count(void) { return sizeof rows / sizeof rows[0]; }

const pass_row *pass_get(unsigned i) { return &rows[i]; }

static const pass_row *find_in(const pass_row *list, unsigned count, const char *name, size_t size) {
  for (unsigned i = 0; i < count; i++)
    if (strlen(list[i].name) == size && !memcmp(list[i].name, name, size))
      return &list[i];
  return NULL;
}

static const pass_row *find_pass(const pass_options *options, const char *name, size_t size) {
  const pass_row *row = find_in(rows, pass_count(), name, size);
  return row ? row : find_in(options->more, options->num_more, name, size);
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

typedef struct running {
  const pass_row *pass;
  const pass_options *options;
} running;

static void run_in_block(ir_block *block, const void *data) {
  const running *r = data;
  r->pass->block(block, r->options);
}

static void run_on_op(ir_op *op, const void *data) {
  const running *r = data;
  r->pass->op(op, r->options);
}

static bool run_on_functions(ir_module *module, pass_of_function *run, const pass_options *options) {
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    if (ir_is_defined_function(op) && !run(op, options))
      return false;
  return true;
}

/* Does what the pass does at each of its places. */
static bool run_everywhere(ir_module *module, const pass_row *pass, const pass_options *options) {
  if (pass->module)
    return pass->module(module, options);
  if (pass->function)
    return run_on_functions(module, pass->function, options);
  if (pass->kernel)
    return pass_visit_kernels(module, options, pass->kernel);
  if (pass->block)
    pass_visit_unscheduled(module, run_in_block, &(running){pass, options});
  else
    pass_visit_unscheduled_ops(module, run_on_op, &(running){pass, options});
  return true;
}

static bool run_one(ir_module *module, const pass_row *pass, unsigned *stages, const pass_options *options) {
  double start = seconds_now();
  bool done = run_everywhere(module, pass, options);
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
         ir_internal_error(module->root, pass->name, "it left the module in an illegal state");
}

/* The module as it was before the failing pass is gone, so it is made again: the same passes over the same text do the
 * same. Modules that did not come from a text cannot be shown; neither can those for which memory is short. */
static void show_fault(const ir_module *module, const char *list, const char *failed, const pass_options *options) {
  if (!module->broken_by || !options->fault_sink || module->num_sources != 1)
    return;
  const ir_source *source = &module->sources[0];
  const pass_options quiet = {
      .target = options->target, .fuse = options->fuse, .more = options->more, .num_more = options->num_more};
  ir_module *again = ir_module_create(NULL, NULL);
  char *before = strndup(list, (size_t)(failed - list)), *text = NULL;
  if (again && before && ir_parse(again, source->name, source->text, source->size) && pass_run(again, before, &quiet))
    text = ir_print_module(again, &(ir_print_options){0}, NULL);
  if (text)
    options->fault_sink(options->fault_user, failed, text);
  free(text);
  free(before);
  if (again)
    ir_module_destroy(again);
}

static bool unknown_pass(ir_module *module, const char *name, size_t size) {
  return ir_error(module, (ir_loc){0}, "unknown pass '%.*s'; 'tcc-attn list passes' shows all", (int)size, name);
}

bool pass_check_dump(ir_module *module, const char *list) {
  const char *name, *rest = list;
  size_t size;
  unsigned count = 0;
  for (; next_name(&rest, &name, &size); count++)
    if (!find_in(rows, pass_count(), name, size) && !(size == 3 && !memcmp(name, "all", 3)))
      return unknown_pass(module, name, size);
  return count || ir_error(module, (ir_loc){0}, "no pass to dump is named in '%s'", list);
}

/* All names of the list are those of passes. */
static bool check_names(ir_module *module, const char *list, const pass_options *options) {
  const char *name;
  size_t size;
  while (next_name(&list, &name, &size))
    if (!find_pass(options, name, size))
      return unknown_pass(module, name, size);
  return true;
}

bool pass_run(ir_module *module, const char *list, const pass_options *options) {
  if (!check_names(module, list, options))
    return false;
  const char *name, *rest = list;
  size_t size;
  unsigned stages = 0;
  module->rewritten = true;
  while (next_name(&rest, &name, &size))
    if (!run_one(module, find_pass(options, name, size), &stages, options)) {
      show_fault(module, list, name, options);
      return false;
    }
  return true;
}

const char *pass_default_list(const target_facts *target) {
#define TO_TILES                                                                                                       \
  "simplify,decompose-torch,decompose-attention,shapes,tie-results,transform,to-linalg,windows,absorb-gathers,"        \
  "absorb-reads,stack-parts,absorb-moves,simplify,raise,simplify,part-sums,remake,simplify,slice-gathers,merge-dims,"  \
  "simplify,move-factors,widen-factors,"                                                                               \
  "merge-elementwise,simplify,tabulate,simplify,hide-lowest,join-rows,widen-accumulators,turn-rows,schedule,simplify," \
  "parallelize,open-rows,trim,"
  if (target->warp)
    return TO_TILES "split,decompose-softmax,simplify,vectorize-tiles,repeat-rows,simplify,delay-scales,simplify,"
                    "bufferize,share-memory,"
                    "element-kernels,layout,"
                    "delay-sums,delay-products,stage,unmask,distribute,registers,skip-scaling,simplify";
  return TO_TILES "split,decompose-softmax,simplify,orient,hoist-factors,simplify,bufferize,share-memory,version,"
                  "register-tile,stream,simplify";
#undef TO_TILES
}
