// The few queries of heads that share keys and values are rows of one loop, with the heads: keys and values are read once
// for all of them. What has these dims apart, or one of them, is copied; an index of queries is a remainder of the row.
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir --dump=join-rows --verify -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir --dump=trim -o %t 2>&1 | FileCheck %s --check-prefix=TRIM
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx --dump=join-rows -o %t 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn run %s --func=window --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=causal --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=lengths --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=apart --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=added --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=slopes --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=narrow --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=many_rows --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=prefill --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=causal --random --check --device=ptx-emu 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}
// CHECK: #[[REMAINDER:map[0-9]*]] = affine_map<(d0) -> (d0 mod 3)>
// GPU: #[[REMAINDER:map[0-9]*]] = affine_map<(d0) -> (d0 mod 3)>

// CHECK-LABEL: func.func @window(
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{.*}} : tensor<1x2x4x3x16xf32> into tensor<1x2x12x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %arg1 : tensor<1x2x12x16xf32>, tensor<1x2x8192x16xf32>)
// CHECK: affine.apply #[[REMAINDER]]
// CHECK: linalg_ext.softmax dimension(3)
// CHECK: tensor.expand_shape %{{.*}} {{.*}} {{.*}} : tensor<1x2x12x16xf32> into tensor<1x2x4x3x16xf32>
// The window of all rows of a tile is what those of its queries cover.
// TRIM-LABEL: func.func @window(
// TRIM: scf.forall {{.*}} = (0, 0, 0) to (1, 2, 12)
// TRIM: scf.for {{.*}} = %c4864 to %c5003 step
// GPU-LABEL: func.func @window(
// GPU: affine.apply #[[REMAINDER]]
func.func @window(%query: tensor<1x8x3x16xf32>, %key: tensor<1x2x8192x16xf32>, %value: tensor<1x2x8192x16xf32>) -> tensor<1x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,3,16] : tensor<1x8x3x16xf32> into tensor<1x2x4x3x16xf32>
  %se = tensor.empty() : tensor<1x2x4x3x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x8192xf32>) -> tensor<1x2x4x3x8192xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x3x16xf32>, tensor<1x2x8192x16xf32>) outs(%s0 : tensor<1x2x4x3x8192xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x8192xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x4x3x8192xf32>) outs(%se : tensor<1x2x4x3x8192xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    %iq = linalg.index 3 : index
    %ik = linalg.index 4 : index
    %off = arith.constant 5000 : index
    %pos = arith.addi %iq, %off : index
    %ca = arith.cmpi sle, %ik, %pos : index
    %w = arith.constant 100 : index
    %df = arith.subi %pos, %ik : index
    %wi = arith.cmpi slt, %df, %w : index
    %both = arith.andi %ca, %wi : i1
    %r1 = arith.select %both, %y, %hidden : f32
    linalg.yield %r1 : f32
  } -> tensor<1x2x4x3x8192xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x8192xf32>) outs(%se : tensor<1x2x4x3x8192xf32>) -> tensor<1x2x4x3x8192xf32>
  %oe = tensor.empty() : tensor<1x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x3x16xf32>) -> tensor<1x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x3x8192xf32>, tensor<1x2x8192x16xf32>) outs(%o0 : tensor<1x2x4x3x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x4x3x16xf32> into tensor<1x8x3x16xf32>
  return %res : tensor<1x8x3x16xf32>
}

// CHECK-LABEL: func.func @causal(
// CHECK: affine.apply #[[REMAINDER]]
// TRIM-LABEL: func.func @causal(
// TRIM: scf.for {{.*}} = %{{.*}} to %c203 step
func.func @causal(%query: tensor<1x8x3x16xf32>, %key: tensor<1x2x300x16xf32>, %value: tensor<1x2x300x16xf32>) -> tensor<1x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,3,16] : tensor<1x8x3x16xf32> into tensor<1x2x4x3x16xf32>
  %se = tensor.empty() : tensor<1x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x3x16xf32>, tensor<1x2x300x16xf32>) outs(%s0 : tensor<1x2x4x3x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    %iq = linalg.index 3 : index
    %ik = linalg.index 4 : index
    %off = arith.constant 200 : index
    %pos = arith.addi %iq, %off : index
    %ca = arith.cmpi sle, %ik, %pos : index
    %r1 = arith.select %ca, %y, %hidden : f32
    linalg.yield %r1 : f32
  } -> tensor<1x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %oe = tensor.empty() : tensor<1x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x3x16xf32>) -> tensor<1x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x3x300xf32>, tensor<1x2x300x16xf32>) outs(%o0 : tensor<1x2x4x3x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x4x3x16xf32> into tensor<1x8x3x16xf32>
  return %res : tensor<1x8x3x16xf32>
}

// CHECK-LABEL: func.func @lengths(
// CHECK: affine.apply #[[REMAINDER]]
// TRIM-LABEL: func.func @lengths(
// TRIM: %[[LENGTH:.*]] = tensor.extract %arg3
// TRIM: %[[END:.*]] = affine.min
// TRIM: scf.for {{.*}} = %{{.*}} to %[[END]] step
func.func @lengths(%query: tensor<2x8x3x16xf32>, %key: tensor<2x2x300x16xf32>, %value: tensor<2x2x300x16xf32>, %mask: tensor<2xi32>) -> tensor<2x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [2,2,4,3,16] : tensor<2x8x3x16xf32> into tensor<2x2x4x3x16xf32>
  %se = tensor.empty() : tensor<2x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x2x4x3x300xf32>) -> tensor<2x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<2x2x4x3x16xf32>, tensor<2x2x300x16xf32>) outs(%s0 : tensor<2x2x4x3x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<2x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s, %mask : tensor<2x2x4x3x300xf32>, tensor<2xi32>) outs(%se : tensor<2x2x4x3x300xf32>) {
  ^bb0(%x: f32, %mk: i32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    %iq = linalg.index 3 : index
    %ik = linalg.index 4 : index
    %off = arith.constant 297 : index
    %pos = arith.addi %iq, %off : index
    %ca = arith.cmpi sle, %ik, %pos : index
    %ln = arith.index_cast %mk : i32 to index
    %qq = arith.constant 3 : index
    %t0 = arith.addi %ik, %qq : index
    %t1 = arith.subi %t0, %iq : index
    %li = arith.cmpi sle, %t1, %ln : index
    %r1 = arith.select %li, %y, %hidden : f32
    linalg.yield %r1 : f32
  } -> tensor<2x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<2x2x4x3x300xf32>) outs(%se : tensor<2x2x4x3x300xf32>) -> tensor<2x2x4x3x300xf32>
  %oe = tensor.empty() : tensor<2x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x2x4x3x16xf32>) -> tensor<2x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<2x2x4x3x300xf32>, tensor<2x2x300x16xf32>) outs(%o0 : tensor<2x2x4x3x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<2x2x4x3x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<2x2x4x3x16xf32> into tensor<2x8x3x16xf32>
  return %res : tensor<2x8x3x16xf32>
}

// CHECK-LABEL: func.func @apart(
// CHECK-SAME: %[[QUERY:[^:]*]]: tensor<1x3x8x16xf32>
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<1x3x2x4x16xf32>) outs(%{{.*}})
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[COPY]]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %arg1 :
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x2x4x16xf32>)
// A copy would be a kernel of its own.
// GPU-LABEL: func.func @apart(
// GPU-NOT: x12x
// GPU: return
func.func @apart(%query: tensor<1x3x8x16xf32>, %key: tensor<1x300x2x16xf32>, %value: tensor<1x300x2x16xf32>) -> tensor<1x3x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1],[2,3],[4]] output_shape [1,3,2,4,16] : tensor<1x3x8x16xf32> into tensor<1x3x2x4x16xf32>
  %se = tensor.empty() : tensor<1x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,q,g,r,d)>, affine_map<(b,g,r,q,k,d)->(b,k,g,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x3x2x4x16xf32>, tensor<1x300x2x16xf32>) outs(%s0 : tensor<1x2x4x3x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<1x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %oe = tensor.empty() : tensor<1x3x2x4x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x3x2x4x16xf32>) -> tensor<1x3x2x4x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,k,g,e)>, affine_map<(b,g,r,q,e,k)->(b,q,g,r,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x3x300xf32>, tensor<1x300x2x16xf32>) outs(%o0 : tensor<1x3x2x4x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x3x2x4x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1],[2,3],[4]] : tensor<1x3x2x4x16xf32> into tensor<1x3x8x16xf32>
  return %res : tensor<1x3x8x16xf32>
}

// CHECK-LABEL: func.func @added(
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%arg3 : tensor<3x300xf32>) outs(%{{.*}} : tensor<4x3x300xf32>)
// CHECK: %[[MASK:.*]] = tensor.collapse_shape %[[COPY]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[MASK]] : tensor<1x2x12x300xf32>, tensor<12x300xf32>)
func.func @added(%query: tensor<1x8x3x16xf32>, %key: tensor<1x2x300x16xf32>, %value: tensor<1x2x300x16xf32>, %mask: tensor<3x300xf32>) -> tensor<1x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,3,16] : tensor<1x8x3x16xf32> into tensor<1x2x4x3x16xf32>
  %se = tensor.empty() : tensor<1x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x3x16xf32>, tensor<1x2x300x16xf32>) outs(%s0 : tensor<1x2x4x3x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s, %mask : tensor<1x2x4x3x300xf32>, tensor<3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) {
  ^bb0(%x: f32, %mk: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    %r1 = arith.addf %y, %mk : f32
    linalg.yield %r1 : f32
  } -> tensor<1x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %oe = tensor.empty() : tensor<1x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x3x16xf32>) -> tensor<1x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x3x300xf32>, tensor<1x2x300x16xf32>) outs(%o0 : tensor<1x2x4x3x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x4x3x16xf32> into tensor<1x8x3x16xf32>
  return %res : tensor<1x8x3x16xf32>
}

// CHECK-LABEL: func.func @slopes(
// CHECK: linalg.generic {{.*}} ins(%arg3 : tensor<2x4xf32>) outs(%{{.*}} : tensor<2x4x3xf32>)
func.func @slopes(%query: tensor<1x8x3x16xf32>, %key: tensor<1x2x300x16xf32>, %value: tensor<1x2x300x16xf32>, %mask: tensor<2x4xf32>) -> tensor<1x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,3,16] : tensor<1x8x3x16xf32> into tensor<1x2x4x3x16xf32>
  %se = tensor.empty() : tensor<1x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x3x16xf32>, tensor<1x2x300x16xf32>) outs(%s0 : tensor<1x2x4x3x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(g,r)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s, %mask : tensor<1x2x4x3x300xf32>, tensor<2x4xf32>) outs(%se : tensor<1x2x4x3x300xf32>) {
  ^bb0(%x: f32, %mk: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    %iq = linalg.index 3 : index
    %ik = linalg.index 4 : index
    %off = arith.constant 297 : index
    %pos = arith.addi %iq, %off : index
    %ca = arith.cmpi sle, %ik, %pos : index
    %df = arith.subi %ik, %pos : index
    %di = arith.index_cast %df : index to i32
    %dfl = arith.sitofp %di : i32 to f32
    %bi = arith.mulf %dfl, %mk : f32
    %r0 = arith.addf %y, %bi : f32
    %r1 = arith.select %ca, %r0, %hidden : f32
    linalg.yield %r1 : f32
  } -> tensor<1x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %oe = tensor.empty() : tensor<1x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x3x16xf32>) -> tensor<1x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x3x300xf32>, tensor<1x2x300x16xf32>) outs(%o0 : tensor<1x2x4x3x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x4x3x16xf32> into tensor<1x8x3x16xf32>
  return %res : tensor<1x8x3x16xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<1x2x12x16xbf16>, tensor<1x2x300x16xbf16>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x12x16xbf16>)
func.func @narrow(%query: tensor<1x8x3x16xbf16>, %key: tensor<1x2x300x16xbf16>, %value: tensor<1x2x300x16xbf16>) -> tensor<1x8x3x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,3,16] : tensor<1x8x3x16xbf16> into tensor<1x2x4x3x16xbf16>
  %se = tensor.empty() : tensor<1x2x4x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x3x16xbf16>, tensor<1x2x300x16xbf16>) outs(%s0 : tensor<1x2x4x3x300xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %aw = arith.extf %a : bf16 to f32
    %cw = arith.extf %c : bf16 to f32
    %m = arith.mulf %aw, %cw : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<1x2x4x3x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x3x300xf32>) outs(%se : tensor<1x2x4x3x300xf32>) -> tensor<1x2x4x3x300xf32>
  %wne = tensor.empty() : tensor<1x2x4x3x300xbf16>
  %wn = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%wt : tensor<1x2x4x3x300xf32>) outs(%wne : tensor<1x2x4x3x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1x2x4x3x300xbf16>
  %oe = tensor.empty() : tensor<1x2x4x3x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x3x16xf32>) -> tensor<1x2x4x3x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wn, %value : tensor<1x2x4x3x300xbf16>, tensor<1x2x300x16xbf16>) outs(%o0 : tensor<1x2x4x3x16xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %aw = arith.extf %a : bf16 to f32
    %cw = arith.extf %c : bf16 to f32
    %m = arith.mulf %aw, %cw : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x3x16xf32>
  %one = tensor.empty() : tensor<1x2x4x3x16xbf16>
  %on = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%ov : tensor<1x2x4x3x16xf32>) outs(%one : tensor<1x2x4x3x16xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1x2x4x3x16xbf16>
  %res = tensor.collapse_shape %on [[0],[1,2],[3],[4]] : tensor<1x2x4x3x16xbf16> into tensor<1x8x3x16xbf16>
  return %res : tensor<1x8x3x16xbf16>
}

// More rows than products of matrix units have would take longer in one block than in several.
// CHECK-LABEL: func.func @many_rows(
// CHECK: tensor<1x2x28x16xf32>
// GPU-LABEL: func.func @many_rows(
// GPU-NOT: x28x
// GPU: return
func.func @many_rows(%query: tensor<1x8x7x16xf32>, %key: tensor<1x2x300x16xf32>, %value: tensor<1x2x300x16xf32>) -> tensor<1x8x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,4,7,16] : tensor<1x8x7x16xf32> into tensor<1x2x4x7x16xf32>
  %se = tensor.empty() : tensor<1x2x4x7x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x4x7x300xf32>) -> tensor<1x2x4x7x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x4x7x16xf32>, tensor<1x2x300x16xf32>) outs(%s0 : tensor<1x2x4x7x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x7x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x4x7x300xf32>) outs(%se : tensor<1x2x4x7x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<1x2x4x7x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x4x7x300xf32>) outs(%se : tensor<1x2x4x7x300xf32>) -> tensor<1x2x4x7x300xf32>
  %oe = tensor.empty() : tensor<1x2x4x7x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x4x7x16xf32>) -> tensor<1x2x4x7x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x4x7x300xf32>, tensor<1x2x300x16xf32>) outs(%o0 : tensor<1x2x4x7x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x4x7x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x4x7x16xf32> into tensor<1x8x7x16xf32>
  return %res : tensor<1x8x7x16xf32>
}

// Near miss: the queries of a head fill a tile.
// CHECK-LABEL: func.func @prefill(
// CHECK-NOT: x32x
// CHECK: return
func.func @prefill(%query: tensor<1x4x16x16xf32>, %key: tensor<1x2x300x16xf32>, %value: tensor<1x2x300x16xf32>) -> tensor<1x4x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 2.500000000e-01 : f32
  %qe = tensor.expand_shape %query [[0],[1,2],[3],[4]] output_shape [1,2,2,16,16] : tensor<1x4x16x16xf32> into tensor<1x2x2x16x16xf32>
  %se = tensor.empty() : tensor<1x2x2x16x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x2x2x16x300xf32>) -> tensor<1x2x2x16x300xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k,d)->(b,g,r,q,d)>, affine_map<(b,g,r,q,k,d)->(b,g,k,d)>, affine_map<(b,g,r,q,k,d)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%qe, %key : tensor<1x2x2x16x16xf32>, tensor<1x2x300x16xf32>) outs(%s0 : tensor<1x2x2x16x300xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x2x16x300xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,k)->(b,g,r,q,k)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel"]} ins(%s : tensor<1x2x2x16x300xf32>) outs(%se : tensor<1x2x2x16x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<1x2x2x16x300xf32>
  %wt = linalg.softmax dimension(4) ins(%sc : tensor<1x2x2x16x300xf32>) outs(%se : tensor<1x2x2x16x300xf32>) -> tensor<1x2x2x16x300xf32>
  %oe = tensor.empty() : tensor<1x2x2x16x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x2x2x16x16xf32>) -> tensor<1x2x2x16x16xf32>
  %ov = linalg.generic {indexing_maps = [affine_map<(b,g,r,q,e,k)->(b,g,r,q,k)>, affine_map<(b,g,r,q,e,k)->(b,g,k,e)>, affine_map<(b,g,r,q,e,k)->(b,g,r,q,e)>], iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction"]} ins(%wt, %value : tensor<1x2x2x16x300xf32>, tensor<1x2x300x16xf32>) outs(%o0 : tensor<1x2x2x16x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %p = arith.addf %o, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x2x2x16x16xf32>
  %res = tensor.collapse_shape %ov [[0],[1,2],[3],[4]] : tensor<1x2x2x16x16xf32> into tensor<1x4x16x16xf32>
  return %res : tensor<1x4x16x16xf32>
}
