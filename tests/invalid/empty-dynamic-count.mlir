// RUN: %reject opt %s | FileCheck %s
func.func @f() {
// CHECK: empty-dynamic-count.mlir:[[@LINE+1]]:8: error: 'tensor.empty' op needs one size for each of the 1 dynamic dims, got 0{{$}}
  %0 = tensor.empty() : tensor<?xf32>
  return
}
