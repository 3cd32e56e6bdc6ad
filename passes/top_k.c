/* top_k.c - sorts of rows of which only the first few elements are used, as torch's topk is exported, on hosts.
 *
 * The last element that is taken is the one whose key (sort_key.c) is the largest that so many others of the row have,
 * or go before. It is found bit by bit, from the highest on: a bit is in it if enough keys are as large as what has
 * been found and that bit. Then the places of all with larger keys, and of as many with that one as are missing, are
 * listed in their order, by a loop that goes over blocks of keys and looks into those that have some. What these places
 * have is sorted as the whole row would have been, equal elements in the order of their places. So a row is read some
 * 33 times in the first-level cache, by a few instructions each, where sorting it takes log^2 steps.
 *
 * Each row is an iteration of a parallel loop. Keys behind the row's end, which fill the last block, are the last of
 * all, and behind those that are as large: none is ever taken, as rows have at least as many elements as are used.
 * Terminates: loops over operands and their uses; those in the program count bits and keys. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/row_blocks.h"
#include "passes/sort.h"

enum { BLOCK = 64 };

typedef struct top_k {
  ir_op *op;
  ir_sort_order order;
  unsigned sorted;         /* dim */
  int64_t count;           /* of elements that are taken */
  const ir_type *key;      /* a scalar */
  ir_index length, padded; /* of a row; and whole blocks */
} top_k;

/* The number of elements, from the first of each row, that the slice has of them; 0: that many are not known. */
static int64_t first_in_slice(const ir_op *user, unsigned sorted) {
  if (user->code != OP_TENSOR_EXTRACT_SLICE)
    return 0;
  ir_slice slice = ir_slice_of(user);
  if (slice.offsets[sorted].value || slice.sizes[sorted].value || slice.strides[sorted].value)
    return 0;
  int64_t last = (slice.sizes[sorted].constant - 1) * slice.strides[sorted].constant;
  return slice.sizes[sorted].constant ? slice.offsets[sorted].constant + last + 1 : 0;
}

/* All that is used of the results is slices of the first elements; *count: of so many. Rows of an open extent have as
 * many where all the slices run with the sort. */
static bool find_count(const ir_op *op, unsigned sorted, int64_t *count) {
  bool is_open = ir_operand(op, 0)->type->shape[sorted] == IR_DYNAMIC;
  *count = 0;
  for (unsigned i = 0; i < op->num_results; i++)
    for (const ir_use *use = ir_result(op, i)->uses; use; use = use->next) {
      int64_t taken = first_in_slice(use->user, sorted);
      if (!taken || (is_open && use->user->block != op->block))
        return false;
      *count = taken > *count ? taken : *count;
    }
  return *count > 0;
}

/* The keys of the row, and behind them the last key up to the end of a block. */
static ir_value *keys_of_row(ir_builder *builder, const top_k *t, const ir_index *offsets, const ir_index *sizes) {
  ir_value *tensor = ir_operand(t->op, t->order.out);
  int64_t length = ir_index_static(t->length);
  ir_value *row =
      ir_extract_slice(builder, tensor, offsets, sizes, ir_type_with_shape(builder->module, tensor->type, 1, &length));
  ir_op *generic = body_by_element(builder, 1, &row, ir_empty(builder, t->key->element, 1, &t->length));
  ir_builder body = body_of(generic);
  ir_value *keys = body_finish(&body, generic, sort_key(&body, body_argument(generic, 0), &t->order));
  if (ir_index_equal(t->length, t->padded))
    return keys;
  ir_value *last = ir_splat(builder, t->key, sort_key_last(t->key->element));
  ir_value *padded = ir_fill(builder, last, ir_empty(builder, t->key->element, 1, &t->padded));
  ir_index start = ir_index_const(0);
  return ir_insert_slice(builder, keys, padded, &start, &t->length);
}

/* How many keys compare so with the bound. */
static ir_value *count_keys(ir_builder *builder, ir_value *keys, ir_predicate predicate, ir_value *bound) {
  ir_module *module = builder->module;
  ir_value *none = ir_fill_const(builder, 0, ir_empty(builder, IR_I32, 0, NULL));
  const ir_map *maps[] = {ir_map_identity(module, 1), ir_map_select(module, 1, 0, NULL)};
  ir_op *generic = ir_generic(builder, 1, &keys, 1, &none, maps, 1, ir_bit(0));
  ir_builder body = body_of(generic);
  ir_value *compared = ir_compare(&body, OP_ARITH_CMPI, predicate, body_argument(generic, 0), bound);
  ir_value *counted = ir_unary(&body, OP_ARITH_EXTUI, compared, body_argument(generic, 1)->type);
  ir_value *count = body_finish(&body, generic, ir_binary(&body, OP_ARITH_ADDI, body_argument(generic, 1), counted));
  return ir_create(builder, OP_TENSOR_EXTRACT, NULL, 1, &count, 0, NULL);
}

/* The key of the last element that is taken: the largest that at least so many are as large as. */
static ir_value *find_bound(ir_builder *builder, const top_k *t, ir_value *keys) {
  ir_value *lowest = ir_splat(builder, t->key, sort_key_last(t->key->element)); /* its sign is the highest bit */
  ir_index num_bits = ir_index_const(ir_scalar_bits(t->key->element));
  ir_op *loop = ir_for(builder, ir_index_const(0), num_bits, ir_index_const(1), 1, &lowest);
  ir_block *block = ir_region(loop, 0);
  ir_builder body = ir_builder_at_end(block);
  ir_value *at = ir_unary(&body, OP_ARITH_INDEX_CAST, block->args[0], t->key);
  ir_value *bit = ir_binary(&body, OP_ARITH_SHRUI, lowest, at), *found = block->args[1];
  ir_value *with_bit = ir_binary(&body, OP_ARITH_XORI, found, bit);
  ir_value *count = count_keys(&body, keys, IR_SIGNED_GREATER_EQUAL, with_bit);
  ir_value *wanted = ir_const(&body, count->type, (double)t->count);
  ir_value *enough = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_GREATER_EQUAL, count, wanted);
  ir_value *next = ir_select(&body, enough, with_bit, found);
  ir_terminator(&body, OP_SCF_YIELD, 1, &next);
  return ir_result(loop, 0);
}

/* What the list of places is made with. */
enum { LISTED, NEXT, MISSING, NUM_CARRIED }; /* the places; the number of them; how many with the bound's key count */

/* Lists the place, number `at`, if its key is taken: it is written anyhow, where the next one goes. */
static void list_place(ir_builder *builder, ir_value *keys, ir_value *bound, ir_value *at, ir_value **carried) {
  const ir_type *i32 = ir_type_scalar(builder->module, IR_I32), *index = ir_type_scalar(builder->module, IR_INDEX);
  ir_value *key = ir_create(builder, OP_TENSOR_EXTRACT, NULL, 2, (ir_value *[]){keys, at}, 0, NULL);
  ir_value *larger = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_GREATER, key, bound);
  ir_value *equal = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, key, bound);
  ir_value *none = ir_const(builder, i32, 0);
  ir_value *counts = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_GREATER, carried[MISSING], none);
  equal = ir_binary(builder, OP_ARITH_ANDI, equal, counts);
  ir_value *taken = ir_binary(builder, OP_ARITH_ORI, larger, equal);
  ir_value *next = ir_unary(builder, OP_ARITH_INDEX_CAST, carried[NEXT], index);
  ir_value *place = ir_unary(builder, OP_ARITH_INDEX_CAST, at, i32);
  carried[LISTED] =
      ir_create(builder, OP_TENSOR_INSERT, NULL, 3, (ir_value *[]){place, carried[LISTED], next}, 0, NULL);
  taken = ir_unary(builder, OP_ARITH_EXTUI, taken, i32);
  equal = ir_unary(builder, OP_ARITH_EXTUI, equal, i32);
  carried[NEXT] = ir_binary(builder, OP_ARITH_ADDI, carried[NEXT], taken);
  carried[MISSING] = ir_binary(builder, OP_ARITH_SUBI, carried[MISSING], equal);
}

/* In the order of the row, one after the other, so that the tensor has one element more: who is not taken, behind
 * the last one that is, is written there. */
static ir_value *list_places(ir_builder *builder, const top_k *t, ir_value *keys, ir_value *bound) {
  const ir_type *i32 = ir_type_scalar(builder->module, IR_I32);
  ir_index room = ir_index_const(t->count + 1), start = ir_index_const(0), block = ir_index_const(BLOCK);
  ir_value *larger = count_keys(builder, keys, IR_SIGNED_GREATER, bound);
  ir_value *missing = ir_binary(builder, OP_ARITH_SUBI, ir_const(builder, i32, (double)t->count), larger);
  ir_value *carried[NUM_CARRIED] = {ir_empty(builder, IR_I32, 1, &room), ir_const(builder, i32, 0), missing};
  ir_op *blocks = ir_for(builder, start, t->padded, block, NUM_CARRIED, carried);
  ir_value **args = ir_region(blocks, 0)->args;
  ir_builder body = ir_builder_at_end(ir_region(blocks, 0));
  ir_index from = {.value = args[0]};
  ir_value *some =
      count_keys(&body, ir_extract_slice(&body, keys, &from, &block, NULL), IR_SIGNED_GREATER_EQUAL, bound);
  some = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_GREATER, some, ir_const(&body, i32, 0));
  ir_value *end = ir_index_value(&body, ir_index_add(&body, from, block));
  ir_index to = {.value = ir_select(&body, some, end, from.value)};
  ir_op *loop = ir_for(&body, from, to, ir_index_const(1), NUM_CARRIED, args + 1);
  ir_value **inner = ir_region(loop, 0)->args;
  ir_builder inside = ir_builder_at_end(ir_region(loop, 0));
  for (unsigned i = 0; i < NUM_CARRIED; i++)
    carried[i] = inner[1 + i];
  list_place(&inside, keys, bound, inner[0], carried);
  ir_terminator(&inside, OP_SCF_YIELD, NUM_CARRIED, carried);
  for (unsigned i = 0; i < NUM_CARRIED; i++)
    carried[i] = ir_result(loop, i);
  ir_terminator(&body, OP_SCF_YIELD, NUM_CARRIED, carried);
  ir_index count = ir_index_const(t->count);
  return ir_extract_slice(builder, ir_result(blocks, LISTED), &start, &count, NULL);
}

/* The places of the elements that are taken of each row, in their order. */
static ir_value *select_places(ir_builder *builder, const top_k *t) {
  ir_value *tensor = ir_operand(t->op, t->order.out);
  unsigned rank = tensor->type->rank;
  ir_index shape[IR_MAX_RANK];
  int64_t steps[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++) {
    shape[dim] = dim == t->sorted ? ir_index_const(t->count) : ir_dim(builder, tensor, dim);
    steps[dim] = 1;
  }
  ir_value *places = ir_empty(builder, IR_I32, rank, shape);
  ir_builder body;
  row_blocks rows = row_blocks_create(builder, tensor, t->sorted, steps, 1, &places, &body);
  ir_value *keys = keys_of_row(&body, t, rows.offsets, rows.sizes);
  ir_value *listed = list_places(&body, t, keys, find_bound(&body, t, keys));
  rows.sizes[t->sorted] = shape[t->sorted];
  ir_builder inserts = ir_in_parallel(&body);
  ir_parallel_insert_slice(&inserts, listed, rows.outs[0], rows.offsets, rows.sizes);
  return ir_result(rows.forall, 0);
}

/* The sort of what is at those places; the slices are taken of it. */
static ir_op *sort_taken(ir_builder *builder, const top_k *t, ir_value *places) {
  ir_op *op = t->op;
  ir_arena *arena = &op->module->arena;
  ir_value **taken = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++) {
    taken[i] = sort_take_from(builder, ir_operand(op, i), places, t->sorted);
    types[i] = taken[i]->type;
  }
  ir_op_spec spec = ir_op_spec_of(op, taken, types);
  ir_op *fresh = ir_op_create(builder, op->code, &spec);
  ir_clone_regions(op, fresh, ir_value_map_create(op->module));
  for (unsigned i = 0; i < op->num_results; i++)
    ir_replace_uses(ir_result(op, i), ir_result(fresh, i));
  return fresh;
}

ir_op *sort_first(ir_op *op) {
  top_k t = {.op = op, .sorted = (unsigned)ir_attr_int_or(op, "dimension", 0)};
  if (!find_count(op, t.sorted, &t.count) || !ir_sort_order_of(op, &t.order))
    return NULL;
  const ir_type *type = ir_operand(op, t.order.out)->type;
  if (type->shape[t.sorted] != IR_DYNAMIC && type->shape[t.sorted] < 2 * t.count)
    return NULL;
  ir_builder builder = ir_builder_before(op);
  t.key = ir_type_scalar(op->module, sort_key_type(type->element));
  t.length = ir_dim(&builder, ir_operand(op, 0), t.sorted);
  t.padded = ir_index_scale(&builder, ir_index_ceildiv(&builder, t.length, BLOCK), BLOCK);
  return sort_taken(&builder, &t, select_places(&builder, &t));
}
