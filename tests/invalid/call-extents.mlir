// RUN: %reject compile %s -o - | FileCheck %s
// A function that is called gives as many numbers as another one says, which nobody can tell beforehand.
func.func private @start(%a: tensor<?xf32>, %size: tensor<index>) -> tensor<?xf32> {
  %n = tensor.extract %size[] : tensor<index>
  %part = tensor.extract_slice %a[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}
func.func @f(%a: tensor<?xf32>, %size: tensor<index>) -> f32 {
  %c0 = arith.constant 0 : index
// CHECK: call-extents.mlir:[[@LINE+1]]:11: error: 'func.call' op makes results whose extents do not follow from those of its operands (pass 'shapes'){{$}}
  %part = call @start(%a, %size) : (tensor<?xf32>, tensor<index>) -> tensor<?xf32>
  %first = tensor.extract %part[%c0] : tensor<?xf32>
  return %first : f32
}
