// Few queries read keys and values that come from memory in small pieces by turns, where one multiply-add a cycle leaves
// loads to spare: a page of values a step for up to four queries of f32 and bf16 and two of f16, or six and five where a
// power of two of registers holds a row, half a page for one of f32, unless rows are long. What two and more read the
// machine follows by itself, as values are read in whole rows. An open number of keys is taken for many.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=simplify,schedule | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm --dump=register-tile -o %t 2>&1 | FileCheck %s --check-prefix=ASKS

// CHECK-LABEL: func.func @four(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASKS-LABEL: func.func @four(
// ASKS-NOT: tec.prefetch
func.func @four(%q: tensor<8x4x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x4x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x4x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x4x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x4x8192xf32>) outs(%s : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %r = tensor.empty() : tensor<8x4x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x4x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  return %result : tensor<8x4x128xf32>
}

// CHECK-LABEL: func.func @six(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASKS-LABEL: func.func @six(
// ASKS-NOT: tec.prefetch
// ASKS: vector<128xf32> into vector<6xf32>
// ASKS-NOT: tec.prefetch
// ASKS: vector<1x128xf32> into vector<3x128xf32>
// ASKS-NOT: tec.prefetch
func.func @six(%q: tensor<8x6x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x6x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x6x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x6x8192xf32>) -> tensor<8x6x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x6x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x6x8192xf32>) -> tensor<8x6x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x6x8192xf32>) outs(%s : tensor<8x6x8192xf32>) -> tensor<8x6x8192xf32>
  %r = tensor.empty() : tensor<8x6x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x6x128xf32>) -> tensor<8x6x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x6x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x6x128xf32>) -> tensor<8x6x128xf32>
  return %result : tensor<8x6x128xf32>
}

// CHECK-LABEL: func.func @seven(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @seven(
// ASKS: tec.prefetch
func.func @seven(%q: tensor<8x7x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x7x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x7x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x7x8192xf32>) -> tensor<8x7x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x7x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x7x8192xf32>) -> tensor<8x7x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x7x8192xf32>) outs(%s : tensor<8x7x8192xf32>) -> tensor<8x7x8192xf32>
  %r = tensor.empty() : tensor<8x7x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x7x128xf32>) -> tensor<8x7x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x7x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x7x128xf32>) -> tensor<8x7x128xf32>
  return %result : tensor<8x7x128xf32>
}

// CHECK-LABEL: func.func @two(
// CHECK: scf.for {{.*}} step %c16{{[ _]}}
// ASKS-LABEL: func.func @two(
// ASKS-NOT: tec.prefetch
func.func @two(%q: tensor<8x2x64xf32>, %k: tensor<8x8192x64xf32>, %v: tensor<8x8192x64xf32>) -> tensor<8x2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x2x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x2x64xf32>, tensor<8x8192x64xf32>) outs(%s0 : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x2x8192xf32>) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %r = tensor.empty() : tensor<8x2x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x2x64xf32>) -> tensor<8x2x64xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x2x8192xf32>, tensor<8x8192x64xf32>) outs(%r0 : tensor<8x2x64xf32>) -> tensor<8x2x64xf32>
  return %result : tensor<8x2x64xf32>
}

// CHECK-LABEL: func.func @page(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASKS-LABEL: func.func @page(
// ASKS-NOT: tec.prefetch
// ASKS: vector<1x128xf32> into vector<2x128xf32>
// ASKS-NOT: tec.prefetch
func.func @page(%q: tensor<8x2x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x2x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x2x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x2x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x2x8192xf32>) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %r = tensor.empty() : tensor<8x2x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x2x128xf32>) -> tensor<8x2x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x2x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x2x128xf32>) -> tensor<8x2x128xf32>
  return %result : tensor<8x2x128xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASKS-LABEL: func.func @one(
// ASKS: tec.prefetch
func.func @one(%q: tensor<16x1x64xf32>, %k: tensor<16x8192x64xf32>, %v: tensor<16x8192x64xf32>) -> tensor<16x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<16x1x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<16x1x8192xf32>) -> tensor<16x1x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<16x1x64xf32>, tensor<16x8192x64xf32>) outs(%s0 : tensor<16x1x8192xf32>) -> tensor<16x1x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<16x1x8192xf32>) outs(%s : tensor<16x1x8192xf32>) -> tensor<16x1x8192xf32>
  %r = tensor.empty() : tensor<16x1x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<16x1x8192xf32>, tensor<16x8192x64xf32>) outs(%r0 : tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
  return %result : tensor<16x1x64xf32>
}

// CHECK-LABEL: func.func @long(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @long(
// ASKS: tec.prefetch
func.func @long(%q: tensor<8x1x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x1x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x1x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x1x8192xf32>) -> tensor<8x1x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x1x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x1x8192xf32>) -> tensor<8x1x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x1x8192xf32>) outs(%s : tensor<8x1x8192xf32>) -> tensor<8x1x8192xf32>
  %r = tensor.empty() : tensor<8x1x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x1x128xf32>) -> tensor<8x1x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x1x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x1x128xf32>) -> tensor<8x1x128xf32>
  return %result : tensor<8x1x128xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: scf.for {{.*}} step %c16{{[ _]}}
// ASKS-LABEL: func.func @narrow(
// ASKS-NOT: tec.prefetch
func.func @narrow(%q: tensor<8x4x128xf32>, %k: tensor<8x8192x128xbf16>, %v: tensor<8x8192x128xbf16>) -> tensor<8x4x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x4x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x4x128xf32>, tensor<8x8192x128xbf16>) outs(%s0 : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x4x8192xf32>) outs(%s : tensor<8x4x8192xf32>) -> tensor<8x4x8192xf32>
  %r = tensor.empty() : tensor<8x4x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x4x8192xf32>, tensor<8x8192x128xbf16>) outs(%r0 : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  return %result : tensor<8x4x128xf32>
}

// CHECK-LABEL: func.func @slow(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @slow(
// ASKS: tec.prefetch
func.func @slow(%q: tensor<8x3x128xf32>, %k: tensor<8x8192x128xf16>, %v: tensor<8x8192x128xf16>) -> tensor<8x3x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x3x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x3x8192xf32>) -> tensor<8x3x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x3x128xf32>, tensor<8x8192x128xf16>) outs(%s0 : tensor<8x3x8192xf32>) -> tensor<8x3x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x3x8192xf32>) outs(%s : tensor<8x3x8192xf32>) -> tensor<8x3x8192xf32>
  %r = tensor.empty() : tensor<8x3x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x3x128xf32>) -> tensor<8x3x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x3x8192xf32>, tensor<8x8192x128xf16>) outs(%r0 : tensor<8x3x128xf32>) -> tensor<8x3x128xf32>
  return %result : tensor<8x3x128xf32>
}

// CHECK-LABEL: func.func @near(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @near(
// ASKS-NOT: tec.prefetch
func.func @near(%q: tensor<8x4x128xf32>, %k: tensor<8x512x128xf32>, %v: tensor<8x512x128xf32>) -> tensor<8x4x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x4x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x4x512xf32>) -> tensor<8x4x512xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x4x128xf32>, tensor<8x512x128xf32>) outs(%s0 : tensor<8x4x512xf32>) -> tensor<8x4x512xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x4x512xf32>) outs(%s : tensor<8x4x512xf32>) -> tensor<8x4x512xf32>
  %r = tensor.empty() : tensor<8x4x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x4x512xf32>, tensor<8x512x128xf32>) outs(%r0 : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  return %result : tensor<8x4x128xf32>
}

// CHECK-LABEL: func.func @many(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @many(
// ASKS: tec.prefetch
func.func @many(%q: tensor<8x8x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x8x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x8x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x8x8192xf32>) -> tensor<8x8x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x8x128xf32>, tensor<8x8192x128xf32>) outs(%s0 : tensor<8x8x8192xf32>) -> tensor<8x8x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x8x8192xf32>) outs(%s : tensor<8x8x8192xf32>) -> tensor<8x8x8192xf32>
  %r = tensor.empty() : tensor<8x8x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x8x128xf32>) -> tensor<8x8x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x8x8192xf32>, tensor<8x8192x128xf32>) outs(%r0 : tensor<8x8x128xf32>) -> tensor<8x8x128xf32>
  return %result : tensor<8x8x128xf32>
}

// Each iteration has keys of its own, also where there are few.
// CHECK-LABEL: func.func @short(
// CHECK: scf.for {{.*}} step %c128{{[ _]}}
// ASKS-LABEL: func.func @short(
// ASKS: tec.prefetch
func.func @short(%q: tensor<8x8x128xf32>, %k: tensor<8x512x128xf32>, %v: tensor<8x512x128xf32>) -> tensor<8x8x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x8x512xf32>) -> tensor<8x8x512xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x8x128xf32>, tensor<8x512x128xf32>) outs(%s0 : tensor<8x8x512xf32>) -> tensor<8x8x512xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x8x512xf32>) outs(%s : tensor<8x8x512xf32>) -> tensor<8x8x512xf32>
  %r = tensor.empty() : tensor<8x8x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x8x128xf32>) -> tensor<8x8x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x8x512xf32>, tensor<8x512x128xf32>) outs(%r0 : tensor<8x8x128xf32>) -> tensor<8x8x128xf32>
  return %result : tensor<8x8x128xf32>
}

// CHECK-LABEL: func.func @open(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// ASKS-LABEL: func.func @open(
// ASKS: tec.prefetch
func.func @open(%q: tensor<16x1x64xf32>, %k: tensor<16x?x64xf32>, %v: tensor<16x?x64xf32>) -> tensor<16x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<16x?x64xf32>
  %s = tensor.empty(%n) : tensor<16x1x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<16x1x?xf32>) -> tensor<16x1x?xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<16x1x64xf32>, tensor<16x?x64xf32>) outs(%s0 : tensor<16x1x?xf32>) -> tensor<16x1x?xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<16x1x?xf32>) outs(%s : tensor<16x1x?xf32>) -> tensor<16x1x?xf32>
  %r = tensor.empty() : tensor<16x1x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<16x1x?xf32>, tensor<16x?x64xf32>) outs(%r0 : tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
  return %result : tensor<16x1x64xf32>
}
