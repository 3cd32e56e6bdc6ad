/* ptx_emu_device.c - the device "ptx-emu": runs a GPU program's PTX on the CPU with the emulator in ptx.h.
 *
 * Each block of device memory is registered with the emulator, and filled with bytes that are NaN in every float type,
 * so that a kernel which reads what nobody wrote is found out. */
#include "runtime/kernel_device.h"
#include "runtime/ptx.h"

#include <stdlib.h>
#include <string.h>

typedef struct emulator_session {
  tec_context *context;
  ptx_module *module;
  ptx_buffer *buffers;
  size_t num_buffers, capacity;
} emulator_session;

static void emulator_close(void *pointer) {
  emulator_session *session = pointer;
  ptx_module_free(session->module);
  free(session->buffers);
}

static tec_status emulator_open(void *pointer, const char *code, size_t size) {
  emulator_session *session = pointer;
  ptx_message message;
  tec_status status = ptx_module_load(code, size, &session->module, &message);
  return status ? runtime_error(session->context, status, "the PTX emulator refuses the program: %s", message.text)
                : TEC_OK;
}

static tec_status emulator_allocate(void *pointer, size_t size, uint64_t *address) {
  emulator_session *session = pointer;
  if (session->num_buffers == session->capacity) {
    size_t capacity = 2 * session->capacity + 8;
    ptx_buffer *grown = realloc(session->buffers, capacity * sizeof *grown);
    if (!grown)
      return runtime_error(session->context, TEC_OUT_OF_MEMORY, "out of memory");
    session->buffers = grown;
    session->capacity = capacity;
  }
  void *memory = size > PTRDIFF_MAX - 256 ? NULL : aligned_alloc(256, (size + 255) / 256 * 256);
  if (!memory)
    return runtime_error(session->context, TEC_OUT_OF_MEMORY, "no memory for %zu bytes", size);
  memset(memory, 0xff, size);
  session->buffers[session->num_buffers++] = (ptx_buffer){.base = memory, .size = size};
  *address = (uintptr_t)memory;
  return TEC_OK;
}

static void emulator_release(void *pointer, uint64_t address) {
  emulator_session *session = pointer;
  for (size_t i = 0; i < session->num_buffers; i++) {
    if ((uintptr_t)session->buffers[i].base != address)
      continue;
    free(session->buffers[i].base);
    session->buffers[i] = session->buffers[--session->num_buffers];
    return;
  }
}

static tec_status emulator_copy_in(void *session, uint64_t to, const void *from, size_t size) {
  memcpy((void *)(uintptr_t)to, from, size);
  return TEC_OK;
}

static tec_status emulator_copy_out(void *session, void *to, uint64_t from, size_t size) {
  memcpy(to, (const void *)(uintptr_t)from, size);
  return TEC_OK;
}

static void tell_report(const emulator_session *session, const char *kernel, ptx_report *report) {
  byte_buffer text = {0};
  byte_buffer_printf(&text, "note: kernel '%s': ", kernel);
  ptx_report_print(session->module, report, &text);
  ptx_report_release(report);
  session->context->message(session->context->user, TEC_NOTE,
                            text.failed ? "note: no memory for a report\n" : text.bytes);
  free(text.bytes);
}

static tec_status emulator_launch(void *pointer, const kernel_launch *launch) {
  emulator_session *session = pointer;
  ptx_argument *arguments = calloc((size_t)launch->num_arguments + 1, sizeof *arguments);
  if (!arguments)
    return runtime_error(session->context, TEC_OUT_OF_MEMORY, "out of memory");
  for (uint32_t i = 0; i < launch->num_arguments; i++)
    arguments[i] = (ptx_argument){launch->values[i], launch->sizes[i]};
  ptx_launch_options options = {.kernel = launch->name,
                                .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                .block = {launch->block[0], launch->block[1], launch->block[2]},
                                .dynamic_shared_bytes = launch->shared_bytes,
                                .arguments = arguments,
                                .num_arguments = launch->num_arguments,
                                .buffers = session->buffers,
                                .num_buffers = session->num_buffers,
                                .threads = session->context->threads,
                                .refuse_uninitialised = true};
  ptx_message message;
  ptx_report report;
  bool wanted = session->context->report && session->context->message;
  tec_status status = ptx_launch(session->module, &options, wanted ? &report : NULL, &message);
  free(arguments);
  if (!status && wanted)
    tell_report(session, launch->name, &report);
  if (status)
    runtime_error(session->context, status, "the PTX emulator stopped '%s': %s", launch->name, message.text);
  return status;
}

static tec_status emulator_target(tec_context *context, char target[RUNTIME_MAX_TARGET]) {
  strcpy(target, "nvptx:sm_80");
  return TEC_OK;
}

static const kernel_driver emulator_driver = {
    .session_bytes = sizeof(emulator_session),
    .open = emulator_open,
    .close = emulator_close,
    .allocate = emulator_allocate,
    .release = emulator_release,
    .copy_in = emulator_copy_in,
    .copy_out = emulator_copy_out,
    .launch = emulator_launch,
};

const runtime_device ptx_emu_device = {
    .name = "ptx-emu",
    .target = "nvptx",
    .doc = "NVIDIA programs on the CPU, every access checked",
    .default_target = emulator_target,
    .runner = &kernel_runner,
    .driver = &emulator_driver,
    .reports = true,
};
