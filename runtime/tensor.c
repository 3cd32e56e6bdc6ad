/* tensor.c - tensors in host memory: elements of each type, creation, conversion. */
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One row per element type: code, bits, and the language's name for it. Bytes of a row: bits / 8. */
static const struct {
  uint8_t code, bits;
  const char *name;
} dtypes[] = {
    {kDLBool, 8, "i1"},      {kDLInt, 8, "i8"},     {kDLInt, 16, "i16"},   {kDLInt, 32, "i32"},  {kDLInt, 64, "i64"},
    {kDLUInt, 8, "i8"},      {kDLUInt, 16, "i16"},  {kDLUInt, 32, "i32"},  {kDLUInt, 64, "i64"}, {kDLFloat, 16, "f16"},
    {kDLBfloat, 16, "bf16"}, {kDLFloat, 32, "f32"}, {kDLFloat, 64, "f64"},
};

const char *runtime_dtype_name(DLDataType dtype) {
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    if (dtypes[i].code == dtype.code && dtypes[i].bits == dtype.bits && dtype.lanes == 1)
      return dtypes[i].name;
  return "unknown";
}

bool runtime_dtype_known(DLDataType dtype) { return strcmp(runtime_dtype_name(dtype), "unknown") != 0; }

int64_t runtime_num_elements(DLDataType dtype, int32_t ndim, const int64_t *shape) {
  int64_t elements = 1;
  bool empty = false;
  if (ndim > 0 && !shape)
    return -1;
  for (int32_t i = 0; i < ndim; i++) {
    if (shape[i] < 0)
      return -1;
    if (shape[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(elements, shape[i], &elements) || elements > PTRDIFF_MAX / (dtype.bits / 8))
      return -1;
  }
  return empty ? 0 : elements;
}

/* ------------------------------------------------------------------------------------------------------ elements */

/* The value of the bit pattern of a float with `exponent` and `mantissa` bits. */
static double decode_float(uint32_t bits, int exponent, int mantissa) {
  int field = (int)(bits >> mantissa & ((1u << exponent) - 1)), bias = (1 << (exponent - 1)) - 1;
  double fraction = (double)(bits & ((1u << mantissa) - 1)), value;
  if (field == (1 << exponent) - 1)
    value = fraction != 0 ? (double)NAN : (double)INFINITY;
  else if (field == 0)
    value = ldexp(fraction, 1 - bias - mantissa);
  else
    value = ldexp(fraction + (double)(1u << mantissa), field - bias - mantissa);
  return bits >> (exponent + mantissa) & 1 ? -value : value;
}

/* The nearest bit pattern, ties to even. Rounds once, straight from the double: scaled so that the last kept bit is 1,
 * the value is rounded by rint, and a carry into the exponent comes out right because the fields are adjacent. */
static uint32_t encode_float(double value, int exponent, int mantissa) {
  uint32_t sign = signbit(value) ? 1u << (exponent + mantissa) : 0, infinity = ((1u << exponent) - 1) << mantissa;
  if (isnan(value))
    return sign | infinity | 1u << (mantissa - 1);
  double magnitude = fabs(value);
  if (isinf(value))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int bias = (1 << (exponent - 1)) - 1, power;
  frexp(magnitude, &power);
  int field = power - 1 + bias;
  if (field < 1)
    field = 1; /* subnormal: the same spacing as the smallest normal numbers */
  if (field >= (1 << exponent))
    return sign | infinity;
  double steps = rint(ldexp(magnitude, mantissa + bias - field));
  uint32_t pattern = ((uint32_t)(field - 1) << mantissa) + (uint32_t)steps;
  return sign | (pattern > infinity ? infinity : pattern);
}

double runtime_load_float(DLDataType dtype, const void *element) {
  if (dtype.bits == 64) {
    double value;
    memcpy(&value, element, sizeof value);
    return value;
  }
  if (dtype.bits == 32) {
    float value;
    memcpy(&value, element, sizeof value);
    return (double)value;
  }
  uint16_t bits;
  memcpy(&bits, element, sizeof bits);
  return dtype.code == kDLBfloat ? decode_float(bits, 8, 7) : decode_float(bits, 5, 10);
}

void runtime_store_float(DLDataType dtype, void *element, double value) {
  if (dtype.bits == 64) {
    memcpy(element, &value, sizeof value);
  } else if (dtype.bits == 32) {
    float narrow = (float)value;
    memcpy(element, &narrow, sizeof narrow);
  } else {
    uint16_t bits = (uint16_t)(dtype.code == kDLBfloat ? encode_float(value, 8, 7) : encode_float(value, 5, 10));
    memcpy(element, &bits, sizeof bits);
  }
}

int64_t runtime_load_int(DLDataType dtype, const void *element) {
  if (dtype.code == kDLBool)
    return *(const uint8_t *)element != 0;
  uint64_t bits = 0;
  memcpy(&bits, element, dtype.bits / 8); /* little-endian */
  unsigned unused = 64u - dtype.bits;
  return dtype.code == kDLUInt ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
}

void runtime_store_int(DLDataType dtype, void *element, int64_t value) {
  if (dtype.code == kDLBool)
    value = value != 0;
  memcpy(element, &value, dtype.bits / 8);
}

/* ------------------------------------------------------------------------------------------------------- tensors */

/* A tensor with its shape and data, one allocation each. */
typedef struct owned_tensor {
  DLManagedTensor managed; /* first, so that the deleter gets back here */
  int64_t shape[];
} owned_tensor;

static void delete_owned(DLManagedTensor *managed) {
  free(managed->dl_tensor.data);
  free(managed);
}

void tec_tensor_release(DLManagedTensor *tensor) {
  if (tensor && tensor->deleter)
    tensor->deleter(tensor);
}

tec_status tec_tensor_create(tec_context *context, DLDataType dtype, int32_t ndim, const int64_t *shape,
                             DLManagedTensor **tensor) {
  if (!runtime_dtype_known(dtype))
    return runtime_error(context, TEC_INVALID, "tensors of DLPack type (%u, %u, %u) are not supported", dtype.code,
                         dtype.bits, dtype.lanes);
  if (ndim < 0 || ndim > RUNTIME_MAX_RANK)
    return runtime_error(context, TEC_INVALID, "a tensor of rank %d: at most %d is supported", ndim, RUNTIME_MAX_RANK);
  int64_t elements = runtime_num_elements(dtype, ndim, shape);
  if (elements < 0)
    return runtime_error(context, TEC_INVALID, "the shape of a new tensor is NULL, negative or too large");
  size_t bytes = (size_t)elements * (dtype.bits / 8);
  owned_tensor *owned = calloc(1, sizeof *owned + (size_t)ndim * sizeof(int64_t));
  void *data = runtime_allocate(bytes + 1);
  if (!owned || !data) {
    free(owned);
    free(data);
    return runtime_error(context, TEC_OUT_OF_MEMORY, "no memory for a tensor of %zu bytes", bytes);
  }
  memset(data, 0, bytes + 1);
  if (ndim)
    memcpy(owned->shape, shape, (size_t)ndim * sizeof(int64_t));
  owned->managed = (DLManagedTensor){
      .dl_tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = ndim, .dtype = dtype, .shape = owned->shape},
      .deleter = delete_owned};
  *tensor = &owned->managed;
  return TEC_OK;
}

static void convert_element(DLDataType from, const void *source, DLDataType to, void *target) {
  bool from_float = runtime_dtype_is_float(from), to_float = runtime_dtype_is_float(to);
  if (!memcmp(&from, &to, sizeof from)) {
    memcpy(target, source, from.bits / 8); /* every bit, of NaNs too */
  } else if (from_float && to_float) {
    runtime_store_float(to, target, runtime_load_float(from, source));
  } else if (from_float) {
    /* Out of range and NaN have no integer; the nearest, and 0, are the useful answers. */
    double value = runtime_load_float(from, source);
    int64_t integer = isnan(value) ? 0 : value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
    runtime_store_int(to, target, integer);
  } else {
    int64_t integer = runtime_load_int(from, source);
    bool large = from.code == kDLUInt && from.bits == 64;
    if (to_float)
      runtime_store_float(to, target, large ? (double)(uint64_t)integer : (double)integer);
    else
      runtime_store_int(to, target, integer);
  }
}

tec_status tec_tensor_convert(tec_context *context, const DLTensor *source, DLDataType dtype,
                              DLManagedTensor **tensor) {
  bool known = source->device.device_type == kDLCPU && runtime_dtype_known(source->dtype);
  int64_t elements = known ? runtime_num_elements(source->dtype, source->ndim, source->shape) : -1;
  if (elements < 0 || (elements && !source->data))
    return runtime_error(context, TEC_INVALID, "the tensor to convert is not a valid tensor in host memory");
  DLManagedTensor *created;
  tec_status status = tec_tensor_create(context, dtype, source->ndim, source->shape, &created);
  if (status)
    return status;
  int64_t subscripts[RUNTIME_MAX_RANK] = {0};
  size_t from_bytes = source->dtype.bits / 8, to_bytes = dtype.bits / 8;
  char *target = created->dl_tensor.data;
  for (int64_t i = 0; i < elements; i++, target += to_bytes) {
    int64_t offset = i;
    if (source->strides) {
      offset = 0;
      for (int32_t d = 0; d < source->ndim; d++)
        offset += subscripts[d] * source->strides[d];
      for (int32_t d = source->ndim; d-- > 0;) {
        if (++subscripts[d] < source->shape[d])
          break;
        subscripts[d] = 0;
      }
    }
    const char *data = runtime_tensor_data(source);
    convert_element(source->dtype, data + offset * (int64_t)from_bytes, dtype, target);
  }
  *tensor = created;
  return TEC_OK;
}
