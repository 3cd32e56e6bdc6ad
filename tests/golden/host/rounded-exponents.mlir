// Approximate powers of two split their exponent by the instruction that takes less time: rounding to a whole number on
// Zen 4 and 5, taking it off elsewhere. Infinite exponents give infinity and 0 either way.
// RUN: tcc-attn compile %s --target=host:znver5 --emit=asm -o - | FileCheck %s --check-prefix=ROUND
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm -o - | FileCheck %s --check-prefix=ROUND
// RUN: tcc-attn compile %s --target=host:emeraldrapids --emit=asm -o - | FileCheck %s --check-prefix=TAKE
// RUN: tcc-attn run %s --func=powers --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=infinite --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// ROUND-NOT: vreduceps
// ROUND: vrndscaleps $8,
// ROUND-NOT: vreduceps
// TAKE-NOT: vrndscaleps
// TAKE: vreduceps $0,
// TAKE-NOT: vrndscaleps
// RESULT: good
func.func @powers(%x: tensor<256xf32>) -> tensor<256xf32> {
  %empty = tensor.empty() : tensor<256xf32>
  %powers = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]} ins(%x : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%number: f32, %out: f32):
    %power = math.exp2 %number fastmath<afn> : f32
    linalg.yield %power : f32
  } -> tensor<256xf32>
  return %powers : tensor<256xf32>
}

func.func @infinite(%x: tensor<256xf32>) -> tensor<256xf32> {
  %infinity = arith.constant 0x7F800000 : f32
  %most = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<256xf32>
  %powers = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]} ins(%x : tensor<256xf32>) outs(%empty : tensor<256xf32>) {
  ^bb0(%number: f32, %out: f32):
    %high = arith.addf %number, %infinity : f32
    %low = arith.subf %number, %infinity : f32
    %infinite = math.exp2 %high fastmath<afn> : f32
    %nothing = math.exp2 %low fastmath<afn> : f32
    %limited = arith.minimumf %infinite, %most : f32
    %sum = arith.addf %limited, %nothing : f32
    linalg.yield %sum : f32
  } -> tensor<256xf32>
  return %powers : tensor<256xf32>
}
