// Panels of a constant that one product alone reads are another constant, in the order in which its tiles read them: here
// of two tiles with 16 columns, the last one's filled up with zeros, whichever way the constant lies.
// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s
memref.global "private" constant @weights : memref<3x20xf32> = dense<"0x000000000000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000c8420000ca420000cc420000ce420000d0420000d2420000d4420000d6420000d8420000da420000dc420000de420000e0420000e2420000e4420000e6420000e8420000ea420000ec420000ee42000048430000494300004a4300004b4300004c4300004d4300004e4300004f430000504300005143000052430000534300005443000055430000564300005743000058430000594300005a4300005b43">
memref.global "private" constant @turned : memref<20x3xf32> = dense<"0x000000000000c842000048430000803f0000ca4200004943000000400000cc4200004a43000040400000ce4200004b43000080400000d04200004c430000a0400000d24200004d430000c0400000d44200004e430000e0400000d64200004f43000000410000d84200005043000010410000da4200005143000020410000dc4200005243000030410000de4200005343000040410000e04200005443000050410000e24200005543000060410000e44200005643000070410000e64200005743000080410000e84200005843000088410000ea4200005943000090410000ec4200005a43000098410000ee4200005b43">

// CHECK: memref.global "private" constant @[[PANELS:tec_constant_[0-9]+]] : memref<2x3x16xf32>
// CHECK-SAME: dense<{{\[\[\[}}0.000000e+00, 1.000000e+00, {{.*}} 1.500000e+01], [1.000000e+02, {{.*}} 2.150000e+02]], {{\[\[}}1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 0.000000e+00,
// CHECK-LABEL: func.func @known(
// CHECK-NOT: memref.alloca
// CHECK: %[[ALL:.*]] = memref.get_global @[[PANELS]]
// CHECK: %[[VIEW:.*]] = memref.subview %[[ALL]][0, 0, 0] [2, 3, 16]
// CHECK: memref.subview %[[VIEW]][0, 0, 0] [1, 3, 16]
// CHECK: vector.transfer_read {{.*}}tec.near, tec.prefetch = array<i64: 0, 64, 0>
// CHECK: memref.subview %[[VIEW]][1, 0, 0] [1, 3, 16]
func.func @known(%x: memref<12x3xf32>, %y: memref<12x20xf32>) {
  %w = memref.get_global @weights : memref<3x20xf32>
  linalg.matmul ins(%x, %w : memref<12x3xf32>, memref<3x20xf32>) outs(%y : memref<12x20xf32>)
  return
}

// CHECK: memref.global "private" constant @{{tec_constant_[0-9]+}} : memref<2x3x16xf32>
// CHECK-SAME: dense<{{\[\[\[}}0.000000e+00, 1.000000e+00, {{.*}} 1.500000e+01], [1.000000e+02, {{.*}} 2.150000e+02]], {{\[\[}}1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 0.000000e+00,
// CHECK-LABEL: func.func @known_by_rows(
// CHECK-NOT: memref.alloca
func.func @known_by_rows(%x: memref<12x3xf32>, %y: memref<12x20xf32>) {
  %w = memref.get_global @turned : memref<20x3xf32>
  linalg_ext.batch_matmul ins(%x, %w : memref<12x3xf32>, memref<20x3xf32>) outs(%y : memref<12x20xf32>) layout = "nt"
  return
}

// What two products read stays as it is: the program would become larger.
memref.global "private" constant @shared : memref<20x3xf32> = dense<"0x000000000000c842000048430000803f0000ca4200004943000000400000cc4200004a43000040400000ce4200004b43000080400000d04200004c430000a0400000d24200004d430000c0400000d44200004e430000e0400000d64200004f43000000410000d84200005043000010410000da4200005143000020410000dc4200005243000030410000de4200005343000040410000e04200005443000050410000e24200005543000060410000e44200005643000070410000e64200005743000080410000e84200005843000088410000ea4200005943000090410000ec4200005a43000098410000ee4200005b43">
// CHECK-LABEL: func.func @first(
// CHECK: memref.get_global @shared
func.func @first(%x: memref<12x3xf32>, %y: memref<12x20xf32>) {
  %w = memref.get_global @shared : memref<20x3xf32>
  linalg_ext.batch_matmul ins(%x, %w : memref<12x3xf32>, memref<20x3xf32>) outs(%y : memref<12x20xf32>) layout = "nt"
  return
}
// CHECK-LABEL: func.func @second(
// CHECK: memref.get_global @shared
func.func @second(%x: memref<12x3xf32>, %y: memref<12x20xf32>) {
  %w = memref.get_global @shared : memref<20x3xf32>
  linalg_ext.batch_matmul ins(%x, %w : memref<12x3xf32>, memref<20x3xf32>) outs(%y : memref<12x20xf32>) layout = "nt"
  return
}

// One row reads it in place.
memref.global "private" constant @streamed : memref<3x20xf32> = dense<"0x000000000000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000c8420000ca420000cc420000ce420000d0420000d2420000d4420000d6420000d8420000da420000dc420000de420000e0420000e2420000e4420000e6420000e8420000ea420000ec420000ee42000048430000494300004a4300004b4300004c4300004d4300004e4300004f430000504300005143000052430000534300005443000055430000564300005743000058430000594300005a4300005b43">
// CHECK-LABEL: func.func @one_row(
// CHECK: memref.get_global @streamed
func.func @one_row(%x: memref<1x3xf32>, %y: memref<1x20xf32>) {
  %w = memref.get_global @streamed : memref<3x20xf32>
  linalg.matmul ins(%x, %w : memref<1x3xf32>, memref<3x20xf32>) outs(%y : memref<1x20xf32>)
  return
}
