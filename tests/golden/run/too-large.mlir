// A tensor of so many bytes that 64 bits do not count them is memory that there is not.
// RUN: %reject run %s --random --dims=8 | FileCheck %s
// CHECK: error: no scratch memory for 'f'
func.func @f(%a: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %many = arith.constant 268435456 : index
  %extent = tensor.dim %a, %c0 : tensor<?xf32>
  %n = arith.muli %extent, %many : index
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %all = math.exp %ones : tensor<?x?xf32>
  %first = tensor.extract %all[%c0, %c0] : tensor<?x?xf32>
  return %first : f32
}
