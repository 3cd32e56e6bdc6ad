/* ptx_emulate.c - a launch: its checks, its blocks on host threads, and errors of kernels.
 *
 * Blocks are handed out in order. After an error no more are handed out, and the error of the first block in that order
 * is reported, so that what is reported does not depend on the number of threads. */
#include "runtime/ptx_machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_HOST_THREADS = 256, SLICE = 4096 };
#define MAX_BUDGET ((uint64_t)1 << 29) /* epochs of the race detector stay below 2^30 */

/* ----------------------------------------------------------------------------------------------------------- errors */

void ptx_thread_name(const ptx_launch_state *launch, uint32_t number, char name[48]) {
  const uint32_t *block = launch->options->block;
  snprintf(name, 48, "thread (%u,%u,%u)", number % block[0], number / block[0] % block[1],
           number / block[0] / block[1]);
}

static void record_failure(ptx_worker *worker, tec_status status, const char *text) {
  ptx_launch_state *launch = worker->launch;
  pthread_mutex_lock(&launch->lock);
  if (launch->status == TEC_OK || worker->block < launch->failed_block) {
    launch->status = status;
    launch->failed_block = worker->block;
    snprintf(launch->message->text, sizeof launch->message->text, "%s", text);
  }
  pthread_mutex_unlock(&launch->lock);
  atomic_store(&launch->stop, true);
}

bool ptx_stop(ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, const char *format, ...) {
  ptx_worker *worker = warp->worker;
  const ptx_launch_state *launch = worker->launch;
  const uint32_t *grid = launch->options->grid;
  char reason[700], where[200] = "", thread[48] = "", statement[PTX_STATEMENT_BYTES],
                    text[sizeof launch->message->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  if (instruction) {
    ptx_statement(worker->module, instruction, statement);
    snprintf(where, sizeof where, ": PTX line %u `%s`", instruction->line, statement);
  }
  if (lane < PTX_LANES)
    ptx_thread_name(launch, warp->number * PTX_LANES + lane, thread);
  snprintf(text, sizeof text, "kernel '%s'%s: %s (%s%sblock (%u,%u,%u))", launch->entry->name, where, reason, thread,
           *thread ? " of " : "", (unsigned)(worker->block % grid[0]), (unsigned)(worker->block / grid[0] % grid[1]),
           (unsigned)(worker->block / grid[0] / grid[1]));
  record_failure(worker, TEC_INVALID, text);
  return false;
}

bool ptx_stop_memory(ptx_warp *warp, const ptx_instruction *instruction) {
  char text[80];
  snprintf(text, sizeof text, "out of memory in PTX line %u", instruction->line);
  record_failure(warp->worker, TEC_OUT_OF_MEMORY, text);
  return false;
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

static void set_special(const ptx_warp *warp, ptx_special special, unsigned lane, uint32_t value) {
  ((uint32_t *)(warp->files[FILE_SPECIAL] + special * PTX_LANES * 8))[lane] = value;
}

static void set_specials(ptx_warp *warp) {
  const ptx_launch_state *launch = warp->worker->launch;
  const uint32_t *block = launch->options->block, *grid = launch->options->grid;
  uint64_t position = warp->worker->block;
  for (unsigned lane = 0; lane < PTX_LANES; lane++) {
    uint32_t thread = warp->number * PTX_LANES + lane, bit = 1u << lane;
    set_special(warp, PTX_TID_X, lane, thread % block[0]);
    set_special(warp, PTX_TID_Y, lane, thread / block[0] % block[1]);
    set_special(warp, PTX_TID_Z, lane, thread / block[0] / block[1]);
    for (unsigned i = 0; i < 3; i++) {
      set_special(warp, (ptx_special)(PTX_NTID_X + i), lane, block[i]);
      set_special(warp, (ptx_special)(PTX_NCTAID_X + i), lane, grid[i]);
    }
    set_special(warp, PTX_CTAID_X, lane, (uint32_t)(position % grid[0]));
    set_special(warp, PTX_CTAID_Y, lane, (uint32_t)(position / grid[0] % grid[1]));
    set_special(warp, PTX_CTAID_Z, lane, (uint32_t)(position / grid[0] / grid[1]));
    set_special(warp, PTX_LANEID, lane, lane);
    set_special(warp, PTX_WARPID, lane, warp->number);
    set_special(warp, PTX_NWARPID, lane, launch->num_warps);
    set_special(warp, PTX_LANEMASK_EQ, lane, bit);
    set_special(warp, PTX_LANEMASK_LT, lane, bit - 1);
    set_special(warp, PTX_LANEMASK_LE, lane, bit | (bit - 1));
    set_special(warp, PTX_LANEMASK_GT, lane, ~(bit | (bit - 1)));
    set_special(warp, PTX_LANEMASK_GE, lane, ~(bit - 1));
    set_special(warp, PTX_DYNAMIC_SMEM_SIZE, lane, (uint32_t)launch->options->dynamic_shared_bytes);
    set_special(warp, PTX_TOTAL_SMEM_SIZE, lane, launch->shared_bytes);
  }
}

static uint32_t register_bytes(const ptx_module *module) {
  uint32_t bytes = PTX_NUM_SPECIALS * PTX_LANES * 8;
  for (unsigned i = 0; i < 2; i++)
    bytes += (module->file_bytes[i] + 63) / 64 * 64;
  return bytes;
}

static void start_block(ptx_worker *worker) {
  const ptx_launch_state *launch = worker->launch;
  const ptx_module *module = worker->module;
  uint32_t bytes = register_bytes(module);
  memset(worker->registers, 0, (size_t)bytes * launch->num_warps);
  memset(worker->shared, 0, launch->shared_bytes);
  memset(worker->local, 0, (size_t)launch->num_warps * PTX_LANES * module->local_bytes);
  memset(worker->barriers, 0, sizeof worker->barriers);
  worker->alive = launch->num_threads;
  for (uint32_t i = 0; i < launch->num_warps; i++) {
    ptx_warp *warp = &worker->warps[i];
    warp->worker = worker;
    warp->number = i;
    warp->files[FILE_SPECIAL] = worker->registers + (size_t)bytes * i;
    warp->files[FILE_ENTRY] = warp->files[FILE_SPECIAL] + PTX_NUM_SPECIALS * PTX_LANES * 8;
    warp->files[FILE_FUNCTION] = warp->files[FILE_ENTRY] + (module->file_bytes[FILE_ENTRY] + 63) / 64 * 64;
    warp->files[FILE_CONSTANT] = module->constants;
    warp->local = worker->local + (size_t)i * PTX_LANES * module->local_bytes;
    warp->uses = worker->uses ? worker->uses + (size_t)i * ptx_count_uses(module) : NULL;
    ptx_warp_start(warp);
    set_specials(warp);
  }
}

/* Runs the warps in turn, each until it waits or had its slice. */
static bool run_block(ptx_worker *worker) {
  ptx_launch_state *launch = worker->launch;
  uint64_t budget = launch->options->budget ? launch->options->budget : MAX_BUDGET;
  start_block(worker);
  while (worker->alive) {
    uint64_t progress = 0;
    for (uint32_t i = 0; i < launch->num_warps; i++) {
      ptx_warp *warp = &worker->warps[i];
      uint64_t before = warp->executed;
      if (!ptx_warp_run(warp, SLICE))
        return false;
      uint64_t executed = warp->executed - before;
      progress += executed;
      if (atomic_fetch_add(&launch->spent, executed) + executed > budget)
        return ptx_stop(warp, NULL, PTX_LANES, "more than %llu instructions: it may never end",
                        (unsigned long long)budget);
    }
    if (!progress && worker->alive)
      return ptx_warp_deadlock(worker);
    if (atomic_load(&launch->stop) && launch->failed_block < worker->block)
      return false;
  }
  for (uint32_t i = 0; i < launch->num_warps; i++)
    if (worker->epoch < worker->warps[i].clock[i])
      worker->epoch = worker->warps[i].clock[i];
  return !worker->uses || ptx_check_products(worker);
}

static void *run_blocks(void *argument) {
  ptx_worker *worker = argument;
  ptx_launch_state *launch = worker->launch;
  while (!atomic_load(&launch->stop)) {
    worker->block = atomic_fetch_add(&launch->next_block, 1);
    if (worker->block >= launch->num_blocks || !run_block(worker))
      break;
  }
  return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- workers */

static void release_worker(ptx_worker *worker) {
  for (uint32_t i = 0; worker->warps && i < worker->launch->num_warps; i++) {
    free(worker->warps[i].copies);
    free(worker->warps[i].products);
    free(worker->warps[i].proxy_fences);
  }
  free(worker->fences);
  free(worker->chunks);
  free(worker->uses);
  free(worker->warps);
  free(worker->registers);
  free(worker->local);
  free(worker->shared);
  free(worker->written);
  free(worker->read);
  free(worker->counts);
}

static bool prepare_worker(ptx_worker *worker, ptx_launch_state *launch) {
  const ptx_module *module = launch->module;
  uint32_t warps = launch->num_warps;
  size_t registers = ((size_t)register_bytes(module) * warps + 63) / 64 * 64;
  *worker = (ptx_worker){.launch = launch, .module = module};
  worker->warps = calloc(warps, sizeof *worker->warps);
  worker->registers = aligned_alloc(64, registers);
  worker->local = malloc((size_t)warps * PTX_LANES * module->local_bytes + 1);
  worker->shared = malloc(launch->shared_bytes + 1u);
  worker->written = calloc(launch->shared_bytes + 1u, sizeof *worker->written);
  worker->read = calloc((size_t)launch->shared_bytes * warps + 1, sizeof *worker->read);
  worker->counts = calloc(module->num_code, sizeof *worker->counts);
  bool ready = worker->warps && worker->registers && worker->local && worker->shared && worker->written &&
               worker->read && worker->counts;
  if (!module->has_products)
    return ready;
  worker->fences = calloc(launch->shared_bytes + 1u, sizeof *worker->fences);
  worker->chunks = calloc(launch->shared_bytes / PTX_CHUNK_BYTES + 1u, sizeof *worker->chunks);
  worker->uses = calloc((size_t)ptx_count_uses(module) * warps, sizeof *worker->uses);
  return ready && worker->fences && worker->chunks && worker->uses;
}

/* Runs the workers, the first one on this thread, and sums up their counts. */
static tec_status run_workers(ptx_launch_state *launch, ptx_worker *workers, unsigned num_workers) {
  pthread_t threads[MAX_HOST_THREADS];
  unsigned started = 1;
  while (started < num_workers && !pthread_create(&threads[started], NULL, run_blocks, &workers[started]))
    started++;
  run_blocks(&workers[0]);
  for (unsigned i = 1; i < started; i++)
    pthread_join(threads[i], NULL);
  if (launch->status != TEC_OK || !launch->report)
    return launch->status;
  ptx_count *sum = workers[0].counts;
  uint64_t barriers = workers[0].completed_barriers;
  for (unsigned i = 1; i < started; i++) {
    barriers += workers[i].completed_barriers;
    for (uint32_t k = 0; k < launch->module->num_code; k++) {
      const ptx_count *count = &workers[i].counts[k];
      sum[k].executions += count->executions;
      sum[k].lanes += count->lanes;
      sum[k].wavefronts += count->wavefronts;
      sum[k].wavefronts_ideal += count->wavefronts_ideal;
      sum[k].sectors += count->sectors;
      sum[k].sectors_ideal += count->sectors_ideal;
    }
  }
  *launch->report = (ptx_report){.blocks = launch->num_blocks, .barriers = barriers};
  return ptx_report_fill(launch, sum);
}

static tec_status run_launch(ptx_launch_state *launch) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t wanted = launch->options->threads ? launch->options->threads : cores > 0 ? (uint64_t)cores : 1;
  if (wanted > launch->num_blocks)
    wanted = launch->num_blocks;
  unsigned num_workers = wanted > MAX_HOST_THREADS ? MAX_HOST_THREADS : (unsigned)wanted;
  ptx_worker *workers = calloc(num_workers, sizeof *workers);
  unsigned ready = 0;
  while (workers && ready < num_workers && prepare_worker(&workers[ready], launch))
    ready++;
  tec_status status = TEC_OUT_OF_MEMORY;
  if (ready)
    status = run_workers(launch, workers, ready);
  if (status == TEC_OUT_OF_MEMORY && !*launch->message->text)
    snprintf(launch->message->text, sizeof launch->message->text, "out of memory for a launch of '%s'",
             launch->entry->name);
  for (unsigned i = 0; workers && i <= ready && i < num_workers; i++)
    if (workers[i].launch)
      release_worker(&workers[i]);
  free(workers);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- launch */

static tec_status refuse(ptx_launch_state *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));
static tec_status refuse(ptx_launch_state *launch, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(launch->message->text, sizeof launch->message->text, format, arguments);
  va_end(arguments);
  return TEC_INVALID;
}

static tec_status check_geometry(ptx_launch_state *launch) {
  const ptx_launch_options *options = launch->options;
  const ptx_function *entry = launch->entry;
  static const uint32_t most_blocks[3] = {INT32_MAX, 65535, 65535}, most_threads[3] = {1024, 1024, 64};
  uint64_t threads = 1, blocks = 1, most = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (!options->grid[i] || options->grid[i] > most_blocks[i] || !options->block[i] ||
        options->block[i] > most_threads[i])
      return refuse(launch, "'%s': the grid or block has an extent that is zero or too large", entry->name);
    if (entry->required_threads[i] && entry->required_threads[i] != options->block[i])
      return refuse(launch, "'%s' requires blocks of %u x %u x %u threads", entry->name, entry->required_threads[0],
                    entry->required_threads[1], entry->required_threads[2]);
    threads *= options->block[i];
    blocks *= options->grid[i];
    most *= entry->most_threads[i];
  }
  if (threads > (most ? most : 1024))
    return refuse(launch, "'%s': a block has more than %llu threads", entry->name,
                  (unsigned long long)(most ? most : 1024));
  launch->num_threads = (uint32_t)threads;
  launch->num_warps = (uint32_t)(threads + PTX_LANES - 1) / PTX_LANES;
  launch->num_blocks = blocks;
  return TEC_OK;
}

static tec_status check_shared(ptx_launch_state *launch) {
  const ptx_module *module = launch->module;
  uint32_t limit = ptx_shared_limit(module->target), fixed = launch->entry->shared_bytes;
  if (fixed < module->shared_bytes)
    fixed = module->shared_bytes;
  fixed = (fixed + 15) / 16 * 16;
  if (launch->options->dynamic_shared_bytes > limit || fixed + launch->options->dynamic_shared_bytes > limit)
    return refuse(launch, "'%s': %zu bytes of shared memory are more than the %u of sm_%u", launch->entry->name,
                  fixed + launch->options->dynamic_shared_bytes, limit, module->target);
  launch->static_shared_bytes = fixed;
  launch->shared_bytes = fixed + (uint32_t)launch->options->dynamic_shared_bytes;
  return TEC_OK;
}

static tec_status copy_arguments(ptx_launch_state *launch) {
  const ptx_function *entry = launch->entry;
  if (launch->options->num_arguments != entry->num_parameters)
    return refuse(launch, "'%s' has %u parameters, not %zu", entry->name, entry->num_parameters,
                  launch->options->num_arguments);
  launch->arguments = calloc(entry->parameter_bytes + 1u, 1);
  if (!launch->arguments)
    return TEC_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < entry->num_parameters; i++) {
    const ptx_argument *argument = &launch->options->arguments[i];
    if (argument->size != entry->parameters[i].size)
      return refuse(launch, "'%s': parameter %u has %u bytes, not %zu", entry->name, i, entry->parameters[i].size,
                    argument->size);
    memcpy(launch->arguments + entry->parameters[i].offset, argument->value, argument->size);
  }
  return TEC_OK;
}

static int compare_buffers(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)((const ptx_buffer *)left)->base, b = (uintptr_t)((const ptx_buffer *)right)->base;
  return (a > b) - (a < b);
}

static tec_status sort_buffers(ptx_launch_state *launch) {
  const ptx_module *module = launch->module;
  size_t given = launch->options->num_buffers;
  launch->buffers = calloc(given + module->num_variables + 1, sizeof *launch->buffers);
  if (!launch->buffers)
    return TEC_OUT_OF_MEMORY;
  for (size_t i = 0; i < given; i++)
    if (launch->options->buffers[i].size)
      launch->buffers[launch->num_buffers++] = launch->options->buffers[i];
  for (uint32_t i = 0; i < module->num_variables; i++) {
    const ptx_variable *variable = &module->variables[i];
    launch->buffers[launch->num_buffers++] = (ptx_buffer){variable->memory, variable->size, variable->read_only};
  }
  qsort(launch->buffers, launch->num_buffers, sizeof *launch->buffers, compare_buffers);
  return TEC_OK;
}

tec_status ptx_launch(ptx_module *module, const ptx_launch_options *options, ptx_report *report, ptx_message *message) {
  ptx_launch_state launch = {.module = module, .options = options, .message = message, .report = report};
  *message = (ptx_message){""};
  for (uint32_t i = 0; i < module->num_functions; i++)
    if (module->functions[i].entry && module->functions[i].defined &&
        !strcmp(module->functions[i].name, options->kernel))
      launch.entry = &module->functions[i];
  if (!launch.entry)
    return refuse(&launch, "there is no kernel '%s'", options->kernel);
  if (options->budget > MAX_BUDGET)
    return refuse(&launch, "the budget is more than %llu instructions", (unsigned long long)MAX_BUDGET);
  tec_status status = check_geometry(&launch);
  if (status == TEC_OK)
    status = check_shared(&launch);
  if (status == TEC_OK)
    status = copy_arguments(&launch);
  if (status == TEC_OK)
    status = sort_buffers(&launch);
  if (status == TEC_OK) {
    pthread_mutex_init(&launch.lock, NULL);
    status = run_launch(&launch);
    pthread_mutex_destroy(&launch.lock);
  } else if (status == TEC_OUT_OF_MEMORY) {
    snprintf(message->text, sizeof message->text, "out of memory for a launch of '%s'", options->kernel);
  }
  free(launch.arguments);
  free(launch.buffers);
  return status;
}
