// RUN: %reject compile %s -o - | FileCheck %s
// A function that is called makes its tensor longer with each step.
// CHECK: {{.*}}:[[@LINE+5]]:8: error: 'scf.for' op may change extent 0 of result 0 that it carries from step to step
func.func private @grow(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (tensor<?xf32>) {
    %twice = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %twice : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @f(%a: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %long = call @grow(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %first = tensor.extract %long[%c0] : tensor<?xf32>
  return %first : f32
}
