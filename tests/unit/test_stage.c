/* test_stage.c - tiles in shared memory: what kernels compute stays the same, in the interpreter right after the pass
 * and on the PTX emulator, which sees no race; places have no bank conflicts, lanes no spilled registers. */
#include "backend/backend.h"
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/check.h"
#include "tests/support/emulate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TO_LAYOUTS                                                                                                     \
  "simplify,shapes,transform,raise,widen-accumulators,schedule,simplify,decompose-softmax,simplify,vectorize-tiles,"   \
  "simplify,bufferize,layout"
#define TO_LANES "distribute,registers,simplify"

enum { TEXT_SIZE = 8192, NAME_SIZE = 64 };

/* --------------------------------------------------------------------------------------------------------- programs */

/* softmax(q k^T) v for one head of `m` queries and `n` keys of `d`; 0 keys: as many as there are. */
static char *attention(const char *type, int m, int n, int d, bool causal) {
  char *text = malloc(TEXT_SIZE), keys[16] = "?";
  if (n)
    snprintf(keys, sizeof keys, "%d", n);
  snprintf(text, TEXT_SIZE,
           "#id = affine_map<(m, n) -> (m, n)>\n"
           "func.func @f(%%q: tensor<%dx%dx%s>, %%k: tensor<%sx%dx%s>, %%v: tensor<%sx%dx%s>) -> tensor<%dx%dxf32> {\n"
           "  %%zero = arith.constant 0.0 : f32\n  %%scale = arith.constant 0.25 : f32\n"
           "  %%low = arith.constant 0xFF800000 : f32\n  %%c0 = arith.constant 0 : index\n"
           "  %%n = tensor.dim %%k, %%c0 : tensor<%sx%dx%s>\n",
           m, d, type, keys, d, type, keys, d, type, m, d, keys, d, type);
  size_t used = strlen(text);
  const char *size = n ? "" : "%n";
  snprintf(
      text + used, TEXT_SIZE - used,
      "  %%s0 = tensor.empty(%s) : tensor<%dx%sxf32>\n"
      "  %%s1 = linalg.fill ins(%%zero : f32) outs(%%s0 : tensor<%dx%sxf32>) -> tensor<%dx%sxf32>\n"
      "  %%s2 = linalg.contract indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, "
      "affine_map<(m, n, d) -> (m, n)>] ins(%%q, %%k : tensor<%dx%dx%s>, tensor<%sx%dx%s>) outs(%%s1 : "
      "tensor<%dx%sxf32>) -> tensor<%dx%sxf32>\n"
      "  %%s = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%%s2 : "
      "tensor<%dx%sxf32>) outs(%%s0 : tensor<%dx%sxf32>) {\n  ^bb0(%%x: f32, %%o: f32):\n"
      "    %%y = arith.mulf %%x, %%scale : f32\n    %%row = linalg.index 0 : index\n"
      "    %%column = linalg.index 1 : index\n    %%seen = arith.cmpi %s, %%column, %%row : index\n"
      "    %%z = arith.select %%seen, %%y, %%low : f32\n    linalg.yield %s : f32\n  } -> tensor<%dx%sxf32>\n",
      size, m, keys, m, keys, m, keys, m, d, type, keys, d, type, m, keys, m, keys, m, keys, m, keys, "sle",
      causal ? "%z" : "%y", m, keys);
  used = strlen(text);
  snprintf(text + used, TEXT_SIZE - used,
           "  %%p = linalg.softmax dimension(1) ins(%%s : tensor<%dx%sxf32>) outs(%%s0 : tensor<%dx%sxf32>) -> "
           "tensor<%dx%sxf32>\n"
           "  %%h0 = tensor.empty(%s) : tensor<%dx%sx%s>\n"
           "  %%h = linalg.map ins(%%p : tensor<%dx%sxf32>) outs(%%h0 : tensor<%dx%sx%s>) (%%x: f32) {\n"
           "    %%y = arith.truncf %%x : f32 to %s\n    linalg.yield %%y : %s\n  }\n"
           "  %%o0 = tensor.empty() : tensor<%dx%dxf32>\n"
           "  %%o1 = linalg.fill ins(%%zero : f32) outs(%%o0 : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>\n"
           "  %%o = linalg.matmul ins(%%h, %%v : tensor<%dx%sx%s>, tensor<%sx%dx%s>) outs(%%o1 : tensor<%dx%dxf32>) -> "
           "tensor<%dx%dxf32>\n  return %%o : tensor<%dx%dxf32>\n}\n",
           m, keys, m, keys, m, keys, size, m, keys, type, m, keys, m, keys, type, type, type, m, d, m, d, m, d, m,
           keys, type, keys, d, type, m, d, m, d, m, d);
  return text;
}

/* a b, or a b^T. */
static char *product(const char *type, int m, int n, int k, bool transposed) {
  char *text = malloc(TEXT_SIZE);
  snprintf(text, TEXT_SIZE,
           "func.func @f(%%a: tensor<%dx%dx%s>, %%b: tensor<%dx%dx%s>) -> tensor<%dx%dxf32> {\n"
           "  %%zero = arith.constant 0.0 : f32\n  %%c0 = tensor.empty() : tensor<%dx%dxf32>\n"
           "  %%c1 = linalg.fill ins(%%zero : f32) outs(%%c0 : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>\n"
           "  %%c = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (%s)>, "
           "affine_map<(m, n, k) -> (m, n)>] ins(%%a, %%b : tensor<%dx%dx%s>, tensor<%dx%dx%s>) outs(%%c1 : "
           "tensor<%dx%dxf32>) -> tensor<%dx%dxf32>\n  return %%c : tensor<%dx%dxf32>\n}\n",
           m, k, type, transposed ? n : k, transposed ? k : n, type, m, n, m, n, m, n, m, n,
           transposed ? "n, k" : "k, n", m, k, type, transposed ? n : k, transposed ? k : n, type, m, n, m, n, m, n);
  return text;
}

/* The program with its result of m x n rounded to another type. */
static char *narrowed(char *wide, const char *type, int m, int n) {
  char *text = malloc(TEXT_SIZE);
  const char *head = strstr(wide, "xf32> {"), *end = strstr(wide, "  return %");
  snprintf(text, TEXT_SIZE,
           "%.*sx%s> {%.*s  %%narrow = tensor.empty() : tensor<%dx%dx%s>\n"
           "  %%result = linalg.map ins(%%%c : tensor<%dx%dxf32>) outs(%%narrow : tensor<%dx%dx%s>) (%%sum: f32) {\n"
           "    %%rounded = arith.truncf %%sum : f32 to %s\n    linalg.yield %%rounded : %s\n  }\n"
           "  return %%result : tensor<%dx%dx%s>\n}\n",
           (int)(head - wide), wide, type, (int)(end - head - 7), head + 7, m, n, type, end[10], m, n, m, n, type, type,
           type, m, n, type);
  free(wide);
  return text;
}

/* A kernel on vectors: a factor that is also scaled and stored; a loop that writes the memory that it reads. */
#define FACTOR "[L8@4 R2@2 W4@1, R2@1 L4@1 R2@4 R4@8]"
#define OTHER "[R2@1 L4@1 R2@2 R4@4 W4@1:0, L8@4 R8@16]"
#define SUM "[L8@4 R2@2 W4@1, R2@1 L4@1 R8@4]"
static const char vectors[] =
    "func.func @f(%a: memref<192x64xf16>, %b: memref<192x64xf16>, %c: memref<64x64xf32>, %d: memref<192x64xf16>) {\n"
    "  %c0 = arith.constant 0 : index\n  %c64 = arith.constant 64 : index\n  %c192 = arith.constant 192 : index\n"
    "  %zero = arith.constant 0.0 : f16\n"
    "  scf.forall (%i) in (1) {\n"
    "    %acc = arith.constant {tec.layouts = [\"" SUM "\"]} dense<0.0> : vector<64x64xf32>\n"
    "    %sum = scf.for %k = %c0 to %c192 step %c64 iter_args(%s = %acc) -> (vector<64x64xf32>) {\n"
    "      %x = vector.transfer_read %a[%k, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"" FACTOR "\"]} : "
    "memref<192x64xf16>, vector<64x64xf16>\n"
    "      %y = vector.transfer_read %b[%k, %c0], %zero {in_bounds = [true, true], tec.layouts = [\"" OTHER "\"]} : "
    "memref<192x64xf16>, vector<64x64xf16>\n"
    "      %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
    "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
    "kind = #vector.kind<add>} %x, %y, %s {tec.layouts = [\"" SUM "\"]} : vector<64x64xf16>, vector<64x64xf16> into "
    "vector<64x64xf32>\n"
    "      %z = arith.addf %x, %x {tec.layouts = [\"" FACTOR "\"]} : vector<64x64xf16>\n"
    "      vector.transfer_write %z, %d[%k, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<192x64xf16>\n"
    "      scf.yield %t : vector<64x64xf32>\n    } {tec.layouts = [\"" SUM "\"]}\n"
    "    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>\n"
    "  } {tec.threads = 128 : i64}\n  return\n}\n";

/* ---------------------------------------------------------------------------------------------------------- running */

static ir_module *run_passes(const char *text, const target_facts *facts, const char *passes) {
  ir_module *module = check_parse(text);
  cr_assert(module, "%s", text);
  cr_assert(pass_run(module, passes, &(pass_options){.target = facts, .verify = true, .fuse = true}), "%s", text);
  return module;
}

static unsigned count_of(const ir_module *module, const char *word) {
  unsigned count = 0;
  char *text = ir_print_module(module, &(ir_print_options){0}, NULL);
  for (const char *at = text; (at = strstr(at, word)); at++)
    count++;
  free(text);
  return count;
}

typedef struct expectation {
  const char *what;
  unsigned places;    /* in shared memory .. */
  const char *stages; /* .. one of which begins like this: stages, rows, pitch */
  unsigned barriers;  /* of all blocks */
  double tolerance;
  bool free_of_conflicts;
  const char *chip;   /* NULL: sm_80 */
  bool whole_sectors; /* of global memory are read and written */
} expectation;

/* Compares with the interpreter, in double precision, before the passes. */
static ptx_report check_program(const char *text, const char *before_stage, const expectation *expected) {
  const int64_t dims[] = {130, 130};
  const char *what = expected->what;
  char place[NAME_SIZE], name[NAME_SIZE];
  target_facts facts;
  snprintf(name, sizeof name, "nvptx:%s", expected->chip ? expected->chip : "sm_80");
  cr_assert(target_find(name, &facts));
  char list[512];
  snprintf(list, sizeof list, "%s,stage", before_stage);
  ir_module *before = check_parse(text), *after = run_passes(text, &facts, list);
  check_options shapes = {.function = "f", .precision = IR_PRECISION_DOUBLE, .std = 2, .dims = dims, .num_dims = 2};
  check_report staged = check_equivalent(before, after, &shapes);
  cr_expect(staged.ok && staged.largest_error < 1e-12, "%s: %g %s", what, staged.largest_error, staged.text);
  cr_expect_eq(count_of(after, "memref.alloca()"), expected->places, "%s", what);
  snprintf(place, sizeof place, ": memref<%s", expected->stages);
  cr_expect(!expected->places || count_of(after, place), "%s: no %s", what, place);
  cr_assert(pass_run(after, TO_LANES, &(pass_options){.target = &facts, .verify = true}));

  const ir_type *type = ir_attr_get(ir_module_lookup(before, "f"), "function_type")->type;
  unsigned count = type->num_inputs, results = type->num_results; /* results become further arguments */
  ir_tensor reference[EMULATE_MAX_TENSORS], found[EMULATE_MAX_TENSORS];
  cr_assert(check_arguments(before, &shapes, count, reference) && check_arguments(before, &shapes, count, found));
  cr_assert(ir_interpret(before, "f", IR_PRECISION_DOUBLE, count, reference, results, reference + count), "%s", what);
  for (unsigned i = count; i < count + results; i++) {
    found[i] = reference[i];
    cr_assert(ir_tensor_allocate(&found[i]));
  }
  ptx_report report = emulate(after, &facts, count + results, found, what);
  for (unsigned i = 0; i < count + results; i++) {
    double error = check_difference(&reference[i], &found[i]);
    cr_expect(error <= expected->tolerance, "%s: tensor %u differs by %g", what, i, error);
    ir_tensor_release(&reference[i]);
    ir_tensor_release(&found[i]);
  }
  fprintf(stderr, "%s: %llu barriers, %llu wavefronts (%llu without conflicts), %llu sectors (%llu)\n", what,
          (unsigned long long)report.barriers, (unsigned long long)report.total.wavefronts,
          (unsigned long long)report.total.wavefronts_ideal, (unsigned long long)report.total.sectors,
          (unsigned long long)report.total.sectors_ideal);
  cr_expect_eq(report.barriers, expected->barriers, "%s", what);
  if (expected->free_of_conflicts)
    cr_expect_eq(report.total.wavefronts, report.total.wavefronts_ideal, "%s", what);
  if (expected->whole_sectors)
    cr_expect_eq(report.total.sectors, report.total.sectors_ideal, "%s", what);
  ir_module_destroy(before);
  ir_module_destroy(after);
  return report;
}

static void check_text(char *text, const expectation *expected) {
  check_program(text, TO_LAYOUTS, expected);
  free(text);
}

/* ------------------------------------------------------------------------------------------------------------ ptxas */

/* Assembles with the program's kernels and prints what ptxas tells of them; nothing may be spilled or in local
 * memory. */
static void assemble(char *text, const char *chip, const char *what) {
  char path[] = "/tmp/test_stage_XXXXXX", name[NAME_SIZE], command[128], line[512], *code;
  size_t size;
  unsigned num_routines;
  const backend_routine *routines;
  target_facts facts;
  snprintf(name, sizeof name, "nvptx:%s", chip);
  cr_assert(target_find(name, &facts));
  ir_module *module = run_passes(text, &facts, TO_LAYOUTS ",stage," TO_LANES);
  cr_assert(backend_emit_kernels(module, &facts, BACKEND_ASSEMBLY, &code, &size, &num_routines, &routines), "%s", what);
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0 && write(descriptor, code, size) == (ssize_t)size);
  close(descriptor);
  snprintf(command, sizeof command, "ptxas -arch=%s -v -o /dev/null %s 2>&1", chip, path);
  FILE *pipe = popen(command, "r");
  while (fgets(line, sizeof line, pipe)) {
    const char *used = strstr(line, "Used ");
    if (used)
      fprintf(stderr, "%s, %s: %s", what, chip, used);
    cr_expect(!strstr(line, "stack frame") || strstr(line, " 0 bytes stack frame, 0 bytes spill stores"), "%s, %s: %s",
              what, chip, line);
    cr_expect(!strstr(line, "error") && !strstr(line, "fatal") && !strstr(line, "serialized"), "%s", line);
  }
  cr_expect_eq(pclose(pipe), 0);
  unlink(path);
  free(code);
  free(text);
  ir_module_destroy(module);
}

Test(stage, lanes_spill_no_registers) {
  static const int head_dims[] = {32, 64, 96, 128};
  if (system("ptxas --version >/dev/null 2>&1"))
    return;
  for (unsigned i = 0; i < sizeof head_dims / sizeof *head_dims; i++)
    for (unsigned causal = 0; causal < 2; causal++) {
      char what[NAME_SIZE];
      const char *type = causal ? "bf16" : "f16";
      snprintf(what, sizeof what, "attention, %s, head dim %d%s", type, head_dims[i], causal ? ", causal" : "");
      assemble(attention(type, 1000, 1000, head_dims[i], causal), i % 2 ? "sm_80" : "sm_90", what);
      assemble(attention(type, 1024, 1024, head_dims[i], causal), "sm_90a", what);
    }
}

/* ------------------------------------------------------------------------------------------------------------ tests */

Test(stage, attention_runs_ahead_without_conflicts) {
  static const expectation narrow = {"attention, head dim 64", 3, "3x64x64xf16", 12, 4e-3, true};
  static const expectation wide = {"attention, head dim 128", 3, "3x32x128xbf16", 10, 3e-2, true};
  static const expectation tall = {"attention, 128 queries a block", 3, "3x32x128xf16", 5, 4e-3, true};
  static const expectation odd = {"attention, head dim 72", 3, "3x64x80xf16", 8, 4e-3, true};
  static const expectation open = {"attention, open extents, causal", 3, "3x64x64xf16", 8, 4e-3, true};
  check_text(attention("f16", 100, 258, 64, false), &narrow);
  check_text(attention("bf16", 100, 130, 128, true), &wide);
  check_text(attention("f16", 128, 130, 128, false), &tall);
  check_text(attention("f16", 100, 130, 72, false), &odd);
  check_text(attention("f16", 100, 0, 64, true), &open);
}

/* Warpgroups read boxes of 64, 32 or 16 columns. Few blocks have small tiles, and one place more for a tile whose
 * product is still under way. */
Test(stage, warpgroups_read_without_conflicts) {
  static const expectation rows[] = {
      {"warpgroups, head dim 64", 3, "2x128x64xf16", 6, 4e-3, true, "sm_90a"},
      {"warpgroups, head dim 128, causal", 3, "2x64x128xbf16", 3, 3e-2, true, "sm_90a"},
      {"warpgroups, head dim 128, small blocks", 3, "3x64x128xbf16", 6, 3e-2, true, "sm_90a"},
      {"warpgroups, head dim 96", 3, "3x64x96xf16", 3, 4e-3, true, "sm_90a"},
      {"warpgroups, head dim 72", 3, "2x64x80xf16", 6, 4e-3, true, "sm_90a"},
      {"warpgroups, open extents, causal", 3, "2x128x64xf16", 4, 4e-3, true, "sm_90a"},
      {"warpgroups, product", 2, "4x64x64xf16", 12, 1e-3, true, "sm_90a"},
      {"warpgroups, product with a transposed factor", 2, "4x64x64xbf16", 8, 1e-3, true, "sm_90a"},
  };
  check_text(attention("f16", 100, 258, 64, false), &rows[0]);
  check_text(attention("bf16", 128, 130, 128, true), &rows[1]);
  check_text(attention("bf16", 100, 130, 128, true), &rows[2]);
  check_text(attention("f16", 128, 192, 96, false), &rows[3]);
  check_text(attention("f16", 100, 130, 72, false), &rows[4]);
  check_text(attention("f16", 100, 0, 64, true), &rows[5]);
  check_text(product("f16", 128, 136, 200, false), &rows[6]);
  check_text(product("bf16", 130, 64, 256, true), &rows[7]);
}

Test(stage, products_run_ahead) {
  static const expectation plain = {"product", 2, "3x64x64xf16", 12, 1e-3, true};
  static const expectation transposed = {"product with a transposed factor", 2, "3x64x64xbf16", 8, 1e-3, true};
  check_text(product("f16", 128, 136, 200, false), &plain);
  check_text(product("bf16", 130, 64, 256, true), &transposed);
}

Test(stage, small_products_have_one_place) {
  static const expectation once = {"product of one step", 2, "1x64x64xf16", 1, 1e-3, true};
  check_text(product("f16", 64, 64, 64, false), &once);
}

/* Lanes exchange 16-bit results where factors were, and write them 16 bytes each; rows that end within a piece in
 * smaller ones, and odd ones by elements. */
Test(stage, results_go_out_in_whole_lines) {
  static const expectation rows[] = {
      {"results, head dim 64", 3, "3x64x64xf16", 14, 4e-3, true, .whole_sectors = true},
      {"results, head dim 128", 3, "2x64x128xbf16", 4, 3e-2, true, "sm_90a", true},
      {"results, head dim 96", 3, "3x64x96xf16", 4, 4e-3, true, "sm_90a", true},
      {"results, product", 2, "3x64x64xf16", 15, 1e-1, true},
      {"results, product of one step", 2, "1x64x64xf16", 2, 1e-1, true, .whole_sectors = true},
      {"results, product of warpgroups", 2, "4x64x64xf16", 15, 1e-1, true, "sm_90a"},
      {"results, rows of 132", 2, "3x64x64xf16", 12, 1e-1, true},
      {"results, rows of 133", 2, "3x64x64xf16", 12, 1e-1, true},
  };
  check_text(narrowed(attention("f16", 100, 258, 64, false), "f16", 100, 64), &rows[0]);
  check_text(narrowed(attention("bf16", 128, 130, 128, true), "bf16", 128, 128), &rows[1]);
  check_text(narrowed(attention("f16", 128, 192, 96, false), "f16", 128, 96), &rows[2]);
  check_text(narrowed(product("f16", 128, 136, 200, false), "f16", 128, 136), &rows[3]);
  check_text(narrowed(product("f16", 64, 64, 64, false), "f16", 64, 64), &rows[4]);
  check_text(narrowed(product("f16", 128, 136, 200, false), "f16", 128, 136), &rows[5]);
  check_text(narrowed(product("f16", 128, 132, 192, true), "f16", 128, 132), &rows[6]);
  check_text(narrowed(product("f16", 128, 133, 192, true), "f16", 128, 133), &rows[7]);
}

/* Rows that are not aligned to words go through registers; the third place is that of the result. */
Test(stage, odd_rows_are_copied_through_registers) {
  static const expectation odd = {"product with odd rows", 3, "1x64x64xf16", 24, 1e-3, true};
  check_text(product("f16", 70, 67, 133, false), &odd);
}

Test(stage, loops_that_write_memory_are_not_run_ahead_of) {
  static const expectation both = {"factor with another use", 2, "1x64x64xf16", 6, 1e-2, true};
  check_program(vectors, "", &both);
}
