// RUN: tcc-attn opt %s --passes=simplify,raise,simplify,merge-elementwise,simplify,schedule,simplify | FileCheck %s
// RUN: tcc-attn run %s --random --check

// Attention with softmax as reductions and generics, and its log-sum-exp: one loop nest gives both.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#key = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
func.func @attention(%q: tensor<8x128x64xf32>, %k: tensor<8x64x96xf32>, %v: tensor<8x96x64xf32>) -> (tensor<8x128x64xf32>, tensor<8x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<8x128x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x128x96xf32>) -> tensor<8x128x96xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x128x64xf32>, tensor<8x64x96xf32>) outs(%f0 : tensor<8x128x96xf32>) -> tensor<8x128x96xf32>
  %ss = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<8x128x96xf32>) outs(%e0 : tensor<8x128x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<8x128x96xf32>
  %er = tensor.empty() : tensor<8x128xf32>
  %fm = linalg.fill ins(%ninf : f32) outs(%er : tensor<8x128xf32>) -> tensor<8x128xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<8x128xf32>) -> tensor<8x128xf32>
  %m = linalg.reduce { arith.maximumf } ins(%ss : tensor<8x128x96xf32>) outs(%fm : tensor<8x128xf32>) dimensions = [2]
  %mk = tensor.expand_shape %m [[0], [1, 2]] output_shape [8, 128, 1] : tensor<8x128xf32> into tensor<8x128x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #key, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ss, %mk : tensor<8x128x96xf32>, tensor<8x128x1xf32>) outs(%e0 : tensor<8x128x96xf32>) {
  ^bb0(%x: f32, %mm: f32, %o: f32):
    %1 = arith.subf %x, %mm : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x128x96xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<8x128x96xf32>) outs(%fs : tensor<8x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.addf %x, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8x128xf32>
  %n = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<8x128x96xf32>, tensor<8x128xf32>) outs(%e0 : tensor<8x128x96xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %1 = arith.divf %x, %d : f32
    linalg.yield %1 : f32
  } -> tensor<8x128x96xf32>
  %e1 = tensor.empty() : tensor<8x128x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x128x64xf32>) -> tensor<8x128x64xf32>
  %out = linalg.batch_matmul ins(%n, %v : tensor<8x128x96xf32>, tensor<8x96x64xf32>) outs(%f1 : tensor<8x128x64xf32>) -> tensor<8x128x64xf32>
  %lse = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%m, %l : tensor<8x128xf32>, tensor<8x128xf32>) outs(%er : tensor<8x128xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %1 = math.log %d : f32
    %2 = arith.addf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x128xf32>
  return %out, %lse : tensor<8x128x64xf32>, tensor<8x128xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK-NOT: tensor<8x128x96xf32>
// CHECK: %[[ALL:.*]]:2 = scf.forall
// CHECK-NOT: linalg.reduce
// CHECK: %[[STEP:.*]]:4 = linalg_ext.softmax dimension(2)
// CHECK: %[[PRODUCT:.*]] = linalg.batch_matmul ins(%[[STEP]]#0
// CHECK: %[[LSE:.*]] = linalg.generic {{.*}} ins(%[[STEP]]#2, %[[STEP]]#1
// CHECK: math.log
// CHECK: tensor.parallel_insert_slice %[[PRODUCT]] into
// CHECK: tensor.parallel_insert_slice %[[LSE]] into
// CHECK: return %[[ALL]]#0, %[[ALL]]#1
