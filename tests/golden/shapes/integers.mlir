// Subscripts that are computed as integers of 32 or 64 bits are read as those of indices are: sums that surely stay
// within the type are sums of indices, and a position that is one is asked for, near enough for no sum to wrap around.
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --emit=mlir -o - | FileCheck %s
// RUN: tcc-attn run %s --func=constant --random --check
// RUN: tcc-attn run %s --func=numbers --out=%t.x.npy,%t.99.npy,%t.936.npy,%t.98.npy,%t.937.npy,%t.most.npy,%t.least.npy
// RUN: sh -c 'for s in 99 936; do tcc-attn run %s --func=narrow --in=%t.x.npy,%t.$s.npy --check || exit 1; done'
// RUN: not sh -c 'for s in 98 937 most least; do tcc-attn run %s --func=narrow --in=%t.x.npy,%t.$s.npy && exit 0; done; exit 1'
// RUN: tcc-attn run %s --func=wide_numbers --out=%t.x.npy,%t.99.npy,%t.936.npy,%t.98.npy,%t.937.npy,%t.most.npy,%t.least.npy
// RUN: sh -c 'for s in 99 936; do tcc-attn run %s --func=wide --in=%t.x.npy,%t.$s.npy --check || exit 1; done'
// RUN: not sh -c 'for s in 98 937 most least; do tcc-attn run %s --func=wide --in=%t.x.npy,%t.$s.npy && exit 0; done; exit 1'
// RUN: tcc-attn run %s --func=narrow_wraps --check --in=%t.x.npy

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @numbers() -> (tensor<1000xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %e = tensor.empty() : tensor<1000xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<1000xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1000xf32>
  %99 = arith.constant dense<99> : tensor<i32>
  %936 = arith.constant dense<936> : tensor<i32>
  %98 = arith.constant dense<98> : tensor<i32>
  %937 = arith.constant dense<937> : tensor<i32>
  %most = arith.constant dense<2147483647> : tensor<i32>
  %least = arith.constant dense<-2147483648> : tensor<i32>
  return %x, %99, %936, %98, %937, %most, %least : tensor<1000xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

func.func @wide_numbers() -> (tensor<1000xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %e = tensor.empty() : tensor<1000xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<1000xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1000xf32>
  %99 = arith.constant dense<99> : tensor<i64>
  %936 = arith.constant dense<936> : tensor<i64>
  %98 = arith.constant dense<98> : tensor<i64>
  %937 = arith.constant dense<937> : tensor<i64>
  %most = arith.constant dense<9223372036854775807> : tensor<i64>
  %least = arith.constant dense<-9223372036854775808> : tensor<i64>
  return %x, %99, %936, %98, %937, %most, %least : tensor<1000xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: func.func @constant(
// CHECK-NOT: arith.minsi
// CHECK: vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<1000xf32>, vector<64xf32>
func.func @constant(%x: tensor<1000xf32>) -> tensor<100x64xf32> {
  %c = arith.constant 99 : i32
  %e = tensor.empty() : tensor<100x64xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<100x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %distance = arith.subi %column, %row : i32
    %place = arith.addi %distance, %c : i32
    %s = arith.index_cast %place : i32 to index
    %v = tensor.extract %x[%s] : tensor<1000xf32>
    linalg.yield %v : f32
  } -> tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: tec.positions = array<i64: 1>
// CHECK-NOT: arith.minsi
// CHECK: func.func private @narrow_shapes(
func.func @narrow(%x: tensor<1000xf32>, %start: i32) -> tensor<100x64xf32> {
  %e = tensor.empty() : tensor<100x64xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<100x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %distance = arith.subi %column, %row : i32
    %place = arith.addi %distance, %start : i32
    %s = arith.index_cast %place : i32 to index
    %v = tensor.extract %x[%s] : tensor<1000xf32>
    linalg.yield %v : f32
  } -> tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}

// CHECK-LABEL: func.func @wide(
// CHECK-SAME: tec.positions = array<i64: 1>
// CHECK-NOT: arith.minsi
// CHECK: vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<1000xf32>, vector<64xf32>
// CHECK: func.func private @wide_shapes(
func.func @wide(%x: tensor<1000xf32>, %start: i64) -> tensor<100x64xf32> {
  %e = tensor.empty() : tensor<100x64xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<100x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %distance = arith.subi %column, %row : i64
    %place = arith.addi %distance, %start : i64
    %s = arith.index_cast %place : i64 to index
    %v = tensor.extract %x[%s] : tensor<1000xf32>
    linalg.yield %v : f32
  } -> tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}

// i * 300 is no number of 16 bits from 110 on: what wraps around is not computed as an index.
// CHECK-LABEL: func.func @narrow_wraps(
// CHECK: arith.muli %{{.*}} : i16
func.func @narrow_wraps(%x: tensor<1000xf32>) -> tensor<400xf32> {
  %e = tensor.empty() : tensor<400xf32>
  %c300 = arith.constant 300 : i16
  %c511 = arith.constant 511 : i16
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<400xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i16
    %product = arith.muli %n, %c300 : i16
    %within = arith.andi %product, %c511 : i16
    %at = arith.index_cast %within : i16 to index
    %v = tensor.extract %x[%at] : tensor<1000xf32>
    linalg.yield %v : f32
  } -> tensor<400xf32>
  return %r : tensor<400xf32>
}
