/* format.c - see format.h. */
#include "format.h"

#include <assert.h>
#include <string.h>

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

bool format_next_word(const char **at, format_word *word) {
  const char *start = *at ? *at + strspn(*at, " ") : "";
  if (!*start)
    return false;
  size_t size = strcspn(start, " "), name = strcspn(start, " ?*=");
  *word = (format_word){.text = start, .size = name, .mark = name < size ? start[name] : 0};
  if (word->mark == '=') {
    word->value = start + name + 1;
    word->value_size = size - name - 1;
  }
  *at = start + size;
  return true;
}

bool format_find_word(const char *words, const char *name, size_t size, format_word *word, unsigned *index) {
  format_word found;
  for (unsigned i = 0; format_next_word(&words, &found); i++)
    if (found.size == size && !memcmp(found.text, name, size)) {
      if (word)
        *word = found;
      if (index)
        *index = i;
      return true;
    }
  return false;
}

/* Reads `$name` at *at; returns which column has it. */
static format_kind read_variable(const ir_op_info *info, const char **at, format_element *element) {
  assert(**at == '$');
  const char *name = *at + 1;
  size_t size = strspn(name, NAME_CHARACTERS);
  *at = name + size;
  element->text = name;
  element->size = size;
  if (format_find_word(info->operands, name, size, NULL, &element->index))
    return FORMAT_OPERAND;
  if (format_find_word(info->results, name, size, NULL, &element->index))
    return FORMAT_TYPE_OF_RESULT;
  assert(format_find_word(info->attrs, name, size, NULL, NULL));
  return FORMAT_ATTRIBUTE;
}

static bool skip_prefix(const char **at, const char *prefix) {
  size_t size = strlen(prefix);
  if (strncmp(*at, prefix, size))
    return false;
  *at += size;
  return true;
}

/* Reads the element at *at, blanks and an anchor mark around it included. */
static format_element read_element(const ir_op_info *info, const char **at, bool *is_anchor) {
  format_element element = {.kind = FORMAT_END}, second;
  *at += strspn(*at, " ");
  if (!**at)
    return element;
  if (**at == '`') {
    element.text = *at + 1;
    element.size = strcspn(element.text, "`");
    element.kind = element.size ? FORMAT_LITERAL : FORMAT_TIGHT;
    *at = element.text + element.size + 1;
  } else if (**at == '$') {
    element.kind = read_variable(info, at, &element);
  } else if (skip_prefix(at, "keyword(")) {
    read_variable(info, at, &element);
    element.kind = FORMAT_KEYWORD;
    element.of = *at + strspn(*at, ", ");
    element.of_size = strcspn(element.of, ")");
    *at = element.of + element.of_size + 1;
  } else if (skip_prefix(at, "attr-dict")) {
    element.kind = FORMAT_ATTR_DICT;
  } else if (skip_prefix(at, "functional-type(")) {
    read_variable(info, at, &element);
    *at += strspn(*at, ", ");
    read_variable(info, at, &second);
    element.kind = FORMAT_FUNCTIONAL_TYPE;
    ++*at;
  } else if (skip_prefix(at, "mixed(")) {
    read_variable(info, at, &element);
    *at += strspn(*at, ", ");
    read_variable(info, at, &second);
    element.kind = FORMAT_MIXED;
    element.text = second.text;
    element.size = second.size;
    ++*at;
  } else {
    bool is_type = skip_prefix(at, "type(");
    assert(is_type);
    (void)is_type;
    element.kind = read_variable(info, at, &element) == FORMAT_OPERAND ? FORMAT_TYPE_OF_OPERAND : FORMAT_TYPE_OF_RESULT;
    ++*at;
  }
  if (**at == '^') {
    ++*at;
    if (is_anchor)
      *is_anchor = true;
  }
  return element;
}

/* Runs the elements of an optional group, from after its '(', if it is present; leaves *at behind its `)?`. */
static bool run_group(const ir_op_info *info, const char **at, const format_visitor *visitor) {
  const char *start = *at;
  format_element first = {.kind = FORMAT_END}, anchor = first;
  for (unsigned i = 0; **at != ')'; i++) {
    bool is_anchor = false;
    format_element element = read_element(info, at, &is_anchor);
    if (!i)
      first = element;
    if (is_anchor)
      anchor = element;
    *at += strspn(*at, " ");
  }
  assert((*at)[1] == '?' && anchor.kind != FORMAT_END);
  *at += 2;
  if (!visitor->present(visitor->data, &first, &anchor))
    return true;
  for (const char *inner = start; *inner != ')'; inner += strspn(inner, " ")) {
    format_element element = read_element(info, &inner, NULL);
    if (!visitor->element(visitor->data, &element))
      return false;
  }
  return true;
}

bool format_run(const ir_op_info *info, const format_visitor *visitor) {
  for (const char *at = info->format;;) {
    at += strspn(at, " ");
    if (*at == '(') {
      at++;
      if (!run_group(info, &at, visitor))
        return false;
      continue;
    }
    format_element element = read_element(info, &at, NULL);
    if (element.kind == FORMAT_END)
      return true;
    if (!visitor->element(visitor->data, &element))
      return false;
  }
}

bool format_names_attribute(const ir_op_info *info, const char *name) {
  size_t size = strlen(name);
  for (const char *at = info->format; at && (at = strchr(at, '$')); at++)
    if (!strncmp(at + 1, name, size) && (!at[1 + size] || !strchr(NAME_CHARACTERS, at[1 + size])))
      return true;
  return false;
}
