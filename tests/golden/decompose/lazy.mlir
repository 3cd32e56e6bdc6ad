// A maximum stays behind, up to 5.5, where a target gains by that and nobody reads it, nor the sum.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --passes=decompose-softmax | FileCheck %s
// RUN: tcc-attn opt %s --target=spirv:pvc --passes=decompose-softmax | FileCheck %s --check-prefix=EXACT
// RUN: tcc-attn opt %s --target=host --passes=decompose-softmax | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: @unread
// CHECK: %[[START:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}"reduction"]}
// CHECK: %[[LAZY:.*]] = linalg.generic {{.*}} ins(%[[START]], %[[MAX]] :
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[RISE:.*]] = arith.subf %[[NEW]], %[[OLD]]
// CHECK: %[[LAG:.*]] = arith.constant 5.500000e+00 : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf ugt, %[[RISE]], %[[LAG]]
// CHECK: arith.select %[[ABOVE]], %[[NEW]], %[[OLD]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[LAZY]] :
// CHECK: math.exp
// CHECK: scf.yield %{{.*}}, %[[LAZY]],
// EXACT-NOT: arith.constant 5.5
func.func @unread(%s: tensor<3x8xf32>, %v: tensor<8x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<3xf32>
  %eo = tensor.empty() : tensor<3x2xf32>
  %max = linalg.fill ins(%low : f32) outs(%er : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<3xf32>) -> tensor<3xf32>
  %o = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r:3 = scf.for %i = %c0 to %c8 step %c2 iter_args(%a = %o, %m = %max, %l = %sum)
      -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
    %x = tensor.extract_slice %s[0, %i] [3, 2] [1, 1] : tensor<3x8xf32> to tensor<3x2xf32>
    %y = tensor.extract_slice %v[%i, 0] [2, 2] [1, 1] : tensor<8x2xf32> to tensor<2x2xf32>
    %p:4 = linalg_ext.softmax dimension(1) ins(%x : tensor<3x2xf32>) outs(%eo, %m, %l, %er : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    %ed = tensor.empty() : tensor<3x3xf32>
    %d = linalg_ext.diag ins(%p#3 : tensor<3xf32>) outs(%ed : tensor<3x3xf32>) : tensor<3x3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x2xf32>) -> tensor<3x2xf32>
    %b = linalg.matmul ins(%d, %a : tensor<3x3xf32>, tensor<3x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
    %c = linalg.matmul ins(%p#0, %y : tensor<3x2xf32>, tensor<2x2xf32>) outs(%b : tensor<3x2xf32>) -> tensor<3x2xf32>
    scf.yield %c, %p#1, %p#2 : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %r#0 : tensor<3x2xf32>
}
