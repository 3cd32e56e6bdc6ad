/* contract.c - vector.contract to LLVM IR.
 *
 * Most contractions are multiply-adds over rows of lanes (emit_contract). Those of which lanes take several terms at a
 * time use the machine's sums of products (contract_terms), and those that are reduced along rows read both factors in
 * the order of memory (contract_rows). */
#include "backend/hooks.h"
#include "backend/vector.h"
#include "ir/build.h"

#include <string.h>

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
  bool is_unsigned; /* or a constant, which is wide, but of numbers that unsigned bytes hold */
  bool is_flipped;  /* by its highest bits */
} narrow_factor;

static narrow_factor narrow_factor_of(const ir_value *value) {
  ir_cell splat;
  if (value->type->element != IR_I32)
    return (narrow_factor){.value = value, .element = value->type->element};
  if (ir_value_splat(value, &splat) && splat.i >= 0 && splat.i <= UINT8_MAX)
    return (narrow_factor){.value = value, .element = IR_I8, .is_unsigned = true};
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

/* The machine's instructions that multiply so many terms, which fill a word, of each lane, and add them up. */
typedef struct term_sums {
  ir_scalar element;
  unsigned terms;
  bool adds;            /* to an accumulator, their first operand */
  const char *names[3]; /* for 4, 8 and 16 lanes */
} term_sums;

static const term_sums pair_sums = {
    IR_BF16,
    2,
    true,
    {"llvm.x86.avx512bf16.dpbf16ps.128", "llvm.x86.avx512bf16.dpbf16ps.256", "llvm.x86.avx512bf16.dpbf16ps.512"}};
/* The first factor is unsigned. */
static const term_sums byte_sums = {
    IR_I8, 4, true, {"llvm.x86.avx512.vpdpbusd.128", "llvm.x86.avx512.vpdpbusd.256", "llvm.x86.avx512.vpdpbusd.512"}};
static const term_sums word_sums = {
    IR_I16, 2, false, {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"}};

/* acc + the sums of products, in each of 4, 8 or 16 lanes: factors hold as many terms a lane. */
static LLVMValueRef emit_sums(emitter *e, const term_sums *sums, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc);
  LLVMTypeRef element =
      sums->element == IR_BF16 ? LLVMBFloatTypeInContext(e->context) : emit_element_type(e, sums->element);
  LLVMTypeRef terms = LLVMVectorType(element, sums->terms * lanes);
  LLVMValueRef operands[] = {acc, LLVMBuildBitCast(e->builder, lhs, terms, ""),
                             LLVMBuildBitCast(e->builder, rhs, terms, "")};
  const char *name = sums->names[lanes == 16 ? 2 : lanes == 8 ? 1 : 0];
  if (sums->adds)
    return emit_intrinsic_of(e, name, NULL, 0, operands, 3);
  return LLVMBuildAdd(e->builder, acc, emit_intrinsic_of(e, name, NULL, 0, operands + 1, 2), "");
}

/* Row `i` of the factor, the terms of all lanes, for each of so many. Its highest bits are flipped in lanes: a
 * load repeats the word, and what flips it has pipes to itself, where a step from a scalar to lanes would take a
 * shuffle's. */
static LLVMValueRef repeat_terms(emitter *e, narrow_factor factor, ir_scalar element, unsigned i, unsigned lanes) {
  LLVMValueRef word = LLVMBuildBitCast(e->builder, narrow_piece(e, factor, element, i), emit_word_type(e), "");
  LLVMValueRef words = emit_splat(e, word, lanes);
  if (!factor.is_flipped)
    return words;
  LLVMValueRef high = emit_splat(e, emit_word(e, 0x80808080), lanes);
  return LLVMBuildXor(e->builder, emit_fence_row(e, words), high, "");
}

/* acc + the sums of products, in each lane: `lhs` is the terms of all lanes, a word in each lane of a register or less,
 * `rhs` such a word a lane. Lanes are a power of two, at least 4; more than a register holds are halved. */
static LLVMValueRef emit_dot(emitter *e, const term_sums *sums, LLVMValueRef acc, LLVMValueRef lhs, LLVMValueRef rhs) {
  unsigned lanes = emit_lanes(acc), all = emit_lanes(rhs);
  if (lanes <= emit_lanes(lhs))
    return emit_sums(e, sums, acc, lhs, rhs);
  LLVMValueRef half[2];
  for (unsigned i = 0; i < 2; i++)
    half[i] =
        emit_dot(e, sums, emit_slice(e, acc, i * lanes / 2, lanes / 2), lhs, emit_slice(e, rhs, i * all / 2, all / 2));
  return emit_join(e, half[0], half[1]);
}

/* The machine's sums of products of the factors; NULL: it has none. */
static const term_sums *sums_of(const emitter *e, narrow_factor rows, narrow_factor lanes, ir_scalar sum) {
  if (sum != (lanes.element == IR_BF16 ? IR_F32 : IR_I32) || lanes.is_unsigned)
    return NULL;
  switch (lanes.element) {
  case IR_BF16:
    return e->facts->has_pair_dot && rows.element == IR_BF16 ? &pair_sums : NULL;
  case IR_I8:
    return e->facts->integer_terms == TARGET_BYTES && rows.element == IR_I8 && rows.is_unsigned ? &byte_sums : NULL;
  case IR_I16:
    return e->facts->integer_terms == TARGET_WORDS && ir_scalar_bits(rows.element) <= 16 && !rows.is_unsigned
               ? &word_sums
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
  if (!sums_terms_of_lanes(op, &side))
    return false;
  narrow_factor of_rows = narrow_factor_of(ir_operand(op, 1 - side)), of_lanes = narrow_factor_of(ir_operand(op, side));
  const term_sums *sums = sums_of(e, of_rows, of_lanes, type->element);
  LLVMValueRef row = sums ? row_of_terms(e, of_lanes.value) : NULL;
  if (!row || of_lanes.value->type->shape[1] != sums->terms || lanes < 4 || !is_power_of_two(lanes) ||
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
  return emit_combine_rows(e, emit_addf, rows, all);
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
               : outer.count > 1 ? emit_sums(e, &pair_sums, *sum, b, a)
                                 : emit_sums(e, &pair_sums, *sum, a, b);
      }
    }
  const emit_value *start = emit_operand(e, op, 2);
  LLVMValueRef all = type->kind == IR_TYPE_SCALAR ? NULL : combine_sums(e, sums, count);
  unsigned length = count / start->num_pieces;
  for (unsigned i = 0; i < start->num_pieces; i++) {
    LLVMValueRef value = all ? emit_slice(e, all, i * length, length) : emit_combine_lanes(e, emit_addf, sums[0]);
    LLVMValueRef terms[] = {start->pieces[i], emit_in_form(e, type, value)};
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
    LLVMValueRef total = emit_in_form(e, type, emit_combine_lanes(e, combine, sums[0]));
    sums[0] = combine(e, NULL, (LLVMValueRef[]){emit_widen(e, type->element, start->pieces[0]), total});
  }
  for (unsigned i = 0; i < count; i++)
    result[i] = emit_narrow(e, type->element, sums[i]);
  return true;
}
