// Attention with 128 queries, 32 keys and 128 columns a step. Queries have one place in shared memory, from where each step
// reads them again, as lanes have no registers left to keep them. Keys and values have three stages each, two of which are
// being filled while the third is worked on; which one that is goes round as a carried value. Factors are read right before
// they are multiplied.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=nvptx:sm_90a --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,simplify | FileCheck %s --check-prefix=GROUPS
// RUN: tcc-attn compile %s --target=nvptx:sm_80 --verify --emit=ptx -o - | FileCheck %s --check-prefix=PTX
#rows = affine_map<(m, n) -> (m, n)>
func.func @attention(%q: tensor<256x128xf16>, %k: tensor<512x128xf16>, %v: tensor<512x128xf16>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<256x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>]
    ins(%q, %k : tensor<256x128xf16>, tensor<512x128xf16>) outs(%s1 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%s0 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %h0 = tensor.empty() : tensor<256x512xf16>
  %h = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<256x512xf32>) outs(%h0 : tensor<256x512xf16>) {
  ^bb0(%x: f32, %y: f16):
    %z = arith.truncf %x : f32 to f16
    linalg.yield %z : f16
  } -> tensor<256x512xf16>
  %o0 = tensor.empty() : tensor<256x128xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %o = linalg.matmul ins(%h, %v : tensor<256x512xf16>, tensor<512x128xf16>) outs(%o1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %o : tensor<256x128xf32>
}
// CHECK: scf.forall
// CHECK-DAG: %[[QUERIES:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<1x128x128xf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[VALUES:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<3x32x128xf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[KEYS:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<3x32x128xf16, #gpu.address_space<workgroup>>
// CHECK: %[[Q:.*]] = vector.transfer_read {{.*}}tec.layouts = ["[L2@16 W4@1 R16@8, R8@1 L16@1]"]
// CHECK: vector.transfer_write %[[Q]], %[[QUERIES]]{{.*}}tec.async
// CHECK: %[[QGROUP:.*]] = "nvgpu.device_async_create_group"()
// CHECK: vector.transfer_write {{.*}}, %[[KEYS]][%c0, {{.*}}tec.async
// CHECK: vector.transfer_write {{.*}}, %[[VALUES]][%c0, {{.*}}tec.async
// CHECK: "nvgpu.device_async_create_group"()
// CHECK: vector.transfer_write {{.*}}, %[[KEYS]][%c1, {{.*}}tec.async
// CHECK: vector.transfer_write {{.*}}, %[[VALUES]][%c1, {{.*}}tec.async
// CHECK: %[[SECOND:.*]] = "nvgpu.device_async_create_group"()
// CHECK: nvgpu.device_async_wait %[[QGROUP]] {numGroups = 2 : i32}
// CHECK: scf.for {{.*}}iter_args({{.*}}, %[[STAGE:arg[0-9]+]] = %c0) -> ({{.*}}, index) {
// CHECK: nvgpu.device_async_wait %[[SECOND]] {numGroups = 1 : i32}
// CHECK: %[[BEFORE:.*]] = arith.subi %[[STAGE]], %c1
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[STAGE]], %c0
// CHECK: %[[OTHER:.*]] = arith.select %[[IS_FIRST]], %c2, %[[BEFORE]]
// CHECK: scf.if
// CHECK: vector.transfer_write {{.*}}, %[[KEYS]][%[[OTHER]], %c0, {{.*}}tec.async
// CHECK: vector.transfer_write {{.*}}, %[[VALUES]][%[[OTHER]], {{.*}}tec.async
// CHECK: "nvgpu.device_async_create_group"()
// CHECK: %[[K:.*]] = vector.transfer_read %[[KEYS]][%[[STAGE]],
// CHECK-NEXT: %[[QFACTOR:.*]] = vector.transfer_read %[[QUERIES]]{{.*}}tec.layouts = ["[L8@4 R2@2 R2@64 W4@1, R2@1 L4@1 R2@4 R8@8]"]
// CHECK-NEXT: vector.contract {{.*}} %[[QFACTOR]], %[[K]],
// CHECK: %[[V:.*]] = vector.transfer_read %[[VALUES]][%[[STAGE]],{{.*}}permutation_map
// CHECK-NEXT: vector.contract {{.*}}, %[[V]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[STAGE]], %c1
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[STAGE]], %c2
// CHECK: arith.select %[[IS_LAST]], %c0, %[[NEXT]]

// Blocks of code stand in any order; where the state is scaled, a warp has a new maximum.
// PTX: cp.async.cg.shared.global
// PTX: cp.async.commit_group
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: mma.sync
// PTX-DAG: vote.sync.any.pred
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-DAG: cp.async.wait_group 1;
// PTX-DAG: bar.sync 0;

// Warpgroups read boxes of 64 columns. They multiply 128 x 64 with two stages, so that two blocks share a multiprocessor;
// each iteration copies behind its first product, which runs meanwhile.
// GROUPS: scf.forall
// GROUPS-DAG: %[[QUERIES:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7, 64>} : memref<1x128x128xf16, #gpu.address_space<workgroup>>
// GROUPS-DAG: %[[VALUES:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7, 64>} : memref<2x64x128xf16, #gpu.address_space<workgroup>>
// GROUPS-DAG: %[[KEYS:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7, 64>} : memref<2x64x128xf16, #gpu.address_space<workgroup>>
// GROUPS-NOT: tec.ahead
// GROUPS: vector.transfer_write {{.*}}, %[[KEYS]][%c0, {{.*}}tec.async
// GROUPS: vector.transfer_write {{.*}}, %[[VALUES]][%c0, {{.*}}tec.async
// GROUPS: %[[FIRST:.*]] = "nvgpu.device_async_create_group"()
// GROUPS-NOT: tec.ahead
// GROUPS: scf.for {{.*}}iter_args({{.*}}, %[[STAGE:arg[0-9]+]] = %c0) -> ({{.*}}, index) {
// GROUPS: nvgpu.device_async_wait %[[FIRST]] {numGroups = 0 : i32}
// GROUPS-NEXT: %[[K:.*]] = vector.transfer_read %[[KEYS]][%[[STAGE]],
// GROUPS-NEXT: %[[QFACTOR:.*]] = vector.transfer_read %[[QUERIES]]
// GROUPS-NEXT: vector.contract {{.*}} %[[QFACTOR]], %[[K]],
// GROUPS: scf.if
// GROUPS: vector.transfer_write {{.*}}, %[[KEYS]][%[[OTHER:[0-9]+]], %c0, {{.*}}tec.ahead, tec.async
// GROUPS: vector.transfer_write {{.*}}, %[[VALUES]][%[[OTHER]], {{.*}}tec.ahead, tec.async
// GROUPS: "nvgpu.device_async_create_group"()
// GROUPS: vector.multi_reduction <maxnumf>
// GROUPS: tec.blocks = 2 : i64, tec.threads = 256 : i64
