// Conversions from and to i1, of which LLVM's writer of SPIR-V takes few: numbers lose their upper bits in lanes of their
// own, a signed i1 becomes -1.0 by a choice, also where LLVM's passes make its conversion of two others, and floats are compared.
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=llvm -o - | FileCheck %s --implicit-check-not="sitofp i1" --implicit-check-not="x i1>"
// RUN: tcc-attn compile %s --target=spirv:pvc -o %t
#row = affine_map<(i) -> (i)>

// CHECK-LABEL: @low_bits_0(
// CHECK: load <2 x i8>
// CHECK: extractelement <2 x i8>
// CHECK: trunc i8 {{.*}} to i1
func.func @low_bits(%x: tensor<2xi8>) -> tensor<2xi1> {
  %e = tensor.empty() : tensor<2xi1>
  %r = linalg.map ins(%x : tensor<2xi8>) outs(%e : tensor<2xi1>)
    (%p: i8) {
      %y = arith.trunci %p : i8 to i1
      linalg.yield %y : i1
    }
  return %r : tensor<2xi1>
}

// CHECK-LABEL: @low_bits_of_indices_0(
// CHECK: load <2 x i64>
// CHECK: trunc i64 {{.*}} to i1
func.func @low_bits_of_indices(%x: tensor<8xindex>) -> tensor<8xi1> {
  %e = tensor.empty() : tensor<8xi1>
  %r = linalg.map ins(%x : tensor<8xindex>) outs(%e : tensor<8xi1>)
    (%p: index) {
      %y = arith.index_cast %p : index to i1
      linalg.yield %y : i1
    }
  return %r : tensor<8xi1>
}

// CHECK-LABEL: @signed_0(
// CHECK: select i1 {{.*}}, float -1.000000e+00, float 0.000000e+00
func.func @signed(%m: tensor<7xi1>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.map ins(%m : tensor<7xi1>) outs(%e : tensor<7xf32>)
    (%p: i1) {
      %y = arith.sitofp %p : i1 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<7xf32>
}

// CHECK-LABEL: @signed_by_two_steps_0(
// CHECK: select i1 {{.*}}, float -1.000000e+00, float 0.000000e+00
func.func @signed_by_two_steps(%x: tensor<7xf32>) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.map ins(%x : tensor<7xf32>) outs(%e : tensor<7xf32>)
    (%p: f32) {
      %above = arith.cmpf ogt, %p, %zero : f32
      %wide = arith.extsi %above : i1 to i64
      %y = arith.sitofp %wide : i64 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<7xf32>
}

// CHECK-LABEL: @compared_0(
// CHECK-DAG: fcmp {{.*}}oge float {{.*}}, 1.000000e+00
// CHECK-DAG: fcmp {{.*}}ole float {{.*}}, -1.000000e+00
func.func @compared(%x: tensor<7xf32>) -> tensor<7xi1> {
  %e = tensor.empty() : tensor<7xi1>
  %r = linalg.map ins(%x : tensor<7xf32>) outs(%e : tensor<7xi1>)
    (%p: f32) {
      %a = arith.fptosi %p : f32 to i1
      %b = arith.fptoui %p : f32 to i1
      %y = arith.xori %a, %b : i1
      linalg.yield %y : i1
    }
  return %r : tensor<7xi1>
}
