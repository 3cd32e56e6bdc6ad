// Results that are larger than the last cache, 16 MiB of this CPU, go past it where they begin with a line of it: a copy of
// the kernel writes them so. Not so where they are small, where rows are no whole lines or begin in the middle of one,
// where the last line may be cut, where the kernel reads what it has written, and where a product keeps the machine busy.
// RUN: tcc-attn opt %s --target=host:x86-64-v4 --passes=stream --verify | FileCheck %s

#id = affine_map<(i, j, k) -> (i, k)>
#other = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @large(
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %arg1 : memref<4097x1024xf32> -> index
// CHECK-NEXT: %[[MASK:.*]] = arith.constant 63
// CHECK-NEXT: %[[REST:.*]] = arith.andi %[[ADDRESS]], %[[MASK]]
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[REST]],
// CHECK-NEXT: scf.if %[[BEGINS]] {
// CHECK-NEXT: scf.forall (%[[I:.*]]) in (4097) {
// CHECK: %[[ROW:.*]] = memref.subview %arg1[%[[I]], 0]
// CHECK: scf.for %[[J:.*]] =
// CHECK: vector.store %{{.*}}, %[[ROW]][%{{.*}}, %[[J]]] {alignment = 64 : i64, nontemporal = true} : memref<1x1024xf32{{.*}}, vector<32xf32>
// CHECK: } else {
// CHECK-NEXT: scf.forall
// CHECK-NOT: vector.store
// CHECK: vector.transfer_write
func.func @large(%x: memref<4097x1024xf32>, %y: memref<4097x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (4097) {
    %row = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4097x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<4097x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %row[%c0, %j], %p {in_bounds = [true]} : memref<1x1024xf32, strided<[1024, 1], offset: ?>>, vector<32xf32>
      %e = arith.addf %v, %v : vector<32xf32>
      vector.transfer_write %e, %out[%c0, %j] {in_bounds = [true]} : vector<32xf32>, memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    }
  }
  return
}

// How large it is is asked where it is open: more rows than 16 MiB have.
// CHECK-LABEL: func.func @open(
// CHECK: %[[ROWS:.*]] = memref.dim %arg1
// CHECK: %[[MOST:.*]] = arith.constant 4096
// CHECK-NEXT: %[[LARGER:.*]] = arith.cmpi slt, %[[MOST]], %[[ROWS]]
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[LARGER]], %[[BEGINS]]
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK: vector.store
// CHECK: } else {
// CHECK-NOT: vector.store
// CHECK: return
func.func @open(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (%rows) {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<?x1024xf32>, vector<32xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<?x1024xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @small(
// CHECK-NOT: vector.store
func.func @small(%x: memref<4096x1024xf32>, %y: memref<4096x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (4096) {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<4096x1024xf32>, vector<32xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<4096x1024xf32>
    }
  }
  return
}

// Rows of 1025 elements begin anywhere in a line.
// CHECK-LABEL: func.func @ragged(
// CHECK-NOT: vector.store
func.func @ragged(%x: memref<8192x1025xf32>, %y: memref<8192x1025xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (8192) {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<8192x1025xf32>, vector<32xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<8192x1025xf32>
    }
  }
  return
}

// So do steps of 24.
// CHECK-LABEL: func.func @steps(
// CHECK-NOT: vector.store
func.func @steps(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (8192) {
    scf.for %j = %c0 to %c1024 step %c24 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<8192x1024xf32>, vector<16xf32>
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<8192x1024xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @cut(
// CHECK-NOT: vector.store
func.func @cut(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (8192) {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %p : memref<8192x1024xf32>, vector<32xf32>
      vector.transfer_write %v, %y[%i, %j] : vector<32xf32>, memref<8192x1024xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @read_back(
// CHECK-NOT: vector.store
func.func @read_back(%y: memref<8192x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (8192) {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %y[%i, %j], %p {in_bounds = [true]} : memref<8192x1024xf32>, vector<32xf32>
      %e = arith.addf %v, %v : vector<32xf32>
      vector.transfer_write %e, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<8192x1024xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @product(
// CHECK-NOT: vector.store
func.func @product(%a: memref<8x64xf32>, %b: memref<64x64xf32>, %y: memref<131072x64xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<8x64xf32>
  scf.forall (%i) in (131072) {
    %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x64xf32>, vector<8x64xf32>
    %r = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
    %s = vector.contract {indexing_maps = [#id, #other, #sum], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %zero : vector<8x64xf32>, vector<64x64xf32> into vector<8x64xf32>
    %row = vector.extract %s[0] : vector<64xf32> from vector<8x64xf32>
    vector.transfer_write %row, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<131072x64xf32>
  }
  return
}
