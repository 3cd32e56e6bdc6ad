/* register_nest.h - the loops over register tiles that one structured op becomes: what register_tile.c, which emits them,
 * and register_pack.c, which copies factors into panels for them, share. */
#ifndef TEC_PASSES_REGISTER_NEST_H
#define TEC_PASSES_REGISTER_NEST_H
#include "passes/hidden.h"
#include "passes/register_group.h"
#include "passes/register_segment.h"
#include "passes/vectorize.h"

typedef struct register_nest {
  ir_op *op;
  const target_facts *facts;
  register_plan plan;
  register_group group;
  hidden_terms reduced; /* reductions need run only where this holds; `where` is empty if they need run everywhere */
  bool left_out;        /* the tile is where reductions need not run: feeders alone write what they are known to make */
  vector_tile tile;
  unsigned num_inputs, num_outs;
  int64_t uses; /* of what the op computes: more than one for a copy that an op reads more than once */
  ir_index extents[IR_MAX_LOOPS];
  unsigned *depths;       /* by output: the number of loops around its read and write */
  ir_value **panels;      /* by input: the scratch memory of its panels; NULL when it is read in place */
  uint32_t packed_before; /* inputs (bits) with panels for all tiles of the SIMD loop's current segment */
} register_nest;

static inline uint32_t register_loop_bit(unsigned loop) { return UINT32_C(1) << loop; }

/* Replaces a structured op by loops over register tiles, and with it the ops that it takes in; none where it copies an
 * input whose elements are used `copied` times, else 0. Its reductions need run only where `reduced` holds; NULL:
 * everywhere. Returns how many of those came after it. */
unsigned register_tile_op(ir_op *op, const target_facts *facts, const hidden_terms *reduced, int64_t copied);

/* Gives the inputs that the plan packs scratch memory for panels, and copies those that it widens as a whole. */
void register_pack_begin(register_nest *nest, ir_builder *builder);
/* Packs for all tiles of a segment of the SIMD loop, which has full ones from 0 on, where memory is there for them. */
void register_pack_before(register_nest *nest, ir_builder *builder, const register_segment *segment);
/* Packs at the place just inside of the SIMD loop, or finds there what was packed before it; the tile reads panels. */
void register_pack_inputs(register_nest *nest, ir_builder *builder);
/* The row of a vector over rows and lanes. */
ir_value *register_extract_row(ir_builder *builder, ir_value *rows, int64_t row);
/* Takes the current pairs of terms from the panels: vectors over lanes and terms. */
void register_pack_read_pairs(register_nest *nest, ir_builder *builder);
#endif
