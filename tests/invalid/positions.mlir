// RUN: %reject opt %s | FileCheck %s
// CHECK: positions.mlir:[[@LINE+1]]:1: error: 'func.func' op lists arguments in 'tec.positions' that are no integers{{$}}
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tec.positions = array<i64: 0>} {
  return %a : tensor<4xf32>
}
