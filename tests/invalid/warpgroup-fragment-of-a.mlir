// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<2x64x64xf16, #gpu.address_space<workgroup>>, %r: vector<16x2xf16>, %c: vector<16x2xf32>) {
// CHECK: warpgroup-fragment-of-a.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op A must have rows of 2 elements and 1/32 of the 512 elements in all, not vector<16x2xf16>{{$}}
  %d = vector_ext.warpgroup_mma %r, %b[%i, %i, %i], %c {boxRows = [0, 64], mmaShape = [64, 64, 32]} : vector<16x2xf16>, memref<2x64x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  return
}
