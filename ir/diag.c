/* diag.c - diagnostics: messages with file:line:col, the source line and a caret. */
#include "ir.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MESSAGE = 2048, MAX_SOURCE_LINE = 160, MAX_ERRORS = 20 };

/* What a location resolves to: the line it stands in, and its 1-based line and column. */
typedef struct place {
  const char *file, *line_text;
  size_t line_size;
  unsigned line, column;
} place;

static bool find_place(const ir_module *module, ir_loc loc, place *out) {
  if (!loc.source || loc.source > module->num_sources)
    return false;
  const ir_source *source = &module->sources[loc.source - 1];
  size_t offset = loc.offset < source->size ? loc.offset : source->size;
  uint32_t line = 0, after = source->num_lines; /* it lies in a line from `line` to before `after` */
  while (after - line > 1) {
    uint32_t middle = line + (after - line) / 2;
    if (source->lines[middle] <= offset)
      line = middle;
    else
      after = middle;
  }
  *out = (place){.file = source->name, .line = line + 1};
  size_t start = source->lines[line], end = offset;
  while (end < source->size && source->text[end] != '\n')
    end++;
  out->line_text = source->text + start;
  out->line_size = end - start;
  out->column = (unsigned)(offset - start) + 1;
  return true;
}

bool ir_loc_resolve(const ir_module *module, ir_loc loc, const char **file, unsigned *line, unsigned *column) {
  place at;
  if (!find_place(module, loc, &at))
    return false;
  if (file)
    *file = at.file;
  *line = at.line;
  *column = at.column;
  return true;
}

/* Appends the source line, cut around the caret when it is long, and the caret under it. Control bytes become
 * blanks. */
static void append_source(char *out, size_t capacity, const place *at) {
  size_t caret = at->column - 1, from = caret > MAX_SOURCE_LINE / 2 ? caret - MAX_SOURCE_LINE / 2 : 0;
  if (at->line_size <= MAX_SOURCE_LINE)
    from = 0;
  size_t size = at->line_size - from < MAX_SOURCE_LINE ? at->line_size - from : MAX_SOURCE_LINE;
  size_t used = strlen(out);
  if (used + size + (caret - from) + 8 > capacity)
    return;
  char *cursor = out + used;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)at->line_text[from + i];
    *cursor++ = c < ' ' || c == 127 ? ' ' : (char)c;
  }
  *cursor++ = '\n';
  memset(cursor, ' ', caret - from);
  cursor += caret - from;
  memcpy(cursor, "^\n", 3);
}

/* Instead of all errors behind the first ones, which tend to have one cause, and of what else is said with them. */
static void report_more(const ir_module *module) {
  char text[80];
  snprintf(text, sizeof text, "note: there are more errors; the first %d are shown\n", MAX_ERRORS);
  module->diag(module->diag_user, IR_NOTE, text);
}

static void report(ir_module *module, ir_severity severity, ir_loc loc, const char *prefix, const char *format,
                   va_list arguments) {
  static const char *const names[] = {"note", "remark", "warning", "error"};
  if (severity == IR_ERROR)
    module->num_errors++;
  if (!module->diag)
    return;
  if (module->num_errors > MAX_ERRORS) {
    if (severity == IR_ERROR && module->num_errors == MAX_ERRORS + 1)
      report_more(module);
    return;
  }
  char text[MAX_MESSAGE], rendered[MAX_MESSAGE + 3 * MAX_SOURCE_LINE + 256];
  vsnprintf(text, sizeof text, format, arguments);
  place at;
  if (find_place(module, loc, &at)) {
    snprintf(rendered, sizeof rendered - 2 * MAX_SOURCE_LINE - 16, "%s:%u:%u: %s: %s%s\n", at.file, at.line, at.column,
             names[severity], prefix, text);
    append_source(rendered, sizeof rendered, &at);
  } else {
    snprintf(rendered, sizeof rendered, "%s: %s%s\n", names[severity], prefix, text);
  }
  module->diag(module->diag_user, severity, rendered);
}

#define REPORT(MODULE, SEVERITY, LOC, PREFIX)                                                                          \
  va_list arguments;                                                                                                   \
  va_start(arguments, format);                                                                                         \
  report(MODULE, SEVERITY, LOC, PREFIX, format, arguments);                                                            \
  va_end(arguments)

bool ir_error(ir_module *module, ir_loc loc, const char *format, ...) {
  REPORT(module, IR_ERROR, loc, "");
  return false;
}

void ir_note(ir_module *module, ir_loc loc, const char *format, ...) { REPORT(module, IR_NOTE, loc, ""); }

void ir_warning(ir_module *module, ir_loc loc, const char *format, ...) { REPORT(module, IR_WARNING, loc, ""); }

void ir_remark(ir_module *module, ir_loc loc, const char *format, ...) { REPORT(module, IR_REMARK, loc, ""); }

bool ir_internal_error(const ir_op *op, const char *part, const char *format, ...) {
  char prefix[160];
  snprintf(prefix, sizeof prefix, "internal error in '%s' at '%s': ", part, ir_op_row(op)->name);
  REPORT(op->module, IR_ERROR, op->loc, prefix);
  ir_note(op->module, op->loc, "this is not the input's fault; please report it");
  op->module->broken_by = part;
  return false;
}

bool ir_op_error(const ir_op *op, const char *format, ...) {
  char prefix[96];
  snprintf(prefix, sizeof prefix, "'%s' op ", ir_op_row(op)->name);
  REPORT(op->module, IR_ERROR, op->loc, prefix);
  return false;
}
