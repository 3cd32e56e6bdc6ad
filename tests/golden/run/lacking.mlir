// Code for a CPU with more instructions than this one is an error, not a crash: sums of f16 are AVX512-FP16 there. Where
// this machine has it, there is nothing to see.
// RUN: tcc-attn compile %s --target=host:sapphirerapids -o %t.tecp
// RUN: sh -c 'if grep -q avx512_fp16 /proc/cpuinfo; then echo has an instruction; else tcc-attn run %t.tecp --random; test $? = 1; fi' 2>&1 | FileCheck %s
// CHECK: {{has an instruction|is for another kind of processor}}
func.func @double(%a: tensor<100xf16>) -> tensor<100xf16> {
  %empty = tensor.empty() : tensor<100xf16>
  %sum = linalg.add ins(%a, %a : tensor<100xf16>, tensor<100xf16>) outs(%empty : tensor<100xf16>) -> tensor<100xf16>
  return %sum : tensor<100xf16>
}
