/* sort.c - torch-mlir's sorts.
 *
 * On hosts rows go through a sorting network (sort_network.c), but what is taken of longer ones is selected where it is
 * the first elements (top_k.c). On GPUs, which have no loops around kernels, and in the few short rows of a host: for
 * each element those of its row that go before it are counted, and each element of the result is a sum in which only
 * the one that belongs there counts. That takes no loop, but the square of the row's length in steps.
 * Terminates: no loop here but those over operands; what is selected is at most half as long as what it is of. */
#include "passes/sort.h"

#include "passes/body.h"
#include "passes/extent.h"
#include "passes/recast.h"
#include "passes/torch.h"
#include "passes/vectorize.h"

enum {
  MOST_COUNTED = 64,   /* elements of a row, where a network would not fill vectors with rows .. */
  LEAST_SELECTED = 256 /* .. where selecting some is faster than sorting all (all Zen 4) */
};

/* The body's answer for an element of `first`, and one of `second`. */
static ir_value *ask(const sort_comparison *c, ir_value *const *first, ir_value *const *second) {
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
static ir_value *has_nan(const sort_comparison *c, ir_value *const *elements) {
  ir_value *found = NULL;
  for (unsigned i = 0; i < c->op->num_operands; i++) {
    if (!ir_sort_compares(c->op, i) || !ir_scalar_is_float(elements[i]->type->element))
      continue;
    ir_value *is_nan = ir_compare(c->body, OP_ARITH_CMPF, IR_UNORDERED_NOT_EQUAL, elements[i], elements[i]);
    found = found ? ir_binary(c->body, OP_ARITH_ORI, found, is_nan) : is_nan;
  }
  return found;
}

ir_value *sort_goes_before(const sort_comparison *c, ir_value *is_there_first) {
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
  sort_comparison c = {op, &body, block->args, block->args + count};
  ir_value *place = ir_loop_index(&body, rank), *own_place = ir_loop_index(&body, sorted);
  ir_value *before = sort_goes_before(&c, ir_compare(&body, OP_ARITH_CMPI, IR_SIGNED_LESS, place, own_place));
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

void torch_decompose_sort(ir_op *op, bool on_gpu) {
  unsigned sorted = (unsigned)ir_attr_int_or(op, "dimension", 0);
  int64_t length = ir_operand(op, 0)->type->shape[sorted];
  bool is_long = length == IR_DYNAMIC || length >= LEAST_SELECTED;
  bool is_short = length != IR_DYNAMIC && length <= MOST_COUNTED && !sort_fills_lanes(op);
  ir_op *first = on_gpu || !is_long ? NULL : sort_first(op);
  if (first)
    torch_decompose_sort(first, on_gpu);
  else if (on_gpu || is_short)
    sort_by_counts(op, sorted);
  else
    sort_by_network(op);
  ir_op_erase(op);
}
