// RUN: tcc-attn opt %s --passes=shapes,simplify | FileCheck %s
// The extents of results, and whether arguments fit together, from the extents of the arguments.

// CHECK: func.func @att({{.*}} attributes {tec.equal_extents = array<i64: 2, 0, 1, 1>, tec.kernel, tec.shapes = @att_shapes}
// CHECK: func.func private @att_shapes(%arg0: index, %arg1: index, %arg2: index, %arg3: index, %arg4: index, %arg5: index) -> (index, index, index)
// CHECK-DAG: arith.cmpi eq, %arg1, %c64
// CHECK-DAG: arith.cmpi eq, %arg2, %c64
// CHECK-DAG: arith.cmpi eq, %arg3, %arg4
// CHECK: return %{{.*}}, %arg0, %arg5 : index, index, index
// CHECK: func.func private @twice({{.*}} attributes {tec.shapes = @twice_shapes}
// CHECK: func.func private @call_shapes(%arg0: index)
// CHECK: %[[CALL:.*]]:2 = call @twice_shapes(%arg0)
// CHECK: return %{{.*}}, %[[CALL]]#1, %arg0, %[[CALL]]#1
func.func @att(%q: tensor<?x64xf32>, %k: tensor<64x?xf32>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %n = tensor.dim %k, %c1 : tensor<64x?xf32>
  %d = tensor.dim %v, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x64xf32>, tensor<64x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %d) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%cst : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @call(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y, %x, %y : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Parts lie within the whole, and what is cast to a known extent has it.
// CHECK: func.func private @part_shapes(%arg0: index, %arg1: index)
// CHECK-DAG: %[[ROOM:.*]] = affine.apply #{{.*}}(%arg0, %arg1)
// CHECK-DAG: arith.cmpi sle, %c4, %[[ROOM]]
// CHECK-DAG: arith.cmpi sle, %c0, %arg1
// CHECK: return %{{.*}}, %c4
func.func @part(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %offset = tensor.dim %y, %c0 : tensor<?xf32>
  %part = tensor.extract_slice %x[%offset] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %part : tensor<4xf32>
}
// CHECK: func.func private @known_shapes(%arg0: index)
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %arg0, %c8
// CHECK: return %{{.*}}, %c8
func.func @known(%x: tensor<?xf32>) -> tensor<8xf32> {
  %known = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
  return %known : tensor<8xf32>
}

// What is asserted to be an argument's extent is that, as a number of 64 bits too: the two operands of the sum are known to
// have one extent, and the part is all of the tensor. What is asserted to be less is not.
// CHECK: func.func @asserted(
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.add ins(%arg0, %{{.*}} : tensor<?xf32>, tensor<?xf32>) outs(%[[E]]
// CHECK: func.func private @asserted_shapes(%arg0: index, %arg1: index)
// CHECK: arith.cmpi eq
func.func @asserted(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant 64 : i64
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %wide = arith.index_cast %n : index to i64
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %wide_m = arith.index_cast %m : index to i64
  %less = arith.minsi %wide_m, %most : i64
  %same = arith.cmpi eq, %less, %wide : i64
  cf.assert %same, "lengths differ"
  %length = arith.index_cast %less : i64 to index
  %e = tensor.empty(%length) : tensor<?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %part = tensor.extract_slice %ones[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %sum = linalg.add ins(%x, %part : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
// CHECK: func.func @bounded(
// CHECK: %[[LESS:.*]] = arith.minsi
// CHECK: tensor.empty(%[[LESS]])
func.func @bounded(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %less = arith.minsi %n, %c64 : index
  %fits = arith.cmpi sle, %less, %n : index
  cf.assert %fits, "too long"
  %e = tensor.empty(%less) : tensor<?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %ones : tensor<?xf32>
}
