/* ptx_parse.h - what the parser of PTX's declarations (ptx_parse.c) and of its instructions (ptx_decode.c) share.
 *
 * The first error fills the message and sets `failed`; after it the tokens stay where they are and every function of
 * the parser fails at once, so that no error is reported twice. */
#ifndef TEC_RUNTIME_PTX_PARSE_H
#define TEC_RUNTIME_PTX_PARSE_H
#include "runtime/ptx_code.h"

typedef enum ptx_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHARACTER } ptx_token_kind;

/* A word is letters, digits and _ $ % . :: ; a number has its value; other characters stand alone. */
typedef struct ptx_token {
  ptx_token_kind kind;
  const char *text;
  uint32_t length, line;
  uint64_t bits; /* of a number: an integer, or the bits of a float of float_bits */
  uint8_t float_bits;
} ptx_token;

typedef enum ptx_symbol_kind {
  SYMBOL_REGISTER,
  SYMBOL_VARIABLE,
  SYMBOL_PARAMETER,
  SYMBOL_LABEL,
  SYMBOL_TABLE
} ptx_symbol_kind;

/* A name that is visible from its declaration to the end of its scope. */
typedef struct ptx_symbol {
  const char *name;
  uint32_t length;
  uint8_t kind, space, file;
  uint8_t bits;   /* of a register */
  uint32_t count; /* of `%r<N>`: N registers; otherwise 0 */
  uint32_t scope;
  uint64_t value; /* register: offset in its file; variable: address; label: instruction; table: first target */
  uint32_t size;  /* of a variable; of a table: targets */
} ptx_symbol;

/* A jump to a label that is resolved at the end of the function. */
typedef struct ptx_fixup {
  const char *name;
  uint32_t length, scope, line;
  bool in_table; /* place is a number in the table of targets, otherwise of an instruction */
  uint32_t place;
} ptx_fixup;

typedef struct ptx_parser {
  ptx_module *module;
  ptx_message *message;
  tec_status status;
  bool failed;
  const char *next, *end; /* what is not yet read */
  uint32_t line;
  ptx_token token;   /* the current one */
  uint32_t function; /* the current one, an index */
  bool in_function;
  uint32_t scope;    /* the current one; 0: the module */
  uint32_t *parents; /* of scopes */
  uint32_t num_scopes, capacity_scopes;
  ptx_symbol *symbols;
  uint32_t num_symbols, capacity_symbols;
  ptx_fixup *fixups;
  uint32_t num_fixups, capacity_fixups;
  uint32_t shared_top; /* past all static shared variables so far */
} ptx_parser;

bool ptx_fail(ptx_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ptx_fail_memory(ptx_parser *parser);
void ptx_advance(ptx_parser *parser);
bool ptx_at(const ptx_parser *parser, char character);
/* Takes a character if it is next. */
bool ptx_take(ptx_parser *parser, char character);
bool ptx_expect(ptx_parser *parser, char character);
bool ptx_word_is(const ptx_parser *parser, const char *word);
bool ptx_take_word(ptx_parser *parser, const char *word);
/* An integer, perhaps with a sign. */
bool ptx_integer(ptx_parser *parser, int64_t *value);
/* The visible symbol of a name; for a range, *number is which of its registers. NULL if there is none. */
const ptx_symbol *ptx_find(const ptx_parser *parser, const char *name, uint32_t length, uint32_t *number);
bool ptx_same(const char *name, uint32_t length, const char *other, uint32_t other_length);
/* The type of a modifier's text ("f32"), or PTX_NUM_TYPES. */
ptx_type ptx_find_type(const char *text, uint32_t length);
/* An instruction with its guard, up to and with the `;` (ptx_decode.c). */
bool ptx_decode(ptx_parser *parser);
/* A `ret`, which ends a body. */
bool ptx_decode_return(ptx_parser *parser);
#endif
