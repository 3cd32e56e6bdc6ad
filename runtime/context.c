/* context.c - contexts, messages, option structs, byte strings written and read: what everything else in the runtime
 * uses. */
#include "runtime/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *tec_version(void) { return TEC_VERSION; }

void tec_free(void *memory) { free(memory); }

tec_status runtime_error(tec_context *context, tec_status status, const char *format, ...) {
  if (!context->message)
    return status;
  byte_buffer text = {0};
  byte_buffer_printf(&text, "error: ");
  va_list arguments;
  va_start(arguments, format);
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    message = NULL;
  va_end(arguments);
  if (message)
    byte_buffer_printf(&text, "%s\n", message);
  context->message(context->user, TEC_ERROR, message && !text.failed ? text.bytes : "error: out of memory\n");
  free(message);
  free(text.bytes);
  return status;
}

bool runtime_options(void *options, size_t size, const void *given) {
  memset(options, 0, size);
  if (!given)
    return true;
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size < sizeof given_size)
    return false;
  memcpy(options, given, given_size < size ? given_size : size);
  return true;
}

void *runtime_allocate(size_t bytes) {
  size_t alignment = bytes >= RUNTIME_LARGE_PAGE ? RUNTIME_LARGE_PAGE : RUNTIME_ALIGNMENT;
  if (bytes > PTRDIFF_MAX - alignment)
    return NULL;
  void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory && alignment == RUNTIME_LARGE_PAGE) /* a wish; where it is not granted all is as well */
    madvise(memory, bytes / RUNTIME_LARGE_PAGE * RUNTIME_LARGE_PAGE, MADV_HUGEPAGE);
  return memory;
}

tec_status tec_context_create(const tec_context_options *given, tec_context **context) {
  tec_context_options options;
  if (!runtime_options(&options, sizeof options, given))
    return TEC_INVALID;
  tec_context *created = calloc(1, sizeof *created);
  if (!created)
    return TEC_OUT_OF_MEMORY;
  created->message = options.message;
  created->user = options.user;
  created->threads = options.threads;
  created->device = options.device;
  created->stream = options.stream;
  created->asynchronous = options.asynchronous;
  created->report = options.report;
  created->spin = options.spin;
  created->parallel_for = options.parallel_for;
  *context = created;
  return TEC_OK;
}

void tec_context_destroy(tec_context *context) {
  if (!context)
    return;
  thread_pool_destroy(context->pool);
  free(context);
}

static bool byte_buffer_reserve(byte_buffer *buffer, size_t more) {
  if (buffer->failed || more >= SIZE_MAX / 2 - buffer->size) {
    buffer->failed = true;
    return false;
  }
  size_t needed = buffer->size + more + 1;
  if (needed <= buffer->capacity)
    return true;
  size_t capacity = needed < 256 ? 256 : needed + needed / 2;
  char *bytes = realloc(buffer->bytes, capacity);
  if (!bytes) {
    buffer->failed = true;
    return false;
  }
  buffer->bytes = bytes;
  buffer->capacity = capacity;
  return true;
}

void byte_buffer_append(byte_buffer *buffer, const void *bytes, size_t size) {
  if (!byte_buffer_reserve(buffer, size))
    return;
  if (size)
    memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
  buffer->bytes[buffer->size] = 0;
}

void byte_buffer_number(byte_buffer *buffer, uint64_t value, unsigned bytes) {
  byte_buffer_append(buffer, &value, bytes);
}

void byte_buffer_string(byte_buffer *buffer, const char *bytes, size_t size) {
  byte_buffer_number(buffer, size, 8);
  byte_buffer_append(buffer, bytes, size);
}

void byte_buffer_printf(byte_buffer *buffer, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  if (size < 0)
    buffer->failed = true;
  else if (byte_buffer_reserve(buffer, (size_t)size)) {
    vsnprintf(buffer->bytes + buffer->size, (size_t)size + 1, format, again);
    buffer->size += (size_t)size;
  }
  va_end(again);
  va_end(arguments);
}

tec_status byte_buffer_finish(tec_context *context, byte_buffer *buffer, char **bytes, size_t *size) {
  byte_buffer_append(buffer, NULL, 0);
  if (buffer->failed) {
    free(buffer->bytes);
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  }
  *bytes = buffer->bytes;
  if (size)
    *size = buffer->size;
  return TEC_OK;
}

void byte_reader_fail(byte_reader *reader, const char *wrong) {
  if (!reader->wrong)
    reader->wrong = wrong;
  reader->left = 0;
}

const char *byte_reader_raw(byte_reader *reader, size_t size) {
  if (size > reader->left)
    byte_reader_fail(reader, "it is cut off or damaged");
  if (reader->wrong)
    return NULL;
  const char *bytes = reader->at;
  reader->at += size;
  reader->left -= size;
  return bytes;
}

uint64_t byte_reader_number(byte_reader *reader, unsigned bytes) {
  uint64_t value = 0;
  const char *raw = byte_reader_raw(reader, bytes);
  if (raw)
    memcpy(&value, raw, bytes);
  return value;
}

char *byte_reader_string(byte_reader *reader) {
  size_t size = byte_reader_number(reader, 8);
  const char *raw = byte_reader_raw(reader, size);
  if (!raw)
    return NULL;
  if (memchr(raw, 0, size))
    byte_reader_fail(reader, "a name in it has a NUL");
  char *text = strndup(raw, size);
  if (!text)
    byte_reader_fail(reader, "memory ran out");
  return text;
}
