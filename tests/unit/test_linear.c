/* test_linear.c - the time to parse, verify, simplify and print a module grows with its size, no faster.
 *
 * Ten times the ops may take at most twenty-five times as long: a quadratic step would take a hundred times. Each time
 * is the least of a few runs, so that a busy machine does not fail the test. */
#include "ir/text.h"
#include "passes/pass.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALL = 10000, LARGE = 10 * SMALL, MOST_TIMES = 25, RUNS = 3 };

/* Writes a module of about that many ops; returns its text, from malloc. */
typedef char *(*module_writer)(unsigned num_ops, size_t *size);

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double run_once(const char *text, size_t size) {
  double start = seconds_now();
  ir_module *module = ir_module_create(NULL, NULL);
  cr_assert(ir_parse(module, "large", text, size));
  cr_assert(ir_verify(module, 0));
  cr_assert(pass_run(module, "simplify", &(pass_options){.fuse = true}));
  char *printed = ir_print_module(module, &(ir_print_options){0}, NULL);
  cr_assert(printed);
  free(printed);
  ir_module_destroy(module);
  return seconds_now() - start;
}

static double least_seconds(module_writer write, unsigned num_ops) {
  size_t size;
  char *text = write(num_ops, &size);
  double least = run_once(text, size);
  for (unsigned i = 1; i < RUNS; i++) {
    double seconds = run_once(text, size);
    least = seconds < least ? seconds : least;
  }
  free(text);
  return least;
}

static void expect_linear(module_writer write) {
  double small = least_seconds(write, SMALL), large = least_seconds(write, LARGE);
  cr_log_info("%d ops: %.3f s, %d ops: %.3f s", SMALL, small, LARGE, large);
#ifdef NDEBUG /* a release */
  cr_assert(large < 1, "%d ops take %g s", LARGE, large);
#endif
  cr_assert(large <= MOST_TIMES * small, "%d ops take %g s, %d take %g s", SMALL, small, LARGE, large);
}

/* One block in which each op uses the two before it. */
static char *write_long_block(unsigned num_ops, size_t *size) {
  char *text;
  FILE *file = open_memstream(&text, size);
  fprintf(file, "func.func @f(%%v0: f32, %%v1: f32) -> f32 {\n");
  for (unsigned i = 2; i < num_ops; i++)
    fprintf(file, "  %%v%u = arith.%s %%v%u, %%v%u : f32\n", i, i % 3 ? "addf" : "mulf", i - 1, i - 2);
  fprintf(file, "  return %%v%u : f32\n}\n", num_ops - 1);
  fclose(file);
  return text;
}

/* Ops that simplify folds, merges and drops; constants that all share one value. */
static char *write_redundant_block(unsigned num_ops, size_t *size) {
  char *text;
  FILE *file = open_memstream(&text, size);
  fprintf(file, "func.func @f(%%i: index) -> index {\n  %%v0 = arith.constant 1 : index\n");
  for (unsigned i = 1; i < num_ops / 3; i++)
    fprintf(file,
            "  %%c%u = arith.constant %u : index\n  %%u%u = arith.addi %%i, %%c%u : index\n"
            "  %%v%u = arith.addi %%v%u, %%c%u : index\n",
            i, i % 7, i, i, i, i - 1, i);
  fprintf(file, "  return %%v%u : index\n}\n", num_ops / 3 - 1);
  fclose(file);
  return text;
}

/* Many functions, a tree of calls: looking up symbols must not search all of them each time. */
static char *write_many_functions(unsigned num_ops, size_t *size) {
  char *text;
  FILE *file = open_memstream(&text, size);
  unsigned count = num_ops / 4;
  fprintf(file, "func.func @f0(%%a: f32) -> f32 { return %%a : f32 }\n");
  for (unsigned i = 1; i < count; i++)
    fprintf(file,
            "func.func @f%u(%%a: f32) -> f32 {\n  %%0 = arith.addf %%a, %%a : f32\n"
            "  %%1 = call @f%u(%%0) : (f32) -> f32\n  return %%1 : f32\n}\n",
            i, i / 2);
  fclose(file);
  return text;
}

/* Slices of slices, each used by an op that writes. */
static char *write_views(unsigned num_ops, size_t *size) {
  char *text;
  FILE *file = open_memstream(&text, size);
  fprintf(file, "func.func @f(%%v0: tensor<64xf32>, %%i: index, %%x: f32) -> tensor<64xf32> {\n");
  for (unsigned i = 1; i < num_ops / 3; i++)
    fprintf(file,
            "  %%s%u = tensor.extract_slice %%v%u[%%i] [8] [1] : tensor<64xf32> to tensor<8xf32>\n"
            "  %%w%u = tensor.insert %%x into %%s%u[%%i] : tensor<8xf32>\n"
            "  %%v%u = tensor.insert_slice %%w%u into %%v%u[%%i] [8] [1] : tensor<8xf32> into tensor<64xf32>\n",
            i, i - 1, i, i, i, i, i - 1);
  fprintf(file, "  return %%v%u : tensor<64xf32>\n}\n", num_ops / 3 - 1);
  fclose(file);
  return text;
}

Test(linear, long_blocks) { expect_linear(write_long_block); }

Test(linear, redundant_ops) { expect_linear(write_redundant_block); }

Test(linear, functions_and_calls) { expect_linear(write_many_functions); }

Test(linear, chains_of_views) { expect_linear(write_views); }
