/* spirv_machine.h - what the parts of the SPIR-V executor share: decoded modules and the state of a launch.
 *
 * Values. A value is `components` scalars; aggregates are flattened. Its scalars lie in rows of a sub-group's
 * registers, one slot of 64 bits a lane: component c of lane l is registers[(row + c) * lanes + l]. A slot holds its
 * scalar zero-extended. Rows 0 up to num_constant_rows are the module's constants, the others those of the running
 * function.
 *
 * Addresses. Global memory has its host address; the highest byte of all others says which memory they are offsets
 * into. */
#ifndef TEC_TESTS_SPIRV_MACHINE_H
#define TEC_TESTS_SPIRV_MACHINE_H
#include "spirv.h"

#include <stdarg.h>
#include <string.h>

typedef struct spirv_subgroup spirv_subgroup;
typedef struct spirv_instruction spirv_instruction;

/* ---------------------------------------------------------------------------------------------------------- modules */

typedef enum spirv_type_kind {
  SPIRV_VOID,
  SPIRV_BOOL,
  SPIRV_INTEGER,
  SPIRV_FLOAT,
  SPIRV_VECTOR,
  SPIRV_ARRAY,
  SPIRV_STRUCT,
  SPIRV_POINTER,
  SPIRV_FUNCTION
} spirv_type_kind;

/* Where one scalar of a value lies in memory. */
typedef struct spirv_place {
  uint32_t offset; /* bytes */
  uint8_t width;   /* bits */
} spirv_place;

enum { SPIRV_MAX_PLACES = 256 };

typedef struct spirv_type {
  spirv_type_kind kind;
  unsigned width;          /* of scalars and pointers: bits; of vectors and arrays: their scalars' */
  unsigned components;     /* scalars in a value */
  uint32_t element;        /* the id of the type of elements, or of what a pointer points to */
  uint32_t count;          /* of elements or members */
  const uint32_t *members; /* type ids */
  uint32_t storage;        /* class of what a pointer points to */
  size_t size, alignment;  /* bytes in memory; size 0: it cannot be in memory */
  spirv_place *places;     /* of its scalars in memory; NULL where there are more than SPIRV_MAX_PLACES, or size is 0 */
} spirv_type;

typedef enum spirv_id_kind {
  SPIRV_NOTHING,
  SPIRV_TYPE,
  SPIRV_VALUE,
  SPIRV_LABEL,
  SPIRV_CALLEE,
  SPIRV_SET
} spirv_id_kind;

typedef struct spirv_id {
  spirv_id_kind kind;
  uint32_t type;     /* of values: the id of their type */
  uint32_t row;      /* of values */
  uint32_t function; /* of values and labels: which function's, from 1; 0: the module's */
  uint32_t
      number; /* of types, labels and callees: their place in the module's array; of built-in variables: 1 + which */
  const char *name;          /* NULL: it has none */
  const char *import;        /* of functions from outside: their name */
  uint32_t builtin, aligned; /* decorations; builtin: 1 + which */
  uint32_t user;             /* of the module's values: the last function that was found to use it, from 1 */
} spirv_id;

/* What computes the result of an elementwise instruction: `count` slots, of all components and lanes. */
typedef struct spirv_operands {
  size_t count;
  unsigned width, from_width; /* bits of a scalar of the result, of the first operand */
  const uint64_t *a, *b, *c;  /* absent ones repeat the first */
  uint64_t *out;
} spirv_operands;

typedef void spirv_compute(const spirv_operands *operands);
/* What an instruction does for the lanes in a mask; false after spirv_stop. */
typedef bool spirv_execute(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes);

typedef enum spirv_class {
  SPIRV_DECLARE,    /* the loader's */
  SPIRV_SKIP,       /* means nothing here */
  SPIRV_COMPUTE,    /* elementwise, through `compute` */
  SPIRV_EXTENDED,   /* the same; the loader finds `compute` */
  SPIRV_EXECUTE,    /* each lane by itself, through `execute` */
  SPIRV_COLLECTIVE, /* the lanes of a sub-group together, through `execute` */
  SPIRV_CALL,       /* the same; the loader finds `execute` */
  SPIRV_BARRIER,    /* a work-group or a sub-group together */
  SPIRV_CONTROL     /* ends a block */
} spirv_class;

/* A row of spirv_op.def. */
typedef struct spirv_row {
  uint16_t opcode;
  const char *name, *pattern;
  spirv_class class;
  spirv_compute *compute;
  spirv_execute *execute;
} spirv_row;

struct spirv_instruction {
  const spirv_row *row;
  spirv_compute *compute;   /* of the row, or of the function of OpenCL's set */
  spirv_execute *execute;   /* of the row, or of the imported function */
  uint32_t type, result;    /* ids; 0: none */
  uint32_t block;           /* its block's place in the module's array */
  uint32_t num_operands;    /* words after type and result */
  const uint32_t *operands; /* for OpExtInst and OpFunctionCall: the arguments */
  const char *name;         /* of what it does */
  uint32_t variable;        /* OpVariable: the offset of its memory in private memory; 2-D blocks: see spirv_matrix.c */
};

typedef struct spirv_block {
  uint32_t label;               /* its id */
  uint32_t function;            /* from 1 */
  uint32_t first_phi, num_phis; /* instructions */
  uint32_t first;               /* instruction after the phis */
} spirv_block;

typedef struct spirv_function {
  spirv_kernel kernel; /* name: NULL where it is no entry point */
  spirv_parameter *parameters;
  uint32_t id;
  uint32_t first_block;     /* the entry */
  uint32_t first, end;      /* instructions */
  uint32_t rows;            /* of its values, constants included */
  size_t private_bytes;     /* a work-item */
} spirv_function;

struct spirv_module {
  uint32_t *words;
  size_t num_words;
  spirv_chip chip;
  spirv_id *ids;
  uint32_t bound;
  spirv_type *types;
  uint32_t num_types;
  spirv_instruction *instructions;
  uint32_t num_instructions;
  spirv_block *blocks;
  uint32_t num_blocks;
  spirv_function *functions;
  uint32_t num_functions;
  uint64_t *constants; /* a slot a row */
  uint32_t num_constant_rows;
  uint8_t *constant_memory; /* variables with initial values */
  size_t constant_bytes, local_bytes;
};

enum { SPIRV_LOCAL = 1, SPIRV_PRIVATE, SPIRV_CONSTANT, SPIRV_INPUT };

static inline uint64_t spirv_address(unsigned memory, uint64_t offset) { return (uint64_t)memory << 56 | offset; }

static inline const spirv_type *spirv_type_of(const spirv_module *module, uint32_t id) {
  return &module->types[module->ids[id].number];
}
static inline const spirv_type *spirv_value_type(const spirv_module *module, uint32_t value) {
  return spirv_type_of(module, module->ids[value].type);
}
/* The row of an opcode; NULL for those that are unknown. */
const spirv_row *spirv_find_row(uint16_t opcode);
/* The function of OpenCL's set with that number, and how many operands it takes; NULL for those that are unknown. */
spirv_compute *spirv_find_extended(uint32_t number, const char **name, unsigned *num_operands);
/* How to execute an imported function; NULL for those that are unknown to the chip, or called with other types. */
spirv_execute *spirv_find_import(const spirv_module *module, const char *name, const spirv_instruction *instruction);

/* --------------------------------------------------------------------------------------------------------- launches */

/* What happened last to a byte of local memory. Moments count barriers: of all groups of a launch one after the other,
 * and of each sub-group. */
typedef struct spirv_shadow {
  uint32_t written, read;                /* at which moment of the work-group; 0: never */
  uint32_t written_inside, read_inside;  /* at which moment of the sub-group */
  uint16_t writer, reader;               /* work-items; reader SPIRV_MANY: several */
  uint16_t writing_group, reading_group; /* sub-groups; the latter SPIRV_MANY: several */
} spirv_shadow;

enum { SPIRV_MANY = 0xffff };

/* The work-group that runs. */
typedef struct spirv_group {
  const spirv_module *module;
  const spirv_function *function;
  const spirv_launch *launch;
  spirv_message *message;
  uint32_t id[3];
  uint32_t num_items;
  uint32_t moment, first_moment; /* now, and when the group started */
  uint8_t *local;
  spirv_shadow *shadow;
  uint8_t *private_memory; /* private_bytes a work-item */
  size_t last_buffer;      /* the one that the last access hit */
  spirv_subgroup *subgroups;
  uint32_t num_subgroups;
  uint64_t budget; /* instructions left */
} spirv_group;

struct spirv_subgroup {
  spirv_group *group;
  uint64_t *registers;
  uint64_t *scratch; /* as many slots as the largest set of phis has, or SPIRV_MAX_PLACES rows */
  unsigned lanes;    /* slots a row */
  uint32_t existing; /* lanes; the last sub-group of a work-group may have fewer */
  uint32_t number, first_item;
  uint32_t done, waiting;             /* lanes that returned; that wait for others at their position */
  uint32_t position[SPIRV_MAX_LANES]; /* the instruction that a lane executes next */
  uint32_t moment;                    /* counts barriers */
};

#define SPIRV_FOR_LANES(LANE, LANES)                                                                                   \
  for (uint32_t LANE##_left = (LANES), LANE = 0; LANE##_left && (LANE = (uint32_t)__builtin_ctz(LANE##_left), true);   \
       LANE##_left &= LANE##_left - 1)

/* Row `component` of a value. */
static inline uint64_t *spirv_row_of(const spirv_subgroup *subgroup, uint32_t value, unsigned component) {
  return &subgroup->registers[((size_t)subgroup->group->module->ids[value].row + component) * subgroup->lanes];
}

/* Ends the launch: the message says where. `lane`: SPIRV_MAX_LANES where it concerns none in particular. Returns
 * false. */
bool spirv_stop(const spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

typedef enum spirv_access { SPIRV_READ, SPIRV_WRITE } spirv_access;

/* Where an address lies in the host's memory, after all checks; NULL after spirv_stop. */
uint8_t *spirv_reach(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, uint64_t address,
                     size_t size, spirv_access access);
/* Notes an access to local memory, and checks for races; `bytes`: what is being written. */
bool spirv_note(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, uint64_t address,
                const uint8_t *bytes, size_t size, spirv_access access);

static inline uint64_t spirv_narrow(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & (((uint64_t)1 << width) - 1);
}
static inline int64_t spirv_signed(uint64_t value, unsigned width) {
  return (int64_t)(value << (64 - width)) >> (64 - width);
}
float spirv_float(uint64_t bits, unsigned width); /* 16 or 32 bits */
float spirv_bfloat(uint64_t bits);
uint64_t spirv_bits(float value, unsigned width); /* rounds to nearest even */
uint64_t spirv_bfloat_bits(float value);
uint64_t spirv_load_bits(const uint8_t *at, unsigned width);
void spirv_store_bits(uint8_t *at, uint64_t bits, unsigned width);
#endif
