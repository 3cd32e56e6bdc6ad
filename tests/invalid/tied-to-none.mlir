// RUN: %reject opt %s | FileCheck %s
// CHECK: tied-to-none.mlir:[[@LINE+1]]:1: error: 'func.func' op has no results like the arguments that 'tec.tied' lists, or lacks 'tec.shapes'{{$}}
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tec.tied = array<i64: 7>} {
  return %a : tensor<4xf32>
}
