// Integer arguments that are positions of slices and elements: what lies outside is refused before anything is touched.
// RUN: tcc-attn run %s --func=numbers --out=%t.rows.npy,%t.row.npy,%t.m1.npy,%t.4.npy,%t.5.npy,%t.most.npy
// RUN: tcc-attn opt %s --passes=shapes | FileCheck %s
// RUN: tcc-attn run %s --func=put --in=%t.rows.npy,%t.row.npy,%t.4.npy --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=put --in=%t.rows.npy,%t.row.npy,%t.5.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-attn run %s --func=put --in=%t.rows.npy,%t.row.npy,%t.m1.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-attn run %s --func=put --in=%t.rows.npy,%t.row.npy,%t.most.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tcc-attn run %s --func=element --in=%t.rows.npy,%t.4.npy --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=element --in=%t.rows.npy,%t.5.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tcc-attn run %s --func=choice --in=%t.rows.npy,%t.5.npy --check | FileCheck %s --check-prefix=FITS
// RUN: tcc-attn run %s --func=apart --in=%t.rows.npy,%t.4.npy --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=apart --in=%t.rows.npy,%t.5.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-attn run %s --func=apart --in=%t.rows.npy,%t.m1.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-attn run %s --func=apart --in=%t.rows.npy,%t.most.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sed '/^func.func @element/,$d' %s > %t.mlir && tcc-attn compile %t.mlir --target=nvptx:sm_80 -o %t.tecp
// RUN: tcc-attn run %t.tecp --func=put --in=%t.rows.npy,%t.row.npy,%t.4.npy --device=ptx-emu | FileCheck %s --check-prefix=RUNS
// RUN: not tcc-attn run %t.tecp --func=put --in=%t.rows.npy,%t.row.npy,%t.5.npy --device=ptx-emu 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// FITS: check: result 0: {{.*}}: good
// RUNS: run: put(
// OUTSIDE: error: the shapes of the arguments of '{{.*}}' do not fit together, or one that is a position lies outside of its tensor

func.func @numbers() -> (tensor<5x4xf32>, tensor<1x4xf32>, tensor<index>, tensor<index>, tensor<index>, tensor<index>) {
  %rows = arith.constant dense<2.0> : tensor<5x4xf32>
  %row = arith.constant dense<3.0> : tensor<1x4xf32>
  %m1 = arith.constant dense<-1> : tensor<index>
  %4 = arith.constant dense<4> : tensor<index>
  %5 = arith.constant dense<5> : tensor<index>
  %most = arith.constant dense<9223372036854775807> : tensor<index>
  return %rows, %row, %m1, %4, %5, %most : tensor<5x4xf32>, tensor<1x4xf32>, tensor<index>, tensor<index>, tensor<index>, tensor<index>
}

// CHECK: func.func @put({{.*}}) -> tensor<?x4xf32> attributes {tec.kernel, tec.positions = array<i64: 2>, tec.shapes = @put_shapes}
// CHECK: func.func private @put_shapes(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[AT:.*]]: index) -> (index, index, index)
func.func @put(%rows: tensor<?x4xf32>, %row: tensor<1x4xf32>, %at: i64) -> tensor<?x4xf32> {
  %i = arith.index_cast %at : i64 to index
  %r = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @element(%rows: tensor<5x4xf32>, %at: index) -> tensor<f32> {
  %c3 = arith.constant 3 : index
  %x = tensor.extract %rows[%at, %c3] : tensor<5x4xf32>
  %r = tensor.from_elements %x : tensor<f32>
  return %r : tensor<f32>
}

// What a branch reads that is not taken may lie anywhere.
func.func @choice(%rows: tensor<5x4xf32>, %at: index) -> tensor<4xf32> {
  %c5 = arith.constant 5 : index
  %inside = arith.cmpi slt, %at, %c5 : index
  %r = scf.if %inside -> (tensor<4xf32>) {
    %row = tensor.extract_slice %rows[%at, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    scf.yield %row : tensor<4xf32>
  } else {
    %row = tensor.extract_slice %rows[0, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    scf.yield %row : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Two rows, as far apart as an argument says.
func.func @apart(%rows: tensor<?x4xf32>, %step: index) -> tensor<2x4xf32> {
  %r = tensor.extract_slice %rows[0, 0] [2, 4] [%step, 1] : tensor<?x4xf32> to tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
