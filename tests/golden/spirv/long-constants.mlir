// An instruction of SPIR-V counts its words in 16 bits, so a constant has only so many elements.
// RUN: sed -e '/^\/\//d' -e s/COUNT/65532/ %s > %t.mlir
// RUN: awk 'BEGIN { printf "{-# dialect_resources: {builtin: {w: \"0x04000000"; for (i = 0; i < 65532; i++) printf "%%02x00803f", i %% 251; print "\"}} #-}" }' >> %t.mlir
// RUN: tcc-attn compile %t.mlir --target=spirv:pvc -o /dev/null
// RUN: sed -e '/^\/\//d' -e s/COUNT/65533/ %s > %t.mlir
// RUN: awk 'BEGIN { printf "{-# dialect_resources: {builtin: {w: \"0x04000000"; for (i = 0; i < 65533; i++) printf "%%02x00803f", i %% 251; print "\"}} #-}" }' >> %t.mlir
// RUN: not tcc-attn compile %t.mlir --target=spirv:pvc -o /dev/null 2>&1 | FileCheck %s
// CHECK: :3:8: error: a constant of 65533 elements; spirv has at most 65532 in one: pass it as an argument
!t = tensor<COUNTxf32>
func.func @f(%x: !t) -> !t {
  %w = arith.constant dense_resource<w> : !t
  %e = tensor.empty() : !t
  %r = linalg.add ins(%x, %w : !t, !t) outs(%e : !t) -> !t
  return %r : !t
}
