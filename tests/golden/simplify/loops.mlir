// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s

// What a loop carries only for itself goes; what never changes is taken from outside; scalars leave the loop.
// CHECK-LABEL: func.func @carried
// CHECK: %[[P:.*]] = arith.mulf %arg1, %arg1
// CHECK: scf.for %{{.*}} iter_args(%[[T:.*]] = %arg0) -> (tensor<8xf32>)
// CHECK-NOT: arith.subf
// CHECK: tensor.insert %[[P]] into %[[T]]
func.func @carried(%a: tensor<8xf32>, %b: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:3 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %b, %t = %a, %z = %b) -> (f32, tensor<8xf32>, f32) {
    %o = arith.subf %x, %z : f32
    %p = arith.mulf %z, %z : f32
    %u = tensor.insert %p into %t[%i] : tensor<8xf32>
    scf.yield %o, %u, %z : f32, tensor<8xf32>, f32
  }
  return %r#1 : tensor<8xf32>
}

// A minimum that the loop decides is a constant; one that a ragged extent decides is not.
// CHECK-LABEL: func.func @bounds
// CHECK: memref.store %c4
// CHECK: affine.min
// CHECK-NOT: affine.apply
func.func @bounds(%m: memref<512xindex>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c512 step %c4 {
    %s = affine.min affine_map<(d0) -> (4, -d0 + 512)>(%i)
    memref.store %s, %m[%i] : memref<512xindex>
    %t = affine.min affine_map<(d0) -> (4, -d0 + 510)>(%i)
    memref.store %t, %m[%i] : memref<512xindex>
    %u = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)
    memref.store %u, %m[%i] : memref<512xindex>
  }
  return
}
