/* layout.h - which register of which lane of which warp holds which element of a tile.
 *
 * A layout is a flat list of mixed-radix digits. Each digit takes a piece of one hardware index and adds it, scaled, to
 * one coordinate:
 *
 *     coord[dim] += (hardware[level] / hardware_stride % size) * dim_stride
 *
 * dim_stride 0 means that the hardware index does not matter there: the value is replicated. All register layouts of
 * matrix units (mma.sync, wgmma, DPAS), of ldmatrix and block loads, and of SIMD tiles are such lists, extents that are
 * no powers of two included. Shared memory additionally needs one exclusive or (layout_shared).
 *
 * Text form: one chain a dim, innermost digit first, dims separated by commas: "[L8@4 R2@2, R2@1 L4@1 R2@4]", where
 * L8@4 is a lane digit of size 8 and hardware stride 4. Dim strides are the running products of the sizes; a digit with
 * another one spells it: "R2@4:16"; a replicated digit is "L4@1:0". Levels: R register, L lane, W warp, B block. */
#ifndef TEC_PASSES_LAYOUT_H
#define TEC_PASSES_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum layout_level { LAYOUT_REGISTER, LAYOUT_LANE, LAYOUT_WARP, LAYOUT_BLOCK, LAYOUT_NUM_LEVELS } layout_level;

enum { LAYOUT_MAX_DIGITS = 48, LAYOUT_MAX_RANK = 8 };

typedef struct layout_digit {
  layout_level level;
  unsigned dim;
  int64_t size, hardware_stride, dim_stride;
} layout_digit;

/* Digits are in no particular order unless coalesced. `fragment` is the number of registers of one instruction's
 * operand: register digits from there on count instructions (the batch digits of the table form). */
typedef struct layout {
  unsigned rank, num_digits;
  int64_t fragment;
  layout_digit digits[LAYOUT_MAX_DIGITS];
} layout;

/* Which of its positions a digit has in a hardware index. */
static inline int64_t layout_position(const layout_digit *digit, int64_t index) {
  return index / digit->hardware_stride % digit->size;
}

/* A layout by its text form, or by its name in layout.def. False for text that is neither, with what is wrong in *why
 * (a constant string). */
bool layout_parse(const char *text, layout *result, const char **why);
enum { LAYOUT_MAX_TEXT = 1024 }; /* room for any text form */
/* The text form; returns the length that it has (as snprintf). */
int layout_print(const layout *l, char *out, size_t capacity);

/* How many values of a hardware index the layout tells apart (1 + the largest digit position). */
int64_t layout_size(const layout *l, layout_level level);
/* The extent of a dim: 1 where it is only replicated. */
int64_t layout_extent(const layout *l, unsigned dim);
/* coord[0 .. rank) of a hardware position. */
void layout_eval(const layout *l, const int64_t hardware[LAYOUT_NUM_LEVELS], int64_t *coord);
/* The hardware position of a coordinate; among replicas the one with all replicated digits 0. */
void layout_invert(const layout *l, const int64_t *coord, int64_t hardware[LAYOUT_NUM_LEVELS]);

/* The canonical form: digits sorted by dim and dim stride, neighbours that continue each other joined, size 1 dropped,
 * replicated digits last. Two layouts are the same map if and only if their canonical forms are equal. */
layout layout_coalesce(const layout *l);
bool layout_equal(const layout *a, const layout *b);
/* Splits the digits of both at the union of their cut points, so that the chains correspond digit by digit. False where
 * the cuts do not nest (2x3 against 3x2). Replicated digits are left out. */
bool layout_refine(const layout *a, const layout *b, layout *refined_a, layout *refined_b);

/* dim i of the result is dim permutation[i] of the operand. */
layout layout_permute(const layout *l, const unsigned *permutation);
/* The layout after a reduction along `dim`: the dim is gone, its lane, warp and block digits stay as replication, its
 * registers are gone and the others close the gaps. */
layout layout_project(const layout *l, unsigned dim);
/* A new dim at position `dim` along which values are replicated in registers nowhere: extent 1. */
layout layout_insert_dim(const layout *l, unsigned dim);
/* counts[dim] copies side by side along each dim, in further registers, dim 0 fastest. */
layout layout_tile(const layout *l, const int64_t *counts);
/* Dim `dim` of extent outer * inner becomes dims (dim, dim + 1) = (outer, inner). False where a digit straddles. */
bool layout_expand(const layout *l, unsigned dim, int64_t inner, layout *result);
/* Dims (dim, dim + 1) become one, row-major. */
layout layout_collapse(const layout *l, unsigned dim);

/* What it takes to bring a value from one layout into another, cheapest first. */
typedef enum layout_conversion {
  LAYOUT_IDENTITY,  /* the same map */
  LAYOUT_REGISTERS, /* each lane has what it needs, in other registers (slices of replicated values included) */
  LAYOUT_SHUFFLE,   /* other lanes of the warp have it */
  LAYOUT_SHARED     /* through shared memory */
} layout_conversion;

layout_conversion layout_classify(const layout *from, const layout *to);
const char *layout_conversion_name(layout_conversion conversion);
/* In which parts of the table form two layouts of one rank differ: "batch" (how often instructions are repeated along a
 * dim), "vector" (registers of one instruction), "lane", in this order and joined by " and "; a constant string, NULL
 * if in none. Extents may differ. */
const char *layout_conflict(const layout *a, const layout *b);
/* The xor offsets of the butterfly that reduces along `dim` across lanes; returns how many. */
unsigned layout_butterflies(const layout *l, unsigned dim, int64_t *offsets);

/* How many registers lie side by side in memory, aligned to as many in all lanes, if coordinate c of a dim adds
 * c * scale[dim] to the place: a power of two, not above `most`. */
int64_t layout_run(const layout *l, const int64_t *scale, int64_t most);

enum {
  LAYOUT_MAX_LANES = 32,
  LAYOUT_CHUNK = 16,   /* bytes of a lane's widest access, and of a swizzle's unit */
  LAYOUT_BANKED = 128, /* bytes of shared memory that are accessed at once */
};

/* How many wavefronts shared memory takes for an access of `bytes` by each lane of a warp, at offset[lane] unless that
 * is negative. Memory has 32 banks of 4 bytes; at most LAYOUT_BANKED are accessed at a time, lane after lane, which
 * takes as many wavefronts as there are different words in the busiest bank. */
int64_t layout_wavefronts(const int64_t *offset, unsigned lanes, int64_t bytes);

/* A tile in shared memory: rows of `pitch` bytes, in chunks of LAYOUT_CHUNK bytes; chunk ^= (row >> shift) & mask. */
typedef struct layout_shared {
  int64_t pitch;
  unsigned shift, mask;
  int64_t box; /* bytes of a row; what is longer goes on in the next of several boxes of all rows. 0: there is one */
} layout_shared;

/* Conflict-free for ldmatrix, and for copies of whole chunks, on rows of `row_bytes` (a multiple of 16), without
 * padding: of an odd number of chunks times 2^n, 8 / 2^n rows follow each other through all banks, and each such group
 * of rows has its chunks in another order. */
layout_shared layout_shared_choose(int64_t row_bytes);
/* The same, in boxes that warpgroups read: of rows as long as their swizzles, 128, 64 or 32 bytes. Rows that are no
 * multiple of these get none. */
layout_shared layout_shared_boxes(int64_t row_bytes);
/* From box to box is a distance like that between banks that are the same. */
int64_t layout_shared_offset(const layout_shared *shared, int64_t row, int64_t byte);
/* The worst number of passes that one 8-row phase of ldmatrix takes: 1 is conflict-free. */
unsigned layout_shared_conflicts(const layout_shared *shared, int64_t row_bytes);

/* The named hardware layouts, layout.def. */
typedef struct layout_row {
  const char *name, *text, *doc;
  int64_t lanes, warps;
} layout_row;
unsigned layout_count(void);
const layout_row *layout_get(unsigned i);

/* For people: the digits as a table of Batch x Lane x Vector columns, the lane that holds each element of a rank-2
 * layout as a grid, and the same as an SVG drawing (lanes coloured, registers labelled). False on a write error. */
bool layout_write_table(FILE *out, const layout *l);
bool layout_write_grid(FILE *out, const layout *l);
bool layout_write_svg(FILE *out, const char *title, const layout *l);
#endif
