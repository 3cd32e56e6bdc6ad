/* shared_form.c - forms of vectors in shared memory, compared by counting; see shared_form.h.
 *
 * What counts is how many wavefronts memory takes (layout_wavefronts). Coordinates are sums of a lane part and a
 * register part, so the registers of a lane only rotate the banks: it suffices to count one access of a use.
 *
 * Every form is a way to number the elements: what it is good for depends on who writes and who reads. Padding helps
 * lanes with neighbouring rows, interleaving those whose rows are a power of two apart, and the other order of dims
 * those that write and read along columns.
 * Terminates: loops over forms, lanes and digits. */
#include "passes/shared_form.h"

#include <string.h>

enum {
  WORD = 4,                  /* bytes of a bank's width */
  WIDEST = 16,               /* and of one access of a lane */
  HALF_BANKS = 4,            /* such accesses meet half of the banks */
  NUM_FORMS = 2 * 2 * 4 * 3, /* both orders, with and without space between 1, 2, 4 or 8 parts, paddings */
};

bool shared_form_layout(const shared_form *form, const layout *l, layout *result) {
  *result = *l;
  return form->interleave == 1 || layout_expand(l, l->rank - (form->swapped ? 1u : 2u), form->interleave, result);
}

int64_t shared_form_scale(const shared_form *form, const layout *whole, int64_t *scale) {
  int64_t size = 1;
  unsigned rank = whole->rank;
  if (rank < 2) {
    scale[0] = 1;
    return rank ? layout_extent(whole, 0) : 1;
  }
  unsigned rows = rank - (form->swapped ? 1u : 2u), columns = 2 * rank - 3 - rows;
  bool parted = form->interleave > 1;
  int64_t pitch = layout_extent(whole, columns) + form->padding, num_rows = layout_extent(whole, rows);
  scale[columns + (parted && columns > rows)] = 1;
  scale[rows] = pitch;
  if (parted)
    scale[rows + 1] = num_rows / form->interleave * pitch + form->between;
  size = num_rows * pitch + form->interleave * form->between;
  for (unsigned dim = rank - 2; dim-- > 0;) {
    scale[dim] = size;
    size *= layout_extent(whole, dim);
  }
  return size;
}

layout shared_form_order(const layout *l, const int64_t *scale) {
  layout result = *l;
  int64_t registers = 1;
  unsigned first = 0;
  for (unsigned i = 0; i < l->num_digits; i++) { /* those of registers to the front, nearest in memory first */
    layout_digit digit = l->digits[i];
    if (digit.level != LAYOUT_REGISTER)
      continue;
    unsigned place = first++;
    memmove(result.digits + place + 1, result.digits + place, (i - place) * sizeof digit);
    for (; place && result.digits[place - 1].dim_stride * scale[result.digits[place - 1].dim] >
                        digit.dim_stride * scale[digit.dim];
         place--)
      result.digits[place] = result.digits[place - 1];
    result.digits[place] = digit;
  }
  for (unsigned i = 0; i < first; i++) {
    result.digits[i].hardware_stride = registers;
    registers *= result.digits[i].size;
  }
  return result;
}

/* --------------------------------------------------------------------------------------------------------- counting */

/* Where a lane's first register is in memory. */
static int64_t offset_of(const layout *l, const int64_t *scale, unsigned lane) {
  int64_t offset = 0;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level == LAYOUT_LANE)
      offset += layout_position(digit, lane) * digit->dim_stride * scale[digit->dim];
  }
  return offset;
}

static bool is_replica(const layout *l, layout_level level, int64_t index) {
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level == level && !digit->dim_stride && layout_position(digit, index))
      return true;
  }
  return false;
}

/* Wavefronts of all accesses of a use, and one for each instruction. */
static int64_t cost_of(const shared_use *use, const layout *placed, const int64_t *scale, const shared_vector *vector) {
  int64_t offset[LAYOUT_MAX_LANES], bytes = vector->bits < 8 ? 1 : vector->bits / 8, accesses = 0;
  layout l = use->any_order ? shared_form_order(placed, scale) : *placed;
  int64_t run = layout_run(&l, scale, WIDEST / bytes);
  for (unsigned lane = 0; lane < vector->warp; lane++)
    offset[lane] = use->writes && is_replica(&l, LAYOUT_LANE, lane) ? -1 : bytes * offset_of(&l, scale, lane);
  for (int64_t r = 0; r < layout_size(&l, LAYOUT_REGISTER); r += run)
    accesses += !use->writes || !is_replica(&l, LAYOUT_REGISTER, r);
  return use->times * accesses * (layout_wavefronts(offset, vector->warp, run * bytes) + 1);
}

/* ----------------------------------------------------------------------------------------------------------- choice */

/* The cost of a form; -1 where it is none for this vector. */
static int64_t cost_of_form(const shared_form *form, const shared_vector *vector, const shared_use uses[2]) {
  int64_t scale[LAYOUT_MAX_RANK], cost = 0;
  layout placed;
  unsigned rows = vector->whole->rank - (form->swapped ? 1u : 2u);
  bool parted = form->interleave > 1;
  if (vector->in_order && (parted || form->swapped))
    return -1;
  if (parted && (vector->whole_dim == (int)rows || vector->whole_dim == SHARED_FORM_ALL ||
                 vector->whole->rank == LAYOUT_MAX_RANK || layout_extent(vector->whole, rows) % form->interleave))
    return -1;
  if (shared_form_scale(form, vector->whole, scale) > vector->room && (form->padding || form->between))
    return -1;
  for (unsigned i = 0; i < 2; i++) {
    if (!shared_form_layout(form, uses[i].l, &placed))
      return -1;
    cost += cost_of(&uses[i], &placed, scale, vector);
  }
  return cost;
}

shared_form shared_form_choose(const shared_vector *vector, const shared_use uses[2]) {
  shared_form best = {.interleave = 1};
  if (vector->whole->rank < 2 || vector->warp > LAYOUT_MAX_LANES)
    return best;
  int64_t bytes = vector->bits < 8 ? 1 : vector->bits / 8;
  const int64_t chunk = WIDEST / bytes, paddings[] = {0, chunk, (WORD + bytes - 1) / bytes};
  int64_t least = cost_of_form(&best, vector, uses);
  for (unsigned i = 0; i < NUM_FORMS; i++) {
    shared_form form = {.swapped = i & 1, .interleave = 1 << (i >> 2 & 3), .padding = paddings[i >> 4]};
    form.between = i & 2 ? HALF_BANKS * chunk : 0;
    int64_t cost = form.between && form.interleave == 1 ? -1 : cost_of_form(&form, vector, uses);
    if (cost < 0 || cost >= least)
      continue;
    best = form;
    least = cost;
  }
  return best;
}
