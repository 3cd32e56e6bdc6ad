/* vector.c - vector ops to LLVM IR: contractions, reductions, and ops that only rearrange lanes.
 *
 * n-D vectors are rows of lanes (llvm.h). What works along the innermost dim uses rows directly; an operand whose
 * wanted dim is not innermost is transposed first, by a network of log2(n) steps of two-row shuffles. */
#include "backend/hooks.h"
#include "ir/build.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- transpose */

static unsigned element_bits(LLVMValueRef row) {
  LLVMTypeRef element = emit_element_of(row);
  LLVMTypeKind kind = LLVMGetTypeKind(element);
  return kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element) : kind == LLVMDoubleTypeKind ? 64 : 32;
}

/* The row, a whole number of registers, as a value that nothing before can be merged with. */
static LLVMValueRef fence_row(emitter *e, LLVMValueRef row) {
  LLVMTypeRef type = LLVMTypeOf(row);
  unsigned bits = emit_lanes(row) * element_bits(row);
  LLVMTypeRef words = LLVMVectorType(LLVMFloatTypeInContext(e->context), bits / 32);
  row = LLVMBuildBitCast(e->builder, row, words, "");
  row = emit_intrinsic_of(e, "llvm.arithmetic.fence", &words, 1, &row, 1);
  return LLVMBuildBitCast(e->builder, row, type, "");
}

/* Instruction selection would look for what to merge from each shuffle through all shuffles that made its rows, for up
 * to half of a kernel's compile time, and find nothing, unless some rows are not there. */
static void fence_rows(emitter *e, unsigned n, LLVMValueRef *rows) {
  if (!e->facts->vector_bits || n * element_bits(rows[0]) % 128)
    return;
  for (unsigned i = 0; i < n; i++)
    rows[i] = fence_row(e, rows[i]);
}

/* Transposes n x n lanes in place, n a power of two: step d swaps the off-diagonal d x d blocks of each 2d x 2d
 * block. */
static void transpose_square(emitter *e, unsigned n, bool is_full, LLVMValueRef *rows) {
  int *low = IR_NEW_ARRAY(&e->arena, int, n), *high = IR_NEW_ARRAY(&e->arena, int, n);
  for (unsigned d = n / 2; d; d /= 2) {
    for (unsigned lane = 0; lane < n; lane++) {
      low[lane] = (int)(lane & d ? n + lane - d : lane);
      high[lane] = (int)(lane & d ? n + lane : lane + d);
    }
    for (unsigned i = 0; i < n; i++) {
      if (i & d)
        continue;
      LLVMValueRef a = rows[i], b = rows[i | d];
      rows[i] = emit_shuffle(e, a, b, low, n);
      rows[i | d] = emit_shuffle(e, a, b, high, n);
    }
    if (is_full && n >= 8 && d > 1)
      fence_rows(e, n, rows);
  }
}

/* m rows of n lanes to n rows of m lanes, padded to a square between. */
static void transpose_rows(emitter *e, unsigned m, unsigned n, LLVMValueRef const *source, LLVMValueRef *result) {
  unsigned side = 1;
  while (side < m || side < n)
    side *= 2;
  size_t mark = ir_arena_mark(&e->arena);
  LLVMValueRef *rows = IR_NEW_ARRAY(&e->arena, LLVMValueRef, side);
  for (unsigned i = 0; i < side; i++)
    rows[i] = i < m ? emit_resize(e, source[i], side) : LLVMGetPoison(emit_row_type(emit_element_of(source[0]), side));
  transpose_square(e, side, m == side && n == side, rows);
  for (unsigned i = 0; i < n; i++)
    result[i] = emit_resize(e, rows[i], m);
  ir_arena_rewind(&e->arena, mark);
}

/* Rows stay whole where the innermost dim stays. Otherwise the source's innermost dim becomes dim `to` of the result
 * and dim `from` of the source becomes innermost: for each position of the other dims, the rows along `from` are a
 * matrix. */
void emit_transpose(emitter *e, unsigned rank, const int64_t *shape, const unsigned *permutation,
                    LLVMValueRef const *source, LLVMValueRef *result) {
  unsigned last = rank - 1, from = permutation[last], to = 0;
  int64_t result_shape[IR_MAX_RANK], position[IR_MAX_RANK] = {0}, outer_shape[IR_MAX_RANK];
  for (unsigned i = 0; i < rank; i++) {
    result_shape[i] = shape[permutation[i]];
    if (permutation[i] == last)
      to = i;
  }
  bool whole = from == last;
  unsigned m = whole ? 1 : (unsigned)shape[from], n = whole ? 1 : (unsigned)shape[last];
  LLVMValueRef *matrix = IR_NEW_ARRAY(&e->arena, LLVMValueRef, m + n), *columns = matrix + m;
  memcpy(outer_shape, result_shape, sizeof outer_shape);
  if (!whole)
    outer_shape[to] = 1;
  do {
    int64_t at[IR_MAX_RANK] = {0}, target[IR_MAX_RANK];
    memcpy(target, position, sizeof target);
    for (unsigned i = 0; i < last; i++)
      at[permutation[i]] = position[i];
    for (unsigned i = 0; i < m; i++) {
      if (!whole)
        at[from] = i;
      matrix[i] = source[emit_linear(last, shape, at)];
    }
    if (whole)
      columns[0] = matrix[0];
    else
      transpose_rows(e, m, n, matrix, columns);
    for (unsigned i = 0; i < n; i++) {
      if (!whole)
        target[to] = i;
      result[emit_linear(last, result_shape, target)] = columns[i];
    }
  } while (emit_next(last, outer_shape, position));
}

bool emit_transpose_op(emitter *e, const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  const emit_value *source = emit_operand(e, op, 0);
  LLVMValueRef *result = emit_result(e, op);
  unsigned permutation[IR_MAX_RANK];
  const int64_t *ints = ir_attr_i64s_of(op, "permutation", NULL);
  for (unsigned i = 0; i < type->rank; i++)
    permutation[i] = (unsigned)ints[i];
  if (type->rank)
    emit_transpose(e, type->rank, type->shape, permutation, source->pieces, result);
  else
    result[0] = source->pieces[0];
  return true;
}

/* ------------------------------------------------------------------------------------------ single lanes by place */

/* A scalar as one lane. */
static LLVMValueRef as_row(emitter *e, LLVMValueRef value) {
  return emit_lanes(value) ? value : emit_splat(e, value, 1);
}

/* A piece in the form that `type` wants: scalars and vectors of one lane differ only in that. */
static LLVMValueRef in_form(emitter *e, const ir_type *type, LLVMValueRef value) {
  if (type->kind == IR_TYPE_SCALAR)
    return emit_lanes(value) ? emit_lane(e, value, 0) : value;
  return as_row(e, value);
}

bool emit_broadcast(emitter *e, const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const emit_value *source = emit_operand(e, op, 0);
  LLVMValueRef *result = emit_result(e, op);
  unsigned lanes = emit_row_length(to), outer = emit_outer_rank(to), row = 0;
  unsigned rank = from->kind == IR_TYPE_SCALAR ? 0 : from->rank;
  int64_t position[IR_MAX_RANK] = {0};
  do {
    int64_t at[IR_MAX_RANK] = {0};
    for (unsigned i = 0; i + 1 < rank; i++) {
      unsigned dim = to->rank - rank + i;
      at[i] = from->shape[i] == 1 ? 0 : position[dim];
    }
    LLVMValueRef piece = source->pieces[rank ? emit_linear(rank - 1, from->shape, at) : 0];
    unsigned have = emit_lanes(piece);
    if (have != lanes)
      piece = emit_splat(e, have ? emit_lane(e, piece, 0) : piece, lanes);
    result[row++] = piece;
  } while (emit_next(outer, to->shape, position));
  return true;
}

bool emit_vector_elements(emitter *e, const ir_op *op) {
  LLVMValueRef *result = emit_result(e, op);
  unsigned lanes = emit_row_length(ir_result(op, 0)->type);
  LLVMTypeRef type = emit_row_type(emit_element_type(e, ir_result(op, 0)->type->element), lanes);
  for (unsigned i = 0; i < op->num_operands; i++) {
    LLVMValueRef row = i % lanes ? result[i / lanes] : LLVMGetPoison(type);
    result[i / lanes] = emit_set_lane(e, row, emit_scalar(e, ir_operand(op, i)), i % lanes);
  }
  return true;
}

/* Result rows that lie within one source row are cut from it; others are put together lane by lane. */
bool emit_shape_cast(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  LLVMValueRef *result = emit_result(e, op);
  unsigned from = emit_row_length(ir_operand(op, 0)->type), to = emit_row_length(ir_result(op, 0)->type);
  LLVMTypeRef type = emit_row_type(emit_element_type(e, ir_result(op, 0)->type->element), to);
  unsigned count = emit_get(e, ir_result(op, 0))->num_pieces;
  for (unsigned i = 0; i < count; i++) {
    unsigned first = i * to;
    if (first % from + to <= from) {
      result[i] = emit_slice(e, source->pieces[first / from], first % from, to);
      continue;
    }
    result[i] = LLVMGetPoison(type);
    for (unsigned lane = 0; lane < to; lane++) {
      unsigned at = first + lane;
      result[i] = emit_set_lane(e, result[i], emit_lane(e, source->pieces[at / from], at % from), lane);
    }
  }
  return true;
}

bool emit_vector_bitcast(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  LLVMValueRef *result = emit_result(e, op);
  const ir_type *type = ir_result(op, 0)->type;
  LLVMTypeRef row = emit_row_type(emit_element_type(e, type->element), emit_row_length(type));
  for (unsigned i = 0; i < source->num_pieces; i++)
    result[i] = LLVMBuildBitCast(e->builder, source->pieces[i], row, "");
  return true;
}

bool emit_interleave(emitter *e, const ir_op *op) {
  const emit_value *lhs = emit_operand(e, op, 0), *rhs = emit_operand(e, op, 1);
  LLVMValueRef *result = emit_result(e, op);
  unsigned lanes = emit_row_length(ir_result(op, 0)->type);
  int *pick = IR_NEW_ARRAY(&e->arena, int, lanes);
  for (unsigned lane = 0; lane < lanes; lane++)
    pick[lane] = (int)(lane / 2 + lane % 2 * (lanes / 2));
  for (unsigned i = 0; i < lhs->num_pieces; i++)
    result[i] = emit_shuffle(e, lhs->pieces[i], rhs->pieces[i], pick, lanes);
  return true;
}

/* The lower or upper halves of words of two 16-bit elements: in words they are widened by one op (see
 * vectorize_pairs.c), and LLVM sees that. */
static LLVMValueRef half_of_words(emitter *e, LLVMValueRef row, unsigned half) {
  enum { HALF_BITS = 16 };
  LLVMTypeRef words = emit_row_type(emit_word_type(e), emit_lanes(row) / 2);
  LLVMValueRef both = LLVMBuildBitCast(e->builder, row, words, "");
  LLVMValueRef low = half ? LLVMBuildLShr(e->builder, both, emit_int_like(e, both, HALF_BITS), "") : both;
  return LLVMBuildTrunc(e->builder, low, emit_type_like(low, LLVMInt16TypeInContext(e->context)), "");
}

bool emit_deinterleave(emitter *e, const ir_op *op) {
  const emit_value *source = emit_operand(e, op, 0);
  const ir_type *type = ir_result(op, 0)->type;
  unsigned lanes = emit_row_length(type);
  int *pick = IR_NEW_ARRAY(&e->arena, int, lanes);
  for (unsigned half = 0; half < 2; half++) {
    emit_value result = emit_new_value(e, source->num_pieces);
    for (unsigned lane = 0; lane < lanes; lane++)
      pick[lane] = (int)(2 * lane + half);
    for (unsigned i = 0; i < source->num_pieces; i++) {
      LLVMValueRef row = source->pieces[i];
      bool halves = lanes > 1 && emit_element_of(row) == LLVMInt16TypeInContext(e->context);
      result.pieces[i] =
          halves ? half_of_words(e, row, half) : emit_shuffle(e, row, LLVMGetPoison(LLVMTypeOf(row)), pick, lanes);
    }
    emit_bind(e, ir_result(op, half), result);
  }
  return true;
}

/* The position of extract and insert: how far the known part reaches is `count`. */
typedef struct place {
  unsigned count;
  LLVMValueRef indices[IR_MAX_RANK];
} place;

static place place_of(emitter *e, const ir_op *op, unsigned group) {
  place p = {0};
  ir_attr_i64s_of(op, "static_position", &p.count);
  for (unsigned i = 0; i < p.count; i++)
    p.indices[i] = emit_mixed(e, op, group, "static_position", i);
  return p;
}

/* Whether the piece at `position` of the first `count` dims is the one meant; a constant where the place is
 * constant. */
static LLVMValueRef is_place(emitter *e, const place *p, unsigned count, const int64_t *position) {
  LLVMValueRef matches = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, p->indices[i], emit_index(e, position[i]), "");
    matches = LLVMBuildAnd(e->builder, matches, equal, "");
  }
  return matches;
}

bool emit_extract(emitter *e, const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const emit_value *source = emit_operand(e, op, 0);
  place p = place_of(e, op, 1);
  LLVMValueRef *result = emit_result(e, op);
  unsigned count = emit_get(e, ir_result(op, 0))->num_pieces, outer = emit_outer_rank(from);
  unsigned given = p.count < outer ? p.count : outer, next = 0;
  int64_t position[IR_MAX_RANK] = {0};
  do { /* candidates for the part, one after another; those that are not meant fold away for constant places */
    LLVMValueRef meant = is_place(e, &p, given, position);
    for (unsigned i = 0; i < count; i++, next++) {
      LLVMValueRef piece = source->pieces[next];
      result[i] = result[i] ? LLVMBuildSelect(e->builder, meant, piece, result[i], "") : piece;
    }
  } while (emit_next(given, from->shape, position));
  if (p.count > outer)
    result[0] = LLVMBuildExtractElement(e->builder, result[0], p.indices[outer], "");
  result[0] = in_form(e, to, result[0]);
  return true;
}

bool emit_insert(emitter *e, const ir_op *op) {
  const ir_type *to = ir_result(op, 0)->type;
  const emit_value *value = emit_operand(e, op, 0), *dest = emit_operand(e, op, 1);
  place p = place_of(e, op, 2);
  LLVMValueRef *result = emit_result(e, op);
  unsigned outer = emit_outer_rank(to), given = p.count < outer ? p.count : outer, next = 0;
  int64_t position[IR_MAX_RANK] = {0};
  unsigned part = p.count > outer || !to->rank ? 1 : value->num_pieces;
  do {
    LLVMValueRef meant = is_place(e, &p, given, position);
    for (unsigned i = 0; i < part; i++, next++) {
      LLVMValueRef old = dest->pieces[next], piece = value->pieces[i];
      if (p.count > outer) {
        LLVMValueRef scalar = emit_lanes(piece) ? emit_lane(e, piece, 0) : piece;
        piece = LLVMBuildInsertElement(e->builder, old, scalar, p.indices[outer], "");
      }
      result[next] = LLVMBuildSelect(e->builder, meant, as_row(e, piece), old, "");
    }
  } while (emit_next(given, to->shape, position));
  return true;
}

/* The offsets of a strided slice, and how the rows of the part lie among those of the whole. Strides are 1. */
static const int64_t *slice_offsets(const ir_op *op, unsigned *count) {
  unsigned num_strides;
  const int64_t *strides = ir_attr_i64s_of(op, "strides", &num_strides);
  for (unsigned i = 0; strides && i < num_strides; i++)
    if (strides[i] != 1)
      return NULL;
  return ir_attr_i64s_of(op, "offsets", count);
}

bool emit_extract_strided_slice(emitter *e, const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const emit_value *source = emit_operand(e, op, 0);
  unsigned num_offsets, row = 0;
  const int64_t *offsets = slice_offsets(op, &num_offsets);
  if (!offsets)
    return ir_op_error(op, "wants strides of 1");
  LLVMValueRef *result = emit_result(e, op);
  unsigned outer = emit_outer_rank(from);
  int64_t position[IR_MAX_RANK] = {0};
  do {
    int64_t at[IR_MAX_RANK];
    for (unsigned i = 0; i < outer; i++)
      at[i] = position[i] + (i < num_offsets ? offsets[i] : 0);
    LLVMValueRef piece = source->pieces[emit_linear(outer, from->shape, at)];
    result[row++] = emit_slice(e, piece, num_offsets > outer ? (unsigned)offsets[outer] : 0, emit_row_length(to));
  } while (emit_next(outer, to->shape, position));
  return true;
}

/* The row with `lanes` lanes of another one from `first` on. */
static LLVMValueRef put_slice(emitter *e, LLVMValueRef row, LLVMValueRef part, unsigned first, unsigned lanes) {
  unsigned all = emit_lanes(row);
  if (lanes == 1 || !all)
    return emit_set_lane(e, row, emit_lane(e, part, 0), first);
  int *pick = IR_NEW_ARRAY(&e->arena, int, all);
  for (unsigned lane = 0; lane < all; lane++)
    pick[lane] = lane < lanes ? (int)lane : 0;
  LLVMValueRef wide = emit_shuffle(e, part, LLVMGetPoison(LLVMTypeOf(part)), pick, all);
  for (unsigned lane = 0; lane < all; lane++)
    pick[lane] = (int)(lane >= first && lane < first + lanes ? all + lane - first : lane);
  return emit_shuffle(e, row, wide, pick, all);
}

/* Offsets count from the destination's first dim; the part's dims are the destination's last. */
bool emit_insert_strided_slice(emitter *e, const ir_op *op) {
  const ir_type *part = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const emit_value *value = emit_operand(e, op, 0), *dest = emit_operand(e, op, 1);
  unsigned num_offsets;
  const int64_t *offsets = slice_offsets(op, &num_offsets);
  if (!offsets)
    return ir_op_error(op, "wants strides of 1");
  LLVMValueRef *result = emit_result(e, op);
  memcpy(result, dest->pieces, sizeof *result * dest->num_pieces);
  unsigned outer = emit_outer_rank(to), leading = to->rank - part->rank, row = 0, lanes = emit_row_length(part);
  int64_t position[IR_MAX_RANK] = {0};
  do {
    int64_t at[IR_MAX_RANK];
    for (unsigned i = 0; i < outer; i++)
      at[i] = offsets[i] + (i < leading ? 0 : position[i - leading]);
    LLVMValueRef *target = &result[emit_linear(outer, to->shape, at)];
    *target = put_slice(e, *target, value->pieces[row++], (unsigned)offsets[outer], lanes);
  } while (emit_next(emit_outer_rank(part), part->shape, position));
  return true;
}

bool emit_step_op(emitter *e, const ir_op *op) {
  LLVMValueRef *result = emit_result(e, op);
  result[0] = emit_step(e, LLVMInt64TypeInContext(e->context), emit_row_length(ir_result(op, 0)->type));
  return true;
}

bool emit_create_mask(emitter *e, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  LLVMValueRef *result = emit_result(e, op);
  unsigned outer = emit_outer_rank(type), lanes = emit_row_length(type), row = 0;
  int64_t position[IR_MAX_RANK] = {0};
  do {
    LLVMValueRef bound = op->num_operands ? emit_scalar(e, ir_operand(op, outer)) : emit_index(e, 1);
    for (unsigned i = 0; i < outer; i++) {
      LLVMValueRef inside =
          LLVMBuildICmp(e->builder, LLVMIntSLT, emit_index(e, position[i]), emit_scalar(e, ir_operand(op, i)), "");
      bound = LLVMBuildSelect(e->builder, inside, bound, emit_index(e, 0), "");
    }
    result[row++] = emit_lanes_below(e, bound, lanes);
  } while (emit_next(outer, type->shape, position));
  return true;
}

/* ----------------------------------------------------------------------------------------------------- reductions */

/* All lanes of a row combined into a scalar: halves onto each other, odd lanes kept for the end. */
static LLVMValueRef combine_lanes(emitter *e, emit_piece_hook *combine, LLVMValueRef row) {
  LLVMValueRef odd = NULL;
  for (unsigned lanes = emit_lanes(row); lanes > 1; lanes /= 2) {
    if (lanes % 2) {
      LLVMValueRef left = emit_lane(e, row, lanes - 1);
      odd = odd ? combine(e, NULL, (LLVMValueRef[]){odd, left}) : left;
    }
    LLVMValueRef halves[] = {emit_slice(e, row, 0, lanes / 2), emit_slice(e, row, lanes / 2, lanes / 2)};
    row = combine(e, NULL, halves);
  }
  LLVMValueRef value = emit_lane(e, row, 0);
  return odd ? combine(e, NULL, (LLVMValueRef[]){value, odd}) : value;
}

/* Lanes first[i] and first[i] + step of `a` and `b`, one behind the other, combined. */
static LLVMValueRef combine_apart(emitter *e, emit_piece_hook *combine, LLVMValueRef a, LLVMValueRef b, int *first,
                                  unsigned step, unsigned count) {
  LLVMValueRef halves[2] = {emit_shuffle(e, a, b, first, count)};
  for (unsigned i = 0; i < count; i++)
    first[i] += (int)step;
  halves[1] = emit_shuffle(e, a, b, first, count);
  return combine(e, NULL, halves);
}

/* Each block of lanes becomes one half as long, its halves combined. */
static LLVMValueRef halve_blocks(emitter *e, emit_piece_hook *combine, LLVMValueRef row, unsigned block) {
  unsigned half = block / 2, count = emit_lanes(row) / 2;
  int *first = IR_NEW_ARRAY(&e->arena, int, count);
  for (unsigned i = 0; i < count; i++)
    first[i] = (int)(i / half * block + i % half);
  return combine_apart(e, combine, row, LLVMGetPoison(LLVMTypeOf(row)), first, half, count);
}

/* Two rows become one, of lanes that are combined: in each segment those of its halves, in units of the one row and the
 * other in turn; with units as long as segments, those of neighbouring segments, first of `a`. */
static LLVMValueRef combine_pair(emitter *e, emit_piece_hook *combine, LLVMValueRef a, LLVMValueRef b, unsigned segment,
                                 unsigned unit) {
  unsigned lanes = emit_lanes(a);
  int *first = IR_NEW_ARRAY(&e->arena, int, lanes);
  for (unsigned i = 0; i < lanes; i++) {
    unsigned row = unit < segment ? i / unit % 2 : 2 * i / lanes, at = i - row * lanes / 2;
    first[i] = (int)(row * lanes + (unit < segment ? i / segment * segment + i % segment / (2 * unit) * unit + i % unit
                                                   : at / segment * 2 * segment + at % segment));
  }
  return combine_apart(e, combine, a, b, first, unit < segment ? segment / 2 : segment, lanes);
}

/* The lanes of each row combined, one row's result a lane: `count` rows, a power of two no larger than that of their
 * lanes. Two vectors that hold parts of rows become one, so that all rows together cost little more than one: first
 * within segments of 128 bits, which x86's cheapest shuffles do not leave, until a segment has one lane for each of its
 * rows, then by whole segments (scores of four queries 1.5 times as fast as by halves of vectors, Zen 4). What is left
 * of each row is halved. */
static LLVMValueRef combine_rows(emitter *e, emit_piece_hook *combine, LLVMValueRef *rows, unsigned count) {
  enum { SEGMENT_BITS = 128 };
  unsigned lanes = emit_lanes(rows[0]), bits = element_bits(rows[0]), unit = 1;
  for (; lanes * bits > e->facts->vector_bits && lanes / 2 >= count; lanes /= 2)
    for (unsigned i = 0; i < count; i++)
      rows[i] = halve_blocks(e, combine, rows[i], lanes);
  unsigned segment = lanes * bits > SEGMENT_BITS ? SEGMENT_BITS / bits : lanes;
  for (unsigned held = count / 2; held; held /= 2) {
    for (unsigned i = 0; i < held; i++)
      rows[i] = combine_pair(e, combine, rows[2 * i], rows[2 * i + 1], segment, unit);
    unit *= unit < segment ? 2 : 1;
  }
  for (unsigned block = lanes * unit / count; block > unit; block /= 2)
    rows[0] = halve_blocks(e, combine, rows[0], block);
  return rows[0];
}

static bool is_power_of_two(unsigned x) { return x && !(x & (x - 1)); }

/* The lanes of so many rows can be combined together. */
static bool fit_together(LLVMValueRef const *rows, unsigned count) {
  return is_power_of_two(count) && is_power_of_two(emit_lanes(rows[0])) && count <= emit_lanes(rows[0]);
}

/* The lanes of each row combined, one row's result a lane; together where that can be. */
static LLVMValueRef combine_each(emitter *e, emit_piece_hook *combine, LLVMValueRef *rows, unsigned count) {
  if (fit_together(rows, count))
    return combine_rows(e, combine, rows, count);
  LLVMValueRef result = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef scalar = combine_lanes(e, combine, rows[i]);
    result = result ? result : LLVMGetPoison(emit_row_type(LLVMTypeOf(scalar), count));
    result = emit_set_lane(e, result, scalar, i);
  }
  return result;
}

/* One source row per step is combined into what stands for its place in the result: rows where the innermost dim is
 * kept, a partial row per kept place where it is reduced. */
bool emit_multi_reduction(emitter *e, const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const emit_value *source = emit_operand(e, op, 0), *start = emit_operand(e, op, 1);
  emit_piece_hook *combine = emit_info(ir_combine_of(op))->piece;
  unsigned outer = emit_outer_rank(from), row = 0;
  uint32_t reduced = ir_attr_set_of(op, "reduction_dims");
  LLVMValueRef *result = emit_result(e, op);
  if (!result)
    return false;
  int64_t kept_shape[IR_MAX_RANK], position[IR_MAX_RANK] = {0}, places = 1;
  unsigned kept_rank = 0;
  for (unsigned i = 0; i < outer; i++)
    if (!(reduced >> i & 1))
      places *= kept_shape[kept_rank++] = from->shape[i];
  LLVMValueRef *partial = IR_NEW_ARRAY(&e->arena, LLVMValueRef, places);
  do {
    int64_t at[IR_MAX_RANK];
    for (unsigned i = 0, next = 0; i < outer; i++)
      if (!(reduced >> i & 1))
        at[next++] = position[i];
    LLVMValueRef *place = &partial[emit_linear(kept_rank, kept_shape, at)];
    LLVMValueRef piece = emit_widen(e, from->element, source->pieces[row++]);
    *place = *place ? combine(e, NULL, (LLVMValueRef[]){*place, piece}) : piece;
  } while (emit_next(outer, from->shape, position));
  bool horizontal = from->rank && reduced >> (from->rank - 1) & 1;
  unsigned lanes = emit_row_length(to), num_pieces = emit_get(e, ir_result(op, 0))->num_pieces;
  bool at_once = horizontal && num_pieces > 1 && fit_together(partial, num_pieces * lanes);
  LLVMValueRef all = at_once ? combine_rows(e, combine, partial, num_pieces * lanes) : NULL;
  for (unsigned i = 0; i < num_pieces; i++) {
    LLVMValueRef value = !horizontal                  ? partial[i]
                         : to->kind == IR_TYPE_SCALAR ? combine_lanes(e, combine, partial[0])
                         : all                        ? emit_slice(e, all, i * lanes, lanes)
                                                      : combine_each(e, combine, &partial[i * lanes], lanes);
    LLVMValueRef init = emit_widen(e, to->element, start->pieces[i]);
    value = combine(e, NULL, (LLVMValueRef[]){init, in_form(e, to, value)});
    result[i] = emit_narrow(e, to->element, value);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------- contractions */

/* An operand of a contraction, its lanes along the loop `lanes` where it has that. */
typedef struct factor {
  const ir_type *type;
  LLVMValueRef *rows;          /* widened to the element type of the accumulator */
  int64_t shape[IR_MAX_RANK];  /* after transposition */
  unsigned loops[IR_MAX_RANK]; /* the loop of each dim */
  bool has_lanes;
} factor;

static LLVMValueRef promote(emitter *e, ir_scalar from, ir_scalar to, LLVMValueRef value) {
  value = emit_widen(e, from, value);
  LLVMTypeRef wide =
      emit_type_like(value, emit_element_type(e, ir_scalar_is_float(to) && ir_scalar_bits(to) == 16 ? IR_F32 : to));
  return ir_scalar_is_float(to) ? LLVMBuildFPCast(e->builder, value, wide, "")
                                : LLVMBuildIntCast2(e->builder, value, wide, true, "");
}

/* Operand `i`, with the dim that runs along loop `lanes` moved innermost. */
static factor factor_of(emitter *e, const ir_op *op, unsigned i, unsigned lanes, ir_scalar element) {
  const ir_map *map = ir_contract_map(op, i);
  const ir_type *type = ir_operand(op, i)->type;
  const emit_value *source = emit_operand(e, op, i);
  factor f = {.type = type};
  int at = ir_map_find_dim(map, lanes);
  f.has_lanes = at >= 0;
  unsigned permutation[IR_MAX_RANK], rank = type->rank, last = rank - 1;
  for (unsigned dim = 0; dim < rank; dim++)
    permutation[dim] = dim;
  if (f.has_lanes)
    permutation[at] = last, permutation[last] = (unsigned)at;
  for (unsigned dim = 0; dim < rank; dim++) {
    f.shape[dim] = type->shape[permutation[dim]];
    f.loops[dim] = (unsigned)ir_map_result_dim(map, permutation[dim]);
  }
  unsigned count = (unsigned)(ir_type_num_elements(type) / (rank ? f.shape[last] : 1));
  f.rows = source->pieces;
  if (f.has_lanes && (unsigned)at != last) {
    f.rows = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
    emit_transpose(e, rank, type->shape, permutation, source->pieces, f.rows);
  }
  LLVMValueRef *wide = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
  for (unsigned row = 0; row < count; row++)
    wide[row] = promote(e, type->element, element, f.rows[row]);
  f.rows = wide;
  return f;
}

/* The factor at a position of all loops: a row along the lanes, or one element repeated. */
static LLVMValueRef factor_at(emitter *e, const factor *f, const int64_t *loops, unsigned lanes) {
  int64_t at[IR_MAX_RANK] = {0};
  unsigned rank = f->type->rank, outer = emit_outer_rank(f->type);
  for (unsigned i = 0; i < rank; i++)
    at[i] = loops[f->loops[i]];
  LLVMValueRef row = f->rows[emit_linear(outer, f->shape, at)];
  if (f->has_lanes)
    return row;
  return emit_splat(e, emit_lane(e, row, rank ? (unsigned)at[outer] : 0), lanes);
}

/* acc + lhs * rhs; for other kinds than add, the product is combined into acc. */
static LLVMValueRef accumulate(emitter *e, emit_piece_hook *combine, LLVMValueRef lhs, LLVMValueRef rhs,
                               LLVMValueRef acc) {
  if (combine == emit_addf || combine == emit_addi)
    return emit_multiply_add(e, lhs, rhs, acc);
  bool is_float = LLVMGetTypeKind(emit_element_of(lhs)) != LLVMIntegerTypeKind;
  LLVMValueRef factors[] = {lhs, rhs}, product = is_float ? emit_mulf(e, NULL, factors) : emit_muli(e, NULL, factors);
  return combine(e, NULL, (LLVMValueRef[]){acc, product});
}

static void contraction_extents(const ir_op *op, int64_t *extents) {
  for (unsigned i = 0; i < 2; i++)
    for (unsigned dim = 0; dim < ir_operand(op, i)->type->rank; dim++)
      extents[ir_map_result_dim(ir_contract_map(op, i), dim)] = ir_operand(op, i)->type->shape[dim];
}

/* A factor of a contraction, before it was widened where that is from i8 or i16 to i32. */
typedef struct narrow_factor {
  const ir_value *value;
  ir_scalar element;
  bool is_unsigned, is_constant; /* a constant is wide, but of numbers that unsigned bytes hold */
  bool is_flipped;               /* by its highest bits */
} narrow_factor;

static narrow_factor narrow_factor_of(const ir_value *value) {
  ir_cell splat;
  if (value->type->element != IR_I32)
    return (narrow_factor){.value = value, .element = value->type->element};
  if (ir_value_splat(value, &splat) && splat.i >= 0 && splat.i <= UINT8_MAX)
    return (narrow_factor){.value = value, .element = IR_I8, .is_unsigned = true, .is_constant = true};
  bool is_unsigned = ir_made_by(value, OP_ARITH_EXTUI);
  if (!is_unsigned && !ir_made_by(value, OP_ARITH_EXTSI))
    return (narrow_factor){.value = value, .element = IR_I32};
  const ir_value *narrow = ir_operand(value->op, 0);
  bool is_flipped = is_unsigned && ir_made_by(narrow, OP_ARITH_XORI) && narrow->type->element == IR_I8 &&
                    ir_value_splat(ir_operand(narrow->op, 1), &splat) && (int8_t)splat.i == INT8_MIN;
  return (narrow_factor){.value = is_flipped ? ir_operand(narrow->op, 0) : narrow,
                         .element = narrow->type->element,
                         .is_unsigned = is_unsigned,
                         .is_flipped = is_flipped};
}

/* A row of the factor, of integers as wide as the other factor's: of fewer bits where it is a constant, else of
 * more. */
static LLVMValueRef narrow_piece(emitter *e, narrow_factor factor, ir_scalar element, unsigned i) {
  LLVMValueRef piece = emit_get(e, factor.value)->pieces[i];
  if (ir_scalar_is_float(element) || factor.value->type->element == element)
    return piece;
  return LLVMBuildIntCast2(e->builder, piece, emit_type_like(piece, emit_element_type(e, element)), true, "");
}

/* The row whose lanes hold the terms of a factor [lanes][terms], one after another; NULL where its value is not made of
 * such a row. */
static LLVMValueRef row_of_terms(emitter *e, const ir_value *factor) {
  bool is_row = ir_made_by(factor, OP_VECTOR_SHAPE_CAST) && ir_operand(factor->op, 0)->type->rank == 1;
  return is_row ? emit_get(e, ir_operand(factor->op, 0))->pieces[0] : NULL;
}

/* acc + the sums of two products, in each of 4, 8 or 16 lanes: factors hold a pair a lane. */
static LLVMValueRef emit_pair_sums(emitter *e, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc);
  LLVMTypeRef pairs = LLVMVectorType(LLVMBFloatTypeInContext(e->context), 2 * lanes);
  LLVMValueRef operands[] = {acc, LLVMBuildBitCast(e->builder, lhs, pairs, ""),
                             LLVMBuildBitCast(e->builder, rhs, pairs, "")};
  const char *name = lanes == 16  ? "llvm.x86.avx512bf16.dpbf16ps.512"
                     : lanes == 8 ? "llvm.x86.avx512bf16.dpbf16ps.256"
                                  : "llvm.x86.avx512bf16.dpbf16ps.128";
  return emit_intrinsic_of(e, name, NULL, 0, operands, 3);
}

/* acc + the sums of four products of i8, the first factor unsigned. */
static LLVMValueRef emit_byte_sums(emitter *e, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc);
  LLVMTypeRef bytes = LLVMVectorType(LLVMInt8TypeInContext(e->context), 4 * lanes);
  LLVMValueRef operands[] = {acc, LLVMBuildBitCast(e->builder, lhs, bytes, ""),
                             LLVMBuildBitCast(e->builder, rhs, bytes, "")};
  const char *name = lanes == 16  ? "llvm.x86.avx512.vpdpbusd.512"
                     : lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                                  : "llvm.x86.avx512.vpdpbusd.128";
  return emit_intrinsic_of(e, name, NULL, 0, operands, 3);
}

/* acc + the sums of two products of i16. */
static LLVMValueRef emit_word_sums(emitter *e, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc);
  LLVMTypeRef words = LLVMVectorType(LLVMInt16TypeInContext(e->context), 2 * lanes);
  LLVMValueRef operands[] = {LLVMBuildBitCast(e->builder, lhs, words, ""),
                             LLVMBuildBitCast(e->builder, rhs, words, "")};
  const char *name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
  return LLVMBuildAdd(e->builder, acc, emit_intrinsic_of(e, name, NULL, 0, operands, 2), "");
}

typedef LLVMValueRef emit_sums(emitter *e, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs);

/* Row `i` of the factor, the terms of all lanes, for each of so many. Its highest bits are flipped in lanes: a
 * load repeats the word, and what flips it has pipes to itself, where a step from a scalar to lanes would take a
 * shuffle's. */
static LLVMValueRef repeat_terms(emitter *e, narrow_factor factor, ir_scalar element, unsigned i, unsigned lanes) {
  LLVMValueRef word = LLVMBuildBitCast(e->builder, narrow_piece(e, factor, element, i), emit_word_type(e), "");
  LLVMValueRef words = emit_splat(e, word, lanes);
  if (!factor.is_flipped)
    return words;
  LLVMValueRef high = emit_splat(e, emit_word(e, 0x80808080), lanes);
  return LLVMBuildXor(e->builder, fence_row(e, words), high, "");
}

/* acc + the sums of products, in each lane: `lhs` is the terms of all lanes, a word in each lane of a register or less,
 * `rhs` such a word a lane. Lanes are a power of two, at least 4; more than a register holds are halved. */
static LLVMValueRef emit_dot(emitter *e, emit_sums *sums, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc), all = emit_lanes(rhs);
  if (lanes <= emit_lanes(lhs))
    return sums(e, acc, lhs, rhs);
  LLVMValueRef half[2];
  for (unsigned i = 0; i < 2; i++)
    half[i] =
        emit_dot(e, sums, emit_slice(e, acc, i * lanes / 2, lanes / 2), lhs, emit_slice(e, rhs, i * all / 2, all / 2));
  return emit_join(e, half[0], half[1]);
}

/* The machine's sums of products of the factors, and how many they add; NULL: it has none. */
static emit_sums *sums_of(const emitter *e, narrow_factor rows, narrow_factor lanes, ir_scalar sum, int64_t *terms) {
  *terms = lanes.element == IR_I8 ? 4 : 2;
  if (sum != (lanes.element == IR_BF16 ? IR_F32 : IR_I32) || lanes.is_unsigned)
    return NULL;
  switch (lanes.element) {
  case IR_BF16:
    return e->facts->has_pair_dot && rows.element == IR_BF16 ? emit_pair_sums : NULL;
  case IR_I8:
    return e->facts->integer_terms == TARGET_BYTES && rows.element == IR_I8 && rows.is_unsigned ? emit_byte_sums : NULL;
  case IR_I16:
    return e->facts->integer_terms == TARGET_WORDS && ir_scalar_bits(rows.element) <= 16 && !rows.is_unsigned
               ? emit_word_sums
               : NULL;
  default:
    return NULL;
  }
}

/* The maps say acc[m ..][n] + rows[m ..][k] lanes[n][k], in either order; *lanes: the factor that has n. */
static bool sums_terms_of_lanes(const ir_op *op, unsigned *lanes) {
  const ir_map *out = ir_contract_map(op, 2);
  unsigned rank = out->num_results;
  for (*lanes = 0; *lanes < 2 && rank; ++*lanes) {
    const ir_map *of_lanes = ir_contract_map(op, *lanes), *of_rows = ir_contract_map(op, 1 - *lanes);
    bool fits = of_lanes->num_results == 2 && of_rows->num_results == rank &&
                of_lanes->results[0] == out->results[rank - 1] && of_lanes->results[1] == of_rows->results[rank - 1];
    for (unsigned i = 0; i + 1 < rank && fits; i++)
      fits = of_rows->results[i] == out->results[i];
    if (fits)
      return true;
  }
  return false;
}

/* acc[m][n] + rows[m][terms] lanes[n][terms], in bf16, i16 or i8, by the machine's sums of two or four products. False
 * where it is no such op. */
static bool contract_terms(emitter *e, const ir_op *op, LLVMValueRef *result) {
  const ir_type *type = ir_result(op, 0)->type;
  unsigned lanes = emit_row_length(type), side;
  int64_t terms;
  if (!sums_terms_of_lanes(op, &side))
    return false;
  narrow_factor of_rows = narrow_factor_of(ir_operand(op, 1 - side)), of_lanes = narrow_factor_of(ir_operand(op, side));
  emit_sums *sums = sums_of(e, of_rows, of_lanes, type->element, &terms);
  LLVMValueRef row = sums ? row_of_terms(e, of_lanes.value) : NULL;
  if (!row || of_lanes.value->type->shape[1] != terms || lanes < 4 || !is_power_of_two(lanes) ||
      strcmp(ir_attr_string_or(op, "kind", "add"), "add"))
    return false;
  const emit_value *start = emit_operand(e, op, 2);
  unsigned most = e->facts->vector_bits / ir_scalar_bits(IR_F32), repeated = lanes < most ? lanes : most;
  for (unsigned i = 0; i < start->num_pieces; i++) {
    LLVMValueRef terms = repeat_terms(e, of_rows, of_lanes.element, i, repeated);
    result[i] = emit_dot(e, sums, start->pieces[i], terms, row);
  }
  return true;
}

/* `count` lanes of the row, zeros behind its end. */
static LLVMValueRef part_of_row(emitter *e, LLVMValueRef row, unsigned from, unsigned count) {
  unsigned lanes = emit_lanes(row);
  if (from + count <= lanes)
    return emit_slice(e, row, from, count);
  int *places = IR_NEW_ARRAY(&e->arena, int, count);
  for (unsigned i = 0; i < count; i++)
    places[i] = (int)(from + i < lanes ? from + i : lanes);
  return emit_shuffle(e, row, LLVMConstNull(LLVMTypeOf(row)), places, count);
}

/* A factor whose rows are reduced along: rows of registers, one or those of its outer dim. */
typedef struct factor_rows {
  LLVMValueRef *rows; /* f32, or bf16 where terms are taken in pairs */
  unsigned count;
} factor_rows;

/* The maps say result[m][n] = lhs[m][k] rhs[n][k], or the other way round, where each of m and n may be missing.
 * *first: the factor with the outermost dim of the result, else the left one. */
static bool reduces_rows(const ir_op *op, unsigned *first) {
  const ir_map *map[] = {ir_contract_map(op, 0), ir_contract_map(op, 1), ir_contract_map(op, 2)};
  unsigned outer = 0;
  for (unsigned i = 0; i < 2; i++) {
    unsigned rank = map[i]->num_results;
    if (!rank || rank > 2 || map[i]->results[rank - 1] != map[0]->results[map[0]->num_results - 1])
      return false;
    outer += rank - 1;
  }
  if (map[2]->num_results != outer || map[2]->num_dims != outer + 1)
    return false;
  *first = outer && (map[0]->num_results == 1 || map[2]->results[0] != map[0]->results[0]);
  for (unsigned i = 0, at = 0; i < 2; i++) {
    unsigned factor = i ? 1 - *first : *first;
    if (map[factor]->num_results == 2 && map[2]->results[at++] != map[factor]->results[0])
      return false;
  }
  return true;
}

static factor_rows rows_of(emitter *e, const ir_op *op, unsigned i, bool paired) {
  const ir_type *type = ir_operand(op, i)->type;
  factor_rows f = {.rows = emit_operand(e, op, i)->pieces, .count = emit_operand(e, op, i)->num_pieces};
  if (paired)
    return f;
  LLVMValueRef *wide = IR_NEW_ARRAY(&e->arena, LLVMValueRef, f.count);
  for (unsigned row = 0; row < f.count; row++)
    wide[row] = promote(e, type->element, IR_F32, f.rows[row]);
  f.rows = wide;
  return f;
}

/* The lanes of all sums combined, one sum's result a lane; no more sums than lanes. */
static LLVMValueRef combine_sums(emitter *e, LLVMValueRef *sums, unsigned count) {
  unsigned all = 1;
  while (all < count)
    all *= 2;
  LLVMValueRef *rows = IR_NEW_ARRAY(&e->arena, LLVMValueRef, all);
  for (unsigned i = 0; i < all; i++)
    rows[i] = i < count ? sums[i] : LLVMGetPoison(LLVMTypeOf(sums[0]));
  return combine_rows(e, emit_addf, rows, all);
}

/* acc + lhs[m][k] rhs[n][k], each row of the inner factor one register after the other, for all rows of the outer:
 * so memory is read in its order, each element once, and sums are chains of multiply-adds that are combined together.
 * False where it is no such op, or has more sums than a register has lanes. */
static bool contract_rows(emitter *e, const ir_op *op, LLVMValueRef *result) {
  const ir_type *lhs = ir_operand(op, 0)->type, *rhs = ir_operand(op, 1)->type, *type = ir_result(op, 0)->type;
  unsigned register_bits = e->facts->vector_bits, first;
  if (type->element != IR_F32 || !register_bits || strcmp(ir_attr_string_or(op, "kind", "add"), "add") ||
      !reduces_rows(op, &first))
    return false;
  bool paired = e->facts->has_pair_dot && lhs->element == IR_BF16 && rhs->element == IR_BF16;
  unsigned lanes = register_bits / ir_scalar_bits(IR_F32), part = paired ? 2 * lanes : lanes;
  factor_rows outer = rows_of(e, op, first, paired), inner = rows_of(e, op, 1 - first, paired);
  unsigned count = outer.count * inner.count;
  if (count > lanes || (count > 1 && (!is_power_of_two(lanes) || lhs->shape[lhs->rank - 1] < lanes)))
    return false;
  LLVMValueRef *sums = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++)
    sums[i] = LLVMConstNull(emit_row_type(LLVMFloatTypeInContext(e->context), lanes));
  for (unsigned n = 0; n < inner.count; n++)
    for (unsigned at = 0; at < (unsigned)lhs->shape[lhs->rank - 1]; at += part) {
      LLVMValueRef b = NULL;
      for (unsigned m = 0; m < outer.count; m++) {
        LLVMValueRef a = part_of_row(e, outer.rows[m], at, part), *sum = &sums[m * inner.count + n];
        b = b ? b : part_of_row(e, inner.rows[n], at, part);
        /* what many rows meet is in a register: the last factor may come from memory */
        *sum = !paired           ? emit_multiply_add(e, a, b, *sum)
               : outer.count > 1 ? emit_pair_sums(e, *sum, b, a)
                                 : emit_pair_sums(e, *sum, a, b);
      }
    }
  const emit_value *start = emit_operand(e, op, 2);
  LLVMValueRef all = type->kind == IR_TYPE_SCALAR ? NULL : combine_sums(e, sums, count);
  unsigned length = count / start->num_pieces;
  for (unsigned i = 0; i < start->num_pieces; i++) {
    LLVMValueRef value = all ? emit_slice(e, all, i * length, length) : combine_lanes(e, emit_addf, sums[0]);
    LLVMValueRef terms[] = {start->pieces[i], in_form(e, type, value)};
    result[i] = LLVMIsNull(terms[0]) ? terms[1] : emit_addf(e, NULL, terms); /* sums that began with 0 are never -0 */
  }
  return true;
}

/* Lanes run along the innermost dim of the result, the reduction loops outside: C's rows are the accumulators, A's
 * elements are repeated, B's rows are used as they are. Without a dim in the result lanes run along the lhs's innermost
 * dim, one accumulator row whose lanes are combined at the end. */
bool emit_contract(emitter *e, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  emit_piece_hook *combine = emit_info(ir_combine_of(op))->piece;
  const emit_value *start = emit_operand(e, op, 2);
  LLVMValueRef *result = emit_result(e, op);
  if (!result)
    return false;
  if (contract_terms(e, op, result) || contract_rows(e, op, result))
    return true;
  const ir_map *map = ir_contract_map(op, 2);
  unsigned num_loops = map->num_dims, rank = map->num_results, lhs_rank = ir_operand(op, 0)->type->rank;
  if (!rank && !lhs_rank)
    return ir_op_error(op, "contracts scalars");
  int64_t extents[IR_MAX_LOOPS] = {0}, reduction[IR_MAX_LOOPS], position[IR_MAX_LOOPS] = {0};
  contraction_extents(op, extents);
  unsigned lane_loop =
      (unsigned)(rank ? ir_map_result_dim(map, rank - 1) : ir_map_result_dim(ir_contract_map(op, 0), lhs_rank - 1));
  unsigned lanes = (unsigned)extents[lane_loop], outer = emit_outer_rank(type), count = start->num_pieces;
  factor lhs = factor_of(e, op, 0, lane_loop, type->element);
  factor rhs = factor_of(e, op, 1, lane_loop, type->element);
  LLVMValueRef *sums = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count && rank; i++)
    sums[i] = emit_widen(e, type->element, start->pieces[i]);
  for (unsigned i = 0; i < num_loops; i++)
    reduction[i] = ir_map_find_dim(map, i) >= 0 || i == lane_loop ? 1 : extents[i];
  do {
    int64_t place[IR_MAX_RANK] = {0}, loops[IR_MAX_LOOPS];
    unsigned row = 0;
    do {
      memcpy(loops, position, sizeof loops);
      for (unsigned i = 0; i < outer; i++)
        loops[ir_map_result_dim(map, i)] = place[i];
      LLVMValueRef a = factor_at(e, &lhs, loops, lanes), b = factor_at(e, &rhs, loops, lanes);
      if (sums[row])
        sums[row] = accumulate(e, combine, a, b, sums[row]);
      else
        sums[row] = LLVMGetTypeKind(emit_element_of(a)) == LLVMIntegerTypeKind ? LLVMBuildMul(e->builder, a, b, "")
                                                                               : LLVMBuildFMul(e->builder, a, b, "");
      row++;
    } while (emit_next(outer, type->shape, place));
  } while (emit_next(num_loops, reduction, position));
  if (!rank) {
    LLVMValueRef total = in_form(e, type, combine_lanes(e, combine, sums[0]));
    sums[0] = combine(e, NULL, (LLVMValueRef[]){emit_widen(e, type->element, start->pieces[0]), total});
  }
  for (unsigned i = 0; i < count; i++)
    result[i] = emit_narrow(e, type->element, sums[i]);
  return true;
}
