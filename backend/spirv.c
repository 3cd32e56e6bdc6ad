/* spirv.c - what is special about kernels in SPIR-V, as OpenCL and Level Zero take it.
 *
 * A warp is a sub-group of fixed size. Buffers are global memory from the start: SPIR-V has no cheap generic pointers,
 * so kernels whose loops or branches carry buffers are refused. Memory that lanes share is one variable each
 * memref.alloca. LLVM's SPIR-V code generator aborts, or writes what no driver takes, where it meets what the language
 * of OpenCL does not have; so every instruction is checked before it is handed over. */
#include "backend/spirv.h"
#include "backend/kernels.h"

#include <string.h>

static LLVMValueRef spirv_place_shared(emitter *e, uint64_t offset, uint64_t bytes) {
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->context), bytes ? bytes : 1);
  LLVMValueRef memory = LLVMAddGlobalInAddressSpace(e->llvm, type, "shared", SPIRV_LOCAL);
  LLVMSetLinkage(memory, LLVMInternalLinkage);
  LLVMSetInitializer(memory, LLVMGetUndef(type));
  LLVMSetAlignment(memory, kernels_shared_alignment(e->facts));
  return memory;
}

/* !name !{i32 numbers[0], ..} on a kernel. */
static void add_numbers(emitter *e, LLVMValueRef kernel, const char *name, unsigned count, const unsigned *numbers) {
  LLVMMetadataRef nodes[3];
  for (unsigned i = 0; i < count; i++)
    nodes[i] = LLVMValueAsMetadata(emit_word(e, numbers[i]));
  unsigned kind = LLVMGetMDKindIDInContext(e->context, name, (unsigned)strlen(name));
  LLVMGlobalSetMetadata(kernel, kind, LLVMMDNodeInContext2(e->context, nodes, count));
}

static bool is_not_rounded(ir_op *op, void *data) { return !ir_attr_get(op, "tec.rounded"); }

static LLVMValueRef spirv_declare(emitter *e, const char *name, LLVMTypeRef type, int64_t threads, int64_t blocks) {
  LLVMValueRef kernel = LLVMAddFunction(e->llvm, name, type);
  const unsigned size[] = {(unsigned)threads, 1, 1}, lanes[] = {e->facts->warp};
  LLVMSetFunctionCallConv(kernel, LLVMSPIRKERNELCallConv);
  add_numbers(e, kernel, "reqd_work_group_size", 3, size);
  add_numbers(e, kernel, "intel_reqd_sub_group_size", 1, lanes);
  /* Without it, no driver contracts a product with a sum. LLVM has nothing that says so of a single product. */
  static const char contract[] = "opencl.enable.FP_CONTRACT";
  if (ir_walk(ir_region(e->module->root, 0), is_not_rounded, NULL))
    LLVMGetOrInsertNamedMetadata(e->llvm, contract, sizeof contract - 1);
  return kernel;
}

static LLVMValueRef spirv_block_number(emitter *e) {
  LLVMValueRef axis = emit_word(e, 0);
  LLVMValueRef number = spirv_call(e, "_Z12get_group_idj", LLVMInt64TypeInContext(e->context), &axis, 1, false);
  return LLVMBuildTrunc(e->builder, number, emit_word_type(e), "");
}

/* ------------------------------------------------------------------------------------ what the code generator takes */

/* Intrinsics that become one instruction each, or nothing. */
static bool is_known_intrinsic(const char *name) {
  static const char *const names[] = {"llvm.fma.",        "llvm.fmuladd.",
                                      "llvm.sqrt.",       "llvm.fabs.",
                                      "llvm.floor.",      "llvm.ceil.",
                                      "llvm.trunc.",      "llvm.round.",
                                      "llvm.roundeven.",  "llvm.copysign.",
                                      "llvm.maxnum.",     "llvm.minnum.",
                                      "llvm.smax.",       "llvm.smin.",
                                      "llvm.umax.",       "llvm.umin.",
                                      "llvm.abs.",        "llvm.fptosi.sat.",
                                      "llvm.fptoui.sat.", "llvm.lifetime.",
                                      "llvm.assume",      "llvm.experimental.noalias.scope.decl",
                                      "llvm.memcpy.",     "llvm.memset."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(names[i], name, strlen(names[i])))
      return true;
  return strncmp(name, "llvm.", 5) != 0;
}

static const char no_double[] = "arithmetic in f64";

/* What SPIR-V has not in the type of a value; NULL: nothing. */
static const char *missing_in(const target_facts *facts, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    if (!spirv_has_lanes(LLVMGetVectorSize(type)))
      return "a vector of other than 2, 3, 4, 8 or 16 elements";
    type = LLVMGetElementType(type);
  }
  if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind && !facts->has_double)
    return no_double;
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return NULL;
  unsigned bits = LLVMGetIntTypeWidth(type);
  return bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64 ? "an integer of unusual width" : NULL;
}

static bool is_row_of_bits(LLVMValueRef value) {
  LLVMTypeRef element = emit_element_of(value);
  return emit_lanes(value) && LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1;
}

/* Where the program has what is missing; instructions do not know what they were made from, but types show. */
static ir_loc place_of(const emitter *e, const char *missing) {
  const ir_op *root = e->module->root;
  for (const ir_op *op = root; op && missing == no_double; op = ir_next_inside(root, op))
    for (unsigned i = 0; i < op->num_results; i++)
      if (ir_result(op, i)->type->element == IR_F64)
        return op->loc;
  return root->loc;
}

static bool accept_instruction(emitter *e, LLVMValueRef instruction) {
  const char *missing = missing_in(e->facts, LLVMTypeOf(instruction));
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
  for (int i = 0; i < LLVMGetNumOperands(instruction) && !missing; i++)
    missing = missing_in(e->facts, LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)));
  if (LLVMIsABitCastInst(instruction) &&
      (is_row_of_bits(instruction) || is_row_of_bits(LLVMGetOperand(instruction, 0))))
    missing = "a vector of the bits of numbers"; /* as i1 is a truth value there */
  if (!missing && callee) {
    size_t size;
    const char *name = LLVMGetValueName2(callee, &size);
    missing = is_known_intrinsic(name) ? NULL : name;
  }
  return !missing || ir_error(e->module, place_of(e, missing), "a kernel needs %s, which %s does not have", missing,
                              e->facts->name);
}

static bool spirv_accept(emitter *e) {
  spirv_rewrite(e);
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (!accept_instruction(e, i))
          return false;
  return true;
}

/* Rows of registers become scalars, for the driver's compiler to place; only what is loaded and stored at once, and
 * what matrix units take, stays a vector. The last pass removes the phi nodes of one value that those of loops
 * leave. */
static const char pipeline[] = "function(sroa,early-cse,simplifycfg),"
                               "function(scalarizer,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
                               "loop-mssa(loop-rotate,licm),indvars,gvn,loop-unroll,instsimplify,loop-mssa(licm),"
                               "simplifycfg,instsimplify)";

const kernel_target spirv_target = {
    .emit = {.name = "spirv",
             .lane_ops = spirv_lane_ops,
             .max_elements = 1 << 11,
             .shared_space = SPIRV_LOCAL,
             .constant_space = SPIRV_CONSTANT,
             .has_typed_constants = true,
             .most_constant_elements = UINT16_MAX - 3, /* an instruction counts its words in 16 bits */
             .memory_space = SPIRV_GLOBAL,
             .has_plain_maximum = true,
             .share = kernels_share,
             .to_bfloat = spirv_to_bfloat,
             .library = spirv_library},
    .parameter_space = SPIRV_GLOBAL,
    .declare = spirv_declare,
    .block_number = spirv_block_number,
    .place_shared = spirv_place_shared,
    .pipeline = pipeline,
    .accept = spirv_accept,
};
