// Constants whose bytes stand at the end of the text, as exporters write parameters; the first four say how to align them.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --func=resources --random --check
// RUN: tcc-attn run %s --func=narrow --check

// CHECK: arith.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: arith.constant dense<{{\[\[}}1, 2], [3, -4]]> : tensor<2x2xi8>
func.func @resources(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %bias = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
  %same = arith.constant dense_resource<"torch_tensor_2_torch.float32"> : tensor<2xf32>
  %table = arith.constant dense_resource<table> : tensor<2x2xi8>
  %e = tensor.empty() : tensor<2x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %bias, %same, %table : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xi8>)
      outs(%e : tensor<2x2xf32>) {
  ^bb0(%x: f32, %b: f32, %s: f32, %t: i8, %o: f32):
    %f = arith.sitofp %t : i8 to f32
    %1 = arith.mulf %x, %f : f32
    %2 = arith.addf %1, %b : f32
    %3 = arith.subf %2, %s : f32
    linalg.yield %3 : f32
  } -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// Elements of less than a byte: upstream writes many booleans as bits, in resources as bytes.
// CHECK-LABEL: @narrow
// CHECK: arith.constant dense<[true, false, true, false, false, false, false, false, false, true]> : tensor<10xi1>
// CHECK-NEXT: arith.constant dense<true> : tensor<10xi1>
// CHECK-NEXT: arith.constant dense<[false, true, true]> : tensor<3xi1>
// CHECK-NEXT: arith.constant dense<[-8, 7, -1]> : tensor<3xi4>
func.func @narrow() -> (tensor<10xi1>, tensor<10xi1>, tensor<3xi1>, tensor<3xi8>) {
  %bits = arith.constant dense<"0x0502"> : tensor<10xi1>
  %all = arith.constant dense<"0xFF"> : tensor<10xi1>
  %bytes = arith.constant dense_resource<bytes> : tensor<3xi1>
  %nibbles = arith.constant dense<"0x08070F"> : tensor<3xi4>
  %wide = arith.extsi %nibbles : tensor<3xi4> to tensor<3xi8>
  return %bits, %all, %bytes, %wide : tensor<10xi1>, tensor<10xi1>, tensor<3xi1>, tensor<3xi8>
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_torch.float32: "0x040000000000C03F000000C0",
      table: "0x04000000010203FC",
      bytes: "0x01000000000101"
    }
  },
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module()",
      disable_threading: false
    }
  }
#-}
