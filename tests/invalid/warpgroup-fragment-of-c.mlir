// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<2x64x64xf16, #gpu.address_space<workgroup>>, %r: vector<16x2xf16>, %c: vector<16x2xf32>) {
// CHECK: warpgroup-fragment-of-c.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op C must have rows of 2 elements and 1/32 of the 512 elements in all, not vector<16x2xf32>{{$}}
  %d = vector_ext.warpgroup_mma %a[%i, %i], %b[%i, %i, %i], %c {boxRows = [64, 64], mmaShape = [64, 32, 64]} : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<2x64x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  return
}
