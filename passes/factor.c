/* factor.c - pass "move-factors": what stands before a factor of a product and need not be done there.
 *
 * A factor that was only widened, from floats or integers of fewer bits, is read as it was: the product widens what it
 * reads, so that memory and caches hold the narrow one, and pairs of bf16 are seen to be such.
 * As products are linear, the scale of a factor can go elsewhere:
 *   - to the result, where all terms of a sum have one scale, as those of a quantised key, or of a row of quantised
 *     weights, have,
 *   - to the other factor, where that has all loops of the scale, as weights have those of a quantised value's,
 *   - of these to the one with fewer elements, if it can go to both.
 * Scales of a tensor do so where what they scale was integers or f16, which are bounded: no sum overflows then that did
 * not before. A factor that is rounded behind its scale, since products want both alike, is exact without either. A
 * scale that is one number for all leaves such factors as well, and keys of any type: exporters split the 1 / sqrt(d)
 * of attention into a root for the queries and a root for the keys, and each tile of queries needs all keys, so that
 * scaled ones would be computed beforehand, by a kernel of their own, and stored. Keys are the factor of a product that
 * has the dim along which a softmax of that product runs.
 * So does what divides weights by a sum of them, or by what was made of one, to the result: such weights are used tile
 * by tile. Sums may overflow then where the quotients would not have.
 * Keys and values of attention that many rows read keep theirs: hosts make them f32 once.
 * Products of i8 are added up in i32 where the machine adds several of them at once, and enough rows meet enough
 * columns: such sums are exact, as long as no more terms are added than 32 bits have room for.
 * Terminates: each rewrite takes an op from between the product and a value above it. */
#include "passes/body.h"
#include "passes/narrow.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/register_plan.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

/* The dim of the op's result along which a softmax runs, with only elementwise ops between; -1 if there is none. */
static int softmax_dim(const ir_op *op) {
  while (ir_value_has_one_use(ir_result(op, 0))) {
    const ir_op *user = ir_result(op, 0)->uses->user;
    if (softmax_is(user))
      return (int)ir_attr_int_or(user, "dimension", 0);
    if (!ir_op_has(user, IR_STRUCTURED) || user->num_results != 1 || ir_structure_of(user)->reductions)
      return -1;
    const ir_structure *structure = ir_structure_of(user);
    for (unsigned i = 0; i < user->num_operands; i++)
      if ((ir_operand(user, i) == ir_result(op, 0) || i == ir_num_inputs(user)) &&
          !ir_map_is_identity(structure->maps[i]))
        return -1;
    op = user;
  }
  return -1;
}

/* ----------------------------------------------------------------------------------------------- what makes factors */

/* An op that gives each element of its input `source`, widened and scaled. */
typedef struct factor {
  ir_op *maker;
  unsigned source;
  ir_op *scaling;   /* in the body, the product with a scale or the quotient by it; NULL: there is none */
  unsigned element; /* which operand of that is no scale */
  int scale;        /* the input that has the scales; -1: there is one, from outside of the body */
} factor;

/* The op gives the same number in more bits. */
static bool widens(const ir_op *op) {
  return ir_op_widens(op) || (op->code == OP_ARITH_EXTSI && ir_operand(op, 0)->type->element != IR_I1);
}

/* The input of which the value is an element, but for widening; -1 where it is none. */
static int input_of(const ir_op *op, const ir_value *value) {
  while (value->op && widens(value->op))
    value = ir_operand(value->op, 0);
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (body_argument(op, i) == value)
      return (int)i;
  return -1;
}

/* Each iteration of the op has an element of its own of the operand. */
static bool has_all_loops(const ir_op *op, unsigned operand) {
  return ir_map_is_permutation(ir_structure_of(op)->maps[operand]);
}

/* The product can read the input in place of what the op makes of it, which may repeat it. */
static bool is_source(const ir_op *op, int input) {
  return input >= 0 && ir_type_is_shaped(ir_input(op, (unsigned)input)->type) &&
         ir_map_is_projected_permutation(ir_structure_of(op)->maps[input]);
}

static bool find_scale(factor *f) {
  if (!f->scaling || (f->scaling->code != OP_ARITH_MULF && f->scaling->code != OP_ARITH_DIVF))
    return false;
  for (f->element = 0; f->element < (f->scaling->code == OP_ARITH_MULF ? 2 : 1); f->element++) {
    const ir_value *scale = ir_operand(f->scaling, 1 - f->element);
    int source = input_of(f->maker, ir_operand(f->scaling, f->element));
    f->source = (unsigned)source;
    f->scale = input_of(f->maker, scale);
    if (is_source(f->maker, source) &&
        (f->scale < 0 ? ir_value_is_outside(scale, ir_region(f->maker, 0))
                      : has_all_loops(f->maker, f->source) && !has_all_loops(f->maker, (unsigned)f->scale)))
      return true;
  }
  return false;
}

/* All numbers of the integer type are numbers of the float type. */
static bool holds_integers(ir_scalar to, ir_scalar from) {
  unsigned digits = to == IR_BF16 ? 8 : to == IR_F16 ? 11 : to == IR_F32 ? 24 : 53;
  return !ir_scalar_is_float(from) && ir_scalar_bits(from) <= digits;
}

/* False where the op does anything else. */
static bool find_factor(ir_op *maker, factor *f) {
  *f = (factor){.maker = maker, .scale = -1};
  if (!maker || !body_is_elementwise(maker) || maker->num_results != 1 || ir_num_inits(maker) != 1 ||
      !has_all_loops(maker, ir_num_inputs(maker)))
    return false;
  const ir_value *value = ir_yielded(maker, 0);
  ir_scalar element = value->type->element;
  bool rounds = ir_made_by(value, OP_ARITH_TRUNCF);
  value = rounds ? ir_operand(value->op, 0) : value;
  int source = input_of(maker, value);
  bool is_scaled = !is_source(maker, source);
  f->source = (unsigned)source;
  f->scaling = is_scaled ? value->op : NULL;
  return (!is_scaled || find_scale(f)) &&
         (!rounds || holds_integers(element, ir_input(maker, f->source)->type->element));
}

/* --------------------------------------------------------------------------------------------------- moving scales */

/* No loop of the scales is missing in the map. */
static bool has_loops(const ir_map *map, const ir_map *scales) {
  for (unsigned loop = 0; loop < scales->num_dims; loop++)
    if (ir_map_uses_dim(scales, loop) && ir_map_find_dim(map, loop) < 0)
      return false;
  return true;
}

/* The tensor, which the product has at `map`, with each element scaled as the factor's were, by scales that the product
 * would read at `scales` (NULL: the same for all), as a tensor of `element`. */
static ir_value *scale(ir_builder *builder, ir_value *value, const ir_map *map, const factor *f, const ir_map *scales,
                       ir_scalar element) {
  ir_module *module = builder->module;
  const ir_expr *dims[IR_MAX_LOOPS] = {0};
  unsigned rank = value->type->rank, count = scales ? 2 : 1;
  ir_value *inputs[] = {value, scales ? ir_input(f->maker, (unsigned)f->scale) : NULL};
  ir_value *out = pass_empty_like(builder, value, element);
  const ir_map *maps[3] = {ir_map_identity(module, rank)};
  for (unsigned dim = 0; dim < rank; dim++)
    dims[ir_map_result_dim(map, dim)] = ir_expr_dim(module, dim);
  if (scales)
    maps[1] = ir_map_replace(module, scales, rank, dims);
  maps[count] = maps[0];
  ir_op *generic = ir_generic(builder, count, inputs, 1, &out, maps, rank, 0);
  ir_builder body = body_of(generic);
  const ir_type *type = ir_type_scalar(module, element);
  ir_value *by = scales ? body_argument(generic, 1) : ir_operand(f->scaling, 1 - f->element);
  ir_value *number = ir_convert(&body, body_argument(generic, 0), type);
  return body_finish(&body, generic, ir_binary(&body, f->scaling->code, number, ir_convert(&body, by, type)));
}

enum { RESULT = 2 };

/* The operand of the product that takes the scale of factor `side`; -1 if none can. */
static int taker_of_scale(const ir_op *op, unsigned side, const ir_map *scales) {
  const ir_structure *structure = ir_structure_of(op);
  bool other = !scales || has_loops(structure->maps[1 - side], scales);
  bool result = (!scales || has_loops(structure->maps[RESULT], scales)) && body_starts_from_zero(op);
  if (!other || !result)
    return other ? (int)(1 - side) : result ? RESULT : -1;
  int64_t of_other = ir_own_iterations(op, 1 - side, RESULT), of_result = ir_own_iterations(op, RESULT, 1 - side);
  return of_result != IR_DYNAMIC && (of_other == IR_DYNAMIC || of_result < of_other) ? RESULT : (int)(1 - side);
}

/* --------------------------------------------------------------------------------------------------------- products */

/* Sums of such elements are as far from overflowing as their scales are from it. */
static bool is_bounded(ir_scalar element) { return !ir_scalar_is_float(element) || element == IR_F16; }

static bool has_keys(const ir_op *contraction, unsigned side) {
  const ir_structure *structure = ir_structure_of(contraction);
  int dim = softmax_dim(contraction), loop = dim < 0 ? -1 : ir_map_result_dim(structure->maps[RESULT], (unsigned)dim);
  return loop >= 0 && ir_loop_side(structure, (unsigned)loop) == (int)side;
}

/* Its body widens elements, multiplies and adds them, in the type of the result. */
static bool is_exact(const ir_op *contraction) {
  const ir_block *body = ir_region(contraction, 0);
  bool is_float = ir_scalar_is_float(ir_init(contraction, 0)->type->element);
  ir_opcode product = is_float ? OP_ARITH_MULF : OP_ARITH_MULI, sum = is_float ? OP_ARITH_ADDF : OP_ARITH_ADDI;
  for (const ir_op *op = body->first; op != body->last; op = op->next)
    if (!widens(op) && op->code != product && op->code != sum)
      return false;
  return true;
}

/* The type of the tensor's elements before they were widened, if that is all that its maker does. */
static ir_scalar narrow_element(ir_value *value) {
  factor f;
  bool is_source = find_factor(value->op, &f) && !f.scaling;
  return (is_source ? ir_input(f.maker, f.source) : value)->type->element;
}

/* What the factor was made of, by an op of its own if exporters wrote one. */
static ir_scalar source_element(const factor *f) { return narrow_element(ir_input(f->maker, f->source)); }

static bool is_widened(const factor *f) {
  return ir_scalar_bits(source_element(f)) < ir_scalar_bits(ir_result(f->maker, 0)->type->element);
}

/* The value is made of a reduction of `source`, by elementwise ops. `steps`: how many ops are looked at. */
static bool is_statistic_of(const ir_value *value, const ir_value *source, bool reduced, unsigned *steps) {
  const ir_op *op = value->op;
  if (value == source)
    return reduced;
  if (!op || !ir_op_has(op, IR_STRUCTURED) || !op->num_regions || ir_is_contraction(op) || !*steps || !--*steps)
    return false;
  reduced |= ir_structure_of(op)->reductions != 0;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (is_statistic_of(ir_input(op, i), source, reduced, steps))
      return true;
  return false;
}

/* Weights that are made of scores are divided by what was made of their sum, as a rule, with as many terms as elements
 * of the result: where that is divided instead, the product need not wait for whole rows. */
static bool normalises(const ir_op *op, const factor *f, unsigned side) {
  unsigned steps = 16;
  bool masked;
  if (!f->scaling || f->scaling->code != OP_ARITH_DIVF || f->scale < 0 ||
      ir_scalar_bits(ir_init(op, 0)->type->element) < 32)
    return false;
  int64_t columns = ir_own_iterations(op, 1 - side, side);
  int64_t terms = ir_loop_size(op, (unsigned)ir_last_reduction(ir_structure_of(op)));
  const ir_value *weights = ir_input(f->maker, f->source), *sum = ir_input(f->maker, (unsigned)f->scale);
  return columns != IR_DYNAMIC && (terms == IR_DYNAMIC || columns <= terms) &&
         tile_product_of_scores(weights, &masked) && is_statistic_of(sum, weights, false, &steps);
}

/* The scale may leave: see the head of the file. */
static bool may_move(const ir_op *op, const factor *f, bool is_keys) {
  if (is_widened(f) && is_bounded(source_element(f)))
    return ir_scalar_bits(ir_init(op, 0)->type->element) >= ir_scalar_bits(IR_F32);
  return f->scale < 0 && is_keys && ir_input(op, 0)->type->element == ir_input(op, 1)->type->element;
}

/* The product can as well read the source of factor `side`. On GPUs matrix units take two factors of one type; where
 * lanes multiply, factors are wide in shared memory. So do a host's matrix unit and its pairs, which are no faster for
 * few rows. */
static bool suits_target(const ir_op *op, unsigned side, const factor *f, const target_facts *target) {
  ir_scalar source = source_element(f);
  if (!is_widened(f) || source == narrow_element(ir_input(op, 1 - side)))
    return true;
  ir_scalar lhs = ir_input(op, 0)->type->element, rhs = ir_input(op, 1)->type->element;
  int64_t rows = ir_own_iterations(op, 1 - side, side);
  bool few = rows > 0 && rows <= 2 * TILE_F32_ROWS && !target_has_unit_for(target, lhs, rhs, rows);
  return !target_is_gpu(target) && (few || target_widens(target, lhs, rhs, rows));
}

/* What the scaled factor holds: no fewer digits than sums have, where there was nothing to be rounded before. */
static ir_scalar scaled_element(const ir_op *op, const factor *f) {
  return is_widened(f) ? ir_init(op, 0)->type->element : ir_result(f->maker, 0)->type->element;
}

/* Keys and values that hosts store widened keep their scales, which all scores, or weights, would have to be multiplied
 * by instead. */
static bool stays_scaled(const ir_op *op, unsigned side, bool is_keys, const target_facts *target) {
  int64_t rows = ir_own_iterations(op, 1 - side, side);
  bool sums_integers = target->integer_terms && narrow_element(ir_input(op, 1 - side)) == IR_I8;
  return !target_is_gpu(target) && rows != IR_DYNAMIC && rows >= TILE_WIDENED_ROWS && !sums_integers &&
         (is_keys || tile_find_source(ir_input(op, 1 - side), softmax_is));
}

static const char *moved_to(int taker, bool is_keys, bool is_norm) {
  return is_norm           ? "recognised: what divides weights can divide the result"
         : taker == RESULT ? "recognised: the scale of a factor can go to the result"
         : is_keys         ? "recognised: the scale of the keys can go to the queries"
                           : "recognised: the scale of a factor can go to the other one";
}

/* A product that reads its factor `side` at `map` has each of its elements once for several batches, if at all: it is a
 * product of the same rows, columns and terms. */
static bool repeats_batches(const ir_structure *product, unsigned side, const ir_map *map) {
  uint32_t dropped = ir_map_dims(product->maps[side]) & ~ir_map_dims(map);
  return !(dropped & (product->reductions | ~ir_map_dims(product->maps[1 - side])));
}

/* Returns what stands for the contraction then, the op itself where the factor stays. */
static ir_op *move_factor(ir_op *op, unsigned side, const pass_options *options) {
  recast parts;
  factor f;
  if (!recast_begin(&parts, op) || !is_exact(op) || !find_factor(parts.operands[side]->op, &f))
    return op;
  bool is_keys = f.scaling && has_keys(op, side);
  if (f.scaling && is_widened(&f) && stays_scaled(op, side, is_keys, options->target))
    return op;
  bool is_norm = normalises(op, &f, side);
  if ((f.scaling ? !is_norm && !may_move(op, &f, is_keys) : !is_widened(&f)) ||
      !suits_target(op, side, &f, options->target))
    return op;
  const ir_map *scales = f.scale < 0 ? NULL : recast_read_through(f.maker, (unsigned)f.scale, parts.maps[side]);
  int taker = f.scaling ? taker_of_scale(op, side, scales) : -1;
  if (is_norm && taker != RESULT)
    return op;
  parts.maps[side] = recast_read_through(f.maker, f.source, parts.maps[side]);
  parts.operands[side] = ir_input(f.maker, f.source);
  if ((f.scaling && taker < 0) || !recast_is_valid(&parts) ||
      !repeats_batches(ir_structure_of(op), side, parts.maps[side]))
    return op;
  if (options->explain && f.scaling)
    ir_remark(op->module, f.scaling->loc, moved_to(taker, is_keys, is_norm));
  ir_builder builder = ir_builder_before(op);
  if (taker >= 0 && taker != RESULT)
    parts.operands[taker] =
        scale(&builder, parts.operands[taker], parts.maps[taker], &f, scales, scaled_element(op, &f));
  ir_op *fresh = ir_generic(&builder, 2, parts.operands, 1, parts.operands + RESULT, parts.maps, parts.num_loops,
                            parts.reductions);
  body_contract(fresh);
  if (taker == RESULT)
    ir_replace_uses(ir_result(op, 0), scale(&builder, ir_result(fresh, 0), parts.maps[RESULT], &f, scales,
                                            ir_result(op, 0)->type->element));
  ir_replace_op_by(op, fresh);
  return fresh;
}

/* Factors of integers that fit into i8 are made as such, where both are. Returns what stands for the contraction then. */
static ir_op *narrow_factors(ir_op *op, const target_facts *target) {
  recast parts;
  bool are_bytes = target->integer_terms && is_exact(op) && !ir_scalar_is_float(ir_init(op, 0)->type->element) &&
                   recast_begin(&parts, op);
  for (unsigned side = 0; are_bytes && side < 2; side++)
    if (parts.operands[side]->type->element != IR_I8) {
      parts.operands[side] = narrow_to_bytes(parts.operands[side]);
      are_bytes = parts.operands[side];
    }
  if (!are_bytes || (parts.operands[0] == ir_input(op, 0) && parts.operands[1] == ir_input(op, 1)))
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_op *fresh = ir_generic(&builder, 2, parts.operands, 1, parts.operands + RESULT, parts.maps, parts.num_loops,
                            parts.reductions);
  body_contract(fresh);
  ir_replace_op_by(op, fresh);
  return fresh;
}

/* As many rows, and columns, pay for terms that stand side by side in panels, which constants do before the program
 * runs if they are read as they are; and of so many terms no sum overflows. Sums of 64 bits, as PyTorch makes them, are
 * half as many in a register, for however few rows. */
enum { MIN_ROWS_OF_WORDS = 12, MOST_BYTE_TERMS = INT32_MAX / (INT8_MIN * INT8_MIN) };

static bool sums_bytes(const ir_op *op, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(op);
  ir_scalar sums = ir_init(op, 0)->type->element;
  if (!target->integer_terms || !is_exact(op) || sums == IR_I32 || ir_scalar_bits(sums) < 32 ||
      !body_starts_from_zero(op))
    return false;
  bool as_they_are = target->integer_terms == TARGET_BYTES, is_wide = sums == IR_I64;
  for (unsigned side = 0; side < 2; side++) {
    int64_t rows = ir_own_iterations(op, side, 1 - side);
    bool is_few = rows != IR_DYNAMIC && rows < (as_they_are ? REGISTER_BYTE_ROWS : MIN_ROWS_OF_WORDS);
    bool is_ready = as_they_are && ir_made_by(ir_input(op, 1 - side), OP_ARITH_CONSTANT);
    if (ir_input(op, side)->type->element != IR_I8 || (is_few && !is_ready && !is_wide))
      return false;
  }
  int64_t terms = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop))
      terms = terms ? IR_DYNAMIC : ir_loop_size(op, loop);
  return terms > 0 && terms <= MOST_BYTE_TERMS && terms % target->integer_terms == 0;
}

static void sum_in_integers(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  ir_builder builder = ir_builder_before(op);
  ir_value *sums = ir_fill_const(&builder, 0, pass_empty_like(&builder, ir_result(op, 0), IR_I32));
  ir_op *fresh = ir_generic(&builder, 2, (ir_value *[]){ir_input(op, 0), ir_input(op, 1)}, 1, &sums, structure->maps,
                            structure->num_loops, structure->reductions);
  ir_value *result = body_contract(fresh);
  ir_replace_op(op, body_convert(&builder, result, pass_empty_like(&builder, result, ir_init(op, 0)->type->element)));
}

void pass_move_factors(ir_op *op, const pass_options *options) {
  for (unsigned side = 0; side < 2 && ir_is_contraction(op) && op->num_results == 1; side++)
    for (ir_op *before = NULL; op != before;) {
      before = op;
      op = move_factor(op, side, options);
    }
  if (!ir_is_contraction(op) || op->num_results != 1)
    return;
  op = narrow_factors(op, options->target);
  if (sums_bytes(op, options->target))
    sum_in_integers(op);
}
