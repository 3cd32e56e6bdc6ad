// Of exponentials that are only rounded to bf16 and summed up, nobody needs the last bit: a shorter polynomial does, five
// multiply-adds instead of six, and two registers are rounded by one instruction. Not of those that are stored.
// RUN: tcc-attn compile %s --target=host:znver4 --emit=asm -o - | FileCheck %s
// RUN: tcc-attn run %s --func=weights --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: good

// CHECK-LABEL: weights:
// CHECK-COUNT-10: vfmadd
// CHECK-NOT: vfmadd
// CHECK: vcvtne2ps2bf16
func.func @weights(%scores: memref<32xf32>, %weights: memref<32xbf16>, %sums: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %score = vector.transfer_read %scores[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %old = vector.transfer_read %sums[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %power = math.exp2 %score fastmath<afn> : vector<32xf32>
  %weight = arith.truncf %power : vector<32xf32> to vector<32xbf16>
  vector.transfer_write %weight, %weights[%c0] {in_bounds = [true]} : vector<32xbf16>, memref<32xbf16>
  %sum = arith.addf %old, %power : vector<32xf32>
  vector.transfer_write %sum, %sums[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// CHECK-LABEL: stored:
// CHECK-COUNT-12: vfmadd
func.func @stored(%scores: memref<32xf32>, %weights: memref<32xbf16>, %sums: memref<32xf32>, %powers: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %score = vector.transfer_read %scores[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %old = vector.transfer_read %sums[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %power = math.exp2 %score fastmath<afn> : vector<32xf32>
  vector.transfer_write %power, %powers[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  %weight = arith.truncf %power : vector<32xf32> to vector<32xbf16>
  vector.transfer_write %weight, %weights[%c0] {in_bounds = [true]} : vector<32xbf16>, memref<32xbf16>
  %sum = arith.addf %old, %power : vector<32xf32>
  vector.transfer_write %sum, %sums[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}
