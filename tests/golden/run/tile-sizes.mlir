// Attention with tile sizes and extents of all kinds, in every order of the loops.
// RUN: sh -c 'for sizes in "1, 1, 1" "4, 19, 8" "5, 3, 11" "36, 18, 40" "37, 19, 41" "38, 20, 42" "4611686018427387904, 1000, 9223372036854775807"; do for order in "0, 1, 2" "1, 2, 0" "2, 0, 1"; do sed "s/ROWS/37/g; s/KEYS/41/g; s/DEPTH/24/g; s/COLUMNS/19/g; s/SIZES/$sizes/; s/ORDER/$order/" %s >%t.mlir && tcc-attn run %t.mlir --random --check --verify || { echo $sizes, $order; exit 1; }; done; done' | FileCheck %s
// RUN: sh -c 'for extents in "0 41 24 19" "37 0 24 19" "37 41 0 19" "37 41 24 0" "0 0 0 0" "1 1 1 1" "1 41 1 1" "3 1 9 2" "4 8 1 3"; do set -- $extents; for schedule in "s/SIZES/4, 3, 8/; s/ORDER/0, 2, 1/" "/^transform/,\$d"; do sed "s/ROWS/$1/g; s/KEYS/$2/g; s/DEPTH/$3/g; s/COLUMNS/$4/g; $schedule" %s >%t.mlir && tcc-attn run %t.mlir --random --check --verify || { echo $extents, $schedule; exit 1; }; done; done' | FileCheck %s
// CHECK: : good
// CHECK-NOT: WRONG
func.func @f(%q: tensor<ROWSxDEPTHxf32>, %k: tensor<KEYSxDEPTHxf32>, %v: tensor<KEYSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<ROWSxKEYSxf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<ROWSxKEYSxf32>) -> tensor<ROWSxKEYSxf32>
  %s = linalg_ext.batch_matmul ins(%q, %k : tensor<ROWSxDEPTHxf32>, tensor<KEYSxDEPTHxf32>) outs(%si : tensor<ROWSxKEYSxf32>) layout = "nt"
  %lowest = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<ROWSxf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%me : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %a0 = linalg.fill ins(%zero : f32) outs(%me : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %p:4 = linalg_ext.softmax dimension(1) ins(%s : tensor<ROWSxKEYSxf32>) outs(%se, %m0, %a0, %me : tensor<ROWSxKEYSxf32>, tensor<ROWSxf32>, tensor<ROWSxf32>, tensor<ROWSxf32>) : tensor<ROWSxKEYSxf32>, tensor<ROWSxf32>, tensor<ROWSxf32>, tensor<ROWSxf32>
  %oe = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %o = linalg.matmul {__root__} ins(%p#0, %v : tensor<ROWSxKEYSxf32>, tensor<KEYSxCOLUMNSxf32>) outs(%oi : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  return %o : tensor<ROWSxCOLUMNSxf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %r = transform.structured.match attributes {__root__} in %m : (!transform.any_op) -> !transform.any_op
  %t, %l:3 = transform.structured.fuse_ext %r {tile_sizes = [SIZES], tile_interchange = [ORDER]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.structured.tile_loop_hint %t : !transform.any_op
  transform.cleanup
}
