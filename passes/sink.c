/* sink.c - attention sinks that the program writes as one more column of scores.
 *
 *     x = scores and, beside them, a column of sinks;  w = softmax(x);  weights = w without that column
 *
 * is a softmax of the scores that has seen the sinks before: they take weight but have no value. So the scores need not
 * be copied, and the softmax can run along with the loop over keys. Maximum and sum are the same either way.
 * Terminates: no loops but over dims and uses. */
#include "ir/build.h"
#include "passes/extent.h"
#include "passes/softmax.h"

/* A part of a tensor that has all of it but along one dim. */
typedef struct part {
  ir_index from, size; /* along the dim */
} part;

/* The slice has unit strides, and is all of `whole` in every dim but `dim`, which it lacks at most, if it is one. */
static bool match_part(const ir_op *slice, ir_value *whole, unsigned dim, part *found) {
  ir_slice s = ir_slice_of(slice);
  const ir_type *smaller =
      slice->code == OP_TENSOR_INSERT_SLICE ? ir_operand(slice, 0)->type : ir_result(slice, 0)->type;
  bool lacks_dim = smaller->rank + 1u == s.rank && ir_index_is_const(s.sizes[dim], 1);
  if ((smaller->rank != s.rank && !lacks_dim) || !ir_slice_has_unit_strides(&s))
    return false;
  for (unsigned i = 0; i < s.rank; i++)
    if (i != dim && !slice_has_dim(&s, whole, i))
      return false;
  *found = (part){s.offsets[dim], s.sizes[dim]};
  return true;
}

/* x is scores beside one column of sinks, which are all of it. */
static bool match_concatenation(ir_value *x, unsigned dim, ir_value **scores, ir_value **sinks, part *place) {
  const ir_op *last = ir_made_by(x, OP_TENSOR_INSERT_SLICE);
  const ir_op *first = last ? ir_made_by(ir_operand(last, 1), OP_TENSOR_INSERT_SLICE) : NULL;
  const ir_op *both[] = {first, last};
  part parts[2];
  if (!first || !ir_made_by(ir_operand(first, 1), OP_TENSOR_EMPTY) || !match_part(first, x, dim, &parts[0]) ||
      !match_part(last, x, dim, &parts[1]))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    const part *wide = &parts[1 - i], *column = &parts[i];
    bool after =
        ir_index_is_const(wide->from, 0) && extent_equal(extent_of_index(column->from), extent_of_index(wide->size));
    bool before = ir_index_is_const(column->from, 0) && ir_index_is_const(wide->from, 1);
    if (!ir_index_is_const(column->size, 1) || !(after || before) ||
        ir_operand(both[1 - i], 0)->type->rank != x->type->rank)
      continue;
    *scores = ir_operand(both[1 - i], 0);
    *sinks = ir_operand(both[i], 0);
    *place = *wide;
    return true;
  }
  return false;
}

/* Everybody who reads the weights leaves out the column. */
static bool only_scores_are_read(const ir_op *softmax, const ir_value *scores, unsigned dim, const part *place) {
  const ir_type *type = ir_type_with_element(softmax->module, scores->type, ir_result(softmax, 0)->type->element);
  for (const ir_use *use = ir_result(softmax, 0)->uses; use; use = use->next) {
    part read;
    if (use->user->code != OP_TENSOR_EXTRACT_SLICE || ir_result(use->user, 0)->type != type ||
        !match_part(use->user, ir_result(softmax, 0), dim, &read) || !ir_index_equal(read.from, place->from) ||
        !extent_equal(extent_of_index(read.size), extent_of_index(place->size)))
      return false;
  }
  return softmax->num_results == 1 || ir_value_unused(ir_result(softmax, 3));
}

/* The sinks without their dim of extent 1, which those of fewer dims than the scores lack already. */
static ir_value *without_dim(ir_builder *builder, ir_value *sinks, unsigned dim, unsigned rank_of_scores) {
  if (sinks->type->rank < rank_of_scores)
    return sinks;
  ir_index offsets[IR_MAX_RANK] = {0}, sizes[IR_MAX_RANK];
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned i = 0; i < sinks->type->rank; i++) {
    sizes[i] = pass_dim(builder, sinks, i);
    if (i != dim)
      shape[rank++] = sinks->type->shape[i];
  }
  const ir_type *type = ir_type_tensor(builder->module, sinks->type->element, rank, shape);
  return ir_extract_slice(builder, sinks, offsets, sizes, type);
}

bool softmax_take_sink(ir_op *softmax) {
  unsigned dim = (unsigned)ir_attr_int_or(softmax, "dimension", 0);
  ir_value *scores, *sinks;
  part place;
  if (!match_concatenation(ir_input(softmax, 0), dim, &scores, &sinks, &place) || !softmax_starts_empty(softmax) ||
      sinks->type->element != softmax_statistic(scores->type) || !only_scores_are_read(softmax, scores, dim, &place))
    return false;
  ir_builder builder = ir_builder_before(softmax);
  ir_value *out = pass_empty_like(&builder, scores, ir_result(softmax, 0)->type->element);
  ir_op *with_sink = softmax_create(&builder, scores, out, dim, without_dim(&builder, sinks, dim, scores->type->rank));
  for (ir_use *use = ir_result(softmax, 0)->uses, *next; use; use = next) {
    ir_op *slice = use->user;
    next = use->next;
    ir_replace_op(slice, ir_result(with_sink, 0));
  }
  for (unsigned i = 1; i < softmax->num_results; i++)
    ir_replace_uses(ir_result(softmax, i), ir_result(with_sink, i));
  ir_op_erase(softmax);
  return true;
}
