/* sort_network.c - sorts, on hosts, by a sorting network (K. E. Batcher, "Sorting networks and their
 * applications", 1968; the form in which each exchange puts the first of two elements in front).
 *
 * In round p runs of 2^p elements, sorted, become runs of twice that: step 0 exchanges elements as far from the middle
 * of the new run, step q those 2^p / 2^q apart. What would be exchanged with an element behind the row stays, as if the
 * row went on with elements that belong last. All lanes of a vector take the same steps, so that each is a few
 * instructions for whole vectors: lanes are rows, or, where these are few, parts of one row. Such parts, sorted, become
 * half as many of twice the length, until there is one; the last rounds fill no vector.
 *
 * What is exchanged: one integer, of the element's key (sort_key.c) and, below it, its place, which keeps equal
 * elements in order and at the end tells where the elements of all outs are; so the larger of two belongs in front.
 * Where keys take 64 bits, or the order is that of no single number, the elements that are compared are, and their
 * places. Each block of rows is an iteration of a parallel loop, in caches.
 * Terminates: loops over operands, and parts that get half as many; those in the program count rounds and steps. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/row_blocks.h"
#include "passes/sort.h"

enum {
  LANES = 16,      /* rows, or parts of one */
  MOST_ROUNDS = 30 /* what follows them, as numbers of 32 bits, does not fit */
};

typedef struct network {
  const ir_op *op;
  unsigned sorted;
  int rows; /* the dim whose rows are lanes; -1: parts of a row are, or there is one lane */
  int64_t lanes;
  bool packed;         /* integers are exchanged .. */
  ir_sort_order order; /* .. in this order */
  unsigned count;      /* of tensors that are carried: `length` x `lanes` elements */
  unsigned *operands;  /* those of the sort they have elements of; one behind the last: their places */
  ir_index row;        /* elements of a row */
  ir_index length;
  row_blocks blocks; /* one row along each dim but `rows` */
} network;

static ir_value *index_as_i32(ir_builder *builder, ir_value *index) {
  return ir_unary(builder, OP_ARITH_INDEX_CAST, index, ir_type_scalar(builder->module, IR_I32));
}

static ir_value *as_index(ir_builder *builder, ir_value *integer) {
  return ir_unary(builder, OP_ARITH_INDEX_CAST, integer, ir_type_scalar(builder->module, IR_INDEX));
}

/* In the body of a generic: the element of the tensor at those subscripts. */
static ir_value *read_at(ir_builder *body, ir_value *tensor, const ir_index *at) {
  unsigned rank = tensor->type->rank;
  const ir_expr *subscripts[IR_MAX_RANK];
  for (unsigned dim = 0; dim < rank; dim++)
    subscripts[dim] = ir_expr_dim(body->module, dim);
  return ir_extract_at(body, tensor, subscripts, rank, at);
}

ir_value *sort_take_from(ir_builder *builder, ir_value *tensor, ir_value *places, unsigned sorted) {
  ir_op *generic = body_by_element(builder, 1, &places, pass_empty_like(builder, places, tensor->type->element));
  ir_builder body = body_of(generic);
  ir_index at[IR_MAX_RANK];
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    at[dim] =
        (ir_index){.value = dim == sorted ? as_index(&body, body_argument(generic, 0)) : ir_loop_index(&body, dim)};
  return body_finish(&body, generic, read_at(&body, tensor, at));
}

/* ----------------------------------------------------------------------------------------------------- one exchange */

/* A generic without body that makes each element of what is carried of those in the same place of the inputs, in
 * `outs`; NULL: in new tensors of `length` x `lanes` elements. */
static ir_op *by_element(ir_builder *builder, const network *n, unsigned num_ins, ir_value *const *ins,
                         ir_value *const *outs) {
  ir_module *module = builder->module;
  ir_value **fresh = IR_NEW_ARRAY(&module->arena, ir_value *, n->count);
  const ir_map **maps = IR_NEW_ARRAY(&module->arena, const ir_map *, num_ins + n->count);
  for (unsigned i = 0; i < num_ins + n->count; i++)
    maps[i] = ir_map_identity(module, 2);
  for (unsigned k = 0; k < n->count && !outs; k++) {
    unsigned operand = n->operands[k];
    bool is_place = operand == n->op->num_operands;
    ir_scalar element = n->packed ? IR_I64 : is_place ? IR_I32 : ir_operand(n->op, operand)->type->element;
    fresh[k] = ir_empty(builder, element, 2, (ir_index[]){n->length, ir_index_const(n->lanes)});
  }
  return ir_generic(builder, num_ins, ins, n->count, outs ? outs : fresh, maps, 2, 0);
}

/* Of two packed integers the one that belongs in front, or behind the other. */
static ir_value *choose_packed(ir_builder *body, ir_value *is_front, ir_value *own, ir_value *other) {
  ir_value *larger = ir_binary(body, OP_ARITH_MAXSI, own, other);
  return ir_select(body, is_front, larger, ir_binary(body, OP_ARITH_MINSI, own, other));
}

/* Of two elements, each from all carried tensors, the one that belongs at the own place, into `own`. */
static void choose(ir_builder *body, const network *n, ir_value *is_front, ir_value **own, ir_value **others) {
  unsigned where = n->op->num_operands;
  if (n->packed) {
    own[where] = choose_packed(body, is_front, own[where], others[where]);
    return;
  }
  sort_comparison c = {n->op, body, own, others};
  ir_value *before = sort_goes_before(&c, ir_compare(body, OP_ARITH_CMPI, IR_SIGNED_LESS, others[where], own[where]));
  ir_value *stays = ir_binary(body, OP_ARITH_XORI, before, is_front);
  for (unsigned k = 0; k < n->count; k++)
    own[n->operands[k]] = ir_select(body, stays, own[n->operands[k]], others[n->operands[k]]);
}

static void yield_chosen(ir_builder *body, const network *n, ir_value *const *own) {
  ir_value **chosen = IR_NEW_ARRAY(&body->module->arena, ir_value *, n->count);
  for (unsigned k = 0; k < n->count; k++)
    chosen[k] = own[n->operands[k]];
  ir_terminator(body, OP_LINALG_YIELD, n->count, chosen);
}

/* Elements whose places in their lanes differ by the bits of `mask` are put in order, the first one in front; in
 * `outs`, or new tensors. */
static ir_op *exchange(ir_builder *builder, const network *n, ir_value *const *carried, ir_value *mask,
                       ir_value *const *outs) {
  ir_value *length = index_as_i32(builder, ir_index_value(builder, n->length));
  ir_op *generic = by_element(builder, n, n->count, carried, outs);
  ir_arena *arena = &builder->module->arena;
  unsigned where = n->op->num_operands;
  ir_value **own = IR_NEW_ARRAY(arena, ir_value *, where + 1), **others = IR_NEW_ARRAY(arena, ir_value *, where + 1);
  ir_builder body = body_of(generic);
  ir_value *place = index_as_i32(&body, ir_loop_index(&body, 0));
  ir_value *partner = ir_binary(&body, OP_ARITH_XORI, place, mask);
  ir_value *exists = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, partner, length);
  partner = ir_select(&body, exists, partner, place);
  ir_index at[] = {{.value = as_index(&body, partner)}, {.value = ir_loop_index(&body, 1)}};
  for (unsigned k = 0; k < n->count; k++) {
    own[n->operands[k]] = body_argument(generic, k);
    others[n->operands[k]] = read_at(&body, carried[k], at);
  }
  choose(&body, n, ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, partner), own, others);
  yield_chosen(&body, n, own);
  return generic;
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

static ir_value **results_of(const ir_op *op) {
  ir_value **results = IR_NEW_ARRAY(&op->module->arena, ir_value *, op->num_results);
  for (unsigned k = 0; k < op->num_results; k++)
    results[k] = ir_result(op, k);
  return results;
}

/* Ends the body of a loop whose iterations hand on the results of `op`. */
static void carry_on(ir_builder *body, const ir_op *op) {
  ir_terminator(body, OP_SCF_YIELD, op->num_results, results_of(op));
}

/* The bits that places of step `number` differ by, where runs have `run` elements; none behind the last step. */
static ir_value *mask_of(ir_builder *builder, ir_value *run, ir_value *number) {
  ir_value *none = ir_const_index(builder, 0), *one = ir_const_index(builder, 1);
  ir_value *all_bits = ir_binary(builder, OP_ARITH_SUBI, ir_binary(builder, OP_ARITH_ADDI, run, run), one);
  ir_value *is_first = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, number, none);
  ir_value *one_bit = ir_binary(builder, OP_ARITH_SHRUI, run, number);
  return index_as_i32(builder, ir_select(builder, is_first, all_bits, one_bit));
}

/* The steps from number `first` on of round `number`, of runs of 2^number elements; none where one has the whole row.
 * Each iteration has two, so that the second has room for what it makes, where the first found it. */
static ir_op *merge_runs(ir_builder *builder, const network *n, int64_t first, ir_value *number,
                         ir_value *const *carried) {
  ir_value *one = ir_const_index(builder, 1), *run = ir_binary(builder, OP_ARITH_SHLI, one, number);
  ir_value *steps = ir_binary(builder, OP_ARITH_ADDI, number, one);
  if (n->length.value) {
    ir_value *has_two = ir_compare(builder, OP_ARITH_CMPI, IR_SIGNED_LESS, run, n->length.value);
    steps = ir_select(builder, has_two, steps, ir_const_index(builder, 0));
  }
  ir_op *loop = ir_for(builder, ir_index_const(first), ir_index_of(steps), ir_index_const(2), n->count, carried);
  ir_block *block = ir_region(loop, 0);
  ir_builder body = ir_builder_at_end(block);
  ir_op *exchanged = exchange(&body, n, block->args + 1, mask_of(&body, run, block->args[0]), NULL);
  ir_value *next = mask_of(&body, run, ir_binary(&body, OP_ARITH_ADDI, block->args[0], one));
  carry_on(&body, exchange(&body, n, results_of(exchanged), next, block->args + 1));
  return loop;
}

/* The rounds after which so many elements, or any number of them, are one run. */
static int64_t num_rounds(ir_index length) {
  int64_t rounds = 0;
  while (length.value ? rounds < MOST_ROUNDS : (int64_t)1 << rounds < length.constant)
    rounds++;
  return rounds;
}

static ir_op *sort_lanes(ir_builder *builder, const network *n, ir_value *const *carried) {
  ir_index rounds = ir_index_const(num_rounds(n->length));
  ir_op *loop = ir_for(builder, ir_index_const(0), rounds, ir_index_const(1), n->count, carried);
  ir_block *block = ir_region(loop, 0);
  ir_builder body = ir_builder_at_end(block);
  carry_on(&body, merge_runs(&body, n, 0, block->args[0], block->args + 1));
  return loop;
}

/* Lanes, sorted, become half as many: each is followed by one of the other half, and step 0 of the round that makes
 * one run of both is done, which is the only one that exchanges elements of two of them. Packed integers. */
static ir_op *join_lanes(ir_builder *builder, network *n, ir_value *lanes) {
  int64_t half = n->lanes / 2, length = n->length.constant;
  n->lanes = half;
  n->length = ir_index_const(2 * length);
  ir_op *generic = by_element(builder, n, 0, NULL, NULL);
  ir_builder body = body_of(generic);
  ir_value *place = ir_loop_index(&body, 0), *lane = ir_loop_index(&body, 1);
  ir_value *is_front = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, ir_const_index(&body, length));
  ir_value *mirrored = ir_binary(&body, OP_ARITH_SUBI, ir_const_index(&body, 2 * length - 1), place);
  ir_value *front = ir_select(&body, is_front, place, mirrored);
  ir_value *back = ir_binary(&body, OP_ARITH_SUBI, ir_const_index(&body, length - 1), front);
  ir_value *next = ir_binary(&body, OP_ARITH_ADDI, lane, ir_const_index(&body, half));
  ir_value *own = read_at(&body, lanes, (ir_index[]){{.value = front}, {.value = lane}});
  ir_value *other = read_at(&body, lanes, (ir_index[]){{.value = back}, {.value = next}});
  body_finish(&body, generic, choose_packed(&body, is_front, own, other));
  return generic;
}

/* ------------------------------------------------------------------------------------------------------ into lanes */

/* The element's key and, in the lower half, its place, all bits turned over. */
static ir_value *pack(ir_builder *body, const network *n, ir_value *element, ir_value *place) {
  const ir_type *i64 = ir_type_scalar(body->module, IR_I64);
  ir_value *key = ir_unary(body, OP_ARITH_EXTSI, sort_key(body, element, &n->order), i64);
  key = ir_binary(body, OP_ARITH_SHLI, key, ir_const(body, i64, 32));
  place = ir_binary(body, OP_ARITH_XORI, place, ir_const(body, place->type, -1));
  return ir_binary(body, OP_ARITH_ORI, key, ir_unary(body, OP_ARITH_EXTUI, place, i64));
}

static bool has_parts(const network *n) { return n->rows < 0 && n->lanes > 1; }

/* Where in its row the generic's element comes from; parts of a row take its elements in turn. */
static ir_value *first_place(ir_builder *body, const network *n) {
  ir_value *place = ir_loop_index(body, 0);
  if (!has_parts(n))
    return place;
  place = ir_binary(body, OP_ARITH_MULI, place, ir_const_index(body, n->lanes));
  return ir_binary(body, OP_ARITH_ADDI, place, ir_loop_index(body, 1));
}

/* The carried tensors, with the elements where they are in the rows. Lanes without a row have the last one. */
static ir_op *load(ir_builder *builder, const network *n) {
  ir_op *generic = by_element(builder, n, 0, NULL, NULL);
  ir_builder body = body_of(generic);
  ir_index at[IR_MAX_RANK];
  unsigned rank = ir_operand(n->op, 0)->type->rank, where = n->op->num_operands;
  ir_value *place = first_place(&body, n), *place32 = index_as_i32(&body, place);
  bool is_padded = has_parts(n) && n->row.constant != n->length.constant * n->lanes;
  for (unsigned dim = 0; dim < rank; dim++)
    at[dim] = n->blocks.offsets[dim];
  at[n->sorted] = (ir_index){.value = place};
  if (is_padded)
    at[n->sorted] = ir_index_min(&body, at[n->sorted], ir_index_const(n->row.constant - 1));
  if (n->rows >= 0) {
    ir_index rows = ir_dim(&body, ir_operand(n->op, 0), (unsigned)n->rows), lane = {.value = ir_loop_index(&body, 1)};
    at[n->rows] = ir_index_add(&body, at[n->rows], lane);
    if (rows.value || rows.constant % n->lanes)
      at[n->rows] = ir_index_min(&body, at[n->rows], ir_index_sub(&body, rows, ir_index_const(1)));
  }
  ir_value **own = IR_NEW_ARRAY(&body.module->arena, ir_value *, where + 1);
  own[where] = place32;
  for (unsigned k = 0; k < n->count && !n->packed; k++)
    if (n->operands[k] != where)
      own[n->operands[k]] = read_at(&body, ir_operand(n->op, n->operands[k]), at);
  if (n->packed)
    own[where] = pack(&body, n, read_at(&body, ir_operand(n->op, n->order.out), at), place32);
  if (is_padded) {
    ir_value *exists = ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, ir_index_value(&body, n->row));
    own[where] = ir_select(&body, exists, own[where], ir_splat(&body, own[where]->type, sort_key_last(IR_I64)));
  }
  yield_chosen(&body, n, own);
  return generic;
}

/* -------------------------------------------------------------------------------------------------- and out of them */

/* Where the elements were that the lanes end with. */
static ir_value *places_of(ir_builder *builder, const network *n, ir_value *lanes) {
  if (!n->packed)
    return lanes;
  ir_op *generic = body_by_element(builder, 1, &lanes, pass_empty_like(builder, lanes, IR_I32));
  ir_builder body = body_of(generic);
  ir_value *place = ir_unary(&body, OP_ARITH_TRUNCI, body_argument(generic, 0), ir_type_scalar(body.module, IR_I32));
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_XORI, place, ir_const(&body, place->type, -1)));
}

/* Ends the loop over blocks of rows: the places go into its output, as rows. */
static void store(ir_builder *builder, const network *n, ir_value *places) {
  ir_module *module = builder->module;
  ir_index none[] = {ir_index_const(0), ir_index_const(0)}, part[] = {n->row, ir_index_const(1)};
  bool has_rows = n->rows >= 0;
  if (has_rows)
    part[1] = n->blocks.sizes[n->rows];
  int64_t shape[] = {ir_index_static(n->row), ir_index_static(part[1])};
  const ir_type *type = ir_type_with_shape(module, places->type, has_rows ? 2 : 1, shape);
  places = ir_extract_slice(builder, places, none, part, type);
  if (has_rows && n->rows < (int)n->sorted) {
    ir_value *out = ir_empty(builder, IR_I32, 2, (ir_index[]){part[1], part[0]});
    const ir_map *swap = ir_map_select(module, 2, 2, (unsigned[]){1, 0});
    places = body_copy(builder, places, ir_map_identity(module, 2), out, swap);
  }
  ir_builder inserts = ir_in_parallel(builder);
  ir_parallel_insert_slice(&inserts, places, n->blocks.outs[0], n->blocks.offsets, n->blocks.sizes);
}

/* -------------------------------------------------------------------------------------------------------------- all */

/* The dim, other than the sorted one, with most rows; -1: there is none, or its rows are few. */
static int find_rows(const ir_type *type, unsigned sorted) {
  int rows = -1;
  int64_t most = LANES - 1;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t extent = type->shape[dim] == IR_DYNAMIC ? LANES : type->shape[dim];
    if (dim != sorted && extent > most) {
      rows = (int)dim;
      most = extent;
    }
  }
  return rows;
}

bool sort_fills_lanes(const ir_op *op) {
  return find_rows(ir_operand(op, 0)->type, (unsigned)ir_attr_int_or(op, "dimension", 0)) >= 0;
}

/* Says what is exchanged, and what lanes are. */
static network plan(ir_builder *builder, const ir_op *op) {
  network n = {.op = op, .sorted = (unsigned)ir_attr_int_or(op, "dimension", 0)};
  const ir_type *type = ir_operand(op, 0)->type;
  n.operands = IR_NEW_ARRAY(&builder->module->arena, unsigned, op->num_operands + 1);
  n.packed = ir_sort_order_of(op, &n.order) && sort_key_type(ir_operand(op, n.order.out)->type->element) == IR_I32;
  for (unsigned i = 0; i < op->num_operands && !n.packed; i++)
    if (ir_sort_compares(op, i))
      n.operands[n.count++] = i;
  n.operands[n.count++] = op->num_operands;
  n.row = n.length = ir_dim(builder, ir_operand(op, 0), n.sorted);
  n.rows = find_rows(type, n.sorted);
  bool parts = n.rows < 0 && n.packed && !n.row.value;
  n.lanes = n.rows >= 0 || parts ? LANES : 1;
  if (parts) {
    int64_t length = (n.row.constant + LANES - 1) / LANES;
    n.length = ir_index_const((int64_t)1 << num_rounds(ir_index_const(length)));
  }
  return n;
}

/* Where the elements of sorted rows were. */
static ir_value *sort_places(ir_builder *builder, network *n) {
  ir_value *tensor = ir_operand(n->op, 0), *places = pass_empty_like(builder, tensor, IR_I32);
  int64_t steps[IR_MAX_RANK];
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    steps[dim] = (int)dim == n->rows ? n->lanes : 1;
  ir_builder body;
  n->blocks = row_blocks_create(builder, tensor, n->sorted, steps, 1, &places, &body);
  ir_op *lanes = sort_lanes(&body, n, results_of(load(&body, n)));
  while (has_parts(n)) {
    lanes = join_lanes(&body, n, ir_result(lanes, 0));
    ir_value *round = ir_const_index(&body, num_rounds(n->length) - 1);
    lanes = merge_runs(&body, n, 1, round, results_of(lanes));
  }
  store(&body, n, places_of(&body, n, ir_result(lanes, n->count - 1)));
  return ir_result(n->blocks.forall, 0);
}

void sort_by_network(ir_op *op) {
  ir_builder builder = ir_builder_before(op);
  network n = plan(&builder, op);
  ir_value *places = sort_places(&builder, &n);
  for (unsigned i = 0; i < op->num_results; i++)
    if (!ir_value_unused(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), sort_take_from(&builder, ir_operand(op, i), places, n.sorted));
}
