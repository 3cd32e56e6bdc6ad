/* target.c - the chips of target.def by name. What the chips of a kind have in common stands here. */
#include "passes/target.h"

#include <string.h>

enum {
  WARP = 32,
  MAX_BLOCK_THREADS = 1024,
  REGISTERS = 65536,
  COPY_STAGES = 3,
  LANE_REGISTERS = 160,
  LARGE_KIB = 128,
  CACHE_LINE = 64
};

static const target_matrix mma_sync[] = {
    {OP_NVGPU_MMA_SYNC, IR_F16, 16, 8, 16, "mma.m16n8k16.a", "mma.m16n8k16.b", "mma.m16n8.c"},
    {OP_NVGPU_MMA_SYNC, IR_BF16, 16, 8, 16, "mma.m16n8k16.a", "mma.m16n8k16.b", "mma.m16n8.c"},
    {OP_NVGPU_MMA_SYNC, IR_F32, 16, 8, 8, "mma.m16n8k8.tf32.a", "mma.m16n8k8.tf32.b", "mma.m16n8.c"},
    {OP_NVGPU_MMA_SYNC, IR_F32, 16, 8, 8, "mma.m16n8k8.tf32.a.pairs", "mma.m16n8k8.tf32.b.pairs", "mma.m16n8.c"},
};

/* The last ones of them. A result is a factor as it lies when the reduction counts in another order, in pairs. */
enum { MMA_SYNC_TF32 = 2 };

/* On eight lanes a result is no factor as it lies; it is one when the reduction counts in another order. Lanes that
 * read element by element read 8 or 4 bytes at once where products take turns; taking more turns costs registers. */
#define DPAS8(ROWS, NAME, UNITS)                                                                                       \
  {OP_XEGPU_DPAS, IR_F16, ROWS, 8, 32, NAME "a.deep", "dpas8.b.deep", NAME "c", UNITS},                                \
      {OP_XEGPU_DPAS, IR_BF16, ROWS, 8, 32, NAME "a.deep", "dpas8.b.deep", NAME "c", UNITS + 1},                       \
      {OP_XEGPU_DPAS, IR_F16, ROWS, 16, 16, NAME "a", "dpas8.b.wide", NAME "c.wide", UNITS},                           \
      {OP_XEGPU_DPAS, IR_BF16, ROWS, 16, 16, NAME "a", "dpas8.b.wide", NAME "c.wide", UNITS + 1},                      \
      {OP_XEGPU_DPAS, IR_F16, ROWS, 16, 16, NAME "a.halves", "dpas8.b.halves.wide", NAME "c.wide", UNITS + 2},         \
      {OP_XEGPU_DPAS, IR_BF16, ROWS, 16, 16, NAME "a.halves", "dpas8.b.halves.wide", NAME "c.wide", UNITS + 3},        \
      {OP_XEGPU_DPAS, IR_F16, ROWS, 8, 16, NAME "a", "dpas8.b", NAME "c", NULL},                                       \
      {OP_XEGPU_DPAS, IR_BF16, ROWS, 8, 16, NAME "a", "dpas8.b", NAME "c", NULL},                                      \
      {OP_XEGPU_DPAS, IR_F16, ROWS, 8, 16, NAME "a.halves", "dpas8.b.halves", NAME "c", NULL},                         \
      {OP_XEGPU_DPAS, IR_BF16, ROWS, 8, 16, NAME "a.halves", "dpas8.b.halves", NAME "c", NULL},
static const target_matrix dpas8[] = {DPAS8(8, "dpas8.", &dpas8[6]) DPAS8(4, "dpas8.m4.", &dpas8[16])};
#undef DPAS8

static const target_matrix dpas16[] = {
    {OP_XEGPU_DPAS, IR_F16, 8, 16, 16, "dpas.a.f16", "dpas.b.f16", "dpas.c.f32"},
    {OP_XEGPU_DPAS, IR_BF16, 8, 16, 16, "dpas.a.f16", "dpas.b.f16", "dpas.c.f32"},
};

/* Groups of warps read the right factor where it lies, and the more columns it has the faster. (H200, f16, TFLOP/s:
 * attention, 128 features, 128 x 64 with two blocks a multiprocessor 569, with one 407, 128 x 128 443, 256 x 64 489,
 * 64 x 64 with four 500; 64 features, 64 x 128 with three 461, 64 x 64 415, 128 x 64 405; products of 4096, 128 x 128
 * with two 637, 128 x 256 and 256 x 128 with one 662, 128 x 192 605; of 8192 625 and 656; of 2048 547 and 454.) */
#define WARPS .warpgroup = 0
#define WARPGROUPS                                                                                                     \
  .warpgroup = 4, .group_block = {8, 128, 256, 64}, .narrow_block = {4, 64, 128, 128}, .narrow_columns = 64

#define MATRICES(LIST) .matrices = LIST, .num_matrices = sizeof LIST / sizeof *LIST
#define NO_MATRICES .num_matrices = 0

static const target_facts rows[] = {
#define NVPTX_TARGET(CHIP, PTX, SHARED_KIB, PROCESSORS, WHO, DOC)                                                      \
  {.name = "nvptx:" CHIP,                                                                                              \
   .kind = TARGET_NVPTX,                                                                                               \
   .triple = "nvptx64-nvidia-cuda",                                                                                    \
   .cpu = CHIP,                                                                                                        \
   .features = PTX,                                                                                                    \
   .warp = WARP,                                                                                                       \
   .max_block_threads = MAX_BLOCK_THREADS,                                                                             \
   .shared_bytes = UINT64_C(1024) * SHARED_KIB,                                                                        \
   .copy_stages = COPY_STAGES,                                                                                         \
   .lane_registers = LANE_REGISTERS,                                                                                   \
   .registers = REGISTERS,                                                                                             \
   .multiprocessors = PROCESSORS,                                                                                      \
   .block = {4, 128, 64, 64},                                                                                          \
   .lane_block = {SHARED_KIB > LARGE_KIB ? 4 : 0, 128, 128, 64},                                                       \
   .lane_softmax_block = {4, 64, 64, 64},                                                                              \
   WHO,                                                                                                                \
   .matrices = mma_sync,                                                                                               \
   .num_matrices = sizeof mma_sync / sizeof *mma_sync - MMA_SYNC_TF32,                                                 \
   .num_tf32 = MMA_SYNC_TF32,                                                                                          \
   .has_vote = true,                                                                                                   \
   .has_double = true},
#define SPIRV_TARGET(CHIP, LANES, THREADS, SHARED_KIB, LANE_WORDS, WARPS, ROWS, UNIT, SPELLING, BLOCKS, DOUBLE, DOC)   \
  {.name = "spirv:" CHIP,                                                                                              \
   .kind = TARGET_SPIRV,                                                                                               \
   .triple = "spirv64v1.3-unknown-unknown",                                                                            \
   .cpu = "",                                                                                                          \
   .features = "",                                                                                                     \
   .warp = LANES,                                                                                                      \
   .max_block_threads = THREADS,                                                                                       \
   .shared_bytes = UINT64_C(1024) * SHARED_KIB,                                                                        \
   .lane_registers = LANE_WORDS,                                                                                       \
   .block = {WARPS, ROWS, 64, 64},                                                                                     \
   UNIT,                                                                                                               \
   .spelling = SPELLING_##SPELLING,                                                                                    \
   .prefetch_bytes = (BLOCKS) && SPELLING_##SPELLING == SPELLING_IMPORT ? CACHE_LINE : 0,                              \
   .has_block_loads = BLOCKS,                                                                                          \
   .has_subgroup_reduce = true,                                                                                        \
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
