/* tile.h - the part of an op that computes a box of its results.
 *
 * A box is a rectangle with unit strides: an offset and a size for each loop of an op (its *domain*), or for each dim
 * of a value. Structured ops have their loops as domain, all other ops that can be tiled the dims of their one
 * result. */
#ifndef TEC_PASSES_TILE_H
#define TEC_PASSES_TILE_H
#include "passes/extent.h"

typedef struct tile_box {
  unsigned rank;
  ir_index offsets[IR_MAX_LOOPS], sizes[IR_MAX_LOOPS];
} tile_box;

/* Where a tile goes, and how it gets at its operands. */
typedef struct tile_builder tile_builder;
struct tile_builder {
  ir_builder index; /* place for index arithmetic; dominates `body` */
  ir_builder body;  /* place for the ops of the tile */
  /* The box of operand number `operand` of `op`. */
  ir_value *(*slice)(tile_builder *builder, ir_op *op, unsigned operand, const tile_box *box);
};

/* What rewriting a consumer needs: see pass_op_info. */
typedef struct tile_rescale {
  ir_builder *builder;
  ir_op *producer;  /* the tile of the op with the hook */
  ir_op *consumer;  /* the tile of the contraction that reads result 0, maybe through casts */
  unsigned operand; /* of the consumer: where that result arrives */
} tile_rescale;

/* Creates the box of the result of an op that is not structured. NULL, and nothing created but index arithmetic, where
 * the box of the result is not a box of the operands. */
typedef ir_value *tile_hook(tile_builder *builder, ir_op *op, const tile_box *box);

/* The PASS columns of op.def. Absent hooks mean: nothing special. */
typedef struct pass_op_info {
  tile_hook *tile;
  bool cheap; /* see tile_is_cheap */
  /* Ops that can be tiled over their own reduction loop because they carry what they have seen so far: bit i says that
   * the i-th init is such a running state, updated by result i. All other results are then final only for their user
   * after `rescale`. */
  uint32_t states;
  /* Makes the consumer's tile correct what it has accumulated so far: with a producer that is tiled over its reduction
   * result 0 is relative to the state of this tile. */
  void (*rescale)(const tile_rescale *rescale);
  /* Ops with states: fills `out` with what state i is before anything was seen. */
  ir_value *(*start)(ir_builder *builder, unsigned i, ir_value *out);
  /* What several of them have seen, each a part of the reduction, from the start on: parts[i] is state i with a first
   * dim for the parts, states[i] comes as the state before all of them and leaves as that of all together. Returns the
   * weights (part, ..) with which contributions of the parts add up to those of all. */
  ir_value *(*merge)(ir_builder *builder, ir_value *const *parts, ir_value **states);
} pass_op_info;

const pass_op_info *pass_op_info_of(ir_opcode code);

/* The op can be tiled at all. */
bool tile_can(const ir_op *op);
/* Reads no tensor and computes nothing, as fills do: a copy may be made for each consumer. */
bool tile_is_cheap(const ir_op *op);
/* Copies elements, maybe of another type, and computes nothing. */
bool tile_only_moves(const ir_op *op);
/* Each element of the one result is the element of the input in the same place, converted, or times something that
 * does not depend on it (0 included): scaling the input's rows scales the result's. Uses the marks of the ops in the
 * body. */
bool tile_is_linear_in(const ir_op *op, unsigned input);
/* Operands that are the value, but for those of ops that only ask for an extent. */
unsigned tile_num_readers(const ir_value *value);
/* All that reads elements of the value are contractions. */
bool tile_only_products_read(const ir_value *value);
/* The op that is a source and whose result 0 the value is, unchanged but for what is linear in it; or NULL. */
const ir_op *tile_find_source(const ir_value *value, bool (*is_source)(const ir_op *op));
/* The same for an op with a running state. */
const ir_op *tile_find_running(const ir_value *value);
/* The operand of the contraction that is the running result of an op with a state; or -1. */
int tile_running_operand(const ir_op *contraction);
/* The first input that an elementwise op makes the value of, for one reader, element for element; NULL: none. */
const ir_value *tile_made_of(const ir_value *value);
/* What uses a value that is, or becomes by elementwise ops, a factor of the product is, or becomes so, a sum from zero
 * over the dims that the product contracts, which can run in the product's loop: its use. NULL: it is something else. */
const ir_use *tile_sum_beside(const ir_use *use, ir_op *product);
/* The product that has the value, or what becomes of it, as a factor, where all others that read it are such sums; NULL:
 * there is none. */
ir_op *tile_product_with_sums(const ir_value *value);
/* The extents of the domain. Dims are looked up at operands, as far outside as they can be seen, so that the extents do
 * not keep ops alive that fusion replaces. */
void tile_domain(ir_builder *builder, ir_op *op, tile_box *domain);
/* All of a value. */
void tile_whole(ir_builder *builder, ir_value *value, tile_box *box);
/* From a box of result `result` to the box of the domain that computes it: loops that do not appear in the result run
 * over all of `domain`. False where the result's subscripts are no plain loops. */
bool tile_from_result(const ir_op *op, unsigned result, const tile_box *box, const tile_box *domain, tile_box *tile);
/* The box of a result that a box of the domain computes. */
void tile_of_result(ir_builder *builder, const ir_op *op, unsigned result, const tile_box *tile, tile_box *box);
/* Creates the tile; `results` receives one value a result. False if the op cannot be tiled like this; nothing but index
 * arithmetic was created then. */
bool tile_create(tile_builder *builder, ir_op *op, const tile_box *tile, ir_value **results);

/* Both are the same number in every run: the same value, or equal pure arithmetic on the same values. */
bool tile_index_equal(ir_index a, ir_index b);
/* The constant with which `base` multiplied is the index; 0: there is none. */
int64_t tile_index_factor(ir_index x, ir_index base);
/* The box starts at 0 and has the extent in that dim. */
bool tile_is_whole(const tile_box *box, const tile_box *domain, unsigned dim);

/* What the PASS columns name (tile_hooks.c, softmax.c). */
tile_hook tile_constant, tile_empty, tile_cast, tile_extract_slice, tile_expand_shape, tile_collapse_shape, tile_pad;
void softmax_rescale(const tile_rescale *rescale);
ir_value *softmax_start(ir_builder *builder, unsigned i, ir_value *out);
ir_value *softmax_merge(ir_builder *builder, ir_value *const *parts, ir_value **states);
#endif
