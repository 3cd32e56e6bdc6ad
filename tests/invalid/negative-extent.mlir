// RUN: %reject opt %s | FileCheck %s
// CHECK: negative-extent.mlir:[[@LINE+1]]:25: error: an extent cannot be negative{{$}}
func.func @f(%a: tensor<-4xf32>) {
  return
}
