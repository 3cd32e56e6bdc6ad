// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<2x64x64xf16, #gpu.address_space<workgroup>>, %r: vector<16x2xf16>, %c: vector<16x2xf32>) {
// CHECK: warpgroup-shape.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op 'mmaShape' must be [64, n, k] with n up to 256, a multiple of 8, and k a multiple of 16{{$}}
  %d = vector_ext.warpgroup_mma %a[%i, %i], %b[%i, %i, %i], %c {boxRows = [64, 64], mmaShape = [64, 264, 64]} : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<2x64x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  return
}
