// Attention of 256 features on Hopper: lanes have registers for one block, so the second product of an iteration is made
// in the next one, beside that one's softmax. The first iteration stands before the loop, the last product behind it; both
// read places of the loop's tiles.
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o %t --dump=delay-products 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o %t --dump=stage 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o - | tr -s ' \t' ' ' | FileCheck %s --check-prefix=PTX
// RUN: tcc-attn run %s --random --dims=0 --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --random --dims=65 --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --random --dims=200 --check --target=nvptx:sm_90a --device=ptx-emu

// CHECK: %[[KEYS:.*]] = vector.transfer_read {{.*}}tec.sequence = [[K:.*]] : i64} : {{.*}}vector<64x256xf16>
// CHECK: vector.contract {{.*}} %{{.*}}, %[[KEYS]], %{{.*}} : vector<128x256xf16>, vector<64x256xf16> into vector<128x64xf32>
// CHECK: %[[FIRST:.*]] = arith.mulf %{{.*}} : vector<128x256xf32>
// CHECK-NOT: vector.contract
// CHECK: %[[LOOP:.*]]:4 = scf.for %[[I:.*]] = %c64{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]], {{.*}}, %[[WEIGHTS:.*]] = %{{.*}}) -> (vector<128x256xf32>, vector<128xf32>, vector<128x4xf32>, vector<128x64xf16>)
// CHECK: vector.transfer_read {{.*}}tec.sequence = [[K]] : i64}
// CHECK-NEXT: %[[SCORES:.*]] = vector.contract
// CHECK-NEXT: %[[BEFORE:.*]] = affine.apply {{.*}}(%[[I]])
// CHECK: vector.transfer_read {{.*}}tec.sequence = [[V:.*]] : i64}
// CHECK: %[[NOW:.*]] = vector.contract {{.*}} %[[WEIGHTS]], %{{.*}}, %[[SUM]] {tec.delayed
// CHECK: math.exp
// CHECK: %[[SCALED:.*]] = arith.mulf %[[NOW]], %{{.*}} : vector<128x256xf32>
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %{{.*}} {tec.behind
// CHECK-NEXT: %[[NEXT:.*]] = vector_ext.to_layout %[[ROUNDED]]
// CHECK-NEXT: scf.yield %[[SCALED]], %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK: vector.transfer_read {{.*}}tec.sequence = [[V]] : i64}
// CHECK: vector.contract {{.*}} %[[LOOP]]#3, %{{.*}}, %[[LOOP]]#0 {tec.delayed

// Two places of two tiles; keys before the loop lie where those of the iteration before the first would, values behind it
// at the stage that the loop ends with. Keys are copied where an iteration wants them, values always.
// STAGE-DAG: %[[KEYS:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7, 64>} : memref<2x64x256xf16
// STAGE-DAG: %[[VALUES:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7, 64>} : memref<2x64x256xf16
// STAGE: vector.transfer_write %{{.*}}, %[[K:.*]][%c1{{.*}} {in_bounds = [true, true], tec.async} : vector<64x256xf16>
// STAGE: "nvgpu.device_async_create_group"
// STAGE-NOT: scf.if
// STAGE: vector.transfer_write %{{.*}}, %[[V:.*]][%c0{{.*}} {in_bounds = [true, true], tec.async} : vector<64x256xf16>
// STAGE: scf.if
// STAGE: vector.transfer_write %{{.*}}, %[[K]][%c0
// STAGE: nvgpu.device_async_wait {{.*}} {numGroups = 1 : i32}
// STAGE: vector.transfer_read %[[K]][%c1
// STAGE: %[[LOOP:.*]]:5 = scf.for {{.*}} iter_args({{.*}}, %[[STAGE:[^ ]*]] = %c0{{[^,]*}}) ->
// STAGE-NEXT: nvgpu.device_async_wait {{.*}} {numGroups = 0 : i32}
// STAGE: vector.transfer_read %[[K]][%[[STAGE]],
// STAGE: vector.contract
// STAGE: vector.transfer_read %[[V]][%[[STAGE]],
// STAGE: vector.contract {{.*}}tec.delayed
// STAGE-NOT: scf.if
// STAGE: vector.transfer_write %{{.*}}, %[[V]][%{{.*}} {in_bounds = [true, true], tec.ahead, tec.async}
// STAGE: scf.if
// STAGE: vector.transfer_write %{{.*}}, %[[K]][%{{.*}} {in_bounds = [true, true], tec.ahead, tec.async}
// STAGE: scf.yield
// STAGE: nvgpu.device_async_wait {{.*}} {numGroups = 0 : i32}
// STAGE: vector.transfer_read %[[V]][%[[LOOP]]#4,
// STAGE: vector.contract {{.*}}tec.delayed

// Scores are waited for while the second product is under way, which is waited for behind the exponentials, whether or not
// it is scaled; then weights are rounded.
// PTX-LABEL: .entry attention_0(
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX: bar.sync 0;
// PTX-COUNT-16: wgmma.mma_async.sync.aligned.m64n64k16
// PTX-NEXT: wgmma.commit_group.sync.aligned;
// PTX-NOT: wgmma.wait_group
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16
// PTX-NEXT: wgmma.commit_group.sync.aligned;
// PTX-NOT: wgmma.wait_group
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX-NOT: wgmma.wait_group
// PTX-NOT: cvt.rn.f16x2
// PTX-COUNT-32: ex2.approx
// PTX-NOT: wgmma.wait_group
// PTX-NOT: cvt.rn.f16x2
// PTX: vote.sync.any
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX: mul.f32
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX: cvt.rn.f16x2
func.func @attention(%q: tensor<130x256xf16>, %k: tensor<?x256xf16>, %v: tensor<?x256xf16>) -> tensor<130x256xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.0625 : f32
  %n = tensor.dim %k, %c0 : tensor<?x256xf16>
  %se = tensor.empty(%n) : tensor<130x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<130x?xf32>) -> tensor<130x?xf32>
  %ke = tensor.empty(%n) : tensor<256x?xf16>
  %kt = linalg.transpose ins(%k : tensor<?x256xf16>) outs(%ke : tensor<256x?xf16>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<130x256xf16>, tensor<256x?xf16>) outs(%s0 : tensor<130x?xf32>) -> tensor<130x?xf32>
  %t = linalg.map ins(%s : tensor<130x?xf32>) outs(%se : tensor<130x?xf32>) (%x: f32) {
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  }
  %p = linalg.softmax dimension(1) ins(%t : tensor<130x?xf32>) outs(%se : tensor<130x?xf32>) -> tensor<130x?xf32>
  %pe = tensor.empty(%n) : tensor<130x?xf16>
  %ph = linalg.map ins(%p : tensor<130x?xf32>) outs(%pe : tensor<130x?xf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  }
  %oe = tensor.empty() : tensor<130x256xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<130x256xf32>) -> tensor<130x256xf32>
  %o = linalg.matmul ins(%ph, %v : tensor<130x?xf16>, tensor<?x256xf16>) outs(%o0 : tensor<130x256xf32>) -> tensor<130x256xf32>
  return %o : tensor<130x256xf32>
}
