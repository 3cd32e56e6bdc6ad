/* npy.c - NumPy's .npy files.
 *
 * A file is a magic number, a version, the length of a header and the header, which is a Python dictionary with exactly
 * the keys 'descr', 'fortran_order' and 'shape'; then the elements. The dictionary is read by a small scanner that
 * accepts what numpy writes (any order of keys, blanks anywhere) and nothing else; every step moves on or fails. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

static const char magic[6] = "\x93NUMPY";

typedef struct npy_header {
  DLDataType dtype;
  bool big_endian, fortran;
  int32_t ndim;
  int64_t shape[RUNTIME_MAX_RANK];
} npy_header;

typedef struct scanner {
  const char *at, *end;
} scanner;

static void skip_blanks(scanner *s) {
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t'))
    s->at++;
}

static bool accept(scanner *s, const char *token) {
  skip_blanks(s);
  size_t size = strlen(token);
  if ((size_t)(s->end - s->at) < size || memcmp(s->at, token, size))
    return false;
  s->at += size;
  return true;
}

/* A quoted string without escapes, of less than `capacity` characters. */
static bool scan_string(scanner *s, char *text, size_t capacity) {
  skip_blanks(s);
  if (s->at >= s->end || (*s->at != '\'' && *s->at != '"'))
    return false;
  char quote = *s->at++;
  size_t size = 0;
  while (s->at < s->end && *s->at != quote) {
    if (size + 1 >= capacity)
      return false;
    text[size++] = *s->at++;
  }
  text[size] = 0;
  return accept(s, quote == '"' ? "\"" : "'");
}

static bool scan_shape(scanner *s, npy_header *header) {
  if (!accept(s, "("))
    return false;
  while (!accept(s, ")")) {
    skip_blanks(s);
    int64_t extent = 0;
    const char *start = s->at;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
      if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, *s->at - '0', &extent))
        return false;
    if (s->at == start || header->ndim == RUNTIME_MAX_RANK)
      return false;
    header->shape[header->ndim++] = extent;
    if (!accept(s, ","))
      return accept(s, ")");
  }
  return true;
}

/* One row per type string that is understood, without the byte order. numpy has no bf16: libraries that add it leave
 * '<V2' or their own name in the file. */
static const struct {
  const char *text;
  DLDataType dtype;
} descriptions[] = {
    {"b1", {kDLBool, 8, 1}},    {"i1", {kDLInt, 8, 1}},           {"i2", {kDLInt, 16, 1}},   {"i4", {kDLInt, 32, 1}},
    {"i8", {kDLInt, 64, 1}},    {"u1", {kDLUInt, 8, 1}},          {"u2", {kDLUInt, 16, 1}},  {"u4", {kDLUInt, 32, 1}},
    {"u8", {kDLUInt, 64, 1}},   {"f2", {kDLFloat, 16, 1}},        {"f4", {kDLFloat, 32, 1}}, {"f8", {kDLFloat, 64, 1}},
    {"V2", {kDLBfloat, 16, 1}}, {"bfloat16", {kDLBfloat, 16, 1}},
};

static bool parse_description(const char *text, npy_header *header) {
  header->big_endian = text[0] == '>';
  if (*text && strchr("<>|=", *text))
    text++;
  for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
    if (!strcmp(text, descriptions[i].text)) {
      header->dtype = descriptions[i].dtype;
      return true;
    }
  return false;
}

/* Returns what is wrong, or NULL. */
static const char *parse_header(scanner *s, npy_header *header) {
  enum { DESCRIPTION = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
  int seen = 0;
  char key[16], description[16];
  if (!accept(s, "{"))
    return "its header is no dictionary";
  while (!accept(s, "}")) {
    if (!scan_string(s, key, sizeof key) || !accept(s, ":"))
      return "its header is malformed";
    int bit = !strcmp(key, "descr")           ? DESCRIPTION
              : !strcmp(key, "fortran_order") ? ORDER
              : !strcmp(key, "shape")         ? SHAPE
                                              : 0;
    if (!bit || seen & bit)
      return "its header has a key that is unknown or comes twice";
    seen |= bit;
    if (bit == DESCRIPTION) {
      if (!scan_string(s, description, sizeof description) || !parse_description(description, header))
        return "its element type is not supported";
    } else if (bit == ORDER) {
      header->fortran = accept(s, "True");
      if (!header->fortran && !accept(s, "False"))
        return "its fortran_order is neither True nor False";
    } else if (!scan_shape(s, header)) {
      return "its shape is malformed or has too many dimensions";
    }
    if (accept(s, ","))
      continue;
    if (accept(s, "}"))
      break;
    return "its header is malformed";
  }
  skip_blanks(s);
  if (s->at != s->end)
    return "there is text after its header";
  return seen == ALL ? NULL : "its header lacks 'descr', 'fortran_order' or 'shape'";
}

/* Finds header and data; returns what is wrong, or NULL. */
static const char *split(const char *bytes, size_t size, scanner *header, const char **data) {
  if (size < 10 || memcmp(bytes, magic, sizeof magic))
    return "it is no .npy file";
  const unsigned char *raw = (const unsigned char *)bytes;
  if (raw[6] < 1 || raw[6] > 3)
    return "its version is not supported";
  size_t prefix = raw[6] == 1 ? 10 : 12;
  if (size < prefix)
    return "it ends in its header";
  size_t length = raw[8] | (size_t)raw[9] << 8;
  if (prefix == 12)
    length |= (size_t)raw[10] << 16 | (size_t)raw[11] << 24;
  if (length > size - prefix)
    return "it ends in its header";
  *header = (scanner){bytes + prefix, bytes + prefix + length};
  *data = bytes + prefix + length;
  return NULL;
}

static void swap_bytes(char *data, int64_t elements, size_t width) {
  for (int64_t i = 0; i < elements; i++, data += width)
    for (size_t low = 0, high = width - 1; low < high; low++, high--) {
      char byte = data[low];
      data[low] = data[high];
      data[high] = byte;
    }
}

/* Column-major data becomes a strided tensor, whose conversion to its own type is row-major. */
static tec_status from_fortran(tec_context *context, DLManagedTensor *columns, DLManagedTensor **tensor) {
  int64_t strides[RUNTIME_MAX_RANK], stride = 1;
  DLTensor view = columns->dl_tensor;
  for (int32_t i = 0; i < view.ndim; stride *= view.shape[i++])
    strides[i] = stride;
  view.strides = strides;
  tec_status status = tec_tensor_convert(context, &view, view.dtype, tensor);
  tec_tensor_release(columns);
  return status;
}

tec_status tec_tensor_read_npy(tec_context *context, const char *name, const char *bytes, size_t size,
                               DLManagedTensor **tensor) {
  scanner s;
  npy_header header = {0};
  name = name ? name : "<memory>";
  const char *data, *wrong = split(bytes, size, &s, &data);
  if (!wrong)
    wrong = parse_header(&s, &header);
  if (wrong)
    return runtime_error(context, TEC_INVALID, "cannot read '%s': %s", name, wrong);
  int64_t elements = runtime_num_elements(header.dtype, header.ndim, header.shape);
  size_t width = header.dtype.bits / 8, available = size - (size_t)(data - bytes);
  if (elements < 0 || (size_t)elements * width != available)
    return runtime_error(context, TEC_INVALID, "cannot read '%s': its shape does not fit its %zu bytes of data", name,
                         available);
  DLManagedTensor *created;
  tec_status status = tec_tensor_create(context, header.dtype, header.ndim, header.shape, &created);
  if (status)
    return status;
  memcpy(created->dl_tensor.data, data, available);
  if (header.big_endian)
    swap_bytes(created->dl_tensor.data, elements, width);
  if (header.dtype.code == kDLBool)
    for (int64_t i = 0; i < elements; i++)
      ((uint8_t *)created->dl_tensor.data)[i] = data[i] != 0;
  if (header.fortran && header.ndim > 1)
    return from_fortran(context, created, tensor);
  *tensor = created;
  return TEC_OK;
}

static const char *description_of(DLDataType dtype) {
  for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
    if (descriptions[i].dtype.code == dtype.code && descriptions[i].dtype.bits == dtype.bits)
      return descriptions[i].text;
  return NULL;
}

tec_status tec_tensor_write_npy(tec_context *context, const DLTensor *tensor, char **bytes, size_t *size) {
  /* Converting to its own type makes strided tensors row-major and checks everything. */
  DLManagedTensor *dense;
  tec_status status = tec_tensor_convert(context, tensor, tensor->dtype, &dense);
  if (status)
    return status;
  const DLTensor *source = &dense->dl_tensor;
  const char *description = description_of(source->dtype);
  byte_buffer header = {0}, file = {0};
  byte_buffer_printf(&header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     source->dtype.bits == 8 ? '|' : '<', description);
  for (int32_t i = 0; i < source->ndim; i++)
    byte_buffer_printf(&header, "%s%lld%s", i ? " " : "", (long long)source->shape[i],
                       i + 1 < source->ndim || source->ndim == 1 ? "," : "");
  byte_buffer_printf(&header, "), }");
  size_t total = (10 + header.size + 1 + 63) / 64 * 64; /* data starts at a multiple of 64 */
  byte_buffer_append(&file, magic, sizeof magic);
  size_t length = total - 10; /* at most 16 extents of 19 digits: below 64 KiB */
  byte_buffer_append(&file, (char[]){1, 0, (char)(length & 255), (char)(length >> 8)}, 4);
  byte_buffer_printf(&file, "%s%*s\n", header.failed ? "" : header.bytes, (int)(total - 10 - header.size - 1), "");
  file.failed |= header.failed;
  int64_t elements = runtime_num_elements(source->dtype, source->ndim, source->shape);
  byte_buffer_append(&file, source->data, (size_t)elements * (source->dtype.bits / 8));
  free(header.bytes);
  tec_tensor_release(dense);
  return byte_buffer_finish(context, &file, bytes, size);
}
