// A convolution is a product with the windows of its input, whose terms are one loop, and so are columns side by side.
// RUN: tcc-attn opt %s --passes=windows | FileCheck %s
// RUN: tcc-attn run %s --func=channels_first --random --check --verify
// RUN: tcc-attn run %s --func=channels_last --random --check --verify
// RUN: tcc-attn run %s --func=groups --random --check --verify
// RUN: tcc-attn run %s --func=swapped --random --check --verify
// RUN: tcc-attn run %s --func=lacks --random --check --verify
// RUN: tcc-attn run %s --func=twice --random --check --verify
// RUN: tcc-attn run %s --func=repeats --random --check --verify
// RUN: tcc-attn run %s --func=no_columns --random --check --verify
// RUN: tcc-attn run %s --func=weights_alone --random --check --verify
// RUN: tcc-attn run %s --func=bytes --random --check --verify

// CHECK-LABEL: func.func @channels_first(
// CHECK: ins(%arg0 : tensor<2x3x9x11xf32>) outs({{.*}} : tensor<2x3x2x3x8x7xf32>)
// CHECK: iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins({{.*}} : tensor<2x18x56xf32>, tensor<5x18xf32>) outs({{.*}} : tensor<2x5x56xf32>)
func.func @channels_first(%x: tensor<2x3x9x11xf32>, %w: tensor<5x3x2x3xf32>, %o: tensor<2x5x8x7xf32>) -> tensor<2x5x8x7xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x9x11xf32>, tensor<5x3x2x3xf32>) outs(%o : tensor<2x5x8x7xf32>) -> tensor<2x5x8x7xf32>
  return %0 : tensor<2x5x8x7xf32>
}

// CHECK-LABEL: func.func @channels_last(
// CHECK: ins(%arg0 : tensor<2x9x11x3xf32>) outs({{.*}} : tensor<2x4x9x2x3x3xf32>)
// CHECK: ins({{.*}} : tensor<72x18xf32>, tensor<18x5xf32>) outs({{.*}} : tensor<72x5xf32>)
func.func @channels_last(%x: tensor<2x9x11x3xf32>, %w: tensor<2x3x3x5xf32>, %o: tensor<2x4x9x5xf32>) -> tensor<2x4x9x5xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x9x11x3xf32>, tensor<2x3x3x5xf32>) outs(%o : tensor<2x4x9x5xf32>) -> tensor<2x4x9x5xf32>
  return %0 : tensor<2x4x9x5xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK: ins({{.*}} : tensor<2x2x18x56xf32>, tensor<4x2x18xf32>) outs({{.*}} : tensor<2x2x4x56xf32>)
func.func @groups(%x: tensor<2x2x3x9x9xf32>, %w: tensor<4x2x3x2x3xf32>, %o: tensor<2x2x4x8x7xf32>) -> tensor<2x2x4x8x7xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%x, %w : tensor<2x2x3x9x9xf32>, tensor<4x2x3x2x3xf32>) outs(%o : tensor<2x2x4x8x7xf32>) -> tensor<2x2x4x8x7xf32>
  return %0 : tensor<2x2x4x8x7xf32>
}

// Channels by themselves share nothing, and a window of one place is read where it is.
// CHECK-LABEL: func.func @by_channel(
// CHECK: linalg.depthwise_conv_2d_nchw_chw
func.func @by_channel(%x: tensor<2x3x9x11xf32>, %w: tensor<3x2x3xf32>, %o: tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<2x3x9x11xf32>, tensor<3x2x3xf32>) outs(%o : tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  return %0 : tensor<2x3x8x9xf32>
}
// CHECK-LABEL: func.func @one_place(
// CHECK: linalg.conv_2d_nchw_fchw
func.func @one_place(%x: tensor<2x3x9x11xf32>, %w: tensor<5x3x1x1xf32>, %o: tensor<2x5x9x11xf32>) -> tensor<2x5x9x11xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x9x11xf32>, tensor<5x3x1x1xf32>) outs(%o : tensor<2x5x9x11xf32>) -> tensor<2x5x9x11xf32>
  return %0 : tensor<2x5x9x11xf32>
}

// Sums that are no such product, or one without columns: all give the interpreter's numbers.
#w = affine_map<(f, n, y, v, c) -> (v, c, f)>
#x = affine_map<(f, n, y, v, c) -> (c, y * 3 + v, n)>
#o = affine_map<(f, n, y, v, c) -> (y, n, f)>
func.func @swapped(%w: tensor<4x5x33xf16>, %x: tensor<5x40x3xf16>, %o: tensor<11x3x33xf32>) -> tensor<11x3x33xf32> {
  %0 = linalg.generic {indexing_maps = [#w, #x, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %x : tensor<4x5x33xf16>, tensor<5x40x3xf16>) outs(%o : tensor<11x3x33xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<11x3x33xf32>
  return %0 : tensor<11x3x33xf32>
}
func.func @lacks(%w: tensor<4x33xf32>, %x: tensor<5x40x3xf32>, %o: tensor<11x3x33xf32>) -> tensor<11x3x33xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(f, n, y, v, c) -> (v, f)>, #x, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %x : tensor<4x33xf32>, tensor<5x40x3xf32>) outs(%o : tensor<11x3x33xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %3 = arith.mulf %b, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<11x3x33xf32>
  return %0 : tensor<11x3x33xf32>
}
func.func @twice(%w: tensor<4x33xf32>, %x: tensor<14x11x3xf32>, %o: tensor<11x3x33xf32>) -> tensor<11x3x33xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(f, n, y, v) -> (v, f)>, affine_map<(f, n, y, v) -> (y + v, y, n)>, affine_map<(f, n, y, v) -> (y, n, f)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : tensor<4x33xf32>, tensor<14x11x3xf32>) outs(%o : tensor<11x3x33xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %3 = arith.mulf %b, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<11x3x33xf32>
  return %0 : tensor<11x3x33xf32>
}
func.func @repeats(%w: tensor<4x33xf32>, %x: tensor<14x3xf32>, %o: tensor<6x11x3x33xf32>) -> tensor<6x11x3x33xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(f, n, y, v, r) -> (v, f)>, affine_map<(f, n, y, v, r) -> (y + v, n)>, affine_map<(f, n, y, v, r) -> (r, y, n, f)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%w, %x : tensor<4x33xf32>, tensor<14x3xf32>) outs(%o : tensor<6x11x3x33xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %3 = arith.mulf %b, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<6x11x3x33xf32>
  return %0 : tensor<6x11x3x33xf32>
}
func.func @no_columns(%w: tensor<4x5x33xf32>, %x: tensor<8xf32>, %o: tensor<33xf32>) -> tensor<33xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(f, v, u) -> (v, u, f)>, affine_map<(f, v, u) -> (v + u)>, affine_map<(f, v, u) -> (f)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%w, %x : tensor<4x5x33xf32>, tensor<8xf32>) outs(%o : tensor<33xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %3 = arith.mulf %b, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<33xf32>
  return %0 : tensor<33xf32>
}
// A sum over the weights alone is none over windows.
func.func @weights_alone(%w: tensor<5x5x2x2x5xf32>, %x: tensor<5x6xf32>, %o: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, c, y, v, n) -> (c, d, y, v, n)>, affine_map<(d, c, y, v, n) -> (n, d + y)>, affine_map<(d, c, y, v, n) -> (n, y)>], iterator_types = ["reduction", "reduction", "parallel", "reduction", "parallel"]} ins(%w, %x : tensor<5x5x2x2x5xf32>, tensor<5x6xf32>) outs(%o : tensor<5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %3 = arith.mulf %b, %a : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
func.func @bytes(%x: tensor<2x3x9x11xi8>, %w: tensor<5x3x2x3xi8>, %o: tensor<2x5x8x9xi32>) -> tensor<2x5x8x9xi32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x9x11xi8>, tensor<5x3x2x3xi8>) outs(%o : tensor<2x5x8x9xi32>) -> tensor<2x5x8x9xi32>
  return %0 : tensor<2x5x8x9xi32>
}

// Few filters over a large image read it where it lies, unless their windows are further apart, or for a GPU.
// RUN: tcc-attn opt %s --passes=windows --target=host:x86-64-v4 | FileCheck %s --check-prefix=HOST
// RUN: tcc-attn opt %s --passes=windows --target=nvptx:sm_80 | FileCheck %s --check-prefix=GPU
// HOST-LABEL: func.func @few_filters(
// HOST: linalg.conv_2d_nchw_fchw
// HOST-LABEL: func.func @apart(
// HOST-NOT: linalg.conv_2d_nchw_fchw
// GPU-LABEL: func.func @few_filters(
// GPU-NOT: linalg.conv_2d_nchw_fchw
func.func @few_filters(%x: tensor<1x3x258x258xf32>, %w: tensor<8x3x3x3xf32>, %o: tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x258x258xf32>, tensor<8x3x3x3xf32>) outs(%o : tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}
func.func @apart(%x: tensor<1x3x513x513xf32>, %w: tensor<8x3x3x3xf32>, %o: tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x513x513xf32>, tensor<8x3x3x3xf32>) outs(%o : tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}
