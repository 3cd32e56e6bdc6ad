// Products of Hopper's warpgroups: factors in boxes of shared memory, or the left one in registers where it was made there,
// each time; the result is waited for where it is read, or an iteration later, so that copies run beside the products; what
// lanes wrote is fenced before each barrier.
// RUN: tcc-attn opt %s --target=nvptx:sm_90a --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,distribute,registers,simplify | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o - | tr -s ' \t' ' ' | FileCheck %s --check-prefix=PTX
// RUN: tcc-attn run %s --func=product --random --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --func=transposed --random --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --func=chain --random --check --target=nvptx:sm_90a --device=ptx-emu

// Rows of B's memory lie along columns of C. Four stages: the product of one iteration is waited for in the next.
// CHECK-LABEL: func.func @product(
// CHECK-DAG: %[[B:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<4x64x64xf16
// CHECK-DAG: %[[A:.*]] = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<4x128x64xf16
// CHECK: scf.for
// CHECK: nvgpu.device_async_wait {{.*}} {numGroups = 1 : i32}
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: gpu.barrier {tec.fence}
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: vector_ext.warpgroup_mma %[[A]][%[[STAGE:.*]], %{{.*}}, %c0], %[[B]][%[[STAGE]], %c0, %c0], %{{.*}} {async, boxRows = [128, 64], mmaShape = [64, 64, 64], transposed}
// CHECK: vector_ext.warpgroup_wait {{.*}} {numGroups = 1 : i32} : vector<16x2xf32>
// CHECK-COUNT-6: nvgpu.device_async_copy {{.*}}tec.ahead
// CHECK: "nvgpu.device_async_create_group"()
// CHECK-NOT: gpu.barrier
// CHECK-NOT: vector_ext.warpgroup
// CHECK: scf.yield
// CHECK: vector_ext.warpgroup_wait {{.*}} : vector<16x2xf32>
// CHECK: } {{{.*}}tec.blocks = 2 : i64, tec.threads = 256 : i64}

// PTX: .target sm_90a
// PTX: .extern .shared .align 1024 .b8 shared[];
// PTX-LABEL: .entry product_0(
// PTX: .minnctapersm 2
// PTX: shfl.sync.idx.b32 {{.*}}, 0, 31, -1;
// PTX: cp.async.wait_group 1;
// PTX: fence.proxy.async.shared::cta;
// PTX-NOT: cp.async
// PTX: bar.sync 0;
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, left, right, go_on, 1, 1, 0, 1;
// PTX: add.s64 right, %rd{{[0-9]+}}, 128;
// PTX-NEXT: add.s64 left, %rd{{[0-9]+}}, 2;
// PTX-COUNT-3: wgmma.mma_async
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX: cp.async.cg.shared.global
// PTX: wgmma.wait_group.sync.aligned 0;
func.func @product(%a: tensor<128x200xf16>, %b: tensor<200x136xf16>) -> tensor<128x136xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<128x136xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<128x136xf32>) -> tensor<128x136xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x200xf16>, tensor<200x136xf16>) outs(%c1 : tensor<128x136xf32>) -> tensor<128x136xf32>
  return %c : tensor<128x136xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK: vector_ext.warpgroup_mma {{.*}} {async, boxRows = [128, 64], mmaShape = [64, 64, 64]} : memref<2x128x64xbf16
// PTX-LABEL: .entry transposed_0(
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, left, right, go_on, 1, 1, 0, 0;
// PTX: add.s64 right, %rd{{[0-9]+}}, 2;
func.func @transposed(%a: tensor<128x72xbf16>, %b: tensor<136x72xbf16>) -> tensor<128x136xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<128x136xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<128x136xf32>) -> tensor<128x136xf32>
  %c = linalg_ext.batch_matmul ins(%a, %b : tensor<128x72xbf16>, tensor<136x72xbf16>) outs(%c1 : tensor<128x136xf32>) layout = "nt" -> tensor<128x136xf32>
  return %c : tensor<128x136xf32>
}

// The first product starts from zero. What is made of it are registers of the second, which waits by itself; 48 columns lie
// in boxes of 16.
// CHECK-LABEL: func.func @chain(
// CHECK: memref.alloca() {tec.box_rows = 64 : i64, tec.swizzle = array<i64: 2, 1>} : memref<2x192x16xf16
// CHECK: %[[FIRST:.*]] = vector_ext.warpgroup_mma {{.*}} {async, boxRows = [64, 64], mmaShape = [64, 64, 64], transposed}
// CHECK: vector_ext.warpgroup_wait %[[FIRST]] : vector<16x2xf32>
// CHECK: arith.truncf
// CHECK: vector_ext.warpgroup_mma %{{[0-9]+}}, %{{.*}} {boxRows = [0, 64], mmaShape = [64, 48, 64], transposed} : vector<16x2xf16>, memref<2x192x16xf16
// CHECK-NOT: vector_ext.warpgroup
// CHECK: tec.blocks = 4 : i64, tec.threads = 128 : i64
// PTX-LABEL: .entry chain_0(
// PTX: .minnctapersm 4
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, left, right, start, 1, 1, 0, 1;
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, right, go_on, 1, 1, 1;
func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>, %c: tensor<128x40xf16>) -> tensor<64x40xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<64x128xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %s = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x128xf16>) outs(%s1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %h0 = tensor.empty() : tensor<64x128xf16>
  %h = linalg.map ins(%s : tensor<64x128xf32>) outs(%h0 : tensor<64x128xf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  }
  %o0 = tensor.empty() : tensor<64x40xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<64x40xf32>) -> tensor<64x40xf32>
  %o = linalg.matmul ins(%h, %c : tensor<64x128xf16>, tensor<128x40xf16>) outs(%o1 : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %o : tensor<64x40xf32>
}
