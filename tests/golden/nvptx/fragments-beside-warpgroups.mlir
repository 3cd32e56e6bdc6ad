// Products for sm_90a that lanes' fragments do, as warpgroups cannot. A block that has such a product has the registers of a
// multiprocessor to itself.
// RUN: tcc-attn opt %s --target=nvptx:sm_90a --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout,stage,distribute,registers,simplify | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o - | tr -s ' \t' ' ' | FileCheck %s --check-prefix=PTX
// RUN: tcc-attn run %s --func=scaled_before --random --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --f32=tf32 --verify --emit=ptx -o - | FileCheck %s --check-prefix=TF32
// RUN: tcc-attn run %s --func=few_rows --random --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --func=made_right --random --check --target=nvptx:sm_90a --device=ptx-emu

// Queries that are made before the loop: an assembler takes registers of a left factor to be free behind a product. Weights
// are made anew in each step.
// CHECK-LABEL: func.func @scaled_before(
// CHECK: scf.for
// CHECK-NOT: vector_ext.warpgroup
// CHECK-COUNT-64: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: vector_ext.warpgroup_mma %{{[0-9]+}}, {{.*}} {boxRows = [0, 128], mmaShape = [64, 64, 128], transposed}
// CHECK-NOT: nvgpu.mma.sync
// CHECK: tec.blocks = 1 : i64
// PTX-LABEL: .entry scaled_before_0(
// PTX: .minnctapersm 1
func.func @scaled_before(%q: tensor<64x64xf16>, %k: tensor<256x64xf16>, %v: tensor<256x64xf16>, %by: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %q0 = tensor.empty() : tensor<64x64xf16>
  %scaled = linalg.map ins(%q, %by : tensor<64x64xf16>, tensor<64x64xf16>) outs(%q0 : tensor<64x64xf16>) (%x: f16, %f: f16) {
    %y = arith.mulf %x, %f : f16
    linalg.yield %y : f16
  }
  %s0 = tensor.empty() : tensor<64x256xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %s = linalg_ext.batch_matmul ins(%scaled, %k : tensor<64x64xf16>, tensor<256x64xf16>) outs(%s1 : tensor<64x256xf32>) layout = "nt" -> tensor<64x256xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<64x256xf32>) outs(%s0 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %h0 = tensor.empty() : tensor<64x256xf16>
  %h = linalg.map ins(%p : tensor<64x256xf32>) outs(%h0 : tensor<64x256xf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  }
  %o0 = tensor.empty() : tensor<64x64xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = linalg.matmul ins(%h, %v : tensor<64x256xf16>, tensor<256x64xf16>) outs(%o1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

// Factors of f32, also where they may be rounded to tf32: blocks are those of other chips.
// CHECK-LABEL: func.func @f32(
// CHECK-NOT: vector_ext.warpgroup
// CHECK-NOT: tec.fence
// CHECK: tec.threads = 128 : i64
// TF32-LABEL: .entry f32_0(
// TF32: .reqntid 128
// TF32-NOT: wgmma
// TF32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// TF32-LABEL: .entry few_rows_0(
// PTX-LABEL: .entry f32_0(
// PTX-NOT: wgmma
// PTX-NOT: fence.proxy
func.func @f32(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<128x128xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>) outs(%c1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}

// Fewer rows than a warpgroup has.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT: vector_ext.warpgroup
// CHECK-NOT: tec.fence
// CHECK: nvgpu.mma.sync
// PTX-LABEL: .entry few_rows_0(
// PTX-NOT: wgmma
// PTX-NOT: fence.proxy
// PTX: mma.sync.aligned.m16n8k16
func.func @few_rows(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<32x128xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%c1 : tensor<32x128xf32>) -> tensor<32x128xf32>
  return %c : tensor<32x128xf32>
}

// A right factor that is made in registers.
// CHECK-LABEL: func.func @made_right(
// CHECK-NOT: vector_ext.warpgroup
// CHECK: nvgpu.mma.sync
// CHECK-NOT: vector_ext.warpgroup
// PTX-LABEL: .entry made_right_0(
// PTX-NOT: wgmma
// PTX: mma.sync.aligned.m16n8k16
// PTX-NOT: wgmma
func.func @made_right(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %by: tensor<64x128xf16>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %b0 = tensor.empty() : tensor<64x128xf16>
  %made = linalg.map ins(%b, %by : tensor<64x128xf16>, tensor<64x128xf16>) outs(%b0 : tensor<64x128xf16>) (%x: f16, %f: f16) {
    %y = arith.mulf %x, %f : f16
    linalg.yield %y : f16
  }
  %c0 = tensor.empty() : tensor<128x128xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.matmul ins(%a, %made : tensor<128x64xf16>, tensor<64x128xf16>) outs(%c1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}
