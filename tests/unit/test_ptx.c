/* test_ptx.c - the PTX emulator: every instruction against values computed by hand, divergence, barriers, each kind of
 * race and of wrong access, and damaged text. Where ptxas is installed it must accept the texts, too. */
#include "runtime/ptx.h"
#include "tests/support/ptx_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGISTERS "  .reg .pred %%p<16>;\n  .reg .b16 %%h<32>;\n  .reg .b32 %%r<64>;\n  .reg .b64 %%d<32>;\n"

/* ---------------------------------------------------------------------------------------------------------- harness */

/* Buffers of a test kernel `k(out, in)` and what came of running it. */
typedef struct run {
  _Alignas(64) uint32_t out[4096];
  uint32_t in[4096];
  unsigned blocks, threads, dynamic;
  uint64_t budget;
  bool refuse_uninitialised, keep_report;
  tec_status status;
  ptx_message message;
  ptx_report report;
  ptx_module *module;
} run;

/* The kernel gets %d0 = out, %d1 = in, %r0 = %tid.x, %d2 = 4 * tid, %d3 = out + %d2, %d4 = in + %d2. */
static char *kernel_text(const char *declarations, const char *body) {
  static const char format[] = HEADER
      ".extern .shared .align 16 .b8 dynamic[];\n%s\n.visible .entry k(.param .u64 out, .param .u64 in) {\n" REGISTERS
      "  ld.param.u64 %%d0, [out];\n  ld.param.u64 %%d1, [in];\n  mov.u32 %%r0, %%tid.x;\n"
      "  mul.wide.u32 %%d2, %%r0, 4;\n  add.s64 %%d3, %%d0, %%d2;\n  add.s64 %%d4, %%d1, %%d2;\n%s\n  ret;\n}\n";
  size_t size = sizeof format + strlen(declarations) + strlen(body);
  char *text = malloc(size);
  snprintf(text, size, format, declarations, body);
  return text;
}

static void launch(run *test, const char *text) {
  test->status = ptx_module_load(text, strlen(text), &test->module, &test->message);
  if (test->status != TEC_OK)
    return;
  void *out = test->out, *in = test->in;
  ptx_argument arguments[] = {{&out, sizeof out}, {&in, sizeof in}};
  ptx_buffer buffers[] = {{test->in, sizeof test->in, true}, {test->out, sizeof test->out, false}};
  ptx_launch_options options = {.kernel = "k",
                                .grid = {test->blocks ? test->blocks : 1, 1, 1},
                                .block = {test->threads ? test->threads : 32, 1, 1},
                                .dynamic_shared_bytes = test->dynamic,
                                .arguments = arguments,
                                .num_arguments = 2,
                                .buffers = buffers,
                                .num_buffers = 2,
                                .threads = 2,
                                .budget = test->budget,
                                .refuse_uninitialised = test->refuse_uninitialised};
  test->status = ptx_launch(test->module, &options, test->keep_report ? &test->report : NULL, &test->message);
  if (!test->keep_report)
    ptx_module_free(test->module);
}

static void run_body(run *test, const char *declarations, const char *body) {
  char *text = kernel_text(declarations, body);
  check_with_ptxas(text);
  launch(test, text);
  free(text);
}

static void expect_ok(const run *test) { cr_assert_eq(test->status, TEC_OK, "%s", test->message.text); }

static void expect_error(const run *test, const char *part) {
  cr_assert_eq(test->status, TEC_INVALID);
  cr_assert_not_null(strstr(test->message.text, part), "'%s' is not in: %s", part, test->message.text);
}

/* -------------------------------------------------------------------------------------------------- one instruction */

/* The code reads a, b, c as %r1.., %d11.., %h1.. and leaves its result in %r9, %d19, %h9 or %p9, by the letter. */
typedef struct instruction_case {
  const char *code;
  char result;
  uint64_t a, b, c, expected;
} instruction_case;

static const instruction_case cases[] = {
#include "ptx_cases.def"
};
enum { NUM_CASES = sizeof cases / sizeof *cases };

/* f16 or bf16 with f32, from sm_100 on. 0x1001 of f16 is 2^-11 + 2^-21. */
static const instruction_case mixed_cases[] = {
    {"add.f32.f16 %r9, %h1, %r2", 'r', 0x3c00, 0x40000000, 0, 0x40400000},
    {"add.rn.f32.f16 %r9, %h1, %r2", 'r', 0x1001, 0x3f800000, 0, 0x3f801004},
    {"add.rn.f32.bf16 %r9, %h1, %r2", 'r', 0x3380, 0x3f800000, 0, 0x3f800000},
    {"add.rp.f32.bf16 %r9, %h1, %r2", 'r', 0x3380, 0x3f800000, 0, 0x3f800001},
    {"add.rn.sat.f32.f16 %r9, %h1, %r2", 'r', 0x3c00, 0x3f800000, 0, 0x3f800000},
    {"add.rn.f32.f16 %r9, %h1, %r2", 'r', 0x0001, 0, 0, 0x33800000},
    {"sub.rn.f32.f16 %r9, %h1, %r2", 'r', 0x3c00, 0x40000000, 0, 0xbf800000},
    {"sub.rz.f32.bf16 %r9, %h1, %r2", 'r', 0xbf80, 0xb3000000, 0, 0xbf7fffff},
    {"sub.rn.f32.f16 %r9, %h1, %r2", 'r', 0xfc00, 0x3f800000, 0, 0xff800000},
    {"fma.rn.f32.f16 %r9, %h1, %h2, %r3", 'r', 0x3c01, 0x3c01, 0xbf804000, 0x35800000},
    {"fma.rn.f32.bf16 %r9, %h1, %h2, %r3", 'r', 0x3f81, 0x3f81, 0xbf820000, 0x38800000},
    {"fma.rm.sat.f32.bf16 %r9, %h1, %h2, %r3", 'r', 0x3f80, 0xc000, 0x3f800000, 0},
};
enum { NUM_MIXED_CASES = sizeof mixed_cases / sizeof *mixed_cases };

static void append_case(char **at, const instruction_case *row, unsigned i) {
  static const char letters[] = "rdhp";
  static const char *const stores[] = {"st.global.b32 [%d0], %r9;", "st.global.b64 [%d0], %d19;",
                                       "st.global.b16 [%d0], %h9;",
                                       "selp.u32 %r9, 1, 0, %p9; st.global.b32 [%d0], %r9;"};
  const char *store = stores[strchr(letters, row->result) - letters];
  *at += sprintf(
      *at,
      ".visible .entry k%u(.param .u64 out, .param .u64 in) {\n" REGISTERS
      "  ld.param.u64 %%d0, [out];\n  ld.param.u64 %%d1, [in];\n"
      "  ld.global.v2.b64 {%%d11, %%d12}, [%%d1];\n  ld.global.b64 %%d13, [%%d1+16];\n"
      "  cvt.u32.u64 %%r1, %%d11;\n  cvt.u32.u64 %%r2, %%d12;\n  cvt.u32.u64 %%r3, %%d13;\n"
      "  cvt.u16.u64 %%h1, %%d11;\n  cvt.u16.u64 %%h2, %%d12;\n  cvt.u16.u64 %%h3, %%d13;\n  %s;\n  %s\n  ret;\n}\n",
      i, row->code, store);
}

static void check_cases(const char *header, const instruction_case *rows, unsigned count) {
  char *text = malloc(count * 1500 + 200), *at = text;
  at += sprintf(at, "%s", header);
  for (unsigned i = 0; i < count; i++)
    append_case(&at, &rows[i], i);
  check_with_ptxas(text);
  ptx_module *module;
  ptx_message message;
  cr_assert_eq(ptx_module_load(text, strlen(text), &module, &message), TEC_OK, "%s", message.text);
  for (unsigned i = 0; i < count; i++) {
    _Alignas(16) uint64_t in[3] = {rows[i].a, rows[i].b, rows[i].c}, out = 0;
    void *out_address = &out, *in_address = in;
    char name[16];
    snprintf(name, sizeof name, "k%u", i);
    ptx_argument arguments[] = {{&out_address, 8}, {&in_address, 8}};
    ptx_buffer buffers[] = {{in, sizeof in, true}, {&out, sizeof out, false}};
    ptx_launch_options options = {.kernel = name,
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1},
                                  .arguments = arguments,
                                  .num_arguments = 2,
                                  .buffers = buffers,
                                  .num_buffers = 2,
                                  .threads = 1};
    cr_expect_eq(ptx_launch(module, &options, NULL, &message), TEC_OK, "%s", message.text);
    cr_expect_eq(out, rows[i].expected, "%s: 0x%llx, not 0x%llx", rows[i].code, (unsigned long long)out,
                 (unsigned long long)rows[i].expected);
  }
  ptx_module_free(module);
  free(text);
}

Test(ptx, every_instruction_gives_what_the_hand_computes) {
  check_cases(HEADER, cases, NUM_CASES);
  check_cases(".version 8.6\n.target sm_100\n.address_size 64\n", mixed_cases, NUM_MIXED_CASES);
}

/* ---------------------------------------------------------------------------------------------------------- control */

Test(ptx, lanes_that_diverge_meet_again) {
  static run test;
  /* Each lane adds 0 .. tid; odd lanes take another way. All meet for the vote. */
  run_body(&test, "",
           "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
           "LOOP: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %r0; @%p1 bra LOOP;\n"
           "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;\n"
           "add.u32 %r2, %r2, 1000; bra JOIN;\n"
           "EVEN: add.u32 %r2, %r2, 2000;\n"
           "JOIN: activemask.b32 %r4; st.global.b32 [%d3], %r2; st.global.b32 [%d3+128], %r4;");
  expect_ok(&test);
  for (unsigned i = 0; i < 32; i++) {
    cr_assert_eq(test.out[i], i * (i + 1) / 2 + (i % 2 ? 1000 : 2000));
    cr_assert_eq(test.out[32 + i], 0xffffffff);
  }
}

Test(ptx, a_synchronised_instruction_waits_for_its_members_wherever_they_come_from) {
  static run test;
  /* The join lies before one of the branches, so that the lanes reach it apart. */
  run_body(&test, "",
           "setp.lt.u32 %p1, %r0, 16; @!%p1 bra HIGH; mov.u32 %r1, 5; bra JOIN;\n"
           "JOIN: redux.sync.add.u32 %r2, %r1, -1; st.global.b32 [%d3], %r2; ret;\n"
           "HIGH: mov.u32 %r1, 7; bra JOIN;");
  expect_ok(&test);
  for (unsigned i = 0; i < 32; i++)
    cr_assert_eq(test.out[i], 16 * 5 + 16 * 7);
}

Test(ptx, functions_take_arguments_and_give_results) {
  static run test;
  run_body(&test,
           ".func (.param .b32 result) add3(.param .b32 x, .param .align 4 .b8 pair[8]) {\n"
           ".reg .b32 %r<9>;\nld.param.b32 %r1, [x]; ld.param.b32 %r2, [pair]; ld.param.b32 %r3, [pair+4];\n"
           "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.param.b32 [result], %r1; ret; }\n",
           "setp.lt.u32 %p1, %r0, 8; mov.u32 %r9, 77; @!%p1 bra DONE;\n"
           "{ .param .b32 a; .param .align 4 .b8 b[8]; .param .b32 c;\n"
           "st.param.b32 [a], %r0; st.param.b32 [b], 10; st.param.b32 [b+4], 100;\n"
           "call.uni (c), add3, (a, b); ld.param.b32 %r9, [c]; }\n"
           "DONE: st.global.b32 [%d3], %r9;");
  expect_ok(&test);
  for (unsigned i = 0; i < 32; i++)
    cr_assert_eq(test.out[i], i < 8 ? i + 110 : 77);
}

Test(ptx, a_branch_table_sends_each_lane_its_way) {
  static run test;
  run_body(&test, "",
           "and.b32 %r1, %r0, 1;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\n"
           "A: mov.u32 %r2, 10; bra E; B: mov.u32 %r2, 20; E: st.global.b32 [%d3], %r2;");
  expect_ok(&test);
  cr_assert_eq(test.out[4], 10);
  cr_assert_eq(test.out[5], 20);
}

Test(ptx, blocks_and_variables_and_atomics) {
  static run test = {.blocks = 50, .threads = 40};
  run_body(&test, ".global .align 4 .u32 counter = 5; .const .align 4 .b32 table[2] = {3, 4};",
           "ld.const.b32 %r1, [table+4]; mov.u64 %d5, counter; red.global.add.u32 [%d5], %r1;\n"
           "atom.global.max.u32 %r2, [%d0+4], %r0; red.global.add.f32 [%d0+8], 0f3F800000;\n"
           "ld.global.u32 %r3, [counter]; atom.global.max.u32 %r4, [%d0], %r3;");
  expect_ok(&test);
  float sum;
  memcpy(&sum, &test.out[2], sizeof sum);
  cr_assert_eq(test.out[0], 5 + 4 * 50 * 40);
  cr_assert_eq(test.out[1], 39);
  cr_assert_eq(sum, 2000.0f);
}

Test(ptx, inline_blocks_have_names_of_their_own) {
  static run test;
  run_body(&test, "",
           "mov.u32 %r1, 1;\n{ .reg .b32 t, u; mov.b32 t, 41; add.u32 u, t, %r1; mov.b32 %r2, u; bra L; L: }\n"
           "{ .reg .b32 t; mov.b32 t, 1; add.u32 %r2, %r2, t; bra L; L: }\nst.global.b32 [%d3], %r2;");
  expect_ok(&test);
  cr_assert_eq(test.out[0], 43);
}

Test(ptx, local_and_generic_addresses) {
  static run test;
  run_body(&test, "",
           ".local .align 16 .b8 mine[32]; .shared .align 4 .b8 ours[128];\n"
           "mov.u64 %d5, mine; cvta.local.u64 %d6, %d5; st.b32 [%d6+4], %r0; ld.local.b32 %r1, [mine+4];\n"
           "mov.u64 %d7, ours; add.s64 %d7, %d7, %d2; cvta.shared.u64 %d8, %d7; st.b32 [%d8], %r1;\n"
           "ld.shared.b32 %r2, [%d7]; cvta.to.shared.u64 %d9, %d8; ld.shared.b32 %r3, [%d9];\n"
           "add.u32 %r2, %r2, %r3; st.b32 [%d3], %r2;");
  expect_ok(&test);
  cr_assert_eq(test.out[9], 18);
}

Test(ptx, what_loads_extend_and_stores_cut) {
  static run test;
  test.in[0] = 0x8081fffe;
  run_body(&test, "",
           "ld.global.s8 %r1, [%d1]; ld.global.u8 %r2, [%d1]; ld.global.s16 %r3, [%d1]; ld.global.s8 %d5, [%d1+3];\n"
           "ld.global.nc.L1::no_allocate.v4.b8 {%h1, %h2, %h3, %h4}, [%d1]; st.global.b8 [%d0], %r1;\n"
           "st.global.b32 [%d0+4], %r2; st.global.b32 [%d0+8], %r3; st.global.b64 [%d0+16], %d5;\n"
           "st.volatile.global.b16 [%d0+12], %h3; st.global.v2.b32 [%d0+24], {1, %r0};");
  expect_ok(&test);
  cr_assert_eq(test.out[0], 0xfe);
  cr_assert_eq(test.out[1], 0xfe);
  cr_assert_eq(test.out[2], 0xfffffffe);
  cr_assert_eq(test.out[3], 0x81);
  cr_assert_eq(test.out[4], 0xffffff80);
  cr_assert_eq(test.out[5], 0xffffffff);
  cr_assert_eq(test.out[6], 1);
}

/* ----------------------------------------------------------------------------------------------- barriers and races */

/* A copy of the text with the first `word` replaced. */
static char *replaced(const char *text, const char *word, const char *by) {
  const char *at = strstr(text, word);
  char *result = malloc(strlen(text) + strlen(by) + 1);
  sprintf(result, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
  return result;
}

#define SHARED_PLACE "mov.u64 %d5, dynamic; add.s64 %d6, %d5, %d2;\n" /* %d6: 4 bytes of each thread */
#define NEIGHBOUR "xor.b32 %r5, %r0, 33; mul.wide.u32 %d7, %r5, 4; add.s64 %d7, %d5, %d7;\n" /* of another warp */

Test(ptx, a_barrier_orders_what_lies_before_it) {
  static run test = {.threads = 64, .dynamic = 256, .blocks = 5};
  run_body(&test, "",
           SHARED_PLACE NEIGHBOUR "st.shared.b32 [%d6], %r0; bar.sync 0; ld.shared.b32 %r1, [%d7];\n"
                                  "bar.sync 0; st.shared.b32 [%d6], %r1; barrier.sync 0; ld.shared.b32 %r2, [%d7];\n"
                                  "st.global.b32 [%d3], %r1; st.global.b32 [%d3+256], %r2;");
  expect_ok(&test);
  cr_assert_eq(test.out[3], 3 ^ 33);
  cr_assert_eq(test.out[64 + 3], 3);
}

Test(ptx, a_missing_barrier_between_write_and_read_is_an_error) {
  static run test = {.threads = 64, .dynamic = 256};
  run_body(&test, "",
           SHARED_PLACE NEIGHBOUR "st.shared.b32 [%d6], %r0;\nld.shared.b32 %r1, [%d7];\nst.global.b32 [%d3], %r1;");
  expect_error(&test, "a race, no barrier lies between");
  expect_error(&test, "ld.shared.b32");
  expect_error(&test, "st.shared.b32");
  expect_error(&test, "thread (1,0,0)");
}

Test(ptx, a_missing_barrier_between_read_and_write_is_an_error) {
  static run test = {.threads = 64, .dynamic = 256};
  run_body(&test, "",
           SHARED_PLACE NEIGHBOUR "setp.lt.u32 %p1, %r0, 32; @%p1 ld.shared.b32 %r1, [%d7];\n"
                                  "@!%p1 st.shared.b32 [%d6], %r0; @%p1 st.global.b32 [%d3], %r1;");
  expect_error(&test, "writes byte");
}

Test(ptx, two_writers_race) {
  static run test = {.threads = 64, .dynamic = 256};
  run_body(&test, "", "st.shared.b32 [dynamic], %r0;");
  expect_error(&test, "a race");
  static run same = {.threads = 32, .dynamic = 256};
  run_body(&same, "", "st.shared.b32 [dynamic], 7;");
  expect_ok(&same);
}

Test(ptx, lanes_of_a_warp_race_without_a_barrier_of_the_warp) {
  static const char format[] = SHARED_PLACE
      "xor.b64 %d7, %d2, 4; add.s64 %d7, %d5, %d7; st.shared.b32 [%d6], %r0; SYNC ld.shared.b32 %r1, [%d7];\n"
      "st.global.b32 [%d3], %r1;";
  static run bad = {.dynamic = 256}, good = {.dynamic = 256};
  char *text = replaced(format, "SYNC", "");
  run_body(&bad, "", text);
  free(text);
  expect_error(&bad, "a race");
  text = replaced(format, "SYNC", "bar.warp.sync -1;");
  run_body(&good, "", text);
  free(text);
  expect_ok(&good);
  cr_assert_eq(good.out[6], 7);
}

/* Warp 0 produces three values, warp 1 consumes them; EMPTY and TAKEN say that the buffer is free again. */
static const char producer[] =
    SHARED_PLACE "setp.ge.u32 %p1, %r0, 32; and.b32 %r5, %r0, 31; mul.wide.u32 %d7, %r5, 4;\n"
                 "add.s64 %d7, %d5, %d7; mov.u32 %r7, 0; @%p1 bra CONSUMER;\n"
                 "P: EMPTY\n st.shared.b32 [%d7], %r7; bar.arrive 1, 64;\n"
                 "add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra P; bar.sync 2, 64; ret;\n"
                 "CONSUMER: bar.arrive 2, 64;\n"
                 "C: bar.sync 1, 64; ld.shared.b32 %r8, [%d7]; st.global.b32 [%d3], %r8; TAKEN\n"
                 "add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra C;\n";

Test(ptx, producers_arrive_and_consumers_wait) {
  static run good = {.threads = 64, .dynamic = 256};
  char *half = replaced(producer, "EMPTY", "bar.sync 2, 64;"), *text = replaced(half, "TAKEN", "bar.arrive 2, 64;");
  run_body(&good, "", text);
  expect_ok(&good);
  cr_assert_eq(good.out[40], 2);
  free(half);
  free(text);
}

Test(ptx, a_producer_that_does_not_wait_races) {
  static run bad = {.threads = 64, .dynamic = 256};
  char *half = replaced(producer, "EMPTY", "bar.sync 3, 32;"), *text = replaced(half, "TAKEN", "");
  run_body(&bad, "", text);
  expect_error(&bad, "comes to barrier 1 again");
  free(half);
  free(text);
}

Test(ptx, deadlocks_name_who_waits_where) {
  static run warps = {.threads = 64}, lanes = {.budget = 100000}, uneven = {.threads = 64};
  run_body(&warps, "", "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1, 64; ret; A: bar.sync 2, 64;");
  expect_error(&warps, "deadlock; warp 0: lanes 0xffffffff wait at barrier 2, 32 of 64 threads");
  expect_error(&warps, "bar.sync 1, 64;");
  run_body(&lanes, "", "setp.lt.u32 %p1, %r0, 16; @%p1 bra A; bar.warp.sync -1; B: bra B; A: ret;");
  cr_assert_eq(lanes.status, TEC_INVALID);
  run_body(&uneven, "", "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1, 64; ret; A: bar.sync 1, 96;");
  expect_error(&uneven, "another number of threads");
}

Test(ptx, a_kernel_that_does_not_end_runs_out_of_its_budget) {
  static run test = {.budget = 100000};
  run_body(&test, "", "L: bra L;");
  expect_error(&test, "100000 instructions");
}

/* ---------------------------------------------------------------------------------------------- asynchronous copies */

/* Thread i copies 16 bytes in two groups; then reads its own or, behind a barrier, its neighbour's. */
static const char copies[] =
    "mul.wide.u32 %d7, %r0, 16; mov.u64 %d5, dynamic; add.s64 %d6, %d5, %d7; add.s64 %d8, %d1, %d7;\n"
    "cp.async.cg.shared.global [%d6], [%d8], 16; cp.async.commit_group;\n"
    "cp.async.ca.shared.global [%d6+1024], [%d8+1024], 16, 8; cp.async.commit_group;\n"
    "WAIT BARRIER xor.b32 %r5, %r0, MASK; mul.wide.u32 %d9, %r5, 16; add.s64 %d9, %d5, %d9;\n"
    "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%d9+PLACE]; add.u32 %r1, %r1, %r4; st.global.b32 [%d3], %r1;";

static void run_copies(run *test, const char *wait, const char *barrier, const char *mask, const char *place) {
  const char *const words[] = {"WAIT", "BARRIER", "MASK", "PLACE"}, *const by[] = {wait, barrier, mask, place};
  char *text = replaced(copies, words[0], by[0]);
  for (unsigned i = 1; i < 4; i++) {
    char *next = replaced(text, words[i], by[i]);
    free(text);
    text = next;
  }
  *test = (run){.threads = 64, .dynamic = 2048};
  for (unsigned i = 0; i < 1024; i++)
    test->in[i] = i;
  run_body(test, "", text);
  free(text);
}

Test(ptx, copied_bytes_arrive_at_the_wait) {
  static run test;
  run_copies(&test, "cp.async.wait_group 1;", "", "0", "0");
  expect_ok(&test);
  cr_assert_eq(test.out[5], 20 + 23);
  run_copies(&test, "cp.async.wait_group 0;", "bar.sync 0;", "33", "1024");
  expect_ok(&test);
  cr_assert_eq(test.out[5], 256 + (5 ^ 33) * 4, "the fourth word is filled with zeros");
  run_copies(&test, "cp.async.wait_all;", "bar.sync 0;", "33", "0");
  expect_ok(&test);
}

Test(ptx, copies_need_the_right_wait_and_a_barrier) {
  static run test;
  run_copies(&test, "", "", "0", "0");
  expect_error(&test, "have not arrived");
  run_copies(&test, "cp.async.wait_group 1;", "", "0", "1024");
  expect_error(&test, "cp.async.ca.shared.global");
  run_copies(&test, "cp.async.wait_group 2;", "bar.sync 0;", "33", "0");
  expect_error(&test, "have not arrived");
  run_copies(&test, "cp.async.wait_group 0;", "", "33", "0");
  cr_assert_eq(test.status, TEC_INVALID);
  run_copies(&test, "cp.async.wait_group 0;", "", "1", "0");
  expect_error(&test, "no barrier lies between");
}

/* ----------------------------------------------------------------------------------------------------- wrong access */

static void expect_wrong(const char *body, const char *part) {
  static run test;
  test = (run){.dynamic = 256, .threads = 32};
  run_body(&test, ".const .align 4 .b32 fixed[1] = {1};", body);
  expect_error(&test, part);
}

Test(ptx, wrong_accesses_are_named) {
  expect_wrong("ld.global.b32 %r1, [%d3+32768];\nst.global.b32 [%d3], %r1;", "not in the global memory");
  expect_wrong("ld.global.b32 %r1, [%d0+-4]; st.global.b32 [%d3], %r1;", "not in the global memory");
  expect_wrong("st.global.b32 [%d3+2], %r0;", "not a multiple of 4");
  expect_wrong("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d1+4]; st.global.b32 [%d3], %r1;", "not a multiple of 16");
  expect_wrong("st.global.b32 [%d4], %r0;", "read-only");
  expect_wrong("mov.u64 %d5, dynamic; add.s64 %d5, %d5, %d2; st.shared.b32 [%d5+132], %r0;", "thread (31,0,0)");
  expect_wrong("st.shared.b64 [dynamic+256], %d0;", "not in dynamic shared memory");
  expect_wrong(".local .align 4 .b8 mine[8]; mov.u64 %d5, mine; st.local.b32 [%d5+8], %r0;", "the thread's");
  expect_wrong("setp.lt.u32 %p1, %r0, 5; shfl.sync.down.b32 %r1, %r0, 1, 31, 0xfff0; st.global.b32 [%d3], %r1;",
               "lacks this lane");
  expect_wrong("trap;", "gives up");
}

Test(ptx, unwritten_shared_memory_is_refused_on_demand) {
  static run test = {.dynamic = 256, .refuse_uninitialised = true};
  run_body(&test, "", "ld.shared.b32 %r1, [dynamic]; st.global.b32 [%d3], %r1;");
  expect_error(&test, "nobody has written");
}

Test(ptx, launches_are_checked) {
  static run test;
  test = (run){.threads = 64};
  char *text = kernel_text("", "");
  char *limited = replaced(text, ") {", ")\n.reqntid 32, 1, 1\n{");
  check_with_ptxas(limited);
  launch(&test, limited);
  expect_error(&test, "requires blocks of 32 x 1 x 1");
  test = (run){.dynamic = 300000};
  launch(&test, text);
  expect_error(&test, "sm_90");
  test = (run){.threads = 1025};
  launch(&test, text);
  expect_error(&test, "zero or too large");
  free(text);
  free(limited);
}

/* -------------------------------------------------------------------------------------------- shuffles and matrices */

Test(ptx, shuffles) {
  static run test;
  run_body(&test, "",
           "shfl.sync.bfly.b32 %r1|%p1, %r0, 5, 31, -1; st.global.b32 [%d3], %r1;\n"
           "shfl.sync.up.b32 %r1|%p1, %r0, 3, 0, -1; selp.u32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2; st.global.b32 "
           "[%d3+128], %r1;\n"
           "shfl.sync.down.b32 %r1|%p1, %r0, 3, 0x181f, -1; st.global.b32 [%d3+256], %r1;\n"
           "shfl.sync.idx.b32 %r1, %r0, 2, 0x1c1f, -1; st.global.b32 [%d3+384], %r1;\n"
           "shr.u32 %r3, %r0, 4; match.any.sync.b32 %r4, %r3, -1; st.global.b32 [%d3+512], %r4;");
  expect_ok(&test);
  for (unsigned i = 0; i < 32; i++) {
    cr_assert_eq(test.out[i], i ^ 5);
    cr_assert_eq(test.out[32 + i], i < 3 ? i : i - 3 + 100);
    cr_assert_eq(test.out[64 + i], i % 8 < 5 ? i + 3 : i);
    cr_assert_eq(test.out[96 + i], i / 4 * 4 + 2);
    cr_assert_eq(test.out[128 + i], i < 16 ? 0xffff : 0xffff0000);
  }
}

Test(ptx, matrices_of_shared_memory) {
  static run test = {.dynamic = 512};
  /* Halfword i of shared memory holds i; lane l gives the address of row l. */
  run_body(
      &test, "",
      "mul.wide.u32 %d7, %r0, 16; mov.u64 %d5, dynamic; add.s64 %d6, %d5, %d7; shl.b32 %r1, %r0, 3;\n"
      "mul.lo.u32 %r2, %r1, 0x10001; add.u32 %r2, %r2, 0x10000; st.shared.b32 [%d6], %r2; add.u32 %r2, %r2, 0x20002;\n"
      "st.shared.b32 [%d6+4], %r2; add.u32 %r2, %r2, 0x20002; st.shared.b32 [%d6+8], %r2; add.u32 %r2, %r2, 0x20002;\n"
      "st.shared.b32 [%d6+12], %r2; bar.warp.sync -1;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%d6];\n"
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r7, %r8}, [%d6];\n"
      "st.global.b32 [%d3], %r3; st.global.b32 [%d3+128], %r6; st.global.b32 [%d3+256], %r8;\n"
      "bar.warp.sync -1; stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%d6], {%r3}; bar.warp.sync -1;\n"
      "ld.shared.u16 %r9, [%d6]; st.global.b32 [%d3+384], %r9;");
  expect_ok(&test);
  for (unsigned i = 0; i < 32; i++) {
    unsigned row = i / 4, column = i % 4 * 2;
    cr_assert_eq(test.out[i], (row * 8 + column) | (row * 8 + column + 1) << 16);
    cr_assert_eq(test.out[32 + i], (192 + row * 8 + column) | (192 + row * 8 + column + 1) << 16);
    cr_assert_eq(test.out[64 + i], (64 + column * 8 + row) | (64 + (column + 1) * 8 + row) << 16);
    cr_assert_eq(test.out[96 + i], i < 8 ? i : i * 8);
  }
}

/* How an mma is tested: A and B of small integers, packed as the instruction set says, so that sums are exact. */
typedef struct mma_case {
  const char *shape, *result, *left, *right;
  unsigned depth, bits; /* of an element of A and B */
} mma_case;

static int element(const char *type, unsigned row, unsigned column, unsigned seed) {
  int value = (int)((row * 7 + column * 13 + row * column * 3 + seed) % 9) - 4;
  return strcmp(type, "u8") ? value : abs(value);
}

/* The registers of lane `lane`: row and column of element e of register r as the instruction set lists them. */
static void pack(const mma_case *shape, uint32_t *in) {
  unsigned elements = 32 / shape->bits, left = shape->depth * shape->bits / 64, right = left / 2;
  for (unsigned lane = 0; lane < 32; lane++) {
    unsigned group = lane >> 2, member = lane & 3;
    for (unsigned r = 0; r < left; r++)
      for (unsigned e = 0; e < elements; e++) {
        unsigned row = r & 1 ? group + 8 : group, column = member * elements + e + (r >= 2 ? 4 * elements : 0);
        in[r * 32 + lane] |= encode(shape->left, element(shape->left, row, column, 1)) << (e * shape->bits);
      }
    for (unsigned r = 0; r < right; r++)
      for (unsigned e = 0; e < elements; e++) {
        unsigned row = member * elements + e + r * 4 * elements;
        in[(4 + r) * 32 + lane] |= encode(shape->right, element(shape->right, row, group, 5)) << (e * shape->bits);
      }
  }
}

static void registers(char *at, unsigned first, unsigned count) {
  at += sprintf(at, "{");
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "%s%%r%u", i ? ", " : "", first + i);
  sprintf(at, "}");
}

static void check_mma(const mma_case *shape) {
  static run test;
  char body[3000], left[40], right[40], *at = body;
  unsigned num_left = shape->depth * shape->bits / 64;
  bool half = !strcmp(shape->result, "f16"), integer = !strcmp(shape->result, "s32");
  test = (run){.threads = 32};
  pack(shape, test.in);
  registers(left, 10, num_left);
  registers(right, 20, num_left / 2);
  for (unsigned r = 0; r < 6; r++)
    at += sprintf(at, "ld.global.b32 %%r%u, [%%d4+%u];\n", r < 4 ? 10 + r : 16 + r, r * 128);
  uint32_t one = half ? 0x3c003c00 : integer ? 1 : 0x3f800000;
  at += sprintf(at, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s %s, %s, %s, %s;\n", shape->shape, shape->result,
                shape->left, shape->right, shape->result, half ? "{%r30, %r31}" : "{%r30, %r31, %r32, %r33}", left,
                right, half ? "{%r40, %r40}" : "{%r40, %r40, %r40, %r40}");
  for (unsigned r = 0; r < (half ? 2 : 4); r++)
    at += sprintf(at, "st.global.b32 [%%d3+%u], %%r%u;\n", r * 128, 30 + r);
  char start[3100];
  snprintf(start, sizeof start, "mov.b32 %%r40, %u;\n%s", one, body);
  run_body(&test, "", start);
  expect_ok(&test);
  for (unsigned row = 0; row < 16; row++)
    for (unsigned column = 0; column < 8; column++) {
      int sum = 1;
      for (unsigned k = 0; k < shape->depth; k++)
        sum += element(shape->left, row, k, 1) * element(shape->right, k, column, 5);
      unsigned lane = row % 8 * 4 + column / 2, r = row / 8 * 2 + column % 2;
      uint32_t word = half ? test.out[r / 2 * 32 + lane] >> (16 * (r % 2)) & 0xffff : test.out[r * 32 + lane];
      float expected = (float)sum, value;
      memcpy(&value, &word, sizeof value);
      if (half)
        value = (float)(int)((word & 0x8000 ? -1 : 1) *
                             (word & 0x7fff ? ldexp(1024 + (word & 0x3ff), (int)(word >> 10 & 31) - 25) : 0));
      if (integer)
        value = (float)(int32_t)word;
      cr_assert_eq(value, expected, "%s.%s row %u column %u: %g, not %g", shape->shape, shape->left, row, column,
                   (double)value, (double)expected);
    }
}

Test(ptx, matrix_products) {
  static const mma_case shapes[] = {
      {"m16n8k16", "f32", "f16", "f16", 16, 16}, {"m16n8k16", "f32", "bf16", "bf16", 16, 16},
      {"m16n8k16", "f16", "f16", "f16", 16, 16}, {"m16n8k8", "f32", "f16", "f16", 8, 16},
      {"m16n8k8", "f32", "bf16", "bf16", 8, 16}, {"m16n8k8", "f32", "tf32", "tf32", 8, 32},
      {"m16n8k16", "s32", "s8", "s8", 16, 8},    {"m16n8k32", "s32", "s8", "u8", 32, 8},
      {"m16n8k32", "s32", "u8", "s8", 32, 8},    {"m16n8k32", "f32", "e4m3", "e5m2", 32, 8},
      {"m16n8k32", "f32", "e5m2", "e4m3", 32, 8}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
    check_mma(&shapes[i]);
}

/* ----------------------------------------------------------------------------------------------------------- report */

Test(ptx, the_report_counts_conflicts_and_sectors) {
  static run test = {.dynamic = 4096, .keep_report = true};
  run_body(&test, "",
           "shl.b32 %r1, %r0, 7; cvt.u64.u32 %d5, %r1; mov.u64 %d6, dynamic; add.s64 %d5, %d5, %d6; st.shared.b32 "
           "[%d5], %r0;\n"
           "shl.b32 %r2, %r0, 5; cvt.u64.u32 %d7, %r2; add.s64 %d7, %d7, %d0; st.global.b32 [%d7], %r0;\n"
           "st.global.b32 [%d3], %r0; bar.sync 0;");
  expect_ok(&test);
  byte_buffer text = {0};
  ptx_report_print(test.module, &test.report, &text);
  cr_assert_eq(test.report.total.wavefronts, 32);
  cr_assert_eq(test.report.total.wavefronts_ideal, 1);
  cr_assert_eq(test.report.total.sectors, 32 + 4);
  cr_assert_eq(test.report.total.sectors_ideal, 4 + 4);
  cr_assert_eq(test.report.barriers, 1);
  cr_assert_not_null(strstr(text.bytes, "32 wavefronts where 1 would do: st.shared.b32 [%d5], %r0;"));
  cr_assert_not_null(strstr(text.bytes, "2  st.global.b32"));
  free(text.bytes);
  ptx_report_release(&test.report);
  ptx_module_free(test.module);
}

/* ------------------------------------------------------------------------------------------------------- wrong text */

static void expect_refused(const char *body, const char *part) {
  ptx_module *module;
  ptx_message message;
  char *text = kernel_text("", body);
  tec_status status = ptx_module_load(text, strlen(text), &module, &message);
  free(text);
  cr_assert_eq(status, TEC_INVALID, "accepted: %s", body);
  cr_assert_not_null(strstr(message.text, part), "'%s' is not in: %s", part, message.text);
}

Test(ptx, what_is_not_known_is_refused) {
  expect_refused("frobnicate.b32 %r1, %r2;", "line 17: unknown instruction: `frobnicate.b32 %r1, %r2;`");
  expect_refused("add.s32.fast %r1, %r2, %r3;", "unknown modifier .fast");
  expect_refused("add.rn.s32 %r1, %r2, %r3;", "unknown combination of modifiers");
  expect_refused("add.ftz.f64 %d5, %d6, %d7;", "unknown combination");
  expect_refused("add.rn.f16.f32 %h1, %r2, %h3;", "unknown combination");
  expect_refused("add.rn.f32.f32 %r1, %r2, %r3;", "unknown combination");
  expect_refused("fma.rn.relu.f32.f16 %r1, %h2, %h3, %r4;", "unknown combination");
  expect_refused("sub.rn.f32.f16 %r1, %r2, %r3;", "expected a register of 16 bits");
  expect_refused("add.s32 %r1, %r2, %d3;", "expected a register of 32 bits");
  expect_refused("add.s32 %r1, %r2, %r99;", "unknown name '%r99'");
  expect_refused("add.s32 %r1, %r2;", "expected ','");
  expect_refused("add.s32 %r1, %r2, 0f3F800000;", "does not have the type");
  expect_refused("add.f32 %r1, %r2, 1;", "does not have the type");
  expect_refused("bra NOWHERE;", "no label 'NOWHERE'");
  expect_refused("A: A: ret;", "declared twice");
  expect_refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 "
                 "{%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},{%r1,%r2},{%r1,%r2,%r3,%r4};",
                 "shape and types");
  expect_refused("ld.global.b32 %r1, [dynamic];", "another space");
  expect_refused("setp.lo.f32 %p1, %r1, %r2;", "unknown combination");
  expect_refused("cp.async.cg.shared.global [%d1], [%d2], 8;", "unknown combination");
  expect_refused("call.uni nothing, ();", "no function 'nothing'");
  expect_refused("mov.b32 %r1, 0x1ffffffffffffffffff;", "malformed number");
  expect_refused("wgmma.fence.sync.aligned;", "line 17: wgmma is of the target sm_90a: `wgmma.fence.sync.aligned;`");
  expect_refused("/* no end", "comment without end");
  expect_refused("{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", "nested braces");
}

Test(ptx, damaged_text_never_crashes) {
  char *text = kernel_text(".global .align 4 .b8 g[8] = {1, 2};", copies), *bad = malloc(strlen(text) + 1);
  size_t size = strlen(text);
  uint32_t random = 1;
  unsigned refused = 0;
  for (unsigned round = 0; round < 4000; round++) {
    size_t length = round < size ? round : size;
    memcpy(bad, text, size);
    for (unsigned i = 0; round >= size / 2 && i < 1 + round % 4; i++) {
      random = random * 1664525 + 1013904223;
      bad[(random >> 8) % size] = "{}[](),;:.%@!<>-+0a"[random % 19];
    }
    ptx_module *module = NULL;
    ptx_message message;
    if (ptx_module_load(bad, length, &module, &message) == TEC_OK)
      ptx_module_free(module);
    else
      refused += message.text[0] != 0;
  }
  cr_assert_gt(refused, 1000);
  free(text);
  free(bad);
}
