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

// One row reads them as well, but not where it would widen what it reads.
memref.global "private" constant @streamed : memref<3x20xf32> = dense<"0x000000000000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000c8420000ca420000cc420000ce420000d0420000d2420000d4420000d6420000d8420000da420000dc420000de420000e0420000e2420000e4420000e6420000e8420000ea420000ec420000ee42000048430000494300004a4300004b4300004c4300004d4300004e4300004f430000504300005143000052430000534300005443000055430000564300005743000058430000594300005a4300005b43">
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: memref.get_global @streamed
func.func @one_row(%x: memref<1x3xf32>, %y: memref<1x20xf32>) {
  %w = memref.get_global @streamed : memref<3x20xf32>
  linalg.matmul ins(%x, %w : memref<1x3xf32>, memref<3x20xf32>) outs(%y : memref<1x20xf32>)
  return
}
memref.global "private" constant @narrow : memref<3x20xf16> = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0], [64.0, 65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 71.0, 72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0, 80.0, 81.0, 82.0, 83.0]]>
// CHECK-LABEL: func.func @one_row_of_f16(
// CHECK: memref.get_global @narrow
func.func @one_row_of_f16(%x: memref<1x3xf16>, %y: memref<1x20xf32>) {
  %w = memref.get_global @narrow : memref<3x20xf16>
  linalg.matmul ins(%x, %w : memref<1x3xf16>, memref<3x20xf16>) outs(%y : memref<1x20xf32>)
  return
}
memref.global "private" constant @narrow_for_more : memref<3x20xf16> = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0], [64.0, 65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 71.0, 72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0, 80.0, 81.0, 82.0, 83.0]]>
// CHECK-LABEL: func.func @rows_of_f16(
// CHECK: %[[ALL:.*]] = memref.get_global @{{tec_constant_[0-9]+}} : memref<2x3x16xf16>
// CHECK: vector.transfer_read {{.*}} vector<1x16xf16>
// CHECK: arith.extf %{{.*}} : vector<1x16xf16> to vector<1x16xf32>
func.func @rows_of_f16(%x: memref<4x3xf16>, %y: memref<4x20xf32>) {
  %w = memref.get_global @narrow_for_more : memref<3x20xf16>
  linalg.matmul ins(%x, %w : memref<4x3xf16>, memref<3x20xf16>) outs(%y : memref<4x20xf32>)
  return
}
