// RUN: sh -c 'tcc-attn opt %s --passes=shapes; test $? = 1' 2>&1 | FileCheck %s
func.func @unknown(%n: index) -> tensor<?xf32> {
  // CHECK: unknown.mlir:[[@LINE+1]]:8: error: 'tensor.empty' op makes result 0 of @unknown, whose extents do not follow from those of the arguments
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
