// RUN: %reject opt %s | FileCheck %s
func.func @f(%i: index, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<2x64x64xf16, #gpu.address_space<workgroup>>, %r: vector<16x2xf16>, %c: vector<16x2xf32>) {
// CHECK: warpgroup-subscripts-of-registers.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'vector_ext.warpgroup_mma' op A has subscripts, but is in registers{{$}}
  %d = vector_ext.warpgroup_mma %r[%i], %b[%i, %i, %i], %c {boxRows = [0, 64], mmaShape = [64, 64, 64]} : vector<16x2xf16>, memref<2x64x64xf16, #gpu.address_space<workgroup>>, vector<16x2xf32> -> vector<16x2xf32>
  return
}
