// RUN: %reject compile %s -o /dev/null | FileCheck %s
// CHECK: public-memref-result.mlir:[[@LINE+1]]:1: error: 'func.func' op is public, but result 0 is neither a tensor nor a scalar{{$}}
func.func @f(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}
