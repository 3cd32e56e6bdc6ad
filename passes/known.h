/* known.h - what is known of computed numbers where a mask hides something. */
#ifndef TEC_PASSES_KNOWN_H
#define TEC_PASSES_KNOWN_H
#include "ir/build.h"

typedef enum known_kind {
  KNOWN_NOTHING,
  KNOWN_ABOVE,  /* it is not -infinity */
  KNOWN_HIDDEN, /* it is `value` where something is hidden */
  KNOWN_ALWAYS  /* it is `value` */
} known_kind;

typedef struct known {
  known_kind kind;
  ir_cell value;
} known;

enum { KNOWN_MAX_OPERANDS = 3 }; /* of an elementwise op */

/* The float is `value` where something is hidden. */
static inline bool known_is(known known, double value) { return known.kind == KNOWN_HIDDEN && known.value.f == value; }
bool known_is_above(known known); /* a float, not -infinity */
/* A constant, or nothing. */
known known_constant(const ir_value *value);
/* What is known of the result of an op of scalars with at most so many operands. It is KNOWN_HIDDEN where the operands
 * of *needed, by bit, are: where one of them is, or with *all all of them. */
known known_result(const ir_op *op, const known *operands, uint32_t *needed, bool *all);

/* A number that is -infinity, or 0, unless a condition says otherwise. */
typedef struct known_choice {
  ir_value *condition;
  bool shown_if;  /* it may be something else where the condition is so: */
  unsigned shown; /* this operand of the op, or, of a truth as a number, 1: no operand, 0 */
  double hidden;
} known_choice;

/* False: the op, of scalars, is no such choice. */
bool known_choice_of(const ir_op *op, known_choice *choice);
#endif
