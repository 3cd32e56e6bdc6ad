// RUN: %reject compile %s -o - | FileCheck %s
// Two that swap and began with extents of their own.
// CHECK: {{.*}}:[[@LINE+5]]:10: error: 'scf.for' op makes result 0 of @mixed, whose extents do not follow from those of the arguments
func.func @mixed(%x: tensor<?xf32>, %y: tensor<?xf32>, %steps: tensor<?xi8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %steps, %c0 : tensor<?xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0 : tensor<?xf32>
}
