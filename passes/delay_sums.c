/* delay_sums.c - the pass "delay-sums": sums that a loop carries add up across lanes once, behind the loop.
 *
 * A running sum of rows, s = factor * s + sum of x along the row, needs the sum across the lanes that share a row in
 * each step only if somebody reads it there. Else each lane can carry the sum of its own elements, as the factor is
 * the same all along the row. So the carried vector gets the lanes as further dims, the reduction leaves those dims
 * alone, and a reduction along them follows the loop:
 *
 *     x : rows x columns, columns = 8 registers x 4 lanes x 2 registers
 *     s' = factor * s' + sum over registers of x : rows x 4;      behind the loop: sum of s' over the 4 : rows
 *
 * A maximum is needed at once, by the exponentials; it stays. Where one op sums up a warp's lanes and what it gives is
 * kept once, sums of their own take registers, and are made where lanes have them.
 *
 * Invariants
 *  - Only the order of sums differs: what a sum starts from is the same in all rows, and shared out exactly.
 *  - All that is made here has its layouts.
 * Terminates: each value that a loop carries is looked at once. */
#include "passes/distribute.h"

#include <string.h>

/* A sum that a loop carries. */
typedef struct running_sum {
  ir_op *loop;
  unsigned carried;             /* the number of the value */
  ir_op *reduction;             /* what the loop yields: acc + sum of the source along its last dim .. */
  ir_op *scaling;               /* .. and acc = factor * carried; NULL: acc is the carried value */
  unsigned factor;              /* the operand of the scaling */
  double start;                 /* a share of what the sum starts from */
  unsigned parts;               /* dims that the last one of the source falls apart to .. */
  bool within[LAYOUT_MAX_RANK]; /* .. which of them a lane has in its registers .. */
  layout split, part;           /* .. the source's layout then, and that of the sums */
} running_sum;

/* Text may come with any layouts; "distribute" refuses what does not fit, so here it only must do no harm. */
static bool has_layout(const ir_value *value) {
  layout l = distribute_layout(value);
  bool fits = value->type->kind == IR_TYPE_VECTOR && l.rank == value->type->rank;
  for (unsigned dim = 0; fits && dim < l.rank; dim++)
    fits = layout_extent(&l, dim) == value->type->shape[dim];
  return fits;
}

/* Takes the last dim of the source apart where registers end and lanes begin; false where lanes do not share it, or
 * have nothing to add up by themselves. */
static bool split_last_dim(running_sum *sum) {
  layout own = distribute_layout(ir_operand(sum->reduction, 0)), l = layout_coalesce(&own);
  unsigned last = l.rank - 1;
  int64_t extent = 1;
  sum->split = l;
  for (unsigned i = 0; i < l.num_digits; i++) {
    const layout_digit *digit = &l.digits[i]; /* by dim stride */
    if (digit->dim != last || !digit->dim_stride)
      continue;
    bool registers = digit->level == LAYOUT_REGISTER;
    if (!sum->parts || registers != sum->within[0]) {
      layout before = sum->split;
      if (sum->parts && (before.rank == LAYOUT_MAX_RANK || !layout_expand(&before, last, extent, &sum->split)))
        return false;
      memmove(sum->within + 1, sum->within, sum->parts++ * sizeof *sum->within);
      sum->within[0] = registers;
      extent = 1;
    }
    extent *= digit->size;
  }
  sum->part = sum->split;
  for (unsigned i = sum->parts; i-- > 0;)
    if (sum->within[i])
      sum->part = layout_project(&sum->part, last + i);
  return sum->parts > 1;
}

/* --------------------------------------------------------------------------------------------------------- matches */

/* The value is the factor times the carried one. */
static bool match_scaling(running_sum *sum, ir_value *value, const ir_value *argument) {
  ir_op *op = ir_made_by(value, OP_ARITH_MULF);
  if (value == argument)
    return true;
  if (!op || op->block != argument->block || !ir_value_has_one_use(value))
    return false;
  sum->scaling = op;
  sum->factor = ir_operand(op, 0) == argument;
  return ir_operand(op, 1 - sum->factor) == argument && ir_operand(op, sum->factor) != argument;
}

static bool match_sum(ir_op *loop, unsigned carried, running_sum *sum) {
  const ir_block *body = ir_region(loop, 0);
  ir_value *yielded = ir_operand(ir_block_terminator(body), carried), *argument = body->args[1 + carried];
  *sum = (running_sum){.loop = loop, .carried = carried, .reduction = yielded->op};
  const ir_op *op = ir_made_by(yielded, OP_VECTOR_MULTI_REDUCTION);
  unsigned count;
  ir_cell start;
  if (!op || op->block != body || strcmp(ir_attr_string_or(op, "kind", ""), "add") ||
      yielded->type->kind != IR_TYPE_VECTOR || !ir_scalar_is_float(yielded->type->element) ||
      !ir_value_has_one_use(yielded) || !ir_value_has_one_use(argument))
    return false;
  const int64_t *dims = ir_attr_i64s_of(op, "reduction_dims", &count);
  if (count != 1 || dims[0] != ir_operand(op, 0)->type->rank - 1 || !match_scaling(sum, ir_operand(op, 1), argument) ||
      !ir_value_splat(ir_loop_init(loop, carried), &start) || !has_layout(ir_operand(op, 0)) ||
      (sum->scaling && !has_layout(ir_operand(sum->scaling, sum->factor))) || !split_last_dim(sum))
    return false;
  int64_t shares = 1;
  for (unsigned i = yielded->type->rank; i < sum->part.rank; i++)
    shares *= layout_extent(&sum->part, i);
  sum->start = start.f / (double)shares;
  return !(shares & (shares - 1));
}

/* Sums of each lane take no more registers than those that all lanes have, or there are enough. */
static bool has_registers(const running_sum *sum, const target_facts *facts) {
  return !facts->has_subgroup_reduce || distribute_words_across(sum->loop) <= facts->lane_registers;
}

/* -------------------------------------------------------------------------------------------------------- rewrites */

static const ir_type *type_of_layout(ir_module *module, const layout *l, ir_scalar element) {
  int64_t shape[IR_MAX_RANK];
  for (unsigned dim = 0; dim < l->rank; dim++)
    shape[dim] = layout_extent(l, dim);
  return ir_type_vector(module, element, l->rank, shape);
}

/* The factor, of rows, for all parts of a row. */
static ir_value *spread_factor(ir_builder *builder, const running_sum *sum, ir_value *factor, const ir_type *type) {
  layout rows = distribute_layout(factor);
  int64_t shape[IR_MAX_RANK];
  for (unsigned dim = 0; dim < type->rank; dim++) {
    shape[dim] = dim < factor->type->rank ? factor->type->shape[dim] : 1;
    rows = dim < factor->type->rank ? rows : layout_insert_dim(&rows, dim);
  }
  const ir_type *column = ir_type_vector(builder->module, type->element, type->rank, shape);
  ir_value *cast = ir_unary(builder, OP_VECTOR_SHAPE_CAST, factor, column);
  distribute_set_layout(cast->op, 0, &rows);
  ir_value *all = ir_unary(builder, OP_VECTOR_BROADCAST, cast, type);
  distribute_set_layout(all->op, 0, &sum->part);
  return all;
}

/* acc + sum of the source along dims dims[0 .. count). */
static ir_value *reduce(ir_builder *builder, const running_sum *sum, ir_value *source, ir_value *acc, unsigned count,
                        const int64_t *dims, const layout *l) {
  ir_named_attr attrs[] = {{"kind", ir_attr_get(sum->reduction, "kind")},
                           {"reduction_dims", ir_attr_i64s(builder->module, count, dims)}};
  ir_value *operands[] = {source, acc};
  ir_value *result = ir_create(builder, OP_VECTOR_MULTI_REDUCTION, acc->type, 2, operands, 2, attrs);
  distribute_set_layout(result->op, 0, l);
  return result;
}

static ir_value *splat(ir_builder *builder, const ir_type *type, double number, const layout *l) {
  ir_value *value = ir_const(builder, type, number);
  distribute_set_layout(value->op, 0, l);
  return value;
}

/* The sums of lanes after one iteration. */
static ir_value *add_step(const running_sum *sum, ir_value *argument) {
  ir_builder builder = ir_builder_before(sum->reduction);
  ir_value *source = ir_operand(sum->reduction, 0), *acc = argument;
  ir_module *module = builder.module;
  if (sum->scaling) {
    ir_value *factor = spread_factor(&builder, sum, ir_operand(sum->scaling, sum->factor), argument->type);
    acc = ir_binary(&builder, OP_ARITH_MULF, argument, factor);
    distribute_set_layout(acc->op, 0, &sum->part);
  }
  const ir_type *split = type_of_layout(module, &sum->split, argument->type->element);
  ir_value *cast = ir_unary(&builder, OP_VECTOR_SHAPE_CAST, source, split);
  distribute_set_layout(cast->op, 0, &sum->split);
  int64_t dims[LAYOUT_MAX_RANK];
  unsigned count = 0;
  for (unsigned i = 0; i < sum->parts; i++)
    if (sum->within[i])
      dims[count++] = source->type->rank - 1 + i;
  return reduce(&builder, sum, cast, acc, count, dims, &sum->part);
}

/* The loop carries sums of lanes; what it gave before is made of them behind it. */
static void delay(const running_sum *sum) {
  ir_op *loop = sum->loop;
  ir_value *result = ir_result(loop, sum->carried), *argument = ir_region(loop, 0)->args[1 + sum->carried];
  const ir_type *whole = result->type, *part = type_of_layout(loop->module, &sum->part, whole->element);
  layout rows = distribute_layout(result);
  ir_builder before = ir_builder_before(loop), behind = ir_builder_after(loop);
  ir_value *start = splat(&before, part, sum->start, &sum->part), *zero = splat(&behind, whole, 0, &rows);
  int64_t dims[LAYOUT_MAX_RANK];
  unsigned count = 0;
  for (unsigned dim = whole->rank; dim < part->rank; dim++)
    dims[count++] = dim;
  ir_value *total = reduce(&behind, sum, start, zero, count, dims, &rows);
  ir_replace_uses(result, total);
  argument->type = result->type = part;
  ir_set_operand(total->op, 0, result);
  ir_set_operand(loop, ir_group_start(loop, 3) + sum->carried, start);
  ir_set_operand(ir_block_terminator(ir_region(loop, 0)), sum->carried, add_step(sum, argument));
  distribute_set_layout(loop, sum->carried, &sum->part);
  ir_op_erase(sum->reduction);
  if (sum->scaling)
    ir_op_erase(sum->scaling);
}

static bool visit(ir_op *op, void *data) {
  const target_facts *facts = data;
  running_sum sum;
  for (unsigned i = 0; op->code == OP_SCF_FOR && i < op->num_results; i++)
    if (has_layout(ir_result(op, i)) && match_sum(op, i, &sum) && has_registers(&sum, facts))
      delay(&sum);
  return true;
}

bool pass_delay_sums(ir_module *module, const pass_options *options) {
  target_facts facts = *options->target;
  return ir_walk(ir_region(module->root, 0), visit, &facts);
}
