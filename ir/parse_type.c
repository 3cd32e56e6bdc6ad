/* parse_type.c - types, affine maps and memref layouts. See parser.h. */
#include "parser.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- affine maps */

/* The names of a map's dims and symbols. Like the parser's lists, but of known greatest size. */
typedef struct map_names {
  lex_token names[IR_MAX_LOOPS];
  unsigned count;
} map_names;

static bool find_map_name(const map_names *names, lex_token token, unsigned *number) {
  for (*number = 0; *number < names->count; ++*number) {
    lex_token name = names->names[*number];
    if (name.size == token.size && !memcmp(name.text, token.text, token.size))
      return true;
  }
  return false;
}

/* The names up to `close`; none of them may be among the `taken` ones (NULL: none are). */
static bool parse_map_names(ir_parser *parser, map_names *names, int close, const map_names *taken) {
  for (names->count = 0; !parse_accept(parser, close); names->count++) {
    if (names->count && !parse_expect(parser, ','))
      return false;
    if (names->count == IR_MAX_LOOPS)
      return parse_error(parser, "more than %d names", IR_MAX_LOOPS);
    lex_token name = parser->lex.token;
    unsigned number;
    if (!parse_at(parser, LEX_WORD))
      return parse_error(parser, "expected the name of a dimension or symbol");
    if (find_map_name(names, name, &number) || (taken && find_map_name(taken, name, &number)))
      return parse_error(parser, "'%.*s' is already a dimension or symbol of this map", (int)name.size, name.text);
    names->names[names->count] = name;
    lex_advance(&parser->lex);
  }
  return true;
}

static bool parse_sum(ir_parser *parser, const map_names *dims, const map_names *syms, const ir_expr **expr);

/* A name, a number, -factor or (sum). */
static bool parse_factor(ir_parser *parser, const map_names *dims, const map_names *syms, const ir_expr **expr) {
  unsigned number;
  int64_t value = 0;
  lex_token token = parser->lex.token;
  if (++parser->num_factors > MAX_FACTORS)
    return parse_error(parser, "more than %d terms in one affine map", MAX_FACTORS);
  if (!parse_enter(parser))
    return false;
  bool read = true;
  if (token.kind == LEX_INTEGER) {
    read = parse_integer(parser, &value);
    *expr = read ? ir_expr_const(parser->module, value) : NULL;
  } else if (parse_accept(parser, '-')) {
    read = parse_factor(parser, dims, syms, expr);
    if (read)
      *expr = ir_expr_by(parser->module, IR_EXPR_MUL, *expr, -1);
  } else if (parse_accept(parser, '(')) {
    read = parse_sum(parser, dims, syms, expr) && parse_expect(parser, ')');
  } else if (token.kind == LEX_WORD && find_map_name(dims, token, &number)) {
    *expr = ir_expr_dim(parser->module, number);
    lex_advance(&parser->lex);
  } else if (token.kind == LEX_WORD && find_map_name(syms, token, &number)) {
    *expr = ir_expr_sym(parser->module, number);
    lex_advance(&parser->lex);
  } else if (token.kind == LEX_WORD) {
    read = parse_error(parser, "'%.*s' is not a dimension or symbol of this map", (int)token.size, token.text);
  } else {
    read = parse_error(parser, "expected a dimension, a symbol, an integer or '('");
  }
  parser->nesting--;
  return read;
}

static bool is_symbolic(const ir_expr *expr) { return expr->kind == IR_EXPR_CONST || expr->kind == IR_EXPR_SYM; }

static bool parse_product(ir_parser *parser, const map_names *dims, const map_names *syms, const ir_expr **expr) {
  static const struct {
    const char *word;
    ir_expr_kind kind;
  } operators[] = {{"floordiv", IR_EXPR_FLOORDIV}, {"ceildiv", IR_EXPR_CEILDIV}, {"mod", IR_EXPR_MOD}};
  if (!parse_factor(parser, dims, syms, expr))
    return false;
  for (;;) {
    ir_expr_kind kind = IR_EXPR_CONST;
    if (parse_at(parser, '*'))
      kind = IR_EXPR_MUL;
    for (unsigned i = 0; i < 3; i++)
      if (parse_at_word(parser, operators[i].word))
        kind = operators[i].kind;
    if (kind == IR_EXPR_CONST)
      return true;
    lex_advance(&parser->lex);
    ir_loc loc = parse_loc(parser);
    const ir_expr *rhs;
    if (!parse_factor(parser, dims, syms, &rhs))
      return false;
    if (kind == IR_EXPR_MUL && !is_symbolic(*expr) && !is_symbolic(rhs))
      return parse_error_at(parser, loc, "not affine: one side of '*' must be a constant or a symbol");
    if (kind != IR_EXPR_MUL && (rhs->kind != IR_EXPR_CONST || rhs->value <= 0))
      return parse_error_at(parser, loc, "the right side of a division or 'mod' must be a positive constant");
    *expr = ir_expr_binary(parser->module, kind, *expr, rhs);
  }
}

static bool parse_sum(ir_parser *parser, const map_names *dims, const map_names *syms, const ir_expr **expr) {
  if (!parse_product(parser, dims, syms, expr))
    return false;
  while (parse_at(parser, '+') || parse_at(parser, '-')) {
    bool negate = parse_at(parser, '-');
    const ir_expr *rhs;
    lex_advance(&parser->lex);
    if (!parse_product(parser, dims, syms, &rhs))
      return false;
    if (negate)
      rhs = ir_expr_by(parser->module, IR_EXPR_MUL, rhs, -1);
    *expr = ir_expr_binary(parser->module, IR_EXPR_ADD, *expr, rhs);
  }
  return true;
}

/* (d0, d1)[s0] -> (sum, ..) */
bool parse_map(ir_parser *parser, const ir_map **map) {
  map_names dims, syms = {.count = 0};
  const ir_expr *results[IR_MAX_LOOPS];
  unsigned count = 0;
  parser->num_factors = 0;
  if (!parse_expect(parser, '(') || !parse_map_names(parser, &dims, ')', NULL))
    return false;
  if (parse_accept(parser, '[') && !parse_map_names(parser, &syms, ']', &dims))
    return false;
  if (!parse_expect(parser, LEX_ARROW) || !parse_expect(parser, '('))
    return false;
  for (; !parse_accept(parser, ')'); count++) {
    if (count && !parse_expect(parser, ','))
      return false;
    if (count == IR_MAX_LOOPS)
      return parse_error(parser, "more than %d results", IR_MAX_LOOPS);
    if (!parse_sum(parser, &dims, &syms, &results[count]))
      return false;
  }
  *map = ir_map_get(parser->module, dims.count, syms.count, count, results);
  return true;
}

/* ------------------------------------------------------------------------------------------------ shaped types */

/* 4x?x8xf32: dims are not made of ordinary tokens (8xf32 has none, 0x8 reads as hexadecimal), so they are read from the
 * text. Leaves the element type as the current token. */
static bool parse_dims(ir_parser *parser, unsigned *rank, int64_t *shape) {
  for (*rank = 0;; ++*rank) {
    const char *at = parser->lex.token.text, *end = parser->lex.end;
    int64_t extent = 0;
    if (parse_at(parser, '?')) {
      extent = IR_DYNAMIC;
      at++;
    } else if (parse_at(parser, LEX_INTEGER)) {
      for (; at < end && lex_is_digit(*at); at++)
        if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, *at - '0', &extent))
          return parse_error(parser, "this extent does not fit in 64 bits");
    } else if (parse_at(parser, '-')) {
      return parse_error(parser, "an extent cannot be negative");
    } else if (parse_at(parser, '*')) {
      return parse_error(parser, "unranked types are not supported: write each extent, ? where it is open");
    } else {
      return true;
    }
    if (at == end || *at != 'x')
      return parse_error(parser, "expected 'x' and an element type after this extent");
    if (*rank == IR_MAX_RANK)
      return parse_error(parser, "more than %d dimensions", IR_MAX_RANK);
    shape[*rank] = extent;
    lex_restart(&parser->lex, at + 1);
  }
}

static bool find_scalar(lex_token token, ir_scalar *scalar) {
  for (*scalar = 0; *scalar < IR_NUM_SCALARS; ++*scalar)
    if (lex_is(token, ir_scalar_name(*scalar)))
      return true;
  return false;
}

static bool parse_scalar(ir_parser *parser, ir_scalar *scalar) {
  if (!parse_at(parser, LEX_WORD) || !find_scalar(parser->lex.token, scalar))
    return parse_error(parser, "expected an element type: i1, i4, i8, i16, i32, i64, index, f16, bf16, f32 or f64");
  lex_advance(&parser->lex);
  return true;
}

/* The memory space numbers are those of LLVM's GPU targets. */
static bool space_of_number(int64_t number, ir_space *space) {
  switch (number) {
  case 0:
  case 1:
    *space = IR_SPACE_GLOBAL;
    return true;
  case 3:
    *space = IR_SPACE_WORKGROUP;
    return true;
  case 4:
    *space = IR_SPACE_CONSTANT;
    return true;
  case 5:
    *space = IR_SPACE_PRIVATE;
    return true;
  default:
    return false;
  }
}

static bool space_of_attr(const ir_attr *attr, ir_space *space) {
  if (attr->kind == IR_ATTR_INT)
    return space_of_number(attr->value, space);
  if (attr->kind != IR_ATTR_KEYWORD || strcmp(attr->name, "gpu.address_space"))
    return false;
  static const char *const names[] = {
      [IR_SPACE_GLOBAL] = "global", [IR_SPACE_WORKGROUP] = "workgroup", [IR_SPACE_PRIVATE] = "private"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(attr->string, names[i])) {
      *space = (ir_space)i;
      return true;
    }
  return false;
}

typedef struct layout {
  bool strided;
  int64_t strides[IR_MAX_RANK], offset;
} layout;

static bool parse_stride(ir_parser *parser, int64_t *value) {
  if (parse_accept(parser, '?')) {
    *value = IR_DYNAMIC;
    return true;
  }
  return parse_integer(parser, value);
}

/* strided<[8, 1], offset: ?> */
static bool parse_strided(ir_parser *parser, unsigned rank, layout *result) {
  result->strided = true;
  unsigned count = 0;
  ir_loc loc = parse_loc(parser);
  lex_advance(&parser->lex);
  if (!parse_expect(parser, '<') || !parse_expect(parser, '['))
    return false;
  for (; !parse_accept(parser, ']'); count++) {
    if (count && !parse_expect(parser, ','))
      return false;
    if (count == rank)
      break;
    if (!parse_stride(parser, &result->strides[count]))
      return false;
  }
  if (count != rank)
    return parse_error_at(parser, loc, "expected %u strides, one a dimension", rank);
  if (parse_accept(parser, ',') &&
      (!parse_expect_word(parser, "offset") || !parse_expect(parser, ':') || !parse_stride(parser, &result->offset)))
    return false;
  return parse_expect(parser, '>');
}

static void add_term(int64_t *sum, int64_t value) {
  if (*sum == IR_DYNAMIC || value == IR_DYNAMIC || __builtin_add_overflow(*sum, value, sum))
    *sum = IR_DYNAMIC;
}

/* Adds expr * factor to strides and offset; false if it is not a sum of such terms. */
static bool add_linear(const ir_expr *expr, int64_t factor, layout *result) {
  switch (expr->kind) {
  case IR_EXPR_ADD:
    return add_linear(expr->lhs, factor, result) && add_linear(expr->rhs, factor, result);
  case IR_EXPR_MUL:
    if (factor != 1 || !is_symbolic(expr->rhs))
      return false;
    return add_linear(expr->lhs, expr->rhs->kind == IR_EXPR_CONST ? expr->rhs->value : IR_DYNAMIC, result);
  case IR_EXPR_DIM:
    add_term(&result->strides[expr->value], factor);
    return true;
  case IR_EXPR_SYM:
    add_term(&result->offset, IR_DYNAMIC);
    return true;
  case IR_EXPR_CONST:
    add_term(&result->offset, factor == 1 ? expr->value : IR_DYNAMIC);
    return true;
  default:
    return false;
  }
}

/* Older spelling of strided<..>: an affine map with one linear result; or an identity map. */
static bool layout_of_map(const ir_map *map, unsigned rank, layout *result) {
  if (map->num_dims != rank)
    return false;
  if (ir_map_is_identity(map) && map->num_results == rank)
    return true;
  result->strided = true;
  memset(result->strides, 0, sizeof result->strides);
  return map->num_results == 1 && add_linear(map->results[0], 1, result);
}

/* , layout, space: either may be missing. */
static bool parse_memref_rest(ir_parser *parser, unsigned rank, layout *result, ir_space *space) {
  for (unsigned i = 0; i < 2 && parse_accept(parser, ','); i++) {
    ir_loc loc = parse_loc(parser);
    const ir_attr *attr;
    if (!i && parse_at_word(parser, "strided")) {
      if (!parse_strided(parser, rank, result))
        return false;
      continue;
    }
    if (!parse_attr(parser, NULL, &attr))
      return false;
    if (!i && attr->kind == IR_ATTR_MAP) {
      if (!layout_of_map(attr->map, rank, result))
        return parse_error_at(parser, loc, "this layout is not strided");
      continue;
    }
    return space_of_attr(attr, space) ||
           parse_error_at(parser, loc, "unknown memory space: expected 0, 1, 3, 4, 5 or #gpu.address_space<..>");
  }
  return true;
}

/* tensor<..>, vector<..>, memref<..> or !amx.tile<16x32xbf16>; the word is consumed. */
static bool parse_shaped(ir_parser *parser, ir_type_kind kind, const ir_type **type) {
  unsigned rank;
  int64_t shape[IR_MAX_RANK];
  ir_scalar element;
  layout strides = {0};
  ir_space space = IR_SPACE_GLOBAL;
  ir_loc loc = parse_loc(parser);
  if (!parse_expect(parser, '<') || !parse_dims(parser, &rank, shape) || !parse_scalar(parser, &element))
    return false;
  if (kind == IR_TYPE_MEMREF && !parse_memref_rest(parser, rank, &strides, &space))
    return false;
  if (!parse_expect(parser, '>'))
    return false;
  for (unsigned i = 0; kind == IR_TYPE_VECTOR && i < rank; i++)
    if (shape[i] <= 0)
      return parse_error_at(parser, loc, "the extents of a vector are positive constants");
  if (kind == IR_TYPE_TILE && (rank != 2 || !ir_tile_fits(element, shape[0], shape[1])))
    return parse_error_at(parser, loc, "a tile has 1 to 16 rows of f32 or bf16, of 4 to 64 bytes in whole words");
  if (kind == IR_TYPE_TENSOR)
    *type = ir_type_tensor(parser->module, element, rank, shape);
  else if (kind == IR_TYPE_MEMREF)
    *type = ir_type_memref(parser->module, element, rank, shape, strides.strided ? strides.strides : NULL,
                           strides.offset, space);
  else if (kind == IR_TYPE_VECTOR)
    *type = ir_type_vector(parser->module, element, rank, shape);
  else
    *type = ir_type_tile(parser->module, element, shape[0], shape[1]);
  return true;
}

/* ------------------------------------------------------------------------------------------------------- types */

/* !pdl.operation, !transform.any_op, !transform.op<"..">, !amx.tile<..>, !alias */
static bool parse_bang(ir_parser *parser, const ir_type **type) {
  static const char *const handles[] = {"!transform.any_op", "!pdl.operation"};
  lex_token token = parser->lex.token;
  const ir_definition *alias = ir_names_find(&parser->types, token.text, token.size);
  if (alias) {
    *type = alias->what;
    lex_advance(&parser->lex);
    return true;
  }
  bool named = lex_is(token, "!transform.op"), known = named;
  for (unsigned i = 0; i < sizeof handles / sizeof *handles; i++)
    known |= lex_is(token, handles[i]);
  if (lex_is(token, "!nvgpu.device.async.token")) {
    *type = ir_type_token(parser->module);
    lex_advance(&parser->lex);
    return true;
  }
  if (lex_is(token, "!amx.tile")) {
    lex_advance(&parser->lex);
    return parse_shaped(parser, IR_TYPE_TILE, type);
  }
  if (!known)
    return parse_error(parser, "unknown type '%.*s'", (int)token.size, token.text);
  lex_advance(&parser->lex);
  *type = ir_type_handle(parser->module);
  return !named || (parse_expect(parser, '<') && parse_expect(parser, LEX_STRING) && parse_expect(parser, '>'));
}

bool parse_function_type(ir_parser *parser, parser_types *inputs, parser_types *results) {
  if (!parse_at(parser, '('))
    return parse_error(parser, "expected '(' and the operand types");
  return parse_type_group(parser, inputs) && parse_expect(parser, LEX_ARROW) && parse_type_group(parser, results);
}

static bool parse_word_type(ir_parser *parser, const ir_type **type) {
  lex_token token = parser->lex.token;
  ir_scalar scalar;
  if (find_scalar(token, &scalar)) {
    lex_advance(&parser->lex);
    *type = ir_type_scalar(parser->module, scalar);
    return true;
  }
  static const struct {
    const char *word;
    ir_type_kind kind;
  } shaped[] = {{"tensor", IR_TYPE_TENSOR}, {"vector", IR_TYPE_VECTOR}, {"memref", IR_TYPE_MEMREF}};
  for (unsigned i = 0; i < 3; i++)
    if (parse_accept_word(parser, shaped[i].word))
      return parse_shaped(parser, shaped[i].kind, type);
  return parse_error(parser, "unknown type '%.*s'", (int)token.size, token.text);
}

bool parse_type(ir_parser *parser, const ir_type **type) {
  if (parse_at(parser, LEX_BANG))
    return parse_bang(parser, type);
  if (parse_at(parser, LEX_WORD))
    return parse_word_type(parser, type);
  if (!parse_at(parser, '('))
    return parse_error(parser, "expected a type");
  parser_types inputs = {0}, results = {0};
  if (!parse_enter(parser) || !parse_function_type(parser, &inputs, &results))
    return false;
  parser->nesting--;
  *type = ir_type_function(parser->module, inputs.count, inputs.types, results.count, results.types);
  return true;
}

bool parse_type_list(ir_parser *parser, parser_types *types) {
  do {
    const ir_type *type;
    if (!parse_type(parser, &type))
      return false;
    PARSE_PUSH(parser, types, types, type);
  } while (parse_accept(parser, ','));
  return true;
}

bool parse_type_group(ir_parser *parser, parser_types *types) {
  if (parse_accept(parser, '(')) {
    if (parse_accept(parser, ')'))
      return true;
    return parse_type_list(parser, types) && parse_expect(parser, ')');
  }
  const ir_type *type;
  if (!parse_type(parser, &type))
    return false;
  PARSE_PUSH(parser, types, types, type);
  return true;
}
