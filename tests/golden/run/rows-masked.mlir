// Rows that a mask hides by a finite number, which is added to all of their scores or makes them that: they are means. In
// front of a factor, the number must not become infinite, whatever the units of exponents.
// RUN: sh -c 'for f in rows lowest; do for d in host ptx-emu; do tcc-attn run %s --func=$f --random --check --device=$d || exit 1; done; done'

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @rows(%q: tensor<5x8xf32>, %k: tensor<40x8xf32>, %v: tensor<40x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<5x40xf32>
  %row_empty = tensor.empty() : tensor<5xf32>
  %empty = tensor.empty() : tensor<5x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<5x40xf32>) -> tensor<5x40xf32>
  %products = linalg_ext.batch_matmul ins(%q, %k : tensor<5x8xf32>, tensor<40x8xf32>) outs(%start : tensor<5x40xf32>) layout = "nt" -> tensor<5x40xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%products : tensor<5x40xf32>) outs(%scores_empty : tensor<5x40xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 0 : index
    %length = arith.constant 2 : index
    %none = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %seen = arith.cmpi slt, %i, %length : index
    %mask = arith.select %seen, %none, %lowest : f32
    %masked = arith.addf %x, %mask : f32
    linalg.yield %masked : f32
  } -> tensor<5x40xf32>
  %least = arith.constant 0xFF800000 : f32
  %most_start = linalg.fill ins(%least : f32) outs(%row_empty : tensor<5xf32>) -> tensor<5xf32>
  %most = linalg.reduce { arith.maximumf } ins(%scores : tensor<5x40xf32>) outs(%most_start : tensor<5xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%scores, %most : tensor<5x40xf32>, tensor<5xf32>) outs(%scores_empty : tensor<5x40xf32>) {
  ^bb0(%x: f32, %shift: f32, %out: f32):
    %difference = arith.subf %x, %shift : f32
    %power = math.exp %difference : f32
    linalg.yield %power : f32
  } -> tensor<5x40xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%row_empty : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<5x40xf32>) outs(%sum_start : tensor<5xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%powers, %sum : tensor<5x40xf32>, tensor<5xf32>) outs(%scores_empty : tensor<5x40xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %weight = arith.divf %x, %total : f32
    linalg.yield %weight : f32
  } -> tensor<5x40xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x8xf32>) -> tensor<5x8xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<5x40xf32>, tensor<40x8xf32>) outs(%result_start : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %result : tensor<5x8xf32>
}

func.func @lowest(%q: tensor<70x8xf32>, %k: tensor<300x8xf32>, %v: tensor<300x8xf32>) -> tensor<70x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scores_empty = tensor.empty() : tensor<70x300xf32>
  %row_empty = tensor.empty() : tensor<70xf32>
  %empty = tensor.empty() : tensor<70x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<70x300xf32>) -> tensor<70x300xf32>
  %products = linalg_ext.batch_matmul ins(%q, %k : tensor<70x8xf32>, tensor<300x8xf32>) outs(%start : tensor<70x300xf32>) layout = "nt" -> tensor<70x300xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%products : tensor<70x300xf32>) outs(%scores_empty : tensor<70x300xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %far = arith.constant 3 : index
    %before = arith.addi %j, %far : index
    %lowest = arith.constant 0xFF7FFFFF : f32
    %scale = arith.constant 0.9 : f32
    %seen = arith.cmpi sge, %i, %before : index
    %either = arith.select %seen, %x, %lowest : f32
    %masked = arith.mulf %either, %scale : f32
    linalg.yield %masked : f32
  } -> tensor<70x300xf32>
  %least = arith.constant 0xFF800000 : f32
  %most_start = linalg.fill ins(%least : f32) outs(%row_empty : tensor<70xf32>) -> tensor<70xf32>
  %most = linalg.reduce { arith.maximumf } ins(%scores : tensor<70x300xf32>) outs(%most_start : tensor<70xf32>) dimensions = [1]
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%scores, %most : tensor<70x300xf32>, tensor<70xf32>) outs(%scores_empty : tensor<70x300xf32>) {
  ^bb0(%x: f32, %shift: f32, %out: f32):
    %difference = arith.subf %x, %shift : f32
    %power = math.exp %difference : f32
    linalg.yield %power : f32
  } -> tensor<70x300xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%row_empty : tensor<70xf32>) -> tensor<70xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<70x300xf32>) outs(%sum_start : tensor<70xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%powers, %sum : tensor<70x300xf32>, tensor<70xf32>) outs(%scores_empty : tensor<70x300xf32>) {
  ^bb0(%x: f32, %total: f32, %out: f32):
    %weight = arith.divf %x, %total : f32
    linalg.yield %weight : f32
  } -> tensor<70x300xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%empty : tensor<70x8xf32>) -> tensor<70x8xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<70x300xf32>, tensor<300x8xf32>) outs(%result_start : tensor<70x8xf32>) -> tensor<70x8xf32>
  return %result : tensor<70x8xf32>
}
