/* spirv_ops.c - the ops of one lane (gpu) and functions on numbers as OpenCL's built-in functions.
 *
 * The number of a lane is made of the numbers of its sub-group and of the lane there, so that it does not depend on how
 * a device deals work-items to sub-groups. */
#include "backend/spirv.h"

#include <stdio.h>
#include <string.h>

LLVMValueRef spirv_call(emitter *e, const char *name, LLVMTypeRef result, LLVMValueRef const *operands,
                        unsigned num_operands, bool together) {
  enum { MAX_OPERANDS = 12 };
  LLVMTypeRef types[MAX_OPERANDS];
  LLVMValueRef copies[MAX_OPERANDS];
  for (unsigned i = 0; i < num_operands; i++) {
    copies[i] = operands[i];
    types[i] = LLVMTypeOf(operands[i]);
  }
  LLVMTypeRef type = LLVMFunctionType(result, types, num_operands, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
  if (!function) {
    function = LLVMAddFunction(e->llvm, name, type);
    LLVMSetFunctionCallConv(function, LLVMSPIRFUNCCallConv);
    emit_add_attribute(e, function, "nounwind", 0);
    emit_add_attribute(e, function, together ? "convergent" : "willreturn", 0);
    if (!together)
      emit_add_attribute(e, function, "memory", 0); /* none */
  }
  LLVMValueRef call = LLVMBuildCall2(e->builder, type, function, copies, num_operands, "");
  LLVMSetInstructionCallConv(call, LLVMSPIRFUNCCallConv);
  return call;
}

static LLVMValueRef lane_number(emitter *e) {
  return spirv_call(e, "_Z22get_sub_group_local_idv", emit_word_type(e), NULL, 0, false);
}

static bool emit_thread_id(emitter *e, const ir_op *op) {
  const char *dimension = ir_attr_string_or(op, "dimension", "dim x");
  LLVMValueRef number = emit_word(e, 0);
  if (dimension[strlen(dimension) - 1] == 'x') {
    LLVMValueRef group = spirv_call(e, "_Z16get_sub_group_idv", emit_word_type(e), NULL, 0, false);
    LLVMValueRef lane =
        LLVMBuildAnd(e->builder, lane_number(e), emit_word(e, e->facts->warp - 1), ""); /* as LLVM cannot know */
    number = LLVMBuildNUWMul(e->builder, group, emit_word(e, e->facts->warp), "");
    number = LLVMBuildOr(e->builder, number, lane, "");
  }
  emit_result(e, op)[0] = LLVMBuildZExt(e->builder, number, LLVMInt64TypeInContext(e->context), "");
  return true;
}

static bool emit_barrier(emitter *e, const ir_op *op) {
  enum { LOCAL_FENCE = 1, GLOBAL_FENCE = 2 };
  LLVMValueRef fences = emit_word(e, LOCAL_FENCE | GLOBAL_FENCE);
  spirv_call(e, "_Z7barrierj", LLVMVoidTypeInContext(e->context), &fences, 1, true);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- shuffle */

/* The lane whose value is wanted; any number where there is none. */
static LLVMValueRef other_lane(emitter *e, const ir_op *op, LLVMValueRef lane, LLVMValueRef offset,
                               LLVMValueRef width) {
  const char *mode = ir_attr_string_or(op, "mode", "");
  LLVMBuilderRef b = e->builder;
  if (!strcmp(mode, "shuffle_mode xor"))
    return LLVMBuildXor(b, lane, offset, "");
  if (!strcmp(mode, "shuffle_mode up"))
    return LLVMBuildSub(b, lane, offset, "");
  if (!strcmp(mode, "shuffle_mode down"))
    return LLVMBuildAdd(b, lane, offset, "");
  LLVMValueRef first = LLVMBuildAnd(b, lane, LLVMBuildNeg(b, width, ""), "");
  return LLVMBuildAdd(b, first, offset, "");
}

/* Groups of `width` lanes, a power of two, exchange values; what is moved is an integer of 32 or 64 bits. */
static bool emit_gpu_shuffle(emitter *e, const ir_op *op) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef value = emit_scalar(e, ir_operand(op, 0)), lane = lane_number(e);
  LLVMValueRef offset = emit_scalar(e, ir_operand(op, 1)), width = emit_scalar(e, ir_operand(op, 2));
  unsigned lanes = emit_lanes(value), bits = ir_scalar_bits(ir_operand(op, 0)->type->element) * (lanes ? lanes : 1);
  LLVMValueRef whole = LLVMBuildBitCast(b, value, LLVMIntTypeInContext(e->context, bits), "");
  LLVMValueRef other = other_lane(e, op, lane, offset, width);
  bool is_xor = !strcmp(ir_attr_string_or(op, "mode", ""), "shuffle_mode xor");
  LLVMValueRef operands[] = {bits < 32 ? LLVMBuildZExt(b, whole, emit_word_type(e), "") : whole,
                             is_xor ? offset : other};
  static const char *const names[2][2] = {{"_Z17sub_group_shufflejj", "_Z17sub_group_shufflemj"},
                                          {"_Z21sub_group_shuffle_xorjj", "_Z21sub_group_shuffle_xormj"}};
  LLVMValueRef moved = spirv_call(e, names[is_xor][bits > 32], LLVMTypeOf(operands[0]), operands, 2, true);
  if (bits < 32)
    moved = LLVMBuildTrunc(b, moved, LLVMTypeOf(whole), "");
  LLVMValueRef in_group = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildXor(b, lane, other, ""), width, "");
  LLVMValueRef exists = LLVMBuildICmp(b, LLVMIntULT, other, emit_word(e, e->facts->warp), "");
  LLVMValueRef results[] = {LLVMBuildBitCast(b, moved, LLVMTypeOf(value), ""), LLVMBuildAnd(b, in_group, exists, "")};
  for (unsigned i = 0; i < 2; i++) {
    emit_value bound = emit_new_value(e, 1);
    bound.pieces[0] = results[i];
    emit_bind(e, ir_result(op, i), bound);
  }
  return true;
}

/* OpenCL's extrema drop NaN, as maxnumf and minnumf do. */
static bool emit_subgroup_reduce(emitter *e, const ir_op *op) {
  if (ir_operand(op, 0)->type->element != IR_F32)
    return ir_op_error(op, "has no form for i1 in the spirv backend");
  const char *combines = ir_attr_string_or(op, "op", "");
  const char *name = !strcmp(combines, "all_reduce_op add")       ? "_Z20sub_group_reduce_addf"
                     : !strcmp(combines, "all_reduce_op maxnumf") ? "_Z20sub_group_reduce_maxf"
                                                                  : "_Z20sub_group_reduce_minf";
  LLVMValueRef value = emit_scalar(e, ir_operand(op, 0));
  emit_result(e, op)[0] = spirv_call(e, name, LLVMTypeOf(value), &value, 1, true);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- matrices */

/* A on 16 lanes has one 16-bit element in each of 8 rows; on 8 lanes, and 8 rows or 4, it has two, as one word, like
 * B. */
static bool emit_dpas(emitter *e, const ir_op *op) {
  enum {
    F16,
    BF16,
    DEPTH = 16,
    PACKED_A_F16 = 0x400,
    PACKED_B_F16 = 0x800,
    PACKED_A_BF16 = 0x1000,
    PACKED_B_BF16 = 0x2000
  };
  enum { FOUR_ROWS, NARROW, WIDE };
  static const char *const imports[2][3] = {{"_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv4_iDv8_iDv4_f",
                                             "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_iS_Dv8_f",
                                             "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f"},
                                            {"_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv4_iDv8_iDv4_f",
                                             "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_iS_Dv8_f",
                                             "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f"}};
  static const char instruction[] = "_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi";
  static const int formats[] = {PACKED_A_F16 | PACKED_B_F16, PACKED_A_BF16 | PACKED_B_BF16};
  const ir_type *type = ir_operand(op, 0)->type;
  int64_t rows = ir_result(op, 0)->type->shape[0];
  bool wide = type->shape[0] == rows;
  unsigned form = wide ? WIDE : rows == 8 ? NARROW : FOUR_ROWS;
  unsigned format = type->element == IR_F16 ? F16 : BF16;
  if (!e->facts->num_matrices || wide != (e->facts->warp == 16) || (!wide && e->facts->spelling != SPELLING_IMPORT))
    return ir_op_error(op, "is no instruction of the matrix unit of %s", e->facts->name);
  LLVMValueRef a = emit_scalar(e, ir_operand(op, 0)), b = emit_scalar(e, ir_operand(op, 1));
  LLVMValueRef c = emit_scalar(e, ir_operand(op, 2));
  a = wide ? a : LLVMBuildBitCast(e->builder, a, LLVMVectorType(emit_word_type(e), (unsigned)rows), "");
  b = LLVMBuildBitCast(e->builder, b, LLVMVectorType(emit_word_type(e), DEPTH / 2), "");
  LLVMValueRef by_function[] = {a, b, c};
  LLVMValueRef by_instruction[] = {emit_word(e, DEPTH), a, b, c, emit_word(e, formats[format])};
  emit_result(e, op)[0] = e->facts->spelling == SPELLING_IMPORT
                              ? spirv_call(e, imports[format][form], LLVMTypeOf(c), by_function, 3, true)
                              : spirv_call(e, instruction, LLVMTypeOf(c), by_instruction, 5, true);
  return true;
}

/* ------------------------------------------------------------------------------------------------------ block loads */

/* The surface that a block is cut from, and where. Hardware wants it to start at a multiple of 64 bytes: what lies
 * between such an address and the first element counts as columns on the left. */
typedef struct block_surface {
  LLVMValueRef base, width, height, pitch; /* bytes, rows, bytes */
  LLVMValueRef column, row;
} block_surface;

static block_surface find_surface(emitter *e, const ir_op *op) {
  enum { SURFACE_ALIGNMENT = 64, BYTES = 2 };
  LLVMBuilderRef b = e->builder;
  const emit_value *memref = emit_operand(e, op, 0);
  unsigned rank = ir_operand(op, 0)->type->rank;
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->context), index = LLVMInt64TypeInContext(e->context);
  LLVMValueRef address = memref->pieces[0];
  for (unsigned dim = 0; dim + 2 < rank; dim++) {
    LLVMValueRef offset = LLVMBuildMul(b, emit_scalar(e, ir_operand(op, 1 + dim)), emit_stride(memref, dim), "");
    address = emit_address(e, ir_operand(op, 0)->type->element, address, offset);
  }
  LLVMValueRef mask = emit_index(e, SURFACE_ALIGNMENT - 1);
  LLVMValueRef left = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, address, index, ""), mask, "");
  LLVMValueRef back = LLVMBuildNeg(b, left, ""), words[5];
  LLVMValueRef columns = LLVMBuildLShr(b, left, emit_index(e, 1), "");
  LLVMValueRef width = LLVMBuildMul(b, emit_size(memref, rank - 1), emit_index(e, BYTES), "");
  LLVMValueRef wide[] = {LLVMBuildAdd(b, width, left, ""), emit_size(memref, rank - 2),
                         LLVMBuildMul(b, emit_stride(memref, rank - 2), emit_index(e, BYTES), ""),
                         LLVMBuildAdd(b, emit_scalar(e, ir_operand(op, rank)), columns, ""),
                         emit_scalar(e, ir_operand(op, rank - 1))};
  for (unsigned i = 0; i < 5; i++)
    words[i] = LLVMBuildTrunc(b, wide[i], emit_word_type(e), "");
  return (block_surface){
      LLVMBuildGEP2(b, byte, address, &back, 1, ""), words[0], words[1], words[2], words[3], words[4]};
}

static LLVMValueRef pair_of(emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(emit_word_type(e), 2));
  return emit_set_lane(e, emit_set_lane(e, pair, x, 0), y, 1);
}

static LLVMValueRef load_by_function(emitter *e, const block_surface *s, const char *name, LLVMTypeRef type) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef one = emit_word(e, 1);
  LLVMValueRef operands[] = {LLVMBuildPtrToInt(b, s->base, LLVMInt64TypeInContext(e->context), ""),
                             LLVMBuildSub(b, s->width, one, ""), LLVMBuildSub(b, s->height, one, ""),
                             LLVMBuildSub(b, s->pitch, one, ""), pair_of(e, s->column, s->row)};
  return spirv_call(e, name, type, operands, 5, true);
}

/* The instruction leaves what it loads in memory of the lane, which is a register in the end. */
static LLVMValueRef load_by_instruction(emitter *e, const block_surface *s, const char *name, const int64_t shape[3],
                                        LLVMTypeRef type) {
  LLVMValueRef place = emit_alloca(e, type, 32);
  LLVMValueRef operands[] = {emit_word(e, shape[0]),
                             emit_word(e, shape[1]),
                             emit_word(e, shape[2]),
                             emit_word(e, 1),
                             s->base,
                             s->width,
                             s->height,
                             s->pitch,
                             pair_of(e, s->column, s->row),
                             place};
  spirv_call(e, name, LLVMVoidTypeInContext(e->context), operands, 10, true);
  return LLVMBuildLoad2(e->builder, type, place, "");
}

/* 16 registers of 16 bits are 8 words: pairs of rows, or, transposed, columns of words, which are pairs too. */
static bool emit_block_load(emitter *e, const ir_op *op) {
  enum { ROWS, PAIRS, TRANSPOSED };
  static const struct {
    const char *function, *instruction;
    int64_t shape[3]; /* bytes of an element, columns and rows */
  } forms[] = {[ROWS] = {"__builtin_IB_subgroup_block_read_flat_u16_m8k16v1",
                         "_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1KviiiDv2_iPv",
                         {2, 16, 8}},
               [PAIRS] = {"__builtin_IB_subgroup_block_read_flat_transform_u16_k16",
                          "_Z41__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1KviiiDv2_iPv",
                          {2, 16, 16}},
               [TRANSPOSED] = {"__builtin_IB_subgroup_block_read_flat_transpose_u32_k8",
                               "_Z41__spirv_Subgroup2DBlockLoadTransposeINTELiiiiPU3AS1KviiiDv2_iPv",
                               {4, 8, 16}}};
  if (!e->facts->has_block_loads)
    return ir_op_error(op, "is no instruction of %s", e->facts->name);
  bool transposed = ir_attr_get(op, "transposed") != NULL;
  unsigned registers = (unsigned)ir_result(op, 0)->type->shape[0], form = transposed       ? TRANSPOSED
                                                                          : registers == 8 ? ROWS
                                                                                           : PAIRS;
  block_surface surface = find_surface(e, op);
  LLVMTypeRef type = LLVMVectorType(form == ROWS ? LLVMInt16TypeInContext(e->context) : emit_word_type(e), 8);
  if (transposed)
    surface.column = LLVMBuildLShr(e->builder, surface.column, emit_word(e, 1), "");
  LLVMValueRef loaded = e->facts->spelling == SPELLING_IMPORT
                            ? load_by_function(e, &surface, forms[form].function, type)
                            : load_by_instruction(e, &surface, forms[form].instruction, forms[form].shape, type);
  LLVMTypeRef row = LLVMVectorType(LLVMInt16TypeInContext(e->context), registers);
  emit_result(e, op)[0] = LLVMBuildBitCast(e->builder, loaded, row, "");
  return true;
}

/* Into both caches. */
static bool emit_prefetch(emitter *e, const ir_op *op) {
  enum { BOTH_CACHES = 4 };
  if (!e->facts->prefetch_bytes)
    return ir_op_error(op, "is no instruction of %s", e->facts->name);
  LLVMValueRef operands[] = {emit_operand_address(e, op, 0, 1), emit_word(e, 0), emit_word(e, BOTH_CACHES)};
  spirv_call(e, "__builtin_IB_lsc_prefetch_global_uint", LLVMVoidTypeInContext(e->context), operands, 3, true);
  return true;
}

/* -------------------------------------------------------------------------------------------------------- functions */

LLVMValueRef spirv_library(emitter *e, const char *name, LLVMValueRef const *operands) {
  static const char *const binary[] = {"pow", "fmod", "atan2"};
  LLVMTypeRef type = LLVMTypeOf(operands[0]);
  const char *letter = LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? "d" : "f";
  bool two = false;
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
    two |= !strcmp(name, binary[i]);
  char mangled[32];
  snprintf(mangled, sizeof mangled, "_Z%zu%s%s%s", strlen(name), name, letter, two ? letter : "");
  return spirv_call(e, mangled, type, operands, two ? 2 : 1, false);
}

/* Chips whose matrix unit takes bf16 have it. */
LLVMValueRef spirv_to_bfloat(emitter *e, LLVMValueRef value) {
  bool has = false;
  for (unsigned i = 0; i < e->facts->num_matrices; i++)
    has |= e->facts->matrices[i].element == IR_BF16;
  if (!has)
    return NULL;
  unsigned lanes = emit_lanes(value);
  LLVMTypeRef bits = LLVMInt16TypeInContext(e->context);
  LLVMValueRef row = lanes ? LLVMGetPoison(emit_row_type(bits, lanes)) : NULL;
  for (unsigned i = 0; i < (lanes ? lanes : 1); i++) {
    LLVMValueRef lane = lanes ? emit_lane(e, value, i) : value;
    LLVMValueRef rounded = spirv_call(e, "_Z27__spirv_ConvertFToBF16INTELf", bits, &lane, 1, false);
    row = lanes ? emit_set_lane(e, row, rounded, i) : rounded;
  }
  return row;
}

const emit_lane_op spirv_lane_ops[] = {
    {OP_GPU_THREAD_ID, emit_thread_id},
    {OP_GPU_BARRIER, emit_barrier},
    {OP_GPU_SHUFFLE, emit_gpu_shuffle},
    {OP_GPU_SUBGROUP_REDUCE, emit_subgroup_reduce},
    {OP_XEGPU_DPAS, emit_dpas},
    {OP_VECTOR_EXT_BLOCK_LOAD, emit_block_load},
    {OP_VECTOR_EXT_PREFETCH, emit_prefetch},
    {0, NULL},
};
