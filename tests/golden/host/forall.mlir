// A parallel loop becomes a function that takes its iteration's number; a failed allocation goes to the one clean-up block;
// its name is no exported function's.
// RUN: tcc-attn compile %s --target=host:x86-64-v3 --emit=llvm -o - | FileCheck %s

// The indices that a body needs come from one number; what it uses from outside comes from a struct.
// CHECK: define private void @"forall:"(ptr {{.*}}, i64 %[[NUMBER:[0-9]+]]) unnamed_addr #[[WORKER:[0-9]+]]
// CHECK: udiv i64 %[[NUMBER]]
// CHECK: call void @llvm.masked.store.v8f32.p0(
// CHECK: store atomic i32 1, ptr %{{.*}} monotonic
// CHECK: define i32 @forall(
// CHECK: call void %{{.*}}(ptr %{{.*}}, i64 %{{.*}}, ptr nonnull @"forall:", ptr nonnull
// Registers that are spilled lie in whole lines of the cache.
// CHECK: attributes #[[WORKER]] = { {{.*}}alignstack=32
func.func @forall(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (1, 8) {
    %scratch = memref.alloc(%n) : memref<?xf32>
    %v = vector.transfer_read %x[%i, %j], %pad : memref<?x?xf32>, vector<8xf32>
    vector.transfer_write %v, %scratch[%c0] : vector<8xf32>, memref<?xf32>
    %w = vector.transfer_read %scratch[%c0], %pad : memref<?xf32>, vector<8xf32>
    vector.transfer_write %w, %y[%i, %j] : vector<8xf32>, memref<?x?xf32>
    memref.dealloc %scratch : memref<?xf32>
  }
  return
}
