/* row.c - see row.h. Terminates: columns of op.def and attr.def are walked once. */
#include "row.h"

#include "format.h"

#include <assert.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- counts */

static const char *plural(unsigned count) { return count == 1 ? "" : "s"; }

static bool check_operands(const row_subject *subject) {
  const char *at = subject->info->operands;
  format_word word;
  for (unsigned i = 0; format_next_word(&at, &word); i++)
    if (word.mark == '?' ? subject->groups[i] > 1 : word.mark != '*' && subject->groups[i] != 1)
      return ir_error(subject->module, subject->loc, "'%s' expects %s operand '%.*s', found %u", subject->info->name,
                      word.mark ? "at most one" : "one", (int)word.size, word.text, subject->groups[i]);
  return true;
}

static bool check_results(const row_subject *subject) {
  const char *at = subject->info->results;
  unsigned least = 0, optional = 0, count = subject->num_results;
  bool any = false;
  for (format_word word; format_next_word(&at, &word);) {
    least += !word.mark;
    optional += word.mark == '?';
    any |= word.mark == '*';
  }
  unsigned most = least + optional;
  if (count >= least && (any || count <= most))
    return true;
  unsigned wanted = count < least ? least : most;
  return ir_error(subject->module, subject->loc, "'%s' gives %s%u result%s, but its type has %u", subject->info->name,
                  any || optional ? (count < least ? "at least " : "at most ") : "", wanted, plural(wanted), count);
}

unsigned row_num_results(const ir_op_info *info) {
  const char *at = info->results;
  unsigned count = 0;
  for (format_word word; format_next_word(&at, &word);)
    count++;
  return count;
}

bool row_check_counts(const row_subject *subject) {
  unsigned regions = subject->info->regions;
  return check_operands(subject) && check_results(subject) &&
         (subject->num_regions == regions ||
          ir_error(subject->module, subject->loc, "'%s' has %u region%s, found %u", subject->info->name, regions,
                   plural(regions), subject->num_regions));
}

/* ------------------------------------------------------------------------------------------------------ attributes */

static const attr_row attr_rows[] = {
#define ATTR(NAME, FORM, DETAIL) {#NAME, DETAIL, FORM_##FORM},
#include "attr.def"
#undef ATTR
};

static const char *const form_names[] = {
    [FORM_UNIT] = "a unit attribute",
    [FORM_BOOL] = "true or false",
    [FORM_INT] = "an integer of type ",
    [FORM_DIMENSION] = "an i64 or #gpu<dim ..>",
    [FORM_INTS] = "integers as array<..> of type ",
    [FORM_INT_ARRAY] = "a list of integers",
    [FORM_INT_ARRAYS] = "a list of lists of integers",
    [FORM_BOOL_ARRAY] = "a list of true and false",
    [FORM_STRING] = "a string",
    [FORM_STRINGS] = "a list of strings",
    [FORM_VISIBILITY] = "\"private\", \"nested\" or \"public\"",
    [FORM_SYMBOL] = "a symbol",
    [FORM_TYPE] = "a type",
    [FORM_TYPED] = "a number or a dense constant",
    [FORM_DENSE] = "a dense constant",
    [FORM_MAP] = "an affine map",
    [FORM_MAPS] = "a list of affine maps",
    [FORM_KEYWORD] = "a keyword of ",
    [FORM_KEYWORDS] = "a list of keywords",
    [FORM_DICT] = "a dictionary",
    [FORM_DICTS] = "a list of dictionaries",
};

const attr_row *row_find_attr(const char *name, size_t size) {
  for (unsigned i = 0; i < sizeof attr_rows / sizeof *attr_rows; i++)
    if (format_is_name(attr_rows[i].name, name, size))
      return &attr_rows[i];
  assert(!"each inherent attribute of op.def has a row in attr.def");
  return NULL;
}

static bool all_of(const ir_attr *attr, ir_attr_kind kind) {
  for (unsigned i = 0; attr->kind == IR_ATTR_ARRAY && i < attr->count; i++)
    if (attr->elements[i]->kind != kind)
      return false;
  return attr->kind == IR_ATTR_ARRAY;
}

static bool has_form(const ir_attr *attr, const attr_row *row) {
  switch (row->form) {
  case FORM_UNIT:
    return attr->kind == IR_ATTR_UNIT;
  case FORM_BOOL:
    return attr->kind == IR_ATTR_BOOL;
  case FORM_INT:
    return attr->kind == IR_ATTR_INT && !strcmp(ir_scalar_name(attr->type->element), row->detail);
  case FORM_DIMENSION:
    return (attr->kind == IR_ATTR_INT && attr->type->element == IR_I64) ||
           (attr->kind == IR_ATTR_KEYWORD && !strcmp(attr->name, "gpu"));
  case FORM_INTS:
    return attr->kind == IR_ATTR_I64S && !strcmp(ir_scalar_name(attr->type->element), row->detail);
  case FORM_INT_ARRAY:
    return all_of(attr, IR_ATTR_INT);
  case FORM_INT_ARRAYS:
    for (unsigned i = 0; attr->kind == IR_ATTR_ARRAY && i < attr->count; i++)
      if (!all_of(attr->elements[i], IR_ATTR_INT))
        return false;
    return attr->kind == IR_ATTR_ARRAY;
  case FORM_BOOL_ARRAY:
    return all_of(attr, IR_ATTR_BOOL);
  case FORM_STRING:
    return attr->kind == IR_ATTR_STRING;
  case FORM_STRINGS:
    return all_of(attr, IR_ATTR_STRING);
  case FORM_VISIBILITY:
    return attr->kind == IR_ATTR_STRING &&
           (!strcmp(attr->string, "private") || !strcmp(attr->string, "nested") || !strcmp(attr->string, "public"));
  case FORM_SYMBOL:
    return attr->kind == IR_ATTR_SYMBOL;
  case FORM_TYPE:
    return attr->kind == IR_ATTR_TYPE;
  case FORM_TYPED:
    return attr->kind == IR_ATTR_INT || attr->kind == IR_ATTR_FLOAT || attr->kind == IR_ATTR_DENSE;
  case FORM_DENSE:
    return attr->kind == IR_ATTR_DENSE;
  case FORM_MAP:
    return attr->kind == IR_ATTR_MAP;
  case FORM_MAPS:
    return all_of(attr, IR_ATTR_MAP);
  case FORM_KEYWORD:
    return attr->kind == IR_ATTR_KEYWORD && !strcmp(attr->name, row->detail);
  case FORM_KEYWORDS:
    return all_of(attr, IR_ATTR_KEYWORD);
  case FORM_DICT:
    return attr->kind == IR_ATTR_DICT;
  case FORM_DICTS:
    return all_of(attr, IR_ATTR_DICT);
  }
  return false;
}

static const ir_attr *find_attr(const row_subject *subject, const format_word *word) {
  for (unsigned i = 0; i < subject->num_attrs; i++)
    if (format_is_name(subject->attrs[i].name, word->text, word->size))
      return subject->attrs[i].attr;
  return NULL;
}

/* An attribute that the op does not know, perhaps a misspelt one; NULL if there is none. What has a dialect's name in
 * front may be on any op. */
static const char *unknown_attr(const row_subject *subject) {
  for (unsigned i = 0; i < subject->num_attrs; i++) {
    const char *name = subject->attrs[i].name;
    if (!strchr(name, '.') && !format_find_word(subject->info->attrs, name, strlen(name), NULL, NULL))
      return name;
  }
  return NULL;
}

static bool missing_attr(const row_subject *subject, const format_word *word) {
  const char *unknown = unknown_attr(subject);
  return ir_error(subject->module, subject->loc, "'%s' requires attribute '%.*s'%s%s%s", subject->info->name,
                  (int)word->size, word->text, unknown ? "; '" : "", unknown ? unknown : "",
                  unknown ? "' is none of its attributes" : "");
}

bool row_check_attrs(const row_subject *subject) {
  const char *at = subject->info->attrs;
  for (format_word word; format_next_word(&at, &word);) {
    const ir_attr *attr = find_attr(subject, &word);
    if (!attr && word.mark)
      continue;
    if (!attr)
      return missing_attr(subject, &word);
    const attr_row *row = row_find_attr(word.text, word.size);
    if (!has_form(attr, row))
      return ir_error(subject->module, subject->loc, "attribute '%s' of '%s' must be %s%s", row->name,
                      subject->info->name, form_names[row->form], row->detail);
  }
  return true;
}
