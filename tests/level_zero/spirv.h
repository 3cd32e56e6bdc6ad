/* spirv.h - runs SPIR-V kernels on the CPU: an exact and suspicious device, to prove kernels where there is no GPU.
 *
 * It knows the instructions of spirv_op.def, those of OpenCL's set in spirv_extended.def and the imported functions in
 * spirv_matrix.c; a module with anything else is refused when it is loaded. Sub-groups run in lockstep as far as their
 * control flow agrees. A launch ends with an error that names instruction, work-item and work-group at the first access
 * out of bounds or misaligned, read of local memory that nobody wrote, race on local memory, division by zero, or
 * barrier or sub-group operation that not all work-items reach.
 *
 * What is exact: integers, conversions, add, subtract, multiply, fma, divide and sqrt. Other functions are those of the
 * C library. Matrix instructions add products to the accumulator in f32, one after the other in the order of k. */
#ifndef TEC_TESTS_SPIRV_H
#define TEC_TESTS_SPIRV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIRV_MAX_LANES = 32, SPIRV_MAX_GROUP = 1024 };

typedef struct spirv_module spirv_module;

/* One sentence without newline. */
typedef struct spirv_message {
  char text[600];
} spirv_message;

/* What a chip has. */
typedef struct spirv_chip {
  unsigned default_lanes; /* of a sub-group, where the kernel does not say */
  unsigned matrix_lanes;  /* of a sub-group that multiplies matrices; 0: there is no matrix unit */
  bool has_block_io;      /* reads and writes two-dimensional blocks */
  size_t local_bytes;     /* of a work-group */
} spirv_chip;

typedef struct spirv_parameter {
  bool is_pointer;
  size_t size; /* bytes */
} spirv_parameter;

typedef struct spirv_kernel {
  const char *name;
  uint32_t local_size[3]; /* zeros: any */
  unsigned lanes;         /* of a sub-group */
  size_t local_bytes;
  unsigned num_parameters;
  const spirv_parameter *parameters;
} spirv_kernel;

/* Copies and decodes a module; NULL after a message. */
spirv_module *spirv_load(const void *code, size_t size, const spirv_chip *chip, spirv_message *message);
void spirv_free(spirv_module *module);
/* Kernel `number`, which belongs to the module; NULL if there are not that many. */
const spirv_kernel *spirv_kernel_at(const spirv_module *module, unsigned number);

/* Memory that kernels may access; its device address is its host address. */
typedef struct spirv_buffer {
  void *base;
  size_t size; /* bytes */
} spirv_buffer;

typedef struct spirv_launch {
  const spirv_kernel *kernel;
  uint32_t groups[3], local_size[3];
  const void *const *arguments; /* each of its parameter's size */
  const spirv_buffer *buffers;  /* not overlapping */
  size_t num_buffers;
  uint64_t budget; /* instructions of sub-groups that may be executed; 0: 2^32 */
} spirv_launch;

/* Runs a kernel to its end; false after a message. */
bool spirv_run(const spirv_module *module, const spirv_launch *launch, spirv_message *message);
#endif
