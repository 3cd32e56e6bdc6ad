/* layout_draw.c - layouts for people: the table of digits, the grid of lanes, and an SVG of it. Read-only on
 * layouts. */
#include "passes/layout.h"

static const char *const axis_names[] = {"row", "column"};

static const char *dim_name(const layout *l, unsigned dim, char *buffer, size_t capacity) {
  if (l->rank <= 2)
    return axis_names[dim + (l->rank == 1)];
  snprintf(buffer, capacity, "dim %u", dim);
  return buffer;
}

/* One column of the table: a digit under the heading of its kind. */
static bool write_column(FILE *out, const layout *l, const char *kind, const layout_digit *d) {
  char buffer[16];
  const char *dim = d->dim_stride ? dim_name(l, d->dim, buffer, sizeof buffer) : "replicated";
  return fprintf(out, "%-8s  %-10s  %6lld  %8lld  %8lld\n", kind, dim, (long long)d->size,
                 (long long)d->hardware_stride, (long long)d->dim_stride) > 0;
}

/* The digits of a level whose hardware stride lies in [from, to), the slowest first as the table reads. */
static bool write_level(FILE *out, const layout *l, const char *kind, layout_level level, int64_t from, int64_t to) {
  for (int64_t below = to;;) {
    const layout_digit *next = NULL;
    for (unsigned i = 0; i < l->num_digits; i++) {
      const layout_digit *d = &l->digits[i];
      if (d->level == level && d->hardware_stride >= from && d->hardware_stride < below &&
          (!next || d->hardware_stride > next->hardware_stride))
        next = d;
    }
    if (!next)
      return true;
    if (!write_column(out, l, kind, next))
      return false;
    below = next->hardware_stride;
  }
}

bool layout_write_table(FILE *out, const layout *l) {
  fprintf(out, "%-8s  %-10s  %6s  %8s  %8s\n", "level", "dim", "size", "stride", "moves by");
  return write_level(out, l, "block", LAYOUT_BLOCK, 0, INT64_MAX) &&
         write_level(out, l, "warp", LAYOUT_WARP, 0, INT64_MAX) &&
         write_level(out, l, "batch", LAYOUT_REGISTER, l->fragment, INT64_MAX) &&
         write_level(out, l, "lane", LAYOUT_LANE, 0, INT64_MAX) &&
         write_level(out, l, "vector", LAYOUT_REGISTER, 0, l->fragment);
}

/* The thread (warp * lanes + lane) and register that hold an element. */
static int64_t thread_of(const layout *l, int64_t row, int64_t column, int64_t *reg) {
  int64_t hardware[LAYOUT_NUM_LEVELS], coord[] = {l->rank == 2 ? row : column, column};
  layout_invert(l, coord, hardware);
  *reg = hardware[LAYOUT_REGISTER];
  return hardware[LAYOUT_WARP] * layout_size(l, LAYOUT_LANE) + hardware[LAYOUT_LANE];
}

static int64_t grid_rows(const layout *l) { return l->rank == 2 ? layout_extent(l, 0) : 1; }
static int64_t grid_columns(const layout *l) { return layout_extent(l, l->rank - 1); }

bool layout_write_grid(FILE *out, const layout *l) {
  if (l->rank > 2)
    return fprintf(out, "(a grid needs one or two dims)\n") > 0;
  for (int64_t row = 0; row < grid_rows(l); row++)
    for (int64_t column = 0; column < grid_columns(l); column++) {
      int64_t reg, thread = thread_of(l, row, column, &reg);
      if (fprintf(out, "%s%lld%s", column ? "\t" : "", (long long)thread, column + 1 == grid_columns(l) ? "\n" : "") <
          0)
        return false;
    }
  return true;
}

bool layout_write_svg(FILE *out, const char *title, const layout *l) {
  enum { CELL = 34, MARGIN = 28 };
  if (l->rank > 2)
    return false;
  long long rows = grid_rows(l), columns = grid_columns(l), threads = layout_size(l, LAYOUT_LANE);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" font-family=\"sans-serif\">\n"
          "<title>%s</title>\n<text x=\"4\" y=\"18\" font-size=\"14\">%s: thread, register</text>\n",
          columns * CELL + 8, rows * CELL + MARGIN + 4, title, title);
  for (long long row = 0; row < rows; row++)
    for (long long column = 0; column < columns; column++) {
      int64_t reg, thread = thread_of(l, row, column, &reg);
      long long hue = (thread % threads) * 360 / threads, x = 4 + column * CELL, y = MARGIN + row * CELL;
      fprintf(out,
              "<rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"hsl(%lld,70%%,82%%)\" stroke=\"#666\"/>"
              "<text x=\"%lld\" y=\"%lld\" font-size=\"11\">T%lld</text>"
              "<text x=\"%lld\" y=\"%lld\" font-size=\"9\" fill=\"#444\">r%lld</text>\n",
              x, y, CELL, CELL, hue, x + 4, y + 15, (long long)thread, x + 4, y + 28, (long long)reg);
    }
  return fprintf(out, "</svg>\n") > 0 && !ferror(out);
}
