/* lex.h - tokens of the textual form.
 *
 * A token is a view into the source text, which outlives all parsing. The lexer reports its own errors, once, and then
 * yields LEX_ERROR for ever; the parser stays silent on such a token. It always advances or stays at the end, so that
 * lexing a text terminates in time linear in its size. */
#ifndef TEC_IR_LEX_H
#define TEC_IR_LEX_H
#include "ir.h"

/* Punctuation is its own character code: '(', ',', '=' ... */
typedef enum lex_kind {
  LEX_END = 0,
  LEX_ERROR = 256,
  LEX_WORD,    /* arith.addf */
  LEX_VALUE,   /* %0 */
  LEX_BLOCK,   /* ^bb0 */
  LEX_SYMBOL,  /* @name or @"name" */
  LEX_HASH,    /* #map, #1 */
  LEX_BANG,    /* !alias, !dialect.type */
  LEX_INTEGER, /* 12 or 0xFF, without sign */
  LEX_FLOAT,   /* 1.5e-3, without sign */
  LEX_STRING,  /* with its quotes */
  LEX_ARROW,   /* -> */
  LEX_RESOURCES,     /* {-# */
  LEX_RESOURCES_END, /* #-} */
} lex_kind;

typedef struct lex_token {
  int kind;
  const char *text; /* sigils and quotes included */
  size_t size;
} lex_token;

typedef struct lex_state {
  ir_module *module;
  uint32_t source;
  const char *begin, *end, *next; /* the text, and where the next token is searched */
  lex_token token;                /* the current token */
  bool failed;                    /* an error was reported */
} lex_state;

static inline bool lex_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool lex_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Starts at the beginning of a registered source text (ir_module_add_source); reads the first token. */
void lex_start(lex_state *lex, ir_module *module, uint32_t source);
/* Makes the next token the current one. */
void lex_advance(lex_state *lex);
/* Goes on reading at `position` inside the text: for `4x8xf32`, which is not made of ordinary tokens. */
void lex_restart(lex_state *lex, const char *position);
ir_loc lex_loc_of(const lex_state *lex, const char *position);
/* The bytes of a string or quoted symbol token with escapes resolved, in the module's arena, NUL-terminated. */
const char *lex_string(lex_state *lex, lex_token token, size_t *size);
/* The value of an integer token; false when it does not fit in 64 bits. */
bool lex_integer(lex_token token, uint64_t *value);
/* The value of a float token. */
double lex_float(lex_token token);
/* Is the token an integer written in hexadecimal? */
bool lex_is_hex(lex_token token);
bool lex_is(lex_token token, const char *text);
/* Two digits each; false where others are there. */
bool lex_hex_bytes(const char *digits, size_t count, uint8_t *bytes);
#endif
