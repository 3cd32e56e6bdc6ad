// Loads in a body are vectors where neighbours in lanes are neighbours in memory: rows that another tensor names, or
// columns from some place on. The last tile of a ragged row ends with the row.
// RUN: tcc-attn compile %s --target=host:x86-64-v4 --cores=1 --verify --dump=register-tile -o /dev/null 2>&1 | FileCheck %s
// RUN: tcc-attn run %s --func=rows --random --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=ragged --random=2 --dims=5 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=shifted --random=3 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=moved --random=4 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: sh -c 'for n in 1 3 16 67; do tcc-attn run %s --func=backwards --random=4 --dims=$n --check || exit 1; done'
// RUN: sh -c 'for n in 1 7 67; do tcc-attn run %s --func=backwards --random=4 --dims=$n --check --target=host:x86-64 || exit 1; done'
// RUN: tcc-attn run %s --func=along_two --random=4 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=elsewhere --random=5 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=partner --random=6 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=rows --random --check --target=host:x86-64 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=moved --random=4 --check --target=host:x86-64 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=far --random=7 --check 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=far --random=8 --check --target=host:x86-64 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: tcc-attn run %s --func=partner --random=6 --check --fuse=off 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: {{: good$}}

#row = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>

// CHECK: after register-tile
// CHECK-LABEL: func.func @rows(
// CHECK: memref.load
// CHECK: %[[PLACE:.*]] = arith.andi
// CHECK: %[[ROW:.*]] = arith.index_cast %[[PLACE]]
// CHECK: vector.transfer_read %arg1[%[[ROW]], %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<16x128xf32>, vector<64xf32>
// CHECK: math.exp {{.*}} : vector<64xf32>
func.func @rows(%number: tensor<100xi32>, %table: tensor<16x128xf32>) -> tensor<100x128xf32> {
  %mask = arith.constant 15 : i32
  %empty = tensor.empty() : tensor<100x128xf32>
  %result = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%number : tensor<100xi32>) outs(%empty : tensor<100x128xf32>) {
  ^bb0(%n: i32, %out: f32):
    %place = arith.andi %n, %mask : i32
    %row = arith.index_cast %place : i32 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %table[%row, %column] : tensor<16x128xf32>
    %power = math.exp %element : f32
    linalg.yield %power : f32
  } -> tensor<100x128xf32>
  return %result : tensor<100x128xf32>
}

// CHECK-LABEL: func.func @ragged(
// CHECK: vector.transfer_read %arg1[%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<16x77xf32>, vector<{{.*}}xf32>
// CHECK: vector.transfer_read %arg1[%{{.*}}, %{{.*}}], %{{.*}} : memref<16x77xf32>, vector<{{.*}}xf32>
func.func @ragged(%number: tensor<?xi32>, %table: tensor<16x77xf32>) -> tensor<?x77xf32> {
  %mask = arith.constant 15 : i32
  %c0 = arith.constant 0 : index
  %count = tensor.dim %number, %c0 : tensor<?xi32>
  %empty = tensor.empty(%count) : tensor<?x77xf32>
  %result = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%number : tensor<?xi32>) outs(%empty : tensor<?x77xf32>) {
  ^bb0(%n: i32, %out: f32):
    %place = arith.andi %n, %mask : i32
    %row = arith.index_cast %place : i32 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %table[%row, %column] : tensor<16x77xf32>
    linalg.yield %element : f32
  } -> tensor<?x77xf32>
  return %result : tensor<?x77xf32>
}

// CHECK-LABEL: func.func @shifted(
// CHECK: vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<200xf32>, vector<{{.*}}xf32>
func.func @shifted(%x: tensor<200xf32>) -> tensor<9x128xf32> {
  %seven = arith.constant 7 : index
  %empty = tensor.empty() : tensor<9x128xf32>
  %result = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<9x128xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %from = arith.muli %i, %seven : index
    %place = arith.addi %from, %j : index
    %element = tensor.extract %x[%place] : tensor<200xf32>
    linalg.yield %element : f32
  } -> tensor<9x128xf32>
  return %result : tensor<9x128xf32>
}

// By way of i64, and minus something.
// CHECK-LABEL: func.func @moved(
// CHECK: vector.transfer_read %arg1[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<200xf32>, vector<{{.*}}xf32>
func.func @moved(%by: tensor<9xi8>, %x: tensor<200xf32>) -> tensor<9x60xf32> {
  %most = arith.constant 130 : i64
  %empty = tensor.empty() : tensor<9x60xf32>
  %result = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%by : tensor<9xi8>) outs(%empty : tensor<9x60xf32>) {
  ^bb0(%b: i8, %out: f32):
    %j = linalg.index 1 : index
    %wide = arith.index_cast %j : index to i64
    %back = arith.extui %b : i8 to i64
    %low = arith.minui %back, %most : i64
    %far = arith.addi %wide, %most : i64
    %place = arith.subi %far, %low : i64
    %index = arith.index_cast %place : i64 to index
    %element = tensor.extract %x[%index] : tensor<200xf32>
    linalg.yield %element : f32
  } -> tensor<9x60xf32>
  return %result : tensor<9x60xf32>
}

// Neighbours in lanes are further apart.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-NOT: vector.transfer_read %arg0
// CHECK-COUNT-2: memref.load %arg0[
// CHECK-NOT: vector.transfer_read %arg0
// CHECK: return
func.func @elsewhere(%x: tensor<200xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %two = arith.constant 2 : index
  %last = arith.constant 199 : index
  %empty = tensor.empty() : tensor<100xf32>
  %results:2 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%empty, %empty : tensor<100xf32>, tensor<100xf32>) {
  ^bb0(%out: f32, %other: f32):
    %j = linalg.index 0 : index
    %twice = arith.muli %j, %two : index
    %back = arith.subi %last, %j : index
    %second = tensor.extract %x[%twice] : tensor<200xf32>
    %mirrored = tensor.extract %x[%back] : tensor<200xf32>
    linalg.yield %second, %mirrored : f32, f32
  } -> (tensor<100xf32>, tensor<100xf32>)
  return %results#0, %results#1 : tensor<100xf32>, tensor<100xf32>
}

// Where they come backwards, they are read forwards and turned; lanes beyond the end of a row, whose elements would lie
// before the first one, read none.
// CHECK-LABEL: func.func @backwards(
// CHECK: %[[FORWARDS:.*]] = vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<?xf32>, vector<[[LANES:[0-9]+]]xf32>
// CHECK: vector.shuffle %[[FORWARDS]], %[[FORWARDS]] [{{[0-9]+}}, {{.*}}, 1, 0] : vector<[[LANES]]xf32>
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK-NEXT: %[[TURNED:.*]] = vector.shuffle %[[MASK]], %[[MASK]] [{{.*}}, 1, 0]
// CHECK: %[[SOME:.*]] = vector.transfer_read %arg0[%{{.*}}], %{{.*}}, %[[TURNED]] {in_bounds = [true]} : memref<?xf32>, vector<[[REST:[0-9]+]]xf32>
// CHECK: vector.shuffle %[[SOME]], %[[SOME]] [{{.*}}, 1, 0] : vector<[[REST]]xf32>
func.func @backwards(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %count, %c1 : index
  %empty = tensor.empty(%count) : tensor<?xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%empty : tensor<?xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 0 : index
    %back = arith.subi %last, %j : index
    %mirrored = tensor.extract %x[%back] : tensor<?xf32>
    linalg.yield %mirrored : f32
  } -> tensor<?xf32>
  return %result : tensor<?xf32>
}

// Along two loops at once they are no neighbours: rows are read one by one.
// CHECK-LABEL: func.func @along_two(
// CHECK-NOT: memref.load
// CHECK: vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<39xf32>, vector<{{[0-9]+}}xf32>
// CHECK-NOT: memref.load
// CHECK: return
func.func @along_two(%x: tensor<39xf32>) -> tensor<8x32xf32> {
  %seven = arith.constant 7 : index
  %empty = tensor.empty() : tensor<8x32xf32>
  %result = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8x32xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.subi %j, %i : index
    %place = arith.addi %0, %seven : index
    %element = tensor.extract %x[%place] : tensor<39xf32>
    %square = arith.mulf %element, %element : f32
    linalg.yield %square : f32
  } -> tensor<8x32xf32>
  return %result : tensor<8x32xf32>
}

// Where the body computes much, they are loaded one by one, by way of scratch memory, and the rest goes as elsewhere. What
// lies beyond the end of a row is not loaded.
// CHECK-LABEL: func.func @far(
// CHECK: vector.transfer_write {{.*}} : vector<[[LANES:[0-9]+]]xindex>, memref<[[LANES]]xindex>
// CHECK: scf.for %[[LANE:[a-z0-9]+]] = %{{.*}} to %c{{[0-9]+}}
// CHECK: %[[PLACE:.*]] = memref.load %{{.*}}[%[[LANE]]] : memref<[[LANES]]xindex>
// CHECK: %[[ELEMENT:.*]] = memref.load %arg0[%{{.*}}, %[[PLACE]]]
// CHECK: memref.store %[[ELEMENT]], %[[LOADED:.*]][%[[LANE]]]
// CHECK: vector.transfer_read %[[LOADED]][
// CHECK: math.exp {{.*}} : vector<[[LANES]]xf32>
// CHECK: scf.for {{.*}} to %c13{{[ _]}}
func.func @far(%x: tensor<9x200xf32>) -> tensor<9x77xf32> {
  %two = arith.constant 2 : index
  %empty = tensor.empty() : tensor<9x77xf32>
  %result = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<9x77xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.muli %j, %two : index
    %element = tensor.extract %x[%i, %twice] : tensor<9x200xf32>
    %power = math.exp %element : f32
    linalg.yield %power : f32
  } -> tensor<9x77xf32>
  return %result : tensor<9x77xf32>
}

// What the op before writes is read at another place: the two do not run tile by tile.
// CHECK-LABEL: func.func @partner(
func.func @partner(%x: tensor<40x64xf32>) -> tensor<39x64xf32> {
  %one = arith.constant 1 : index
  %empty = tensor.empty() : tensor<40x64xf32>
  %powers = linalg.exp ins(%x : tensor<40x64xf32>) outs(%empty : tensor<40x64xf32>) -> tensor<40x64xf32>
  %part = tensor.extract_slice %powers[0, 0] [39, 64] [1, 1] : tensor<40x64xf32> to tensor<39x64xf32>
  %result_empty = tensor.empty() : tensor<39x64xf32>
  %result = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%part : tensor<39x64xf32>) outs(%result_empty : tensor<39x64xf32>) {
  ^bb0(%own: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %next = arith.addi %i, %one : index
    %element = tensor.extract %powers[%next, %j] : tensor<40x64xf32>
    %sum = arith.addf %own, %element : f32
    linalg.yield %sum : f32
  } -> tensor<39x64xf32>
  return %result : tensor<39x64xf32>
}
