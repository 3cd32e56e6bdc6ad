/* vectorize.h - one tile of one structured op as vector ops. What a tile is (which loops are vector dims, their sizes
 * and order, where it starts) is the caller's policy; what it means is here, once for all targets.
 *
 * A loop of the op is either a vector dim of the tile or runs one iteration in it. Every value of the op's body becomes
 * a vector over just those vector dims that it depends on, in the tile's order, and a scalar where it depends on none;
 * values meet by broadcast. So a tile without vector dims is the scalar body, and needs no code of its own. */
#ifndef TEC_PASSES_VECTORIZE_H
#define TEC_PASSES_VECTORIZE_H
#include "ir/build.h"
#include "ir/ir.h"

/* Where a tile finds one operand of its op. */
typedef struct vector_operand {
  ir_value *value;   /* a memref, a tensor that is only read, or a scalar */
  const ir_map *map; /* from the op's loops to subscripts; unused for scalars */
  uint32_t local;    /* loops that count from 0 in each tile here: a buffer that holds just the tile's part */
  ir_value *vector;  /* where the tile's part is known already: a vector over the subscripts that are vector dims, or a
                        scalar if none is; else NULL */
  const ir_attr *ahead; /* accesses ask for what lies so many subscripts further, too; NULL: they do not */
  bool is_near;         /* reads ask for it to be in the first cache */
} vector_operand;

typedef struct vector_tile {
  ir_op *op;
  vector_operand *operands;      /* one an operand of the op */
  unsigned num_dims;             /* vector dims, outermost first: */
  unsigned loops[IR_MAX_RANK];   /*   the loop that each is */
  int64_t sizes[IR_MAX_RANK];    /*   and its iterations in the tile, at least 1 */
  uint32_t partial;              /* reduction loops kept as dims of the accumulators: partial results, one a lane */
  uint32_t masked;               /* vector dims that may reach beyond the loop's end */
  uint32_t apart;                /* the last vector dim, if its even iterations come before its odd ones in lanes, for
                                    bf16 to be widened in pairs; inputs that have it are f32, or bf16 that is widened */
  bool narrow;                   /* contractions take factors as they were before they were widened */
  bool words;                    /* .. to i32: as i16, or .. */
  bool bytes;                    /* .. as i8, plus 128 and unsigned in what does not have the last dim but one */
  bool lane_constants;           /* constant vectors may differ from lane to lane */
  ir_index ends[IR_MAX_LOOPS];   /* masked loops: their number of iterations */
  ir_index starts[IR_MAX_LOOPS]; /* all loops: the first iteration of the tile */
} vector_tile;

/* The iterations of the loop in the tile: 1 where it is no vector dim. */
static inline int64_t vector_tile_size(const vector_tile *tile, unsigned loop) {
  for (unsigned i = 0; i < tile->num_dims; i++)
    if (tile->loops[i] == loop)
      return tile->sizes[i];
  return 1;
}

/* The operands as the op itself has them; the caller provides one vector_operand an operand. */
void vectorize_operands(ir_op *op, vector_operand *operands);

/* The loops (bits) that may be vector dims: every operand's subscripts use the loop at most once and with coefficient
 * 1, all body ops that depend on it work element by element without undefined behaviour, and each output either has it
 * among its subscripts or combines along it (vectorize_combiner). */
uint32_t vectorize_loops(ir_op *op);
/* The loops (bits) that the operand's subscripts depend on. */
uint32_t vectorize_operand_loops(const vector_operand *operand);
/* Output `out` becomes combine(old value, something else) with an associative and commutative `combine`, its opcode. */
bool vectorize_combiner(const ir_op *op, unsigned out, ir_opcode *combine);
/* The op has one result, of floats that it adds up along its reductions. */
bool vectorize_is_sum(const ir_op *op);
/* That something else, in the body; NULL where it does not. */
ir_value *vectorize_term(const ir_op *op, unsigned out);

/* The tile's part of operand `i`: a vector over its vector dims (masked ones padded with 0), or a scalar. */
ir_value *vectorize_read(ir_builder *builder, const vector_tile *tile, unsigned i);
/* The same of an input as the body takes it: lanes in the tile's order (`apart`), as are those of known vectors. */
ir_value *vectorize_input(ir_builder *builder, const vector_tile *tile, unsigned i);
/* A value in the order of the tile's dims, as vectorize_read gives it, in the order of the operand's subscripts. */
ir_value *vectorize_to_subscripts(ir_builder *builder, const vector_tile *tile, unsigned i, ir_value *value);
/* The value with 0 where one of `loops` (vector dims of operand `i`, masked) has ended. */
ir_value *vectorize_zero_beyond(ir_builder *builder, const vector_tile *tile, unsigned i, uint32_t loops,
                                ir_value *value);
/* Lets an access of the operand, a vector, ask for memory ahead as the operand has it. */
void vectorize_ask_ahead(ir_op *access, const vector_operand *operand);
/* Writes what vectorize_read would read. */
void vectorize_write(ir_builder *builder, const vector_tile *tile, unsigned i, ir_value *value);

/* What combines with any number to that number. maxnumf and minnumf ignore NaN; 0 + -0 is 0. */
ir_cell vectorize_neutral(ir_opcode combine, ir_scalar scalar);
/* The accumulator of output `out`, in the tile's order, before the first tile: its old value, or the neutral element in
 * partial lanes. */
ir_value *vectorize_begin(ir_builder *builder, const vector_tile *tile, unsigned out);
/* Runs the body: accumulators[out] holds each output's value before, then after. */
void vectorize_body(ir_builder *builder, const vector_tile *tile, ir_value **accumulators);
/* The vector.contract of two factors and an accumulator, whose maps are from its loops, of which these (bits) are
 * reductions. */
ir_value *vectorize_contract(ir_builder *builder, ir_value *const operands[3], const ir_map *const maps[3],
                             uint32_t reductions);
/* After the last tile: what is to be written, partial lanes combined with the old value. */
ir_value *vectorize_end(ir_builder *builder, const vector_tile *tile, unsigned out, ir_value *accumulator);
#endif
