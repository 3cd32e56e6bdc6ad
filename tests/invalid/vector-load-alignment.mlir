// RUN: %reject opt %s | FileCheck %s
func.func @f(%m: memref<4xf32>, %i: index) {
// CHECK: vector-load-alignment.mlir:[[@LINE+1]]:8: error: 'vector.load' op 'alignment' must be a power of two{{$}}
  %0 = vector.load %m[%i] {alignment = 3 : i64} : memref<4xf32>, vector<4xf32>
  return
}
