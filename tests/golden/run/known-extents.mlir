// An extent that the types leave open but another operand makes known: what the schedule makes of the op knows it, and
// the op's users keep the type that they have.
// RUN: tcc-attn opt %s --passes=schedule | FileCheck %s
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify --fuse=off
// RUN: tcc-attn run %s --func=diagonal --random --dims=7 --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=summed_in_f32 --random --dims=1,9 --check --verify
// RUN: tcc-attn run %s --func=summed_in_f32 --random --dims=1,9 --check --verify --device=ptx-emu
// RUN: tcc-attn run %s --func=part_of_fill --random --dims=5 --check --verify
// RUN: tcc-attn run %s --func=dropped --random --dims=8,9 --check --verify | FileCheck %s --check-prefix=DROPPED
// RUN: tcc-attn run %s --func=dropped --random --dims=8,9 --check --verify --device=ptx-emu | FileCheck %s --check-prefix=DROPPED
// RUN: tcc-attn run %s --func=put_back --random --dims=5,3 --check --verify
// RUN: tcc-attn run %s --func=repeated --random --dims=5 --check --verify
// RUN: tcc-attn run %s --func=split --random --dims=6,6 --check --verify
// RUN: tcc-attn run %s --func=split --random --dims=6,6 --check --verify --fuse=off
// RUN: tcc-attn run %s --func=one_element --random --check --verify
// RUN: tcc-attn compile %s --target=spirv:pvc -o %t.tecp --verify

// CHECK: %[[WHOLE:.*]] = scf.forall {{.*}} -> (tensor<3x7xf32>)
// CHECK: %[[OPEN:.*]] = tensor.cast %[[WHOLE]] : tensor<3x7xf32> to tensor<3x?xf32>
// CHECK: return %[[OPEN]] : tensor<3x?xf32>
func.func @diagonal(%x: tensor<7x?xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<7x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, c) -> (c, c)>, affine_map<(a, c) -> (a, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x?xf32>) outs(%e : tensor<3x?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %y = arith.addf %p, %p : f32
    linalg.yield %y : f32
  } -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

// The same where a product is replaced by one that adds up in f32, and its result rounded.
// CHECK-LABEL: func.func @summed_in_f32(
func.func @summed_in_f32(%a: tensor<?x8xf16>, %b: tensor<8x?xf16>) -> tensor<?x?xf16> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %n = tensor.dim %b, %c1 : tensor<8x?xf16>
  %e = tensor.empty(%c1, %n) : tensor<?x?xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x?xf16>) outs(%f : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// A slice's size is a constant that the op spells as a value: it shows so many elements, and its type stays open.
// CHECK-LABEL: func.func @part_of_fill(
func.func @part_of_fill(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.extract_slice %f[0] [%c3] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// Dims whose size is spelled 1 are dropped, not those that only turn out to be 1: the result has one row of two.
// CHECK-LABEL: func.func @dropped(
// DROPPED: -> (f32[1, 2])
// DROPPED: : good
func.func @dropped(%x: tensor<3x?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %y = math.exp %x : tensor<3x?x?xf32>
  %part = tensor.extract_slice %y[1, %c6, 0] [%c1, %c2, 1] [1, 1, 1] : tensor<3x?x?xf32> to tensor<?x?xf32>
  %r = arith.addf %part, %part : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @put_back(
func.func @put_back(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = math.exp %y : tensor<?x4xf32>
  %r = tensor.insert_slice %z into %x[%c1, 0] [%c3, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A result loses a dim that no input has, and gets it back in the type that its users have.
// CHECK-LABEL: func.func @repeated(
func.func @repeated(%x: tensor<?xf32>) -> tensor<?x1xf32> {
  %c3 = arith.constant 3 : index
  %part = tensor.extract_slice %x[1] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %e = tensor.empty(%c3) : tensor<?x1xf32>
  %r = linalg.broadcast ins(%part : tensor<3xf32>) outs(%e : tensor<?x1xf32>) dimensions = [1]
  return %r : tensor<?x1xf32>
}

// Tiles of reshapes show other extents than what they are tiles of.
// CHECK-LABEL: func.func @split(
func.func @split(%x: tensor<?x?xf32>) -> tensor<6x?x1x3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %rows = tensor.expand_shape %x [[0, 1], [2]] output_shape [6, %c1, %c6] : tensor<?x?xf32> into tensor<6x?x?xf32>
  %parts = tensor.expand_shape %rows [[0], [1], [2, 3]] output_shape [6, %c1, %c2, 3]
      : tensor<6x?x?xf32> into tensor<6x?x?x3xf32>
  %e = tensor.empty(%c2) : tensor<6x?x1x3xf32>
  %r = linalg.transpose ins(%parts : tensor<6x?x?x3xf32>) outs(%e : tensor<6x?x1x3xf32>) permutation = [0, 2, 1, 3]
  return %r : tensor<6x?x1x3xf32>
}

// CHECK-LABEL: func.func @one_element(
func.func @one_element(%x: tensor<7xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<7xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %one = tensor.expand_shape %sum [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %open = tensor.cast %one : tensor<1x1xf32> to tensor<?x?xf32>
  %pair = tensor.pad %open low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %e3 = tensor.empty() : tensor<3x1x2xf32>
  %r = linalg.broadcast ins(%pair : tensor<?x?xf32>) outs(%e3 : tensor<3x1x2xf32>) dimensions = [2]
  %flat = tensor.collapse_shape %r [[0, 1, 2]] : tensor<3x1x2xf32> into tensor<6xf32>
  %c = tensor.cast %flat : tensor<6xf32> to tensor<?xf32>
  return %c : tensor<?xf32>
}

// A tile that is whole is as long as what it becomes: on GPUs, where tiles need bounds, too.
// CHECK-LABEL: func.func @bounded(
func.func @bounded(%x: tensor<?x12xf32>) -> tensor<2x12xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %split = tensor.expand_shape %x [[0], [1, 2]] output_shape [%c2, 12, 1] : tensor<?x12xf32> into tensor<?x12x1xf32>
  %e = tensor.empty() : tensor<2x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x12xf32>) -> tensor<2x12xf32>
  %r = linalg.reduce { arith.addf } ins(%split : tensor<?x12x1xf32>) outs(%f : tensor<2x12xf32>) dimensions = [2]
  return %r : tensor<2x12xf32>
}
