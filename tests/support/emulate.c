/* emulate.c - see emulate.h. */
#include "tests/support/emulate.h"

#include "backend/backend.h"
#include "runtime/routine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A tensor as devices have it: packed elements. */
static void *pack(const ir_tensor *tensor, size_t *bytes) {
  int64_t count = 1;
  unsigned size = ir_scalar_bits(tensor->element) / 8;
  for (unsigned i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  *bytes = (size_t)count * size;
  unsigned char *data = aligned_alloc(256, (*bytes + 256) / 256 * 256);
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = ir_scalar_is_float(tensor->element) ? ir_float_to_bits(tensor->element, tensor->cells[i].f)
                                                        : (uint64_t)tensor->cells[i].i;
    memcpy(data + i * size, &bits, size);
  }
  return data;
}

static void unpack(const void *data, ir_tensor *tensor) {
  int64_t count = 1;
  unsigned size = ir_scalar_bits(tensor->element) / 8;
  for (unsigned i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)data + i * size, size);
    if (ir_scalar_is_float(tensor->element))
      tensor->cells[i].f = ir_float_from_bits(tensor->element, bits);
    else
      tensor->cells[i].i = ir_scalar_wrap(tensor->element, (int64_t)bits);
  }
}

/* Runs one launch on buffers that are the tensors. */
static void run_launch(ptx_module *ptx, const program_launch *launch, const int64_t *values, unsigned count,
                       const ptx_buffer *buffers, const char *what, ptx_report *sum) {
  ptx_argument arguments[32];
  uint64_t words[32];
  ptx_message message = {""};
  for (uint32_t i = 0; i < launch->num_arguments; i++) {
    const program_argument *from = &launch->arguments[i];
    words[i] = (uint64_t)values[from->value];
    if (from->kind == PROGRAM_TENSOR)
      words[i] += (uint64_t)(uintptr_t)buffers[from->tensor].base;
    arguments[i] = (ptx_argument){&words[i], 8};
  }
  ptx_launch_options options = {.kernel = launch->kernel,
                                .dynamic_shared_bytes = launch->shared_bytes,
                                .arguments = arguments,
                                .num_arguments = launch->num_arguments,
                                .buffers = buffers,
                                .num_buffers = count,
                                .threads = 1,
                                .refuse_uninitialised = true};
  for (unsigned i = 0; i < 3; i++) {
    options.grid[i] = (uint32_t)values[launch->grid[i]];
    options.block[i] = launch->block[i];
  }
  ptx_report report;
  cr_assert(ptx_launch(ptx, &options, &report, &message) == TEC_OK, "%s: %s", what, message.text);
  sum->blocks += report.blocks;
  sum->barriers += report.barriers;
  sum->total.executions += report.total.executions;
  sum->total.lanes += report.total.lanes;
  sum->total.wavefronts += report.total.wavefronts;
  sum->total.wavefronts_ideal += report.total.wavefronts_ideal;
  sum->total.sectors += report.total.sectors;
  sum->total.sectors_ideal += report.total.sectors_ideal;
  ptx_report_release(&report);
}

ptx_report emulate(ir_module *module, const target_facts *facts, unsigned count, ir_tensor *tensors, const char *what) {
  char *code;
  size_t size;
  unsigned num_routines;
  const backend_routine *routines;
  ptx_module *ptx;
  ptx_message message = {""};
  ptx_buffer buffers[EMULATE_MAX_TENSORS];
  int64_t extents[64];
  unsigned num_extents = 0;
  cr_assert(backend_emit_kernels(module, facts, BACKEND_ASSEMBLY, &code, &size, &num_routines, &routines), "%s", what);
  cr_assert(ptx_module_load(code, size, &ptx, &message) == TEC_OK, "%s: %s\n%s", what, message.text, code);
  for (unsigned i = 0; i < count; i++) {
    size_t bytes;
    void *base = pack(&tensors[i], &bytes);
    buffers[i] = (ptx_buffer){.base = base, .size = bytes};
    for (unsigned dim = 0; dim < tensors[i].rank; dim++)
      extents[num_extents++] = tensors[i].shape[dim];
  }
  const program_routine *routine = &routines[0].routine;
  int64_t *values = calloc(routine->num_values + 1, sizeof *values);
  routine_evaluate(routine, extents, NULL, values);
  ptx_report sum = {0};
  for (uint32_t i = 0; i < routine->num_launches; i++)
    run_launch(ptx, &routine->launches[i], values, count, buffers, what, &sum);
  for (unsigned i = 0; i < count; i++) {
    unpack(buffers[i].base, &tensors[i]);
    free(buffers[i].base);
  }
  free(values);
  ptx_module_free(ptx);
  free(code);
  return sum;
}
