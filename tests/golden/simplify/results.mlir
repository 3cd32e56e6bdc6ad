// A result that nobody reads is not computed: the place of a maximum goes, and the maximum is one by itself. One that
// another result is made of stays.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --func=maximum --random --check
// RUN: tcc-attn run %s --func=place --random --check

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @maximum(
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<20x30xf32>) outs(%{{.*}} : tensor<20xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[A]], %[[O]] : f32
// CHECK-NEXT: linalg.yield %[[M]] : f32
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @place(
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, i64
func.func @maximum(%x: tensor<20x30xf32>) -> tensor<20xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<20xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %n = tensor.empty() : tensor<20xi64>
  %p = linalg.fill ins(%zero : i64) outs(%n : tensor<20xi64>) -> tensor<20xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<20x30xf32>)
      outs(%p, %f : tensor<20xi64>, tensor<20xf32>) {
  ^bb0(%a: f32, %q: i64, %o: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %j : index to i64
    %m = arith.maximumf %a, %o : f32
    %more = arith.cmpf ogt, %a, %o : f32
    %where = arith.select %more, %at, %q : i64
    linalg.yield %where, %m : i64, f32
  } -> (tensor<20xi64>, tensor<20xf32>)
  return %r#1 : tensor<20xf32>
}
func.func @place(%x: tensor<20x30xf32>) -> tensor<20xi64> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<20xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %n = tensor.empty() : tensor<20xi64>
  %p = linalg.fill ins(%zero : i64) outs(%n : tensor<20xi64>) -> tensor<20xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<20x30xf32>)
      outs(%f, %p : tensor<20xf32>, tensor<20xi64>) {
  ^bb0(%a: f32, %o: f32, %q: i64):
    %j = linalg.index 1 : index
    %at = arith.index_cast %j : index to i64
    %m = arith.maximumf %a, %o : f32
    %more = arith.cmpf ogt, %a, %o : f32
    %where = arith.select %more, %at, %q : i64
    linalg.yield %m, %where : f32, i64
  } -> (tensor<20xf32>, tensor<20xi64>)
  return %r#1 : tensor<20xi64>
}
