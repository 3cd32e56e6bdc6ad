/* nvptx_warpgroup.c - vector_ext.warpgroup_mma as Hopper's wgmma, for sm_90a.
 *
 * LLVM has no intrinsic for wgmma, so one piece of assembly holds all products of an op, with the fence before and the
 * wait behind them: nobody can move registers or memory in between. A wait of its own takes the sums in and gives them
 * out, so that nobody reads them before. A factor in shared memory is named by a descriptor:
 * where it begins, how far the next eight rows are, how far the next box is, and how rows are swizzled.
 * Terminates: loops over the registers and the reduction of one op. */
#include "backend/nvptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LHS, LHS_INDICES, RHS, RHS_INDICES, ACC }; /* operand groups */
enum {
  DEPTH = 16,     /* of the reduction in one instruction */
  LEFT_WORDS = 4, /* of a lane for that */
  SWIZZLED_ROWS = 8,
  MAX_TEXT = 64 << 10,
  MAX_OPERANDS = 400,
};

static const char wait_text[] = "wgmma.wait_group.sync.aligned";

/* A text that grows up to MAX_TEXT. */
typedef struct asm_text {
  char *bytes;
  size_t length;
  bool overflows; /* some of it is missing */
} asm_text;

static void add(asm_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(asm_text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int count = vsnprintf(text->bytes + text->length, MAX_TEXT - text->length, format, list);
  va_end(list);
  text->overflows |= (size_t)count >= MAX_TEXT - text->length;
  text->length += text->overflows ? 0 : (size_t)count;
}

/* The assembly of one op: operands are first the sums, then, where they do not start from 0, these again, then words or
 * the descriptor of A, and the descriptor of B. */
typedef struct group_asm {
  const ir_op *op;
  int64_t columns, depth, box_rows[2];
  bool transposed, from_zero, left_in_memory;
  unsigned num_sums, num_words;
  asm_text text, constraints;
  LLVMValueRef operands[MAX_OPERANDS];
  unsigned num_operands;
} group_asm;

static unsigned memory_operand(const group_asm *g, unsigned side) { return ir_group_start(g->op, side ? RHS : LHS); }

static const ir_type *memory_type(const group_asm *g, unsigned side) {
  return ir_operand(g->op, memory_operand(g, side))->type;
}

static int64_t row_bytes(const group_asm *g, unsigned side) {
  const ir_type *type = memory_type(g, side);
  return type->shape[type->rank - 1] * ir_scalar_bytes(type->element);
}

/* The descriptor of a factor, in units of 16 bytes: bits 0-13 its address, 16-29 the distance of boxes (which count
 * where rows lie along the columns of B), 32-45 that of eight rows, 62-63 the swizzle of rows of 128, 64 or 32
 * bytes. */
static LLVMValueRef descriptor(emitter *e, const group_asm *g, unsigned side) {
  LLVMTypeRef index = LLVMInt64TypeInContext(e->context);
  unsigned memref = memory_operand(g, side);
  int64_t bytes = row_bytes(g, side);
  uint64_t swizzle = bytes == 128 ? 1 : bytes == 64 ? 2 : 3;
  uint64_t constant =
      swizzle << 62 | (uint64_t)(SWIZZLED_ROWS * bytes / 16) << 32 | (uint64_t)(g->box_rows[side] * bytes / 16) << 16;
  LLVMValueRef address = LLVMBuildPtrToInt(e->builder, emit_operand_address(e, g->op, memref, memref + 1), index, "");
  address = LLVMBuildAnd(e->builder, address, emit_index(e, 0x3ffff), "");
  address = LLVMBuildLShr(e->builder, address, emit_index(e, 4), "");
  return LLVMBuildOr(e->builder, address, emit_index(e, (int64_t)constant), "");
}

/* How much further a factor's part for `k` of the reduction begins, in units of 16 bytes. */
static int64_t further_on(const group_asm *g, unsigned side, int64_t k) {
  const ir_type *type = memory_type(g, side);
  int64_t columns = type->shape[type->rank - 1], bytes = row_bytes(g, side);
  if (side && g->transposed)
    return k * bytes / 16;
  return (k / columns * g->box_rows[side] * bytes + k % columns * ir_scalar_bytes(type->element)) / 16;
}

/* ------------------------------------------------------------------------------------------------------ constraints */

static void add_operand(group_asm *g, LLVMValueRef value, const char *constraint) {
  add(&g->constraints, ",%s", constraint);
  g->operands[g->num_operands++] = value;
}

/* The sums go out, and in unless they start from 0. */
static void add_sums(emitter *e, group_asm *g, const emit_value *acc) {
  char tied[16];
  for (unsigned i = 0; i < g->num_sums; i++)
    add(&g->constraints, "%s=%sf", i ? "," : "", g->from_zero ? "&" : "");
  for (unsigned i = 0; i < g->num_sums && !g->from_zero; i++) {
    snprintf(tied, sizeof tied, "%u", i);
    add_operand(g, emit_lane(e, acc->pieces[i / 2], i % 2), tied);
  }
}

static void add_operands(emitter *e, group_asm *g) {
  add_sums(e, g, emit_operand(e, g->op, ir_group_start(g->op, ACC)));
  const emit_value *lhs = emit_operand(e, g->op, 0);
  for (unsigned i = 0; i < g->num_words; i++)
    add_operand(g, LLVMBuildBitCast(e->builder, lhs->pieces[i], emit_word_type(e), ""), "r");
  if (g->left_in_memory)
    add_operand(g, descriptor(e, g, 0), "l");
  add_operand(g, descriptor(e, g, 1), "l");
  add(&g->constraints, ",~{memory}");
}

/* ------------------------------------------------------------------------------------------------------------- text */

static void add_list(asm_text *text, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    add(text, "%s$%u", i ? ", " : "{", first + i);
  add(text, "}");
}

/* One instruction. */
static void add_product(group_asm *g, int64_t k) {
  unsigned first = g->num_sums * (g->from_zero ? 1 : 2), right = first + (g->left_in_memory ? 1 : g->num_words);
  const char *element = memory_type(g, 1)->element == IR_BF16 ? "bf16" : "f16";
  asm_text *text = &g->text;
  add(text, "add.s64 right, $%u, %lld;\n", right, (long long)further_on(g, 1, k));
  if (g->left_in_memory)
    add(text, "add.s64 left, $%u, %lld;\n", first, (long long)further_on(g, 0, k));
  add(text, "wgmma.mma_async.sync.aligned.m64n%lldk16.f32.%s.%s ", (long long)g->columns, element, element);
  add_list(text, 0, g->num_sums);
  add(text, ", ");
  if (g->left_in_memory)
    add(text, "left");
  else
    add_list(text, first + (unsigned)(k / DEPTH) * LEFT_WORDS, LEFT_WORDS);
  add(text, ", right, %s, 1, 1, %s%d;\n", !k && g->from_zero ? "start" : "go_on", g->left_in_memory ? "0, " : "",
      g->transposed);
}

static void add_text(group_asm *g) {
  asm_text *text = &g->text;
  add(text, "{\n.reg .pred start, go_on;\n.reg .b64 left, right;\n");
  add(text, "setp.ne.b32 start, 0, 0;\nsetp.eq.b32 go_on, 0, 0;\n");
  add(text, "wgmma.fence.sync.aligned;\n");
  for (int64_t k = 0; k < g->depth; k += DEPTH)
    add_product(g, k);
  add(text, "wgmma.commit_group.sync.aligned;\n");
  if (!ir_attr_get(g->op, "async"))
    add(text, "%s 0;\n", wait_text);
  add(text, "}");
}

/* ------------------------------------------------------------------------------------------------------------- call */

static bool is_zero(const emit_value *value) {
  bool zero = true;
  for (unsigned i = 0; i < value->num_pieces; i++)
    zero = zero && LLVMIsConstant(value->pieces[i]) && LLVMIsNull(value->pieces[i]);
  return zero;
}

/* The sums, as fields of one value, to the rows of the op's result. */
static void bind_sums(emitter *e, const ir_op *op, LLVMValueRef sums, LLVMTypeRef row_type) {
  LLVMValueRef *result = emit_result(e, op);
  for (int64_t i = 0; i < ir_type_num_elements(ir_result(op, 0)->type); i++) {
    LLVMValueRef row = i % 2 ? result[i / 2] : LLVMGetPoison(row_type);
    result[i / 2] = emit_set_lane(e, row, LLVMBuildExtractValue(e->builder, sums, (unsigned)i, ""), (unsigned)i % 2);
  }
}

static LLVMValueRef call_text(emitter *e, group_asm *g) {
  LLVMTypeRef floats[MAX_OPERANDS];
  for (unsigned i = 0; i < g->num_sums; i++)
    floats[i] = LLVMFloatTypeInContext(e->context);
  LLVMTypeRef result = LLVMStructTypeInContext(e->context, floats, g->num_sums, false);
  LLVMValueRef call = emit_assembly(e, result, g->text.bytes, g->constraints.bytes, g->operands, g->num_operands);
  static const char *const attributes[] = {"convergent", "nounwind"};
  for (unsigned i = 0; i < 2; i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
  }
  return call;
}

/* With memory for the texts; false: there is none. */
static bool begin(group_asm *g) {
  g->text.bytes = malloc(MAX_TEXT);
  g->constraints.bytes = malloc(MAX_TEXT);
  return g->text.bytes && g->constraints.bytes;
}

static bool end(group_asm *g, bool good) {
  free(g->text.bytes);
  free(g->constraints.bytes);
  good = good && !g->text.overflows && !g->constraints.overflows;
  return good || ir_op_error(g->op, "has too many registers, or memory is short");
}

static bool has_groups(const emitter *e, const ir_op *op) {
  return e->facts->warpgroup ||
         ir_op_error(op, "is for chips whose warpgroups multiply, which %s has none of", e->facts->name);
}

bool nvptx_warpgroup_wait(emitter *e, const ir_op *op) {
  const emit_value *sums = emit_operand(e, op, 0);
  group_asm g = {.op = op, .num_sums = (unsigned)ir_type_num_elements(ir_operand(op, 0)->type)};
  if (!has_groups(e, op))
    return false;
  bool good = begin(&g);
  if (good) {
    add_sums(e, &g, sums);
    add(&g.constraints, ",~{memory}");
    add(&g.text, "%s %lld;", wait_text, (long long)ir_attr_int_or(op, "numGroups", 0));
    bind_sums(e, op, call_text(e, &g), LLVMTypeOf(sums->pieces[0]));
  }
  return end(&g, good);
}

bool nvptx_warpgroup_mma(emitter *e, const ir_op *op) {
  unsigned count;
  const int64_t *shape = ir_attr_i64s_of(op, "mmaShape", &count), *rows = ir_attr_i64s_of(op, "boxRows", &count);
  if (!has_groups(e, op))
    return false;
  group_asm g = {.op = op,
                 .columns = shape[1],
                 .depth = shape[2],
                 .box_rows = {rows[0], rows[1]},
                 .transposed = ir_attr_get(op, "transposed") != NULL,
                 .left_in_memory = ir_operand(op, 0)->type->kind == IR_TYPE_MEMREF,
                 .num_sums = (unsigned)shape[1] / 2};
  const emit_value *acc = emit_operand(e, op, ir_group_start(op, ACC));
  g.from_zero = is_zero(acc);
  g.num_words = g.left_in_memory ? 0 : (unsigned)(shape[2] / DEPTH) * LEFT_WORDS;
  bool good = begin(&g) && 2 * g.num_sums + g.num_words + 2 <= MAX_OPERANDS;
  if (good) {
    add_operands(e, &g);
    add_text(&g);
    bind_sums(e, op, call_text(e, &g), LLVMTypeOf(acc->pieces[0]));
  }
  return end(&g, good);
}
