// RUN: tcc-attn opt %s --passes=decompose-softmax | FileCheck %s
// RUN: tcc-attn opt %s --passes=decompose-softmax,bufferize | FileCheck %s --check-prefix=MEMORY
// Nobody reads the running quotient, so that both loops carry numerators, and one division follows them.

// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[MAX]]
// CHECK: linalg.generic {{.*}} ins(%[[OLD]] :
// CHECK: %[[LOWEST:.*]] = arith.constant -3.4028235e+38 : f32
// CHECK: arith.maximumf %{{.*}}, %[[LOWEST]]
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}}"reduction"]}
// CHECK: arith.maximumf
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[NEW]] :
// CHECK: math.exp
// CHECK: %[[ALPHA:.*]] = linalg.generic {{.*}} ins(%[[OLD]], %[[NEW]] :
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[E]] :
// CHECK: arith.addf
// CHECK-NOT: arith.divf
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<4xf32>) outs(%{{.*}} : tensor<4x32xf32>)
// CHECK: arith.mulf
// CHECK: linalg.matmul {__root__} ins(%[[E]], %{{.*}} outs(%[[SCALED]] :
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x32xf32>)
// CHECK: arith.divf
// CHECK-NOT: linalg_ext

// No scratch but a tile of scores, a row of maxima, and what the loops carry; O is carried in the result itself.
// MEMORY: memref.alloca() {{.*}} : memref<8xf32>
// MEMORY-NEXT: memref.alloca() {{.*}} : memref<8xf32>
// MEMORY-NEXT: memref.alloca() {{.*}} : memref<4x8xf32>
// MEMORY-NEXT: memref.alloca() {{.*}} : memref<4xf32>
// MEMORY-NOT: memref.alloc
// MEMORY: %[[O:.*]] = memref.subview %arg3
// MEMORY: linalg.matmul {__root__} {{.*}} outs(%[[O]] :
func.func @dot_attention(%arg0: tensor<8x32xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %c4 = arith.constant 4 : index
  %0 = tensor.empty() : tensor<8x32xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = tensor.empty() : tensor<8xf32>
  %3 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %5 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  %6:3 = scf.for %arg3 = %c0 to %c16 step %c8 iter_args(%arg4 = %4, %arg5 = %3, %arg6 = %5) -> (tensor<8x32xf32>, tensor<8xf32>, tensor<8xf32>) {
    %7:3 = scf.for %arg7 = %c0 to %c8 step %c4 iter_args(%arg8 = %arg4, %arg9 = %arg5, %arg10 = %arg6) -> (tensor<8x32xf32>, tensor<8xf32>, tensor<8xf32>) {
      %extracted_slice = tensor.extract_slice %arg0[%arg7, 0] [4, 32] [1, 1] : tensor<8x32xf32> to tensor<4x32xf32>
      %extracted_slice_1 = tensor.extract_slice %arg1[0, %arg3] [32, 8] [1, 1] : tensor<32x16xf32> to tensor<32x8xf32>
      %8 = tensor.empty() : tensor<4x8xf32>
      %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<4x8xf32>) -> tensor<4x8xf32>
      %10 = linalg.matmul ins(%extracted_slice, %extracted_slice_1 : tensor<4x32xf32>, tensor<32x8xf32>) outs(%9 : tensor<4x8xf32>) -> tensor<4x8xf32>
      %11 = tensor.empty() : tensor<4x8xf32>
      %extracted_slice_2 = tensor.extract_slice %arg9[%arg7] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %extracted_slice_3 = tensor.extract_slice %arg10[%arg7] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %12 = tensor.empty() : tensor<4xf32>
      %13:4 = linalg_ext.softmax dimension(1) ins(%10 : tensor<4x8xf32>) outs(%11, %extracted_slice_2, %extracted_slice_3, %12 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
      %extracted_slice_4 = tensor.extract_slice %arg2[%arg3, 0] [8, 32] [1, 1] : tensor<16x32xf32> to tensor<8x32xf32>
      %extracted_slice_5 = tensor.extract_slice %arg8[%arg7, 0] [4, 32] [1, 1] : tensor<8x32xf32> to tensor<4x32xf32>
      %14 = tensor.empty() : tensor<4x4xf32>
      %15 = linalg_ext.diag ins(%13#3 : tensor<4xf32>) outs(%14 : tensor<4x4xf32>) : tensor<4x4xf32>
      %16 = tensor.empty() : tensor<4x32xf32>
      %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<4x32xf32>) -> tensor<4x32xf32>
      %18 = linalg.matmul ins(%15, %extracted_slice_5 : tensor<4x4xf32>, tensor<4x32xf32>) outs(%17 : tensor<4x32xf32>) -> tensor<4x32xf32>
      %19 = linalg.matmul {__root__} ins(%13#0, %extracted_slice_4 : tensor<4x8xf32>, tensor<8x32xf32>) outs(%18 : tensor<4x32xf32>) -> tensor<4x32xf32>
      %inserted_slice = tensor.insert_slice %19 into %arg8[%arg7, 0] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<8x32xf32>
      %inserted_slice_6 = tensor.insert_slice %13#1 into %arg9[%arg7] [4] [1] : tensor<4xf32> into tensor<8xf32>
      %inserted_slice_7 = tensor.insert_slice %13#2 into %arg10[%arg7] [4] [1] : tensor<4xf32> into tensor<8xf32>
      scf.yield %inserted_slice, %inserted_slice_6, %inserted_slice_7 : tensor<8x32xf32>, tensor<8xf32>, tensor<8xf32>
    }
    scf.yield %7#0, %7#1, %7#2 : tensor<8x32xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %6#0 : tensor<8x32xf32>
}
