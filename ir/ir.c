/* ir.c - modules, ops, values, use lists, blocks, cloning, walking. Invariants: see ir.h. */
#include "format.h"
#include "intern.h"
#include "pointer_map.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- modules */

ir_module *ir_module_create(ir_diag_handler diag, void *diag_user) {
  ir_arena arena;
  if (!ir_arena_init(&arena))
    return NULL;
  ir_module *module = IR_NEW(&arena, ir_module);
  module->arena = arena;
  module->diag = diag;
  module->diag_user = diag_user;
  ir_table **tables[] = {&module->types, &module->attrs, &module->exprs, &module->maps, &module->strings};
  for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
    *tables[i] = ir_table_create(&module->arena);
  ir_builder nowhere = {.module = module};
  module->root = ir_op_create(&nowhere, OP_BUILTIN_MODULE, &(ir_op_spec){0});
  return module;
}

void ir_module_destroy(ir_module *module) {
  if (!module)
    return;
  ir_arena arena = module->arena; /* the module itself lies in it */
  ir_arena_release(&arena);
}

static void find_lines(ir_arena *arena, ir_source *source) {
  const char *end = source->text + source->size;
  uint32_t *lines = NULL;
  size_t capacity = 0;
  for (const char *at = source->text; at;) {
    IR_PUSH(arena, lines, source->num_lines, capacity) = (uint32_t)(at - source->text);
    at = memchr(at, '\n', (size_t)(end - at));
    if (at)
      at++;
  }
  source->lines = lines;
}

uint32_t ir_module_add_source(ir_module *module, const char *name, const char *text, size_t size) {
  ir_source *grown = IR_NEW_ARRAY(&module->arena, ir_source, module->num_sources + 1);
  if (module->num_sources)
    memcpy(grown, module->sources, module->num_sources * sizeof *grown);
  char *copy = IR_NEW_ARRAY(&module->arena, char, size + 1);
  if (size)
    memcpy(copy, text, size);
  grown[module->num_sources] = (ir_source){.name = ir_intern_cstr(module, name), .text = copy, .size = size};
  find_lines(&module->arena, &grown[module->num_sources]);
  module->sources = grown;
  return ++module->num_sources;
}

/* ------------------------------------------------------------------------------------------------------ use lists */

static void link_use(ir_use *use) {
  ir_value *value = use->value;
  use->prev = NULL;
  use->next = value->uses;
  if (use->next)
    use->next->prev = use;
  value->uses = use;
}

static void unlink_use(ir_use *use) {
  if (use->prev)
    use->prev->next = use->next;
  else
    use->value->uses = use->next;
  if (use->next)
    use->next->prev = use->prev;
}

void ir_set_operand(ir_op *op, unsigned i, ir_value *value) {
  assert(i < op->num_operands);
  unlink_use(&op->operands[i]);
  op->operands[i].value = value;
  link_use(&op->operands[i]);
  op->structure = NULL;
}

unsigned ir_group_start(const ir_op *op, unsigned group) {
  unsigned start = 0;
  for (unsigned i = 0; i < group; i++)
    start += op->groups[i];
  return start;
}

void ir_insert_operand(ir_op *op, unsigned at, ir_value *value) {
  ir_use *grown = IR_NEW_ARRAY(&op->module->arena, ir_use, op->num_operands + 1);
  for (unsigned i = 0; i < op->num_operands; i++)
    unlink_use(&op->operands[i]);
  for (unsigned i = 0; i <= op->num_operands; i++) {
    grown[i].value = i < at ? op->operands[i].value : i == at ? value : op->operands[i - 1].value;
    grown[i].user = op;
    link_use(&grown[i]);
  }
  op->operands = grown;
  op->num_operands++;
  op->groups[0]++;
  op->structure = NULL;
}

void ir_remove_operand(ir_op *op, unsigned i) {
  unsigned group = 0, start = 0;
  while (i >= start + op->groups[group])
    start += op->groups[group++];
  for (unsigned k = i; k < op->num_operands; k++)
    unlink_use(&op->operands[k]);
  for (unsigned k = i; k + 1 < op->num_operands; k++) {
    op->operands[k].value = op->operands[k + 1].value;
    link_use(&op->operands[k]);
  }
  op->num_operands--;
  op->groups[group]--;
  op->structure = NULL;
}

void ir_replace_uses(ir_value *value, ir_value *with) {
  assert(value != with);
  while (value->uses)
    ir_set_operand(value->uses->user, ir_use_index(value->uses), with);
}

void ir_replace_op(ir_op *op, ir_value *with) {
  ir_replace_uses(ir_result(op, 0), with);
  ir_op_erase(op);
}

void ir_replace_op_by(ir_op *op, ir_op *with) {
  for (unsigned i = 0; i < op->num_results; i++)
    ir_replace_uses(ir_result(op, i), ir_result(with, i));
  ir_op_erase(op);
}

void ir_replace_uses_in(ir_value *value, ir_value *with, const ir_block *block) {
  for (ir_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (ir_op_is_inside(use->user, block))
      ir_set_operand(use->user, ir_use_index(use), with);
  }
}

/* ------------------------------------------------------------------------------------------------------------ ops */

/* Puts a detached op before `before`, or at the end of the block. */
static void link_op(ir_op *op, ir_block *block, ir_op *before) {
  op->block = block;
  op->next = before;
  op->prev = before ? before->prev : block->last;
  *(op->prev ? &op->prev->next : &block->first) = op;
  *(before ? &before->prev : &block->last) = op;
  op->order = 0; /* unknown */
  ir_symbol_enter(op);
}

static void unlink_op(ir_op *op) {
  ir_symbol_leave(op);
  *(op->prev ? &op->prev->next : &op->block->first) = op->next;
  *(op->next ? &op->next->prev : &op->block->last) = op->prev;
  op->block = NULL;
  op->prev = op->next = NULL;
}

/* The counts of the operand groups: as given, or derived where at most one group is variadic. */
static void set_groups(ir_op *op, const ir_op_spec *spec) {
  unsigned count = 0, given = 0, fixed = 0, *variadic = NULL;
  const char *at = ir_op_row(op)->operands;
  for (format_word word; format_next_word(&at, &word); count++) {
    given += spec->groups[count];
    op->groups[count] = !word.mark;
    fixed += !word.mark;
    variadic = word.mark ? &op->groups[count] : variadic;
  }
  if (given)
    memcpy(op->groups, spec->groups, sizeof op->groups);
  else if (variadic)
    *variadic = spec->num_operands - fixed;
  assert(ir_group_start(op, count) == spec->num_operands);
}

ir_op *ir_op_create(ir_builder *builder, ir_opcode code, const ir_op_spec *spec) {
  ir_module *module = builder->module;
  ir_arena *arena = &module->arena;
  const ir_op_info *info = ir_op_info_of(code);
  ir_op *op = IR_NEW(arena, ir_op);
  op->code = code;
  op->module = module;
  op->loc = builder->loc;
  op->num_operands = spec->num_operands;
  op->num_results = spec->num_results;
  op->num_regions = info->regions;
  op->operands = IR_NEW_ARRAY(arena, ir_use, op->num_operands);
  op->results = IR_NEW_ARRAY(arena, ir_value, op->num_results);
  op->regions = IR_NEW_ARRAY(arena, ir_block, op->num_regions);
  set_groups(op, spec);
  for (unsigned i = 0; i < op->num_operands; i++) {
    op->operands[i] = (ir_use){.value = spec->operands[i], .user = op};
    link_use(&op->operands[i]);
  }
  for (unsigned i = 0; i < op->num_regions; i++)
    op->regions[i].parent = op;
  for (unsigned i = 0; i < spec->num_attrs; i++)
    ir_attr_set(op, spec->attrs[i].name, spec->attrs[i].attr);
  const ir_type *inferred[IR_MAX_INFERRED] = {0};
  const ir_type *const *types = spec->types;
  if (!types && op->num_results && info->infer) {
    assert(op->num_results <= IR_MAX_INFERRED);
    bool fits = info->infer(op, inferred);
    assert(fits);
    (void)fits;
    types = inferred;
  }
  for (unsigned i = 0; i < op->num_results; i++)
    op->results[i] = (ir_value){.type = types[i], .op = op, .index = i};
  if (builder->block)
    link_op(op, builder->block, builder->before);
  return op;
}

ir_op_spec ir_op_spec_of(const ir_op *op, ir_value *const *operands, const ir_type *const *types) {
  ir_arena *arena = &op->module->arena;
  ir_op_spec spec = {.operands = operands,
                     .num_operands = op->num_operands,
                     .types = types,
                     .num_results = op->num_results,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  memcpy(spec.groups, op->groups, sizeof spec.groups);
  if (!operands) {
    ir_value **own = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
    for (unsigned i = 0; i < op->num_operands; i++)
      own[i] = ir_operand(op, i);
    spec.operands = own;
  }
  if (!types) {
    const ir_type **own = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
    for (unsigned i = 0; i < op->num_results; i++)
      own[i] = op->results[i].type;
    spec.types = own;
  }
  return spec;
}

void ir_op_erase(ir_op *op) {
  for (ir_op *inner = op; inner; inner = ir_next_inside(op, inner)) {
    for (unsigned i = 0; i < inner->num_operands; i++)
      unlink_use(&inner->operands[i]);
    inner->num_operands = 0;
  }
  for (unsigned i = 0; i < op->num_results; i++)
    assert(ir_value_unused(&op->results[i]));
  if (op->block)
    unlink_op(op);
}

void ir_op_move_before(ir_op *op, ir_op *before) {
  if (op == before || op->next == before)
    return;
  if (op->block)
    unlink_op(op);
  link_op(op, before->block, before);
}

void ir_op_move_to_end(ir_op *op, ir_block *block) {
  if (op->block)
    unlink_op(op);
  link_op(op, block, NULL);
}

void ir_block_move_ops(ir_block *from, ir_block *to) {
  while (from->first)
    ir_op_move_to_end(from->first, to);
}

/* --------------------------------------------------------------------------------------------------------- blocks */

ir_value *ir_block_add_arg(ir_block *block, const ir_type *type) {
  ir_arena *arena = &block->parent->module->arena;
  unsigned n = block->num_args;
  if (!(n & (n - 1))) { /* full at 0 and at powers of two */
    ir_value **grown = IR_NEW_ARRAY(arena, ir_value *, n ? 2 * n : 1);
    if (n)
      memcpy(grown, block->args, n * sizeof *grown);
    block->args = grown;
  }
  ir_value *arg = IR_NEW_OF(arena, ir_value, .type = type, .block = block, .index = n);
  block->args[block->num_args++] = arg;
  return arg;
}

void ir_block_remove_arg(ir_block *block, unsigned index) {
  assert(ir_value_unused(block->args[index]));
  unsigned n = --block->num_args;
  for (unsigned i = index; i < n; i++) {
    block->args[i] = block->args[i + 1];
    block->args[i]->index = i;
  }
}

bool ir_op_unused(const ir_op *op) {
  for (unsigned i = 0; i < op->num_results; i++)
    if (!ir_value_unused(ir_result(op, i)))
      return false;
  return true;
}

bool ir_op_touches(const ir_op *op, ir_type_kind kind) {
  bool found = false;
  for (unsigned i = 0; i < op->num_operands; i++)
    found |= ir_operand(op, i)->type->kind == kind;
  for (unsigned i = 0; i < op->num_results; i++)
    found |= ir_result(op, i)->type->kind == kind;
  return found;
}

bool ir_op_is_inside(const ir_op *op, const ir_block *block) {
  for (; op; op = ir_op_parent(op))
    if (op->block == block)
      return true;
  return false;
}

bool ir_value_is_outside(const ir_value *value, const ir_block *block) {
  if (value->op)
    return !ir_op_is_inside(value->op, block);
  return value->block != block && !(value->block->parent && ir_op_is_inside(value->block->parent, block));
}

ir_op *ir_op_ancestor_in(ir_op *op, const ir_block *block) {
  while (op && op->block != block)
    op = ir_op_parent(op);
  return op;
}

/* Gives the op and the neighbours that have no position either numbers between those around them; false where there
 * are too few. */
static bool number_between(ir_op *op) {
  enum { STEP = 1024 }; /* leaves room for ops that come between */
  ir_op *first = op, *last = op;
  uint64_t count = 1;
  for (; first->prev && !first->prev->order; first = first->prev)
    count++;
  for (; last->next && !last->next->order; last = last->next)
    count++;
  uint64_t low = first->prev ? first->prev->order : 0, high = low + (count + 1) * STEP;
  if (last->next)
    high = last->next->order;
  else if (high > UINT32_MAX)
    high = UINT32_MAX;
  uint64_t step = (high - low) / (count + 1);
  for (op = first; step && op != last->next; op = op->next)
    op->order = (uint32_t)(low += step);
  return step;
}

/* Ops that are new in the block, or moved, have no position; all get new ones where there is no room for theirs. */
static void number(ir_op *op) {
  if (op->order || number_between(op))
    return;
  for (ir_op *other = op->block->first; other; other = other->next)
    other->order = 0;
  number_between(op);
}

ir_op *ir_value_first_user(const ir_value *value, const ir_block *block) {
  ir_op *first = NULL;
  for (const ir_use *use = value->uses; use; use = use->next) {
    ir_op *user = ir_op_ancestor_in(use->user, block);
    if (!first || ir_op_is_before(user, first))
      first = user;
  }
  return first;
}

bool ir_operands_are_before(const ir_op *op, ir_op *place) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_op *from = ir_operand(op, i)->op;
    if (from && from->block == place->block && !ir_op_is_before(from, place))
      return false;
  }
  return true;
}

bool ir_op_is_before(ir_op *a, ir_op *b) {
  assert(a->block == b->block);
  number(a);
  number(b);
  return a->order < b->order;
}

bool ir_walk(ir_block *block, bool (*visit)(ir_op *op, void *data), void *data) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (!visit(op, data))
      return false;
    if (op->block != block) /* erased or moved */
      continue;
    for (unsigned i = 0; i < op->num_regions; i++)
      if (!ir_walk(&op->regions[i], visit, data))
        return false;
    next = op->next;
  }
  return true;
}

/* The first op of the op's regions from `region` on. */
static ir_op *first_inside(const ir_op *op, const ir_block *region) {
  for (; region < op->regions + op->num_regions; region++)
    if (region->first)
      return region->first;
  return NULL;
}

ir_op *ir_next_inside(const ir_op *top, const ir_op *op) {
  ir_op *next = first_inside(op, op->regions);
  for (; !next && op != top; op = op->block->parent)
    next = op->next ? op->next : first_inside(op->block->parent, op->block + 1);
  return next;
}

uint32_t ir_number_ops(const ir_op *top) {
  uint32_t next = 1;
  for (ir_op *op = ir_next_inside(top, top); op; op = ir_next_inside(top, op))
    op->mark = next++;
  return next;
}

void ir_clear_marks(const ir_op *top) {
  for (ir_op *op = ir_next_inside(top, top); op; op = ir_next_inside(top, op))
    op->mark = 0;
}

unsigned ir_number_values(ir_op *top) {
  unsigned next = 0;
  for (ir_op *op = top; op; op = ir_next_inside(top, op)) {
    op->mark = next;
    next += op->num_results;
    for (unsigned i = 0; i < op->num_regions; i++)
      next += op->regions[i].num_args;
  }
  return next;
}

/* An op's results come first, then the arguments of its blocks. */
unsigned ir_value_number(const ir_value *value) {
  if (value->op)
    return value->op->mark + value->index;
  const ir_op *parent = value->block->parent;
  unsigned number = parent->mark + parent->num_results + value->index;
  for (const ir_block *block = parent->regions; block < value->block; block++)
    number += block->num_args;
  return number;
}

bool ir_contains(const ir_op *top, ir_opcode code) {
  const ir_op *op = ir_next_inside(top, top);
  while (op && op->code != code)
    op = ir_next_inside(top, op);
  return op;
}

/* -------------------------------------------------------------------------------------------------------- cloning */

struct ir_value_map {
  ir_arena *arena;
  ir_pointer_map values;
};

ir_value_map *ir_value_map_create(ir_module *module) {
  ir_value_map *map = IR_NEW(&module->arena, ir_value_map);
  map->arena = &module->arena;
  return map;
}

void ir_value_map_set(ir_value_map *map, const ir_value *from, ir_value *to) {
  ir_pointer_map_set(map->arena, &map->values, from, to);
}

ir_value *ir_value_map_get(const ir_value_map *map, ir_value *value) {
  return ir_pointer_map_get(&map->values, value, value);
}

ir_op *ir_op_clone(ir_builder *builder, const ir_op *op, ir_value_map *map) {
  if (!map)
    map = ir_value_map_create(builder->module);
  ir_value **operands = IR_NEW_ARRAY(&builder->module->arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = ir_value_map_get(map, ir_operand(op, i));
  ir_op_spec spec = ir_op_spec_of(op, operands, NULL);
  ir_builder at = *builder;
  at.loc = op->loc;
  ir_op *clone = ir_op_create(&at, op->code, &spec);
  for (unsigned i = 0; i < op->num_results; i++)
    ir_value_map_set(map, &op->results[i], &clone->results[i]);
  ir_clone_regions(op, clone, map);
  return clone;
}

void ir_clone_regions(const ir_op *op, ir_op *to, ir_value_map *map) {
  for (unsigned r = 0; r < op->num_regions; r++) {
    const ir_block *from = &op->regions[r];
    for (unsigned i = 0; i < from->num_args; i++)
      ir_value_map_set(map, from->args[i], ir_block_add_arg(&to->regions[r], from->args[i]->type));
    ir_builder inner = ir_builder_at_end(&to->regions[r]);
    for (const ir_op *child = from->first; child; child = child->next)
      ir_op_clone(&inner, child, map);
  }
}
