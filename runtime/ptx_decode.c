/* ptx_decode.c - one PTX instruction: its row of ptx_op.def, modifiers and operands.
 *
 * A mnemonic is the longest row text that starts it; what follows are modifiers, each of which must be known and
 * allowed. check_meaning then refuses combinations that have no meaning, so that the emulator never meets one and never
 * ignores what a modifier asks for. Terminates: one pass over the tokens up to `;`. */
#include "runtime/ptx_parse.h"

#include <string.h>

#define T(id) (1u << PTX_##id)

typedef struct op_row {
  const char *text, *operands;
  uint8_t op, num_types, unit;
  uint32_t types;
  uint64_t required, optional;
} op_row;

#define G(name) ((uint64_t)1 << PTX_##name)

static const op_row rows[] = {
#define OP(id, text, operands, num_types, types, required, optional, unit)                                             \
  {text, operands, OP_##id, num_types, UNIT_##unit, types, required, optional},
#define FORM OP
#include "runtime/ptx_op.def"
};

static const struct {
  const char *text;
  uint8_t group, value;
} modifiers[] = {
#define MODIFIER(text, group, value) {text, PTX_##group, value},
#define GROUP MODIFIER
#include "runtime/ptx_op.def"
};

static const struct {
  const char *text;
  uint8_t bits;
} specials[] = {
#define SPECIAL(id, text, bits) {text, bits},
#include "runtime/ptx_op.def"
};

const ptx_type_row ptx_types[PTX_NUM_TYPES] = {
#define TYPE(id, text, bits, kind, element) {text, bits, KIND_##kind, PTX_##element},
#include "runtime/ptx_op.def"
};

enum { NUM_ROWS = sizeof rows / sizeof *rows, NUM_MODIFIERS = sizeof modifiers / sizeof *modifiers };

ptx_type ptx_find_type(const char *text, uint32_t length) {
  for (unsigned i = 0; i < PTX_NUM_TYPES; i++)
    if (ptx_same(text, length, ptx_types[i].text, (uint32_t)strlen(ptx_types[i].text)))
      return (ptx_type)i;
  return PTX_NUM_TYPES;
}

/* -------------------------------------------------------------------------------------------------------- mnemonics */

typedef struct decoder {
  ptx_parser *parser;
  ptx_instruction instruction;
  const op_row *row;
  unsigned num_types;
  uint32_t types;  /* the set of them */
  uint64_t groups; /* the set of those given */
} decoder;

static unsigned bits_of(const decoder *decoder, unsigned i) { return ptx_types[decoder->instruction.type[i]].bits; }

/* m64nNk8 and m64nNk16, of a warpgroup: N is a multiple of 8 up to 256, and N / 2 registers hold a lane's results. */
static bool is_warpgroup_shape(const char *text, uint32_t length, unsigned *columns, uint8_t *shape) {
  uint32_t i = 4;
  if (length < 7 || memcmp(text, "m64n", i))
    return false;
  for (*columns = 0; i < length && i < 7 && text[i] >= '0' && text[i] <= '9'; i++)
    *columns = *columns * 10 + (unsigned)(text[i] - '0');
  bool deep = ptx_same(text + i, length - i, "k16", 3);
  *shape = deep ? SHAPE_M64K16 : SHAPE_M64K8;
  return (deep || ptx_same(text + i, length - i, "k8", 2)) && *columns && *columns <= 256 && *columns % 8 == 0;
}

static bool add_modifier(decoder *decoder, const char *text, uint32_t length) {
  ptx_type type = ptx_find_type(text, length);
  if (type < PTX_NUM_TYPES) {
    if (decoder->num_types == PTX_MAX_TYPES)
      return ptx_fail(decoder->parser, "too many types");
    for (unsigned i = decoder->num_types++; i < PTX_MAX_TYPES; i++)
      decoder->instruction.type[i] = (uint8_t)type;
    decoder->types |= 1u << type;
    return true;
  }
  unsigned columns;
  uint8_t shape;
  if (!(decoder->groups & G(SHAPE)) && is_warpgroup_shape(text, length, &columns, &shape)) {
    decoder->groups |= G(SHAPE);
    decoder->instruction.field[PTX_SHAPE] = shape;
    decoder->instruction.num_first = (uint8_t)(columns / 2);
    return true;
  }
  for (unsigned i = 0; i < NUM_MODIFIERS; i++) {
    if (!ptx_same(text, length, modifiers[i].text, (uint32_t)strlen(modifiers[i].text)))
      continue;
    uint64_t group = (uint64_t)1 << modifiers[i].group;
    if (decoder->groups & group)
      return ptx_fail(decoder->parser, "the modifier .%.*s comes too late", (int)length, text);
    decoder->groups |= group;
    decoder->instruction.field[modifiers[i].group] = modifiers[i].value;
    return true;
  }
  return ptx_fail(decoder->parser, "unknown modifier .%.*s", (int)length, text);
}

static bool row_starts(const op_row *row, const ptx_token *word) {
  size_t length = strlen(row->text);
  return length <= word->length && !memcmp(row->text, word->text, length) &&
         (length == word->length || word->text[length] == '.');
}

static bool find_row(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  const ptx_token *word = &parser->token;
  const char *text = NULL;
  for (unsigned i = 0; i < NUM_ROWS; i++)
    if (row_starts(&rows[i], word) && (!text || strlen(rows[i].text) > strlen(text)))
      text = rows[i].text;
  if (!text)
    return ptx_fail(parser, "unknown instruction");
  const char *end = word->text + word->length;
  for (const char *at = word->text + strlen(text); at < end;) {
    const char *stop = ++at;
    while (stop < end && *stop != '.')
      stop++;
    if (!add_modifier(decoder, at, (uint32_t)(stop - at)))
      return false;
    at = stop;
  }
  for (unsigned i = 0; i < NUM_ROWS; i++) {
    const op_row *row = &rows[i];
    if (strcmp(row->text, text) || row->num_types != decoder->num_types || (decoder->types & ~row->types) ||
        (row->required & ~decoder->groups) || (decoder->groups & ~(row->required | row->optional)))
      continue;
    decoder->row = row;
    decoder->instruction.op = row->op;
    decoder->instruction.unit = row->unit;
    return true;
  }
  return ptx_fail(parser, "unknown combination of modifiers");
}

/* --------------------------------------------------------------------------------------------------------- operands */

static bool push_operand(decoder *decoder, ptx_operand operand) {
  ptx_module *module = decoder->parser->module;
  if (!ptx_grow(&module->operands, &module->capacity_operands, module->num_operands, sizeof *module->operands))
    return ptx_fail_memory(decoder->parser);
  module->operands[module->num_operands++] = operand;
  if (decoder->instruction.num_operands == UINT8_MAX)
    return ptx_fail(decoder->parser, "too many operands");
  decoder->instruction.num_operands++;
  return true;
}

/* A value in all lanes. Looks for an equal one among the latest, so that loading stays linear. */
static bool make_constant(ptx_parser *parser, unsigned bits, uint64_t value, ptx_operand *operand) {
  ptx_module *module = parser->module;
  enum { SLOT = PTX_LANES * 8, LATEST = 64 };
  uint64_t lanes[PTX_LANES] = {0};
  uint32_t narrow = (uint32_t)(bits == 1   ? (value ? PTX_ALL_LANES : 0)
                               : bits < 32 ? value & ((1u << bits) - 1)
                                           : value);
  for (unsigned i = 0; i < PTX_LANES; i++) {
    if (bits == 64)
      lanes[i] = value;
    else
      memcpy((uint32_t *)lanes + i, &narrow, sizeof narrow);
  }
  *operand = (ptx_operand){.file = FILE_CONSTANT, .bits = (uint8_t)bits};
  uint32_t oldest = module->constant_bytes > LATEST * SLOT ? module->constant_bytes - LATEST * SLOT : 0;
  for (uint32_t at = module->constant_bytes; at > oldest; at -= SLOT)
    if (!memcmp(module->constants + at - SLOT, lanes, SLOT)) {
      operand->offset = at - SLOT;
      return true;
    }
  uint32_t slots = module->capacity_constants;
  if (module->constant_bytes > INT32_MAX - SLOT ||
      !ptx_grow(&module->constants, &slots, module->constant_bytes / SLOT, SLOT))
    return ptx_fail_memory(parser);
  module->capacity_constants = slots;
  memcpy(module->constants + module->constant_bytes, lanes, SLOT);
  operand->offset = module->constant_bytes;
  module->constant_bytes += SLOT;
  return true;
}

static bool number_bits(ptx_parser *parser, ptx_type type, uint64_t *value) {
  bool negative = ptx_take(parser, '-');
  if (parser->failed || parser->token.kind != TOKEN_NUMBER)
    return ptx_fail(parser, "expected a number or a register");
  ptx_token number = parser->token;
  bool is_float = type == PTX_F32 || type == PTX_F64;
  unsigned kind = ptx_types[type].kind;
  bool is_integer = kind == KIND_UNSIGNED || kind == KIND_SIGNED || kind == KIND_PREDICATE;
  if (number.float_bits ? negative || is_integer || ptx_types[type].bits < 32 : is_float)
    return ptx_fail(parser, "this number does not have the type .%s", ptx_types[type].text);
  *value = negative ? 0 - number.bits : number.bits;
  if (type == PTX_F32 && number.float_bits == 64) {
    double wide;
    memcpy(&wide, value, sizeof wide);
    float narrow = (float)wide;
    *value = 0;
    memcpy(value, &narrow, sizeof narrow);
  } else if (type == PTX_F64 && number.float_bits == 32) {
    float narrow;
    memcpy(&narrow, value, sizeof narrow);
    double wide = narrow;
    memcpy(value, &wide, sizeof wide);
  } else if (number.float_bits && number.float_bits != ptx_types[type].bits) {
    return ptx_fail(parser, "this number does not have the type .%s", ptx_types[type].text);
  }
  ptx_advance(parser);
  return true;
}

static bool find_special(decoder *decoder, const ptx_token *word, ptx_operand *operand) {
  for (unsigned i = 0; i < PTX_NUM_SPECIALS; i++) {
    if (!ptx_same(word->text, word->length, specials[i].text, (uint32_t)strlen(specials[i].text)))
      continue;
    if (i >= PTX_CLOCK && decoder->instruction.op != OP_MOV)
      return ptx_fail(decoder->parser, "clocks are read by mov");
    *operand = (ptx_operand){.file = FILE_SPECIAL, .offset = i * PTX_LANES * 8, .bits = specials[i].bits};
    return true;
  }
  return ptx_fail(decoder->parser, "unknown name '%.*s'", (int)word->length, word->text);
}

static bool read_register(decoder *decoder, ptx_operand *operand) {
  ptx_parser *parser = decoder->parser;
  ptx_token word = parser->token;
  uint32_t number;
  if (parser->failed || word.kind != TOKEN_WORD)
    return ptx_fail(parser, "expected a register");
  const ptx_symbol *symbol = ptx_find(parser, word.text, word.length, &number);
  if (!symbol || symbol->kind != SYMBOL_REGISTER)
    return ptx_fail(parser, "there is no register '%.*s'", (int)word.length, word.text);
  *operand = (ptx_operand){.file = symbol->file,
                           .bits = symbol->bits,
                           .offset = (uint32_t)symbol->value + number * ptx_slot_bytes(symbol->bits)};
  ptx_advance(parser);
  return true;
}

static bool wrong_width(decoder *decoder, unsigned bits) {
  return ptx_fail(decoder->parser, bits == 1 ? "expected a predicate" : "expected a register of %u bits", bits);
}

/* A register to write. `_` drops the value. With `wider` a register of more than `bits` bits will do. */
static bool read_destination(decoder *decoder, unsigned bits, bool wider) {
  ptx_operand operand = {.file = FILE_ENTRY, .bits = (uint8_t)bits};
  if (!ptx_take_word(decoder->parser, "_")) {
    if (!read_register(decoder, &operand))
      return false;
    if (wider ? operand.bits < bits : operand.bits != bits)
      return wrong_width(decoder, bits);
  }
  decoder->instruction.num_written++;
  return push_operand(decoder, operand);
}

static bool read_source(decoder *decoder, ptx_type type, bool wider) {
  ptx_parser *parser = decoder->parser;
  unsigned bits = ptx_types[type].bits;
  ptx_operand operand = {0};
  uint32_t number;
  bool negated = type == PTX_PRED && ptx_take(parser, '!');
  if (parser->failed)
    return false;
  if (parser->token.kind != TOKEN_WORD) {
    uint64_t value;
    return number_bits(parser, type, &value) && make_constant(parser, bits, value, &operand) &&
           push_operand(decoder, operand);
  }
  ptx_token word = parser->token;
  const ptx_symbol *symbol = ptx_find(parser, word.text, word.length, &number);
  if (symbol && symbol->kind == SYMBOL_REGISTER) {
    if (!read_register(decoder, &operand))
      return false;
  } else if (symbol && (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_PARAMETER)) {
    ptx_advance(parser);
    int64_t displacement = 0;
    if (ptx_take(parser, '+') && !ptx_integer(parser, &displacement))
      return false;
    if (!make_constant(parser, bits, symbol->value + (uint64_t)displacement, &operand))
      return false;
  } else {
    if (!find_special(decoder, &word, &operand))
      return false;
    ptx_advance(parser);
  }
  if (wider ? operand.bits < bits || operand.bits == 1 : operand.bits != bits)
    return wrong_width(decoder, bits);
  operand.negated = negated;
  return push_operand(decoder, operand);
}

/* `{a, b, ..}` of `count` registers, all sources or all destinations; braces may be left out around one. */
static bool read_vector(decoder *decoder, unsigned count, ptx_type type, bool source, bool wider) {
  ptx_parser *parser = decoder->parser;
  bool braces = ptx_take(parser, '{');
  if (!braces && count > 1)
    return ptx_fail(parser, "expected %u operands in braces", count);
  for (unsigned i = 0; i < count; i++) {
    if (i && !ptx_expect(parser, ','))
      return false;
    if (source ? !read_source(decoder, type, wider) : !read_destination(decoder, ptx_types[type].bits, wider))
      return false;
  }
  return !braces || ptx_expect(parser, '}');
}

/* A variable fixes the space of the access; .param of a function's own parameters is the thread's memory. */
static bool fix_space(decoder *decoder, uint8_t symbol_space) {
  uint8_t *space = &decoder->instruction.field[PTX_SPACE];
  if (decoder->row->op == OP_CP_ASYNC) /* the row says which: shared and global */
    return true;
  bool in_entry = decoder->parser->module->functions[decoder->parser->function].entry;
  if (*space == SPACE_PARAM && !in_entry)
    *space = SPACE_LOCAL;
  if (!symbol_space || *space == symbol_space)
    return true;
  if (*space && !(*space == SPACE_PARAM && symbol_space == SPACE_LOCAL))
    return ptx_fail(decoder->parser, "the variable is in another space");
  *space = symbol_space;
  return true;
}

/* `[register+1]`, `[variable-4]`, `[16]`. */
static bool read_address(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  ptx_operand operand = {0};
  int64_t base = 0, displacement = 0;
  uint8_t symbol_space = 0;
  if (!ptx_expect(parser, '['))
    return false;
  bool has_register = false;
  if (parser->token.kind == TOKEN_WORD) {
    uint32_t number;
    const ptx_symbol *symbol = ptx_find(parser, parser->token.text, parser->token.length, &number);
    has_register = !symbol || symbol->kind == SYMBOL_REGISTER;
    if (has_register) {
      if (!read_register(decoder, &operand))
        return false;
      if (operand.bits != 64 && operand.bits != 32)
        return ptx_fail(parser, "an address has 32 or 64 bits");
    } else {
      base = (int64_t)symbol->value;
      symbol_space = symbol->space;
      if (symbol->kind == SYMBOL_TABLE)
        return ptx_fail(parser, "expected a variable");
      ptx_advance(parser);
    }
    bool minus = ptx_at(parser, '-');
    if ((minus || ptx_take(parser, '+')) && !ptx_integer(parser, &displacement))
      return false;
  } else if (!ptx_integer(parser, &base)) {
    return false;
  }
  if (!has_register && !make_constant(parser, 64, 0, &operand))
    return false;
  operand.displacement = (int64_t)((uint64_t)base + (uint64_t)displacement);
  return fix_space(decoder, symbol_space) && ptx_expect(parser, ']') && push_operand(decoder, operand);
}

/* A register or braces of registers whose bits together are the type's, on both sides. */
static bool read_move(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  static const uint8_t parts[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
  for (unsigned side = 0; side < 2; side++) {
    ptx_type type = (ptx_type)decoder->instruction.type[0];
    unsigned count = 1;
    if (side && !ptx_expect(parser, ','))
      return false;
    if (ptx_at(parser, '{')) {
      for (const char *at = parser->next; at < parser->end && *at != '}' && *at != ';'; at++)
        count += *at == ',';
      if (count != 2 && count != 4)
        return ptx_fail(parser, "expected 2 or 4 parts");
      unsigned bits = ptx_types[type].bits / count;
      type = PTX_NUM_TYPES;
      for (unsigned i = 0; i < sizeof parts; i++)
        if (ptx_types[parts[i]].bits == bits)
          type = (ptx_type)parts[i];
      if (type == PTX_NUM_TYPES || type == PTX_B8)
        return ptx_fail(parser, "parts have 16 bits at least");
    }
    if (!read_vector(decoder, count, type, side == 1, false))
      return false;
    if (side == 0)
      decoder->instruction.num_first = (uint8_t)count;
  }
  return true;
}

/* `(result), name, (argument, ..)`; the results' variables first. */
static bool read_call_variables(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  if (!ptx_expect(parser, '('))
    return false;
  while (!ptx_at(parser, ')')) {
    uint32_t number;
    const ptx_symbol *symbol =
        parser->token.kind == TOKEN_WORD ? ptx_find(parser, parser->token.text, parser->token.length, &number) : NULL;
    if (parser->failed || !symbol || symbol->kind != SYMBOL_PARAMETER || symbol->space != SPACE_LOCAL)
      return ptx_fail(parser, "expected a .param variable");
    if (!push_operand(decoder, (ptx_operand){.displacement = (int64_t)symbol->value, .offset = symbol->size}))
      return false;
    ptx_advance(parser);
    if (!ptx_take(parser, ','))
      break;
  }
  return ptx_expect(parser, ')');
}

static bool read_call(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  ptx_module *module = parser->module;
  if (ptx_at(parser, '(')) {
    if (!read_call_variables(decoder) || !ptx_expect(parser, ','))
      return false;
    decoder->instruction.num_targets = decoder->instruction.num_operands;
  }
  const ptx_token *name = &parser->token;
  if (parser->failed || name->kind != TOKEN_WORD)
    return ptx_fail(parser, "expected a function");
  uint32_t callee = 0;
  while (callee < module->num_functions &&
         !ptx_same(module->functions[callee].name, (uint32_t)strlen(module->functions[callee].name), name->text,
                   name->length))
    callee++;
  if (callee == module->num_functions)
    return ptx_fail(parser, "there is no function '%.*s'", (int)name->length, name->text);
  decoder->instruction.target = callee;
  ptx_advance(parser);
  return ptx_take(parser, ',') ? read_call_variables(decoder) : !parser->failed;
}

static bool read_label(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  ptx_token label = parser->token;
  if (parser->failed || label.kind != TOKEN_WORD)
    return ptx_fail(parser, "expected a label");
  if (!ptx_grow(&parser->fixups, &parser->capacity_fixups, parser->num_fixups, sizeof *parser->fixups))
    return ptx_fail_memory(parser);
  parser->fixups[parser->num_fixups++] =
      (ptx_fixup){label.text, label.length, parser->scope, label.line, false, parser->module->num_code};
  ptx_advance(parser);
  return true;
}

static bool read_table(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  uint32_t number;
  const ptx_symbol *table = parser->failed || parser->token.kind != TOKEN_WORD
                                ? NULL
                                : ptx_find(parser, parser->token.text, parser->token.length, &number);
  if (!table || table->kind != SYMBOL_TABLE)
    return ptx_fail(parser, "expected a list of .branchtargets");
  decoder->instruction.target = (uint32_t)table->value;
  decoder->instruction.num_targets = table->size;
  ptx_advance(parser);
  return true;
}

/* The 32-bit registers that hold a lane's part of a matrix of rows x columns elements. */
static unsigned fragment_registers(unsigned rows, unsigned columns, unsigned bits) {
  return rows * columns * bits / (32 * PTX_LANES);
}

static bool read_mma(decoder *decoder) {
  static const uint8_t depths[] = {[SHAPE_M16N8K8] = 8, [SHAPE_M16N8K16] = 16, [SHAPE_M16N8K32] = 32};
  unsigned shape = decoder->instruction.field[PTX_SHAPE];
  unsigned depth = shape < sizeof depths ? depths[shape] : 0, bits = bits_of(decoder, 1);
  uint8_t result = decoder->instruction.type[0], left = decoder->instruction.type[1];
  uint8_t right = decoder->instruction.type[2], added = decoder->instruction.type[3];
  bool integers = left == PTX_S8 || left == PTX_U8, eighths = left == PTX_E4M3 || left == PTX_E5M2;
  bool halves = left == PTX_F16 || left == PTX_BF16;
  bool depth_fits = halves             ? depth == 8 || depth == 16
                    : left == PTX_TF32 ? depth == 8
                    : integers         ? depth == 16 || depth == 32
                                       : eighths && depth == 32;
  bool types_fit =
      (left == right || (integers && (right == PTX_S8 || right == PTX_U8)) ||
       (eighths && (right == PTX_E4M3 || right == PTX_E5M2))) &&
      result == added &&
      (integers ? result == PTX_S32 : result == PTX_F32 || (result == PTX_F16 && (left == PTX_F16 || eighths)));
  if (!depth_fits || !types_fit || (decoder->instruction.field[PTX_SATFINITE] && !integers))
    return ptx_fail(decoder->parser, "unknown combination of shape and types");
  unsigned accumulators = fragment_registers(16, 8, bits_of(decoder, 0));
  unsigned counts[] = {accumulators, fragment_registers(16, depth, bits), fragment_registers(depth, 8, bits),
                       accumulators};
  for (unsigned i = 0; i < 4; i++)
    if ((i && !ptx_expect(decoder->parser, ',')) || !read_vector(decoder, counts[i], PTX_B32, i > 0, false))
      return false;
  return true;
}

/* A register itself: nothing else stands for it. */
static bool push_register(decoder *decoder, unsigned bits) {
  ptx_operand operand = {0};
  if (!read_register(decoder, &operand))
    return false;
  return operand.bits == bits ? push_operand(decoder, operand) : wrong_width(decoder, bits);
}

static bool push_registers(decoder *decoder, unsigned count) {
  if (!ptx_expect(decoder->parser, '{'))
    return false;
  for (unsigned i = 0; i < count; i++)
    if ((i && !ptx_expect(decoder->parser, ',')) || !push_register(decoder, 32))
      return false;
  return ptx_expect(decoder->parser, '}');
}

/* `, ` and one of two numbers. */
static bool push_choice(decoder *decoder, int64_t first, int64_t second) {
  ptx_parser *parser = decoder->parser;
  ptx_operand operand;
  int64_t value;
  if (!ptx_expect(parser, ',') || !ptx_integer(parser, &value))
    return false;
  if (value != first && value != second)
    return ptx_fail(parser, "expected %lld or %lld", (long long)first, (long long)second);
  return make_constant(parser, 32, (uint64_t)value, &operand) && push_operand(decoder, operand);
}

/* D, A, B, whether D is added to, the signs of A and B, and which of the descriptors are of MN-major matrices. */
static bool read_wgmma(decoder *decoder) {
  ptx_parser *parser = decoder->parser;
  const ptx_instruction *instruction = &decoder->instruction;
  uint8_t left = instruction->type[1], shape = instruction->field[PTX_SHAPE];
  bool halves = (left == PTX_F16 || left == PTX_BF16) && shape == SHAPE_M64K16;
  if (instruction->type[0] != PTX_F32 || instruction->type[2] != left ||
      !(halves || (left == PTX_TF32 && shape == SHAPE_M64K8)))
    return ptx_fail(parser, "unknown combination of shape and types");
  if (!push_registers(decoder, instruction->num_first) || !ptx_expect(parser, ','))
    return false;
  bool in_registers = ptx_at(parser, '{');
  if (!(in_registers ? push_registers(decoder, 4) : push_register(decoder, 64)) || !ptx_expect(parser, ',') ||
      !push_register(decoder, 64) || !ptx_expect(parser, ',') || !push_register(decoder, 1))
    return false;
  unsigned descriptors = in_registers ? 1 : 2;
  for (unsigned i = 0; i < 2; i++)
    if (!push_choice(decoder, 1, -1))
      return false;
  for (unsigned i = 0; halves && i < descriptors; i++)
    if (!push_choice(decoder, 0, 1))
      return false;
  parser->module->has_products = true;
  return true;
}

/* A destination of so many bits, and perhaps a predicate after a |. */
static bool read_with_predicate(decoder *decoder, unsigned bits) {
  if (!read_destination(decoder, bits, false))
    return false;
  return ptx_take(decoder->parser, '|') ? read_destination(decoder, 1, false)
                                        : push_operand(decoder, (ptx_operand){.file = FILE_ENTRY, .bits = 1});
}

/* One operand by its letter in the table. */
static bool read_operand(decoder *decoder, char letter) {
  const ptx_instruction *instruction = &decoder->instruction;
  ptx_type type = (ptx_type)instruction->type[0], last = (ptx_type)instruction->type[PTX_MAX_TYPES - 1];
  unsigned vector = instruction->field[PTX_VECTOR] ? instruction->field[PTX_VECTOR] : 1;
  bool wide = instruction->field[PTX_HALF] == HALF_WIDE && (decoder->row->op == OP_MUL || decoder->row->op == OP_MAD);
  ptx_type doubled = !wide ? type : bits_of(decoder, 0) == 16 ? PTX_B32 : PTX_B64;
  switch (letter) {
  case 'd':
    return read_destination(decoder, ptx_types[doubled].bits, false);
  case 's':
    return read_source(decoder, type, false);
  case 'w':
    return read_source(decoder, doubled, false);
  case 't':
    return read_source(decoder, last, false);
  case 'u':
    return read_source(decoder, PTX_B32, false);
  case 'r':
    return read_destination(decoder, 32, false);
  case 'R':
    return read_with_predicate(decoder, 32);
  case 'p':
    return read_with_predicate(decoder, 1);
  case 'q':
    return read_source(decoder, PTX_PRED, false);
  case 'D':
    decoder->instruction.num_first = (uint8_t)vector;
    return read_vector(decoder, vector, type, false, true);
  case 'S':
    decoder->instruction.num_first = (uint8_t)vector;
    return read_vector(decoder, vector, last, true, true);
  case 'a':
    return read_address(decoder);
  case 'l':
    return read_label(decoder);
  case 'L':
    return read_table(decoder);
  case 'm':
    return read_move(decoder);
  case 'c':
    return read_call(decoder);
  case 'x':
    return read_mma(decoder);
  case 'g':
    return read_wgmma(decoder);
  case 'y':
    return read_vector(decoder, instruction->field[PTX_COUNT], PTX_B32, false, false) &&
           ptx_expect(decoder->parser, ',') && read_address(decoder);
  default: /* 'z' */
    return read_address(decoder) && ptx_expect(decoder->parser, ',') &&
           read_vector(decoder, instruction->field[PTX_COUNT], PTX_B32, true, false);
  }
}

/* ---------------------------------------------------------------------------------------------------------- meaning */

static bool comparison_fits(const ptx_instruction *instruction, ptx_type type) {
  unsigned comparison = instruction->field[PTX_COMPARISON], half = instruction->field[PTX_HALF];
  unsigned kind = ptx_types[type].kind;
  if (!comparison == !half)
    return false;
  if (half)
    return half != HALF_WIDE && kind == KIND_UNSIGNED;
  if (kind == KIND_FLOAT || kind == KIND_PACKED)
    return !(comparison & COMPARE_BITS);
  if (kind == KIND_BITS)
    return comparison == COMPARE_EQUAL || comparison == COMPARE_NOT_EQUAL;
  return !(comparison & COMPARE_UNORDERED) && comparison != COMPARE_ORDERED &&
         (kind == KIND_UNSIGNED || !(comparison & COMPARE_BITS));
}

static bool combination_fits(const ptx_instruction *instruction) {
  unsigned boolean = instruction->field[PTX_BOOLEAN], combine = instruction->field[PTX_COMBINE];
  ptx_type type = (ptx_type)instruction->type[0];
  unsigned kind = ptx_types[type].kind, bits = ptx_types[type].bits;
  bool exchange = combine == COMBINE_EXCHANGE || combine == COMBINE_COMPARE;
  if (!boolean == !combine)
    return false;
  if (boolean || exchange)
    return kind == KIND_BITS && (bits >= 32 || combine == COMBINE_COMPARE) && (!exchange || instruction->op == OP_ATOM);
  if (combine == COMBINE_INC || combine == COMBINE_DEC)
    return type == PTX_U32 && instruction->op != OP_REDUX;
  if (kind == KIND_FLOAT || kind == KIND_PACKED)
    return combine == COMBINE_ADD && type != PTX_F32X2 && instruction->op != OP_REDUX;
  return bits >= 32 && kind != KIND_BITS && !(instruction->op == OP_REDUX && bits != 32);
}

/* The bytes of a cp.async are written as a number: 16, and with .ca 4 or 8 too. */
static bool copy_size_fits(const decoder *decoder) {
  const ptx_module *module = decoder->parser->module;
  const ptx_operand *size = &module->operands[decoder->instruction.operands + 2];
  uint32_t bytes;
  if (size->file != FILE_CONSTANT)
    return false;
  memcpy(&bytes, module->constants + size->offset, sizeof bytes);
  return bytes == 16 || ((bytes == 4 || bytes == 8) && !strncmp(decoder->row->text, "cp.async.ca", 11));
}

static bool conversion_fits(const ptx_instruction *instruction) {
  const uint8_t *field = instruction->field;
  uint8_t to = instruction->type[0], from = instruction->type[1];
  unsigned to_kind = ptx_types[to].kind, from_kind = ptx_types[from].kind;
  bool to_float = to_kind >= KIND_FLOAT, from_float = from_kind >= KIND_FLOAT;
  bool pack = to_kind == KIND_PACKED && from_kind == KIND_FLOAT, unpack = from_kind == KIND_PACKED;
  if (from == PTX_TF32 || from == PTX_E4M3 || from == PTX_E5M2 || to == PTX_E4M3 || to == PTX_E5M2)
    return false;
  if (instruction->num_operands != (pack ? 3 : 2) || (pack && from != PTX_F32) ||
      (unpack &&
       !((from == PTX_E4M3X2 || from == PTX_E5M2X2) ? to == PTX_F16X2
                                                    : from == PTX_F16X2 && (to == PTX_E4M3X2 || to == PTX_E5M2X2))))
    return false;
  if (to_kind == KIND_PACKED && !pack && !unpack)
    return false;
  if ((field[PTX_ROUND] == ROUND_AWAY && to != PTX_TF32) || (to == PTX_TF32 && from != PTX_F32))
    return false;
  if (field[PTX_RELU] && !(to_float && from_float))
    return false;
  bool eighths = to == PTX_E4M3X2 || to == PTX_E5M2X2;
  if (eighths != (field[PTX_SATFINITE] && eighths) || (field[PTX_SATFINITE] && (!to_float || !from_float)))
    return false;
  if (!to_float && !from_float)
    return !field[PTX_ROUND] && !field[PTX_INTEGRAL] && !field[PTX_FTZ];
  if (!to_float)
    return field[PTX_INTEGRAL] && !field[PTX_ROUND];
  if (!from_float)
    return field[PTX_ROUND] && !field[PTX_INTEGRAL] && ptx_types[to].kind == KIND_FLOAT;
  bool narrows =
      ptx_types[to].bits < ptx_types[from].bits || pack || to == PTX_TF32 || (to != from && ptx_types[to].bits == 16);
  return narrows ? field[PTX_ROUND] && !field[PTX_INTEGRAL] : to == from ? !field[PTX_ROUND] : !field[PTX_INTEGRAL];
}

static bool float_fits(const ptx_instruction *instruction) {
  const uint8_t *field = instruction->field;
  ptx_type type = (ptx_type)instruction->type[0];
  bool halves = type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
  bool brain = type == PTX_BF16 || type == PTX_BF16X2;
  bool directed = field[PTX_ROUND] > ROUND_NEAREST;
  bool sum = instruction->op == OP_FADD || instruction->op == OP_FSUB || instruction->op == OP_FMUL ||
             instruction->op == OP_FMA;
  if (field[PTX_ROUND] == ROUND_AWAY || (directed && !(sum && (type == PTX_F32 || type == PTX_F32X2))))
    return false;
  if (field[PTX_FTZ] && (type == PTX_F64 || (brain && instruction->op != OP_EX2)))
    return false;
  if ((field[PTX_SAT] && (type == PTX_F64 || brain || type == PTX_F32X2)) || (field[PTX_RELU] && !halves))
    return false;
  if (instruction->op == OP_FDIV || instruction->op == OP_RCP || instruction->op == OP_SQRT)
    return !field[PTX_ROUND] != !field[PTX_APPROX] &&
           !(type == PTX_F64 && field[PTX_APPROX] && instruction->op != OP_RCP);
  return true;
}

/* Of two types the first is that of the result. */
static bool mixture_fits(const decoder *decoder) {
  const uint8_t *type = decoder->instruction.type;
  return decoder->num_types == 1 || (type[0] == PTX_F32 && type[1] != PTX_F32);
}

static bool check_meaning(const decoder *decoder) {
  const ptx_instruction *instruction = &decoder->instruction;
  const uint8_t *field = instruction->field;
  ptx_type type = (ptx_type)instruction->type[0];
  switch (instruction->op) {
  case OP_SETP:
  case OP_SET:
    return comparison_fits(instruction, (ptx_type)instruction->type[PTX_MAX_TYPES - 1]) &&
           !field[PTX_BOOLEAN] == (instruction->num_operands == (instruction->op == OP_SETP ? 4 : 3)) &&
           !(instruction->op == OP_SET && type != PTX_U32 && type != PTX_S32 && type != PTX_F32);
  case OP_ADD:
  case OP_SUB:
    return !field[PTX_SAT] || type == PTX_S32;
  case OP_MUL:
  case OP_MAD:
    return field[PTX_HALF] != HALF_WIDE || ptx_types[type].bits < 64;
  case OP_ATOM:
    return combination_fits(instruction) &&
           (instruction->num_operands == 4) == (field[PTX_COMBINE] == COMBINE_COMPARE) &&
           (field[PTX_SPACE] <= SPACE_SHARED);
  case OP_RED:
    return combination_fits(instruction) && field[PTX_SPACE] <= SPACE_SHARED;
  case OP_REDUX:
    return combination_fits(instruction);
  case OP_VOTE:
    return !field[PTX_VOTE] == (field[PTX_UNI] != 0) && (type == PTX_B32) == (field[PTX_VOTE] == VOTE_BALLOT);
  case OP_CVT:
    return conversion_fits(instruction);
  case OP_SLCT: {
    ptx_type chosen = (ptx_type)instruction->type[1];
    return chosen == PTX_S32 || chosen == PTX_F32;
  }
  case OP_CP_ASYNC:
    return copy_size_fits(decoder);
  case OP_LDMATRIX:
  case OP_STMATRIX:
    return field[PTX_SHAPE] == SHAPE_M8N8 && (field[PTX_SPACE] == SPACE_GENERIC || field[PTX_SPACE] == SPACE_SHARED);
  case OP_PROXY_FENCE:
    return field[PTX_SPACE] <= SPACE_SHARED;
  case OP_ST:
    return field[PTX_SPACE] != SPACE_CONST && field[PTX_SPACE] != SPACE_PARAM && !field[PTX_READ_ONLY];
  default:
    return instruction->unit != UNIT_FLOATING || (float_fits(instruction) && mixture_fits(decoder));
  }
}

/* Products of warpgroups are of one chip only: later ones do not have them. */
static bool check_target(const decoder *decoder) {
  const ptx_module *module = decoder->parser->module;
  if (decoder->row->unit == UNIT_WARPGROUP && !(module->target == 90 && module->specific))
    return ptx_fail(decoder->parser, "wgmma is of the target sm_90a");
  if (decoder->row->op == OP_PROXY_FENCE && module->target < 90)
    return ptx_fail(decoder->parser, "fence.proxy.async is of sm_90 and later targets");
  return true;
}

/* ----------------------------------------------------------------------------------------------------- instructions */

static bool append(decoder *decoder, const ptx_operand *guard) {
  ptx_module *module = decoder->parser->module;
  if (guard) {
    uint8_t own = decoder->instruction.num_operands;
    if (!push_operand(decoder, *guard))
      return false;
    decoder->instruction.num_operands = own;
    decoder->instruction.guarded = true;
  }
  if (module->num_code == PTX_MAX_INSTRUCTIONS)
    return ptx_fail(decoder->parser, "too many instructions");
  if (!ptx_grow(&module->code, &module->capacity_code, module->num_code, sizeof *module->code))
    return ptx_fail_memory(decoder->parser);
  module->code[module->num_code++] = decoder->instruction;
  return true;
}

bool ptx_decode(ptx_parser *parser) {
  decoder decoder = {.parser = parser};
  ptx_operand guard;
  bool guarded = ptx_take(parser, '@');
  if (guarded) {
    bool negated = ptx_take(parser, '!');
    if (!read_register(&decoder, &guard))
      return false;
    if (guard.bits != 1)
      return wrong_width(&decoder, 1);
    guard.negated = negated;
  }
  if (parser->failed || parser->token.kind != TOKEN_WORD)
    return ptx_fail(parser, "expected an instruction");
  decoder.instruction.line = parser->token.line;
  decoder.instruction.operands = parser->module->num_operands;
  decoder.instruction.mnemonic = (uint32_t)(parser->token.text - parser->module->text);
  decoder.instruction.mnemonic_length = (uint16_t)parser->token.length;
  if (!find_row(&decoder) || !check_target(&decoder))
    return false;
  ptx_advance(parser);
  bool optional = false, first = true;
  for (const char *letter = decoder.row->operands; *letter; letter++) {
    if (*letter == '?') {
      optional = true;
      continue;
    }
    if (optional && (first ? ptx_at(parser, ';') : !ptx_at(parser, ',')))
      break;
    if ((!first && !ptx_expect(parser, ',')) || !read_operand(&decoder, *letter))
      return false;
    first = false;
  }
  if (!ptx_at(parser, ';'))
    return ptx_fail(parser, "expected ';'");
  if (!check_meaning(&decoder))
    return ptx_fail(parser, "unknown combination of modifiers and operands");
  ptx_advance(parser);
  return append(&decoder, guarded ? &guard : NULL);
}

bool ptx_decode_return(ptx_parser *parser) {
  decoder decoder = {.parser = parser, .instruction = {.op = OP_RET, .unit = UNIT_CONTROL, .line = parser->token.line}};
  decoder.instruction.operands = parser->module->num_operands;
  return append(&decoder, NULL);
}
