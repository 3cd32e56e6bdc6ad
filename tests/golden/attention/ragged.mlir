// Sequences of different lengths in one batch, one behind the other: a loop over the sequences launches one kernel each, on
// slices whose bounds are data. Nothing is padded, and an empty sequence costs nothing.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --random --dims=300 --check

// CHECK: @ragged
// CHECK-NEXT: in: scf.for (line [[@LINE+14]])
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
func.func @ragged(%query: tensor<?x8xf32>, %key: tensor<?x8xf32>, %value: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %starts = arith.constant dense<[0, 7, 7, 150, 300]> : tensor<5xi32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant 0.35 : f32
  %rows = tensor.dim %query, %c0 : tensor<?x8xf32>
  %bounds = tensor.dim %starts, %c0 : tensor<5xi32>
  %sequences = arith.subi %bounds, %c1 : index
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %all = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %result = scf.for %i = %c0 to %sequences step %c1 iter_args(%so_far = %all) -> (tensor<?x8xf32>) {
    %next = arith.addi %i, %c1 : index
    %f = tensor.extract %starts[%i] : tensor<5xi32>
    %t = tensor.extract %starts[%next] : tensor<5xi32>
    %from = arith.index_cast %f : i32 to index
    %to = arith.index_cast %t : i32 to index
    %length = arith.subi %to, %from : index
    %q = tensor.extract_slice %query[%from, 0] [%length, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %k = tensor.extract_slice %key[%from, 0] [%length, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %v = tensor.extract_slice %value[%from, 0] [%length, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %es = tensor.empty(%length, %length) : tensor<?x?xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
    %scores = linalg_ext.batch_matmul ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>)
      outs(%s0 : tensor<?x?xf32>) layout = "nt" -> tensor<?x?xf32>
    %weights = linalg.softmax dimension(1) ins(%scores : tensor<?x?xf32>)
      outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
    %er = tensor.empty(%length) : tensor<?x8xf32>
    %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x8xf32>) -> tensor<?x8xf32>
    %r = linalg.matmul ins(%weights, %v : tensor<?x?xf32>, tensor<?x8xf32>)
      outs(%r0 : tensor<?x8xf32>) -> tensor<?x8xf32>
    %new = tensor.insert_slice %r into %so_far[%from, 0] [%length, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    scf.yield %new : tensor<?x8xf32>
  }
  return %result : tensor<?x8xf32>
}
