/* register_plan.h - how the host cuts a structured op on memrefs into register tiles. */
#ifndef TEC_PASSES_REGISTER_PLAN_H
#define TEC_PASSES_REGISTER_PLAN_H
#include "passes/target.h"

static inline int64_t next_power_of_two(int64_t x) {
  int64_t power = 1;
  while (power < x)
    power *= 2;
  return power;
}

/* So many rows, if their number is known, read a factor from memory in place where requests get lost: register tiles
 * ask for what later ones read of it (register_ask.c). More pay for panels. */
enum { REGISTER_STREAM_ROWS = 20 };
/* So many rows of a product are worth meeting panels block by block. */
enum { REGISTER_BLOCKED_ROWS = 256 };
/* Rows are worth copying into panels if they are so many, and meet so many columns. */
enum { REGISTER_PANELED_ROWS = 12, REGISTER_PANELED_COLUMNS = 512 };

/* So many rows pay for packing words of four i8, which are put together by few shuffles; one row alone, of many terms,
 * takes no longer to widen them than memory to bring them (2 rows by 4096 x 4096 1.4 to 1.6 times as fast, 4 rows 1.9 to
 * 3, 6 2.3 to 3.5; Zen 4). */
enum { REGISTER_BYTE_ROWS = 2 };

/* Copies of the innermost loop of most contractions. */
enum { REGISTER_UNROLL = 4 };

typedef struct register_plan {
  unsigned num_loops;
  unsigned order[IR_MAX_LOOPS]; /* the loops, outermost first */
  int64_t steps[IR_MAX_LOOPS];  /* by loop: iterations in a full tile; 1 where the loop is no vector dim */
  unsigned num_dims;
  unsigned dims[IR_MAX_RANK]; /* the loops that are vector dims, outermost first */
  int simd;       /* the loop whose iterations are lanes: the last vector dim but for `paired`; -1 when all is scalar */
  int paired;     /* the reduction of which lanes take several iterations at a time, the last vector dim; -1: there is
                 none */
  int64_t lanes;  /* elements of one register */
  int64_t unroll; /* copies of the innermost loop of a contraction, which the backend makes */
  uint32_t
      partial; /* reductions (bits) of which a tile keeps several results: that in lanes, or several terms at a time */
  uint32_t apart;    /* the SIMD loop (bit), if even iterations come before odd ones in lanes (see vectorize.h) */
  uint32_t packed;   /* inputs (bits) to copy into a panel for each SIMD tile: [its reduction loops][lanes], or
                      [iterations taken at a time][lanes, of these iterations in turn] */
  uint32_t widened;  /* inputs (bits) to copy, widened, before all loops */
  int64_t left_over; /* rows of an open number that have a tile for each number that may be left, at most */
  uint32_t singles;  /* loops (bits) of which open extents leave little behind full tiles, which goes one by one */
  bool is_matrix;    /* the matrix unit does all of it (register_matrix.c), and the rest is not meant */
  bool rows_outside; /* each tile of rows meets panels of several SIMD tiles in turn, where these are made at once */
  int64_t row_block; /* so many rows, tile by tile, meet each panel of these in turn; 0: all of them */
  int row_panels;    /* the input whose rows of a block are copied into panels as well: [tiles][its reduction loops]
                      [rows of a tile]; -1: none */
} register_plan;

/* The iterations of `paired` that lanes take at a time; 1 where there is none. */
static inline int64_t register_plan_terms(const register_plan *plan) {
  return plan->paired < 0 ? 1 : plan->steps[plan->paired];
}
/* The loop over the rows that meet panels in turn, inside of that in lanes. */
static inline unsigned register_plan_row(const register_plan *plan) { return plan->order[plan->num_loops - 2]; }
/* A plan for any structured op with a body. `facts` may leave numbers 0: small ones are assumed. */
register_plan register_plan_make(ir_op *op, const target_facts *facts);
/* Makes the register tile smaller, for an op that computes much with each element: so that the chains of a few
 * registers overlap. `rounds`: two registers side by side become one on the way, by one instruction. */
void register_plan_lighten(const ir_op *op, register_plan *plan, const target_facts *facts, bool rounds);
/* What copies of an input hold: what the body widens its elements to wherever it uses them, or i16 where the machine
 * multiplies pairs of those in place of i8; else the elements. */
ir_scalar register_plan_element(const ir_op *op, unsigned input, const target_facts *facts);
/* Along the loop the operand, on memory, does not move, or by one element. */
bool register_plan_is_dense(const ir_op *op, unsigned operand, unsigned loop);
/* The machine follows by itself what the contraction, one row whose columns are lanes, reads of the other factor. */
bool register_plan_is_followed(const ir_op *op, unsigned simd, const target_facts *facts);
/* Register tiles ask for what later ones read of the operand (register_ask.c), if it is read in place. */
bool register_plan_is_asked_by_tile(const ir_op *op, unsigned operand, const target_facts *facts);
/* Small register tiles take so many rows of a factor beside rows of the other one, where both lie along so many terms.
 * Few terms are soon added up, which pays for few rows (up to 4 queries of 64 features, 8 of 128 1.05 to 1.45 times as
 * fast; x W^T of 2 to 15 rows 1.2 to 1.9 times, of 16 no faster than with rows in lanes; Zen 1). */
bool register_plan_takes_beside(int64_t rows, int64_t terms, const target_facts *facts);
/* As many rows of a contraction's other factor as do not pay for packing this one, whatever its strides are. */
int64_t register_plan_unpacked_rows(const ir_op *contraction, unsigned factor, const target_facts *facts);
/* The operand of a contraction, of f32 or of bf16 that the machine multiplies in pairs, is a constant whose panels are
 * made before the program runs (register_constant.c), as nobody else reads it and terms are known; and on tensors, of
 * which versions for few rows will be made, rows. */
bool register_plan_is_ready(const ir_op *op, unsigned operand, const target_facts *facts);
/* Both factors are of bf16, and the machine adds up products of pairs of their elements in f32. */
bool register_plan_has_pairs(const ir_op *op, const target_facts *facts);
/* The contraction's factors are of i8, and the machine adds up several products of their elements at once, in i32. */
bool register_plan_has_bytes(const ir_op *op, const target_facts *facts);
/* .. widened to i16. */
static inline bool register_plan_has_words(const ir_op *op, const target_facts *facts) {
  return facts->integer_terms == TARGET_WORDS && register_plan_has_bytes(op, facts);
}
/* Few rows meet those panels as a stream from memory (see planner_streams_panels). */
bool register_plan_streams_panels(const ir_op *op, unsigned operand, const target_facts *facts);
/* What copies of a part of an operand may take of the second-level cache, where other memory is used in between. */
int64_t register_plan_panel_bytes(const target_facts *facts);
/* .. and what those of several SIMD tiles may, in the cache that holds them. */
int64_t register_plan_panels_bytes(const target_facts *facts);
/* The last cache is known to hold what the value is a part of. */
bool register_plan_is_near(const ir_value *value, const target_facts *facts);
/* .. or known not to. */
bool register_plan_lies_in_memory(const ir_value *value, const target_facts *facts);
/* What the value is a part of, and another as large, as keys and values are, are no less than that, or open. */
bool register_plan_fills_last_cache(const ir_value *value, const target_facts *facts);
/* One thread copies what comes from memory into panels of the last cache, for fewer rows and for more than several
 * threads, which wait for memory together. */
bool register_plan_copies_from_memory(const ir_value *value, const target_facts *facts);
/* The iterations of a reduction for which a panel of any element type stays in the second-level cache with all else. */
int64_t register_plan_longest_panel(const target_facts *facts);
/* The same where one panel of f32 at a time is all that stays there, and the lanes of that panel. */
int64_t register_plan_lone_panel(const target_facts *facts);
int64_t register_plan_panel_columns(const target_facts *facts);
/* The most terms of a product's panels that blocks of rows meet in turn, 0 where the last cache is as fast without; and
 * what all panels of a tile may take of that cache then. */
int64_t register_plan_blocked_terms(const target_facts *facts);
int64_t register_plan_blocked_bytes(const target_facts *facts);
/* The extent of a loop of the op, or what it is at most; INT64_MAX when nothing is known. */
int64_t register_plan_bound(const ir_op *op, unsigned loop);
/* Tiles that make what the op makes would compute functions that become polynomials: any, or where there are registers
 * for some, those whose value few elements share. */
bool register_plan_has_functions(const ir_op *maker, const target_facts *facts);

/* Products of the matrix unit (register_matrix.c). */
/* A contraction on memrefs that the matrix unit does: of bf16 with sums of f32, a known number of terms, and enough
 * rows and columns, whose factors leave room for their copies in the second-level cache. */
bool register_matrix_takes(ir_op *op, const target_facts *facts);
/* Sums of all terms are made at once, so that they may start from 0 in registers. */
bool register_matrix_sums_at_once(const ir_op *op);
/* Replaces such a contraction. `starts_from_zero`: whatever its output holds. */
void register_matrix_lower(ir_op *op, const target_facts *facts, bool starts_from_zero);
#endif
