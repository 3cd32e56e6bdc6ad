/* tec.h - the public interface of tcc-attn: tensor programs as text in, fused kernels out, called on DLPack tensors.
 *
 * Two libraries share this header. libtec has everything. libtec-rt has no compiler and no LLVM: it loads compiled
 * programs and calls them. What only libtec has stands under "Compiler" below.
 *
 * Conventions
 *  - Functions return a tec_status; what went wrong in words goes to the context's message callback, once for each
 *    error. Out-parameters come last and are written only on TEC_OK.
 *  - Objects are opaque. Who creates one destroys it; every destroy and release function accepts NULL. Modules and
 *    programs must be destroyed before their context. Memory that a function hands out as `char **` is released with
 *    tec_free.
 *  - Option structs start with their own size: `tec_compile_options options = {sizeof options};`. Zero is the default
 *    of every field, so that fields can be added at the end. A NULL options pointer means all defaults.
 *  - A context and all that belongs to it is used by one thread at a time; different contexts are independent.
 *  - After fork(), the child may use and destroy its copies of contexts that were not in use just then, and all that
 *    belongs to them. Their threads are not there: such contexts run kernels on the calling thread alone, new ones on
 *    as many threads as ever. GPUs are for the parent alone, as their drivers want it.
 *  - Wherever a path is taken, "-" is standard input or standard output. Files are written whole or not at all.
 *  - The library never exits, prints, or changes a signal handler or the locale. The one file that it writes unasked is
 *    that of TEC_INTERNAL, in $TMPDIR or /tmp. */
#ifndef TEC_H
#define TEC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEC_API __attribute__((visibility("default")))
#else
#define TEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- DLPack
 * The part of DLPack's stable layout that is used here. To use all of DLPack, include <dlpack/dlpack.h> before this. */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
typedef enum DLDeviceType { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOneAPI = 14 } DLDeviceType;
typedef struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;
typedef enum DLDataTypeCode { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLBfloat = 4U, kDLBool = 6U } DLDataTypeCode;
typedef struct DLDataType {
  uint8_t code, bits; /* a DLDataTypeCode, the width of one lane */
  uint16_t lanes;     /* always 1 here */
} DLDataType;
typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements, or NULL for row-major */
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
} DLManagedTensor;
#endif

/* ------------------------------------------------------------------------------------------------------- general */

typedef enum tec_status {
  TEC_OK = 0,
  TEC_INVALID,       /* text, file, tensor or option is wrong; the message says what */
  TEC_IO,            /* a file cannot be read or written */
  TEC_OUT_OF_MEMORY, /* memory for the call, or scratch memory of a kernel */
  TEC_INTERNAL       /* an error of tcc-attn itself: please report it, with the file that the last message names */
} tec_status;

/* "0.1.0"; a constant. */
TEC_API const char *tec_version(void);
/* Releases what a `char **` parameter received. */
TEC_API void tec_free(void *memory);

/* ------------------------------------------------------------------------------------------------------- contexts */

typedef struct tec_context tec_context;

typedef enum tec_severity { TEC_NOTE, TEC_REMARK, TEC_WARNING, TEC_ERROR } tec_severity;
/* Receives each message as ready text with newline, as in "file:line:col: error: text", the source line and a caret
 * below. `text` dies with the call. Must not call back into the context. */
typedef void (*tec_message_callback)(void *user, tec_severity severity, const char *text);

typedef struct tec_context_options {
  size_t size;
  tec_message_callback message; /* NULL: messages are dropped */
  void *user;                   /* for `message` and `parallel_for` */
  uint32_t threads;             /* that kernels may use, the calling one included; 0: one for each core */
  uint32_t device;              /* which GPU, counted from 0 as its driver does */
  void *stream;                 /* the GPU's stream to work on (a CUstream); NULL: its default stream */
  /* Calls whose tensors are all in the GPU's memory return once their work is on the stream. An error of such work is
   * that of a later call. */
  bool asynchronous;
  /* After each launch the device "ptx-emu" sends a note of what the kernel did: instructions, conflicts between banks
   * of shared memory, sectors of global memory. Calls of programs on other devices fail, but not on the interpreter,
   * which has no kernels. */
  bool report;
  /* Microseconds for which the threads look for the next call before they sleep, each keeping a processor busy. To wake
   * one takes 10 to 60 us: worth it where short calls follow each other. 0: they sleep at once. */
  uint32_t spin;
  /* The caller's own threads, for kernels of hosts: runs body(data, i) once for each 0 <= i < count, in any order,
   * perhaps at once, and returns when all are done. Where bodies differ in length, as under causal masks, the later
   * ones are the longer. It is not called from within a body. `threads` says then how many code is made for, and the
   * context starts none. NULL: its own threads. */
  void (*parallel_for)(void *user, int64_t count, void (*body)(void *data, int64_t i), void *data);
} tec_context_options;

/* Errors: TEC_OUT_OF_MEMORY, TEC_INVALID for a malformed options struct. Threads are started by the first call that can
 * use them. */
TEC_API tec_status tec_context_create(const tec_context_options *options, tec_context **context);
/* Ends its threads. All that was made with it must be gone by then. */
TEC_API void tec_context_destroy(tec_context *context);
/* Enumerates the devices of this library: false past the last. The strings are constants. */
TEC_API bool tec_device_get(unsigned i, const char **name, const char **doc);
/* The target to compile for so that the device runs it well: "host" for the host, "nvptx:sm_90" for such a GPU. *target
 * is the caller's to tec_free. TEC_INVALID if there is no such device in this library or machine. */
TEC_API tec_status tec_device_target(tec_context *context, const char *device, char **target);

/* ------------------------------------------------------------------------------------------------------- files */

/* Reads a whole file. *bytes has a NUL after its `size` bytes and is the caller's to tec_free. */
TEC_API tec_status tec_file_read(tec_context *context, const char *path, char **bytes, size_t *size);
/* Writes a whole file: to a temporary beside it that is then renamed, or through a device or pipe directly. */
TEC_API tec_status tec_file_write(tec_context *context, const char *path, const char *bytes, size_t size);
/* A file to be written. */
typedef struct tec_file {
  const char *path, *bytes;
  size_t size;
} tec_file;
/* Writes several files, all or none as far as the system lets it: only when all temporaries are complete, and what is
 * no file has taken its bytes, are they renamed. */
TEC_API tec_status tec_files_write(tec_context *context, size_t count, const tec_file *files);

/* ------------------------------------------------------------------------------------------------------- tensors */

/* A row-major tensor in host memory, 64-byte aligned, zeroed. Release with tec_tensor_release (or its deleter). */
TEC_API tec_status tec_tensor_create(tec_context *context, DLDataType dtype, int32_t ndim, const int64_t *shape,
                                     DLManagedTensor **tensor);
/* Calls the deleter, if there is one. */
TEC_API void tec_tensor_release(DLManagedTensor *tensor);
/* A row-major copy of any host tensor in another element type: floats are rounded to nearest even, integers wrap. */
TEC_API tec_status tec_tensor_convert(tec_context *context, const DLTensor *source, DLDataType dtype,
                                      DLManagedTensor **tensor);
/* A new tensor from the bytes of one of NumPy's .npy files, versions 1 to 3: bool, integers, f2, f4, f8 and, as '<V2',
 * bf16. Fortran order and foreign byte order are converted. `name` is for messages (NULL: "<memory>"). TEC_INVALID for
 * all other files. */
TEC_API tec_status tec_tensor_read_npy(tec_context *context, const char *name, const char *bytes, size_t size,
                                       DLManagedTensor **tensor);
/* Makes the bytes of an .npy file, version 1, from any host tensor; *bytes is the caller's to tec_free. */
TEC_API tec_status tec_tensor_write_npy(tec_context *context, const DLTensor *tensor, char **bytes, size_t *size);

/* ------------------------------------------------------------------------------------------------------- programs
 * A compiled program: a target's code with its entry points and their types; one file. */

typedef struct tec_program tec_program;

typedef enum tec_kind {
  TEC_KIND_SCALAR, /* passed as a tensor of rank 0 */
  TEC_KIND_TENSOR, /* read only */
  TEC_KIND_BUFFER  /* a memref argument: read and written in place */
} tec_kind;

typedef struct tec_type {
  tec_kind kind;
  DLDataType dtype; /* integers are signless: kDLInt and kDLUInt of the width are both accepted */
  int32_t ndim;
  const int64_t *shape; /* `ndim` extents, -1 where any is accepted */
} tec_type;

typedef struct tec_entry {
  const char *name;
  uint32_t num_arguments, num_results;
  const tec_type *arguments, *results;
  double flops;      /* of the contractions, 2*M*N*K each; 0 where unknown (dynamic shapes) */
  const char *tiles; /* the tile sizes chosen, outermost loop first, for people; "" where there are none */
} tec_entry;

/* Reads a program from the bytes of its file; `name` is for messages (NULL: "<memory>"), the bytes are copied. A
 * damaged file is TEC_INVALID. Running a program runs its machine code: load only what you trust. */
TEC_API tec_status tec_program_read(tec_context *context, const char *name, const char *bytes, size_t size,
                                    tec_program **program);
/* Makes the bytes of a program's file; the caller's to tec_free. */
TEC_API tec_status tec_program_write(const tec_program *program, char **bytes, size_t *size);
/* tec_program_read from a file. */
TEC_API tec_status tec_program_load(tec_context *context, const char *path, tec_program **program);
/* tec_program_write to a file. */
TEC_API tec_status tec_program_save(const tec_program *program, const char *path);
/* Do the bytes start like a program's file? */
TEC_API bool tec_program_probe(const char *bytes, size_t size);
/* Releases its code as well: no call of it may be under way. */
TEC_API void tec_program_destroy(tec_program *program);

/* What it was compiled for: "host:znver4", "interp". The string belongs to the program. */
TEC_API const char *tec_program_target(const tec_program *program);
/* Fills *entry for 0 <= i < number of entry points; false past the last. What it points to belongs to the program. */
TEC_API bool tec_program_entry(const tec_program *program, unsigned i, tec_entry *entry);
/* Finds an entry point by its name, or the only one when `name` is NULL. TEC_INVALID if there is none. */
TEC_API tec_status tec_program_find(const tec_program *program, const char *name, tec_entry *entry);
/* The target's code: a relocatable object for the host. Belongs to the program. */
TEC_API void tec_program_code(const tec_program *program, const char **bytes, size_t *size);
/* A C header for the program's object: the kernel's interface and one typed inline function an entry point, f_call
 * for f. *text is the caller's to tec_free. TEC_INVALID unless the target is a host and the entry points' names are C
 * identifiers other than "main", f and f_call not both. */
TEC_API tec_status tec_program_header(const tec_program *program, char **text, size_t *size);

/* Chooses the device for the calls to come. Without it, that is the first in the order of tec_device_get that runs
 * programs for the target. TEC_INVALID if the device does not. */
TEC_API tec_status tec_program_set_device(tec_program *program, const char *device);
/* Calls entry point `name` (NULL: the only one). Arguments: row-major tensors with the element types and shapes of the
 * entry, in host memory or, where a GPU runs the program, in that GPU's, which spares the copies; they are read only,
 * TEC_KIND_BUFFER ones excepted. results[i]: NULL asks for a new tensor in host memory, which is then the caller's to
 * release; otherwise it is written in place and must have the right type and shape. Results and TEC_KIND_BUFFER
 * arguments must not overlap each other or anything else (TEC_INVALID). After a failure no new tensors are left, and
 * tensors given hold anything; only where the arguments do not fit together is nothing touched. The first call loads
 * the code. */
TEC_API tec_status tec_program_call(tec_program *program, const char *name, uint32_t num_arguments,
                                    const DLTensor *const *arguments, uint32_t num_results, DLManagedTensor **results);
/* The most scratch memory in bytes that was held at one time in the latest call (stacks excluded). */
TEC_API size_t tec_program_scratch_bytes(const tec_program *program);
/* How long the kernels of the latest call ran by the clock of a GPU, in seconds; 0 where there is none, or for an
 * asynchronous call. */
TEC_API double tec_program_device_seconds(const tec_program *program);

/* ------------------------------------------------------------------------------------------------------- Compiler
 * All below is in libtec only. */

typedef struct tec_module tec_module;

/* The most cores that code is made for: more have nothing to share that is worth it, and counts of tiles and
 * iterations stay small numbers. */
enum { TEC_MAX_CORES = 4096 };

typedef struct tec_compile_options {
  size_t size;
  /* "host" (this machine), "host:CPU" (an LLVM CPU name), "nvptx:CHIP" (sm_80, ..), "spirv:CHIP" (generic, ..),
   * "interp", "interp:double", "interp:tf32": see tec_target_get. NULL: "host". */
  const char *target;
  bool verify;      /* check the module after each pass */
  bool no_fuse;     /* tile, but do not fuse */
  const char *dump; /* passes, separated by commas, or "all": `on_dump` receives the module's text after it */
  void (*on_dump)(void *user, const char *pass, const char *text);
  void (*on_time)(void *user, const char *phase, double seconds); /* after each phase; may be NULL */
  void *user;                                                     /* for both */
  bool tf32; /* products of f32 may round their factors to tf32 (10 bits), where matrix units want that */
  /* Tile sizes around contractions instead of the schedule's own choice, for the host:
   * "rows=64,columns=128,reduction=256, softmax=128" or some of them. `reduction` is the step of long reductions,
   * `softmax` that of running softmaxes. */
  const char *tiles;
  bool fast_exp; /* exponentials of f32 may err by 2e-7 of the result instead of 1.3e-7, on the host */
  /* Of the host that the code is for, which share its loops; 0: as many as the context was given threads, or else as
   * this process may use. More than TEC_MAX_CORES count as so many. */
  size_t cores;
  bool c_names; /* refuse functions whose names tec_program_header could not use */
} tec_compile_options;

/* Enumerates the ops of the language: false past the last. The strings are constants, here and below. */
TEC_API bool tec_op_get(unsigned i, const char **name, const char **doc);
/* Enumerates the passes that tec_module_run_passes knows. */
TEC_API bool tec_pass_get(unsigned i, const char **name, const char **doc);
/* Enumerates the targets, forms such as "host:CPU" among them. */
TEC_API bool tec_target_get(unsigned i, const char **name, const char **doc);
/* Whether `tiles` is what tec_compile_options wants of them, as NULL is. */
TEC_API bool tec_tiles_check(const char *tiles);
/* Enumerates the named hardware layouts. */
TEC_API bool tec_layout_get(unsigned i, const char **name, const char **doc);
/* A layout, by name or as digits ("[L8@4 R2@2, R2@1 L4@1]"), for people: its digits as a table and the thread that
 * holds each element, or with `svg` a drawing of the latter. *text is the caller's to tec_free; `size` may be NULL. */
TEC_API tec_status tec_layout_draw(tec_context *context, const char *layout, bool svg, char **text, size_t *size);

/* Parses and verifies a module; `name` stands for the text in messages (NULL: "<memory>"); both are copied. Each error
 * found is one message, up to 20; a note says that there are more. *module is the caller's to tec_module_destroy; it is
 * not set on failure. */
TEC_API tec_status tec_module_parse(tec_context *context, const char *name, const char *text, size_t size,
                                    tec_module **module);
/* Releases the module. Programs made from it stay. */
TEC_API void tec_module_destroy(tec_module *module);
/* The module as text, pretty or with every op in generic form. *text is the caller's to tec_free; `size` may be
 * NULL. */
TEC_API tec_status tec_module_print(const tec_module *module, bool generic, char **text, size_t *size);
/* The layouts of the module's vectors, each once, with how many vectors have it. *text is the caller's to tec_free. */
TEC_API tec_status tec_module_layouts(const tec_module *module, char **text, size_t *size);
/* Runs a comma-separated list of passes in place, or the module's own transform script when `passes` is NULL (no
 * script: the module stays as it is). After a failure the module is only good for tec_module_destroy. */
TEC_API tec_status tec_module_run_passes(tec_module *module, const char *passes, const tec_compile_options *options);
/* What the compiler makes of the module for the target, in words, for people: what it recognised, which ops share a
 * kernel, which do not and why, with the lines of the source. Afterwards the module is only good for tec_module_print
 * and tec_module_destroy. *text is the caller's to tec_free; `size` may be NULL. */
TEC_API tec_status tec_module_explain(tec_module *module, const tec_compile_options *options, char **text,
                                      size_t *size);
/* Compiles the functions of the module that are not private. The module is lowered in place on the way and afterwards
 * only good for tec_module_print and tec_module_destroy. The program does not depend on the module. Code of several
 * kernels for a host is made by as many threads as options->cores, but no more than 16, which end with the call. */
TEC_API tec_status tec_module_compile(tec_module *module, const tec_compile_options *options, tec_program **program);

typedef enum tec_output { TEC_OUTPUT_MLIR, TEC_OUTPUT_LLVM, TEC_OUTPUT_ASSEMBLY } tec_output;
/* As tec_module_compile, but hands out a stage on the way as text: what code is made from, LLVM IR, assembly. `size`
 * may be NULL. */
TEC_API tec_status tec_module_emit(tec_module *module, tec_output output, const tec_compile_options *options,
                                   char **text, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
