// Two layers are one kernel where threads have rows enough. There both sums go in steps for which panels have room, also in the
// first layer, inside of the second one's loop. Few rows are two kernels, so that threads share the columns of each.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=schedule --verify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver5 --passes=schedule --verify | FileCheck %s --check-prefix=OTHER
// RUN: tcc-attn run %s --func=few --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=long --random --dims=150 --check 2>&1 | FileCheck %s --check-prefix=RESULT
#x = affine_map<(r, c, k) -> (r, k)>
#w = affine_map<(r, c, k) -> (c, k)>
#y = affine_map<(r, c, k) -> (r, c)>

// RESULT: {{: good$}}
// CHECK-LABEL: func.func @long(
// CHECK: scf.forall
// CHECK: scf.for {{.*}} to %c4096{{.*}} step
// CHECK: scf.for {{.*}} to %c4100{{.*}} step %c{{[12]...}} 
// CHECK-NOT: scf.forall (
// CHECK: return
// OTHER-LABEL: func.func @long(
// OTHER: scf.forall
// OTHER: scf.for {{.*}} to %c4096{{.*}} step
// OTHER: scf.for {{.*}} to %c4100{{.*}} step
// OTHER: return
func.func @long(%a: tensor<?x4100xf32>, %b: tensor<4096x4100xf32>, %d: tensor<64x4096xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %a, %c0 : tensor<?x4100xf32>
  %e = tensor.empty(%rows) : tensor<?x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %h = linalg.matmul indexing_maps = [#x, #w, #y] ins(%a, %b : tensor<?x4100xf32>, tensor<4096x4100xf32>)
      outs(%f : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x4096xf32>) outs(%e : tensor<?x4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x4096xf32>
  %e2 = tensor.empty(%rows) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%g, %d : tensor<?x4096xf32>, tensor<64x4096xf32>)
      outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @few(
// CHECK: scf.forall {{.*}} -> (tensor<8x320xf32>)
// CHECK: arith.maximumf
// CHECK: scf.forall {{.*}} -> (tensor<8x64xf32>)
// CHECK: return
func.func @few(%a: tensor<8x512xf32>, %b: tensor<512x320xf32>, %d: tensor<320x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x320xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x320xf32>) -> tensor<8x320xf32>
  %h = linalg.matmul ins(%a, %b : tensor<8x512xf32>, tensor<512x320xf32>) outs(%f : tensor<8x320xf32>) -> tensor<8x320xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x320xf32>) outs(%e : tensor<8x320xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x320xf32>
  %e2 = tensor.empty() : tensor<8x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.matmul ins(%g, %d : tensor<8x320xf32>, tensor<320x64xf32>) outs(%f2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// Scores and their sum are a whole of their own, however few the rows.
// CHECK-LABEL: func.func @reduced(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @reduced(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>, %d: tensor<96x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %h = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%f : tensor<8x96xf32>) -> tensor<8x96xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce {arith.addf} ins(%h : tensor<8x96xf32>) outs(%f1 : tensor<8xf32>) dimensions = [1]
  %g = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x96xf32>, tensor<8xf32>) outs(%e : tensor<8x96xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.divf %in, %by : f32
    linalg.yield %m : f32
  } -> tensor<8x96xf32>
  %e2 = tensor.empty() : tensor<8x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.matmul ins(%g, %d : tensor<8x96xf32>, tensor<96x64xf32>) outs(%f2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// So are those of a product that is short, as scores are.
// CHECK-LABEL: func.func @short(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @short(%a: tensor<8x64xf32>, %b: tensor<64x320xf32>, %d: tensor<320x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x320xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x320xf32>) -> tensor<8x320xf32>
  %h = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x320xf32>) outs(%f : tensor<8x320xf32>) -> tensor<8x320xf32>
  %e2 = tensor.empty() : tensor<8x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.matmul ins(%h, %d : tensor<8x320xf32>, tensor<320x64xf32>) outs(%f2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
