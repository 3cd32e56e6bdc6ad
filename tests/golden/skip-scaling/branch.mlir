// What a loop carries is scaled in a branch, which a warp takes when an exponent of one of its lanes is not 0.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=skip-scaling | FileCheck %s
// RUN: tcc-attn opt %s --target=spirv:pvc --verify --passes=skip-scaling | FileCheck %s --check-prefix=KEPT

// Eight values by one factor: the branch comes right behind the maximum.
// CHECK-LABEL: func.func @carried
// CHECK: %[[LOOP:.*]]:9 = scf.for {{.*}} iter_args(%[[MAX:[^ ]*]] = %{{[^ ]*}}, %[[A:[^ ]*]] = {{.*}}, %[[H:[^ ]*]] = %{{[^,]*}}) ->
// CHECK: %[[NEW:.*]] = arith.maximumf %[[MAX]],
// CHECK-NEXT: %[[RISE:.*]] = arith.subf %[[MAX]], %[[NEW]]
// CHECK: %[[MOVED:.*]] = arith.cmpf une, %[[RISE]], %{{.*}} : f32
// CHECK-NEXT: %[[ANY:.*]] = gpu.subgroup_reduce or %[[MOVED]] : (i1) -> i1
// CHECK-NEXT: %[[STATE:.*]]:8 = scf.if %[[ANY]]
// CHECK-NEXT: %[[FACTOR:.*]] = math.exp %[[RISE]] fastmath<afn>
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[A]], %[[FACTOR]]
// CHECK: %[[LAST:.*]] = arith.mulf %[[FACTOR]], %[[H]]
// CHECK-NEXT: scf.yield %[[SCALED]], {{.*}}, %[[LAST]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[A]], {{.*}}, %[[H]]
// CHECK: arith.subf %{{.*}}, %[[NEW]]
// CHECK: math.exp
// CHECK: arith.addf %[[STATE]]#0
// CHECK-NOT: arith.mulf
// CHECK: return
// KEPT-LABEL: func.func @carried
// KEPT-NOT: scf.if
// KEPT: return
func.func @carried(%scores: memref<8xf32>, %start: f32, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:9 = scf.for %i = %c0 to %c8 step %c1
      iter_args(%max = %start, %a = %zero, %b = %zero, %c = %zero, %d = %zero, %e = %zero, %f = %zero, %g = %zero, %h = %zero)
      -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
    %x = memref.load %scores[%i] : memref<8xf32>
    %new = arith.maximumf %max, %x : f32
    %below = arith.subf %x, %new : f32
    %weight = math.exp %below fastmath<afn> : f32
    %rise = arith.subf %max, %new : f32
    %factor = math.exp %rise fastmath<afn> : f32
    %a1 = arith.mulf %a, %factor : f32
    %b1 = arith.mulf %b, %factor : f32
    %c2 = arith.mulf %c, %factor : f32
    %d1 = arith.mulf %d, %factor : f32
    %e1 = arith.mulf %e, %factor : f32
    %f1 = arith.mulf %f, %factor : f32
    %g1 = arith.mulf %g, %factor : f32
    %h1 = arith.mulf %factor, %h : f32
    %sum = arith.addf %a1, %weight : f32
    scf.yield %new, %sum, %b1, %c2, %d1, %e1, %f1, %g1, %h1 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %r#1 : f32
}

// A factor that others read is computed before the branch.
// CHECK-LABEL: func.func @read
// CHECK: %[[FACTOR:.*]] = math.exp
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.mulf
// CHECK: memref.store %[[FACTOR]]
func.func @read(%scores: memref<8xf32>, %start: f32, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:9 = scf.for %i = %c0 to %c8 step %c1
      iter_args(%max = %start, %a = %zero, %b = %zero, %c = %zero, %d = %zero, %e = %zero, %f = %zero, %g = %zero, %h = %zero)
      -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
    %x = memref.load %scores[%i] : memref<8xf32>
    %new = arith.maximumf %max, %x : f32
    %rise = arith.subf %max, %new : f32
    %factor = math.exp %rise : f32
    %a1 = arith.mulf %a, %factor : f32
    %b1 = arith.mulf %b, %factor : f32
    %c2 = arith.mulf %c, %factor : f32
    %d1 = arith.mulf %d, %factor : f32
    %e1 = arith.mulf %e, %factor : f32
    %f1 = arith.mulf %f, %factor : f32
    %g1 = arith.mulf %g, %factor : f32
    %h1 = arith.mulf %h, %factor : f32
    memref.store %factor, %scores[%i] : memref<8xf32>
    scf.yield %new, %a1, %b1, %c2, %d1, %e1, %f1, %g1, %h1 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %r#1 : f32
}

// One product is not worth a branch.
// CHECK-LABEL: func.func @single
// CHECK-NOT: scf.if
// CHECK: return
func.func @single(%scores: memref<8xf32>, %start: f32, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%max = %start, %a = %zero) -> (f32, f32) {
    %x = memref.load %scores[%i] : memref<8xf32>
    %new = arith.maximumf %max, %x : f32
    %rise = arith.subf %max, %new : f32
    %factor = math.exp %rise : f32
    %a1 = arith.mulf %a, %factor : f32
    scf.yield %new, %a1 : f32, f32
  }
  return %r#1 : f32
}
