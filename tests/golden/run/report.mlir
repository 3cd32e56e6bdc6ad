// What each kernel of a launch did, in the emulator. Other devices do not count.
// RUN: tcc-attn run %s --random --check --device=ptx-emu --report 2>&1 | FileCheck %s
// RUN: sh -c 'tcc-attn run %s --random --report; test $? = 1' 2>&1 | FileCheck %s --check-prefix=HOST
// CHECK: note: kernel 'add_0': 1 blocks, {{[0-9]+}} instructions of warps, {{[0-9]+}} of threads, 0 barriers
// CHECK-NEXT: shared memory: 0 wavefronts, 0 without bank conflicts
// CHECK-NEXT: global memory: 36 sectors of 32 bytes, 36 if contiguous
// CHECK: {{[0-9]+}}  st.global
// HOST: error: the device 'host' does not count what kernels do, as 'ptx-emu' does
func.func @add(%a: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<96xf32> {
  %empty = tensor.empty() : tensor<96xf32>
  %sum = linalg.add ins(%a, %b : tensor<96xf32>, tensor<96xf32>) outs(%empty : tensor<96xf32>) -> tensor<96xf32>
  return %sum : tensor<96xf32>
}
