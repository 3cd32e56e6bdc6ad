/* parser.h - what the parts of the parser, and the syntax hooks of single ops, share; internal to ir/.
 *
 * Every function returns false after reporting one error; the caller passes that up at once, so there are no cascades.
 * An op is collected in a draft while it is read (its operands are known values: nothing refers forward) and created
 * when all of it is there. Nesting of regions, attributes, types and expressions is limited, so the stack is
 * bounded. */
#ifndef TEC_IR_PARSER_H
#define TEC_IR_PARSER_H
#include "format.h"
#include "lex.h"
#include "names.h"

/* Factors bound the depth of affine expressions, which are trees however they are written. */
enum { MAX_NESTING = 256, MAX_FACTORS = 1024, MAX_REGIONS = 2 };

/* Growing arrays in the parser's scratch arena; zero is empty. */
typedef struct parser_values {
  ir_value **values;
  ir_loc *locs;
  unsigned count;
  size_t capacity;
} parser_values;

typedef struct parser_types {
  const ir_type **types;
  unsigned count;
  size_t capacity;
} parser_types;

typedef struct parser_attrs {
  const ir_attr **attrs;
  unsigned count;
  size_t capacity;
} parser_attrs;

typedef struct parser_ints {
  int64_t *ints;
  unsigned count;
  size_t capacity;
} parser_ints;

typedef struct parser_entries {
  ir_named_attr *entries;
  unsigned count;
  size_t capacity;
} parser_entries;

/* The arguments of a region, named before it starts. */
typedef struct parser_args {
  struct parser_arg {
    lex_token name; /* LEX_VALUE */
    const ir_type *type;
  } * args;
  unsigned count;
  size_t capacity;
} parser_args;

struct ir_draft {
  ir_opcode code;
  const ir_op_info *info;
  ir_loc loc;
  unsigned num_named; /* values named on the left of '=' */
  parser_values groups[IR_MAX_GROUPS];
  parser_types types; /* of the results */
  bool infers;        /* the text does not say the types of the results: they follow (IR_INFER) */
  parser_entries attrs;
  ir_block regions[MAX_REGIONS];
  unsigned num_regions;
};

struct ir_parser {
  ir_module *module;
  lex_state lex;
  ir_arena scratch;
  ir_names values;    /* SSA names */
  ir_names attrs;     /* #alias, an ir_attr each */
  ir_names types;     /* !alias, an ir_type each */
  ir_names ops;       /* op names, an ir_op_info each */
  ir_names resources; /* what stands behind the ops: the digits of each, `count` of them */
  lex_state end;      /* behind the resources; where they have not been read yet, without text */
  uint32_t isolation; /* isolated regions around */
  unsigned nesting;
  unsigned num_factors; /* of the current affine map */
};

/* ------------------------------------------------------------------------------------------------------- tokens */

/* Reports at the current token. */
bool parse_error(ir_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool parse_error_at(ir_parser *parser, ir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
ir_loc parse_loc(const ir_parser *parser);
static inline bool parse_at(const ir_parser *parser, int kind) { return parser->lex.token.kind == kind; }
bool parse_at_word(const ir_parser *parser, const char *word);
/* Consumes the token if it is there. */
bool parse_accept(ir_parser *parser, int kind);
bool parse_accept_word(ir_parser *parser, const char *word);
/* Consumes the token or reports. */
bool parse_expect(ir_parser *parser, int kind);
bool parse_expect_word(ir_parser *parser, const char *word);
/* One level deeper; the caller decrements parser->nesting when done. */
bool parse_enter(ir_parser *parser);

/* ------------------------------------------------------------------------------------------------------- pieces */

bool parse_integer(ir_parser *parser, int64_t *value); /* an optional '-' and an integer */
bool parse_string(ir_parser *parser, const char **text, size_t *size);
/* Adds an element to an array of the list. */
#define PARSE_PUSH(PARSER, LIST, FIELD, ...)                                                                           \
  (IR_PUSH(&(PARSER)->scratch, (LIST)->FIELD, (LIST)->count, (LIST)->capacity) = __VA_ARGS__)

bool parse_type(ir_parser *parser, const ir_type **type);
/* type {, type}; appended. */
bool parse_type_list(ir_parser *parser, parser_types *types);
/* (type, ..) possibly empty, or without parentheses exactly one type. */
bool parse_type_group(ir_parser *parser, parser_types *types);
/* (types) -> types */
bool parse_function_type(ir_parser *parser, parser_types *inputs, parser_types *results);

/* `type` is what numbers without `: type` have; NULL: i64 and f64. */
bool parse_attr(ir_parser *parser, const ir_type *type, const ir_attr **attr);
/* {name = attr, unit, ..}; the opening brace is the current token. */
bool parse_attr_entries(ir_parser *parser, parser_entries *entries);
bool parse_map(ir_parser *parser, const ir_map **map);
/* {-# .. #-}, if that is the current token: the end of the text, wherever it was read first. */
bool parse_resources(ir_parser *parser);
/* The resource of that name, found at the end of the text; NULL after reporting. */
const ir_definition *parse_find_resource(ir_parser *parser, lex_token name);

/* ------------------------------------------------------------------------------------------------- the op's parts */

void draft_attr(ir_parser *parser, ir_draft *draft, const char *name, const ir_attr *attr);
const ir_attr *draft_find_attr(const ir_draft *draft, const char *name);
/* {..} if there is one. */
bool parse_attr_dict(ir_parser *parser, ir_draft *draft);
/* attributes {..} if there are some. */
bool parse_attributes(ir_parser *parser, ir_draft *draft);
bool parse_operand(ir_parser *parser, ir_draft *draft, unsigned group);
/* %a, %b, ..: as many as there are, maybe none. */
bool parse_operands(ir_parser *parser, ir_draft *draft, unsigned group);
/* The types written for a group must be those of its values. */
bool parse_types_of(ir_parser *parser, ir_draft *draft, unsigned group);
bool parse_type_of(ir_parser *parser, ir_draft *draft, unsigned group);
/* [%a, 4, ..] or, with other brackets, (%a, 4, ..). */
bool parse_mixed(ir_parser *parser, ir_draft *draft, int open, int close, unsigned group, const char *name);
void draft_result(ir_parser *parser, ir_draft *draft, const ir_type *type);
/* `{ ops }` as the next region of the draft. Its arguments are `args`, or those of the label ^bb0(..) inside. When the
 * region ends without terminator, `terminator` (0: none) is added. */
bool parse_region(ir_parser *parser, ir_draft *draft, const parser_args *args, ir_opcode terminator);
/* loc(..), where there is one: read and dropped. */
bool parse_skip_location(ir_parser *parser);
/* %name: type, and perhaps a location */
bool parse_arg(ir_parser *parser, parser_args *args);
/* Checks the draft against its row and makes it an op at the end of the block. */
bool parse_create_op(ir_parser *parser, ir_draft *draft, ir_block *block, ir_op **created);
/* Checks attributes against attr.def, fills in defaults (parse_attr.c). */
bool parse_check_attrs(ir_parser *parser, ir_draft *draft);
/* Iterator types given as strings become keywords of that name. */
void draft_iterator_types(ir_parser *parser, ir_draft *draft, const char *keyword);
/* The attribute that a format names. */
bool parse_inherent(ir_parser *parser, ir_draft *draft, const char *name, size_t size);
#endif
