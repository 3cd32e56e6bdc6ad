// RUN: tcc-attn opt %s --passes=simplify,decompose-torch,simplify --target=host:x86-64-v3 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=simplify,decompose-torch,simplify --target=nvptx:sm_80 --verify | FileCheck %s --check-prefix=GPU
// What of a sort is used decides how it is made: the first elements of long rows are selected, by the bits of keys.

// The key of the last that counts, in 32 steps; a list of places; no network has rows of 600.
// CHECK-LABEL: @first
// CHECK: scf.forall {{.*}} in (4)
// CHECK: scf.for {{.*}} to %c32 {{.*}} -> (i32)
// CHECK: tensor.insert {{.*}} : tensor<9xi32>
// CHECK: tensor.parallel_insert_slice {{.*}} into tensor<4x8xi32>
// CHECK-NOT: 600xi64
// CHECK-NOT: tm_tensor.sort
// CHECK: return
// On a GPU places are counted.
// GPU-LABEL: @first
// GPU-NOT: scf.
// GPU: iterator_types = ["parallel", "parallel", "reduction"]
// GPU: return
func.func @first(%x: tensor<4x600xf32>) -> tensor<4x2xf32> {
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<4x600xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<4x600xf32>
  %values = tensor.extract_slice %sorted[0, 6] [4, 2] [1, 1] : tensor<4x600xf32> to tensor<4x2xf32>
  return %values : tensor<4x2xf32>
}

// More than half is as much work as all; 16 parts of a row, of 64 elements, are lanes.
// CHECK-LABEL: @most
// CHECK: scf.forall {{.*}} in (4)
// CHECK: scf.for {{.*}} to %c6 {{.*}} -> (tensor<64x16xi64>)
// CHECK: tensor<128x8xi64>
// CHECK: scf.for {{.*}} -> (tensor<1024x1xi64>)
// CHECK: tensor.parallel_insert_slice {{.*}} into tensor<4x600xi32>
// CHECK: return
func.func @most(%x: tensor<4x600xf32>) -> tensor<4x301xf32> {
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<4x600xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<4x600xf32>
  %values = tensor.extract_slice %sorted[0, 0] [4, 301] [1, 1] : tensor<4x600xf32> to tensor<4x301xf32>
  return %values : tensor<4x301xf32>
}

// All else that is used of it, too, is of rows: 16 of 40 are lanes, and rows are short.
// CHECK-LABEL: @rows
// CHECK: scf.forall {{.*}} to (40) step (16)
// CHECK: scf.for {{.*}} to %c7 {{.*}} -> (tensor<100x16xi64>)
// CHECK: return
func.func @rows(%x: tensor<40x100xf32>) -> (tensor<40x2xf32>, tensor<40x100xf32>) {
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<40x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<40x100xf32>
  %values = tensor.extract_slice %sorted[0, 0] [40, 2] [1, 1] : tensor<40x100xf32> to tensor<40x2xf32>
  return %values, %sorted : tensor<40x2xf32>, tensor<40x100xf32>
}

// Numbers of 64 bits leave no room for their places, nor do two keys.
// CHECK-LABEL: @wide
// CHECK: scf.for {{.*}} -> (tensor<100x16xi64>, tensor<100x16xi32>)
// CHECK: return
func.func @wide(%x: tensor<40x100xi64>) -> tensor<40x100xi64> {
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<40x100xi64>) {
  ^bb0(%a: i64, %b: i64):
    %before = arith.cmpi slt, %a, %b : i64
    tm_tensor.yield %before : i1
  } -> tensor<40x100xi64>
  return %sorted : tensor<40x100xi64>
}
