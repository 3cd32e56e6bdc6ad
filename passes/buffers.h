/* buffers.h - what bufferization knows: where each tensor lives, who may write there, and where scratch comes from.
 * Internal to bufferize*.c and buffers.c.
 *
 * While a function is bufferized, its tensor ops stay in place, so that uses and order can be looked up; the memref ops
 * are made next to them, and the tensor ops go at the end. ir_op.mark numbers the tensor ops in pre-order; in ops that
 * make memory it is the number of the root. */
#ifndef TEC_PASSES_BUFFERS_H
#define TEC_PASSES_BUFFERS_H
#include "passes/memory.h"
#include "passes/target.h"

/* Memory that is gone, or that its owner gives back, where the block ends. */
typedef struct buffer_release {
  ir_value *memref;
  struct buffer_release *next;
} buffer_release;

/* A block being bufferized. Scratch of static size lives in the nearest scope: the function or an iteration of
 * forall. */
typedef struct buffer_frame {
  struct buffer_frame *parent;
  ir_block *block;
  ir_op *start; /* scratch is made before this op */
  bool is_scope;
  uint64_t stack_bytes;
  buffer_release *releases;
  ir_value **shared; /* forall: the memory behind each shared output */
  unsigned first_shared;
} buffer_frame;

/* A tensor value that lives in a root, not counting views of other values. */
typedef struct buffer_tenant {
  ir_value *value;
  struct buffer_tenant *next;
} buffer_tenant;

typedef struct buffer_root {
  bool writable;
  buffer_tenant *tenants;
} buffer_root;

typedef struct buffers {
  ir_module *module;
  bool kernels;          /* the function launches kernels: its own scratch is device memory */
  ir_value_map *memrefs; /* from tensor values */
  buffer_root *roots;
  unsigned num_roots;
  size_t root_capacity;
  unsigned first_argument; /* the block argument that is root 0 */
  buffer_tenant *frozen;   /* shared outputs whose initial content iterations read: not written in place */
  buffer_frame *frame;
  ir_op **retired; /* tensor ops in pre-order, removed at the end */
  size_t num_retired, retired_capacity;
} buffers;

static inline bool is_tensor(const ir_value *value) { return value->type->kind == IR_TYPE_TENSOR; }

/* Row-major memory for a tensor type. */
const ir_type *buffer_type(ir_module *module, const ir_type *tensor);
/* The memory of a tensor; a tensor.empty gets its own, made before `op`, on first demand. */
ir_value *buffer_of(buffers *b, ir_value *tensor, ir_op *op);
/* Says that the tensor lives there; `is_view`: as (part of) another one, whose uses count as its own. */
void buffer_place(buffers *b, ir_value *tensor, ir_value *memref, bool is_view);
unsigned buffer_add_root(buffers *b, bool writable);
/* Fresh memory for a tensor like `like`, made before `op` or further out. `exact`: no larger than asked for, row-
 * major. */
ir_value *buffer_create(buffers *b, ir_op *op, ir_value *like, bool exact);
/* The same for a tensor type and what its extents will be. */
ir_value *buffer_create_sized(buffers *b, ir_op *op, const ir_type *tensor, const extent *extents, bool exact);
/* May `writer` overwrite, in place of its operand `tied`, what lives at the operand's memory? `reads`: it needs the old
 * content itself. */
bool buffer_may_overwrite(buffers *b, ir_op *writer, unsigned tied, bool reads);
/* The operand's memory if it may be overwritten, else fresh memory, with the operand's content where `reads`. */
ir_value *buffer_for_writing(buffers *b, ir_op *writer, unsigned tied, bool reads);
/* The op writes each element of operand `out` from nothing but the same element of operand `in`, at most. */
bool buffer_same_elements(const ir_op *op, unsigned in, unsigned out);
void buffer_copy(ir_builder *builder, ir_value *from, ir_value *to);
/* The part of `memref` that a slice op takes or replaces; `part` is the type of the smaller side. */
ir_value *buffer_subview(ir_builder *builder, ir_value *memref, const ir_op *slice, const ir_type *part);
/* An extent where `op` stands: a tensor's is read from its memory. */
ir_index buffer_extent(buffers *b, ir_builder *builder, extent x);

/* bufferize_ops.c: makes the memref ops of a tensor op that is neither control flow nor a call. False after an
 * error. */
bool bufferize_op(buffers *b, ir_op *op);
/* The body of a structured op on memory reads memory where it read tensors. */
void bufferize_body_reads(buffers *b, ir_op *op);
/* Puts what the op contributes into the memory of its shared output. */
void bufferize_parallel_insert(buffers *b, ir_op *op, const buffer_frame *frame);

/* bufferize_prepare.c: makes the tensor program say where results go; see there. `outputs` are tensor-typed stand-
 * ins for the memory of the function's results. */
void bufferize_prepare(ir_op *function, ir_value *const *outputs, unsigned num_outputs, const target_facts *target);
#endif
