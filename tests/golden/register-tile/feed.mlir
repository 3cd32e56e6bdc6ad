// A reduction takes in what makes its input: exponentials are written, rounded and summed while they are in registers. It
// does not where others use the memory between, or where tiles of the two would get in each other's way. What is rounded in
// place, behind the sum, is stored once. What nobody reads before it is made anew is not stored at all.
// RUN: tcc-attn opt %s --passes=register-tile --target=host:x86-64-v3 --verify | FileCheck %s
// RUN: tcc-attn opt %s --passes=register-tile,simplify --target=host:x86-64-v3 | FileCheck %s --check-prefix=KEPT

#rows = affine_map<(r, c) -> (r)>
#all = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @weights(
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<1x32xf32>)
// CHECK: %[[E:.*]] = math.exp
// CHECK: vector.transfer_write %[[E]],
// CHECK: %[[NARROW:.*]] = arith.truncf %[[E]]
// CHECK: vector.transfer_write %[[NARROW]],
// CHECK: arith.addf %[[OLD]], %[[E]]
// CHECK: scf.yield
// CHECK: vector.multi_reduction <add>, %[[SUM]],
// CHECK-NOT: scf.for
// CHECK: return
func.func @weights(%m: memref<16xf32>) {
  %x = memref.alloca() : memref<16x64xf32>
  %narrow = memref.alloca() : memref<16x64xbf16>
  %sum = memref.alloca() : memref<16xf32>
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<16xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%max: f32, %old: f32):
    %d = arith.subf %old, %max : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x64xf32>) outs(%narrow : memref<16x64xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %t = arith.truncf %wide : f32 to bf16
    linalg.yield %t : bf16
  }
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%e: f32, %old: f32):
    %s = arith.addf %old, %e : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @in_place(
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<1x32xf32>)
// CHECK: %[[E:.*]] = math.exp
// CHECK-NOT: vector.transfer_write %[[E]],
// CHECK: %[[NARROW:.*]] = arith.truncf %[[E]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[NARROW]]
// CHECK: vector.transfer_write %[[WIDE]], %alloca[
// CHECK: arith.addf %[[OLD]], %[[E]]
// CHECK: scf.yield
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @in_place(%m: memref<16xf32>) {
  %x = memref.alloca() : memref<16x64xf32>
  %sum = memref.alloca() : memref<16xf32>
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<16xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%max: f32, %old: f32):
    %d = arith.subf %old, %max : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%e: f32, %old: f32):
    %s = arith.addf %old, %e : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x64xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%e: f32, %old: f32):
    %t = arith.truncf %e : f32 to bf16
    %w = arith.extf %t : bf16 to f32
    linalg.yield %w : f32
  }
  return
}

// Near miss: what is written in place takes the sum into account, which is not known before the end.
// CHECK-LABEL: func.func @needs_sum(
// CHECK: math.exp
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: return
func.func @needs_sum(%m: memref<16xf32>) {
  %x = memref.alloca() : memref<16x64xf32>
  %sum = memref.alloca() : memref<16xf32>
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<16xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%max: f32, %old: f32):
    %d = arith.subf %old, %max : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%e: f32, %old: f32):
    %s = arith.addf %old, %e : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<16x64xf32>, memref<16xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%e: f32, %s: f32, %old: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}

// What is summed up is what the exponentials are made from.
// CHECK-LABEL: func.func @in_each_others_way(
// CHECK: math.exp
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: return
func.func @in_each_others_way(%n: index) {
  %x = memref.alloca() : memref<16x64xf32>
  %sum = memref.alloca() : memref<16xf32>
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16xf32>) outs(%x : memref<16x64xf32>) {
  ^bb0(%max: f32, %old: f32):
    %d = arith.subf %old, %max : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%e: f32, %old: f32):
    %s = arith.addf %old, %e : f32
    linalg.yield %s : f32
  }
  return
}

// In each run of the loop, the memory is first written; behind the exponentials, only members of the group read it.
// KEPT-LABEL: func.func @kept(
// KEPT: %[[X:.*]] = memref.alloca() : memref<16x64xf32>
// KEPT: scf.for
// KEPT: vector.transfer_write %{{.*}}, %[[X]][
// KEPT: %[[E:.*]] = math.exp
// KEPT-NOT: vector.transfer_write %[[E]],
// KEPT: %[[NARROW:.*]] = arith.truncf %[[E]]
// KEPT: vector.transfer_write %[[NARROW]],
// KEPT-NOT: memref<16x64xf32>
// KEPT: return
func.func @kept(%a: memref<16x64xf32>, %rounded: memref<16x64xbf16>, %l: memref<16xf32>) {
  %x = memref.alloca() : memref<16x64xf32>
  %narrow = memref.alloca() : memref<16x64xbf16>
  %sum = memref.alloca() : memref<16xf32>
  %max = memref.alloca() : memref<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %a, %x : memref<16x64xf32> to memref<16x64xf32>
    linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<16x64xf32>) outs(%max : memref<16xf32>) {
    ^bb0(%score: f32, %old: f32):
      %most = arith.maximumf %old, %score : f32
      linalg.yield %most : f32
    }
    linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %max : memref<16x64xf32>, memref<16xf32>) outs(%x : memref<16x64xf32>) {
    ^bb0(%score: f32, %m: f32, %old: f32):
      %d = arith.subf %score, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<16x64xf32>) outs(%narrow : memref<16x64xbf16>) {
    ^bb0(%wide: f32, %old: bf16):
      %t = arith.truncf %wide : f32 to bf16
      linalg.yield %t : bf16
    }
    linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
    ^bb0(%e: f32, %old: f32):
      %s = arith.addf %old, %e : f32
      linalg.yield %s : f32
    }
  }
  memref.copy %narrow, %rounded : memref<16x64xbf16> to memref<16x64xbf16>
  memref.copy %sum, %l : memref<16xf32> to memref<16xf32>
  return
}

// A reader behind the sum needs what is stored.
// KEPT-LABEL: func.func @stored(
// KEPT: %[[E:.*]] = math.exp
// KEPT: vector.transfer_write %[[E]],
// KEPT: return
func.func @stored(%a: memref<16x64xf32>, %rounded: memref<16x64xbf16>, %l: memref<16xf32>,
      %out: memref<16x64xf32>) {
  %x = memref.alloca() : memref<16x64xf32>
  %narrow = memref.alloca() : memref<16x64xbf16>
  %sum = memref.alloca() : memref<16xf32>
  %max = memref.alloca() : memref<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %a, %x : memref<16x64xf32> to memref<16x64xf32>
    linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<16x64xf32>) outs(%max : memref<16xf32>) {
    ^bb0(%score: f32, %old: f32):
      %most = arith.maximumf %old, %score : f32
      linalg.yield %most : f32
    }
    linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %max : memref<16x64xf32>, memref<16xf32>) outs(%x : memref<16x64xf32>) {
    ^bb0(%score: f32, %m: f32, %old: f32):
      %d = arith.subf %score, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<16x64xf32>) outs(%narrow : memref<16x64xbf16>) {
    ^bb0(%wide: f32, %old: bf16):
      %t = arith.truncf %wide : f32 to bf16
      linalg.yield %t : bf16
    }
    linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
    ^bb0(%e: f32, %old: f32):
      %s = arith.addf %old, %e : f32
      linalg.yield %s : f32
    }
  }
  memref.copy %narrow, %rounded : memref<16x64xbf16> to memref<16x64xbf16>
  memref.copy %sum, %l : memref<16xf32> to memref<16xf32>
  memref.copy %x, %out : memref<16x64xf32> to memref<16x64xf32>
  return
}
