/* vectorize.c - one tile of one structured op as vector ops: reading and writing operands, the body on vectors.
 *
 * Invariants
 *  - Sets of loops are bit masks. A tile_value's type is the vector over its loops in the tile's order (scalar if
 *    none), so that type and loops always agree.
 *  - Body values are numbered (arguments, then results; ir_op.mark holds an op's first result): look-ups are arrays.
 *  - The tile never runs an op that the scalar program would not run, unless it is speculatable, or divides by a
 *    constant: masked lanes compute on padding, and are dropped by the write or by a select.
 * Terminates: each function walks the body, an expression or the vector dims once. */
#include "passes/vectorize_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint32_t vectorize_operand_loops(const vector_operand *operand) {
  return ir_type_is_shaped(operand->value->type) ? ir_map_dims(operand->map) : 0;
}

void vectorize_operands(ir_op *op, vector_operand *operands) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = (vector_operand){.value = ir_operand(op, i), .map = structure->maps[i]};
}

/* ------------------------------------------------------------------------------------------------------ combiners */

ir_cell vectorize_neutral(ir_opcode combine, ir_scalar scalar) {
  int64_t lowest = INT64_MIN >> (64 - ir_scalar_bits(scalar));
  switch (combine) {
  case OP_ARITH_ADDF:
    return (ir_cell){.f = -0.0};
  case OP_ARITH_MULF:
    return (ir_cell){.f = 1};
  case OP_ARITH_MAXIMUMF:
    return (ir_cell){.f = -INFINITY};
  case OP_ARITH_MINIMUMF:
    return (ir_cell){.f = INFINITY};
  case OP_ARITH_MAXNUMF:
  case OP_ARITH_MINNUMF:
    return (ir_cell){.f = NAN};
  case OP_ARITH_MULI:
    return (ir_cell){.i = 1};
  case OP_ARITH_ANDI:
  case OP_ARITH_MINUI:
    return (ir_cell){.i = -1};
  case OP_ARITH_MAXSI:
    return (ir_cell){.i = lowest};
  case OP_ARITH_MINSI:
    return (ir_cell){.i = ~lowest};
  default: /* addi, ori, xori, maxui */
    return (ir_cell){.i = 0};
  }
}

/* The op that combines output `out` with its old value, and through *term the operand that is not the old value. */
static ir_op *combining_op(const ir_op *op, unsigned out, ir_value **term) {
  const ir_block *body = ir_region(op, 0);
  const ir_value *old = body->args[ir_num_inputs(op) + out];
  ir_op *combine = ir_operand(ir_block_terminator(body), out)->op;
  if (!ir_value_has_one_use(old) || !combine || combine->block != body || old->uses->user != combine ||
      !ir_combine_kind(combine->code) || !ir_value_has_one_use(ir_result(combine, 0)))
    return NULL;
  *term = ir_operand(combine, ir_operand(combine, 0) == old);
  return combine;
}

bool vectorize_combiner(const ir_op *op, unsigned out, ir_opcode *combine) {
  ir_value *term;
  ir_op *found = combining_op(op, out, &term);
  if (found)
    *combine = found->code;
  return found;
}

bool vectorize_is_sum(const ir_op *op) {
  ir_opcode combine;
  return op->num_results == 1 && op->num_regions && ir_structure_of(op)->reductions &&
         vectorize_combiner(op, 0, &combine) && combine == OP_ARITH_ADDF;
}

ir_value *vectorize_term(const ir_op *op, unsigned out) {
  ir_value *term;
  return combining_op(op, out, &term) ? term : NULL;
}

/* ----------------------------------------------------------------------------------- which loops may be vector dims */

/* Numbers the values of the body; returns how many there are. */
static unsigned number_values(ir_block *body) {
  unsigned count = body->num_args;
  for (ir_op *op = body->first; op; op = op->next) {
    op->mark = count;
    count += op->num_results;
  }
  return count;
}

/* The number of a value of the body; false for values from outside, and for those of regions nested in it. */
static bool value_number(const ir_block *body, const ir_value *value, unsigned *number) {
  if (value->block == body)
    *number = value->index;
  else if (value->op && value->op->block == body)
    *number = value->op->mark + value->index;
  else
    return false;
  return true;
}

static bool is_affine(const ir_op *op) {
  return op->code == OP_AFFINE_APPLY || op->code == OP_AFFINE_MIN || op->code == OP_AFFINE_MAX;
}

/* A quotient or remainder that is defined whatever is divided. */
static bool divides_by_constant(const ir_op *op) {
  ir_cell divisor;
  return op->num_operands == 2 && ir_op_has(op, IR_ELEMENTWISE) && ir_value_splat(ir_operand(op, 1), &divisor) &&
         !ir_scalar_is_float(ir_operand(op, 1)->type->element) && divisor.i > 0;
}

static bool has_vector_form(const ir_op *op) {
  return ir_op_has(op, IR_ELEMENTWISE | IR_SPECULATABLE) || op->code == OP_LINALG_INDEX || is_affine(op) ||
         ir_op_has(op, IR_TERMINATOR) || divides_by_constant(op);
}

uint32_t vectorize_depends(const body_loops *body, const ir_value *value) {
  unsigned number;
  return value_number(body->block, value, &number) ? body->values[number].loops : 0;
}

typedef struct dependence {
  uint32_t found;
  bool pinned; /* has effects: must run exactly as often as the scalar program runs it */
} dependence;

/* The loops that a body op, regions included, depends on. */
static dependence op_dependence(const body_loops *body, const ir_op *op) {
  dependence state = {.found = 0};
  for (const ir_op *inner = op; inner; inner = ir_next_inside(op, inner)) {
    for (unsigned i = 0; i < inner->num_operands; i++)
      state.found |= vectorize_depends(body, ir_operand(inner, i));
    if (inner->code == OP_LINALG_INDEX)
      state.found |= ir_bit((unsigned)ir_attr_int_or(inner, "dim", 0));
    state.pinned |= ir_op_has(inner, IR_WRITES) || ir_op_has(inner, IR_ALLOCATES);
  }
  return state;
}

/* The loops that no body op without a vector form depends on. */
static uint32_t loops_of_body(ir_op *op, const vector_operand *operands) {
  ir_block *body = ir_region(op, 0);
  ir_arena *arena = &op->module->arena;
  size_t start = ir_arena_mark(arena);
  tile_value *values = IR_NEW_ARRAY(arena, tile_value, number_values(body));
  uint32_t allowed = UINT32_MAX;
  for (unsigned i = 0; i < body->num_args; i++)
    values[i].loops = vectorize_operand_loops(&operands[i]);
  for (ir_op *inner = body->first; inner; inner = inner->next) {
    body_loops known = {body, values};
    dependence state = op_dependence(&known, inner);
    for (unsigned i = 0; i < inner->num_results; i++)
      values[inner->mark + i].loops = state.found;
    if (state.pinned)
      allowed = 0;
    else if (inner->code == OP_MEMREF_LOAD)
      allowed &= ~state.found | vectorize_load_lanes(&known, inner);
    else if (!has_vector_form(inner))
      allowed &= ~state.found;
  }
  ir_arena_rewind(arena, start);
  return allowed;
}

int vectorize_sign_of_term(const ir_expr *expr, unsigned loop) {
  int sign = 1;
  for (;;) {
    if (expr->kind == IR_EXPR_MUL && expr->rhs->kind == IR_EXPR_CONST && expr->rhs->value == -1) {
      sign = -sign;
      expr = expr->lhs;
    } else if (expr->kind == IR_EXPR_ADD && ir_expr_uses_dim(expr->lhs, loop) != ir_expr_uses_dim(expr->rhs, loop)) {
      expr = ir_expr_uses_dim(expr->lhs, loop) ? expr->lhs : expr->rhs;
    } else {
      return expr->kind == IR_EXPR_DIM && expr->value == loop ? sign : 0;
    }
  }
}

/* The loop is used in at most one subscript of the map, with coefficient 1. */
static bool is_simple_subscript(const ir_map *map, unsigned loop) {
  unsigned uses = 0;
  for (unsigned i = 0; i < map->num_results; i++)
    if (ir_expr_uses_dim(map->results[i], loop)) {
      uses++;
      if (vectorize_sign_of_term(map->results[i], loop) != 1)
        return false;
    }
  return uses <= 1;
}

uint32_t vectorize_loops(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  ir_arena *arena = &op->module->arena;
  size_t start = ir_arena_mark(arena);
  vector_operand *operands = IR_NEW_ARRAY(arena, vector_operand, op->num_operands);
  vectorize_operands(op, operands);
  uint32_t loops = loops_of_body(op, operands);
  ir_arena_rewind(arena, start);
  unsigned num_inputs = ir_num_inputs(op);
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++) {
    bool fits = loop < structure->num_loops;
    for (unsigned i = 0; fits && i < op->num_operands; i++)
      fits = is_simple_subscript(structure->maps[i], loop);
    for (unsigned out = 0; fits && out < ir_num_inits(op); out++) {
      ir_opcode combine;
      fits = ir_map_find_dim(structure->maps[num_inputs + out], loop) >= 0 ||
             (ir_loop_is_reduction(structure, loop) && vectorize_combiner(op, out, &combine));
    }
    if (!fits)
      loops &= ~ir_bit(loop);
  }
  return loops;
}

/* ----------------------------------------------------------------------------------------------------- tile values */

const ir_type *vectorize_type(const vector_tile *tile, ir_scalar element, uint32_t loops) {
  ir_module *module = tile->op->module;
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned i = 0; i < tile->num_dims; i++)
    if (loops & ir_bit(tile->loops[i]))
      shape[rank++] = tile->sizes[i];
  return rank ? ir_type_vector(module, element, rank, shape) : ir_type_scalar(module, element);
}

/* Repeats a value along the loops that it lacks. */
static ir_value *broadcast(ir_builder *builder, const vector_tile *tile, tile_value from, uint32_t loops) {
  assert((from.loops & ~loops) == 0);
  if (from.loops == loops)
    return from.value;
  int64_t shape[IR_MAX_RANK]; /* the source with unit dims for the loops that it lacks, leading ones left out */
  unsigned rank = 0, own = 0;
  for (unsigned i = 0; i < tile->num_dims; i++) {
    bool has = from.loops & ir_bit(tile->loops[i]);
    if (has || (own && loops & ir_bit(tile->loops[i])))
      shape[rank++] = has ? tile->sizes[i] : 1;
    own += has;
  }
  ir_scalar element = from.value->type->element;
  ir_value *value = from.value;
  if (rank > own)
    value = ir_unary(builder, OP_VECTOR_SHAPE_CAST, value, ir_type_vector(builder->module, element, rank, shape));
  const ir_type *type = vectorize_type(tile, element, loops);
  return value->type == type ? value : ir_unary(builder, OP_VECTOR_BROADCAST, value, type);
}

ir_value *vectorize_mask(ir_builder *builder, const vector_tile *tile, uint32_t loops) {
  ir_value *bounds[IR_MAX_RANK];
  uint32_t masked = loops & tile->masked;
  unsigned count = 0;
  if (!masked)
    return ir_splat(builder, vectorize_type(tile, IR_I1, loops), (ir_cell){.i = -1});
  for (unsigned i = 0; i < tile->num_dims; i++) {
    unsigned loop = tile->loops[i];
    if (masked & ir_bit(loop))
      bounds[count++] = ir_index_value(builder, ir_index_sub(builder, tile->ends[loop], tile->starts[loop]));
  }
  const ir_type *type = vectorize_type(tile, IR_I1, masked);
  ir_value *mask = ir_create(builder, OP_VECTOR_CREATE_MASK, type, count, bounds, 0, NULL);
  return broadcast(builder, tile, (tile_value){mask, masked}, loops);
}

static ir_value *select_masked(ir_builder *builder, const vector_tile *tile, uint32_t loops, ir_value *inside,
                               ir_value *outside) {
  return ir_select(builder, vectorize_mask(builder, tile, loops), inside, outside);
}

/* ---------------------------------------------------------------------------------------------- reading and writing */

/* How the vector dims of one operand lie in memory. Of several that are terms of one subscript (i + j), memory has the
 * last one; the others come first, and one iteration of each is accessed at a time. */
typedef struct access {
  uint32_t loops;                 /* its vector dims */
  unsigned rank;                  /* how many */
  unsigned shared;                /* the first ones: terms of a subscript that a later one is of, too */
  unsigned dims[IR_MAX_RANK];     /* memory order: the memref's dim .. */
  int64_t sizes[IR_MAX_RANK];     /* .. its extent in the tile .. */
  bool in_bounds[IR_MAX_RANK];    /* .. and whether it surely ends inside */
  int64_t to_tile[IR_MAX_RANK];   /* dim i of the tile's order is dim to_tile[i] of memory order */
  int64_t to_memory[IR_MAX_RANK]; /* the inverse */
  bool transposed;                /* the two orders differ */
  ir_value *indices[IR_MAX_RANK]; /* a memref dim: the tile's first subscript */
} access;

/* No vector dim behind dim `i` of the tile is a term of the subscript. */
static bool ends_subscript(const vector_tile *tile, const ir_expr *subscript, unsigned i) {
  for (i++; i < tile->num_dims; i++)
    if (ir_expr_uses_dim(subscript, tile->loops[i]))
      return false;
  return true;
}

/* All but the indices. */
static access access_dims(const vector_tile *tile, unsigned number) {
  const vector_operand *operand = &tile->operands[number];
  const ir_map *map = operand->map;
  access result = {.loops = vectorize_operand_loops(operand) & vector_loops(tile)};
  unsigned tile_position[IR_MAX_RANK];
  for (unsigned last = 0; last < 2; last++) {
    for (unsigned dim = 0; dim < map->num_results; dim++) {
      for (unsigned i = 0; i < tile->num_dims; i++) {
        unsigned loop = tile->loops[i];
        if (!ir_expr_uses_dim(map->results[dim], loop) || ends_subscript(tile, map->results[dim], i) != last)
          continue;
        result.dims[result.rank] = dim;
        result.sizes[result.rank] = tile->sizes[i];
        result.in_bounds[result.rank] = (operand->local | ~tile->masked) & ir_bit(loop);
        tile_position[result.rank++] = i;
        result.shared += !last;
      }
    }
  }
  for (unsigned i = 0; i < result.rank; i++) {
    unsigned before = 0;
    for (unsigned k = 0; k < result.rank; k++)
      before += tile_position[k] < tile_position[i];
    result.to_memory[i] = before;
    result.to_tile[before] = i;
    result.transposed |= before != i;
  }
  return result;
}

static access access_of(ir_builder *builder, const vector_tile *tile, unsigned number) {
  const vector_operand *operand = &tile->operands[number];
  const ir_map *map = operand->map;
  access result = access_dims(tile, number);
  ir_index starts[IR_MAX_LOOPS];
  for (unsigned loop = 0; loop < map->num_dims; loop++)
    starts[loop] = operand->local & ir_bit(loop) ? ir_index_const(0) : tile->starts[loop];
  for (unsigned dim = 0; dim < map->num_results; dim++)
    result.indices[dim] = ir_index_value(builder, ir_index_apply(builder, map->results[dim], map->num_dims, starts));
  return result;
}

static ir_value *transpose(ir_builder *builder, ir_value *vector, const int64_t *permutation) {
  ir_module *module = builder->module;
  int64_t shape[IR_MAX_RANK];
  unsigned rank = vector->type->rank;
  for (unsigned i = 0; i < rank; i++)
    shape[i] = vector->type->shape[permutation[i]];
  const ir_type *type = ir_type_with_shape(module, vector->type, rank, shape);
  ir_named_attr attr = {"permutation", ir_attr_i64s(module, rank, permutation)};
  return ir_create(builder, OP_VECTOR_TRANSPOSE, type, 1, &vector, 1, &attr);
}

/* A memref.load or memref.store, vector.transfer_read or .transfer_write; `stored` is NULL for reads. */
static ir_op *transfer(ir_builder *builder, const access *where, ir_value *base, ir_value *stored) {
  if (!where->rank)
    return ir_access(builder, NULL, base, where->indices, stored);
  const ir_type *type = ir_type_vector(builder->module, base->type->element, where->rank, where->sizes);
  return ir_transfer(builder, stored ? OP_VECTOR_TRANSFER_WRITE : OP_VECTOR_TRANSFER_READ, type, stored, base,
                     where->indices, where->dims, where->in_bounds);
}

/* One iteration of the first dim of an access, which shares its subscript. */
static access access_part(ir_builder *builder, const access *whole, int64_t iteration) {
  access part = *whole;
  unsigned dim = whole->dims[0];
  part.rank--;
  part.shared--;
  memmove(part.dims, whole->dims + 1, part.rank * sizeof *part.dims);
  memmove(part.sizes, whole->sizes + 1, part.rank * sizeof *part.sizes);
  memmove(part.in_bounds, whole->in_bounds + 1, part.rank * sizeof *part.in_bounds);
  for (unsigned i = 0; i < part.rank; i++)
    part.in_bounds[i] &= part.dims[i] != dim || whole->in_bounds[0];
  ir_index first = {.value = whole->indices[dim]};
  part.indices[dim] = ir_index_value(builder, ir_index_add(builder, first, ir_index_const(iteration)));
  return part;
}

void vectorize_ask_ahead(ir_op *access, const vector_operand *operand) {
  ir_module *module = access->module;
  if (!operand->ahead)
    return;
  ir_attr_set(access, "tec.prefetch", operand->ahead);
  if (operand->is_near)
    ir_attr_set(access, "tec.near", ir_attr_unit(module));
}

/* In memory order. */
static ir_value *read_access(ir_builder *builder, const vector_operand *operand, const access *where) {
  ir_module *module = builder->module;
  if (where->shared) {
    ir_scalar element = operand->value->type->element;
    const ir_type *type = ir_type_vector(module, element, where->rank, where->sizes);
    ir_value *rows = ir_const(builder, type, 0);
    for (int64_t row = 0; row < where->sizes[0]; row++) {
      access part = access_part(builder, where, row);
      ir_value *operands[] = {read_access(builder, operand, &part), rows};
      ir_named_attr position = {"static_position", ir_attr_i64s(module, 1, &row)};
      rows = ir_create(builder, OP_VECTOR_INSERT, type, 2, operands, 1, &position);
    }
    return rows;
  }
  ir_op *read = transfer(builder, where, operand->value, NULL);
  if (where->rank)
    vectorize_ask_ahead(read, operand);
  return ir_result(read, 0);
}

ir_value *vectorize_read(ir_builder *builder, const vector_tile *tile, unsigned i) {
  ir_value *base = tile->operands[i].value, *known = tile->operands[i].vector;
  if (known) {
    access dims = access_dims(tile, i);
    return dims.transposed ? transpose(builder, known, dims.to_tile) : known;
  }
  if (!ir_type_is_shaped(base->type))
    return base;
  access where = access_of(builder, tile, i);
  ir_value *value = read_access(builder, &tile->operands[i], &where);
  return where.transposed ? transpose(builder, value, where.to_tile) : value;
}

/* Lanes of the operand are apart in the tile's order: not so in tiles left over, whose lanes may be odd. */
static bool is_apart(const vector_tile *tile, unsigned i) {
  bool is_even = tile->num_dims && tile->sizes[tile->num_dims - 1] % 2 == 0;
  return is_even && tile->apart & ~tile->masked & vectorize_operand_loops(&tile->operands[i]);
}

ir_value *vectorize_input(ir_builder *builder, const vector_tile *tile, unsigned i) {
  ir_value *value = vectorize_read(builder, tile, i);
  if (tile->operands[i].vector || !is_apart(tile, i))
    return value;
  return vectorize_put_apart(builder, value, IR_F32);
}

ir_value *vectorize_to_subscripts(ir_builder *builder, const vector_tile *tile, unsigned i, ir_value *value) {
  access dims = access_dims(tile, i);
  return dims.transposed ? transpose(builder, value, dims.to_memory) : value;
}

ir_value *vectorize_zero_beyond(ir_builder *builder, const vector_tile *tile, unsigned i, uint32_t loops,
                                ir_value *value) {
  access dims = access_dims(tile, i);
  vector_tile only = *tile;
  only.masked = loops;
  ir_value *ordered = dims.transposed ? transpose(builder, value, dims.to_tile) : value;
  ir_value *zero = ir_const(builder, ordered->type, 0);
  return vectorize_to_subscripts(builder, tile, i, select_masked(builder, &only, dims.loops, ordered, zero));
}

void vectorize_write(ir_builder *builder, const vector_tile *tile, unsigned i, ir_value *value) {
  access where = access_of(builder, tile, i);
  if (where.transposed)
    value = transpose(builder, value, where.to_memory);
  ir_op *write = transfer(builder, &where, tile->operands[i].value, value);
  if (where.rank)
    vectorize_ask_ahead(write, &tile->operands[i]);
}

/* -------------------------------------------------------------------------------------------------------- the body */

static void set_value(const body_state *state, const ir_value *body_value, tile_value value) {
  unsigned number = 0;
  value_number(state->body, body_value, &number);
  state->values[number] = value;
  if (!value.loops)
    ir_value_map_set(state->scalars, body_value, value.value);
}

tile_value vectorize_value_of(const body_state *state, ir_value *value) {
  unsigned number;
  return value_number(state->body, value, &number) ? state->values[number] : (tile_value){value, 0};
}

ir_value *vectorize_broadcast(const body_state *state, tile_value value, uint32_t loops) {
  return broadcast(state->builder, state->tile, value, loops);
}

tile_value vectorize_elementwise(const body_state *state, ir_opcode code, ir_scalar result, unsigned count,
                                 const tile_value *values, unsigned num_attrs, const ir_named_attr *attrs) {
  ir_value *operands[IR_MAX_RANK];
  uint32_t loops = 0;
  for (unsigned i = 0; i < count; i++)
    loops |= values[i].loops;
  for (unsigned i = 0; i < count; i++)
    operands[i] = broadcast(state->builder, state->tile, values[i], loops);
  const ir_type *type = vectorize_type(state->tile, result, loops);
  return (tile_value){ir_create(state->builder, code, type, count, operands, num_attrs, attrs), loops};
}

/* A copy of an op that depends on no vector dim. */
static void clone_scalar_op(const body_state *state, const ir_op *op) {
  ir_op *copy = ir_op_clone(state->builder, op, state->scalars);
  for (unsigned i = 0; i < copy->num_results; i++)
    set_value(state, ir_result(op, i), (tile_value){ir_result(copy, i), 0});
}

static void run_body_op(const body_state *state, const ir_op *op) {
  if (op->code == OP_LINALG_INDEX) {
    set_value(state, ir_result(op, 0), vectorize_iteration(state, (unsigned)ir_attr_int_or(op, "dim", 0)));
    return;
  }
  tile_value operands[IR_MAX_RANK] = {{0}}, comparison;
  uint32_t loops = 0;
  for (unsigned i = 0; i < op->num_operands; i++) {
    tile_value value = vectorize_value_of(state, ir_operand(op, i));
    loops |= value.loops;
    if (i < IR_MAX_RANK)
      operands[i] = value;
  }
  if (ir_op_widens(op) && operands[0].value->type->element == ir_result(op, 0)->type->element)
    set_value(state, ir_result(op, 0), operands[0]); /* the operand is a copy that was widened on the way */
  else if (!loops)
    clone_scalar_op(state, op);
  else if (op->code == OP_MEMREF_LOAD)
    set_value(state, ir_result(op, 0), vectorize_load(state, op, loops));
  else if (is_affine(op))
    set_value(state, ir_result(op, 0), vectorize_affine(state, op));
  else if (vectorize_comparison(state, op, &comparison))
    set_value(state, ir_result(op, 0), comparison);
  else
    set_value(state, ir_result(op, 0),
              vectorize_elementwise(state, op->code, ir_result(op, 0)->type->element, op->num_operands, operands,
                                    op->num_attrs, op->attrs));
}

/* The vector dims of output `out`'s accumulator. */
static uint32_t accumulator_loops(const vector_tile *tile, unsigned out) {
  uint32_t loops = vectorize_operand_loops(&tile->operands[ir_num_inputs(tile->op) + out]) & vector_loops(tile);
  return loops | tile->partial;
}

/* ------------------------------------------------------------------------------------------- reductions in the tile */

static const ir_attr *kind_attr(ir_module *module, const char *kind) {
  return ir_attr_keyword(module, "vector.kind", kind);
}

/* A reduction has no `nnan`: extrema that may lose a NaN become those that do, which are single instructions. */
static ir_opcode reducing_code(const ir_op *combine) {
  bool loses = strstr(ir_attr_string_or(combine, "fastmath", ""), "nnan") != NULL;
  return loses && combine->code == OP_ARITH_MAXIMUMF   ? OP_ARITH_MAXNUMF
         : loses && combine->code == OP_ARITH_MINIMUMF ? OP_ARITH_MINNUMF
                                                       : combine->code;
}

/* Combines the dims of `value` that the accumulator lacks onto it, as `combine` does. */
static ir_value *reduce(ir_builder *builder, const vector_tile *tile, const ir_op *combine, tile_value value,
                        tile_value accumulator) {
  ir_module *module = builder->module;
  int64_t dims[IR_MAX_RANK];
  unsigned count = 0, dim = 0;
  for (unsigned i = 0; i < tile->num_dims; i++) {
    uint32_t bit = ir_bit(tile->loops[i]);
    if (value.loops & bit & ~accumulator.loops)
      dims[count++] = dim;
    dim += (value.loops & bit) != 0;
  }
  ir_named_attr attrs[] = {{"kind", kind_attr(module, ir_combine_kind(reducing_code(combine)))},
                           {"reduction_dims", ir_attr_i64s(module, count, dims)}};
  ir_value *operands[] = {value.value, accumulator.value};
  return ir_create(builder, OP_VECTOR_MULTI_REDUCTION, accumulator.value->type, 2, operands, 2, attrs);
}

/* What the combining op adds to the accumulator, in all of the tile's dims that it needs; neutral beyond the loops'
 * ends. */
static ir_value *reduce_term(const body_state *state, unsigned out, tile_value accumulator) {
  const vector_tile *tile = state->tile;
  ir_value *term;
  ir_op *combine = combining_op(tile->op, out, &term);
  const ir_structure *structure = ir_structure_of(tile->op);
  uint32_t loops = accumulator.loops | (vector_loops(tile) & structure->reductions);
  tile_value value = {broadcast(state->builder, tile, vectorize_value_of(state, term), loops), loops};
  if (loops & ~accumulator.loops & tile->masked) {
    ir_scalar element = value.value->type->element;
    ir_cell neutral = vectorize_neutral(combine->code, element);
    vector_tile reduced = *tile;
    reduced.masked &= ~accumulator.loops; /* what lies beyond the end of the others is dropped later */
    value.value = select_masked(state->builder, &reduced, loops, value.value,
                                ir_splat(state->builder, value.value->type, neutral));
  }
  return reduce(state->builder, tile, combine, value, accumulator);
}

/* The multiplication of a contraction whose tile vector.contract can say: both factors are vectors with all reduction
 * dims of the tile (one at least), and no partial lanes are kept. NULL for all others. */
static ir_op *contraction_product(const vector_tile *tile) {
  uint32_t loops = vector_loops(tile), reductions = loops & ir_structure_of(tile->op)->reductions;
  if (!ir_is_contraction(tile->op) || tile->partial || !reductions)
    return NULL;
  uint32_t covered = 0;
  for (unsigned i = 0; i < 2; i++) {
    uint32_t factor = vectorize_operand_loops(&tile->operands[i]) & loops;
    if (reductions & ~factor)
      return NULL;
    covered |= factor;
  }
  if (covered != loops)
    return NULL;
  ir_value *product;
  bool found = combining_op(tile->op, 0, &product) && product->op && ir_value_has_one_use(product);
  return found ? product->op : NULL;
}

/* The map from the tile's dims to those of a value. */
static const ir_map *dims_map(const vector_tile *tile, uint32_t loops) {
  unsigned dims[IR_MAX_RANK], count = 0;
  for (unsigned i = 0; i < tile->num_dims; i++)
    if (loops & ir_bit(tile->loops[i]))
      dims[count++] = i;
  return ir_map_select(tile->op->module, tile->num_dims, count, dims);
}

/* Both factors before they were widened, where that is what their products need: widening is exact. */
static void take_narrow(tile_value *factors) {
  const ir_op *lhs = factors[0].value->op, *rhs = factors[1].value->op;
  if (!lhs || !rhs || lhs->code != OP_ARITH_EXTF || rhs->code != OP_ARITH_EXTF ||
      ir_operand(lhs, 0)->type->element != ir_operand(rhs, 0)->type->element)
    return;
  factors[0].value = ir_operand(lhs, 0);
  factors[1].value = ir_operand(rhs, 0);
}

/* Factors widened to i32 from i16, as the machine multiplies pairs of those. */
static void take_words(ir_builder *builder, tile_value *factors) {
  for (unsigned i = 0; i < 2; i++) {
    const ir_type *type = factors[i].value->type;
    ir_value *words = ir_convert(builder, ir_operand(factors[i].value->op, 0), ir_type_scalar(builder->module, IR_I16));
    factors[i].value = ir_convert(builder, words, type);
  }
}

/* Factors of i8, the one of them unsigned, as the machine multiplies four of each at once. The accumulators begin with
 * less by what that has in excess (register_pack.c). */
static void take_bytes(ir_builder *builder, tile_value *factors, uint32_t lanes) {
  unsigned shifted = factors[0].loops & lanes ? 1 : 0;
  const ir_value *wide = factors[shifted].value;
  ir_value *bytes = ir_operand(wide->op, 0);
  ir_value *high = ir_splat(builder, bytes->type, (ir_cell){.i = INT8_MIN});
  factors[shifted].value =
      ir_unary(builder, OP_ARITH_EXTUI, ir_binary(builder, OP_ARITH_XORI, bytes, high), wide->type);
}

ir_value *vectorize_contract(ir_builder *builder, ir_value *const operands[3], const ir_map *const maps[3],
                             uint32_t reductions) {
  ir_module *module = builder->module;
  const ir_attr *map_attrs[3], *iterators[IR_MAX_LOOPS];
  unsigned num_loops = maps[0]->num_dims;
  for (unsigned i = 0; i < 3; i++)
    map_attrs[i] = ir_attr_map(module, maps[i]);
  for (unsigned loop = 0; loop < num_loops; loop++)
    iterators[loop] =
        ir_attr_keyword(module, "vector.iterator_type", reductions & ir_bit(loop) ? "reduction" : "parallel");
  ir_named_attr attrs[] = {{"indexing_maps", ir_attr_array(module, 3, map_attrs)},
                           {"iterator_types", ir_attr_array(module, num_loops, iterators)},
                           {"kind", kind_attr(module, "add")}};
  return ir_create(builder, OP_VECTOR_CONTRACT, operands[2]->type, 3, operands, 3, attrs);
}

static ir_value *contract(const body_state *state, const ir_op *product, tile_value accumulator) {
  const vector_tile *tile = state->tile;
  tile_value values[] = {vectorize_value_of(state, ir_operand(product, 0)),
                         vectorize_value_of(state, ir_operand(product, 1)), accumulator};
  if (tile->narrow)
    take_narrow(values);
  if (tile->words)
    take_words(state->builder, values);
  if (tile->bytes)
    take_bytes(state->builder, values, ir_bit(tile->loops[tile->num_dims - 2]));
  const ir_map *maps[3];
  ir_value *operands[3];
  uint32_t reductions = 0;
  for (unsigned i = 0; i < 3; i++) {
    maps[i] = dims_map(tile, values[i].loops);
    operands[i] = values[i].value;
  }
  for (unsigned i = 0; i < tile->num_dims; i++)
    if (ir_loop_is_reduction(ir_structure_of(tile->op), tile->loops[i]))
      reductions |= ir_bit(i);
  return vectorize_contract(state->builder, operands, maps, reductions);
}

/* The new accumulator of output `out`, once the body has run. */
static ir_value *yielded(const body_state *state, unsigned out, tile_value accumulator) {
  const vector_tile *tile = state->tile;
  const ir_structure *structure = ir_structure_of(tile->op);
  if (vector_loops(tile) & structure->reductions & ~accumulator.loops)
    return reduce_term(state, out, accumulator);
  tile_value value = vectorize_value_of(state, ir_operand(ir_block_terminator(state->body), out));
  ir_value *result = broadcast(state->builder, tile, value, accumulator.loops);
  if (tile->partial & tile->masked & ~vectorize_operand_loops(&tile->operands[ir_num_inputs(tile->op) + out]))
    result = select_masked(state->builder, tile, accumulator.loops, result, accumulator.value);
  return result;
}

void vectorize_body(ir_builder *builder, const vector_tile *tile, ir_value **accumulators) {
  ir_op *op = tile->op;
  ir_block *body = ir_region(op, 0);
  ir_arena *arena = &op->module->arena;
  body_state state = {.builder = builder,
                      .tile = tile,
                      .body = body,
                      .scalars = ir_value_map_create(op->module),
                      .values = IR_NEW_ARRAY(arena, tile_value, number_values(body))};
  unsigned num_inputs = ir_num_inputs(op), num_outs = ir_num_inits(op);
  tile_value *old = IR_NEW_ARRAY(arena, tile_value, num_outs);
  for (unsigned i = 0; i < num_inputs; i++) {
    uint32_t loops = vectorize_operand_loops(&tile->operands[i]) & vector_loops(tile);
    if (body->args[i]->uses)
      set_value(&state, body->args[i], (tile_value){vectorize_input(builder, tile, i), loops});
  }
  for (unsigned out = 0; out < num_outs; out++) {
    old[out] = (tile_value){accumulators[out], accumulator_loops(tile, out)};
    set_value(&state, body->args[num_inputs + out], old[out]);
  }
  const ir_op *product = contraction_product(tile), *sum = product ? ir_result(product, 0)->uses->user : NULL;
  for (const ir_op *inner = body->first; inner != ir_block_terminator(body); inner = inner->next)
    if (inner != product && inner != sum)
      run_body_op(&state, inner);
  for (unsigned out = 0; out < num_outs; out++)
    accumulators[out] = product ? contract(&state, product, old[out]) : yielded(&state, out, old[out]);
}

/* Output `out` lacks the loops whose lanes its accumulator keeps. */
static bool keeps_partial_lanes(const vector_tile *tile, unsigned out) {
  return tile->partial & ~vectorize_operand_loops(&tile->operands[ir_num_inputs(tile->op) + out]);
}

ir_value *vectorize_begin(ir_builder *builder, const vector_tile *tile, unsigned out) {
  unsigned operand = ir_num_inputs(tile->op) + out;
  if (!keeps_partial_lanes(tile, out)) {
    ir_value *old = vectorize_read(builder, tile, operand);
    return is_apart(tile, operand) ? vectorize_put_apart(builder, old, old->type->element) : old;
  }
  ir_value *term;
  ir_op *combine = combining_op(tile->op, out, &term);
  ir_scalar element = term->type->element;
  return ir_splat(builder, vectorize_type(tile, element, accumulator_loops(tile, out)),
                  vectorize_neutral(combine->code, element));
}

ir_value *vectorize_end(ir_builder *builder, const vector_tile *tile, unsigned out, ir_value *accumulator) {
  unsigned operand = ir_num_inputs(tile->op) + out;
  if (keeps_partial_lanes(tile, out)) {
    ir_value *term;
    ir_op *combine = combining_op(tile->op, out, &term);
    uint32_t loops = accumulator_loops(tile, out);
    tile_value old = {vectorize_read(builder, tile, operand), loops & ~tile->partial};
    return reduce(builder, tile, combine, (tile_value){accumulator, loops}, old);
  }
  return is_apart(tile, operand) ? vectorize_put_together(builder, accumulator) : accumulator;
}
