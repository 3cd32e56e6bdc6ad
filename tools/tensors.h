/* tensors.h - tensors on the command line: lists of .npy files, random data. */
#ifndef TEC_TOOLS_TENSORS_H
#define TEC_TOOLS_TENSORS_H
#include "runtime/tec.h"

#include <stdio.h>

/* Reads a comma-separated list of exactly `count` .npy files. On failure `tensors` holds those read so far. */
tec_status tensors_read(tec_context *context, const char *list, uint32_t count, DLManagedTensor **tensors);
/* Writes a tensor to each file of the list; all or none, as tec_files_write. */
tec_status tensors_write(tec_context *context, const char *list, DLManagedTensor *const *tensors);
/* The files that a list names; 0 for NULL. */
uint32_t tensors_count(const char *list);
/* Does one of the list stand for standard output? */
bool tensors_to_stdout(const char *list);
/* Where random tensors come from. */
typedef struct tensor_source {
  uint64_t seed;
  const uint64_t *extents; /* for the open extents of the types, in order; a single one stands for all, none for 100 */
  uint32_t num_extents;
} tensor_source;

/* One tensor a type. Floats: normal with deviation 2. Integers: 0 to 7. A seed always gives the same tensors. On
 * failure `tensors` holds those made so far. */
tec_status tensors_random(tec_context *context, const tensor_source *source, uint32_t count, const tec_type *types,
                          DLManagedTensor **tensors);

/* Prints `before`, the element type and the shape: "f32[8, 1024, 64]". */
void tensor_describe(FILE *file, const char *before, const DLTensor *tensor);
/* The cores of this machine that are switched on. */
unsigned tensors_cores(void);
#endif
