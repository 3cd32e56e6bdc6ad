// RUN: %reject opt %s | FileCheck %s
func.func @f(%x: f64, %m: memref<4xf32>, %i: index) {
// CHECK: store-element-type.mlir:[[@LINE+1]]:3: error: 'memref.store' op cannot write f64 into memref<4xf32>{{$}}
  "memref.store"(%x, %m, %i) : (f64, memref<4xf32>, index) -> ()
  return
}
