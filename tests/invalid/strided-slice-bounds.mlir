// RUN: %reject opt %s | FileCheck %s
func.func @f(%v: vector<8xf32>) {
// CHECK: strided-slice-bounds.mlir:[[@LINE+1]]:8: error: 'vector.extract_strided_slice' op dim 0 is out of bounds: offset 6, size 4, extent 8{{$}}
  %0 = vector.extract_strided_slice %v {offsets = [6], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  return
}
