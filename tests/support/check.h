/* check.h - runs a function before and after a pass on the same random inputs and compares what comes out.
 *
 *   ir_module *before = check_parse(text), *after = check_parse(text);
 *   .. run the pass on `after` ..
 *   check_options options = {.function = "f", .std = 4};
 *   check_report report = check_equivalent(before, after, &options);
 *   cr_assert(report.ok && report.largest_error < 1e-12, "%s", report.text);
 *
 * `after` may be bufferized: memref arguments in place of tensors, and results as memrefs appended to the arguments. */
#ifndef TEC_TESTS_CHECK_H
#define TEC_TESTS_CHECK_H
#include "ir/interp.h"

typedef struct check_options {
  const char *function;
  uint64_t seed;
  double std;             /* of random floats, which are normal; 0 means 4, which makes logits sharp */
  ir_precision precision; /* DECLARED unless set; differences of rounding vanish in DOUBLE */
  const int64_t *dims;    /* for the dynamic extents of the arguments, in order; then 5, 6, 7, .. */
  unsigned num_dims;
  int64_t index; /* the value of scalar arguments of type index */
} check_options;

typedef struct check_report {
  bool ok;              /* both ran, and the results have the same types and shapes */
  double largest_error; /* over all results: |a - b| / max(1, |a|); infinite where one is NaN and the other is not */
  char text[256];       /* what happened, for messages */
} check_report;

/* The module of a text; messages go to stderr. NULL if it does not parse. */
ir_module *check_parse(const char *text);
/* Fills with normal numbers of that deviation, rounded to the type; integers from -4 to 4, i1 from both. */
void check_random(ir_tensor *tensor, uint64_t *seed, double std);
/* A seeded normal number. */
double check_normal(uint64_t *seed);
int64_t check_num_elements(const ir_tensor *tensor);
/* Allocates arguments for the function's tensor (or memref) and scalar arguments. False if a shape is too large. */
bool check_arguments(ir_module *module, const check_options *options, unsigned count, ir_tensor *arguments);
/* |a - b| / max(1, |a|), the largest of all elements; infinite where the shapes differ. */
double check_difference(const ir_tensor *a, const ir_tensor *b);
check_report check_equivalent(ir_module *before, ir_module *after, const check_options *options);
#endif
