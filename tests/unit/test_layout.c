/* test_layout.c - the layout algebra, and every hardware layout against its instruction set's own formulas. */
#include "passes/layout.h"
#include "passes/shared_form.h"

#include <criterion/criterion.h>
#include <string.h>

static layout get(const char *text) {
  layout l;
  const char *why = NULL;
  cr_assert(layout_parse(text, &l, &why), "%s: %s", text, why);
  return l;
}

static layout tiled(const char *text, int64_t row, int64_t column) {
  layout l = get(text);
  const int64_t counts[] = {row, column};
  return layout_tile(&l, counts);
}

/* Element formulas: (register, lane, warp) -> (row, column), as the PTX ISA and the DPAS extension write them. */
typedef struct element {
  int64_t row, column;
} element;

static element a16(int r, int l, int w) {
  return (element){l / 4 + 8 * (r / 2 % 2) + 16 * w, l % 4 * 2 + r % 2 + 8 * (r / 4)};
}
static element b16(int r, int l, int w) { return (element){l % 4 * 2 + r % 2 + 8 * (r / 2) + 0 * w, l / 4}; }
static element c16(int r, int l, int w) {
  return (element){l / 4 + 8 * (r / 2 % 2) + 16 * w, l % 4 * 2 + r % 2 + 8 * (r / 4)};
}
static element a_tf32(int r, int l, int w) { return (element){l / 4 + 8 * (r % 2) + 16 * w, l % 4 + 4 * (r / 2)}; }
static element a_tf32_pairs(int r, int l, int w) { return (element){l / 4 + 8 * (r % 2) + 0 * w, 2 * (l % 4) + r / 2}; }
static element b_tf32_pairs(int r, int l, int w) { return (element){2 * (l % 4) + r + 0 * w, l / 4}; }
static element b_tf32(int r, int l, int w) { return (element){l % 4 + 4 * r + 0 * w, l / 4}; }
static element a8(int r, int l, int w) {
  return (element){l / 4 + 8 * (r / 4 % 2) + 16 * w, l % 4 * 4 + r % 4 + 16 * (r / 8)};
}
static element b8(int r, int l, int w) { return (element){l % 4 * 4 + r % 4 + 16 * (r / 4) + 0 * w, l / 4}; }
static element b16_pair(int r, int l, int w) {
  return (element){l % 4 * 2 + r % 2 + 8 * (r / 2 % 2) + 0 * w, l / 4 + 8 * (r / 4)};
}
static element transposed_8x8(int r, int l, int w) { return (element){l % 4 * 2 + r + 0 * w, l / 4}; }
static element rows_by_lanes(int r, int l, int w) { return (element){r + 0 * w, l}; }
static element dpas_a_i8(int r, int l, int w) { return (element){r / 2 + 0 * w, 2 * l + r % 2}; }
static element dpas8_a(int r, int l, int w) { return (element){r / 2 + 0 * w, 2 * l + r % 2}; }
static element dpas8_a_halves(int r, int l, int w) { return (element){r / 2 + 0 * w, l + 8 * (r % 2)}; }
static element dpas8_b_halves(int r, int l, int w) { return (element){r / 2 + 8 * (r % 2) + 0 * w, l}; }
static element dpas8_a_deep(int r, int l, int w) { return (element){r / 4 + 0 * w, 4 * l + r % 4}; }
static element dpas8_wide(int r, int l, int w) { return (element){r / 2 + 0 * w, 2 * l + r % 2}; }
static element dpas8_b_halves_wide(int r, int l, int w) {
  return (element){r / 4 + 8 * (r / 2 % 2) + 0 * w, 2 * l + r % 2};
}
static element dpas_a_tf32(int r, int l, int w) { return (element){2 * r + l / 8 + 0 * w, l % 8}; }
static element two_blocks_16(int r, int l, int w) { return (element){r % 16 + 0 * w, 16 * (r / 16) + l}; }
static element two_blocks_32(int r, int l, int w) { return (element){r % 32 + 0 * w, 16 * (r / 32) + l}; }
static element simd_6x16(int r, int l, int w) { return (element){r / 2 + 0 * w, l + 8 * (r % 2)}; }
static element simd_14x32(int r, int l, int w) { return (element){r / 2 + 0 * w, l + 16 * (r % 2)}; }

static const struct {
  const char *name;
  element (*formula)(int r, int l, int w);
  int registers, rows, columns;
} formulas[] = {
    {"mma.m16n8k16.a", a16, 8, 16, 16},
    {"mma.m16n8k16.b", b16, 4, 16, 8},
    {"mma.m16n8.c", c16, 4, 16, 8},
    {"mma.m16n8k8.f16.a", c16, 4, 16, 8},
    {"mma.m16n8k8.f16.b", b16, 2, 8, 8},
    {"mma.m16n8k8.tf32.a", a_tf32, 4, 16, 8},
    {"mma.m16n8k8.tf32.b", b_tf32, 2, 8, 8},
    {"mma.m16n8k8.tf32.a.pairs", a_tf32_pairs, 4, 16, 8},
    {"mma.m16n8k8.tf32.b.pairs", b_tf32_pairs, 2, 8, 8},
    {"mma.m16n8k32.a", a8, 16, 16, 32},
    {"mma.m16n8k32.b", b8, 8, 32, 8},
    {"ldmatrix.x1", c16, 2, 8, 8},
    {"ldmatrix.x1.trans", transposed_8x8, 2, 8, 8},
    {"ldmatrix.x4.a", a16, 8, 16, 16},
    {"ldmatrix.x4.b", b16_pair, 8, 16, 16},
    {"wgmma.m64n8.d", c16, 4, 64, 8},
    {"wgmma.m64n64.d", c16, 32, 64, 64},
    {"wgmma.m64n128.d", c16, 64, 64, 128},
    {"wgmma.m64n256.d", c16, 128, 64, 256},
    {"wgmma.m64k16.a", a16, 8, 64, 16},
    {"wgmma.m64k32.a", a8, 16, 64, 32},
    {"wgmma.m64k8.a", a_tf32, 4, 64, 8},
    {"dpas.a.f16", rows_by_lanes, 8, 8, 16},
    {"dpas.b.f16", rows_by_lanes, 16, 16, 16},
    {"dpas.c.f32", rows_by_lanes, 8, 8, 16},
    {"dpas8.a", dpas8_a, 16, 8, 16},
    {"dpas8.b", rows_by_lanes, 16, 16, 8},
    {"dpas8.a.halves", dpas8_a_halves, 16, 8, 16},
    {"dpas8.b.halves", dpas8_b_halves, 16, 16, 8},
    {"dpas8.a.deep", dpas8_a_deep, 32, 8, 32},
    {"dpas8.b.deep", rows_by_lanes, 32, 32, 8},
    {"dpas8.b.wide", dpas8_wide, 32, 16, 16},
    {"dpas8.b.halves.wide", dpas8_b_halves_wide, 32, 16, 16},
    {"dpas8.c.wide", dpas8_wide, 16, 8, 16},
    {"dpas8.c", rows_by_lanes, 8, 8, 8},
    {"dpas8.m4.a", dpas8_a, 8, 4, 16},
    {"dpas8.m4.a.halves", dpas8_a_halves, 8, 4, 16},
    {"dpas8.m4.a.deep", dpas8_a_deep, 16, 4, 32},
    {"dpas8.m4.c.wide", dpas8_wide, 8, 4, 16},
    {"dpas8.m4.c", rows_by_lanes, 4, 4, 8},
    {"dpas.a.i8", dpas_a_i8, 16, 8, 32},
    {"dpas.b.i8", rows_by_lanes, 32, 32, 16},
    {"dpas.a.tf32", dpas_a_tf32, 4, 8, 8},
    {"dpas.b.tf32", rows_by_lanes, 8, 8, 16},
    {"block2d.r16x2", two_blocks_16, 32, 16, 32},
    {"block2d.r32x2.vnni", two_blocks_32, 64, 32, 32},
    {"block2d.transpose.d32", rows_by_lanes, 16, 16, 16},
    {"avx2.c.6x16", simd_6x16, 12, 6, 16},
    {"avx512.c.14x32", simd_14x32, 28, 14, 32},
};

Test(layout, every_hardware_layout_is_its_formula_and_covers_its_tile_once) {
  cr_assert_eq(sizeof formulas / sizeof *formulas, layout_count());
  for (unsigned i = 0; i < layout_count(); i++) {
    const layout_row *row = layout_get(i);
    cr_assert_str_eq(row->name, formulas[i].name);
    layout l = get(row->name);
    unsigned char seen[64 * 256] = {0};
    cr_assert_eq(layout_size(&l, LAYOUT_REGISTER), formulas[i].registers, "%s", row->name);
    for (int64_t w = 0; w < row->warps; w++)
      for (int64_t lane = 0; lane < row->lanes; lane++)
        for (int64_t r = 0; r < formulas[i].registers; r++) {
          int64_t hardware[] = {r, lane, w, 0}, coord[2], back[LAYOUT_NUM_LEVELS];
          layout_eval(&l, hardware, coord);
          element want = formulas[i].formula((int)r, (int)lane, (int)w);
          cr_assert(coord[0] == want.row && coord[1] == want.column, "%s r%d l%d", row->name, (int)r, (int)lane);
          cr_assert(want.row < formulas[i].rows && want.column < formulas[i].columns);
          cr_assert_eq(seen[want.row * formulas[i].columns + want.column]++, 0, "%s", row->name);
          layout_invert(&l, coord, back);
          cr_assert(!memcmp(hardware, back, sizeof hardware), "%s", row->name);
        }
    cr_assert_eq(layout_extent(&l, 0) * layout_extent(&l, 1), formulas[i].registers * row->lanes * row->warps);
  }
}

Test(layout, text_reads_back_and_bad_text_is_refused) {
  const char *good[] = {"[L8@4 R2@2, R2@1 L4@1 R2@4]", "[R3@1, L5@1 R2@3]", "[L8@1:0 R2@1]", "[R2@1:4 L4@1:1]",
                        "[, R2@1]"};
  for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
    char text[256];
    layout l = get(good[i]);
    cr_assert_lt(layout_print(&l, text, sizeof text), (int)sizeof text);
    layout again = get(text);
    cr_assert(layout_equal(&l, &again), "%s -> %s", good[i], text);
  }
  const char *bad[] = {"",       "[",    "mma",      "[X2@1]",           "[L0@1]",
                       "[L2@0]", "[L2]", "[L2@1] x", "[L99999999999@1]", "[,,,,,,,,R2@1]"};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    layout l;
    const char *why = NULL;
    cr_assert(!layout_parse(bad[i], &l, &why), "%s", bad[i]);
    cr_assert_not_null(why);
  }
}

Test(layout, conversions_are_classified_by_the_cheapest_way) {
  const struct {
    layout from, to;
    layout_conversion want;
  } cases[] = {
      {tiled("mma.m16n8.c", 1, 2), get("mma.m16n8k16.a"), LAYOUT_IDENTITY},
      {tiled("mma.m16n8.c", 1, 16), tiled("mma.m16n8k16.a", 1, 8), LAYOUT_IDENTITY},
      {get("wgmma.m64n128.d"), tiled("wgmma.m64k16.a", 1, 8), LAYOUT_IDENTITY},
      {get("dpas.c.f32"), get("dpas.a.f16"), LAYOUT_IDENTITY},
      {tiled("dpas.c.f32", 1, 2), tiled("dpas.a.f16", 1, 2), LAYOUT_IDENTITY},
      {tiled("mma.m16n8.c", 1, 4), get("mma.m16n8k32.a"), LAYOUT_SHUFFLE},
      {tiled("dpas.c.f32", 1, 2), get("dpas.a.i8"), LAYOUT_SHUFFLE},
      {tiled("dpas8.c", 1, 2), get("dpas8.a"), LAYOUT_SHUFFLE},
      {tiled("dpas8.c", 1, 2), get("dpas8.a.halves"), LAYOUT_REGISTERS},
      {tiled("mma.m16n8.c", 1, 2), tiled("mma.m16n8k8.tf32.a", 1, 2), LAYOUT_SHUFFLE},
      {get("[L8@4 R2@2 R2@4, R2@1 L4@1 R2@8]"), get("[L8@4 R2@2 R2@8, R2@1 L4@1 R2@4]"), LAYOUT_REGISTERS},
      {get("[L8@4 R2@2 W2@1, R2@1 L4@1 R2@4]"), get("[L8@4 R2@2 R2@4, R2@1 L4@1 W2@1]"), LAYOUT_SHARED},
      {get("[R2@1 L3@1, R1@1]"), get("[L3@1 R2@1, R1@1]"), LAYOUT_SHARED},
      {get("[L8@4 R2@2, R2@1 L4@1 R10@4]"), get("[L8@4 R2@2, R2@1 L4@1 R2@4 R5@8]"), LAYOUT_IDENTITY},
      /* a row statistic, replicated along the columns, against tiles of other widths */
      {get("[L8@4 R2@1, L4@1:0]"), tiled("mma.m16n8.c", 1, 8), LAYOUT_REGISTERS},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(layout_classify(&cases[i].from, &cases[i].to), cases[i].want, "case %u: %s", i,
                 layout_conversion_name(layout_classify(&cases[i].from, &cases[i].to)));
}

Test(layout, transposed_accumulators_are_a_b_operand) {
  const unsigned swap[] = {1, 0};
  layout c = get("mma.m16n8.c"), transposed = layout_permute(&c, swap), b = get("[R2@1 L4@1, L8@4 R2@2]");
  cr_assert(layout_equal(&transposed, &b));
}

Test(layout, projection_keeps_lanes_as_replicas_and_closes_registers) {
  layout c = tiled("mma.m16n8.c", 2, 4), rows = layout_project(&c, 1), want = get("[L8@4 R2@1 R2@2 L4@1:0]");
  cr_assert(layout_equal(&rows, &want));
  int64_t offsets[8];
  cr_assert_eq(layout_butterflies(&c, 1, offsets), 2);
  cr_assert(offsets[0] == 1 && offsets[1] == 2);
  layout dpas = get("dpas.c.f32");
  cr_assert_eq(layout_butterflies(&dpas, 1, offsets), 4);
  cr_assert_eq(offsets[3], 8);
}

Test(layout, collapse_undoes_expand) {
  layout l = tiled("mma.m16n8.c", 1, 8), parts, back;
  for (int64_t inner = 1; inner <= 64; inner *= 2) {
    cr_assert(layout_expand(&l, 1, inner, &parts));
    cr_assert_eq(layout_extent(&parts, 2), inner);
    back = layout_collapse(&parts, 1);
    cr_assert(layout_equal(&back, &l), "inner %d", (int)inner);
  }
  cr_assert(!layout_expand(&l, 1, 3, &parts));
}

Test(layout, conflicts_are_named_by_the_parts_that_differ) {
  layout scores = tiled("mma.m16n8.c", 1, 16), sums = tiled("mma.m16n8.c", 1, 8),
         factor = tiled("mma.m16n8k16.a", 1, 8);
  layout narrow = tiled("mma.m16n8.c", 1, 1), tf32 = tiled("mma.m16n8k8.tf32.a", 1, 1);
  cr_assert_null(layout_conflict(&scores, &scores));
  cr_assert_str_eq(layout_conflict(&scores, &factor), "batch and vector");
  cr_assert_str_eq(layout_conflict(&scores, &sums), "batch");
  cr_assert_str_eq(layout_conflict(&narrow, &tf32), "lane");
}

Test(layout, refinement_of_equal_maps_is_equal) {
  layout a = get("[L8@4 R2@2, R2@1 L4@1 R10@4]"), b = get("[L8@4 R2@2, R2@1 L4@1 R2@4 R5@8]"), x, y;
  cr_assert(layout_refine(&a, &b, &x, &y));
  cr_assert(layout_equal(&a, &x) && layout_equal(&b, &y) && layout_equal(&x, &y));
}

Test(layout, shared_memory_tiles_are_free_of_bank_conflicts) {
  const int64_t widths[] = {16, 32, 40, 64, 72, 80, 96, 128, 192, 256};
  for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
    int64_t bytes = widths[i] * 2;
    layout_shared chosen = layout_shared_choose(bytes), plain = {bytes, 0, 0};
    cr_assert_eq(layout_shared_conflicts(&chosen, bytes), 1, "width %d", (int)widths[i]);
    if (widths[i] == 64 || widths[i] == 128 || widths[i] == 256)
      cr_assert_eq(layout_shared_conflicts(&plain, bytes), 8);
    for (int64_t row = 0; row < 16; row++) /* every byte keeps a place of its own */
      for (int64_t byte = 0; byte < bytes; byte++) {
        int64_t offset = layout_shared_offset(&chosen, row, byte);
        cr_assert(offset >= row * chosen.pitch && offset < (row + 1) * chosen.pitch);
      }
  }
}

/* In boxes of rows of 128, 64 or 32 bytes, chunks are where a warpgroup looks for them: bits 4.. of an address within a
 * box, which are the chunk, change with as many bits from 7 on. Other rows are as they were. */
Test(layout, boxes_have_the_swizzles_of_the_hardware) {
  static const struct {
    int64_t width, box,
        bits; /* elements; bytes of a box's row, 0: not in boxes; bits that change, 0: another swizzle */
  } rows[] = {{128, 128, 3}, {256, 128, 3}, {192, 128, 3}, {96, 64, 2}, {160, 64, 2}, {80, 32, 1}, {48, 32, 1},
              {64, 0, 3},    {32, 0, 2},    {16, 0, 1},    {72, 0, 0},  {40, 0, 0},   {8, 0, 0}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t bytes = rows[i].width * 2, length = rows[i].box ? rows[i].box : bytes, distance = 0;
    layout_shared place = layout_shared_boxes(bytes), usual = layout_shared_choose(bytes);
    cr_expect_eq(place.box, rows[i].box, "width %d: boxes of %d", (int)rows[i].width, (int)place.box);
    cr_expect_eq(place.pitch, length);
    if (rows[i].box)
      distance = layout_shared_offset(&place, 0, length);
    cr_expect(!rows[i].box || distance >= 1024 * length, "boxes keep apart");
    cr_expect_eq(layout_shared_conflicts(&place, bytes), 1, "width %d", (int)rows[i].width);
    for (int64_t row = 0; row < 64; row++)
      for (int64_t byte = 0; byte < bytes; byte++) {
        int64_t within = row * length + byte % length, changed = within >> 7 & ((1 << rows[i].bits) - 1);
        int64_t expected =
            rows[i].bits ? byte / length * distance + (within ^ changed << 4) : layout_shared_offset(&usual, row, byte);
        cr_assert_eq(layout_shared_offset(&place, row, byte), expected, "width %d, row %d, byte %d", (int)rows[i].width,
                     (int)row, (int)byte);
      }
  }
}

Test(layout, forms_in_shared_memory_keep_elements_apart_and_lanes_from_waiting) {
  static const char *const uses[][2] = {
      {"[L2@16 R8@4 W4@1, R4@1 L16@1]", "[R4@1 L8@1 L4@8:0 R2@4 W4@1:0, R4@8]"}, /* columns of a product */
      {"[R4@1 L16@1, L2@16 R8@4 W4@1]", "[R4@1 L8@1 L4@8:0 R2@4 W4@1:0, R4@8]"}, /* the same, transposed before */
      {"[L8@4 R2@12 W4@1, R4@1 L4@1 R3@4]", "[R4@1 L8@1 L4@8:0 R2@4 W4@1:0, R4@8]"},
      {"[L4@8 R8@4 W4@1, R4@1 L8@1 R2@32]", "[R8@4 L4@8 L8@1:0 W4@1, R4@1]"}, /* rows */
  };
  for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++) {
    layout own = get(uses[i][0]), step = get(uses[i][1]), placed;
    const shared_use both[] = {{.l = &own, .times = 1, .writes = true}, {.l = &step, .times = 16, .any_order = true}};
    const shared_vector vector = {&own, 32, 32, 64 * 72, 1};
    shared_form form = shared_form_choose(&vector, both);
    int64_t scale[LAYOUT_MAX_RANK], hardware[LAYOUT_NUM_LEVELS] = {0}, coord[LAYOUT_MAX_RANK];
    int64_t size = shared_form_scale(&form, &own, scale), used = 0;
    char *taken = calloc((size_t)size, 1);
    cr_assert(shared_form_layout(&form, &own, &placed));
    for (int64_t position = 0; position < 4 * 32 * layout_size(&own, LAYOUT_REGISTER); position++) {
      hardware[LAYOUT_LANE] = position % 32;
      hardware[LAYOUT_WARP] = position / 32 % 4;
      hardware[LAYOUT_REGISTER] = position / 128;
      layout_eval(&placed, hardware, coord);
      int64_t place = 0;
      for (unsigned dim = 0; dim < placed.rank; dim++)
        place += coord[dim] * scale[dim];
      cr_assert(place >= 0 && place < size && !taken[place], "%s: %lld of %lld", uses[i][0], (long long)place,
                (long long)size);
      taken[place] = 1;
      used++;
    }
    cr_assert_eq(used, layout_extent(&own, 0) * layout_extent(&own, 1));
    free(taken);
    for (unsigned use = 0; use < 2; use++) { /* the same accesses, counted */
      int64_t offset[32];
      cr_assert(shared_form_layout(&form, both[use].l, &placed));
      if (both[use].any_order)
        placed = shared_form_order(&placed, scale);
      int64_t run = layout_run(&placed, scale, 4);
      cr_assert_eq(run, 4, "%s: %lld", uses[i][use], (long long)run);
      for (int64_t lane = 0; lane < 32; lane++) {
        layout_eval(&placed, (int64_t[LAYOUT_NUM_LEVELS]){[LAYOUT_LANE] = lane}, coord);
        offset[lane] = 0;
        for (unsigned dim = 0; dim < placed.rank; dim++)
          offset[lane] += 4 * coord[dim] * scale[dim];
      }
      cr_assert_eq(layout_wavefronts(offset, 32, 16), 4, "%s", uses[i][use]);
    }
  }
}

Test(layout, wavefronts_are_the_words_of_the_busiest_bank) {
  int64_t offset[32];
  static const struct {
    int64_t step, bytes, wavefronts;
  } rows[] = {{4, 4, 1}, {0, 4, 1},   {8, 4, 2},   {128, 4, 32}, {132, 4, 1},
              {2, 2, 1}, {16, 16, 4}, {32, 16, 8}, {-1, 4, 0}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int64_t lane = 0; lane < 32; lane++)
      offset[lane] = rows[i].step < 0 ? -1 : lane * rows[i].step;
    cr_assert_eq(layout_wavefronts(offset, 32, rows[i].bytes), rows[i].wavefronts, "row %u", i);
  }
}

Test(layout, the_grid_shows_the_thread_of_each_element) {
  char text[4096] = {0};
  FILE *out = fmemopen(text, sizeof text, "w");
  layout l = get("mma.m16n8k16.a");
  cr_assert(layout_write_grid(out, &l));
  fclose(out);
  cr_assert_eq(strncmp(text, "0\t0\t1\t1\t2\t2\t3\t3\t0\t0\t1\t1\t2\t2\t3\t3\n4\t4\t5", 35), 0);
}
