/* register_segment.h - into which tiles a loop of a structured op is cut on the host. */
#ifndef TEC_PASSES_REGISTER_SEGMENT_H
#define TEC_PASSES_REGISTER_SEGMENT_H
#include "ir/build.h"
#include "passes/register_plan.h"

enum { REGISTER_MAX_SEGMENTS = 10 };

/* Some iterations of a loop that run in tiles of one size. */
typedef struct register_segment {
  ir_index from, to;
  int64_t size;
  bool masked; /* the tile may reach beyond the loop's end */
  bool single; /* exactly one tile */
} register_segment;

/* The tiles of a loop, at the builder's place. What is left after the full ones: a smaller tile, of lanes that are
 * masked down from a power of two; partial lanes must keep their width. Few rows that are left make two equal tiles
 * with the last full one. Of an extent that is not known, masked registers; or of a product's rows, where lanes are
 * full (not `cut`), halves of a tile, and in the end one for each number that may be left; else single ones. Full tiles
 * are left out where the extent is known not to be larger than one, of a reduction's rows where it is known to be
 * smaller. Returns how many segments there are. */
unsigned register_segments(const ir_op *op, const register_plan *plan, ir_builder *builder, unsigned loop,
                           ir_index extent, bool cut, register_segment *segments);
/* The multiples of `step` in the extent. */
ir_index register_whole_tiles(ir_builder *builder, ir_index extent, int64_t step);
#endif
