// Where the elements of vectors are: results of matrix units as factors of the next product.
func.func @layouts(%scores: vector<16x16xf16>) -> vector<16x16xf16> {
  %0 = vector_ext.to_layout %scores {conversion = "identity", layout = "[L8@4 R2@2, R2@1 L4@1 R2@4]"} : vector<16x16xf16>
  return %0 : vector<16x16xf16>
}
