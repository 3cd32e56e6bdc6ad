// Layouts walk through attention with 128 queries, 32 keys and 128 columns a step. The queries are read as left factors; scores come as
// results of matrix units. First conflict: exponentials lie as results and are wanted as left factors. Both are the same
// map, spelled differently. Second conflict: statistics of rows of 32 scores scale rows of 128 columns. As projections of
// the two they are one layout, so there is nothing to convert.
// RUN: tcc-attn opt %s --target=nvptx:sm_80 --verify --passes=simplify,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,simplify,bufferize,layout | FileCheck %s
#rows = affine_map<(m, n) -> (m, n)>
func.func @attention(%q: tensor<256x128xf16>, %k: tensor<512x128xf16>, %v: tensor<512x128xf16>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<256x512xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>]
    ins(%q, %k : tensor<256x128xf16>, tensor<512x128xf16>) outs(%s1 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%s0 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %h0 = tensor.empty() : tensor<256x512xf16>
  %h = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<256x512xf32>) outs(%h0 : tensor<256x512xf16>) {
  ^bb0(%x: f32, %y: f16):
    %z = arith.truncf %x : f32 to f16
    linalg.yield %z : f16
  } -> tensor<256x512xf16>
  %o0 = tensor.empty() : tensor<256x128xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %o = linalg.matmul ins(%h, %v : tensor<256x512xf16>, tensor<512x128xf16>) outs(%o1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %o : tensor<256x128xf32>
}
// CHECK: scf.forall
// CHECK: %[[Q:.*]] = vector.transfer_read {{.*}}tec.layouts = ["[L8@4 R2@2 R2@64 W4@1, R2@1 L4@1 R2@4 R8@8]"]{{.*}}vector<128x128xf16>
// CHECK: scf.for
// CHECK: %[[K:.*]] = vector.transfer_read {{.*}}tec.layouts = ["[L8@4 R4@32 W4@1:0, R2@1 L4@1 R2@2 R8@4]"]{{.*}}vector<32x128xf16>
// CHECK: %[[S:.*]] = vector.contract {{.*}} %[[Q]], %[[K]], {{.*}}tec.layouts = ["[L8@4 R2@2 R2@16 W4@1, R2@1 L4@1 R4@4]"]{{.*}}vector<128x32xf32>
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maxnumf>, %[[S]], {{.*}}tec.layouts = ["[L8@4 R2@1 L4@1:0 R2@2 W4@1]"]
// CHECK: %[[P:.*]] = math.exp {{.*}}tec.layouts = ["[L8@4 R2@2 R2@16 W4@1, R2@1 L4@1 R4@4]"]
// CHECK: %[[SCALE:.*]] = math.exp {{.*}}tec.layouts = ["[L8@4 R2@1 L4@1:0 R2@2 W4@1]"]{{.*}}vector<128xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[P]]
// CHECK: %[[FACTOR:.*]] = vector_ext.to_layout %[[NARROW]] {conversion = "identity", layout = "[L8@4 R2@2 R2@16 W4@1, R2@1 L4@1 R2@4 R2@8]"
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[SCALE]] {tec.layouts = ["[L8@4 R2@1 L4@1:0 R2@2 W4@1, ]"]}
// CHECK: vector.broadcast %[[COLUMN]] {tec.conflict = "batch", tec.layouts = ["[L8@4 R2@2 R2@64 W4@1, R2@1 L4@1 R16@4]"]} : vector<128x1xf32> to vector<128x128xf32>
// CHECK: vector.contract {{.*}} %[[FACTOR]], {{.*}}tec.layouts = ["[L8@4 R2@2 R2@64 W4@1, R2@1 L4@1 R16@4]"]
// CHECK-NOT: to_layout
// CHECK: mapping = [#gpu.block<x>], tec.threads = 128
