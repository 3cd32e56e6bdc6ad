// Reductions over the batches of a product go batch by batch: products of integers in blocks, each with scales of its
// own, and scores of heads that are added up. What is as wide as the columns lies along lanes.
// RUN: tcc-attn compile %s --target=host:znver4 --dump=schedule --cores=1 --emit=mlir -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --dump=move-factors --emit=mlir -o %t 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sh -c 'for f in scaled one_row floats few_queries unpacked wider quantised; do tcc-attn run %s --func=$f --random --check --verify --target=host:znver4 || exit 1; done'
// RUN: sh -c 'for f in scaled one_row floats few_queries unpacked wider quantised; do tcc-attn run %s --func=$f --random=2 --check --target=host:x86-64 || exit 1; done'
// RUN: sh -c 'for f in scaled one_row floats few_queries unpacked wider quantised; do tcc-attn run %s --func=$f --random=3 --check --target=host:znver3 --threads=2 || exit 1; done'

#x = affine_map<(m, n, b, j) -> (m, b, j)>
#w = affine_map<(m, n, b, j) -> (n, b, j)>
#p = affine_map<(m, n, b, j) -> (m, n, b)>
#p3 = affine_map<(m, n, b) -> (m, n, b)>
#d = affine_map<(m, n, b) -> (n, b)>
#s = affine_map<(m, n, b) -> (m, b)>
#y = affine_map<(m, n, b) -> (m, n)>
#all = affine_map<(n, b, j) -> (n, b, j)>
#row = affine_map<(n, b, j) -> (n, b)>

// The scales of columns are turned before the loop, and the sums lie apart from the result.
// CHECK-LABEL: func.func @scaled(
// CHECK: scf.forall
// CHECK: tensor.extract_slice %{{.*}} : tensor<40x6xf32>
// CHECK: linalg.generic
// CHECK: -> tensor<6x[[N:[0-9]+|\?]]xf32>
// CHECK: scf.for %{{.*}} step %c1
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.addi
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: tensor.parallel_insert_slice %[[COPY]] into
// CHECK: return
func.func @scaled(%x: tensor<20x6x32xi8>, %s: tensor<20x6xf32>, %w: tensor<40x6x32xi8>, %d: tensor<40x6xf32>) -> tensor<20x40xf32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<20x40x6xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<20x40x6xi32>) -> tensor<20x40x6xi32>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<20x6x32xi8>, tensor<40x6x32xi8>) outs(%i : tensor<20x40x6xi32>) {
  ^bb0(%a: i8, %b: i8, %out: i32):
    %wa = arith.extsi %a : i8 to i32
    %wb = arith.extsi %b : i8 to i32
    %0 = arith.muli %wa, %wb : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<20x40x6xi32>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<20x40xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<20x40xf32>) -> tensor<20x40xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<20x40x6xi32>, tensor<40x6xf32>, tensor<20x6xf32>) outs(%iy : tensor<20x40xf32>) {
  ^bb0(%a: i32, %b: f32, %c: f32, %out: f32):
    %f = arith.sitofp %a : i32 to f32
    %0 = arith.mulf %f, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<20x40xf32>
  return %y : tensor<20x40xf32>
}

// One row of bytes is enough, as columns are lanes; its sums have 32 bits, too.
// CHECK-LABEL: func.func @one_row(
// CHECK: scf.forall {{.*}} 16) shared_outs
// CHECK: scf.for
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i32):
// CHECK: return
func.func @one_row(%x: tensor<1x5x8xi8>, %s: tensor<1x5xf32>, %w: tensor<48x5x8xi8>, %d: tensor<48x5xf32>) -> tensor<1x48xf32> {
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<1x48x5xi64>
  %i = linalg.fill ins(%z : i64) outs(%e : tensor<1x48x5xi64>) -> tensor<1x48x5xi64>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x5x8xi8>, tensor<48x5x8xi8>) outs(%i : tensor<1x48x5xi64>) {
  ^bb0(%a: i8, %b: i8, %out: i64):
    %wa = arith.extsi %a : i8 to i64
    %wb = arith.extsi %b : i8 to i64
    %0 = arith.muli %wa, %wb : i64
    %1 = arith.addi %out, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<1x48x5xi64>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<1x48xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<1x48xf32>) -> tensor<1x48xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<1x48x5xi64>, tensor<48x5xf32>, tensor<1x5xf32>) outs(%iy : tensor<1x48xf32>) {
  ^bb0(%a: i64, %b: f32, %c: f32, %out: f32):
    %f = arith.sitofp %a : i64 to f32
    %0 = arith.mulf %f, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x48xf32>
  return %y : tensor<1x48xf32>
}

// What is made of each head's scores is added up.
// CHECK-LABEL: func.func @floats(
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: return
func.func @floats(%x: tensor<18x3x24xf32>, %s: tensor<18x3xf32>, %w: tensor<33x3x24xf32>, %d: tensor<33x3xf32>) -> tensor<18x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<18x33x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<18x33x3xf32>) -> tensor<18x33x3xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<18x3x24xf32>, tensor<33x3x24xf32>) outs(%i : tensor<18x33x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<18x33x3xf32>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<18x33xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<18x33xf32>) -> tensor<18x33xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<18x33x3xf32>, tensor<33x3xf32>, tensor<18x3xf32>) outs(%iy : tensor<18x33xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %m = arith.maximumf %a, %zf : f32
    %0 = arith.mulf %m, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<18x33xf32>
  return %y : tensor<18x33xf32>
}

// Few rows of floats read whole ones.
// CHECK-LABEL: func.func @few_queries(
// CHECK-NOT: scf.for %
// CHECK: return
func.func @few_queries(%x: tensor<4x3x24xf32>, %s: tensor<4x3xf32>, %w: tensor<33x3x24xf32>, %d: tensor<33x3xf32>) -> tensor<4x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x33x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x33x3xf32>) -> tensor<4x33x3xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3x24xf32>, tensor<33x3x24xf32>) outs(%i : tensor<4x33x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x33x3xf32>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<4x33xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<4x33xf32>) -> tensor<4x33xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<4x33x3xf32>, tensor<33x3xf32>, tensor<4x3xf32>) outs(%iy : tensor<4x33xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %m = arith.maximumf %a, %zf : f32
    %0 = arith.mulf %m, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x33xf32>
  return %y : tensor<4x33xf32>
}

// Weights that are unpacked in 32 bits are bytes, and sums of 64 bits have no more than 32.
// BYTES-LABEL: func.func @unpacked(
// BYTES: arith.trunci %{{.*}} : i32 to i8
// BYTES: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i32):
// BYTES: arith.muli
// BYTES: return
func.func @unpacked(%x: tensor<3x4x32xi8>, %s: tensor<3x4xf32>, %w: tensor<20x4x32xi8>, %d: tensor<20x4xf32>) -> tensor<3x20xf32> {
  %c4 = arith.constant 4 : i32
  %c15 = arith.constant 15 : i32
  %off = arith.constant 8 : i32
  %eu = tensor.empty() : tensor<20x4x32xi32>
  %u = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<20x4x32xi8>) outs(%eu : tensor<20x4x32xi32>) {
  ^bb0(%a: i8, %out: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.shrui %0, %c4 : i32
    %2 = arith.andi %1, %c15 : i32
    %3 = arith.subi %2, %off : i32
    linalg.yield %3 : i32
  } -> tensor<20x4x32xi32>
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3x20x4xi64>
  %i = linalg.fill ins(%z : i64) outs(%e : tensor<3x20x4xi64>) -> tensor<3x20x4xi64>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %u : tensor<3x4x32xi8>, tensor<20x4x32xi32>) outs(%i : tensor<3x20x4xi64>) {
  ^bb0(%a: i8, %b: i32, %out: i64):
    %wa = arith.extsi %a : i8 to i64
    %wb = arith.extsi %b : i32 to i64
    %0 = arith.muli %wa, %wb : i64
    %1 = arith.addi %out, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x20x4xi64>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<3x20xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<3x20xf32>) -> tensor<3x20xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<3x20x4xi64>, tensor<20x4xf32>, tensor<3x4xf32>) outs(%iy : tensor<3x20xf32>) {
  ^bb0(%a: i64, %b: f32, %c: f32, %out: f32):
    %f = arith.sitofp %a : i64 to f32
    %0 = arith.mulf %f, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x20xf32>
  return %y : tensor<3x20xf32>
}

// 15 - 144 is no byte.
// BYTES-LABEL: func.func @wider(
// BYTES-NOT: arith.trunci
// BYTES: return
func.func @wider(%x: tensor<3x4x32xi8>, %s: tensor<3x4xf32>, %w: tensor<20x4x32xi8>, %d: tensor<20x4xf32>) -> tensor<3x20xf32> {
  %c4 = arith.constant 4 : i32
  %c15 = arith.constant 15 : i32
  %off = arith.constant 144 : i32
  %eu = tensor.empty() : tensor<20x4x32xi32>
  %u = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<20x4x32xi8>) outs(%eu : tensor<20x4x32xi32>) {
  ^bb0(%a: i8, %out: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.shrui %0, %c4 : i32
    %2 = arith.andi %1, %c15 : i32
    %3 = arith.subi %2, %off : i32
    linalg.yield %3 : i32
  } -> tensor<20x4x32xi32>
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x20x4xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<3x20x4xi32>) -> tensor<3x20x4xi32>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %u : tensor<3x4x32xi8>, tensor<20x4x32xi32>) outs(%i : tensor<3x20x4xi32>) {
  ^bb0(%a: i8, %b: i32, %out: i32):
    %wa = arith.extsi %a : i8 to i32
    %0 = arith.muli %wa, %b : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<3x20x4xi32>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<3x20xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<3x20xf32>) -> tensor<3x20xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<3x20x4xi32>, tensor<20x4xf32>, tensor<3x4xf32>) outs(%iy : tensor<3x20xf32>) {
  ^bb0(%a: i32, %b: f32, %c: f32, %out: f32):
    %f = arith.sitofp %a : i32 to f32
    %0 = arith.mulf %f, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x20xf32>
  return %y : tensor<3x20xf32>
}

// What quantises rows is done once, not in each tile of columns.
// CHECK-LABEL: func.func @quantised(
// CHECK: scf.forall
// CHECK: arith.fptosi
// CHECK: scf.forall
// CHECK-NOT: arith.fptosi
// CHECK: scf.for %
// CHECK: return
func.func @quantised(%x: tensor<20x4x32xf32>, %s: tensor<20x4xf32>, %w: tensor<160x4x32xi8>, %d: tensor<160x4xf32>) -> tensor<20x160xf32> {
  %tiny = arith.constant 1.0e-6 : f32
  %c127 = arith.constant 127.0 : f32
  %es = tensor.empty() : tensor<20x4xf32>
  %is = linalg.fill ins(%tiny : f32) outs(%es : tensor<20x4xf32>) -> tensor<20x4xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<20x4x32xf32>) outs(%is : tensor<20x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    %1 = arith.maximumf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x4xf32>
  %eq = tensor.empty() : tensor<20x4x32xi8>
  %q = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %most : tensor<20x4x32xf32>, tensor<20x4xf32>) outs(%eq : tensor<20x4x32xi8>) {
  ^bb0(%a: f32, %b: f32, %out: i8):
    %0 = arith.divf %a, %b : f32
    %1 = arith.mulf %0, %c127 : f32
    %2 = math.trunc %1 : f32
    %3 = arith.fptosi %2 : f32 to i8
    linalg.yield %3 : i8
  } -> tensor<20x4x32xi8>
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<20x160x4xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<20x160x4xi32>) -> tensor<20x160x4xi32>
  %p = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %w : tensor<20x4x32xi8>, tensor<160x4x32xi8>) outs(%i : tensor<20x160x4xi32>) {
  ^bb0(%a: i8, %b: i8, %out: i32):
    %wa = arith.extsi %a : i8 to i32
    %wb = arith.extsi %b : i8 to i32
    %0 = arith.muli %wa, %wb : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<20x160x4xi32>
  %zf = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<20x160xf32>
  %iy = linalg.fill ins(%zf : f32) outs(%ey : tensor<20x160xf32>) -> tensor<20x160xf32>
  %y = linalg.generic {indexing_maps = [#p3, #d, #s, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %d, %s : tensor<20x160x4xi32>, tensor<160x4xf32>, tensor<20x4xf32>) outs(%iy : tensor<20x160xf32>) {
  ^bb0(%a: i32, %b: f32, %c: f32, %out: f32):
    %f = arith.sitofp %a : i32 to f32
    %0 = arith.mulf %f, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<20x160xf32>
  return %y : tensor<20x160xf32>
}
