/* test_program.c - compiled programs without the compiler, by libtec-rt's own loader: right numbers, memory by the
 * length of the sequence, damaged files and code, and memory that runs out at any allocation.
 *
 * The runtime is linked with --wrap for what allocates and releases, so that this file counts and refuses. */
#include "runtime/runtime.h"
#include "tests/support/messages.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------- counted allocations */

static atomic_int live, allocations, fail_at = -1; /* blocks held; made so far; the one that is refused */

static bool refused(void) { return atomic_fetch_add(&allocations, 1) == atomic_load(&fail_at); }

static void *counted(void *memory) {
  if (memory)
    atomic_fetch_add(&live, 1);
  return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **text, const char *format, va_list arguments);
void __real_free(void *memory);

void *__wrap_malloc(size_t size) { return refused() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return refused() ? NULL : counted(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refused() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
char *__wrap_strdup(const char *text) { return refused() ? NULL : counted(__real_strdup(text)); }
char *__wrap_strndup(const char *text, size_t size) { return refused() ? NULL : counted(__real_strndup(text, size)); }

void *__wrap_realloc(void *memory, size_t size) {
  if (refused())
    return NULL;
  void *moved = __real_realloc(memory, size);
  return memory ? moved : counted(moved);
}

/* Messages are formatted into memory of the C library's own. */
int __wrap_vasprintf(char **text, const char *format, va_list arguments) {
  int size = refused() ? -1 : __real_vasprintf(text, format, arguments);
  if (size >= 0)
    counted(*text);
  return size;
}

void __wrap_free(void *memory) {
  if (memory)
    atomic_fetch_sub(&live, 1);
  __real_free(memory);
}

/* ---------------------------------------------------------------------------------------------------------- helpers */

enum { WIDTH = 32 };
static const char *const programs[] = {PROGRAM_DIR "/fused.tecp", PROGRAM_DIR "/unfused.tecp",
                                       PROGRAM_DIR "/plain.tecp"};
static const DLDataType f16 = {kDLFloat, 16, 1}, bf16 = {kDLBfloat, 16, 1}, f32 = {kDLFloat, 32, 1},
                        f64 = {kDLFloat, 64, 1};

static tec_context *new_context(messages *kept) { return messages_context(kept, (tec_context_options){.threads = 2}); }

/* Bytes of a file, uncounted. */
static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  char *bytes = __real_malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  cr_assert(*size && *size < 1 << 20);
  return bytes;
}

/* Multiples of 1/8 between -4 and 4: their products are exact, logits have a deviation of about 13. */
static double number(int64_t i, int seed) { return (double)((i * 37 + i / 7 * 11 + seed * 5) % 65 - 32) / 8; }

static DLManagedTensor *new_tensor(tec_context *context, DLDataType dtype, int32_t ndim, const int64_t *shape,
                                   int seed) {
  DLManagedTensor *tensor;
  cr_assert_eq(tec_tensor_create(context, dtype, ndim, shape, &tensor), TEC_OK);
  int64_t count = runtime_num_elements(dtype, ndim, shape);
  for (int64_t i = 0; i < count; i++)
    runtime_store_float(dtype, (char *)tensor->dl_tensor.data + i * (dtype.bits / 8), number(i, seed));
  return tensor;
}

static double element(const DLManagedTensor *tensor, int64_t i) {
  const DLTensor *t = &tensor->dl_tensor;
  return runtime_load_float(t->dtype, (const char *)t->data + i * (t->dtype.bits / 8));
}

/* One row of attention in double precision. */
static void attention_row(DLManagedTensor *const *qkv, int64_t row, int64_t keys, double *out) {
  double largest = -INFINITY, sum = 0;
  double *logits = __real_malloc((size_t)keys * sizeof *logits);
  for (int64_t k = 0; k < keys; k++) {
    logits[k] = 0;
    for (int d = 0; d < WIDTH; d++)
      logits[k] += element(qkv[0], row * WIDTH + d) * element(qkv[1], k * WIDTH + d);
    largest = fmax(largest, logits[k]);
  }
  for (int d = 0; d < WIDTH; d++)
    out[d] = 0;
  for (int64_t k = 0; k < keys; k++) {
    double weight = exp(logits[k] - largest);
    sum += weight;
    for (int d = 0; d < WIDTH; d++)
      out[d] += weight * element(qkv[2], k * WIDTH + d);
  }
  for (int d = 0; d < WIDTH; d++)
    out[d] /= sum;
  __real_free(logits);
}

/* Calls attention on `rows` queries and `keys` keys; returns the scratch memory that it took. */
static size_t call_attention(tec_context *context, tec_program *program, int64_t rows, int64_t keys) {
  const int64_t shapes[3][2] = {{rows, WIDTH}, {keys, WIDTH}, {keys, WIDTH}};
  DLManagedTensor *tensors[3], *result = NULL;
  const DLTensor *arguments[3];
  for (int i = 0; i < 3; i++) {
    tensors[i] = new_tensor(context, f32, 2, shapes[i], i);
    arguments[i] = &tensors[i]->dl_tensor;
  }
  cr_assert_eq(tec_program_call(program, "attention", 3, arguments, 1, &result), TEC_OK);
  for (int64_t row = 0; row < rows; row++) {
    double expected[WIDTH];
    attention_row(tensors, row, keys, expected);
    for (int d = 0; d < WIDTH; d++)
      cr_assert(fabs(element(result, row * WIDTH + d) - expected[d]) <= 2e-6, "row %d of %d, column %d", (int)row,
                (int)rows, d);
  }
  for (int i = 0; i < 3; i++)
    tec_tensor_release(tensors[i]);
  tec_tensor_release(result);
  return tec_program_scratch_bytes(program);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

Test(program, numbers_are_right_for_every_length) {
  messages kept;
  tec_context *context = new_context(&kept);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    tec_program *program;
    cr_assert_eq(tec_program_load(context, programs[i], &program), TEC_OK, "%s", kept.last);
    const int64_t lengths[][2] = {{1, 1}, {1, 300}, {37, 129}, {130, 5}};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
      call_attention(context, program, lengths[k][0], lengths[k][1]);
    tec_program_destroy(program);
  }
  tec_context_destroy(context);
}

Test(program, what_is_saved_is_what_was_loaded) {
  messages kept;
  tec_context *context = new_context(&kept);
  char path[] = "/tmp/test_program_XXXXXX";
  close(mkstemp(path));
  tec_program *program;
  char *bytes[2];
  size_t sizes[2];
  cr_assert_eq(tec_program_load(context, programs[0], &program), TEC_OK, "%s", kept.last);
  cr_assert_eq(tec_program_save(program, path), TEC_OK, "%s", kept.last);
  cr_assert_eq(tec_file_read(context, programs[0], &bytes[0], &sizes[0]), TEC_OK);
  cr_assert_eq(tec_file_read(context, path, &bytes[1], &sizes[1]), TEC_OK);
  cr_assert(sizes[0] == sizes[1] && !memcmp(bytes[0], bytes[1], sizes[0]));
  unlink(path);
  cr_assert_eq(tec_program_save(program, "/dev/full"), TEC_IO);
  cr_assert(strstr(kept.last, "cannot write '/dev/full'"));
  tec_free(bytes[0]);
  tec_free(bytes[1]);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(program, narrow_floats_and_the_c_library_are_at_hand) {
  messages kept;
  tec_context *context = new_context(&kept);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    tec_program *program;
    cr_assert_eq(tec_program_load(context, programs[i], &program), TEC_OK, "%s", kept.last);
    const int64_t shape[] = {9, 20}, length = 71;
    DLManagedTensor *a = new_tensor(context, f16, 2, shape, 1), *b = new_tensor(context, bf16, 2, shape, 2);
    DLManagedTensor *x = new_tensor(context, f64, 1, &length, 3), *squares[2] = {NULL}, *y = NULL;
    cr_assert_eq(tec_program_call(program, "half", 2, (const DLTensor *[]){&a->dl_tensor, &b->dl_tensor}, 2, squares),
                 TEC_OK, "%s", kept.last);
    for (int k = 0; k < 180; k++) {
      cr_assert_eq(element(squares[0], k), element(a, k) * element(a, k));
      cr_assert(fabs(element(squares[1], k) - element(b, k) * element(b, k)) <= 0x1p-8 * 16);
    }
    cr_assert_eq(tec_program_call(program, "library", 1, (const DLTensor *[]){&x->dl_tensor}, 1, &y), TEC_OK);
    for (int k = 0; k < length; k++)
      cr_assert(fabs(element(y, k) - exp(tanh(erf(element(x, k))))) <= 1e-15);
    DLManagedTensor *all[] = {a, b, x, squares[0], squares[1], y};
    for (int k = 0; k < 6; k++)
      tec_tensor_release(all[k]);
    tec_program_destroy(program);
  }
  tec_context_destroy(context);
}

Test(program, fused_attention_needs_no_memory_for_all_logits) {
  messages kept;
  tec_context *context = new_context(&kept);
  size_t scratch[2][2];
  for (int i = 0; i < 2; i++) {
    tec_program *program;
    cr_assert_eq(tec_program_load(context, programs[i], &program), TEC_OK);
    for (int k = 0; k < 2; k++)
      scratch[i][k] = call_attention(context, program, 256 << k, 256 << k);
    tec_program_destroy(program);
  }
  cr_assert_leq(scratch[0][1], 2 * scratch[0][0]);
  cr_assert_lt(scratch[0][1], 512 * 512);
  cr_assert_geq(scratch[1][0], 256 * 256 * sizeof(float));
  cr_assert_geq(scratch[1][1], 512 * 512 * sizeof(float));
  tec_context_destroy(context);
}

Test(program, shapes_that_do_not_fit_are_refused) {
  messages kept;
  tec_context *context = new_context(&kept);
  tec_program *program;
  cr_assert_eq(tec_program_load(context, programs[0], &program), TEC_OK);
  const int64_t rows[] = {5, WIDTH}, more[] = {6, WIDTH};
  DLManagedTensor *a = new_tensor(context, f32, 2, rows, 0), *b = new_tensor(context, f32, 2, more, 0), *result = NULL;
  const DLTensor *arguments[] = {&a->dl_tensor, &a->dl_tensor, &b->dl_tensor};
  cr_assert_eq(tec_program_call(program, "attention", 3, arguments, 1, &result), TEC_INVALID);
  cr_assert_eq(kept.count, 1);
  cr_assert(strstr(kept.last, "do not fit together"), "%s", kept.last);
  cr_assert_null(result);
  tec_tensor_release(a);
  tec_tensor_release(b);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

Test(program, a_damaged_file_is_one_error) {
  messages kept;
  tec_context *context = new_context(&kept);
  size_t size;
  char *bytes = read_file(programs[0], &size);
  for (size_t at = 0; at < size; at += 64)
    for (int cut = 0; cut < 2; cut++) {
      tec_program *program = NULL;
      char *copy = __real_malloc(size); /* of this size, so that a sanitizer sees what is read behind its end */
      memcpy(copy, bytes, size);
      if (!cut)
        copy[at] ^= 0x55;
      char *shorter = cut ? __real_realloc(copy, at + 1) : copy;
      kept.count = 0;
      cr_assert_eq(tec_program_read(context, "file", shorter, cut ? at : size, &program), TEC_INVALID, "byte %zu", at);
      cr_assert_eq(kept.count, 1);
      cr_assert_null(program);
      __real_free(shorter);
    }
  __real_free(bytes);
  tec_context_destroy(context);
}

/* Behind the checksum: code that was damaged before it was packed. It may load or not, but not crash the loader. */
Test(program, damaged_code_does_not_crash_the_loader) {
  messages kept;
  tec_context *context = new_context(&kept);
  tec_program *program;
  cr_assert_eq(tec_program_load(context, programs[0], &program), TEC_OK);
  const char *code;
  size_t size, refused_count = 0;
  tec_program_code(program, &code, &size);
  for (size_t at = 0; at < size; at += 64)
    for (int cut = 0; cut < 2; cut++) {
      size_t length = cut ? at : size;
      char *copy = __real_aligned_alloc(16, (length + 16) / 16 * 16);
      memcpy(copy, code, length);
      if (!cut)
        for (size_t i = at; i < at + 64 && i < size; i += 3)
          copy[i] ^= 0xff;
      void *loaded = NULL;
      kept.count = 0;
      tec_status status = elf_loader.load(context, copy, length, &loaded);
      cr_assert_eq(kept.count, status != TEC_OK, "%zu messages", (size_t)kept.count);
      if (status == TEC_OK)
        elf_loader.unload(loaded);
      refused_count += status != TEC_OK;
      __real_free(copy);
    }
  cr_assert_gt(refused_count, size / 64);
  tec_program_destroy(program);
  tec_context_destroy(context);
}

/* Everything a program does from file to result, as .npy too; stops at the first failure and releases what it has. */
static tec_status whole_life(messages *kept, char *file, size_t size) {
  *kept = (messages){0};
  tec_context_options options = {sizeof options, .message = messages_keep, .user = kept, .threads = 2};
  tec_context *context = NULL;
  tec_program *program = NULL;
  DLManagedTensor *tensor = NULL, *again = NULL, *result = NULL;
  const int64_t shape[] = {150, WIDTH};
  char *bytes = NULL, *text = NULL;
  size_t length;
  tec_status status = tec_context_create(&options, &context);
  if (status)
    return status;
  status = tec_program_read(context, "file", file, size, &program);
  if (!status)
    status = tec_tensor_create(context, f32, 2, shape, &tensor);
  const DLTensor *view = tensor ? &tensor->dl_tensor : NULL, *arguments[] = {view, view, view};
  if (!status)
    status = tec_program_call(program, "attention", 3, arguments, 1, &result);
  if (!status)
    status = tec_tensor_write_npy(context, &result->dl_tensor, &bytes, &length);
  if (!status)
    status = tec_tensor_read_npy(context, "npy", bytes, length, &again);
  if (!status)
    status = tec_program_header(program, &text, &length);
  tec_free(bytes);
  tec_free(text);
  tec_tensor_release(tensor);
  tec_tensor_release(again);
  tec_tensor_release(result);
  tec_program_destroy(program);
  tec_context_destroy(context);
  return status;
}

Test(program, any_allocation_may_fail) {
  for (int i = 0; i < 2; i++) {
    messages kept;
    size_t size;
    char *file = read_file(programs[i], &size);
    cr_assert_eq(whole_life(&kept, file, size), TEC_OK, "%s", kept.last);
    cr_assert_eq(atomic_load(&live), 0);
    int failures = 0;
    tec_status status;
    do {
      atomic_store(&allocations, 0);
      atomic_store(&fail_at, failures);
      status = whole_life(&kept, file, size);
      cr_assert_eq(atomic_load(&live), 0, "%d blocks are left after failure %d", atomic_load(&live), failures);
      cr_assert(status == TEC_OK || kept.count <= 1, "%u messages", kept.count);
      failures++;
    } while (atomic_load(&allocations) >= failures && failures < 10000);
    cr_assert_gt(failures, 40);
    atomic_store(&fail_at, -1);
    __real_free(file);
  }
}
