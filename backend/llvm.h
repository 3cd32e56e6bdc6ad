/* llvm.h - what the code generators of all targets share: from ops at the VECTOR stage to LLVM IR through llvm-c.
 *
 * Every value of the language is a list of LLVM values, its pieces:
 *   scalar   one piece
 *   vector   one <innermost extent x element> vector for each position of the outer dims, in row-major order; a vector
 *            of rank 0 is one <1 x element>
 *   memref   the address of its first element (offset included), then `rank` sizes, then `rank` strides in elements;
 *            what the type knows is an LLVM constant
 *   tile     one x86_amx, which only loops and branches carry
 * So what carries, passes or captures values (loops, branches, calls, forall bodies) knows only lists of pieces.
 *
 * Elements: i1 is i1 in values and a byte in memory, i4 a byte in memory; index is i64; f16 and bf16 are their bits in
 * an i16: they are widened to f32 to compute with and rounded after each op, so no target needs to have them.
 *
 * A hook emits one op at the builder's position and returns false only after it has reported an error. Hooks rely on a
 * verified module; what LLVM would abort on is checked before LLVM sees it. */
#ifndef TEC_BACKEND_LLVM_H
#define TEC_BACKEND_LLVM_H
#include "backend/backend.h"
#include "ir/build.h"
#include "ir/pointer_map.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

enum {
  /* Scratch bytes that a function keeps in its stack frame. */
  EMIT_MAX_FRAME = 256 << 10,
  EMIT_ALIGNMENT = 64,
};

typedef struct emitter emitter;

typedef struct emit_value {
  LLVMValueRef *pieces;
  unsigned num_pieces;
} emit_value;

/* How an op becomes LLVM IR: whole, or piece by piece, where `operands` are scalars or 1-D vectors alike. */
typedef bool emit_op_hook(emitter *e, const ir_op *op);
typedef LLVMValueRef emit_piece_hook(emitter *e, const ir_op *op, const LLVMValueRef *operands);

/* The EMIT columns of op.def: `op` emits the whole op; else `piece` is called once for each piece, with f16 and bf16
 * operands widened to f32 and the result rounded, unless `bits` is set. */
typedef struct emit_op_info {
  emit_op_hook *op;
  emit_piece_hook *piece;
  bool bits;
} emit_op_info;

/* An op that only some targets have. */
typedef struct emit_lane_op {
  ir_opcode code;
  emit_op_hook *emit;
} emit_lane_op;

/* What differs between targets. */
typedef struct emit_target {
  const char *name;             /* in messages */
  const emit_lane_op *lane_ops; /* ended by one without `emit`; NULL: none */
  /* Most elements of one vector value: each becomes registers, so more is a mistake of the schedule. */
  unsigned max_elements;
  /* LLVM's numbers for memory that lanes of a block share, for constants, and for all other but a function's frame. */
  unsigned shared_space, constant_space, memory_space;
  bool has_typed_constants;       /* a constant is an array of its elements, not of bytes, .. */
  int64_t most_constant_elements; /* .. of which it has so many at most; 0: any number */
  bool rounds_to_bfloat;          /* f32 to bf16 is an instruction */
  bool has_plain_maximum; /* maxima and minima of floats lose NaN or the sign of zeros, so they are put together */
  /* Memory for `bytes` (an i64) that lives until released, or `automatic`: until the function or forall body ends.
   * Fails the function where there is none. */
  LLVMValueRef (*allocate)(emitter *e, LLVMValueRef bytes, bool automatic);
  /* `bytes` of memory that the lanes of a block share; NULL after an error. Without the hook: as any other. */
  LLVMValueRef (*share)(emitter *e, const ir_op *op, uint64_t bytes);
  /* f32, a scalar or a row, rounded to the bits of bf16 by an instruction; NULL where the chip has none. */
  LLVMValueRef (*to_bfloat)(emitter *e, LLVMValueRef value);
  /* A function of the C library on scalars; NULL where there is none. Without the hook it is called. */
  LLVMValueRef (*library)(emitter *e, const char *name, LLVMValueRef const *operands);
  void (*release)(emitter *e, LLVMValueRef address);
  /* scf.forall without outs that is in no other one. Without the hook: one iteration after the other, as those are. */
  emit_op_hook *forall;
  /* Ends the current function early, reporting failure to its caller. */
  void (*fail)(emitter *e);
  /* Ends the current function, returning pieces. */
  void (*leave)(emitter *e, LLVMValueRef *results, unsigned num_results);
  /* Calls an emitted function; gives the pieces of its results. Fails where it failed. */
  LLVMValueRef *(*call)(emitter *e, LLVMValueRef callee, LLVMValueRef const *arguments, unsigned num_arguments);
} emit_target;

/* The state of one emission. */
struct emitter {
  ir_module *module; /* for diagnostics and types */
  const target_facts *facts;
  const emit_target *target;
  void *target_state;
  ir_arena arena; /* pieces and other scratch, gone with the emitter */
  LLVMContextRef context;
  LLVMModuleRef llvm;
  LLVMBuilderRef builder;
  LLVMValueRef function;     /* being filled */
  LLVMBasicBlockRef allocas; /* its entry block: holds allocas only and ends where the body begins */
  uint64_t frame_bytes;      /* scratch in the function's stack frame so far, in bytes */
  bool in_forall;
  bool streams;            /* stores of the function go past the caches */
  bool uses_tiles;         /* some function of the module computes with tiles */
  bool has_half;           /* conversions between f16 and f32 in hardware */
  bool has_scale;          /* ldexp of f32 vectors in hardware */
  ir_pointer_map bindings; /* from each ir_value to its emit_value */
};

/* -------------------------------------------------------------------------------------------------- values (llvm.c) */

/* The number of pieces of a type, or 0 after an error at `op` (too large a vector, a type without a form here). */
unsigned emit_num_pieces(emitter *e, const ir_op *op, const ir_type *type);
/* The LLVM type of each piece. */
void emit_piece_types(emitter *e, const ir_type *type, LLVMTypeRef *types);
emit_value emit_new_value(emitter *e, unsigned num_pieces);
void emit_bind(emitter *e, const ir_value *value, emit_value pieces);
const emit_value *emit_get(emitter *e, const ir_value *value);
static inline const emit_value *emit_operand(emitter *e, const ir_op *op, unsigned i) {
  return emit_get(e, ir_operand(op, i));
}
/* Binds the only result of the op. That its type has a form here is seen to before the op's hook runs. */
LLVMValueRef *emit_result(emitter *e, const ir_op *op);
/* The one piece of a scalar operand. */
static inline LLVMValueRef emit_scalar(emitter *e, const ir_value *value) { return emit_get(e, value)->pieces[0]; }

LLVMTypeRef emit_element_type(emitter *e, ir_scalar scalar); /* in values */
LLVMTypeRef emit_memory_type(emitter *e, ir_scalar scalar);  /* in memory */
LLVMTypeRef emit_row_type(LLVMTypeRef element, unsigned lanes);
LLVMValueRef emit_index(emitter *e, int64_t value);
/* Integers of 32 bits. */
static inline LLVMTypeRef emit_word_type(emitter *e) { return LLVMInt32TypeInContext(e->context); }
static inline LLVMValueRef emit_word(emitter *e, int64_t value) {
  return LLVMConstInt(emit_word_type(e), (uint64_t)value, true);
}
LLVMValueRef emit_constant(emitter *e, ir_scalar scalar, ir_cell cell);
/* A constant of the type of `like` (scalar or vector): float, or integer. */
LLVMValueRef emit_float_like(emitter *e, LLVMValueRef like, double value);
LLVMValueRef emit_int_like(emitter *e, LLVMValueRef like, int64_t value);
unsigned emit_lanes(LLVMValueRef value); /* 0: a scalar */
LLVMValueRef emit_splat(emitter *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef emit_lane(emitter *e, LLVMValueRef row, unsigned lane);
LLVMValueRef emit_set_lane(emitter *e, LLVMValueRef row, LLVMValueRef scalar, unsigned lane);
/* Lanes from .. from + count - 1. */
LLVMValueRef emit_slice(emitter *e, LLVMValueRef row, unsigned from, unsigned count);
/* The first lanes, or all and then any value. */
LLVMValueRef emit_resize(emitter *e, LLVMValueRef row, unsigned lanes);
/* The lanes of two rows of the same type, one behind the other. */
LLVMValueRef emit_join(emitter *e, LLVMValueRef low, LLVMValueRef high);
/* Lanes picked from the concatenation of two rows of one type; negative: any value. */
LLVMValueRef emit_shuffle(emitter *e, LLVMValueRef a, LLVMValueRef b, const int *lanes, unsigned count);
LLVMTypeRef emit_element_of(LLVMValueRef value); /* the LLVM type of a scalar, or of a lane */
/* The type of a scalar, or of a row as long as `like`. */
LLVMTypeRef emit_type_like(LLVMValueRef like, LLVMTypeRef element);
/* <0, 1, ..>, constant. */
LLVMValueRef emit_step(emitter *e, LLVMTypeRef element, unsigned lanes);

/* Assembly with side effects, as LLVM writes it. */
LLVMValueRef emit_assembly(emitter *e, LLVMTypeRef result, const char *text, const char *constraints,
                           LLVMValueRef *operands, unsigned num_operands);
/* Attributes of a function: LLVM's own, with a number where it has one, and others, with a text. */
void emit_add_attribute(emitter *e, LLVMValueRef function, const char *name, uint64_t number);
void emit_add_text_attribute(emitter *e, LLVMValueRef function, const char *name, const char *text);
/* An intrinsic overloaded on the type of its first operand. */
LLVMValueRef emit_intrinsic(emitter *e, const char *name, LLVMValueRef const *operands, unsigned num_operands);
LLVMValueRef emit_intrinsic_of(emitter *e, const char *name, LLVMTypeRef *overloads, unsigned num_overloads,
                               LLVMValueRef const *operands, unsigned num_operands);

/* Between element types, scalar or vector; floats in their value form (f16 and bf16 as bits). */
LLVMValueRef emit_widen(emitter *e, ir_scalar scalar, LLVMValueRef value); /* f16, bf16 -> f32; others as they are */
LLVMValueRef emit_narrow(emitter *e, ir_scalar scalar,
                         LLVMValueRef value); /* f32 or f64 -> f16, bf16, rounded once; bits stay */

/* Positions in the shape of a vector: odometers over the first `rank` dims, last fastest. False at the end. */
bool emit_next(unsigned rank, const int64_t *shape, int64_t *position);
int64_t emit_linear(unsigned rank, const int64_t *shape, const int64_t *position);
/* Extents of a vector with rank 0 seen as one lane: the row length, and the number of outer dims. */
static inline unsigned emit_row_length(const ir_type *type) {
  return type->rank ? (unsigned)type->shape[type->rank - 1] : 1;
}
static inline unsigned emit_outer_rank(const ir_type *type) { return type->rank ? type->rank - 1u : 0; }

/* ------------------------------------------------------------------------------------------- control flow (llvm.c) */

/* A loop being emitted: for (iv = lower; iv < upper; iv += step), signed, step > 0. */
typedef struct emit_loop {
  LLVMBasicBlockRef header, exit;
  LLVMValueRef iv, step;
  LLVMValueRef *carried; /* phis */
  unsigned num_carried;
} emit_loop;

LLVMBasicBlockRef emit_block(emitter *e, const char *name); /* appended to the function */
/* Leaves the builder in the body. `inits` may be NULL when nothing is carried. */
emit_loop emit_loop_begin(emitter *e, LLVMValueRef lower, LLVMValueRef upper, LLVMValueRef step, unsigned num_carried,
                          LLVMValueRef const *inits);
/* Closes the loop with the next values of what is carried; LLVM may unroll it unless it is already. Afterwards the phis
 * hold the final values and the builder is behind the loop. */
void emit_loop_end(emitter *e, emit_loop *loop, LLVMValueRef const *next, bool is_unrolled);
/* Goes on only where the condition is false; where it is true the function fails. */
void emit_fail_if(emitter *e, LLVMValueRef condition);
/* Memory of the current function's frame. */
LLVMValueRef emit_alloca(emitter *e, LLVMTypeRef type, unsigned alignment);
/* All ops of a block, terminator excluded; one op. */
bool emit_ops(emitter *e, const ir_block *block);
bool emit_op(emitter *e, const ir_op *op);
/* The values that an op's region, with all that is nested there, uses from outside, each once, in order of their first
 * use. */
typedef struct emit_values {
  const ir_value **values;
  unsigned count;
  size_t capacity;
} emit_values;
emit_values emit_outside_values(emitter *e, const ir_op *op);
/* Adds a value unless it is there. */
void emit_values_add(emitter *e, emit_values *list, const ir_value *value);
/* One dim of scf.forall: the first value, the step and the number of iterations (at least 0). */
void emit_forall_dim(emitter *e, const ir_op *op, unsigned dim, LLVMValueRef *lower, LLVMValueRef *step,
                     LLVMValueRef *count);
/* Starts a function: an entry block for allocas, the builder in the body. */
void emit_function_begin(emitter *e, LLVMValueRef function);
/* The body of func.func, given the pieces of all arguments. */
bool emit_function_body(emitter *e, const ir_op *function, LLVMValueRef *arguments);
/* The declared LLVM function of a func.func; NULL if it has none. */
LLVMValueRef emit_function_of(emitter *e, const ir_op *function);
const emit_op_info *emit_info(ir_opcode code);
/* A constant, or the value. */
LLVMValueRef emit_index_value(emitter *e, ir_index index);
/* Entry `i` of a list of constants (in the attribute `name`) and operands (in a group). */
LLVMValueRef emit_mixed(emitter *e, const ir_op *op, unsigned group, const char *name, unsigned i);

/* ------------------------------------------------------------------------------------------ LLVM's side (machine.c) */

/* The machine that the facts name; NULL, with *message for LLVMDisposeMessage, where there is none. */
LLVMTargetMachineRef emit_new_machine(const target_facts *facts, char **message);
/* That of e->facts, the module set up for it; NULL after an error. */
LLVMTargetMachineRef emit_create_machine(emitter *e);
/* What this layer is called in internal errors. Whatever LLVM refuses is one: the module was verified before. */
#define EMIT_PART "code generation"
/* Runs passes of LLVM, in any thread; NULL, or a message for LLVMDisposeMessage. */
char *emit_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline);
/* Runs LLVM's verifier, then its passes. */
bool emit_optimize(emitter *e, LLVMTargetMachineRef machine, const char *pipeline);
/* More passes on a module that was verified. */
bool emit_optimize_further(emitter *e, LLVMTargetMachineRef machine, const char *pipeline);
/* *bytes comes from malloc. */
bool emit_write(emitter *e, LLVMTargetMachineRef machine, backend_output output, char **bytes, size_t *size);

bool emitter_init(emitter *e, ir_module *module, const target_facts *facts, const emit_target *target);
void emitter_destroy(emitter *e);

/* ------------------------------------------------------------------------------------------------ memory (memory.c) */

/* Asks for the line at the address to be in the second-level cache, or the first one. */
void emit_prefetch_line(emitter *e, LLVMValueRef address, bool is_near);
/* Address of the element of the operand `memref` at the indices that are the operands from `first` on. */
LLVMValueRef emit_operand_address(emitter *e, const ir_op *op, unsigned memref, unsigned first);
/* Which dims of a subview its result keeps: a dim of size 1 is dropped where the result type has no place for it. */
bool emit_kept_dims(const ir_op *op, bool *kept);

static inline LLVMValueRef emit_size(const emit_value *memref, unsigned dim) { return memref->pieces[1 + dim]; }
static inline LLVMValueRef emit_stride(const emit_value *memref, unsigned dim) {
  return memref->pieces[1 + (memref->num_pieces - 1) / 2 + dim];
}
/* Binds a memref, replacing what its type knows by constants. */
void emit_bind_memref(emitter *e, const ir_value *value, LLVMValueRef address, LLVMValueRef const *sizes,
                      LLVMValueRef const *strides);
/* Row-major strides of sizes. */
void emit_row_major(emitter *e, unsigned rank, LLVMValueRef const *sizes, LLVMValueRef *strides);
/* A row of `lanes` elements; 0: a scalar. */
LLVMValueRef emit_load(emitter *e, ir_scalar element, LLVMValueRef address, unsigned lanes);
void emit_store(emitter *e, ir_scalar element, LLVMValueRef value, LLVMValueRef address);
/* The address `offset` elements further. */
LLVMValueRef emit_address(emitter *e, ir_scalar element, LLVMValueRef base, LLVMValueRef offset);
/* What registers have of a small table of such a type at the address, to find elements in (lookup.c); NULL where they
 * are better found in memory. */
LLVMValueRef emit_lookup_table(emitter *e, const ir_type *type, LLVMValueRef address);
/* Its elements at the places, a row of integers. */
LLVMValueRef emit_lookup(emitter *e, ir_scalar element, LLVMValueRef table, LLVMValueRef places);
/* A row of i1: true in the lanes whose number is below an i64 of any sign. */
LLVMValueRef emit_lanes_below(emitter *e, LLVMValueRef bound, unsigned lanes);

/* ------------------------------------------------------------------------------------------------ tiles (tile.c) */

/* Asks Linux once for tiles in this process, unless that was granted before; true: it was refused. */
LLVMValueRef emit_tiles_refused(emitter *e);
/* A copy of a tile in the current function's frame, and the tile from there: what a register holds does not pass
 * functions' boundaries. */
LLVMValueRef emit_tile_address(emitter *e, const ir_type *type, LLVMValueRef tile);
LLVMValueRef emit_tile_at(emitter *e, const ir_type *type, LLVMValueRef address);
/* Code without effect in one branch of an scf.if that yields tiles: else LLVM would make a select of them, for which
 * there is no instruction. Nothing where it yields none. */
void emit_keep_branch(emitter *e, const ir_op *op);

/* -------------------------------------------------------------------------------------------- vectors (vector.c) */

/* permuted[i] of the result's dims is dim permutation[i] of the source. `shape` is the source's. */
void emit_transpose(emitter *e, unsigned rank, const int64_t *shape, const unsigned *permutation,
                    LLVMValueRef const *source, LLVMValueRef *result);

/* ------------------------------------------------------------------------------------------- arithmetic (arith.c) */

/* The flags that the attribute `fastmath` names, and contraction (control.c). */
LLVMFastMathFlags emit_fast_math(const ir_op *op);
/* a * b + c: for floats rounded once where the machine does that as fast, else twice; wrapping for integers. */
LLVMValueRef emit_multiply_add(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
/* Signed quotients that never trap: by 0 gives 0; the least integer by -1 wraps. */
LLVMValueRef emit_divide_floor(emitter *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_divide_ceil(emitter *e, LLVMValueRef a, LLVMValueRef b);
/* What the floor division leaves. */
LLVMValueRef emit_modulo(emitter *e, LLVMValueRef a, LLVMValueRef b);
#endif
