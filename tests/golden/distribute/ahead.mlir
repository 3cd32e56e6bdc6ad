// Copies to memory that was read before need a barrier between; but not those of which it is known that the latest barrier
// stood behind all reads (tec.ahead): they write another stage than the one that is read. What has arrived needs one in any
// case. On chips with warpgroups, in kernels without their products, barriers have no fence.
// RUN: tcc-attn opt %s --target=nvptx:sm_90a --verify --passes=distribute,registers,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=distribute,registers,simplify | FileCheck %s

// CHECK-LABEL: func.func @ahead(
// CHECK: scf.for
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier{{$}}
// CHECK: vector.load {{.*}}workgroup
// CHECK-NOT: gpu.barrier
// CHECK: nvgpu.device_async_copy {{.*}}tec.ahead
// CHECK-NOT: gpu.barrier
func.func @ahead(%x: memref<256x64xf16>, %y: memref<32x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f16
  scf.forall (%i) in (1) {
    %place = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<2x32x64xf16, #gpu.address_space<workgroup>>
    %none = arith.constant {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} dense<0.0> : vector<32x64xf16>
    %first = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
    %sum:2 = scf.for %k = %c0 to %c256 step %c32 iter_args(%s = %none, %stage = %c0) -> (vector<32x64xf16>, index) {
      nvgpu.device_async_wait %first {numGroups = 0 : i32}
      %v = vector.transfer_read %place[%stage, %c0, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : memref<2x32x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
      %other = arith.subi %c1, %stage : index
      %w = vector.transfer_read %x[%k, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : memref<256x64xf16>, vector<32x64xf16>
      vector.transfer_write %w, %place[%other, %c0, %c0] {in_bounds = [true, true], tec.ahead, tec.async} : vector<32x64xf16>, memref<2x32x64xf16, #gpu.address_space<workgroup>>
      %group = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
      %t = arith.addf %s, %v {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : vector<32x64xf16>
      scf.yield %t, %other : vector<32x64xf16>, index
    } {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]", ""]}
    vector.transfer_write %sum#0, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<32x64xf16>
  } {tec.threads = 128 : i64}
  return
}

// CHECK-LABEL: func.func @between(
// CHECK: scf.for
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier{{$}}
// CHECK: vector.load {{.*}}workgroup
// CHECK: gpu.barrier{{$}}
// CHECK: nvgpu.device_async_copy
// CHECK-NOT: gpu.barrier
func.func @between(%x: memref<256x64xf16>, %y: memref<32x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f16
  scf.forall (%i) in (1) {
    %place = memref.alloca() {tec.swizzle = array<i64: 0, 7>} : memref<2x32x64xf16, #gpu.address_space<workgroup>>
    %none = arith.constant {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} dense<0.0> : vector<32x64xf16>
    %first = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
    %sum:2 = scf.for %k = %c0 to %c256 step %c32 iter_args(%s = %none, %stage = %c0) -> (vector<32x64xf16>, index) {
      nvgpu.device_async_wait %first {numGroups = 0 : i32}
      %v = vector.transfer_read %place[%stage, %c0, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : memref<2x32x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
      %other = arith.subi %c1, %stage : index
      %w = vector.transfer_read %x[%k, %c0], %zero {in_bounds = [true, true], tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : memref<256x64xf16>, vector<32x64xf16>
      vector.transfer_write %w, %place[%other, %c0, %c0] {in_bounds = [true, true], tec.async} : vector<32x64xf16>, memref<2x32x64xf16, #gpu.address_space<workgroup>>
      %group = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
      %t = arith.addf %s, %v {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]"]} : vector<32x64xf16>
      scf.yield %t, %other : vector<32x64xf16>, index
    } {tec.layouts = ["[L4@8 W4@1 R2@8, R8@1 L8@1]", ""]}
    vector.transfer_write %sum#0, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<32x64xf16>
  } {tec.threads = 128 : i64}
  return
}
