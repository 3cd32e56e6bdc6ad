// RUN: tcc-attn opt %s --passes=share-memory | FileCheck %s
// Buffers share memory where the spans in which they are needed do not meet; each is held during its span only, and while
// structured ops follow each other without need of more.

// The third buffer takes the memory of the first; the second is needed together with both.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK-NEXT: linalg.exp ins(%arg0 {{.*}} outs(%[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK-NEXT: linalg.exp ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK-NEXT: linalg.exp ins(%[[B]] {{.*}} outs(%[[A]]
// CHECK-NEXT: linalg.exp ins(%[[A]] {{.*}} outs(%arg1
// CHECK-DAG: memref.dealloc %[[B]]
// CHECK-DAG: memref.dealloc %[[A]]
// CHECK: return
func.func @chain(%in: memref<8x8xf32>, %out: memref<8x8xf32>) {
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  linalg.exp ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  linalg.exp ins(%b : memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.exp ins(%c : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<8x8xf32>
  memref.dealloc %c : memref<8x8xf32>
  return
}

// Before another one is allocated, and before a loop, memory is released.
// CHECK-LABEL: func.func @next(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK: linalg.exp ins(%[[A]] {{.*}} outs(%arg1
// CHECK-NEXT: linalg.exp ins(%arg0 {{.*}} outs(%arg2
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<9x9xf32>
// CHECK: linalg.exp ins(%[[B]] {{.*}} outs(%arg3
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: scf.for
func.func @next(%in: memref<8x8xf32>, %out: memref<8x8xf32>, %second: memref<8x8xf32>, %third: memref<9x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<9x9xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  linalg.exp ins(%a : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  linalg.exp ins(%in : memref<8x8xf32>) outs(%second : memref<8x8xf32>)
  linalg.exp ins(%third : memref<9x9xf32>) outs(%b : memref<9x9xf32>)
  linalg.exp ins(%b : memref<9x9xf32>) outs(%third : memref<9x9xf32>)
  scf.for %i = %c0 to %c9 step %c1 {
    linalg.exp ins(%in : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  }
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<9x9xf32>
  return
}

// A view of the first buffer is read last, so its span reaches to the end.
// CHECK-LABEL: func.func @views(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @views(%in: memref<8x8xf32>, %out: memref<8x8xf32>) {
  %a = memref.alloc() : memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  %flat = memref.collapse_shape %a [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  %again = memref.expand_shape %flat [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.exp ins(%c : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  linalg.add ins(%again, %out : memref<8x8xf32>, memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %c : memref<8x8xf32>
  return
}

// Extents that are known at run time only: the same values, not just the same type.
// CHECK-LABEL: func.func @extents(
// CHECK: memref.alloc(%arg2)
// CHECK: memref.alloc(%arg3)
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @extents(%in: memref<?xf32>, %out: memref<?xf32>, %m: index, %n: index) {
  %a = memref.alloc(%m) : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%in : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%out : memref<?xf32>)
  linalg.exp ins(%in : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%out : memref<?xf32>)
  linalg.exp ins(%in : memref<?xf32>) outs(%c : memref<?xf32>)
  linalg.exp ins(%c : memref<?xf32>) outs(%out : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  return
}

// A loop needs what is used in it from its first iteration to its last. What iterations have to themselves is shared
// within an iteration.
// CHECK-LABEL: func.func @loops(
// CHECK: %[[SUM:.*]] = memref.alloc() : memref<8xf32>
// CHECK: scf.forall
// CHECK: %[[MINE:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: linalg.exp ins(%arg0 {{.*}} outs(%[[MINE]]
// CHECK-NEXT: %[[PART:.*]] = memref.subview
// CHECK-NEXT: linalg.exp ins(%[[MINE]] {{.*}} outs(%[[PART]]
// CHECK-NEXT: linalg.exp ins(%[[SUM]] {{.*}} outs(%[[MINE]]
// CHECK-NEXT: linalg.exp ins(%[[MINE]] {{.*}} outs(%[[PART]]
// CHECK-NEXT: memref.dealloc %[[MINE]]
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[SUM]]
func.func @loops(%in: memref<8xf32>, %out: memref<4x8xf32>) {
  %sum = memref.alloc() : memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%sum : memref<8xf32>)
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    linalg.exp ins(%in : memref<8xf32>) outs(%a : memref<8xf32>)
    %part = memref.subview %out[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.exp ins(%a : memref<8xf32>) outs(%part : memref<8xf32, strided<[1], offset: ?>>)
    linalg.exp ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>)
    linalg.exp ins(%b : memref<8xf32>) outs(%part : memref<8xf32, strided<[1], offset: ?>>)
    memref.dealloc %a : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
  }
  memref.dealloc %sum : memref<8xf32>
  return
}

// Released in a branch, chosen among others: left alone.
// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: memref.alloc()
func.func @unknown(%in: memref<8xf32>, %out: memref<8xf32>, %c: i1) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.exp ins(%a : memref<8xf32>) outs(%out : memref<8xf32>)
  scf.if %c {
    memref.dealloc %a : memref<8xf32>
  }
  linalg.exp ins(%in : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.exp ins(%in : memref<8xf32>) outs(%d : memref<8xf32>)
  %e = scf.if %c -> (memref<8xf32>) {
    scf.yield %b : memref<8xf32>
  } else {
    scf.yield %d : memref<8xf32>
  }
  linalg.exp ins(%e : memref<8xf32>) outs(%out : memref<8xf32>)
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %d : memref<8xf32>
  return
}

// A call may give back what it was given; and a release before the last use is the program's own mistake.
// CHECK-LABEL: func.func @out_of_sight(
// CHECK-COUNT-3: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @out_of_sight(%in: memref<8xf32>, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  %e = func.call @same(%a) : (memref<8xf32>) -> memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%b : memref<8xf32>)
  memref.dealloc %b : memref<8xf32>
  linalg.exp ins(%b : memref<8xf32>) outs(%out : memref<8xf32>)
  linalg.exp ins(%in : memref<8xf32>) outs(%d : memref<8xf32>)
  linalg.add ins(%d, %e : memref<8xf32>, memref<8xf32>) outs(%out : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %d : memref<8xf32>
  return
}

func.func private @same(%x: memref<8xf32>) -> memref<8xf32> {
  return %x : memref<8xf32>
}
