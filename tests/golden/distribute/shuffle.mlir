// Products become left factors of tf32, whose lanes hold other columns: by shuffles, not through shared memory. The lanes
// of one column want two different registers of those they take from, so each of the two is offered and one kept.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=distribute,registers,simplify | FileCheck %s
// CHECK-LABEL: func.func @f
// CHECK-NOT: workgroup
// CHECK-NOT: gpu.barrier
// CHECK: %[[EVEN:.*]]:2 = gpu.shuffle idx %{{.*}}, %[[LANE:.*]], %{{.*}} : f32
// CHECK: %[[ODD:.*]]:2 = gpu.shuffle idx %{{.*}}, %[[LANE]], %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %[[ODD]]#0, %[[EVEN]]#0 : f32
// CHECK-COUNT-6: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: workgroup
func.func @f(%x: memref<16x8xf32>, %y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[L8@4 R2@2, R2@1 L4@1]"]} : memref<16x8xf32>, vector<16x8xf32>
    %w = vector_ext.to_layout %v {layout = "[L8@4 R2@1, L4@1 R2@2]", conversion = "lane shuffle", tec.layouts = ["[L8@4 R2@1, L4@1 R2@2]"]} : vector<16x8xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  } {tec.threads = 32 : i64}
  return
}
