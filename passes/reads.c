/* reads.c - pass "absorb-reads": elements that the body of a structured op reads by subscript become inputs of the op.
 *
 * Exporters spell what broadcasts between extents that are only known at run time as an op without inputs, whose body
 * reads source[.., extent == 1 ? 0 : i, ..]. That is a view of the source: its step along the dim is 0 where the
 * condition holds, else 1, decided once, outside of all loops. As an input with a map, passes see through it, and one
 * kernel serves extents that agree and extents of 1. Where types or the extents' origins show that the condition says
 * nothing, there is no view.
 *
 * A quotient or remainder of the index, as of heads that share keys, is an input's map where absorb-moves can split the
 * loop: such a map is not tiled otherwise, while a read is.
 *
 * Views move to the front of elementwise ops and reshapes that make their source, which are made again behind the view
 * where they have other users: so what scales or transposes an argument fuses with what reads it.
 *
 * Invariant: the elements that an op reads stay the same, and so does what it computes of them.
 * Terminates: a walk over the ops of each block; views move towards the function's arguments, at most MAX_DEPTH ops at
 * a time, and each view of a value is made once. */
#include "passes/reads.h"

#include "passes/body.h"
#include "passes/passes.h"

enum { MAX_DEPTH = 64 };

/* ---------------------------------------------------------------------------------------------------- what is read */

/* From outside of the body, or computed there by an op `code` from values of which that is known by `known`. */
static bool is_computed(const ir_value *value, const ir_block *body, ir_opcode code,
                        bool (*known)(const ir_value *value, const ir_block *body)) {
  const ir_op *op = value->op;
  bool found = op && op->block == body && op->code == code;
  for (unsigned i = 0; found && i < op->num_operands; i++)
    found = known(ir_operand(op, i), body);
  return found || ir_value_is_outside(value, body);
}

static bool is_extent(const ir_value *value, const ir_block *body) {
  return is_computed(value, body, OP_TENSOR_DIM, ir_value_is_outside);
}

/* The same in all iterations: a value from outside, or a comparison of such and of extents. */
static bool is_invariant(const ir_value *value, const ir_block *body) {
  return is_computed(value, body, OP_ARITH_CMPI, is_extent);
}

/* What an op makes of the index of a loop that is its first operand: digits of it; else NULL. */
static const ir_expr *divide(const ir_op *op, const ir_expr *index) {
  ir_index by = op->num_operands == 2 ? ir_index_of(ir_operand(op, 1)) : ir_index_const(1);
  switch (by.value ? IR_NUM_OPCODES : op->code) {
  case OP_ARITH_INDEX_CAST:
    return index;
  case OP_AFFINE_APPLY:
    return op->num_operands > 1 ? NULL : ir_expr_replace(op->module, ir_affine_map(op)->results[0], &index, &index);
  case OP_ARITH_DIVSI:
  case OP_ARITH_DIVUI:
  case OP_ARITH_FLOORDIVSI:
    return ir_expr_by(op->module, IR_EXPR_FLOORDIV, index, by.constant);
  case OP_ARITH_REMSI:
  case OP_ARITH_REMUI:
    return ir_expr_by(op->module, IR_EXPR_MOD, index, by.constant);
  default:
    return NULL;
  }
}

/* The value is the index of a loop or digits of it; `index` is that over the loops. */
static bool find_digits(const ir_value *value, unsigned depth, const ir_expr **index, digits *digits) {
  const ir_op *op = value->op;
  if (!op || depth == MAX_DEPTH)
    return false;
  if (op->code == OP_LINALG_INDEX)
    *index = ir_expr_dim(op->module, (unsigned)ir_attr_int_or(op, "dim", 0));
  else if (!op->num_operands || value->type->kind != IR_TYPE_SCALAR || ir_scalar_bits(value->type->element) != 64 ||
           !find_digits(ir_operand(op, 0), depth + 1, index, digits))
    return false;
  else
    *index = divide(op, *index);
  return *index && recast_digits(*index, digits);
}

/* The loop's index, or digits of it where the loop is of whole ones: such a loop can be split. */
static bool find_index(const ir_op *op, const ir_value *value, read_subscript *found) {
  if (!find_digits(value, 0, &found->index, &found->digits)) {
    found->index = NULL;
    return false;
  }
  extent whole = extent_of_loop(op, found->digits.loop);
  int64_t high = found->digits.high ? found->digits.high : found->digits.low;
  return found->index->kind == IR_EXPR_DIM || (!whole.value && whole.constant % high == 0);
}

static ir_value *uncast(ir_value *value) {
  while (ir_made_by(value, OP_ARITH_INDEX_CAST))
    value = ir_operand(value->op, 0);
  return value;
}

/* Where the extent is the larger one of 1 and another, as exporters spell what that is broadcast to: the other one. */
static extent without_broadcast(extent x) {
  const ir_op *larger = x.value ? ir_made_by(uncast(x.value), OP_ARITH_MAXSI) : NULL;
  if (!larger || !ir_index_is_const(ir_index_of(ir_operand(larger, 1)), 1))
    return x;
  return extent_of_index((ir_index){.value = uncast(ir_operand(larger, 0))});
}

/* Where the condition holds, the loop has one iteration. */
static bool means_one_iteration(const ir_op *op, unsigned loop, const ir_value *condition) {
  const ir_op *compare = ir_made_by(condition, OP_ARITH_CMPI);
  if (!compare || ir_predicate_of(compare) != IR_EQUAL || !ir_index_is_const(ir_index_of(ir_operand(compare, 1)), 1))
    return false;
  extent compared = extent_of_index(ir_index_of(ir_operand(compare, 0))), whole = extent_of_loop(op, loop);
  return extent_equal(compared, whole) || extent_equal(compared, without_broadcast(whole));
}

static bool read_subscript_of(const ir_op *op, ir_value *value, int64_t extent, read_subscript *found) {
  ir_index known = ir_index_of(value);
  *found = (read_subscript){.constant = known.constant};
  if (!known.value)
    return known.constant >= 0 && known.constant < extent;
  if (find_index(op, value, found))
    return true;
  const ir_op *select = ir_made_by(value, OP_ARITH_SELECT);
  if (!select || !is_invariant(ir_operand(select, 0), ir_region(op, 0)))
    return false;
  found->zero_where = ir_index_is_const(ir_index_of(ir_operand(select, 1)), 0);
  if (!found->zero_where && !ir_index_is_const(ir_index_of(ir_operand(select, 2)), 0))
    return false;
  if (!find_index(op, ir_operand(select, found->zero_where ? 2 : 1), found))
    return false;
  if (!found->zero_where || !means_one_iteration(op, found->digits.loop, ir_operand(select, 0)))
    found->condition = ir_operand(select, 0);
  return true;
}

bool read_subscripts(const ir_op *op, const ir_op *read, read_subscript *subscripts) {
  const ir_type *type = ir_operand(read, 0)->type;
  if (read->code != OP_TENSOR_EXTRACT || !ir_value_is_outside(ir_operand(read, 0), ir_region(op, 0)))
    return false;
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (!read_subscript_of(op, ir_operand(read, 1 + dim), type->shape[dim], &subscripts[dim]))
      return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- views */

typedef struct view {
  struct view *next;
  ir_value *source, *result;
  ir_slice part;
} view;

typedef struct reads {
  ir_builder builder; /* before the op whose reads become inputs */
  view *views;        /* of the block */
  unsigned depth;
} reads;

static ir_value *view_of(reads *r, ir_value *source, const ir_slice *part);

static void select_whole_dim(reads *r, ir_value *source, ir_slice *part, unsigned dim) {
  part->offsets[dim] = ir_index_const(0);
  part->sizes[dim] = pass_dim(&r->builder, source, dim);
  part->strides[dim] = ir_index_const(1);
}

static void select_dim(ir_slice *part, unsigned dim, const ir_slice *like, unsigned from) {
  part->offsets[dim] = like->offsets[from];
  part->sizes[dim] = like->sizes[from];
  part->strides[dim] = like->strides[from];
}

/* Computes each element by itself, from elements at its own place, so that a view of it is computed from views. */
static bool has_views(const ir_op *op) {
  if (!body_is_pointwise(op))
    return false;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (!ir_map_is_projected_permutation(ir_structure_of(op)->maps[i]))
      return false;
  return ir_num_inputs(op) && !ir_contains(op, OP_LINALG_INDEX) && !ir_contains(op, OP_TENSOR_EXTRACT);
}

/* The op on views of its inputs; NULL where it has too many. */
static ir_value *view_elementwise(reads *r, ir_op *op, const ir_slice *part) {
  recast parts;
  if (!recast_begin(&parts, op))
    return NULL;
  const ir_map *out = parts.maps[parts.num_ins];
  for (unsigned i = 0; i < parts.num_ins; i++) {
    ir_value *input = parts.operands[i];
    if (!ir_type_is_shaped(input->type))
      continue;
    ir_slice of_input = {.rank = input->type->rank};
    for (unsigned dim = 0; dim < input->type->rank; dim++) {
      unsigned from = (unsigned)ir_map_find_dim(out, (unsigned)ir_map_result_dim(parts.maps[i], dim));
      select_dim(&of_input, dim, part, from);
    }
    parts.operands[i] = view_of(r, input, &of_input);
  }
  const ir_type *type = ir_result(op, 0)->type;
  parts.operands[parts.num_ins] = ir_empty(&r->builder, type->element, type->rank, part->sizes);
  return recast_is_valid(&parts) ? ir_result(recast_create(&parts, &r->builder, NULL), 0) : NULL;
}

/* A reshape of a view; NULL where the view takes a part of dims that the reshape merges or splits. */
static ir_value *view_reshaped(reads *r, ir_op *op, const ir_slice *part) {
  bool splits = op->code == OP_TENSOR_EXPAND_SHAPE;
  ir_value *source = ir_operand(op, 0), *result = ir_result(op, 0);
  const ir_type *type = result->type;
  unsigned counts[IR_MAX_RANK];
  int64_t shape[IR_MAX_RANK];
  ir_slice of_source = {.rank = source->type->rank};
  ir_merged_counts(op, counts);
  for (unsigned g = 0; g < (splits ? source : result)->type->rank; g++) {
    ir_dims parts = ir_dims_of(op, g);
    for (unsigned wide = parts.first; wide < parts.end; wide++) {
      unsigned from = splits ? wide : g, to = splits ? g : wide;
      if (counts[g] > 1 && !slice_has_dim(part, result, from))
        return NULL;
      select_whole_dim(r, source, &of_source, to);
      if (counts[g] == 1)
        select_dim(&of_source, to, part, from);
    }
  }
  for (unsigned dim = 0; dim < type->rank; dim++)
    shape[dim] = ir_index_static(part->sizes[dim]);
  ir_value *view = view_of(r, source, &of_source);
  return splits
             ? ir_expand(&r->builder, view, type->rank, part->sizes, counts)
             : ir_collapse(&r->builder, view, ir_type_with_shape(r->builder.module, type, type->rank, shape), counts);
}

static ir_value *create_view(reads *r, ir_value *source, const ir_slice *part) {
  ir_op *op = source->op;
  ir_value *value = NULL;
  if (op && op->block == r->builder.block && r->depth < MAX_DEPTH) {
    r->depth++;
    if (has_views(op))
      value = view_elementwise(r, op, part);
    else if (ir_is_reshape(op))
      value = view_reshaped(r, op, part);
    r->depth--;
  }
  return value ? value : ir_extract_strided(&r->builder, source, part->offsets, part->sizes, part->strides);
}

static ir_value *view_of(reads *r, ir_value *source, const ir_slice *part) {
  bool whole = true;
  for (unsigned dim = 0; dim < part->rank; dim++)
    whole &= slice_has_dim(part, source, dim);
  if (whole)
    return source;
  for (view *known = r->views; known; known = known->next)
    if (known->source == source && ir_slices_equal(&known->part, part))
      return known->result;
  ir_value *result = create_view(r, source, part);
  r->views = IR_NEW_OF(&r->builder.module->arena, view, r->views, source, result, *part);
  return result;
}

/* -------------------------------------------------------------------------------------------------- reads to inputs */

/* An invariant value before the op. */
static ir_value *outside(reads *r, ir_value *value, const ir_op *op) {
  if (ir_value_is_outside(value, ir_region(op, 0)))
    return value;
  ir_value_map *map = ir_value_map_create(op->module);
  for (unsigned i = 0; i < value->op->num_operands; i++)
    ir_value_map_set(map, ir_operand(value->op, i), outside(r, ir_operand(value->op, i), op));
  return ir_result(ir_op_clone(&r->builder, value->op, map), 0);
}

/* The view that the op reads with the map; both follow from the subscripts. */
static ir_value *input_of(reads *r, const ir_op *op, const ir_op *read, const read_subscript *subscripts,
                          const ir_map **map) {
  ir_value *source = ir_operand(read, 0);
  const ir_expr *results[IR_MAX_RANK];
  ir_module *module = op->module;
  unsigned rank = source->type->rank;
  ir_slice part = {.rank = rank};
  for (unsigned dim = 0; dim < rank; dim++) {
    read_subscript at = subscripts[dim];
    part.offsets[dim] = ir_index_const(at.constant);
    part.sizes[dim] = part.strides[dim] = ir_index_const(1);
    results[dim] = ir_expr_const(module, 0);
    if (!at.index)
      continue;
    ir_index iterations = extent_compute(&r->builder, extent_of_loop(op, at.digits.loop));
    part.offsets[dim] = ir_index_const(0);
    part.sizes[dim] = recast_digits_end(&r->builder, &at.digits, iterations);
    results[dim] = at.index;
    if (at.condition) {
      ir_value *condition = outside(r, at.condition, op);
      ir_value *step = ir_select(&r->builder, condition, ir_const_index(&r->builder, !at.zero_where),
                                 ir_const_index(&r->builder, at.zero_where));
      part.strides[dim] = ir_index_of(step);
    }
  }
  *map = ir_map_get(module, ir_structure_of(op)->num_loops, 0, rank, results);
  return view_of(r, source, &part);
}

/* No subscript is known to leave the tensor. One that does is no view of it; calls are refused ("shapes"). */
static bool has_view(reads *r, const ir_op *op, const ir_op *read, const read_subscript *subscripts) {
  const ir_type *type = ir_operand(read, 0)->type;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t iterations = subscripts[dim].index ? ir_loop_size(op, subscripts[dim].digits.loop) : IR_DYNAMIC;
    if (iterations != IR_DYNAMIC && type->shape[dim] != IR_DYNAMIC &&
        recast_digits_end(&r->builder, &subscripts[dim].digits, ir_index_const(iterations)).constant > type->shape[dim])
      return false;
  }
  return true;
}

static ir_op *find_read(reads *r, const ir_op *op, read_subscript *subscripts) {
  for (ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next)
    if (inner->code == OP_TENSOR_EXTRACT && read_subscripts(op, inner, subscripts) &&
        has_view(r, op, inner, subscripts))
      return inner;
  return NULL;
}

void pass_absorb_reads(ir_block *block, const pass_options *options) {
  reads r = {0};
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    bool may_have = ir_op_has(op, IR_STRUCTURED | IR_OWN_BODY) && op->num_results == ir_num_inits(op);
    read_subscript subscripts[IR_MAX_RANK];
    ir_op *read;
    r.builder = ir_builder_before(op);
    while (may_have && op->num_operands < RECAST_MAX_OPERANDS && (read = find_read(&r, op, subscripts))) {
      const ir_map *map;
      ir_value *input = input_of(&r, op, read, subscripts, &map);
      op = recast_add_input(op, ir_result(read, 0), input, map);
      r.builder = ir_builder_before(op);
    }
  }
}
