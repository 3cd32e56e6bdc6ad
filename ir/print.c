/* print.c - modules to text. See text.h, printer.h.
 *
 * Names follow MLIR's: the values of a block are named before any region inside is entered, and what a region defines
 * is forgotten when it ends. Every op, type and attribute is visited once, so printing is linear. */
#include "printer.h"

#include "format.h"
#include "names.h"
#include "pointer_map.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state that a region restores when it ends. */
typedef struct name_scope {
  uint32_t names;
  unsigned next_number, next_argument, next_conflict;
} name_scope;

struct ir_printer {
  ir_module *module;
  char *text;
  size_t size, capacity;
  bool out_of_memory, generic;
  unsigned indent;
  ir_arena arena;        /* labels */
  ir_pointer_map values; /* %name of each value in sight */
  ir_pointer_map maps;   /* #alias of each map */
  ir_names names;        /* the names in use */
  name_scope scope;
  name_scope *entered; /* of a region whose arguments the op's header has shown */
};

/* --------------------------------------------------------------------------------------------------------- text */

static void append(ir_printer *printer, const char *text, size_t size) {
  if (printer->size + size + 1 > printer->capacity && !printer->out_of_memory) {
    size_t capacity = (printer->size + size + 1) * 2;
    char *grown = realloc(printer->text, capacity);
    printer->out_of_memory = !grown;
    if (grown) {
      printer->text = grown;
      printer->capacity = capacity;
    }
  }
  if (printer->out_of_memory)
    return;
  memcpy(printer->text + printer->size, text, size);
  printer->size += size;
  printer->text[printer->size] = 0;
}

void print_text(ir_printer *printer, const char *text) { append(printer, text, strlen(text)); }

void print_format(ir_printer *printer, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  print_text(printer, text);
}

void print_integer(ir_printer *printer, int64_t value) { print_format(printer, "%" PRId64, value); }

/* The start of an indented line. */
static void print_line(ir_printer *printer) {
  print_text(printer, "\n");
  for (unsigned i = 0; i < printer->indent; i++)
    print_text(printer, "  ");
}

void print_separator(ir_printer *printer, unsigned i) {
  if (i)
    print_text(printer, ", ");
}

/* ------------------------------------------------------------------------------------------------------- labels */

static const char *find_label(const ir_pointer_map *labels, const void *key) {
  return ir_pointer_map_get(labels, key, NULL);
}

static void set_label(ir_printer *printer, ir_pointer_map *labels, const void *key, const char *text) {
  ir_pointer_map_set(&printer->arena, labels, key, (char *)text);
}

static const char *keep(ir_printer *printer, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(ir_arena_alloc(&printer->arena, size), text, size);
}

/* %hint, or %hint_0, %hint_1 .. where it is taken. */
static const char *unique_name(ir_printer *printer, const char *hint) {
  char text[96];
  snprintf(text, sizeof text, "%%%s", hint);
  while (ir_names_find(&printer->names, text, strlen(text)))
    snprintf(text, sizeof text, "%%%s_%u", hint, printer->scope.next_conflict++);
  const char *name = keep(printer, text);
  ir_names_add(&printer->names, (ir_definition){.name = name, .size = (uint32_t)strlen(name)});
  return name;
}

/* The name of a constant tells its value: %c4, %c1_i32, %true, %cst. */
static bool constant_hint(const ir_op *op, char *hint, size_t size) {
  const ir_attr *value = ir_op_has(op, IR_CONSTANT) ? ir_attr_get(op, "value") : NULL;
  if (!value)
    return false;
  if (value->kind != IR_ATTR_INT)
    snprintf(hint, size, "cst");
  else if (value->type->element == IR_I1)
    snprintf(hint, size, value->value ? "true" : "false");
  else if (value->type->element == IR_INDEX)
    snprintf(hint, size, "c%" PRId64, value->value);
  else
    snprintf(hint, size, "c%" PRId64 "_%s", value->value, ir_scalar_name(value->type->element));
  return true;
}

static void name_results(ir_printer *printer, const ir_op *op) {
  if (!op->num_results)
    return;
  char hint[64], text[96];
  const char *name = NULL;
  if (constant_hint(op, hint, sizeof hint))
    name = unique_name(printer, hint);
  else if (ir_op_row(op)->hint)
    name = unique_name(printer, ir_op_row(op)->hint);
  else
    snprintf(text, sizeof text, "%%%u", printer->scope.next_number++);
  if (!name)
    name = keep(printer, text);
  for (unsigned i = 0; i < op->num_results; i++) {
    snprintf(text, sizeof text, "%s#%u", name, i);
    set_label(printer, &printer->values, ir_result(op, i), op->num_results == 1 ? name : keep(printer, text));
  }
}

static void name_argument(ir_printer *printer, const ir_block *block, unsigned i) {
  const ir_op *op = block->parent;
  char text[32];
  snprintf(text, sizeof text, "arg%u", printer->scope.next_argument);
  if (op && ir_op_has(op, IR_STRUCTURED))
    snprintf(text, sizeof text, i < ir_num_inputs(op) ? "in" : "out");
  else
    printer->scope.next_argument++;
  set_label(printer, &printer->values, block->args[i], unique_name(printer, text));
}

/* Names all that the block defines; returns what to restore at its end. */
static name_scope enter_block(ir_printer *printer, const ir_block *block) {
  name_scope before = printer->scope;
  before.names = printer->names.count;
  if (block->parent && ir_op_has(block->parent, IR_ISOLATED))
    printer->scope = (name_scope){0};
  for (unsigned i = 0; i < block->num_args; i++)
    name_argument(printer, block, i);
  for (const ir_op *op = block->first; op; op = op->next)
    name_results(printer, op);
  return before;
}

static void leave_block(ir_printer *printer, name_scope before) {
  ir_names_pop(&printer->names, before.names);
  printer->scope = before;
}

const char *print_map_alias(const ir_printer *printer, const ir_map *map) { return find_label(&printer->maps, map); }

void print_value(ir_printer *printer, const ir_value *value) {
  const char *label = find_label(&printer->values, value);
  print_text(printer, label ? label : "%<<unknown>>");
}

/* ---------------------------------------------------------------------------------------------------- parts of ops */

static void print_values(ir_printer *printer, const ir_op *op, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    print_separator(printer, i);
    print_value(printer, ir_operand(op, first + i));
  }
}

static void print_types(ir_printer *printer, const ir_op *op, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    print_separator(printer, i);
    print_type(printer, ir_operand(op, first + i)->type);
  }
}

void print_operands(ir_printer *printer, const ir_op *op) { print_values(printer, op, 0, op->num_operands); }
void print_operand_types(ir_printer *printer, const ir_op *op) { print_types(printer, op, 0, op->num_operands); }
void print_group(ir_printer *printer, const ir_op *op, unsigned group) {
  print_values(printer, op, ir_group_start(op, group), ir_group_size(op, group));
}
void print_group_types(ir_printer *printer, const ir_op *op, unsigned group) {
  print_types(printer, op, ir_group_start(op, group), ir_group_size(op, group));
}

void print_arguments(ir_printer *printer, const ir_block *block) {
  for (unsigned i = 0; i < block->num_args; i++) {
    print_separator(printer, i);
    print_value(printer, block->args[i]);
    print_text(printer, ": ");
    print_type(printer, block->args[i]->type);
  }
}

void print_result_types(ir_printer *printer, const ir_op *op) {
  for (unsigned i = 0; i < op->num_results; i++) {
    print_separator(printer, i);
    print_type(printer, ir_result(op, i)->type);
  }
}

void print_arrow_results(ir_printer *printer, const ir_op *op) {
  if (!op->num_results)
    return;
  print_text(printer, op->num_results == 1 ? " -> " : " -> (");
  print_result_types(printer, op);
  if (op->num_results > 1)
    print_text(printer, ")");
}

void print_arrow_tuple(ir_printer *printer, const ir_op *op) {
  if (!op->num_results)
    return;
  print_text(printer, " -> (");
  print_result_types(printer, op);
  print_text(printer, ")");
}

void print_ints(ir_printer *printer, const ir_op *op, const char *name) {
  const ir_attr *attr = ir_attr_get(op, name);
  print_text(printer, "[");
  for (unsigned i = 0; attr && attr->ints && i < attr->count; i++) {
    print_separator(printer, i);
    print_integer(printer, attr->ints[i]);
  }
  print_text(printer, "]");
}

void print_mixed(ir_printer *printer, const ir_op *op, const char *open, const char *close, unsigned group,
                 const char *name) {
  const ir_attr *statics = ir_attr_get(op, name);
  unsigned dynamic = 0;
  print_text(printer, open);
  for (unsigned i = 0; statics && i < statics->count; i++) {
    print_separator(printer, i);
    if (statics->ints[i] == IR_DYNAMIC && dynamic < ir_group_size(op, group))
      print_value(printer, ir_group_operand(op, group, dynamic++));
    else
      print_integer(printer, statics->ints[i]);
  }
  print_text(printer, close);
}

void print_attr_dict(ir_printer *printer, const ir_op *op, const char *elided, const char *before) {
  unsigned printed = 0;
  for (unsigned i = 0; i < op->num_attrs; i++) {
    const char *name = op->attrs[i].name;
    if (format_find_word(elided, name, strlen(name), NULL, NULL) || format_names_attribute(ir_op_row(op), name))
      continue;
    if (!printed++)
      print_format(printer, "%s {", before);
    else
      print_text(printer, ", ");
    print_entry(printer, &op->attrs[i]);
  }
  if (printed)
    print_text(printer, "}");
}

/* ------------------------------------------------------------------------------------------------------ regions */

static void print_op(ir_printer *printer, const ir_op *op);

static void print_label(ir_printer *printer, const ir_block *block) {
  print_line(printer);
  print_text(printer, "^bb0");
  print_text(printer, block->num_args ? "(" : "");
  print_arguments(printer, block);
  print_text(printer, block->num_args ? "):" : ":");
}

void print_enter_region(ir_printer *printer, const ir_block *block) {
  name_scope *scope = IR_NEW(&printer->arena, name_scope);
  *scope = enter_block(printer, block);
  printer->entered = scope;
}

void print_region(ir_printer *printer, const ir_block *block, bool label, ir_opcode implied) {
  name_scope before = printer->entered ? *printer->entered : enter_block(printer, block);
  printer->entered = NULL;
  print_text(printer, "{");
  if (label)
    print_label(printer, block);
  printer->indent++;
  for (const ir_op *op = block->first; op; op = op->next) {
    bool empty = !op->num_operands && !op->num_attrs && !(op->num_regions && ir_region(op, 0)->first);
    if (implied && op->code == implied && empty && !op->next)
      continue;
    print_line(printer);
    print_op(printer, op);
  }
  printer->indent--;
  print_line(printer);
  print_text(printer, "}");
  leave_block(printer, before);
}

/* --------------------------------------------------------------------------------------------- ops by their format */

typedef struct format_print {
  ir_printer *printer;
  const ir_op *op;
  bool tight;       /* no blank before the next element */
  bool before_type; /* the last literal was a colon or an arrow */
} format_print;

static void print_blank(format_print *print) {
  if (!print->tight)
    print_text(print->printer, " ");
  print->tight = false;
}

/* The op's attribute that the element names; NULL: it has none. */
static const ir_named_attr *named_attribute(const ir_op *op, const format_element *element) {
  for (unsigned i = 0; i < op->num_attrs; i++)
    if (strlen(op->attrs[i].name) == element->size && !memcmp(op->attrs[i].name, element->text, element->size))
      return &op->attrs[i];
  return NULL;
}

/* A unit attribute in an optional group, which the word in front of it stands for. */
static bool is_silent(const ir_op *op, const format_element *element) {
  const ir_named_attr *named = element->kind == FORMAT_ATTRIBUTE ? named_attribute(op, element) : NULL;
  return named && named->attr->kind == IR_ATTR_UNIT;
}

static void print_inherent(ir_printer *printer, const ir_op *op, const format_element *element) {
  const ir_named_attr *named = named_attribute(op, element);
  if (!named)
    return;
  const char *word = ir_attr_string_or(op, named->name, ""), *blank = strchr(word, ' ');
  if (element->kind == FORMAT_KEYWORD)
    print_text(printer, blank ? blank + 1 : word);
  else if (named->attr->kind == IR_ATTR_I64S)
    print_ints(printer, op, named->name);
  else if (named->attr->kind == IR_ATTR_KEYWORD)
    print_format(printer, "<%s>", named->attr->string);
  else if (named->attr->kind == IR_ATTR_INT)
    print_integer(printer, named->attr->value);
  else
    print_attr(printer, named->attr);
}

/* The word of the attribute's number. */
static void print_word(ir_printer *printer, const ir_op *op, const format_element *element) {
  const char *at = ir_op_row(op)->words;
  format_word word = {.text = "?", .size = 1};
  int64_t number = ir_attr_int_or(op, ir_intern(printer->module, element->text, element->size), 0);
  for (int64_t i = 0; i <= number && format_next_word(&at, &word); i++)
    continue;
  append(printer, word.text, word.size);
}

/* Commas and closing brackets follow without blank, and so do opening brackets that index or call: all but those that
 * start a type. */
static void print_literal(format_print *print, const format_element *element) {
  char first = element->text[0];
  if (!strchr(",)]([", first) || (first == '(' && print->before_type))
    print_blank(print);
  append(print->printer, element->text, element->size);
  print->before_type = first == ':' || first == '-';
  print->tight = first == '(' || first == '[';
}

static bool print_element(void *data, const format_element *element) {
  format_print *print = data;
  ir_printer *printer = print->printer;
  const ir_op *op = print->op;
  switch (element->kind) {
  case FORMAT_LITERAL:
    print_literal(print, element);
    return true;
  case FORMAT_TIGHT:
    print->tight = true;
    return true;
  case FORMAT_ATTR_DICT:
    print_attr_dict(printer, op, ir_op_row(op)->implied ? ir_op_row(op)->implied(op) : NULL, "");
    return true;
  case FORMAT_END:
    return true;
  default:
    break;
  }
  if ((element->kind == FORMAT_OPERAND && !ir_group_size(op, element->index)) ||
      (element->kind == FORMAT_UNIT && !named_attribute(op, element)) || is_silent(op, element))
    return true;
  print_blank(print);
  switch (element->kind) {
  case FORMAT_OPERAND:
    print_group(printer, op, element->index);
    break;
  case FORMAT_ATTRIBUTE:
  case FORMAT_KEYWORD:
    print_inherent(printer, op, element);
    break;
  case FORMAT_UNIT:
    append(printer, element->text, element->size);
    break;
  case FORMAT_WORD:
    print_word(printer, op, element);
    break;
  case FORMAT_TYPE_OF_OPERAND:
    print_group_types(printer, op, element->index);
    break;
  case FORMAT_TYPE_OF_RESULT:
    print_type(printer, ir_result(op, element->index)->type);
    break;
  case FORMAT_MIXED:
    print_mixed(printer, op, "[", "]", element->index, ir_intern(printer->module, element->text, element->size));
    break;
  case FORMAT_REGION:
    print_region(printer, ir_region(op, 0), !ir_op_has(op, IR_NO_TERMINATOR), 0);
    break;
  default:
    print_text(printer, "(");
    print_group_types(printer, op, element->index);
    print_text(printer, ")");
    if (op->num_results)
      print_arrow_results(printer, op);
    else
      print_text(printer, " -> ()");
  }
  return true;
}

static bool anchor_is_present(void *data, const format_element *first, const format_element *anchor) {
  const format_print *print = data;
  return anchor->kind == FORMAT_OPERAND ? ir_group_size(print->op, anchor->index) > 0
                                        : named_attribute(print->op, anchor) != NULL;
}

/* ---------------------------------------------------------------------------------------------------- generic form */

/* Named elementwise ops with maps are linalg.elementwise, whose kinds are their names but for two. */
static bool is_elementwise(const ir_op *op) {
  return ir_info_is_elementwise(ir_op_row(op)) && ir_attr_get(op, "indexing_maps");
}

static void print_kind(ir_printer *printer, const ir_op *op) {
  bool has_sign = op->code == OP_LINALG_MAX || op->code == OP_LINALG_MIN;
  print_format(printer, "#linalg.elementwise_kind<%s%s>", strchr(ir_op_row(op)->name, '.') + 1,
               has_sign ? "_signed" : "");
}

/* The op's attributes in braces: the inherent ones, with the operand segment sizes, or the others. */
static unsigned print_attrs_if(ir_printer *printer, const ir_op *op, bool inherent, const char *open) {
  const ir_op_info *info = ir_op_row(op);
  unsigned printed = 0, variadic = 0, groups = ir_info_num_groups(info);
  for (unsigned i = 0; i < op->num_attrs; i++) {
    const char *name = op->attrs[i].name;
    if (format_find_word(info->attrs, name, strlen(name), NULL, NULL) != inherent)
      continue;
    print_text(printer, printed++ ? ", " : open);
    print_entry(printer, &op->attrs[i]);
  }
  if (inherent && is_elementwise(op)) {
    print_text(printer, ", kind = ");
    print_kind(printer, op);
  }
  const char *at = info->operands;
  for (format_word word; inherent && format_next_word(&at, &word);)
    variadic += word.mark != 0;
  if (variadic + (info->traits & IR_EMPTY_SEGMENT ? 1 : 0) < 2)
    return printed;
  print_text(printer, printed++ ? ", " : open);
  for (unsigned i = 0; i < groups; i++)
    print_format(printer, i ? ", %u" : "operandSegmentSizes = array<i32: %u", ir_group_size(op, i));
  print_text(printer, info->traits & IR_EMPTY_SEGMENT ? ", 0>" : ">");
  return printed;
}

static void print_generic(ir_printer *printer, const ir_op *op) {
  print_format(printer, "\"%s\"(", is_elementwise(op) ? "linalg.elementwise" : ir_op_row(op)->name);
  print_operands(printer, op);
  print_text(printer, ")");
  if (print_attrs_if(printer, op, true, " <{"))
    print_text(printer, "}>");
  /* Upstream allows linalg's body ops only inside its own ops. */
  unsigned regions = ir_op_has(op, IR_EXTENSION | IR_STRUCTURED) ? 0 : op->num_regions;
  for (unsigned i = 0; i < regions; i++) {
    print_text(printer, i ? ", " : " (");
    const ir_block *block = ir_region(op, i);
    print_region(printer, block, block->num_args || (!block->first && ir_op_has(op, IR_NO_TERMINATOR)), 0);
  }
  if (regions)
    print_text(printer, ")");
  if (print_attrs_if(printer, op, false, " {"))
    print_text(printer, "}");
  print_text(printer, " : (");
  print_operand_types(printer, op);
  print_text(printer, ")");
  if (op->num_results)
    print_arrow_results(printer, op);
  else
    print_text(printer, " -> ()");
}

/* ---------------------------------------------------------------------------------------------------------- ops */

/* A list of operands that is empty and ends the op would take the name of the next op's result for its own. */
static bool swallows_next(const ir_op *op, const ir_op_info *info) {
  const char *end = info->format && *info->format == '$' ? strchr(info->format, ' ') : NULL;
  return end && !strcmp(end, " attr-dict") && !op->num_operands && !op->num_attrs;
}

/* Inside functions, ops of the func dialect go by their short names. */
static void print_name(ir_printer *printer, const ir_op *op) {
  const char *name = ir_op_row(op)->name;
  bool is_short = op->code == OP_BUILTIN_MODULE || (!strncmp(name, "func.", 5) && !op->num_regions);
  if (is_elementwise(op)) {
    print_text(printer, "linalg.elementwise kind=");
    print_kind(printer, op);
  } else {
    print_text(printer, is_short ? strchr(name, '.') + 1 : name);
  }
}

static void print_op(ir_printer *printer, const ir_op *op) {
  const ir_op_info *info = ir_op_row(op);
  if (op->num_results) {
    const char *name = find_label(&printer->values, ir_result(op, 0));
    append(printer, name, op->num_results == 1 ? strlen(name) : strcspn(name, "#"));
    if (op->num_results > 1)
      print_format(printer, ":%u", op->num_results);
    print_text(printer, " = ");
  }
  if (printer->generic || !(info->print || info->format) || swallows_next(op, info)) {
    print_generic(printer, op);
    return;
  }
  print_name(printer, op);
  if (info->print) {
    info->print(printer, op);
    return;
  }
  format_print data = {.printer = printer, .op = op};
  format_run(info, &(format_visitor){print_element, anchor_is_present, &data});
}

/* ------------------------------------------------------------------------------------------------------ modules */

/* Gives each distinct affine map below a name, in order of appearance, and prints its definition. */
static void define_maps(ir_printer *printer, const ir_attr *attr) {
  for (unsigned i = 0; attr->elements && i < attr->count; i++)
    define_maps(printer, attr->elements[i]);
  for (unsigned i = 0; attr->entries && i < attr->count; i++)
    define_maps(printer, attr->entries[i].attr);
  if (attr->kind != IR_ATTR_MAP || find_label(&printer->maps, attr->map))
    return;
  char text[32];
  snprintf(text, sizeof text, printer->maps.count ? "#map%zu" : "#map", printer->maps.count);
  set_label(printer, &printer->maps, attr->map, keep(printer, text));
  print_format(printer, "%s = ", text);
  print_map(printer, attr->map);
  print_text(printer, "\n");
}

static bool start(ir_printer *printer, ir_module *module, const ir_print_options *options) {
  *printer = (ir_printer){.module = module, .generic = options && options->generic};
  return ir_arena_init(&printer->arena) && ir_names_init(&printer->names);
}

static char *finish(ir_printer *printer, bool started, size_t *size) {
  ir_names_release(&printer->names);
  ir_arena_release(&printer->arena);
  if (size)
    *size = printer->size;
  if (started && !printer->out_of_memory)
    return printer->text;
  free(printer->text);
  return NULL;
}

char *ir_print_module(const ir_module *module, const ir_print_options *options, size_t *size) {
  ir_printer printer;
  bool started = start(&printer, (ir_module *)module, options);
  if (started) {
    for (const ir_op *op = module->root; op; op = ir_next_inside(module->root, op))
      for (unsigned i = 0; i < op->num_attrs; i++)
        define_maps(&printer, op->attrs[i].attr);
    print_op(&printer, module->root);
    print_text(&printer, "\n");
  }
  return finish(&printer, started, size);
}

/* Short texts for messages: `print` writes what `object` is. */
static const char *print_short(ir_module *module, void (*print)(ir_printer *, const void *), const void *object) {
  ir_printer printer = {.module = module};
  print(&printer, object);
  const char *text = printer.out_of_memory ? "?" : ir_intern(module, printer.text, printer.size);
  free(printer.text);
  return text;
}

static void print_any_type(ir_printer *printer, const void *type) { print_type(printer, type); }
static void print_any_attr(ir_printer *printer, const void *attr) { print_attr(printer, attr); }

const char *ir_print_type(ir_module *module, const ir_type *type) { return print_short(module, print_any_type, type); }
const char *ir_print_attr(ir_module *module, const ir_attr *attr) { return print_short(module, print_any_attr, attr); }
