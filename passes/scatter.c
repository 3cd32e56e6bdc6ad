/* scatter.c - tm_tensor.scatter as a loop over its updates, each of which is a slice that is put where the indices say.
 *
 * On GPUs, which have no loops around kernels, that is a parallel loop, where no two updates meet. Exports of
 * index_copy and index_put take rows apart: each element is an update, the dims of the rows are merged into the one
 * that counts updates, and most columns of the indices are just positions along these. Seen through the ops that merge
 * and repeat, such dims are slices again: a row of a cache is copied in one piece.
 *
 * Invariant: each update gets to the same place, after those before it that it may meet.
 * Terminates: each step that follows an index goes back to what an op is made from. */
#include "passes/torch.h"

#include "ir/torch.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/reads.h"

#include <string.h>

/* What an index is, by the dims that count updates: `index`, or, where that is NULL, the element of the tensor at these
 * subscripts. */
typedef struct index_source {
  const ir_expr *index;
  ir_value *tensor;
  const ir_expr *at[IR_MAX_RANK];
} index_source;

typedef struct scatter {
  ir_op *op;
  unsigned num_columns; /* of the indices */
  ir_value *updates;    /* the op's, or what their first dim was merged from */
  unsigned num_counted; /* that many dims of these count updates; the others are slices of what they go into */
  unsigned first_dim;   /* of the latter, where those slices have extents of their own */
  index_source indices[IR_MAX_RANK];
  int along[IR_MAX_RANK]; /* the dim of what they go into that a counted dim is copied along as a whole; or -1 */
  ir_value *counter[IR_MAX_RANK]; /* of counted dims that have a loop */
} scatter;

/* ------------------------------------------------------------------------------------------ where indices come from */

/* The element at those subscripts is in the slice that is inserted, or beside it, where one subscript is a number and
 * the slice has all of the other dims. */
static bool follow_slice(index_source *source, const ir_op *insert) {
  ir_slice slice = ir_slice_of(insert);
  ir_value *part = ir_operand(insert, 0);
  int along = -1;
  for (unsigned dim = 0; dim < slice.rank; dim++) {
    bool whole = slice_has_dim(&slice, source->tensor, dim);
    if (!whole && along >= 0)
      return false;
    along = whole ? along : (int)dim;
  }
  if (along < 0 || part->type->rank != slice.rank || !ir_slice_has_unit_strides(&slice) ||
      source->at[along]->kind != IR_EXPR_CONST || slice.offsets[along].value || slice.sizes[along].value)
    return false;
  int64_t at = source->at[along]->value, start = slice.offsets[along].constant;
  bool is_inside = at >= start && at - start < slice.sizes[along].constant;
  source->tensor = ir_operand(insert, is_inside ? 0 : 1);
  if (is_inside)
    source->at[along] = ir_expr_const(insert->module, at - start);
  return true;
}

/* .. of what a reshape adds dims of extent 1 to. */
static bool follow_expansion(index_source *source, const ir_op *op) {
  unsigned kept[IR_MAX_RANK];
  if (!recast_unit_dims(op, kept))
    return false;
  source->tensor = ir_operand(op, 0);
  for (unsigned dim = 0; dim < source->tensor->type->rank; dim++)
    source->at[dim] = source->at[kept[dim]];
  return true;
}

/* A comparison of an index with a number, both known, is true (1) or false (0); -1: it is something else. */
static int decide(const ir_value *condition, const index_source *source) {
  const ir_op *op = condition->op;
  ir_cell number;
  if (!op || op->code != OP_ARITH_CMPI || ir_predicate_of(op) != IR_EQUAL ||
      !ir_value_splat(ir_operand(op, 1), &number))
    return -1;
  const ir_op *index = ir_operand(op, 0)->op;
  if (!index || index->code != OP_LINALG_INDEX)
    return -1;
  const ir_expr *at = source->at[ir_attr_int_or(index, "dim", 0)];
  return at->kind == IR_EXPR_CONST ? at->value == number.i : -1;
}

/* What the body gives for the element, seen through conversions and choices that the subscripts decide. */
static const ir_value *element_of(const index_source *source) {
  const ir_value *element = ir_yielded(source->tensor->op, source->tensor->index);
  for (const ir_op *op = element->op; op; op = element->op) {
    int decided = op->code == OP_ARITH_SELECT ? decide(ir_operand(op, 0), source) : -1;
    if (op->code == OP_ARITH_INDEX_CAST || op->code == OP_ARITH_EXTSI)
      element = ir_operand(op, 0);
    else if (decided >= 0)
      element = ir_operand(op, decided ? 1 : 2);
    else
      break;
  }
  return element;
}

/* The subscripts of what an elementwise op reads for the element, over its loops; NULL: it reads something else. */
static ir_value *what_is_read(ir_op *op, const ir_value *element, const ir_expr **subscripts) {
  if (element->op && element->op->code == OP_TENSOR_EXTRACT) {
    read_subscript reads[IR_MAX_RANK];
    ir_value *tensor = ir_operand(element->op, 0);
    if (!read_subscripts(op, element->op, reads))
      return NULL;
    for (unsigned dim = 0; dim < tensor->type->rank; dim++) {
      if (reads[dim].condition)
        return NULL;
      subscripts[dim] = reads[dim].index ? reads[dim].index : ir_expr_const(op->module, reads[dim].constant);
    }
    return tensor;
  }
  if (element->op || element->block != ir_region(op, 0) || element->index >= ir_num_inputs(op) ||
      ir_operand(op, element->index)->type->kind != IR_TYPE_TENSOR)
    return NULL;
  const ir_map *map = ir_structure_of(op)->maps[element->index];
  for (unsigned dim = 0; dim < map->num_results; dim++)
    subscripts[dim] = map->results[dim];
  return ir_operand(op, element->index);
}

/* One step back to what the element is a copy of, or to the index that it is. */
static bool follow(index_source *source) {
  ir_op *op = source->tensor->op;
  ir_cell splat;
  if (source->index || !op)
    return false;
  if (op->code == OP_TENSOR_INSERT_SLICE)
    return follow_slice(source, op);
  if (op->code == OP_TENSOR_EXPAND_SHAPE)
    return follow_expansion(source, op);
  if (ir_value_splat(source->tensor, &splat)) {
    source->index = ir_expr_const(op->module, splat.i);
    return false;
  }
  if (!body_is_elementwise(op) ||
      !ir_map_is_identity(ir_structure_of(op)->maps[ir_num_inputs(op) + source->tensor->index]))
    return false;
  const ir_value *element = element_of(source);
  const ir_expr *subscripts[IR_MAX_RANK];
  if (ir_value_splat(element, &splat))
    source->index = ir_expr_const(op->module, splat.i);
  else if (element->op && element->op->code == OP_LINALG_INDEX)
    source->index = source->at[ir_attr_int_or(element->op, "dim", 0)];
  ir_value *read = source->index ? NULL : what_is_read(op, element, subscripts);
  if (!read)
    return false;
  for (unsigned dim = 0; dim < read->type->rank; dim++)
    subscripts[dim] = ir_expr_replace(op->module, subscripts[dim], source->at, NULL);
  for (unsigned dim = 0; dim < read->type->rank; dim++)
    source->at[dim] = subscripts[dim];
  source->tensor = read;
  return true;
}

static bool same_extents(ir_value *a, ir_value *b) {
  bool same = a->type->rank == b->type->rank;
  for (unsigned dim = 0; same && dim < a->type->rank; dim++)
    same = extent_equal(extent_of(a, dim), extent_of(b, dim));
  return same;
}

/* Goes back from one dim that counts updates to those that were merged into it; false where there are none. */
static bool unmerge(index_source *source) {
  const ir_op *op = source->tensor->op;
  if (!op || op->code != OP_TENSOR_COLLAPSE_SHAPE || source->tensor->type->rank != 1 ||
      source->at[0] != ir_expr_dim(op->module, 0))
    return false;
  source->tensor = ir_operand(op, 0);
  for (unsigned dim = 0; dim < source->tensor->type->rank; dim++)
    source->at[dim] = ir_expr_dim(op->module, dim);
  return true;
}

/* The updates as the op counts them, and their indices. */
static void take_as_given(scatter *s) {
  ir_value *indices = ir_operand(s->op, SCATTER_INDICES);
  s->updates = ir_operand(s->op, SCATTER_UPDATES);
  s->num_counted = 1;
  s->first_dim = ir_scatter_first_dim(s->op);
  for (unsigned k = 0; k < s->num_columns; k++) {
    s->indices[k] = (index_source){.tensor = indices,
                                   .at = {ir_expr_dim(s->op->module, 0), ir_expr_const(s->op->module, (int64_t)k)}};
    while (follow(&s->indices[k]))
      continue;
  }
}

/* Where the updates are single elements, of which several dims were merged into the one that counts: these dims. */
static void find_merged(scatter *s) {
  ir_module *module = s->op->module;
  index_source updates = {.tensor = s->updates, .at = {ir_expr_dim(module, 0)}}, merged[IR_MAX_RANK];
  for (unsigned dim = 1; dim < s->updates->type->rank; dim++) {
    if (s->updates->type->shape[dim] != 1)
      return;
    updates.at[dim] = ir_expr_const(module, 0);
  }
  while (updates.tensor->op && updates.tensor->op->code == OP_TENSOR_EXPAND_SHAPE && follow(&updates))
    continue;
  if (!unmerge(&updates))
    return;
  for (unsigned k = 0; k < s->num_columns; k++) {
    merged[k] = s->indices[k];
    ir_value *wide = !merged[k].index && unmerge(&merged[k]) ? merged[k].tensor : NULL;
    while (follow(&merged[k]))
      continue;
    bool is_number = merged[k].index && merged[k].index->kind == IR_EXPR_CONST;
    if (!is_number && (!wide || !same_extents(wide, updates.tensor)))
      return;
  }
  s->updates = updates.tensor;
  s->num_counted = updates.tensor->type->rank;
  s->first_dim = ir_operand(s->op, SCATTER_INTO)->type->rank;
  memcpy(s->indices, merged, sizeof merged);
}

/* How many indices, and subscripts of their elements, change with the counted dim. */
static unsigned count_uses(const scatter *s, unsigned counted) {
  unsigned uses = 0;
  for (unsigned k = 0; k < s->num_columns; k++) {
    const index_source *source = &s->indices[k];
    for (unsigned dim = 0; !source->index && dim < source->tensor->type->rank; dim++)
      uses += ir_expr_uses_dim(source->at[dim], counted);
    uses += source->index && ir_expr_uses_dim(source->index, counted);
  }
  return uses;
}

/* Counted dims of which one index is the position, and nothing else depends, are copied as a whole, in their order. */
static void find_slices(scatter *s) {
  const ir_type *into = ir_operand(s->op, SCATTER_INTO)->type;
  int last = -1;
  for (unsigned counted = 0; counted < s->num_counted; counted++) {
    s->along[counted] = -1;
    for (unsigned dim = 0; dim < into->rank && dim < s->first_dim; dim++) {
      int k = ir_scatter_column(s->op, dim);
      const ir_expr *index = k < 0 ? NULL : s->indices[k].index;
      bool fits = into->shape[dim] == IR_DYNAMIC || s->updates->type->shape[counted] <= into->shape[dim];
      if (!index || index->kind != IR_EXPR_DIM || index->value != (int64_t)counted || (int)dim <= last || !fits ||
          count_uses(s, counted) != 1)
        continue;
      s->along[counted] = last = (int)dim;
      break;
    }
  }
}

/* --------------------------------------------------------------------------------------------------------- scatters */

static bool has_loop(const scatter *s, unsigned counted) {
  return s->along[counted] < 0 && s->updates->type->shape[counted] != 1;
}

/* 0 without a loop: a dim of extent 1, or one that is copied as a whole from its first element. */
static ir_index counter_of(const scatter *s, unsigned counted) { return (ir_index){.value = s->counter[counted]}; }

/* The index, in the loops. */
static ir_index index_of(const scatter *s, ir_builder *builder, const index_source *source) {
  ir_index counters[IR_MAX_RANK];
  for (unsigned counted = 0; counted < s->num_counted; counted++)
    counters[counted] = counter_of(s, counted);
  if (source->index)
    return ir_index_apply(builder, source->index, s->num_counted, counters);
  ir_value *element = ir_extract_at(builder, source->tensor, source->at, s->num_counted, counters);
  if (element->type->element == IR_INDEX)
    return (ir_index){.value = element};
  return (ir_index){.value = ir_unary(builder, OP_ARITH_INDEX_CAST, element, ir_type_index(s->op->module))};
}

/* The slice of an iteration: its place in the updates, and in what they go into. */
typedef struct placed_slice {
  ir_index from[IR_MAX_RANK], from_sizes[IR_MAX_RANK], to[IR_MAX_RANK], to_sizes[IR_MAX_RANK];
  const ir_type *type;
} placed_slice;

static placed_slice place_slice(const scatter *s, ir_builder *builder) {
  placed_slice slice;
  const ir_type *type = s->updates->type, *into = ir_operand(s->op, SCATTER_INTO)->type;
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned dim = 0; dim < into->rank; dim++) {
    int k = ir_scatter_column(s->op, dim);
    slice.to[dim] = k < 0 ? ir_index_const(0) : index_of(s, builder, &s->indices[k]);
    slice.to_sizes[dim] = ir_index_const(1);
  }
  for (unsigned dim = 0; dim < type->rank; dim++) {
    bool counts = dim < s->num_counted;
    int to = counts ? s->along[dim] : (int)(s->first_dim + dim - s->num_counted);
    slice.from[dim] = counts ? counter_of(s, dim) : ir_index_const(0);
    slice.from_sizes[dim] = to < 0 ? ir_index_const(1) : ir_dim(builder, s->updates, dim);
    if (to < 0)
      continue;
    slice.to_sizes[to] = slice.from_sizes[dim];
    shape[rank++] = type->shape[dim];
  }
  slice.type = ir_type_tensor(s->op->module, type->element, rank, shape);
  return slice;
}

/* The update itself where the body makes nothing else of it. */
static ir_value *take_update(const scatter *s, ir_builder *builder, const placed_slice *slice, ir_value *into) {
  ir_value *part = ir_extract_slice(builder, s->updates, slice->from, slice->from_sizes, slice->type);
  const ir_block *block = ir_region(s->op, 0);
  if (ir_operand(block->last, 0) == block->args[0])
    return part;
  ir_value *old = ir_extract_slice(builder, into, slice->to, slice->to_sizes, slice->type);
  return torch_combine(builder, s->op, part, old, part);
}

/* No two updates meet: iterations of one parallel loop. */
static ir_value *scatter_in_parallel(scatter *s, ir_builder *builder, unsigned num_loops, const unsigned *loops) {
  ir_index from[IR_MAX_RANK], to[IR_MAX_RANK], step[IR_MAX_RANK];
  ir_value *into = ir_operand(s->op, SCATTER_INTO);
  for (unsigned i = 0; i < num_loops; i++) {
    from[i] = ir_index_const(0);
    to[i] = ir_dim(builder, s->updates, loops[i]);
    step[i] = ir_index_const(1);
  }
  ir_op *forall = ir_forall(builder, num_loops, from, to, step, 1, &into);
  ir_block *block = ir_region(forall, 0);
  for (unsigned i = 0; i < num_loops; i++)
    s->counter[loops[i]] = block->args[i];
  ir_builder body = ir_builder_at_end(block);
  placed_slice slice = place_slice(s, &body);
  ir_value *part = take_update(s, &body, &slice, block->args[num_loops]);
  ir_builder inserts = ir_in_parallel(&body);
  ir_parallel_insert_slice(&inserts, part, block->args[num_loops], slice.to, slice.to_sizes);
  return ir_result(forall, 0);
}

/* Updates one after the other, into what those before have left; all in one where there are no loops. */
static ir_value *scatter_in_order(scatter *s, ir_builder *builder, unsigned num_loops, const unsigned *loops,
                                  ir_value *into) {
  if (!num_loops) {
    placed_slice slice = place_slice(s, builder);
    return ir_insert_slice(builder, take_update(s, builder, &slice, into), into, slice.to, slice.to_sizes);
  }
  ir_op *loop = ir_for(builder, ir_index_const(0), ir_dim(builder, s->updates, *loops), ir_index_const(1), 1, &into);
  ir_block *block = ir_region(loop, 0);
  s->counter[*loops] = block->args[0];
  ir_builder body = ir_builder_at_end(block);
  ir_value *next = scatter_in_order(s, &body, num_loops - 1, loops + 1, block->args[1]);
  ir_terminator(&body, OP_SCF_YIELD, 1, &next);
  return ir_result(loop, 0);
}

void torch_decompose_scatter(ir_op *op, bool on_gpu) {
  scatter s = {.op = op, .num_columns = (unsigned)ir_operand(op, SCATTER_INDICES)->type->shape[1]};
  ir_builder builder = ir_builder_before(op);
  unsigned loops[IR_MAX_RANK], num_loops = 0;
  take_as_given(&s);
  find_merged(&s);
  find_slices(&s);
  for (unsigned counted = 0; counted < s.num_counted; counted++)
    if (has_loop(&s, counted))
      loops[num_loops++] = counted;
  bool parallel = on_gpu && (!num_loops || ir_attr_int_or(op, "unique_indices", 0));
  if (parallel && !num_loops) { /* only kernels read the indices there */
    s.along[0] = -1;
    loops[num_loops++] = 0;
  }
  ir_replace_op(op, parallel ? scatter_in_parallel(&s, &builder, num_loops, loops)
                             : scatter_in_order(&s, &builder, num_loops, loops, ir_operand(op, SCATTER_INTO)));
}
