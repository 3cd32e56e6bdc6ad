/* host_abi.h - how a host kernel is called. Plain C11 and C++, no dependencies: an emitted header repeats it, so that
 * an emitted object links into programs that have neither our runtime nor LLVM. */
#ifndef TEC_HOST_ABI_H
#define TEC_HOST_ABI_H
#include <stddef.h>
#include <stdint.h>

typedef struct tec_host_env {
  void *context;
  /* Runs body(data, i) once for each 0 <= i < count, in any order, perhaps at once; returns when all are done. Where
   * bodies differ in length, as under causal masks, the later ones are the longer. May be called from within a body,
   * where the program calls a function in a loop. */
  void (*parallel_for)(void *context, int64_t count, void (*body)(void *data, int64_t index), void *data);
  /* Scratch memory, 64-byte aligned, or NULL when there is none. May be called from the bodies of parallel_for. */
  void *(*allocate)(void *context, size_t size);
  void (*release)(void *context, void *memory);
} tec_host_env;

/* data: a pointer a tensor or scalar argument, then one a result; row-major. dims: the extents of all tensor arguments,
 * then of all results, static ones included. Returns 0, or 1 when `allocate` gave NULL or extents differ from the types
 * of the function, or 3 when the system does not let the process use the matrix unit that the code is for (results are
 * then undefined). */
typedef int32_t (*tec_host_kernel)(void *const *data, const int64_t *dims, const tec_host_env *env);
/* The extents of the results, from those of the arguments. Of `data`, as above, only integer scalars are read, which
 * may be positions in tensors. Returns 0 or, when the arguments do not fit together, the line of the program's text
 * where they do not, INT32_MAX if there is none; the extents are then undefined. */
typedef int32_t (*tec_host_shapes)(const int64_t *dims, int64_t *result_dims, void *const *data);
#endif
