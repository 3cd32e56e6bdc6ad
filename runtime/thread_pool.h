/* thread_pool.h - runs the iterations of a loop on several threads. */
#ifndef TEC_RUNTIME_THREAD_POOL_H
#define TEC_RUNTIME_THREAD_POOL_H
#include <stdint.h>

typedef struct thread_pool thread_pool;

/* A pool in which `threads` threads work, or one for each core where that is 0, the caller of thread_pool_run included.
 * Where fewer can be started, it works with those. `spin`: microseconds for which they look for the next loop before
 * they sleep. NULL when out of memory. In a child of the process after fork() the threads are not there: the pool works
 * with the caller alone. */
thread_pool *thread_pool_create(unsigned threads, unsigned spin);
void thread_pool_destroy(thread_pool *pool);
/* Runs body(data, i) once for each 0 <= i < count and returns when all are done.
 * Iterations are handed out one by one; a loop that was short the last time is begun by the caller alone. Not for
 * bodies of a loop that is under way. */
void thread_pool_run(thread_pool *pool, int64_t count, void (*body)(void *data, int64_t i), void *data);
#endif
