/* anchor.c - layouts of contractions and of vectors that stand alone; see anchor.h.
 *
 * Invariants
 *  - Chains of digits are built from the inside of a dim outwards, so that each digit's dim stride is the extent so
 *  far.
 *  - Tiles of a result's row lie in consecutive registers, rows of tiles one after the other: so the result of one
 *    contraction is the left factor of another as it is.
 *  - Warps share rows first: then reductions along rows stay within a warp. Those of a warpgroup have neighbouring
 *    tiles of rows, as its products want.
 * Terminates: loops over dims. */
#include "passes/anchor.h"

#include "passes/alignment.h"

#include <assert.h>
#include <string.h>

enum {
  ACCESS_BITS = 128,    /* the widest access of a lane */
  PRODUCT_COLUMNS = 8,  /* lanes along the columns of a product without matrix units */
  BROADCAST_LANES = 32, /* of warps whose lanes get the same words of shared memory at once, two by two */
};

/* Adds a digit at the outer end of a dim. */
static void append(layout *l, unsigned dim, layout_level level, int64_t size, int64_t hardware_stride) {
  assert(l->num_digits < LAYOUT_MAX_DIGITS);
  if (size > 1) {
    int64_t extent = layout_extent(l, dim);
    l->digits[l->num_digits++] = (layout_digit){level, dim, size, hardware_stride, extent};
  }
}

static void append_registers(layout *l, unsigned dim, int64_t size) {
  append(l, dim, LAYOUT_REGISTER, size, layout_size(l, LAYOUT_REGISTER));
}

static void replicate(layout *l, layout_level level, int64_t size, int64_t hardware_stride) {
  assert(l->num_digits < LAYOUT_MAX_DIGITS);
  if (size > 1)
    l->digits[l->num_digits++] = (layout_digit){level, 0, size, hardware_stride, 0};
}

/* ------------------------------------------------------------------------------------------------- vectors alone */

/* How lanes and warps are dealt to a vector that nothing else places. */
typedef struct spreading {
  int64_t run;        /* at most so many elements of the last dim side by side in a lane */
  int64_t last_lanes; /* and so many lanes along it */
  int64_t apart;      /* neighbouring lanes have rows this far from each other, that lanes or registers have */
  bool warps_within;  /* warps have neighbouring rows, and registers rows further apart, not the other way round */
} spreading;

static layout spread(const ir_type *type, const anchor_lanes *lanes, const spreading *how) {
  layout l = {.rank = type->rank, .fragment = 1};
  int64_t rest[LAYOUT_MAX_RANK] = {0}, warps[LAYOUT_MAX_RANK] = {0}, left = lanes->warp;
  for (unsigned dim = 0; dim < type->rank; dim++)
    rest[dim] = type->shape[dim];
  for (unsigned dim = type->rank; dim-- > 0;) {
    bool last = dim + 1 == type->rank;
    if (last) {
      l.fragment = alignment_power(rest[dim], how->run);
      append_registers(&l, dim, l.fragment);
      rest[dim] /= l.fragment;
    }
    int64_t here = alignment_power(rest[dim], last && how->last_lanes < left ? how->last_lanes : left);
    int64_t between = last || here == 1 ? 1 : how->apart;
    if (between >= here && rest[dim] / here % between == 0) {
      append_registers(&l, dim, between);
      rest[dim] /= between;
    }
    between = between < here ? between : 1;
    append(&l, dim, LAYOUT_LANE, between, lanes->warp / left * (here / between));
    append(&l, dim, LAYOUT_LANE, here / between, lanes->warp / left);
    rest[dim] /= here;
    left /= here;
  }
  int64_t warps_left = lanes->warps, stride = 1;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    warps[dim] = alignment_power(rest[dim], warps_left);
    warps_left /= warps[dim];
  }
  for (unsigned dim = type->rank; !how->warps_within && dim-- > 0;)
    append_registers(&l, dim, rest[dim] / warps[dim]);
  for (unsigned dim = 0; dim < type->rank; dim++) {
    append(&l, dim, LAYOUT_WARP, warps[dim], stride);
    stride *= warps[dim];
  }
  for (unsigned dim = type->rank; how->warps_within && dim-- > 0;)
    append_registers(&l, dim, rest[dim] / warps[dim]);
  replicate(&l, LAYOUT_LANE, left, lanes->warp / left);
  replicate(&l, LAYOUT_WARP, warps_left, stride);
  return l;
}

static int64_t widest_run(const ir_type *type) { return ACCESS_BITS / ir_scalar_bits(type->element); }

layout anchor_vector(const ir_type *type, const anchor_lanes *lanes) {
  return spread(type, lanes, &(spreading){.run = widest_run(type), .last_lanes = lanes->warp, .apart = 1});
}

layout anchor_summed(const ir_type *type, const anchor_lanes *lanes) {
  ir_type sums = *type;
  sums.rank--;
  sums.shape = type->shape + 1;
  int64_t run = ir_type_num_elements(&sums) / (lanes->warp * lanes->warps), most = widest_run(type);
  run = run < 1 ? 1 : run < most ? run : most;
  layout l = spread(&sums, lanes, &(spreading){.run = run, .last_lanes = lanes->warp, .apart = 1});
  l = layout_insert_dim(&l, 0);
  append_registers(&l, 0, type->shape[0]);
  return l;
}

layout anchor_copy(const ir_type *type, const anchor_lanes *lanes, int64_t run, int64_t apart) {
  return spread(type, lanes, &(spreading){run, lanes->warp, apart, true});
}

/* --------------------------------------------------------------------------------------------------- contractions */

bool anchor_find_product(const ir_op *contract, anchor_product *p) {
  static const unsigned kinds[] = {
      [1 << 0 | 1 << 2] = ANCHOR_ROWS, [1 << 1 | 1 << 2] = ANCHOR_COLUMNS, [1 << 0 | 1 << 1] = ANCHOR_DEPTH};
  unsigned num_loops = ir_contract_map(contract, 0)->num_dims, seen = 0;
  if (num_loops != 3)
    return false;
  for (unsigned loop = 0; loop < 3; loop++) {
    unsigned operands = 0;
    int64_t extent = 0;
    for (unsigned i = 0; i < 3; i++) {
      int dim = ir_map_find_dim(ir_contract_map(contract, i), loop);
      if (dim < 0)
        continue;
      operands |= ir_bit(i);
      extent = ir_operand(contract, i)->type->shape[dim];
    }
    if (operands != 3 && operands != 5 && operands != 6)
      return false;
    seen |= ir_bit(kinds[operands]);
    p->loops[kinds[operands]] = loop;
    p->extents[kinds[operands]] = extent;
  }
  const unsigned loops[3][2] = {
      {ANCHOR_ROWS, ANCHOR_DEPTH}, {ANCHOR_DEPTH, ANCHOR_COLUMNS}, {ANCHOR_ROWS, ANCHOR_COLUMNS}};
  for (unsigned i = 0; seen == 7 && i < 3; i++)
    for (unsigned side = 0; side < 2; side++)
      p->dims[i][side] = (unsigned)ir_map_find_dim(ir_contract_map(contract, i), p->loops[loops[i][side]]);
  return seen == 7;
}

int64_t anchor_contraction_warps(const ir_op *contract, const target_facts *facts) {
  anchor_product p;
  if (!anchor_find_product(contract, &p))
    return INT64_MAX;
  int64_t rows = target_warp_rows(facts, ir_operand(contract, 0)->type->element, p.extents[ANCHOR_COLUMNS]);
  return p.extents[ANCHOR_ROWS] % rows == 0 ? alignment_power(p.extents[ANCHOR_ROWS] / rows, INT64_C(1) << 30)
                                            : INT64_MAX;
}

/* Is `dim` of a factor, a matrix, the last one of what it was read from, as far as a transposition after that shows? */
static bool reads_along(const ir_value *factor, unsigned dim) {
  bool transposed = ir_made_by(factor, OP_VECTOR_TRANSPOSE);
  return (dim == 1) != transposed;
}

bool anchor_fits(const ir_op *contract, const anchor_product *p, const target_matrix *matrix) {
  return target_matrix_suits(matrix, reads_along(ir_operand(contract, 1), p->dims[1][0])) &&
         ir_operand(contract, 0)->type->element == matrix->element &&
         ir_operand(contract, 1)->type->element == matrix->element &&
         ir_operand(contract, 2)->type->element == IR_F32 &&
         !strcmp(ir_attr_string_or(contract, "kind", "add"), "add") && p->extents[ANCHOR_ROWS] % matrix->m == 0 &&
         p->extents[ANCHOR_COLUMNS] % matrix->n == 0 && p->extents[ANCHOR_DEPTH] % matrix->k == 0;
}

/* Of products that have more rows and those that have fewer, the former, unless warps would share them. */
static bool keeps_warps_busy(const anchor_product *p, const target_matrix *matrix, const anchor_lanes *lanes) {
  return matrix->m == target_least_rows(lanes->facts) || p->extents[ANCHOR_ROWS] / matrix->m >= lanes->warps;
}

/* A fragment of matrix units, `across` copies along `inner` in consecutive registers. */
static layout tile_fragment(const char *name, unsigned inner, int64_t across) {
  layout l;
  const char *why;
  bool good = layout_parse(name, &l, &why);
  assert(good);
  (void)good;
  int64_t copies[2] = {1, 1};
  copies[inner] = across;
  return layout_tile(&l, copies);
}

/* Tiles of rows: neighbours are those of the warps of a group, then come those of each lane, then those of the rest. */
static void append_rows(layout *l, int64_t group, int64_t tiles, int64_t warps) {
  append(l, 0, LAYOUT_WARP, group, 1);
  append_registers(l, 0, tiles);
  append(l, 0, LAYOUT_WARP, warps / group, group);
}

static void matrix_layouts(const anchor_product *p, const target_matrix *matrix, const anchor_lanes *lanes,
                           layout layouts[3]) {
  int64_t row_tiles = p->extents[ANCHOR_ROWS] / matrix->m, column_tiles = p->extents[ANCHOR_COLUMNS] / matrix->n;
  int64_t depth_tiles = p->extents[ANCHOR_DEPTH] / matrix->k;
  int64_t row_warps = alignment_power(row_tiles, lanes->warps);
  int64_t column_warps = alignment_power(column_tiles, lanes->warps / row_warps);
  int64_t shared = row_warps * column_warps, idle = lanes->warps / shared;
  row_tiles /= row_warps;
  column_tiles /= column_warps;
  layout lhs = tile_fragment(matrix->lhs, 1, depth_tiles), rhs = tile_fragment(matrix->rhs, 0, depth_tiles);
  layout acc = tile_fragment(matrix->acc, 1, column_tiles);
  int64_t group = target_has_groups(lanes->facts, matrix->element) ? lanes->facts->warpgroup : 1;
  group = row_warps % group ? 1 : group;
  append_rows(&lhs, group, row_tiles, row_warps);
  append_registers(&rhs, 1, column_tiles);
  replicate(&lhs, LAYOUT_WARP, lanes->warps / row_warps, row_warps);
  append(&rhs, 1, LAYOUT_WARP, column_warps, row_warps);
  replicate(&rhs, LAYOUT_WARP, row_warps, 1);
  replicate(&rhs, LAYOUT_WARP, idle, shared);
  append_rows(&acc, group, row_tiles, row_warps);
  append(&acc, 1, LAYOUT_WARP, column_warps, row_warps);
  replicate(&acc, LAYOUT_WARP, idle, shared);
  layouts[0] = layout_permute(&lhs, p->dims[0]);
  layouts[1] = layout_permute(&rhs, p->dims[1]);
  layouts[2] = layout_permute(&acc, p->dims[2]);
}

/* Lanes in another order: bit `from` of their number is bit bits[from] in the result. */
static layout reorder_lanes(const layout *l, const unsigned *bits) {
  layout result = {.rank = l->rank, .fragment = l->fragment};
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit digit = l->digits[i];
    unsigned bit = 0;
    if (digit.level != LAYOUT_LANE) {
      result.digits[result.num_digits++] = digit;
      continue;
    }
    while (INT64_C(1) << bit < digit.hardware_stride)
      bit++;
    for (int64_t part = 1; part < digit.size; part *= 2) {
      assert(result.num_digits < LAYOUT_MAX_DIGITS);
      result.digits[result.num_digits++] =
          (layout_digit){LAYOUT_LANE, digit.dim, 2, INT64_C(1) << bits[bit++], digit.dim_stride * part};
    }
  }
  return result;
}

/* Sums of products that lanes do. Shared memory serves half a warp at once, in pieces of 16 bytes, where each lane
 * wants the same as the next one or as the next but one: so neighbours share rows, and the next but one columns. */
static layout sums_of_lanes(const ir_type *type, ir_scalar element, const anchor_lanes *lanes) {
  static const unsigned bits[] = {0, 2, 3, 1, 4};
  layout l = spread(type, lanes, &(spreading){.run = widest_run(type), .last_lanes = PRODUCT_COLUMNS, .apart = 1});
  bool is_served = target_has_lane_block(lanes->facts, element) && lanes->warp == BROADCAST_LANES;
  return is_served ? reorder_lanes(&l, bits) : l;
}

bool anchor_contraction(const ir_op *contract, const anchor_lanes *lanes, const layout *lhs, layout layouts[3]) {
  anchor_product p;
  layout found[3];
  bool any = false;
  layout_conversion cost = LAYOUT_SHARED, least = LAYOUT_SHARED;
  bool is_product = anchor_find_product(contract, &p);
  for (unsigned i = 0; is_product && i < lanes->facts->num_matrices; i++) {
    const target_matrix *matrix = &lanes->facts->matrices[i];
    if (!anchor_fits(contract, &p, matrix) || !keeps_warps_busy(&p, matrix, lanes))
      continue;
    matrix_layouts(&p, matrix, lanes, found);
    cost = lhs ? layout_classify(lhs, &found[0]) : LAYOUT_IDENTITY;
    if (any && cost >= least)
      continue;
    memcpy(layouts, found, sizeof found);
    least = cost;
    any = true;
  }
  if (any)
    return true;
  const ir_type *acc = ir_operand(contract, 2)->type;
  layouts[2] = sums_of_lanes(acc, ir_operand(contract, 0)->type->element, lanes);
  return false;
}
