// Memref arguments that functions read and write as tensors, and results that are updates of arguments: each in place
// where nobody reads what was there before, else by a copy.
// RUN: tcc-attn run %s --func=swap --random --check | FileCheck %s --check-prefix=SWAP
// RUN: tcc-attn run %s --func=square --random --check | FileCheck %s --check-prefix=SQUARE
// RUN: tcc-attn run %s --func=expo --random --check | FileCheck %s --check-prefix=EXPO
// RUN: tcc-attn run %s --func=both --random --check | FileCheck %s --check-prefix=BOTH
// RUN: tcc-attn run %s --func=out --random --check | FileCheck %s --check-prefix=OUT
// RUN: tcc-attn run %s --func=reads --random --check | FileCheck %s --check-prefix=READS
// RUN: tcc-attn run %s --func=open --random --dims=20,13,9,13,30,13 --check | FileCheck %s --check-prefix=OPEN
// RUN: tcc-attn run %s --func=none --random --check | FileCheck %s --check-prefix=NONE
// RUN: tcc-attn run %s --func=copies --random --check | FileCheck %s --check-prefix=COPIES
// RUN: tcc-attn run %s --func=swap --random --check --device=ptx-emu | FileCheck %s --check-prefix=SWAP
// RUN: tcc-attn run %s --func=square --random --check --device=ptx-emu | FileCheck %s --check-prefix=SQUARE
// RUN: tcc-attn run %s --func=both --random --check --device=ptx-emu | FileCheck %s --check-prefix=BOTH
// RUN: tcc-attn run %s --func=square --random --check --fuse=off | FileCheck %s --check-prefix=SQUARE
// RUN: tcc-attn run %s --func=given --random --dims=6,6 --check | FileCheck %s --check-prefix=GIVEN
// RUN: not tcc-attn run %s --func=given --random --dims=6,5 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=open --random --dims=20,13,9,13,30,14 2>&1 | FileCheck %s --check-prefix=UNFIT
// UNFIT: error: the shapes of the arguments of '{{.*}}' do not fit together

#id = affine_map<(i, j) -> (i, j)>
// SWAP-COUNT-2: : good
func.func @swap(%a: memref<5x7xf32>, %b: memref<5x7xf32>) {
  %x = bufferization.to_tensor %a restrict writable : memref<5x7xf32> to tensor<5x7xf32>
  %y = bufferization.to_tensor %b restrict writable : memref<5x7xf32> to tensor<5x7xf32>
  bufferization.materialize_in_destination %y in restrict writable %a : (tensor<5x7xf32>, memref<5x7xf32>) -> ()
  bufferization.materialize_in_destination %x in restrict writable %b : (tensor<5x7xf32>, memref<5x7xf32>) -> ()
  return
}
// SQUARE-COUNT-1: : good
func.func @square(%a: memref<33x33xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %a restrict writable : memref<33x33xf32> to tensor<33x33xf32>
  %e = tensor.empty() : tensor<33x33xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<33x33xf32>) -> tensor<33x33xf32>
  %r = linalg.matmul ins(%x, %x : tensor<33x33xf32>, tensor<33x33xf32>) outs(%i : tensor<33x33xf32>) -> tensor<33x33xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<33x33xf32>, memref<33x33xf32>) -> ()
  return
}
// EXPO-COUNT-2: : good
func.func @expo(%a: memref<33x33xf32>) -> tensor<33x33xf32> {
  %x = bufferization.to_tensor %a restrict writable : memref<33x33xf32> to tensor<33x33xf32>
  %e = tensor.empty() : tensor<33x33xf32>
  %r = linalg.exp ins(%x : tensor<33x33xf32>) outs(%e : tensor<33x33xf32>) -> tensor<33x33xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<33x33xf32>, memref<33x33xf32>) -> ()
  return %x : tensor<33x33xf32>
}
// BOTH-COUNT-3: : good
func.func @both(%a: memref<33x33xf32>, %row: tensor<33xf32>) -> (tensor<33x33xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %a restrict writable : memref<33x33xf32> to tensor<33x33xf32>
  %r = tensor.insert_slice %row into %x[4, 0] [1, 33] [1, 1] : tensor<33xf32> into tensor<33x33xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<33x33xf32>, memref<33x33xf32>) -> ()
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%x : tensor<33x33xf32>) outs(%i : tensor<f32>) dimensions = [0, 1] (%v: f32, %acc: f32) {
    %t = arith.addf %v, %acc : f32
    linalg.yield %t : f32
  }
  return %r, %s : tensor<33x33xf32>, tensor<f32>
}
// OUT-COUNT-2: : good
func.func @out(%t: tensor<33x9xf32>, %a: memref<33x9xf32>, %b: memref<33x9xf32>) {
  %e = tensor.empty() : tensor<33x9xf32>
  %r = linalg.exp ins(%t : tensor<33x9xf32>) outs(%e : tensor<33x9xf32>) -> tensor<33x9xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<33x9xf32>, memref<33x9xf32>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<33x9xf32>, memref<33x9xf32>) -> ()
  return
}
// READS-COUNT-2: : good
func.func @reads(%a: memref<4x4xf32>) -> tensor<4x4xf32> {
  %x = bufferization.to_tensor %a restrict : memref<4x4xf32> to tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// OPEN-COUNT-2: : good
func.func @open(%q: tensor<?x?xf32>, %rows: tensor<?x?xf32>, %a: memref<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = bufferization.to_tensor %a restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x?xf32>
  %d = tensor.dim %rows, %c1 : tensor<?x?xf32>
  %m = tensor.dim %q, %c0 : tensor<?x?xf32>
  %l = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.insert_slice %rows into %x[0, 0] [%n, %d] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  bufferization.materialize_in_destination %k in restrict writable %a : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  %e = tensor.empty(%m, %l) : tensor<?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%q, %k : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// NONE-COUNT-1: : good
func.func @none(%a: memref<0x5xf32>) {
  %x = bufferization.to_tensor %a restrict writable : memref<0x5xf32> to tensor<0x5xf32>
  %e = tensor.empty() : tensor<0x5xf32>
  %r = linalg.exp ins(%x : tensor<0x5xf32>) outs(%e : tensor<0x5xf32>) -> tensor<0x5xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<0x5xf32>, memref<0x5xf32>) -> ()
  return
}
// Results that are updates of arguments that are read only.
// COPIES-COUNT-3: : good
func.func @copies(%a: tensor<33x9xf32>, %row: tensor<9xf32>) -> (tensor<33x9xf32>, tensor<33x9xf32>, tensor<33x9xf32>) {
  %x = tensor.insert_slice %row into %a[3, 0] [1, 9] [1, 1] : tensor<9xf32> into tensor<33x9xf32>
  %y = tensor.insert_slice %row into %x[7, 0] [1, 9] [1, 1] : tensor<9xf32> into tensor<33x9xf32>
  %z = tensor.insert_slice %row into %a[9, 0] [1, 9] [1, 1] : tensor<9xf32> into tensor<33x9xf32>
  return %x, %y, %z : tensor<33x9xf32>, tensor<33x9xf32>, tensor<33x9xf32>
}
// GIVEN-COUNT-1: : good
func.func @given(%t: tensor<?xf32>, %a: memref<?xf32>) {
  bufferization.materialize_in_destination %t in restrict writable %a : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}
