/* print_attr.c - affine maps, types and attributes to text. See printer.h. */
#include "lex.h"
#include "printer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- maps and types */

static void print_expr(ir_printer *printer, const ir_expr *expr, bool nested) {
  static const char *const operators[] = {[IR_EXPR_ADD] = " + ",
                                          [IR_EXPR_MUL] = " * ",
                                          [IR_EXPR_FLOORDIV] = " floordiv ",
                                          [IR_EXPR_CEILDIV] = " ceildiv ",
                                          [IR_EXPR_MOD] = " mod "};
  switch (expr->kind) {
  case IR_EXPR_CONST:
    print_integer(printer, expr->value);
    return;
  case IR_EXPR_DIM:
    print_format(printer, "d%" PRId64, expr->value);
    return;
  case IR_EXPR_SYM:
    print_format(printer, "s%" PRId64, expr->value);
    return;
  default:
    break;
  }
  if (nested)
    print_text(printer, "(");
  const ir_expr *rhs = expr->rhs;
  bool negated =
      expr->kind == IR_EXPR_ADD && rhs->kind == IR_EXPR_MUL && rhs->rhs->kind == IR_EXPR_CONST && rhs->rhs->value == -1;
  bool negative = expr->kind == IR_EXPR_ADD && rhs->kind == IR_EXPR_CONST && rhs->value < 0 && rhs->value != INT64_MIN;
  print_expr(printer, expr->lhs, expr->kind != IR_EXPR_ADD || expr->lhs->kind != IR_EXPR_ADD);
  if (negated || negative) {
    print_text(printer, " - ");
    if (negated)
      print_expr(printer, rhs->lhs, true);
    else
      print_integer(printer, -rhs->value);
  } else {
    print_text(printer, operators[expr->kind]);
    print_expr(printer, rhs, true);
  }
  if (nested)
    print_text(printer, ")");
}

void print_map(ir_printer *printer, const ir_map *map) {
  print_text(printer, "affine_map<(");
  for (unsigned i = 0; i < map->num_dims; i++)
    print_format(printer, i ? ", d%u" : "d%u", i);
  print_text(printer, ")");
  for (unsigned i = 0; i < map->num_syms; i++)
    print_format(printer, i ? ", s%u" : "[s%u", i);
  print_text(printer, map->num_syms ? "] -> (" : " -> (");
  for (unsigned i = 0; i < map->num_results; i++) {
    print_separator(printer, i);
    print_expr(printer, map->results[i], false);
  }
  print_text(printer, ")>");
}

static void print_extent(ir_printer *printer, int64_t extent) {
  if (extent == IR_DYNAMIC)
    print_text(printer, "?");
  else
    print_integer(printer, extent);
}

static void print_layout(ir_printer *printer, const ir_type *type) {
  static const char *const spaces[] = {
      [IR_SPACE_GLOBAL] = NULL,
      [IR_SPACE_WORKGROUP] = "#gpu.address_space<workgroup>",
      [IR_SPACE_PRIVATE] = "#gpu.address_space<private>",
      [IR_SPACE_CONSTANT] = "4",
  };
  if (type->strides) {
    print_text(printer, ", strided<[");
    for (unsigned i = 0; i < type->rank; i++) {
      print_separator(printer, i);
      print_extent(printer, type->strides[i]);
    }
    print_text(printer, "]");
    if (type->offset) {
      print_text(printer, ", offset: ");
      print_extent(printer, type->offset);
    }
    print_text(printer, ">");
  }
  if (spaces[type->space])
    print_format(printer, ", %s", spaces[type->space]);
}

static void print_type_list(ir_printer *printer, unsigned count, const ir_type *const *types) {
  print_text(printer, "(");
  for (unsigned i = 0; i < count; i++) {
    print_separator(printer, i);
    print_type(printer, types[i]);
  }
  print_text(printer, ")");
}

static void print_function_type(ir_printer *printer, const ir_type *type) {
  print_type_list(printer, type->num_inputs, type->inputs);
  print_text(printer, " -> ");
  if (type->num_results == 1 && type->results[0]->kind != IR_TYPE_FUNCTION)
    print_type(printer, type->results[0]);
  else
    print_type_list(printer, type->num_results, type->results);
}

void print_type(ir_printer *printer, const ir_type *type) {
  switch (type->kind) {
  case IR_TYPE_SCALAR:
    print_text(printer, ir_scalar_name(type->element));
    return;
  case IR_TYPE_FUNCTION:
    print_function_type(printer, type);
    return;
  case IR_TYPE_HANDLE:
    print_text(printer, "!transform.any_op");
    return;
  case IR_TYPE_TOKEN:
    print_text(printer, "!nvgpu.device.async.token");
    return;
  case IR_TYPE_TENSOR:
    print_text(printer, "tensor<");
    break;
  case IR_TYPE_VECTOR:
    print_text(printer, "vector<");
    break;
  case IR_TYPE_MEMREF:
    print_text(printer, "memref<");
    break;
  case IR_TYPE_TILE:
    print_text(printer, "!amx.tile<");
    break;
  }
  for (unsigned i = 0; i < type->rank; i++) {
    print_extent(printer, type->shape[i]);
    print_text(printer, "x");
  }
  print_text(printer, ir_scalar_name(type->element));
  if (type->kind == IR_TYPE_MEMREF)
    print_layout(printer, type);
  print_text(printer, ">");
}

/* --------------------------------------------------------------------------------------------------- attributes */

/* The shortest decimal form, of at least 7 digits, that reads back as the value; infinities and NaN as their bits. */
static void print_float(ir_printer *printer, ir_scalar scalar, double value) {
  if (!isfinite(value)) {
    print_format(printer, "0x%0*" PRIX64, (int)ir_scalar_bits(scalar) / 4, ir_float_to_bits(scalar, value));
    return;
  }
  char text[64];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits, value);
    if (ir_scalar_round(scalar, strtod(text, NULL)) == value)
      break;
  }
  print_text(printer, text);
}

static void print_int(ir_printer *printer, ir_scalar scalar, int64_t value) {
  if (scalar == IR_I1)
    print_text(printer, value ? "true" : "false");
  else
    print_integer(printer, value);
}

/* The elements from *next on, nested by the dims from `dim` on. */
static void print_dense_elements(ir_printer *printer, const ir_attr *attr, unsigned dim, unsigned *next) {
  const ir_type *type = attr->type;
  if (dim == type->rank) {
    ir_cell cell = ir_attr_element(attr, (*next)++);
    if (ir_scalar_is_float(type->element))
      print_float(printer, type->element, cell.f);
    else
      print_int(printer, type->element, cell.i);
    return;
  }
  print_text(printer, "[");
  for (int64_t i = 0; i < type->shape[dim]; i++) {
    print_separator(printer, i > 0);
    print_dense_elements(printer, attr, dim + 1, next);
  }
  print_text(printer, "]");
}

void print_dense(ir_printer *printer, const ir_attr *attr, bool typed) {
  unsigned next = 0;
  print_text(printer, "dense<");
  if (attr->count)
    print_dense_elements(printer, attr, attr->count == 1 ? attr->type->rank : 0, &next);
  print_text(printer, typed ? "> : " : ">");
  if (typed)
    print_type(printer, attr->type);
}

static void print_string(ir_printer *printer, const char *text, size_t size) {
  print_text(printer, "\"");
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '\\')
      print_text(printer, "\\\\");
    else if (c < ' ' || c > '~' || c == '"')
      print_format(printer, "\\%02X", c);
    else
      print_format(printer, "%c", c);
  }
  print_text(printer, "\"");
}

/* May the name stand without quotes? */
static bool is_plain_name(const char *name, const char *extra) {
  if (!lex_is_letter(*name))
    return false;
  for (const char *c = name; *c; c++)
    if (!lex_is_letter(*c) && !lex_is_digit(*c) && !strchr(extra, *c))
      return false;
  return true;
}

void print_symbol(ir_printer *printer, const char *name) {
  print_text(printer, "@");
  if (is_plain_name(name, "$.-"))
    print_text(printer, name);
  else
    print_string(printer, name, strlen(name));
}

void print_entry(ir_printer *printer, const ir_named_attr *entry) {
  if (is_plain_name(entry->name, "$."))
    print_text(printer, entry->name);
  else
    print_string(printer, entry->name, strlen(entry->name));
  if (entry->attr->kind != IR_ATTR_UNIT) {
    print_text(printer, " = ");
    print_attr(printer, entry->attr);
  }
}

static void print_dict(ir_printer *printer, unsigned count, const ir_named_attr *entries) {
  print_text(printer, "{");
  for (unsigned i = 0; i < count; i++) {
    print_separator(printer, i);
    print_entry(printer, &entries[i]);
  }
  print_text(printer, "}");
}

/* `elide`: leave out the types that numbers have by default. */
static void print_number(ir_printer *printer, const ir_attr *attr, bool elide) {
  ir_scalar scalar = attr->type->element;
  if (attr->kind == IR_ATTR_FLOAT)
    print_float(printer, scalar, attr->number);
  else
    print_int(printer, scalar, attr->value);
  bool bits = attr->kind == IR_ATTR_FLOAT && !isfinite(attr->number);
  if (scalar == IR_I1 || (elide && (scalar == IR_I64 || (scalar == IR_F64 && !bits))))
    return;
  print_format(printer, " : %s", ir_scalar_name(scalar));
}

static void print_array(ir_printer *printer, const ir_attr *attr) {
  print_text(printer, "[");
  for (unsigned i = 0; i < attr->count; i++) {
    print_separator(printer, i);
    const ir_attr *element = attr->elements[i];
    if (element->kind == IR_ATTR_INT || element->kind == IR_ATTR_FLOAT)
      print_number(printer, element, true);
    else
      print_attr(printer, element);
  }
  print_text(printer, "]");
}

void print_attr(ir_printer *printer, const ir_attr *attr) {
  const char *alias;
  switch (attr->kind) {
  case IR_ATTR_UNIT:
    print_text(printer, "unit");
    return;
  case IR_ATTR_BOOL:
    print_text(printer, attr->value ? "true" : "false");
    return;
  case IR_ATTR_INT:
  case IR_ATTR_FLOAT:
    print_number(printer, attr, false);
    return;
  case IR_ATTR_STRING:
    print_string(printer, attr->string, attr->count);
    return;
  case IR_ATTR_ARRAY:
    print_array(printer, attr);
    return;
  case IR_ATTR_DICT:
    print_dict(printer, attr->count, attr->entries);
    return;
  case IR_ATTR_TYPE:
    print_type(printer, attr->type);
    return;
  case IR_ATTR_MAP:
    if ((alias = print_map_alias(printer, attr->map)))
      print_text(printer, alias);
    else
      print_map(printer, attr->map);
    return;
  case IR_ATTR_SYMBOL:
    print_symbol(printer, attr->string);
    return;
  case IR_ATTR_DENSE:
    print_dense(printer, attr, true);
    return;
  case IR_ATTR_I64S:
    print_format(printer, "array<%s", ir_scalar_name(attr->type->element));
    for (unsigned i = 0; i < attr->count; i++) {
      print_text(printer, i ? ", " : ": ");
      print_int(printer, attr->type->element, attr->ints[i]);
    }
    print_text(printer, ">");
    return;
  case IR_ATTR_KEYWORD:
    print_format(printer, "#%s<%s>", attr->name, attr->string);
    return;
  }
}
