// Few queries read keys and values that come from memory in small pieces by turns, where one multiply-add a cycle leaves
// loads to spare: 8 KiB of values a step for two to four queries of f32 and two of 16 bits, half as many for one. What
// scores read of keys is asked for again on the way there.
// RUN: tcc-attn opt %s --target=host:znver4 --cores=1 --passes=simplify,schedule | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver4 --cores=2 --passes=simplify,schedule | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=asm --dump=register-tile -o %t 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK-LABEL: func.func @four(
// CHECK: scf.for {{.*}} step %c16
// TWO-LABEL: func.func @four(
// TWO: scf.for {{.*}} step %c16
// AGAIN-LABEL: func.func @four(
// AGAIN: vector.transfer_read %subview{{.*}}tec.again, tec.prefetch = array<i64: 0, 16, 0>}{{.*}} vector<128xf32>
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

// CHECK-LABEL: func.func @one(
// CHECK: scf.for {{.*}} step %c8{{[ _]}}
// TWO-LABEL: func.func @one(
// TWO: scf.for {{.*}} step %c128
// AGAIN-LABEL: func.func @one(
// AGAIN: tec.again
func.func @one(%q: tensor<8x1x128xf32>, %k: tensor<8x8192x128xf32>, %v: tensor<8x8192x128xf32>) -> tensor<8x1x128xf32> {
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
// CHECK: scf.for {{.*}} step %c32
// TWO-LABEL: func.func @narrow(
// TWO: scf.for {{.*}} step %c32
// AGAIN-LABEL: func.func @narrow(
// AGAIN-NOT: tec.again
func.func @narrow(%q: tensor<8x2x128xf32>, %k: tensor<8x8192x128xbf16>, %v: tensor<8x8192x128xbf16>) -> tensor<8x2x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<8x2x8192xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<8x2x128xf32>, tensor<8x8192x128xbf16>) outs(%s0 : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<8x2x8192xf32>) outs(%s : tensor<8x2x8192xf32>) -> tensor<8x2x8192xf32>
  %r = tensor.empty() : tensor<8x2x128xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<8x2x128xf32>) -> tensor<8x2x128xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<8x2x8192xf32>, tensor<8x8192x128xbf16>) outs(%r0 : tensor<8x2x128xf32>) -> tensor<8x2x128xf32>
  return %result : tensor<8x2x128xf32>
}

// CHECK-LABEL: func.func @near(
// CHECK: scf.for {{.*}} step %c128
// TWO-LABEL: func.func @near(
// TWO: scf.for {{.*}} step %c128
// AGAIN-LABEL: func.func @near(
// AGAIN-NOT: tec.again
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
// CHECK: scf.for {{.*}} step %c128
// TWO-LABEL: func.func @many(
// TWO: scf.for {{.*}} step %c128
// AGAIN-LABEL: func.func @many(
// AGAIN-NOT: tec.again
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
