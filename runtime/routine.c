/* routine.c - routines of GPU programs: bytes, checks, evaluation of sizes.
 *
 * Invariants of a routine that was taken: operands name earlier values, everything else names values that exist,
 * tensors and scalars exist and are of the kind that is asked for, blocks have at least one and at most MAX_BLOCK
 * threads. Counts are compared with what is left of the file before memory is taken for them. Evaluation goes once
 * through the values. */
#include "runtime/routine.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = 1024, MAX_SHARED_BYTES = 1 << 20 };

/* ---------------------------------------------------------------------------------------------------------- writing */

static void put_numbers(byte_buffer *file, const uint32_t *numbers, uint32_t count) {
  byte_buffer_append(file, numbers, count * sizeof *numbers);
}

static void put_launch(byte_buffer *file, const program_launch *launch) {
  byte_buffer_string(file, launch->kernel, strlen(launch->kernel));
  put_numbers(file, launch->grid, 3);
  put_numbers(file, launch->block, 3);
  byte_buffer_number(file, launch->shared_bytes, 4);
  byte_buffer_number(file, launch->num_arguments, 4);
  for (uint32_t i = 0; i < launch->num_arguments; i++) {
    byte_buffer_number(file, launch->arguments[i].kind, 1);
    byte_buffer_number(file, launch->arguments[i].tensor, 4);
    byte_buffer_number(file, launch->arguments[i].value, 4);
  }
}

void routine_put(byte_buffer *file, const program_routine *routine) {
  byte_buffer_number(file, routine->num_values, 4);
  for (uint32_t i = 0; i < routine->num_values; i++) {
    byte_buffer_number(file, routine->values[i].operation, 1);
    byte_buffer_number(file, (uint64_t)routine->values[i].constant, 8);
    put_numbers(file, routine->values[i].operands, 3);
  }
  byte_buffer_number(file, routine->misfit, 4);
  byte_buffer_number(file, routine->num_extents, 4);
  put_numbers(file, routine->extents, routine->num_extents);
  byte_buffer_number(file, routine->workspace_bytes, 4);
  byte_buffer_number(file, routine->num_launches, 4);
  for (uint32_t i = 0; i < routine->num_launches; i++)
    put_launch(file, &routine->launches[i]);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

typedef struct routine_reader {
  byte_reader *bytes;
  const tec_entry *entry;
  program_routine *routine;
  uint64_t num_argument_extents;
} routine_reader;

static uint32_t take_number(routine_reader *r) { return (uint32_t)byte_reader_number(r->bytes, 4); }

/* A zeroed list of as many things as the file announces, each at least one byte there. */
static void *take_list(routine_reader *r, size_t size, uint32_t *count) {
  uint32_t announced = take_number(r);
  if (announced > r->bytes->left)
    byte_reader_fail(r->bytes, "it is cut off or damaged");
  void *list = r->bytes->wrong ? NULL : calloc((size_t)announced + 1, size);
  if (!list && !r->bytes->wrong)
    byte_reader_fail(r->bytes, "memory ran out");
  *count = list ? announced : 0;
  return list;
}

static uint32_t take_value_number(routine_reader *r) {
  uint32_t number = take_number(r);
  if (number >= r->routine->num_values)
    byte_reader_fail(r->bytes, "a size in it is not defined");
  return number;
}

static void take_value(routine_reader *r, uint32_t i, program_value *value) {
  value->operation = (program_operation)byte_reader_number(r->bytes, 1);
  value->constant = (int64_t)byte_reader_number(r->bytes, 8);
  for (unsigned k = 0; k < 3; k++)
    value->operands[k] = take_number(r);
  if (r->bytes->wrong || value->operation == PROGRAM_CONSTANT)
    return;
  bool good;
  if (value->operation == PROGRAM_EXTENT) {
    good = value->constant >= 0 && (uint64_t)value->constant < r->num_argument_extents;
  } else if (value->operation == PROGRAM_INTEGER) {
    good = value->constant >= 0 && value->constant < r->entry->num_arguments &&
           r->entry->arguments[value->constant].kind == TEC_KIND_SCALAR;
  } else {
    good = value->operation < PROGRAM_NUM_OPERATIONS && value->operands[0] < i && value->operands[1] < i &&
           (value->operation != PROGRAM_SELECT || value->operands[2] < i);
  }
  if (!good)
    byte_reader_fail(r->bytes, "a size in it is not valid");
}

static void take_argument(routine_reader *r, program_argument *argument) {
  const tec_entry *entry = r->entry;
  argument->kind = (program_argument_kind)byte_reader_number(r->bytes, 1);
  argument->tensor = take_number(r);
  argument->value = take_number(r);
  if (r->bytes->wrong)
    return;
  bool good = argument->kind < PROGRAM_NUM_ARGUMENT_KINDS;
  bool reads_tensor = argument->kind == PROGRAM_TENSOR || argument->kind == PROGRAM_SCALAR;
  if (good && reads_tensor)
    good = argument->tensor < entry->num_arguments + entry->num_results;
  if (good && argument->kind == PROGRAM_SCALAR)
    good = argument->tensor < entry->num_arguments && entry->arguments[argument->tensor].kind == TEC_KIND_SCALAR;
  if (good && argument->kind != PROGRAM_SCALAR)
    good = argument->value < r->routine->num_values;
  if (!good)
    byte_reader_fail(r->bytes, "an argument of a kernel in it is not valid");
}

static void take_launch(routine_reader *r, program_launch *launch) {
  launch->kernel = byte_reader_string(r->bytes);
  for (unsigned k = 0; k < 3; k++)
    launch->grid[k] = take_value_number(r);
  uint64_t threads = 1;
  bool good = true;
  for (unsigned k = 0; k < 3; k++) {
    launch->block[k] = take_number(r);
    good = good && launch->block[k] >= 1 && launch->block[k] <= MAX_BLOCK;
    threads *= launch->block[k];
  }
  launch->shared_bytes = take_number(r);
  if (!good || threads > MAX_BLOCK || launch->shared_bytes > MAX_SHARED_BYTES)
    byte_reader_fail(r->bytes, "the block of a kernel in it is not valid");
  program_argument *arguments = take_list(r, sizeof *arguments, &launch->num_arguments);
  launch->arguments = arguments;
  for (uint32_t i = 0; i < launch->num_arguments && !r->bytes->wrong; i++)
    take_argument(r, &arguments[i]);
}

void routine_take(byte_reader *bytes, const tec_entry *entry, program_routine *routine) {
  *routine = (program_routine){0};
  routine_reader r = {bytes, entry, routine, 0};
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    r.num_argument_extents += (uint64_t)entry->arguments[i].ndim;
  uint64_t num_result_extents = 0;
  for (uint32_t i = 0; i < entry->num_results; i++)
    num_result_extents += (uint64_t)entry->results[i].ndim;

  program_value *values = take_list(&r, sizeof *values, &routine->num_values);
  routine->values = values;
  for (uint32_t i = 0; i < routine->num_values && !bytes->wrong; i++)
    take_value(&r, i, &values[i]);
  routine->misfit = take_value_number(&r);
  uint32_t *extents = take_list(&r, sizeof *extents, &routine->num_extents);
  routine->extents = extents;
  if (!bytes->wrong && routine->num_extents != num_result_extents)
    byte_reader_fail(bytes, "the extents of the results in it do not fit their types");
  for (uint32_t i = 0; i < routine->num_extents && !bytes->wrong; i++)
    extents[i] = take_value_number(&r);
  routine->workspace_bytes = take_value_number(&r);
  program_launch *launches = take_list(&r, sizeof *launches, &routine->num_launches);
  routine->launches = launches;
  for (uint32_t i = 0; i < routine->num_launches && !bytes->wrong; i++)
    take_launch(&r, &launches[i]);
}

void routine_release(program_routine *routine) {
  for (uint32_t i = 0; i < routine->num_launches; i++) {
    free((void *)routine->launches[i].kernel);
    free((void *)routine->launches[i].arguments);
  }
  free((void *)routine->launches);
  free((void *)routine->extents);
  free((void *)routine->values);
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

void routine_evaluate(const program_routine *routine, const int64_t *extents, const int64_t *integers,
                      int64_t *values) {
  for (uint32_t i = 0; i < routine->num_values; i++) {
    const program_value *value = &routine->values[i];
    if (value->operation == PROGRAM_CONSTANT) {
      values[i] = value->constant;
      continue;
    }
    if (value->operation == PROGRAM_EXTENT || value->operation == PROGRAM_INTEGER) {
      values[i] = (value->operation == PROGRAM_EXTENT ? extents : integers)[value->constant];
      continue;
    }
    int64_t first = values[value->operands[0]], second = values[value->operands[1]];
    if (value->operation != PROGRAM_SELECT)
      values[i] = program_operate(value->operation, first, second);
    else
      values[i] = first == PROGRAM_UNDEFINED ? first : first ? second : values[value->operands[2]];
  }
}
