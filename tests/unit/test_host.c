/* test_host.c - code for the host: each test compiles text at the VECTOR stage, loads it and compares the numbers with
 * what plain C computes, in double where that is more than the type holds. */
#include "tests/support/host_machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Normal numbers, the same in every run. */
static float normal(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 11) * 0x1p-53;
  }
  return (float)sum;
}

static void fill(float *values, size_t count, float scale) {
  uint64_t state = 42 + count;
  for (size_t i = 0; i < count; i++)
    values[i] = scale * normal(&state);
}

#define ASSERT_NEAR(VALUE, EXPECTED, TOLERANCE)                                                                        \
  do {                                                                                                                 \
    double value_ = (VALUE), expected_ = (EXPECTED);                                                                   \
    cr_assert(fabs(value_ - expected_) <= (TOLERANCE)*fmax(1, fabs(expected_)), "%.9g, expected %.9g", value_,         \
              expected_);                                                                                              \
  } while (0)

/* ------------------------------------------------------------------------------------------------------- transfers */

/* What goes past the caches is there when the kernel has ended; memory that begins inside a line takes the other
 * way. */
Test(host, stores_past_the_caches) {
  static const char text[] = "func.func @f(%x: memref<9x48xf32>, %y: memref<9x48xf32>, %path: memref<i32>) {\n"
                             "  %c0 = arith.constant 0 : index\n"
                             "  %c63 = arith.constant 63 : index\n"
                             "  %address = memref.extract_aligned_pointer_as_index %y : memref<9x48xf32> -> index\n"
                             "  %rest = arith.andi %address, %c63 : index\n"
                             "  %begins = arith.cmpi eq, %rest, %c0 : index\n"
                             "  %one = arith.constant 1 : i32\n"
                             "  %two = arith.constant 2 : i32\n"
                             "  scf.if %begins {\n"
                             "    memref.store %one, %path[] : memref<i32>\n"
                             "    scf.forall (%i) in (9) {\n"
                             "      %v = vector.load %x[%i, %c0] : memref<9x48xf32>, vector<48xf32>\n"
                             "      vector.store %v, %y[%i, %c0] {alignment = 64 : i64, nontemporal = true} : "
                             "memref<9x48xf32>, vector<48xf32>\n"
                             "    }\n"
                             "  } else {\n"
                             "    memref.store %two, %path[] : memref<i32>\n"
                             "    scf.forall (%i) in (9) {\n"
                             "      %v = vector.load %x[%i, %c0] : memref<9x48xf32>, vector<48xf32>\n"
                             "      vector.store %v, %y[%i, %c0] : memref<9x48xf32>, vector<48xf32>\n"
                             "    }\n"
                             "  }\n"
                             "  return\n"
                             "}\n";
  static const char *const targets[] = {"host", "host:x86-64", "host:x86-64-v3"};
  static _Alignas(64) float x[9 * 48], y[9 * 48 + 1];
  fill(x, 9 * 48, 1);
  for (size_t i = 0; i < 2 * sizeof targets / sizeof *targets; i++) {
    float *result = y + i % 2;
    int32_t path = 0;
    memset(y, 0, sizeof y);
    cr_assert_eq(machine_run_for(targets[i / 2], text, (void *[]){x, result, &path}, (int64_t[]){9, 48, 9, 48}), 0);
    cr_assert_eq(path, 1 + (int)(i % 2));
    for (int j = 0; j < 9 * 48; j++)
      cr_assert_eq(result[j], x[j]);
  }
}

/* Copies the 5x7 part at (1, 2) of a dynamic matrix into another through one 8x16 tile whose edges are cut. */
Test(host, transfers_are_cut_at_the_edges) {
  static const char text[] = "func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {\n"
                             "  %c0 = arith.constant 0 : index\n"
                             "  %c1 = arith.constant 1 : index\n"
                             "  %c2 = arith.constant 2 : index\n"
                             "  %p = arith.constant -3.0 : f32\n"
                             "  %v = vector.transfer_read %x[%c1, %c2], %p : memref<?x?xf32>, vector<8x16xf32>\n"
                             "  vector.transfer_write %v, %y[%c0, %c0] : vector<8x16xf32>, memref<?x?xf32>\n"
                             "  return\n"
                             "}\n";
  float x[6 * 9], y[7 * 20];
  fill(x, 6 * 9, 1);
  for (int i = 0; i < 7 * 20; i++)
    y[i] = 99;
  cr_assert_eq(machine_run(text, (void *[]){x, y}, (int64_t[]){6, 9, 7, 20}), 0);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 20; j++) {
      float expected = j >= 16 ? 99 : i < 5 && j < 7 ? x[(i + 1) * 9 + j + 2] : -3;
      cr_assert_eq(y[i * 20 + j], expected, "at %d, %d", i, j);
    }
}

/* Transposed and broadcast reads of a part with strides, edges cut. */
Test(host, transfers_permute_and_broadcast) {
  static const char text[] =
      "#swap = affine_map<(d0, d1) -> (d1, d0)>\n"
      "#rows = affine_map<(d0, d1) -> (d0, 0)>\n"
      "func.func @f(%x: memref<10x24xf32>, %y: memref<16x16xf32>, %z: memref<16x4xf32>, %w: memref<10x4xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %p = arith.constant 0.5 : f32\n"
      "  %s = memref.subview %x[1, 2] [9, 11] [1, 2] : memref<10x24xf32> to memref<9x11xf32, strided<[24, 2], offset: "
      "26>>\n"
      "  %v = vector.transfer_read %s[%c0, %c0], %p {permutation_map = #swap} : memref<9x11xf32, strided<[24, 2], "
      "offset: 26>>, vector<16x16xf32>\n"
      "  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>\n"
      "  %b = vector.transfer_read %x[%c0, %c0], %p {permutation_map = #rows} : memref<10x24xf32>, vector<16x4xf32>\n"
      "  vector.transfer_write %b, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x4xf32>, memref<16x4xf32>\n"
      "  %t = vector.transfer_read %x[%c0, %c0], %p {permutation_map = #swap, in_bounds = [true, true]} : "
      "memref<10x24xf32>, vector<4x10xf32>\n"
      "  vector.transfer_write %t, %w[%c0, %c0] {permutation_map = #swap, in_bounds = [true, true]} : "
      "vector<4x10xf32>, "
      "memref<10x4xf32>\n"
      "  return\n"
      "}\n";
  float x[240], y[256], z[64], w[40];
  fill(x, 240, 1);
  cr_assert_eq(machine_run(text, (void *[]){x, y, z, w}, (int64_t[]){10, 24, 16, 16, 16, 4, 10, 4}), 0);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      cr_assert_eq(y[i * 16 + j], i < 11 && j < 9 ? x[(j + 1) * 24 + 2 + 2 * i] : 0.5f, "at %d, %d", i, j);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 4; j++)
      cr_assert_eq(z[i * 4 + j], i < 10 ? x[i * 24] : 0.5f, "at %d, %d", i, j);
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 4; j++)
      cr_assert_eq(w[i * 4 + j], x[i * 24 + j], "at %d, %d", i, j);
}

/* --------------------------------------------------------------------------------------- contractions, reductions */

/* C += A B over ragged register tiles in two nested loops, a reduction loop inside that carries the accumulators. */
Test(host, contraction_carries_accumulators) {
  static const char text[] =
      "#a = affine_map<(m, n, k) -> (m, k)>\n"
      "#b = affine_map<(m, n, k) -> (k, n)>\n"
      "#c = affine_map<(m, n, k) -> (m, n)>\n"
      "func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %c4 = arith.constant 4 : index\n"
      "  %c32 = arith.constant 32 : index\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  %m = memref.dim %c, %c0 : memref<?x?xf32>\n"
      "  %n = memref.dim %c, %c1 : memref<?x?xf32>\n"
      "  %k = memref.dim %a, %c1 : memref<?x?xf32>\n"
      "  scf.for %i = %c0 to %m step %c4 {\n"
      "    scf.for %j = %c0 to %n step %c32 {\n"
      "      %init = vector.transfer_read %c[%i, %j], %z : memref<?x?xf32>, vector<4x32xf32>\n"
      "      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %init) -> (vector<4x32xf32>) {\n"
      "        %x = vector.transfer_read %a[%i, %l], %z {in_bounds = [false, true]} : memref<?x?xf32>, "
      "vector<4x1xf32>\n"
      "        %y = vector.transfer_read %b[%l, %j], %z {in_bounds = [true, false]} : memref<?x?xf32>, "
      "vector<1x32xf32>\n"
      "        %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = [\"parallel\", \"parallel\", "
      "\"reduction\"], kind = #vector.kind<add>} %x, %y, %acc : vector<4x1xf32>, vector<1x32xf32> into "
      "vector<4x32xf32>\n"
      "        scf.yield %r : vector<4x32xf32>\n"
      "      } {tec.unroll = 4 : i64}\n"
      "      vector.transfer_write %sum, %c[%i, %j] : vector<4x32xf32>, memref<?x?xf32>\n"
      "    }\n"
      "  }\n"
      "  return\n"
      "}\n";
  enum { M = 11, N = 37, K = 13 };
  float a[M * K], b[K * N], c[M * N], before[M * N];
  fill(a, M * K, 4);
  fill(b, K * N, 1);
  fill(c, M * N, 1);
  memcpy(before, c, sizeof c);
  cr_assert_eq(machine_run(text, (void *[]){a, b, c}, (int64_t[]){M, K, K, N, M, N}), 0);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = before[i * N + j];
      for (int k = 0; k < K; k++)
        sum += (double)a[i * K + k] * b[k * N + j];
      ASSERT_NEAR(c[i * N + j], sum, 1e-5);
    }
}

/* A loop that shows by its digits which indices it met, in order. */
#define DIGITS(NAME, FROM, TO, STEP, COPIES)                                                                           \
  "  " NAME " = scf.for %i = " FROM " to " TO " step " STEP " iter_args(%digits = %one) -> (i64) {\n"                  \
  "    %digit = arith.index_cast %i : index to i64\n"                                                                  \
  "    %room = arith.muli %digits, %ten : i64\n"                                                                       \
  "    %more = arith.addi %room, %digit : i64\n"                                                                       \
  "    scf.yield %more : i64\n"                                                                                        \
  "  } {tec.unroll = " COPIES " : i64}\n"

static uint64_t digits(int64_t from, int64_t to, int64_t step) {
  uint64_t result = 1;
  for (int64_t i = from; i < to; i += step)
    result = result * 10 + (uint64_t)i;
  return result;
}

/* Whole copies of the unrolled loop or not, known to be or not, in steps of one and of two; nothing is computed where
 * the end lies before the start, however far. */
Test(host, loops_are_unrolled_for_any_number_of_iterations) {
  static const char text[] =
      "func.func @f(%from: index, %to: index, %count: index) -> (i64, i64, i64) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %c2 = arith.constant 2 : index\n"
      "  %one = arith.constant 1 : i64\n"
      "  %ten = arith.constant 10 : i64\n"
      "  %whole = affine.apply affine_map<(d0) -> (d0 * 8 + 4)>(%count)\n" DIGITS("%a", "%from", "%to", "%c1", "4")
          DIGITS("%b", "%from", "%to", "%c2", "3")
              DIGITS("%c", "%c0", "%whole", "%c1", "4") "  return %a, %b, %c : i64, i64, i64\n"
                                                        "}\n";
  static const int64_t ends[][2] = {
      {0, 0}, {0, 3}, {0, 4}, {0, 11}, {-3, 9}, {7, 2}, {-9, -2}, {1, INT64_MIN}, {INT64_MIN, -INT64_MAX + 5}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    int64_t from = ends[i][0], to = ends[i][1], count = (int64_t)i - 1;
    uint64_t a, b, c;
    cr_assert_eq(machine_run(text, (void *[]){&from, &to, &count, &a, &b, &c}, NULL), 0);
    cr_assert_eq(a, digits(from, to, 1), "%lld to %lld", (long long)from, (long long)to);
    cr_assert_eq(b, digits(from, to, 2), "%lld to %lld by 2", (long long)from, (long long)to);
    cr_assert_eq(c, digits(0, count * 8 + 4, 1), "0 to %lld", (long long)count * 8 + 4);
  }
}

/* A B^T, the dot product of two rows, A^T B with a transposed result, and max in place of the sum. */
Test(host, contraction_takes_any_maps_and_kinds) {
  static const char text[] =
      "func.func @f(%a: memref<5x6xf32>, %b: memref<7x6xf32>, %c: memref<5x7xf32>, %d: memref<7x5xf32>, %e: "
      "memref<1xf32>, %g: memref<5x7xf32>) {\n"
      "  %i = arith.constant 0 : index\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  %low = arith.constant dense<-1000.0> : vector<5x7xf32>\n"
      "  %zero = arith.constant dense<0.0> : vector<5x7xf32>\n"
      "  %zerot = arith.constant dense<0.0> : vector<7x5xf32>\n"
      "  %x = vector.transfer_read %a[%i, %i], %z {in_bounds = [true, true]} : memref<5x6xf32>, vector<5x6xf32>\n"
      "  %y = vector.transfer_read %b[%i, %i], %z {in_bounds = [true, true]} : memref<7x6xf32>, vector<7x6xf32>\n"
      "  %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
      "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} %x, %y, %zero : "
      "vector<5x6xf32>, vector<7x6xf32> into vector<5x7xf32>\n"
      "  vector.transfer_write %p, %c[%i, %i] {in_bounds = [true, true]} : vector<5x7xf32>, memref<5x7xf32>\n"
      "  %q = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
      "affine_map<(m, n, k) -> (n, m)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} %x, %y, %zerot "
      ": "
      "vector<5x6xf32>, vector<7x6xf32> into vector<7x5xf32>\n"
      "  vector.transfer_write %q, %d[%i, %i] {in_bounds = [true, true]} : vector<7x5xf32>, memref<7x5xf32>\n"
      "  %x1 = vector.extract %x[1] : vector<6xf32> from vector<5x6xf32>\n"
      "  %y2 = vector.extract %y[2] : vector<6xf32> from vector<7x6xf32>\n"
      "  %one = arith.constant 1.0 : f32\n"
      "  %s = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> "
      "()>], "
      "iterator_types = [\"reduction\"]} %x1, %y2, %one : vector<6xf32>, vector<6xf32> into f32\n"
      "  memref.store %s, %e[%i] : memref<1xf32>\n"
      "  %h = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
      "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
      "#vector.kind<maxnumf>} %x, %y, %low : vector<5x6xf32>, vector<7x6xf32> into vector<5x7xf32>\n"
      "  vector.transfer_write %h, %g[%i, %i] {in_bounds = [true, true]} : vector<5x7xf32>, memref<5x7xf32>\n"
      "  return\n"
      "}\n";
  float a[30], b[42], c[35], d[35], e[1], g[35];
  fill(a, 30, 1);
  fill(b, 42, 1);
  cr_assert_eq(machine_run(text, (void *[]){a, b, c, d, e, g}, (int64_t[]){5, 6, 7, 6, 5, 7, 7, 5, 1, 5, 7}), 0);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 7; j++) {
      double sum = 0, largest = -1000;
      for (int k = 0; k < 6; k++) {
        sum += (double)a[i * 6 + k] * b[j * 6 + k];
        largest = fmax(largest, (double)a[i * 6 + k] * b[j * 6 + k]);
      }
      ASSERT_NEAR(c[i * 7 + j], sum, 1e-6);
      ASSERT_NEAR(d[j * 5 + i], sum, 1e-6);
      ASSERT_NEAR(g[i * 7 + j], largest, 1e-6);
      if (i == 1 && j == 2)
        ASSERT_NEAR(e[0], 1 + sum, 1e-6);
    }
}

/* Rows of pairs, as products of bf16 take them from panels, in as many lanes as registers have and more. */
Test(host, pairs_of_terms_are_interleaved_and_contracted) {
  static const char form[] =
      "func.func @f(%%a: memref<3x2xbf16>, %%b: memref<2x%dxbf16>, %%c: memref<3x%dxf32>) {\n"
      "  %%i = arith.constant 0 : index\n"
      "  %%one = arith.constant 1 : index\n"
      "  %%z = arith.constant 0.0 : bf16\n"
      "  %%ones = arith.constant dense<1.0> : vector<3x%dxf32>\n"
      "  %%x = vector.transfer_read %%a[%%i, %%i], %%z {in_bounds = [true, true]} : memref<3x2xbf16>, "
      "vector<3x2xbf16>\n"
      "  %%even = vector.load %%b[%%i, %%i] : memref<2x%dxbf16>, vector<%dxbf16>\n"
      "  %%odd = vector.load %%b[%%one, %%i] : memref<2x%dxbf16>, vector<%dxbf16>\n"
      "  %%row = vector.interleave %%even, %%odd : vector<%dxbf16> -> vector<%dxbf16>\n"
      "  %%y = vector.shape_cast %%row : vector<%dxbf16> to vector<%dx2xbf16>\n"
      "  %%r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
      "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} %%x, %%y, "
      "%%ones : vector<3x2xbf16>, vector<%dx2xbf16> into vector<3x%dxf32>\n"
      "  vector.transfer_write %%r, %%c[%%i, %%i] {in_bounds = [true, true]} : vector<3x%dxf32>, memref<3x%dxf32>\n"
      "  return\n"
      "}\n";
  static const int lanes[] = {1, 4, 7, 8, 16, 32, 64};
  for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
    int n = lanes[k];
    char text[sizeof form + 64];
    float c[3 * 64], a[6], b[2 * 64];
    uint16_t narrow_a[6], narrow_b[2 * 64];
    snprintf(text, sizeof text, form, n, n, n, n, n, n, n, n, 2 * n, 2 * n, n, n, n, n, n);
    for (int i = 0; i < 6; i++)
      narrow_a[i] = (uint16_t)ir_float_to_bits(IR_BF16, a[i] = (float)(i + 1) / 8);
    for (int i = 0; i < 2 * n; i++)
      narrow_b[i] = (uint16_t)ir_float_to_bits(IR_BF16, b[i] = (float)(i - n) / 4);
    cr_assert_eq(machine_run(text, (void *[]){narrow_a, narrow_b, c}, (int64_t[]){3, 2, 2, n, 3, n}), 0);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < n; j++)
        cr_assert_eq(c[i * n + j], 1 + a[2 * i] * b[j] + a[2 * i + 1] * b[n + j], "%d lanes, at %d, %d", n, i, j);
  }
}

/* A row by a row, in parts of a register: fewer elements than one has, several, and several and a part. */
Test(host, rows_are_contracted_in_parts_of_a_register) {
  static const char form[] =
      "func.func @f(%%a: memref<%dx%s>, %%b: memref<%dx%s>, %%c: memref<1xf32>) {\n"
      "  %%i = arith.constant 0 : index\n"
      "  %%start = arith.constant 3.0 : f32\n"
      "  %%x = vector.load %%a[%%i] : memref<%dx%s>, vector<%dx%s>\n"
      "  %%y = vector.load %%b[%%i] : memref<%dx%s>, vector<%dx%s>\n"
      "  %%r = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> "
      "()>], iterator_types = [\"reduction\"]} %%x, %%y, %%start : vector<%dx%s>, vector<%dx%s> into f32\n"
      "  memref.store %%r, %%c[%%i] : memref<1xf32>\n"
      "  return\n"
      "}\n";
  static const int lanes[] = {1, 5, 16, 32, 40, 80, 96};
  for (size_t k = 0; k < 2 * sizeof lanes / sizeof *lanes; k++) {
    int n = lanes[k / 2];
    bool narrow = k % 2;
    const char *element = narrow ? "bf16" : "f32";
    char text[sizeof form + 128];
    float a[96], b[96], c;
    uint16_t narrow_a[96], narrow_b[96];
    double sum = 3;
    snprintf(text, sizeof text, form, n, element, n, element, n, element, n, element, n, element, n, element, n,
             element, n, element);
    for (int i = 0; i < n; i++) {
      narrow_a[i] = (uint16_t)ir_float_to_bits(IR_BF16, a[i] = (float)(i % 7 + 1) / 8);
      narrow_b[i] = (uint16_t)ir_float_to_bits(IR_BF16, b[i] = (float)(i - n) / 4);
      sum += (double)a[i] * b[i];
    }
    cr_assert_eq(
        machine_run(text, narrow ? (void *[]){narrow_a, narrow_b, &c} : (void *[]){a, b, &c}, (int64_t[]){n, n, 1}), 0);
    cr_assert_eq(c, sum, "%d elements of %s", n, element);
  }
}

/* Rows by rows that are reduced along: as many sums as a register has lanes, or fewer, by either factor's rows; more
 * are no such op. */
Test(host, sums_of_several_rows_are_combined_together) {
  static const char form[] =
      "func.func @f(%%a: memref<%dx%dx%s>, %%b: memref<%dx%dx%s>, %%c: memref<%dx%dxf32>) {\n"
      "  %%i = arith.constant 0 : index\n"
      "  %%z = arith.constant 0.0 : %s\n"
      "  %%start = arith.constant dense<3.0> : vector<%dx%dxf32>\n"
      "  %%x = vector.transfer_read %%a[%%i, %%i], %%z {in_bounds = [true, true]} : memref<%dx%dx%s>, "
      "vector<%dx%dx%s>\n"
      "  %%y = vector.transfer_read %%b[%%i, %%i], %%z {in_bounds = [true, true]} : memref<%dx%dx%s>, "
      "vector<%dx%dx%s>\n"
      "  %%r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
      "affine_map<(m, n, k) -> (%s)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} %%x, %%y, "
      "%%start : vector<%dx%dx%s>, vector<%dx%dx%s> into vector<%dx%dxf32>\n"
      "  vector.transfer_write %%r, %%c[%%i, %%i] {in_bounds = [true, true]} : vector<%dx%dxf32>, memref<%dx%dxf32>\n"
      "  return\n"
      "}\n";
  static const int rows[][2] = {{4, 4}, {2, 8}, {8, 2}, {3, 5}, {5, 2}, {3, 1}, {1, 16}, {6, 4}},
                   lengths[] = {48, 40, 8};
  for (int k = 0; k < 8 * 3 * 2 * 2; k++) {
    int m = rows[k % 8][0], n = rows[k % 8][1], length = lengths[k / 8 % 3];
    bool narrow = k / 24 % 2, turned = k / 48;
    const char *t = narrow ? "bf16" : "f32";
    int p = turned ? n : m, q = turned ? m : n;
    char text[sizeof form + 512];
    float a[8 * 48], b[16 * 48], c[8 * 16];
    uint16_t narrow_a[8 * 48], narrow_b[16 * 48];
    snprintf(text, sizeof text, form, m, length, t, n, length, t, p, q, t, p, q, m, length, t, m, length, t, n, length,
             t, n, length, t, turned ? "n, m" : "m, n", m, length, t, n, length, t, p, q, p, q, p, q);
    for (int i = 0; i < m * length; i++)
      narrow_a[i] = (uint16_t)ir_float_to_bits(IR_BF16, a[i] = (float)(i % 7 + 1) / 8);
    for (int i = 0; i < n * length; i++)
      narrow_b[i] = (uint16_t)ir_float_to_bits(IR_BF16, b[i] = (float)(i % 23 - 11) / 4);
    void *data[] = {narrow ? (void *)narrow_a : a, narrow ? (void *)narrow_b : b, c};
    cr_assert_eq(machine_run(text, data, (int64_t[]){m, length, n, length, p, q}), 0);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        float sum = 3;
        for (int l = 0; l < length; l++)
          sum += a[i * length + l] * b[j * length + l];
        cr_assert_eq(c[turned ? j * m + i : i * n + j], sum, "%d by %d rows of %d %s, at %d, %d", m, n, length, t, i,
                     j);
      }
  }
}

/* Inner, outer and both dims; NaN wins over any number with maximumf and loses with maxnumf. */
Test(host, reductions_combine_any_dims) {
  static const char text[] =
      "func.func @f(%x: memref<6x11xf32>, %r: memref<6xf32>, %c: memref<11xf32>, %s: memref<2xf32>, %n: memref<6xf32>) "
      "{\n"
      "  %i = arith.constant 0 : index\n"
      "  %j = arith.constant 1 : index\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  %v = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<6x11xf32>, vector<6x11xf32>\n"
      "  %six = arith.constant dense<-9.0> : vector<6xf32>\n"
      "  %eleven = arith.constant dense<1.0> : vector<11xf32>\n"
      "  %a = vector.multi_reduction <maximumf>, %v, %six [1] : vector<6x11xf32> to vector<6xf32>\n"
      "  vector.transfer_write %a, %r[%i] {in_bounds = [true]} : vector<6xf32>, memref<6xf32>\n"
      "  %b = vector.multi_reduction <add>, %v, %eleven [0] : vector<6x11xf32> to vector<11xf32>\n"
      "  vector.transfer_write %b, %c[%i] {in_bounds = [true]} : vector<11xf32>, memref<11xf32>\n"
      "  %t = vector.multi_reduction <add>, %v, %z [0, 1] : vector<6x11xf32> to f32\n"
      "  memref.store %t, %s[%i] : memref<2xf32>\n"
      "  %u = vector.multi_reduction <minimumf>, %v, %z [0, 1] : vector<6x11xf32> to f32\n"
      "  memref.store %u, %s[%j] : memref<2xf32>\n"
      "  %d = vector.multi_reduction <maxnumf>, %v, %six [1] : vector<6x11xf32> to vector<6xf32>\n"
      "  vector.transfer_write %d, %n[%i] {in_bounds = [true]} : vector<6xf32>, memref<6xf32>\n"
      "  return\n"
      "}\n";
  for (int round = 0; round < 2; round++) {
    float x[66], r[6], c[11], s[2], n[6];
    fill(x, 66, 4);
    if (round)
      x[2 * 11 + 5] = NAN;
    cr_assert_eq(machine_run(text, (void *[]){x, r, c, s, n}, (int64_t[]){6, 11, 6, 11, 2, 6}), 0);
    double total = 0, least = 0;
    for (int i = 0; i < 6; i++) {
      double largest = -9;
      for (int j = 0; j < 11; j++) {
        largest = fmax(largest, x[i * 11 + j]);
        total += x[i * 11 + j];
        least = fmin(least, x[i * 11 + j]);
      }
      if (round && i == 2)
        cr_assert(isnan(r[i]));
      else
        cr_assert_eq(r[i], largest);
      cr_assert_eq(n[i], largest);
    }
    for (int j = 0; j < 11; j++) {
      double sum = 1;
      for (int i = 0; i < 6; i++)
        sum += x[i * 11 + j];
      if (round && j == 5)
        cr_assert(isnan(c[j]));
      else
        ASSERT_NEAR(c[j], sum, 1e-5);
    }
    if (round)
      cr_assert(isnan(s[0]) && isnan(s[1]));
    else
      ASSERT_NEAR(s[0], total, 1e-5);
    if (!round)
      cr_assert_eq(s[1], least);
  }
}

/* ----------------------------------------------------------------------------------------- loops, memory, errors */

/* A parallel loop over both dims of a grid with uneven steps, scratch from the heap in each iteration. */
static const char forall_text[] =
    "func.func @f(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %z = arith.constant 0.0 : f32\n"
    "  %n = memref.dim %x, %c0 : memref<?x8xf32>\n"
    "  %all = memref.alloc(%n) : memref<?xf32>\n"
    "  scf.forall (%i, %j) = (0, 0) to (%n, 8) step (1, 4) {\n"
    "    %s = memref.alloc(%n) : memref<?xf32>\n"
    "    %t = memref.alloca() : memref<4xf32>\n"
    "    %v = vector.transfer_read %x[%i, %j], %z {in_bounds = [true]} : memref<?x8xf32>, vector<4xf32>\n"
    "    vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>\n"
    "    %w = vector.transfer_read %t[%c0], %z {in_bounds = [true]} : memref<4xf32>, vector<4xf32>\n"
    "    %d = arith.addf %v, %w : vector<4xf32>\n"
    "    vector.transfer_write %d, %y[%i, %j] {in_bounds = [true]} : vector<4xf32>, memref<?x8xf32>\n"
    "    memref.dealloc %s : memref<?xf32>\n"
    "  }\n"
    "  memref.dealloc %all : memref<?xf32>\n"
    "  return\n"
    "}\n";

Test(host, forall_runs_every_iteration) {
  float x[5 * 8], y[5 * 8] = {0};
  fill(x, 40, 1);
  cr_assert_eq(machine_run(forall_text, (void *[]){x, y}, (int64_t[]){5, 8, 5, 8}), 0);
  for (int i = 0; i < 40; i++)
    cr_assert_eq(y[i], 2 * x[i]);
}

/* Whichever allocation fails, the kernel says so and nothing stays allocated. */
Test(host, failed_allocations_are_reported_and_released) {
  float x[5 * 8] = {0}, y[5 * 8];
  machine m;
  tec_host_kernel kernel = machine_load(&m, "host", forall_text);
  for (m.fail_at = 1; m.fail_at <= 11; m.fail_at++) {
    m.allocations = 0;
    cr_assert_eq(kernel((void *[]){x, y}, (int64_t[]){5, 8, 5, 8}, &m.env), 1, "allocation %d", m.fail_at);
    cr_assert_eq(m.live, 0);
  }
  m.allocations = 0;
  cr_assert_eq(kernel((void *[]){x, y}, (int64_t[]){5, 8, 5, 8}, &m.env), 0);
  cr_assert_eq(m.allocations, 11);
  machine_finish(&m);
}

Test(host, wrong_extents_are_refused) {
  float x[40] = {0}, y[40];
  cr_assert_eq(machine_run(forall_text, (void *[]){x, y}, (int64_t[]){5, 7, 5, 8}), 1);
  cr_assert_eq(machine_run(forall_text, (void *[]){x, y}, (int64_t[]){-5, 8, 5, 8}), 1);
}

TestSuite(host_errors);

Test(host_errors, exported_names_must_be_free) {
  machine_refuse("func.func @memcpy() { return }", "cannot be exported as 'memcpy'");
}

Test(host_errors, vectors_must_fit) {
  machine_refuse("func.func @f() {\n  %v = arith.constant dense<0.0> : vector<1024x1024xf32>\n  return\n}",
                 "at most 65536 fit");
}

/* --------------------------------------------------------------------- powers, views, rearrangements, control */

/* Small constant exponents are multiplied out; others go to the library. */
Test(host, integer_powers) {
  static const char text[] =
      "func.func @f(%x: memref<f32>, %n: memref<i64>, %y: memref<5xf32>) {\n"
      "  %c0 = arith.constant 0 : i64\n  %c3 = arith.constant 3 : i64\n"
      "  %c16 = arith.constant 16 : i64\n  %c17 = arith.constant 17 : i64\n"
      "  %i0 = arith.constant 0 : index\n  %i1 = arith.constant 1 : index\n"
      "  %i2 = arith.constant 2 : index\n  %i3 = arith.constant 3 : index\n"
      "  %i4 = arith.constant 4 : index\n"
      "  %b = memref.load %x[] : memref<f32>\n  %e = memref.load %n[] : memref<i64>\n"
      "  %p0 = math.fpowi %b, %c0 : f32, i64\n  %p1 = math.fpowi %b, %c3 : f32, i64\n"
      "  %p2 = math.fpowi %b, %c16 : f32, i64\n  %p3 = math.fpowi %b, %c17 : f32, i64\n"
      "  %p4 = math.fpowi %b, %e : f32, i64\n"
      "  memref.store %p0, %y[%i0] : memref<5xf32>\n  memref.store %p1, %y[%i1] : memref<5xf32>\n"
      "  memref.store %p2, %y[%i2] : memref<5xf32>\n  memref.store %p3, %y[%i3] : memref<5xf32>\n"
      "  memref.store %p4, %y[%i4] : memref<5xf32>\n  return\n}\n";
  float x = -1.25f, y[5];
  int64_t n = -3;
  cr_assert_eq(machine_run(text, (void *[]){&x, &n, y}, (int64_t[]){5}), 0);
  static const int exponents[] = {0, 3, 16, 17, -3};
  for (int i = 0; i < 5; i++)
    ASSERT_NEAR(y[i], pow(x, exponents[i]), 1e-6);
}

/* Expanded, collapsed, cut and cast views of one buffer, copied and read element by element. */
Test(host, views_show_the_same_memory) {
  static const char text[] =
      "memref.global \"private\" constant @table : memref<3xf32> = dense<[1.0, 2.0, 4.0]>\n"
      "func.func @f(%x: memref<6x?xf32>, %y: memref<2x3x?xf32>, %z: memref<?xf32>, %w: memref<3xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %c2 = arith.constant 2 : index\n"
      "  %n = memref.dim %x, %c1 : memref<6x?xf32>\n"
      "  %e = memref.expand_shape %x [[0, 1], [2]] output_shape [2, 3, %n] : memref<6x?xf32> into memref<2x3x?xf32>\n"
      "  memref.copy %e, %y : memref<2x3x?xf32> to memref<2x3x?xf32>\n"
      "  %s = memref.subview %x[1, %c2] [1, 4] [1, 2] : memref<6x?xf32> to memref<4xf32, strided<[2], offset: ?>>\n"
      "  %d = memref.cast %s : memref<4xf32, strided<[2], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>\n"
      "  memref.copy %d, %z : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32>\n"
      "  %l = memref.collapse_shape %e [[0, 1, 2]] : memref<2x3x?xf32> into memref<?xf32>\n"
      "  %g = memref.get_global @table : memref<3xf32>\n"
      "  %c3 = arith.constant 3 : index\n"
      "  scf.for %i = %c0 to %c3 step %c1 {\n"
      "    %a = memref.load %l[%i] : memref<?xf32>\n"
      "    %b = memref.load %g[%i] : memref<3xf32>\n"
      "    %p = arith.mulf %a, %b : f32\n"
      "    memref.store %p, %w[%i] : memref<3xf32>\n"
      "  }\n"
      "  return\n"
      "}\n";
  float x[60], y[60], z[4], w[3];
  fill(x, 60, 1);
  cr_assert_eq(machine_run(text, (void *[]){x, y, z, w}, (int64_t[]){6, 10, 2, 3, 10, 4, 3}), 0);
  for (int i = 0; i < 60; i++)
    cr_assert_eq(y[i], x[i]);
  for (int i = 0; i < 4; i++)
    cr_assert_eq(z[i], x[10 + 2 + 2 * i]);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(w[i], x[i] * (float)(1 << i));
}

/* Parts taken out of vectors and put back, at known and at computed places; masks and a gather. */
Test(host, vectors_are_taken_apart_and_put_together) {
  static const char text[] =
      "func.func @f(%x: memref<4x6xf32>, %y: memref<4x6xf32>, %z: memref<3x8xf32>, %w: memref<6xf32>, %n: index) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c2 = arith.constant 2 : index\n"
      "  %p = arith.constant 0.0 : f32\n"
      "  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x6xf32>, vector<4x6xf32>\n"
      "  %row = vector.extract %v[%n] : vector<6xf32> from vector<4x6xf32>\n"
      "  %one = vector.extract %v[2, %n] : f32 from vector<4x6xf32>\n"
      "  %a = vector.insert %row, %v[0] : vector<6xf32> into vector<4x6xf32>\n"
      "  %b = vector.insert %one, %a[%c2, 5] : f32 into vector<4x6xf32>\n"
      "  %part = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]} : "
      "vector<4x6xf32> to "
      "vector<2x3xf32>\n"
      "  %c = vector.insert_strided_slice %part, %b {offsets = [2, 0], strides = [1, 1]} : vector<2x3xf32> into "
      "vector<4x6xf32>\n"
      "  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x6xf32>, memref<4x6xf32>\n"
      "  %flat = vector.shape_cast %v : vector<4x6xf32> to vector<3x8xf32>\n"
      "  %m = vector.create_mask %c2, %n : vector<3x8xi1>\n"
      "  %low = arith.constant dense<-1.0> : vector<3x8xf32>\n"
      "  %sel = arith.select %m, %flat, %low : vector<3x8xi1>, vector<3x8xf32>\n"
      "  vector.transfer_write %sel, %z[%c0, %c0] {in_bounds = [true, true]} : vector<3x8xf32>, memref<3x8xf32>\n"
      "  %step = vector.step : vector<6xindex>\n"
      "  %twos = arith.constant dense<2> : vector<6xindex>\n"
      "  %at = arith.muli %step, %twos : vector<6xindex>\n"
      "  %six = vector.create_mask %n : vector<6xi1>\n"
      "  %other = arith.constant dense<7.0> : vector<6xf32>\n"
      "  %g = vector.gather %x[%c0, %c2] [%at], %six, %other : memref<4x6xf32>, vector<6xindex>, vector<6xi1>, "
      "vector<6xf32> into vector<6xf32>\n"
      "  vector.transfer_write %g, %w[%c0] {in_bounds = [true]} : vector<6xf32>, memref<6xf32>\n"
      "  return\n"
      "}\n";
  float x[24], y[24], z[24], w[6];
  int64_t n = 3;
  fill(x, 24, 1);
  cr_assert_eq(machine_run(text, (void *[]){x, y, z, w, &n}, (int64_t[]){4, 6, 4, 6, 3, 8, 6}), 0);
  float expected[24];
  memcpy(expected, x, sizeof x);
  for (int i = 0; i < 6; i++)
    expected[i] = x[18 + i];
  expected[17] = x[15];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      expected[(2 + i) * 6 + j] = x[(1 + i) * 6 + 2 + j];
  for (int i = 0; i < 24; i++)
    cr_assert_eq(y[i], expected[i], "at %d", i);
  for (int i = 0; i < 24; i++)
    cr_assert_eq(z[i], i / 8 < 2 && i % 8 < 3 ? x[i] : -1, "at %d", i);
  for (int i = 0; i < 6; i++)
    cr_assert_eq(w[i], i < 3 ? x[2 + 2 * i] : 7, "at %d", i);
}

/* Gathers `lanes` elements of a table, counted from its `first` one, and compares their bits; only `n` of them where
 * that is less: others are 7, and their places wild. */
static void check_table(const char *target, const char *element, unsigned bytes, int size, int lanes, int first,
                        int n) {
  char text[1200];
  const char *mask = n < lanes ? "vector.create_mask %n" : "arith.constant dense<true>";
  snprintf(text, sizeof text,
           "func.func @f(%%x: memref<%dx%s>, %%at: memref<%dxi32>, %%z: memref<%dx%s>, %%n: index) {\n"
           "  %%c0 = arith.constant 0 : index\n"
           "  %%first = arith.constant %d : index\n"
           "  %%p = arith.constant 0 : i32\n"
           "  %%i = vector.transfer_read %%at[%%c0], %%p {in_bounds = [true]} : memref<%dxi32>, vector<%dxi32>\n"
           "  %%m = %s : vector<%dxi1>\n"
           "  %%o = arith.constant dense<7%s> : vector<%dx%s>\n"
           "  %%g = vector.gather %%x[%%first] [%%i], %%m, %%o : memref<%dx%s>, vector<%dxi32>, vector<%dxi1>, "
           "vector<%dx%s> into vector<%dx%s>\n"
           "  vector.transfer_write %%g, %%z[%%c0] {in_bounds = [true]} : vector<%dx%s>, memref<%dx%s>\n"
           "  return\n"
           "}\n",
           size, element, lanes, lanes, element, first, lanes, lanes, mask, lanes, *element == 'i' ? "" : ".0", lanes,
           element, size, element, lanes, lanes, lanes, element, lanes, element, lanes, element, lanes, element);
  enum { MOST_LANES = 48, MOST_BYTES = 8 };
  char x[MOST_LANES * MOST_BYTES], z[MOST_LANES * MOST_BYTES];
  int32_t at[MOST_LANES];
  int64_t count = n;
  for (int i = 0; i < size * (int)bytes; i++)
    x[i] = (char)(37 * i + 11);
  for (int i = 0; i < lanes; i++)
    at[i] = i < n ? 5 * i % size - first : 1 << 30;
  cr_assert_eq(machine_run_for(target, text, (void *[]){x, at, z, &count}, (int64_t[]){size, lanes, lanes}), 0);
  for (int i = 0; i < n; i++)
    cr_assert(!memcmp(z + i * bytes, x + (5 * i % size) * bytes, bytes), "%s, %d x %s, lane %d", target, size, element,
              i);
  for (int i = n + 1; i < lanes; i++)
    cr_assert(!memcmp(z + i * bytes, z + n * bytes, bytes));
}

Test(host, elements_of_tables_are_gathered) {
  static const char *const targets[] = {"host", "host:x86-64", "host:x86-64-v3"};
  static const struct {
    const char *name;
    unsigned bytes;
  } elements[] = {{"f32", 4}, {"i32", 4}, {"bf16", 2}, {"f16", 2}, {"i8", 1}, {"f64", 8}};
  static const int sizes[] = {1, 2, 7, 8, 9, 16, 17}, lanes[] = {1, 4, 8, 16, 19, 32, 48};
  for (unsigned target = 0; target < sizeof targets / sizeof *targets; target++)
    for (unsigned element = 0; element < sizeof elements / sizeof *elements; element++)
      for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        int count = lanes[(size + element) % 7], n = size % 2 ? count : count / 2, first = size == 4 ? 3 : 0;
        check_table(targets[target], elements[element].name, elements[element].bytes, sizes[size], count, first, n);
      }
}

/* Of f32 and of bf16 that is widened then, subnormal numbers, infinities and NaN among it. */
Test(host, elements_at_even_places_come_before_those_at_odd_ones) {
  static const char text[] =
      "func.func @f(%x: memref<2x6xf32>, %y: memref<2x6xbf16>, %a: memref<2x2x3xf32>, %b: memref<2x2x3xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %p = arith.constant 0.0 : f32\n"
      "  %q = arith.constant 0.0 : bf16\n"
      "  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<2x6xf32>, vector<2x6xf32>\n"
      "  %e, %o = vector.deinterleave %v : vector<2x6xf32> -> vector<2x3xf32>\n"
      "  vector.transfer_write %e, %a[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, memref<2x2x3xf32>\n"
      "  vector.transfer_write %o, %a[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, memref<2x2x3xf32>\n"
      "  %w = vector.transfer_read %y[%c0, %c0], %q {in_bounds = [true, true]} : memref<2x6xbf16>, vector<2x6xbf16>\n"
      "  %n:2 = vector.deinterleave %w : vector<2x6xbf16> -> vector<2x3xbf16>\n"
      "  %even = arith.extf %n#0 : vector<2x3xbf16> to vector<2x3xf32>\n"
      "  %odd = arith.extf %n#1 : vector<2x3xbf16> to vector<2x3xf32>\n"
      "  vector.transfer_write %even, %b[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, "
      "memref<2x2x3xf32>\n"
      "  vector.transfer_write %odd, %b[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, "
      "memref<2x2x3xf32>\n"
      "  return\n"
      "}\n";
  const uint16_t y[12] = {0x3F80, 0xC000, 0x0001, 0x8001, 0x7F80, 0xFF80,
                          0x7FC1, 0x8000, 0x0000, 0xBF81, 0x4049, 0x0080};
  float x[12], a[12];
  uint32_t b[12];
  fill(x, 12, 1);
  cr_assert_eq(machine_run(text, (void *[]){x, (void *)y, a, b}, (int64_t[]){2, 6, 2, 6, 2, 2, 3, 2, 2, 3}), 0);
  for (int i = 0; i < 12; i++) {
    int at = i % 2 * 6 + i / 6 * 3 + i % 6 / 2;
    cr_assert_eq(a[at], x[i], "at %d", i);
    cr_assert_eq(b[at], (uint32_t)y[i] << 16, "at %d", i);
  }
}

/* Of two vectors of different lengths, some elements twice. */
Test(host, elements_of_two_vectors_are_at_the_places_of_a_mask) {
  static const char text[] =
      "func.func @f(%x: memref<5xf32>, %y: memref<3xf32>, %z: memref<6xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %p = arith.constant 0.0 : f32\n"
      "  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<5xf32>, vector<5xf32>\n"
      "  %w = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<3xf32>, vector<3xf32>\n"
      "  %s = vector.shuffle %v, %w [7, 4, 0, 5, 4, 6] : vector<5xf32>, vector<3xf32>\n"
      "  vector.transfer_write %s, %z[%c0] {in_bounds = [true]} : vector<6xf32>, memref<6xf32>\n"
      "  return\n"
      "}\n";
  static const int places[6] = {7, 4, 0, 5, 4, 6};
  float both[8], z[6];
  fill(both, 8, 1);
  cr_assert_eq(machine_run(text, (void *[]){both, both + 5, z}, (int64_t[]){5, 3, 6}), 0);
  for (int i = 0; i < 6; i++)
    cr_assert_eq(z[i], both[places[i]], "at %d", i);
}

/* Pairs of 16 bits as words and back: the first of a pair is in the lower half. */
Test(host, bits_of_vectors_are_taken_as_other_elements) {
  static const char text[] =
      "func.func @f(%x: memref<2x4xbf16>, %y: memref<2x2xi32>, %z: memref<2x4xbf16>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %p = arith.constant 0.0 : bf16\n"
      "  %one = arith.constant dense<65536> : vector<2x2xi32>\n"
      "  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<2x4xbf16>, vector<2x4xbf16>\n"
      "  %w = vector.bitcast %v : vector<2x4xbf16> to vector<2x2xi32>\n"
      "  vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<2x2xi32>\n"
      "  %n = arith.addi %w, %one : vector<2x2xi32>\n"
      "  %b = vector.bitcast %n : vector<2x2xi32> to vector<2x4xbf16>\n"
      "  vector.transfer_write %b, %z[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xbf16>, memref<2x4xbf16>\n"
      "  return\n"
      "}\n";
  const uint16_t x[8] = {0x3F80, 0x4000, 0x4040, 0x4080, 0xC000, 0x0001, 0x7F80, 0x8000};
  uint16_t z[8];
  uint32_t y[4];
  cr_assert_eq(machine_run(text, (void *[]){(void *)x, y, z}, (int64_t[]){2, 4, 2, 2, 2, 4}), 0);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(y[i], x[2 * i] | (uint32_t)x[2 * i + 1] << 16, "at %d", i);
    cr_assert_eq(z[2 * i], x[2 * i], "at %d", i);
    cr_assert_eq(z[2 * i + 1], x[2 * i + 1] + 1, "at %d", i);
  }
}

/* Branches and calls give scalars, vectors and memrefs; scalar results go out through their pointers. */
Test(host, branches_and_calls_return_values) {
  static const char text[] =
      "func.func private @pick(%flag: i1, %x: memref<?xf32>, %y: memref<?xf32>) -> (memref<?xf32>, vector<2x4xf32>, "
      "i64) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %p = arith.constant 0.0 : f32\n"
      "  %r:2 = scf.if %flag -> (memref<?xf32>, i64) {\n"
      "    %one = arith.constant 1 : i64\n"
      "    scf.yield %x, %one : memref<?xf32>, i64\n"
      "  } else {\n"
      "    %two = arith.constant 2 : i64\n"
      "    scf.yield %y, %two : memref<?xf32>, i64\n"
      "  }\n"
      "  %v = vector.transfer_read %r#0[%c0], %p {permutation_map = affine_map<(d0) -> (0, d0)>, in_bounds = [true, "
      "true]} "
      ": memref<?xf32>, vector<2x4xf32>\n"
      "  return %r#0, %v, %r#1 : memref<?xf32>, vector<2x4xf32>, i64\n"
      "}\n"
      "func.func @f(%flag: i1, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<2x4xf32>) -> (i64, f64) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %r:3 = call @pick(%flag, %x, %y) : (i1, memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, vector<2x4xf32>, "
      "i64)\n"
      "  vector.transfer_write %r#1, %z[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<2x4xf32>\n"
      "  %a = memref.load %r#0[%c0] : memref<?xf32>\n"
      "  %d = arith.extf %a : f32 to f64\n"
      "  return %r#2, %d : i64, f64\n"
      "}\n";
  for (int round = 0; round < 2; round++) {
    bool flag = round;
    float x[4] = {1, 2, 3, 4}, y[5] = {5, 6, 7, 8, 9}, z[8], *chosen = round ? x : y;
    int64_t which = 0;
    double first = 0;
    cr_assert_eq(machine_run(text, (void *[]){&flag, x, y, z, &which, &first}, (int64_t[]){4, 5, 2, 4}), 0);
    cr_assert_eq(which, round ? 1 : 2);
    cr_assert_eq(first, chosen[0]);
    for (int i = 0; i < 8; i++)
      cr_assert_eq(z[i], chosen[i % 4]);
  }
}

/* Quotients are rounded as affine expressions have it, of negative numbers, too, and by powers of two (shifts). */
Test(host, affine_divisions_round_down_and_up) {
  static const char text[] =
      "func.func @f(%x: index) -> (index, index, index, index) {\n"
      "  %a = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%x)\n"
      "  %b = affine.apply affine_map<(d0) -> (d0 ceildiv 8)>(%x)\n"
      "  %c = affine.apply affine_map<(d0) -> (d0 mod 8)>(%x)\n"
      "  %d = affine.apply affine_map<(d0) -> ((d0 floordiv 6) * 100 + (d0 ceildiv 6) * 10 + d0 mod 6)>(%x)\n"
      "  return %a, %b, %c, %d : index, index, index, index\n"
      "}\n";
  for (int64_t x = -17; x <= 17; x++) {
    int64_t y[4], floor8 = (x + 80) / 8 - 10, floor6 = (x + 60) / 6 - 10;
    cr_assert_eq(machine_run(text, (void *[]){&x, &y[0], &y[1], &y[2], &y[3]}, NULL), 0);
    cr_assert_eq(y[0], floor8);
    cr_assert_eq(y[1], (x + 87) / 8 - 10);
    cr_assert_eq(y[2], x - floor8 * 8);
    cr_assert_eq(y[3], floor6 * 100 + ((x + 65) / 6 - 10) * 10 + x - floor6 * 6);
  }
  int64_t least = INT64_MIN, most = INT64_MAX, y[4];
  cr_assert_eq(machine_run(text, (void *[]){&least, &y[0], &y[1], &y[2], &y[3]}, NULL), 0);
  cr_assert(y[0] == INT64_MIN / 8 && y[1] == INT64_MIN / 8 && y[2] == 0);
  cr_assert_eq(machine_run(text, (void *[]){&most, &y[0], &y[1], &y[2], &y[3]}, NULL), 0);
  cr_assert(y[0] == INT64_MAX / 8 && y[1] == INT64_MAX / 8 + 1 && y[2] == 7);
}

#ifdef __x86_64__
/* Linux refuses tiles while the stack of a thread's signal handlers could not hold them: that is a status of its own,
 * and whoever calls again asks again. */
Test(host, tiles_are_asked_for) {
  static const char text[] = "func.func @f(%x: memref<16x16xf32>) {\n"
                             "  %c0 = arith.constant 0 : index\n"
                             "  %zero = amx.tile_zero : !amx.tile<16x16xf32>\n"
                             "  amx.tile_store %x[%c0, %c0], %zero : memref<16x16xf32>, !amx.tile<16x16xf32>\n"
                             "  return\n"
                             "}\n";
  enum { REFUSED = 3, SMALLEST_STACK = 2048 };
  static char memory[SMALLEST_STACK];
  stack_t small = {.ss_sp = memory, .ss_size = sizeof memory}, before;
  machine m;
  target_facts facts;
  float x[256];
  fill(x, 256, 1);
  tec_host_kernel kernel = machine_load(&m, "host:sapphirerapids", text);
  cr_assert(!sigaltstack(&small, &before));
  cr_assert_eq(kernel((void *[]){x}, (int64_t[]){16, 16}, &m.env), REFUSED);
  before.ss_flags &= SS_DISABLE;
  cr_assert(!sigaltstack(&before, NULL));
  cr_assert(backend_target_host(m.module, "host", &facts));
  cr_assert_eq(kernel((void *[]){x}, (int64_t[]){16, 16}, &m.env), facts.has_matrix_unit ? 0 : REFUSED);
  for (int i = 0; i < 256; i++)
    cr_assert(!facts.has_matrix_unit || x[i] == 0);
  machine_finish(&m);
}
#endif

/* The function behind tec.shapes is exported under the kernel's name. */
Test(host, shapes_follow_from_extents) {
  static const char text[] =
      "func.func @f(%x: memref<?x4xf32>, %y: memref<?xf32>) attributes {tec.kernel, tec.shapes = @s} { return }\n"
      "func.func private @s(%a: index, %b: index) -> (index, index) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c4 = arith.constant 4 : index\n"
      "  %c7 = arith.constant 7 : index\n"
      "  %ok = arith.cmpi eq, %b, %c4 : index\n"
      "  %line = arith.select %ok, %c0, %c7 : index\n"
      "  %n = affine.apply affine_map<(a, b) -> (a * 4 + a mod 3 - a floordiv 2)>(%a, %b)\n"
      "  return %line, %n : index, index\n"
      "}\n";
  machine m;
  machine_load(&m, "host", text);
  tec_host_shapes shapes = (tec_host_shapes)backend_jit_lookup(m.jit, "f_shapes");
  cr_assert(shapes);
  int64_t result = 0;
  cr_assert_eq(shapes((int64_t[]){5, 4}, &result, NULL), 0);
  cr_assert_eq(result, 20 + 2 - 2);
  cr_assert_eq(shapes((int64_t[]){5, 3}, &result, NULL), 7);
  machine_finish(&m);
}

/* Objects and assembly for CPUs that this machine is not. */
Test(host, other_machines_get_assembly) {
  static const char *const targets[] = {"host:x86-64", "host:znver3", "host:x86-64-v4", "host:neoverse-n1"};
  static const char text[] =
      "func.func @f(%x: memref<64xf32>) {\n"
      "  %i = arith.constant 0 : index\n"
      "  %p = arith.constant 0.0 : f32\n"
      "  %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>\n"
      "  %e = math.exp %v : vector<64xf32>\n"
      "  vector.transfer_write %e, %x[%i] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>\n"
      "  return\n"
      "}\n";
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    machine m;
    char *assembly = NULL;
    size_t size;
    cr_assert(machine_compile(&m, targets[i], text, BACKEND_ASSEMBLY, &assembly, &size), "%s", m.messages);
    cr_assert(memmem(assembly, size, "f:", 2));
    free(assembly);
    machine_finish(&m);
  }
  machine m;
  char *bytes;
  size_t size;
  cr_assert(!machine_compile(&m, "host:pentium-mmx", text, BACKEND_OBJECT, &bytes, &size));
  cr_assert(strstr(m.messages, "unknown target 'host:pentium-mmx'"));
  cr_assert(strstr(m.messages, " a CPU: x86-64, "));
  machine_finish(&m);
}
