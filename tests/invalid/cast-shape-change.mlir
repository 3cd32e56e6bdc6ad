// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: vector<4xf16>) {
// CHECK: cast-shape-change.mlir:[[@LINE+1]]:8: error: 'arith.extf' op requires one shape for all operands and results, got vector<8xf32> and vector<4xf16>{{$}}
  %0 = arith.extf %a : vector<4xf16> to vector<8xf32>
  return
}
