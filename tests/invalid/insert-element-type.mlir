// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %x: f64, %i: index) {
// CHECK: insert-element-type.mlir:[[@LINE+1]]:8: error: 'tensor.insert' op cannot write f64 into tensor<4xf32>{{$}}
  %0 = "tensor.insert"(%x, %a, %i) : (f64, tensor<4xf32>, index) -> tensor<4xf32>
  return
}
