/* ptx_machine.h - the state of a running kernel, shared by the ptx_*.c files that execute.
 *
 * Divergence. Each lane of a warp has its own place in the code. The lanes with the least place run together until they
 * meet a waiting lane or pass it (the least-place-first rule): a join is laid out behind what leads to it or, where it
 * is not, the lanes just run one group after the other. Instructions that need several lanes (.sync, .aligned) wait
 * until all lanes they name are at that instruction, so what they compute never depends on the rule. Lanes in a call
 * run to its end before the caller's other lanes go on.
 *
 * Progress. An instruction is counted against the budget; a warp stops at barriers; when no warp of a block can run,
 * that is a deadlock and an error. So every launch ends.
 *
 * Blocks are independent, each runs on one host thread, and a worker has all the memory that a block needs, to use
 * again.
 *
 * An execute function returns false after it reported an error, which ends the launch. */
#ifndef TEC_RUNTIME_PTX_MACHINE_H
#define TEC_RUNTIME_PTX_MACHINE_H
#include "runtime/ptx_code.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PTX_MAX_FRAMES = 32, PTX_USE_BYTES = 64, PTX_CHUNK_BYTES = 16 };

typedef struct ptx_warp ptx_warp;
typedef struct ptx_worker ptx_worker;

/* One activation of an entry or function. */
typedef struct ptx_frame {
  uint32_t function, lanes; /* lanes that have not returned */
  uint32_t callers;         /* lanes that called */
  const ptx_instruction *call;
  uint32_t place[PTX_LANES]; /* the next instruction of each lane */
} ptx_frame;

/* A cp.async of one lane whose bytes have not arrived. */
typedef struct ptx_copy {
  uint32_t destination, size, group, instruction;
  uint8_t lane;
  unsigned char bytes[16];
} ptx_copy;

/* A wgmma.mma_async of a warp that is not done: the warp's part of it is computed when the warp waits for it. */
typedef struct ptx_product {
  uint32_t instruction, group;
  uint64_t left, right; /* descriptors; left: if A is in shared memory */
  bool accumulates;
} ptx_product;

/* What products and other instructions do with a register, as far as they must not meet. */
typedef struct ptx_register_use {
  uint32_t changed;          /* by which of the warp's instructions, other than products */
  uint16_t results, factors; /* products under way that write it; that read it as a part of A */
} ptx_register_use;

/* 16 bytes of shared memory, as products see them. */
typedef struct ptx_chunk {
  uint32_t products, instruction; /* how many under way read it, and the latest */
} ptx_chunk;

struct ptx_warp {
  ptx_worker *worker;
  uint32_t number;              /* in the block */
  uint32_t lanes;               /* that exist and have not exited */
  uint32_t group, place, limit; /* the lanes that run, where, and the least place of a lane that waits behind them */
  uint32_t gathering;           /* lanes that wait for others of the warp */
  uint32_t blocked;             /* lanes that wait at a barrier */
  uint32_t depth;               /* of frames, from 1 */
  ptx_frame frames[PTX_MAX_FRAMES];
  unsigned char *files[PTX_NUM_FILES];
  unsigned char *local;          /* the threads' memory, one lane after the other */
  uint32_t clock[PTX_MAX_WARPS]; /* of each warp, the epochs up to which this one has seen; its own: the current */
  uint32_t committed[PTX_LANES]; /* groups of cp.async so far */
  ptx_copy *copies;              /* in flight, oldest first */
  uint32_t num_copies, capacity_copies;
  ptx_product *products; /* under way, oldest first */
  uint32_t num_products, capacity_products;
  uint32_t product_groups; /* of wgmma.mma_async, committed so far */
  uint32_t product_fence;  /* which of the warp's instructions the latest wgmma.fence is; 0: there is none yet */
  uint64_t product_digest; /* of all products that it started */
  ptx_register_use *uses;  /* of registers, from the start of FILE_ENTRY, by PTX_USE_BYTES */
  uint32_t *proxy_fences;  /* the lanes of each fence.proxy.async so far */
  uint32_t num_proxy_fences, capacity_proxy_fences;
  uint32_t seen_fences[PTX_MAX_WARPS]; /* of each other warp, how many of its fences barriers have ordered before */
  const ptx_buffer *recent;            /* the buffer of the latest global access */
  uint64_t executed;
};

typedef struct ptx_barrier {
  uint32_t expected; /* threads; 0: all of the block */
  uint32_t arrived;  /* threads; a warp counts as 32 where it must come as a whole */
  uint32_t lanes;    /* threads exactly */
  uint32_t there[PTX_MAX_WARPS], waiting[PTX_MAX_WARPS];     /* lanes that came, and those of them that wait */
  uint32_t clock[PTX_MAX_WARPS], seen_fences[PTX_MAX_WARPS]; /* what those who arrived had seen */
  const ptx_instruction *instruction;                        /* of the first arrival */
} ptx_barrier;

/* What all workers of a launch share. */
typedef struct ptx_launch_state {
  ptx_module *module;
  const ptx_launch_options *options;
  const ptx_function *entry;
  uint32_t num_threads, num_warps, shared_bytes, static_shared_bytes; /* of a block */
  unsigned char *arguments;
  ptx_buffer *buffers; /* sorted by address */
  size_t num_buffers;
  uint64_t num_blocks;
  _Atomic uint64_t next_block, spent; /* spent: instructions, of the budget */
  atomic_bool stop;
  _Atomic uint64_t failed_block;
  pthread_mutex_t lock; /* of the rest, and of atomics on global memory */
  tec_status status;
  ptx_message *message;
  ptx_report *report; /* may be NULL */
} ptx_launch_state;

/* Counts of one instruction; summed over the workers at the end. */
typedef struct ptx_count {
  uint64_t executions, lanes, wavefronts, wavefronts_ideal, sectors, sectors_ideal;
} ptx_count;

struct ptx_worker {
  ptx_launch_state *launch;
  const ptx_module *module;
  uint64_t block;
  uint32_t alive; /* threads that have not exited */
  ptx_warp *warps;
  unsigned char *registers, *local, *shared;
  uint64_t *written, *read; /* who accessed a byte of shared memory: ptx_race.c */
  uint32_t epoch;           /* all records up to it are of earlier blocks */
  /* The rest is where there are products of warpgroups. A block that ends well leaves none under way in it. */
  uint32_t *fences;  /* of a byte of shared memory: how many proxy fences its writer's warp had made before */
  ptx_chunk *chunks; /* of shared memory */
  ptx_register_use *uses;
  ptx_barrier barriers[PTX_NUM_BARRIERS];
  uint64_t completed_barriers;
  ptx_count *counts;
};

static inline const ptx_operand *ptx_operand_of(const ptx_warp *warp, const ptx_instruction *instruction, unsigned i) {
  return &warp->worker->module->operands[instruction->operands + i];
}
static inline void *ptx_lanes(const ptx_warp *warp, const ptx_operand *operand) {
  return warp->files[operand->file] + operand->offset;
}
static inline uint64_t ptx_lane_value(const ptx_warp *warp, const ptx_operand *operand, unsigned lane) {
  const void *lanes = ptx_lanes(warp, operand);
  return operand->bits > 32 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}
/* Writes the low bits of a value, as many as the register has. */
static inline void ptx_set_lane(ptx_warp *warp, const ptx_operand *operand, unsigned lane, uint64_t value) {
  void *lanes = ptx_lanes(warp, operand);
  if (operand->bits > 32)
    ((uint64_t *)lanes)[lane] = value;
  else
    ((uint32_t *)lanes)[lane] = (uint32_t)(operand->bits < 32 ? value & ((1u << operand->bits) - 1) : value);
}
/* A predicate of all lanes. */
static inline uint32_t ptx_predicate(const ptx_warp *warp, const ptx_operand *operand) {
  uint32_t mask = *(const uint32_t *)ptx_lanes(warp, operand);
  return operand->negated ? ~mask : mask;
}
static inline void ptx_set_predicate(ptx_warp *warp, const ptx_operand *operand, uint32_t lanes, uint32_t value) {
  uint32_t *mask = ptx_lanes(warp, operand);
  *mask = (*mask & ~lanes) | (value & lanes);
}
static inline unsigned ptx_first_lane(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes); }
/* for (unsigned lane, of a mask, ascending) */
#define PTX_FOR_LANES(lane, mask)                                                                                      \
  for (uint32_t rest_##lane = (mask), lane = rest_##lane ? ptx_first_lane(rest_##lane) : 0; rest_##lane;               \
       rest_##lane &= rest_##lane - 1, lane = rest_##lane ? ptx_first_lane(rest_##lane) : 0)
static inline ptx_count *ptx_count_of(ptx_warp *warp, const ptx_instruction *instruction) {
  return &warp->worker->counts[instruction - warp->worker->module->code];
}

/* Reports an error of a running kernel; the message gets the place, the thread (lane < 32) and the block. Returns
 * false. */
bool ptx_stop(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool ptx_stop_memory(ptx_warp *warp, const ptx_instruction *instruction);
/* "thread (1,0,0)"; `number` is that of the thread in the block. */
void ptx_thread_name(const ptx_launch_state *launch, uint32_t number, char name[48]);

/* The units. `lanes` is not empty. */
typedef bool ptx_execute(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes);
ptx_execute ptx_execute_integer, ptx_execute_floating, ptx_execute_compare, ptx_execute_convert, ptx_execute_move,
    ptx_execute_memory, ptx_execute_exchange, ptx_execute_matrix, ptx_execute_warpgroup;

/* Warps, as a launch needs them (ptx_warp.c). */
/* Puts a warp at the start of the kernel; its memory is the worker's. */
void ptx_warp_start(ptx_warp *warp);
/* Runs until the warp has exited, waits, or has executed `slice` instructions; false after an error. */
bool ptx_warp_run(ptx_warp *warp, uint64_t slice);
/* Reports where the warps of a block wait for each other. */
bool ptx_warp_deadlock(ptx_worker *worker);

static inline uint64_t ptx_sign_extend(uint64_t value, unsigned bits) {
  return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* The lowest `bits` bits. */
static inline uint64_t ptx_mask(unsigned bits) { return bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }
/* What .and, .add, .exch .. make of the old value and b, and of c for .cas (ptx_memory.c). */
uint64_t ptx_combine(const ptx_instruction *instruction, uint64_t old, uint64_t b, uint64_t c);

/* Floats as doubles, which hold all of them exactly (ptx_number.c). */
double ptx_to_double(ptx_type type, uint64_t bits);
/* To a whole number; `rounding` 0 is to nearest, too. */
double ptx_round_integral(double value, unsigned rounding);
/* Rounds; `rounding` is a ROUND_ value. Overflow of the 8-bit types, and with `finite` of all, gives the largest
 * finite. */
uint64_t ptx_from_double(ptx_type type, double value, unsigned rounding, bool finite);
/* a * b + c with the last bit of the double set when it is not exact, so that rounding once more gives the right result
 * for every type of at most 24 bits of precision, in every direction. */
double ptx_multiply_add(double a, double b, double c);

/* Accesses to shared memory, for races and missing waits (ptx_race.c). `address` is an offset into the block's
 * memory. */
bool ptx_race_read(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address, uint32_t size,
                   bool atomic);
/* Before the bytes are written; `bytes` are those to come, NULL for a cp.async. */
bool ptx_race_write(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address, uint32_t size,
                    const unsigned char *bytes, bool atomic);
/* The bytes of a cp.async arrive. */
void ptx_race_land(ptx_warp *warp, const ptx_copy *copy);
/* A product is to read 16 bytes: they are ready, and until it ends nobody may write them. */
bool ptx_race_product(ptx_warp *warp, const ptx_instruction *instruction, uint32_t address);
/* It reads them now. */
void ptx_race_product_done(ptx_warp *warp, const ptx_instruction *instruction, uint32_t address);

/* Factors of matrix products, also of whole warpgroups (ptx_matrix.c). */
float ptx_element_value(ptx_type type, uint32_t bits);
/* A factor from the lanes' fragments: its rows are those of A, or the columns of B; the steps say where the elements of
 * a row, and of the reduction, go. */
void ptx_read_factor(ptx_warp *warp, const ptx_operand *registers, ptx_type type, unsigned rows, unsigned depth,
                     float *factor, unsigned row_step, unsigned depth_step);

/* Products of warpgroups (ptx_warpgroup.c). The first checks what an instruction that is none does to registers of
 * products under way, and notes which registers it changes; the second that a block has ended well. */
bool ptx_check_registers(ptx_warp *warp, const ptx_instruction *instruction);
bool ptx_check_products(ptx_worker *worker);
/* How many register uses there are of a warp. */
uint32_t ptx_count_uses(const ptx_module *module);

/* Conflicts in the banks of shared memory and sectors of global memory, of the accesses of `lanes`. */
void ptx_count_banks(ptx_count *count, const uint64_t address[PTX_LANES], uint32_t lanes, uint32_t size);
void ptx_count_sectors(ptx_count *count, const uint64_t address[PTX_LANES], uint32_t lanes, uint32_t size);
/* Fills the launch's report from its counts. */
tec_status ptx_report_fill(ptx_launch_state *launch, const ptx_count *counts);
#endif
