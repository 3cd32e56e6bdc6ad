/* ptx_code.h - decoded PTX: what the parser makes and the emulator runs. Shared by the ptx_*.c files only.
 *
 * Registers
 *  - A register holds the values of the 32 lanes of a warp side by side: a predicate is a mask of 32 bits; registers of
 *  up
 *    to 32 bits are uint32_t[32] with zeros above their width; wider ones are uint64_t[32].
 *  - Every register has its own place in its file: one file is shared by all entries (only one runs), the other belongs
 *  to
 *    the functions. A function has one activation a warp at most, so recursion is an error when it happens.
 *  - Immediates and special registers have the same form, in files of their own, so that no operand is a special case.
 *
 * Addresses
 *  - .global and .const: host addresses. .shared: from 0 for static variables, from PTX_DYNAMIC_SHARED on for dynamic
 *  ones, which is one bit more than a descriptor of a matrix has for addresses, so that a missing mask is found out.
 *    .local, and .param of functions: offsets into the memory of the thread. .param of entries: offsets into the
 *    arguments.
 *  - Generic addresses are those plus the window of their space; PTX_*_WINDOW lie above all host addresses. */
#ifndef TEC_RUNTIME_PTX_CODE_H
#define TEC_RUNTIME_PTX_CODE_H
#include "runtime/ptx.h"

enum { PTX_LANES = 32, PTX_MAX_WARPS = 32, PTX_NUM_BARRIERS = 16, PTX_MAX_TYPES = 4 };
enum { PTX_DYNAMIC_SHARED = 1 << 18, PTX_MAX_LOCAL_BYTES = 1 << 19, PTX_MAX_INSTRUCTIONS = 1 << 22 };
#define PTX_ALL_LANES 0xffffffffu
#define PTX_SHARED_WINDOW ((uint64_t)1 << 60)
#define PTX_LOCAL_WINDOW ((uint64_t)2 << 60)
#define PTX_PARAM_WINDOW ((uint64_t)3 << 60)
#define PTX_WINDOW_MASK ((uint64_t)7 << 60)

typedef enum ptx_type_kind {
  KIND_BITS,
  KIND_UNSIGNED,
  KIND_SIGNED,
  KIND_FLOAT,
  KIND_PACKED,
  KIND_PREDICATE
} ptx_type_kind;

typedef enum ptx_type {
#define TYPE(id, text, bits, kind, element) PTX_##id,
#include "runtime/ptx_op.def"
  PTX_NUM_TYPES
} ptx_type;

typedef struct ptx_type_row {
  const char *text;
  uint8_t bits, kind, element; /* element: the type of each of two, or the type itself */
} ptx_type_row;
extern const ptx_type_row ptx_types[PTX_NUM_TYPES];

/* The groups of modifiers; an instruction has at most one of each. */
typedef enum ptx_group {
#define GROUP(text, group, value) PTX_##group,
#include "runtime/ptx_op.def"
  PTX_NUM_GROUPS
} ptx_group;

/* Their values; 0 is "none". */
enum { HALF_LO = 1, HALF_HI, HALF_WIDE };
enum { ROUND_NEAREST = 1, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };
/* A comparison is the set of the outcomes for which it holds; COMPARE_BITS: of unsigned numbers alone. */
enum { COMPARE_LESS = 1, COMPARE_EQUAL = 2, COMPARE_GREATER = 4, COMPARE_UNORDERED = 8, COMPARE_BITS = 16 };
enum { COMPARE_NOT_EQUAL = COMPARE_LESS | COMPARE_GREATER, COMPARE_ORDERED = COMPARE_NOT_EQUAL | COMPARE_EQUAL };
enum { COMBINE_AND = 1, COMBINE_OR, COMBINE_XOR };
enum { COMBINE_ADD = COMBINE_XOR + 1, COMBINE_MIN, COMBINE_MAX, COMBINE_INC, COMBINE_DEC };
enum { COMBINE_EXCHANGE = COMBINE_DEC + 1, COMBINE_COMPARE };
enum { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM, SPACE_CONST };
enum { SHUFFLE_UP = 1, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum { VOTE_ALL = 1, VOTE_ANY, VOTE_BALLOT };
enum { SHAPE_M8N8 = 1, SHAPE_M16N8K8, SHAPE_M16N8K16, SHAPE_M16N8K32, SHAPE_M64K8, SHAPE_M64K16 };

typedef enum ptx_special {
#define SPECIAL(id, text, bits) PTX_##id,
#include "runtime/ptx_op.def"
  PTX_NUM_SPECIALS
} ptx_special;

typedef enum ptx_unit {
  UNIT_CONTROL,
  UNIT_INTEGER,
  UNIT_FLOATING,
  UNIT_COMPARE,
  UNIT_CONVERT,
  UNIT_MOVE,
  UNIT_MEMORY,
  UNIT_EXCHANGE,
  UNIT_MATRIX,
  UNIT_WARPGROUP
} ptx_unit;

/* Operations; several rows of the table may stand for one. */
typedef enum ptx_op {
#define OP(id, text, operands, num_types, types, required, optional, unit) OP_##id,
#include "runtime/ptx_op.def"
} ptx_op;

/* Where an operand's values are. */
typedef enum ptx_file {
  FILE_ENTRY,    /* registers of entries */
  FILE_FUNCTION, /* registers of functions */
  FILE_CONSTANT,
  FILE_SPECIAL,
  PTX_NUM_FILES
} ptx_file;

typedef struct ptx_operand {
  int64_t displacement; /* of an address: added to the register; of a call: the variable in the caller's memory */
  uint32_t offset;      /* bytes from the start of the file; of a call: the variable's size */
  uint8_t file, bits;
  bool negated; /* a predicate under `!` */
} ptx_operand;

typedef struct ptx_instruction {
  uint8_t op, unit;
  uint8_t type[PTX_MAX_TYPES]; /* ptx_type; the last one given is repeated */
  uint8_t field[PTX_NUM_GROUPS];
  bool guarded;                    /* by the operand after its own */
  uint8_t num_operands, num_first; /* num_first: in the first pair of braces (ld, st, mov, wgmma) */
  uint8_t num_written;             /* of the operands, the first ones; wgmma: none */
  uint32_t operands;               /* the first one, in the module's list */
  uint32_t target;      /* bra: an instruction; brx: in the table of targets; call: the function, first a name */
  uint32_t num_targets; /* brx: targets; call: of the operands, those that are results */
  uint32_t line;
  uint32_t mnemonic; /* where it is in the text */
  uint16_t mnemonic_length;
} ptx_instruction;

typedef struct ptx_parameter {
  uint32_t offset, size; /* in the arguments (entry) or the thread's memory (function) */
} ptx_parameter;

typedef struct ptx_function {
  char *name;
  bool entry, defined;
  uint32_t first, end;       /* instructions; a `ret` is at end - 1 */
  ptx_parameter *parameters; /* the results of a function come first */
  uint32_t num_parameters, num_results;
  uint32_t parameter_bytes;
  uint32_t shared_bytes;                         /* static; of the module so far, and of its own */
  uint32_t required_threads[3], most_threads[3]; /* .reqntid and .maxntid; 0: not given */
} ptx_function;

typedef struct ptx_variable {
  void *memory; /* from aligned_alloc */
  size_t size;
  bool read_only;
} ptx_variable;

struct ptx_module {
  char *text;
  size_t size;
  unsigned target;   /* 80 for sm_80 */
  bool specific;     /* to that one chip: sm_90a */
  bool has_products; /* of warpgroups */
  ptx_instruction *code;
  uint32_t num_code, capacity_code;
  ptx_operand *operands;
  uint32_t num_operands, capacity_operands;
  uint32_t *targets; /* of brx.idx */
  uint32_t num_targets, capacity_targets;
  ptx_function *functions;
  uint32_t num_functions, capacity_functions;
  ptx_variable *variables;
  uint32_t num_variables, capacity_variables;
  unsigned char *constants;
  uint32_t constant_bytes, capacity_constants;
  uint32_t file_bytes[2];     /* of FILE_ENTRY and FILE_FUNCTION */
  uint32_t local_bytes;       /* of one thread */
  uint32_t shared_bytes;      /* static shared memory of the module itself */
  uint32_t dynamic_alignment; /* of dynamic shared memory, as it is declared; 0: it is not */
};

/* The bytes that a register of `bits` takes for a warp; 1 bit is a predicate. */
static inline uint32_t ptx_slot_bytes(unsigned bits) {
  return bits == 1 ? 4 : bits <= 32 ? PTX_LANES * 4 : PTX_LANES * 8;
}
/* Makes room for one more of `size` bytes each; false when out of memory. */
bool ptx_grow(void *list, uint32_t *capacity, uint32_t count, size_t size);
/* An instruction as it is written, up to its `;` and on one line; cut when it is long. */
enum { PTX_STATEMENT_BYTES = 160 };
void ptx_statement(const ptx_module *module, const ptx_instruction *instruction, char text[PTX_STATEMENT_BYTES]);
/* The most shared memory that a block may have on sm_`target`. */
uint32_t ptx_shared_limit(unsigned target);
#endif
