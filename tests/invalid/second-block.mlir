// RUN: %reject opt %s | FileCheck %s
func.func @f(%a: f32) {
  "func.func"() <{function_type = () -> (), sym_name = "g"}> ({
  ^bb0:
    "func.return"() : () -> ()
// CHECK: second-block.mlir:[[@LINE+1]]:3: error: a region has one block here: control flow is structured{{$}}
  ^bb1:
    "func.return"() : () -> ()
  }) : () -> ()
  return
}
