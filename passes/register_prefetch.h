/* register_prefetch.h - how far ahead of what it reads an op on the host asks for memory. */
#ifndef TEC_PASSES_REGISTER_PREFETCH_H
#define TEC_PASSES_REGISTER_PREFETCH_H
#include "passes/register_plan.h"

/* Stands for the uses of what was asked for before. */
enum { REGISTER_PREFETCH_DONE = -1 };

/* How often an element of input `i` is used once it is read, where what the op computes is used `uses` times; INT64_MAX
 * when not known. */
int64_t register_prefetch_uses(const ir_op *op, unsigned i, int64_t uses);

/* Input `i` of an op with that plan, where what the op computes is used `uses` times. */
typedef struct register_input {
  const ir_op *op;
  const register_plan *plan;
  const target_facts *facts;
  unsigned i;
  int64_t uses;
} register_input;

/* How many subscripts further to ask for memory of the input (array<i64>, one a dim): what the outermost loop that
 * moves over it, by no more than the second-level cache keeps, will read in its next iteration, or nearer; NULL where
 * no loop does, or lanes are not contiguous. */
const ir_attr *register_prefetch_distance(const register_input *in);
/* The same for what is copied from the input into panels, which a loop or the kernel moves on with each piece: how many
 * subscripts further the next one lies, in ahead[]. False where it is not to be asked for while this one is used. */
bool register_prefetch_panel(const register_input *in, int64_t *ahead);
/* The same of an input that the op's register tiles read where it lies. */
const ir_attr *register_prefetch_in_place(const register_input *in);
/* The same in ahead[], where the tiles ask for the input line by line, each once; false where they do not. */
bool register_prefetch_own(const register_input *in, int64_t *ahead);
/* The same, for any operand, of the kernel's next iteration; NULL where its memory does not follow from the kernel's
 * last loop. */
const ir_attr *register_prefetch_next(const register_input *in);
/* What is asked for of the input is to be in the first cache. */
bool register_prefetch_is_near(const register_input *in);
/* The loop over blocks of rows around the op, 0, 1 and so on, which goes over all of input `i` in each iteration; NULL:
 * none. And its iterations at most; 1 without one. */
const ir_op *register_loop_of_blocks(const ir_op *op, unsigned i);
int64_t register_blocks(const ir_op *loop);
#endif
