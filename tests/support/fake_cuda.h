/* fake_cuda.h - how tests see and steer the driver in fake_cuda.c. */
#ifndef TEC_TESTS_FAKE_CUDA_H
#define TEC_TESTS_FAKE_CUDA_H
#include "tests/support/stand_in.h"

#include <stddef.h>
#include <stdint.h>

/* The fault itself, CUDA_ERROR_UNKNOWN. */
enum { FAKE_CUDA_FAULT = 999, FAKE_CUDA_MAX_VALUES = 16 };

typedef struct fake_cuda_state {
  stand_in common;
  int result;          /* what it fails with; 0: FAKE_CUDA_FAULT */
  int chip, version;   /* what it says of itself; 0: sm_87, CUDA 12.4 */
  const char *jit_log; /* what a failing cuModuleLoadDataEx writes */
  /* Held now: each is 0 again when nothing leaks. */
  int contexts, current, modules, events;
  /* Of the latest launch; the arguments by their lowest 8 bytes. */
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  int shared_limit; /* set on the kernel; 0: never */
  uint64_t values[FAKE_CUDA_MAX_VALUES];
} fake_cuda_state;
#endif
