/* level_zero.h - how tests see and steer the driver in driver.c: through its one exported variable, level_zero_test. */
#ifndef TEC_TESTS_LEVEL_ZERO_H
#define TEC_TESTS_LEVEL_ZERO_H
#include "tests/support/stand_in.h"

#include <stddef.h>
#include <stdint.h>

typedef struct level_zero_state {
  stand_in common;
  const char *chip; /* a row of the driver's chips; NULL: what the environment's TEST_ZE_CHIP says, or the first */
  /* Held now: each is 0 again when nothing leaks. */
  int contexts, lists, pools, events, modules, logs, kernels;
  uint32_t groups[3], group_size[3]; /* of the latest launch */
  char build_flags[200];             /* of the latest module */
} level_zero_state;
#endif
