// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:graniterapids --passes=register-tile,simplify --verify | FileCheck %s --check-prefix=LONG
// RUN: tcc-attn opt %s --target=host:x86-64-v2 --passes=register-tile,simplify --verify | FileCheck %s --check-prefix=SHORT
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=CODE
// Numbers of bf16 are widened in pairs: those at even places by a shift of a register, those at odd ones by a mask. What
// they meet in lanes is put into the same order before the loop, and sums in lanes are put together again behind it.
// Registers of one part widen elements as they lie by as few ops.
// SHORT-NOT: vector.deinterleave
// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[Q:.*]]: memref<1x64xf32>, %[[K:.*]]: memref<256x64xbf16>
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[Q]]{{.*}} vector<64xf32>
// CHECK: %[[HALVES:.*]]:2 = vector.deinterleave %[[ROW]] : vector<64xf32> -> vector<32xf32>
// CHECK: %[[EVEN:.*]] = vector.insert_strided_slice %[[HALVES]]#0, %{{.*}} {offsets = [0], strides = [1]}
// CHECK: %[[QUERY:.*]] = vector.insert_strided_slice %[[HALVES]]#1, %[[EVEN]] {offsets = [32], strides = [1]}
// CHECK: scf.for
// CHECK: %[[KEY:.*]] = vector.transfer_read %[[K]]{{.*}} vector<64xbf16>
// CHECK: vector.deinterleave %[[KEY]] : vector<64xbf16> -> vector<32xbf16>
// CHECK-COUNT-2: arith.extf {{.*}} vector<32xbf16> to vector<32xf32>
// CHECK: vector.contract {{.*}} %[[QUERY]], %{{.*}} : vector<64xf32>, vector<64xf32> into f32
// LONG-LABEL: func.func @scores(
// LONG: vector.deinterleave {{.*}} vector<64xbf16> -> vector<32xbf16>
// CODE-LABEL: {{^}}scores:
// CODE-NOT: vpmovzxwd
func.func @scores(%q: memref<1x64xf32>, %k: memref<256x64xbf16>, %s: memref<1x256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<1x64xf32>, memref<256x64xbf16>) outs(%s : memref<1x256xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %wide = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %wide : f32
    %sum = arith.addf %o, %p : f32
    linalg.yield %sum : f32
  }
  return
}

// CHECK-LABEL: func.func @values(
// CHECK: %[[SUMS:.*]] = vector.transfer_read %arg2{{.*}} vector<64xf32>
// CHECK: vector.deinterleave %[[SUMS]] : vector<64xf32> -> vector<32xf32>
// CHECK: scf.for
// CHECK: vector.deinterleave {{.*}} vector<1x64xbf16> -> vector<1x32xbf16>
// CHECK: vector.contract
// CHECK: %[[BACK:.*]] = vector.interleave %{{.*}} : vector<32xf32> -> vector<64xf32>
// CHECK: vector.transfer_write %[[BACK]], %arg2
func.func @values(%p: memref<1x256xf32>, %v: memref<256x64xbf16>, %o: memref<1x64xf32>) {
  linalg.matmul ins(%p, %v : memref<1x256xf32>, memref<256x64xbf16>) outs(%o : memref<1x64xf32>)
  return
}

// Few terms for each row of sums do not pay for that.
// CHECK-LABEL: func.func @few_terms(
// CODE-LABEL: {{^}}few_terms:
// CODE: vpmovzxwd
// CHECK-NOT: vector.deinterleave
func.func @few_terms(%p: memref<4x16xf32>, %v: memref<16x64xbf16>, %o: memref<4x64xf32>) {
  linalg.matmul ins(%p, %v : memref<4x16xf32>, memref<16x64xbf16>) outs(%o : memref<4x64xf32>)
  return
}
