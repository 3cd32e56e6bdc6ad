/* ptx_warp.c - which lanes of a warp run, control flow, calls and barriers. The rule and why it ends: ptx_machine.h.
 *
 * Invariants: the lanes of the top frame are split into `group` (running, their place is warp->place), `gathering`,
 * `blocked` and the rest, whose places are in the frame. The group's place is less than `limit`. */
#include "runtime/ptx_machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static ptx_frame *top_frame(ptx_warp *warp) { return &warp->frames[warp->depth - 1]; }

static uint32_t place_of(const ptx_warp *warp, const ptx_instruction *instruction) {
  return (uint32_t)(instruction - warp->worker->module->code);
}

void ptx_warp_start(ptx_warp *warp) {
  const ptx_worker *worker = warp->worker;
  uint32_t first = warp->number * PTX_LANES, threads = worker->launch->num_threads - first;
  warp->lanes = threads >= PTX_LANES ? PTX_ALL_LANES : (1u << threads) - 1;
  warp->group = warp->gathering = warp->blocked = 0;
  warp->depth = 1;
  warp->frames[0] =
      (ptx_frame){.function = (uint32_t)(worker->launch->entry - worker->module->functions), .lanes = warp->lanes};
  for (unsigned lane = 0; lane < PTX_LANES; lane++)
    warp->frames[0].place[lane] = worker->launch->entry->first;
  for (unsigned i = 0; i < PTX_MAX_WARPS; i++)
    warp->clock[i] = worker->epoch;
  warp->clock[warp->number] = worker->epoch + 1;
  memset(warp->committed, 0, sizeof warp->committed);
  warp->num_copies = 0;
  warp->num_products = warp->product_groups = warp->product_fence = warp->num_proxy_fences = 0;
  warp->product_digest = 0;
  memset(warp->seen_fences, 0, sizeof warp->seen_fences);
}

/* ----------------------------------------------------------------------------------------------------------- groups */

/* The group's lanes go on at warp->place, once they are selected again. */
static void park(ptx_warp *warp) {
  ptx_frame *frame = top_frame(warp);
  PTX_FOR_LANES(lane, warp->group) frame->place[lane] = warp->place;
  warp->group = 0;
}

static bool return_from_call(ptx_warp *warp) {
  const ptx_module *module = warp->worker->module;
  const ptx_frame *frame = top_frame(warp);
  const ptx_function *callee = &module->functions[frame->function];
  for (uint32_t i = 0; i < callee->num_results; i++) {
    const ptx_operand *result = &module->operands[frame->call->operands + i];
    PTX_FOR_LANES(lane, frame->callers) {
      unsigned char *memory = warp->local + (size_t)lane * module->local_bytes;
      memmove(memory + result->displacement, memory + callee->parameters[i].offset, result->offset);
    }
  }
  warp->depth--;
  return true;
}

/* Makes a group of the lanes with the least place; false if none can run. */
static bool select_group(ptx_warp *warp) {
  while (warp->depth > 1 && !top_frame(warp)->lanes)
    return_from_call(warp);
  const ptx_frame *frame = top_frame(warp);
  uint32_t ready = frame->lanes & ~warp->gathering & ~warp->blocked, least = UINT32_MAX, next = UINT32_MAX, group = 0;
  PTX_FOR_LANES(lane, ready) {
    uint32_t place = frame->place[lane];
    if (place < least) {
      next = least;
      least = place;
      group = 0;
    } else if (place > least && place < next) {
      next = place;
    }
    if (place == least)
      group |= 1u << lane;
  }
  warp->group = group;
  warp->place = least;
  warp->limit = next;
  return group != 0;
}

/* Some of the group jump, the others go on with the next instruction. */
static void jump(ptx_warp *warp, uint32_t lanes, uint32_t target) {
  uint32_t others = warp->group & ~lanes;
  if (!others) {
    warp->place = target;
    return;
  }
  ptx_frame *frame = top_frame(warp);
  PTX_FOR_LANES(lane, lanes) frame->place[lane] = target;
  warp->group = others;
  warp->place++;
  park(warp);
}

/* `lanes` of the group wait at this instruction or, having done it, behind it; the others go on. */
static void leave_waiting(ptx_warp *warp, uint32_t lanes, bool done) {
  ptx_frame *frame = top_frame(warp);
  PTX_FOR_LANES(lane, warp->group) {
    bool waits = lanes >> lane & 1;
    frame->place[lane] = warp->place + (waits && !done ? 0 : 1);
  }
  warp->group = 0;
}

/* All lanes that must do this instruction at once are here: adds them to `lanes` and the group. Otherwise they wait. */
static bool gather(ptx_warp *warp, const ptx_instruction *instruction, uint32_t *lanes) {
  const ptx_frame *frame = top_frame(warp);
  uint32_t here = *lanes, wanted = 0;
  PTX_FOR_LANES(lane, warp->gathering & frame->lanes) {
    if (frame->place[lane] == warp->place)
      here |= 1u << lane;
  }
  if (instruction->unit == UNIT_EXCHANGE || instruction->op == OP_BAR_WARP) {
    const ptx_operand *members = ptx_operand_of(warp, instruction, instruction->num_operands - 1u);
    PTX_FOR_LANES(lane, here) wanted |= (uint32_t)ptx_lane_value(warp, members, lane);
    wanted &= warp->lanes;
  } else {
    wanted = warp->lanes;
  }
  if (!(wanted & ~here)) {
    warp->gathering &= ~here;
    warp->group |= here;
    *lanes = here;
    return true;
  }
  leave_waiting(warp, *lanes, false);
  warp->gathering |= *lanes;
  return false;
}

static bool needs_gathering(const ptx_instruction *instruction) {
  return instruction->field[PTX_ALIGNED] || (instruction->unit == UNIT_EXCHANGE && instruction->op != OP_ACTIVEMASK) ||
         instruction->op == OP_BAR_SYNC || instruction->op == OP_BAR_ARRIVE || instruction->op == OP_BAR_WARP;
}

static bool check_members(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *members = ptx_operand_of(warp, instruction, instruction->num_operands - 1u);
  PTX_FOR_LANES(lane, lanes) {
    uint64_t mask = ptx_lane_value(warp, members, lane);
    if (!(mask >> lane & 1))
      return ptx_stop(warp, instruction, lane, "the mask of members 0x%08x lacks this lane", (unsigned)mask);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------- barriers */

/* What others have seen of each warp has been seen. */
static void see(uint32_t *seen, const uint32_t *others, uint32_t num_warps) {
  for (uint32_t i = 0; i < num_warps; i++)
    if (seen[i] < others[i])
      seen[i] = others[i];
}

static void release_barrier(ptx_worker *worker, ptx_barrier *barrier) {
  uint32_t num_warps = worker->launch->num_warps;
  for (uint32_t i = 0; i < num_warps; i++) {
    if (!barrier->waiting[i])
      continue;
    ptx_warp *warp = &worker->warps[i];
    warp->blocked &= ~barrier->waiting[i];
    see(warp->clock, barrier->clock, num_warps); /* its own went on when it arrived */
    see(warp->seen_fences, barrier->seen_fences, num_warps);
  }
  worker->completed_barriers++;
  *barrier = (ptx_barrier){0};
}

/* Lanes arrive, and wait if `wait`. What they did until now happens before what those do that the barrier lets go. */
static bool arrive(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes, bool aligned, bool wait) {
  ptx_worker *worker = warp->worker;
  unsigned lane = ptx_first_lane(lanes);
  uint64_t number = ptx_lane_value(warp, ptx_operand_of(warp, instruction, 0), lane);
  uint64_t expected =
      instruction->num_operands > 1 ? ptx_lane_value(warp, ptx_operand_of(warp, instruction, 1), lane) : 0;
  if (number >= PTX_NUM_BARRIERS)
    return ptx_stop(warp, instruction, lane, "there is no barrier %llu", (unsigned long long)number);
  if (instruction->num_operands > 1 && (!expected || expected % PTX_LANES))
    return ptx_stop(warp, instruction, lane, "barrier %u is for %llu threads, which is no multiple of a warp",
                    (unsigned)number, (unsigned long long)expected);
  ptx_barrier *barrier = &worker->barriers[number];
  if (!barrier->lanes) {
    barrier->expected = (uint32_t)expected;
    barrier->instruction = instruction;
  } else if (barrier->expected != expected) {
    return ptx_stop(warp, instruction, lane, "others wait at barrier %u for another number of threads (line %u)",
                    (unsigned)number, barrier->instruction->line);
  }
  warp->seen_fences[warp->number] = warp->num_proxy_fences;
  see(barrier->clock, warp->clock, worker->launch->num_warps);
  see(barrier->seen_fences, warp->seen_fences, worker->launch->num_warps);
  warp->clock[warp->number]++;
  if (barrier->there[warp->number] & lanes)
    return ptx_stop(warp, instruction, lane, "comes to barrier %u again, which has not let go those who came before",
                    (unsigned)number);
  uint32_t count = (uint32_t)__builtin_popcount(lanes);
  barrier->there[warp->number] |= lanes;
  barrier->lanes += count;
  barrier->arrived += aligned ? PTX_LANES : count;
  if (expected && barrier->arrived > expected)
    return ptx_stop(warp, instruction, lane, "%u threads arrive at barrier %u, which is for %u", barrier->arrived,
                    (unsigned)number, (unsigned)expected);
  if (wait) {
    barrier->waiting[warp->number] |= lanes;
    warp->blocked |= lanes;
    leave_waiting(warp, lanes, true);
  } else {
    warp->place++;
  }
  if (expected ? barrier->arrived == expected : barrier->lanes >= worker->alive)
    release_barrier(worker, barrier);
  return true;
}

/* Those who wait for all threads of the block need not wait for threads that are gone. */
static void exit_lanes(ptx_warp *warp, uint32_t lanes) {
  ptx_worker *worker = warp->worker;
  for (uint32_t i = 0; i < warp->depth; i++) {
    warp->frames[i].lanes &= ~lanes;
    warp->frames[i].callers &= ~lanes;
  }
  warp->lanes &= ~lanes;
  warp->gathering = 0; /* they look again who is there */
  worker->alive -= (uint32_t)__builtin_popcount(lanes);
  for (unsigned i = 0; i < PTX_NUM_BARRIERS; i++) {
    ptx_barrier *barrier = &worker->barriers[i];
    if (barrier->lanes && !barrier->expected && barrier->lanes >= worker->alive)
      release_barrier(worker, barrier);
  }
}

static void add_text(ptx_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(ptx_message *message, const char *format, ...) {
  size_t used = strlen(message->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text + used, sizeof message->text - used, format, arguments);
  va_end(arguments);
}

static void describe_waiting(const ptx_worker *worker, const ptx_warp *warp, ptx_message *message) {
  const ptx_module *module = worker->module;
  char statement[PTX_STATEMENT_BYTES];
  if (warp->gathering) {
    uint32_t place = warp->frames[warp->depth - 1].place[ptx_first_lane(warp->gathering)];
    ptx_statement(module, &module->code[place], statement);
    add_text(message, "; warp %u: lanes 0x%08x wait for others of the warp at line %u `%s`", warp->number,
             warp->gathering, module->code[place].line, statement);
  }
  for (unsigned i = 0; i < PTX_NUM_BARRIERS; i++) {
    const ptx_barrier *barrier = &worker->barriers[i];
    if (!barrier->waiting[warp->number])
      continue;
    uint32_t expected = barrier->expected ? barrier->expected : worker->alive;
    ptx_statement(module, barrier->instruction, statement);
    add_text(message, "; warp %u: lanes 0x%08x wait at barrier %u, %u of %u threads there, first at line %u `%s`",
             warp->number, barrier->waiting[warp->number], i, barrier->expected ? barrier->arrived : barrier->lanes,
             expected, barrier->instruction->line, statement);
  }
}

bool ptx_warp_deadlock(ptx_worker *worker) {
  ptx_message message = {"deadlock"};
  ptx_warp *first = NULL;
  for (uint32_t i = 0; i < worker->launch->num_warps; i++) {
    if (!worker->warps[i].lanes)
      continue;
    first = first ? first : &worker->warps[i];
    describe_waiting(worker, &worker->warps[i], &message);
  }
  return ptx_stop(first, NULL, PTX_LANES, "%s", message.text);
}

/* ---------------------------------------------------------------------------------------------------------- control */

static bool call(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_module *module = warp->worker->module;
  const ptx_function *callee = &module->functions[instruction->target];
  bool running = warp->depth == PTX_MAX_FRAMES;
  for (uint32_t i = 0; i < warp->depth; i++)
    running |= warp->frames[i].function == instruction->target;
  if (running)
    return ptx_stop(warp, instruction, ptx_first_lane(lanes), "recursive or too deeply nested call of '%s'",
                    callee->name);
  for (uint32_t i = callee->num_results; i < callee->num_parameters; i++) {
    const ptx_operand *argument = ptx_operand_of(warp, instruction, i);
    PTX_FOR_LANES(lane, lanes) {
      unsigned char *memory = warp->local + (size_t)lane * module->local_bytes;
      memmove(memory + callee->parameters[i].offset, memory + argument->displacement, argument->offset);
    }
  }
  warp->place++;
  park(warp);
  ptx_frame *frame = &warp->frames[warp->depth++];
  *frame = (ptx_frame){.function = instruction->target, .lanes = lanes, .callers = lanes, .call = instruction};
  warp->group = lanes;
  warp->place = callee->first;
  warp->limit = UINT32_MAX;
  return true;
}

static void return_lanes(ptx_warp *warp, uint32_t lanes, bool from_kernel) {
  warp->place++;
  warp->group &= ~lanes;
  if (from_kernel || warp->depth == 1)
    exit_lanes(warp, lanes);
  else
    top_frame(warp)->lanes &= ~lanes;
  park(warp);
}

static bool jump_indexed(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *index = ptx_operand_of(warp, instruction, 0);
  ptx_frame *frame = top_frame(warp);
  warp->place++;
  uint32_t group = warp->group;
  park(warp);
  PTX_FOR_LANES(lane, lanes & group) {
    uint64_t target = ptx_lane_value(warp, index, lane);
    if (target >= instruction->num_targets)
      return ptx_stop(warp, instruction, lane, "jump to target %llu of %u", (unsigned long long)target,
                      instruction->num_targets);
    frame->place[lane] = warp->worker->module->targets[instruction->target + target];
  }
  return true;
}

static bool execute_control(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  switch (instruction->op) {
  case OP_BRA:
    jump(warp, lanes, instruction->target);
    return true;
  case OP_BRX:
    return jump_indexed(warp, instruction, lanes);
  case OP_CALL:
    return call(warp, instruction, lanes);
  case OP_RET:
    return_lanes(warp, lanes, false);
    return true;
  case OP_EXIT:
    return_lanes(warp, lanes, true);
    return true;
  case OP_TRAP:
    return ptx_stop(warp, instruction, ptx_first_lane(lanes), "the kernel gives up");
  case OP_BAR_SYNC:
    return arrive(warp, instruction, lanes, true, true);
  case OP_BAR_ARRIVE:
    return arrive(warp, instruction, lanes, true, false);
  case OP_BARRIER_SYNC:
    return arrive(warp, instruction, lanes, instruction->field[PTX_ALIGNED], true);
  case OP_BARRIER_ARRIVE:
    return arrive(warp, instruction, lanes, instruction->field[PTX_ALIGNED], false);
  case OP_BAR_WARP:
    if (!check_members(warp, instruction, lanes))
      return false;
    warp->clock[warp->number]++;
    warp->place++;
    return true;
  default: /* fences and nanosleep: accesses are seen at once, and time does not pass */
    warp->place++;
    return true;
  }
}

static bool execute(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  static ptx_execute *const units[] = {[UNIT_INTEGER] = ptx_execute_integer,    [UNIT_FLOATING] = ptx_execute_floating,
                                       [UNIT_COMPARE] = ptx_execute_compare,    [UNIT_CONVERT] = ptx_execute_convert,
                                       [UNIT_MOVE] = ptx_execute_move,          [UNIT_MEMORY] = ptx_execute_memory,
                                       [UNIT_EXCHANGE] = ptx_execute_exchange,  [UNIT_MATRIX] = ptx_execute_matrix,
                                       [UNIT_WARPGROUP] = ptx_execute_warpgroup};
  if (warp->worker->uses && !ptx_check_registers(warp, instruction))
    return false;
  if (instruction->unit == UNIT_CONTROL)
    return execute_control(warp, instruction, lanes);
  bool together = instruction->unit == UNIT_EXCHANGE && instruction->op != OP_ACTIVEMASK;
  bool done =
      (!together || check_members(warp, instruction, lanes)) && units[instruction->unit](warp, instruction, lanes);
  warp->place++;
  return done;
}

bool ptx_warp_run(ptx_warp *warp, uint64_t slice) {
  const ptx_module *module = warp->worker->module;
  for (uint64_t i = 0; i < slice; i++) {
    if (!warp->group && !select_group(warp))
      return true;
    const ptx_instruction *instruction = &module->code[warp->place];
    uint32_t lanes = warp->group;
    if (instruction->guarded)
      lanes &= ptx_predicate(warp, ptx_operand_of(warp, instruction, instruction->num_operands));
    if (lanes && needs_gathering(instruction) && !gather(warp, instruction, &lanes))
      continue;
    ptx_count *count = &warp->worker->counts[place_of(warp, instruction)];
    count->executions++;
    count->lanes += (unsigned)__builtin_popcount(lanes);
    warp->executed++;
    if (!lanes)
      warp->place++;
    else if (!execute(warp, instruction, lanes))
      return false;
    if (warp->group && warp->place >= warp->limit)
      park(warp);
  }
  return true;
}
