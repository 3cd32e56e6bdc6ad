/* softmax.h - creating online softmax (softmax.c), and taking it apart. */
#ifndef TEC_PASSES_SOFTMAX_H
#define TEC_PASSES_SOFTMAX_H
#include "ir/build.h"
#include "passes/target.h"

struct expression;
struct expression_space;

/* Results of linalg_ext.softmax behind the quotients: a row's maximum, its sum of e^(x - maximum), and the old sum over
 * the new one, both relative to the new maximum. The first two continue the inits of the same number. */
enum { SOFTMAX_MAX = 1, SOFTMAX_SUM = 2, SOFTMAX_SCALE = 3 };

/* Online or not. */
static inline bool softmax_is(const ir_op *op) {
  return op->code == OP_LINALG_SOFTMAX || op->code == OP_LINALG_EXT_SOFTMAX;
}
/* A softmax may be made of the value, with no product between, as far as a bounded search tells. */
bool softmax_may_follow(const ir_value *value);
/* The type of the running maximum and sum: f32, or f64 for f64. */
ir_scalar softmax_statistic(const ir_type *x);
/* linalg_ext.softmax of `x` into `out` along `dim`. It starts from the empty state: fills for the running maximum
 * (lowest finite) and sum (0); or, where `sink` is given (of x's shape without `dim`), as if that score had been seen
 * before. Results: softmax, maximum, sum, scale. It can be tiled over `dim`. */
ir_op *softmax_create(ir_builder *builder, ir_value *x, ir_value *out, unsigned dim, ir_value *sink);
/* Replaces linalg.softmax by a step of online softmax from the empty state. */
ir_op *softmax_make_online(ir_op *softmax);
/* The softmax, online or not, has seen nothing before its own scores: no state that it continues, and no sink. */
bool softmax_starts_empty(const ir_op *softmax);
/* Maxima and sums of exponentials of the scores of an online softmax that the program computes elsewhere in the block
 * are made of its statistics; true if there were any (statistics.c). `space` is room to work in. */
bool softmax_share_statistics(ir_op *softmax, struct expression_space *space);
/* The sum of e^(x - shift), for the scores x of a softmax that starts empty, both as the space has them over its dims,
 * at the builder's place; NULL where the shift cannot be had as a tensor. */
ir_value *softmax_shifted_sum(ir_op *softmax, struct expression_space *space, const struct expression *x,
                              const struct expression *shift, ir_builder *builder);
/* Makes products with exponentials, relative to the maximum of their rows, that `op` computes and nobody divides, ones
 * with a softmax; true if there were any (numerators.c). `space` is room to work in. */
bool softmax_raise_numerators(ir_op *op, struct expression_space *space);
/* The score whose exponent is `extra` where `shift` (or NULL: nothing) is subtracted from all; NULL: there is none. */
const struct expression *softmax_unshifted(struct expression_space *space, const struct expression *extra,
                                           const struct expression *shift);
/* Makes a softmax over scores and a column of sinks beside them, of which only the scores' weights are read, one of the
 * scores alone that starts from the sinks; true if it was one (sink.c). */
bool softmax_take_sink(ir_op *op);
/* Replaces a softmax, online or not, on tensors by reductions and elementwise ops (decompose.c). `repeats`:
 * exponentials are computed again for the quotients, so that those of a long row need not be kept. By the target, if
 * any, the running maximum may stay behind by a little, or be in other units, where nobody can tell. */
void softmax_decompose(ir_op *op, bool repeats, const target_facts *target);
/* What a contraction with diag(s) as factor `side`, into zeros, amounts to: out[..] = s[..] C[..], over the dims of its
 * result. False where that is none. */
typedef struct diagonal_product {
  const ir_map *scale, *other; /* from those dims to subscripts of s and of C */
} diagonal_product;
bool softmax_match_diagonal(const ir_op *op, unsigned side, diagonal_product *match);
#endif
