// The rows of a product x W^T that fill registers, and are few beside the columns, go into lanes: they are turned once, the
// other factor is read where it lies, and the result is turned back.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=turn-rows --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver3 --passes=turn-rows --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver5 --passes=turn-rows --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:emeraldrapids --passes=turn-rows --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:x86-64 --passes=turn-rows | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn opt %s --target=nvptx:sm_90 --passes=turn-rows | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn run %s --func=layer --target=host --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: %if avx2 %{ tcc-attn run %s --func=layer --target=host:znver3 --random --check 2>&1 | FileCheck %s --check-prefix=RESULT %}
// RUN: tcc-attn run %s --func=layer --fuse=off --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=two_layers --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn compile %s --target=host:znver4 --emit=mlir -o - | FileCheck %s --check-prefix=TILE

// RESULT: {{: good$}}
// OTHER-NOT: tec.once
#xk = affine_map<(r, c, k) -> (r, k)>
#wk = affine_map<(r, c, k) -> (c, k)>
#xy = affine_map<(r, c, k) -> (r, c)>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[ROWS:.*]]: tensor<32x512xf32>, %[[WEIGHTS:.*]]: tensor<640x512xf32>
// CHECK: %[[XT:.*]] = linalg.generic {indexing_maps = [#[[SWAP]], #[[ID]]]{{.*}}} ins(%[[ROWS]] : tensor<32x512xf32>) outs(%{{.*}} : tensor<512x32xf32>) attrs = {tec.once}
// CHECK: %[[YT:.*]] = linalg.generic {indexing_maps = [#[[W]], #[[X]], #[[Y]]]{{.*}}} ins(%[[WEIGHTS]], %[[XT]] : {{.*}}) outs(%{{.*}} : tensor<640x32xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SWAP]], #[[ID]]]{{.*}}} ins(%[[YT]] : tensor<640x32xf32>) outs(%{{.*}} : tensor<32x640xf32>)
// In tiles, weights are read in place, and the result's tile is turned as it is stored.
// TILE-LABEL: func.func @layer(
// TILE: vector.transpose {{.*}} vector<16x16xf32>
// TILE: vector.contract {{.*}} vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
// TILE: vector.transpose {{.*}} vector<16x16xf32>
// TILE: return
func.func @layer(%x: tensor<32x512xf32>, %w: tensor<640x512xf32>, %bias: tensor<640xf32>) -> tensor<32x640xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x640xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x640xf32>) -> tensor<32x640xf32>
  %y = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%x, %w : tensor<32x512xf32>, tensor<640x512xf32>)
      outs(%start : tensor<32x640xf32>) -> tensor<32x640xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<32x640xf32>, tensor<640xf32>) outs(%empty : tensor<32x640xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %h = math.tanh %s : f32
    linalg.yield %h : f32
  } -> tensor<32x640xf32>
  return %result : tensor<32x640xf32>
}

// Rows may be made by another op, as by the layer before, and the sides of the product may be swapped.
// CHECK-LABEL: func.func @two_layers(
// CHECK-COUNT-2: tec.once
// CHECK: return
func.func @two_layers(%x: tensor<16x128xf32>, %w: tensor<320x128xf32>, %v: tensor<256x320xf32>) -> tensor<16x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x320xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x320xf32>) -> tensor<16x320xf32>
  %y = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%x, %w : tensor<16x128xf32>, tensor<320x128xf32>)
      outs(%f : tensor<16x320xf32>) -> tensor<16x320xf32>
  %e2 = tensor.empty() : tensor<16x256xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x256xf32>) -> tensor<16x256xf32>
  %z = linalg.generic {indexing_maps = [#wk, #xk, #xy], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v, %y : tensor<256x320xf32>, tensor<16x320xf32>) outs(%f2 : tensor<16x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x256xf32>
  return %z : tensor<16x256xf32>
}

// Not so rows that leave a part of a register over, too many of them, columns that are few, scores, weights that an op
// makes, or sums that go on.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tec.once
// CHECK: return
func.func @others(%x: tensor<20x512xf32>, %w: tensor<640x512xf32>, %many: tensor<96x512xf32>, %few: tensor<128x512xf32>,
                  %q: tensor<16x512xf32>, %on: tensor<16x640xf32>, %scale: f32)
    -> (tensor<20x640xf32>, tensor<96x640xf32>, tensor<16x128xf32>, tensor<16x640xf32>, tensor<16x640xf32>, tensor<16x640xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x640xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<20x640xf32>) -> tensor<20x640xf32>
  %a = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%x, %w : tensor<20x512xf32>, tensor<640x512xf32>)
      outs(%f : tensor<20x640xf32>) -> tensor<20x640xf32>
  %e1 = tensor.empty() : tensor<96x640xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<96x640xf32>) -> tensor<96x640xf32>
  %b = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%many, %w : tensor<96x512xf32>, tensor<640x512xf32>)
      outs(%f1 : tensor<96x640xf32>) -> tensor<96x640xf32>
  %e2 = tensor.empty() : tensor<16x128xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %c = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%q, %few : tensor<16x512xf32>, tensor<128x512xf32>)
      outs(%f2 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %e3 = tensor.empty() : tensor<16x640xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<16x640xf32>) -> tensor<16x640xf32>
  %scores = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%q, %w : tensor<16x512xf32>, tensor<640x512xf32>)
      outs(%f3 : tensor<16x640xf32>) -> tensor<16x640xf32>
  %d = linalg.softmax dimension(1) ins(%scores : tensor<16x640xf32>) outs(%e3 : tensor<16x640xf32>) -> tensor<16x640xf32>
  %e4 = tensor.empty() : tensor<640x512xf32>
  %made = linalg.generic {indexing_maps = [affine_map<(c, k) -> (c, k)>, affine_map<(c, k) -> (c, k)>],
      iterator_types = ["parallel", "parallel"]} ins(%w : tensor<640x512xf32>) outs(%e4 : tensor<640x512xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.mulf %in, %scale : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<640x512xf32>
  %g = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%q, %made : tensor<16x512xf32>, tensor<640x512xf32>)
      outs(%f3 : tensor<16x640xf32>) -> tensor<16x640xf32>
  %h = linalg.matmul indexing_maps = [#xk, #wk, #xy] ins(%q, %w : tensor<16x512xf32>, tensor<640x512xf32>)
      outs(%on : tensor<16x640xf32>) -> tensor<16x640xf32>
  return %a, %b, %c, %d, %g, %h : tensor<20x640xf32>, tensor<96x640xf32>, tensor<16x128xf32>, tensor<16x640xf32>, tensor<16x640xf32>, tensor<16x640xf32>
}
