/* spirv_rewrite.c - what LLVM's passes leave, put into the form that its SPIR-V writer gets right.
 *
 * Passes make these forms of others, so that not to emit them is no help. Each rewriting removes one instruction of the
 * form and makes none, so one walk is enough. */
#include "backend/spirv.h"

/* A signed i1 is -1 where it is true, of which the writer makes 1. */
static LLVMValueRef signed_bit_to_float(emitter *e, LLVMValueRef cast) {
  LLVMValueRef bit = LLVMGetOperand(cast, 0);
  if (LLVMGetIntTypeWidth(emit_element_of(bit)) != 1)
    return NULL;
  return LLVMBuildSelect(e->builder, bit, emit_float_like(e, cast, -1), emit_float_like(e, cast, 0), "");
}

/* Of the low parts of a row's lanes passes make lanes of a longer row, or one of bits, that has the same bits as the
 * row. SPIR-V has no such row: the part is shifted out of its lane instead. */
static LLVMValueRef part_of_lane(emitter *e, LLVMValueRef extract) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef parts = LLVMGetOperand(extract, 0), position = LLVMGetOperand(extract, 1);
  LLVMTypeRef part = LLVMTypeOf(extract);
  if (!LLVMIsABitCastInst(parts) || !LLVMIsAConstantInt(position) || LLVMGetTypeKind(part) != LLVMIntegerTypeKind)
    return NULL;
  LLVMValueRef row = LLVMGetOperand(parts, 0);
  unsigned lanes = emit_lanes(row) ? emit_lanes(row) : 1, num_parts = emit_lanes(parts);
  unsigned bits = LLVMGetIntTypeWidth(part), parts_each = num_parts / lanes;
  if ((bits > 1 && spirv_has_lanes(num_parts)) || num_parts % lanes)
    return NULL;
  unsigned number = (unsigned)LLVMConstIntGetZExtValue(position);
  LLVMValueRef lane = emit_lanes(row) ? emit_lane(e, row, number / parts_each) : row;
  lane = LLVMBuildBitCast(b, lane, LLVMIntTypeInContext(e->context, bits * parts_each), "");
  if (number % parts_each)
    lane = LLVMBuildLShr(b, lane, emit_int_like(e, lane, number % parts_each * bits), "");
  return LLVMBuildTrunc(b, lane, part, "");
}

static void rewrite(emitter *e, LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  if (opcode != LLVMSIToFP && opcode != LLVMExtractElement)
    return;
  LLVMPositionBuilderBefore(e->builder, instruction);
  LLVMValueRef source = LLVMGetOperand(instruction, 0);
  LLVMValueRef better = opcode == LLVMSIToFP ? signed_bit_to_float(e, instruction) : part_of_lane(e, instruction);
  if (!better)
    return;
  LLVMReplaceAllUsesWith(instruction, better);
  LLVMInstructionEraseFromParent(instruction);
  if (LLVMIsABitCastInst(source) && !LLVMGetFirstUse(source))
    LLVMInstructionEraseFromParent(source);
}

void spirv_rewrite(emitter *e) {
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        rewrite(e, i);
      }
}
