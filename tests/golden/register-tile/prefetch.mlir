// Reads of memory that an outer loop moves over ask for what its next iteration will read, in place or on the way into a
// panel; reads of scratch memory and of single elements do not.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=register-tile --target=host:emeraldrapids --verify | FileCheck %s --check-prefix=MESH
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver5 --verify | FileCheck %s --check-prefix=LINES
// RUN: tcc-attn compile %s --target=host:znver5 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver5 --verify | FileCheck %s --check-prefix=CONVERT
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 | FileCheck %s --check-prefix=AGAIN
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver5 | FileCheck %s --check-prefix=NEAR
// RUN: tcc-attn opt %s --passes=register-tile --target=host:znver4 | FileCheck %s --check-prefix=ONE
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: func.func @product(
// CHECK: scf.for %[[K:.*]] =
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true, true], tec.prefetch = array<i64: 64, 0>}
// CHECK: vector.contract
// CHECK-NOT: tec.prefetch
// CHECK: return
// ASM: prefetcht1
func.func @product(%a: memref<12x1024xf32>, %b: memref<1024x32xf32>, %c: memref<12x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %x = memref.subview %a[0, %k] [12, 64] [1, 1] : memref<12x1024xf32> to memref<12x64xf32, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<1024x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<12x64xf32, strided<[1024, 1], offset: ?>>, memref<64x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<12x32xf32>)
  }
  return
}

// An outer loop that moves on by more than the second-level cache keeps asks for nothing; a loop within it may.
// CHECK-LABEL: func.func @far(
// CHECK: scf.for %[[K:.*]] =
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 0, 32>}
// CHECK: return
func.func @far(%a: memref<8x65536xf32>, %b: memref<65536x256xf32>, %c: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %c65536 = arith.constant 65536 : index
  scf.for %k = %c0 to %c65536 step %c1024 {
    %x = memref.subview %a[0, %k] [8, 1024] [1, 1] : memref<8x65536xf32> to memref<8x1024xf32, strided<[65536, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [1024, 256] [1, 1] : memref<65536x256xf32> to memref<1024x256xf32, strided<[256, 1], offset: ?>>
    scf.for %j = %c0 to %c256 step %c32 {
      %u = memref.subview %y[0, %j] [1024, 32] [1, 1] : memref<1024x256xf32, strided<[256, 1], offset: ?>> to memref<1024x32xf32, strided<[256, 1], offset: ?>>
      %v = memref.subview %c[0, %j] [8, 32] [1, 1] : memref<8x256xf32> to memref<8x32xf32, strided<[256, 1], offset: ?>>
      linalg.matmul ins(%x, %u : memref<8x1024xf32, strided<[65536, 1], offset: ?>>, memref<1024x32xf32, strided<[256, 1], offset: ?>>)
          outs(%v : memref<8x32xf32, strided<[256, 1], offset: ?>>)
    }
  }
  return
}

// What is used once is read as fast as memory gives it: asked for 4096 bytes ahead, twice as much where memory is far.
// CHECK-LABEL: func.func @once(
// CHECK: scf.for %[[K:.*]] =
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 32, 0>}
// CHECK: return
// MESH-DAG: #[[NEXT:.*]] = affine_map<(d0) -> ((d0 floordiv 8) + 64)>
// MESH-DAG: #[[KEYS:.*]] = affine_map<(d0, d1) -> (((d0 floordiv 6) * 64) + ((d1 floordiv 4) * 2), 510)>
// MESH-DAG: #[[VALUES:.*]] = affine_map<(d0, d1) -> (((d0 floordiv 6) * 32) + ((d1 floordiv 4) * 2), 510)>
// MESH-LABEL: func.func @once(
// MESH: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// MESH: return
func.func @once(%a: memref<1x1024xf32>, %b: memref<1024x32xf32>, %c: memref<1x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %x = memref.subview %a[0, %k] [1, 64] [1, 1] : memref<1x1024xf32> to memref<1x64xf32, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<1024x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<1x64xf32, strided<[1024, 1], offset: ?>>, memref<64x32xf32, strided<[32, 1], offset: ?>>)
        outs(%c : memref<1x32xf32>)
  }
  return
}

// So is what is added to a product while that is in registers: a mask's tile, all of which the next step moves past.
// CHECK-LABEL: func.func @masked(
// CHECK: scf.for %[[K:.*]] =
// CHECK: vector.contract
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 0, 64>}
// CHECK: arith.addf
// CHECK: return
func.func @masked(%a: memref<16x32xf32>, %b: memref<32x64xf32>, %mask: memref<16x1024xf32>, %c: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %m = memref.subview %mask[0, %k] [16, 64] [1, 1] : memref<16x1024xf32> to memref<16x64xf32, strided<[1024, 1], offset: ?>>
    linalg.matmul ins(%a, %b : memref<16x32xf32>, memref<32x64xf32>) outs(%c : memref<16x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%m : memref<16x64xf32, strided<[1024, 1], offset: ?>>) outs(%c : memref<16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    }
  }
  return
}

// What is used once and widened is not: of so little, the machine asks for enough by itself, where memory is near.
// CHECK-LABEL: func.func @once_widened(
// CHECK: scf.for %[[K:.*]] =
// CHECK-NOT: tec.prefetch
// CHECK: return
// MESH-LABEL: func.func @once_widened(
// MESH: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// MESH: return
func.func @once_widened(%a: memref<1x1024xbf16>, %b: memref<1024x32xbf16>, %c: memref<1x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %x = memref.subview %a[0, %k] [1, 64] [1, 1] : memref<1x1024xbf16> to memref<1x64xbf16, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<1024x32xbf16> to memref<64x32xbf16, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<1x64xbf16, strided<[1024, 1], offset: ?>>, memref<64x32xbf16, strided<[32, 1], offset: ?>>)
        outs(%c : memref<1x32xf32>)
  }
  return
}

// Nor what is f16; but a core with two pipes and memory near by is then busy with conversions, and asks for too little.
// What few rows use is to be in the first cache there.
// CHECK-LABEL: func.func @once_converted(
// CHECK-NOT: tec.prefetch
// CHECK: return
// CONVERT-LABEL: func.func @once_widened(
// CONVERT-NOT: tec.prefetch
// CONVERT: return
// CONVERT-LABEL: func.func @once_converted(
// CONVERT: vector.transfer_read %{{.*}} tec.near, tec.prefetch = array<i64: 64, 0>}
// CONVERT: return
func.func @once_converted(%a: memref<1x1024xf16>, %b: memref<1024x64xf16>, %c: memref<1x64xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c128 {
    %x = memref.subview %a[0, %k] [1, 128] [1, 1] : memref<1x1024xf16> to memref<1x128xf16, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [128, 64] [1, 1] : memref<1024x64xf16> to memref<128x64xf16, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<1x128xf16, strided<[1024, 1], offset: ?>>, memref<128x64xf16, strided<[64, 1], offset: ?>>)
        outs(%c : memref<1x64xf32>)
  }
  return
}

// The same of bf16 where a row takes half of the registers, a page ahead.
// CONVERT-LABEL: func.func @once_long(
// CONVERT: vector.transfer_read %{{.*}} tec.near, tec.prefetch = array<i64: 8, 0>}
// CONVERT: return
func.func @once_long(%a: memref<1x1024xbf16>, %b: memref<1024x256xbf16>, %c: memref<1x256xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %x = memref.subview %a[0, %k] [1, 64] [1, 1] : memref<1x1024xbf16> to memref<1x64xbf16, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 256] [1, 1] : memref<1024x256xbf16> to memref<64x256xbf16, strided<[256, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<1x64xbf16, strided<[1024, 1], offset: ?>>, memref<64x256xbf16, strided<[256, 1], offset: ?>>)
        outs(%c : memref<1x256xf32>)
  }
  return
}

// The last pass of a kernel over what it made asks for what the next iteration will write, in place.
// CHECK-LABEL: func.func @next(
// CHECK: vector.transfer_write %{{.*}} tec.prefetch = array<i64: 16, 0>}
// CHECK: return
func.func @next(%sum: memref<64xf32>, %o: memref<64x64xf32>) {
  scf.forall (%i) = (0) to (64) step (16) {
    %s = memref.subview %sum[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
    %t = memref.subview %o[%i, 0] [16, 64] [1, 1] : memref<64x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<16xf32, strided<[1], offset: ?>>) outs(%t : memref<16x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%total: f32, %x: f32):
      %y = arith.divf %x, %total : f32
      linalg.yield %y : f32
    }
  }
  return
}

// So does what the kernel reads before its loop, as it turns queries.
// CHECK-LABEL: func.func @before_loop(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 16, 0>}
// CHECK: vector.transpose
// CHECK-NOT: tec.prefetch
// CHECK: return
func.func @before_loop(%q: memref<64x64xf32>, %o: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) = (0) to (64) step (16) {
    %turned = memref.alloca() : memref<64x16xf32>
    %s = memref.subview %q[%i, 0] [16, 64] [1, 1] : memref<64x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    %t = memref.subview %o[0, %i] [64, 16] [1, 1] : memref<64x64xf32> to memref<64x16xf32, strided<[64, 1], offset: ?>>
    linalg.transpose ins(%s : memref<16x64xf32, strided<[64, 1], offset: ?>>) outs(%turned : memref<64x16xf32>) permutation = [1, 0]
    scf.for %k = %c0 to %c8 step %c1 {
      linalg.add ins(%turned, %turned : memref<64x16xf32>, memref<64x16xf32>) outs(%turned : memref<64x16xf32>)
    }
    linalg.copy ins(%turned : memref<64x16xf32>) outs(%t : memref<64x16xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// Where each iteration of the kernel goes over the same rows, which half of the second-level cache holds, they are there
// already; more rows than that, or others for each iteration, are asked for.
// AGAIN-LABEL: func.func @again(
// AGAIN-NOT: tec.prefetch
// AGAIN: return
func.func @again(%a: memref<48x512xf32>, %b: memref<512x32xf32>, %c: memref<48x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  scf.forall (%i) = (0) to (48) step (12) {
    %t = memref.subview %c[%i, 0] [12, 32] [1, 1] : memref<48x32xf32> to memref<12x32xf32, strided<[32, 1], offset: ?>>
    scf.for %k = %c0 to %c512 step %c64 {
      %x = memref.subview %a[%i, %k] [12, 64] [1, 1] : memref<48x512xf32> to memref<12x64xf32, strided<[512, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<512x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<12x64xf32, strided<[512, 1], offset: ?>>, memref<64x32xf32, strided<[32, 1], offset: ?>>)
          outs(%t : memref<12x32xf32, strided<[32, 1], offset: ?>>)
    }
  }
  return
}

// CHECK-LABEL: func.func @others(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// CHECK: return
func.func @others(%a: memref<48x512xf32>, %b: memref<512x80xf32>, %c: memref<48x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  scf.forall (%i) = (0) to (48) step (12) {
    %t = memref.subview %c[%i, 0] [12, 32] [1, 1] : memref<48x32xf32> to memref<12x32xf32, strided<[32, 1], offset: ?>>
    scf.for %k = %c0 to %c512 step %c64 {
      %x = memref.subview %a[%i, %k] [12, 64] [1, 1] : memref<48x512xf32> to memref<12x64xf32, strided<[512, 1], offset: ?>>
      %y = memref.subview %b[%k, %i] [64, 32] [1, 1] : memref<512x80xf32> to memref<64x32xf32, strided<[80, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<12x64xf32, strided<[512, 1], offset: ?>>, memref<64x32xf32, strided<[80, 1], offset: ?>>)
          outs(%t : memref<12x32xf32, strided<[32, 1], offset: ?>>)
    }
  }
  return
}

// CHECK-LABEL: func.func @much(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// CHECK: return
func.func @much(%a: memref<48x8192xf32>, %b: memref<8192x32xf32>, %c: memref<48x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c8192 = arith.constant 8192 : index
  scf.forall (%i) = (0) to (48) step (12) {
    %t = memref.subview %c[%i, 0] [12, 32] [1, 1] : memref<48x32xf32> to memref<12x32xf32, strided<[32, 1], offset: ?>>
    scf.for %k = %c0 to %c8192 step %c64 {
      %x = memref.subview %a[%i, %k] [12, 64] [1, 1] : memref<48x8192xf32> to memref<12x64xf32, strided<[8192, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [64, 32] [1, 1] : memref<8192x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<12x64xf32, strided<[8192, 1], offset: ?>>, memref<64x32xf32, strided<[32, 1], offset: ?>>)
          outs(%t : memref<12x32xf32, strided<[32, 1], offset: ?>>)
    }
  }
  return
}

// Where requests get lost that come too fast, the product asks for what the next panels are made of, line by line, in
// the order of memory: two lines of 16 elements in an iteration, as tiles of rows are few; the copy asks for nothing.
// So does each tile after those that have asked for all of it: what was lost is asked for again.
// LINES-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> ((((((((d0 floordiv 64) * 4) + (d1 floordiv 6)) mod 4) * 128) + d2) floordiv 4) + 128)>
// LINES-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2) -> ((((((((d0 floordiv 64) * 4) + (d1 floordiv 6)) mod 4) * 128) + d2) mod 4) * 32)>
// LINES-DAG: #[[NEXT_COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d0 + ((((((d1 floordiv 6) mod 4) * 512) + d2) mod 4) * 16) + 64)>
// LINES-DAG: #[[COLUMNS:.*]] = affine_map<(d0) -> (((d0 mod 4) * 16) + 64)>
// LINES-DAG: #[[NEXT_LANE:.*]] = affine_map<(d0, d1, d2) -> (d0 + (((((d1 floordiv 6) mod 4) * 512) + d2) floordiv 32) + 64)>
// LINES-DAG: #[[TERM:.*]] = affine_map<(d0, d1) -> ((((((d0 floordiv 6) mod 4) * 512) + d1) mod 32) * 16)>
// LINES-DAG: #[[LANE:.*]] = affine_map<(d0, d1, d2) -> (((((((d0 floordiv 64) * 4) + (d1 floordiv 6)) mod 4) * 128) + d2) floordiv 4)>
// LINES-DAG: #[[NEXT_TERM:.*]] = affine_map<(d0, d1, d2) -> (((((((((d0 floordiv 64) * 4) + (d1 floordiv 6)) mod 4) * 128) + d2) mod 4) * 32) + 128)>
// LINES-DAG: #[[ROWS:.*]] = affine_map<(d0) -> (d0 floordiv 4)>
// LINES-DAG: #[[LEFT:.*]] = affine_map<(d0) -> ((d0 * -1) + 960, 0)>
// LINES-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2) -> (((d0 floordiv 24) * 12) + ((d1 floordiv 16) * 6) + (d2 * 32), 26)>
// LINES-LABEL: func.func @panels(
// LINES: memref.alloca() {alignment = 64 : i64} : memref<2x128x64xf32>
// LINES-NOT: tec.prefetch
// LINES: %[[R:.*]] = affine.apply #[[ROW]](%[[TILE:.*]], %[[BLOCK:.*]], %[[K:.*]])
// LINES: affine.apply #[[COLUMN]](%[[TILE]], %[[BLOCK]], %[[K]])
// LINES: vector_ext.prefetch %[[Y:.*]][%[[R]], %{{.*}}] :
// LINES: vector_ext.prefetch %[[Y]][
// LINES: vector.contract
// LINES: return
// Where memory is far, the other factor is asked for, too, each line once: one with every four terms.
// MESH-LABEL: func.func @panels(
// MESH: %[[X:.*]] = memref.subview %arg0
// MESH: scf.for %{{.*}} step %c4 iter_args
// MESH: vector_ext.prefetch %[[X]][
// MESH-NOT: vector_ext.prefetch
// MESH: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 128, 0>}
// MESH: return
// SMALL-LABEL: func.func @panels(
// SMALL: scf.for {{.*}} iter_args
// SMALL: vector_ext.prefetch
// SMALL: vector.contract
// SMALL: return
func.func @panels(%a: memref<24x1024xf32>, %b: memref<1024x4096xf32>, %c: memref<24x128xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c128 {
    %x = memref.subview %a[0, %k] [24, 128] [1, 1] : memref<24x1024xf32> to memref<24x128xf32, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [128, 128] [1, 1] : memref<1024x4096xf32> to memref<128x128xf32, strided<[4096, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<24x128xf32, strided<[1024, 1], offset: ?>>, memref<128x128xf32, strided<[4096, 1], offset: ?>>)
        outs(%c : memref<24x128xf32>)
  }
  return
}

// Panels of so many terms are made one after the other: the tiles that use one ask for the next one's memory.
// LINES-LABEL: func.func @panels_in_turn(
// LINES: memref.alloca() {alignment = 64 : i64} : memref<1x512x64xf32>
// LINES-NOT: tec.prefetch
// LINES: %[[C:.*]] = affine.apply #[[NEXT_COLUMN]](
// LINES-NEXT: vector_ext.prefetch %arg1[%{{.*}}, %[[C]]] :
// LINES: vector.contract
// LINES: return
// CHECK-LABEL: func.func @panels_in_turn(
// CHECK-NOT: vector_ext.prefetch
// CHECK: return
func.func @panels_in_turn(%a: memref<100x512xf32>, %b: memref<512x1024xf32>, %c: memref<100x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<100x512xf32>, memref<512x1024xf32>) outs(%c : memref<100x1024xf32>)
  return
}

// Where terms follow each other in memory, a row of it is one lane's: the next tile's rows, a line of terms at a time.
// LINES-LABEL: func.func @panels_of_rows(
// LINES-NOT: tec.prefetch
// LINES: %[[R:.*]] = affine.apply #[[NEXT_LANE]](
// LINES-NEXT: %[[C:.*]] = affine.apply #[[TERM]](
// LINES-NEXT: vector_ext.prefetch %arg1[%[[R]], %[[C]]] :
// LINES: vector.contract
// LINES: return
func.func @panels_of_rows(%a: memref<100x512xf32>, %b: memref<1024x512xf32>, %c: memref<100x1024xf32>) {
  linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : memref<100x512xf32>, memref<1024x512xf32>) outs(%c : memref<100x1024xf32>)
  return
}

// The same of the next terms of all lanes, also where they are widened on the way into panels.
// SMALL-LABEL: func.func @panels_of_terms(
// SMALL-NOT: vector_ext.prefetch
// SMALL: return
// LINES-LABEL: func.func @panels_of_terms(
// LINES: memref.alloca() {alignment = 64 : i64} : memref<1x128x64xf32>
// LINES-NOT: tec.prefetch
// LINES: affine.apply #[[LANE]](
// LINES: %[[C:.*]] = affine.apply #[[NEXT_TERM]](
// LINES-NEXT: vector_ext.prefetch %{{.*}}, %[[C]]] :
// LINES: vector.contract
// LINES: return
func.func @panels_of_terms(%a: memref<24x1024xf32>, %b: memref<4096x1024xf16>, %c: memref<24x128xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c128 {
    %x = memref.subview %a[0, %k] [24, 128] [1, 1] : memref<24x1024xf32> to memref<24x128xf32, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[0, %k] [128, 128] [1, 1] : memref<4096x1024xf16> to memref<128x128xf16, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : memref<24x128xf32, strided<[1024, 1], offset: ?>>, memref<128x128xf16, strided<[1024, 1], offset: ?>>)
        outs(%c : memref<24x128xf32>) {
    ^bb0(%p: f32, %q: f16, %o: f32):
      %wide = arith.extf %q : f16 to f32
      %product = arith.mulf %p, %wide : f32
      %sum = arith.addf %o, %product : f32
      linalg.yield %sum : f32
    }
  }
  return
}

// From a last cache near by, the machine follows by itself what several register tiles read in turn ..
// CHECK-LABEL: func.func @in_turn(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// CHECK: return
// NEAR-LABEL: func.func @in_turn(
// NEAR-NOT: tec.prefetch
// NEAR: return
func.func @in_turn(%a: memref<96x8192xf32>, %b: memref<8192x64xf32>, %c: memref<96x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 8192 : index
  scf.forall (%i) = (0) to (96) step (48) {
    %t = memref.subview %c[%i, 0] [48, 64] [1, 1] : memref<96x64xf32> to memref<48x64xf32, strided<[64, 1], offset: ?>>
    scf.for %k = %c0 to %end step %c64 {
      %x = memref.subview %a[%i, %k] [48, 64] [1, 1] : memref<96x8192xf32> to memref<48x64xf32, strided<[8192, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [64, 64] [1, 1] : memref<8192x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<48x64xf32, strided<[8192, 1], offset: ?>>, memref<64x64xf32, strided<[64, 1], offset: ?>>)
          outs(%t : memref<48x64xf32, strided<[64, 1], offset: ?>>)
    }
  }
  return
}

// .. but not what one tile reads ..
// CHECK-LABEL: func.func @one_tile(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// CHECK: return
// NEAR-LABEL: func.func @one_tile(
// NEAR: tec.prefetch = array<i64: 64, 0>
// NEAR: return
func.func @one_tile(%a: memref<96x8192xf32>, %b: memref<8192x64xf32>, %c: memref<96x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 8192 : index
  scf.forall (%i) = (0) to (96) step (6) {
    %t = memref.subview %c[%i, 0] [6, 64] [1, 1] : memref<96x64xf32> to memref<6x64xf32, strided<[64, 1], offset: ?>>
    scf.for %k = %c0 to %end step %c64 {
      %x = memref.subview %a[%i, %k] [6, 64] [1, 1] : memref<96x8192xf32> to memref<6x64xf32, strided<[8192, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [64, 64] [1, 1] : memref<8192x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<6x64xf32, strided<[8192, 1], offset: ?>>, memref<64x64xf32, strided<[64, 1], offset: ?>>)
          outs(%t : memref<6x64xf32, strided<[64, 1], offset: ?>>)
    }
  }
  return
}

// .. or what that cache does not hold.
// CHECK-LABEL: func.func @beyond_cache(
// CHECK: vector.transfer_read %{{.*}} tec.prefetch = array<i64: 64, 0>}
// CHECK: return
// NEAR-LABEL: func.func @beyond_cache(
// NEAR: tec.prefetch = array<i64: 64, 0>
// NEAR: return
func.func @beyond_cache(%a: memref<96x524288xf32>, %b: memref<524288x64xf32>, %c: memref<96x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 524288 : index
  scf.forall (%i) = (0) to (96) step (48) {
    %t = memref.subview %c[%i, 0] [48, 64] [1, 1] : memref<96x64xf32> to memref<48x64xf32, strided<[64, 1], offset: ?>>
    scf.for %k = %c0 to %end step %c64 {
      %x = memref.subview %a[%i, %k] [48, 64] [1, 1] : memref<96x524288xf32> to memref<48x64xf32, strided<[524288, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [64, 64] [1, 1] : memref<524288x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<48x64xf32, strided<[524288, 1], offset: ?>>, memref<64x64xf32, strided<[64, 1], offset: ?>>)
          outs(%t : memref<48x64xf32, strided<[64, 1], offset: ?>>)
    }
  }
  return
}

// What an op of the loop reads before a product, the product's tiles ask for, some lines with each 16 terms, where it
// would be lost if it were asked for at once: 16 rows of 4 lines, by the 3 x 2 pieces.
// ONE-LABEL: func.func @left(
// ONE: vector_ext.prefetch {{.*}} {tec.near}
// ONE: return
// LINES-LABEL: func.func @left(
// LINES: scf.for %[[K:.*]] = %c0 to %c1024 step %c64
// LINES: %[[MASK:.*]] = memref.subview %{{.*}}[0, %[[K]]]
// LINES: vector.transfer_read %[[MASK]]
// LINES-NOT: tec.prefetch
// LINES: vector.transpose
// LINES: scf.for %[[TERM:.*]] = %{{.*}} iter_args
// LINES: scf.for %[[LINE:.*]] = %{{.*}} to
// LINES: %[[COLUMN:.*]] = affine.apply #[[COLUMNS]](%[[LINE]])
// LINES: affine.apply #[[ROWS]](%[[LINE]])
// LINES: vector_ext.prefetch %[[MASK]][%{{.*}}, %[[COLUMN]]] {tec.near}
// LINES: vector.contract
// LINES: return
// CHECK-LABEL: func.func @left(
// CHECK: vector.transfer_read {{.*}}tec.prefetch = array<i64: 0, 64>
// CHECK-NOT: vector_ext.prefetch
// CHECK: return
func.func @left(%mask: memref<16x1024xf32>, %a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64x16xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %turned = memref.alloca() : memref<64x16xf32>
  scf.for %k = %c0 to %c1024 step %c64 {
    %m = memref.subview %mask[0, %k] [16, 64] [1, 1] : memref<16x1024xf32> to memref<16x64xf32, strided<[1024, 1], offset: ?>>
    linalg.transpose ins(%m : memref<16x64xf32, strided<[1024, 1], offset: ?>>) outs(%turned : memref<64x16xf32>) permutation = [1, 0]
    linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%turned : memref<64x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%turned : memref<64x16xf32>) outs(%c : memref<64x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    }
  }
  return
}

// What the kernel reads before its loop, as queries that are turned, the loop's tiles ask for in its last iteration: the
// next 16 rows of 2 lines, 6 with each of 3 x 2 pieces.
// LINES-LABEL: func.func @before(
// LINES: %[[ROWS_OF:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [16, 32]
// LINES: vector.transfer_read %[[ROWS_OF]]
// LINES-NOT: tec.prefetch
// LINES: vector.transpose
// LINES: scf.for %[[K:.*]] = %c0 to %c1024 step %c64
// LINES: %[[REST:.*]] = affine.max #[[LEFT]](%[[K]])
// LINES: %[[LINE:.*]] = affine.min #[[FIRST]](%{{.*}}, %{{.*}}, %[[REST]])
// LINES: scf.for %{{.*}} = %[[LINE]] to
// LINES: vector_ext.prefetch %[[ROWS_OF]]
// LINES: vector.contract
// LINES: return
// CHECK-LABEL: func.func @before(
// CHECK: vector.transfer_read {{.*}}tec.prefetch = array<i64: 16, 0>
// CHECK: return
func.func @before(%a: memref<1024x32xf32>, %b: memref<64x1024xf32>, %c: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.forall (%i) = (0) to (1024) step (16) {
    %turned = memref.alloca() : memref<32x16xf32>
    %sum = memref.alloca() : memref<64x16xf32>
    %q = memref.subview %a[%i, 0] [16, 32] [1, 1] : memref<1024x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    linalg.transpose ins(%q : memref<16x32xf32, strided<[32, 1], offset: ?>>) outs(%turned : memref<32x16xf32>) permutation = [1, 0]
    scf.for %k = %c0 to %c1024 step %c64 {
      linalg.matmul ins(%c, %turned : memref<64x32xf32>, memref<32x16xf32>) outs(%sum : memref<64x16xf32>)
    }
    %out = memref.subview %b[0, %i] [64, 16] [1, 1] : memref<64x1024xf32> to memref<64x16xf32, strided<[1024, 1], offset: ?>>
    memref.copy %sum, %out : memref<64x16xf32> to memref<64x16xf32, strided<[1024, 1], offset: ?>>
  }
  return
}

// Small tiles ask for a few lines as they begin, where rows are so many that these are enough, rather than for one with
// each term; and a factor whose rows crowd a few sets of the first cache is read from panels, though a tile could read it
// in place. Many rows that would have to ask for more ask for nothing.
// SMALL-LABEL: func.func @crowded(
// SMALL: memref.alloca() {alignment = 64 : i64} : memref<4x128x16xf32>
// SMALL: scf.for
// SMALL: scf.for %{{.*}} step %c6
// SMALL-COUNT-4: vector_ext.prefetch %[[Y:.*]][
// SMALL-NOT: prefetch
// SMALL: scf.for {{.*}} iter_args
// SMALL-NOT: prefetch
// SMALL: vector.contract
// SMALL: return
func.func @crowded(%a: memref<256x1024xf32>, %b: memref<1024x64xf32>, %c: memref<256x64xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c128 {
    %x = memref.subview %a[0, %k] [256, 128] [1, 1] : memref<256x1024xf32> to memref<256x128xf32, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [128, 64] [1, 1] : memref<1024x64xf32> to memref<128x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<256x128xf32, strided<[1024, 1], offset: ?>>, memref<128x64xf32, strided<[64, 1], offset: ?>>)
        outs(%c : memref<256x64xf32>)
  }
  return
}

// SMALL-LABEL: func.func @too_many(
// SMALL-NOT: vector_ext.prefetch
// SMALL: return
func.func @too_many(%a: memref<100x512xf32>, %b: memref<512x1024xf32>, %c: memref<100x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<100x512xf32>, memref<512x1024xf32>) outs(%c : memref<100x1024xf32>)
  return
}

// Few rows are worth panels where each tile of them would read a factor anew whose rows are pages apart.
// SMALL-LABEL: func.func @one_set(
// SMALL: memref.alloca() {alignment = 64 : i64} : memref<{{.*}}x256x16xf32>
// SMALL: return
func.func @one_set(%a: memref<16x256xf32>, %b: memref<256x4096xf32>, %c: memref<16x128xf32>) {
  %y = memref.subview %b[0, 0] [256, 128] [1, 1] : memref<256x4096xf32> to memref<256x128xf32, strided<[4096, 1]>>
  linalg.matmul ins(%a, %y : memref<16x256xf32>, memref<256x128xf32, strided<[4096, 1]>>) outs(%c : memref<16x128xf32>)
  return
}

// SMALL-LABEL: func.func @several_sets(
// SMALL-NOT: memref.alloca
// SMALL: return
func.func @several_sets(%a: memref<16x256xf32>, %b: memref<256x4112xf32>, %c: memref<16x128xf32>) {
  %y = memref.subview %b[0, 0] [256, 128] [1, 1] : memref<256x4112xf32> to memref<256x128xf32, strided<[4112, 1]>>
  linalg.matmul ins(%a, %y : memref<16x256xf32>, memref<256x128xf32, strided<[4112, 1]>>) outs(%c : memref<16x128xf32>)
  return
}

// Rows that several small tiles read in pieces are asked for a whole step ahead, also what is widened.
// SMALL-LABEL: func.func @pieces(
// SMALL: vector.transfer_read {{.*}}tec.prefetch = array<i64: 64, 0>
// SMALL: return
func.func @pieces(%a: memref<1x1024xbf16>, %b: memref<1024x128xbf16>, %c: memref<1x128xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %k = %c0 to %c1024 step %c64 {
    %x = memref.subview %a[0, %k] [1, 64] [1, 1] : memref<1x1024xbf16> to memref<1x64xbf16, strided<[1024, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [64, 128] [1, 1] : memref<1024x128xbf16> to memref<64x128xbf16, strided<[128, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<1x64xbf16, strided<[1024, 1], offset: ?>>, memref<64x128xbf16, strided<[128, 1], offset: ?>>)
        outs(%c : memref<1x128xf32>)
  }
  return
}

// What the second-level cache does not hold and tiles of a product read in place, element by element, they ask for
// where memory is far, whatever they go along: two lines or one with every four terms, each line once. Tiles have six
// rows there, also of elements side by side.
// MESH-LABEL: func.func @keys(
// MESH: scf.for %[[TILE:.*]] = %{{.*}} to %c60 step %c6
// MESH: scf.for %[[TERM:.*]] = %{{.*}} to %{{.*}} step %c4_10 iter_args
// MESH: %[[FIRST:.*]] = affine.min #[[KEYS]](%[[TILE]], %[[TERM]])
// MESH: %[[ROW:.*]] = affine.apply #[[NEXT]](%[[FIRST]])
// MESH: vector_ext.prefetch %subview[%[[ROW]], %{{.*}}]
// MESH: vector_ext.prefetch %subview[
// MESH: vector.transfer_read %subview[%[[TILE]], %{{.*}}], %{{.*}} {in_bounds = [true, true]} : {{.*}}, vector<6x1xf32>
// MESH: return
// CHECK-LABEL: func.func @keys(
// CHECK-NOT: vector_ext.prefetch
// CHECK: return
func.func @keys(%keys: memref<8192x128xf32>, %queries: memref<128x64xf32>, %scores: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c8192 = arith.constant 8192 : index
  scf.for %k = %c0 to %c8192 step %c64 {
    %x = memref.subview %keys[%k, 0] [64, 128] [1, 1] : memref<8192x128xf32> to memref<64x128xf32, strided<[128, 1], offset: ?>>
    linalg.matmul ins(%x, %queries : memref<64x128xf32, strided<[128, 1], offset: ?>>, memref<128x64xf32>)
        outs(%scores : memref<64x64xf32>)
  }
  return
}

// MESH-LABEL: func.func @values(
// MESH: affine.min #[[VALUES]](
// MESH: vector_ext.prefetch %subview[
// MESH: vector.transfer_read %subview[%{{.*}} {in_bounds = [true, true]} : {{.*}}, vector<1x6xf32>
// MESH: return
func.func @values(%values: memref<8192x128xf32>, %weights: memref<64x64xf32>, %sums: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c8192 = arith.constant 8192 : index
  scf.for %k = %c0 to %c8192 step %c64 {
    %x = memref.subview %values[%k, 0] [64, 128] [1, 1] : memref<8192x128xf32> to memref<64x128xf32, strided<[128, 1], offset: ?>>
    linalg.matmul_transpose_a ins(%x, %weights : memref<64x128xf32, strided<[128, 1], offset: ?>>, memref<64x64xf32>)
        outs(%sums : memref<128x64xf32>)
  }
  return
}
