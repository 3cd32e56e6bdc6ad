// Loops and vectors as a program writes them, not as passes make them: an scf.forall in another, steps that callers
// give, none below 1, and transfers under masks.
// RUN: tcc-attn run %s --func=nested --random --check | FileCheck %s
// RUN: tcc-attn run %s --func=steps --random --check | FileCheck %s
// RUN: tcc-attn run %s --func=masked --random --check | FileCheck %s
// CHECK-COUNT-1: good
// CHECK-NOT: bad

func.func @nested(%a: memref<6x10xf32>, %b: memref<10x6xf32>) {
  scf.forall (%i) in (6) {
    scf.forall (%j, %k) in (5, 2) {
      %column = affine.apply affine_map<(j, k) -> (2 * j + k)>(%j, %k)
      %x = memref.load %a[%i, %column] : memref<6x10xf32>
      memref.store %x, %b[%column, %i] : memref<10x6xf32>
    }
  }
  return
}

func.func @steps(%a: memref<20xf32>, %n: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i32
  %c20 = arith.constant 20 : index
  %number = tensor.extract %n[] : tensor<i32>
  %positive = arith.minsi %number, %c3 : i32
  %step = arith.index_cast %positive : i32 to index
  %one = arith.constant 1 : index
  %by = arith.maxsi %step, %one : index
  scf.for %i = %c0 to %c20 step %by {
    %x = memref.load %a[%i] : memref<20xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %a[%i] : memref<20xf32>
  }
  return
}

func.func @masked(%a: memref<4x6xf32>, %b: memref<4x6xf32>, %c: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %low = arith.constant -1.0 : f32
  %mask = vector.create_mask %c2, %c5 : vector<4x6xi1>
  %x = vector.transfer_read %a[%c0, %c0], %low, %mask {in_bounds = [true, true]} : memref<4x6xf32>, vector<4x6xf32>
  vector.transfer_write %x, %b[%c0, %c0] {in_bounds = [true, true]} : vector<4x6xf32>, memref<4x6xf32>
  %turned = vector.create_mask %c5, %c2 : vector<6x4xi1>
  vector.transfer_write %x, %c[%c0, %c0], %turned {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : vector<4x6xf32>, memref<6x4xf32>
  return
}
