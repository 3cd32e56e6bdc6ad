// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = scf.forall (%k) in (1) shared_outs(%o = %a) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
// CHECK: forall-insert-elsewhere.mlir:[[@LINE+1]]:7: error: 'tensor.parallel_insert_slice' op must write to an output argument of the enclosing 'scf.forall'{{$}}
      tensor.parallel_insert_slice %a into %b[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return
}
