// Sums so far and sorted rows, as torch-mlir's own ops say them: blocks and what is left over, open extents, equal
// elements, which stay in order; each beside the interpreter.
// RUN: tcc-attn run %s --func=sums --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=blocks --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=whole_blocks --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=open --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=largest --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=products --random --check | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=ascending --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=equal_stay --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=sort_open --random --check | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=rows --random --check --threads=2 | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=rows --random --check --device=ptx-emu | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=sums --random --check --device=ptx-emu | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=blocks --random --check --device=ptx-emu | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=open --random --check --device=ptx-emu | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=largest --random --check --device=ptx-emu | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn run %s --func=equal_stay --random --check --device=ptx-emu | FileCheck %s --check-prefix=TWO
// RUN: tcc-attn run %s --func=powers_of_products --random --check --device=ptx-emu | FileCheck %s --check-prefix=ONE

// ONE: check: result 0: {{.*}}: good
// TWO: check: result 0: {{.*}}: good
// TWO: check: result 1: {{.*}}: good
func.func @sums(%x: tensor<3x130xf32>, %first: tensor<3xf32>) -> (tensor<3x130xf32>, tensor<3xf32>) {
  %out = tensor.empty() : tensor<3x130xf32>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x130xf32>)
      outs(%out, %first : tensor<3x130xf32>, tensor<3xf32>) {
  ^bb0(%sum: f32, %next: f32):
    %0 = arith.addf %sum, %next : f32
    tm_tensor.yield %0 : f32
  } -> tensor<3x130xf32>, tensor<3xf32>
  return %sums#0, %sums#1 : tensor<3x130xf32>, tensor<3xf32>
}
func.func @blocks(%x: tensor<2x2100x3xf32>, %first: tensor<2x3xf32>) -> (tensor<2x2100x3xf32>, tensor<2x3xf32>) {
  %out = tensor.empty() : tensor<2x2100x3xf32>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<2x2100x3xf32>)
      outs(%out, %first : tensor<2x2100x3xf32>, tensor<2x3xf32>) {
  ^bb0(%sum: f32, %next: f32):
    %0 = arith.addf %sum, %next : f32
    tm_tensor.yield %0 : f32
  } -> tensor<2x2100x3xf32>, tensor<2x3xf32>
  return %sums#0, %sums#1 : tensor<2x2100x3xf32>, tensor<2x3xf32>
}
func.func @whole_blocks(%x: tensor<96xi64>, %first: tensor<i64>) -> tensor<96xi64> {
  %out = tensor.empty() : tensor<96xi64>
  %sums:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<96xi64>)
      outs(%out, %first : tensor<96xi64>, tensor<i64>) {
  ^bb0(%sum: i64, %next: i64):
    %0 = arith.addi %sum, %next : i64
    tm_tensor.yield %0 : i64
  } -> tensor<96xi64>, tensor<i64>
  return %sums#0 : tensor<96xi64>
}
func.func @open(%x: tensor<?x?xf32>, %first: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %out = tensor.empty(%n0, %n1) : tensor<?x?xf32>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<?x?xf32>)
      outs(%out, %first : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%sum: f32, %next: f32):
    %0 = arith.addf %sum, %next : f32
    tm_tensor.yield %0 : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %sums#0, %sums#1 : tensor<?x?xf32>, tensor<?xf32>
}
func.func @largest(%x: tensor<70x5xf32>, %first: tensor<5xf32>) -> tensor<70x5xf32> {
  %out = tensor.empty() : tensor<70x5xf32>
  %sums:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<70x5xf32>)
      outs(%out, %first : tensor<70x5xf32>, tensor<5xf32>) {
  ^bb0(%sum: f32, %next: f32):
    %0 = arith.maximumf %sum, %next : f32
    tm_tensor.yield %0 : f32
  } -> tensor<70x5xf32>, tensor<5xf32>
  return %sums#0 : tensor<70x5xf32>
}
func.func @products(%x: tensor<4x9xi32>, %first: tensor<4xi32>) -> tensor<4x9xi32> {
  %out = tensor.empty() : tensor<4x9xi32>
  %sums:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x9xi32>)
      outs(%out, %first : tensor<4x9xi32>, tensor<4xi32>) {
  ^bb0(%sum: i32, %next: i32):
    %0 = arith.muli %sum, %next : i32
    tm_tensor.yield %0 : i32
  } -> tensor<4x9xi32>, tensor<4xi32>
  return %sums#0 : tensor<4x9xi32>
}
func.func @ascending(%x: tensor<3x130xf32>, %y: tensor<3x130xi64>) -> (tensor<3x130xf32>, tensor<3x130xi64>) {
  %sorted:2 = tm_tensor.sort dimension(1) outs(%x, %y : tensor<3x130xf32>, tensor<3x130xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %k: i64):
    %0 = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %0 : i1
  } -> tensor<3x130xf32>, tensor<3x130xi64>
  return %sorted#0, %sorted#1 : tensor<3x130xf32>, tensor<3x130xi64>
}
func.func @equal_stay(%x: tensor<40x3xi64>, %y: tensor<40x3xi64>) -> (tensor<40x3xi64>, tensor<40x3xi64>) {
  %sorted:2 = tm_tensor.sort dimension(0) outs(%x, %y : tensor<40x3xi64>, tensor<40x3xi64>) {
  ^bb0(%a: i64, %b: i64, %i: i64, %k: i64):
    %0 = arith.cmpi sge, %a, %b : i64
    tm_tensor.yield %0 : i1
  } -> tensor<40x3xi64>, tensor<40x3xi64>
  return %sorted#0, %sorted#1 : tensor<40x3xi64>, tensor<40x3xi64>
}
func.func @sort_open(%x: tensor<?x?x2xf32>, %y: tensor<?x?x2xi64>) -> (tensor<?x?x2xf32>, tensor<?x?x2xi64>) {
  %sorted:2 = tm_tensor.sort dimension(1) outs(%x, %y : tensor<?x?x2xf32>, tensor<?x?x2xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %k: i64):
    %0 = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %0 : i1
  } -> tensor<?x?x2xf32>, tensor<?x?x2xi64>
  return %sorted#0, %sorted#1 : tensor<?x?x2xf32>, tensor<?x?x2xi64>
}
// Blocks of rows that lie apart, and of columns beside each other, of which the last are not full.
func.func @rows(%x: tensor<2x7x100xf16>, %first: tensor<2x7xf16>, %y: tensor<3x2x5x700xi32>, %start: tensor<3x5x700xi32>) -> (tensor<2x7x100xf16>, tensor<3x2x5x700xi32>) {
  %e = tensor.empty() : tensor<2x7x100xf16>
  %sums:2 = tm_tensor.scan dimension(2) inclusive(true) ins(%x : tensor<2x7x100xf16>) outs(%e, %first : tensor<2x7x100xf16>, tensor<2x7xf16>) {
  ^bb0(%sum: f16, %next: f16):
    %0 = arith.addf %sum, %next : f16
    tm_tensor.yield %0 : f16
  } -> tensor<2x7x100xf16>, tensor<2x7xf16>
  %f = tensor.empty() : tensor<3x2x5x700xi32>
  %more:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%y : tensor<3x2x5x700xi32>) outs(%f, %start : tensor<3x2x5x700xi32>, tensor<3x5x700xi32>) {
  ^bb0(%sum: i32, %next: i32):
    %0 = arith.addi %sum, %next : i32
    tm_tensor.yield %0 : i32
  } -> tensor<3x2x5x700xi32>, tensor<3x5x700xi32>
  return %sums#0, %more#0 : tensor<2x7x100xf16>, tensor<3x2x5x700xi32>
}

// Products so far are as large as 1e10, of which 1000 is one unit in the last place: their powers are those of numbers
// rounded as the largest one is, from which they are subtracted.
func.func @powers_of_products(%x: tensor<33x128xf32>) -> tensor<33x128xf32> {
  %one = arith.constant dense<1.0> : tensor<33xf32>
  %out = tensor.empty() : tensor<33x128xf32>
  %products:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<33x128xf32>)
      outs(%out, %one : tensor<33x128xf32>, tensor<33xf32>) {
  ^bb0(%product: f32, %next: f32):
    %0 = arith.mulf %product, %next : f32
    tm_tensor.yield %0 : f32
  } -> tensor<33x128xf32>, tensor<33xf32>
  %y = linalg.softmax dimension(1) ins(%products#0 : tensor<33x128xf32>) outs(%out : tensor<33x128xf32>) -> tensor<33x128xf32>
  return %y : tensor<33x128xf32>
}
