/* unmask.c - the pass "unmask": steps of a loop that no mask cuts run in a loop of their own, without it.
 *
 * Masks are vectors of i1: vector.create_mask where a tile may reach beyond the end of memory, and comparisons of
 * indices that choose between a score and -infinity. Where such a condition is affine in the loop's counter, or can be
 * made so, it holds for all elements in an interval of iterations. Where all of them hold from the start, or up to the
 * end, the loop is taken apart into that interval and the rest; carried values go from one to the other, and with them
 * whatever runs ahead of the loop. (A window is cut off on both sides; three loops make the assembler spill, so its
 * loop stays whole.) So a causal kernel compares on the diagonal only, and a kernel for any number of keys in its last
 * step only.
 *
 * A branch around the masks, in one loop, would be less code, but keep the assembler from mixing what stands before
 * them with what comes behind. Intel's compiler, which has the registers of a kernel in view as a whole, spills where
 * there are several loops; its kernels keep their masks.
 *
 * Invariants
 *  - Only the innermost loops are taken apart, with constant steps: code at most doubles.
 *  - The first part ends where an iteration begins.
 * Terminates: each loop is looked at once, and what is made here is not looked at; conditions are followed for
 * MAX_STEPS in all. */
#include "passes/mask.h"
#include "passes/passes.h"

enum {
  MAX_STEPS = 256,
  MAX_CONDITIONS = 16,
  MIN_STEPS = 8, /* fewer are not worth more code; and straight code, which is what one step becomes, takes registers */
};

typedef struct unmasker {
  ir_op *loop;
  ir_builder before; /* the loop */
  mask_window full;  /* where all conditions found so far are as they usually are */
  unsigned count;
  ir_op *conditions[MAX_CONDITIONS]; /* comparisons and masks in the loop .. */
  bool usual[MAX_CONDITIONS];        /* .. and what they are there */
  unsigned steps;                    /* that are left for following conditions */
} unmasker;

/* ------------------------------------------------------------------------------------------------------- conditions */

/* Where the bounds hold for all elements, the condition is `usual`. Nothing is added if they never do so in one step
 * and in another do, by what is known before the loop. */
static void add_condition(unmasker *u, ir_op *condition, bool usual, const mask *where) {
  mask_window full = u->full;
  bool depends = false;
  for (unsigned i = 0; i < u->count; i++)
    if (u->conditions[i] == condition)
      return;
  for (unsigned i = 0; i < where->count; i++) {
    mask_bound bound = where->bounds[i];
    if (!mask_settle(&bound, -1))
      return;
    bool narrows = mask_narrow(&u->before, &full, &bound);
    if (!narrows && (bound.count || bound.num_quotients || bound.constant > 0))
      return;
    depends |= narrows;
  }
  if (!depends || u->count == MAX_CONDITIONS)
    return;
  u->full = full;
  u->conditions[u->count] = condition;
  u->usual[u->count++] = usual;
}

/* An end of memory: usually tiles are full. */
static void visit_mask(unmasker *u, ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  mask where = {.count = 0};
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (!mask_add_least(&where, u->loop, ir_operand(op, dim), type->shape[dim]))
      return;
  add_condition(u, op, true, &where);
}

/* A condition by which scores are visible where it is `visible`, which they usually are. */
static void visit_condition(unmasker *u, const ir_value *condition, bool visible) {
  ir_op *op = condition->op;
  mask where = {.count = 0};
  ir_cell flipped;
  if (!op || op->block != ir_region(u->loop, 0) || !u->steps || !--u->steps)
    return;
  switch (op->code) {
  case OP_ARITH_CMPI: /* an equality would be two bounds, and its opposite none */
    mask_add(&where, u->loop, condition, visible);
    if (where.count == 1)
      add_condition(u, op, visible, &where);
    return;
  case OP_ARITH_ANDI:
  case OP_ARITH_ORI:
    for (unsigned i = 0; i < 2 && visible == (op->code == OP_ARITH_ANDI); i++)
      visit_condition(u, ir_operand(op, i), visible);
    return;
  case OP_ARITH_XORI:
    if (ir_value_splat(ir_operand(op, 1), &flipped))
      visit_condition(u, ir_operand(op, 0), visible == !flipped.i);
    return;
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_SHAPE_CAST:
    visit_condition(u, ir_operand(op, 0), visible);
    return;
  default:
    return;
  }
}

static void find_conditions(unmasker *u) {
  for (ir_op *op = ir_region(u->loop, 0)->first; op; op = op->next) {
    if (op->code == OP_VECTOR_CREATE_MASK)
      visit_mask(u, op);
    else if (op->code == OP_ARITH_SELECT && ir_operand(op, 0)->type->kind == IR_TYPE_VECTOR)
      for (unsigned i = 1; i <= 2; i++)
        if (mask_is_hidden(ir_operand(op, 3 - i)))
          visit_condition(u, ir_operand(op, 0), i == 1);
  }
}

/* ------------------------------------------------------------------------------------------------------------ parts */

static void set_bounds(unmasker *u, ir_op *loop, ir_index lower, ir_index upper) {
  ir_set_operand(loop, 0, ir_index_value(&u->before, lower));
  ir_set_operand(loop, 1, ir_index_value(&u->before, upper));
}

/* A copy of the loop for the iterations before those of the loop, which goes on with its results. */
static void copy_before(unmasker *u, ir_value_map *map, ir_index lower, ir_index upper) {
  ir_op *copy = ir_op_clone(&u->before, u->loop, map);
  u->before = ir_builder_before(copy);
  set_bounds(u, copy, lower, upper);
  u->before = ir_builder_before(u->loop);
  for (unsigned i = 0; i < copy->num_results; i++)
    ir_set_operand(u->loop, 3 + i, ir_result(copy, i));
}

/* All elements of the condition are what they usually are. */
static void set_usual(ir_value *condition, bool usual) {
  ir_builder builder = ir_builder_before(condition->op);
  ir_value *constant = ir_const(&builder, condition->type, usual);
  const ir_attr *layouts = ir_attr_get(condition->op, PASS_LAYOUTS);
  if (layouts)
    ir_attr_set(constant->op, PASS_LAYOUTS, layouts);
  ir_replace_uses(condition, constant);
}

/* The first counter from `lower` on that is not below `end`, or `upper`. */
static ir_index aligned(unmasker *u, ir_index lower, ir_index end, ir_index upper) {
  ir_builder *builder = &u->before;
  ir_index steps = ir_index_ceildiv(builder, ir_index_sub(builder, end, lower), u->full.step);
  steps = ir_index_max(builder, steps, ir_index_const(0));
  return ir_index_min(builder, ir_index_add(builder, lower, ir_index_scale(builder, steps, u->full.step)), upper);
}

static bool is_short(ir_index lower, ir_index upper, int64_t step) {
  return !lower.value && !upper.value &&
         (lower.constant >= upper.constant ||
          ((uint64_t)upper.constant - (uint64_t)lower.constant) / (uint64_t)step < MIN_STEPS);
}

static void unmask_loop(ir_op *loop) {
  ir_bounds bounds = ir_bounds_of(loop, 0);
  ir_index lower = bounds.lower, upper = bounds.upper, step = bounds.step;
  if (step.value || step.constant < 1 || is_short(lower, upper, step.constant))
    return;
  unmasker u = {.loop = loop,
                .steps = MAX_STEPS,
                .before = ir_builder_before(loop),
                .full = {ir_region(loop, 0)->args[0], lower, upper, step.constant}};
  find_conditions(&u);
  if (!u.count)
    return;
  bool begins_later = !ir_index_equal(u.full.lower, lower), ends_earlier = !ir_index_equal(u.full.upper, upper);
  if (begins_later && ends_earlier)
    return;
  ir_index seam = begins_later ? ir_index_min(&u.before, u.full.lower, upper) : aligned(&u, lower, u.full.upper, upper);
  if (ir_index_equal(seam, begins_later ? upper : lower))
    return;
  ir_value_map *copies = ir_value_map_create(loop->module);
  copy_before(&u, copies, lower, seam);
  set_bounds(&u, loop, seam, upper);
  for (unsigned i = 0; i < u.count; i++) {
    ir_value *condition = ir_result(u.conditions[i], 0);
    set_usual(begins_later ? condition : ir_value_map_get(copies, condition), u.usual[i]);
  }
}

/* Returns whether there was a loop. */
static bool unmask_block(ir_block *block) {
  bool found = false;
  for (ir_op *op = block->first, *next; op; op = next) {
    bool outer = false;
    next = op->next;
    for (unsigned i = 0; i < op->num_regions; i++)
      outer |= unmask_block(ir_region(op, i));
    if (op->code == OP_SCF_FOR && !outer)
      unmask_loop(op);
    found |= outer || op->code == OP_SCF_FOR;
  }
  return found;
}

bool pass_unmask(ir_module *module, const pass_options *options) {
  if (options->target->kind != TARGET_SPIRV)
    unmask_block(ir_region(module->root, 0));
  return true;
}
