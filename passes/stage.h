/* stage.h - what the files of the pass "stage" share. */
#ifndef TEC_PASSES_STAGE_H
#define TEC_PASSES_STAGE_H
#include "passes/anchor.h"

enum {
  STAGE_SECTOR = 32,     /* bytes in which global memory is fetched and written */
  STAGE_MAX_PADDING = 8, /* chunks behind a row of shared memory; so many meet all banks */
};

/* A tile that goes through shared memory. */
typedef struct staged_tile {
  ir_op *read;     /* of global memory, to be replaced */
  ir_op *first;    /* of the iteration before the loop's first: the read before the loop, or NULL (delay_products.c) */
  ir_op *last;     /* of the iteration behind the loop's last: the read behind the loop, or NULL */
  layout copied;   /* who copies what */
  ir_value *place; /* stages x tile */
  int64_t pitch;   /* elements from row to row of a place */
  int64_t bytes;   /* of one stage */
  layout_shared shared;
  bool asynchronous;
  bool for_steps; /* of products that lanes do, which read it where it is */
  struct staged_tile *next;
} staged_tile;

typedef struct stager {
  ir_module *module;
  ir_op *kernel;
  anchor_lanes lanes;
  int64_t bytes_left;
  int64_t blocks; /* that are to share a multiprocessor; 0: not asked for */
  const target_facts *facts;
} stager;

/* ---------------------------------------------------------------------------------------------------- stage_place.c */

static inline bool stage_is_factor(const ir_use *use) {
  return use->user->code == OP_VECTOR_CONTRACT && ir_use_index(use) < 2;
}
/* A transpose that only contractions use as a factor, which is a way to read. */
bool stage_is_transposed_factor(const ir_op *op);
/* Fills in a tile; false where the read is better off as it is. */
bool stage_find_tile(const stager *s, ir_op *read, staged_tile *tile);
/* Wavefronts beyond those that as many bytes need, of a warp that accesses a tile in shared memory. */
int64_t stage_extra_wavefronts(const anchor_lanes *lanes, const layout_shared *place, const layout *l, int64_t bits);

/* -------------------------------------------------------------------------------------------------- stage_results.c */

/* Results of a kernel whose tiles have been staged are brought into whole lines, in places of tiles that nobody reads
 * any more, or in as many further bytes of shared memory as there is room for. */
void stage_results(ir_op *kernel, const anchor_lanes *lanes, int64_t room);
#endif
