// RUN: sh -c 'tcc-attn opt %s --passes=shapes; test $? = 1' 2>&1 | FileCheck %s
// CHECK: unknown.mlir:[[@LINE+1]]:{{.*}}: error: 'func.func' op the extents of result 0 do not follow from those of the arguments
func.func @unknown(%n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
