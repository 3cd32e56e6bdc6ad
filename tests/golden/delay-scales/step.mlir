// The maximum of a row is that of scores without their scale, behind a mask too; only differences see scaled scores.
// RUN: tcc-attn opt %s --passes=delay-scales,simplify | FileCheck %s

// CHECK-LABEL: @step
// CHECK: %[[VISIBLE:.*]] = arith.select %arg1, %arg0, %{{.*}} : vector<8x16xi1>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[VISIBLE]], %{{.*}} : vector<8x16xf32>
// CHECK: %[[RAW:.*]] = vector.multi_reduction <maxnumf>, %[[VISIBLE]], %{{.*}} [1]
// CHECK: %[[ROW:.*]] = arith.mulf %[[RAW]], %{{.*}} : vector<8xf32>
// CHECK: %[[MAX:.*]] = arith.maxnumf %[[ROW]], %arg2 : vector<8xf32>
// CHECK: %[[BELOW:.*]] = arith.subf %[[SCALED]]
// CHECK: return %[[BELOW]], %[[MAX]]
func.func @step(%scores: vector<8x16xf32>, %seen: vector<8x16xi1>, %old: vector<8xf32>)
    -> (vector<8x16xf32>, vector<8xf32>) {
  %scale = arith.constant dense<0.125> : vector<8x16xf32>
  %hidden = arith.constant dense<0xFF800000> : vector<8x16xf32>
  %scaled = arith.mulf %scores, %scale : vector<8x16xf32>
  %masked = arith.select %seen, %scaled, %hidden : vector<8x16xi1>, vector<8x16xf32>
  %max = vector.multi_reduction <maxnumf>, %masked, %old [1] : vector<8x16xf32> to vector<8xf32>
  %column = vector.shape_cast %max : vector<8xf32> to vector<8x1xf32>
  %all = vector.broadcast %column : vector<8x1xf32> to vector<8x16xf32>
  %below = arith.subf %masked, %all : vector<8x16xf32>
  return %below, %max : vector<8x16xf32>, vector<8xf32>
}

// A factor that turns the order around, a mask that hides nothing, and a sum stay.
// CHECK-LABEL: @other
// CHECK: %[[TURNED:.*]] = arith.mulf %arg0
// CHECK: vector.multi_reduction <maxnumf>, %[[TURNED]], %arg2
// CHECK: %[[HALF:.*]] = arith.mulf %arg0
// CHECK: %[[CHOSEN:.*]] = arith.select %arg1, %[[HALF]]
// CHECK: vector.multi_reduction <add>, %[[HALF]], %arg2
func.func @other(%x: vector<8x16xf32>, %seen: vector<8x16xi1>, %row: vector<8xf32>)
    -> (vector<8xf32>, vector<8x16xf32>, vector<8xf32>) {
  %turn = arith.constant dense<-2.0> : vector<8x16xf32>
  %half = arith.constant dense<0.5> : vector<8x16xf32>
  %zero = arith.constant dense<0.0> : vector<8x16xf32>
  %turned = arith.mulf %x, %turn : vector<8x16xf32>
  %max = vector.multi_reduction <maxnumf>, %turned, %row [1] : vector<8x16xf32> to vector<8xf32>
  %scaled = arith.mulf %x, %half : vector<8x16xf32>
  %chosen = arith.select %seen, %scaled, %zero : vector<8x16xi1>, vector<8x16xf32>
  %sum = vector.multi_reduction <add>, %scaled, %row [1] : vector<8x16xf32> to vector<8xf32>
  return %max, %chosen, %sum : vector<8xf32>, vector<8x16xf32>, vector<8xf32>
}

// One mask serves the maximum, the weights and their sum, whatever they are rounded to: e^-infinity is 0. Not where the maximum
// may be -infinity itself.
// CHECK-LABEL: @once
// CHECK: %[[MASKED:.*]] = arith.select %arg1, %arg0
// CHECK: arith.subf %[[MASKED]]
// CHECK: %[[WEIGHTS:.*]] = math.exp
// CHECK: vector.multi_reduction <add>, %[[WEIGHTS]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[WEIGHTS]]
// CHECK-NEXT: return %{{.*}}, %[[NARROW]]
func.func @once(%x: vector<8x16xf32>, %mask: vector<8x16xi1>, %old: vector<8xf32>)
    -> (vector<8xf32>, vector<8x16xf16>) {
  %hidden = arith.constant dense<0xFF800000> : vector<8x16xf32>
  %none = arith.constant dense<0.0> : vector<8x16xf32>
  %narrow_none = arith.constant dense<0.0> : vector<8x16xf16>
  %lowest = arith.constant dense<0xFF7FFFFF> : vector<8xf32>
  %start = arith.maximumf %old, %lowest : vector<8xf32>
  %masked = arith.select %mask, %x, %hidden : vector<8x16xi1>, vector<8x16xf32>
  %max = vector.multi_reduction <maxnumf>, %masked, %start [1] : vector<8x16xf32> to vector<8xf32>
  %column = vector.shape_cast %max : vector<8xf32> to vector<8x1xf32>
  %all = vector.broadcast %column : vector<8x1xf32> to vector<8x16xf32>
  %below = arith.subf %x, %all : vector<8x16xf32>
  %weights = math.exp %below fastmath<afn> : vector<8x16xf32>
  %summands = arith.select %mask, %weights, %none : vector<8x16xi1>, vector<8x16xf32>
  %sum = vector.multi_reduction <add>, %summands, %old [1] : vector<8x16xf32> to vector<8xf32>
  %narrow = arith.truncf %weights : vector<8x16xf32> to vector<8x16xf16>
  %factors = arith.select %mask, %narrow, %narrow_none : vector<8x16xi1>, vector<8x16xf16>
  return %sum, %factors : vector<8xf32>, vector<8x16xf16>
}
