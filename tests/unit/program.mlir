// What test_program.c runs: attention of any length, f16, and functions of the C library.
func.func @attention(%q: tensor<?x32xf32>, %k: tensor<?x32xf32>, %v: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x32xf32>
  %n = tensor.dim %k, %c0 : tensor<?x32xf32>
  %se = tensor.empty(%m, %n) : tensor<?x?xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x32xf32>, tensor<?x32xf32>) outs(%si : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%se : tensor<?x?xf32>) -> tensor<?x?xf32>
  %oe = tensor.empty(%m) : tensor<?x32xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<?x32xf32>) -> tensor<?x32xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x32xf32>) outs(%oi : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %o : tensor<?x32xf32>
}

func.func @half(%a: tensor<9x20xf16>, %b: tensor<9x20xbf16>) -> (tensor<9x20xf16>, tensor<9x20xbf16>) {
  %e = tensor.empty() : tensor<9x20xf16>
  %f = tensor.empty() : tensor<9x20xbf16>
  %x = linalg.mul ins(%a, %a : tensor<9x20xf16>, tensor<9x20xf16>) outs(%e : tensor<9x20xf16>) -> tensor<9x20xf16>
  %y = linalg.mul ins(%b, %b : tensor<9x20xbf16>, tensor<9x20xbf16>) outs(%f : tensor<9x20xbf16>) -> tensor<9x20xbf16>
  return %x, %y : tensor<9x20xf16>, tensor<9x20xbf16>
}

func.func @library(%a: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %x = linalg.map ins(%a : tensor<?xf64>) outs(%e : tensor<?xf64>) (%x: f64, %o: f64) {
    %y = math.erf %x : f64
    %z = math.tanh %y : f64
    %v = math.exp %z : f64
    linalg.yield %v : f64
  }
  return %x : tensor<?xf64>
}
