// RUN: %reject opt %s | FileCheck %s
// CHECK: tensor-of-tensors.mlir:[[@LINE+1]]:27: error: expected an element type: i1, i4, i8, i16, i32, i64, index, f16, bf16, f32 or f64{{$}}
func.func @f(%a: tensor<4xtensor<4xf32>>) {
  return
}
