/* command_compile.c - tcc-attn compile: a module to IR, assembly, an object with its C header, or a program file.
 *
 * Everything is made before anything is written, and an object together with its header, so that a failure leaves no
 * file behind; the header comes first, so that no object is ever seen without it. */
#include "tools/ocloc.h"
#include "tools/path.h"
#include "tools/tensors.h"
#include "tools/tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum emit_kind {
  EMIT_MLIR,
  EMIT_LLVM,
  EMIT_ASSEMBLY,
  EMIT_PTX,
  EMIT_OBJECT,
  EMIT_SPIRV,
  EMIT_ZEBIN,
  EMIT_PROGRAM,
  EMIT_UNKNOWN
} emit_kind;

static const char spirv_prefix[] = "spirv:";

static emit_kind find_emit(const char *name) {
  static const char *const names[] = {"mlir", "llvm", "asm", "ptx", "obj", "spirv", "zebin", "program"};
  if (!name)
    return EMIT_PROGRAM;
  for (int i = 0; i < EMIT_UNKNOWN; i++)
    if (!strcmp(names[i], name))
      return (emit_kind)i;
  return EMIT_UNKNOWN;
}

/* The code alone, of an object with its header, or a program. */
static tec_status write_program(tec_context *context, const command_options *options, const char *output,
                                const tec_program *program, emit_kind emit) {
  char *file = NULL, *header = NULL;
  const char *bytes;
  size_t size, header_size = 0;
  tec_status status = TEC_OK;
  tec_program_code(program, &bytes, &size);
  if (emit == EMIT_PROGRAM)
    status = tec_program_write(program, &file, &size);
  else if (emit == EMIT_ZEBIN)
    status = ocloc_compile(context, options->target + strlen(spirv_prefix), bytes, size, &file, &size);
  if (file)
    bytes = file;
  if (!status && options->header)
    status = tec_program_header(program, &header, &header_size);
  const tec_file files[] = {{options->header, header, header_size}, {output, bytes, size}};
  if (!status)
    status = tec_files_write(context, header ? 2 : 1, header ? files : files + 1);
  tec_free(header);
  tec_free(file);
  return status;
}

static tec_status compile(tec_context *context, const command_options *options) {
  static const tec_output outputs[] = {[EMIT_MLIR] = TEC_OUTPUT_MLIR,
                                       [EMIT_LLVM] = TEC_OUTPUT_LLVM,
                                       [EMIT_ASSEMBLY] = TEC_OUTPUT_ASSEMBLY,
                                       [EMIT_PTX] = TEC_OUTPUT_ASSEMBLY};
  emit_kind emit = find_emit(options->emit);
  const char *output = options->output ? options->output : "-";
  char *emitted = NULL;
  size_t size;
  tec_module *module = NULL;
  tec_program *program = NULL;
  char *tiles = NULL;
  tec_compile_options compile = command_compile_options(options, options->target);
  tec_status status = command_read(context, options, &module);
  if (!status)
    status = tuned_choose(context, options, module, compile.cores ? (unsigned)compile.cores : tensors_cores(), &compile,
                          &tiles);
  if (!status && emit < EMIT_OBJECT) {
    status = tec_module_emit(module, outputs[emit], &compile, &emitted, &size);
    if (!status)
      status = tec_file_write(context, output, emitted, size);
  } else if (!status) {
    status = tec_module_compile(module, &compile, &program);
    if (!status)
      status = write_program(context, options, output, program, emit);
  }
  tec_free(emitted);
  tec_program_destroy(program);
  tec_module_destroy(module);
  free(tiles);
  return status;
}

/* What code a target is compiled to, other than by ocloc; EMIT_PROGRAM: only what the interpreter reads. */
static emit_kind native_of(const char *target) {
  if (!strncmp(target, "interp", strlen("interp")))
    return EMIT_PROGRAM;
  if (!strncmp(target, spirv_prefix, strlen(spirv_prefix)))
    return EMIT_SPIRV;
  return strncmp(target, "nvptx:", 6) ? EMIT_OBJECT : EMIT_PTX;
}

int command_compile(const command_options *options) {
  emit_kind emit = find_emit(options->emit);
  bool to_terminal = (!options->output || !strcmp(options->output, "-")) && isatty(STDOUT_FILENO);
  const char *target = options->target ? options->target : "host";
  emit_kind native = native_of(target), code = emit == EMIT_ZEBIN ? EMIT_SPIRV : emit;
  path_file input = path_find(options->input), written = path_find(options->output ? options->output : "-"),
            header = path_find(options->header);
  bool is_code = code == EMIT_PTX || code == EMIT_SPIRV || code == EMIT_OBJECT;
  const char *wrong =
      emit == EMIT_UNKNOWN                     ? "--emit is mlir, llvm, asm, ptx, spirv, zebin, obj or program"
      : options->header && emit != EMIT_OBJECT ? "--header goes with --emit=obj"
      : is_code && code != native
          ? "--emit=ptx goes with --target=nvptx:CHIP, spirv and zebin with --target=spirv:CHIP, obj with a host"
      : emit == EMIT_ZEBIN && !strcmp(target, "spirv:generic") ? "--emit=zebin needs a chip: --target=spirv:dg2, say"
      : path_overwrites(written, input) || path_overwrites(header, input) ? "the output would overwrite the input"
      : path_is_same(written, header)                                     ? "-o and --header name the same file"
      : to_terminal && emit >= EMIT_OBJECT                                ? "name an output with -o: this is no text"
                                                                          : NULL;
  if (wrong) {
    fprintf(stderr, "tcc-attn: %s\n", wrong);
    return EXIT_USAGE;
  }
  return command_in_context(options, compile);
}
