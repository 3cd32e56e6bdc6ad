// What an op's output starts from, and what is done to it element by element, happens in registers.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Fill, product, bias and square root: one store of the result, and no load of it.
// CHECK-LABEL: func.func @product(
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NOT: vector.transfer_write
// CHECK: %[[ZERO:.*]] = vector.broadcast %{{.*}} : f32 to vector<6x16xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: vector.contract
// CHECK: %[[BIAS:.*]] = vector.transfer_read {{.*}} vector<16xf32>
// CHECK-NOT: vector.transfer_write
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<6x16xf32>
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : vector<6x16xf32>
// CHECK: vector.transfer_write %[[ROOT]], %[[C]]
// CHECK: memref.dealloc
func.func @product(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %bias: memref<32xf32>, %use: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.sqrt %x : f32
    linalg.yield %y : f32
  }
  memref.copy %c, %use : memref<32x32xf32> to memref<32x32xf32>
  memref.dealloc %c : memref<32x32xf32>
  return
}

// What was accumulated so far is rescaled where the product starts from it.
// CHECK-LABEL: func.func @rescaled(
// CHECK: %[[OLD:.*]] = vector.transfer_read %arg2
// CHECK: %[[START:.*]] = arith.mulf %[[OLD]], %{{.*}} : vector<6x16xf32>
// CHECK-NOT: vector.transfer_write
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
func.func @rescaled(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>, %scale: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scale : memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %old, %x : f32
    linalg.yield %y : f32
  }
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// The fill's memory holds a factor, too: it stays.
// CHECK-LABEL: func.func @overlap(
// CHECK: vector.transfer_write
// CHECK: vector.contract
func.func @overlap(%a: memref<32x64xf32>, %c: memref<96x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %b = memref.subview %c[0, 0] [64, 32] [1, 1] : memref<96x32xf32> to memref<64x32xf32, strided<[32, 1]>>
  %rest = memref.subview %c[64, 0] [32, 32] [1, 1] : memref<96x32xf32> to memref<32x32xf32, strided<[32, 1], offset: 2048>>
  linalg.fill ins(%zero : f32) outs(%rest : memref<32x32xf32, strided<[32, 1], offset: 2048>>)
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32, strided<[32, 1]>>)
      outs(%rest : memref<32x32xf32, strided<[32, 1], offset: 2048>>)
  return
}

// The transposed result is read by other elements' tiles: two passes.
// CHECK-LABEL: func.func @transposed(
// CHECK: math.sqrt
// CHECK: vector.transfer_write
// CHECK: scf.for
// CHECK: math.absf
func.func @transposed(%a: memref<32x32xf32>, %use: memref<32x32xf32>) {
  %c = memref.alloc() : memref<32x32xf32>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.sqrt %x : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x32xf32>) outs(%use : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.absf %x : f32
    linalg.yield %y : f32
  }
  memref.dealloc %c : memref<32x32xf32>
  return
}

// A copy of a result in memory of its own is made together with it, though a sum and the view of that memory stand
// between; what that memory is used for in between keeps the copy where it is.
// CHECK-LABEL: func.func @rounded_copy(
// CHECK: math.exp
// CHECK-NEXT: vector.transfer_write
// CHECK-NEXT: arith.truncf
// CHECK: vector.multi_reduction
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @rounded_copy(%s: memref<16x64xf32>, %l: memref<16xf32>, %out: memref<16x64xbf16>) {
  %p = memref.alloc() : memref<16x64xf32>
  %room = memref.alloc() : memref<32x64xbf16>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<16x64xf32>) outs(%p : memref<16x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : memref<16x64xf32>) outs(%l : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %o, %x : f32
    linalg.yield %t : f32
  }
  %r = memref.subview %room[0, 0] [16, 64] [1, 1] : memref<32x64xbf16> to memref<16x64xbf16, strided<[64, 1]>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<16x64xf32>) outs(%r : memref<16x64xbf16, strided<[64, 1]>>) {
  ^bb0(%x: f32, %o: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  }
  memref.copy %r, %out : memref<16x64xbf16, strided<[64, 1]>> to memref<16x64xbf16>
  memref.dealloc %room : memref<32x64xbf16>
  memref.dealloc %p : memref<16x64xf32>
  return
}
// CHECK-LABEL: func.func @used_between(
// CHECK: vector.multi_reduction
// CHECK: arith.truncf
func.func @used_between(%s: memref<16x64xf32>, %l: memref<16xf32>, %out: memref<16x64xbf16>) {
  %p = memref.alloc() : memref<16x64xf32>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<16x64xf32>) outs(%p : memref<16x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : memref<16x64xf32>) outs(%l : memref<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %o, %x : f32
    linalg.yield %t : f32
  }
  // The sums' memory may be that of the copy.
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<16x64xf32>) outs(%out : memref<16x64xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  }
  memref.dealloc %p : memref<16x64xf32>
  return
}

// A reduction of the result along rows goes along, tile by tile; what that starts from moves up to before the product.
// CHECK-LABEL: func.func @largest_of_rows(
// CHECK: %[[C:.*]] = memref.alloc() : memref<32x16xf32>
// CHECK: %[[MAX:.*]] = memref.alloc() : memref<16xf32>
// CHECK: arith.maximumf
// CHECK: vector.transfer_write %{{.*}}, %[[MAX]]
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: vector.contract
// CHECK: vector.transfer_write %[[SUM]], %[[C]]
// CHECK: %[[SO_FAR:.*]] = vector.transfer_read %[[MAX]]
// CHECK: %[[ROW:.*]] = vector.extract %[[SUM]][0]
// CHECK: arith.maximumf %[[ROW]], %[[SO_FAR]] fastmath<nnan> : vector<16xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[MAX]]
// CHECK-NOT: multi_reduction
// CHECK: return
func.func @largest_of_rows(%a: memref<32x64xf32>, %b: memref<64x16xf32>, %old: memref<16xf32>,
    %use: memref<32x16xf32>, %use_max: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -1.0 : f32
  %c = memref.alloc() : memref<32x16xf32>
  %max = memref.alloc() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<32x16xf32>)
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x16xf32>) outs(%c : memref<32x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%old : memref<16xf32>) outs(%max : memref<16xf32>) {
  ^bb0(%x: f32, %out: f32):
    %y = arith.maximumf %x, %least : f32
    linalg.yield %y : f32
  }
  linalg.reduce ins(%c : memref<32x16xf32>) outs(%max : memref<16xf32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %y = arith.maximumf %in, %out fastmath<nnan> : f32
      linalg.yield %y : f32
    }
  memref.copy %c, %use : memref<32x16xf32> to memref<32x16xf32>
  memref.copy %max, %use_max : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<32x16xf32>
  memref.dealloc %max : memref<16xf32>
  return
}

// Not so along lanes, which would end each tile in a horizontal step.
// CHECK-LABEL: func.func @largest_of_lanes(
// CHECK: vector.contract
// CHECK: vector.transfer_write
// CHECK: vector.multi_reduction <maxnumf>
// CHECK: return
func.func @largest_of_lanes(%a: memref<32x64xf32>, %b: memref<64x64xf32>, %use_max: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<32x64xf32>
  %max = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%max : memref<32xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x64xf32>) outs(%c : memref<32x64xf32>)
  linalg.reduce ins(%c : memref<32x64xf32>) outs(%max : memref<32xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %y = arith.maximumf %in, %out fastmath<nnan> : f32
      linalg.yield %y : f32
    }
  memref.copy %max, %use_max : memref<32xf32> to memref<32xf32>
  memref.dealloc %c : memref<32x64xf32>
  memref.dealloc %max : memref<32xf32>
  return
}

// What a product starts from before a loop that adds to it is for the first iteration, which does not read memory.
// CHECK-LABEL: func.func @first_iteration(
// CHECK-NOT: vector.transfer_write
// CHECK: scf.for %[[I:.*]] = %[[FROM:.*]] to
// CHECK: %[[START:.*]] = vector.broadcast %arg3 : f32 to vector<6x16xf32>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[FROM]] : index
// CHECK: %[[SO_FAR:.*]] = scf.if %[[FIRST]] -> (vector<6x16xf32>) {
// CHECK-NEXT: scf.yield %[[START]]
// CHECK-NEXT: } else {
// CHECK: %[[OLD:.*]] = vector.transfer_read %arg2
// CHECK-NEXT: scf.yield %[[OLD]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SO_FAR]])
// CHECK: return
func.func @first_iteration(%a: memref<32x256xf32>, %b: memref<256x32xf32>, %c: memref<32x32xf32>, %start: f32) {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  linalg.fill ins(%start : f32) outs(%c : memref<32x32xf32>)
  scf.for %k = %c64 to %c256 step %c64 {
    %x = memref.subview %a[0, %k] [32, 64] [1, 1] : memref<32x256xf32> to memref<32x64xf32, strided<[256, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<256x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<32x64xf32, strided<[256, 1], offset: ?>>, memref<64x32xf32, strided<[32, 1], offset: ?>>) outs(%c : memref<32x32xf32>)
  }
  return
}

// The loop sees all of an open tile as a view of its own.
// CHECK-LABEL: func.func @open_tile(
// CHECK-NOT: vector.transfer_write
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK: vector.contract
// CHECK: return
func.func @open_tile(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = memref.subview %b[0, 0] [64, %n] [1, 1] : memref<64x32xf32> to memref<64x?xf32, strided<[32, 1]>>
  %tile = memref.subview %c[0, 0] [32, %n] [1, 1] : memref<32x32xf32> to memref<32x?xf32, strided<[32, 1]>>
  linalg.fill ins(%zero : f32) outs(%tile : memref<32x?xf32, strided<[32, 1]>>)
  scf.for %k = %c0 to %c4 step %c1 {
    %all = memref.subview %tile[0, 0] [32, %n] [1, 1] : memref<32x?xf32, strided<[32, 1]>> to memref<32x?xf32, strided<[32, 1]>>
    linalg.matmul ins(%a, %y : memref<32x64xf32>, memref<64x?xf32, strided<[32, 1]>>) outs(%all : memref<32x?xf32, strided<[32, 1]>>)
  }
  return
}
// CHECK-LABEL: func.func @part_of_tile(
// CHECK: vector.transfer_write
// CHECK-NOT: scf.if
// CHECK: vector.contract
// CHECK: return
func.func @part_of_tile(%a: memref<8x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  scf.for %k = %c0 to %c4 step %c1 {
    %part = memref.subview %c[0, 0] [8, 32] [1, 1] : memref<32x32xf32> to memref<8x32xf32, strided<[32, 1]>>
    linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x32xf32>) outs(%part : memref<8x32xf32, strided<[32, 1]>>)
  }
  return
}

// Not so where the loop may have no iterations, something else in it comes first, what is started from changes, or a step
// has few terms.
// CHECK-LABEL: func.func @perhaps_no_iteration(
// CHECK: vector.transfer_write
// CHECK-NOT: scf.if
// CHECK: vector.contract
func.func @perhaps_no_iteration(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  scf.for %k = %c0 to %n step %c1 {
    linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  }
  return
}
// CHECK-LABEL: func.func @read_before(
// CHECK: vector.transfer_write
// CHECK-NOT: scf.if
// CHECK: vector.contract
func.func @read_before(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>, %use: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  scf.for %k = %c0 to %c4 step %c1 {
    memref.copy %c, %use : memref<32x32xf32> to memref<32x32xf32>
    linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  }
  return
}
// CHECK-LABEL: func.func @changed_inside(
// CHECK: vector.transfer_write
// CHECK-NOT: scf.if
// CHECK: vector.contract
// CHECK: return
func.func @changed_inside(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>, %bias: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.generic {indexing_maps = [#column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  scf.for %k = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
    linalg.fill ins(%zero : f32) outs(%bias : memref<32xf32>)
  }
  return
}
// CHECK-LABEL: func.func @few_terms(
// CHECK: vector.transfer_write
// CHECK-NOT: scf.if
// CHECK: vector.contract
// CHECK: return
func.func @few_terms(%a: memref<32x8xf32>, %b: memref<8x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  scf.for %k = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<32x8xf32>, memref<8x32xf32>) outs(%c : memref<32x32xf32>)
  }
  return
}
