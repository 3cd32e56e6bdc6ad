/* spirv_load.c - decodes a SPIR-V module.
 *
 * One pass over the words fills types, constants, variables and instructions; a second checks and resolves what may
 * refer forward: operands, labels, calls. Each pass takes each word once, as no instruction is empty. */
#include "spirv_compute.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  MAGIC = 0x07230203,
  HEADER_WORDS = 5,
  MAX_BOUND = 1 << 20,
  MAX_ROWS = 1 << 18,
  MAX_MEMORY = 1 << 24,
  MAX_COMPONENTS = 1 << 20,
  DECORATION_BUILTIN = 11,
  DECORATION_LINKAGE = 41,
  DECORATION_ALIGNMENT = 44,
  MODE_LOCAL_SIZE = 17,
  MODE_SUBGROUP_SIZE = 35,
  EXECUTION_KERNEL = 6,
  STORAGE_CONSTANT = 0,
  STORAGE_INPUT = 1,
  STORAGE_WORKGROUP = 4,
  STORAGE_GLOBAL = 5,
};

#define OP(OPCODE, NAME, PATTERN, CLASS, HOOK) OP_##NAME = (OPCODE),
enum {
#include "spirv_op.def"
};

typedef struct loader {
  spirv_module *module;
  spirv_message *message;
  uint32_t function;                             /* the one being read, from 1; 0: none */
  uint32_t block;                                /* from 1 */
  uint32_t next_row;                             /* of the function */
  size_t blocks, instructions, types, functions; /* capacities: how often their instructions occur */
} loader;

/* An instruction's words. */
typedef struct words {
  const spirv_row *row;
  const uint32_t *at; /* the first is opcode and length */
  uint32_t length;
} words;

static bool refuse(loader *load, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(loader *load, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(load->message->text, sizeof load->message->text, format, arguments);
  va_end(arguments);
  return false;
}

const spirv_row *spirv_find_row(uint16_t opcode) {
#define HOOK_DECLARE(HOOK) NULL, NULL
#define HOOK_SKIP(HOOK) NULL, NULL
#define HOOK_BARRIER(HOOK) NULL, NULL
#define HOOK_CONTROL(HOOK) NULL, NULL
#define HOOK_EXTENDED(HOOK) NULL, NULL
#define HOOK_CALL(HOOK) NULL, NULL
#define HOOK_COMPUTE(HOOK) HOOK, NULL
#define HOOK_EXECUTE(HOOK) NULL, HOOK
#define HOOK_COLLECTIVE(HOOK) NULL, HOOK
  static const spirv_row rows[] = {
#define OP(OPCODE, NAME, PATTERN, CLASS, HOOK) {OPCODE, "Op" #NAME, PATTERN, SPIRV_##CLASS, HOOK_##CLASS(HOOK)},
#include "spirv_op.def"
  };
  /* The rows are in the order of their opcodes. */
  size_t low = 0, high = sizeof rows / sizeof rows[0];
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (rows[middle].opcode == opcode)
      return &rows[middle];
    if (rows[middle].opcode < opcode)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* -------------------------------------------------------------------------------------------------------------- ids */

/* The id in word `number` of an instruction, or NULL after an error. */
static spirv_id *id_at(loader *load, const words *from, uint32_t number) {
  if (number < from->length && from->at[number] < load->module->bound)
    return &load->module->ids[from->at[number]];
  refuse(load, "%s has no id as word %u", from->row->name, number);
  return NULL;
}

static const spirv_type *type_at(loader *load, const words *from, uint32_t number) {
  const spirv_id *id = id_at(load, from, number);
  if (!id)
    return NULL;
  if (id->kind == SPIRV_TYPE)
    return &load->module->types[id->number];
  refuse(load, "word %u of %s is no type", number, from->row->name);
  return NULL;
}

/* Makes a value of the instruction's result, in new rows of the module or of the function being read. */
static spirv_id *new_value(loader *load, const words *from) {
  const spirv_type *type = type_at(load, from, 1);
  spirv_id *id = type ? id_at(load, from, 2) : NULL;
  if (!id)
    return NULL;
  if (id->kind != SPIRV_NOTHING) {
    refuse(load, "%%%u is defined twice", from->at[2]);
    return NULL;
  }
  uint32_t *rows = load->function ? &load->next_row : &load->module->num_constant_rows;
  if (type->components > MAX_ROWS - *rows) {
    refuse(load, "the module has too many values");
    return NULL;
  }
  *id = (spirv_id){.kind = SPIRV_VALUE,
                   .type = from->at[1],
                   .row = *rows,
                   .function = load->function,
                   .name = id->name,
                   .builtin = id->builtin,
                   .aligned = id->aligned};
  *rows += type->components;
  return id;
}

/* The string that starts at word `number`; NULL after an error. */
static const char *string_at(loader *load, const words *from, uint32_t number) {
  if (number < from->length && memchr(&from->at[number], 0, 4 * (size_t)(from->length - number)))
    return (const char *)&from->at[number];
  refuse(load, "%s has no string as word %u", from->row->name, number);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ types */

static size_t round_up(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/* Appends the places of a value of a type at an offset; *count is where. Recursion ends: types only refer backwards. */
static void add_places(const spirv_module *module, const spirv_type *type, size_t offset, spirv_place *places,
                       uint32_t *count) {
  if (type->kind == SPIRV_STRUCT) {
    for (uint32_t i = 0; i < type->count; i++) {
      const spirv_type *member = spirv_type_of(module, type->members[i]);
      offset = round_up(offset, member->alignment);
      add_places(module, member, offset, places, count);
      offset += member->size;
    }
  } else if (type->kind == SPIRV_VECTOR || type->kind == SPIRV_ARRAY) {
    const spirv_type *element = spirv_type_of(module, type->element);
    for (uint32_t i = 0; i < type->count; i++)
      add_places(module, element, offset + i * element->size, places, count);
  } else {
    places[(*count)++] = (spirv_place){(uint32_t)offset, (uint8_t)type->width};
  }
}

static bool fill_sequence(loader *load, const words *from, spirv_type *type) {
  const spirv_module *module = load->module;
  const spirv_type *element = type_at(load, from, 2);
  if (!element || from->length < 4)
    return element && refuse(load, "%s is too short", from->row->name);
  uint64_t count = from->at[3];
  if (from->row->opcode == OP_TypeArray) {
    const spirv_id *length = id_at(load, from, 3);
    if (!length || length->kind != SPIRV_VALUE || length->function)
      return refuse(load, "an array's length is unknown");
    count = module->constants[length->row];
  }
  if (!element->components || count > MAX_COMPONENTS / element->components || !count)
    return refuse(load, "%s has %llu elements", from->row->name, (unsigned long long)count);
  type->kind = from->row->opcode == OP_TypeArray ? SPIRV_ARRAY : SPIRV_VECTOR;
  type->width = element->width;
  type->count = (uint32_t)count;
  type->element = from->at[2];
  type->components = type->count * element->components;
  type->size = count * element->size;
  /* A vector of three is aligned, but here not padded, like one of four. */
  type->alignment = type->kind == SPIRV_ARRAY ? element->alignment : element->size * (count == 3 ? 4 : count);
  return true;
}

static bool fill_struct(loader *load, const words *from, spirv_type *type) {
  type->kind = SPIRV_STRUCT;
  type->members = &from->at[2];
  type->count = from->length - 2;
  type->alignment = 1;
  bool in_memory = true;
  for (uint32_t i = 0; i < type->count; i++) {
    const spirv_type *member = type_at(load, from, 2 + i);
    if (!member)
      return false;
    if (member->components > MAX_COMPONENTS - type->components)
      return refuse(load, "a struct is too large");
    type->components += member->components;
    in_memory &= member->size != 0;
    if (!in_memory)
      continue;
    type->size = round_up(type->size, member->alignment) + member->size;
    if (member->alignment > type->alignment)
      type->alignment = member->alignment;
  }
  type->size = in_memory ? round_up(type->size, type->alignment) : 0;
  return true;
}

static bool fill_scalar(loader *load, spirv_type *type, spirv_type_kind kind, unsigned width) {
  if (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)
    return refuse(load, "scalars of %u bits are unknown", width);
  type->kind = kind;
  type->width = width;
  type->components = 1;
  type->size = type->alignment = width / 8;
  return true;
}

static bool fill_type(loader *load, const words *from, spirv_type *type) {
  switch (from->row->opcode) {
  case OP_TypeVoid:
    type->kind = SPIRV_VOID;
    return true;
  case OP_TypeBool:
    return fill_scalar(load, type, SPIRV_BOOL, 1);
  case OP_TypeInt:
  case OP_TypeFloat:
    if (from->length < 3)
      return refuse(load, "%s is too short", from->row->name);
    /* A float type of another encoding than IEEE's would have one word more. */
    if (from->row->opcode == OP_TypeFloat && from->length > 3)
      return refuse(load, "a float type's encoding is unknown");
    return fill_scalar(load, type, from->row->opcode == OP_TypeInt ? SPIRV_INTEGER : SPIRV_FLOAT, from->at[2]);
  case OP_TypeVector:
  case OP_TypeArray:
    return fill_sequence(load, from, type);
  case OP_TypeStruct:
    return fill_struct(load, from, type);
  case OP_TypePointer:
    if (!type_at(load, from, 3))
      return false;
    type->storage = from->at[2];
    type->element = from->at[3];
    return fill_scalar(load, type, SPIRV_POINTER, 64);
  default:
    type->kind = SPIRV_FUNCTION;
    return true;
  }
}

static bool read_type(loader *load, const words *from) {
  spirv_module *module = load->module;
  spirv_id *id = id_at(load, from, 1);
  if (!id)
    return false;
  spirv_type *type = &module->types[module->num_types];
  if (!fill_type(load, from, type))
    return false;
  if (type->size && type->components && type->components <= SPIRV_MAX_PLACES) {
    type->places = calloc(type->components, sizeof *type->places);
    if (!type->places)
      return refuse(load, "out of memory");
    uint32_t count = 0;
    add_places(module, type, 0, type->places, &count);
  }
  id->kind = SPIRV_TYPE;
  id->number = module->num_types++;
  return true;
}

/* --------------------------------------------------------------------------------------------- constants, variables */

static bool read_constant(loader *load, const words *from) {
  spirv_module *module = load->module;
  uint32_t row = module->num_constant_rows;
  const spirv_id *id = new_value(load, from);
  if (!id)
    return false;
  if (load->function)
    return true; /* an undefined value */
  uint64_t *slots = &module->constants[row];
  const spirv_type *type = spirv_type_of(module, id->type);
  memset(slots, 0, type->components * sizeof *slots);
  if (from->row->opcode == OP_ConstantTrue)
    slots[0] = 1;
  if (from->row->opcode == OP_Constant) {
    if (from->length < 3 + (type->width + 31) / 32)
      return refuse(load, "a constant is too short");
    slots[0] = from->at[3] | (type->width == 64 ? (uint64_t)from->at[4] << 32 : 0);
    slots[0] = spirv_narrow(slots[0], type->width);
  }
  if (from->row->opcode != OP_ConstantComposite)
    return true;
  uint32_t filled = 0;
  for (uint32_t i = 3; i < from->length; i++) {
    const spirv_id *part = id_at(load, from, i);
    if (!part || part->kind != SPIRV_VALUE || part->function)
      return refuse(load, "a constant has parts that are none");
    uint32_t count = spirv_type_of(module, part->type)->components;
    if (count > type->components - filled)
      return refuse(load, "a constant has too many parts");
    memcpy(&slots[filled], &module->constants[part->row], count * sizeof *slots);
    filled += count;
  }
  return filled == type->components || refuse(load, "a constant has too few parts");
}

/* Constant memory for a variable, filled with its initial value. */
static bool place_constant(loader *load, const words *from, const spirv_type *type, uint64_t *offset) {
  spirv_module *module = load->module;
  const spirv_id *value = from->length > 4 ? id_at(load, from, 4) : NULL;
  if (!value || value->kind != SPIRV_VALUE || spirv_type_of(module, value->type)->components != type->components)
    return refuse(load, "a constant variable has no initial value");
  *offset = round_up(module->constant_bytes, 64);
  module->constant_bytes = *offset + type->size;
  uint8_t *grown = realloc(module->constant_memory, module->constant_bytes);
  spirv_place *places = calloc(type->components, sizeof *places);
  if (grown)
    module->constant_memory = grown;
  uint32_t count = 0;
  if (places)
    add_places(module, type, (size_t)*offset, places, &count);
  for (uint32_t i = 0; grown && i < count; i++)
    spirv_store_bits(grown + places[i].offset, module->constants[value->row + i], places[i].width);
  free(places);
  return (grown && places) || refuse(load, "out of memory");
}

static bool read_module_variable(loader *load, const words *from) {
  spirv_module *module = load->module;
  const spirv_id *id = new_value(load, from);
  if (!id)
    return false;
  const spirv_type *pointer = spirv_type_of(module, id->type);
  if (pointer->kind != SPIRV_POINTER || from->length < 4)
    return refuse(load, "a variable is no pointer");
  const spirv_type *type = spirv_type_of(module, pointer->element);
  uint64_t *slot = &module->constants[id->row];
  if (!type->size || type->size > MAX_MEMORY || module->local_bytes > MAX_MEMORY || module->constant_bytes > MAX_MEMORY)
    return refuse(load, "a variable cannot lie in memory");
  uint64_t offset = 0;
  switch (from->at[3]) {
  case STORAGE_INPUT:
    if (!id->builtin)
      return refuse(load, "an input variable is not built in");
    *slot = spirv_address(SPIRV_INPUT, id->builtin - 1);
    return true;
  case STORAGE_WORKGROUP:
    offset = round_up(module->local_bytes, 64);
    module->local_bytes = (size_t)offset + type->size;
    *slot = spirv_address(SPIRV_LOCAL, offset);
    return true;
  case STORAGE_CONSTANT:
  case STORAGE_GLOBAL:
    if (!place_constant(load, from, type, &offset))
      return false;
    *slot = spirv_address(SPIRV_CONSTANT, offset);
    return true;
  default:
    return refuse(load, "variables of storage class %u are unknown", from->at[3]);
  }
}

/* ------------------------------------------------------------------------------------------- annotations, functions */

static bool read_decoration(loader *load, const words *from) {
  spirv_id *id = id_at(load, from, 1);
  if (!id || from->length < 3)
    return id != NULL;
  if (from->at[2] == DECORATION_BUILTIN && from->length > 3)
    id->builtin = from->at[3] + 1;
  if (from->at[2] == DECORATION_ALIGNMENT && from->length > 3)
    id->aligned = from->at[3];
  if (from->at[2] == DECORATION_LINKAGE) {
    id->import = string_at(load, from, 3);
    return id->import != NULL;
  }
  return true;
}

/* The entry point that a function is: found when the function is read, as its name and modes come first. */
static bool read_entry(loader *load, spirv_function *function) {
  const spirv_module *module = load->module;
  spirv_kernel *kernel = &function->kernel;
  kernel->lanes = module->chip.default_lanes;
  for (size_t at = HEADER_WORDS; at < module->num_words; at += module->words[at] >> 16) {
    words from = {spirv_find_row(module->words[at] & 0xffff), &module->words[at], module->words[at] >> 16};
    if (from.row->opcode == OP_Function)
      break;
    if (from.row->opcode == OP_EntryPoint && from.length > 3 && from.at[2] == function->id) {
      if (from.at[1] != EXECUTION_KERNEL)
        return refuse(load, "an entry point is no kernel");
      kernel->name = string_at(load, &from, 3);
      if (!kernel->name)
        return false;
    }
    if (from.row->opcode != OP_ExecutionMode || from.length < 3 || from.at[1] != function->id)
      continue;
    if (from.at[2] == MODE_LOCAL_SIZE && from.length > 5)
      memcpy(kernel->local_size, &from.at[3], 12);
    if (from.at[2] == MODE_SUBGROUP_SIZE && from.length > 3)
      kernel->lanes = from.at[3];
  }
  if (kernel->lanes != 8 && kernel->lanes != 16 && kernel->lanes != 32)
    return refuse(load, "sub-groups of %u lanes are unknown", kernel->lanes);
  return true;
}

static bool read_function(loader *load, const words *from) {
  spirv_module *module = load->module;
  spirv_id *id = id_at(load, from, 2);
  if (!id || load->function)
    return refuse(load, "a function is malformed");
  spirv_function *function = &module->functions[module->num_functions];
  function->id = from->at[2];
  id->kind = SPIRV_CALLEE;
  id->number = module->num_functions++;
  load->function = module->num_functions;
  load->block = 0;
  load->next_row = module->num_constant_rows;
  function->first_block = module->num_blocks;
  function->first = module->num_instructions;
  return read_entry(load, function);
}

static bool read_parameter(loader *load, const words *from) {
  const spirv_id *id = new_value(load, from);
  if (!id)
    return false;
  spirv_function *function = &load->module->functions[load->function - 1];
  if (!function->kernel.name)
    return true; /* of a function from outside */
  const spirv_type *type = spirv_type_of(load->module, id->type);
  bool is_scalar = type->kind == SPIRV_INTEGER || type->kind == SPIRV_FLOAT || type->kind == SPIRV_POINTER;
  if (!is_scalar || (type->kind == SPIRV_POINTER && type->storage != STORAGE_GLOBAL))
    return refuse(load, "parameter %u of kernel '%s' is neither a scalar nor a pointer to global memory",
                  function->kernel.num_parameters, function->kernel.name);
  size_t count = function->kernel.num_parameters + 1;
  spirv_parameter *grown = realloc(function->parameters, count * sizeof *grown);
  if (!grown)
    return refuse(load, "out of memory");
  grown[count - 1] = (spirv_parameter){type->kind == SPIRV_POINTER, type->size};
  function->parameters = grown;
  function->kernel.parameters = grown;
  function->kernel.num_parameters++;
  return true;
}

static bool end_function(loader *load) {
  spirv_module *module = load->module;
  if (!load->function)
    return refuse(load, "a function ends that did not begin");
  spirv_function *function = &module->functions[load->function - 1];
  const spirv_id *id = &module->ids[function->id];
  function->rows = load->next_row;
  function->end = module->num_instructions;
  bool has_body = function->first < function->end;
  if (has_body != (function->kernel.name != NULL) || (!has_body && !id->import))
    return refuse(load, "a function is neither a kernel nor imported");
  if (has_body && module->instructions[function->end - 1].row->class != SPIRV_CONTROL)
    return refuse(load, "kernel '%s' does not end", function->kernel.name);
  load->function = 0;
  return true;
}

/* ----------------------------------------------------------------------------------------------------- instructions */

static bool read_label(loader *load, const words *from) {
  spirv_module *module = load->module;
  spirv_id *id = id_at(load, from, 1);
  if (!id || !load->function || id->kind != SPIRV_NOTHING)
    return refuse(load, "a label is malformed");
  id->kind = SPIRV_LABEL;
  id->function = load->function;
  id->number = module->num_blocks;
  spirv_block *block = &module->blocks[module->num_blocks++];
  *block = (spirv_block){from->at[1], load->function, module->num_instructions, 0, module->num_instructions};
  load->block = module->num_blocks;
  return true;
}

static bool read_instruction(loader *load, const words *from) {
  spirv_module *module = load->module;
  if (!load->block)
    return refuse(load, "%s is in no block", from->row->name);
  spirv_instruction *instruction = &module->instructions[module->num_instructions++];
  uint32_t operands = 1;
  *instruction = (spirv_instruction){.row = from->row,
                                     .compute = from->row->compute,
                                     .execute = from->row->execute,
                                     .block = load->block - 1,
                                     .name = from->row->name};
  if (from->row->pattern[0] == 'T') {
    bool is_void = from->length > 2 && module->ids[from->at[1] % module->bound].kind == SPIRV_TYPE &&
                   spirv_type_of(module, from->at[1])->kind == SPIRV_VOID;
    if (!is_void && !new_value(load, from))
      return false;
    instruction->type = is_void ? 0 : from->at[1];
    instruction->result = is_void ? 0 : from->at[2];
    operands = 3;
  }
  instruction->operands = &from->at[operands];
  instruction->num_operands = from->length < operands ? 0 : from->length - operands;
  spirv_block *block = &module->blocks[load->block - 1];
  if (from->row->opcode == OP_Phi) {
    block->num_phis++;
    block->first++;
    if (block->first != module->num_instructions)
      return refuse(load, "a phi is not at the start of its block");
  } else if (from->row->class == SPIRV_CONTROL) {
    load->block = 0;
  }
  if (from->row->opcode != OP_Variable)
    return true;
  spirv_function *function = &module->functions[load->function - 1];
  const spirv_type *pointer = spirv_type_of(module, instruction->type);
  const spirv_type *type = pointer->kind == SPIRV_POINTER ? spirv_type_of(module, pointer->element) : pointer;
  if (!type->size || instruction->num_operands != 1 || type->size > MAX_MEMORY - function->private_bytes)
    return refuse(load, "a function's variable is malformed");
  function->private_bytes = round_up(function->private_bytes, 64);
  instruction->variable = (uint32_t)function->private_bytes;
  function->private_bytes += type->size;
  return true;
}

static bool read_declaration(loader *load, const words *from) {
  spirv_id *id;
  switch (from->row->opcode) {
  case OP_Name:
    id = id_at(load, from, 1);
    return id && (id->name = string_at(load, from, 2)) != NULL;
  case OP_ExtInstImport: {
    const char *name = string_at(load, from, 2);
    id = id_at(load, from, 1);
    if (!name || !id)
      return false;
    if (strcmp(name, "OpenCL.std") != 0)
      return refuse(load, "the instruction set '%s' is unknown", name);
    id->kind = SPIRV_SET;
    return true;
  }
  case OP_MemoryModel:
    return (from->length == 3 && from->at[1] == 2 && from->at[2] == 2) || refuse(load, "addresses are not of 64 bits");
  case OP_EntryPoint:
  case OP_ExecutionMode:
    return true; /* read_entry's */
  case OP_Decorate:
    return read_decoration(load, from);
  case OP_Function:
    return read_function(load, from);
  case OP_FunctionParameter:
    return load->function ? read_parameter(load, from) : refuse(load, "a parameter is lost");
  case OP_FunctionEnd:
    return end_function(load);
  case OP_Label:
    return read_label(load, from);
  case OP_Undef:
  case OP_ConstantTrue:
  case OP_ConstantFalse:
  case OP_Constant:
  case OP_ConstantComposite:
  case OP_ConstantNull:
    return read_constant(load, from);
  default:
    return read_type(load, from);
  }
}

static bool read_words(loader *load) {
  spirv_module *module = load->module;
  for (size_t at = HEADER_WORDS; at < module->num_words; at += module->words[at] >> 16) {
    words from = {spirv_find_row(module->words[at] & 0xffff), &module->words[at], module->words[at] >> 16};
    bool good = true;
    if (from.row->class == SPIRV_DECLARE)
      good = read_declaration(load, &from);
    else if (from.row->opcode == OP_Variable && !load->function)
      good = read_module_variable(load, &from);
    else if (from.row->class != SPIRV_SKIP)
      good = read_instruction(load, &from);
    if (!good)
      return false;
  }
  return !load->function || refuse(load, "a function does not end");
}

/* -------------------------------------------------------------------------------------------------------- resolving */

/* Whether an operand is a value of the function or of the module; the function's local memory is what it uses of the
 * module's. */
static bool use_value(spirv_module *module, uint32_t number, uint32_t function) {
  spirv_id *id = number < module->bound ? &module->ids[number] : NULL;
  if (!id || id->kind != SPIRV_VALUE)
    return false;
  if (id->function || id->user == function)
    return !id->function || id->function == function;
  id->user = function;
  const spirv_type *type = spirv_type_of(module, id->type);
  if (type->kind != SPIRV_POINTER || type->storage != STORAGE_WORKGROUP)
    return true;
  spirv_kernel *kernel = &module->functions[function - 1].kernel;
  kernel->local_bytes = round_up(kernel->local_bytes, 64) + spirv_type_of(module, type->element)->size;
  return true;
}

static bool is_label_of(const spirv_module *module, uint32_t id, uint32_t function) {
  return id < module->bound && module->ids[id].kind == SPIRV_LABEL && module->ids[id].function == function;
}

/* Operands are what the pattern says, and of this function or of the module. */
static bool check_pattern(loader *load, const spirv_instruction *instruction, uint32_t function) {
  const char *pattern = instruction->row->pattern + (instruction->row->pattern[0] == 'T' ? 2 : 0);
  bool optional = false;
  for (uint32_t i = 0; i < instruction->num_operands; i++) {
    if (*pattern == '.')
      return true;
    uint32_t operand = instruction->operands[i];
    bool good = *pattern == 'v'   ? use_value(load->module, operand, function)
                : *pattern == 'b' ? is_label_of(load->module, operand, function)
                                  : *pattern == 'n';
    if (!good)
      return refuse(load, "operand %u of %s is not what it takes", i, instruction->name);
    if (pattern[1] != '*')
      pattern++;
    if (*pattern == '?')
      pattern++, optional = true;
  }
  if (!*pattern || *pattern == '.' || pattern[1] == '*' || pattern[1] == '?' || optional)
    return true;
  return refuse(load, "%s has too few operands", instruction->name);
}

/* Elementwise instructions: all operands have as many scalars as the result. */
static bool check_compute(loader *load, const spirv_instruction *instruction, uint32_t function) {
  const spirv_type *result = spirv_type_of(load->module, instruction->type);
  for (uint32_t i = 0; i < instruction->num_operands; i++)
    if (!use_value(load->module, instruction->operands[i], function) ||
        spirv_value_type(load->module, instruction->operands[i])->components != result->components)
      return refuse(load, "operand %u of %s does not fit its result", i, instruction->name);
  return true;
}

static bool resolve_extended(loader *load, spirv_instruction *instruction) {
  if (instruction->num_operands < 2 || !instruction->type)
    return refuse(load, "OpExtInst is too short");
  unsigned count;
  uint32_t number = instruction->operands[1];
  instruction->compute = spirv_find_extended(number, &instruction->name, &count);
  if (!instruction->compute)
    return refuse(load, "instruction %u of OpenCL.std is unknown", number);
  instruction->operands += 2;
  instruction->num_operands -= 2;
  return count == instruction->num_operands || refuse(load, "%s has %u operands", instruction->name, count);
}

static bool resolve_call(loader *load, spirv_instruction *instruction, uint32_t function) {
  spirv_module *module = load->module;
  uint32_t callee = instruction->num_operands ? instruction->operands[0] : 0;
  if (callee >= module->bound || module->ids[callee].kind != SPIRV_CALLEE || !module->ids[callee].import)
    return refuse(load, "functions other than imported ones cannot be called");
  instruction->name = module->ids[callee].import;
  instruction->operands++;
  instruction->num_operands--;
  for (uint32_t i = 0; i < instruction->num_operands; i++)
    if (!use_value(module, instruction->operands[i], function))
      return refuse(load, "operand %u of %s is no value", i, instruction->name);
  instruction->execute = spirv_find_import(module, instruction->name, instruction);
  return instruction->execute || refuse(load, "the imported function '%s' is unknown here", instruction->name);
}

/* A value and the block it comes from, again and again. */
static bool check_phi(loader *load, const spirv_instruction *instruction, uint32_t function) {
  bool good = instruction->num_operands % 2 == 0;
  for (uint32_t i = 0; good && i < instruction->num_operands; i += 2)
    good = use_value(load->module, instruction->operands[i], function) &&
           is_label_of(load->module, instruction->operands[i + 1], function) &&
           spirv_value_type(load->module, instruction->operands[i])->components ==
               spirv_type_of(load->module, instruction->type)->components;
  return good || refuse(load, "a phi is malformed");
}

/* After the default, a literal as wide as the selector and a label, again and again. */
static bool check_switch(loader *load, const spirv_instruction *instruction, uint32_t function) {
  uint32_t stride = spirv_value_type(load->module, instruction->operands[0])->width > 32 ? 3 : 2;
  bool good = (instruction->num_operands - 2) % stride == 0;
  for (uint32_t i = 1 + stride; good && i < instruction->num_operands; i += stride)
    good = is_label_of(load->module, instruction->operands[i], function);
  return good || refuse(load, "a switch is malformed");
}

static bool resolve(loader *load) {
  spirv_module *module = load->module;
  for (uint32_t i = 0; i < module->num_instructions; i++) {
    spirv_instruction *instruction = &module->instructions[i];
    uint32_t function = module->blocks[instruction->block].function;
    bool good = check_pattern(load, instruction, function);
    if (good && instruction->row->class == SPIRV_EXTENDED)
      good = resolve_extended(load, instruction);
    if (good && instruction->compute)
      good = check_compute(load, instruction, function);
    if (good && instruction->row->class == SPIRV_CALL)
      good = resolve_call(load, instruction, function);
    if (good && instruction->row->opcode == OP_Phi)
      good = check_phi(load, instruction, function);
    if (good && instruction->row->opcode == OP_Switch)
      good = check_switch(load, instruction, function);
    if (!good)
      return false;
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Each instruction is known and ends inside the module; counts them for the arrays' sizes. */
static bool survey(loader *load) {
  const spirv_module *module = load->module;
  if (module->num_words < HEADER_WORDS || module->words[0] != MAGIC)
    return refuse(load, "this is no SPIR-V");
  if (!module->bound || module->bound > MAX_BOUND)
    return refuse(load, "the module's bound is %u", module->bound);
  for (size_t at = HEADER_WORDS; at < module->num_words; at += module->words[at] >> 16) {
    uint32_t length = module->words[at] >> 16, opcode = module->words[at] & 0xffff;
    const spirv_row *row = spirv_find_row((uint16_t)opcode);
    if (!length || length > module->num_words - at)
      return refuse(load, "an instruction leaves the module");
    if (!row)
      return refuse(load, "instruction %u is unknown", opcode);
    load->blocks += opcode == OP_Label;
    load->functions += opcode == OP_Function;
    load->types += opcode >= OP_TypeVoid && opcode <= OP_TypeFunction;
    load->instructions += row->class > SPIRV_SKIP;
  }
  return true;
}

static bool allocate(loader *load) {
  spirv_module *module = load->module;
  module->ids = calloc(module->bound, sizeof *module->ids);
  module->types = calloc(load->types + 1, sizeof *module->types);
  module->instructions = calloc(load->instructions + 1, sizeof *module->instructions);
  module->blocks = calloc(load->blocks + 1, sizeof *module->blocks);
  module->functions = calloc(load->functions + 1, sizeof *module->functions);
  module->constants = calloc(MAX_ROWS, sizeof *module->constants);
  bool good = module->ids && module->types && module->instructions && module->blocks && module->functions;
  return (good && module->constants) || refuse(load, "out of memory");
}

spirv_module *spirv_load(const void *code, size_t size, const spirv_chip *chip, spirv_message *message) {
  spirv_module *module = calloc(1, sizeof *module);
  loader load = {.module = module, .message = message};
  if (module)
    module->words = malloc(size + 4);
  if (!module || !module->words) {
    free(module);
    refuse(&load, "out of memory");
    return NULL;
  }
  memcpy(module->words, code, size);
  module->num_words = size / 4;
  module->chip = *chip;
  module->bound = size >= 4 * HEADER_WORDS ? module->words[3] : 0;
  if (survey(&load) && allocate(&load) && read_words(&load) && resolve(&load)) {
    return module;
  }
  spirv_free(module);
  return NULL;
}

void spirv_free(spirv_module *module) {
  if (!module)
    return;
  for (uint32_t i = 0; i < module->num_types; i++)
    free(module->types[i].places);
  for (uint32_t i = 0; i < module->num_functions; i++)
    free(module->functions[i].parameters);
  free(module->words);
  free(module->ids);
  free(module->types);
  free(module->instructions);
  free(module->blocks);
  free(module->functions);
  free(module->constants);
  free(module->constant_memory);
  free(module);
}

const spirv_kernel *spirv_kernel_at(const spirv_module *module, unsigned number) {
  for (uint32_t i = 0; i < module->num_functions; i++)
    if (module->functions[i].kernel.name && !number--)
      return &module->functions[i].kernel;
  return NULL;
}
