/* tensors.h - tensors on the command line: lists of .npy files, random data, comparison. */
#ifndef TEC_TOOLS_TENSORS_H
#define TEC_TOOLS_TENSORS_H
#include "runtime/tec.h"

#include <stdio.h>

/* Reads a comma-separated list of exactly `count` .npy files. On failure `tensors` holds those read so far. */
tec_status tensors_read(tec_context *context, const char *list, uint32_t count, DLManagedTensor **tensors);
/* Writes the tensors to the files of the list, of which there may be fewer; none unless all can be made. */
tec_status tensors_write(tec_context *context, const char *list, uint32_t count, DLManagedTensor *const *tensors);
/* Does one of the list stand for standard output? */
bool tensors_to_stdout(const char *list);
/* Floats: normal with deviation 2. Integers: 0 to 7. A seed always gives the same tensor. An error when an extent of the type is
 * unknown. */
tec_status tensor_random(tec_context *context, const tec_type *type, uint64_t seed, DLManagedTensor **tensor);

typedef struct tensor_error {
  double largest_absolute; /* of the differences; infinite where one side is NaN or infinite and the other differs */
  double largest_value;    /* of the finite expected magnitudes */
} tensor_error;

/* An error when the shapes differ. */
tec_status tensor_compare(tec_context *context, const DLTensor *got, const DLTensor *expected, tensor_error *error);
/* Prints `before`, the element type and the shape: "f32[8, 1024, 64]". */
void tensor_describe(FILE *file, const char *before, const DLTensor *tensor);
/* The cores of this machine that are switched on. */
unsigned tensors_cores(void);
#endif
