/* test_ptx_warpgroup.c - wgmma in the PTX emulator: products of every layout of shared memory against sums computed
 * here, and each way to start or to wait for one wrongly. Matrices are small whole numbers, so that sums are exact. */
#include "runtime/ptx.h"
#include "tests/support/ptx_text.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, IMAGE_BYTES = 49152, LEFT_PLACE = 40960, TEXT_BYTES = 1 << 16 };

#define FENCE "wgmma.fence.sync.aligned;"
#define COMMIT "wgmma.commit_group.sync.aligned;"
#define WAIT "wgmma.wait_group.sync.aligned 0;"
#define NO_WAIT "uses a register of the product of line "
#define NO_PROXY_FENCE "written through the generic proxy, a fence.proxy.async is missing"

/* ---------------------------------------------------------------------------------------------------------- harness */

/* B starts at 0 and A, if it is in shared memory, at LEFT_PLACE of dynamic shared memory. */
typedef struct product {
  const char *type;
  unsigned columns, swizzle; /* bytes */
  bool left_shared, left_mn_major, right_mn_major, accumulates;
  int left_sign, right_sign; /* 0: 1 */
  unsigned first;            /* of k, in rows that are longer */
} product;

/* What a kernel does before and after the product; NULL: as it should. */
typedef struct steps {
  const char *target, *shared;  /* declarations */
  const char *copy;             /* [%d7], 16 bytes, to [%d8] */
  const char *proxy, *barrier;  /* before others read */
  const char *fence, *changed;  /* right before the product */
  const char *product, *commit; /* `product`: another one */
  const char *during;           /* before the wait */
  const char *wait, *after;     /* and right behind it */
  uint64_t descriptor_bits;     /* added to that of B */
  unsigned threads, dynamic;
} steps;

typedef struct run {
  _Alignas(64) uint32_t out[THREADS * 128];
  uint8_t in[IMAGE_BYTES + 4 * THREADS * 4]; /* shared memory, then a lane's 4 registers of A */
  tec_status status;
  ptx_message message;
} run;

static run test;

static unsigned depth_of(const product *p) { return strcmp(p->type, "tf32") ? 16 : 8; }
static unsigned bytes_of(const product *p) { return strcmp(p->type, "tf32") ? 2 : 4; }
static int left_value(unsigned row, unsigned k) { return (int)((row * 7 + k * 13 + row * k * 3 + 1) % 9) - 4; }
static int right_value(unsigned k, unsigned column) { return (int)((k * 5 + column * 11 + k * column + 3) % 9) - 4; }

/* Where an element of A or B is, rows of B being its columns: patterns of 8 lines of the swizzle's width one behind the
 * other, first along k. */
static unsigned place(const product *p, bool mn_major, unsigned row, unsigned k) {
  unsigned width = p->swizzle ? p->swizzle : 16, bytes = bytes_of(p), pattern, line, byte;
  if (mn_major) {
    pattern = row * bytes / width * 2 + k / 8;
    line = k % 8;
    byte = row * bytes % width;
  } else if (p->swizzle) {
    pattern = row / 8;
    line = row % 8;
    byte = (p->first + k) * bytes;
  } else {
    pattern = row / 8 * 2 + k * bytes / 16;
    line = row % 8;
    byte = k * bytes % 16;
  }
  unsigned moved = p->swizzle == 128 ? line : p->swizzle == 64 ? line / 2 : p->swizzle == 32 ? line / 4 : 0;
  return pattern * 8 * width + line * width + (byte / 16 ^ moved) * 16 + byte % 16;
}

static uint64_t descriptor_rest(const product *p, bool mn_major) {
  unsigned width = p->swizzle ? p->swizzle : 16;
  uint64_t mode = p->swizzle == 128 ? 1 : p->swizzle == 64 ? 2 : p->swizzle == 32 ? 3 : 0;
  uint64_t leading = mn_major ? 16 * width : 128, stride = mn_major || p->swizzle ? 8 * width : 256;
  return mode << 62 | (stride >> 4) << 32 | (leading >> 4) << 16;
}

static void fill(const product *p) {
  unsigned bytes = bytes_of(p), depth = depth_of(p);
  memset(&test, 0, sizeof test);
  for (unsigned k = 0; k < depth; k++) {
    for (unsigned column = 0; column < p->columns; column++) {
      uint32_t value = encode(p->type, right_value(k, column));
      memcpy(test.in + place(p, p->right_mn_major, column, k), &value, bytes);
    }
    for (unsigned row = 0; row < 64; row++) {
      uint32_t value = encode(p->type, left_value(row, k));
      if (p->left_shared)
        memcpy(test.in + LEFT_PLACE + place(p, p->left_mn_major, row, k), &value, bytes);
      unsigned lane = row / 16 * 32 + row % 8 * 4 + k * bytes / 4 % 4, r = row / 8 % 2 + k * bytes / 16 * 2;
      memcpy(test.in + IMAGE_BYTES + (r * THREADS + lane) * 4 + k * bytes % 4, &value, bytes);
    }
  }
}

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, TEXT_BYTES - used, format, arguments);
  va_end(arguments);
}

static const char *step(const char *given, const char *usual) { return given ? given : usual; }

static void add_product(char *text, const product *p) {
  add(text, "wgmma.mma_async.sync.aligned.m64n%uk%u.f32.%s.%s {", p->columns, depth_of(p), p->type, p->type);
  for (unsigned r = 0; r < p->columns / 2; r++)
    add(text, "%s%%x%u", r ? ", " : "", r);
  add(text, "}, %s, %%d6, %%p1, %d, %d", p->left_shared ? "%d5" : "{%a0, %a1, %a2, %a3}",
      p->left_sign ? p->left_sign : 1, p->right_sign ? p->right_sign : 1);
  if (bytes_of(p) == 2 && p->left_shared)
    add(text, ", %d", p->left_mn_major);
  if (bytes_of(p) == 2)
    add(text, ", %d", p->right_mn_major);
  add(text, ";\n");
}

static void add_descriptor(char *text, const product *p, const char *name, unsigned start, uint64_t rest) {
  start += p->swizzle ? p->first * bytes_of(p) : 0;
  add(text,
      "mov.u64 %s, dynamic;\nadd.s64 %s, %s, %u;\nand.b64 %s, %s, 0x3ffff;\nshr.u64 %s, %s, 4;\n"
      "add.s64 %s, %s, 0x%llx;\n",
      name, name, name, start, name, name, name, name, name, name, (unsigned long long)rest);
}

/* The kernel k(out, in). Of D, register r starts as the thread's number modulo 8, plus r. %p2 is of thread 0, %p3 of
 * thread 63. */
static char *kernel_text(const product *p, const steps *s) {
  char *text = calloc(TEXT_BYTES, 1);
  add(text,
      ".version 8.0\n.target %s\n.address_size 64\n%s\n.visible .entry k(.param .u64 out, .param .u64 in) {\n"
      ".reg .pred %%p<8>;\n.reg .b32 %%r<16>, %%x<128>, %%a<4>, %%y<4>;\n.reg .b64 %%d<16>;\n",
      step(s->target, "sm_90a"), step(s->shared, ".extern .shared .align 1024 .b8 dynamic[];"));
  add(text, "ld.param.u64 %%d0, [out];\nld.param.u64 %%d1, [in];\nmov.u32 %%r0, %%tid.x;\n"
            "setp.eq.u32 %%p2, %%r0, 0;\nsetp.eq.u32 %%p3, %%r0, 63;\nmul.wide.u32 %%d2, %%r0, 4;\n"
            "add.s64 %%d3, %%d0, %%d2;\nadd.s64 %%d4, %%d1, %%d2;\n"
            "shl.b64 %%d9, %%d2, 2;\nadd.s64 %%d7, %%d1, %%d9;\nmov.u64 %%d8, dynamic;\nadd.s64 %%d8, %%d8, %%d9;\n"
            "mov.u32 %%r1, 0;\n");
  add(text,
      "COPY: %s\nadd.s64 %%d7, %%d7, 2048;\nadd.s64 %%d8, %%d8, 2048;\nadd.u32 %%r1, %%r1, 2048;\n"
      "setp.lt.u32 %%p4, %%r1, %u;\n@%%p4 bra COPY;\n",
      step(s->copy, "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d7];\nst.shared.v4.b32 [%d8], {%r4, %r5, %r6, %r7};"),
      s->dynamic ? s->dynamic : IMAGE_BYTES);
  for (unsigned r = 0; r < 4; r++)
    add(text, "ld.global.b32 %%a%u, [%%d4+%u];\n", r, IMAGE_BYTES + r * THREADS * 4);
  add(text, "and.b32 %%r8, %%r0, 7;\n");
  for (unsigned r = 0; r < p->columns / 2; r++)
    add(text, "add.u32 %%r9, %%r8, %u;\ncvt.rn.f32.u32 %%x%u, %%r9;\n", r, r);
  add_descriptor(text, p, "%d5", LEFT_PLACE, descriptor_rest(p, p->left_mn_major));
  add_descriptor(text, p, "%d6", 0, descriptor_rest(p, p->right_mn_major) + s->descriptor_bits);
  add(text, "setp.%s.u32 %%p1, %%r0, %%r0;\n%s\n%s\n%s\n%s\n", p->accumulates ? "eq" : "ne",
      step(s->proxy, "fence.proxy.async;"), step(s->barrier, "bar.sync 0;"), step(s->fence, FENCE),
      step(s->changed, ""));
  if (s->product)
    add(text, "%s\n", s->product);
  else
    add_product(text, p);
  add(text, "%s\n%s\n%s\n%s\n", step(s->commit, COMMIT), step(s->during, ""), step(s->wait, WAIT), step(s->after, ""));
  for (unsigned r = 0; r < p->columns / 2; r++)
    add(text, "st.global.b32 [%%d3+%u], %%x%u;\n", r * THREADS * 4, r);
  add(text, "ret;\n}\n");
  return text;
}

/* Two blocks on one host thread, so that the second finds the first one's state. */
static void launch(const char *text, const steps *s) {
  ptx_module *module;
  test.status = ptx_module_load(text, strlen(text), &module, &test.message);
  if (test.status != TEC_OK)
    return;
  void *out = test.out, *in = test.in;
  ptx_argument arguments[] = {{&out, sizeof out}, {&in, sizeof in}};
  ptx_buffer buffers[] = {{test.in, sizeof test.in, true}, {test.out, sizeof test.out, false}};
  ptx_launch_options options = {.kernel = "k",
                                .grid = {2, 1, 1},
                                .block = {s->threads ? s->threads : THREADS, 1, 1},
                                .dynamic_shared_bytes = s->dynamic ? s->dynamic : IMAGE_BYTES,
                                .arguments = arguments,
                                .num_arguments = 2,
                                .buffers = buffers,
                                .num_buffers = 2,
                                .threads = 1,
                                .budget = 1000000,
                                .refuse_uninitialised = true};
  test.status = ptx_launch(module, &options, NULL, &test.message);
  ptx_module_free(module);
}

static void run_product(const product *p, const steps *s) {
  char *text = kernel_text(p, s);
  fill(p);
  launch(text, s);
  free(text);
}

static void expect_ok(void) { cr_assert_eq(test.status, TEC_OK, "%s", test.message.text); }

/* What thread and register have of A * B, `times` over, and what they had before. */
static float expected(const product *p, unsigned thread, unsigned r, int times) {
  unsigned warp = thread / 32, lane = thread % 32;
  unsigned row = warp * 16 + lane / 4 + (r & 2 ? 8 : 0), column = r / 4 * 8 + lane % 4 * 2 + (r & 1);
  int sum = 0, sign = (p->left_sign ? p->left_sign : 1) * (p->right_sign ? p->right_sign : 1);
  for (unsigned k = 0; k < depth_of(p); k++)
    sum += left_value(row, k) * right_value(k, column);
  return (float)(times * sign * sum + (p->accumulates ? (int)(thread % 8 + r) : 0));
}

static void expect_product(const product *p, int times) {
  expect_ok();
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (unsigned r = 0; r < p->columns / 2; r++) {
      float value;
      memcpy(&value, &test.out[r * THREADS + thread], sizeof value);
      cr_assert_eq(value, expected(p, thread, r, times),
                   "%s, %u columns, swizzle %u, MN-major %d %d, thread %u, register %u: %g, not %g", p->type,
                   p->columns, p->swizzle, p->left_mn_major, p->right_mn_major, thread, r, (double)value,
                   (double)expected(p, thread, r, times));
    }
}

/* The usual product of the tests of what goes wrong. */
static const product usual = {.type = "f16", .columns = 8, .swizzle = 128, .accumulates = true};

static void expect_stop(steps s, const char *part) {
  run_product(&usual, &s);
  cr_assert_eq(test.status, TEC_INVALID, "nothing is wrong, but should be: %s", part);
  cr_assert_not_null(strstr(test.message.text, part), "'%s' is not in: %s", part, test.message.text);
}

static void expect_good(steps s) {
  run_product(&usual, &s);
  expect_product(&usual, 1);
}

/* -------------------------------------------------------------------------------------------------------- products */

Test(ptx_warpgroup, products) {
  static const unsigned columns[] = {8, 24, 64, 256}, swizzles[] = {0, 32, 64, 128};
  static const char *const types[] = {"f16", "bf16", "tf32"};
  steps s = {.threads = THREADS};
  for (unsigned i = 0; i < 4 * 4 * 3 * 8; i++) {
    product p = {.type = types[i / 16 % 3], .columns = columns[i % 4], .swizzle = swizzles[i / 4 % 4]};
    p.left_shared = i / 48 & 1;
    p.right_mn_major = i / 48 & 2;
    p.left_mn_major = p.left_shared && i / 48 & 4;
    p.accumulates = i % 5 > 1;
    p.left_sign = i % 3 ? 1 : -1;
    p.right_sign = i % 7 > 2 ? 1 : -1;
    p.first = p.swizzle > 32 && i % 2 && !p.left_mn_major && !p.right_mn_major ? depth_of(&p) : 0;
    if ((p.left_mn_major || p.right_mn_major) && (!p.swizzle || bytes_of(&p) == 4))
      continue;
    run_product(&p, &s);
    expect_product(&p, 1);
  }
}

Test(ptx_warpgroup, the_texts_are_ptx) {
  product p = usual;
  char *text = kernel_text(&p, &(steps){.proxy = "fence.proxy.async.shared::cta;"});
  check_with_ptxas(text);
  free(text);
  p = (product){.type = "bf16", .columns = 64, .swizzle = 64, .left_shared = true, .right_mn_major = true};
  text = kernel_text(&p, &(steps){.threads = THREADS});
  check_with_ptxas(text);
  free(text);
}

Test(ptx_warpgroup, products_add_up_without_a_fence_or_a_wait_between) {
  char *text = calloc(TEXT_BYTES, 1);
  add_product(text, &usual);
  add_product(text, &usual);
  run_product(&usual, &(steps){.product = text});
  expect_product(&usual, 2);
  add(text, "%s\n", COMMIT);
  add_product(text, &usual);
  run_product(&usual, &(steps){.product = text});
  expect_product(&usual, 3);
  free(text);
}

Test(ptx_warpgroup, a_wait_is_for_all_groups_but_the_latest) {
  static const char other[] = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%y0, %y1, %y2, %y3}, {%a0, %a1, %a2, "
                              "%a3}, %d6, %p1, 1, 1, 0;";
  char *text = calloc(TEXT_BYTES, 1);
  add_product(text, &usual);
  add(text, "%s\n%s", COMMIT, other);
  expect_good((steps){.product = text,
                      .wait = "wgmma.wait_group.sync.aligned 1;\nmov.b32 %r3, %x0;\n" WAIT "\nmov.b32 %r3, %y0;"});
  expect_stop((steps){.product = text, .wait = "wgmma.wait_group.sync.aligned 1;\nmov.b32 %r3, %y0;"}, NO_WAIT);
  expect_stop((steps){.product = text, .commit = "", .wait = WAIT "\nmov.b32 %r3, %y0;"}, NO_WAIT);
  free(text);
}

/* -------------------------------------------------------------------------------------------------- what goes wrong */

Test(ptx_warpgroup, registers_are_not_touched_before_the_wait) {
  expect_good((steps){.during = "mov.b32 %r3, %a1;\nbar.sync 0;"});
  expect_stop((steps){.wait = ""}, NO_WAIT);
  cr_assert_not_null(strstr(test.message.text, "`st.global.b32 [%d3+0], %x0;`"), "%s", test.message.text);
  expect_stop((steps){.commit = ""}, NO_WAIT);
  expect_stop((steps){.wait = "wgmma.wait_group.sync.aligned 1;"}, NO_WAIT);
  expect_stop((steps){.during = "mov.b32 %x3, 0;"}, NO_WAIT);
  expect_stop((steps){.during = "mov.b32 %r3, %x3;"}, NO_WAIT);
  expect_stop((steps){.during = "mov.b32 %a1, 0;"}, NO_WAIT);
  expect_stop((steps){.during = "ld.global.v2.b32 {%r3, %a2}, [%d1];"}, NO_WAIT);
  expect_stop((steps){.wait = "", .after = "ret;"}, "the kernel ends and has not waited for the product");
}

Test(ptx_warpgroup, products_share_registers_only_where_they_add_up) {
  static const char wide[] = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%x0, %x1, %x2, %x3, %y0, %y1, %y2, "
                             "%y3}, {%a0, %a1, %a2, %a3}, %d6, %p1, 1, 1, 0;";
  static const char shifted[] = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%x1, %x2, %x3, %y0}, {%a0, %a1, "
                                "%a2, %a3}, %d6, %p1, 1, 1, 0;";
  static const char factor[] = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%y0, %y1, %y2, %y3}, {%a0, %a1, "
                               "%x2, %a3}, %d6, %p1, 1, 1, 0;";
  static const char result[] = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%y0, %y1, %y2, %a3}, {%y0, %y1, "
                               "%y2, %y3}, %d6, %p1, 1, 1, 0;";
  const char *const others[] = {wide, shifted, factor, result};
  for (unsigned i = 0; i < 4; i++) {
    char during[300];
    snprintf(during, sizeof during, "%s\n" COMMIT, others[i]);
    expect_stop((steps){.during = during}, NO_WAIT);
  }
}

Test(ptx_warpgroup, registers_are_fenced) {
  expect_stop((steps){.fence = ""}, "there is no wgmma.fence before the first product");
  expect_stop((steps){.changed = "mov.b32 %x1, 0;"},
              "registers of the product were changed after the last wgmma.fence");
  expect_stop((steps){.changed = "mov.b32 %a3, 0;"},
              "registers of the product were changed after the last wgmma.fence");
  expect_good((steps){.changed = "mov.b32 %r3, %x1;\nmov.b32 %y0, %a3;"});
}

Test(ptx_warpgroup, writers_of_shared_memory_fence_the_proxies_before_the_barrier) {
  expect_good((steps){.proxy = "fence.proxy.async.shared::cta;"});
  expect_good((steps){.proxy = "fence.proxy.async;\nbar.sync 0;\nfence.proxy.async;"});
  expect_stop((steps){.proxy = ""}, NO_PROXY_FENCE);
  cr_assert_not_null(strstr(test.message.text, "reads byte 0 of shared memory, which thread (0,0,0) accessed in line"));
  expect_stop((steps){.proxy = "fence.proxy.async.global;"}, NO_PROXY_FENCE);
  expect_stop((steps){.proxy = "setp.ne.u32 %p5, %r0, 1;\n@%p5 fence.proxy.async;"}, NO_PROXY_FENCE);
  expect_stop((steps){.proxy = "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p5, %r3, 0;\n@%p5 fence.proxy.async;"},
              NO_PROXY_FENCE);
  cr_assert_not_null(strstr(test.message.text, "block (1,0,0)"));
  /* Thread 127 makes its fence while others wait a while, but no barrier tells them. */
  expect_stop((steps){.proxy = "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p5, %r0, 127;\n"
                               "@%p5 st.shared.b32 [dynamic], %r4;",
                      .barrier = "bar.sync 0;\nfence.proxy.async;",
                      .changed =
                          "mov.u32 %r3, 0;\nsetp.gt.u32 %p5, %r0, 95;\n@%p5 bra GO;\nAGAIN: add.u32 %r3, %r3, 1;\n"
                          "setp.lt.u32 %p6, %r3, 5000;\n@%p6 bra AGAIN;\nGO:"},
              NO_PROXY_FENCE);
  expect_stop((steps){.barrier = ""}, "a race, no barrier lies between");
  static const char writer[] = "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p5, %r0, 127;\n@%p5 st.shared.b32 "
                               "[dynamic], %r4;\nfence.proxy.async;";
  expect_stop((steps){.proxy = writer, .barrier = "bar.warp.sync -1;"}, "a race, no barrier lies between");
  cr_assert_not_null(
      strstr(test.message.text, "reads byte 0 of shared memory, which thread (127,0,0) accessed in line"));
}

/* The last write of warp 3 is of a row of A that warp 0 alone reads. */
Test(ptx_warpgroup, fences_are_of_their_block) {
  product p = usual;
  p.left_shared = true;
  run_product(&p, &(steps){.proxy = "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p5, %r0, 127;\n"
                                    "@%p5 st.shared.b32 [dynamic+40960], %r4;\nmov.u32 %r3, %ctaid.x;\n"
                                    "setp.eq.u32 %p6, %r3, 0;\n@%p6 fence.proxy.async;"});
  cr_assert_not_null(strstr(test.message.text, NO_PROXY_FENCE), "%s", test.message.text);
  cr_assert_not_null(strstr(test.message.text, "block (1,0,0)"), "%s", test.message.text);
}

Test(ptx_warpgroup, copies_arrive_before_the_fence) {
  static const char copy[] = "cp.async.cg.shared.global [%d8], [%d7], 16;";
  expect_good((steps){.copy = copy, .proxy = "cp.async.wait_all;\nfence.proxy.async;"});
  expect_stop((steps){.copy = copy, .proxy = "fence.proxy.async;\ncp.async.wait_all;"}, NO_PROXY_FENCE);
  expect_stop((steps){.copy = copy}, "its bytes have not arrived, wait for the cp.async first");
}

Test(ptx_warpgroup, shared_memory_is_not_written_before_the_wait) {
  static const char held[] = "writes byte 0 of shared memory, which the product of line ";
  expect_stop((steps){.during = "@%p2 st.shared.b32 [dynamic], %r0;"}, held);
  expect_stop((steps){.during = "bar.sync 0;\n@%p2 st.shared.b32 [dynamic], %r0;\nbar.sync 0;"}, held);
  expect_stop((steps){.during = "@%p2 cp.async.cg.shared.global [dynamic], [%d1], 16;"}, held);
  expect_stop((steps){.during = "@%p2 red.shared.add.u32 [dynamic], %r0;"}, held);
  expect_good((steps){.during = "@%p2 st.shared.b32 [dynamic+32], %r0;"}); /* k 16 to 31 of row 0 */
  expect_stop((steps){.after = "@%p3 st.shared.b32 [dynamic], %r0;"}, "a race, no barrier lies between");
  expect_good((steps){.after = "bar.sync 0;\n@%p3 st.shared.b32 [dynamic], %r0;"});
  /* Waited for behind a barrier, read there: that the product was started before the barrier is not enough. */
  expect_stop((steps){.during = "bar.sync 0;", .after = "@%p3 st.shared.b32 [dynamic], %r0;"},
              "a race, no barrier lies between");
}

/* Of A a warp reads its own rows: thread 63 is of the second warp, which has rows 16 to 31. */
Test(ptx_warpgroup, a_warp_may_write_its_rows_of_a_behind_the_wait) {
  product p = usual;
  p.left_shared = true;
  run_product(&p, &(steps){.after = "@%p3 st.shared.b32 [dynamic+43008], %r0;"});
  expect_product(&p, 1);
  run_product(&p, &(steps){.after = "@%p3 st.shared.b32 [dynamic+45056], %r0;"});
  cr_assert_not_null(strstr(test.message.text, "a race, no barrier lies between"), "%s", test.message.text);
}

Test(ptx_warpgroup, whole_warpgroups_do_the_same) {
  expect_stop((steps){.threads = 64}, "the warpgroup lacks warps: the block has 2");
  expect_stop((steps){.changed = "setp.lt.u32 %p5, %r0, 96;\n@!%p5 ret;"},
              "warps 0 and 3 of a warpgroup started different products");
  expect_stop((steps){.changed = "setp.lt.u32 %p5, %r0, 96;\n@!%p5 add.s64 %d6, %d6, 2;"},
              "warps 0 and 3 of a warpgroup started different products");
  expect_stop((steps){.changed = "@%p2 add.s64 %d6, %d6, 2;"},
              "a descriptor or the predicate differs between the lanes");
  expect_stop((steps){.changed = "setp.eq.u32 %p1, %r0, 5;"},
              "a descriptor or the predicate differs between the lanes");
  expect_stop((steps){.changed = "@%p2 ret;"}, "all 32 lanes of the warp must take part");
}

Test(ptx_warpgroup, descriptors_are_checked) {
  expect_stop((steps){.descriptor_bits = (uint64_t)3 << 49}, "the base offset of the matrix descriptor is 3, not 0");
  /* As where the address of dynamic shared memory goes in as it is. */
  expect_stop((steps){.descriptor_bits = 1 << 14}, "has bits without a meaning");
  expect_stop((steps){.descriptor_bits = 128 >> 4},
              "the matrix starts at 0x80, which is not in the first of 8 rows of 128 bytes");
  expect_stop((steps){.descriptor_bits = IMAGE_BYTES >> 4}, "16 bytes at 0xc000 of a matrix are not in shared memory");
  expect_stop((steps){.shared = ".extern .shared .align 512 .b8 dynamic[];"},
              "a swizzle of 128 bytes needs shared memory aligned to 1024, not 512");
  expect_stop((steps){.shared = ".shared .b8 fixed[16];\n.extern .shared .align 1024 .b8 dynamic[];"},
              "the kernel has static and dynamic shared memory, which a matrix descriptor cannot tell apart");
  product p = {.type = "f16", .columns = 8, .right_mn_major = true};
  run_product(&p, &(steps){.threads = THREADS});
  cr_assert_not_null(strstr(test.message.text, "an MN-major matrix needs a swizzle"), "%s", test.message.text);
}

/* ------------------------------------------------------------------------------------------------------- wrong text */

#define ACCUMULATORS "{%x0, %x1, %x2, %x3}"
#define FACTORS "{%a0, %a1, %a2, %a3}"
#define MMA(modifiers, operands) "wgmma.mma_async.sync.aligned." modifiers " " operands ";"

Test(ptx_warpgroup, what_is_not_known_is_refused) {
  expect_stop((steps){.target = "sm_90"}, "wgmma is of the target sm_90a: `wgmma.fence.sync.aligned;`");
  expect_stop((steps){.target = "sm_100a"}, "wgmma is of the target sm_90a");
  expect_stop((steps){.target = "sm_90", .fence = ""}, "wgmma is of the target sm_90a: `wgmma.mma_async");
  expect_stop((steps){.target = "sm_80"}, "fence.proxy.async is of sm_90 and later targets: `fence.proxy.async;`");
  static const struct {
    const char *text, *part;
  } rows[] = {
      {MMA("m64n4k16.f32.f16.f16", "{%x0, %x1}, " FACTORS ", %d6, %p1, 1, 1, 0"), "unknown modifier .m64n4k16"},
      {MMA("m64n264k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 0"), "unknown modifier .m64n264k16"},
      {MMA("m64n8k32.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 0"), "unknown modifier .m64n8k32"},
      {MMA("m64n8k16.f32.f16.bf16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 0"), "shape and types"},
      {MMA("m64n8k16.f16.f16.f16", "{%x0, %x1}, " FACTORS ", %d6, %p1, 1, 1, 0"), "shape and types"},
      {MMA("m64n8k8.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 0"), "shape and types"},
      {MMA("m64n8k16.f32.tf32.tf32", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1"), "shape and types"},
      {MMA("m64n8k8.f32.tf32.tf32", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 0"), "expected ';'"},
      {MMA("m64n8k16.f32.f16.f16", "{%x0, %x1}, " FACTORS ", %d6, %p1, 1, 1, 0"), "expected ','"},
      {MMA("m64n8k16.f32.f16.f16", "{%x0, %x1, %x2, _}, " FACTORS ", %d6, %p1, 1, 1, 0"), "no register '_'"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", %r1, %d6, %p1, 1, 1, 0, 0"), "expected a register of 64 bits"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, 1, 1, 1, 0"), "expected a register"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %r1, 1, 1, 0"), "expected a predicate"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 2, 1, 0"), "expected 1 or -1"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 0, 0"), "expected 1 or -1"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1, 2"), "expected 0 or 1"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", " FACTORS ", %d6, %p1, 1, 1"), "expected ','"},
      {MMA("m64n8k16.f32.f16.f16", ACCUMULATORS ", %d5, %d6, %p1, 1, 1, 0"), "expected ','"},
      {"wgmma.mma_async.sync.m64n8k16.f32.f16.f16 " ACCUMULATORS ", %d5, %d6, %p1, 1, 1, 0, 0;",
       "unknown combination of modifiers"},
      {"wgmma.wait_group.sync.aligned;", "expected a number or a register"},
      {"mma.sync.aligned.m64n8k16.row.col.f32.f16.f16.f32 " ACCUMULATORS ", " FACTORS ", {%r1, %r2}, " ACCUMULATORS ";",
       "shape and types"},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    expect_stop((steps){.product = rows[i].text}, rows[i].part);
}

Test(ptx_warpgroup, damaged_text_never_crashes) {
  char *text = kernel_text(&usual, &(steps){.threads = THREADS}), *bad = malloc(strlen(text) + 1);
  size_t size = strlen(text);
  uint32_t random = 1;
  unsigned refused = 0;
  for (unsigned round = 0; round < 3000; round++) {
    memcpy(bad, text, size + 1);
    for (unsigned i = 0; i < 1 + round % 4; i++) {
      random = random * 1664525 + 1013904223;
      bad[(random >> 8) % size] = "{}[](),;:.%@!<>-+0a"[random % 19];
    }
    memset(test.out, 0, sizeof test.out);
    launch(bad, &(steps){.threads = THREADS});
    refused += test.status != TEC_OK;
  }
  cr_assert_gt(refused, 1000);
  free(text);
  free(bad);
}
