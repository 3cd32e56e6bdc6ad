/* register_matrix.c - contractions of bf16 on memrefs become loops over products of the host's matrix unit, 16 rows by
 * 16 columns by 32 terms each.
 *
 *     panel[c / 16][t / 2] = columns c .. c + 15, of each the terms t and t + 1;
 *     for row, column step 32 { four sums of 16 x 16 = out, or 0; for term step 32 { .. += lhs * panel }; out = .. }
 *
 * The rows' factor is read where it lies, but where a block's rows would meet in few sets of the first-level cache:
 * these are copied for all columns, tile by tile (2048^3 and 1024 x 2048 x 512 1.1x). The columns' factor is put into a
 * panel of pairs of terms, as the unit takes it: by transposing pairs in registers where terms are neighbours in
 * memory, by interleaving two rows of it where columns are. Two by two sums take as many loads of tiles as products; a
 * panel has all columns that a quarter of the second-level cache has room for, and 512 terms are multiplied at a time,
 * so that rows of them stay in the first one. Panels that do not stay there as well are read past it (2048^3 1.1x;
 * Granite Rapids).
 *
 * Invariants
 *  - Tiles are whole, so that one configuration of the unit serves a whole function. Terms that a tile has too many are
 *    zeros in both factors, which takes a copy of the rows' factor. Rows and columns that it has too many are left out
 *    where its sums go through a tile of scratch memory.
 *  - No memory is read that the op does not read, and none is written that it does not write.
 * Terminates: loops over the loops of one op; what it makes is copies, which are lowered as all others. */
#include "passes/memory.h"
#include "passes/register_nest.h"

enum {
  SIDE = 16,            /* rows and columns of a product of the unit .. */
  TERMS = 32,           /* .. and its terms */
  BLOCK = 2 * SIDE,     /* rows and columns of two by two of them */
  TILES = BLOCK / SIDE, /* .. along each */
  MOST_TERMS = 512,     /* of a row, at a time: the first-level cache holds a block's rows and columns of so many */
  UNROLL = 4,           /* steps of terms */
  CROWDED_BYTES = 2048, /* rows that lie multiples of it apart meet in few sets of the first-level cache, .. */
  MANY_COLUMNS = 256,   /* .. which so many columns pay for copying rows for */
};

typedef struct matrix_nest {
  ir_op *op;
  const target_facts *facts;
  unsigned row, column, term; /* loops */
  unsigned rows_side;         /* the factor that has rows, 0 or 1 */
  ir_index rows, columns;
  int64_t most_rows, most_columns; /* INT64_MAX: not known */
  int64_t terms;
  int64_t padded;            /* terms in whole tiles */
  int64_t width;             /* columns of a panel, whole blocks of them */
  bool starts_from_zero;     /* the sums do; else from what is there */
  ir_value *lhs, *rhs, *out; /* (row, term), (column, term) or (term, column), (row, column) */
  bool is_copied;            /* lhs has whole blocks of rows, and whole tiles of terms */
  ir_value *panel;           /* (columns / SIDE, padded / 2, TERMS) */
  ir_value *copy;            /* (rows, padded): of lhs, or else of what it has behind whole blocks; or NULL */
  ir_value *strip;           /* (terms at once / TERMS, BLOCK, TERMS): a block's rows of lhs, tile by tile; or NULL */
  ir_value *edge;            /* (BLOCK, BLOCK): sums on their way to less than a block; or NULL */
} matrix_nest;

static int64_t round_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

/* ---------------------------------------------------------------------------------------------------------- whether */

/* The operand has unit stride along the loop, its last subscript. */
static bool ends_in(const ir_op *op, unsigned operand, unsigned loop) {
  const ir_map *map = ir_structure_of(op)->maps[operand];
  const ir_type *type = ir_operand(op, operand)->type;
  return type->kind == IR_TYPE_MEMREF && map->num_results &&
         ir_map_result_dim(map, map->num_results - 1) == (int)loop && ir_type_stride(type, map->num_results - 1) == 1;
}

/* The loops of rows, columns and terms; false where there are none. Of several loops that only the rows' factor has the
 * longest is rows. */
static bool find_loops(matrix_nest *nest) {
  const ir_op *op = nest->op;
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *out = structure->maps[2];
  int64_t most = 0;
  if (!out->num_results)
    return false;
  nest->column = (unsigned)ir_map_result_dim(out, out->num_results - 1);
  int side = ir_loop_side(structure, nest->column), row = -1, term = -1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int64_t bound = register_plan_bound(op, loop);
    if (ir_loop_is_reduction(structure, loop)) {
      if (term >= 0)
        return false;
      term = (int)loop;
    } else if (ir_loop_side(structure, loop) == 1 - side && bound > most) {
      row = (int)loop;
      most = bound;
    }
  }
  if (side < 0 || row < 0 || term < 0 || ir_loop_side(structure, (unsigned)term) >= 0)
    return false;
  nest->row = (unsigned)row;
  nest->term = (unsigned)term;
  nest->rows_side = 1 - (unsigned)side;
  nest->most_rows = most;
  nest->most_columns = register_plan_bound(op, nest->column);
  nest->terms = ir_loop_size(op, nest->term);
  return true;
}

/* The unit can do the contraction, and there is enough of it. */
static bool is_suited(matrix_nest *nest) {
  ir_op *op = nest->op;
  if (!ir_is_contraction(op) || ir_operand(op, 2)->type->kind != IR_TYPE_MEMREF ||
      ir_operand(op, 2)->type->element != IR_F32 || !find_loops(nest))
    return false;
  for (unsigned i = 0; i < 2; i++)
    if (ir_operand(op, i)->type->element != IR_BF16 || register_plan_element(op, i, nest->facts) != IR_F32)
      return false;
  unsigned columns_side = 1 - nest->rows_side;
  return nest->most_rows >= SIDE && nest->most_columns >= SIDE && nest->terms >= SIDE &&
         ends_in(op, nest->rows_side, nest->term) && ends_in(op, 2, nest->column) &&
         (ends_in(op, columns_side, nest->term) || ends_in(op, columns_side, nest->column));
}

/* Sizes of panels and copies; false where memory would be too much. */
static bool choose_sizes(matrix_nest *nest) {
  int64_t bytes = ir_scalar_bytes(IR_BF16), most = register_plan_panel_bytes(nest->facts);
  if (nest->terms > most / (BLOCK * bytes))
    return false;
  nest->padded = round_up(nest->terms, TERMS);
  int64_t fitting = most / (nest->padded * bytes) / BLOCK * BLOCK;
  bool fits = nest->most_columns <= fitting;
  nest->width = fits ? round_up(nest->most_columns, BLOCK) : fitting < BLOCK ? BLOCK : fitting;
  nest->is_copied = nest->terms % TERMS != 0;
  int64_t rows = nest->is_copied ? nest->most_rows : BLOCK, room = (int64_t)nest->facts->l2_bytes;
  return rows <= room / (nest->padded * bytes);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* The operand as a matrix over two loops, the second along memory, where all other loops are at `starts`. */
static ir_value *matrix_of(ir_builder *builder, const ir_op *op, unsigned operand, unsigned major, unsigned minor,
                           const ir_index *starts) {
  ir_value *whole = ir_operand(op, operand);
  const ir_type *type = whole->type;
  const ir_map *map = ir_structure_of(op)->maps[operand];
  ir_index offsets[IR_MAX_RANK] = {0}, sizes[IR_MAX_RANK];
  unsigned kept[2] = {0};
  if (type->rank == 2)
    return whole;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(map, dim);
    if (loop == major || loop == minor) {
      sizes[dim] = ir_dim(builder, whole, dim);
      kept[loop == minor] = dim;
    } else {
      sizes[dim] = ir_index_const(1);
      offsets[dim] = starts[loop];
    }
  }
  return ir_subview_of_dims(builder, whole, offsets, sizes, NULL, 2, kept);
}

static ir_value *part_of(ir_builder *builder, ir_value *matrix, ir_index row, ir_index column, ir_index rows,
                         ir_index columns) {
  return ir_subview(builder, matrix, (ir_index[]){row, column}, (ir_index[]){rows, columns});
}

/* Copies rows of lhs to the beginning of `copy`, whose other terms are 0. */
static void copy_rows(const matrix_nest *nest, ir_builder *builder, ir_value *copy, ir_index from, ir_index rows) {
  ir_index zero = ir_index_const(0), terms = ir_index_const(nest->terms);
  if (nest->padded > nest->terms) {
    ir_value *rest = part_of(builder, copy, zero, terms, rows, ir_index_const(nest->padded - nest->terms));
    ir_value *number = ir_const(builder, ir_type_scalar(builder->module, IR_BF16), 0);
    register_tile_op(ir_structured(builder, OP_LINALG_FILL, 1, &number, 1, &rest, 0, NULL), nest->facts, NULL, 1, NULL);
  }
  ir_value *source = part_of(builder, nest->lhs, from, zero, rows, terms);
  ir_value *target = part_of(builder, copy, zero, zero, rows, terms);
  ir_op *move = ir_structured(builder, OP_LINALG_COPY, 1, &source, 1, &target, 0, NULL);
  register_tile_op(move, nest->facts, NULL, 1, NULL);
}

/* ------------------------------------------------------------------------------------------------------------ panel */

/* Iterations of a loop in whole steps, or what is left behind them. */
typedef struct part {
  ir_index from, to;
  int64_t step;
  bool is_edge; /* a step reaches beyond the extent */
} part;

/* The builder goes on inside of a loop over the part, whose index is returned. */
static ir_index enter(ir_builder *builder, const part *part) {
  if (!part->from.value && !part->to.value && part->to.constant - part->from.constant <= part->step)
    return part->from;
  return ir_enter_for(builder, part->from, part->to, part->step);
}

/* Cuts the extent in whole steps and what is left; returns how many of both there may be. */
static unsigned cut(ir_builder *builder, ir_index extent, int64_t step, part parts[2]) {
  unsigned count = 0;
  ir_index whole = register_whole_tiles(builder, extent, step);
  if (!ir_index_is_const(whole, 0))
    parts[count++] = (part){ir_index_const(0), whole, step, false};
  if (!ir_index_equal(whole, extent))
    parts[count++] = (part){whole, extent, step, true};
  return count;
}

/* What a step of the part has. */
static ir_index size_of(ir_builder *builder, const part *part) {
  return part->is_edge ? ir_index_sub(builder, part->to, part->from) : ir_index_const(part->step);
}

/* Reads a vector of the matrix, with 0 beyond its end along a dim where that is an edge. */
static ir_value *read_block(ir_builder *builder, ir_value *matrix, const int64_t *shape, const ir_index *at,
                            const bool *is_edge) {
  ir_value *indices[] = {ir_index_value(builder, at[0]), ir_index_value(builder, at[1])};
  const ir_type *type = ir_type_vector(builder->module, matrix->type->element, 2, shape);
  return ir_result(ir_transfer(builder, OP_VECTOR_TRANSFER_READ, type, NULL, matrix, indices, NULL,
                               (bool[]){!is_edge[0], !is_edge[1]}),
                   0);
}

/* Writes rows of pairs of 16 columns, a vector (pairs, TERMS), to the panel. */
static void write_pairs(const matrix_nest *nest, ir_builder *builder, ir_value *pairs, ir_index column, ir_index term) {
  ir_value *indices[] = {ir_index_value(builder, ir_index_floordiv(builder, column, SIDE)),
                         ir_index_value(builder, ir_index_floordiv(builder, term, 2)), ir_const_index(builder, 0)};
  ir_transfer(builder, OP_VECTOR_TRANSFER_WRITE, pairs->type, pairs, nest->panel, indices, NULL, NULL);
}

/* Terms are neighbours in memory: 16 columns of 32 terms are transposed as 16 pairs of each. */
static void pack_columns(const matrix_nest *nest, ir_builder *builder, ir_index first, ir_index column, ir_index term,
                         const bool *is_edge) {
  ir_value *rows = read_block(builder, nest->rhs, (int64_t[]){SIDE, TERMS},
                              (ir_index[]){ir_index_add(builder, first, column), term}, is_edge);
  write_pairs(nest, builder, register_turn_words(builder, rows, 2), column, term);
}

/* Columns are: two terms of 16 of them are interleaved. */
static void pack_terms(const matrix_nest *nest, ir_builder *builder, ir_index first, ir_index column, ir_index term,
                       const bool *is_edge) {
  ir_module *module = builder->module;
  ir_value *rows =
      read_block(builder, nest->rhs, (int64_t[]){2, SIDE}, (ir_index[]){term, ir_index_add(builder, first, column)},
                 (bool[]){is_edge[1], is_edge[0]});
  ir_value *both[] = {ir_vector_row(builder, rows, 0), ir_vector_row(builder, rows, 1)};
  const ir_type *row = ir_type_vector(module, IR_BF16, 1, (int64_t[]){TERMS});
  ir_value *pairs = ir_create(builder, OP_VECTOR_INTERLEAVE, row, 2, both, 0, NULL);
  write_pairs(nest, builder,
              ir_unary(builder, OP_VECTOR_SHAPE_CAST, pairs, ir_type_vector(module, IR_BF16, 2, (int64_t[]){1, TERMS})),
              column, term);
}

/* The terms in steps of as many as are packed at once, up to whole tiles. */
static unsigned cut_terms(const matrix_nest *nest, ir_builder *builder, int64_t step, part parts[2]) {
  unsigned count = cut(builder, ir_index_const(nest->terms), step, parts);
  int64_t whole = nest->terms / step * step;
  if (nest->padded > whole)
    parts[whole > 0] = (part){ir_index_const(whole), ir_index_const(nest->padded), step, true};
  return nest->padded > whole ? (whole > 0) + 1u : count;
}

/* Fills the panel with `count` columns from `first` on, in the order of memory. */
static void pack(const matrix_nest *nest, ir_builder *builder, ir_index first, ir_index count) {
  bool by_columns = ends_in(nest->op, 1 - nest->rows_side, nest->term);
  part columns[2], terms[2];
  unsigned num_columns = cut(builder, count, SIDE, columns);
  unsigned num_terms = cut_terms(nest, builder, by_columns ? TERMS : 2, terms);
  for (unsigned i = 0; i < num_columns; i++)
    for (unsigned k = 0; k < num_terms; k++) {
      ir_builder inside = *builder;
      bool is_edge[] = {columns[i].is_edge, terms[k].is_edge};
      ir_index column = by_columns ? enter(&inside, &columns[i]) : ir_index_const(0), term = enter(&inside, &terms[k]);
      if (!by_columns)
        column = enter(&inside, &columns[i]);
      (by_columns ? pack_columns : pack_terms)(nest, &inside, first, column, term, is_edge);
    }
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* A block of rows and columns: where its factor, panel and sums are. */
typedef struct block {
  ir_value *lhs;    /* or the strip */
  ir_index row;     /* in lhs */
  ir_index column;  /* in the panel */
  ir_index term;    /* the first one to multiply, .. */
  int64_t terms;    /* .. of so many */
  ir_value *out;    /* where sums go .. */
  ir_index at[2];   /* .. from this row and column on */
  int64_t tiles[2]; /* along rows and columns */
  bool starts_from_zero;
} block;

static const ir_type *tile_type(ir_builder *builder, ir_scalar element, int64_t columns) {
  return ir_type_tile(builder->module, element, SIDE, columns);
}

/* The tile of the matrix, or of the panel, at the indices. */
static ir_value *load_tile(ir_builder *builder, ir_value *memref, const ir_index *at, int64_t columns) {
  ir_value *operands[4] = {memref};
  unsigned rank = memref->type->rank;
  for (unsigned i = 0; i < rank; i++)
    operands[1 + i] = ir_index_value(builder, at[i]);
  return ir_create(builder, OP_AMX_TILE_LOAD, tile_type(builder, memref->type->element, columns), 1 + rank, operands, 0,
                   NULL);
}

static ir_index tile_index(ir_builder *builder, ir_index at, int64_t tile) {
  return ir_index_add(builder, at, ir_index_const(tile * SIDE));
}

/* The first-level cache holds less than a panel, which each block of rows meets from its beginning to its end. */
static bool is_streamed(const matrix_nest *nest) {
  return (uint64_t)(nest->width * nest->padded) * ir_scalar_bytes(IR_BF16) > nest->facts->l1_bytes;
}

/* Tile `i` of the block's rows. */
static ir_value *load_rows(const matrix_nest *nest, ir_builder *builder, const block *b, int64_t i, ir_index term) {
  ir_index row = tile_index(builder, b->row, i), in_strip = ir_index_sub(builder, term, b->term);
  return b->lhs == nest->strip
             ? load_tile(builder, b->lhs,
                         (ir_index[]){ir_index_floordiv(builder, in_strip, TERMS), row, ir_index_const(0)}, TERMS)
             : load_tile(builder, b->lhs, (ir_index[]){row, term}, TERMS);
}

/* Multiplies a step of terms: each tile of rows by each tile of columns. */
static void multiply(const matrix_nest *nest, ir_builder *builder, const block *b, ir_index term, ir_value **sums) {
  ir_value *lhs[TILES], *rhs[TILES];
  ir_index pair = ir_index_floordiv(builder, term, 2), column = ir_index_floordiv(builder, b->column, SIDE);
  for (int64_t i = 0; i < b->tiles[0]; i++)
    lhs[i] = load_rows(nest, builder, b, i, term);
  for (int64_t k = 0; k < b->tiles[1]; k++) {
    rhs[k] = load_tile(builder, nest->panel,
                       (ir_index[]){ir_index_add(builder, column, ir_index_const(k)), pair, ir_index_const(0)}, TERMS);
    if (is_streamed(nest))
      ir_attr_set(rhs[k]->op, "tec.streamed", ir_attr_unit(builder->module));
  }
  for (int64_t i = 0; i < b->tiles[0]; i++)
    for (int64_t k = 0; k < b->tiles[1]; k++) {
      ir_value **sum = &sums[i * b->tiles[1] + k], *operands[] = {lhs[i], rhs[k], *sum};
      *sum = ir_create(builder, OP_AMX_TILE_MULF, (*sum)->type, 3, operands, 0, NULL);
    }
}

static void run_block(const matrix_nest *nest, ir_builder *builder, const block *b) {
  ir_value *sums[TILES * TILES];
  unsigned count = (unsigned)(b->tiles[0] * b->tiles[1]);
  for (unsigned i = 0; i < count; i++) {
    ir_index at[] = {tile_index(builder, b->at[0], i / b->tiles[1]), tile_index(builder, b->at[1], i % b->tiles[1])};
    sums[i] = b->starts_from_zero
                  ? ir_create(builder, OP_AMX_TILE_ZERO, tile_type(builder, IR_F32, SIDE), 0, NULL, 0, NULL)
                  : load_tile(builder, b->out, at, SIDE);
  }
  ir_index end = ir_index_add(builder, b->term, ir_index_const(b->terms));
  ir_op *loop = ir_for(builder, b->term, end, ir_index_const(TERMS), count, sums);
  ir_attr_set(loop, "tec.unroll", ir_attr_i64(builder->module, UNROLL));
  ir_block *body = ir_region(loop, 0);
  ir_builder inside = ir_builder_at_end(body);
  for (unsigned i = 0; i < count; i++)
    sums[i] = body->args[1 + i];
  multiply(nest, &inside, b, (ir_index){.value = body->args[0]}, sums);
  ir_terminator(&inside, OP_SCF_YIELD, count, sums);
  for (unsigned i = 0; i < count; i++) {
    ir_value *operands[] = {b->out, ir_index_value(builder, tile_index(builder, b->at[0], i / b->tiles[1])),
                            ir_index_value(builder, tile_index(builder, b->at[1], i % b->tiles[1])),
                            ir_result(loop, i)};
    ir_op_create(builder, OP_AMX_TILE_STORE,
                 &(ir_op_spec){.operands = operands, .num_operands = 4, .groups = {1, 2, 1}});
  }
}

/* Brings a part of the sums in scratch memory to where they belong: instead of what is there, or added to it. */
static void put_edge(const matrix_nest *nest, ir_builder *builder, const ir_index *at, const ir_index *sizes) {
  ir_index zero = ir_index_const(0);
  ir_value *from = part_of(builder, nest->edge, zero, zero, sizes[0], sizes[1]);
  ir_value *to = part_of(builder, nest->out, at[0], at[1], sizes[0], sizes[1]);
  const ir_map *identity = ir_map_identity(builder->module, 2);
  ir_op *put = ir_generic(builder, 1, &from, 1, &to, (const ir_map *[]){identity, identity}, 2, 0);
  ir_builder body = ir_builder_at_end(ir_region(put, 0));
  ir_value *sum = ir_region(put, 0)->args[0];
  if (!nest->starts_from_zero)
    sum = ir_binary(&body, OP_ARITH_ADDF, ir_region(put, 0)->args[1], sum);
  ir_terminator(&body, OP_LINALG_YIELD, 1, &sum);
  register_tile_op(put, nest->facts, NULL, 1, NULL);
}

/* So many rows or columns are whole tiles, which need no more memory than they have. */
static bool are_tiles(ir_index size) { return !size.value && size.constant % SIDE == 0; }

/* The block at a row and at a column of the panel, which begins with column `first`, of so many rows and columns. */
static void run_at(const matrix_nest *nest, ir_builder *builder, block b, ir_index row, ir_index first,
                   const ir_index *sizes) {
  ir_index at[] = {row, ir_index_add(builder, first, b.column)};
  bool is_whole = are_tiles(sizes[0]) && are_tiles(sizes[1]);
  b.out = is_whole ? nest->out : nest->edge;
  b.starts_from_zero = !is_whole || nest->starts_from_zero;
  for (unsigned i = 0; i < 2; i++) {
    b.at[i] = is_whole ? at[i] : ir_index_const(0);
    b.tiles[i] = sizes[i].value ? TILES : round_up(sizes[i].constant, SIDE) / SIDE;
  }
  run_block(nest, builder, &b);
  if (!is_whole)
    put_edge(nest, builder, at, sizes);
}

/* Copies a block's rows of lhs, so many terms of each, to the strip. */
static void fill_strip(const matrix_nest *nest, ir_builder *builder, ir_index row, ir_index term, int64_t terms) {
  ir_builder inside = *builder;
  part tiles = {ir_index_const(0), ir_index_const(terms), TERMS, false};
  ir_index at = enter(&inside, &tiles);
  ir_value *rows = read_block(&inside, nest->lhs, (int64_t[]){BLOCK, TERMS},
                              (ir_index[]){row, ir_index_add(&inside, term, at)}, (bool[]){false, false});
  ir_value *indices[] = {ir_index_value(&inside, ir_index_floordiv(&inside, at, TERMS)), ir_const_index(&inside, 0),
                         ir_const_index(&inside, 0)};
  ir_transfer(&inside, OP_VECTOR_TRANSFER_WRITE, rows->type, rows, nest->strip, indices, NULL, NULL);
}

/* So many columns from `first` on: the panel, and all rows by it, over one part of the terms after the other. */
static void run_columns(const matrix_nest *nest, ir_builder *builder, ir_index first, ir_index columns) {
  part terms[2], rows[2], blocks[2];
  pack(nest, builder, first, columns);
  unsigned num_terms = cut(builder, ir_index_const(nest->padded), MOST_TERMS, terms);
  unsigned num_rows = cut(builder, nest->rows, BLOCK, rows), num_blocks = cut(builder, columns, BLOCK, blocks);
  for (unsigned t = 0; t < num_terms; t++)
    for (unsigned i = 0; i < num_rows; i++) {
      ir_builder inside = *builder;
      bool is_copy = rows[i].is_edge && nest->copy && !nest->is_copied, is_strip = nest->strip && !rows[i].is_edge;
      block b = {.lhs = is_copy ? nest->copy : is_strip ? nest->strip : nest->lhs, .term = enter(&inside, &terms[t])};
      b.terms = size_of(&inside, &terms[t]).constant;
      ir_index row = enter(&inside, &rows[i]);
      b.row = is_copy || is_strip ? ir_index_const(0) : row;
      if (is_strip)
        fill_strip(nest, &inside, row, b.term, b.terms);
      for (unsigned k = 0; k < num_blocks; k++) {
        ir_builder inner = inside;
        b.column = enter(&inner, &blocks[k]);
        run_at(nest, &inner, b, row, first, (ir_index[]){size_of(&inner, &rows[i]), size_of(&inner, &blocks[k])});
      }
    }
}

/* The same of all columns, in one panel after the other. */
static void run_panels(const matrix_nest *nest, ir_builder builder) {
  part parts[2];
  unsigned count = cut(&builder, nest->columns, nest->width, parts);
  for (unsigned i = 0; i < count; i++) {
    ir_builder inside = builder;
    ir_index first = enter(&inside, &parts[i]);
    run_columns(nest, &inside, first, size_of(&inside, &parts[i]));
  }
}

/* ---------------------------------------------------------------------------------------------------------- the op */

/* Rows of lhs begin so far apart that those of a block meet in few sets of the first-level cache, and come from further
 * away for each block of columns, which are many. */
static bool meets_in_sets(const matrix_nest *nest) {
  const ir_type *type = ir_operand(nest->op, nest->rows_side)->type;
  int dim = ir_map_find_dim(ir_structure_of(nest->op)->maps[nest->rows_side], nest->row);
  int64_t stride = ir_type_stride(type, (unsigned)dim), bytes = ir_scalar_bytes(IR_BF16);
  return !nest->is_copied && stride != IR_DYNAMIC && stride * bytes % CROWDED_BYTES == 0 && nest->width >= MANY_COLUMNS;
}

/* Terms that are multiplied at a time, at most. */
static int64_t most_at_once(const matrix_nest *nest) { return nest->padded < MOST_TERMS ? nest->padded : MOST_TERMS; }

/* Scratch memory for the nest: the panel, a strip, and what edges need. */
static void allocate(matrix_nest *nest) {
  const ir_op *op = nest->op;
  int64_t rows = nest->is_copied ? round_up(nest->most_rows, BLOCK) : BLOCK;
  nest->panel = memory_scratch(op, IR_BF16, 3, (int64_t[]){nest->width / SIDE, nest->padded / 2, TERMS});
  if (!are_tiles(nest->rows) || !are_tiles(nest->columns))
    nest->edge = memory_scratch(op, IR_F32, 2, (int64_t[]){BLOCK, BLOCK});
  if (meets_in_sets(nest))
    nest->strip = memory_scratch(op, IR_BF16, 3, (int64_t[]){most_at_once(nest) / TERMS, BLOCK, TERMS});
  if (nest->is_copied || !are_tiles(nest->rows))
    nest->copy = memory_scratch(op, IR_BF16, 2, (int64_t[]){rows, nest->padded});
}

/* Loops over all others of the op; the builder goes on inside of them. */
static void enter_others(const matrix_nest *nest, ir_builder *builder, ir_index *starts) {
  const ir_op *op = nest->op;
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++) {
    starts[loop] = ir_index_const(0);
    if (loop == nest->row || loop == nest->column || loop == nest->term || ir_loop_size(op, loop) == 1)
      continue;
    starts[loop] = ir_enter_for(builder, ir_index_const(0), ir_loop_dim(builder, op, loop), 1);
  }
}

/* Copies what is copied of the rows' factor. */
static void copy_lhs(matrix_nest *nest, ir_builder *builder) {
  ir_index from = nest->is_copied ? ir_index_const(0) : register_whole_tiles(builder, nest->rows, BLOCK);
  if (!nest->copy)
    return;
  copy_rows(nest, builder, nest->copy, from, ir_index_sub(builder, nest->rows, from));
  if (nest->is_copied)
    nest->lhs = nest->copy;
}

static void lower(matrix_nest *nest) {
  ir_op *op = nest->op;
  ir_builder builder = ir_builder_before(op);
  unsigned columns_side = 1 - nest->rows_side;
  ir_index starts[IR_MAX_LOOPS];
  nest->rows = ir_loop_dim(&builder, op, nest->row);
  nest->columns = ir_loop_dim(&builder, op, nest->column);
  allocate(nest);
  enter_others(nest, &builder, starts);
  bool by_columns = ends_in(op, columns_side, nest->term);
  nest->lhs = matrix_of(&builder, op, nest->rows_side, nest->row, nest->term, starts);
  nest->rhs = matrix_of(&builder, op, columns_side, by_columns ? nest->column : nest->term,
                        by_columns ? nest->term : nest->column, starts);
  nest->out = matrix_of(&builder, op, 2, nest->row, nest->column, starts);
  copy_lhs(nest, &builder);
  if (nest->most_columns <= nest->width)
    run_columns(nest, &builder, ir_index_const(0), nest->columns);
  else
    run_panels(nest, builder);
  ir_op_erase(op);
}

bool register_matrix_takes(ir_op *op, const target_facts *facts) {
  matrix_nest nest = {.op = op, .facts = facts};
  return facts->has_matrix_unit && is_suited(&nest) && choose_sizes(&nest);
}

bool register_matrix_sums_at_once(const ir_op *op) {
  matrix_nest nest = {.op = (ir_op *)op};
  return find_loops(&nest) && nest.terms <= MOST_TERMS;
}

void register_matrix_lower(ir_op *op, const target_facts *facts, bool starts_from_zero) {
  matrix_nest nest = {.op = op, .facts = facts, .starts_from_zero = starts_from_zero};
  is_suited(&nest);
  choose_sizes(&nest);
  lower(&nest);
}
