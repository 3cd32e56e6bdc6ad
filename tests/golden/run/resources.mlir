// Constants whose bytes stand at the end of the text, as exporters write parameters; the first four say how to align them.
// RUN: tcc-attn opt %s --passes=simplify | FileCheck %s
// RUN: tcc-attn run %s --random --check

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

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_torch.float32: "0x040000000000C03F000000C0",
      table: "0x04000000010203FC"
    }
  },
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module()",
      disable_threading: false
    }
  }
#-}
