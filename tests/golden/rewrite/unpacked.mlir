// What bytes hold two of is made in the product that reads it, however exporters put both together: in blocks, one half
// behind the other, or in turn, before dims are split otherwise.
// RUN: tcc-attn opt %s --passes=simplify,to-linalg,stack-parts,absorb-moves,simplify --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=mlir -o - | FileCheck %s --check-prefix=ONE
// RUN: sh -c 'for f in blocks in_turn others functions three; do tcc-attn run %s --func=$f --random --check --verify || exit 1; done'
// RUN: sh -c 'for f in blocks in_turn others functions three; do tcc-attn run %s --func=$f --random=2 --check --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for f in blocks in_turn others functions three; do tcc-attn run %s --func=$f --random=3 --check --device=ptx-emu || exit 1; done'

#all = affine_map<(n, b, j) -> (n, b, j)>
#scale = affine_map<(n, b, j) -> (n, b)>

// CHECK-LABEL: func.func @blocks(
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.index 2
// CHECK: arith.select
// CHECK: } -> tensor<24x8x2x16xi32>
// CHECK: return
// ONE-LABEL: func.func @blocks(
// ONE-NOT: memref.alloc
// ONE: return
func.func @blocks(%x: tensor<2x256xf32>, %w: tensor<24x8x16xi8>, %s: tensor<24x8xf32>) -> tensor<2x24xf32> {
  %c15 = arith.constant 15 : i32
  %c8 = arith.constant 8 : i32
  %c4 = arith.constant 4 : i32
  %ei = tensor.empty() : tensor<24x8x16xi32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<24x8x16xi8>) outs(%ei : tensor<24x8x16xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<24x8x16xi32>
  %low = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%wide : tensor<24x8x16xi32>) outs(%ei : tensor<24x8x16xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.andi %in, %c15 : i32
    %1 = arith.subi %0, %c8 : i32
    linalg.yield %1 : i32
  } -> tensor<24x8x16xi32>
  %high = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%wide : tensor<24x8x16xi32>) outs(%ei : tensor<24x8x16xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.shrsi %in, %c4 : i32
    %1 = arith.subi %0, %c8 : i32
    linalg.yield %1 : i32
  } -> tensor<24x8x16xi32>
  %both = tensor.concat dim(2) %low, %high : (tensor<24x8x16xi32>, tensor<24x8x16xi32>) -> tensor<24x8x32xi32>
  %ef = tensor.empty() : tensor<24x8x32xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #scale, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%both, %s : tensor<24x8x32xi32>, tensor<24x8xf32>) outs(%ef : tensor<24x8x32xf32>) {
  ^bb0(%in: i32, %f: f32, %out: f32):
    %0 = arith.sitofp %in : i32 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<24x8x32xf32>
  %rows = tensor.collapse_shape %scaled [[0], [1, 2]] : tensor<24x8x32xf32> into tensor<24x256xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24xf32>) -> tensor<2x24xf32>
  %r = linalg.matmul_transpose_b ins(%x, %rows : tensor<2x256xf32>, tensor<24x256xf32>) outs(%init : tensor<2x24xf32>) -> tensor<2x24xf32>
  return %r : tensor<2x24xf32>
}

// Groups of 32 have 16 bytes: the bytes' dim is split before they are unpacked, so that the scale finds what it scales.
// CHECK-LABEL: func.func @in_turn(
// CHECK: %[[W:.*]] = tensor.expand_shape %arg1 {{.*}} output_shape [24, 4, 16] : tensor<24x64xi8>
// CHECK-NOT: {{tensor.(expand|collapse)_shape}}
// CHECK: tensor.collapse_shape {{.*}} : tensor<24x4x16x2xf32> into tensor<24x128xf32>
// CHECK: return
// ONE-LABEL: func.func @in_turn(
// ONE-NOT: memref.alloc
// ONE: return
#bytes = affine_map<(n, k) -> (n, k)>
func.func @in_turn(%x: tensor<2x128xf32>, %w: tensor<24x64xi8>, %s: tensor<24x4xf32>) -> tensor<2x24xf32> {
  %c15 = arith.constant 15 : i8
  %c4 = arith.constant 4 : i8
  %ei = tensor.empty() : tensor<24x64xi8>
  %low = linalg.generic {indexing_maps = [#bytes, #bytes], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<24x64xi8>) outs(%ei : tensor<24x64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %0 = arith.andi %in, %c15 : i8
    linalg.yield %0 : i8
  } -> tensor<24x64xi8>
  %high = linalg.generic {indexing_maps = [#bytes, #bytes], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<24x64xi8>) outs(%ei : tensor<24x64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %0 = arith.shrsi %in, %c4 : i8
    linalg.yield %0 : i8
  } -> tensor<24x64xi8>
  %low1 = tensor.expand_shape %low [[0], [1, 2]] output_shape [24, 64, 1] : tensor<24x64xi8> into tensor<24x64x1xi8>
  %high1 = tensor.expand_shape %high [[0], [1, 2]] output_shape [24, 64, 1] : tensor<24x64xi8> into tensor<24x64x1xi8>
  %both = tensor.concat dim(2) %low1, %high1 : (tensor<24x64x1xi8>, tensor<24x64x1xi8>) -> tensor<24x64x2xi8>
  %merged = tensor.collapse_shape %both [[0], [1, 2]] : tensor<24x64x2xi8> into tensor<24x128xi8>
  %ef = tensor.empty() : tensor<24x128xf32>
  %numbers = linalg.generic {indexing_maps = [#bytes, #bytes], iterator_types = ["parallel", "parallel"]} ins(%merged : tensor<24x128xi8>) outs(%ef : tensor<24x128xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<24x128xf32>
  %groups = tensor.expand_shape %numbers [[0], [1, 2]] output_shape [24, 4, 32] : tensor<24x128xf32> into tensor<24x4x32xf32>
  %eg = tensor.empty() : tensor<24x4x32xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #scale, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%groups, %s : tensor<24x4x32xf32>, tensor<24x4xf32>) outs(%eg : tensor<24x4x32xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<24x4x32xf32>
  %rows = tensor.collapse_shape %scaled [[0], [1, 2]] : tensor<24x4x32xf32> into tensor<24x128xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24xf32>) -> tensor<2x24xf32>
  %r = linalg.matmul_transpose_b ins(%x, %rows : tensor<2x128xf32>, tensor<24x128xf32>) outs(%init : tensor<2x24xf32>) -> tensor<2x24xf32>
  return %r : tensor<2x24xf32>
}

// Parts of two tensors are inserted: to choose would read both.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK: return
func.func @others(%a: tensor<24x64xf32>, %b: tensor<24x64xf32>) -> tensor<24x128xf32> {
  %e = tensor.empty() : tensor<24x64xf32>
  %x = linalg.exp ins(%a : tensor<24x64xf32>) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %y = linalg.tanh ins(%b : tensor<24x64xf32>) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %both = tensor.concat dim(1) %x, %y : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<24x128xf32>
  return %both : tensor<24x128xf32>
}

// So are parts that are more than light work, of which each element would compute all.
// CHECK-LABEL: func.func @functions(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK: return
func.func @functions(%a: tensor<24x64xf32>) -> tensor<24x128xf32> {
  %e = tensor.empty() : tensor<24x64xf32>
  %x = linalg.exp ins(%a : tensor<24x64xf32>) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %y = linalg.tanh ins(%a : tensor<24x64xf32>) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %both = tensor.concat dim(1) %x, %y : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<24x128xf32>
  return %both : tensor<24x128xf32>
}

// Three parts; and slices of lower rank, which are none.
// CHECK-LABEL: func.func @three(
// CHECK: } -> tensor<3x5x4xf32>
// CHECK: tensor.insert_slice
// CHECK: return
func.func @three(%a: tensor<5x4xf32>, %row: tensor<4xf32>) -> (tensor<15x4xf32>, tensor<2x4xf32>) {
  %e = tensor.empty() : tensor<5x4xf32>
  %x = linalg.mul ins(%a, %a : tensor<5x4xf32>, tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %y = linalg.add ins(%a, %a : tensor<5x4xf32>, tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %z = linalg.negf ins(%a : tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %all = tensor.concat dim(0) %x, %y, %z : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<15x4xf32>
  %e2 = tensor.empty() : tensor<2x4xf32>
  %first = tensor.insert_slice %row into %e2[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  %second = tensor.insert_slice %row into %first[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  return %all, %second : tensor<15x4xf32>, tensor<2x4xf32>
}
