// What the interpreter finds wrong, it shows in the file that was given, not in a copy with other names and lines.
// RUN: not tcc-attn run %s --func=read --random --check 2>&1 | FileCheck %s --check-prefix=READ --strict-whitespace
// RUN: not tcc-attn run %s --func=read --random --target=interp 2>&1 | FileCheck %s --check-prefix=READ --strict-whitespace
// RUN: not tcc-attn run %s --func=body --random --check 2>&1 | FileCheck %s --check-prefix=BODY

func.func @read(%values: tensor<4xf32>, %start: index) -> f32 {
  %beyond = arith.constant 9 : index
  %place = arith.addi %start, %beyond : index

  // READ: {{.*}}/interpreter-errors.mlir:[[@LINE+3]]:12: error: 'tensor.extract' op subscript {{[0-9]+}} is out of bounds: dim 0 has extent 4
  // READ-NEXT:{{^}}  %value = tensor.extract %values[%place] : tensor<4xf32>
  // READ-NEXT:{{^}}           ^
  %value = tensor.extract %values[%place] : tensor<4xf32>
  return %value : f32
}

func.func @body(%values: tensor<4xf32>, %starts: tensor<3xindex>) -> tensor<3xf32> {
  %empty = tensor.empty() : tensor<3xf32>
  %beyond = arith.constant 9 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%starts : tensor<3xindex>) outs(%empty : tensor<3xf32>) {
  ^bb0(%start: index, %o: f32):
    %place = arith.addi %start, %beyond : index
    // BODY: {{.*}}/interpreter-errors.mlir:[[@LINE+1]]:10: error: 'tensor.extract' op subscript {{[0-9]+}} is out of bounds: dim 0 has extent 4
    %v = tensor.extract %values[%place] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
