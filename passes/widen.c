/* widen.c - contractions of 16-bit floats: where sums and factors become f32.
 *
 * Pass "widen-accumulators": sums are f32, rounded once, at the end. That is what matrix units do, what is fast on
 * vector units, and what keeps long sums right; a sum that rounds to 16 bits after each step is wanted by nobody. Only
 * the accumulator changes: inputs keep their type.
 *
 * Pass "widen-factors" (hosts): where the machine does not multiply pairs of factors as they are, attention's queries
 * and weights are f32, by the ops that make their tiles: loops over keys find them widened, and no weight is rounded
 * and widened again. Keys and values that many tiles of rows read, quantised ones, too, are widened once, into memory,
 * not by each tile again; the kernel of attention is then that of f32. Not so where few rows read them: bringing them
 * from memory takes the time there. The factor of other products that all tiles of columns read is widened once, too.
 * Values do not change, but for weights that a program rounds to 16 bits, as its products want factors alike: sums
 * take them with all their digits, and come nearer to the exact ones. The same for what it makes of integers, if there
 * are few rows, or none are multiplied as they are.
 * Termination: one walk each; the first creates what accumulates in f32, the second factors that are f32. Searches
 * go up chains of producers, or are those of softmax.h. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

/* Columns that pay for it as TILE_WIDENED_ROWS do, of products that have rows enough for the time to go into
 * multiplying. */
enum { MIN_COLUMNS = 512, MIN_PRODUCT_ROWS = 64 };
/* Of the last cache, such a factor's. */
enum { COPY_SHARE = 4 };

static bool is_half(ir_scalar scalar) { return ir_scalar_is_float(scalar) && ir_scalar_bits(scalar) == 16; }

/* The tensor with each element converted, in a new tensor of the same extents. */
static ir_value *convert_tensor(ir_builder *builder, ir_value *value, ir_scalar element) {
  ir_value *out = pass_empty_like(builder, value, element);
  ir_cell cell;
  if (ir_value_splat(value, &cell)) /* most accumulators start from a fill */
    return ir_fill_const(builder, cell.f, out);
  return body_convert(builder, value, out);
}

/* The same contraction of other factors onto another init: a named op stays what it is, a written body becomes that of
 * a contraction. */
static ir_op *contract_onto(ir_builder *builder, const ir_op *op, ir_value **factors, ir_value *init) {
  if (ir_op_row(op)->map)
    return ir_structured(builder, op->code, 2, factors, 1, &init, op->num_attrs, op->attrs);
  const ir_structure *structure = ir_structure_of(op);
  return body_contract(
             ir_generic(builder, 2, factors, 1, &init, structure->maps, structure->num_loops, structure->reductions))
      ->op;
}

/* Returns the contraction that stands for the op. */
static ir_op *widen_accumulator(ir_op *op) {
  ir_scalar narrow = ir_init(op, 0)->type->element;
  if (!is_half(narrow))
    return op;
  ir_builder builder = ir_builder_before(op);
  ir_value *factors[] = {ir_input(op, 0), ir_input(op, 1)};
  ir_op *wide = contract_onto(&builder, op, factors, convert_tensor(&builder, ir_init(op, 0), IR_F32));
  ir_replace_op(op, convert_tensor(&builder, ir_result(wide, 0), narrow));
  return wide;
}

void pass_widen_accumulators(ir_op *op, const pass_options *options) {
  if (ir_is_contraction(op) && op->num_results == 1)
    widen_accumulator(op);
}

/* ---------------------------------------------------------------------------------------------------------- factors */

/* The softmax whose weights the value is, or what is linear in them; NULL if there is none. */
static const ir_op *softmax_of(const ir_value *value) { return tile_find_source(value, softmax_is); }

/* The rows that read each element of a factor; IR_DYNAMIC where their number is open. */
static int64_t rows_beside(const ir_op *contraction, unsigned factor) {
  return ir_own_iterations(contraction, 1 - factor, factor);
}

/* The tensor of 16-bit floats, or of integers of so few bits, in f32, made once, before all loops; any other as it
 * is. */
static ir_value *widen_once(ir_builder *builder, ir_value *factor) {
  ir_scalar element = factor->type->element;
  if (ir_scalar_bits(element) > 16 || element == IR_I1)
    return factor;
  ir_value *wide = convert_tensor(builder, factor, IR_F32);
  ir_attr_set(wide->op, PASS_ONCE, ir_attr_unit(builder->module));
  return wide;
}

/* The same by the ops that make tiles of it. Of weights, those that were rounded to 16 bits, if just for products:
 * others would store all that was rounded, or take a second walk for it. */
static ir_value *widen_tiles(ir_builder *builder, ir_value *factor) {
  if (!is_half(factor->type->element))
    return factor;
  bool is_rounded = softmax_of(factor) && body_is_cast(factor->op) && tile_only_products_read(factor);
  ir_value *source = is_rounded ? ir_operand(factor->op, 0) : factor;
  return source->type->element == IR_F32 ? source : convert_tensor(builder, factor, IR_F32);
}

/* Puts a contraction of the factors, in f32, in the place of the op; returns what stands there then. */
static ir_op *contract_instead(ir_op *op, ir_value **factors) {
  if (factors[0] == ir_input(op, 0) && factors[1] == ir_input(op, 1))
    return op;
  op = widen_accumulator(op);
  ir_builder builder = ir_builder_before(op);
  ir_op *wide = contract_onto(&builder, op, factors, ir_init(op, 0));
  ir_replace_op(op, ir_result(wide, 0));
  return wide;
}

/* The machine multiplies such factors as f32, and the sums are floats that are no wider. `shared` is the factor that
 * all rows read. */
static bool can_widen(const ir_op *op, unsigned shared, const target_facts *facts) {
  return ir_scalar_is_float(ir_init(op, 0)->type->element) &&
         target_widens(facts, ir_input(op, 0)->type->element, ir_input(op, 1)->type->element,
                       rows_beside(op, shared)) &&
         ir_scalar_bits(ir_init(op, 0)->type->element) <= ir_scalar_bits(IR_F32);
}

/* `shared` is the factor that all rows of attention read. */
static void widen_attention(ir_op *op, unsigned shared, const target_facts *facts) {
  if (!can_widen(op, shared, facts))
    return;
  ir_builder builder = ir_builder_before(op);
  ir_value *factors[] = {ir_input(op, 0), ir_input(op, 1)};
  factors[1 - shared] = widen_tiles(&builder, factors[1 - shared]);
  if (target_has_rows_in_lanes(facts) && rows_beside(op, shared) >= TILE_WIDENED_ROWS)
    factors[shared] = widen_once(&builder, factors[shared]);
  contract_instead(op, factors);
}

/* The products that make a softmax's scores and use its weights: the factors that all rows read are keys and values. */
static void widen_around(ir_op *op, unsigned side, const ir_op *softmax, const target_facts *facts) {
  bool masked;
  ir_op *scores = tile_product_of_scores(ir_operand(softmax, 0), &masked);
  const ir_map *out = scores ? ir_structure_of(scores)->maps[2] : NULL;
  int64_t dim = ir_attr_int_or(softmax, "dimension", 0);
  int loop = out && dim < out->num_results ? ir_map_result_dim(out, (unsigned)dim) : -1;
  if (loop >= 0)
    widen_attention(scores, ir_map_find_dim(ir_structure_of(scores)->maps[1], (unsigned)loop) >= 0, facts);
  widen_attention(op, 1 - side, facts);
}

/* The factor that a product's tiles read element by element, not in lanes: each of several tiles of columns would widen
 * it again. It must be no larger than what such a copy may be there. */
static void widen_rows(ir_op *op, const target_facts *facts) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *out = structure->maps[2];
  int columns = ir_map_last_dim(out);
  unsigned rows = columns >= 0 && ir_map_find_dim(structure->maps[0], (unsigned)columns) >= 0;
  int64_t elements = ir_type_num_elements(ir_input(op, rows)->type);
  if (columns < 0 || !can_widen(op, 1 - rows, facts) || elements == IR_DYNAMIC ||
      (uint64_t)elements > facts->l3_bytes / COPY_SHARE / sizeof(float) || rows_beside(op, rows) < MIN_COLUMNS ||
      rows_beside(op, 1 - rows) < MIN_PRODUCT_ROWS)
    return;
  ir_builder builder = ir_builder_before(op);
  ir_value *factors[] = {ir_input(op, 0), ir_input(op, 1)};
  factors[rows] = widen_once(&builder, factors[rows]);
  contract_instead(op, factors);
}

/* An elementwise op that rounds what it makes of integers to 16 bits. */
static bool rounds_integers(const ir_op *op) {
  if (!op || op->code != OP_LINALG_GENERIC || op->num_results != 1 || !body_is_elementwise(op) ||
      !is_half(ir_result(op, 0)->type->element) || ir_body_reads_init(op, 0))
    return false;
  const ir_op *last = ir_yielded(op, 0)->op;
  return (ir_contains(op, OP_ARITH_SITOFP) || ir_contains(op, OP_ARITH_UITOFP)) && last &&
         last->code == OP_ARITH_TRUNCF && ir_operand(last, 0)->type->element == IR_F32;
}

/* The factor before it was rounded so; itself if it was not. */
static ir_value *unrounded(ir_builder *builder, ir_value *factor) {
  const ir_op *reshape = ir_made_by(factor, OP_TENSOR_COLLAPSE_SHAPE);
  ir_value *rounded = reshape ? ir_operand(reshape, 0) : factor;
  ir_op *maker = rounded->op;
  if (!rounds_integers(maker))
    return factor;
  recast parts;
  if (!recast_begin(&parts, maker))
    return factor;
  parts.operands[parts.num_ins] = pass_empty_like(builder, rounded, IR_F32);
  ir_op *wide = recast_create(&parts, builder, NULL);
  ir_set_operand(ir_region(wide, 0)->last, 0, ir_operand(ir_yielded(wide, 0)->op, 0));
  return reshape ? ir_result(recast_reshape(builder, reshape, ir_result(wide, 0)), 0) : ir_result(wide, 0);
}

/* The factors that are made of integers, and rounded as the product wants both alike. */
static ir_op *drop_rounding(ir_op *op, const target_facts *facts) {
  ir_value *factors[] = {ir_input(op, 0), ir_input(op, 1)};
  ir_builder builder = ir_builder_before(op);
  for (unsigned i = 0; i < 2; i++) {
    int64_t rows = rows_beside(op, i);
    if ((rows > 0 && rows <= TILE_F32_ROWS) || can_widen(op, i, facts))
      factors[i] = unrounded(&builder, factors[i]);
  }
  return contract_instead(op, factors);
}

void pass_widen_factors(ir_op *op, const pass_options *options) {
  const target_facts *facts = options->target;
  if (facts->kind != TARGET_HOST || !ir_is_contraction(op) || op->num_results != 1)
    return;
  op = drop_rounding(op, facts);
  const ir_op *softmax[] = {softmax_of(ir_operand(op, 0)), softmax_of(ir_operand(op, 1))};
  if (softmax[0] || softmax[1])
    widen_around(op, !softmax[0], softmax[softmax[0] == NULL], facts);
  else if (!target_has_small_tiles(facts) && target_has_rows_in_lanes(facts) && !softmax_may_follow(ir_result(op, 0)))
    widen_rows(op, facts);
}
