// Sorts, as topk is exported with: places in short rows are counted, long rows and open ones go through a network.
// RUN: tcc-attn run %s --func=topk --random --check --verify
// RUN: tcc-attn run %s --func=topk --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=ascending --random --dims=37 --check
// RUN: tcc-attn run %s --func=ascending --random --dims=1 --check
// RUN: tcc-attn run %s --func=ascending --random --dims=0 --check
// RUN: tcc-attn run %s --func=ascending --random --dims=1025 --check
// RUN: tcc-attn run %s --func=ascending --random --dims=37 --check --device=ptx-emu
// RUN: tcc-attn run %s --func=pairs --random --check
// RUN: tcc-attn run %s --func=pairs --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=long_pairs --random --check --verify
// RUN: tcc-attn run %s --func=long_pairs --random --check --device=ptx-emu

// The largest three, of which some are NaN, and where they are.
func.func @topk(%x: tensor<5x40xf32>) -> (tensor<5x3xf32>, tensor<5x3xi64>) {
  %nan = arith.constant 0x7FC00000 : f32
  %two = arith.constant 3.5 : f32
  %e = tensor.empty() : tensor<5x40xf32>
  %some = linalg.map ins(%x : tensor<5x40xf32>) outs(%e : tensor<5x40xf32>) (%in: f32, %out: f32) {
    %large = arith.cmpf ogt, %in, %two : f32
    %value = arith.select %large, %nan, %in : f32
    linalg.yield %value : f32
  }
  %ei = tensor.empty() : tensor<5x40xi64>
  %places = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<5x40xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 1 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<5x40xi64>
  %sorted:2 = tm_tensor.sort dimension(1) outs(%some, %places : tensor<5x40xf32>, tensor<5x40xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<5x40xf32>, tensor<5x40xi64>
  %values = tensor.extract_slice %sorted#0[0, 0] [5, 3] [1, 1] : tensor<5x40xf32> to tensor<5x3xf32>
  %where = tensor.extract_slice %sorted#1[0, 0] [5, 3] [1, 1] : tensor<5x40xi64> to tensor<5x3xi64>
  return %values, %where : tensor<5x3xf32>, tensor<5x3xi64>
}

// Columns, of 16 bits, with zeros of both signs among the numbers.
func.func @ascending(%x: tensor<?x5xf32>) -> tensor<?x5xbf16> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x5xbf16>
  %narrow = linalg.map ins(%x : tensor<?x5xf32>) outs(%e : tensor<?x5xbf16>) (%in: f32, %out: bf16) {
    %size = math.absf %in : f32
    %small = arith.cmpf olt, %size, %half : f32
    %zero = arith.constant 0.0 : f32
    %signed = math.copysign %zero, %in : f32
    %value = arith.select %small, %signed, %in : f32
    %rounded = arith.truncf %value : f32 to bf16
    linalg.yield %rounded : bf16
  }
  %sorted = tm_tensor.sort dimension(0) outs(%narrow : tensor<?x5xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %before = arith.cmpf olt, %a, %b : bf16
    tm_tensor.yield %before : i1
  } -> tensor<?x5xbf16>
  return %sorted : tensor<?x5xbf16>
}

// By two keys, of which the second decides among equal ones.
func.func @pairs(%x: tensor<2x30x2xi32>, %y: tensor<2x30x2xi8>, %z: tensor<2x30x2xi1>) -> (tensor<2x30x2xi32>, tensor<2x30x2xi8>, tensor<2x30x2xi1>) {
  %sorted:3 = tm_tensor.sort dimension(1) outs(%x, %y, %z : tensor<2x30x2xi32>, tensor<2x30x2xi8>, tensor<2x30x2xi1>) {
  ^bb0(%a: i32, %b: i32, %c: i8, %d: i8, %e: i1, %f: i1):
    %less = arith.cmpi slt, %c, %d : i8
    %same = arith.cmpi eq, %c, %d : i8
    %second = arith.cmpi ugt, %e, %f : i1
    %before = arith.select %same, %second, %less : i1
    tm_tensor.yield %before : i1
  } -> tensor<2x30x2xi32>, tensor<2x30x2xi8>, tensor<2x30x2xi1>
  return %sorted#0, %sorted#1, %sorted#2 : tensor<2x30x2xi32>, tensor<2x30x2xi8>, tensor<2x30x2xi1>
}

// Rows longer than places are counted in; the first key has many equal elements.
func.func @long_pairs(%x: tensor<2x700x2xi32>, %y: tensor<2x700x2xi8>, %z: tensor<2x700x2xf32>) -> (tensor<2x700x2xi32>, tensor<2x700x2xi8>, tensor<2x700x2xf32>) {
  %sorted:3 = tm_tensor.sort dimension(1) outs(%x, %y, %z : tensor<2x700x2xi32>, tensor<2x700x2xi8>, tensor<2x700x2xf32>) {
  ^bb0(%a: i32, %b: i32, %c: i8, %d: i8, %e: f32, %f: f32):
    %less = arith.cmpi slt, %c, %d : i8
    %same = arith.cmpi eq, %c, %d : i8
    %second = arith.cmpf ogt, %e, %f : f32
    %before = arith.select %same, %second, %less : i1
    tm_tensor.yield %before : i1
  } -> tensor<2x700x2xi32>, tensor<2x700x2xi8>, tensor<2x700x2xf32>
  return %sorted#0, %sorted#1, %sorted#2 : tensor<2x700x2xi32>, tensor<2x700x2xi8>, tensor<2x700x2xf32>
}
