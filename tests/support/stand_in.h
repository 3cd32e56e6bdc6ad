/* stand_in.h - what the state of every stand-in for a GPU's driver starts with: tests count its calls and make one
 * fail. */
#ifndef TEC_TESTS_STAND_IN_H
#define TEC_TESTS_STAND_IN_H

typedef struct stand_in {
  unsigned calls;     /* that can fail, counted since the last reset */
  unsigned fault;     /* the number of the call that fails, from 1; 0: none. Everything after it works again */
  const char *failed; /* the function that failed */
  unsigned launches;
  int blocks; /* of memory, that are not back yet */
} stand_in;
#endif
