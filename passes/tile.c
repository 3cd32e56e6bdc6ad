/* tile.c - tiles of structured ops, by their loops and indexing maps, and of the ops with a hook.
 *
 * Invariants: tiling never changes the op that it reads. The tile of a structured op is a clone on slices; as the clone
 * counts its loops from 0 again, every subscript is taken relative to the tile's first element, and linalg.index in the
 * body gets the tile's offset added.
 * Termination: every loop here runs over operands, loops, dims or body ops once. */
#include "passes/tile.h"

#include "passes/recast.h"
#include "passes/body.h"

#define IR(...)
#define EMIT(...)
#define PASS(...) __VA_ARGS__
#define OP(ID, NAME, ROW) [OP_##ID] = {.tile = NULL, ROW},
static const pass_op_info table[IR_NUM_OPCODES] = {
#include "ir/op.def"
};
#undef OP
#undef PASS
#undef EMIT
#undef IR

const pass_op_info *pass_op_info_of(ir_opcode code) { return &table[code]; }

bool tile_can(const ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED))
    return pass_op_info_of(op->code)->tile && op->num_results == 1 && ir_result(op, 0)->type->kind == IR_TYPE_TENSOR;
  return op->num_results && op->num_results == ir_num_inits(op);
}

bool tile_only_moves(const ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED))
    return true;
  if (!body_is_elementwise(op) || op->num_results != 1)
    return false;
  const ir_value *value = body_unconverted(ir_yielded(op, 0));
  return !value->op || ir_op_has(value->op, IR_CONSTANT);
}

/* How a value of a body depends on one of the body's arguments. */
enum { NOT_AT_ALL, LINEARLY, SOMEHOW };

static uint32_t dependence(const ir_value *value, const ir_value *argument) {
  if (value == argument)
    return LINEARLY;
  return value->op && value->op->block == argument->block ? value->op->mark : NOT_AT_ALL;
}

/* Both values are linear, or 0, which is linear in anything. */
static bool are_linear(const ir_value *a, const ir_value *b, const ir_value *argument) {
  const ir_value *const values[] = {a, b};
  for (unsigned i = 0; i < 2; i++)
    if (!ir_value_is_zero(values[i]) && dependence(values[i], argument) != LINEARLY)
      return false;
  return true;
}

static uint32_t dependence_of_op(const ir_op *op, const ir_value *argument) {
  uint32_t seen = NOT_AT_ALL, first;
  for (unsigned i = 0; i < op->num_operands; i++)
    seen |= dependence(ir_operand(op, i), argument);
  if (op->num_regions || seen == NOT_AT_ALL)
    return op->num_regions ? SOMEHOW : NOT_AT_ALL;
  first = dependence(ir_operand(op, 0), argument);
  switch (op->code) {
  case OP_ARITH_EXTF:
  case OP_ARITH_TRUNCF:
  case OP_ARITH_NEGF:
    return first;
  case OP_ARITH_MULF:
    return first + dependence(ir_operand(op, 1), argument) == LINEARLY ? LINEARLY : SOMEHOW;
  case OP_ARITH_DIVF:
    return dependence(ir_operand(op, 1), argument) == NOT_AT_ALL ? first : SOMEHOW;
  case OP_ARITH_ADDF:
  case OP_ARITH_SUBF:
    return are_linear(ir_operand(op, 0), ir_operand(op, 1), argument) ? LINEARLY : SOMEHOW;
  case OP_ARITH_SELECT:
    return first == NOT_AT_ALL && are_linear(ir_operand(op, 1), ir_operand(op, 2), argument) ? LINEARLY : SOMEHOW;
  default:
    return SOMEHOW;
  }
}

bool tile_is_linear_in(const ir_op *op, unsigned input) {
  if (!body_is_elementwise(op) || op->num_results != 1 || input >= ir_num_inputs(op) ||
      !ir_map_is_identity(ir_structure_of(op)->maps[input]) || !ir_map_is_identity(ir_init_map(op, 0)) ||
      ir_body_reads_init(op, 0))
    return false;
  const ir_block *body = ir_region(op, 0);
  for (ir_op *inner = body->first; inner != body->last; inner = inner->next)
    inner->mark = dependence_of_op(inner, body->args[input]);
  return dependence(ir_operand(body->last, 0), body->args[input]) == LINEARLY;
}

unsigned tile_num_readers(const ir_value *value) {
  unsigned count = 0;
  for (const ir_use *use = value->uses; use; use = use->next)
    count += use->user->code != OP_TENSOR_DIM && use->user->code != OP_MEMREF_DIM;
  return count;
}

bool tile_only_products_read(const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next)
    if (use->user->code != OP_TENSOR_DIM && !ir_is_contraction(use->user))
      return false;
  return true;
}

const ir_op *tile_find_source(const ir_value *value, bool (*is_source)(const ir_op *op)) {
  while (value->op && !is_source(value->op)) {
    const ir_op *op = value->op;
    unsigned input = 0, num_inputs = ir_op_has(op, IR_STRUCTURED) ? ir_num_inputs(op) : 0;
    while (input < num_inputs && !tile_is_linear_in(op, input))
      input++;
    if (input == num_inputs)
      return NULL;
    value = ir_input(op, input);
  }
  return value->index ? NULL : value->op;
}

static bool is_running(const ir_op *op) { return pass_op_info_of(op->code)->states; }

const ir_op *tile_find_running(const ir_value *value) { return tile_find_source(value, is_running); }

int tile_running_operand(const ir_op *contraction) {
  for (int i = 0; i < 2; i++)
    if (tile_find_running(ir_operand(contraction, (unsigned)i)))
      return i;
  return -1;
}

bool tile_is_cheap(const ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED))
    return pass_op_info_of(op->code)->cheap;
  return body_reads_scalars_only(op) && tile_only_moves(op);
}

/* ----------------------------------------------------------------------------------------------------------- boxes */

void tile_whole(ir_builder *builder, ir_value *value, tile_box *box) {
  box->rank = ir_type_is_shaped(value->type) ? value->type->rank : 0;
  for (unsigned dim = 0; dim < box->rank; dim++) {
    box->offsets[dim] = ir_index_const(0);
    box->sizes[dim] = pass_dim(builder, value, dim);
  }
}

void tile_domain(ir_builder *builder, ir_op *op, tile_box *domain) {
  if (!ir_op_has(op, IR_STRUCTURED)) {
    tile_whole(builder, ir_result(op, 0), domain);
    return;
  }
  domain->rank = ir_structure_of(op)->num_loops;
  for (unsigned loop = 0; loop < domain->rank; loop++) {
    int64_t extent = ir_loop_size(op, loop);
    domain->offsets[loop] = ir_index_const(0);
    domain->sizes[loop] =
        extent == IR_DYNAMIC ? extent_compute(builder, extent_of_loop(op, loop)) : ir_index_const(extent);
  }
}

/* ----------------------------------------------------------------------------------------------- boxes through maps */

bool tile_from_result(const ir_op *op, unsigned result, const tile_box *box, const tile_box *domain, tile_box *tile) {
  if (!ir_op_has(op, IR_STRUCTURED)) {
    *tile = *box;
    return true;
  }
  const ir_map *map = ir_init_map(op, result);
  *tile = *domain;
  if (!ir_map_is_projected_permutation(map))
    return false;
  for (unsigned i = 0; i < map->num_results; i++) {
    int loop = ir_map_result_dim(map, i);
    tile->offsets[loop] = box->offsets[i];
    tile->sizes[loop] = box->sizes[i];
  }
  return true;
}

/* Only sums of loops times non-negative constants, plus such a constant. */
static bool is_increasing(const ir_expr *expr) {
  switch (expr->kind) {
  case IR_EXPR_DIM:
    return true;
  case IR_EXPR_CONST:
    return expr->value >= 0;
  case IR_EXPR_ADD:
    return is_increasing(expr->lhs) && is_increasing(expr->rhs);
  case IR_EXPR_MUL:
    return is_increasing(expr->lhs) && expr->rhs->kind == IR_EXPR_CONST && expr->rhs->value >= 0;
  default:
    return false;
  }
}

static bool starts_at_zero(const ir_expr *expr, const tile_box *tile) {
  for (unsigned loop = 0; loop < tile->rank; loop++)
    if (ir_expr_uses_dim(expr, loop) && !ir_index_is_const(tile->offsets[loop], 0))
      return false;
  return true;
}

/* The least range that the subscript takes in the tile. The tile's clone evaluates the subscript from 0 on, its
 * constant part included: the range therefore starts where the rest of the subscript starts. */
static void subscript_range(ir_builder *builder, const ir_expr *expr, const tile_box *tile, ir_index *offset,
                            ir_index *size) {
  if (expr->kind == IR_EXPR_DIM) {
    *offset = tile->offsets[expr->value];
    *size = tile->sizes[expr->value];
    return;
  }
  ir_module *module = builder->module;
  const int64_t zeros[IR_MAX_LOOPS] = {0};
  const ir_expr *last[IR_MAX_LOOPS];
  for (unsigned loop = 0; loop < tile->rank; loop++)
    last[loop] = ir_expr_by(module, IR_EXPR_ADD, ir_expr_dim(module, loop), -1);
  const ir_expr *start = ir_expr_const(module, -ir_expr_eval(expr, tile->rank, zeros));
  *offset = ir_index_apply(builder, ir_expr_binary(module, IR_EXPR_ADD, expr, start), tile->rank, tile->offsets);
  *size = ir_index_apply(builder, ir_expr_by(module, IR_EXPR_ADD, ir_expr_replace(module, expr, last, NULL), 1),
                         tile->rank, tile->sizes);
  if (!size->value && size->constant < 0) /* of windows without places nothing is read */
    *size = ir_index_const(0);
}

/* The box of operand `i`; false where a subscript that is no increasing function is tiled. */
static bool operand_box(ir_builder *builder, const ir_op *op, unsigned i, const tile_box *tile, tile_box *box) {
  const ir_map *map = ir_structure_of(op)->maps[i];
  box->rank = map->num_results;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    const ir_expr *expr = map->results[dim];
    if (is_increasing(expr)) {
      subscript_range(builder, expr, tile, &box->offsets[dim], &box->sizes[dim]);
    } else if (starts_at_zero(expr, tile)) {
      box->offsets[dim] = ir_index_const(0);
      box->sizes[dim] = pass_dim(builder, ir_operand(op, i), dim);
    } else {
      return false;
    }
  }
  return true;
}

void tile_of_result(ir_builder *builder, const ir_op *op, unsigned result, const tile_box *tile, tile_box *box) {
  *box = *tile;
  if (ir_op_has(op, IR_STRUCTURED))
    operand_box(builder, op, ir_num_inputs(op) + result, tile, box);
}

/* ----------------------------------------------------------------------------------------------------------- clones */

static bool tile_structured(tile_builder *builder, ir_op *op, const tile_box *tile, ir_value **results) {
  ir_arena *arena = &op->module->arena;
  tile_box *boxes = IR_NEW_ARRAY(arena, tile_box, op->num_operands);
  uint32_t moved = body_indices(op); /* iterations do not begin with 0 any more */
  for (unsigned loop = 0; loop < tile->rank; loop++)
    moved &= ~(ir_index_is_const(tile->offsets[loop], 0) ? ir_bit(loop) : 0);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!operand_box(&builder->index, op, i, tile, &boxes[i]))
      return false;
  /* Named forms imply their body: one that needs another body becomes a generic. */
  bool rename = moved && op->code != OP_LINALG_GENERIC;
  recast generic;
  if (rename && !recast_begin(&generic, op))
    return false;
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = builder->slice(builder, op, i, &boxes[i]);
  builder->body.loc = op->loc;
  ir_op *clone = rename ? recast_create(&generic, &builder->body, NULL) : ir_op_clone(&builder->body, op, NULL);
  for (unsigned i = 0; i < op->num_operands; i++)
    ir_set_operand(clone, i, operands[i]);
  for (unsigned i = 0; i < op->num_results; i++) {
    results[i] = ir_result(clone, i);
    results[i]->type = ir_init(clone, i)->type;
  }
  for (unsigned loop = 0; loop < tile->rank; loop++)
    if (moved >> loop & 1)
      body_move_index(clone, loop, tile->offsets[loop]);
  return true;
}

bool tile_create(tile_builder *builder, ir_op *op, const tile_box *tile, ir_value **results) {
  builder->index.loc = op->loc;
  builder->body.loc = op->loc;
  if (ir_op_has(op, IR_STRUCTURED))
    return tile_structured(builder, op, tile, results);
  results[0] = pass_op_info_of(op->code)->tile(builder, op, tile);
  return results[0] != NULL;
}

/* --------------------------------------------------------------------------------------------------------- equality */

enum { MAX_STEPS = 64 }; /* values compared; more arithmetic counts as different, which is always safe */

static bool value_equal(const ir_value *a, const ir_value *b, unsigned *steps) {
  if (a == b)
    return true;
  const ir_op *x = a->op, *y = b->op;
  if (!x || !y || x->code != y->code || !ir_op_has(x, IR_PURE) || x->num_regions || !*steps || !--*steps ||
      a->index != b->index || x->num_operands != y->num_operands || x->num_attrs != y->num_attrs ||
      !ir_attrs_equal(x->num_attrs, x->attrs, y->attrs))
    return false;
  for (unsigned i = 0; i < x->num_operands; i++)
    if (!value_equal(ir_operand(x, i), ir_operand(y, i), steps))
      return false;
  return true;
}

bool tile_index_equal(ir_index a, ir_index b) {
  if (!a.value || !b.value)
    return ir_index_equal(a, b);
  unsigned steps = MAX_STEPS;
  return value_equal(a.value, b.value, &steps);
}

int64_t tile_index_factor(ir_index x, ir_index base) {
  if (!x.value || !base.value)
    return !x.value && !base.value && base.constant && x.constant % base.constant == 0 ? x.constant / base.constant : 0;
  if (tile_index_equal(x, base))
    return 1;
  const ir_op *op = ir_made_by(x.value, OP_AFFINE_APPLY);
  if (!op)
    return 0;
  const ir_expr *expr = ir_affine_map(op)->results[0];
  bool scaled = expr->kind == IR_EXPR_MUL && expr->lhs->kind == IR_EXPR_DIM && expr->rhs->kind == IR_EXPR_CONST;
  ir_index inner = scaled ? (ir_index){.value = ir_operand(op, (unsigned)expr->lhs->value)} : ir_index_const(0);
  return scaled && tile_index_equal(inner, base) ? expr->rhs->value : 0;
}

bool tile_is_whole(const tile_box *box, const tile_box *domain, unsigned dim) {
  return ir_index_is_const(box->offsets[dim], 0) && tile_index_equal(box->sizes[dim], domain->sizes[dim]);
}
