// A view whose step is known at run time only hides how far apart rows lie: where the step is 1, a version of the kernel
// knows it. Along dims whose stride is open anyway nothing is hidden.
// RUN: tcc-attn opt %s --passes=version,simplify --verify | FileCheck %s
// RUN: sh -c 'for f in rows batches; do for d in 1 5; do tcc-attn run %s --func=$f --random --check --dims=5,$d,5 || exit 1; done; done'

// CHECK-LABEL: func.func @on_memory(
// CHECK: %[[REPEATED:.*]] = memref.subview %arg0[0, 0] [%arg2, 16] [%arg3, 1] : {{.*}} to memref<?x16xf32, strided<[?, 1]>>
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %arg3, %c1
// CHECK: scf.if %[[ONE]]
// CHECK-NEXT: %[[PLAIN:.*]] = memref.subview %arg0[0, 0] [%arg2, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32>
// CHECK: memref.subview %[[PLAIN]]{{.*}} to memref<1x16xf32, strided<[16, 1], offset: ?>>
// CHECK: } else {
// CHECK: memref.subview %[[REPEATED]]{{.*}} to memref<1x16xf32, strided<[?, 1], offset: ?>>
func.func @on_memory(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %rows: index, %step: index) {
  %view = memref.subview %x[0, 0] [%rows, 16] [%step, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[?, 1]>>
  scf.forall (%i) in (%rows) {
    %from = memref.subview %view[%i, 0] [1, 16] [1, 1] : memref<?x16xf32, strided<[?, 1]>> to memref<1x16xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.exp ins(%from : memref<1x16xf32, strided<[?, 1], offset: ?>>) outs(%to : memref<1x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @outer(
// CHECK-NOT: scf.if
// CHECK: return
func.func @outer(%x: memref<?x?x16xf32>, %y: memref<?x16xf32>, %rows: index, %step: index) {
  %view = memref.subview %x[0, 0, 0] [%rows, 1, 16] [%step, 1, 1] : memref<?x?x16xf32> to memref<?x1x16xf32, strided<[?, 16, 1]>>
  scf.forall (%i) in (%rows) {
    %from = memref.subview %view[%i, 0, 0] [1, 1, 16] [1, 1, 1] : memref<?x1x16xf32, strided<[?, 16, 1]>> to memref<1x1x16xf32, strided<[?, 16, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, 0, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%from : memref<1x1x16xf32, strided<[?, 16, 1], offset: ?>>) outs(%to : memref<1x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    }
  }
  return
}

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @rows(%x: tensor<2x?x16xf32>, %y: tensor<2x?x16xf32>, %n: tensor<?xf32>) -> tensor<2x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<2x?x16xf32>
  %own = tensor.dim %y, %c1 : tensor<2x?x16xf32>
  %keys = tensor.dim %n, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %own, %c1 : index
  %step = arith.select %one, %c0, %c1 : index
  %view = tensor.extract_slice %y[0, 0, 0] [2, %keys, 16] [1, %step, 1] : tensor<2x?x16xf32> to tensor<2x?x16xf32>
  %e = tensor.empty(%m, %keys) : tensor<2x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %view : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}

func.func @batches(%x: tensor<?x7x16xf32>, %y: tensor<?x9x16xf32>, %n: tensor<?xf32>) -> tensor<?x7x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x7x16xf32>
  %own = tensor.dim %y, %c0 : tensor<?x9x16xf32>
  %one = arith.cmpi eq, %own, %c1 : index
  %step = arith.select %one, %c0, %c1 : index
  %view = tensor.extract_slice %y[0, 0, 0] [%b, 9, 16] [%step, 1, 1] : tensor<?x9x16xf32> to tensor<?x9x16xf32>
  %e = tensor.empty(%b) : tensor<?x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x9xf32>) -> tensor<?x7x9xf32>
  %r = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %view : tensor<?x7x16xf32>, tensor<?x9x16xf32>) outs(%f : tensor<?x7x9xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x7x9xf32>
  return %r : tensor<?x7x9xf32>
}
