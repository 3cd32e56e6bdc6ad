// The walk through one step of flash attention on vectors: 32 queries, 128 keys, 64 columns, statistics of rows. Both of its
// conflicts have names. The first: what the matrix unit gives, 8 columns at a time, is a factor of the next product, which
// wants 16 at a time: other batches, other vectors, the same map. The second: statistics of rows of 128 scores, in 16 batches,
// are repeated along rows of 64 columns, in 8: they are replicas there, so part of them is enough.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=layout | FileCheck %s
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#values = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @step(%q: memref<4096x64xf16>, %k: memref<4096x64xf16>, %v: memref<4096x64xf16>, %out: memref<4096x64xf16>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %padding = arith.constant 0.0 : f16
  %no_score = arith.constant dense<0.0> : vector<32x128xf32>
  %lowest = arith.constant dense<-3.0e38> : vector<32xf32>
  %nothing = arith.constant dense<0.0> : vector<32xf32>
  %empty = arith.constant dense<0.0> : vector<32x64xf32>
  %one = arith.constant dense<1.0> : vector<32xf32>
  scf.forall (%row) = (0) to (4096) step (32) {
    %queries = vector.transfer_read %q[%row, %c0], %padding {in_bounds = [true, true]} : memref<4096x64xf16>, vector<32x64xf16>
    %state:3 = scf.for %at = %c0 to %c4096 step %c128 iter_args(%old_max = %lowest, %old_sum = %nothing, %sums = %empty)
        -> (vector<32xf32>, vector<32xf32>, vector<32x64xf32>) {
      %keys = vector.transfer_read %k[%at, %c0], %padding {in_bounds = [true, true]} : memref<4096x64xf16>, vector<128x64xf16>
      %scores = vector.contract {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %queries, %keys, %no_score : vector<32x64xf16>, vector<128x64xf16> into vector<32x128xf32>
      %max = vector.multi_reduction <maximumf>, %scores, %old_max [1] : vector<32x128xf32> to vector<32xf32>
      %max_column = vector.shape_cast %max : vector<32xf32> to vector<32x1xf32>
      %max_rows = vector.broadcast %max_column : vector<32x1xf32> to vector<32x128xf32>
      %shifted = arith.subf %scores, %max_rows : vector<32x128xf32>
      %weights = math.exp2 %shifted : vector<32x128xf32>
      %step_down = arith.subf %old_max, %max : vector<32xf32>
      %decay = math.exp2 %step_down : vector<32xf32>
      %decayed = arith.mulf %decay, %old_sum : vector<32xf32>
      %sum = vector.multi_reduction <add>, %weights, %decayed [1] : vector<32x128xf32> to vector<32xf32>
      %inverse = arith.divf %one, %sum : vector<32xf32>
      %inverse_column = vector.shape_cast %inverse : vector<32xf32> to vector<32x1xf32>
      %inverse_rows = vector.broadcast %inverse_column : vector<32x1xf32> to vector<32x128xf32>
      %normal = arith.mulf %weights, %inverse_rows : vector<32x128xf32>
      %factor = arith.truncf %normal : vector<32x128xf32> to vector<32x128xf16>
      %scale = arith.mulf %decayed, %inverse : vector<32xf32>
      %scale_column = vector.shape_cast %scale : vector<32xf32> to vector<32x1xf32>
      %scale_rows = vector.broadcast %scale_column : vector<32x1xf32> to vector<32x64xf32>
      %scaled = arith.mulf %scale_rows, %sums : vector<32x64xf32>
      %tile = vector.transfer_read %v[%at, %c0], %padding {in_bounds = [true, true]} : memref<4096x64xf16>, vector<128x64xf16>
      %next = vector.contract {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %factor, %tile, %scaled : vector<32x128xf16>, vector<128x64xf16> into vector<32x64xf32>
      scf.yield %max, %sum, %next : vector<32xf32>, vector<32xf32>, vector<32x64xf32>
    }
    %narrow = arith.truncf %state#2 : vector<32x64xf32> to vector<32x64xf16>
    vector.transfer_write %narrow, %out[%row, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<4096x64xf16>
  }
  return
}
// CHECK: vector.transfer_read {{.*}}tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R2@4 R4@8]"]{{.*}}vector<32x64xf16>
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}}tec.layouts = ["[L8@4 R16@16 W2@1:0, R2@1 L4@1 R2@2 R4@4]"]{{.*}}vector<128x64xf16>
// CHECK: %[[SCORES:.*]] = vector.contract {{.*}}tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R16@4]"]{{.*}}vector<32x128xf32>
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maximumf>, %[[SCORES]], %{{.*}} {tec.layouts = ["[L8@4 R2@1 L4@1:0 W2@1]"]}
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[MAX]] {tec.layouts = ["[L8@4 R2@1 L4@1:0 W2@1, ]"]}
// CHECK: vector.broadcast %[[COLUMN]] {tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R16@4]"]} : vector<32x1xf32> to vector<32x128xf32>
// CHECK: %[[WEIGHTS:.*]] = arith.truncf {{.*}}tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R16@4]"]{{.*}}to vector<32x128xf16>
// CHECK: %[[FACTOR:.*]] = vector_ext.to_layout %[[WEIGHTS]] {conversion = "identity", layout = "[L8@4 R2@2 W2@1, R2@1 L4@1 R2@4 R8@8]", tec.conflict = "batch and vector"
// CHECK: %[[SCALE:.*]] = vector.shape_cast {{.*}}vector<32xf32> to vector<32x1xf32>
// CHECK: %[[ROWS:.*]] = vector.broadcast %[[SCALE]] {tec.conflict = "batch", tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R8@4]"]} : vector<32x1xf32> to vector<32x64xf32>
// CHECK-NOT: tec.conflict
// CHECK: vector.contract {{.*}} %[[FACTOR]], {{.*}}tec.layouts = ["[L8@4 R2@2 W2@1, R2@1 L4@1 R8@4]"]
// CHECK: mapping = [#gpu.block<x>], tec.threads = 64
