/* vector.c - vector ops to LLVM IR: reductions, and ops that only rearrange lanes. Contractions are in contract.c.
 *
 * n-D vectors are rows of lanes (llvm.h). What works along the innermost dim uses rows directly; an operand whose
 * wanted dim is not innermost is transposed first, by a network of log2(n) steps of two-row shuffles. */
#include "backend/vector.h"
#include "backend/hooks.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- transpose */

static unsigned element_bits(LLVMValueRef row) {
  LLVMTypeRef element = emit_element_of(row);
  LLVMTypeKind kind = LLVMGetTypeKind(element);
  return kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element) : kind == LLVMDoubleTypeKind ? 64 : 32;
}

LLVMValueRef emit_fence_row(emitter *e, LLVMValueRef row) {
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
    rows[i] = emit_fence_row(e, rows[i]);
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

LLVMValueRef emit_in_form(emitter *e, const ir_type *type, LLVMValueRef value) {
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

bool emit_shuffle_op(emitter *e, const ir_op *op) {
  LLVMValueRef a = emit_operand(e, op, 0)->pieces[0], b = emit_operand(e, op, 1)->pieces[0];
  unsigned count, have = emit_lanes(a), more = emit_lanes(b), both = have > more ? have : more;
  const int64_t *places = ir_attr_i64s_of(op, "mask", &count);
  int *pick = IR_NEW_ARRAY(&e->arena, int, count);
  for (unsigned i = 0; i < count; i++)
    pick[i] = (int)(places[i] < have ? places[i] : places[i] - have + both);
  emit_result(e, op)[0] = emit_shuffle(e, emit_resize(e, a, both), emit_resize(e, b, both), pick, count);
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
  result[0] = emit_in_form(e, to, result[0]);
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

LLVMValueRef emit_combine_lanes(emitter *e, emit_piece_hook *combine, LLVMValueRef row) {
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

LLVMValueRef emit_combine_rows(emitter *e, emit_piece_hook *combine, LLVMValueRef *rows, unsigned count) {
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

/* The lanes of so many rows can be combined together. */
static bool fit_together(LLVMValueRef const *rows, unsigned count) {
  return is_power_of_two(count) && is_power_of_two(emit_lanes(rows[0])) && count <= emit_lanes(rows[0]);
}

/* The lanes of each row combined, one row's result a lane; together where that can be. */
static LLVMValueRef combine_each(emitter *e, emit_piece_hook *combine, LLVMValueRef *rows, unsigned count) {
  if (fit_together(rows, count))
    return emit_combine_rows(e, combine, rows, count);
  LLVMValueRef result = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef scalar = emit_combine_lanes(e, combine, rows[i]);
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
  LLVMValueRef all = at_once ? emit_combine_rows(e, combine, partial, num_pieces * lanes) : NULL;
  for (unsigned i = 0; i < num_pieces; i++) {
    LLVMValueRef value = !horizontal                  ? partial[i]
                         : to->kind == IR_TYPE_SCALAR ? emit_combine_lanes(e, combine, partial[0])
                         : all                        ? emit_slice(e, all, i * lanes, lanes)
                                                      : combine_each(e, combine, &partial[i * lanes], lanes);
    LLVMValueRef init = emit_widen(e, to->element, start->pieces[i]);
    value = combine(e, NULL, (LLVMValueRef[]){init, emit_in_form(e, to, value)});
    result[i] = emit_narrow(e, to->element, value);
  }
  return true;
}
