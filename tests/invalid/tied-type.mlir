// RUN: %reject opt %s | FileCheck %s
// CHECK: tied-type.mlir:[[@LINE+1]]:1: error: 'func.func' op has no results like the arguments that 'tec.tied' lists, or lacks 'tec.shapes'{{$}}
func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<5xf32> attributes {tec.shapes = @g, tec.tied = array<i64: 0>} {
  return %b : tensor<5xf32>
}
