// A constant that a product in a loop is multiplied by goes to the factor that is copied before the loop.
// RUN: tcc-attn opt %s --passes=orient,hoist-factors,simplify --target=host:x86-64-v4 --verify | FileCheck %s
// RUN: tcc-attn run %s --func=scaled --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=large --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=added --random --check 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}

// What the body does with the scaled element stays.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<64x16xf32>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: arith.mulf %{{.*}}, %[[C:.*]] : f32
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%[[SCALED]], %{{.*}} : tensor<16x64xf32>, tensor<32x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NOT: arith.mulf
// CHECK: math.exp2 %[[IN]]
// CHECK: return
func.func @scaled(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 16] [1, 1] : tensor<512x16xf32> to tensor<64x16xf32>
    %from = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<64xf32>) -> tensor<64xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf32> to tensor<32x16xf32>
      %empty = tensor.empty() : tensor<64x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<64x16xf32>, tensor<32x16xf32>) outs(%filled : tensor<64x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<64x32xf32>
      %powers = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) {
      ^bb0(%s: f32, %o: f32):
        %eighth = arith.constant 0.125 : f32
        %scaled = arith.mulf %s, %eighth : f32
        %power = math.exp2 %scaled : f32
        linalg.yield %power : f32
      } -> tensor<64x32xf32>
      %next = linalg.reduce {arith.addf} ins(%powers : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// A factor that might take products beyond the range of f32 stays where it is.
// CHECK-LABEL: func.func @large(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK: arith.mulf
// CHECK: return
func.func @large(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 16] [1, 1] : tensor<512x16xf32> to tensor<64x16xf32>
    %from = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<64xf32>) -> tensor<64xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf32> to tensor<32x16xf32>
      %empty = tensor.empty() : tensor<64x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<64x16xf32>, tensor<32x16xf32>) outs(%filled : tensor<64x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<64x32xf32>
      %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) {
      ^bb0(%s: f32, %o: f32):
        %factor = arith.constant 1.0e10 : f32
        %product = arith.mulf %s, %factor : f32
        %root = math.absf %product : f32
        linalg.yield %root : f32
      } -> tensor<64x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scaled : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// So does one of a product that other terms are added to.
// CHECK-LABEL: func.func @added(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK: arith.mulf
// CHECK: return
func.func @added(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 16] [1, 1] : tensor<512x16xf32> to tensor<64x16xf32>
    %from = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<64xf32>) -> tensor<64xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf32> to tensor<32x16xf32>
      %empty = tensor.empty() : tensor<64x32xf32>
      %filled = linalg.fill ins(%one : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<64x16xf32>, tensor<32x16xf32>) outs(%filled : tensor<64x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<64x32xf32>
      %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) {
      ^bb0(%s: f32, %o: f32):
        %eighth = arith.constant 0.125 : f32
        %product = arith.mulf %s, %eighth : f32
        %root = math.absf %product : f32
        linalg.yield %root : f32
      } -> tensor<64x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scaled : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}
