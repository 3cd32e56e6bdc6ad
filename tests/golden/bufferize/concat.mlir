// Parts of a concatenation are computed where they go, as rotary embeddings make them: each half from slices of the whole,
// which nobody copies. Halves that read what is written over, or that somebody else needs before, keep their place.
// RUN: tcc-attn compile %s --cores=1 --dump=bufferize -o /dev/null 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --dump=bufferize -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn run %s --func=rotate --random --check --verify
// RUN: tcc-attn run %s --func=rotate --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=read_before --random --check --verify
// RUN: tcc-attn run %s --func=read_before --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=both --random --check --verify
// RUN: tcc-attn run %s --func=chained --random --check --verify

// CHECK-LABEL: func.func @rotate(
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK-COUNT-2: scf.forall
// CHECK-NOT: memref.copy
// CHECK: return
// GPU-LABEL: func.func @rotate(
// GPU-NOT: memref.alloc
// GPU-NOT: memref.copy
// GPU-COUNT-2: scf.forall
// GPU-NOT: memref.copy
// GPU: return
func.func @rotate(%x: tensor<8x256x64xf32>, %cos: tensor<8x256x32xf32>, %sin: tensor<8x256x32xf32>) -> tensor<8x256x64xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [8, 256, 32] [1, 1, 1] : tensor<8x256x64xf32> to tensor<8x256x32xf32>
  %b = tensor.extract_slice %x[0, 0, 32] [8, 256, 32] [1, 1, 1] : tensor<8x256x64xf32> to tensor<8x256x32xf32>
  %ac = arith.mulf %a, %cos : tensor<8x256x32xf32>
  %bs = arith.mulf %b, %sin : tensor<8x256x32xf32>
  %low = arith.subf %ac, %bs : tensor<8x256x32xf32>
  %bc = arith.mulf %b, %cos : tensor<8x256x32xf32>
  %as = arith.mulf %a, %sin : tensor<8x256x32xf32>
  %high = arith.addf %bc, %as : tensor<8x256x32xf32>
  %r = tensor.concat dim(2) %low, %high : (tensor<8x256x32xf32>, tensor<8x256x32xf32>) -> tensor<8x256x64xf32>
  return %r : tensor<8x256x64xf32>
}
func.func @read_before(%x: tensor<64x96xf32>, %w: tensor<96x96xf32>) -> (tensor<64x192xf32>, tensor<64x96xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %e = math.exp %x : tensor<64x96xf32>
  %p = linalg.matmul ins(%e, %w : tensor<64x96xf32>, tensor<96x96xf32>) outs(%zero : tensor<64x96xf32>) -> tensor<64x96xf32>
  %q = linalg.matmul ins(%p, %w : tensor<64x96xf32>, tensor<96x96xf32>) outs(%p : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = tensor.concat dim(1) %q, %p : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x192xf32>
  return %r, %q : tensor<64x192xf32>, tensor<64x96xf32>
}
func.func @chained(%x: tensor<64x96xf32>, %into: tensor<64x192xf32>) -> tensor<64x192xf32> {
  %old = tensor.extract_slice %into[0, 96] [64, 96] [1, 1] : tensor<64x192xf32> to tensor<64x96xf32>
  %a = arith.addf %x, %old : tensor<64x96xf32>
  %b = math.tanh %old : tensor<64x96xf32>
  %first = tensor.insert_slice %a into %into[0, 0] [64, 96] [1, 1] : tensor<64x96xf32> into tensor<64x192xf32>
  %second = tensor.insert_slice %b into %first[0, 96] [64, 96] [1, 1] : tensor<64x96xf32> into tensor<64x192xf32>
  return %second : tensor<64x192xf32>
}
// The second product starts from the first one, which is a result, too: none may lie where the other is copied to.
func.func @both(%x: tensor<64x96xf32>, %w: tensor<96x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x96xf32>, tensor<96x96xf32>) outs(%zero : tensor<64x96xf32>) -> tensor<64x96xf32>
  %q = linalg.matmul ins(%p, %w : tensor<64x96xf32>, tensor<96x96xf32>) outs(%p : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %p, %q : tensor<64x96xf32>, tensor<64x96xf32>
}
