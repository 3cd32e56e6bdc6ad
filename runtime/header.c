/* header.c - the C header that goes with an emitted object: the kernel's interface, an environment that needs only the
 * C library, and one typed inline function an entry point. */
#include "runtime/runtime.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char preamble[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/* What a kernel needs from its caller. Any number of kernels may share one; fill in your own to run the "
    "parallel\n"
    " * loops on your threads or to provide the scratch memory. */\n"
    "#ifndef TEC_HOST_ABI_H\n"
    "#define TEC_HOST_ABI_H\n"
    "typedef struct tec_host_env {\n"
    "  void *context;\n"
    "  /* Runs body(data, i) once for each 0 <= i < count, in any order, perhaps at once; returns when all are\n"
    "   * done. Where bodies differ in length, as under causal masks, the later ones are the longer. May be called\n"
    "   * from within a body, where the program calls a function in a loop. */\n"
    "  void (*parallel_for)(void *context, int64_t count, void (*body)(void *data, int64_t index), void *data);\n"
    "  /* Scratch memory, 64-byte aligned, or NULL. May be called from the bodies of parallel_for. */\n"
    "  void *(*allocate)(void *context, size_t size);\n"
    "  void (*release)(void *context, void *memory);\n"
    "} tec_host_env;\n"
    "#endif\n"
    "\n"
    "#ifndef TEC_HOST_SERIAL\n"
    "#define TEC_HOST_SERIAL\n"
    "static inline void tec_serial_for(void *context, int64_t count, void (*body)(void *data, int64_t index),\n"
    "                                  void *data) {\n"
    "  (void)context;\n"
    "  for (int64_t i = 0; i < count; i++) body(data, i);\n"
    "}\n"
    "static inline void *tec_serial_allocate(void *context, size_t size) {\n"
    "  (void)context;\n"
    "  return size > SIZE_MAX - 64 ? NULL : aligned_alloc(64, (size + 63) / 64 * 64 + (size == 0) * 64);\n"
    "}\n"
    "static inline void tec_serial_release(void *context, void *memory) {\n"
    "  (void)context;\n"
    "  free(memory);\n"
    "}\n"
    "/* One thread, memory from the C library. */\n"
    "static inline tec_host_env tec_host_serial_env(void) {\n"
    "  tec_host_env env = {NULL, tec_serial_for, tec_serial_allocate, tec_serial_release};\n"
    "  return env;\n"
    "}\n"
    "#endif\n";

/* Names that a function cannot have in C or C++, with a blank before and after each. "main", which exporters like, is
 * that of the program that the object is for. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast "
    "constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false float "
    "for "
    "friend goto if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

bool program_name_is_c(const char *name) {
  if (!isalpha((unsigned char)*name) && *name != '_')
    return false;
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (name[length])
    return false;
  for (const char *found = keywords; (found = strstr(found, name)); found++)
    if (found[-1] == ' ' && found[length] == ' ')
      return false;
  return true;
}

/* C has no portable 16-bit floats: those are passed as their bit patterns. */
static const char *c_type(DLDataType dtype) {
  if (dtype.code == kDLFloat && dtype.bits == 32)
    return "float";
  if (dtype.code == kDLFloat && dtype.bits == 64)
    return "double";
  switch (dtype.bits) {
  case 8:
    return dtype.code == kDLBool ? "uint8_t" : "int8_t";
  case 16:
    return runtime_dtype_is_float(dtype) ? "uint16_t" : "int16_t";
  case 32:
    return "int32_t";
  default:
    return "int64_t";
  }
}

static void describe(byte_buffer *text, const char *group, uint32_t count, const tec_type *types) {
  for (uint32_t i = 0; i < count; i++) {
    byte_buffer_printf(text, " *   %s%u: %s%s", group, i, types[i].kind == TEC_KIND_SCALAR ? "" : "row-major ",
                       runtime_dtype_name(types[i].dtype));
    for (int32_t d = 0; d < types[i].ndim; d++)
      if (types[i].shape[d] < 0)
        byte_buffer_printf(text, "[%s%u_dim%d]", group, i, d);
      else
        byte_buffer_printf(text, "[%lld]", (long long)types[i].shape[d]);
    byte_buffer_printf(text, "%s\n", types[i].kind == TEC_KIND_BUFFER ? ", written in place" : "");
  }
}

/* The parameters of one group: its unknown extents, and a pointer or scalar each. */
static void declare(byte_buffer *text, const char *group, uint32_t count, const tec_type *types, bool constant) {
  for (uint32_t i = 0; i < count; i++) {
    const char *type = c_type(types[i].dtype);
    if (types[i].kind == TEC_KIND_SCALAR && constant)
      byte_buffer_printf(text, "%s %s%u, ", type, group, i);
    else
      byte_buffer_printf(text, "%s%s *%s%u, ", constant && types[i].kind == TEC_KIND_TENSOR ? "const " : "", type,
                         group, i);
    for (int32_t d = 0; d < types[i].ndim; d++)
      if (types[i].shape[d] < 0)
        byte_buffer_printf(text, "int64_t %s%u_dim%d, ", group, i, d);
  }
}

static void list_dims(byte_buffer *text, const char *group, uint32_t count, const tec_type *types) {
  for (uint32_t i = 0; i < count; i++)
    for (int32_t d = 0; d < types[i].ndim; d++)
      if (types[i].shape[d] < 0)
        byte_buffer_printf(text, "%s%u_dim%d, ", group, i, d);
      else
        byte_buffer_printf(text, "%lld, ", (long long)types[i].shape[d]);
}

static void append_entry(byte_buffer *text, const tec_entry *entry) {
  byte_buffer_printf(text,
                     "\nint32_t %s(void *const *data, const int64_t *dims, const tec_host_env *env);\n"
                     "int32_t %s_shapes(const int64_t *dims, int64_t *result_dims, void *const *data);\n\n/* %s:\n",
                     entry->name, entry->name, entry->name);
  describe(text, "arg", entry->num_arguments, entry->arguments);
  describe(text, "result", entry->num_results, entry->results);
  byte_buffer_printf(text,
                     " * What is written must not overlap anything. `env` NULL: one thread, memory from the C library.\n"
                     " * Returns 0, 1 when scratch memory ran out, 2 when the arguments do not fit together, 3 when\n"
                     " * the system does not let the process use the matrix unit that the code is for. */\n"
                     "static inline int32_t %s_call(",
                     entry->name);
  declare(text, "arg", entry->num_arguments, entry->arguments, true);
  declare(text, "result", entry->num_results, entry->results, false);
  byte_buffer_printf(text, "const tec_host_env *env) {\n  void *data[] = {");
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    byte_buffer_printf(text, "(void *)%sarg%u, ", entry->arguments[i].kind == TEC_KIND_SCALAR ? "&" : "", i);
  for (uint32_t i = 0; i < entry->num_results; i++)
    byte_buffer_printf(text, "(void *)result%u, ", i);
  byte_buffer_printf(text, "NULL};\n  int64_t dims[] = {");
  list_dims(text, "arg", entry->num_arguments, entry->arguments);
  list_dims(text, "result", entry->num_results, entry->results);
  unsigned argument_dims = 0, result_dims = 0;
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    argument_dims += (unsigned)entry->arguments[i].ndim;
  for (uint32_t i = 0; i < entry->num_results; i++)
    result_dims += (unsigned)entry->results[i].ndim;
  byte_buffer_printf(text,
                     "0}, result_dims[%u];\n"
                     "  if (%s_shapes(dims, result_dims, data)) return 2;\n"
                     "  for (int i = 0; i < %u; i++)\n"
                     "    if (dims[%u + i] != result_dims[i]) return 2;\n"
                     "  tec_host_env serial = tec_host_serial_env();\n"
                     "  return %s(data, dims, env ? env : &serial);\n"
                     "}\n",
                     result_dims + 1, entry->name, result_dims, argument_dims, entry->name);
}

/* An entry point f beside one of the name f_call; NULL if there is none. */
static const char *name_taken_by_a_call(const tec_program *program) {
  for (unsigned i = 0; i < program->num_entries; i++)
    for (unsigned k = 0; k < program->num_entries; k++) {
      const char *name = program->entries[i].name, *other = program->entries[k].name;
      if (!strncmp(other, name, strlen(name)) && !strcmp(other + strlen(name), "_call"))
        return name;
    }
  return NULL;
}

tec_status tec_program_header(const tec_program *program, char **out, size_t *size) {
  tec_context *context = program->context;
  if (program->device != &host_device)
    return runtime_error(context, TEC_INVALID, "a C header is made for host programs, not for '%s'", program->target);
  for (unsigned i = 0; i < program->num_entries; i++)
    if (!program_name_is_c(program->entries[i].name))
      return runtime_error(context, TEC_INVALID, "the function name '%s' cannot be used in C",
                           program->entries[i].name);
  const char *taken = name_taken_by_a_call(program);
  if (taken)
    return runtime_error(context, TEC_INVALID, "the header's function that calls '%s' would have the name of another",
                         taken);
  byte_buffer text = {0};
  byte_buffer_printf(&text, "/* Made by tcc-attn %s for %s. */\n#pragma once\n%s", TEC_VERSION, program->target,
                     preamble);
  for (unsigned i = 0; i < program->num_entries; i++)
    append_entry(&text, &program->entries[i]);
  byte_buffer_printf(&text, "\n#ifdef __cplusplus\n}\n#endif\n");
  return byte_buffer_finish(context, &text, out, size);
}
