/* tile.c - tiles of x86's matrix unit to LLVM IR: values of type x86_amx, a register each.
 *
 * LLVM configures the unit before the first instruction and releases it behind the last one, as long as tiles are in
 * registers: they never pass functions' boundaries, nor go through memory but by these ops.
 *
 * Linux ends a process that uses tiles without having asked whether it may. So exported functions ask, once a loaded
 * program, and whoever runs it need not: a program may be linked into any other. The answer holds for all threads.
 *
 * Terminates: loops run over the operands of an op, or its results. */
#include "backend/cpu.h"
#include "backend/hooks.h"

#include <string.h>

static LLVMValueRef half_word(emitter *e, int64_t value) {
  return LLVMConstInt(LLVMInt16TypeInContext(e->context), (uint64_t)value, false);
}

/* Rows, and bytes of a row. */
static void shape_of(emitter *e, const ir_type *type, LLVMValueRef *shape) {
  shape[0] = half_word(e, type->shape[0]);
  shape[1] = half_word(e, type->shape[1] * ir_scalar_bytes(type->element));
}

/* Exported functions ask before they call one that uses tiles, so that stays a call. */
static LLVMValueRef tile_intrinsic(emitter *e, const char *name, LLVMValueRef const *operands, unsigned count) {
  e->uses_tiles = true;
  emit_add_attribute(e, e->function, "noinline", 0);
  return emit_intrinsic_of(e, name, NULL, 0, operands, count);
}

/* Bytes from a row of the memref to the next. */
static LLVMValueRef row_bytes(emitter *e, const ir_op *op) {
  const ir_type *type = ir_operand(op, 0)->type;
  LLVMValueRef stride = emit_stride(emit_operand(e, op, 0), type->rank - 2u);
  return LLVMBuildNSWMul(e->builder, stride, emit_index(e, ir_scalar_bytes(type->element)), "");
}

/* Linux's arch_prctl(ask, tiles): 0, or an error. */
static LLVMValueRef ask_for_tiles(emitter *e) {
  enum { ARCH_PRCTL = 158 };
  LLVMValueRef operands[] = {emit_index(e, ARCH_PRCTL), emit_index(e, HOST_REQUEST_STATE),
                             emit_index(e, HOST_TILE_STATE)};
  return emit_assembly(e, LLVMInt64TypeInContext(e->context), "syscall",
                       "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}", operands, 3);
}

/* The byte that says whether tiles were granted; threads may ask at once, which does no harm. */
static LLVMValueRef granted_byte(emitter *e) {
  static const char name[] = "data:tiles granted"; /* no memref.global has a name with a blank */
  LLVMValueRef known = LLVMGetNamedGlobal(e->llvm, name);
  if (known)
    return known;
  LLVMTypeRef type = LLVMInt8TypeInContext(e->context);
  LLVMValueRef byte = LLVMAddGlobal(e->llvm, type, name);
  LLVMSetInitializer(byte, LLVMConstNull(type));
  LLVMSetLinkage(byte, LLVMPrivateLinkage);
  return byte;
}

LLVMValueRef emit_tiles_refused(emitter *e) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef type = LLVMInt8TypeInContext(e->context);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b), ask = emit_block(e, "ask"), asked = emit_block(e, "");
  LLVMValueRef byte = granted_byte(e), known = LLVMBuildLoad2(b, type, byte, "");
  LLVMSetOrdering(known, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(known, 1);
  LLVMBuildCondBr(b, LLVMBuildIsNull(b, known, ""), ask, asked);
  LLVMPositionBuilderAtEnd(b, ask);
  LLVMValueRef refused = LLVMBuildIsNotNull(b, ask_for_tiles(e), "");
  LLVMValueRef store = LLVMBuildStore(b, LLVMBuildZExt(b, LLVMBuildNot(b, refused, ""), type, ""), byte);
  LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(store, 1);
  LLVMBuildBr(b, asked);
  LLVMPositionBuilderAtEnd(b, asked);
  LLVMValueRef result = LLVMBuildPhi(b, LLVMInt1TypeInContext(e->context), "");
  LLVMAddIncoming(result, (LLVMValueRef[]){LLVMConstNull(LLVMTypeOf(result)), refused},
                  (LLVMBasicBlockRef[]){here, ask}, 2);
  return result;
}

void emit_keep_branch(emitter *e, const ir_op *op) {
  bool yields_tiles = false;
  for (unsigned i = 0; i < op->num_results; i++)
    yields_tiles |= ir_result(op, i)->type->kind == IR_TYPE_TILE;
  if (yields_tiles)
    emit_assembly(e, LLVMVoidTypeInContext(e->context), "", "", NULL, 0);
}

LLVMValueRef emit_tile_address(emitter *e, const ir_type *type, LLVMValueRef tile) {
  LLVMTypeRef bytes = LLVMInt8TypeInContext(e->context);
  LLVMValueRef operands[5] = {[4] = tile};
  shape_of(e, type, operands);
  operands[3] = LLVMBuildZExt(e->builder, operands[1], LLVMInt64TypeInContext(e->context), "");
  uint64_t size = LLVMConstIntGetZExtValue(operands[0]) * LLVMConstIntGetZExtValue(operands[1]);
  operands[2] = emit_alloca(e, LLVMArrayType2(bytes, size), EMIT_ALIGNMENT);
  tile_intrinsic(e, "llvm.x86.tilestored64.internal", operands, 5);
  return operands[2];
}

LLVMValueRef emit_tile_at(emitter *e, const ir_type *type, LLVMValueRef address) {
  LLVMValueRef operands[4] = {[2] = address};
  shape_of(e, type, operands);
  operands[3] = LLVMBuildZExt(e->builder, operands[1], LLVMInt64TypeInContext(e->context), "");
  return tile_intrinsic(e, "llvm.x86.tileloadd64.internal", operands, 4);
}

bool emit_tile_zero(emitter *e, const ir_op *op) {
  LLVMValueRef operands[2];
  shape_of(e, ir_result(op, 0)->type, operands);
  emit_result(e, op)[0] = tile_intrinsic(e, "llvm.x86.tilezero.internal", operands, 2);
  return true;
}

/* `tec.streamed`: the tile is not to take the place of others in the first cache. */
bool emit_tile_load(emitter *e, const ir_op *op) {
  const char *name =
      ir_attr_get(op, "tec.streamed") ? "llvm.x86.tileloaddt164.internal" : "llvm.x86.tileloadd64.internal";
  LLVMValueRef operands[4] = {[2] = emit_operand_address(e, op, 0, 1), [3] = row_bytes(e, op)};
  shape_of(e, ir_result(op, 0)->type, operands);
  emit_result(e, op)[0] = tile_intrinsic(e, name, operands, 4);
  return true;
}

bool emit_tile_store(emitter *e, const ir_op *op) {
  const ir_value *tile = ir_group_operand(op, 2, 0);
  LLVMValueRef operands[5] = {
      [2] = emit_operand_address(e, op, 0, 1), [3] = row_bytes(e, op), [4] = emit_scalar(e, tile)};
  shape_of(e, tile->type, operands);
  tile_intrinsic(e, "llvm.x86.tilestored64.internal", operands, 5);
  return true;
}

bool emit_tile_mulf(emitter *e, const ir_op *op) {
  const ir_type *lhs = ir_operand(op, 0)->type;
  LLVMValueRef operands[6] = {[2] = half_word(e, lhs->shape[1] * ir_scalar_bytes(lhs->element))};
  shape_of(e, ir_result(op, 0)->type, operands);
  static const unsigned order[] = {2, 0, 1}; /* the sum comes first */
  for (unsigned i = 0; i < 3; i++)
    operands[3 + i] = emit_scalar(e, ir_operand(op, order[i]));
  emit_result(e, op)[0] = tile_intrinsic(e, "llvm.x86.tdpbf16ps.internal", operands, 6);
  return true;
}
