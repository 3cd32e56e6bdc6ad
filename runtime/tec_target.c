/* tec_target.c - the families of targets, and what a target name means to the passes. */
#include "backend/backend.h"
#include "runtime/tec_compiler.h"

#include <string.h>

static const compiler_target targets[] = {
    {"host", "host[:CPU]", "this machine, or the named LLVM processor (host:znver4, host:x86-64-v3)", CODE_HOST},
#define NVPTX_TARGET(CHIP, PTX, SHARED_KIB, DOC) {"nvptx", "nvptx:" CHIP, DOC, CODE_KERNELS},
#include "passes/target.def"
#undef NVPTX_TARGET
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
  *passes = (pass_options){.target = facts,
                           .verify = options->verify,
                           .fuse = !options->no_fuse,
                           .dump = options->on_dump ? options->dump : NULL,
                           .dump_sink = options->on_dump,
                           .dump_user = options->user,
                           .time_sink = options->on_time,
                           .time_user = options->user};
  return TEC_OK;
}
