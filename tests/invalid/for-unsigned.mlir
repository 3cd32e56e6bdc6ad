// RUN: %reject opt %s | FileCheck %s
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: for-unsigned.mlir:[[@LINE+1]]:3: error: 'scf.for' op compares its bounds with sign; 'unsignedCmp' is not supported{{$}}
  scf.for %i = %c0 to %n step %c1 {
  } {unsignedCmp}
  return
}
