/* main.c - calls an emitted object through its header, in the language common to C11 and C++11: numbers against double
 * precision for several extents, extents that do not fit, an environment of the caller's, memory that runs out, and a
 * cache that is updated in place.
 *
 * The header comes first: it must need nothing before it. */
#include "kernels.h"
#include "kernels.h" /* a second time does no harm */

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 24, WIDTH = 20, MAX_ROWS = 300 };

typedef struct problem {
  float query[MAX_ROWS * DEPTH], key[MAX_ROWS * DEPTH], value[MAX_ROWS * WIDTH], result[MAX_ROWS * WIDTH];
} problem;

/* An environment that keeps count; allocation number `refused` fails. */
typedef struct environment {
  int64_t allocations, live, refused, bodies;
} environment;

static void for_backwards(void *context, int64_t count, void (*body)(void *data, int64_t index), void *data) {
  ((environment *)context)->bodies += count;
  while (count-- > 0)
    body(data, count);
}

static void *allocate(void *context, size_t size) {
  environment *counts = (environment *)context;
  if (counts->allocations++ == counts->refused)
    return NULL;
  counts->live++;
  return aligned_alloc(64, (size / 64 + 1) * 64);
}

static void release(void *context, void *memory) {
  if (memory)
    ((environment *)context)->live--;
  free(memory);
}

/* Values in -4 .. 4, so that some weights are close to 1. */
static void fill(float *numbers, int count, uint32_t seed) {
  for (int i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (float)(seed >> 8) / (float)(1 << 21) - 4;
  }
}

static double largest_error(const problem *given, int64_t queries, int64_t keys, double scale) {
  double largest = 0;
  for (int64_t i = 0; i < queries; i++) {
    double weights[MAX_ROWS], sum = 0, maximum = -INFINITY;
    for (int64_t j = 0; j < keys; j++) {
      weights[j] = 0;
      for (int k = 0; k < DEPTH; k++)
        weights[j] += (double)given->query[i * DEPTH + k] * (double)given->key[j * DEPTH + k] * scale;
      maximum = fmax(maximum, weights[j]);
    }
    for (int64_t j = 0; j < keys; j++)
      sum += weights[j] = exp(weights[j] - maximum);
    for (int k = 0; k < WIDTH; k++) {
      double expected = 0;
      for (int64_t j = 0; j < keys; j++)
        expected += weights[j] / sum * (double)given->value[j * WIDTH + k];
      double error = fabs(expected - (double)given->result[i * WIDTH + k]);
      if (!(error <= largest))
        largest = error; /* NaN is an error too */
    }
  }
  return largest;
}

static int check_attention(problem *given, int64_t queries, int64_t keys) {
  environment counts = {0, 0, -1, 0};
  tec_host_env env = {&counts, for_backwards, allocate, release};
  const float scale = 0.5f;
  for (int own = 0; own < 2; own++) {
    memset(given->result, 0xff, sizeof given->result);
    if (attention_call(given->query, queries, given->key, keys, given->value, keys, scale, given->result, queries,
                       own ? &env : NULL))
      return printf("attention of %d x %d fails\n", (int)queries, (int)keys), 1;
    double error = largest_error(given, queries, keys, (double)scale);
    if (!(error < 2e-5))
      return printf("attention of %d x %d: error %g\n", (int)queries, (int)keys, error), 1;
  }
  if (queries == MAX_ROWS && !counts.bodies) /* so many are several tiles */
    return printf("the caller's parallel_for is not asked\n"), 1;
  if (counts.live)
    return printf("%d allocations stay\n", (int)counts.live), 1;
  for (int64_t refused = 0, all = counts.allocations; refused < all; refused++) {
    environment few = {0, 0, refused, 0};
    env.context = &few;
    int32_t status = attention_call(given->query, queries, given->key, keys, given->value, keys, scale, given->result,
                                    queries, &env);
    if (status != 1 || few.live)
      return printf("without allocation %d: %d\n", (int)refused, (int)status), 1;
  }
  return 0;
}

static int check_extents(problem *given) {
  memset(given->result, 0, sizeof given->result);
  int wrong = attention_call(given->query, 3, given->key, 5, given->value, 6, 1, given->result, 3, NULL) != 2 ||
              attention_call(given->query, 3, given->key, 5, given->value, 5, 1, given->result, 4, NULL) != 2;
  for (int i = 0; i < MAX_ROWS * WIDTH; i++)
    wrong |= given->result[i] != 0;
  if (wrong)
    printf("extents that do not fit are not refused\n");
  return wrong;
}

static int check_extremes(void) {
  const double x[3 * 2] = {0.25, -1, 2, 1, 0.75, 0.5};
  double rows[3];
  int32_t count;
  int wrong = extremes_call(x, 3, 2, 40, rows, 3, &count, NULL);
  wrong |= rows[0] != 0.25 || rows[1] != 2 || rows[2] != 0.75 || count != 42;
  wrong |= extremes_call(x, 0, 2, 40, rows, 0, &count, NULL) || count != 40;
  if (wrong)
    printf("extremes: %g %g %g, %d\n", rows[0], rows[1], rows[2], (int)count);
  return wrong;
}

/* Rows of a cache that is updated in place; positions outside of it change nothing. */
static int check_append(void) {
  const float rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9, 9, 9}};
  float cache[2 * 4] = {0}, sum[4] = {0};
  int wrong = append_call(rows[0], cache, 2, 0, sum, NULL) || append_call(rows[1], cache, 2, 1, sum, NULL);
  wrong |= append_call(rows[2], cache, 2, 2, sum, NULL) != 2 || append_call(rows[2], cache, 2, -1, sum, NULL) != 2;
  for (int i = 0; i < 4; i++)
    wrong |= cache[i] != rows[0][i] || cache[4 + i] != rows[1][i] || sum[i] != rows[0][i] + rows[1][i];
  if (wrong)
    printf("append: %g %g\n", (double)cache[0], (double)sum[0]);
  return wrong;
}

int main(void) {
  static problem given;
  fill(given.query, MAX_ROWS * DEPTH, 1);
  fill(given.key, MAX_ROWS * DEPTH, 2);
  fill(given.value, MAX_ROWS * WIDTH, 3);
  int wrong = check_attention(&given, 1, 1) | check_attention(&given, 37, 53) | check_attention(&given, 130, 257) |
              check_attention(&given, MAX_ROWS, 1) | check_attention(&given, 0, 7);
  wrong |= check_extents(&given) | check_extremes() | check_append();
  return wrong;
}
