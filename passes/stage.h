/* stage.h - what the files of the pass "stage" share. */
#ifndef TEC_PASSES_STAGE_H
#define TEC_PASSES_STAGE_H
#include "passes/anchor.h"

enum {
  STAGE_SECTOR = 32,     /* bytes in which global memory is fetched and written */
  STAGE_MAX_PADDING = 8, /* chunks behind a row of shared memory; so many meet all banks */
};

/* Wavefronts beyond those that as many bytes need, of a warp that accesses a tile in shared memory. */
int64_t stage_extra_wavefronts(const anchor_lanes *lanes, const layout_shared *place, const layout *l, int64_t bits);

/* Results of a kernel whose tiles have been staged are brought into whole lines, in places of tiles that nobody reads any
 * more, or in as many further bytes of shared memory as there is room for. */
void stage_results(ir_op *kernel, const anchor_lanes *lanes, int64_t room);
#endif
