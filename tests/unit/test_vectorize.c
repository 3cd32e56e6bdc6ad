/* test_vectorize.c - register tiles: every program computes the same before and after the pass, on three widths of
 * registers. */
#include "tests/support/check.h"
#include "ir/text.h"
#include "passes/pass.h"
#include "passes/vectorize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct program {
  const char *what, *text;
  int64_t dims[8]; /* the dynamic extents of the arguments */
  unsigned num_dims;
} program;

static const program programs[] = {
    {"ragged product",
     "func.func @f(%a: memref<13x17xf32>, %b: memref<17x70xf32>, %c: memref<13x70xf32>) {\n"
     "  linalg.matmul ins(%a, %b : memref<13x17xf32>, memref<17x70xf32>) outs(%c : memref<13x70xf32>)\n"
     "  return\n"
     "}\n"},
    {"dynamic product",
     "func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {\n"
     "  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)\n"
     "  return\n"
     "}\n",
     {13, 17, 17, 70, 13, 70},
     6},
    {"packed keys, dynamic rows",
     "func.func @f(%a: memref<?x24xf32>, %b: memref<?x24xf32>, %c: memref<?x?xf32>) {\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, "
     "k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
     "ins(%a, %b : memref<?x24xf32>, memref<?x24xf32>) outs(%c : memref<?x?xf32>) {\n"
     "  ^bb0(%x: f32, %y: f32, %o: f32):\n"
     "    %p = arith.mulf %x, %y : f32\n"
     "    %s = arith.addf %o, %p : f32\n"
     "    linalg.yield %s : f32\n"
     "  }\n"
     "  return\n"
     "}\n",
     {13, 75, 13, 75},
     4},
    {"packed keys of a batch, f16 factors",
     "func.func @f(%a: memref<2x20x24xf16>, %b: memref<2x45x24xf16>, %c: memref<2x20x45xf32>) {\n"
     "  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) "
     "-> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = [\"parallel\", \"parallel\", "
     "\"parallel\", \"reduction\"]} ins(%a, %b : memref<2x20x24xf16>, memref<2x45x24xf16>) outs(%c : "
     "memref<2x20x45xf32>) {\n"
     "  ^bb0(%x: f16, %y: f16, %o: f32):\n"
     "    %x1 = arith.extf %x : f16 to f32\n"
     "    %y1 = arith.extf %y : f16 to f32\n"
     "    %p = arith.mulf %x1, %y1 : f32\n"
     "    %s = arith.addf %o, %p : f32\n"
     "    linalg.yield %s : f32\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"lanes of a reduction, rows",
     "func.func @f(%a: memref<33x100xf32>, %b: memref<100xf32>, %c: memref<33xf32>) {\n"
     "  linalg.matvec ins(%a, %b : memref<33x100xf32>, memref<100xf32>) outs(%c : memref<33xf32>)\n"
     "  return\n"
     "}\n"},
    {"vecmat dynamic",
     "func.func @f(%a: memref<?xf32>, %b: memref<?x?xf32>, %c: memref<?xf32>) {\n"
     "  linalg.vecmat ins(%a, %b : memref<?xf32>, memref<?x?xf32>) outs(%c : memref<?xf32>)\n"
     "  return\n"
     "}\n",
     {19, 19, 171, 171},
     4},
    {"dot f64", "func.func @f(%a: memref<123xf64>, %b: memref<123xf64>, %c: memref<f64>) {\n"
                "  linalg.dot ins(%a, %b : memref<123xf64>, memref<123xf64>) outs(%c : memref<f64>)\n"
                "  return\n"
                "}\n"},
    {"dot dynamic bf16",
     "func.func @f(%a: memref<?xbf16>, %b: memref<?xbf16>, %c: memref<f32>) {\n"
     "  linalg.dot ins(%a, %b : memref<?xbf16>, memref<?xbf16>) outs(%c : memref<f32>)\n"
     "  return\n"
     "}\n",
     {77, 77},
     2},
    {"integer batch matmul", "func.func @f(%a: memref<3x5x7xi32>, %b: memref<3x7x19xi32>, %c: memref<3x5x19xi32>) {\n"
                             "  linalg.batch_matmul ins(%a, %b : memref<3x5x7xi32>, memref<3x7x19xi32>) outs(%c : "
                             "memref<3x5x19xi32>)\n"
                             "  return\n"
                             "}\n"},
    {"transpose", "func.func @f(%a: memref<37x53xf32>, %c: memref<53x37xf32>) {\n"
                  "  linalg.transpose ins(%a : memref<37x53xf32>) outs(%c : memref<53x37xf32>) permutation = [1, 0]\n"
                  "  return\n"
                  "}\n"},
    {"transpose dynamic rank 3 i8",
     "func.func @f(%a: memref<?x?x?xi8>, %c: memref<?x?x?xi8>) {\n"
     "  linalg.transpose ins(%a : memref<?x?x?xi8>) outs(%c : memref<?x?x?xi8>) permutation = [2, 0, 1]\n"
     "  return\n"
     "}\n",
     {5, 21, 34, 34, 5, 21},
     6},
    {"transposing add of two, f64",
     "func.func @f(%a: memref<19x21xf64>, %b: memref<21x19xf64>, %c: memref<21x19xf64>) {\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>, "
     "affine_map<(m, n) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%a, %b : "
     "memref<19x21xf64>, memref<21x19xf64>) outs(%c : memref<21x19xf64>) {\n"
     "  ^bb0(%x: f64, %y: f64, %o: f64):\n"
     "    %p = arith.subf %x, %y : f64\n"
     "    linalg.yield %p : f64\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"row max", "func.func @f(%a: memref<13x100xf32>, %c: memref<13xf32>) {\n"
                "  linalg.reduce ins(%a : memref<13x100xf32>) outs(%c : memref<13xf32>) dimensions = [1]\n"
                "    (%x: f32, %o: f32) {\n"
                "      %m = arith.maximumf %x, %o : f32\n"
                "      linalg.yield %m : f32\n"
                "    }\n"
                "  return\n"
                "}\n"},
    {"row sums of what is not 0 in padding",
     "func.func @f(%a: memref<6x37xf32>, %c: memref<6xf32>) {\n"
     "  linalg.reduce ins(%a : memref<6x37xf32>) outs(%c : memref<6xf32>) dimensions = [1]\n"
     "    (%x: f32, %o: f32) {\n"
     "      %e = math.cos %x : f32\n"
     "      %m = arith.addf %e, %o : f32\n"
     "      linalg.yield %m : f32\n"
     "    }\n"
     "  return\n"
     "}\n"},
    {"column sum", "func.func @f(%a: memref<13x100xf32>, %c: memref<100xf32>) {\n"
                   "  linalg.reduce ins(%a : memref<13x100xf32>) outs(%c : memref<100xf32>) dimensions = [0]\n"
                   "    (%x: f32, %o: f32) {\n"
                   "      %m = arith.addf %x, %o : f32\n"
                   "      linalg.yield %m : f32\n"
                   "    }\n"
                   "  return\n"
                   "}\n"},
    {"sum over outer and inner, dynamic",
     "func.func @f(%a: memref<?x?x?xf32>, %c: memref<?xf32>) {\n"
     "  linalg.reduce ins(%a : memref<?x?x?xf32>) outs(%c : memref<?xf32>) dimensions = [0, 2]\n"
     "    (%x: f32, %o: f32) {\n"
     "      %m = arith.addf %o, %x : f32\n"
     "      linalg.yield %m : f32\n"
     "    }\n"
     "  return\n"
     "}\n",
     {3, 5, 50, 5},
     4},
    {"min i64 all", "func.func @f(%a: memref<7x9xi64>, %c: memref<i64>) {\n"
                    "  linalg.reduce ins(%a : memref<7x9xi64>) outs(%c : memref<i64>) dimensions = [0, 1]\n"
                    "    (%x: i64, %o: i64) {\n"
                    "      %m = arith.minsi %o, %x : i64\n"
                    "      linalg.yield %m : i64\n"
                    "    }\n"
                    "  return\n"
                    "}\n"},
    {"non-combining reduction: acc = x - acc",
     "func.func @f(%a: memref<7x40xf32>, %c: memref<7xf32>) {\n"
     "  linalg.reduce ins(%a : memref<7x40xf32>) outs(%c : memref<7xf32>) dimensions = [1]\n"
     "    (%x: f32, %o: f32) {\n"
     "      %m = arith.subf %x, %o : f32\n"
     "      linalg.yield %m : f32\n"
     "    }\n"
     "  return\n"
     "}\n"},
    {"argmax, two outputs",
     "func.func @f(%a: memref<9x33xf32>, %c: memref<9xf32>, %d: memref<9xi32>) {\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, "
     "affine_map<(m, n) -> (m)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : memref<9x33xf32>) "
     "outs(%c, %d : memref<9xf32>, memref<9xi32>) {\n"
     "  ^bb0(%x: f32, %o: f32, %i: i32):\n"
     "    %j = linalg.index 1 : index\n"
     "    %k = arith.index_cast %j : index to i32\n"
     "    %g = arith.cmpf ogt, %x, %o : f32\n"
     "    %m = arith.select %g, %x, %o : f32\n"
     "    %l = arith.select %g, %k, %i : i32\n"
     "    linalg.yield %m, %l : f32, i32\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"elementwise with broadcasts, causal mask",
     "func.func @f(%a: memref<?x?xf32>, %r: memref<?xf32>, %b: memref<?xf32>, %c: memref<?x?xf32>) {\n"
     "  %cst = arith.constant -1.0e+30 : f32\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, "
     "affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = [\"parallel\", "
     "\"parallel\"]} ins(%a, %r, %b : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%c : "
     "memref<?x?xf32>) {\n"
     "  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):\n"
     "    %i = linalg.index 0 : index\n"
     "    %j = linalg.index 1 : index\n"
     "    %k = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3 - 2)>(%j)\n"
     "    %g = arith.cmpi sge, %i, %k : index\n"
     "    %e = math.exp %y : f32\n"
     "    %p = arith.mulf %x, %e : f32\n"
     "    %q = arith.addf %p, %z : f32\n"
     "    %m = arith.select %g, %q, %cst : f32\n"
     "    linalg.yield %m : f32\n"
     "  }\n"
     "  return\n"
     "}\n",
     {20, 37, 20, 37, 20, 37},
     6},
    {"short rows", "func.func @f(%a: memref<21x16xf32>, %r: memref<21xf32>, %c: memref<21x16xf32>) {\n"
                   "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, "
                   "affine_map<(m, n) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%a, %r : "
                   "memref<21x16xf32>, memref<21xf32>) outs(%c : memref<21x16xf32>) {\n"
                   "  ^bb0(%x: f32, %y: f32, %o: f32):\n"
                   "    %p = arith.divf %x, %y : f32\n"
                   "    %q = arith.addf %p, %o : f32\n"
                   "    linalg.yield %q : f32\n"
                   "  }\n"
                   "  return\n"
                   "}\n"},
    {"strided views", "func.func @f(%a: memref<40x50xf32>, %c: memref<40x50xf32>) {\n"
                      "  %s = memref.subview %a[2, 3] [12, 20] [2, 2] : memref<40x50xf32> to memref<12x20xf32, "
                      "strided<[100, 2], offset: 103>>\n"
                      "  %t = memref.subview %c[1, 5] [12, 20] [1, 1] : memref<40x50xf32> to memref<12x20xf32, "
                      "strided<[50, 1], offset: 55>>\n"
                      "  memref.copy %s, %t : memref<12x20xf32, strided<[100, 2], offset: 103>> to memref<12x20xf32, "
                      "strided<[50, 1], offset: 55>>\n"
                      "  linalg.exp ins(%s : memref<12x20xf32, strided<[100, 2], offset: 103>>) outs(%s : "
                      "memref<12x20xf32, strided<[100, 2], offset: 103>>)\n"
                      "  return\n"
                      "}\n"},
    {"fill and rank 0, rank 5",
     "func.func @f(%a: memref<f32>, %c: memref<2x3x1x2x9xf32>, %d: memref<2x3x1x2x9xf32>, %e: "
     "memref<f32>) {\n"
     "  %z = arith.constant 2.5 : f32\n"
     "  linalg.fill ins(%z : f32) outs(%a : memref<f32>)\n"
     "  linalg.fill ins(%z : f32) outs(%c : memref<2x3x1x2x9xf32>)\n"
     "  linalg.mul ins(%c, %d : memref<2x3x1x2x9xf32>, memref<2x3x1x2x9xf32>) outs(%d : "
     "memref<2x3x1x2x9xf32>)\n"
     "  linalg.copy ins(%a : memref<f32>) outs(%e : memref<f32>)\n"
     "  return\n"
     "}\n"},
    {"i1 and compare", "func.func @f(%a: memref<5x70xf32>, %c: memref<5x70xi1>, %d: memref<5x70xf16>) {\n"
                       "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, "
                       "affine_map<(m, n) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%a : "
                       "memref<5x70xf32>) outs(%c, %d : memref<5x70xi1>, memref<5x70xf16>) {\n"
                       "  ^bb0(%x: f32, %o: i1, %q: f16):\n"
                       "    %z = arith.constant 0.0 : f32\n"
                       "    %g = arith.cmpf ogt, %x, %z : f32\n"
                       "    %t = arith.truncf %x : f32 to f16\n"
                       "    linalg.yield %g, %t : i1, f16\n"
                       "  }\n"
                       "  return\n"
                       "}\n"},
    {"load in the body: gathers rows",
     "func.func @f(%t: memref<10x30xf32>, %i: memref<8xi32>, %c: memref<8x30xf32>) {\n"
     "  %c10 = arith.constant 10 : i32\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], "
     "iterator_types = [\"parallel\", \"parallel\"]} ins(%i : memref<8xi32>) outs(%c : memref<8x30xf32>) {\n"
     "  ^bb0(%x: i32, %o: f32):\n"
     "    %m0 = arith.remui %x, %c10 : i32\n"
     "    %m = arith.index_castui %m0 : i32 to index\n"
     "    %n = linalg.index 1 : index\n"
     "    %v = memref.load %t[%m, %n] : memref<10x30xf32>\n"
     "    linalg.yield %v : f32\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"load in the body: elements of small tables",
     "func.func @f(%t: memref<11xf32>, %h: memref<16xf16>, %i: memref<7x37xi32>, %c: memref<7x37xf32>) {\n"
     "  %c11 = arith.constant 11 : i32\n"
     "  %c15 = arith.constant 15 : i32\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], "
     "iterator_types = [\"parallel\", \"parallel\"]} ins(%i : memref<7x37xi32>) outs(%c : memref<7x37xf32>) {\n"
     "  ^bb0(%x: i32, %o: f32):\n"
     "    %m0 = arith.remui %x, %c11 : i32\n"
     "    %m = arith.index_castui %m0 : i32 to index\n"
     "    %v = memref.load %t[%m] : memref<11xf32>\n"
     "    %n0 = arith.andi %x, %c15 : i32\n"
     "    %n = arith.index_castui %n0 : i32 to index\n"
     "    %w0 = memref.load %h[%n] : memref<16xf16>\n"
     "    %w = arith.extf %w0 : f16 to f32\n"
     "    %p = arith.mulf %v, %w : f32\n"
     "    linalg.yield %p : f32\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"a table that is complete only after the last tile of the op before",
     "func.func @f(%b: memref<16x600xf32>, %c: memref<16xf32>) {\n"
     "  %zero = arith.constant 0.0 : f32\n"
     "  %c7 = arith.constant 7 : index\n"
     "  %c16 = arith.constant 16 : index\n"
     "  %y = memref.alloc() : memref<16xf32>\n"
     "  %z = memref.alloc() : memref<16xf32>\n"
     "  linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = "
     "[\"parallel\", \"reduction\"]} ins(%b : memref<16x600xf32>) outs(%y : memref<16xf32>) {\n"
     "  ^bb0(%x: f32, %o: f32):\n"
     "    %s = arith.addf %x, %o : f32\n"
     "    linalg.yield %s : f32\n"
     "  }\n"
     "  linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = "
     "[\"parallel\"]} ins(%y : memref<16xf32>) outs(%z : memref<16xf32>) {\n"
     "  ^bb0(%x: f32, %o: f32):\n"
     "    %i = linalg.index 0 : index\n"
     "    %j = arith.muli %i, %c7 : index\n"
     "    %m = arith.remui %j, %c16 : index\n"
     "    %v = memref.load %y[%m] : memref<16xf32>\n"
     "    %d = arith.subf %x, %v : f32\n"
     "    linalg.yield %d : f32\n"
     "  }\n"
     "  linalg.copy ins(%z : memref<16xf32>) outs(%c : memref<16xf32>)\n"
     "  return\n"
     "}\n"},
    {"integer division",
     "func.func @f(%a: memref<33xi32>, %b: memref<33xi32>, %c: memref<33xi32>) {\n"
     "  %one = arith.constant 1 : i32\n"
     "  linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) "
     "-> (m)>], iterator_types = [\"parallel\"]} ins(%a, %b : memref<33xi32>, memref<33xi32>) outs(%c : "
     "memref<33xi32>) {\n"
     "  ^bb0(%x: i32, %y: i32, %o: i32):\n"
     "    %w = arith.ori %y, %one : i32\n"
     "    %m0 = arith.divsi %x, %w : i32\n"
     "    linalg.yield %m0 : i32\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"convolution", "func.func @f(%a: memref<40xf32>, %b: memref<5xf32>, %c: memref<36xf32>) {\n"
                    "  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m + k)>, affine_map<(m, k) -> (k)>, "
                    "affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a, %b : "
                    "memref<40xf32>, memref<5xf32>) outs(%c : memref<36xf32>) {\n"
                    "  ^bb0(%x: f32, %y: f32, %o: f32):\n"
                    "    %p = arith.mulf %x, %y : f32\n"
                    "    %s = arith.addf %o, %p : f32\n"
                    "    linalg.yield %s : f32\n"
                    "  }\n"
                    "  return\n"
                    "}\n"},
    {"diagonal", "func.func @f(%a: memref<20x20xf32>, %c: memref<20xf32>) {\n"
                 "  linalg.generic {indexing_maps = [affine_map<(m) -> (m, m)>, affine_map<(m) -> (m)>], "
                 "iterator_types = [\"parallel\"]} ins(%a : memref<20x20xf32>) outs(%c : memref<20xf32>) {\n"
                 "  ^bb0(%x: f32, %o: f32):\n"
                 "    linalg.yield %x : f32\n"
                 "  }\n"
                 "  return\n"
                 "}\n"},
    {"two contracted loops, accumulators in f64 from f32",
     "func.func @f(%a: memref<6x5x7xf32>, %b: memref<7x5x18xf32>, %c: memref<6x18xf64>) {\n"
     "  linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) "
     "-> (l, k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
     "\"reduction\", \"reduction\"]} ins(%a, %b : memref<6x5x7xf32>, memref<7x5x18xf32>) outs(%c : "
     "memref<6x18xf64>) {\n"
     "  ^bb0(%x: f32, %y: f32, %o: f64):\n"
     "    %x1 = arith.extf %x : f32 to f64\n"
     "    %y1 = arith.extf %y : f32 to f64\n"
     "    %p = arith.mulf %x1, %y1 : f64\n"
     "    %s = arith.addf %o, %p : f64\n"
     "    linalg.yield %s : f64\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"transposed left factor and broadcast inside a forall",
     "func.func @f(%a: memref<17x26xf32>, %b: memref<17x40xf32>, %c: memref<26x40xf32>) {\n"
     "  scf.forall (%i) = (0) to (26) step (13) {\n"
     "    %as = memref.subview %a[0, %i] [17, 13] [1, 1] : memref<17x26xf32> to memref<17x13xf32, "
     "strided<[26, 1], offset: ?>>\n"
     "    %cs = memref.subview %c[%i, 0] [13, 40] [1, 1] : memref<26x40xf32> to memref<13x40xf32, "
     "strided<[40, 1], offset: ?>>\n"
     "    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, "
     "n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
     "ins(%as, %b : memref<17x13xf32, strided<[26, 1], offset: ?>>, memref<17x40xf32>) outs(%cs : "
     "memref<13x40xf32, strided<[40, 1], offset: ?>>) {\n"
     "    ^bb0(%x: f32, %y: f32, %o: f32):\n"
     "      %p = arith.mulf %x, %y : f32\n"
     "      %s = arith.addf %o, %p : f32\n"
     "      linalg.yield %s : f32\n"
     "    }\n"
     "  }\n"
     "  return\n"
     "}\n"},
    {"broadcast and map", "func.func @f(%a: memref<14xf32>, %c: memref<14x35xf32>, %d: memref<35x14xf32>) {\n"
                          "  linalg.broadcast ins(%a : memref<14xf32>) outs(%c : memref<14x35xf32>) dimensions = [1]\n"
                          "  linalg.broadcast ins(%a : memref<14xf32>) outs(%d : memref<35x14xf32>) dimensions = [0]\n"
                          "  return\n"
                          "}\n"},
    {"empty extents", "func.func @f(%a: memref<4x0xf32>, %c: memref<4xf32>, %d: memref<0x3xf32>) {\n"
                      "  %z = arith.constant 2.5 : f32\n"
                      "  linalg.fill ins(%z : f32) outs(%d : memref<0x3xf32>)\n"
                      "  linalg.reduce ins(%a : memref<4x0xf32>) outs(%c : memref<4xf32>) dimensions = [1]\n"
                      "    (%x: f32, %o: f32) {\n"
                      "      %m = arith.addf %x, %o : f32\n"
                      "      linalg.yield %m : f32\n"
                      "    }\n"
                      "  return\n"
                      "}\n"},
    {"row maximum of numbers in f16, exclusive or of i8",
     "func.func @f(%a: memref<3x37xf16>, %c: memref<3xf16>, %b: memref<3x137xi8>, %d: memref<3xi8>) {\n"
     "  linalg.reduce ins(%a : memref<3x37xf16>) outs(%c : memref<3xf16>) dimensions = [1]\n"
     "    (%x: f16, %o: f16) {\n"
     "      %m = arith.maxnumf %x, %o : f16\n"
     "      linalg.yield %m : f16\n"
     "    }\n"
     "  linalg.reduce ins(%b : memref<3x137xi8>) outs(%d : memref<3xi8>) dimensions = [1]\n"
     "    (%x: i8, %o: i8) {\n"
     "      %m = arith.xori %x, %o : i8\n"
     "      linalg.yield %m : i8\n"
     "    }\n"
     "  return\n"
     "}\n"},
};

static void run_passes(ir_module *module, const char *passes, unsigned vector_bits, unsigned vector_registers) {
  target_facts facts = {.name = "host:test",
                        .kind = TARGET_HOST,
                        .vector_bits = vector_bits,
                        .vector_registers = vector_registers,
                        .accumulators = 8};
  pass_options options = {.target = &facts, .verify = true};
  cr_assert(pass_run(module, passes, &options));
}

static bool is_structured(ir_op *op, void *found) {
  if (ir_op_has(op, IR_STRUCTURED))
    *(bool *)found = true;
  return true;
}

/* The two compute the same, in double precision; both are destroyed. */
static void expect_same(ir_module *before, ir_module *after, const int64_t *dims, unsigned num_dims, const char *what) {
  check_options options = {
      .function = "f", .precision = IR_PRECISION_DOUBLE, .seed = 7, .dims = dims, .num_dims = num_dims};
  check_report report = check_equivalent(before, after, &options);
  cr_assert(report.ok && report.largest_error < 1e-11, "%s\n%s", report.text, what);
  ir_module_destroy(before);
  ir_module_destroy(after);
}

static void check_program(const program *program, unsigned vector_bits, unsigned vector_registers) {
  ir_module *before = check_parse(program->text), *after = check_parse(program->text);
  cr_assert(before && after, "%s", program->what);
  run_passes(after, "register-tile", vector_bits, vector_registers);
  bool found = false;
  ir_walk(ir_region(after->root, 0), is_structured, &found);
  cr_assert(!found, "%s: structured ops are left", program->what);
  expect_same(before, after, program->dims, program->num_dims, program->what);
}

Test(vectorize, register_tiles_compute_what_the_ops_compute) {
  static const unsigned machines[][2] = {{128, 16}, {256, 16}, {512, 32}};
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++)
      check_program(&programs[i], machines[m][0], machines[m][1]);
}

typedef struct panels_found {
  int64_t of_columns, of_rows;
} panels_found;

static bool count_panels(ir_op *op, void *data) {
  panels_found *found = data;
  const ir_type *type = op->code == OP_MEMREF_ALLOCA ? ir_result(op, 0)->type : NULL;
  if (type && type->rank == 3)
    *(type->shape[2] == 16 ? &found->of_columns : &found->of_rows) += type->shape[0];
  return true;
}

/* Rows that meet the panels of all columns block by block, on a machine with so small caches that blocks are of 24 rows
 * or more, and known and open rows that are no multiple of anything; a product with the other factor or, turned, with
 * its transpose. Rows are read where they lie, or from panels of their own. */
static void check_blocks(long rows, long columns, long terms, bool open, bool turned, bool fills_last_cache) {
  target_facts facts = {.name = "host:test",
                        .kind = TARGET_HOST,
                        .vector_bits = 256,
                        .vector_registers = 16,
                        .accumulators = 8,
                        .l1_bytes = 4 << 10,
                        .l2_bytes = 8 << 10,
                        .l3_bytes = 256 << 10,
                        .has_slow_last_cache = !fills_last_cache,
                        .fills_last_cache = fills_last_cache};
  char text[512], extent[24], a[48], b[48], c[48];
  snprintf(extent, sizeof extent, "%ld", rows);
  snprintf(a, sizeof a, "memref<%sx%ldxf32>", open ? "?" : extent, terms);
  snprintf(b, sizeof b, "memref<%ldx%ldxf32>", turned ? columns : terms, turned ? terms : columns);
  snprintf(c, sizeof c, "memref<%sx%ldxf32>", open ? "?" : extent, columns);
  snprintf(text, sizeof text,
           "func.func @f(%%a: %s, %%b: %s, %%c: %s) {\n"
           "  linalg%s ins(%%a, %%b : %s, %s) outs(%%c : %s)%s\n"
           "  return\n}\n",
           a, b, c, turned ? "_ext.batch_matmul" : ".matmul", a, b, c, turned ? " layout = \"nt\"" : "");
  ir_module *before = check_parse(text), *after = check_parse(text);
  cr_assert(before && after);
  cr_assert(pass_run(after, "register-tile", &(pass_options){.target = &facts, .verify = true}));
  panels_found panels = {0};
  ir_walk(ir_region(after->root, 0), count_panels, &panels);
  cr_assert_eq(panels.of_columns, (columns + 15) / 16, "%ld panels\n%s", (long)panels.of_columns, text);
  cr_assert_eq(panels.of_rows > 0, fills_last_cache, "%ld panels of rows\n%s", (long)panels.of_rows, text);
  expect_same(before, after, (int64_t[]){rows, rows}, 2 * open, text);
}

Test(vectorize, blocks_of_rows_meet_the_panels_of_all_columns) {
  for (unsigned kind = 0; kind < 8; kind++) {
    bool open = kind & 1, turned = kind & 2, fills_last_cache = kind & 4;
    check_blocks(256, 512, 16, open, turned, fills_last_cache);
    check_blocks(301, 530, 15, open, turned, fills_last_cache);
    check_blocks(343, 605, 9, open, turned, fills_last_cache);
    check_blocks(5, 521, 12, true, turned, fills_last_cache);
    check_blocks(0, 521, 12, true, turned, fills_last_cache);
  }
}

typedef struct few_rows_found {
  bool apart, beside; /* lanes of even places before those of odd ones; sums of several rows of both factors */
} few_rows_found;

static bool find_few_rows(ir_op *op, void *data) {
  few_rows_found *found = data;
  found->apart |= op->code == OP_VECTOR_DEINTERLEAVE;
  found->beside |= op->code == OP_VECTOR_MULTI_REDUCTION && ir_operand(op, 0)->type->rank == 3;
  return true;
}

/* A few rows, known or not, by a factor of bf16 or its transpose, on a machine with small register tiles. */
static few_rows_found check_few_rows(long rows, long columns, long terms, const char *element, bool open, bool turned) {
  target_facts facts = {
      .name = "host:test", .kind = TARGET_HOST, .vector_bits = 256, .vector_registers = 16, .accumulators = 12};
  char text[1024], a[48], b[48], c[48], extent[24];
  snprintf(extent, sizeof extent, "%ld", columns);
  const char *wide = open ? "?" : extent;
  snprintf(a, sizeof a, "memref<%ldx%ldx%s>", rows, terms, element);
  if (turned)
    snprintf(b, sizeof b, "memref<%sx%ldxbf16>", wide, terms);
  else
    snprintf(b, sizeof b, "memref<%ldx%sxbf16>", terms, wide);
  snprintf(c, sizeof c, "memref<%ldx%sxf32>", rows, wide);
  bool narrow = !strcmp(element, "bf16");
  snprintf(text, sizeof text,
           "func.func @f(%%a: %s, %%b: %s, %%c: %s) {\n"
           "  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (%s)>,\n"
           "      affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
           "      ins(%%a, %%b : %s, %s) outs(%%c : %s) {\n"
           "  ^bb0(%%x: %s, %%y: bf16, %%o: f32):\n"
           "%s"
           "    %%v = arith.extf %%y : bf16 to f32\n"
           "    %%p = arith.mulf %s, %%v : f32\n"
           "    %%s = arith.addf %%o, %%p : f32\n"
           "    linalg.yield %%s : f32\n"
           "  }\n"
           "  return\n}\n",
           a, b, c, turned ? "n, k" : "k, n", a, b, c, element, narrow ? "    %u = arith.extf %x : bf16 to f32\n" : "",
           narrow ? "%u" : "%x");
  ir_module *before = check_parse(text), *after = check_parse(text);
  cr_assert(before && after, "%s", text);
  cr_assert(pass_run(after, "register-tile", &(pass_options){.target = &facts, .verify = true}), "%s", text);
  few_rows_found found = {0};
  ir_walk(ir_region(after->root, 0), find_few_rows, &found);
  expect_same(before, after, (int64_t[]){columns, columns}, 2 * open, text);
  return found;
}

Test(vectorize, few_rows_meet_a_factor_that_is_read_once) {
  static const long extents[][2] = {{64, 64}, {33, 128}, {130, 97}, {7, 256}, {1, 48}, {19, 15}};
  for (unsigned kind = 0; kind < 8; kind++)
    for (long rows = 1; rows <= 9; rows++)
      for (unsigned i = 0; i < sizeof extents / sizeof *extents; i++)
        check_few_rows(rows, extents[i][0], extents[i][1], kind & 4 ? "f32" : "bf16", kind & 1, kind & 2);
  cr_assert(check_few_rows(1, 64, 64, "bf16", false, true).apart, "one row of terms");
  cr_assert(check_few_rows(1, 64, 64, "bf16", false, false).apart, "one row of columns");
  cr_assert(!check_few_rows(4, 64, 16, "bf16", false, false).apart, "few terms of many sums");
  cr_assert(!check_few_rows(1, 64, 64, "f32", false, true).beside, "one row");
  cr_assert(check_few_rows(4, 64, 64, "f32", false, true).beside &&
                check_few_rows(4, 64, 64, "bf16", true, true).beside,
            "four rows");
  cr_assert(!check_few_rows(9, 64, 64, "f32", false, true).beside, "too many rows for so few terms");
}

/* Replaces a structured op on static memrefs by one tile of all its iterations, each extent rounded up to a multiple of
 * `multiple`: what a GPU target does with the ops of a thread block. */
static void vectorize_whole(ir_op *op, int64_t multiple) {
  const ir_structure *structure = ir_structure_of(op);
  vector_operand operands[4];
  vector_tile tile = {.op = op, .operands = operands, .num_dims = structure->num_loops};
  int64_t extents[IR_MAX_LOOPS];
  cr_assert_eq(vectorize_loops(op), (1u << structure->num_loops) - 1);
  vectorize_operands(op, operands);
  ir_loop_extents(op, extents);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    tile.loops[loop] = loop;
    tile.sizes[loop] = (extents[loop] + multiple - 1) / multiple * multiple;
    tile.masked |= (uint32_t)(tile.sizes[loop] != extents[loop]) << loop;
    tile.ends[loop] = ir_index_const(extents[loop]);
  }
  ir_builder builder = ir_builder_before(op);
  ir_value *accumulator = vectorize_begin(&builder, &tile, 0);
  vectorize_body(&builder, &tile, &accumulator);
  vectorize_write(&builder, &tile, ir_num_inputs(tile.op), vectorize_end(&builder, &tile, 0, accumulator));
  ir_op_erase(op);
}

static bool visit_whole(ir_op *op, void *multiple) {
  if (ir_op_has(op, IR_STRUCTURED))
    vectorize_whole(op, *(int64_t *)multiple);
  return true;
}

Test(vectorize, whole_tiles_reduce_at_once) {
  static const char *const texts[] = {
      "func.func @f(%a: memref<6x9xf32>, %b: memref<9x5xf32>, %c: memref<6x5xf32>) {\n"
      "  linalg.matmul ins(%a, %b : memref<6x9xf32>, memref<9x5xf32>) outs(%c : memref<6x5xf32>)\n"
      "  return\n}\n",
      "func.func @f(%a: memref<5x7x3xf32>, %c: memref<3x5xf32>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (j, i)>],\n"
      "      iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
      "      ins(%a : memref<5x7x3xf32>) outs(%c : memref<3x5xf32>) {\n"
      "  ^bb0(%x: f32, %old: f32):\n"
      "    %e = math.exp %x : f32\n"
      "    %s = arith.addf %old, %e : f32\n"
      "    linalg.yield %s : f32\n"
      "  }\n"
      "  return\n}\n",
      "func.func @f(%a: memref<5x7xi16>, %c: memref<5xi16>) {\n"
      "  linalg.reduce ins(%a : memref<5x7xi16>) outs(%c : memref<5xi16>) dimensions = [1]\n"
      "    (%x: i16, %old: i16) {\n"
      "      %n = arith.minsi %x, %old : i16\n"
      "      linalg.yield %n : i16\n"
      "    }\n"
      "  return\n}\n"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    for (int64_t multiple = 1; multiple <= 4; multiple *= 4) {
      ir_module *before = check_parse(texts[i]), *after = check_parse(texts[i]);
      cr_assert(before && after);
      ir_walk(ir_region(after->root, 0), visit_whole, &multiple);
      cr_assert(ir_verify(after, IR_STAGE_VECTOR));
      check_options options = {.function = "f", .precision = IR_PRECISION_DOUBLE, .seed = 3, .std = 2};
      check_report report = check_equivalent(before, after, &options);
      cr_assert(report.ok && report.largest_error < 1e-11, "program %u: %s", i, report.text);
      ir_module_destroy(before);
      ir_module_destroy(after);
    }
}
