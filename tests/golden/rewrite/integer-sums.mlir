// Products of i8 are added up in i32 where the machine adds several at once: in whatever type a program adds them up, as
// long as several rows meet several columns and no sum can overflow. Scales leave the factors first, also those that an
// exporter wrote an op of their own for.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=move-factors,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:znver3 --passes=move-factors,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:neoverse-n1 --passes=move-factors,simplify | FileCheck %s --check-prefix=PLAIN
// RUN: tcc-attn run %s --func=scaled --random --check
// RUN: tcc-attn run %s --func=scaled --random --check --target=host:x86-64-v3
// RUN: tcc-attn run %s --func=wide --random --check
// RUN: tcc-attn run %s --func=wide --random --check --target=host:x86-64
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm -o - | FileCheck %s --check-prefix=BYTES
// RUN: tcc-attn compile %s --target=host:znver3 --emit=asm -o - | FileCheck %s --check-prefix=WORDS
// BYTES: vpdpbusd {{.*}}%zmm
// WORDS: vpmaddwd {{.*}}%ymm
// PLAIN-NOT: arith.muli
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %[[Q:.*]]: tensor<40x64xi8>, %[[W:.*]]: tensor<48x64xi8>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[W]] : tensor<40x64xi8>, tensor<48x64xi8>) outs(%{{.*}} : tensor<40x48xi32>)
// CHECK: arith.muli
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<40x48xi32>)
// CHECK: arith.sitofp
func.func @scaled(%q: tensor<40x64xi8>, %w: tensor<48x64xi8>, %scale: tensor<48xf32>) -> tensor<40x48xf32> {
  %zero = arith.constant 0.0 : f32
  %qe = tensor.empty() : tensor<40x64xf32>
  %qf = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<40x64xi8>) outs(%qe : tensor<40x64xf32>) {
  ^bb0(%a: i8, %o: f32):
    %x = arith.sitofp %a : i8 to f32
    linalg.yield %x : f32
  } -> tensor<40x64xf32>
  %we = tensor.empty() : tensor<48x64xf32>
  %wf = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<48x64xi8>) outs(%we : tensor<48x64xf32>) {
  ^bb0(%a: i8, %o: f32):
    %x = arith.sitofp %a : i8 to f32
    linalg.yield %x : f32
  } -> tensor<48x64xf32>
  %ws = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]} ins(%wf, %scale : tensor<48x64xf32>, tensor<48xf32>) outs(%we : tensor<48x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %x = arith.mulf %a, %s : f32
    linalg.yield %x : f32
  } -> tensor<48x64xf32>
  %e = tensor.empty() : tensor<40x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x48xf32>) -> tensor<40x48xf32>
  %c = linalg_ext.batch_matmul ins(%qf, %ws : tensor<40x64xf32>, tensor<48x64xf32>) outs(%f : tensor<40x48xf32>) layout = "nt" -> tensor<40x48xf32>
  return %c : tensor<40x48xf32>
}

// CHECK-LABEL: func.func @wide(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<40x64xi8>, tensor<64x33xi8>) outs(%{{.*}} : tensor<40x33xi32>)
// CHECK: arith.extsi %{{.*}} : i32 to i64
func.func @wide(%a: tensor<40x64xi8>, %b: tensor<64x33xi8>) -> tensor<40x33xi64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<40x33xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<40x33xi64>) -> tensor<40x33xi64>
  %c = linalg.matmul ins(%a, %b : tensor<40x64xi8>, tensor<64x33xi8>) outs(%f : tensor<40x33xi64>) -> tensor<40x33xi64>
  return %c : tensor<40x33xi64>
}

// One row reads another argument as it is, sums that begin with something go on in their type, and 131072
// products of -128 by -128 are 2^31.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tensor<{{.*}}xi32>
// CHECK: return
func.func @others(%a: tensor<1x64xi8>, %b: tensor<64x33xi8>, %c: tensor<40x64xi8>, %g: tensor<40x33xf32>,
                  %h: tensor<16x131072xi8>) -> (tensor<1x33xf32>, tensor<40x33xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x33xf32>) -> tensor<1x33xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x64xi8>, tensor<64x33xi8>) outs(%f : tensor<1x33xf32>) -> tensor<1x33xf32>
  %s = linalg.matmul ins(%c, %b : tensor<40x64xi8>, tensor<64x33xi8>) outs(%g : tensor<40x33xf32>) -> tensor<40x33xf32>
  %i = tensor.empty() : tensor<16x16xf32>
  %j = linalg.fill ins(%zero : f32) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = linalg_ext.batch_matmul ins(%h, %h : tensor<16x131072xi8>, tensor<16x131072xi8>) outs(%j : tensor<16x16xf32>) layout = "nt" -> tensor<16x16xf32>
  return %r, %s, %t : tensor<1x33xf32>, tensor<40x33xf32>, tensor<16x16xf32>
}
