/* fma_peak.c - what the processor can do at most: independent chains of fused multiply-adds in registers.
 *
 * The loop is inline assembly, as a C compiler would fold it. 12 chains cover the latency of every x86-64 so far (at
 * most 5 cycles on 2 pipes). All threads run at once for some milliseconds, the calling one among them, so that one
 * thread is measured where it is. The shortest round of each counts, by the processor's time that it got: a peak that
 * others lowered would flatter what is measured beside it. */
#include "tools/command.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)

enum { ITERATIONS = 200000, CHAINS = 12, ROUNDS = 8, MAX_THREADS = 256 };

#define CHAINS_OF(REGISTER)                                                                                            \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "1\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "2\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "3\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "4\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "5\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "6\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "7\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "8\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "9\n\t"                                                  \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "10\n\t"                                                 \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "11\n\t"                                                 \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "0, %%" REGISTER "12\n\t"
#define ZERO(N) "vxorps %%xmm" #N ", %%xmm" #N ", %%xmm" #N "\n\t"
#define LOOP(REGISTER)                                                                                                 \
  __asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10) ZERO(11)   \
                       ZERO(12) "1:\n\t" CHAINS_OF(REGISTER) "dec %0\n\tjnz 1b\n\tvzeroupper"                          \
                   : "+r"(iterations)                                                                                  \
                   :                                                                                                   \
                   : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",    \
                     "xmm11", "xmm12")

typedef struct peak_task {
  bool wide;
  double seconds; /* the shortest round */
} peak_task;

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *measure(void *argument) {
  peak_task *task = argument;
  task->seconds = 1e30;
  for (int round = 0; round < ROUNDS; round++) {
    double start = thread_seconds();
    long iterations = ITERATIONS;
    if (task->wide)
      LOOP("zmm");
    else
      LOOP("ymm");
    double seconds = thread_seconds() - start;
    if (seconds < task->seconds)
      task->seconds = seconds;
  }
  return NULL;
}

double fma_peak(unsigned threads) {
  if (!__builtin_cpu_supports("fma"))
    return 0;
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  bool wide = __builtin_cpu_supports("avx512f");
  pthread_t handles[MAX_THREADS];
  peak_task tasks[MAX_THREADS];
  unsigned started = 0;
  for (; started < threads; started++) {
    tasks[started] = (peak_task){.wide = wide};
    if (started && pthread_create(&handles[started], NULL, measure, &tasks[started]))
      break;
  }
  if (started)
    measure(&tasks[0]);
  double gigaflops = 0;
  for (unsigned i = 0; i < started; i++) {
    if (i)
      pthread_join(handles[i], NULL);
    gigaflops += 2.0 * CHAINS * ITERATIONS * (wide ? 16 : 8) / tasks[i].seconds * 1e-9;
  }
  return gigaflops;
}

#else

double fma_peak(unsigned threads) { return 0; }

#endif
