/* tile_hooks.c - tiles of the ops that are not structured: constants, views, reshapes and padding.
 *
 * A hook answers NULL where the elements of the box do not form a box of the operand. Each decides that before it
 * creates anything but index arithmetic, which is dropped later when nobody uses it. */
#include "passes/recast.h"
#include "passes/tile.h"

static const ir_type *box_type(const ir_type *like, ir_module *module, const tile_box *box) {
  int64_t shape[IR_MAX_RANK];
  for (unsigned i = 0; i < box->rank; i++)
    shape[i] = ir_index_static(box->sizes[i]);
  return ir_type_with_shape(module, like, box->rank, shape);
}

/* ------------------------------------------------------------------------------------------- constants and slices */

ir_value *tile_constant(tile_builder *builder, ir_op *op, const tile_box *box) {
  const ir_attr *value = ir_attr_get(op, "value");
  const ir_type *type = box_type(ir_result(op, 0)->type, op->module, box);
  if (value->kind != IR_ATTR_DENSE || !ir_type_is_static(type) ||
      (value->count != 1 && ir_type_num_elements(value->type) != 1))
    return NULL;
  return ir_splat(&builder->body, type, ir_attr_element(value, 0));
}

ir_value *tile_empty(tile_builder *builder, ir_op *op, const tile_box *box) {
  return ir_empty(&builder->body, ir_result(op, 0)->type->element, box->rank, box->sizes);
}

ir_value *tile_cast(tile_builder *builder, ir_op *op, const tile_box *box) {
  return builder->slice(builder, op, 0, box); /* the sizes of the box say all that the cast would */
}

ir_value *tile_extract_slice(tile_builder *builder, ir_op *op, const tile_box *box) {
  ir_slice own = ir_slice_of(op);
  unsigned kept[IR_MAX_RANK];
  tile_box source = {.rank = own.rank};
  if (!ir_slice_has_unit_strides(&own))
    return NULL;
  for (unsigned dim = 0; dim < source.rank; dim++) {
    source.offsets[dim] = own.offsets[dim];
    source.sizes[dim] = ir_index_const(1);
  }
  ir_slice_kept_dims(op, ir_result(op, 0)->type, kept);
  for (unsigned i = 0; i < box->rank; i++) {
    source.offsets[kept[i]] = ir_index_add(&builder->index, own.offsets[kept[i]], box->offsets[i]);
    source.sizes[kept[i]] = box->sizes[i];
  }
  ir_value *slice = builder->slice(builder, op, 0, &source);
  if (source.rank == box->rank)
    return slice;
  const ir_index zeros[IR_MAX_RANK] = {{0}};
  return ir_extract_slice(&builder->body, slice, zeros, source.sizes,
                          box_type(ir_result(op, 0)->type, op->module, box));
}

/* -------------------------------------------------------------------------------------------------------- reshapes */

/* The shape that the groups of dims of an expand_shape or collapse_shape come to. */
static void merged_shape(const ir_op *op, const ir_type *small, const int64_t *shape, int64_t *merged) {
  unsigned counts[IR_MAX_RANK];
  for (unsigned i = 0; i < small->rank; i++) {
    ir_dims group = ir_dims_of(op, i);
    counts[i] = group.end - group.first;
  }
  recast_merged_shape(small->rank, counts, shape, merged);
}

/* The box of the one element of a tensor without dims: all of it, or nothing. */
static ir_value *expand_element(tile_builder *builder, ir_op *op, const tile_box *box) {
  const tile_box source = {.rank = 0};
  const unsigned counts[1] = {0};
  const ir_index zeros[IR_MAX_RANK] = {{0}};
  ir_index ones[IR_MAX_RANK];
  for (unsigned i = 0; i < box->rank; i++)
    ones[i] = ir_index_const(1);
  ir_value *tile = ir_expand(&builder->body, builder->slice(builder, op, 0, &source), box->rank, ones, counts);
  return ir_indices_are(box->rank, box->sizes, 1) ? tile
                                                  : ir_extract_slice(&builder->body, tile, zeros, box->sizes, NULL);
}

/* The tile of an expand_shape or collapse_shape, once the tile of its source is known. One of both may show more of
 * their extents than the other does. */
static ir_value *create_reshape(tile_builder *builder, ir_op *op, const tile_box *source, const tile_box *box) {
  ir_value *tile = builder->slice(builder, op, 0, source);
  const ir_type *type = box_type(ir_result(op, 0)->type, op->module, box);
  int64_t merged[IR_MAX_RANK];
  if (op->code == OP_TENSOR_COLLAPSE_SHAPE) {
    merged_shape(op, type, tile->type->shape, merged);
    const ir_type *known = ir_type_with_shape(op->module, type, type->rank, merged);
    ir_named_attr groups = {"reassociation", ir_attr_get(op, "reassociation")};
    return recast_shape(&builder->body, ir_create(&builder->body, op->code, known, 1, &tile, 1, &groups), type->shape);
  }
  merged_shape(op, tile->type, type->shape, merged);
  ir_value *operands[1 + IR_MAX_RANK] = {recast_shape(&builder->body, tile, merged)};
  ir_named_attr attrs[] = {{"reassociation", ir_attr_get(op, "reassociation")},
                           {"static_output_shape", ir_attr_i64s(op->module, type->rank, type->shape)}};
  unsigned count = 1;
  for (unsigned i = 0; i < box->rank; i++)
    if (box->sizes[i].value)
      operands[count++] = box->sizes[i].value;
  return ir_create(&builder->body, op->code, type, count, operands, 2, attrs);
}

/* A box of the dims of one group is a range of the merged dim if, from left to right, it is one element thick, then of
 * any size once, then whole. */
static bool merge_group(ir_builder *builder, ir_dims group, const tile_box *box, const tile_box *whole,
                        ir_index *offset, ir_index *size) {
  unsigned tiled = group.end - 1;
  while (tiled > group.first && tile_is_whole(box, whole, tiled))
    tiled--;
  int64_t stride = 1;
  *offset = ir_index_const(0);
  for (unsigned dim = group.end; dim-- > group.first;) {
    if (dim < tiled && !ir_index_is_const(box->sizes[dim], 1))
      return false;
    *offset = ir_index_add(builder, *offset, ir_index_scale(builder, box->offsets[dim], stride));
    if (dim == tiled)
      *size = ir_index_scale(builder, box->sizes[dim], stride);
    if (dim > group.first && whole->sizes[dim].value)
      return false;
    stride *= whole->sizes[dim].constant;
  }
  return true;
}

/* The number of elements of the box's dims of a group; `open` where one of them is not known. */
static ir_index known_size(ir_dims group, const tile_box *box, ir_index open) {
  ir_index size = ir_index_const(1);
  for (unsigned dim = group.first; dim < group.end; dim++) {
    if (box->sizes[dim].value)
      return open;
    size.constant *= box->sizes[dim].constant;
  }
  return size;
}

ir_value *tile_expand_shape(tile_builder *builder, ir_op *op, const tile_box *box) {
  tile_box source, whole;
  tile_whole(&builder->index, ir_operand(op, 0), &source);
  tile_whole(&builder->index, ir_result(op, 0), &whole);
  if (!source.rank)
    return expand_element(builder, op, box);
  for (unsigned i = 0; i < source.rank; i++) {
    ir_dims group = ir_dims_of(op, i);
    bool is_whole = true;
    for (unsigned dim = group.first; dim < group.end; dim++)
      is_whole &= tile_is_whole(box, &whole, dim);
    if (is_whole)
      source.sizes[i] = known_size(group, box, source.sizes[i]);
    else if (!merge_group(&builder->index, group, box, &whole, &source.offsets[i], &source.sizes[i]))
      return NULL;
  }
  return create_reshape(builder, op, &source, box);
}

static bool divides(int64_t divisor, ir_index x) { return ir_index_divisor(x) % (uint64_t)divisor == 0; }

/* A range of the merged dim is a box of the group's dims if it is whole rows of the dims after one of them, or part of
 * one row; `offset` must be provably at the start of such. */
static bool split_group(ir_builder *builder, ir_dims group, ir_index offset, ir_index size, const tile_box *whole,
                        tile_box *source) {
  unsigned outermost = group.first;
  while (outermost + 1 < group.end && ir_index_is_const(whole->sizes[outermost], 1))
    outermost++;
  for (unsigned dim = group.end; dim-- > outermost + 1;) {
    ir_index extent = whole->sizes[dim];
    if (ir_index_is_const(extent, 1))
      continue;
    if (extent.value || extent.constant <= 0 || size.value || size.constant <= 0)
      return false;
    if (size.constant % extent.constant == 0 && divides(extent.constant, offset)) {
      size.constant /= extent.constant;
    } else if (extent.constant % size.constant == 0 && divides(size.constant, offset)) {
      source->offsets[dim] = ir_index_mod(builder, offset, extent.constant);
      source->sizes[dim] = size;
      size = ir_index_const(1);
    } else {
      return false;
    }
    offset = ir_index_floordiv(builder, offset, extent.constant);
  }
  source->offsets[outermost] = offset;
  source->sizes[outermost] = size;
  return true;
}

ir_value *tile_collapse_shape(tile_builder *builder, ir_op *op, const tile_box *box) {
  tile_box source, whole, result;
  tile_whole(&builder->index, ir_operand(op, 0), &whole);
  tile_whole(&builder->index, ir_result(op, 0), &result);
  source = whole;
  for (unsigned i = 0; i < box->rank; i++)
    if (!tile_is_whole(box, &result, i) &&
        !split_group(&builder->index, ir_dims_of(op, i), box->offsets[i], box->sizes[i], &whole, &source))
      return NULL;
  return create_reshape(builder, op, &source, box);
}

/* --------------------------------------------------------------------------------------------------------- padding */

static ir_index at_least_zero(ir_builder *builder, ir_index x) {
  return ir_index_sub(builder, x, ir_index_min(builder, x, ir_index_const(0)));
}

/* One dim of a padded tile: the part of the source that lies in it, and what is missing before and after. */
static void pad_dim(ir_builder *builder, ir_index extent, ir_index offset, ir_index size, ir_index *low, ir_index *high,
                    ir_index *source_offset, ir_index *source_size) {
  ir_index start = ir_index_sub(builder, offset, *low), end = ir_index_add(builder, start, size);
  *low = ir_index_min(builder, at_least_zero(builder, ir_index_sub(builder, *low, offset)), size);
  *source_offset = ir_index_min(builder, at_least_zero(builder, start), extent);
  *source_size = ir_index_sub(builder, ir_index_min(builder, at_least_zero(builder, end), extent), *source_offset);
  *high = ir_index_sub(builder, ir_index_sub(builder, size, *low), *source_size);
}

ir_value *tile_pad(tile_builder *builder, ir_op *op, const tile_box *box) {
  const ir_block *body = ir_region(op, 0);
  for (unsigned i = 0; i < body->num_args; i++)
    if (!ir_value_unused(body->args[i]))
      return NULL; /* the padding depends on the position, which a clone would count from 0 */
  tile_box source, whole;
  ir_index pads[2][IR_MAX_RANK];
  tile_whole(&builder->index, ir_operand(op, 0), &source);
  tile_whole(&builder->index, ir_result(op, 0), &whole);
  for (unsigned dim = 0; dim < box->rank; dim++) {
    pads[0][dim] = ir_padding(op, 0, dim);
    pads[1][dim] = ir_padding(op, 1, dim);
    if (ir_index_is_const(pads[0][dim], 0) && ir_index_is_const(pads[1][dim], 0)) {
      source.offsets[dim] = box->offsets[dim];
      source.sizes[dim] = box->sizes[dim];
    } else if (!tile_is_whole(box, &whole, dim)) {
      pad_dim(&builder->index, source.sizes[dim], box->offsets[dim], box->sizes[dim], &pads[0][dim], &pads[1][dim],
              &source.offsets[dim], &source.sizes[dim]);
    }
  }
  ir_value *operands[1 + 2 * IR_MAX_RANK] = {builder->slice(builder, op, 0, &source)};
  const ir_type *type = box_type(ir_result(op, 0)->type, op->module, box);
  ir_op_spec spec = {.operands = operands, .num_operands = 1, .groups = {1}, .types = &type, .num_results = 1};
  ir_named_attr attrs[2] = {{"static_low"}, {"static_high"}};
  for (unsigned side = 0; side < 2; side++)
    attrs[side].attr = ir_add_mixed(op->module, &spec, operands, 1 + side, box->rank, pads[side]);
  spec.attrs = attrs;
  spec.num_attrs = 2;
  ir_op *pad = ir_op_create(&builder->body, OP_TENSOR_PAD, &spec);
  ir_clone_regions(op, pad, ir_value_map_create(op->module));
  return ir_result(pad, 0);
}
