// Affine ops take up to 32 operands. One that has them all takes in none of an op that it is computed from.
// RUN: tcc-attn compile %s --emit=obj -o /dev/null
// RUN: tcc-attn opt %s --target=host:znver4 --cores=1 --passes=simplify,bufferize,register-tile | FileCheck %s

#sum = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19,
    d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31) -> (d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8
    + d9 + d10 + d11 + d12 + d13 + d14 + d15 + d16 + d17 + d18 + d19 + d20 + d21 + d22 + d23 + d24 + d25 + d26
    + d27 + d28 + d29 + d30 + d31)>

func.func @slice(%t: tensor<?xf32>, %a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index,
    %a6: index, %a7: index, %a8: index, %a9: index, %a10: index, %a11: index, %a12: index, %a13: index, %a14:
    index, %a15: index, %a16: index, %a17: index, %a18: index, %a19: index, %a20: index, %a21: index, %a22:
    index, %a23: index, %a24: index, %a25: index, %a26: index, %a27: index, %a28: index, %a29: index, %a30:
    index, %a31: index) -> tensor<1024xf32> {
  %k = affine.apply #sum(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15,
      %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31)
  %x = tensor.extract_slice %t[%k] [1024] [1] : tensor<?xf32> to tensor<1024xf32>
  %r = math.exp %x : tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// CHECK-LABEL: func.func @load(
// CHECK: affine.apply
// CHECK: vector.transfer_read
func.func @load(%t: tensor<1024xf32>, %a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index,
    %a6: index, %a7: index, %a8: index, %a9: index, %a10: index, %a11: index, %a12: index, %a13: index, %a14:
    index, %a15: index, %a16: index, %a17: index, %a18: index, %a19: index, %a20: index, %a21: index, %a22:
    index, %a23: index, %a24: index, %a25: index, %a26: index, %a27: index, %a28: index, %a29: index, %a30:
    index) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = affine.apply #sum(%i, %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14,
        %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30)
    %x = tensor.extract %t[%k] : tensor<1024xf32>
    linalg.yield %x : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
