/* distribute.h - from what all lanes of a kernel hold together (VECTOR) to what one lane holds (LANE); internal to
 * distribute*.c.
 *
 * A vector with a layout becomes a 1-D vector of the layout's registers, in register order. Since a coordinate is a sum
 * of a part that depends on the register and a part that depends on lane and warp, all lanes run the same code: the
 * register part is a constant, the lane part an affine function of the thread number. */
#ifndef TEC_PASSES_DISTRIBUTE_H
#define TEC_PASSES_DISTRIBUTE_H
#include "ir/build.h"
#include "passes/layout.h"
#include "passes/passes.h"

/* ir_op.mark in a new kernel: this bit marks a branch that the lanes of one warp may take differently; the other bits
 * number accesses to memory, where ops that are part of one access of all lanes have one number (0: of its own). */
enum { DISTRIBUTE_DIVERGENT = 1, DISTRIBUTE_ACCESS = 2 };

/* Memory in the workgroup's shared space that conversions use one after the other. */
typedef struct shared_scratch {
  ir_value *memref; /* 1-D */
  struct shared_scratch *next;
} shared_scratch;

/* One kernel being distributed. */
typedef struct distributor {
  ir_module *module;
  int64_t threads;     /* lanes that run it */
  int64_t warp;        /* lanes of a warp */
  ir_builder at;       /* where new ops go */
  ir_builder entry;    /* where shared memory is made: the start of the kernel */
  ir_value *thread;    /* the number of the lane among `threads` */
  ir_value_map *lanes; /* from values of the old kernel to those of the new one */
  shared_scratch *scratch;
  uint32_t access;     /* the mark of the access under way */
} distributor;

/* Elements of memory that a vector stands for: coordinate c of vector dim v adds c * scale[v] to dim memory_dim[v]. */
typedef struct lane_access {
  ir_value *memref;
  ir_index start[IR_MAX_RANK];      /* by dim of the memref */
  int memory_dim[LAYOUT_MAX_RANK];  /* -1: the same elements all along the dim */
  int64_t scale[LAYOUT_MAX_RANK];
  uint32_t bounded;                 /* dims of the memref whose ends must be checked */
  ir_value *mask;                   /* one i1 a register, or NULL */
} lane_access;

/* ----------------------------------------------------------------------------------------------------- distribute.c */

/* Handles one op; false after a reported error. */
typedef bool distribute_hook(distributor *d, const ir_op *op);

/* The layout of a vector value of the old kernel, which has been checked to have one. */
layout distribute_layout(const ir_value *value);
/* What the lane holds of a vector or scalar of the old kernel; vectors in the layout wanted, if that is not NULL. */
ir_value *distribute_lane(distributor *d, ir_value *value, const layout *wanted);
void distribute_set(distributor *d, const ir_op *op, ir_value *value);
/* [a, b, ..] */
const ir_attr *distribute_numbers(const distributor *d, unsigned count, const int64_t *numbers);
const ir_type *distribute_type(const distributor *d, ir_scalar element, int64_t registers);
/* arith.cmpi on indices, or vectors of them. */
typedef enum compare_predicate { COMPARE_EQUAL = 0, COMPARE_SIGNED_LESS = 2, COMPARE_UNSIGNED_LESS = 6 } compare_predicate;
ir_value *distribute_compare(distributor *d, compare_predicate predicate, ir_value *lhs, ir_value *rhs);
/* scf.if, its branches empty, that the lanes of one warp may take differently; gives one `result`, or NULL: none. */
ir_op *distribute_if(distributor *d, ir_value *condition, const ir_type *result);

/* ------------------------------------------------------------------------------------------- distribute_register.c */

/* The register part of the coordinates. */
void distribute_coord(const layout *l, int64_t reg, int64_t *coord);
/* The lane part of sum(scale[dim] * coordinate) as an index. `scale` has one entry a dim. */
ir_index distribute_lane_offset(distributor *d, const layout *l, const int64_t *scale);
/* The layout without registers and replication: what depends on lane and warp. */
layout distribute_lane_part(const layout *l);
/* The first register with these register parts of coordinates, or -1. */
int64_t distribute_find(const layout *l, const int64_t *coord);
int64_t distribute_registers(const layout *l);
/* One register, and a vector of registers. */
ir_value *distribute_get(distributor *d, ir_value *vector, int64_t reg);
ir_value *distribute_pack(distributor *d, ir_scalar element, int64_t count, ir_value *const *registers);
/* Registers registers[0 .. count) of a vector, as a vector. */
ir_value *distribute_pick(distributor *d, ir_value *vector, int64_t count, const int64_t *registers);
/* The coordinate along `dim` in each register, as a vector of index. */
ir_value *distribute_coordinates(distributor *d, const layout *l, unsigned dim);
/* The part of a vector that begins at `start` (NULL: the origin), brought from one layout into another. Never fails: in
 * registers where each lane has what it needs, else through shared memory. */
ir_value *distribute_convert(distributor *d, ir_value *vector, const layout *from, const layout *to,
                             const ir_index *start);
distribute_hook distribute_broadcast, distribute_transpose, distribute_shape_cast, distribute_slice,
    distribute_extract, distribute_insert, distribute_step, distribute_create_mask, distribute_to_layout;

/* --------------------------------------------------------------------------------------------- distribute_access.c */

/* What each register of the layout holds in memory; `padding`, a scalar, where that is out of bounds or masked. */
ir_value *distribute_load(distributor *d, const layout *l, const lane_access *access, ir_value *padding);
/* One lane writes each element. */
void distribute_store(distributor *d, const layout *l, const lane_access *access, ir_value *vector);
/* Shared memory for a vector in row-major order, and the access of all of it. */
lane_access distribute_scratch(distributor *d, ir_scalar element, const layout *l);
distribute_hook distribute_read, distribute_write, distribute_gather;

/* ------------------------------------------------------------------------------------------- distribute_combine.c */

distribute_hook distribute_contract, distribute_reduction;

/* ------------------------------------------------------------------------------------------------------ barriers.c */

/* Places the barriers that the kernel needs: between a write of memory by one lane and a read or write by another. */
void distribute_barriers(ir_op *kernel);
#endif
