// Ops that upstream does not have, and the schedule of one step of online softmax.
func.func @attention(%q: tensor<1024x32xf32>, %k: tensor<32x512xf32>, %v: tensor<512x32xf32>, %s: tensor<1024x512xf32>, %m: tensor<1024xf32>, %o: tensor<1024x32xf32>, %d: tensor<1024x1024xf32>) -> tensor<1024x32xf32> {
  %0 = linalg_ext.batch_matmul ins(%q, %k : tensor<1024x32xf32>, tensor<32x512xf32>) outs(%s : tensor<1024x512xf32>) layout = "nn"
  %1:4 = linalg_ext.softmax {tag} dimension(1) ins(%0 : tensor<1024x512xf32>) outs(%s, %m, %m, %m : tensor<1024x512xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> (tensor<1024x512xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>)
  %2 = linalg_ext.diag ins(%1#3 : tensor<1024xf32>) outs(%d : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %3 = linalg_ext.batch_matmul {__root__} ins(%1#0, %v : tensor<1024x512xf32>, tensor<512x32xf32>) outs(%o : tensor<1024x32xf32>) layout = "nn" -> tensor<1024x32xf32>
  return %3 : tensor<1024x32xf32>
}
transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  %0 = transform.structured.match attributes {__root__} in %module : (!transform.any_op) -> !transform.any_op
  %stop = transform.structured.match ops{["linalg.fill"]} in %module : (!transform.any_op) -> !transform.any_op
  %1:3 = transform.structured.fuse_ext %0, %stop {tile_interchange = [2, 1, 0], tile_sizes = [4, 0, 8]} : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.structured.tile_loop_hint %1#0 : !transform.any_op
  transform.cleanup
  transform.yield
}
