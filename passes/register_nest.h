/* register_nest.h - the loops over register tiles that one structured op becomes: what register_tile.c, which emits
 * them, register_members.c, which has other ops of its group on each tile, register_pack.c and register_constant.c,
 * which have panels of factors for them, register_ask.c, which asks for memory ahead, and register_hidden.c, which
 * knows what masks do, share. */
#ifndef TEC_PASSES_REGISTER_NEST_H
#define TEC_PASSES_REGISTER_NEST_H
#include "passes/hidden.h"
#include "passes/register_group.h"
#include "passes/register_prefetch.h"
#include "passes/register_segment.h"
#include "passes/vectorize.h"

enum { REGISTER_MAX_MASKS = 4 };
/* What terms of i8 are more where they are unsigned (vector_tile.bytes). */
enum { REGISTER_EXCESS = 128 };

/* An epilogue of a product without its masks. */
typedef struct register_shown {
  unsigned member; /* of the group's epilogues */
  ir_op *op;       /* a copy that has no masks; NULL: there is none */
  unsigned count;
  mask hiding
      [REGISTER_MAX_MASKS]; /* over the leader's loops: where one of the bounds of each fails, nothing is hidden */
} register_shown;

/* How a contraction's tiles ask, line by line, for what the next panels of an input are made of, while they use those
 * at hand: in the order of memory, over all iterations of the tiles. */
typedef struct register_ask {
  int64_t ahead[IR_MAX_RANK]; /* how many subscripts further that lies */
  unsigned row, term;         /* the loop over the rows that use a panel again, and that over its terms */
  unsigned along;             /* the one along which memory goes on: that over terms, or that over lanes */
  int64_t at_once;            /* lines asked for as a tile begins; 0: one or two in each iteration */
  int64_t lines;              /* asked for in each iteration .. */
  int64_t elements;           /* .. of so many elements .. */
  int64_t pieces;             /* .. of which so many make a row of memory .. */
  int64_t turns;              /* .. and so many are asked for at each term, by all rows' tiles in turn */
  bool is_tile;               /* of the next tile of the SIMD loop; else of all its tiles */
  bool is_stream;             /* no panel: a later tile's of what is read in place, each line at its own term */
} register_ask;

/* How they ask for the rows of an input read in place that the next tile multiplies, a line of each in turn, and for
 * the result that it adds to. */
typedef struct register_rows {
  bool asked;
  unsigned input, row;     /* the loop over those rows, which lie along the terms in memory */
  int64_t lines, pieces;   /* of the result: so many lines with every so many pieces of terms .. */
  int64_t width, elements; /* .. of which a row has so many, of so many elements */
} register_rows;

/* Memory that an op reads, and leaves it to the tiles of a product behind it to ask for what the next iteration of
 * their loop will read; or that of the kernel, from within the last iteration of a loop in it. */
typedef struct register_left {
  const struct register_left *next;
  const ir_op *product;
  ir_op *loop; /* the kernel's; NULL: the product and the reader are in the same loop */
  ir_value *value;
  const ir_attr *ahead; /* how many subscripts further that lies */
  int64_t elements;     /* of a line */
  int64_t lines;
  bool is_own;         /* the product itself is the reader */
  const ir_op *blocks; /* a loop in that one, which goes over the memory again in each iteration; NULL: none */
} register_left;

typedef struct register_nest {
  ir_op *op;
  const target_facts *facts;
  register_plan plan;
  register_group group;
  hidden_terms reduced; /* reductions need run only where this holds; `where` is empty if they need run everywhere */
  register_shown shown;
  bool left_out; /* the tile is where reductions need not run: feeders alone write what they are known to make */
  vector_tile tile;
  unsigned num_inputs, num_outs;
  int64_t uses; /* of what the op computes: more than one for a copy that an op reads more than once */
  ir_index extents[IR_MAX_LOOPS];
  unsigned *depths;   /* by output: the number of loops around its read and write */
  ir_value **panels;  /* by input: the scratch memory of its panels; NULL when it is read in place */
  ir_value *excess;   /* what sums have too much in each of the lanes, where terms of i8 are 128 more than they are in
                         the factor that lanes do not hold (vector_tile.bytes); NULL: nothing */
  ir_value *excesses; /* .. that of all SIMD tiles, memory [tiles][lanes] of the module; NULL: made with the panels */
  ir_index *firsts;   /* by input: the panel of its first SIMD tile, where the module has them all .. */
  uint32_t ready;     /* .. which it has of these inputs (bits) */
  register_ask *asks; /* by input: how the memory of its next panels is asked for; no lines: not */
  unsigned term;      /* the innermost loop of a contraction whose tiles ask with each piece of it .. */
  int64_t terms;      /* .. of so many terms; 0: they do not */
  register_rows rows;
  register_left **left; /* by all ops so far; NULL: this one leaves nothing to others, and asks for nothing of theirs */
  uint32_t packed_before;         /* inputs (bits) with panels for all tiles of the SIMD loop's current segment */
  const register_segment *inside; /* that segment, where each tile of rows meets its tiles in turn; NULL elsewhere */
  const register_segment *block;  /* the rows that meet them in turn, where they do; NULL elsewhere */
} register_nest;

/* Input `i`, to ask of how its memory is asked for. */
static inline register_input register_input_of(const register_nest *nest, unsigned i) {
  return (register_input){nest->op, &nest->plan, nest->facts, i, nest->uses};
}

/* Replaces a structured op by loops over register tiles, and with it the ops that it takes in; none where it copies an
 * input whose elements are used `copied` times, else 0. Its reductions need run only where `reduced` holds; NULL:
 * everywhere. `left`: see register_nest. Returns how many of those came after it. */
unsigned register_tile_op(ir_op *op, const target_facts *facts, const hidden_terms *reduced, int64_t copied,
                          register_left **left);

/* Lets the tile read what the group's feeders make of its part of an input, and stores that for others. */
void register_feed(register_nest *nest, ir_builder *builder);
/* What the tile's output starts from: what the prologue makes, or what is there. */
ir_value *register_begin_output(register_nest *nest, ir_builder *builder, unsigned out);
/* Writes the tile's output after the epilogues; where no mask of one of these cuts the tile, without that mask. */
void register_end_output(register_nest *nest, ir_builder *builder, unsigned out, ir_value *accumulator);
/* Lets the tile ask for memory of the kernel's next iteration where little work is done on it, which would wait for it;
 * what is read before the kernel's loop may be left to that (`left` as in register_nest). */
void register_ask_for_next(ir_op *op, const register_plan *plan, const target_facts *facts, register_left **left,
                           vector_tile *tile);

/* Adds to what the leader's reductions need where an epilogue hides its result, the only trace of it. */
void register_add_hidden_result(register_nest *nest);
/* Narrows the segment of a reduction, which carries accumulators from 0 to its extent one by one, to the iterations in
 * which some element of the tile counts, in whole copies of the unrolled loop. `depth` loops have been entered. */
void register_leave_out_hidden(const register_nest *nest, ir_builder *builder, unsigned depth,
                               register_segment *segment);
/* Finds the masks of a product's epilogue that tiles may be written without. */
void register_find_shown(register_nest *nest);
/* An i1: none of those hides anything of the current tile; NULL where there are none. */
ir_value *register_is_shown(const register_nest *nest, ir_builder *builder);

/* Gives the inputs that the plan packs scratch memory for panels, and copies those that it widens as a whole. */
void register_pack_begin(register_nest *nest, ir_builder *builder);
/* Makes the panels of input `i`, if it is a constant that nobody else reads, a part of the module, of all its columns;
 * false where it is none, or where the tile's columns do not begin with a panel. ir_op.mark of each memref.global is
 * the number of ops that read it. */
bool register_constant_panels(register_nest *nest, ir_builder *builder, unsigned i);
/* How many subscripts further reads of such panels ask for memory; NULL: they do not. And whether they ask for the
 * first cache. */
const ir_attr *register_constant_ahead(const register_nest *nest, unsigned i);
bool register_constant_is_near(const register_nest *nest, unsigned i);
/* The same for the tile as it has become along the loop, where that has an open number of rows. */
void register_constant_ask(register_nest *nest, unsigned loop);
/* Packs for all tiles of a segment of the SIMD loop, which has full ones from 0 on, where memory is there for them. */
void register_pack_before(register_nest *nest, ir_builder *builder, const register_segment *segment);
/* The panels of input `i` for several tiles are all there before the tiles' loops, for each tile of rows to meet. */
bool register_pack_is_inside(const register_nest *nest, unsigned i);
/* Packs at the place just inside of the SIMD loop, or finds there what was packed before it; the tile reads panels. */
void register_pack_inputs(register_nest *nest, ir_builder *builder);
/* The rows of the block at hand are in panels of their own, as the plan has it for full tiles of them. */
bool register_pack_has_rows(const register_nest *nest);
/* Copies those rows into their panels, if they have any. */
void register_pack_rows(register_nest *nest, ir_builder *builder);
/* Lets the tile, just inside of the loop over rows, read its panel of these. */
void register_pack_read_rows(register_nest *nest, ir_builder *builder);
/* The dims of input `i` are loops: those of its panel, in order, that whose tiles have panels last. Returns how
 * many. */
unsigned register_pack_loops(const register_nest *nest, unsigned i, unsigned *loops);
/* Finds how the tiles ask for the next panels of input `i`: a line in each iteration, or two where tiles are few, in
 * the order of memory, so that rows are read in long pieces, and again from the beginning. */
void register_ask_plan_panel(register_nest *nest, unsigned i);
/* Finds whether the tiles ask for input `i`, read once and in place from memory, tile by tile, of which a step of the
 * loop around them is `ahead`; NULL: none. */
bool register_ask_plan_stream(register_nest *nest, unsigned i, const ir_attr *ahead);
/* Asks for what the tile has to of the next panels as it begins, or else the current iteration of it. */
void register_ask_panels(const register_nest *nest, ir_builder *builder, bool begins);
/* Leaves input `i` of an op, of which so much further is to be asked for, to the tiles of a product behind the op, or
 * in the kernel's loop (`in_loop`) behind it; false where none is there. */
bool register_ask_leave(ir_op *op, const target_facts *facts, unsigned i, const ir_attr *ahead, bool in_loop,
                        register_left **left);
/* Finds whether the tiles ask themselves, each line once, for what the next step reads of input `i` in place. */
bool register_ask_plan_own(register_nest *nest, unsigned i);
/* Finds what the tiles ask for with each piece of terms: the next tile's rows of an input, and what is left to them. */
void register_ask_plan_pieces(register_nest *nest);
/* The tile at hand asks for something. */
bool register_asks_here(const register_nest *nest);
/* Asks for the lines of the next tile's rows that the tile at hand has reached in its own, for lines of the result, and
 * for a share of what is left to the tiles. */
void register_ask_pieces(const register_nest *nest, ir_builder *builder);
/* Where rows meet panels in blocks, asks for what the next tile would wait for as it begins: the first line of each of
 * its rows, and the result that it adds to. */
void register_ask_next_tile(register_nest *nest, ir_builder *builder);
/* Columns of terms as rows of which each has the terms multiplied at once, a word of 32 bits, of every column. */
ir_value *register_turn_words(ir_builder *builder, ir_value *columns, int64_t at_once);
/* Takes the current terms, several at a time, of inputs that lanes hold: vectors over lanes and terms. */
void register_pack_read_terms(register_nest *nest, ir_builder *builder);
#endif
