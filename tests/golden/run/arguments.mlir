// Every kind of argument and result: all element types, scalars between tensors, buffers written in place, rank 0,
// no elements at all; each compared with the interpreter.
// RUN: tcc-attn run %s --func=half --random --check | FileCheck %s --check-prefix=HALF
// RUN: tcc-attn run %s --func=brain --random --check | FileCheck %s --check-prefix=BRAIN
// RUN: tcc-attn run %s --func=double --random --check | FileCheck %s --check-prefix=DOUBLE
// RUN: tcc-attn run %s --func=narrow --random --check | FileCheck %s --check-prefix=NARROW
// RUN: tcc-attn run %s --func=scalars --random --check | FileCheck %s --check-prefix=SCALARS
// RUN: tcc-attn run %s --func=integers --random --check | FileCheck %s --check-prefix=INTEGERS
// RUN: tcc-attn run %s --func=in_place --random --check --out=%t.0.npy,%t.1.npy | FileCheck %s --check-prefix=PLACE
// RUN: tcc-attn run %s --func=in_place --in=%t.0.npy,%t.1.npy --check | FileCheck %s --check-prefix=PLACE
// RUN: tcc-attn run %s --func=rank0 --random --check | FileCheck %s --check-prefix=RANK0
// RUN: tcc-attn run %s --func=empty --random --check | FileCheck %s --check-prefix=EMPTY
// RUN: tcc-attn run %s --func=no_heads --random --check | FileCheck %s --check-prefix=HEADS
// RUN: tcc-attn run %s --func=empty_buffers --random --check | FileCheck %s --check-prefix=BUFFERS
// RUN: tcc-attn run %s --func=reads_tensors --random --check | FileCheck %s --check-prefix=READS
// RUN: tcc-attn compile %s -o %t.tecp
// RUN: tcc-attn run %s --func=scalars --random --out=%t.a.npy,%t.b.npy,%t.c.npy,%t.d.npy,%t.e.npy
// RUN: tcc-attn run %t.tecp --func=scalars --random --out=%t.pa.npy,%t.pb.npy,%t.pc.npy,%t.pd.npy,%t.pe.npy
// RUN: cmp %t.a.npy %t.pa.npy && cmp %t.b.npy %t.pb.npy && cmp %t.c.npy %t.pc.npy && cmp %t.d.npy %t.pd.npy && cmp %t.e.npy %t.pe.npy

// HALF: half(f16[37, 20], f16[20, 17]) -> (f16[37, 17]) on host
// HALF: check: result 0: {{.*}}: good
func.func @half(%a: tensor<37x20xf16>, %b: tensor<20x17xf16>) -> tensor<37x17xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<37x17xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<37x17xf16>) -> tensor<37x17xf16>
  %r = linalg.matmul ins(%a, %b : tensor<37x20xf16>, tensor<20x17xf16>) outs(%init : tensor<37x17xf16>)
      -> tensor<37x17xf16>
  return %r : tensor<37x17xf16>
}

// BRAIN: brain(bf16[37, 20], bf16[20, 17]) -> (bf16[37, 17]) on host
// BRAIN: check: result 0: {{.*}}: good
func.func @brain(%a: tensor<37x20xbf16>, %b: tensor<20x17xbf16>) -> tensor<37x17xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<37x17xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<37x17xbf16>) -> tensor<37x17xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<37x20xbf16>, tensor<20x17xbf16>) outs(%init : tensor<37x17xbf16>)
      -> tensor<37x17xbf16>
  return %r : tensor<37x17xbf16>
}

// DOUBLE: double(f64[37, 20], f64[20, 17]) -> (f64[37, 17]) on host
// DOUBLE: check: result 0: {{.*}}: good
func.func @double(%a: tensor<37x20xf64>, %b: tensor<20x17xf64>) -> tensor<37x17xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<37x17xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<37x17xf64>) -> tensor<37x17xf64>
  %r = linalg.matmul ins(%a, %b : tensor<37x20xf64>, tensor<20x17xf64>) outs(%init : tensor<37x17xf64>)
      -> tensor<37x17xf64>
  return %r : tensor<37x17xf64>
}

// NARROW: narrow(f16[37]) -> (f16[37], f32[37]) on host
// NARROW: check: result 0: {{.*}}: good
// NARROW: check: result 1: {{.*}}: good
func.func @narrow(%a: tensor<37xf16>) -> (tensor<37xf16>, tensor<37xf32>) {
  %narrow = tensor.empty() : tensor<37xf16>
  %r = linalg.exp ins(%a : tensor<37xf16>) outs(%narrow: tensor<37xf16>) -> tensor<37xf16>
  %wide = tensor.empty() : tensor<37xf32>
  %w = linalg.map ins(%r : tensor<37xf16>) outs(%wide : tensor<37xf32>) (%x: f16, %o: f32) {
    %y = arith.extf %x : f16 to f32
    linalg.yield %y : f32
  }
  return %r, %w : tensor<37xf16>, tensor<37xf32>
}

// SCALARS: scalars(f32, i64, i32, f32[5]) -> (f32, f32[5], i64, i32, i1) on host
// SCALARS-COUNT-5: : good
func.func @scalars(%s: f32, %n: index, %k: i32, %t: tensor<5xf32>)
    -> (f32, tensor<5xf32>, index, i32, tensor<i1>) {
  %empty = tensor.empty() : tensor<5xf32>
  %scaled = linalg.map ins(%t : tensor<5xf32>) outs(%empty : tensor<5xf32>) (%x: f32, %o: f32) {
    %y = arith.mulf %x, %s : f32
    linalg.yield %y : f32
  }
  %twice = arith.addf %s, %s : f32
  %n2 = arith.addi %n, %n : index
  %k2 = arith.muli %k, %k : i32
  %less = arith.cmpi slt, %k, %k2 : i32
  %no_bit = tensor.empty() : tensor<i1>
  %bit = linalg.fill ins(%less : i1) outs(%no_bit : tensor<i1>) -> tensor<i1>
  return %twice, %scaled, %n2, %k2, %bit : f32, tensor<5xf32>, index, i32, tensor<i1>
}

// INTEGERS: integers(i8[6, 5], i1[6, 5], i64[6, 5]) -> (i64[6, 5], i1[6, 5]) on host
// INTEGERS: check: result 0: largest error 0 {{.*}}allowed 0: good
// INTEGERS: check: result 1: largest error 0 {{.*}}allowed 0: good
#same = affine_map<(i, j) -> (i, j)>
func.func @integers(%a: tensor<6x5xi8>, %b: tensor<6x5xi1>, %c: tensor<6x5xi64>) -> (tensor<6x5xi64>, tensor<6x5xi1>) {
  %e = tensor.empty() : tensor<6x5xi64>
  %f = tensor.empty() : tensor<6x5xi1>
  %r:2 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<6x5xi8>, tensor<6x5xi1>, tensor<6x5xi64>)
      outs(%e, %f : tensor<6x5xi64>, tensor<6x5xi1>) {
  ^bb0(%x: i8, %y: i1, %z: i64, %o: i64, %p: i1):
    %w = arith.extsi %x : i8 to i64
    %s = arith.select %y, %w, %z : i64
    %q = arith.cmpi sgt, %w, %z : i64
    linalg.yield %s, %q : i64, i1
  } -> (tensor<6x5xi64>, tensor<6x5xi1>)
  return %r#0, %r#1 : tensor<6x5xi64>, tensor<6x5xi1>
}

// PLACE: in_place(f32[7, 9], f32[9]) -> () on host
// PLACE: check: argument 0: {{.*}}: good
// PLACE: check: argument 1: {{.*}}: good
func.func @in_place(%a: memref<7x9xf32>, %b: memref<9xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<9xf32>) outs(%a : memref<7x9xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}

// RANK0: rank0(f32, f64) -> (f64) on host
// RANK0: check: result 0: {{.*}}: good
func.func @rank0(%a: tensor<f32>, %b: tensor<f64>) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %r = linalg.map ins(%a, %b : tensor<f32>, tensor<f64>) outs(%e : tensor<f64>) (%x: f32, %y: f64, %o: f64) {
    %z = arith.extf %x : f32 to f64
    %s = arith.mulf %z, %y : f64
    linalg.yield %s : f64
  }
  return %r : tensor<f64>
}

// EMPTY: empty(f32[0, 5], f32[5, 4], f32[3, 0], f32[0, 4]) -> (f32[0, 4], f32[3, 4]) on host
// EMPTY-COUNT-2: : good
func.func @empty(%a: tensor<0x5xf32>, %b: tensor<5x4xf32>, %c: tensor<3x0xf32>, %d: tensor<0x4xf32>)
    -> (tensor<0x4xf32>, tensor<3x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<0x4xf32>) -> tensor<0x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<0x5xf32>, tensor<5x4xf32>) outs(%i : tensor<0x4xf32>) -> tensor<0x4xf32>
  %e2 = tensor.empty() : tensor<3x4xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r2 = linalg.matmul ins(%c, %d : tensor<3x0xf32>, tensor<0x4xf32>) outs(%i2 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r, %r2 : tensor<0x4xf32>, tensor<3x4xf32>
}

// HEADS: no_heads(f32[0, 17, 16], f32[0, 16, 33]) -> (f32[0, 17, 33]) on host
// HEADS-COUNT-1: : good
func.func @no_heads(%a: tensor<0x17x16xf32>, %b: tensor<0x16x33xf32>) -> tensor<0x17x33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x17x33xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<0x17x33xf32>) -> tensor<0x17x33xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<0x17x16xf32>, tensor<0x16x33xf32>) outs(%i : tensor<0x17x33xf32>)
      -> tensor<0x17x33xf32>
  return %r : tensor<0x17x33xf32>
}

// BUFFERS: empty_buffers(f32[4, 0], f32[4], f32[0, 3]) -> () on host
// BUFFERS-COUNT-3: : good
func.func @empty_buffers(%a: memref<4x0xf32>, %b: memref<4xf32>, %c: memref<0x3xf32>) {
  linalg.reduce ins(%a : memref<4x0xf32>) outs(%b : memref<4xf32>) dimensions = [1] (%x: f32, %y: f32) {
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// An op on memory whose body reads tensors: one that an op makes, and one that nobody has written.
// READS: reads_tensors(f32[4], f32[4]) -> (f32[4]) on host
// READS-COUNT-2: : good
func.func @reads_tensors(%a: tensor<4xf32>, %b: memref<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %unwritten = tensor.empty() : tensor<5xf32>
  %one = arith.constant 1 : index
  %twice = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%b : memref<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %twice[%i] : tensor<4xf32>
    %n = arith.addi %i, %one : index
    %condition = arith.cmpi sgt, %n, %i : index
    %y = tensor.extract %unwritten[%n] : tensor<5xf32>
    %s = arith.select %condition, %x, %y : f32
    linalg.yield %s : f32
  }
  return %twice : tensor<4xf32>
}
