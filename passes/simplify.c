/* simplify.c - the pass "simplify": fold, merge equal ops, hoist, drop what is dead, until nothing changes.
 *
 * A round walks each function once, forwards and inside out, so that what a rewrite enables further down happens in the
 * same round; then dead.c drops what lost its uses. Each op is, in this order: a constant to be pooled at the top of
 * its function; put into canonical operand order and freed of inputs that its body does not read, or reads one number
 * of; folded; merged with an equal op that is visible here.
 * Invariants: constants stand at the top of the function, one of each. Ops with regions are not merged, nor is
 * tensor.empty: each stands for a buffer of its own, and one that is shared costs a copy.
 * Terminates: every rewrite removes an op, or moves it out of a loop or to the top, or replaces it by one of a smaller
 * kind (see fold.c), all of which are bounded; a round that does none of this is the last. A round is linear. */
#include "passes/simplify.h"

#include "passes/extent.h"
#include "ir/intern.h"
#include "ir/text.h"

#include <string.h>

/* An op that later equal ones are merged with. */
typedef struct known_op {
  ir_op *op;
  uint64_t hash;
  uint32_t next; /* 1 + the position of the next in its bucket; 0 ends it */
} known_op;

/* Hash table and stack in one: leaving a block pops what was found in it. Entries are chained newest first. */
typedef struct known_ops {
  known_op *entries;
  uint32_t *buckets;
  uint32_t count, num_buckets, capacity; /* num_buckets is a power of two */
  uint32_t hidden;                       /* so many entries belong to what an isolated op cannot see */
} known_ops;

typedef struct simplifier {
  known_ops visible;   /* pure ops of the blocks around */
  known_ops constants; /* of the function */
  ir_block *top;       /* where the function's constants go */
  ir_op *last_constant;
  bool changed;
} simplifier;

bool pass_is_pure(const ir_op *op) {
  return ir_op_has(op, IR_PURE) && (!ir_op_has(op, IR_DPS) || op->num_results == ir_num_inits(op));
}

bool pass_has_effect(const ir_op *op) {
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner))
    if (inner->code != OP_TENSOR_PARALLEL_INSERT_SLICE &&
        ir_op_row(inner)->traits & (IR_READS | IR_WRITES | IR_ALLOCATES))
      return true;
  return false;
}

/* -------------------------------------------------------------------------------------------------------- equal ops */

static uint64_t hash_op(const ir_op *op) {
  uint64_t hash = ir_hash_combine(op->code, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    hash = ir_hash_combine(hash, (uintptr_t)ir_operand(op, i));
  for (unsigned i = 0; i < op->num_results; i++)
    hash = ir_hash_combine(hash, (uintptr_t)ir_result(op, i)->type);
  for (unsigned i = 0; i < op->num_attrs; i++)
    hash = ir_hash_combine(ir_hash_combine(hash, (uintptr_t)op->attrs[i].name), (uintptr_t)op->attrs[i].attr);
  return hash;
}

/* Names, attributes and types are interned, and operands are values: all compare by pointer. */
static bool ops_equal(const ir_op *a, const ir_op *b) {
  if (a->code != b->code || a->num_operands != b->num_operands || a->num_results != b->num_results ||
      a->num_attrs != b->num_attrs || memcmp(a->groups, b->groups, sizeof a->groups))
    return false;
  for (unsigned i = 0; i < a->num_operands; i++)
    if (ir_operand(a, i) != ir_operand(b, i))
      return false;
  for (unsigned i = 0; i < a->num_results; i++)
    if (ir_result(a, i)->type != ir_result(b, i)->type)
      return false;
  return ir_attrs_equal(a->num_attrs, a->attrs, b->attrs);
}

static known_ops known_ops_create(ir_module *module, uint32_t capacity) {
  uint32_t buckets = 16;
  while (buckets < capacity)
    buckets *= 2;
  return (known_ops){.entries = IR_NEW_ARRAY(&module->arena, known_op, capacity),
                     .buckets = IR_NEW_ARRAY(&module->arena, uint32_t, buckets),
                     .num_buckets = buckets,
                     .capacity = capacity};
}

/* The op equal to `op`, or NULL after it was added. */
static ir_op *find_or_add(known_ops *known, ir_op *op) {
  uint64_t hash = hash_op(op);
  uint32_t *bucket = &known->buckets[hash & (known->num_buckets - 1)];
  for (uint32_t i = *bucket; i > known->hidden; i = known->entries[i - 1].next)
    if (known->entries[i - 1].hash == hash && ops_equal(known->entries[i - 1].op, op))
      return known->entries[i - 1].op;
  if (known->count < known->capacity) { /* ops made in this round may find no room: the next one merges them */
    known->entries[known->count] = (known_op){op, hash, *bucket};
    *bucket = ++known->count;
  }
  return NULL;
}

static void forget_until(known_ops *known, uint32_t count) {
  while (known->count > count) {
    known_op *entry = &known->entries[--known->count];
    known->buckets[entry->hash & (known->num_buckets - 1)] = entry->next;
  }
}

static void replace_op(simplifier *simplifier, ir_op *op, ir_op *with) {
  ir_replace_op_by(op, with);
  simplifier->changed = true;
}

/* -------------------------------------------------------------------------------------------------- single rewrites */

/* Moves a constant to the top of its function, after those that are there, or merges it with an equal one. */
static void pool_constant(simplifier *simplifier, ir_op *op) {
  ir_op *equal = find_or_add(&simplifier->constants, op);
  if (equal) {
    replace_op(simplifier, op, equal);
    return;
  }
  ir_op *place = simplifier->last_constant ? simplifier->last_constant->next : simplifier->top->first;
  if (place != op) {
    ir_op_move_before(op, place);
    simplifier->changed = true;
  }
  simplifier->last_constant = op;
}

/* Constants go to the right of commutative ops: rules and merging then see one order only. */
static void order_operands(simplifier *simplifier, ir_op *op) {
  const ir_attr *ignored;
  if (!ir_op_has(op, IR_COMMUTATIVE) || !ir_value_constant(ir_operand(op, 0), &ignored) ||
      ir_value_constant(ir_operand(op, 1), &ignored))
    return;
  ir_value *constant = ir_operand(op, 0);
  ir_set_operand(op, 0, ir_operand(op, 1));
  ir_set_operand(op, 1, constant);
  simplifier->changed = true;
}

/* Each loop appears as a subscript of some operand besides number `operand`: there its extent can be read. */
static bool has_extents_without(const ir_op *op, unsigned operand) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    bool found = false;
    for (unsigned i = 0; i < structure->num_maps; i++)
      found |= i != operand && ir_map_find_dim(structure->maps[i], loop) >= 0;
    if (!found)
      return false;
  }
  return true;
}

/* An elementwise op takes numbers that are the same everywhere into its body. */
static void take_splats(ir_op *op) {
  ir_block *body = ir_region(op, 0);
  ir_cell cell;
  if (ir_structure_of(op)->reductions)
    return;
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (!ir_value_unused(body->args[i]) && ir_value_splat(ir_operand(op, i), &cell)) {
      ir_builder builder = ir_builder_before(body->first);
      ir_replace_uses(body->args[i], ir_splat(&builder, body->args[i]->type, cell));
    }
}

/* Takes out inputs that the body does not read, of ops whose maps say what belongs to which operand. */
static void drop_inputs(simplifier *simplifier, ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED | IR_OWN_BODY) || !ir_attr_get(op, "indexing_maps"))
    return;
  ir_block *body = ir_region(op, 0);
  take_splats(op);
  for (unsigned i = ir_num_inputs(op); i-- > 0;) {
    if (!ir_value_unused(body->args[i]) || !has_extents_without(op, i))
      continue;
    const ir_attr *maps = ir_attr_get(op, "indexing_maps");
    const ir_attr **kept = IR_NEW_ARRAY(&op->module->arena, const ir_attr *, maps->count);
    for (unsigned from = 0, to = 0; from < maps->count; from++)
      if (from != i)
        kept[to++] = maps->elements[from];
    ir_remove_operand(op, i);
    ir_block_remove_arg(body, i);
    ir_attr_set(op, "indexing_maps", ir_attr_array(op->module, maps->count - 1, kept));
    simplifier->changed = true;
  }
}

/* What the body computes of its argument for out `i`, which is marked, goes into that alone. */
static bool serves_only(const ir_op *op, unsigned i) {
  const ir_block *body = ir_region(op, 0);
  for (ir_op *inner = body->first; inner; inner = inner->next) {
    inner->mark = false;
    for (unsigned k = 0; k < inner->num_operands; k++) {
      const ir_value *value = ir_operand(inner, k);
      bool depends = value == body->args[ir_num_inputs(op) + i] ||
                     (value->op && value->op->block == body && value->op->mark && value->op != inner);
      if (depends && inner == body->last && k != i)
        return false;
      inner->mark |= depends;
    }
    if (inner->num_regions)
      return false;
  }
  return true;
}

/* The op without result `i`, which is unused, nor what is marked; results behind move up. */
static ir_op *create_without(ir_op *op, unsigned i) {
  ir_arena *arena = &op->module->arena;
  ir_builder builder = ir_builder_before(op);
  const ir_structure *structure = ir_structure_of(op);
  unsigned num_ins = ir_num_inputs(op), total = op->num_operands - 1;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, total),
           **kept = IR_NEW_ARRAY(arena, ir_value *, total - num_ins);
  const ir_map **maps = IR_NEW_ARRAY(arena, const ir_map *, total);
  for (unsigned from = 0, to = 0; from < op->num_operands; from++)
    if (from != num_ins + i) {
      operands[to] = ir_operand(op, from);
      maps[to++] = structure->maps[from];
    }
  ir_op *created = ir_generic(&builder, num_ins, operands, total - num_ins, operands + num_ins, maps,
                              structure->num_loops, structure->reductions);
  const ir_block *body = ir_region(op, 0);
  ir_builder inside = ir_builder_at_end(ir_region(created, 0));
  ir_value_map *map = ir_value_map_create(op->module);
  for (unsigned from = 0, to = 0; from < body->num_args; from++)
    if (from != num_ins + i)
      ir_value_map_set(map, body->args[from], ir_region(created, 0)->args[to++]);
  for (const ir_op *inner = body->first; inner != body->last; inner = inner->next)
    if (!inner->mark)
      ir_op_clone(&inside, inner, map);
  for (unsigned from = 0, to = 0; from < op->num_results; from++)
    if (from != i) {
      kept[to] = ir_value_map_get(map, ir_operand(body->last, from));
      ir_replace_uses(ir_result(op, from), ir_result(created, to++));
    }
  ir_terminator(&inside, OP_LINALG_YIELD, total - num_ins, kept);
  return created;
}

/* An op of several results has none that nobody reads, as where a maximum's place was asked for as well. */
static ir_op *drop_results(simplifier *simplifier, ir_op *op) {
  for (unsigned i = op->num_results; op->code == OP_LINALG_GENERIC && op->num_results > 1 && i-- > 0;) {
    if (!ir_value_unused(ir_result(op, i)) || !has_extents_without(op, ir_num_inputs(op) + i) || !serves_only(op, i))
      continue;
    ir_op *created = create_without(op, i);
    ir_op_erase(op);
    op = created;
    simplifier->changed = true;
  }
  return op;
}

/* The constant that an elementwise op on constant splats gives, or NULL. */
static ir_value *fold_elementwise(ir_op *op) {
  enum { MAX_OPERANDS = 4 };
  const ir_op_info *row = ir_op_row(op);
  ir_cell operands[MAX_OPERANDS];
  if (!row->scalar || !ir_op_has(op, IR_ELEMENTWISE | IR_SPECULATABLE) || op->num_operands > MAX_OPERANDS ||
      !ir_type_is_static(ir_result(op, 0)->type))
    return NULL;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_attr *attr;
    if (!ir_value_constant(ir_operand(op, i), &attr) || !ir_value_splat(ir_operand(op, i), &operands[i]))
      return NULL;
  }
  const ir_type *type = ir_result(op, 0)->type;
  ir_cell cell = row->scalar(op, operands);
  if (ir_scalar_is_float(type->element))
    cell.f = ir_scalar_round(type->element, cell.f);
  else
    cell.i = ir_scalar_wrap(type->element, cell.i);
  ir_builder builder = ir_builder_before(op);
  return ir_splat(&builder, type, cell);
}

/* The extent that tensor.dim or memref.dim asks for, traced to where it comes from; NULL if it comes from here. */
static ir_value *fold_dim(ir_op *op) {
  ir_value *source = ir_operand(op, 0);
  unsigned dim;
  if (!ir_is_dim(op, &dim))
    return NULL;
  ir_builder builder = ir_builder_before(op);
  extent found = extent_of(source, dim);
  return found.value == source && !extent_is_computed(found)
             ? NULL
             : ir_index_value(&builder, extent_compute(&builder, found));
}

static ir_value *fold(ir_op *op) {
  if (op->code == OP_TENSOR_DIM || op->code == OP_MEMREF_DIM)
    return fold_dim(op);
  ir_builder builder = ir_builder_before(op);
  ir_value *value = fold_elementwise(op);
  return value || !ir_op_row(op)->fold ? value : ir_op_row(op)->fold(&builder, op);
}

/* Equal tiles stay apart: what several loop arguments start with would be copied, through memory. */
static bool may_merge(const ir_op *op) {
  return op->num_results && !op->num_regions && pass_is_pure(op) && op->code != OP_TENSOR_EMPTY &&
         ir_result(op, 0)->type->kind != IR_TYPE_TILE;
}

/* ------------------------------------------------------------------------------------------------------------- walk */

static void simplify_block(simplifier *simplifier, ir_block *block);

/* What a function holds is simplified apart: nothing of the outside is visible in it. */
static void simplify_isolated(simplifier *outer, ir_op *op) {
  simplifier inner = *outer;
  uint32_t visible = outer->visible.count, constants = outer->constants.count;
  inner.visible.hidden = visible;
  inner.constants.hidden = constants;
  for (unsigned i = 0; i < op->num_regions; i++) {
    inner.top = ir_region(op, i);
    inner.last_constant = NULL;
    simplify_block(&inner, ir_region(op, i));
    forget_until(&inner.visible, visible);
    forget_until(&inner.constants, constants);
  }
  outer->changed = inner.changed;
}

/* The ops that a rewrite put before `op` are simplified in their turn: returns where to go on. */
static ir_op *simplify_op(simplifier *simplifier, ir_op *op) {
  ir_op *next = op->next, *before = op->prev;
  if (ir_op_has(op, IR_CONSTANT)) {
    pool_constant(simplifier, op);
    return next;
  }
  order_operands(simplifier, op);
  op = drop_results(simplifier, op);
  drop_inputs(simplifier, op);
  ir_value *value = op->num_results == 1 ? fold(op) : NULL;
  if (value) {
    ir_op *first_new = before ? before->next : op->block->first;
    ir_replace_uses(ir_result(op, 0), value);
    next = first_new == op ? next : first_new;
    ir_op_erase(op);
    simplifier->changed = true;
    return next;
  }
  if (may_merge(op)) {
    ir_op *equal = find_or_add(&simplifier->visible, op);
    if (equal)
      replace_op(simplifier, op, equal);
  }
  return next;
}

static void simplify_block(simplifier *simplifier, ir_block *block) {
  uint32_t visible = simplifier->visible.count;
  for (ir_op *op = block->first, *next; op; op = next) {
    if (ir_op_has(op, IR_ISOLATED)) {
      next = op->next;
      simplify_isolated(simplifier, op);
      continue;
    }
    for (unsigned i = 0; i < op->num_regions; i++)
      simplify_block(simplifier, ir_region(op, i));
    if (ir_op_has(op, IR_CONTROL)) {
      next = op->next;
      if (ir_op_has(op, IR_LOOP))
        simplifier->changed |= simplify_hoist(op);
      simplifier->changed |= simplify_control(op);
    } else {
      next = simplify_op(simplifier, op);
    }
  }
  forget_until(&simplifier->visible, visible);
}

static bool run_round(ir_module *module) {
  uint32_t count = 0;
  for (const ir_op *op = ir_next_inside(module->root, module->root); op; op = ir_next_inside(module->root, op))
    count++;
  simplifier simplifier = {.visible = known_ops_create(module, count), .constants = known_ops_create(module, count)};
  simplify_isolated(&simplifier, module->root);
  bool dropped = pass_drop_dead(module);
  return simplifier.changed || dropped;
}

bool pass_simplify(ir_module *module, const pass_options *options) {
  while (run_round(module))
    continue;
  /* Constants that came to light may show that an op is illegal, a slice out of bounds say. That is the input's
   * fault. */
  return ir_verify(module, 0);
}
