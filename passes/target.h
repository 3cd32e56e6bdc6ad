/* target.h - what schedules and backends must know of a machine. One row a chip in target.def; `host` is detected. */
#ifndef TEC_PASSES_TARGET_H
#define TEC_PASSES_TARGET_H
#include "ir/ir.h"

typedef enum target_kind { TARGET_HOST, TARGET_NVPTX, TARGET_SPIRV } target_kind;

typedef struct target_facts {
  const char *name; /* "host:znver4", "nvptx:sm_80" */
  target_kind kind;
  const char *triple, *cpu, *features; /* LLVM's words; features may be "" */
  unsigned vector_bits;                /* SIMD register width (host) */
  unsigned vector_registers;           /* architectural SIMD registers (host) */
  unsigned accumulators;               /* FMA latency x FMA pipes: independent chains that fill the pipes (host) */
  uint64_t l1_bytes, l2_bytes, l3_bytes;
  unsigned threads; /* cores (host) */
} target_facts;
#endif
