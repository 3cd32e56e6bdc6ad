/* lane_words.c - how many registers lanes need for what a kernel keeps, and so how many of its blocks should share a
 * multiprocessor. Speed alone depends on it. Terminates: loops over values, their uses and the ops of a kernel. */
#include "passes/distribute.h"
#include "passes/stage.h"

enum {
  LANES = 512,     /* of a multiprocessor, in several blocks of warpgroups: each has work while others wait .. */
  SPARE_WORDS = 8, /* .. and registers beyond what its loop keeps, so that nothing is spilled */
};

int64_t distribute_words(const ir_value *value) {
  if (value->type->kind != IR_TYPE_VECTOR)
    return 0;
  layout l = distribute_layout(value);
  return (layout_size(&l, LAYOUT_REGISTER) * ir_scalar_bits(value->type->element) + 31) / 32;
}

int64_t distribute_words_of_results(const ir_op *op) {
  int64_t words = 0;
  for (unsigned i = 0; i < op->num_results; i++)
    words += distribute_words(ir_result(op, i));
  return words;
}

int64_t distribute_words_across(const ir_op *loop) {
  int64_t largest = 0;
  for (const ir_op *op = ir_next_inside(loop, loop); op; op = ir_next_inside(loop, op)) {
    bool is_factor = op->code == OP_VECTOR_TRANSFER_READ || op->code == OP_VECTOR_TRANSPOSE; /* read piece by piece */
    for (unsigned i = 0; i < op->num_results && !is_factor; i++)
      largest = distribute_words(ir_result(op, i)) > largest ? distribute_words(ir_result(op, i)) : largest;
  }
  return distribute_words_of_results(loop) + largest;
}

int64_t distribute_words_read(const ir_op *op) {
  if (op->code != OP_VECTOR_TRANSFER_READ)
    return 0;
  for (const ir_use *use = ir_result(op, 0)->uses; use; use = use->next)
    if (stage_is_factor(use) || stage_is_transposed_factor(use->user))
      return 0;
  layout l = distribute_layout(ir_result(op, 0));
  return layout_size(&l, LAYOUT_REGISTER);
}

/* The words that lanes need in a loop: what they carry through it, other sums of products with what becomes of them, a
 * factor of half their size, and what is added to these. */
static int64_t words_in_loop(const ir_op *op) {
  int64_t sums = 0, read = 0;
  for (const ir_op *inner = ir_region(op, 0)->first; inner; inner = inner->next) {
    int64_t words = inner->num_results ? distribute_words(&inner->results[0]) : 0;
    bool yielded = false;
    for (const ir_use *use = inner->num_results ? inner->results[0].uses : NULL; use; use = use->next)
      yielded |= use->user == ir_region(op, 0)->last;
    if (inner->code == OP_VECTOR_CONTRACT && !yielded && words > sums)
      sums = words;
    read = distribute_words_read(inner) > read ? distribute_words_read(inner) : read;
  }
  return distribute_words_of_results(op) + sums * 3 / 2 + read;
}

int64_t distribute_blocks_of_groups(const ir_op *kernel, const target_facts *facts) {
  int64_t threads = ir_attr_int_or(kernel, "tec.threads", 0), need = 0, blocks = LANES / (threads ? threads : 1);
  bool has_groups = false;
  if (!facts->warpgroup || !threads || threads % (facts->warpgroup * facts->warp))
    return 0;
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op)) {
    has_groups |= op->code == OP_VECTOR_CONTRACT && target_has_groups(facts, ir_operand(op, 0)->type->element);
    int64_t words = op->code == OP_SCF_FOR ? words_in_loop(op) : 0;
    need = words > need ? words : need;
  }
  if (!has_groups)
    return 0;
  while (need && blocks > 1 && need + SPARE_WORDS > facts->registers / (threads * blocks))
    blocks--;
  return blocks < 1 || !need ? 1 : blocks;
}
