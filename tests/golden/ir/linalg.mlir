// Structured ops of upstream, on tensors and memrefs.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs_transposed = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @contractions(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>, %x: tensor<8xf16>, %y: tensor<4xf32>, %s: tensor<f32>, %ba: tensor<2x4x8xf32>, %bb: tensor<2x8x4xf32>, %bc: tensor<2x4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {__root__} ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul indexing_maps = [#lhs, #rhs_transposed, #out] ins(%a, %a : tensor<4x8xf16>, tensor<4x8xf16>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.batch_matmul ins(%ba, %bb : tensor<2x4x8xf32>, tensor<2x8x4xf32>) outs(%bc : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %3 = linalg.matvec ins(%a, %x : tensor<4x8xf16>, tensor<8xf16>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.vecmat ins(%x, %b : tensor<8xf16>, tensor<8x4xf16>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  %vectors = tensor.empty() : tensor<2x8xf32>
  %sums = tensor.empty() : tensor<2x4xf32>
  %bv = linalg.batch_matvec ins(%ba, %vectors : tensor<2x4x8xf32>, tensor<2x8xf32>) outs(%sums : tensor<2x4xf32>) -> tensor<2x4xf32>
  %vb = linalg.batch_vecmat ins(%vectors, %bb : tensor<2x8xf32>, tensor<2x8x4xf32>) outs(%bv : tensor<2x4xf32>) -> tensor<2x4xf32>
  %br = linalg.batch_reduce_matmul ins(%ba, %bb : tensor<2x4x8xf32>, tensor<2x8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = linalg.dot ins(%x, %x : tensor<8xf16>, tensor<8xf16>) outs(%s : tensor<f32>) -> tensor<f32>
  %6 = linalg.contract indexing_maps = [#lhs, #rhs_transposed, #out] {tag} ins(%a, %a : tensor<4x8xf16>, tensor<4x8xf16>) outs(%1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %6 : tensor<4x4xf32>
}
func.func @elementwise(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>, %o: tensor<4x?xf32>, %x: f32, %c: tensor<4x?xi1>, %r: tensor<4xf32>) -> tensor<4x?xf32> {
  %0 = linalg.fill ins(%x : f32) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %1 = linalg.copy ins(%a : tensor<4x?xf32>) outs(%0 : tensor<4x?xf32>) -> tensor<4x?xf32>
  %2 = linalg.add ins(%1, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %3 = linalg.sub ins(%2, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %4 = linalg.mul ins(%3, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %5 = linalg.div ins(%4, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %6 = linalg.max ins(%5, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %7 = linalg.min ins(%6, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %8 = linalg.exp ins(%7 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %9 = linalg.log ins(%8 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %10 = linalg.tanh ins(%9 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %11 = linalg.sqrt ins(%10 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %12 = linalg.rsqrt ins(%11 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %13 = linalg.erf ins(%12 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %14 = linalg.abs ins(%13 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %15 = linalg.negf ins(%14 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %floor = linalg.floor ins(%15 : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %ceil = linalg.ceil ins(%floor : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %round = linalg.round ins(%ceil : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %power = linalg.powf ins(%round, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %square = linalg.square ins(%power : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %inverse = linalg.reciprocal ins(%square : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %chosen = linalg.select ins(%c, %a, %inverse : tensor<4x?xi1>, tensor<4x?xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %less = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#id, #row, #id] ins(%chosen, %r : tensor<4x?xf32>, tensor<4xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %more = linalg.elementwise kind=#linalg.elementwise_kind<max_signed> indexing_maps = [#row, #id, #id] {tag} ins(%r, %less : tensor<4xf32>, tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  %16 = linalg.softmax {tag} dimension(1) ins(%more : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %16 : tensor<4x?xf32>
}
func.func @regions(%a: tensor<4x8xf32>, %o: tensor<4xf32>, %t: tensor<8x4xf32>, %x: f32) -> tensor<4xf32> {
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%o, %o : tensor<4xf32>, tensor<4xf32>) attrs = {tag} {
  ^bb0(%in: f32, %sum: f32, %largest: f32):
    %i = linalg.index 1 : index
    %1 = arith.addf %in, %sum : f32
    %2 = arith.maximumf %in, %largest : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %3 = linalg.reduce { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%a : tensor<4x8xf32>) outs(%0#0 : tensor<4xf32>) dimensions = [1] {tag}
  %4 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%3 : tensor<4xf32>) dimensions = [1] (%in: f32, %init: f32) {
    %5 = arith.mulf %in, %x : f32
    %6 = arith.addf %5, %init : f32
    linalg.yield %6 : f32
  }
  %7 = linalg.map { arith.subf } ins(%4, %0#1 : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>)
  %narrow = tensor.empty() : tensor<4xf16>
  %casts = linalg.map { arith.truncf } ins(%7 : tensor<4xf32>) outs(%narrow : tensor<4xf16>)
  %flags = tensor.empty() : tensor<4xi1>
  %larger = linalg.map { arith.cmpf {predicate = 2 : i64} } ins(%7, %4 : tensor<4xf32>, tensor<4xf32>) outs(%flags : tensor<4xi1>)
  %either = linalg.map { arith.select } ins(%larger, %7, %4 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>)
  %8 = linalg.map ins(%7 : tensor<4xf32>) outs(%o : tensor<4xf32>) (%in: f32, %init: f32) {
    %9 = arith.subf %x, %in : f32
    linalg.yield %9 : f32
  }
  %10 = linalg.broadcast ins(%8 : tensor<4xf32>) outs(%a : tensor<4x8xf32>) dimensions = [1] {tag}
  %11 = linalg.transpose ins(%10 : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  return %8 : tensor<4xf32>
}
func.func @buffers(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%c : memref<4x4xf32>)
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
  linalg.generic {doc = "twice", indexing_maps = [#id], iterator_types = ["parallel", "parallel"], library_call = "f"} outs(%c : memref<4x4xf32>) {
  ^bb0(%out: f32):
    %0 = arith.addf %out, %out : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @windows(%a0: tensor<2x3x12xf32>, %a1: tensor<4x3x3xf32>, %a2: tensor<2x4x5xf32>, %a3: tensor<2x12x3xf32>, %a4: tensor<3x3x4xf32>, %a5: tensor<2x5x4xf32>, %a6: tensor<2x3x7x9xf32>, %a7: tensor<4x3x2x3xf32>, %a8: tensor<2x4x3x5xf32>, %a9: tensor<2x7x9x3xf32>, %a10: tensor<2x3x3x4xf32>, %a11: tensor<2x3x5x4xf32>, %a12: tensor<4x2x3x3xf32>, %a13: tensor<2x2x3x7x9xf32>, %a14: tensor<4x2x3x2x3xf32>, %a15: tensor<2x2x4x3x5xf32>, %a16: tensor<2x4x3x2x3xf32>, %a17: tensor<2x3x5x5x11xf32>, %a18: tensor<4x3x2x2x3xf32>, %a19: tensor<2x4x2x3x5xf32>, %a20: tensor<2x5x5x11x3xf32>, %a21: tensor<2x2x3x3x4xf32>, %a22: tensor<2x2x3x5x4xf32>, %a23: tensor<3x3xf32>, %a24: tensor<2x3x5xf32>, %a25: tensor<2x5x3xf32>, %a26: tensor<3x2x3xf32>, %a27: tensor<2x3x3x5xf32>, %a28: tensor<2x3x3xf32>, %a29: tensor<2x3x5x3xf32>, %a30: tensor<3xf32>, %a31: tensor<2x3xf32>) -> (tensor<2x4x5xf32>, tensor<2x5x4xf32>, tensor<2x4x3x5xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x2x4x3x5xf32>, tensor<2x2x4x3x5xf32>, tensor<2x4x2x3x5xf32>, tensor<2x2x3x5x4xf32>, tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x3x3x5xf32>, tensor<2x3x5x3xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x3x5xf32>, tensor<2x3x3x5xf32>, tensor<2x3x5x3xf32>, tensor<2x3x5x3xf32>) {
  %conv_1d_ncw_fcw = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<2x3x12xf32>, tensor<4x3x3xf32>) outs(%a2 : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %conv_1d_nwc_wcf = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a3, %a4 : tensor<2x12x3xf32>, tensor<3x3x4xf32>) outs(%a5 : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %conv_2d_nchw_fchw = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a6, %a7 : tensor<2x3x7x9xf32>, tensor<4x3x2x3xf32>) outs(%a8 : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %conv_2d_nhwc_hwcf = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a9, %a10 : tensor<2x7x9x3xf32>, tensor<2x3x3x4xf32>) outs(%a11 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %conv_2d_nhwc_fhwc = linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a9, %a12 : tensor<2x7x9x3xf32>, tensor<4x2x3x3xf32>) outs(%a11 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %conv_2d_ngchw_fgchw = linalg.conv_2d_ngchw_fgchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a13, %a14 : tensor<2x2x3x7x9xf32>, tensor<4x2x3x2x3xf32>) outs(%a15 : tensor<2x2x4x3x5xf32>) -> tensor<2x2x4x3x5xf32>
  %conv_2d_ngchw_gfchw = linalg.conv_2d_ngchw_gfchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a13, %a16 : tensor<2x2x3x7x9xf32>, tensor<2x4x3x2x3xf32>) outs(%a15 : tensor<2x2x4x3x5xf32>) -> tensor<2x2x4x3x5xf32>
  %conv_3d_ncdhw_fcdhw = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<[1, 2, 1]> : tensor<3xi64>, strides = dense<[2, 1, 2]> : tensor<3xi64>} ins(%a17, %a18 : tensor<2x3x5x5x11xf32>, tensor<4x3x2x2x3xf32>) outs(%a19 : tensor<2x4x2x3x5xf32>) -> tensor<2x4x2x3x5xf32>
  %conv_3d_ndhwc_dhwcf = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<[1, 2, 1]> : tensor<3xi64>, strides = dense<[2, 1, 2]> : tensor<3xi64>} ins(%a20, %a21 : tensor<2x5x5x11x3xf32>, tensor<2x2x3x3x4xf32>) outs(%a22 : tensor<2x2x3x5x4xf32>) -> tensor<2x2x3x5x4xf32>
  %depthwise_conv_1d_ncw_cw = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a23 : tensor<2x3x12xf32>, tensor<3x3xf32>) outs(%a24 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %depthwise_conv_1d_nwc_wc = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a3, %a23 : tensor<2x12x3xf32>, tensor<3x3xf32>) outs(%a25 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %depthwise_conv_2d_nchw_chw = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a6, %a26 : tensor<2x3x7x9xf32>, tensor<3x2x3xf32>) outs(%a27 : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %depthwise_conv_2d_nhwc_hwc = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a9, %a28 : tensor<2x7x9x3xf32>, tensor<2x3x3xf32>) outs(%a29 : tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  %pooling_ncw_sum = linalg.pooling_ncw_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a30 : tensor<2x3x12xf32>, tensor<3xf32>) outs(%a24 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %pooling_ncw_max = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a30 : tensor<2x3x12xf32>, tensor<3xf32>) outs(%a24 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %pooling_nchw_sum = linalg.pooling_nchw_sum {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a6, %a31 : tensor<2x3x7x9xf32>, tensor<2x3xf32>) outs(%a27 : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %pooling_nchw_max = linalg.pooling_nchw_max {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a6, %a31 : tensor<2x3x7x9xf32>, tensor<2x3xf32>) outs(%a27 : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %pooling_nhwc_sum = linalg.pooling_nhwc_sum {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a9, %a31 : tensor<2x7x9x3xf32>, tensor<2x3xf32>) outs(%a29 : tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  %pooling_nhwc_max = linalg.pooling_nhwc_max {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a9, %a31 : tensor<2x7x9x3xf32>, tensor<2x3xf32>) outs(%a29 : tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  return %conv_1d_ncw_fcw, %conv_1d_nwc_wcf, %conv_2d_nchw_fchw, %conv_2d_nhwc_hwcf, %conv_2d_nhwc_fhwc, %conv_2d_ngchw_fgchw, %conv_2d_ngchw_gfchw, %conv_3d_ncdhw_fcdhw, %conv_3d_ndhwc_dhwcf, %depthwise_conv_1d_ncw_cw, %depthwise_conv_1d_nwc_wc, %depthwise_conv_2d_nchw_chw, %depthwise_conv_2d_nhwc_hwc, %pooling_ncw_sum, %pooling_ncw_max, %pooling_nchw_sum, %pooling_nchw_max, %pooling_nhwc_sum, %pooling_nhwc_max : tensor<2x4x5xf32>, tensor<2x5x4xf32>, tensor<2x4x3x5xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x2x4x3x5xf32>, tensor<2x2x4x3x5xf32>, tensor<2x4x2x3x5xf32>, tensor<2x2x3x5x4xf32>, tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x3x3x5xf32>, tensor<2x3x5x3xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x3x5xf32>, tensor<2x3x3x5xf32>, tensor<2x3x5x3xf32>, tensor<2x3x5x3xf32>
}
