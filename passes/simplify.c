/* simplify.c - the pass "simplify". */
#include "passes/passes.h"

bool pass_simplify(ir_module *module, const pass_options *options) {
  (void)options;
  pass_drop_dead(module);
  return true;
}
