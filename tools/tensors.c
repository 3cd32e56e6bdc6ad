/* tensors.c - tensors on the command line: lists of .npy files, random data. */
#include "tools/tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of extents that neither type nor user says. All the same, so that they fit together; no multiple of a tile. */
enum { DEFAULT_EXTENT = 100 };

unsigned tensors_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (unsigned)cores : 1;
}

static tec_status out_of_memory(void) {
  fprintf(stderr, "error: out of memory\n");
  return TEC_OUT_OF_MEMORY;
}

uint32_t tensors_count(const char *list) {
  uint32_t count = list != NULL;
  for (; list && *list; list++)
    count += *list == ',';
  return count;
}

bool tensors_to_stdout(const char *list) {
  for (bool starts = true; *list; starts = *list++ == ',')
    if (starts && *list == '-' && (!list[1] || list[1] == ','))
      return true;
  return false;
}

/* The next path of a list that has one; the caller frees it. NULL after a message. */
static char *next_path(const char **list) {
  size_t length = strcspn(*list, ",");
  char *path = strndup(*list, length);
  if (!path)
    out_of_memory();
  *list += length + 1;
  return path;
}

tec_status tensors_read(tec_context *context, const char *list, uint32_t count, DLManagedTensor **tensors) {
  if (tensors_count(list) != count) {
    fprintf(stderr, "error: --in names %u files, but the function's arguments are %u\n", tensors_count(list), count);
    return TEC_INVALID;
  }
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    char *path = next_path(&list), *bytes = NULL;
    size_t size;
    if (!path)
      return TEC_OUT_OF_MEMORY;
    status = tec_file_read(context, path, &bytes, &size);
    if (!status)
      status = tec_tensor_read_npy(context, strcmp(path, "-") ? path : "standard input", bytes, size, &tensors[i]);
    tec_free(bytes);
    free(path);
  }
  return status;
}

tec_status tensors_write(tec_context *context, const char *list, DLManagedTensor *const *tensors) {
  uint32_t count = tensors_count(list);
  tec_file *files = calloc(count, sizeof *files);
  if (!files)
    return out_of_memory();
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    char *bytes = NULL;
    files[i].path = next_path(&list);
    status = files[i].path ? tec_tensor_write_npy(context, &tensors[i]->dl_tensor, &bytes, &files[i].size)
                           : TEC_OUT_OF_MEMORY;
    files[i].bytes = bytes;
  }
  if (!status)
    status = tec_files_write(context, count, files);
  for (uint32_t i = 0; i < count; i++) {
    free((char *)files[i].path);
    tec_free((char *)files[i].bytes);
  }
  free(files);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ random data */

/* A counter, mixed: every bit of the result depends on every bit of the counter. */
static uint64_t random_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* By Box and Muller. */
static double random_normal(uint64_t *state) {
  const double two_pi = 6.283185307179586;
  double radius = (double)((random_bits(state) >> 11) + 1) * 0x1p-53,
         angle = (double)(random_bits(state) >> 11) * 0x1p-53;
  return sqrt(-2 * log(radius)) * cos(two_pi * angle);
}

static tec_status random_tensor(tec_context *context, const tec_type *type, const int64_t *shape, uint64_t seed,
                                DLManagedTensor **tensor) {
  const DLDataType wide = {kDLFloat, 64, 1};
  DLManagedTensor *values;
  tec_status status = tec_tensor_create(context, wide, type->ndim, shape, &values);
  if (status)
    return status;
  int64_t count = 1;
  for (int32_t d = 0; d < type->ndim; d++)
    count *= shape[d];
  bool is_float = type->dtype.code == kDLFloat || type->dtype.code == kDLBfloat;
  uint64_t state = seed * 0xd1342543de82ef95u + 1, mask = type->dtype.code == kDLBool ? 1 : 7;
  double *elements = values->dl_tensor.data;
  for (int64_t i = 0; i < count; i++)
    elements[i] = is_float ? 2 * random_normal(&state) : (double)(random_bits(&state) & mask);
  status = tec_tensor_convert(context, &values->dl_tensor, type->dtype, tensor);
  tec_tensor_release(values);
  return status;
}

tec_status tensors_random(tec_context *context, const tensor_source *source, uint32_t count, const tec_type *types,
                          DLManagedTensor **tensors) {
  uint32_t unknown = 0, next = 0;
  for (uint32_t i = 0; i < count; i++)
    for (int32_t d = 0; d < types[i].ndim; d++)
      unknown += types[i].shape[d] < 0;
  if (source->num_extents > 1 && source->num_extents != unknown) {
    fprintf(stderr, "error: --dims gives %u extents, but %u are open (one would stand for all)\n", source->num_extents,
            unknown);
    return TEC_INVALID;
  }
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    int64_t *shape = calloc((size_t)types[i].ndim + 1, sizeof *shape);
    if (!shape)
      return out_of_memory();
    for (int32_t d = 0; d < types[i].ndim; d++) {
      shape[d] = types[i].shape[d];
      if (shape[d] >= 0)
        continue;
      uint32_t number = source->num_extents > 1 ? next++ : 0;
      shape[d] = source->num_extents ? (int64_t)source->extents[number] : DEFAULT_EXTENT;
    }
    status = random_tensor(context, &types[i], shape, source->seed + i, &tensors[i]);
    free(shape);
  }
  return status;
}

void tensor_describe(FILE *file, const char *before, const DLTensor *tensor) {
  static const char *const families[] = {[kDLInt] = "i", [kDLUInt] = "i", [kDLFloat] = "f", [kDLBfloat] = "bf"};
  bool is_bool = tensor->dtype.code == kDLBool;
  fprintf(file, "%s%s%u", before, is_bool ? "i" : families[tensor->dtype.code], is_bool ? 1u : tensor->dtype.bits);
  if (tensor->ndim)
    fprintf(file, "[");
  for (int32_t d = 0; d < tensor->ndim; d++)
    fprintf(file, "%s%lld", d ? ", " : "", (long long)tensor->shape[d]);
  if (tensor->ndim)
    fprintf(file, "]");
}
