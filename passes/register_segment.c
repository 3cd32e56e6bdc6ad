/* register_segment.c - see register_segment.h. Terminates: a tile is halved until it is small. */
#include "passes/register_segment.h"

#include "passes/extent.h"

static register_segment known_tiles(int64_t from, int64_t to, int64_t size) {
  return (register_segment){ir_index_const(from), ir_index_const(to), size, (to - from) % size != 0, to - from <= size};
}

/* Few rows that are left over would be too few chains to fill the pipes: they and the last full tile make two that are
 * nearly alike. Lanes that are left over are two tiles where these have fewer registers than one. */
static unsigned static_segments(const register_plan *plan, unsigned loop, int64_t extent, register_segment *segments) {
  bool is_row = (int)loop != plan->simd;
  int64_t step = plan->steps[loop], last = extent % step, other = 0, full = extent - last;
  unsigned count = 0;
  if (is_row && full && last && 2 * last < step) {
    full -= step;
    other = (step + last + 1) / 2;
    last = step + last - other;
  }
  if (full)
    segments[count++] = known_tiles(0, full, step);
  if (other && other == last) {
    segments[count++] = known_tiles(full, extent, last);
    return count;
  }
  if (other)
    segments[count++] = known_tiles(full, full + other, other);
  bool keeps_lanes = plan->partial & ir_bit(loop);
  int64_t size = is_row ? last : keeps_lanes ? step : next_power_of_two(last);
  if (!is_row && !keeps_lanes && 4 * plan->lanes <= size && 4 * last <= 3 * size) {
    segments[count++] = known_tiles(extent - last, extent - last + size / 2, size / 2);
    last -= size / 2;
    size = next_power_of_two(last);
  }
  if (last)
    segments[count++] = known_tiles(extent - last, extent, size);
  return count;
}

ir_index register_whole_tiles(ir_builder *builder, ir_index extent, int64_t step) {
  return step == 1 ? extent : ir_index_scale(builder, ir_index_floordiv(builder, extent, step), step);
}

/* Less than `step` rows are left behind `full`: a tile for each number that they may be. */
static unsigned left_over_segments(ir_builder *builder, ir_index extent, ir_index full, int64_t step,
                                   register_segment *segments) {
  ir_value *end = ir_index_value(builder, extent), *none = ir_index_value(builder, full);
  ir_value *left = ir_index_value(builder, ir_index_sub(builder, extent, full));
  for (unsigned i = 0; i + 1 < step; i++) {
    ir_value *size = ir_const_index(builder, step - 1 - i);
    ir_value *is_left = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, left, size);
    segments[i] =
        (register_segment){full, {.value = ir_select(builder, is_left, end, none)}, step - 1 - i, false, false};
  }
  return (unsigned)step - 1;
}

unsigned register_segments(const ir_op *op, const register_plan *plan, ir_builder *builder, unsigned loop,
                           ir_index extent, bool cut, register_segment *segments) {
  int64_t step = plan->steps[loop];
  if (!extent.value)
    return static_segments(plan, loop, extent.constant, segments);
  bool is_simd = (int)loop == plan->simd;
  int64_t narrow = plan->lanes < step && !(plan->partial & ir_bit(loop)) ? plan->lanes : step;
  int64_t most = extent_bound(extent_of_index(extent));
  unsigned count = 0;
  ir_index full = ir_index_const(0);
  if (step == 1 || most > (is_simd ? narrow : ir_structure_of(op)->reductions ? step - 1 : step)) {
    full = register_whole_tiles(builder, extent, step);
    segments[count++] = (register_segment){ir_index_const(0), full, step, false, false};
  }
  if (step == 1)
    return count;
  if (is_simd) {
    if (4 * narrow <= step && most >= 2 * narrow) { /* one register would be too few chains for most of what is left */
      ir_index part = register_whole_tiles(builder, ir_index_sub(builder, extent, full), 2 * narrow);
      segments[count++] = (register_segment){full, ir_index_add(builder, full, part), 2 * narrow, false, false};
      full = segments[count - 1].to;
    }
    segments[count++] = (register_segment){full, extent, narrow, true, false};
    return count;
  }
  if (cut || !ir_is_contraction(op) || plan->singles & ir_bit(loop)) {
    segments[count++] = (register_segment){full, extent, 1, false, false};
    return count;
  }
  int64_t size = step;
  for (; size > plan->left_over; size /= 2) {
    if (most < size / 2)
      continue;
    ir_index part = register_whole_tiles(builder, ir_index_sub(builder, extent, full), size / 2);
    segments[count++] = (register_segment){full, ir_index_add(builder, full, part), size / 2, false, false};
    full = segments[count - 1].to;
  }
  return count + left_over_segments(builder, extent, full, size, &segments[count]);
}
