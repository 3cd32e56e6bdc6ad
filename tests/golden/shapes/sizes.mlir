// Slices of fewer elements than none, or of more than there are, some apart from each other, and paddings by fewer than
// none are refused; so are sizes that integer arguments tell of slices at places that nothing tells.
// RUN: tcc-attn run %s --func=numbers --out=%t.8.npy,%t.0.npy,%t.4.npy,%t.9.npy,%t.m1.npy
// RUN: tcc-attn run %s --func=less --random --dims=12,4 --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=less --random --dims=4,4 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tcc-attn run %s --func=apart --random --dims=199,100 --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=apart --random --dims=198,100 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tcc-attn run %s --func=padded --random --dims=5,8 --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=padded --random --dims=5,9 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tcc-attn run %s --func=moved --in=%t.8.npy,%t.8.npy,%t.0.npy,%t.4.npy --check | FileCheck %s --check-prefix=FITS
// RUN: not tcc-attn run %s --func=moved --in=%t.8.npy,%t.8.npy,%t.0.npy,%t.9.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-attn run %s --func=moved --in=%t.8.npy,%t.8.npy,%t.0.npy,%t.m1.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// FITS: check: result 0: {{.*}}: good
// OUTSIDE: error: the shapes of the arguments of '{{.*}}' do not fit together

func.func @numbers() -> (tensor<8xf32>, tensor<1xi64>, tensor<index>, tensor<index>, tensor<index>) {
  %8 = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.constant dense<0> : tensor<1xi64>
  %4 = arith.constant dense<4> : tensor<index>
  %9 = arith.constant dense<9> : tensor<index>
  %m1 = arith.constant dense<-1> : tensor<index>
  return %8, %0, %4, %9, %m1 : tensor<8xf32>, tensor<1xi64>, tensor<index>, tensor<index>, tensor<index>
}

func.func @less(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c8 : index
  %s = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.insert_slice %s into %y[0] [%m] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @apart(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %x[0] [%m] [2] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.add ins(%s, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @padded(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %m = arith.subi %c8, %n : index
  %r = tensor.pad %x low[%m] high[3] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @moved(%x: tensor<?xf32>, %y: tensor<?xf32>, %at: tensor<1xi64>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.extract %at[%c0] : tensor<1xi64>
  %i = arith.index_cast %a : i64 to index
  %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.insert_slice %s into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
