/* test_tune.c - what `tcc-attn tune` makes of sizes that it kept before, on a clock that the test moves on: what a call
 * takes follows from the sizes alone. */
#include "tests/support/cache_folder.h"
#include "tests/support/messages.h"
#include "tools/runner.h"
#include "tools/tuned.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "func.func @f(%x: tensor<64x600xf32>, %y: tensor<600x200xf32>, %z: tensor<64x200xf32>)\n"
                           "    -> tensor<64x200xf32> {\n"
                           "  %r = linalg.matmul ins(%x, %y : tensor<64x600xf32>, tensor<600x200xf32>)\n"
                           "      outs(%z : tensor<64x200xf32>) -> tensor<64x200xf32>\n"
                           "  return %r : tensor<64x200xf32>\n"
                           "}\n";
static const char kept_sizes[] = "rows=16";

/* The machine: calls of all sizes but the kept ones take .02 seconds. */
static double now, kept_seconds;
static int disturbed_calls; /* the first ones of the kept sizes, which take longer */
static bool stops_early;    /* the user interrupts the first call */
static const tec_program *kept_program;

static messages said;
static tec_context *context;

/* ------------------------------------------------------------------------------ in place of the command's own parts */

double command_seconds(void) { return now; }

tec_status command_failure(const char *wrong) {
  cr_assert_fail("%s", wrong);
  return TEC_INVALID;
}

bool options_number(const char *name, const char *given, uint64_t least, uint64_t most, uint64_t fallback,
                    uint64_t *number) {
  *number = fallback;
  return true;
}

tec_compile_options command_compile_options(const command_options *options, const char *target) {
  return (tec_compile_options){.size = sizeof(tec_compile_options), .target = target};
}

tec_status command_parse(tec_context *in, const command_options *options, const char *bytes, size_t size,
                         tec_module **module) {
  return tec_module_parse(in, NULL, bytes, size, module);
}

int runner_start(const command_options *options, runner *runner) {
  *runner = (struct runner){.options = options, .context = context, .threads = 1};
  return EXIT_GOOD;
}

void runner_end(runner *runner) { tec_free(runner->file); }

tec_status runner_read(runner *runner) {
  runner->file = strdup(text);
  runner->file_size = strlen(text);
  return TEC_OK;
}

tec_status runner_compile(const runner *runner, const char *target, const char *tiles, tec_program **program) {
  tec_module *module;
  tec_compile_options options = {sizeof options};
  options.tiles = strcmp(tiles, COMMAND_OWN_TILES) ? tiles : NULL;
  cr_assert_eq(tec_module_parse(context, NULL, text, strlen(text), &module), TEC_OK);
  cr_assert_eq(tec_module_compile(module, &options, program), TEC_OK, "%s", said.last);
  tec_module_destroy(module);
  if (!strcmp(tiles, kept_sizes))
    kept_program = *program;
  else if (*program == kept_program)
    kept_program = NULL;
  return TEC_OK;
}

tec_status runner_make_arguments(const runner *runner, check_run *run) { return TEC_OK; }

tec_status runner_call(const runner *runner, const check_run *run) {
  bool is_kept = run->program == kept_program;
  now += is_kept ? kept_seconds : 0.02;
  if (is_kept && disturbed_calls-- > 0)
    now += 0.01;
  if (stops_early)
    raise(SIGINT);
  return TEC_OK;
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static void set_up(void) {
  context = messages_context(&said, (tec_context_options){0});
  cache_folder_begin();
}

static void tear_down(void) {
  tec_context_destroy(context);
  cache_folder_end();
}

TestSuite(tune, .init = set_up, .fini = tear_down);

/* Keeps the sizes, tunes, and returns whether they are kept then. */
static bool stay_after_tune(void) {
  tec_module *module;
  tec_compile_options compile = {sizeof compile};
  uint64_t key;
  char *tiles, *path;
  cr_assert_eq(tec_module_parse(context, NULL, text, strlen(text), &module), TEC_OK, "%s", said.last);
  cr_assert_eq(tuned_key(module, &compile, 1, &key), TEC_OK);
  tec_module_destroy(module);
  cr_assert_eq(tuned_store(context, key, kept_sizes, &path), TEC_OK);
  free(path);
  cr_assert_eq(command_tune(&(command_options){.input = "f.mlir", .random = ""}), EXIT_GOOD);
  cr_assert_eq(tuned_find(context, key, &tiles), TEC_OK);
  bool stay = tiles && !strcmp(tiles, kept_sizes);
  free(tiles);
  return stay;
}

Test(tune, kept_sizes_stay_unless_they_are_slower) {
  kept_seconds = 0.0199;
  cr_expect(stay_after_tune());
  kept_seconds = 0.021;
  cr_expect_not(stay_after_tune());
}

Test(tune, kept_sizes_do_not_lose_at_first_sight) {
  kept_seconds = 0.015;
  disturbed_calls = 3;
  cr_expect(stay_after_tune());
}

Test(tune, kept_sizes_stay_where_there_is_no_time_to_measure_them) {
  kept_seconds = 0.03;
  stops_early = true;
  cr_expect(stay_after_tune());
}
