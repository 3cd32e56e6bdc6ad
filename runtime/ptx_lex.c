/* ptx_lex.c - tokens of PTX text and the parser's errors. Terminates: every token consumes at least one byte. */
#include "runtime/ptx_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of a line, not NUL-terminated. It may be malformed, so it is cut to what is printable and short. */
static const char *line_text(const ptx_module *module, uint32_t line, int *length) {
  const char *at = module->text, *end = module->text + module->size;
  for (uint32_t i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  const char *stop = at;
  while (stop < end && stop - at < 120 && ((*stop >= ' ' && *stop < 127) || *stop == '\t'))
    stop++;
  *length = (int)(stop - at);
  return at;
}

bool ptx_fail(ptx_parser *parser, const char *format, ...) {
  if (parser->failed)
    return false;
  parser->failed = true;
  parser->status = TEC_INVALID;
  char reason[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  uint32_t line = parser->token.line ? parser->token.line : 1;
  int length;
  const char *text = line_text(parser->module, line, &length);
  snprintf(parser->message->text, sizeof parser->message->text, "PTX line %u: %s: `%.*s`", line, reason, length, text);
  return false;
}

bool ptx_fail_memory(ptx_parser *parser) {
  ptx_fail(parser, "out of memory");
  parser->status = TEC_OUT_OF_MEMORY;
  return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* Skips blanks and comments; an open comment is an error. */
static void skip_blanks(ptx_parser *parser) {
  while (parser->next < parser->end) {
    size_t left = (size_t)(parser->end - parser->next);
    char c = *parser->next;
    if (c == '\n') {
      parser->line++;
      parser->next++;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      parser->next++;
    } else if (left >= 2 && c == '/' && parser->next[1] == '/') {
      while (parser->next < parser->end && *parser->next != '\n')
        parser->next++;
    } else if (left >= 2 && c == '/' && parser->next[1] == '*') {
      const char *close = parser->next + 2;
      while (close + 1 < parser->end && !(close[0] == '*' && close[1] == '/'))
        parser->line += *close++ == '\n';
      if (close + 1 >= parser->end) {
        ptx_fail(parser, "comment without end");
        return;
      }
      parser->next = close + 2;
    } else {
      return;
    }
  }
}

static int digit_value(char c) {
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool read_digits(ptx_token *token, uint32_t first, uint32_t end, unsigned base) {
  uint64_t value = 0;
  for (uint32_t i = first; i < end; i++) {
    unsigned digit = (unsigned)digit_value(token->text[i]);
    if (digit >= base || value > (UINT64_MAX - digit) / base)
      return false;
    value = value * base + digit;
  }
  token->bits = value;
  return end > first;
}

/* 12, 12U, 0x1f, 0b101, 017, and floats as their bits: 0f3F800000, 0d3FF0000000000000. */
static bool read_number(ptx_token *token) {
  uint32_t length = token->length;
  char prefix = length > 1 && token->text[0] == '0' ? token->text[1] : 0;
  if (prefix == 'f' || prefix == 'F' || prefix == 'd' || prefix == 'D') {
    token->float_bits = prefix == 'f' || prefix == 'F' ? 32 : 64;
    return length == 2u + token->float_bits / 4u && read_digits(token, 2, length, 16);
  }
  if (token->text[length - 1] == 'U')
    length--;
  if (prefix == 'x' || prefix == 'X')
    return read_digits(token, 2, length, 16);
  if (prefix == 'b' || prefix == 'B')
    return read_digits(token, 2, length, 2);
  return read_digits(token, 0, length, prefix && is_digit(prefix) ? 8 : 10);
}

static uint32_t word_length(const char *text, const char *end) {
  const char *at = text;
  while (at < end) {
    if (is_word(*at))
      at++;
    else if (at > text && end - at > 2 && at[0] == ':' && at[1] == ':' && is_word(at[2]))
      at += 2;
    else
      break;
  }
  return (uint32_t)(at - text);
}

void ptx_advance(ptx_parser *parser) {
  if (parser->failed)
    return;
  skip_blanks(parser);
  ptx_token *token = &parser->token;
  *token = (ptx_token){.kind = TOKEN_END, .text = parser->next, .line = parser->line};
  if (parser->failed || parser->next >= parser->end)
    return;
  char c = *parser->next;
  if (is_word(c)) {
    token->kind = is_digit(c) ? TOKEN_NUMBER : TOKEN_WORD;
    token->length = word_length(parser->next, parser->end);
    if (token->kind == TOKEN_NUMBER && memchr(token->text, '.', token->length))
      token->kind = TOKEN_STRING; /* a version: numbers of kernels are not written with a point */
    else if (token->kind == TOKEN_NUMBER && !read_number(token))
      ptx_fail(parser, "malformed number");
  } else if (c == '"') {
    const char *close = parser->next + 1;
    while (close < parser->end && *close != '"' && *close != '\n')
      close++;
    if (close >= parser->end || *close != '"') {
      ptx_fail(parser, "string without end");
      return;
    }
    token->kind = TOKEN_STRING;
    token->length = (uint32_t)(close + 1 - parser->next);
  } else {
    token->kind = TOKEN_CHARACTER;
    token->length = 1;
  }
  parser->next += token->length;
}

bool ptx_at(const ptx_parser *parser, char character) {
  return !parser->failed && parser->token.kind == TOKEN_CHARACTER && *parser->token.text == character;
}

bool ptx_take(ptx_parser *parser, char character) {
  bool found = ptx_at(parser, character);
  if (found)
    ptx_advance(parser);
  return found && !parser->failed;
}

bool ptx_expect(ptx_parser *parser, char character) {
  return ptx_take(parser, character) || ptx_fail(parser, "expected '%c'", character);
}

bool ptx_same(const char *name, uint32_t length, const char *other, uint32_t other_length) {
  return length == other_length && memcmp(name, other, length) == 0;
}

bool ptx_word_is(const ptx_parser *parser, const char *word) {
  return !parser->failed && parser->token.kind == TOKEN_WORD &&
         ptx_same(parser->token.text, parser->token.length, word, (uint32_t)strlen(word));
}

bool ptx_take_word(ptx_parser *parser, const char *word) {
  bool found = ptx_word_is(parser, word);
  if (found)
    ptx_advance(parser);
  return found && !parser->failed;
}

bool ptx_integer(ptx_parser *parser, int64_t *value) {
  bool negative = ptx_take(parser, '-');
  if (parser->failed || parser->token.kind != TOKEN_NUMBER || parser->token.float_bits)
    return ptx_fail(parser, "expected an integer");
  *value = (int64_t)(negative ? 0 - parser->token.bits : parser->token.bits);
  ptx_advance(parser);
  return !parser->failed;
}

void ptx_statement(const ptx_module *module, const ptx_instruction *instruction, char text[PTX_STATEMENT_BYTES]) {
  const char *at = module->text + instruction->mnemonic, *end = module->text + module->size;
  size_t length = 0;
  if (!instruction->mnemonic_length) /* the end of a body */
    at = end;
  for (; at < end && *at != ';' && length + 2 < PTX_STATEMENT_BYTES; at++) {
    char c = *at > ' ' && *at < 127 ? *at : ' ';
    if (c != ' ' || (length && text[length - 1] != ' '))
      text[length++] = c;
  }
  text[length++] = ';';
  text[length] = 0;
}
