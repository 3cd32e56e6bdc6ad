// A script finds attention that is one op by its name or its attributes, and tiles it by its loops, keys too: all of it
// goes into the loops. The loop along which queries and keys are multiplied stays whole.
// RUN: tcc-attn opt %s --passes=decompose-attention,transform,simplify --verify | FileCheck %s
// RUN: tcc-attn run %s --func=named --random --check
// RUN: tcc-attn run %s --func=state --random --check
// RUN: tcc-attn explain %s | FileCheck %s --check-prefix=EXPLAIN
// RUN: sed 's/tile_sizes = \[1, 8, 0, 50, 0\]/tile_sizes = [1, 8, 4, 0, 0]/' %s > %t
// RUN: not tcc-attn explain %t 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: error: 'transform.structured.fuse_ext' op tiles loop 2 of 'iree_linalg_ext.attention', which no element of the result has its own iterations of
// RUN: sed 's/tile_sizes = \[1, 8, 0, 50, 0\]/tile_sizes = [1, 8, 0, 50, 0, 0]/' %s > %t
// RUN: not tcc-attn explain %t 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'transform.structured.fuse_ext' op is about 6 loops, but 'iree_linalg_ext.attention' has 5

#query = affine_map<(batch, q, d, k, n) -> (batch, q, d)>
#key = affine_map<(batch, q, d, k, n) -> (batch, k, d)>
#value = affine_map<(batch, q, d, k, n) -> (batch, k, n)>
#scale = affine_map<(batch, q, d, k, n) -> ()>
#mask = affine_map<(batch, q, d, k, n) -> (q, k)>
#result = affine_map<(batch, q, d, k, n) -> (batch, q, n)>
#row = affine_map<(batch, q, d, k, n) -> (batch, q)>

// CHECK-LABEL: func.func @named(
// CHECK: scf.for %[[BATCH:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c40{{.*}} step %c8
// CHECK: scf.for %[[KEY:.*]] = %c0{{.*}} to %c300{{.*}} step %c50
// CHECK: tensor.extract_slice %arg0[%[[BATCH]], %[[ROW]], 0] [1, 8, 8]
// CHECK: tensor.extract_slice %arg1[%[[BATCH]], %[[KEY]], 0] [1, 50, 8]
// CHECK: linalg.generic
// CHECK: linalg_ext.softmax dimension(2) ins(%{{.*}} : tensor<1x8x50xf32>)
// CHECK: tensor.extract_slice %arg2[%[[BATCH]], %[[KEY]], 0] [1, 50, 6]
// CHECK: scf.yield
// CHECK-NOT: linalg.generic
// EXPLAIN: @named
// EXPLAIN-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// EXPLAIN-NEXT: 1 kernel, with nothing in memory between
func.func @named(%query: tensor<2x40x8xf32>, %key: tensor<2x300x8xf32>, %value: tensor<2x300x6xf32>, %scale: f32,
                 %mask: tensor<40x300xi1>) -> tensor<2x40x6xf32> {
  %out = tensor.empty() : tensor<2x40x6xf32>
  %result = iree_linalg_ext.attention {indexing_maps = [#query, #key, #value, #scale, #mask, #result]}
      ins(%query, %key, %value, %scale, %mask : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32,
          tensor<40x300xi1>) outs(%out : tensor<2x40x6xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>
  return %result : tensor<2x40x6xf32>
}

// By an attribute, keys outermost; the state of the online form comes out of the loops.
// CHECK-LABEL: func.func @state(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c300{{.*}} step %c60
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c40{{.*}} step %c10
func.func @state(%query: tensor<2x40x8xf32>, %key: tensor<2x300x8xf32>, %value: tensor<2x300x6xf32>, %scale: f32)
    -> (tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<2x40x6xf32>
  %er = tensor.empty() : tensor<2x40xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40x6xf32>) -> tensor<2x40x6xf32>
  %max = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x40xf32>) -> tensor<2x40xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<2x40xf32>) -> tensor<2x40xf32>
  %result:3 = iree_linalg_ext.online_attention {__root__, indexing_maps = [#query, #key, #value, #scale, #result, #row, #row]}
      ins(%query, %key, %value, %scale : tensor<2x40x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>, f32)
      outs(%start, %max, %sum : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
  return %result#0, %result#1, %result#2 : tensor<2x40x6xf32>, tensor<2x40xf32>, tensor<2x40xf32>
}

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  %named = transform.structured.match ops{["iree_linalg_ext.attention"]} in %module : (!transform.any_op) -> !transform.any_op
  %tile, %loops:3 = transform.structured.fuse_ext %named {tile_sizes = [1, 8, 0, 50, 0]}
  transform.structured.tile_loop_hint %tile : !transform.any_op
  %marked = transform.structured.match attributes {__root__} in %module : (!transform.any_op) -> !transform.any_op
  %other, %others:2 = transform.structured.fuse_ext %marked {tile_sizes = [0, 10, 0, 60], tile_interchange = [3, 2, 1, 0]}
  cleanup
}
