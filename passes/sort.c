/* sort.c - torch-mlir's sorts, in two ways.
 *
 * A short row, as that of the few experts of a router: for each element those of its row that go before it are counted,
 * and each element of the result is a sum in which only the one that belongs there counts. That takes no loop, but the
 * square of the row's length in steps; so do all rows on GPUs, which have no loops around kernels.
 *
 * A long row of a host's goes through a sorting network (K. E. Batcher, "Sorting networks and their applications",
 * 1968; the form in which each exchange puts the first of two elements in front). In round p runs of 2^p elements,
 * sorted, become runs of twice that: step 0 exchanges elements as far from the middle of the new run, step q those 2^p
 * / 2^q apart. What would be exchanged with an element behind the row stays, as if the row went on with elements that
 * belong last. Elements that compare are carried, and where each was, which keeps equal ones in order, and tells at the
 * end where the elements of all other tensors go.
 * Terminates: no loop here; those in the program count rounds and steps. */
#include "passes/torch.h"

#include "ir/torch.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/recast.h"
#include "passes/tile_policy.h"
#include "passes/vectorize.h"

enum {
  MOST_COUNTED = 192, /* elements of a row: more go through a network */
  MOST_ROUNDS = 30,   /* what follows them, as numbers of 32 bits, does not fit */
};

/* Two elements of a row of each out that compares, in the body of a generic: the one that is placed, and one that it is
 * compared with; and what it is told by. */
typedef struct comparison {
  const ir_op *op;
  ir_builder *body;
  ir_value *const *own, *const *others;
} comparison;

/* The body's answer for an element of `first`, and one of `second`. */
static ir_value *ask(const comparison *c, ir_value *const *first, ir_value *const *second) {
  const ir_block *block = ir_region(c->op, 0);
  ir_value_map *map = ir_value_map_create(c->op->module);
  for (unsigned i = 0; i < c->op->num_operands; i++)
    if (ir_sort_compares(c->op, i)) {
      ir_value_map_set(map, block->args[2 * i], first[i]);
      ir_value_map_set(map, block->args[2 * i + 1], second[i]);
    }
  recast_clone_body(block, c->body, map, 0, NULL);
  return ir_value_map_get(map, ir_operand(block->last, 0));
}

/* One of the elements that the body compares is NaN; NULL: none can be. */
static ir_value *has_nan(const comparison *c, ir_value *const *elements) {
  ir_value *found = NULL;
  for (unsigned i = 0; i < c->op->num_operands; i++) {
    if (!ir_sort_compares(c->op, i) || !ir_scalar_is_float(elements[i]->type->element))
      continue;
    ir_value *is_nan = ir_compare(c->body, OP_ARITH_CMPF, IR_UNORDERED_NOT_EQUAL, elements[i], elements[i]);
    found = found ? ir_binary(c->body, OP_ARITH_ORI, found, is_nan) : is_nan;
  }
  return found;
}

/* The other element goes before the own one: the body says so, and not the same of the reverse; or it says that of
 * neither or both, and the other one is there first. NaN is where the sort puts it. */
static ir_value *goes_before(const comparison *c, ir_value *is_there_first) {
  ir_builder *body = c->body;
  ir_value *other_first = ask(c, c->others, c->own), *own_first = ask(c, c->own, c->others);
  ir_value *differ = ir_binary(body, OP_ARITH_XORI, other_first, own_first);
  ir_value *before = ir_select(body, differ, other_first, is_there_first);
  ir_value *other_nan = has_nan(c, c->others), *own_nan = has_nan(c, c->own);
  if (!other_nan)
    return before;
  ir_value *one_nan = ir_binary(body, OP_ARITH_XORI, other_nan, own_nan);
  ir_value *both_nan = ir_binary(body, OP_ARITH_ANDI, other_nan, own_nan);
  before = ir_select(body, both_nan, is_there_first, before);
  return ir_select(body, one_nan, ir_sort_puts_nan_first(c->op) ? other_nan : own_nan, before);
}

/* For each element the number of those in its row that go before it. */
static ir_value *count_before(ir_builder *builder, const ir_op *op, unsigned sorted) {
  ir_module *module = op->module;
  unsigned rank = ir_operand(op, 0)->type->rank, count = op->num_operands;
  ir_value **ins = IR_NEW_ARRAY(&module->arena, ir_value *, 2 * count);
  const ir_map **maps = IR_NEW_ARRAY(&module->arena, const ir_map *, 2 * count + 1);
  const ir_map *own = ir_map_select(module, rank + 1, rank, NULL), *others = torch_map_along(module, rank, sorted);
  for (unsigned i = 0; i < count; i++) {
    ins[i] = ins[count + i] = ir_operand(op, i);
    maps[i] = own;
    maps[count + i] = others;
  }
  maps[2 * count] = own;
  ir_value *out = ir_fill_const(builder, 0, pass_empty_like(builder, ins[0], IR_I32));
  ir_op *generic = ir_generic(builder, 2 * count, ins, 1, &out, maps, rank + 1, ir_bit(rank));
  ir_block *block = ir_region(generic, 0);
  ir_builder body = body_of(generic);
  comparison c = {op, &body, block->args, block->args + count};
  ir_value *place = ir_loop_index(&body, rank), *own_place = ir_loop_index(&body, sorted);
  ir_value *before = goes_before(&c, ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, own_place));
  ir_value *one = ir_const(&body, block->args[2 * count]->type, 1), *none = ir_const(&body, one->type, 0);
  ir_value *counted = ir_select(&body, before, one, none);
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_ADDI, block->args[2 * count], counted));
}

/* The elements of the tensor, each where its place says: sums in which all others count nothing. */
static ir_value *put_in_places(ir_builder *builder, ir_value *tensor, ir_value *places, unsigned sorted) {
  ir_module *module = builder->module;
  ir_scalar element = tensor->type->element;
  unsigned rank = tensor->type->rank;
  ir_opcode add = ir_scalar_is_float(element) ? OP_ARITH_ADDF : OP_ARITH_ADDI;
  ir_value *ins[] = {places, tensor}, *empty = pass_empty_like(builder, tensor, element);
  ir_cell neutral = vectorize_neutral(add, element);
  ir_value *out = ir_fill(builder, ir_splat(builder, ir_type_scalar(module, element), neutral), empty);
  const ir_map *read = torch_map_along(module, rank, sorted);
  const ir_map *maps[] = {read, read, ir_map_select(module, rank + 1, rank, NULL)};
  ir_op *generic = ir_generic(builder, 2, ins, 1, &out, maps, rank + 1, ir_bit(rank));
  ir_block *block = ir_region(generic, 0);
  ir_builder body = body_of(generic);
  ir_value *place = ir_unary(&body, OP_ARITH_INDEX_CAST, ir_loop_index(&body, sorted), block->args[0]->type);
  ir_value *is_own = ir_compare(&body, OP_ARITH_CMPI, IR_EQUAL, block->args[0], place);
  ir_value *taken = ir_select(&body, is_own, block->args[1], ir_splat(&body, block->args[1]->type, neutral));
  return body_finish(&body, generic, ir_binary(&body, add, block->args[2], taken));
}

static void sort_by_counts(ir_op *op, unsigned sorted) {
  ir_builder builder = ir_builder_before(op);
  ir_value *places = count_before(&builder, op, sorted);
  for (unsigned i = 0; i < op->num_results; i++)
    ir_replace_uses(ir_result(op, i), put_in_places(&builder, ir_operand(op, i), places, sorted));
}

/* --------------------------------------------------------------------------------------------------------- networks */

/* What the steps of a network carry: tensors in the order of `operands`, those that compare, of the sort, and where
 * their elements were, whose number is one behind the sort's operands. */
typedef struct network {
  const ir_op *op;
  unsigned sorted, count, *operands;
  ir_value *length; /* of a row, in 32 bits */
} network;

static ir_value *index_as_i32(ir_builder *builder, ir_value *index) {
  return ir_unary(builder, OP_ARITH_INDEX_CAST, index, ir_type_scalar(builder->module, IR_I32));
}

/* In the body of a generic: the tensor's element at the loops' subscripts, but for that one along dim `sorted`. */
static ir_value *read_at(ir_builder *body, ir_value *tensor, unsigned sorted, ir_value *place) {
  unsigned rank = tensor->type->rank;
  const ir_expr *subscripts[IR_MAX_RANK];
  ir_index dims[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++) {
    subscripts[dim] = ir_expr_dim(body->module, dim);
    dims[dim] = (ir_index){.value = dim == sorted ? place : ir_loop_index(body, dim)};
  }
  return ir_extract_at(body, tensor, subscripts, rank, dims);
}

/* A generic without body that makes each element of new tensors of that in its place of the carried ones, whose shapes
 * they are seen to have. */
static ir_op *by_element(ir_builder *builder, const network *n, ir_value *const *carried) {
  ir_module *module = builder->module;
  unsigned rank = carried[0]->type->rank;
  const ir_map **maps = IR_NEW_ARRAY(&module->arena, const ir_map *, 2 * n->count);
  for (unsigned i = 0; i < 2 * n->count; i++)
    maps[i] = ir_map_identity(module, rank);
  return ir_generic(builder, n->count, carried, n->count, carried, maps, rank, 0);
}

/* Elements whose places differ by the bits of `mask` are put in order, the first one in front. */
static ir_op *exchange(ir_builder *builder, const network *n, ir_value *const *carried, ir_value *mask) {
  ir_op *generic = by_element(builder, n, carried);
  ir_arena *arena = &builder->module->arena;
  unsigned where = n->op->num_operands;
  ir_value **own = IR_NEW_ARRAY(arena, ir_value *, where + 1), **others = IR_NEW_ARRAY(arena, ir_value *, where + 1);
  ir_value **next = IR_NEW_ARRAY(arena, ir_value *, n->count);
  ir_builder body = body_of(generic);
  ir_value *place = index_as_i32(&body, ir_loop_index(&body, n->sorted));
  ir_value *partner = ir_binary(&body, OP_ARITH_XORI, place, mask);
  ir_value *exists = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, partner, n->length);
  partner = ir_select(&body, exists, partner, place);
  ir_value *at = ir_unary(&body, OP_ARITH_INDEX_CAST, partner, ir_type_scalar(builder->module, IR_INDEX));
  for (unsigned k = 0; k < n->count; k++) {
    own[n->operands[k]] = body_argument(generic, k);
    others[n->operands[k]] = read_at(&body, carried[k], n->sorted, at);
  }
  comparison c = {n->op, &body, own, others};
  ir_value *is_front = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, partner);
  ir_value *before = goes_before(&c, ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, others[where], own[where]));
  ir_value *stays = ir_binary(&body, OP_ARITH_XORI, before, is_front);
  for (unsigned k = 0; k < n->count; k++)
    next[k] = ir_select(&body, stays, own[n->operands[k]], others[n->operands[k]]);
  ir_terminator(&body, OP_LINALG_YIELD, n->count, next);
  return generic;
}

/* Ends the body of a loop whose iterations hand on the results of `op`. */
static void carry_on(ir_builder *body, const network *n, ir_op *op) {
  ir_value **results = IR_NEW_ARRAY(&body->module->arena, ir_value *, n->count);
  for (unsigned k = 0; k < n->count; k++)
    results[k] = ir_result(op, k);
  ir_terminator(body, OP_SCF_YIELD, n->count, results);
}

/* All steps of round `number`, of runs of 2^number elements; none where one run has the whole row. */
static ir_op *merge_runs(ir_builder *builder, const network *n, ir_value *number, ir_value *const *carried) {
  ir_value *one = ir_const_index(builder, 1), *none = ir_const_index(builder, 0);
  ir_value *run = ir_binary(builder, OP_ARITH_SHLI, one, number);
  ir_value *has_two = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, index_as_i32(builder, run), n->length);
  ir_value *steps = ir_select(builder, has_two, ir_binary(builder, OP_ARITH_ADDI, number, one), none);
  ir_value *all_bits = ir_binary(builder, OP_ARITH_SUBI, ir_binary(builder, OP_ARITH_ADDI, run, run), one);
  ir_op *loop = ir_for(builder, ir_index_const(0), ir_index_of(steps), ir_index_const(1), n->count, carried);
  ir_block *block = ir_region(loop, 0);
  ir_builder body = ir_builder_at_end(block);
  ir_value *is_first = ir_compare(&body, OP_ARITH_CMPI, IR_EQUAL, block->args[0], none);
  ir_value *one_bit = ir_binary(&body, OP_ARITH_SHRUI, run, block->args[0]);
  ir_value *mask = index_as_i32(&body, ir_select(&body, is_first, all_bits, one_bit));
  carry_on(&body, n, exchange(&body, n, block->args + 1, mask));
  return loop;
}

/* The elements of the tensor that were where `places` says. */
static ir_value *take_from(ir_builder *builder, ir_value *tensor, ir_value *places, unsigned sorted) {
  ir_op *generic = body_by_element(builder, 1, &places, pass_empty_like(builder, tensor, tensor->type->element));
  ir_builder body = body_of(generic);
  const ir_type *index = ir_type_scalar(builder->module, IR_INDEX);
  ir_value *place = ir_unary(&body, OP_ARITH_INDEX_CAST, body_argument(generic, 0), index);
  return body_finish(&body, generic, read_at(&body, tensor, sorted, place));
}

/* Each element's place in its row. */
static ir_value *number_places(ir_builder *builder, ir_value *like, unsigned sorted) {
  ir_op *generic = body_by_element(builder, 0, NULL, pass_empty_like(builder, like, IR_I32));
  ir_builder body = body_of(generic);
  return body_finish(&body, generic, index_as_i32(&body, ir_loop_index(&body, sorted)));
}

static void sort_by_network(ir_op *op, unsigned sorted) {
  ir_builder builder = ir_builder_before(op);
  ir_arena *arena = &op->module->arena;
  unsigned count = 0, *operands = IR_NEW_ARRAY(arena, unsigned, op->num_operands + 1);
  ir_value **carried = IR_NEW_ARRAY(arena, ir_value *, op->num_operands + 1);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_sort_compares(op, i)) {
      carried[count] = ir_operand(op, i);
      operands[count++] = i;
    }
  carried[count] = number_places(&builder, ir_operand(op, 0), sorted);
  operands[count++] = op->num_operands;
  ir_index length = ir_dim(&builder, ir_operand(op, 0), sorted);
  network n = {op, sorted, count, operands, index_as_i32(&builder, ir_index_value(&builder, length))};
  ir_op *loop = ir_for(&builder, ir_index_const(0), ir_index_const(MOST_ROUNDS), ir_index_const(1), count, carried);
  ir_block *block = ir_region(loop, 0);
  ir_builder body = ir_builder_at_end(block);
  carry_on(&body, &n, merge_runs(&body, &n, block->args[0], block->args + 1));
  for (unsigned k = 0; k + 1 < count; k++)
    ir_replace_uses(ir_result(op, operands[k]), ir_result(loop, k));
  for (unsigned i = 0; i < op->num_results; i++)
    if (!ir_sort_compares(op, i))
      ir_replace_uses(ir_result(op, i), take_from(&builder, ir_operand(op, i), ir_result(loop, count - 1), sorted));
}

void torch_decompose_sort(ir_op *op, bool on_gpu) {
  unsigned sorted = (unsigned)ir_attr_int_or(op, "dimension", 0);
  int64_t length = ir_operand(op, 0)->type->shape[sorted];
  if (on_gpu || (length != IR_DYNAMIC && length <= MOST_COUNTED))
    sort_by_counts(op, sorted);
  else
    sort_by_network(op, sorted);
  ir_op_erase(op);
}
