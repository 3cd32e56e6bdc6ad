/* verify_vector.c - checks of vector ops. Vectors are static, so shapes must agree exactly. */
#include "verify_util.h"

#include <string.h>

/* A vector of the given shape, or a scalar for rank 0. */
static const ir_type *part_type(const ir_op *op, ir_scalar element, unsigned rank, const int64_t *shape) {
  return rank ? ir_type_vector(op->module, element, rank, shape) : ir_type_scalar(op->module, element);
}

/* -------------------------------------------------------------------------------------------------------- transfers */

/* In the order of the memory's dims: the part of the vector that is not broadcast. */
static const ir_type *mask_type(const ir_op *op, const ir_map *map, const ir_type *vector) {
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned dim = 0; dim < map->num_dims; dim++) {
    int place = ir_map_find_dim(map, dim);
    if (place >= 0)
      shape[rank++] = vector->shape[place];
  }
  return part_type(op, IR_I1, rank, shape);
}

static bool verify_transfer(const ir_op *op, const ir_type *base, const ir_type *vector, unsigned index_group) {
  const ir_map *map = ir_attr_get(op, "permutation_map")->map;
  const ir_attr *bounds = ir_attr_get(op, "in_bounds");
  if ((base->kind != IR_TYPE_MEMREF && base->kind != IR_TYPE_TENSOR) || vector->kind != IR_TYPE_VECTOR ||
      base->element != vector->element)
    return ir_op_error(op, "cannot transfer between %s and %s", type_text(op, base), type_text(op, vector));
  if (map->num_dims != base->rank || map->num_syms || map->num_results != vector->rank)
    return ir_op_error(op, "the permutation map must lead from %u dims to %u", base->rank, vector->rank);
  uint32_t seen = 0;
  for (unsigned i = 0; i < map->num_results; i++) {
    int dim = ir_map_result_dim(map, i);
    bool broadcast = map->results[i]->kind == IR_EXPR_CONST && map->results[i]->value == 0;
    if ((dim < 0 && !broadcast) || (dim >= 0 && seen >> dim & 1))
      return ir_op_error(op, "the permutation map must consist of distinct dims and 0");
    if (broadcast && op->code == OP_VECTOR_TRANSFER_WRITE)
      return ir_op_error(op, "cannot write one element several times");
    seen |= dim >= 0 ? UINT32_C(1) << dim : 0;
  }
  if (bounds->count != vector->rank)
    return ir_op_error(op, "'in_bounds' must have one entry a dim of %s", type_text(op, vector));
  for (unsigned i = 0; i < bounds->count; i++)
    if (bounds->elements[i]->kind != IR_ATTR_BOOL)
      return ir_op_error(op, "'in_bounds' must hold true or false");
  unsigned mask = ir_info_num_groups(ir_op_row(op)) - 1;
  if (ir_group_size(op, mask) && ir_group_operand(op, mask, 0)->type != mask_type(op, map, vector))
    return ir_op_error(op, "the mask must be of type %s", type_text(op, mask_type(op, map, vector)));
  return verify_subscripts(op, index_group, base, "index");
}

bool verify_transfer_read(const ir_op *op) {
  const ir_type *vector = ir_result(op, 0)->type;
  if (!verify_transfer(op, ir_operand(op, 0)->type, vector, 1))
    return false;
  return ir_group_operand(op, 2, 0)->type == ir_type_scalar(op->module, vector->element) ||
         ir_op_error(op, "the padding must be of type %s", ir_scalar_name(vector->element));
}

bool verify_transfer_write(const ir_op *op) {
  const ir_type *base = ir_operand(op, 1)->type;
  if (!verify_transfer(op, base, ir_operand(op, 0)->type, 2))
    return false;
  bool tensor = base->kind == IR_TYPE_TENSOR;
  return (op->num_results == tensor && (!tensor || ir_result(op, 0)->type == base)) ||
         ir_op_error(op, "gives the new tensor, or nothing when it writes to memory");
}

bool verify_to_layout(const ir_op *op) {
  static const char *const conversions[] = {"identity", "register permute", "lane shuffle", "shared memory"};
  const char *conversion = ir_attr_string_or(op, "conversion", "");
  if (ir_operand(op, 0)->type->kind != IR_TYPE_VECTOR)
    return ir_op_error(op, "only vectors have layouts, not %s", type_text(op, ir_operand(op, 0)->type));
  for (unsigned i = 0; i < sizeof conversions / sizeof *conversions; i++)
    if (!strcmp(conversion, conversions[i]))
      return true;
  return ir_op_error(op, "there is no conversion \"%s\"", conversion);
}

bool verify_gather(const ir_op *op) {
  const ir_type *base = ir_operand(op, 0)->type, *result = ir_result(op, 0)->type;
  const ir_type *index = ir_group_operand(op, 2, 0)->type, *mask = ir_group_operand(op, 3, 0)->type;
  if (!ir_type_is_shaped(base) || base->kind == IR_TYPE_VECTOR || base->element != result->element ||
      result->kind != IR_TYPE_VECTOR || ir_group_operand(op, 4, 0)->type != result)
    return ir_op_error(op, "cannot gather %s from %s", type_text(op, result), type_text(op, base));
  if (ir_group_size(op, 1) != base->rank || !base->rank)
    return ir_op_error(op, "needs %u indices, got %u", base->rank, ir_group_size(op, 1));
  if (index->kind != IR_TYPE_VECTOR || !ir_same_shape(index, result) || ir_scalar_is_float(index->element))
    return ir_op_error(op, "the vector of indices must have the shape of the result");
  if (mask != ir_type_with_element(op->module, result, IR_I1))
    return ir_op_error(op, "the mask must have the shape of the result");
  return verify_index_operands(op, 1, "index");
}

/* Consecutive elements of a memref whose innermost dim is contiguous. */
static bool verify_consecutive(const ir_op *op, const ir_type *base, const ir_type *vector, unsigned index_group) {
  if (base->kind != IR_TYPE_MEMREF || vector->kind != IR_TYPE_VECTOR || base->element != vector->element ||
      vector->rank != 1 || !base->rank)
    return ir_op_error(op, "cannot move %s as consecutive elements of %s", type_text(op, vector), type_text(op, base));
  if (ir_type_stride(base, base->rank - 1u) != 1)
    return ir_op_error(op, "the innermost dim of %s must be contiguous", type_text(op, base));
  int64_t alignment = ir_attr_int_or(op, "alignment", 1);
  if (alignment < 1 || alignment & (alignment - 1))
    return ir_op_error(op, "'alignment' must be a power of two");
  return verify_subscripts(op, index_group, base, "index");
}

bool verify_vector_load(const ir_op *op) {
  return verify_consecutive(op, ir_operand(op, 0)->type, ir_result(op, 0)->type, 1);
}

bool verify_vector_store(const ir_op *op) {
  return verify_consecutive(op, ir_operand(op, 1)->type, ir_operand(op, 0)->type, 2);
}

bool verify_vector_elements(const ir_op *op) {
  return verify_elements(op, ir_result(op, 0)->type->kind == IR_TYPE_VECTOR);
}

/* ------------------------------------------------------------------------------------------- contraction, reduction */

static bool verify_combining_kind(const ir_op *op) {
  return ir_combine_of(op) ||
         ir_op_error(op, "cannot combine elements of %s by '%s'", ir_scalar_name(ir_result(op, 0)->type->element),
                     ir_attr_string_or(op, "kind", "add"));
}

/* 0 parallel, 1 reduction, -1 neither; spelled as a keyword or a string. */
static int iterator_kind(const ir_attr *attr) {
  if (attr->kind != IR_ATTR_KEYWORD && attr->kind != IR_ATTR_STRING)
    return -1;
  return !strcmp(attr->string, "parallel") ? 0 : !strcmp(attr->string, "reduction") ? 1 : -1;
}

bool verify_vector_contract(const ir_op *op) {
  const ir_attr *maps = ir_attr_get(op, "indexing_maps"), *iterators = ir_attr_get(op, "iterator_types");
  int64_t extents[IR_MAX_LOOPS] = {0};
  uint32_t in_result = 0;
  if (maps->count != 3 || iterators->count > IR_MAX_LOOPS)
    return ir_op_error(op, "needs three indexing maps and at most %d iterators", IR_MAX_LOOPS);
  for (unsigned i = 0; i < 3; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    if (maps->elements[i]->kind != IR_ATTR_MAP)
      return ir_op_error(op, "'indexing_maps' must hold affine maps");
    const ir_map *map = maps->elements[i]->map;
    if (type->kind != IR_TYPE_VECTOR && (i < 2 || type->kind != IR_TYPE_SCALAR))
      return ir_op_error(op, "cannot contract %s", type_text(op, type));
    if (map->num_syms || map->num_dims != iterators->count || map->num_results != type->rank ||
        !ir_map_is_projected_permutation(map))
      return ir_op_error(op, "indexing map %u must choose %u of %u loops", i, type->rank, iterators->count);
    for (unsigned dim = 0; dim < type->rank; dim++) {
      int loop = ir_map_result_dim(map, dim);
      if (extents[loop] && extents[loop] != type->shape[dim])
        return ir_op_error(op, "loop %d has both extent %lld and %lld", loop, (long long)extents[loop],
                           (long long)type->shape[dim]);
      extents[loop] = type->shape[dim];
      in_result |= i == 2 ? UINT32_C(1) << loop : 0;
    }
  }
  for (unsigned loop = 0; loop < iterators->count; loop++) {
    int kind = iterator_kind(iterators->elements[loop]);
    if (kind < 0 || kind == (int)(in_result >> loop & 1))
      return ir_op_error(op, "loop %u must be %s", loop, in_result >> loop & 1 ? "parallel" : "a reduction");
    if (!extents[loop])
      return ir_op_error(op, "loop %u is not in any indexing map", loop);
  }
  return verify_combining_kind(op);
}

bool verify_multi_reduction(const ir_op *op) {
  const ir_type *source = ir_operand(op, 0)->type;
  unsigned count, rank = 0;
  uint32_t reduced;
  int64_t shape[IR_MAX_RANK];
  if (!verify_kind(op, ir_operand(op, 0), IR_TYPE_VECTOR, "the source") || !verify_combining_kind(op))
    return false;
  const int64_t *dims = ir_attr_i64s_of(op, "reduction_dims", &count);
  if (!ir_are_distinct(count, dims, source->rank, &reduced))
    return ir_op_error(op, "'reduction_dims' must be distinct dims of %s", type_text(op, source));
  for (unsigned i = 0; i < source->rank; i++)
    if (!(reduced >> i & 1))
      shape[rank++] = source->shape[i];
  const ir_type *wanted = part_type(op, source->element, rank, shape);
  return ir_result(op, 0)->type == wanted || ir_op_error(op, "must give %s", type_text(op, wanted));
}

/* ---------------------------------------------------------------------------------------------------- shape changes */

bool verify_vector_broadcast(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  bool fits = to->kind == IR_TYPE_VECTOR && from->element == to->element && from->rank <= to->rank &&
              (from->kind == IR_TYPE_VECTOR || from->kind == IR_TYPE_SCALAR);
  for (unsigned i = 0; fits && i < from->rank; i++) {
    int64_t extent = to->shape[to->rank - from->rank + i];
    fits = from->shape[i] == extent || from->shape[i] == 1;
  }
  return fits || ir_op_error(op, "cannot broadcast %s to %s", type_text(op, from), type_text(op, to));
}

bool infer_vector_transpose(const ir_op *op, const ir_type **types) {
  const ir_type *type = ir_operand(op, 0)->type;
  unsigned count;
  const int64_t *permutation = ir_attr_i64s_of(op, "permutation", &count);
  uint32_t set;
  int64_t shape[IR_MAX_RANK];
  if (!verify_kind(op, ir_operand(op, 0), IR_TYPE_VECTOR, "the operand"))
    return false;
  if (!permutation || count != type->rank || !ir_are_distinct(count, permutation, count, &set))
    return ir_op_error(op, "'permutation' must permute the dims of %s", type_text(op, type));
  for (unsigned i = 0; i < count; i++)
    shape[i] = type->shape[permutation[i]];
  types[0] = ir_type_vector(op->module, type->element, type->rank, shape);
  return true;
}

bool verify_vector_shape_cast(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  return (from->kind == IR_TYPE_VECTOR && to->kind == IR_TYPE_VECTOR && from->element == to->element &&
          ir_type_num_elements(from) == ir_type_num_elements(to)) ||
         ir_op_error(op, "cannot cast %s to %s", type_text(op, from), type_text(op, to));
}

/* Rows keep their bits: elements of at least a byte, as many rows. */
bool verify_vector_bitcast(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  bool fits = from->kind == IR_TYPE_VECTOR && to->kind == IR_TYPE_VECTOR && from->rank && from->rank == to->rank &&
              from->element != IR_INDEX && to->element != IR_INDEX && ir_scalar_bits(from->element) >= 8 &&
              ir_scalar_bits(to->element) >= 8;
  for (unsigned dim = 0; fits && dim + 1 < from->rank; dim++)
    fits = from->shape[dim] == to->shape[dim];
  unsigned last = from->rank - 1u;
  fits = fits && from->shape[last] <= IR_MAX_VECTOR_ELEMENTS && to->shape[last] <= IR_MAX_VECTOR_ELEMENTS &&
         from->shape[last] * ir_scalar_bits(from->element) == to->shape[last] * ir_scalar_bits(to->element);
  return fits || ir_op_error(op, "cannot take the bits of %s as %s", type_text(op, from), type_text(op, to));
}

bool infer_vector_interleave(const ir_op *op, const ir_type **types) {
  const ir_type *type = ir_operand(op, 0)->type;
  int64_t shape[IR_MAX_RANK];
  if (type->kind != IR_TYPE_VECTOR || !type->rank || ir_operand(op, 1)->type != type ||
      type->shape[type->rank - 1] > INT64_MAX / 2)
    return ir_op_error(op, "takes two vectors of one type, not %s and %s", type_text(op, type),
                       type_text(op, ir_operand(op, 1)->type));
  memcpy(shape, type->shape, sizeof *shape * type->rank);
  shape[type->rank - 1] *= 2;
  types[0] = ir_type_vector(op->module, type->element, type->rank, shape);
  return true;
}

bool infer_vector_deinterleave(const ir_op *op, const ir_type **types) {
  const ir_type *type = ir_operand(op, 0)->type;
  int64_t shape[IR_MAX_RANK];
  if (type->kind != IR_TYPE_VECTOR || !type->rank || type->shape[type->rank - 1] % 2)
    return ir_op_error(op, "takes a vector with an even number of elements in its last dim, not %s",
                       type_text(op, type));
  memcpy(shape, type->shape, sizeof *shape * type->rank);
  shape[type->rank - 1] /= 2;
  types[0] = types[1] = ir_type_vector(op->module, type->element, type->rank, shape);
  return true;
}

bool infer_vector_shuffle(const ir_op *op, const ir_type **types) {
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type;
  unsigned count = 0;
  const int64_t *places = ir_attr_i64s_of(op, "mask", &count);
  if (a->kind != IR_TYPE_VECTOR || b->kind != IR_TYPE_VECTOR || a->rank != 1 || b->rank != 1 ||
      a->element != b->element)
    return ir_op_error(op, "takes two vectors of one dim and one type of elements, not %s and %s", type_text(op, a),
                       type_text(op, b));
  if (!places || !count)
    return ir_op_error(op, "needs places of elements in 'mask'");
  for (unsigned i = 0; i < count; i++)
    if (places[i] < 0 || (places[i] >= a->shape[0] && places[i] - a->shape[0] >= b->shape[0]))
      return ir_op_error(op, "there is no element at place %lld", (long long)places[i]);
  const int64_t extent = count;
  types[0] = ir_type_vector(op->module, a->element, 1, &extent);
  return true;
}

/* The position (operand group `group`) is one of `whole`; *part is the type of what lies there. */
static bool verify_position(const ir_op *op, unsigned group, const ir_type *whole, const ir_type **part) {
  unsigned count;
  const int64_t *position = ir_attr_i64s_of(op, "static_position", &count);
  if (whole->kind != IR_TYPE_VECTOR)
    return ir_op_error(op, "works on vectors, not on %s", type_text(op, whole));
  if (!position || count > whole->rank)
    return ir_op_error(op, "the position must have at most %u entries", whole->rank);
  for (unsigned i = 0; i < count; i++)
    if (position[i] != IR_DYNAMIC && (position[i] < 0 || position[i] >= whole->shape[i]))
      return ir_op_error(op, "position %u is %lld, but the extent is %lld", i, (long long)position[i],
                         (long long)whole->shape[i]);
  *part = part_type(op, whole->element, whole->rank - count, whole->shape + count);
  return verify_mixed(op, group, "static_position", count, &position);
}

bool infer_vector_extract(const ir_op *op, const ir_type **types) {
  return verify_position(op, 1, ir_operand(op, 0)->type, types);
}

bool verify_vector_insert(const ir_op *op) {
  const ir_type *part;
  if (!verify_position(op, 2, ir_operand(op, 1)->type, &part))
    return false;
  return ir_operand(op, 0)->type == part ||
         ir_op_error(op, "must insert %s here, not %s", type_text(op, part), type_text(op, ir_operand(op, 0)->type));
}

/* Offsets and unit strides of a part of a vector: `sizes` are the part's trailing extents. */
static bool verify_strided(const ir_op *op, const ir_type *whole, unsigned rank, const int64_t *sizes) {
  unsigned num_offsets, num_strides;
  const int64_t *offsets = ir_attr_i64s_of(op, "offsets", &num_offsets);
  const int64_t *strides = ir_attr_i64s_of(op, "strides", &num_strides);
  if (!offsets || !strides || num_strides != rank || num_offsets < rank || num_offsets > whole->rank)
    return ir_op_error(op, "needs one stride a dim of the part, and as many offsets, at most the rank of %s",
                       type_text(op, whole));
  for (unsigned i = 0; i < num_offsets; i++) {
    int64_t size = i < num_offsets - rank ? 1 : sizes[i - (num_offsets - rank)];
    if (offsets[i] < 0 || size <= 0 || size > whole->shape[i] || offsets[i] > whole->shape[i] - size)
      return ir_op_error(op, "dim %u is out of bounds: offset %lld, size %lld, extent %lld", i, (long long)offsets[i],
                         (long long)size, (long long)whole->shape[i]);
  }
  for (unsigned i = 0; i < rank; i++)
    if (strides[i] != 1)
      return ir_op_error(op, "strides must be 1");
  return true;
}

bool infer_strided_slice(const ir_op *op, const ir_type **types) {
  const ir_type *whole = ir_operand(op, 0)->type;
  unsigned count, num_offsets;
  const int64_t *sizes = ir_attr_i64s_of(op, "sizes", &count);
  int64_t shape[IR_MAX_RANK];
  if (!verify_kind(op, ir_operand(op, 0), IR_TYPE_VECTOR, "the source"))
    return false;
  if (!sizes || !ir_attr_i64s_of(op, "offsets", &num_offsets) || count != num_offsets)
    return ir_op_error(op, "needs as many sizes as offsets");
  if (!verify_strided(op, whole, count, sizes))
    return false;
  for (unsigned i = 0; i < whole->rank; i++)
    shape[i] = i < count ? sizes[i] : whole->shape[i];
  types[0] = ir_type_vector(op->module, whole->element, whole->rank, shape);
  return true;
}

bool verify_insert_strided_slice(const ir_op *op) {
  const ir_type *part = ir_operand(op, 0)->type, *whole = ir_operand(op, 1)->type;
  if (part->kind != IR_TYPE_VECTOR || whole->kind != IR_TYPE_VECTOR || part->element != whole->element ||
      part->rank > whole->rank)
    return ir_op_error(op, "cannot insert %s into %s", type_text(op, part), type_text(op, whole));
  unsigned count;
  if (!ir_attr_i64s_of(op, "offsets", &count) || count != whole->rank)
    return ir_op_error(op, "needs one offset a dim of %s", type_text(op, whole));
  return verify_strided(op, whole, part->rank, part->shape);
}

bool verify_vector_step(const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  return (type->kind == IR_TYPE_VECTOR && type->rank == 1 && type->element == IR_INDEX) ||
         ir_op_error(op, "must give a vector of index, not %s", type_text(op, type));
}

bool verify_create_mask(const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  if (type->kind != IR_TYPE_VECTOR || type->element != IR_I1)
    return ir_op_error(op, "must give a vector of i1, not %s", type_text(op, type));
  if (op->num_operands != type->rank)
    return ir_op_error(op, "needs %u bounds, got %u", type->rank, op->num_operands);
  return verify_index_operands(op, 0, "bound");
}
