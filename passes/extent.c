/* extent.c - extents traced to their origin; see extent.h.
 *
 * Terminates: each step of a trace goes from a value to one that is defined before it: an operand, the tensor whose dim
 * an index is, or the initial value of a carried one. What follows from several extents is limited in steps. */
#include "passes/extent.h"

/* The init that a result of a destination-style op ties to. */
static ir_value *tied_init(const ir_value *result) { return ir_init(result->op, result->index); }

bool slice_has_dim(const ir_slice *slice, ir_value *whole, unsigned dim) {
  return ir_index_is_const(slice->offsets[dim], 0) && ir_index_is_const(slice->strides[dim], 1) &&
         extent_equal(extent_of_index(slice->sizes[dim]), extent_of(whole, dim));
}

bool slice_is_whole(const ir_op *op) {
  bool inserts = op->code == OP_TENSOR_INSERT_SLICE;
  if (!inserts && op->code != OP_TENSOR_EXTRACT_SLICE && op->code != OP_MEMREF_SUBVIEW)
    return false;
  ir_value *whole = ir_operand(op, inserts ? 1 : 0), *part = inserts ? ir_operand(op, 0) : ir_result(op, 0);
  ir_slice slice = ir_slice_of(op);
  bool same = whole->type == part->type;
  for (unsigned dim = 0; same && dim < slice.rank; dim++)
    same = slice_has_dim(&slice, whole, dim);
  return same;
}

/* ---------------------------------------------------------------------------------------------------------- tracing */

/* The value whose shape the result of an op has by construction, or NULL. */
static ir_value *shape_operand(const ir_value *value) {
  const ir_op *op = value->op;
  switch (op->code) {
  case OP_TENSOR_INSERT_SLICE:
  case OP_TENSOR_INSERT:
  case OP_VECTOR_TRANSFER_WRITE:
    return ir_operand(op, 1);
  case OP_TENSOR_CAST:
  case OP_MEMREF_CAST:
  case OP_BUFFERIZATION_TO_TENSOR:
    return ir_operand(op, 0);
  case OP_SCF_FORALL:
    return ir_loop_init(op, value->index);
  default:
    break;
  }
  if (ir_op_has(op, IR_DPS))
    return tied_init(value);
  return ir_op_has(op, IR_ELEMENTWISE) ? ir_operand(op, op->num_operands - 1) : NULL;
}

static bool keeps_shape(const ir_op *loop, unsigned i);

/* The value whose shape this one has, further up; NULL where nothing shows that. */
static ir_value *earlier_value(const ir_value *value) {
  if (value->op)
    return value->op->code != OP_SCF_FOR          ? shape_operand(value)
           : keeps_shape(value->op, value->index) ? ir_loop_init(value->op, value->index)
                                                  : NULL;
  const ir_op *parent = value->block->parent;
  unsigned counters = ir_num_counters(parent);
  bool is_out = parent->code == OP_SCF_FORALL && value->index >= counters;
  return is_out ? ir_loop_init(parent, value->index - counters) : NULL;
}

static bool spelled_extent(const ir_value *value, unsigned dim, ir_index *extent);
static extent first_equal(ir_value *value, unsigned dim);

/* What the value itself shows of an extent. */
static extent own_extent(ir_value *value, unsigned dim) {
  ir_index index = ir_index_const(value->type->shape[dim]);
  if (index.constant == IR_DYNAMIC && !spelled_extent(value, dim, &index))
    return first_equal(value, dim);
  return (extent){.value = index.value, .constant = index.value ? 0 : index.constant};
}

/* So that loops around are not asked, who may be asking this: values are followed no further than to their bodies. */
static bool have_one_shape(ir_value *a, ir_value *b) {
  ir_value *ends[] = {a, b};
  for (unsigned i = 0; i < 2; i++)
    for (ir_value *next = ends[i]; next; next = earlier_value(next))
      ends[i] = next;
  bool same = ends[0] == ends[1] || a->type->rank == b->type->rank;
  for (unsigned dim = 0; ends[0] != ends[1] && same && dim < a->type->rank; dim++)
    same = extent_equal(own_extent(ends[0], dim), own_extent(ends[1], dim));
  return same;
}

/* Each iteration passes on as carried value `i` what has the shape of the first one, as it is made from that or its
 * sizes are spelled alike, and so it is for what it passes on from places of others; those in *seen are looked at
 * already. */
static bool keeps_first_shape(const ir_op *loop, unsigned i, uint64_t *seen) {
  const ir_block *body = ir_region(loop, 0);
  ir_value *first = ir_loop_init(loop, i), *value = ir_yielded(loop, i), *passed_on = value;
  *seen |= i < 64 ? UINT64_C(1) << i : 0;
  while (value && value != first && (value->op || value->block != body))
    value = earlier_value(value);
  if (!value)
    return have_one_shape(passed_on, first);
  if (value == first)
    return true;
  unsigned other = value->index - 1;
  return value->index && other < 64 && have_one_shape(ir_loop_init(loop, other), first) &&
         (*seen & UINT64_C(1) << other || keeps_first_shape(loop, other, seen));
}

static bool keeps_shape(const ir_op *loop, unsigned i) {
  uint64_t seen = 0;
  return keeps_first_shape(loop, i, &seen);
}

/* A region argument's or loop result's counterpart before the loop, or NULL. */
static ir_value *before_loop(const ir_value *value) {
  const ir_op *loop = value->op ? value->op : value->block->parent;
  if (!ir_op_has(loop, IR_LOOP))
    return NULL;
  unsigned counters = ir_num_counters(loop);
  if (!value->op && value->index < counters)
    return NULL;
  unsigned position = value->op ? value->index : value->index - counters;
  return loop->code == OP_SCF_FORALL || keeps_shape(loop, position) ? ir_loop_init(loop, position) : NULL;
}

/* The one dim of those merged into dim `dim` that is not known to be 1; -1 where several may be longer. */
static int only_merged_dim(const ir_op *collapse, unsigned dim) {
  ir_dims parts = ir_dims_of(collapse, dim);
  int found = -1;
  for (unsigned merged = parts.first; merged < parts.end; merged++) {
    if (ir_operand(collapse, 0)->type->shape[merged] == 1)
      continue;
    if (found >= 0)
      return -1;
    found = (int)merged;
  }
  return found;
}

static bool is_collapse(const ir_op *op) {
  return op->code == OP_TENSOR_COLLAPSE_SHAPE || op->code == OP_MEMREF_COLLAPSE_SHAPE;
}

/* Moves from a dim of a result to the operand that decides it: of a structured op the first one that shares the loop,
 * so that all operands and results with that loop come to the same end. */
static bool to_operand(ir_value **value, unsigned *dim) {
  const ir_op *op = (*value)->op;
  if (op && is_collapse(op)) {
    int from = only_merged_dim(op, *dim);
    if (from < 0)
      return false;
    *value = ir_operand(op, 0);
    *dim = (unsigned)from;
    return true;
  }
  ir_value *next = !op || ir_op_has(op, IR_CONTROL) ? before_loop(*value) : NULL;
  if (op && !ir_op_has(op, IR_CONTROL)) {
    int loop = ir_op_has(op, IR_DPS | IR_STRUCTURED) ? ir_map_result_dim(ir_init_map(op, (*value)->index), *dim) : -1;
    unsigned operand;
    next = loop >= 0 && ir_loop_extent(op, (unsigned)loop, &operand, dim) ? ir_operand(op, operand)
                                                                          : shape_operand(*value);
  }
  if (next)
    *value = next;
  return next != NULL;
}

/* The extent as the defining op spells it; false where it does not. */
static bool spelled_extent(const ir_value *value, unsigned dim, ir_index *extent) {
  const ir_op *op = value->op;
  ir_index extents[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK];
  switch (op ? op->code : IR_NUM_OPCODES) {
  case OP_TENSOR_EMPTY:
  case OP_TENSOR_SPLAT:
  case OP_TENSOR_GENERATE:
  case OP_MEMREF_ALLOC:
  case OP_MEMREF_ALLOCA:
    ir_spelled_extents(op, op->code == OP_TENSOR_SPLAT, extents);
    *extent = extents[dim];
    return true;
  case OP_TENSOR_EXTRACT_SLICE:
  case OP_MEMREF_SUBVIEW:
    ir_slice_kept_dims(op, value->type, kept);
    *extent = ir_mixed(op, 2, "static_sizes", kept[dim]);
    return true;
  case OP_TENSOR_EXPAND_SHAPE:
  case OP_MEMREF_EXPAND_SHAPE:
    *extent = ir_mixed(op, 1, "static_output_shape", dim);
    return true;
  default:
    return false;
  }
}

/* The index is a dim of a value that is known when compiling. */
static bool is_dim(ir_index index, ir_value **value, unsigned *dim) {
  if (!index.value || !ir_is_dim(index.value->op, dim))
    return false;
  *value = ir_operand(index.value->op, 0);
  return true;
}

/* The first argument's extent that equals the one of an argument. */
static extent first_equal(ir_value *value, unsigned dim) {
  const ir_op *function = value->op ? NULL : value->block->parent;
  bool is_argument = function && function->code == OP_FUNC_FUNC;
  unsigned count;
  const int64_t *pairs = is_argument ? ir_attr_i64s_of(function, EXTENT_EQUAL, &count) : NULL;
  for (unsigned i = 0; pairs && i + 4 <= count; i += 4)
    if (pairs[i] == value->index && pairs[i + 1] == dim)
      return (extent){.value = value->block->args[pairs[i + 2]], .dim = (unsigned)pairs[i + 3]};
  return (extent){.value = value, .dim = dim};
}

extent extent_of(ir_value *value, unsigned dim) {
  for (;;) {
    ir_index index = ir_index_const(value->type->shape[dim]);
    if (index.constant != IR_DYNAMIC)
      return (extent){.constant = index.constant};
    if (spelled_extent(value, dim, &index)) {
      if (!is_dim(index, &value, &dim))
        return (extent){.value = index.value, .constant = index.constant};
    } else if (!to_operand(&value, &dim)) {
      return first_equal(value, dim);
    }
  }
}

extent extent_of_loop(const ir_op *op, unsigned loop) {
  unsigned operand, dim;
  return ir_loop_extent(op, loop, &operand, &dim) ? extent_of(ir_operand(op, operand), dim)
                                                  : (extent){.constant = INT64_MAX};
}

extent extent_of_index(ir_index index) {
  ir_value *value;
  unsigned dim;
  return is_dim(index, &value, &dim) ? extent_of(value, dim)
                                     : (extent){.value = index.value, .constant = index.value ? 0 : index.constant};
}

bool extent_equal(extent a, extent b) {
  return a.value == b.value && a.dim == b.dim && (a.value || a.constant == b.constant);
}

/* ------------------------------------------------------------------------------------------------------- computing */

enum { MAX_STEPS = 64 }; /* ops looked at for one extent; what lies beyond is asked for, is a factor, or has no bound */

/* Its dims may be products or sums of dims of its operand. */
static bool computes_extents(const ir_op *op) { return is_collapse(op) || op->code == OP_TENSOR_PAD; }

/* No more than `steps` ops lead to the extent. */
static bool takes_few_steps(extent x, unsigned *steps) {
  const ir_op *op = x.value ? x.value->op : NULL;
  if (!op || !computes_extents(op))
    return true;
  if (!*steps || !--*steps)
    return false;
  if (!is_collapse(op))
    return takes_few_steps(extent_of(ir_operand(op, 0), x.dim), steps);
  ir_dims parts = ir_dims_of(op, x.dim);
  for (unsigned dim = parts.first; dim < parts.end; dim++)
    if (!takes_few_steps(extent_of(ir_operand(op, 0), dim), steps))
      return false;
  return true;
}

bool extent_is_computed(extent x) {
  unsigned steps = MAX_STEPS;
  return x.value && x.value->op && computes_extents(x.value->op) && takes_few_steps(x, &steps);
}

static ir_index compute(ir_builder *builder, extent x);

/* The dims that were collapsed into one, multiplied. */
static ir_index collapsed_extent(ir_builder *builder, const ir_op *op, unsigned dim) {
  ir_dims parts = ir_dims_of(op, dim);
  ir_index product = ir_index_const(1);
  for (unsigned part = parts.first; part < parts.end; part++)
    product = ir_index_mul(builder, product, compute(builder, extent_of(ir_operand(op, 0), part)));
  return product;
}

static ir_index padded_extent(ir_builder *builder, const ir_op *op, unsigned dim) {
  ir_index sum = compute(builder, extent_of(ir_operand(op, 0), dim));
  sum = ir_index_add(builder, sum, ir_padding(op, 0, dim));
  return ir_index_add(builder, sum, ir_padding(op, 1, dim));
}

/* Few steps lead to it. */
static ir_index compute(ir_builder *builder, extent x) {
  if (!x.value || !ir_type_is_shaped(x.value->type))
    return (ir_index){.value = x.value, .constant = x.constant};
  if (!x.value->op || !computes_extents(x.value->op))
    return ir_dim(builder, x.value, x.dim);
  return is_collapse(x.value->op) ? collapsed_extent(builder, x.value->op, x.dim)
                                  : padded_extent(builder, x.value->op, x.dim);
}

ir_index extent_compute(ir_builder *builder, extent x) {
  unsigned steps = MAX_STEPS;
  return takes_few_steps(x, &steps) ? compute(builder, x) : ir_dim(builder, x.value, x.dim);
}

ir_index pass_dim(ir_builder *builder, ir_value *value, unsigned dim) {
  return extent_compute(builder, extent_of(value, dim));
}

ir_value *pass_empty_like(ir_builder *builder, ir_value *value, ir_scalar element) {
  const ir_type *type = ir_type_tensor(builder->module, element, value->type->rank, value->type->shape);
  ir_value *sizes[IR_MAX_RANK];
  unsigned count = 0;
  for (unsigned dim = 0; dim < type->rank; dim++)
    if (type->shape[dim] == IR_DYNAMIC)
      sizes[count++] = ir_index_value(builder, pass_dim(builder, value, dim));
  return ir_create(builder, OP_TENSOR_EMPTY, type, count, sizes, 0, NULL);
}

/* -------------------------------------------------------------------------------------------------------- products */

static bool multiply(extent_product *product, extent x, unsigned *steps);

static bool multiply_index(extent_product *product, ir_value *index, unsigned *steps) {
  return multiply(product, extent_of_index(ir_index_of(index)), steps);
}

/* Multiplies by what an op computes as a product; false where that is none, or has too many factors. */
static bool multiply_computed(extent_product *product, const ir_op *op, unsigned dim, unsigned *steps) {
  if (is_collapse(op)) {
    ir_dims parts = ir_dims_of(op, dim);
    for (unsigned part = parts.first; part < parts.end; part++)
      if (!multiply(product, extent_of(ir_operand(op, 0), part), steps))
        return false;
    return true;
  }
  if (op->code == OP_ARITH_MULI)
    return multiply_index(product, ir_operand(op, 0), steps) && multiply_index(product, ir_operand(op, 1), steps);
  const ir_expr *expr = op->code == OP_AFFINE_APPLY ? ir_affine_map(op)->results[0] : NULL;
  return expr && op->num_operands == 1 && expr->kind == IR_EXPR_MUL && !expr->lhs->lhs &&
         expr->rhs->kind == IR_EXPR_CONST && multiply(product, (extent){.constant = expr->rhs->value}, steps) &&
         multiply_index(product, ir_operand(op, 0), steps);
}

static bool multiply(extent_product *product, extent x, unsigned *steps) {
  if (!x.value)
    return !__builtin_mul_overflow(product->known, x.constant, &product->known);
  extent_product factors = *product;
  if (x.value->op && *steps && --*steps && multiply_computed(&factors, x.value->op, x.dim, steps)) {
    *product = factors;
    return true;
  }
  if (product->num_open == EXTENT_MAX_FACTORS)
    return false;
  product->open[product->num_open++] = x;
  return true;
}

bool extent_multiply(extent_product *product, extent x) {
  unsigned steps = MAX_STEPS;
  return multiply(product, x, &steps);
}

extent_product extent_without(const extent_product *a, const extent_product *b) {
  extent_product rest = {.known = 1};
  unsigned taken = 0;
  for (unsigned i = 0; i < a->num_open; i++) {
    unsigned k = 0;
    while (k < b->num_open && (taken >> k & 1 || !extent_equal(b->open[k], a->open[i])))
      k++;
    if (k == b->num_open)
      rest.open[rest.num_open++] = a->open[i];
    else
      taken |= ir_bit(k);
  }
  return rest;
}

bool extent_has_factors(const extent_product *a, const extent_product *b) { return extent_without(b, a).num_open == 0; }

bool extent_products_equal(const extent_product *a, const extent_product *b) {
  return a->num_open == b->num_open && a->known == b->known && extent_has_factors(a, b);
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

static int64_t bound_of(extent x, unsigned *steps);

/* The most that the expression of an affine.min or affine.apply can be. */
static int64_t bound_of_expr(const ir_op *op, const ir_expr *expr, unsigned *steps) {
  int64_t product;
  switch (expr->kind) {
  case IR_EXPR_CONST:
    return expr->value;
  case IR_EXPR_DIM:
  case IR_EXPR_SYM:
    return bound_of(extent_of_index(ir_index_of(ir_operand(op, ir_affine_operand(op, expr)))), steps);
  case IR_EXPR_MUL:
    if (expr->rhs->kind != IR_EXPR_CONST || expr->rhs->value <= 0 ||
        __builtin_mul_overflow(bound_of_expr(op, expr->lhs, steps), expr->rhs->value, &product))
      return INT64_MAX;
    return product;
  default:
    return INT64_MAX;
  }
}

static int64_t bound_of(extent x, unsigned *steps) {
  if (!x.value)
    return x.constant;
  const ir_op *op = x.value->op;
  if (!op || (op->code != OP_AFFINE_MIN && op->code != OP_AFFINE_APPLY) || !*steps || !--*steps)
    return INT64_MAX;
  const ir_map *map = ir_affine_map(op);
  int64_t least = INT64_MAX;
  for (unsigned i = 0; i < map->num_results; i++) {
    int64_t bound = bound_of_expr(op, map->results[i], steps);
    least = bound < least ? bound : least;
  }
  return least;
}

int64_t extent_bound(extent x) {
  unsigned steps = MAX_STEPS;
  return bound_of(x, &steps);
}

ir_op *extent_call_shapes(ir_builder *builder, const ir_attr *callee, ir_value **extents, unsigned count,
                          unsigned num_results) {
  ir_module *module = builder->module;
  const ir_type **types = IR_NEW_ARRAY(&module->arena, const ir_type *, num_results);
  for (unsigned i = 0; i < num_results; i++)
    types[i] = ir_type_index(module);
  ir_named_attr attr = {"callee", callee};
  ir_op_spec spec = {.operands = extents,
                     .num_operands = count,
                     .types = types,
                     .num_results = num_results,
                     .attrs = &attr,
                     .num_attrs = 1};
  return ir_op_create(builder, OP_FUNC_CALL, &spec);
}

const ir_expr *extent_room(const ir_op *op, const ir_value *counter, int64_t step) {
  const ir_attr *attr = op->code == OP_AFFINE_MIN ? ir_attr_get(op, "map") : NULL;
  if (!attr || attr->map->num_results != 2)
    return NULL;
  ir_module *module = op->module;
  const ir_expr *dims[IR_MAX_LOOPS], *own = NULL;
  if (op->num_operands > IR_MAX_LOOPS || attr->map->num_syms)
    return NULL;
  for (unsigned i = 0; i < op->num_operands; i++) {
    dims[i] = ir_expr_dim(module, i);
    if (ir_operand(op, i) == counter) {
      own = dims[i];
      dims[i] = ir_expr_const(module, 0);
    }
  }
  for (unsigned i = 0; own && i < 2; i++) {
    if (attr->map->results[1 - i] != ir_expr_const(module, step))
      continue;
    const ir_expr *room = ir_expr_replace(module, attr->map->results[i], dims, NULL);
    const ir_expr *less = ir_expr_by(module, IR_EXPR_MUL, own, -1);
    if (attr->map->results[i] == ir_expr_binary(module, IR_EXPR_ADD, room, less) ||
        attr->map->results[i] == ir_expr_binary(module, IR_EXPR_ADD, less, room))
      return room;
  }
  return NULL;
}

void extent_set_step(ir_op *loop, unsigned dim, int64_t step) {
  ir_module *module = loop->module;
  int64_t was = ir_bounds_of(loop, dim).step.constant;
  for (ir_op *op = ir_next_inside(loop, loop); op; op = ir_next_inside(loop, op)) {
    if (!extent_room(op, ir_region(loop, 0)->args[dim], was))
      continue;
    const ir_map *map = ir_affine_map(op);
    const ir_expr *results[2];
    for (unsigned i = 0; i < 2; i++)
      results[i] = map->results[i] == ir_expr_const(module, was) ? ir_expr_const(module, step) : map->results[i];
    ir_attr_set(op, "map", ir_attr_map(module, ir_map_get(module, map->num_dims, 0, 2, results)));
  }
  if (loop->code == OP_SCF_FOR) {
    ir_builder builder = ir_builder_before(loop);
    ir_set_operand(loop, 2, ir_const_index(&builder, step));
    return;
  }
  unsigned count;
  int64_t sizes[IR_MAX_LOOPS];
  const int64_t *old = ir_attr_i64s_of(loop, "staticStep", &count);
  for (unsigned i = 0; i < count; i++)
    sizes[i] = i == dim ? step : old[i];
  ir_attr_set(loop, "staticStep", ir_attr_i64s(loop->module, count, sizes));
}

int64_t extent_of_tiles(ir_value *value, unsigned dim) {
  extent x = extent_of(value, dim);
  const ir_op *size = x.value && x.value->type->kind == IR_TYPE_SCALAR ? x.value->op : NULL, *kernel = size;
  if (!x.value)
    return x.constant;
  while (kernel && kernel->code != OP_SCF_FORALL)
    kernel = ir_op_parent(kernel);
  for (unsigned i = 0; kernel && i < ir_num_counters(kernel); i++) {
    ir_index step = ir_bounds_of(kernel, i).step;
    const ir_expr *room = step.value ? NULL : extent_room(size, ir_region(kernel, 0)->args[i], step.constant);
    if (room && room->kind == IR_EXPR_CONST)
      return room->value;
  }
  return IR_DYNAMIC;
}
