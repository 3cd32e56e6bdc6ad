/* ptx_race.c - finds races on shared memory, by happens-before at the granularity of a byte.
 *
 * Each byte has the record of its latest write and, for each warp, of its latest read: thread, instruction and the
 * epoch of the thread's warp. A warp's epoch grows at every barrier it takes part in, bar.warp.sync included, and a
 * warp's clock holds for each other warp the epoch up to which barriers have ordered that one before it (vector
 * clocks). So
 *  - accesses of two warps are ordered if the later warp's clock covers the record's epoch,
 *  - accesses of two lanes of a warp are ordered if the record is of an earlier epoch.
 * An arrival hands the clock to the barrier and a wait takes what all handed over: arrive/sync pairs of producers and
 * consumers order what they should and nothing else. Lanes of a warp that meet barriers separately share the warp's
 * epoch: that can hide a race, but never raises a false alarm.
 *
 * The bytes of a cp.async are marked from its issue until its wait, when they arrive; touching them between is an
 * error. Records of earlier blocks have epochs up to the worker's and are no longer looked at, so nothing needs
 * clearing. Writing equal values by one instruction of a warp is no race.
 *
 * Products of warpgroups (wgmma) read when they are started, which finds what was not ready, and again when they are
 * waited for. Between the two their bytes are held, and writing them is an error whatever barriers lie between. They
 * read through another proxy than those who wrote: each write keeps how many proxy fences its warp had made, and there
 * must be a later one by that thread which barriers have ordered before the product. */
#include "runtime/ptx_machine.h"

enum { THREAD_BITS = 10, INSTRUCTION_BITS = 22, FLAG_BITS = 2, EPOCH_BITS = 30 };
enum { FLAG_ATOMIC = 1, FLAG_IN_FLIGHT = 2 /* of a write */, FLAG_SEVERAL = 2 /* of a read: other lanes, too */ };
_Static_assert(THREAD_BITS + INSTRUCTION_BITS + FLAG_BITS + EPOCH_BITS == 64, "a record fills a word");
_Static_assert(1 << INSTRUCTION_BITS == PTX_MAX_INSTRUCTIONS, "an instruction fits");

static uint64_t make_record(uint32_t epoch, uint32_t instruction, uint32_t thread, unsigned flags) {
  return (uint64_t)epoch << (INSTRUCTION_BITS + THREAD_BITS + FLAG_BITS) |
         (uint64_t)instruction << (THREAD_BITS + FLAG_BITS) | (uint64_t)thread << FLAG_BITS | flags;
}
static uint32_t epoch_of(uint64_t record) { return (uint32_t)(record >> (INSTRUCTION_BITS + THREAD_BITS + FLAG_BITS)); }
static uint32_t instruction_of(uint64_t record) {
  return (uint32_t)(record >> (THREAD_BITS + FLAG_BITS)) & (PTX_MAX_INSTRUCTIONS - 1);
}
static uint32_t thread_of(uint64_t record) { return (uint32_t)(record >> FLAG_BITS) & ((1u << THREAD_BITS) - 1); }

static uint64_t record_here(const ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, unsigned flags) {
  return make_record(warp->clock[warp->number], (uint32_t)(instruction - warp->worker->module->code),
                     warp->number * PTX_LANES + lane, flags);
}

/* The recorded access happens before what this lane does now. */
static bool ordered(const ptx_warp *warp, uint64_t record, uint32_t thread, bool several) {
  uint32_t other = thread_of(record), owner = other / PTX_LANES;
  if (other == thread && !several)
    return true;
  return owner == warp->number ? epoch_of(record) < warp->clock[owner] : epoch_of(record) <= warp->clock[owner];
}

static bool report(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address, uint64_t record,
                   const char *what, const char *reason) {
  const ptx_module *module = warp->worker->module;
  const ptx_instruction *other = &module->code[instruction_of(record)];
  char thread[48], statement[PTX_STATEMENT_BYTES];
  ptx_statement(module, other, statement);
  ptx_thread_name(warp->worker->launch, thread_of(record), thread);
  return ptx_stop(warp, instruction, lane, "%s byte %u of shared memory, which %s accessed in line %u `%s`: %s", what,
                  address, thread, other->line, statement, reason);
}

static const char no_barrier[] = "a race, no barrier lies between";
static const char in_flight[] = "its bytes have not arrived, wait for the cp.async first";

/* A write now, by a warp: what its byte keeps of proxy fences. */
static void keep_fences(const ptx_warp *warp, uint32_t address) {
  if (warp->worker->fences)
    warp->worker->fences[address] = warp->num_proxy_fences;
}

static bool check_written(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address,
                          bool atomic, const char *what) {
  uint64_t record = warp->worker->written[address];
  if (epoch_of(record) <= warp->worker->epoch)
    return true;
  if (record & FLAG_IN_FLIGHT)
    return report(warp, instruction, lane, address, record, what, in_flight);
  if ((atomic && record & FLAG_ATOMIC) || ordered(warp, record, warp->number * PTX_LANES + lane, false))
    return true;
  return report(warp, instruction, lane, address, record, what, no_barrier);
}

bool ptx_race_read(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address, uint32_t size,
                   bool atomic) {
  ptx_worker *worker = warp->worker;
  uint64_t *read = worker->read + (size_t)warp->number * worker->launch->shared_bytes;
  uint64_t here = record_here(warp, instruction, lane, atomic ? FLAG_ATOMIC : 0);
  uint32_t epoch = epoch_of(here), thread = thread_of(here);
  for (uint32_t i = address; i < address + size; i++) {
    if (worker->launch->options->refuse_uninitialised && epoch_of(worker->written[i]) <= worker->epoch)
      return ptx_stop(warp, instruction, lane, "reads byte %u of shared memory, which nobody has written", i);
    if ((i == address || worker->written[i] != worker->written[i - 1]) &&
        !check_written(warp, instruction, lane, i, atomic, "reads"))
      return false;
    bool several = epoch_of(read[i]) == epoch && (thread_of(read[i]) != thread || read[i] & FLAG_SEVERAL);
    read[i] = here | (several ? FLAG_SEVERAL : 0);
  }
  return true;
}

static bool check_readers(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address,
                          bool atomic) {
  ptx_worker *worker = warp->worker;
  uint32_t bytes = worker->launch->shared_bytes, thread = warp->number * PTX_LANES + lane;
  for (uint32_t i = 0; i < worker->launch->num_warps; i++) {
    uint64_t record = worker->read[(size_t)i * bytes + address];
    if (epoch_of(record) <= worker->epoch || (atomic && record & FLAG_ATOMIC) ||
        ordered(warp, record, thread, record & FLAG_SEVERAL))
      continue;
    return report(warp, instruction, lane, address, record, "writes", no_barrier);
  }
  return true;
}

static bool check_held(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address,
                       uint32_t size) {
  const ptx_worker *worker = warp->worker;
  for (uint32_t i = address; i < address + size; i = (i / PTX_CHUNK_BYTES + 1) * PTX_CHUNK_BYTES) {
    const ptx_chunk *chunk = &worker->chunks[i / PTX_CHUNK_BYTES];
    if (chunk->products)
      return ptx_stop(warp, instruction, lane,
                      "writes byte %u of shared memory, which the product of line %u reads: wait for it first", i,
                      worker->module->code[chunk->instruction].line);
  }
  return true;
}

bool ptx_race_write(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t address, uint32_t size,
                    const unsigned char *bytes, bool atomic) {
  ptx_worker *worker = warp->worker;
  uint64_t here = record_here(warp, instruction, lane, bytes ? (atomic ? FLAG_ATOMIC : 0) : FLAG_IN_FLIGHT);
  if (worker->chunks && !check_held(warp, instruction, lane, address, size))
    return false;
  for (uint32_t i = address; i < address + size; i++) {
    uint64_t record = worker->written[i];
    bool same_instruction = bytes && !atomic && epoch_of(record) == epoch_of(here) &&
                            instruction_of(record) == instruction_of(here) &&
                            thread_of(record) / PTX_LANES == warp->number;
    bool equal = same_instruction && worker->shared[i] == bytes[i - address];
    if ((!equal && !check_written(warp, instruction, lane, i, atomic, "writes")) ||
        !check_readers(warp, instruction, lane, i, atomic))
      return false;
    worker->written[i] = here;
    keep_fences(warp, i);
  }
  return true;
}

void ptx_race_land(ptx_warp *warp, const ptx_copy *copy) {
  const ptx_instruction *instruction = &warp->worker->module->code[copy->instruction];
  for (uint32_t i = 0; i < copy->size; i++) {
    warp->worker->written[copy->destination + i] = record_here(warp, instruction, copy->lane, 0);
    keep_fences(warp, copy->destination + i);
  }
}

/* ------------------------------------------------------------------------------------------- products of warpgroups */

/* The thread that wrote a byte has made a proxy fence since, and this warp has seen it. */
static bool is_fenced(const ptx_warp *warp, uint32_t address) {
  const ptx_worker *worker = warp->worker;
  uint32_t thread = thread_of(worker->written[address]), owner = thread / PTX_LANES;
  const ptx_warp *writer = &worker->warps[owner];
  uint32_t seen = owner == warp->number ? writer->num_proxy_fences : warp->seen_fences[owner];
  for (uint32_t i = worker->fences[address]; i < seen; i++)
    if (writer->proxy_fences[i] >> thread % PTX_LANES & 1)
      return true;
  return false;
}

bool ptx_race_product(ptx_warp *warp, const ptx_instruction *instruction, uint32_t address) {
  static const char no_fence[] = "written through the generic proxy, a fence.proxy.async is missing";
  ptx_worker *worker = warp->worker;
  if (!ptx_race_read(warp, instruction, 0, address, PTX_CHUNK_BYTES, false))
    return false;
  for (uint32_t i = address; i < address + PTX_CHUNK_BYTES; i++) {
    bool known =
        i > address && worker->written[i] == worker->written[i - 1] && worker->fences[i] == worker->fences[i - 1];
    if (!known && epoch_of(worker->written[i]) > worker->epoch && !is_fenced(warp, i))
      return report(warp, instruction, 0, i, worker->written[i], "reads", no_fence);
  }
  ptx_chunk *chunk = &worker->chunks[address / PTX_CHUNK_BYTES];
  chunk->products++;
  chunk->instruction = (uint32_t)(instruction - worker->module->code);
  return true;
}

/* The bytes were held, so that there is nothing to check; and a new epoch of the warp begins behind its reads. */
void ptx_race_product_done(ptx_warp *warp, const ptx_instruction *instruction, uint32_t address) {
  ptx_worker *worker = warp->worker;
  uint64_t *read = worker->read + (size_t)warp->number * worker->launch->shared_bytes;
  uint64_t here = record_here(warp, instruction, 0, 0);
  for (uint32_t i = address; i < address + PTX_CHUNK_BYTES; i++)
    read[i] = here;
  worker->chunks[address / PTX_CHUNK_BYTES].products--;
}
