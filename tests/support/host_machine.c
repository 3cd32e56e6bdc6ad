/* host_machine.c - see host_machine.h. Invariant: what was allocated in a run has been released after it. */
#include "tests/support/host_machine.h"

#include "ir/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void on_message(void *user, ir_severity severity, const char *rendered) {
  machine *m = user;
  strncat(m->messages, rendered, sizeof m->messages - strlen(m->messages) - 1);
}

static void serial_for(void *context, int64_t count, void (*body)(void *data, int64_t index), void *data) {
  for (int64_t i = count; i-- > 0;)
    body(data, i);
}

static void *allocate(void *context, size_t size) {
  machine *m = context;
  if (++m->allocations == m->fail_at)
    return NULL;
  m->live++;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void release(void *context, void *memory) {
  machine *m = context;
  m->live--;
  free(memory);
}

static bool compile_with(machine *m, const char *target, bool fast_exp, const char *text, backend_output output,
                         char **bytes, size_t *size) {
  target_facts facts;
  *m = (machine){.env = {m, serial_for, allocate, release}};
  m->module = ir_module_create(on_message, m);
  if (!ir_parse(m->module, "test.mlir", text, strlen(text)) || !backend_target_host(m->module, target, &facts))
    return false;
  facts.fast_exp = fast_exp;
  return backend_emit_host(m->module, &facts, output, bytes, size);
}

bool machine_compile(machine *m, const char *target, const char *text, backend_output output, char **bytes,
                     size_t *size) {
  return compile_with(m, target, false, text, output, bytes, size);
}

tec_host_kernel machine_load_with(machine *m, const char *target, bool fast_exp, const char *text) {
  char *object = NULL;
  size_t size = 0;
  cr_assert(compile_with(m, target, fast_exp, text, BACKEND_OBJECT, &object, &size), "%s", m->messages);
  cr_assert(backend_jit_create(m->module, object, size, &m->jit), "%s", m->messages);
  free(object);
  void *kernel = backend_jit_lookup(m->jit, "f");
  cr_assert(kernel);
  return (tec_host_kernel)kernel;
}

tec_host_kernel machine_load(machine *m, const char *target, const char *text) {
  return machine_load_with(m, target, false, text);
}

void machine_finish(machine *m) {
  backend_jit_destroy(m->jit);
  ir_module_destroy(m->module);
}

int machine_run_for(const char *target, const char *text, void *const *data, const int64_t *dims) {
  machine m;
  tec_host_kernel kernel = machine_load(&m, target, text);
  int status = kernel(data, dims, &m.env);
  cr_assert_eq(m.live, 0);
  machine_finish(&m);
  return status;
}

int machine_run(const char *text, void *const *data, const int64_t *dims) {
  return machine_run_for("host", text, data, dims);
}

void machine_refuse(const char *text, const char *expected) {
  machine m;
  char *bytes = NULL;
  size_t size;
  cr_assert(!machine_compile(&m, "host", text, BACKEND_OBJECT, &bytes, &size));
  cr_assert(strstr(m.messages, expected), "%s", m.messages);
  cr_assert_eq(m.module->num_errors, 1, "%s", m.messages);
  machine_finish(&m);
}
