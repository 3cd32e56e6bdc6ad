/* runtime.h - what the files of the runtime share. Not installed.
 *
 * Invariants
 *  - Everything here works without the compiler. What the compiler adds (the interpreter as a device, LLVM's linker in
 *    place of ours) comes in through the one constant `runtime_platform`, which each of the two libraries defines.
 *  - A message is reported exactly where the error is found, and the status is then only passed on. */
#ifndef TEC_RUNTIME_RUNTIME_H
#define TEC_RUNTIME_RUNTIME_H
#include "runtime/host_abi.h"
#include "runtime/program.h"
#include "runtime/tec.h"
#include "runtime/thread_pool.h"

enum { RUNTIME_MAX_RANK = 16, RUNTIME_ALIGNMENT = 64, RUNTIME_MAX_TARGET = 64, RUNTIME_MAX_ARGUMENTS = 1 << 12 };
/* Tensors and scratch memory lie on large pages where the system has them, and constants of so many bytes: a product
 * reads many rows at a time, which are pages of their own otherwise, more than the processor remembers. */
enum { RUNTIME_LARGE_PAGE = 2 << 20, RUNTIME_MANY_BYTES = 2 * RUNTIME_LARGE_PAGE };

struct tec_context {
  tec_message_callback message;
  void *user;
  unsigned threads; /* 0: one for each core */
  unsigned spin;
  uint32_t device;
  void *stream;
  bool asynchronous;
  bool report;
  void (*parallel_for)(void *user, int64_t count, void (*body)(void *data, int64_t i), void *data);
  thread_pool *pool; /* started by the first call of a host's kernel, unless there is `parallel_for` */
};

/* Reports "error: <text>" and returns `status`. */
tec_status runtime_error(tec_context *context, tec_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Copies an option struct of any age into `options` (`size` bytes): fields that the caller's did not have are zero.
 * `given` may be NULL. False when its size field cannot be right. */
bool runtime_options(void *options, size_t size, const void *given);

/* Memory of at least one byte, aligned to RUNTIME_ALIGNMENT, on large pages as far as it fills them; the caller frees
 * it. NULL: there is none. */
void *runtime_allocate(size_t bytes);

/* ------------------------------------------------------------------------------------------------ growing bytes */

/* A byte string that grows. After a failed allocation `failed` is set and everything later is ignored. */
typedef struct byte_buffer {
  char *bytes; /* from malloc; NUL-terminated once something was appended */
  size_t size, capacity;
  bool failed;
} byte_buffer;

void byte_buffer_append(byte_buffer *buffer, const void *bytes, size_t size);
/* The lowest `bytes` bytes of a number, little-endian. */
void byte_buffer_number(byte_buffer *buffer, uint64_t value, unsigned bytes);
/* Its size in 8 bytes, then the bytes. */
void byte_buffer_string(byte_buffer *buffer, const char *bytes, size_t size);
void byte_buffer_printf(byte_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands the bytes to the caller, or reports that memory ran out. */
tec_status byte_buffer_finish(tec_context *context, byte_buffer *buffer, char **bytes, size_t *size);

/* What is left of a file. After the first thing that does not fit, `wrong` says what, and all reads give 0. */
typedef struct byte_reader {
  const char *at;
  size_t left;
  const char *wrong;
} byte_reader;

void byte_reader_fail(byte_reader *reader, const char *wrong);
/* The next `size` bytes, in place; NULL after a failure. */
const char *byte_reader_raw(byte_reader *reader, size_t size);
uint64_t byte_reader_number(byte_reader *reader, unsigned bytes);
/* What byte_buffer_string wrote, copied, without NULs in it; the caller frees it. NULL after a failure. */
char *byte_reader_string(byte_reader *reader);

/* ----------------------------------------------------------------------------------------------- tensors (tensor.c) */

static inline DLDataType runtime_dtype(uint8_t code, uint8_t bits) { return (DLDataType){code, bits, 1}; }
/* The dtype is one that memory here can hold: whole bytes, one lane. */
bool runtime_dtype_known(DLDataType dtype);
/* "f32", "bf16", "i64", "i1"; the text is a constant. Signless, as the language's types are. */
const char *runtime_dtype_name(DLDataType dtype);
/* The number of elements, or -1 when an extent is negative, or `shape` NULL where there are extents, or the bytes do
 * not fit into half the address space. */
int64_t runtime_num_elements(DLDataType dtype, int32_t ndim, const int64_t *shape);
static inline void *runtime_tensor_data(const DLTensor *tensor) { return (char *)tensor->data + tensor->byte_offset; }
/* One element as a double or, for integers, as 64 bits. */
double runtime_load_float(DLDataType dtype, const void *element);
void runtime_store_float(DLDataType dtype, void *element, double value);
int64_t runtime_load_int(DLDataType dtype, const void *element);
void runtime_store_int(DLDataType dtype, void *element, int64_t value);
static inline bool runtime_dtype_is_float(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat;
}

/* --------------------------------------------------------------------------------------------- programs (program.c) */

typedef struct runtime_device runtime_device;

struct tec_program {
  tec_context *context;
  char *target;
  tec_entry *entries;
  unsigned num_entries;
  program_routine *routines; /* one an entry point; NULL where the code does it all */
  char *code;
  size_t code_size;
  char *source;                 /* whose text the code is, for messages; NULL: no file's */
  const runtime_device *device; /* what runs it; NULL if this library has none for the target */
  void *loaded;                 /* the device's, from the first call on */
  size_t scratch_bytes;
  double device_seconds;
};

/* A program from its parts; everything is copied. `routines`: one an entry point, or NULL where the code does it
 * all. */
tec_status program_create(tec_context *context, const char *target, unsigned num_entries, const tec_entry *entries,
                          const program_routine *routines, const char *code, size_t code_size, tec_program **program);

/* Can an entry point have that name in C and C++? (header.c) */
bool program_name_is_c(const char *name);
/* The entry point of that name, or the only one for NULL; one of program->entries. NULL after a reported error. */
const tec_entry *program_find_entry(const tec_program *program, const char *name);

/* ------------------------------------------------------------------------------------- devices (device.def, call.c) */

typedef struct kernel_driver kernel_driver;

/* Runs loaded programs. `call` gets arguments that were checked against the entry, one of program->entries; for each
 * result it uses the tensor there or creates one, with call_result. */
typedef struct program_runner {
  tec_status (*load)(tec_program *program, void **loaded);
  tec_status (*call)(tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                     DLManagedTensor **results);
  void (*unload)(void *loaded);
} program_runner;

/* What runs the programs of one family of targets. */
struct runtime_device {
  const char *name, *target, *doc; /* target: up to the ':' of the program's */
  /* Writes the target to compile for; NULL: the device's name is one. */
  tec_status (*default_target)(tec_context *context, char target[RUNTIME_MAX_TARGET]);
  const program_runner *runner;
  const kernel_driver *driver; /* of devices whose runner is kernel_runner (kernel_device.h) */
  bool reports;                /* it can tell what kernels did; the interpreter has none */
};

/* The device of that name; NULL after a reported error. */
const runtime_device *runtime_find_device(tec_context *context, const char *name);
/* Reports that the arguments do not fit together, and at which line, if `line` is one (tec_host_shapes). */
tec_status call_misfit(const tec_program *program, const tec_entry *entry, int64_t line);
/* Result `i` has this shape: checks the caller's tensor, or creates one. */
tec_status call_result(tec_program *program, const tec_entry *entry, uint32_t i, const int64_t *shape,
                       DLManagedTensor **result);

/* How the host device turns an object file into callable code. */
typedef struct code_loader {
  tec_status (*load)(tec_context *context, const char *object, size_t size, void **loaded);
  void *(*find)(void *loaded, const char *symbol); /* NULL if there is none */
  void (*unload)(void *loaded);
} code_loader;

extern const code_loader elf_loader; /* ours (elf_loader.c) */

typedef struct runtime_platform_row {
  const runtime_device *const *devices; /* NULL-terminated */
  const code_loader *loader;
} runtime_platform_row;

extern const runtime_platform_row runtime_platform;
extern const runtime_device host_device, cuda_device, ptx_emu_device, level_zero_device, opencl_device;
#endif
