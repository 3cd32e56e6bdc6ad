/* ptx_parse.c - PTX text to decoded instructions: declarations, functions and their scopes. ptx_decode.c reads the
 * instructions.
 *
 * Ignored, with the reason: .loc, .file and .section (positions for debuggers), .pragma, .minnctapersm, .maxnreg and
 * .noreturn (hints to the register allocator), .visible and .weak (there is one module, so nothing to link).
 *
 * Terminates: every loop consumes tokens, and nesting of braces is limited. Symbols are searched one by one, so their
 * number is limited too; jumps are resolved by binary search. */
#include "runtime/ptx_parse.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SYMBOLS = 1 << 14, MAX_NESTING = 64, MAX_FILE_BYTES = 1 << 28, MAX_ALIGNMENT = 4096 };

bool ptx_grow(void *list, uint32_t *capacity, uint32_t count, size_t size) {
  if (count < *capacity)
    return true;
  uint32_t wanted = *capacity ? *capacity * 2 : 16;
  void *memory;
  memcpy(&memory, list, sizeof memory);
  memory = wanted > *capacity ? realloc(memory, wanted * size) : NULL;
  if (!memory)
    return false;
  memcpy(list, &memory, sizeof memory);
  *capacity = wanted;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- symbols */

/* `%r12` is number 12 of the range `%r<100>`. */
static bool symbol_matches(const ptx_symbol *symbol, const char *name, uint32_t length, uint32_t *number) {
  if (length < symbol->length || memcmp(symbol->name, name, symbol->length))
    return false;
  *number = 0;
  if (!symbol->count)
    return length == symbol->length;
  uint64_t value = 0;
  for (uint32_t i = symbol->length; i < length; i++) {
    if (name[i] < '0' || name[i] > '9' || value >= symbol->count)
      return false;
    value = value * 10 + (uint64_t)(name[i] - '0');
  }
  *number = (uint32_t)value;
  return length > symbol->length && value < symbol->count;
}

const ptx_symbol *ptx_find(const ptx_parser *parser, const char *name, uint32_t length, uint32_t *number) {
  for (uint32_t i = parser->num_symbols; i-- > 0;) {
    const ptx_symbol *symbol = &parser->symbols[i];
    if (symbol->kind != SYMBOL_LABEL && symbol_matches(symbol, name, length, number))
      return symbol;
  }
  return NULL;
}

/* Declares a name in the current scope; an error if it is already declared there. */
static ptx_symbol *ptx_declare(ptx_parser *parser, ptx_symbol symbol) {
  for (uint32_t i = 0; i < parser->num_symbols; i++) {
    const ptx_symbol *other = &parser->symbols[i];
    if (other->scope == parser->scope && ptx_same(other->name, other->length, symbol.name, symbol.length)) {
      ptx_fail(parser, "'%.*s' is declared twice", (int)symbol.length, symbol.name);
      return NULL;
    }
  }
  if (parser->num_symbols >= MAX_SYMBOLS) {
    ptx_fail(parser, "too many names");
    return NULL;
  }
  if (!ptx_grow(&parser->symbols, &parser->capacity_symbols, parser->num_symbols, sizeof *parser->symbols)) {
    ptx_fail_memory(parser);
    return NULL;
  }
  symbol.scope = parser->scope;
  parser->symbols[parser->num_symbols] = symbol;
  return &parser->symbols[parser->num_symbols++];
}

static bool take_name(ptx_parser *parser, ptx_token *name) {
  *name = parser->token;
  if (parser->failed || name->kind != TOKEN_WORD || *name->text == '.')
    return ptx_fail(parser, "expected a name");
  ptx_advance(parser);
  return !parser->failed;
}

/* ----------------------------------------------------------------------------------------------------- declarations */

static uint32_t align_up(uint32_t value, uint32_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/* What stands between the space and the name: `.align 16 .b8`. */
typedef struct declaration {
  ptx_token name;
  ptx_type type;
  uint32_t alignment, size; /* bytes; size 0: `name[]` */
} declaration;

static bool parse_alignment(ptx_parser *parser, uint32_t *alignment) {
  int64_t value;
  if (!ptx_integer(parser, &value))
    return false;
  if (value < 1 || value > MAX_ALIGNMENT || (value & (value - 1)))
    return ptx_fail(parser, "the alignment must be a power of two up to %d", MAX_ALIGNMENT);
  *alignment = (uint32_t)value;
  return true;
}

/* The attributes of pointers tell what they point to; the emulator checks the accesses themselves. */
static bool skip_pointer(ptx_parser *parser) {
  static const char *const spaces[] = {".global", ".shared", ".local", ".const"};
  if (!ptx_take_word(parser, ".ptr"))
    return true;
  for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (ptx_take_word(parser, spaces[i]))
      break;
  uint32_t alignment;
  return ptx_take_word(parser, ".align") ? parse_alignment(parser, &alignment) : !parser->failed;
}

static bool parse_declaration(ptx_parser *parser, declaration *declared) {
  *declared = (declaration){.alignment = 0};
  if (ptx_take_word(parser, ".align") && !parse_alignment(parser, &declared->alignment))
    return false;
  const ptx_token *token = &parser->token;
  declared->type = PTX_NUM_TYPES;
  if (!parser->failed && token->kind == TOKEN_WORD && token->length > 1 && *token->text == '.')
    declared->type = ptx_find_type(token->text + 1, token->length - 1);
  if (declared->type == PTX_NUM_TYPES || declared->type == PTX_PRED)
    return ptx_fail(parser, "expected a type");
  ptx_advance(parser);
  if (!skip_pointer(parser) || !take_name(parser, &declared->name))
    return false;
  uint32_t element = ptx_types[declared->type].bits / 8u;
  if (declared->alignment < element)
    declared->alignment = element;
  declared->size = element;
  if (ptx_take(parser, '[')) {
    int64_t count = 0;
    if (!ptx_at(parser, ']') && (!ptx_integer(parser, &count) || count < 1 || count > (1 << 30) / (int64_t)element))
      return ptx_fail(parser, "the array is too large or has no element");
    declared->size = (uint32_t)count * element;
    return ptx_expect(parser, ']');
  }
  return !parser->failed;
}

static bool declare_variable(ptx_parser *parser, const declaration *declared, uint8_t kind, uint8_t space,
                             uint64_t address) {
  return ptx_declare(parser, (ptx_symbol){.name = declared->name.text,
                                          .length = declared->name.length,
                                          .kind = kind,
                                          .space = space,
                                          .size = declared->size,
                                          .value = address}) != NULL;
}

/* `= 5` or `= {1, 2}`: elements of the variable's type; what is not given is zero. */
static bool parse_initialiser(ptx_parser *parser, const declaration *declared, unsigned char *memory) {
  uint32_t element = ptx_types[declared->type].bits / 8u, at = 0;
  bool braces = ptx_take(parser, '{');
  do {
    bool negative = ptx_take(parser, '-');
    if (parser->failed || parser->token.kind != TOKEN_NUMBER || at >= declared->size)
      return ptx_fail(parser, "expected a number for each element and no more");
    uint64_t bits = negative ? 0 - parser->token.bits : parser->token.bits;
    memcpy(memory + at, &bits, element); /* little endian, as PTX */
    at += element;
    ptx_advance(parser);
  } while (braces && ptx_take(parser, ','));
  return braces ? ptx_expect(parser, '}') : !parser->failed;
}

static bool parse_module_variable(ptx_parser *parser, uint8_t space) {
  ptx_module *module = parser->module;
  declaration declared;
  if (!parse_declaration(parser, &declared))
    return false;
  if (!declared.size)
    return ptx_fail(parser, "a variable without a size is defined elsewhere");
  if (!ptx_grow(&module->variables, &module->capacity_variables, module->num_variables, sizeof *module->variables))
    return ptx_fail_memory(parser);
  uint32_t alignment = declared.alignment < 64 ? 64 : declared.alignment;
  uint32_t size = align_up(declared.size, alignment);
  unsigned char *memory = aligned_alloc(alignment, size);
  if (!memory)
    return ptx_fail_memory(parser);
  memset(memory, 0, size);
  module->variables[module->num_variables++] = (ptx_variable){memory, declared.size, space == SPACE_CONST};
  if (ptx_take(parser, '=') && !parse_initialiser(parser, &declared, memory))
    return false;
  return declare_variable(parser, &declared, SYMBOL_VARIABLE, space, (uint64_t)(uintptr_t)memory);
}

/* A variable in .shared. One declared in an entry overlaps those of other entries, never those of the module. */
static bool parse_shared(ptx_parser *parser, bool external) {
  ptx_module *module = parser->module;
  ptx_function *function = parser->in_function ? &module->functions[parser->function] : NULL;
  declaration declared;
  if (!parse_declaration(parser, &declared))
    return false;
  if (external != (declared.size == 0))
    return ptx_fail(parser, "a shared array has a size, unless it is .extern");
  if (external) {
    if (module->dynamic_alignment < declared.alignment)
      module->dynamic_alignment = declared.alignment;
    return declare_variable(parser, &declared, SYMBOL_VARIABLE, SPACE_SHARED, PTX_DYNAMIC_SHARED);
  }
  bool own = function && function->entry;
  uint32_t start = align_up(own ? function->shared_bytes : parser->shared_top, declared.alignment);
  if (declared.size > PTX_DYNAMIC_SHARED || start + declared.size > ptx_shared_limit(module->target))
    return ptx_fail(parser, "the shared variables need more than the %u bytes of sm_%u",
                    ptx_shared_limit(module->target), module->target);
  uint32_t end = start + declared.size;
  if (own)
    function->shared_bytes = end;
  else
    module->shared_bytes = end;
  if (parser->shared_top < end)
    parser->shared_top = end;
  return declare_variable(parser, &declared, SYMBOL_VARIABLE, SPACE_SHARED, start);
}

/* A variable in the memory of each thread: .local, and .param within a body or of a function. */
static bool parse_thread_variable(ptx_parser *parser, uint8_t kind, ptx_parameter *parameter) {
  declaration declared;
  if (!parse_declaration(parser, &declared))
    return false;
  uint32_t start = align_up(parser->module->local_bytes, declared.alignment);
  if (!declared.size || declared.size > PTX_MAX_LOCAL_BYTES || start + declared.size > PTX_MAX_LOCAL_BYTES)
    return ptx_fail(parser, "the variables of a thread need more than %d bytes", PTX_MAX_LOCAL_BYTES);
  parser->module->local_bytes = start + declared.size;
  if (parameter)
    *parameter = (ptx_parameter){start, declared.size};
  return declare_variable(parser, &declared, kind, SPACE_LOCAL, start);
}

static bool parse_registers(ptx_parser *parser) {
  const ptx_token *token = &parser->token;
  ptx_type type =
      token->kind == TOKEN_WORD && token->length ? ptx_find_type(token->text + 1, token->length - 1) : PTX_NUM_TYPES;
  if (parser->failed || type == PTX_NUM_TYPES)
    return ptx_fail(parser, "expected a type");
  ptx_advance(parser);
  uint8_t bits = ptx_types[type].bits,
          file = parser->module->functions[parser->function].entry ? FILE_ENTRY : FILE_FUNCTION;
  uint32_t *top = &parser->module->file_bytes[file];
  do {
    ptx_token name;
    int64_t count = 0;
    if (!take_name(parser, &name))
      return false;
    if (ptx_take(parser, '<')) {
      if (!ptx_integer(parser, &count) || !ptx_expect(parser, '>'))
        return false;
      if (count < 1)
        return ptx_fail(parser, "expected a positive number of registers");
    }
    uint64_t bytes = (uint64_t)(count ? count : 1) * ptx_slot_bytes(bits);
    uint32_t start = align_up(*top, 64);
    if (count > MAX_FILE_BYTES || start + bytes > MAX_FILE_BYTES)
      return ptx_fail(parser, "too many registers");
    *top = start + (uint32_t)bytes;
    if (!ptx_declare(parser, (ptx_symbol){.name = name.text,
                                          .length = name.length,
                                          .kind = SYMBOL_REGISTER,
                                          .file = file,
                                          .bits = bits,
                                          .count = (uint32_t)count,
                                          .value = start}))
      return false;
  } while (ptx_take(parser, ','));
  return !parser->failed;
}

/* ----------------------------------------------------------------------------------------------------------- labels */

static int compare_labels(const void *left, const void *right) {
  const ptx_symbol *a = left, *b = right;
  uint32_t length = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->name, b->name, length);
  if (order)
    return order;
  if (a->length != b->length)
    return a->length < b->length ? -1 : 1;
  return (a->scope > b->scope) - (a->scope < b->scope);
}

/* A label of an inline block is visible within it, so the search goes from the jump's scope outward. */
static bool resolve_jumps(ptx_parser *parser, ptx_symbol *labels, uint32_t num_labels) {
  qsort(labels, num_labels, sizeof *labels, compare_labels);
  for (uint32_t i = 0; i < parser->num_fixups; i++) {
    const ptx_fixup *fixup = &parser->fixups[i];
    const ptx_symbol *label = NULL;
    for (uint32_t scope = fixup->scope; scope && !label && num_labels; scope = parser->parents[scope]) {
      ptx_symbol wanted = {.name = fixup->name, .length = fixup->length, .scope = scope};
      label = bsearch(&wanted, labels, num_labels, sizeof *labels, compare_labels);
    }
    if (!label) {
      parser->token.line = fixup->line;
      return ptx_fail(parser, "there is no label '%.*s'", (int)fixup->length, fixup->name);
    }
    uint32_t *place =
        fixup->in_table ? &parser->module->targets[fixup->place] : &parser->module->code[fixup->place].target;
    *place = (uint32_t)label->value;
  }
  parser->num_fixups = 0;
  return true;
}

/* `.branchtargets A, B;` after the label that names the list. */
static bool parse_branch_targets(ptx_parser *parser, ptx_token name) {
  ptx_module *module = parser->module;
  uint32_t first = module->num_targets;
  do {
    ptx_token label;
    if (!take_name(parser, &label))
      return false;
    if (!ptx_grow(&parser->fixups, &parser->capacity_fixups, parser->num_fixups, sizeof *parser->fixups) ||
        !ptx_grow(&module->targets, &module->capacity_targets, module->num_targets, sizeof *module->targets))
      return ptx_fail_memory(parser);
    parser->fixups[parser->num_fixups++] =
        (ptx_fixup){label.text, label.length, parser->scope, label.line, true, module->num_targets};
    module->targets[module->num_targets++] = 0;
  } while (ptx_take(parser, ','));
  return ptx_declare(parser, (ptx_symbol){.name = name.text,
                                          .length = name.length,
                                          .kind = SYMBOL_TABLE,
                                          .value = first,
                                          .size = module->num_targets - first}) &&
         ptx_expect(parser, ';');
}

static bool parse_label(ptx_parser *parser, ptx_token name) {
  if (ptx_take_word(parser, ".branchtargets"))
    return parse_branch_targets(parser, name);
  return ptx_declare(parser, (ptx_symbol){.name = name.text,
                                          .length = name.length,
                                          .kind = SYMBOL_LABEL,
                                          .value = parser->module->num_code}) != NULL;
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

static void skip_line(ptx_parser *parser) {
  uint32_t line = parser->token.line;
  while (!parser->failed && parser->token.kind != TOKEN_END && parser->token.line == line)
    ptx_advance(parser);
}

static bool skip_pragma(ptx_parser *parser) {
  do {
    if (parser->failed || parser->token.kind != TOKEN_STRING)
      return ptx_fail(parser, "expected a string");
    ptx_advance(parser);
  } while (ptx_take(parser, ','));
  return ptx_expect(parser, ';');
}

static bool at_label(const ptx_parser *parser) {
  const char *at = parser->next;
  while (at < parser->end && (*at == ' ' || *at == '\t'))
    at++;
  return parser->token.kind == TOKEN_WORD && *parser->token.text != '.' && at < parser->end && *at == ':';
}

static bool parse_statement(ptx_parser *parser) {
  if (ptx_word_is(parser, ".loc") || ptx_word_is(parser, ".file")) {
    skip_line(parser);
    return !parser->failed;
  }
  if (ptx_take_word(parser, ".pragma"))
    return skip_pragma(parser);
  if (ptx_take_word(parser, ".reg"))
    return parse_registers(parser) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".shared"))
    return parse_shared(parser, false) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".local"))
    return parse_thread_variable(parser, SYMBOL_VARIABLE, NULL) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".param"))
    return parse_thread_variable(parser, SYMBOL_PARAMETER, NULL) && ptx_expect(parser, ';');
  if (!parser->failed && at_label(parser)) {
    ptx_token name = parser->token;
    ptx_advance(parser);
    return ptx_expect(parser, ':') && parse_label(parser, name);
  }
  return ptx_decode(parser);
}

static bool open_scope(ptx_parser *parser) {
  if (!ptx_grow(&parser->parents, &parser->capacity_scopes, parser->num_scopes, sizeof *parser->parents))
    return ptx_fail_memory(parser);
  parser->parents[parser->num_scopes] = parser->scope;
  parser->scope = parser->num_scopes++;
  return true;
}

/* Forgets the names of the current scope; its labels wait behind the names that stay, for the end of the function. */
static void close_scope(ptx_parser *parser) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < parser->num_symbols; i++) {
    const ptx_symbol *symbol = &parser->symbols[i];
    if (symbol->scope != parser->scope || symbol->kind == SYMBOL_LABEL)
      parser->symbols[kept++] = *symbol;
  }
  parser->num_symbols = kept;
  parser->scope = parser->parents[parser->scope];
}

/* Statements up to the closing brace of the function; inner braces are scopes. */
static bool parse_body(ptx_parser *parser) {
  for (unsigned depth = 1; depth;) {
    if (ptx_take(parser, '{')) {
      if (++depth > MAX_NESTING)
        return ptx_fail(parser, "more than %d nested braces", MAX_NESTING);
      if (!open_scope(parser))
        return false;
    } else if (ptx_at(parser, '}')) {
      if (--depth == 0 && !ptx_decode_return(parser))
        return false;
      if (depth)
        close_scope(parser);
      ptx_advance(parser);
    } else if (!ptx_take(parser, ';') && !parse_statement(parser)) {
      return false;
    }
    if (parser->failed)
      return false;
  }
  return true;
}

/* Takes the labels out of the symbols and resolves the function's jumps. */
static bool finish_body(ptx_parser *parser) {
  ptx_symbol *labels = malloc((parser->num_symbols + 1) * sizeof *labels);
  if (!labels)
    return ptx_fail_memory(parser);
  uint32_t num_labels = 0;
  for (uint32_t i = 0; i < parser->num_symbols; i++)
    if (parser->symbols[i].kind == SYMBOL_LABEL)
      labels[num_labels++] = parser->symbols[i];
  bool resolved = resolve_jumps(parser, labels, num_labels);
  free(labels);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < parser->num_symbols; i++)
    if (parser->symbols[i].scope == 0)
      parser->symbols[kept++] = parser->symbols[i];
  parser->num_symbols = kept;
  parser->scope = 0;
  return resolved;
}

/* -------------------------------------------------------------------------------------------------------- functions */

static bool add_parameter(ptx_parser *parser, ptx_function *function, ptx_parameter parameter) {
  ptx_parameter *list = realloc(function->parameters, (function->num_parameters + 1) * sizeof *function->parameters);
  if (!list)
    return ptx_fail_memory(parser);
  function->parameters = list;
  list[function->num_parameters++] = parameter;
  return true;
}

static bool parse_parameter(ptx_parser *parser, ptx_function *function) {
  ptx_parameter parameter;
  if (!ptx_take_word(parser, ".param"))
    return ptx_fail(parser, "expected .param");
  if (!function->entry)
    return parse_thread_variable(parser, SYMBOL_PARAMETER, &parameter) && add_parameter(parser, function, parameter);
  declaration declared;
  if (!parse_declaration(parser, &declared))
    return false;
  parameter = (ptx_parameter){align_up(function->parameter_bytes, declared.alignment), declared.size};
  if (!declared.size || declared.size > 32764 || parameter.offset + parameter.size > 32764)
    return ptx_fail(parser, "the parameters need more than 32764 bytes");
  function->parameter_bytes = parameter.offset + parameter.size;
  return declare_variable(parser, &declared, SYMBOL_PARAMETER, SPACE_PARAM, parameter.offset) &&
         add_parameter(parser, function, parameter);
}

static bool parse_parameters(ptx_parser *parser, ptx_function *function) {
  if (!ptx_take(parser, '('))
    return !parser->failed;
  while (!ptx_at(parser, ')')) {
    if (!parse_parameter(parser, function))
      return false;
    if (!ptx_take(parser, ','))
      break;
  }
  return ptx_expect(parser, ')');
}

/* One to three extents. */
static bool parse_extents(ptx_parser *parser, uint32_t extents[3]) {
  for (unsigned i = 0; i < 3; i++)
    extents[i] = 1;
  for (unsigned i = 0; i < 3; i++) {
    int64_t value;
    if (!ptx_integer(parser, &value) || value < 1 || value > 1024)
      return ptx_fail(parser, "expected a number of threads, 1 to 1024");
    extents[i] = (uint32_t)value;
    if (!ptx_take(parser, ','))
      break;
  }
  return !parser->failed;
}

static bool parse_attributes(ptx_parser *parser, ptx_function *function) {
  int64_t hint;
  for (;;) {
    if (ptx_take_word(parser, ".reqntid")) {
      if (!parse_extents(parser, function->required_threads))
        return false;
    } else if (ptx_take_word(parser, ".maxntid")) {
      if (!parse_extents(parser, function->most_threads))
        return false;
    } else if (ptx_take_word(parser, ".minnctapersm") || ptx_take_word(parser, ".maxnreg")) {
      if (!ptx_integer(parser, &hint))
        return false;
    } else if (ptx_take_word(parser, ".pragma")) {
      if (!skip_pragma(parser))
        return false;
    } else if (!ptx_take_word(parser, ".noreturn")) {
      return !parser->failed;
    }
  }
}

/* The function of that name, from a prototype, or a new one. */
static ptx_function *find_function(ptx_parser *parser, const ptx_token *name) {
  ptx_module *module = parser->module;
  for (uint32_t i = 0; i < module->num_functions; i++)
    if (ptx_same(module->functions[i].name, (uint32_t)strlen(module->functions[i].name), name->text, name->length)) {
      parser->function = i;
      return &module->functions[i];
    }
  char *copy = malloc(name->length + 1);
  if (!copy ||
      !ptx_grow(&module->functions, &module->capacity_functions, module->num_functions, sizeof *module->functions)) {
    free(copy);
    ptx_fail_memory(parser);
    return NULL;
  }
  memcpy(copy, name->text, name->length);
  copy[name->length] = 0;
  parser->function = module->num_functions;
  module->functions[module->num_functions] = (ptx_function){.name = copy};
  return &module->functions[module->num_functions++];
}

static bool parse_function(ptx_parser *parser, bool entry) {
  ptx_function signature = {.entry = entry};
  ptx_token name;
  bool parsed = open_scope(parser) && (entry || parse_parameters(parser, &signature));
  signature.num_results = signature.num_parameters;
  parsed = parsed && take_name(parser, &name) && parse_parameters(parser, &signature) &&
           parse_attributes(parser, &signature);
  ptx_function *function = parsed ? find_function(parser, &name) : NULL;
  if (function && function->defined)
    ptx_fail(parser, "'%s' is defined twice", function->name);
  if (!function || parser->failed) {
    free(signature.parameters);
    return false;
  }
  free(function->parameters);
  signature.name = function->name;
  signature.first = parser->module->num_code;
  signature.shared_bytes = parser->module->shared_bytes;
  *function = signature;
  if (ptx_take(parser, ';'))
    return finish_body(parser);
  parser->in_function = true;
  if (!ptx_expect(parser, '{') || !parse_body(parser) || !finish_body(parser))
    return false;
  parser->in_function = false;
  function = &parser->module->functions[parser->function];
  function->defined = true;
  function->end = parser->module->num_code;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- modules */

static bool parse_target(ptx_parser *parser) {
  const ptx_token *token = &parser->token;
  unsigned target = 0;
  if (parser->failed || token->kind != TOKEN_WORD || token->length < 5 || memcmp(token->text, "sm_", 3))
    return ptx_fail(parser, "expected sm_ and a number");
  uint32_t i = 3;
  for (; i < token->length && i < 7 && token->text[i] >= '0' && token->text[i] <= '9'; i++)
    target = target * 10 + (unsigned)(token->text[i] - '0');
  parser->module->target = target;
  parser->module->specific = i < token->length && token->text[i] == 'a';
  skip_line(parser);
  return !parser->failed;
}

static bool skip_section(ptx_parser *parser) {
  while (!parser->failed && parser->token.kind != TOKEN_END && !ptx_at(parser, '}'))
    ptx_advance(parser);
  return ptx_expect(parser, '}');
}

static bool parse_directive(ptx_parser *parser) {
  bool external = false;
  while (ptx_word_is(parser, ".visible") || ptx_word_is(parser, ".weak") || ptx_word_is(parser, ".extern")) {
    external |= ptx_word_is(parser, ".extern");
    ptx_advance(parser);
  }
  if (ptx_take_word(parser, ".entry"))
    return parse_function(parser, true);
  if (ptx_take_word(parser, ".func"))
    return parse_function(parser, false);
  if (ptx_take_word(parser, ".global"))
    return parse_module_variable(parser, SPACE_GLOBAL) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".const"))
    return parse_module_variable(parser, SPACE_CONST) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".shared"))
    return parse_shared(parser, external) && ptx_expect(parser, ';');
  if (ptx_take_word(parser, ".pragma"))
    return skip_pragma(parser);
  if (ptx_take_word(parser, ".section"))
    return skip_section(parser);
  if (ptx_take_word(parser, ".target"))
    return parse_target(parser);
  if (ptx_word_is(parser, ".version") || ptx_word_is(parser, ".file")) {
    skip_line(parser);
    return !parser->failed;
  }
  if (ptx_take_word(parser, ".address_size")) {
    int64_t bits;
    return ptx_integer(parser, &bits) && (bits == 64 || ptx_fail(parser, "addresses must have 64 bits"));
  }
  return ptx_fail(parser, "unknown directive");
}

/* Every called function is defined, and its arguments are as large as its parameters. */
static bool check_calls(ptx_parser *parser) {
  const ptx_module *module = parser->module;
  for (uint32_t i = 0; i < module->num_code; i++) {
    const ptx_instruction *call = &module->code[i];
    if (call->op != OP_CALL)
      continue;
    parser->token.line = call->line;
    const ptx_function *callee = &module->functions[call->target];
    if (!callee->defined || callee->entry)
      return ptx_fail(parser, "there is no function '%s'", callee->name);
    if (callee->num_parameters != call->num_operands || callee->num_results != call->num_targets)
      return ptx_fail(parser, "'%s' has other parameters", callee->name);
    for (uint32_t k = 0; k < call->num_operands; k++)
      if (module->operands[call->operands + k].offset != callee->parameters[k].size)
        return ptx_fail(parser, "an argument of '%s' has another size", callee->name);
  }
  return true;
}

tec_status ptx_module_load(const char *text, size_t size, ptx_module **result, ptx_message *message) {
  ptx_parser parser = {.message = message, .line = 1};
  ptx_module *module = calloc(1, sizeof *module);
  *message = (ptx_message){""};
  if (module && size < UINT32_MAX / 2)
    module->text = malloc(size + 1);
  if (!module || !module->text) {
    free(module);
    strcpy(message->text, "out of memory for the PTX text");
    return TEC_OUT_OF_MEMORY;
  }
  memcpy(module->text, text, size);
  module->text[size] = 0;
  module->size = size;
  module->target = 80;
  module->file_bytes[FILE_ENTRY] = PTX_LANES * 8; /* what is written to `_` goes there */
  parser.module = module;
  parser.next = module->text;
  parser.end = module->text + size;
  if (ptx_grow(&parser.parents, &parser.capacity_scopes, 0, sizeof *parser.parents))
    parser.parents[parser.num_scopes++] = 0;
  else
    ptx_fail_memory(&parser);
  ptx_advance(&parser);
  while (!parser.failed && parser.token.kind != TOKEN_END)
    parse_directive(&parser);
  if (!parser.failed)
    check_calls(&parser);
  free(parser.parents);
  free(parser.symbols);
  free(parser.fixups);
  if (parser.failed) {
    ptx_module_free(module);
    return parser.status;
  }
  *result = module;
  return TEC_OK;
}

void ptx_module_free(ptx_module *module) {
  if (!module)
    return;
  for (uint32_t i = 0; i < module->num_functions; i++) {
    free(module->functions[i].name);
    free(module->functions[i].parameters);
  }
  for (uint32_t i = 0; i < module->num_variables; i++)
    free(module->variables[i].memory);
  free(module->functions);
  free(module->variables);
  free(module->code);
  free(module->operands);
  free(module->targets);
  free(module->constants);
  free(module->text);
  free(module);
}

uint32_t ptx_shared_limit(unsigned target) {
  static const struct {
    unsigned target, kibibytes;
  } rows[] = {{80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227}, {101, 227}, {103, 227}, {120, 99}};
  uint32_t bytes = 48 << 10;
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].target <= target)
      bytes = rows[i].kibibytes << 10;
  return bytes;
}
