/* lex.c - see lex.h. Characters are classified by hand: the text is bytes and no locale may change its meaning. */
#include "lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) { return lex_is_letter(c) || lex_is_digit(c) || c == '$' || c == '.'; }

/* Its value, or -1. */
static int hex_digit(char c) {
  if (lex_is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool lex_hex_bytes(const char *digits, size_t count, uint8_t *bytes) {
  int8_t value_of[UINT8_MAX + 1]; /* constants come by the hundred megabytes */
  for (int c = 0; c <= UINT8_MAX; c++)
    value_of[c] = (int8_t)hex_digit((char)c);
  int wrong = 0;
  for (size_t i = 0; i < count; i++) {
    int high = value_of[(uint8_t)digits[2 * i]], low = value_of[(uint8_t)digits[2 * i + 1]];
    wrong |= high | low;
    bytes[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
  }
  return wrong >= 0;
}

ir_loc lex_loc_of(const lex_state *lex, const char *position) {
  return (ir_loc){.source = lex->source, .offset = (uint32_t)(position - lex->begin)};
}

static void set_token(lex_state *lex, int kind, const char *start, const char *end) {
  lex->token = (lex_token){.kind = kind, .text = start, .size = (size_t)(end - start)};
  lex->next = end;
}

static void set_error(lex_state *lex, const char *at, const char *message) {
  if (!lex->failed)
    ir_error(lex->module, lex_loc_of(lex, at), "%s", message);
  lex->failed = true;
  lex->token = (lex_token){.kind = LEX_ERROR, .text = at};
  lex->next = at;
}

/* The first byte from `position` on that is neither blank nor in a comment. */
static const char *skip_blanks(const lex_state *lex, const char *position) {
  for (; position < lex->end; position++) {
    char c = *position;
    if (c == '/' && lex->end - position > 1 && position[1] == '/') {
      const char *newline = memchr(position, '\n', (size_t)(lex->end - position));
      if (!newline)
        return lex->end;
      position = newline;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      break;
    }
  }
  return position;
}

/* The end of the string that starts at `start`, or NULL after reporting. */
static const char *string_end(lex_state *lex, const char *start) {
  for (const char *c = start + 1; c < lex->end && *c != '\n'; c++) {
    if (*c == '"')
      return c + 1;
    if (*c != '\\')
      continue;
    ptrdiff_t left = lex->end - c;
    if (left > 1 && (c[1] == '"' || c[1] == '\\' || c[1] == 'n' || c[1] == 't')) {
      c++;
    } else if (left > 2 && hex_digit(c[1]) >= 0 && hex_digit(c[2]) >= 0) {
      c += 2;
    } else {
      set_error(lex, c, "unknown escape in a string: expected \\n, \\t, \\\", \\\\ or two hexadecimal digits");
      return NULL;
    }
  }
  set_error(lex, start, "this string has no closing '\"'");
  return NULL;
}

static void lex_number(lex_state *lex, const char *start) {
  const char *end = start;
  if (*end == '0' && lex->end - end > 2 && end[1] == 'x' && hex_digit(end[2]) >= 0) {
    for (end += 2; end < lex->end && hex_digit(*end) >= 0; end++)
      continue;
    set_token(lex, LEX_INTEGER, start, end);
    return;
  }
  while (end < lex->end && lex_is_digit(*end))
    end++;
  if (end == lex->end || *end != '.') {
    set_token(lex, LEX_INTEGER, start, end);
    return;
  }
  for (end++; end < lex->end && lex_is_digit(*end); end++)
    continue;
  if (end < lex->end && (*end == 'e' || *end == 'E')) {
    const char *exponent = end + 1;
    if (exponent < lex->end && (*exponent == '+' || *exponent == '-'))
      exponent++;
    if (exponent < lex->end && lex_is_digit(*exponent)) {
      for (end = exponent; end < lex->end && lex_is_digit(*end); end++)
        continue;
    }
  }
  set_token(lex, LEX_FLOAT, start, end);
}

/* A name after a sigil: all digits, or letters, digits and `$._-` that do not start with a digit. */
static void lex_prefixed(lex_state *lex, int kind, const char *start) {
  const char *end = start + 1;
  if (end < lex->end && lex_is_digit(*end)) {
    while (end < lex->end && lex_is_digit(*end))
      end++;
  } else {
    while (end < lex->end && (is_word(*end) || *end == '-'))
      end++;
  }
  if (end == start + 1)
    set_error(lex, start, "expected a name after this character");
  else
    set_token(lex, kind, start, end);
}

/* A token of which the character at `start` only is the first; false where it stands for itself. */
static bool lex_marked(lex_state *lex, const char *start) {
  const char *end;
  switch (*start) {
  case '%':
    lex_prefixed(lex, LEX_VALUE, start);
    return true;
  case '^':
    lex_prefixed(lex, LEX_BLOCK, start);
    return true;
  case '{':
    if (lex->end - start > 2 && start[1] == '-' && start[2] == '#') {
      set_token(lex, LEX_RESOURCES, start, start + 3);
      return true;
    }
    break;
  case '#':
    if (lex->end - start > 2 && start[1] == '-' && start[2] == '}') {
      set_token(lex, LEX_RESOURCES_END, start, start + 3);
      return true;
    }
    lex_prefixed(lex, LEX_HASH, start);
    return true;
  case '!':
    lex_prefixed(lex, LEX_BANG, start);
    return true;
  case '@':
    if (lex->end - start < 2 || start[1] != '"')
      lex_prefixed(lex, LEX_SYMBOL, start);
    else if ((end = string_end(lex, start + 1)))
      set_token(lex, LEX_SYMBOL, start, end);
    return true;
  case '"':
    if ((end = string_end(lex, start)))
      set_token(lex, LEX_STRING, start, end);
    return true;
  case '-':
    if (lex->end - start > 1 && start[1] == '>') {
      set_token(lex, LEX_ARROW, start, start + 2);
      return true;
    }
    break;
  }
  return false;
}

void lex_advance(lex_state *lex) {
  if (lex->failed)
    return;
  const char *start = skip_blanks(lex, lex->next);
  if (start == lex->end) {
    set_token(lex, LEX_END, start, start);
    return;
  }
  char c = *start;
  if (lex_is_letter(c)) {
    const char *end = start + 1;
    while (end < lex->end && is_word(*end))
      end++;
    set_token(lex, LEX_WORD, start, end);
    return;
  }
  if (lex_is_digit(c)) {
    lex_number(lex, start);
    return;
  }
  if (lex_marked(lex, start))
    return;
  if (c && strchr("()[]{}<>,:=?*+-", c)) {
    set_token(lex, c, start, start + 1);
    return;
  }
  char message[40];
  snprintf(message, sizeof message, c > ' ' && c < 0x7f ? "unexpected character '%c'" : "unexpected byte 0x%02x",
           (unsigned char)c);
  set_error(lex, start, message);
}

void lex_start(lex_state *lex, ir_module *module, uint32_t source) {
  const ir_source *text = &module->sources[source - 1];
  *lex = (lex_state){
      .module = module, .source = source, .begin = text->text, .end = text->text + text->size, .next = text->text};
  lex_advance(lex);
}

void lex_restart(lex_state *lex, const char *position) {
  if (lex->failed)
    return;
  lex->next = position;
  lex_advance(lex);
}

const char *lex_string(lex_state *lex, lex_token token, size_t *size) {
  const char *c = token.text, *end = token.text + token.size;
  if (token.kind == LEX_SYMBOL)
    c++;
  if (*c != '"') { /* a plain @name */
    *size = (size_t)(end - c);
    return ir_intern(lex->module, c, *size);
  }
  c++;
  end--;
  char *bytes = ir_arena_alloc(&lex->module->arena, (size_t)(end - c) + 1);
  size_t count = 0;
  while (c < end) {
    if (*c != '\\') {
      bytes[count++] = *c++;
    } else if (hex_digit(c[1]) >= 0) {
      bytes[count++] = (char)(hex_digit(c[1]) * 16 + hex_digit(c[2]));
      c += 3;
    } else {
      bytes[count++] = c[1] == 'n' ? '\n' : c[1] == 't' ? '\t' : c[1];
      c += 2;
    }
  }
  *size = count;
  return bytes;
}

bool lex_is_hex(lex_token token) { return token.size > 2 && token.text[1] == 'x'; }

bool lex_integer(lex_token token, uint64_t *value) {
  bool hex = lex_is_hex(token);
  uint64_t base = hex ? 16 : 10, sum = 0;
  for (size_t i = hex ? 2 : 0; i < token.size; i++) {
    uint64_t digit = (uint64_t)hex_digit(token.text[i]);
    if (sum > (UINT64_MAX - digit) / base)
      return false;
    sum = sum * base + digit;
  }
  *value = sum;
  return true;
}

/* strtod wants a terminated string and may follow a locale's decimal point; the module's copy of the text ends with a
 * NUL, and the library never calls setlocale. A float token is followed by a byte that cannot continue the number. */
double lex_float(lex_token token) { return strtod(token.text, NULL); }

bool lex_is(lex_token token, const char *text) {
  return token.size == strlen(text) && !memcmp(token.text, text, token.size);
}
