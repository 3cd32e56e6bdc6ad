// A mask of the lowest number hides scores as -infinity does, where each row is seen to have another score. Each line below
// puts another mask in the place of the one that is there.
// RUN: tcc-attn opt %s --passes=hide-lowest --verify | FileCheck %s --check-prefix=HIDDEN
// RUN: tcc-attn run %s --random --check
// RUN: tcc-attn run %s --random=2 --check --device=ptx-emu
// HIDDEN: %[[HIDDEN:.*]] = arith.constant 0xFF800000 : f32
// HIDDEN-NEXT: arith.select %{{.*}}, %{{.*}}, %[[HIDDEN]] : f32

// Added to the score; behind a scale; the other way around; in bf16 and f16; with a bias.
// RUN: sed 's/^    %%masked = .*/%%m = arith.select %%seen, %%zero, %%lowest : f32\n%%masked = arith.addf %%score, %%m : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%masked = .*/%%m = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.mulf %%m, %%half : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%seen = .*/%%seen = arith.cmpi sgt, %%k, %%q : index/; s/%%seen, %%score, %%lowest/%%seen, %%lowest, %%score/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%masked = .*/%%n = arith.truncf %%score : f32 to bf16\n%%m = arith.select %%seen, %%n, %%low16 : bf16\n%%masked = arith.extf %%m : bf16 to f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES16
// RUN: sed 's/^    %%masked = .*/%%n = arith.truncf %%score : f32 to f16\n%%m = arith.select %%seen, %%n, %%half16 : f16\n%%masked = arith.extf %%m : f16 to f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YESHALF
// RUN: sed 's/^    %%masked = .*/%%n = arith.truncf %%score : f32 to f16\n%%a = arith.select %%seen, %%zero16, %%half16 : f16\n%%m = arith.addf %%n, %%a : f16\n%%masked = arith.extf %%m : f16 to f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YESHALF
// A window; an offset, of which keys are known to be as many more; what lies behind; the last key; either of two.
// RUN: sed 's/^    %%seen = .*/%%a = arith.cmpi sle, %%k, %%q : index\n%%d = arith.subi %%q, %%k : index\n%%b = arith.cmpi slt, %%d, %%five : index\n%%seen = arith.andi %%a, %%b : i1/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%seen = .*/%%l = arith.addi %%q, %%five : index\n%%a = arith.cmpi sle, %%k, %%l : index\n%%b = arith.cmpi sge, %%k, %%l : index\n%%seen = arith.andi %%a, %%b : i1/; s/x40x40x/x35x40x/g; s/2x40x64xf32>/2x35x64xf32>/g; s/: tensor<2x35x64xf32>, %%value: tensor<2x35x64/: tensor<2x40x64xf32>, %%value: tensor<2x40x64/; s/tensor<2x35x64xf32>, tensor<2x35x64xf32>) outs/tensor<2x35x64xf32>, tensor<2x40x64xf32>) outs/; s/tensor<2x35x40xf32>, tensor<2x35x64xf32>) outs/tensor<2x35x40xf32>, tensor<2x40x64xf32>) outs/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%seen = .*/%%seen = arith.cmpi sge, %%k, %%q : index/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// RUN: sed 's/^    %%seen = .*/%%a = arith.cmpi slt, %%k, %%five : index\n%%b = arith.cmpi sle, %%k, %%q : index\n%%seen = arith.ori %%a, %%b : i1/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// Two masks, neither of which hides the first key.
// RUN: sed 's/^    %%masked = .*/%%b = arith.cmpi slt, %%k, %%five : index\n%%m = arith.select %%b, %%zero, %%lowest : f32\n%%n = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.addf %%n, %%m : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=BOTH
// Beside numbers from a constant, wherever they are.
// RUN: sed 's/^    %%masked = .*/%%table = arith.constant dense<[1.0, -7.5, 2.0]> : tensor<3xf32>\n%%place = arith.minsi %%k, %%two : index\n%%b = tensor.extract %%table[%%place] : tensor<3xf32>\n%%m = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.addf %%m, %%b : f32/; s/^  %%half = /  %%two = arith.constant 2 : index\n&/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=YES
// BOTH-COUNT-2: arith.constant 0xFF800000 : f32
// YES: arith.constant 0xFF800000 : f32
// YES-NEXT: arith.select
// YESHALF: arith.constant 0xFC00 : f16
// YESHALF-NEXT: arith.select
// YES16: arith.constant 0xFF80 : bf16
// YES16-NEXT: arith.select

// Near misses: a row that sees no key; a number that scores may reach; a length from memory, which may be 0; scores that are
// read by others.
// RUN: sed 's/^    %%seen = .*/%%seen = arith.cmpi slt, %%k, %%q : index/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%seen = .*/%%a = arith.cmpi slt, %%k, %%five : index\n%%b = arith.cmpi sgt, %%k, %%q : index\n%%seen = arith.andi %%a, %%b : i1/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/-3.40282347e+38/-1.0e+9/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%seen = .*/%%seen = arith.cmpi slt, %%k, %%length : index/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^  return .*/  %%e = tensor.empty() : tensor<2x40x40xf32>\n  %%copy = linalg.copy ins(%%masks : tensor<2x40x40xf32>) outs(%%e : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>\n  return %%r, %%copy : tensor<2x40x64xf32>, tensor<2x40x40xf32>/; s/) -> tensor<2x40x64xf32> {/) -> (tensor<2x40x64xf32>, tensor<2x40x40xf32>) {/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// Two masks that leave the first row no key between them, one of which may be from memory, or give -infinity; a mask that is
// used twice; two low numbers; one that is not low when it is scaled; a mask that is taken away.
// RUN: sed 's/^    %%masked = .*/%%b = arith.cmpi sge, %%k, %%five : index\n%%m = arith.select %%b, %%zero, %%lowest : f32\n%%n = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.addf %%n, %%m : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%b = arith.cmpi sge, %%k, %%five : index\n%%m = arith.select %%b, %%score, %%lowest : f32\n%%masked = arith.select %%seen, %%m, %%lowest : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%b = arith.cmpi sge, %%length, %%five : index\n%%m = arith.select %%b, %%score, %%lowest : f32\n%%masked = arith.select %%seen, %%m, %%lowest : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%m = arith.select %%seen, %%zero, %%lowest : f32\n%%n = arith.mulf %%m, %%half : f32\n%%l = arith.addf %%m, %%n : f32\n%%masked = arith.addf %%score, %%l : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%other = arith.constant -2.0e+38 : f32\n%%m = arith.select %%seen, %%other, %%lowest : f32\n%%masked = arith.addf %%score, %%m : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%tiny = arith.constant 1.0e-20 : f32\n%%m = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.mulf %%m, %%tiny : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%m = arith.select %%seen, %%zero, %%lowest : f32\n%%masked = arith.subf %%score, %%m : f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// Numbers from a constant, of which one is low.
// RUN: sed 's/^    %%masked = .*/%%table = arith.constant dense<[1.0, -3.0e+38, 2.0]> : tensor<3xf32>\n%%place = arith.minsi %%k, %%two : index\n%%b = tensor.extract %%table[%%place] : tensor<3xf32>\n%%m = arith.select %%seen, %%score, %%lowest : f32\n%%masked = arith.addf %%m, %%b : f32/; s/^  %%half = /  %%two = arith.constant 2 : index\n&/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// In f16: a number above the lowest; a large one beside it.
// RUN: sed 's/^    %%masked = .*/%%n = arith.truncf %%score : f32 to f16\n%%m = arith.select %%seen, %%n, %%high16 : f16\n%%masked = arith.extf %%m : f16 to f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// RUN: sed 's/^    %%masked = .*/%%n = arith.truncf %%score : f32 to f16\n%%m = arith.select %%seen, %%n, %%half16 : f16\n%%l = arith.select %%seen, %%m, %%beside16 : f16\n%%masked = arith.extf %%l : f16 to f32/' %s | tcc-attn opt - --passes=hide-lowest | FileCheck %s --check-prefix=NO
// NO-NOT: 0xFF800000
// NO-NOT: 0xFC00

#queries = affine_map<(h, q, k, d) -> (h, q, d)>
#keys = affine_map<(h, q, k, d) -> (h, k, d)>
#scores = affine_map<(h, q, k, d) -> (h, q, k)>
#id = affine_map<(h, q, k) -> (h, q, k)>

func.func @attention(%query: tensor<2x40x64xf32>, %key: tensor<2x40x64xf32>, %value: tensor<2x40x64xf32>, %length: index) -> tensor<2x40x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %five = arith.constant 5 : index
  %lowest = arith.constant -3.40282347e+38 : f32
  %low16 = arith.constant 0xFF7F : bf16
  %half16 = arith.constant -65504.0 : f16
  %high16 = arith.constant -60000.0 : f16
  %beside16 = arith.constant -30000.0 : f16
  %zero16 = arith.constant 0.0 : f16
  %se = tensor.empty() : tensor<2x40x40xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %s1 = linalg.contract indexing_maps = [#queries, #keys, #scores] ins(%query, %key : tensor<2x40x64xf32>, tensor<2x40x64xf32>) outs(%s0 : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %masks = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s1 : tensor<2x40x40xf32>) outs(%se : tensor<2x40x40xf32>) {
  ^bb0(%score: f32, %o: f32):
    %q = linalg.index 1 : index
    %k = linalg.index 2 : index
    %seen = arith.cmpi sle, %k, %q : index
    %masked = arith.select %seen, %score, %lowest : f32
    linalg.yield %masked : f32
  } -> tensor<2x40x40xf32>
  %w = linalg.softmax dimension(2) ins(%masks : tensor<2x40x40xf32>) outs(%se : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %out = tensor.empty() : tensor<2x40x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<2x40x64xf32>) -> tensor<2x40x64xf32>
  %r = linalg.contract indexing_maps = [#scores, #keys, #queries] ins(%w, %value : tensor<2x40x40xf32>, tensor<2x40x64xf32>) outs(%start : tensor<2x40x64xf32>) -> tensor<2x40x64xf32>
  return %r : tensor<2x40x64xf32>
}
