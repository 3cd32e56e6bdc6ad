/* ptx.h - runs PTX text on the CPU: an exact and suspicious device, to prove kernels where there is no GPU.
 *
 * It knows the subset of PTX that LLVM emits for our kernels (the table in ptx_op.def); everything else is refused when
 * a module is loaded. A launch checks every access (bounds, alignment, races on shared memory) and ends with an error
 * that names the instruction, the thread and the block. Nothing here depends on the compiler.
 *
 * What is exact: integers, conversions, add, sub, mul, fma, div, rcp and sqrt in each rounding that is accepted, f16
 * and bf16 arithmetic. The .approx functions are computed in double and rounded to nearest. mma multiplies exactly and
 * adds to the accumulator in f32, one product after the other in the order of k, and so does wgmma; integer mma is
 * exact.
 *
 * Errors go to a message as one sentence without newline; the status is TEC_INVALID (the text, the launch or the kernel
 * is wrong) or TEC_OUT_OF_MEMORY. */
#ifndef TEC_RUNTIME_PTX_H
#define TEC_RUNTIME_PTX_H
#include "runtime/runtime.h"

typedef struct ptx_module ptx_module;

typedef struct ptx_message {
  char text[1000];
} ptx_message;

/* Parses and decodes a module; the text is copied. On success *module is the caller's to free. A module holds its
 * .global variables, which launches change: one launch at a time. */
tec_status ptx_module_load(const char *text, size_t size, ptx_module **module, ptx_message *message);
void ptx_module_free(ptx_module *module);

/* A range of host memory that kernels may access; its device address is its host address. */
typedef struct ptx_buffer {
  void *base;
  size_t size; /* bytes */
  bool read_only;
} ptx_buffer;

/* One kernel argument, in the order of the .param declarations; `size` must be the parameter's. */
typedef struct ptx_argument {
  const void *value;
  size_t size; /* bytes */
} ptx_argument;

typedef struct ptx_launch_options {
  const char *kernel;
  uint32_t grid[3], block[3]; /* extents, x first */
  size_t dynamic_shared_bytes;
  const ptx_argument *arguments;
  size_t num_arguments;
  const ptx_buffer *buffers; /* in any order, not overlapping */
  size_t num_buffers;
  unsigned threads;          /* of the host, each running blocks; 0: one for each core */
  uint64_t budget;           /* warp instructions that the launch may execute; 0: 2^29, which is also the most */
  bool refuse_uninitialised; /* reading shared memory that nobody wrote is an error */
} ptx_launch_options;

/* What an instruction of the text did in a launch. */
typedef struct ptx_line {
  uint32_t line;                         /* of the text, from 1 */
  uint64_t executions, lanes;            /* by warps; by threads */
  uint64_t wavefronts, wavefronts_ideal; /* passes through the banks of shared memory; without conflicts */
  uint64_t sectors, sectors_ideal;       /* of 32 bytes in global memory; if the same bytes were contiguous */
} ptx_line;

/* Sums over a launch, then the instructions in the order of the text. */
typedef struct ptx_report {
  uint64_t blocks, barriers; /* barriers: completed */
  ptx_line total;
  ptx_line *lines;
  size_t num_lines;
} ptx_report;

/* Runs a kernel to its end. `report` may be NULL; otherwise it is filled on success and is then the caller's to
 * release. After an error memory holds what the threads wrote until then. */
tec_status ptx_launch(ptx_module *module, const ptx_launch_options *options, ptx_report *report, ptx_message *message);
void ptx_report_release(ptx_report *report);
/* Appends the report as text: totals, the instructions by kind, and the lines with bank conflicts or excess sectors. */
void ptx_report_print(const ptx_module *module, const ptx_report *report, byte_buffer *out);
#endif
