// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<4x8xbf16>) {
// CHECK: vector-bitcast.mlir:[[@LINE+1]]:8: error: 'vector.bitcast' op cannot take the bits of vector<4x8xbf16> as vector<8x4xi32>{{$}}
  %0 = vector.bitcast %v : vector<4x8xbf16> to vector<8x4xi32>
  return
}
