/* pass.h - passes and how they are run. One row a pass in pass.def.
 *
 * A pass changes the module in place and returns false only after it has reported an error (a user's: through ir_error
 * at the source location; the compiler's own: through ir_internal_error). */
#ifndef TEC_PASSES_PASS_H
#define TEC_PASSES_PASS_H
#include "ir/ir.h"
#include "passes/target.h"

struct pass_options;

typedef bool pass_of_module(ir_module *module, const struct pass_options *options);
typedef bool pass_of_function(ir_op *function, const struct pass_options *options);
typedef bool pass_of_kernel(ir_op *kernel, const struct pass_options *options);
typedef void pass_of_block(ir_block *block, const struct pass_options *options);
typedef void pass_of_op(ir_op *op, const struct pass_options *options);

/* What runs where: one of the places has a function. */
typedef struct pass_row {
  const char *name;
  pass_of_module *module;
  unsigned result_stages; /* ir_stage bits legal afterwards; 0: as before */
  const char *doc;
  pass_of_function *function; /* each that has a body */
  pass_of_kernel *kernel;     /* see pass_visit_kernels */
  pass_of_block *block;       /* see pass_visit_unscheduled .. */
  pass_of_op *op;             /* .. and _ops */
} pass_row;

typedef struct pass_options {
  const target_facts *target;
  bool verify;  /* after each pass */
  bool explain; /* remarks say what was recognised, and why the default schedule did not fuse */
  bool fuse;    /* false: the default schedule tiles but does not fuse */
  /* Called after each pass that `dump` names ("all" for each). `text` is valid input. */
  const char *dump;
  void (*dump_sink)(void *user, const char *pass, const char *text);
  void *dump_user;
  /* Called after each pass with its duration, may be NULL. */
  void (*time_sink)(void *user, const char *pass, double seconds);
  void *time_user;
  /* Called after an internal error with the passes that were still to run, the failing one first, and the module before
   * it as valid input; may be NULL. */
  void (*fault_sink)(void *user, const char *passes, const char *text);
  void *fault_user;
  const pass_row *more; /* passes besides those of pass.def, for tests */
  unsigned num_more;
} pass_options;

unsigned pass_count(void);
const pass_row *pass_get(unsigned i);

/* Runs a comma-separated list of pass names. False after a reported error (an unknown name is one). */
bool pass_run(ir_module *module, const char *list, const pass_options *options);
/* Whether `list` is what pass_options wants of `dump`. False after a reported error. */
bool pass_check_dump(ir_module *module, const char *list);
/* The list that takes a TENSOR module down to what the target's backend emits. */
const char *pass_default_list(const target_facts *target);
#endif
