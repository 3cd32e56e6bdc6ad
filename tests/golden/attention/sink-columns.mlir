// An attention sink as one more column of scores, whose weights are dropped, is a start of the softmax: nothing is copied.
// A column whose weight somebody reads is none, nor are two columns, nor a row.
// RUN: tcc-attn explain %s | FileCheck %s
// RUN: tcc-attn run %s --func=behind --random --check
// RUN: tcc-attn run %s --func=before --random --check
// RUN: tcc-attn run %s --func=flat --random --check
// RUN: tcc-attn run %s --func=heads --random --dims=3,70,3,90,3,90,3,70 --check
// RUN: tcc-attn run %s --func=behind --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=has_value --random --check
// RUN: tcc-attn run %s --func=two_columns --random --check
// RUN: tcc-attn run %s --func=other_part --random --check

// CHECK-LABEL: @behind (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @behind(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70x1xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x301xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 300] [70, 1] [1, 1] : tensor<70x1xf32> into tensor<70x301xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x301xf32>) outs(%ec : tensor<70x301xf32>) -> tensor<70x301xf32>
  %weights = tensor.extract_slice %w[0, 0] [70, 300] [1, 1] : tensor<70x301xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// The column without its dim of extent 1, as upstream folds it.
// CHECK-LABEL: @flat (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @flat(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x301xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 300] [70, 1] [1, 1] : tensor<70xf32> into tensor<70x301xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x301xf32>) outs(%ec : tensor<70x301xf32>) -> tensor<70x301xf32>
  %weights = tensor.extract_slice %w[0, 0] [70, 300] [1, 1] : tensor<70x301xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @before (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
func.func @before(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70x1xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x301xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 1] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 0] [70, 1] [1, 1] : tensor<70x1xf32> into tensor<70x301xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x301xf32>) outs(%ec : tensor<70x301xf32>) -> tensor<70x301xf32>
  %weights = tensor.extract_slice %w[0, 1] [70, 300] [1, 1] : tensor<70x301xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// As a framework spells it: open extents, heads, the largest score subtracted before softmax subtracts it again.
// CHECK-LABEL: @heads (
// CHECK-NEXT: kernel 1: attention: 2 products, a softmax that runs along with the loop over keys
// CHECK-NEXT: 1 kernel, with nothing
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @heads(%query: tensor<?x?x16xf32>, %key: tensor<?x16x?xf32>, %value: tensor<?x?x16xf32>, %sink: tensor<?x?x1xf32>)
    -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %h = tensor.dim %query, %c0 : tensor<?x?x16xf32>
  %q = tensor.dim %query, %c1 : tensor<?x?x16xf32>
  %k = tensor.dim %key, %c2 : tensor<?x16x?xf32>
  %e = tensor.empty(%h, %q, %k) : tensor<?x?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.batch_matmul ins(%query, %key : tensor<?x?x16xf32>, tensor<?x16x?xf32>) outs(%s0 : tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32>
  %n = arith.addi %k, %c1 : index
  %ec = tensor.empty(%h, %q, %n) : tensor<?x?x?xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0, 0] [%h, %q, %k] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 0, %k] [%h, %q, 1] [1, 1, 1] : tensor<?x?x1xf32> into tensor<?x?x?xf32>
  %er = tensor.empty(%h, %q) : tensor<?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x1 : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) dimensions = [2]
  %lower = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ec : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.subf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %again = linalg.reduce { arith.maximumf } ins(%lower : tensor<?x?x?xf32>) outs(%max0 : tensor<?x?xf32>) dimensions = [2]
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lower, %again : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ec : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %y = math.exp %1 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<?x?x?xf32>) outs(%sum0 : tensor<?x?xf32>) dimensions = [2]
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ec : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %weights = tensor.extract_slice %w[0, 0, 0] [%h, %q, %k] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %ev = tensor.empty(%h, %q) : tensor<?x?x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %result = linalg.batch_matmul ins(%weights, %value : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%r0 : tensor<?x?x16xf32>)
      -> tensor<?x?x16xf32>
  return %result : tensor<?x?x16xf32>
}

// CHECK-LABEL: @has_value (
// CHECK: puts tensor<{{.*}}> into tensor<
func.func @has_value(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<301x16xf32>, %sink: tensor<70x1xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x301xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 300] [70, 1] [1, 1] : tensor<70x1xf32> into tensor<70x301xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x301xf32>) outs(%ec : tensor<70x301xf32>) -> tensor<70x301xf32>
  %result = linalg.matmul ins(%w, %value : tensor<70x301xf32>, tensor<301x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// CHECK-LABEL: @two_columns (
// CHECK: puts tensor<{{.*}}> into tensor<
func.func @two_columns(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70x2xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x302xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x302xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 300] [70, 2] [1, 1] : tensor<70x2xf32> into tensor<70x302xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x302xf32>) outs(%ec : tensor<70x302xf32>) -> tensor<70x302xf32>
  %weights = tensor.extract_slice %w[0, 0] [70, 300] [1, 1] : tensor<70x302xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}

// The part that is read is not the one that the scores are in.
// CHECK-LABEL: @other_part (
// CHECK: puts tensor<{{.*}}> into tensor<
func.func @other_part(%query: tensor<70x16xf32>, %key: tensor<16x300xf32>, %value: tensor<300x16xf32>, %sink: tensor<70x1xf32>)
    -> tensor<70x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x300xf32>
  %ev = tensor.empty() : tensor<70x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<70x300xf32>) -> tensor<70x300xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<70x16xf32>) -> tensor<70x16xf32>
  %scores = linalg.matmul ins(%query, %key : tensor<70x16xf32>, tensor<16x300xf32>) outs(%s0 : tensor<70x300xf32>)
      -> tensor<70x300xf32>
  %ec = tensor.empty() : tensor<70x301xf32>
  %x0 = tensor.insert_slice %scores into %ec[0, 0] [70, 300] [1, 1] : tensor<70x300xf32> into tensor<70x301xf32>
  %x1 = tensor.insert_slice %sink into %x0[0, 300] [70, 1] [1, 1] : tensor<70x1xf32> into tensor<70x301xf32>
  %w = linalg.softmax dimension(1) ins(%x1 : tensor<70x301xf32>) outs(%ec : tensor<70x301xf32>) -> tensor<70x301xf32>
  %weights = tensor.extract_slice %w[0, 1] [70, 300] [1, 1] : tensor<70x301xf32> to tensor<70x300xf32>
  %result = linalg.matmul ins(%weights, %value : tensor<70x300xf32>, tensor<300x16xf32>) outs(%r0 : tensor<70x16xf32>)
      -> tensor<70x16xf32>
  return %result : tensor<70x16xf32>
}
