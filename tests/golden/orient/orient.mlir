// In a loop, rows of a product's factor that stays become the last dim, which registers hold neighbours of: that factor
// is transposed once, before the loop, and the one that moves is not.
// RUN: tcc-attn opt %s --passes=orient,simplify --target=host:icelake-server --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=orient,simplify --target=host:znver5 --verify | FileCheck %s --check-prefix=TURNED
// RUN: tcc-attn opt %s --passes=orient,simplify --target=host:znver4 --verify | FileCheck %s --check-prefix=TURNED
// RUN: tcc-attn opt %s --passes=orient --target=nvptx:sm_90 | FileCheck %s --check-prefix=GPU
// RUN: tcc-attn run %s --func=sums --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=products --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=square --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=masked --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=reduced --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=narrow --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=many --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=few --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: %if avx2 %{ tcc-attn run %s --func=few --random --check --target=host:haswell 2>&1 | FileCheck %s --check-prefix=RESULT %}
// RUN: tcc-attn run %s --func=widening --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=ragged --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=divided --random --check 2>&1 | FileCheck %s --check-prefix=RESULT

// GPU-NOT: tensor<16x64xf32>
// RESULT: {{: good$}}

// What is computed elementwise and reduced behind the product follows; a state of one dim stays as it is.
// CHECK-LABEL: func.func @sums(
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}} to tensor<64x16xf32>
// CHECK: %[[XT:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<64x16xf32>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: scf.for {{.*}} -> (tensor<64xf32>)
// CHECK: %[[Y:.*]] = tensor.extract_slice %{{.*}} to tensor<32x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[XT]], %[[Y]] : tensor<16x64xf32>, tensor<32x16xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK: return
func.func @sums(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
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
      %next = linalg.reduce {arith.addf} ins(%scores : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// A carried tensor is transposed back behind the loop.
// CHECK-LABEL: func.func @products(
// CHECK: %[[END:.*]] = scf.for {{.*}} -> (tensor<16x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x64xf32>, tensor<32x16xf32>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[END]] : tensor<16x64xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} : tensor<64x16xf32> into
func.func @products(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512x16xf32>) -> tensor<512x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512x16xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 16] [1, 1] : tensor<512x16xf32> to tensor<64x16xf32>
    %start = tensor.extract_slice %shared[%r, 0] [64, 16] [1, 1] : tensor<512x16xf32> to tensor<64x16xf32>
    %end = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64x16xf32>) {
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
      %next = linalg.matmul ins(%scores, %moves : tensor<64x32xf32>, tensor<32x16xf32>) outs(%sum : tensor<64x16xf32>) -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %end into %shared[%r, 0] [64, 16] [1, 1] : tensor<64x16xf32> into tensor<512x16xf32>
    }
  }
  return %result : tensor<512x16xf32>
}

// So is one whose dims are equal.
// CHECK-LABEL: func.func @square(
// CHECK: %[[END:.*]] = scf.for {{.*}} -> (tensor<64x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[END]] : tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK: tensor.parallel_insert_slice
func.func @square(%x: tensor<512x64xf32>, %y: tensor<256x64xf32>, %out: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512x64xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 64] [1, 1] : tensor<512x64xf32> to tensor<64x64xf32>
    %start = tensor.extract_slice %shared[%r, 0] [64, 64] [1, 1] : tensor<512x64xf32> to tensor<64x64xf32>
    %end = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64x64xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 64] [1, 1] : tensor<256x64xf32> to tensor<32x64xf32>
      %empty = tensor.empty() : tensor<64x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<64x64xf32>, tensor<32x64xf32>) outs(%filled : tensor<64x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<64x32xf32>
      %next = linalg.matmul ins(%scores, %moves : tensor<64x32xf32>, tensor<32x64xf32>) outs(%sum : tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %end into %shared[%r, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<512x64xf32>
    }
  }
  return %result : tensor<512x64xf32>
}

// Near miss: a tile of memory that has the rows would have to be transposed in each step. Some CPUs do that as fast as they
// read it.
// TURNED-LABEL: func.func @masked(
// TURNED: scf.for
// TURNED: %[[TILE:.*]] = tensor.extract_slice %arg2{{.*}} to tensor<64x32xf32>
// TURNED: %[[MASK:.*]] = linalg.generic {{.*}} ins(%[[TILE]] : tensor<64x32xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// TURNED: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x64xf32>)
// TURNED: linalg.{{.*}} ins(%{{.*}}, %[[MASK]] : tensor<32x64xf32>, tensor<32x64xf32>)
// CHECK-LABEL: func.func @masked(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @masked(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %mask: tensor<512x256xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
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
      %tile = tensor.extract_slice %mask[%r, %j] [64, 32] [1, 1] : tensor<512x256xf32> to tensor<64x32xf32>
      %masked = linalg.add ins(%scores, %tile : tensor<64x32xf32>, tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %next = linalg.reduce {arith.addf} ins(%masked : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// Near miss: the rows are reduced, too.
// CHECK-LABEL: func.func @reduced(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @reduced(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
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
      %column_empty = tensor.empty() : tensor<32xf32>
      %columns_zero = linalg.fill ins(%zero : f32) outs(%column_empty : tensor<32xf32>) -> tensor<32xf32>
      %columns = linalg.reduce {arith.addf} ins(%scores : tensor<64x32xf32>) outs(%columns_zero : tensor<32xf32>) dimensions = [0]
      %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%scores, %columns : tensor<64x32xf32>, tensor<32xf32>) outs(%empty : tensor<64x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %n = arith.mulf %a, %b : f32
        linalg.yield %n : f32
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

// Near miss: products of 16-bit floats take pairs of terms, which lie side by side as they are.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @narrow(%x: tensor<512x16xbf16>, %y: tensor<256x16xbf16>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (64) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [64, 16] [1, 1] : tensor<512x16xbf16> to tensor<64x16xbf16>
    %from = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<64xf32>) -> tensor<64xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<64xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xbf16> to tensor<32x16xbf16>
      %empty = tensor.empty() : tensor<64x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<64x16xbf16>, tensor<32x16xbf16>) outs(%filled : tensor<64x32xf32>) {
      ^bb0(%a: bf16, %b: bf16, %c: f32):
      %wa = arith.extf %a : bf16 to f32
      %wb = arith.extf %b : bf16 to f32
      %p = arith.mulf %wa, %wb : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<64x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scores : tensor<64x32xf32>) outs(%sum : tensor<64xf32>) dimensions = [1]
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [64] [1] : tensor<64xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// Near miss: too few rows to fill registers.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @few(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (8) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [8, 16] [1, 1] : tensor<512x16xf32> to tensor<8x16xf32>
    %from = tensor.empty() : tensor<8xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<8xf32>) -> tensor<8xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<8xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf32> to tensor<32x16xf32>
      %empty = tensor.empty() : tensor<8x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<8x16xf32>, tensor<32x16xf32>) outs(%filled : tensor<8x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<8x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scores : tensor<8x32xf32>) outs(%sum : tensor<8xf32>) dimensions = [1]
      scf.yield %next : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [8] [1] : tensor<8xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// Near miss: each element of the other factor would be widened for too few rows.
// CHECK-LABEL: func.func @widening(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @widening(%x: tensor<512x16xf32>, %y: tensor<256x16xf16>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (32) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [32, 16] [1, 1] : tensor<512x16xf32> to tensor<32x16xf32>
    %from = tensor.empty() : tensor<32xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<32xf32>) -> tensor<32xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<32xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf16> to tensor<32x16xf16>
      %empty = tensor.empty() : tensor<32x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<32x16xf32>, tensor<32x16xf16>) outs(%filled : tensor<32x32xf32>) {
      ^bb0(%a: f32, %b: f16, %c: f32):
      %wb = arith.extf %b : f16 to f32
      %p = arith.mulf %a, %wb : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<32x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scores : tensor<32x32xf32>) outs(%sum : tensor<32xf32>) dimensions = [1]
      scf.yield %next : tensor<32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [32] [1] : tensor<32xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// Near miss: many rows pay for transposing the other factor in each step.
// CHECK-LABEL: func.func @many(
// CHECK-NOT: tensor<16x
// CHECK: return
func.func @many(%x: tensor<512x16xf32>, %y: tensor<256x16xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %result = scf.forall (%r) = (0) to (512) step (128) shared_outs(%shared = %out) -> (tensor<512xf32>) {
    %stays = tensor.extract_slice %x[%r, 0] [128, 16] [1, 1] : tensor<512x16xf32> to tensor<128x16xf32>
    %from = tensor.empty() : tensor<128xf32>
    %start = linalg.fill ins(%zero : f32) outs(%from : tensor<128xf32>) -> tensor<128xf32>
    %sums = scf.for %j = %c0 to %c256 step %c32 iter_args(%sum = %start) -> (tensor<128xf32>) {
      %moves = tensor.extract_slice %y[%j, 0] [32, 16] [1, 1] : tensor<256x16xf32> to tensor<32x16xf32>
      %empty = tensor.empty() : tensor<128x32xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x32xf32>) -> tensor<128x32xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<128x16xf32>, tensor<32x16xf32>) outs(%filled : tensor<128x32xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<128x32xf32>
      %next = linalg.reduce {arith.addf} ins(%scores : tensor<128x32xf32>) outs(%sum : tensor<128xf32>) dimensions = [1]
      scf.yield %next : tensor<128xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %shared[%r] [128] [1] : tensor<128xf32> into tensor<512xf32>
    }
  }
  return %result : tensor<512xf32>
}

// There are fewer rows in the last tile, and fewer of the other factor in the last step: rows are padded with zeros before
// the loop, and what belongs to none is left out behind it.
// CHECK-LABEL: func.func @ragged(
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0{{.*}} to tensor<?x16xf32>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[X]] into %{{.*}}[0, 0] [%[[ROWS]], 16]
// CHECK: %[[XT:.*]] = linalg.generic {{.*}} ins(%[[PADDED]] : tensor<64x16xf32>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: %[[END:.*]] = scf.for {{.*}} -> (tensor<16x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[XT]], %{{.*}} : tensor<16x64xf32>, tensor<?x16xf32>) outs(%{{.*}} : tensor<?x64xf32>)
// CHECK: %[[BACK:.*]] = linalg.generic {{.*}} ins(%[[END]] : tensor<16x64xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK: tensor.extract_slice %[[BACK]][0, 0] [%[[ROWS]], 16]
func.func @ragged(%x: tensor<500x16xf32>, %y: tensor<250x16xf32>, %out: tensor<500x16xf32>) -> tensor<500x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c250 = arith.constant 250 : index
  %result = scf.forall (%r) = (0) to (500) step (64) shared_outs(%shared = %out) -> (tensor<500x16xf32>) {
    %rows = affine.min affine_map<(d0) -> (64, 500 - d0)>(%r)
    %stays = tensor.extract_slice %x[%r, 0] [%rows, 16] [1, 1] : tensor<500x16xf32> to tensor<?x16xf32>
    %start = tensor.extract_slice %shared[%r, 0] [%rows, 16] [1, 1] : tensor<500x16xf32> to tensor<?x16xf32>
    %end = scf.for %j = %c0 to %c250 step %c32 iter_args(%sum = %start) -> (tensor<?x16xf32>) {
      %keys = affine.min affine_map<(d0) -> (32, 250 - d0)>(%j)
      %moves = tensor.extract_slice %y[%j, 0] [%keys, 16] [1, 1] : tensor<250x16xf32> to tensor<?x16xf32>
      %empty = tensor.empty(%rows, %keys) : tensor<?x?xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<?x16xf32>, tensor<?x16xf32>) outs(%filled : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<?x?xf32>
      %part = tensor.extract_slice %sum[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %next = linalg.matmul ins(%scores, %moves : tensor<?x?xf32>, tensor<?x16xf32>) outs(%part : tensor<?x16xf32>) -> tensor<?x16xf32>
      %whole = tensor.insert_slice %next into %sum[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
      scf.yield %whole : tensor<?x16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %end into %shared[%r, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<500x16xf32>
    }
  }
  return %result : tensor<500x16xf32>
}

// Near miss: what is computed of the row's number would divide by 0 behind the last one.
// CHECK-LABEL: func.func @divided(
// CHECK-NOT: tensor<16x64xf32>
// CHECK: return
func.func @divided(%x: tensor<500x16xf32>, %y: tensor<250x16xf32>, %out: tensor<500x16xf32>) -> tensor<500x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c250 = arith.constant 250 : index
  %c500 = arith.constant 500 : index
  %result = scf.forall (%r) = (0) to (500) step (64) shared_outs(%shared = %out) -> (tensor<500x16xf32>) {
    %rows = affine.min affine_map<(d0) -> (64, 500 - d0)>(%r)
    %stays = tensor.extract_slice %x[%r, 0] [%rows, 16] [1, 1] : tensor<500x16xf32> to tensor<?x16xf32>
    %start = tensor.extract_slice %shared[%r, 0] [%rows, 16] [1, 1] : tensor<500x16xf32> to tensor<?x16xf32>
    %end = scf.for %j = %c0 to %c250 step %c32 iter_args(%sum = %start) -> (tensor<?x16xf32>) {
      %keys = affine.min affine_map<(d0) -> (32, 250 - d0)>(%j)
      %moves = tensor.extract_slice %y[%j, 0] [%keys, 16] [1, 1] : tensor<250x16xf32> to tensor<?x16xf32>
      %empty = tensor.empty(%rows, %keys) : tensor<?x?xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %scores = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]} ins(%stays, %moves : tensor<?x16xf32>, tensor<?x16xf32>) outs(%filled : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %c, %p : f32
        linalg.yield %n : f32
      } -> tensor<?x?xf32>
      %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%scores : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%score: f32, %c: f32):
        %c7 = arith.constant 7 : index
        %row = linalg.index 0 : index
        %at = arith.addi %row, %r : index
        %left = arith.subi %c500, %at : index
        %part_of = arith.divsi %c7, %left : index
        %number = arith.index_cast %part_of : index to i32
        %factor = arith.sitofp %number : i32 to f32
        %product = arith.mulf %score, %factor : f32
        linalg.yield %product : f32
      } -> tensor<?x?xf32>
      %part = tensor.extract_slice %sum[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %next = linalg.matmul ins(%scaled, %moves : tensor<?x?xf32>, tensor<?x16xf32>) outs(%part : tensor<?x16xf32>) -> tensor<?x16xf32>
      %whole = tensor.insert_slice %next into %sum[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
      scf.yield %whole : tensor<?x16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %end into %shared[%r, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<500x16xf32>
    }
  }
  return %result : tensor<500x16xf32>
}
