/* test_text.c - the textual form: round trips of every op, diagnostics, scoping, limits, linear time. */
#include "ir/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct messages {
  char text[8192];
  unsigned errors;
} messages;

static void collect(void *user, ir_severity severity, const char *rendered) {
  messages *all = user;
  size_t used = strlen(all->text);
  snprintf(all->text + used, sizeof all->text - used, "%s", rendered);
  all->errors += severity == IR_ERROR;
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  cr_assert(file, "cannot open %s", path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(*size + 1, 1);
  cr_assert_eq(fread(text, 1, *size, file), *size);
  fclose(file);
  return text;
}

static ir_module *parse_or_fail(const char *name, const char *text, size_t size) {
  messages all = {0};
  ir_module *module = ir_module_create(collect, &all);
  bool parsed = ir_parse(module, name, text, size);
  cr_assert(parsed, "%s does not parse:\n%s\n%s", name, all.text, size < 20000 ? text : "");
  cr_assert_eq(all.errors, 0);
  module->diag = NULL;
  return module;
}

static char *print(const ir_module *module, bool generic) {
  char *text = ir_print_module(module, &(ir_print_options){.generic = generic}, NULL);
  cr_assert(text);
  return text;
}

/* Pretty and generic text both read back as the same module. */
static void check_round_trip(const char *name, const char *text, size_t size) {
  ir_module *module = parse_or_fail(name, text, size);
  char *pretty = print(module, false), *generic = print(module, true);
  ir_module *again = parse_or_fail("pretty", pretty, strlen(pretty));
  ir_module *from_generic = parse_or_fail("generic", generic, strlen(generic));
  char *pretty_again = print(again, false), *generic_again = print(from_generic, true);
  char *pretty_from_generic = print(from_generic, false);
  cr_assert_str_eq(pretty_again, pretty);
  cr_assert_str_eq(generic_again, generic);
  cr_assert_str_eq(pretty_from_generic, pretty);
  free(pretty);
  free(generic);
  free(pretty_again);
  free(generic_again);
  free(pretty_from_generic);
  ir_module_destroy(module);
  ir_module_destroy(again);
  ir_module_destroy(from_generic);
}

/* All files of tests/golden/ir; `visit` gets name and content. */
static void for_each_file(void (*visit)(const char *name, const char *text, size_t size)) {
  DIR *directory = opendir(GOLDEN_DIR);
  cr_assert(directory);
  unsigned count = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (!strstr(entry->d_name, ".mlir"))
      continue;
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", GOLDEN_DIR, entry->d_name);
    char *text = read_file(path, &size);
    visit(entry->d_name, text, size);
    free(text);
    count++;
  }
  closedir(directory);
  cr_assert_gt(count, 5);
}

Test(text, files_round_trip) { for_each_file(check_round_trip); }

static bool seen[IR_NUM_OPCODES];

static bool see(ir_op *op, void *data) {
  seen[op->code] = true;
  return true;
}

static void see_ops(const char *name, const char *text, size_t size) {
  ir_module *module = parse_or_fail(name, text, size);
  see(module->root, NULL);
  ir_walk(ir_region(module->root, 0), see, NULL);
  ir_module_destroy(module);
}

Test(text, files_have_every_op) {
  for_each_file(see_ops);
  for (unsigned i = 0; i < IR_NUM_OPCODES; i++)
    cr_expect(seen[i], "no file in tests/golden/ir has '%s'", ir_op_info_of((ir_opcode)i)->name);
}

static void check_prints(const char *text, const char *expected) {
  ir_module *module = parse_or_fail("input", text, strlen(text));
  char *printed = print(module, false);
  cr_expect(strstr(printed, expected), "expected\n%s\nin\n%s", expected, printed);
  free(printed);
  ir_module_destroy(module);
}

Test(text, prints_newer_spelling) {
  check_prints("func.func @f(%a: f32) -> f32 { %0 = arith.maxf %a, %a : f32 return %0 : f32 }",
               "    %0 = arith.maximumf %arg0, %arg0 : f32\n");
  check_prints("func.func @f(%a: tensor<8xf32>) { %0 = tensor.expand_shape %a [[0, 1]] : tensor<8xf32> into "
               "tensor<2x4xf32> return }",
               "tensor.expand_shape %arg0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>");
  check_prints("func.func @f(%a: memref<8xf32, affine_map<(d0)[s0] -> (d0 * 2 + s0)>>) { return }",
               "memref<8xf32, strided<[2], offset: ?>>");
  check_prints("transform.sequence failures(propagate) { ^bb0(%a: !pdl.operation): cleanup }",
               "^bb0(%arg0: !transform.any_op):\n    transform.cleanup\n    transform.yield\n");
}

Test(text, names_may_have_signs_in_them) {
  check_prints("func.func @f$1.a(%x$y: f32) { %a.b-c$_ = arith.negf %x$y : f32 return }",
               "func.func @f$1.a(%arg0: f32)");
}

Test(text, prints_numbers_exactly) {
  check_prints("func.func @f() { %0 = arith.constant 0.1 : f64 return }", "%cst = arith.constant 1.000000e-01 : f64");
  check_prints("func.func @f() { %0 = arith.constant 0x3DCCCCCE : f32 return }", "arith.constant 1.0000001e-01 : f32");
  check_prints("func.func @f() { %0 = arith.constant 16777217.0 : f32 return }", "1.6777216e+07 : f32");
  check_prints("func.func @f() { %0 = arith.constant 0xFC00 : f16 return }", "arith.constant 0xFC00 : f16");
  check_prints("func.func @f() { %0 = arith.constant -0.0 : f32 return }", "-0.000000e+00 : f32");
  check_prints("func.func @f() { %0 = arith.constant 255 : i8 return }", "%c-1_i8 = arith.constant -1 : i8");
}

static void check_error(const char *text, const char *expected) {
  messages all = {0};
  ir_module *module = ir_module_create(collect, &all);
  cr_expect_not(ir_parse(module, "in", text, strlen(text)), "parsed: %s", text);
  cr_expect_eq(all.errors, 1, "%u errors for %s\n%s", all.errors, text, all.text);
  cr_expect(strstr(all.text, expected), "expected '%s' for\n%s\nbut got\n%s", expected, text, all.text);
  ir_module_destroy(module);
}

Test(text, one_error_with_place_and_caret) {
  check_error("func.func @f(%a: f32) {\n  %0 = arith.addf %a, %b : f32\n}",
              "in:2:23: error: use of undefined value '%b'\n  %0 = arith.addf %a, %b : f32\n                      ^\n");
  check_error("func.func @f(%a: f32, %a: f32) { return }", "in:1:23: error: redefinition of '%a'");
  check_error("func.func @f(%a: f32) { %0 = arith.addf %0, %a : f32 return }", "undefined value '%0'");
  check_error("func.func @f(%a: f32) { %0 = math.exp %a : f64 return }", "error: ");
  check_error("func.func @f(%a: f32) { return %a : f64 }", "this type is 'f64', but the value used here has");
  check_error("func.func @f(%a: f32) { scf.if %a { %x = math.exp %a : f32 } return %x : f32 }", "undefined value '%x'");
  check_error("func.func @f(%a: f32) { return } func.func @g() { return %a : f32 }", "undefined value '%a'");
}

Test(text, malformed_text_is_an_error) {
  check_error("foo.bar", "unknown op 'foo.bar'");
  check_error("\"foo.bar\"() : () -> ()", "unknown op 'foo.bar'");
  check_error("func.func @f(", "expected a type");
  check_error("func.func @f() { return", "expected '}'");
  check_error("func.func @f() { %0 = \"arith.addf\"() : () -> f32 return }", "expects at least 2 operands");
  check_error("func.func @f(%a: tensor<4xf32>) { \"linalg.generic\"(%a) <{indexing_maps = [], iterator_types = [], "
              "operandSegmentSizes = array<i32: 0, 2>}> ({}) : (tensor<4xf32>) -> () return }",
              "'operandSegmentSizes' does not fit");
  check_error("func.func @f() { \"arith.constant\"() : () -> f32 return }", "requires attribute 'value'");
  check_error("func.func @f() { %0:2 = arith.constant 1 : i32 return }", "gives 1 result, but 2 are named");
  check_error("func.func @f() { %0 = arith.constant 300 : i8 return }", "does not fit in i8");
  check_error("func.func @f() { %0 = arith.constant 1 : f32 return }", "decimal point");
  check_error("func.func @f() { %0 = arith.constant dense<[1, [2]]> : tensor<2xi32> return }", "not equally deep");
  check_error("func.func @f() { %0 = arith.constant dense<[1, 2]> : tensor<3xi32> return }", "the shape of");
  check_error("func.func @f(%a: tensor<*xf32>) { return }", "unranked types are not supported");
  check_error("func.func @f(%a: tensor<4x!x>) { return }", "expected an element type");
  check_error("func.func @f(%a: tensor<99999999999999999999xf32>) { return }", "does not fit in 64 bits");
  check_error("func.func @f(%a: !foo) { return }", "unknown type '!foo'");
  check_error("func.func @f() attributes {a = #foo.bar} { return }", "unknown attribute '#foo.bar'");
  check_error("func.func @f() attributes {a, a} { return }", "'a' is given twice");
  check_error("func.func @f() attributes {a = \"x} { return }", "no closing");
  check_error("func.func @f() { ^bb0: return ^bb1: return }", "one block");
  check_error("#m = affine_map<(d0, d1) -> (d0 * d1)>", "not affine");
  check_error("#m = affine_map<(d0) -> (d0 mod 0)>", "positive constant");
  check_error("func.func @f(%c: tensor<4x4xf32>) { %0 = \"linalg.matmul\"(%c, %c, %c) <{operandSegmentSizes = "
              "array<i32: 2, 1>}> ({ ^bb0(%x: f32, %y: f32, %z: f32): \"linalg.yield\"(%x) : (f32) -> () }) : "
              "(tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> return }",
              "this is not the body of 'linalg.matmul'");
  check_error("\x01", "unexpected byte 0x01");
}

Test(text, nesting_is_limited) {
  static const char *const openers[] = {"[", "{a = ", "(", "affine_map<() -> ((", "dense<["};
  enum { COUNT = 100000 };
  for (unsigned i = 0; i < sizeof openers / sizeof *openers; i++) {
    size_t size = strlen(openers[i]);
    char *text = calloc(size * COUNT + 8, 1);
    strcpy(text, "#a = ");
    for (unsigned k = 0; k < COUNT; k++)
      memcpy(text + 5 + k * size, openers[i], size);
    ir_module *module = ir_module_create(NULL, NULL);
    cr_expect_not(ir_parse(module, "in", text, strlen(text)));
    cr_expect_eq(module->num_errors, 1);
    ir_module_destroy(module);
    free(text);
  }
}

Test(text, names_follow_scopes) {
  check_prints(
      "func.func @f(%p: i1) { scf.if %p { %x = arith.constant 1.0 : f32 } else { %x = arith.constant 2.0 : f32 }"
      " "
      "%x = arith.constant 3.0 : f32 %y = arith.constant 4.0 : f32 return }",
      "    %cst = arith.constant 3.000000e+00 : f32\n    %cst_0 = arith.constant 4.000000e+00 : f32\n");
}
