/* row.h - does an op fit its row of op.def: how many operands, results and regions it has, and its inherent attributes
 * against attr.def. The parser asks before it makes an op, so that hooks can rely on the row; the verifier asks again
 * after passes. Internal to ir/. */
#ifndef TEC_IR_ROW_H
#define TEC_IR_ROW_H
#include "ir.h"

/* What the text of an inherent attribute looks like, and what its value is. */
typedef enum attr_form {
  FORM_UNIT,
  FORM_BOOL,
  FORM_INT,       /* of the type in `detail`, which the text does not say */
  FORM_DIMENSION, /* an i64, or #gpu<dim ..> */
  FORM_INTS,      /* array<i64: ..>, in the text [..] */
  FORM_INT_ARRAY,
  FORM_INT_ARRAYS,
  FORM_BOOL_ARRAY,
  FORM_STRING,
  FORM_STRINGS,
  FORM_VISIBILITY,
  FORM_SYMBOL,
  FORM_TYPE,
  FORM_TYPED,
  FORM_DENSE,
  FORM_MAP,
  FORM_MAPS,
  FORM_KEYWORD, /* of the dialect attribute in `detail` */
  FORM_KEYWORDS,
  FORM_DICT,
  FORM_DICTS,
} attr_form;

typedef struct attr_row {
  const char *name, *detail;
  attr_form form;
} attr_row;

/* The row of attr.def; every name in an `attrs` column has one. */
const attr_row *row_find_attr(const char *name, size_t size);

/* What is checked: an op, or what is to become one. `groups` are the sizes of its operand groups. */
typedef struct row_subject {
  ir_module *module;
  ir_loc loc;
  const ir_op_info *info;
  const unsigned *groups;
  unsigned num_results, num_regions, num_attrs;
  const ir_named_attr *attrs;
} row_subject;

/* How many results a row gives whose result column has no `?` or `*`. */
unsigned row_num_results(const ir_op_info *info);
/* Each reports at most one error, at the subject's location. */
bool row_check_counts(const row_subject *subject);
bool row_check_attrs(const row_subject *subject);
#endif
