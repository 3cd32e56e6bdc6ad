// RUN: %reject compile %s --target=nvptx:sm_80 --emit=ptx -o - | FileCheck %s
// A position that is computed before kernels run, by an op that is not computed there.
func.func @f(%cache: memref<64x16xf32>, %row: tensor<1x16xf32>, %n: index) {
  %c64 = arith.constant 64 : index
  %before = bufferization.to_tensor %cache restrict writable : memref<64x16xf32> to tensor<64x16xf32>
// CHECK: size-of-remainder.mlir:[[@LINE+1]]:9: error: 'arith.remui' op computes a size or a position, which GPUs are told before kernels run, in a way that is not known there{{$}}
  %at = arith.remui %n, %c64 : index
  %after = tensor.insert_slice %row into %before[%at, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<64x16xf32>
  bufferization.materialize_in_destination %after in restrict writable %cache : (tensor<64x16xf32>, memref<64x16xf32>) -> ()
  return
}
