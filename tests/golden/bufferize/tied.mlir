// A step of decoding: rows are put into two caches that the caller hands in, and attention reads them there.
// RUN: tcc-attn opt %s --passes=shapes,tie-results | FileCheck %s --check-prefix=TIED
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm --dump=bufferize -o %t 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --func=step --random --check | FileCheck %s --check-prefix=STEP
// RUN: tcc-attn run %s --func=step --random --check --device=ptx-emu | FileCheck %s --check-prefix=STEP
// RUN: tcc-attn opt %s --passes=shapes,tie-results -o %t.mlir && tcc-attn run %t.mlir --func=step --random --check | FileCheck %s --check-prefix=STEP

// TIED: func.func @step(%{{.*}}: tensor<2x3x16xf32>, {{.*}}, %[[K:.*]]: tensor<2x40x16xf32>, %[[V:.*]]: tensor<2x40x16xf32>) -> (tensor<2x3x16xf32>, tensor<2x40x16xf32>, tensor<2x40x16xf32>) attributes {{{.*}}tec.tied = array<i64: 3, 4>}
// TIED: %[[KEYS:.*]] = tensor.insert_slice %{{.*}} into %[[K]]
// TIED: %[[VALUES:.*]] = tensor.insert_slice %{{.*}} into %[[V]]
// TIED: return %{{.*}}, %[[KEYS]], %[[VALUES]]

// CHECK: func.func @step({{.*}}, %[[K:.*]]: memref<2x40x16xf32>, %[[V:.*]]: memref<2x40x16xf32>, %{{[a-z0-9]*}}: memref<2x3x16xf32>)
// CHECK-NOT: memref.alloc(
// CHECK: %[[KEYS:.*]] = memref.subview %[[K]][0, 37, 0] [2, 3, 16]
// CHECK: memref.copy %{{.*}}, %[[KEYS]]
// CHECK: %[[VALUES:.*]] = memref.subview %[[V]][0, 37, 0] [2, 3, 16]
// CHECK: memref.copy %{{.*}}, %[[VALUES]]
// CHECK: scf.forall
// CHECK: memref.subview %[[K]]
// CHECK: memref.subview %[[V]]
// CHECK-NOT: memref.copy %[[K]]
// CHECK-NOT: memref.copy %[[V]]

// STEP: check: result 0: {{.*}}: good
// STEP: check: argument 3: {{.*}}: good
// STEP: check: argument 4: {{.*}}: good
func.func @step(%q: tensor<2x3x16xf32>, %kn: tensor<2x3x16xf32>, %vn: tensor<2x3x16xf32>, %km: memref<2x40x16xf32>, %vm: memref<2x40x16xf32>) -> tensor<2x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %pos = arith.constant 37 : index
  %kc = bufferization.to_tensor %km restrict writable : memref<2x40x16xf32> to tensor<2x40x16xf32>
  %vc = bufferization.to_tensor %vm restrict writable : memref<2x40x16xf32> to tensor<2x40x16xf32>
  %k = tensor.insert_slice %kn into %kc[0, %pos, 0] [2, 3, 16] [1, 1, 1] : tensor<2x3x16xf32> into tensor<2x40x16xf32>
  %v = tensor.insert_slice %vn into %vc[0, %pos, 0] [2, 3, 16] [1, 1, 1] : tensor<2x3x16xf32> into tensor<2x40x16xf32>
  %s = tensor.empty() : tensor<2x3x40xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
  %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>] ins(%q, %k : tensor<2x3x16xf32>, tensor<2x40x16xf32>) outs(%s0 : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
  %w = linalg.softmax dimension(2) ins(%scores : tensor<2x3x40xf32>) outs(%s : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
  %r = tensor.empty() : tensor<2x3x16xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x3x16xf32>) -> tensor<2x3x16xf32>
  %result = linalg.batch_matmul ins(%w, %v : tensor<2x3x40xf32>, tensor<2x40x16xf32>) outs(%r0 : tensor<2x3x16xf32>) -> tensor<2x3x16xf32>
  bufferization.materialize_in_destination %k in restrict writable %km : (tensor<2x40x16xf32>, memref<2x40x16xf32>) -> ()
  bufferization.materialize_in_destination %v in restrict writable %vm : (tensor<2x40x16xf32>, memref<2x40x16xf32>) -> ()
  return %result : tensor<2x3x16xf32>
}

// What is written is a result as well: a copy of it, and no other.
// CHECK-LABEL: func.func @shows(
// CHECK-NOT: memref.alloc(
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<4xf32{{.*}} to memref<4xf32
// CHECK: memref.copy %arg0, %arg2 :
// CHECK-NOT: memref.copy
func.func @shows(%m: memref<8x4xf32>, %row: tensor<4xf32>) -> tensor<8x4xf32> {
  %before = bufferization.to_tensor %m restrict writable : memref<8x4xf32> to tensor<8x4xf32>
  %after = tensor.insert_slice %row into %before[3, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  bufferization.materialize_in_destination %after in restrict writable %m : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
  return %after : tensor<8x4xf32>
}
