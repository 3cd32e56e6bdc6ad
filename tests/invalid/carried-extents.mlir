// RUN: %reject compile %s -o - | FileCheck %s
// What it carries is another size in each step, which no call could be asked for.
// CHECK: {{.*}}:[[@LINE+5]]:8: error: 'scf.for' op may change extent 0 of result 0 that it carries from step to step
func.func @shorter(%x: tensor<?xf32>, %steps: tensor<?xi8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %steps, %c0 : tensor<?xi8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %part = tensor.extract_slice %x[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %part : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
