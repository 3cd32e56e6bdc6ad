/* nvptx_ops.c - the ops of one lane (gpu, nvgpu) as NVVM intrinsics.
 *
 * LLVM aborts where a chip lacks an instruction, so only what every chip from sm_80 on has is in the tables here, and
 * what is not in them is an error at the op. Every access of shared memory is through an address of that space. */
#include "backend/nvptx.h"

#include <stdio.h>
#include <string.h>

/* A value of 32 bits in another form. */
static LLVMValueRef recast(emitter *e, LLVMValueRef value, LLVMTypeRef type) {
  return LLVMBuildBitCast(e->builder, value, type, "");
}

/* A call of an intrinsic that is not overloaded. */
static LLVMValueRef call(emitter *e, const char *name, LLVMValueRef const *operands, unsigned num_operands) {
  return emit_intrinsic_of(e, name, NULL, 0, operands, num_operands);
}

static bool emit_thread_id(emitter *e, const ir_op *op) {
  const char *dimension = ir_attr_string_or(op, "dimension", "dim x");
  char name[40];
  snprintf(name, sizeof name, "llvm.nvvm.read.ptx.sreg.tid.%c", dimension[strlen(dimension) - 1]);
  LLVMValueRef id = call(e, name, NULL, 0);
  emit_result(e, op)[0] = LLVMBuildZExt(e->builder, id, LLVMInt64TypeInContext(e->context), "");
  return true;
}

/* What lanes wrote to shared memory is seen by warpgroups, which read it another way, behind a fence. */
static void emit_proxy_fence(emitter *e) {
  emit_assembly(e, LLVMVoidTypeInContext(e->context), "fence.proxy.async.shared::cta;", "~{memory}", NULL, 0);
}

static bool emit_barrier(emitter *e, const ir_op *op) {
  bool of_warp = ir_attr_get(op, "tec.warp");
  LLVMValueRef number = emit_word(e, of_warp ? -1 : 0);
  if (ir_attr_get(op, "tec.fence"))
    emit_proxy_fence(e);
  call(e, of_warp ? "llvm.nvvm.bar.warp.sync" : "llvm.nvvm.barrier.cta.sync.aligned.all", &number, 1);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- shuffle */

static const struct {
  const char *mode, *intrinsic;
  unsigned last; /* the lane beyond which no value comes, within a group of 32 */
} shuffles[] = {
    {"shuffle_mode xor", "llvm.nvvm.shfl.sync.bfly.i32p", 31},
    {"shuffle_mode up", "llvm.nvvm.shfl.sync.up.i32p", 0},
    {"shuffle_mode down", "llvm.nvvm.shfl.sync.down.i32p", 31},
    {"shuffle_mode idx", "llvm.nvvm.shfl.sync.idx.i32p", 31},
};

/* Moves one 32-bit word; *valid tells whether the other lane was in the group. */
static LLVMValueRef shuffle_word(emitter *e, const ir_op *op, LLVMValueRef value, LLVMValueRef *valid) {
  const char *mode = ir_attr_string_or(op, "mode", "");
  unsigned row = 0;
  while (strcmp(shuffles[row].mode, mode))
    row++;
  LLVMValueRef outside = LLVMBuildSub(e->builder, emit_word(e, 32), emit_scalar(e, ir_operand(op, 2)), "");
  LLVMValueRef control = LLVMBuildOr(e->builder, LLVMBuildShl(e->builder, outside, emit_word(e, 8), ""),
                                     emit_word(e, shuffles[row].last), "");
  LLVMValueRef operands[] = {emit_word(e, -1), value, emit_scalar(e, ir_operand(op, 1)), control};
  LLVMValueRef both = call(e, shuffles[row].intrinsic, operands, 4);
  *valid = LLVMBuildExtractValue(e->builder, both, 1, "");
  return LLVMBuildExtractValue(e->builder, both, 0, "");
}

/* Values of less than a word are widened, those of two words are moved in halves. */
static bool emit_gpu_shuffle(emitter *e, const ir_op *op) {
  LLVMValueRef value = emit_scalar(e, ir_operand(op, 0)), valid;
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned lanes = emit_lanes(value), bits = ir_scalar_bits(ir_operand(op, 0)->type->element) * (lanes ? lanes : 1);
  LLVMValueRef whole = recast(e, value, LLVMIntTypeInContext(e->context, bits)), moved;
  if (bits <= 32) {
    moved = shuffle_word(e, op, LLVMBuildZExt(e->builder, whole, emit_word_type(e), ""), &valid);
    moved = LLVMBuildTrunc(e->builder, moved, LLVMTypeOf(whole), "");
  } else {
    LLVMValueRef pair = recast(e, whole, emit_row_type(emit_word_type(e), 2)), result = LLVMGetPoison(LLVMTypeOf(pair));
    for (unsigned i = 0; i < 2; i++)
      result = emit_set_lane(e, result, shuffle_word(e, op, emit_lane(e, pair, i), &valid), i);
    moved = recast(e, result, LLVMTypeOf(whole));
  }
  emit_value results[2];
  for (unsigned i = 0; i < 2; i++) {
    results[i] = emit_new_value(e, 1);
    emit_bind(e, ir_result(op, i), results[i]);
  }
  results[0].pieces[0] = recast(e, moved, type);
  results[1].pieces[0] = valid;
  return true;
}

/* Is it true in any lane? All lanes of the warp ask. */
static bool emit_subgroup_reduce(emitter *e, const ir_op *op) {
  LLVMValueRef operands[] = {emit_word(e, -1), emit_scalar(e, ir_operand(op, 0))};
  if (ir_operand(op, 0)->type->element != IR_I1)
    return ir_op_error(op, "has no form for f32 in the nvptx backend");
  emit_result(e, op)[0] = call(e, "llvm.nvvm.vote.any.sync", operands, 2);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- matrices */

static const struct {
  int64_t m, n, k;
  ir_scalar element, sum;
  bool tf32;
  const char *intrinsic;
} products[] = {
    {16, 8, 16, IR_F16, IR_F32, false, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
    {16, 8, 16, IR_F16, IR_F16, false, "llvm.nvvm.mma.m16n8k16.row.col.f16.f16"},
    {16, 8, 8, IR_F16, IR_F32, false, "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"},
    {16, 8, 8, IR_F16, IR_F16, false, "llvm.nvvm.mma.m16n8k8.row.col.f16.f16"},
    {16, 8, 16, IR_BF16, IR_F32, false, "llvm.nvvm.mma.m16n8k16.row.col.bf16"},
    {16, 8, 8, IR_BF16, IR_F32, false, "llvm.nvvm.mma.m16n8k8.row.col.bf16"},
    {16, 8, 8, IR_F32, IR_F32, true, "llvm.nvvm.mma.m16n8k8.row.col.tf32"},
    {16, 8, 4, IR_F32, IR_F32, true, "llvm.nvvm.mma.m16n8k4.row.col.tf32"},
    {8, 8, 4, IR_F64, IR_F64, false, "llvm.nvvm.mma.m8n8k4.row.col.f64"},
    {16, 8, 32, IR_I8, IR_I32, false, "llvm.nvvm.mma.m16n8k32.row.col.s8"},
    {16, 8, 16, IR_I8, IR_I32, false, "llvm.nvvm.mma.m16n8k16.row.col.s8"},
};

static const char *find_product(const ir_op *op) {
  const int64_t *shape = ir_attr_i64s_of(op, "mmaShape", NULL);
  ir_scalar element = ir_operand(op, 0)->type->element, sum = ir_operand(op, 2)->type->element;
  bool tf32 = ir_attr_get(op, "tf32Enabled") != NULL;
  for (size_t i = 0; i < sizeof products / sizeof *products; i++)
    if (products[i].m == shape[0] && products[i].n == shape[1] && products[i].k == shape[2] &&
        products[i].element == element && products[i].sum == sum && products[i].tf32 == tf32)
      return products[i].intrinsic;
  ir_op_error(op, "%lldx%lldx%lld of %s with sums in %s%s is no instruction of the matrix unit", (long long)shape[0],
              (long long)shape[1], (long long)shape[2], ir_scalar_name(element), ir_scalar_name(sum),
              element == IR_F32 && !tf32 ? " without tf32Enabled" : "");
  return NULL;
}

/* f32 as tf32, rounded to nearest, ties away from zero, as the unit wants it. */
static LLVMValueRef tf32_of(emitter *e, LLVMValueRef value) { return call(e, "llvm.nvvm.f2tf32.rna", &value, 1); }

/* Gives the rows of an operand the types of the intrinsic's parameters from *next on; an f32 or i32 row of C, two
 * registers, goes lane by lane. */
static void add_rows(emitter *e, const emit_value *rows, LLVMTypeRef const *types, LLVMValueRef *operands,
                     unsigned *next) {
  for (unsigned i = 0; i < rows->num_pieces; i++) {
    LLVMValueRef row = rows->pieces[i];
    LLVMTypeRef element = emit_element_of(row);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) == 32) {
      for (unsigned lane = 0; lane < emit_lanes(row); lane++) {
        LLVMValueRef value = emit_lane(e, row, lane);
        bool tf32 = LLVMGetTypeKind(element) == LLVMFloatTypeKind && types[*next] == emit_word_type(e);
        operands[*next] = tf32 ? tf32_of(e, value) : value;
        ++*next;
      }
      continue;
    }
    operands[*next] = recast(e, row, types[*next]);
    ++*next;
  }
}

static bool emit_mma_sync(emitter *e, const ir_op *op) {
  const char *name = find_product(op);
  if (!name)
    return false;
  enum { MAX_REGISTERS = 16 };
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMTypeRef types[MAX_REGISTERS], type = LLVMIntrinsicGetType(e->context, id, NULL, 0);
  LLVMValueRef operands[MAX_REGISTERS];
  unsigned count = 0;
  LLVMGetParamTypes(type, types);
  for (unsigned i = 0; i < 3; i++)
    add_rows(e, emit_operand(e, op, i), types, operands, &count);
  LLVMValueRef sums = call(e, name, operands, count), *result = emit_result(e, op);
  unsigned rows = emit_get(e, ir_result(op, 0))->num_pieces, next = 0;
  for (unsigned i = 0; i < rows; i++) {
    LLVMTypeRef row = LLVMTypeOf(emit_operand(e, op, 2)->pieces[i]);
    LLVMValueRef first = LLVMBuildExtractValue(e->builder, sums, next++, "");
    if (LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMVectorTypeKind) {
      result[i] = recast(e, first, row);
      continue;
    }
    result[i] = emit_set_lane(e, LLVMGetPoison(row), first, 0);
    result[i] = emit_set_lane(e, result[i], LLVMBuildExtractValue(e->builder, sums, next++, ""), 1);
  }
  return true;
}

static bool emit_ldmatrix(emitter *e, const ir_op *op) {
  unsigned tiles = (unsigned)ir_attr_int_or(op, "numTiles", 1);
  bool transpose = ir_attr_get(op, "transpose")->value != 0;
  char name[80];
  snprintf(name, sizeof name, "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x%u%s.b16", tiles, transpose ? ".trans" : "");
  LLVMValueRef address = emit_operand_address(e, op, 0, 1);
  LLVMTypeRef space = LLVMTypeOf(address);
  LLVMValueRef words = emit_intrinsic_of(e, name, &space, 1, &address, 1), *result = emit_result(e, op);
  const ir_type *type = ir_result(op, 0)->type;
  LLVMTypeRef row = emit_row_type(emit_element_type(e, type->element), emit_row_length(type));
  for (unsigned i = 0; i < tiles; i++)
    result[i] = recast(e, tiles == 1 ? words : LLVMBuildExtractValue(e->builder, words, i, ""), row);
  return true;
}

/* ---------------------------------------------------------------------------------------------- asynchronous copies */

/* Tokens order nothing here: a lane's copies and groups are ordered by the text. */
static void bind_token(emitter *e, const ir_op *op) { emit_bind(e, ir_result(op, 0), emit_new_value(e, 0)); }

static bool emit_async_copy(emitter *e, const ir_op *op) {
  enum { COPY_TARGET, COPY_TARGET_INDICES, COPY_SOURCE, COPY_SOURCE_INDICES, COPY_SOURCE_ELEMENTS };
  unsigned source = ir_group_start(op, COPY_SOURCE);
  unsigned size = ir_scalar_bytes(ir_operand(op, 0)->type->element);
  unsigned bytes = size * (unsigned)ir_attr_int_or(op, "dstElements", 0);
  bool partial = ir_group_size(op, COPY_SOURCE_ELEMENTS) != 0;
  char name[64];
  snprintf(name, sizeof name, "llvm.nvvm.cp.async.%s.shared.global.%u%s", ir_attr_get(op, "bypassL1") ? "cg" : "ca",
           bytes, partial ? ".s" : "");
  LLVMValueRef operands[3] = {emit_operand_address(e, op, 0, 1), emit_operand_address(e, op, source, source + 1)};
  operands[1] = LLVMBuildAddrSpaceCast(e->builder, operands[1], LLVMPointerTypeInContext(e->context, 1), "");
  if (partial) {
    LLVMValueRef elements = emit_get(e, ir_group_operand(op, COPY_SOURCE_ELEMENTS, 0))->pieces[0];
    LLVMValueRef count = LLVMBuildMul(e->builder, elements, emit_index(e, size), "");
    operands[2] = LLVMBuildTrunc(e->builder, count, emit_word_type(e), "");
  }
  call(e, name, operands, partial ? 3 : 2);
  bind_token(e, op);
  return true;
}

static bool emit_async_group(emitter *e, const ir_op *op) {
  call(e, "llvm.nvvm.cp.async.commit.group", NULL, 0);
  bind_token(e, op);
  return true;
}

static bool emit_async_wait(emitter *e, const ir_op *op) {
  LLVMValueRef groups = emit_word(e, ir_attr_int_or(op, "numGroups", 0));
  call(e, "llvm.nvvm.cp.async.wait.group", &groups, 1);
  return true;
}

const emit_lane_op nvptx_lane_ops[] = {
    {OP_GPU_THREAD_ID, emit_thread_id},
    {OP_GPU_BARRIER, emit_barrier},
    {OP_GPU_SHUFFLE, emit_gpu_shuffle},
    {OP_GPU_SUBGROUP_REDUCE, emit_subgroup_reduce},
    {OP_NVGPU_MMA_SYNC, emit_mma_sync},
    {OP_VECTOR_EXT_WARPGROUP_MMA, nvptx_warpgroup_mma},
    {OP_VECTOR_EXT_WARPGROUP_WAIT, nvptx_warpgroup_wait},
    {OP_NVGPU_LDMATRIX, emit_ldmatrix},
    {OP_NVGPU_DEVICE_ASYNC_COPY, emit_async_copy},
    {OP_NVGPU_DEVICE_ASYNC_CREATE_GROUP, emit_async_group},
    {OP_NVGPU_DEVICE_ASYNC_WAIT, emit_async_wait},
    {0, NULL},
};
