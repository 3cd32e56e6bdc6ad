// RUN: tcc-attn opt %s --passes=bufferize | FileCheck %s
// RUN: tcc-attn compile %s --emit=obj --verify -o %t.o
// Constants, padding, single elements, branches, scalar results.

// CHECK-LABEL: func.func @pad(
// CHECK: linalg.generic {{.*}} outs(%[[PADDED:.*]] : memref<4x6xf32>)
// CHECK: linalg.yield %cst
// CHECK: %[[INNER:.*]] = memref.subview %[[PADDED]][1, 2] [2, 3]
// CHECK: memref.copy %arg0, %[[INNER]]
func.func @pad(%a: tensor<2x3xf32>) -> tensor<4x6xf32> {
  %cst = arith.constant 7.0 : f32
  %p = tensor.pad %a low[1, 2] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %cst : f32
  } : tensor<2x3xf32> to tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// CHECK: memref.global "private" constant @tec_constant_0 : memref<2x2xf32> = dense<{{.*}}1.0
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: memref<2x2xf32>, %arg1: i1, %arg2: memref<2x2xf32>, %arg3: memref<4xf32>) -> f32
// CHECK: %[[K:.*]] = memref.get_global @tec_constant_0
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[K]] {{.*}} outs(%[[X:.*]] : memref<2x2xf32>)
// CHECK: scf.if %arg1
// CHECK: memref.copy %{{.*}}, %[[Z:.*]] :
// CHECK: else
// CHECK: memref.copy %[[X]], %[[W:.*]] :
// CHECK: memref.store %{{.*}}, %[[W]][%c0, %c0]
// CHECK: memref.copy %[[W]], %[[Z]]
// CHECK: %[[SCALAR:.*]] = memref.load %[[X]][%c0, %c0]
// CHECK: memref.collapse_shape %[[Z]]
// CHECK: return %[[SCALAR]] : f32
func.func @constant(%a: tensor<2x2xf32>, %c: i1) -> (tensor<2x2xf32>, tensor<4xf32>, f32) {
  %k = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = arith.constant dense<2.0> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %x = arith.addf %a, %k : tensor<2x2xf32>
  %y = arith.mulf %x, %s : tensor<2x2xf32>
  %z = scf.if %c -> (tensor<2x2xf32>) {
    scf.yield %y : tensor<2x2xf32>
  } else {
    %y_0 = tensor.extract %y[%c0, %c0] : tensor<2x2xf32>
    %w = tensor.insert %y_0 into %x[%c0, %c0] : tensor<2x2xf32>
    scf.yield %w : tensor<2x2xf32>
  }
  %v = tensor.extract %x[%c0, %c0] : tensor<2x2xf32>
  %f = tensor.collapse_shape %z [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  return %z, %f, %v : tensor<2x2xf32>, tensor<4xf32>, f32
}

// Dims that do not follow one another in memory merge in a copy.
// CHECK-LABEL: func.func @merged_slice(
// CHECK: %[[SLICE:.*]] = memref.subview %arg0[0, 2] [4, 2] [1, 1]
// CHECK: memref.copy %[[SLICE]], %[[DENSE:.*]] : memref<4x2xf32, strided<[6, 1], offset: 2>> to memref<4x2xf32>
// CHECK: memref.collapse_shape %[[DENSE]]
func.func @merged_slice(%x: tensor<4x6xf32>) -> tensor<8xf32> {
  %slice = tensor.extract_slice %x[0, 2] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
  %merged = tensor.collapse_shape %slice [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  return %merged : tensor<8xf32>
}

// A dim of extent 1 keeps its stride, as upstream demands.
// CHECK-LABEL: func.func @merged_units(
// CHECK: memref.collapse_shape {{.*}} : memref<1x1x4xf32, strided<[24, 6, 1], offset: 2>> into memref<1x4xf32, strided<[24, 1], offset: 2>>
func.func @merged_units(%x: tensor<3x4x6xf32>) -> tensor<1x4xf32> {
  %slice = tensor.extract_slice %x[0, 0, 2] [1, 1, 4] [1, 1, 1] : tensor<3x4x6xf32> to tensor<1x1x4xf32>
  %merged = tensor.collapse_shape %slice [[0, 1], [2]] : tensor<1x1x4xf32> into tensor<1x4xf32>
  return %merged : tensor<1x4xf32>
}

// Both branches yield as much; where one computes how much that is, the other may tell beforehand.
// CHECK-LABEL: func.func @branch_that_knows(
// CHECK: %[[N:.*]] = memref.dim %arg0, %{{.*}} : memref<?xf32>
// CHECK: memref.alloc(%[[N]])
// CHECK: scf.if
func.func @branch_that_knows(%a: tensor<?xf32>, %half: index, %c: i1) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> (tensor<?xf32>) {
    %n = arith.addi %half, %half : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  %x = tensor.extract %r[%c0] : tensor<?xf32>
  return %x : f32
}

// Memory may show an extent that the tensor does not: reshapes are of what the tensor shows.
// CHECK-LABEL: func.func @reshape_slice(
// CHECK: %[[PART:.*]] = memref.subview %arg0[0, 0] [4, 64] [1, 1] : memref<8x64xf32> to memref<4x64xf32>
// CHECK: %[[OPEN:.*]] = memref.cast %[[PART]] : memref<4x64xf32> to memref<?x64xf32>
// CHECK: memref.expand_shape %[[OPEN]] {{\[}}[0], [1, 2]]
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1]] : memref<?x64xf32> into memref<?xf32>
func.func @reshape_slice(%a: tensor<8x64xf32>, %wide: tensor<?x8x8xf32>, %flat: tensor<?xf32>) -> (tensor<?x8x8xf32>, tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %part = tensor.extract_slice %a[0, 0] [%c4, 64] [1, 1] : tensor<8x64xf32> to tensor<?x64xf32>
  %expanded = tensor.expand_shape %part [[0], [1, 2]] output_shape [%c4, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
  %0 = linalg.exp ins(%expanded : tensor<?x8x8xf32>) outs(%wide : tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  %collapsed = tensor.collapse_shape %part [[0, 1]] : tensor<?x64xf32> into tensor<?xf32>
  %1 = linalg.exp ins(%collapsed : tensor<?xf32>) outs(%flat : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x8x8xf32>, tensor<?xf32>
}
