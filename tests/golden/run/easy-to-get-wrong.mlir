// Programs that are easy to get wrong: each gives the interpreter's numbers, fused and unfused.
// RUN: rm -rf %t && split-file %s %t
// RUN: sh -c 'for program in %t/*.mlir; do for fuse in on off; do tcc-attn run $program --func=f --random --check --verify --fuse=$fuse || { echo $program; exit 1; }; done; done' | FileCheck %s
// CHECK: : good
// CHECK-NOT: WRONG

//--- same-twice.mlir
// One tensor as both factors.
func.func @f(%a: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x33xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x33xf32>) -> tensor<33x33xf32>
  %r = linalg.matmul ins(%a, %a : tensor<33x33xf32>, tensor<33x33xf32>) outs(%i : tensor<33x33xf32>) -> tensor<33x33xf32>
  return %r : tensor<33x33xf32>
}

//--- square-acc-self.mlir
// One tensor as both factors and as what they are added to.
func.func @f(%a: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %r = linalg.matmul ins(%a, %a : tensor<33x33xf32>, tensor<33x33xf32>) outs(%a : tensor<33x33xf32>) -> tensor<33x33xf32>
  return %r : tensor<33x33xf32>
}

//--- return-args.mlir
// Arguments as results, some twice.
func.func @f(%a: tensor<5x3xf32>, %x: f32, %n: index) -> (tensor<5x3xf32>, f32, tensor<5x3xf32>, index, f32) {
  return %a, %x, %a, %n, %x : tensor<5x3xf32>, f32, tensor<5x3xf32>, index, f32
}

//--- dup-results.mlir
// A result that is also overwritten, and returned twice.
func.func @f(%a: tensor<17xf32>) -> (tensor<17xf32>, tensor<17xf32>, tensor<17xf32>) {
  %e = tensor.empty() : tensor<17xf32>
  %r = linalg.add ins(%a, %a : tensor<17xf32>, tensor<17xf32>) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %s = linalg.mul ins(%r, %r : tensor<17xf32>, tensor<17xf32>) outs(%r : tensor<17xf32>) -> tensor<17xf32>
  return %r, %s, %r : tensor<17xf32>, tensor<17xf32>, tensor<17xf32>
}

//--- empty-function.mlir
// Nothing at all.
func.func @f() { return }

//--- only-constant.mlir
// No arguments.
func.func @f() -> (tensor<3xf32>, f32) { %c = arith.constant dense<[1.0,2.0,3.0]> : tensor<3xf32> %x = arith.constant 3.0 : f32 return %c, %x : tensor<3xf32>, f32 }

//--- rank0.mlir
// Rank 0.
func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, f32) {
  %r = linalg.add ins(%a, %b : tensor<f32>, tensor<f32>) outs(%a : tensor<f32>) -> tensor<f32>
  %x = tensor.extract %r[] : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %y = arith.mulf %x, %x : f32
  %z = linalg.fill ins(%y : f32) outs(%e : tensor<f32>) -> tensor<f32>
  return %z, %x : tensor<f32>, f32
}

//--- rank16.mlir
// The highest rank.
func.func @f(%a: tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>) -> tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32> {
  %r = linalg.add ins(%a, %a : tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>, tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>) outs(%a : tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>) -> tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>
  return %r : tensor<1x2x1x2x1x2x1x2x1x2x1x2x1x2x1x3xf32>
}

//--- shift-wide.mlir
// Shifts by more than the width.
func.func @f(%a: tensor<7xi32>) -> (tensor<7xi32>) {
  %e = tensor.empty() : tensor<7xi32>
  %r = linalg.map ins(%a : tensor<7xi32>) outs(%e : tensor<7xi32>) (%x: i32, %o: i32) {
    %c = arith.constant 40 : i32
    %y = arith.addi %x, %c : i32
    %q = arith.shli %x, %y : i32
    %u = arith.shrsi %q, %y : i32
    %w = arith.shrui %y, %c : i32
    %s = arith.addi %q, %u : i32
    %t = arith.addi %s, %w : i32
    linalg.yield %t : i32 }
  return %r : tensor<7xi32>
}

//--- fptosi-inf.mlir
// Floats that no integer of the type can hold.
func.func @f(%a: tensor<7xf32>) -> (tensor<7xi32>, tensor<7xi8>, tensor<7xi64>) {
  %e = tensor.empty() : tensor<7xi32>
  %e8 = tensor.empty() : tensor<7xi8>
  %e64 = tensor.empty() : tensor<7xi64>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
   ins(%a : tensor<7xf32>) outs(%e, %e8, %e64 : tensor<7xi32>, tensor<7xi8>, tensor<7xi64>) {
    ^bb0(%x: f32, %o: i32, %o8: i8, %o64: i64):
    %big = arith.constant 1.0e38 : f32
    %b = arith.mulf %x, %big : f32
    %c = arith.fptosi %b : f32 to i32
    %d = arith.fptosi %b : f32 to i8
    %f = arith.fptoui %b : f32 to i64
    linalg.yield %c, %d, %f : i32, i8, i64 } -> (tensor<7xi32>, tensor<7xi8>, tensor<7xi64>)
  return %r#0, %r#1, %r#2 : tensor<7xi32>, tensor<7xi8>, tensor<7xi64>
}

//--- endless-for.mlir
// A step that leads beyond 64 bits.
func.func @f(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 9223372036854775807 : index
  %s = arith.constant 9223372036854775806 : index
  %r = scf.for %i = %c0 to %c1 step %s iter_args(%x = %a) -> tensor<4xf32> {
    %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- step-i8.mlir
// The same in 8 bits.
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i8
  %c5 = arith.constant 127 : i8
  %s = arith.constant 100 : i8
  %r = scf.for %i = %c0 to %c5 step %s iter_args(%x = %a) -> (tensor<4xf32>) : i8 {
    %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- input-of-each-step.mlir
// Each step of a loop reads all of a tensor from outside, whose memory it could write to but for the next step.
func.func @f(%a: tensor<37xf32>) -> tensor<37xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %row = tensor.extract_slice %a[3] [9] [1] : tensor<37xf32> to tensor<9xf32>
  %t = tensor.insert_slice %row into %a[20] [9] [1] : tensor<9xf32> into tensor<37xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a) -> tensor<37xf32> {
    %y = linalg.add ins(%t, %t : tensor<37xf32>, tensor<37xf32>) outs(%t : tensor<37xf32>) -> tensor<37xf32>
    scf.yield %y : tensor<37xf32>
  }
  return %r : tensor<37xf32>
}

//--- made-beside.mlir
// One result of a loop inserted into another one.
func.func @f(%a: tensor<4x3xf32>, %b: tensor<9x3xf32>) -> tensor<9x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<4x3xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %e, %y = %b) -> (tensor<4x3xf32>, tensor<9x3xf32>) {
    %w = linalg.add ins(%a, %a : tensor<4x3xf32>, tensor<4x3xf32>) outs(%x : tensor<4x3xf32>) -> tensor<4x3xf32>
    %z = linalg.add ins(%y, %b : tensor<9x3xf32>, tensor<9x3xf32>) outs(%y : tensor<9x3xf32>) -> tensor<9x3xf32>
    scf.yield %w, %z : tensor<4x3xf32>, tensor<9x3xf32>
  }
  %n = tensor.insert_slice %r#0 into %r#1[2, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<9x3xf32>
  return %n : tensor<9x3xf32>
}

//--- step-looks-up.mlir
// Each step of a loop reads elements at any places of what the step before made.
func.func @f(%t: tensor<40xf32>, %at: tensor<40xi32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  %e = tensor.empty() : tensor<40xf32>
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %t) -> (tensor<40xf32>) {
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%at : tensor<40xi32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: i32, %o: f32):
      %j = arith.index_cast %a : i32 to index
      %k = arith.remui %j, %c40 : index
      %v = tensor.extract %x[%k] : tensor<40xf32>
      linalg.yield %v : f32
    } -> tensor<40xf32>
    scf.yield %y : tensor<40xf32>
  }
  %r = tensor.concat dim(0) %l, %l : (tensor<40xf32>, tensor<40xf32>) -> tensor<80xf32>
  %s = tensor.extract_slice %r[13] [40] [1] : tensor<80xf32> to tensor<40xf32>
  return %s : tensor<40xf32>
}

//--- step-from-first.mlir
// Each step of a loop starts from what the first one did, which has extents that are not known.
func.func @f(%A: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %L = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %A) -> (tensor<?x8xf32>) {
    %l = tensor.extract_slice %A[0, 2] [1, 1] [1, 1] : tensor<?x8xf32> to tensor<1x1xf32>
    %n = tensor.insert_slice %l into %A[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x8xf32>
    scf.yield %n : tensor<?x8xf32>
  }
  return %L : tensor<?x8xf32>
}

//--- yield-swap.mlir
// Carried tensors trade places.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y, %z : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

//--- yield-rotate.mlir
// Three of them, with nothing computed.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %b, %w = %c) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %w, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//--- same-init-twice.mlir
// Two carried tensors start as the same one.
func.func @f(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    %w = linalg.sub ins(%z, %y : tensor<4xf32>, tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z, %w : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

//--- overlap-insert.mlir
// A slice of a tensor inserted into the same tensor, where they overlap: forwards,
func.func @f(%a: tensor<10xf32>) -> tensor<10xf32> {
  %s = tensor.extract_slice %a[0] [8] [1] : tensor<10xf32> to tensor<8xf32>
  %r = tensor.insert_slice %s into %a[2] [8] [1] : tensor<8xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

//--- overlap-insert-back.mlir
// and backwards.
func.func @f(%a: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %b = linalg.exp ins(%a : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
  %s = tensor.extract_slice %b[20] [80] [1] : tensor<100xf32> to tensor<80xf32>
  %r = tensor.insert_slice %s into %b[1] [80] [1] : tensor<80xf32> into tensor<100xf32>
  return %r : tensor<100xf32>
}

//--- transpose-self.mlir
// The transpose of a tensor in place of itself.
func.func @f(%a: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %r = linalg.transpose ins(%a : tensor<33x33xf32>) outs(%a : tensor<33x33xf32>) permutation = [1, 0]
  return %r : tensor<33x33xf32>
}

//--- reverse-self.mlir
// A tensor minus its transpose, in its own place.
func.func @f(%a: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %e = tensor.empty() : tensor<33x33xf32>
  %b = linalg.exp ins(%a : tensor<33x33xf32>) outs(%e : tensor<33x33xf32>) -> tensor<33x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j,i)>, affine_map<(i, j) -> (i,j)>], iterator_types=["parallel","parallel"]}
   ins(%b : tensor<33x33xf32>) outs(%b : tensor<33x33xf32>) {
   ^bb0(%x: f32, %o: f32):
     %s = arith.subf %x, %o : f32
     linalg.yield %s : f32 } -> tensor<33x33xf32>
  return %r : tensor<33x33xf32>
}

//--- forall-reads-shared.mlir
// Iterations read what others write: they must see what was there before.
func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %a) -> tensor<16xf32> {
    %k = affine.apply affine_map<(d0) -> (d0*4)>(%i)
    %s = tensor.extract_slice %a[%k] [4] [1] : tensor<16xf32> to tensor<4xf32>
    %w = tensor.extract_slice %o[0] [4] [1] : tensor<16xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.add ins(%s, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %y into %o[%k] [4] [1] : tensor<4xf32> into tensor<16xf32> }
  }
  return %r : tensor<16xf32>
}

//--- forall-hands-on.mlir
// Of two results that want the same memory, the first is done with it before the second goes where it is collected.
func.func @f(%a: tensor<16x9xf32>) -> (tensor<16x9xf32>, tensor<16x9xf32>) {
  %c1 = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x9xf32>
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %e, %p = %e) -> (tensor<16x9xf32>, tensor<16x9xf32>) {
    %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %s = tensor.extract_slice %a[%k, 0] [4, 9] [1, 1] : tensor<16x9xf32> to tensor<4x9xf32>
    %d = tensor.empty() : tensor<4x9xf32>
    %x = linalg.exp ins(%s : tensor<4x9xf32>) outs(%d : tensor<4x9xf32>) -> tensor<4x9xf32>
    %y = linalg.add ins(%x, %s : tensor<4x9xf32>, tensor<4x9xf32>) outs(%x : tensor<4x9xf32>) -> tensor<4x9xf32>
    %z = linalg.mul ins(%y, %s : tensor<4x9xf32>, tensor<4x9xf32>) outs(%x : tensor<4x9xf32>) -> tensor<4x9xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %o[%k, 0] [4, 9] [1, 1] : tensor<4x9xf32> into tensor<16x9xf32>
      tensor.parallel_insert_slice %y into %p[%k, 0] [4, 9] [1, 1] : tensor<4x9xf32> into tensor<16x9xf32>
    }
  }
  return %r#0, %r#1 : tensor<16x9xf32>, tensor<16x9xf32>
}

//--- forall-zero.mlir
// No iterations.
func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
  %r = scf.forall (%i, %j) in (0, 4) shared_outs(%o = %a) -> tensor<16xf32> {
    %s = tensor.extract_slice %a[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %s into %o[0] [4] [1] : tensor<4xf32> into tensor<16xf32> }
  }
  return %r : tensor<16xf32>
}

//--- forall-huge.mlir
// Steps beyond 64 bits in each dim.
func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (9223372036854775807, 9223372036854775807) step (9223372036854775806, 9223372036854775806) shared_outs(%o = %a) -> tensor<16xf32> {
    %s = tensor.extract_slice %a[4] [4] [1] : tensor<16xf32> to tensor<4xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %s into %o[0] [4] [1] : tensor<4xf32> into tensor<16xf32> }
  }
  return %r : tensor<16xf32>
}

//--- affine-overflow.mlir
// Affine arithmetic that wraps.
func.func @f(%n: index) -> (index, index, index) {
  %c = arith.constant 9223372036854775807 : index
  %1 = affine.apply affine_map<(d0) -> (d0 * 4611686018427387904 + 7)>(%c)
  %2 = affine.apply affine_map<(d0, d1) -> ((d0 + d1) ceildiv 3)>(%c, %n)
  %3 = affine.apply affine_map<(d0) -> ((d0 * 9223372036854775807) floordiv 9223372036854775807)>(%n)
  return %1, %2, %3 : index, index, index
}

//--- affine-mod-neg.mlir
// Division of negative numbers.
func.func @f(%n: index) -> (index, index, index) {
  %c = arith.constant -9 : index
  %d = arith.subi %c, %n : index
  %1 = affine.apply affine_map<(d0) -> (d0 mod 4)>(%d)
  %2 = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%d)
  %3 = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%d)
  return %1, %2, %3 : index, index, index
}

//--- call-aliased.mlir
// A function that gets the same tensor twice, and writes.
func.func private @p(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
 %r = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
 return %r, %b : tensor<4xf32>, tensor<4xf32> }
func.func @f(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) { %r:2 = call @p(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) return %r#0, %r#1, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> }

//--- call-between.mlir
// A call, which stays where it is, reads what could be fused with the product behind it.
func.func private @p(%a: tensor<22x11xf32>) -> tensor<22x11xf32> {
  %e = tensor.empty() : tensor<22x11xf32>
  %r = linalg.exp ins(%a : tensor<22x11xf32>) outs(%e : tensor<22x11xf32>) -> tensor<22x11xf32>
  return %r : tensor<22x11xf32>
}
func.func @f(%a: tensor<22x11xf32>, %b: tensor<11x7xf32>) -> (tensor<22x11xf32>, tensor<22x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<22x11xf32>
  %o = tensor.empty() : tensor<22x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<22x7xf32>) -> tensor<22x7xf32>
  %t = linalg.tanh ins(%a : tensor<22x11xf32>) outs(%e : tensor<22x11xf32>) -> tensor<22x11xf32>
  %s = linalg.mul ins(%t, %a : tensor<22x11xf32>, tensor<22x11xf32>) outs(%e : tensor<22x11xf32>) -> tensor<22x11xf32>
  %c = call @p(%s) : (tensor<22x11xf32>) -> tensor<22x11xf32>
  %r = linalg.matmul ins(%t, %b : tensor<22x11xf32>, tensor<11x7xf32>) outs(%i : tensor<22x7xf32>) -> tensor<22x7xf32>
  return %c, %r : tensor<22x11xf32>, tensor<22x7xf32>
}

//--- call-element.mlir
// One element of a tensor, not the first, as an argument of rank 0.
func.func private @p(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @f(%a: tensor<4xf32>) -> tensor<f32> {
  %x = tensor.extract_slice %a[2] [1] [1] : tensor<4xf32> to tensor<f32>
  %r = call @p(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

//--- fill-over-sums.mlir
// A fill is made again for a product, and stays for what comes after it: what it writes over stays too.
func.func private @p(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
func.func @f(%a: tensor<4x4x16xf32>, %c: f32) -> (tensor<4x4xf32>, tensor<4x16xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = arith.addf %a, %a : tensor<4x4x16xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x4x16xf32>) outs(%i, %i : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %t = arith.maximumf %v, %m : f32
    %u = arith.addf %v, %o : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %f = linalg.fill ins(%c : f32) outs(%s#0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%f, %f : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = scf.for %k = %c0 to %c4 step %c1 iter_args(%y = %p) -> (tensor<4x4xf32>) {
    %w = call @p(%y) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %f : tensor<4x4xf32>
  }
  %e2 = tensor.empty() : tensor<4x16xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.reduce ins(%x : tensor<4x4x16xf32>) outs(%i2 : tensor<4x16xf32>) dimensions = [1] (%v: f32, %acc: f32) {
    %t = arith.addf %v, %acc : f32
    linalg.yield %t : f32
  }
  return %l, %r : tensor<4x4xf32>, tensor<4x16xf32>
}

//--- if-alias.mlir
// A branch that hands on one of two tensors, which is then overwritten.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 3 : index
  %p = arith.cmpi slt, %n, %c : index
  %r = scf.if %p -> tensor<4xf32> { scf.yield %a : tensor<4xf32> } else { scf.yield %b : tensor<4xf32> }
  %s = linalg.exp ins(%r : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %t = linalg.add ins(%a, %s : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %t, %r : tensor<4xf32>, tensor<4xf32>
}

//--- pad-zero.mlir
// Padding around nothing.
func.func @f(%a: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 2.0 : f32
  %r = tensor.pad %a low[1, 0] high[3, 0] { ^bb0(%i: index, %j: index): tensor.yield %z : f32 } : tensor<0x3xf32> to tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

//--- pad-index.mlir
// Padding with values computed from the place.
func.func @f(%a: tensor<5x3xf32>) -> tensor<9x3xf32> {
  %r = tensor.pad %a low[1, 0] high[3, 0] { ^bb0(%i: index, %j: index): 
    %s = arith.addi %i, %j : index
    %t = arith.index_cast %s : index to i32
    %u = arith.sitofp %t : i32 to f32
    tensor.yield %u : f32 } : tensor<5x3xf32> to tensor<9x3xf32>
  return %r : tensor<9x3xf32>
}

//--- softmax-zero.mlir
// Softmax over nothing.
func.func @f(%a: tensor<5x0xf32>) -> tensor<5x0xf32> {
  %e = tensor.empty() : tensor<5x0xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<5x0xf32>) outs(%e : tensor<5x0xf32>) -> tensor<5x0xf32>
  return %r : tensor<5x0xf32>
}

//--- softmax-dim0.mlir
// Softmax along the first dimension.
func.func @f(%a: tensor<45x7xf32>) -> tensor<45x7xf32> {
  %e = tensor.empty() : tensor<45x7xf32>
  %r = linalg.softmax dimension(0) ins(%a : tensor<45x7xf32>) outs(%a : tensor<45x7xf32>) -> tensor<45x7xf32>
  return %r : tensor<45x7xf32>
}

//--- softmax-inf.mlir
// Softmax of infinities: NaN where upstream gives it.
func.func @f(%a: tensor<45x70xf32>) -> tensor<45x70xf32> {
  %big = arith.constant 3.0e38 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %s = linalg.map ins(%a : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) (%x: f32, %o: f32) {
     %y = arith.mulf %x, %big : f32
     linalg.yield %y : f32 }
  %r = linalg.softmax dimension(1) ins(%s : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  return %r : tensor<45x70xf32>
}

//--- masked-rows.mlir
// Some rows masked everywhere, some up to the last tile.
func.func @f(%a: tensor<45x70xf32>, %v: tensor<70x9xf32>) -> tensor<45x9xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i,j)>, affine_map<(i, j) -> (i,j)>], iterator_types=["parallel","parallel"]} ins(%a : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) {
    ^bb0(%x: f32, %o: f32):
     %i = linalg.index 0 : index
     %j = linalg.index 1 : index
     %c = arith.constant 60 : index
     %k = arith.addi %j, %i : index
     %p = arith.cmpi sgt, %k, %c : index
     %y = arith.select %p, %x, %inf : f32
     linalg.yield %y : f32 } -> tensor<45x70xf32>
  %r = linalg.softmax dimension(1) ins(%s : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  %oe = tensor.empty() : tensor<45x9xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<45x9xf32>) -> tensor<45x9xf32>
  %o = linalg.matmul ins(%r, %v : tensor<45x70xf32>, tensor<70x9xf32>) outs(%oi : tensor<45x9xf32>) -> tensor<45x9xf32>
  return %o : tensor<45x9xf32>
}

//--- masked-all.mlir
// All rows masked everywhere.
func.func @f(%a: tensor<45x70xf32>, %v: tensor<70x9xf32>) -> tensor<45x9xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i,j)>, affine_map<(i, j) -> (i,j)>], iterator_types=["parallel","parallel"]} ins(%a : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) {
    ^bb0(%x: f32, %o: f32):
     %i = linalg.index 0 : index
     %j = linalg.index 1 : index
     %c = arith.constant 600 : index
     %k = arith.addi %j, %i : index
     %p = arith.cmpi sgt, %k, %c : index
     %y = arith.select %p, %x, %inf : f32
     linalg.yield %y : f32 } -> tensor<45x70xf32>
  %r = linalg.softmax dimension(1) ins(%s : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  %oe = tensor.empty() : tensor<45x9xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<45x9xf32>) -> tensor<45x9xf32>
  %o = linalg.matmul ins(%r, %v : tensor<45x70xf32>, tensor<70x9xf32>) outs(%oi : tensor<45x9xf32>) -> tensor<45x9xf32>
  return %o : tensor<45x9xf32>
}

//--- nonzero-init-tiled-k.mlir
// A product added to something, tiled over its reduction.
func.func @f(%a: tensor<33x21xf32>, %b: tensor<21x17xf32>, %c: tensor<33x17xf32>) -> tensor<33x17xf32> {
  %e = tensor.empty() : tensor<33x17xf32>
  %i = linalg.exp ins(%c : tensor<33x17xf32>) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.matmul {__root__} ins(%a, %b : tensor<33x21xf32>, tensor<21x17xf32>) outs(%i : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %r = transform.structured.match attributes {__root__} in %m : (!transform.any_op) -> !transform.any_op
  %t, %l:2 = transform.structured.fuse_ext %r {tile_sizes = [4, 0, 8]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.structured.tile_loop_hint %t : !transform.any_op
  transform.cleanup
}

//--- attn-nonzero-init-default.mlir
// Attention added to something.
func.func @f(%q: tensor<37x24xf32>, %k: tensor<41x24xf32>, %v: tensor<41x19xf32>) -> tensor<37x19xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<37x41xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<37x41xf32>) -> tensor<37x41xf32>
  %s = linalg_ext.batch_matmul ins(%q, %k : tensor<37x24xf32>, tensor<41x24xf32>) outs(%si : tensor<37x41xf32>) layout = "nt"
  %lowest = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<37xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%me : tensor<37xf32>) -> tensor<37xf32>
  %a0 = linalg.fill ins(%zero : f32) outs(%me : tensor<37xf32>) -> tensor<37xf32>
  %p:4 = linalg_ext.softmax dimension(1) ins(%s : tensor<37x41xf32>) outs(%se, %m0, %a0, %me : tensor<37x41xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) : tensor<37x41xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
  %oe = tensor.empty() : tensor<37x19xf32>
  %one = arith.constant 3.0 : f32
  %oi = linalg.fill ins(%one : f32) outs(%oe : tensor<37x19xf32>) -> tensor<37x19xf32>
  %o = linalg.matmul {__root__} ins(%p#0, %v : tensor<37x41xf32>, tensor<41x19xf32>) outs(%oi : tensor<37x19xf32>) -> tensor<37x19xf32>
  return %o : tensor<37x19xf32>
}

//--- bool-tensor.mlir
// Single bits.
func.func @f(%a: tensor<67xi1>, %b: tensor<67xi1>) -> tensor<67xi1> {
  %e = tensor.empty() : tensor<67xi1>
  %r = linalg.map ins(%a, %b : tensor<67xi1>, tensor<67xi1>) outs(%e : tensor<67xi1>) (%x: i1, %y: i1, %o: i1) {
    %z = arith.xori %x, %y : i1
    linalg.yield %z : i1 }
  return %r : tensor<67xi1>
}

//--- script-two-roots.mlir
// A script that matches two ops.
func.func @f(%a: tensor<33x21xf32>, %b: tensor<21x17xf32>) -> tensor<33x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x17xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.matmul {__root__} ins(%a, %b : tensor<33x21xf32>, tensor<21x17xf32>) outs(%i : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
func.func @g(%a: tensor<33x21xf32>, %b: tensor<21x17xf32>) -> tensor<33x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x17xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.matmul {__root__} ins(%a, %b : tensor<33x21xf32>, tensor<21x17xf32>) outs(%i : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %r = transform.structured.match attributes {__root__} in %m : (!transform.any_op) -> !transform.any_op
  %t, %l:2 = transform.structured.fuse_ext %r {tile_sizes = [8, 0, 8]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.structured.tile_loop_hint %t : !transform.any_op
  transform.cleanup
}

//--- script-fused-again.mlir
// Tiles of tiles of tiles.
func.func @f(%a: tensor<33x21xf32>, %b: tensor<21x17xf32>) -> tensor<33x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x17xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.matmul {__root__} ins(%a, %b : tensor<33x21xf32>, tensor<21x17xf32>) outs(%i : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %r = transform.structured.match attributes {__root__} in %m : (!transform.any_op) -> !transform.any_op
  %t, %l:3 = transform.structured.fuse_ext %r {tile_sizes = [16, 8, 16]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %u, %k:3 = transform.structured.fuse_ext %t {tile_sizes = [5, 3, 4]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %w, %j:3 = transform.structured.fuse_ext %u {tile_sizes = [2, 2, 3]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.cleanup
}

//--- script-stop-self.mlir
// The root is where fusion stops.
func.func @f(%a: tensor<33x21xf32>, %b: tensor<21x17xf32>) -> tensor<33x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x17xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x17xf32>) -> tensor<33x17xf32>
  %r = linalg.matmul {__root__} ins(%a, %b : tensor<33x21xf32>, tensor<21x17xf32>) outs(%i : tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r : tensor<33x17xf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %r = transform.structured.match attributes {__root__} in %m : (!transform.any_op) -> !transform.any_op
  %t, %l:3 = transform.structured.fuse_ext %r, %r {tile_sizes = [16, 8, 16]} : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
}

//--- undefined-insert.mlir
// Undefined content is moved, but nobody reads it.
func.func @f(%a: tensor<32x19xf32>) -> tensor<32x19xf32> {
  %e = tensor.empty() : tensor<32x19xf32>
  %u = scf.forall (%i) = (0) to (32) step (16) shared_outs(%o = %e) -> (tensor<32x19xf32>) {
    %p = tensor.empty() : tensor<16x19xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [16, 19] [1, 1] : tensor<16x19xf32> into tensor<32x19xf32>
    }
  }
  %r = linalg.exp ins(%a : tensor<32x19xf32>) outs(%u : tensor<32x19xf32>) -> tensor<32x19xf32>
  return %r : tensor<32x19xf32>
}

//--- constant-slices.mlir
// Slices whose offsets and sizes are constants, but written as operands.
func.func @f(%a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tensor.extract_slice %a[%c1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %s = tensor.extract_slice %b[%c1] [%c2] [1] : tensor<?xf32> to tensor<?xf32>
  return %r, %s : tensor<2xf32>, tensor<?xf32>
}

//--- correlation.mlir
// One subscript is the sum of two loops that are dims of a tile: of rows and of lanes that are reduced,
func.func @f(%a: tensor<55xf32>, %b: tensor<50xf32>, %e: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<55xf32>, tensor<50xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

//--- window-sum.mlir
// of terms and of lanes,
func.func @f(%a: tensor<12xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %w = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<12xf32>, tensor<8xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

//--- diagonals.mlir
// of rows that end with a part of a tile, in what follows a product,
func.func @f(%a: tensor<41x16xf32>, %b: tensor<16x51xf32>, %t: tensor<91xf32>) -> tensor<41x51xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<41x51xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<41x51xf32>) -> tensor<41x51xf32>
  %p = linalg.matmul ins(%a, %b : tensor<41x16xf32>, tensor<16x51xf32>) outs(%i : tensor<41x51xf32>) -> tensor<41x51xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%p, %t : tensor<41x51xf32>, tensor<91xf32>) outs(%e : tensor<41x51xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<41x51xf32>
  return %r : tensor<41x51xf32>
}

//--- diagonals-turned.mlir
// and beside what is turned in registers.
func.func @f(%a: tensor<40x16xf32>, %t: tensor<55xf32>) -> tensor<16x40xf32> {
  %e = tensor.empty() : tensor<16x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%a, %t : tensor<40x16xf32>, tensor<55xf32>) outs(%e : tensor<16x40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<16x40xf32>
  return %r : tensor<16x40xf32>
}

//--- short-sum.mlir
// A sum of two loops leaves out the end of a dim; that the first one has a single iteration does not make the other longer:
func.func @f(%a: tensor<9xf32>) -> tensor<1x5xf32> {
  %e = tensor.empty() : tensor<1x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%a : tensor<9xf32>) outs(%e : tensor<1x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<1x5xf32>
  return %r : tensor<1x5xf32>
}

//--- short-sum-read.mlir
// nor where one place of that loop is read.
func.func @f(%a: tensor<9xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%a : tensor<9xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<3x5xf32>
  %f = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(j) -> (0, j)>, affine_map<(j) -> (j)>],
    iterator_types = ["parallel"]} ins(%m : tensor<3x5xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

//--- read-twice.mlir
// What makes the input of a reduction joins it only if that reads no other element of what was made: here the transpose.
func.func @f(%a: tensor<8x8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %v = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%z : f32) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.softmax dimension(0) ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j, k)>, affine_map<(k, j) -> (j)>],
    iterator_types = ["reduction", "parallel"]} ins(%s, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %t = math.tanh %d : f32
    %n = arith.addf %t, %o : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- read-copy-elsewhere.mlir
// Nor other elements of a second copy of it.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#back = affine_map<(i, j) -> (39 - i, j)>
#first = affine_map<(i, j) -> (0, j)>
func.func @f(%a: memref<40x40xf32>, %b: memref<40x40xf32>, %sums: memref<40xf32>, %out: memref<40x40xf32>) {
  %z = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<40x40xf32>
  %h = memref.alloc() : memref<40x40xf32>
  %s = memref.alloc() : memref<40xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<40xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<40x40xf32>) outs(%p : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.mulf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<40x40xf32>) outs(%h : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.addf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #back, #column], iterator_types = ["reduction", "parallel"]}
      ins(%p, %h : memref<40x40xf32>, memref<40x40xf32>) outs(%s : memref<40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.maximumf %x, %y : f32
    %n = arith.addf %m, %o : f32
    linalg.yield %n : f32
  }
  memref.copy %s, %sums : memref<40xf32> to memref<40xf32>
  memref.copy %h, %out : memref<40x40xf32> to memref<40x40xf32>
  memref.dealloc %p : memref<40x40xf32>
  memref.dealloc %h : memref<40x40xf32>
  memref.dealloc %s : memref<40xf32>
  return
}

//--- rewritten.mlir
// What is then made of the input in its place waits where the reduction reads it twice.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#back = affine_map<(i, j) -> (39 - i, j)>
#first = affine_map<(i, j) -> (0, j)>
func.func @f(%a: memref<40x40xf32>, %b: memref<40x40xf32>, %sums: memref<40xf32>, %out: memref<40x40xf32>) {
  %z = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<40x40xf32>
  %h = memref.alloc() : memref<40x40xf32>
  %s = memref.alloc() : memref<40xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<40xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<40x40xf32>) outs(%h : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.mulf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%h, %h : memref<40x40xf32>, memref<40x40xf32>) outs(%s : memref<40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.maximumf %x, %y : f32
    %n = arith.addf %m, %o : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : memref<40x40xf32>) outs(%h : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.mulf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  memref.copy %s, %sums : memref<40xf32> to memref<40xf32>
  memref.copy %h, %out : memref<40x40xf32> to memref<40x40xf32>
  memref.dealloc %p : memref<40x40xf32>
  memref.dealloc %h : memref<40x40xf32>
  memref.dealloc %s : memref<40xf32>
  return
}

//--- chain-reads-back.mlir
// A chain of three: the last one reads other elements of the first one's result.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#back = affine_map<(i, j) -> (39 - i, j)>
#first = affine_map<(i, j) -> (0, j)>
func.func @f(%a: memref<40x40xf32>, %b: memref<40x40xf32>, %sums: memref<40xf32>, %out: memref<40x40xf32>) {
  %z = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<40x40xf32>
  %h = memref.alloc() : memref<40x40xf32>
  %s = memref.alloc() : memref<40xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<40xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<40x40xf32>) outs(%p : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.addf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  %q = memref.alloc() : memref<40x40xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<40x40xf32>) outs(%q : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.mulf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #back, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q, %p : memref<40x40xf32>, memref<40x40xf32>) outs(%h : memref<40x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %v = arith.addf %x0, %x1 : f32
    linalg.yield %v : f32
  }
  memref.dealloc %q : memref<40x40xf32>
  memref.copy %s, %sums : memref<40xf32> to memref<40xf32>
  memref.copy %h, %out : memref<40x40xf32> to memref<40x40xf32>
  memref.dealloc %p : memref<40x40xf32>
  memref.dealloc %h : memref<40x40xf32>
  memref.dealloc %s : memref<40xf32>
  return
}

//--- start-overwritten.mlir
// What a product starts from is made of memory that its result goes to.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#back = affine_map<(i, j) -> (39 - i, j)>
#first = affine_map<(i, j) -> (0, j)>
func.func @f(%a: memref<40x40xf32>, %b: memref<40x40xf32>, %sums: memref<40xf32>, %out: memref<40x40xf32>) {
  %z = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<40x40xf32>
  %h = memref.alloc() : memref<40x40xf32>
  %s = memref.alloc() : memref<40xf32>
  linalg.fill ins(%z : f32) outs(%s : memref<40xf32>)
  memref.copy %a, %h : memref<40x40xf32> to memref<40x40xf32>
  linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : memref<40x40xf32>) outs(%p : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.addf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.matmul ins(%a, %b : memref<40x40xf32>, memref<40x40xf32>) outs(%p : memref<40x40xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<40x40xf32>) outs(%h : memref<40x40xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %v = arith.addf %x0, %x0 : f32
    linalg.yield %v : f32
  }
  memref.copy %s, %sums : memref<40xf32> to memref<40xf32>
  memref.copy %h, %out : memref<40x40xf32> to memref<40x40xf32>
  memref.dealloc %p : memref<40x40xf32>
  memref.dealloc %h : memref<40x40xf32>
  memref.dealloc %s : memref<40xf32>
  return
}

//--- steep-hidden-rows.mlir
// Rows that are hidden by a large finite number: times a factor above 1 their scores would be infinite.
#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @f(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant -3.0e+38 : f32
  %steepness = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<5x33xf32>
  %er = tensor.empty() : tensor<5xf32>
  %s = linalg.map ins(%x : tensor<5x33xf32>) outs(%e : tensor<5x33xf32>) (%a: f32, %init: f32) {
    %1 = arith.addf %a, %hidden : f32
    linalg.yield %1 : f32
  }
  %start = linalg.fill ins(%lowest : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<5x33xf32>) outs(%start : tensor<5xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %max : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    %2 = arith.mulf %1, %steepness : f32
    %3 = math.exp2 %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<5x33xf32>) outs(%none : tensor<5xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<5x33xf32>, tensor<5xf32>) outs(%e : tensor<5x33xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %1 = arith.divf %a, %d : f32
    linalg.yield %1 : f32
  } -> tensor<5x33xf32>
  return %r : tensor<5x33xf32>
}

//--- no-numbers.mlir
// No numbers, although no extent says so.
func.func @f(%x: tensor<4x?x0xf32>) -> tensor<2x2x?xi32> {
  %c1 = arith.constant 1 : index
  %merged = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x?x0xf32> into tensor<4x?xf32>
  %none = tensor.dim %merged, %c1 : tensor<4x?xf32>
  %r = tensor.generate %none {
  ^bb0(%i: index, %j: index, %k: index):
    %number = arith.index_cast %k : index to i32
    tensor.yield %number : i32
  } : tensor<2x2x?xi32>
  return %r : tensor<2x2x?xi32>
}

//--- empty-constant.mlir
// A constant without elements.
func.func @f() -> tensor<33x0xf32> {
  %k = arith.constant dense<> : tensor<33x0xf32>
  %e = tensor.empty() : tensor<33x0xf32>
  %r = linalg.square ins(%k : tensor<33x0xf32>) outs(%e : tensor<33x0xf32>) -> tensor<33x0xf32>
  return %r : tensor<33x0xf32>
}

//--- few-columns.mlir
// Many rows of fewer columns than lanes: the whole sum is no register tile.
func.func @f(%x: tensor<32768x3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<32768x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
  return %r : tensor<3xf32>
}

//--- nothing-merged.mlir
// A part of a tensor that has no elements, in one dim.
func.func @f(%x: tensor<1x3x5xi8>) -> tensor<0xi8> {
  %s = tensor.extract_slice %x[0, 1, 2] [1, 0, 0] [1, 1, 1] : tensor<1x3x5xi8> to tensor<1x0x0xi8>
  %r = tensor.collapse_shape %s [[0, 1, 2]] : tensor<1x0x0xi8> into tensor<0xi8>
  return %r : tensor<0xi8>
}

//--- product-without-sign.mlir
// The factors are read as bytes without sign, as those from 128 on show.
func.func @f(%x: tensor<7x65xi8>, %y: tensor<65x9xi8>, %out: tensor<7x9xi32>) -> tensor<7x9xi32> {
  %five = arith.constant dense<5> : tensor<7x65xi8>
  %a = arith.subi %x, %five : tensor<7x65xi8>
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %y : tensor<7x65xi8>, tensor<65x9xi8>)
      outs(%out : tensor<7x9xi32>) -> tensor<7x9xi32>
  return %r : tensor<7x9xi32>
}
