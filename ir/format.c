/* format.c - see format.h. Each op that is read or printed comes by here several times, so the few characters of a word
 * are looked at one by one: to begin the C library's searches takes longer. */
#include "format.h"
#include "lex.h"

#include <assert.h>
#include <string.h>

static const char *skip(const char *at, bool (*skips)(char character)) {
  while (*at && skips(*at))
    at++;
  return at;
}

static bool is_blank(char character) { return character == ' '; }
static bool is_comma_or_blank(char character) { return character == ',' || character == ' '; }
static bool is_of_name(char character) { return lex_is_letter(character) || lex_is_digit(character); }

bool format_next_word(const char **at, format_word *word) {
  const char *start = *at ? skip(*at, is_blank) : "", *end = start;
  while (*end && *end != ' ' && *end != '?' && *end != '*' && *end != '=')
    end++;
  if (!*start)
    return false;
  *word = (format_word){.text = start, .size = (size_t)(end - start), .mark = *end == ' ' ? 0 : *end};
  const char *value = end;
  while (*end && *end != ' ')
    end++;
  if (word->mark == '=') {
    word->value = value + 1;
    word->value_size = (size_t)(end - value - 1);
  }
  *at = end;
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
  *at = skip(name, is_of_name);
  size_t size = (size_t)(*at - name);
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
  const char *behind = *at;
  for (; *prefix; prefix++, behind++)
    if (*behind != *prefix)
      return false;
  *at = behind;
  return true;
}

/* Reads the element at *at, blanks and an anchor mark around it included. */
static format_element read_element(const ir_op_info *info, const char **at, bool *is_anchor) {
  format_element element = {.kind = FORMAT_END}, second;
  *at = skip(*at, is_blank);
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
    element.of = skip(*at, is_comma_or_blank);
    element.of_size = strcspn(element.of, ")");
    *at = element.of + element.of_size + 1;
  } else if (skip_prefix(at, "unit(")) {
    read_variable(info, at, &element);
    element.kind = FORMAT_UNIT;
    ++*at;
  } else if (skip_prefix(at, "word(")) {
    read_variable(info, at, &element);
    element.kind = FORMAT_WORD;
    ++*at;
  } else if (skip_prefix(at, "attr-dict")) {
    element.kind = FORMAT_ATTR_DICT;
  } else if (skip_prefix(at, "region")) {
    element.kind = FORMAT_REGION;
  } else if (skip_prefix(at, "functional-type(")) {
    read_variable(info, at, &element);
    *at = skip(*at, is_comma_or_blank);
    read_variable(info, at, &second);
    element.kind = FORMAT_FUNCTIONAL_TYPE;
    ++*at;
  } else if (skip_prefix(at, "mixed(")) {
    read_variable(info, at, &element);
    *at = skip(*at, is_comma_or_blank);
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
  while (**at != ')') {
    bool is_anchor = false;
    format_element element = read_element(info, at, &is_anchor);
    if (first.kind == FORMAT_END && element.kind != FORMAT_TIGHT)
      first = element;
    if (is_anchor)
      anchor = element;
    *at = skip(*at, is_blank);
  }
  assert((*at)[1] == '?' && anchor.kind != FORMAT_END);
  *at += 2;
  if (!visitor->present(visitor->data, &first, &anchor))
    return true;
  for (const char *inner = start; *inner != ')'; inner = skip(inner, is_blank)) {
    format_element element = read_element(info, &inner, NULL);
    if (!visitor->element(visitor->data, &element))
      return false;
  }
  return true;
}

bool format_run(const ir_op_info *info, const format_visitor *visitor) {
  for (const char *at = info->format;;) {
    at = skip(at, is_blank);
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
    if (!strncmp(at + 1, name, size) && !is_of_name(at[1 + size]))
      return true;
  return false;
}
