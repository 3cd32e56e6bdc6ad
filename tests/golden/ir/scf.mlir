// Structured control flow.
func.func @loops(%n: index, %t: tensor<16xf32>, %x: f32, %p: i1, %k: i32) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0:2 = scf.for %i = %c0 to %n step %c4 iter_args(%a = %t, %b = %x) -> (tensor<16xf32>, f32) {
    %1 = tensor.extract_slice %a[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>
    %2 = tensor.insert_slice %1 into %a[%i] [4] [1] : tensor<4xf32> into tensor<16xf32>
    scf.yield %2, %b : tensor<16xf32>, f32
  } {tag}
  scf.for %i = %c0 to %n step %c4 {
    scf.for %j = %k to %k step %k : i32 {
    }
  }
  %3 = scf.forall (%i) in (4) shared_outs(%o = %0#0) -> (tensor<16xf32>) {
    %4 = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %5 = tensor.extract_slice %o[%4] [4] [1] : tensor<16xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %5 into %o[%4] [4] [1] : tensor<4xf32> into tensor<16xf32>
    }
  } {mapping = [#gpu.block<x>]}
  scf.forall (%i, %j) = (0, %n) to (%n, 64) step (%c4, 2) {
  } {tag}
  %6 = scf.if %p -> (f32) {
    scf.yield %x : f32
  } else {
    scf.yield %0#1 : f32
  } {tag}
  scf.if %p {
  } else {
    scf.if %p {
    }
  }
  return %3 : tensor<16xf32>
}
