// The first elements of a sorted open row, behind a condition: where it is not met, rows may be shorter.
// RUN: tcc-attn run %s --random --dims=0 --check --verify
// RUN: tcc-attn run %s --random --dims=3 --check
// RUN: tcc-attn run %s --random --dims=300 --check

// The largest four, of rows that have four.
func.func @first_if_long(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %sorted = tm_tensor.sort dimension(0) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<?xf32>
  %long = arith.cmpi sge, %n, %c4 : index
  %first = scf.if %long -> tensor<4xf32> {
    %taken = tensor.extract_slice %sorted[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
    scf.yield %taken : tensor<4xf32>
  } else {
    %none = arith.constant dense<7.0> : tensor<4xf32>
    scf.yield %none : tensor<4xf32>
  }
  return %first : tensor<4xf32>
}
