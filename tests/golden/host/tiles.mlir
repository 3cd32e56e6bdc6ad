// Tiles of x86's matrix unit: each in a register, carried by loops and branches; exported functions ask the system for
// them first. Where the processor has them, the numbers are the interpreter's.
// RUN: tcc-attn compile %s --target=host:sapphirerapids --emit=llvm -o - | FileCheck %s
// RUN: %reject compile %s --target=host:znver4 -o %t | FileCheck %s --check-prefix=LACKS
// RUN: %if amx %{ sh -c 'for f in whole ragged branches strided outside apart passing; do for seed in 1 3; do tcc-attn run %s --func=$f --random=$seed --check || exit 1; done; done' | FileCheck %s --check-prefix=NUMBERS %}
// RUN: %if amx %{ tcc-attn compile %s -o %t.tecp %}
// RUN: %if amx %{ tcc-attn run %s --func=apart --random --out=%t.0.npy,%t.1.npy,%t.2.npy %}
// RUN: %if amx %{ tcc-attn run %t.tecp --func=apart --random --out=%t.3.npy,%t.4.npy,%t.5.npy %}
// RUN: %if amx %{ cmp %t.2.npy %t.5.npy %}

// CHECK: private global i8 0
// CHECK: define private { i32 } @"body:whole"({{.*}} #[[USES:[0-9]+]]
// CHECK: phi x86_amx
// CHECK: call x86_amx @llvm.x86.tdpbf16ps.internal(i16 16, i16 64, i16 64,
// CHECK: call void @llvm.x86.tilestored64.internal(i16 16, i16 64,
// CHECK: call x86_amx @llvm.x86.tileloaddt164.internal(
// CHECK: call x86_amx @llvm.x86.tileloadd64.internal(
// CHECK: define i32 @whole(
// CHECK: load atomic i8
// CHECK: call i64 asm sideeffect "syscall"
// CHECK: phi i32 [ 3, %ask ]
// CHECK: attributes #[[USES]] = { noinline
// LACKS: error: 'amx.tile_zero' op has a tile of a matrix unit, which 'host:znver4' lacks or does not give this process
// NUMBERS-COUNT-42: : good
func.func @whole(%a: memref<16x64xbf16>, %b: memref<32x32xbf16>, %c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %sum = scf.for %p = %c0 to %c32 step %c16 iter_args(%acc = %zero) -> (!amx.tile<16x16xf32>) {
    %k = arith.muli %p, %c2 : index
    %x = amx.tile_load %a[%c0, %k] : memref<16x64xbf16> into !amx.tile<16x32xbf16>
    %y = amx.tile_load %b[%p, %c0] : memref<32x32xbf16> into !amx.tile<16x32xbf16>
    %next = amx.tile_mulf %x, %y, %acc : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    scf.yield %next : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0, %c0], %sum : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// 5 rows, 7 columns, 6 terms at a time; two loops' worth of them, unrolled, onto what was there.
func.func @ragged(%a: memref<5x24xbf16>, %b: memref<12x14xbf16>, %c: memref<5x7xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %old = amx.tile_load %c[%c0, %c0] : memref<5x7xf32> into !amx.tile<5x7xf32>
  %sum = scf.for %p = %c0 to %c12 step %c3 iter_args(%acc = %old) -> (!amx.tile<5x7xf32>) {
    %k = arith.muli %p, %c2 : index
    %x = amx.tile_load %a[%c0, %k] : memref<5x24xbf16> into !amx.tile<5x6xbf16>
    %y = amx.tile_load %b[%p, %c0] : memref<12x14xbf16> into !amx.tile<3x14xbf16>
    %next = amx.tile_mulf %x, %y, %acc : !amx.tile<5x6xbf16>, !amx.tile<3x14xbf16>, !amx.tile<5x7xf32>
    scf.yield %next : !amx.tile<5x7xf32>
  } {tec.unroll = 2 : i64}
  amx.tile_store %c[%c0, %c0], %sum : memref<5x7xf32>, !amx.tile<5x7xf32>
  return
}

// Carried tiles change places; branches choose between tiles, for which there is no select; both ways are taken, with
// one seed or the other.
func.func @branches(%a: memref<16x64xbf16>, %b: memref<32x32xbf16>, %c: memref<32x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %old = amx.tile_load %c[%c0, %c0] : memref<32x16xf32> into !amx.tile<16x16xf32>
  %first = memref.load %c[%c0, %c0] : memref<32x16xf32>
  %large = arith.cmpf ogt, %first, %one : f32
  %start = scf.if %large -> (!amx.tile<16x16xf32>) {
    scf.yield %zero : !amx.tile<16x16xf32>
  } else {
    scf.yield %old : !amx.tile<16x16xf32>
  }
  %sum:2 = scf.for %p = %c0 to %c32 step %c16 iter_args(%acc = %start, %other = %old) -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
    %k = arith.muli %p, %c2 : index
    %x = amx.tile_load %a[%c0, %k] : memref<16x64xbf16> into !amx.tile<16x32xbf16>
    %y = amx.tile_load %b[%p, %c0] : memref<32x32xbf16> into !amx.tile<16x32xbf16>
    %is_first = arith.cmpi eq, %p, %c0 : index
    %next = scf.if %is_first -> (!amx.tile<16x16xf32>) {
      %m = amx.tile_mulf %x, %y, %acc : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      scf.yield %m : !amx.tile<16x16xf32>
    } else {
      scf.yield %acc : !amx.tile<16x16xf32>
    }
    scf.yield %other, %next : !amx.tile<16x16xf32>, !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0, %c0], %sum#0 : memref<32x16xf32>, !amx.tile<16x16xf32>
  scf.if %large {
    amx.tile_store %c[%c16, %c0], %sum#1 : memref<32x16xf32>, !amx.tile<16x16xf32>
  } else {
    %small = amx.tile_zero : !amx.tile<3x4xf32>
    amx.tile_store %c[%c16, %c2], %small : memref<32x16xf32>, !amx.tile<3x4xf32>
  }
  return
}

// A part of memory, with extents and strides that are not known, and three dims.
func.func @strided(%a: memref<2x20x40xbf16>, %b: memref<?x?xbf16>, %c: memref<20x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %part = memref.subview %c[%c2, %c1] [10, 9] [1, 1] : memref<20x20xf32> to memref<10x9xf32, strided<[20, 1], offset: ?>>
  %x = amx.tile_load %a[%c1, %c2, %c2] : memref<2x20x40xbf16> into !amx.tile<10x32xbf16>
  %y = amx.tile_load %b[%c1, %c2] : memref<?x?xbf16> into !amx.tile<16x18xbf16>
  %z = amx.tile_load %part[%c0, %c0] : memref<10x9xf32, strided<[20, 1], offset: ?>> into !amx.tile<10x9xf32>
  %sum = amx.tile_mulf %x, %y, %z : !amx.tile<10x32xbf16>, !amx.tile<16x18xbf16>, !amx.tile<10x9xf32>
  amx.tile_store %part[%c0, %c0], %sum : memref<10x9xf32, strided<[20, 1], offset: ?>>, !amx.tile<10x9xf32>
  return
}

// Iterations of a parallel loop read a tile from outside.
func.func @outside(%a: memref<48x32xbf16>, %b: memref<16x32xbf16>, %c: memref<48x16xf32>) {
  %c0 = arith.constant 0 : index
  %y = amx.tile_load %b[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  scf.forall (%i) = (0) to (48) step (16) {
    %x = amx.tile_load %a[%i, %c0] : memref<48x32xbf16> into !amx.tile<16x32xbf16>
    %sum = amx.tile_mulf %x, %y, %zero : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    amx.tile_store %c[%i, %c0], %sum : memref<48x16xf32>, !amx.tile<16x16xf32>
  }
  return
}

// Calls while tiles are in registers.
func.func @apart(%a: memref<48x64xbf16>, %b: memref<32x32xbf16>, %c: memref<48x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  scf.forall (%i) = (0) to (48) step (16) {
    %zero = amx.tile_zero : !amx.tile<16x16xf32>
    %sum = scf.for %p = %c0 to %c32 step %c16 iter_args(%acc = %zero) -> (!amx.tile<16x16xf32>) {
      %k = arith.muli %p, %c2 : index
      %x = amx.tile_load %a[%i, %k] : memref<48x64xbf16> into !amx.tile<16x32xbf16>
      %y = amx.tile_load %b[%p, %c0] : memref<32x32xbf16> into !amx.tile<16x32xbf16>
      %next = amx.tile_mulf %x, %y, %acc : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      %scratch = memref.alloc(%k) : memref<?xf32>
      memref.dealloc %scratch : memref<?xf32>
      scf.yield %next : !amx.tile<16x16xf32>
    }
    amx.tile_store %c[%i, %c0], %sum : memref<48x16xf32>, !amx.tile<16x16xf32>
  }
  return
}

// A tile that is read past the first cache.
func.func @passing(%a: memref<16x32xbf16>, %b: memref<16x32xbf16>, %c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = amx.tile_load %a[%c0, %c0] {tec.streamed} : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %y = amx.tile_load %b[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %sum = amx.tile_mulf %x, %y, %zero : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c0, %c0], %sum : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
