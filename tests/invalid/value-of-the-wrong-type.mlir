// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
// CHECK: value-of-the-wrong-type.mlir:[[@LINE+2]]:24: error: this type is 'f16', but the value used here has type 'f32'{{$}}
// CHECK: value-of-the-wrong-type.mlir:[[@LINE+1]]:19: note: the value is used here{{$}}
  %0 = arith.extf %a : f16 to f32
  return
}
