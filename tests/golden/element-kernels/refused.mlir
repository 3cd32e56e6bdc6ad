// Kernels of one element an iteration count from 0 by 1.
// RUN: not tcc-attn opt %s --target=nvptx:sm_80 --passes=distribute 2>&1 | FileCheck %s
func.func @f(%x: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: refused.mlir:[[@LINE+1]]:3: error: 'scf.forall' op has an iteration for each element, so it must count from 0 by 1
  scf.forall (%i) = (2) to (8) step (1) {
    memref.store %zero, %x[%i] : memref<8xf32>
  } {tec.by_element}
  return
}
