/* call.c - calling an entry point: checks what the caller passes, then hands over to the program's device.
 *
 * Invariant: a device sees only arguments that have the entry's element types, ranks and static extents, are row-major
 * and in host memory or that of the device's driver; so no device repeats these checks. */
#include "runtime/kernel_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tec_device_get(unsigned i, const char **name, const char **doc) {
  const runtime_device *const *device = runtime_platform.devices;
  for (unsigned k = 0; device[k]; k++)
    if (k == i) {
      *name = device[k]->name;
      *doc = device[k]->doc;
      return true;
    }
  return false;
}

const runtime_device *runtime_find_device(tec_context *context, const char *name) {
  if (!name) {
    runtime_error(context, TEC_INVALID, "the name of a device is NULL; 'tcc-attn list devices' shows all");
    return NULL;
  }
  for (const runtime_device *const *device = runtime_platform.devices; *device; device++)
    if (!strcmp((*device)->name, name))
      return *device;
  runtime_error(context, TEC_INVALID, "there is no device '%s'; 'tcc-attn list devices' shows all", name);
  return NULL;
}

tec_status tec_device_target(tec_context *context, const char *name, char **target) {
  const runtime_device *device = runtime_find_device(context, name);
  if (!device)
    return TEC_INVALID;
  char found[RUNTIME_MAX_TARGET];
  tec_status status = TEC_OK;
  if (device->default_target)
    status = device->default_target(context, found);
  if (status)
    return status;
  char *copy = strdup(device->default_target ? found : device->target);
  if (!copy)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  *target = copy;
  return TEC_OK;
}

static bool dtype_fits(DLDataType wanted, DLDataType given) {
  bool integers = wanted.code == kDLInt && (given.code == kDLInt || given.code == kDLUInt);
  return given.lanes == 1 && given.bits == wanted.bits && (integers || given.code == wanted.code);
}

/* Of a tensor with elements. */
static bool is_row_major(const DLTensor *tensor) {
  if (!tensor->strides)
    return true;
  int64_t stride = 1;
  for (int32_t d = tensor->ndim; d-- > 0; stride *= tensor->shape[d])
    if (tensor->shape[d] != 1 && tensor->strides[d] != stride)
      return false;
  return true;
}

/* `open`: what is negative stands for any extent. */
static const char *shape_text(byte_buffer *text, int32_t ndim, const int64_t *shape, bool open) {
  text->size = 0;
  byte_buffer_printf(text, "[");
  for (int32_t d = 0; d < ndim; d++)
    if (open && shape[d] < 0)
      byte_buffer_printf(text, "%s?", d ? ", " : "");
    else
      byte_buffer_printf(text, "%s%lld", d ? ", " : "", (long long)shape[d]);
  byte_buffer_printf(text, "]");
  return text->failed ? "[..]" : text->bytes;
}

static tec_status wrong_shape(tec_context *context, const char *what, uint32_t number, int32_t want_ndim,
                              const int64_t *want, const DLTensor *given) {
  byte_buffer wanted = {0}, got = {0};
  runtime_error(context, TEC_INVALID, "%s %u has shape %s, but %s is wanted", what, number,
                shape_text(&got, given->ndim, given->shape, false), shape_text(&wanted, want_ndim, want, true));
  free(wanted.bytes);
  free(got.bytes);
  return TEC_INVALID;
}

static bool is_reachable(const tec_program *program, DLDevice memory) {
  if (memory.device_type == kDLCPU)
    return true;
  const kernel_driver *driver = program->device ? program->device->driver : NULL;
  return driver && memory.device_type == driver->memory && memory.device_id >= 0 &&
         (uint32_t)memory.device_id == program->context->device;
}

/* `shape`: what is wanted, -1 where any extent is. */
static tec_status check_shape(tec_context *context, const char *what, uint32_t number, int32_t ndim,
                              const int64_t *shape, const DLTensor *given) {
  if (given->ndim < 0 || given->ndim > RUNTIME_MAX_RANK) /* then its shape is not to be looked at */
    return runtime_error(context, TEC_INVALID, "%s %u has rank %d, but %d is wanted", what, number, given->ndim, ndim);
  if (given->ndim > 0 && !given->shape)
    return runtime_error(context, TEC_INVALID, "%s %u has rank %d, but its shape is NULL", what, number, given->ndim);
  bool fits = given->ndim == ndim;
  for (int32_t d = 0; d < given->ndim; d++) {
    if (given->shape[d] < 0)
      return runtime_error(context, TEC_INVALID, "%s %u has extent %lld in dim %d; extents must not be negative", what,
                           number, (long long)given->shape[d], d);
    fits = fits && (shape[d] < 0 || shape[d] == given->shape[d]);
  }
  return fits ? TEC_OK : wrong_shape(context, what, number, ndim, shape, given);
}

/* `shape`: as for check_shape. */
static tec_status check_tensor(const tec_program *program, const char *what, uint32_t number, const tec_type *type,
                               const int64_t *shape, const DLTensor *given) {
  tec_context *context = program->context;
  if (!given)
    return runtime_error(context, TEC_INVALID, "%s %u is no tensor, but NULL", what, number);
  if (!is_reachable(program, given->device))
    return runtime_error(context, TEC_INVALID, "%s %u is not in host memory, nor in that of the device", what, number);
  if (!dtype_fits(type->dtype, given->dtype))
    return runtime_error(context, TEC_INVALID, "%s %u has element type %s, but %s is wanted", what, number,
                         runtime_dtype_name(given->dtype), runtime_dtype_name(type->dtype));
  tec_status status = check_shape(context, what, number, type->ndim, shape, given);
  if (status)
    return status;
  int64_t elements = runtime_num_elements(given->dtype, given->ndim, given->shape);
  if (elements < 0)
    return runtime_error(context, TEC_INVALID, "%s %u is too large", what, number);
  if (elements && !is_row_major(given))
    return runtime_error(context, TEC_INVALID, "%s %u is not row-major and contiguous", what, number);
  if (elements && (!given->data || (uintptr_t)runtime_tensor_data(given) % (given->dtype.bits / 8)))
    return runtime_error(context, TEC_INVALID, "%s %u has no data, or data not aligned to its elements", what, number);
  return TEC_OK;
}

tec_status call_misfit(const tec_program *program, const tec_entry *entry, int64_t line) {
  bool has_numbers = false;
  char place[32] = "";
  if (line > 0 && line < INT32_MAX)
    snprintf(place, sizeof place, " at line %lld", (long long)line);
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    has_numbers |= entry->arguments[i].kind == TEC_KIND_SCALAR && !runtime_dtype_is_float(entry->arguments[i].dtype);
  return runtime_error(program->context, TEC_INVALID, "the shapes of the arguments of '%s' do not fit together%s%s",
                       entry->name, has_numbers ? ", or one that is a position lies outside of its tensor," : "",
                       place);
}

tec_status call_result(tec_program *program, const tec_entry *entry, uint32_t i, const int64_t *shape,
                       DLManagedTensor **result) {
  const tec_type *type = &entry->results[i];
  if (*result)
    return check_tensor(program, "result", i, type, shape, &(*result)->dl_tensor);
  return tec_tensor_create(program->context, type->dtype, type->ndim, shape, result);
}

/* The memory of an argument or of a result that the caller gave. */
typedef struct span {
  uintptr_t begin, end;
  const char *what;
  uint32_t number;
  bool is_written;
} span;

static span span_of(const char *what, uint32_t number, bool is_written, const DLTensor *tensor) {
  uintptr_t begin = (uintptr_t)runtime_tensor_data(tensor);
  size_t elements = (size_t)runtime_num_elements(tensor->dtype, tensor->ndim, tensor->shape);
  return (span){begin, begin + elements * (tensor->dtype.bits / 8), what, number, is_written};
}

/* The first two in the order of addresses that overlap and of which one is written; false if there are none. Few are
 * written, so that to compare these with all takes less time than to sort them. */
static bool find_overlap(const span *spans, uint32_t count, const span *pair[2]) {
  bool found = false;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; spans[i].is_written && k < count; k++) {
      const span *one = &spans[i], *other = &spans[k];
      if (k == i || one->begin >= other->end || other->begin >= one->end)
        continue;
      bool in_order = one->begin != other->begin ? one->begin < other->begin : i < k;
      const span *later = in_order ? other : one;
      if (found && later->begin >= pair[1]->begin)
        continue;
      pair[0] = in_order ? one : other;
      pair[1] = later;
      found = true;
    }
  return found;
}

/* What is written overlaps nothing else. */
static tec_status check_overlap(const tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                                DLManagedTensor **results) {
  span *spans = calloc((size_t)entry->num_arguments + entry->num_results + 1, sizeof *spans);
  if (!spans)
    return runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
  uint32_t count = 0;
  for (uint32_t i = 0; i < entry->num_arguments; i++) {
    spans[count] = span_of("argument", i, entry->arguments[i].kind == TEC_KIND_BUFFER, arguments[i]);
    count += spans[count].begin < spans[count].end;
  }
  for (uint32_t i = 0; i < entry->num_results; i++)
    if (results[i]) {
      spans[count] = span_of("result", i, true, &results[i]->dl_tensor);
      count += spans[count].begin < spans[count].end;
    }
  tec_status status = TEC_OK;
  const span *pair[2];
  if (find_overlap(spans, count, pair))
    status = runtime_error(program->context, TEC_INVALID, "%s %u overlaps %s %u, and %s is written", pair[1]->what,
                           pair[1]->number, pair[0]->what, pair[0]->number,
                           pair[0]->is_written && pair[1]->is_written ? "each" : "one of them");
  free(spans);
  return status;
}

static tec_status check_call(tec_program *program, const tec_entry *entry, uint32_t num_arguments,
                             const DLTensor *const *arguments, uint32_t num_results, DLManagedTensor **results) {
  tec_context *context = program->context;
  if (num_arguments != entry->num_arguments || num_results != entry->num_results)
    return runtime_error(context, TEC_INVALID, "'%s' has %u arguments and %u results, but %u and %u were passed",
                         entry->name, entry->num_arguments, entry->num_results, num_arguments, num_results);
  if ((num_arguments && !arguments) || (num_results && !results))
    return runtime_error(context, TEC_INVALID, "the array of the %s of '%s' is NULL",
                         num_arguments && !arguments ? "arguments" : "results", entry->name);
  for (uint32_t i = 0; i < num_arguments; i++) {
    const tec_type *type = &entry->arguments[i];
    tec_status status = check_tensor(program, "argument", i, type, type->shape, arguments[i]);
    if (status)
      return status;
  }
  for (uint32_t i = 0; i < num_results; i++) {
    const tec_type *type = &entry->results[i];
    if (!results[i])
      continue;
    tec_status status = check_tensor(program, "result", i, type, type->shape, &results[i]->dl_tensor);
    if (status)
      return status;
  }
  return check_overlap(program, entry, arguments, results);
}

tec_status tec_program_call(tec_program *program, const char *name, uint32_t num_arguments,
                            const DLTensor *const *arguments, uint32_t num_results, DLManagedTensor **results) {
  const tec_entry *entry = program_find_entry(program, name);
  if (!entry)
    return TEC_INVALID;
  tec_status status = check_call(program, entry, num_arguments, arguments, num_results, results);
  if (status)
    return status;
  if (!program->device)
    return runtime_error(program->context, TEC_INVALID, "this library has no device for the target '%s'",
                         program->target);
  if (program->context->report && !program->device->reports)
    return runtime_error(program->context, TEC_INVALID,
                         "the device '%s' does not count what kernels do, as 'ptx-emu' does", program->device->name);
  if (!program->loaded) {
    status = program->device->runner->load(program, &program->loaded);
    if (status)
      return status;
  }
  DLManagedTensor **own = calloc(num_results + 1, sizeof *own);
  if (!own)
    return runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
  if (num_results)
    memcpy(own, results, num_results * sizeof *own);
  status = program->device->runner->call(program, entry, arguments, own);
  for (uint32_t i = 0; i < num_results; i++)
    if (status && own[i] != results[i])
      tec_tensor_release(own[i]);
    else if (!status)
      results[i] = own[i];
  free(own);
  return status;
}
