/* build.c - short ways to create ops; see build.h. */
#include "build.h"

#include "affine.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- constants */

bool ir_value_constant(const ir_value *value, const ir_attr **attr) {
  if (!value->op || !ir_op_has(value->op, IR_CONSTANT))
    return false;
  *attr = ir_attr_get(value->op, "value");
  return *attr != NULL;
}

bool ir_value_splat(const ir_value *value, ir_cell *cell) {
  while (value->op && (value->op->code == OP_LINALG_FILL || value->op->code == OP_VECTOR_BROADCAST))
    value = ir_operand(value->op, 0);
  const ir_attr *attr;
  if (!ir_value_constant(value, &attr))
    return false;
  switch (attr->kind) {
  case IR_ATTR_INT:
  case IR_ATTR_BOOL:
    cell->i = attr->value;
    return true;
  case IR_ATTR_FLOAT:
    cell->f = attr->number;
    return true;
  case IR_ATTR_DENSE:
    if (attr->count != 1)
      return false;
    *cell = ir_attr_element(attr, 0);
    return true;
  default:
    return false;
  }
}

bool ir_value_is_zero(const ir_value *value) {
  ir_cell cell;
  return ir_value_splat(value, &cell) && (ir_scalar_is_float(value->type->element) ? cell.f == 0 : cell.i == 0);
}

ir_value *ir_constant(ir_builder *builder, const ir_type *type, const ir_attr *value) {
  ir_named_attr named = {"value", value};
  return ir_create(builder, OP_ARITH_CONSTANT, type, 0, NULL, 1, &named);
}

ir_value *ir_splat(ir_builder *builder, const ir_type *type, ir_cell cell) {
  ir_module *module = builder->module;
  return ir_constant(builder, type,
                     type->kind == IR_TYPE_SCALAR ? ir_attr_scalar(module, type, cell)
                                                  : ir_attr_dense(module, type, 1, &cell));
}

ir_value *ir_const(ir_builder *builder, const ir_type *type, double value) {
  return ir_splat(builder, type,
                  ir_scalar_is_float(type->element) ? (ir_cell){.f = value} : (ir_cell){.i = (int64_t)value});
}

ir_value *ir_const_index(ir_builder *builder, int64_t value) { return ir_index_value(builder, ir_index_const(value)); }

/* --------------------------------------------------------------------------------------------------------- indices */

ir_index ir_index_of(ir_value *value) {
  const ir_attr *attr;
  if (ir_value_constant(value, &attr) && attr->kind == IR_ATTR_INT)
    return ir_index_const(attr->value);
  return (ir_index){.value = value};
}

ir_value *ir_index_value(ir_builder *builder, ir_index x) {
  if (x.value)
    return x.value;
  return ir_splat(builder, ir_type_index(builder->module), (ir_cell){.i = x.constant});
}

/* Drops operands that no result uses any more and creates the affine op `code`. */
static ir_index create_affine(ir_builder *builder, ir_opcode code, affine_values *values, unsigned num_results,
                              const ir_expr **results) {
  affine_drop_unused(values, num_results, results);
  return affine_create(builder, code, values, num_results, results);
}

ir_index ir_index_apply(ir_builder *builder, const ir_expr *expr, unsigned num_dims, const ir_index *dims) {
  affine_values values = {.module = builder->module};
  const ir_expr *inputs[AFFINE_MAX_VALUES];
  assert(num_dims <= AFFINE_MAX_VALUES);
  for (unsigned i = 0; i < num_dims; i++)
    inputs[i] = ir_expr_uses_dim(expr, i) ? affine_of_index(&values, dims[i], num_dims - 1 - i) : NULL;
  const ir_expr *result = ir_expr_replace(builder->module, expr, inputs, NULL);
  return create_affine(builder, OP_AFFINE_APPLY, &values, 1, &result);
}

static ir_index apply_binary(ir_builder *builder, ir_expr_kind kind, ir_index a, ir_index b) {
  ir_index dims[] = {a, b};
  const ir_expr *expr =
      ir_expr_binary(builder->module, kind, ir_expr_dim(builder->module, 0), ir_expr_dim(builder->module, 1));
  return ir_index_apply(builder, expr, 2, dims);
}

ir_index ir_index_add(ir_builder *builder, ir_index a, ir_index b) { return apply_binary(builder, IR_EXPR_ADD, a, b); }

ir_index ir_index_sub(ir_builder *builder, ir_index a, ir_index b) {
  ir_module *module = builder->module;
  const ir_expr *negated = ir_expr_by(module, IR_EXPR_MUL, ir_expr_dim(module, 1), -1);
  ir_index dims[] = {a, b};
  return ir_index_apply(builder, ir_expr_binary(module, IR_EXPR_ADD, ir_expr_dim(module, 0), negated), 2, dims);
}

ir_index ir_index_mul(ir_builder *builder, ir_index a, ir_index b) {
  if (!a.value || !b.value)
    return apply_binary(builder, IR_EXPR_MUL, a, b);
  return (ir_index){.value = ir_binary(builder, OP_ARITH_MULI, a.value, b.value)};
}

ir_index ir_index_scale(ir_builder *builder, ir_index a, int64_t factor) {
  return apply_binary(builder, IR_EXPR_MUL, a, ir_index_const(factor));
}

/* affine.min or affine.max of two. */
static ir_index extreme(ir_builder *builder, ir_opcode code, ir_index a, ir_index b) {
  if (ir_index_equal(a, b))
    return a;
  if (!a.value && !b.value)
    return (a.constant < b.constant) == (code == OP_AFFINE_MIN) ? a : b;
  affine_values values = {.module = builder->module};
  const ir_expr *results[] = {affine_of_index(&values, a, 1), NULL};
  results[1] = affine_of_index(&values, b, 0);
  return create_affine(builder, code, &values, 2, results);
}

ir_index ir_index_min(ir_builder *builder, ir_index a, ir_index b) { return extreme(builder, OP_AFFINE_MIN, a, b); }

ir_index ir_index_max(ir_builder *builder, ir_index a, ir_index b) { return extreme(builder, OP_AFFINE_MAX, a, b); }

ir_index ir_index_ceildiv(ir_builder *builder, ir_index a, int64_t b) {
  return apply_binary(builder, IR_EXPR_CEILDIV, a, ir_index_const(b));
}

ir_index ir_index_floordiv(ir_builder *builder, ir_index a, int64_t b) {
  return apply_binary(builder, IR_EXPR_FLOORDIV, a, ir_index_const(b));
}

ir_index ir_index_mod(ir_builder *builder, ir_index a, int64_t b) {
  return apply_binary(builder, IR_EXPR_MOD, a, ir_index_const(b));
}

ir_index ir_dim(ir_builder *builder, ir_value *value, unsigned dim) {
  const ir_type *type = value->type;
  if (type->shape[dim] != IR_DYNAMIC)
    return ir_index_const(type->shape[dim]);
  ir_value *operands[] = {value, ir_const_index(builder, dim)};
  const ir_type *index = ir_type_index(builder->module);
  ir_opcode code = type->kind == IR_TYPE_TENSOR ? OP_TENSOR_DIM : OP_MEMREF_DIM;
  return (ir_index){.value = ir_create(builder, code, index, 2, operands, 0, NULL)};
}

bool ir_is_dim(const ir_op *op, unsigned *dim) {
  if (!op || (op->code != OP_TENSOR_DIM && op->code != OP_MEMREF_DIM))
    return false;
  ir_index number = ir_index_of(ir_operand(op, 1));
  *dim = (unsigned)number.constant;
  return !number.value && number.constant >= 0 && number.constant < ir_operand(op, 0)->type->rank;
}

ir_index ir_loop_dim(ir_builder *builder, const ir_op *op, unsigned loop) {
  unsigned operand = 0, dim = 0;
  ir_loop_extent(op, loop, &operand, &dim);
  return ir_dim(builder, ir_operand(op, operand), dim);
}

/* ---------------------------------------------------------------------------------------------------------- slices */

ir_index ir_mixed(const ir_op *op, unsigned group, const char *name, unsigned i) {
  unsigned count, dynamic = 0;
  const int64_t *statics = ir_attr_i64s_of(op, name, &count);
  if (!statics || statics[i] != IR_DYNAMIC)
    return ir_index_const(statics && count ? statics[i] : 0);
  for (unsigned k = 0; k < i; k++)
    dynamic += statics[k] == IR_DYNAMIC;
  return ir_index_of(ir_group_operand(op, group, dynamic));
}

const ir_attr *ir_add_mixed(ir_module *module, ir_op_spec *spec, ir_value **operands, unsigned group, unsigned count,
                            const ir_index *indices) {
  int64_t statics[IR_MAX_LOOPS];
  for (unsigned i = 0; i < count; i++) {
    statics[i] = ir_index_static(indices[i]);
    if (!indices[i].value)
      continue;
    operands[spec->num_operands++] = indices[i].value;
    spec->groups[group]++;
  }
  return ir_attr_i64s(module, count, statics);
}

void ir_spelled_extents(const ir_op *op, unsigned first, ir_index *extents) {
  const ir_type *type = ir_result(op, 0)->type;
  for (unsigned i = 0; i < type->rank; i++)
    extents[i] = type->shape[i] == IR_DYNAMIC ? ir_index_of(ir_operand(op, first++)) : ir_index_const(type->shape[i]);
}

ir_slice ir_slice_of(const ir_op *op) {
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  ir_slice slice = {.rank = 0};
  ir_index *const parts[] = {slice.offsets, slice.sizes, slice.strides};
  unsigned first = ir_info_num_groups(ir_op_row(op)) - 3;
  for (unsigned part = 0; part < 3; part++) {
    const int64_t *statics = ir_attr_i64s_of(op, names[part], &slice.rank);
    unsigned dynamic = 0;
    for (unsigned i = 0; i < slice.rank; i++)
      parts[part][i] = statics[i] == IR_DYNAMIC ? ir_index_of(ir_group_operand(op, first + part, dynamic++))
                                                : ir_index_const(statics[i]);
  }
  return slice;
}

bool ir_slice_has_unit_strides(const ir_slice *slice) { return ir_indices_are(slice->rank, slice->strides, 1); }

ir_bounds ir_bounds_of(const ir_op *loop, unsigned dim) {
  return loop->code == OP_SCF_FOR
             ? (ir_bounds){ir_index_of(ir_operand(loop, 0)), ir_index_of(ir_operand(loop, 1)),
                           ir_index_of(ir_operand(loop, 2))}
             : (ir_bounds){ir_mixed(loop, 0, "staticLowerBound", dim), ir_mixed(loop, 1, "staticUpperBound", dim),
                           ir_mixed(loop, 2, "staticStep", dim)};
}

bool ir_induction(const ir_value *value, ir_bounds *bounds) {
  const ir_op *loop = value->op ? NULL : value->block->parent;
  if (!loop || !ir_op_has(loop, IR_LOOP) || value->index >= ir_num_counters(loop))
    return false;
  *bounds = ir_bounds_of(loop, value->index);
  return true;
}

bool ir_indices_are(unsigned count, const ir_index *indices, int64_t constant) {
  for (unsigned i = 0; i < count; i++)
    if (!ir_index_is_const(indices[i], constant))
      return false;
  return true;
}

bool ir_slice_dim_equal(const ir_slice *a, unsigned i, const ir_slice *b, unsigned k) {
  return ir_index_equal(a->offsets[i], b->offsets[k]) && ir_index_equal(a->sizes[i], b->sizes[k]) &&
         ir_index_equal(a->strides[i], b->strides[k]);
}

bool ir_slices_equal(const ir_slice *a, const ir_slice *b) {
  bool equal = a->rank == b->rank;
  for (unsigned i = 0; equal && i < a->rank; i++)
    equal = ir_slice_dim_equal(a, i, b, i);
  return equal;
}

bool ir_slice_equal(const ir_op *a, const ir_op *b) {
  ir_slice x = ir_slice_of(a), y = ir_slice_of(b);
  return ir_slices_equal(&x, &y);
}

/* Collects operands, group sizes and static attributes of a slice op; `source` and `dest` come first (dest may be
 * NULL). `steps` NULL: all 1. `type`: of the result; NULL if there is none. */
static ir_op *create_slice(ir_builder *builder, ir_opcode code, ir_value *source, ir_value *dest, unsigned rank,
                           const ir_index *offsets, const ir_index *sizes, const ir_index *steps, const ir_type *type) {
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  ir_value *operands[2 + 3 * IR_MAX_RANK] = {source, dest};
  ir_index ones[IR_MAX_RANK];
  ir_named_attr attrs[3];
  unsigned first = dest ? 2 : 1;
  ir_op_spec spec = {.operands = operands,
                     .num_operands = first,
                     .groups = {1, dest ? 1 : 0},
                     .types = &type,
                     .num_results = type != NULL,
                     .attrs = attrs,
                     .num_attrs = 3};
  for (unsigned i = 0; i < rank; i++)
    ones[i] = ir_index_const(1);
  const ir_index *const parts[] = {offsets, sizes, steps ? steps : ones};
  for (unsigned part = 0; part < 3; part++)
    attrs[part] =
        (ir_named_attr){names[part], ir_add_mixed(builder->module, &spec, operands, first + part, rank, parts[part])};
  return ir_op_create(builder, code, &spec);
}

/* See ir_slice_kept_dims. */
static unsigned kept_dims(unsigned rank, const int64_t *sizes, const ir_type *type, unsigned *kept) {
  unsigned to_drop = rank - type->rank, count = 0;
  for (unsigned i = 0; i < rank; i++) {
    /* A unit size that the smaller side does not show at this place has been dropped. */
    bool shown = count < type->rank && type->shape[count] == 1 && rank - i > to_drop;
    if (sizes[i] == 1 && to_drop && !shown)
      to_drop--;
    else
      kept[count++] = i;
  }
  return count;
}

unsigned ir_slice_kept_dims(const ir_op *slice, const ir_type *type, unsigned *kept) {
  unsigned rank;
  const int64_t *sizes = ir_attr_i64s_of(slice, "static_sizes", &rank);
  return kept_dims(rank, sizes, type, kept);
}

/* What a slice of these sizes shows: the type with the extents that are known. One that does not fit the sizes is left
 * to the verifier. */
static const ir_type *type_of_sizes(ir_module *module, unsigned rank, const ir_index *sizes, const ir_type *type) {
  int64_t extents[IR_MAX_RANK], shape[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK];
  for (unsigned i = 0; i < rank; i++)
    extents[i] = ir_index_static(sizes[i]);
  if (kept_dims(rank, extents, type, kept) != type->rank)
    return type;
  for (unsigned i = 0; i < type->rank; i++)
    shape[i] = extents[kept[i]];
  return ir_type_tensor(module, type->element, type->rank, shape);
}

static ir_value *cast_to(ir_builder *builder, ir_value *value, const ir_type *type) {
  return value->type == type ? value : ir_unary(builder, OP_TENSOR_CAST, value, type);
}

/* Sizes that turn out to be constants are so in the slice's type; its users keep the one that they have. */
static ir_value *extract(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                         const ir_index *steps, const ir_type *type) {
  int64_t shape[IR_MAX_RANK];
  unsigned rank = source->type->rank;
  for (unsigned i = 0; i < rank; i++)
    shape[i] = ir_index_static(sizes[i]);
  const ir_type *shown = type ? type_of_sizes(builder->module, rank, sizes, type)
                              : ir_type_tensor(builder->module, source->type->element, rank, shape);
  ir_op *slice = create_slice(builder, OP_TENSOR_EXTRACT_SLICE, source, NULL, rank, offsets, sizes, steps, shown);
  return cast_to(builder, ir_result(slice, 0), type ? type : shown);
}

ir_value *ir_extract_slice(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                           const ir_type *type) {
  return extract(builder, source, offsets, sizes, NULL, type);
}

ir_value *ir_extract_strided(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                             const ir_index *steps) {
  return extract(builder, source, offsets, sizes, steps, NULL);
}

ir_value *ir_extract_part(ir_builder *builder, ir_value *source, const ir_slice *part, const ir_type *type) {
  return extract(builder, source, part->offsets, part->sizes, part->strides, type);
}

ir_value *ir_extract_at(ir_builder *builder, ir_value *tensor, const ir_expr *const *subscripts, unsigned num_dims,
                        const ir_index *dims) {
  ir_value *operands[1 + IR_MAX_RANK] = {tensor};
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    operands[1 + dim] = ir_index_value(builder, ir_index_apply(builder, subscripts[dim], num_dims, dims));
  return ir_create(builder, OP_TENSOR_EXTRACT, NULL, 1u + tensor->type->rank, operands, 0, NULL);
}

static ir_value *insert(ir_builder *builder, ir_value *source, ir_value *into, const ir_index *offsets,
                        const ir_index *sizes, const ir_index *steps) {
  const ir_type *type = into->type;
  source = cast_to(builder, source, type_of_sizes(builder->module, type->rank, sizes, source->type));
  return ir_result(create_slice(builder, OP_TENSOR_INSERT_SLICE, source, into, type->rank, offsets, sizes, steps, type),
                   0);
}

ir_value *ir_insert_slice(ir_builder *builder, ir_value *source, ir_value *into, const ir_index *offsets,
                          const ir_index *sizes) {
  return insert(builder, source, into, offsets, sizes, NULL);
}

ir_value *ir_insert_part(ir_builder *builder, ir_value *source, ir_value *into, const ir_slice *part) {
  return insert(builder, source, into, part->offsets, part->sizes, part->strides);
}

void ir_parallel_insert_slice(ir_builder *builder, ir_value *source, ir_value *into, const ir_index *offsets,
                              const ir_index *sizes) {
  create_slice(builder, OP_TENSOR_PARALLEL_INSERT_SLICE, source, into, into->type->rank, offsets, sizes, NULL, NULL);
}

ir_value *ir_vector_row(ir_builder *builder, ir_value *vector, int64_t row) {
  ir_named_attr position = {"static_position", ir_attr_i64s(builder->module, 1, &row)};
  return ir_create(builder, OP_VECTOR_EXTRACT, NULL, 1, &vector, 1, &position);
}

ir_value *ir_vector_slice(ir_builder *builder, ir_value *vector, int64_t first, int64_t count) {
  ir_module *module = builder->module;
  ir_named_attr attrs[] = {{"offsets", ir_attr_numbers(module, 1, &first)},
                           {"sizes", ir_attr_numbers(module, 1, &count)},
                           {"strides", ir_attr_numbers(module, 1, (const int64_t[]){1})}};
  return ir_create(builder, OP_VECTOR_EXTRACT_STRIDED_SLICE, NULL, 1, &vector, 3, attrs);
}

ir_value *ir_subview_of_dims(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                             const ir_index *steps, unsigned num_kept, const unsigned *kept) {
  const ir_type *whole = source->type;
  int64_t strides[IR_MAX_RANK], shape[IR_MAX_RANK], apart[IR_MAX_RANK], offset = whole->strides ? whole->offset : 0;
  ir_type_strides(whole, strides);
  for (unsigned dim = 0; dim < whole->rank; dim++)
    offset = ir_static_offset(offset, ir_index_static(offsets[dim]), strides[dim]);
  for (unsigned i = 0; i < num_kept; i++) {
    shape[i] = ir_index_static(sizes[kept[i]]);
    apart[i] = steps ? ir_static_offset(0, ir_index_static(steps[kept[i]]), strides[kept[i]]) : strides[kept[i]];
  }
  const ir_type *type = ir_type_memref(builder->module, whole->element, num_kept, shape, apart, offset, whole->space);
  ir_op *op = create_slice(builder, OP_MEMREF_SUBVIEW, source, NULL, whole->rank, offsets, sizes, steps, type);
  return ir_result(op, 0);
}

ir_value *ir_subview(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes) {
  unsigned dims[IR_MAX_RANK];
  for (unsigned dim = 0; dim < source->type->rank; dim++)
    dims[dim] = dim;
  return ir_subview_of_dims(builder, source, offsets, sizes, NULL, source->type->rank, dims);
}

/* ------------------------------------------------------------------------------------------- scalars and structure */

ir_value *ir_create(ir_builder *builder, ir_opcode code, const ir_type *type, unsigned num_operands,
                    ir_value *const *operands, unsigned num_attrs, const ir_named_attr *attrs) {
  ir_op_spec spec = {.operands = operands,
                     .num_operands = num_operands,
                     .types = type ? &type : NULL,
                     .num_results = 1,
                     .attrs = attrs,
                     .num_attrs = num_attrs};
  return ir_result(ir_op_create(builder, code, &spec), 0);
}

ir_value *ir_unary(ir_builder *builder, ir_opcode code, ir_value *x, const ir_type *result) {
  return ir_create(builder, code, result, 1, &x, 0, NULL);
}

ir_value *ir_binary(ir_builder *builder, ir_opcode code, ir_value *lhs, ir_value *rhs) {
  ir_value *operands[] = {lhs, rhs};
  return ir_create(builder, code, lhs->type, 2, operands, 0, NULL);
}

static const struct {
  const char *kind; /* the word of #vector.kind */
  ir_opcode on_floats, on_integers;
} combiners[] = {
    {"add", OP_ARITH_ADDF, OP_ARITH_ADDI},
    {"mul", OP_ARITH_MULF, OP_ARITH_MULI},
    {.kind = "maximumf", .on_floats = OP_ARITH_MAXIMUMF},
    {.kind = "minimumf", .on_floats = OP_ARITH_MINIMUMF},
    {.kind = "maxnumf", .on_floats = OP_ARITH_MAXNUMF},
    {.kind = "minnumf", .on_floats = OP_ARITH_MINNUMF},
    {.kind = "and", .on_integers = OP_ARITH_ANDI},
    {.kind = "or", .on_integers = OP_ARITH_ORI},
    {.kind = "xor", .on_integers = OP_ARITH_XORI},
    {.kind = "maxsi", .on_integers = OP_ARITH_MAXSI},
    {.kind = "minsi", .on_integers = OP_ARITH_MINSI},
    {.kind = "maxui", .on_integers = OP_ARITH_MAXUI},
    {.kind = "minui", .on_integers = OP_ARITH_MINUI},
};

ir_opcode ir_combine_of(const ir_op *op) {
  const char *kind = ir_attr_string_or(op, "kind", "add");
  bool is_float = ir_scalar_is_float(ir_result(op, 0)->type->element);
  for (unsigned i = 0; i < sizeof combiners / sizeof *combiners; i++)
    if (!strcmp(combiners[i].kind, kind))
      return is_float ? combiners[i].on_floats : combiners[i].on_integers;
  return 0;
}

const char *ir_combine_kind(ir_opcode code) {
  for (unsigned i = 0; i < sizeof combiners / sizeof *combiners; i++)
    if (combiners[i].on_floats == code || combiners[i].on_integers == code)
      return combiners[i].kind;
  return NULL;
}

ir_predicate ir_predicate_of(const ir_op *op) { return (ir_predicate)ir_attr_int_or(op, "predicate", IR_EQUAL); }

ir_predicate ir_predicate_opposite(ir_predicate predicate) {
  return predicate <= IR_NOT_EQUAL              ? IR_EQUAL + IR_NOT_EQUAL - predicate
         : predicate <= IR_SIGNED_GREATER_EQUAL ? IR_SIGNED_LESS + IR_SIGNED_GREATER_EQUAL - predicate
                                                : IR_UNSIGNED_LESS + IR_UNSIGNED_GREATER_EQUAL - predicate;
}

ir_predicate ir_predicate_signed(ir_predicate predicate) {
  return predicate < IR_UNSIGNED_LESS ? predicate : predicate - IR_UNSIGNED_LESS + IR_SIGNED_LESS;
}

ir_value *ir_compare(ir_builder *builder, ir_opcode code, ir_predicate predicate, ir_value *lhs, ir_value *rhs) {
  const ir_type *boolean = ir_type_with_element(builder->module, lhs->type, IR_I1);
  ir_named_attr attr = {"predicate", ir_attr_i64(builder->module, predicate)};
  ir_value *operands[] = {lhs, rhs};
  return ir_create(builder, code, boolean, 2, operands, 1, &attr);
}

ir_value *ir_select(ir_builder *builder, ir_value *condition, ir_value *yes, ir_value *no) {
  ir_value *operands[] = {condition, yes, no};
  return ir_create(builder, OP_ARITH_SELECT, yes->type, 3, operands, 0, NULL);
}

ir_value *ir_loop_index(ir_builder *builder, unsigned loop) {
  ir_named_attr dim = {"dim", ir_attr_i64(builder->module, loop)};
  return ir_create(builder, OP_LINALG_INDEX, NULL, 0, NULL, 1, &dim);
}

ir_value *ir_convert(ir_builder *builder, ir_value *x, const ir_type *type) {
  ir_scalar from = x->type->element, to = type->element;
  if (from == to)
    return x;
  const ir_type *result = ir_type_with_element(builder->module, x->type, to);
  unsigned from_bits = ir_scalar_bits(from), to_bits = ir_scalar_bits(to);
  bool from_float = ir_scalar_is_float(from), to_float = ir_scalar_is_float(to);
  if (from_float && to_float && from_bits == to_bits) /* f16 and bf16: neither holds the other */
    return ir_unary(builder, OP_ARITH_TRUNCF,
                    ir_unary(builder, OP_ARITH_EXTF, x, ir_type_with_element(builder->module, x->type, IR_F32)),
                    result);
  ir_opcode code;
  if (from_float && to_float)
    code = from_bits < to_bits ? OP_ARITH_EXTF : OP_ARITH_TRUNCF;
  else if (from_float)
    code = OP_ARITH_FPTOSI;
  else if (to_float)
    code = from == IR_I1 ? OP_ARITH_UITOFP : OP_ARITH_SITOFP;
  else if (from == IR_INDEX || to == IR_INDEX)
    code = OP_ARITH_INDEX_CAST;
  else
    code = from_bits > to_bits ? OP_ARITH_TRUNCI : from == IR_I1 ? OP_ARITH_EXTUI : OP_ARITH_EXTSI;
  if ((code == OP_ARITH_SITOFP || code == OP_ARITH_FPTOSI) && (from == IR_INDEX || to == IR_INDEX)) {
    const ir_type *wide = ir_type_with_element(builder->module, x->type, IR_I64);
    if (from == IR_INDEX)
      return ir_unary(builder, code, ir_unary(builder, OP_ARITH_INDEX_CAST, x, wide), result);
    return ir_unary(builder, OP_ARITH_INDEX_CAST, ir_unary(builder, code, x, wide), result);
  }
  return ir_unary(builder, code, x, result);
}

/* What a type says of the sizes, and those that it does not: returns how many. */
static unsigned split_sizes(unsigned rank, const ir_index *sizes, int64_t *shape, ir_value **dynamic) {
  unsigned count = 0;
  for (unsigned dim = 0; dim < rank; dim++) {
    shape[dim] = ir_index_static(sizes[dim]);
    if (sizes[dim].value)
      dynamic[count++] = sizes[dim].value;
  }
  return count;
}

ir_value *ir_empty(ir_builder *builder, ir_scalar element, unsigned rank, const ir_index *shape) {
  int64_t extents[IR_MAX_RANK];
  ir_value *dynamic[IR_MAX_RANK];
  unsigned count = split_sizes(rank, shape, extents, dynamic);
  const ir_type *type = ir_type_tensor(builder->module, element, rank, extents);
  return ir_create(builder, OP_TENSOR_EMPTY, type, count, dynamic, 0, NULL);
}

ir_value *ir_fill(ir_builder *builder, ir_value *scalar, ir_value *out) {
  return ir_result(ir_structured(builder, OP_LINALG_FILL, 1, &scalar, 1, &out, 0, NULL), 0);
}

ir_value *ir_fill_const(ir_builder *builder, double number, ir_value *out) {
  return ir_fill(builder, ir_const(builder, ir_type_scalar(builder->module, out->type->element), number), out);
}

ir_op *ir_access(ir_builder *builder, const ir_type *vector, ir_value *memory, ir_value *const *indices,
                 ir_value *stored) {
  static const ir_opcode codes[2][2] = {{OP_MEMREF_LOAD, OP_MEMREF_STORE}, {OP_VECTOR_LOAD, OP_VECTOR_STORE}};
  const ir_type *type = vector ? vector : ir_type_scalar(builder->module, memory->type->element);
  ir_value *operands[IR_MAX_RANK + 2] = {stored, memory};
  memcpy(operands + 2, indices, memory->type->rank * sizeof *operands);
  ir_op_spec spec = {.operands = operands + !stored,
                     .num_operands = memory->type->rank + 1u + (stored != NULL),
                     .types = &type,
                     .num_results = !stored};
  return ir_op_create(builder, codes[vector != NULL][stored != NULL], &spec);
}

ir_op *ir_transfer(ir_builder *builder, ir_opcode code, const ir_type *vector, ir_value *value, ir_value *base,
                   ir_value *const *indices, const unsigned *dims, const bool *in_bounds) {
  ir_module *module = builder->module;
  bool reads = code == OP_VECTOR_TRANSFER_READ;
  const ir_type *type = reads ? vector : base->type;
  unsigned rank = base->type->rank;
  unsigned places[IR_MAX_RANK];
  ir_value *operands[IR_MAX_RANK + 2];
  const ir_attr *ends[IR_MAX_RANK];
  operands[reads ? rank + 1 : 0] = value ? value : ir_const(builder, ir_type_scalar(module, vector->element), 0);
  operands[!reads] = base;
  for (unsigned i = 0; i < rank; i++)
    operands[1 + !reads + i] = indices[i];
  for (unsigned i = 0; i < vector->rank; i++) {
    ends[i] = ir_attr_bool(module, !in_bounds || in_bounds[i]);
    places[i] = dims ? dims[i] : rank - vector->rank + i;
  }
  ir_named_attr attrs[] = {{"in_bounds", ir_attr_array(module, vector->rank, ends)},
                           {"permutation_map", ir_attr_map(module, ir_map_select(module, rank, vector->rank, places))}};
  ir_op_spec spec = {.operands = operands,
                     .num_operands = rank + 2,
                     .groups = {1, reads ? rank : 1, reads ? 1 : rank},
                     .types = &type,
                     .num_results = type->kind != IR_TYPE_MEMREF,
                     .attrs = attrs,
                     .num_attrs = 2};
  return ir_op_create(builder, code, &spec);
}

/* The op without body: ins, then outs, one result for each tensor among the outs. */
static ir_op *create_structured(ir_builder *builder, ir_opcode code, unsigned num_ins, ir_value *const *ins,
                                unsigned num_outs, ir_value *const *outs, unsigned num_attrs,
                                const ir_named_attr *attrs) {
  ir_arena *arena = &builder->module->arena;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, num_ins + num_outs);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, num_outs);
  unsigned num_results = 0;
  for (unsigned i = 0; i < num_ins; i++)
    operands[i] = ins[i];
  for (unsigned i = 0; i < num_outs; i++) {
    operands[num_ins + i] = outs[i];
    if (outs[i]->type->kind == IR_TYPE_TENSOR)
      types[num_results++] = outs[i]->type;
  }
  ir_op_spec spec = {.operands = operands,
                     .num_operands = num_ins + num_outs,
                     .groups = {num_ins, num_outs},
                     .types = types,
                     .num_results = num_results,
                     .attrs = attrs,
                     .num_attrs = num_attrs};
  return ir_op_create(builder, code, &spec);
}

ir_op *ir_structured(ir_builder *builder, ir_opcode code, unsigned num_ins, ir_value *const *ins, unsigned num_outs,
                     ir_value *const *outs, unsigned num_attrs, const ir_named_attr *attrs) {
  ir_op *op = create_structured(builder, code, num_ins, ins, num_outs, outs, num_attrs, attrs);
  if (op->num_regions)
    ir_structured_build_body(op);
  return op;
}

ir_op *ir_generic(ir_builder *builder, unsigned num_ins, ir_value *const *ins, unsigned num_outs, ir_value *const *outs,
                  const ir_map *const *maps, unsigned num_loops, uint32_t reductions) {
  ir_module *module = builder->module;
  const ir_attr *iterators[IR_MAX_LOOPS];
  const ir_attr **map_attrs = IR_NEW_ARRAY(&module->arena, const ir_attr *, num_ins + num_outs);
  for (unsigned i = 0; i < num_ins + num_outs; i++)
    map_attrs[i] = ir_attr_map(module, maps[i]);
  for (unsigned i = 0; i < num_loops; i++)
    iterators[i] = ir_attr_keyword(module, "linalg.iterator_type", reductions >> i & 1 ? "reduction" : "parallel");
  ir_named_attr attrs[] = {{"indexing_maps", ir_attr_array(module, num_ins + num_outs, map_attrs)},
                           {"iterator_types", ir_attr_array(module, num_loops, iterators)}};
  ir_op *op = create_structured(builder, OP_LINALG_GENERIC, num_ins, ins, num_outs, outs, 2, attrs);
  for (unsigned i = 0; i < op->num_operands; i++)
    ir_block_add_arg(ir_region(op, 0), ir_type_scalar(module, ir_operand(op, i)->type->element));
  return op;
}

ir_value *ir_stack(ir_builder *builder, unsigned dim, unsigned count, ir_value *const *parts) {
  ir_module *module = builder->module;
  const ir_type *type = parts[0]->type;
  unsigned rank = type->rank + 1u, dims[IR_MAX_RANK];
  ir_index shape[IR_MAX_RANK];
  const ir_map *maps[IR_MOST_STACKED + 1];
  for (unsigned i = 0; i < type->rank; i++) {
    dims[i] = i + (i >= dim);
    shape[dims[i]] = ir_dim(builder, parts[0], i);
  }
  shape[dim] = ir_index_const(count);
  for (unsigned i = 0; i < count; i++)
    maps[i] = ir_map_select(module, rank, type->rank, dims);
  maps[count] = ir_map_identity(module, rank);
  ir_value *out = ir_empty(builder, type->element, rank, shape);
  ir_op *stack = ir_generic(builder, count, parts, 1, &out, maps, rank, 0);
  ir_builder body = ir_builder_at_end(ir_region(stack, 0));
  ir_value **elements = ir_region(stack, 0)->args, *number = ir_loop_index(&body, dim), *chosen = elements[count - 1];
  for (unsigned i = count - 1; i-- > 0;) {
    ir_value *is_here = ir_compare(&body, OP_ARITH_CMPI, IR_EQUAL, number, ir_const_index(&body, i));
    chosen = ir_select(&body, is_here, elements[i], chosen);
  }
  ir_terminator(&body, OP_LINALG_YIELD, 1, &chosen);
  return ir_result(stack, 0);
}

ir_op *ir_terminator(ir_builder *builder, ir_opcode code, unsigned count, ir_value *const *values) {
  return ir_op_create(builder, code, &(ir_op_spec){.operands = values, .num_operands = count});
}

ir_dims ir_dims_of(const ir_op *reshape, unsigned i) {
  const ir_attr *group = ir_attr_get(reshape, "reassociation")->elements[i];
  unsigned first = (unsigned)group->elements[0]->value;
  return (ir_dims){first, first + group->count};
}

void ir_merged_counts(const ir_op *reshape, unsigned *counts) {
  const ir_attr *groups = ir_attr_get(reshape, "reassociation");
  for (unsigned i = 0; i < groups->count; i++)
    counts[i] = groups->elements[i]->count;
}

/* A reassociation that puts counts[g] neighbouring dims into group g. */
static const ir_attr *make_groups(ir_module *module, unsigned num_groups, const unsigned *counts) {
  const ir_attr *groups[IR_MAX_RANK], *members[IR_MAX_RANK];
  const ir_type *type = ir_type_scalar(module, IR_I64);
  unsigned dim = 0;
  for (unsigned g = 0; g < num_groups; g++) {
    for (unsigned i = 0; i < counts[g]; i++)
      members[i] = ir_attr_int(module, type, dim++);
    groups[g] = ir_attr_array(module, counts[g], members);
  }
  return ir_attr_array(module, num_groups, groups);
}

ir_value *ir_collapse(ir_builder *builder, ir_value *value, const ir_type *type, const unsigned *counts) {
  ir_named_attr groups = {"reassociation", make_groups(builder->module, type->rank, counts)};
  ir_opcode code = type->kind == IR_TYPE_MEMREF ? OP_MEMREF_COLLAPSE_SHAPE : OP_TENSOR_COLLAPSE_SHAPE;
  return ir_create(builder, code, type, 1, &value, 1, &groups);
}

ir_value *ir_rows_of(ir_builder *builder, ir_value *flat, unsigned rank, const int64_t *shape) {
  ir_module *module = builder->module;
  int64_t strides[IR_MAX_RANK] = {0}, stride = 1;
  for (unsigned dim = rank; dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  const ir_type *type = ir_type_memref(module, flat->type->element, rank, shape, flat->type->strides ? strides : NULL,
                                       flat->type->offset, flat->type->space);
  ir_named_attr attrs[] = {{"reassociation", make_groups(module, 1, &rank)},
                           {"static_output_shape", ir_attr_i64s(module, rank, shape)}};
  return ir_create(builder, OP_MEMREF_EXPAND_SHAPE, type, 1, &flat, 2, attrs);
}

ir_value *ir_expand(ir_builder *builder, ir_value *value, unsigned rank, const ir_index *sizes,
                    const unsigned *counts) {
  ir_module *module = builder->module;
  ir_value *operands[IR_MAX_RANK + 1] = {value};
  int64_t shape[IR_MAX_RANK];
  unsigned dynamic = split_sizes(rank, sizes, shape, operands + 1);
  const ir_type *type = ir_type_tensor(module, value->type->element, rank, shape);
  ir_named_attr attrs[] = {{"reassociation", make_groups(module, value->type->rank, counts)},
                           {"static_output_shape", ir_attr_i64s(module, rank, shape)}};
  return ir_create(builder, OP_TENSOR_EXPAND_SHAPE, type, 1 + dynamic, operands, 2, attrs);
}

ir_op *ir_for(ir_builder *builder, ir_index from, ir_index to, ir_index step, unsigned num_inits,
              ir_value *const *inits) {
  ir_arena *arena = &builder->module->arena;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, 3 + num_inits);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, num_inits);
  operands[0] = ir_index_value(builder, from);
  operands[1] = ir_index_value(builder, to);
  operands[2] = ir_index_value(builder, step);
  for (unsigned i = 0; i < num_inits; i++) {
    operands[3 + i] = inits[i];
    types[i] = inits[i]->type;
  }
  ir_op_spec spec = {.operands = operands,
                     .num_operands = 3 + num_inits,
                     .groups = {1, 1, 1, num_inits},
                     .types = types,
                     .num_results = num_inits};
  ir_op *loop = ir_op_create(builder, OP_SCF_FOR, &spec);
  ir_block_add_arg(ir_region(loop, 0), ir_type_index(builder->module));
  for (unsigned i = 0; i < num_inits; i++)
    ir_block_add_arg(ir_region(loop, 0), types[i]);
  return loop;
}

ir_op *ir_if(ir_builder *builder, ir_value *condition, const ir_type *result) {
  ir_op_spec spec = {.operands = &condition, .num_operands = 1, .types = &result, .num_results = result != NULL};
  return ir_op_create(builder, OP_SCF_IF, &spec);
}

ir_builder ir_inside(ir_op *op, unsigned region) {
  ir_builder at_end = ir_builder_at_end(ir_region(op, region));
  return ir_builder_before(ir_terminator(&at_end, OP_SCF_YIELD, 0, NULL));
}

ir_index ir_enter_for(ir_builder *builder, ir_index from, ir_index to, int64_t step) {
  ir_op *loop = ir_for(builder, from, to, ir_index_const(step), 0, NULL);
  *builder = ir_inside(loop, 0);
  return (ir_index){.value = ir_region(loop, 0)->args[0]};
}

ir_op *ir_forall(ir_builder *builder, unsigned num_loops, const ir_index *from, const ir_index *to,
                 const ir_index *step, unsigned num_outs, ir_value *const *outs) {
  static const char *const names[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  const ir_index *const bounds[] = {from, to, step};
  ir_module *module = builder->module;
  ir_value **operands = IR_NEW_ARRAY(&module->arena, ir_value *, 3 * num_loops + num_outs);
  const ir_type **types = IR_NEW_ARRAY(&module->arena, const ir_type *, num_outs);
  ir_named_attr attrs[3];
  ir_op_spec spec = {.operands = operands, .types = types, .num_results = num_outs, .attrs = attrs, .num_attrs = 3};
  for (unsigned part = 0; part < 3; part++)
    attrs[part] = (ir_named_attr){names[part], ir_add_mixed(module, &spec, operands, part, num_loops, bounds[part])};
  spec.groups[3] = num_outs;
  for (unsigned i = 0; i < num_outs; i++) {
    operands[spec.num_operands++] = outs[i];
    types[i] = outs[i]->type;
  }
  ir_op *forall = ir_op_create(builder, OP_SCF_FORALL, &spec);
  for (unsigned i = 0; i < num_loops; i++)
    ir_block_add_arg(ir_region(forall, 0), ir_type_index(module));
  for (unsigned i = 0; i < num_outs; i++)
    ir_block_add_arg(ir_region(forall, 0), types[i]);
  return forall;
}

ir_builder ir_in_parallel(ir_builder *builder) {
  return ir_builder_at_end(ir_region(ir_op_create(builder, OP_SCF_IN_PARALLEL, &(ir_op_spec){0}), 0));
}
