// Attention over ragged lengths, on chips with matrix units. A warp has 16 lanes and two tiles of 8 rows; keys and values
// come in 2-D blocks, whose ends the hardware watches: no load is in a branch. Maxima of rows are combined by one op, and
// so are their sums, behind the loop. All lanes ask for the next tile of keys and values while they use one. Eight lanes
// have no blocks: they read an element that is there instead of one that is not, and forget it where values need zeros.
// The state is added to the products of a step, not they to it. What is written of one row stands in one branch.
// RUN: tcc-attn compile %s --target=spirv:pvc --verify --emit=mlir -o - | FileCheck %s
// RUN: tcc-attn compile %s --target=spirv:dg2 --verify --emit=mlir -o - | FileCheck %s --check-prefix=DG2
// RUN: tcc-attn compile %s --target=spirv:pvc --emit=llvm -o - | FileCheck %s --check-prefix=IMPORT
// RUN: tcc-attn compile %s --target=spirv:bmg --emit=llvm -o - | FileCheck %s --check-prefix=OPS
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (2, %{{.*}}) step (1, 128)
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.if
// CHECK: vector_ext.prefetch %arg1
// CHECK: vector_ext.block_load {{.*}}[%c0, %c0, %c0] {transposed} : {{.*}} -> vector<16xf16>
// CHECK-NEXT: xegpu.dpas
// CHECK: gpu.subgroup_reduce maxnumf
// CHECK-NOT: gpu.subgroup_reduce add
// CHECK: vector_ext.prefetch %arg2
// CHECK: vector_ext.block_load {{.*}}[%c0, %c0, %c0] : {{.*}} -> vector<16xf16>
// CHECK: xegpu.dpas {{.*}}
// CHECK-COUNT-32: arith.addf
// CHECK: scf.yield
// CHECK: gpu.subgroup_reduce add
// CHECK: scf.if
// CHECK-COUNT-4: memref.store
// CHECK-NEXT: }
// CHECK: tec.threads = 128
// DG2: scf.for {{.*}} step %c64
// DG2-NOT: scf.if
// DG2: arith.minui
// DG2: vector.load {{.*}} vector<8xf16>
// DG2: xegpu.dpas {{.*}} vector<16xf16>, vector<16xf16>, vector<8xf32>
// DG2: arith.select {{.*}} : index
// DG2: scf.yield
// DG2: tec.threads = 128
// IMPORT: call spir_func void @__builtin_IB_lsc_prefetch_global_uint(ptr addrspace(1)
// IMPORT: call spir_func <8 x i32> @__builtin_IB_subgroup_block_read_flat_transpose_u32_k8(i64
// IMPORT: call spir_func <8 x float> @_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f(<8 x i16>
// IMPORT: call spir_func float @_Z20sub_group_reduce_maxf
// OPS: call spir_func void @_Z41__spirv_Subgroup2DBlockLoadTransposeINTEL
// OPS: call spir_func <8 x float> @_Z{{.*}}__spirv_SubgroupMatrixMultiplyAccumulateINTEL
func.func @attention(%query: tensor<2x?x64xf16>, %key: tensor<2x?x64xf16>, %value: tensor<2x?x64xf16>) -> tensor<2x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %query, %c1 : tensor<2x?x64xf16>
  %n = tensor.dim %key, %c1 : tensor<2x?x64xf16>
  %s0 = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>,
                                        affine_map<(b, m, n, d) -> (b, m, n)>]
    ins(%query, %key : tensor<2x?x64xf16>, tensor<2x?x64xf16>) outs(%s1 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x?x?xf32>) outs(%s0 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %h0 = tensor.empty(%m, %n) : tensor<2x?x?xf16>
  %h = linalg.map ins(%p : tensor<2x?x?xf32>) outs(%h0 : tensor<2x?x?xf16>)
    (%x: f32) {
      %y = arith.truncf %x : f32 to f16
      linalg.yield %y : f16
    }
  %o0 = tensor.empty(%m) : tensor<2x?x64xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  %o = linalg.batch_matmul ins(%h, %value : tensor<2x?x?xf16>, tensor<2x?x64xf16>) outs(%o1 : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  return %o : tensor<2x?x64xf32>
}
