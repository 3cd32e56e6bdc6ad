// RUN: %reject opt %s | FileCheck %s
// CHECK: memref-unknown-space.mlir:[[@LINE+1]]:34: error: unknown memory space: expected 0, 1, 3, 4, 5 or #gpu.address_space<..>{{$}}
func.func @f(%a: memref<4x4xf32, "nowhere">) {
  return
}
