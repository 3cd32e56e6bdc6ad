/* bufferize.c - pass "bufferize": tensors become memrefs.
 *
 * One walk over each function gives every tensor the memory that it lives in (buffers.h) and makes the memref op
 * next to each tensor op. Ops of destination style compute in place of their init, slices are views, loops carry
 * their tensors in one place; buffer_may_overwrite says where a copy is needed. Then the tensor ops are removed,
 * last one first, and region ops are rebuilt without their tensors. Results of functions are memory that the caller
 * hands in after the arguments.
 *
 * A tensor made in a block never outlives it: what a block yields is written to memory from outside. So scratch
 * belongs to the block (or further out) and is given back at its end.
 *
 * Terminates: a single walk; what it creates it does not visit. */
#include "passes/buffers.h"
#include "passes/passes.h"

static bool lower_block(buffers *b, ir_block *block, ir_value *const *destinations, ir_value **shared,
                        unsigned first_shared, bool is_scope);

/* -------------------------------------------------------------------------------------------------- parallel copies */

/* Copies tensors that a block ends with to where they are expected, as if at once: what lies in memory that another
 * copy overwrites is saved first. */
static void copy_all(buffers *b, ir_op *end, unsigned count, ir_value *const *tensors, ir_value *const *to) {
  ir_value **from = IR_NEW_ARRAY(&b->module->arena, ir_value *, count);
  for (unsigned i = 0; i < count; i++)
    from[i] = buffer_of(b, tensors[i], end);
  ir_builder builder = ir_builder_before(end);
  for (unsigned i = 0; i < count; i++) {
    bool overwritten = false;
    for (unsigned k = 0; k < count; k++)
      overwritten |= from[k] != to[k] && view_root(to[k]) == view_root(from[i]);
    if (from[i] == to[i] || !overwritten)
      continue;
    ir_value *saved = buffer_create(b, end, tensors[i], false);
    buffer_copy(&builder, from[i], saved);
    from[i] = saved;
  }
  for (unsigned i = 0; i < count; i++)
    buffer_copy(&builder, from[i], to[i]);
}

static unsigned tensor_operands(const ir_op *op, ir_value **tensors) {
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (is_tensor(ir_operand(op, i)))
      tensors[count++] = ir_operand(op, i);
  return count;
}

/* ----------------------------------------------------------------------------------------------------- control flow */

/* The op's results that are tensors live in these. */
static void place_results(buffers *b, ir_op *op, ir_value *const *memory) {
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      buffer_place(b, ir_result(op, i), *memory++, false);
}

static bool lower_for(buffers *b, ir_op *op) {
  ir_block *body = ir_region(op, 0);
  ir_value **memory = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_results);
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      memory[count++] = buffer_for_writing(b, op, 3 + i, true);
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      buffer_place(b, body->args[1 + i], memory[n++], false);
  if (!lower_block(b, body, memory, NULL, 0, false))
    return false;
  place_results(b, op, memory);
  return true;
}

/* Reads other than of the very slices that iterations contribute see what the output held before. */
static bool reads_initial(const ir_value *shared) {
  const ir_op *insert = NULL;
  for (const ir_use *use = shared->uses; use; use = use->next) {
    if (use->user->code != OP_TENSOR_PARALLEL_INSERT_SLICE)
      continue;
    if (insert)
      return true;
    insert = use->user;
  }
  for (const ir_use *use = shared->uses; use; use = use->next) {
    const ir_op *user = use->user;
    bool harmless = user == insert || user->code == OP_TENSOR_DIM ||
                    (user->code == OP_TENSOR_EXTRACT_SLICE && insert && ir_slice_equal(user, insert));
    if (!harmless)
      return true;
  }
  return false;
}

static bool lower_forall(buffers *b, ir_op *op) {
  ir_arena *arena = &b->module->arena;
  ir_block *body = ir_region(op, 0);
  unsigned first = ir_num_counters(op), start = ir_group_start(op, 3);
  ir_value **memory = IR_NEW_ARRAY(arena, ir_value *, op->num_results);
  buffer_tenant *outer_frozen = b->frozen;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *argument = body->args[first + i], *init = ir_operand(op, start + i);
    ir_value *before = buffer_of(b, init, op);
    memory[i] = buffer_for_writing(b, op, start + i, true);
    if (reads_initial(argument)) {
      if (memory[i] == before) {
        before = buffer_create(b, op, init, false);
        ir_builder builder = ir_builder_before(op);
        buffer_copy(&builder, memory[i], before);
      }
      b->frozen = IR_NEW_OF(arena, buffer_tenant, argument, b->frozen);
    } else {
      before = memory[i];
    }
    buffer_place(b, argument, before, false);
  }
  if (!lower_block(b, body, NULL, memory, first, true))
    return false;
  b->frozen = outer_frozen;
  place_results(b, op, memory);
  return true;
}

/* The extent of a result of scf.if as one of the branches shows it; false if both compute it. */
static bool extent_before(const ir_op *op, unsigned result, unsigned dim, extent *found) {
  for (unsigned r = 0; r < op->num_regions; r++) {
    *found = extent_of(ir_operand(ir_block_terminator(ir_region(op, r)), result), dim);
    if (!found->value || ir_value_is_outside(found->value, ir_region(op, r)))
      return true;
  }
  return false;
}

static bool lower_if(buffers *b, ir_op *op) {
  ir_value **memory = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_results);
  unsigned count = 0;
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(op, i);
    if (!is_tensor(result))
      continue;
    extent extents[IR_MAX_RANK];
    for (unsigned dim = 0; dim < result->type->rank; dim++) {
      if (!extent_before(op, i, dim, &extents[dim]))
        return ir_op_error(op, "result %u has an extent that is only known inside of the branches", i);
    }
    memory[count++] = buffer_create_sized(b, op, result->type, extents, false);
  }
  for (unsigned r = 0; r < op->num_regions; r++)
    if (ir_region(op, r)->first && !lower_block(b, ir_region(op, r), memory, NULL, 0, false))
      return false;
  place_results(b, op, memory);
  return true;
}

/* Extents of a call's results, from the function that computes them ("shapes"). */
static ir_op *call_shapes(buffers *b, ir_op *op, const ir_op *callee) {
  const char *name = ir_attr_string_or(callee, "tec.shapes", NULL);
  if (!name)
    return NULL;
  ir_builder builder = ir_builder_before(op);
  ir_value **extents = IR_NEW_ARRAY(&b->module->arena, ir_value *, op->num_operands * IR_MAX_RANK);
  unsigned count = 0, num_results = 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; is_tensor(ir_operand(op, i)) && dim < ir_operand(op, i)->type->rank; dim++)
      extents[count++] = ir_index_value(&builder, ir_dim(&builder, buffer_of(b, ir_operand(op, i), op), dim));
  for (unsigned i = 0; i < op->num_results; i++)
    num_results += is_tensor(ir_result(op, i)) ? ir_result(op, i)->type->rank : 0;
  return extent_call_shapes(&builder, ir_attr_symbol(b->module, name), extents, count, num_results);
}

/* An argument as the callee expects it: row-major, and as static as declared. */
static ir_value *argument_memory(buffers *b, ir_op *op, ir_value *tensor) {
  ir_value *memref = buffer_of(b, tensor, op);
  const ir_type *wanted = buffer_type(b->module, tensor->type);
  ir_builder builder = ir_builder_before(op);
  if (memref->type->strides) {
    ir_value *copy = buffer_create(b, op, tensor, true);
    builder = ir_builder_before(op);
    buffer_copy(&builder, memref, copy);
    memref = copy;
  }
  return memref->type == wanted ? memref : ir_unary(&builder, OP_MEMREF_CAST, memref, wanted);
}

static bool lower_call(buffers *b, ir_op *op) {
  ir_arena *arena = &b->module->arena;
  const ir_op *callee = ir_module_lookup(b->module, ir_attr_string_or(op, "callee", ""));
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands + op->num_results);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
  unsigned count = 0, num_results = 0, position = 1;
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[count++] = is_tensor(ir_operand(op, i)) ? argument_memory(b, op, ir_operand(op, i)) : ir_operand(op, i);
  bool dynamic = false;
  for (unsigned i = 0; i < op->num_results; i++)
    dynamic |= is_tensor(ir_result(op, i)) && !ir_type_is_static(ir_result(op, i)->type);
  ir_op *shapes = dynamic ? call_shapes(b, op, callee) : NULL;
  if (dynamic && !shapes)
    return ir_op_error(op, "makes results whose extents do not follow from those of its operands (pass 'shapes')");
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = ir_result(op, i)->type;
    if (!is_tensor(ir_result(op, i))) {
      types[num_results++] = type;
      continue;
    }
    extent extents[IR_MAX_RANK];
    for (unsigned dim = 0; dim < type->rank; dim++, position++)
      extents[dim] = type->shape[dim] == IR_DYNAMIC ? (extent){.value = ir_result(shapes, position)}
                                                    : (extent){.constant = type->shape[dim]};
    operands[count] = buffer_create_sized(b, op, type, extents, true);
    buffer_place(b, ir_result(op, i), operands[count++], false);
  }
  ir_op_spec spec = {.operands = operands,
                     .num_operands = count,
                     .types = types,
                     .num_results = num_results,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  ir_builder builder = ir_builder_before(op);
  ir_op *call = ir_op_create(&builder, OP_FUNC_CALL, &spec);
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_result(call, n++));
  return true;
}

/* --------------------------------------------------------------------------------------------------------- the walk */

static void retire(buffers *b, ir_op *op) {
  IR_PUSH(&b->module->arena, b->retired, b->num_retired, b->retired_capacity) = op;
}

static bool lower_op(buffers *b, ir_op *op) {
  switch (op->code) {
  case OP_SCF_FOR:
    return lower_for(b, op);
  case OP_SCF_FORALL:
    return lower_forall(b, op);
  case OP_SCF_IF:
    return lower_if(b, op);
  case OP_FUNC_CALL:
    return lower_call(b, op);
  default:
    return bufferize_op(b, op);
  }
}

/* What a block ends with goes where it is expected. */
static void lower_end(buffers *b, ir_op *end, ir_value *const *destinations) {
  if (end->code == OP_SCF_IN_PARALLEL) {
    for (ir_op *insert = ir_region(end, 0)->first; insert; insert = insert->next)
      bufferize_parallel_insert(b, insert, b->frame);
    return;
  }
  ir_value **tensors = IR_NEW_ARRAY(&b->module->arena, ir_value *, end->num_operands);
  unsigned count = tensor_operands(end, tensors);
  copy_all(b, end, count, tensors, destinations);
}

static bool lower_block(buffers *b, ir_block *block, ir_value *const *destinations, ir_value **shared,
                        unsigned first_shared, bool is_scope) {
  buffer_frame frame = {.parent = b->frame,
                        .block = block,
                        .start = block->first,
                        .is_scope = is_scope,
                        .shared = shared,
                        .first_shared = first_shared};
  b->frame = &frame;
  for (ir_op *op = block->first, *next; op != block->last; op = next) {
    next = op->next;
    bool tensors = ir_op_touches(op, IR_TYPE_TENSOR);
    if (!tensors && !op->num_regions)
      continue;
    if (tensors)
      retire(b, op);
    if (!tensors && ir_op_has(op, IR_STRUCTURED))
      bufferize_body_reads(b, op);
    else if (!lower_op(b, op))
      return false;
  }
  retire(b, block->last);
  lower_end(b, block->last, destinations);
  ir_builder builder = ir_builder_before(block->last);
  for (const buffer_release *release = frame.releases; release; release = release->next)
    ir_op_create(&builder, OP_MEMREF_DEALLOC,
                 &(ir_op_spec){.operands = &(ir_value *){release->memref}, .num_operands = 1});
  b->frame = frame.parent;
  return true;
}

/* --------------------------------------------------------------------------------------------- removing the tensors */

/* The op with its region, without tensor operands, results and block arguments. */
static void rebuild_without_tensors(ir_op *op) {
  ir_arena *arena = &op->module->arena;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
  ir_op_spec spec = {.operands = operands, .types = types, .attrs = op->attrs, .num_attrs = op->num_attrs};
  for (unsigned g = 0, i = 0; g < ir_info_num_groups(ir_op_row(op)); g++)
    for (unsigned end = i + op->groups[g]; i < end; i++)
      if (!is_tensor(ir_operand(op, i))) {
        operands[spec.num_operands++] = ir_operand(op, i);
        spec.groups[g]++;
      }
  for (unsigned i = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      types[spec.num_results++] = ir_result(op, i)->type;
  ir_builder builder = ir_builder_before(op);
  ir_op *rebuilt = ir_op_create(&builder, op->code, &spec);
  for (unsigned r = 0; r < op->num_regions; r++) {
    ir_block *from = ir_region(op, r), *to = ir_region(rebuilt, r);
    for (unsigned i = 0; i < from->num_args; i++)
      if (!is_tensor(from->args[i]))
        ir_replace_uses(from->args[i], ir_block_add_arg(to, from->args[i]->type));
    ir_block_move_ops(from, to);
  }
  for (unsigned i = 0, n = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_result(rebuilt, n++));
  ir_op_erase(op);
}

static void remove_retired(buffers *b) {
  for (size_t n = b->num_retired; n-- > 0;) {
    ir_op *op = b->retired[n];
    if (op->code == OP_SCF_IN_PARALLEL) {
      while (ir_region(op, 0)->first)
        ir_op_erase(ir_region(op, 0)->first);
    } else if (ir_op_has(op, IR_TERMINATOR)) {
      for (unsigned i = op->num_operands; i-- > 0;)
        if (is_tensor(ir_operand(op, i)))
          ir_remove_operand(op, i);
    } else if (op->code == OP_SCF_FOR || op->code == OP_SCF_FORALL || op->code == OP_SCF_IF) {
      rebuild_without_tensors(op);
    } else {
      ir_op_erase(op);
    }
  }
}

/* -------------------------------------------------------------------------------------------------------- functions */

/* The type with tensors as memrefs, and those of the first results after the arguments. */
static const ir_type *lowered_type(ir_module *module, const ir_type *type, unsigned num_results) {
  const ir_type **inputs = IR_NEW_ARRAY(&module->arena, const ir_type *, type->num_inputs + type->num_results);
  const ir_type **results = IR_NEW_ARRAY(&module->arena, const ir_type *, type->num_results);
  unsigned num_inputs = 0, num_scalars = 0;
  for (unsigned i = 0; i < type->num_inputs; i++)
    inputs[num_inputs++] =
        type->inputs[i]->kind == IR_TYPE_TENSOR ? buffer_type(module, type->inputs[i]) : type->inputs[i];
  for (unsigned i = 0; i < num_results; i++)
    if (type->results[i]->kind == IR_TYPE_TENSOR)
      inputs[num_inputs++] = buffer_type(module, type->results[i]);
    else
      results[num_scalars++] = type->results[i];
  return ir_type_function(module, num_inputs, inputs, num_scalars, results);
}

/* Results that come back as scalars stand after those in memory; where that changes their order, the function says with
 * `tec.result_order` which number each had, for what is generated around it. */
static void note_result_order(ir_op *function, const ir_type *type, unsigned num_results) {
  int64_t *order = IR_NEW_ARRAY(&function->module->arena, int64_t, num_results);
  unsigned count = 0;
  bool moved = false;
  for (int scalars = 0; scalars < 2; scalars++)
    for (unsigned i = 0; i < num_results; i++) {
      if ((type->results[i]->kind != IR_TYPE_TENSOR) != scalars)
        continue;
      moved |= i != count;
      order[count++] = i;
    }
  if (moved)
    ir_attr_set(function, "tec.result_order", ir_attr_i64s(function->module, count, order));
}

/* Tensors that stand for the memory of the function's results in tensors: new arguments, and for tied results (see
 * tie_results.c) the arguments that have it. */
static ir_value **stand_ins_of(const ir_op *function, const ir_type *type, const int64_t *tied, unsigned num_own,
                               unsigned *count) {
  ir_block *body = ir_region(function, 0);
  ir_value **stand_ins = IR_NEW_ARRAY(&function->module->arena, ir_value *, type->num_results + 1);
  *count = 0;
  for (unsigned i = 0; i < type->num_results; i++)
    if (i >= num_own)
      stand_ins[(*count)++] = body->args[tied[i - num_own]];
    else if (type->results[i]->kind == IR_TYPE_TENSOR)
      stand_ins[(*count)++] = ir_block_add_arg(body, type->results[i]);
  return stand_ins;
}

static bool bufferize_function(ir_op *function, const target_facts *target) {
  ir_module *module = function->module;
  ir_block *body = ir_region(function, 0);
  unsigned num_tied = 0, num_old = body->num_args, num_tensors;
  const int64_t *tied = ir_attr_i64s_of(function, "tec.tied", &num_tied);
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  unsigned num_own = type->num_results - num_tied;
  const ir_type *lowered = lowered_type(module, type, num_own);
  ir_attr_set(function, "function_type", ir_attr_type(module, lowered));
  if (!body->first)
    return true;
  note_result_order(function, type, num_own);
  buffers b = {
      .module = module, .kernels = target && target->kind != TARGET_HOST, .memrefs = ir_value_map_create(module)};
  /* Arguments: the old ones, stand-ins for the results, then the new ones of both. */
  ir_value **results = stand_ins_of(function, type, tied, num_own, &num_tensors);
  b.first_argument = body->num_args;
  bufferize_prepare(function, results, num_tensors, target);
  ir_number_ops(function);
  for (unsigned i = 0; i < lowered->num_inputs; i++) {
    ir_value *argument = ir_block_add_arg(body, lowered->inputs[i]), *old = body->args[i];
    buffer_add_root(&b, i >= num_old);
    if (is_tensor(old))
      buffer_place(&b, old, argument, i >= num_old);
    else
      ir_replace_uses(old, argument);
  }
  for (unsigned i = 0; i < num_tied; i++)
    b.roots[tied[i]].writable = true;
  for (unsigned i = 0; i < num_tensors; i++)
    results[i] = ir_value_map_get(b.memrefs, results[i]);
  if (!lower_block(&b, body, results, NULL, 0, true))
    return false;
  remove_retired(&b);
  for (unsigned i = 0; i < b.first_argument; i++)
    ir_block_remove_arg(body, 0);
  ir_attr_set(function, "tec.tied", NULL);
  return true;
}

bool pass_bufferize(ir_module *module, const pass_options *options) {
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    if (op->code == OP_FUNC_FUNC && !bufferize_function(op, options->target))
      return false;
  return true;
}
