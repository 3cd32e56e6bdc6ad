/* lane_access.c - what is known of addresses before a kernel runs: divisors of subscripts, strides and bases; see
 * lane_access.h.
 *
 * Alignment is proven from the strides, from what divides the start, and from the base, which is aligned to 16 bytes
 * (runtimes promise it of arguments). Divisors are powers of two up to the widest access: more is of no use.
 * Terminates: values and views are followed to what defines them, to a limited depth; the rest loops over registers. */
#include "passes/lane_access.h"

#include <string.h>

enum { MAX_DEPTH = 16, LEAST_COPY = 4 /* bytes */ };

/* --------------------------------------------------------------------------------------------------------- divisors */

/* The largest power of two up to LANE_ACCESS_WIDEST that divides a number. */
static int64_t power_in(int64_t number) {
  int64_t power = 1;
  while (power < LANE_ACCESS_WIDEST && number % (2 * power) == 0)
    power *= 2;
  return power;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t divisor_of_index(ir_index x) { return power_in((int64_t)ir_index_divisor(x)); }

/* What divides the distance, in elements, between neighbours along a dim of a memref. */
static int64_t divisor_of_stride(const ir_value *memref, unsigned dim, unsigned depth) {
  const ir_type *type = memref->type;
  const ir_op *op = memref->op;
  int64_t strides[IR_MAX_RANK], result = 1;
  ir_type_strides(type, strides);
  if (strides[dim] != IR_DYNAMIC)
    return power_in(strides[dim]);
  if (!type->strides) { /* row-major: the product of the extents behind */
    for (unsigned i = dim + 1; i < type->rank; i++)
      result = least(LANE_ACCESS_WIDEST, result * (type->shape[i] == IR_DYNAMIC ? 1 : power_in(type->shape[i])));
    return result;
  }
  bool keeps_dims = op && (op->code == OP_MEMREF_SUBVIEW || op->code == OP_MEMREF_CAST) &&
                    ir_operand(op, 0)->type->rank == type->rank;
  return keeps_dims && depth < MAX_DEPTH ? divisor_of_stride(ir_operand(op, 0), dim, depth + 1) : 1;
}

/* What divides the extent of a dim of a memref. */
static int64_t divisor_of_extent(const ir_value *memref, unsigned dim) {
  const ir_op *op = memref->op;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], steps[IR_MAX_RANK];
  if (memref->type->shape[dim] != IR_DYNAMIC)
    return power_in(memref->type->shape[dim]);
  bool known = op && op->code == OP_MEMREF_SUBVIEW && ir_slice_of(op, offsets, sizes, steps) == memref->type->rank;
  return known ? divisor_of_index(sizes[dim]) : 1;
}

/* What divides the address of a memref's first element, in bytes. */
static int64_t alignment_of(const ir_value *memref, unsigned depth) {
  const ir_op *op = memref->op;
  if (!op || ir_op_has(op, IR_ALLOCATES) || op->code == OP_MEMREF_GET_GLOBAL)
    return LANE_ACCESS_WIDEST;
  if (!ir_op_has(op, IR_VIEW) || depth > MAX_DEPTH)
    return 1;
  int64_t result = alignment_of(ir_operand(op, 0), depth + 1);
  if (op->code != OP_MEMREF_SUBVIEW)
    return result;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], steps[IR_MAX_RANK];
  int64_t bytes = ir_scalar_bits(memref->type->element) / 8;
  unsigned rank = ir_slice_of(op, offsets, sizes, steps);
  for (unsigned i = 0; i < rank; i++)
    result = least(result,
                   divisor_of_index(offsets[i]) * divisor_of_stride(ir_operand(op, 0), i, depth) * (bytes ? bytes : 1));
  return result;
}

/* --------------------------------------------------------------------------------------------------------- accesses */

lane_access lane_access_of(const ir_op *transfer, unsigned base, unsigned rank) {
  lane_access access = {.memref = ir_operand(transfer, base)};
  const ir_map *map = ir_attr_get(transfer, "permutation_map")->map;
  const ir_attr *in_bounds = ir_attr_get(transfer, "in_bounds");
  for (unsigned i = 0; i < access.memref->type->rank; i++)
    access.start[i] = ir_index_of(ir_operand(transfer, base + 1 + i));
  for (unsigned dim = 0; dim < rank; dim++) {
    access.memory_dim[dim] = ir_map_result_dim(map, dim);
    access.scale[dim] = 1;
    if (access.memory_dim[dim] >= 0 && !in_bounds->elements[dim]->value)
      access.bounded |= UINT32_C(1) << access.memory_dim[dim];
  }
  return access;
}

void lane_access_constants(const lane_access *access, const layout *l, int64_t reg, int64_t *constants) {
  int64_t hardware[LAYOUT_NUM_LEVELS] = {[LAYOUT_REGISTER] = reg}, coord[LAYOUT_MAX_RANK];
  layout_eval(l, hardware, coord);
  memset(constants, 0, IR_MAX_RANK * sizeof *constants);
  for (unsigned dim = 0; dim < l->rank; dim++)
    if (access->memory_dim[dim] >= 0)
      constants[access->memory_dim[dim]] += coord[dim] * access->scale[dim];
}

/* Do runs of `run` registers move together? */
static bool can_run(const lane_access *access, const layout *l, int64_t run) {
  const ir_type *type = access->memref->type;
  unsigned last = type->rank - 1u;
  int64_t strides[IR_MAX_RANK], constants[IR_MAX_RANK], next[IR_MAX_RANK];
  int64_t registers = layout_size(l, LAYOUT_REGISTER), bits = ir_scalar_bits(type->element);
  ir_type_strides(type, strides);
  if (run == 1 || !type->rank)
    return run == 1;
  if (access->mask || bits < 8 || registers % run || strides[last] != 1 || run * bits / 8 > LANE_ACCESS_WIDEST ||
      alignment_of(access->memref, 0) % (run * bits / 8) || divisor_of_index(access->start[last]) % run)
    return false;
  for (unsigned i = 0; i < last; i++)
    if (divisor_of_stride(access->memref, i, 0) % run)
      return false;
  if (access->bounded >> last & 1 && divisor_of_extent(access->memref, last) % run)
    return false;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level != LAYOUT_REGISTER && access->memory_dim[digit->dim] == (int)last &&
        digit->dim_stride * access->scale[digit->dim] % run)
      return false;
  }
  for (int64_t r = 0; r < registers; r++) {
    lane_access_constants(access, l, r, r % run ? next : constants);
    if (r % run) {
      next[last] -= r % run;
      if (memcmp(next, constants, sizeof next))
        return false;
    } else if (constants[last] % run) {
      return false;
    }
  }
  return true;
}

int64_t lane_access_run(const lane_access *access, const layout *l) {
  int64_t run = LANE_ACCESS_WIDEST;
  while (!can_run(access, l, run))
    run /= 2;
  return run;
}

int64_t lane_access_copy_run(const lane_access *from, const lane_access *to, const layout *l, const ir_value *padding) {
  int64_t run = lane_access_run(from, l);
  ir_cell zero;
  bool zeros = !from->bounded || (ir_value_splat(padding, &zero) && !zero.i); /* the bits of +0.0 are 0, too */
  if (to) {
    run = least(run, lane_access_run(to, l));
    zeros &= to->memref->type->space == IR_SPACE_WORKGROUP && !to->bounded && !to->mask;
  }
  bool copies = zeros && from->memref->type->space == IR_SPACE_GLOBAL && !from->mask &&
                run * ir_scalar_bits(from->memref->type->element) / 8 >= LEAST_COPY;
  return copies ? run : 0;
}
