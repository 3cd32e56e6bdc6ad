/* target.h - what schedules and backends must know of a machine. One row a chip in target.def; `host` is detected. */
#ifndef TEC_PASSES_TARGET_H
#define TEC_PASSES_TARGET_H
#include "ir/ir.h"

typedef enum target_kind { TARGET_HOST, TARGET_NVPTX, TARGET_SPIRV } target_kind;

/* One product that a matrix unit computes: (m, k) times (k, n), added to (m, n) in f32. Or several of those, which make
 * lanes hold neighbours in memory: they take turns along k, a pair of elements each, or along n, an element each. */
typedef struct target_matrix {
  ir_opcode op;      /* for one lane: nvgpu.mma.sync or xegpu.dpas */
  ir_scalar element; /* of both factors */
  int64_t m, n, k;
  const char *lhs, *rhs, *acc;      /* which lane holds what: names of layout.def */
  const struct target_matrix *unit; /* what takes turns; NULL: nothing */
} target_matrix;

/* Is the right factor's last dim, (k, n) or (n, k), the one along which products take turns? */
static inline bool target_matrix_suits(const target_matrix *matrix, bool depth_last) {
  return !matrix->unit || depth_last == (matrix->k > matrix->unit->k);
}

/* How SPIR-V names what is beyond OpenCL: by functions that Intel's compiler knows, or by instructions of
 * extensions. */
typedef enum target_spelling { SPELLING_IMPORT, SPELLING_OPS } target_spelling;

/* Sizes of tiles around contractions that a user asks for; 0: the schedule's own choice. */
typedef struct target_tiles {
  int64_t rows, columns; /* along the first free loop and the second */
  int64_t reduction;     /* step of a long reduction */
  int64_t softmax;       /* step of a running softmax, and of the contraction that follows */
} target_tiles;

/* A block of a GPU whose warps share a tile with contractions. Warps and rows are powers of two. */
typedef struct target_block {
  unsigned warps;
  int64_t rows, columns, softmax_step; /* of the tile; the last, columns of a step of a running softmax, at most */
} target_block;

/* As many integers as a lane of 32 bits has of each kind. */
enum { TARGET_WORDS = 2, TARGET_BYTES = 4 };

typedef struct target_facts {
  const char *name; /* "host:znver4", "nvptx:sm_80" */
  target_kind kind;
  const char *triple, *cpu, *features; /* LLVM's words; features may be "" */
  unsigned vector_bits;                /* SIMD register width (host) */
  unsigned vector_registers;           /* architectural SIMD registers (host) */
  unsigned accumulators;               /* FMA latency x FMA pipes: independent chains that fill the pipes (host) */
  uint64_t l1_bytes, l2_bytes, l3_bytes;
  bool has_pair_dot;          /* sums of two products of bf16 added to f32, in each lane, and rounding to bf16 (host) */
  bool has_fast_pair_dot;     /* .. which is faster than multiply-adds in f32 where factors are used again (host) */
  unsigned integer_terms;     /* products of i8 whose sums are added to i32 at once, in each lane: TARGET_BYTES as they
                                 are, one factor unsigned, TARGET_WORDS widened to i16; 0: none (host) */
  bool has_matrix_unit;       /* products of bf16 tiles added to f32, 16 x 16 results of 32 terms at once (host) */
  bool has_far_memory;        /* what a core asks for by itself does not fill the time that memory takes (host) */
  bool has_fast_rounding;     /* rounding to whole numbers takes less time than what takes these off (host) */
  bool loses_requests;        /* memory that is asked for ahead faster than it answers does not come (host) */
  bool has_few_streams;       /* memory comes fastest from a few places at once, past the second cache (host) */
  bool has_slow_last_cache;   /* rows of products had better come from the second cache, block by block (host) */
  bool fills_last_cache;      /* .. or from panels: it had better hold many, of rows and columns (host) */
  unsigned threads;           /* cores (host) */
  target_tiles tiles;         /* (host) */
  bool has_binary_softmax;    /* exponentials of softmax are powers of two, if scores are multiplied anyway (host) */
  bool fast_exp;              /* exponentials of f32 may err by 2e-7 of the result (host) */
  unsigned warp;              /* lanes that run in lockstep (GPU) */
  unsigned max_block_threads; /* lanes of one block (GPU) */
  uint64_t shared_bytes;      /* memory that one block can share (GPU) */
  unsigned copy_stages; /* tiles of a loop that are worth being in shared memory at once; 0: no asynchronous copies */
  unsigned
      lane_registers; /* 32-bit registers for what a lane keeps across iterations; the rest is to compute with (GPU) */
  unsigned multiprocessors;  /* that blocks are dealt to; 0: not known, so nothing is split for them (GPU) */
  unsigned registers;        /* 32-bit registers of one multiprocessor (GPU); a lane has at most 255 */
  target_block block;        /* of contractions (GPU) */
  target_block group_block;  /* .. of those that warpgroups do .. */
  target_block narrow_block; /* .. for a running softmax with a state of so few columns */
  target_block lane_block;   /* .. of those in f32 that lanes do, where copies are asynchronous; no warps: none .. */
  target_block lane_softmax_block; /* .. in a running softmax */
  int64_t narrow_columns;
  unsigned warpgroup;            /* warps that multiply together, by 16-bit factors in shared memory; 0: none (GPU) */
  const target_matrix *matrices; /* what the matrix unit can do, the preferred first, of many rows before few (GPU) */
  unsigned num_matrices;
  unsigned num_tf32;        /* further ones behind them, which round factors of f32 to tf32: for those who ask for it */
  target_spelling spelling; /* (SPIR-V) */
  bool has_block_loads;     /* 2-D blocks of memory to registers (SPIR-V) */
  unsigned prefetch_bytes;  /* of a cache's line that each lane can ask for ahead; 0: it cannot (GPU) */
  bool has_predicates;      /* a load under a condition is one instruction, without a branch (GPU) */
  bool has_subgroup_reduce; /* one op combines the values of a warp's lanes (GPU) */
  bool has_vote;            /* a branch by what holds in any lane of a warp costs a few instructions (GPU) */
  bool has_double;          /* f64 (GPU) */
} target_facts;

/* Do warpgroups do products of such elements? */
static inline bool target_has_groups(const target_facts *facts, ir_scalar element) {
  return facts->warpgroup && (element == IR_F16 || element == IR_BF16);
}

/* Do lanes do products of such elements, for want of a matrix unit, in a block of their own? */
static inline bool target_has_lane_block(const target_facts *facts, ir_scalar element) {
  bool in_lanes = facts->lane_block.warps && element == IR_F32;
  for (unsigned i = 0; i < facts->num_matrices; i++)
    in_lanes &= facts->matrices[i].element != element;
  return in_lanes;
}

/* The block for contractions of such elements with so many rows (IR_DYNAMIC: not known), of which a group takes one
 * tile of the matrix unit for each of its warps. */
static inline const target_block *target_block_of(const target_facts *facts, ir_scalar element, int64_t rows) {
  bool groups =
      target_has_groups(facts, element) && (rows == IR_DYNAMIC || rows >= facts->warpgroup * facts->matrices[0].m);
  return groups ? &facts->group_block : target_has_lane_block(facts, element) ? &facts->lane_block : &facts->block;
}

/* The same for a running softmax with a state of so many columns. */
static inline const target_block *target_softmax_block(const target_facts *facts, ir_scalar element, int64_t rows,
                                                       int64_t columns) {
  const target_block *block = target_block_of(facts, element, rows);
  return block == &facts->group_block && columns <= facts->narrow_columns ? &facts->narrow_block
         : block == &facts->lane_block                                    ? &facts->lane_softmax_block
                                                                          : block;
}

/* Shared memory for tiles of one of several blocks, or of one that leaves some for what vectors take on their way from
 * one layout to another. 0 blocks: half. */
static inline int64_t target_tile_bytes(const target_facts *facts, int64_t blocks) {
  int64_t bytes = (int64_t)facts->shared_bytes;
  return blocks == 1 ? bytes - bytes / 8 : bytes / (blocks ? blocks : 2);
}

/* The fewest rows that a product of the matrix unit has. */
static inline int64_t target_least_rows(const target_facts *facts) {
  return facts->matrices[facts->num_matrices - 1].m;
}

/* Do products of such elements come piece by piece to the lanes: from memory that they share or, for the matrix unit,
 * from any? Else lanes multiply themselves, and hold factors beside their sums. */
static inline bool target_has_pieces(const target_facts *facts, ir_scalar element) {
  bool found = facts->copy_stages > 0;
  for (unsigned i = 0; i < facts->num_matrices; i++)
    found |= facts->matrices[i].element == element;
  return found;
}

/* The rows of a warp in products whose sums have so many columns: as many as the matrix unit takes, or half the lanes,
 * but fewer where sums would be more than lanes keep, which is half as much where they multiply themselves. */
static inline int64_t target_warp_rows(const target_facts *facts, ir_scalar element, int64_t columns) {
  bool pieces = facts->num_matrices && target_has_pieces(facts, element);
  int64_t rows = pieces ? facts->matrices[0].m : facts->warp / 2, least = pieces ? target_least_rows(facts) : 1;
  while (rows / 2 >= least && rows * columns / facts->warp * (pieces ? 1 : 2) > facts->lane_registers)
    rows /= 2;
  return rows;
}

/* Products of f32 may round their factors to tf32: the matrix unit's are added to what it can do. */
static inline void target_allow_tf32(target_facts *facts) {
  facts->num_matrices += facts->num_tf32;
  facts->num_tf32 = 0;
}

/* Tiles of products have registers for a power of two of rows, so that neighbours of a factor are read in whole pieces
 * where they are rows, or lanes enough for blocks of rows: the other factor's rows may be in lanes (see orient.c). */
static inline bool target_has_rows_in_lanes(const target_facts *facts) {
  return facts->kind == TARGET_HOST && facts->vector_bits >= 256;
}

/* Shuffles of registers take the place of multiply-adds: there is no pipe beside the two for these. */
static inline bool target_shuffles_in_pipes(const target_facts *facts) {
  return facts->vector_bits == 512 && facts->accumulators > 16;
}

/* Memory answers soon, and registers hold whole rows of keys or several lines of what is next: so these are read in
 * memory's order, and tiles ask for a line of what comes behind them with each term (measured on Zen 4 and 5). */
static inline bool target_has_near_memory(const target_facts *facts) {
  return facts->vector_bits == 512 && !facts->has_far_memory;
}

/* Tiles of products are so small that each takes few multiply-adds with a line of the cache: to ask ahead for as many
 * lines takes as long as to multiply. */
static inline bool target_has_small_tiles(const target_facts *facts) {
  return facts->kind == TARGET_HOST && facts->vector_bits == 256 && facts->vector_registers < 32;
}

/* Tiles of products ask for the memory that comes behind their panels, line by line, while they multiply. */
static inline bool target_asks_by_line(const target_facts *facts) {
  return target_has_near_memory(facts) || target_has_small_tiles(facts);
}

/* The last cache is near enough to feed multiply-adds from, and those are so fast that to read and write from the
 * second-level cache what is accumulated, or to transpose factors, takes longer than that. */
static inline bool target_has_near_last_cache(const target_facts *facts) {
  return target_shuffles_in_pipes(facts) && target_has_near_memory(facts);
}

/* One multiply-add a cycle leaves loads to spare: rows of a product meet the panels of all columns of a tile in turn,
 * read again from the second-level cache, as the last one is not near; and a factor may be read element by element. */
static inline bool target_has_loads_to_spare(const target_facts *facts) {
  return target_has_near_memory(facts) && !target_has_near_last_cache(facts);
}

/* Few rows read panels that are there before the program runs, from memory, as fast as others (register_in_place.c). */
static inline bool target_streams_panels(const target_facts *facts) {
  return target_has_small_tiles(facts) || target_has_loads_to_spare(facts);
}

/* .. and any number of rows does, so that no other code is for few of an open number. */
static inline bool target_streams_panels_for_any(const target_facts *facts) {
  return target_streams_panels(facts) && !facts->has_slow_last_cache;
}

/* Elements come from the first cache one by one as fast as in pieces, so that tiles of products have as many rows as
 * registers hold (attention on 2048 keys 1.01 to 1.02x, causal 1.01 to 1.06x; Granite Rapids). And tiles ask for what
 * they read in place, each line once, while they multiply: memory is far, and they are so large that they have the
 * time. */
static inline bool target_has_large_tiles(const target_facts *facts) {
  return facts->vector_bits == 512 && facts->has_far_memory;
}

/* Rows that begin multiples of so many bytes apart meet in one set of the first-level cache. */
enum { TARGET_PAGE_BYTES = 4096 };

/* The lines of such a set: the cache is as many pages. */
static inline int64_t target_lines_of_set(const target_facts *facts) {
  return facts->l1_bytes > TARGET_PAGE_BYTES ? (int64_t)(facts->l1_bytes / TARGET_PAGE_BYTES) : 2;
}

/* So many of these rows stay there while something else streams through it: where requests get lost, it needs a third
 * of the room. */
static inline int64_t target_rows_of_set(const target_facts *facts) {
  return facts->loses_requests ? target_lines_of_set(facts) * 2 / 3 : target_lines_of_set(facts);
}

/* The most rows of x W^T that may be lanes, so that W is read where it lies, element by element: loads are to spare for
 * that, or tiles are so small that they load as much from panels. Of few rows, to make panels takes longer than loads
 * as many as multiply-adds, which shuffles for panels take the place of. 0: none. */
static inline int64_t target_most_turned_rows(const target_facts *facts) {
  bool has_many = target_has_loads_to_spare(facts) || target_has_small_tiles(facts) || target_shuffles_in_pipes(facts);
  return target_has_near_last_cache(facts) ? 32 : has_many ? 64 : 0;
}

/* Tiles of memory that a loop reads, of added masks say, may be transposed in each step for the sake of rows in lanes:
 * registers are shuffled as fast as they are read (512 to 2048 keys 1.02 to 1.26x over keys in lanes, Zen 5; 1.03 to
 * 1.08x, Zen 4). */
static inline bool target_turns_tiles(const target_facts *facts) { return target_has_near_memory(facts); }

/* Fewer rows fill too little of a matrix unit's tiles. */
enum { TARGET_TILE_ROWS = 16 };

/* The matrix unit can do products of so many rows (IR_DYNAMIC: an open number) of such factors. */
static inline bool target_has_unit_for(const target_facts *facts, ir_scalar lhs, ir_scalar rhs, int64_t rows) {
  return facts->has_matrix_unit && lhs == IR_BF16 && rhs == IR_BF16 && (rows == IR_DYNAMIC || rows >= TARGET_TILE_ROWS);
}

/* Products of so many rows (IR_DYNAMIC: an open number) of such factors read their elements widened to f32: they are no
 * pairs for the machine to multiply, in lanes or in tiles. */
static inline bool target_widens(const target_facts *facts, ir_scalar lhs, ir_scalar rhs, int64_t rows) {
  bool pairs = facts->has_fast_pair_dot && lhs == IR_BF16 && rhs == IR_BF16;
  return !pairs && !target_has_unit_for(facts, lhs, rhs, rows);
}

/* A register of AVX-512 holds all elements of such a table, or two of AVX2 do. */
static inline bool target_has_small_table(const ir_type *type) {
  enum { MOST_ELEMENTS = 16 };
  unsigned bits = ir_scalar_bits(type->element);
  return type->rank == 1 && type->shape[0] >= 1 && type->shape[0] <= MOST_ELEMENTS && bits >= 8 && bits <= 32 &&
         (type->kind == IR_TYPE_TENSOR || (type->kind == IR_TYPE_MEMREF && ir_type_stride(type, 0) == 1));
}

/* The facts of a chip of target.def, "nvptx:sm_80"; false, without a report, if there is none of that name. */
bool target_find(const char *name, target_facts *facts);
#endif
