/* diagonal.c - triangles and bands as comparisons of indices; see diagonal.h.
 *
 * Frameworks keep a causal mask as a buffer for the longest sequence, of which a program takes the part for its own
 * lengths. Compared indices need no memory, and tell other passes what is hidden.
 * Terminates: the elements of a constant are looked at once. */
#include "passes/diagonal.h"

#include "passes/body.h"
#include "passes/extent.h"

#include <string.h>

enum { MAX_RUNS = 3 };

/* Diagonal d holds the elements with column - row = d. Run i has the same element from diagonal `first[i]` to the next
 * run, or to the last corner. */
typedef struct diagonals {
  unsigned row, column; /* dims */
  unsigned num_runs;
  int64_t first[MAX_RUNS], position[MAX_RUNS]; /* of a first element */
} diagonals;

static bool same_element(const ir_attr *constant, int64_t a, int64_t b) {
  size_t width = ir_scalar_bytes(constant->type->element);
  return !memcmp(constant->bytes + (size_t)a * width, constant->bytes + (size_t)b * width, width);
}

/* The two dims longer than 1; false where there are more or fewer. */
static bool find_dims(const ir_type *type, diagonals *found) {
  unsigned count = 0, dims[2] = {0};
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (type->shape[dim] != 1 && count++ < 2)
      dims[count - 1] = dim;
  found->row = dims[0];
  found->column = dims[1];
  return count == 2;
}

static bool find_runs(const ir_attr *constant, diagonals *found) {
  if (constant->count == 1) {
    found->num_runs = 1;
    return true;
  }
  if (!constant->count || !find_dims(constant->type, found))
    return false;
  int64_t rows = constant->type->shape[found->row], columns = constant->type->shape[found->column];
  for (int64_t diagonal = 1 - rows; diagonal < columns; diagonal++) {
    int64_t row = diagonal < 0 ? -diagonal : 0, first = row * columns + row + diagonal;
    for (int64_t at = first; row < rows && row + diagonal < columns; row++, at += columns + 1)
      if (!same_element(constant, at, first))
        return false;
    if (found->num_runs && same_element(constant, first, found->position[found->num_runs - 1]))
      continue;
    if (found->num_runs == MAX_RUNS)
      return false;
    found->first[found->num_runs] = diagonal;
    found->position[found->num_runs++] = first;
  }
  return true;
}

/* The constant of which the value is all, or `part`, which comes as nothing and has unit strides then. NULL if there is
 * none. */
static const ir_attr *find_constant(const ir_value *value, ir_slice *part) {
  const ir_op *slice = ir_made_by(value, OP_TENSOR_EXTRACT_SLICE);
  const ir_value *source = slice ? ir_operand(slice, 0) : value;
  const ir_attr *constant;
  if (!ir_value_constant(source, &constant) || constant->kind != IR_ATTR_DENSE ||
      source->type->rank != value->type->rank)
    return NULL;
  if (slice)
    *part = ir_slice_of(slice);
  return ir_slice_has_unit_strides(part) ? constant : NULL;
}

static ir_value *element(ir_builder *builder, const ir_attr *constant, int64_t position) {
  const ir_type *type = ir_type_scalar(builder->module, constant->type->element);
  return ir_splat(builder, type, ir_attr_element(constant, position));
}

ir_op *diagonal_compute(ir_builder *builder, ir_value *value) {
  ir_slice part = {.rank = 0};
  diagonals found = {0};
  const ir_attr *constant = find_constant(value, &part);
  if (!constant || !find_runs(constant, &found))
    return NULL;
  ir_value *out = pass_empty_like(builder, value, value->type->element);
  ir_index shift = ir_index_sub(builder, part.offsets[found.column], part.offsets[found.row]);
  ir_op *generic = body_by_element(builder, 0, NULL, out);
  ir_builder body = body_of(generic);
  ir_value *result = element(&body, constant, found.position[0]);
  for (unsigned run = 1; run < found.num_runs; run++) {
    ir_index row = {.value = ir_loop_index(&body, found.row)}, column = {.value = ir_loop_index(&body, found.column)};
    ir_value *diagonal = ir_index_value(&body, ir_index_add(&body, ir_index_sub(&body, column, row), shift));
    ir_value *first = ir_const_index(&body, found.first[run]);
    ir_value *before = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, diagonal, first);
    result = ir_select(&body, before, result, element(&body, constant, found.position[run]));
  }
  body_finish(&body, generic, result);
  return generic;
}
