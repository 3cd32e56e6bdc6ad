// What one lane holds becomes single values: elementwise ops, carried vectors and choices of elements are taken apart.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=registers,simplify | FileCheck %s
func.func @carried(%from: memref<8xf32>, %to: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant dense<2.0> : vector<4xf32>
  // CHECK-LABEL: func.func @carried
  scf.forall (%i) in (1) {
    // The access itself stays whole.
    // CHECK: %[[WHOLE:.*]] = vector.load {{.*}} : memref<8xf32>, vector<4xf32>
    // CHECK: %[[FIRST:.*]] = vector.extract %[[WHOLE]][0] : f32 from vector<4xf32>
    // CHECK: %[[LAST:.*]] = vector.extract %[[WHOLE]][3] : f32 from vector<4xf32>
    %a = vector.load %from[%c0] : memref<8xf32>, vector<4xf32>
    // CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[FIRST]], {{.*}}, %[[D:.*]] = %[[LAST]]) -> (f32, f32, f32, f32)
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> (vector<4xf32>) {
      // CHECK: %[[ANEW:.*]] = arith.mulf %[[A]], %{{.*}} : f32
      // CHECK: %[[DNEW:.*]] = arith.mulf %[[D]], %{{.*}} : f32
      %y = arith.mulf %x, %two : vector<4xf32>
      // Turned round in pairs.
      // CHECK: scf.yield %{{.*}}, %[[DNEW]], %[[ANEW]], %{{.*}} : f32, f32, f32, f32
      %low = vector.extract_strided_slice %y {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %high = vector.extract_strided_slice %y {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %z0 = vector.insert_strided_slice %high, %y {offsets = [0], strides = [1]} : vector<2xf32> into vector<4xf32>
      %z1 = vector.insert_strided_slice %low, %z0 {offsets = [2], strides = [1]} : vector<2xf32> into vector<4xf32>
      scf.yield %z1 : vector<4xf32>
    }
    // CHECK: %[[STORED:.*]] = vector.from_elements %[[LOOP]]#0, %[[LOOP]]#1, %[[LOOP]]#2, %[[LOOP]]#3 : vector<4xf32>
    // CHECK: vector.store %[[STORED]]
    vector.store %r, %to[%c4] : memref<8xf32>, vector<4xf32>
  } {tec.threads = 32 : i64}
  return
}

// What memory gives under a condition stays whole: nothing is taken apart and put together again.
func.func @guarded(%from: memref<8xf16>, %to: memref<8xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4xf16>
  // CHECK-LABEL: func.func @guarded
  scf.forall (%i) in (1) {
    %inside = arith.cmpi slt, %c0, %n : index
    // CHECK: %[[PART:.*]] = scf.if {{.*}} -> (vector<4xf16>)
    %a = scf.if %inside -> (vector<4xf16>) {
      %b = vector.load %from[%c0] : memref<8xf16>, vector<4xf16>
      scf.yield %b : vector<4xf16>
    } else {
      scf.yield %zero : vector<4xf16>
    }
    // CHECK: vector.store %[[PART]]
    vector.store %a, %to[%c0] : memref<8xf16>, vector<4xf16>
  } {tec.threads = 32 : i64}
  return
}

// Matrices of an instruction keep their shape; a sum that is carried goes in and out element by element.
func.func @matrix(%a: memref<4x2xf16>, %sum: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant dense<0.0> : vector<4xf32>
  // CHECK-LABEL: func.func @matrix
  scf.forall (%i) in (1) {
    %l = vector.load %a[%c0, %c0] : memref<4x2xf16>, vector<2xf16>
    %r = vector.load %a[%c1, %c0] : memref<4x2xf16>, vector<2xf16>
    %w = arith.constant dense<0.0> : vector<8xf16>
    %w0 = vector.insert_strided_slice %l, %w {offsets = [2], strides = [1]} : vector<2xf16> into vector<8xf16>
    %x = vector.shape_cast %w0 : vector<8xf16> to vector<4x2xf16>
    %v0 = vector.extract_strided_slice %w0 {offsets = [2], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
    %y = vector.shape_cast %v0 : vector<4xf16> to vector<2x2xf16>
    %c = vector.shape_cast %start : vector<4xf32> to vector<2x2xf32>
    // CHECK: %[[SUM:.*]] = nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d = nvgpu.mma.sync(%x, %y, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %flat = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>
    // CHECK: %[[LAST:.*]] = vector.extract %[[SUM]][1, 1] : f32 from vector<2x2xf32>
    // CHECK: %[[FLAT:.*]] = vector.from_elements {{.*}}, %[[LAST]] : vector<4xf32>
    // CHECK: vector.store %[[FLAT]]
    vector.store %flat, %sum[%c0] : memref<4xf32>, vector<4xf32>
  } {tec.threads = 32 : i64}
  return
}
