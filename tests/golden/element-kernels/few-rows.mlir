// On GPUs the three rows of two sums are four in registers: as sixteen, as products want them, their sums went through more
// shared memory than there is. So are the two halves of a byte.
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --emit=mlir --dump=vectorize-tiles -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --func=sums --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=halves --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=halves --random --check --target=nvptx:sm_90a --device=ptx-emu

// CHECK-LABEL: func.func @sums(
// CHECK: vector.multi_reduction <add>, {{.*}} [0] : vector<4x{{[0-9]+}}xi64> to
func.func @sums(%a: tensor<3x4000xi64>) -> (tensor<4000xi64>, tensor<4000xi64>) {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4000xi64>
  %i = linalg.fill ins(%zero : i64) outs(%e : tensor<4000xi64>) -> tensor<4000xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]} ins(%a : tensor<3x4000xi64>) outs(%i, %i : tensor<4000xi64>, tensor<4000xi64>) {
  ^bb0(%x: i64, %p: i64, %q: i64):
    %s = arith.addi %x, %p : i64
    %w = arith.muli %x, %x : i64
    %u = arith.addi %w, %q : i64
    linalg.yield %s, %u : i64, i64
  } -> (tensor<4000xi64>, tensor<4000xi64>)
  return %r#0, %r#1 : tensor<4000xi64>, tensor<4000xi64>
}

// CHECK-LABEL: func.func @halves(
// CHECK: vector<{{[0-9]+}}x2xi32>
func.func @halves(%x: tensor<70x33xi8>) -> tensor<70x33x2xf32> {
  %four = arith.constant 4 : i32
  %low = arith.constant 15 : i32
  %e = tensor.empty() : tensor<70x33x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<70x33xi8>) outs(%e : tensor<70x33x2xf32>) {
  ^bb0(%a: i8, %o: f32):
    %k = linalg.index 2 : index
    %which = arith.index_cast %k : index to i32
    %by = arith.muli %which, %four : i32
    %wide = arith.extui %a : i8 to i32
    %shifted = arith.shrui %wide, %by : i32
    %half = arith.andi %shifted, %low : i32
    %y = arith.sitofp %half : i32 to f32
    linalg.yield %y : f32
  } -> tensor<70x33x2xf32>
  return %r : tensor<70x33x2xf32>
}
