/* layout.c - the algebra of digit lists; see layout.h.
 *
 * Every operation is a loop over digits (at most LAYOUT_MAX_DIGITS); results that would need more are refused by
 * layout_parse and layout_refine and cannot arise elsewhere, since tiling and expanding add at most one digit a dim. */
#include "passes/layout.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const layout_row rows[] = {
#define HARDWARE_LAYOUT(NAME, LANES, WARPS, TEXT, DOC) {NAME, TEXT, DOC, LANES, WARPS},
#include "passes/layout.def"
#undef HARDWARE_LAYOUT
};

unsigned layout_count(void) { return sizeof rows / sizeof *rows; }
const layout_row *layout_get(unsigned i) { return &rows[i]; }

static void add_digit(layout *l, layout_digit digit) {
  assert(l->num_digits < LAYOUT_MAX_DIGITS);
  l->digits[l->num_digits++] = digit;
}

/* ----------------------------------------------------------------------------------------------------------- text */

static const char level_letters[] = "RLWB";

/* A number of 1 .. 2^30 (or 0 where allowed); 0 characters read means none. */
static size_t read_number(const char *at, int64_t *value) {
  size_t n = 0;
  for (*value = 0; isdigit((unsigned char)at[n]) && n < 10; n++)
    *value = *value * 10 + (at[n] - '0');
  return *value <= (int64_t)1 << 30 ? n : 0;
}

/* "L8@4" with an optional ":16"; advances *at. `running` is the dim stride of the next plain digit. */
static bool read_digit(const char **at, unsigned dim, int64_t *running, layout *l) {
  const char *letter = memchr(level_letters, **at, 4);
  layout_digit digit = {.dim = dim, .dim_stride = *running};
  if (!letter || l->num_digits == LAYOUT_MAX_DIGITS)
    return false;
  digit.level = (layout_level)(letter - level_letters);
  size_t n = read_number(++*at, &digit.size);
  if (!n || !digit.size || (*at)[n] != '@')
    return false;
  *at += n + 1;
  n = read_number(*at, &digit.hardware_stride);
  if (!n || !digit.hardware_stride)
    return false;
  *at += n;
  if (**at == ':') {
    n = read_number(++*at, &digit.dim_stride);
    if (!n)
      return false;
    *at += n;
  }
  if (digit.dim_stride)
    *running = digit.dim_stride * digit.size;
  add_digit(l, digit);
  return *running <= (int64_t)1 << 40;
}

bool layout_parse(const char *text, layout *result, const char **why) {
  for (unsigned i = 0; i < layout_count(); i++)
    if (!strcmp(rows[i].name, text)) {
      bool good = layout_parse(rows[i].text, result, why);
      assert(good);
      return good;
    }
  *result = (layout){0};
  *why = "a layout is a name that `tcc-attn list layouts` shows, or chains of digits such as [L8@4 R2@2, R2@1 L4@1]";
  if (*text++ != '[')
    return false;
  int64_t running = 1;
  for (unsigned dim = 0;; text++) {
    text += strspn(text, " \t\n");
    if (*text == ',' || *text == ']') {
      result->rank = ++dim;
      running = 1;
      if (*text == ']')
        break;
      if (dim == LAYOUT_MAX_RANK) {
        *why = "a layout has at most 8 dims";
        return false;
      }
      continue;
    }
    if (!read_digit(&text, dim, &running, result)) {
      *why = "a digit is a level (R, L, W or B), a size, @ and a stride: L8@4; a layout has at most 48 of them";
      return false;
    }
    text--;
  }
  text++;
  if (text[strspn(text, " \t\n")]) {
    *why = "text after the closing ]";
    return false;
  }
  result->fragment = layout_size(result, LAYOUT_REGISTER);
  return true;
}

int layout_print(const layout *l, char *out, size_t capacity) {
  int used = snprintf(out, capacity, "[");
  for (unsigned dim = 0; dim < l->rank; dim++) {
    int64_t running = 1;
    const char *separator = dim ? ", " : "";
    for (unsigned i = 0; i < l->num_digits; i++) {
      const layout_digit *d = &l->digits[i];
      if (d->dim != dim)
        continue;
      size_t rest = (size_t)used < capacity ? capacity - (size_t)used : 0;
      used += snprintf(rest ? out + used : NULL, rest, "%s%c%lld@%lld", separator, level_letters[d->level],
                       (long long)d->size, (long long)d->hardware_stride);
      if (d->dim_stride != running) {
        rest = (size_t)used < capacity ? capacity - (size_t)used : 0;
        used += snprintf(rest ? out + used : NULL, rest, ":%lld", (long long)d->dim_stride);
      }
      if (d->dim_stride)
        running = d->dim_stride * d->size;
      separator = " ";
    }
    if (separator[0] == ',' && dim) { /* an empty chain */
      size_t rest = (size_t)used < capacity ? capacity - (size_t)used : 0;
      used += snprintf(rest ? out + used : NULL, rest, "%s", separator);
    }
  }
  size_t rest = (size_t)used < capacity ? capacity - (size_t)used : 0;
  return used + snprintf(rest ? out + used : NULL, rest, "]");
}

/* ------------------------------------------------------------------------------------------------- maps both ways */

int64_t layout_size(const layout *l, layout_level level) {
  int64_t size = 1;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *d = &l->digits[i];
    if (d->level == level && d->hardware_stride * d->size > size)
      size = d->hardware_stride * d->size;
  }
  return size;
}

int64_t layout_extent(const layout *l, unsigned dim) {
  int64_t extent = 1;
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].dim == dim)
      extent += (l->digits[i].size - 1) * l->digits[i].dim_stride;
  return extent;
}

void layout_eval(const layout *l, const int64_t hardware[LAYOUT_NUM_LEVELS], int64_t *coord) {
  memset(coord, 0, l->rank * sizeof *coord);
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *d = &l->digits[i];
    coord[d->dim] += layout_position(d, hardware[d->level]) * d->dim_stride;
  }
}

void layout_invert(const layout *l, const int64_t *coord, int64_t hardware[LAYOUT_NUM_LEVELS]) {
  memset(hardware, 0, LAYOUT_NUM_LEVELS * sizeof *hardware);
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *d = &l->digits[i];
    if (d->dim_stride)
      hardware[d->level] += coord[d->dim] / d->dim_stride % d->size * d->hardware_stride;
  }
}

/* -------------------------------------------------------------------------------------------------- canonical form */

static int compare_digits(const void *left, const void *right) {
  const layout_digit *a = left, *b = right;
  int64_t keys[][2] = {{!a->dim_stride, !b->dim_stride},
                       {a->dim_stride ? a->dim : 0, b->dim_stride ? b->dim : 0},
                       {a->dim_stride, b->dim_stride},
                       {a->level, b->level},
                       {a->hardware_stride, b->hardware_stride}};
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static bool continues(const layout_digit *a, const layout_digit *b) {
  return a->level == b->level && a->hardware_stride * a->size == b->hardware_stride &&
         a->dim_stride * a->size == b->dim_stride && (!a->dim_stride || a->dim == b->dim);
}

layout layout_coalesce(const layout *l) {
  layout result = {.rank = l->rank, .fragment = l->fragment};
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].size > 1) {
      layout_digit digit = l->digits[i];
      if (!digit.dim_stride)
        digit.dim = 0; /* replication belongs to no dim */
      add_digit(&result, digit);
    }
  qsort(result.digits, result.num_digits, sizeof *result.digits, compare_digits);
  unsigned kept = 0;
  for (unsigned i = 0; i < result.num_digits; i++) {
    if (kept && continues(&result.digits[kept - 1], &result.digits[i]))
      result.digits[kept - 1].size *= result.digits[i].size;
    else
      result.digits[kept++] = result.digits[i];
  }
  result.num_digits = kept;
  return result;
}

bool layout_equal(const layout *a, const layout *b) {
  layout x = layout_coalesce(a), y = layout_coalesce(b);
  if (x.rank != y.rank || x.num_digits != y.num_digits)
    return false;
  for (unsigned i = 0; i < x.num_digits; i++)
    if (compare_digits(&x.digits[i], &y.digits[i]) || x.digits[i].size != y.digits[i].size)
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------ refinement */

/* The ends of all digits of a dim, in order, without repeats. */
typedef struct cut_points {
  int64_t at[4 * LAYOUT_MAX_DIGITS];
  unsigned count;
} cut_points;

static int compare_cuts(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void add_cuts(cut_points *cuts, const layout *l, unsigned dim) {
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].dim == dim && l->digits[i].dim_stride) {
      cuts->at[cuts->count++] = l->digits[i].dim_stride;
      cuts->at[cuts->count++] = l->digits[i].dim_stride * l->digits[i].size;
    }
}

/* Sorted and unique; false where one does not divide the next. */
static bool order_cuts(cut_points *cuts) {
  qsort(cuts->at, cuts->count, sizeof *cuts->at, compare_cuts);
  unsigned kept = 0;
  for (unsigned i = 0; i < cuts->count; i++)
    if (!kept || cuts->at[kept - 1] != cuts->at[i])
      cuts->at[kept++] = cuts->at[i];
  cuts->count = kept;
  for (unsigned i = 1; i < kept; i++)
    if (cuts->at[i] % cuts->at[i - 1])
      return false;
  return true;
}

static bool split_at(const cut_points *cuts, const layout *l, unsigned dim, layout *out) {
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *d = &l->digits[i];
    if (d->dim != dim || !d->dim_stride)
      continue;
    for (unsigned c = 0; c + 1 < cuts->count; c++) {
      int64_t from = cuts->at[c], to = cuts->at[c + 1];
      if (from < d->dim_stride || to > d->dim_stride * d->size)
        continue;
      if (out->num_digits == LAYOUT_MAX_DIGITS)
        return false;
      add_digit(out, (layout_digit){d->level, dim, to / from, d->hardware_stride * (from / d->dim_stride), from});
    }
  }
  return true;
}

bool layout_refine(const layout *a, const layout *b, layout *refined_a, layout *refined_b) {
  layout x = layout_coalesce(a), y = layout_coalesce(b);
  *refined_a = (layout){.rank = a->rank, .fragment = a->fragment};
  *refined_b = (layout){.rank = b->rank, .fragment = b->fragment};
  for (unsigned dim = 0; dim < a->rank; dim++) {
    cut_points cuts = {.count = 0};
    add_cuts(&cuts, &x, dim);
    add_cuts(&cuts, &y, dim);
    if (!order_cuts(&cuts) || !split_at(&cuts, &x, dim, refined_a) || !split_at(&cuts, &y, dim, refined_b))
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------- changes of shape */

layout layout_permute(const layout *l, const unsigned *permutation) {
  layout result = *l;
  for (unsigned i = 0; i < l->num_digits; i++)
    for (unsigned dim = 0; dim < l->rank; dim++)
      if (permutation[dim] == l->digits[i].dim)
        result.digits[i].dim = dim;
  return result;
}

/* Renumbers registers so that the remaining digits are dense, keeping their order. */
static void close_register_gaps(layout *l) {
  int64_t next = 1, floor = 0;
  for (;;) {
    layout_digit *lowest = NULL;
    for (unsigned i = 0; i < l->num_digits; i++) {
      layout_digit *d = &l->digits[i];
      if (d->level == LAYOUT_REGISTER && d->hardware_stride > floor &&
          (!lowest || d->hardware_stride < lowest->hardware_stride))
        lowest = d;
    }
    if (!lowest)
      break;
    floor = lowest->hardware_stride;
    lowest->hardware_stride = next; /* next <= the old stride, so no digit is met twice */
    next *= lowest->size;
  }
  l->fragment = next < l->fragment ? next : l->fragment;
}

layout layout_project(const layout *l, unsigned dim) {
  layout result = {.rank = l->rank - 1, .fragment = l->fragment};
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit digit = l->digits[i];
    if (digit.dim == dim && digit.level == LAYOUT_REGISTER)
      continue;
    if (digit.dim == dim)
      digit = (layout_digit){digit.level, 0, digit.size, digit.hardware_stride, 0};
    else if (digit.dim > dim)
      digit.dim--;
    add_digit(&result, digit);
  }
  close_register_gaps(&result);
  return result;
}

layout layout_insert_dim(const layout *l, unsigned dim) {
  layout result = *l;
  result.rank++;
  for (unsigned i = 0; i < l->num_digits; i++)
    result.digits[i].dim += l->digits[i].dim >= dim;
  return result;
}

layout layout_tile(const layout *l, const int64_t *counts) {
  layout result = *l;
  int64_t next = layout_size(l, LAYOUT_REGISTER);
  for (unsigned dim = 0; dim < l->rank; dim++)
    if (counts[dim] > 1) {
      add_digit(&result, (layout_digit){LAYOUT_REGISTER, dim, counts[dim], next, layout_extent(l, dim)});
      next *= counts[dim];
    }
  return result;
}

bool layout_expand(const layout *l, unsigned dim, int64_t inner, layout *result) {
  *result = (layout){.rank = l->rank + 1, .fragment = l->fragment};
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit digit = l->digits[i];
    if (digit.dim != dim || !digit.dim_stride) {
      digit.dim += digit.dim > dim;
      add_digit(result, digit);
      continue;
    }
    int64_t below = digit.dim_stride < inner ? inner / digit.dim_stride : 1; /* values of the digit that stay inside */
    if (digit.dim_stride < inner ? inner % digit.dim_stride || (below < digit.size && digit.size % below)
                                 : digit.dim_stride % inner)
      return false;
    int64_t size = below < digit.size ? below : digit.size;
    if (size > 1)
      add_digit(result, (layout_digit){digit.level, dim + 1, size, digit.hardware_stride, digit.dim_stride});
    if (digit.size > size)
      add_digit(result, (layout_digit){digit.level, dim, digit.size / size, digit.hardware_stride * size,
                                       digit.dim_stride * size / inner});
  }
  return true;
}

layout layout_collapse(const layout *l, unsigned dim) {
  layout result = *l;
  int64_t inner = layout_extent(l, dim + 1);
  result.rank--;
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit *d = &result.digits[i];
    if (d->dim == dim)
      d->dim_stride *= inner;
    d->dim -= d->dim > dim;
  }
  return result;
}

/* ------------------------------------------------------------------------------------------------------- conversion */

/* The cost of turning one refined digit into its counterpart. */
static layout_conversion digit_cost(const layout_digit *from, const layout_digit *to) {
  if (from->level == to->level && from->hardware_stride == to->hardware_stride)
    return LAYOUT_IDENTITY;
  if (from->level == LAYOUT_REGISTER && to->level == LAYOUT_REGISTER)
    return LAYOUT_REGISTERS;
  return from->level > LAYOUT_LANE || to->level > LAYOUT_LANE ? LAYOUT_SHARED : LAYOUT_SHUFFLE;
}

layout_conversion layout_classify(const layout *from, const layout *to) {
  layout a, b;
  layout_conversion worst = LAYOUT_IDENTITY;
  if (from->rank != to->rank)
    return LAYOUT_SHARED;
  /* Where the source is replicated along a whole dim, every lane has what the target wants there. */
  layout wanted = *to;
  wanted.num_digits = 0;
  for (unsigned i = 0; i < to->num_digits; i++) {
    bool held = layout_extent(from, to->digits[i].dim) == 1 && layout_extent(to, to->digits[i].dim) > 1;
    if (held)
      worst = LAYOUT_REGISTERS;
    else
      add_digit(&wanted, to->digits[i]);
  }
  if (!layout_refine(from, &wanted, &a, &b))
    return LAYOUT_SHARED;
  for (unsigned dim = 0; dim < from->rank; dim++) {
    if (layout_extent(&a, dim) != layout_extent(&b, dim))
      return LAYOUT_SHARED;
    unsigned k = 0;
    for (unsigned i = 0; i < a.num_digits; i++) {
      if (a.digits[i].dim != dim)
        continue;
      while (b.digits[k].dim != dim)
        k++;
      layout_conversion cost = digit_cost(&a.digits[i], &b.digits[k++]);
      worst = cost > worst ? cost : worst;
    }
  }
  /* Register files that differ only by replication in registers were seen above; the same map is the identity. */
  return worst;
}

const char *layout_conversion_name(layout_conversion conversion) {
  static const char *const names[] = {"identity", "register permute", "lane shuffle", "shared memory"};
  return names[conversion];
}

enum { PART_BATCH = 1, PART_VECTOR = 2, PART_LANE = 4 };

/* How many positions each part of the table form tells apart along a dim. */
static void count_parts(const layout *l, unsigned dim, int64_t parts[3]) {
  parts[0] = parts[1] = parts[2] = 1;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->dim != dim || !digit->dim_stride)
      continue;
    int64_t within = digit->hardware_stride < l->fragment ? l->fragment / digit->hardware_stride : 1;
    within = within < digit->size ? within : digit->size;
    if (digit->level != LAYOUT_REGISTER) {
      parts[2] *= digit->size;
    } else {
      parts[0] *= digit->size / within;
      parts[1] *= within;
    }
  }
}

const char *layout_conflict(const layout *a, const layout *b) {
  static const char *const names[] = {[PART_BATCH] = "batch",
                                      [PART_VECTOR] = "vector",
                                      [PART_BATCH | PART_VECTOR] = "batch and vector",
                                      [PART_LANE] = "lane",
                                      [PART_LANE | PART_BATCH] = "batch and lane",
                                      [PART_LANE | PART_VECTOR] = "vector and lane",
                                      [PART_LANE | PART_VECTOR | PART_BATCH] = "batch and vector and lane"};
  unsigned different = 0;
  bool same_extents = true;
  for (unsigned dim = 0; dim < a->rank; dim++) {
    int64_t in_a[3], in_b[3];
    same_extents &= layout_extent(a, dim) == layout_extent(b, dim);
    count_parts(a, dim, in_a);
    count_parts(b, dim, in_b);
    for (unsigned part = 0; part < 3; part++)
      different |= in_a[part] != in_b[part] ? 1u << part : 0;
  }
  if (same_extents && layout_classify(a, b) > LAYOUT_REGISTERS) /* as many lanes, with other elements */
    different |= PART_LANE;
  return names[different];
}

unsigned layout_butterflies(const layout *l, unsigned dim, int64_t *offsets) {
  unsigned count = 0;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *d = &l->digits[i];
    if (d->dim == dim && d->level == LAYOUT_LANE && d->dim_stride)
      for (int64_t step = 1; step < d->size; step *= 2)
        offsets[count++] = step * d->hardware_stride;
  }
  return count;
}

/* ---------------------------------------------------------------------------------------------------- shared memory */

int64_t layout_run(const layout *l, const int64_t *scale, int64_t most) {
  int64_t run = 1;
  bool grows = true;
  while (grows && 2 * run <= most) {
    grows = false;
    for (unsigned i = 0; i < l->num_digits; i++) {
      const layout_digit *digit = &l->digits[i];
      int64_t step = digit->dim_stride * scale[digit->dim], from = digit->hardware_stride;
      bool is_register = digit->level == LAYOUT_REGISTER;
      if (is_register && from <= run && run < from * digit->size)
        grows = step == from && digit->size % (2 * run / from) == 0;
      else if ((!is_register || from > run) && step % (2 * run))
        return run;
    }
    run *= grows ? 2 : 1;
  }
  return run;
}

enum {
  BANK_BYTES = 4,
  NUM_BANKS = LAYOUT_BANKED / BANK_BYTES,
  PHASE_ROWS = 8,
  LONGEST_BOX = 128,
  BOX_DISTANCE = 1 << 20
};

int64_t layout_wavefronts(const int64_t *offset, unsigned lanes, int64_t bytes) {
  int64_t wavefronts = 0;
  unsigned width = bytes <= BANK_BYTES ? NUM_BANKS : (unsigned)(LAYOUT_BANKED / bytes);
  for (unsigned first = 0; first < lanes; first += width) {
    int64_t words[NUM_BANKS][LAYOUT_MAX_LANES], most = 0;
    unsigned used[NUM_BANKS] = {0};
    for (unsigned lane = first; lane < first + width && lane < lanes; lane++)
      for (int64_t word = offset[lane] / BANK_BYTES; offset[lane] >= 0 && word * BANK_BYTES < offset[lane] + bytes;
           word++) {
        unsigned bank = (unsigned)(word % NUM_BANKS), i = 0;
        while (i < used[bank] && words[bank][i] != word)
          i++;
        if (i == used[bank])
          words[bank][used[bank]++] = word;
        most = used[bank] > most ? used[bank] : most;
      }
    wavefronts += most;
  }
  return wavefronts;
}

layout_shared layout_shared_choose(int64_t row_bytes) {
  unsigned doublings = 0; /* of chunks that make a row, up to all banks: 2^doublings rows meet them in turn */
  while (doublings < 3 && row_bytes % (LAYOUT_CHUNK << (doublings + 1)) == 0)
    doublings++;
  return (layout_shared){row_bytes, 3 - doublings, (1u << doublings) - 1};
}

layout_shared layout_shared_boxes(int64_t row_bytes) {
  int64_t box = LONGEST_BOX;
  while (box >= 2 * LAYOUT_CHUNK && row_bytes % box)
    box /= 2;
  if (box < 2 * LAYOUT_CHUNK || box == row_bytes)
    return layout_shared_choose(row_bytes);
  layout_shared boxes = layout_shared_choose(box);
  boxes.box = box;
  return boxes;
}

int64_t layout_shared_offset(const layout_shared *shared, int64_t row, int64_t byte) {
  if (shared->box) {
    layout_shared within = {shared->pitch, shared->shift, shared->mask};
    return byte / shared->box * BOX_DISTANCE + layout_shared_offset(&within, row, byte % shared->box);
  }
  int64_t chunk = byte / LAYOUT_CHUNK ^ (row >> shared->shift & shared->mask);
  return row * shared->pitch + chunk * LAYOUT_CHUNK + byte % LAYOUT_CHUNK;
}

unsigned layout_shared_conflicts(const layout_shared *shared, int64_t row_bytes) {
  int64_t worst = 1, offset[PHASE_ROWS];
  for (int64_t column = 0; column < row_bytes; column += LAYOUT_CHUNK) {
    for (int64_t row = 0; row < PHASE_ROWS; row++)
      offset[row] = layout_shared_offset(shared, row, column);
    int64_t wavefronts = layout_wavefronts(offset, PHASE_ROWS, LAYOUT_CHUNK);
    worst = wavefronts > worst ? wavefronts : worst;
  }
  return (unsigned)worst;
}
