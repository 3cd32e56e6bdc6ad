/* parse.c - text to modules: tokens to ops, values, regions. See parser.h for the rules that all parts follow.
 *
 * Recursive descent with one token of look-ahead. Each loop consumes a token a turn and the nesting is limited, so
 * parsing terminates; names, types and attributes are hashed, so it is linear in the size of the text. */
#include "parser.h"
#include "row.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- tokens */

bool parse_error_at(ir_parser *parser, ir_loc loc, const char *format, ...) {
  if (parser->lex.failed)
    return false;
  parser->lex.failed = true;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return ir_error(parser->module, loc, "%s", text);
}

ir_loc parse_loc(const ir_parser *parser) { return lex_loc_of(&parser->lex, parser->lex.token.text); }

bool parse_error(ir_parser *parser, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return parse_error_at(parser, parse_loc(parser), "%s", text);
}

bool parse_at_word(const ir_parser *parser, const char *word) {
  return parse_at(parser, LEX_WORD) && lex_is(parser->lex.token, word);
}

bool parse_accept(ir_parser *parser, int kind) {
  if (!parse_at(parser, kind))
    return false;
  lex_advance(&parser->lex);
  return true;
}

bool parse_accept_word(ir_parser *parser, const char *word) {
  if (!parse_at_word(parser, word))
    return false;
  lex_advance(&parser->lex);
  return true;
}

static const char *kind_name(int kind) {
  switch (kind) {
  case LEX_WORD:
    return "a word";
  case LEX_VALUE:
    return "a value such as %0";
  case LEX_BLOCK:
    return "a block label such as ^bb0";
  case LEX_SYMBOL:
    return "a symbol such as @name";
  case LEX_INTEGER:
    return "an integer";
  case LEX_STRING:
    return "a string";
  case LEX_ARROW:
    return "'->'";
  default:
    return "another token";
  }
}

bool parse_expect(ir_parser *parser, int kind) {
  if (parse_accept(parser, kind))
    return true;
  return kind < 256 ? parse_error(parser, "expected '%c'", kind) : parse_error(parser, "expected %s", kind_name(kind));
}

bool parse_expect_word(ir_parser *parser, const char *word) {
  return parse_accept_word(parser, word) || parse_error(parser, "expected '%s'", word);
}

bool parse_enter(ir_parser *parser) {
  if (parser->nesting == MAX_NESTING)
    return parse_error(parser, "nested too deeply: the limit is %d levels", MAX_NESTING);
  parser->nesting++;
  return true;
}

bool parse_integer(ir_parser *parser, int64_t *value) {
  bool negative = parse_accept(parser, '-');
  uint64_t magnitude;
  if (!parse_at(parser, LEX_INTEGER))
    return parse_error(parser, "expected an integer");
  if (!lex_integer(parser->lex.token, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
    return parse_error(parser, "this integer does not fit in 64 bits");
  *value = (int64_t)(negative ? 0 - magnitude : magnitude);
  lex_advance(&parser->lex);
  return true;
}

bool parse_string(ir_parser *parser, const char **text, size_t *size) {
  if (!parse_at(parser, LEX_STRING) && !parse_at(parser, LEX_SYMBOL))
    return parse_error(parser, "expected a string");
  *text = lex_string(&parser->lex, parser->lex.token, size);
  lex_advance(&parser->lex);
  return true;
}

/* ------------------------------------------------------------------------------------------------------- values */

/* Makes a name stand for `count` values from `first` on. */
static bool define(ir_parser *parser, lex_token name, ir_value *first, unsigned count) {
  const ir_definition *old = ir_names_find(&parser->values, name.text, name.size);
  ir_loc loc = lex_loc_of(&parser->lex, name.text);
  if (old && old->isolation == parser->isolation) {
    ir_loc earlier = old->loc;
    parse_error_at(parser, loc, "redefinition of '%.*s'", (int)name.size, name.text);
    ir_note(parser->module, earlier, "first defined here");
    return false;
  }
  ir_names_add(&parser->values, (ir_definition){.name = name.text,
                                                .size = (uint32_t)name.size,
                                                .isolation = parser->isolation,
                                                .what = first,
                                                .count = count,
                                                .loc = loc});
  return true;
}

/* %name or %name#number */
static bool parse_value(ir_parser *parser, ir_value **value, ir_loc *loc) {
  lex_token name = parser->lex.token;
  *loc = parse_loc(parser);
  if (!parse_expect(parser, LEX_VALUE))
    return false;
  const ir_definition *found = ir_names_find(&parser->values, name.text, name.size);
  if (!found || found->isolation != parser->isolation)
    return parse_error_at(parser, *loc, "use of undefined value '%.*s'", (int)name.size, name.text);
  uint64_t number = 0;
  unsigned count = found->count;
  ir_value *first = (ir_value *)found->what;
  lex_token suffix = parser->lex.token;
  if (suffix.kind == LEX_HASH && suffix.text == name.text + name.size) {
    suffix.text++;
    suffix.size--;
    if (suffix.text[0] < '0' || suffix.text[0] > '9' || !lex_integer(suffix, &number) || number >= count)
      return parse_error(parser, "'%.*s' stands for %u value%s, numbered from 0", (int)name.size, name.text, count,
                         count == 1 ? "" : "s");
    lex_advance(&parser->lex);
  }
  *value = first + number;
  return true;
}

bool parse_operand(ir_parser *parser, ir_draft *draft, unsigned group) {
  ir_value *value = NULL;
  ir_loc loc;
  if (!parse_value(parser, &value, &loc))
    return false;
  parser_values *list = &draft->groups[group];
  size_t capacity = list->capacity;
  list->locs = ir_arena_grow(&parser->scratch, list->locs, sizeof *list->locs, list->count, &capacity);
  list->locs[list->count] = loc;
  PARSE_PUSH(parser, list, values, value);
  return true;
}

bool parse_operands(ir_parser *parser, ir_draft *draft, unsigned group) {
  if (!parse_at(parser, LEX_VALUE))
    return true;
  do {
    if (!parse_operand(parser, draft, group))
      return false;
  } while (parse_accept(parser, ','));
  return true;
}

static bool check_type(ir_parser *parser, const parser_values *list, unsigned i, const ir_type *type, ir_loc loc) {
  const ir_type *actual = list->values[i]->type;
  if (actual == type)
    return true;
  parse_error_at(parser, loc, "this type is '%s', but the value used here has type '%s'",
                 ir_print_type(parser->module, type), ir_print_type(parser->module, actual));
  ir_note(parser->module, list->locs[i], "the value is used here");
  return false;
}

bool parse_type_of(ir_parser *parser, ir_draft *draft, unsigned group) {
  ir_loc loc = parse_loc(parser);
  const ir_type *type;
  if (!parse_type(parser, &type))
    return false;
  if (draft->groups[group].count != 1)
    return parse_error_at(parser, loc, "expected one operand for this type, found %u", draft->groups[group].count);
  return check_type(parser, &draft->groups[group], 0, type, loc);
}

bool parse_types_of(ir_parser *parser, ir_draft *draft, unsigned group) {
  const parser_values *list = &draft->groups[group];
  for (unsigned i = 0; i < list->count; i++) {
    if (i && !parse_accept(parser, ','))
      return parse_error(parser, "expected ',' and the types of %u more operands", list->count - i);
    ir_loc loc = parse_loc(parser);
    const ir_type *type;
    if (!parse_type(parser, &type) || !check_type(parser, list, i, type, loc))
      return false;
  }
  return true;
}

/* A type, that of each result. */
static bool parse_result_type(ir_parser *parser, ir_draft *draft) {
  const ir_type *type;
  if (!parse_type(parser, &type))
    return false;
  for (unsigned i = row_num_results(draft->info); i-- > 0;)
    draft_result(parser, draft, type);
  return true;
}

void draft_result(ir_parser *parser, ir_draft *draft, const ir_type *type) {
  PARSE_PUSH(parser, &draft->types, types, type);
}

bool parse_mixed(ir_parser *parser, ir_draft *draft, int open, int close, unsigned group, const char *name) {
  parser_ints statics = {0};
  if (!parse_expect(parser, open))
    return false;
  for (bool first = true; !parse_accept(parser, close); first = false) {
    if (!first && !parse_expect(parser, ','))
      return false;
    int64_t value = IR_DYNAMIC;
    if (parse_at(parser, LEX_VALUE) ? !parse_operand(parser, draft, group) : !parse_integer(parser, &value))
      return false;
    PARSE_PUSH(parser, &statics, ints, value);
  }
  draft_attr(parser, draft, name, ir_attr_i64s(parser->module, statics.count, statics.ints));
  return true;
}

/* --------------------------------------------------------------------------------------------------- attributes */

const ir_attr *draft_find_attr(const ir_draft *draft, const char *name) {
  for (unsigned i = 0; i < draft->attrs.count; i++)
    if (!strcmp(draft->attrs.entries[i].name, name))
      return draft->attrs.entries[i].attr;
  return NULL;
}

void draft_attr(ir_parser *parser, ir_draft *draft, const char *name, const ir_attr *attr) {
  PARSE_PUSH(parser, &draft->attrs, entries, (ir_named_attr){name, attr});
}

bool parse_attr_dict(ir_parser *parser, ir_draft *draft) {
  return !parse_at(parser, '{') || parse_attr_entries(parser, &draft->attrs);
}

bool parse_attributes(ir_parser *parser, ir_draft *draft) {
  return !parse_accept_word(parser, "attributes") || parse_attr_entries(parser, &draft->attrs);
}

/* ------------------------------------------------------------------------------------------------------ regions */

static bool parse_op(ir_parser *parser, ir_block *block);

/* loc(..), possibly nested parentheses, after an op or argument: read and dropped. */
bool parse_skip_location(ir_parser *parser) {
  if (!parse_accept_word(parser, "loc"))
    return true;
  if (!parse_expect(parser, '('))
    return false;
  for (unsigned open = 1; open;) {
    if (parse_at(parser, LEX_END) || parse_at(parser, LEX_ERROR))
      return parse_error(parser, "expected ')'");
    open += parse_at(parser, '(');
    open -= parse_at(parser, ')');
    lex_advance(&parser->lex);
  }
  return true;
}

bool parse_arg(ir_parser *parser, parser_args *args) {
  struct parser_arg arg = {.name = parser->lex.token};
  if (!parse_expect(parser, LEX_VALUE) || !parse_expect(parser, ':') || !parse_type(parser, &arg.type))
    return false;
  PARSE_PUSH(parser, args, args, arg);
  return parse_skip_location(parser);
}

/* ^bb0(%a: T, ..): */
static bool parse_label(ir_parser *parser, parser_args *args) {
  lex_advance(&parser->lex);
  if (parse_accept(parser, '(')) {
    do {
      if (!parse_arg(parser, args))
        return false;
    } while (parse_accept(parser, ','));
    if (!parse_expect(parser, ')'))
      return false;
  }
  return parse_expect(parser, ':');
}

static bool parse_block(ir_parser *parser, ir_block *block, const parser_args *args) {
  parser_args labelled = {0};
  if (!args && parse_at(parser, LEX_BLOCK)) {
    if (!parse_label(parser, &labelled))
      return false;
    args = &labelled;
  }
  for (unsigned i = 0; args && i < args->count; i++)
    if (!define(parser, args->args[i].name, ir_block_add_arg(block, args->args[i].type), 1))
      return false;
  while (!parse_accept(parser, '}')) {
    if (parse_at(parser, LEX_BLOCK))
      return parse_error(parser, "a region has one block here: control flow is structured");
    if (parse_at(parser, LEX_END))
      return parse_error(parser, "expected '}'");
    if (!parse_op(parser, block))
      return false;
  }
  return true;
}

bool parse_region(ir_parser *parser, ir_draft *draft, const parser_args *args, ir_opcode terminator) {
  if (!parse_expect(parser, '{'))
    return false;
  if (draft->num_regions == MAX_REGIONS)
    return parse_error(parser, "too many regions");
  if (!parse_enter(parser))
    return false;
  uint32_t values = parser->values.count;
  bool isolated = draft->info->traits & IR_ISOLATED;
  parser->isolation += isolated;
  ir_block *block = &draft->regions[draft->num_regions++];
  block->parent = parser->module->root; /* for the time being: the op is created later */
  bool read = parse_block(parser, block, args);
  parser->isolation -= isolated;
  ir_names_pop(&parser->values, values);
  parser->nesting--;
  if (read && terminator && !(block->last && ir_op_has(block->last, IR_TERMINATOR))) {
    ir_builder builder = {.module = parser->module, .block = block, .loc = draft->loc};
    ir_op_create(&builder, terminator, &(ir_op_spec){0});
  }
  return read;
}

/* --------------------------------------------------------------------------------------- ops by their row's format */

typedef struct format_parse {
  ir_parser *parser;
  ir_draft *draft;
} format_parse;

static bool parse_literal(ir_parser *parser, const format_element *element) {
  lex_token token = parser->lex.token;
  if ((token.kind != LEX_WORD && token.kind != LEX_ARROW && token.kind >= 256) || token.size != element->size ||
      memcmp(token.text, element->text, token.size))
    return parse_error(parser, "expected '%.*s'", (int)element->size, element->text);
  lex_advance(&parser->lex);
  return true;
}

static char group_mark(const ir_op_info *info, unsigned group) {
  const char *at = info->operands;
  format_word word = {0};
  for (unsigned i = 0; i <= group && format_next_word(&at, &word); i++)
    continue;
  return word.mark;
}

/* A bare word as #dialect<kind word>. */
static bool parse_keyword(ir_parser *parser, ir_draft *draft, const format_element *element) {
  lex_token word = parser->lex.token;
  const char *name = ir_intern(parser->module, element->text, element->size), *op = draft->info->name;
  char text[64];
  if (!parse_at(parser, LEX_WORD) || word.size + element->of_size + 2 > sizeof text)
    return parse_error(parser, "expected a word for '%s'", name);
  snprintf(text, sizeof text, "%.*s %.*s", (int)element->of_size, element->of, (int)word.size, word.text);
  lex_advance(&parser->lex);
  const char *dialect = ir_intern(parser->module, op, strcspn(op, "."));
  draft_attr(parser, draft, name, ir_attr_keyword(parser->module, dialect, text));
  return true;
}

/* A bare word that is the name of a unit attribute, where it is next. */
static bool parse_unit(ir_parser *parser, ir_draft *draft, const format_element *element) {
  lex_token word = parser->lex.token;
  if (word.kind != LEX_WORD || word.size != element->size || memcmp(word.text, element->text, word.size))
    return true;
  lex_advance(&parser->lex);
  draft_attr(parser, draft, ir_intern(parser->module, element->text, element->size), ir_attr_unit(parser->module));
  return true;
}

/* One of the row's words, as its number. */
static bool parse_word(ir_parser *parser, ir_draft *draft, const format_element *element) {
  lex_token word = parser->lex.token;
  unsigned number, quotes = word.kind == LEX_STRING;
  const char *name = ir_intern(parser->module, element->text, element->size), *words = draft->info->words;
  format_word example;
  if (!format_find_word(words, word.text + quotes, word.size - 2 * quotes, NULL, &number)) {
    format_next_word(&words, &example);
    format_next_word(&words, &example);
    return parse_error(parser, "expected a %s such as '%.*s'", name, (int)example.size, example.text);
  }
  lex_advance(&parser->lex);
  draft_attr(parser, draft, name, ir_attr_i64(parser->module, number));
  return true;
}

static bool parse_element(void *data, const format_element *element) {
  ir_parser *parser = ((format_parse *)data)->parser;
  ir_draft *draft = ((format_parse *)data)->draft;
  unsigned index = element->index;
  switch (element->kind) {
  case FORMAT_LITERAL:
    return parse_literal(parser, element);
  case FORMAT_OPERAND:
    return group_mark(draft->info, index) ? parse_operands(parser, draft, index) : parse_operand(parser, draft, index);
  case FORMAT_ATTRIBUTE:
    return parse_inherent(parser, draft, element->text, element->size);
  case FORMAT_KEYWORD:
    return parse_keyword(parser, draft, element);
  case FORMAT_UNIT:
    return parse_unit(parser, draft, element);
  case FORMAT_WORD:
    return parse_word(parser, draft, element);
  case FORMAT_TYPE_OF_OPERAND:
    return group_mark(draft->info, index) ? parse_types_of(parser, draft, index) : parse_type_of(parser, draft, index);
  case FORMAT_TYPE_OF_RESULT:
    return parse_result_type(parser, draft);
  case FORMAT_FUNCTIONAL_TYPE: {
    parser_types inputs = {0};
    ir_loc loc = parse_loc(parser);
    if (!parse_function_type(parser, &inputs, &draft->types))
      return false;
    if (inputs.count != draft->groups[index].count)
      return parse_error_at(parser, loc, "expected %u input types, found %u", draft->groups[index].count, inputs.count);
    for (unsigned i = 0; i < inputs.count; i++)
      if (!check_type(parser, &draft->groups[index], i, inputs.types[i], loc))
        return false;
    return true;
  }
  case FORMAT_ATTR_DICT:
    return parse_attr_dict(parser, draft);
  case FORMAT_MIXED:
    return parse_mixed(parser, draft, '[', ']', index, ir_intern(parser->module, element->text, element->size));
  case FORMAT_REGION:
    return parse_region(parser, draft, NULL, 0);
  case FORMAT_TIGHT:
  case FORMAT_END:
    return true;
  }
  return true;
}

static bool element_is_next(void *data, const format_element *first, const format_element *anchor) {
  const ir_parser *parser = ((format_parse *)data)->parser;
  lex_token token = parser->lex.token;
  if (first->kind == FORMAT_LITERAL)
    return token.size == first->size && !memcmp(token.text, first->text, token.size);
  return token.kind == LEX_VALUE;
}

/* The row's format. */
static bool parse_by_format(ir_parser *parser, ir_draft *draft) {
  format_parse data = {parser, draft};
  return format_run(draft->info, &(format_visitor){parse_element, element_is_next, &data}) &&
         (!draft->info->complete || draft->info->complete(parser, draft));
}

/* ---------------------------------------------------------------------------------------------- the generic form */

/* Distributes operands over groups by their segment sizes, or where at most one group is variadic by their number. */
static bool split_operands(ir_parser *parser, ir_draft *draft, const parser_values *all) {
  const ir_attr *segments = draft_find_attr(draft, "operandSegmentSizes");
  unsigned groups = ir_info_num_groups(draft->info), fixed = 0, next = 0;
  for (unsigned i = 0; i < groups; i++)
    fixed += !group_mark(draft->info, i);
  if (all->count < fixed)
    return parse_error_at(parser, draft->loc, "'%s' expects at least %u operands, found %u", draft->info->name, fixed,
                          all->count);
  unsigned variadic = groups - fixed, share = variadic ? (all->count - fixed) / variadic : 0;
  if (segments && (segments->kind != IR_ATTR_I64S || segments->count < groups))
    return parse_error_at(parser, draft->loc, "'operandSegmentSizes' must list %u numbers", groups);
  for (unsigned i = 0; i < groups; i++) {
    int64_t size = segments ? segments->ints[i] : group_mark(draft->info, i) ? share : 1;
    if (size < 0 || size > all->count - next)
      return parse_error_at(parser, draft->loc, "'operandSegmentSizes' does not fit the operands");
    draft->groups[i] = (parser_values){all->values + next, all->locs + next, (unsigned)size, (unsigned)size};
    next += (unsigned)size;
  }
  return next == all->count ||
         parse_error_at(parser, draft->loc, "'%s' expects %u operands, found %u", draft->info->name, next, all->count);
}

static void drop_attr(ir_draft *draft, const char *name) {
  unsigned kept = 0;
  for (unsigned i = 0; i < draft->attrs.count; i++)
    if (strcmp(draft->attrs.entries[i].name, name))
      draft->attrs.entries[kept++] = draft->attrs.entries[i];
  draft->attrs.count = kept;
}

/* (%a, ..) <{..}> ({..}, ..) {..} : (types) -> types */
static bool parse_generic(ir_parser *parser, ir_draft *draft) {
  parser_types inputs = {0};
  if (!parse_expect(parser, '(') || !parse_operands(parser, draft, 0) || !parse_expect(parser, ')'))
    return false;
  parser_values all = draft->groups[0];
  draft->groups[0] = (parser_values){0};
  if (parse_at(parser, '['))
    return parse_error(parser, "successor blocks are not supported: control flow is structured");
  if (parse_accept(parser, '<') && (!parse_attr_entries(parser, &draft->attrs) || !parse_expect(parser, '>')))
    return false;
  if (parse_accept(parser, '(')) {
    do {
      if (!parse_region(parser, draft, NULL, 0))
        return false;
    } while (parse_accept(parser, ','));
    if (!parse_expect(parser, ')'))
      return false;
  }
  if (!parse_attr_dict(parser, draft) || !parse_expect(parser, ':'))
    return false;
  ir_loc loc = parse_loc(parser);
  if (!parse_function_type(parser, &inputs, &draft->types))
    return false;
  if (inputs.count != all.count)
    return parse_error_at(parser, loc, "expected %u operand types, found %u", all.count, inputs.count);
  for (unsigned i = 0; i < inputs.count; i++)
    if (!check_type(parser, &all, i, inputs.types[i], loc))
      return false;
  if (!split_operands(parser, draft, &all))
    return false;
  drop_attr(draft, "operandSegmentSizes");
  return true;
}

/* --------------------------------------------------------------------------------------------------------- ops */

/* %a, %b:3 = */
static bool parse_result_names(ir_parser *parser, ir_draft *draft, parser_args *names, parser_ints *counts) {
  uint64_t total = 0;
  do {
    struct parser_arg name = {.name = parser->lex.token};
    uint64_t count = 1;
    if (!parse_expect(parser, LEX_VALUE))
      return false;
    if (parse_accept(parser, ':')) {
      if (!parse_at(parser, LEX_INTEGER) || !lex_integer(parser->lex.token, &count) || !count || count > 65536)
        return parse_error(parser, "expected the number of values");
      lex_advance(&parser->lex);
    }
    PARSE_PUSH(parser, names, args, name);
    PARSE_PUSH(parser, counts, ints, (int64_t)count);
    total += count;
  } while (parse_accept(parser, ','));
  draft->num_named = (unsigned)total;
  return parse_expect(parser, '=');
}

/* Older names of ops, and names whose meaning is now spelled with attributes. */
static const struct old_name {
  const char *name, *now, *loops;
} old_names[] = {
    {"arith.maxf", "arith.maximumf", NULL},
    {"arith.minf", "arith.minimumf", NULL},
    {"linalg.max_signed", "linalg.max", NULL},
    {"linalg.min_signed", "linalg.min", NULL},
    {"linalg.matmul_transpose_a", "linalg.matmul", "km,kn,mn"},
    {"linalg.matmul_transpose_b", "linalg.matmul", "mk,nk,mn"},
    {"linalg.batch_matmul_transpose_a", "linalg.batch_matmul", "bkm,bkn,bmn"},
    {"linalg.batch_matmul_transpose_b", "linalg.batch_matmul", "bmk,bnk,bmn"},
};

/* indexing_maps from einsum subscripts; the loops are numbered b, m, n, k. */
static const ir_attr *maps_of_subscripts(ir_module *module, const char *loops) {
  const char *order = strchr(loops, 'b') ? "bmnk" : "mnk";
  const ir_attr *maps[3];
  for (unsigned i = 0; i < 3; i++, loops++) {
    unsigned dims[4], count = 0;
    for (; *loops && *loops != ','; loops++)
      dims[count++] = (unsigned)(strchr(order, *loops) - order);
    maps[i] = ir_attr_map(module, ir_map_select(module, (unsigned)strlen(order), count, dims));
  }
  return ir_attr_array(module, 3, maps);
}

/* Ops of these dialects may be written without the prefix. */
static const char *const short_dialects[] = {"builtin", "func", "transform"};

static bool find_row(ir_parser *parser, ir_draft *draft, const char *name, size_t size) {
  const ir_definition *found = ir_names_find(&parser->ops, name, size);
  for (unsigned i = 0; !found && i < sizeof short_dialects / sizeof *short_dialects; i++) {
    char full[64];
    int length = snprintf(full, sizeof full, "%s.%.*s", short_dialects[i], (int)size, name);
    if (length < (int)sizeof full && !memchr(name, '.', size))
      found = ir_names_find(&parser->ops, full, (size_t)length);
  }
  if (!found)
    return parse_error_at(parser, draft->loc, "unknown op '%.*s'", (int)size, name);
  draft->code = (ir_opcode)found->count;
  draft->info = ir_op_info_of(draft->code);
  if (found->what)
    draft_attr(parser, draft, "indexing_maps", found->what);
  return true;
}

/* linalg.elementwise of the kind #linalg.elementwise_kind<exp> is linalg.exp. */
static bool become_kind(ir_parser *parser, ir_draft *draft, const ir_attr *kind, ir_loc loc) {
  char name[64];
  if (!kind || kind->kind != IR_ATTR_KEYWORD || strcmp(kind->name, "linalg.elementwise_kind"))
    return parse_error_at(parser, loc, "expected #linalg.elementwise_kind<..> as kind of 'linalg.elementwise'");
  int size = snprintf(name, sizeof name, "linalg.%s", kind->string);
  const ir_definition *found = ir_names_find(&parser->ops, name, strlen(name));
  const ir_op_info *info = found ? ir_op_info_of((ir_opcode)found->count) : NULL;
  if (!info || size >= (int)sizeof name || !ir_info_is_elementwise(info))
    return parse_error_at(parser, loc, "unknown kind of 'linalg.elementwise': %s", kind->string);
  draft->code = (ir_opcode)found->count;
  draft->info = info;
  return true;
}

static bool parse_pretty(ir_parser *parser, ir_draft *draft) {
  if (!draft->info->parse && !draft->info->format)
    return parse_error_at(parser, draft->loc, "'%s' has only the generic form", draft->info->name);
  if (!(draft->info->parse ? draft->info->parse(parser, draft) : parse_by_format(parser, draft)))
    return false;
  draft->infers = draft->info->traits & IR_INFER && !draft->types.count;
  return true;
}

/* Behind the name of linalg.elementwise, with the kind in front or among the attributes. */
static bool parse_elementwise(ir_parser *parser, ir_draft *draft, bool is_pretty) {
  const ir_attr *kind = NULL;
  ir_loc loc = draft->loc;
  if (is_pretty) {
    if (!parse_expect_word(parser, "kind") || !parse_expect(parser, '='))
      return false;
    loc = parse_loc(parser);
    return parse_attr(parser, NULL, &kind) && become_kind(parser, draft, kind, loc) && parse_pretty(parser, draft);
  }
  draft->info = ir_op_info_of(OP_LINALG_ADD); /* all have the same operands */
  if (!parse_generic(parser, draft))
    return false;
  for (unsigned i = 0; i < draft->attrs.count; i++)
    if (!strcmp(draft->attrs.entries[i].name, "kind"))
      kind = draft->attrs.entries[i].attr;
  drop_attr(draft, "kind");
  return become_kind(parser, draft, kind, loc);
}

static bool parse_op_body(ir_parser *parser, ir_draft *draft) {
  lex_token name = parser->lex.token;
  draft->loc = parse_loc(parser);
  static const char elementwise[] = "linalg.elementwise";
  if (name.kind == LEX_STRING) {
    lex_advance(&parser->lex);
    if (name.size == sizeof elementwise + 1 && !memcmp(name.text + 1, elementwise, sizeof elementwise - 1))
      return parse_elementwise(parser, draft, false);
    return find_row(parser, draft, name.text + 1, name.size - 2) && parse_generic(parser, draft);
  }
  if (name.kind != LEX_WORD)
    return parse_error(parser, "expected an op");
  if (parse_accept_word(parser, elementwise))
    return parse_elementwise(parser, draft, true);
  if (!find_row(parser, draft, name.text, name.size))
    return false;
  lex_advance(&parser->lex);
  return parse_pretty(parser, draft);
}

static bool parse_op(ir_parser *parser, ir_block *block) {
  size_t mark = ir_arena_mark(&parser->scratch);
  ir_draft draft = {0};
  parser_args names = {0};
  parser_ints counts = {0};
  ir_op *op;
  if (parse_at(parser, LEX_VALUE) && !parse_result_names(parser, &draft, &names, &counts))
    return false;
  if (!parse_op_body(parser, &draft) || !parse_create_op(parser, &draft, block, &op) || !parse_skip_location(parser))
    return false;
  if (names.count && draft.num_named != op->num_results)
    return parse_error_at(parser, draft.loc, "'%s' gives %u result%s, but %u are named", draft.info->name,
                          op->num_results, op->num_results == 1 ? "" : "s", draft.num_named);
  for (unsigned i = 0, first = 0; i < names.count; first += (unsigned)counts.ints[i++])
    if (!define(parser, names.args[i].name, ir_result(op, first), (unsigned)counts.ints[i]))
      return false;
  ir_arena_rewind(&parser->scratch, mark);
  return true;
}

/* ------------------------------------------------------------------------------------------------------ modules */

/* #alias = attribute, !alias = type */
static bool parse_alias(ir_parser *parser) {
  lex_token name = parser->lex.token;
  ir_loc loc = parse_loc(parser);
  ir_names *table = name.kind == LEX_HASH ? &parser->attrs : &parser->types;
  const ir_attr *attr = NULL;
  const ir_type *type = NULL;
  lex_advance(&parser->lex);
  if (!parse_expect(parser, '='))
    return false;
  if (parse_at_word(parser, "loc"))
    return parse_skip_location(parser);
  if (memchr(name.text, '.', name.size))
    return parse_error_at(parser, loc, "an alias name has no '.'");
  if (ir_names_find(table, name.text, name.size))
    return parse_error_at(parser, loc, "redefinition of alias '%.*s'", (int)name.size, name.text);
  if (name.kind == LEX_HASH ? !parse_attr(parser, NULL, &attr) : !parse_type(parser, &type))
    return false;
  ir_names_add(table, (ir_definition){.name = name.text,
                                      .size = (uint32_t)name.size,
                                      .what = name.kind == LEX_HASH ? (const void *)attr : type,
                                      .loc = loc});
  return true;
}

/* A single builtin.module of the text becomes the root; otherwise the root holds what the text holds. */
static void hoist_module(ir_module *module) {
  ir_op *only = ir_region(module->root, 0)->first;
  if (!only || only->next || only->code != OP_BUILTIN_MODULE)
    return;
  only->block = NULL;
  module->root = only;
}

static bool parse_top_level(ir_parser *parser) {
  while (!parse_at(parser, LEX_END)) {
    if (parse_at(parser, LEX_RESOURCES)) {
      if (!parse_resources(parser))
        return false;
      continue;
    }
    bool alias = parse_at(parser, LEX_HASH) || parse_at(parser, LEX_BANG);
    if (alias ? !parse_alias(parser) : !parse_op(parser, ir_region(parser->module->root, 0)))
      return false;
  }
  hoist_module(parser->module);
  return true;
}

static void add_op_name(ir_parser *parser, const char *name, ir_opcode code, const ir_attr *maps) {
  ir_names_add(&parser->ops,
               (ir_definition){.name = name, .size = (uint32_t)strlen(name), .what = maps, .count = code});
}

static void add_op_names(ir_parser *parser) {
  for (unsigned i = 0; i < IR_NUM_OPCODES; i++)
    add_op_name(parser, ir_op_info_of((ir_opcode)i)->name, (ir_opcode)i, NULL);
  for (unsigned i = 0; i < sizeof old_names / sizeof *old_names; i++) {
    const struct old_name *old = &old_names[i];
    const ir_definition *now = ir_names_find(&parser->ops, old->now, strlen(old->now));
    add_op_name(parser, old->name, (ir_opcode)now->count,
                old->loops ? maps_of_subscripts(parser->module, old->loops) : NULL);
  }
}

bool ir_parse(ir_module *module, const char *name, const char *text, size_t size) {
  static const char byte_order_mark[] = "\xef\xbb\xbf"; /* which some editors put in front of UTF-8 */
  size_t skipped = size >= 3 && !memcmp(text, byte_order_mark, 3) ? 3 : 0;
  text += skipped;
  size -= skipped;
  ir_parser parser = {.module = module};
  ir_names *const tables[] = {&parser.values, &parser.attrs, &parser.types, &parser.ops, &parser.resources};
  enum { NUM_TABLES = sizeof tables / sizeof *tables };
  bool ready = ir_arena_init(&parser.scratch), read = false;
  for (unsigned i = 0; i < NUM_TABLES; i++)
    ready &= ir_names_init(tables[i]);
  if (!ready || size > UINT32_MAX) {
    ir_error(module, (ir_loc){0}, ready ? "%s: the text is larger than 4 GiB" : "%s: out of memory", name);
  } else {
    uint32_t source = ir_module_add_source(module, name, text, size);
    add_op_names(&parser);
    lex_start(&parser.lex, module, source);
    read = parse_top_level(&parser);
  }
  for (unsigned i = 0; i < NUM_TABLES; i++)
    ir_names_release(tables[i]);
  ir_arena_release(&parser.scratch);
  return read && ir_verify(module, 0);
}
