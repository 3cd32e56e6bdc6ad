// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<8xf32>) {
// CHECK: strided-slice-stride.mlir:[[@LINE+1]]:8: error: 'vector.extract_strided_slice' op strides must be 1{{$}}
  %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [4], strides = [2]} : vector<8xf32> to vector<4xf32>
  return
}
