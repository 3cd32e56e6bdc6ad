/* test_pass_manager.c - lists of passes: unknown names, and passes that find the compiler at fault. */
#include "passes/pass.h"
#include "ir/text.h"

#include <criterion/criterion.h>
#include <string.h>

static const char text[] = "func.func @f(%x: f32) -> f32 {\n"
                           "  %y = arith.addf %x, %x : f32\n"
                           "  %z = arith.addf %x, %x : f32\n"
                           "  %r = arith.mulf %y, %z : f32\n"
                           "  return %r : f32\n"
                           "}\n";

static bool rename_function(ir_module *module, const pass_options *options) {
  ir_op *function = ir_region(module->root, 0)->first;
  ir_attr_set(function, "sym_name", ir_attr_string(module, "renamed", 7));
  return true;
}

static bool find_fault(ir_module *module, const pass_options *options) {
  ir_attr_set(ir_region(module->root, 0)->first, "sym_name", ir_attr_string(module, "half-changed", 12));
  return ir_internal_error(module->root, "find-fault", "on purpose");
}

static bool leave_illegal(ir_module *module, const pass_options *options) {
  ir_attr_set(ir_region(module->root, 0)->first, "function_type", ir_attr_unit(module));
  return true;
}

static const pass_row rows[] = {
    {"rename", rename_function, 0, ""}, {"find-fault", find_fault, 0, ""}, {"leave-illegal", leave_illegal, 0, ""}};

typedef struct report {
  unsigned errors, faults;
  char messages[1024], passes[64], text[512];
} report;

static void keep_message(void *user, ir_severity severity, const char *rendered) {
  report *r = user;
  r->errors += severity == IR_ERROR;
  strncat(r->messages, rendered, sizeof r->messages - strlen(r->messages) - 1);
}

static void keep_fault(void *user, const char *passes, const char *printed) {
  report *r = user;
  r->faults++;
  strncpy(r->passes, passes, sizeof r->passes - 1);
  strncpy(r->text, printed, sizeof r->text - 1);
}

static bool run(const char *list, report *r) {
  *r = (report){0};
  ir_module *module = ir_module_create(keep_message, r);
  cr_assert(ir_parse(module, "f.mlir", text, strlen(text)));
  const pass_options options = {.verify = true, .more = rows, .num_more = 3, .fault_sink = keep_fault, .fault_user = r};
  bool good = pass_run(module, list, &options);
  cr_assert_eq(module->broken_by != NULL, r->faults > 0);
  ir_module_destroy(module);
  return good;
}

Test(pass_manager, a_fault_comes_with_the_module_before_it) {
  report r;
  cr_assert_not(run("simplify, rename,find-fault,simplify", &r));
  cr_assert_eq(r.errors, 1);
  cr_assert_eq(r.faults, 1);
  cr_assert(strstr(r.messages, "internal error in 'find-fault'"), "%s", r.messages);
  cr_assert_str_eq(r.passes, "find-fault,simplify");
  cr_assert(strstr(r.text, "@renamed"), "%s", r.text);
  /* After the first simplify: one addf of the two. */
  const char *sum = strstr(r.text, "addf");
  cr_assert(sum && !strstr(sum + 1, "addf"), "%s", r.text);
}

Test(pass_manager, an_illegal_module_is_the_compilers_fault) {
  report r;
  cr_assert_not(run("leave-illegal", &r));
  cr_assert_eq(r.faults, 1);
  cr_assert_str_eq(r.passes, "leave-illegal");
  cr_assert(strstr(r.text, "@f("), "%s", r.text);
}

Test(pass_manager, an_unknown_pass_is_the_users_fault) {
  report r;
  cr_assert_not(run("rename,nothing", &r));
  cr_assert_eq(r.errors, 1);
  cr_assert_eq(r.faults, 0);
}
