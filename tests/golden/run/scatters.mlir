// Updates put in place, as torch-mlir's own op says it: whole rows, single elements, windows, several at one place, an open
// number of them; each beside the interpreter. On GPUs there is no loop outside of kernels.
// RUN: tcc-attn run %s --func=rows --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=elements --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=windows --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=windows_of_lower_rank --random --check | FileCheck %s --check-prefix=ONE
// RUN: not tcc-attn compile %s --target=nvptx:sm_90a --emit=ptx 2>&1 | FileCheck %s --check-prefix=LOOP

// ONE: check: result 0: {{.*}}: good
// LOOP: error: 'scf.for' op stands outside of kernels (scf.forall), where only sizes can be computed
func.func @rows(%updates: tensor<50x1x17xf32>, %any: tensor<50x1xi32>, %before: tensor<20x17xf32>) -> tensor<20x17xf32> {
  %most = arith.constant 15 : i32
  %empty = tensor.empty() : tensor<50x1xi32>
  %places = linalg.map ins(%any : tensor<50x1xi32>) outs(%empty : tensor<50x1xi32>) (%in: i32, %was: i32) {
    %0 = arith.andi %in, %most : i32
    linalg.yield %0 : i32
  }
  %all = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%updates, %places : tensor<50x1x17xf32>, tensor<50x1xi32>) outs(%before : tensor<20x17xf32>) {
  ^bb0(%update: f32, %old: f32):
    %0 = arith.addf %old, %update : f32
    tm_tensor.yield %0 : f32
  } -> tensor<20x17xf32>
  return %all : tensor<20x17xf32>
}
func.func @elements(%updates: tensor<30xf32>, %any: tensor<30x2xi32>, %before: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %most = arith.constant 7 : i32
  %empty = tensor.empty() : tensor<30x2xi32>
  %places = linalg.map ins(%any : tensor<30x2xi32>) outs(%empty : tensor<30x2xi32>) (%in: i32, %was: i32) {
    %0 = arith.andi %in, %most : i32
    linalg.yield %0 : i32
  }
  %all = tm_tensor.scatter {dimension_map = array<i64: 1, 0>} unique_indices(false)
      ins(%updates, %places : tensor<30xf32>, tensor<30x2xi32>) outs(%before : tensor<8x9xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<8x9xf32>
  return %all : tensor<8x9xf32>
}
func.func @windows(%updates: tensor<?x2x3xf32>, %any: tensor<?x1xi32>, %before: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %most = arith.constant 3 : i32
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %any, %c0 : tensor<?x1xi32>
  %empty = tensor.empty(%n0) : tensor<?x1xi32>
  %places = linalg.map ins(%any : tensor<?x1xi32>) outs(%empty : tensor<?x1xi32>) (%in: i32, %was: i32) {
    %0 = arith.andi %in, %most : i32
    linalg.yield %0 : i32
  }
  %all = tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(false)
      ins(%updates, %places : tensor<?x2x3xf32>, tensor<?x1xi32>) outs(%before : tensor<9x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    tm_tensor.yield %update : f32
  } -> tensor<9x8xf32>
  return %all : tensor<9x8xf32>
}
func.func @windows_of_lower_rank(%updates: tensor<6x2x3xf32>, %any: tensor<6x2xi32>, %before: tensor<5x9x8xf32>) -> tensor<5x9x8xf32> {
  %most = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<6x2xi32>
  %places = linalg.map ins(%any : tensor<6x2xi32>) outs(%empty : tensor<6x2xi32>) (%in: i32, %was: i32) {
    %0 = arith.andi %in, %most : i32
    linalg.yield %0 : i32
  }
  %all = tm_tensor.scatter {dimension_map = array<i64: 0, 2>} unique_indices(false)
      ins(%updates, %places : tensor<6x2x3xf32>, tensor<6x2xi32>) outs(%before : tensor<5x9x8xf32>) {
  ^bb0(%update: f32, %old: f32):
    %0 = arith.addf %old, %update : f32
    tm_tensor.yield %0 : f32
  } -> tensor<5x9x8xf32>
  return %all : tensor<5x9x8xf32>
}
