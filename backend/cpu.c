/* cpu.c - the facts of CPUs: of this machine from LLVM, sysconf and the affinity mask; of others from a table of names.
 *
 * LLVM itself takes any word for a CPU and only prints a complaint, so what is not in the table is refused here. */
#include "backend/backend.h"

#include "backend/cpu.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

static void initialize(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  /* LLVM takes these from a command line only; a module names those that it uses. */
  static const char *const arguments[] = {"tcc-attn",
                                          "--spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_bfloat16_conversion,"
                                          "+SPV_INTEL_subgroup_matrix_multiply_accumulate,+SPV_INTEL_2d_block_io"};
  LLVMParseCommandLineOptions(2, arguments, NULL);
}

/* The registry is LLVM's one global; so is the flag that guards it. */
void backend_initialize_llvm(void) {
  static once_flag once = ONCE_FLAG_INIT;
  call_once(&once, initialize);
}

/* AVX without FMA counts as SSE2: what is wider brings FMA and F16C along. AVX-512 may have one multiply-add pipe of
 * whole registers, or two. */
typedef enum isa { ISA_SSE2, ISA_AVX2, ISA_AVX512, ISA_AVX512_TWICE, ISA_NEON } isa;

/* Width and number of vector registers, and the chains that keep the multiply-add pipes busy: latency 4 (5 on older
 * cores) times 2 pipes, and half as many again with 16 registers of AVX, as pipes are not served in turn and loads are
 * half of all instructions (f32 products 1.07x on Zen). Two pipes for AVX-512 also start as many multiply-adds as
 * loads, so larger tiles, with fewer loads, are faster, above all where another thread shares the core (f32 products
 * 1.02 to 1.14x on Emerald Rapids). Without multiply-adds products need registers, too. */
static const struct {
  const char *triple;
  unsigned vector_bits, vector_registers, accumulators;
} isas[] = {
    [ISA_SSE2] = {"x86_64-unknown-linux-gnu", 128, 16, 8},
    [ISA_AVX2] = {"x86_64-unknown-linux-gnu", 256, 16, 12},
    [ISA_AVX512] = {"x86_64-unknown-linux-gnu", 512, 32, 16},
    [ISA_AVX512_TWICE] = {"x86_64-unknown-linux-gnu", 512, 32, 24},
    [ISA_NEON] = {"aarch64-unknown-linux-gnu", 128, 32, 16},
};

/* Instructions for bf16. Sums of two products take as long as one multiply-add on AMD's CPUs, and four times as long on
 * Intel's (Cooper Lake to Granite Rapids), which have matrix units for them: half as many products a cycle as of f32.
 * LLVM's interface has no such figures. */
typedef enum pair_dot { NO_PAIRS, SLOW_PAIRS, FAST_PAIRS } pair_dot;

/* Sums of four products of i8 take as long as one multiply-add where there are any (VNNI); of two of i16, and their
 * addition, any x86 has instructions. */
enum { WORDS = TARGET_WORDS, BYTES = TARGET_BYTES };

typedef struct cpu_row {
  const char *name;
  isa isa;
  unsigned l1_kib, l2_kib, l3_mib;
  pair_dot pair_dot;
  unsigned integer_terms; /* 0: as any of its kind */
  bool has_far_memory;    /* servers of Intel's, whose cores and memory share a mesh */
  bool has_fast_rounding; /* VRNDSCALEPS starts twice as often as VREDUCEPS */
  bool loses_requests;    /* measured: a line of the cache every 4 cycles is too many, every 8 is not */
  bool has_matrix_unit;   /* AMX, for bf16 */
  bool has_few_streams;   /* measured: four places at once, asked for past the second cache from near by, are fastest */
  /* measured: products take less time where blocks of rows stay in the second cache */
  bool has_slow_last_cache;
  /* measured: products take less time where the last cache holds many panels, of rows as well as of columns */
  bool fills_last_cache;
} cpu_row;

static const cpu_row cpus[] = {
    {"x86-64", ISA_SSE2, 32, 256, 8},
    {"x86-64-v2", ISA_SSE2, 32, 256, 8},
    {"x86-64-v3", ISA_AVX2, 32, 512, 8},
    {"x86-64-v4", ISA_AVX512, 32, 1024, 16},
    {"nehalem", ISA_SSE2, 32, 256, 8},
    {"haswell", ISA_AVX2, 32, 256, 8},
    {"broadwell", ISA_AVX2, 32, 256, 8},
    {"skylake", ISA_AVX2, 32, 256, 8},
    {"skylake-avx512", ISA_AVX512_TWICE, 32, 1024, 16, NO_PAIRS, WORDS, true},
    {"cascadelake", ISA_AVX512_TWICE, 32, 1024, 16, NO_PAIRS, BYTES, true},
    {"cooperlake", ISA_AVX512_TWICE, 32, 1024, 16, SLOW_PAIRS, BYTES, true},
    {"icelake-client", ISA_AVX512, 48, 512, 8, NO_PAIRS, BYTES},
    {"icelake-server", ISA_AVX512_TWICE, 48, 1280, 24, NO_PAIRS, BYTES, true},
    {"alderlake", ISA_AVX2, 48, 1280, 24, NO_PAIRS, BYTES},
    {"sapphirerapids", ISA_AVX512_TWICE, 48, 2048, 32, SLOW_PAIRS, BYTES, true, .has_matrix_unit = true},
    {"emeraldrapids", ISA_AVX512_TWICE, 48, 2048, 32, SLOW_PAIRS, BYTES, true, .has_matrix_unit = true},
    {"graniterapids", ISA_AVX512_TWICE, 48, 2048, 32, SLOW_PAIRS, BYTES, true, .has_matrix_unit = true},
    {"znver1", ISA_AVX2, 32, 512, 8, .has_few_streams = true, .has_slow_last_cache = true},
    {"znver2", ISA_AVX2, 32, 512, 16},
    {"znver3", ISA_AVX2, 32, 512, 32, .has_few_streams = true, .fills_last_cache = true},
    {"znver4", ISA_AVX512, 32, 1024, 32, FAST_PAIRS, BYTES, false, true},
    {"znver5", ISA_AVX512_TWICE, 48, 1024, 32, FAST_PAIRS, BYTES, false, true, true},
    {"cortex-a72", ISA_NEON, 32, 1024, 2},
    {"cortex-a76", ISA_NEON, 64, 256, 2},
    {"cortex-x1", ISA_NEON, 64, 1024, 8},
    {"neoverse-n1", ISA_NEON, 64, 1024, 16},
    {"neoverse-n2", ISA_NEON, 64, 1024, 16},
    {"neoverse-v1", ISA_NEON, 64, 1024, 16},
    {"neoverse-v2", ISA_NEON, 64, 2048, 32},
    {"apple-m1", ISA_NEON, 128, 3072, 8},
};

static void set_isa(target_facts *facts, isa isa) {
  facts->triple = isas[isa].triple;
  facts->vector_bits = isas[isa].vector_bits;
  facts->vector_registers = isas[isa].vector_registers;
  facts->accumulators = isas[isa].accumulators;
}

static unsigned available_threads(void) {
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set))
    return (unsigned)CPU_COUNT(&set);
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}

/* What the kernel says of a cache of the first processor, as a word; false where it says nothing. */
static bool read_cache_fact(unsigned index, const char *name, char word[32]) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name);
  FILE *file = fopen(path, "r");
  bool found = file && fscanf(file, "%31s", word) == 1;
  if (file)
    fclose(file);
  return found;
}

/* The bytes of the data cache of that level that one core reaches. The C library would add up the third-level caches of
 * a whole package, which its cores do not share; it is asked only where the kernel does not say. */
static uint64_t cache_bytes(unsigned level, int name, uint64_t fallback) {
  char word[32];
  for (unsigned index = 0; read_cache_fact(index, "level", word); index++) {
    uint64_t kib;
    if (strtoul(word, NULL, 10) != level || !read_cache_fact(index, "type", word) || !strcmp(word, "Instruction"))
      continue;
    if (read_cache_fact(index, "size", word) && (kib = strtoul(word, NULL, 10)) > 0)
      return kib << 10;
  }
  long size = sysconf(name);
  return size > 0 ? (uint64_t)size : fallback;
}

/* A whole word of a list such as "+avx2,-avx512f". */
static bool has_feature(const char *features, const char *word) {
  size_t size = strlen(word);
  for (const char *at = strstr(features, word); at; at = strstr(at + 1, word))
    if ((at == features || at[-1] == ',') && (at[size] == ',' || !at[size]))
      return true;
  return false;
}

/* The row of a CPU, or NULL. */
static const cpu_row *find_cpu(const char *name) {
  for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
    if (!strcmp(cpus[i].name, name))
      return &cpus[i];
  return NULL;
}

/* The name that this machine's CPU goes by here. Virtual machines may hide the model, from which LLVM takes the name,
 * but hardly the instructions: only servers of Intel's have matrix units. */
static const char *name_of(const char *cpu, const char *features) {
  return !find_cpu(cpu) && has_feature(features, "+amx-tile") ? "sapphirerapids" : cpu;
}

static isa isa_of(bool is_x86, const cpu_row *row, const char *features) {
  if (!is_x86)
    return ISA_NEON;
  if (has_feature(features, "+avx512vl") && has_feature(features, "+avx512dq"))
    return row && row->isa == ISA_AVX512_TWICE ? ISA_AVX512_TWICE : ISA_AVX512;
  bool has_avx2 = has_feature(features, "+avx2") && has_feature(features, "+fma") && has_feature(features, "+f16c");
  return has_avx2 ? ISA_AVX2 : ISA_SSE2;
}

/* Linux lets a process use tiles once it has asked, if it lets it at all: sandboxes may not. Code that uses them asks
 * again (tile.c). */
static bool may_use_tiles(void) {
#ifdef SYS_arch_prctl
  return !syscall(SYS_arch_prctl, HOST_REQUEST_STATE, HOST_TILE_STATE);
#else
  return false;
#endif
}

/* What neither LLVM nor the machine tells of a core. */
static void set_core(target_facts *facts, const cpu_row *row) {
  facts->has_far_memory = row->has_far_memory;
  facts->has_fast_rounding = row->has_fast_rounding;
  facts->loses_requests = row->loses_requests;
  facts->has_few_streams = row->has_few_streams;
  facts->has_slow_last_cache = row->has_slow_last_cache;
  facts->fills_last_cache = row->fills_last_cache;
}

static void detect(ir_module *module, target_facts *facts) {
  char *host = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(), *triple = LLVMGetDefaultTargetTriple();
  const char *cpu = name_of(host, features);
  const cpu_row *row = find_cpu(cpu);
  facts->kind = TARGET_HOST;
  facts->cpu = ir_intern_cstr(module, cpu);
  facts->features = ir_intern_cstr(module, features);
  bool is_x86 = !strncmp(triple, "x86_64", 6);
  set_isa(facts, isa_of(is_x86, row, features));
  facts->has_pair_dot = is_x86 && facts->vector_bits == 512 && has_feature(features, "+avx512bf16");
  facts->has_fast_pair_dot = facts->has_pair_dot && !strncmp(cpu, "znver", 5);
  bool has_bytes = has_feature(features, facts->vector_bits == 512 ? "+avx512vnni" : "+avxvnni");
  facts->integer_terms = !is_x86 ? 0 : has_bytes ? BYTES : WORDS;
  facts->has_matrix_unit = has_feature(features, "+amx-tile") && has_feature(features, "+amx-bf16") && may_use_tiles();
  if (row)
    set_core(facts, row);
  facts->triple = ir_intern_cstr(module, triple);
  facts->l1_bytes = cache_bytes(1, _SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  facts->l2_bytes = cache_bytes(2, _SC_LEVEL2_CACHE_SIZE, 512 << 10);
  facts->l3_bytes = cache_bytes(3, _SC_LEVEL3_CACHE_SIZE, 8 << 20);
  /* Cores of such servers share one cache of hundreds of MiB by a mesh: a core finds its part of it there, not more. */
  if (row && row->has_far_memory && facts->l3_bytes > (uint64_t)row->l3_mib << 20)
    facts->l3_bytes = (uint64_t)row->l3_mib << 20;
  facts->threads = available_threads();
  char name[64];
  snprintf(name, sizeof name, "host:%s", cpu);
  facts->name = ir_intern_cstr(module, name);
  LLVMDisposeMessage(host);
  LLVMDisposeMessage(features);
  LLVMDisposeMessage(triple);
}

static bool unknown_target(ir_module *module, const char *name) {
  char names[640] = "";
  size_t length = 0;
  for (size_t i = 0; i < sizeof cpus / sizeof *cpus && length < sizeof names; i++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", cpus[i].name);
  return ir_error(module, (ir_loc){0}, "unknown target '%s'; 'host' is this machine, 'host:NAME' a CPU: %s", name,
                  names);
}

bool backend_target_host(ir_module *module, const char *name, target_facts *facts) {
  *facts = (target_facts){.kind = TARGET_HOST, .has_binary_softmax = true};
  backend_initialize_llvm();
  if (!strcmp(name, "host")) {
    detect(module, facts);
    return true;
  }
  const cpu_row *row = strncmp(name, "host:", 5) ? NULL : find_cpu(name + 5);
  if (row) {
    set_isa(facts, row->isa);
    facts->has_pair_dot = row->pair_dot != NO_PAIRS;
    facts->has_fast_pair_dot = row->pair_dot == FAST_PAIRS;
    facts->integer_terms = row->integer_terms ? row->integer_terms : row->isa == ISA_NEON ? 0 : WORDS;
    facts->has_matrix_unit = row->has_matrix_unit;
    set_core(facts, row);
    facts->name = ir_intern_cstr(module, name);
    facts->cpu = row->name;
    facts->features = "";
    facts->l1_bytes = (uint64_t)row->l1_kib << 10;
    facts->l2_bytes = (uint64_t)row->l2_kib << 10;
    facts->l3_bytes = (uint64_t)row->l3_mib << 20;
    facts->threads = available_threads();
    return true;
  }
  return unknown_target(module, name);
}
