/* test_fault.c - errors of the compiler itself: what they are called, and the file and command that show them again. */
#include "backend/llvm.h"
#include "runtime/tec_compiler.h"
#include "tests/support/messages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "func.func @f(%x: f32) -> f32 {\n"
                             "  %y = arith.addf %x, %x : f32\n"
                             "  %z = arith.addf %x, %x : f32\n"
                             "  %r = arith.mulf %y, %z : f32\n"
                             "  return %r : f32\n"
                             "}\n";

static bool find_fault(ir_module *module, const pass_options *options) {
  return ir_internal_error(module->root, "find-fault", "on purpose");
}

static const pass_row rows[] = {{"find-fault", find_fault, 0, ""}};

/* A new folder for temporary files whose name a shell would take apart. */
static void make_folder(char *folder, size_t size) {
  char parent[] = "/tmp/tcc-attn-test-XXXXXX";
  cr_assert(mkdtemp(parent));
  snprintf(folder, size, "%s/it's here", parent);
  cr_assert_eq(mkdir(folder, 0700), 0);
  setenv("TMPDIR", folder, 1);
}

/* The path at the end of the message, as a shell reads it. */
static void find_path(const char *message, char *path, size_t size) {
  char command[6000];
  const char *word = strchr(message, '\'');
  cr_assert(word, "%s", message);
  snprintf(command, sizeof command, "printf %%s %s", word);
  FILE *stream = popen(command, "r");
  cr_assert(stream);
  path[fread(path, 1, size - 1, stream)] = 0;
  cr_assert_eq(pclose(stream), 0);
}

Test(fault, the_command_shows_it_again) {
  char folder[64], path[128], *text;
  size_t size;
  messages kept;
  make_folder(folder, sizeof folder);
  tec_context *context = messages_context(&kept, (tec_context_options){sizeof(tec_context_options)});
  tec_module *module;
  cr_assert_eq(tec_module_parse(context, "f.mlir", source, strlen(source), &module), TEC_OK);
  const tec_compile_options options = {
      .size = sizeof options, .target = "host:x86-64-v3", .no_fuse = true, .tf32 = true, .tiles = "rows=8", .cores = 3};
  compiler_run run;
  cr_assert_eq(compiler_begin(&run, module, &options), TEC_OK);
  run.passes.more = rows;
  run.passes.num_more = 1;
  bool good = pass_run(module->ir, "simplify,find-fault,simplify", &run.passes);
  cr_assert_eq(compiler_status(&run, good), TEC_INTERNAL);
  cr_assert_eq(kept.count, 1);
  static const char command[] = "tcc-attn opt --passes=find-fault,simplify --verify --target=host:x86-64-v3 --fuse=off "
                                "--f32=tf32 --cores=3 --tiles=rows=8 '";
  cr_assert(strstr(kept.last, command), "%s", kept.last);
  find_path(kept.last, path, sizeof path);
  cr_assert_eq(strncmp(path, folder, strlen(folder)), 0, "%s", path);
  cr_assert_eq(tec_file_read(context, path, &text, &size), TEC_OK);
  tec_module_destroy(module);
  cr_assert_eq(tec_module_parse(context, path, text, size, &module), TEC_OK);
  const char *sum = strstr(text, "addf"); /* after the first simplify: one of the two */
  cr_assert(sum && !strstr(sum + 1, "addf"), "%s", text);
  cr_assert(strstr(text, command), "%s", text);
  tec_module_destroy(module);
  tec_free(text);
  tec_context_destroy(context);
  unlink(path);
}

/* Nothing comes of it where there is no place for the file, but the error. */
Test(fault, no_place_for_the_file) {
  messages kept;
  setenv("TMPDIR", "/nowhere", 1);
  tec_context *context = messages_context(&kept, (tec_context_options){sizeof(tec_context_options)});
  tec_module *module;
  cr_assert_eq(tec_module_parse(context, "f.mlir", source, strlen(source), &module), TEC_OK);
  const tec_compile_options options = {.size = sizeof options};
  compiler_run run;
  cr_assert_eq(compiler_begin(&run, module, &options), TEC_OK);
  compiler_keep_fault(&run, "compile -o /dev/null", source);
  cr_assert_eq(kept.count, 0);
  cr_assert_eq(strlen(kept.last), 0);
  tec_module_destroy(module);
  tec_context_destroy(context);
}

static void count_errors(void *count, ir_severity severity, const char *text) {
  *(unsigned *)count += severity == IR_ERROR;
  if (severity == IR_ERROR)
    cr_expect(strstr(text, "internal error in 'code generation'"), "%s", text);
}

/* LLVM IR that is not valid is an error of ours, in every build: LLVM's passes may do anything with it. */
Test(fault, invalid_llvm_ir) {
  unsigned errors = 0;
  ir_module *module = ir_module_create(count_errors, &errors);
  target_facts facts;
  cr_assert(backend_target_host(module, "host", &facts));
  emitter e;
  cr_assert(emitter_init(&e, module, &facts, &(emit_target){.name = "test"}));
  LLVMTargetMachineRef machine = emit_create_machine(&e);
  LLVMValueRef function =
      LLVMAddFunction(e.llvm, "f", LLVMFunctionType(LLVMVoidTypeInContext(e.context), NULL, 0, false));
  LLVMAppendBasicBlockInContext(e.context, function, "without_end");
  cr_assert_not(emit_optimize(&e, machine, "default<O0>"));
  cr_assert_eq(errors, 1);
  cr_assert_str_eq(module->broken_by, EMIT_PART);
  LLVMDisposeTargetMachine(machine);
  emitter_destroy(&e);
  ir_module_destroy(module);
}
