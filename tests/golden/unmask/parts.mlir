// Loops fall apart where their masks begin and end to matter.
// RUN: tcc-attn opt %s --passes=unmask,simplify | FileCheck %s

// CHECK: #[[$BLOCK:.*]] = affine_map<(d0) -> (128, ((d0 floordiv 24) * 24) + 21)>

// A tile may end beyond the 140 keys: the first eight steps of 16 are full, the last one is no loop any more.
// CHECK-LABEL: @end
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
// CHECK-NOT: create_mask
// CHECK: scf.yield
// CHECK: vector.create_mask
func.func @end(%scores: memref<8x140xf32>, %start: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c140 = arith.constant 140 : index
  %zero = arith.constant 0.0 : f32
  %neutral = arith.constant dense<0.0> : vector<8x16xf32>
  %r = scf.for %key = %c0 to %c140 step %c16 iter_args(%sum = %start) -> (vector<8xf32>) {
    %left = affine.min affine_map<(k) -> (16, -k + 140)>(%key)
    %x = vector.transfer_read %scores[%c0, %key], %zero {in_bounds = [true, false]} : memref<8x140xf32>, vector<8x16xf32>
    %mask = vector.create_mask %left : vector<16xi1>
    %there = vector.broadcast %mask : vector<16xi1> to vector<8x16xi1>
    %y = arith.select %there, %x, %neutral : vector<8x16xi1>, vector<8x16xf32>
    %next = vector.multi_reduction <add>, %y, %sum [1] : vector<8x16xf32> to vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// Keys that are not older than 24 queries: all are visible from the last query's on.
// CHECK-LABEL: @begin
// CHECK: %[[MASKED:.*]] = scf.for %{{.*}} = %c0 to %[[SEAM:[0-9a-z]+]] step %c4 iter_args(%{{.*}} = %arg2)
// CHECK: arith.cmpi
// CHECK: scf.for %{{.*}} = %[[SEAM]] to %c128 step %c4 iter_args(%{{.*}} = %[[MASKED]])
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: return
func.func @begin(%scores: memref<8x128xf32>, %row: index, %start: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = vector.broadcast %lowest : f32 to vector<8x4xf32>
  %width = arith.constant dense<24> : vector<8x4xindex>
  %r = scf.for %key = %c0 to %c128 step %c4 iter_args(%max = %start) -> (vector<8xf32>) {
    %x = vector.transfer_read %scores[%c0, %key], %zero {in_bounds = [true, true]} : memref<8x128xf32>, vector<8x4xf32>
    %rows = vector.step : vector<8xindex>
    %first_row = vector.broadcast %row : index to vector<8xindex>
    %query_of_row = arith.addi %rows, %first_row : vector<8xindex>
    %column = vector.shape_cast %query_of_row : vector<8xindex> to vector<8x1xindex>
    %query = vector.broadcast %column : vector<8x1xindex> to vector<8x4xindex>
    %keys = vector.step : vector<4xindex>
    %first_key = vector.broadcast %key : index to vector<4xindex>
    %key_of_column = arith.addi %keys, %first_key : vector<4xindex>
    %at = vector.broadcast %key_of_column : vector<4xindex> to vector<8x4xindex>
    %end = arith.addi %at, %width : vector<8x4xindex>
    %gone = arith.cmpi sle, %end, %query : vector<8x4xindex>
    %y = arith.select %gone, %hidden, %x : vector<8x4xi1>, vector<8x4xf32>
    %next = vector.multi_reduction <maximumf>, %y, %max [1] : vector<8x4xf32> to vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// Keys of the query's block of 24 and of those before: all are visible up to the end of the first query's block.
// CHECK-LABEL: @blocks
// CHECK: affine.min #[[$BLOCK]](%{{.*}})
// CHECK: %[[FULL:.*]] = scf.for %{{.*}} = %c0 to %[[SEAM:[0-9a-z]+]] step %c4 iter_args(%{{.*}} = %arg2)
// CHECK-NOT: arith.cmpi
// CHECK: scf.for %{{.*}} = %[[SEAM]] to %c128 step %c4 iter_args(%{{.*}} = %[[FULL]])
// CHECK: arith.cmpi
// CHECK: return
func.func @blocks(%scores: memref<8x128xf32>, %row: index, %start: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = vector.broadcast %lowest : f32 to vector<8x4xf32>
  %size = arith.constant dense<24> : vector<8x4xindex>
  %r = scf.for %key = %c0 to %c128 step %c4 iter_args(%max = %start) -> (vector<8xf32>) {
    %x = vector.transfer_read %scores[%c0, %key], %zero {in_bounds = [true, true]} : memref<8x128xf32>, vector<8x4xf32>
    %rows = vector.step : vector<8xindex>
    %first_row = vector.broadcast %row : index to vector<8xindex>
    %query_of_row = arith.addi %rows, %first_row : vector<8xindex>
    %column = vector.shape_cast %query_of_row : vector<8xindex> to vector<8x1xindex>
    %query = vector.broadcast %column : vector<8x1xindex> to vector<8x4xindex>
    %keys = vector.step : vector<4xindex>
    %first_key = vector.broadcast %key : index to vector<4xindex>
    %key_of_column = arith.addi %keys, %first_key : vector<4xindex>
    %at = vector.broadcast %key_of_column : vector<4xindex> to vector<8x4xindex>
    %own = arith.floordivsi %query, %size : vector<8x4xindex>
    %its = arith.divui %at, %size : vector<8x4xindex>
    %gone = arith.cmpi sgt, %its, %own : vector<8x4xindex>
    %y = arith.select %gone, %hidden, %x : vector<8x4xi1>, vector<8x4xf32>
    %next = vector.multi_reduction <maximumf>, %y, %max [1] : vector<8x4xf32> to vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// The last 24 keys up to the query: masked on both sides, it stays whole.
// CHECK-LABEL: @window
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c4
// CHECK-NOT: scf.for
// CHECK: return
func.func @window(%scores: memref<8x128xf32>, %row: index, %start: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = vector.broadcast %lowest : f32 to vector<8x4xf32>
  %width = arith.constant dense<24> : vector<8x4xindex>
  %r = scf.for %key = %c0 to %c128 step %c4 iter_args(%max = %start) -> (vector<8xf32>) {
    %x = vector.transfer_read %scores[%c0, %key], %zero {in_bounds = [true, true]} : memref<8x128xf32>, vector<8x4xf32>
    %rows = vector.step : vector<8xindex>
    %first_row = vector.broadcast %row : index to vector<8xindex>
    %query_of_row = arith.addi %rows, %first_row : vector<8xindex>
    %column = vector.shape_cast %query_of_row : vector<8xindex> to vector<8x1xindex>
    %query = vector.broadcast %column : vector<8x1xindex> to vector<8x4xindex>
    %keys = vector.step : vector<4xindex>
    %first_key = vector.broadcast %key : index to vector<4xindex>
    %key_of_column = arith.addi %keys, %first_key : vector<4xindex>
    %at = vector.broadcast %key_of_column : vector<4xindex> to vector<8x4xindex>
    %seen = arith.cmpi sle, %at, %query : vector<8x4xindex>
    %end = arith.addi %at, %width : vector<8x4xindex>
    %gone = arith.cmpi sle, %end, %query : vector<8x4xindex>
    %unseen = arith.select %seen, %x, %hidden : vector<8x4xi1>, vector<8x4xf32>
    %y = arith.select %gone, %hidden, %unseen : vector<8x4xi1>, vector<8x4xf32>
    %next = vector.multi_reduction <maximumf>, %y, %max [1] : vector<8x4xf32> to vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// Three steps stay together.
// CHECK-LABEL: @short
// CHECK: scf.for %{{.*}} = %c0 to %c40 step %c16
// CHECK: vector.create_mask
func.func @short(%start: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %neutral = arith.constant dense<0.0> : vector<16xf32>
  %r = scf.for %key = %c0 to %c40 step %c16 iter_args(%sum = %start) -> (vector<16xf32>) {
    %left = affine.min affine_map<(k) -> (16, -k + 40)>(%key)
    %there = vector.create_mask %left : vector<16xi1>
    %next = arith.select %there, %sum, %neutral : vector<16xi1>, vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %r : vector<16xf32>
}

// A comparison that hides nothing, one that no step has the same for all elements, and one that is no interval of steps.
// CHECK-LABEL: @whole
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c4
// CHECK-NOT: scf.for
// CHECK: return
func.func @whole(%row: index, %start: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : vector<4xf32>
  %hidden = arith.constant dense<0xFF800000> : vector<4xf32>
  %r = scf.for %key = %c0 to %c128 step %c4 iter_args(%max = %start) -> (vector<4xf32>) {
    %keys = vector.step : vector<4xindex>
    %first_key = vector.broadcast %key : index to vector<4xindex>
    %at = arith.addi %keys, %first_key : vector<4xindex>
    %to = vector.broadcast %row : index to vector<4xindex>
    %less = arith.cmpi slt, %at, %to : vector<4xindex>
    %other = arith.select %less, %max, %one : vector<4xi1>, vector<4xf32>
    %equal = arith.cmpi eq, %at, %to : vector<4xindex>
    %only = arith.select %equal, %other, %hidden : vector<4xi1>, vector<4xf32>
    %same = arith.cmpi slt, %keys, %to : vector<4xindex>
    %some = arith.select %same, %only, %hidden : vector<4xi1>, vector<4xf32>
    scf.yield %some : vector<4xf32>
  }
  return %r : vector<4xf32>
}
