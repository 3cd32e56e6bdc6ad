// Code of several kernels is made in as many parts as there are cores, and joined to one object file: what the parts use
// of each other, kernels and data, nobody else sees, and results are the same in any number of them.
// RUN: tcc-attn compile %s --cores=3 --emit=obj -o %t.o && readelf -SsW %t.o | FileCheck %s
// RUN: tcc-attn compile %s --cores=1 --emit=obj -o %t.one.o && readelf -SW %t.one.o | FileCheck %s --check-prefix=ONE
// RUN: ld -r %t.o -o %t.linked.o && readelf -sW %t.linked.o | FileCheck %s --check-prefix=LINKED
// RUN: sh -c 'for f in wide narrow; do for n in 1 7 100; do tcc-attn run %s --func=$f --random --dims=$n --check --threads=3 || exit 1; done; done'
// RUN: tcc-attn compile %s --cores=3 -o %t.tecp && tcc-attn run %t.tecp --func=wide --random --dims=77 --threads=2 --out=%t.npy
// RUN: tcc-attn compile %s --cores=1 -o %t.tecp && tcc-attn run %t.tecp --func=wide --random --dims=77 --threads=2 --out=%t.one.npy && cmp %t.npy %t.one.npy

// CHECK-COUNT-3: .text PROGBITS
// CHECK-NOT: .text PROGBITS
// CHECK: .symtab SYMTAB
// CHECK-NOT: SYMTAB
// CHECK: FUNC LOCAL DEFAULT {{.*}} forall
// CHECK-NOT: HIDDEN
// CHECK: FUNC GLOBAL DEFAULT {{.*}} wide
// CHECK-NOT: HIDDEN
// CHECK-NOT: UND {{.*}}forall
// ONE: .text
// ONE-NOT: .text PROGBITS
// LINKED: FUNC LOCAL DEFAULT {{.*}} forall
// LINKED: FUNC GLOBAL DEFAULT {{.*}} narrow_shapes

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Both read one table, in kernels for one row, for few and for many.
func.func @wide(%x: tensor<?x96xf32>, %w: tensor<96x16xf32>, %v: tensor<16x256xf32>) -> tensor<?x256xf32> {
  %bias = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x96xf32>, tensor<96x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %b = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x16xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<?x16xf32>
  %s = linalg.softmax dimension(1) ins(%b : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %e2 = tensor.empty(%n) : tensor<?x256xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %r = linalg.matmul ins(%s, %v : tensor<?x16xf32>, tensor<16x256xf32>) outs(%f2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}

func.func @narrow(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %bias = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %b = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x16xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.mulf %a, %c : f32
    %t = math.tanh %s : f32
    %u = math.sin %t : f32
    %v = math.log1p %u : f32
    %w = math.erf %v : f32
    linalg.yield %w : f32
  } -> tensor<?x16xf32>
  %s = linalg.softmax dimension(1) ins(%b : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}
