/* ir.h - the language in memory: modules, types, attributes, affine maps, ops, values, blocks, builders.
 *
 * Invariants
 *  - A module owns everything reachable from it (one arena, freed at once). Modules share nothing, so each may live on
 *    its own thread; a module is used by one thread at a time.
 *  - Types, attributes, affine expressions, maps and strings are interned per module: equal means the same pointer.
 *  - Control flow is structured: a region is exactly one block, so `ir_block` serves as both. A value is visible in the
 *    rest of its block and in the regions nested there.
 *  - Every operand is on its value's use list. Ops erased with uses left are a bug (asserted).
 *  - Every op has a location; passes set ir_builder.loc from the op that they rewrite, so a late error still points at
 *    the source line.
 *  - What an op *is* stands in its row of op.def (ir_op_info); nothing else in the tree switches on op names. */
#ifndef TEC_IR_IR_H
#define TEC_IR_IR_H
#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ir_module ir_module;
typedef struct ir_type ir_type;
typedef struct ir_attr ir_attr;
typedef struct ir_expr ir_expr;
typedef struct ir_map ir_map;
typedef struct ir_value ir_value;
typedef struct ir_use ir_use;
typedef struct ir_op ir_op;
typedef struct ir_block ir_block;
typedef struct ir_structure ir_structure;

/* The extent, stride or offset that is known only at run time: printed as `?`. */
#define IR_DYNAMIC INT64_MIN
#define IR_MAX_RANK 16
#define IR_MAX_LOOPS 32
/* Ops nested in each other, and functions that call each other: passes may recurse over both. */
#define IR_MAX_NESTING 256
#define IR_MAX_VECTOR_ELEMENTS (1 << 20)

/* --------------------------------------------------------------------------------------------- diagnostics (diag.c) */

/* A place in a source text: `source` counts from 1 (0: unknown), `offset` is a byte offset into it. */
typedef struct ir_loc {
  uint32_t source, offset;
} ir_loc;

typedef enum ir_severity { IR_NOTE, IR_REMARK, IR_WARNING, IR_ERROR } ir_severity;

/* Receives each message, rendered clang-style: "file:line:col: error: text\n", the source line, a caret line. */
typedef void (*ir_diag_handler)(void *user, ir_severity severity, const char *rendered);

/* Reports an error at `loc`; always returns false, so that `return ir_error(..)` reads well. */
bool ir_error(ir_module *module, ir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds detail to the error before it. */
void ir_note(ir_module *module, ir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ir_warning(ir_module *module, ir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ir_remark(ir_module *module, ir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An error at the op, with the op's name in front: "'linalg.fill' op <text>". */
bool ir_op_error(const ir_op *op, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports what is the compiler's own fault, found at the op in `part` (the name of a pass, "code generation"; a
 * constant), and asks for a report; always returns false. */
bool ir_internal_error(const ir_op *op, const char *part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* 1-based line and column of a location; false where it is unknown. `file` may be NULL. */
bool ir_loc_resolve(const ir_module *module, ir_loc loc, const char **file, unsigned *line, unsigned *column);

/* --------------------------------------------------------------------------------------------------- modules (ir.c) */

typedef struct ir_source {
  const char *name, *text;
  size_t size;
  uint32_t num_lines;
  const uint32_t *lines; /* where they begin */
} ir_source;

typedef struct ir_table ir_table; /* an interning table (intern.c) */

struct ir_module {
  ir_arena arena;
  ir_op *root; /* the builtin.module op */
  ir_diag_handler diag;
  void *diag_user;
  unsigned num_errors;
  ir_source *sources;
  unsigned num_sources;
  bool rewritten; /* by a pass: it no longer is what its sources say */
  ir_table *types, *attrs, *exprs, *maps, *strings;
  ir_table *symbols;        /* NULL until it is built (symbol.c) */
  const char *no_structure; /* why ir_structure_of last gave NULL */
  const char *broken_by;    /* the part of the compiler that reported an internal error; NULL: none did */
};

/* An empty module (a builtin.module op without content), or NULL when no address space is left.
 * `diag` may be NULL: messages are then only counted. */
ir_module *ir_module_create(ir_diag_handler diag, void *diag_user);
void ir_module_destroy(ir_module *module);
/* Registers a source text for diagnostics; both strings are copied. Returns the number for ir_loc.source. */
uint32_t ir_module_add_source(ir_module *module, const char *name, const char *text, size_t size);
/* The one copy of a string in the module; `size` in bytes. Terminated by a NUL. */
const char *ir_intern(ir_module *module, const char *text, size_t size);
const char *ir_intern_cstr(ir_module *module, const char *text);

/* ------------------------------------------------------------------------------------------------- types (type.c) */

typedef enum ir_scalar {
#define SCALAR(ID, NAME, BITS, KIND) IR_##ID,
#include "scalar.def"
#undef SCALAR
  IR_NUM_SCALARS
} ir_scalar;

typedef enum ir_scalar_kind { IR_KIND_INTEGER, IR_KIND_INDEX, IR_KIND_FLOAT } ir_scalar_kind;

typedef enum ir_type_kind {
  IR_TYPE_SCALAR,
  IR_TYPE_TENSOR,
  IR_TYPE_VECTOR,
  IR_TYPE_MEMREF,
  IR_TYPE_FUNCTION,
  IR_TYPE_HANDLE, /* !transform.any_op */
  IR_TYPE_TOKEN,  /* what orders an asynchronous copy */
  IR_TYPE_TILE    /* what a tile register of x86's matrix unit holds: rows of `shape`, both extents constant */
} ir_type_kind;

/* Where a memref lives. Targets map these to their own numbers. */
typedef enum ir_space { IR_SPACE_GLOBAL, IR_SPACE_WORKGROUP, IR_SPACE_PRIVATE, IR_SPACE_CONSTANT } ir_space;

struct ir_type {
  ir_type_kind kind;
  ir_scalar element; /* scalar, tensor, vector, memref, tile */
  uint8_t rank;
  ir_space space;                                /* memref */
  const int64_t *shape;                          /* tensor, vector, memref, tile: `rank` extents, or IR_DYNAMIC */
  const int64_t *strides;                        /* memref: `rank` strides in elements, or NULL for row-major order */
  int64_t offset;                                /* memref with strides: in elements, or IR_DYNAMIC */
  const ir_type *const *inputs, *const *results; /* function */
  unsigned num_inputs, num_results;
};

const ir_type *ir_type_scalar(ir_module *module, ir_scalar scalar);
const ir_type *ir_type_index(ir_module *module);
const ir_type *ir_type_tensor(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape);
const ir_type *ir_type_vector(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape);
/* `strides` NULL means row-major (then offset is 0). Strides equal to the row-major ones with offset 0 are normalised
 * to NULL. */
const ir_type *ir_type_memref(ir_module *module, ir_scalar element, unsigned rank, const int64_t *shape,
                              const int64_t *strides, int64_t offset, ir_space space);
const ir_type *ir_type_function(ir_module *module, unsigned num_inputs, const ir_type *const *inputs,
                                unsigned num_results, const ir_type *const *results);
const ir_type *ir_type_handle(ir_module *module);
const ir_type *ir_type_token(ir_module *module);
/* Of what fits a register, which its ops check: 1 to 16 rows of f32 or bf16, of 4 to 64 bytes in whole words. */
const ir_type *ir_type_tile(ir_module *module, ir_scalar element, int64_t rows, int64_t columns);
bool ir_tile_fits(ir_scalar element, int64_t rows, int64_t columns);
/* The same kind of type with another shape, or another element. Scalars count as rank 0 for with_element. A memref
 * becomes row-major. */
const ir_type *ir_type_with_shape(ir_module *module, const ir_type *type, unsigned rank, const int64_t *shape);
const ir_type *ir_type_with_element(ir_module *module, const ir_type *type, ir_scalar element);

static inline bool ir_type_is_shaped(const ir_type *type) {
  return type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_VECTOR || type->kind == IR_TYPE_MEMREF;
}
bool ir_type_is_static(const ir_type *type); /* no extent is dynamic */
/* The next dim from this one on whose extent is not known to be 1; the rank where there is none. Whether both types
 * have the same such extents, in the same order. */
unsigned ir_type_next_long_dim(const ir_type *type, unsigned dim);
bool ir_type_has_extents_of(const ir_type *type, const ir_type *other);
int64_t ir_type_num_elements(const ir_type *type); /* 1 for scalars; IR_DYNAMIC if unknown; saturates at INT64_MAX */
int64_t ir_type_bytes(const ir_type *type);        /* that those take in memory; likewise */
/* The strides of a memref in elements, row-major ones written out; IR_DYNAMIC where unknown. */
void ir_type_strides(const ir_type *type, int64_t *strides);
int64_t ir_type_stride(const ir_type *type, unsigned dim);
/* offset + index * stride; IR_DYNAMIC where one of them is, or where the sum does not fit in 64 bits. */
int64_t ir_static_offset(int64_t offset, int64_t index, int64_t stride);
const char *ir_scalar_name(ir_scalar scalar);
unsigned ir_scalar_bits(ir_scalar scalar);  /* index counts as 64 */
unsigned ir_scalar_bytes(ir_scalar scalar); /* of an element in memory: a byte at least */
ir_scalar_kind ir_scalar_kind_of(ir_scalar scalar);
static inline bool ir_scalar_is_float(ir_scalar scalar) { return ir_scalar_kind_of(scalar) == IR_KIND_FLOAT; }
/* Rounds to the nearest value of a float type, ties to even; integers wrap to the width, sign-extended. */
double ir_scalar_round(ir_scalar scalar, double value);
/* The lowest finite value of a float type. */
double ir_scalar_lowest(ir_scalar scalar);
int64_t ir_scalar_wrap(ir_scalar scalar, int64_t value);
/* The bit pattern of a value in a float type, and back. */
uint64_t ir_float_to_bits(ir_scalar scalar, double value);
double ir_float_from_bits(ir_scalar scalar, uint64_t bits);

/* ------------------------------------------------------------------------------ affine expressions and maps (map.c) */

typedef enum ir_expr_kind {
  IR_EXPR_CONST,
  IR_EXPR_DIM,
  IR_EXPR_SYM,
  IR_EXPR_ADD,
  IR_EXPR_MUL,
  IR_EXPR_FLOORDIV,
  IR_EXPR_CEILDIV,
  IR_EXPR_MOD
} ir_expr_kind;

struct ir_expr {
  ir_expr_kind kind;
  int64_t value; /* the constant, or the number of the dim or symbol */
  const ir_expr *lhs, *rhs;
};

struct ir_map {
  unsigned num_dims, num_syms, num_results;
  const ir_expr *const *results;
};

const ir_expr *ir_expr_const(ir_module *module, int64_t value);
const ir_expr *ir_expr_dim(ir_module *module, unsigned number);
const ir_expr *ir_expr_sym(ir_module *module, unsigned number);
/* Binary expressions are simplified while built (constants folded and moved right, x+0, x*1, x*0, ..). Division and mod
 * want a positive constant on the right and are floor-based as in MLIR. */
const ir_expr *ir_expr_binary(ir_module *module, ir_expr_kind kind, const ir_expr *lhs, const ir_expr *rhs);
/* With a number on the right. */
static inline const ir_expr *ir_expr_by(ir_module *module, ir_expr_kind kind, const ir_expr *lhs, int64_t number) {
  return ir_expr_binary(module, kind, lhs, ir_expr_const(module, number));
}
const ir_map *ir_map_get(ir_module *module, unsigned num_dims, unsigned num_syms, unsigned num_results,
                         const ir_expr *const *results);
const ir_map *ir_map_identity(ir_module *module, unsigned num_dims);
/* (d0, .., dn-1) -> (d[dims[0]], d[dims[1]], ..); `dims` NULL: the first ones, in order. */
const ir_map *ir_map_select(ir_module *module, unsigned num_dims, unsigned num_results, const unsigned *dims);
/* All dims, in order, but those of the list. */
const ir_map *ir_map_without(ir_module *module, unsigned num_dims, unsigned count, const int64_t *dims);
bool ir_map_is_identity(const ir_map *map);
/* Each result is a distinct dim (some dims may be missing). */
bool ir_map_is_projected_permutation(const ir_map *map);
/* .. and none is missing. */
bool ir_map_is_permutation(const ir_map *map);
/* The dim that result `i` is, or -1 where it is another expression. */
int ir_map_result_dim(const ir_map *map, unsigned i);
/* .. that its last one is, along which memory goes on in a row-major operand; -1 also where there is none. */
int ir_map_last_dim(const ir_map *map);
/* The result that is exactly dim `dim`, or -1. */
int ir_map_find_dim(const ir_map *map, unsigned dim);
/* The dims that it is made of, of which there are no more than 32, as bits. */
uint32_t ir_expr_dims(const ir_expr *expr);
uint32_t ir_map_dims(const ir_map *map);
static inline bool ir_expr_uses_dim(const ir_expr *expr, unsigned dim) { return ir_expr_dims(expr) >> dim & 1; }
static inline bool ir_map_uses_dim(const ir_map *map, unsigned dim) { return ir_map_dims(map) >> dim & 1; }
/* `dims` has num_dims entries, then num_syms entries for the symbols. Overflow wraps. */
int64_t ir_expr_eval(const ir_expr *expr, unsigned num_dims, const int64_t *dims);
/* Replaces dims and symbols: dims[i] (NULL keeps it), syms[i] likewise. */
const ir_expr *ir_expr_replace(ir_module *module, const ir_expr *expr, const ir_expr *const *dims,
                               const ir_expr *const *syms);
/* The results of a map without symbols, with its dims replaced, as a map of `num_dims` dims. */
const ir_map *ir_map_replace(ir_module *module, const ir_map *map, unsigned num_dims, const ir_expr *const *dims);

/* -------------------------------------------------------------------------------------------- attributes (attr.c) */

/* One scalar: floats as double, the rest sign-extended. */
typedef union ir_cell {
  double f;
  int64_t i;
} ir_cell;

typedef enum ir_attr_kind {
  IR_ATTR_UNIT,
  IR_ATTR_BOOL,
  IR_ATTR_INT,    /* value : type (an integer type or index) */
  IR_ATTR_FLOAT,  /* value : type */
  IR_ATTR_STRING, /* "text" */
  IR_ATTR_ARRAY,  /* [a, b, ..] */
  IR_ATTR_DICT,   /* {name = a, ..}, sorted by name */
  IR_ATTR_TYPE,
  IR_ATTR_MAP,     /* affine_map<..> */
  IR_ATTR_SYMBOL,  /* @name */
  IR_ATTR_DENSE,   /* dense<..> : shaped type; a splat or all elements */
  IR_ATTR_I64S,    /* array<i64: ..> (also i32 and i1 element types: see `type`) */
  IR_ATTR_KEYWORD, /* #dialect.name<keyword>: string = keyword, name = "dialect.name" */
} ir_attr_kind;

typedef struct ir_named_attr {
  const char *name; /* interned */
  const ir_attr *attr;
} ir_named_attr;

struct ir_attr {
  ir_attr_kind kind;
  const ir_type *type; /* INT, FLOAT, DENSE: the type; TYPE: the type itself; I64S: the scalar element type */
  int64_t value;       /* BOOL, INT */
  double number;       /* FLOAT */
  const char *string;  /* STRING (may hold NULs: `count` bytes), SYMBOL, KEYWORD */
  const char *name;    /* KEYWORD */
  const ir_map *map;
  unsigned count;                 /* elements below; for DENSE 1 means splat unless the type has one element */
  const ir_attr *const *elements; /* ARRAY */
  const ir_named_attr *entries;   /* DICT */
  const int64_t *ints;            /* I64S */
  const uint8_t *bytes;           /* DENSE: the elements as memory has them, ir_scalar_bytes each */
};

const ir_attr *ir_attr_unit(ir_module *module);
const ir_attr *ir_attr_bool(ir_module *module, bool value);
const ir_attr *ir_attr_int(ir_module *module, const ir_type *type, int64_t value);
const ir_attr *ir_attr_i64(ir_module *module, int64_t value);
const ir_attr *ir_attr_float(ir_module *module, const ir_type *type, double value);
const ir_attr *ir_attr_scalar(ir_module *module, const ir_type *type, ir_cell cell); /* one of these */
const ir_attr *ir_attr_string(ir_module *module, const char *text, size_t size);
const ir_attr *ir_attr_cstr(ir_module *module, const char *text);
const ir_attr *ir_attr_symbol(ir_module *module, const char *name);
const ir_attr *ir_attr_keyword(ir_module *module, const char *name, const char *keyword);
const ir_attr *ir_attr_array(ir_module *module, unsigned count, const ir_attr *const *elements);
/* [1, 2, ..]; at most IR_MAX_RANK. */
const ir_attr *ir_attr_numbers(ir_module *module, unsigned count, const int64_t *numbers);
const ir_attr *ir_attr_dict(ir_module *module, unsigned count, const ir_named_attr *entries);
const ir_attr *ir_attr_type(ir_module *module, const ir_type *type);
const ir_attr *ir_attr_map(ir_module *module, const ir_map *map);
const ir_attr *ir_attr_i64s(ir_module *module, unsigned count, const int64_t *ints); /* array<i64: ..> */
const ir_attr *ir_attr_ints(ir_module *module, const ir_type *element, unsigned count, const int64_t *ints);
/* Dense constants; count is 1 (splat) or the number of elements. Equal elements are normalised to a splat. */
const ir_attr *ir_attr_dense(ir_module *module, const ir_type *type, unsigned count, const ir_cell *cells);
/* The same, of elements as memory has them (little-endian; an i1 is 0 or 1, an i4 0 to 15). */
const ir_attr *ir_attr_dense_bytes(ir_module *module, const ir_type *type, unsigned count, const void *bytes);
ir_cell ir_attr_element(const ir_attr *attr, int64_t i); /* of a dense constant, in row-major order */

/* ------------------------------------------------------------------------------------------ op table (op.def, op.c) */

typedef enum ir_opcode {
#define OP(ID, NAME, ...) OP_##ID,
#include "op.def"
#undef OP
  IR_NUM_OPCODES
} ir_opcode;

enum { IR_MAX_GROUPS = 5, IR_MAX_INFERRED = 2 /* results of an op with IR_INFER */ };

typedef enum ir_stage {
  IR_STAGE_TENSOR = 1,
  IR_STAGE_TILED = 2,
  IR_STAGE_VECTOR = 4,
  IR_STAGE_LANE = 8,
  IR_STAGE_ANY = 15,
} ir_stage;

typedef enum ir_trait {
  IR_PURE = 1 << 0,        /* no effect and no read of memory: may be folded, merged, dropped, moved */
  IR_COMMUTATIVE = 1 << 1, /* operands may be swapped */
  IR_TERMINATOR = 1 << 2,  /* ends a block, and nothing else does */
  IR_ELEMENTWISE = 1 << 3, /* on scalars, and on vectors or tensors of one shape, element by element */
  IR_SAME_TYPE = 1 << 4,   /* all operands and results have one type */
  IR_DPS = 1 << 5,         /* destination style: the last operand group is `outs`; tensor results tie to it in order */
  IR_STRUCTURED = 1 << 6,  /* has loops and indexing maps (ir_structure_of) */
  IR_CONSTANT = 1 << 7,    /* its one result is the attribute `value` */
  IR_VIEW = 1 << 8,        /* result 0 shows (part of) operand 0 */
  IR_LOOP = 1 << 9,        /* the region runs more than once */
  IR_ISOLATED = 1 << 10,   /* the region sees nothing from outside */
  IR_SYMBOL = 1 << 11,     /* `sym_name` names it in the enclosing module */
  IR_READS = 1 << 12,      /* reads memory */
  IR_WRITES = 1 << 13,     /* writes memory */
  IR_ALLOCATES = 1 << 14,  /* its result is fresh memory */
  IR_NO_TERMINATOR = 1 << 15, /* the region has no terminator (builtin.module) */
  IR_INFER = 1 << 16,         /* the result type follows from operands and attributes: `infer` */
  IR_SPECULATABLE = 1 << 17,  /* IR_PURE and without undefined behaviour: may run though it did not before */
  IR_MAY_BE_EMPTY = 1 << 18,  /* a region may be empty: a declaration, an absent else branch */
  IR_CONTROL = 1 << 19,       /* does nothing but run its regions and pass values into and out of them */
  IR_EMPTY_SEGMENT = 1 << 20, /* upstream's op has one more operand group at the end, which is always empty here */
  IR_OWN_BODY = 1 << 21,      /* structured, with a body of its own; the body of the others follows from their row */
  IR_EXTENSION = 1 << 22,     /* not an op of upstream MLIR */
  IR_ASSERTS = 1 << 23,       /* has no effect but to stop the program where it is wrong */
  IR_PARALLEL = 1 << 24, /* a loop whose iterations may run at once: the tensors that it carries are shared by all */
} ir_trait;

typedef struct ir_builder ir_builder;
typedef struct ir_interp ir_interp;
typedef struct ir_parser ir_parser;
typedef struct ir_draft ir_draft;
typedef struct ir_printer ir_printer;

/* One row of op.def. Absent hooks mean: nothing special. */
typedef struct ir_op_info {
  const char *name; /* "arith.addf" */
  /* Operand groups in order, blank-separated; `x` exactly one, `x?` at most one, `x*` any number. */
  const char *operands, *results;
  const char *hint; /* what the printer calls the results; a number without it */
  /* Inherent attributes, blank-separated; a trailing `?` marks an optional one, `=default` (printed form) likewise. */
  const char *attrs;
  unsigned regions;
  ir_opcode terminator; /* what ends the regions */
  /* The pretty syntax, as data for parser and printer both: see format.h. Empty: only the generic form. */
  const char *format, *words; /* words: of an attribute that `format` prints as one, blank-separated */
  /* Structured ops: einsum subscripts of each operand, "mk,kn,mn"; `*` stands for any number of leading loops. Letters
   * missing in the last are reductions. Loops: `*`, then the letters of the last operand, then the others in order. */
  const char *loops;
  /* Structured ops without a written region: out = combine(map(ins..), out), or map(ins..) when combine is 0. */
  ir_opcode map, combine;
  unsigned traits; /* ir_trait */
  unsigned stages; /* ir_stage */
  const char *doc; /* one line */
  /* The pretty syntax where `format` cannot say it. */
  bool (*parse)(ir_parser *parser, ir_draft *draft);
  void (*print)(ir_printer *printer, const ir_op *op);
  /* Behind `format`: adds what the text may leave out; and the attributes, blank-separated, that it leaves out. */
  bool (*complete)(ir_parser *parser, ir_draft *draft);
  const char *(*implied)(const ir_op *op);
  /* Checks beyond what the row says; reports through ir_op_error. */
  bool (*verify)(const ir_op *op);
  /* Result types from operands and attributes (IR_INFER): fills types[], false if they do not fit. */
  bool (*infer)(const ir_op *op, const ir_type **types);
  /* Structured ops whose loops depend on attributes. */
  const ir_structure *(*structure)(const ir_op *op);
  /* Returns a value to put in place of the single result, or NULL. May create ops before `op` through the builder. */
  ir_value *(*fold)(ir_builder *builder, ir_op *op);
  /* Elementwise ops: the value of one element, in double precision or 64-bit integers; the caller rounds or wraps. */
  ir_cell (*scalar)(const ir_op *op, const ir_cell *operands);
  /* Elementwise ops that are not IR_SPECULATABLE: why these operands have no result (a constant text), or NULL. */
  const char *(*undefined)(const ir_op *op, const ir_cell *operands);
  /* All others: runs the op in the interpreter; false after a reported error. */
  bool (*eval)(ir_interp *interp, const ir_op *op);
} ir_op_info;
/* A named op that computes each element of its result from one of each input. */
static inline bool ir_info_is_elementwise(const ir_op_info *info) { return info->map && !info->combine; }

const ir_op_info *ir_op_info_of(ir_opcode code);
/* The row of a full name such as "arith.addf"; false if there is none. */
bool ir_opcode_find(const char *name, size_t size, ir_opcode *code);

/* ------------------------------------------------------------------------------------ values, ops, blocks (ir.c) */

struct ir_use {
  ir_value *value;
  ir_op *user;
  ir_use *prev, *next; /* the other uses of the value */
};

struct ir_value {
  const ir_type *type;
  ir_use *uses;
  ir_op *op;       /* the defining op; NULL for block arguments */
  ir_block *block; /* the owner of a block argument; NULL for results */
  unsigned index;  /* position among the results or arguments */
};

struct ir_block {
  ir_op *parent;
  ir_op *first, *last;
  ir_value **args;
  unsigned num_args;
};

struct ir_op {
  ir_opcode code;
  ir_loc loc;
  ir_module *module;
  ir_block *block; /* where it stands; NULL while detached */
  ir_op *prev, *next;
  unsigned num_operands, num_results, num_regions, num_attrs;
  unsigned groups[IR_MAX_GROUPS]; /* operands in each operand group */
  ir_use *operands;
  ir_value *results;
  ir_block *regions;
  ir_named_attr *attrs;          /* sorted by name */
  const ir_structure *structure; /* cache of ir_structure_of */
  uint32_t mark;                 /* scratch for one pass; no meaning between passes */
  uint32_t order;                /* grows along the block; 0: not known, see ir_op_is_before */
};

/* Where new ops go: at the end of `block`, or before `before` when that is set. */
struct ir_builder {
  ir_module *module;
  ir_block *block;
  ir_op *before;
  ir_loc loc;
};

static inline ir_builder ir_builder_before(ir_op *op) {
  return (ir_builder){.module = op->module, .block = op->block, .before = op, .loc = op->loc};
}
static inline ir_builder ir_builder_after(ir_op *op) {
  return (ir_builder){.module = op->module, .block = op->block, .before = op->next, .loc = op->loc};
}
static inline ir_builder ir_builder_at_end(ir_block *block) {
  return (ir_builder){.module = block->parent->module, .block = block, .loc = block->parent->loc};
}

/* What an op is made from. Operands lie group after group; `groups` may stay zero where the row has no `?` or `*`
 * group, or exactly one (the counts then follow). `types` may be NULL with IR_INFER rows. Blocks start empty. */
typedef struct ir_op_spec {
  ir_value *const *operands;
  unsigned num_operands;
  unsigned groups[IR_MAX_GROUPS];
  const ir_type *const *types;
  unsigned num_results;
  const ir_named_attr *attrs; /* copied; names need not be interned */
  unsigned num_attrs;
} ir_op_spec;

ir_op *ir_op_create(ir_builder *builder, ir_opcode code, const ir_op_spec *spec);
/* What makes the op again, without its regions, from these operands, group by group as many, with results of these
 * types; NULL: its own. */
ir_op_spec ir_op_spec_of(const ir_op *op, ir_value *const *operands, const ir_type *const *types);
/* Unlinks and forgets the op and all within; its results must be unused. */
void ir_op_erase(ir_op *op);
void ir_op_move_before(ir_op *op, ir_op *before);
void ir_op_move_to_end(ir_op *op, ir_block *block);
/* All ops of one block to the end of another. */
void ir_block_move_ops(ir_block *from, ir_block *to);
/* A copy at the builder's place, regions included. Operands are looked up in `map` first (may be NULL), and results and
 * block arguments are added to it. */
typedef struct ir_value_map ir_value_map;
ir_value_map *ir_value_map_create(ir_module *module);
void ir_value_map_set(ir_value_map *map, const ir_value *from, ir_value *to);
ir_value *ir_value_map_get(const ir_value_map *map, ir_value *value); /* the value itself where it is not mapped */
ir_op *ir_op_clone(ir_builder *builder, const ir_op *op, ir_value_map *map);
/* Copies of the op's regions in those of `to`, which are empty; `map` as before. */
void ir_clone_regions(const ir_op *op, ir_op *to, ir_value_map *map);

ir_value *ir_block_add_arg(ir_block *block, const ir_type *type);
/* The argument must be unused; later arguments move up. */
void ir_block_remove_arg(ir_block *block, unsigned index);
static inline ir_op *ir_block_terminator(const ir_block *block) { return block->last; }

static inline const ir_op_info *ir_op_row(const ir_op *op) { return ir_op_info_of(op->code); }
static inline bool ir_op_has(const ir_op *op, unsigned traits) { return (ir_op_row(op)->traits & traits) == traits; }
static inline ir_value *ir_operand(const ir_op *op, unsigned i) { return op->operands[i].value; }
static inline ir_value *ir_result(const ir_op *op, unsigned i) { return &op->results[i]; }
static inline ir_block *ir_region(const ir_op *op, unsigned i) { return &op->regions[i]; }
/* Operand `i` of what ends the op's first region: what a body gives for output `i`, or a loop carries on. */
static inline ir_value *ir_yielded(const ir_op *op, unsigned i) { return ir_operand(ir_region(op, 0)->last, i); }
static inline ir_op *ir_op_parent(const ir_op *op) { return op->block ? op->block->parent : NULL; }
/* First operand of a group, and how many it has. */
unsigned ir_group_start(const ir_op *op, unsigned group);
static inline unsigned ir_group_size(const ir_op *op, unsigned group) { return op->groups[group]; }
static inline ir_value *ir_group_operand(const ir_op *op, unsigned group, unsigned i) {
  return ir_operand(op, ir_group_start(op, group) + i);
}
/* The number of operand groups of a row, and the name, without mark, of one. */
unsigned ir_info_num_groups(const ir_op_info *info);

void ir_set_operand(ir_op *op, unsigned i, ir_value *value);
/* Inserts into the op's one operand group, or removes from any; use records of the op move (pointers to ir_use die). */
void ir_insert_operand(ir_op *op, unsigned i, ir_value *value);
void ir_remove_operand(ir_op *op, unsigned i);
/* The op that makes the value, if it is one of that code; else NULL. */
static inline ir_op *ir_made_by(const ir_value *value, ir_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}
/* The op, if there is one, merges or splits dims of a tensor. */
static inline bool ir_is_reshape(const ir_op *op) {
  return op && (op->code == OP_TENSOR_EXPAND_SHAPE || op->code == OP_TENSOR_COLLAPSE_SHAPE);
}
static inline bool ir_value_unused(const ir_value *value) { return !value->uses; }
static inline bool ir_value_has_one_use(const ir_value *value) { return value->uses && !value->uses->next; }
void ir_replace_uses(ir_value *value, ir_value *with);
/* The value takes the place of the op's one result, and the op goes; or the other op's results that of all. */
void ir_replace_op(ir_op *op, ir_value *with);
void ir_replace_op_by(ir_op *op, ir_op *with);
/* Only the uses by ops inside `block`, nested ones included. */
void ir_replace_uses_in(ir_value *value, ir_value *with, const ir_block *block);
/* The position of a use among its user's operands. */
static inline unsigned ir_use_index(const ir_use *use) { return (unsigned)(use - use->user->operands); }

/* None of its results is used. */
bool ir_op_unused(const ir_op *op);
/* It reads memory, and writes none. */
static inline bool ir_op_only_reads(const ir_op *op) { return ir_op_has(op, IR_READS) && !ir_op_has(op, IR_WRITES); }
/* Some operand or result has a type of that kind. */
bool ir_op_touches(const ir_op *op, ir_type_kind kind);
/* The op stands in `block` or in a region nested there. */
bool ir_op_is_inside(const ir_op *op, const ir_block *block);
/* Defined outside of `block` (and so constant while the block runs). */
bool ir_value_is_outside(const ir_value *value, const ir_block *block);
/* `a` comes before `b` in their common block. Amortised constant time. */
bool ir_op_is_before(ir_op *a, ir_op *b);
/* The ancestor of `op` (or itself) that stands directly in `block`; NULL if there is none. */
ir_op *ir_op_ancestor_in(ir_op *op, const ir_block *block);
/* The first op right in the block that uses the value, itself or inside; all users are in the block. */
ir_op *ir_value_first_user(const ir_value *value, const ir_block *block);
/* What the op takes is there before `place`. */
bool ir_operands_are_before(const ir_op *op, ir_op *place);

/* Attributes on ops. Setting replaces, NULL removes what is there; names are interned by the callee. */
const ir_attr *ir_attr_get(const ir_op *op, const char *name);
void ir_attr_set(ir_op *op, const char *name, const ir_attr *attr);
/* Same names and attributes in order. */
bool ir_attrs_equal(unsigned count, const ir_named_attr *a, const ir_named_attr *b);
/* Typed look-ups; the attribute must be there and of the kind, unless a fallback is given. */
int64_t ir_attr_int_or(const ir_op *op, const char *name, int64_t fallback);
const char *ir_attr_string_or(const ir_op *op, const char *name, const char *fallback); /* STRING, SYMBOL, KEYWORD */
/* The `count` elements of an array of integers, however it is spelled: array<i64: ..> or [1, 2]. NULL if absent or not
 * such. `count` may be NULL. */
const int64_t *ir_attr_i64s_of(const ir_op *op, const char *name, unsigned *count);

/* The numbers are distinct and below `limit`, at most 32: as bits in *set. */
bool ir_are_distinct(unsigned count, const int64_t *numbers, unsigned limit, uint32_t *set);
/* Those of an attribute that are, as bits; none where it is absent. */
uint32_t ir_attr_set_of(const ir_op *op, const char *name);

/* Calls `visit` for each op in the block and below, parents first; the op visited may be erased. Stops on false. */
bool ir_walk(ir_block *block, bool (*visit)(ir_op *op, void *data), void *data);
/* The op behind `op` among those inside `top`, parents first; of `top` itself the first one. NULL: there is none. Who
 * erases or moves no op goes over them by for (op = ir_next_inside(top, top); op; op = ir_next_inside(top, op)). */
ir_op *ir_next_inside(const ir_op *top, const ir_op *op);
/* Numbers the ops inside in their marks, from 1 on; returns the number behind the last. Or clears the marks. */
uint32_t ir_number_ops(const ir_op *top);
void ir_clear_marks(const ir_op *top);
/* Numbers all results and block arguments of `top` and inside, by marks; returns how many there are. And the number of
 * one, from 0 on. */
unsigned ir_number_values(ir_op *top);
unsigned ir_value_number(const ir_value *value);
/* Some op inside is of that kind. */
bool ir_contains(const ir_op *top, ir_opcode code);
/* The op whose sym_name is `name` in the module's top level; NULL if there is none. Constant time but for the first
 * call, which builds a table (symbol.c). */
ir_op *ir_module_lookup(const ir_module *module, const char *name);
/* The op is a function with a body; and one that is public: whoever has the module's code may call it. */
static inline bool ir_is_defined_function(const ir_op *op) {
  return op->code == OP_FUNC_FUNC && ir_region(op, 0)->first;
}
bool ir_is_exported(const ir_op *op);

/* ------------------------------------------------------------------------------------ structured ops (structured.c) */

/* The loops of a structured op: one map a operand, from loops to the operand's subscripts. */
struct ir_structure {
  unsigned num_loops, num_maps;
  const ir_map *const *maps;
  uint32_t reductions; /* bit i: loop i is a reduction */
};

/* Never NULL for a verified structured op (else module->no_structure says why); cached in the op, dropped when its
 * attributes or operands change. */
const ir_structure *ir_structure_of(const ir_op *op);
/* A set of one: loop i, or operand i. */
static inline uint32_t ir_bit(unsigned i) { return UINT32_C(1) << i; }
static inline bool ir_loop_is_reduction(const ir_structure *structure, unsigned loop) {
  return structure->reductions >> loop & 1;
}
/* The last of them; -1 where there is none. */
static inline int ir_last_reduction(const ir_structure *structure) {
  return structure->reductions ? 31 - __builtin_clz(structure->reductions) : -1;
}
/* The one factor of a contraction, 0 or 1, that has the loop as a subscript; -1: both have, or neither. */
static inline int ir_loop_side(const ir_structure *structure, unsigned loop) {
  bool lhs = ir_map_find_dim(structure->maps[0], loop) >= 0, rhs = ir_map_find_dim(structure->maps[1], loop) >= 0;
  return lhs == rhs ? -1 : rhs;
}
/* Of an scf.for or scf.forall: how many counters its body has, as its first arguments; what the loop starts to carry,
 * or shares, as result `i`. */
static inline unsigned ir_num_counters(const ir_op *loop) { return ir_region(loop, 0)->num_args - loop->num_results; }
static inline ir_value *ir_loop_init(const ir_op *loop, unsigned i) { return ir_group_operand(loop, 3, i); }
/* Where the extent of a loop can be read: the first operand and dim whose subscript is just this loop. */
bool ir_loop_extent(const ir_op *op, unsigned loop, unsigned *operand, unsigned *dim);
/* The static extent of a loop, and of all; IR_DYNAMIC where unknown. */
int64_t ir_loop_size(const ir_op *op, unsigned loop);
void ir_loop_extents(const ir_op *op, int64_t *extents);
/* The iterations of those loops of one operand that the other lacks; IR_DYNAMIC where they are open. */
int64_t ir_own_iterations(const ir_op *op, unsigned operand, unsigned other);
/* Destination-style ops: number of ins and outs, the i-th of each, and the init that a result ties to. */
unsigned ir_num_inits(const ir_op *op);
unsigned ir_num_inputs(const ir_op *op);
static inline ir_value *ir_input(const ir_op *op, unsigned i) { return ir_operand(op, i); }
static inline ir_value *ir_init(const ir_op *op, unsigned i) { return ir_operand(op, ir_num_inputs(op) + i); }
static inline const ir_map *ir_init_map(const ir_op *op, unsigned i) {
  return ir_structure_of(op)->maps[ir_num_inputs(op) + i];
}
/* The map of an affine.apply, affine.min or affine.max, and the number of the operand that a dim or symbol of it is. */
static inline const ir_map *ir_affine_map(const ir_op *op) { return ir_attr_get(op, "map")->map; }
static inline unsigned ir_affine_operand(const ir_op *op, const ir_expr *expr) {
  return (unsigned)expr->value + (expr->kind == IR_EXPR_SYM ? ir_affine_map(op)->num_dims : 0);
}
/* The map of an operand of a vector.contract. */
static inline const ir_map *ir_contract_map(const ir_op *contract, unsigned operand) {
  return ir_attr_get(contract, "indexing_maps")->elements[operand]->map;
}
/* Fills the region of a structured op whose row gives `map` and `combine` (casts included). Called once, on
 * creation. */
void ir_structured_build_body(ir_op *op);
/* Makes a wider float of a float or a signed integer, which loses nothing; of i1 it does not, as true is -1 there. */
bool ir_op_widens(const ir_op *op);
/* Two inputs, one init, body add(out, mul(a, b)) up to casts of the inputs; some loop is a reduction. */
bool ir_sums_products(const ir_op *op);
/* A contraction: so, and all maps are projected permutations. */
bool ir_is_contraction(const ir_op *op);
/* Does the body read the current value of the i-th init? */
bool ir_body_reads_init(const ir_op *op, unsigned i);
#endif
