/* lane_access.h - how a vector with a layout meets memory: where its elements are, and how many of a lane's registers
 * one instruction can move. */
#ifndef TEC_PASSES_LANE_ACCESS_H
#define TEC_PASSES_LANE_ACCESS_H
#include "ir/build.h"
#include "passes/layout.h"

enum { LANE_ACCESS_WIDEST = 16 /* bytes of one access of a lane */ };

/* Elements of memory that a vector stands for: coordinate c of vector dim v adds c * scale[v] to dim memory_dim[v]. */
typedef struct lane_access {
  ir_value *memref;
  ir_index start[IR_MAX_RANK];     /* by dim of the memref */
  int memory_dim[LAYOUT_MAX_RANK]; /* -1: the same elements all along the dim */
  int64_t scale[LAYOUT_MAX_RANK];
  uint32_t bounded; /* dims of the memref whose ends must be checked */
  uint32_t unseen;  /* of those, the ones beyond whose ends a load may give any element */
  ir_value *mask;   /* one i1 a register, or NULL */
} lane_access;

/* The access of a transfer op on a memref, which is operand `base`, by a vector of `rank` dims; its mask is left
 * out. */
lane_access lane_access_of(const ir_op *transfer, unsigned base, unsigned rank);
/* The register part of the position in each dim of the memref: IR_MAX_RANK entries. */
void lane_access_constants(const lane_access *access, const layout *l, int64_t reg, int64_t *constants);
/* How many registers move together: consecutive in memory, aligned to their size, on one side of each bound; a power of
 * two of at most LANE_ACCESS_WIDEST bytes. */
int64_t lane_access_run(const lane_access *access, const layout *l);
/* The same for asynchronous copies from global to shared memory, of 4, 8 or 16 bytes each, which leave zeros where the
 * source is out of bounds; 0 where there are none. `to` NULL: memory that is aligned as it needs to be. */
int64_t lane_access_copy_run(const lane_access *from, const lane_access *to, const layout *l, const ir_value *padding);
/* Vector dims are in the order of the memory's, and the last ones are the same. */
bool lane_access_in_order(const lane_access *access, unsigned rank);
/* Bytes of a row, along the last dims, that the lanes of a warp reach at once. */
int64_t lane_access_at_once(const lane_access *access, const layout *l);
#endif
