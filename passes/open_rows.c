/* open_rows.c - pass "open-rows": a kernel with a running softmax over an open number of rows becomes two, one with
 * tiles whose rows orient.c can put into lanes.
 *
 *     forall i in [0, rows) step 128 { .. }        becomes
 *     forall i in [0, fit ? rows : 0) step 64 { .. }
 *     forall i in [0, fit ? 0 : rows) step 128 { .. }
 *
 * Where rows are known, the schedule decides that; where they are open, it is decided in each call: few rows leave
 * lanes empty, and where there are very many keys, transposing them pays. In the first kernel the last tile is
 * padded.
 *
 * Invariant: one of the two kernels has no iterations; so each element is written once, and the second one may go on
 * with the tensors that the first one wrote, of which it needs nothing, as these start as tensor.empty.
 * Terminates: each kernel is visited once; the new ones come before it. */
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum { LOWER, UPPER, STEP, OUTS };

typedef struct open_rows {
  ir_op *kernel, *loop;
  unsigned dim; /* of the kernel: its rows */
  ir_value *rows;
  ir_index keys;
  int64_t most_keys;
  softmax_tile tile;
} open_rows;

/* The dim of the kernel that the contraction's rows are tiles of: those of the running factor alone. Returns whether
 * there is one, of an open number. */
static bool find_rows(open_rows *o, const ir_op *op, unsigned side) {
  const ir_structure *structure = ir_structure_of(op);
  const ir_block *body = ir_region(o->kernel, 0);
  for (unsigned i = 0; i < structure->maps[side]->num_results; i++) {
    int loop = ir_map_result_dim(structure->maps[side], i);
    if (loop < 0 || ir_loop_is_reduction(structure, (unsigned)loop) ||
        ir_loop_side(structure, (unsigned)loop) != (int)side)
      continue;
    extent x = extent_of(ir_operand(op, side), i);
    const ir_op *size = x.value && x.value->type->kind == IR_TYPE_SCALAR ? x.value->op : NULL;
    for (unsigned dim = 0; size && dim < ir_num_counters(o->kernel); dim++) {
      ir_bounds bounds = ir_bounds_of(o->kernel, dim);
      if (bounds.step.value || !extent_room(size, body->args[dim], bounds.step.constant))
        continue;
      o->dim = dim;
      o->rows = bounds.upper.value;
      return bounds.upper.value && ir_index_is_const(bounds.lower, 0);
    }
  }
  return false;
}

/* A loop of the kernel over steps of keys, with a running softmax whose rows lanes should hold. */
static bool find_loop(open_rows *o, const target_facts *target) {
  for (ir_op *loop = ir_region(o->kernel, 0)->first; loop; loop = loop->next) {
    if (loop->code != OP_SCF_FOR || !ir_index_is_const(ir_index_of(ir_operand(loop, LOWER)), 0))
      continue;
    ir_index step = ir_index_of(ir_operand(loop, STEP));
    o->loop = loop;
    o->keys = ir_index_of(ir_operand(loop, UPPER));
    if (step.value || (o->keys.value && !ir_value_is_outside(o->keys.value, ir_region(o->kernel, 0))))
      continue;
    for (ir_op *op = ir_region(loop, 0)->first; op; op = op->next) {
      int side = ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op) ? tile_running_operand(op) : -1;
      if (side < 0 || !find_rows(o, op, (unsigned)side))
        continue;
      o->tile = softmax_tile_of_open_rows(op, (unsigned)side, target, &o->most_keys);
      return o->tile.rows > 0;
    }
  }
  return false;
}

/* Nothing is known of what the kernel's results start as. */
static bool starts_empty(const ir_op *kernel) {
  for (unsigned i = 0; i < kernel->num_results; i++) {
    const ir_value *out = ir_group_operand(kernel, OUTS, i);
    if (!ir_made_by(out, OP_TENSOR_EMPTY) || !ir_value_has_one_use(out))
      return false;
  }
  return kernel->num_results > 0;
}

/* Rows nearly fill tiles, or blocks of them, and keys are more than a step and not too many. */
static ir_value *create_condition(ir_builder *builder, const open_rows *o) {
  ir_module *module = builder->module;
  const ir_expr *rows = ir_expr_dim(module, 0), *size = ir_expr_const(module, o->tile.block);
  const ir_expr *up = ir_expr_by(module, IR_EXPR_ADD, rows, o->tile.block - 1);
  const ir_expr *whole = ir_expr_binary(module, IR_EXPR_MUL, ir_expr_binary(module, IR_EXPR_FLOORDIV, up, size), size);
  const ir_expr *padding = ir_expr_binary(module, IR_EXPR_ADD, whole, ir_expr_by(module, IR_EXPR_MUL, rows, -1));
  ir_index index = {.value = o->rows};
  const ir_expr *scaled = ir_expr_by(module, IR_EXPR_MUL, padding, TILE_PADDING);
  ir_value *wasted = ir_index_value(builder, ir_index_apply(builder, scaled, 1, &index));
  ir_value *fit = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS_EQUAL, wasted, o->rows);
  ir_value *keys = ir_index_value(builder, o->keys), *least = ir_const_index(builder, o->tile.step);
  ir_value *most = ir_const_index(builder, o->most_keys);
  fit = ir_binary(builder, OP_ARITH_ANDI, fit, ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, least, keys));
  fit = ir_binary(builder, OP_ARITH_ANDI, fit, ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS_EQUAL, keys, most));
  return fit;
}

/* The kernel over so many rows instead. */
static ir_op *clone_over(const open_rows *o, ir_builder *builder, ir_value *rows) {
  ir_value_map *map = ir_value_map_create(builder->module);
  ir_value_map_set(map, o->rows, rows);
  return ir_op_clone(builder, o->kernel, map);
}

bool pass_open_rows(ir_op *kernel, const pass_options *options) {
  open_rows o = {.kernel = kernel};
  if (!target_has_rows_in_lanes(options->target) || options->target->tiles.rows || !starts_empty(kernel) ||
      !find_loop(&o, options->target))
    return true;
  ir_builder builder = ir_builder_before(kernel);
  ir_value *fit = create_condition(&builder, &o), *none = ir_const_index(&builder, 0);
  ir_value *in_lanes = ir_select(&builder, fit, o.rows, none), *others = ir_select(&builder, fit, none, o.rows);
  ir_op *first = clone_over(&o, &builder, in_lanes), *second = clone_over(&o, &builder, others);
  ir_op *loop = ir_region(first, 0)->first;
  for (const ir_op *op = ir_region(kernel, 0)->first; op != o.loop; op = op->next)
    loop = loop->next;
  extent_set_step(first, o.dim, o.tile.rows);
  extent_set_step(loop, 0, o.tile.step);
  for (unsigned i = 0; i < kernel->num_results; i++) {
    ir_set_operand(second, ir_group_start(second, OUTS) + i, ir_result(first, i));
    ir_replace_uses(ir_result(kernel, i), ir_result(second, i));
  }
  ir_op_erase(kernel);
  return true;
}
