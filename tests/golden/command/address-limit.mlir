// A batch system's limit on address space is shared out, where memory is reserved without one.
// RUN: %if address-limit %{ bash -c "ulimit -v 2097152; tcc-attn opt %s --passes=simplify" | FileCheck %s %}
// CHECK: return %arg0 : tensor<4xf32>
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
