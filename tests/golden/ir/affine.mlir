// Affine maps: aliases, precedence, symbols, and their ops.
#scale = affine_map<(d0) -> (d0 * 64)>
#tile = affine_map<(i, j)[n] -> ((i + j) * 4 - n, n, 8)>
func.func @maps(%i: index, %j: index) -> index {
  %0 = affine.apply #scale(%i)
  %1 = affine.min #tile(%i, %j)[%0] {tag}
  %2 = affine.max affine_map<()[s0] -> (s0, -3)>()[%1]
  %3 = affine.apply affine_map<(d0, d1) -> (d0 mod 8 + d1 floordiv 4 - (d0 ceildiv 3) * 2)>(%i, %j)
  %4 = affine.apply affine_map<(d0, d1) -> (-d0 + d1 - 5)>(%2, %3)
  %5 = affine.apply affine_map<(d0) -> ((d0 + 1) mod 3)>(%4)
  return %5 : index
}
