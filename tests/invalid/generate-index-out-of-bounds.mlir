// RUN: %reject opt %s | FileCheck %s
func.func @f(%t: tensor<16xf32>) -> tensor<?x30xf32> {
  %c3 = arith.constant 3 : index
  %r = tensor.generate %c3 {
  ^bb0(%i: index, %k: index):
// CHECK: generate-index-out-of-bounds.mlir:[[@LINE+1]]:10: error: 'tensor.extract' op the subscript of dim 0 runs from 0 to 29, but its extent is 16{{$}}
    %y = tensor.extract %t[%k] : tensor<16xf32>
    tensor.yield %y : f32
  } : tensor<?x30xf32>
  return %r : tensor<?x30xf32>
}
