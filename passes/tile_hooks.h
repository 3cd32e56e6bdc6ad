/* tile_hooks.h - the hooks that the PASS columns of op.def name; see pass_op_info in tile.h. */
#ifndef TEC_PASSES_TILE_HOOKS_H
#define TEC_PASSES_TILE_HOOKS_H
#include "passes/tile.h"

tile_hook tile_constant, tile_empty, tile_cast, tile_extract_slice, tile_expand_shape, tile_collapse_shape, tile_pad;

void softmax_rescale(const tile_rescale *rescale);
ir_value *softmax_start(ir_builder *builder, unsigned i, ir_value *out);
ir_value *softmax_merge(ir_builder *builder, ir_value *const *parts, ir_value **states);
#endif
