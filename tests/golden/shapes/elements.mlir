// What goes element by element over several tensors, and what either branch may yield, has one shape in each call.
// RUN: tcc-attn run %s --func=sum --random --dims=5,5 --check | FileCheck %s
// RUN: tcc-attn run %s --func=behind_product --random --dims=3,3 --check | FileCheck %s
// RUN: tcc-attn run %s --func=called --random --dims=4,4 --check | FileCheck %s
// RUN: tcc-attn run %s --func=branch --random --dims=6,6 | FileCheck %s --check-prefix=RUNS
// RUN: not tcc-attn run %s --func=sum --random --dims=5,4 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=sum --random --dims=1,40000 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=behind_product --random --dims=4,3 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=called --random --dims=3,4 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=branch --random --dims=6,5 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not tcc-attn run %s --func=chosen --random --dims=3,4,3 2>&1 | FileCheck %s --check-prefix=UNFIT
// CHECK: good
// RUNS: run: branch(
// UNFIT: error: the shapes of the arguments of '{{.*}}' do not fit together
func.func @sum(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = arith.addf %x, %y : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}
func.func @behind_product(%a: tensor<?x16xf32>, %b: tensor<16x32xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %a, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x32xf32>) outs(%start : tensor<?x32xf32>) -> tensor<?x32xf32>
  %s = math.fma %r, %y, %y : tensor<?x32xf32>
  return %s : tensor<?x32xf32>
}
func.func @called(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = func.call @sum(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}
func.func @branch(%p: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %s = scf.if %p -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %s : tensor<?xf32>
}
func.func @chosen(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %p = arith.cmpf olt, %x, %z : tensor<?xf32>
  %s = arith.select %p, %x, %y : tensor<?xi1>, tensor<?xf32>
  return %s : tensor<?xf32>
}
