/* alignment.h - which powers of two divide subscripts, strides and addresses, as far as it is known before a kernel
 * runs. */
#ifndef TEC_PASSES_ALIGNMENT_H
#define TEC_PASSES_ALIGNMENT_H
#include "ir/build.h"

enum { ALIGNMENT_MOST = 64 /* a line of a cache, in bytes: more is of no use */ };

/* The largest power of two up to `most` that divides a number. */
static inline int64_t alignment_power(int64_t number, int64_t most) {
  int64_t power = 1;
  while (power < most && number % (2 * power) == 0)
    power *= 2;
  return power;
}
/* What divides an index. */
int64_t alignment_of_index(ir_index x);
/* What divides the distance, in elements, between neighbours along a dim of a memref. */
int64_t alignment_of_stride(const ir_value *memref, unsigned dim);
/* What divides the extent of a dim of a memref. */
int64_t alignment_of_extent(const ir_value *memref, unsigned dim);
/* What divides the address of a memref's first element, in bytes, where memory that is no view begins at a multiple of
 * `root` bytes. */
int64_t alignment_of_memref(const ir_value *memref, int64_t root);
#endif
