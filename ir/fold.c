/* fold.c - what single ops simplify to: neutral elements, casts there and back, slices and reshapes of slices and
 * reshapes. Affine ops: fold_affine.c.
 *
 * Contract of all hooks: the value returned equals the op's result, bit for bit, and stands nearer to the function's
 * arguments: it is an operand of the op or of an operand, or made by ops that skip one of the op's producers. So
 * folding ends; tensor.concat and a select of truths, which are made by ops without those hooks, are gone then. A hook
 * that returns NULL has created nothing. */
#include "build.h"
#include "op_hooks.h"

/* ---------------------------------------------------------------------------------------------------------- scalars */

/* The right operand that makes a binary op give its left one; false if there is none. For floats exactly, zeros too. */
static bool right_neutral(ir_opcode code, double *value) {
  switch (code) {
  case OP_ARITH_ADDI:
  case OP_ARITH_SUBI:
  case OP_ARITH_ORI:
  case OP_ARITH_XORI:
  case OP_ARITH_SHLI:
  case OP_ARITH_SHRSI:
  case OP_ARITH_SHRUI:
  case OP_ARITH_SUBF:
    *value = 0;
    return true;
  case OP_ARITH_ADDF:
    *value = -0.0;
    return true;
  case OP_ARITH_MULI:
  case OP_ARITH_DIVSI:
  case OP_ARITH_DIVUI:
  case OP_ARITH_FLOORDIVSI:
  case OP_ARITH_CEILDIVSI:
  case OP_ARITH_CEILDIVUI:
  case OP_ARITH_MULF:
  case OP_ARITH_DIVF:
    *value = 1;
    return true;
  default:
    return false;
  }
}

/* What a comparison of integers gives, turned round. */
static ir_value *negate_comparison(ir_builder *builder, const ir_op *compare) {
  return ir_compare(builder, compare->code, ir_predicate_opposite(ir_predicate_of(compare)), ir_operand(compare, 0),
                    ir_operand(compare, 1));
}

static bool gives_operand_of_equals(ir_opcode code) {
  return code == OP_ARITH_ANDI || code == OP_ARITH_ORI || code == OP_ARITH_MAXSI || code == OP_ARITH_MAXUI ||
         code == OP_ARITH_MINSI || code == OP_ARITH_MINUI || code == OP_ARITH_MAXIMUMF || code == OP_ARITH_MINIMUMF ||
         code == OP_ARITH_MAXNUMF || code == OP_ARITH_MINNUMF;
}

/* An extent, or an affine function of extents. */
static bool follows_from_extents(const ir_value *value) {
  const ir_op *op = ir_made_by(value, OP_AFFINE_APPLY);
  bool applies = op;
  for (unsigned i = 0; applies && i < op->num_operands; i++)
    applies = ir_made_by(ir_operand(op, i), OP_TENSOR_DIM);
  return applies || ir_made_by(value, OP_TENSOR_DIM);
}

ir_value *fold_binary(ir_builder *builder, ir_op *op) {
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1);
  double neutral;
  ir_cell cell;
  if (lhs == rhs && gives_operand_of_equals(op->code))
    return lhs;
  if (!ir_value_splat(rhs, &cell))
    return NULL;
  bool is_float = ir_scalar_is_float(rhs->type->element), is_truth = rhs->type->element == IR_I1;
  bool is_ones = !is_float && (cell.i == -1 || (is_truth && cell.i));
  if (follows_from_extents(lhs) && op->code == OP_ARITH_MULI)
    return ir_index_value(builder, ir_index_scale(builder, (ir_index){.value = lhs}, cell.i));
  if (follows_from_extents(lhs) && op->code == OP_ARITH_ADDI)
    return ir_index_value(builder, ir_index_add(builder, (ir_index){.value = lhs}, ir_index_const(cell.i)));
  if (!is_float && cell.i == 0 && (op->code == OP_ARITH_MULI || op->code == OP_ARITH_ANDI))
    return rhs;
  if (is_ones && (op->code == OP_ARITH_ANDI || op->code == OP_ARITH_ORI))
    return op->code == OP_ARITH_ANDI ? lhs : rhs;
  if (op->code == OP_ARITH_XORI && is_truth && cell.i && ir_made_by(lhs, OP_ARITH_CMPI))
    return negate_comparison(builder, lhs->op);
  if (!right_neutral(op->code, &neutral))
    return NULL;
  bool equal = is_float ? ir_float_to_bits(IR_F64, cell.f) == ir_float_to_bits(IR_F64, neutral)
                        : cell.i == (int64_t)neutral && !(is_truth && cell.i);
  return equal ? lhs : NULL;
}

/* The opposite of an i1. */
static ir_value *negate(ir_builder *builder, ir_value *condition) {
  return ir_binary(builder, OP_ARITH_XORI, condition, ir_const(builder, condition->type, 1));
}

/* A select of truths, one of them known, is a conjunction or a disjunction. */
static ir_value *fold_truths(ir_builder *builder, const ir_op *op) {
  ir_value *condition = ir_operand(op, 0);
  if (ir_result(op, 0)->type->element != IR_I1 || condition->type != ir_result(op, 0)->type)
    return NULL;
  for (unsigned side = 1; side <= 2; side++) {
    ir_value *other = ir_operand(op, 3 - side);
    ir_cell known, opposite;
    if (!ir_value_splat(ir_operand(op, side), &known))
      continue;
    bool holds = known.i != 0, differ = ir_value_splat(other, &opposite);
    ir_value *decides = holds == (side == 1) ? condition : negate(builder, condition);
    return differ ? decides : ir_binary(builder, holds ? OP_ARITH_ORI : OP_ARITH_ANDI, decides, other);
  }
  return NULL;
}

ir_value *fold_select(ir_builder *builder, ir_op *op) {
  ir_cell condition;
  if (ir_operand(op, 1) == ir_operand(op, 2))
    return ir_operand(op, 1);
  return ir_value_splat(ir_operand(op, 0), &condition) ? ir_operand(op, condition.i ? 1 : 2) : fold_truths(builder, op);
}

/* Of a number that is one of two, at least one of them known, with a known one: a select of truths. */
ir_value *fold_compare_choice(ir_builder *builder, ir_op *op) {
  const ir_op *select = ir_made_by(ir_operand(op, 0), OP_ARITH_SELECT);
  const ir_type *type = ir_result(op, 0)->type;
  ir_value *truths[2] = {NULL, NULL};
  ir_cell cells[2];
  if (!select || type->kind != IR_TYPE_SCALAR || !ir_value_splat(ir_operand(op, 1), &cells[1]))
    return NULL;
  for (unsigned i = 0; i < 2; i++)
    if (ir_value_splat(ir_operand(select, 1 + i), &cells[0]))
      truths[i] = ir_splat(builder, type, ir_op_row(op)->scalar(op, cells));
  if (!truths[0] && !truths[1])
    return NULL;
  for (unsigned i = 0; i < 2; i++)
    if (!truths[i])
      truths[i] = ir_compare(builder, op->code, ir_predicate_of(op), ir_operand(select, 1 + i), ir_operand(op, 1));
  return ir_select(builder, ir_operand(select, 0), truths[0], truths[1]);
}

/* Does a cast by `code` lose nothing, so that its inverse gives the operand back? */
static bool loses_nothing(const ir_op *cast) {
  ir_scalar from = ir_operand(cast, 0)->type->element, to = ir_result(cast, 0)->type->element;
  return cast->code == OP_ARITH_EXTF || cast->code == OP_ARITH_EXTSI || cast->code == OP_ARITH_EXTUI ||
         (cast->code == OP_ARITH_INDEX_CAST && ir_scalar_bits(from) <= ir_scalar_bits(to));
}

/* An index that is computed as another integer of 64 bits, or as one of fewer that hold it, is computed as an index. */
static ir_value *cast_operands(ir_builder *builder, const ir_op *op, const ir_op *arithmetic) {
  const ir_type *type = ir_result(op, 0)->type;
  const ir_value *from = ir_result(arithmetic, 0);
  bool sums = arithmetic->code == OP_ARITH_ADDI || arithmetic->code == OP_ARITH_SUBI;
  if (op->code != OP_ARITH_INDEX_CAST || type != ir_type_index(op->module) ||
      (!sums && arithmetic->code != OP_ARITH_MULI) || (from->type->element != IR_I64 && !ir_is_exact(from)))
    return NULL;
  ir_value *operands[2];
  for (unsigned i = 0; i < 2; i++)
    operands[i] = ir_unary(builder, op->code, ir_operand(arithmetic, i), type);
  return ir_binary(builder, arithmetic->code, operands[0], operands[1]);
}

/* A cast of a cast: back to where it came from, or two widenings in one. */
ir_value *fold_cast(ir_builder *builder, ir_op *op) {
  const ir_op *inner = ir_operand(op, 0)->op;
  if (!inner)
    return NULL;
  ir_value *computed = cast_operands(builder, op, inner);
  if (computed)
    return computed;
  bool inverse = (op->code == OP_ARITH_TRUNCF && inner->code == OP_ARITH_EXTF) ||
                 (op->code == OP_ARITH_TRUNCI && (inner->code == OP_ARITH_EXTSI || inner->code == OP_ARITH_EXTUI)) ||
                 (op->code == OP_ARITH_INDEX_CAST && inner->code == OP_ARITH_INDEX_CAST);
  bool casts_index = op->code == OP_ARITH_INDEX_CAST && ir_is_exact(ir_operand(op, 0));
  if (inverse && (loses_nothing(inner) || casts_index) && ir_operand(inner, 0)->type == ir_result(op, 0)->type)
    return ir_operand(inner, 0);
  bool widening = op->code == OP_ARITH_EXTF || op->code == OP_ARITH_EXTSI || op->code == OP_ARITH_EXTUI;
  if (widening && inner->code == op->code)
    return ir_unary(builder, op->code, ir_operand(inner, 0), ir_result(op, 0)->type);
  return NULL;
}

/* -------------------------------------------------------------------------------------------- reshapes and the like */

/* Some tensors of extent 1 along their last dim, stacked there, would be written element by element: each element of
 * the result is rather chosen by where it lies. NULL: they are no such. */
static ir_value *fold_stack(ir_builder *builder, ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type, *part = ir_operand(op, 0)->type;
  unsigned count = op->num_operands, last = type->rank - 1u, groups[IR_MAX_RANK];
  ir_value *parts[IR_MOST_STACKED];
  if (count < 2 || count > IR_MOST_STACKED || last < 1 || ir_attr_int_or(op, "dim", 0) != last ||
      type->shape[last] != count)
    return NULL;
  for (unsigned i = 0; i < count; i++)
    if (part->shape[last] != 1 || ir_operand(op, i)->type != part)
      return NULL;
  for (unsigned dim = 0; dim < last; dim++)
    groups[dim] = dim + 1 == last ? 2 : 1;
  for (unsigned i = 0; i < count; i++)
    parts[i] = ir_collapse(builder, ir_operand(op, i), ir_type_with_shape(op->module, part, last, part->shape), groups);
  ir_value *stack = ir_stack(builder, last, count, parts);
  return stack->type == type ? stack : ir_unary(builder, OP_TENSOR_CAST, stack, type);
}

/* Tensors one behind the other: each in its place of a new tensor. */
ir_value *fold_concat(ir_builder *builder, ir_op *op) {
  int64_t along = ir_attr_int_or(op, "dim", 0);
  const ir_type *type = ir_result(op, 0)->type;
  ir_index offsets[IR_MAX_RANK] = {0}, whole[IR_MAX_RANK], sizes[IR_MAX_RANK];
  ir_value *stack = fold_stack(builder, op);
  if (stack)
    return stack;
  for (unsigned dim = 0; dim < type->rank; dim++)
    whole[dim] = ir_dim(builder, ir_operand(op, 0), dim);
  for (unsigned i = 1; i < op->num_operands; i++)
    whole[along] = ir_index_add(builder, whole[along], ir_dim(builder, ir_operand(op, i), (unsigned)along));
  for (unsigned dim = 0; dim < type->rank; dim++) /* the result may know more than the first input does */
    whole[dim] = type->shape[dim] == IR_DYNAMIC ? whole[dim] : ir_index_const(type->shape[dim]);
  ir_value *result = ir_empty(builder, type->element, type->rank, whole);
  for (unsigned i = 0; i < op->num_operands; i++) {
    for (unsigned dim = 0; dim < type->rank; dim++)
      sizes[dim] = ir_dim(builder, ir_operand(op, i), dim);
    result = ir_insert_slice(builder, ir_operand(op, i), result, offsets, sizes);
    offsets[along] = ir_index_add(builder, offsets[along], sizes[along]);
  }
  return result->type == type ? result : ir_unary(builder, OP_TENSOR_CAST, result, type);
}

/* The collapse of a collapse is one. */
static ir_value *collapse_at_once(ir_builder *builder, const ir_op *op, const ir_op *inner) {
  unsigned counts[IR_MAX_RANK] = {0};
  for (unsigned i = 0; i < ir_result(op, 0)->type->rank; i++) {
    ir_dims outer = ir_dims_of(op, i);
    counts[i] = ir_dims_of(inner, outer.end - 1).end - ir_dims_of(inner, outer.first).first;
  }
  return ir_collapse(builder, ir_operand(inner, 0), ir_result(op, 0)->type, counts);
}

/* What is split and then merged again with other dims need not be split. */
static ir_value *collapse_unsplit(ir_builder *builder, const ir_op *op, const ir_op *expand) {
  ir_value *source = ir_operand(expand, 0);
  const ir_type *type = ir_result(op, 0)->type;
  unsigned counts[IR_MAX_RANK] = {0}, dim = 0;
  for (unsigned i = 0; i < type->rank; i++) {
    unsigned end = ir_dims_of(op, i).end;
    while (dim < source->type->rank && ir_dims_of(expand, dim).end <= end) {
      counts[i]++;
      dim++;
    }
    if (!counts[i] || (dim < source->type->rank && ir_dims_of(expand, dim).first != end))
      return NULL;
  }
  return type == source->type ? source : ir_collapse(builder, source, type, counts);
}

/* Casts of shape knowledge, reshapes, transposes: nothing to do, there and back, or twice. */
ir_value *fold_reshape(ir_builder *builder, ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  const ir_type *type = ir_result(op, 0)->type;
  const ir_op *inner = source->op;
  bool cast = op->code == OP_TENSOR_CAST || op->code == OP_MEMREF_CAST || op->code == OP_VECTOR_SHAPE_CAST;
  if (source->type == type)
    return source;
  if (inner && inner->code == op->code && cast) {
    /* What the middle type knew and the ends do not is a promise that goes; the value is the same. */
    if (ir_operand(inner, 0)->type == type)
      return ir_operand(inner, 0);
    return op->code == OP_VECTOR_SHAPE_CAST ? ir_unary(builder, op->code, ir_operand(inner, 0), type) : NULL;
  }
  if (inner && op->code == OP_TENSOR_COLLAPSE_SHAPE && inner->code == op->code)
    return collapse_at_once(builder, op, inner);
  bool unsplit = inner && op->code == OP_TENSOR_COLLAPSE_SHAPE && inner->code == OP_TENSOR_EXPAND_SHAPE;
  ir_value *merged = unsplit ? collapse_unsplit(builder, op, inner) : NULL;
  if (merged)
    return merged;
  bool there_and_back = inner && ((op->code == OP_TENSOR_EXPAND_SHAPE && inner->code == OP_TENSOR_COLLAPSE_SHAPE) ||
                                  (op->code == OP_TENSOR_COLLAPSE_SHAPE && inner->code == OP_TENSOR_EXPAND_SHAPE));
  return there_and_back && ir_operand(inner, 0)->type == type && ir_type_is_static(type) ? ir_operand(inner, 0) : NULL;
}

/* The type with all dims in one. */
static const ir_type *flat_type(ir_module *module, const ir_type *type) {
  int64_t extent = ir_type_is_static(type) ? ir_type_num_elements(type) : IR_DYNAMIC;
  return ir_type_with_shape(module, type, 1, &extent);
}

/* A shape that is known, or spelled element by element: all dims become one, and that those of the result. */
ir_value *fold_computed_shape(ir_builder *builder, ir_op *op) {
  ir_value *value = ir_operand(op, 0);
  const ir_op *shape = ir_made_by(ir_operand(op, 1), OP_TENSOR_FROM_ELEMENTS);
  const ir_type *type = ir_result(op, 0)->type;
  if (!ir_type_is_static(type) && (!shape))
    return NULL;
  ir_index sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < type->rank; dim++) {
    sizes[dim] = ir_index_const(type->shape[dim]);
    if (type->shape[dim] != IR_DYNAMIC)
      continue;
    ir_value *size = ir_operand(shape, dim);
    const ir_type *index = ir_type_index(op->module);
    sizes[dim].value = size->type == index ? size : ir_unary(builder, OP_ARITH_INDEX_CAST, size, index);
  }
  const ir_index one = ir_index_const(1);
  const ir_type *flat = flat_type(op->module, type);
  unsigned from = value->type->rank, to = type->rank;
  if (!from)
    value = ir_expand(builder, value, 1, &one, NULL);
  else if (from > 1)
    value = ir_collapse(builder, value, flat_type(op->module, value->type), &from);
  if (value->type != flat)
    value = ir_unary(builder, OP_TENSOR_CAST, value, flat);
  return !to ? ir_collapse(builder, value, type, NULL) : to > 1 ? ir_expand(builder, value, to, sizes, &to) : value;
}

ir_value *fold_transpose(ir_builder *builder, ir_op *op) {
  unsigned count;
  const int64_t *permutation = ir_attr_i64s_of(op, "permutation", &count);
  const ir_op *inner = ir_operand(op, 0)->op;
  bool identity = true, inverse = inner && inner->code == op->code;
  for (unsigned i = 0; i < count; i++)
    identity &= permutation[i] == i;
  if (identity)
    return ir_operand(op, 0);
  const int64_t *first = inverse ? ir_attr_i64s_of(inner, "permutation", &count) : NULL;
  for (unsigned i = 0; inverse && i < count; i++)
    inverse = first[permutation[i]] == i;
  return inverse ? ir_operand(inner, 0) : NULL;
}

ir_value *fold_broadcast(ir_builder *builder, ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  if (source->type == ir_result(op, 0)->type)
    return source;
  if (ir_made_by(source, OP_VECTOR_BROADCAST) && ir_operand(source->op, 0)->type->kind == IR_TYPE_SCALAR)
    return ir_unary(builder, op->code, ir_operand(source->op, 0), ir_result(op, 0)->type);
  return NULL;
}

/* An element or subvector of a broadcast scalar. */
ir_value *fold_vector_extract(ir_builder *builder, ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  const ir_type *type = ir_result(op, 0)->type;
  if (source->type == type)
    return source;
  if (!ir_made_by(source, OP_VECTOR_BROADCAST))
    return NULL;
  ir_value *scalar = ir_operand(source->op, 0);
  if (scalar->type->kind != IR_TYPE_SCALAR)
    return NULL;
  return type->kind == IR_TYPE_SCALAR ? scalar : ir_unary(builder, OP_VECTOR_BROADCAST, scalar, type);
}

/* ----------------------------------------------------------------------------------------------------------- slices */

/* The size is the whole extent of the dim, seen from the type or from a dim op on the value itself. */
static bool is_extent(ir_index size, const ir_value *value, unsigned dim) {
  if (!size.value)
    return size.constant == value->type->shape[dim];
  unsigned number;
  return ir_is_dim(size.value->op, &number) && ir_operand(size.value->op, 0) == value && number == dim;
}

static bool is_whole(const ir_slice *slice, const ir_value *value) {
  for (unsigned i = 0; i < slice->rank; i++)
    if (!is_extent(slice->sizes[i], value, i))
      return false;
  return ir_indices_are(slice->rank, slice->offsets, 0) && ir_slice_has_unit_strides(slice);
}

/* The number is an argument's or memory's, or made of such: it may be any, but for what has limits. */
static bool is_given(const ir_value *value, unsigned *steps) {
  const ir_op *op = value->op;
  if (!op)
    return value->block->parent->code == OP_FUNC_FUNC;
  if (op->code == OP_TENSOR_EXTRACT || op->code == OP_MEMREF_LOAD)
    return true;
  bool passes_on = op->code == OP_ARITH_INDEX_CAST || op->code == OP_ARITH_INDEX_CASTUI || op->code == OP_ARITH_ADDI ||
                   op->code == OP_ARITH_SUBI || op->code == OP_ARITH_MULI || op->code == OP_AFFINE_APPLY;
  for (unsigned i = 0; passes_on && i < op->num_operands; i++)
    if (!*steps || !--*steps || is_given(ir_operand(op, i), steps))
      return true;
  return false;
}

static bool is_given_offset(ir_index offset) {
  unsigned steps = 64;
  return offset.value && is_given(offset.value, &steps);
}

/* Of the part of a dim that `inner` is, `outer` is a part, and nothing shows that both are within what they are of. */
static bool may_leave(const ir_slice *outer, unsigned at, const ir_slice *inner, const ir_value *whole, unsigned dim) {
  bool all_of_part = ir_index_is_const(outer->offsets[at], 0) && ir_index_equal(outer->sizes[at], inner->sizes[dim]);
  bool all_of_whole = ir_index_is_const(inner->offsets[dim], 0) && is_extent(inner->sizes[dim], whole, dim);
  return !all_of_part && !all_of_whole && (is_given_offset(outer->offsets[at]) || is_given_offset(inner->offsets[dim]));
}

/* The slice of a slice as one slice of the inner source. Dims that the inner one drops have extent 1 and stay so. A
 * place in a part of a dim stays one there, as it is the part that it must not leave. */
static ir_value *merge_slices(ir_builder *builder, const ir_op *op, const ir_slice *outer, const ir_op *inner_op) {
  ir_slice inner = ir_slice_of(inner_op);
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  const ir_type *middle = ir_result(inner_op, 0)->type;
  unsigned kept[IR_MAX_RANK], at = 0;
  if (!ir_slice_has_unit_strides(&inner) || !ir_slice_has_unit_strides(outer))
    return NULL;
  for (unsigned i = 0; i < inner.rank; i++) {
    int64_t size = ir_index_static(inner.sizes[i]);
    bool keep = at < middle->rank && middle->shape[at] == size;
    kept[i] = keep ? at++ : IR_MAX_RANK;
  }
  if (at != middle->rank)
    return NULL;
  for (unsigned i = 0; i < inner.rank; i++) {
    bool keep = kept[i] < IR_MAX_RANK;
    if (keep && may_leave(outer, kept[i], &inner, ir_operand(inner_op, 0), i))
      return NULL;
    offsets[i] = keep ? ir_index_add(builder, inner.offsets[i], outer->offsets[kept[i]]) : inner.offsets[i];
    sizes[i] = keep ? outer->sizes[kept[i]] : ir_index_const(1);
  }
  return ir_extract_slice(builder, ir_operand(inner_op, 0), offsets, sizes, ir_result(op, 0)->type);
}

/* A tensor of the slice's type. */
static ir_value *empty_like(ir_builder *builder, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  ir_slice slice = ir_slice_of(op);
  ir_value *extents[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK], count = 0;
  ir_slice_kept_dims(op, type, kept);
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (type->shape[dim] == IR_DYNAMIC)
      extents[count++] = ir_index_value(builder, slice.sizes[kept[dim]]);
  return ir_create(builder, OP_TENSOR_EMPTY, type, count, extents, 0, NULL);
}

/* The type of the slice's smaller side, where sizes are constants that the op spells as values: with those extents. */
static const ir_type *known_type(const ir_op *op, const ir_slice *slice, const ir_type *type) {
  int64_t shape[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK];
  ir_slice_kept_dims(op, type, kept);
  for (unsigned dim = 0; dim < type->rank; dim++)
    shape[dim] = ir_index_static(slice->sizes[kept[dim]]);
  return ir_type_tensor(op->module, type->element, type->rank, shape);
}

ir_value *fold_extract_slice(ir_builder *builder, ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  const ir_type *type = ir_result(op, 0)->type;
  ir_op *from = source->op;
  ir_slice slice = ir_slice_of(op);
  const ir_attr *attr;
  /* The slice of a tensor that iterations share is what one of them owns, also where that is all of it: the tensor
   * itself is what all of them see. */
  bool shared = source->block && ir_op_has(source->block->parent, IR_PARALLEL);
  if (!shared && source->type == type && is_whole(&slice, source))
    return source;
  const ir_type *known = known_type(op, &slice, type);
  if (known != type)
    return ir_unary(builder, OP_TENSOR_CAST, ir_extract_part(builder, source, &slice, known), type);
  if (!from)
    return NULL;
  if (from->code == OP_TENSOR_EXTRACT_SLICE)
    return merge_slices(builder, op, &slice, from);
  if (from->code == OP_TENSOR_EMPTY)
    return empty_like(builder, op);
  if (from->code == OP_TENSOR_INSERT_SLICE && ir_operand(from, 0)->type == type && ir_slice_equal(op, from))
    return ir_operand(from, 0);
  /* A fill of nothing in particular: fill the part only. */
  if (from->code == OP_LINALG_FILL && ir_made_by(ir_init(from, 0), OP_TENSOR_EMPTY))
    return ir_fill(builder, ir_operand(from, 0), empty_like(builder, op));
  bool splat = ir_value_constant(source, &attr) && attr->count == 1 && ir_type_is_static(type);
  return splat ? ir_splat(builder, type, ir_attr_element(attr, 0)) : NULL;
}

ir_value *fold_insert_slice(ir_builder *builder, ir_op *op) {
  ir_value *source = ir_operand(op, 0), *dest = ir_operand(op, 1);
  ir_slice slice = ir_slice_of(op);
  if (source->type == dest->type && is_whole(&slice, dest))
    return source;
  const ir_type *known = known_type(op, &slice, source->type);
  if (known != source->type)
    return ir_insert_part(builder, ir_unary(builder, OP_TENSOR_CAST, source, known), dest, &slice);
  /* What was cut out is put back unchanged. */
  if (ir_made_by(source, OP_TENSOR_EXTRACT_SLICE) && ir_operand(source->op, 0) == dest &&
      ir_slice_equal(op, source->op))
    return dest;
  /* What was put there is overwritten. */
  if (ir_made_by(dest, OP_TENSOR_INSERT_SLICE) && ir_slice_has_unit_strides(&slice) &&
      source->type->rank == dest->type->rank && ir_slice_equal(op, dest->op))
    return ir_insert_slice(builder, source, ir_operand(dest->op, 1), slice.offsets, slice.sizes);
  return NULL;
}
