// RUN: %reject opt %s | FileCheck %s
// CHECK: huge-extent.mlir:[[@LINE+1]]:25: error: this extent does not fit in 64 bits{{$}}
func.func @f(%a: tensor<99999999999999999999xf32>) {
  return
}
