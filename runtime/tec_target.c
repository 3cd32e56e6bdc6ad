/* tec_target.c - the families of targets, and what a target name means to the passes. */
#include "backend/backend.h"
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>

/* Targets by their full names, but for the host's, behind which a processor may stand. */
static const struct target_row {
  const char *name, *doc;
  compiler_code code;
} targets[] = {
    {"host[:CPU]", "this machine, or the named LLVM processor (host:znver4, host:x86-64-v3)", CODE_HOST},
#define NVPTX_TARGET(CHIP, PTX, SHARED_KIB, PROCESSORS, WHO, DOC) {"nvptx:" CHIP, DOC, CODE_KERNELS},
#define SPIRV_TARGET(CHIP, LANES, THREADS, SHARED_KIB, LANE_WORDS, WARPS, ROWS, UNIT, SPELLING, BLOCKS, DOUBLE, DOC)   \
  {"spirv:" CHIP, DOC, CODE_KERNELS},
#include "passes/target.def"
#undef NVPTX_TARGET
#undef SPIRV_TARGET
    {"interp", "the reference interpreter", CODE_TEXT},
    {"interp:double", "the same with all floats in double precision", CODE_TEXT},
    {"interp:tf32", "the interpreter with factors of f32 rounded to tf32", CODE_TEXT},
};
enum { NUM_TARGETS = sizeof targets / sizeof targets[0] };

bool tec_target_get(unsigned i, const char **name, const char **doc) {
  if (i >= NUM_TARGETS)
    return false;
  *name = targets[i].name;
  *doc = targets[i].doc;
  return true;
}

static bool find_code(const char *name, compiler_code *code) {
  bool is_host = !strncmp(name, "host", 4) && (!name[4] || name[4] == ':');
  for (unsigned i = 0; i < NUM_TARGETS; i++)
    if (is_host ? targets[i].code == CODE_HOST : !strcmp(targets[i].name, name)) {
      *code = targets[i].code;
      return true;
    }
  return false;
}

/* "rows=64,softmax=128" into `tiles`; false if it is not of that form, with each size at most once. */
static bool read_tiles(const char *text, target_tiles *tiles) {
  *tiles = (target_tiles){0};
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
    while (i < NUM_SIZES && strncmp(text, sizes[i].name, strlen(sizes[i].name)))
      i++;
    if (i == NUM_SIZES)
      return false;
    text += strlen(sizes[i].name);
    char *end;
    long size = strtol(text, &end, 10);
    if (*text < '1' || *text > '9' || size > MOST || *sizes[i].size)
      return false;
    *sizes[i].size = size;
    more = *end == ',';
    text = end + more;
  }
  return !*text;
}

bool tec_tiles_check(const char *tiles) {
  target_tiles ignored;
  return !tiles || read_tiles(tiles, &ignored);
}

tec_status compiler_begin(compiler_run *run, tec_module *module, const tec_compile_options *given) {
  *run = (compiler_run){.module = module};
  tec_compile_options *options = &run->options;
  if (!runtime_options(options, sizeof *options, given))
    return runtime_error(module->context, TEC_INVALID, "the compile options have no size");
  if (!options->target)
    options->target = "host";
  if (!find_code(options->target, &run->code))
    return runtime_error(module->context, TEC_INVALID, "there is no target '%s'; 'tcc-attn list targets' shows all",
                         options->target);
  bool on_gpu = run->code == CODE_KERNELS;
  if (on_gpu)
    target_find(options->target, &run->facts);
  else if (!backend_target_host(module->ir, run->code == CODE_HOST ? options->target : "host", &run->facts))
    return TEC_INVALID;
  if (options->tf32)
    target_allow_tf32(&run->facts);
  run->facts.fast_exp = options->fast_exp;
  size_t cores = options->cores ? options->cores : module->context->threads;
  if (cores)
    run->facts.threads = cores < TEC_MAX_CORES ? (unsigned)cores : TEC_MAX_CORES;
  if (options->tiles && (on_gpu || !read_tiles(options->tiles, &run->facts.tiles)))
    return runtime_error(module->context, TEC_INVALID,
                         on_gpu
                             ? "tile sizes are for the host; on a GPU they follow from its registers"
                             : "'%s' are no tile sizes; they look like rows=64,columns=128,reduction=256,softmax=128",
                         options->tiles);
  if (options->dump && !pass_check_dump(module->ir, options->dump))
    return TEC_INVALID;
  run->passes = (pass_options){.target = &run->facts,
                               .verify = options->verify,
                               .fuse = !options->no_fuse,
                               .dump = options->dump,
                               .dump_sink = options->on_dump,
                               .dump_user = options->user,
                               .time_sink = options->on_time,
                               .time_user = options->user,
                               .fault_sink = compiler_keep_pass_fault,
                               .fault_user = run};
  return TEC_OK;
}
