// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<2x64x64xf16, #gpu.address_space<workgroup>>, %r: vector<16x2xf16>, %c: vector<16x2xf32>) {
// CHECK: warpgroup-result.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op gives what C is{{$}}
  %d = vector_ext.warpgroup_mma %a[%i, %i], %b[%i, %i, %i], %c {boxRows = [64, 64], mmaShape = [64, 64, 64]} : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<2x64x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<8x2xf32>
  return
}
