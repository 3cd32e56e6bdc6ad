// Devices whose driver cannot be loaded, or is not one: one message each that names the device, exit status 1.
// RUN: rm -rf %t && mkdir %t && touch %t/libcuda.so.1 %t/libze_loader.so.1 %t/libOpenCL.so.1
// RUN: tcc-attn list devices | FileCheck %s --check-prefix=LIST
// RUN: sh -c 'LD_LIBRARY_PATH=%t tcc-attn run %s --random --device=cuda; test $? = 1' 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: sh -c 'LD_LIBRARY_PATH=%t tcc-attn run %s --random --device=ze; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ZE
// RUN: sh -c 'LD_LIBRARY_PATH=%t tcc-attn run %s --random --device=ocl; test $? = 1' 2>&1 | FileCheck %s --check-prefix=OCL
// RUN: sh -c 'tcc-attn run %s --random --device=npu; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NONE

// LIST-DAG: host
// LIST-DAG: cuda
// LIST-DAG: ptx-emu
// LIST-DAG: ze
// LIST-DAG: ocl
// CUDA: error: {{.*}}'cuda'{{.*}}libcuda.so.1: file too short (the device 'ptx-emu' needs none)
// CUDA-NOT: {{.}}
// ZE: error: the device 'ze' needs the Level Zero loader, and it cannot be loaded: {{.*}}libze_loader.so.1: file too short
// ZE-NOT: {{.}}
// OCL: error: the device 'ocl' needs an OpenCL loader, and it cannot be loaded: {{.*}}libOpenCL.so.1: file too short
// OCL-NOT: {{.}}
// NONE: error: there is no device 'npu'; 'tcc-attn list devices' shows all
func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
