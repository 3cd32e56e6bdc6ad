// Weights and keys of few bits are unpacked, widened and scaled in the registers of the product that reads them for a few
// rows: whole registers at a time, and nothing that was made so is stored.
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=mlir -o - --verify | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random --check || exit 1; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random=2 --check --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random=3 --check --device=ptx-emu || exit 1; done'

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#w_turned = affine_map<(m, n, k) -> (k, n)>
#whole = affine_map<(n, k) -> (n, k)>
#group = affine_map<(n, k) -> (n, k floordiv 32)>

// A scale for each 32 terms: the tile's part of a row is eight of them.
// CHECK-LABEL: func.func @groups(
// CHECK-NOT: memref.alloc
// CHECK: %[[W:.*]] = vector.transfer_read {{.*}} vector<8x32xi8>
// CHECK: %[[S:.*]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK: arith.sitofp %[[W]] : vector<8x32xi8> to vector<8x32xf32>
// CHECK: %[[F:.*]] = vector.shape_cast %{{.*}} : vector<8x32xf32> to vector<256xf32>
// CHECK-NEXT: vector.contract {{.*}}, %[[F]],
// CHECK: return
func.func @groups(%x: tensor<3x512xf32>, %w: tensor<40x512xi8>, %s: tensor<40x16xf32>) -> tensor<3x40xf32> {
  %we = tensor.empty() : tensor<40x512xf32>
  %wide = linalg.generic {indexing_maps = [#whole, #group, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<40x512xi8>, tensor<40x16xf32>) outs(%we : tensor<40x512xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3x40xf32>) -> tensor<3x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<3x512xf32>, tensor<40x512xf32>) outs(%init : tensor<3x40xf32>) -> tensor<3x40xf32>
  return %r : tensor<3x40xf32>
}

// A row that is no multiple of a tile's 256 terms, nor of groups: the last tile has no registers of its own shape.
// CHECK-LABEL: func.func @ragged(
func.func @ragged(%x: tensor<2x352xf32>, %w: tensor<33x352xi8>, %s: tensor<33x11xf32>) -> tensor<2x33xf32> {
  %we = tensor.empty() : tensor<33x352xf32>
  %wide = linalg.generic {indexing_maps = [#whole, #group, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<33x352xi8>, tensor<33x11xf32>) outs(%we : tensor<33x352xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<33x352xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x33xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x33xf32>) -> tensor<2x33xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %wide : tensor<2x352xf32>, tensor<33x352xf32>) outs(%init : tensor<2x33xf32>) -> tensor<2x33xf32>
  return %r : tensor<2x33xf32>
}

// Columns in lanes, terms one by one.
// CHECK-LABEL: func.func @turned(
// CHECK-NOT: memref.alloc
// CHECK: vector.transfer_read {{.*}} vector<1x{{[0-9]*}}xi8>
// CHECK: arith.mulf
// CHECK-NOT: vector.transfer_write
// CHECK: vector.contract
// CHECK: return
func.func @turned(%x: tensor<3x96xf32>, %w: tensor<96x512xi8>, %z: tensor<96x512xi8>) -> tensor<3x512xf32> {
  %we = tensor.empty() : tensor<96x512xf32>
  %wide = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel"]} ins(%w, %z : tensor<96x512xi8>, tensor<96x512xi8>) outs(%we : tensor<96x512xf32>) {
  ^bb0(%i: i8, %j: i8, %o: f32):
    %a = arith.sitofp %i : i8 to f32
    %b = arith.sitofp %j : i8 to f32
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<96x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3x512xf32>) -> tensor<3x512xf32>
  %r = linalg.contract indexing_maps = [#x, #w_turned, #y] ins(%x, %wide : tensor<3x96xf32>, tensor<96x512xf32>) outs(%init : tensor<3x512xf32>) -> tensor<3x512xf32>
  return %r : tensor<3x512xf32>
}

#bytes_halves = affine_map<(n, g, h, j) -> (n, g, j)>
#scales_halves = affine_map<(n, g, h, j) -> (n, g)>
#all = affine_map<(n, g, h, j) -> (n, g, h, j)>

// Four bits: the low halves of 16 bytes are the first terms of a group, the high ones the others.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT: memref.alloc
// CHECK: arith.shrui {{.*}} vector<8x2x16xi32>
// CHECK: vector.shape_cast %{{.*}} : vector<8x2x16xf32> to vector<256xf32>
// CHECK-NEXT: vector.contract
// CHECK: return
func.func @halves(%x: tensor<2x512xf32>, %w: tensor<40x16x16xi8>, %s: tensor<40x16xf16>) -> tensor<2x40xf32> {
  %four = arith.constant 4 : i32
  %low = arith.constant 15 : i32
  %middle = arith.constant 8 : i32
  %we = tensor.empty() : tensor<40x16x2x16xf32>
  %wide = linalg.generic {indexing_maps = [#bytes_halves, #scales_halves, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %s : tensor<40x16x16xi8>, tensor<40x16xf16>) outs(%we : tensor<40x16x2x16xf32>) {
  ^bb0(%byte: i8, %f: f16, %o: f32):
    %half = linalg.index 2 : index
    %number = arith.index_cast %half : index to i32
    %places = arith.muli %number, %four : i32
    %bits = arith.extui %byte : i8 to i32
    %moved = arith.shrui %bits, %places : i32
    %digit = arith.andi %moved, %low : i32
    %signed = arith.subi %digit, %middle : i32
    %a = arith.sitofp %signed : i32 to f32
    %scale = arith.extf %f : f16 to f32
    %p = arith.mulf %a, %scale : f32
    linalg.yield %p : f32
  } -> tensor<40x16x2x16xf32>
  %rows = tensor.collapse_shape %wide [[0], [1, 2, 3]] : tensor<40x16x2x16xf32> into tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40xf32>) -> tensor<2x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %rows : tensor<2x512xf32>, tensor<40x512xf32>) outs(%init : tensor<2x40xf32>) -> tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}

#bytes_turns = affine_map<(n, j, h) -> (n, j)>
#scales_turns = affine_map<(n, j, h) -> (n, j floordiv 16)>
#all_turns = affine_map<(n, j, h) -> (n, j, h)>

// Four bits, both halves of a byte side by side: registers of each take turns in lanes.
// CHECK-LABEL: func.func @in_turn(
// CHECK-NOT: memref.alloc
// CHECK-NOT: vector<{{[0-9x]*}}2xi
// CHECK: %[[BOTH:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<8x16xf32> -> vector<8x32xf32>
// CHECK-NEXT: vector.shape_cast %[[BOTH]] : vector<8x32xf32> to vector<256xf32>
// CHECK-NEXT: vector.contract
// CHECK: return
func.func @in_turn(%x: tensor<2x512xf32>, %w: tensor<40x256xi8>, %s: tensor<40x16xf32>) -> tensor<2x40xf32> {
  %four = arith.constant 4 : i32
  %low = arith.constant 15 : i32
  %we = tensor.empty() : tensor<40x256x2xf32>
  %wide = linalg.generic {indexing_maps = [#bytes_turns, #scales_turns, #all_turns], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %s : tensor<40x256xi8>, tensor<40x16xf32>) outs(%we : tensor<40x256x2xf32>) {
  ^bb0(%byte: i8, %f: f32, %o: f32):
    %half = linalg.index 2 : index
    %number = arith.index_cast %half : index to i32
    %places = arith.muli %number, %four : i32
    %bits = arith.extui %byte : i8 to i32
    %moved = arith.shrui %bits, %places : i32
    %digit = arith.andi %moved, %low : i32
    %a = arith.sitofp %digit : i32 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<40x256x2xf32>
  %rows = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<40x256x2xf32> into tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40xf32>) -> tensor<2x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %rows : tensor<2x512xf32>, tensor<40x512xf32>) outs(%init : tensor<2x40xf32>) -> tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}

// Two bits: four parts in turn.
// CHECK-LABEL: func.func @quarters(
// CHECK-NOT: memref.alloc
// CHECK-COUNT-3: vector.interleave
// CHECK: vector.contract
// CHECK: return
func.func @quarters(%x: tensor<1x512xf32>, %w: tensor<40x128xi8>) -> tensor<1x40xf32> {
  %two = arith.constant 2 : i32
  %low = arith.constant 3 : i32
  %we = tensor.empty() : tensor<40x128x4xf32>
  %wide = linalg.generic {indexing_maps = [#bytes_turns, #all_turns], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<40x128xi8>) outs(%we : tensor<40x128x4xf32>) {
  ^bb0(%byte: i8, %o: f32):
    %quarter = linalg.index 2 : index
    %number = arith.index_cast %quarter : index to i32
    %places = arith.muli %number, %two : i32
    %bits = arith.extui %byte : i8 to i32
    %moved = arith.shrui %bits, %places : i32
    %digit = arith.andi %moved, %low : i32
    %a = arith.sitofp %digit : i32 to f32
    linalg.yield %a : f32
  } -> tensor<40x128x4xf32>
  %rows = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<40x128x4xf32> into tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x40xf32>) -> tensor<1x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %rows : tensor<1x512xf32>, tensor<40x512xf32>) outs(%init : tensor<1x40xf32>) -> tensor<1x40xf32>
  return %r : tensor<1x40xf32>
}

#keys = affine_map<(h, k, d) -> (h, k, d)>
#key_groups = affine_map<(h, k, d) -> (h, k, d floordiv 32)>
#queries = affine_map<(h, q, k, d) -> (h, q, d)>
#key = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>

// Keys and values of a cache with a scale for each 32 features, of which a causal mask hides the last from the first
// query.
// CHECK-LABEL: func.func @cache(
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<4x32xi8>
// CHECK-NOT: vector.transfer_write {{.*}}vector<{{[0-9x]*}}128xf32>
// CHECK: vector.contract
// CHECK: vector.transfer_read {{.*}} vector<1x4x32xi8>
// CHECK-NOT: vector.transfer_write {{.*}}vector<{{[0-9x]*}}4x32xf32>
// CHECK: vector.contract
// CHECK: return
func.func @cache(%query: tensor<2x2x128xf32>, %k: tensor<2x300x128xi8>, %ks: tensor<2x300x4xf32>, %v: tensor<2x300x128xi8>, %vs: tensor<2x300x4xf32>) -> tensor<2x2x128xf32> {
  %ke = tensor.empty() : tensor<2x300x128xf32>
  %key = linalg.generic {indexing_maps = [#keys, #key_groups, #keys], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %ks : tensor<2x300x128xi8>, tensor<2x300x4xf32>) outs(%ke : tensor<2x300x128xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<2x300x128xf32>
  %value = linalg.generic {indexing_maps = [#keys, #key_groups, #keys], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v, %vs : tensor<2x300x128xi8>, tensor<2x300x4xf32>) outs(%ke : tensor<2x300x128xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %a = arith.sitofp %i : i8 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<2x300x128xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.08838834764831845 : f32
  %before = arith.constant 298 : index
  %se = tensor.empty() : tensor<2x2x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x2x300xf32>) -> tensor<2x2x300xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #key, #scores] ins(%query, %key : tensor<2x2x128xf32>, tensor<2x300x128xf32>) outs(%s0 : tensor<2x2x300xf32>) -> tensor<2x2x300xf32>
  %s2 = linalg.generic {indexing_maps = [#keys, #keys], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1 : tensor<2x2x300xf32>) outs(%se : tensor<2x2x300xf32>) {
  ^bb0(%score: f32, %o: f32):
    %p = arith.mulf %score, %scale : f32
    %q = linalg.index 1 : index
    %last = arith.addi %q, %before : index
    %at = linalg.index 2 : index
    %visible = arith.cmpi sle, %at, %last : index
    %masked = arith.select %visible, %p, %hidden : f32
    linalg.yield %masked : f32
  } -> tensor<2x2x300xf32>
  %weights = linalg.softmax dimension(2) ins(%s2 : tensor<2x2x300xf32>) outs(%se : tensor<2x2x300xf32>) -> tensor<2x2x300xf32>
  %re = tensor.empty() : tensor<2x2x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<2x2x128xf32>) -> tensor<2x2x128xf32>
  %r = linalg.contract indexing_maps = [#scores, #key, #queries] ins(%weights, %value : tensor<2x2x300xf32>, tensor<2x300x128xf32>) outs(%r0 : tensor<2x2x128xf32>) -> tensor<2x2x128xf32>
  return %r : tensor<2x2x128xf32>
}
