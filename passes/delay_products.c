/* delay_products.c - the pass "delay-products": the product that ends an iteration is made in the next one, beside what
 * lanes compute there (warpgroups).
 *
 *     for i:  s = q k[i];  p, x = softmax of s, o;  o = x + p v[i]                                   becomes
 *     s = q k[first];  p, x = softmax of s, o
 *     for i from the second on:  s = q k[i];  o = x + p v[i - 1];  p, x = softmax of s, o
 *     o = x + p v[last]
 *
 * Warpgroups multiply by themselves. Both products of an iteration are given out together, and while the second is
 * under way, lanes compute of the first: software pipelining (as in FlashAttention-3, Shah et al. 2024). What p is
 * rounded to takes the registers that the product under way reads, so that is done behind it (DISTRIBUTE_BEHIND).
 *
 * Where several blocks share a multiprocessor, one multiplies while another computes, and registers are better spent on
 * that; so only kernels that have one block there are changed.
 *
 * Invariants
 *  - Values are what they were: the same ops on the same operands.
 *  - The first iteration is taken out of the loop. Where that may have none, it starts at 0, and what it reads is a
 *    tile, or of open extents what is left of one; masks hide what there is not, and no state changes.
 *  - Reads in the loop and beside it that are of one sequence of tiles carry one number (DISTRIBUTE_SEQUENCE), so that
 *    "stage" can give them one place.
 * Terminates: each loop is looked at once; what is made of it is not. */
#include "passes/distribute.h"

enum {
  MOST_LANE_REGISTERS = 255,
  WORKING_REGISTERS = 48, /* for addresses, maxima and what is under way */
  LEAST_ITERATIONS = 3,   /* of a loop that is worth more code */
  MOST_CONVERSIONS = 4,   /* between what lanes compute and the factor */
};

typedef struct delayer {
  ir_op *loop;
  ir_block *body;
  ir_op *product;   /* the last of an iteration */
  ir_op *leading;   /* the first */
  unsigned carried; /* the number of the loop's value that it adds to */
  int64_t number;   /* of the next sequence of reads */
  int64_t threads;
  const target_facts *facts;
} delayer;

/* ---------------------------------------------------------------------------------------------------------- matches */

static bool is_group_product(const delayer *d, const ir_op *op) {
  const ir_type *sums = ir_result(op, 0)->type;
  return target_has_groups(d->facts, ir_operand(op, 0)->type->element) && sums->kind == IR_TYPE_VECTOR &&
         sums->rank == 2 && sums->shape[0] >= d->facts->warpgroup * d->facts->matrices[0].m;
}

/* Is the right factor of a product read as the counter tells? What lanes compute for it would take their registers. */
static bool follows_from_counter(const delayer *d, const ir_op *op) {
  const ir_op *factor = ir_operand(op, 1)->op, *read = factor;
  while (read && (read->code == OP_VECTOR_TRANSPOSE || read->code == OP_VECTOR_EXT_TO_LAYOUT))
    read = ir_operand(read, 0)->op;
  return read && read->code == OP_VECTOR_TRANSFER_READ && factor->block == d->body &&
         distribute_mark_makers(d->body, factor, true);
}

/* Is all that uses the value an iteration later behind the first product? */
static bool is_used_behind(const delayer *d, const ir_value *value) {
  bool behind = true;
  for (const ir_use *use = value->uses; use; use = use->next) {
    ir_op *user = ir_op_ancestor_in(use->user, d->body);
    behind &= user != d->leading && ir_op_is_before(d->leading, user) && user != d->body->last;
  }
  return behind;
}

/* Two products in the body, of which the second is all that a carried value becomes. */
static bool find_products(delayer *d) {
  d->leading = d->product = NULL;
  for (ir_op *op = d->body->first; op; op = op->next)
    if (op->code == OP_VECTOR_CONTRACT) {
      if (!is_group_product(d, op) || d->product)
        return false;
      *(d->leading ? &d->product : &d->leading) = op;
    }
  if (!d->product || !ir_value_has_one_use(ir_result(d->product, 0)) ||
      ir_result(d->product, 0)->uses->user != d->body->last)
    return false;
  d->carried = ir_use_index(ir_result(d->product, 0)->uses);
  const ir_value *factor = ir_operand(d->product, 0), *sum = ir_operand(d->product, 2);
  const ir_value *argument = d->body->args[1 + d->carried];
  return factor->op && factor->op->block == d->body && ir_value_has_one_use(factor) && ir_value_has_one_use(sum) &&
         (sum == argument || (sum->op && sum->op->block == d->body)) && follows_from_counter(d, d->leading) &&
         follows_from_counter(d, d->product) && is_used_behind(d, argument);
}

/* Does the loop begin with an iteration, or at 0, and may there be so many that it pays? */
static bool has_first(const ir_op *loop) {
  ir_bounds bounds = ir_bounds_of(loop, 0);
  int64_t lower = ir_index_least(bounds.lower), upper = ir_index_most(bounds.upper), length;
  if (bounds.step.value ||
      (!__builtin_sub_overflow(upper, lower, &length) && length <= (LEAST_ITERATIONS - 1) * bounds.step.constant))
    return false;
  return ir_index_is_const(bounds.lower, 0) || ir_index_most(bounds.lower) < ir_index_least(bounds.upper);
}

/* Would lanes of the only block of a multiprocessor have the registers to keep the factor as well? */
static bool fits_lanes(const delayer *d) {
  int64_t words = distribute_words(ir_result(d->leading, 0)) + distribute_words(ir_operand(d->product, 0)) +
                  distribute_words_of_results(d->loop);
  int64_t registers = d->facts->registers / d->threads;
  for (const ir_op *op = d->body->first; op; op = op->next)
    words += distribute_words_read(op); /* added masks, say */
  return words + WORKING_REGISTERS <= (registers < MOST_LANE_REGISTERS ? registers : MOST_LANE_REGISTERS);
}

/* --------------------------------------------------------------------------------------------------------- rewrites */

static void number_read(delayer *d, ir_op *op) {
  if (op->code == OP_VECTOR_TRANSFER_READ)
    ir_attr_set(op, DISTRIBUTE_SEQUENCE, ir_attr_i64(op->module, d->number++));
}

/* Gives a number each to the reads that the right factor of the leading product is made of. */
static void number_leading(delayer *d) {
  ir_op *factor = ir_operand(d->leading, 1)->op;
  distribute_mark_makers(d->body, factor, true);
  for (ir_op *op = d->body->first; op != factor; op = op->next)
    if (op->mark)
      number_read(d, op);
  number_read(d, factor);
}

/* The product, of what the right factor is for that counter. Its reads have numbers of their own from the next one on,
 * as those that it shares with the leading product are an iteration behind now. */
static ir_value *make_product(delayer *d, ir_builder *builder, ir_value *counter, ir_value *left, ir_value *sum) {
  ir_value_map *map = ir_value_map_create(builder->module);
  ir_op *factor = ir_operand(d->product, 1)->op;
  ir_value_map_set(map, d->body->args[0], counter);
  ir_value_map_set(map, ir_operand(d->product, 0), left);
  ir_value_map_set(map, ir_operand(d->product, 2), sum);
  distribute_mark_makers(d->body, factor, true);
  for (ir_op *op = d->body->first; op != factor; op = op->next)
    if (op->mark)
      number_read(d, ir_op_clone(builder, op, map));
  number_read(d, ir_op_clone(builder, factor, map));
  ir_op *product = ir_op_clone(builder, d->product, map);
  ir_attr_set(product, DISTRIBUTE_DELAYED, ir_attr_unit(product->module));
  return ir_result(product, 0);
}

/* Drops ops from `last` up to `first` of which nobody uses anything. */
static void erase_unused(ir_op *first, ir_op *last) {
  for (ir_op *op = last, *before; op; op = before) {
    before = op == first ? NULL : op->prev;
    if (op != first && op->num_results && !op->num_regions && !ir_op_has(op, IR_WRITES) && ir_op_unused(op))
      ir_op_erase(op);
  }
}

/* The first iteration but for its last product, before the loop, which goes on with what it gives; returns the
 * factor. */
static ir_value *take_out_first(delayer *d) {
  ir_builder before = ir_builder_before(d->loop);
  ir_value_map *map = ir_value_map_create(d->loop->module);
  ir_value *lower = ir_operand(d->loop, 0);
  ir_value_map_set(map, d->body->args[0], lower);
  for (unsigned i = 0; i < d->loop->num_results; i++)
    ir_value_map_set(map, d->body->args[1 + i], ir_loop_init(d->loop, i));
  for (ir_op *op = d->body->first; op != d->body->last; op = op->next)
    if (op != d->product)
      ir_op_clone(&before, op, map);
  for (unsigned i = 0; i < d->loop->num_results; i++)
    ir_set_operand(d->loop, 3 + i,
                   ir_value_map_get(map, i == d->carried ? ir_operand(d->product, 2) : ir_operand(d->body->last, i)));
  ir_index start = ir_index_of(lower), step = ir_index_of(ir_operand(d->loop, 2));
  ir_set_operand(d->loop, 0, ir_index_value(&before, ir_index_add(&before, start, step)));
  return ir_value_map_get(map, ir_operand(d->product, 0));
}

/* What lanes convert the factor from goes behind all else of the body, as long as nobody else uses it. */
static void convert_behind(const delayer *d) {
  ir_op *op = ir_operand(d->product, 0)->op;
  ir_value *from = ir_result(op, 0);
  ir_op *end = d->body->last;
  for (unsigned i = 0; i < MOST_CONVERSIONS && op && op->block == d->body && ir_value_has_one_use(from); i++) {
    bool converts =
        op->code == OP_VECTOR_EXT_TO_LAYOUT || op->code == OP_VECTOR_SHAPE_CAST || op->code == OP_ARITH_TRUNCF;
    if (!converts)
      break;
    ir_op_move_before(op, end);
    end = op;
    from = ir_operand(op, 0);
    op = from->op;
  }
  if (end != d->body->last)
    ir_attr_set(end, DISTRIBUTE_BEHIND, ir_attr_unit(end->module));
}

/* All but the op that makes `made` use that instead of the value. */
static void replace_other_uses(ir_value *value, ir_value *made) {
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (use->user != made->op)
      ir_set_operand(use->user, ir_use_index(use), made);
  }
}

/* That of the last iteration, or of the first where there is none. */
static ir_value *last_counter(ir_builder *builder, ir_bounds bounds) {
  int64_t step = bounds.step.constant;
  ir_index length = ir_index_sub(builder, ir_index_sub(builder, bounds.upper, bounds.lower), ir_index_const(1));
  ir_index further = ir_index_scale(builder, ir_index_floordiv(builder, length, step), step);
  further = ir_index_max(builder, further, ir_index_const(0));
  return ir_index_value(builder, ir_index_add(builder, bounds.lower, further));
}

static void delay(delayer *d) {
  ir_bounds bounds = ir_bounds_of(d->loop, 0);
  ir_op *above = d->loop->prev;
  number_leading(d);
  ir_value *first = take_out_first(d), *factor = ir_operand(d->product, 0);
  int64_t number = d->number;
  convert_behind(d);
  const ir_attr *layouts = ir_attr_get(factor->op, PASS_LAYOUTS);
  ir_value *left = pass_carry(&d->loop, first, layouts ? layouts->elements[0] : NULL);
  erase_unused(above, d->loop->prev);
  d->body = ir_region(d->loop, 0);
  ir_builder inside = ir_builder_after(d->leading), after = ir_builder_after(d->loop);
  ir_value *sum = d->body->args[1 + d->carried], *result = ir_result(d->loop, d->carried);
  ir_index before = ir_index_sub(&inside, (ir_index){.value = d->body->args[0]}, bounds.step);
  replace_other_uses(sum, make_product(d, &inside, ir_index_value(&inside, before), left, sum));
  ir_value *factor_behind = ir_result(d->loop, d->loop->num_results - 1);
  d->number = number; /* the same tiles */
  replace_other_uses(result, make_product(d, &after, last_counter(&after, bounds), factor_behind, result));
  ir_set_operand(d->body->last, d->carried, ir_operand(d->product, 2));
  ir_insert_operand(d->body->last, d->loop->num_results - 1, factor);
  ir_op_erase(d->product);
  erase_unused(d->leading, d->body->last->prev);
}

static bool visit(ir_op *op, void *data) {
  delayer *d = data;
  if (op->code != OP_SCF_FOR || !has_first(op))
    return true;
  d->loop = op;
  d->body = ir_region(op, 0);
  if (distribute_keeps_global_memory(op) && find_products(d) && fits_lanes(d))
    delay(d);
  return true;
}

bool pass_delay_products(ir_op *kernel, const pass_options *options) {
  delayer d = {.threads = ir_attr_int_or(kernel, "tec.threads", 0), .facts = options->target};
  return distribute_blocks_of_groups(kernel, options->target) != 1 || ir_walk(ir_region(kernel, 0), visit, &d);
}
