/* bufferize_prepare.c - rewrites on tensors that let bufferization find the right memory by itself:
 *  - dead ops are dropped;
 *  - what to_linalg.c makes structured ops of becomes such, and splat constants become fills;
 *  - each tensor.empty, and each fill of one that is to be written over, is repeated for each of its users, since
 *    sharing them saves no memory and would cost copies;
 *  - a tensor.empty whose content, some steps of destination style later, is inserted into a slice or returned, is
 *    replaced by that slice, or by the result's stand-in: so the steps compute in the memory where the value is
 *    wanted. What makes it is moved down to the insertion where the slice is not there before. An argument that is
 *    returned after such steps is copied to the stand-in first.
 *
 * Terminates: one walk for each; copies of tensor.empty and fill have one user and are not copied again; each step
 * back from a destination goes to a value defined before. */
#include "passes/buffers.h"

enum {
  LONG_BYTES = 1024, /* rows of so many are long */
  MAX_STEPS = 64,    /* ops past which one is moved */
};

static void drop_dead(ir_block *block) {
  for (ir_op *op = block->last, *prev; op; op = prev) {
    prev = op->prev;
    if (ir_op_has(op, IR_PURE) && op->num_results && ir_op_unused(op))
      ir_op_erase(op);
    else
      for (unsigned i = 0; i < op->num_regions; i++)
        drop_dead(ir_region(op, i));
  }
}

static void normalise(ir_block *block) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (unsigned i = 0; i < op->num_regions; i++)
      normalise(ir_region(op, i));
    ir_cell splat;
    if (!ir_op_touches(op, IR_TYPE_TENSOR) || pass_op_to_linalg(op))
      continue;
    if (!ir_op_has(op, IR_CONSTANT) || !ir_value_splat(ir_result(op, 0), &splat))
      continue;
    ir_builder builder = ir_builder_before(op);
    ir_replace_op(op, pass_fill_for(&builder, op, splat));
  }
}

/* The use is the start of something that is written over. */
static bool starts_writing(const ir_use *use) {
  const ir_op *user = use->user;
  unsigned i = ir_use_index(use);
  if (ir_op_has(user, IR_DPS))
    return i >= ir_num_inputs(user);
  return (ir_op_has(user, IR_LOOP) && is_tensor(use->value)) || (user->code == OP_TENSOR_INSERT_SLICE && i == 1);
}

static bool is_fill_of_empty(const ir_op *op) {
  const ir_value *init = op->code == OP_LINALG_FILL ? ir_init(op, 0) : NULL;
  return init && ir_made_by(init, OP_TENSOR_EMPTY);
}

static void repeat_for_users(ir_block *block) {
  for (ir_op *op = block->first; op; op = op->next) {
    for (unsigned i = 0; i < op->num_regions && !ir_op_has(op, IR_STRUCTURED); i++)
      repeat_for_users(ir_region(op, i));
    /* scf.forall.in_parallel holds nothing but insertions. */
    ir_op *place = op->code == OP_TENSOR_PARALLEL_INSERT_SLICE ? ir_op_parent(op) : op;
    for (unsigned i = 0; i < op->num_operands; i++) {
      ir_op *source = ir_operand(op, i)->op;
      if (!source || (ir_value_has_one_use(ir_operand(op, i)) && source->block == place->block))
        continue;
      ir_builder builder = ir_builder_before(place);
      if (source->code == OP_TENSOR_EMPTY && op->code != OP_TENSOR_DIM) {
        ir_set_operand(op, i, ir_result(ir_op_clone(&builder, source, NULL), 0));
      } else if (is_fill_of_empty(source) && starts_writing(&op->operands[i])) {
        ir_op *empty = ir_op_clone(&builder, ir_init(source, 0)->op, NULL);
        ir_set_operand(op, i, ir_fill(&builder, ir_operand(source, 0), ir_result(empty, 0)));
      }
    }
  }
}

/* Somebody but `writer`, or the writer once more, reads the tensor or a view of it as the writer runs or after it, or
 * may have put into its memory what is read then. */
static bool is_read_again(const ir_value *tensor, const ir_use *writer) {
  ir_op *at = writer->user;
  for (const ir_use *use = view_next_use(tensor, NULL); use; use = view_next_use(tensor, use)) {
    ir_op *user = use == writer ? NULL : ir_op_ancestor_in(use->user, at->block);
    if (use != writer && (!user || user == at || !ir_op_is_before(user, at) || starts_writing(use)))
      return true;
  }
  return false;
}

/* The use of a tensor.empty, or of an argument of the function, from which the value came by steps of destination
 * style, or NULL. A step whose destination is read again will not happen in place: what it starts from must not lie
 * where its result is copied to. */
static ir_use *origin(ir_value *value) {
  for (;;) {
    ir_op *op = value->op;
    unsigned operand;
    if (!op)
      return NULL;
    if (ir_op_has(op, IR_DPS))
      operand = ir_num_inputs(op) + value->index;
    else if (ir_op_has(op, IR_LOOP))
      operand = ir_group_start(op, 3) + value->index;
    else if (op->code == OP_TENSOR_INSERT_SLICE)
      operand = 1;
    else
      return NULL;
    ir_value *before = ir_operand(op, operand);
    if (ir_made_by(before, OP_TENSOR_EMPTY))
      return ir_value_has_one_use(before) ? &op->operands[operand] : NULL;
    if (!before->op && before->block->parent->code == OP_FUNC_FUNC)
      return &op->operands[operand];
    if (is_read_again(before, &op->operands[operand]))
      return NULL;
    value = before;
  }
}

static bool is_visible(const ir_value *value, ir_op *at) {
  if (!value->op)
    return ir_op_is_inside(at, value->block);
  ir_op *ancestor = ir_op_ancestor_in(at, value->op->block);
  return ancestor && ancestor != value->op && ir_op_is_before(value->op, ancestor);
}

/* The op writes over a tensor that `maker` needs. */
static bool writes_over_operand(const ir_op *op, const ir_op *maker) {
  for (unsigned i = 0; i < op->num_operands; i++)
    for (const ir_use *use = starts_writing(&op->operands[i]) ? ir_operand(op, i)->uses : NULL; use; use = use->next)
      if (ir_op_ancestor_in(use->user, maker->block) == maker)
        return true;
  return false;
}

/* Moves the maker of what is inserted down to the insertion, if nobody between needs it or takes what it needs: then it
 * can compute in what is inserted into, as the parts of a concatenation do. */
static bool move_down(ir_op *maker, ir_op *insert) {
  unsigned steps = 0;
  if (maker->block != insert->block)
    return false;
  for (const ir_op *inner = maker; inner; inner = ir_next_inside(maker, inner))
    if (ir_op_touches(inner, IR_TYPE_MEMREF))
      return false;
  for (unsigned i = 1; i < insert->num_operands; i++) /* it cannot compute in what it makes itself */
    if (ir_operand(insert, i)->op == maker)
      return false;
  for (unsigned i = 0; i < maker->num_results; i++)
    for (const ir_use *use = ir_result(maker, i)->uses; use; use = use->next) {
      ir_op *user = ir_op_ancestor_in(use->user, maker->block);
      if (user != insert && ir_op_is_before(user, insert))
        return false;
    }
  for (const ir_op *op = maker->next; op != insert; op = op->next)
    if (++steps > MAX_STEPS || writes_over_operand(op, maker))
      return false;
  ir_op_move_before(maker, insert);
  return true;
}

static bool slice_is_visible(const ir_op *insert, ir_op *at) {
  for (unsigned i = 1; i < insert->num_operands; i++)
    if (!is_visible(ir_operand(insert, i), at))
      return false;
  return true;
}

/* A loop adds to long rows that are to lie whole pages apart, more of them than a set of the nearest cache has room
 * for: in memory of their own they stay there (12 rows of 4096 x 4096 1.05 times as fast, Zen 5). Short ones lie beside
 * panels of a factor, of which there may be few: the copy takes longer then (12 rows of 3072 x 768 .88 times). */
static bool is_best_apart(const ir_op *insert, const target_facts *target) {
  const ir_type *rows = ir_operand(insert, 0)->type, *whole = ir_operand(insert, 1)->type;
  const ir_op *maker = ir_made_by(ir_operand(insert, 0), OP_SCF_FOR);
  if (!target || !target->loses_requests || !maker || rows->rank < 2)
    return false;
  int64_t bytes = ir_scalar_bytes(rows->element), size = ir_type_bytes(rows);
  int64_t pitch = whole->shape[whole->rank - 1], count = rows->shape[rows->rank - 2],
          length = rows->shape[rows->rank - 1];
  return size != IR_DYNAMIC && pitch != IR_DYNAMIC && pitch * bytes % TARGET_PAGE_BYTES == 0 &&
         count > target_rows_of_set(target) && length * bytes >= LONG_BYTES && size <= (int64_t)target->l1_bytes;
}

/* Computes the source of an insertion right in the slice where it goes. */
static void compute_in_slice(ir_op *insert, const target_facts *target) {
  ir_value *source = ir_operand(insert, 0);
  ir_use *use = origin(source);
  if (!use || !use->value->op || use->value->type != source->type || is_best_apart(insert, target))
    return;
  ir_slice place = ir_slice_of(insert);
  if (!ir_slice_has_unit_strides(&place))
    return;
  if (!slice_is_visible(insert, use->user) &&
      (insert->code != OP_TENSOR_INSERT_SLICE || use->user != source->op || !move_down(source->op, insert)))
    return;
  ir_builder builder = ir_builder_before(use->user);
  ir_value *slice = ir_extract_slice(&builder, ir_operand(insert, 1), place.offsets, place.sizes, source->type);
  ir_set_operand(use->user, ir_use_index(use), slice);
}

/* The stand-in as it is before the reshape of its one use, `reshape`, a tensor of known extents. */
static ir_value *reshaped_back(ir_builder *builder, const ir_op *reshape, ir_value *stand_in) {
  const ir_type *type = ir_operand(reshape, 0)->type;
  unsigned counts[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK];
  ir_merged_counts(reshape, counts);
  for (unsigned dim = 0; dim < type->rank; dim++)
    sizes[dim] = ir_index_const(type->shape[dim]);
  return reshape->code == OP_TENSOR_EXPAND_SHAPE ? ir_collapse(builder, stand_in, type, counts)
                                                 : ir_expand(builder, stand_in, type->rank, sizes, counts);
}

/* The steps start where results go, with what the argument holds, unless they are to change just that. */
static void compute_on_copy(ir_use *use, ir_value *stand_in, ir_value *const *outputs, unsigned num_outputs) {
  for (unsigned i = 0; i < num_outputs; i++)
    if (use->value == outputs[i])
      return;
  ir_builder builder = ir_builder_before(use->user);
  ir_op *copy = ir_structured(&builder, OP_LINALG_COPY, 1, &use->value, 1, &stand_in, 0, NULL);
  ir_set_operand(use->user, ir_use_index(use), ir_result(copy, 0));
}

/* The result comes from steps of destination style that start where results go, even if it is reshaped behind them, as
 * that of heads which share keys is. */
static void compute_in_result(ir_value *result, ir_value *stand_in, ir_value *const *outputs, unsigned num_outputs) {
  ir_op *reshape = result->op;
  bool is_reshape = ir_is_reshape(reshape);
  if (is_reshape && (!ir_value_has_one_use(result) || !ir_value_has_one_use(ir_operand(reshape, 0)) ||
                     !ir_type_is_static(result->type) || !ir_type_is_static(ir_operand(reshape, 0)->type)))
    return;
  ir_use *use = origin(is_reshape ? ir_operand(reshape, 0) : result);
  if (!use || result->type != stand_in->type || (!is_reshape && use->value->type != stand_in->type) ||
      (is_reshape && use->value->type != ir_operand(reshape, 0)->type))
    return;
  if (!use->value->op) {
    if (!is_reshape)
      compute_on_copy(use, stand_in, outputs, num_outputs);
    return;
  }
  ir_builder builder = ir_builder_before(use->user);
  ir_set_operand(use->user, ir_use_index(use), is_reshape ? reshaped_back(&builder, reshape, stand_in) : stand_in);
}

void bufferize_prepare(ir_op *function, ir_value *const *outputs, unsigned num_outputs, const target_facts *target) {
  ir_block *body = ir_region(function, 0);
  normalise(body);
  drop_dead(body);
  repeat_for_users(body);
  const ir_op *end = ir_block_terminator(body);
  for (unsigned i = 0, output = 0; i < end->num_operands; i++)
    if (is_tensor(ir_operand(end, i)))
      compute_in_result(ir_operand(end, i), outputs[output++], outputs, num_outputs);
  for (ir_op *op = ir_next_inside(function, function); op; op = ir_next_inside(function, op))
    if (op->code == OP_TENSOR_INSERT_SLICE || op->code == OP_TENSOR_PARALLEL_INSERT_SLICE)
      compute_in_slice(op, target);
  drop_dead(body);
}
