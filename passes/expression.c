/* expression.c - scalar expressions of tensor elements; see expression.h. */
#include "passes/expression.h"
#include "passes/passes.h"
#include "passes/recast.h"

#include <math.h>
#include <string.h>

static const expression *of_tensor(expression_space *space, ir_value *value, const int *subscripts);

/* ---------------------------------------------------------------------------------------------------------- nodes */

static bool same_node(const expression *a, const expression *b) {
  if (a->kind != b->kind || a->type != b->type || a->value != b->value || a->attr != b->attr || a->loop != b->loop ||
      a->code != b->code || a->num_arguments != b->num_arguments || a->num_attrs != b->num_attrs ||
      !ir_attrs_equal(a->num_attrs, a->attrs, b->attrs))
    return false;
  for (unsigned i = 0; i < a->num_arguments; i++)
    if (a->arguments[i] != b->arguments[i])
      return false;
  return a->kind != EXPRESSION_LEAF || !memcmp(a->subscripts, b->subscripts, sizeof a->subscripts);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Of what most nodes differ in; equal nodes have equal ones. */
static uint64_t hash_node(const expression *node) {
  uint64_t hash =
      mix((uint64_t)node->kind << 32 | (uint64_t)node->code, (uintptr_t)node->value ^ (uintptr_t)node->attr);
  for (unsigned i = 0; i < node->num_arguments; i++)
    hash = mix(hash, node->arguments[i]->number);
  return hash;
}

/* The loops of the root, as bits, with which the value varies. */
static uint32_t loops_of(const expression *node) {
  uint32_t loops = node->kind == EXPRESSION_INDEX ? ir_bit(node->loop) : 0;
  for (unsigned dim = 0; node->kind == EXPRESSION_LEAF && dim < node->value->type->rank; dim++)
    if (node->subscripts[dim] != EXPRESSION_ZERO)
      loops |= ir_bit(node->subscripts[dim]);
  for (unsigned i = 0; i < node->num_arguments; i++)
    loops |= node->arguments[i]->loops;
  return node->kind == EXPRESSION_REDUCE ? loops & ~ir_bit(node->loop) : loops;
}

/* NULL when there is no room for another node. */
static const expression *intern(expression_space *space, const expression *node) {
  unsigned at = (unsigned)hash_node(node) % EXPRESSION_SLOTS;
  for (; space->node_slots[at]; at = (at + 1) % EXPRESSION_SLOTS)
    if (same_node(&space->nodes[space->node_slots[at] - 1], node))
      return &space->nodes[space->node_slots[at] - 1];
  if (space->num_nodes == EXPRESSION_MAX_NODES)
    return NULL;
  expression *kept = &space->nodes[space->num_nodes];
  *kept = *node;
  kept->number = space->num_nodes;
  kept->loops = loops_of(node);
  space->node_slots[at] = (uint16_t)++space->num_nodes;
  return kept;
}

static const expression *leaf(expression_space *space, ir_value *value, const int *subscripts) {
  expression node = {
      .kind = EXPRESSION_LEAF, .type = ir_type_scalar(space->module, value->type->element), .value = value};
  if (subscripts) /* a scalar has none */
    memcpy(node.subscripts, subscripts, value->type->rank * sizeof *subscripts);
  return intern(space, &node);
}

const expression *expression_constant(expression_space *space, const ir_type *type, double value) {
  return intern(
      space,
      &(expression){.kind = EXPRESSION_CONSTANT, .type = type, .attr = ir_attr_float(space->module, type, value)});
}

const expression *expression_apply(expression_space *space, ir_opcode code, const expression *a, const expression *b) {
  if (!a)
    return NULL;
  return intern(
      space,
      &(expression){
          .kind = EXPRESSION_OP, .type = a->type, .code = code, .num_arguments = b ? 2 : 1, .arguments = {a, b}});
}

bool expression_is_op(const expression *node, ir_opcode code) {
  return node->kind == EXPRESSION_OP && node->code == code;
}

bool expression_is_number(const expression *node) {
  return node->kind == EXPRESSION_CONSTANT && node->attr->kind == IR_ATTR_FLOAT;
}

bool expression_is_constant(const expression *node, double value) {
  return expression_is_number(node) && node->attr->number == value;
}

bool expression_depends(const expression *node, int loop) { return node->loops >> loop & 1; }

bool expression_reduces(const expression_space *space, const expression *node, int loop) {
  bool is_part[EXPRESSION_MAX_NODES] = {0};
  is_part[node->number] = true;
  for (unsigned number = node->number + 1; number-- > 0;) { /* parts stand before what they are part of */
    const expression *part = &space->nodes[number];
    if (is_part[number] && part->kind == EXPRESSION_REDUCE && part->loop == loop)
      return true;
    for (unsigned i = 0; is_part[number] && i < part->num_arguments; i++)
      is_part[part->arguments[i]->number] = true;
  }
  return false;
}

/* --------------------------------------------------------------------------------------------------- what was seen */

/* Where the value's expression is kept; `*known`: it is there, or on its way. NULL when there is no room: then nothing
 * more is looked at, which bounds all walks, and how deep they nest. */
static expression_seen *look_up(expression_space *space, ir_value *value, unsigned count, const int *subscripts,
                                bool *known) {
  unsigned at = (unsigned)mix((uintptr_t)value, 0) % EXPRESSION_SLOTS;
  for (; space->seen_slots[at]; at = (at + 1) % EXPRESSION_SLOTS) {
    expression_seen *seen = &space->seen[space->seen_slots[at] - 1];
    if (seen->value == value && (!count || !memcmp(seen->subscripts, subscripts, count * sizeof *subscripts))) {
      *known = true;
      return seen;
    }
  }
  if (space->num_seen == EXPRESSION_MAX_SEEN)
    return NULL;
  expression_seen *seen = &space->seen[space->num_seen++];
  space->seen_slots[at] = (uint16_t)space->num_seen;
  *known = false;
  seen->value = value;
  seen->node = NULL;
  if (count)
    memcpy(seen->subscripts, subscripts, count * sizeof *subscripts);
  return seen;
}

/* -------------------------------------------------------------------------------------------------------- scalars */

/* The body of a structured op, seen at given subscripts: loops[l] is the root's loop that its loop l runs with. */
typedef struct view {
  expression_space *space;
  ir_op *op;
  int loops[IR_MAX_LOOPS];
  bool reduces; /* its outs must not be read */
} view;

/* The operand's element, subscripts through its map; unit dims are at 0 whatever the map says. */
static const expression *of_operand(const view *v, unsigned operand) {
  ir_value *value = ir_operand(v->op, operand);
  const ir_map *map = ir_structure_of(v->op)->maps[operand];
  int subscripts[IR_MAX_RANK];
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int loop = ir_map_result_dim(map, dim);
    bool zero = map->results[dim]->kind == IR_EXPR_CONST && map->results[dim]->value == 0;
    if (loop < 0 && !zero)
      return NULL;
    subscripts[dim] = value->type->shape[dim] == 1 || zero ? EXPRESSION_ZERO : v->loops[loop];
  }
  return of_tensor(v->space, value, subscripts);
}

static const expression *of_scalar(const view *v, ir_value *scalar);

/* What an op of the body computes. */
static const expression *of_body_op(const view *v, const ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  if (op->code == OP_LINALG_INDEX) {
    int loop = v->loops[ir_attr_int_or(op, "dim", 0)];
    return loop < 0 ? NULL : intern(v->space, &(expression){.kind = EXPRESSION_INDEX, .type = type, .loop = loop});
  }
  if (!ir_op_has(op, IR_PURE | IR_ELEMENTWISE) || op->num_operands > 3)
    return NULL;
  expression node = {.kind = EXPRESSION_OP,
                     .type = type,
                     .code = op->code,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs,
                     .num_arguments = op->num_operands};
  for (unsigned i = 0; i < op->num_operands; i++) {
    node.arguments[i] = of_scalar(v, ir_operand(op, i));
    if (!node.arguments[i])
      return NULL;
  }
  return intern(v->space, &node);
}

static const expression *of_scalar(const view *v, ir_value *scalar) {
  const ir_block *body = ir_region(v->op, 0);
  if (scalar->block == body) {
    bool is_out = scalar->index >= ir_num_inputs(v->op);
    return is_out && v->reduces ? NULL : of_operand(v, scalar->index);
  }
  const ir_attr *attr;
  if (ir_value_constant(scalar, &attr))
    return intern(v->space, &(expression){.kind = EXPRESSION_CONSTANT, .type = scalar->type, .attr = attr});
  if (ir_value_is_outside(scalar, body))
    return scalar->type->kind == IR_TYPE_SCALAR ? leaf(v->space, scalar, NULL) : NULL;
  bool known;
  expression_seen *seen = look_up(v->space, scalar, ir_structure_of(v->op)->num_loops, v->loops, &known);
  if (seen && !known)
    seen->node = of_body_op(v, scalar->op);
  return seen ? seen->node : NULL;
}

const expression *expression_of_scalar(expression_space *space, ir_value *scalar) {
  view v = {.space = space, .op = space->root};
  for (unsigned loop = 0; loop < space->num_loops; loop++)
    v.loops[loop] = (int)loop;
  return of_scalar(&v, scalar);
}

const expression *expression_of_inner(expression_space *space, ir_op *op, ir_value *scalar, int without) {
  view v = {.space = space, .op = op};
  unsigned num_loops = 0;
  for (unsigned loop = 0; loop < space->num_loops; loop++)
    if ((int)loop != without)
      v.loops[num_loops++] = space->extents[loop] == 1 ? EXPRESSION_ZERO : (int)loop;
  return of_scalar(&v, scalar);
}

/* -------------------------------------------------------------------------------------------------------- tensors */

/* The one loop of the root that the subscripts leave free and that runs as long as the reduction does, or -1. */
static int free_loop(const expression_space *space, unsigned rank, const int *subscripts, int64_t extent) {
  int found = -1;
  for (unsigned loop = 0; loop < space->num_loops; loop++) {
    bool used = space->extents[loop] == 1;
    for (unsigned dim = 0; dim < rank; dim++)
      used |= subscripts[dim] == (int)loop;
    if (used)
      continue;
    if (found >= 0)
      return -1;
    found = (int)loop;
  }
  return found >= 0 && space->extents[found] == extent ? found : -1;
}

/* The neutral element of a sum, a conjunction or a maximum, or less for a maximum: -inf, or the lowest finite value. */
static bool starts_neutral(const ir_value *init, ir_opcode code) {
  ir_cell cell;
  if (!ir_value_splat(init, &cell))
    return false;
  if (code == OP_ARITH_ADDF)
    return cell.f == 0;
  if (code == OP_ARITH_ANDI)
    return cell.i == -1;
  return cell.f <= ir_scalar_lowest(init->type->element);
}

/* One result of a structured op at the subscripts. */
static const expression *of_structured(expression_space *space, const ir_value *result, const int *subscripts) {
  view v = {.space = space, .op = result->op};
  const ir_structure *structure = ir_structure_of(v.op);
  unsigned init = ir_num_inputs(v.op) + result->index;
  const ir_map *out = structure->maps[init];
  memset(v.loops, -1, sizeof v.loops);
  for (unsigned dim = 0; dim < out->num_results; dim++) {
    int loop = ir_map_result_dim(out, dim);
    if (loop >= 0)
      v.loops[loop] = subscripts[dim];
    else if (out->results[dim]->kind != IR_EXPR_CONST)
      return NULL;
  }
  ir_value *yielded = ir_yielded(v.op, result->index);
  if (!structure->reductions)
    return of_scalar(&v, yielded);
  /* one loop, combine(out, element) */
  unsigned reduction = (unsigned)__builtin_ctz(structure->reductions);
  ir_op *combine = yielded->op;
  const ir_value *running = ir_region(v.op, 0)->args[init];
  if (structure->reductions & (structure->reductions - 1) || !combine || combine->num_operands != 2)
    return NULL;
  ir_opcode code = combine->code == OP_ARITH_MAXNUMF ? OP_ARITH_MAXIMUMF : combine->code;
  unsigned side = ir_operand(combine, 0) == running;
  if ((code != OP_ARITH_ADDF && code != OP_ARITH_MAXIMUMF && code != OP_ARITH_ANDI) ||
      ir_operand(combine, 1 - side) != running || !starts_neutral(ir_operand(v.op, init), code))
    return NULL;
  v.loops[reduction] = free_loop(space, out->num_results, subscripts, ir_loop_size(v.op, reduction));
  v.reduces = true;
  const expression *element = v.loops[reduction] < 0 ? NULL : of_scalar(&v, ir_operand(combine, side));
  if (!element)
    return NULL;
  return intern(space, &(expression){.kind = EXPRESSION_REDUCE,
                                     .type = element->type,
                                     .code = code,
                                     .loop = v.loops[reduction],
                                     .num_arguments = 1,
                                     .arguments = {element}});
}

/* Through expand_shape and collapse_shape that only add or drop unit dims: the subscripts of the operand. */
static bool through_unit_dims(const ir_op *reshape, const int *subscripts, int *inner) {
  unsigned kept[IR_MAX_RANK];
  const ir_type *from = ir_operand(reshape, 0)->type, *to = ir_result(reshape, 0)->type;
  if (!recast_unit_dims(reshape, kept))
    return false;
  for (unsigned dim = 0; dim < from->rank; dim++)
    inner[dim] = EXPRESSION_ZERO;
  for (unsigned g = 0; g < from->rank && g < to->rank; g++) {
    unsigned outside = from->rank < to->rank ? kept[g] : g, inside = from->rank < to->rank ? g : kept[g];
    if (from->shape[inside] != 1)
      inner[inside] = subscripts[outside];
  }
  return true;
}

/* A tensor constant with one value everywhere. */
static const expression *of_splat(expression_space *space, const ir_value *value) {
  const ir_attr *attr;
  if (!ir_value_constant(value, &attr) || attr->kind != IR_ATTR_DENSE || attr->count != 1)
    return NULL;
  const ir_type *type = ir_type_scalar(space->module, value->type->element);
  attr = ir_attr_scalar(space->module, type, ir_attr_element(attr, 0));
  return intern(space, &(expression){.kind = EXPRESSION_CONSTANT, .type = type, .attr = attr});
}

/* NULL where the op cannot be seen through. */
static const expression *through(expression_space *space, ir_value *value, const int *subscripts) {
  const ir_op *op = value->op;
  int inner[IR_MAX_RANK];
  if (!op)
    return NULL;
  switch (op->code) {
  case OP_ARITH_CONSTANT:
    return of_splat(space, value);
  case OP_TENSOR_CAST:
    return of_tensor(space, ir_operand(op, 0), subscripts);
  case OP_TENSOR_EXPAND_SHAPE:
  case OP_TENSOR_COLLAPSE_SHAPE:
    return through_unit_dims(op, subscripts, inner) ? of_tensor(space, ir_operand(op, 0), inner) : NULL;
  default:
    break;
  }
  return ir_op_has(op, IR_STRUCTURED) && op->num_regions ? of_structured(space, value, subscripts) : NULL;
}

static const expression *of_tensor(expression_space *space, ir_value *value, const int *subscripts) {
  bool known;
  expression_seen *seen = look_up(space, value, value->type->rank, subscripts, &known);
  if (seen && known)
    return seen->node;
  const expression *node = seen ? through(space, value, subscripts) : NULL;
  if (!node)
    node = leaf(space, value, subscripts);
  if (seen)
    seen->node = node;
  return node;
}

const expression *expression_of_element(expression_space *space, ir_value *tensor, int without) {
  int subscripts[IR_MAX_RANK];
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    subscripts[dim] =
        tensor->type->shape[dim] == 1 ? EXPRESSION_ZERO : (int)dim + (without >= 0 && (int)dim >= without);
  return of_tensor(space, tensor, subscripts);
}

void expression_begin(expression_space *space, ir_op *root) {
  space->module = root->module;
  space->root = root;
  space->num_loops = ir_structure_of(root)->num_loops;
  space->num_nodes = space->num_seen = 0;
  memset(space->node_slots, 0, sizeof space->node_slots);
  memset(space->seen_slots, 0, sizeof space->seen_slots);
  ir_loop_extents(root, space->extents);
}

/* -------------------------------------------------------------------------------------------------- back to tensors */

/* An expression as the body of an op, whose inputs are its leaves. */
typedef struct emission {
  expression_space *space;
  const expression *leaves[IR_MAX_LOOPS];
  ir_value *inputs[IR_MAX_LOOPS];
  unsigned count;
  int without; /* the root's loop that the tensor does not have, or -1 */
  ir_block *body;
  bool needed[EXPRESSION_MAX_NODES];      /* by number: a part of the expression */
  ir_value *values[EXPRESSION_MAX_NODES]; /* what it is in the body */
} emission;

/* The tensor's dim for a loop of the root. */
static unsigned place_of(int loop, int without) { return (unsigned)(loop - (without >= 0 && loop > without)); }

/* Marks the parts of the expression and collects its leaves; nodes come behind their arguments. */
static bool collect_leaves(emission *e, const expression *whole) {
  e->needed[whole->number] = true;
  for (unsigned number = whole->number + 1; number-- > 0;) {
    const expression *node = &e->space->nodes[number];
    if (!e->needed[number])
      continue;
    if (node->kind == EXPRESSION_REDUCE)
      return false;
    for (unsigned i = 0; i < node->num_arguments; i++)
      e->needed[node->arguments[i]->number] = true;
  }
  for (unsigned number = 0; number <= whole->number; number++) {
    const expression *node = &e->space->nodes[number];
    if (!e->needed[number] || node->kind != EXPRESSION_LEAF || !ir_type_is_shaped(node->value->type))
      continue;
    if (e->count == IR_MAX_LOOPS)
      return false;
    e->leaves[e->count++] = node;
  }
  return true;
}

/* The leaf's tensor without the dims that are read at 0 only, and the map of the rest. */
static ir_value *drop_zero_dims(ir_builder *builder, const expression *leaf_node, unsigned num_loops, int without,
                                const ir_map **map) {
  const ir_type *type = leaf_node->value->type;
  unsigned loops[IR_MAX_RANK], kept = 0;
  int64_t shape[IR_MAX_RANK];
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < type->rank; dim++) {
    bool zero = leaf_node->subscripts[dim] == EXPRESSION_ZERO;
    offsets[dim] = ir_index_const(0);
    sizes[dim] = zero ? ir_index_const(1) : pass_dim(builder, leaf_node->value, dim);
    if (zero)
      continue;
    shape[kept] = ir_index_static(sizes[dim]);
    loops[kept++] = place_of(leaf_node->subscripts[dim], without);
  }
  *map = ir_map_select(builder->module, num_loops, kept, loops);
  if (kept == type->rank)
    return leaf_node->value;
  return ir_extract_slice(builder, leaf_node->value, offsets, sizes,
                          ir_type_tensor(builder->module, type->element, kept, shape));
}

/* One node, behind its arguments. */
static ir_value *emit_node(const emission *e, ir_builder *builder, const expression *node) {
  switch (node->kind) {
  case EXPRESSION_LEAF:
    for (unsigned i = 0; i < e->count; i++)
      if (e->leaves[i] == node)
        return e->body->args[i];
    return node->value; /* a scalar from outside */
  case EXPRESSION_CONSTANT:
    return ir_constant(builder, node->type, node->attr);
  case EXPRESSION_INDEX:
    return ir_loop_index(builder, place_of(node->loop, e->without));
  default:
    break;
  }
  ir_value *operands[3];
  for (unsigned i = 0; i < node->num_arguments; i++)
    operands[i] = e->values[node->arguments[i]->number];
  return ir_create(builder, node->code, node->type, node->num_arguments, operands, node->num_attrs, node->attrs);
}

static ir_value *emit(emission *e, ir_builder *builder, const expression *whole) {
  for (unsigned number = 0; number <= whole->number; number++)
    if (e->needed[number])
      e->values[number] = emit_node(e, builder, &e->space->nodes[number]);
  return e->values[whole->number];
}

/* The root's loops in order, but `without`, are the dims of the tensor. */
static bool is_whole(const expression_space *space, const expression_seen *tensor, int without) {
  const ir_type *type = tensor->value->type;
  if (type->kind != IR_TYPE_TENSOR || type->rank != space->num_loops - (without >= 0))
    return false;
  for (int loop = 0; loop < (int)space->num_loops; loop++)
    if (loop != without &&
        tensor->subscripts[place_of(loop, without)] != (space->extents[loop] == 1 ? EXPRESSION_ZERO : loop))
      return false;
  return true;
}

static ir_value *create_empty(expression_space *space, ir_builder *builder, ir_scalar element, int without) {
  ir_index sizes[IR_MAX_LOOPS];
  unsigned rank = 0;
  for (unsigned loop = 0; loop < space->num_loops; loop++)
    if ((int)loop != without)
      sizes[rank++] = extent_compute(builder, extent_of_loop(space->root, loop));
  return ir_empty(builder, element, rank, sizes);
}

ir_value *expression_empty(expression_space *space, ir_builder *builder, ir_scalar element) {
  return create_empty(space, builder, element, -1);
}

ir_value *expression_materialize(expression_space *space, ir_builder *builder, const expression *node, int without) {
  for (unsigned i = space->num_seen; i-- > 0;) /* the innermost of those that are the same */
    if (space->seen[i].node == node && is_whole(space, &space->seen[i], without))
      return space->seen[i].value;
  emission e = {.space = space, .without = without};
  if ((without >= 0 && expression_depends(node, without)) || !collect_leaves(&e, node))
    return NULL;
  unsigned rank = space->num_loops - (without >= 0);
  const ir_map *maps[IR_MAX_LOOPS + 1];
  for (unsigned i = 0; i < e.count; i++)
    e.inputs[i] = drop_zero_dims(builder, e.leaves[i], rank, without, &maps[i]);
  maps[e.count] = ir_map_identity(space->module, rank);
  ir_value *out = create_empty(space, builder, node->type->element, without);
  ir_op *generic = ir_generic(builder, e.count, e.inputs, 1, &out, maps, rank, 0);
  e.body = ir_region(generic, 0);
  ir_builder inside = ir_builder_at_end(e.body);
  ir_value *result = emit(&e, &inside, node);
  ir_terminator(&inside, OP_LINALG_YIELD, 1, &result);
  return ir_result(generic, 0);
}
