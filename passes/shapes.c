/* shapes.c - pass "shapes": for each function NAME a function that tells the extents of its results beforehand.
 *
 *   func.func private @NAME_shapes(index x all extents of all shaped arguments, index x some integer arguments)
 *       -> (index, index x all extents of all results)
 *
 * The first result is 0 where the arguments fit together, or else the line of the first op that they do not fit,
 * NO_LINE where that has none. Looked at are the extents of each loop that several operands share, of operands of one
 * shape, of what both branches yield and of what loops carry, those that casts and reshapes promise, slices in
 * bounds, as far as they follow from the extents of the arguments alone, and what the program asserts of them. A
 * loop of which that cannot be asked is refused. cf.assert ends here. Where NAME is public, that goes for slices and
 * elements at its top whose positions integer arguments tell, too: tec.positions lists these arguments. Subscripts
 * of which nothing shows that before are moved into their tensors (clamp.h). What must be equal for that is one
 * value in NAME from then on: of extents of arguments by an attribute (extent.h), of what is computed and an extent
 * of an argument by replacing the former. NAME gets the attribute tec.shapes = @NAME_shapes and, when it is public,
 * tec.kernel.
 *
 * Runs on tensors, best before tiling, while loops still show all their operands. Extents are found by following
 * values to their definitions, which lie before them, no deeper than MAX_DEPTH, and kept; functions are visited once.
 * So it terminates. */
#include "passes/shapes.h"

#include "passes/clamp.h"
#include "passes/passes.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 200, NO_LINE = INT32_MAX };
enum { NOT_VISITED, IN_PROGRESS, DONE }; /* the mark of a func.func */

static bool add_shapes(ir_op *function);

static ir_value *const *arguments_of(const ir_op *function) { return ir_region(function, 0)->args; }

/* -------------------------------------------------------------------------------------------- extents, symbolically */

/* An argument of integers, which becomes one more of the new function. */
static bool take_position(shapes *s, ir_value *argument, ir_index *found) {
  const ir_type *type = argument->type;
  if (type->kind != IR_TYPE_SCALAR || ir_scalar_is_float(type->element) || type->element == IR_I1)
    return false;
  ir_module *module = s->function->module;
  ir_value *taken = ir_block_add_arg(s->builder.block, ir_type_index(module));
  *s->last_asked = IR_NEW_OF(&module->arena, asked_argument, argument->index, NULL);
  s->last_asked = &(*s->last_asked)->next;
  if (taken->type != type)
    taken = ir_unary(&s->builder, OP_ARITH_INDEX_CAST, taken, type);
  ir_value_map_set(s->values, argument, taken);
  *found = ir_index_of(taken);
  return true;
}

/* An index computed from extents: the pure ops that lead to it are repeated. */
bool shapes_find_index(shapes *s, ir_value *value, ir_index *found) {
  ir_value *known = ir_value_map_get(s->values, value);
  if (known != value) {
    *found = ir_index_of(known);
    return true;
  }
  ir_op *op = value->op;
  if (!op && s->reads_positions && value->block->parent == s->function)
    return take_position(s, value, found);
  if (!op || s->depth == MAX_DEPTH)
    return false;
  unsigned dim;
  bool ok;
  s->depth++;
  if (ir_is_dim(op, &dim)) {
    ok = shapes_find_extent(s, ir_operand(op, 0), dim, found);
    if (ok)
      ir_value_map_set(s->values, value, ir_index_value(&s->builder, *found));
  } else {
    ok = ir_op_has(op, IR_PURE) && !op->num_regions && op->num_results == 1 && !ir_type_is_shaped(value->type);
    for (unsigned i = 0; ok && i < op->num_operands; i++) {
      ir_index ignored;
      ok = !ir_type_is_shaped(ir_operand(op, i)->type) && shapes_find_index(s, ir_operand(op, i), &ignored);
    }
    if (ok)
      *found = ir_index_of(ir_result(ir_op_clone(&s->builder, op, s->values), 0));
  }
  s->depth--;
  return ok;
}

/* Whatever does not fit before it counts first. */
static void take_misfit(shapes *s, ir_value *misfit) {
  ir_value *zero = ir_const_index(&s->builder, 0);
  ir_value *fits = ir_compare(&s->builder, OP_ARITH_CMPI, IR_EQUAL, s->misfit, zero);
  s->misfit = ir_select(&s->builder, fits, misfit, s->misfit);
}

/* The call of the shapes of a called function, for a call whose operands have known extents. */
static ir_op *find_call(shapes *s, ir_op *call) {
  for (known_call *known = s->calls; known; known = known->next)
    if (known->call == call)
      return known->shapes;
  ir_module *module = call->module;
  known_call *known = s->calls = IR_NEW_OF(&module->arena, known_call, call, NULL, s->calls);
  ir_op *callee = ir_module_lookup(module, ir_attr_string_or(call, "callee", ""));
  if (!callee || callee->code != OP_FUNC_FUNC || !add_shapes(callee) || !ir_attr_get(callee, "tec.shapes"))
    return NULL;
  unsigned count = 0, num_results = 1;
  for (unsigned i = 0; i < call->num_operands; i++)
    count += ir_operand(call, i)->type->rank;
  for (unsigned i = 0; i < call->num_results; i++)
    num_results += ir_result(call, i)->type->rank;
  ir_value **extents = IR_NEW_ARRAY(&module->arena, ir_value *, count);
  for (unsigned i = 0, at = 0; i < call->num_operands; i++)
    for (unsigned dim = 0; dim < ir_operand(call, i)->type->rank; dim++) {
      ir_index found;
      if (!shapes_find_extent(s, ir_operand(call, i), dim, &found))
        return NULL;
      extents[at++] = ir_index_value(&s->builder, found);
    }
  known->shapes = extent_call_shapes(&s->builder, ir_attr_get(callee, "tec.shapes"), extents, count, num_results);
  ir_value *before = s->misfit;
  take_misfit(s, ir_result(known->shapes, 0));
  shapes_guard(s, call, before);
  return known->shapes;
}

/* The extent of a result that no single extent before explains. */
static bool find_computed(shapes *s, ir_value *tensor, unsigned dim, ir_index *found) {
  ir_op *op = tensor->op;
  ir_index part;
  switch (op->code) {
  case OP_TENSOR_COLLAPSE_SHAPE: {
    ir_dims parts = ir_dims_of(op, dim);
    *found = ir_index_const(1);
    for (unsigned i = parts.first; i < parts.end; i++) {
      if (!shapes_find_extent(s, ir_operand(op, 0), i, &part))
        return false;
      *found = ir_index_mul(&s->builder, *found, part);
    }
    return true;
  }
  case OP_TENSOR_PAD:
    if (!shapes_find_extent(s, ir_operand(op, 0), dim, found))
      return false;
    for (unsigned side = 0; side < 2; side++) {
      part = ir_padding(op, side, dim);
      if (part.value && !shapes_find_index(s, part.value, &part))
        return false;
      *found = ir_index_add(&s->builder, *found, part);
    }
    return true;
  case OP_FUNC_CALL: {
    ir_op *call = find_call(s, op);
    unsigned position = 1 + dim;
    for (unsigned i = 0; i < tensor->index; i++)
      position += ir_result(op, i)->type->rank;
    *found = (ir_index){.value = call ? ir_result(call, position) : NULL};
    return call != NULL;
  }
  case OP_SCF_IF:
    return shapes_find_extent(s, ir_yielded(op, tensor->index), dim, found);
  case OP_SCF_FOR: /* check_carried asks for that */
    return shapes_find_extent(s, ir_loop_init(op, tensor->index), dim, found);
  default:
    return false;
  }
}

bool shapes_find_origin(shapes *s, extent x, ir_index *found) {
  if (!x.value) {
    *found = ir_index_const(x.constant);
    return true;
  }
  if (!ir_type_is_shaped(x.value->type))
    return shapes_find_index(s, x.value, found);
  if (x.value->op) {
    for (const known_extent *known = s->extents; known; known = known->next)
      if (extent_equal(known->x, x)) {
        *found = known->index;
        return true;
      }
    if (s->depth == MAX_DEPTH)
      return false;
    s->depth++;
    bool ok = find_computed(s, x.value, x.dim, found);
    s->depth--;
    if (ok)
      s->extents = IR_NEW_OF(&s->function->module->arena, known_extent, x, *found, s->extents);
    return ok;
  }
  ir_op *around = x.value->block->parent;
  if (around->code == OP_SCF_FOR && x.value->index)
    return shapes_find_extent(s, ir_loop_init(around, x.value->index - 1), x.dim, found);
  if (around != s->function)
    return false;
  unsigned position = x.dim;
  for (unsigned i = 0; i < x.value->index; i++)
    position += arguments_of(s->function)[i]->type->rank;
  *found = (ir_index){.value = s->builder.block->args[position]};
  return true;
}

bool shapes_find_extent(shapes *s, ir_value *tensor, unsigned dim, ir_index *found) {
  return shapes_find_origin(s, extent_of(tensor, dim), found);
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static const ir_value *uncast(const ir_value *value) {
  while (ir_made_by(value, OP_ARITH_INDEX_CAST) && ir_is_index_wide(value) &&
         ir_is_index_wide(ir_operand(value->op, 0)))
    value = ir_operand(value->op, 0);
  return value;
}

static unsigned first_equal(const shapes *s, unsigned position) {
  while (s->equal[position] != position)
    position = s->equal[position];
  return position;
}

static void learn_fact(shapes *s, const ir_value *value, const ir_value *argument) {
  if (!ir_op_has(value->op, IR_CONSTANT))
    s->facts = IR_NEW_OF(&s->function->module->arena, fact, value, argument->index, s->facts);
}

/* From now on the two are equal. Of extents of arguments, the first one stands for both; one stands for what is
 * computed, too. */
static void learn_equal(shapes *s, const ir_value *lhs, const ir_value *rhs) {
  const ir_value *a = uncast(lhs), *b = uncast(rhs);
  if (a->op && !b->op)
    learn_fact(s, a, b);
  if (!a->op && b->op)
    learn_fact(s, b, a);
  if (a->op || b->op)
    return;
  unsigned first = first_equal(s, a->index), second = first_equal(s, b->index);
  s->equal[first < second ? second : first] = first < second ? first : second;
}

static void ask(shapes *s, ir_value *holds, unsigned line) {
  ir_value *zero = ir_const_index(&s->builder, 0), *number = ir_const_index(&s->builder, line);
  take_misfit(s, ir_select(&s->builder, holds, zero, number));
}

/* The same for the op that the builder's location names. */
static void ask_here(shapes *s, ir_value *holds) {
  unsigned line, column;
  bool is_known = ir_loc_resolve(s->function->module, s->builder.loc, NULL, &line, &column);
  ask(s, holds, is_known ? line : NO_LINE);
}

void shapes_require(shapes *s, ir_predicate predicate, ir_index a, ir_index b) {
  bool is_true = predicate == IR_SIGNED_LESS_EQUAL && !a.value && !b.value && a.constant <= b.constant;
  if (is_true || ir_index_equal(a, b))
    return;
  ir_value *lhs = ir_index_value(&s->builder, a), *rhs = ir_index_value(&s->builder, b);
  if (predicate == IR_EQUAL)
    learn_equal(s, lhs, rhs);
  ask_here(s, ir_compare(&s->builder, OP_ARITH_CMPI, predicate, lhs, rhs));
}

/* Extents that must be the same: the first one that was found. */
typedef struct agreement {
  bool has_first;
  extent first;
  ir_index expected;
} agreement;

static void agree(shapes *s, agreement *all, ir_value *operand, unsigned dim) {
  extent x = extent_of(operand, dim);
  ir_index found;
  if ((all->has_first && extent_equal(x, all->first)) || !shapes_find_extent(s, operand, dim, &found))
    return;
  if (!all->has_first)
    *all = (agreement){true, x, found};
  else if (all->expected.value || found.value)
    shapes_require(s, IR_EQUAL, all->expected, found);
}

/* Operands that share a loop agree on its extent. */
static void check_loops(shapes *s, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    agreement all = {0};
    for (unsigned i = 0; i < op->num_operands; i++) {
      int dim = ir_map_find_dim(structure->maps[i], loop);
      if (dim >= 0)
        agree(s, &all, ir_operand(op, i), (unsigned)dim);
    }
  }
}

/* Tensors that an op goes over element by element have one shape. */
static void check_elements(shapes *s, const ir_op *op) {
  for (unsigned dim = 0; dim < ir_result(op, 0)->type->rank; dim++) {
    agreement all = {0};
    for (unsigned i = 0; i < op->num_operands; i++)
      if (ir_type_is_shaped(ir_operand(op, i)->type))
        agree(s, &all, ir_operand(op, i), dim);
  }
}

/* Which branch is taken does not follow from extents: they are those of either. */
static void check_branches(shapes *s, const ir_op *op) {
  for (unsigned i = 0; i < op->num_results; i++)
    for (unsigned dim = 0; dim < ir_result(op, i)->type->rank; dim++) {
      agreement all = {0};
      for (unsigned region = 0; region < op->num_regions; region++)
        agree(s, &all, ir_operand(ir_region(op, region)->last, i), dim);
    }
}

/* The extent is computed of `first` alone, and so is another number, but perhaps where that is 0. */
static bool differs_from(ir_index extent, ir_index first) {
  const ir_op *op = first.value && extent.value ? ir_made_by(extent.value, OP_AFFINE_APPLY) : NULL;
  return op && op->num_operands == 1 && ir_operand(op, 0) == first.value;
}

/* How often a loop goes round does not follow from extents, either: what it carries keeps those that it starts with. */
static void check_carried(shapes *s, ir_op *op) {
  ir_index first, next;
  for (unsigned i = 0; i < op->num_results; i++)
    for (unsigned dim = 0; dim < ir_result(op, i)->type->rank; dim++) {
      ir_value *start = ir_loop_init(op, i), *yielded = ir_yielded(op, i);
      if (ir_result(op, i)->type->shape[dim] != IR_DYNAMIC ||
          extent_equal(extent_of(ir_result(op, i), dim), extent_of(start, dim)) ||
          extent_equal(extent_of(yielded, dim), extent_of(start, dim)))
        continue;
      if (shapes_find_extent(s, start, dim, &first) && shapes_find_extent(s, yielded, dim, &next) &&
          !differs_from(next, first))
        shapes_require(s, IR_EQUAL, first, next);
      else if (!s->refused)
        s->refused = !ir_op_error(op, "may change extent %u of result %u that it carries from step to step", dim, i);
    }
}

static void check_cast(shapes *s, const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  ir_index found;
  for (unsigned dim = 0; dim < from->rank; dim++)
    if (from->shape[dim] == IR_DYNAMIC && to->shape[dim] != IR_DYNAMIC &&
        shapes_find_extent(s, ir_operand(op, 0), dim, &found))
      shapes_require(s, IR_EQUAL, found, ir_index_const(to->shape[dim]));
}

/* What is written to memory is as large as that. */
static void check_written(shapes *s, const ir_op *op) {
  ir_index written, extent;
  for (unsigned dim = 0; dim < ir_operand(op, 1)->type->rank; dim++)
    if (shapes_find_extent(s, ir_operand(op, 0), dim, &written) &&
        shapes_find_extent(s, ir_operand(op, 1), dim, &extent) && (written.value || extent.value))
      shapes_require(s, IR_EQUAL, written, extent);
}

/* Where the products of extents on both sides of a reshape differ in one factor each, those are the same; also if
 * another factor is 0, as whoever spells both asks for no less. */
static bool require_factor(shapes *s, const ir_op *op, unsigned i, ir_dims dims) {
  extent_product whole = {.known = 1}, parts = {.known = 1};
  bool known = extent_multiply(&whole, extent_of(ir_operand(op, 0), i));
  for (unsigned dim = dims.first; dim < dims.end; dim++)
    known = known && extent_multiply(&parts, extent_of(ir_result(op, 0), dim));
  if (!known || whole.known != parts.known || whole.num_open != parts.num_open)
    return false;
  extent_product own = extent_without(&whole, &parts), others = extent_without(&parts, &whole);
  ir_index a, b;
  if (own.num_open != 1 || !shapes_find_origin(s, own.open[0], &a) || !shapes_find_origin(s, others.open[0], &b))
    return own.num_open == 0;
  shapes_require(s, IR_EQUAL, a, b);
  return true;
}

static void check_expansion(shapes *s, const ir_op *op) {
  for (unsigned i = 0; i < ir_operand(op, 0)->type->rank; i++) {
    ir_dims dims = ir_dims_of(op, i);
    if (require_factor(s, op, i, dims))
      continue;
    ir_index product = ir_index_const(1), part, whole;
    bool known = shapes_find_extent(s, ir_operand(op, 0), i, &whole);
    for (unsigned dim = dims.first; dim < dims.end; dim++) {
      known = known && shapes_find_extent(s, ir_result(op, 0), dim, &part);
      if (known)
        product = ir_index_mul(&s->builder, product, part);
    }
    if (known && (whole.value || product.value))
      shapes_require(s, IR_EQUAL, whole, product);
  }
}

/* What is asserted of extents becomes a condition of calling the function. */
static void check_assertion(shapes *s, const ir_op *op) {
  ir_index ignored;
  if (ir_op_parent(op) == s->function && shapes_find_index(s, ir_operand(op, 0), &ignored)) {
    ir_value *holds = ir_value_map_get(s->values, ir_operand(op, 0));
    if (ir_made_by(holds, OP_ARITH_CMPI) && ir_predicate_of(holds->op) == IR_EQUAL)
      learn_equal(s, ir_operand(holds->op, 0), ir_operand(holds->op, 1));
    ask_here(s, holds);
  } else {
    ir_warning(op->module, op->loc, "only the interpreter checks what is asserted of elements: %s",
               ir_attr_string_or(op, "msg", ""));
  }
}

/* The mark of an op with subscripts: the dims that are checked. */
static void check_op(shapes *s, ir_op *op) {
  s->builder.loc = op->loc;
  if (ir_op_has(op, IR_STRUCTURED | IR_DPS)) {
    check_loops(s, op);
    shapes_check_maps(s, op);
  }
  if (ir_op_has(op, IR_ELEMENTWISE))
    check_elements(s, op);
  shapes_check_places(s, op);
  if (op->code == OP_TENSOR_CAST)
    check_cast(s, op);
  else if (op->code == OP_TENSOR_EXPAND_SHAPE)
    check_expansion(s, op);
  else if (op->code == OP_BUFFERIZATION_MATERIALIZE)
    check_written(s, op);
  else if (op->code == OP_SCF_IF)
    check_branches(s, op);
  else if (op->code == OP_SCF_FOR)
    check_carried(s, op);
  else if (op->code == OP_FUNC_CALL)
    find_call(s, op);
  else if (op->code == OP_CF_ASSERT)
    check_assertion(s, op);
}

/* What was learned becomes an attribute of the function, for extent_of. */
static void note_equal_extents(const shapes *s) {
  const ir_block *body = ir_region(s->function, 0);
  ir_module *module = s->function->module;
  unsigned num_extents = s->builder.block->num_args, count = 0, position = 0;
  int64_t *places = IR_NEW_ARRAY(&module->arena, int64_t, 2 * num_extents + 1);
  int64_t *pairs = IR_NEW_ARRAY(&module->arena, int64_t, 4 * num_extents + 1);
  for (unsigned i = 0; i < body->num_args; i++)
    for (unsigned dim = 0; dim < body->args[i]->type->rank; dim++, position++) {
      unsigned first = first_equal(s, position);
      places[2 * position] = i;
      places[2 * position + 1] = dim;
      if (first == position)
        continue;
      memcpy(pairs + count, places + 2 * position, 2 * sizeof *pairs);
      memcpy(pairs + count + 2, places + 2 * first, 2 * sizeof *pairs);
      count += 4;
    }
  if (count)
    ir_attr_set(s->function, EXTENT_EQUAL, ir_attr_i64s(module, count, pairs));
}

/* The extent of an argument at the position, at the start of the function, in the type. */
static ir_value *create_extent(const shapes *s, unsigned position, const ir_type *type) {
  ir_block *body = ir_region(s->function, 0);
  unsigned argument = 0;
  while (position >= body->args[argument]->type->rank)
    position -= body->args[argument++]->type->rank;
  ir_builder builder = ir_builder_before(body->first);
  ir_value *extent = ir_index_value(&builder, ir_dim(&builder, body->args[argument], position));
  return extent->type == type ? extent : ir_unary(&builder, OP_ARITH_INDEX_CAST, extent, type);
}

/* What the op computes is the extent of an argument, as was learned. */
static void replace_known(shapes *s, ir_op *op) {
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(op, i), *mapped = ir_value_map_get(s->values, result);
    const fact *known = mapped != result && ir_is_index_wide(result) ? s->facts : NULL;
    while (known && known->value != uncast(mapped))
      known = known->next;
    if (known && !ir_value_unused(result))
      ir_replace_uses(result, create_extent(s, first_equal(s, known->position), result->type));
  }
}

/* Somebody in the module calls the function. */
static bool is_called(const ir_op *function) {
  const ir_op *root = function->module->root, *op = root;
  while (op && !pass_calls(op, function))
    op = ir_next_inside(root, op);
  return op;
}

/* The function's type, with what check_positions has added. */
static void note_positions(shapes *s) {
  if (!s->asked)
    return;
  ir_module *module = s->function->module;
  const ir_block *body = s->builder.block;
  int64_t *arguments = IR_NEW_ARRAY(&module->arena, int64_t, body->num_args + 1);
  unsigned count = 0;
  for (const asked_argument *asked = s->asked; asked; asked = asked->next)
    arguments[count++] = asked->argument;
  pass_update_function_type(body->parent);
  ir_attr_set(s->function, "tec.positions", ir_attr_i64s(module, count, arguments));
}

/* What the types tell, which most callers check by themselves: the line of the function would say nothing new. */
static void check_arguments(shapes *s) {
  const ir_block *body = ir_region(s->function, 0);
  ir_value *all = ir_const(&s->builder, ir_type_scalar(s->function->module, IR_I1), 1);
  for (unsigned i = 0, position = 0; i < body->num_args; i++)
    for (unsigned dim = 0; dim < body->args[i]->type->rank; dim++, position++)
      if (body->args[i]->type->shape[dim] != IR_DYNAMIC) {
        ir_value *extent = s->builder.block->args[position];
        ir_value *known = ir_const_index(&s->builder, body->args[i]->type->shape[dim]);
        ir_value *holds = ir_compare(&s->builder, OP_ARITH_CMPI, IR_EQUAL, extent, known);
        all = ir_binary(&s->builder, OP_ARITH_ANDI, all, holds);
      }
  ask(s, all, NO_LINE);
}

/* -------------------------------------------------------------------------------------------------------- functions */

/* An empty private function of indices, before `function`. */
static ir_op *create_function(const ir_op *function, const char *name, unsigned num_inputs, unsigned num_results) {
  ir_module *module = function->module;
  unsigned most = num_inputs > num_results ? num_inputs : num_results;
  const ir_type **indices = IR_NEW_ARRAY(&module->arena, const ir_type *, most);
  for (unsigned i = 0; i < most; i++)
    indices[i] = ir_type_index(module);
  const ir_type *type = ir_type_function(module, num_inputs, indices, num_results, indices);
  ir_named_attr attrs[] = {{"sym_name", ir_attr_cstr(module, name)},
                           {"function_type", ir_attr_type(module, type)},
                           {"sym_visibility", ir_attr_string(module, "private", 7)}};
  ir_builder builder = ir_builder_after((ir_op *)function);
  ir_op *created = ir_op_create(&builder, OP_FUNC_FUNC, &(ir_op_spec){.attrs = attrs, .num_attrs = 3});
  for (unsigned i = 0; i < num_inputs; i++)
    ir_block_add_arg(ir_region(created, 0), indices[i]);
  created->mark = DONE;
  return created;
}

/* Fills the new function; false, with *missing set, where a result's extent is not known. */
static bool fill_function(shapes *s, unsigned num_results, unsigned *missing) {
  ir_module *module = s->function->module;
  s->misfit = ir_const_index(&s->builder, 0);
  check_arguments(s);
  ir_clear_marks(s->function);
  for (ir_op *op = ir_next_inside(s->function, s->function); op; op = ir_next_inside(s->function, op))
    check_op(s, op);
  ir_value **results = IR_NEW_ARRAY(&module->arena, ir_value *, num_results);
  const ir_op *end = ir_block_terminator(ir_region(s->function, 0));
  unsigned count = 1;
  for (unsigned i = 0; i < end->num_operands; i++)
    for (unsigned dim = 0; dim < ir_operand(end, i)->type->rank; dim++) {
      ir_index found;
      *missing = i;
      if (!shapes_find_extent(s, ir_operand(end, i), dim, &found))
        return false;
      results[count++] = ir_index_value(&s->builder, found);
    }
  if (ir_is_exported(s->function) && !is_called(s->function))
    shapes_check_positions(s);
  results[0] = s->misfit;
  ir_terminator(&s->builder, OP_FUNC_RETURN, num_results, results);
  return true;
}

/* Shows what makes the result. */
static bool refuse_result(ir_op *function, unsigned result) {
  ir_op *end = ir_block_terminator(ir_region(function, 0)), *maker = ir_operand(end, result)->op;
  return ir_op_error(maker ? maker : end,
                     "makes result %u of @%s, whose extents do not follow from those of the arguments", result,
                     ir_attr_string_or(function, "sym_name", ""));
}

static bool add_shapes(ir_op *function) {
  ir_module *module = function->module;
  const ir_block *body = ir_region(function, 0);
  if (function->mark == IN_PROGRESS || !body->first)
    return false;
  if (function->mark == DONE)
    return true;
  function->mark = IN_PROGRESS;
  const char *own = ir_attr_string_or(function, "sym_name", "");
  size_t size = strlen(own) + sizeof "_shapes";
  char *name = ir_arena_alloc(&module->arena, size);
  snprintf(name, size, "%s_shapes", own);
  if (ir_module_lookup(module, name))
    return ir_op_error(function, "needs the name @%s for its shape function, but that is taken", name);
  unsigned num_inputs = 0, num_results = 1, missing;
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  for (unsigned i = 0; i < body->num_args; i++)
    num_inputs += body->args[i]->type->rank;
  for (unsigned i = 0; i < type->num_results; i++)
    num_results += type->results[i]->rank;
  ir_op *created = create_function(function, name, num_inputs, num_results);
  unsigned *equal = IR_NEW_ARRAY(&module->arena, unsigned, num_inputs + 1);
  for (unsigned i = 0; i < num_inputs; i++)
    equal[i] = i;
  shapes s = {.equal = equal,
              .function = function,
              .builder = ir_builder_at_end(ir_region(created, 0)),
              .values = ir_value_map_create(module)};
  s.last_asked = &s.asked;
  bool ok = fill_function(&s, num_results, &missing);
  function->mark = DONE;
  for (ir_op *op = ir_next_inside(function, function), *next; op; op = next) {
    next = ir_next_inside(function, op);
    if (op->code == OP_CF_ASSERT) /* whoever calls the function asks for its shapes first */
      ir_op_erase(op);
  }
  if (s.refused)
    return false;
  if (!ok) {
    ir_op_erase(created);
    return !ir_is_exported(function) || refuse_result(function, missing);
  }
  note_positions(&s);
  note_equal_extents(&s);
  for (ir_op *op = ir_next_inside(function, function); op; op = ir_next_inside(function, op))
    replace_known(&s, op);
  clamp_subscripts(function);
  ir_attr_set(function, "tec.shapes", ir_attr_symbol(module, ir_intern_cstr(module, name)));
  if (ir_is_exported(function))
    ir_attr_set(function, "tec.kernel", ir_attr_unit(module));
  return true;
}

bool pass_shapes(ir_module *module, const pass_options *options) {
  ir_block *top = ir_region(module->root, 0);
  for (ir_op *op = top->first; op; op = op->next)
    op->mark = ir_attr_get(op, "tec.shapes") ? DONE : NOT_VISITED;
  for (ir_op *op = top->first; op; op = op->next)
    if (ir_is_defined_function(op) && op->mark == NOT_VISITED && !add_shapes(op))
      return false;
  return true;
}
