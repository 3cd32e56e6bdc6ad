// Results of more than 8 MiB, the last cache of this CPU, are written past it, and are right; so are open ones below that.
// RUN: tcc-attn run %s --target=host:x86-64-v2 --func=softmax --random --check --verify --threads=2 | FileCheck %s
// RUN: tcc-attn run %s --target=host:x86-64-v2 --func=add --random --dims=2049 --check --verify --threads=2 | FileCheck %s
// RUN: tcc-attn run %s --target=host:x86-64-v2 --func=add --random --dims=3 --check --verify --threads=2 | FileCheck %s
// RUN: tcc-attn compile %s --target=host:x86-64-v2 --emit=asm | FileCheck %s --check-prefix=ASM
// CHECK: : good
// ASM: {{movnt(ps|dq)}}
// ASM: sfence
// ASM-NOT: sfence
// ASM: {{movnt(ps|dq)}}
// ASM: sfence
// ASM-NOT: sfence
func.func @softmax(%x: tensor<8209x256xf32>) -> tensor<8209x256xf32> {
  %empty = tensor.empty() : tensor<8209x256xf32>
  %weights = linalg.softmax dimension(1) ins(%x : tensor<8209x256xf32>) outs(%empty : tensor<8209x256xf32>) -> tensor<8209x256xf32>
  return %weights : tensor<8209x256xf32>
}
func.func @add(%x: tensor<?x1024xf32>, %y: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %empty = tensor.empty(%rows) : tensor<?x1024xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x1024xf32>, tensor<?x1024xf32>) outs(%empty : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %sum : tensor<?x1024xf32>
}
