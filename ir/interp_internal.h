/* interp_internal.h - what the files of the interpreter share. Not for others: the interface is interp.h.
 *
 * Invariants
 *  - A value of a shaped type is a view: a buffer, an offset and strides. Views share buffers; a buffer counts its
 *  views.
 *  - Tensors and vectors are immutable. An op that updates one takes its operand (interp_take: a dead operand leaves
 *  its
 *    slot) and writes in place when it then holds the only view (interp_make_writable), so that loops over insert_slice
 *    cost what they write. Memrefs are written through all their views.
 *  - Views are checked against their source when they are made, accesses against their view.
 *  - All buffers are on one list of the interpreter, so an op that fails may drop what it holds.
 *  - Functions that return bool report one error at the op before they return false. */
#ifndef TEC_IR_INTERP_INTERNAL_H
#define TEC_IR_INTERP_INTERNAL_H
#include "build.h"
#include "interp.h"
#include "scalar.h"

typedef struct interp_buffer interp_buffer;
struct interp_buffer {
  interp_buffer *prev, *next; /* of the interpreter's list */
  ir_cell *cells;
  int64_t count;
  size_t bytes; /* taken from the memory budget */
  unsigned references;
  bool deallocatable; /* made by memref.alloc */
  bool freed;         /* by memref.dealloc: any access is an error */
  bool constant;      /* any write is an error */
};

/* A scalar (buffer NULL: `cell`) or a view of a buffer. Offset and strides are in cells. */
typedef struct interp_value {
  ir_cell cell;
  interp_buffer *buffer;
  ir_scalar element;
  unsigned rank;
  int64_t offset;
  int64_t shape[IR_MAX_RANK], strides[IR_MAX_RANK];
} interp_value;

/* What an SSA value holds now. `last_user` is the last op of the value's own block that uses it, itself or inside. */
typedef struct interp_slot {
  interp_value value;
  const ir_op *last_user;
} interp_slot;

typedef struct interp_global {
  const ir_op *op;
  interp_value value;
  struct interp_global *next;
} interp_global;

struct ir_interp {
  ir_module *module;
  ir_precision precision;
  interp_slot *slots; /* of the function that runs, by slot number */
  unsigned depth;     /* blocks being run, one inside the other */
  interp_buffer *buffers;
  size_t bytes, max_bytes;
  interp_global *globals;
  const ir_cell *counters; /* the loops of the innermost structured op that runs */
  ir_arena scratch;        /* rewound by whoever takes from it */
};

/* ------------------------------------------------------------------------------------------ values (interp_value.c) */

/* The values of an SSA value; valid until it is set or taken. */
interp_value *interp_get(ir_interp *interp, const ir_value *value);
static inline interp_value *interp_operand(ir_interp *interp, const ir_op *op, unsigned i) {
  return interp_get(interp, ir_operand(op, i));
}
static inline int64_t interp_int(ir_interp *interp, const ir_value *value) { return interp_get(interp, value)->cell.i; }
int64_t interp_index(ir_interp *interp, ir_index index);
/* Gives `value`, and the reference it holds, to an SSA value. */
void interp_set(ir_interp *interp, const ir_value *value, const interp_value *to);
static inline void interp_set_cell(ir_interp *interp, const ir_value *value, ir_cell cell) {
  interp_get(interp, value)->cell = cell; /* a scalar's slot never holds a buffer */
}
/* The operand with a reference of its own: the slot's, which becomes empty, if `op` is the last to use the value. */
interp_value interp_take(ir_interp *interp, const ir_op *op, unsigned operand);
/* Says which op of the value's own block is the last to use the value, itself or inside. */
void interp_set_last_user(ir_interp *interp, const ir_value *value, const ir_op *op);
void interp_retain(interp_value *value);
void interp_release(ir_interp *interp, interp_value *value);
/* Frees every buffer, at the end. */
void interp_release_all(ir_interp *interp);
/* Releases the operands that nobody uses after `op`. */
void interp_release_dead(ir_interp *interp, const ir_op *op);

/* A dense value in memory of its own. Its elements are undefined: NaN, and an unlikely number in integers, so that a
 * program that depends on them shows. Reports absurd sizes and exhausted memory at `op`. */
bool interp_allocate(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                     interp_value *value);
/* The same without a first content: the caller writes every element. */
bool interp_allocate_raw(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                         interp_value *value);
/* The same for the op's one result, of static type. */
static inline bool interp_allocate_result(ir_interp *interp, const ir_op *op, interp_value *result) {
  const ir_type *type = op->results[0].type;
  return interp_allocate_raw(interp, op, type->element, type->rank, type->shape, result);
}
/* Makes the value, or a view of one, the op's one result; both return true. */
static inline bool interp_give(ir_interp *interp, const ir_op *op, const interp_value *value) {
  interp_set(interp, ir_result(op, 0), value);
  return true;
}
static inline bool interp_give_view(ir_interp *interp, const ir_op *op, interp_value *view) {
  interp_retain(view);
  return interp_give(interp, op, view);
}
/* All elements are `cell`; takes one cell of memory. */
bool interp_splat(ir_interp *interp, const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape,
                  ir_cell cell, interp_value *value);
/* A view of the caller's cells, row-major. */
bool interp_borrow(ir_interp *interp, const ir_op *op, ir_tensor *tensor, interp_value *value);
ir_cell interp_undefined(ir_scalar element);
/* Replaces the value by a copy unless it is the only view of its elements. */
bool interp_make_writable(ir_interp *interp, const ir_op *op, interp_value *value);
/* Memory that was given back, or constant memory, cannot be accessed. */
bool interp_check_read(const ir_op *op, const interp_value *value);
bool interp_check_write(const ir_op *op, const interp_value *value);
/* Copies all elements; reports unequal shapes. */
bool interp_copy(ir_interp *interp, const ir_op *op, const interp_value *to, const interp_value *from);
/* The first of the view's cells; for a scalar its cell. */
ir_cell *interp_cells(interp_value *value);
/* The first of `count` consecutive cells at the position that operands [first, first + rank) give; NULL after a
 * reported error. */
ir_cell *interp_elements(ir_interp *interp, const ir_op *op, interp_value *value, unsigned first, int64_t count);
/* Extents of a type; dynamic ones are taken in order from the operands from `first`. */
bool interp_shape(ir_interp *interp, const ir_op *op, unsigned first, const ir_type *type, int64_t *shape);
/* Extents agree with the static ones of `type`. */
bool interp_check_type(const ir_op *op, const ir_type *type, const interp_value *value);

/* Rounds or wraps to the type, as the precision asks. */
ir_cell interp_finish(const ir_interp *interp, ir_scalar element, ir_cell cell);
/* The number as a factor of a product that is summed in `element`: rounded where the precision says so. */
double interp_factor(const ir_interp *interp, ir_scalar element, double value);

/* ------------------------------------------------------------------------------------------- loops (interp_value.c) */

/* A perfect loop nest over several strided operands. The caller runs the innermost loop; the nest steps the others:
 *   for (bool more = interp_nest_begin(&nest); more; more = interp_nest_next(&nest))
 *     for (i = 0; i < nest.extents[nest.num_loops - 1]; i++) .. nest.positions[o] + i * nest.strides[o][last] ..
 * There is always an innermost loop: no loops are one of extent 1. */
typedef struct interp_nest {
  unsigned num_loops, num_operands;
  int64_t *extents;   /* by loop */
  ir_cell *counters;  /* by loop; that of the innermost is the caller's */
  int64_t **strides;  /* by operand and loop */
  int64_t *positions; /* by operand: where the innermost loop starts, in cells from the operand's first */
} interp_nest;

/* Takes the nest's arrays from interp->scratch; strides are zero. */
interp_nest interp_nest_create(ir_interp *interp, unsigned num_loops, const int64_t *extents, unsigned num_operands);
/* Strides of an operand whose subscripts are all loops in order. */
void interp_nest_bind(interp_nest *nest, unsigned operand, const interp_value *value);
bool interp_nest_begin(interp_nest *nest);
bool interp_nest_next(interp_nest *nest);

/* ----------------------------------------------------------------------------------------------- running (interp.c) */

bool interp_run_op(ir_interp *interp, const ir_op *op);
/* Runs a block up to its terminator; block arguments are set already. */
bool interp_run_block(ir_interp *interp, const ir_block *block);
/* A constant of a type. */
bool interp_constant(ir_interp *interp, const ir_op *op, const ir_type *type, const ir_attr *attr, interp_value *value);

/* ----------------------------------------------------------------------------- structured ops (interp_structured.c) */

bool interp_run_structured(ir_interp *interp, const ir_op *op);
/* The operands of a structured op, with the inits writable: memrefs in place, tensors taken; `taken` has room for
 * them. */
bool interp_take_operands(ir_interp *interp, const ir_op *op, interp_value *taken, interp_value **operands);
/* Gives the taken inits to the results. */
void interp_set_results(ir_interp *interp, const ir_op *op, const interp_value *taken);
/* c += a b in floating point over a nest with the operands a, b, c; the sum's type is `element`. */
void interp_contract(ir_interp *interp, interp_nest *nest, const ir_cell *a, const ir_cell *b, ir_cell *c,
                     ir_scalar element);
/* Extents and strides of operands under maps: fills extents[] and checks them; see interp_structured.c. */
bool interp_loop_extents(const ir_op *op, unsigned num_loops, unsigned num_maps, const ir_map *const *maps,
                         interp_value *const *operands, int64_t *extents);

/* ------------------------------------------------------------------------- hooks of op.def's column `eval` (eval_*) */

typedef bool ir_eval_hook(ir_interp *interp, const ir_op *op);
ir_eval_hook eval_call, eval_affine_apply, eval_affine_min, eval_affine_max;
ir_eval_hook eval_for, eval_forall, eval_if;
ir_eval_hook eval_empty, eval_extract_slice, eval_insert_slice, eval_parallel_insert_slice, eval_expand_shape,
    eval_computed_shape, eval_collapse_shape, eval_dim, eval_extract_pointer, eval_extract, eval_insert,
    eval_from_elements, eval_tensor_splat, eval_generate, eval_pad, eval_cast, eval_concat, eval_assert;
ir_eval_hook eval_alloc, eval_alloca, eval_dealloc, eval_get_global, eval_store, eval_copy, eval_to_tensor;
ir_eval_hook eval_nothing; /* it is about speed only */
ir_eval_hook eval_softmax, eval_attention, eval_scatter, eval_scan, eval_sort, eval_index, eval_async;
ir_eval_hook eval_transfer_read, eval_transfer_write, eval_contract, eval_multi_reduction, eval_broadcast,
    eval_transpose, eval_shape_cast, eval_vector_bitcast, eval_interleave, eval_deinterleave, eval_shuffle,
    eval_vector_extract, eval_vector_insert, eval_extract_strided_slice, eval_insert_strided_slice, eval_step,
    eval_create_mask, eval_gather, eval_vector_load, eval_vector_store, eval_to_layout;
ir_eval_hook eval_tile_zero, eval_tile_load, eval_tile_store, eval_tile_mulf;
#endif
