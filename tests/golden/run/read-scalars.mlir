// Numbers that a program reads from tensors, and what it computes of them, are read inside of kernels where nothing reads
// outside of them: as splats, captured by bodies, as the condition of a select.
// RUN: tcc-attn run %s --random --check --verify
// RUN: tcc-attn run %s --random --check --device=ptx-emu
// RUN: tcc-attn compile %s --target=spirv:pvc -o %t
// RUN: tcc-attn explain %s --target=nvptx:sm_80 | FileCheck %s

// CHECK: 1 kernel, with nothing in memory between
#id = affine_map<(q, k) -> (q, k)>
func.func @f(%q: tensor<96x32xf32>, %k: tensor<160x32xf32>, %v: tensor<160x32xf32>, %numbers: tensor<3xf32>, %flag: tensor<i1>) -> tensor<96x32xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<96x160xf32>
  %scores = linalg.matmul_transpose_b ins(%q, %k : tensor<96x32xf32>, tensor<160x32xf32>) outs(%zero : tensor<96x160xf32>) -> tensor<96x160xf32>
  %number = tensor.extract %numbers[%c1] : tensor<3xf32>
  %square = arith.mulf %number, %number : f32
  %divisor = arith.addf %square, %one : f32
  %divisors = tensor.splat %divisor : tensor<96x160xf32>
  %scaled = arith.divf %scores, %divisors : tensor<96x160xf32>
  %shift = tensor.extract %numbers[%c2] : tensor<3xf32>
  %empty = tensor.empty() : tensor<96x160xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%scaled : tensor<96x160xf32>) outs(%empty : tensor<96x160xf32>) {
  ^bb0(%in: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %f = arith.sitofp %i : i32 to f32
    %product = arith.mulf %f, %shift : f32
    %sum = arith.addf %in, %product : f32
    linalg.yield %sum : f32
  } -> tensor<96x160xf32>
  %choice = tensor.extract %flag[] : tensor<i1>
  %chosen = arith.select %choice, %shifted, %scaled : tensor<96x160xf32>
  %weights = linalg.softmax dimension(1) ins(%chosen : tensor<96x160xf32>) outs(%empty : tensor<96x160xf32>) -> tensor<96x160xf32>
  %start = arith.constant dense<0.0> : tensor<96x32xf32>
  %r = linalg.matmul ins(%weights, %v : tensor<96x160xf32>, tensor<160x32xf32>) outs(%start : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %r : tensor<96x32xf32>
}
