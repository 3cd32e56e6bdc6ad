/* fake_cuda.c - a libcuda.so.1 without a GPU: memory is the host's, every call is counted, any one can be made to fail.
 *
 * Its one kernel is "add_one": it adds 1 to each of `count` floats (parameters: from, to, count as 64 bits). Everything
 * that is used without having been opened, or not by the current context, ends the process: such a call would crash for
 * real. */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The test gets at it by dlsym. */
EXPORT fake_cuda_state fake_cuda;

static void require(int good) {
  if (!good)
    abort();
}

/* Counts a call; what it returns if it is the one to fail. */
static int step(const char *name) {
  if (++fake_cuda.common.calls != fake_cuda.common.fault)
    return 0;
  fake_cuda.common.failed = name;
  return fake_cuda.result ? fake_cuda.result : FAKE_CUDA_FAULT;
}

#define STEP()                                                                                                         \
  do {                                                                                                                 \
    int result = step(__func__);                                                                                       \
    if (result)                                                                                                        \
      return result;                                                                                                   \
  } while (0)

EXPORT int cuInit(unsigned flags) {
  STEP();
  return 0;
}

EXPORT int cuDriverGetVersion(int *version) {
  STEP();
  *version = fake_cuda.version ? fake_cuda.version : 12040;
  return 0;
}

EXPORT int cuGetErrorName(int result, const char **name) {
  *name = result == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR_UNKNOWN";
  return 0;
}

EXPORT int cuGetErrorString(int result, const char **text) {
  *text = NULL;
  return result == 222 ? (*text = "the provided PTX was compiled with an unsupported toolchain.", 0) : 1;
}

EXPORT int cuDeviceGetCount(int *count) {
  STEP();
  *count = 1;
  return 0;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  STEP();
  require(ordinal == 0);
  *device = 7;
  return 0;
}

EXPORT int cuDeviceGetName(char *name, int size, int device) {
  STEP();
  require(device == 7 && size > 8);
  strcpy(name, "Fake");
  return 0;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  STEP();
  require(device == 7);
  int chip = fake_cuda.chip ? fake_cuda.chip : 87;
  *value = attribute == 75 ? chip / 10 : attribute == 76 ? chip % 10 : 100 * 1024;
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  STEP();
  require(device == 7);
  fake_cuda.contexts++;
  *context = &fake_cuda;
  return 0;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  require(device == 7 && fake_cuda.contexts > 0);
  fake_cuda.contexts--;
  return 0;
}

EXPORT int cuCtxPushCurrent_v2(void *context) {
  STEP();
  require(context == &fake_cuda && fake_cuda.contexts > 0);
  fake_cuda.current++;
  return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  require(fake_cuda.current > 0);
  fake_cuda.current--;
  *context = &fake_cuda;
  return 0;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *code, unsigned num_options, int *options, void **values) {
  require(fake_cuda.current > 0 && code && num_options == 2 && options[0] == 5 && options[1] == 6);
  int result = step(__func__);
  if (result && fake_cuda.jit_log)
    strncpy(values[0], fake_cuda.jit_log, (uintptr_t)values[1]);
  if (result)
    return result;
  fake_cuda.modules++;
  *module = malloc(1);
  return 0;
}

EXPORT int cuModuleUnload(void *module) {
  require(fake_cuda.current > 0 && fake_cuda.modules > 0);
  fake_cuda.modules--;
  free(module);
  return 0;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  STEP();
  require(fake_cuda.current > 0 && module);
  if (strcmp(name, "add_one"))
    return 500;
  *function = &fake_cuda.grid;
  return 0;
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  STEP();
  require(function == &fake_cuda.grid && attribute == 8);
  fake_cuda.shared_limit = value;
  return 0;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size) {
  STEP();
  require(fake_cuda.current > 0 && size > 0);
  fake_cuda.common.blocks++;
  *address = (uintptr_t)malloc(size);
  return 0;
}

EXPORT int cuMemFree_v2(uint64_t address) {
  require(fake_cuda.current > 0 && fake_cuda.common.blocks > 0);
  fake_cuda.common.blocks--;
  free((void *)(uintptr_t)address);
  return 0;
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
  STEP();
  require(fake_cuda.current > 0);
  memcpy((void *)(uintptr_t)to, from, size);
  return 0;
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
  STEP();
  require(fake_cuda.current > 0);
  memcpy(to, (const void *)(uintptr_t)from, size);
  return 0;
}

EXPORT int cuStreamSynchronize(void *stream) {
  STEP();
  return 0;
}

EXPORT int cuEventCreate(void **event, unsigned flags) {
  STEP();
  require(fake_cuda.current > 0);
  fake_cuda.events++;
  *event = malloc(1);
  return 0;
}

EXPORT int cuEventDestroy_v2(void *event) {
  require(fake_cuda.current > 0 && fake_cuda.events > 0);
  fake_cuda.events--;
  free(event);
  return 0;
}

EXPORT int cuEventRecord(void *event, void *stream) {
  STEP();
  require(event != NULL);
  return 0;
}

EXPORT int cuEventSynchronize(void *event) {
  STEP();
  require(event != NULL);
  return 0;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  STEP();
  require(start && end && start != end);
  *milliseconds = 2.5F;
  return 0;
}

EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **values,
                          void **extra) {
  STEP();
  require(fake_cuda.current > 0 && function == &fake_cuda.grid && !extra);
  unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  memcpy(fake_cuda.grid, grid, sizeof grid);
  memcpy(fake_cuda.block, block, sizeof block);
  fake_cuda.shared_bytes = shared_bytes;
  fake_cuda.stream = stream;
  fake_cuda.common.launches++;
  for (unsigned i = 0; i < 3; i++)
    memcpy(&fake_cuda.values[i], values[i], sizeof fake_cuda.values[i]);
  const float *from = (const float *)(uintptr_t)fake_cuda.values[0];
  float *to = (float *)(uintptr_t)fake_cuda.values[1];
  for (uint64_t i = 0; i < fake_cuda.values[2]; i++)
    to[i] = from[i] + 1;
  return 0;
}
