// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f32, %m: memref<4xf32>) -> tensor<4xf32> {
  %0 = tensor.generate {
  ^bb0(%i: index):
// CHECK: generate-effect.mlir:[[@LINE+1]]:5: error: 'memref.store' op cannot stand in the body of a structured op, which must be free of effects{{$}}
    memref.store %x, %m[%i] : memref<4xf32>
    tensor.yield %x : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
