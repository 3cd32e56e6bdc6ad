// Scores that a mask may have made huge are rounded before the maximum is taken off; those that are products of queries
// and keys, their scales from memory included, are not, so that both become one multiply-add.
// RUN: tcc-attn opt %s --passes=delay-scales | FileCheck %s
// RUN: tcc-attn opt %s --passes=delay-scales,simplify | tcc-attn opt - | FileCheck %s

// CHECK-LABEL: @hidden
// CHECK: arith.mulf {{.*}} {tec.rounded}
func.func @hidden(%q: vector<8x4xf32>, %k: vector<16x4xf32>, %seen: vector<8x16xi1>, %max: vector<8x16xf32>) -> vector<8x16xf32> {
  %scale = arith.constant dense<0.3> : vector<8x16xf32>
  %low = arith.constant dense<-1.0e9> : vector<8x16xf32>
  %zero = arith.constant dense<0.0> : vector<8x16xf32>
  %scores = vector.contract {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q, %k, %zero : vector<8x4xf32>, vector<16x4xf32> into vector<8x16xf32>
  %masked = arith.select %seen, %scores, %low : vector<8x16xi1>, vector<8x16xf32>
  %scaled = arith.mulf %masked, %scale : vector<8x16xf32>
  %below = arith.subf %scaled, %max : vector<8x16xf32>
  %power = math.exp %below : vector<8x16xf32>
  return %power : vector<8x16xf32>
}

// CHECK-LABEL: @added
// CHECK: arith.mulf {{.*}} {tec.rounded}
func.func @added(%q: vector<8x4xf32>, %k: vector<16x4xf32>, %mask: vector<8x16xf32>, %max: vector<8x16xf32>) -> vector<8x16xf32> {
  %scale = arith.constant dense<-0.3> : vector<8x16xf32>
  %zero = arith.constant dense<0.0> : vector<8x16xf32>
  %scores = vector.contract {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q, %k, %zero : vector<8x4xf32>, vector<16x4xf32> into vector<8x16xf32>
  %masked = arith.addf %scores, %mask : vector<8x16xf32>
  %scaled = arith.mulf %masked, %scale : vector<8x16xf32>
  %below = arith.subf %scaled, %max : vector<8x16xf32>
  %power = math.exp2 %below : vector<8x16xf32>
  return %power : vector<8x16xf32>
}

// CHECK-LABEL: @from_memory
// CHECK: arith.mulf {{.*}} {tec.rounded}
func.func @from_memory(%scores: vector<8x16xf32>, %max: vector<8x16xf32>) -> vector<8x16xf32> {
  %scale = arith.constant dense<0.3> : vector<8x16xf32>
  %scaled = arith.mulf %scores, %scale : vector<8x16xf32>
  %below = arith.subf %scaled, %max : vector<8x16xf32>
  %power = math.exp %below : vector<8x16xf32>
  return %power : vector<8x16xf32>
}

// CHECK-LABEL: @moderate
// CHECK-NOT: tec.rounded
func.func @moderate(%q: vector<8x4xf32>, %k: vector<16x4xf32>, %scales: vector<8x16xf32>, %seen: vector<8x16xi1>, %max: vector<8x16xf32>) -> vector<8x16xf32> {
  %scale = arith.constant dense<0.3> : vector<8x16xf32>
  %hidden = arith.constant dense<0xFF800000> : vector<8x16xf32>
  %zero = arith.constant dense<0.0> : vector<8x16xf32>
  %products = vector.contract {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q, %k, %zero : vector<8x4xf32>, vector<16x4xf32> into vector<8x16xf32>
  %scores = arith.mulf %products, %scales : vector<8x16xf32>
  %masked = arith.select %seen, %scores, %hidden : vector<8x16xi1>, vector<8x16xf32>
  %scaled = arith.mulf %masked, %scale : vector<8x16xf32>
  %below = arith.subf %scaled, %max : vector<8x16xf32>
  %power = math.exp %below : vector<8x16xf32>
  return %power : vector<8x16xf32>
}
