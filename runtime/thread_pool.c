/* thread_pool.c - runs the iterations of a loop on several threads.
 *
 * Invariants
 *  - One loop runs at a time: a context has one thread, and bodies have no loops of their own here (host_device.c).
 *  - `next` hands out each index once, the last first: where iterations differ in length, as the rows of a causal
 *    triangle do, the later ones are the long ones, and all would wait for a long one that comes last.
 *  - A worker touches the loop's fields only between announcing itself under the lock (`inside`) and leaving, and the
 *    caller returns only when nobody is inside, so body and data outlive their use.
 *  - A worker that wakes late, after the loop is over, sees `open` false and waits for the next one.
 *  - Workers are threads of the process that started them. In another one, its child after fork(), they are not there,
 *    and the lock may be held for ever by who is not: nothing there touches lock, conditions or workers.
 *  - Nobody but who runs iterations keeps a processor busy, but for a bounded time: the caller at a loop's end, and
 *    workers after a loop, where the pool was made so.
 *
 * Waking a thread up takes a few microseconds, on a virtual machine some tens: of the caller, and then until the thread
 * runs. So a loop that was over sooner the last time is begun by the caller alone, and shared out only if that takes
 * longer than expected. This is all that the pool remembers of a loop, and concerns nothing but speed. Threads that
 * look for loops are called at no cost, and called to stay awake: there, all loops are shared out.
 *
 * Terminates: each claim moves `next` on, and claims stop at `count`. */
#include "runtime/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
  STACK_BYTES = 8 << 20,  /* kernels keep tile-sized scratch on the stack */
  LOOKS = 10000,          /* at what workers are doing, some 100 us */
  WAKES = 4,              /* a loop that is worth sharing out takes so many times as long as the call that wakes */
  MOST_WAKE_TIME = 10000, /* of that call in nanoseconds; one that took longer was disturbed */
  SHORT_LOOPS = 64,       /* loops that are remembered as short */
};

typedef void loop_body(void *data, int64_t i);

struct thread_pool {
  pthread_mutex_t lock;
  pthread_cond_t wake, left;
  bool open;                   /* under lock: a loop can be joined */
  atomic_bool stop;            /* changed under lock: no more loops */
  _Atomic uint64_t generation; /* changed under lock: loops so far */
  atomic_uint inside;          /* changed under lock: workers in the loop */
  /* The caller's. */
  int64_t wake_time;                   /* of the caller, for each loop: a running mean in nanoseconds */
  loop_body *short_loops[SHORT_LOOPS]; /* each at the place that its address chooses */
  /* The loop, constant while it runs. */
  loop_body *body;
  void *data;
  int64_t count;
  _Atomic int64_t next;
  /* Constant. */
  pid_t process; /* that started the workers */
  int64_t spin;  /* nanoseconds for which workers look for the next loop */
  unsigned num_workers;
  pthread_t workers[];
};

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Runs one iteration that nobody else runs; false: there is none left. */
static bool run_next(thread_pool *pool) {
  int64_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
  if (i >= pool->count)
    return false;
  pool->body(pool->data, pool->count - 1 - i);
  return true;
}

/* Between two looks. */
static void pause_briefly(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/* Looks for a loop after the one with that number until the pool's time for it is over. */
static void look_for_loop(thread_pool *pool, uint64_t last) {
  int64_t start = pool->spin ? nanoseconds() : 0;
  while (pool->spin && nanoseconds() - start < pool->spin && atomic_load(&pool->generation) == last &&
         !atomic_load(&pool->stop))
    pause_briefly();
}

static void *work(void *argument) {
  thread_pool *pool = argument;
  uint64_t seen = 0;
  for (;;) {
    look_for_loop(pool, seen);
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop && (!pool->open || pool->generation == seen))
      pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->stop)
      break;
    seen = pool->generation;
    atomic_fetch_add(&pool->inside, 1);
    pthread_mutex_unlock(&pool->lock);
    while (run_next(pool))
      continue;
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&pool->inside, 1) == 1)
      pthread_cond_signal(&pool->left);
    pthread_mutex_unlock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

thread_pool *thread_pool_create(unsigned threads, unsigned spin) {
  long cores = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
  unsigned wanted = cores > 0 ? (unsigned)cores - 1 : 0;
  thread_pool *pool = calloc(1, sizeof *pool + wanted * sizeof pool->workers[0]);
  if (!pool)
    return NULL;
  pool->process = getpid();
  pool->spin = (int64_t)spin * 1000;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->left, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  while (pool->num_workers < wanted && pthread_create(&pool->workers[pool->num_workers], &attributes, work, pool) == 0)
    pool->num_workers++;
  pthread_attr_destroy(&attributes);
  return pool;
}

static bool is_of_this_process(const thread_pool *pool) { return pool->process == getpid(); }

static void end_workers(thread_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->num_workers; i++)
    pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->left);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
}

void thread_pool_destroy(thread_pool *pool) {
  if (pool && is_of_this_process(pool))
    end_workers(pool);
  free(pool);
}

/* Looks for some time whether the workers are done with their last iterations: on a virtual machine it can take as long
 * to wake the caller up as to compute a tile. */
static void await_workers(thread_pool *pool) {
  for (unsigned i = 0; i < LOOKS && atomic_load_explicit(&pool->inside, memory_order_relaxed); i++)
    pause_briefly();
}

/* Calls the workers to the loop. */
static void open_loop(thread_pool *pool) {
  int64_t start = nanoseconds();
  pthread_mutex_lock(&pool->lock);
  pool->generation++;
  pool->open = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  int64_t taken = nanoseconds() - start;
  pool->wake_time += ((taken < MOST_WAKE_TIME ? taken : MOST_WAKE_TIME) - pool->wake_time) / 4;
}

/* No more workers come; waits for those that are inside. */
static void close_loop(thread_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->open = false;
  pthread_mutex_unlock(&pool->lock);
  await_workers(pool);
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&pool->inside))
    pthread_cond_wait(&pool->left, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

/* Runs iterations for so many nanoseconds. True: none is left. */
static bool run_alone(thread_pool *pool, int64_t limit) {
  int64_t start = nanoseconds();
  do {
    if (!run_next(pool))
      return true;
  } while (nanoseconds() - start < limit);
  return atomic_load_explicit(&pool->next, memory_order_relaxed) >= pool->count;
}

static void run_loop(thread_pool *pool) {
  loop_body **place = &pool->short_loops[(uintptr_t)pool->body / 16 % SHORT_LOOPS];
  int64_t limit = WAKES * pool->wake_time, own = 0;
  if (!pool->spin && *place == pool->body && run_alone(pool, limit))
    return;
  if (!is_of_this_process(pool)) {
    while (run_next(pool))
      continue;
    return;
  }
  open_loop(pool);
  int64_t start = nanoseconds();
  while (run_next(pool))
    own++;
  int64_t taken = nanoseconds() - start;
  close_loop(pool);
  bool is_short = own == 0 || (double)taken / (double)own * (double)pool->count < (double)limit;
  *place = is_short ? pool->body : NULL;
}

void thread_pool_run(thread_pool *pool, int64_t count, loop_body *body, void *data) {
  if (count <= 1 || pool->num_workers == 0) {
    for (int64_t i = 0; i < count; i++)
      body(data, i);
    return;
  }
  pool->body = body;
  pool->data = data;
  pool->count = count;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  run_loop(pool);
}
