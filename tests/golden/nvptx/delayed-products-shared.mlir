// Values that are the keys, in a kernel that makes the second product of an iteration in the next one: where both products
// shared a tile, they want those of two iterations now, and each has a place.
// RUN: tcc-attn compile %s --target=nvptx:sm_90a --verify --emit=ptx -o %t --dump=delay-products 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --random --dims=0 --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --random --dims=64 --check --target=nvptx:sm_90a --device=ptx-emu
// RUN: tcc-attn run %s --random --dims=200 --check --target=nvptx:sm_90a --device=ptx-emu

// CHECK: vector.transfer_read {{.*}}tec.sequence = 0 : i64} : {{.*}}vector<64x256xf16>
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}}tec.sequence = 0 : i64} : {{.*}}vector<64x256xf16>
// CHECK: vector.transfer_read {{.*}}tec.sequence = 1 : i64} : {{.*}}vector<64x256xf16>
// CHECK: vector.contract {{.*}}tec.delayed
// CHECK: scf.yield
// CHECK: vector.transfer_read {{.*}}tec.sequence = 1 : i64} : {{.*}}vector<64x256xf16>
// CHECK: vector.contract {{.*}}tec.delayed
func.func @attention(%q: tensor<130x256xf16>, %k: tensor<?x256xf16>) -> tensor<130x256xf32> {
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
  %o = linalg.matmul ins(%ph, %k : tensor<130x?xf16>, tensor<?x256xf16>) outs(%o0 : tensor<130x256xf32>) -> tensor<130x256xf32>
  return %o : tensor<130x256xf32>
}
