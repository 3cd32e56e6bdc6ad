/* control.c - functions, structured control flow, elementwise ops and affine arithmetic to LLVM IR.
 *
 * Loops carry pieces in phis, one each, so a loop that carries register tiles keeps them in registers. Recursion
 * follows the nesting of regions and affine expressions, which the parser bounds. */
#include "backend/hooks.h"
#include "ir/build.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ LLVM's side */

LLVMBasicBlockRef emit_block(emitter *e, const char *name) {
  return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

void emit_function_begin(emitter *e, LLVMValueRef function) {
  e->function = function;
  e->allocas = emit_block(e, "entry");
  LLVMBasicBlockRef body = emit_block(e, "body");
  LLVMPositionBuilderAtEnd(e->builder, e->allocas);
  LLVMBuildBr(e->builder, body);
  LLVMPositionBuilderAtEnd(e->builder, body);
}

LLVMValueRef emit_alloca(emitter *e, LLVMTypeRef type, unsigned alignment) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->allocas));
  LLVMValueRef memory = LLVMBuildAlloca(e->builder, type, "");
  LLVMSetAlignment(memory, alignment);
  LLVMPositionBuilderAtEnd(e->builder, here);
  return memory;
}

void emit_fail_if(emitter *e, LLVMValueRef condition) {
  LLVMBasicBlockRef failed = emit_block(e, "failed"), fine = emit_block(e, "");
  LLVMBuildCondBr(e->builder, condition, failed, fine);
  LLVMPositionBuilderAtEnd(e->builder, failed);
  e->target->fail(e);
  LLVMPositionBuilderAtEnd(e->builder, fine);
}

emit_loop emit_loop_begin(emitter *e, LLVMValueRef lower, LLVMValueRef upper, LLVMValueRef step, unsigned num_carried,
                          LLVMValueRef const *inits) {
  emit_loop loop = {.step = step, .num_carried = num_carried};
  loop.carried = IR_NEW_ARRAY(&e->arena, LLVMValueRef, num_carried);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
  loop.header = emit_block(e, "for");
  LLVMBasicBlockRef body = emit_block(e, "for.body");
  loop.exit = emit_block(e, "for.end");
  LLVMBuildBr(e->builder, loop.header);
  LLVMPositionBuilderAtEnd(e->builder, loop.header);
  loop.iv = LLVMBuildPhi(e->builder, LLVMTypeOf(lower), "");
  LLVMAddIncoming(loop.iv, &lower, &before, 1);
  for (unsigned i = 0; i < num_carried; i++) {
    loop.carried[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(inits[i]), "");
    LLVMAddIncoming(loop.carried[i], (LLVMValueRef *)&inits[i], &before, 1);
  }
  LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, loop.iv, upper, "");
  LLVMBuildCondBr(e->builder, more, body, loop.exit);
  LLVMPositionBuilderAtEnd(e->builder, body);
  return loop;
}

/* LLVM is not to unroll the loop. Its metadata is a node whose first operand is the node itself. */
static void keep_rolled(emitter *e, LLVMValueRef branch) {
  static const char name[] = "llvm.loop.unroll.disable", kind[] = "llvm.loop";
  LLVMMetadataRef word = LLVMMDStringInContext2(e->context, name, strlen(name));
  LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
  LLVMMetadataRef node =
      LLVMMDNodeInContext2(e->context, (LLVMMetadataRef[]){self, LLVMMDNodeInContext2(e->context, &word, 1)}, 2);
  LLVMMetadataReplaceAllUsesWith(self, node);
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, kind, (unsigned)strlen(kind)),
                  LLVMMetadataAsValue(e->context, node));
}

void emit_loop_end(emitter *e, emit_loop *loop, LLVMValueRef const *next, bool is_unrolled) {
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
  /* Short steps do not get to the end of 64 bits in anyone's lifetime; others could step over it and count from
   * below. */
  bool is_short = LLVMIsAConstantInt(loop->step) && LLVMConstIntGetSExtValue(loop->step) <= INT32_MAX &&
                  LLVMGetIntTypeWidth(LLVMTypeOf(loop->step)) == 64;
  LLVMValueRef iv = is_short ? LLVMBuildNSWAdd(e->builder, loop->iv, loop->step, "")
                             : emit_intrinsic(e, "llvm.sadd.sat", (LLVMValueRef[]){loop->iv, loop->step}, 2);
  LLVMAddIncoming(loop->iv, &iv, &latch, 1);
  for (unsigned i = 0; i < loop->num_carried; i++)
    LLVMAddIncoming(loop->carried[i], (LLVMValueRef *)&next[i], &latch, 1);
  LLVMValueRef branch = LLVMBuildBr(e->builder, loop->header);
  if (is_unrolled)
    keep_rolled(e, branch);
  LLVMPositionBuilderAtEnd(e->builder, loop->exit);
}

/* --------------------------------------------------------------------------------------------------- ops, blocks */

static const struct {
  const char *word;
  LLVMFastMathFlags flag;
} fast_math_words[] = {
    {"reassoc", LLVMFastMathAllowReassoc}, {"nnan", LLVMFastMathNoNaNs},
    {"ninf", LLVMFastMathNoInfs},          {"nsz", LLVMFastMathNoSignedZeros},
    {"arcp", LLVMFastMathAllowReciprocal}, {"contract", LLVMFastMathAllowContract},
    {"afn", LLVMFastMathApproxFunc},       {"fast", LLVMFastMathAll},
};

/* The attribute holds words separated by commas. Products may be contracted with sums, unless a pass has found harm in
 * that. */
LLVMFastMathFlags emit_fast_math(const ir_op *op) {
  LLVMFastMathFlags flags = ir_attr_get(op, "tec.rounded") ? LLVMFastMathNone : LLVMFastMathAllowContract;
  for (const char *word = ir_attr_string_or(op, "fastmath", ""); *word; word += strspn(word, ", ")) {
    size_t size = strcspn(word, ", ");
    for (size_t i = 0; i < sizeof fast_math_words / sizeof *fast_math_words; i++)
      if (strlen(fast_math_words[i].word) == size && !strncmp(word, fast_math_words[i].word, size))
        flags |= fast_math_words[i].flag;
    word += size;
  }
  return flags;
}

/* So many pieces become one for an op of one operand, which may be a long chain: where registers are too few for its
 * constants, LLVM keeps the order of its stages, in which the chains of four registers overlap and share constants
 * (sums of exponentials of 16 lanes 1.15 times as fast as two registers at a time; Zen 3). */
static unsigned pieces_together(emitter *e, const ir_op *op, unsigned count) {
  enum { REGISTERS = 4 };
  const target_facts *facts = e->facts;
  if (facts->kind != TARGET_HOST || facts->vector_registers >= 32 || op->num_operands != 1 ||
      ir_result(op, 0)->type->element != IR_F32)
    return 1;
  unsigned together = 1, bits = emit_lanes(emit_operand(e, op, 0)->pieces[0]) * ir_scalar_bits(IR_F32);
  while (bits >= facts->vector_bits && 2 * together * bits <= REGISTERS * facts->vector_bits &&
         count % (2 * together) == 0)
    together *= 2;
  return together;
}

/* Pieces next to each other as one, in which they follow each other; `count` is a power of two. */
static LLVMValueRef join_pieces(emitter *e, const LLVMValueRef *pieces, unsigned count) {
  if (count == 1)
    return pieces[0];
  return emit_join(e, join_pieces(e, pieces, count / 2), join_pieces(e, pieces + count / 2, count / 2));
}

/* An elementwise op, piece by piece, or a few at a time. Scalar operands of an op on vectors (the condition of a
 * select) serve each piece. */
static bool emit_pieces(emitter *e, const ir_op *op, const emit_op_info *info) {
  LLVMValueRef *results = emit_result(e, op);
  ir_scalar element = ir_result(op, 0)->type->element;
  /* To LLVM a broken promise of no NaN or infinity would make the result arbitrary; hooks may use it as they see
   * fit. */
  LLVMFastMathFlags flags = emit_fast_math(op) & ~(LLVMFastMathFlags)(LLVMFastMathNoNaNs | LLVMFastMathNoInfs);
  unsigned count = emit_get(e, ir_result(op, 0))->num_pieces;
  unsigned together = pieces_together(e, op, count);
  for (unsigned piece = 0; piece < count; piece += together) {
    LLVMValueRef operands[3] = {0};
    for (unsigned i = 0; i < op->num_operands; i++) {
      const emit_value *value = emit_operand(e, op, i);
      operands[i] = join_pieces(e, &value->pieces[value->num_pieces == 1 ? 0 : piece], together);
      if (!info->bits)
        operands[i] = emit_widen(e, ir_operand(op, i)->type->element, operands[i]);
    }
    LLVMValueRef result = info->piece(e, op, operands);
    if (!result)
      return ir_op_error(op, "has no form for %s in the %s backend", ir_scalar_name(element), e->target->name);
    if (LLVMIsAInstruction(result) && LLVMCanValueUseFastMathFlags(result))
      LLVMSetFastMathFlags(result, flags);
    result = info->bits ? result : emit_narrow(e, element, result);
    for (unsigned i = 0, lanes = emit_lanes(result) / together; i < together; i++)
      results[piece + i] = emit_slice(e, result, i * lanes, lanes);
  }
  return true;
}

bool emit_op(emitter *e, const ir_op *op) {
  const emit_op_info *info = emit_info(op->code);
  if (!info->op && !info->piece)
    return ir_op_error(op, "has no form in the %s backend", e->target->name);
  for (unsigned i = 0; i < op->num_results; i++)
    if (ir_result(op, i)->type->kind != IR_TYPE_TOKEN && !emit_num_pieces(e, op, ir_result(op, i)->type))
      return false;
  return info->op ? info->op(e, op) : emit_pieces(e, op, info);
}

bool emit_ops(emitter *e, const ir_block *block) {
  for (const ir_op *op = block->first; op; op = op->next)
    if (!ir_op_has(op, IR_TERMINATOR) && !emit_op(e, op))
      return false;
  return true;
}

void emit_values_add(emitter *e, emit_values *list, const ir_value *value) {
  for (unsigned i = 0; i < list->count; i++)
    if (list->values[i] == value)
      return;
  IR_PUSH(&e->arena, list->values, list->count, list->capacity) = value;
}

emit_values emit_outside_values(emitter *e, const ir_op *op) {
  emit_values found = {0};
  for (const ir_op *inner = ir_next_inside(op, op); inner; inner = ir_next_inside(op, inner))
    for (unsigned i = 0; i < inner->num_operands; i++)
      if (ir_value_is_outside(ir_operand(inner, i), ir_region(op, 0)))
        emit_values_add(e, &found, ir_operand(inner, i));
  return found;
}

/* The pieces of `count` values one after another; in the arena. */
static LLVMValueRef *flatten(emitter *e, unsigned count, const ir_use *uses, unsigned *num_pieces) {
  *num_pieces = 0;
  for (unsigned i = 0; i < count; i++)
    *num_pieces += emit_get(e, uses[i].value)->num_pieces;
  LLVMValueRef *pieces = IR_NEW_ARRAY(&e->arena, LLVMValueRef, *num_pieces), *next = pieces;
  for (unsigned i = 0; i < count; i++) {
    const emit_value *value = emit_get(e, uses[i].value);
    memcpy(next, value->pieces, sizeof *next * value->num_pieces);
    next += value->num_pieces;
  }
  return pieces;
}

/* Binds values to consecutive pieces; each takes as many as its type has. A memref's known extents stay constants. */
static bool bind_flat(emitter *e, const ir_op *op, ir_value *const *values, unsigned count, LLVMValueRef *pieces) {
  for (unsigned i = 0; i < count; i++) {
    unsigned num_pieces = emit_num_pieces(e, op, values[i]->type);
    if (!num_pieces)
      return false;
    if (values[i]->type->kind == IR_TYPE_MEMREF)
      emit_bind_memref(e, values[i], pieces[0], pieces + 1, pieces + 1 + values[i]->type->rank);
    else
      emit_bind(e, values[i], (emit_value){pieces, num_pieces});
    pieces += num_pieces;
  }
  return true;
}

static ir_value **results_of(emitter *e, const ir_op *op) {
  ir_value **results = IR_NEW_ARRAY(&e->arena, ir_value *, op->num_results);
  for (unsigned i = 0; i < op->num_results; i++)
    results[i] = ir_result(op, i);
  return results;
}

/* -------------------------------------------------------------------------------------------------------------- scf */

/* How many copies of the body an iteration is to have: as asked, in innermost loops over indices. Copies of loops in
 * copies of loops would be many. */
static int64_t copies_of(const ir_op *loop, int64_t step) {
  enum { MAX_COPIES = 64 };
  int64_t asked = ir_attr_int_or(loop, "tec.unroll", 1);
  bool can = asked > 1 && asked <= MAX_COPIES && step > 0 && step <= INT32_MAX / MAX_COPIES &&
             ir_operand(loop, 0)->type == ir_type_index(loop->module);
  for (const ir_op *op = ir_region(loop, 0)->first; can && op; op = op->next)
    can = !op->num_regions;
  return can ? asked : 1;
}

static bool divides(int64_t number, ir_value *index) {
  return ir_index_divisor(ir_index_of(index)) % (uint64_t)number == 0;
}

/* What a loop starts with, and then what it has ended with. */
typedef struct loop_state {
  LLVMValueRef iv, *carried;
  unsigned num_carried;
} loop_state;

/* A loop of as many copies of the body an iteration, which is not unrolled again. */
static bool emit_iterations(emitter *e, const ir_op *op, loop_state *state, LLVMValueRef upper, LLVMValueRef step,
                            int64_t copies) {
  const ir_block *body = ir_region(op, 0);
  const ir_op *yield = ir_block_terminator(body);
  LLVMValueRef stride = copies > 1 ? LLVMBuildMul(e->builder, step, emit_index(e, copies), "") : step;
  emit_loop loop = emit_loop_begin(e, state->iv, upper, stride, state->num_carried, state->carried);
  LLVMValueRef *next = loop.carried;
  emit_value iv = emit_new_value(e, 1);
  for (int64_t copy = 0; copy < copies; copy++) {
    LLVMValueRef further = LLVMBuildMul(e->builder, step, emit_index(e, copy), "");
    iv.pieces[0] = copy ? LLVMBuildNSWAdd(e->builder, loop.iv, further, "") : loop.iv;
    emit_bind(e, body->args[0], iv);
    if (!bind_flat(e, op, body->args + 1, body->num_args - 1, next) || !emit_ops(e, body))
      return false;
    next = flatten(e, yield->num_operands, yield->operands, &state->num_carried);
  }
  emit_loop_end(e, &loop, next, ir_attr_get(op, "tec.unroll") != NULL);
  state->iv = loop.iv;
  state->carried = loop.carried;
  return true;
}

/* Loops are unrolled here: LLVM takes longer to do that than for most of what it does before it makes machine code.
 * What is no whole number of copies runs in a loop of its own. */
bool emit_for(emitter *e, const ir_op *op) {
  loop_state state = {.iv = emit_scalar(e, ir_operand(op, 0))};
  state.carried = flatten(e, op->num_operands - 3, op->operands + 3, &state.num_carried);
  LLVMValueRef upper = emit_scalar(e, ir_operand(op, 1)), step = emit_scalar(e, ir_operand(op, 2));
  int64_t known = LLVMIsAConstantInt(step) ? LLVMConstIntGetSExtValue(step) : 0;
  if (LLVMIsAConstantInt(step) && known <= 0)
    return ir_op_error(op, "needs a positive step");
  if (!known) /* a loop whose step is not positive would never end */
    step = emit_intrinsic(e, "llvm.smax", (LLVMValueRef[]){step, LLVMConstInt(LLVMTypeOf(step), 1, false)}, 2);
  int64_t copies = copies_of(op, known), stride = copies * known;
  bool is_whole = copies > 1 && divides(stride, ir_operand(op, 0)) && divides(stride, ir_operand(op, 1));
  if (copies > 1 && !is_whole) {
    LLVMValueRef length = LLVMBuildSub(e->builder, upper, state.iv, "");
    LLVMValueRef rest = LLVMBuildURem(e->builder, length, emit_index(e, stride), "");
    LLVMValueRef end = emit_intrinsic(e, "llvm.ssub.sat", (LLVMValueRef[]){upper, rest}, 2);
    if (!emit_iterations(e, op, &state, end, step, copies))
      return false;
  }
  return emit_iterations(e, op, &state, upper, step, is_whole ? copies : 1) &&
         bind_flat(e, op, results_of(e, op), op->num_results, state.carried);
}

bool emit_if(emitter *e, const ir_op *op) {
  LLVMBasicBlockRef blocks[2] = {emit_block(e, "then"), emit_block(e, "else")}, ends[2],
                    merge = emit_block(e, "if.end");
  LLVMValueRef *yields[2] = {0};
  unsigned num_pieces = 0;
  LLVMBuildCondBr(e->builder, emit_scalar(e, ir_operand(op, 0)), blocks[0], blocks[1]);
  for (unsigned i = 0; i < 2; i++) {
    const ir_block *region = ir_region(op, i);
    LLVMPositionBuilderAtEnd(e->builder, blocks[i]);
    if (!emit_ops(e, region))
      return false;
    const ir_op *yield = ir_block_terminator(region);
    if (yield)
      yields[i] = flatten(e, yield->num_operands, yield->operands, &num_pieces);
    if (i == 0)
      emit_keep_branch(e, op);
    ends[i] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, merge);
  }
  LLVMPositionBuilderAtEnd(e->builder, merge);
  LLVMValueRef *merged = IR_NEW_ARRAY(&e->arena, LLVMValueRef, num_pieces);
  for (unsigned i = 0; i < num_pieces; i++) {
    merged[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(yields[0][i]), "");
    LLVMAddIncoming(merged[i], (LLVMValueRef[]){yields[0][i], yields[1][i]}, ends, 2);
  }
  return bind_flat(e, op, results_of(e, op), op->num_results, merged);
}

LLVMValueRef emit_index_value(emitter *e, ir_index index) {
  return index.value ? emit_scalar(e, index.value) : emit_index(e, index.constant);
}

LLVMValueRef emit_mixed(emitter *e, const ir_op *op, unsigned group, const char *name, unsigned i) {
  return emit_index_value(e, ir_mixed(op, group, name, i));
}

void emit_forall_dim(emitter *e, const ir_op *op, unsigned dim, LLVMValueRef *lower, LLVMValueRef *step,
                     LLVMValueRef *count) {
  LLVMValueRef zero = emit_index(e, 0);
  *lower = emit_mixed(e, op, 0, "staticLowerBound", dim);
  *step = emit_mixed(e, op, 2, "staticStep", dim);
  LLVMValueRef upper = emit_mixed(e, op, 1, "staticUpperBound", dim);
  LLVMValueRef length = LLVMBuildSub(e->builder, upper, *lower, "");
  LLVMValueRef iterations = emit_divide_ceil(e, length, *step);
  *count = emit_intrinsic(e, "llvm.smax", (LLVMValueRef[]){iterations, zero}, 2);
}

static bool emit_forall_serially(emitter *e, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  emit_loop loops[IR_MAX_LOOPS];
  unsigned rank = body->num_args;
  for (unsigned i = 0; i < rank; i++) {
    LLVMValueRef lower, step, count;
    emit_forall_dim(e, op, i, &lower, &step, &count);
    loops[i] = emit_loop_begin(e, emit_index(e, 0), count, emit_index(e, 1), 0, NULL);
    emit_value iv = emit_new_value(e, 1);
    iv.pieces[0] = LLVMBuildAdd(e->builder, lower, LLVMBuildMul(e->builder, loops[i].iv, step, ""), "");
    emit_bind(e, body->args[i], iv);
  }
  if (!emit_ops(e, body))
    return false;
  for (unsigned i = rank; i-- > 0;)
    emit_loop_end(e, &loops[i], NULL, false);
  return true;
}

bool emit_forall(emitter *e, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_op *end = ir_block_terminator(body);
  if (op->num_results || ir_region(end, 0)->first)
    return ir_op_error(op, "still yields tensors; the %s backend takes buffers", e->target->name);
  return e->in_forall || !e->target->forall ? emit_forall_serially(e, op) : e->target->forall(e, op);
}

bool emit_by_target(emitter *e, const ir_op *op) {
  for (const emit_lane_op *row = e->target->lane_ops; row && row->emit; row++)
    if (row->code == op->code)
      return row->emit(e, op);
  return ir_op_error(op, "has no form in the %s backend", e->target->name);
}

/* ----------------------------------------------------------------------------------------------------- functions */

bool emit_call(emitter *e, const ir_op *op) {
  const char *name = ir_attr_string_or(op, "callee", "");
  LLVMValueRef callee = emit_function_of(e, ir_module_lookup(e->module, name));
  if (!callee)
    return ir_op_error(op, "calls '%s', which has no body", name);
  unsigned num_arguments;
  LLVMValueRef *arguments = flatten(e, op->num_operands, op->operands, &num_arguments);
  LLVMValueRef *results = e->target->call(e, callee, arguments, num_arguments);
  return bind_flat(e, op, results_of(e, op), op->num_results, results);
}

bool emit_function_body(emitter *e, const ir_op *function, LLVMValueRef *arguments) {
  const ir_block *body = ir_region(function, 0);
  if (!bind_flat(e, function, body->args, body->num_args, arguments) || !emit_ops(e, body))
    return false;
  const ir_op *end = ir_block_terminator(body);
  unsigned num_results;
  LLVMValueRef *results = flatten(e, end->num_operands, end->operands, &num_results);
  e->target->leave(e, results, num_results);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- affine */

/* An expression of the op's map. */
static LLVMValueRef emit_expr(emitter *e, const ir_op *op, const ir_expr *expr) {
  if (expr->kind == IR_EXPR_CONST)
    return emit_index(e, expr->value);
  if (!expr->lhs)
    return emit_operand(e, op, ir_affine_operand(op, expr))->pieces[0];
  LLVMValueRef lhs = emit_expr(e, op, expr->lhs), rhs = emit_expr(e, op, expr->rhs);
  switch (expr->kind) {
  case IR_EXPR_ADD:
    return LLVMBuildNSWAdd(e->builder, lhs, rhs, "");
  case IR_EXPR_MUL:
    return LLVMBuildNSWMul(e->builder, lhs, rhs, "");
  case IR_EXPR_FLOORDIV:
    return emit_divide_floor(e, lhs, rhs);
  case IR_EXPR_CEILDIV:
    return emit_divide_ceil(e, lhs, rhs);
  default:
    return emit_modulo(e, lhs, rhs);
  }
}

/* The results of the op's map, combined by an intrinsic where there are several. */
static bool emit_affine(emitter *e, const ir_op *op, const char *combine) {
  const ir_map *map = ir_affine_map(op);
  LLVMValueRef *result = emit_result(e, op);
  for (unsigned i = 0; i < map->num_results; i++) {
    LLVMValueRef value = emit_expr(e, op, map->results[i]);
    result[0] = i ? emit_intrinsic(e, combine, (LLVMValueRef[]){result[0], value}, 2) : value;
  }
  return true;
}

bool emit_affine_apply(emitter *e, const ir_op *op) { return emit_affine(e, op, NULL); }
bool emit_affine_min(emitter *e, const ir_op *op) { return emit_affine(e, op, "llvm.smin"); }
bool emit_affine_max(emitter *e, const ir_op *op) { return emit_affine(e, op, "llvm.smax"); }
