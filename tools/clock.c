/* clock.c - the time, for the command's reports. */
#include "tools/command.h"

#include <time.h>

double command_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
