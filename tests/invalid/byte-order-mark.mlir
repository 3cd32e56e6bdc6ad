func.func @f(%a: f33) { return }
// The mark before the first line is no part of the text: it has no column.
// RUN: %reject opt %s | FileCheck %s --strict-whitespace --match-full-lines
//      CHECK:{{.*}}byte-order-mark.mlir:1:18: error: unknown type 'f33'
// CHECK-NEXT:func.func @f(%a: f33) { return }
// CHECK-NEXT:                 ^
