// Subscripts of maps that are divided, or fall, or are multiplied by what no extent can be, lie within their operands or
// are refused: where extents are open, when the function is called.
// RUN: sh -c 'for d in 8,9 9,16 8,0; do tcc-attn run %s --func=modulo --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 7,8 0,1; do tcc-attn run %s --func=modulo --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 8,8 9,5 8,0; do tcc-attn run %s --func=falls --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 8,9 7,2; do tcc-attn run %s --func=falls --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 3,6 4,8; do tcc-attn run %s --func=half --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 3,8 0,1; do tcc-attn run %s --func=half --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 8,9 5,9; do tcc-attn run %s --func=upper --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 4,9; do tcc-attn run %s --func=upper --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 1,1 5,0; do tcc-attn run %s --func=far --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 64,5 64,4; do tcc-attn run %s --func=far --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 1,1 1048577,2; do tcc-attn run %s --func=wide --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for d in 9,2; do tcc-attn run %s --func=wide --random --dims=$d && exit 0; done; exit 1' 2>&1 | FileCheck %s
// RUN: sh -c 'for d in 5,0; do tcc-attn run %s --func=above --random --check --dims=$d && tcc-attn run %s --func=below --random --check --dims=$d || exit 1; done'
// RUN: not sh -c 'for f in above below; do tcc-attn run %s --func=$f --random --dims=4,4 && exit 0; done; exit 1' 2>&1 | FileCheck %s
// CHECK: error: the shapes of the arguments of '{{.*}}' do not fit together

#id = affine_map<(d0) -> (d0)>

func.func @modulo(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 mod 8)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @falls(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (7 - d0)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @half(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> ((d0 - 6) floordiv 2 + 3)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @upper(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 ceildiv 2)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @far(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 4611686018427387904)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @wide(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 1048576)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @above(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 9223372036854775807)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @below(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 - 9223372036854775807 - 2)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
