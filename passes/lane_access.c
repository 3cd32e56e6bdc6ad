/* lane_access.c - which registers of a lane move together; see lane_access.h.
 *
 * That they are aligned is proven (alignment.h); memory is to 16 bytes, as runtimes promise of arguments.
 * Terminates: loops over registers, dims and digits. */
#include "passes/lane_access.h"

#include "passes/alignment.h"

#include <string.h>

enum { LEAST_COPY = 4 /* bytes */ };

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
  int64_t constants[IR_MAX_RANK], next[IR_MAX_RANK];
  int64_t registers = layout_size(l, LAYOUT_REGISTER), bits = ir_scalar_bits(type->element);
  if (run == 1 || !type->rank)
    return run == 1;
  if (access->mask || bits < 8 || registers % run || ir_type_stride(type, last) != 1 ||
      run * bits / 8 > LANE_ACCESS_WIDEST ||
      alignment_of_memref(access->memref, LANE_ACCESS_WIDEST) % (run * bits / 8) ||
      alignment_of_index(access->start[last]) % run)
    return false;
  for (unsigned i = 0; i < last; i++)
    if (alignment_of_stride(access->memref, i) % run)
      return false;
  if (access->bounded >> last & 1 && alignment_of_extent(access->memref, last) % run)
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
    int64_t other = lane_access_run(to, l);
    run = run < other ? run : other;
    zeros &= to->memref->type->space == IR_SPACE_WORKGROUP && !to->bounded && !to->mask;
  }
  bool copies = zeros && from->memref->type->space == IR_SPACE_GLOBAL && !from->mask &&
                run * ir_scalar_bytes(from->memref->type->element) >= LEAST_COPY;
  return copies ? run : 0;
}

bool lane_access_in_order(const lane_access *access, unsigned rank) {
  for (unsigned dim = 0; dim < rank; dim++)
    if (access->memory_dim[dim] < 0 || (dim && access->memory_dim[dim] <= access->memory_dim[dim - 1]))
      return false;
  return access->memory_dim[rank - 1] == access->memref->type->rank - 1;
}

int64_t lane_access_at_once(const lane_access *access, const layout *l) {
  layout ordered = layout_coalesce(l); /* by dim stride */
  int64_t run = lane_access_run(access, l);
  for (unsigned i = 0; i < ordered.num_digits; i++) {
    const layout_digit *digit = &ordered.digits[i];
    if (digit->dim + 1 == l->rank && digit->level == LAYOUT_LANE && digit->dim_stride == run)
      run *= digit->size;
  }
  return run * ir_scalar_bits(access->memref->type->element) / 8;
}
