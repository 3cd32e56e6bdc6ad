/* distribute.h - from what all lanes of a kernel hold together (VECTOR) to what one lane holds (LANE); internal to
 * distribute*.c.
 *
 * A vector with a layout becomes a 1-D vector of the layout's registers, in register order. Since a coordinate is a sum
 * of a part that depends on the register and a part that depends on lane and warp, all lanes run the same code: the
 * register part is a constant, the lane part an affine function of the thread number. */
#ifndef TEC_PASSES_DISTRIBUTE_H
#define TEC_PASSES_DISTRIBUTE_H
#include "passes/lane_access.h"
#include "passes/passes.h"
#include "passes/shared_form.h"

/* ir_op.mark in a new kernel: this bit marks a branch that the lanes of one warp may take differently; the other bits
 * number accesses to memory, where ops that are part of one access of all lanes have one number (0: of its own). */
enum { DISTRIBUTE_DIVERGENT = 1, DISTRIBUTE_ACCESS = 2 };

/* An array of numbers on a memref.alloca of shared memory: see distribute_access.c. */
#define DISTRIBUTE_SWIZZLE "tec.swizzle"
/* On a write of shared memory of just what was read from global memory: it may be done any time before the next wait
 * for its group of copies. */
#define DISTRIBUTE_ASYNC "tec.async"
/* On a read of shared memory, right behind the write of what it reads, where lanes want only what their warp wrote. */
#define DISTRIBUTE_WARP "tec.warp"
/* On a contraction that is all that an iteration of a loop does with its tiles: warpgroups are waited for in the
 * next. */
#define DISTRIBUTE_LATE "tec.late"
/* On such a write, and the copies that it becomes: what is there was read before the latest barrier of the loop. */
#define DISTRIBUTE_AHEAD "tec.ahead"
/* On reads in a loop and beside it of one sequence of tiles: a number. */
#define DISTRIBUTE_SEQUENCE "tec.sequence"
/* On a contraction that an iteration does for the one before: its left factor, which is carried in registers, stays as
 * it is until it has been waited for. */
#define DISTRIBUTE_DELAYED "tec.delayed"
/* On an op in the same loop: what it gives takes the place of that factor. */
#define DISTRIBUTE_BEHIND "tec.behind"

/* Memory in the workgroup's shared space, one for each type of elements, that conversions use one after the other; as
 * large as the largest of them wants. */
typedef struct shared_scratch {
  ir_value *memref; /* 1-D */
  struct shared_scratch *next;
} shared_scratch;

/* A factor that has memory of its own, filled where it is made. */
typedef struct kept_factor {
  const ir_value *factor;
  shared_form form;
  lane_access memory;
  const ir_block *block; /* in which it was filled */
  struct kept_factor *next;
} kept_factor;

/* A contraction whose result warpgroups have under way. */
typedef struct pending_product {
  const ir_op *op;
  ir_value **products; /* results of vector_ext.warpgroup_mma .. */
  int64_t **registers; /* .. and which registers of the sums each has */
  unsigned count;
  layout sums, wanted;
  ir_value **values; /* sums by register */
  struct pending_product *next;
} pending_product;

/* One kernel being distributed. */
typedef struct distributor {
  ir_module *module;
  int64_t threads; /* lanes that run it */
  int64_t warp;    /* lanes of a warp */
  const target_facts *facts;
  uint64_t kept_bytes; /* shared memory that is in use for as long as the kernel runs */
  ir_builder at;       /* where new ops go */
  ir_builder entry;    /* where shared memory is made: the start of the kernel */
  ir_value *thread;    /* the number of the lane among `threads` */
  ir_value *first; /* that of the first lane of its warp, which an assembler sees to be the same in all (warpgroups) */
  ir_value_map *lanes; /* from values of the old kernel to those of the new one */
  shared_scratch *scratch;
  kept_factor *kept;
  pending_product *pending; /* of the block under way */
  const ir_op *late;        /* the contraction of the loop under way whose products are; NULL: none */
  uint32_t access;          /* the mark of the access under way */
} distributor;

/* ----------------------------------------------------------------------------------------------------- distribute.c */

/* Handles one op; false after a reported error. */
typedef bool distribute_hook(distributor *d, const ir_op *op);

/* The layout of a vector value of the old kernel, which has been checked to have one. */
layout distribute_layout(const ir_value *value);
/* The layout of a result of an op there. */
void distribute_set_layout(ir_op *op, unsigned result, const layout *l);
/* What the lane holds of a vector or scalar of the old kernel; vectors in the layout wanted, if that is not NULL. */
ir_value *distribute_lane(distributor *d, ir_value *value, const layout *wanted);
void distribute_set(distributor *d, const ir_op *op, ir_value *value);
/* The number of the lane. */
ir_value *distribute_thread_id(distributor *d);
const ir_type *distribute_type(const distributor *d, ir_scalar element, int64_t registers);
/* scf.if, its branches empty, that the lanes of one warp may take differently; gives one `result`, or NULL: none. */
ir_op *distribute_if(distributor *d, ir_value *condition, const ir_type *result);

/* ------------------------------------------------------------------------------------------- distribute_register.c */

/* The register part of the coordinates. */
void distribute_coord(const layout *l, int64_t reg, int64_t *coord);
/* The lane part of sum(scale[dim] * coordinate) as an index. `scale` has one entry a dim. */
ir_index distribute_lane_offset(distributor *d, const layout *l, const int64_t *scale);
/* The part of a hardware index that coordinates depend on: without what only tells replicas apart. */
int64_t distribute_significant(const layout *l, layout_level level, int64_t index);
/* The layout without registers and replication: what depends on lane and warp; or on one of them. */
layout distribute_lane_part(const layout *l);
layout distribute_level_part(const layout *l, layout_level level);
/* The first register with these register parts of coordinates, or -1. */
int64_t distribute_find(const layout *l, const int64_t *coord);
int64_t distribute_registers(const layout *l);
/* One register, and a vector of registers. */
ir_value *distribute_get(distributor *d, ir_value *vector, int64_t reg);
ir_value *distribute_pack(distributor *d, ir_scalar element, int64_t count, ir_value *const *registers);
/* Registers registers[0 .. count) of a vector, as a vector. */
ir_value *distribute_pick(distributor *d, ir_value *vector, int64_t count, const int64_t *registers);
/* The part of a vector that begins at `start` (NULL: the origin), brought from one layout into another. Never fails: in
 * registers where each lane has what it needs, else through shared memory. */
ir_value *distribute_convert(distributor *d, ir_value *vector, const layout *from, const layout *to,
                             const ir_index *start);
distribute_hook distribute_broadcast, distribute_transpose, distribute_shape_cast, distribute_transpose_now,
    distribute_extract, distribute_step, distribute_create_mask, distribute_to_layout;

/* -------------------------------------------------------------------------------------------- distribute_shuffle.c */

/* The value of another lane of the warp: `lane`, an i32, is its number ("shuffle_mode idx") or differs from it. */
ir_value *distribute_exchange(distributor *d, ir_value *value, const char *mode, ir_value *lane);
/* As distribute_convert, from lanes of the same warp; NULL, with nothing done, where that does not suffice or pay. */
ir_value *distribute_shuffle(distributor *d, ir_value *vector, const layout *from, const layout *to,
                             const int64_t *start);

/* --------------------------------------------------------------------------------------------- distribute_access.c */

/* The indices of one access, shared by its registers, made where they are first asked for: so all in one block. */
typedef struct known_index known_index;
typedef struct access_plan {
  distributor *d;
  const layout *layout;
  const lane_access *access;
  int64_t run;                 /* registers that move together */
  ir_value *base[IR_MAX_RANK]; /* start + lane part */
  ir_value *end[IR_MAX_RANK];  /* of bounded dims */
  layout_shared swizzle;       /* mask 0: none */
  int64_t box_rows;            /* of each box that the memory consists of; 0: it is one */
  bool speculates;             /* loads that are out of bounds read another element */
  known_index *known;
} access_plan;

/* Keeps `l` and `access`. */
access_plan distribute_plan(distributor *d, const layout *l, const lane_access *access);
/* The subscripts of the element that is `constants` behind the lane part; the condition for it to be in bounds, or
 * NULL: always. */
ir_value *distribute_subscripts(access_plan *plan, const int64_t *constants, ir_value **subscripts);
/* What each register of the layout holds in memory; `padding`, a scalar, where that is out of bounds or masked. */
ir_value *distribute_load(distributor *d, const layout *l, const lane_access *access, ir_value *padding);
/* One lane writes each element. */
void distribute_store(distributor *d, const layout *l, const lane_access *access, ir_value *vector);
/* Shared memory for a vector in some form, and the access of all of it by layouts in coordinates of the memory: of its
 * own, or what is used for one thing after the other, from element *offset on (NULL: 0), which moves behind it. */
lane_access distribute_memory(distributor *d, ir_scalar element, const layout *whole, const shared_form *form);
lane_access distribute_scratch(distributor *d, ir_scalar element, const layout *whole, const shared_form *form,
                               int64_t *offset);
/* The memref and the start of an access are those of the new kernel from here on. */
void distribute_enter(distributor *d, lane_access *access);
/* Dims of the memory beyond whose ends nobody sees what the read, an op of the old kernel, gives. */
uint32_t distribute_unseen(const ir_op *read, const lane_access *access);
/* The vector of a vector.transfer_read, read at the builder's place. */
ir_value *distribute_read_now(distributor *d, const ir_op *op);
distribute_hook distribute_read, distribute_write;

/* ------------------------------------------------------------------------------------------- distribute_factor.c */

/* A factor that is read from global memory, or transposed after that, when its contraction asks for fragments. */
bool distribute_is_late(const distributor *d, const ir_value *value);
typedef struct late_factor late_factor;
late_factor *distribute_late_factor(distributor *d, const ir_value *value);
/* What the lane holds of the fragment with that layout which is `offset` behind the start; dims are those of the
 * value. */
ir_value *distribute_late_fragment(const late_factor *factor, const layout *fragment, const int64_t offset[2]);

/* ----------------------------------------------------------------------------------------------------- lane_words.c */

/* 32-bit registers that a lane needs for a vector of the old kernel. */
int64_t distribute_words(const ir_value *value);
/* .. and for all results of an op. */
int64_t distribute_words_of_results(const ir_op *op);
/* Those for what it reads for lanes to compute with, element by element; 0 for factors, and for any op but a read. */
int64_t distribute_words_read(const ir_op *op);
/* What lanes hold all along a loop, and the largest vector that they compute in it. */
int64_t distribute_words_across(const ir_op *loop);
/* Blocks of a kernel of warpgroups that should share a multiprocessor; 0: it is none, and this is left to the
 * assembler. */
int64_t distribute_blocks_of_groups(const ir_op *kernel, const target_facts *facts);

/* ---------------------------------------------------------------------------------------------------------- stage.c */

/* Does nothing in the loop write global memory? */
bool distribute_keeps_global_memory(const ir_op *loop);
/* Marks what the op is computed from in the body of a loop (ir_op.mark); false where not all of it follows, by pure ops
 * and `reads`, from the counter. */
bool distribute_mark_makers(const ir_block *body, const ir_op *made, bool reads);

/* ------------------------------------------------------------------------------------------- distribute_matrix.c */

/* The one use of a read is as a factor of a contraction, with nothing between them that writes memory: it may be read
 * there. */
bool distribute_may_wait(const ir_value *factor);
/* A read of shared memory that waits until a contraction asks for fragments: its one user, with nothing between them
 * that writes memory, and the layout is one that ldmatrix gives. */
bool distribute_is_deferred(const ir_value *value);

/* Where fragments of such a read come from. */
typedef struct matrix_source matrix_source;
matrix_source *distribute_matrix_source(distributor *d, const ir_value *value);
/* `count` 8x8 matrices of 16-bit elements, 1, 2 or 4, the i-th of which gives registers[i] and the next: as one vector,
 * or NULL where they do not lie evenly. */
ir_value *distribute_matrices(matrix_source *source, unsigned count, const int64_t *registers);
/* All of a read of shared memory in this way; NULL where it does not fit. */
ir_value *distribute_read_matrices(distributor *d, const ir_op *read);

/* Shared memory that a warpgroup reads by itself: boxes of rows of 32, 64 or 128 bytes, with the swizzle of such
 * rows. */
typedef struct group_place {
  ir_value *memref;
  int64_t box_rows, box_columns;
  unsigned contiguous; /* the dim of the value that lies along rows */
} group_place;
/* Where such a read comes from; false if a warpgroup cannot read that. */
bool distribute_group_place(const matrix_source *source, group_place *place);
/* The subscripts of the element at `constants`, by dim of the value, behind the warpgroup's part in the layout; within
 * a row, before the swizzle. */
void distribute_group_subscripts(const matrix_source *source, const group_place *place, const layout *groups,
                                 const int64_t constants[2], ir_value **subscripts);
/* The memory of a place of the old kernel: boxes one after the other are rows of it. */
ir_value *distribute_place(distributor *d, const ir_op *alloca);

/* ----------------------------------------------------------------- distribute_contract.c, distribute_reduction.c */

distribute_hook distribute_contract, distribute_reduction;
/* Waits for what a loop leaves under way: the sums of a lane. */
ir_value *distribute_wait(distributor *d, ir_value *sums, int64_t under_way);
/* A lane's 16-bit floats as words of two in f32, and back; others, and odd numbers of them, as they are. */
ir_value *distribute_to_words(distributor *d, ir_value *lane);
ir_value *distribute_from_words(distributor *d, ir_value *words, const ir_type *type);
/* Waits for pending products whose results `user` reads, in it or in its regions; NULL: for all. */
void distribute_settle(distributor *d, const ir_op *user);

/* ------------------------------------------------------------------------------------------- distribute_product.c */

/* A contraction without the matrix unit. */
distribute_hook distribute_product;
/* What lanes read of a factor of shared memory in each step of such a contraction, in dims of the factor; false: there
 * are no steps. */
bool distribute_product_step(const ir_op *contract, unsigned factor, layout *step);
/* A factor that is in shared memory already: steps read it there. */
bool distribute_is_in_place(const target_facts *facts, const ir_value *value);

/* -------------------------------------------------------------------------------------------- distribute_element.c */

/* Replaces a kernel that is PASS_BY_ELEMENT; false after a reported error. */
bool distribute_elements(distributor *d, ir_op *kernel);

/* ------------------------------------------------------------------------------------------------------ barriers.c */

/* Places the barriers that the kernel needs: between a write of memory by one lane and a read or write by another. */
void distribute_barriers(ir_op *kernel);
#endif
