/* stage_place.c - which tiles go through shared memory, and where they lie there: the swizzle or the padding of rows,
 * and how far apart lanes copy, with which those who copy and those who read wait least for each other.
 *
 * Banks are counted, by layout_wavefronts and layout_shared_conflicts: nothing but speed depends on the choice.
 * Terminates: loops over places, lanes and uses; a transpose that is followed has no other one behind it. */
#include "passes/distribute.h"
#include "passes/stage.h"

enum {
  MAX_APART = 8,    /* rows */
  MAX_SHIFT = 4,    /* of rows that have one order of chunks */
  CERTAIN = 16,     /* wavefronts that half a warp may take are less than one of eight lanes */
  MATRIX_BITS = 16, /* of elements that ldmatrix reads */
  BOX_UNIT = 8,     /* rows that a swizzle repeats after */
};

bool stage_is_transposed_factor(const ir_op *op) {
  bool only = op->code == OP_VECTOR_TRANSPOSE;
  for (const ir_use *use = only ? op->results[0].uses : NULL; use; use = use->next)
    only &= stage_is_factor(use);
  return only;
}

/* The bytes of each access of a warp to a tile, all of which are like the first, and where that is for each lane. */
static int64_t first_access(const anchor_lanes *lanes, const layout_shared *place, const layout *l, int64_t bits,
                            int64_t *offset) {
  int64_t coord[LAYOUT_MAX_RANK], scale[LAYOUT_MAX_RANK];
  for (unsigned dim = 0; dim < l->rank; dim++)
    scale[dim] = dim + 1 < l->rank ? LAYOUT_CHUNK * 8 / bits : 1; /* rows are as good as aligned to a chunk */
  for (int64_t lane = 0; lane < lanes->warp; lane++) {
    int64_t row = 0;
    layout_eval(l, (int64_t[LAYOUT_NUM_LEVELS]){[LAYOUT_LANE] = lane}, coord);
    for (unsigned dim = 0; dim + 1 < l->rank; dim++)
      row = row * layout_extent(l, dim) + coord[dim];
    offset[lane] = layout_shared_offset(place, row, coord[l->rank - 1] * bits / 8);
  }
  return layout_run(l, scale, LAYOUT_CHUNK * 8 / bits) * bits / 8;
}

int64_t stage_extra_wavefronts(const anchor_lanes *lanes, const layout_shared *place, const layout *l, int64_t bits) {
  int64_t offset[LAYOUT_MAX_LANES], bytes = first_access(lanes, place, l, bits, offset), run = bytes * 8 / bits;
  int64_t at_once = LAYOUT_BANKED / bytes, least = at_once < lanes->warp ? lanes->warp / at_once : 1;
  return (layout_wavefronts(offset, (unsigned)lanes->warp, bytes) - least) * layout_size(l, LAYOUT_REGISTER) / run;
}

/* The same of half a warp at once, where so many lanes share what they want that this can be. */
static int64_t extra_of_halves(const stager *s, const layout_shared *place, const layout *l, int64_t bits) {
  int64_t offset[LAYOUT_MAX_LANES], bytes = first_access(&s->lanes, place, l, bits, offset), extra = 0;
  for (int64_t first = 0, half = s->lanes.warp / 2; first < s->lanes.warp; first += half) {
    int64_t different[LAYOUT_MAX_LANES];
    unsigned count = 0, i;
    for (int64_t lane = first; lane < first + half; lane++) {
      for (i = 0; i < count && different[i] != offset[lane]; i++)
        ;
      different[i] = offset[lane];
      count += i == count;
    }
    extra += count * bytes <= LAYOUT_BANKED ? layout_wavefronts(different, count, bytes) - 1 : 0;
  }
  return extra;
}

/* The step of a product of lanes that such a use reads; dims are those of the factor. False: it is none. */
static bool find_step(const stager *s, const ir_use *use, layout *step) {
  return stage_is_factor(use) && target_has_lane_block(s->facts, ir_operand(use->user, 0)->type->element) &&
         distribute_product_step(use->user, ir_use_index(use), step);
}

/* Is all that is done with the value, transposed or not, a product of lanes in steps? */
static bool is_for_steps(const stager *s, const ir_value *value) {
  layout step;
  bool all = value->uses;
  for (const ir_use *use = value->uses; use && all; use = use->next)
    all = stage_is_transposed_factor(use->user) ? is_for_steps(s, ir_result(use->user, 0)) : find_step(s, use, &step);
  return all;
}

/* The same wavefronts for steps of products of lanes, all of the tile. `permutation`: from dims of the value to those
 * of the tile, or NULL. */
static int64_t extra_of_steps(const stager *s, const ir_value *value, const layout_shared *place,
                              const int64_t *permutation) {
  int64_t extra = 0, bits = ir_scalar_bits(value->type->element), pitch[] = {LAYOUT_BANKED * LAYOUT_BANKED, 1};
  layout step;
  for (const ir_use *use = value->uses; use; use = use->next) {
    unsigned count;
    if (!find_step(s, use, &step)) {
      extra += extra_of_steps(s, ir_result(use->user, 0), place, ir_attr_i64s_of(use->user, "permutation", &count));
      continue;
    }
    for (unsigned i = 0; permutation && i < step.num_digits; i++)
      step.digits[i].dim = (unsigned)permutation[step.digits[i].dim];
    step = shared_form_order(&step, pitch);
    extra += stage_extra_wavefronts(&s->lanes, place, &step, bits) * CERTAIN + extra_of_halves(s, place, &step, bits);
  }
  return extra;
}

/* The same for those who read the tile: for ldmatrix where they are matrix units, else in the layout that they want. */
static int64_t extra_of_users(const stager *s, const staged_tile *tile, const layout_shared *place) {
  const ir_value *value = ir_result(tile->read, 0);
  int64_t bits = ir_scalar_bits(value->type->element), extra = 0;
  int64_t row = value->type->shape[value->type->rank - 1] * bits / 8;
  if (value->type->rank == 2 && is_for_steps(s, value))
    return extra_of_steps(s, value, place, NULL);
  for (const ir_use *use = value->uses; use; use = use->next) {
    bool transposed = stage_is_transposed_factor(use->user);
    layout l = distribute_layout(transposed ? ir_result(use->user, 0) : value);
    unsigned count;
    const int64_t *permutation = transposed ? ir_attr_i64s_of(use->user, "permutation", &count) : NULL;
    for (unsigned i = 0; permutation && i < l.num_digits; i++)
      l.digits[i].dim = (unsigned)permutation[l.digits[i].dim];
    bool matrices = bits == MATRIX_BITS && (transposed || stage_is_factor(use));
    extra += matrices ? (layout_shared_conflicts(place, row) - 1) * layout_size(&l, LAYOUT_REGISTER)
                      : stage_extra_wavefronts(&s->lanes, place, &l, bits);
  }
  return extra * CERTAIN;
}

/* Contractions of warpgroups read boxes. */
static layout_shared usual_place(const stager *s, const staged_tile *tile, int64_t row) {
  const ir_value *value = ir_result(tile->read, 0);
  bool boxes =
      target_has_groups(s->facts, value->type->element) && value->type->shape[value->type->rank - 2] % BOX_UNIT == 0;
  for (const ir_use *use = value->uses; use && boxes; use = use->next)
    boxes = stage_is_factor(use) || stage_is_transposed_factor(use->user);
  return boxes ? layout_shared_boxes(row) : layout_shared_choose(row);
}

/* The place of a tile that steps of products of lanes read with the fewest wavefronts: as it is, or with as few orders
 * of chunks as it takes, so that many rows of a lane share one. */
static layout_shared place_for_steps(const stager *s, const staged_tile *tile, int64_t row) {
  const layout_shared usual = layout_shared_choose(row);
  layout_shared best = {.pitch = row};
  int64_t least = extra_of_users(s, tile, &best);
  for (unsigned mask = 1; mask <= usual.mask; mask = 2 * mask + 1)
    for (unsigned shift = 0; shift <= MAX_SHIFT; shift++) {
      layout_shared place = {.pitch = row, .shift = shift, .mask = mask};
      int64_t extra = extra_of_users(s, tile, &place);
      best = extra < least ? place : best;
      least = extra < least ? extra : least;
    }
  return best;
}

/* Where a tile is, and how lanes copy it `run` elements at a time: in the usual way, or with as much padding, and lanes
 * as many rows apart, as it takes for nobody to wait. */
static void choose_place(const stager *s, staged_tile *tile, int64_t run) {
  const ir_type *type = ir_result(tile->read, 0)->type;
  int64_t bits = ir_scalar_bits(type->element), row = type->shape[type->rank - 1] * bits / 8, least = INT64_MAX;
  for (int64_t padding = -1; padding < STAGE_MAX_PADDING && least; padding++)
    for (int64_t apart = 1; apart <= MAX_APART && least; apart *= 2) {
      layout_shared place = padding < 0 ? tile->for_steps ? place_for_steps(s, tile, row) : usual_place(s, tile, row)
                                        : (layout_shared){.pitch = row + padding * LAYOUT_CHUNK};
      layout copied = anchor_copy(type, &s->lanes, run, apart);
      int64_t extra =
          stage_extra_wavefronts(&s->lanes, &place, &copied, bits) * CERTAIN + extra_of_users(s, tile, &place);
      if (extra >= least)
        continue;
      least = extra;
      tile->shared = place;
      tile->copied = copied;
    }
}

/* Is some element held by several lanes or warps? */
static bool is_replicated(const layout *l) {
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].level != LAYOUT_REGISTER && !l->digits[i].dim_stride && l->digits[i].size > 1)
      return true;
  return false;
}

bool stage_find_tile(const stager *s, ir_op *read, staged_tile *tile) {
  const ir_type *type = ir_result(read, 0)->type, *memory = ir_operand(read, 0)->type;
  int64_t bits = ir_scalar_bits(type->element), elements = ir_type_num_elements(type);
  if (memory->kind != IR_TYPE_MEMREF || memory->space != IR_SPACE_GLOBAL || type->rank < 2 || bits < 8 ||
      ir_group_size(read, 3) || !ir_attr_get(read, PASS_LAYOUTS))
    return false;
  layout l = distribute_layout(ir_result(read, 0));
  lane_access access = lane_access_of(read, 0, type->rank);
  int64_t row = type->shape[type->rank - 1] * bits / 8;
  int64_t fetched = lane_access_at_once(&access, &l);
  layout widest = anchor_copy(type, &s->lanes, LAYOUT_CHUNK * 8 / bits, 1);
  bool is_read_as_it_is = (!is_replicated(&l) && fetched >= STAGE_SECTOR) || layout_equal(&l, &widest);
  bool for_steps = type->rank == 2 && is_for_steps(s, ir_result(read, 0));
  if (!lane_access_in_order(&access, type->rank) || row % LAYOUT_CHUNK || (is_read_as_it_is && !for_steps) ||
      elements * bits / 8 < LAYOUT_CHUNK * s->lanes.warp * s->lanes.warps)
    return false;
  *tile = (staged_tile){.read = read, .for_steps = for_steps};
  int64_t run = lane_access_copy_run(&access, NULL, &widest, ir_group_operand(read, 2, 0));
  tile->asynchronous = run > 0;
  if (is_read_as_it_is && !run)
    return false;
  choose_place(s, tile, run ? run : lane_access_run(&access, &widest));
  int64_t pitch = tile->shared.box ? row : tile->shared.pitch;
  tile->pitch = pitch * 8 / bits;
  tile->bytes = elements / type->shape[type->rank - 1] * pitch;
  return true;
}
