/* fake_ocl.h - how tests see and steer the OpenCL in fake_ocl.c. */
#ifndef TEC_TESTS_FAKE_OCL_H
#define TEC_TESTS_FAKE_OCL_H
#include <stddef.h>

/* The fault itself. */
enum { FAKE_OCL_FAULT = -9999 };

typedef struct fake_ocl_state {
  unsigned calls;       /* that can fail, counted since the last reset */
  unsigned fault;       /* the number of the call that fails, from 1; 0: none. Everything after it works again */
  const char *failed;   /* the function that failed */
  const char *language; /* what the device takes; NULL: SPIR-V */
  /* Held now: each is 0 again when nothing leaks. */
  int contexts, queues, programs, kernels, events, blocks;
  unsigned launches;
  size_t items[3], group[3]; /* of the latest launch */
} fake_ocl_state;
#endif
