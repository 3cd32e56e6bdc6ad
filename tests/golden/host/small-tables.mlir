// Elements of a table so small that registers hold it are found there, by a shuffle for each register of them: weights of
// four bits that stand for numbers of a table are made in the registers of the product that reads them.
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=mlir -o - --verify | FileCheck %s
// RUN: tcc-attn compile %s --target=host:znver4 --cores=1 --emit=asm -o - | FileCheck %s --check-prefix=AVX512
// RUN: tcc-attn compile %s --target=host:znver3 --cores=1 --emit=asm -o - | FileCheck %s --check-prefix=AVX2
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do for t in "" --target=host:x86-64-v3 --target=host:x86-64; do tcc-attn run %s --func=$f --random --check $t || exit 1; done; done'
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\).*/\1/p" %s); do tcc-attn run %s --func=$f --random=3 --check --device=ptx-emu || exit 1; done'

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#bytes = affine_map<(n, j, h) -> (n, j)>
#scales = affine_map<(n, j, h) -> (n, j floordiv 32)>
#all = affine_map<(n, j, h) -> (n, j, h)>

// Both halves of a byte side by side, a scale for each 64 terms.
// CHECK-LABEL: func.func @in_turn(
// CHECK-NOT: memref.alloc
// CHECK: vector.gather {{.*}} : memref<16xf32>, vector<4x32xindex>
// CHECK: vector.gather {{.*}} : memref<16xf32>, vector<4x32xindex>
// CHECK: vector.interleave
// CHECK-NOT: vector.transfer_write {{.*}}vector<{{[0-9]+x}}
// CHECK: vector.contract
// CHECK: return
// AVX512-NOT: gather
// AVX512: vperm{{d|ps}} %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// AVX512-LABEL: in_turn:
// AVX2-NOT: gather
// AVX2: vperm{{d|ps}} %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// AVX2: vperm{{d|ps}} %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// AVX2: vblendvps
// AVX2-LABEL: in_turn:
func.func @in_turn(%x: tensor<2x512xf32>, %w: tensor<40x256xi8>, %s: tensor<40x8xf32>) -> tensor<2x40xf32> {
  %table = arith.constant dense<[-1.0, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.091050036, 0.0, 0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0]> : tensor<16xf32>
  %four = arith.constant 4 : i32
  %low = arith.constant 15 : i32
  %we = tensor.empty() : tensor<40x256x2xf32>
  %wide = linalg.generic {indexing_maps = [#bytes, #scales, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %s : tensor<40x256xi8>, tensor<40x8xf32>) outs(%we : tensor<40x256x2xf32>) {
  ^bb0(%byte: i8, %f: f32, %o: f32):
    %half = linalg.index 2 : index
    %number = arith.index_cast %half : index to i32
    %places = arith.muli %number, %four : i32
    %bits = arith.extui %byte : i8 to i32
    %moved = arith.shrui %bits, %places : i32
    %digit = arith.andi %moved, %low : i32
    %index = arith.index_castui %digit : i32 to index
    %v = tensor.extract %table[%index] : tensor<16xf32>
    %p = arith.mulf %v, %f : f32
    linalg.yield %p : f32
  } -> tensor<40x256x2xf32>
  %rows = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<40x256x2xf32> into tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40xf32>) -> tensor<2x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %rows : tensor<2x512xf32>, tensor<40x512xf32>) outs(%init : tensor<2x40xf32>) -> tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}

#bytes_halves = affine_map<(n, g, h, j) -> (n, g, j)>
#scales_halves = affine_map<(n, g, h, j) -> (n, g)>
#all_halves = affine_map<(n, g, h, j) -> (n, g, h, j)>

// The low halves of 16 bytes before the high ones, a power of two for each 32 terms, which is computed once for them; the
// table is an argument.
// CHECK-LABEL: func.func @powers(
// CHECK-NOT: memref.alloc
// CHECK: math.exp2 {{.*}} : vector<8xf32>
// CHECK-NOT: vector.transfer_write {{.*}}vector<{{[0-9]+x}}
// CHECK: vector.contract
// CHECK: return
func.func @powers(%x: tensor<1x512xf32>, %w: tensor<40x16x16xi8>, %s: tensor<40x16xi8>, %table: tensor<16xf32>) -> tensor<1x40xf32> {
  %four = arith.constant 4 : i32
  %low = arith.constant 15 : i32
  %sixteenth = arith.constant 0.0625 : f32
  %we = tensor.empty() : tensor<40x16x2x16xf32>
  %wide = linalg.generic {indexing_maps = [#bytes_halves, #scales_halves, #all_halves], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %s : tensor<40x16x16xi8>, tensor<40x16xi8>) outs(%we : tensor<40x16x2x16xf32>) {
  ^bb0(%byte: i8, %f: i8, %o: f32):
    %half = linalg.index 2 : index
    %number = arith.index_cast %half : index to i32
    %places = arith.muli %number, %four : i32
    %bits = arith.extui %byte : i8 to i32
    %moved = arith.shrui %bits, %places : i32
    %digit = arith.andi %moved, %low : i32
    %index = arith.index_castui %digit : i32 to index
    %v = tensor.extract %table[%index] : tensor<16xf32>
    %power = arith.sitofp %f : i8 to f32
    %less = arith.mulf %power, %sixteenth : f32
    %scale = math.exp2 %less : f32
    %p = arith.mulf %v, %scale : f32
    linalg.yield %p : f32
  } -> tensor<40x16x2x16xf32>
  %rows = tensor.collapse_shape %wide [[0], [1, 2, 3]] : tensor<40x16x2x16xf32> into tensor<40x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x40xf32>) -> tensor<1x40xf32>
  %r = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %rows : tensor<1x512xf32>, tensor<40x512xf32>) outs(%init : tensor<1x40xf32>) -> tensor<1x40xf32>
  return %r : tensor<1x40xf32>
}

#each = affine_map<(n, k) -> (n, k)>

// Tables that the program makes, of eight and of 16 bits; rows end within a register.
// CHECK-LABEL: func.func @ragged(
// CHECK: vector.gather {{.*}} : memref<5xi8>, vector<{{[0-9x]*}}xindex>
// CHECK: vector.gather {{.*}} : memref<13xbf16>, vector<{{[0-9x]*}}xindex>
// CHECK: return
func.func @ragged(%a: tensor<3x37xi16>, %bytes: tensor<5xi8>, %wide: tensor<13xf32>) -> tensor<3x37xf32> {
  %five = arith.constant 5 : i32
  %thirteen = arith.constant 13 : i32
  %empty = tensor.empty() : tensor<13xbf16>
  %narrow = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%wide : tensor<13xf32>) outs(%empty : tensor<13xbf16>) {
  ^bb0(%v: f32, %o: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<13xbf16>
  %e = tensor.empty() : tensor<3x37xf32>
  %r = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x37xi16>) outs(%e : tensor<3x37xf32>) {
  ^bb0(%i: i16, %o: f32):
    %bits = arith.extui %i : i16 to i32
    %p = arith.remui %bits, %five : i32
    %q = arith.remui %bits, %thirteen : i32
    %at = arith.index_castui %p : i32 to index
    %behind = arith.index_castui %q : i32 to index
    %byte = tensor.extract %bytes[%at] : tensor<5xi8>
    %half = tensor.extract %narrow[%behind] : tensor<13xbf16>
    %x = arith.sitofp %byte : i8 to f32
    %y = arith.extf %half : bf16 to f32
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}

// A larger table stays in memory.
// CHECK-LABEL: func.func @larger(
// CHECK-NOT: vector.gather
// CHECK: memref.load {{.*}} : memref<17xf32>
// CHECK: return
func.func @larger(%a: tensor<3x32xi8>, %table: tensor<17xf32>) -> tensor<3x32xf32> {
  %low = arith.constant 15 : i8
  %e = tensor.empty() : tensor<3x32xf32>
  %r = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x32xi8>) outs(%e : tensor<3x32xf32>) {
  ^bb0(%i: i8, %o: f32):
    %digit = arith.andi %i, %low : i8
    %at = arith.index_castui %digit : i8 to index
    %v = tensor.extract %table[%at] : tensor<17xf32>
    linalg.yield %v : f32
  } -> tensor<3x32xf32>
  return %r : tensor<3x32xf32>
}
