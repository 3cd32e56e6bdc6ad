// A batch of padded sequences, each with its length, and a query for each: keys beyond the length are not looked at. Lengths that
// are none, and those beyond all keys, hide everything, or nothing.
// RUN: tcc-attn run %s --random --check --verify | FileCheck %s
// RUN: tcc-attn run %s --random --check --device=ptx-emu | FileCheck %s
// RUN: tcc-attn compile %s --emit=mlir --dump=trim -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUNDS
// CHECK: check: result 0: {{.*}}: good
// BOUNDS: tensor.extract
// BOUNDS: affine.max
// BOUNDS: %[[UPPER:.*]] = affine.min
// BOUNDS: scf.for %{{.*}} = %c0{{.*}} to %[[UPPER]] step
func.func @attention(%query: tensor<7x5x16xf32>, %key: tensor<7x300x16xf32>, %value: tensor<7x300x16xf32>) -> tensor<7x5x16xf32> {
  %lengths = arith.constant dense<[0, 1, 300, 129, -9223372036854775808, 9223372036854775807, 31]> : tensor<7xi64>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant dense<0xFF800000> : tensor<f32>
  %visible = arith.constant dense<0.0> : tensor<f32>
  %i0 = tensor.empty() : tensor<300xi64>
  %positions = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>], iterator_types = ["parallel"]} outs(%i0 : tensor<300xi64>) {
  ^bb0(%out: i64):
    %k = linalg.index 0 : index
    %position = arith.index_cast %k : index to i64
    linalg.yield %position : i64
  } -> tensor<300xi64>
  %m0 = tensor.empty() : tensor<7x300xf32>
  %mask = linalg.generic {indexing_maps = [affine_map<(b, k) -> (k)>, affine_map<(b, k) -> (b)>, affine_map<(b, k) -> ()>,
                                           affine_map<(b, k) -> ()>, affine_map<(b, k) -> (b, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%positions, %lengths, %visible, %hidden : tensor<300xi64>, tensor<7xi64>, tensor<f32>, tensor<f32>) outs(%m0 : tensor<7x300xf32>) {
  ^bb0(%position: i64, %length: i64, %yes: f32, %no: f32, %out: f32):
    %inside = arith.cmpi slt, %position, %length : i64
    %added = arith.select %inside, %yes, %no : f32
    linalg.yield %added : f32
  } -> tensor<7x300xf32>
  %se = tensor.empty() : tensor<7x5x300xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<7x5x300xf32>) -> tensor<7x5x300xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(b, q, k, d) -> (b, q, d)>, affine_map<(b, q, k, d) -> (b, k, d)>,
                                             affine_map<(b, q, k, d) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %key : tensor<7x5x16xf32>, tensor<7x300x16xf32>) outs(%sz : tensor<7x5x300xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %c, %product : f32
    linalg.yield %sum : f32
  } -> tensor<7x5x300xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, k)>,
                                             affine_map<(b, q, k) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %mask : tensor<7x5x300xf32>, tensor<7x300xf32>) outs(%se : tensor<7x5x300xf32>) {
  ^bb0(%score: f32, %added: f32, %out: f32):
    %y = arith.addf %score, %added : f32
    linalg.yield %y : f32
  } -> tensor<7x5x300xf32>
  %weights = linalg.softmax dimension(2) ins(%masked : tensor<7x5x300xf32>) outs(%se : tensor<7x5x300xf32>) -> tensor<7x5x300xf32>
  %re = tensor.empty() : tensor<7x5x16xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<7x5x16xf32>) -> tensor<7x5x16xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<7x5x300xf32>, tensor<7x300x16xf32>) outs(%rz : tensor<7x5x16xf32>) -> tensor<7x5x16xf32>
  return %result : tensor<7x5x16xf32>
}
