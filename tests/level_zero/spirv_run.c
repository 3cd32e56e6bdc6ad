/* spirv_run.c - runs work-groups one after the other.
 *
 * A sub-group runs the lanes that are at its earliest position; lanes elsewhere wait, and join when the others come to
 * where they are. Who reaches an instruction of the whole sub-group, or a barrier, waits there for the rest; when all
 * wait and not in one place, the launch ends. A budget of instructions ends loops that never do. */
#include "spirv_compute.h"

#include <stdio.h>
#include <stdlib.h>

enum { OP_BRANCH = 249, OP_CONDITIONAL = 250, OP_SWITCH = 251, OP_RETURN = 253, SCOPE_WORKGROUP = 2 };

static const uint64_t MAX_INSTRUCTIONS = (uint64_t)1 << 32;

bool spirv_stop(const spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lane, const char *format,
                ...) {
  const spirv_group *group = subgroup->group;
  char what[300], name[80] = "", where[60];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const char *given = instruction->result ? group->module->ids[instruction->result].name : NULL;
  if (given && *given)
    snprintf(name, sizeof name, " (%%%s)", given);
  else if (instruction->result)
    snprintf(name, sizeof name, " (%%%u)", instruction->result);
  if (lane < subgroup->lanes)
    snprintf(where, sizeof where, "work-item %u", subgroup->first_item + lane);
  else
    snprintf(where, sizeof where, "sub-group %u", subgroup->number);
  snprintf(group->message->text, sizeof group->message->text, "kernel '%s': %s%s: %s, in %s of work-group (%u, %u, %u)",
           group->function->kernel.name, instruction->name, name, what, where, group->id[0], group->id[1],
           group->id[2]);
  return false;
}

/* ----------------------------------------------------------------------------------------------------- control flow */

static const spirv_instruction *instruction_at(const spirv_subgroup *subgroup, uint32_t position) {
  return &subgroup->group->module->instructions[position];
}

/* Takes lanes from the end of one block to the start of another: phis get the values for that edge, all at once. */
static bool enter_block(spirv_subgroup *subgroup, uint32_t from, uint32_t label, uint32_t lanes) {
  const spirv_module *module = subgroup->group->module;
  const spirv_block *block = &module->blocks[module->ids[label].number];
  uint32_t source = module->blocks[from].label;
  uint64_t *next = subgroup->scratch;
  for (uint32_t i = 0; i < block->num_phis; i++) {
    const spirv_instruction *phi = &module->instructions[block->first_phi + i];
    uint32_t k = 0;
    while (k < phi->num_operands && phi->operands[k + 1] != source)
      k += 2;
    if (k >= phi->num_operands)
      return spirv_stop(subgroup, phi, SPIRV_MAX_LANES, "has no value for where it is reached from");
    size_t slots = (size_t)spirv_type_of(module, phi->type)->components * subgroup->lanes;
    memcpy(next, spirv_row_of(subgroup, phi->operands[k], 0), slots * sizeof *next);
    next += slots;
  }
  next = subgroup->scratch;
  for (uint32_t i = 0; i < block->num_phis; i++) {
    const spirv_instruction *phi = &module->instructions[block->first_phi + i];
    unsigned rows = spirv_type_of(module, phi->type)->components;
    uint64_t *out = spirv_row_of(subgroup, phi->result, 0);
    for (unsigned c = 0; c < rows; c++, out += subgroup->lanes, next += subgroup->lanes)
      SPIRV_FOR_LANES(lane, lanes) out[lane] = next[lane];
  }
  SPIRV_FOR_LANES(lane, lanes) subgroup->position[lane] = block->first;
  return true;
}

static bool run_switch(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  unsigned width = spirv_value_type(subgroup->group->module, instruction->operands[0])->width;
  const uint64_t *selector = spirv_row_of(subgroup, instruction->operands[0], 0);
  uint32_t words = width > 32 ? 2 : 1;
  for (uint32_t i = 2; i < instruction->num_operands; i += words + 1) {
    uint64_t literal = instruction->operands[i] | (words == 2 ? (uint64_t)instruction->operands[i + 1] << 32 : 0);
    uint32_t taken = 0;
    SPIRV_FOR_LANES(lane, lanes) if (selector[lane] == spirv_narrow(literal, width)) taken |= (uint32_t)1 << lane;
    if (taken && !enter_block(subgroup, instruction->block, instruction->operands[i + words], taken))
      return false;
    lanes &= ~taken;
  }
  return !lanes || enter_block(subgroup, instruction->block, instruction->operands[1], lanes);
}

/* The end of a block: where its lanes go. */
static bool leave_block(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  switch (instruction->row->opcode) {
  case OP_BRANCH:
    return enter_block(subgroup, instruction->block, instruction->operands[0], lanes);
  case OP_CONDITIONAL: {
    const uint64_t *condition = spirv_row_of(subgroup, instruction->operands[0], 0);
    uint32_t yes = 0;
    SPIRV_FOR_LANES(lane, lanes) if (condition[lane]) yes |= (uint32_t)1 << lane;
    uint32_t no = lanes & ~yes;
    return (!yes || enter_block(subgroup, instruction->block, instruction->operands[1], yes)) &&
           (!no || enter_block(subgroup, instruction->block, instruction->operands[2], no));
  }
  case OP_SWITCH:
    return run_switch(subgroup, instruction, lanes);
  case OP_RETURN:
    subgroup->done |= lanes;
    return true;
  default:
    return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "is reached");
  }
}

/* ------------------------------------------------------------------------------------------------------- sub-groups */

static void compute(spirv_subgroup *subgroup, const spirv_instruction *instruction, uint32_t lanes) {
  const spirv_module *module = subgroup->group->module;
  const spirv_type *type = spirv_type_of(module, instruction->type);
  uint64_t *out = spirv_row_of(subgroup, instruction->result, 0);
  bool all = lanes == (uint32_t)(((uint64_t)1 << subgroup->lanes) - 1);
  spirv_operands operands = {.count = (size_t)type->components * subgroup->lanes,
                             .width = type->width,
                             .from_width = spirv_value_type(module, instruction->operands[0])->width,
                             .out = all ? out : subgroup->scratch};
  operands.a = operands.b = operands.c = spirv_row_of(subgroup, instruction->operands[0], 0);
  if (instruction->num_operands > 1)
    operands.b = spirv_row_of(subgroup, instruction->operands[1], 0);
  if (instruction->num_operands > 2)
    operands.c = spirv_row_of(subgroup, instruction->operands[2], 0);
  instruction->compute(&operands);
  const uint64_t *results = subgroup->scratch;
  for (unsigned c = 0; c < type->components && !all; c++, out += subgroup->lanes, results += subgroup->lanes)
    SPIRV_FOR_LANES(lane, lanes) out[lane] = results[lane];
}

/* Runs lanes that are all at `position` to where they part or wait. */
static bool run_lanes(spirv_subgroup *subgroup, uint32_t position, uint32_t lanes) {
  for (;; position++) {
    const spirv_instruction *instruction = instruction_at(subgroup, position);
    if (!subgroup->group->budget--)
      return spirv_stop(subgroup, instruction, SPIRV_MAX_LANES, "the launch does not end");
    bool good = true;
    switch (instruction->row->class) {
    case SPIRV_COMPUTE:
    case SPIRV_EXTENDED:
      compute(subgroup, instruction, lanes);
      break;
    case SPIRV_EXECUTE:
      good = instruction->execute(subgroup, instruction, lanes);
      break;
    case SPIRV_COLLECTIVE:
    case SPIRV_CALL:
      if (lanes == subgroup->existing) {
        good = instruction->execute(subgroup, instruction, lanes);
        break;
      } /* fall through */
    case SPIRV_BARRIER:
      SPIRV_FOR_LANES(lane, lanes) subgroup->position[lane] = position;
      subgroup->waiting |= lanes;
      return true;
    default:
      return leave_block(subgroup, instruction, lanes);
    }
    if (!good)
      return false;
  }
}

/* All lanes wait, or returned. Goes on with a sub-group's own instruction; at a work-group's barrier *blocked is
 * set. */
static bool meet(spirv_subgroup *subgroup, bool *blocked) {
  uint32_t first = (uint32_t)__builtin_ctz(subgroup->waiting), position = subgroup->position[first];
  const spirv_instruction *instruction = instruction_at(subgroup, position);
  uint32_t here = 0;
  SPIRV_FOR_LANES(lane, subgroup->waiting) if (subgroup->position[lane] == position) here |= (uint32_t)1 << lane;
  if (here != subgroup->existing)
    return spirv_stop(subgroup, instruction, first, "only %d of %d work-items of the sub-group come here",
                      __builtin_popcount(here), __builtin_popcount(subgroup->existing));
  bool is_barrier = instruction->row->class == SPIRV_BARRIER;
  if (is_barrier && spirv_row_of(subgroup, instruction->operands[0], 0)[0] == SCOPE_WORKGROUP) {
    *blocked = true;
    return true;
  }
  if (!is_barrier && !instruction->execute(subgroup, instruction, here))
    return false;
  subgroup->waiting = 0;
  subgroup->moment += is_barrier;
  SPIRV_FOR_LANES(lane, here) subgroup->position[lane]++;
  return true;
}

/* Runs a sub-group to its end or to a barrier of the work-group. */
static bool run_subgroup(spirv_subgroup *subgroup, bool *blocked) {
  *blocked = false;
  while (!*blocked && subgroup->done != subgroup->existing) {
    uint32_t ready = subgroup->existing & ~subgroup->done & ~subgroup->waiting;
    if (!ready) {
      if (!meet(subgroup, blocked))
        return false;
      continue;
    }
    uint32_t earliest = UINT32_MAX, lanes = 0;
    SPIRV_FOR_LANES(lane, ready) if (subgroup->position[lane] < earliest) earliest = subgroup->position[lane];
    SPIRV_FOR_LANES(lane, ready) if (subgroup->position[lane] == earliest) lanes |= (uint32_t)1 << lane;
    if (!run_lanes(subgroup, earliest, lanes))
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------ work-groups */

static void start_group(spirv_group *group) {
  const spirv_module *module = group->module;
  group->first_moment = ++group->moment;
  if (group->function->private_bytes)
    memset(group->private_memory, 0xff, group->function->private_bytes * group->num_items);
  for (uint32_t i = 0; i < group->num_subgroups; i++) {
    spirv_subgroup *subgroup = &group->subgroups[i];
    subgroup->done = subgroup->waiting = 0;
    subgroup->moment++;
    for (unsigned lane = 0; lane < subgroup->lanes; lane++)
      subgroup->position[lane] = module->blocks[group->function->first_block].first;
  }
}

/* All sub-groups stopped: at one barrier, or at their ends. */
static bool check_barrier(const spirv_group *group, const bool *blocked) {
  const spirv_subgroup *first = NULL;
  uint32_t count = 0;
  for (uint32_t i = 0; i < group->num_subgroups; i++) {
    if (!blocked[i])
      continue;
    if (!first)
      first = &group->subgroups[i];
    count += group->subgroups[i].position[0] == first->position[0];
  }
  return !first || count == group->num_subgroups ||
         spirv_stop(first, instruction_at(first, first->position[0]), SPIRV_MAX_LANES,
                    "only %u of %u sub-groups of the work-group come here", count, group->num_subgroups);
}

static bool run_group(spirv_group *group) {
  bool blocked[SPIRV_MAX_GROUP / 8];
  start_group(group);
  for (;;) {
    bool any = false;
    for (uint32_t i = 0; i < group->num_subgroups; i++) {
      spirv_subgroup *subgroup = &group->subgroups[i];
      if (!run_subgroup(subgroup, &blocked[i]))
        return false;
      any |= blocked[i];
    }
    if (!check_barrier(group, blocked))
      return false;
    if (!any)
      return true;
    group->moment++;
    for (uint32_t i = 0; i < group->num_subgroups; i++) {
      spirv_subgroup *subgroup = &group->subgroups[i];
      subgroup->waiting = 0;
      subgroup->moment++;
      SPIRV_FOR_LANES(lane, subgroup->existing) subgroup->position[lane]++;
    }
  }
}

/* --------------------------------------------------------------------------------------------------------- launches */

/* The most slots that the scratch rows of a function must hold, in rows. */
static size_t scratch_rows(const spirv_module *module, const spirv_function *function) {
  size_t most = SPIRV_MAX_PLACES;
  for (uint32_t i = function->first; i < function->end; i++) {
    const spirv_instruction *instruction = &module->instructions[i];
    if (instruction->type && spirv_type_of(module, instruction->type)->components > most)
      most = spirv_type_of(module, instruction->type)->components;
  }
  for (uint32_t i = 0; i < module->num_blocks; i++) {
    const spirv_block *block = &module->blocks[i];
    size_t rows = 0;
    for (uint32_t k = 0; k < block->num_phis; k++)
      rows += spirv_type_of(module, module->instructions[block->first_phi + k].type)->components;
    if (rows > most)
      most = rows;
  }
  return most;
}

static bool allocate_subgroup(spirv_group *group, uint32_t number) {
  const spirv_module *module = group->module;
  const spirv_function *function = group->function;
  spirv_subgroup *subgroup = &group->subgroups[number];
  unsigned lanes = function->kernel.lanes;
  uint32_t first = number * lanes, count = group->num_items - first < lanes ? group->num_items - first : lanes;
  *subgroup = (spirv_subgroup){.group = group,
                               .registers = calloc((size_t)function->rows * lanes + 1, sizeof *subgroup->registers),
                               .scratch = calloc(scratch_rows(module, function) * lanes, sizeof *subgroup->scratch),
                               .lanes = lanes,
                               .existing = (uint32_t)(((uint64_t)1 << count) - 1),
                               .number = number,
                               .first_item = first};
  if (!subgroup->registers || !subgroup->scratch)
    return false;
  uint64_t *slot = subgroup->registers;
  for (uint32_t row = 0; row < module->num_constant_rows; row++)
    for (unsigned lane = 0; lane < lanes; lane++)
      *slot++ = module->constants[row];
  for (unsigned i = 0; i < function->kernel.num_parameters; i++) {
    uint64_t value = 0;
    memcpy(&value, group->launch->arguments[i], function->kernel.parameters[i].size);
    for (unsigned lane = 0; lane < lanes; lane++)
      *slot++ = value;
  }
  return true;
}

static bool allocate_group(spirv_group *group) {
  const spirv_module *module = group->module;
  unsigned lanes = group->function->kernel.lanes;
  group->num_subgroups = (group->num_items + lanes - 1) / lanes;
  group->local = calloc(module->local_bytes + 1, 1);
  group->shadow = calloc(module->local_bytes + 1, sizeof *group->shadow);
  group->private_memory = calloc(group->function->private_bytes * group->num_items + 1, 1);
  group->subgroups = calloc(group->num_subgroups, sizeof *group->subgroups);
  if (!group->local || !group->shadow || !group->private_memory || !group->subgroups)
    return false;
  for (uint32_t i = 0; i < group->num_subgroups; i++)
    if (!allocate_subgroup(group, i))
      return false;
  return true;
}

static void free_group(spirv_group *group) {
  for (uint32_t i = 0; group->subgroups && i < group->num_subgroups; i++) {
    free(group->subgroups[i].registers);
    free(group->subgroups[i].scratch);
  }
  free(group->subgroups);
  free(group->private_memory);
  free(group->shadow);
  free(group->local);
}

static bool run_groups(spirv_group *group) {
  const uint32_t *groups = group->launch->groups;
  for (group->id[2] = 0; group->id[2] < groups[2]; group->id[2]++)
    for (group->id[1] = 0; group->id[1] < groups[1]; group->id[1]++)
      for (group->id[0] = 0; group->id[0] < groups[0]; group->id[0]++)
        if (!run_group(group))
          return false;
  return true;
}

bool spirv_run(const spirv_module *module, const spirv_launch *launch, spirv_message *message) {
  uint32_t function = 0;
  while (&module->functions[function].kernel != launch->kernel)
    function++;
  uint64_t items = (uint64_t)launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
  if (!items || items > SPIRV_MAX_GROUP) {
    snprintf(message->text, sizeof message->text, "work-groups of %llu work-items", (unsigned long long)items);
    return false;
  }
  spirv_group group = {.module = module,
                       .function = &module->functions[function],
                       .launch = launch,
                       .message = message,
                       .num_items = (uint32_t)items,
                       .budget = launch->budget ? launch->budget : MAX_INSTRUCTIONS};
  bool good = allocate_group(&group);
  if (!good)
    snprintf(message->text, sizeof message->text, "out of memory");
  good = good && run_groups(&group);
  free_group(&group);
  return good;
}
