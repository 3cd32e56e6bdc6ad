/* tec_layout.c - layouts in the public interface: names, drawings, and those of a module. */
#include "passes/layout.h"
#include "runtime/tec_compiler.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ELEMENTS = 1 << 16 };

bool tec_layout_get(unsigned i, const char **name, const char **doc) {
  if (i >= layout_count())
    return false;
  *name = layout_get(i)->name;
  *doc = layout_get(i)->doc;
  return true;
}

tec_status tec_layout_draw(tec_context *context, const char *name, bool svg, char **text, size_t *size) {
  layout l;
  const char *why;
  char *buffer = NULL;
  size_t length;
  if (!name)
    return runtime_error(context, TEC_INVALID, "the layout to draw is NULL");
  if (!layout_parse(name, &l, &why))
    return runtime_error(context, TEC_INVALID, "'%s': %s", name, why);
  if (svg && (!l.rank || l.rank > 2))
    return runtime_error(context, TEC_INVALID, "only one or two dims can be drawn");
  int64_t elements = 1;
  for (unsigned dim = 0; dim < l.rank; dim++) {
    if (layout_extent(&l, dim) > MAX_ELEMENTS / elements)
      return runtime_error(context, TEC_INVALID, "a layout of more than %d elements cannot be drawn", MAX_ELEMENTS);
    elements *= layout_extent(&l, dim);
  }
  FILE *stream = open_memstream(&buffer, size ? size : &length);
  if (!stream)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  bool good = svg ? layout_write_svg(stream, name, &l)
                  : layout_write_table(stream, &l) && fputc('\n', stream) != EOF && layout_write_grid(stream, &l);
  if (!fclose(stream) && good) {
    *text = buffer;
    return TEC_OK;
  }
  free(buffer);
  return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
}

/* A layout text and the vectors that have it; the texts are interned. */
typedef struct usage {
  const char *text;
  unsigned count;
  struct usage *next;
} usage;

static void count_layouts(usage **all, const ir_op *op) {
  const ir_attr *texts = ir_attr_get(op, "tec.layouts");
  for (unsigned i = 0; texts && texts->kind == IR_ATTR_ARRAY && i < texts->count; i++) {
    const ir_attr *attr = texts->elements[i];
    if (attr->kind != IR_ATTR_STRING || !attr->count)
      continue;
    const char *text = ir_intern(op->module, attr->string, attr->count);
    usage **found = all;
    while (*found && (*found)->text != text)
      found = &(*found)->next;
    if (!*found) {
      *found = IR_NEW(&op->module->arena, usage);
      (*found)->text = text;
    }
    (*found)->count++;
  }
}

tec_status tec_module_layouts(const tec_module *module, char **text, size_t *size) {
  const ir_op *root = module->ir->root;
  usage *all = NULL;
  byte_buffer lines = {0};
  for (const ir_op *op = root; op; op = ir_next_inside(root, op))
    count_layouts(&all, op);
  for (const usage *one = all; one; one = one->next)
    byte_buffer_printf(&lines, "%6u  %s\n", one->count, one->text);
  return byte_buffer_finish(module->context, &lines, text, size);
}
