/* lookup.c - elements of a small table in registers, at places that differ from lane to lane: a shuffle for each
 * register of results instead of a load for each element. x86 shuffles whole registers of 32-bit lanes by other lanes
 * since AVX2; elsewhere a gather goes to memory.
 *
 * Invariant: a shuffle takes the low bits of a place, so that lanes whose place is any number touch no memory.
 * Terminates: tables and rows are halved until they fit a register. */
#include "backend/llvm.h"

/* The lanes of a register that such a shuffle takes; 0: there is none. */
static unsigned register_lanes(const emitter *e) {
  const target_facts *facts = e->facts;
  return facts->kind == TARGET_HOST && facts->vector_bits >= 256 ? facts->vector_bits / 32 : 0;
}

LLVMValueRef emit_lookup_table(emitter *e, const ir_type *type, LLVMValueRef address) {
  unsigned lanes = register_lanes(e), room = lanes;
  if (!lanes || !target_has_small_table(type))
    return NULL;
  while (room < type->shape[0])
    room *= 2;
  LLVMValueRef row = emit_load(e, type->element, address, (unsigned)type->shape[0]);
  if (ir_scalar_bits(type->element) < 32)
    row = LLVMBuildZExt(e->builder, row, emit_type_like(row, emit_word_type(e)), "");
  row = LLVMBuildBitCast(e->builder, row, emit_type_like(row, LLVMFloatTypeInContext(e->context)), "");
  return emit_resize(e, row, room);
}

/* From a table of one register, or of two halves, of which a bit of the place tells one. */
static LLVMValueRef find(emitter *e, LLVMValueRef table, LLVMValueRef places) {
  unsigned lanes = emit_lanes(places), half = emit_lanes(table) / 2;
  if (half < lanes) {
    const char *name = lanes == 16 ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
    return emit_intrinsic_of(e, name, NULL, 0, (LLVMValueRef[]){table, places}, 2);
  }
  LLVMValueRef low = find(e, emit_slice(e, table, 0, half), places);
  LLVMValueRef high = find(e, emit_slice(e, table, half, half), places);
  LLVMValueRef bit = LLVMBuildAnd(e->builder, places, emit_int_like(e, places, half), "");
  LLVMValueRef is_low = LLVMBuildICmp(e->builder, LLVMIntEQ, bit, emit_int_like(e, places, 0), "");
  return LLVMBuildSelect(e->builder, is_low, low, high, "");
}

/* In rows of any length. */
static LLVMValueRef find_row(emitter *e, LLVMValueRef table, LLVMValueRef places) {
  unsigned lanes = emit_lanes(places), half = register_lanes(e);
  if (lanes <= half)
    return emit_resize(e, find(e, table, emit_resize(e, places, half)), lanes);
  while (2 * half < lanes)
    half *= 2;
  LLVMValueRef low = find_row(e, table, emit_slice(e, places, 0, half));
  LLVMValueRef high = find_row(e, table, emit_slice(e, places, half, lanes - half));
  return emit_resize(e, emit_join(e, low, emit_resize(e, high, half)), lanes);
}

LLVMValueRef emit_lookup(emitter *e, ir_scalar element, LLVMValueRef table, LLVMValueRef places) {
  LLVMTypeRef word = emit_type_like(places, emit_word_type(e));
  LLVMValueRef found = find_row(e, table, LLVMBuildIntCast2(e->builder, places, word, true, ""));
  if (element == IR_F32)
    return found;
  found = LLVMBuildBitCast(e->builder, found, word, "");
  return LLVMBuildIntCast2(e->builder, found, emit_type_like(places, emit_element_type(e, element)), false, "");
}
