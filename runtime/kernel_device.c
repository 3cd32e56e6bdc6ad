/* kernel_device.c - runs the routines of GPU programs on any device that launches kernels.
 *
 * Tensors in the device's own memory are used in place. Those in host memory get a block there each, are copied in and,
 * when they are written, out. Blocks are kept for the next call that needs the same sizes. Each tensor has a block of
 * its own, so that a device which checks bounds sees an access that leaves its tensor. */
#include "runtime/kernel_device.h"
#include "runtime/routine.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GRID_X = INT32_MAX, MAX_GRID_YZ = 65535 };

typedef struct memory_block {
  uint64_t address;
  size_t size; /* 0: there is none */
} memory_block;

/* A program on a device: what `loaded` is. */
typedef struct kernel_program {
  const kernel_driver *driver;
  void *session;
  void ***kernels; /* of each launch of each entry point; NULL behind the last that was found */
  unsigned num_entries;
  memory_block *blocks; /* of argument and result i of any entry point; the last: the workspace */
  uint32_t num_blocks;
} kernel_program;

/* --------------------------------------------------------------------------------------------------------- loading */

static tec_status enter(const kernel_program *loaded) {
  return loaded->driver->enter ? loaded->driver->enter(loaded->session) : TEC_OK;
}

static void leave(const kernel_program *loaded) {
  if (loaded->driver->leave)
    loaded->driver->leave(loaded->session);
}

tec_status kernel_check_group(tec_context *context, const program_launch *launch, const char *device,
                              uint64_t most_items, uint64_t local_bytes, uint64_t most_local_bytes) {
  uint64_t items = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
  if (launch->shared_bytes)
    return runtime_error(context, TEC_INVALID, "kernel '%s' asks for local memory at launch", launch->kernel);
  if (items > most_items)
    return runtime_error(context, TEC_INVALID, "kernel '%s' needs work-groups of %llu; '%s' has %llu", launch->kernel,
                         (unsigned long long)items, device, (unsigned long long)most_items);
  if (local_bytes > most_local_bytes)
    return runtime_error(context, TEC_INVALID,
                         "kernel '%s' needs %llu bytes of local memory a work-group; '%s' has %llu", launch->kernel,
                         (unsigned long long)local_bytes, device, (unsigned long long)most_local_bytes);
  return TEC_OK;
}

static tec_status find_kernels(tec_program *program, kernel_program *loaded) {
  for (unsigned i = 0; i < program->num_entries; i++) {
    const program_routine *routine = &program->routines[i];
    loaded->kernels[i] = calloc((size_t)routine->num_launches + 1, sizeof(void *));
    if (!loaded->kernels[i])
      return runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
    for (uint32_t k = 0; k < routine->num_launches && loaded->driver->find; k++) {
      tec_status status = loaded->driver->find(loaded->session, &routine->launches[k], &loaded->kernels[i][k]);
      if (status)
        return status;
    }
  }
  return TEC_OK;
}

static void kernel_unload(void *pointer) {
  kernel_program *loaded = pointer;
  /* Closing the session is the last use of the device; blocks and kernels must go before. */
  bool entered = false;
  for (uint32_t i = 0; loaded->blocks && i < loaded->num_blocks; i++) {
    if (!loaded->blocks[i].size)
      continue;
    if (!entered && enter(loaded))
      break;
    entered = true;
    loaded->driver->release(loaded->session, loaded->blocks[i].address);
  }
  if (entered)
    leave(loaded);
  for (unsigned i = 0; loaded->kernels && i < loaded->num_entries; i++) {
    for (void **kernel = loaded->kernels[i]; loaded->driver->forget && kernel && *kernel; kernel++)
      loaded->driver->forget(loaded->session, *kernel);
    free(loaded->kernels[i]);
  }
  if (loaded->session)
    loaded->driver->close(loaded->session);
  free(loaded->session);
  free(loaded->kernels);
  free(loaded->blocks);
  free(loaded);
}

static tec_status kernel_load(tec_program *program, void **out) {
  tec_context *context = program->context;
  if (!program->routines)
    return runtime_error(context, TEC_INVALID, "the program for '%s' has no launches of kernels", program->target);
  uint32_t most = 0;
  for (unsigned i = 0; i < program->num_entries; i++) {
    uint32_t count = program->entries[i].num_arguments + program->entries[i].num_results;
    if (count > most)
      most = count;
  }
  kernel_program *loaded = calloc(1, sizeof *loaded);
  if (!loaded)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  loaded->driver = program->device->driver;
  loaded->num_entries = program->num_entries;
  loaded->num_blocks = most + 1;
  loaded->kernels = calloc((size_t)program->num_entries + 1, sizeof *loaded->kernels);
  loaded->blocks = calloc(loaded->num_blocks, sizeof *loaded->blocks);
  loaded->session = calloc(1, loaded->driver->session_bytes);
  tec_status status = TEC_OK;
  if (!loaded->kernels || !loaded->blocks || !loaded->session) {
    status = runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  } else {
    *(tec_context **)loaded->session = context;
    status = loaded->driver->open(loaded->session, program->code, program->code_size);
  }
  if (!status)
    status = enter(loaded);
  if (!status) {
    status = find_kernels(program, loaded);
    leave(loaded);
  }
  if (status)
    kernel_unload(loaded);
  else
    *out = loaded;
  return status;
}

/* --------------------------------------------------------------------------------------------------------- calling */

/* A call on its way. */
typedef struct kernel_call {
  tec_program *program;
  kernel_program *loaded;
  const tec_entry *entry;
  const program_routine *routine;
  void **kernels;
  const DLTensor **tensors; /* arguments, then results */
  uint64_t *addresses;      /* of the tensors on the device */
  uint64_t *scalars;        /* the values of scalar arguments */
  int64_t *extents, *integers, *values;
  uint64_t workspace;
  bool staged; /* some tensor is in host memory */
} kernel_call;

static size_t tensor_bytes(const DLTensor *tensor) {
  return (size_t)runtime_num_elements(tensor->dtype, tensor->ndim, tensor->shape) * (tensor->dtype.bits / 8);
}

static bool is_on_device(const kernel_call *call, const DLTensor *tensor) {
  return tensor->device.device_type != kDLCPU && tensor->device.device_type == call->loaded->driver->memory;
}

/* Block `number`, of `size` bytes at least 1. */
static tec_status provide_block(kernel_call *call, uint32_t number, size_t size, uint64_t *address) {
  memory_block *block = &call->loaded->blocks[number];
  if (!size)
    size = 1;
  if (block->size != size) {
    if (block->size)
      call->loaded->driver->release(call->loaded->session, block->address);
    block->size = 0;
    tec_status status = call->loaded->driver->allocate(call->loaded->session, size, &block->address);
    if (status)
      return status;
    block->size = size;
  }
  *address = block->address;
  return TEC_OK;
}

static tec_status fetch_scalars(kernel_call *call) {
  for (uint32_t i = 0; i < call->entry->num_arguments; i++) {
    const tec_type *type = &call->entry->arguments[i];
    if (type->kind != TEC_KIND_SCALAR)
      continue;
    const void *data = runtime_tensor_data(call->tensors[i]);
    size_t bytes = tensor_bytes(call->tensors[i]);
    tec_status status = TEC_OK;
    if (is_on_device(call, call->tensors[i]))
      status = call->loaded->driver->copy_out(call->loaded->session, &call->scalars[i], (uintptr_t)data, bytes);
    else
      memcpy(&call->scalars[i], data, bytes);
    if (status)
      return status;
    if (!runtime_dtype_is_float(type->dtype))
      call->integers[i] = runtime_load_int(type->dtype, &call->scalars[i]);
  }
  return TEC_OK;
}

static tec_status prepare_sizes(kernel_call *call, DLManagedTensor **results) {
  const program_routine *routine = call->routine;
  tec_context *context = call->program->context;
  int64_t *next = call->extents;
  for (uint32_t i = 0; i < call->entry->num_arguments; i++)
    for (int32_t d = 0; d < call->tensors[i]->ndim; d++)
      *next++ = call->tensors[i]->shape[d];
  routine_evaluate(routine, call->extents, call->integers, call->values);
  int64_t misfit = call->values[routine->misfit];
  if (misfit)
    return call_misfit(call->program, call->entry, misfit);
  /* The extents of the arguments are no longer needed. */
  for (uint32_t i = 0; i < routine->num_extents; i++) {
    call->extents[i] = call->values[routine->extents[i]];
    if (call->extents[i] < 0)
      return runtime_error(context, TEC_INVALID, "the results of '%s' are too large", call->entry->name);
  }
  const int64_t *shape = call->extents;
  for (uint32_t i = 0; i < call->entry->num_results; i++) {
    tec_status status = call_result(call->program, call->entry, i, shape, &results[i]);
    if (status)
      return status;
    call->tensors[call->entry->num_arguments + i] = &results[i]->dl_tensor;
    shape += call->entry->results[i].ndim;
  }
  return TEC_OK;
}

/* Gives a tensor its address. */
static tec_status prepare_tensor(kernel_call *call, uint32_t i) {
  const DLTensor *tensor = call->tensors[i];
  const kernel_driver *driver = call->loaded->driver;
  void *session = call->loaded->session;
  size_t bytes = tensor_bytes(tensor);
  bool is_argument = i < call->entry->num_arguments, in_place = is_on_device(call, tensor);
  if (is_argument && call->entry->arguments[i].kind == TEC_KIND_SCALAR)
    return TEC_OK;
  if (in_place) {
    call->addresses[i] = (uintptr_t)runtime_tensor_data(tensor);
    return TEC_OK;
  }
  call->staged = true;
  tec_status status = provide_block(call, i, bytes, &call->addresses[i]);
  if (status || !is_argument || !bytes)
    return status;
  return driver->copy_in(session, call->addresses[i], runtime_tensor_data(tensor), bytes);
}

static tec_status prepare_memory(kernel_call *call) {
  uint32_t count = call->entry->num_arguments + call->entry->num_results;
  for (uint32_t i = 0; i < count; i++) {
    tec_status status = prepare_tensor(call, i);
    if (status)
      return status;
  }
  int64_t bytes = call->values[call->routine->workspace_bytes];
  if (bytes < 0)
    return runtime_error(call->program->context, TEC_OUT_OF_MEMORY, "the workspace of '%s' is too large",
                         call->entry->name);
  call->program->scratch_bytes = (size_t)bytes;
  if (!bytes)
    return TEC_OK;
  return provide_block(call, call->loaded->num_blocks - 1, (size_t)bytes, &call->workspace);
}

/* The value of one argument of a kernel, its lowest `size` bytes. */
static tec_status argument_value(const kernel_call *call, const program_argument *argument, uint64_t *value,
                                 size_t *size) {
  *size = sizeof *value;
  if (argument->kind == PROGRAM_SCALAR) {
    *value = call->scalars[argument->tensor];
    *size = call->entry->arguments[argument->tensor].dtype.bits / 8;
    return TEC_OK;
  }
  int64_t number = call->values[argument->value];
  if (number == PROGRAM_UNDEFINED)
    return runtime_error(call->program->context, TEC_INVALID, "a size in '%s' is too large", call->entry->name);
  *value = (uint64_t)number;
  if (argument->kind == PROGRAM_TENSOR)
    *value += call->addresses[argument->tensor];
  if (argument->kind == PROGRAM_WORKSPACE)
    *value += call->workspace;
  return TEC_OK;
}

/* The grid of a launch; *empty: there is nothing to do. */
static tec_status launch_grid(const kernel_call *call, const program_launch *launch, uint32_t *grid, bool *empty) {
  *empty = false;
  for (unsigned k = 0; k < 3; k++) {
    int64_t extent = call->values[launch->grid[k]];
    if (extent < 0 || extent > (k ? MAX_GRID_YZ : MAX_GRID_X))
      return runtime_error(call->program->context, TEC_INVALID, "the grid of kernel '%s' is too large", launch->kernel);
    grid[k] = (uint32_t)extent;
    *empty |= !extent;
  }
  return TEC_OK;
}

static tec_status run_launch(const kernel_call *call, uint32_t number) {
  const program_launch *launch = &call->routine->launches[number];
  kernel_launch ready = {.name = launch->kernel,
                         .kernel = call->kernels[number],
                         .block = {launch->block[0], launch->block[1], launch->block[2]},
                         .shared_bytes = launch->shared_bytes,
                         .num_arguments = launch->num_arguments,
                         .arguments = launch->arguments};
  bool empty;
  tec_status status = launch_grid(call, launch, ready.grid, &empty);
  if (status || empty)
    return status;
  uint64_t *numbers = calloc((size_t)launch->num_arguments + 1, sizeof *numbers);
  size_t *sizes = calloc((size_t)launch->num_arguments + 1, sizeof *sizes);
  ready.values = calloc((size_t)launch->num_arguments + 1, sizeof *ready.values);
  ready.sizes = sizes;
  if (!numbers || !sizes || !ready.values)
    status = runtime_error(call->program->context, TEC_OUT_OF_MEMORY, "out of memory");
  for (uint32_t i = 0; i < launch->num_arguments && !status; i++) {
    status = argument_value(call, &launch->arguments[i], &numbers[i], &sizes[i]);
    ready.values[i] = &numbers[i];
  }
  if (!status)
    status = call->loaded->driver->launch(call->loaded->session, &ready);
  free(numbers);
  free(sizes);
  free(ready.values);
  return status;
}

static tec_status run_launches(kernel_call *call) {
  const kernel_driver *driver = call->loaded->driver;
  void *session = call->loaded->session;
  bool waits = driver->start && (call->staged || !call->program->context->asynchronous);
  call->program->device_seconds = 0;
  tec_status status = waits ? driver->start(session) : TEC_OK;
  for (uint32_t i = 0; i < call->routine->num_launches && !status; i++)
    status = run_launch(call, i);
  if (!status && waits)
    status = driver->finish(session, &call->program->device_seconds);
  return status;
}

static tec_status copy_results(kernel_call *call) {
  uint32_t count = call->entry->num_arguments + call->entry->num_results;
  for (uint32_t i = 0; i < count; i++) {
    const DLTensor *tensor = call->tensors[i];
    bool written = i >= call->entry->num_arguments || call->entry->arguments[i].kind == TEC_KIND_BUFFER;
    size_t bytes = tensor_bytes(tensor);
    if (!written || !bytes || is_on_device(call, tensor))
      continue;
    tec_status status =
        call->loaded->driver->copy_out(call->loaded->session, runtime_tensor_data(tensor), call->addresses[i], bytes);
    if (status)
      return status;
  }
  return TEC_OK;
}

static bool allocate_call(kernel_call *call, const DLTensor *const *arguments) {
  size_t count = (size_t)call->entry->num_arguments + call->entry->num_results, extents = call->routine->num_extents;
  for (uint32_t i = 0; i < call->entry->num_arguments; i++)
    extents += (size_t)arguments[i]->ndim;
  call->tensors = calloc(count + 1, sizeof *call->tensors);
  call->addresses = calloc(count + 1, sizeof *call->addresses);
  call->scalars = calloc(count + 1, sizeof *call->scalars);
  call->extents = calloc(extents + 1, sizeof *call->extents);
  call->integers = calloc(count + 1, sizeof *call->integers);
  call->values = calloc((size_t)call->routine->num_values + 1, sizeof *call->values);
  if (!call->tensors || !call->addresses || !call->scalars || !call->extents || !call->integers || !call->values)
    return false;
  for (uint32_t i = 0; i < call->entry->num_arguments; i++)
    call->tensors[i] = arguments[i];
  return true;
}

static tec_status run_call(kernel_call *call, DLManagedTensor **results) {
  tec_status status = enter(call->loaded);
  if (status)
    return status;
  status = fetch_scalars(call);
  if (!status)
    status = prepare_sizes(call, results);
  if (!status)
    status = prepare_memory(call);
  if (!status)
    status = run_launches(call);
  if (!status)
    status = copy_results(call);
  leave(call->loaded);
  return status;
}

static tec_status kernel_call_entry(tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                                    DLManagedTensor **results) {
  ptrdiff_t number = entry - program->entries;
  kernel_program *loaded = program->loaded;
  kernel_call call = {.program = program,
                      .loaded = loaded,
                      .entry = entry,
                      .routine = &program->routines[number],
                      .kernels = loaded->kernels[number]};
  tec_status status = allocate_call(&call, arguments)
                          ? run_call(&call, results)
                          : runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
  free(call.tensors);
  free(call.addresses);
  free(call.scalars);
  free(call.extents);
  free(call.integers);
  free(call.values);
  return status;
}

const program_runner kernel_runner = {.load = kernel_load, .call = kernel_call_entry, .unload = kernel_unload};
