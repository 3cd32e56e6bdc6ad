/* transform.c - runs the transform scripts of a module and removes them.
 *
 * A script is a straight line of ops on handles; a handle is a list of ops of the program. An op that has been fused or
 * folded away since makes its handle invalid, which is an error where that is used. Functions that a script has tiled
 * get the attribute tec.scheduled, so that the default schedule leaves them alone.
 * Termination: each script op runs once, each matching walks the module once. */
#include "passes/fuse.h"
#include "passes/parallel.h"
#include "passes/passes.h"

#include <string.h>

typedef struct handle {
  const ir_value *name;
  ir_op **ops;
  unsigned count;
} handle;

typedef struct script {
  ir_module *module;
  const pass_options *options;
  handle *handles;
  unsigned num_handles;
  size_t capacity;
} script;

/* --------------------------------------------------------------------------------------------------------- handles */

static handle *add_handle(script *s, const ir_value *name, unsigned max_count) {
  ir_arena *arena = &s->module->arena;
  handle *fresh = &IR_PUSH(arena, s->handles, s->num_handles, s->capacity);
  *fresh = (handle){.name = name, .ops = IR_NEW_ARRAY(arena, ir_op *, max_count)};
  return fresh;
}

/* The handle that operand `i` names, all its ops still in the program; NULL after an error. */
static const handle *use_handle(const script *s, const ir_op *user, unsigned i) {
  for (unsigned k = 0; k < s->num_handles; k++) {
    const handle *found = &s->handles[k];
    if (found->name != ir_operand(user, i))
      continue;
    for (unsigned n = 0; n < found->count; n++)
      if (found->ops[n] != s->module->root && !found->ops[n]->block) {
        ir_op_error(user, "uses a handle to an op that an earlier step has replaced");
        return NULL;
      }
    return found;
  }
  ir_op_error(user, "uses a value that is no handle of this script");
  return NULL;
}

/* -------------------------------------------------------------------------------------------------------- matching */

typedef struct matcher {
  const ir_attr *names, *attrs;
  ir_op **ops; /* NULL: only count */
  unsigned count;
} matcher;

static bool is_script(const ir_op *op) {
  return op->code == OP_TRANSFORM_SEQUENCE || op->code == OP_TRANSFORM_NAMED_SEQUENCE;
}

/* The name of the op, or of that for which it stands. */
static const char *name_of(const ir_op *op) { return ir_attr_string_or(op, PASS_STANDS_FOR, ir_op_row(op)->name); }

static bool matches(const ir_op *op, const matcher *m) {
  bool named = !m->names;
  for (unsigned i = 0; m->names && i < m->names->count; i++)
    named |= m->names->elements[i]->string && !strcmp(m->names->elements[i]->string, name_of(op));
  if (!named)
    return false;
  for (unsigned i = 0; m->attrs && i < m->attrs->count; i++)
    if (ir_attr_get(op, m->attrs->entries[i].name) != m->attrs->entries[i].attr)
      return false;
  return true;
}

static bool is_in_script(const ir_op *op) {
  while (op && !is_script(op))
    op = ir_op_parent(op);
  return op;
}

static void match_below(const handle *target, matcher *m) {
  m->count = 0;
  for (unsigned i = 0; i < target->count; i++)
    for (ir_op *top = target->ops[i], *op = ir_next_inside(top, top); op; op = ir_next_inside(top, op)) {
      if (is_in_script(op) || !matches(op, m))
        continue;
      if (m->ops)
        m->ops[m->count] = op;
      m->count++;
    }
}

static bool run_match(script *s, ir_op *op) {
  matcher m = {.names = ir_attr_get(op, "ops"), .attrs = ir_attr_get(op, "op_attrs")};
  const handle *target = use_handle(s, op, 0);
  if (!target)
    return false;
  match_below(target, &m);
  if (!m.count)
    return ir_op_error(op, "matches no op");
  handle found = *target;
  handle *result = add_handle(s, ir_result(op, 0), m.count);
  m.ops = result->ops;
  match_below(&found, &m);
  result->count = m.count;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- fusing */

/* The loops of what the root stands for, `count` of them, in terms of its own: -1, or each of those once. NULL where it
 * stands for nothing. */
static const int64_t *loops_stood_for(const ir_op *root, unsigned *count) {
  unsigned num_loops = fuse_num_loops(root), num_found = 0;
  const int64_t *loops = ir_attr_i64s_of(root, PASS_STANDS_FOR_LOOPS, count);
  uint32_t found = 0;
  if (!loops || *count > IR_MAX_LOOPS)
    return NULL;
  for (unsigned i = 0; i < *count; i++) {
    bool fresh = loops[i] >= 0 && loops[i] < num_loops && !(found >> loops[i] & 1);
    if (!fresh && loops[i] != -1)
      return NULL;
    num_found += fresh;
    found |= fresh ? ir_bit(loops[i]) : 0;
  }
  return num_found == num_loops ? loops : NULL;
}

/* Tile sizes and the order of loops for one root; false after an error. What does not depend on the root has been
 * verified. */
static bool read_sizes(const ir_op *op, const ir_op *root, int64_t *tile_sizes, unsigned *interchange) {
  unsigned num_loops, num_sizes = 0, num_places = 0, num_inner = 0;
  const int64_t *stood = loops_stood_for(root, &num_loops);
  if (!stood)
    num_loops = fuse_num_loops(root);
  const int64_t *sizes = ir_attr_i64s_of(op, "tile_sizes", &num_sizes);
  const int64_t *places = ir_attr_i64s_of(op, "tile_interchange", &num_places);
  unsigned most = num_sizes > num_places ? num_sizes : num_places;
  if (most > num_loops)
    return ir_op_error(op, "is about %u loop%s, but '%s' has %u", most, most == 1 ? "" : "s", name_of(root), num_loops);
  for (unsigned i = 0; i < num_loops; i++) {
    int64_t size = i < num_sizes ? sizes[i] : 0, place = i < num_places ? places[i] : i, loop = stood ? stood[i] : i;
    if (loop < 0 && size)
      return ir_op_error(op, "tiles loop %u of '%s', which no element of the result has its own iterations of", i,
                         name_of(root));
    if (loop >= 0)
      tile_sizes[loop] = size;
    if (!stood || stood[place] >= 0)
      interchange[num_inner++] = (unsigned)(stood ? stood[place] : place);
  }
  return true;
}

static void mark_scheduled(ir_op *op) {
  while (op && op->code != OP_FUNC_FUNC)
    op = ir_op_parent(op);
  if (op)
    ir_attr_set(op, "tec.scheduled", ir_attr_unit(op->module));
}

static bool run_fuse(script *s, ir_op *op) {
  const handle *target = use_handle(s, op, 0);
  const handle *stop = target && ir_group_size(op, 1) ? use_handle(s, op, 1) : NULL;
  if (!target || (ir_group_size(op, 1) && !stop))
    return false;
  unsigned interchange[IR_MAX_LOOPS];
  fuse_options options = {.policy = FUSE_GREEDY, .interchange = interchange};
  if (stop) {
    options.stops = stop->ops;
    options.num_stops = stop->count;
  }
  handle roots = *target;
  unsigned first = s->num_handles;
  for (unsigned i = 0; i < op->num_results; i++)
    add_handle(s, ir_result(op, i), roots.count);
  for (unsigned i = 0; i < roots.count; i++) {
    fuse_result result;
    if (!roots.ops[i]->block)
      return ir_op_error(op, "has two targets of which one is fused into the other");
    if (!read_sizes(op, roots.ops[i], options.tile_sizes, interchange))
      return false;
    mark_scheduled(roots.ops[i]);
    fuse_tile(roots.ops[i], &options, &result);
    handle *handles = s->handles + first;
    handles[0].ops[handles[0].count++] = result.root;
    for (unsigned k = 0; k < result.num_loops; k++)
      handles[1 + k].ops[handles[1 + k].count++] = result.loops[k];
  }
  return true;
}

/* Labels the loops around an op from the outside up to the first that is not parallel: inside a sequential loop there
 * is nothing worth distributing. */
static bool label_loops(ir_op *op) {
  ir_op *parent = ir_op_parent(op);
  if (!parent || parent->code == OP_FUNC_FUNC)
    return true;
  bool outer = label_loops(parent);
  if (!ir_op_has(parent, IR_LOOP))
    return outer;
  if (!outer || !loop_is_parallel(parent))
    return false;
  ir_attr_set(parent, "__tec_parallel__", ir_attr_unit(op->module));
  return true;
}

static bool run_hint(script *s, ir_op *op) {
  const handle *target = use_handle(s, op, 0);
  for (unsigned i = 0; target && i < target->count; i++)
    label_loops(target->ops[i]);
  return target != NULL;
}

/* ------------------------------------------------------------------------------------------------------------ runs */

static bool run_op(script *s, ir_op *op) {
  switch (op->code) {
  case OP_TRANSFORM_MATCH:
    return run_match(s, op);
  case OP_TRANSFORM_FUSE_EXT:
    return run_fuse(s, op);
  case OP_TRANSFORM_TILE_LOOP_HINT:
    return run_hint(s, op);
  case OP_TRANSFORM_CLEANUP:
    return pass_run(s->module, "simplify", s->options);
  case OP_TRANSFORM_YIELD:
    return true;
  default:
    return ir_op_error(op, "is no step of a transform script");
  }
}

static bool run_script(ir_module *module, const pass_options *options, ir_op *sequence) {
  script s = {.module = module, .options = options};
  ir_block *body = ir_region(sequence, 0);
  for (unsigned i = 0; i < body->num_args; i++) {
    handle *root = add_handle(&s, body->args[i], 1);
    root->ops[root->count++] = module->root;
  }
  for (ir_op *op = body->first; op; op = op->next)
    if (!run_op(&s, op))
      return false;
  return true;
}

bool pass_transform(ir_module *module, const pass_options *options) {
  enum { MAX_SCRIPTS = 64 };
  ir_op *scripts[MAX_SCRIPTS];
  unsigned count = 0;
  for (ir_op *op = ir_next_inside(module->root, module->root); op; op = ir_next_inside(module->root, op)) {
    if (!is_script(op))
      continue;
    if (count == MAX_SCRIPTS)
      return ir_op_error(scripts[0], "is one of more than %d scripts", MAX_SCRIPTS);
    scripts[count++] = op;
  }
  for (unsigned i = 0; i < count; i++) {
    bool is_entry = scripts[i]->code == OP_TRANSFORM_SEQUENCE ||
                    !strcmp(ir_attr_string_or(scripts[i], "sym_name", ""), "__transform_main");
    if (is_entry && !run_script(module, options, scripts[i]))
      return false;
  }
  while (count)
    ir_op_erase(scripts[--count]);
  return true;
}
