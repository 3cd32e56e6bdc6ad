// RUN: %reject opt %s | FileCheck %s
// CHECK: unranked.mlir:[[@LINE+1]]:25: error: unranked types are not supported: write each extent, ? where it is open
func.func @f(%a: tensor<*xf32>) {
  return
}
