/* test_propagate.c - kernels of a GPU up to laid-out vectors: what they compute stays the same, tiles become vectors,
 * every vector has a layout, and what does not fit is converted. */
#include "ir/text.h"
#include "passes/layout.h"
#include "passes/pass.h"
#include "tests/support/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO_TILES "simplify,transform,schedule,simplify,shapes,decompose-softmax,simplify"
#define TO_VECTORS TO_TILES ",vectorize-tiles,simplify"

enum { TEXT_SIZE = 8192 };

static ir_module *run(const char *text, const char *passes, const target_facts *facts) {
  ir_module *module = check_parse(text);
  cr_assert(module, "%s", text);
  cr_assert(pass_run(module, passes, &(pass_options){.target = facts, .verify = true, .fuse = true}), "%s", text);
  return module;
}

/* Compares what a function computes before and after the passes, on sharp logits. */
static void expect_same(const char *text, const char *passes, double tolerance) {
  target_facts facts;
  cr_assert(target_find("nvptx:sm_80", &facts));
  ir_module *before = check_parse(text), *after = run(text, passes, &facts);
  static const int64_t dims[] = {70, 150, 150, 70}; /* of the dynamic product */
  check_options options = {.function = "f", .precision = IR_PRECISION_DOUBLE, .std = 2, .dims = dims, .num_dims = 4};
  check_report report = check_equivalent(before, after, &options);
  char *vectors = ir_print_module(after, &(ir_print_options){0}, NULL);
  cr_expect(!strstr(vectors, "linalg."), "%s", vectors);
  free(vectors);
  cr_expect(report.ok && report.largest_error < tolerance, "%g %s\n%s", report.largest_error, report.text, text);
  ir_module_destroy(before);
  ir_module_destroy(after);
}

/* Attention of one batch and two heads, `m` queries, `n` keys of `d`; statistics in f32. */
static const char *attention(char *text, int m, int n, int d, const char *type, bool causal) {
  char q[32], k[32], s[32], p[32], o[32], r[32], narrow[512] = "";
  snprintf(q, sizeof q, "tensor<2x%dx%dx%s>", m, d, type);
  snprintf(k, sizeof k, "tensor<2x%dx%dx%s>", n, d, type);
  snprintf(s, sizeof s, "tensor<2x%dx%dxf32>", m, n);
  snprintf(p, sizeof p, "tensor<2x%dx%dx%s>", m, n, type);
  snprintf(o, sizeof o, "tensor<2x%dx%dxf32>", m, d);
  snprintf(r, sizeof r, "tensor<2x%dx%dxf32>", m, d);
  bool wide = !strcmp(type, "f32");
  if (!wide)
    snprintf(
        narrow, sizeof narrow,
        "  %%p0 = tensor.empty() : %s\n"
        "  %%factor = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = [\"parallel\", \"parallel\", "
        "\"parallel\"]} ins(%%p : %s) outs(%%p0 : %s) {\n  ^bb0(%%x: f32, %%y: %s):\n"
        "    %%z = arith.truncf %%x : f32 to %s\n    linalg.yield %%z : %s\n  } -> %s\n",
        p, s, p, type, type, type, p);
  snprintf(
      text, TEXT_SIZE,
      "#rows = affine_map<(b, m, n) -> (b, m, n)>\n"
      "func.func @f(%%q: %s, %%k: %s, %%v: %s) -> %s {\n"
      "  %%zero = arith.constant 0.0 : f32\n  %%scale = arith.constant 0.5 : f32\n"
      "  %%low = arith.constant 0xFF800000 : f32\n  %%s0 = tensor.empty() : %s\n"
      "  %%s1 = linalg.fill ins(%%zero : f32) outs(%%s0 : %s) -> %s\n"
      "  %%s = linalg.contract indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, "
      "affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>] "
      "ins(%%q, %%k : %s, %s) outs(%%s1 : %s) -> %s\n"
      "  %%t = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = [\"parallel\", \"parallel\", "
      "\"parallel\"]} ins(%%s : %s) outs(%%s0 : %s) {\n  ^bb0(%%x: f32, %%y: f32):\n"
      "    %%a = arith.mulf %%x, %%scale : f32\n    %%i = linalg.index 1 : index\n    %%j = linalg.index 2 : index\n"
      "    %%c = arith.cmpi %s, %%j, %%i : index\n    %%z = arith.select %%c, %%a, %%low : f32\n"
      "    linalg.yield %%z : f32\n  } -> %s\n"
      "  %%p = linalg.softmax dimension(2) ins(%%t : %s) outs(%%s0 : %s) -> %s\n%s"
      "  %%o0 = tensor.empty() : %s\n  %%o1 = linalg.fill ins(%%zero : f32) outs(%%o0 : %s) -> %s\n"
      "  %%o = linalg.contract indexing_maps = [affine_map<(b, m, d, n) -> (b, m, n)>, "
      "affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, d)>] "
      "ins(%s, %%v : %s, %s) outs(%%o1 : %s) -> %s\n  return %%o : %s\n}\n",
      q, k, k, r, s, s, s, q, k, s, s, s, s, causal ? "sle" : "ne", s, s, s, s, narrow, o, o, o,
      wide ? "%p" : "%factor", p, k, o, o, r);
  return text;
}

Test(propagate, attention_in_vectors) {
  static const struct {
    int m, n, d;
    const char *type;
    bool causal;
  } cases[] = {{70, 150, 40, "f16", true},
               {64, 128, 64, "f32", false},
               {33, 65, 80, "bf16", true},
               {130, 70, 72, "f16", false},
               {20, 40, 256, "f16", true}};
  char text[TEXT_SIZE];
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_same(attention(text, cases[i].m, cases[i].n, cases[i].d, cases[i].type, cases[i].causal), TO_VECTORS, 1e-9);
}

static const char gemm[] =
    "func.func @f(%a: tensor<70x150xf16>, %b: tensor<150x90xf16>, %c: tensor<70x90xf32>) -> tensor<70x90xf32> {\n"
    "  %0 = linalg.matmul ins(%a, %b : tensor<70x150xf16>, tensor<150x90xf16>) outs(%c : tensor<70x90xf32>) "
    "-> tensor<70x90xf32>\n  return %0 : tensor<70x90xf32>\n}\n";
static const char gemm_dynamic[] =
    "func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x90xf32>, %c: tensor<?x90xf32>) -> tensor<?x90xf32> {\n"
    "  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x90xf32>) outs(%c : tensor<?x90xf32>) "
    "-> tensor<?x90xf32>\n  return %0 : tensor<?x90xf32>\n}\n";
static const char chain[] =
    "func.func @f(%a: tensor<70x40xf16>, %b: tensor<40x90xf16>, %c: tensor<90x50xf16>) -> tensor<70x50xf32> {\n"
    "  %zero = arith.constant 0.0 : f16\n  %z = arith.constant 0.0 : f32\n"
    "  %0 = tensor.empty() : tensor<70x90xf16>\n  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<70x90xf16>) -> "
    "tensor<70x90xf16>\n"
    "  %2 = linalg.matmul ins(%a, %b : tensor<70x40xf16>, tensor<40x90xf16>) outs(%1 : tensor<70x90xf16>) -> "
    "tensor<70x90xf16>\n  %3 = tensor.empty() : tensor<70x50xf32>\n"
    "  %4 = linalg.fill ins(%z : f32) outs(%3 : tensor<70x50xf32>) -> tensor<70x50xf32>\n"
    "  %5 = linalg.matmul ins(%2, %c : tensor<70x90xf16>, tensor<90x50xf16>) outs(%4 : tensor<70x50xf32>) -> "
    "tensor<70x50xf32>\n  return %5 : tensor<70x50xf32>\n}\n";
static const char softmax[] =
    "func.func @f(%x: tensor<5x7x300xf32>) -> tensor<5x7x300xf32> {\n  %0 = tensor.empty() : tensor<5x7x300xf32>\n"
    "  %1 = linalg.softmax dimension(2) ins(%x : tensor<5x7x300xf32>) outs(%0 : tensor<5x7x300xf32>) -> "
    "tensor<5x7x300xf32>\n  return %1 : tensor<5x7x300xf32>\n}\n";
static const char layer_norm[] =
    "#x = affine_map<(m, n) -> (m, n)>\n#r = affine_map<(m, n) -> (m)>\n#c = affine_map<(m, n) -> (n)>\n"
    "func.func @f(%x: tensor<37x200xf32>, %g: tensor<200xf32>) -> tensor<37x200xf32> {\n"
    "  %zero = arith.constant 0.0 : f32\n  %one = arith.constant 1.0 : f32\n  %n = arith.constant 200.0 : f32\n"
    "  %0 = tensor.empty() : tensor<37xf32>\n"
    "  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37xf32>) -> tensor<37xf32>\n"
    "  %2 = linalg.generic {indexing_maps = [#x, #r], iterator_types = [\"parallel\", \"reduction\"]} "
    "ins(%x : tensor<37x200xf32>) outs(%1 : tensor<37xf32>) {\n  ^bb0(%a: f32, %b: f32):\n"
    "    %s = arith.addf %b, %a : f32\n    linalg.yield %s : f32\n  } -> tensor<37xf32>\n"
    "  %3 = linalg.generic {indexing_maps = [#x, #r, #r], iterator_types = [\"parallel\", \"reduction\"]} "
    "ins(%x, %2 : tensor<37x200xf32>, tensor<37xf32>) outs(%1 : tensor<37xf32>) {\n  ^bb0(%a: f32, %m: f32, %b: f32):\n"
    "    %mean = arith.divf %m, %n : f32\n    %d = arith.subf %a, %mean : f32\n    %q = arith.mulf %d, %d : f32\n"
    "    %s = arith.addf %b, %q : f32\n    linalg.yield %s : f32\n  } -> tensor<37xf32>\n"
    "  %4 = tensor.empty() : tensor<37x200xf32>\n"
    "  %5 = linalg.generic {indexing_maps = [#x, #r, #r, #c, #x], iterator_types = [\"parallel\", \"parallel\"]} "
    "ins(%x, %2, %3, %g : tensor<37x200xf32>, tensor<37xf32>, tensor<37xf32>, tensor<200xf32>) "
    "outs(%4 : tensor<37x200xf32>) {\n  ^bb0(%a: f32, %m: f32, %v: f32, %h: f32, %b: f32):\n"
    "    %mean = arith.divf %m, %n : f32\n    %d = arith.subf %a, %mean : f32\n    %w = arith.divf %v, %n : f32\n"
    "    %e = arith.addf %w, %one : f32\n    %i = math.rsqrt %e : f32\n    %y = arith.mulf %d, %i : f32\n"
    "    %z = arith.mulf %y, %h : f32\n    linalg.yield %z : f32\n  } -> tensor<37x200xf32>\n"
    "  return %5 : tensor<37x200xf32>\n}\n";
static const char long_rows[] =
    "func.func @f(%x: tensor<3x9000xf32>, %i: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = linalg.reduce { arith.addf } ins(%x : tensor<3x9000xf32>) outs(%i : tensor<3xf32>) dimensions = [1]\n"
    "  return %0 : tensor<3xf32>\n}\n";

/* Beyond the end of the reduction the left factor, computed from padding, is infinite. */
static const char reciprocal[] =
    "#x = affine_map<(m, k) -> (m, k)>\n"
    "func.func @f(%a: tensor<70x50xf32>, %b: tensor<50x90xf32>, %c: tensor<70x90xf32>) -> tensor<70x90xf32> {\n"
    "  %one = arith.constant 1.0 : f32\n  %0 = tensor.empty() : tensor<70x50xf32>\n"
    "  %1 = linalg.generic {indexing_maps = [#x, #x], iterator_types = [\"parallel\", \"parallel\"]} "
    "ins(%a : tensor<70x50xf32>) outs(%0 : tensor<70x50xf32>) {\n  ^bb0(%x: f32, %y: f32):\n"
    "    %z = arith.divf %one, %x : f32\n    linalg.yield %z : f32\n  } -> tensor<70x50xf32>\n"
    "  %2 = linalg.matmul ins(%1, %b : tensor<70x50xf32>, tensor<50x90xf32>) outs(%c : tensor<70x90xf32>) "
    "-> tensor<70x90xf32>\n  return %2 : tensor<70x90xf32>\n}\n";

static const char *const programs[] = {gemm, gemm_dynamic, chain, softmax, layer_norm, long_rows, reciprocal};

Test(propagate, programs_in_vectors) {
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    expect_same(programs[i], TO_VECTORS, 1e-9);
}

Test(propagate, vectors_in_memory) {
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    expect_same(programs[i], TO_VECTORS ",bufferize,simplify", 1e-9);
  char text[TEXT_SIZE];
  expect_same(attention(text, 70, 150, 40, "f16", true), TO_VECTORS ",bufferize,simplify", 1e-9);
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

#define TO_LAYOUTS TO_VECTORS ",bufferize,simplify,layout"

/* Each vector has a layout that covers it, and as many lanes and warps as the kernel. */
static bool has_layouts(ir_op *op, void *data) {
  const ir_attr *texts = ir_attr_get(op, "tec.layouts");
  const ir_op *kernel = op;
  while (kernel && !ir_attr_get(kernel, "tec.threads"))
    kernel = ir_op_parent(kernel);
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = op->results[i].type;
    layout l;
    const char *why;
    if (type->kind != IR_TYPE_VECTOR)
      continue;
    cr_assert(kernel && texts && texts->count == op->num_results, "%s", ir_op_row(op)->name);
    cr_assert(layout_parse(texts->elements[i]->string, &l, &why), "%s", why);
    cr_assert_eq(l.rank, type->rank);
    for (unsigned dim = 0; dim < l.rank; dim++)
      cr_assert_eq(layout_extent(&l, dim), type->shape[dim], "%s", texts->elements[i]->string);
    cr_assert_eq(layout_size(&l, LAYOUT_LANE), 32, "%s", texts->elements[i]->string);
    cr_assert_eq(layout_size(&l, LAYOUT_WARP) * 32, ir_attr_int_or(kernel, "tec.threads", 0), "%s",
                 texts->elements[i]->string);
    ++*(unsigned *)data;
  }
  return true;
}

/* All operands of elementwise ops have the layout of their result. */
static bool agrees(ir_op *op, void *data) {
  if (!ir_op_has(op, IR_ELEMENTWISE) || !op->num_results || op->results[0].type->kind != IR_TYPE_VECTOR)
    return true;
  const char *mine = ir_attr_get(op, "tec.layouts")->elements[0]->string;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *value = ir_operand(op, i);
    if (value->type->kind != IR_TYPE_VECTOR)
      continue;
    const ir_op *source = value->op ? value->op : value->block->parent;
    unsigned index = value->op ? value->index : value->index - 1;
    cr_assert_str_eq(ir_attr_get(source, "tec.layouts")->elements[index]->string, mine);
  }
  return true;
}

enum { NUM_CONVERSIONS = LAYOUT_SHARED + 1 };

typedef struct conversions {
  unsigned counts[NUM_CONVERSIONS];
} conversions;

static bool count_conversion(ir_op *op, void *data) {
  conversions *found = data;
  for (unsigned i = 0; op->code == OP_VECTOR_EXT_TO_LAYOUT && i < NUM_CONVERSIONS; i++)
    found->counts[i] += !strcmp(ir_attr_string_or(op, "conversion", ""), layout_conversion_name((layout_conversion)i));
  return true;
}

static conversions check_layouts(const char *text) {
  target_facts facts;
  unsigned vectors = 0;
  conversions found = {{0}};
  cr_assert(target_find("nvptx:sm_80", &facts));
  ir_module *module = run(text, TO_LAYOUTS, &facts);
  ir_block *body = ir_region(module->root, 0);
  ir_walk(body, has_layouts, &vectors);
  cr_expect_gt(vectors, 0);
  ir_walk(body, agrees, NULL);
  ir_walk(body, count_conversion, &found);
  ir_module_destroy(module);
  expect_same(text, TO_LAYOUTS, 1e-9);
  return found;
}

Test(propagate, every_vector_has_a_layout) {
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    check_layouts(programs[i]);
}

/* The scores become factors of the next product where they are, for all head dims; nothing else moves. */
Test(propagate, scores_stay_in_registers) {
  static const int head_dims[] = {32, 40, 64, 72, 80, 96, 128, 192, 256};
  char text[TEXT_SIZE];
  for (unsigned i = 0; i < sizeof head_dims / sizeof *head_dims; i++) {
    conversions found = check_layouts(attention(text, 70, 100, head_dims[i], i % 2 ? "bf16" : "f16", i % 3));
    cr_expect_eq(found.counts[LAYOUT_IDENTITY], 1, "d = %d", head_dims[i]);
    for (unsigned k = 1; k < NUM_CONVERSIONS; k++)
      cr_expect_eq(found.counts[k], 0, "d = %d: %u of %s", head_dims[i], found.counts[k],
                   layout_conversion_name((layout_conversion)k));
  }
}

/* Without matrix units factors go through shared memory whatever their layout: nothing is converted before. */
Test(propagate, products_without_matrix_units) {
  char text[TEXT_SIZE];
  conversions found = check_layouts(attention(text, 70, 100, 64, "f32", true));
  for (unsigned k = 0; k < NUM_CONVERSIONS; k++)
    cr_expect_eq(found.counts[k], 0, "%s", layout_conversion_name((layout_conversion)k));
}
