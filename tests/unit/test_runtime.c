/* test_runtime.c - what libtec-rt is made of: tensors, .npy files, program files, the thread pool. */
#include "runtime/runtime.h"
#include "tests/support/messages.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static tec_context *new_context(messages *kept) { return messages_context(kept, (tec_context_options){.threads = 4}); }

/* ------------------------------------------------------------------------------------------------------- tensors */

static const DLDataType f16 = {kDLFloat, 16, 1}, bf16 = {kDLBfloat, 16, 1}, f32 = {kDLFloat, 32, 1},
                        f64 = {kDLFloat, 64, 1};

static double through(DLDataType dtype, double value) {
  uint64_t bits = 0;
  runtime_store_float(dtype, &bits, value);
  return runtime_load_float(dtype, &bits);
}

Test(tensor, narrow_floats_keep_all_their_values) {
  for (unsigned bits = 0; bits < 1 << 16; bits++) {
    uint16_t pattern = (uint16_t)bits, again;
    for (int i = 0; i < 2; i++) {
      DLDataType dtype = i ? bf16 : f16;
      double value = runtime_load_float(dtype, &pattern);
      runtime_store_float(dtype, &again, value);
      if (isnan(value))
        cr_assert(isnan(runtime_load_float(dtype, &again)));
      else
        cr_assert_eq(again, pattern, "%x became %x", pattern, again);
    }
  }
}

Test(tensor, narrowing_rounds_to_nearest_even) {
  cr_assert_eq(through(f16, 1 + 0x1p-11), 1);
  cr_assert_eq(through(f16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  cr_assert_eq(through(f16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10); /* not through f32 */
  cr_assert_eq(through(f16, 65519), 65504);
  cr_assert(isinf(through(f16, 65520)));
  cr_assert_eq(through(f16, 0x1p-25), 0);
  cr_assert_eq(through(f16, 0x1.8p-25), 0x1p-24);
  cr_assert_eq(through(bf16, 1 + 0x1p-8), 1);
  cr_assert(isinf(through(bf16, 1e300)));
  cr_assert(signbit(through(bf16, -0.0)));
}

Test(tensor, impossible_shapes_are_refused) {
  messages kept;
  tec_context *context = new_context(&kept);
  DLManagedTensor *tensor;
  int64_t huge[] = {INT64_MAX / 2, 16}, negative[] = {-1}, empty[] = {5, 0};
  cr_assert_eq(tec_tensor_create(context, f32, 2, huge, &tensor), TEC_INVALID);
  cr_assert_eq(tec_tensor_create(context, f32, 1, negative, &tensor), TEC_INVALID);
  cr_assert_eq(tec_tensor_create(context, (DLDataType){kDLFloat, 8, 1}, 1, empty, &tensor), TEC_INVALID);
  cr_assert_eq(kept.count, 3);
  cr_assert_eq(tec_tensor_create(context, f32, 2, empty, &tensor), TEC_OK);
  tec_tensor_release(tensor);
  tec_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------------------ npy */

/* A version 1 file from its header and data. */
static size_t make_npy(char *file, const char *header, const void *data, size_t size) {
  size_t length = strlen(header);
  memcpy(file, "\x93NUMPY\1\0", 8);
  file[8] = (char)length;
  file[9] = 0;
  memcpy(file + 10, header, length);
  memcpy(file + 10 + length, data, size);
  return 10 + length + size;
}

Test(npy, every_type_comes_back) {
  static const DLDataType dtypes[] = {{kDLBool, 8, 1},   {kDLInt, 8, 1},    {kDLInt, 16, 1},   {kDLInt, 32, 1},
                                      {kDLInt, 64, 1},   {kDLUInt, 8, 1},   {kDLUInt, 64, 1},  {kDLFloat, 16, 1},
                                      {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBfloat, 16, 1}};
  messages kept;
  tec_context *context = new_context(&kept);
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    for (int32_t rank = 0; rank <= 3; rank++) {
      int64_t shape[] = {2, 3, 5}, count = runtime_num_elements(dtypes[i], rank, shape);
      DLManagedTensor *tensor, *again;
      char *bytes;
      size_t size;
      cr_assert_eq(tec_tensor_create(context, dtypes[i], rank, shape, &tensor), TEC_OK);
      for (size_t k = 0; k < (size_t)count * dtypes[i].bits / 8; k++)
        ((char *)tensor->dl_tensor.data)[k] = (char)(dtypes[i].code == kDLBool ? k & 1 : 37 * k + 1);
      cr_assert_eq(tec_tensor_write_npy(context, &tensor->dl_tensor, &bytes, &size), TEC_OK);
      cr_assert_eq((size - (size_t)count * dtypes[i].bits / 8) % 64, 0);
      cr_assert_eq(tec_tensor_read_npy(context, "file", bytes, size, &again), TEC_OK, "%s", kept.last);
      cr_assert_eq(again->dl_tensor.ndim, rank);
      cr_assert(!memcmp(&again->dl_tensor.dtype, &dtypes[i], sizeof dtypes[i]));
      cr_assert(!memcmp(again->dl_tensor.data, tensor->dl_tensor.data, (size_t)count * dtypes[i].bits / 8));
      tec_free(bytes);
      tec_tensor_release(tensor);
      tec_tensor_release(again);
    }
  tec_context_destroy(context);
}

Test(npy, fortran_order_and_big_endian_are_converted) {
  messages kept;
  tec_context *context = new_context(&kept);
  const unsigned char data[] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};
  char file[256];
  DLManagedTensor *tensor;
  size_t size = make_npy(file, "{'shape': (2, 3), \"fortran_order\":True ,'descr':'>i2'}  \n", data, sizeof data);
  cr_assert_eq(tec_tensor_read_npy(context, "file", file, size, &tensor), TEC_OK, "%s", kept.last);
  for (int16_t i = 0; i < 6; i++)
    cr_assert_eq(((int16_t *)tensor->dl_tensor.data)[i], i + 1);
  tec_tensor_release(tensor);
  const int8_t cube[] = {0, 4, 2, 6, 1, 5, 3, 7};
  size = make_npy(file, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2, 2), }\n", cube, sizeof cube);
  cr_assert_eq(tec_tensor_read_npy(context, "file", file, size, &tensor), TEC_OK, "%s", kept.last);
  for (int8_t i = 0; i < 8; i++)
    cr_assert_eq(((int8_t *)tensor->dl_tensor.data)[i], i);
  tec_tensor_release(tensor);
  tec_context_destroy(context);
}

Test(npy, malformed_files_are_refused_with_one_message) {
  static const struct {
    const char *header, *message;
  } cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "does not fit"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }", "does not fit"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2), }", "shape"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "element type"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "element type"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", "fortran_order"},
      {"{'descr': '<f4', 'shape': (2,), }", "lacks"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "after"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", "shape"},
      {"['descr']", "dictionary"},
      {"", "dictionary"},
  };
  messages kept;
  tec_context *context = new_context(&kept);
  float data[2] = {1, 2};
  char file[256];
  DLManagedTensor *tensor;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t size = make_npy(file, cases[i].header, data, sizeof data);
    kept.count = 0;
    cr_assert_eq(tec_tensor_read_npy(context, "file", file, size, &tensor), TEC_INVALID, "%s", cases[i].header);
    cr_assert_eq(kept.count, 1);
    cr_assert(strstr(kept.last, cases[i].message), "%s gave %s", cases[i].header, kept.last);
  }
  size_t size = make_npy(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data, sizeof data);
  for (size_t cut = 0; cut < size; cut++) {
    char *exact = malloc(cut + 1); /* so that a sanitizer sees reads past the end */
    memcpy(exact, file, cut);
    cr_assert_eq(tec_tensor_read_npy(context, "file", exact, cut, &tensor), TEC_INVALID, "cut to %zu", cut);
    free(exact);
  }
  tec_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------------- programs */

static tec_program *new_program(tec_context *context) {
  const int64_t shape[] = {-1, 64};
  const tec_type types[] = {{TEC_KIND_TENSOR, f32, 2, shape}, {TEC_KIND_SCALAR, f64, 0, NULL}};
  const tec_entry entries[] = {{"first", 2, 1, types, types, 12.5, "forall 64"},
                               {"second", 0, 1, NULL, types, 0, NULL}};
  tec_program *program;
  cr_assert_eq(program_create(context, "host:test", 2, entries, NULL, "code", 4, &program), TEC_OK);
  return program;
}

Test(program, a_file_holds_everything) {
  messages kept;
  tec_context *context = new_context(&kept);
  tec_program *program = new_program(context), *again;
  char *bytes;
  size_t size;
  cr_assert_eq(tec_program_write(program, &bytes, &size), TEC_OK);
  cr_assert(tec_program_probe(bytes, size));
  cr_assert_eq(tec_program_read(context, "file", bytes, size, &again), TEC_OK, "%s", kept.last);
  tec_entry entry;
  cr_assert(tec_program_entry(again, 1, &entry) && !tec_program_entry(again, 2, &entry));
  cr_assert_eq(tec_program_find(again, "first", &entry), TEC_OK);
  cr_assert_str_eq(tec_program_target(again), "host:test");
  cr_assert_eq(entry.num_arguments, 2);
  cr_assert_eq(entry.arguments[0].shape[0], -1);
  cr_assert_eq(entry.arguments[0].shape[1], 64);
  cr_assert_eq(entry.arguments[1].kind, TEC_KIND_SCALAR);
  cr_assert_eq(entry.flops, 12.5);
  cr_assert_str_eq(entry.tiles, "forall 64");
  cr_assert_eq(tec_program_find(again, NULL, &entry), TEC_INVALID);
  cr_assert(strstr(kept.last, "'first', 'second'"));
  tec_free(bytes);
  tec_program_destroy(program);
  tec_program_destroy(again);
  tec_context_destroy(context);
}

/* The checksum of the file, for tests that damage what it covers. */
static void seal(char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 28; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  memcpy(bytes + 20, &hash, sizeof hash);
}

Test(program, damaged_files_never_crash) {
  messages kept;
  tec_context *context = new_context(&kept);
  tec_program *program = new_program(context), *again;
  char *bytes;
  size_t size;
  cr_assert_eq(tec_program_write(program, &bytes, &size), TEC_OK);
  for (size_t cut = 0; cut < size; cut++) {
    char *exact = malloc(cut + 1);
    memcpy(exact, bytes, cut);
    kept.count = 0;
    cr_assert_eq(tec_program_read(context, "file", exact, cut, &again), TEC_INVALID);
    cr_assert_eq(kept.count, 1);
    free(exact);
  }
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < sizeof values; k++) {
      char *exact = malloc(size);
      memcpy(exact, bytes, size);
      exact[i] = (char)values[k];
      if (values[k] != (unsigned char)bytes[i])
        cr_assert_eq(tec_program_read(context, "file", exact, size, &again), TEC_INVALID, "byte %zu", i);
      /* With the checksum made right again, the fields' own checks are on their own: any answer but a crash. */
      if (i >= 28)
        seal(exact, size);
      if (tec_program_read(context, "file", exact, size, &again) == TEC_OK)
        tec_program_destroy(again);
      free(exact);
    }
  tec_free(bytes);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(program, calls_are_checked) {
  messages kept;
  tec_context *context = new_context(&kept);
  tec_program *program = new_program(context);
  int64_t shape[] = {3, 64}, narrow[] = {3, 63}, strides[] = {1, 3};
  float data[3 * 64 + 1] = {0};
  double scalar = 1;
  DLTensor tensor = {data, {kDLCPU, 0}, 2, f32, shape, NULL, 0}, number = {&scalar, {kDLCPU, 0}, 0, f64, NULL, NULL, 0};
  DLManagedTensor *result = NULL;
  const DLTensor *arguments[] = {&tensor, &number};
  struct {
    DLTensor tensor;
    const char *message;
  } cases[] = {{tensor, "f16"},
               {tensor, "[3, 63], but [?, 64]"},
               {tensor, "host memory"},
               {tensor, "row-major"},
               {tensor, "aligned"}};
  cases[0].tensor.dtype = f16;
  cases[1].tensor.shape = narrow;
  cases[2].tensor.device.device_type = kDLCUDA;
  cases[3].tensor.strides = strides;
  cases[4].tensor.byte_offset = 1;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    arguments[0] = &cases[i].tensor;
    kept.count = 0;
    cr_assert_eq(tec_program_call(program, "first", 2, arguments, 1, &result), TEC_INVALID);
    cr_assert_eq(kept.count, 1);
    cr_assert(strstr(kept.last, cases[i].message), "%s", kept.last);
  }
  arguments[0] = NULL;
  cr_assert_eq(tec_program_call(program, "first", 2, arguments, 1, &result), TEC_INVALID);
  cr_assert(strstr(kept.last, "argument 0 is no tensor"), "%s", kept.last);
  arguments[0] = &tensor;
  cr_assert_eq(tec_program_call(program, "first", 1, arguments, 1, &result), TEC_INVALID);
  cr_assert(strstr(kept.last, "2 arguments"));
  /* All good so far: then the code is looked at, which is none. */
  cr_assert_eq(tec_program_call(program, "first", 2, arguments, 1, &result), TEC_INVALID);
  cr_assert(strstr(kept.last, "no ELF file"), "%s", kept.last);
  cr_assert_null(result);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

/* ---------------------------------------------------------------------------------------------------- thread pool */

typedef struct counted {
  thread_pool *pool;
  double seconds; /* of an iteration, at least */
  _Atomic int64_t calls, sum, calls_of_others;
  pthread_t caller;
} counted;

static double seconds_by(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void count_one(void *data, int64_t i) {
  counted *c = data;
  double start = c->seconds > 0 ? seconds_by(CLOCK_MONOTONIC) : 0;
  while (c->seconds > 0 && seconds_by(CLOCK_MONOTONIC) - start < c->seconds)
    continue;
  atomic_fetch_add(&c->calls_of_others, !pthread_equal(pthread_self(), c->caller));
  atomic_fetch_add(&c->calls, 1);
  atomic_fetch_add(&c->sum, i);
}

static void keep_first(void *data, int64_t i) {
  int64_t none = -1;
  atomic_compare_exchange_strong((_Atomic int64_t *)data, &none, i);
}

/* Whoever of the threads is there first. */
Test(thread_pool, long_iterations_of_a_triangle_come_first) {
  enum { THREADS = 3, COUNT = 100 };
  thread_pool *pool = thread_pool_create(THREADS, 0);
  for (int round = 0; round < 50; round++) {
    _Atomic int64_t first = -1;
    thread_pool_run(pool, COUNT, keep_first, &first);
    cr_assert_geq(first, COUNT - THREADS);
  }
  thread_pool_destroy(pool);
}

static void sleep_milliseconds(long milliseconds) {
  nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void sleep_by_index(void *data, int64_t i) { sleep_milliseconds(i ? 1 : 100); }

static double cpu_seconds(void) { return seconds_by(CLOCK_PROCESS_CPUTIME_ID); }

/* Neither while others still run nor after the loop. */
Test(thread_pool, waiting_takes_no_time_of_the_processor) {
  thread_pool *pool = thread_pool_create(4, 0);
  double before = cpu_seconds();
  thread_pool_run(pool, 4, sleep_by_index, NULL);
  sleep_milliseconds(100);
  cr_assert_lt(cpu_seconds() - before, 0.02);
  thread_pool_destroy(pool);
}

/* Awake for so long, and asleep afterwards. */
Test(thread_pool, threads_may_look_for_the_next_loop) {
  thread_pool *pool = thread_pool_create(2, 100000);
  double before = cpu_seconds();
  thread_pool_run(pool, 2, sleep_by_index, NULL);
  sleep_milliseconds(400);
  double taken = cpu_seconds() - before;
  cr_assert(taken > 0.02 && taken < 0.25, "%g", taken);
  thread_pool_destroy(pool);
}

Test(thread_pool, each_index_runs_once) {
  for (unsigned threads = 1; threads <= 5; threads++) {
    thread_pool *pool = thread_pool_create(threads, threads % 2 * 50);
    for (int round = 0; round < 500; round++) {
      int64_t count = round % 17;
      counted c = {.pool = pool, .seconds = round % 3 ? 0 : 1e-5}; /* shared, begun alone, or left to the caller */
      thread_pool_run(pool, count, count_one, &c);
      cr_assert_eq(c.calls, count);
      cr_assert_eq(c.sum, count * (count - 1) / 2);
    }
    thread_pool_destroy(pool);
  }
}

static int64_t run_counted(counted *c, int64_t count) {
  c->calls_of_others = 0;
  sleep_milliseconds(2);
  thread_pool_run(c->pool, count, count_one, c);
  return c->calls_of_others;
}

/* A loop that is over before a thread would be awake is left to the caller, until it takes longer. */
Test(thread_pool, short_loops_wake_nobody) {
  counted c = {.pool = thread_pool_create(4, 0), .caller = pthread_self()};
  int alone = 0;
  for (int round = 0; round < 60; round++)
    alone += run_counted(&c, 4) == 0;
  cr_assert_geq(alone, 30, "%d", alone);
  c.seconds = 0.02;
  cr_assert_gt(run_counted(&c, 8), 0);
  cr_assert_gt(run_counted(&c, 8), 0);
  thread_pool_destroy(c.pool);
}

/* But threads that look for loops are called to them, so that they stay awake. */
Test(thread_pool, threads_that_look_for_loops_share_short_ones) {
  counted c = {.pool = thread_pool_create(2, 1000), .caller = pthread_self()};
  double start = seconds_by(CLOCK_MONOTONIC);
  for (int round = 0; round < 10; round++)
    thread_pool_run(c.pool, 8, count_one, &c);
  sleep_milliseconds(20);
  for (int shared = 0; shared < 20 && seconds_by(CLOCK_MONOTONIC) - start < 10;) {
    c.calls_of_others = 0;
    thread_pool_run(c.pool, 8, count_one, &c);
    shared += c.calls_of_others > 0;
  }
  cr_assert_lt(seconds_by(CLOCK_MONOTONIC) - start, 10);
  thread_pool_destroy(c.pool);
}

/* The threads are not there in a child: it runs loops alone, and waits for nobody. */
Test(thread_pool, works_in_a_child_process_without_its_threads) {
  counted c = {.pool = thread_pool_create(4, 0), .seconds = 1e-3, .caller = pthread_self()};
  cr_assert_gt(run_counted(&c, 20), 0);
  c.calls = 0;
  pid_t child = fork();
  if (!child) {
    alarm(20);
    bool alone = run_counted(&c, 20) == 0 && c.calls == 20;
    thread_pool_destroy(c.pool);
    _exit(!alone);
  }
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
  cr_assert_eq(WEXITSTATUS(status), 0);
  cr_assert_gt(run_counted(&c, 20), 0);
  thread_pool_destroy(c.pool);
}
