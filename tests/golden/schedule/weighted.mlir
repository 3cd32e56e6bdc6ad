// The results of experts are added up with a weight for each: tiles follow the products that make them, not the sum,
// which would have single rows of them (4 times as slow).
// RUN: tcc-attn opt %s --target=host:x86-64-v4 --passes=simplify,schedule | FileCheck %s
// RUN: tcc-attn run %s --func=moe --random --check
// RUN: tcc-attn run %s --func=elements --random --check
// RUN: tcc-attn run %s --func=activated --random --check
// CHECK: scf.forall {{.*}} step ({{[0-9][0-9]+}}
// CHECK: linalg.batch_matmul
// CHECK: linalg.contract
// CHECK: scf.forall.in_parallel
#x = affine_map<(t, d, e) -> (e, t, d)>
#g = affine_map<(t, d, e) -> (t, e)>
#o = affine_map<(t, d, e) -> (t, d)>
func.func @moe(%h: tensor<8x256x512xf32>, %w: tensor<8x512x256xf32>, %gate: tensor<256x8xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %y = linalg.batch_matmul ins(%h, %w : tensor<8x256x512xf32>, tensor<8x512x256xf32>) outs(%f : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %eo = tensor.empty() : tensor<256x256xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.contract indexing_maps = [#x, #g, #o] ins(%y, %gate : tensor<8x256x256xf32>, tensor<256x8xf32>) outs(%fo : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// So it is with a weight for each element, and where elementwise ops stand between.
// CHECK-LABEL: func.func @elements(
// CHECK: scf.forall {{.*}} step ({{[0-9][0-9]+}}
func.func @elements(%h: tensor<8x256x64xf32>, %w: tensor<8x64x256xf32>, %gate: tensor<8x256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %y = linalg.batch_matmul ins(%h, %w : tensor<8x256x64xf32>, tensor<8x64x256xf32>) outs(%f : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %eo = tensor.empty() : tensor<256x256xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.contract indexing_maps = [#x, #x, #o] ins(%y, %gate : tensor<8x256x256xf32>, tensor<8x256x256xf32>) outs(%fo : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// CHECK-LABEL: func.func @activated(
// CHECK: scf.forall {{.*}} step ({{[0-9][0-9]+}}
func.func @activated(%h: tensor<8x256x64xf32>, %w: tensor<8x64x256xf32>, %gate: tensor<256x8xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %y = linalg.batch_matmul ins(%h, %w : tensor<8x256x64xf32>, tensor<8x64x256xf32>) outs(%f : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %a = linalg.exp ins(%y : tensor<8x256x256xf32>) outs(%e : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %eo = tensor.empty() : tensor<256x256xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.contract indexing_maps = [#x, #g, #o] ins(%a, %gate : tensor<8x256x256xf32>, tensor<256x8xf32>) outs(%fo : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
