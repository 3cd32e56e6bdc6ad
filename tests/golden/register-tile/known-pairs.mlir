// Panels of a constant of bf16 have both terms of a pair side by side where the machine multiplies pairs, whichever way the
// constant lies; where it does not, or the number of terms is odd, elements as they are.
// RUN: tcc-attn opt %s --target=host:znver4 --passes=register-tile,simplify | FileCheck %s
// RUN: tcc-attn opt %s --target=host:x86-64-v3 --passes=register-tile,simplify | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: vector.interleave

// CHECK: memref.global "private" constant @[[PANELS:tec_constant_[0-9]+]] : memref<2x2x32xbf16>
// CHECK-SAME: dense<{{\[\[\[}}0.000000e+00, 6.400000e+01, 1.000000e+00, 6.500000e+01, {{.*}}, 7.900000e+01], [1.280000e+02, 1.920000e+02, 1.290000e+02,
// CHECK-SAME: {{\[\[}}1.600000e+01, 8.000000e+01, {{.*}}, 8.300000e+01, 0.000000e+00, 0.000000e+00,
// CHECK-LABEL: func.func @by_columns(
// CHECK-NOT: vector.interleave
// CHECK: %[[ALL:.*]] = memref.get_global @[[PANELS]]
// CHECK: vector.transfer_read {{.*}} vector<32xbf16>
// CHECK: vector.contract {{.*}} vector<4x2xbf16>, vector<16x2xbf16> into vector<4x16xf32>
memref.global "private" constant @columns : memref<4x20xbf16> = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0], [64.0, 65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 71.0, 72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0, 80.0, 81.0, 82.0, 83.0], [128.0, 129.0, 130.0, 131.0, 132.0, 133.0, 134.0, 135.0, 136.0, 137.0, 138.0, 139.0, 140.0, 141.0, 142.0, 143.0, 144.0, 145.0, 146.0, 147.0], [192.0, 193.0, 194.0, 195.0, 196.0, 197.0, 198.0, 199.0, 200.0, 201.0, 202.0, 203.0, 204.0, 205.0, 206.0, 207.0, 208.0, 209.0, 210.0, 211.0]]>
func.func @by_columns(%x: memref<4x4xbf16>, %y: memref<4x20xf32>) {
  %w = memref.get_global @columns : memref<4x20xbf16>
  linalg.matmul ins(%x, %w : memref<4x4xbf16>, memref<4x20xbf16>) outs(%y : memref<4x20xf32>)
  return
}

// CHECK: memref.global "private" constant @[[PANELS:tec_constant_[0-9]+]] : memref<2x2x32xbf16>
// CHECK-SAME: dense<{{\[\[\[}}0.000000e+00, 6.400000e+01, 1.000000e+00, 6.500000e+01, {{.*}}, 7.900000e+01], [1.280000e+02, 1.920000e+02, 1.290000e+02,
// CHECK-SAME: {{\[\[}}1.600000e+01, 8.000000e+01, {{.*}}, 8.300000e+01, 0.000000e+00, 0.000000e+00,
// CHECK-LABEL: func.func @by_rows(
// CHECK-NOT: vector.interleave
// CHECK: memref.get_global @[[PANELS]]
memref.global "private" constant @turned : memref<20x4xbf16> = dense<[[0.0, 64.0, 128.0, 192.0], [1.0, 65.0, 129.0, 193.0], [2.0, 66.0, 130.0, 194.0], [3.0, 67.0, 131.0, 195.0], [4.0, 68.0, 132.0, 196.0], [5.0, 69.0, 133.0, 197.0], [6.0, 70.0, 134.0, 198.0], [7.0, 71.0, 135.0, 199.0], [8.0, 72.0, 136.0, 200.0], [9.0, 73.0, 137.0, 201.0], [10.0, 74.0, 138.0, 202.0], [11.0, 75.0, 139.0, 203.0], [12.0, 76.0, 140.0, 204.0], [13.0, 77.0, 141.0, 205.0], [14.0, 78.0, 142.0, 206.0], [15.0, 79.0, 143.0, 207.0], [16.0, 80.0, 144.0, 208.0], [17.0, 81.0, 145.0, 209.0], [18.0, 82.0, 146.0, 210.0], [19.0, 83.0, 147.0, 211.0]]>
func.func @by_rows(%x: memref<1x4xbf16>, %y: memref<1x20xf32>) {
  %w = memref.get_global @turned : memref<20x4xbf16>
  linalg_ext.batch_matmul ins(%x, %w : memref<1x4xbf16>, memref<20x4xbf16>) outs(%y : memref<1x20xf32>) layout = "nt"
  return
}

// CHECK-LABEL: func.func @odd(
// CHECK: memref.get_global @{{tec_constant_[0-9]+}} : memref<1x3x16xbf16>
memref.global "private" constant @three : memref<3x16xbf16> = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0], [64.0, 65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 71.0, 72.0, 73.0, 74.0, 75.0, 76.0, 77.0, 78.0, 79.0]]>
func.func @odd(%x: memref<4x3xbf16>, %y: memref<4x16xf32>) {
  %w = memref.get_global @three : memref<3x16xbf16>
  linalg.matmul ins(%x, %w : memref<4x3xbf16>, memref<3x16xbf16>) outs(%y : memref<4x16xf32>)
  return
}
