/* tec_target.c - the families of targets, and what a target name means to the passes. */
#include "backend/backend.h"
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const compiler_target targets[] = {
    {"host", "host[:CPU]", "this machine, or the named LLVM processor (host:znver4, host:x86-64-v3)", CODE_HOST},
#define NVPTX_TARGET(CHIP, PTX, SHARED_KIB, DOC) {"nvptx", "nvptx:" CHIP, DOC, CODE_KERNELS},
#define SPIRV_TARGET(CHIP, LANES, THREADS, SHARED_KIB, WARPS, ROWS, UNIT, SPELLING, BLOCKS, HALF, DOUBLE, DOC) \
  {"spirv", "spirv:" CHIP, DOC, CODE_KERNELS},
#include "passes/target.def"
#undef NVPTX_TARGET
#undef SPIRV_TARGET
    {"interp", "interp[:double]", "the reference interpreter; with :double, all floats in double precision", CODE_TEXT},
};
enum { NUM_TARGETS = sizeof targets / sizeof targets[0] };

bool tec_target_get(unsigned i, const char **name, const char **doc) {
  if (i >= NUM_TARGETS) return false;
  *name = targets[i].name;
  *doc = targets[i].doc;
  return true;
}

const compiler_target *compiler_find_target(tec_context *context, const char *name) {
  size_t family = strcspn(name, ":");
  for (unsigned i = 0; i < NUM_TARGETS; i++)
    if (strlen(targets[i].family) == family && !memcmp(targets[i].family, name, family)) return &targets[i];
  runtime_error(context, TEC_INVALID, "there is no target '%s'", name);
  return NULL;
}

/* An internal error leaves what is needed to see it again in the folder for temporary files. */
static void write_fault(void *user, const char *passes, const char *text) {
  tec_context *context = user;
  const char *folder = getenv("TMPDIR");
  byte_buffer path = {0}, file = {0}, note = {0};
  byte_buffer_printf(&path, "%s/tcc-attn-XXXXXX.mlir", folder && *folder ? folder : "/tmp");
  byte_buffer_printf(&file, "// tcc-attn %s: an internal error; `tcc-attn opt FILE --verify --passes=%s` shows it again.\n%s",
                     tec_version(), passes, text);
  int handle = path.failed || file.failed ? -1 : mkstemps(path.bytes, (int)strlen(".mlir"));
  if (handle >= 0) {
    close(handle);
    if (!tec_file_write(context, path.bytes, file.bytes, file.size))
      byte_buffer_printf(&note, "note: the module before the failing pass is in '%s'; please send it along\n", path.bytes);
  }
  if (note.bytes && context->message) context->message(context->user, TEC_NOTE, note.bytes);
  free(path.bytes);
  free(file.bytes);
  free(note.bytes);
}

/* "rows=64,softmax=128" into `tiles`; false if it is not of that form. */
static bool read_tiles(const char *text, target_tiles *tiles) {
  const struct {
    const char *name;
    int64_t *size;
  } sizes[] = {{"rows=", &tiles->rows},
               {"columns=", &tiles->columns},
               {"reduction=", &tiles->reduction},
               {"softmax=", &tiles->softmax}};
  enum { NUM_SIZES = sizeof sizes / sizeof *sizes, MOST = 1 << 20 };
  for (bool more = true; more;) {
    unsigned i = 0;
    while (i < NUM_SIZES && strncmp(text, sizes[i].name, strlen(sizes[i].name))) i++;
    if (i == NUM_SIZES) return false;
    text += strlen(sizes[i].name);
    char *end;
    long size = strtol(text, &end, 10);
    if (*text < '1' || *text > '9' || size > MOST) return false;
    *sizes[i].size = size;
    more = *end == ',';
    text = end + more;
  }
  return !*text;
}

tec_status compiler_pass_options(tec_module *module, const tec_compile_options *options, target_facts *facts,
                                 pass_options *passes) {
  const char *target = options->target ? options->target : "host";
  const compiler_target *row = compiler_find_target(module->context, target);
  if (!row) return TEC_INVALID;
  if (row->code == CODE_KERNELS) {
    if (!target_find(target, facts))
      return runtime_error(module->context, TEC_INVALID, "there is no target '%s'; 'tcc-attn list targets' shows all",
                           target);
  } else if (!backend_target_host(module->ir, row->code == CODE_HOST ? target : "host", facts)) {
    return TEC_INVALID; /* passes that are run for the interpreter are those of this machine */
  }
  if (options->tf32) target_allow_tf32(facts);
  if (options->tiles && (row->code == CODE_KERNELS || !read_tiles(options->tiles, &facts->tiles)))
    return runtime_error(module->context, TEC_INVALID, row->code == CODE_KERNELS
                             ? "tile sizes are for the host; on a GPU they follow from its registers"
                             : "'%s' are no tile sizes; they look like rows=64,columns=128,reduction=256,softmax=128",
                         options->tiles);
  *passes = (pass_options){.target = facts,
                           .verify = options->verify,
                           .fuse = !options->no_fuse,
                           .dump = options->on_dump ? options->dump : NULL,
                           .dump_sink = options->on_dump,
                           .dump_user = options->user,
                           .time_sink = options->on_time,
                           .time_user = options->user,
                           .fault_sink = write_fault,
                           .fault_user = module->context};
  return TEC_OK;
}

tec_status compiler_status(const tec_module *module, bool good) {
  return good ? TEC_OK : module->ir->broken_by ? TEC_INTERNAL : TEC_INVALID;
}
