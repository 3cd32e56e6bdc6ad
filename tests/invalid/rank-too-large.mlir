// RUN: %reject opt %s | FileCheck %s
// CHECK: rank-too-large.mlir:[[@LINE+1]]:57: error: more than 16 dimensions{{$}}
func.func @f(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}
