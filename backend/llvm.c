/* llvm.c - the emitter's values: pieces, bindings, rows of lanes and conversions between element types.
 *
 * Terminates: every loop runs over pieces, lanes or bindings, whose numbers are fixed before it starts. */
#include "backend/llvm.h"

#include "backend/hooks.h"

#include <string.h>

#define IR(...)
#define PASS(...)
#define EMIT(...) __VA_ARGS__
#define OP(ID, NAME, ROW) [OP_##ID] = {.op = NULL, ROW},
static const emit_op_info rows[IR_NUM_OPCODES] = {
#include "ir/op.def"
};
#undef OP
#undef IR
#undef PASS
#undef EMIT

const emit_op_info *emit_info(ir_opcode code) { return &rows[code]; }

/* -------------------------------------------------------------------------------------------------------- bindings */

void emit_bind(emitter *e, const ir_value *value, emit_value pieces) {
  emit_value *bound = IR_NEW(&e->arena, emit_value);
  *bound = pieces;
  ir_pointer_map_set(&e->arena, &e->bindings, value, bound);
}

const emit_value *emit_get(emitter *e, const ir_value *value) {
  static emit_value unbound;
  return ir_pointer_map_get(&e->bindings, value, &unbound);
}

emit_value emit_new_value(emitter *e, unsigned num_pieces) {
  return (emit_value){IR_NEW_ARRAY(&e->arena, LLVMValueRef, num_pieces), num_pieces};
}

unsigned emit_num_pieces(emitter *e, const ir_op *op, const ir_type *type) {
  switch (type->kind) {
  case IR_TYPE_SCALAR:
    return 1;
  case IR_TYPE_MEMREF:
    return 1 + 2 * type->rank;
  case IR_TYPE_VECTOR: {
    int64_t elements = ir_type_num_elements(type);
    if (elements > e->target->max_elements) {
      ir_op_error(op, "has a vector of %lld elements; at most %u fit", (long long)elements, e->target->max_elements);
      return 0;
    }
    return (unsigned)(elements / emit_row_length(type));
  }
  case IR_TYPE_TILE:
    if (e->facts->has_matrix_unit)
      return 1;
    ir_op_error(op, "has a tile of a matrix unit, which '%s' lacks or does not give this process", e->facts->name);
    return 0;
  default:
    ir_op_error(op, "has a value of a type that the %s backend does not know", e->target->name);
    return 0;
  }
}

void emit_piece_types(emitter *e, const ir_type *type, LLVMTypeRef *types) {
  if (type->kind == IR_TYPE_MEMREF) {
    types[0] = LLVMPointerTypeInContext(e->context, type->space == IR_SPACE_WORKGROUP ? e->target->shared_space
                                                                                      : e->target->memory_space);
    for (unsigned i = 0; i < 2u * type->rank; i++)
      types[1 + i] = LLVMInt64TypeInContext(e->context);
    return;
  }
  if (type->kind == IR_TYPE_TILE) {
    types[0] = LLVMX86AMXTypeInContext(e->context);
    return;
  }
  LLVMTypeRef element = emit_element_type(e, type->element);
  if (type->kind == IR_TYPE_SCALAR) {
    types[0] = element;
    return;
  }
  unsigned lanes = emit_row_length(type);
  unsigned count = (unsigned)ir_type_num_elements(type) / lanes;
  for (unsigned i = 0; i < count; i++)
    types[i] = emit_row_type(element, lanes);
}

LLVMValueRef *emit_result(emitter *e, const ir_op *op) {
  emit_value value = emit_new_value(e, emit_num_pieces(e, op, ir_result(op, 0)->type));
  emit_bind(e, ir_result(op, 0), value);
  return value.pieces;
}

/* --------------------------------------------------------------------------------------------------- element types */

LLVMTypeRef emit_element_type(emitter *e, ir_scalar scalar) {
  if (scalar == IR_F32)
    return LLVMFloatTypeInContext(e->context);
  if (scalar == IR_F64)
    return LLVMDoubleTypeInContext(e->context);
  return LLVMIntTypeInContext(e->context, ir_scalar_bits(scalar));
}

LLVMTypeRef emit_memory_type(emitter *e, ir_scalar scalar) {
  return ir_scalar_bits(scalar) < 8 ? LLVMInt8TypeInContext(e->context) : emit_element_type(e, scalar);
}

LLVMTypeRef emit_row_type(LLVMTypeRef element, unsigned lanes) { return LLVMVectorType(element, lanes); }

LLVMValueRef emit_index(emitter *e, int64_t value) {
  return LLVMConstInt(LLVMInt64TypeInContext(e->context), (uint64_t)value, true);
}

LLVMValueRef emit_constant(emitter *e, ir_scalar scalar, ir_cell cell) {
  LLVMTypeRef type = emit_element_type(e, scalar);
  if (!ir_scalar_is_float(scalar))
    return LLVMConstInt(type, (uint64_t)cell.i, true);
  if (ir_scalar_bits(scalar) == 16)
    return LLVMConstInt(type, ir_float_to_bits(scalar, cell.f), false);
  return LLVMConstReal(type, cell.f);
}

unsigned emit_lanes(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef emit_element_of(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef emit_type_like(LLVMValueRef like, LLVMTypeRef element) {
  unsigned lanes = emit_lanes(like);
  return lanes ? emit_row_type(element, lanes) : element;
}

static LLVMValueRef constant_like(emitter *e, LLVMValueRef like, LLVMValueRef scalar) {
  unsigned lanes = emit_lanes(like);
  return lanes ? emit_splat(e, scalar, lanes) : scalar;
}

LLVMValueRef emit_float_like(emitter *e, LLVMValueRef like, double value) {
  return constant_like(e, like, LLVMConstReal(emit_element_of(like), value));
}

LLVMValueRef emit_int_like(emitter *e, LLVMValueRef like, int64_t value) {
  return constant_like(e, like, LLVMConstInt(emit_element_of(like), (uint64_t)value, true));
}

/* ---------------------------------------------------------------------------------------------------- rows of lanes */

/* Of what has been put there just before, LLVM need not find out. */
LLVMValueRef emit_lane(emitter *e, LLVMValueRef row, unsigned lane) {
  if (LLVMIsAInsertElementInst(row) && LLVMGetOperand(row, 2) == emit_word(e, lane))
    return LLVMGetOperand(row, 1);
  return LLVMBuildExtractElement(e->builder, row, emit_word(e, lane), "");
}

LLVMValueRef emit_set_lane(emitter *e, LLVMValueRef row, LLVMValueRef scalar, unsigned lane) {
  return LLVMBuildInsertElement(e->builder, row, scalar, emit_word(e, lane), "");
}

LLVMValueRef emit_shuffle(emitter *e, LLVMValueRef a, LLVMValueRef b, const int *lanes, unsigned count) {
  size_t mark = ir_arena_mark(&e->arena);
  LLVMValueRef *mask = IR_NEW_ARRAY(&e->arena, LLVMValueRef, count);
  for (unsigned i = 0; i < count; i++)
    mask[i] = lanes[i] < 0 ? LLVMGetUndef(emit_word_type(e)) : emit_word(e, lanes[i]);
  LLVMValueRef result = LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(mask, count), "");
  ir_arena_rewind(&e->arena, mark);
  return result;
}

LLVMValueRef emit_splat(emitter *e, LLVMValueRef scalar, unsigned lanes) {
  LLVMValueRef poison = LLVMGetPoison(emit_row_type(LLVMTypeOf(scalar), lanes));
  LLVMValueRef first = emit_set_lane(e, poison, scalar, 0);
  LLVMTypeRef mask = emit_row_type(emit_word_type(e), lanes);
  return LLVMBuildShuffleVector(e->builder, first, poison, LLVMConstNull(mask), "");
}

/* So many lanes of two rows, the one behind the other. */
static LLVMValueRef lanes_from(emitter *e, LLVMValueRef low, LLVMValueRef high, unsigned from, unsigned count) {
  size_t mark = ir_arena_mark(&e->arena);
  int *lanes = IR_NEW_ARRAY(&e->arena, int, count);
  for (unsigned i = 0; i < count; i++)
    lanes[i] = (int)(from + i);
  LLVMValueRef result = emit_shuffle(e, low, high, lanes, count);
  ir_arena_rewind(&e->arena, mark);
  return result;
}

LLVMValueRef emit_slice(emitter *e, LLVMValueRef row, unsigned from, unsigned count) {
  bool all = from == 0 && count == emit_lanes(row);
  return all ? row : lanes_from(e, row, LLVMGetPoison(LLVMTypeOf(row)), from, count);
}

LLVMValueRef emit_resize(emitter *e, LLVMValueRef row, unsigned lanes) {
  unsigned have = emit_lanes(row);
  if (lanes <= have)
    return emit_slice(e, row, 0, lanes);
  size_t mark = ir_arena_mark(&e->arena);
  int *pick = IR_NEW_ARRAY(&e->arena, int, lanes);
  for (unsigned i = 0; i < lanes; i++)
    pick[i] = i < have ? (int)i : -1;
  LLVMValueRef result = emit_shuffle(e, row, LLVMGetPoison(LLVMTypeOf(row)), pick, lanes);
  ir_arena_rewind(&e->arena, mark);
  return result;
}

LLVMValueRef emit_join(emitter *e, LLVMValueRef low, LLVMValueRef high) {
  return lanes_from(e, low, high, 0, 2 * emit_lanes(low));
}

LLVMValueRef emit_step(emitter *e, LLVMTypeRef element, unsigned lanes) {
  size_t mark = ir_arena_mark(&e->arena);
  LLVMValueRef *constants = IR_NEW_ARRAY(&e->arena, LLVMValueRef, lanes);
  for (unsigned i = 0; i < lanes; i++)
    constants[i] = LLVMConstInt(element, i, false);
  LLVMValueRef result = LLVMConstVector(constants, lanes);
  ir_arena_rewind(&e->arena, mark);
  return result;
}

bool emit_next(unsigned rank, const int64_t *shape, int64_t *position) {
  for (unsigned i = rank; i-- > 0;) {
    if (++position[i] < shape[i])
      return true;
    position[i] = 0;
  }
  return false;
}

int64_t emit_linear(unsigned rank, const int64_t *shape, const int64_t *position) {
  int64_t linear = 0;
  for (unsigned i = 0; i < rank; i++)
    linear = linear * shape[i] + position[i];
  return linear;
}

/* ------------------------------------------------------------------------------------------------------- intrinsics */

static void add_attribute(LLVMValueRef function, LLVMAttributeRef attribute) {
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

void emit_add_attribute(emitter *e, LLVMValueRef function, const char *name, uint64_t number) {
  add_attribute(function,
                LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), number));
}

void emit_add_text_attribute(emitter *e, LLVMValueRef function, const char *name, const char *text) {
  add_attribute(function,
                LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), text, (unsigned)strlen(text)));
}

LLVMValueRef emit_assembly(emitter *e, LLVMTypeRef result, const char *text, const char *constraints,
                           LLVMValueRef *operands, unsigned num_operands) {
  LLVMTypeRef *types = IR_NEW_ARRAY(&e->arena, LLVMTypeRef, num_operands);
  for (unsigned i = 0; i < num_operands; i++)
    types[i] = LLVMTypeOf(operands[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, num_operands, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(e->builder, type, code, operands, num_operands, "");
}

LLVMValueRef emit_intrinsic_of(emitter *e, const char *name, LLVMTypeRef *overloads, unsigned num_overloads,
                               LLVMValueRef const *operands, unsigned num_operands) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef callee = LLVMGetIntrinsicDeclaration(e->llvm, id, overloads, num_overloads);
  LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, overloads, num_overloads);
  return LLVMBuildCall2(e->builder, type, callee, (LLVMValueRef *)operands, num_operands, "");
}

LLVMValueRef emit_intrinsic(emitter *e, const char *name, LLVMValueRef const *operands, unsigned num_operands) {
  LLVMTypeRef type = LLVMTypeOf(operands[0]);
  return emit_intrinsic_of(e, name, &type, 1, operands, num_operands);
}

/* ----------------------------------------------------------------------------------------------- 16-bit float types */

/* bf16 bits of an f32: to nearest even by adding half a unit, which carries into the exponent as it should; a NaN keeps
 * its upper half, with the quiet bit set so that it cannot become an infinity. */
static LLVMValueRef bfloat_from_float(emitter *e, LLVMValueRef value) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef word = emit_type_like(value, emit_word_type(e));
  LLVMValueRef bits = LLVMBuildBitCast(b, value, word, "");
  LLVMValueRef sixteen = emit_int_like(e, bits, 16);
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, sixteen, ""), emit_int_like(e, bits, 1), "");
  LLVMValueRef rounded = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, odd, ""), emit_int_like(e, bits, 0x7fff), "");
  LLVMValueRef quiet = LLVMBuildOr(b, bits, emit_int_like(e, bits, 0x400000), "");
  LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
  LLVMValueRef chosen = LLVMBuildSelect(b, is_nan, quiet, rounded, "");
  LLVMTypeRef half = emit_type_like(value, LLVMInt16TypeInContext(e->context));
  return LLVMBuildTrunc(b, LLVMBuildLShr(b, chosen, sixteen, ""), half, "");
}

/* f16 bits of an f32 without hardware for it. Numbers that become normal are rebiased and rounded as integers; those
 * that become subnormal are added to a number whose unit is the smallest f16, which makes the FPU round them. */
static LLVMValueRef half_from_float(emitter *e, LLVMValueRef value) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef word = emit_type_like(value, emit_word_type(e));
  LLVMValueRef bits = LLVMBuildBitCast(b, value, word, "");
  LLVMValueRef thirteen = emit_int_like(e, bits, 13);
  LLVMValueRef sign = LLVMBuildAnd(b, bits, emit_int_like(e, bits, 0x80000000), "");
  LLVMValueRef magnitude = LLVMBuildXor(b, bits, sign, "");
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, magnitude, thirteen, ""), emit_int_like(e, bits, 1), "");
  LLVMValueRef rebias = emit_int_like(e, bits, 0xfff - (int64_t)(112 << 23));
  LLVMValueRef normal =
      LLVMBuildLShr(b, LLVMBuildAdd(b, LLVMBuildAdd(b, magnitude, rebias, ""), odd, ""), thirteen, "");
  LLVMValueRef unit = emit_float_like(e, value, 0.5); /* its last bit is 2^-24, the smallest f16 */
  LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, magnitude, LLVMTypeOf(value), ""), unit, "");
  LLVMValueRef small = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, word, ""), emit_int_like(e, bits, 0x3f000000), "");
  LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, magnitude, emit_int_like(e, bits, 113 << 23), "");
  LLVMValueRef result = LLVMBuildSelect(b, is_small, small, normal, "");
  LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, magnitude, emit_int_like(e, bits, 0x477ff000), "");
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, emit_int_like(e, bits, 0x7f800000), "");
  LLVMValueRef special = LLVMBuildSelect(b, is_nan, emit_int_like(e, bits, 0x7e00), emit_int_like(e, bits, 0x7c00), "");
  result = LLVMBuildSelect(b, is_large, special, result, "");
  result = LLVMBuildOr(b, result, LLVMBuildLShr(b, sign, emit_int_like(e, bits, 16), ""), "");
  return LLVMBuildTrunc(b, result, emit_type_like(value, LLVMInt16TypeInContext(e->context)), "");
}

/* f32 from f16 bits without hardware: shifted into place the exponent is 112 too small, which a multiplication by 2^112
 * puts right, subnormal numbers included. Infinities and NaNs get the rest of their exponent. */
static LLVMValueRef float_from_half(emitter *e, LLVMValueRef value) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef number = emit_type_like(value, LLVMFloatTypeInContext(e->context));
  LLVMTypeRef word = emit_type_like(value, emit_word_type(e));
  LLVMValueRef bits = LLVMBuildZExt(b, value, word, "");
  LLVMValueRef magnitude = LLVMBuildAnd(b, bits, emit_int_like(e, bits, 0x7fff), "");
  LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildXor(b, bits, magnitude, ""), emit_int_like(e, bits, 16), "");
  LLVMValueRef shifted = LLVMBuildShl(b, magnitude, emit_int_like(e, bits, 13), "");
  LLVMValueRef as_float = LLVMBuildBitCast(b, shifted, number, "");
  LLVMValueRef scaled = LLVMBuildFMul(b, as_float, emit_float_like(e, as_float, 0x1p112), "");
  LLVMValueRef finite = LLVMBuildBitCast(b, scaled, word, "");
  LLVMValueRef special = LLVMBuildOr(b, shifted, emit_int_like(e, bits, 0x7f800000), "");
  LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, magnitude, emit_int_like(e, bits, 0x7c00), "");
  LLVMValueRef chosen = LLVMBuildSelect(b, is_special, special, finite, "");
  return LLVMBuildBitCast(b, LLVMBuildOr(b, chosen, sign, ""), number, "");
}

LLVMValueRef emit_widen(emitter *e, ir_scalar scalar, LLVMValueRef value) {
  if (scalar != IR_F16 && scalar != IR_BF16)
    return value;
  LLVMTypeRef number = emit_type_like(value, LLVMFloatTypeInContext(e->context));
  if (scalar == IR_F16 && !e->has_half)
    return float_from_half(e, value);
  if (scalar == IR_F16) {
    LLVMTypeRef half = emit_type_like(value, LLVMHalfTypeInContext(e->context));
    return LLVMBuildFPExt(e->builder, LLVMBuildBitCast(e->builder, value, half, ""), number, "");
  }
  LLVMValueRef bits = LLVMBuildZExt(e->builder, value, emit_type_like(value, emit_word_type(e)), "");
  return LLVMBuildBitCast(e->builder, LLVMBuildShl(e->builder, bits, emit_int_like(e, bits, 16), ""), number, "");
}

/* f64 to f32 rounded to odd: towards zero, then the last bit set if anything was lost. A second rounding to a type at
 * least two bits narrower then gives what one rounding would have. */
static LLVMValueRef round_to_odd(emitter *e, LLVMValueRef value) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef word = emit_type_like(value, emit_word_type(e));
  LLVMValueRef nearest = LLVMBuildFPTrunc(b, value, emit_type_like(value, LLVMFloatTypeInContext(e->context)), "");
  LLVMValueRef back = LLVMBuildFPExt(b, nearest, LLVMTypeOf(value), "");
  LLVMValueRef bits = LLVMBuildBitCast(b, nearest, word, "");
  LLVMValueRef magnitude = emit_intrinsic(e, "llvm.fabs", &value, 1);
  LLVMValueRef reached = emit_intrinsic(e, "llvm.fabs", &back, 1);
  LLVMValueRef beyond = LLVMBuildFCmp(b, LLVMRealOGT, reached, magnitude, "");
  LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealUNE, back, value, "");
  bits = LLVMBuildSub(b, bits, LLVMBuildZExt(b, beyond, word, ""), "");
  bits = LLVMBuildOr(b, bits, LLVMBuildZExt(b, inexact, word, ""), "");
  return LLVMBuildBitCast(b, bits, LLVMTypeOf(nearest), "");
}

LLVMValueRef emit_narrow(emitter *e, ir_scalar scalar, LLVMValueRef value) {
  if ((scalar != IR_F16 && scalar != IR_BF16) || LLVMGetTypeKind(emit_element_of(value)) == LLVMIntegerTypeKind)
    return value;
  if (LLVMGetTypeKind(emit_element_of(value)) == LLVMDoubleTypeKind)
    value = round_to_odd(e, value);
  LLVMValueRef rounded = scalar == IR_BF16 && e->target->to_bfloat ? e->target->to_bfloat(e, value) : NULL;
  if (rounded)
    return rounded;
  if (scalar == IR_BF16 && !e->target->rounds_to_bfloat)
    return bfloat_from_float(e, value);
  if (scalar == IR_F16 && !e->has_half)
    return half_from_float(e, value);
  LLVMTypeRef narrow = scalar == IR_F16 ? LLVMHalfTypeInContext(e->context) : LLVMBFloatTypeInContext(e->context);
  LLVMValueRef half = LLVMBuildFPTrunc(e->builder, value, emit_type_like(value, narrow), "");
  return LLVMBuildBitCast(e->builder, half, emit_type_like(value, LLVMInt16TypeInContext(e->context)), "");
}

/* ---------------------------------------------------------------------------------------------------------- set-up */

/* LLVM's own messages become errors of the module; everything milder is dropped. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  emitter *e = data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || e->module->broken_by)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  ir_internal_error(e->module->root, EMIT_PART, "LLVM: %s", text);
  LLVMDisposeMessage(text);
}

bool emitter_init(emitter *e, ir_module *module, const target_facts *facts, const emit_target *target) {
  *e = (emitter){.module = module, .facts = facts, .target = target};
  if (!ir_arena_init(&e->arena))
    return ir_error(module, module->root->loc, "out of memory");
  e->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(e->context, on_diagnostic, e);
  e->llvm = LLVMModuleCreateWithNameInContext("tec", e->context);
  e->builder = LLVMCreateBuilderInContext(e->context);
  return true;
}

void emitter_destroy(emitter *e) {
  LLVMDisposeBuilder(e->builder);
  LLVMDisposeModule(e->llvm);
  LLVMContextDispose(e->context);
  ir_arena_release(&e->arena);
}
