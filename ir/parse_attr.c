/* parse_attr.c - attributes, dense constants, and inherent attributes as attr.def wants them. See parser.h. */
#include "parser.h"
#include "row.h"

#include "text.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------ numbers */

/* A number as written: the type that gives it meaning follows later. */
typedef struct literal {
  lex_token token; /* integer, float, or the words true and false */
  bool negative;
} literal;

typedef struct literal_list {
  literal *literals;
  unsigned count;
  size_t capacity;
} literal_list;

static bool parse_literal(ir_parser *parser, literal *result) {
  result->negative = parse_accept(parser, '-');
  result->token = parser->lex.token;
  bool truth = parse_at_word(parser, "true") || parse_at_word(parser, "false");
  if (!parse_at(parser, LEX_INTEGER) && !parse_at(parser, LEX_FLOAT) && (!truth || result->negative))
    return parse_error(parser, "expected a number");
  lex_advance(&parser->lex);
  return true;
}

static bool literal_error(ir_parser *parser, const literal *number, const char *message, ir_scalar scalar) {
  return parse_error_at(parser, lex_loc_of(&parser->lex, number->token.text), message, ir_scalar_name(scalar));
}

static bool float_of_literal(ir_parser *parser, const literal *number, ir_scalar scalar, double *value) {
  uint64_t bits;
  if (number->token.kind == LEX_FLOAT) {
    *value = number->negative ? -lex_float(number->token) : lex_float(number->token);
    return true;
  }
  if (number->token.kind != LEX_INTEGER || !lex_is_hex(number->token) || number->negative)
    return literal_error(parser, number, "expected a number with a decimal point, or the bits in hexadecimal, for %s",
                         scalar);
  if (!lex_integer(number->token, &bits) || (ir_scalar_bits(scalar) < 64 && bits >> ir_scalar_bits(scalar)))
    return literal_error(parser, number, "these are more bits than %s has", scalar);
  *value = ir_float_from_bits(scalar, bits);
  return true;
}

static bool int_of_literal(ir_parser *parser, const literal *number, ir_scalar scalar, int64_t *value) {
  uint64_t magnitude;
  if (number->token.kind == LEX_WORD) {
    if (scalar != IR_I1)
      return literal_error(parser, number, "'true' and 'false' are of type i1, not %s", scalar);
    *value = *number->token.text == 't';
    return true;
  }
  if (number->token.kind == LEX_FLOAT)
    return literal_error(parser, number, "expected an integer for %s", scalar);
  unsigned bits = ir_scalar_bits(scalar);
  uint64_t most = number->negative ? (uint64_t)1 << (bits - 1) : bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
  if (!lex_integer(number->token, &magnitude) || magnitude > most)
    return literal_error(parser, number, "this integer does not fit in %s", scalar);
  *value = (int64_t)(number->negative ? 0 - magnitude : magnitude);
  return true;
}

/* 1, -2.5 : f32, true */
static bool parse_number(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  literal number;
  if (!parse_literal(parser, &number))
    return false;
  if (number.token.kind == LEX_WORD && (!type || type == ir_type_scalar(parser->module, IR_I1))) {
    *attr = ir_attr_bool(parser->module, *number.token.text == 't');
    return true;
  }
  ir_loc loc = parse_loc(parser);
  if (parse_accept(parser, ':') && (loc = parse_loc(parser), !parse_type(parser, &type)))
    return false;
  if (!type)
    type = ir_type_scalar(parser->module, number.token.kind == LEX_FLOAT ? IR_F64 : IR_I64);
  if (type->kind != IR_TYPE_SCALAR)
    return parse_error_at(parser, loc, "a number has a scalar type");
  if (ir_scalar_is_float(type->element)) {
    double value;
    if (!float_of_literal(parser, &number, type->element, &value))
      return false;
    *attr = ir_attr_float(parser->module, type, value);
    return true;
  }
  int64_t value;
  if (!int_of_literal(parser, &number, type->element, &value))
    return false;
  *attr = ir_attr_int(parser->module, type, value);
  return true;
}

/* [1, -2, 3] */
static bool parse_ints(ir_parser *parser, parser_ints *ints) {
  if (!parse_expect(parser, '['))
    return false;
  for (bool first = true; !parse_accept(parser, ']'); first = false) {
    int64_t value;
    if ((!first && !parse_expect(parser, ',')) || !parse_integer(parser, &value))
      return false;
    PARSE_PUSH(parser, ints, ints, value);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------ dense<..> */

/* The nested lists of a dense constant: extents so far, -1 where no list of that depth has ended. */
typedef struct dense_shape {
  int64_t extents[IR_MAX_RANK];
  unsigned rank; /* the depth of the numbers; IR_MAX_RANK + 1 while unknown */
} dense_shape;

static bool parse_dense_list(ir_parser *parser, unsigned depth, dense_shape *shape, literal_list *numbers) {
  if (!parse_accept(parser, '[')) {
    if (shape->rank > IR_MAX_RANK)
      shape->rank = depth;
    if (shape->rank != depth)
      return parse_error(parser, "the lists of this constant are not equally deep");
    literal number;
    if (!parse_literal(parser, &number))
      return false;
    PARSE_PUSH(parser, numbers, literals, number);
    return true;
  }
  if (depth == IR_MAX_RANK)
    return parse_error(parser, "more than %d dimensions", IR_MAX_RANK);
  int64_t count = 0;
  for (; !parse_accept(parser, ']'); count++)
    if ((count && !parse_expect(parser, ',')) || !parse_dense_list(parser, depth + 1, shape, numbers))
      return false;
  if (shape->extents[depth] < 0)
    shape->extents[depth] = count;
  if (shape->extents[depth] != count)
    return parse_error(parser, "the lists of this constant are not equally long");
  return true;
}

static const ir_attr *dense_numbers(ir_parser *parser, const ir_type *type, const literal_list *numbers) {
  ir_cell *cells = IR_NEW_ARRAY(&parser->scratch, ir_cell, numbers->count);
  for (unsigned i = 0; i < numbers->count; i++)
    if (ir_scalar_is_float(type->element) ? !float_of_literal(parser, &numbers->literals[i], type->element, &cells[i].f)
                                          : !int_of_literal(parser, &numbers->literals[i], type->element, &cells[i].i))
      return NULL;
  return ir_attr_dense(parser->module, type, numbers->count, cells);
}

/* Elements of less than a byte in a byte each, from those of the text, where they are that already or, `packed`, eight
 * to a byte, the first in the lowest bit, or 0x00 or 0xFF for all. Sets the count of elements. */
static const uint8_t *spread(ir_parser *parser, const ir_type *type, bool packed, const uint8_t *bytes, size_t *count) {
  int64_t elements = ir_type_num_elements(type);
  bool all = packed && *count == 1 && (*bytes == 0 || *bytes == 0xFF);
  if (packed && !all && (int64_t)*count != elements / 8 + (elements % 8 != 0)) {
    *count = SIZE_MAX;
    return bytes;
  }
  *count = all ? 1 : packed ? (size_t)elements : *count;
  uint8_t *cells = IR_NEW_ARRAY(&parser->scratch, uint8_t, *count);
  for (size_t i = 0; i < *count; i++)
    cells[i] = packed ? bytes[i / 8] >> i % 8 & 1 : bytes[i] & ((1u << ir_scalar_bits(type->element)) - 1);
  return cells;
}

/* The bytes of "0x..", from digit `start` on: elements in little-endian order. */
static const ir_attr *dense_bytes(ir_parser *parser, const ir_type *type, ir_loc loc, const char *hex, size_t size,
                                  size_t start) {
  int64_t elements = ir_type_num_elements(type);
  size_t width = ir_scalar_bytes(type->element), count = size < start ? 0 : (size - start) / 2 / width;
  uint8_t *bytes = IR_NEW_ARRAY(&parser->scratch, uint8_t, size / 2);
  bool valid = size >= start && size % 2 == 0 && hex[0] == '0' && hex[1] == 'x' && (size - start) % (2 * width) == 0 &&
               lex_hex_bytes(hex + 2, size / 2 - 1, bytes);
  const uint8_t *first = bytes + start / 2 - 1;
  if (valid && ir_scalar_bits(type->element) < 8)
    first = spread(parser, type, type->element == IR_I1 && start == 2, first, &count); /* resources are not packed */
  if (!valid || (count != 1 && (int64_t)count != elements)) {
    parse_error_at(parser, loc, "expected \"0x..\" with the bytes of one or of all elements");
    return NULL;
  }
  return ir_attr_dense_bytes(parser->module, type, (unsigned)count, first);
}

static bool parse_dense_type(ir_parser *parser, const ir_type **type) {
  if (!parse_expect(parser, '>') || (!*type && !parse_expect(parser, ':')))
    return false;
  ir_loc loc = parse_loc(parser);
  if (*type ? parse_accept(parser, ':') && !parse_type(parser, type) : !parse_type(parser, type))
    return false;
  if (((*type)->kind != IR_TYPE_TENSOR && (*type)->kind != IR_TYPE_VECTOR) || !ir_type_is_static(*type))
    return parse_error_at(parser, loc, "a dense constant has a static tensor or vector type");
  return true;
}

static bool parse_dense(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  dense_shape shape = {.rank = IR_MAX_RANK + 1};
  memset(shape.extents, -1, sizeof shape.extents);
  literal_list numbers = {0};
  ir_loc loc = parse_loc(parser);
  lex_advance(&parser->lex);
  if (!parse_expect(parser, '<'))
    return false;
  if (parse_at(parser, LEX_STRING)) {
    size_t size;
    const char *text;
    if (!parse_string(parser, &text, &size) || !parse_dense_type(parser, &type))
      return false;
    *attr = dense_bytes(parser, type, loc, text, size, 2);
    return *attr != NULL;
  }
  if (!parse_at(parser, '>') && !parse_dense_list(parser, 0, &shape, &numbers))
    return false;
  if (!parse_dense_type(parser, &type))
    return false;
  bool splat = numbers.count == 1 && !shape.rank;
  bool fits = splat || (int64_t)numbers.count == ir_type_num_elements(type);
  for (unsigned i = 0; fits && !splat && numbers.count && i < type->rank; i++)
    fits = shape.rank == type->rank && shape.extents[i] == type->shape[i];
  if (!fits)
    return parse_error_at(parser, loc, "the elements do not have the shape of '%s'",
                          ir_print_type(parser->module, type));
  *attr = dense_numbers(parser, type, &numbers);
  return *attr != NULL;
}

/* dense_resource<name>: the bytes stand at the end of the text, behind four bytes that say how to align them. */
static bool parse_dense_resource(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  enum { PREFIX = 2 + 2 * 4 };
  lex_advance(&parser->lex);
  if (!parse_expect(parser, '<'))
    return false;
  const ir_definition *found = parse_find_resource(parser, parser->lex.token);
  if (!found)
    return false;
  lex_advance(&parser->lex);
  if (!parse_dense_type(parser, &type))
    return false;
  *attr = dense_bytes(parser, type, found->loc, found->what, found->count, PREFIX);
  return *attr != NULL;
}

/* --------------------------------------------------------------------------------------------- other attributes */

static bool parse_array(ir_parser *parser, const ir_attr **attr) {
  parser_attrs elements = {0};
  lex_advance(&parser->lex);
  for (bool first = true; !parse_accept(parser, ']'); first = false) {
    const ir_attr *element;
    if ((!first && !parse_expect(parser, ',')) || !parse_attr(parser, NULL, &element))
      return false;
    PARSE_PUSH(parser, &elements, attrs, element);
  }
  *attr = ir_attr_array(parser->module, elements.count, elements.attrs);
  return true;
}

/* array<i64: 1, 2> */
static bool parse_int_array(ir_parser *parser, const ir_attr **attr) {
  parser_ints ints = {0};
  const ir_type *type;
  lex_advance(&parser->lex);
  ir_loc loc = {0};
  if (!parse_expect(parser, '<') || (loc = parse_loc(parser), !parse_type(parser, &type)))
    return false;
  if (type->kind != IR_TYPE_SCALAR || ir_scalar_is_float(type->element))
    return parse_error_at(parser, loc, "expected an integer type");
  if (parse_accept(parser, ':')) {
    do {
      literal number;
      int64_t value;
      if (!parse_literal(parser, &number) || !int_of_literal(parser, &number, type->element, &value))
        return false;
      PARSE_PUSH(parser, &ints, ints, ir_scalar_wrap(type->element, value));
    } while (parse_accept(parser, ','));
  }
  *attr = ir_attr_ints(parser->module, type, ints.count, ints.ints);
  return parse_expect(parser, '>');
}

/* The dialect attributes that are a keyword in angle brackets. */
static const char *const keyword_attrs[] = {
    "arith.fastmath",
    "arith.overflow",
    "gpu.address_space",
    "gpu.block",
    "gpu.thread",
    "gpu.warp",
    "gpu.lane",
    "gpu.warpgroup",
    "linalg.elementwise_kind",
    "linalg.iterator_type",
    "vector.iterator_type",
    "vector.kind",
    "linalg.type_fn",
    "gpu",
};

/* <word, ..> as a keyword attribute of that name; a word may be several with blanks: #gpu<dim x>. */
static bool parse_keyword(ir_parser *parser, const char *name, const ir_attr **attr) {
  char text[256], separator = ',';
  size_t size = 0;
  if (!parse_expect(parser, '<'))
    return false;
  do {
    lex_token word = parser->lex.token;
    if (!parse_at(parser, LEX_WORD) || size + word.size + 2 > sizeof text)
      return parse_error(parser, "expected a keyword");
    if (size)
      text[size++] = separator;
    memcpy(text + size, word.text, word.size);
    size += word.size;
    lex_advance(&parser->lex);
    separator = parse_accept(parser, ',') ? ',' : ' ';
  } while (separator == ',' || parse_at(parser, LEX_WORD));
  text[size] = 0;
  bool old = !strcmp(name, "vector.kind"); /* maxf is what maximumf was called */
  *attr = ir_attr_keyword(parser->module, name,
                          old && !strcmp(text, "maxf")   ? "maximumf"
                          : old && !strcmp(text, "minf") ? "minimumf"
                                                         : text);
  return parse_expect(parser, '>');
}

/* #alias or #dialect.name<keyword> */
static bool parse_hash(ir_parser *parser, const ir_attr **attr) {
  lex_token token = parser->lex.token;
  const ir_definition *alias = ir_names_find(&parser->attrs, token.text, token.size);
  if (alias) {
    *attr = alias->what;
    lex_advance(&parser->lex);
    return true;
  }
  token.text++;
  token.size--;
  for (unsigned i = 0; i < sizeof keyword_attrs / sizeof *keyword_attrs; i++)
    if (lex_is(token, keyword_attrs[i])) {
      lex_advance(&parser->lex);
      return parse_keyword(parser, keyword_attrs[i], attr);
    }
  return parse_error(parser, "unknown attribute '#%.*s'", (int)token.size, token.text);
}

static bool parse_word_attr(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  if (parse_at_word(parser, "true") || parse_at_word(parser, "false"))
    return parse_number(parser, type, attr);
  if (parse_at_word(parser, "dense"))
    return parse_dense(parser, type, attr);
  if (parse_at_word(parser, "dense_resource"))
    return parse_dense_resource(parser, type, attr);
  if (parse_at_word(parser, "array"))
    return parse_int_array(parser, attr);
  if (parse_accept_word(parser, "unit")) {
    *attr = ir_attr_unit(parser->module);
    return true;
  }
  if (parse_accept_word(parser, "affine_map")) {
    const ir_map *map;
    if (!parse_expect(parser, '<') || !parse_map(parser, &map) || !parse_expect(parser, '>'))
      return false;
    *attr = ir_attr_map(parser->module, map);
    return true;
  }
  if (parse_at_word(parser, "affine_set") || parse_at_word(parser, "sparse") || parse_at_word(parser, "opaque"))
    return parse_error(parser, "attributes of this kind are not supported");
  const ir_type *value;
  if (!parse_type(parser, &value))
    return false;
  *attr = ir_attr_type(parser->module, value);
  return true;
}

static bool parse_attr_inner(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  size_t size;
  const char *text;
  parser_entries entries = {0};
  const ir_type *value;
  switch (parser->lex.token.kind) {
  case LEX_INTEGER:
  case LEX_FLOAT:
  case '-':
    return parse_number(parser, type, attr);
  case LEX_STRING:
    if (!parse_string(parser, &text, &size))
      return false;
    *attr = ir_attr_string(parser->module, text, size);
    return true;
  case LEX_SYMBOL:
    if (!parse_string(parser, &text, &size))
      return false;
    if (strlen(text) != size)
      return parse_error(parser, "a symbol has no NUL");
    *attr = ir_attr_symbol(parser->module, text);
    return true;
  case LEX_HASH:
    return parse_hash(parser, attr);
  case LEX_WORD:
    return parse_word_attr(parser, type, attr);
  case '[':
    return parse_array(parser, attr);
  case '{':
    if (!parse_attr_entries(parser, &entries))
      return false;
    *attr = ir_attr_dict(parser->module, entries.count, entries.entries);
    return true;
  case LEX_BANG:
  case '(':
    if (!parse_type(parser, &value))
      return false;
    *attr = ir_attr_type(parser->module, value);
    return true;
  default:
    return parse_error(parser, "expected an attribute");
  }
}

bool parse_attr(ir_parser *parser, const ir_type *type, const ir_attr **attr) {
  if (!parse_enter(parser))
    return false;
  bool read = parse_attr_inner(parser, type, attr);
  parser->nesting--;
  return read;
}

bool parse_attr_entries(ir_parser *parser, parser_entries *entries) {
  if (!parse_expect(parser, '{'))
    return false;
  for (bool first = true; !parse_accept(parser, '}'); first = false) {
    if (!first && !parse_expect(parser, ','))
      return false;
    ir_loc loc = parse_loc(parser);
    lex_token token = parser->lex.token;
    size_t size = token.size;
    const char *name = token.text;
    if (token.kind == LEX_STRING) {
      if (!parse_string(parser, &name, &size))
        return false;
    } else if (!parse_expect(parser, LEX_WORD)) {
      return false;
    }
    name = ir_intern(parser->module, name, size);
    if (!size || strlen(name) != size)
      return parse_error_at(parser, loc, "this is not the name of an attribute");
    for (unsigned i = 0; i < entries->count; i++)
      if (entries->entries[i].name == name)
        return parse_error_at(parser, loc, "attribute '%s' is given twice", name);
    ir_named_attr entry = {name, ir_attr_unit(parser->module)};
    if (parse_accept(parser, '=') && !parse_attr(parser, NULL, &entry.attr))
      return false;
    PARSE_PUSH(parser, entries, entries, entry);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------- inherent attributes */

bool parse_inherent(ir_parser *parser, ir_draft *draft, const char *name, size_t size) {
  const attr_row *row = row_find_attr(name, size);
  const ir_attr *attr;
  parser_ints ints = {0};
  int64_t value;
  if (row->form == FORM_INT) { /* without type: ` : T` would be the op's */
    ir_scalar scalar = IR_I64;
    if (!parse_integer(parser, &value))
      return false;
    for (unsigned i = 0; i < IR_NUM_SCALARS; i++)
      if (!strcmp(ir_scalar_name((ir_scalar)i), row->detail))
        scalar = (ir_scalar)i;
    attr = ir_attr_int(parser->module, ir_type_scalar(parser->module, scalar), value);
  } else if (row->form == FORM_INTS) {
    if (!parse_ints(parser, &ints))
      return false;
    attr = ir_attr_i64s(parser->module, ints.count, ints.ints);
  } else if (row->form == FORM_KEYWORD) {
    if (!parse_keyword(parser, row->detail, &attr))
      return false;
  } else if (row->form == FORM_UNIT) { /* the word in front of it says all */
    attr = ir_attr_unit(parser->module);
  } else if (!parse_attr(parser, NULL, &attr)) {
    return false;
  }
  draft_attr(parser, draft, row->name, attr);
  return true;
}

/* A bare true or false is of type i1 where a typed value is wanted. */
static void type_booleans(ir_parser *parser, ir_draft *draft) {
  for (unsigned i = 0; i < draft->attrs.count; i++) {
    ir_named_attr *entry = &draft->attrs.entries[i];
    if (entry->attr->kind == IR_ATTR_BOOL && draft->info->traits & IR_CONSTANT && !strcmp(entry->name, "value"))
      entry->attr = ir_attr_int(parser->module, ir_type_scalar(parser->module, IR_I1), entry->attr->value);
  }
}

static bool is_default(ir_parser *parser, const ir_attr *attr, const format_word *word) {
  const char *text = word->mark == '=' ? ir_print_attr(parser->module, attr) : NULL;
  return text && strlen(text) == word->value_size && !memcmp(text, word->value, word->value_size);
}

static void remove_entry(ir_draft *draft, unsigned at) {
  memmove(draft->attrs.entries + at, draft->attrs.entries + at + 1,
          (--draft->attrs.count - at) * sizeof *draft->attrs.entries);
}

/* Every name occurs once: hooks and the printer see the same attribute. */
static bool check_twice(ir_parser *parser, const ir_draft *draft) {
  for (unsigned i = 0; i < draft->attrs.count; i++)
    for (unsigned k = 0; k < i; k++)
      if (!strcmp(draft->attrs.entries[k].name, draft->attrs.entries[i].name))
        return parse_error_at(parser, draft->loc, "attribute '%s' is given twice", draft->attrs.entries[i].name);
  return true;
}

bool parse_check_attrs(ir_parser *parser, ir_draft *draft) {
  type_booleans(parser, draft);
  row_subject subject = {.module = parser->module,
                         .loc = draft->loc,
                         .info = draft->info,
                         .num_attrs = draft->attrs.count,
                         .attrs = draft->attrs.entries};
  if (!check_twice(parser, draft) || !row_check_attrs(&subject))
    return false;
  format_word word;
  for (unsigned i = draft->attrs.count; i-- > 0;) {
    const ir_named_attr *entry = &draft->attrs.entries[i];
    if (format_find_word(draft->info->attrs, entry->name, strlen(entry->name), &word, NULL) &&
        is_default(parser, entry->attr, &word))
      remove_entry(draft, i);
  }
  return true;
}
