/* target.c - the chips of target.def by name. What the chips of a kind have in common stands here. */
#include "passes/target.h"

#include <string.h>

enum { WARP = 32, MAX_BLOCK_THREADS = 1024, REGISTERS = 65536, COPY_STAGES = 3 };

static const target_facts rows[] = {
#define NVPTX_TARGET(CHIP, PTX, SHARED_KIB, DOC)                                                                       \
  {.name = "nvptx:" CHIP,                                                                                              \
   .kind = TARGET_NVPTX,                                                                                               \
   .triple = "nvptx64-nvidia-cuda",                                                                                    \
   .cpu = CHIP,                                                                                                        \
   .features = PTX,                                                                                                    \
   .warp = WARP,                                                                                                       \
   .max_block_threads = MAX_BLOCK_THREADS,                                                                             \
   .shared_bytes = UINT64_C(1024) * SHARED_KIB,                                                                        \
   .copy_stages = COPY_STAGES,                                                                                         \
   .registers = REGISTERS,                                                                                             \
   .has_half = true,                                                                                                   \
   .has_double = true},
#define SPIRV_TARGET(CHIP, LANES, THREADS, SHARED_KIB, HALF, DOUBLE, DOC)                                              \
  {.name = "spirv:" CHIP,                                                                                              \
   .kind = TARGET_SPIRV,                                                                                               \
   .triple = "spirv64v1.3-unknown-unknown",                                                                            \
   .cpu = "",                                                                                                          \
   .features = "",                                                                                                     \
   .warp = LANES,                                                                                                      \
   .max_block_threads = THREADS,                                                                                       \
   .shared_bytes = UINT64_C(1024) * SHARED_KIB,                                                                        \
   .has_half = HALF,                                                                                                   \
   .has_double = DOUBLE},
#include "passes/target.def"
#undef NVPTX_TARGET
#undef SPIRV_TARGET
};

bool target_find(const char *name, target_facts *facts) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name)) {
      *facts = rows[i];
      return true;
    }
  return false;
}
