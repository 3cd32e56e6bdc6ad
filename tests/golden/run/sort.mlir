// Sorts, as topk is exported with. On hosts the few short rows' places are counted, rows go through a network, by
// integers that have key and place, or by what is compared; the first elements of long ones are selected.
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
// RUN: tcc-attn run %s --func=first --random --check --verify
// RUN: tcc-attn run %s --func=first --random --check --fuse=off
// RUN: tcc-attn run %s --func=first_of_open --random --dims=2,300,3 --check --verify
// RUN: tcc-attn run %s --func=first_of_open --random --dims=1,5,2 --check
// RUN: tcc-attn run %s --func=first_of_open --random --dims=0,70,1 --check
// RUN: tcc-attn run %s --func=one_row --random --check --verify
// RUN: tcc-attn run %s --func=one_row --random --check --device=ptx-emu
// RUN: tcc-attn run %s --func=rows_in_lanes --random --check --verify
// RUN: tcc-attn run %s --func=rows_in_lanes --random --check --threads=3 --target=host:x86-64
// RUN: tcc-attn run %s --func=by_bound --random --check --verify
// RUN: tcc-attn run %s --func=by_bound --random --check --device=ptx-emu

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

// The second to fortieth of all, with many NaN and zeros of both signs among them, which keep their order.
func.func @first(%x: tensor<3x700xf32>) -> (tensor<3x39xf32>, tensor<3x20xi64>) {
  %nan = arith.constant 0x7FC00000 : f32
  %two = arith.constant 2.5 : f32
  %one = arith.constant 1.5 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x700xf32>
  %some = linalg.map ins(%x : tensor<3x700xf32>) outs(%e : tensor<3x700xf32>) (%in: f32, %out: f32) {
    %large = arith.cmpf ogt, %in, %two : f32
    %size = math.absf %in : f32
    %small = arith.cmpf olt, %size, %one : f32
    %signed = math.copysign %zero, %in : f32
    %below = arith.negf %size : f32
    %number = arith.select %small, %signed, %below : f32
    %value = arith.select %large, %nan, %number : f32
    linalg.yield %value : f32
  }
  %ei = tensor.empty() : tensor<3x700xi64>
  %places = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<3x700xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 1 : index
    %integer = arith.index_cast %index : index to i64
    linalg.yield %integer : i64
  } -> tensor<3x700xi64>
  %sorted:2 = tm_tensor.sort dimension(1) outs(%some, %places : tensor<3x700xf32>, tensor<3x700xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %before = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<3x700xf32>, tensor<3x700xi64>
  %values = tensor.extract_slice %sorted#0[0, 1] [3, 39] [1, 1] : tensor<3x700xf32> to tensor<3x39xf32>
  %where = tensor.extract_slice %sorted#1[0, 180] [3, 20] [1, 2] : tensor<3x700xi64> to tensor<3x20xi64>
  return %values, %where : tensor<3x39xf32>, tensor<3x20xi64>
}

// The smallest of columns, in a type of 16 bits; of what is compared with a smaller one.
func.func @first_of_open(%x: tensor<?x?x?xf16>) -> tensor<?x2x?xf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf16>
  %m = tensor.dim %x, %c2 : tensor<?x?x?xf16>
  %sorted = tm_tensor.sort dimension(1) outs(%x : tensor<?x?x?xf16>) {
  ^bb0(%a: f16, %b: f16):
    %before = arith.cmpf ugt, %b, %a : f16
    tm_tensor.yield %before : i1
  } -> tensor<?x?x?xf16>
  %values = tensor.extract_slice %sorted[0, 1, 0] [%n, 2, %m] [1, 2, 1] : tensor<?x?x?xf16> to tensor<?x2x?xf16>
  return %values : tensor<?x2x?xf16>
}

// Parts of one row are lanes, the last of which are not full.
func.func @one_row(%x: tensor<1100xi8>, %y: tensor<1100xf32>) -> (tensor<1100xi8>, tensor<1100xf32>) {
  %sorted:2 = tm_tensor.sort dimension(0) outs(%x, %y : tensor<1100xi8>, tensor<1100xf32>) {
  ^bb0(%a: i8, %b: i8, %c: f32, %d: f32):
    %before = arith.cmpi ule, %a, %b : i8
    tm_tensor.yield %before : i1
  } -> tensor<1100xi8>, tensor<1100xf32>
  return %sorted#0, %sorted#1 : tensor<1100xi8>, tensor<1100xf32>
}

// Rows are lanes, in two blocks, of which the second is not full: columns by numbers of 32 bits, rows by ones of 64.
func.func @rows_in_lanes(%x: tensor<77x2x19xf32>, %y: tensor<21x90xi64>) -> (tensor<77x2x19xf32>, tensor<21x90xi64>) {
  %columns = tm_tensor.sort dimension(0) outs(%x : tensor<77x2x19xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %before : i1
  } -> tensor<77x2x19xf32>
  %rows = tm_tensor.sort dimension(1) outs(%y : tensor<21x90xi64>) {
  ^bb0(%a: i64, %b: i64):
    %before = arith.cmpi sgt, %a, %b : i64
    tm_tensor.yield %before : i1
  } -> tensor<21x90xi64>
  return %columns, %rows : tensor<77x2x19xf32>, tensor<21x90xi64>
}

// Those above what is passed to the function come first: the body compares no two elements.
func.func @by_bound(%x: tensor<300xf32>, %bound: f32) -> tensor<300xf32> {
  %sorted = tm_tensor.sort dimension(0) outs(%x : tensor<300xf32>) {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf ogt, %a, %bound : f32
    tm_tensor.yield %before : i1
  } -> tensor<300xf32>
  return %sorted : tensor<300xf32>
}
