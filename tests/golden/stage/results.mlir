// Results of 16 bits, of which a lane has 4 bytes of a row and four lanes half a sector, go through shared memory, where a
// tile of the factors was, to lanes with 16 bytes each, the neighbours of which have the next ones. Each warp exchanges
// what it has itself: so there is one barrier of the block, before the place is written, and one of the warp. Behind
// the last product of warpgroups nothing is fenced.
//
// Where no place is large enough, as for a product of one step, the memory is new, and of f32 a quad has whole sectors.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=nvptx:sm_90a --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,simplify | FileCheck %s --check-prefix=GROUPS
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o - | FileCheck %s --check-prefix=PTX
#rows = affine_map<(m, n) -> (m, n)>
func.func @long(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>) -> tensor<256x256xf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<256x256xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x512xf16>, tensor<512x256xf16>) outs(%c1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %h0 = tensor.empty() : tensor<256x256xf16>
  %h = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<256x256xf32>) outs(%h0 : tensor<256x256xf16>) {
  ^bb0(%x: f32, %y: f16):
    %z = arith.truncf %x : f32 to f16
    linalg.yield %z : f16
  } -> tensor<256x256xf16>
  return %h : tensor<256x256xf16>
}
func.func @short(%a: tensor<4096x64xf16>, %b: tensor<64x4096xf16>) -> tensor<4096x4096xf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<4096x4096xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4096x64xf16>, tensor<64x4096xf16>) outs(%c1 : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %h0 = tensor.empty() : tensor<4096x4096xf16>
  %h = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<4096x4096xf32>) outs(%h0 : tensor<4096x4096xf16>) {
  ^bb0(%x: f32, %y: f16):
    %z = arith.truncf %x : f32 to f16
    linalg.yield %z : f16
  } -> tensor<4096x4096xf16>
  return %h : tensor<4096x4096xf16>
}
func.func @wide(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<256x256xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x512xf16>, tensor<512x256xf16>) outs(%c1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %c : tensor<256x256xf32>
}
// CHECK: func.func @long
// CHECK: %[[B:.*]] = memref.alloca() {{.*}}: memref<3x64x64xf16, #gpu.address_space<workgroup>>
// CHECK: %[[SUM:.*]] = arith.truncf {{.*}}tec.layouts = ["[L8@4 R2@2 R2@32 W4@1, R2@1 L4@1 R8@4]"]
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[B]] {{\[\[}}0, 1, 2]]
// CHECK: %[[PART:.*]] = memref.subview %[[FLAT]][0] [8192] [1]
// CHECK: %[[PLACE:.*]] = memref.expand_shape %[[PART]] {{.*}} output_shape [128, 64] {tec.swizzle = array<i64: 0, 7>}
// CHECK-NEXT: vector.transfer_write %[[SUM]], %[[PLACE]]
// CHECK-NEXT: %[[LINES:.*]] = vector.transfer_read %[[PLACE]]{{.*}}tec.layouts = ["[L4@8 R8@8 W4@1, R8@1 L8@1]"], tec.warp}
// CHECK-NEXT: vector.transfer_write %[[LINES]], {{.*}} memref<128x64xf16, strided<[256, 1], offset: ?>>
// CHECK: func.func @wide
// CHECK-NOT: tec.warp

// GROUPS: func.func @short
// GROUPS-DAG: %[[NEW:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<128x256xf16, #gpu.address_space<workgroup>>
// GROUPS-DAG: memref.alloca() {{.*}} : memref<1x64x256xf16, #gpu.address_space<workgroup>>
// GROUPS: %[[SUM:.*]] = arith.truncf
// GROUPS: vector.transfer_write %[[SUM]], %[[NEW]]
// GROUPS-NEXT: %[[LINES:.*]] = vector.transfer_read %[[NEW]]{{.*}}tec.layouts = ["[R16@8 W8@1, R8@1 L32@1]"], tec.warp}
// GROUPS-NEXT: vector.transfer_write %[[LINES]],

// PTX: .entry long_0(
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX-NOT: fence.proxy
// PTX: bar.sync
// PTX-NOT: bar.
// PTX-COUNT-16: st.shared.b32
// PTX-NOT: st.
// PTX: bar.warp.sync
// PTX-COUNT-4: ld.shared.v4.b32
// PTX-COUNT-4: st.global.v4.b32
// PTX-NOT: st.
// PTX: .entry short_0(
