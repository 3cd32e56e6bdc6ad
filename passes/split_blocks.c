/* split_blocks.c - the parts of a long reduction on a GPU; see split.h.
 *
 * What a GPU has on its multiprocessors at a time is a round of blocks. To read memory at full speed takes a round that
 * is full: one query of 32 heads is 32 blocks, on 132 multiprocessors that have room for 264. Time is counted in steps
 * of the loop:
 *
 *     rounds * (steps of a part + those until its copies run ahead + its results, written and read again)
 *     + the kernel that merges, where there are parts
 *
 * and the fewest parts with the least time are taken. How many blocks a multiprocessor has room for follows from what a
 * step reads, as often as there are stages, and from the warps that have the rows; where these are all that a block can
 * have, they are taken to keep the matrix unit busy by themselves.
 *
 * A cache of keys that grows has an open number of them. It is taken to be long: where it is short, parts are empty,
 * which costs little beside what is won where it is long.
 * Terminates: loops over ops of the body and numbers of parts. */
#include "ir/build.h"
#include "passes/extent.h"
#include "passes/running.h"
#include "passes/split.h"

enum {
  FIRST_STEPS = 2,            /* of which a part waits for what it reads */
  MERGE_STEPS = 2,            /* that it takes to start another kernel and run it, about: 4 microseconds */
  MOST_LANE_REGISTERS = 256,  /* where blocks have as many as a lane can have */
  MERGED_ELEMENTS = 16 << 10, /* that a block merges in registers, where all are there */
  OPEN_STEPS = 128,           /* that an open number of keys is taken to be */
  LEAST_GAIN = 80,            /* percent of the time that parts take, at most: times are rough */
  EVEN_PARTS = 16,            /* more than this are a power of two; dims of so many are padded to one */
};

/* Bytes of a tensor, as far as sizes have a bound. */
static int64_t most_bytes(ir_value *tensor) {
  int64_t bytes = ir_scalar_bytes(tensor->type->element);
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    if (__builtin_mul_overflow(bytes, extent_bound(extent_of(tensor, dim)), &bytes))
      return INT64_MAX / 2;
  return bytes;
}

/* What a step reads of tensors outside of the loop. */
static int64_t bytes_of_step(const ir_op *loop) {
  const ir_block *body = ir_region(loop, 0);
  int64_t bytes = 0;
  for (const ir_op *op = body->first; op; op = op->next)
    if (op->code == OP_TENSOR_EXTRACT_SLICE && ir_value_is_outside(ir_operand(op, 0), body) && bytes < INT32_MAX)
      bytes += most_bytes(ir_result(op, 0));
  return bytes ? bytes : 1;
}

/* What the loop leaves. */
typedef struct results {
  int64_t bytes;
  int64_t rows;     /* of the largest tensor: all dims but its last */
  int64_t elements; /* of it in a block that merges, which pads dims .. */
  bool is_padded;   /* .. and then knows which elements are there: that takes registers as well */
} results;

static int64_t padded(int64_t extent) {
  int64_t power = 1;
  while (power < extent && power < EVEN_PARTS)
    power *= 2;
  return power < extent ? (extent + EVEN_PARTS - 1) / EVEN_PARTS * EVEN_PARTS : power;
}

static results results_of(const ir_op *loop) {
  results all = {.rows = 1};
  int64_t most = 0;
  for (unsigned i = 0; i < loop->num_results; i++) {
    const ir_type *type = ir_result(loop, i)->type;
    int64_t elements = ir_type_num_elements(type), last = type->rank ? type->shape[type->rank - 1] : 1;
    all.bytes += ir_type_bytes(type);
    if (elements <= most)
      continue;
    most = elements;
    all.rows = elements / (last > 0 ? last : 1);
    all.elements = 1;
    for (unsigned dim = 0; dim < type->rank; dim++)
      all.elements *= padded(type->shape[dim]);
    all.is_padded = all.elements != elements;
  }
  return all;
}

/* Few parts are padded to a power of two. */
static bool can_merge(const results *all, int64_t parts) {
  int64_t power = 1;
  while (power < parts)
    power *= 2;
  return power * all->elements <= MERGED_ELEMENTS / (all->is_padded ? 2 : 1) && (parts <= EVEN_PARTS || parts == power);
}

bool split_merges_at_once(const ir_op *loop, int64_t parts) {
  results all = results_of(loop);
  return can_merge(&all, parts);
}

static int64_t divide_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

/* Blocks that a multiprocessor has room for, in shared memory and registers. */
static int64_t blocks_at_once(int64_t step_bytes, int64_t rows, const target_facts *target) {
  int64_t memory = (int64_t)target->shared_bytes, stages = target->copy_stages ? target->copy_stages : 1;
  while (stages > 1 && stages * step_bytes > memory / 2)
    stages--;
  int64_t warps = divide_up(rows, target_least_rows(target));
  warps = warps < target->block.warps ? warps : target->block.warps;
  if (warps == target->block.warps) /* they keep the matrix unit busy by themselves */
    return 1;
  int64_t by_memory = memory / (stages * step_bytes);
  int64_t by_registers = target->registers / (warps * target->warp * MOST_LANE_REGISTERS);
  int64_t blocks = by_memory < by_registers ? by_memory : by_registers;
  return blocks > 1 ? blocks : 1;
}

/* The time that it takes to merge parts: a block reads all of an iteration, at once or one after the other. */
static int64_t merge_time(const results *all, int64_t parts, int64_t step_bytes) {
  int64_t reading = divide_up(parts * all->bytes, 2 * step_bytes), waiting = can_merge(all, parts) ? 0 : parts / 2;
  return MERGE_STEPS + (reading > waiting ? reading : waiting);
}

int64_t split_into_blocks(const ir_op *loop, int64_t iterations, const target_facts *target) {
  if (!target->multiprocessors)
    return 1;
  int64_t steps = split_most_steps(loop, running_softmax(loop) ? OPEN_STEPS : 0), step_bytes = bytes_of_step(loop);
  results all = results_of(loop);
  int64_t overhead = FIRST_STEPS + divide_up(2 * all.bytes, step_bytes);
  int64_t room = target->multiprocessors * blocks_at_once(step_bytes, all.rows, target);
  if (iterations >= room)
    return 1;
  int64_t best = 1, least = (steps + FIRST_STEPS) * LEAST_GAIN / 100;
  for (int64_t parts = 2; parts <= steps / SPLIT_MIN_STEPS; parts++) {
    int64_t time = divide_up(iterations * parts, room) * (divide_up(steps, parts) + overhead) +
                   merge_time(&all, parts, step_bytes);
    if (time < least) {
      best = parts;
      least = time;
    }
  }
  return best;
}
