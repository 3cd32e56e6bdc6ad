/* tec_explain.c - what the compiler makes of a module, in words: runs it down to scheduled loops and describes
 * those. */
#include "passes/explain.h"
#include "runtime/tec_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Receives the messages of the passes: remarks become part of the text, all others go on to the context. */
typedef struct listener {
  tec_context *context;
  FILE *stream;
} listener;

static void listen(void *user, ir_severity severity, const char *rendered) {
  const listener *to = user;
  if (severity != IR_REMARK) {
    compiler_message(to->context, severity, rendered);
    return;
  }
  /* The first line without the severity; what follows shows the source. */
  static const char word[] = "remark: ";
  int line = (int)strcspn(rendered, "\n");
  const char *remark = strstr(rendered, word);
  int before = remark ? (int)(remark - rendered) : 0, skipped = remark ? before + (int)sizeof word - 1 : 0;
  fprintf(to->stream, "  %.*s%.*s\n", before, rendered, line - skipped, rendered + skipped);
}

/* The passes up to the one that makes loops. */
static char *scheduling_passes(const target_facts *target) {
  static const char last[] = "parallelize";
  const char *list = pass_default_list(target), *end = strstr(list, last);
  return strndup(list, end ? (size_t)(end - list) + sizeof last - 1 : strlen(list));
}

static tec_status explain(tec_module *module, const tec_compile_options *given, FILE *stream) {
  compiler_run run;
  tec_status status = compiler_begin(&run, module, given);
  if (status)
    return status;
  run.passes.explain = true;
  char *list = scheduling_passes(&run.facts);
  if (!list)
    return runtime_error(module->context, TEC_OUT_OF_MEMORY, "out of memory");
  listener listener = {module->context, stream};
  module->ir->diag = listen;
  module->ir->diag_user = &listener;
  status = compiler_status(&run, pass_run(module->ir, list, &run.passes));
  module->ir->diag = compiler_message;
  module->ir->diag_user = module->context;
  free(list);
  if (!status && !explain_write(stream, module->ir))
    status = TEC_OUT_OF_MEMORY;
  return status;
}

tec_status tec_module_explain(tec_module *module, const tec_compile_options *given, char **text, size_t *size) {
  size_t length;
  char *buffer = NULL;
  FILE *stream = open_memstream(&buffer, size ? size : &length);
  if (!stream)
    return runtime_error(module->context, TEC_OUT_OF_MEMORY, "out of memory");
  tec_status status = explain(module, given, stream);
  if (fclose(stream) && !status)
    status = runtime_error(module->context, TEC_OUT_OF_MEMORY, "out of memory");
  if (status)
    free(buffer);
  else
    *text = buffer;
  return status;
}
