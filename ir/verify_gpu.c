/* verify_gpu.c - checks of the ops of one lane: gpu and nvgpu. What an op means must follow from its types alone; which
 * shapes a chip has is the backend's to check. */
#include "verify_util.h"

#include <string.h>

static bool is_workgroup(const ir_type *type) {
  return type->kind == IR_TYPE_MEMREF && type->space == IR_SPACE_WORKGROUP;
}

/* The bytes of `count` elements; -1 where the element is less than a byte. */
static int64_t bytes_of(ir_scalar element, int64_t count) {
  unsigned bits = ir_scalar_bits(element);
  return bits < 8 ? -1 : count * (bits / 8);
}

bool verify_thread_id(const ir_op *op) {
  const char *dimension = ir_attr_string_or(op, "dimension", "");
  return !strcmp(dimension, "dim x") || !strcmp(dimension, "dim y") || !strcmp(dimension, "dim z") ||
         ir_op_error(op, "'dimension' must be x, y or z");
}

/* ---------------------------------------------------------------------------------------------------------- shuffle */

bool infer_shuffle(const ir_op *op, const ir_type **types) {
  types[0] = ir_operand(op, 0)->type;
  types[1] = ir_type_scalar(op->module, IR_I1);
  return true;
}

bool verify_shuffle(const ir_op *op) {
  static const char *const modes[] = {"shuffle_mode xor", "shuffle_mode up", "shuffle_mode down", "shuffle_mode idx"};
  const char *mode = ir_attr_string_or(op, "mode", "");
  bool known = false;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    known |= !strcmp(mode, modes[i]);
  if (!known)
    return ir_op_error(op, "'mode' must be xor, up, down or idx");
  const ir_type *type = ir_operand(op, 0)->type;
  bool single = type->kind == IR_TYPE_SCALAR || (type->kind == IR_TYPE_VECTOR && type->rank == 1);
  int64_t bits = single ? ir_type_num_elements(type) * ir_scalar_bits(type->element) : 0;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return ir_op_error(op, "moves 8, 16, 32 or 64 bits, not %s", ir_print_type(op->module, type));
  const ir_type *word = ir_type_scalar(op->module, IR_I32);
  return (ir_operand(op, 1)->type == word && ir_operand(op, 2)->type == word) ||
         ir_op_error(op, "the offset and the width must be i32");
}

/* --------------------------------------------------------------------------------------------------------- matrices */

/* One lane's share of `elements` elements, in rows of `row` elements. */
static bool verify_fragment(const ir_op *op, const ir_type *type, int64_t elements, int64_t row, const char *what) {
  if (type->kind == IR_TYPE_VECTOR && type->rank == 2 && type->shape[1] == row &&
      type->shape[0] * type->shape[1] * 32 == elements)
    return true;
  return ir_op_error(op, "%s must have rows of %lld elements and 1/32 of the %lld elements in all, not %s", what,
                     (long long)row, (long long)elements, ir_print_type(op->module, type));
}

bool verify_mma_sync(const ir_op *op) {
  unsigned count;
  const int64_t *shape = ir_attr_i64s_of(op, "mmaShape", &count);
  if (!shape || count != 3)
    return ir_op_error(op, "'mmaShape' must be [m, n, k]");
  for (unsigned i = 0; i < 3; i++)
    if (shape[i] < 1 || shape[i] > 256)
      return ir_op_error(op, "'mmaShape' must hold extents from 1 to 256");
  int64_t m = shape[0], n = shape[1], k = shape[2];
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type, *c = ir_operand(op, 2)->type;
  if (a->element != b->element)
    return ir_op_error(op, "A and B must have one element type");
  unsigned bits = ir_scalar_bits(a->element);
  int64_t row = bits < 32 ? 32 / bits : 1;
  return verify_fragment(op, a, m * k, row, "A") && verify_fragment(op, b, n * k, row, "B") &&
         verify_fragment(op, c, m * n, 2, "C");
}

bool verify_subgroup_reduce(const ir_op *op) {
  static const struct {
    const char *word;
    ir_scalar element;
  } rows[] = {{"all_reduce_op add", IR_F32},
              {"all_reduce_op maxnumf", IR_F32},
              {"all_reduce_op minnumf", IR_F32},
              {"all_reduce_op or", IR_I1}};
  const char *word = ir_attr_string_or(op, "op", "");
  const ir_type *type = ir_operand(op, 0)->type;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(word, rows[i].word))
      return (type->kind == IR_TYPE_SCALAR && type->element == rows[i].element) ||
             ir_op_error(op, "combines %s, not %s", ir_scalar_name(rows[i].element), ir_print_type(op->module, type));
  return ir_op_error(op, "'op' must be add, maxnumf, minnumf or or");
}

/* C is 8 rows by as many columns as there are lanes; the reduction is 16 deep. */
bool verify_dpas(const ir_op *op) {
  enum { ROWS = 8, FEW_ROWS = 4, DEPTH = 16 };
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type, *c = ir_operand(op, 2)->type;
  bool vectors = a->kind == IR_TYPE_VECTOR && b->kind == IR_TYPE_VECTOR && c->kind == IR_TYPE_VECTOR && a->rank == 1 &&
                 b->rank == 1 && c->rank == 1;
  if (!vectors || a->element != b->element || ir_scalar_bits(a->element) != 16 || !ir_scalar_is_float(a->element) ||
      c->element != IR_F32)
    return ir_op_error(op, "multiplies vectors of f16 or of bf16 and adds to one of f32");
  bool narrow = a->shape[0] == 2 * c->shape[0];
  if ((c->shape[0] != ROWS && !(narrow && c->shape[0] == FEW_ROWS)) || b->shape[0] != DEPTH ||
      (a->shape[0] != ROWS && !narrow))
    return ir_op_error(op, "takes 8 elements of A (on 8 lanes 16, or 8 for 4 rows), 16 of B and one of C for each row");
  return true;
}

/* Memory that a warpgroup reads: whole boxes of rows. */
static bool verify_boxes(const ir_op *op, const ir_type *type, int64_t rows, const char *what) {
  bool fits = is_workgroup(type) && type->rank >= 2 && ir_scalar_bits(type->element) == 16 && rows > 0 &&
              rows % 8 == 0 && type->shape[type->rank - 2] % rows == 0;
  int64_t row = fits ? type->shape[type->rank - 1] : 0;
  if (row == 16 || row == 32 || row == 64)
    return true;
  return ir_op_error(op, "%s must be workgroup memory of 16-bit elements, its rows of 16, 32 or 64 in whole boxes",
                     what);
}

bool verify_warpgroup_mma(const ir_op *op) {
  enum { LHS, LHS_INDICES, RHS, RHS_INDICES, ACC, WARPS = 4 };
  unsigned counts[2] = {0};
  const int64_t *shape = ir_attr_i64s_of(op, "mmaShape", &counts[0]),
                *rows = ir_attr_i64s_of(op, "boxRows", &counts[1]);
  const ir_type *lhs = ir_group_operand(op, LHS, 0)->type, *rhs = ir_group_operand(op, RHS, 0)->type;
  const ir_type *acc = ir_group_operand(op, ACC, 0)->type;
  if (!shape || counts[0] != 3 || shape[0] != 64 || shape[1] < 8 || shape[1] > 256 || shape[1] % 8 || shape[2] < 16 ||
      shape[2] > 1024 || shape[2] % 16)
    return ir_op_error(op, "'mmaShape' must be [64, n, k] with n up to 256, a multiple of 8, and k a multiple of 16");
  if (!rows || counts[1] != 2)
    return ir_op_error(op, "'boxRows' must hold two numbers");
  if (!verify_boxes(op, rhs, rows[1], "B") || !verify_subscripts(op, RHS_INDICES, rhs, "index"))
    return false;
  if (lhs->element != rhs->element || !ir_scalar_is_float(lhs->element) || acc->element != IR_F32)
    return ir_op_error(op, "multiplies f16 or bf16 and adds to f32");
  bool good = lhs->kind == IR_TYPE_VECTOR
                  ? verify_fragment(op, lhs, shape[0] * shape[2] / WARPS, 2, "A") &&
                        (!ir_group_size(op, LHS_INDICES) || ir_op_error(op, "A has subscripts, but is in registers"))
                  : verify_boxes(op, lhs, rows[0], "A") && verify_subscripts(op, LHS_INDICES, lhs, "index");
  return good && verify_fragment(op, acc, shape[0] * shape[1] / WARPS, 2, "C") &&
         (ir_result(op, 0)->type == acc || ir_op_error(op, "gives what C is"));
}

bool verify_warpgroup_wait(const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  return (type->kind == IR_TYPE_VECTOR && type->rank == 2 && type->element == IR_F32 && type->shape[1] == 2 &&
          type->shape[0] <= 64) ||
         ir_op_error(op, "waits for up to 64 rows of two f32, not %s", ir_print_type(op->module, type));
}

bool verify_block_load(const ir_op *op) {
  const ir_type *memref = ir_operand(op, 0)->type, *result = ir_result(op, 0)->type;
  bool transposed = ir_attr_get(op, "transposed") != NULL;
  if (memref->kind != IR_TYPE_MEMREF || memref->rank < 2 || is_workgroup(memref) ||
      ir_scalar_bits(memref->element) != 16)
    return ir_op_error(op, "reads global memory of 16-bit elements and rank 2 at least, not %s",
                       ir_print_type(op->module, memref));
  bool fits = result->kind == IR_TYPE_VECTOR && result->rank == 1 && result->element == memref->element &&
              (result->shape[0] == 16 || (result->shape[0] == 8 && !transposed));
  if (!fits)
    return ir_op_error(op, "gives 16 (or, not transposed, 8) of the memref's elements, not %s",
                       ir_print_type(op->module, result));
  return verify_subscripts(op, 1, memref, "index");
}

bool verify_prefetch(const ir_op *op) {
  const ir_type *memref = ir_operand(op, 0)->type;
  if (memref->kind != IR_TYPE_MEMREF || is_workgroup(memref))
    return ir_op_error(op, "is for global memory, not %s", ir_print_type(op->module, memref));
  return verify_subscripts(op, 1, memref, "index");
}

bool verify_ldmatrix(const ir_op *op) {
  const ir_type *memref = ir_operand(op, 0)->type, *result = ir_result(op, 0)->type;
  int64_t tiles = ir_attr_int_or(op, "numTiles", 0);
  const ir_attr *transpose = ir_attr_get(op, "transpose");
  if (!is_workgroup(memref))
    return ir_op_error(op, "reads from #gpu.address_space<workgroup>, not from %s", ir_print_type(op->module, memref));
  if (tiles != 1 && tiles != 2 && tiles != 4)
    return ir_op_error(op, "'numTiles' must be 1, 2 or 4");
  bool fits = result->kind == IR_TYPE_VECTOR && result->rank == 2 && result->element == memref->element &&
              result->shape[0] == tiles && bytes_of(result->element, result->shape[1]) == 4;
  if (!fits)
    return ir_op_error(op, "gives %lld rows of 4 bytes of the memref's elements, not %s", (long long)tiles,
                       ir_print_type(op->module, result));
  if (transpose->value && ir_scalar_bits(memref->element) != 16)
    return ir_op_error(op, "transposes 16-bit elements only");
  return verify_subscripts(op, 1, memref, "index");
}

/* ---------------------------------------------------------------------------------------------- asynchronous copies */

enum { COPY_TARGET, COPY_TARGET_INDICES, COPY_SOURCE, COPY_SOURCE_INDICES, COPY_SOURCE_ELEMENTS };

bool infer_async_token(const ir_op *op, const ir_type **types) {
  types[0] = ir_type_token(op->module);
  return true;
}

bool verify_async_copy(const ir_op *op) {
  const ir_type *target = ir_group_operand(op, COPY_TARGET, 0)->type;
  const ir_type *source = ir_group_operand(op, COPY_SOURCE, 0)->type;
  if (!is_workgroup(target) || source->kind != IR_TYPE_MEMREF || source->space != IR_SPACE_GLOBAL ||
      source->element != target->element)
    return ir_op_error(op, "copies from global to workgroup memory of one element type, not from %s to %s",
                       ir_print_type(op->module, source), ir_print_type(op->module, target));
  if (ir_group_size(op, COPY_TARGET_INDICES) != target->rank || ir_group_size(op, COPY_SOURCE_INDICES) != source->rank)
    return ir_op_error(op, "needs one index a dim of each memref");
  int64_t elements = ir_attr_int_or(op, "dstElements", 0);
  int64_t bytes = elements >= 1 && elements <= 16 ? bytes_of(target->element, elements) : -1;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return ir_op_error(op, "copies 4, 8 or 16 bytes");
  if (ir_attr_get(op, "bypassL1") && bytes != 16)
    return ir_op_error(op, "bypasses the L1 cache with 16 bytes only");
  return verify_index_operands(op, COPY_TARGET_INDICES, "index") &&
         verify_index_operands(op, COPY_SOURCE_INDICES, "index") &&
         verify_index_operands(op, COPY_SOURCE_ELEMENTS, "the number of elements");
}

bool verify_async_group(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!verify_kind(op, ir_operand(op, i), IR_TYPE_TOKEN, "an operand"))
      return false;
  return true;
}

bool verify_async_wait(const ir_op *op) {
  if (ir_attr_int_or(op, "numGroups", 0) < 0)
    return ir_op_error(op, "'numGroups' must not be negative");
  return verify_kind(op, ir_operand(op, 0), IR_TYPE_TOKEN, "the operand");
}
