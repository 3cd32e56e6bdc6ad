/* fake_ocl.h - how tests see and steer the OpenCL in fake_ocl.c. */
#ifndef TEC_TESTS_FAKE_OCL_H
#define TEC_TESTS_FAKE_OCL_H
#include "tests/support/stand_in.h"

#include <stddef.h>

/* The fault itself. */
enum { FAKE_OCL_FAULT = -9999 };

typedef struct fake_ocl_state {
  stand_in common;
  const char *language; /* what the device takes; NULL: SPIR-V */
  /* Held now: each is 0 again when nothing leaks. */
  int contexts, queues, programs, kernels, events;
  size_t items[3], group[3]; /* of the latest launch */
} fake_ocl_state;
#endif
