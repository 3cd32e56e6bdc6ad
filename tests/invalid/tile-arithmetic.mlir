// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: !amx.tile<4x4xf32>) {
// CHECK: tile-arithmetic.mlir:[[@LINE+1]]:8: error: 'arith.addf' op works on scalars, vectors and tensors, not on !amx.tile<4x4xf32>{{$}}
  %0 = arith.addf %x, %x : !amx.tile<4x4xf32>
  return
}
