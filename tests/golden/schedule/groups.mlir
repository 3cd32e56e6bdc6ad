// Heads that share keys and values: where each has one query, heads are the rows of a tile, so that each key is read once
// for all of them; where each has a few, queries of all heads are (see join-rows.mlir); with more, those of one head.
// RUN: tcc-attn compile %s --target=host:znver5 --emit=mlir --dump=schedule -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=nvptx:sm_90 --emit=ptx --dump=schedule -o %t 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn run %s --random --check --func=one
// RUN: tcc-attn run %s --random --check --func=three
// RUN: tcc-attn run %s --random --check --func=one --device=ptx-emu

// CHECK-LABEL: func.func @one(
// CHECK: scf.forall {{.*}} = (0, 0, 0) to (2, 4, 1) step (1, {{[0-9][0-9]+}}, 1)
// GPU-LABEL: func.func @one(
// GPU: scf.forall {{.*}} = (0, 0, 0) to (2, 4, 1) step (1, {{[0-9][0-9]+}}, 1)
func.func @one(%query: tensor<8x1x16xf32>, %key: tensor<2x16x300xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<8x1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %repeated = tensor.empty() : tensor<2x4x16x300xf32>
  %keys = linalg.broadcast ins(%key : tensor<2x16x300xf32>) outs(%repeated : tensor<2x4x16x300xf32>) dimensions = [1]
  %k = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x4x16x300xf32> into tensor<8x16x300xf32>
  %again = tensor.empty() : tensor<2x4x300x16xf32>
  %values = linalg.broadcast ins(%value : tensor<2x300x16xf32>) outs(%again : tensor<2x4x300x16xf32>) dimensions = [1]
  %v = tensor.collapse_shape %values [[0, 1], [2], [3]] : tensor<2x4x300x16xf32> into tensor<8x300x16xf32>
  %e = tensor.empty() : tensor<8x1x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x1x300xf32>) -> tensor<8x1x300xf32>
  %scores = linalg.batch_matmul ins(%query, %k : tensor<8x1x16xf32>, tensor<8x16x300xf32>)
      outs(%s0 : tensor<8x1x300xf32>) -> tensor<8x1x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x1x300xf32>) outs(%e : tensor<8x1x300xf32>)
      -> tensor<8x1x300xf32>
  %re = tensor.empty() : tensor<8x1x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<8x1x16xf32>) -> tensor<8x1x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x1x300xf32>, tensor<8x300x16xf32>)
      outs(%r0 : tensor<8x1x16xf32>) -> tensor<8x1x16xf32>
  return %result : tensor<8x1x16xf32>
}

// CHECK-LABEL: func.func @three(
// CHECK: scf.forall {{.*}} = (0, 0) to (2, 12) step (1, {{[0-9][0-9]+}})
func.func @three(%query: tensor<8x3x16xf32>, %key: tensor<2x16x300xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %repeated = tensor.empty() : tensor<2x4x16x300xf32>
  %keys = linalg.broadcast ins(%key : tensor<2x16x300xf32>) outs(%repeated : tensor<2x4x16x300xf32>) dimensions = [1]
  %k = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x4x16x300xf32> into tensor<8x16x300xf32>
  %again = tensor.empty() : tensor<2x4x300x16xf32>
  %values = linalg.broadcast ins(%value : tensor<2x300x16xf32>) outs(%again : tensor<2x4x300x16xf32>) dimensions = [1]
  %v = tensor.collapse_shape %values [[0, 1], [2], [3]] : tensor<2x4x300x16xf32> into tensor<8x300x16xf32>
  %e = tensor.empty() : tensor<8x3x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x3x300xf32>) -> tensor<8x3x300xf32>
  %scores = linalg.batch_matmul ins(%query, %k : tensor<8x3x16xf32>, tensor<8x16x300xf32>)
      outs(%s0 : tensor<8x3x300xf32>) -> tensor<8x3x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x3x300xf32>) outs(%e : tensor<8x3x300xf32>)
      -> tensor<8x3x300xf32>
  %re = tensor.empty() : tensor<8x3x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<8x3x16xf32>) -> tensor<8x3x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x3x300xf32>, tensor<8x300x16xf32>)
      outs(%r0 : tensor<8x3x16xf32>) -> tensor<8x3x16xf32>
  return %result : tensor<8x3x16xf32>
}

// CHECK-LABEL: func.func @five(
// CHECK: scf.forall {{.*}} = (0, 0) to (2, 20) step (1, {{[0-9][0-9]+}})
func.func @five(%query: tensor<8x5x16xf32>, %key: tensor<2x16x300xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<8x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %repeated = tensor.empty() : tensor<2x4x16x300xf32>
  %keys = linalg.broadcast ins(%key : tensor<2x16x300xf32>) outs(%repeated : tensor<2x4x16x300xf32>) dimensions = [1]
  %k = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x4x16x300xf32> into tensor<8x16x300xf32>
  %again = tensor.empty() : tensor<2x4x300x16xf32>
  %values = linalg.broadcast ins(%value : tensor<2x300x16xf32>) outs(%again : tensor<2x4x300x16xf32>) dimensions = [1]
  %v = tensor.collapse_shape %values [[0, 1], [2], [3]] : tensor<2x4x300x16xf32> into tensor<8x300x16xf32>
  %e = tensor.empty() : tensor<8x5x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x5x300xf32>) -> tensor<8x5x300xf32>
  %scores = linalg.batch_matmul ins(%query, %k : tensor<8x5x16xf32>, tensor<8x16x300xf32>)
      outs(%s0 : tensor<8x5x300xf32>) -> tensor<8x5x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<8x5x300xf32>) outs(%e : tensor<8x5x300xf32>)
      -> tensor<8x5x300xf32>
  %re = tensor.empty() : tensor<8x5x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<8x5x16xf32>) -> tensor<8x5x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<8x5x300xf32>, tensor<8x300x16xf32>)
      outs(%r0 : tensor<8x5x16xf32>) -> tensor<8x5x16xf32>
  return %result : tensor<8x5x16xf32>
}

// CHECK-LABEL: func.func @many(
// CHECK: scf.forall {{.*}} = (0, 0, 0) to (2, 40, 20) step (1, 1, {{[0-9][0-9]+}})
func.func @many(%query: tensor<80x20x16xf32>, %key: tensor<2x16x300xf32>, %value: tensor<2x300x16xf32>)
    -> tensor<80x20x16xf32> {
  %zero = arith.constant 0.0 : f32
  %repeated = tensor.empty() : tensor<2x40x16x300xf32>
  %keys = linalg.broadcast ins(%key : tensor<2x16x300xf32>) outs(%repeated : tensor<2x40x16x300xf32>) dimensions = [1]
  %k = tensor.collapse_shape %keys [[0, 1], [2], [3]] : tensor<2x40x16x300xf32> into tensor<80x16x300xf32>
  %again = tensor.empty() : tensor<2x40x300x16xf32>
  %values = linalg.broadcast ins(%value : tensor<2x300x16xf32>) outs(%again : tensor<2x40x300x16xf32>) dimensions = [1]
  %v = tensor.collapse_shape %values [[0, 1], [2], [3]] : tensor<2x40x300x16xf32> into tensor<80x300x16xf32>
  %e = tensor.empty() : tensor<80x20x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<80x20x300xf32>) -> tensor<80x20x300xf32>
  %scores = linalg.batch_matmul ins(%query, %k : tensor<80x20x16xf32>, tensor<80x16x300xf32>)
      outs(%s0 : tensor<80x20x300xf32>) -> tensor<80x20x300xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<80x20x300xf32>) outs(%e : tensor<80x20x300xf32>)
      -> tensor<80x20x300xf32>
  %re = tensor.empty() : tensor<80x20x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<80x20x16xf32>) -> tensor<80x20x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<80x20x300xf32>, tensor<80x300x16xf32>)
      outs(%r0 : tensor<80x20x16xf32>) -> tensor<80x20x16xf32>
  return %result : tensor<80x20x16xf32>
}
